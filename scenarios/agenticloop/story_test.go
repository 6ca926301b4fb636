package agenticloop

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// told is a turn as a test tells it.
type told struct {
	name   string
	before object // the runs
	answer any    // a text is printed as it stands
	exit   int
	ended  string
	errors string
	left   []string
	litter []string
}

// turn mints the turn as if an agent had answered so.
func (s told) turn(t *testing.T) Turn {
	t.Helper()
	printed, raw := s.answer.(string)
	if !raw {
		printed = encode(t, s.answer)
	}
	p := &wire.Spawned{Output: printed, OutputBytes: int64(len(printed)), Errors: s.errors, Survivors: s.left, Litter: s.litter, Ended: s.ended}
	if s.ended == "" {
		p.Exit = &s.exit
	}
	if !json.Valid([]byte(printed)) {
		p.Unread = "it is no JSON document"
	}
	transcript := &wire.Transcript{Drive: "hand-written", Entries: []wire.Entry{{Kind: "process", Process: p}}}
	part := func(name string) wire.Value { return wiretest.At(t, transcript, wire.Ref{Exchange: 1, Part: name}) }
	before := object{}
	if s.before != nil {
		before["runs"] = s.before
	}
	return Turn{
		Name: s.name, About: []string{"R"}, Before: json.RawMessage(encode(t, before)), TimedOut: s.ended != "", Exit: part("exit"), Output: part("output"), Bytes: part("bytes"), Errors: part("stderr"),
		Survivors: part("survivors"), Litter: part("litter"), Answer: wiretest.At(t, transcript, wire.Ref{Exchange: 1}),
	}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// running is a run that waits for a step.
func running(step int, tool string) object {
	return object{"status": "running", "goal": "g", "created_at": "2026-02-16T12:00:00Z", "updated_at": "2026-02-16T12:00:00Z", "step": step, "max_steps": 20, "reframes": 0,
		"max_reframes": 2, "attempt": 1, "pending_step": step, "pending_tool": tool}
}

// over is a run that has ended.
func over(status string, step int) object {
	r := running(step, "")
	maps.Copy(r, object{"status": status, "pending_step": nil, "pending_tool": nil})
	return r
}

// request is the event of a run that asks for a step.
func request(run string, step int, tool string) object {
	return object{"type": "agentic.tool_request." + tool, "dedupe_key": fmt.Sprintf("agentic:run:%s:step:%d:request", run, step),
		"payload": object{"run_id": run, "step": step, "tool": tool, "tool_command": "handle", "requested_at": "2026-02-16T12:00:00Z", "tool_payload": object{"url": "u"}}}
}

func completion(run string, steps int) object {
	return object{"type": completed, "payload": object{"run_id": run, "goal": "g", "outcome": "o", "steps_taken": steps, "artifacts": []any{}}}
}

func escalation(run, reason string) object {
	return object{"type": escalated, "payload": object{"run_id": run, "reason": reason}}
}

// ok is a response that went well: with these runs, nil for no change, and these events.
func ok(runs object, events ...object) object {
	out := object{"status": "ok", "result": "done", "events": events, "logs": []any{}}
	if events == nil {
		out["events"] = []any{}
	}
	if runs != nil {
		out["state_updates"] = object{"runs": runs, "last_run_id": "R"}
	}
	return out
}

func logged(answer object, level string) object {
	answer["logs"] = []any{object{"level": level, "message": "m"}}
	return answer
}

func refusal(retry any) object { return object{"status": "error", "error": "no", "retry": retry} }

// The parts of an honest story of one run R that waits for step 1 of fetch.
var (
	runR   = object{"R": running(1, "fetch")}
	runR2  = object{"R": running(2, "fabric")}
	startR = told{name: "the start", answer: ok(runR, request("R", 1, "fetch"))}
	gaveUp = ok(object{"R": over("escalated", 1)}, escalation("R", "step_mismatch"))
)

// handed is a turn that was handed run R and answered so.
func handed(t *testing.T, name string, answer any) Turn {
	t.Helper()
	return told{name: name, before: runR, answer: answer}.turn(t)
}

func scenarioOf(t *testing.T, name string) scenarios.Scenario {
	t.Helper()
	for _, suite := range Suites() {
		for _, s := range suite.Scenarios {
			if s.ID == scenarios.ScenarioID("agenticloop/"+name) {
				return s
			}
		}
	}
	t.Fatalf("no scenario %s", name)
	return scenarios.Scenario{}
}

// expect judges and compares: want is passed, blocked, or the id of the requirement whose violation is reported first.
func expect(t *testing.T, name string, observation any, want string) scenarios.Outcome {
	t.Helper()
	out := scenarios.Conclude(scenarioOf(t, name), Protocol.Ledger, observation)
	got := string(out.Verdict)
	if out.Failure != nil {
		got = string(out.Failure.Requirement)
	}
	if got != want {
		t.Errorf("%s: %s (%s), want %s", name, got, out.Reason, want)
	}
	return out
}
