package fault

import (
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/rules"
)

var goalsEnding = []Fault{
	{
		ID:     "goal.verdict-ignored",
		Title:  "a goal goes on when its judge has found it satisfied",
		Looks:  "no verdict makes a goal satisfied",
		Breaks: []string{openwop.OWP0097E1, openwop.OWP0097G1},
		Spots:  []int{11},
		Replace: func(s *rules.Set) {
			s.Goals.Satisfies = func(bool, *float64) bool { return false }
		},
	},
	{
		ID:     "goal.satisfied-by-confidence",
		Title:  "a judge that is quite sure is taken to be satisfied",
		Looks:  "a verdict of satisfied false with confidence 1 makes a goal satisfied",
		Breaks: []string{openwop.OWP0097E1},
		Replace: func(s *rules.Set) {
			s.Goals.Satisfies = func(satisfied bool, confidence *float64) bool {
				return satisfied || confidence != nil && *confidence == 1
			}
		},
	},
	{
		ID:     "goal.satisfied-by-doubt",
		Title:  "a verdict without any confidence is turned round",
		Looks:  "a verdict of satisfied false with confidence 0 makes a goal satisfied",
		Breaks: []string{openwop.OWP0097E1},
		Replace: func(s *rules.Set) {
			s.Goals.Satisfies = func(satisfied bool, confidence *float64) bool {
				return satisfied || confidence != nil && *confidence == 0
			}
		},
	},
	{
		ID:     "goal.bound-ignored",
		Title:  "a goal goes on beyond the number of runs that it may have",
		Looks:  "a goal is active, and fires runs, after run N of N",
		Breaks: []string{openwop.OWP0097E4},
		Spots:  []int{12},
		Replace: func(s *rules.Set) {
			exceeds(s, func(spent rules.Spent, honest bool) bool {
				return honest && (spent.Late || spent.Bounds.MaxLoopIterations == nil)
			})
		},
	},
	{
		ID:      "goal.schedule-one-run-more",
		Title:   "the schedule of a goal fires one run more than the bound says",
		Looks:   "a goal of mode schedule shows N+1 runs at its end",
		Breaks:  []string{openwop.OWP0097E4},
		Replace: oneMore(openwopv1.GoalContinuationModeSchedule),
	},
	{
		ID:      "goal.heartbeat-one-run-more",
		Title:   "a heartbeat fires one run of a goal more than the bound says",
		Looks:   "a goal of mode heartbeat shows N+1 runs at its end",
		Breaks:  []string{openwop.OWP0097E4},
		Replace: oneMore(openwopv1.GoalContinuationModeHeartbeat),
	},
	{
		ID:      "goal.commitment-one-run-more",
		Title:   "a commitment fires one run of a goal more than the bound says",
		Looks:   "a goal of mode commitment shows N+1 runs at its end",
		Breaks:  []string{openwop.OWP0097E4},
		Replace: oneMore(openwopv1.GoalContinuationModeCommitment),
	},
	{
		ID:     "goal.cost-not-added-up",
		Title:  "the bound of cost is never reached",
		Looks:  "a goal is active, and fires runs, when its runs have cost more than they may",
		Breaks: []string{openwop.OWP0097E5},
		Replace: func(s *rules.Set) {
			honest := s.Goals.Exceeds
			s.Goals.Exceeds = func(spent rules.Spent) bool {
				spent.Bounds.MaxCostUSD = nil
				return honest(spent)
			}
		},
	},
	{
		ID:     "goal.deadline-in-minutes",
		Title:  "a bound of time is taken for minutes",
		Looks:  "a goal goes on, and fires runs, when its deadline has passed",
		Breaks: []string{openwop.OWP0097E6},
		Request: mutate.Asked("POST "+theGoals, mutate.Body(func(goal map[string]any) {
			bounds, _ := goal["bounds"].(map[string]any)
			mutate.Object(bounds, func(b *openwopv1.GoalBounds) {
				if b.RunTimeoutMs != nil {
					*b.RunTimeoutMs *= time.Minute.Milliseconds()
				}
			})
		})),
		Reply: shows(func(g *openwopv1.Goal) {
			if ms := g.Bounds.RunTimeoutMs; ms != nil {
				*ms /= time.Minute.Milliseconds()
			}
		}),
	},
}

// oneMore has goals of this mode end a run late.
func oneMore(of openwopv1.GoalContinuationMode) func(*rules.Set) {
	return func(s *rules.Set) {
		exceeds(s, func(spent rules.Spent, honest bool) bool {
			most := spent.Bounds.MaxLoopIterations
			return honest && (spent.Mode != of || most == nil || spent.Runs > *most)
		})
	}
}
