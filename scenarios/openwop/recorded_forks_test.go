package openwop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios/openwop/hosttest"
)

// logFor is the log of another run that holds these events.
func logFor(run string, events ...hosttest.Event) hosttest.Entries {
	log := logOf(events...)
	for i := range log {
		log[i]["runId"], log[i]["eventId"] = run, fmt.Sprint(run, "-", i)
	}
	return log
}

// turn is a decision of a loop.
func turn(iteration int, decision map[string]any) hosttest.Event {
	return event("runOrchestrator.decided", map[string]any{"agentId": "a", "iteration": iteration, "decision": decision})
}

// waits is how a run tells that it waits for an approval.
func waits(key string) hosttest.Event {
	return event("node.suspended", map[string]any{"nodeId": "gate", "interruptId": "i" + key, "kind": "approval", "key": key})
}

var (
	begins    = event("run.started", map[string]any{})
	completes = event("run.completed", map[string]any{})
)

const made = `POST /v1/runs {"workflowId":"w"} -> 201 {"runId":"r1"}` + "\n"

func TestRecordedForks(t *testing.T) {
	const fork = "POST /v1/runs/r1:fork "
	log := "\n" + read(t, "r1", logOf(begins, completes))
	forked := fork + `{"mode":"replay","fromSeq":1} -> 201 {"runId":"f1","sourceRunId":"r1","mode":"replay"}` + "\n"
	breach := func(run string, observed int) hosttest.Entries {
		return logFor(run, begins, event("cap.breached", map[string]any{"kind": "node-executions", "limit": 3, "observed": observed}),
			event("run.failed", map[string]any{"error": map[string]any{"code": "recursion_limit_exceeded", "message": "m"}}))
	}
	loop := func(run string, last int) hosttest.Entries {
		return logFor(run, begins, turn(1, map[string]any{"kind": "ask-user"}), turn(last, map[string]any{"kind": "terminate"}), completes)
	}
	wait := func(run string, keys ...string) hosttest.Entries {
		return logFor(run, begins, waits(keys[0]), waits(keys[1]), completes)
	}
	both := func(source, replay hosttest.Entries) string {
		return forked + read(t, "r1", source) + "\n" + read(t, "f1", replay)
	}
	for name, c := range map[string]telling{
		"a fork":                    {"", ended + forked + ended, "OWP-RPL-1 OWP-RPL-2", ""},
		"a fork of another run":     {"", strings.Replace(forked, `"sourceRunId":"r1"`, `"sourceRunId":"r2"`, 1), "", "OWP-RPL-1"},
		"a fork changes its source": {"", ended + forked + stopped, "", "OWP-CTL-3 OWP-ERR-28 OWP-RPL-2"},

		"from beyond is refused":          {"", ended + fork + `{"mode":"replay","fromSeq":9} -> 422 ` + no + log, "OWP-RPL-5", ""},
		"from beyond is forked":           {"", ended + fork + `{"mode":"replay","fromSeq":9} -> 201 {"runId":"f1","sourceRunId":"r1","mode":"replay"}` + log, "", "OWP-RPL-5"},
		"from behind what was read":       {"", ended + strings.TrimSpace(log) + "\n" + fork + `{"mode":"replay","fromSeq":9} -> 201 {"runId":"f1","sourceRunId":"r1","mode":"replay"}`, "", ""},
		"from below is refused":           {"", fork + `{"mode":"replay","fromSeq":-1} -> 400 ` + no, "OWP-RPL-6", ""},
		"from below is forked":            {"", fork + `{"mode":"replay","fromSeq":-1} -> 201 {"runId":"f1","sourceRunId":"r1","mode":"replay"}`, "", "OWP-RPL-6"},
		"a replay with options":           {"", fork + `{"mode":"replay","runOptionsOverlay":{"tags":["t"]}} -> 400 ` + no, "OWP-RPL-8", ""},
		"a replay with options is forked": {"", fork + `{"mode":"replay","runOptionsOverlay":{"tags":["t"]}} -> 201 {"runId":"f1","sourceRunId":"r1","mode":"replay"}`, "", "OWP-RPL-8"},
		"no mode is refused":              {"", fork + `{"fromSeq":0} -> 422 ` + no, "OWP-RPL-9", ""},
		"no mode is forked":               {"", fork + `{"fromSeq":0} -> 201 {"runId":"f1","sourceRunId":"r1"}`, "", "OWP-RPL-9"},
		"a mode of the host's own":        {"", fork + `{"mode":"x","fromSeq":0} -> 201 {"runId":"f1","sourceRunId":"r1","mode":"x"}`, "", ""},
		"a branch from nowhere":           {"", fork + `{"mode":"branch"} -> 400 ` + no, "OWP-RPL-13", ""},
		"a branch from nowhere is made":   {"", fork + `{"mode":"branch"} -> 201 {"runId":"f1","sourceRunId":"r1","mode":"branch"}`, "", "OWP-RPL-13"},
		"no forks":                        {"", fork + `{"mode":"branch"} -> 501 ` + no, "", ""},

		"a breach is carried over":      {"", both(breach("r1", 4), breach("f1", 4)), "OWP-BND-15", ""},
		"a breach is counted anew":      {"", both(breach("r1", 4), breach("f1", 5)), "", "OWP-BND-15"},
		"turns are replayed":            {"", both(loop("r1", 2), loop("f1", 2)), "OWP-0061-M1", ""},
		"turns are counted on":          {"", both(loop("r1", 2), loop("f1", 4)), "", "OWP-0061-M1"},
		"a replay that says it differs": {"", both(loop("r1", 2), put(loop("f1", 4), 0, "replay.diverged", map[string]any{})), "", ""},
		"keys are replayed":             {"", both(wait("r1", "r1:1", "r1:2"), wait("f1", "f1:1", "f1:2")), "OWP-INT-10", ""},
		"keys are drawn anew":           {"", both(wait("r1", "r1:1", "r1:2"), wait("f1", "f1:1", "f1:3")), "", "OWP-INT-10"},
		"a replay that is cancelled":    {"", both(loop("r1", 2), logFor("f1", begins, event("run.cancelled", map[string]any{}))), "", ""},
	} {
		c.check(t, name)
	}
}

func TestRecordedDiffs(t *testing.T) {
	const diff = "GET /v1/runs/r1:diff?against=r2 -> 200 "
	other := strings.ReplaceAll(strings.Replace(ended, "completed", "failed", 1), "r1", "r2")
	other = strings.Replace(other, `"failed"`, `"failed","error":{"code":"c","message":"m"}`, 1)
	logs := "\n" + read(t, "r1", logFor("r1", begins, completes)) + "\n" + read(t, "r2", logFor("r2", begins, failed("c")))
	const ends = `{"type":"run.completed","payload":{}},"bEvent":{"type":"run.failed","payload":{"error":{"code":"c","message":"m"}}}`
	told := func(seq, first int, event string) string {
		return diff + fmt.Sprintf(`{"a":"r1","b":"r2","divergedAtSeq":%d,"stateDiff":{"status":1},"eventDiffs":[{"seq":%d,"op":"changed","aEvent":%s}]}`,
			first, seq, event)
	}
	for name, c := range map[string]telling{
		"a diff":                  {"", ended + other + told(1, 1, ends) + logs, "OWP-CTL-30 OWP-CTL-32 OWP-CTL-33 OWP-CTL-34 OWP-CTL-36", ""},
		"a diff of others":        {"", diff + `{"a":"r1","b":"r3","eventDiffs":[]}`, "", "OWP-CTL-30"},
		"a diff at another place": {"", ended + other + told(0, 0, ends) + logs, "", "OWP-CTL-32"},
		"a diff of other events": {"", ended + other + told(1, 1, strings.Replace(ends, "run.failed", "run.cancelled", 1)) + logs, "",
			"OWP-CTL-33"},
		"a diff that begins elsewhere": {"", ended + other + told(1, 0, ends) + logs, "", "OWP-CTL-34"},
		"a diff of one state":          {"", ended + other + diff + `{"a":"r1","b":"r2","stateDiff":{},"eventDiffs":[]}`, "", "OWP-CTL-36"},
		"a diff of runs that go on":    {"", told(0, 0, ends) + logs, "OWP-CTL-30", ""},
		"a run and itself": {"", ended + `GET /v1/runs/r1:diff?against=r1 -> 200 {"a":"r1","b":"r1","divergedAtSeq":null,"stateDiff":{},"eventDiffs":[]}`,
			"OWP-CTL-30 OWP-CTL-31", ""},
		"a run that differs from itself": {"",
			ended + `GET /v1/runs/r1:diff?against=r1 -> 200 {"a":"r1","b":"r1","divergedAtSeq":0,"stateDiff":{},"eventDiffs":[{"seq":0}]}`,
			"", "OWP-CTL-31"},
		"a run that goes on and itself": {"",
			goes + `GET /v1/runs/r1:diff?against=r1 -> 200 {"a":"r1","b":"r1","divergedAtSeq":0,"stateDiff":{},"eventDiffs":[{"seq":0}]}`, "", ""},
	} {
		c.check(t, name)
	}
}

func TestRecordedKin(t *testing.T) {
	parent := logFor("r1", begins, turn(1, map[string]any{"kind": "next-worker", "nextWorkerIds": []string{"w"}}),
		event("core.workflowChain.event", map[string]any{"phase": "dispatch.began", "workerId": "w"}),
		event("core.workflowChain.event", map[string]any{"phase": "dispatch.succeeded", "workerId": "w", "childRunId": "c1"}),
		event("core.workflowChain.event", map[string]any{"phase": "child.completed", "workerId": "w", "childRunId": "c1"}))
	handed := made + read(t, "r1", parent) + "\n"
	const claim = `{"multiAgent":{"executionModel":{"supported":true,"version":3,"crossHostCausation":{"supported":true,"hostId":"h",` +
		`"ancestryEndpointSupported":true}}}}`
	unclaimed := strings.Replace(claim, `,"ancestryEndpointSupported":true`, "", 1)
	child := `GET /v1/runs/c1 -> 200 {"runId":"c1","workflowId":"w","status":"completed","parentRunId":"r1"}`
	kin := func(run, parent string) string {
		return "GET /v1/runs/" + run + `/ancestry -> 200 {"runId":"` + run + `","hostId":"h","parent":` + parent + `}`
	}
	const dispatched = `{"runId":"r1","hostId":"h","cause":"core.dispatch"}`
	for name, c := range map[string]telling{
		"a child":                       {"", handed + child, "OWP-DSP-12", ""},
		"a worker that is an agent":     {"", handed + strings.Replace(child, `"w"`, `"v"`, 1), "OWP-DSP-12", ""},
		"a child that ended otherwise":  {"", handed + strings.Replace(child, "completed", "cancelled", 1), "", "OWP-DSP-12"},
		"a child of another run":        {"", handed + strings.Replace(child, `"r1"`, `"r2"`, 1), "", "OWP-DSP-12"},
		"a child of what may be a fork": {"", read(t, "r1", parent) + "\n" + strings.Replace(child, `"r1"`, `"r2"`, 1), "", ""},
		"an ancestry": {claim, handed + kin("c1", dispatched) + "\n" + kin("r1", "null"),
			"OWP-CAU-1 OWP-CAU-2 OWP-CAU-3 OWP-CAU-4", ""},
		"an ancestry of another run":  {claim, strings.Replace(kin("r1", "null"), `"runId":"r1"`, `"runId":"r2"`, 1), "", "OWP-CAU-1"},
		"an ancestry on another host": {claim, strings.Replace(kin("r1", "null"), `"h"`, `"g"`, 1), "", "OWP-CAU-1"},
		"a parent of nobody's":        {claim, made + kin("r1", `{"runId":"r0","hostId":"h"}`), "", "OWP-CAU-2"},
		"a parent that was asked for": {claim, `POST /v1/runs {"workflowId":"w","parentRunId":"r0"} -> 201 {"runId":"r1","status":"running"}` + "\n" +
			kin("r1", `{"runId":"r0","hostId":"h"}`), "OWP-CAU-1", ""},
		"a parent on another host": {claim, made + kin("r1", `{"runId":"r0","hostId":"g"}`), "OWP-CAU-1", ""},
		"another parent":           {claim, handed + kin("c1", strings.Replace(dispatched, "r1", "r2", 1)), "", "OWP-CAU-3"},
		"another cause": {claim, handed + kin("c1", strings.Replace(dispatched, "core.dispatch", "a2a-message", 1)),
			"", "OWP-CAU-4"},
		"no ancestry":                    {unclaimed, "GET /v1/runs/r1/ancestry -> 404 " + no, "OWP-CAU-8", ""},
		"an ancestry that nobody claims": {unclaimed, kin("r1", "null"), "", "OWP-CAU-8"},
	} {
		c.check(t, name)
	}
}

func TestRecordedAnswers(t *testing.T) {
	const at, said = "POST /v1/runs/r1/interrupts/gate ", `{"resumeValue":{"action":"accept"}} -> `
	answered := at + said + `200 {"runId":"r1","nodeId":"gate","status":"running"}` + "\n"
	asked := event("interrupt.requested", map[string]any{"nodeId": "gate", "data": map[string]any{"actions": []string{"accept", "reject"}}})
	log := read(t, "r1", logOf(begins, waits("k"), asked, event("interrupt.resolved", map[string]any{"nodeId": "gate"}), completes)) + "\n"
	const use, look = "POST /v1/interrupts/t " + said, "GET /v1/interrupts/t -> 200 "
	waiting := `GET /v1/runs/r1 -> 200 {"runId":"r1","workflowId":"w","status":"waiting-approval","currentNodeId":"gate"}` + "\n"
	for name, c := range map[string]telling{
		"a second answer":                              {"", answered + ended + at + said + "409 " + no, "OWP-INT-2", ""},
		"a second answer is taken":                     {"", answered + ended + answered, "", "OWP-INT-2"},
		"a second answer, perhaps to another question": {"", answered + answered, "", ""},
		"an answer to what is cancelled":               {"", stopped + at + said + "410 " + no, "OWP-INT-46", ""},
		"what is cancelled is answered":                {"", stopped + answered, "", "OWP-INT-46"},
		"an answer to what was cancelled later":        {"", answered + stopped, "", ""},
		"an answer at no node":                         {"", log + strings.Replace(at, "gate", "x", 1) + said + "404 " + no, "OWP-INT-14", ""},
		"an answer at no node is taken":                {"", log + strings.Replace(answered, "gate", "x", 1), "", "OWP-INT-14"},
		"an answer at a node that nobody knows":        {"", strings.Replace(answered, "gate", "x", 1), "", ""},
		"an action that is not offered": {"", log + at + strings.Replace(said, "accept", "burn", 1) + "422 " + no,
			"OWP-INT-20", ""},
		"an action that is not offered is taken": {"", log + strings.Replace(answered, "accept", "burn", 1), "", "OWP-INT-20"},
		"an action that is offered":              {"", log + answered, "", ""},

		"a token":                      {"", look + `{"kind":"approval","key":"k","expiresAt":"2026-11-01T00:00:00Z"}`, "OWP-INT-36", ""},
		"a token without a key":        {"", look + `{"kind":"approval","expiresAt":"2026-11-01T00:00:00Z"}`, "", "OWP-INT-36"},
		"a token that is spent":        {"", use + `200 {"runId":"r1"}` + "\n" + ended + use + "410 " + no, "OWP-INT-38", ""},
		"a token that is used twice":   {"", use + `200 {"runId":"r1"}` + "\n" + ended + use + `200 {"runId":"r1"}`, "", "OWP-INT-38"},
		"a token that was used to ask": {"", use + `200 {"runId":"r1"}` + "\n" + use + `200 {"runId":"r1"}`, "", ""},

		"where it waits":                     {"", waiting + log, "OWP-INT-7", ""},
		"where it does not wait":             {"", strings.Replace(waiting, "gate", "x", 1) + log, "", "OWP-INT-7"},
		"where a run waits that nobody read": {"", strings.Replace(waiting, "gate", "x", 1), "", ""},
	} {
		c.check(t, name)
	}
}

func TestRecordedBounds(t *testing.T) {
	const run = `POST /v1/runs {"workflowId":"w","configurable":{"recursionLimit":5,"runTimeoutMs":900,"maxLoopIterations":7}} -> 201 {"runId":"r1"}` + "\n"
	shown := func(limit int) string {
		return fmt.Sprintf(`GET /v1/runs/r1 -> 200 {"runId":"r1","workflowId":"w","status":"running","configurable":{"recursionLimit":%d}}`+"\n", limit)
	}
	log := func(kind string) string {
		events := []hosttest.Event{begins, turn(1, map[string]any{"kind": "terminate"}), completes}
		if kind != "" {
			events = append(events[:2:2], event("cap.breached", map[string]any{"kind": kind, "limit": 1, "observed": 2}), completes)
		}
		return read(t, "r1", logOf(events...))
	}
	for name, c := range map[string]telling{
		"options are kept":        {"", run + shown(5), "OWP-BND-23", ""},
		"other options":           {"", run + shown(6), "", "OWP-BND-23"},
		"options that change":     {"", shown(5) + shown(6), "", "OWP-BND-23"},
		"options over a limit":    {`{"limits":{"maxNodeExecutions":3}}`, run + shown(3), "", ""},
		"a run is left alone":     {"", run + log(""), "OWP-BND-4 OWP-BND-9 OWP-0061-E6", ""},
		"a run that had no bound": {"", made + log(""), "", ""},
	} {
		c.check(t, name)
	}
	for kind, id := range map[string]string{"node-executions": "OWP-BND-4", "run-duration": "OWP-BND-9", "loop-iterations": "OWP-0061-E6"} {
		if _, violated := told(t, "", run+log(kind)); !strings.Contains(strings.Join(violated, " "), id) {
			t.Errorf("a breach of %s in a run that completed: violated are %v", kind, violated)
		}
	}
}
