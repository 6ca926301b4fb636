package goals

import (
	"context"
	"slices"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// GoalPauseObservation is a goal that went on, was paused, and was resumed.
type GoalPauseObservation struct {
	Goal    host.GoalMade  `json:"goal"`
	Before  GoalTick       `json:"before"`
	Paused  host.GoalReply `json:"paused"`
	Still   GoalStill      `json:"still"`
	Resumed GoalEdit       `json:"resumed"`
	After   GoalTick       `json:"after"`
}

// goalPaused pauses a goal between two runs.
var goalPaused = &scenarios.Drive[GoalPauseObservation]{
	ID:    "openwop/goal-paused",
	Title: "ticks a goal, pauses it, ticks it three times, resumes it and ticks it once more",
	Sends: []string{"{create goal}", "{tick goal}", "{pause goal}", "{resume goal}", "{read goal}", "{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *GoalPauseObservation) {
		h := host.Host{Conn: c}
		home := h.StandingGoals(ctx)
		g, made := home.Begin(ctx, host.BoundedTo(h.Between(20, 40)))
		if o.Goal = made; !stillGoesOn(made) {
			return
		}
		if o.Before = once(ctx, g, "tick before the pause", made.Fresh.Body); !o.Before.Shown.Reached {
			return
		}
		o.Paused = act(ctx, g, dialect.PauseGoal)
		o.Still = still(ctx, g, unsatisfied(h), []GoalTick{o.Before})
		if o.Resumed = change(ctx, g, dialect.ResumeGoal, goesOn); !goesOn(o.Resumed.After.Body) {
			return
		}
		o.After = once(ctx, g, "tick after the resume", o.Resumed.After.Body)
	},
}

// GoalRaceObservation is a goal that was ticked more often than its bound
// allows, all at once.
type GoalRaceObservation struct {
	Goal   host.GoalMade `json:"goal"`
	Bound  int           `json:"bound"`
	AtOnce []GoalTick    `json:"atOnce"`
	After  []GoalTick    `json:"after"` // one by one, where it went on still
	Still  GoalStill     `json:"still"`
}

// goalTickedAtOnce races for the last runs of a goal. A host may let some of
// the ticks fail; those that are missing come after.
var goalTickedAtOnce = &scenarios.Drive[GoalRaceObservation]{
	ID:    "openwop/goal-ticked-at-once",
	Title: "ticks a goal all at once, three times more than its bound of random length allows",
	Sends: []string{"{create goal} {bounds: {maxLoopIterations: random}}", "{tick goal}, all at once", "{read goal}",
		"{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *GoalRaceObservation) {
		h := host.Host{Conn: c}
		*o = GoalRaceObservation{Bound: h.Between(2, 4)}
		home := h.StandingGoals(ctx)
		g, made := home.Begin(ctx, host.BoundedTo(o.Bound))
		if o.Goal = made; !stillGoesOn(made) {
			return
		}
		o.AtOnce = race(ctx, g, o.Bound+3)
		o.After = finishRace(ctx, g, o.Bound)
		o.Still = still(ctx, g, unsatisfied(h), nil, slices.Concat(o.AtOnce, o.After)...)
	},
}

// race ticks n times at once.
func race(ctx context.Context, g *host.Goal, n int) []GoalTick {
	ticks := make([]GoalTick, n)
	calls := make([]func(context.Context), n)
	for i := range calls {
		ask := unsatisfied(g.GoalHome.Host)
		calls[i] = func(ctx context.Context) {
			ticks[i] = tick(ctx, g, "tick, at once with others", ask)
		}
	}
	g.AtOnce(ctx, calls...)
	if !slices.ContainsFunc(ticks, func(t GoalTick) bool { return scenarios.Try(func() { noSeam(g, t) }) == nil }) {
		noSeam(g, ticks[0])
	}
	return ticks
}

// finishRace ticks one by one while the goal is active, and at most so often
// that a host which keeps its bound has reached it.
func finishRace(ctx context.Context, g *host.Goal, bound int) []GoalTick {
	var ticks []GoalTick
	for range bound + 1 {
		now := g.Read(ctx, "the goal after the race")
		if !goesOn(now.Body) {
			return ticks
		}
		t := once(ctx, g, "tick after the race", now.Body)
		if ticks = append(ticks, t); !t.Shown.Reached {
			break
		}
	}
	return ticks
}

// GoalDeadlineObservation is a goal that outlived its wall-clock bound.
type GoalDeadlineObservation struct {
	Goal     host.GoalMade `json:"goal"`
	Deadline time.Duration `json:"deadlineNs"`
	Grace    time.Duration `json:"graceNs"` // between the deadline and the tick after it
	// Early is a tick ahead of the deadline, EarlyBy how long it all had taken
	// by then, from before the goal was asked for.
	Early   GoalTick       `json:"early"`
	EarlyBy time.Duration  `json:"earlyByNs"`
	Passed  host.GoalReply `json:"passed"` // the goal, read when the deadline had passed
	Late    GoalTick       `json:"late"`   // a tick after that: a host may notice only then
	Ended   wire.Wait      `json:"ended"`
	Still   GoalStill      `json:"still"`
}

// tooSlow says whether the host let so much of the deadline pass, until the
// goal had moved once, that the goal may have been at its end by then.
func (o GoalDeadlineObservation) tooSlow() bool {
	moved := o.Early.Shown.Reached || !stillGoesOn(o.Goal)
	return o.Goal.ID != "" && moved && o.EarlyBy > o.Deadline*3/4
}

// What a host's clock may be late by. One that ticks by the tenth is the first
// guess; one that ticks by the second is as honest, and has the goal end up to a
// second early as well.
const (
	fineGrace = 100 * time.Millisecond
)

// goesOnInTime says whether the goal moved ahead of its deadline and is active still.
func (o GoalDeadlineObservation) goesOnInTime() bool {
	return !o.tooSlow() && o.Early.Shown.Reached && goesOn(o.Early.Shown.Last)
}

// coarse says whether the goal ended early or went on late.
func (o GoalDeadlineObservation) coarse() bool {
	refused := stillGoesOn(o.Goal) && !host.Succeeded(o.Early.Status)
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
	Sends: []string{"{create goal} {bounds: {runTimeoutMs: random, maxLoopIterations: many}}", "{tick goal} before and after",
		"{read goal}", "{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *GoalDeadlineObservation) {
		h := host.Host{Conn: c}
		home := h.StandingGoals(ctx)
		*o = GoalDeadlineObservation{Deadline: time.Duration(h.Between(200, 350)) * time.Millisecond, Grace: fineGrace}
		for try := 1; ; try++ {
			g, passing := withDeadline(ctx, home, o)
			if o.goesOnInTime() {
				passDeadline(ctx, g, passing, o)
			}
			switch {
			case o.tooSlow() && try < 5: // slow just now: with a longer one it may be in time
				*o = GoalDeadlineObservation{Deadline: 2 * o.Deadline, Grace: o.Grace}
			case o.coarse() && o.Grace == fineGrace: // perhaps its clock ticks once a second
				*o = GoalDeadlineObservation{Deadline: 4*time.Second + o.Deadline, Grace: host.CoarseGrace}
			default:
				return
			}
		}
	},
}

// withDeadline makes a goal with a deadline and ticks it at once. passing is
// the moment by which the deadline has passed wherever the host began to count.
func withDeadline(ctx context.Context, g host.GoalHome, o *GoalDeadlineObservation) (made *host.Goal, passing time.Time) {
	start := g.Now()
	bounds := host.BoundedTo(g.Between(20, 40))
	bounds.RunTimeoutMs = new(o.Deadline.Milliseconds())
	made, o.Goal = g.Begin(ctx, bounds)
	passing = g.Now().Add(o.Deadline)
	if stillGoesOn(o.Goal) {
		o.Early = once(ctx, made, "tick before the deadline", o.Goal.Fresh.Body)
	}
	o.EarlyBy = g.Now().Sub(start)
	return made, passing
}

// passDeadline lets the deadline pass and looks at what becomes of the goal.
func passDeadline(ctx context.Context, g *host.Goal, passing time.Time, o *GoalDeadlineObservation) {
	scenarios.End(wire.Pause(ctx, passing.Add(o.Grace).Sub(g.Now())))
	o.Passed = g.Read(ctx, "the goal after its deadline")
	o.Late = tick(ctx, g, "tick after the deadline", unsatisfied(g.GoalHome.Host))
	o.Ended = g.Await(ctx, "the goal has ended", func(ctx context.Context) (wire.Value, bool) {
		reply := g.Read(ctx, "the goal has ended")
		return reply.Body, (hasEnded(reply.Body) || o.Grace == fineGrace && o.ranOn(reply.Body))
	})
	if !hasEnded(o.Ended.Last) {
		return
	}
	o.Still = still(ctx, g, satisfied(g.GoalHome.Host), []GoalTick{o.Early}, o.Late)
}
