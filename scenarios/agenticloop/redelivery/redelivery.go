// Package redelivery asks what comes of a job that runs again.
package redelivery

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/claims"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Suite returns the suite.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "redelivery", Title: "a job may come twice, or be killed and run again, and nothing happens twice",
		Scenarios: []scenarios.Scenario{startAgain, foreignStart, takenAgain, killedAgain,
			host.EveryTurn("redelivery", redelivered)},
	}
}

// givenApart blocks the judge if any start changes the run: then a certain one shows nothing.
func (o RedeliveryObservation) givenApart(j *scenarios.Judge) {
	host.GivenRequest(j, o.Start)
	host.GivenAsked(j, o.Other) // a plugin that takes no further start takes none that comes again
	ok, found := o.Other.Unchanged(o.Run).MatchSeen(o.Other.Runs())
	why := "setup failed: another start changed the run: " + found
	switch {
	case ok:
	case o.Other.Status() != "ok": // the gateway does not keep what it says
		j.Block(why, "leave the runs of others as they are")
	case !o.Other.Run(o.Run).Present():
		j.Violates(agenticloop.RFC103WIRE12, o.Other.Runs(), why)
	default:
		j.Violates(agenticloop.RFC103READ5, o.Other.Run(o.Run), why)
	}
}

// Delivery is at least once, and the RFC is silent on starts (AL-R13).
var startAgain = scenarios.Scenario{
	ID:     "agenticloop/redelivery/start-delivered-again",
	Title:  "a start that is delivered again makes no second run",
	Proves: scenarios.IDs{agenticloop.RFC103READ2},
	Claim:  claims.Redelivery,
	Ask: scenarios.Ask(redelivered, func(o RedeliveryObservation, j *scenarios.Judge) {
		o.givenApart(j)
		host.Given(j, o.Again)
		j.Check(agenticloop.RFC103READ2, o.Again.KeptRuns()).To(check.Len(0), "%s: new runs", o.Again.Name)
		if o.Again.Status() == "error" { // it starts nothing either (AL-R13)
			o.Again.FindRetried(j, "AL-R13")
			return
		}
		o.Again.CheckNotMovedAgain(j, o.Start, o.Run, agenticloop.RFC103READ2)
	}),
}

// RFC-103 Core Invariants 1 (AL-R13).
var foreignStart = scenarios.Scenario{
	ID:     "agenticloop/redelivery/start-with-a-known-id",
	Title:  "a start that carries the id of a run leaves that run as it is",
	Proves: scenarios.IDs{agenticloop.RFC103READ3},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(redelivered, func(o RedeliveryObservation, j *scenarios.Judge) {
		o.givenApart(j)
		host.GivenSome(j, o.Foreign)
		for _, t := range o.Foreign {
			j.Check(agenticloop.RFC103READ3, t.Runs()).To(t.Unchanged(o.Run), "%s", t.Name)
			j.Check(agenticloop.RFC103READ3, t.Requests().Each("/payload/run_id")).To(host.NoneIs(o.Run),
				"%s: run_id of its requests", t.Name)
		}
	}),
}

// The gateway keeps the state before it routes the events. What is lost in between stays lost unless the plugin repeats
// the pending request. Either is safe (AL-R14).
var takenAgain = scenarios.Scenario{
	ID:     "agenticloop/redelivery/events-lost",
	Title:  "where a turn's events were lost, the same job again takes the run no further",
	Proves: scenarios.IDs{agenticloop.RFC103READ4, agenticloop.RFC103I6},
	Claim:  claims.Redelivery,
	Ask: scenarios.Ask(redelivered, func(o RedeliveryObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.Matching, o.Taken)
		host.GivenMoved(j, o.Matching, o.Pending)
		asked, _ := host.PendingOf(o.Matching)
		j.Check(agenticloop.RFC103READ4, o.Taken.Requests().Each("/payload/step")).To(host.AtMost(asked.Step),
			"%s: steps that it asks for", o.Taken.Name)
		o.Taken.CheckNotMovedAgain(j, o.Matching, o.Run, agenticloop.RFC103READ4, agenticloop.RFC103I6)
		if !o.Taken.Moved() {
			j.Find("", "if the gateway keeps the state of a turn and loses its events, the run stands still: "+
				"the plugin does not repeat the pending request")
		}
	}),
}

// After a crash the gateway runs the job again, with the same id and the state from before.
var killedAgain = scenarios.Scenario{
	ID:     "agenticloop/redelivery/killed-and-run-again",
	Title:  "a turn that was killed and is run again leads where it would have led",
	Proves: scenarios.IDs{agenticloop.RFC103WIRE14, agenticloop.RFC103T2},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(redelivered, func(o RedeliveryObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.Matching)
		host.GivenReached(j, len(o.Killed) > 0)
		for _, k := range o.Killed {
			k.Again.CheckStatus(j, "ok", agenticloop.RFC103T2)
			j.Check(agenticloop.RFC103WIRE14, k.Again.NewRuns().Each("/status")).To(check.Equal([]string{"running"}),
				"%s: new runs", k.Again.Name)
			j.Check(agenticloop.RFC103WIRE14, k.Again.Requests().Each("/payload/step")).To(check.Equal([]int64{1}),
				"%s: steps that it asks for", k.Again.Name)
			j.Part(func() { k.checkFiles(j, o.StartLeft) })
		}
		for _, k := range o.Resumed {
			k.Again.CheckStatus(j, "ok", agenticloop.RFC103T2)
			if o.Live {
				j.Check(agenticloop.RFC103WIRE14, k.Again.Events()).To(k.Again.MovesOn(o.Pending),
					"%s: events", k.Again.Name)
			} else {
				j.Check(agenticloop.RFC103WIRE14, k.Again.Events().Each("/type")).To(
					check.SameAs(o.Matching.Events().Each("/type")), "%s: events", k.Again.Name)
				j.Check(agenticloop.RFC103WIRE14, k.Again.Requests().Each("/payload/step")).To(
					check.SameAs(o.Matching.Requests().Each("/payload/step")), "%s: steps that it asks for", k.Again.Name)
			}
			j.Part(func() { k.checkFiles(j, o.ResultLeft) })
		}
	}),
}

// cutValue matches the begin of a JSON value, and what a later turn wrote behind it.
var cutValue = lazyregexp.New(`^\s*([{["]|(-?[0-9.eE+-]*|t|tr|tru|true|f|fa|fal|fals|false|n|nu|nul|null)\s*([{["]|$))`)

// checkFiles checks that the trace can be read, and that no file is missing that the same turn wrote when nothing killed it.
func (k Killed) checkFiles(j *scenarios.Judge, unkilled wire.Value) {
	k.checkTrace(j)
	if k.Files.Key("…").Present() {
		return
	}
	for _, name := range []string{"context.md", "memory.md", "plan.md", "trace.jsonl"} {
		if unkilled.Key(name).Key("kind").String() == "file" {
			j.Check(agenticloop.RFC103WIRE14, k.Files.Key(name).Key("kind")).To(check.Equal("file"), "%s: %s", k.Again.Name, name)
		}
	}
	if n, _ := unkilled.Key("trace.jsonl").Key("bytes").Int(); n > 0 {
		j.Check(agenticloop.RFC103WIRE14, k.Files.Key("trace.jsonl").Key("bytes")).To(check.Integer(1, 0), "%s: bytes of trace.jsonl",
			k.Again.Name)
	}
}

// checkTrace checks that the trace can be read, whatever the killed turn left in it.
func (k Killed) checkTrace(j *scenarios.Judge) {
	trace := k.Files.Key("trace.jsonl")
	for line := range strings.Lines(trace.Key("text").String()) {
		// A turn that was killed in the middle leaves the begin of a record.
		if !json.Valid([]byte(line)) && !cutValue.MatchString(line) {
			j.Violates(agenticloop.RFC103W2, trace.Key("text"),
				fmt.Sprintf("setup failed: %s: trace.jsonl holds %.80q, which is not the start of a record", k.Again.Name, line))
		}
	}
	if trace.Present() {
		j.Check(agenticloop.RFC103WIRE14, trace).To(host.JSONLines(), "%s: trace.jsonl", k.Again.Name)
	}
}
