package host

import (
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Given ends the judge unless each turn ended with exit code 0 and a response.
func Given(j *scenarios.Judge, turns ...Turn) {
	for _, t := range turns {
		GivenReached(j, t.Name != "")
		if !t.Answered() {
			GivenInTime(j, t)
			t.unanswered().Stop(j)
		}
	}
}

// GivenSome is like Given, and blocks the judge as well when there is no turn.
func GivenSome(j *scenarios.Judge, turns []Turn) {
	GivenReached(j, len(turns) > 0)
	Given(j, turns...)
}

// GivenReached blocks the judge unless the drive got as far as the turns in question. What stopped it may be a limit, and
// other scenarios judge the turn that did.
func GivenReached(j *scenarios.Judge, reached bool) {
	if !reached {
		j.Block("setup failed: an earlier turn did not lead on, so the drive stopped", "see the last turn of its transcript")
	}
}

// GivenInTime blocks the judge if our patience ended before a turn did, and the profile sets no limit.
func GivenInTime(j *scenarios.Judge, turns ...Turn) {
	for _, t := range turns {
		if t.Patience != "" {
			j.Block(
				fmt.Sprintf("%s: it had not ended after %s, and the profile does not say how long that may take", t.Name, t.Patience),
				"say turn_seconds under limits in "+ProfileName+", or give it more time with --patience")
		}
	}
}

// GivenAsked ends the judge unless each start asked for a tool.
func GivenAsked(j *scenarios.Judge, starts ...Turn) {
	Given(j, starts...)
	for _, t := range starts {
		if b := t.askless(); b.Why != "" {
			b.Stop(j)
		}
	}
}

// GivenRequest ends the judge unless each start asked for a tool that its run waits for.
func GivenRequest(j *scenarios.Judge, starts ...Turn) {
	GivenAsked(j, starts...)
	for _, t := range starts {
		if _, ok := PendingOf(t); ok {
			continue
		}
		if b := t.unkept(); b.Why != "" {
			b.Stop(j)
		}
		j.Block("setup failed: "+t.Name+": the response does not return the run that asks", "return the run that asks in state_updates")
	}
}

// GivenMoved ends the judge unless the turn, which was handed the result of due, emitted something.
func GivenMoved(j *scenarios.Judge, t Turn, due Pending) {
	if b := t.unmoved(due); b.Why != "" {
		b.Stop(j)
	}
}

// GivenOneEvent ends the judge if the turn emitted more than one event (AL-R16).
func GivenOneEvent(j *scenarios.Judge, t Turn) {
	if b := t.crowded(); b.Of != "" {
		b.Stop(j)
	}
}

// GivenTaken ends the judge if the turn silently passed over the result of due.
func GivenTaken(j *scenarios.Judge, t Turn, due Pending) {
	if same, _ := t.Untouched().MatchSeen(t.Runs()); same && t.Status() == "ok" {
		GivenMoved(j, t, due)
	}
}

// GivenKeptRequests ends the judge if a turn asked for a tool that its run does not wait for: later results match
// nothing.
func GivenKeptRequests(j *scenarios.Judge, turns []Turn) {
	for _, t := range turns {
		if b := t.unkept(); b.Why != "" {
			b.Stop(j)
		}
	}
}

// CheckExit checks that the turn exited with 0, or with another code beside an error, and reports whether it did (AL-R21).
func (t Turn) CheckExit(j *scenarios.Judge, id scenarios.RequirementID) bool {
	return j.Check(id, t.Exit).To(t.exits(), "%s: exit code", t.Name)
}

// exits matches how a turn may end.
func (t Turn) exits() check.Matcher {
	if t.Status() != "error" {
		return check.Equal(0)
	}
	return check.That("0, or another exit code beside the error", func(v any) bool { _, exited := v.(int64); return exited })
}

// CheckStatus checks the status of the response, and reports whether it is as wanted.
func (t Turn) CheckStatus(j *scenarios.Judge, want string, id scenarios.RequirementID) bool {
	return j.Check(id, t.Answer.Key("status")).To(check.Equal(want), "%s: status", t.Name)
}

// CheckSilent checks that the turn was ignored: status ok, no event, and the run unchanged.
func (t Turn) CheckSilent(j *scenarios.Judge, run string, of ...scenarios.RequirementID) {
	for _, id := range of {
		t.CheckStatus(j, "ok", id)
		j.Check(id, t.Events()).To(check.Len(0), "%s: events", t.Name)
		j.Check(id, t.Runs()).To(t.Unchanged(run), "%s", t.Name)
	}
}

// CheckIgnored is like CheckSilent, and also accepts a turn that repeats the pending request (AL-R14).
func (t Turn) CheckIgnored(j *scenarios.Judge, run string, of ...scenarios.RequirementID) {
	if t.repeats(run) {
		t.checkRepeated(j, run, of...)
	} else {
		t.CheckSilent(j, run, of...)
	}
}

// CheckNotMovedAgain checks that the turn was ignored, or repeated the request that the first turn made (AL-R14).
func (t Turn) CheckNotMovedAgain(j *scenarios.Judge, first Turn, run string, of ...scenarios.RequirementID) {
	events, asked := t.Events().Values, first.Requests().Values
	if len(events) == 1 && len(asked) == 1 && reflect.DeepEqual(sent(events[0]), sent(asked[0])) {
		t.checkRepeated(j, run, of...)
	} else {
		t.CheckSilent(j, run, of...)
	}
}

// sent returns an event without its timestamp and its own id.
func sent(e wire.Value) any {
	event, isObject := e.Actual().(Object)
	if !isObject {
		return e.Actual()
	}
	out := maps.Clone(event)
	delete(out, "timestamp")
	delete(out, "event_id")
	return out
}

// checkRepeated checks a turn that repeats the pending request.
func (t Turn) checkRepeated(j *scenarios.Judge, run string, of ...scenarios.RequirementID) {
	for _, id := range of {
		j.Check(id, t.Runs()).To(t.Unchanged(run), "%s", t.Name)
	}
	j.Find("", "%s: it hands out the pending request once more (AL-R14)", t.Name)
}

// CheckUnmoved checks that the turn asked for nothing and left the run unchanged. A gateway drops all else that an error
// says.
func (t Turn) CheckUnmoved(j *scenarios.Judge, run string, of ...scenarios.RequirementID) {
	for _, id := range of {
		if t.Status() == "error" {
			j.Check(id, t.Answer.Key("status")).To(check.Equal("error"), "%s", t.Name)
			// Whether the gateway delivers the result again hangs on it.
			j.Check(id, t.Answer.Key("retry")).To(check.OneOf(true, false, nil), "%s: retry", t.Name)
			t.FindRetried(j, "AL-R101")
			continue
		}
		j.Check(id, t.Events()).To(check.Len(0), "%s: events", t.Name)
		j.Check(id, t.Runs()).To(t.Unchanged(run), "%s", t.Name)
	}
}

// FindRetried notes that the error of a turn may be retried, which will not mend it.
func (t Turn) FindRetried(j *scenarios.Judge, reading string) {
	if retry, said := t.Answer.Key("retry").Bool(); retry || !said {
		j.Find("", "%s: its error may be retried, which will not mend it (%s)", t.Name, reading)
	}
}

// CheckEscalated checks that the turn escalated the run: status ok, a single agent.escalated, and the run escalated in
// the same response. What the event holds is asked once, by the scenario of the wrong tool.
func (t Turn) CheckEscalated(j *scenarios.Judge, run string, of ...scenarios.RequirementID) {
	if t.endsAsError() { // the gateway drops what the turn says
		j.Part(func() {
			j.Violates(agenticloop.RFC103P3, t.Answer.Key("status"), "setup failed: "+t.Name+": it ended the run with status error")
		})
		return
	}
	for _, id := range of {
		t.CheckStatus(j, "ok", id)
		j.Check(id, t.Events().Each("/type")).To(check.Equal([]string{Escalated}), "%s: events", t.Name)
		j.Check(id, t.Run(run).Key("status")).To(check.Equal("escalated"), "%s: status of the run", t.Name)
	}
}

// CheckReason checks that an escalation names its run, and a reason.
func (t Turn) CheckReason(j *scenarios.Judge, run string) {
	escalations := t.OfType(Escalated)
	named := escalations.Each("/payload/run_id")
	j.Check(agenticloop.RFC103F3, named).To(check.Equal([]string{run}), "%s: run_id of agent.escalated", t.Name)
	for _, e := range escalations.Values {
		if reason := e.At("/payload/reason"); reason.Present() {
			j.Check(agenticloop.RFC103F3, reason).To(check.Text(), "%s: reason of agent.escalated", t.Name)
			continue
		}
		j.Check(agenticloop.RFC103F3, e.Key("payload")).To(saysWhy(), "%s: payload of agent.escalated", t.Name)
	}
}

// saysWhy matches a payload that says something beside what names the run: the text does not name the member (AL-R17).
func saysWhy() check.Matcher {
	return check.That("a reason, under any name", func(v any) bool {
		payload, _ := v.(Object)
		for name, value := range payload {
			switch name {
			case "run_id", "goal", "step", "tool", "tool_command", "steps_taken", "artifacts", "job_id", "requested_at":
			default:
				if text, _ := value.(string); strings.TrimSpace(text) != "" {
					return true
				}
			}
		}
		return false
	})
}

// CheckRefused checks for an error that is not to be retried, or an escalation, and no request.
func (t Turn) CheckRefused(j *scenarios.Judge, of ...scenarios.RequirementID) {
	if t.endsAsError() {
		j.Part(func() {
			j.Block("setup failed: "+t.Name+": it ended a run with status error, which is neither a refusal nor an escalation",
				"say either status error and no event, or status ok and agent.escalated")
		})
		return
	}
	for _, id := range of {
		if t.Status() == "error" {
			j.Check(id, t.Answer.Key("retry")).To(check.Equal(false), "%s: retry of the error", t.Name)
		} else {
			kinds := t.Events().Each("/type")
			j.Check(id, kinds).To(check.Equal([]string{Escalated}), "%s: events of a turn that is no error", t.Name)
		}
		j.Check(id, t.Requests()).To(check.Len(0), "%s: requests for tools", t.Name)
	}
}

// endsAsError reports whether an end of a run comes with status error, which takes it back.
func (t Turn) endsAsError() bool { return t.Status() == "error" && len(t.Ends().Values) > 0 }
