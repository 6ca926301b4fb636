package goals

import (
	"context"
	"fmt"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// GoalScheduleObservation is a goal on a schedule, and two more on the same one that ended while it went on.
type GoalScheduleObservation struct {
	GoalAloneObservation
	GivenUp   GoalDisarmed `json:"givenUp"`
	Satisfied GoalDisarmed `json:"satisfied"` // by a tick, where there is a seam
}

// GoalDisarmed is a goal that ended while it was armed.
type GoalDisarmed struct {
	Goal    host.GoalMade  `json:"goal"`
	Asked   wire.Value     `json:"asked"` // HTTP status of what was to end it
	Ended   wire.Wait      `json:"ended"`
	Settled host.GoalReply `json:"settled"` // when a run that was under way had time to end
	Later   host.GoalReply `json:"later"`   // when others on its schedule had gone on
}

// goalOnSchedule makes goals that go on by a schedule. What it takes for a
// goal to go on is time, and nothing else.
var goalOnSchedule = &scenarios.Drive[GoalScheduleObservation]{
	ID:    "openwop/goal-on-schedule",
	Title: "makes four goals on a schedule of a random short interval; abandons one and, where there is a seam, has one judged as satisfied; waits for the first run of the third, pauses it, resumes it after two more runs of the fourth, and waits for its end and for two runs of the fourth after that",
	Waits: 650 * time.Millisecond,
	Sends: []string{"POST {prefix}/goals {continuation: {mode: schedule, armRef: every:<random>}, bounds: {maxLoopIterations: random}}, four times", "GET {prefix}/goals/{id}",
		"POST {prefix}/goals/{id}/pause", "POST {prefix}/goals/{id}/resume", "POST {prefix}/goals/{id}/abandon", "POST {prefix}/goals/{id}/tick {verdict: {satisfied: true}}"},
	Run: func(ctx context.Context, c *scenarios.Conn) (GoalScheduleObservation, error) {
		h := host.Host{Conn: c}
		home, err := h.StandingGoals(ctx)
		if err != nil {
			return GoalScheduleObservation{}, err
		}
		interval := time.Duration(h.Between(50, 60)) * time.Millisecond
		for try := 1; ; try++ {
			o, err := onSchedule(ctx, home, interval, h.Between(3, 4))
			// A goal may also have come to its end before it could be seen to go on; one that resuming ends does so again.
			slow := o.outran() || try == 1 && hasEnded(o.Resumed.After.Body)
			if err != nil || try == 4 || !slow {
				return o, err
			}
			interval *= 3 // we were too slow just now
		}
	},
}

func onSchedule(ctx context.Context, g host.GoalHome, interval time.Duration, bound int) (o GoalScheduleObservation, err error) {
	o.Bound = bound
	every := fmt.Sprintf("every:%dms", interval.Milliseconds())
	var givenUp, satisfied *host.Goal
	if givenUp, err = endsArmed(ctx, g, &o.GivenUp, every, giveUp); err != nil {
		return o, err
	}
	if satisfied, err = endsArmed(ctx, g, &o.Satisfied, every, satisfy); err != nil || !stillGoesOn(o.GivenUp.Goal) || !stillGoesOn(o.Satisfied.Goal) {
		return o, err
	}
	p, err := beginBy(ctx, g, &o.GoalAloneObservation, openwopv1.GoalContinuationModeSchedule, every)
	if err != nil || !o.goOn() {
		return o, err
	}
	if o.Going, err = reaches(ctx, p.watched, 1); err != nil || !o.Going.Reached {
		return o, err
	}
	if o.Paused, err = act(ctx, p.watched, "pause"); err != nil {
		return o, err
	}
	if _, err = g.Quiet(ctx, 0); err != nil { // for a run under way, and for a host that shows what was a moment ago
		return o, err
	}
	if o.GivenUp.Settled, err = givenUp.Read(ctx, "the goal that was given up"); err != nil {
		return o, err
	}
	if o.Satisfied.Settled, err = satisfied.Read(ctx, "the goal that was satisfied"); err != nil {
		return o, err
	}
	if err = p.holds(ctx, &o.GoalAloneObservation, nil); err != nil || !goesOn(o.Resumed.After.Body) {
		return o, err
	}
	if o.Ended, err = runsOut(ctx, p.watched, o.Resumed.After.Body, o.Bound); err != nil || !o.Ended.Reached {
		return o, err
	}
	if err = p.rests(ctx, &o.GoalAloneObservation, nil); err != nil {
		return o, err
	}
	if o.GivenUp.Later, err = givenUp.Read(ctx, "the goal that was given up, a while after"); err != nil {
		return o, err
	}
	o.Satisfied.Later, err = satisfied.Read(ctx, "the goal that was satisfied, a while after")
	return o, err
}

// endsArmed makes a goal on a schedule and ends it.
func endsArmed(ctx context.Context, g host.GoalHome, o *GoalDisarmed, every string, end func(context.Context, *host.Goal) (wire.Value, error)) (*host.Goal, error) {
	made, err := createArmed(ctx, g, "create a goal that ends", openwopv1.GoalContinuationModeSchedule, every, mostContributions)
	if err != nil {
		return nil, err
	}
	if o.Goal, err = made.Seen(ctx); err != nil || !stillGoesOn(o.Goal) {
		return made, err
	}
	if o.Asked, err = end(ctx, made); err != nil || !host.Succeeded(o.Asked) {
		return made, err
	}
	o.Ended, err = awaitEnd(ctx, made)
	return made, err
}

func giveUp(ctx context.Context, g *host.Goal) (wire.Value, error) {
	reply, err := act(ctx, g, "abandon")
	return reply.Status, err
}

func satisfy(ctx context.Context, g *host.Goal) (wire.Value, error) {
	t, err := tick(ctx, g, "tick, with a verdict that it is reached", satisfied(g.GoalHome.Host))
	return t.Status, err
}
