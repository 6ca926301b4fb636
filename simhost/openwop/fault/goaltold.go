package fault

import (
	"strings"
	"sync"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
)

var goalsTold = []Fault{
	{
		ID:     "goal.evaluated-as-never-satisfied",
		Title:  "every evaluation tells that the objective is not reached",
		Looks:  "goal.evaluated of the run that satisfied the judge says satisfied false",
		Breaks: []string{openwop.OWP0097D1},
		Reply: tells(openwopv1.GoalEventTypeGoalEvaluated, func(payload map[string]any) {
			payload["satisfied"] = false
		}),
	},
	{
		ID:     "goal.evaluations-counted-anew",
		Title:  "evaluations are counted from 1 again when a goal was edited or resumed",
		Looks:  "two goal.evaluated of a goal carry iterations 1",
		Breaks: []string{openwop.OWP0097D1},
		Remembers: func() mutate.Changes {
			var changed, seen sync.Map // ids of goals, and whether they were changed before an evaluation, by the id of its event
			change := mutate.Succeeded(mutate.At("", func(g *openwopv1.Goal) { changed.Store(g.ID, true) }))
			return replies(mutate.On("PATCH "+theGoal, change), mutate.On("POST "+theGoal+"/resume", change),
				goalEvents(func(e openwopv1.GoalEvent) []openwopv1.GoalEvent {
					if e.Type != openwopv1.GoalEventTypeGoalEvaluated {
						return []openwopv1.GoalEvent{e}
					}
					first, known := seen.Load(e.EventID)
					if !known {
						_, first = changed.LoadAndDelete(e.GoalID)
						seen.Store(e.EventID, first)
					}
					if first == true {
						e.Payload["iterations"] = 1
					}
					return []openwopv1.GoalEvent{e}
				}))
		},
	},
	{
		ID:     "goal.evaluations-name-nothing",
		Title:  "evaluations name the goal where they should name the run that was judged",
		Looks:  "the runId of goal.evaluated is the id of the goal",
		Breaks: []string{openwop.OWP0097E9},
		Reply: tells(openwopv1.GoalEventTypeGoalEvaluated, func(payload map[string]any) {
			payload["runId"] = payload["goalId"]
		}),
	},
	{
		ID:     "goal.objective-in-events",
		Title:  "evaluations say what the objective was",
		Looks:  "the payload of goal.evaluated holds words of the objective",
		Breaks: []string{openwop.OWP0097D2},
		Remembers: func() mutate.Changes {
			var objectives sync.Map // of goals that were shown, by id: their events do not say what they are for
			return replies(shows(func(g *openwopv1.Goal) { objectives.Store(g.ID, g.Objective) }),
				tells(openwopv1.GoalEventTypeGoalEvaluated, func(payload map[string]any) {
					if objective, shown := objectives.Load(payload["goalId"]); shown {
						payload["summary"] = "not yet: " + objective.(string)
					}
				}))
		},
	},
	{
		ID:     "goal.closed-as-satisfied",
		Title:  "a goal that stops at its bound is told to be satisfied",
		Looks:  "finalState of goal.closed is satisfied where the state is bound-exceeded",
		Breaks: []string{openwop.OWP0097E7},
		Reply: tells(openwopv1.GoalEventTypeGoalClosed, func(payload map[string]any) {
			if payload["finalState"] == string(openwopv1.GoalStateBoundExceeded) {
				payload["finalState"] = string(openwopv1.GoalStateSatisfied)
			}
		}),
	},
	{
		ID:     "goal.closed-without-event",
		Title:  "nobody is told that a goal is satisfied",
		Looks:  "a satisfied goal has no goal.closed",
		Breaks: []string{openwop.OWP0097D3},
		Reply:  closes(openwopv1.GoalStateSatisfied, 0),
	},
	{
		ID:     "goal.closed-twice",
		Title:  "the end of a goal at its bound is told twice",
		Looks:  "a goal that has exceeded its bound has two goal.closed",
		Breaks: []string{openwop.OWP0097D3},
		Reply:  closes(openwopv1.GoalStateBoundExceeded, 2),
	},
}

// tells changes the payloads of events of one type.
func tells(of openwopv1.GoalEventType, otherwise func(payload map[string]any)) mutate.ReplyFunc {
	return goalEvents(func(e openwopv1.GoalEvent) []openwopv1.GoalEvent {
		if e.Type == of {
			otherwise(e.Payload)
		}
		return []openwopv1.GoalEvent{e}
	})
}

// closes has a goal that ends in this state told so many times that it does.
func closes(as openwopv1.GoalState, times int) mutate.ReplyFunc {
	return goalEvents(func(e openwopv1.GoalEvent) (told []openwopv1.GoalEvent) {
		if e.Payload["finalState"] != string(as) {
			return []openwopv1.GoalEvent{e}
		}
		for n := range times {
			again := e
			again.EventID += strings.Repeat("-again", n)
			told = append(told, again)
		}
		return told
	})
}

// goalEvents has each event of a goal told as others, where its events are listed and where a tick tells what it added.
func goalEvents(as func(openwopv1.GoalEvent) []openwopv1.GoalEvent) mutate.ReplyFunc {
	change := mutate.Succeeded(mutate.At("", func(list *openwopv1.GoalEventList) {
		told := []openwopv1.GoalEvent{}
		for _, e := range list.Events {
			told = append(told, as(e)...)
		}
		list.Events = told
	}))
	return inTurn(mutate.On("GET "+theGoal+"/events", change), mutate.On("POST "+theGoal+"/tick", change))
}
