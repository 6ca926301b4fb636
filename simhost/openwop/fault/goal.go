package fault

import (
	"net/http"
	"path"
	"slices"
	"sync"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// goalFaults are violations of what is said of standing goals: of how they are made, shown, driven and ended.
var goalFaults = slices.Concat(goalsMade, goalsShown, goalsChanged, goalsGoing, goalsEnding, goalsTold)

var goalsMade = []Fault{
	{
		ID:     "goal.mode-of-its-own",
		Title:  "discovery lists a mode of continuation that the protocol does not know",
		Looks:  "agents.goals.continuation holds cron where it should hold schedule",
		Breaks: []string{openwop.OWP0097A1},
		Lies:   true,
		Reply: discovered(mutate.At("/agents/goals", func(c *openwopv1.GoalsCapability) {
			for i, mode := range c.Continuation {
				if mode == openwopv1.GoalsCapabilityContinuationItemSchedule {
					c.Continuation[i] = "cron"
				}
			}
		})),
	},
	{
		ID:      "goal.without-claim",
		Title:   "a host that does not claim goals serves them all the same",
		Looks:   "goals are listed and made where discovery has no agents.goals",
		Breaks:  []string{openwop.OWP0097G3},
		Under:   Under{Without: []string{"goals"}},
		Replace: unclaimed(rules.ServesGoals),
	},
	{
		ID:     "goal.bounds-not-required",
		Title:  "bounds are advertised as required and are not",
		Looks:  "a goal without bounds is made with 200, is active and runs for ever",
		Breaks: []string{openwop.OWP0097A2, openwop.OWP0097C1, openwop.OWP0097E3},
		Replace: func(s *rules.Set) {
			honest := s.Goals.Takes
			s.Goals.Takes = func(field string, offered bool) bool { return field == "bounds" || honest(field, offered) }
		},
	},
	{
		ID:     "goal.unbounded-is-malformed",
		Title:  "a goal without bounds is refused like a body that cannot be read",
		Looks:  "a create without bounds is answered 400",
		Breaks: []string{openwop.OWP0097C1},
		Reply: mutate.On("POST "+theGoals, func(r *mutate.Reply) {
			if r.Status == http.StatusUnprocessableEntity {
				r.Status = http.StatusBadRequest
			}
		}),
	},
	{
		ID:      "goal.judge-of-any-name",
		Title:   "a goal is made with whatever judge it is asked for",
		Looks:   "a goal whose completion.check nobody knows is made and served",
		Breaks:  []string{openwop.OWP0097B2},
		Replace: func(s *rules.Set) { takes(s, "completion.check", "/completion/check") },
	},
	{
		ID:      "goal.mode-of-any-name",
		Title:   "a goal is made with whatever mode it is asked for",
		Looks:   "a goal whose continuation.mode nobody knows is made and served",
		Breaks:  []string{openwop.OWP0097B3},
		Replace: func(s *rules.Set) { takes(s, "continuation.mode", "/continuation/mode") },
	},
	{
		ID:      "goal.no-run-at-all",
		Title:   "a goal is made with a bound of no runs, or of fewer",
		Looks:   "a goal is served with bounds.maxLoopIterations 0 or below",
		Breaks:  []string{openwop.OWP0097B5},
		Replace: func(s *rules.Set) { takes(s, "bounds.maxLoopIterations", "/bounds/maxLoopIterations") },
	},
	{
		ID:     "goal.secret-in-edit",
		Title:  "an objective is looked through for secrets when a goal is made, not when it is edited",
		Looks:  "the credential in an edited objective is served with the goal",
		Breaks: []string{openwop.OWP0097E11},
		Remembers: func() mutate.Changes {
			var asked, edited sync.Map // objectives as they were sent: by the path of the request, and by the id of the goal
			c := replies(
				mutate.On("PATCH "+theGoal, mutate.Succeeded(func(r *mutate.Reply) {
					if objective, reworded := asked.LoadAndDelete(r.Request.URL.Path); reworded {
						edited.Store(path.Base(r.Request.URL.Path), objective)
					}
				})),
				shows(func(g *openwopv1.Goal) {
					if objective, was := edited.Load(g.ID); was {
						g.Objective = objective.(string)
					}
				}),
			)
			c.Requests = []mutate.RequestFunc{mutate.Asked("PATCH "+theGoal, func(r *mutate.Request) {
				mutate.Body(func(edit map[string]any) {
					if objective, reworded := edit["objective"].(string); reworded {
						asked.Store(r.URL.Path, objective)
					}
				})(r)
			})}
			return c
		},
	},
}

// takes lets everything pass in one member of a goal that is created.
func takes(s *rules.Set, field, member string) {
	honest, minds := s.Goals.Takes, s.Requests.Minds
	s.Goals.Takes = func(f string, offered bool) bool { return f == field || honest(f, offered) }
	s.Requests.Minds = func(operation, m string) bool {
		return (operation != "createGoal" || m != member) && minds(operation, m)
	}
}

var goalsChanged = []Fault{
	{
		ID:     "goal.only-objective-edited",
		Title:  "of an active goal nothing can be edited but its objective",
		Looks:  "an edit of completion and continuation is refused",
		Breaks: []string{openwop.OWP0097C4},
		Replace: func(s *rules.Set) {
			honest := s.Goals.Edits
			s.Goals.Edits = func(state openwopv1.GoalState, reworded bool) bool { return reworded && honest(state, reworded) }
		},
	},
	{
		ID:      "goal.abandoned-edited",
		Title:   "a goal that was given up can be edited",
		Looks:   "an edit after abandon changes the objective",
		Breaks:  []string{openwop.OWP0097C4},
		Replace: edits(openwopv1.GoalStateAbandoned),
	},
	{
		ID:      "goal.exceeded-edited",
		Title:   "a goal that has exceeded its bound can be edited",
		Looks:   "an edit after bound-exceeded changes the objective",
		Breaks:  []string{openwop.OWP0097C4},
		Replace: edits(openwopv1.GoalStateBoundExceeded),
	},
	{
		ID:     "goal.edit-of-state-ignored",
		Title:  "an edit of the state is taken, and dropped without a word",
		Looks:  "PATCH {state: satisfied} is answered 200",
		Breaks: []string{openwop.OWP0097E2},
		Replace: func(s *rules.Set) {
			minds := s.Requests.Minds
			s.Requests.Minds = func(operation, member string) bool { return operation != "editGoal" && minds(operation, member) }
		},
	},
	{
		ID:     "goal.completed-by-a-call",
		Title:  "a client can complete a goal",
		Looks:  "POST .../complete makes a goal satisfied that nobody has judged",
		Breaks: []string{openwop.OWP0097C7},
		Spots:  []int{11},
		Request: mutate.Asked(completesGoal, func(r *mutate.Request) {
			r.URL.Path, r.URL.RawPath = path.Dir(r.URL.Path)+"/abandon", ""
		}),
		Remembers: func() mutate.Changes {
			var completed sync.Map // ids of goals; for the host they are abandoned
			return replies(
				mutate.On(completesGoal, mutate.Succeeded(mutate.At("", func(g *openwopv1.Goal) {
					completed.Store(g.ID, true)
					g.State = openwopv1.GoalStateSatisfied
				}))),
				shows(func(g *openwopv1.Goal) {
					if _, byCall := completed.Load(g.ID); byCall {
						g.State = openwopv1.GoalStateSatisfied
					}
				}),
				tells(openwopv1.GoalEventTypeGoalClosed, func(payload map[string]any) {
					if _, byCall := completed.Load(payload["goalId"]); byCall {
						payload["finalState"] = openwopv1.GoalStateSatisfied
					}
				}),
			)
		},
	},
	{
		ID:      "goal.abandoned-resumed",
		Title:   "resume brings back a goal that was given up",
		Looks:   "the state is active again after abandon and resume",
		Breaks:  []string{openwop.OWP0097C6},
		Replace: resumes(openwopv1.GoalStateAbandoned),
	},
	{
		ID:      "goal.exceeded-resumed",
		Title:   "resume brings back a goal that has exceeded its bound, for one run more",
		Looks:   "the state is active again after bound-exceeded and resume; one more run, and it is closed once more",
		Breaks:  []string{openwop.OWP0097E4, openwop.OWP0097D3},
		Spots:   []int{12},
		Replace: resumes(openwopv1.GoalStateBoundExceeded),
	},
	{
		ID:     "goal.exceeded-resumed-for-ever",
		Title:  "resume brings back a goal that has exceeded its bound, which is never looked at again",
		Looks:  "the state is active again after bound-exceeded and resume, and stays so, run after run",
		Breaks: []string{openwop.OWP0097E4},
		Spots:  []int{12},
		Replace: func(s *rules.Set) {
			resumes(openwopv1.GoalStateBoundExceeded)(s)
			exceeds(s, func(spent rules.Spent, honest bool) bool { // as by == in place of >=
				return honest && (spent.Bounds.MaxLoopIterations == nil || spent.Runs <= *spent.Bounds.MaxLoopIterations)
			})
		},
	},
}

// completesGoal is a call that the contract does not have.
const completesGoal = "POST " + theGoal + "/complete"

// edits lets goals in one more state be edited.
func edits(in openwopv1.GoalState) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Goals.Edits
		s.Goals.Edits = func(state openwopv1.GoalState, reworded bool) bool { return state == in || honest(state, reworded) }
	}
}

// resumes has goals in one more state go on when they are resumed.
func resumes(in openwopv1.GoalState) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Goals.Resumes
		s.Goals.Resumes = func(state openwopv1.GoalState) bool { return state == in || honest(state) }
	}
}

// exceeds has the bounds of goals looked at otherwise.
func exceeds(s *rules.Set, otherwise func(spent rules.Spent, honest bool) bool) {
	honest := s.Goals.Exceeds
	s.Goals.Exceeds = func(spent rules.Spent) bool { return otherwise(spent, honest(spent)) }
}
