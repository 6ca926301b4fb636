package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/agenticloopv2"
)

// What goes along with events, and what the agent hears of its tools.
func TestContextAndResults(t *testing.T) {
	for _, test := range []struct {
		context ContextMode
		results Results
		done    bool
		agent   int    // turns of it
		heard   string // types of the events that it was handed after its start, each once
		url     bool   // the second tool sees the argument of the first
	}{
		{Accumulate, ByContext, true, 3, "content_ready fabric.completed", true},
		{Baggage, ByContext, true, 3, "content_ready fabric.completed", false},
		{NoContext, ByContext, false, 2, "content_ready", false}, // nothing says whose result it is
		{Accumulate, Direct, true, 3, "agentic.tool_result", true},
		{Baggage, Direct, true, 3, "agentic.tool_result", false},
		{NoContext, Direct, true, 3, "agentic.tool_result", false},
		{Accumulate, Both, true, 5, "content_ready agentic.tool_result fabric.completed", true},
	} {
		t.Run(fmt.Sprintf("%s %s", test.context, test.results), func(t *testing.T) {
			r := newRig(t, "jina-reader", "fabric")
			r.o.Context, r.o.Results = test.context, test.results
			var agent, tool []agenticloopv2.Request
			r.plugins["agentic-loop"] = told(&agent, r.plugins["agentic-loop"])
			r.plugins["fabric"] = told(&tool, fabric)
			s := r.run("goal")
			if done := completed(s) == 1; done != test.done || len(agent) != test.agent {
				t.Errorf("completed: %v, after %d turns of the agent\n%s", done, len(agent), strings.Join(shape(s), "\n"))
			}
			var heard []string
			for _, req := range agent[1:] {
				if !slices.Contains(heard, req.Event.Type) {
					heard = append(heard, req.Event.Type)
				}
			}
			if got := strings.Join(heard, " "); got != test.heard {
				t.Errorf("the agent heard of %s", got)
			}
			for _, req := range tool {
				if strings.Contains(string(req.Event.Payload), "example.org") != test.url {
					t.Errorf("the second tool was asked %s", req.Event.Payload)
				}
			}
		})
	}
}

// An agentic.tool_result that the gateway makes is a result as the text has it.
func TestMadeResult(t *testing.T) {
	r := newRig(t, "jina-reader")
	r.o.Results = Direct
	var agent []agenticloopv2.Request
	r.plugins["agentic-loop"] = told(&agent, r.plugins["agentic-loop"])
	r.run("goal")
	want := map[string]any{
		"run_id": "R-goal", "step": 1.0, "tool": "jina-reader", "status": "ok", "error": nil,
		"result": map[string]any{"content": "a page"}, "completed_at": "2026-02-16T12:00:00Z",
	}
	event := agent[1].Event
	if diff := cmp.Diff(want, decoded(t, event)); diff != "" {
		t.Error(diff)
	}
	if event.DedupeKey != "agentic:run:R-goal:step:1:result" || event.Source != "jina-reader" || event.EventID == "" {
		t.Errorf("%+v", event)
	}
	schema, err := component("ToolResultPayload")
	if err != nil {
		t.Fatal(err)
	}
	if problems := schema.Validate(event.Payload); len(problems) > 0 {
		t.Error(problems)
	}
}

// decoded is what a payload says, without what the context adds to it.
func decoded(t *testing.T, e *agenticloopv2.Event) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal(e.Payload, &out); err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(out, func(key string, _ any) bool { return key == "tool_command" || key == "url" || key == "content" })
	return out
}

// A tool that says in its event that it failed has its request made again, under the same key. A gateway that keeps keys
// away that have succeeded drops it, and the run is stuck (retry against dedupe).
func TestDedupe(t *testing.T) {
	complaint := func(context.Context, []byte) ([]byte, int) {
		return ok(nil, agenticloopv2.Event{Type: "content_failed", Payload: raw(map[string]any{"status": "error", "error": "no network"})})
	}
	for _, dedupe := range []bool{false, true} {
		r := newRig(t, "jina-reader")
		r.o.Dedupe = dedupe
		r.o.Context = Baggage // accumulated, the status of the first answer would be filled into the second one
		r.plugins["jina-reader"] = inTurn(complaint, reader)
		s := r.run("goal")
		if done := completed(s) == 1; done == dedupe || (len(s.Dropped) == 1) != dedupe {
			t.Errorf("dedupe %v: completed: %v, dropped: %+v\n%s", dedupe, done, s.Dropped, strings.Join(shape(s), "\n"))
		}
	}
	t.Run("a start", func(t *testing.T) {
		r := newRig(t, "jina-reader")
		r.o.Dedupe = true
		s := r.run("goal")
		g := r.open()
		again, err := g.Start(t.Context(), "agentic-loop", start("goal"))
		if err != nil || len(again) != 0 {
			t.Errorf("started again: %v, %v", again, err)
		}
		r.clock.Advance(24 * time.Hour)
		again, err = g.Start(t.Context(), "agentic-loop", start("goal"))
		if err != nil || len(again) != 1 {
			t.Errorf("a day later: %v, %v", again, err)
		}
		if got := r.drain(g); len(got.Jobs) != len(s.Jobs)+1 {
			t.Errorf("%d jobs", len(got.Jobs))
		}
	})
}

func TestRetries(t *testing.T) {
	for _, test := range []struct {
		name    string
		retries bool
		tool    Handler
		status  Status // of the tool's job
		attempt int
		least   time.Duration // on the clock
	}{
		{"off", false, failing(true), Failed, 1, 0},
		{"well in the end", true, inTurn(failing(true), failing(true), reader), Succeeded, 3, 90 * time.Second},
		{"to the end", true, failing(true), Dead, 4, 210 * time.Second},
		{"of no use", true, failing(false), Failed, 1, 0},
		{"configured wrong", true, exits(78), Failed, 1, 0},
		{"another code", true, inTurn(exits(1), reader), Succeeded, 2, 30 * time.Second},
		{"no answer", true, inTurn(func(context.Context, []byte) ([]byte, int) { return nil, 0 }, reader), Succeeded, 2, 30 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, "jina-reader")
			r.o.Retries = test.retries
			r.plugins["jina-reader"] = test.tool
			s := r.run("goal")
			if j := s.Jobs[1]; j.Status != test.status || j.Attempt != test.attempt {
				t.Errorf("the job is %s after attempt %d: %s", j.Status, j.Attempt, j.LastError)
			}
			if took := r.clock.Now().Sub(epoch); took < test.least || took > test.least*12/10 {
				t.Errorf("it took %v", took)
			}
			if done := completed(s) == 1; done != (test.status == Succeeded) {
				t.Errorf("completed: %v", done)
			}
		})
	}
}

// A job that waits for its retry holds nobody up.
func TestRetriesDoNotBlock(t *testing.T) {
	r := newRig(t, "jina-reader")
	r.o.Retries = true
	r.plugins["jina-reader"] = inTurn(failing(true), reader)
	r.run("first", "second")
	var order []string
	for _, record := range r.records {
		for _, u := range record.Unrouted {
			var p agenticloopv2.CompletedPayload
			_ = json.Unmarshal(u.Event.Payload, &p)
			order = append(order, p.Goal)
		}
	}
	if diff := cmp.Diff([]string{"second", "first"}, order); diff != "" {
		t.Error(diff)
	}
}

func exits(code int) Handler {
	return func(ctx context.Context, request []byte) ([]byte, int) {
		body, _ := reader(ctx, request)
		return body, code
	}
}

func TestExitCode(t *testing.T) {
	for _, test := range []struct {
		policy ExitCode
		tool   Handler
		status Status
	}{
		{ExitFails, exits(3), Failed},
		{ExitIgnored, exits(3), Succeeded},
		{ExitIgnored, exits(78), Succeeded},
		{ExitIgnored, func(context.Context, []byte) ([]byte, int) { return []byte("oops"), 3 }, Failed},
	} {
		r := newRig(t, "jina-reader")
		r.o.ExitCode = test.policy
		r.plugins["jina-reader"] = test.tool
		s := r.run("goal")
		if j := s.Jobs[1]; j.Status != test.status || test.status == Failed && !strings.Contains(j.LastError, "code 3") {
			t.Errorf("%s: the job is %s: %s", test.policy, j.Status, j.LastError)
		}
	}
}

// Of a tool that fails for good nobody hears, unless the gateway says so in its place. Then the agent asks again, and
// gives up.
func TestFailedTool(t *testing.T) {
	for _, policy := range []OnFailure{Nothing, Synthesise} {
		r := newRig(t, "jina-reader")
		r.o.OnFailure = policy
		r.plugins["jina-reader"] = failing(false)
		var agent []agenticloopv2.Request
		r.plugins["agentic-loop"] = told(&agent, r.plugins["agentic-loop"])
		s := r.run("goal")
		run := runOf(t, s, "R-goal")
		if policy == Nothing {
			if run.Status != agenticloopv2.RunStatusRunning || len(s.Jobs) != 2 {
				t.Errorf("the run is %+v\n%s", run, strings.Join(shape(s), "\n"))
			}
			continue
		}
		if run.Status != agenticloopv2.RunStatusEscalated || len(s.Jobs) != 5 || unrouted(s, TypeEscalated) != 1 {
			t.Errorf("the run is %+v\n%s", run, strings.Join(shape(s), "\n"))
		}
		var heard agenticloopv2.ToolResultPayload
		if err := json.Unmarshal(agent[1].Event.Payload, &heard); err != nil {
			t.Fatal(err)
		}
		if heard.Status != agenticloopv2.ToolStatusError || heard.Error != "no network" || heard.RunID != "R-goal" || heard.Step != 1 {
			t.Errorf("the agent heard %+v", heard)
		}
	}
}

// Nobody is told of a failure while the job is tried again.
func TestFailedToolAfterRetries(t *testing.T) {
	r := newRig(t, "jina-reader")
	r.o.OnFailure, r.o.Retries, r.o.MaxAttempts = Synthesise, true, 3
	r.plugins["jina-reader"] = failing(true)
	s := r.run("goal")
	want := []string{ // the agent asks twice
		"1<0 agentic-loop agentic.start succeeded once",
		"2<1 jina-reader agentic.tool_request.jina-reader dead attempt 3",
		"3<2 agentic-loop agentic.tool_result succeeded once",
		"4<3 jina-reader agentic.tool_request.jina-reader dead attempt 3",
		"5<4 agentic-loop agentic.tool_result succeeded once",
	}
	if diff := cmp.Diff(want, shape(s)); diff != "" {
		t.Error(diff)
	}
}

func TestMerge(t *testing.T) {
	for policy, want := range map[Merge]string{Shallow: `{"a":1,"b":2}`, Replace: `{"b":2}`} {
		r := newRig(t)
		r.o.Merge = policy
		said := inTurn(
			func(context.Context, []byte) ([]byte, int) { return ok(map[string]any{"a": 1}) },
			func(context.Context, []byte) ([]byte, int) { return ok(map[string]any{"b": 2}) },
			func(context.Context, []byte) ([]byte, int) { return ok(map[string]any{}) }, // no update at all
		)
		r.plugins["agentic-loop"] = said
		s := r.run("one", "two", "three")
		if got := string(s.Row("agentic-loop")); got != want {
			t.Errorf("%s: %s", policy, got)
		}
	}
}

// A row of more than a mebibyte fails the job that would make it, and leaves the row as it was.
func TestRowLimit(t *testing.T) {
	for _, unbounded := range []bool{false, true} {
		for _, commit := range []Commit{TwoCommits, Outbox} {
			r := newRig(t)
			r.o.Unbounded, r.o.Commit = unbounded, commit
			half := strings.Repeat("x", MaxState/2)
			r.plugins["agentic-loop"] = inTurn(
				func(context.Context, []byte) ([]byte, int) { return ok(map[string]any{"a": half}) },
				func(context.Context, []byte) ([]byte, int) {
					return ok(map[string]any{"b": half}, agenticloopv2.Event{Type: "anything"})
				},
			)
			s := r.run("one", "two")
			kept := strings.Contains(string(s.Row("agentic-loop")), `"b"`)
			failed := s.Jobs[1].Status == Failed && strings.Contains(s.Jobs[1].LastError, "more than 1048576") && len(s.Unrouted) == 0
			if kept != unbounded || failed == unbounded {
				t.Errorf("unbounded %v: %s, kept: %v, %s", unbounded, s.Jobs[1].Status, kept, s.Jobs[1].LastError)
			}
		}
	}
}

// Two workers that take turns of one plugin at a time lose what one of them wrote; one worker does not, nor do two where the
// plugin says that it must not.
func TestWorkers(t *testing.T) {
	for _, test := range []struct {
		workers int
		plugin  string
		kept    int // runs
	}{{1, "both", 2}, {2, "both", 1}, {2, "serial", 2}} {
		t.Run(fmt.Sprintf("%d %s", test.workers, test.plugin), func(t *testing.T) {
			r := newRig(t)
			r.o.Workers = test.workers
			meet := func() {}
			if test.kept == 1 { // they run at the same time for certain
				var both sync.WaitGroup
				both.Add(2)
				meet = func() {
					both.Done()
					both.Wait()
				}
			}
			r.plugins[test.plugin] = func(_ context.Context, request []byte) ([]byte, int) {
				req := asked(request)
				var state struct {
					Runs map[string]bool `json:"runs"`
				}
				_ = json.Unmarshal(req.State, &state)
				if state.Runs == nil {
					state.Runs = map[string]bool{}
				}
				state.Runs[req.JobID] = true
				meet()
				return ok(state)
			}
			running, most := 0, 0
			r.o.Observe = func(record Record) {
				if record.Claimed != nil {
					running++
				}
				if record.Ended != nil {
					running--
				}
				most = max(most, running)
			}
			g := r.open()
			for range 2 {
				if _, err := g.Start(t.Context(), test.plugin, start("goal")); err != nil {
					t.Fatal(err)
				}
			}
			s := r.drain(g)
			var keys map[string]map[string]bool
			if err := json.Unmarshal(s.Row(test.plugin), &keys); err != nil {
				t.Fatal(err)
			}
			if n := len(keys["runs"]); n != test.kept {
				t.Errorf("%d runs were kept", n)
			}
			if want := 3 - test.kept; most != want {
				t.Errorf("%d jobs ran at a time, want %d", most, want)
			}
		})
	}
}
