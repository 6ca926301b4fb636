package live

import (
	"context"
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/step"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// Pause has a run stand still: at once, or when the node under way has ended. What the run waits for goes on meanwhile, its
// children do, and its bound on time, but nothing that comes of it is taken up before Continue; an answer is refused. A run
// that was to be paused when its node has ended, and now is to be at once, is. Refusals: not_found; run_terminal where it
// has ended or is being stopped, and run_paused where it stands still already, both with details.runStatus.
func (e *Engine) Pause(ctx context.Context, runID string, p state.Pause) (openwopv1.RunSnapshot, error) {
	return e.hold(ctx, runID, func(s *state.State) (*step.Move, error) {
		if err := refuseStopped(s); err != nil {
			return nil, err
		}
		switch {
		case s.Paused != nil:
			return nil, refusePause(s, codes.RunPaused, "stands still already")
		case s.Pausing != nil && (p.Drain || !s.Pausing.Drain): // nothing new
			return nil, nil
		}
		return &step.Move{Seen: step.Seen{Pause: &p}}, nil
	})
}

// Continue has a run go on that was paused, or that was about to be. Refusals: not_found; run_terminal, and run_not_paused
// where it does not stand still, both with details.runStatus.
func (e *Engine) Continue(ctx context.Context, runID string) (openwopv1.RunSnapshot, error) {
	return e.hold(ctx, runID, func(s *state.State) (*step.Move, error) {
		if err := refuseStopped(s); err != nil {
			return nil, err
		}
		switch {
		case s.Paused != nil:
			return &step.Move{Seen: step.Seen{Unpause: true}}, nil
		case s.Pausing != nil:
			return &step.Move{Seen: step.Seen{Pause: &state.Pause{Withdrawn: true}}}, nil
		}
		return nil, refusePause(s, codes.RunNotPaused, "does not stand still")
	})
}

// hold makes the move that a wish about standing still comes to; nil is none.
func (e *Engine) hold(ctx context.Context, runID string, wish func(*state.State) (*step.Move,
	error)) (snapshot openwopv1.RunSnapshot, err error) {
	leave, err := e.enter()
	if err != nil {
		return snapshot, err
	}
	defer leave()
	err = e.with(ctx, runID, func(r *liveRun) error {
		if err := e.catchUp(ctx, r); err != nil {
			return err
		}
		s := &r.state
		m, err := wish(s)
		if m != nil {
			if _, err = e.move(r, m); err != nil {
				return tooLarge(err)
			}
			e.wake(r) // a run that goes on looks after its child first; one that stops has its child to stop
			if m.Pause != nil || m.Unpause {
				err = refuseStopped(s) // the run was over its time before the wish came
			}
		}
		snapshot = s.Snapshot()
		return err
	})
	return snapshot, err
}

// catchUp takes a fork to where its source leaves it to itself: what its source did would undo a wish before that. The caller
// has the run's lock.
func (e *Engine) catchUp(ctx context.Context, r *liveRun) (err error) {
	for again := true; err == nil && again && r.tape.Covers(&r.state); {
		again, err = e.advanceOnce(ctx, r)
	}
	return err
}

// refuseStopped refuses where the run has ended, or is about to.
func refuseStopped(s *state.State) error {
	if s.Ended() || s.Stop != nil || s.Failing != nil {
		return refusePause(s, codes.RunTerminal, "has ended, or is about to")
	}
	return nil
}

func refusePause(s *state.State, code, why string) error {
	return codes.Refuse(code, fmt.Sprintf("run %s %s", s.RunID, why), "runId", s.RunID, "runStatus", s.Status)
}

// refusePaused refuses an answer to a run that stands still.
func refusePaused(s *state.State) error {
	if s.Paused == nil || !s.Rules.Control.Holds(rules.Standing{Answer: true}) {
		return nil
	}
	return refusePause(s, codes.RunPaused, "is paused: have it go on, then answer")
}
