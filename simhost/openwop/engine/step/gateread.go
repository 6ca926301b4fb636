package step

import (
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// readGate reads what a gate asks now.
func readGate(s *state.State, n *workflow.Node) (workflow.GateRequest, *openwopv1.EventError) {
	values, missing := s.PortValues(n)
	if missing != nil {
		return workflow.GateRequest{}, missing
	}
	r, wrong := n.ReadGate(values)
	if wrong != nil {
		return r, codes.Failure(codes.Gate, "node %q cannot ask: %s: %s", n.ID, wrong.At, wrong.Says)
	}
	if data, ok := r.Data.(openwopv1.ApprovalData); ok && s.Gate.Comment != "" {
		data.Description = &s.Gate.Comment
		r.Data = data
	}
	return r, nil
}
