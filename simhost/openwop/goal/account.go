package goal

import (
	"context"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
)

// Account is a goal as its log tells it, for people who look at the host from inside.
type Account struct {
	Goal    openwopv1.Goal
	Paused  bool
	CostUSD float64
	// Ahead is by how much the goal's own clock is ahead of the host's.
	Ahead time.Duration
	// Next is when time itself fires the next run, by the clock of the host; zero where it does not.
	Next time.Time
	// Events are those of its log, in order. The caller must not change them.
	Events []openwopv1.GoalEvent
}

// Accounts returns all goals, in the order of their creation.
func (g *Goals) Accounts(ctx context.Context) (all []Account, err error) {
	leave, err := g.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	err = g.view(ctx, func(b *board) error {
		for _, s := range b.order {
			a := Account{Goal: s.show(), Paused: s.paused, CostUSD: s.cost, Ahead: s.ahead, Events: slices.Clip(s.events)}
			if due, ok := s.due(); ok {
				a.Next = due.Add(-s.ahead)
			}
			all = append(all, a)
		}
		return nil
	})
	return all, err
}
