package correlation

import (
	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/claims"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/check"
)

// RFC-103 Event Contract 1, Runtime Model.
var startMakesARun = scenarios.Scenario{
	ID:    "agenticloop/correlation/start-makes-a-run",
	Title: "a start makes one run, and asks for its first tool with step 1",
	Proves: scenarios.IDs{
		agenticloop.RFC103E1, agenticloop.RFC103T3, agenticloop.RFC103T6, agenticloop.RFC103M1,
	},
	Claim: claims.Plugin,
	Ask: scenarios.Ask(Starts, func(o StartsObservation, j *scenarios.Judge) {
		t := o.First
		host.Given(j, t)
		t.CheckStatus(j, "ok", agenticloop.RFC103E1)
		j.Check(agenticloop.RFC103T3, t.NewRuns()).To(check.Len(1), "%s: new runs", t.Name)
		j.Check(agenticloop.RFC103T3, t.NewRuns().Each("/status")).To(check.Equal([]string{"running"}),
			"%s: their status", t.Name)
		if asked := t.Requests(); len(asked.Values) > 1 && t.Status() == "ok" { // another scenario fails that
			j.Violates(agenticloop.RFC103T1, asked, "setup failed: "+t.Name+": more than one tool was asked for")
		}
		j.Check(agenticloop.RFC103M1, t.Requests()).To(check.Len(1), "%s: requests for tools", t.Name)
		j.Check(agenticloop.RFC103T6, t.Requests().Each("/payload/step")).To(check.Equal([]int64{1}),
			"%s: step of the request", t.Name)
		j.Check(agenticloop.RFC103E1, t.NewRuns().Each("/goal")).To(check.Equal([]string{o.Goal}),
			"%s: goal of the run", t.Name)
	}),
}

// RFC-103 Core Invariants 1 (AL-R22).
var startsAreDistinct = scenarios.Scenario{
	ID:     "agenticloop/correlation/starts-are-distinct",
	Title:  "two starts make two runs with ids of their own, and the second leaves the first as it is",
	Proves: scenarios.IDs{agenticloop.RFC103I1, agenticloop.RFC103READ5},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(Starts, func(o StartsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.First)
		host.Given(j, o.Second)
		first, _ := host.PendingOf(o.First)
		j.Check(agenticloop.RFC103I1, o.Second.NewRuns()).To(check.Len(1), "%s: new runs", o.Second.Name)
		j.Check(agenticloop.RFC103READ5, o.Second.Runs()).To(o.Second.Unchanged(first.Run), "%s", o.Second.Name)
		j.Check(agenticloop.RFC103I1, o.Second.Requests().Each("/payload/run_id")).To(check.Distinct(first.Run),
			"%s: run_id of its requests", o.Second.Name)
		for _, e := range append(o.First.Requests().Values, o.Second.Requests().Values...) {
			j.Check(agenticloop.RFC103I1, e.At("/payload/run_id")).To(check.Text(), "run_id")
		}
	}),
}

// The narrative of 2026-02-17: the gateway's trigger has a type of its own.
var apiTrigger = scenarios.Scenario{
	ID:     "agenticloop/correlation/api-trigger-starts",
	Title:  "a start that comes as api.trigger is a start",
	Proves: scenarios.IDs{agenticloop.RFC103B1},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(Starts, func(o StartsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.First)
		host.Given(j, o.Trigger)
		j.Check(agenticloop.RFC103B1, o.Trigger.NewRuns().Each("/status")).To(check.Equal([]string{"running"}),
			"%s: status of the new runs", o.Trigger.Name)
		j.Check(agenticloop.RFC103B1, o.Trigger.Requests().Each("/payload/step")).To(check.Equal([]int64{1}),
			"%s: step of its request", o.Trigger.Name)
	}),
}

// RFC-103 Core Invariants 2.
var stepsCount = scenarios.Scenario{
	ID:     "agenticloop/correlation/steps-count-up",
	Title:  "the steps of a run are 1, 2, 3 and so on",
	Proves: scenarios.IDs{agenticloop.RFC103I2},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(ToTheEnd, func(o host.EndObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.Steps...)
		steps := o.Start.Requests().Each("/payload/step")
		for _, t := range o.Steps {
			steps.Values = append(steps.Values, t.Requests().Each("/payload/step").Values...)
		}
		j.Check(agenticloop.RFC103I2, steps).To(check.CountFromOne(len(steps.Values)), "steps of the requests")
		for _, e := range append([]host.Turn{o.Start}, o.Steps...) {
			for _, s := range e.Requests().Each("/payload/step").Values {
				j.Check(agenticloop.RFC103I2, s).To(host.WholeNumber(), "%s: step", e.Name)
			}
		}
		if len(steps.Values) < 2 {
			j.Block("the run asked for one step alone, so none was seen that comes after another",
				"declare a decision seam in "+host.ProfileName+" that can say call_tool")
		}
	}),
}

// RFC-103 Event Contract 4 (AL-R110).
var completionShape = scenarios.Scenario{
	ID:     "agenticloop/correlation/completion-tells",
	Title:  "agent.completed tells the run, its goal, what was reached, and how many results it took",
	Proves: scenarios.IDs{agenticloop.RFC103E12, agenticloop.RFC103E13, agenticloop.RFC103E14},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(ToTheEnd, func(o host.EndObservation, j *scenarios.Judge) {
		o.GivenCompletion(j)
		t := o.Last()
		ends := t.OfType(host.Completed)
		j.Check(agenticloop.RFC103E12, ends.Each("/payload/run_id")).To(check.Equal([]string{o.Run}),
			"%s: run_id of agent.completed", t.Name)
		j.Check(agenticloop.RFC103E12, ends.Each("/payload/goal")).To(check.Equal([]string{o.Goal}),
			"%s: goal of agent.completed", t.Name)
		j.Check(agenticloop.RFC103E13, ends.Each("/payload/outcome")).To(check.Each(check.Text()),
			"%s: outcome of agent.completed", t.Name)
		j.Check(agenticloop.RFC103E14, ends.Each("/payload/steps_taken")).To(check.Equal([]int64{int64(o.Taken)}),
			"%s: steps_taken of agent.completed", t.Name)
	}),
}

// RFC-103 Test Cases.
var completesOnce = scenarios.Scenario{
	ID:     "agenticloop/correlation/completes-once",
	Title:  "a run that is done emits one agent.completed, however often its last result comes",
	Proves: scenarios.IDs{agenticloop.RFC103M7},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(ToTheEnd, func(o host.EndObservation, j *scenarios.Judge) {
		o.GivenDone(j)
		host.GivenSome(j, o.Again)
		j.Check(agenticloop.RFC103M7, o.Last().OfType(host.Completed)).To(check.Len(1),
			"%s: agent.completed", o.Last().Name)
		for _, t := range o.Again {
			t.CheckSilent(j, o.Run, agenticloop.RFC103M7)
		}
	}),
}

// RFC-103 Core Invariants 5.
var crossedIgnored = scenarios.Scenario{
	ID:     "agenticloop/correlation/crossed-runs",
	Title:  "the id of one run with the step and the tool of another moves neither",
	Proves: scenarios.IDs{agenticloop.RFC103I5, agenticloop.RFC103I6, agenticloop.RFC103READ5},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(SeveralRuns, func(o RunsObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Starts...)
		host.Given(j, o.One)
		host.GivenReached(j, len(o.Crossed) > 0)
		for _, x := range o.Crossed {
			t := x.Turn
			host.Given(j, t)
			j.Check(agenticloop.RFC103I5, t.Requests()).To(t.NoRequestBut(x.Of), "%s: requests for tools", t.Name)
			j.Check(agenticloop.RFC103I5, t.OfType(host.Completed)).To(check.Len(0), "%s: completions", t.Name)
			j.Check(agenticloop.RFC103READ5, t.Runs()).To(t.Unchanged(x.Not), "%s: the other run", t.Name)
			// the step of the other run is stale for this one
			if was := host.ProgressOf(t.RunsBefore()[x.Of]); was.Step > 1 {
				t.CheckIgnored(j, x.Of, agenticloop.RFC103I6)
			}
		}
		host.GivenMoved(j, o.One, o.Pending[1]) // the control: a result that matches moves its run
	}),
}
