package histories

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire"
)

// drawMode draws one of the modes that the host claims. ByHand is always among them.
func drawMode(r *rand.Rand, d scenarios.Discovery) model.GoalMode {
	modes := []model.GoalMode{model.ByHand}
	for mode, claim := range map[model.GoalMode]scenarios.Claim{
		model.ByHeartbeat: claims.GoalsHeartbeat, model.ByCommitment: claims.GoalsCommitment, model.Daily: claims.GoalsSchedule,
	} {
		if _, claimed := claim.Look(d); claimed {
			modes = append(modes, mode)
		}
	}
	slices.Sort(modes) // the order of a map is random, and a seed must draw the same mode again
	return modes[r.IntN(len(modes))]
}

// arm returns the continuation of a mode and a function that triggers a run of its goal. Both are nil for ByHand, and if the host lacks
// the seam. Nothing triggers a Daily goal.
func arm(ctx context.Context, h host.Host, mode model.GoalMode) (c *dialect.GoalContinuation, push func(context.Context) (took bool)) {
	var ref string
	find := func(name string, least any) (seam host.Seam) {
		seam, _ = h.FindSeam(ctx, name, least) // no goal is armed with it yet
		return seam
	}
	err := scenarios.Try(func() {
		switch mode {
		case model.ByHeartbeat:
			ref = h.Name("heartbeat")
			seam := find("heartbeat/tick", host.TickOf(ref, h.Marker()))
			push = func(ctx context.Context) bool {
				reply := seam.Ask(ctx, host.TickOf(ref, h.Marker()))
				h.Adopt(reply)
				return reply.Success()
			}
		case model.ByCommitment:
			ref = h.Name("promise")
			fire := dialect.CommitmentFireRequest{CommitmentID: ref}
			seam := find("commitment/fire", fire)
			known := false // the host may fire only commitments that it made itself
			push = func(ctx context.Context) bool {
				known = len(seam.Ask(ctx, fire).Value("/events").Items()) > 0 || known
				return known
			}
		case model.Daily:
			ref = host.Every(24 * time.Hour)
		}
	})
	if host.IsBlocked(err) || err == nil && mode == model.ByHand {
		return nil, nil
	}
	scenarios.End(err)
	return &dialect.GoalContinuation{Mode: dialect.GoalContinuationMode(mode), ArmRef: &ref}, push
}

// pushed triggers a run. If the goal is active, it waits until the goal lists that run.
func (g *standing) pushed(ctx context.Context) model.GoalSaw {
	if g.push == nil {
		return model.GoalSaw{Nobody: true}
	}
	runs := func(goal wire.Value) int { return len(goal.At("/progress/contributingRunIds").Items()) }
	before := g.Read(ctx, "the goal, before it is pushed").Body
	if !g.push(ctx) {
		return model.GoalSaw{Nobody: true}
	}
	out := g.saying(host.GoalReply{})
	if g.paused || before.Key("state").String() != string(model.GoalActive) {
		return out
	}
	const what = "the goal shows the run that a push caused"
	out.Now = g.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
		now := g.Look(ctx, what).Body
		return now, runs(now) > runs(before) || now.Key("state").String() != string(model.GoalActive)
	}).Last
	return out
}
