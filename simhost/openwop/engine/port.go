package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
)

// port is one input of a node: a value, a variable's name, or another node's output.
type port struct {
	name     string
	static   any
	variable string
	nodeID   string
	output   string
	optional bool
}

// connect reads the ports of all nodes, and the edges that name ports.
func (p *program) connect() error {
	for i := range p.nodes {
		n := &p.nodes[i]
		for _, name := range slices.Sorted(maps.Keys(n.Inputs)) {
			port, err := readPort(name, n.Inputs[name])
			if err != nil {
				return refusedNode(n.ID, "input %q: %v", name, err)
			}
			if _, ok := p.byID[port.nodeID]; port.nodeID != "" && !ok {
				return refusedNode(n.ID, "input %q comes from node %q, which does not exist", name, port.nodeID)
			}
			n.ports = append(n.ports, port)
		}
		if n.TypeID == typeDispatch && len(n.ports) > 0 {
			return refusedNode(n.ID, "is a core.dispatch node with inputs: it takes mappings instead")
		}
	}
	for _, e := range p.definition.Edges {
		if e.SourceOutput == nil && e.TargetInput == nil {
			continue
		}
		n := &p.nodes[p.byID[e.TargetNodeID]]
		carried := port{name: "input", nodeID: e.SourceNodeID, output: "output", optional: true}
		if e.TargetInput != nil {
			carried.name = *e.TargetInput
		}
		if e.SourceOutput != nil {
			carried.output = *e.SourceOutput
		}
		n.ports = append(n.ports, carried)
	}
	return nil
}

func readPort(name string, v openwopv1.PortValue) (port, error) {
	value, err := v.ValueByDiscriminator()
	if err != nil {
		return port{}, err
	}
	switch v := value.(type) {
	case openwopv1.StaticPort:
		p := port{name: name}
		if err := json.Unmarshal(v.Value, &p.static); err != nil {
			return port{}, err
		}
		return p, nil
	case openwopv1.VariablePort:
		return port{name: name, variable: v.VariableName, optional: isTrue(v.Optional)}, nil
	case openwopv1.ConnectionPort:
		return port{name: name, nodeID: v.NodeID, output: v.OutputKey, optional: isTrue(v.Optional)}, nil
	default:
		return port{}, fmt.Errorf("this host evaluates no expressions: use a static value, a variable or a connection")
	}
}

// portValues are the values at the ports of a node. A port without a value is left out where it is optional; otherwise the
// error names it.
func (s *State) portValues(n *node) (map[string]any, *openwopv1.EventError) {
	values := make(map[string]any, len(n.ports))
	for _, p := range n.ports {
		value, ok := s.portValue(p)
		switch {
		case ok:
			values[p.name] = value
		case !p.optional:
			return nil, failure(codeInput, "input %q of node %q has no value", p.name, n.ID)
		}
	}
	return values, nil
}

func (s *State) portValue(p port) (value any, ok bool) {
	switch {
	case p.variable != "":
		value, ok = s.variables[p.variable]
	case p.nodeID != "":
		value, ok = s.nodes[s.program.byID[p.nodeID]].outputs[p.output]
	default:
		value, ok = p.static, true
	}
	return value, ok
}
