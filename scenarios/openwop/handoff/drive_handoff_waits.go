package handoff

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// WaitingWorkerObservation is a loop with two workers in one decision. The first
// waits for a person.
type WaitingWorkerObservation struct {
	Way     string          `json:"way"`
	Workers []string        `json:"workers"` // of the decision
	Found   wire.Wait       `json:"found"`   // the run named its first child
	Child   host.Suspension `json:"child"`   // the first worker
	Lull    host.Lull       `json:"lull"`    // of the parent while its worker waits
	Log     host.RunLog     `json:"log"`     // of the parent after the answer
}

// WorkerThatWaits runs a loop whose first worker waits for a person, and later answers it.
var WorkerThatWaits = &scenarios.Drive[WaitingWorkerObservation]{
	ID: "openwop/worker-that-waits",
	Title: "runs a loop with two workers in one decision of which the first asks a person, runs a sentinel, waits a window, " +
		"looks at the loop and answers the worker",
	Sends: []string{
		"{create run} (assay-loop with the worker assay-loop-ask-user)", "{read run}", "{poll log}", "{read run:childRunId}",
		"{poll log:childRunId}", "{create run} (sentinel)", "{answer node:childRunId}",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *WaitingWorkerObservation) {
		h := host.Host{Conn: c}
		*o = WaitingWorkerObservation{Way: fixture.Loop, Workers: []string{fixture.LoopAskUser, fixture.Noop}}
		if ceiling, why := h.Ceiling(); ceiling < 4 { // the turns of the worker
			scenarios.End(scenarios.Block("the host lets no loop take enough turns: "+why, "advertise higher limits while the host is certified"))
		}
		if !h.Offers(fixture.Loop, fixture.LoopAskUser, fixture.Noop) {
			h.Lacks("the host offers no worker that waits for a person", fixture.LoopAskUser, fixture.Loop)
		}
		way := host.Scripted{Fixture: fixture.Loop, Plan: host.Plan{host.NextWorker(o.Workers...), host.Terminate(h.Name("done"))}, Chosen: true}
		r := h.Create(ctx, "create the loop", way.Request(nil))
		if r.ID == "" {
			o.Log = r.ReadLog(ctx, "log of the loop")
			return
		}
		waitForWorker(ctx, r, o, way)
		if status, _ := o.Child.Answered.Int(); status/100 != 2 {
			o.Log = r.ReadLog(ctx, "log of the loop")
			return
		}
		o.Log = r.Finish(ctx, "log of the loop")
	},
}

// waitForWorker finds the waiting worker, watches the loop for a while, and answers the worker.
func waitForWorker(ctx context.Context, r *host.Run, o *WaitingWorkerObservation, way host.Scripted) {
	var found host.RunLog
	if o.Found, found = r.AwaitChildren(ctx, 1); !o.Found.Reached {
		return
	}
	child := r.ChildRun(ctx, host.ChildIDs(found)[0])
	if !child.Created.Success() {
		return
	}
	if o.Child = child.Held(ctx, 2, 0); !o.Child.Suspended.Reached {
		return
	}
	o.Lull = r.Lull(ctx, way, o.Child.Log.Pace())
	child.Resolves(ctx, &o.Child)
}
