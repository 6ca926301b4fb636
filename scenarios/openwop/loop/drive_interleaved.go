package loop

import (
	"context"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// InterleavedObservation is two loops, one of which ran while the other was under
// way.
type InterleavedObservation struct {
	Way string `json:"way"`
	// Suspends reports whether a question held the first loop while the second ran
	// from start to end. If false, both merely ran at once.
	Suspends  bool        `json:"suspends"`
	AskedAt   int         `json:"askedAt,omitempty"` // the turn that asked
	Stateful  bool        `json:"stateful"`          // the host claims that a counter survives a suspension
	FirstN    int         `json:"firstN"`
	SecondN   int         `json:"secondN"`
	Suspended wire.Wait   `json:"suspended"`
	Answered  wire.Value  `json:"answered"` // HTTP status of the answer
	First     host.RunLog `json:"first"`
	Second    host.RunLog `json:"second"`
}

// overlaps reports whether, by the host's own timestamps, each run began before
// the other ended.
func (o InterleavedObservation) overlaps() bool {
	stamp := func(e wire.Value) string { return e.Key("timestamp").String() }
	f, s := o.First.Events, o.Second.Events
	if len(f) == 0 || len(s) == 0 {
		return false
	}
	firstBegan, err1 := time.Parse(time.RFC3339, stamp(f[0]))
	firstEnded, err2 := time.Parse(time.RFC3339, stamp(f[len(f)-1]))
	secondBegan, err3 := time.Parse(time.RFC3339, stamp(s[0]))
	secondEnded, err4 := time.Parse(time.RFC3339, stamp(s[len(s)-1]))
	return err1 == nil && err2 == nil && err3 == nil && err4 == nil && firstBegan.Before(secondEnded) && secondBegan.Before(firstEnded)
}

// twoLoopsAtOnce interleaves two runs. A loop held by a question makes the overlap
// certain; on a fast host, two runs created together may still run one after the
// other.
var twoLoopsAtOnce = &scenarios.Drive[InterleavedObservation]{
	ID:    "openwop/two-loops-at-once",
	Title: "holds one loop by a question in a random turn while another runs from end to end",
	Sends: []string{
		"{create run} (assay-loop-ask-user with a random plan)", "{create run} (assay-loop)", "{answer node}",
		"{read run}", "{poll log}",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *InterleavedObservation) {
		h := host.Host{Conn: c}
		if ceiling, _ := h.Ceiling(); h.Offers(fixture.LoopAskUser, fixture.Loop, fixture.Noop) && ceiling >= 3 {
			*o = heldLoop(ctx, h, ceiling)
			return
		}
		way := h.LoopOf(3, 6, 0)
		*o = twoLoops(ctx, h, way)
	},
}

func heldLoop(ctx context.Context, h host.Host, ceiling int) InterleavedObservation {
	total := h.Between(3, min(7, ceiling))
	askedAt := h.Between(2, total-1) // with a turn before it and one after
	first := h.LoopPlan(total)
	first[askedAt-1] = host.AskUser("Which way? " + h.Marker())
	second := h.LoopPlan(h.Between(3, min(6, ceiling)))
	_, stateful := claims.StatefulResume.Look(h.Discovery)
	o := InterleavedObservation{Way: fixture.LoopAskUser, Suspends: true, AskedAt: askedAt, Stateful: stateful, FirstN: len(first),
		SecondN: len(second)}

	a := h.Create(ctx, "create the loop that asks", host.Scripted{Fixture: fixture.LoopAskUser, Plan: first, Chosen: true}.Request(nil))
	if a.ID == "" {
		o.First = a.ReadLog(ctx, "log")
		return o
	}
	o.Suspended = a.AwaitSuspended(ctx, 0)
	b := h.Create(ctx, "create the other loop", host.Scripted{Fixture: fixture.Loop, Plan: second, Chosen: true}.Request(nil))
	o.Second = b.Finish(ctx, "log of the other loop")
	if o.Suspended.Reached {
		reply := a.Answer(ctx, o.Suspended, h.Marker())
		o.Answered = reply.StatusValue()
	}
	o.First = a.Finish(ctx, "log of the loop that asked")
	return o
}

func twoLoops(ctx context.Context, h host.Host, way host.Scripted) InterleavedObservation {
	o := InterleavedObservation{Way: way.Fixture, FirstN: way.Turns(), SecondN: way.Turns()}
	a := h.Create(ctx, "create one loop", way.Request(nil))
	b := h.Create(ctx, "create another loop", way.Request(nil))
	o.First = a.Finish(ctx, "log of the one loop")
	o.Second = b.Finish(ctx, "log of the other loop")
	return o
}
