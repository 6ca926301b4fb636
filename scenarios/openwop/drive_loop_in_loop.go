package openwop

import (
	"context"
	"net/http"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// NestedObservation is a loop whose workers are loops. Its bound is what its
// own turns need.
type NestedObservation struct {
	Turns    int      `json:"turns"` // of the outer loop, and its bound
	Plain    RunLog   `json:"plain"` // a loop of as many turns under the same bound, whose workers are no loops
	Log      RunLog   `json:"log"`
	Children []RunLog `json:"children"` // Ended.Last is the snapshot
}

// loopsInALoop runs a bounded loop that dispatches loops.
var loopsInALoop = &scenarios.Drive[NestedObservation]{
	ID:    "openwop/loops-in-a-loop",
	Title: "runs a loop of random length with a maxLoopIterations that its turns just keep, then one like it that dispatches loops of four turns",
	Sends: []string{"POST /v1/runs (assay-loop, and assay-loop with a plan of assay-loop) with configurable.maxLoopIterations", "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll", "GET /v1/runs/{childRunId} and its events"},
	Run: func(ctx context.Context, c *scenarios.Conn) (NestedObservation, error) {
		h := host{c}
		if !h.offers(fixtureLoop, fixtureNoop) {
			return NestedObservation{}, scenarios.Block("no loop fixture of chosen length is on offer", loadFixtures)
		}
		if turns, why := h.ceiling(); turns < 4 {
			return NestedObservation{}, scenarios.Block("the host lets no loop take enough turns: "+why, "advertise higher limits while the host is certified")
		}
		o := NestedObservation{Turns: h.between(2, 4)}
		plain, err := h.create(ctx, "create the loop of no loops", scripted{fixtureLoop, h.loopPlan(o.Turns), true}.request(new(int64(o.Turns))))
		if err != nil {
			return o, err
		}
		if o.Plain, err = plain.finish(ctx, "log of the loop of no loops"); err != nil {
			return o, err
		}
		p := make(plan, o.Turns)
		for i := range p {
			p[i] = nextWorker(fixtureLoop)
		}
		p[o.Turns-1] = terminate(h.Name("done"))
		r, err := h.create(ctx, "create the loop of loops", scripted{fixtureLoop, p, true}.request(new(int64(o.Turns))))
		if err != nil {
			return o, err
		}
		if o.Log, err = r.finish(ctx, "log of the loop of loops"); err != nil {
			return o, err
		}
		for _, e := range o.Log.Phase(openwopv1.ChainPhaseDispatchSucceeded).Values {
			child, err := h.inner(ctx, e.At("/payload/childRunId").String())
			if err != nil {
				return o, err
			}
			o.Children = append(o.Children, child)
		}
		return o, nil
	},
}

// inner reads a child run with its log.
func (h host) inner(ctx context.Context, id string) (RunLog, error) {
	reply, err := h.do(ctx, wire.Call{Method: http.MethodGet, Path: runPath(id), Label: "inner loop"})
	if err != nil {
		return RunLog{}, err
	}
	child := h.adopt(reply)
	if child.ID == "" {
		return child.log(ctx, "log of the inner loop")
	}
	return child.finish(ctx, "log of the inner loop")
}
