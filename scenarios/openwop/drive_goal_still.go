package openwop

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios/wire"
)

// GoalStill is a goal that was ticked while it had to stand still.
type GoalStill struct {
	Ticks  []GoalTick    `json:"ticks"`
	Window time.Duration `json:"windowNs"`
	Later  GoalReply     `json:"later"`  // read when the window was over
	Strays []Child       `json:"strays"` // runs that a tick named, that are there, and that the goal does not show
}

// still ticks a goal that has to stand still: twice, and once more behind a
// barrier. Then it lets a window go by and reads the goal. went are the ticks
// that made it go on. Those that may have come too late, or too often, are
// suspect, like its own: a run that they name must be one that the goal shows.
func (g *goal) still(ctx context.Context, ask openwopv1.GoalTickRequest, went []GoalTick, suspect ...GoalTick) (GoalStill, error) {
	var s GoalStill
	pace := paceOf(slices.Concat(went, suspect))
	for i := range 3 {
		if i == 2 {
			if err := g.barrier(ctx, pace); err != nil {
				return s, err
			}
		}
		t, err := g.tick(ctx, fmt.Sprintf("tick %d while it has to stand still", i+1), ask)
		if err != nil {
			return s, err
		}
		s.Ticks = append(s.Ticks, t)
	}
	var err error
	if s.Window, err = g.Quiet(ctx, pace); err != nil {
		return s, err
	}
	if s.Later, err = g.read(ctx, "the goal after a quiet window"); err != nil {
		return s, err
	}
	s.Strays, err = g.strays(ctx, s.Later.Body, went, slices.Concat(suspect, s.Ticks))
	return s, err
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
func (h host) barrier(ctx context.Context, pace time.Duration) error {
	if !h.offers(fixtureNoop) {
		_, err := h.Quiet(ctx, pace)
		return err
	}
	r, err := h.create(ctx, "sentinel", openwopv1.CreateRunRequest{WorkflowID: fixtureNoop})
	if err == nil && r.ID != "" {
		_, err = r.ended(ctx)
	}
	return err
}

// strays are the runs that suspect ticks named and that the goal does not show,
// where the host serves them as runs of its own. A run that got stuck was not
// judged, and need not be shown as a contribution.
func (g *goal) strays(ctx context.Context, goal wire.Value, went, suspect []GoalTick) ([]Child, error) {
	known := map[string]bool{"": true}
	for _, id := range runsOf(goal).Items() {
		known[id.String()] = true
	}
	for _, t := range went {
		known[t.RunID.String()] = true
	}
	var out []Child
	for _, t := range suspect {
		id := t.RunID.String()
		if known[id] {
			continue
		}
		known[id] = true
		reply, err := (&run{host: g.host, ID: id}).snapshot(ctx, "a run that the goal does not show")
		if err != nil {
			return nil, err
		}
		if reply.Success() {
			out = append(out, Child{ID: id, Snapshot: reply.Value("")})
		}
	}
	return out, nil
}
