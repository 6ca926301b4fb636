package openwop

import (
	"context"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
)

// GoalReplayObservation is a goal, one of whose runs was replayed between two others.
type GoalReplayObservation struct {
	GoalObservation
	Fork Forked `json:"fork"`
}

// goalReplayed replays a run of a goal that goes on. The tick after it shows that the host had the time to judge it.
var goalReplayed = &scenarios.Drive[GoalReplayObservation]{
	ID:    "openwop/goal-replayed",
	Title: "ticks a goal a random number of times, replays the first of its runs to the end, and ticks it once more",
	Sends: []string{"POST {prefix}/goals", sendsTicks, "POST /v1/runs/{runId}:fork {mode: replay} of a contributing run", "GET {prefix}/goals/{id}", "GET {prefix}/goals/{id}/events",
		"GET /v1/runs/{runId} and its events of each contributing run"},
	Run: func(ctx context.Context, c *scenarios.Conn) (GoalReplayObservation, error) {
		h := host{c}
		var o GoalReplayObservation
		before := h.between(1, 2)
		o.Runs = before + 1
		home, err := h.standingGoals(ctx)
		if err != nil {
			return o, err
		}
		var g *goal
		if g, o.Goal, err = home.begin(ctx, boundedTo(h.between(10, 20))); err != nil || !o.Goal.goesOn() {
			return o, err
		}
		now := o.Goal.Fresh.Body
		for range before {
			t, err := g.once(ctx, "tick before the replay", now)
			if o.Ticks = append(o.Ticks, t); err != nil || !t.Shown.Reached || hasEnded(t.Shown.Last) {
				return o, err
			}
			now = t.Shown.Last
		}
		shown := runsOf(now).Items()
		if len(shown) == 0 {
			return o, nil
		}
		source := &run{host: h, ID: shown[0].String(), gone: func() {}}
		if o.Fork, err = h.forkFrom(ctx, source, openwopv1.ForkRunRequest{Mode: openwopv1.ForkModeReplay, FromSeq: new(int64(0))}); err != nil || !succeeded(o.Fork.Log.Created) {
			return o, err
		}
		t, err := g.once(ctx, "tick after the replay", now)
		if o.Ticks = append(o.Ticks, t); err != nil {
			return o, err
		}
		if o.Still.Later, err = g.read(ctx, "the goal after the replay"); err != nil {
			return o, err
		}
		o.Trail, err = g.trail(ctx, o.Still.Later)
		return o, err
	},
}
