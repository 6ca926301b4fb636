package fault

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

var goalsShown = []Fault{
	{
		ID:     "goal.cost-in-whole-dollars",
		Title:  "the bound of cost is served without its cents",
		Looks:  "a goal asked for with maxCostUsd 12.25 shows 12",
		Breaks: []string{openwop.OWP0097B1},
		Replace: shows(func(g *openwopv1.Goal) {
			if cost := g.Bounds.MaxCostUSD; cost != nil {
				g.Bounds.MaxCostUSD = new(float64(int64(*cost)))
			}
		}),
	},
	{
		ID:      "goal.check-shown-as-verifier",
		Title:   "every goal is served as judged by a verifier",
		Looks:   "completion.check is verifier where host was asked for, and judges",
		Breaks:  []string{openwop.OWP0097B2},
		Replace: shows(func(g *openwopv1.Goal) { g.Completion.Check = openwopv1.GoalCheckVerifier }),
	},
	{
		ID:      "goal.mode-shown-as-schedule",
		Title:   "every goal is served as one on a schedule",
		Looks:   "continuation.mode is schedule where manual was asked for, and is kept",
		Breaks:  []string{openwop.OWP0097B3},
		Replace: shows(func(g *openwopv1.Goal) { g.Continuation.Mode = openwopv1.GoalContinuationModeSchedule }),
	},
	{
		ID:      "goal.owner-without-tenant",
		Title:   "a goal does not say whose it is",
		Looks:   "owner.tenant of a goal is empty",
		Breaks:  []string{openwop.OWP0097B4},
		Replace: shows(func(g *openwopv1.Goal) { g.Owner.Tenant = "" }),
	},
	{
		ID:     "goal.verdict-before-the-first-run",
		Title:  "a goal that was never judged shows a verdict",
		Looks:  "completion.lastVerdict of a new goal says satisfied false, of no run",
		Breaks: []string{openwop.OWP0097C3},
		Replace: shows(func(g *openwopv1.Goal) {
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
		Replace: shows(func(g *openwopv1.Goal) {
			progress := *g.Progress
			progress.ContributingRunIds = nil
			g.Progress = &progress
		}),
	},
	{
		ID:     "goal.runs-by-other-ids",
		Title:  "a goal names its runs by the ids of jobs, under which the host serves no runs",
		Looks:  "no contributing run can be read under the id that the goal shows",
		Breaks: []string{openwop.OWP0097E10},
		Replace: func(s *rules.Set) {
			shows(func(g *openwopv1.Goal) {
				progress := *g.Progress
				progress.ContributingRunIds = nil
				for _, id := range g.Progress.ContributingRunIds {
					progress.ContributingRunIds = append(progress.ContributingRunIds, jobOf(id))
				}
				g.Progress = &progress
				if v := g.Completion.LastVerdict; v != nil {
					g.Completion.LastVerdict = &openwopv1.GoalVerdict{Satisfied: v.Satisfied, Confidence: v.Confidence, RunID: new(jobOf(*v.RunID))}
				}
			})(s)
			tells(openwopv1.GoalEventTypeGoalEvaluated, func(_ string, payload map[string]any) {
				id, _ := payload["runId"].(string)
				payload["runId"] = jobOf(id)
			})(s)
		},
	},
	{
		ID:     "goal.verdict-of-the-first-run",
		Title:  "while a goal goes on, its last verdict names the first run that was judged",
		Looks:  "completion.lastVerdict.runId stays at the first contributing run until the goal has ended",
		Breaks: []string{openwop.OWP0097E9},
		Replace: shows(func(g *openwopv1.Goal) {
			if v := g.Completion.LastVerdict; v != nil && g.State == openwopv1.GoalStateActive {
				g.Completion.LastVerdict = &openwopv1.GoalVerdict{Satisfied: v.Satisfied, Confidence: v.Confidence,
					RunID: &g.Progress.ContributingRunIds[0]}
			}
		}),
	},
	{
		ID:     "goal.exceeded-a-run-early",
		Title:  "a goal with one run left is shown as if it had none",
		Looks:  "the state is bound-exceeded after run N-1 of N, and run N is fired all the same",
		Breaks: []string{openwop.OWP0097G2},
		Replace: shows(func(g *openwopv1.Goal) {
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
		Replace: func(s *rules.Set) {
			s.Goals.Listed = func(g openwopv1.Goal, _ openwopv1.GoalState) (openwopv1.Goal, bool) { return g, true }
		},
	},
	{
		ID:     "goal.listed-without-bounds",
		Title:  "goals are listed without their bounds",
		Looks:  "an active goal has a bound when it is read, and none in the list",
		Breaks: []string{openwop.OWP0097E3, openwop.OWP0097B1},
		Replace: func(s *rules.Set) {
			honest := s.Goals.Listed
			s.Goals.Listed = func(g openwopv1.Goal, in openwopv1.GoalState) (openwopv1.Goal, bool) {
				g.Bounds = openwopv1.GoalBounds{}
				return honest(g, in)
			}
		},
	},
}

func jobOf(runID string) string { return "job-" + runID }

// shows has every goal served otherwise than it is.
func shows(otherwise func(*openwopv1.Goal)) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Goals.Shown
		s.Goals.Shown = func(g openwopv1.Goal) openwopv1.Goal {
			g = honest(g)
			otherwise(&g)
			return g
		}
	}
}
