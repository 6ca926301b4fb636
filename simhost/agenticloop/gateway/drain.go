package gateway

import (
	"context"
	"fmt"
	"time"
)

// TooManyError: the gateway ran as many turns as it may, and jobs are left.
type TooManyError struct{ Turns int }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("%d turns were run and the queue is not empty: pipelines that set each other off never end; if this "+
		"is no such case, allow more turns", e.Turns)
}

// Drain runs jobs until none is queued. It fails with a CrashError where a crash was asked for, with a TooManyError, with
// what the log says, or with ctx's cause; what was under way is then stopped, and found running by the next gateway.
func (g *Gateway) Drain(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ended := make(chan error)
	running := 0
	var failed error
	for {
		for failed == nil && running < g.o.Workers {
			t, err := g.claim(ctx)
			if err != nil {
				failed = err
			}
			if t == nil {
				break
			}
			running++
			go func() { ended <- t.run(ctx) }()
		}
		if failed != nil {
			stop(failed)
		}
		if running > 0 {
			if err := <-ended; err != nil && failed == nil {
				failed = err
			}
			running--
			continue
		}
		if failed != nil {
			return failed
		}
		if again, err := g.idle(ctx); err != nil || !again {
			return err
		}
	}
}

// claim begins the job that has waited longest of those that may run; nil where there is none.
func (g *Gateway) claim(ctx context.Context) (*turn, error) {
	var t *turn
	err := g.append(ctx, func(s *State, r *Record) error {
		t = nil
		i := g.first(s, r.At)
		if i < 0 {
			return nil
		}
		if s.Turns-g.turns >= g.o.MaxTurns {
			return &TooManyError{g.o.MaxTurns}
		}
		r.Claimed = &Claimed{Job: s.Jobs[i].ID}
		t = &turn{g: g, job: s.Jobs[i], number: s.Turns + 1}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// first is the place of the first job in the queue that may run, -1 where there is none. One that waits for a retry does
// not hold up the others; nor does one whose plugin runs and must not run twice at a time.
func (g *Gateway) first(s *State, now time.Time) int {
	busy := map[string]bool{}
	for _, j := range s.Jobs {
		if j.Status == Running && g.plugins[j.Plugin].Serial {
			busy[j.Plugin] = true
		}
	}
	for i := range s.Jobs {
		if s.Jobs[i].ready(now) && !busy[s.Jobs[i].Plugin] {
			return i
		}
	}
	return -1
}

// idle waits for the next retry, if there is one to wait for.
func (g *Gateway) idle(ctx context.Context) (again bool, err error) {
	var due time.Time
	err = g.states.View(ctx, logName, func(s *State) error {
		for _, j := range s.Jobs {
			if j.Status == Queued && (due.IsZero() || j.NextRetryAt.Before(due)) {
				due, again = j.NextRetryAt, true
			}
		}
		return nil
	})
	switch {
	case err != nil || !again:
		return false, err
	case !due.After(g.o.Clock.Now()): // it came due meanwhile, or was queued just now
		return true, nil
	case g.o.Idle != nil:
		g.o.Idle(due)
		return true, nil
	}
	rung := make(chan struct{})
	timer := g.o.Clock.At(due, func() { close(rung) })
	defer timer.Stop()
	select {
	case <-rung:
	case <-g.woken:
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	return true, nil
}
