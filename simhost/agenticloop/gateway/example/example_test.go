package example_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/agenticloop/agent"
	"github.com/openassay/assay/simhost/agenticloop/gateway"
	"github.com/openassay/assay/simhost/agenticloop/gateway/example"
	"github.com/openassay/assay/simhost/eventlog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// loop is the example, with the plugins in this process.
func loop(t *testing.T) gateway.Options {
	t.Helper()
	log, err := eventlog.Open(t.Context(), eventlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	})
	dir := t.TempDir()
	if err := example.Export(dir, "/bin/false", nil, nil); err != nil {
		t.Fatal(err)
	}
	config, err := gateway.LoadConfig(filepath.Join(dir, example.PipelinesFile))
	if err != nil {
		t.Fatal(err)
	}
	plugins, err := gateway.LoadPlugins(filepath.Join(dir, example.PluginsFolder))
	if err != nil {
		t.Fatal(err)
	}
	runner := gateway.InProcess{agent.DefaultName: reference}
	for _, name := range example.Tools() {
		runner[name], _ = example.Turn(name)
	}
	return gateway.Options{Log: log, Config: config, Plugins: plugins, Runner: runner, Workspaces: filepath.Join(dir, "workspace")}
}

func reference(ctx context.Context, request []byte) ([]byte, int) {
	var out, errs strings.Builder
	code := agent.New(agent.Options{}).Run(ctx, strings.NewReader(string(request)), &out, &errs)
	return []byte(out.String()), code
}

// run runs a goal to its end, over crashes.
func run(t *testing.T, o gateway.Options) gateway.State {
	t.Helper()
	open := func() *gateway.Gateway {
		g, err := gateway.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	g := open()
	payload := json.RawMessage(`{"goal":"fetch web http://mattjoyce.ai and produce a 2 para critique"}`)
	if _, err := g.Start(t.Context(), agent.DefaultName, agenticloopv2.Event{Type: gateway.TypeStart, Payload: payload}); err != nil {
		t.Fatal(err)
	}
	for range len(o.Crashes) {
		if err := g.Drain(t.Context()); err == nil {
			t.Fatal("it did not crash")
		}
		g = open()
	}
	if err := g.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := g.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// completion is what the run ended with, nil where it did not.
func completion(t *testing.T, s gateway.State) *agenticloopv2.CompletedPayload {
	t.Helper()
	var all []agenticloopv2.CompletedPayload
	for _, u := range s.Unrouted {
		if u.Event.Type == gateway.TypeCompleted {
			var p agenticloopv2.CompletedPayload
			if err := json.Unmarshal(u.Event.Payload, &p); err != nil {
				t.Fatal(err)
			}
			all = append(all, p)
		}
	}
	if len(all) > 1 {
		t.Errorf("it completed %d times", len(all))
	}
	if len(all) == 0 {
		return nil
	}
	return &all[0]
}

// set changes a setting of a plugin.
func set(t *testing.T, o *gateway.Options, plugin, key string, value any) {
	t.Helper()
	s := o.Config.Settings[plugin]
	keys := map[string]any{}
	if len(s.Config) > 0 {
		if err := json.Unmarshal(s.Config, &keys); err != nil {
			t.Fatal(err)
		}
	}
	keys[key] = value
	var err error
	if s.Config, err = json.Marshal(keys); err != nil {
		t.Fatal(err)
	}
	o.Config.Settings = maps.Clone(o.Config.Settings)
	o.Config.Settings[plugin] = s
}

// The text's worked example, by the tools' own events and by results that the tools emit themselves.
func TestWorkedExample(t *testing.T) {
	for _, emit := range []string{"", gateway.TypeToolResult} {
		for _, revision := range agent.Revisions {
			t.Run(emit+" "+revision, func(t *testing.T) {
				o := loop(t)
				o.Revision = agenticloopv2.ProtocolRevision(revision)
				for _, tool := range example.Tools() {
					set(t, &o, tool, "emit", emit)
				}
				s := run(t, o)
				end := completion(t, s)
				if end == nil || end.StepsTaken != 2 || len(s.Jobs) != 5 {
					t.Fatalf("%+v after %d jobs: %+v", end, len(s.Jobs), s.Jobs)
				}
				if revision != agent.Revisions[0] {
					return
				}
				if !slices.Contains(end.Artifacts, "artifacts/critique.md") {
					t.Errorf("the artifacts are %q", end.Artifacts)
				}
				for _, name := range append(end.Artifacts, "context.md", "memory.md", "plan.md", "trace.jsonl") {
					if _, err := os.Stat(filepath.Join(o.Workspaces, s.Jobs[4].ID, name)); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

// With an outbox, and with an agent that asks again when its turn is delivered again, no crash costs the run.
func TestNoCrashIsFatal(t *testing.T) {
	for _, heal := range []string{"outbox", "reemit"} {
		for _, point := range gateway.CrashPoints() {
			for turn := 1; turn <= 5; turn++ {
				c := gateway.Crash{Point: point, Turn: turn}
				if point == gateway.AfterEnqueue {
					c.Job = 1
					if turn == 5 {
						continue // nothing is queued any more
					}
				}
				if heal == "reemit" && point == gateway.AfterState && turn == 5 {
					continue // what is lost is no request
				}
				t.Run(fmt.Sprintf("%s %s", heal, c), func(t *testing.T) {
					o := loop(t)
					o.Crashes = []gateway.Crash{c}
					if heal == "outbox" {
						o.Commit = gateway.Outbox
					} else {
						set(t, &o, agent.DefaultName, "reemit", true)
					}
					if end := completion(t, run(t, o)); end == nil || end.StepsTaken != 2 {
						t.Errorf("the run ended with %+v", end)
					}
				})
			}
		}
	}
}

// A tool that fails for good leaves the run waiting; told of it, the agent tries again and gives up.
func TestFailingTool(t *testing.T) {
	for _, policy := range []gateway.OnFailure{gateway.Nothing, gateway.Synthesise} {
		o := loop(t)
		o.OnFailure = policy
		set(t, &o, "fabric", "fail", "no model")
		s := run(t, o)
		var got []string
		for _, u := range s.Unrouted {
			got = append(got, u.Event.Type)
		}
		var want []string
		if policy == gateway.Synthesise {
			want = []string{gateway.TypeEscalated}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", policy, diff)
		}
	}
}

func TestToolMistakes(t *testing.T) {
	reader, known := example.Turn("jina-reader")
	if _, other := example.Turn("nobody"); !known || other {
		t.Error("the tools are others")
	}
	event := func(payload string) string {
		return `{"protocol":2,"job_id":"j","command":"handle","config":{},"state":{},"deadline_at":"2026-02-16T12:00:00Z","event":{"type":"t","payload":` + payload + `}}`
	}
	for request, want := range map[string]string{
		`nonsense`:                      "read the request",
		`{"deadline_at":null}`:          "the request has none",
		event(`{}`):                     "give a url",
		event(`{"tool_payload":"x"}`):   "read tool_payload",
		event(`[]`):                     "read the payload",
		event(`{"url":"http://a.b"}`):   "",
		event(`{"url":"<script>&\"'"}`): "",
		event(`{"tool_payload":{"url":"http://a.b"}}`): "",
	} {
		out, code := reader(t.Context(), []byte(request))
		var r agenticloopv2.Response
		if err := json.Unmarshal(out, &r); err != nil || code != 0 {
			t.Fatal(err, code)
		}
		if !strings.Contains(r.Error, want) || (want == "") != (r.Status == agenticloopv2.ResponseStatusOk) {
			t.Errorf("%s: %s %s", request, r.Status, r.Error)
		}
		if want != "" && (r.Retry == nil || *r.Retry) {
			t.Errorf("%s may be tried again", request)
		}
	}
}
