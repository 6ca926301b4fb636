package goals

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// GoalObservation is a goal that was ticked to its end and beyond.
type GoalObservation struct {
	Goal    host.GoalMade `json:"goal"`
	Runs    int           `json:"runs"`  // the last of them should end the goal
	Ticks   []GoalTick    `json:"ticks"` // one a run; fewer if the goal ended early or did not move
	Still   GoalStill     `json:"still"`
	Revival GoalRevival   `json:"revival"`
	Trail   GoalTrail     `json:"trail"`
	Stuck   host.Child    `json:"stuck"` // the run that asks a person, if the goal or the tick names it
	Free    GoalTick      `json:"free"`  // of another goal, which may cost nothing: its first run, with a cost
	// Bare is the number of the run whose verdict has no confidence; that of the run before it has one. 0 at quick.
	Bare int `json:"bare,omitempty"`
}

// GoalCostObservation is a goal whose runs cost some tenths of a dollar, and one whose runs cost less than half a cent, which has a
// bound of runs as well, and is paused and resumed between its runs.
type GoalCostObservation struct {
	GoalObservation
	Small  GoalObservation `json:"small,omitzero"`  // zero at quick
	Around GoalSpent       `json:"around,omitzero"` // zero at quick
}

// GoalSpent is a goal that spent three quarters of its bound of cost, had a run that asked a person, who answered, and spent as much again.
type GoalSpent struct {
	Before  GoalTick       `json:"before"`
	Stuck   GoalTick       `json:"stuck"`
	Resumed host.GoalReply `json:"resumed"` // the goal, when it goes on
	Last    GoalTick       `json:"last"`    // zero if it does not go on
}

// GoalRevival holds the replies to requests that ask an ended goal to continue.
type GoalRevival struct {
	Objective string         `json:"objective"` // as requested by the edit
	Edited    host.GoalReply `json:"edited"`
	Resumed   host.GoalReply `json:"resumed"`
	Still     GoalStill      `json:"still"`
}

const sendsTicks = "{tick goal}, one after another"

// goalToItsBound ticks a goal whose judge is never satisfied.
var goalToItsBound = &scenarios.Drive[GoalObservation]{
	ID: "openwop/goal-to-its-bound",
	Title: "ticks a goal that is never satisfied through a bound of random length, and three times more; then edits it, " +
		"asks it to resume and ticks it again",
	Sends: []string{"{create goal} {bounds: {maxLoopIterations: random}}", sendsTicks, "{read goal}", "{create run} (sentinel)",
		"{edit goal}", "{resume goal}", "{read trail}", "{read run} and its events of each contributing run"},
	Replies: 40,
	Run: func(ctx context.Context, c *scenarios.Conn, o *GoalObservation) {
		h := host.Host{Conn: c}
		runs := h.Between(2, 4)
		var asks []dialect.GoalTickRequest
		for range runs {
			asks = append(asks, unsatisfied(h))
		}
		g, seen := goalThrough(ctx, h, host.BoundedTo(runs), satisfied(h), asks...)
		*o = seen
		if !concluded(o.Ticks) {
			return
		}
		o.Revival = revive(ctx, g, o.Ticks)
		o.Trail = trail(ctx, g, o.Revival.Still.Later)
	},
}

// goalUntilSatisfied ticks a goal until its judge is satisfied, below its bound.
var goalUntilSatisfied = &scenarios.Drive[GoalObservation]{
	ID: "openwop/goal-until-satisfied",
	Title: "ticks a goal whose judge, in doubt at first, is satisfied at a random run short of its bound, and three times more; beyond " +
		"quick, a verdict without a confidence follows one that has it",
	Sends: []string{"{create goal} {bounds: {maxLoopIterations: more than it takes}}", sendsTicks, "{read goal}", "{create run} (sentinel)",
		"{read trail}", "{read run} and its events of each contributing run", "{read run:an id never given out}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *GoalObservation) {
		h := host.Host{Conn: c}
		asks := []dialect.GoalTickRequest{unconvinced(h)}
		for range h.Between(0, 2) {
			asks = append(asks, unsatisfied(h))
		}
		bare := 0
		if h.Depth > scenarios.Quick {
			asks = append(asks, unsatisfied(h), dialect.GoalTickRequest{Verdict: &dialect.ScriptedVerdict{}})
			bare = len(asks)
		}
		asks = append(asks, satisfied(h))
		g, seen := goalThrough(ctx, h, host.BoundedTo(len(asks)+h.Between(1, 3)), unsatisfied(h), asks...)
		*o, o.Bare = seen, bare
		if !concluded(o.Ticks) {
			return
		}
		o.Trail = trail(ctx, g, o.Still.Later)
	},
}

// goalToItsCost ticks a goal whose runs together cost more than its bound. The sum
// never equals the bound: that case is left open.
var goalToItsCost = &scenarios.Drive[GoalCostObservation]{
	ID: "openwop/goal-to-its-cost",
	Title: "ticks a goal, with runs of random costs, to just below its bound of cost, across it, and three times more; beyond quick, " +
		"another whose runs cost less than half a cent, with a bound of runs beside and a pause before each, and one that a person " +
		"answers between two runs; and once one that may cost nothing",
	Sends: []string{"{create goal} {bounds: {maxCostUsd: random}}",
		"{create goal} {bounds: {maxCostUsd: 0}}", sendsTicks + ", {costUsd: random}",
		"{pause goal}", "{resume goal}", "{edit goal}", "{read goal}", "{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *GoalCostObservation) {
		h := host.Host{Conn: c}
		o.GoalObservation = throughCosts(ctx, h, false, func() int { return h.Between(100, 900) })
		if !concluded(o.Ticks) {
			return
		}
		if h.Depth > scenarios.Quick {
			o.Small = throughCosts(ctx, h, true, func() int { return 2 * h.Between(1, 2) })
			o.Around = spendAround(ctx, h)
		}
		free, made := h.StandingGoals(ctx).Begin(ctx, &dialect.GoalBounds{MaxCostUSD: new(0.0)})
		if !madeActive(made) {
			return
		}
		ask := unsatisfied(h)
		ask.CostUSD = new(float64(h.Between(1, 900)) / 1000)
		o.Free = fire(ctx, free, "tick of a goal that may cost nothing", ask, "the goal has ended or shows a run",
			func(goal wire.Value) bool { return hasEnded(goal) || runCount(goal) > 0 })
	},
}

// throughCosts ticks a goal whose runs cost what draw returns, in thousandths of a dollar. The bound is halfway through the last one.
// One that is touched has a bound of runs as well, and is paused, resumed and perhaps edited before each run but the first.
func throughCosts(ctx context.Context, h host.Host, touched bool, draw func() int) GoalObservation {
	var asks []dialect.GoalTickRequest
	spent, last := 0, 0
	for range h.Between(3, 4) {
		spent += last
		last = draw()
		ask := unsatisfied(h)
		ask.CostUSD = new(float64(last) / 1000)
		asks = append(asks, ask)
	}
	bounds, touch := &dialect.GoalBounds{MaxCostUSD: new(float64(2*spent+last) / 2000)}, untouched
	if touched {
		bounds.MaxLoopIterations = new(int64(len(asks) + h.Between(2, 9)))
		touch = func(g *host.Goal) bool {
			resumed := pauseAndResume(ctx, g)
			if !host.Succeeded(resumed.Reply.Status) || !isActive(resumed.After.Body) {
				return false
			}
			return h.Rand.IntN(2) == 0 || isActive(actAtRandom(ctx, g).Edit.After.Body)
		}
	}
	_, o := goalTouchedThrough(ctx, h, bounds, touch, unsatisfied(h), asks...)
	return o
}

// spendAround has a goal cross its bound of cost by two runs, with one between them that asks a person.
func spendAround(ctx context.Context, h host.Host) (o GoalSpent) {
	most := float64(h.Between(100, 900)) / 1000
	g, made := h.StandingGoals(ctx).Begin(ctx, &dialect.GoalBounds{MaxCostUSD: &most})
	if !madeActive(made) {
		return o
	}
	ask := unsatisfied(h)
	ask.CostUSD = new(most * 3 / 4)
	o.Before = onceAs(ctx, g, "tick below the bound of cost", ask, made.Fresh.Body)
	if !o.Before.Shown.Reached || !isActive(o.Before.Shown.Last) {
		return o
	}
	if o.Stuck = fire(ctx, g, "tick whose run asks a person", dialect.GoalTickRequest{Escalate: new(true)}, "the goal is escalated",
		hasEnded); !o.Stuck.Shown.Reached {
		return o
	}
	child := stuck(ctx, g, GoalObservation{Ticks: []GoalTick{o.Before, o.Stuck}})
	if child.ID == "" {
		return o
	}
	r, status := answerStuck(ctx, g, child)
	if !host.Succeeded(status) {
		return o
	}
	r.AwaitEnd(ctx)
	act(ctx, g, dialect.ResumeGoal)
	if o.Resumed = g.Read(ctx, "the goal that goes on"); isActive(o.Resumed.Body) {
		o.Last = fire(ctx, g, "tick across the bound of cost", ask, "the goal has ended", hasEnded)
	}
	return o
}

// onceAs is like once, with this ask.
func onceAs(ctx context.Context, g *host.Goal, label string, ask dialect.GoalTickRequest, before wire.Value) GoalTick {
	n := runCount(before)
	return fire(ctx, g, label, ask, "the goal shows one run more", func(goal wire.Value) bool { return hasEnded(goal) || runCount(goal) > n })
}

// GoalEscalatedObservation is a goal with a stuck run, and the goal after the run was answered.
type GoalEscalatedObservation struct {
	GoalObservation
	Bound    int            `json:"bound" drawn:"true"`
	Answered wire.Value     `json:"answered"` // HTTP status
	Resumed  host.GoalReply `json:"resumed"`
	Freed    wire.Wait      `json:"freed"` // no longer escalated
	Again    GoalTick       `json:"again"` // after it continued
	LastRun  GoalFreed      `json:"lastRun"`
}

// goalEscalated makes a run of a goal get stuck, then answers it.
var goalEscalated = &scenarios.Drive[GoalEscalatedObservation]{
	ID: "openwop/goal-escalated",
	Title: "ticks a goal once, has its next run get stuck and ask a person, and ticks it three times more; then answers " +
		"that run, resumes the goal and ticks it again; the same with a goal whose last run by its bound gets stuck",
	Sends: []string{"{create goal}", sendsTicks + ", the second {escalate: true}", "{read goal}", "{create run} (sentinel)",
		"{read run} and its events", "{answer node}", "{resume goal}", "{read trail}"},
	Replies: 40,
	Run: func(ctx context.Context, c *scenarios.Conn, o *GoalEscalatedObservation) {
		h := host.Host{Conn: c}
		var g *host.Goal
		o.Bound = h.Between(10, 20)
		g, o.GoalObservation = goalThrough(ctx, h, host.BoundedTo(o.Bound), satisfied(h), unsatisfied(h),
			dialect.GoalTickRequest{Escalate: new(true)})
		if !concluded(o.Ticks) {
			return
		}
		if o.Stuck = stuck(ctx, g, o.GoalObservation); o.Stuck.ID == "" {
			return
		}
		answers(ctx, g, o)
		if h.Depth > scenarios.Quick && host.Succeeded(o.Answered) {
			o.Trail = trail(ctx, g, g.Read(ctx, "the goal after the answer to its stuck run"))
		}
		o.LastRun = freed(ctx, h.StandingGoals(ctx), h.Between(1, 3), false)
	},
}

// GoalFreed is another goal that was escalated: by the last run of its bound, or it was given up then. Its run was answered.
type GoalFreed struct {
	GoalObservation
	Bound    int            `json:"bound" drawn:"true"`
	GaveUp   GoalEdit       `json:"gaveUp"`
	Answered wire.Value     `json:"answered"` // HTTP status
	Resumed  host.GoalReply `json:"resumed"`
}

// freed has a run of a goal get stuck, the last of its bound or, of a goal that is given up then, the first.
func freed(ctx context.Context, home host.GoalHome, bound int, giveUp bool) (o GoalFreed) {
	o.Bound, o.Runs = bound, bound
	var asks []dialect.GoalTickRequest
	if giveUp {
		o.Runs = 1
	}
	for range o.Runs - 1 {
		asks = append(asks, unsatisfied(home.Host))
	}
	var g *host.Goal
	if g, o.Goal = home.Begin(ctx, host.BoundedTo(bound)); !madeActive(o.Goal) {
		return o
	}
	if o.Ticks = tickThrough(ctx, g, append(asks, dialect.GoalTickRequest{Escalate: new(true)})...); !concluded(o.Ticks) {
		return o
	}
	if o.Stuck = stuck(ctx, g, o.GoalObservation); o.Stuck.ID == "" {
		return o
	}
	if giveUp {
		o.GaveUp = change(ctx, g, dialect.AbandonGoal, func(goal wire.Value) bool {
			return stateOf(goal).String() != string(dialect.GoalStateEscalated)
		})
	}
	r, status := answerStuck(ctx, g, o.Stuck)
	if o.Answered = status; host.Succeeded(status) {
		r.AwaitEnd(ctx)
	}
	o.Resumed = act(ctx, g, dialect.ResumeGoal)
	o.Still = still(ctx, g, unsatisfied(home.Host), o.Ticks)
	return o
}

// answers answers the stuck run and continues the goal.
func answers(ctx context.Context, g *host.Goal, o *GoalEscalatedObservation) {
	if _, o.Answered = answerStuck(ctx, g, o.Stuck); !host.Succeeded(o.Answered) {
		return
	}
	o.Resumed = act(ctx, g, dialect.ResumeGoal)
	what := "the goal is escalated no more"
	o.Freed = g.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
		reply := g.Look(ctx, what)
		return reply.Body, stateShown(reply).String() != string(dialect.GoalStateEscalated)
	})
	if !isActive(o.Freed.Last) {
		return
	}
	o.Again = once(ctx, g, "tick after the answer", o.Freed.Last)
}

// answerStuck answers the run that asks a person, and returns it and the HTTP status.
func answerStuck(ctx context.Context, g *host.Goal, c host.Child) (*host.Run, wire.Value) {
	r := &host.Run{Host: g.Host, ID: c.ID, Created: g.Recorded(c.Snapshot.Ref().Exchange), Gone: func() {}}
	return r, r.Answer(ctx, wire.Wait{Last: c.Snapshot}, g.Marker()).StatusValue()
}

// stuck reads the run that the last tick fired: the one named in the reply,
// else the newest one that the goal lists.
func stuck(ctx context.Context, g *host.Goal, o GoalObservation) host.Child {
	c := host.Child{ID: o.Ticks[len(o.Ticks)-1].RunID.String()}
	shown := runsOf(o.shown()).Items()
	if n := len(shown); c.ID == "" && n >= len(o.Ticks) {
		c.ID = shown[n-1].String()
	}
	if c.ID == "" {
		return c
	}
	r := &host.Run{Host: g.Host, ID: c.ID, Gone: func() {}}
	reply := r.Snapshot(ctx, "the run that asks a person")
	c.Snapshot = reply.Value("")
	return c
}

// goalThrough makes a goal, ticks it once for each ask, the last of which should
// end it, and then observes it standing still.
func goalThrough(ctx context.Context, h host.Host, bounds *dialect.GoalBounds, after dialect.GoalTickRequest,
	asks ...dialect.GoalTickRequest) (*host.Goal, GoalObservation) {
	return goalTouchedThrough(ctx, h, bounds, untouched, after, asks...)
}

// goalTouchedThrough is goalThrough with a touch before every tick but the first. The observation is empty if a touch ended or
// stopped the goal.
func goalTouchedThrough(ctx context.Context, h host.Host, bounds *dialect.GoalBounds, touch func(*host.Goal) bool,
	after dialect.GoalTickRequest, asks ...dialect.GoalTickRequest) (*host.Goal, GoalObservation) {
	o := GoalObservation{Runs: len(asks)}
	home := h.StandingGoals(ctx)
	g, made := home.Begin(ctx, bounds)
	if o.Goal = made; !madeActive(made) {
		return g, o
	}
	ticks, goesOn := tickTouched(ctx, g, touch, asks...)
	if !goesOn {
		return g, GoalObservation{}
	}
	if o.Ticks = ticks; !concluded(ticks) {
		return g, o
	}
	o.Still = still(ctx, g, after, o.Ticks)
	return g, o
}

// revive asks an ended goal to continue, in every way that a client has.
func revive(ctx context.Context, g *host.Goal, went []GoalTick) GoalRevival {
	r := GoalRevival{Objective: g.DrawObjective()}
	// The edit comes first: a goal revived by the resume may be edited again.
	r.Edited = edit(ctx, g, "edit the goal that has ended", dialect.EditGoalRequest{Objective: r.Objective})
	r.Resumed = act(ctx, g, dialect.ResumeGoal)
	r.Still = still(ctx, g, unsatisfied(g.GoalHome.Host), went)
	return r
}
