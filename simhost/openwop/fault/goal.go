package fault

import (
	"net/http"
	"slices"

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
		ID:     "goal.without-claim",
		Title:  "a host that does not claim goals serves them all the same",
		Looks:  "goals are listed and made where discovery has no agents.goals",
		Breaks: []string{openwop.OWP0097G3},
		Under:  Under{Without: []string{"goals"}},
		Replace: func(s *rules.Set) {
			s.Goals.Kept = func(bool) bool { return true }
		},
	},
	{
		ID:     "goal.bounds-not-required",
		Title:  "bounds are advertised as required and are not",
		Looks:  "a goal without bounds is made with 200, is active and runs for ever",
		Breaks: []string{openwop.OWP0097A2, openwop.OWP0097C1, openwop.OWP0097E3},
		Replace: func(s *rules.Set) {
			s.Goals.Bounded = func(openwopv1.GoalBounds) bool { return true }
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
		Replace: func(s *rules.Set) {
			s.Goals.Redacts = func(edited bool) bool { return !edited }
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
