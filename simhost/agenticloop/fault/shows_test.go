package fault_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/agenticloop/agent"
	"github.com/openassay/assay/simhost/agenticloop/fault"
	"github.com/openassay/assay/simhost/agenticloop/rules"
)

type object = map[string]any

// tale is what is seen of an agent that goes through a story: what it writes, the exit codes, and the files.
type tale struct {
	t     *testing.T
	agent fault.Program
	seen  strings.Builder
	turns int
	last  object // event that it emitted last
	run   string // that it started last
	at    time.Time

	config, state object
	folder        string // of the workspace; the files of its parent count as well
}

// send has the agent do a turn, as a gateway would that forgives everything.
func (s *tale) send(event object, more object) {
	s.t.Helper()
	s.turns++
	s.at = s.at.Add(time.Second)
	request := object{"protocol": 2, "job_id": fmt.Sprint("job-", s.turns), "command": "handle", "config": s.config,
		"state": s.state, "event": event,
		"secrets": object{"token": "s3cret"}}
	if s.folder != "" {
		request["workspace_dir"] = s.folder
	}
	maps.Copy(request, more)
	raw, err := json.Marshal(request)
	if err != nil {
		s.t.Fatal(err)
	}
	s.sendRaw(context.Background(), raw)
}

func (s *tale) sendRaw(ctx context.Context, raw []byte) {
	s.t.Helper()
	var out, errs bytes.Buffer
	code := s.agent(ctx, bytes.NewReader(raw), &out, &errs)
	fmt.Fprintf(&s.seen, "%d %s%s\n", code, out.Bytes(), errs.Bytes())
	var a struct {
		StateUpdates object `json:"state_updates"`
		Events       []object
	}
	if json.NewDecoder(&out).Decode(&a) != nil {
		return // an agent that is wrong may write anything: it has been noted down
	}
	s.state = maps.Clone(s.state)
	maps.Copy(s.state, a.StateUpdates)
	if len(a.Events) > 0 {
		s.last = a.Events[0]
	}
}

func (s *tale) start(key string, payload object) {
	s.t.Helper()
	if _, ok := payload["goal"]; !ok && len(payload) > 0 && payload["context"] != nil {
		payload["goal"] = "g"
	}
	s.send(object{"type": "agentic.start", "dedupe_key": key, "payload": payload}, nil)
	if runs, ok := s.state["runs"].(object); ok {
		for id, r := range runs {
			if members, ok := r.(object); ok && members["created_at"] == s.at.Format(time.RFC3339) {
				s.run = id
			}
		}
	}
}

func (s *tale) result(step any, tool, status string, more object) {
	s.t.Helper()
	payload := object{"run_id": s.run, "step": step, "tool": tool, "status": status, "result": object{"excerpt": "found"}}
	maps.Copy(payload, more)
	for name, value := range payload {
		if value == "-" {
			delete(payload, name)
		}
	}
	s.send(object{"type": "agentic.tool_result", "payload": payload}, nil)
}

// story is what is done to an agent. One whose name says so has files.
type story struct {
	name string
	tell func(*tale)
}

// stories go through what the text has a rule for, the quick ones first. Every fault shows in one of them.
var stories = []story{
	{"to the end, with files", func(s *tale) {
		s.start("k", object{"goal": "g"})
		s.result(1, "fetch", "ok", object{"result": strings.Repeat("long ", 1000)})
		s.result(1, "fetch", "ok", nil)
		s.start("k", object{"goal": "g"})
		s.result(2, "fabric", "ok", object{"result": strings.Repeat("long ", 5000)})
		s.result(1, "fetch", "ok", nil)
		s.result(3, "fetch", "ok", nil)
		s.result(1, "fetch", "ok", nil)
		s.result(3, "fetch", "ok", nil)
		s.result(4, "fetch", "ok", nil)
		s.start("k", object{"goal": "g"})
	}},
	{"starts", func(s *tale) {
		for i, payload := range []object{{}, {"goal": "  "}, {"goal": 7}, {"goal": "same"}, {"goal": "same"},
			{"goal": "g", "context": object{"max_steps": 1}},
			{"goal": "g", "context": object{"max_steps": 99}}} {
			s.start(fmt.Sprint("k", i), payload)
		}
		s.start("taken", object{"goal": "g", "run_id": s.run})
		s.send(object{"type": "agentic.start", "dedupe_key": "k3", "payload": object{"goal": "same"}}, object{"job_id": "another"})
		s.send(object{"type": "api.trigger", "dedupe_key": "t", "payload": object{"goal": "g"}}, nil)
		s.send(object{"type": "api.trigger", "dedupe_key": "t1", "payload": object{"goal": "g", "context": object{"max_steps": 1}}}, nil)
	}},
	{"words that mean something elsewhere", func(s *tale) {
		s.start("agentic:start:crm:17", object{"goal": "g"})
		run := s.run
		s.send(object{"type": "agentic.start", "dedupe_key": "agentic:start:shop:17", "payload": object{"goal": "another"}},
			object{"context": object{"run_id": run, "step": 1, "tool": "fetch"}})
		s.run = run
		s.result(1, "fetch", "ok", object{"error": "the first try failed: 503"})
		s.result(2, "fabric", "ok", object{"result": object{"excerpt": "found", "status": "error"}})
		s.send(object{"type": "content_ready", "payload": object{}}, object{"context": object{"run_id": run, "step": 3, "tool": "fetch"}})
	}},
	{"results that do not match", func(s *tale) {
		for i, r := range []object{{"step": 1}, {"step": "2"}, {"step": 2.5}, {"step": true}, {"step": "-"}, {"tool": "-"},
			{"run_id": "-"}, {"run_id": "nobody"},
			{"status": "-"}, {"status": "fine"}, {"step": 1, "tool": "fabric"}, {"step": 7}, {"tool": "fetch"}} {
			s.start(fmt.Sprint("k", i), object{"goal": "g"})
			if r["step"] != true {
				s.result(1, "fetch", "ok", nil)
				s.result(2, "fabric", "ok", r)
			} else {
				s.result(true, "fetch", "ok", nil)
			}
			s.result(9, "fetch", "ok", nil)
		}
	}},
	{"several runs", func(s *tale) {
		s.start("k1", object{"goal": "one"})
		first := s.run
		s.start("k2", object{"goal": "two"})
		s.result(1, "fetch", "ok", object{"run_id": first})
		s.result(1, "fetch", "ok", object{"run_id": first})
		s.result(2, "fabric", "ok", nil)
		s.result(9, "fabric", "ok", object{"run_id": first})
		s.result(1, "fetch", "ok", nil)
	}},
	{"failures", func(s *tale) {
		s.start("k", object{"goal": "g"})
		for range 4 {
			s.result(1, "fetch", "error", nil)
		}
	}},
	{"values and near misses", func(s *tale) {
		empty := call("fetch")
		empty["arguments"] = object{"none": false}
		s.config = with(s.config, object{"script": []object{empty, call("fabric"), call("fetch"), call("fetch")}})
		s.start("k1", object{"goal": "<b>"})
		s.result(1, "fetch", "ok", object{"run_id": s.run[:8]})
		s.result(1, "fetch", "ok", object{"result": object{}})
		s.result(1, "fetch", "error", nil)
		s.result(2, "fabric", "error", nil)
		s.result(2, "fabric", "ok", nil)
		s.result(3, "Fetcher", "ok", nil)
	}},
	{"two budgets", func(s *tale) {
		s.config = with(s.config, object{"max_steps": 1})
		s.start("k1", object{"goal": "g"})
		first := s.run
		s.config = with(s.config, object{"max_steps": 9})
		s.start("k2", object{"goal": "g"})
		s.result(1, "fetch", "ok", object{"run_id": first})
	}},
	{"the budget", func(s *tale) {
		s.config = with(s.config, object{"max_steps": 2})
		s.start("k", object{"goal": "g"})
		for step := 1; step < 5; step++ {
			s.result(step, []string{"", "fetch", "fabric", "fetch", "fetch"}[step], "ok", nil)
		}
	}},
	{"reframes", func(s *tale) {
		s.config = with(s.config, object{"max_reframes": 1, "script": []object{call("fetch"), {"action": "reframe"},
			{"action": "reframe"}, call("fetch")}})
		s.start("k", object{"goal": "g"})
		s.result(1, "fetch", "ok", nil)
	}},
	{"reframes between other steps, at once and of what may not be had", func(s *tale) {
		anew := object{"action": "reframe"}
		for i, script := range [][]object{
			{call("fetch"), anew, call("fetch"), call("fetch"), anew, call("fetch")}, {anew, call("fetch"), anew, call("fetch")},
			{call("fetch"), anew, call("curl")},
		} {
			s.config = with(s.config, object{"max_reframes": 1, "script": script})
			s.start(fmt.Sprint("k", i), object{"goal": "g"})
			for step := 1; step < 4; step++ {
				s.result(step, "fetch", "ok", nil)
			}
		}
		s.config = with(s.config, object{"max_reframes": 3, "script": []object{call("fetch"), anew, anew, anew, call("fetch")}})
		s.start("more", object{"goal": "g"})
		s.result(1, "fetch", "ok", nil)
	}},
	{"what is nearly right", func(s *tale) {
		s.start("k", object{"goal": "g"})
		s.result(1<<32+1, "fetch", "ok", nil)
		for i, key := range []string{"", "", "key", "KEY", "key"} {
			s.send(object{"type": "agentic.start", "dedupe_key": key, "event_id": fmt.Sprint("e", i), "payload": object{"goal": "g"}}, nil)
		}
		s.result(1, "fetch", "error", object{"run_id": "nobody"})
		s.start("k2", object{"goal": "g"})
		s.result(1, "jina-reader", "ok", nil)
		s.start("k3", object{"goal": "g"})
		left := object{"run_id": s.run, "step": 7, "tool": "fetch", "status": "error"}
		s.send(object{"type": "agentic.tool_result", "payload": object{
			"run_id": s.run, "step": 1, "tool": "fetch", "status": "ok", "result": object{"excerpt": "found"},
		}}, object{"context": left})
		s.start("k4", object{"goal": "g"})
		s.send(object{"type": "page", "payload": object{"content": "found", "status": "ok"}},
			object{"context": object{"run_id": s.run, "step": 1, "tool": "fetch", "status": "error"}})
	}},
	{"tools", func(s *tale) {
		for i, tool := range []string{"curl", "agentic-loop", "a.b"} {
			s.config = with(s.config, object{"allowed_plugins": []string{"fetch", "agentic-loop"}, "script": []object{call(tool)}})
			s.start(fmt.Sprint("first", i), object{"goal": "g"})
			s.config = with(s.config, object{"script": []object{call("fetch"), call(tool)}})
			s.start(fmt.Sprint("then", i), object{"goal": "g"})
			s.result(1, "fetch", "ok", nil)
		}
		s.config = with(s.config, object{"allowed_plugins": []string{}})
		s.start("none", object{"goal": "g"})
		s.config = object{"allowed_plugins": []string{"fabric"}, "default_tool": "fetch"}
		s.start("default", object{"goal": "g"})
	}},
	{"a tool's own events", func(s *tale) {
		for i, payload := range []object{{"content": "found"}, {"status": "error"}} {
			s.start(fmt.Sprint("k", i), object{"goal": "g"})
			s.send(object{"type": "page", "payload": payload}, object{"context": object{"run_id": s.run, "step": 1, "tool": "fetch"}})
		}
	}},
	{"a job again, with files", func(s *tale) {
		for range 2 {
			s.send(object{"type": "agentic.start", "dedupe_key": "k", "payload": object{"goal": "g"}}, object{"job_id": "same"})
			s.state = object{}
		}
	}},
	{"events with times", func(s *tale) {
		s.send(object{"type": "agentic.start", "timestamp": "0001-01-01T00:00:00Z", "payload": object{"goal": "g"}}, nil)
	}},
	{"a workspace that is none", func(s *tale) {
		s.send(object{"type": "agentic.start", "payload": object{"goal": "g"}}, object{"workspace_dir": "nowhere"})
	}},
	{"other requests", func(s *tale) {
		s.send(nil, object{"command": "dance"})
		s.send(nil, nil)
		s.send(object{"type": "weather"}, nil)
		s.send(object{"type": "agentic.start", "dedupe_key": "k", "payload": object{"goal": "g"}}, object{"protocol": 3})
		s.sendRaw(context.Background(), []byte("{"))
	}},
	{"a full state", func(s *tale) {
		s.state = object{"runs": object{"alive": object{"status": "running", "goal": strings.Repeat("x", 1<<20)}}}
		s.start("k", object{"goal": "g"})
	}},
	{"linked files", func(s *tale) {
		s.start("k", object{"goal": "g"})
		for _, name := range []string{"plan.md", "trace.jsonl"} {
			if err := os.Link(filepath.Join(s.folder, name), filepath.Join(s.folder, "ancestor-"+name)); err != nil {
				continue // the agent has no such file: that is seen as well
			}
		}
		s.result(1, "fetch", "ok", nil)
	}},
	{"a gateway's API", func(s *tale) {
		var calls atomic.Int64
		api := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
		defer api.Close()
		s.config = with(s.config, object{"gateway_url": api.URL})
		s.start("k", object{"goal": "g"})
		fmt.Fprintln(&s.seen, "called:", calls.Load() > 0)
	}},
	{"a model", func(s *tale) {
		var calls atomic.Int64
		over := make(chan struct{})
		m := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if calls.Add(1); r.URL.Path == "/hang/chat/completions" {
				<-over
				return
			}
			if r.URL.Path == "/refuse/chat/completions" {
				http.Error(w, "Incorrect API key provided: key-1", http.StatusUnauthorized)
				return
			}
			fmt.Fprint(w, `{"choices":[{"message":{"content":"{\"action\":\"done\"}"}}]}`)
		}))
		defer m.Close()
		defer close(over)
		s.config = object{"base_url": m.URL}
		s.start("k", object{"goal": "g"})
		fmt.Fprintf(&s.seen, "%d calls\n", calls.Load())
		s.config = object{"base_url": m.URL + "/refuse", "api_key": "key-1"}
		s.start("l", object{"goal": "g"})
		request, err := json.Marshal(object{"protocol": 2, "job_id": "j", "command": "handle", "config": object{"base_url": m.URL + "/hang"},
			"deadline_at": s.at.Add(80 * time.Millisecond).Format(time.RFC3339Nano), "event": object{"type": "agentic.start",
				"payload": object{"goal": "g"}}})
		if err != nil {
			s.t.Fatal(err)
		}
		// Who is still waiting when the gateway ends the process has been waiting too long.
		ctx, cancel := context.WithTimeout(context.Background(), testenv.Patience(700*time.Millisecond))
		defer cancel()
		s.sendRaw(ctx, request)
		fmt.Fprintln(&s.seen, "ended in time:", ctx.Err() == nil)
	}},
}

func call(tool string) object {
	return object{"action": "call_tool", "tool": tool, "arguments": object{"run_id": "spoofed", "tool_command": "spoofed", "url": "u"}}
}

func with(config, more object) object {
	out := maps.Clone(config)
	maps.Copy(out, more)
	return out
}

// told is all that is seen of an agent in a story. What differs from folder to folder is left out.
func told(t *testing.T, story story, faults ...string) string {
	t.Helper()
	manifest, err := fault.Manifest(faults...)
	if err != nil {
		t.Fatal(err)
	}
	parent := t.TempDir()
	s := &tale{t: t, at: time.Date(2026, 2, 16, 12, 0, 0, 0, time.UTC), state: object{}, folder: filepath.Join(parent, "workspace")}
	s.config = object{"script": []object{call("fetch"), call("fabric"), call("fetch"), {"action": "done", "outcome": "o"}},
		"allowed_plugins": []string{"fetch", "fabric"}, "mark": "c0nfig"}
	if !strings.Contains(story.name, "files") {
		s.folder = ""
	}
	if err := agent.Export(filepath.Join(parent, "plugin"), agent.Profile{Manifest: manifest}, "assay"); err != nil {
		t.Fatal(err)
	}
	s.agent, err = fault.Agent(func(by *rules.Set) fault.Program {
		return agent.New(agent.Options{Now: func() time.Time { return s.at }, Rules: by}).Run
	}, faults...)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(parent, "workspace"), 0o755); err != nil {
		t.Fatal(err)
	}
	story.tell(s)
	err = filepath.WalkDir(parent, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(&s.seen, "%s: %s\n", path, content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(s.seen.String(), parent, "")
}

// A fault that changes nothing that can be seen would be caught by nothing.
func TestEveryFaultShows(t *testing.T) {
	honest := map[string]string{}
	for _, story := range stories {
		honest[story.name] = told(t, story)
		if again := told(t, story); again != honest[story.name] {
			t.Fatalf("%s is told in two ways: %s", story.name, again)
		}
	}
	for _, f := range fault.All() {
		if f.Process {
			continue // seen by what it starts
		}
		t.Run(f.ID, func(t *testing.T) {
			for _, story := range stories {
				if told(t, story, f.ID) != honest[story.name] {
					return
				}
			}
			t.Error("nothing differs from an honest agent")
		})
	}
}
