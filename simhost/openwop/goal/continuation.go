package goal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// A schedule is an armRef "every:<duration>", the duration as Go writes it. The form is ours: the protocol says only that it
// refers to a job.
const (
	everyPrefix      = "every:"
	shortestInterval = 50 * time.Millisecond
	longestInterval  = 366 * 24 * time.Hour
)

// interval reads the armRef of a schedule.
func interval(armRef *string) (time.Duration, error) { return durationOf(armRef, everyPrefix) }

// durationOf reads an armRef of that form.
func durationOf(armRef *string, prefix string) (time.Duration, error) {
	if armRef == nil {
		return 0, errors.New("there is none")
	}
	text, ok := strings.CutPrefix(*armRef, prefix)
	every, err := time.ParseDuration(text)
	switch {
	case !ok:
		return 0, fmt.Errorf("it does not begin with %q", prefix)
	case err != nil:
		return 0, err
	case every < shortestInterval || every > longestInterval:
		return 0, fmt.Errorf("an interval is %s to %s", shortestInterval, longestInterval)
	}
	return every, nil
}

// checkContinuation refuses ways to go on that this host does not have.
func (g *Goals) checkContinuation(next openwopv1.GoalContinuation) error {
	const mode, arm = "continuation.mode", "continuation.armRef"
	switch {
	case next.Mode == openwopv1.GoalContinuationModeManual && next.ArmRef != nil:
		return invalid(arm, "mode %q has nothing that fires by itself: leave it off", next.Mode)
	case next.Mode == openwopv1.GoalContinuationModeManual:
	case next.Mode == openwopv1.GoalContinuationModeSchedule:
		if _, err := interval(next.ArmRef); err != nil {
			return invalid(arm, "give the interval of a schedule as %s1h30m: %v", everyPrefix, err)
		}
	case next.Mode == openwopv1.GoalContinuationModeCommitment && g.o.Commitments:
		return checkCommitment(next.ArmRef)
	case !g.o.Rules.Takes(mode, next.Mode == openwopv1.GoalContinuationModeHeartbeat && g.o.Heartbeats):
		return invalid(mode, "this host has no goals of mode %q: take one that discovery lists under agents.goals.continuation", next.Mode)
	case next.Mode == openwopv1.GoalContinuationModeHeartbeat && (next.ArmRef == nil || *next.ArmRef == ""):
		return invalid(arm, "name the heartbeat by which the goal goes on")
	}
	return nil
}

// checkEnds refuses a schedule that would go on for ever: the runs that it fires cost nothing, so a bound of cost alone is
// never reached. What falls due again and again is no better.
func checkEnds(next openwopv1.GoalContinuation, b openwopv1.GoalBounds) error {
	timed := next.Mode == openwopv1.GoalContinuationModeSchedule || next.Mode == openwopv1.GoalContinuationModeCommitment
	if timed && b.MaxLoopIterations == nil && b.RunTimeoutMs == nil {
		return invalid("bounds", "a goal of mode %q needs maxLoopIterations or runTimeoutMs: its own runs cost nothing", next.Mode)
	}
	return nil
}

// due is when time itself fires the next run of a goal, by the goal's own clock; false where it does not. The moments of a
// schedule lie an interval apart, from when the goal was last set going: those that pass while the host is down, or while a
// run is under way, come to one run.
func (s *state) due() (time.Time, bool) {
	if !s.fires() || s.held(s.Continuation.Mode) || !s.recurs() {
		return time.Time{}, false
	}
	after, ok := recurs(s.Continuation)
	return s.anchor.Add(after), ok
}

// slot is the latest moment of the schedule that has come, or that of the commitment; false where none has since the last
// run.
func (s *state) slot(at time.Time) (time.Time, bool) {
	due, ok := s.due()
	if !ok || at.Before(due) {
		return time.Time{}, false
	}
	if s.commits() {
		return due, true
	}
	every := due.Sub(s.anchor)
	return s.anchor.Add(at.Sub(s.anchor).Truncate(every)), true
}

// keep fires the run that the schedule of a goal has come to, if it has.
func (g *Goals) keep(id string) error {
	due := false
	if err := g.look(g.ctx, id, func(s *state) { _, due = s.slot(g.now(s.ahead)) }); err != nil || !due {
		return err
	}
	_, err := g.fire(g.ctx, id, func(s *state, r *record) (due bool) {
		r.Slot, due = s.slot(r.At)
		return due
	})
	return err
}

// Beat has every goal that goes on by this heartbeat, and is not paused, fire a run. change names what the heartbeat saw: it
// fires one run of a goal however often it is told. Beat returns when the runs have been judged.
func (g *Goals) Beat(ctx context.Context, heartbeat, change string) error {
	leave, err := g.enter()
	if err != nil {
		return err
	}
	defer leave()
	armed, err := g.armedBy(ctx, func(s *state) bool { return s.beats(heartbeat) })
	if err != nil {
		return err
	}
	for _, id := range armed {
		if _, err := g.fire(ctx, id, func(s *state, r *record) bool {
			r.Beat = change
			return s.beats(heartbeat) && s.beat != change
		}); err != nil {
			return fmt.Errorf("go on with goal %s: %w", id, err)
		}
	}
	return nil
}

// armedBy are the active goals that go on by that.
func (g *Goals) armedBy(ctx context.Context, by func(*state) bool) (armed []string, err error) {
	err = g.view(ctx, func(b *board) error {
		for _, s := range b.order {
			if s.fires() && by(s) {
				armed = append(armed, s.id)
			}
		}
		return nil
	})
	return armed, err
}

func (s *state) beats(heartbeat string) bool {
	return s.goesOnBy(openwopv1.GoalContinuationModeHeartbeat, heartbeat)
}

func (s *state) goesOnBy(mode openwopv1.GoalContinuationMode, arm string) bool {
	c := s.Continuation
	return c.Mode == mode && c.ArmRef != nil && *c.ArmRef == arm && s.recurs()
}

// recurs tells whether the goal goes on by itself, as its mode says.
func (s *state) recurs() bool {
	return s.rules.Fires(rules.Firing{State: s.status, Mode: s.Continuation.Mode, ByItself: true, Runs: len(s.runs)})
}

// fire has an active goal that is not paused fire a run that nobody scripted, and has it judged; not where when says no. ctx
// is heard until it is the goal's turn.
func (g *Goals) fire(ctx context.Context, id string, when func(*state, *record) bool) (Ticked, error) {
	release, err := g.take(ctx, id)
	if err != nil {
		return Ticked{}, err
	}
	defer release()
	return g.advance(id, func() (outcome, error) {
		return g.change(context.Background(), id, func(s *state) (*record, error) {
			r := &record{At: g.now(s.ahead), Fired: &script{}}
			switch {
			case s.begun != nil:
				return nil, errUnderWay
			case !s.fires() || s.held(s.Continuation.Mode) || !when(s, r):
				return nil, nil
			case s.late(r.At):
				r.Fired, r.Closed = nil, openwopv1.GoalStateBoundExceeded
			}
			return r, nil
		})
	})
}
