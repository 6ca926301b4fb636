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
	replaysFor  = 10 * time.Second // without what the target holds back
)

// shrink makes a history small that the model does not explain: it leaves out steps as long as the rest, asked of another object,
// one step after the other, is not explained either. found is false if not even the whole is: then it was seen once.
func (k *Kind[S, In, Out]) shrink(ctx context.Context, c *scenarios.Conn, h History[S, In, Out]) (small History[S, In, Out], found bool) {
	v := k.Model.Explain([]S{h.Begin}, h.Steps, 0)
	ins := make([]In, 0, len(v.Order)+1)
	for _, i := range append(slices.Clone(v.Order), v.Wrong) {
		ins = append(ins, h.Steps[i].In)
	}
	left, began, waited := mostReplays, c.Now(), c.Waited()
	again := func(ins []In) bool {
		if left--; left < 0 || c.Now().Sub(began)-(c.Waited()-waited) > replaysFor {
			return false
		}
		replayed, ok := k.replay(ctx, c, h.Begin, ins)
		if ok {
			return false
		}
		small, found = replayed, true
		return true
	}
	if !again(ins) {
		return small, false
	}
	Smallest(ins, again)
	return small, found
}

// replay takes the steps one after the other, on an object of their own, up to the first that is not explained.
func (k *Kind[S, In, Out]) replay(ctx context.Context, c *scenarios.Conn, begin S, ins []In) (h History[S, In, Out], ok bool) {
	h.Begin, h.Small = begin, true
	t := k.start(ctx, c, begin)
	states := []S{begin}
	for _, in := range ins {
		round := []history.Step[In, Out]{{In: in}}
		t.take(ctx, round)
		h.Steps = append(h.Steps, round...)
		if states = k.Model.After(states, round[0]); len(states) == 0 {
			return h, false
		}
	}
	return h, true
}

// Smallest returns a part of a list of which holds is true and of no part with one less: it leaves out halves, then smaller and
// smaller parts (delta debugging). holds is true of the whole.
func Smallest[T any](all []T, holds func([]T) bool) []T {
	for size := len(all) / 2; size > 0; {
		left := false
		for at := 0; at+size <= len(all); {
			if part := slices.Concat(all[:at], all[at+size:]); holds(part) {
				all, left = part, true
			} else {
				at += size
			}
		}
		if size > len(all) {
			size = len(all)
		}
		if !left || size > 1 {
			size /= 2
		}
	}
	return all
}
