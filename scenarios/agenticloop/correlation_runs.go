package agenticloop

import (
	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// RFC-103 Event Contract 1, Runtime Model.
var startMakesARun = scenarios.Scenario{
	ID:    "agenticloop/correlation/start-makes-a-run",
	Title: "a start makes one run, and asks for its first tool with step 1",
	Proves: scenarios.IDs{
		agenticloopv2.RFC103E1, agenticloopv2.RFC103T3, agenticloopv2.RFC103T6, agenticloopv2.RFC103M1,
	},
	Claim: plugin,
	Ask: scenarios.Ask(starts, func(o StartsObservation, j *scenarios.Judge) {
		t := o.First
		given(j, t)
		j.Check(agenticloopv2.RFC103E1, t.Answer.Key("status")).To(check.Equal("ok"), "%s: status", t.Name)
		j.Check(agenticloopv2.RFC103T3, t.newRuns()).To(check.Len(1), "%s: new runs", t.Name)
		j.Check(agenticloopv2.RFC103T3, t.newRuns().Each("/status")).To(check.Equal([]string{"running"}), "%s: their status", t.Name)
		if asked := t.requests(); len(asked.Values) > 1 { // that is too many: another scenario's failure
			j.BlockOn(agenticloopv2.RFC103T1, "set-up: more than one tool was asked for")
		}
		j.Check(agenticloopv2.RFC103M1, t.requests()).To(check.Len(1), "%s: requests for tools", t.Name)
		j.Check(agenticloopv2.RFC103T6, t.requests().Each("/payload/step")).To(check.Equal([]int64{1}), "%s: step of the request", t.Name)
		j.Check(agenticloopv2.RFC103E1, t.newRuns().Each("/goal")).To(check.Equal([]string{o.Goal}), "%s: goal of the run", t.Name)
	}),
}

// RFC-103 Core Invariants 1 (AL-R22).
var startsAreDistinct = scenarios.Scenario{
	ID:     "agenticloop/correlation/starts-are-distinct",
	Title:  "two starts make two runs with ids of their own, and the second leaves the first as it is",
	Proves: scenarios.IDs{agenticloopv2.RFC103I1, agenticloopv2.RFC103READ5},
	Claim:  plugin,
	Ask: scenarios.Ask(starts, func(o StartsObservation, j *scenarios.Judge) {
		begun(j, o.First)
		given(j, o.Second)
		first, _ := waiting(o.First)
		j.Check(agenticloopv2.RFC103I1, o.Second.newRuns()).To(check.Len(1), "%s: new runs", o.Second.Name)
		j.Check(agenticloopv2.RFC103READ5, o.Second.runs()).To(o.Second.unchanged(first.Run), "%s", o.Second.Name)
		j.Check(agenticloopv2.RFC103I1, o.Second.requests().Each("/payload/run_id")).To(check.Distinct(first.Run), "%s: run_id of its requests", o.Second.Name)
		for _, e := range append(o.First.requests().Values, o.Second.requests().Values...) {
			j.Check(agenticloopv2.RFC103I1, e.At("/payload/run_id")).To(matching("an id of letters, digits, dot, underscore and hyphen, up to 128 of them", runID), "run_id")
		}
	}),
}

// The narrative of 2026-02-17: the gateway's trigger has a type of its own.
var apiTrigger = scenarios.Scenario{
	ID:     "agenticloop/correlation/api-trigger-starts",
	Title:  "a start that comes as api.trigger is a start",
	Proves: scenarios.IDs{agenticloopv2.RFC103B1},
	Claim:  plugin,
	Ask: scenarios.Ask(starts, func(o StartsObservation, j *scenarios.Judge) {
		begun(j, o.First)
		given(j, o.Trigger)
		j.Check(agenticloopv2.RFC103B1, o.Trigger.newRuns().Each("/status")).To(check.Equal([]string{"running"}), "%s: status of the new runs", o.Trigger.Name)
		j.Check(agenticloopv2.RFC103B1, o.Trigger.requests().Each("/payload/step")).To(check.Equal([]int64{1}), "%s: step of its request", o.Trigger.Name)
	}),
}

// driven stops a judge where the run could not be driven to its end, or was left to itself and is not done.
func (o EndObservation) driven(j *scenarios.Judge) {
	begun(j, o.Start)
	given(j, o.Steps...)
	setUpFailed(j, o.Stuck)
	if o.Way == "" && !o.done() {
		j.Block("left to itself the agent does not complete a run: "+o.last().events().Last().JSON(),
			"declare a decision seam in "+ProfileName+" that can say done")
	}
}

// done says whether the run ended by being done, in its event or in its state.
func (o EndObservation) done() bool {
	return len(o.last().ofType(completed).Values) > 0 || o.last().run(o.Run).Key("status").String() == "done"
}

// reached stops a judge where the run did not come to an end by being done.
func (o EndObservation) reached(j *scenarios.Judge) {
	o.driven(j)
	if !o.done() {
		j.BlockOn(agenticloopv2.RFC103X2, "set-up: the run was to be done, and what came is "+o.last().Answer.JSON())
	}
}

// tells stops a judge where nothing tells of the end that was reached.
func (o EndObservation) tells(j *scenarios.Judge) {
	o.reached(j)
	if len(o.last().ofType(completed).Values) <= 0 {
		j.BlockOn(agenticloopv2.RFC103T9, "set-up: the run is done, and no event says so")
	}
}

// RFC-103 Core Invariants 2.
var stepsCount = scenarios.Scenario{
	ID:     "agenticloop/correlation/steps-count-up",
	Title:  "the steps of a run are 1, 2, 3 and so on",
	Proves: scenarios.IDs{agenticloopv2.RFC103I2},
	Claim:  plugin,
	Ask: scenarios.Ask(toTheEnd, func(o EndObservation, j *scenarios.Judge) {
		begun(j, o.Start)
		given(j, o.Steps...)
		steps := o.Start.requests().Each("/payload/step")
		for _, t := range o.Steps {
			steps.Values = append(steps.Values, t.requests().Each("/payload/step").Values...)
		}
		j.Check(agenticloopv2.RFC103I2, steps).To(check.CountFromOne(len(steps.Values)), "steps of the requests")
		for _, e := range append([]Turn{o.Start}, o.Steps...) {
			for _, s := range e.requests().Each("/payload/step").Values {
				j.Check(agenticloopv2.RFC103I2, s).To(wholeNumber(), "%s: step", e.Name)
			}
		}
	}),
}

// wholeNumber expects a number that is written as one, with no fraction.
func wholeNumber() check.Matcher {
	return check.Seeing("an integer of at least 1", func(s wire.Seen) (bool, string) {
		v, ok := s.(wire.Value)
		n, isInt := v.Int()
		return ok && isInt && n >= 1, v.JSON()
	})
}

// RFC-103 Event Contract 4 (AL-R110).
var completionShape = scenarios.Scenario{
	ID:     "agenticloop/correlation/completion-tells",
	Title:  "agent.completed tells the run, its goal, what was reached, and how many results it took",
	Proves: scenarios.IDs{agenticloopv2.RFC103E12, agenticloopv2.RFC103E13, agenticloopv2.RFC103E14},
	Claim:  plugin,
	Ask: scenarios.Ask(toTheEnd, func(o EndObservation, j *scenarios.Judge) {
		o.tells(j)
		t := o.last()
		ends := t.ofType(completed)
		j.Check(agenticloopv2.RFC103E12, ends.Each("/payload/run_id")).To(check.Equal([]string{o.Run}), "%s: run_id of agent.completed", t.Name)
		j.Check(agenticloopv2.RFC103E12, ends.Each("/payload/goal")).To(check.Equal([]string{o.Goal}), "%s: goal of agent.completed", t.Name)
		j.Check(agenticloopv2.RFC103E13, ends.Each("/payload/outcome")).To(check.Each(check.Text()), "%s: outcome of agent.completed", t.Name)
		j.Check(agenticloopv2.RFC103E14, ends.Each("/payload/steps_taken")).To(check.Equal([]int64{int64(o.Taken)}), "%s: steps_taken of agent.completed", t.Name)
	}),
}

// RFC-103 Test Cases.
var completesOnce = scenarios.Scenario{
	ID:     "agenticloop/correlation/completes-once",
	Title:  "a run that is done emits one agent.completed, however often its last result comes",
	Proves: scenarios.IDs{agenticloopv2.RFC103M7},
	Claim:  plugin,
	Ask: scenarios.Ask(toTheEnd, func(o EndObservation, j *scenarios.Judge) {
		o.reached(j)
		given(j, o.Again...)
		j.Check(agenticloopv2.RFC103M7, o.last().ofType(completed)).To(check.Len(1), "%s: agent.completed", o.last().Name)
		for _, t := range o.Again {
			silent(j, t, o.Run, agenticloopv2.RFC103M7)
		}
	}),
}

// RFC-103 Core Invariants 5.
var crossedIgnored = scenarios.Scenario{
	ID:     "agenticloop/correlation/crossed-runs",
	Title:  "the id of one run with the step and the tool of another moves neither",
	Proves: scenarios.IDs{agenticloopv2.RFC103I5, agenticloopv2.RFC103I6, agenticloopv2.RFC103READ5},
	Claim:  plugin,
	Ask: scenarios.Ask(severalRuns, func(o RunsObservation, j *scenarios.Judge) {
		begun(j, o.Starts...)
		given(j, o.One)
		given(j, o.Crossed...)
		for i, t := range o.Crossed {
			j.Check(agenticloopv2.RFC103I5, t.requests()).To(t.noneBut(o.Of[i]), "%s: requests for tools", t.Name)
			j.Check(agenticloopv2.RFC103I5, t.ofType(completed)).To(check.Len(0), "%s: completions", t.Name)
			j.Check(agenticloopv2.RFC103READ5, t.runs()).To(t.unchanged(o.Not[i]), "%s: the other run", t.Name)
			if w := waitsOf(t.before()[o.Of[i]]); w.step > 1 { // what describes the other run is stale for this one
				ignored(j, t, o.Of[i], agenticloopv2.RFC103I6)
			}
		}
		if len(o.Crossed) == 0 {
			given(j, Turn{})
		}
	}),
}
