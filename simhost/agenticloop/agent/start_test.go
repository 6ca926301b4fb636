package agent_test

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestAStartMakesARunAndAsksForTheFirstTool(t *testing.T) {
	s := newStory(t, scripted("fetch", done))
	a := s.send(object{"type": "agentic.start", "dedupe_key": "k1", "timestamp": "0001-01-01T00:00:00Z", "source": "api", "event_id": "e1",
		"payload": object{"goal": "find it"}})
	p := s.asked(a)
	if a.Events[0].Type != "agentic.tool_request.fetch" || p.Step != 1 || p.Tool != "fetch" || p.ToolCommand != "handle" ||
		string(p.ToolPayload) != `{"q":"fetch"}` || !p.RequestedAt.Equal(s.at) {
		t.Errorf("asked: %s", a.raw)
	}
	r := s.run(p.RunID)
	if r.Goal != "find it" || r.MaxSteps != 20 || r.MaxReframes != 2 || r.Attempt != 1 || !r.CreatedAt.Equal(s.at) ||
		r.WorkspaceRef != "job:job-1" {
		t.Errorf("the run is %+v", r)
	}
	if s.state["last_run_id"] != p.RunID || a.Result == "" {
		t.Errorf("last_run_id %v, result %q", s.state["last_run_id"], a.Result)
	}
}

func TestStartsThatAreRefused(t *testing.T) {
	long := strings.Repeat("x", 2<<20)
	for name, c := range map[string]struct {
		payload object
		word    string
	}{
		"no goal":             {object{}, "goal"},
		"a blank goal":        {object{"goal": " \n"}, "goal"},
		"a number":            {object{"goal": 7}, "goal"},
		"null":                {object{"goal": nil}, "goal"},
		"a long goal":         {object{"goal": long}, "32 KiB"},
		"a foreign run id":    {object{"goal": "g", "run_id": "mine"}, "run_id"},
		"a context of text":   {object{"goal": "g", "context": "x"}, "context"},
		"a budget of nothing": {object{"goal": "g", "context": object{"max_steps": 0}}, "max_steps"},
		"a budget in words":   {object{"goal": "g", "context": object{"max_steps": "six"}}, "max_steps"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, scripted("fetch", done))
			s.refused(s.send(object{"type": "agentic.start", "dedupe_key": "k", "payload": c.payload}), c.word)
		})
	}
}

func TestAStartIsKnownAgain(t *testing.T) {
	for name, events := range map[string][2]object{
		"by its dedupe key": {start("k", "g"), object{"type": "api.trigger", "dedupe_key": "k", "event_id": "another",
			"payload": object{"goal": "g"}}},
		"by its event id": {
			object{"type": "agentic.start", "event_id": "e", "payload": object{"goal": "g"}},
			object{"type": "agentic.start", "event_id": "e", "payload": object{"goal": "g"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, scripted("fetch", done))
			first := s.asked(s.send(events[0]))
			s.silent(s.send(events[1]))
			last := s.send(result(first.RunID, 1, "fetch", "ok"))
			s.completed(last)
			s.silent(s.send(events[1]))
		})
	}
	s := newStory(t, scripted("fetch", done))
	s.more = object{"job_id": "the same"}
	bare := object{"type": "agentic.start", "payload": object{"goal": "g"}}
	s.asked(s.send(bare))
	s.silent(s.send(bare))
}

func TestStartsThatDifferMakeRunsThatDiffer(t *testing.T) {
	s := newStory(t, scripted("fetch", done))
	first := s.asked(s.send(start("k1", "g")))
	before, err := json.Marshal(s.state["runs"].(object)[first.RunID])
	if err != nil {
		t.Fatal(err)
	}
	second := s.asked(s.send(start("k2", "g")))
	after, err := json.Marshal(s.state["runs"].(object)[first.RunID])
	if err != nil {
		t.Fatal(err)
	}
	if first.RunID == second.RunID || string(before) != string(after) || s.state["last_run_id"] != second.RunID {
		t.Errorf("%s, %s: %s became %s", first.RunID, second.RunID, before, after)
	}
	// The names of a key, an event and a job are kept apart.
	third := s.asked(s.send(object{"type": "agentic.start", "event_id": "k1", "payload": object{"goal": "g"}}))
	if third.RunID == first.RunID {
		t.Error("an event id passed for a dedupe key")
	}
}

func TestALiveRunIsNotTakenOver(t *testing.T) {
	s := newStory(t, scripted("fetch", "fabric", done))
	run := s.asked(s.send(start("k1", "g"))).RunID
	s.asked(s.send(result(run, 1, "fetch", "ok")))
	s.refused(s.send(object{"type": "agentic.start", "dedupe_key": "k2", "payload": object{"goal": "h", "run_id": run}}), "run_id")
	// Correlation in the context alone is a gateway's baggage, and the start a start.
	a := s.send(start("k3", "h"), object{"context": object{"run_id": run, "step": 2, "tool": "fabric"}})
	if s.asked(a).RunID == run || s.run(run).PendingStep != 2 {
		t.Errorf("the run was taken over: %s", a.raw)
	}
}

func TestBudgetOfARun(t *testing.T) {
	for name, c := range map[string]struct {
		config any
		asked  any
		want   int64
	}{
		"neither says":     {nil, nil, 20},
		"the config":       {6, nil, 6},
		"a lower wish":     {6, 3, 3},
		"a higher wish":    {6, 60, 6},
		"the default caps": {nil, 60, 20},
	} {
		t.Run(name, func(t *testing.T) {
			config := scripted("fetch")
			if c.config != nil {
				config["max_steps"] = c.config
			}
			s := newStory(t, config)
			payload := object{"goal": "g"}
			if c.asked != nil {
				payload["context"] = object{"max_steps": c.asked, "tone": "kind"}
			}
			p := s.asked(s.send(object{"type": "agentic.start", "dedupe_key": "k", "payload": payload}))
			if got := s.run(p.RunID).MaxSteps; got != c.want {
				t.Errorf("max_steps %d, want %d", got, c.want)
			}
		})
	}
}
