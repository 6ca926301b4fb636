package goals

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// GoalReplayObservation is a goal with one run that was replayed between two others.
type GoalReplayObservation struct {
	GoalObservation
	Fork host.Forked `json:"fork"`
}

// goalReplayed replays a run of an active goal. A later tick shows that the host had time to judge the replay.
var goalReplayed = &scenarios.Drive[GoalReplayObservation]{
	ID:    "openwop/goal-replayed",
	Title: "ticks a goal a random number of times, replays the first of its runs to the end, and ticks it once more",
	Sends: []string{"{create goal}", sendsTicks, "{fork run} {mode: replay} of a contributing run", "{read goal}", "{read trail}",
		"{read run} and its events of each contributing run"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *GoalReplayObservation) {
		h := host.Host{Conn: c}
		before := h.Between(1, 2)
		o.Runs = before + 1
		home := h.StandingGoals(ctx)
		var g *host.Goal
		if g, o.Goal = home.Begin(ctx, host.BoundedTo(h.Between(10, 20))); !madeActive(o.Goal) {
			return
		}
		now := o.Goal.Fresh.Body
		for range before {
			t := once(ctx, g, "tick before the replay", now)
			if o.Ticks = append(o.Ticks, t); !t.Shown.Reached || hasEnded(t.Shown.Last) {
				return
			}
			now = t.Shown.Last
		}
		shown := runsOf(now).Items()
		if len(shown) == 0 {
			return
		}
		source := &host.Run{Host: h, ID: shown[0].String(), Gone: func() {}}
		if o.Fork = h.ForkFrom(ctx, source, dialect.ForkRunRequest{Mode: dialect.ForkModeReplay,
			FromSeq: new(int64(0))}); !host.Succeeded(o.Fork.Log.Created) {
			return
		}
		t := once(ctx, g, "tick after the replay", now)
		o.Ticks = append(o.Ticks, t)
		o.Still.Later = g.Read(ctx, "the goal after the replay")
		o.Trail = trail(ctx, g, o.Still.Later)
	},
}
