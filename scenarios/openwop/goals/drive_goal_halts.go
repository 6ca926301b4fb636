package goals

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// GoalPauseObservation is an active goal that was paused and resumed.
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
	Title: "ticks a goal, pauses it, edits its continuation to what it is, ticks it three times, resumes it and ticks it once more",
	Sends: []string{"{create goal}", "{tick goal}", "{pause goal}", "{edit goal} {continuation}",
		"{resume goal}", "{read goal}", "{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *GoalPauseObservation) {
		h := host.Host{Conn: c}
		home := h.StandingGoals(ctx)
		g, made := home.Begin(ctx, host.BoundedTo(h.Between(20, 40)))
		if o.Goal = made; !madeActive(made) {
			return
		}
		if o.Before = once(ctx, g, "tick before the pause", made.Fresh.Body); !o.Before.Shown.Reached {
			return
		}
		o.Paused = act(ctx, g, dialect.PauseGoal)
		same := g.GoalRequest(nil)
		rewrite(ctx, g, "edit the continuation of the paused goal to what it is", dialect.EditGoalRequest{Continuation: &same.Continuation},
			anyGoal)
		o.Still = still(ctx, g, unsatisfied(h), []GoalTick{o.Before})
		if o.Resumed = change(ctx, g, dialect.ResumeGoal, isActive); !isActive(o.Resumed.After.Body) {
			return
		}
		o.After = once(ctx, g, "tick after the resume", o.Resumed.After.Body)
	},
}

// GoalRaceObservation is a goal that was ticked concurrently, more often than its bound
// allows.
type GoalRaceObservation struct {
	Goal   host.GoalMade `json:"goal"`
	Bound  int           `json:"bound" drawn:"true"`
	AtOnce []GoalTick    `json:"atOnce"`
	After  []GoalTick    `json:"after"` // one by one, if the goal was still active
	Still  GoalStill     `json:"still"`
}

// goalTickedAtOnce races for the last runs of a goal. A host may fail some of
// the ticks; finishRace makes up for them.
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
		if o.Goal = made; !madeActive(made) {
			return
		}
		o.AtOnce = race(ctx, g, o.Bound+3)
		o.After = finishRace(ctx, g, o.Bound)
		o.Still = still(ctx, g, unsatisfied(h), nil, slices.Concat(o.AtOnce, o.After)...)
	},
}

// race sends n ticks concurrently.
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
	if !slices.ContainsFunc(ticks, func(t GoalTick) bool { return scenarios.Try(func() { requireSeam(g, t) }) == nil }) {
		requireSeam(g, ticks[0])
	}
	return ticks
}

// finishRace ticks one by one while the goal is active, just often enough
// that a host which keeps its bound reaches it.
func finishRace(ctx context.Context, g *host.Goal, bound int) []GoalTick {
	var ticks []GoalTick
	for range bound + 1 {
		now := g.Read(ctx, "the goal after the race")
		if !isActive(now.Body) {
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
	Grace    time.Duration `json:"graceNs"`        // between the deadline and the tick after it
	Long     bool          `json:"long,omitempty"` // the host takes no short one: it is the least of several that the host took
	// Early is a tick ahead of the deadline. EarlyBy is the time from before the
	// create request until then.
	Early   GoalTick       `json:"early"`
	EarlyBy time.Duration  `json:"earlyByNs"`
	Passed  host.GoalReply `json:"passed"` // read after the deadline
	Late    GoalTick       `json:"late"`   // a later tick: a host may notice the deadline only then
	Ended   wire.Wait      `json:"ended"`
	Still   GoalStill      `json:"still"`
	Paused  GoalLapse      `json:"paused,omitzero"`
	Touched []GoalTouched  `json:"touched,omitempty"`
	AtOnce  GoalLapse      `json:"atOnce,omitzero"` // one whose deadline is when it is made; it is not paused
}

// GoalLapse is a goal that was paused until its deadline had passed.
type GoalLapse struct {
	Goal   host.GoalMade  `json:"goal"`
	Paused host.GoalReply `json:"paused"`
	Ended  wire.Wait      `json:"ended"` // once it was ticked
}

// tooSlow reports whether the first run took so much of the deadline that
// the goal may have ended by then.
func (o GoalDeadlineObservation) tooSlow() bool {
	moved := o.Early.Shown.Reached || !madeActive(o.Goal)
	return o.Goal.ID != "" && moved && o.EarlyBy > o.Deadline*3/4
}

// The grace allowed for a host's clock. A clock that ticks every tenth of a second is tried first.
// One that ticks every second is just as conformant, and may also end the goal up to
// a second early.
const (
	fineGrace = 100 * time.Millisecond
)

// activeInTime reports whether the goal moved ahead of its deadline and is still active.
func (o GoalDeadlineObservation) activeInTime() bool {
	return !o.tooSlow() && o.Early.Shown.Reached && isActive(o.Early.Shown.Last)
}

// coarse reports whether the goal ended early or continued late.
func (o GoalDeadlineObservation) coarse() bool {
	refused := madeActive(o.Goal) && !host.Succeeded(o.Early.Status)
	late := slices.ContainsFunc(o.Touched, func(t GoalTouched) bool { return t.ranLate(t.Ended.Last) })
	late = late || o.ranLate(o.Ended.Last) || o.ranLate(o.Still.Later.Body)
	return late || refused || hasEnded(o.Goal.Fresh.Body) || hasEnded(o.Early.Shown.Last)
}

// ranLate reports whether the goal lists a run that it did not list ahead of its deadline.
func (o GoalDeadlineObservation) ranLate(goal wire.Value) bool {
	return runCount(goal) > runCount(o.Early.Shown.Last)
}

// goalToItsDeadline waits in real time. It moves no clock.
var goalToItsDeadline = &scenarios.Drive[GoalDeadlineObservation]{
	ID: "openwop/goal-to-its-deadline",
	Title: "makes a goal with a wall-clock bound of random length, or the least that the host takes, ticks it in time, " +
		"waits until the bound has passed and ticks it again, and likewise one that was paused all the time, one whose bound is 0, and " +
		"others that were paused and resumed, beyond quick paused from the start, edited or, beyond quick, judged once more, shortly before",
	Waits: 800 * time.Millisecond,
	Sends: []string{"{create goal} {bounds: {runTimeoutMs: random, maxLoopIterations: many}}", "{tick goal} before and after",
		"{pause goal}", "{resume goal}", "{edit goal}", "{read goal}", "{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *GoalDeadlineObservation) {
		h := host.Host{Conn: c}
		home := h.StandingGoals(ctx)
		*o = GoalDeadlineObservation{Deadline: time.Duration(h.Between(200, 350)) * time.Millisecond, Grace: fineGrace}
		for try := 1; ; try++ {
			g, passing := withDeadline(ctx, home, o)
			if tooShort(o.Goal.Created) {
				farDeadline(ctx, home, o)
				return
			}
			if o.activeInTime() {
				passDeadline(ctx, home, g, passing, o)
			}
			switch {
			case o.tooSlow() && try < 5: // slow just now: a longer deadline may suffice
				*o = GoalDeadlineObservation{Deadline: 2 * o.Deadline, Grace: o.Grace}
			case o.coarse() && o.Grace == fineGrace: // perhaps a clock that ticks once a second
				*o = GoalDeadlineObservation{Deadline: 4*time.Second + o.Deadline, Grace: host.CoarseGrace}
			default:
				return
			}
		}
	},
	Later: func(ctx context.Context, c *scenarios.Conn, o *GoalDeadlineObservation) {
		home := host.Host{Conn: c}.StandingGoals(ctx)
		pastDeadline(ctx, home.Again(o.Goal), o)
	},
}

// tooShort reports whether the host refused a goal for what was asked of it, which may be the shortness of its deadline.
func tooShort(created host.GoalReply) bool {
	status, _ := created.Status.Int()
	return status == http.StatusBadRequest || status == http.StatusUnprocessableEntity
}

// farDeadline makes a goal with the least deadline that the host takes, and ends the drive until that has passed.
func farDeadline(ctx context.Context, home host.GoalHome, o *GoalDeadlineObservation) {
	for _, limit := range scenarios.LongLimits() {
		*o = GoalDeadlineObservation{Deadline: limit, Grace: host.CoarseGrace, Long: true}
		g, _ := withDeadline(ctx, home, o)
		if tooShort(o.Goal.Created) {
			continue
		}
		if o.activeInTime() {
			home.Until("the deadline of a goal", limit+o.Grace, g.Left())
		}
		return
	}
}

// withDeadline makes a goal with a deadline and ticks it at once. passing is
// the time at which the deadline has passed, however the host started to count.
func withDeadline(ctx context.Context, g host.GoalHome, o *GoalDeadlineObservation) (made *host.Goal, passing time.Time) {
	start := g.Now()
	bounds := host.BoundedTo(g.Between(20, 40))
	bounds.RunTimeoutMs = new(o.Deadline.Milliseconds())
	made, o.Goal = g.Begin(ctx, bounds)
	passing = g.Now().Add(o.Deadline)
	if madeActive(o.Goal) {
		o.Early = once(ctx, made, "tick before the deadline", o.Goal.Fresh.Body)
	}
	o.EarlyBy = g.Now().Sub(start)
	return made, passing
}

// passDeadline waits until the deadline has passed and observes the goal, and others like it: one that is paused, and some for which
// something is done meanwhile.
func passDeadline(ctx context.Context, home host.GoalHome, g *host.Goal, passing time.Time, o *GoalDeadlineObservation) {
	bounds := host.BoundedTo(home.Between(20, 40))
	bounds.RunTimeoutMs = new(o.Deadline.Milliseconds())
	paused, made := home.Begin(ctx, bounds)
	later := home.Now().Add(o.Deadline)
	if o.Paused.Goal = made; madeActive(made) {
		o.Paused.Paused = act(ctx, paused, dialect.PauseGoal)
	}
	now, made := home.Begin(ctx, &dialect.GoalBounds{MaxLoopIterations: bounds.MaxLoopIterations, RunTimeoutMs: new(int64(0))})
	o.AtOnce.Goal = made
	more := o.Deadline + spare
	others := touched(ctx, home, more)
	touchAll(ctx, others, more)
	o.Touched = outlive(ctx, others, o.Grace) // at once: a deadline that counts anew passes soon, too
	scenarios.End(wire.Pause(ctx, passing.Add(o.Grace).Sub(g.Now())))
	pastDeadline(ctx, g, o)
	if now.ID != "" { // a host need not take one
		tick(ctx, now, "tick of the goal whose deadline was when it was made", unsatisfied(home.Host))
		o.AtOnce.Ended = awaitEnd(ctx, now)
	}
	if !host.Succeeded(o.Paused.Paused.Status) {
		return
	}
	scenarios.End(wire.Pause(ctx, later.Add(o.Grace).Sub(g.Now())))
	tick(ctx, paused, "tick of the paused goal after its deadline", unsatisfied(home.Host)) // a host may notice the deadline only then
	const what = "the goal that was paused has ended"
	o.Paused.Ended = paused.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
		reply := paused.Look(ctx, what)
		return reply.Body, hasEnded(reply.Body)
	})
}

// pastDeadline observes a goal whose deadline has passed.
func pastDeadline(ctx context.Context, g *host.Goal, o *GoalDeadlineObservation) {
	o.Passed = g.Read(ctx, "the goal after its deadline")
	o.Late = tick(ctx, g, "tick after the deadline", unsatisfied(g.GoalHome.Host))
	o.Ended = g.Await(ctx, "the goal has ended", func(ctx context.Context) (wire.Value, bool) {
		reply := g.Look(ctx, "the goal has ended")
		return reply.Body, (hasEnded(reply.Body) || o.Grace == fineGrace && o.ranLate(reply.Body))
	})
	if !hasEnded(o.Ended.Last) {
		return
	}
	o.Still = still(ctx, g, satisfied(g.GoalHome.Host), []GoalTick{o.Early}, o.Late)
}
