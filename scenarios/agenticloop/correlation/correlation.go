// Package correlation asks which starts make a run, and which results move one.
package correlation

import (
	"slices"
	"strings"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/claims"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/check"
)

// Suite returns the suite.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "correlation", Title: "runs are started, resumed by what is pending, and moved by nothing else",
		Scenarios: []scenarios.Scenario{
			startMakesARun, startsAreDistinct, apiTrigger,
			matchingResumes, sameTwice, staleIgnored, laterEscalates, wrongToolEscalates, orderOfChecks,
			finishedIgnored, finishedLogged,
			unknownIgnored, unknownLogged, misshapenIgnored, unknownStatus, deterministic,
			stepsCount, completesOnce, completionShape, crossedIgnored, histories,
			host.EveryTurn("correlation", Results), host.EveryTurnAmongRuns("correlation", Starts),
			host.EveryTurn("correlation", ToTheEnd), host.EveryTurnAmongRuns("correlation", SeveralRuns),
			host.EveryTurnAmongRuns("correlation", RandomHistories),
		},
	}
}

// RFC-103 Resume Validation Logic 5.
var matchingResumes = scenarios.Scenario{
	ID:    "agenticloop/correlation/matching-result-resumes",
	Title: "the result that is pending takes the run to the next step, or to its end",
	Proves: scenarios.IDs{
		agenticloop.RFC103E11, agenticloop.RFC103V9, agenticloop.RFC103M2, agenticloop.RFC103T7,
		agenticloop.RFC103S7,
		agenticloop.RFC103P3, agenticloop.RFC103T9, agenticloop.RFC103T8,
	},
	Claim: claims.Plugin,
	Ask: scenarios.Ask(Results, func(o ResultsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.Matching)
		checkMovedOn(j, o.Matching, o.Pending)
		for _, t := range []*host.Turn{o.Behind, o.BehindAgain} {
			if t != nil {
				host.Given(j, *t)
				checkMovedOn(j, *t, o.Pending)
			}
		}
	}),
}

// resumption is the sentences that say that a matching result resumes its run.
var resumption = scenarios.IDs{
	agenticloop.RFC103E11, agenticloop.RFC103V9, agenticloop.RFC103M2, agenticloop.RFC103T7,
}

// checkMovedOn checks that a matching result took the run to the next step, with its request, or to its end.
func checkMovedOn(j *scenarios.Judge, t host.Turn, due host.Pending) {
	t.CheckStatus(j, "ok", agenticloop.RFC103P3)
	j.Check(agenticloop.RFC103T9, t.Events()).To(check.Len(1), "%s: events", t.Name)
	run := t.Run(due.Run)
	j.Check(agenticloop.RFC103T8, t.Runs()).NotTo(t.Unchanged(due.Run), "%s: the run that was resumed", t.Name)
	if requests := t.Requests(); len(requests.Values) > 0 {
		next := check.Equal([]int64{due.Step + 1})
		for _, id := range resumption {
			j.Check(id, requests.Each("/payload/step")).To(next, "%s: step of the request", t.Name)
		}
		j.Check(agenticloop.RFC103S7, run.Key("pending_step")).To(check.Equal(due.Step+1), "%s: pending_step", t.Name)
		return
	}
	for _, id := range resumption {
		j.Check(id, t.Events().Each("/type")).To(check.OneOf([]any{host.Completed}, []any{host.Escalated}),
			"%s: what came of it", t.Name)
	}
	if run.Key("status").String() == "escalated" { // what stays pending then is a finding elsewhere
		j.Check(agenticloop.RFC103S7, run.Key("status")).To(check.Equal("escalated"), "%s: status of the run", t.Name)
		return
	}
	j.Check(agenticloop.RFC103S7, run.Key("pending_step")).To(host.NothingPending(), "%s: pending_step", t.Name)
}

// RFC-103 Idempotency and Dedupe.
var sameTwice = scenarios.Scenario{
	ID:     "agenticloop/correlation/same-result-twice",
	Title:  "a result that comes again takes the run no further",
	Proves: scenarios.IDs{agenticloop.RFC103I6, agenticloop.RFC103M3, agenticloop.RFC103O5},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(Results, func(o ResultsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.Matching, o.Again)
		host.Given(j, o.Late...)
		host.GivenMoved(j, o.Matching, o.Pending)
		o.Again.CheckNotMovedAgain(j, o.Matching, o.Pending.Run, agenticloop.RFC103I6, agenticloop.RFC103M3)
		for _, t := range o.Late {
			t.CheckNotMovedAgain(j, o.Matching, o.Pending.Run, agenticloop.RFC103O5)
		}
	}),
}

// RFC-103 Resume Validation Logic 3.
var staleIgnored = scenarios.Scenario{
	ID:     "agenticloop/correlation/stale-step-ignored",
	Title:  "a result of a step below the pending one is ignored",
	Proves: scenarios.IDs{agenticloop.RFC103V6, agenticloop.RFC103M4, agenticloop.RFC103I6},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(Results, func(o ResultsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.Stale, o.Old)
		for _, t := range []host.Turn{o.Stale, o.Old} {
			t.CheckIgnored(j, o.Pending.Run, agenticloop.RFC103V6, agenticloop.RFC103M4,
				agenticloop.RFC103I6)
		}
		givenControl(j, o)
	}),
}

// Only the testing notes of the RFC speak of a later step (AL-R6).
var laterEscalates = scenarios.Scenario{
	ID:     "agenticloop/correlation/later-step-escalates",
	Title:  "a result of a step above the pending one escalates the run",
	Proves: scenarios.IDs{agenticloop.RFC103K2},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(Results, func(o ResultsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.Matching)
		host.GivenSome(j, o.Later)
		for _, t := range o.Later {
			t.CheckEscalated(j, o.Pending.Run, agenticloop.RFC103K2)
		}
	}),
}

// RFC-103 Resume Validation Logic 4, Error Handling (AL-R17).
var wrongToolEscalates = scenarios.Scenario{
	ID:    "agenticloop/correlation/wrong-tool-escalates",
	Title: "a result of the pending step that names another tool escalates the run",
	Proves: scenarios.IDs{agenticloop.RFC103V7, agenticloop.RFC103F2, agenticloop.RFC103M5,
		agenticloop.RFC103L2, agenticloop.RFC103F3, agenticloop.RFC103S8, agenticloop.RFC103P3},
	Claim: claims.Plugin,
	Ask: scenarios.Ask(Results, func(o ResultsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.Wrong)
		t := o.Wrong
		if !t.CheckStatus(j, "ok", agenticloop.RFC103P3) {
			return
		}
		t.CheckEscalated(j, o.Pending.Run, agenticloop.RFC103V7, agenticloop.RFC103F2, agenticloop.RFC103M5)
		j.Check(agenticloop.RFC103L2, t.Events().Each("/type")).To(check.Equal([]string{host.Escalated}),
			"%s: events", t.Name)
		j.Check(agenticloop.RFC103S8, t.Run(o.Pending.Run).Key("status")).To(check.Equal("escalated"),
			"%s: status of the run", t.Name)
		t.CheckReason(j, o.Pending.Run)
	}),
}

// RFC-103 Resume Validation Logic, the order of the checks.
var orderOfChecks = scenarios.Scenario{
	ID:    "agenticloop/correlation/order-of-checks",
	Title: "the end of a run is looked at before the step, and the step before the tool",
	Proves: scenarios.IDs{agenticloop.RFC103V1, agenticloop.RFC103I5, agenticloop.RFC103T4,
		agenticloop.RFC103I6, agenticloop.RFC103V4},
	Claim: claims.Plugin,
	Ask: scenarios.Ask(Results, func(o ResultsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.StaleWrong)
		host.Given(j, o.Finished...)
		for _, t := range append([]host.Turn{o.StaleWrong}, o.Finished...) { // no later check decided
			j.Check(agenticloop.RFC103V1, t.OfType(host.Escalated)).To(check.Len(0), "%s: escalations", t.Name)
			j.Check(agenticloop.RFC103V1, t.Run(o.Pending.Run).Key("status")).To(
				check.OneOf(nil, statusIn(t, o.Pending.Run)), "%s: status of the run", t.Name)
		}
		o.StaleWrong.CheckIgnored(j, o.Pending.Run, agenticloop.RFC103I6)
		o.Old.CheckIgnored(j, o.Pending.Run, agenticloop.RFC103I6)
		for _, t := range o.Finished {
			t.CheckSilent(j, o.Pending.Run, agenticloop.RFC103V4)
		}
		for _, t := range append([]host.Turn{o.Stale, o.Old, o.StaleWrong, o.Wrong, o.Unknown}, o.Later...) {
			if !t.Answered() { // it asked for nothing, whatever was pending
				continue
			}
			for _, id := range (scenarios.IDs{agenticloop.RFC103I5, agenticloop.RFC103T4}) {
				j.Check(id, t.Requests()).To(t.NoRequestBut(o.Pending.Run), "%s: requests for tools", t.Name)
				j.Check(id, t.OfType(host.Completed)).To(check.Len(0), "%s: completions", t.Name)
			}
		}
		givenControl(j, o)
	}),
}

// statusIn returns the status of a run before a turn.
func statusIn(t host.Turn, run string) any { return host.ProgressOf(t.RunsBefore()[run]).Status }

// RFC-103 Resume Validation Logic 2.
var finishedIgnored = scenarios.Scenario{
	ID:     "agenticloop/correlation/finished-run-ignored",
	Title:  "a run that is done or escalated is over: no result moves it, and it has no second end",
	Proves: scenarios.IDs{agenticloop.RFC103V4, agenticloop.RFC103READ8},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(Results, func(o ResultsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.GivenSome(j, o.Finished)
		for _, t := range o.Finished {
			t.CheckSilent(j, o.Pending.Run, agenticloop.RFC103V4, agenticloop.RFC103READ8)
		}
		givenControl(j, o)
	}),
}

var finishedLogged = scenarios.Scenario{
	ID:     "agenticloop/correlation/finished-run-logged",
	Title:  "a result for a finished run leaves a log of level info",
	Proves: scenarios.IDs{agenticloop.RFC103V5},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(Results, func(o ResultsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.Finished...)
		for _, t := range o.Finished {
			j.Check(agenticloop.RFC103V5, t.Answer.Key("logs")).To(hasLevel("info"), "%s: logs", t.Name)
		}
	}),
}

// RFC-103 Resume Validation Logic 1. The next scenario checks the log (AL-R106).
var unknownIgnored = scenarios.Scenario{
	ID:     "agenticloop/correlation/unknown-run-ignored",
	Title:  "a result for a run that the state does not know is ignored, and is no error",
	Proves: scenarios.IDs{agenticloop.RFC103V2, agenticloop.RFC103F1},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(Results, func(o ResultsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.Unknown)
		o.Unknown.CheckSilent(j, o.Stranger, agenticloop.RFC103V2)
		j.Check(agenticloop.RFC103V2, o.Unknown.Runs()).To(o.Unknown.Untouched(), "%s", o.Unknown.Name)
		o.Unknown.CheckStatus(j, "ok", agenticloop.RFC103F1)
		givenControl(j, o)
	}),
}

var unknownLogged = scenarios.Scenario{
	ID:     "agenticloop/correlation/unknown-run-logged",
	Title:  "a result for an unknown run leaves a log of level warn",
	Proves: scenarios.IDs{agenticloop.RFC103V3},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(Results, func(o ResultsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.Unknown)
		j.Check(agenticloop.RFC103V3, o.Unknown.Answer.Key("logs")).To(hasLevel("warn"), "%s: logs", o.Unknown.Name)
	}),
}

// The text has an order of checks and no word for results that lack what is checked. Some languages read "1", 1.9 and true as 1
// (AL-R101).
var misshapenIgnored = scenarios.Scenario{
	ID:     "agenticloop/correlation/misshapen-result-moves-nothing",
	Title:  "a result that does not say run, step and tool as it has to takes no run on",
	Proves: scenarios.IDs{agenticloop.RFC103READ1, agenticloop.RFC103READ14},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(Results, func(o ResultsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.GivenSome(j, o.Misshapen)
		host.GivenSome(j, o.Unmatched)
		host.GivenSome(j, o.Rounded)
		for _, t := range o.Misshapen {
			t.CheckUnmoved(j, o.Pending.Run, agenticloop.RFC103READ1)
		}
		for _, t := range o.Unmatched {
			if len(t.OfType(host.Escalated).Values) > 0 { // as one of another tool, or of a later step
				t.CheckEscalated(j, o.Pending.Run, agenticloop.RFC103READ1)
				continue
			}
			t.CheckUnmoved(j, o.Pending.Run, agenticloop.RFC103READ1)
		}
		for _, t := range o.Rounded {
			j.Check(agenticloop.RFC103READ14, t.Events()).To(host.NotBeyond(o.Pending.Step), "%s: events", t.Name)
		}
		givenControl(j, o)
	}),
}

// RFC-103 Resume Validation Logic 5 (AL-R107).
var unknownStatus = scenarios.Scenario{
	ID:     "agenticloop/correlation/unknown-status-is-not-ok",
	Title:  "a result whose status is neither ok nor error is not taken for ok",
	Proves: scenarios.IDs{agenticloop.RFC103V8},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(Results, func(o ResultsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.GivenSome(j, o.Statuses)
		for _, t := range o.Statuses {
			j.Check(agenticloop.RFC103V8, t.Events()).To(host.NotBeyond(o.Pending.Step), "%s: events", t.Name)
			j.Check(agenticloop.RFC103V8, t.Run(o.Pending.Run).Key("status")).NotTo(check.Equal("done"),
				"%s: status of the run", t.Name)
		}
		givenControl(j, o)
	}),
}

// givenControl ends the judge unless the result that is pending moves the run: a plugin that ignores everything ignores
// what it has to, and shows nothing.
func givenControl(j *scenarios.Judge, o ResultsObservation) {
	host.Given(j, o.Matching)
	host.GivenMoved(j, o.Matching, o.Pending)
}

// RFC-103 Success Criteria. Times are no decisions.
var deterministic = scenarios.Scenario{
	ID:     "agenticloop/correlation/same-request-same-answer",
	Title:  "the same request gets the same answer, but for its times",
	Proves: scenarios.IDs{agenticloop.RFC103O4},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(Results, func(o ResultsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.Matching, o.Twin)
		host.GivenMoved(j, o.Matching, o.Pending)
		j.Check(agenticloop.RFC103O4, o.Twin.Events().Each("/payload/run_id")).To(
			check.SameAs(o.Matching.Events().Each("/payload/run_id")), "run_id of the events")
		if o.Live { // the decision may differ, but not its run, nor the step that it follows
			j.Check(agenticloop.RFC103O4, o.Twin.Events()).To(o.Twin.MovesOn(o.Pending), "%s: events", o.Twin.Name)
			if ok, _ := host.SameWords(o.Matching).MatchSeen(o.Twin.Answer.Key("events")); !ok {
				j.Find("", "the same request gets another answer: the profile does not say that it is deterministic (AL-R109)")
			}
			return
		}
		j.Check(agenticloop.RFC103O4, o.Twin.Answer.Key("events")).To(host.SameWords(o.Matching), "events")
		// A plugin may keep more of a run, even a digest with a time in it.
		first, twin := o.Matching.Run(o.Pending.Run), o.Twin.Run(o.Pending.Run)
		for _, field := range []string{"status", "step", "pending_step", "pending_tool", "reframes",
			"completed_steps"} {
			j.Check(agenticloop.RFC103O4, twin.Key(field)).To(check.SameAs(first.Key(field)), "%s of the run", field)
		}
	}),
}

// hasLevel matches logs with one of this level.
func hasLevel(level string) check.Matcher {
	return check.That("a log of level "+level, func(v any) bool {
		list, _ := v.([]any)
		return slices.ContainsFunc(list, func(l any) bool {
			log, _ := l.(host.Object)
			said, _ := log["level"].(string)
			return strings.EqualFold(said, level) || strings.EqualFold(said, level+"ing")
		})
	})
}
