package agent_test

import (
	"encoding/json"
	"fmt"
	"testing"

	al "github.com/openassay/assay/gen/agenticloopv2"
)

// at2 is a run that waits for step 2 of fabric.
func at2(t *testing.T) (s *story, run string) {
	t.Helper()
	s = newStory(t, scripted("fetch", "fabric", "fetch", done))
	run = s.asked(s.send(start("k", "g"))).RunID
	if p := s.asked(s.send(result(run, 1, "fetch", "ok"))); p.Step != 2 || p.Tool != "fabric" {
		t.Fatalf("asked for step %d of %s", p.Step, p.Tool)
	}
	return s, run
}

// The order of the text's rules: unknown run, ended run, step, tool, status.
func TestWhatBecomesOfAResult(t *testing.T) {
	for name, c := range map[string]struct {
		run    string // the run's own unless given
		step   any
		tool   string
		status string
		edit   object
		want   string // asks, silent, a reason, or refused: and a word of that
		logs   string
	}{
		"a match":                    {step: 2, tool: "fabric", want: "asks"},
		"an unknown run":             {run: "nobody", step: 2, tool: "fabric", want: "silent", logs: "warn"},
		"an unknown run that fails":  {run: "nobody", step: 9, tool: "x", status: "error", want: "silent", logs: "warn"},
		"done":                       {step: 2, tool: "fabric", edit: object{"status": "done"}, want: "silent", logs: "info"},
		"done, a later step":         {step: 9, tool: "fabric", edit: object{"status": "done"}, want: "silent", logs: "info"},
		"escalated, another tool":    {step: 2, tool: "fetch", edit: object{"status": "escalated"}, want: "silent", logs: "info"},
		"the same again":             {step: 1, tool: "fetch", want: "silent", logs: "info"},
		"stale":                      {step: 2, tool: "fabric", edit: object{"pending_step": 5, "step": 5}, want: "silent", logs: "info"},
		"stale, another tool":        {step: 1, tool: "fabric", want: "silent", logs: "info"},
		"stale, failed":              {step: 1, tool: "fetch", status: "error", want: "silent", logs: "info"},
		"a later step":               {step: 3, tool: "fabric", want: "step_mismatch", logs: "warn"},
		"a later step, another tool": {step: 3, tool: "fetch", want: "step_mismatch", logs: "warn"},
		"another tool":               {step: 2, tool: "fetch", want: "pending_tool_mismatch", logs: "warn"},
		"another tool, failed":       {step: 2, tool: "fetch", status: "error", want: "pending_tool_mismatch", logs: "warn"},
		"a failure":                  {step: 2, tool: "fabric", status: "error", want: "asks"},
		"nothing is pending, null": {step: 2, tool: "fabric", edit: object{"pending_step": nil, "pending_tool": nil},
			want: "silent", logs: "info"},
		"nothing is pending, empty": {step: 3, tool: "fabric", edit: object{"pending_step": "", "pending_tool": 0},
			want: "step_mismatch", logs: "warn"},
		"the largest step":             {step: int64(1<<53 - 1), tool: "fabric", want: "step_mismatch", logs: "warn"},
		"no run":                       {run: "-", step: 2, tool: "fabric", want: "run_id"},
		"no tool":                      {step: 2, tool: "-", want: "tool"},
		"no step":                      {step: "-", tool: "fabric", want: "step"},
		"step 0":                       {step: 0, tool: "fabric", want: "step"},
		"step -1":                      {step: -1, tool: "fabric", want: "step"},
		"a step in words":              {step: "2", tool: "fabric", want: "step"},
		"a step with a fraction":       {step: 2.5, tool: "fabric", want: "step"},
		"a step that is true":          {step: true, tool: "fabric", want: "step"},
		"a step beyond all numbers":    {step: json.RawMessage("1e30"), tool: "fabric", want: "step"},
		"a step that is a whole float": {step: json.RawMessage("2.0"), tool: "fabric", want: "step"},
		"a step that no reader keeps":  {step: int64(1 << 53), tool: "fabric", want: "step"},
		"no status":                    {step: 2, tool: "fabric", status: "-", want: "status"},
		"another status":               {step: 2, tool: "fabric", status: "OK", want: "status"},
		"unknown, no status":           {run: "nobody", step: 2, tool: "fabric", status: "-", want: "silent", logs: "warn"},
		"done, another status": {step: 2, tool: "fabric", status: "partial", edit: object{"status": "done"},
			want: "silent", logs: "info"},
		"stale, another status":          {step: 1, tool: "fetch", status: "partial", want: "silent", logs: "info"},
		"another tool, another status":   {step: 2, tool: "fetch", status: "partial", want: "pending_tool_mismatch", logs: "warn"},
		"names that differ in case only": {step: "-", tool: "fabric", edit: nil, want: "step"},
	} {
		t.Run(name, func(t *testing.T) {
			s, run := at2(t)
			if c.edit != nil {
				s.edit(run, c.edit)
			}
			if c.run == "" {
				c.run = run
			}
			if c.status == "" {
				c.status = "ok"
			}
			event := result(c.run, c.step, c.tool, c.status)
			payload := event["payload"].(object)
			for name, value := range payload {
				if value == "-" {
					delete(payload, name)
					payload[string(name[0]-32)+name[1:]] = 2
				}
			}
			before := fmt.Sprint(s.state)
			a := s.send(event)
			switch c.want {
			case "asks":
				s.asked(a)
			case "silent":
				s.silent(a)
			case "step_mismatch", "pending_tool_mismatch":
				s.escalated(a, c.want)
			default:
				s.refused(a, c.want)
			}
			if a.StateUpdates == nil && fmt.Sprint(s.state) != before {
				t.Error("the state changed")
			}
			if got := levels(a); got != c.logs {
				t.Errorf("logs %q, want %q", got, c.logs)
			}
		})
	}
}

func TestAResultNeedsNoContent(t *testing.T) {
	for name, content := range map[string]any{"null": nil, "text": "found", "a number": 7, "a list": []int{1}, "nothing": "-"} {
		t.Run(name, func(t *testing.T) {
			s, run := at2(t)
			event := result(run, 2, "fabric", "ok", object{"result": content})
			if content == "-" {
				delete(event["payload"].(object), "result")
			}
			if p := s.asked(s.send(event)); p.Step != 3 {
				t.Errorf("step %d", p.Step)
			}
		})
	}
}

func TestFailuresAreRetriedAndThenGivenUp(t *testing.T) {
	s := newStory(t, with(scripted("fetch", "fabric", done), object{"max_retries": 2}))
	first := s.send(start("k", "g"))
	run := s.asked(first).RunID
	failure := result(run, 1, "fetch", "error", object{"result": nil, "error": "no network"})
	for attempt := int64(2); attempt <= 3; attempt++ {
		a := s.send(failure)
		p := s.asked(a)
		if p.Step != 1 || p.Tool != "fetch" || s.run(run).Attempt != attempt || a.Events[0].DedupeKey != first.Events[0].DedupeKey ||
			string(p.ToolPayload) != `{"q":"fetch"}` || !p.RequestedAt.Equal(s.at) {
			t.Errorf("try %d: %s", attempt, a.raw)
		}
	}
	s.escalated(s.send(failure), "tool_error")
	s.silent(s.send(failure))
}

func TestARetryThatSucceedsGoesOn(t *testing.T) {
	s := newStory(t, with(scripted("fetch", "fabric", done), object{"attempt_in_key": true}))
	run := s.asked(s.send(start("k", "g"))).RunID
	a := s.send(result(run, 1, "fetch", "error"))
	if want := "agentic:run:" + run + ":step:1:request:attempt:2"; a.Events[0].DedupeKey != want {
		t.Errorf("key %q, want %q", a.Events[0].DedupeKey, want)
	}
	p := s.asked(s.send(result(run, 1, "fetch", "ok")))
	if r := s.run(run); p.Step != 2 || r.Attempt != 1 || len(r.CompletedSteps) != 1 {
		t.Errorf("the run is %+v", r)
	}
	if got := s.completed(s.send(result(run, 2, "fabric", "ok"))); got.StepsTaken != 2 || got.Goal != "g" || got.Outcome != "all found" {
		t.Errorf("completed: %+v", got)
	}
}

func TestARetryOfAToolThatIsNoLongerAllowed(t *testing.T) {
	s, run := at2(t)
	s.config = with(s.config, object{"allowed_plugins": []string{"fetch"}})
	s.escalated(s.send(result(run, 2, "fabric", "error")), "followup_tool_not_allowed")
}

// What was lost on its way is asked for again, as it was, where the operator wants that.
func TestReemission(t *testing.T) {
	s, run := at2(t)
	again := []object{result(run, 1, "fetch", "ok"), start("k", "g")}
	for _, event := range again {
		s.silent(s.send(event))
	}
	s.config = with(s.config, object{"reemit": true})
	pending := s.run(run)
	for _, event := range again {
		a := s.send(event)
		p := s.asked(a)
		if p.Step != 2 || a.StateUpdates != nil || p.RequestedAt.Format("2006-01-02T15:04:05Z07:00") != pending.PendingSince {
			t.Errorf("asked again: %s", a.raw)
		}
	}
	s.silent(s.send(result(run, 7, "fetch", "ok"), object{"state": object{"runs": object{run: object{"status": "done"}}}}))
	// What may not be had any more is not asked for again, though it is pending.
	s.config = with(s.config, object{"allowed_plugins": []string{"fetch"}})
	s.silent(s.send(again[0]))
	s.config = with(s.config, object{"allowed_plugins": []string{"fetch", "fabric"}})
	// What has changed on its way is not what is pending.
	s.edit(run, object{"pending_tool": "fetch"})
	s.silent(s.send(again[0]))
}

func TestAToolsOwnEvent(t *testing.T) {
	correlated := func(run string) object {
		return object{"context": object{"run_id": run, "step": 2, "tool": "fabric", "url": "http://of.an.earlier.step"}}
	}
	for name, c := range map[string]struct {
		payload object
		attempt int64 // of the run behind it
		step    int64
	}{
		"content":             {object{"content": "found", "run_id": "spoofed", "step": 9, "tool": "x"}, 1, 3},
		"a status of its own": {object{"text": "found", "status": 200}, 1, 3},
		"a failure":           {object{"status": "error"}, 2, 2},
		"an error":            {object{"error": "no network"}, 2, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s, run := at2(t)
			p := s.asked(s.send(object{"type": "content_ready", "payload": c.payload}, correlated(run)))
			if p.Step != c.step || s.run(run).Attempt != c.attempt || p.RunID != run {
				t.Errorf("step %d, attempt %d", p.Step, s.run(run).Attempt)
			}
		})
	}
	s, run := at2(t)
	for name, context := range map[string]object{
		"no context": nil,
		"no run":     {"step": 2, "tool": "fabric"},
		"no step":    {"run_id": run, "tool": "fabric"},
		"no tool":    {"run_id": run, "step": 2},
	} {
		s.t = t
		a := s.send(object{"type": "content_ready", "payload": object{"content": name}}, object{"context": context})
		s.refused(a, "content_ready")
	}
	for _, ours := range []string{"agent.completed", "agentic.tool_request.fabric", "agentic.stop"} {
		s.refused(s.send(object{"type": ours, "payload": object{}}, correlated(run)), ours)
	}
	s.refused(s.send(object{"type": "content_ready", "payload": object{}}, object{"context": object{"run_id": run, "step": "2",
		"tool": "fabric"}}), "context.step")
}

func TestAStateThatCannotBeRead(t *testing.T) {
	s, run := at2(t)
	for name, state := range map[string]any{
		"runs is a list":  object{"runs": []int{}},
		"the run is text": object{"runs": object{run: "x"}},
		"a step in words": object{"runs": object{run: object{"status": "running", "step": "two"}}},
	} {
		a := s.send(result(run, 2, "fabric", "ok"), object{"state": state})
		if a.Status != al.ResponseStatusError || *a.Retry {
			t.Errorf("%s: %s", name, a.raw)
		}
	}
	s.silent(s.send(result(run, 2, "fabric", "ok"), object{"state": object{"runs": object{run: nil}}}))
}
