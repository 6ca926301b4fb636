package replay

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// ForkObservation holds two finished loops and a replay of each: one loop ended
// by itself, the other crossed its bound.
type ForkObservation struct {
	Way             string      `json:"way"`
	Turns           int         `json:"turns"`
	Bound           int         `json:"bound"`
	Source          host.RunLog `json:"source"`
	Replayed        host.RunLog `json:"replayed"`
	BoundedSource   host.RunLog `json:"boundedSource"`
	BoundedReplayed host.RunLog `json:"boundedReplayed"`
}

// ReplayedLoops forks finished runs in mode replay, from their first event.
var ReplayedLoops = &scenarios.Drive[ForkObservation]{
	ID:    "openwop/replayed-loops",
	Title: "replays a finished loop, and one that crossed its bound, from the first event",
	Sends: []string{"{create run} (two loops)", "{fork run} {mode: replay}", "{read run}", "{poll log}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *ForkObservation) {
		h := host.Host{Conn: c}
		way := h.LoopOf(3, 6, 0)
		*o = ForkObservation{Way: way.Fixture, Turns: way.Turns(), Bound: way.Turns() - 1}
		bound := int64(o.Bound)
		for _, loop := range []struct {
			label            string
			bound            *int64
			source, replayed *host.RunLog
		}{{"the loop", nil, &o.Source, &o.Replayed}, {"the bounded loop", &bound, &o.BoundedSource, &o.BoundedReplayed}} {
			r := h.Create(ctx, "create "+loop.label, way.Request(loop.bound))
			if *loop.source = r.Finish(ctx, "log of "+loop.label); !loop.source.Ended.Reached {
				return
			}
			fork := h.Fork(ctx, r)
			*loop.replayed = fork.Finish(ctx, "log of the replay of "+loop.label)
		}
	},
}
