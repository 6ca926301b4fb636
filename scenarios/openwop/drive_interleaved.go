package openwop

import (
	"context"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// InterleavedObservation is two loops of which one ran while the other was
// under way.
type InterleavedObservation struct {
	Way string `json:"way"`
	// Suspends says whether the first loop was held in the middle by a question
	// while the second ran from end to end; otherwise both merely ran at once.
	Suspends  bool       `json:"suspends"`
	AskedAt   int        `json:"askedAt,omitempty"` // the turn that asked
	Stateful  bool       `json:"stateful"`          // the host claims that a counter survives a suspension
	FirstN    int        `json:"firstN"`
	SecondN   int        `json:"secondN"`
	Suspended wire.Wait  `json:"suspended"`
	Answered  wire.Value `json:"answered"` // HTTP status of the answer
	First     RunLog     `json:"first"`
	Second    RunLog     `json:"second"`
}

// overlaps says whether the host's own timestamps show that neither run had
// ended when the other began.
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

// twoLoopsAtOnce interleaves two runs. Where a loop can be held by a question
// the overlap is certain; two runs that are merely made at the same time may
// follow one another on a fast host.
var twoLoopsAtOnce = &scenarios.Drive[InterleavedObservation]{
	ID:    "openwop/two-loops-at-once",
	Title: "holds one loop by a question in a random turn while another runs from end to end",
	Sends: []string{
		"POST /v1/runs (assay-loop-ask-user with a random plan)", "POST /v1/runs (assay-loop)", "POST /v1/runs/{runId}/interrupts/{nodeId}",
		"GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll",
	},
	Run: func(ctx context.Context, c *scenarios.Conn) (InterleavedObservation, error) {
		h := host{c}
		if ceiling, _ := h.ceiling(); h.offers(fixtureLoopAskUser, fixtureLoop, fixtureNoop) && ceiling >= 3 {
			return h.heldLoop(ctx, ceiling)
		}
		way, err := h.loopOf(3, 6, 0)
		if err != nil {
			return InterleavedObservation{}, err
		}
		return h.twoLoops(ctx, way)
	},
}

func (h host) heldLoop(ctx context.Context, ceiling int) (InterleavedObservation, error) {
	total := h.between(3, min(7, ceiling))
	askedAt := h.between(2, total-1) // some turn before it, and some after
	first := h.loopPlan(total)
	first[askedAt-1] = askUser("Which way? " + h.marker())
	second := h.loopPlan(h.between(3, min(6, ceiling)))
	_, stateful := statefulResume.Look(h.Discovery)
	o := InterleavedObservation{Way: fixtureLoopAskUser, Suspends: true, AskedAt: askedAt, Stateful: stateful, FirstN: len(first), SecondN: len(second)}

	a, err := h.create(ctx, "create the loop that asks", scripted{fixtureLoopAskUser, first, true}.request(nil))
	if err != nil {
		return o, err
	}
	if a.ID == "" {
		o.First, err = a.log(ctx, "log")
		return o, err
	}
	if o.Suspended, err = a.suspended(ctx, 0); err != nil {
		return o, err
	}
	b, err := h.create(ctx, "create the other loop", scripted{fixtureLoop, second, true}.request(nil))
	if err != nil {
		return o, err
	}
	if o.Second, err = b.finish(ctx, "log of the other loop"); err != nil {
		return o, err
	}
	if o.Suspended.Reached {
		reply, err := a.answer(ctx, o.Suspended, h.marker())
		if err != nil {
			return o, err
		}
		o.Answered = reply.StatusValue()
	}
	o.First, err = a.finish(ctx, "log of the loop that asked")
	return o, err
}

func (h host) twoLoops(ctx context.Context, way scripted) (InterleavedObservation, error) {
	o := InterleavedObservation{Way: way.Fixture, FirstN: way.turns(), SecondN: way.turns()}
	a, err := h.create(ctx, "create one loop", way.request(nil))
	if err != nil {
		return o, err
	}
	b, err := h.create(ctx, "create another loop", way.request(nil))
	if err != nil {
		return o, err
	}
	if o.First, err = a.finish(ctx, "log of the one loop"); err != nil {
		return o, err
	}
	o.Second, err = b.finish(ctx, "log of the other loop")
	return o, err
}
