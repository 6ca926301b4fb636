package fault

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
)

var goalsShown = []Fault{
	{
		ID:     "goal.cost-in-whole-dollars",
		Title:  "the bound of cost is served without its cents",
		Looks:  "a goal asked for with maxCostUsd 12.25 shows 12",
		Breaks: []string{openwop.OWP0097B1},
		Reply: shows(func(g *openwopv1.Goal) {
			if cost := g.Bounds.MaxCostUSD; cost != nil {
				g.Bounds.MaxCostUSD = new(float64(int64(*cost)))
			}
		}),
	},
	{
		ID:     "goal.check-shown-as-verifier",
		Title:  "every goal is served as judged by a verifier",
		Looks:  "completion.check is verifier where host was asked for, and judges",
		Breaks: []string{openwop.OWP0097B2},
		Reply:  shows(func(g *openwopv1.Goal) { g.Completion.Check = openwopv1.GoalCheckVerifier }),
	},
	{
		ID:     "goal.mode-shown-as-schedule",
		Title:  "every goal is served as one on a schedule",
		Looks:  "continuation.mode is schedule where manual was asked for, and is kept",
		Breaks: []string{openwop.OWP0097B3},
		Reply:  shows(func(g *openwopv1.Goal) { g.Continuation.Mode = openwopv1.GoalContinuationModeSchedule }),
	},
	{
		ID:     "goal.owner-without-tenant",
		Title:  "a goal does not say whose it is",
		Looks:  "owner.tenant of a goal is empty",
		Breaks: []string{openwop.OWP0097B4},
		Reply:  shows(func(g *openwopv1.Goal) { g.Owner.Tenant = "" }),
	},
	{
		ID:     "goal.verdict-before-the-first-run",
		Title:  "a goal that was never judged shows a verdict",
		Looks:  "completion.lastVerdict of a new goal says satisfied false, of no run",
		Breaks: []string{openwop.OWP0097C3},
		Reply: shows(func(g *openwopv1.Goal) {
			if g.Completion.LastVerdict == nil {
				g.Completion.LastVerdict = &openwopv1.GoalVerdict{Satisfied: new(false)}
			}
		}),
	},
	{
		ID:     "goal.runs-not-shown",
		Title:  "a goal counts its runs and does not name them",
		Looks:  "progress has iterations and no contributingRunIds",
		Breaks: []string{openwop.OWP0097C3},
		Reply:  shows(func(g *openwopv1.Goal) { g.Progress.ContributingRunIds = nil }),
	},
	{
		ID:     "goal.runs-by-other-ids",
		Title:  "a goal names its runs by the ids of jobs, under which the host serves no runs",
		Looks:  "no contributing run can be read under the id that the goal shows",
		Breaks: []string{openwop.OWP0097E10},
		Reply: inTurn(shows(func(g *openwopv1.Goal) {
			for i, id := range g.Progress.ContributingRunIds {
				g.Progress.ContributingRunIds[i] = jobOf(id)
			}
			if v := g.Completion.LastVerdict; v != nil {
				v.RunID = new(jobOf(*v.RunID))
			}
		}), tells(openwopv1.GoalEventTypeGoalEvaluated, func(payload map[string]any) {
			id, _ := payload["runId"].(string)
			payload["runId"] = jobOf(id)
		})),
	},
	{
		ID:     "goal.verdict-of-the-first-run",
		Title:  "while a goal goes on, its last verdict names the first run that was judged",
		Looks:  "completion.lastVerdict.runId stays at the first contributing run until the goal has ended",
		Breaks: []string{openwop.OWP0097E9},
		Reply: shows(func(g *openwopv1.Goal) {
			if v := g.Completion.LastVerdict; v != nil && g.State == openwopv1.GoalStateActive {
				v.RunID = &g.Progress.ContributingRunIds[0]
			}
		}),
	},
	{
		ID:     "goal.exceeded-a-run-early",
		Title:  "a goal with one run left is shown as if it had none",
		Looks:  "the state is bound-exceeded after run N-1 of N, and run N is fired all the same",
		Breaks: []string{openwop.OWP0097G2},
		Reply: shows(func(g *openwopv1.Goal) {
			most := g.Bounds.MaxLoopIterations
			if g.State == openwopv1.GoalStateActive && most != nil && *g.Progress.Iterations == *most-1 && *most > 1 {
				g.State = openwopv1.GoalStateBoundExceeded
			}
		}),
	},
	{
		ID:     "goal.list-of-any-state",
		Title:  "the list of goals does not look at the state that is asked for",
		Looks:  "an active goal is among those that are satisfied",
		Breaks: []string{openwop.OWP0097C2},
		Request: mutate.Asked("GET "+theGoals, func(r *mutate.Request) {
			if asked := r.URL.Query(); openwopv1.GoalState(asked.Get("state")).Valid() {
				asked.Del("state")
				r.URL.RawQuery = asked.Encode()
			}
		}),
	},
	{
		ID:     "goal.listed-without-bounds",
		Title:  "goals are listed without their bounds",
		Looks:  "an active goal has a bound when it is read, and none in the list",
		Breaks: []string{openwop.OWP0097E3, openwop.OWP0097B1},
		Reply:  listsGoals(func(g *openwopv1.Goal) { g.Bounds = openwopv1.GoalBounds{} }),
	},
}

func jobOf(runID string) string { return "job-" + runID }

// theGoals is the path of the goals, and theGoal that of one of them.
const (
	theGoals = "/v1/host/sample/goals"
	theGoal  = theGoals + "/{goalId}"
)

// shows changes goals in every reply that holds one.
func shows(otherwise func(*openwopv1.Goal)) mutate.ReplyFunc {
	alone := mutate.Succeeded(mutate.At("", otherwise))
	return inTurn(
		listsGoals(otherwise),
		mutate.On("POST "+theGoals, alone),
		mutate.On("GET "+theGoal, alone),
		mutate.On("PATCH "+theGoal, alone),
		mutate.On("POST "+theGoal+"/pause", alone),
		mutate.On("POST "+theGoal+"/resume", alone),
		mutate.On("POST "+theGoal+"/abandon", alone),
		mutate.On("POST "+theGoal+"/tick", mutate.Succeeded(mutate.At("/goal", otherwise))),
	)
}

// listsGoals changes goals in the list of goals.
func listsGoals(otherwise func(*openwopv1.Goal)) mutate.ReplyFunc {
	return mutate.On("GET "+theGoals, mutate.Succeeded(mutate.At("", func(list *openwopv1.GoalList) {
		for i := range list.Goals {
			otherwise(&list.Goals[i])
		}
	})))
}

// inTurn makes several changes of a reply, one after the other.
func inTurn(changes ...mutate.ReplyFunc) mutate.ReplyFunc {
	return func(r *mutate.Reply) {
		for _, change := range changes {
			change(r)
		}
	}
}
