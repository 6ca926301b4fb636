package goals

import (
	"context"
	"fmt"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// GoalAloneObservation is a goal that fires its runs by itself, and what became of it while another one, that goes on by
// the same, went on beside it. What the other one does shows how long is long enough.
type GoalAloneObservation struct {
	Goal   host.GoalMade  `json:"goal"`
	Beside host.GoalMade  `json:"beside"` // the other one; it is neither paused nor does it end
	Bound  int            `json:"bound"`
	Going  wire.Wait      `json:"going"` // it shows its first runs
	Paused host.GoalReply `json:"paused"`
	// Settled is the goal when a run that was under way at the pause had time to
	// end; Held is it when the other one had gone on meanwhile.
	Settled   host.GoalReply `json:"settled"`
	Meanwhile wire.Wait      `json:"meanwhile"`
	Held      host.GoalReply `json:"held"`
	Resumed   GoalEdit       `json:"resumed"`
	Ended     wire.Wait      `json:"ended"`
	// Later is the goal when the other one had gone on after its end.
	After wire.Wait      `json:"after"`
	Later host.GoalReply `json:"later"`
}

// outran says whether the goal was at its end before it could be paused, or even seen; or, when it was resumed, before it
// could be seen to go on.
func (o GoalAloneObservation) outran() bool {
	rested, resumed := contributed(o.Settled.Body), o.Resumed.After.Body
	return hasEnded(o.Settled.Body) || hasEnded(o.Goal.Fresh.Body) ||
		hasEnded(resumed) && contributed(o.Held.Body) == rested && contributed(resumed) > rested
}

// manyRuns is a bound that no goal comes to which goes on for as long as another one is looked at.
const manyRuns = 500

// pair is a goal that goes on by itself, and the one beside it.
type pair struct{ watched, beside *host.Goal }

// beginBy makes two goals that go on by the same, and stops the drive where the
// host does not know the armRef, which is ours, or makes one alone.
func beginBy(ctx context.Context, g host.GoalHome, o *GoalAloneObservation, mode dialect.GoalContinuationMode, arm string) (p pair) {
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

// createArmed makes one goal that goes on by itself.
func createArmed(ctx context.Context, g host.GoalHome, label string, mode dialect.GoalContinuationMode, arm string, bound int) *host.Goal {
	ask := g.GoalRequest(host.BoundedTo(bound))
	ask.Continuation = dialect.GoalContinuation{Mode: mode, ArmRef: &arm}
	made := g.Create(ctx, label, ask)
	if status, _ := made.Created.Status.Int(); status/100 == 4 {
		scenarios.End(scenarios.Block(fmt.Sprintf("a goal of mode %s with the armRef %q is refused with HTTP %d", mode, arm, status),
			"take this form of armRef, for more than one goal at a time (docs/seams.md)"))
	}
	return made
}

// goOn says whether both goals were made and are active.
func (o GoalAloneObservation) goOn() bool { return stillGoesOn(o.Goal) && stillGoesOn(o.Beside) }

// reaches waits until the goal shows so many runs.
func reaches(ctx context.Context, g *host.Goal, runs int) wire.Wait {
	what := fmt.Sprintf("the goal shows %d runs", runs)
	return g.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
		reply := g.Read(ctx, what)
		return reply.Body, contributed(reply.Body) >= runs
	})
}

func awaitEnd(ctx context.Context, g *host.Goal) wire.Wait {
	return g.Await(ctx, "the goal has ended", func(ctx context.Context) (wire.Value, bool) {
		reply := g.Read(ctx, "the goal has ended")
		return reply.Body, hasEnded(reply.Body)
	})
}

// runsOut waits for the runs that the goal may still have, one after another, and for its end.
func runsOut(ctx context.Context, g *host.Goal, now wire.Value, bound int) (w wire.Wait) {
	for n := contributed(now) + 1; n <= bound; n++ {
		if w = reaches(ctx, g, n); !w.Reached {
			return w
		}
	}
	return awaitEnd(ctx, g)
}

// more has this goal go on by two runs: push has a run of each goal fired, where time alone does not. Between the two it
// was the turn of every other goal that goes on by the same.
func more(ctx context.Context, g *host.Goal, push func(context.Context)) (w wire.Wait) {
	now := g.Read(ctx, "the goal beside it")
	for n := range 2 {
		if push != nil {
			push(ctx)
		}
		if w = reaches(ctx, g, contributed(now.Body)+n+1); !w.Reached {
			return w
		}
	}
	return w
}

// holds looks at the goal, which was paused, while the other one goes on, and resumes it.
func (p pair) holds(ctx context.Context, o *GoalAloneObservation, push func(context.Context)) {
	if o.Settled = p.watched.Read(ctx, "the goal, paused"); o.outran() {
		return
	}
	o.Meanwhile = more(ctx, p.beside, push)
	o.Held = p.watched.Read(ctx, "the goal, paused for a while")
	o.Resumed = change(ctx, p.watched, dialect.ResumeGoal, goesOn)
}

// rests looks at the goal, which has ended, while the other one goes on, and has that one end as well.
func (p pair) rests(ctx context.Context, o *GoalAloneObservation, push func(context.Context)) {
	o.After = more(ctx, p.beside, push)
	o.Later = p.watched.Read(ctx, "the goal, a while after its end")
	act(ctx, p.beside, dialect.AbandonGoal)
}
