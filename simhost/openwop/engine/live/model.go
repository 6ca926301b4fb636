package live

import (
	"context"

	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/step"
	"github.com/openassay/assay/simhost/openwop/mockai"
)

// ask asks the model that the node under way calls.
func (e *Engine) ask(ctx context.Context, s *state.State) (*step.Answered, error) {
	if e.o.Models == nil { // the workflow was begun when there was one
		return &step.Answered{Answer: mockai.Answer{StopReason: "no model"}}, nil
	}
	nodeID := s.Program.Nodes[s.Done].ID
	call := mockai.Call{NodeID: nodeID, Origin: s.RunID + "/" + nodeID}
	if s.Owner != nil {
		call.Tenant = s.Owner.Tenant
	}
	answer, programmed, err := e.o.Models.Answer(ctx, call)
	return &step.Answered{Answer: answer, Programmed: programmed}, err
}
