package goals

import (
	"context"
	"fmt"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// GoalAloneObservation is a goal that fires its own runs, beside a second goal of the same continuation.
// The second goal shows how long a window must be.
type GoalAloneObservation struct {
	Goal   host.GoalMade  `json:"goal"`
	Beside host.GoalMade  `json:"beside"` // the second goal; it is neither paused nor ended
	Bound  int            `json:"bound" drawn:"true"`
	Going  wire.Wait      `json:"going"` // it shows its first runs
	Along  wire.Wait      `json:"along"` // the second goal shows as many, where both were pushed
	Paused host.GoalReply `json:"paused"`
	// Settled is the goal after a run under way at the pause had time to end.
	// Held is the goal after the second goal had moved on.
	Settled   host.GoalReply `json:"settled"`
	Meanwhile wire.Wait      `json:"meanwhile"`
	Held      host.GoalReply `json:"held"`
	Resumed   GoalEdit       `json:"resumed"`
	Ended     wire.Wait      `json:"ended"`
	// Later is the goal, read after the second goal had moved on past its end.
	After wire.Wait      `json:"after"`
	Later host.GoalReply `json:"later"`
	Stuck GoalArmedStuck `json:"stuck,omitzero"` // another goal, escalated while a push moves others; zero at quick
}

// GoalArmedStuck is an escalated goal: one of its runs asked a question that nobody answered. Active, it would fire runs by itself.
type GoalArmedStuck struct {
	Child  host.Child     `json:"child"`
	Before wire.Value     `json:"before"` // the goal, escalated; absent if it did not come to that
	Others wire.Wait      `json:"others"` // another goal of the same continuation had two runs more
	Later  host.GoalReply `json:"later"`
}

// outran reports whether the goal ended before it could be paused or observed, or ended
// before it could be observed after it was resumed.
func (o GoalAloneObservation) outran() bool {
	rested, resumed := runCount(o.Settled.Body), o.Resumed.After.Body
	return hasEnded(o.Settled.Body) || hasEnded(o.Goal.Fresh.Body) ||
		hasEnded(resumed) && runCount(o.Held.Body) == rested && runCount(resumed) > rested
}

// manyRuns is a bound that a goal does not reach while another one is observed.
const manyRuns = 500

// pair is a goal that fires its own runs, and a second one beside it.
type pair struct{ watched, beside *host.Goal }

// createPair makes two goals with the same continuation. It ends the drive if the host
// refuses the armRef, which Assay chose, or makes only one of them.
func createPair(ctx context.Context, g host.GoalHome, o *GoalAloneObservation, mode dialect.GoalContinuationMode, arm string) (p pair) {
	for _, one := range []struct {
		made  **host.Goal
		seen  *host.GoalMade
		label string
		bound int
	}{
		{&p.watched, &o.Goal, "create a goal of mode " + string(mode), o.Bound},
		{&p.beside, &o.Beside, "create another one beside it", manyRuns},
	} {
		made := createArmed(ctx, g, one.label, mode, arm, one.bound)
		if *one.made = made; made.ID == "" {
			return p
		}
	}
	o.Goal, o.Beside = p.watched.Seen(ctx), p.beside.Seen(ctx)
	return p
}

// createArmed makes one goal that fires its own runs, without an armRef if arm is "".
func createArmed(ctx context.Context, g host.GoalHome, label string, mode dialect.GoalContinuationMode, arm string, bound int) *host.Goal {
	ask := g.GoalRequest(host.BoundedTo(bound))
	if ask.Continuation = (dialect.GoalContinuation{Mode: mode}); arm != "" {
		ask.Continuation.ArmRef = &arm
	}
	made := g.Create(ctx, label, ask)
	if status, _ := made.Created.Status.Int(); status/100 == 4 {
		scenarios.End(scenarios.Block(fmt.Sprintf("a goal of mode %s with the armRef %q is refused with HTTP %d", mode, arm, status),
			"take this form of armRef, for more than one goal at a time (docs/seams.md)"))
	}
	return made
}

// bothActive reports whether both goals were made and are active.
func (o GoalAloneObservation) bothActive() bool { return madeActive(o.Goal) && madeActive(o.Beside) }

// reaches waits until the goal lists this number of runs.
func reaches(ctx context.Context, g *host.Goal, runs int) wire.Wait {
	what := fmt.Sprintf("the goal shows %d runs", runs)
	return g.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
		reply := g.Look(ctx, what)
		return reply.Body, runCount(reply.Body) >= runs
	})
}

func awaitEnd(ctx context.Context, g *host.Goal) wire.Wait {
	return g.Await(ctx, "the goal has ended", func(ctx context.Context) (wire.Value, bool) {
		reply := g.Look(ctx, "the goal has ended")
		return reply.Body, hasEnded(reply.Body)
	})
}

// awaitAllRuns waits for the remaining runs of the goal, one by one, and for its end.
func awaitAllRuns(ctx context.Context, g *host.Goal, now wire.Value, bound int) (w wire.Wait) {
	for n := runCount(now) + 1; n <= bound; n++ {
		if w = reaches(ctx, g, n); !w.Reached {
			return w
		}
	}
	return awaitEnd(ctx, g)
}

// more waits until the goal lists two more runs. push fires a run of each goal if time alone does not.
// Between the two runs every other goal of the same continuation had its turn.
func more(ctx context.Context, g *host.Goal, push func(context.Context)) (w wire.Wait) {
	now := g.Read(ctx, "the goal beside it")
	for n := range 2 {
		if push != nil {
			push(ctx)
		}
		if w = reaches(ctx, g, runCount(now.Body)+n+1); !w.Reached {
			return w
		}
	}
	return w
}

// holds observes the paused goal while the second goal moves on, then resumes it.
func (p pair) holds(ctx context.Context, o *GoalAloneObservation, push func(context.Context)) {
	if o.Settled = p.watched.Read(ctx, "the goal, paused"); o.outran() {
		return
	}
	o.Meanwhile = more(ctx, p.beside, push)
	o.Held = p.watched.Read(ctx, "the goal, paused for a while")
	o.Resumed = change(ctx, p.watched, dialect.ResumeGoal, isActive)
}

// rests observes the ended goal while the second goal moves on, then ends that one too.
func (p pair) rests(ctx context.Context, o *GoalAloneObservation, push func(context.Context)) {
	o.After = more(ctx, p.beside, push)
	o.Later = p.watched.Read(ctx, "the goal, a while after its end")
	act(ctx, p.beside, dialect.AbandonGoal)
}
