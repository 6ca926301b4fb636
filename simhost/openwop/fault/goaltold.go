package fault

import (
	"maps"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

var goalsTold = []Fault{
	{
		ID:     "goal.evaluated-as-never-satisfied",
		Title:  "every evaluation tells that the objective is not reached",
		Looks:  "goal.evaluated of the run that satisfied the judge says satisfied false",
		Breaks: []string{openwop.OWP0097D1},
		Replace: tells(openwopv1.GoalEventTypeGoalEvaluated, func(_ string, payload map[string]any) {
			payload["satisfied"] = false
		}),
	},
	{
		ID:     "goal.evaluations-counted-anew",
		Title:  "evaluations are counted from 1 again when a goal was edited or resumed",
		Looks:  "two goal.evaluated of a goal carry iterations 1",
		Breaks: []string{openwop.OWP0097D1},
		Replace: func(s *rules.Set) {
			honest := s.Goals.Counts
			s.Goals.Counts = func(judged int64, changed bool) int64 {
				if changed {
					return 1
				}
				return honest(judged, changed)
			}
		},
	},
	{
		ID:     "goal.evaluations-name-nothing",
		Title:  "evaluations name the goal where they should name the run that was judged",
		Looks:  "the runId of goal.evaluated is the id of the goal",
		Breaks: []string{openwop.OWP0097E9},
		Replace: tells(openwopv1.GoalEventTypeGoalEvaluated, func(_ string, payload map[string]any) {
			payload["runId"] = payload["goalId"]
		}),
	},
	{
		ID:     "goal.objective-in-events",
		Title:  "evaluations say what the objective was",
		Looks:  "the payload of goal.evaluated holds words of the objective",
		Breaks: []string{openwop.OWP0097D2},
		Replace: tells(openwopv1.GoalEventTypeGoalEvaluated, func(objective string, payload map[string]any) {
			payload["summary"] = "not yet: " + objective
		}),
	},
	{
		ID:     "goal.closed-as-satisfied",
		Title:  "a goal that stops at its bound is told to be satisfied",
		Looks:  "finalState of goal.closed is satisfied where the state is bound-exceeded",
		Breaks: []string{openwop.OWP0097E7},
		Replace: tells(openwopv1.GoalEventTypeGoalClosed, func(_ string, payload map[string]any) {
			if payload["finalState"] == string(openwopv1.GoalStateBoundExceeded) {
				payload["finalState"] = string(openwopv1.GoalStateSatisfied)
			}
		}),
	},
	{
		ID:      "goal.closed-without-event",
		Title:   "nobody is told that a goal is satisfied",
		Looks:   "a satisfied goal has no goal.closed",
		Breaks:  []string{openwop.OWP0097D3},
		Replace: closes(openwopv1.GoalStateSatisfied, 0),
	},
	{
		ID:      "goal.closed-twice",
		Title:   "the end of a goal at its bound is told twice",
		Looks:   "a goal that has exceeded its bound has two goal.closed",
		Breaks:  []string{openwop.OWP0097D3},
		Replace: closes(openwopv1.GoalStateBoundExceeded, 2),
	},
}

// tells has the payloads of events of one type told otherwise.
func tells(of openwopv1.GoalEventType, otherwise func(objective string, payload map[string]any)) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Goals.Told
		s.Goals.Told = func(objective string, e openwopv1.GoalEvent) []openwopv1.GoalEvent {
			if e.Type == of {
				e.Payload = maps.Clone(e.Payload)
				otherwise(objective, e.Payload)
			}
			return honest(objective, e)
		}
	}
}

// closes has a goal that ends in this state told so many times that it does.
func closes(as openwopv1.GoalState, times int) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Goals.Told
		s.Goals.Told = func(objective string, e openwopv1.GoalEvent) (told []openwopv1.GoalEvent) {
			if e.Payload["finalState"] != string(as) {
				return honest(objective, e)
			}
			for n := range times {
				again := e
				again.EventID += strings.Repeat("-again", n)
				told = append(told, honest(objective, again)...)
			}
			return told
		}
	}
}
