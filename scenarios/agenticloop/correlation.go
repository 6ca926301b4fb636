package agenticloop

import (
	"fmt"
	"maps"
	"reflect"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// correlationSuite asks which results move a run, and which do not.
func correlationSuite() scenarios.Suite {
	return scenarios.Suite{
		ID: "correlation", Title: "runs are started, resumed by what is pending, and moved by nothing else",
		Scenarios: []scenarios.Scenario{
			startMakesARun, startsAreDistinct, apiTrigger,
			matchingResumes, sameTwice, staleIgnored, laterEscalates, wrongToolEscalates, orderOfChecks, finishedIgnored, finishedLogged,
			unknownIgnored, unknownLogged, misshapenIgnored, unknownStatus, deterministic,
			stepsCount, completesOnce, completionShape, crossedIgnored, histories,
			everyTurn("correlation", results), everyTurn("correlation", starts), everyTurn("correlation", toTheEnd), everyTurn("correlation", severalRuns), everyTurn("correlation", randomHistories),
		},
	}
}

// RFC-103 Resume Validation Logic 5.
var matchingResumes = scenarios.Scenario{
	ID:    "agenticloop/correlation/matching-result-resumes",
	Title: "the result that is pending takes the run to the next step, or to its end",
	Proves: scenarios.IDs{
		agenticloopv2.RFC103E11, agenticloopv2.RFC103V9, agenticloopv2.RFC103M2, agenticloopv2.RFC103T7, agenticloopv2.RFC103S7,
		agenticloopv2.RFC103P3, agenticloopv2.RFC103T9, agenticloopv2.RFC103T8,
	},
	Claim: plugin,
	Ask: scenarios.Ask(results, func(o ResultsObservation, j *scenarios.Judge) {
		begun(j, o.Start)
		given(j, o.Matching)
		movedOn(j, o.Matching, o.Pending)
	}),
}

// movedOn expects that a matching result took the run on: to the next step with its request, or to its end.
func movedOn(j *scenarios.Judge, t Turn, p pending) {
	j.Check(agenticloopv2.RFC103P3, t.Answer.Key("status")).To(check.Equal("ok"), "%s: status", t.Name)
	j.Check(agenticloopv2.RFC103T9, t.events()).To(check.Len(1), "%s: events", t.Name)
	run := t.run(p.Run)
	j.Check(agenticloopv2.RFC103T8, t.runs()).NotTo(t.unchanged(p.Run), "%s: the run that was resumed", t.Name)
	if requests := t.requests(); len(requests.Values) > 0 {
		next := check.Equal([]int64{p.Step + 1})
		for _, id := range (scenarios.IDs{agenticloopv2.RFC103E11, agenticloopv2.RFC103V9, agenticloopv2.RFC103M2, agenticloopv2.RFC103T7}) {
			j.Check(id, requests.Each("/payload/step")).To(next, "%s: step of the request", t.Name)
		}
		j.Check(agenticloopv2.RFC103S7, run.Key("pending_step")).To(check.Equal(p.Step+1), "%s: pending_step", t.Name)
		return
	}
	for _, id := range (scenarios.IDs{agenticloopv2.RFC103E11, agenticloopv2.RFC103V9, agenticloopv2.RFC103M2, agenticloopv2.RFC103T7}) {
		j.Check(id, t.events().Each("/type")).To(check.OneOf([]any{completed}, []any{escalated}), "%s: what came of it", t.Name)
	}
	if run.Key("status").String() == "escalated" { // what is left pending then is a finding elsewhere
		j.Check(agenticloopv2.RFC103S7, run.Key("status")).To(check.Equal("escalated"), "%s: status of the run", t.Name)
		return
	}
	j.Check(agenticloopv2.RFC103S7, run.Key("pending_step")).To(idle(), "%s: pending_step", t.Name)
}

// RFC-103 Idempotency and Dedupe.
var sameTwice = scenarios.Scenario{
	ID:     "agenticloop/correlation/same-result-twice",
	Title:  "a result that comes again takes the run no further",
	Proves: scenarios.IDs{agenticloopv2.RFC103I6, agenticloopv2.RFC103M3, agenticloopv2.RFC103O5},
	Claim:  plugin,
	Ask: scenarios.Ask(results, func(o ResultsObservation, j *scenarios.Judge) {
		begun(j, o.Start)
		given(j, o.Matching, o.Again)
		given(j, o.Late...)
		if !moved(o.Matching) {
			j.BlockOn(agenticloopv2.RFC103V9, "set-up: the result that matched did not move the run")
		}
		notMovedAgain(j, o.Again, o.Matching, o.Pending.Run, agenticloopv2.RFC103I6, agenticloopv2.RFC103M3)
		for _, t := range o.Late {
			notMovedAgain(j, t, o.Matching, o.Pending.Run, agenticloopv2.RFC103O5)
		}
	}),
}

// moved says whether a turn emitted anything.
func moved(t Turn) bool { return len(t.events().Values) > 0 }

// notMovedAgain expects a turn that was ignored, or that handed out the very request again that is pending (AL-R14).
func notMovedAgain(j *scenarios.Judge, t, first Turn, run string, of ...scenarios.RequirementID) {
	events := t.events()
	if len(events.Values) == 1 && len(first.requests().Values) == 1 && reflect.DeepEqual(sent(events.Values[0]), sent(first.requests().Values[0])) {
		for _, id := range of {
			j.Check(id, t.runs()).To(t.unchanged(run), "%s", t.Name)
		}
		j.Find(of[0], "%s: it hands out the pending request once more", t.Name)
		return
	}
	silent(j, t, run, of...)
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

// RFC-103 Resume Validation Logic 3.
var staleIgnored = scenarios.Scenario{
	ID:     "agenticloop/correlation/stale-step-ignored",
	Title:  "a result of a step below the pending one is ignored",
	Proves: scenarios.IDs{agenticloopv2.RFC103V6, agenticloopv2.RFC103M4, agenticloopv2.RFC103I6},
	Claim:  plugin,
	Ask: scenarios.Ask(results, func(o ResultsObservation, j *scenarios.Judge) {
		begun(j, o.Start)
		given(j, o.Stale, o.Old)
		for _, t := range []Turn{o.Stale, o.Old} {
			ignored(j, t, o.Pending.Run, agenticloopv2.RFC103V6, agenticloopv2.RFC103M4, agenticloopv2.RFC103I6)
		}
	}),
}

// Only the testing notes say what becomes of a later step (AL-R6).
var laterEscalates = scenarios.Scenario{
	ID:     "agenticloop/correlation/later-step-escalates",
	Title:  "a result of a step above the pending one escalates the run",
	Proves: scenarios.IDs{agenticloopv2.RFC103K2},
	Claim:  plugin,
	Ask: scenarios.Ask(results, func(o ResultsObservation, j *scenarios.Judge) {
		begun(j, o.Start)
		given(j, o.Matching)
		given(j, o.Later...)
		for _, t := range o.Later {
			givenUp(j, t, o.Pending.Run, agenticloopv2.RFC103K2)
		}
		if len(o.Later) == 0 {
			given(j, Turn{})
		}
	}),
}

// RFC-103 Resume Validation Logic 4, Error Handling (AL-R17).
var wrongToolEscalates = scenarios.Scenario{
	ID:     "agenticloop/correlation/wrong-tool-escalates",
	Title:  "a result of the pending step that names another tool escalates the run",
	Proves: scenarios.IDs{agenticloopv2.RFC103V7, agenticloopv2.RFC103F2, agenticloopv2.RFC103M5, agenticloopv2.RFC103L2, agenticloopv2.RFC103F3, agenticloopv2.RFC103S8, agenticloopv2.RFC103P3},
	Claim:  plugin,
	Ask: scenarios.Ask(results, func(o ResultsObservation, j *scenarios.Judge) {
		begun(j, o.Start)
		given(j, o.Wrong)
		t := o.Wrong
		if !j.Check(agenticloopv2.RFC103P3, t.Answer.Key("status")).To(check.Equal("ok"), "%s: status", t.Name) {
			return
		}
		givenUp(j, t, o.Pending.Run, agenticloopv2.RFC103V7, agenticloopv2.RFC103F2, agenticloopv2.RFC103M5)
		j.Check(agenticloopv2.RFC103L2, t.events().Each("/type")).To(check.Equal([]string{escalated}), "%s: events", t.Name)
		j.Check(agenticloopv2.RFC103S8, t.run(o.Pending.Run).Key("status")).To(check.Equal("escalated"), "%s: status of the run", t.Name)
		toldWhy(j, t, o.Pending.Run)
	}),
}

// toldWhy expects that an escalation names its run, and a reason.
func toldWhy(j *scenarios.Judge, t Turn, run string) {
	j.Check(agenticloopv2.RFC103F3, t.ofType(escalated).Each("/payload/run_id")).To(check.Equal([]string{run}), "%s: run_id of agent.escalated", t.Name)
	for _, e := range t.ofType(escalated).Values {
		j.Check(agenticloopv2.RFC103F3, e.At("/payload/reason")).To(check.Text(), "%s: reason of agent.escalated", t.Name)
	}
}

// RFC-103 Resume Validation Logic: the order.
var orderOfChecks = scenarios.Scenario{
	ID:     "agenticloop/correlation/order-of-checks",
	Title:  "the end of a run is looked at before the step, and the step before the tool",
	Proves: scenarios.IDs{agenticloopv2.RFC103V1, agenticloopv2.RFC103I5, agenticloopv2.RFC103T4, agenticloopv2.RFC103I6, agenticloopv2.RFC103V4},
	Claim:  plugin,
	Ask: scenarios.Ask(results, func(o ResultsObservation, j *scenarios.Judge) {
		begun(j, o.Start)
		given(j, o.StaleWrong)
		given(j, o.Finished...)
		for _, t := range append([]Turn{o.StaleWrong}, o.Finished...) { // what a later check would have led to
			j.Check(agenticloopv2.RFC103V1, t.ofType(escalated)).To(check.Len(0), "%s: escalations", t.Name)
			j.Check(agenticloopv2.RFC103V1, t.run(o.Pending.Run).Key("status")).To(check.OneOf(nil, statusIn(t, o.Pending.Run)), "%s: status of the run", t.Name)
		}
		ignored(j, o.StaleWrong, o.Pending.Run, agenticloopv2.RFC103I6)
		ignored(j, o.Old, o.Pending.Run, agenticloopv2.RFC103I6)
		for _, t := range o.Finished {
			silent(j, t, o.Pending.Run, agenticloopv2.RFC103V4)
		}
		for _, t := range append([]Turn{o.Stale, o.Old, o.StaleWrong, o.Wrong, o.Unknown}, o.Later...) {
			for _, id := range (scenarios.IDs{agenticloopv2.RFC103I5, agenticloopv2.RFC103T4}) {
				j.Check(id, t.requests()).To(t.noneBut(o.Pending.Run), "%s: requests for tools", t.Name)
				j.Check(id, t.ofType(completed)).To(check.Len(0), "%s: completions", t.Name)
			}
		}
	}),
}

// noneBut expects no request but one that was made before.
func (t Turn) noneBut(run string) check.Matcher {
	return check.Seeing("none but what is pending already", func(wire.Seen) (bool, string) {
		n := len(t.requests().Values)
		return n == 0 || t.repeats(run), fmt.Sprintf("%d", n)
	})
}

// statusIn is the status that a run had before a turn.
func statusIn(t Turn, run string) any { return waitsOf(t.before()[run]).status }

// RFC-103 Resume Validation Logic 2.
var finishedIgnored = scenarios.Scenario{
	ID:     "agenticloop/correlation/finished-run-ignored",
	Title:  "a run that is done or escalated is over: no result moves it, and it has no second end",
	Proves: scenarios.IDs{agenticloopv2.RFC103V4, agenticloopv2.RFC103READ8},
	Claim:  plugin,
	Ask: scenarios.Ask(results, func(o ResultsObservation, j *scenarios.Judge) {
		begun(j, o.Start)
		given(j, o.Finished...)
		for _, t := range o.Finished {
			silent(j, t, o.Pending.Run, agenticloopv2.RFC103V4, agenticloopv2.RFC103READ8)
		}
		if len(o.Finished) == 0 {
			given(j, Turn{})
		}
	}),
}

var finishedLogged = scenarios.Scenario{
	ID:     "agenticloop/correlation/finished-run-logged",
	Title:  "a result for a finished run leaves a log of level info",
	Proves: scenarios.IDs{agenticloopv2.RFC103V5},
	Claim:  plugin,
	Ask: scenarios.Ask(results, func(o ResultsObservation, j *scenarios.Judge) {
		begun(j, o.Start)
		given(j, o.Finished...)
		for _, t := range o.Finished {
			j.Check(agenticloopv2.RFC103V5, t.Answer.Key("logs")).To(hasLevel("info"), "%s: logs", t.Name)
		}
	}),
}

// RFC-103 Resume Validation Logic 1. The next scenario asks for the log (AL-R106).
var unknownIgnored = scenarios.Scenario{
	ID:     "agenticloop/correlation/unknown-run-ignored",
	Title:  "a result for a run that the state does not know is ignored, and is no error",
	Proves: scenarios.IDs{agenticloopv2.RFC103V2, agenticloopv2.RFC103F1},
	Claim:  plugin,
	Ask: scenarios.Ask(results, func(o ResultsObservation, j *scenarios.Judge) {
		begun(j, o.Start)
		given(j, o.Unknown)
		silent(j, o.Unknown, o.Stranger, agenticloopv2.RFC103V2)
		j.Check(agenticloopv2.RFC103V2, o.Unknown.runs()).To(o.Unknown.untouched(), "%s", o.Unknown.Name)
		j.Check(agenticloopv2.RFC103F1, o.Unknown.Answer.Key("status")).To(check.Equal("ok"), "%s: status", o.Unknown.Name)
	}),
}

var unknownLogged = scenarios.Scenario{
	ID:     "agenticloop/correlation/unknown-run-logged",
	Title:  "a result for an unknown run leaves a log of level warn",
	Proves: scenarios.IDs{agenticloopv2.RFC103V3},
	Claim:  plugin,
	Ask: scenarios.Ask(results, func(o ResultsObservation, j *scenarios.Judge) {
		begun(j, o.Start)
		given(j, o.Unknown)
		j.Check(agenticloopv2.RFC103V3, o.Unknown.Answer.Key("logs")).To(hasLevel("warn"), "%s: logs", o.Unknown.Name)
	}),
}

// Some languages read 1.9 and true as 1: taking them for the pending step is a finding (AL-R101).
var misshapenIgnored = scenarios.Scenario{
	ID:     "agenticloop/correlation/misshapen-result-moves-nothing",
	Title:  "a result that does not say run, step and tool as it has to moves no run",
	Proves: scenarios.IDs{agenticloopv2.RFC103READ1},
	Claim:  plugin,
	Ask: scenarios.Ask(results, func(o ResultsObservation, j *scenarios.Judge) {
		begun(j, o.Start)
		given(j, o.Misshapen...)
		given(j, o.Rounded...)
		for _, t := range o.Misshapen {
			unmoved(j, t, o.Pending.Run, agenticloopv2.RFC103READ1)
		}
		for _, t := range o.Rounded {
			if moved(t) {
				j.Find(agenticloopv2.RFC103READ1, "%s is taken for the pending step", t.Name)
			}
		}
		if len(o.Misshapen) == 0 {
			given(j, Turn{})
		}
	}),
}

// RFC-103 Resume Validation Logic 5 (AL-R107).
var unknownStatus = scenarios.Scenario{
	ID:     "agenticloop/correlation/unknown-status-is-not-ok",
	Title:  "a result whose status is neither ok nor error is not taken for ok",
	Proves: scenarios.IDs{agenticloopv2.RFC103V8},
	Claim:  plugin,
	Ask: scenarios.Ask(results, func(o ResultsObservation, j *scenarios.Judge) {
		begun(j, o.Start)
		given(j, o.Statuses...)
		for _, t := range o.Statuses {
			j.Check(agenticloopv2.RFC103V8, t.events()).To(notBeyond(o.Pending.Step), "%s: events", t.Name)
			j.Check(agenticloopv2.RFC103V8, t.run(o.Pending.Run).Key("status")).NotTo(check.Equal("done"), "%s: status of the run", t.Name)
		}
		if len(o.Statuses) == 0 {
			given(j, Turn{})
		}
	}),
}

// notBeyond expects events that neither complete a run nor ask for a step above the given one.
func notBeyond(step int64) check.Matcher {
	return check.Seeing(fmt.Sprintf("no completion, and no request above step %d", step), func(s wire.Seen) (bool, string) {
		list, _ := check.Plain(s.Actual()).([]any)
		for _, e := range list {
			event, _ := e.(map[string]any)
			payload, _ := event["payload"].(map[string]any)
			n, _ := payload["step"].(int64)
			if event["type"] == completed || n > step {
				return false, wire.Compact(e)
			}
		}
		return true, fmt.Sprintf("%d events", len(list))
	})
}

// Success Criteria: determinism. Times are no decisions.
var deterministic = scenarios.Scenario{
	ID:     "agenticloop/correlation/same-request-same-answer",
	Title:  "the same request gets the same answer, but for its times",
	Proves: scenarios.IDs{agenticloopv2.RFC103O4},
	Claim:  plugin,
	Ask: scenarios.Ask(results, func(o ResultsObservation, j *scenarios.Judge) {
		begun(j, o.Start)
		given(j, o.Matching, o.Twin)
		j.Check(agenticloopv2.RFC103O4, o.Twin.events().Each("/payload/run_id")).To(check.SameAs(o.Matching.events().Each("/payload/run_id")), "run_id of the events")
		if o.Live { // what a live model says differs, and not which run it is said of, nor after which step
			j.Check(agenticloopv2.RFC103O4, o.Twin.events()).To(o.Twin.movesOn(o.Pending), "%s: events", o.Twin.Name)
			if ok, _ := sameWords(o.Matching).MatchSeen(o.Twin.Answer.Key("events")); !ok {
				j.Find(agenticloopv2.RFC103O4, "the same request gets another answer: the profile says that it may")
			}
			return
		}
		j.Check(agenticloopv2.RFC103O4, o.Twin.Answer.Key("events")).To(sameWords(o.Matching), "events")
		// What else an agent keeps of a run, a digest with a time in it, is its own affair.
		first, twin := o.Matching.run(o.Pending.Run), o.Twin.run(o.Pending.Run)
		for _, field := range []string{"status", "step", "pending_step", "pending_tool", "reframes", "completed_steps"} {
			j.Check(agenticloopv2.RFC103O4, twin.Key(field)).To(check.SameAs(first.Key(field)), "%s of the run", field)
		}
	}),
}

// contracted are the members of payloads that the text knows and that tell no time. What else an agent puts there, the id of a
// trace or a time of its own, is its affair.
var contracted = []string{"run_id", "step", "tool", "tool_command", "tool_payload", "goal", "outcome", "steps_taken", "artifacts", "reason"}

// decided is what the events of a response decide, in the words of the text.
func decided(events any) []any {
	list, _ := events.([]any)
	out := []any{}
	for _, e := range list {
		event, _ := e.(map[string]any)
		payload, _ := event["payload"].(map[string]any)
		said := map[string]any{"type": event["type"], "dedupe_key": event["dedupe_key"]}
		for _, name := range contracted {
			if value, there := payload[name]; there {
				said[name] = timeless(value)
			}
		}
		out = append(out, said)
	}
	return out
}

// sameWords expects events that decide what those of another turn do.
func sameWords(first Turn) check.Matcher {
	want := decided(check.Plain(first.Answer.Key("events").Actual()))
	return check.That("as the first time, "+wire.Compact(want), func(v any) bool { return reflect.DeepEqual(decided(check.Plain(v)), want) })
}

// movesOn expects that a turn took a run one step on, or to its end.
func (t Turn) movesOn(p pending) check.Matcher {
	return check.Seeing(fmt.Sprintf("a request with step %d, or the end of the run", p.Step+1), func(s wire.Seen) (bool, string) {
		w := waits{status: "running", step: p.Step, tool: p.Tool}
		why := Delivery{Run: p.Run, Step: p.Step, Tool: p.Tool, Status: "ok"}.wantsProgress(t, w)
		return why == "", wire.Compact(s.Actual())
	})
}
