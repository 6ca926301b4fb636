// Package hosttest tells turns and observations by hand, for tests of judges.
package hosttest

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// Told is a turn as a test tells it.
type Told struct {
	Name   string
	Before host.Object // the runs
	Answer any         // the response, or a text to print as it is
	Exit   int
	Ended  string
	Errors string
	Left   []string
	Litter []string
}

// Turn mints the turn as if a plugin had answered like this.
func (s Told) Turn(t *testing.T) host.Turn {
	t.Helper()
	printed, raw := s.Answer.(string)
	if !raw {
		printed = encode(t, s.Answer)
	}
	p := &wire.Spawned{Output: printed, OutputBytes: int64(len(printed)), Errors: s.Errors, Survivors: s.Left,
		Litter: s.Litter, Ended: s.Ended}
	if s.Ended == "" {
		p.Exit = &s.Exit
	}
	if !json.Valid([]byte(printed)) {
		p.Unread = "it is no JSON document"
	}
	transcript := &wire.Transcript{Drive: "hand-written", Entries: []wire.Entry{{Kind: "process", Process: p}}}
	part := func(name string) wire.Value { return wiretest.At(t, transcript, wire.Ref{Exchange: 1, Part: name}) }
	before := host.Object{}
	if s.Before != nil {
		before["runs"] = s.Before
	}
	state, err := host.NewState(before)
	if err != nil {
		t.Fatal(err)
	}
	return host.Turn{
		Name: s.Name, About: []string{"R"}, Before: state, TimedOut: s.Ended != "",
		Exit: part("exit"), Output: part("output"), Bytes: part("bytes"), Errors: part("stderr"),
		Survivors: part("survivors"), Litter: part("litter"), Answer: wiretest.At(t, transcript, wire.Ref{Exchange: 1}),
	}
}

// Turn mints the turn of a plugin that was handed these runs and answered like this.
func Turn(t *testing.T, name string, before host.Object, answer any) host.Turn {
	t.Helper()
	return Told{Name: name, Before: before, Answer: answer}.Turn(t)
}

func encode(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// Running makes a run that waits for a step.
func Running(step int, tool string) host.Object {
	return host.Object{"status": "running", "goal": "g", "created_at": "2026-02-16T12:00:00Z",
		"updated_at": "2026-02-16T12:00:00Z", "step": step, "max_steps": 20, "reframes": 0,
		"max_reframes": 2, "attempt": 1, "pending_step": step, "pending_tool": tool}
}

// Over makes a run that has ended.
func Over(status string, step int) host.Object {
	r := Running(step, "")
	maps.Copy(r, host.Object{"status": status, "pending_step": nil, "pending_tool": nil})
	return r
}

// Request makes the event of a run that asks for a step.
func Request(run string, step int, tool string) host.Object {
	return host.Object{"type": "agentic.tool_request." + tool,
		"dedupe_key": fmt.Sprintf("agentic:run:%s:step:%d:request", run, step),
		"payload": host.Object{"run_id": run, "step": step, "tool": tool, "tool_command": "handle",
			"requested_at": "2026-02-16T12:00:00Z", "tool_payload": host.Object{"url": "u"}}}
}

// Completion makes the event of a run that is done.
func Completion(run string, steps int) host.Object {
	return host.Object{"type": host.Completed,
		"payload": host.Object{"run_id": run, "goal": "g", "outcome": "o", "steps_taken": steps, "artifacts": []any{}}}
}

// Escalation makes the event of a run that gives up.
func Escalation(run, reason string) host.Object {
	return host.Object{"type": host.Escalated, "payload": host.Object{"run_id": run, "reason": reason}}
}

// Ok makes a response with status ok, with these runs (nil changes none) and these events.
func Ok(runs host.Object, events ...host.Object) host.Object {
	out := host.Object{"status": "ok", "result": "done", "events": events, "logs": []any{}}
	if events == nil {
		out["events"] = []any{}
	}
	if runs != nil {
		out["state_updates"] = host.Object{"runs": runs, "last_run_id": "R"}
	}
	return out
}

// Logged adds a log of this level to a response.
func Logged(answer host.Object, level string) host.Object {
	answer["logs"] = []any{host.Object{"level": level, "message": "m"}}
	return answer
}

// Refusal makes a response with status error.
func Refusal(retry any) host.Object {
	return host.Object{"status": "error", "error": "no", "retry": retry}
}

// An honest story of a run R that waits for step 1 of fetch.
var (
	RunR   = host.Object{"R": Running(1, "fetch")}
	RunR2  = host.Object{"R": Running(2, "fabric")}
	StartR = Told{Name: "the start", Answer: Ok(RunR, Request("R", 1, "fetch"))}
	GaveUp = Ok(host.Object{"R": Over("escalated", 1)}, Escalation("R", "step_mismatch"))
)

// Handed mints a turn that was handed run R and answered like this.
func Handed(t *testing.T, name string, answer any) host.Turn {
	t.Helper()
	return Turn(t, name, RunR, answer)
}

func scenarioOf(t *testing.T, name string) scenarios.Scenario {
	t.Helper()
	for _, suite := range agenticloop.Suites() {
		for _, s := range suite.Scenarios {
			if s.ID == scenarios.ScenarioID("agenticloop/"+name) {
				return s
			}
		}
	}
	t.Fatalf("no scenario %s", name)
	return scenarios.Scenario{}
}

// Violates is what [Expect] wants of a scenario that a step of the setup blocks, which violates a requirement.
func Violates(requirement scenarios.RequirementID) string {
	return "blocked, violating " + string(requirement)
}

// Expect judges an observation. want is passed, blocked, [Violates], or the id of the requirement whose violation is
// reported first.
func Expect(t *testing.T, name string, observation any, want string) scenarios.Outcome {
	t.Helper()
	out := scenarios.Conclude(scenarioOf(t, name), agenticloop.Protocol.Ledger, observation)
	got := string(out.Verdict)
	switch {
	case out.Failure != nil:
		got = string(out.Failure.Requirement)
	case out.BlockedOn != "":
		got = Violates(out.BlockedOn)
	}
	if got != want {
		t.Errorf("%s: %s (%s), want %s", name, got, out.Reason, want)
	}
	return out
}
