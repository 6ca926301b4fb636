package bounds

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// NestedObservation is a loop whose workers are loops. Its bound equals its own
// turns.
type NestedObservation struct {
	Turns    int           `json:"turns" drawn:"true"` // of the outer loop, and its bound
	Plain    host.RunLog   `json:"plain"`              // a loop with as many turns and the same bound, without inner loops
	Log      host.RunLog   `json:"log"`
	Children []host.RunLog `json:"children"` // Ended.Last is the snapshot
}

// loopsInALoop runs a bounded loop that dispatches loops.
var loopsInALoop = &scenarios.Drive[NestedObservation]{
	ID: "openwop/loops-in-a-loop",
	Title: "runs a loop of random length with a maxLoopIterations that its turns just keep, then one like it that " +
		"dispatches loops of four turns",
	Sends: []string{"{create run} (assay-loop, and assay-loop over assay-loop; else scripted loops) with configurable.maxLoopIterations",
		"{read run}", "{poll log}", "{read run:childRunId} and its events"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *NestedObservation) {
		h := host.Host{Conn: c}
		flat, nested := loopAndLoops(h)
		*o = NestedObservation{Turns: flat.Turns()}
		bound := new(int64(o.Turns))
		o.Plain = h.Create(ctx, "create the loop of no loops", flat.Request(bound)).Finish(ctx, "log of the loop of no loops")
		o.Log = h.Create(ctx, "create the loop of loops", nested.Request(bound)).Finish(ctx, "log of the loop of loops")
		for _, e := range o.Log.Phase(dialect.ChainPhaseDispatchSucceeded).Values {
			child := inner(ctx, h, e.At("/payload/childRunId").String())
			o.Children = append(o.Children, child)
		}
	},
}

// loopAndLoops returns two loops of as many turns: one over a worker that does nothing, one over loops of four turns.
func loopAndLoops(h host.Host) (flat, nested host.Scripted) {
	const innerTurns = 4
	ceiling, why := h.Ceiling()
	switch {
	case ceiling < innerTurns:
		host.TooFewTurns(why)
	case h.Offers(fixture.Loop, fixture.Noop):
		n := h.Between(2, 4)
		flat = host.Scripted{Fixture: fixture.Loop, Plan: h.LoopPlan(n), Chosen: true}
		nested = host.Scripted{Fixture: fixture.Loop, Plan: make(host.Plan, n), Chosen: true}
		for i := range nested.Plan {
			nested.Plan[i] = host.NextWorker(fixture.Loop)
		}
		nested.Plan[n-1] = host.Terminate(h.Name("done"))
	case host.OffersScripted(h, fixture.ScriptedLoop) && host.OffersScripted(h, fixture.ScriptedLoops):
		nested, _ = host.ScriptOf(h, fixture.ScriptedLoops)
		return host.ScriptedLoop(h), nested
	default:
		h.Lacks("no loop fixture of chosen length is on offer", fixture.Loop)
	}
	return flat, nested
}

// inner reads a child run and its log.
func inner(ctx context.Context, h host.Host, id string) host.RunLog {
	reply := h.Send(ctx, wire.Call{Operation: dialect.ReadRun.Of(id), Label: "inner loop"})
	child := h.Adopt(reply)
	if child.ID == "" {
		return child.ReadLog(ctx, "log of the inner loop")
	}
	return child.Finish(ctx, "log of the inner loop")
}
