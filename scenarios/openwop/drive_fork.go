package openwop

import (
	"context"
	"net/http"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// ForkObservation is two finished loops and a replay of each: one that ended
// by itself, and one that crossed its bound.
type ForkObservation struct {
	Way             string `json:"way"`
	Turns           int    `json:"turns"`
	Bound           int    `json:"bound"`
	Source          RunLog `json:"source"`
	Replayed        RunLog `json:"replayed"`
	BoundedSource   RunLog `json:"boundedSource"`
	BoundedReplayed RunLog `json:"boundedReplayed"`
}

// replayedLoops forks finished runs in mode replay, from their first event.
var replayedLoops = &scenarios.Drive[ForkObservation]{
	ID:    "openwop/replayed-loops",
	Title: "replays a finished loop, and one that crossed its bound, from the first event",
	Sends: []string{"POST /v1/runs (two loops)", "POST /v1/runs/{runId}:fork {mode: replay}", "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll"},
	Run: func(ctx context.Context, c *scenarios.Conn) (ForkObservation, error) {
		h := host{c}
		way, err := h.loopOf(3, 6, 0)
		if err != nil {
			return ForkObservation{}, err
		}
		o := ForkObservation{Way: way.Fixture, Turns: way.turns(), Bound: way.turns() - 1}
		bound := int64(o.Bound)
		for _, loop := range []struct {
			label            string
			bound            *int64
			source, replayed *RunLog
		}{{"the loop", nil, &o.Source, &o.Replayed}, {"the bounded loop", &bound, &o.BoundedSource, &o.BoundedReplayed}} {
			r, err := h.create(ctx, "create "+loop.label, way.request(loop.bound))
			if err != nil {
				return o, err
			}
			if *loop.source, err = r.finish(ctx, "log of "+loop.label); err != nil || !loop.source.Ended.Reached {
				return o, err
			}
			fork, err := h.fork(ctx, r)
			if err != nil {
				return o, err
			}
			if *loop.replayed, err = fork.finish(ctx, "log of the replay of "+loop.label); err != nil {
				return o, err
			}
		}
		return o, nil
	},
}

func (h host) fork(ctx context.Context, source *run) (*run, error) {
	reply, err := h.do(ctx, wire.Call{Method: http.MethodPost, Path: runPath(source.ID) + ":fork", Label: "replay",
		Body: openwopv1.ForkRunRequest{Mode: openwopv1.ForkModeReplay, FromSeq: new(int64(0))}})
	if err != nil {
		return nil, err
	}
	return h.adopt(reply), nil
}
