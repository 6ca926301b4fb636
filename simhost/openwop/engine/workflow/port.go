package workflow

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
)

// Port is one input of a node: a value, a variable's name, or another node's output.
type Port struct {
	Name     string
	Static   any
	Variable string
	NodeID   string
	Output   string
	Optional bool
}

// connect reads the ports of all nodes, and the edges that name ports.
func (p *Program) connect() error {
	for i := range p.Nodes {
		n := &p.Nodes[i]
		for _, name := range slices.Sorted(maps.Keys(n.Inputs)) {
			port, err := readPort(name, n.Inputs[name])
			if err != nil {
				return refusedNode(n.ID, "input %q: %v", name, err)
			}
			if _, ok := p.ByID[port.NodeID]; port.NodeID != "" && !ok {
				return refusedNode(n.ID, "input %q comes from node %q, which does not exist", name, port.NodeID)
			}
			n.Ports = append(n.Ports, port)
		}
		if n.TypeID == TypeDispatch && len(n.Ports) > 0 {
			return refusedNode(n.ID, "is a core.dispatch node with inputs: it takes mappings instead")
		}
	}
	for _, e := range p.Definition.Edges {
		if e.SourceOutput == nil && e.TargetInput == nil {
			continue
		}
		n := &p.Nodes[p.ByID[e.TargetNodeID]]
		carried := Port{Name: "input", NodeID: e.SourceNodeID, Output: "output", Optional: true}
		if e.TargetInput != nil {
			carried.Name = *e.TargetInput
		}
		if e.SourceOutput != nil {
			carried.Output = *e.SourceOutput
		}
		n.Ports = append(n.Ports, carried)
	}
	return nil
}

func readPort(name string, v openwopv1.PortValue) (Port, error) {
	value, err := v.ValueByDiscriminator()
	if err != nil {
		return Port{}, err
	}
	switch v := value.(type) {
	case openwopv1.StaticPort:
		p := Port{Name: name}
		if err := json.Unmarshal(v.Value, &p.Static); err != nil {
			return Port{}, err
		}
		return p, nil
	case openwopv1.VariablePort:
		return Port{Name: name, Variable: v.VariableName, Optional: isTrue(v.Optional)}, nil
	case openwopv1.ConnectionPort:
		return Port{Name: name, NodeID: v.NodeID, Output: v.OutputKey, Optional: isTrue(v.Optional)}, nil
	default:
		return Port{}, fmt.Errorf("this host evaluates no expressions: use a static value, a variable or a connection")
	}
}
