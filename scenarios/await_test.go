package scenarios_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

func TestAwaitTellsSilenceFromSlowness(t *testing.T) {
	var asked atomic.Int32
	d := &scenarios.Drive[wire.Wait]{ID: "d", Run: func(ctx context.Context, c *scenarios.Conn, o *wire.Wait) {
		*o = c.Await(ctx, "it counts to 4", func(ctx context.Context) (wire.Value, bool) {
			asked.Add(1)
			r := c.Do(ctx, wire.Call{Method: "GET", Path: "/count"})
			n, _ := r.Value("/n").Int()
			return r.Value("/n"), n == 4
		})
	}}
	ask := scenarios.Ask(d, func(w wire.Wait, j *scenarios.Judge) { j.Check("TOY-1", w).To(check.Reached()) })
	needs := scenarios.Ask(d, func(w wire.Wait, j *scenarios.Judge) {
		j.Need("TOY-1", w)
		j.Check("TOY-2", w.Last).To(check.Equal(4))
	})
	r := certify(t, scenarios.Options{Patience: 30 * time.Millisecond}, one("it", counts, ask, "TOY-1"), one("needs", counts, needs, "TOY-2"))
	if o := r.Outcomes[0]; o.Verdict != scenarios.Failed || !strings.Contains(o.Reason, "not within 30ms") || asked.Load() < 2 {
		t.Errorf("%s: %s", o.Verdict, o.Reason)
	}
	if o := r.Outcomes[1]; o.Verdict != scenarios.Blocked || !strings.Contains(o.Unblock, "TOY-1") {
		t.Errorf("%s: %s", o.Verdict, o.Reason)
	}
}

// If each look takes as long as patience, Await looks several times before it gives up.
func TestAwaitLooksAFewTimes(t *testing.T) {
	for _, c := range []struct {
		name    string
		doneAt  int32
		reached bool
		looks   int32
	}{
		{"seen at once", 1, true, 1},
		{"seen late, by slow looks", 4, true, 4},
		{"never seen", 1000, false, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			var looks atomic.Int32
			var w wire.Wait
			d := &scenarios.Drive[wire.Wait]{ID: "d", Run: func(ctx context.Context, conn *scenarios.Conn, o *wire.Wait) {
				r := conn.Do(ctx, wire.Call{Method: "GET", Path: "/count"})
				w = conn.Await(ctx, "it is seen", func(ctx context.Context) (wire.Value, bool) {
					scenarios.End(wire.Pause(ctx, 2*time.Millisecond))
					return r.Value("/n"), looks.Add(1) == c.doneAt
				})
				*o = w
			}}
			ask := scenarios.Ask(d, func(w wire.Wait, j *scenarios.Judge) { j.Check("TOY-1", w).To(check.Reached()) })
			certify(t, scenarios.Options{Patience: time.Millisecond}, one("it", counts, ask, "TOY-1"))
			if w.Reached != c.reached || looks.Load() != c.looks {
				t.Errorf("reached %t after %d looks, not %t after %d", w.Reached, looks.Load(), c.reached, c.looks)
			}
		})
	}
}

// Patience starts again as long as there is progress, and only then.
func TestAwaitWhile(t *testing.T) {
	for _, c := range []struct {
		name     string
		progress []int
		extended bool
	}{
		{"stuck from the start", []int{3, 3}, false},
		{"stuck after a while", []int{1, 2, 3, 3}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var w wire.Wait
			asked := 0
			d := &scenarios.Drive[wire.Wait]{ID: "d", Run: func(ctx context.Context, conn *scenarios.Conn, o *wire.Wait) {
				r := conn.Do(ctx, wire.Call{Method: "GET", Path: "/count"})
				w = conn.AwaitWhile(ctx, "it is seen", func(context.Context) (wire.Value, bool) { return r.Value("/n"), false },
					func(context.Context) int {
						asked++
						return c.progress[min(asked, len(c.progress))-1]
					})
				*o = w
			}}
			ask := scenarios.Ask(d, func(w wire.Wait, j *scenarios.Judge) { j.Check("TOY-1", w).To(check.Reached()) })
			patience := 50 * time.Millisecond
			certify(t, scenarios.Options{Patience: patience}, one("it", counts, ask, "TOY-1"))
			if w.Reached || asked < len(c.progress) || (w.Patience > patience) != c.extended {
				t.Errorf("reached %t with a patience of %s, progress measured %d times", w.Reached, w.Patience, asked)
			}
		})
	}
}

// What comes while progress is measured is not late.
func TestMeasuringProgressTakesNoPatience(t *testing.T) {
	const patience = 60 * time.Millisecond
	var w wire.Wait
	measured := false
	d := &scenarios.Drive[wire.Wait]{ID: "d", Run: func(ctx context.Context, conn *scenarios.Conn, o *wire.Wait) {
		r := conn.Do(ctx, wire.Call{Method: "GET", Path: "/count"})
		w = conn.AwaitWhile(ctx, "it is seen", func(context.Context) (wire.Value, bool) { return r.Value("/n"), measured },
			func(ctx context.Context) int {
				scenarios.End(wire.Pause(ctx, 2*patience))
				measured = true
				return 3
			})
		*o = w
	}}
	ask := scenarios.Ask(d, func(w wire.Wait, j *scenarios.Judge) { j.Check("TOY-1", w).To(check.Reached()) })
	certify(t, scenarios.Options{Patience: patience}, one("it", counts, ask, "TOY-1"))
	if !w.Reached || w.Answers < 2 {
		t.Errorf("%+v", w)
	}
}
