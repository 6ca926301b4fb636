package openwop

import (
	"context"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// GoalObservation is a goal that was ticked to its end, and beyond it.
type GoalObservation struct {
	Goal    GoalMade    `json:"goal"`
	Runs    int         `json:"runs"`  // the last of them is to end the goal
	Ticks   []GoalTick  `json:"ticks"` // one a run; fewer where it ended before, or did not move
	Still   GoalStill   `json:"still"`
	Revival GoalRevival `json:"revival"`
	Trail   GoalTrail   `json:"trail"`
	Stuck   Child       `json:"stuck"` // the run that asks a person, where the goal or the tick names it
}

// GoalRevival is what came of asking a goal that has ended to go on.
type GoalRevival struct {
	Objective string    `json:"objective"` // the one that the edit asked for
	Edited    GoalReply `json:"edited"`
	Resumed   GoalReply `json:"resumed"`
	Still     GoalStill `json:"still"`
}

const sendsTicks = "POST {prefix}/goals/{id}/tick, one after another"

// goalToItsBound ticks a goal that is never satisfied.
var goalToItsBound = &scenarios.Drive[GoalObservation]{
	ID:    "openwop/goal-to-its-bound",
	Title: "ticks a goal that is never satisfied through a bound of random length, and three times more; then edits it, asks it to resume and ticks it again",
	Sends: []string{"POST {prefix}/goals {bounds: {maxLoopIterations: random}}", sendsTicks, "GET {prefix}/goals/{id}", "POST /v1/runs (sentinel)",
		"PATCH {prefix}/goals/{id}", "POST {prefix}/goals/{id}/resume", "GET {prefix}/goals/{id}/events", "GET /v1/runs/{runId} and its events of each contributing run"},
	Run: func(ctx context.Context, c *scenarios.Conn) (GoalObservation, error) {
		h := host{c}
		runs := h.between(2, 4)
		var asks []openwopv1.GoalTickRequest
		for range runs {
			asks = append(asks, h.unsatisfied())
		}
		g, o, err := h.goalThrough(ctx, boundedTo(runs), h.satisfied(), asks...)
		if err != nil || !concluded(o.Ticks) {
			return o, err
		}
		if o.Revival, err = g.revive(ctx, o.Ticks); err != nil {
			return o, err
		}
		o.Trail, err = g.trail(ctx, o.Revival.Still.Later)
		return o, err
	},
}

// goalUntilSatisfied ticks a goal until its judge is satisfied, short of its bound.
var goalUntilSatisfied = &scenarios.Drive[GoalObservation]{
	ID:    "openwop/goal-until-satisfied",
	Title: "ticks a goal whose judge, in doubt at first, is satisfied at a random run short of its bound, and three times more",
	Sends: []string{"POST {prefix}/goals {bounds: {maxLoopIterations: more than it takes}}", sendsTicks, "GET {prefix}/goals/{id}", "POST /v1/runs (sentinel)",
		"GET {prefix}/goals/{id}/events", "GET /v1/runs/{runId} and its events of each contributing run", "GET /v1/runs/{an id never given out}"},
	Run: func(ctx context.Context, c *scenarios.Conn) (GoalObservation, error) {
		h := host{c}
		asks := []openwopv1.GoalTickRequest{h.unconvinced()}
		for range h.between(0, 2) {
			asks = append(asks, h.unsatisfied())
		}
		asks = append(asks, h.satisfied())
		g, o, err := h.goalThrough(ctx, boundedTo(len(asks)+h.between(1, 3)), h.unsatisfied(), asks...)
		if err != nil || !concluded(o.Ticks) {
			return o, err
		}
		o.Trail, err = g.trail(ctx, o.Still.Later)
		return o, err
	},
}

// goalToItsCost ticks a goal whose runs cost more together than it may. The sum
// is never the bound itself: what happens then is open.
var goalToItsCost = &scenarios.Drive[GoalObservation]{
	ID:    "openwop/goal-to-its-cost",
	Title: "ticks a goal, with runs of random costs, to just below its bound of cost, across it, and three times more",
	Sends: []string{"POST {prefix}/goals {bounds: {maxCostUsd: random}}", sendsTicks + ", {costUsd: random}", "GET {prefix}/goals/{id}", "POST /v1/runs (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn) (GoalObservation, error) {
		h := host{c}
		var asks []openwopv1.GoalTickRequest
		spent, last := 0, 0 // thousandths of a dollar
		for range h.between(3, 4) {
			spent += last
			last = h.between(100, 900)
			ask := h.unsatisfied()
			ask.CostUSD = new(float64(last) / 1000)
			asks = append(asks, ask)
		}
		bounds := &openwopv1.GoalBounds{MaxCostUSD: new(float64(2*spent+last) / 2000)} // half of the last run more than those before it
		_, o, err := h.goalThrough(ctx, bounds, h.unsatisfied(), asks...)
		return o, err
	},
}

// GoalEscalatedObservation is a goal whose run got stuck, and what came of it when that was answered.
type GoalEscalatedObservation struct {
	GoalObservation
	Answered wire.Value `json:"answered"` // HTTP status
	Resumed  GoalReply  `json:"resumed"`
	Freed    wire.Wait  `json:"freed"` // it is escalated no more
	Again    GoalTick   `json:"again"` // where it goes on
}

// goalEscalated has a goal's run get stuck, and answers it.
var goalEscalated = &scenarios.Drive[GoalEscalatedObservation]{
	ID:    "openwop/goal-escalated",
	Title: "ticks a goal once, has its next run get stuck and ask a person, and ticks it three times more; then answers that run, resumes the goal and ticks it again",
	Sends: []string{"POST {prefix}/goals", sendsTicks + ", the second {escalate: true}", "GET {prefix}/goals/{id}", "POST /v1/runs (sentinel)",
		"GET /v1/runs/{runId} and its events", "POST /v1/runs/{runId}/interrupts/{nodeId}", "POST {prefix}/goals/{id}/resume"},
	Run: func(ctx context.Context, c *scenarios.Conn) (o GoalEscalatedObservation, err error) {
		h := host{c}
		var g *goal
		g, o.GoalObservation, err = h.goalThrough(ctx, boundedTo(h.between(10, 20)), h.satisfied(), h.unsatisfied(), openwopv1.GoalTickRequest{Escalate: new(true)})
		if err != nil || !concluded(o.Ticks) {
			return o, err
		}
		if o.Stuck, err = g.stuck(ctx, o.GoalObservation); err != nil || o.Stuck.ID == "" {
			return o, err
		}
		return o, g.answers(ctx, &o)
	},
}

// answers answers the run that got stuck and has the goal go on.
func (g *goal) answers(ctx context.Context, o *GoalEscalatedObservation) error {
	r := &run{host: g.host, ID: o.Stuck.ID, gone: func() {}}
	reply, err := r.answer(ctx, wire.Wait{Last: o.Stuck.Snapshot}, g.marker())
	if err != nil {
		return err
	}
	if o.Answered = reply.StatusValue(); !succeeded(o.Answered) {
		return nil
	}
	if o.Resumed, err = g.act(ctx, "resume"); err != nil {
		return err
	}
	what := "the goal is escalated no more"
	o.Freed, err = g.Await(ctx, what, func(ctx context.Context) (wire.Value, bool, error) {
		reply, err := g.read(ctx, what)
		return reply.Body, err == nil && reply.state().String() != string(openwopv1.GoalStateEscalated), err
	})
	if err != nil || !goesOn(o.Freed.Last) {
		return err
	}
	o.Again, err = g.once(ctx, "tick after the answer", o.Freed.Last)
	return err
}

// stuck reads the run that the last tick fired: the one that its reply names,
// else the last that the goal shows and did not show before.
func (g *goal) stuck(ctx context.Context, o GoalObservation) (Child, error) {
	c := Child{ID: o.Ticks[len(o.Ticks)-1].RunID.String()}
	shown := runsOf(o.shown()).Items()
	if n := len(shown); c.ID == "" && n >= len(o.Ticks) {
		c.ID = shown[n-1].String()
	}
	if c.ID == "" {
		return c, nil
	}
	r := &run{host: g.host, ID: c.ID, gone: func() {}}
	reply, err := r.snapshot(ctx, "the run that asks a person")
	if err != nil {
		return c, err
	}
	c.Snapshot = reply.Value("")
	return c, nil
}

// goalThrough makes a goal, ticks it once for each ask, the last of which is to
// end it, and watches it stand still after that.
func (h host) goalThrough(ctx context.Context, bounds *openwopv1.GoalBounds, after openwopv1.GoalTickRequest, asks ...openwopv1.GoalTickRequest) (*goal, GoalObservation, error) {
	o := GoalObservation{Runs: len(asks)}
	home, err := h.standingGoals(ctx)
	if err != nil {
		return nil, o, err
	}
	var g *goal
	if g, o.Goal, err = home.begin(ctx, bounds); err != nil || !o.Goal.goesOn() {
		return g, o, err
	}
	if o.Ticks, err = g.tickThrough(ctx, asks...); err != nil || !concluded(o.Ticks) {
		return g, o, err
	}
	o.Still, err = g.still(ctx, after, o.Ticks)
	return g, o, err
}

// revive asks a goal that has ended to go on, in the ways that a client has.
func (g *goal) revive(ctx context.Context, went []GoalTick) (GoalRevival, error) {
	r := GoalRevival{Objective: g.objective()}
	var err error
	// The edit comes first: a goal that a resume revives may be edited again.
	if r.Edited, err = g.edit(ctx, "edit the goal that has ended", openwopv1.EditGoalRequest{Objective: r.Objective}); err != nil {
		return r, err
	}
	if r.Resumed, err = g.act(ctx, "resume"); err != nil {
		return r, err
	}
	r.Still, err = g.still(ctx, g.unsatisfied(), went)
	return r, err
}
