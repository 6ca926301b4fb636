package host

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// GivenKeptRequests stops a judge where a turn asked for a tool that its run does not wait for: what is delivered then matches nothing.
func GivenKeptRequests(j *scenarios.Judge, turns []Turn) {
	for _, t := range turns {
		if len(t.Requests().Values) == 0 {
			continue
		}
		due, ok := PendingOf(t)
		if w := StandingOf(t.Run(due.Run).Actual()); !ok || w.Step != due.Step || w.Tool != due.Tool {
			j.BlockOn(agenticloopv2.RFC103I3, "set-up: "+t.Name+": it asks for a tool that its run does not wait for")
		}
	}
}

// Moved says whether a turn emitted anything.
func Moved(t Turn) bool { return len(t.Events().Values) > 0 }

// CheckNotMovedAgain expects a turn that was ignored, or that handed out the very request again that is pending (AL-R14).
func CheckNotMovedAgain(j *scenarios.Judge, t, first Turn, run string, of ...scenarios.RequirementID) {
	events := t.Events()
	if len(events.Values) == 1 && len(first.Requests().Values) == 1 && reflect.DeepEqual(sent(events.Values[0]), sent(first.Requests().Values[0])) {
		for _, id := range of {
			j.Check(id, t.Runs()).To(t.Unchanged(run), "%s", t.Name)
		}
		j.Find(of[0], "%s: it hands out the pending request once more", t.Name)
		return
	}
	CheckSilent(j, t, run, of...)
}

// sent is an event without what says when and under which name it was sent.
func sent(e wire.Value) any {
	event, isObject := e.Actual().(map[string]any)
	if !isObject {
		return e.Actual()
	}
	out := maps.Clone(event)
	delete(out, "timestamp")
	delete(out, "event_id")
	return out
}

// CheckReason expects that an escalation names its run, and a reason.
func CheckReason(j *scenarios.Judge, t Turn, run string) {
	j.Check(agenticloopv2.RFC103F3, t.OfType(Escalated).Each("/payload/run_id")).To(check.Equal([]string{run}), "%s: run_id of agent.escalated", t.Name)
	for _, e := range t.OfType(Escalated).Values {
		j.Check(agenticloopv2.RFC103F3, e.At("/payload/reason")).To(check.Text(), "%s: reason of agent.escalated", t.Name)
	}
}

// What judges of several scenarios have in common.

func SortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Given stops a judge where a turn that it needs did not end as a turn does: that is another scenario's failure.
func Given(j *scenarios.Judge, turns ...Turn) {
	for _, t := range turns {
		switch {
		case t.Name == "":
			j.BlockOn(agenticloopv2.RFC103I7, "set-up: the turns before it did not end as turns do")
		case !t.Answered():
			j.BlockOn(agenticloopv2.RFC103I7, fmt.Sprintf("set-up: %s: it ended with %s, and printed %s", t.Name, t.Exit.JSON(), t.Output.JSON()))
		}
	}
}

// GivenRequest stops a judge for which the start was only the set-up.
func GivenRequest(j *scenarios.Judge, starts ...Turn) {
	Given(j, starts...)
	for _, t := range starts {
		if _, ok := PendingOf(t); !ok {
			j.BlockOn(agenticloopv2.RFC103M1, "set-up: "+t.Name+": no request for a tool that its run waits for, but "+t.Output.JSON())
		}
	}
}

// GivenTaken stops a judge where a result that matched was passed over: that is another scenario's failure.
func GivenTaken(j *scenarios.Judge, t Turn) {
	if same, _ := t.Untouched().MatchSeen(t.Runs()); same && !Moved(t) && t.Answer.Key("status").String() == "ok" {
		j.BlockOn(agenticloopv2.RFC103V9, "set-up: "+t.Name+": nothing came of it")
	}
}

// CheckSilent expects a turn that was ignored: status ok, no event, and the run as it was.
func CheckSilent(j *scenarios.Judge, t Turn, run string, of ...scenarios.RequirementID) {
	for _, id := range of {
		j.Check(id, t.Answer.Key("status")).To(check.Equal("ok"), "%s: status", t.Name)
		j.Check(id, t.Events()).To(check.Len(0), "%s: events", t.Name)
		j.Check(id, t.Runs()).To(t.Unchanged(run), "%s", t.Name)
	}
}

// CheckIgnored expects a turn that was silent, or that asked once more for what is pending.
func CheckIgnored(j *scenarios.Judge, t Turn, run string, of ...scenarios.RequirementID) {
	if !t.repeats(run) {
		CheckSilent(j, t, run, of...)
		return
	}
	for _, id := range of {
		j.Check(id, t.Runs()).To(t.Unchanged(run), "%s", t.Name)
	}
	j.Find(of[0], "%s: it hands out the pending request once more", t.Name)
}

// CheckUnmoved expects that the run is as it was and nothing was asked for, whether the turn was ignored or refused for good.
func CheckUnmoved(j *scenarios.Judge, t Turn, run string, of ...scenarios.RequirementID) {
	for _, id := range of {
		if t.Answer.Key("status").String() == "error" {
			j.Check(id, t.Answer.Key("retry")).To(check.Equal(false), "%s: retry of the error", t.Name)
			continue
		}
		j.Check(id, t.Events()).To(check.Len(0), "%s: events", t.Name)
		j.Check(id, t.Runs()).To(t.Unchanged(run), "%s", t.Name)
	}
}

// CheckEscalated expects that the turn escalated the run: status ok, one agent.escalated and no other event, and the run escalated
// in the same response. What the event holds is asked once, by the scenario of the wrong tool.
func CheckEscalated(j *scenarios.Judge, t Turn, run string, of ...scenarios.RequirementID) {
	if t.escalatesAsError(j) {
		return
	}
	for _, id := range of {
		j.Check(id, t.Answer.Key("status")).To(check.Equal("ok"), "%s: status", t.Name)
		j.Check(id, t.Events().Each("/type")).To(check.Equal([]string{Escalated}), "%s: events", t.Name)
		j.Check(id, t.Run(run).Key("status")).To(check.Equal("escalated"), "%s: status of the run", t.Name)
	}
}

// escalatesAsError reports whether an escalation comes with an error, which takes back what it says: that is another
// scenario's failure, and blocks this one.
func (t Turn) escalatesAsError(j *scenarios.Judge) bool {
	if t.Answer.Key("status").String() != "error" || len(t.Ends().Values) == 0 {
		return false
	}
	j.Part(func() { j.BlockOn(agenticloopv2.RFC103P3, "set-up: "+t.Name+": it ended the run with status error") })
	return true
}

// CheckRefused expects an error that is not to be tried again, or an escalation, and nothing asked for.
func CheckRefused(j *scenarios.Judge, t Turn, of ...scenarios.RequirementID) {
	if t.escalatesAsError(j) {
		return
	}
	for _, id := range of {
		if t.Answer.Key("status").String() == "error" {
			j.Check(id, t.Answer.Key("retry")).To(check.Equal(false), "%s: retry of the error", t.Name)
		} else {
			j.Check(id, t.Events().Each("/type")).To(check.Equal([]string{Escalated}), "%s: events of a turn that is no error", t.Name)
		}
		j.Check(id, t.Requests()).To(check.Len(0), "%s: requests for tools", t.Name)
	}
}

// GivenSetUp stops a judge on a drive that could not bring about what the question needs.
func GivenSetUp(j *scenarios.Judge, why string) {
	if why != "" {
		j.Block("set-up: "+why, "see the turns of its transcript")
	}
}

// GivenInTime stops a judge where a turn had not ended when the patience was over, and nothing says that it should have.
func GivenInTime(j *scenarios.Judge, turns ...Turn) {
	for _, t := range turns {
		if t.Patience != "" {
			j.Block(fmt.Sprintf("%s: it had not ended after %s, and a turn may take %s unless the profile says otherwise", t.Name, t.Patience, usualTurn),
				"say turn_seconds under limits in "+ProfileName+", or give it --patience "+usualTurn.String())
		}
	}
}

// AsksInItsState says whether the response has a run that waits for what it did not wait for before, whatever its
// request names.
func (t Turn) AsksInItsState() bool {
	runs, _ := t.Runs().Actual().(Object)
	before := t.RunsBefore()
	for id, run := range runs {
		if now := StandingOf(run); now.Status == "running" && now.Step > 0 && now != StandingOf(before[id]) {
			return true
		}
	}
	return false
}
