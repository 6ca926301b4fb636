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
	Sends: []string{"{create run} (assay-loop, and assay-loop with a plan of assay-loop) with configurable.maxLoopIterations",
		"{read run}", "{poll log}", "{read run:childRunId} and its events"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *NestedObservation) {
		h := host.Host{Conn: c}
		if !h.Offers(fixture.Loop, fixture.Noop) {
			h.Lacks("no loop fixture of chosen length is on offer", fixture.Loop)
		}
		if turns, why := h.Ceiling(); turns < 4 {
			scenarios.End(scenarios.Block("the host lets no loop take enough turns: "+why, "advertise higher limits while the host is certified"))
		}
		*o = NestedObservation{Turns: h.Between(2, 4)}
		plain := h.Create(ctx, "create the loop of no loops", host.Scripted{Fixture: fixture.Loop, Plan: h.LoopPlan(o.Turns),
			Chosen: true}.Request(new(int64(o.Turns))))
		o.Plain = plain.Finish(ctx, "log of the loop of no loops")
		p := make(host.Plan, o.Turns)
		for i := range p {
			p[i] = host.NextWorker(fixture.Loop)
		}
		p[o.Turns-1] = host.Terminate(h.Name("done"))
		r := h.Create(ctx, "create the loop of loops", host.Scripted{Fixture: fixture.Loop, Plan: p, Chosen: true}.Request(new(int64(o.Turns))))
		o.Log = r.Finish(ctx, "log of the loop of loops")
		for _, e := range o.Log.Phase(dialect.ChainPhaseDispatchSucceeded).Values {
			child := inner(ctx, h, e.At("/payload/childRunId").String())
			o.Children = append(o.Children, child)
		}
	},
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
