package openwop

import (
	"context"
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// GoalAloneObservation is a goal that fires its runs by itself, and what became of it while another one, that goes on by
// the same, went on beside it. What the other one does shows how long is long enough.
type GoalAloneObservation struct {
	Goal   GoalMade  `json:"goal"`
	Beside GoalMade  `json:"beside"` // the other one; it is neither paused nor does it end
	Bound  int       `json:"bound"`
	Going  wire.Wait `json:"going"` // it shows its first runs
	Paused GoalReply `json:"paused"`
	// Settled is the goal when a run that was under way at the pause had time to
	// end; Held is it when the other one had gone on meanwhile.
	Settled   GoalReply `json:"settled"`
	Meanwhile wire.Wait `json:"meanwhile"`
	Held      GoalReply `json:"held"`
	Resumed   GoalEdit  `json:"resumed"`
	Ended     wire.Wait `json:"ended"`
	// Later is the goal when the other one had gone on after its end.
	After wire.Wait `json:"after"`
	Later GoalReply `json:"later"`
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
type pair struct{ watched, beside *goal }

// beginBy makes two goals that go on by the same, and stops the drive where the
// host does not know the armRef, which is ours, or makes one alone.
func (g goalHome) beginBy(ctx context.Context, o *GoalAloneObservation, mode openwopv1.GoalContinuationMode, arm string) (p pair, err error) {
	for _, one := range []struct {
		made  **goal
		seen  *GoalMade
		label string
		bound int
	}{
		{&p.watched, &o.Goal, "create a goal of mode " + string(mode), o.Bound},
		{&p.beside, &o.Beside, "create another one beside it", manyRuns},
	} {
		made, err := g.createArmed(ctx, one.label, mode, arm, one.bound)
		if *one.made = made; err != nil || made.ID == "" {
			return p, err
		}
	}
	if o.Goal, err = p.watched.seen(ctx); err == nil {
		o.Beside, err = p.beside.seen(ctx)
	}
	return p, err
}

// createArmed makes one goal that goes on by itself.
func (g goalHome) createArmed(ctx context.Context, label string, mode openwopv1.GoalContinuationMode, arm string, bound int) (*goal, error) {
	ask := g.goalRequest(boundedTo(bound))
	ask.Continuation = openwopv1.GoalContinuation{Mode: mode, ArmRef: &arm}
	made, err := g.create(ctx, label, ask)
	if err != nil {
		return nil, err
	}
	if status, _ := made.Created.Status.Int(); status/100 == 4 {
		return nil, scenarios.Block(fmt.Sprintf("a goal of mode %s with the armRef %q is refused with HTTP %d", mode, arm, status), "take this form of armRef, for more than one goal at a time (docs/seams.md)")
	}
	return made, nil
}

// goOn says whether both goals were made and are active.
func (o GoalAloneObservation) goOn() bool { return o.Goal.goesOn() && o.Beside.goesOn() }

// reaches waits until the goal shows so many runs.
func (g *goal) reaches(ctx context.Context, runs int) (wire.Wait, error) {
	what := fmt.Sprintf("the goal shows %d runs", runs)
	return g.Await(ctx, what, func(ctx context.Context) (wire.Value, bool, error) {
		reply, err := g.read(ctx, what)
		return reply.Body, err == nil && contributed(reply.Body) >= runs, err
	})
}

func (g *goal) awaitEnd(ctx context.Context) (wire.Wait, error) {
	return g.Await(ctx, "the goal has ended", func(ctx context.Context) (wire.Value, bool, error) {
		reply, err := g.read(ctx, "the goal has ended")
		return reply.Body, err == nil && hasEnded(reply.Body), err
	})
}

// runsOut waits for the runs that the goal may still have, one after another, and for its end.
func (g *goal) runsOut(ctx context.Context, now wire.Value, bound int) (w wire.Wait, err error) {
	for n := contributed(now) + 1; n <= bound; n++ {
		if w, err = g.reaches(ctx, n); err != nil || !w.Reached {
			return w, err
		}
	}
	return g.awaitEnd(ctx)
}

// more has this goal go on by two runs: push has a run of each goal fired, where time alone does not. Between the two it
// was the turn of every other goal that goes on by the same.
func (g *goal) more(ctx context.Context, push func(context.Context) error) (w wire.Wait, err error) {
	now, err := g.read(ctx, "the goal beside it")
	if err != nil {
		return w, err
	}
	for n := range 2 {
		if push != nil {
			if err := push(ctx); err != nil {
				return w, err
			}
		}
		if w, err = g.reaches(ctx, contributed(now.Body)+n+1); err != nil || !w.Reached {
			return w, err
		}
	}
	return w, nil
}

// holds looks at the goal, which was paused, while the other one goes on, and resumes it.
func (p pair) holds(ctx context.Context, o *GoalAloneObservation, push func(context.Context) error) (err error) {
	if o.Settled, err = p.watched.read(ctx, "the goal, paused"); err != nil || o.outran() {
		return err
	}
	if o.Meanwhile, err = p.beside.more(ctx, push); err != nil {
		return err
	}
	if o.Held, err = p.watched.read(ctx, "the goal, paused for a while"); err != nil {
		return err
	}
	o.Resumed, err = p.watched.change(ctx, "resume", goesOn)
	return err
}

// rests looks at the goal, which has ended, while the other one goes on, and has that one end as well.
func (p pair) rests(ctx context.Context, o *GoalAloneObservation, push func(context.Context) error) (err error) {
	if o.After, err = p.beside.more(ctx, push); err != nil {
		return err
	}
	if o.Later, err = p.watched.read(ctx, "the goal, a while after its end"); err != nil {
		return err
	}
	_, err = p.beside.act(ctx, "abandon")
	return err
}
