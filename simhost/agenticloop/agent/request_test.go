package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	al "github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/agenticloop/agent"
)

func TestInputThatIsNoRequest(t *testing.T) {
	deep := func(n int) string {
		return `{"protocol":2,"x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + "}"
	}
	for name, c := range map[string]struct{ input, word string }{
		"nothing":             {"", "empty"},
		"blanks":              {" \n", "empty"},
		"words":               {"hello", "JSON object"},
		"an array":            {"[]", "JSON object"},
		"null":                {"null", "JSON object"},
		"half":                {`{"protocol":2,`, "JSON object"},
		"two":                 {`{"protocol":2} {}`, "JSON object"},
		"NaN":                 {`{"protocol":2,"job_id":NaN}`, "JSON object"},
		"deep":                {deep(20_000), "nested"},
		"a little too deep":   {deep(agent.MaxDepth), "nested"},
		"deep, and half":      {strings.Repeat(`{"a":`, 20_000), "nested"},
		"no protocol":         {"{}", "protocol"},
		"a protocol of words": {`{"protocol":"2"}`, "protocol"},
		"half a protocol":     {`{"protocol":2.5}`, "protocol"},
		"another case":        {`{"Protocol":2}`, "protocol"},
		"bytes":               {"{\"protocol\":2,\"command\":\"\xff\"}", "command"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, nil)
			s.refused(s.sendRaw([]byte(c.input)), c.word)
		})
	}
	// Brackets within texts do not count.
	s := newStory(t, scripted("fetch"))
	s.asked(s.send(start("k", strings.Repeat(`[{\"`, 2000))))
}

func TestRequestsThatTheAgentHasNoUseFor(t *testing.T) {
	for name, c := range map[string]struct {
		more object
		word string
	}{
		"an unknown command":      {object{"command": "dance"}, "dance"},
		"poll":                    {object{"command": "poll"}, "poll"},
		"a command of 1 MiB":      {object{"command": strings.Repeat("é", 1<<19)}, "é…"},
		"no event":                {object{"event": nil}, "event"},
		"an event of words":       {object{"event": "x"}, "event"},
		"an event without a type": {object{"event": object{"payload": object{}}}, "event"},
		"an unknown event":        {object{"event": object{"type": "weather.changed", "payload": object{}}}, "weather.changed"},
		"a payload of words":      {object{"event": object{"type": "agentic.start", "payload": "x"}}, "payload"},
		"no job":                  {object{"job_id": nil}, "job_id"},
		"a job of numbers":        {object{"job_id": 7}, "job_id"},
		"a state of words":        {object{"state": "x"}, "state"},
		"a config of words":       {object{"config": "x"}, "config"},
		"a budget of words":       {object{"config": object{"max_steps": "many"}}, "max_steps"},
		"no budget":               {object{"config": object{"max_steps": 0}}, "max_steps"},
		"less than no reframes":   {object{"config": object{"max_reframes": -1}}, "max_reframes"},
		"a list of numbers":       {object{"config": object{"allowed_plugins": []int{1}}}, "allowed_plugins"},
		"another planner":         {object{"config": object{"planner": "dice"}}, "scripted, model, steered"},
		"a script of words":       {object{"config": object{"script": "x"}}, "script"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, scripted("fetch"))
			s.refused(s.send(start("k", "g"), c.more), c.word)
		})
	}
}

func TestHealth(t *testing.T) {
	s := newStory(t, scripted("fetch"))
	if a := s.send(nil, object{"command": "health"}); a.Result == "" {
		t.Errorf("answer %s", a.raw)
	} else {
		s.silent(a)
	}
}

func TestOtherProtocols(t *testing.T) {
	for _, input := range []string{`{"protocol":3,"job_id":"j","command":"handle"}`, `{"protocol":1}`, `{"protocol":-2}`} {
		var out, errs bytes.Buffer
		code := agent.New(agent.Options{}).Run(context.Background(), strings.NewReader(input), &out, &errs)
		if code != 78 || out.Len() > 0 || !strings.Contains(errs.String(), "protocol") {
			t.Errorf("%s: exit code %d, %q, %q", input, code, out.String(), errs.String())
		}
		var other *agent.ProtocolError
		if _, err := agent.New(agent.Options{}).Turn(context.Background(), []byte(input)); !errors.As(err, &other) {
			t.Errorf("%s: %v", input, err)
		}
	}
}

type broken struct{}

func (broken) Decide(context.Context, agent.Situation) (agent.Decision, error) { panic("c4n4ry") }

func (broken) Read([]byte) (int, error)  { return 0, errors.New("no input") }
func (broken) Write([]byte) (int, error) { return 0, errors.New("no output") }

// Whatever goes wrong in the agent itself, the standard output holds an answer and nothing else.
func TestAnAgentThatGoesWrong(t *testing.T) {
	raw, err := json.Marshal(object{"protocol": 2, "job_id": "j", "command": "handle", "event": start("k", "g")})
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	a := agent.New(agent.Options{Planner: broken{}})
	if code := a.Run(context.Background(), bytes.NewReader(raw), &out, &errs); code != 0 || strings.Contains(out.String(),
		"c4n4ry") || !strings.Contains(errs.String(), "c4n4ry") {
		t.Errorf("exit code %d, %q, %q", code, out.String(), errs.String())
	}
	var r al.Response
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || r.Status != al.ResponseStatusError || *r.Retry {
		t.Errorf("%s: %v", out.Bytes(), err)
	}
	if code := a.Run(context.Background(), broken{}, &out, &errs); code != 1 {
		t.Errorf("exit code %d without an input", code)
	}
	if code := a.Run(context.Background(), bytes.NewReader(raw), broken{}, &errs); code != 1 {
		t.Errorf("exit code %d without an output", code)
	}
}

// FuzzTurn hands the agent anything: the answer is one of the protocol, or the protocol is refused.
func FuzzTurn(f *testing.F) {
	for _, seed := range []string{
		`{"protocol":2,"job_id":"j","command":"handle","config":{"script":[{"action":"call_tool","tool":"fetch"}],"allowed_plugins":["fetch"]},"state":{},"event":{"type":"agentic.start","dedupe_key":"k","payload":{"goal":"g"}}}`,
		`{"protocol":2,"job_id":"j","command":"handle","config":{"allowed_plugins":["fetch"],"arguments":"flat"},"state":{"runs":{"r":{"status":"running","step":1,"pending_step":1,"pending_tool":"fetch","attempt":1,"asked":{"command":"handle","arguments":{"a":1},"digest":""}}}},"event":{"type":"agentic.tool_result","payload":{"run_id":"r","step":1,"tool":"fetch","status":"error"}}}`,
		`{"protocol":2,"job_id":"j","command":"handle","config":{"allowed_plugins":["fetch"]},"state":{"runs":{"r":{"status":"running","step":1,"pending_step":1,"pending_tool":"fetch","notes":[{"step":0,"tool":"x","artifact":"../x"}]}}},"context":{"run_id":"r","step":1,"tool":"fetch"},"event":{"type":"page","payload":{"content":"x","next_tool":"fetch"}}}`,
		`{"protocol":2,"command":"health"}`, `{"protocol":3}`, `[`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		if bytes.Contains(input, []byte("base_url")) || bytes.Contains(input, []byte("workspace_dir")) {
			t.Skip("nothing is asked, and nothing written")
		}
		var out, errs bytes.Buffer
		code := agent.New(agent.Options{}).Run(context.Background(), bytes.NewReader(input), &out, &errs)
		if code == agent.ConfigExit && out.Len() == 0 {
			return
		}
		if code != 0 || errs.Len() > 0 {
			t.Fatalf("exit code %d: %s", code, errs.Bytes())
		}
		var r struct {
			Status string
			Events []json.RawMessage
		}
		if err := json.Unmarshal(out.Bytes(), &r); err != nil || r.Status != "ok" && r.Status != "error" || len(r.Events) > 1 {
			t.Fatalf("%s: %v", out.Bytes(), err)
		}
		schema, err := contract().Component("Response202606")
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range schema.Validate(out.Bytes()) {
			if p.Keyword != "depth" {
				t.Errorf("%s in %s", p, out.Bytes())
			}
		}
	})
}
