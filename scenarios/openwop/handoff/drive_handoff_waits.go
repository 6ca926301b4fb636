package handoff

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// WaitingWorkerObservation is a loop with two workers in one decision, of which
// the first waits for a person.
type WaitingWorkerObservation struct {
	Way     string          `json:"way"`
	Workers []string        `json:"workers"` // of the decision
	Found   wire.Wait       `json:"found"`   // the run named its first child
	Child   host.Suspension `json:"child"`   // the first worker
	Lull    host.Lull       `json:"lull"`    // of the parent, while its worker waits
	Log     host.RunLog     `json:"log"`     // of the parent, after the answer
}

// workerThatWaits leaves a loop waiting for a worker that waits for a person.
var WorkerThatWaits = &scenarios.Drive[WaitingWorkerObservation]{
	ID:    "openwop/worker-that-waits",
	Title: "runs a loop with two workers in one decision of which the first asks a person, runs a sentinel, waits a window, looks at the loop and answers the worker",
	Sends: []string{
		"POST /v1/runs (assay-loop with the worker assay-loop-ask-user)", "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll", "GET /v1/runs/{childRunId}",
		"GET /v1/runs/{childRunId}/events/poll", "POST /v1/runs (sentinel)", "POST /v1/runs/{childRunId}/interrupts/{nodeId}",
	},
	Run: func(ctx context.Context, c *scenarios.Conn) (WaitingWorkerObservation, error) {
		h := host.Host{Conn: c}
		o := WaitingWorkerObservation{Way: fixture.Loop, Workers: []string{fixture.LoopAskUser, fixture.Noop}}
		if ceiling, why := h.Ceiling(); ceiling < 4 { // the turns of the worker
			return o, scenarios.Block("the host lets no loop take enough turns: "+why, "advertise higher limits while the host is certified")
		}
		if !h.Offers(fixture.Loop, fixture.LoopAskUser, fixture.Noop) {
			return o, scenarios.Block("no worker that waits for a person is on offer", fixture.Load)
		}
		way := host.Scripted{Fixture: fixture.Loop, Plan: host.Plan{host.NextWorker(o.Workers...), host.Terminate(h.Name("done"))}, Chosen: true}
		r, err := h.Create(ctx, "create the loop", way.Request(nil))
		if err != nil {
			return o, err
		}
		if r.ID == "" {
			o.Log, err = r.ReadLog(ctx, "log of the loop")
			return o, err
		}
		if err := waitForWorker(ctx, r, &o, way); err != nil {
			return o, err
		}
		if status, _ := o.Child.Answered.Int(); status/100 != 2 {
			o.Log, err = r.ReadLog(ctx, "log of the loop")
			return o, err
		}
		o.Log, err = r.Finish(ctx, "log of the loop")
		return o, err
	},
}

// waitForWorker finds the worker that waits, lets a while go by and answers it.
func waitForWorker(ctx context.Context, r *host.Run, o *WaitingWorkerObservation, way host.Scripted) error {
	var found host.RunLog
	var err error
	if o.Found, found, err = r.AwaitChildren(ctx, 1); err != nil || !o.Found.Reached {
		return err
	}
	child, err := r.ChildRun(ctx, host.ChildIDs(found)[0])
	if err != nil || !child.Created.Success() {
		return err
	}
	if o.Child, err = child.Held(ctx, 2, 0); err != nil || !o.Child.Suspended.Reached {
		return err
	}
	if o.Lull, err = r.Lull(ctx, way, o.Child.Log.Pace()); err != nil {
		return err
	}
	_, err = child.Resolves(ctx, &o.Child)
	return err
}
