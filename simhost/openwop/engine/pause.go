package engine

import (
	"context"
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
)

// Pause is a wish that a run stand still, or that it do not after all.
type Pause struct {
	Reason string `json:"reason,omitzero"`
	// Drain lets the node under way finish first; a node that waits for an answer does not count as under way.
	Drain bool `json:"drain,omitzero"`
	// Withdrawn takes back the wish before it, which the run had not come to yet.
	Withdrawn bool `json:"withdrawn,omitzero"`
}

// Pause has a run stand still: at once, or when the node under way has ended. What the run waits for goes on meanwhile, its
// children do, and its bound on time, but nothing that comes of it is taken up before Continue; an answer is refused. A run
// that was to be paused when its node has ended, and now is to be at once, is. Refusals: not_found; run_terminal where it
// has ended or is being stopped, and run_paused where it stands still already, both with details.runStatus.
func (e *Engine) Pause(ctx context.Context, runID string, p Pause) (openwopv1.RunSnapshot, error) {
	c := &e.o.Rules.Control
	return e.hold(ctx, runID, func(s *State) (*move, error) {
		err := refuseStopped(s)
		if err == nil && s.paused != nil {
			err = refusePause(s, CodeRunPaused, "stands still already")
		}
		switch {
		case err != nil && c.Paused(s.status):
			return nil, err
		case err != nil: // it stands still, and nothing is new
			return nil, nil
		case s.pausing != nil && (p.Drain || !s.pausing.Drain): // nothing new
			return nil, nil
		}
		return &move{pause: &p}, nil
	})
}

// Continue has a run go on that was paused, or that was about to be. Refusals: not_found; run_terminal, and run_not_paused
// where it does not stand still, both with details.runStatus.
func (e *Engine) Continue(ctx context.Context, runID string) (openwopv1.RunSnapshot, error) {
	return e.hold(ctx, runID, func(s *State) (*move, error) {
		if err := refuseStopped(s); err != nil {
			return nil, err
		}
		switch {
		case s.paused != nil:
			return &move{unpause: true}, nil
		case s.pausing != nil:
			return &move{pause: &Pause{Withdrawn: true}}, nil
		}
		return nil, refusePause(s, CodeRunNotPaused, "does not stand still")
	})
}

// hold makes the move that a wish about standing still comes to; nil is none.
func (e *Engine) hold(ctx context.Context, runID string, wish func(*State) (*move, error)) (snapshot openwopv1.RunSnapshot, err error) {
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
			if m.pause != nil || m.unpause {
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
	for again := true; err == nil && again && r.tape.covers(&r.state); {
		again, err = e.advanceOnce(ctx, r)
	}
	return err
}

// refuseStopped refuses where the run has ended, or is about to.
func refuseStopped(s *State) error {
	if s.Ended() || s.stop != nil || s.failing != nil {
		return refusePause(s, CodeRunTerminal, "has ended, or is about to")
	}
	return nil
}

func refusePause(s *State, code, why string) error {
	return refuse(code, fmt.Sprintf("run %s %s", s.runID, why), "runId", s.runID, "runStatus", s.status)
}

// refusePaused refuses an answer to a run that stands still.
func refusePaused(s *State) error {
	if s.rules.Control.Takes(s.paused != nil) {
		return nil
	}
	return refusePause(s, CodeRunPaused, "is paused: have it go on, then answer")
}

// paused is a run that stands still.
type paused struct {
	before openwopv1.RunStatus // the status it had, and has again when it goes on
	next   int64               // sequence of the next event then
}

// pausesAsRecorded tells whether the source was paused here, or went on: a fork does so as well, and does not stand still
// in between. What the source did right before, without an event, is taken over with it.
func (m *move) pausesAsRecorded() bool {
	return m.recorded(openwopv1.RunEventTypeRunPaused) || m.s.paused != nil && m.recorded(openwopv1.RunEventTypeRunResumed)
}

// wishes notes what was wished for, once.
func (m *move) wishes() wait {
	wish := m.pause
	m.pause = nil
	return m.learn(Fact{Pause: wish})
}

// pausesNow tells whether the run has come to where it is to stand still.
func (m *move) pausesNow() bool {
	wish := m.s.pausing
	return wish != nil && !m.replaying() && m.rules.Control.Pauses(wish.Drain, working(m.s), m.s.Waiting())
}

// holds tells whether a run that stands still takes no step.
func (m *move) holds() bool {
	return m.unpause || m.replaying() || m.rules.Control.Holds(m.s.timed() != nil, m.s.next-m.s.paused.next)
}

// timed is the node under way that waits for a time, nil where there is none.
func (s *State) timed() *node {
	for i, n := range s.nodes {
		if n.status == nodeRunning && !n.due.IsZero() {
			return &s.program.nodes[i]
		}
	}
	return nil
}

// working tells whether a node is under way that does not wait for an answer.
func working(s *State) bool {
	for _, n := range s.nodes {
		if n.status == nodeRunning {
			return true
		}
	}
	return false
}

func (m *move) standStill() wait {
	p := &openwopv1.RunPausedPayload{}
	if reason := m.rules.Control.Reason(openwopv1.RunEventTypeRunPaused, m.s.pausing.Reason); reason != "" {
		p.Reason = &reason
	}
	return m.emit(openwopv1.RunEventTypeRunPaused, "", "", p)
}

// stands goes on with a run that stands still, if somebody has asked for it.
func (m *move) stands() wait {
	switch {
	case m.unpause && !m.replaying():
		m.unpause = false
		if !m.rules.Control.Logs() {
			return m.learn(Fact{Pause: &Pause{Withdrawn: true}})
		}
		return m.emit(openwopv1.RunEventTypeRunResumed, "", eventID(m.s.runID, m.s.next-1), &openwopv1.RunResumedPayload{})
	case m.replaying():
		return m.diverge()
	default:
		return waitsToGoOn
	}
}

func (s *State) learnPause(p Pause) {
	s.pausing = &p
	if p.Withdrawn {
		s.pausing = nil
		s.goesOn()
	}
}

func (s *State) pauses() {
	s.pausing, s.paused, s.stood = nil, &paused{before: s.status, next: s.next}, true
	s.status = openwopv1.RunStatusPaused
}

func (s *State) goesOn() {
	if s.paused != nil {
		s.status, s.paused = s.paused.before, nil
	}
}
