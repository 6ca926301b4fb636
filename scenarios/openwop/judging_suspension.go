package openwop

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// What judges of suspended loops have in common.

// ready stops a judge where there was no suspension to look at.
func (s Suspension) ready(j *scenarios.Judge) bool {
	if !s.Log.exists(j, openwopv1.OWP0037A6) || !s.Log.readable(j) {
		return false
	}
	if s.Suspended.Reached {
		return true
	}
	_, actual := check.Reached().MatchSeen(s.Suspended)
	return j.Block("set-up: "+actual, fmt.Sprintf("have the decision of turn %d suspend the run with a waiting status (docs/seams.md)", s.Turn))
}

// answered stops a judge that needs the answer to have been taken.
func (s Suspension) answered(j *scenarios.Judge) bool {
	if code, _ := s.Answered.Int(); code/100 == 2 {
		return true
	}
	return j.Block("set-up: the host refused the answer that resumes the loop: HTTP "+s.Answered.JSON(),
		"take the answer at POST /v1/runs/{runId}/interrupts/{nodeId} (docs/seams.md), and let the key that is given answer interrupts")
}

// wentOn stops a judge whose control failed: of a loop that never moves it says
// nothing that it stood still.
func (o SuspendedLoop) wentOn(j *scenarios.Judge) bool {
	return o.Held.answered(j) && j.Need(openwopv1.OWP0061D1, o.Log.Ended) && o.Log.readable(j) && o.tookItsTurns(j)
}

// tookItsTurns stops a judge whose loop was not the one that was asked for: a
// canned log stands still as well.
func (o SuspendedLoop) tookItsTurns(j *scenarios.Judge) bool {
	kinds := o.Log.Kinds()
	if ok, _ := kindsOf(o.Kinds).MatchSeen(kinds); ok {
		return true
	}
	return j.BlockOn(openwopv1.OWP0037A2, "set-up: the loop did not take the turns of its plan, "+wire.Compact(o.Kinds)+", but "+wire.Compact(kinds.Actual()))
}

// checkResumed follows the counter over the suspension to the end of the plan.
func (o SuspendedLoop) checkResumed(j *scenarios.Judge) bool {
	l := o.Log
	if !j.Check(openwopv1.OWP0061D1, l.Ended).To(check.Reached(), "after the answer") || !l.readable(j) {
		return false
	}
	j.Check(openwopv1.OWP0061D1, l.Iterations()).To(check.CountFromOne(o.Turns), "iterations of a loop that was suspended in turn %d", o.Held.Turn)
	j.Check(openwopv1.OWP0061D1, l.Kinds()).To(kindsOf(o.Kinds), "decisions in order")
	j.Check(openwopv1.OWP0061D1, l.Status()).To(check.Equal("completed"), "status of the run")
	for _, kind := range l.Kinds().Values {
		if isAsking(kind.String()) && kind.String() != string(openwopv1.AskUserDecisionKindAskUser) {
			j.Find(openwopv1.OWP0061D1, "the log calls a decision to ask %s, which no schema knows", kind.JSON())
			break
		}
	}
	return true
}

// kindsOf expects these kinds of decisions. The prose calls clarify or escalate
// what the schema calls ask-user (facts C1).
func kindsOf(want []string) check.Matcher {
	return check.That(wire.Compact(want), func(v any) bool {
		list, _ := v.([]any)
		return slices.EqualFunc(list, want, func(got any, want string) bool {
			kind, _ := got.(string)
			return kind == want || isAsking(kind) && isAsking(want)
		})
	})
}

func isAsking(kind string) bool {
	return kind == string(openwopv1.AskUserDecisionKindAskUser) || kind == "clarify" || kind == "escalate"
}

// checkStill compares a run with what it was before the lull.
func (l Lull) checkStill(j *scenarios.Judge, id scenarios.RequirementID, before RunLog, since string) bool {
	if !j.Need(openwopv1.OWP0037A1, l.Sentinel) || !l.Later.readable(j) {
		return false
	}
	return j.Check(id, steps(l.Later).Each("/eventId")).To(check.SameAs(steps(before).Each("/eventId")), "steps of the run %s, when another had ended and %s had gone by", since, l.Window)
}

// checkWaiting is checkStill of a run that is suspended.
func (l Lull) checkWaiting(j *scenarios.Judge, id scenarios.RequirementID, before RunLog, since string) bool {
	if !l.checkStill(j, id, before, since) {
		return false
	}
	const slip = "waiting-clarification" // which is in use, and no status of the schema's (facts C8)
	if l.Later.Status().Actual() == slip {
		j.Find(id, "the status of the suspended run is %s, which no schema knows", slip)
	}
	return j.Check(id, l.Later.Status()).To(check.OneOf("waiting-input", "waiting-approval", "waiting-external", slip), "status of the suspended run")
}

// steps are the events by which a run gets on. What a host may append while
// nothing happens, a lease that was renewed or a reminder, is none.
func steps(l RunLog) wire.Found {
	return l.OfType(openwopv1.RunEventTypeRunOrchestratorDecided, openwopv1.RunEventTypeCoreWorkflowChainEvent,
		openwopv1.RunEventTypeNodeStarted, openwopv1.RunEventTypeNodeDispatched, openwopv1.RunEventTypeNodeResumed,
		openwopv1.RunEventTypeNodeCompleted, openwopv1.RunEventTypeNodeFailed, openwopv1.RunEventTypeInterruptResolved,
		openwopv1.RunEventTypeRunResumed, openwopv1.RunEventTypeVariableChanged, openwopv1.RunEventTypeCapBreached,
		openwopv1.RunEventTypeRunCompleted, openwopv1.RunEventTypeRunFailed, openwopv1.RunEventTypeRunCancelled)
}

// resumeValues are the answers that a run shows as taken, where it shows them.
func resumeValues(l RunLog) wire.Found {
	f := l.OfType(openwopv1.RunEventTypeInterruptResolved, openwopv1.RunEventTypeNodeResumed).Each("/payload/resumeValue")
	f.Values = append(f.Values, l.Ended.Last.At("/variables/answer"))
	return f.Where(func(v wire.Value) bool { return v.Actual() != nil })
}

// tracesOf are the places in which a run shows this answer as taken.
func tracesOf(l RunLog, marker string) wire.Found {
	f := l.OfType(openwopv1.RunEventTypeInterruptResolved, openwopv1.RunEventTypeNodeResumed, openwopv1.RunEventTypeRunResumed, openwopv1.RunEventTypeVariableChanged).Each("/payload")
	f.Values = append(f.Values, l.Ended.Last.Key("variables"))
	return f.Where(func(v wire.Value) bool { return holds(v.Actual(), marker) })
}

func holding(marker string) check.Matcher {
	return check.That("with "+marker+" in it", func(v any) bool { return holds(v, marker) })
}

// holds says whether a text stands anywhere in a decoded value.
func holds(v any, text string) bool {
	raw, err := json.Marshal(v)
	return err == nil && strings.Contains(string(raw), text)
}

// noMoreThan expects a list of no more than n.
func noMoreThan(n int) check.Matcher {
	return check.That(fmt.Sprintf("at most %d of them", n), func(v any) bool {
		list, ok := v.([]any)
		return ok && len(list) <= n
	})
}

// oneSucceeded expects a list of HTTP statuses with exactly one 2xx.
func oneSucceeded() check.Matcher {
	return check.That("exactly one HTTP 2xx", func(v any) bool {
		succeeded := 0
		list, _ := v.([]any)
		for _, status := range list {
			if code, _ := status.(int64); code/100 == 2 {
				succeeded++
			}
		}
		return succeeded == 1
	})
}
