package loop

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// BeyondObservation is a loop whose script continues after its decision to
// terminate.
type BeyondObservation struct {
	Way    string `json:"way"`
	Chosen bool   `json:"chosen"`
	// Decisions holds the decisions up to and including terminate, in the form the
	// log should show. Beyond counts those the script holds after it.
	Decisions []any       `json:"decisions"`
	Beyond    int         `json:"beyond" drawn:"true"`
	Log       host.RunLog `json:"log"`
	Lull      host.Lull   `json:"lull"` // after the end
}

// loopBeyondItsEnd gives a loop more decisions than it may take.
var loopBeyondItsEnd = &scenarios.Drive[BeyondObservation]{
	ID:    "openwop/loop-beyond-its-end",
	Title: "runs a loop whose script goes on behind terminate, runs a sentinel, waits a window and looks again",
	Sends: []string{
		"{create run} (assay-loop with a random plan; else conformance-orchestrator-terminate)", "{read run}",
		"{poll log}", "{create run} (sentinel)",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *BeyondObservation) {
		h := host.Host{Conn: c}
		way, seen := loopBeyond(h)
		*o = seen
		r := h.Create(ctx, "create the loop", way.Request(nil))
		if o.Log = r.Finish(ctx, "log of the loop"); !o.Log.Ended.Reached {
			return
		}
		o.Lull = r.Lull(ctx, way, o.Log.Pace())
	},
}

func loopBeyond(h host.Host) (host.Scripted, BeyondObservation) {
	ceiling, why := h.Ceiling()
	switch {
	case h.Offers(fixture.Loop, fixture.Noop):
		most := min(4, ceiling-1) // so that no bound keeps a turn from following
		if most < 1 {
			scenarios.End(scenarios.Block("the host's limits let no turn follow the first: "+why,
				"advertise higher limits while the host is certified"))
		}
		way := host.Scripted{Fixture: fixture.Loop, Plan: h.LoopPlan(h.Between(min(2, most), most)), Chosen: true}
		o := BeyondObservation{Way: way.Fixture, Chosen: true, Decisions: way.Decisions(), Beyond: h.Between(2, 4)}
		way.Plan = append(way.Plan, h.LoopPlan(o.Beyond)...)
		return way, o
	case host.OffersScripted(h, fixture.ScriptedLoop) && ceiling > host.ScriptedLoop(h).Turns():
		way, beyond := host.ScriptOf(h, fixture.ScriptedLoop)
		return way, BeyondObservation{Way: way.Fixture, Decisions: way.Decisions(), Beyond: beyond}
	case h.Offers(fixture.Terminate):
		way := host.Scripted{Fixture: fixture.Terminate, Plan: host.Plan{host.Terminate("goal-reached")}, Chosen: false}
		return way, BeyondObservation{Way: way.Fixture, Decisions: way.Decisions()}
	}
	h.Lacks("no loop fixture is on offer", fixture.Loop)
	return host.Scripted{}, BeyondObservation{}
}

// RefusedObservation is a dispatch node without a decision it could carry out.
type RefusedObservation struct {
	Way     string      `json:"way"`
	Control int         `json:"control"` // workers of the previous turn, which must be dispatched
	Log     host.RunLog `json:"log"`
}

// dispatchOfTooMany gives a dispatch node of policy reject one worker, and then
// several.
var dispatchOfTooMany = &scenarios.Drive[RefusedObservation]{
	ID:    "openwop/dispatch-of-too-many",
	Title: "runs a loop with fanOutPolicy reject that hands over to one worker, and then to several in one decision",
	Sends: []string{"{create run} (assay-loop-reject with a random plan)", "{read run}", "{poll log}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *RefusedObservation) {
		h := host.Host{Conn: c}
		scripted := !h.Offers(fixture.Reject, fixture.Noop)
		if scripted && !host.OffersScripted(h, fixture.ScriptedReject) {
			h.Lacks("no loop with fanOutPolicy reject is on offer", fixture.Reject)
		}
		if ceiling, why := h.Ceiling(); ceiling < 2 {
			host.TooFewTurns(why)
		}
		several := make([]string, h.Between(2, 4))
		for i := range several {
			several[i] = fixture.Noop
		}
		way := host.Scripted{Fixture: fixture.Reject, Plan: host.Plan{host.NextWorker(fixture.Noop), host.NextWorker(several...),
			host.Terminate(h.Name("done"))}, Chosen: true}
		if scripted {
			way, _ = host.ScriptOf(h, fixture.ScriptedReject)
		}
		*o = refused(ctx, h, RefusedObservation{Way: way.Fixture, Control: 1}, way.Request(nil))
	},
}

// dispatchOfNothing runs a dispatch node without a supervisor.
var dispatchOfNothing = &scenarios.Drive[RefusedObservation]{
	ID:    "openwop/dispatch-of-nothing",
	Title: "runs a dispatch node that no decision comes before",
	Sends: []string{"{create run} (assay-dispatch-alone)", "{read run}", "{poll log}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *RefusedObservation) {
		h := host.Host{Conn: c}
		if !h.Offers(fixture.Alone) {
			h.Lacks("no dispatch node without a supervisor is on offer", fixture.Alone)
		}
		*o = refused(ctx, h, RefusedObservation{Way: fixture.Alone}, dialect.CreateRunRequest{WorkflowID: fixture.Alone})
	},
}

func refused(ctx context.Context, h host.Host, o RefusedObservation, request dialect.CreateRunRequest) RefusedObservation {
	r := h.Create(ctx, "create the run", request)
	o.Log = r.Finish(ctx, "log of the run")
	return o
}
