package openwop

import (
	"context"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// BeyondObservation is a loop whose script goes on behind its decision to terminate.
type BeyondObservation struct {
	Way    string `json:"way"`
	Chosen bool   `json:"chosen"`
	// Decisions are those up to and with terminate, as the log should show them;
	// Beyond is how many the script holds behind it.
	Decisions []any  `json:"decisions"`
	Beyond    int    `json:"beyond"`
	Log       RunLog `json:"log"`
	Lull      Lull   `json:"lull"` // after the end
}

// loopBeyondItsEnd gives a loop more to do than it may.
var loopBeyondItsEnd = &scenarios.Drive[BeyondObservation]{
	ID:    "openwop/loop-beyond-its-end",
	Title: "runs a loop whose script goes on behind terminate, runs a sentinel, waits a window and looks again",
	Sends: []string{
		"POST /v1/runs (assay-loop with a random plan; else conformance-orchestrator-terminate)", "GET /v1/runs/{runId}",
		"GET /v1/runs/{runId}/events/poll", "POST /v1/runs (sentinel)",
	},
	Run: func(ctx context.Context, c *scenarios.Conn) (BeyondObservation, error) {
		h := host{c}
		way, o, err := h.loopBeyond()
		if err != nil {
			return o, err
		}
		r, err := h.create(ctx, "create the loop", way.request(nil))
		if err != nil {
			return o, err
		}
		if o.Log, err = r.finish(ctx, "log of the loop"); err != nil || !o.Log.Ended.Reached {
			return o, err
		}
		o.Lull, err = r.lull(ctx, way, o.Log.Pace())
		return o, err
	},
}

func (h host) loopBeyond() (scripted, BeyondObservation, error) {
	ceiling, _ := h.ceiling()
	switch {
	case h.offers(fixtureLoop, fixtureNoop):
		way := scripted{fixtureLoop, h.loopPlan(h.between(min(2, ceiling), min(4, ceiling))), true}
		o := BeyondObservation{Way: way.Fixture, Chosen: true, Decisions: way.decisions(), Beyond: h.between(2, 4)}
		way.Plan = append(way.Plan, h.loopPlan(o.Beyond)...)
		return way, o, nil
	case h.offers(fixtureTerminate):
		way := scripted{fixtureTerminate, plan{terminate("goal-reached")}, false}
		return way, BeyondObservation{Way: way.Fixture, Decisions: way.decisions()}, nil
	}
	return scripted{}, BeyondObservation{}, scenarios.Block("no loop fixture is on offer", loadFixtures)
}

// RefusedObservation is a dispatch node that had nothing it could carry out.
type RefusedObservation struct {
	Way     string `json:"way"`
	Control int    `json:"control"` // workers of the turn before, that had to be carried out
	Log     RunLog `json:"log"`
}

// dispatchOfTooMany has a dispatch node of policy reject carry out one worker, and then several.
var dispatchOfTooMany = &scenarios.Drive[RefusedObservation]{
	ID:    "openwop/dispatch-of-too-many",
	Title: "runs a loop with fanOutPolicy reject that hands over to one worker, and then to several in one decision",
	Sends: []string{"POST /v1/runs (assay-loop-reject with a random plan)", "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll"},
	Run: func(ctx context.Context, c *scenarios.Conn) (RefusedObservation, error) {
		h := host{c}
		if !h.offers(fixtureReject, fixtureNoop) {
			return RefusedObservation{}, scenarios.Block("no loop with fanOutPolicy reject is on offer", loadFixtures)
		}
		if ceiling, why := h.ceiling(); ceiling < 2 {
			return RefusedObservation{}, scenarios.Block("the host lets no loop take enough turns: "+why, "advertise higher limits while the host is certified")
		}
		several := make([]string, h.between(2, 4))
		for i := range several {
			several[i] = fixtureNoop
		}
		way := scripted{fixtureReject, plan{nextWorker(fixtureNoop), nextWorker(several...), terminate(h.Name("done"))}, true}
		return h.refused(ctx, RefusedObservation{Way: way.Fixture, Control: 1}, way.request(nil))
	},
}

// dispatchOfNothing runs a dispatch node that no supervisor stands before.
var dispatchOfNothing = &scenarios.Drive[RefusedObservation]{
	ID:    "openwop/dispatch-of-nothing",
	Title: "runs a dispatch node that no decision comes before",
	Sends: []string{"POST /v1/runs (assay-dispatch-alone)", "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll"},
	Run: func(ctx context.Context, c *scenarios.Conn) (RefusedObservation, error) {
		h := host{c}
		if !h.offers(fixtureAlone) {
			return RefusedObservation{}, scenarios.Block("no dispatch node without a supervisor is on offer", loadFixtures)
		}
		return h.refused(ctx, RefusedObservation{Way: fixtureAlone}, openwopv1.CreateRunRequest{WorkflowID: fixtureAlone})
	},
}

func (h host) refused(ctx context.Context, o RefusedObservation, request openwopv1.CreateRunRequest) (RefusedObservation, error) {
	r, err := h.create(ctx, "create the run", request)
	if err != nil {
		return o, err
	}
	o.Log, err = r.finish(ctx, "log of the run")
	return o, err
}

// dispatched are the workers of which a log tells that they were handed over to:
// by the steps of handoffs where there are any, else by the dispatch node.
func dispatched(l RunLog) wire.Found {
	if began := l.Phase(openwopv1.ChainPhaseDispatchBegan); len(began.Values) > 0 {
		return began
	}
	return l.OfType(openwopv1.RunEventTypeNodeDispatched)
}
