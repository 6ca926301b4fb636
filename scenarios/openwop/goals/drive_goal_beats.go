package goals

import (
	"context"
	"fmt"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// goalByHeartbeat makes goals that continue by heartbeat.
var goalByHeartbeat = &scenarios.Drive[GoalAloneObservation]{
	ID: "openwop/goal-by-heartbeat",
	Title: "makes two goals that go on by one heartbeat and has it see changes up to the bound of one, of random length, " +
		"two of them while that one is paused and two after its end; beyond quick, has a run of one more get stuck and the heartbeat see two " +
		"changes",
	Sends: []string{"{create goal} {continuation: {mode: heartbeat, armRef: random}, bounds: {maxLoopIterations: random}}, twice",
		"{use seam:heartbeat/tick} {observedState: random}",
		"{read goal}", "{pause goal}", "{resume goal}", "{abandon goal}", "{tick goal} {escalate: true}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *GoalAloneObservation) {
		h := host.Host{Conn: c}
		home := h.StandingGoals(ctx)
		heartbeat := h.Name("heartbeat")
		seam, _ := h.FindSeam(ctx, "heartbeat/tick", host.TickOf(heartbeat, h.Marker())) // no goal is armed with it yet
		*o = pushed(ctx, home, dialect.GoalContinuationModeHeartbeat, heartbeat, func(ctx context.Context) {
			h.Adopt(seam.Ask(ctx, host.TickOf(heartbeat, h.Marker())))
		})
	},
}

// goalByCommitment makes goals that continue by commitment.
var goalByCommitment = &scenarios.Drive[GoalAloneObservation]{
	ID: "openwop/goal-by-commitment",
	Title: "makes two goals that go on by one commitment and fires it up to the bound of one, of random length, twice while " +
		"that one is paused and twice after its end; beyond quick, has a run of one more get stuck and fires it twice",
	Sends: []string{"{create goal} {continuation: {mode: commitment, armRef: random}, bounds: {maxLoopIterations: random}}, twice",
		"{use seam:commitment/fire} {commitmentId: random}",
		"{read goal}", "{pause goal}", "{resume goal}", "{abandon goal}", "{tick goal} {escalate: true}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *GoalAloneObservation) {
		h := host.Host{Conn: c}
		home := h.StandingGoals(ctx)
		commitment := dialect.CommitmentFireRequest{CommitmentID: h.Name("promise")}
		seam, _ := h.FindSeam(ctx, "commitment/fire", commitment) // no goal uses it yet
		known := false
		*o = pushed(ctx, home, dialect.GoalContinuationModeCommitment, commitment.CommitmentID, func(ctx context.Context) {
			reply := seam.Ask(ctx, commitment)
			if known = known || len(reply.Value("/events").Items()) > 0; known {
				return
			}
			// The host may use commitments of its own making, which this drive does not test.
			scenarios.End(scenarios.Block(fmt.Sprintf("the seam %s does not fire the commitment: HTTP %d", seam.Path(), reply.Status),
				"take the armRef of a goal for the id of a commitment (docs/seams.md)"))
		})
	},
}

// pushed makes two goals that continue on an event, which push triggers. No run is under way at the pause,
// so pushed need not wait for one.
func pushed(ctx context.Context, g host.GoalHome, mode dialect.GoalContinuationMode, arm string,
	push func(context.Context)) GoalAloneObservation {
	o := GoalAloneObservation{Bound: g.Between(3, 4)}
	p := createPair(ctx, g, &o, mode, arm)
	if !o.bothActive() {
		return o
	}
	for n := 1; n <= 2; n++ {
		push(ctx)
		if o.Going = reaches(ctx, p.watched, n); !o.Going.Reached {
			return o
		}
		if o.Along = reaches(ctx, p.beside, n); !o.Along.Reached {
			return o
		}
	}
	o.Paused = act(ctx, p.watched, dialect.PauseGoal)
	p.holds(ctx, &o, push)
	if !isActive(o.Resumed.After.Body) {
		return o
	}
	for n := runCount(o.Resumed.After.Body) + 1; n <= o.Bound; n++ {
		push(ctx)
		reaches(ctx, p.watched, n)
	}
	if o.Ended = awaitEnd(ctx, p.watched); !o.Ended.Reached {
		return o
	}
	p.rests(ctx, &o, push)
	if _, escalates := claims.GoalsEscalation.Look(g.Discovery); escalates && g.Depth > scenarios.Quick {
		stuck, err := scenarios.Attempt(func() GoalArmedStuck { return staysStuck(ctx, g, mode, arm, push) })
		if o.Stuck = stuck; !host.IsBlocked(err) { // a host may have no room for more goals, and no seam that ticks them
			scenarios.End(err)
		}
	}
	return o
}

// staysStuck escalates a goal, then pushes until a second goal of the same continuation has gone on.
func staysStuck(ctx context.Context, g host.GoalHome, mode dialect.GoalContinuationMode, arm string,
	push func(context.Context)) (o GoalArmedStuck) {
	made := createArmed(ctx, g, "create a goal of mode "+string(mode)+" that gets stuck", mode, arm, manyRuns)
	if made.ID == "" {
		return o
	}
	defer act(ctx, made, dialect.AbandonGoal)
	t, _ := ticked(ctx, made, "tick of a goal that goes on by itself, whose run gets stuck", dialect.GoalTickRequest{Escalate: new(true)})
	if !host.Succeeded(t.Status) {
		return o
	}
	ended := awaitEnd(ctx, made)
	if o.Child = stuck(ctx, made, GoalObservation{Ticks: []GoalTick{t}}); o.Child.ID == "" ||
		stateOf(ended.Last).String() != string(dialect.GoalStateEscalated) {
		return o
	}
	beside := createArmed(ctx, g, "create another one beside it", mode, arm, manyRuns)
	if beside.ID == "" {
		return o
	}
	defer act(ctx, beside, dialect.AbandonGoal)
	o.Before = ended.Last
	o.Others = more(ctx, beside, push)
	o.Later = made.Read(ctx, "the goal that is escalated, when another one had gone on")
	return o
}
