package state

import (
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// PortValues are the values at the ports of a node. A port without a value is left out where it is optional; otherwise the
// error names it.
func (s *State) PortValues(n *workflow.Node) (map[string]any, *openwopv1.EventError) {
	values := make(map[string]any, len(n.Ports))
	for _, p := range n.Ports {
		value, ok := s.portValue(p)
		switch {
		case ok:
			values[p.Name] = value
		case !p.Optional:
			return nil, codes.Failure(codes.Input, "input %q of node %q has no value", p.Name, n.ID)
		}
	}
	return values, nil
}

func (s *State) portValue(p workflow.Port) (value any, ok bool) {
	switch {
	case p.Variable != "":
		value, ok = s.Variables[p.Variable]
	case p.NodeID != "":
		value, ok = s.Nodes[s.Program.ByID[p.NodeID]].Outputs[p.Output]
	default:
		value, ok = p.Static, true
	}
	return value, ok
}
