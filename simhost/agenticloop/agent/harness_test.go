package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	al "github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/simhost/agenticloop/agent"
)

// object is JSON as a test writes and reads it.
type object = map[string]any

// reporter is what a story needs of a test, and of a property.
type reporter interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// story is an agent with what a gateway keeps for it. Time goes on by a second a turn.
type story struct {
	t         reporter
	agent     *agent.Agent
	config    object
	state     object
	workspace string
	turns     int
	at        time.Time
	more      object // members of every request
	unchecked bool   // the answers may be wrong
}

var began = time.Date(2026, 2, 16, 12, 0, 0, 0, time.UTC)

func newStory(t reporter, config object) *story {
	s := &story{t: t, config: config, state: object{}, at: began}
	s.agent = agent.New(agent.Options{Now: func() time.Time { return s.at }})
	return s
}

// answer is what came of a turn.
type answer struct {
	al.Response
	updates object
	raw     []byte
}

// send has the agent do a turn, and keeps the state as a gateway does.
func (s *story) send(event object, more ...object) answer {
	s.t.Helper()
	s.turns++
	s.at = s.at.Add(time.Second)
	request := object{"protocol": 2, "job_id": fmt.Sprintf("job-%d", s.turns), "command": "handle", "config": s.config, "state": s.state,
		"deadline_at": s.at.Add(2 * time.Minute).Format(time.RFC3339)}
	if event != nil {
		request["event"] = event
	}
	if s.workspace != "" {
		request["workspace_dir"] = s.workspace
	}
	maps.Copy(request, s.more)
	for _, m := range more {
		maps.Copy(request, m)
	}
	raw, err := json.Marshal(request)
	if err != nil {
		s.t.Fatalf("%v", err)
	}
	return s.sendRaw(raw)
}

func (s *story) sendRaw(raw []byte) answer {
	s.t.Helper()
	var out, errs bytes.Buffer
	if code := s.agent.Run(context.Background(), bytes.NewReader(raw), &out, &errs); code != 0 && !s.unchecked {
		s.t.Fatalf("exit code %d: %s", code, errs.Bytes())
	}
	var a answer
	a.raw = bytes.TrimSuffix(out.Bytes(), []byte("\n"))
	if s.unchecked {
		_ = json.Unmarshal(a.raw, &a.Response)
	} else {
		s.check(a.raw)
		if err := json.Unmarshal(a.raw, &a.Response); err != nil {
			s.t.Fatalf("the answer is not JSON: %v", err)
		}
	}
	if a.Status == al.ResponseStatusOk && a.StateUpdates != nil {
		if err := json.Unmarshal(a.StateUpdates, &a.updates); err != nil {
			s.t.Fatalf("%v", err)
		}
		s.state = maps.Clone(s.state)
		maps.Copy(s.state, a.updates)
	}
	return a
}

var contract = sync.OnceValue(func() *validate.Set {
	set, err := validate.New(al.Bundled())
	if err != nil {
		panic(err)
	}
	return set
})

func (s *story) valid(component string, raw []byte) {
	s.t.Helper()
	schema, err := contract().Component(component)
	if err != nil {
		s.t.Fatalf("%v", err)
	}
	for _, p := range schema.Validate(raw) {
		s.t.Errorf("%s: %s in %.300s", component, p, raw)
	}
}

// check holds an answer against what is true of every answer.
func (s *story) check(raw []byte) {
	s.t.Helper()
	s.valid("Response202606", raw)
	var r struct {
		Status       string
		Retry        *bool
		Events       []json.RawMessage
		StateUpdates json.RawMessage `json:"state_updates"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		s.t.Fatalf("%v", err)
	}
	if len(r.Events) > 1 || r.Status == "error" && (r.Events != nil || r.StateUpdates != nil || r.Retry == nil) {
		s.t.Errorf("events, state_updates or retry are not as they must be: %.300s", raw)
	}
	if r.StateUpdates != nil {
		s.valid("RunState", r.StateUpdates)
	}
	for _, event := range r.Events {
		s.valid("EmittedEvent", event)
		s.consistent(event, r.StateUpdates)
	}
}

// consistent holds a request against the state that is kept with it, where there is one.
func (s *story) consistent(event, updates []byte) {
	s.t.Helper()
	var e struct {
		Type    string
		Key     string `json:"dedupe_key"`
		Payload al.ToolRequestPayload
	}
	var state al.RunState
	if err := json.Unmarshal(event, &e); err != nil {
		s.t.Fatalf("%v", err)
	}
	if updates == nil || !strings.HasPrefix(e.Type, "agentic.tool_request.") {
		return
	}
	if err := json.Unmarshal(updates, &state); err != nil {
		s.t.Fatalf("%v", err)
	}
	run, p := state.Runs[e.Payload.RunID], e.Payload
	if run.Status != al.RunStatusRunning || run.PendingStep != p.Step || run.PendingTool != p.Tool || run.Step != p.Step {
		s.t.Errorf("step %d of %s is asked for, and the run is %+v", p.Step, p.Tool, run)
	}
	if want := fmt.Sprintf("agentic:run:%s:step:%d:request", p.RunID, p.Step); !strings.HasPrefix(e.Key, want) {
		s.t.Errorf("the dedupe key is %q", e.Key)
	}
}

func start(key, goal string) object {
	return object{"type": "agentic.start", "dedupe_key": key, "payload": object{"goal": goal}}
}

// result is a result of a run's step. more goes into the payload.
func result(run string, step any, tool, status string, more ...object) object {
	payload := object{"run_id": run, "step": step, "tool": tool, "status": status, "result": object{"excerpt": "found"}}
	for _, m := range more {
		maps.Copy(payload, m)
	}
	return object{"type": "agentic.tool_result", "payload": payload}
}

// asked is the payload of the request in an answer; the test ends where there is none.
func (s *story) asked(a answer) al.ToolRequestPayload {
	s.t.Helper()
	if len(a.Events) != 1 || !strings.HasPrefix(a.Events[0].Type, "agentic.tool_request.") {
		s.t.Fatalf("no request: %s", a.raw)
	}
	var p al.ToolRequestPayload
	if err := json.Unmarshal(a.Events[0].Payload, &p); err != nil {
		s.t.Fatalf("%v", err)
	}
	return p
}

func (s *story) completed(a answer) al.CompletedPayload {
	s.t.Helper()
	if len(a.Events) != 1 || a.Events[0].Type != "agent.completed" {
		s.t.Fatalf("not completed: %s", a.raw)
	}
	var p al.CompletedPayload
	if err := json.Unmarshal(a.Events[0].Payload, &p); err != nil {
		s.t.Fatalf("%v", err)
	}
	if got := s.run(p.RunID); got.Status != al.RunStatusDone || got.PendingStep != 0 || got.PendingTool != "" {
		s.t.Errorf("the run is %+v", got)
	}
	return p
}

func (s *story) escalated(a answer, reason string) {
	s.t.Helper()
	if len(a.Events) != 1 || a.Events[0].Type != "agent.escalated" {
		s.t.Fatalf("not escalated: %s", a.raw)
	}
	var p al.EscalatedPayload
	if err := json.Unmarshal(a.Events[0].Payload, &p); err != nil {
		s.t.Fatalf("%v", err)
	}
	if p.Reason != reason {
		s.t.Errorf("reason %q, want %q", p.Reason, reason)
	}
	if got := s.run(p.RunID); got.Status != al.RunStatusEscalated || got.PendingStep != 0 || got.PendingTool != "" {
		s.t.Errorf("the run is %+v", got)
	}
}

// silent wants an answer that changes nothing.
func (s *story) silent(a answer) {
	s.t.Helper()
	if a.Status != al.ResponseStatusOk || len(a.Events) > 0 || a.StateUpdates != nil {
		s.t.Errorf("not silent: %s", a.raw)
	}
}

// refused wants an error that is for good.
func (s *story) refused(a answer, word string) {
	s.t.Helper()
	if a.Status != al.ResponseStatusError || *a.Retry || !strings.Contains(a.Error, word) {
		s.t.Errorf("not refused for good with %q: %s", word, a.raw)
	}
}

func (s *story) run(id string) al.Run {
	s.t.Helper()
	raw, err := json.Marshal(s.state)
	if err != nil {
		s.t.Fatalf("%v", err)
	}
	var state al.RunState
	if err := json.Unmarshal(raw, &state); err != nil {
		s.t.Fatalf("%v", err)
	}
	return state.Runs[id]
}

// edit changes members of a run in the state.
func (s *story) edit(id string, members object) {
	run := s.state["runs"].(object)[id].(object)
	maps.Copy(run, members)
}

// scripted is a config with these decisions. A tool's name alone calls it.
func scripted(decisions ...any) object {
	var script []any
	for _, d := range decisions {
		if tool, ok := d.(string); ok {
			d = object{"action": "call_tool", "tool": tool, "arguments": object{"q": tool}}
		}
		script = append(script, d)
	}
	return object{"script": script, "allowed_plugins": []string{"fetch", "fabric", "jina-reader"}}
}

func with(config object, more object) object {
	out := maps.Clone(config)
	maps.Copy(out, more)
	return out
}

var (
	done    = object{"action": "done", "outcome": "all found"}
	reframe = object{"action": "reframe", "reason": "another way"}
)

// levels are those of the logs of an answer.
func levels(a answer) string {
	var out []string
	for _, l := range a.Logs {
		out = append(out, string(l.Level))
	}
	return strings.Join(out, " ")
}
