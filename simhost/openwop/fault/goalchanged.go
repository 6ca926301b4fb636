package fault

import (
	"path"
	"sync"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/rules"
)

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
