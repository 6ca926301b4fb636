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
		"{create run} (assay-loop with the worker assay-loop-ask-user, else a scripted loop)",
		"{read run}", "{poll log}", "{read run:childRunId}",
		"{poll log:childRunId}", "{create run} (sentinel)", "{answer node:childRunId}",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *WaitingWorkerObservation) {
		h := host.Host{Conn: c}
		way, turn := loopThatWaits(h)
		*o = WaitingWorkerObservation{Way: way.Fixture, Workers: way.Workers()}
		r := h.Create(ctx, "create the loop", way.Request(nil))
		if r.ID == "" {
			o.Log = r.ReadLog(ctx, "log of the loop")
			return
		}
		waitForWorker(ctx, r, o, way, turn)
		if status, _ := o.Child.Answered.Int(); status/100 != 2 {
			o.Log = r.ReadLog(ctx, "log of the loop")
			return
		}
		o.Log = r.Finish(ctx, "log of the loop")
	},
}

// askingTurns are those of fixture.LoopAskUser.
const askingTurns = 4

// loopThatWaits returns a loop whose first worker waits for a person in that turn of its own.
func loopThatWaits(h host.Host) (way host.Scripted, turn int) {
	ceiling, why := h.Ceiling()
	switch asking := h.Offers(fixture.Loop, fixture.LoopAskUser, fixture.Noop); {
	case ceiling < 2 || asking && ceiling < askingTurns:
		host.TooFewTurns(why)
	case asking:
		plan := host.Plan{host.NextWorker(fixture.LoopAskUser, fixture.Noop), host.Terminate(h.Name("done"))}
		return host.Scripted{Fixture: fixture.Loop, Plan: plan, Chosen: true}, 2
	case host.OffersScripted(h, fixture.ScriptedPerson):
		way, _ = host.ScriptOf(h, fixture.ScriptedPerson)
		return way, 1
	}
	h.Lacks("the host offers no worker that waits for a person", fixture.LoopAskUser, fixture.Loop)
	return way, 0
}

// waitForWorker finds the waiting worker, watches the loop for a while, and answers the worker.
func waitForWorker(ctx context.Context, r *host.Run, o *WaitingWorkerObservation, way host.Scripted, turn int) {
	var found host.RunLog
	if o.Found, found = r.AwaitChildren(ctx, 1); !o.Found.Reached {
		return
	}
	child := r.ChildRun(ctx, host.ChildIDs(found)[0])
	if !child.Created.Success() {
		return
	}
	if o.Child = child.Held(ctx, turn, 0); !o.Child.Suspended.Reached {
		return
	}
	o.Lull = r.Lull(ctx, way, o.Child.Log.Pace())
	child.Resolves(ctx, &o.Child)
}
