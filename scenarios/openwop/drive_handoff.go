package openwop

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// LostObservation is a loop whose first worker does not complete, and whose
// second one does.
type LostObservation struct {
	Way     string `json:"way"`
	Mapped  bool   `json:"mapped"`  // what the first worker has to say would end up in Outcome
	Outcome string `json:"outcome"` // value of the parent's variable of that name before
	Lost    string `json:"lost"`    // the first worker
	Next    string `json:"next"`    // the second
	// Running and Cancelled are of a worker that was cancelled: that it was at
	// work, with its snapshot, and the HTTP status of the call that cancelled it.
	Running   wire.Wait  `json:"running"`
	Cancelled wire.Value `json:"cancelled"`
	Log       RunLog     `json:"log"` // of the parent
	Children  []ChildRun `json:"children"`
}

const sendsLost = "POST /v1/runs (assay-loop-mapped or assay-loop with a chosen plan)"

// workerThatFails hands over to a worker that fails.
var workerThatFails = &scenarios.Drive[LostObservation]{
	ID:    "openwop/worker-that-fails",
	Title: "runs a loop whose first worker fails and whose second one does not, and reads both",
	Sends: []string{sendsLost, "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll", "GET /v1/runs/{childRunId}", "GET /v1/runs/{childRunId}/events/poll"},
	Run: func(ctx context.Context, c *scenarios.Conn) (LostObservation, error) {
		h := host{c}
		r, o, err := h.lose(ctx, fixtureFail, fixtureFail)
		if err != nil {
			return o, err
		}
		return o, r.follow(ctx, &o)
	},
}

// workerThatIsNone hands over to a worker that does not exist.
var workerThatIsNone = &scenarios.Drive[LostObservation]{
	ID:    "openwop/worker-that-is-none",
	Title: "runs a loop whose first worker is a random name that the host cannot know, and whose second one exists",
	Sends: []string{sendsLost, "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll", "GET /v1/runs/{childRunId}", "GET /v1/runs/{childRunId}/events/poll"},
	Run: func(ctx context.Context, c *scenarios.Conn) (LostObservation, error) {
		h := host{c}
		r, o, err := h.lose(ctx, h.Name("no-such-workflow"))
		if err != nil {
			return o, err
		}
		return o, r.follow(ctx, &o)
	},
}

// workerThatIsCancelled cancels a worker while it waits.
var workerThatIsCancelled = &scenarios.Drive[LostObservation]{
	ID:    "openwop/worker-that-is-cancelled",
	Title: "runs a loop whose first worker waits half a minute, cancels that worker, and reads both",
	Sends: []string{
		sendsLost, "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll", "POST /v1/runs/{childRunId}/cancel",
		"GET /v1/runs/{childRunId}", "GET /v1/runs/{childRunId}/events/poll",
	},
	Run: func(ctx context.Context, c *scenarios.Conn) (LostObservation, error) {
		h := host{c}
		r, o, err := h.lose(ctx, fixtureWait, fixtureWait)
		if err != nil {
			return o, err
		}
		if r.ID == "" {
			return o, r.follow(ctx, &o)
		}
		child, err := r.worker(ctx, &o.Running)
		if err != nil {
			return o, err
		}
		if !o.Running.Reached {
			o.Log, err = r.log(ctx, "log of the loop")
			return o, err
		}
		if o.Cancelled, err = child.cancel(ctx, h.Name("assay")); err != nil {
			return o, err
		}
		return o, r.follow(ctx, &o)
	},
}

// lose starts a loop that hands over to the worker, and then to one that
// completes. needs are fixtures that this takes.
func (h host) lose(ctx context.Context, worker string, needs ...string) (*run, LostObservation, error) {
	ceiling, why := h.ceiling()
	o := LostObservation{Lost: worker, Outcome: h.marker()}
	_, maps := dispatchMapping.Look(h.Discovery)
	switch {
	case ceiling < 3:
		return nil, o, scenarios.Block("the host lets no loop take enough turns: "+why, "advertise higher limits while the host is certified")
	case !h.offers(needs...):
		return nil, o, scenarios.Block("the worker is not on offer", loadFixtures)
	case maps && h.offers(fixtureMapped, fixtureEcho) && len(needs) > 0:
		o.Way, o.Mapped, o.Next = fixtureMapped, true, fixtureEcho
	case h.offers(fixtureLoop, fixtureNoop):
		o.Way, o.Next = fixtureLoop, fixtureNoop
	default:
		return nil, o, scenarios.Block("no loop fixture with chosen workers is on offer", loadFixtures)
	}
	request := scripted{o.Way, plan{nextWorker(worker), nextWorker(o.Next), terminate(h.Name("done"))}, true}.request(nil)
	if o.Mapped {
		request.Inputs["outcome"] = o.Outcome
	}
	r, err := h.create(ctx, "create the loop", request)
	return r, o, err
}

// worker waits until the run names the child it has made, and that one is served as being at work.
func (r *run) worker(ctx context.Context, running *wire.Wait) (*run, error) {
	found, l, err := r.awaitChildren(ctx, 1)
	*running = found
	if err != nil || !found.Reached {
		return nil, err
	}
	child, err := r.childRun(ctx, childIDs(l)[0])
	if err != nil {
		return nil, err
	}
	running.What, running.Last = "the child that the run names is at work", child.Created.Value("")
	running.Reached = child.Created.Success() && !isTerminal(running.Last.Key("status").String())
	return child, nil
}

// follow reads the loop to its end, and its children.
func (r *run) follow(ctx context.Context, o *LostObservation) (err error) {
	if o.Log, err = r.finish(ctx, "log of the loop"); err != nil || !o.Log.Ended.Reached {
		return err
	}
	o.Children, err = r.childRuns(ctx, o.Log, 2)
	return err
}
