// Package state asks what a plugin keeps in the state, and what it leaves out.
package state

import (
	"fmt"
	"strings"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/budget"
	"github.com/openassay/assay/scenarios/agenticloop/claims"
	"github.com/openassay/assay/scenarios/agenticloop/correlation"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Suite returns the suite.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "state", Title: "the state holds every run, what is pending before it is asked for, and no more than that",
		Scenarios: []scenarios.Scenario{
			pendingFirst, runShape, runTimes, resumesFromState, endsInState, endsIdle, otherRunsKept, stateIsSmall,
			stateIsBounded, stepsListed,
			host.EveryTurn("state", LargeThings),
		},
	}
}

// RFC-103 State rules (AL-R7).
var pendingFirst = scenarios.Scenario{
	ID:     "agenticloop/state/pending-with-the-request",
	Title:  "every request leaves with a state in which that step and that tool are pending",
	Proves: scenarios.IDs{agenticloop.RFC103S6, agenticloop.RFC103I3},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(budget.Budgets, func(o budget.BudgetObservation, j *scenarios.Judge) {
		host.GivenSome(j, o.Turns)
		asked := false
		for _, t := range o.Turns {
			for _, e := range t.Requests().Values {
				asked = true
				run := t.Run(e.At("/payload/run_id").String())
				if !run.Present() && t.WaitsAnew() && t.Status() == "ok" {
					j.Violates(agenticloop.RFC103E7, e.At("/payload/run_id"),
						"setup failed: "+t.Name+": the request does not name the run that waits")
				}
				for _, id := range (scenarios.IDs{agenticloop.RFC103S6, agenticloop.RFC103I3}) {
					j.Check(id, run.Key("pending_step")).To(check.SameAs(e.At("/payload/step")),
						"%s: pending_step", t.Name)
					j.Check(id, run.Key("pending_tool")).To(check.SameAs(e.At("/payload/tool")),
						"%s: pending_tool", t.Name)
				}
			}
		}
		if !asked {
			j.Block("setup failed: no turn asked for a tool", "have a start ask for a tool")
		}
	}),
}

// RFC-103 Agent Plugin State Schema.
var runShape = scenarios.Scenario{
	ID:     "agenticloop/state/run-has-its-fields",
	Title:  "the state holds the run by its id, with status, step and budget, and names the run that was started last",
	Proves: scenarios.IDs{agenticloop.RFC103S2, agenticloop.RFC103S3, agenticloop.RFC103P5},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(correlation.Starts, func(o correlation.StartsObservation, j *scenarios.Judge) {
		host.Given(j, o.First, o.Second)
		for _, t := range []host.Turn{o.First, o.Second} {
			// This scenario judges a request for a run that is not kept.
			if asked := t.Requests().Values; len(asked) == 1 && !t.WaitsAnew() {
				if !j.Check(agenticloop.RFC103P5, t.Run(asked[0].At("/payload/run_id").String())).To(host.AnObject(),
					"%s: the run that asks, in state_updates", t.Name) {
					return
				}
				host.GivenKeptRequests(j, []host.Turn{t})
			}
			host.GivenRequest(j, t)
			due, _ := host.PendingOf(t)
			run := t.Run(due.Run)
			j.Check(agenticloop.RFC103S2, run.Key("status")).To(check.Equal("running"), "%s: status", t.Name)
			j.Check(agenticloop.RFC103S2, run.Key("step")).To(check.Integer(0, due.Step), "%s: step", t.Name)
			j.Check(agenticloop.RFC103S2, run.Key("max_steps")).To(check.Integer(1, 0), "%s: max_steps", t.Name)
			j.Check(agenticloop.RFC103S3, t.Answer.At("/state_updates/last_run_id")).To(check.Equal(due.Run),
				"%s: last_run_id", t.Name)
			j.Check(agenticloop.RFC103P5, run).To(host.AnObject(), "%s: the run that asks, in state_updates", t.Name)
		}
	}),
}

var runTimes = scenarios.Scenario{
	ID:     "agenticloop/state/run-has-its-times",
	Title:  "a run says when it was made and when it last changed",
	Proves: scenarios.IDs{agenticloop.RFC103S4},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(correlation.Starts, func(o correlation.StartsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.First)
		due, _ := host.PendingOf(o.First)
		for _, name := range []string{"created_at", "updated_at"} {
			j.Check(agenticloop.RFC103S4, o.First.Run(due.Run).Key(name)).To(host.Instant(), "%s", name)
		}
	}),
}

// Every turn is a new process with a new home: it can only go on with what its request holds.
var resumesFromState = scenarios.Scenario{
	ID:     "agenticloop/state/resumes-from-the-state-alone",
	Title:  "a new process goes on with a run from nothing but the state that it is handed",
	Proves: scenarios.IDs{agenticloop.RFC103S1},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(correlation.Results, func(o correlation.ResultsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.Matching)
		if !o.Matching.Moved() { // other scenarios fail a turn that asks for nothing, this one a run that stands still
			j.Check(agenticloop.RFC103S1, o.Matching.Runs()).NotTo(o.Matching.Unchanged(o.Pending.Run),
				"%s: the run", o.Matching.Name)
			return
		}
		moves := o.Matching.Requests()
		moves.Values = append(moves.Values, o.Matching.Ends().Values...)
		j.Check(agenticloop.RFC103S1, moves.Each("/payload/run_id")).To(check.Equal([]string{o.Pending.Run}),
			"%s: run_id of its request, or of the end", o.Matching.Name)
	}),
}

// RFC-103 State rules (AL-R7).
var endsInState = scenarios.Scenario{
	ID:     "agenticloop/state/done-is-kept",
	Title:  "a run that was completed is done in the state of the same response, and nothing of it is pending",
	Proves: scenarios.IDs{agenticloop.RFC103S8, agenticloop.RFC103S7},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(correlation.ToTheEnd, func(o host.EndObservation, j *scenarios.Judge) {
		o.GivenDone(j)
		t := o.Last()
		j.Check(agenticloop.RFC103S8, t.Run(o.Run).Key("status")).To(check.Equal("done"),
			"%s: status of the run", t.Name)
		for _, field := range []string{"pending_step", "pending_tool"} {
			j.Check(agenticloop.RFC103S7, t.Run(o.Run).Key(field)).To(host.NothingPending(), "%s: %s", t.Name, field)
		}
	}),
}

// stopUnescalated ends the judge of a turn that was handed a result of another tool and did not escalate its run.
func stopUnescalated(j *scenarios.Judge, t host.Turn, run wire.Value) {
	const why = "setup failed: the run was not escalated"
	switch {
	case t.Status() != "ok":
		j.Block(why+", and the answer is "+t.Answer.JSON(), "escalate a run to which another tool answers")
	case len(t.OfType(host.Escalated).Values) > 0:
		j.Violates(agenticloop.RFC103S8, run.Key("status"), why+" in its state")
	}
	j.Violates(agenticloop.RFC103F2, t.Events(), why)
}

// Pending fields of an escalated run move nothing: they are a finding (AL-R111).
var endsIdle = scenarios.Scenario{
	ID:     "agenticloop/state/escalated-is-idle",
	Title:  "a run that was escalated has nothing pending",
	Proves: scenarios.IDs{agenticloop.RFC103READ9},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(correlation.Results, func(o correlation.ResultsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.Wrong)
		run := o.Wrong.Run(o.Pending.Run)
		if run.Key("status").String() != "escalated" {
			stopUnescalated(j, o.Wrong, run)
		}
		for _, field := range []string{"pending_step", "pending_tool"} {
			j.Check(agenticloop.RFC103READ9, run.Key(field)).To(host.NothingPending(), "%s", field)
		}
	}),
}

// The gateway replaces the whole map of runs (RFC103-WIRE-12).
var otherRunsKept = scenarios.Scenario{
	ID:     "agenticloop/state/other-runs-kept",
	Title:  "a turn that changes one run returns the others as they were",
	Proves: scenarios.IDs{agenticloop.RFC103WIRE12, agenticloop.RFC103READ5, agenticloop.RFC103READ8},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(correlation.SeveralRuns, func(o correlation.RunsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Starts...)
		host.Given(j, o.One)
		host.GivenMoved(j, o.One, o.Pending[1])
		for _, i := range []int{0, 2} {
			j.Check(agenticloop.RFC103WIRE12, o.One.Run(o.Pending[i].Run)).To(host.AnObject(),
				"%s: run %c", o.One.Name, 'A'+rune(i))
			if o.One.Run(o.Pending[i].Run).Present() {
				j.Check(agenticloop.RFC103READ5, o.One.Runs()).To(o.One.Unchanged(o.Pending[i].Run),
					"%s: run %c", o.One.Name, 'A'+rune(i))
			}
		}
		j.Check(agenticloop.RFC103WIRE12, o.One.Run(o.Pending[1].Run)).To(host.AnObject(), "%s: run B", o.One.Name)
		// A plugin may drop runs that are over, and need not while the state is small (AL-R25).
		if kept := o.One.Run(o.Ended); kept.Present() {
			j.Check(agenticloop.RFC103READ8, o.One.Runs()).To(o.One.Unchanged(o.Ended),
				"%s: the run that is over", o.One.Name)
		} else {
			j.Check(agenticloop.RFC103READ8, o.One.Events().Each("/payload/run_id")).To(host.NoneIs(o.Ended),
				"%s: run_id of its events", o.One.Name)
			j.Find("", "%s: the plugin drops a run that is over, though the state is small (AL-R25)", o.One.Name)
		}
	}),
}

// mostGrowth is the number of bytes by which a result may make the state grow more than one of half its length (AL-R112).
const mostGrowth = 4 << 10

// kept is the number of bytes by which a turn makes the state grow, not counting what its request holds: a step that is asked
// for again needs that.
func kept(t host.Turn) int {
	grown := host.SizeOf(t.StateAfter()) - host.SizeOf(t.StateBefore())
	for _, payload := range t.Requests().Each("/payload").Values {
		grown -= host.SizeOf(payload.Actual())
	}
	return grown
}

// steps tells the types of the events of a turn.
func steps(t host.Turn) string {
	var types []string
	for _, v := range t.Events().Each("/type").Values {
		types = append(types, v.String())
	}
	return strings.Join(types, ", ")
}

// RFC-103 State Schema (AL-R112).
var stateIsSmall = scenarios.Scenario{
	ID:     "agenticloop/state/results-stay-out",
	Title:  "the state does not grow with the size of what a tool returned",
	Proves: scenarios.IDs{agenticloop.RFC103READ7},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(correlation.SeveralRuns, func(o correlation.RunsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Starts...)
		host.Given(j, o.Half, o.Large)
		host.GivenMoved(j, o.Half, o.Pending[0])
		host.GivenMoved(j, o.Large, o.Pending[0])
		if half, large := steps(o.Half), steps(o.Large); half != large {
			j.Block(fmt.Sprintf("a result of half the length led to %q, and this one to %q, so what they leave cannot be compared", half, large),
				"declare a decision seam, or certify with another --seed")
		}
		j.Check(agenticloop.RFC103READ7, o.Large.Answer.Key("state_updates")).To(
			check.Seeing(fmt.Sprintf("a state that grew by at most %d bytes more than with half of that", mostGrowth),
				func(wire.Seen) (bool, string) {
					more := kept(o.Large) - kept(o.Half)
					return more <= mostGrowth, fmt.Sprintf("%d bytes more", more)
				}), "%s: state_updates", o.Large.Name)
	}),
}

// The gateway fails a job whose turn makes the state too large (AL-R114).
var stateIsBounded = scenarios.Scenario{
	ID:     "agenticloop/state/stays-below-1-mib",
	Title:  "a start that would make the state larger than 1 MiB is refused, or kept small",
	Proves: scenarios.IDs{agenticloop.RFC103WIRE13},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(LargeThings, func(o LargeObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.Goal, o.Wordy, o.Crowded)
		for _, t := range []host.Turn{o.Goal, o.Crowded} {
			if t.Status() == "error" {
				j.Check(agenticloop.RFC103WIRE13, t.Answer.Key("status")).To(check.Equal("error"), "%s", t.Name)
				t.FindRetried(j, "AL-R114")
				continue
			}
			j.Check(agenticloop.RFC103WIRE13, t.Answer.Key("state_updates")).To(
				check.Seeing("at most 1 MiB", func(s wire.Seen) (bool, string) {
					n := host.SizeOf(s.Actual())
					return n <= host.MostState, fmt.Sprintf("%d bytes", n)
				}), "%s: state_updates", t.Name)
		}
		if o.Crowded.Status() == "ok" {
			j.Check(agenticloop.RFC103WIRE13, o.Crowded.Answer.Key("state_updates")).To(
				check.Seeing("a state of at most 1 MiB", func(wire.Seen) (bool, string) {
					n := host.SizeOf(o.Crowded.StateAfter())
					return n <= host.MostState, fmt.Sprintf("%d bytes", n)
				}), "%s: the state after it", o.Crowded.Name)
		} else if o.Wordy.Status() != "ok" {
			j.Block("a goal of 4 KiB is refused in a small state as well, so a full one was not tried",
				"take goals of some KiB")
		}
	}),
}

// RFC-103 Idempotency and Dedupe.
var stepsListed = scenarios.Scenario{
	ID:     "agenticloop/state/completed-steps",
	Title:  "the run lists the steps that are done",
	Proves: scenarios.IDs{agenticloop.RFC103D3},
	Claim:  claims.CompletedSteps,
	Ask: scenarios.Ask(correlation.Results, func(o correlation.ResultsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.Matching)
		host.GivenMoved(j, o.Matching, o.Pending)
		j.Check(agenticloop.RFC103D3, o.Matching.Run(o.Pending.Run).Key("completed_steps")).To(
			check.Equal([]int64{o.Pending.Step}), "%s: completed_steps", o.Matching.Name)
	}),
}
