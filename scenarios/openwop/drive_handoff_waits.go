package openwop

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// WaitingWorkerObservation is a loop with two workers in one decision, of which
// the first waits for a person.
type WaitingWorkerObservation struct {
	Way     string     `json:"way"`
	Workers []string   `json:"workers"` // of the decision
	Found   wire.Wait  `json:"found"`   // the run named its first child
	Child   Suspension `json:"child"`   // the first worker
	Lull    Lull       `json:"lull"`    // of the parent, while its worker waits
	Log     RunLog     `json:"log"`     // of the parent, after the answer
}

// workerThatWaits leaves a loop waiting for a worker that waits for a person.
var workerThatWaits = &scenarios.Drive[WaitingWorkerObservation]{
	ID:    "openwop/worker-that-waits",
	Title: "runs a loop with two workers in one decision of which the first asks a person, runs a sentinel, waits a window, looks at the loop and answers the worker",
	Sends: []string{
		"POST /v1/runs (assay-loop with the worker assay-loop-ask-user)", "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll", "GET /v1/runs/{childRunId}",
		"GET /v1/runs/{childRunId}/events/poll", "POST /v1/runs (sentinel)", "POST /v1/runs/{childRunId}/interrupts/{nodeId}",
	},
	Run: func(ctx context.Context, c *scenarios.Conn) (WaitingWorkerObservation, error) {
		h := host{c}
		o := WaitingWorkerObservation{Way: fixtureLoop, Workers: []string{fixtureLoopAskUser, fixtureNoop}}
		if ceiling, why := h.ceiling(); ceiling < 4 { // the turns of the worker
			return o, scenarios.Block("the host lets no loop take enough turns: "+why, "advertise higher limits while the host is certified")
		}
		if !h.offers(fixtureLoop, fixtureLoopAskUser, fixtureNoop) {
			return o, scenarios.Block("no worker that waits for a person is on offer", loadFixtures)
		}
		way := scripted{fixtureLoop, plan{nextWorker(o.Workers...), terminate(h.Name("done"))}, true}
		r, err := h.create(ctx, "create the loop", way.request(nil))
		if err != nil {
			return o, err
		}
		if r.ID == "" {
			o.Log, err = r.log(ctx, "log of the loop")
			return o, err
		}
		if err := r.waitForWorker(ctx, &o, way); err != nil {
			return o, err
		}
		if status, _ := o.Child.Answered.Int(); status/100 != 2 {
			o.Log, err = r.log(ctx, "log of the loop")
			return o, err
		}
		o.Log, err = r.finish(ctx, "log of the loop")
		return o, err
	},
}

// waitForWorker finds the worker that waits, lets a while go by and answers it.
func (r *run) waitForWorker(ctx context.Context, o *WaitingWorkerObservation, way scripted) error {
	var found RunLog
	var err error
	if o.Found, found, err = r.awaitChildren(ctx, 1); err != nil || !o.Found.Reached {
		return err
	}
	child, err := r.childRun(ctx, childIDs(found)[0])
	if err != nil || !child.Created.Success() {
		return err
	}
	if o.Child, err = child.held(ctx, 2, 0); err != nil || !o.Child.Suspended.Reached {
		return err
	}
	if o.Lull, err = r.lull(ctx, way, o.Child.Log.Pace()); err != nil {
		return err
	}
	_, err = child.resolves(ctx, &o.Child)
	return err
}
