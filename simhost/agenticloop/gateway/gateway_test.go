package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/agenticloopv2"
)

// What a plugin is handed is what its revision of the protocol says.
func TestRequests(t *testing.T) {
	for _, revision := range []agenticloopv2.ProtocolRevision{agenticloopv2.ProtocolRevisionN202602, agenticloopv2.ProtocolRevisionN202606} {
		r := newRig(t, "jina-reader", "fabric")
		r.o.Revision, r.o.Workspace, r.o.Workspaces = revision, CloneWorkspace, t.TempDir()
		r.o.Config.Settings = map[string]Settings{"agentic-loop": {Timeout: time.Minute, Config: json.RawMessage(`{"max_steps":6}`)}}
		schema, err := component("Request" + strings.ReplaceAll(string(revision), "-", ""))
		if err != nil {
			t.Fatal(err)
		}
		var seen []agenticloopv2.Request
		for name, then := range r.plugins {
			r.plugins[name] = func(ctx context.Context, request []byte) ([]byte, int) {
				if problems := schema.Validate(request); len(problems) > 0 {
					t.Errorf("%s: %s: %v", revision, request, problems)
				}
				return told(&seen, then)(ctx, request)
			}
		}
		s := r.run("goal")
		if completed(s) != 1 {
			t.Fatal(strings.Join(shape(s), "\n"))
		}
		first, third := seen[0], seen[2]
		if first.Context != nil || string(first.State) != "{}" || string(first.Config) != `{"max_steps":6}` || first.JobID != s.Jobs[0].ID {
			t.Errorf("%+v", first)
		}
		if !first.DeadlineAt.Equal(epoch.Add(time.Minute)) || !seen[1].DeadlineAt.Equal(epoch.Add(DefaultTimeout)) ||
			string(seen[1].Config) != "{}" {
			t.Errorf("deadlines %s and %s, config %s", first.DeadlineAt, seen[1].DeadlineAt, seen[1].Config)
		}
		if e := third.Event; e.Type != "content_ready" || e.Source != "jina-reader" || !e.Timestamp.Equal(epoch) || e.EventID == "" {
			t.Errorf("%+v", e)
		}
		if !strings.Contains(string(third.State), "R-goal") {
			t.Errorf("the agent's state is %s", third.State)
		}
		early := revision == agenticloopv2.ProtocolRevisionN202602
		if (third.WorkspaceDir != "") != early || (third.Payload == nil) != early {
			t.Errorf("%s: workspace %q, payload %s", revision, third.WorkspaceDir, third.Payload)
		}
	}
}

// The later revision does not take an answer without a result.
func TestResultOfRevision(t *testing.T) {
	for revision, status := range map[agenticloopv2.ProtocolRevision]Status{
		agenticloopv2.ProtocolRevisionN202602: Succeeded, agenticloopv2.ProtocolRevisionN202606: Failed,
	} {
		r := newRig(t)
		r.o.Revision = revision
		r.plugins["agentic-loop"] = func(context.Context, []byte) ([]byte, int) {
			return []byte(`{"status":"ok","result":" ","events":null,"state_updates":null,"error":null,"unknown":1}` + "\n"), 0
		}
		if s := r.run("goal"); s.Jobs[0].Status != status {
			t.Errorf("%s: %s %s", revision, s.Jobs[0].Status, s.Jobs[0].LastError)
		}
	}
}

// An event goes to the step after its job's, and to every pipeline that is on its type; where there is neither, it is kept as
// unrouted.
func TestRouting(t *testing.T) {
	r := newRig(t)
	r.o.Config.Pipelines = nil
	says := func(types ...string) Handler {
		return func(context.Context, []byte) ([]byte, int) {
			var events []agenticloopv2.Event
			for _, eventType := range types {
				events = append(events, agenticloopv2.Event{Type: eventType})
			}
			return ok(nil, events...)
		}
	}
	r.plugins["agentic-loop"], r.plugins["jina-reader"], r.plugins["fabric"] = says("a", "b", "a"), says("b"), says()
	r.pipeline("a", "jina-reader", "fabric")
	r.pipeline("a", "fabric")
	r.pipeline("agentic.start", "agentic-loop")
	s := r.run("goal")
	want := []string{
		"1<0 agentic-loop agentic.start succeeded once",
		"2<1 jina-reader a succeeded once",
		"3<1 fabric a succeeded once",
		"4<1 jina-reader a succeeded once",
		"5<1 fabric a succeeded once",
		"6<2 fabric b succeeded once",
		"7<4 fabric b succeeded once",
	}
	if diff := cmp.Diff(want, shape(s)); diff != "" {
		t.Error(diff)
	}
	if len(s.Unrouted) != 1 || s.Unrouted[0].Event.Type != "b" || s.Unrouted[0].From != s.Jobs[0].ID {
		t.Errorf("%+v", s.Unrouted)
	}
	if s.Jobs[0].Pipeline == "" || rootOf(&s, s.Jobs[6].ID) != s.Jobs[0].ID {
		t.Errorf("%+v", s.Jobs[0])
	}
}

// origin_ keys stay what they were; all else of a context is laid over.
func TestCarried(t *testing.T) {
	o := Options{Context: Accumulate}
	parent, payload := json.RawMessage(`{"origin_user":"a","url":"1","step":1}`),
		json.RawMessage(`{"origin_user":"b","origin_new":"c","step":2}`)
	got, err := o.carried(parent, payload, false)
	if err != nil || string(got) != `{"origin_new":"c","origin_user":"a","step":2,"url":"1"}` {
		t.Errorf("%s, %v", got, err)
	}
	o = Options{Context: Baggage, Baggage: []string{"step", "run_id"}}
	if got, err = o.carried(json.RawMessage(`{"step":1}`), json.RawMessage(`{"step":2,"run_id":"R","url":"1"}`),
		false); err != nil || string(got) != `{"run_id":"R","step":1}` {
		t.Errorf("%s, %v", got, err)
	}
	if got, err = o.carried(json.RawMessage(`{"step":1}`), json.RawMessage(`{"step":2}`), true); err != nil || string(got) != `{"step":2}` {
		t.Errorf("a pipeline begins with %s, %v", got, err)
	}
}

// What cannot be carried or appended fails the job, and not the gateway.
func TestTooLarge(t *testing.T) {
	large := func(context.Context, []byte) ([]byte, int) {
		return ok(map[string]any{"a": 1}, agenticloopv2.Event{Type: "agentic.tool_request.fabric",
			Payload: raw(map[string]any{"text": strings.Repeat("x", MaxContext)})})
	}
	r := newRig(t)
	r.plugins["agentic-loop"] = large
	if s := r.run("goal"); s.Jobs[0].Status != Failed || !strings.Contains(s.Jobs[0].LastError, "put what is large into a file") ||
		len(s.Rows) != 0 {
		t.Errorf("%+v", s.Jobs)
	}
	for _, commit := range []Commit{TwoCommits, Outbox} {
		r := newRig(t)
		r.o.Log, r.o.Commit, r.o.Context = &memoryLog{most: MaxContext}, commit, NoContext
		r.plugins["agentic-loop"] = large
		if s := r.run("goal"); s.Jobs[0].Status != Failed || !strings.Contains(s.Jobs[0].LastError, "larger than one append may be") ||
			len(s.Jobs) != 1 {
			t.Errorf("%s: %+v", commit, s.Jobs)
		}
	}
}

// Pipelines that set each other off are stopped.
func TestTooManyTurns(t *testing.T) {
	r := newRig(t)
	r.o.MaxTurns = 7
	r.plugins["agentic-loop"] = func(context.Context, []byte) ([]byte, int) {
		return ok(nil, agenticloopv2.Event{Type: "again"})
	}
	r.pipeline("again", "agentic-loop")
	g := r.open()
	if _, err := g.Start(t.Context(), "agentic-loop", start("goal")); err != nil {
		t.Fatal(err)
	}
	err := g.Drain(t.Context())
	if tooMany := (*TooManyError)(nil); !errors.As(err, &tooMany) || tooMany.Turns != 7 {
		t.Errorf("%v", err)
	}
	if s, err := g.State(t.Context()); err != nil || s.Turns != 7 {
		t.Errorf("%d turns, %v", s.Turns, err)
	}
}

// A gateway that is cancelled leaves its job to the next one, which runs it again.
func TestCancelled(t *testing.T) {
	r := newRig(t, "jina-reader")
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	then := r.plugins["jina-reader"]
	r.plugins["jina-reader"] = inTurn(func(ctx context.Context, request []byte) ([]byte, int) {
		cancel(why)
		return then(ctx, request)
	}, then)
	g := r.open()
	if _, err := g.Start(t.Context(), "agentic-loop", start("goal")); err != nil {
		t.Fatal(err)
	}
	if err := g.Drain(ctx); !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
	if s, err := g.State(t.Context()); err != nil || s.Jobs[1].Status != Running {
		t.Errorf("%v, %v", shape(s), err)
	}
	s := r.drain(r.open())
	if completed(s) != 1 || s.Jobs[1].Attempt != 2 {
		t.Error(strings.Join(shape(s), "\n"))
	}
}

// A gateway that waits for a retry on a clock of its own takes what is queued meanwhile.
func TestStartWhileWaiting(t *testing.T) {
	r := newRig(t, "jina-reader")
	r.o.Retries, r.o.Idle = true, nil
	waits := make(chan struct{})
	r.o.Observe = func(record Record) {
		if record.Ended != nil && record.Ended.Status == Queued {
			close(waits)
		}
	}
	r.plugins["jina-reader"] = inTurn(failing(true), reader)
	g := r.open()
	if _, err := g.Start(t.Context(), "agentic-loop", start("first")); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- g.Drain(t.Context()) }()
	<-waits
	if _, err := g.Start(t.Context(), "agentic-loop", start("second")); err != nil {
		t.Fatal(err)
	}
	for done := false; !done; {
		s, err := g.State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		done = completed(s) == 1
	}
	r.clock.Advance(time.Minute)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if s, err := g.State(t.Context()); err != nil || completed(s) != 2 {
		t.Errorf("%v, %v", shape(s), err)
	}
}

// A job whose plugin is gone when its turn comes is failed, and said so.
func TestPluginIsGone(t *testing.T) {
	r := newRig(t, "jina-reader")
	g := r.open()
	if _, err := g.Start(t.Context(), "agentic-loop", start("goal")); err != nil {
		t.Fatal(err)
	}
	delete(r.plugins, "agentic-loop")
	r.o.Config.Pipelines = nil
	s := r.drain(r.open())
	if j := s.Jobs[0]; j.Status != Failed || !strings.Contains(j.LastError, `plugin "agentic-loop" is not loaded`) {
		t.Errorf("%+v", j)
	}
}

func TestOptionMistakes(t *testing.T) {
	for _, test := range []struct {
		want   string
		change func(*Options)
	}{
		{"needs a log and a runner", func(o *Options) { o.Log = nil }},
		{"workspaces need a folder", func(o *Options) { o.Workspace = "" }},
		{`commit "three": give one of`, func(o *Options) { o.Commit = "three" }},
		{"counted from 1", func(o *Options) { o.Workers = -1 }},
		{"baggage is carried with", func(o *Options) { o.Baggage = []string{"url"} }},
		{"there is no crash", func(o *Options) { o.Crashes = []Crash{{Point: "nowhere", Turn: 1}} }},
		{`uses plugin "fabric", which is not loaded`, func(o *Options) { o.Plugins = o.Plugins[:1] }},
	} {
		r := newRig(t)
		r.open()
		test.change(&r.o)
		_, err := Open(t.Context(), r.o)
		if mistake := (*ConfigError)(nil); !errors.As(err, &mistake) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.want, err)
		}
	}
	g := newRig(t).open()
	if _, err := g.Start(t.Context(), "nobody", start("goal")); err == nil || !strings.Contains(err.Error(),
		`no plugin "nobody" with a command handle is loaded`) {
		t.Errorf("%v", err)
	}
	for name, positions := range Knobs() {
		for _, p := range positions {
			r := newRig(t)
			r.o.Workspaces = t.TempDir()
			r.o.Set(name, p)
			r.open()
		}
	}
}

// Ids follow from the seed, and no two are alike, over crashes too.
func TestIDs(t *testing.T) {
	ids := func(seed uint64) []string {
		r := newRig(t, "jina-reader", "fabric")
		r.o.Seed = seed
		r.o.Crashes = []Crash{{Point: AfterEnqueue, Turn: 2, Job: 1}}
		var out []string
		for _, j := range r.run("one", "two").Jobs {
			out = append(out, j.ID, j.Event.EventID)
		}
		return out
	}
	if diff := cmp.Diff(ids(1), ids(1)); diff != "" {
		t.Error(diff)
	}
	seen := map[string]bool{}
	for _, id := range append(ids(1), ids(2)...) {
		if seen[id] {
			t.Errorf("%s is there twice", id)
		}
		seen[id] = true
	}
	if a, b := ids(0), ids(0); a[0] == b[0] {
		t.Errorf("two gateways without a seed begin with %s", a[0])
	}
}

// What a tool's own event says of its failure stands in the result that is made of it; an event that is about no run is handed
// on as it is.
func TestMadeResultOfFailure(t *testing.T) {
	of := map[string]json.RawMessage{"run_id": raw("R"), "step": raw(1), "tool": raw("fetch")}
	e, err := toolResult(of, raw(map[string]any{"status": "error", "error": "no network"}), "", epoch)
	var p agenticloopv2.ToolResultPayload
	if err != nil || json.Unmarshal(e.Payload, &p) != nil || p.Status != agenticloopv2.ToolStatusError || p.Error != "no network" {
		t.Errorf("%s, %v", e.Payload, err)
	}
	if got := CorrelationOf(e); got != (Correlation{"R", 1, "fetch"}) {
		t.Errorf("%+v", got)
	}
	if got := CorrelationOf(agenticloopv2.Event{Payload: raw(map[string]any{"run_id": 7, "step": "x"})}); got != (Correlation{}) {
		t.Errorf("%+v", got)
	}
	if got := CorrelationOf(agenticloopv2.Event{Payload: raw([]int{1})}); got != (Correlation{}) {
		t.Errorf("%+v", got)
	}
	of["run_id"] = raw(7)
	if e, err = toolResult(of, nil, "broken", epoch); err != nil || e.DedupeKey != "" {
		t.Errorf("%q, %v", e.DedupeKey, err)
	}

	r := newRig(t, "jina-reader")
	r.o.Results, r.o.OnFailure = Direct, Synthesise
	r.plugins["agentic-loop"] = inTurn(func(context.Context, []byte) ([]byte, int) {
		return ok(nil, agenticloopv2.Event{Type: "agentic.tool_request.jina-reader", Payload: raw(map[string]any{"run_id": nil})},
			agenticloopv2.Event{Type: "agentic.tool_request.fabric"})
	}, r.plugins["agentic-loop"])
	r.plugins["fabric"] = failing(false)
	want := []string{
		"1<0 agentic-loop agentic.start succeeded once",
		"2<1 jina-reader agentic.tool_request.jina-reader succeeded once",
		"3<1 fabric agentic.tool_request.fabric failed once",
		"4<2 agentic-loop content_ready succeeded once",
	}
	if diff := cmp.Diff(want, shape(r.run("goal"))); diff != "" {
		t.Error(diff)
	}
}

// Plugins in this process are held to the limits of those outside.
func TestInProcessLimits(t *testing.T) {
	for name, test := range map[string]struct {
		handle Handler
		why    string
		status Status
		time   time.Duration
	}{
		"late": {func(ctx context.Context, _ []byte) ([]byte, int) {
			<-ctx.Done()
			return nil, 0
		}, "it did not answer in time", TimedOut, 10 * time.Millisecond},
		"long": {func(context.Context, []byte) ([]byte, int) { return make([]byte, MaxStdout+1), 0 }, "more than 10485760 bytes",
			Failed, time.Minute},
		"missing": {nil, `there is no plugin "agentic-loop" in this process`, Failed, time.Minute},
	} {
		r := newRig(t)
		r.o.Config.Settings = map[string]Settings{"agentic-loop": {Timeout: test.time}}
		r.plugins["agentic-loop"] = test.handle
		if j := r.run("goal").Jobs[0]; j.Status != test.status || !strings.Contains(j.LastError, test.why) {
			t.Errorf("%s: %s %s", name, j.Status, j.LastError)
		}
	}
}

// rootOf is the job from outside that a job descends from.
func rootOf(s *State, id string) string {
	for {
		j, known := s.Job(id)
		if !known || j.Parent == "" {
			return id
		}
		id = j.Parent
	}
}
