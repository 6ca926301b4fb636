package goals

import (
	"context"
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// goalByHeartbeat makes goals that go on by a heartbeat.
var goalByHeartbeat = &scenarios.Drive[GoalAloneObservation]{
	ID:    "openwop/goal-by-heartbeat",
	Title: "makes two goals that go on by one heartbeat and has it see changes up to the bound of one, of random length, two of them while that one is paused and two after its end",
	Sends: []string{"POST {prefix}/goals {continuation: {mode: heartbeat, armRef: random}, bounds: {maxLoopIterations: random}}, twice", "POST {prefix}/heartbeat/tick {observedState: random}",
		"GET {prefix}/goals/{id}", "POST {prefix}/goals/{id}/pause", "POST {prefix}/goals/{id}/resume", "POST {prefix}/goals/{id}/abandon"},
	Run: func(ctx context.Context, c *scenarios.Conn) (GoalAloneObservation, error) {
		h := host.Host{Conn: c}
		home, err := h.StandingGoals(ctx)
		if err != nil {
			return GoalAloneObservation{}, err
		}
		heartbeat := h.Name("assay")
		seam, _, err := h.FindSeam(ctx, "heartbeat/tick", host.TickOf(heartbeat, h.Marker())) // no goal is armed with it yet
		if err != nil {
			return GoalAloneObservation{}, err
		}
		return pushed(ctx, home, openwopv1.GoalContinuationModeHeartbeat, heartbeat, func(ctx context.Context) error {
			reply, err := seam.Ask(ctx, host.TickOf(heartbeat, h.Marker()))
			if err == nil {
				h.Adopt(reply)
			}
			return err
		})
	},
}

// goalByCommitment makes goals that go on by a commitment.
var goalByCommitment = &scenarios.Drive[GoalAloneObservation]{
	ID:    "openwop/goal-by-commitment",
	Title: "makes two goals that go on by one commitment and fires it up to the bound of one, of random length, twice while that one is paused and twice after its end",
	Sends: []string{"POST {prefix}/goals {continuation: {mode: commitment, armRef: random}, bounds: {maxLoopIterations: random}}, twice", "POST {prefix}/commitment/fire {commitmentId: random}",
		"GET {prefix}/goals/{id}", "POST {prefix}/goals/{id}/pause", "POST {prefix}/goals/{id}/resume", "POST {prefix}/goals/{id}/abandon"},
	Run: func(ctx context.Context, c *scenarios.Conn) (GoalAloneObservation, error) {
		h := host.Host{Conn: c}
		home, err := h.StandingGoals(ctx)
		if err != nil {
			return GoalAloneObservation{}, err
		}
		commitment := openwopv1.CommitmentFireRequest{CommitmentID: h.Name("assay")}
		seam, _, err := h.FindSeam(ctx, "commitment/fire", commitment) // no goal goes on by it yet
		if err != nil {
			return GoalAloneObservation{}, err
		}
		known := false
		return pushed(ctx, home, openwopv1.GoalContinuationModeCommitment, commitment.CommitmentID, func(ctx context.Context) error {
			reply, err := seam.Ask(ctx, commitment)
			if known = known || err == nil && len(reply.Value("/events").Items()) > 0; known || err != nil {
				return err
			}
			// It may go by commitments of its own making, which are nobody's business here.
			return scenarios.Block(fmt.Sprintf("the seam %s fires no commitment of ours: HTTP %d", seam.Path, reply.Status), "take the armRef of a goal for the id of a commitment (docs/seams.md)")
		})
	},
}

// pushed has two goals go on that do so whenever something happens: push has it happen. No run is under way when the one
// of them is paused, so there is nothing to wait for.
func pushed(ctx context.Context, g host.GoalHome, mode openwopv1.GoalContinuationMode, arm string, push func(context.Context) error) (GoalAloneObservation, error) {
	o := GoalAloneObservation{Bound: g.Between(3, 4)}
	p, err := beginBy(ctx, g, &o, mode, arm)
	if err != nil || !o.goOn() {
		return o, err
	}
	for n := 1; n <= 2; n++ {
		if err := push(ctx); err != nil {
			return o, err
		}
		if o.Going, err = reaches(ctx, p.watched, n); err != nil || !o.Going.Reached {
			return o, err
		}
		if _, err = reaches(ctx, p.beside, n); err != nil {
			return o, err
		}
	}
	if o.Paused, err = act(ctx, p.watched, "pause"); err != nil {
		return o, err
	}
	if err := p.holds(ctx, &o, push); err != nil || !goesOn(o.Resumed.After.Body) {
		return o, err
	}
	for n := contributed(o.Resumed.After.Body) + 1; n <= o.Bound; n++ {
		if err := push(ctx); err != nil {
			return o, err
		}
		if _, err := reaches(ctx, p.watched, n); err != nil {
			return o, err
		}
	}
	if o.Ended, err = awaitEnd(ctx, p.watched); err != nil || !o.Ended.Reached {
		return o, err
	}
	return o, p.rests(ctx, &o, push)
}
