package openwop_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
)

// logOf is the log of a run that holds these events.
func logOf(events ...hosttest.Event) (log hosttest.Entries) {
	for i, e := range events {
		log = append(log, map[string]any{"eventId": fmt.Sprint("e", i), "runId": "r1", "type": e.Kind, "payload": e.Payload,
			"timestamp": fmt.Sprintf("2026-11-01T00:00:%02dZ", i), "sequence": i})
	}
	return log
}

func event(kind string, payload map[string]any) hosttest.Event {
	return hosttest.Event{Kind: kind, Payload: payload}
}

// changed returns a payload with other members.
func changed(payload map[string]any, change map[string]any) map[string]any {
	out := maps.Clone(payload)
	maps.Copy(out, change)
	return out
}

// judgedBy returns the requirements that the log keeps and those that it violates by a rule.
func judgedBy(t *testing.T, name string, s openwop.Standing) (kept, violated []string) {
	t.Helper()
	rules := openwop.Recorded()
	i := slices.IndexFunc(rules, func(r openwop.Invariant) bool { return r.Name == name })
	o := rules[i].Judge(s)
	if strings.HasPrefix(o.Reason, "the judge panicked") {
		t.Fatal(o.Reason)
	}
	for _, c := range o.Checks {
		if c.OK {
			kept = append(kept, c.Requirement)
		} else if !slices.Contains(violated, c.Requirement) {
			violated = append(violated, c.Requirement)
		}
	}
	slices.Sort(violated)
	return kept, violated
}

// held is what is told of a decision that was held.
var held = map[string]any{"confidence": 0.4, "floor": 0.6, "escalationKind": "clarify", "parentRunId": "r1"}

var decidedAs04 = event("runOrchestrator.decided", map[string]any{"agentId": "a",
	"decision": map[string]any{"kind": "next-worker", "nextWorkerIds": []string{"w"}, "confidence": 0.4}})

// doubt is a loop whose only decision is held, with this told between.
func doubt(told map[string]any, between ...hosttest.Event) hosttest.Entries {
	events := []hosttest.Event{event("run.started", map[string]any{}), decidedAs04}
	events = append(append(events, between...), event("core.workflowChain.confidence-escalated", told))
	return logOf(append(events, event("node.suspended", map[string]any{"nodeId": "s"}))...)
}

// breached is a run that crossed a bound.
func breached(kind string, limit, observed any, code string, after ...hosttest.Event) hosttest.Entries {
	log := logOf(append([]hosttest.Event{event("run.started", map[string]any{}),
		event("cap.breached", map[string]any{"kind": kind, "limit": limit, "observed": observed}),
		event("run.failed", map[string]any{"error": map[string]any{"code": code, "message": "m"}})}, after...)...)
	log[2]["causationId"] = "e1"
	return log
}

func TestRecordedRuns(t *testing.T) {
	whole := wholeLife("r1")
	single := paid(whole, 1, map[string]any{"decision": map[string]any{"kind": "next-worker", "nextWorkerIds": []string{"a"}}})
	verdict := map[string]any{"verdict": "pass", "agentId": "judge", "target": "e1", "confidence": 0.9}
	decided := event("runOrchestrator.decided", map[string]any{"agentId": "a", "decision": map[string]any{"kind": "next-worker"}})
	memory := map[string]any{"memoryId": "m1", "memoryRef": "mem:r1"}
	file := map[string]any{"path": "a.md", "version": 1}
	for name, c := range map[string]struct {
		rule     string
		log      hosttest.Entries
		kept     string
		violated string
	}{
		"a bound on nodes": {"breach-told",
			breached("node-executions", 3, 4, "recursion_limit_exceeded"), "OWP-BND-2 OWP-BND-3 OWP-BND-12 OWP-BND-13", ""},
		"a bound on nodes that is told late": {"breach-told",
			breached("node-executions", 3, 9, "recursion_limit_exceeded"), "OWP-BND-3", "OWP-BND-2"},
		"another code": {"breach-told", breached("node-executions", 3, 4, "failed"), "OWP-BND-2", "OWP-BND-3"},
		"work behind the end": {"breach-told",
			breached("node-executions", 3, 4, "recursion_limit_exceeded", event("node.started", map[string]any{})),
			"OWP-BND-2", "OWP-BND-12"},
		"a bound on time":              {"breach-told", breached("run-duration", 100, 140, "run_timeout"), "OWP-BND-7 OWP-BND-8", ""},
		"a bound on time just reached": {"breach-told", breached("run-duration", 100, 100, "run_timeout"), "OWP-BND-7", ""},
		"a bound on time not reached":  {"breach-told", breached("run-duration", 100, 90, "run_timeout"), "OWP-BND-8", "OWP-BND-7"},
		"a bound on turns":             {"breach-told", breached("loop-iterations", 2, 3, "loop_limit_exceeded"), "OWP-0061-E2", ""},
		"a bound that nobody knows":    {"breach-told", breached("tokens", 2, 9, "failed"), "", ""},

		"decisions with an agent":     {"agent-named", whole, "OWP-0061-B5", ""},
		"a decision without an agent": {"agent-named", paid(whole, 9, map[string]any{"agentId": ""}), "", "OWP-0061-B5"},

		"handoffs": {"handed-over",
			whole, "OWP-0037-A3 OWP-0037-B4 OWP-DSP-4 OWP-DSP-10 OWP-DSP-11", ""},
		"a worker without a run": {"handed-over",
			paid(whole, 3, map[string]any{"childRunId": ""}), "OWP-DSP-4", "OWP-0037-A3 OWP-DSP-10"},
		"a worker of another run": {"handed-over",
			paid(whole, 5, map[string]any{"childRunId": "c9"}), "OWP-0037-A3", "OWP-DSP-10"},
		"a handoff with another cause": {"handed-over", whole.With(2, "causationId", "r1-0"), "OWP-DSP-10", "OWP-DSP-4"},
		"a worker that is lost and harvested": {"handed-over",
			paid(whole, 5, map[string]any{"phase": "child.failed"}), "OWP-0037-A3", "OWP-0037-B1 OWP-0037-B2"},
		"a turn that waits": {"handed-over", single, "OWP-0037-A5", ""},
		"a turn that does not wait": {
			"handed-over", paid(single, 5, map[string]any{"phase": "child.running"}), "OWP-DSP-4", "OWP-0037-A5 OWP-0037-B1"},
		"one of two workers is not waited for": {"handed-over", paid(whole, 5, map[string]any{"phase": "child.running"}),
			"OWP-DSP-4", "OWP-0037-B1"},

		"a held decision":            {"doubted", doubt(held), "OWP-CNF-3 OWP-CNF-4 OWP-CNF-5", ""},
		"held at the floor":          {"doubted", doubt(changed(held, map[string]any{"floor": 0.4})), "OWP-CNF-3", "OWP-CNF-5"},
		"held in a way nobody knows": {"doubted", doubt(changed(held, map[string]any{"escalationKind": "ask"})), "OWP-CNF-5", "OWP-CNF-3"},
		"held after it was handed over": {"doubted",
			doubt(held, event("core.workflowChain.event", map[string]any{"phase": "dispatch.began", "workerId": "w"})),
			"OWP-CNF-5", "OWP-CNF-4"},
		"a decision that is written when somebody has answered": {"doubted", logOf(event("core.workflowChain.confidence-escalated", held),
			decidedAs04, event("core.workflowChain.event", map[string]any{"phase": "dispatch.began", "workerId": "w"}),
			event("core.workflowChain.confidence-escalated", held)), "OWP-CNF-3", ""},
		"another decision was held": {"doubted",
			doubt(changed(held, map[string]any{"confidence": 0.3}), event("node.suspended", map[string]any{})),
			"OWP-CNF-3", ""},

		"a verdict": {"verified", logOf(decided, event("agent.verified", verdict)), "OWP-VER-2 OWP-VER-4", ""},
		"an unknown verdict": {"verified",
			logOf(decided, event("agent.verified", changed(verdict, map[string]any{"verdict": "good"}))), "OWP-VER-4", "OWP-VER-2"},
		"a judge that decides": {"verified",
			logOf(decided, event("agent.verified", changed(verdict, map[string]any{"agentId": "a"}))), "OWP-VER-2", "OWP-VER-4"},

		"memory": {"remembered", logOf(event("memory.written", memory)), "OWP-MEM-14", ""},
		"memory told twice": {"remembered",
			logOf(event("memory.written", memory), event("memory.written", memory)), "", "OWP-MEM-14"},
		"memory told in full": {"remembered",
			logOf(event("memory.written", changed(memory, map[string]any{"content": "x"}))), "OWP-MEM-14", "OWP-MEM-15"},

		"a file": {"wrote", logOf(event("workspace.updated", file)), "OWP-WSP-27", ""},
		"a file of version 0": {"wrote",
			logOf(event("workspace.updated", changed(file, map[string]any{"version": 0}))), "", "OWP-WSP-27"},
		"a file told in full": {"wrote",
			logOf(event("workspace.updated", changed(file, map[string]any{"content": "x"}))), "OWP-WSP-27", "OWP-WSP-28"},

		"a goal that is judged": {"pursued",
			logOf(event("goal.evaluated", map[string]any{"goalId": "g", "satisfied": false, "runId": "r1", "iterations": 1})),
			"OWP-0097-D1", ""},
		"a goal that is judged for nothing": {"pursued",
			logOf(event("goal.evaluated", map[string]any{"goalId": "g", "satisfied": false, "iterations": 1})),
			"", "OWP-0097-D1"},
		"a goal that ends active": {"pursued",
			logOf(event("goal.closed", map[string]any{"goalId": "g", "finalState": "active"})), "", "OWP-0097-D3"},
		"nothing of all that": {"pursued", whole, "", ""},
	} {
		kept, violated := judgedBy(t, c.rule, openwop.Standing{Log: c.log.Log(t, "r1"), Version: 5})
		for _, id := range strings.Fields(c.kept) {
			if !slices.Contains(kept, id) {
				t.Errorf("%s: %s is not kept", name, id)
			}
		}
		if got := strings.Join(violated, " "); got != c.violated {
			t.Errorf("%s: violated are %q, want %q", name, got, c.violated)
		}
	}
	old := openwop.Standing{Log: doubt(held).Log(t, "r1"), Version: 1}
	if _, violated := judgedBy(t, "doubted", old); !slices.Equal(violated, []string{"OWP-CNF-13"}) {
		t.Errorf("below version 2 violated are %v", violated)
	}
}

func TestRecordedDocuments(t *testing.T) {
	const goal = `{"id":"g","objective":"o","state":"active","createdAt":"2026-11-01T00:00:00Z","completion":{"check":"host"},` +
		`"continuation":{"mode":"manual"},"owner":{"tenant":"t"},"bounds":{"maxLoopIterations":3}}`
	const run = `{"runId":"r1","workflowId":"w","status":"completed","startedAt":"2026-11-01T00:00:00Z","endedAt":"2026-11-01T00:00:01Z"}`
	const goalPath, runPath = "/v1/host/sample/goals/g", "/v1/runs/r1"
	for name, c := range map[string]struct {
		path     string
		status   int
		body     string
		kept     scenarios.RequirementID
		violated string
	}{
		"a goal":                     {goalPath, 200, goal, requirement.OWP0097B1, ""},
		"a goal of an unknown judge": {goalPath, 200, strings.Replace(goal, `"host"`, `"me"`, 1), requirement.OWP0097B1, "OWP-0097-B2"},
		"a goal of nobody":           {goalPath, 200, strings.Replace(goal, `"tenant"`, `"user"`, 1), requirement.OWP0097B1, "OWP-0097-B4"},
		"a bound of 0 runs":          {goalPath, 200, strings.Replace(goal, `:3`, `:0`, 1), requirement.OWP0097B1, "OWP-0097-B5"},
		"a run":                      {runPath, 200, run, requirement.OWPCTL5, ""},
		"a refusal":                  {runPath, 404, `{"error":"not_found","message":"no such run"}`, requirement.OWPERR4, ""},
		"a refusal without words":    {runPath, 404, `{"error":"not_found"}`, requirement.OWPERR4, "OWP-ERR-4"},
		"a refusal elsewhere":        {"/api/session", 404, `{"detail":"no"}`, "", ""},
		"a refusal of a seam":        {"/v1/host/sample/x", 404, `{"error":"no"}`, "", ""},
		"a goal of a shop":           {"/shop/goals/g", 200, `{"id":"g","name":"sell"}`, "", ""},
		"a refusal by a proxy":       {runPath, 502, `{"oops":1}`, "", ""},
		"a refusal that is no JSON":  {runPath, 404, `<html>`, "", ""},
	} {
		transcript := &wire.Transcript{Speech: openwop.Protocol.Speech, Entries: []wire.Entry{{Kind: "http",
			Request: &wire.Request{Method: "GET", URL: "http://host" + c.path}, Response: &wire.Response{Status: c.status, Body: c.body}}}}
		var violated []string
		kept := false
		records := []scenarios.DriveRecord{{ID: "d", Transcript: transcript}}
		openwop.Protocol.Recorded(scenarios.Discovery{}, records, func(s scenarios.Sight) {
			kept = kept || s.Held && s.Requirement == c.kept
			if !s.Held {
				violated = append(violated, string(s.Requirement))
			}
		})
		if kept != (c.kept != "") || strings.Join(violated, " ") != c.violated {
			t.Errorf("%s: kept %t, violated are %v", name, kept, violated)
		}
	}
}
