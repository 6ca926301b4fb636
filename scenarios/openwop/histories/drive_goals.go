package histories

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire"
)

var goals = &explore.Kind[model.Goal, model.GoalAsk, model.GoalSaw]{
	Model: model.GoalsModel,
	Begin: func(r *rand.Rand, d scenarios.Discovery) model.Goal {
		_, stuck := claims.GoalsEscalation.Look(d)
		g := model.Goal{State: model.GoalActive, Escalate: stuck, Mode: drawMode(r, d), MaxRuns: 1 + r.IntN(5)}
		switch costly := r.IntN(3); {
		case g.Pushed(): // the cost of a pushed run is unknown, so a bound on cost could not be checked
		case costly == 0:
			g.MaxCost = 250*(1+r.IntN(12)) + 1 // no sum of costs is just as much: all of them are even
		case costly == 1:
			g.MaxRuns, g.MaxCost = 0, []int{250, 4}[r.IntN(2)]*(1+r.IntN(8))+1
		}
		return g
	},
	Make:    makeGoal,
	Draw:    drawGoal,
	Beside:  goalMembers,
	Shown:   func(out model.GoalSaw) wire.Value { return out.Status },
	Clients: 3,
}

var goalMembers = scenarios.IDs{
	openwop.OWP0097B2, openwop.OWP0097B3, openwop.OWP0097B4, openwop.OWP0097E1, openwop.OWP0097E5, openwop.OWP0097E7, openwop.OWP0097E9,
	openwop.OWPISO2,
}

func drawGoal(r *rand.Rand, g model.Goal) model.GoalAsk {
	in := model.GoalAsk{Do: []model.GoalDo{
		model.TickGoal, model.TickGoal, model.TickGoal, model.TickGoal, model.TickGoal, model.TickGoal, model.ReadGoal, model.ReadGoal,
		model.ReadGoal, model.ReadGoal, model.ListGoals, model.ListGoals, model.ReadTrail, model.ReadTrail, model.ReadGoalRun, model.EditGoal,
		model.EditGoal, model.RestateGoal, model.ForceGoal, model.CompleteGoal, model.PauseGoal, model.ResumeGoal, model.ResumeGoal,
		model.ResumeGoal, model.AbandonGoal, model.ForeignGoal,
	}[r.IntN(26)]}
	switch {
	case g.Pushed() && (r.IntN(3) == 0 || g.Paused && r.IntN(2) == 0):
		return model.GoalAsk{Do: model.PushGoal}
	case g.Paused && r.IntN(4) == 0: // nothing but a resume ends a pause
		in.Do = []model.GoalDo{model.RestateGoal, model.EditGoal, model.TickGoal, model.TickGoal}[r.IntN(4)]
	case g.Sure < 0 && r.IntN(3) == 0:
		return model.GoalAsk{Do: model.ReadGoal}
	case g.State != model.GoalActive && r.IntN(8) == 0:
		return model.GoalAsk{Do: model.ListGoals}
	}
	switch in.Do {
	case model.AbandonGoal:
		if r.IntN(2) == 0 {
			in.Do = model.ReadGoal
		}
	case model.TickGoal:
		in.Sure = []int{-1, 0, 1 + r.IntN(98), 1 + r.IntN(98), 100}[r.IntN(5)]
		if g.Sure > 0 && r.IntN(2) == 0 { // nothing of a verdict is left to the next
			in.Sure = -1
		}
		in.Cost = []int{0, 250 * (1 + r.IntN(3)), 4}[r.IntN(3)]
		in.Satisfied = r.IntN(8) == 0
		if g.Escalate && r.IntN(12) == 0 {
			in = model.GoalAsk{Do: model.TickGoal, Stuck: true}
		}
	case model.EditGoal:
		in.N = 1 + r.IntN(99)
	case model.ListGoals:
		in.N = r.IntN(len(model.GoalStates) + 1)
	case model.ForeignGoal:
		in.N = r.IntN(len(model.GoalForeigns))
	}
	return in
}

var goalsAtOnce = &scenarios.Drive[explore.Observation[model.Goal, model.GoalAsk, model.GoalSaw]]{
	ID: "openwop/goals-at-once",
	Title: "ticks goals with drawn bounds, up to three times at once, has their heartbeats see changes and their commitments fire, " +
		"edits, pauses, resumes, abandons, reads and lists them, also as another tenant, in drawn orders",
	Sends: []string{
		"{create goal}", "{tick goal}", "{edit goal}", "{complete goal}", "{pause goal}", "{resume goal}", "{abandon goal}", "{read goal}",
		"{list goals}?state=", "{read trail}", "{read run}", "{use seam:heartbeat/tick} {observedState: random}",
		"{use seam:commitment/fire} {commitmentId: random}",
	},
	Kills:      true,
	Dimensions: explore.Dimensions,
	Run:        goals.Run,
}

var goalsExplained = scenarios.Scenario{
	ID:     "openwop/histories/goals",
	Title:  "a standing goal shows what clients did to it, in some order, and ends once",
	Proves: scenarios.IDs{openwop.OWP0097C3}, Watches: goals.Watched(), Reaches: scenarios.Survived,
	Claim: claims.Goals, Ask: scenarios.Ask(goalsAtOnce, goals.Judge), Depth: scenarios.Standard,
}

// standing is a goal on the host.
type standing struct {
	*host.Goal
	// turns: what a goal shows while a run of it is under way no text says. So ticks come at once, and all else alone.
	turns      sync.RWMutex
	ticks      crowd
	mu         sync.Mutex
	objectives map[int]string
	paused     bool
	asked      dialect.CreateGoalRequest
	push       func(context.Context) (took bool) // triggers a run; nil for a goal that only ticks drive
	foreign    *host.GoalHome                    // the same goals as another tenant sees them; nil without a second tenant
}

func makeGoal(ctx context.Context, c *scenarios.Conn, begin model.Goal) explore.Object[model.GoalAsk, model.GoalSaw] {
	h := host.Host{Conn: c}
	bounds := &dialect.GoalBounds{}
	if begin.MaxRuns > 0 {
		bounds.MaxLoopIterations = new(int64(begin.MaxRuns))
	}
	if begin.MaxCost > 0 {
		bounds.MaxCostUSD = new(float64(begin.MaxCost) / 1000)
	}
	asked := h.GoalRequest(bounds)
	byHand := asked.Continuation
	if byHand.Mode != dialect.GoalContinuationModeManual {
		scenarios.End(scenarios.Block("goals go on by themselves, so nobody knows when a run is fired", "offer the mode manual of goals"))
	}
	armed, push := arm(ctx, h, begin.Mode)
	if armed != nil {
		asked.Continuation = *armed
	}
	home := h.StandingGoals(ctx)
	g := home.Create(ctx, "create a goal", asked)
	if g.ID == "" && armed != nil { // a host may not take our form of an armRef
		asked.Continuation, push = byHand, nil
		g = home.Create(ctx, "create a goal that goes on by hand", asked)
	}
	if g.ID == "" {
		scenarios.End(scenarios.Block("setup failed: making a goal was answered HTTP "+g.Created.Status.JSON(),
			"make goals of the judge and the continuations that are advertised, and answer with their ids"))
	}
	made := &standing{Goal: g, asked: asked, push: push}
	made.objectives = map[int]string{0: asked.Objective, model.ForeignObjective: h.DrawObjective()}
	if other, ok := c.Other(); ok {
		made.foreign = &host.GoalHome{Host: host.Host{Conn: other}, Prefix: g.Prefix}
	}
	return made
}

// Do implements [explore.Object].
func (g *standing) Do(ctx context.Context, _ int, in model.GoalAsk) model.GoalSaw {
	if in.Do == model.TickGoal {
		g.turns.RLock()
		defer g.turns.RUnlock()
		beside := g.ticks.enter()
		out := g.saying(g.tick(ctx, in))
		out.Beside = beside()
		id := out.Body.Key("runId").String()
		if id == "" {
			out.Now = g.Look(ctx, "the goal that fired no run").Body
			return out
		}
		g.shows(ctx, id)
		return out
	}
	g.turns.Lock()
	defer g.turns.Unlock()
	switch in.Do {
	case model.ListGoals:
		state := dialect.GoalState("")
		if in.N > 0 {
			state = dialect.GoalState(model.GoalStates[in.N-1])
		}
		out := g.saying(g.List(ctx, state))
		out.Now = g.Look(ctx, "the goal that is listed").Body
		return out
	case model.ReadTrail:
		return g.trail(ctx)
	case model.ReadGoalRun:
		return g.run(ctx)
	case model.EditGoal:
		g.mu.Lock()
		text := g.objectives[in.N]
		if text == "" {
			text = fmt.Sprintf("objective %d of %s", in.N, g.objectives[0])
			g.objectives[in.N] = text
		}
		g.mu.Unlock()
		return g.edited(ctx, dialect.EditGoalRequest{Objective: text})
	case model.RestateGoal:
		return g.edited(ctx, dialect.EditGoalRequest{Completion: &g.asked.Completion, Continuation: &g.asked.Continuation})
	case model.ForceGoal:
		return g.saying(g.edit(wire.Misfit(ctx, openwop.OWP0097E2), map[string]dialect.GoalState{"state": dialect.GoalStateSatisfied}))
	case model.CompleteGoal:
		return g.act(wire.Misfit(ctx, openwop.OWP0097C7), dialect.CompleteGoal)
	case model.PauseGoal, model.ResumeGoal:
		pause := in.Do == model.PauseGoal
		out := g.act(ctx, map[bool]dialect.Operation{true: dialect.PauseGoal, false: dialect.ResumeGoal}[pause])
		if host.Succeeded(out.Status) {
			g.paused = pause
		}
		return out
	case model.AbandonGoal:
		return g.act(ctx, dialect.AbandonGoal)
	case model.ForeignGoal:
		return g.asForeign(ctx, in)
	case model.PushGoal:
		return g.pushed(ctx)
	}
	return g.saying(g.Read(ctx, "the goal"))
}

// shows waits until the goal shows a run that was fired, or that does not come: a judge may take its time.
func (g *standing) shows(ctx context.Context, run string) {
	g.UntilShown(ctx, func(ctx context.Context) bool {
		listed := g.Look(ctx, "the goal, until it shows its run").Body.At("/progress/contributingRunIds")
		return slices.ContainsFunc(listed.Items(), func(v wire.Value) bool { return v.String() == run })
	})
}

func (g *standing) saying(r host.GoalReply) model.GoalSaw {
	g.mu.Lock()
	defer g.mu.Unlock()
	return model.GoalSaw{
		Status: r.Status, Body: r.Body, ID: g.ID, Objectives: maps.Clone(g.objectives), Check: string(g.asked.Completion.Check),
		Mode: string(g.asked.Continuation.Mode),
	}
}

func (g *standing) act(ctx context.Context, op dialect.Operation) model.GoalSaw {
	reply := g.GoalHome.Do(ctx, wire.Call{Operation: g.To(op), Label: op.Name()})
	if reply.Status == http.StatusUnauthorized || reply.Status == http.StatusForbidden {
		scenarios.End(scenarios.Block(fmt.Sprintf("%s was answered HTTP %d", op.Name(), reply.Status), host.GiveGoalsKey))
	}
	return g.saying(host.AnswerOf(reply))
}

// edited edits the goal, and reads it where that is refused.
func (g *standing) edited(ctx context.Context, body any) model.GoalSaw {
	out := g.saying(g.edit(ctx, body))
	if !host.Succeeded(out.Status) {
		out.Now = g.Look(ctx, "the goal that is not edited").Body
	}
	return out
}

// edit sends a PATCH, or a POST where the host knows none (OWP-R27).
func (g *standing) edit(ctx context.Context, body any) host.GoalReply {
	reply := g.GoalHome.Do(ctx, wire.Call{Operation: g.To(dialect.EditGoal), Body: body, Label: "edit the goal"})
	if host.NotThere(reply.Status) {
		byPost := wire.Call{Operation: g.To(dialect.RewriteGoal), Body: body, Label: "edit the goal, by POST"}
		return host.AnswerOf(g.GoalHome.Do(wire.Misfit(ctx, "OWP-R27"), byPost))
	}
	return host.AnswerOf(reply)
}

// tick has a run fired and judged.
func (g *standing) tick(ctx context.Context, in model.GoalAsk) host.GoalReply {
	ask := dialect.GoalTickRequest{Verdict: &dialect.ScriptedVerdict{Satisfied: in.Satisfied}}
	if in.Sure >= 0 {
		ask.Verdict.Confidence = new(float64(in.Sure) / 100)
	}
	if in.Cost > 0 {
		ask.CostUSD = new(float64(in.Cost) / 1000)
	}
	if in.Stuck {
		ask = dialect.GoalTickRequest{Escalate: new(true)}
	}
	reply := g.GoalHome.Do(ctx, wire.Call{Operation: g.To(dialect.TickGoal), Body: ask, Label: "tick"})
	switch {
	case host.NotThere(reply.Status), reply.Status == http.StatusUnauthorized, reply.Status == http.StatusForbidden:
		scenarios.End(scenarios.Block(fmt.Sprintf("the seam %s answered HTTP %d", g.PathOf(g.To(dialect.TickGoal)), reply.Status),
			"wire the seam that ticks a goal (docs/seams.md)"))
	case in.Stuck:
		g.Adopt(reply)
	}
	return host.AnswerOf(reply)
}

// run reads the last of the runs that the goal lists.
func (g *standing) run(ctx context.Context) model.GoalSaw {
	listed := g.Read(ctx, "the runs of the goal").Body.At("/progress/contributingRunIds").Items()
	if len(listed) == 0 {
		return model.GoalSaw{Silent: true}
	}
	id := listed[len(listed)-1].String()
	reply := g.GoalHome.Do(ctx, wire.Call{Operation: dialect.ReadRun.Of(id), Label: "a run of the goal", Secrets: host.InterruptTokens})
	return g.saying(host.AnswerOf(reply))
}

// trail reads the log of the goal, where it has one.
func (g *standing) trail(ctx context.Context) model.GoalSaw {
	out := g.act(ctx, dialect.ReadTrail)
	if trailIn(&out); !out.Silent {
		out.Now = g.Look(ctx, "the goal whose log was read").Body
	}
	return out
}

// trailIn takes the events out of the log of a goal that was read, where it has one.
func trailIn(out *model.GoalSaw) {
	events := out.Body.Key("events")
	more := out.Body.Key("isComplete").Actual() == false // what is on further pages is not read
	if out.Silent = !host.Succeeded(out.Status) || !host.IsList(events) || more; out.Silent {
		return
	}
	for _, e := range events.Items() {
		switch dialect.EventOf(e) {
		case dialect.GoalEvaluated:
			out.Evaluated = append(out.Evaluated, e)
		case dialect.GoalClosed:
			out.Closed = append(out.Closed, e)
		}
	}
}
