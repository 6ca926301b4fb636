package explore

import (
	"context"
	"slices"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
)

// A target is not asked for a small history for ever: what cannot be set back is made anew each time.
const (
	mostReplays = 200
	farReplays  = 12               // of a target that is not on this machine
	replaysFor  = 10 * time.Second // without what the target holds back
	racesEach   = 4                // how often clients go through the same steps at once until it comes again
)

// replays takes steps again, on objects of their own, as long as the target is asked to.
type replays[S comparable, In, Out any] struct {
	*Kind[S, In, Out]
	c             *scenarios.Conn
	begin         S
	left          int
	began, waited time.Duration
	small         *History[S, In, Out] // the last one that the model does not explain
}

// shrink makes a history small that the model does not explain: it leaves out steps as long as the rest, asked of another object,
// is not explained either. One client takes all of them in turn, if that shows it; else all clients at once, as they did. found is
// false if it does not come again: then it was seen once.
func (k *Kind[S, In, Out]) shrink(ctx context.Context, c *scenarios.Conn, h History[S, In, Out]) (small History[S, In, Out], found bool) {
	r := &replays[S, In, Out]{
		Kind: k, c: c, begin: h.Begin, left: farReplays, began: time.Duration(c.Now().UnixNano()), waited: c.Waited(),
	}
	if c.OnThisMachine() {
		r.left = mostReplays
	}
	alone := func(rounds []round[In]) bool { return r.again(ctx, rounds, 1) }
	at := func(rounds []round[In]) bool { return r.again(ctx, rounds, racesEach) }
	rounds, few := k.inTurn(h)
	if alone(few) || alone(rounds) {
		Smallest(r.rounds(), alone)
	} else if rounds := atOnce(h); len(rounds) < len(h.Steps) && at(rounds) {
		Smallest(rounds, at)
	}
	if r.small == nil {
		return small, false
	}
	return *r.small, true
}

// round is what clients do at once.
type round[In any] struct {
	ins  []In
	kill bool // the target is killed meanwhile
}

// inTurn returns the steps of a history in the order that explains most of them, those last that no order explains, each by itself.
// few are those without what left the object as it was by the model: that a target need not be asked to find out.
func (k *Kind[S, In, Out]) inTurn(h History[S, In, Out]) (rounds, few []round[In]) {
	v := k.Model.Explain([]S{h.Begin}, h.Steps, 0)
	states := []S{h.Begin}
	for _, i := range v.Order {
		step := h.Steps[i]
		by := round[In]{[]In{step.In}, step.Killed}
		rounds = append(rounds, by)
		next := k.Model.After(states, step)
		if step.Killed || !slices.Equal(next, states) {
			few = append(few, by)
		}
		states = next
	}
	for i, step := range h.Steps {
		if !slices.Contains(v.Order, i) {
			by := round[In]{[]In{step.In}, step.Killed}
			rounds, few = append(rounds, by), append(few, by)
		}
	}
	return rounds, few
}

// rounds are those of the last history that is not explained, each step by itself.
func (r *replays[S, In, Out]) rounds() (all []round[In]) {
	for _, step := range r.small.Steps {
		all = append(all, round[In]{[]In{step.In}, step.Killed})
	}
	return all
}

// atOnce returns the steps of a history as its clients took them, each round at once.
func atOnce[S comparable, In, Out any](h History[S, In, Out]) (rounds []round[In]) {
	for _, step := range h.Steps {
		if step.Client == 0 {
			rounds = append(rounds, round[In]{kill: step.Killed})
		}
		last := &rounds[len(rounds)-1]
		last.ins = append(last.ins, step.In)
	}
	return rounds
}

// again takes the steps again, up to so many times, until the model does not explain what came of them.
func (r *replays[S, In, Out]) again(ctx context.Context, rounds []round[In], times int) bool {
	for range times {
		now := time.Duration(r.c.Now().UnixNano())
		if r.left--; r.left < 0 || now-r.began-(r.c.Waited()-r.waited) > replaysFor {
			return false
		}
		if h, ok := r.replay(ctx, r.c, r.begin, rounds); !ok {
			r.small = &h
			return true
		}
	}
	return false
}

// replay has clients take the steps of each round at once, on an object of their own, up to the first round that is not explained.
func (k *Kind[S, In, Out]) replay(ctx context.Context, c *scenarios.Conn, begin S, rounds []round[In]) (
	h History[S, In, Out], ok bool,
) {
	h.Begin, h.Small = begin, true
	t, err := k.start(ctx, c, begin)
	scenarios.End(err)
	for _, each := range rounds {
		steps := make([]history.Step[In, Out], len(each.ins))
		for i, in := range each.ins {
			steps[i] = history.Step[In, Out]{Client: i, In: in}
		}
		t.take(ctx, steps, each.kill)
		h.Steps = append(h.Steps, steps...)
		if v := k.Model.Explain([]S{begin}, h.Steps, 0); v.Wrong >= 0 {
			return h, false
		}
	}
	return h, true
}

// Smallest returns a part of a list of which holds is true and of no part with one less: it leaves out halves, then smaller and
// smaller parts (delta debugging). holds is true of the whole.
func Smallest[T any](all []T, holds func([]T) bool) []T {
	for size := max(1, len(all)/2); size > 0; {
		left := false
		for at := 0; at+size <= len(all); {
			if part := slices.Concat(all[:at], all[at+size:]); holds(part) {
				all, left = part, true
			} else {
				at += size
			}
		}
		size = min(size, len(all))
		if !left || size > 1 {
			size /= 2
		}
	}
	return all
}
