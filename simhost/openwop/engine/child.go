package engine

import (
	"context"
	"errors"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/refusal"
)

// maxDepth bounds how deep children may dispatch children. A workflow that dispatches itself ends there.
const maxDepth = 16

// lookAfterChild does for the child of a handoff what the parent's log says is to be done: it creates it, stops it, or
// looks how it is. It may be done any number of times. nil means that there is nothing to look after. The caller has the
// parent's lock.
func (e *Engine) lookAfterChild(ctx context.Context, r *liveRun) (*childReport, error) {
	s := &r.state
	c := s.loop.child
	if s.loop.phase != phaseDispatching || c == nil || c.Phase.over() || r.tape.covers(s) {
		return nil, nil
	}
	if c.Remote != nil {
		return e.lookAbroad(r, c), nil
	}
	report, err := e.lookFor(ctx, r, c)
	if err != nil {
		return nil, err
	}
	return report, e.bringBack(ctx, s, report)
}

// lookFor is lookAfterChild for the child itself.
func (e *Engine) lookFor(ctx context.Context, r *liveRun, c *Child) (*childReport, error) {
	switch {
	case c.Phase == childRunning && r.state.inherits():
		return e.lookAfterHeir(ctx, r, c)
	case r.state.stop != nil:
		return e.stopChild(ctx, r, c.RunID)
	case c.Phase == childAnnounced:
		return e.createChild(ctx, r, c)
	default:
		return e.lookAt(ctx, c.RunID)
	}
}

// lookAfterHeir looks after the child of a branch that stands for one of its source that was under way: it is created, and
// stopped where the branch is to stop.
func (e *Engine) lookAfterHeir(ctx context.Context, r *liveRun, c *Child) (*childReport, error) {
	report, err := e.lookAt(ctx, c.RunID)
	if refused := (*refusal.Error)(nil); errors.As(err, &refused) && refused.Code == CodeNotFound {
		report, err = e.createChild(ctx, r, c)
	}
	if err != nil || report.refused != nil || r.state.stop == nil {
		return report, err
	}
	return e.stopChild(ctx, r, c.RunID)
}

// createHeir creates that child before anybody can read of it in the log of the branch. The caller has the branch's lock.
func (e *Engine) createHeir(r *liveRun) {
	again, err := e.advanceOnce(e.ctx, r)
	if err != nil {
		e.o.OnError(err) // the branch is tried again
	}
	if again {
		e.wake(r)
	}
}

// createChild creates the announced child, unless that has been done before.
func (e *Engine) createChild(ctx context.Context, r *liveRun, c *Child) (*childReport, error) {
	parent := &Parent{RunID: r.id, WorkerID: c.WorkerID, Depth: r.state.depth() + 1}
	if parent.Depth > maxDepth {
		return &childReport{refused: failure(codeTooDeep, "runs dispatch runs %d deep: more than this host follows", parent.Depth)}, nil
	}
	line, err := e.handDown(ctx, &r.state, c.RunID)
	if err != nil {
		return nil, err
	}
	child, err := e.create(c.RunID, Create{WorkflowID: c.WorkerID, Inputs: c.Inputs, Owner: r.state.owner,
		Trace: r.state.created.Trace, memory: line}, parent)
	if refused := (*refusal.Error)(nil); errors.As(err, &refused) {
		return &childReport{refused: wordRefusal(refused)}, nil
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

// wordRefusal words for the parent's log why a child was not created.
func wordRefusal(e *refusal.Error) *openwopv1.EventError {
	code := e.Code
	if code == CodeNotFound {
		code = codeUnknownWork
	}
	return &openwopv1.EventError{Code: code, Message: e.Message, Details: e.Details}
}

func (e *Engine) lookAt(ctx context.Context, id string) (report *childReport, err error) {
	err = e.with(ctx, id, func(child *liveRun) error {
		report = e.reportOf(child)
		return nil
	})
	return report, err
}

// stopChild asks a child to end, and everything below it. The caller has the parent's lock.
func (e *Engine) stopChild(ctx context.Context, parent *liveRun, id string) (report *childReport, err error) {
	if !e.o.Rules.Handoff.Stops(parent.state.depth() + 1) {
		return &childReport{status: openwopv1.RunStatusCancelled}, nil
	}
	reason, names := e.o.Rules.Handoff.Because(parent.id)
	err = e.with(ctx, id, func(child *liveRun) error {
		if !e.o.Rules.Gates.Cascades(child.waiting()) {
			report = child.report()
			report.status = openwopv1.RunStatusCancelled
			return nil
		}
		err := e.halt(ctx, child, &Stop{Why: stopCancelled, Reason: reason, ParentRunID: names})
		report = e.reportOf(child)
		return err
	})
	if refused := (*refusal.Error)(nil); errors.As(err, &refused) && refused.Code == CodeNotFound {
		return &childReport{refused: failure(codeNotCreated, "the parent was stopped before this child was created")}, nil
	}
	return report, err
}

// report is what the parent sees. The caller has the run's lock.
func (r *liveRun) report() *childReport {
	s := &r.state
	return &childReport{
		status: s.status, variables: s.variables, outputs: s.outputs, err: s.err, memory: s.created.Memory, remembers: s.memory,
	}
}
