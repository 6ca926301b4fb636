package engine

import (
	"context"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/openintent/suspension"
)

// LogName is the name of the one log of the engine.
const LogName = logName

// Account is an intent as the log tells it, for people who look at the server from inside.
type Account struct {
	Intent  openintentv1.Intent
	Updated time.Time
	// Ahead is by how much the intent's own clock is ahead of the host's.
	Ahead time.Duration
	// Waits is what the intent waits for; nil where it waits for nobody.
	Waits *suspension.Record
	// Attempt is the number of the last reminder of that, from 1; Due is when the next thing about it happens, by the
	// intent's clock, zero where nothing does.
	Attempt int
	Due     time.Time
	// Children and Dependents are those that are below it, and those that wait for it.
	Children, Dependents []string
}

func (e *Engine) account(w *world, in *Intent) Account {
	a := Account{
		Intent: w.intentDoc(in), Updated: in.Updated, Ahead: in.Ahead,
		Children: slices.Clone(w.children[in.ID]), Dependents: slices.Clone(w.dependents[in.ID]),
	}
	r, ok := in.record()
	if !ok || r.Resolution != "" || in.Status != Suspended {
		return a
	}
	a.Waits = &r
	if in.Live != nil {
		a.Attempt = in.Live.Attempt
		if at, ok := e.dueOf(in.Live); ok && e.offers(Notifier) {
			a.Due = at
		}
	}
	return a
}

// Accounts returns the intents that changed last, n at most, the last one first, and how many there are.
func (e *Engine) Accounts(ctx context.Context, n int) (all []Account, total int, err error) {
	err = e.view(ctx, func(w *world) error {
		latest := make([]*Intent, 0, len(w.intents))
		for _, in := range w.intents {
			latest = append(latest, in)
		}
		slices.SortFunc(latest, func(a, b *Intent) int {
			if c := b.Updated.Compare(a.Updated); c != 0 {
				return c
			}
			return slices.Compare([]byte(a.ID), []byte(b.ID))
		})
		total = len(latest)
		for _, in := range latest[:min(n, total)] {
			all = append(all, e.account(w, in))
		}
		return nil
	})
	return all, total, err
}

// Waiting returns the intents that wait for an answer, the one that waits longest first.
func (e *Engine) Waiting(ctx context.Context) (all []Account, err error) {
	err = e.view(ctx, func(w *world) error {
		var waiting []*Intent
		for id := range w.waiting {
			waiting = append(waiting, w.intents[id])
		}
		slices.SortFunc(waiting, func(a, b *Intent) int {
			if c := a.SuspendedSince.Compare(b.SuspendedSince); c != 0 {
				return c
			}
			return slices.Compare([]byte(a.ID), []byte(b.ID))
		})
		for _, in := range waiting {
			if a := e.account(w, in); a.Waits != nil {
				all = append(all, a)
			}
		}
		return nil
	})
	return all, err
}

// Account returns an intent with its latest events, n at most, in order, and how many it has.
func (e *Engine) Account(ctx context.Context, id string, n int) (a Account, events []openintentv1.Event, total int, err error) {
	err = e.view(ctx, func(w *world) error {
		in := w.intents[id]
		if in == nil {
			return notFound("intent", id)
		}
		a = e.account(w, in)
		log := w.events[id]
		total = len(log)
		for _, ev := range log[max(0, total-n):] {
			events = append(events, ev.doc())
		}
		return nil
	})
	return a, events, total, err
}
