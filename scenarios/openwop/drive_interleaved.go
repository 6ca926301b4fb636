package openwop

import (
	"context"

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
	FirstN    int        `json:"firstN"`
	SecondN   int        `json:"secondN"`
	Suspended wire.Wait  `json:"suspended"`
	Answered  wire.Value `json:"answered"` // HTTP status of the answer
	First     RunLog     `json:"first"`
	Second    RunLog     `json:"second"`
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
		if h.offers(fixtureLoopAskUser, fixtureLoop, fixtureNoop) {
			return h.heldLoop(ctx)
		}
		way, ok := h.loopOf(h.between(3, 6))
		if !ok {
			return InterleavedObservation{}, scenarios.Block("no loop fixture is on offer", loadFixtures)
		}
		return h.twoLoops(ctx, way)
	},
}

func (h host) heldLoop(ctx context.Context) (InterleavedObservation, error) {
	before, after := h.between(1, 3), h.between(1, 3)
	var first plan
	for range before {
		first = append(first, nextWorker(fixtureNoop))
	}
	first = append(first, askUser("Which way? "+h.marker()))
	first = append(first, h.loopPlan(after+1)...)
	second := h.loopPlan(h.between(3, 6))
	o := InterleavedObservation{Way: fixtureLoopAskUser, Suspends: true, FirstN: len(first), SecondN: len(second)}

	a, err := h.create(ctx, "create the loop that asks", scripted{Fixture: fixtureLoopAskUser, Plan: first}.request(nil))
	if err != nil {
		return o, err
	}
	if a.ID == "" {
		o.First, err = a.log(ctx, "log")
		return o, err
	}
	if o.Suspended, err = a.suspended(ctx); err != nil {
		return o, err
	}
	b, err := h.create(ctx, "create the other loop", scripted{Fixture: fixtureLoop, Plan: second}.request(nil))
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
