package loop

import (
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// givenProgress blocks the judge unless the loop continued after its answer:
// standing still proves nothing of a loop that never moves.
func givenProgress(o host.SuspendedLoop, j *scenarios.Judge) {
	o.Held.CheckAnswered(j)
	o.Log.Ends(j, openwop.OWP0061D1)
	o.Log.Readable(j)
	givenPlannedTurns(o, j)
}

// givenPlannedTurns blocks the judge unless the loop took the planned turns: a
// canned log stands still as well.
func givenPlannedTurns(o host.SuspendedLoop, j *scenarios.Judge) {
	o.Log.KeepsTo(j, len(o.Kinds), func(turn int, decision wire.Value) bool {
		return sameKind(decision.Key("kind").String(), o.Kinds[turn])
	})
}

// checkResumed follows the counter across the suspension to the end of the plan.
func checkResumed(o host.SuspendedLoop, j *scenarios.Judge) {
	l := o.Log
	if !j.Check(openwop.OWP0061D1, l.Ended).To(check.Reached(), "after the answer") {
		j.End()
	}
	l.Readable(j)
	j.Check(openwop.OWP0061D1, l.Iterations()).To(check.CountFromOne(o.Turns), "iterations of a loop that was suspended in turn %d",
		o.Held.Turn)
	j.Check(openwop.OWP0061D1, l.Kinds()).To(KindsOf(o.Kinds), "decisions in order")
	j.Check(openwop.OWP0061D1, l.Status()).To(check.Equal("completed"), "status of the run")
	for _, kind := range l.Kinds().Values {
		if isAsking(kind.String()) && kind.String() != string(dialect.AskUserDecisionKindAskUser) {
			j.Find("", "the log calls a decision to ask %s, which no schema knows: OWP-R1", kind.JSON())
			break
		}
	}
}

// KindsOf expects decisions of these kinds. The prose calls clarify or escalate
// what the schema calls ask-user (OWP-R1).
func KindsOf(want []string) check.Matcher {
	return check.That(wire.Compact(want), func(v any) bool {
		list, _ := v.([]any)
		return slices.EqualFunc(list, want, func(got any, want string) bool {
			kind, _ := got.(string)
			return sameKind(kind, want)
		})
	})
}

func sameKind(kind, want string) bool { return kind == want || isAsking(kind) && isAsking(want) }

func isAsking(kind string) bool {
	return kind == string(dialect.AskUserDecisionKindAskUser) || kind == "clarify" || kind == "escalate"
}

// resumeValues returns the answers that a run shows as accepted.
func resumeValues(l host.RunLog) wire.Found {
	f := l.OfType(dialect.InterruptResolved, dialect.NodeResumed).Each("/payload/resumeValue")
	f.Values = append(f.Values, l.Ended.Last.At("/variables/answer"))
	return f.Where(func(v wire.Value) bool { return v.Actual() != nil })
}

// tracesOf returns the places in which a run shows this answer as accepted.
func tracesOf(l host.RunLog, marker string) wire.Found {
	f := l.OfType(dialect.InterruptResolved, dialect.NodeResumed, dialect.RunResumed, dialect.VariableChanged).Each("/payload")
	f.Values = append(f.Values, l.Ended.Last.Key("variables"))
	return f.Where(func(v wire.Value) bool { return host.Holds(v.Actual(), marker) })
}
