package agent_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

const mebibyte = 1 << 20

// size is the state as the gateway keeps it.
func (s *story) size() int {
	s.t.Helper()
	raw, err := json.Marshal(s.state)
	if err != nil {
		s.t.Fatalf("%v", err)
	}
	return len(raw)
}

func TestALargeResultStaysOutOfTheState(t *testing.T) {
	for name, content := range map[string]any{
		"as text":          strings.Repeat("marker", 11_000),
		"in an object":     object{"content": strings.Repeat("marker", 11_000), "artifact_path": "artifacts/page.html"},
		"in other members": object{"pages": []string{strings.Repeat("marker", 11_000)}},
	} {
		for _, workspace := range []string{"", t.TempDir()} {
			s, run := at2(t)
			s.workspace = workspace
			before := s.size()
			a := s.send(result(run, 2, "fabric", "ok", object{"result": content}))
			s.asked(a)
			if grown := s.size() - before; grown > 1024 || strings.Contains(fmt.Sprint(s.state), "marker") {
				t.Errorf("%s: the state grew by %d bytes", name, grown)
			}
			if !strings.Contains(string(a.Events[0].Payload), "marker") || len(a.raw) > 64<<10 {
				t.Errorf("%s: the next request has no excerpt, or too long a one: %d bytes", name, len(a.raw))
			}
		}
	}
}

func TestAHugeResult(t *testing.T) {
	s, run := at2(t)
	s.workspace = t.TempDir()
	a := s.send(result(run, 2, "fabric", "ok", object{"result": object{"text": strings.Repeat("éx", 7*mebibyte)}}))
	if s.asked(a); len(a.raw) > 200<<10 || !strings.Contains(string(a.raw), `"artifact_path":"artifacts/step-02-fabric.txt"`) {
		t.Errorf("%d bytes, beginning %.600s", len(a.raw), a.raw)
	}
	s.refused(s.sendRaw([]byte(strings.Repeat(" ", 65*mebibyte))), "64 MiB")
}

func TestOtherRunsStayAsTheyAre(t *testing.T) {
	s := newStory(t, scripted("fetch", "fabric", done))
	odd := object{"status": "done", "of_another_agent": object{"deep": []any{1.5, "x"}}, "updated_at": "2020-02-02T02:02:02.020Z"}
	s.state = object{"runs": object{"old": odd}, "beside": 7}
	first := s.asked(s.send(start("k1", "g"))).RunID
	second := s.asked(s.send(start("k2", "h"))).RunID
	s.edit(first, object{"mark": "kept"})
	before := fmt.Sprint(s.state["runs"].(object)[second])
	s.asked(s.send(result(first, 1, "fetch", "ok")))
	runs := s.state["runs"].(object)
	if fmt.Sprint(runs[second]) != before || !reflect.DeepEqual(runs["old"], odd) || s.state["beside"] != 7 {
		t.Errorf("the state is %v", s.state)
	}
	if runs[first].(object)["mark"] != "kept" || s.state["last_run_id"] != second {
		t.Errorf("the run is %v, the last one %v", runs[first], s.state["last_run_id"])
	}
}

// When there is no more room, runs that have ended shrink, the oldest first; what is left of them still says so.
func TestEndedRunsMakeRoom(t *testing.T) {
	s := newStory(t, scripted("fetch", done))
	runs := object{}
	for i := range 300 {
		runs[fmt.Sprintf("old-%03d", i)] = object{"status": "done", "goal": strings.Repeat("<", 700),
			"updated_at": fmt.Sprintf("2026-01-01T00:%02d:%02dZ", i/60, i%60)}
	}
	runs["alive"] = object{"status": "running", "goal": strings.Repeat("x", 4096), "step": 1, "pending_step": 1, "pending_tool": "fetch"}
	s.state = object{"runs": runs, "beside": strings.Repeat("y", 4096)}
	if s.size() < mebibyte {
		t.Fatalf("only %d bytes", s.size())
	}
	run := s.asked(s.send(start("k", "g"))).RunID
	after := s.state["runs"].(object)
	if s.size() >= mebibyte || len(after) != 302 || fmt.Sprint(after["alive"]) != fmt.Sprint(runs["alive"]) ||
		after["old-299"].(object)["goal"] == nil {
		t.Fatalf("%d bytes, %d runs", s.size(), len(after))
	}
	if old := after["old-000"].(object); len(old) != 2 || old["status"] != "done" {
		t.Errorf("the oldest is %v", old)
	}
	s.silent(s.send(result("old-000", 1, "fetch", "ok")))
	s.completed(s.send(result(run, 1, "fetch", "ok")))

	// In the end stubs go as well, and where that is not enough the turn is refused.
	s = newStory(t, scripted("fetch", done))
	runs = object{}
	for i := range 40_000 {
		runs[fmt.Sprintf("old-%05d", i)] = object{"status": "escalated"}
	}
	s.state = object{"runs": runs}
	s.asked(s.send(start("k", "g")))
	if after := s.state["runs"].(object); s.size() >= mebibyte || len(after) > 40_000 || len(after) < 20_000 {
		t.Errorf("%d bytes, %d runs", s.size(), len(after))
	}
	s.refused(s.send(start("k2", "g"), object{"state": object{"beside": strings.Repeat("y", mebibyte)}}), "state")
}

func TestALongContextStaysOutOfTheState(t *testing.T) {
	s := newStory(t, scripted("fetch", done))
	p := s.asked(s.send(object{"type": "agentic.start", "dedupe_key": "k", "payload": object{"goal": "g",
		"context": object{"notes": strings.Repeat("x", 8<<10)}}}))
	if s.size() > 2<<10 {
		t.Errorf("the state has %d bytes", s.size())
	}
	s.completed(s.send(result(p.RunID, 1, "fetch", "ok")))
}

func TestNothingOfTheSettingsComesOut(t *testing.T) {
	const canary = "c4n4ry"
	s := newStory(t, with(scripted("fetch", done), object{"api_key": canary, "other": canary, "base_url": "http://" + canary}))
	s.more = object{"secrets": object{"token": canary}}
	s.workspace = t.TempDir()
	s.state = object{"runs": object{"another": object{"status": "running", "goal": canary}}}
	a := s.send(start("k", "g"))
	run := s.asked(a).RunID
	for _, a := range []answer{
		a, s.send(result(run, 1, "fetch", "ok")), s.send(result("nobody", 1, "fetch", "ok")), s.send(object{"type": "x"}),
		s.send(start("k2", "g"), object{"config": object{"max_steps": canary}}), s.send(start("k3", "g"),
			object{"config": object{"planner": canary}}),
		s.send(start("k4", "g"), object{"config": object{"base_url": canary, "allowed_plugins": []string{"fetch"}}}),
	} {
		told := a.Response
		told.StateUpdates = nil // which rightly has the other run
		raw, err := json.Marshal(told)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), canary) {
			t.Errorf("told: %s", raw)
		}
	}
	if strings.Count(fmt.Sprint(s.state), canary) != 1 {
		t.Errorf("kept: %v", s.state)
	}
}

// A long run stays small, and knows how long it is.
func TestALongRun(t *testing.T) {
	const steps = 200
	s := newStory(t, with(object{"allowed_plugins": []string{"fetch"}}, object{"max_steps": steps}))
	run := s.asked(s.send(start("k", "g"))).RunID
	more := object{"result": object{"next_tool": "fetch", "found": strings.Repeat("x", 400)}}
	for step := 1; step < steps; step++ {
		s.asked(s.send(result(run, step, "fetch", "ok", more)))
	}
	if size := s.size(); size > 32<<10 {
		t.Errorf("the state has %d bytes", size)
	}
	if got := s.completed(s.send(result(run, steps, "fetch", "ok", object{"result": object{"done": true}}))); got.StepsTaken != steps {
		t.Errorf("steps_taken %d", got.StepsTaken)
	}
}

// A run in the words of the text alone, as another agent would leave it, goes on.
func TestARunOfAnotherAgent(t *testing.T) {
	s := newStory(t, scripted("fetch", "fabric", "fetch", done))
	s.state = object{"runs": object{"R1": object{"status": "running", "goal": "g", "created_at": "2026-02-16T11:00:00+00:00",
		"step": 2, "max_steps": 6, "reframes": 0,
		"max_reframes": 2, "pending_step": 2, "pending_tool": "fabric", "pending_since": "2026-02-16T11:00:00Z",
		"completed_steps": []int{1}}}, "last_run_id": "R1"}
	if p := s.asked(s.send(result("R1", 2, "fabric", "error"))); p.Step != 2 || string(p.ToolPayload) != "{}" {
		t.Errorf("asked for %+v", p)
	}
	if p := s.asked(s.send(result("R1", 2, "fabric", "ok"))); p.Step != 3 || p.Tool != "fetch" {
		t.Errorf("asked for %+v", p)
	}
	if got := s.completed(s.send(result("R1", 3, "fetch", "ok"))); got.StepsTaken != 3 {
		t.Errorf("completed: %+v", got)
	}
}
