package run

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
)

// Resolve answers the interrupt that is open at a node, and the run goes on. What value must be depends on the interrupt's
// kind; what does not fit is refused with validation_error and changes nothing. Of several who resolve the same interrupt,
// or cancel its run, one wins. The others hear interrupt_already_resolved, or interrupt_gone where the run was
// stopped; where the node never asked anything it is interrupt_not_found.
func (e *Engine) Resolve(ctx context.Context, runID, nodeID string, value json.RawMessage) (snapshot openwopv1.RunSnapshot, err error) {
	leave, err := e.enter()
	if err != nil {
		return snapshot, err
	}
	defer leave()
	err = e.with(ctx, runID, func(r *liveRun) error {
		s := &r.state
		if err := s.resolvable(nodeID); err != nil {
			return err
		}
		if err := checkAnswer(s.loop.asked.kind, value); err != nil {
			return err
		}
		m := &move{answer: value}
		again, err := e.move(r, m)
		if err != nil {
			return tooLarge(err)
		}
		if m.answer != nil {
			return s.resolvable(nodeID) // the run was over its time before the answer came
		}
		if again {
			e.wake(r)
		}
		snapshot = s.Snapshot()
		return nil
	})
	return snapshot, err
}

// resolvable refuses where no interrupt is open at a node.
func (s *State) resolvable(nodeID string) error {
	n := s.node(nodeID)
	refuse := func(code, format string) error {
		return refuse(code, fmt.Sprintf(format, nodeID, s.runID), "runId", s.runID, "nodeId", nodeID)
	}
	switch {
	case n != nil && s.Waiting() && n.status == nodeSuspended:
		return nil
	case n != nil && n.gone:
		return refuse(CodeInterruptGone, "nobody waits at node %q any more: run %s was stopped")
	case n != nil && n.resolved > 0:
		return refuse(CodeInterruptResolved, "node %q of run %s was answered before")
	default:
		return refuse(CodeInterruptNotFound, "no interrupt is open at node %q of run %s")
	}
}
