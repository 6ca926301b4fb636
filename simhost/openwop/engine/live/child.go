package live

import (
	"context"
	"errors"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/step"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/refusal"
)

// children looks after the children of runs, here and on other hosts.
type children struct{ *Engine }

// lookAfterChild does for the child of a handoff what the parent's log says is to be done: it creates it, stops it, or
// looks how it is. It may be done any number of times. nil means that there is nothing to look after. The caller has the
// parent's lock.
func (e children) lookAfterChild(ctx context.Context, r *liveRun) (*step.ChildReport, error) {
	s := &r.state
	c := s.Loop.Child
	if s.Loop.Phase != state.PhaseDispatching || c == nil || c.Phase.Over() || r.tape.Covers(s) {
		return nil, nil
	}
	if c.Remote != nil {
		return e.lookAbroad(r, c), nil
	}
	report, err := e.lookFor(ctx, r, c)
	if err != nil {
		return nil, err
	}
	return report, e.stores.bringBack(ctx, s, report)
}

// lookFor is lookAfterChild for the child itself.
func (e children) lookFor(ctx context.Context, r *liveRun, c *state.Child) (*step.ChildReport, error) {
	switch {
	case c.Phase == state.ChildRunning && r.state.Inherits():
		return e.lookAfterHeir(ctx, r, c)
	case r.state.Stop != nil:
		return e.stopChild(ctx, r, c.RunID)
	case c.Phase == state.ChildAnnounced:
		return e.createChild(ctx, r, c)
	default:
		return e.lookAt(ctx, c.RunID)
	}
}

// lookAfterHeir looks after the child of a branch that stands for one of its source that was under way: it is created, and
// stopped where the branch is to stop.
func (e children) lookAfterHeir(ctx context.Context, r *liveRun, c *state.Child) (*step.ChildReport, error) {
	report, err := e.lookAt(ctx, c.RunID)
	if refused := (*refusal.Error)(nil); errors.As(err, &refused) && refused.Code == codes.NotFound {
		report, err = e.createChild(ctx, r, c)
	}
	if err != nil || report.Refused != nil || r.state.Stop == nil {
		return report, err
	}
	return e.stopChild(ctx, r, c.RunID)
}

// createHeir creates that child before anybody can read of it in the log of the branch. The caller has the branch's lock.
func (e children) createHeir(r *liveRun) {
	again, err := e.advanceOnce(e.ctx, r)
	if err != nil {
		e.o.OnError(err) // the branch is tried again
	}
	if again {
		e.wake(r)
	}
}

// createChild creates the announced child, unless that has been done before.
func (e children) createChild(ctx context.Context, r *liveRun, c *state.Child) (*step.ChildReport, error) {
	parent := &state.Parent{RunID: r.id, WorkerID: c.WorkerID, Depth: r.state.Depth() + 1}
	if parent.Depth > step.MaxDepth {
		return &step.ChildReport{Refused: codes.Failure(codes.TooDeep, "runs dispatch runs %d deep: more than this host follows",
			parent.Depth)}, nil
	}
	line, err := e.stores.handDown(ctx, &r.state, c.RunID)
	if err != nil {
		return nil, err
	}
	child, err := e.create(c.RunID, Create{WorkflowID: c.WorkerID, Inputs: c.Inputs, Owner: r.state.Owner,
		Trace: r.state.Created.Trace, memory: line, ahead: r.state.Ahead}, parent)
	if refused := (*refusal.Error)(nil); errors.As(err, &refused) {
		return &step.ChildReport{Refused: step.WordRefusal(refused)}, nil
	}
	if errors.Is(err, eventlog.ErrConflict) {
		defer e.wakeID(c.RunID) // whoever created it may be gone
		return e.lookAt(ctx, c.RunID)
	}
	if err != nil {
		return nil, err
	}
	child.mu.Lock()
	defer child.mu.Unlock()
	return e.reportOf(child), nil
}

func (e children) lookAt(ctx context.Context, id string) (report *step.ChildReport, err error) {
	err = e.with(ctx, id, func(child *liveRun) error {
		report = e.reportOf(child)
		return nil
	})
	return report, err
}

// parentCancelled is the reason that a run gives which ended because the run above it was stopped.
const parentCancelled = "parent-cancelled"

// stopChild asks a child to end, and everything below it. The caller has the parent's lock.
func (e children) stopChild(ctx context.Context, parent *liveRun, id string) (report *step.ChildReport, err error) {
	err = e.with(ctx, id, func(child *liveRun) error {
		below := rules.Descendant{Depth: parent.state.Depth() + 1, Waits: child.waiting(), Paused: child.state.Paused != nil}
		if !e.o.Rules.Handoff.Stops(below) {
			report = child.report()
			report.Status = openwopv1.RunStatusCancelled
			return nil
		}
		err := e.halt(ctx, child, &state.Stop{Why: state.StopCancelled, Reason: parentCancelled, ParentRunID: parent.id})
		report = e.reportOf(child)
		return err
	})
	if refused := (*refusal.Error)(nil); errors.As(err, &refused) && refused.Code == codes.NotFound {
		return &step.ChildReport{Refused: codes.Failure(codes.NotCreated, "the parent was stopped before this child was created")}, nil
	}
	return report, err
}

// report is what the parent sees. The caller has the run's lock.
func (r *liveRun) report() *step.ChildReport {
	s := &r.state
	return &step.ChildReport{
		Status: s.Status, Variables: s.Variables, Outputs: s.Outputs, Err: s.Err, Memory: s.Created.Memory, Remembers: s.Memory,
	}
}
