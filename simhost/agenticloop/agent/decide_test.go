package agent_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/simhost/agenticloop/agent"
)

func TestTheBudgetEndsARun(t *testing.T) {
	for budget := 1; budget <= 3; budget++ {
		t.Run(fmt.Sprint(budget), func(t *testing.T) {
			s := newStory(t, with(scripted("fetch", "fetch", "fetch", "fetch"), object{"max_steps": budget}))
			run := s.asked(s.send(start("k", "g"))).RunID
			for step := 1; step < budget; step++ {
				s.asked(s.send(result(run, step, "fetch", "ok")))
			}
			s.escalated(s.send(result(run, budget, "fetch", "ok")), "max_steps_exceeded")
			// A goal that is reached with the last step is reached.
			s = newStory(t, with(scripted(append(slices.Repeat([]any{"fetch"}, budget), any(done))...), object{"max_steps": budget}))
			run = s.asked(s.send(start("k", "g"))).RunID
			var a answer
			for step := 1; step <= budget; step++ {
				a = s.send(result(run, step, "fetch", "ok"))
			}
			if got := s.completed(a).StepsTaken; got != int64(budget) {
				t.Errorf("steps_taken %d", got)
			}
		})
	}
}

func TestPlansAreGivenUpSoOftenAndNoMore(t *testing.T) {
	for allowed := range int64(3) {
		var script []any
		for range 4 {
			script = append(script, "fetch", reframe)
		}
		s := newStory(t, with(scripted(script...), object{"max_reframes": allowed}))
		run := s.asked(s.send(start("k", "g"))).RunID
		for n := int64(1); n <= allowed; n++ {
			s.asked(s.send(result(run, n, "fetch", "ok")))
			if got := s.run(run).Reframes; got != n {
				t.Errorf("reframes %d, want %d", got, n)
			}
		}
		s.escalated(s.send(result(run, allowed+1, "fetch", "ok")), "max_reframes_exceeded")
		if got := s.run(run).Reframes; got != allowed {
			t.Errorf("reframes %d of %d", got, allowed)
		}
	}
	// A planner that never comes to an end within a turn is stopped, however much the operator allows.
	s := newStory(t, with(scripted(slices.Repeat([]any{reframe}, 40)...), object{"max_reframes": 1 << 40}))
	s.escalated(s.send(start("k", "g")), "max_reframes_exceeded")
}

func TestToolsThatMayNotBeCalled(t *testing.T) {
	for name, c := range map[string]struct {
		tool    string
		allowed any
		reason  string // as the first tool; a follow-up says so
	}{
		"not listed":         {"curl", []string{"fetch"}, "tool_not_allowed"},
		"no list":            {"curl", nil, "tool_not_allowed"},
		"an empty list":      {"curl", []string{}, "tool_not_allowed"},
		"itself, listed":     {"agentic-loop", []string{"agentic-loop"}, "tool_is_the_agent"},
		"itself, not listed": {"agentic-loop", []string{"fetch"}, "tool_is_the_agent"},
		"a path":             {"../x", []string{"../x"}, "tool_name_not_valid"},
		"two words":          {"a b", []string{"a b"}, "tool_name_not_valid"},
		"two lines":          {"x\n", []string{"x\n"}, "tool_name_not_valid"},
		"a dot":              {"x.y", []string{"x.y"}, "tool_name_not_valid"},
		"no name":            {"", []string{""}, "tool_name_not_valid"},
		"a long name":        {strings.Repeat("x", 65), []string{strings.Repeat("x", 65)}, "tool_name_not_valid"},
	} {
		t.Run(name, func(t *testing.T) {
			config := with(scripted(c.tool), object{"allowed_plugins": c.allowed})
			s := newStory(t, config)
			s.escalated(s.send(start("k", "g")), c.reason)

			s = newStory(t, scripted("fetch", c.tool))
			run := s.asked(s.send(start("k", "g"))).RunID
			s.config = with(s.config, object{"allowed_plugins": c.allowed})
			s.escalated(s.send(result(run, 1, "fetch", "ok")), strings.Replace(c.reason, "tool_not", "followup_tool_not", 1))
		})
	}
	// Its name is what the manifest says.
	s := newStory(t, with(scripted("helper"), object{"allowed_plugins": []string{"helper"}}))
	s.agent = agent.New(agent.Options{Name: "helper"})
	s.escalated(s.send(start("k", "g")), "tool_is_the_agent")
}

func TestDecisionsThatNobodyUnderstands(t *testing.T) {
	for name, d := range map[string]any{
		"another action":  object{"action": "juggle"},
		"no action":       object{},
		"a number":        7,
		"a list of calls": []any{object{"action": "call_tool", "tool": "fetch"}},
		"odd arguments":   object{"action": "call_tool", "tool": "fetch", "arguments": "x"},
		"a refusal":       object{"action": "refuse", "reason": "no"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, object{"script": []any{d}, "allowed_plugins": []string{"fetch"}})
			s.escalated(s.send(start("k", "g")), "no_next_action")
		})
	}
	s := newStory(t, scripted())
	s.config["script"] = []any{}
	s.escalated(s.send(start("k", "g")), "no_next_action")
	s = newStory(t, scripted(object{"action": "call_tool", "tool": "fetch", "arguments": object{"q": strings.Repeat("x", 20<<10)}}))
	s.escalated(s.send(start("k", "g")), "arguments_too_long")
}

// A turn that is run again decides the same, and the state alone says what.
func TestTheSameTurnDecidesTheSame(t *testing.T) {
	s, run := at2(t)
	before, turns, at := s.state, s.turns, s.at
	first := s.send(result(run, 2, "fabric", "ok"))
	s.state, s.turns, s.at = before, turns, at
	second := s.send(result(run, 2, "fabric", "ok"))
	if string(first.raw) != string(second.raw) {
		t.Errorf("%s\n%s", first.raw, second.raw)
	}
}

func TestHowArgumentsStandInARequest(t *testing.T) {
	spoof := object{"action": "call_tool", "tool": "fetch", "command": "get", "arguments": object{
		"run_id": "x", "step": 9, "tool": "curl", "tool_command": "rm", "requested_at": "never", "previous": 1, "tool_payload": 2, "url": "u"}}
	for how, want := range map[string]struct{ nested, beside bool }{"nested": {true, false}, "flat": {false, true}, "both": {true, true}} {
		t.Run(how, func(t *testing.T) {
			s := newStory(t, with(scripted(spoof), object{"arguments": how}))
			a := s.send(start("k", "g"))
			p := s.asked(a)
			var members, nested map[string]any
			if err := json.Unmarshal(a.Events[0].Payload, &members); err != nil {
				t.Fatal(err)
			}
			if want.nested {
				if err := json.Unmarshal(p.ToolPayload, &nested); err != nil {
					t.Fatal(err)
				}
			} else if _, there := members["tool_payload"]; there {
				t.Error("tool_payload is there")
			}
			if p.RunID == "x" || p.Step != 1 || p.Tool != "fetch" || p.ToolCommand != "get" || !p.RequestedAt.Equal(s.at) ||
				members["previous"] != nil {
				t.Errorf("spoofed: %s", a.raw)
			}
			if (members["url"] == "u") != want.beside || (nested["url"] == "u") != want.nested {
				t.Errorf("url: %s", a.raw)
			}
			if warned := levels(a) != ""; warned != want.beside {
				t.Errorf("logs %q", levels(a))
			}
		})
	}
}

func TestSteering(t *testing.T) {
	allowed := object{"allowed_plugins": []string{"fabric", "jina-reader"}}
	s := newStory(t, allowed)
	steer := func(key string, context object) answer {
		return s.send(object{"type": "agentic.start", "dedupe_key": key,
			"payload": object{"goal": "look at https://example.org/a, please", "context": context}})
	}
	a := steer("plain", nil)
	p := s.asked(a)
	var arguments map[string]string
	if err := json.Unmarshal(p.ToolPayload, &arguments); err != nil {
		t.Fatal(err)
	}
	if p.Tool != "jina-reader" || arguments["url"] != "https://example.org/a," {
		t.Errorf("asked for %s with %v", p.Tool, arguments)
	}
	// Without hints: every allowed tool once.
	p = s.asked(s.send(result(p.RunID, 1, "jina-reader", "ok")))
	if p.Tool != "fabric" {
		t.Errorf("then %s", p.Tool)
	}
	s.completed(s.send(result(p.RunID, 2, "fabric", "ok")))

	p = s.asked(steer("hint", object{"tool": "fabric", "tool_command": "run", "tool_payload": object{"a": 1}}))
	if p.Tool != "fabric" || p.ToolCommand != "run" || string(p.ToolPayload) != `{"a":1}` {
		t.Errorf("asked for %+v", p)
	}
	p = s.asked(s.send(result(p.RunID, 1, "fabric", "ok", object{"result": object{"next_tool": "fabric", "tool_payload": object{"b": 2}}})))
	if p.Tool != "fabric" || string(p.ToolPayload) != `{"b":2}` {
		t.Errorf("then %+v", p)
	}
	p = s.asked(s.send(result(p.RunID, 2, "fabric", "ok", object{"result": object{"reframe": true}})))
	if s.run(p.RunID).Reframes != 1 || p.Step != 3 {
		t.Errorf("the run is %+v", s.run(p.RunID))
	}
	if got := s.completed(s.send(result(p.RunID, 3, p.Tool, "ok",
		object{"result": object{"done": true, "outcome": "so"}}))); got.Outcome != "so" {
		t.Errorf("outcome %q", got.Outcome)
	}
	// A result cannot talk the agent into what is forbidden.
	p = s.asked(steer("talk", nil))
	s.escalated(s.send(result(p.RunID, 1, p.Tool, "ok", object{"result": object{"next_tool": "../curl"}})), "tool_name_not_valid")

	s.config = with(allowed, object{"default_tool": "fabric"})
	if p = s.asked(steer("default", nil)); p.Tool != "fabric" {
		t.Errorf("asked for %s", p.Tool)
	}
	s.config = object{}
	s.escalated(steer("none", nil), "no_next_action")
}
