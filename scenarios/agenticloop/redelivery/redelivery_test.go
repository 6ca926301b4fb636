package redelivery_test

import (
	"testing"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/hosttest"
	"github.com/openassay/assay/scenarios/agenticloop/redelivery"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestJudgesOfRedelivery(t *testing.T) {
	matching := hosttest.Ok(hosttest.RunR2, hosttest.Request("R", 2, "fabric"))
	honest := func() redelivery.RedeliveryObservation {
		o := redelivery.RedeliveryObservation{
			Start: hosttest.StartR.Turn(t), Run: "R", Pending: host.Pending{Run: "R", Step: 1, Tool: "fetch"},
			Other: hosttest.Handed(t, "another start",
				hosttest.Ok(host.Object{"R": hosttest.Running(1, "fetch"), "O": hosttest.Running(1, "fetch")},
					hosttest.Request("O", 1, "fetch"))), Again: hosttest.Handed(t, "the same job", hosttest.Ok(nil)),
			Matching: hosttest.Handed(t, "the result", matching),
			Taken:    hosttest.Turn(t, "taken", hosttest.RunR2, hosttest.Ok(nil)),
			Foreign: []host.Turn{hosttest.Handed(t, "a foreign start", hosttest.Refusal(false)),
				hosttest.Handed(t, "another",
					hosttest.Ok(host.Object{"R": hosttest.Running(1, "fetch"), "Q": hosttest.Running(1, "fetch")},
						hosttest.Request("Q", 1, "fetch")))},
		}
		files := wiretest.Value(t,
			host.Object{"trace.jsonl": host.Object{"kind": "file", "text": "{\"a\":1}\n[]\n", "whole": true,
				"bytes": 11}})
		o.Killed = []redelivery.Killed{
			{Point: "before its input", Died: true, Again: hosttest.StartR.Turn(t), Files: files}}
		o.Resumed = []redelivery.Killed{{Point: "before its input", Died: true,
			Again: hosttest.Handed(t, "the result again", matching), Files: files}}
		return o
	}
	files := wiretest.Value(t, host.Object{"trace.jsonl": host.Object{"kind": "file", "text": "{\"a\":1}\n", "whole": true, "bytes": 8}})
	trace := func(text string) wire.Value {
		return wiretest.Value(t, host.Object{"trace.jsonl": host.Object{"kind": "file", "text": text, "whole": true}})
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*redelivery.RedeliveryObservation)
		want           string
	}{
		{"start-delivered-again", "a second run", func(o *redelivery.RedeliveryObservation) {
			o.Again = hosttest.Handed(t, "the same job",
				hosttest.Ok(host.Object{"R": hosttest.Running(1, "fetch"), "Q": hosttest.Running(1, "fetch")},
					hosttest.Request("Q", 1, "fetch")))
		}, agenticloop.RFC103READ2},
		{"start-delivered-again", "the pending request once more", func(o *redelivery.RedeliveryObservation) {
			o.Again = hosttest.Handed(t, "the same job", hosttest.Ok(nil, hosttest.Request("R", 1, "fetch")))
		}, "passed"},
		{"start-delivered-again", "the run begins anew", func(o *redelivery.RedeliveryObservation) {
			run := hosttest.Running(1, "fetch")
			run["attempt"] = 2
			o.Again = hosttest.Handed(t, "the same job", hosttest.Ok(host.Object{"R": run}))
		}, agenticloop.RFC103READ2},
		{"start-with-a-known-id", "any start changes it", func(o *redelivery.RedeliveryObservation) {
			o.Other = hosttest.Handed(t, "another start",
				hosttest.Ok(host.Object{"R": hosttest.Over("escalated", 1), "O": hosttest.Running(1, "fetch")},
					hosttest.Request("O", 1, "fetch")))
		}, hosttest.Violates(agenticloop.RFC103READ5)},
		{"start-with-a-known-id", "the run begins anew", func(o *redelivery.RedeliveryObservation) {
			run := hosttest.Running(1, "fetch")
			run["goal"] = "another"
			o.Foreign[0] = hosttest.Handed(t, "a foreign start",
				hosttest.Ok(host.Object{"R": run}, hosttest.Request("R", 1, "fetch")))
		}, agenticloop.RFC103READ3},
		{"start-with-a-known-id", "it asks in its name", func(o *redelivery.RedeliveryObservation) {
			o.Foreign[0] = hosttest.Handed(t, "a foreign start", hosttest.Ok(nil, hosttest.Request("R", 1, "fetch")))
		}, agenticloop.RFC103READ3},
		{"events-lost", "it goes on", func(o *redelivery.RedeliveryObservation) {
			o.Taken = hosttest.Turn(t, "taken", hosttest.RunR2,
				hosttest.Ok(host.Object{"R": hosttest.Running(3, "fetch")}, hosttest.Request("R", 3, "fetch")))
		}, agenticloop.RFC103READ4},
		{"events-lost", "the result had not moved it", func(o *redelivery.RedeliveryObservation) {
			o.Matching = hosttest.Handed(t, "the result", hosttest.Ok(nil))
		}, hosttest.Violates(agenticloop.RFC103V9)},
		{"events-lost", "the result was an error", func(o *redelivery.RedeliveryObservation) {
			o.Matching = hosttest.Handed(t, "the result", hosttest.Refusal(true))
		}, "blocked"},
		{"killed-and-run-again", "the trace has a heading", func(o *redelivery.RedeliveryObservation) {
			o.Killed[0].Files = trace("{\"a\":1}\n--- turn ---\n[]\n")
		}, hosttest.Violates(agenticloop.RFC103W2)},
		{"killed-and-run-again", "a line begins with a time", func(o *redelivery.RedeliveryObservation) {
			o.Killed[0].Files = trace("2026-11-24T12:00:00Z started\n")
		}, hosttest.Violates(agenticloop.RFC103W2)},
		{"killed-and-run-again", "a number was cut", func(o *redelivery.RedeliveryObservation) {
			o.Killed[0].Files = trace("-\n12{\"a\":1}\n")
		}, agenticloop.RFC103WIRE14},
		{"killed-and-run-again", "it is refused", func(o *redelivery.RedeliveryObservation) {
			o.Killed[0].Again = hosttest.Turn(t, "again", nil, hosttest.Refusal(true))
		}, agenticloop.RFC103T2},
		{"killed-and-run-again", "nothing is asked for", func(o *redelivery.RedeliveryObservation) {
			o.Killed[0].Again = hosttest.Turn(t, "again", nil, hosttest.Ok(nil))
		}, agenticloop.RFC103WIRE14},
		{"killed-and-run-again", "the result is thought to be taken", func(o *redelivery.RedeliveryObservation) {
			o.Resumed[0].Again = hosttest.Handed(t, "the result again", hosttest.Ok(nil))
		}, agenticloop.RFC103WIRE14},
		{"killed-and-run-again", "a file is missing that the turn leaves otherwise", func(o *redelivery.RedeliveryObservation) {
			o.StartLeft = wiretest.Value(t, host.Object{"plan.md": host.Object{"kind": "file", "text": "go on"}})
		}, agenticloop.RFC103WIRE14},
		{"killed-and-run-again", "nothing is written to the trace", func(o *redelivery.RedeliveryObservation) {
			o.ResultLeft = files
			o.Resumed[0].Files = wiretest.Value(t,
				host.Object{"trace.jsonl": host.Object{"kind": "file", "text": "\n", "whole": true, "bytes": 0}})
		}, agenticloop.RFC103WIRE14},
		{"killed-and-run-again", "a file is missing that need not be there", func(o *redelivery.RedeliveryObservation) {
			o.StartLeft = wiretest.Value(t, host.Object{"skills.md": host.Object{"kind": "file", "text": "none"}})
			o.ResultLeft = files
		}, "passed"},
		{"killed-and-run-again", "half a line is left", func(o *redelivery.RedeliveryObservation) {
			o.Resumed[0].Files = wiretest.Value(t,
				host.Object{"trace.jsonl": host.Object{"kind": "file", "text": "{\"a\":1}\n{\"b", "whole": true}})
		}, agenticloop.RFC103WIRE14},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, "redelivery/"+c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			hosttest.Expect(t, "redelivery/"+c.scenario, o, c.want)
		})
	}
	if out := hosttest.Expect(t, "redelivery/events-lost", honest(), "passed"); len(out.Findings) != 1 {
		t.Errorf("a run that stands still is told: %v", out.Findings)
	}
}
