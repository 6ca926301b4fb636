package openwop_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// chain is a step of a handoff.
func chain(phase, worker string) hosttest.Event {
	return event("core.workflowChain.event", map[string]any{"phase": phase, "workerId": worker, "childRunId": "c-" + worker})
}

// failed is how a run ends that failed for this code.
func failed(code string) hosttest.Event {
	return event("run.failed", map[string]any{"error": map[string]any{"code": code, "message": "m"}})
}

// advertising is a model with these members, and limits.
const advertising = `{"limits":{"maxNodeExecutions":3,"maxRunDurationMs":1000,"maxLoopIterations":2},"multiAgent":{"executionModel":{` +
	`"supported":true,"version":6,"confidenceEscalationFloor":0.6,"confidenceEscalationInterruptKind":"approval",` +
	`"crossHostCausation":{"supported":true,"hostId":"h"},"verifier":{"supported":true,"gating":true}}}}`

func TestRecordedLoops(t *testing.T) {
	next := func(workers ...string) map[string]any {
		return map[string]any{"kind": "next-worker", "nextWorkerIds": workers}
	}
	unsure := func(kind string) map[string]any {
		return changed(next("w"), map[string]any{"kind": kind, "confidence": 0.4})
	}
	end := map[string]any{"kind": "terminate"}
	verdict := func(verdict, target string) hosttest.Event {
		return event("agent.verified", map[string]any{"verdict": verdict, "agentId": "judge", "target": target})
	}
	caused := func(host any) hosttest.Entries {
		return logOf(begins, completes).With(1, "causationId", "e0").With(1, "causationHostId", host)
	}
	asks := event("node.suspended", map[string]any{"nodeId": "s", "kind": "approval"})
	resolved := event("interrupt.resolved", map[string]any{"nodeId": "s"})
	doubts := func(observed float64) hosttest.Entries {
		return logOf(begins, event("node.suspended", map[string]any{"nodeId": "s", "reason": "low-confidence", "threshold": 0.7,
			"observed": observed, "agentId": "a"}))
	}
	for name, c := range map[string]struct {
		rule           string
		log            hosttest.Entries
		kept, violated string
	}{
		"a worker of its decision": {"effects", logOf(begins, turn(1, next("w")), chain("dispatch.began", "w"), completes), "OWP-DSP-3", ""},
		"a worker of another":      {"effects", logOf(begins, turn(1, next("w")), chain("dispatch.began", "v"), completes), "", "OWP-DSP-3"},
		"several are rejected":     {"effects", logOf(begins, turn(1, next("w", "v")), failed("fan_out_unsupported")), "OWP-DSP-6", ""},
		"several are rejected, and one is dispatched": {"effects",
			logOf(begins, turn(1, next("w", "v")), chain("dispatch.began", "w"), failed("fan_out_unsupported")), "OWP-DSP-3", "OWP-DSP-6"},
		"nothing to dispatch": {"effects", logOf(begins, failed("no_pending_decision")), "OWP-DSP-7", ""},
		"nothing to dispatch, and one is": {"effects", logOf(begins, chain("dispatch.began", "w"), failed("no_pending_decision")),
			"", "OWP-DSP-7"},
		"cancelled": {"effects", logOf(begins, turn(1, next("w")), event("run.cancelled", nil)), "OWP-DSP-23", ""},
		"cancelled, and works": {"effects", logOf(begins, turn(1, next("w")), event("run.cancelled", nil), event("node.started", nil)),
			"", "OWP-DSP-23"},
		"no loop": {"effects", logOf(begins, completes), "", ""},

		"the end is the end":     {"closed", logOf(begins, turn(1, end), completes), "OWP-0061-E1", ""},
		"the end is not the end": {"closed", logOf(begins, turn(1, end), turn(2, end), completes), "OWP-0061-E1", "OWP-0061-E1"},
		"an end that is held":    {"closed", logOf(begins, turn(1, end), asks, turn(2, next("w"))), "", ""},

		"turns that it took":  {"turns-named", logOf(begins, turn(1, next("w")), turn(2, end)), "OWP-0061-B4", ""},
		"a turn of another's": {"turns-named", logOf(begins, turn(1, next("w")), turn(3, end)), "", "OWP-0061-B4"},
		"no turns":            {"turns-named", logOf(begins, completes), "", ""},

		"goes on":                {"resumed", logOf(turn(1, next("w")), asks, resolved, turn(2, end)), "OWP-0061-D1", ""},
		"begins anew":            {"resumed", logOf(turn(1, next("w")), asks, resolved, turn(1, end)), "", "OWP-0061-D1"},
		"goes on without a wait": {"resumed", logOf(turn(1, next("w")), turn(1, end)), "", ""},

		"a cause here":            {"own-causes", caused(nil), "OWP-CAU-9", ""},
		"a cause here, elsewhere": {"own-causes", caused("g"), "", "OWP-CAU-9"},
		"a cause that is not here": {"own-causes", logOf(begins, completes).With(1, "causationId", "x").With(1, "causationHostId", "g"),
			"", ""},

		"unsure and asks": {"unsure", logOf(turn(1, unsure("next-worker")), asks, resolved, chain("dispatch.began", "w")), "OWP-INT-5", ""},
		"unsure and acts": {"unsure", logOf(turn(1, unsure("next-worker")), chain("dispatch.began", "w")), "", "OWP-INT-5"},
		"unsure and acts when it was answered": {"unsure", logOf(asks, resolved, turn(1, unsure("next-worker")),
			chain("dispatch.began", "w")), "", ""},
		"unsure and ends":           {"unsure", logOf(turn(1, unsure("terminate")), completes), "", "OWP-CNF-7"},
		"unsure and ends, answered": {"unsure", logOf(turn(1, unsure("terminate")), asks, resolved, completes), "OWP-CNF-7", ""},
		"as advertised":             {"unsure", logOf(event("core.workflowChain.confidence-escalated", held), asks), "OWP-CNF-8", ""},
		"not as advertised": {"unsure", logOf(event("core.workflowChain.confidence-escalated", held),
			event("node.suspended", map[string]any{"kind": "clarification"})), "", "OWP-CNF-8"},
		"of no kind": {"unsure", logOf(event("core.workflowChain.confidence-escalated", held), event("node.suspended", nil)), "", ""},

		"below the threshold": {"below-threshold", doubts(0.6), "OWP-CNF-15 OWP-CNF-17", ""},
		"at the threshold":    {"below-threshold", doubts(0.7), "OWP-CNF-15", "OWP-CNF-17"},
		"of no agent": {"below-threshold", paid(doubts(0.6), 1, map[string]any{"agentId": ""}),
			"OWP-CNF-17", "OWP-CNF-15"},
		"another wait": {"below-threshold", logOf(begins, asks), "", ""},

		"judged first":       {"judged-first", logOf(verdict("pass", "c-w"), chain("output.harvested", "w")), "OWP-VER-1 OWP-VER-5", ""},
		"judged later":       {"judged-first", logOf(chain("output.harvested", "w"), verdict("pass", "c-w")), "", "OWP-VER-1"},
		"failed and merged":  {"judged-first", logOf(verdict("fail", "c-w"), chain("output.harvested", "w")), "OWP-VER-1", "OWP-VER-5"},
		"not judged":         {"judged-first", logOf(chain("output.harvested", "w"), verdict("pass", "c-v")), "", ""},
		"the end is judged":  {"judged-first", logOf(turn(1, end), verdict("pass", "e0"), completes), "OWP-VER-1 OWP-VER-6", ""},
		"a failed end":       {"judged-first", logOf(turn(1, end), verdict("fail", "e0"), completes), "OWP-VER-1", "OWP-VER-6"},
		"an end judged late": {"judged-first", logOf(turn(1, end), completes, verdict("pass", "e0")), "OWP-VER-6", "OWP-VER-1"},
	} {
		holds(t, name, c.rule, openwop.Standing{Log: c.log.Log(t, "r1"), Version: 6, Advertised: scenarios.Discovery{
			Document: wiretest.Value(t, json.RawMessage(advertising))}}, c.kept, c.violated)
	}
}

// holds expects what a rule says of a run.
func holds(t *testing.T, name, rule string, s openwop.Standing, kept, violated string) {
	t.Helper()
	good, bad := judgedBy(t, rule, s)
	for _, id := range strings.Fields(kept) {
		if !slices.Contains(good, id) {
			t.Errorf("%s: %s is not kept", name, id)
		}
	}
	if kept == "" && violated == "" && len(good) > 0 {
		t.Errorf("%s: it is said to keep %v", name, good)
	}
	if got := strings.Join(bad, " "); got != violated {
		t.Errorf("%s: violated are %q, want %q", name, got, violated)
	}
}

func TestRecordedWaits(t *testing.T) {
	resolved := event("interrupt.resolved", map[string]any{"nodeId": "gate"})
	done := event("node.completed", map[string]any{"nodeId": "gate"})
	paused, resumed, starts := event("run.paused", nil), event("run.resumed", nil), event("node.started", nil)
	over := func(limit int, kind, code string, seconds int, nodes int) hosttest.Entries {
		events := slices.Concat([]hosttest.Event{begins}, slices.Repeat([]hosttest.Event{starts}, nodes), []hosttest.Event{
			event("cap.breached", map[string]any{"kind": kind, "limit": limit, "observed": limit + 1}), failed(code)})
		log := logOf(events...)
		log = log.With(len(log)-2, "timestamp", "2026-11-01T00:00:"+string(rune('0'+seconds/10))+string(rune('0'+seconds%10))+"Z")
		return log.With(len(log)-1, "causationId", log[len(log)-2]["eventId"])
	}
	nodes := func(limit, started int) hosttest.Entries {
		return over(limit, "node-executions", "recursion_limit_exceeded", 9, started)
	}
	for name, c := range map[string]struct {
		rule           string
		log            hosttest.Entries
		shownPaused    bool
		kept, violated string
	}{
		"waits and is answered":    {"waited", logOf(begins, waits("k1"), resolved, waits("k2")), false, "OWP-INT-8 OWP-INT-9", ""},
		"is answered before":       {"waited", logOf(begins, resolved, waits("k1")), false, "", "OWP-INT-8"},
		"waits nowhere":            {"waited", logOf(event("node.suspended", map[string]any{"key": "k"})), false, "", "OWP-INT-8"},
		"one key for two":          {"waited", logOf(begins, waits("k1"), resolved, waits("k1")), false, "", "OWP-INT-9"},
		"does not wait":            {"waited", logOf(begins, completes), false, "", ""},
		"in order":                 {"approved", logOf(begins, waits("k"), resolved, done, completes), false, "OWP-INT-11", ""},
		"completed before":         {"approved", logOf(begins, waits("k"), done, resolved, completes), false, "", "OWP-INT-11"},
		"waits twice":              {"approved", logOf(begins, waits("k"), resolved, waits("l"), resolved, done, completes), false, "", ""},
		"paused":                   {"paused", logOf(begins, paused, resumed, starts, completes), true, "OWP-CTL-20 OWP-CTL-25", ""},
		"paused, and goes on":      {"paused", logOf(begins, paused, starts, completes), false, "", "OWP-CTL-20"},
		"paused, and not told":     {"paused", logOf(begins, starts, completes), true, "", "OWP-CTL-25"},
		"paused while a node ends": {"paused", logOf(begins, starts, paused, done), false, "", ""},
		"as many nodes as may be":  {"breach-told", nodes(3, 3), false, "OWP-BND-1 OWP-BND-5", ""},
		"more nodes":               {"breach-told", nodes(3, 4), false, "OWP-BND-5", "OWP-BND-1"},
		"a bound over the ceiling": {"breach-told", nodes(9, 4), false, "OWP-BND-1", "OWP-BND-5"},
		"over its time":            {"breach-told", over(1000, "run-duration", "run_timeout", 1, 0), false, "OWP-BND-6 OWP-BND-10", ""},
		"before its time":          {"breach-told", over(9000, "run-duration", "run_timeout", 2, 0), false, "", "OWP-BND-10 OWP-BND-6"},
		"turns within the ceiling": {"breach-told", over(2, "loop-iterations", "loop_limit_exceeded", 1, 0), false, "OWP-0061-E5", ""},
		"turns beyond the ceiling": {"breach-told", over(3, "loop-iterations", "loop_limit_exceeded", 1, 0), false, "", "OWP-0061-E5"},
		"a node that is run again": {"breach-told", put(nodes(3, 4), 1, "node.retried", nil), false, "OWP-BND-5", ""},
	} {
		s := openwop.Standing{Log: c.log.Log(t, "r1"), Version: 6, ShownPaused: c.shownPaused, Advertised: scenarios.Discovery{
			Document: wiretest.Value(t, json.RawMessage(advertising))}}
		holds(t, name, c.rule, s, c.kept, c.violated)
	}
}
