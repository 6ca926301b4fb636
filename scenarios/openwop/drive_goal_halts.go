package openwop

import (
	"context"
	"slices"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// GoalPauseObservation is a goal that went on, was paused, and was resumed.
type GoalPauseObservation struct {
	Goal    GoalMade  `json:"goal"`
	Before  GoalTick  `json:"before"`
	Paused  GoalReply `json:"paused"`
	Still   GoalStill `json:"still"`
	Resumed GoalEdit  `json:"resumed"`
	After   GoalTick  `json:"after"`
}

// goalPaused pauses a goal between two runs.
var goalPaused = &scenarios.Drive[GoalPauseObservation]{
	ID:    "openwop/goal-paused",
	Title: "ticks a goal, pauses it, ticks it three times, resumes it and ticks it once more",
	Sends: []string{"POST {prefix}/goals", "POST {prefix}/goals/{id}/tick", "POST {prefix}/goals/{id}/pause", "POST {prefix}/goals/{id}/resume", "GET {prefix}/goals/{id}", "POST /v1/runs (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn) (GoalPauseObservation, error) {
		h := host{c}
		var o GoalPauseObservation
		home, err := h.standingGoals(ctx)
		if err != nil {
			return o, err
		}
		g, made, err := home.begin(ctx, boundedTo(h.between(20, 40)))
		if o.Goal = made; err != nil || !made.goesOn() {
			return o, err
		}
		if o.Before, err = g.once(ctx, "tick before the pause", made.Fresh.Body); err != nil || !o.Before.Shown.Reached {
			return o, err
		}
		if o.Paused, err = g.act(ctx, "pause"); err != nil {
			return o, err
		}
		if o.Still, err = g.still(ctx, h.unsatisfied(), []GoalTick{o.Before}); err != nil {
			return o, err
		}
		if o.Resumed, err = g.change(ctx, "resume", goesOn); err != nil || !goesOn(o.Resumed.After.Body) {
			return o, err
		}
		o.After, err = g.once(ctx, "tick after the resume", o.Resumed.After.Body)
		return o, err
	},
}

// once ticks a goal for one run that leaves it active, and waits until the goal
// shows one more than it did.
func (g *goal) once(ctx context.Context, label string, before wire.Value) (GoalTick, error) {
	n := contributed(before)
	return g.fire(ctx, label, g.unsatisfied(), "the goal shows one run more", func(goal wire.Value) bool { return hasEnded(goal) || contributed(goal) > n })
}

// GoalRaceObservation is a goal that was ticked more often than its bound
// allows, all at once.
type GoalRaceObservation struct {
	Goal   GoalMade   `json:"goal"`
	Bound  int        `json:"bound"`
	AtOnce []GoalTick `json:"atOnce"`
	After  []GoalTick `json:"after"` // one by one, where it went on still
	Still  GoalStill  `json:"still"`
}

// goalTickedAtOnce races for the last runs of a goal. A host may let some of
// the ticks fail; those that are missing come after.
var goalTickedAtOnce = &scenarios.Drive[GoalRaceObservation]{
	ID:    "openwop/goal-ticked-at-once",
	Title: "ticks a goal all at once, three times more than its bound of random length allows",
	Sends: []string{"POST {prefix}/goals {bounds: {maxLoopIterations: random}}", "POST {prefix}/goals/{id}/tick, all at once", "GET {prefix}/goals/{id}", "POST /v1/runs (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn) (GoalRaceObservation, error) {
		h := host{c}
		o := GoalRaceObservation{Bound: h.between(2, 4)}
		home, err := h.standingGoals(ctx)
		if err != nil {
			return o, err
		}
		g, made, err := home.begin(ctx, boundedTo(o.Bound))
		if o.Goal = made; err != nil || !made.goesOn() {
			return o, err
		}
		if o.AtOnce, err = g.race(ctx, o.Bound+3); err != nil {
			return o, err
		}
		if o.After, err = g.finishRace(ctx, o.Bound); err != nil {
			return o, err
		}
		o.Still, err = g.still(ctx, h.unsatisfied(), nil, slices.Concat(o.AtOnce, o.After)...)
		return o, err
	},
}

// race ticks n times at once.
func (g *goal) race(ctx context.Context, n int) ([]GoalTick, error) {
	ticks := make([]GoalTick, n)
	calls := make([]func(context.Context) error, n)
	for i := range calls {
		ask := g.unsatisfied()
		calls[i] = func(ctx context.Context) (err error) {
			ticks[i], err = g.tick(ctx, "tick, at once with others", ask)
			return err
		}
	}
	if err := g.AtOnce(ctx, calls...); err != nil {
		return ticks, err
	}
	for _, t := range ticks {
		if g.noSeam(t) == nil {
			return ticks, nil
		}
	}
	return ticks, g.noSeam(ticks[0])
}

// finishRace ticks one by one while the goal is active, and at most so often
// that a host which keeps its bound has reached it.
func (g *goal) finishRace(ctx context.Context, bound int) ([]GoalTick, error) {
	var ticks []GoalTick
	for range bound + 1 {
		now, err := g.read(ctx, "the goal after the race")
		if err != nil || !goesOn(now.Body) {
			return ticks, err
		}
		t, err := g.once(ctx, "tick after the race", now.Body)
		if err != nil {
			return ticks, err
		}
		if ticks = append(ticks, t); !t.Shown.Reached {
			break
		}
	}
	return ticks, nil
}

// GoalDeadlineObservation is a goal that outlived its wall-clock bound.
type GoalDeadlineObservation struct {
	Goal     GoalMade      `json:"goal"`
	Deadline time.Duration `json:"deadlineNs"`
	Grace    time.Duration `json:"graceNs"` // between the deadline and the tick after it
	// Early is a tick ahead of the deadline, EarlyBy how long it all had taken
	// by then, from before the goal was asked for.
	Early   GoalTick      `json:"early"`
	EarlyBy time.Duration `json:"earlyByNs"`
	Passed  GoalReply     `json:"passed"` // the goal, read when the deadline had passed
	Late    GoalTick      `json:"late"`   // a tick after that: a host may notice only then
	Ended   wire.Wait     `json:"ended"`
	Still   GoalStill     `json:"still"`
}

// tooSlow says whether the host let so much of the deadline pass, until the
// goal had moved once, that the goal may have been at its end by then.
func (o GoalDeadlineObservation) tooSlow() bool {
	moved := o.Early.Shown.Reached || !o.Goal.goesOn()
	return o.Goal.ID != "" && moved && o.EarlyBy > o.Deadline*3/4
}

// What a host's clock may be late by. One that ticks by the tenth is the first
// guess; one that ticks by the second is as honest, and has the goal end up to a
// second early as well.
const (
	fineGrace   = 100 * time.Millisecond
	coarseGrace = 1100 * time.Millisecond
)

// goesOnInTime says whether the goal moved ahead of its deadline and is active still.
func (o GoalDeadlineObservation) goesOnInTime() bool {
	return !o.tooSlow() && o.Early.Shown.Reached && goesOn(o.Early.Shown.Last)
}

// coarse says whether the goal ended early or went on late.
func (o GoalDeadlineObservation) coarse() bool {
	refused := o.Goal.goesOn() && !succeeded(o.Early.Status)
	return refused || hasEnded(o.Goal.Fresh.Body) || hasEnded(o.Early.Shown.Last) || o.ranOn(o.Ended.Last) || o.ranOn(o.Still.Later.Body)
}

// ranOn says whether the goal shows a run that it did not show ahead of its deadline.
func (o GoalDeadlineObservation) ranOn(goal wire.Value) bool {
	return contributed(goal) > contributed(o.Early.Shown.Last)
}

// goalToItsDeadline lets real time go by. No clock is moved for it.
var goalToItsDeadline = &scenarios.Drive[GoalDeadlineObservation]{
	ID:    "openwop/goal-to-its-deadline",
	Title: "makes a goal with a wall-clock bound of random length, ticks it in time, waits until the bound has passed and ticks it again",
	Waits: 600 * time.Millisecond,
	Sends: []string{"POST {prefix}/goals {bounds: {runTimeoutMs: random, maxLoopIterations: many}}", "POST {prefix}/goals/{id}/tick before and after", "GET {prefix}/goals/{id}", "POST /v1/runs (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn) (GoalDeadlineObservation, error) {
		h := host{c}
		home, err := h.standingGoals(ctx)
		if err != nil {
			return GoalDeadlineObservation{}, err
		}
		o := GoalDeadlineObservation{Deadline: time.Duration(h.between(200, 350)) * time.Millisecond, Grace: fineGrace}
		for try := 1; ; try++ {
			g, passing, err := home.withDeadline(ctx, &o)
			if err == nil && o.goesOnInTime() {
				err = g.passDeadline(ctx, passing, &o)
			}
			switch {
			case err != nil:
				return o, err
			case o.tooSlow() && try < 5: // slow just now: with a longer one it may be in time
				o = GoalDeadlineObservation{Deadline: 2 * o.Deadline, Grace: o.Grace}
			case o.coarse() && o.Grace == fineGrace: // perhaps its clock ticks once a second
				o = GoalDeadlineObservation{Deadline: 4*time.Second + o.Deadline, Grace: coarseGrace}
			default:
				return o, nil
			}
		}
	},
}

// withDeadline makes a goal with a deadline and ticks it at once. passing is
// the moment by which the deadline has passed wherever the host began to count.
func (g goalHome) withDeadline(ctx context.Context, o *GoalDeadlineObservation) (made *goal, passing time.Time, err error) {
	start := g.Now()
	bounds := boundedTo(g.between(20, 40))
	bounds.RunTimeoutMs = new(o.Deadline.Milliseconds())
	made, o.Goal, err = g.begin(ctx, bounds)
	passing = g.Now().Add(o.Deadline)
	if err == nil && o.Goal.goesOn() {
		o.Early, err = made.once(ctx, "tick before the deadline", o.Goal.Fresh.Body)
	}
	o.EarlyBy = g.Now().Sub(start)
	return made, passing, err
}

// passDeadline lets the deadline pass and looks at what becomes of the goal.
func (g *goal) passDeadline(ctx context.Context, passing time.Time, o *GoalDeadlineObservation) error {
	err := wire.Pause(ctx, passing.Add(o.Grace).Sub(g.Now()))
	if err != nil {
		return err
	}
	if o.Passed, err = g.read(ctx, "the goal after its deadline"); err != nil {
		return err
	}
	if o.Late, err = g.tick(ctx, "tick after the deadline", g.unsatisfied()); err != nil {
		return err
	}
	o.Ended, err = g.Await(ctx, "the goal has ended", func(ctx context.Context) (wire.Value, bool, error) {
		reply, err := g.read(ctx, "the goal has ended")
		return reply.Body, err == nil && (hasEnded(reply.Body) || o.Grace == fineGrace && o.ranOn(reply.Body)), err
	})
	if err != nil || !hasEnded(o.Ended.Last) {
		return err
	}
	o.Still, err = g.still(ctx, g.satisfied(), []GoalTick{o.Early}, o.Late)
	return err
}
