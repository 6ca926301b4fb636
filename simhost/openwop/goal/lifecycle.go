package goal

import (
	"context"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
)

// Get returns a goal. Refusal: CodeNotFound.
func (g *Goals) Get(ctx context.Context, id string) (shown openwopv1.Goal, err error) {
	err = g.look(ctx, id, func(s *state) { shown = s.show() })
	return shown, err
}

// Events returns the events of a goal in order. The caller must not change them. Refusal: CodeNotFound.
func (g *Goals) Events(ctx context.Context, id string) (events []openwopv1.GoalEvent, err error) {
	err = g.look(ctx, id, func(s *state) { events = slices.Clip(s.events) })
	return events, err
}

// List returns the goals in a state, or all of them where it is "", in the order of their creation.
func (g *Goals) List(ctx context.Context, in openwopv1.GoalState) ([]openwopv1.Goal, error) {
	leave, err := g.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	shown := []openwopv1.Goal{}
	err = g.view(ctx, func(b *board) error {
		for _, s := range b.order {
			if in == "" || in == s.status {
				shown = append(shown, s.show())
			}
		}
		return nil
	})
	return shown, err
}

// look shows one goal.
func (g *Goals) look(ctx context.Context, id string, see func(*state)) error {
	leave, err := g.enter()
	if err != nil {
		return err
	}
	defer leave()
	return g.view(ctx, func(b *board) error {
		s, err := b.find(id)
		if err == nil {
			see(s)
		}
		return err
	})
}

// ask is change for a caller who wants to see the goal after it.
func (g *Goals) ask(ctx context.Context, id string, decide func(*state) (*record, error)) (openwopv1.Goal, error) {
	leave, err := g.enter()
	if err != nil {
		return openwopv1.Goal{}, err
	}
	defer leave()
	o, err := g.change(ctx, id, decide)
	return o.goal, err
}

// Pause lets no run follow; that the goal is paused already is fine. Refusals: CodeNotFound, CodeClosed.
func (g *Goals) Pause(ctx context.Context, id string) (openwopv1.Goal, error) {
	return g.ask(ctx, id, func(s *state) (*record, error) {
		switch {
		case !s.active():
			return nil, closed(s, "no run follows anyway")
		case s.paused:
			return nil, nil
		}
		return &record{At: g.now(s.ahead), Paused: new(true)}, nil
	})
}

// Abandon gives up a goal that is active or escalated; that it was given up already is fine. Refusals: CodeNotFound,
// CodeClosed.
func (g *Goals) Abandon(ctx context.Context, id string) (openwopv1.Goal, error) {
	return g.ask(ctx, id, func(s *state) (*record, error) {
		switch s.status {
		case openwopv1.GoalStateAbandoned:
			return nil, nil
		case openwopv1.GoalStateActive, openwopv1.GoalStateEscalated:
			return &record{At: g.now(s.ahead), Closed: openwopv1.GoalStateAbandoned}, nil
		}
		return nil, closed(s, "there is nothing left to give up")
	})
}

// ReArm lets runs follow again. Of a paused goal it ends the pause; of an active one that is not paused it changes nothing.
// An escalated goal goes on once the run that is stuck has ended, which is then judged, and may end the goal. Refusals:
// CodeNotFound; CodeClosed, also as long as the stuck run waits for a person.
func (g *Goals) ReArm(ctx context.Context, id string) (openwopv1.Goal, error) {
	leave, err := g.enter()
	if err != nil {
		return openwopv1.Goal{}, err
	}
	defer leave()
	var stuck string
	if err := g.look(ctx, id, func(s *state) {
		if s.status == openwopv1.GoalStateEscalated {
			stuck = s.stuck
		}
	}); err != nil {
		return openwopv1.Goal{}, err
	}
	var found *verdict
	if stuck != "" {
		if found, err = g.answered(ctx, stuck); err != nil {
			return openwopv1.Goal{}, err
		}
	}
	return g.ask(ctx, id, func(s *state) (*record, error) {
		r := &record{At: g.now(s.ahead)}
		switch {
		case s.active() && !s.paused:
			return nil, nil
		case !g.o.Rules.Resumes(s.status):
			return nil, closed(s, "it cannot be resumed")
		case s.active():
			r.Paused = new(false)
		case s.status != openwopv1.GoalStateEscalated:
			r.ReArmed = true
		case found == nil || found.RunID != s.stuck: // nobody has answered; or it got stuck since it was looked at
			return nil, closed(s, "it goes on once somebody has answered")
		default:
			r.ReArmed, r.Paused = true, new(false)
			r.Judged, r.Closed = found, s.ending(*found, r.At)
		}
		return r, nil
	})
}

// answered is the verdict on a run that was stuck; nil as long as it is. It waits for a run that goes on since.
func (g *Goals) answered(ctx context.Context, runID string) (*verdict, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(g.ctx, cancel)()
	settled, err := g.settled(ctx, runID)
	if err != nil {
		return nil, err
	}
	return g.judge(settled)
}
