package goals

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// GoalStill is a goal that was ticked while it had to stand still.
type GoalStill struct {
	Ticks  []GoalTick     `json:"ticks"`
	Window time.Duration  `json:"windowNs"`
	Later  host.GoalReply `json:"later"`  // read when the window was over
	Strays []host.Child   `json:"strays"` // runs that a tick named, that are there, and that the goal does not show
}

// still ticks a goal that has to stand still: twice, and once more behind a
// barrier. Then it lets a window go by and reads the goal. went are the ticks
// that made it go on. Those that may have come too late, or too often, are
// suspect, like its own: a run that they name must be one that the goal shows.
func still(ctx context.Context, g *host.Goal, ask dialect.GoalTickRequest, went []GoalTick, suspect ...GoalTick) GoalStill {
	var s GoalStill
	pace := paceOf(slices.Concat(went, suspect))
	for i := range 3 {
		if i == 2 {
			barrier(ctx, g.GoalHome.Host, pace)
		}
		t := tick(ctx, g, fmt.Sprintf("tick %d while it has to stand still", i+1), ask)
		s.Ticks = append(s.Ticks, t)
	}
	s.Window = g.Quiet(ctx, pace)
	s.Later = g.Read(ctx, "the goal after a quiet window")
	s.Strays = strays(ctx, g, s.Later.Body, went, slices.Concat(suspect, s.Ticks))
	return s
}

// paceOf is the longest that a tick took to show: how long the goal takes to
// go on when it does go on.
func paceOf(ticks []GoalTick) time.Duration {
	var slowest time.Duration
	for _, t := range ticks {
		slowest = max(slowest, t.Shown.Gap())
	}
	return min(slowest, time.Second) // a slow host does not decide how long we wait
}

// barrier gives the host time to show what it is still at work on: another run
// from end to end, or a quiet window where it offers none.
func barrier(ctx context.Context, h host.Host, pace time.Duration) {
	if !h.Offers(fixture.Noop) {
		h.Quiet(ctx, pace)
		return
	}
	if r := h.Create(ctx, "sentinel", dialect.CreateRunRequest{WorkflowID: fixture.Noop}); r.ID != "" {
		r.AwaitEnd(ctx)
	}
}

// strays are the runs that suspect ticks named and that the goal does not show,
// where the host serves them as runs of its own. A run that got stuck was not
// judged, and need not be shown as a contribution.
func strays(ctx context.Context, g *host.Goal, goal wire.Value, went, suspect []GoalTick) []host.Child {
	known := map[string]bool{"": true}
	for _, id := range runsOf(goal).Items() {
		known[id.String()] = true
	}
	for _, t := range went {
		known[t.RunID.String()] = true
	}
	var out []host.Child
	for _, t := range suspect {
		id := t.RunID.String()
		if known[id] {
			continue
		}
		known[id] = true
		reply := (&host.Run{Host: g.Host, ID: id}).Snapshot(ctx, "a run that the goal does not show")
		if reply.Success() {
			out = append(out, host.Child{ID: id, Snapshot: reply.Value("")})
		}
	}
	return out
}
