package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
)

func TestMain(m *testing.M) {
	testenv.Disinherit()
	testenv.Draws(15)
	goleak.VerifyTestMain(m)
}

var epoch = time.Date(2026, 2, 16, 12, 0, 0, 0, time.UTC)

// memoryLog is an event log of slices.
type memoryLog struct {
	mu   sync.Mutex
	logs map[string][]eventlog.Entry
	last uint64
	most int // bytes of an entry; 0: any
}

func (l *memoryLog) Append(_ context.Context, log string, after uint64, data []byte) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var last uint64
	if entries := l.logs[log]; len(entries) > 0 {
		last = entries[len(entries)-1].Revision
	}
	if last != after {
		return 0, eventlog.ErrConflict
	}
	if l.most > 0 && len(data) > l.most {
		return 0, eventlog.ErrTooLarge
	}
	if l.logs == nil {
		l.logs = map[string][]eventlog.Entry{}
	}
	l.last++
	l.logs[log] = append(l.logs[log], eventlog.Entry{Revision: l.last, Data: data})
	return l.last, nil
}

func (l *memoryLog) Each(_ context.Context, log string, after uint64, see func(eventlog.Entry) error) error {
	l.mu.Lock()
	entries := slices.Clone(l.logs[log])
	l.mu.Unlock()
	for _, e := range entries {
		if e.Revision <= after {
			continue
		}
		if err := see(e); err != nil {
			return err
		}
	}
	return nil
}

// rig is a gateway with all that is around it.
type rig struct {
	t       testing.TB
	o       Options
	clock   *clock.Manual
	plugins InProcess
	records []Record
	crashes int // that came
}

// fails is what a test and a check of rapid have in common.
type fails interface {
	Helper()
	Fatalf(string, ...any)
}

// newRig has the text's two pipelines, an agent that follows the script, and the tools.
func newRig(t testing.TB, tools ...string) *rig {
	t.Helper()
	r := &rig{t: t, clock: clock.NewManual(epoch), plugins: InProcess{"agentic-loop": scripted(tools...), "jina-reader": reader,
		"fabric": fabric}}
	r.o = Options{
		Log: &memoryLog{}, Runner: r.plugins, Clock: r.clock, Seed: 1, Workspace: NoWorkspace,
		Idle:    r.clock.Set,
		Observe: func(record Record) { r.records = append(r.records, record) },
	}
	for _, tool := range []string{"jina-reader", "fabric"} {
		r.pipeline("agentic.tool_request."+tool, tool, "agentic-loop")
	}
	return r
}

func (r *rig) pipeline(on string, uses ...string) {
	p := Pipeline{Name: fmt.Sprintf("p%d", len(r.o.Config.Pipelines)), On: on}
	for i, u := range uses {
		p.Steps = append(p.Steps, Step{ID: fmt.Sprintf("s%d", i), Uses: u})
	}
	r.o.Config.Pipelines = append(r.o.Config.Pipelines, p)
}

// open opens a gateway on the log as it is.
func (r *rig) open() *Gateway {
	r.t.Helper()
	r.o.Plugins = nil
	for _, name := range slices.Sorted(maps.Keys(r.plugins)) {
		p := InProcessPlugin(name)
		p.Serial = name == "serial"
		r.o.Plugins = append(r.o.Plugins, p)
	}
	g, err := Open(r.t.Context(), r.o)
	if err != nil {
		r.t.Fatal(err)
	}
	return g
}

func start(goal string) agenticloopv2.Event {
	return agenticloopv2.Event{Type: TypeStart, Payload: raw(map[string]any{"goal": goal}), DedupeKey: "agentic:start:" + goal}
}

// run starts a goal each and drains the queue; after a crash it opens the gateway again.
func (r *rig) run(goals ...string) State {
	r.t.Helper()
	g := r.open()
	for _, goal := range goals {
		if _, err := g.Start(r.t.Context(), "agentic-loop", start(goal)); err != nil {
			r.t.Fatal(err)
		}
	}
	return r.drain(g)
}

func (r *rig) drain(g *Gateway) State {
	r.t.Helper()
	for {
		err := g.Drain(r.t.Context())
		if crashed := (*CrashError)(nil); errors.As(err, &crashed) {
			r.crashes++
			g = r.open()
			continue
		}
		if err != nil {
			r.t.Fatal(err)
		}
		s, err := g.State(r.t.Context())
		if err != nil {
			r.t.Fatal(err)
		}
		return s
	}
}

// completed counts the completions that were told.
func completed(s State) int { return unrouted(s, TypeCompleted) }

func unrouted(s State, eventType string) (n int) {
	for _, u := range s.Unrouted {
		if u.Event.Type == eventType {
			n++
		}
	}
	return n
}

// turnsOf counts the attempts of a plugin.
func turnsOf(r *rig, s State, plugin string) (n int) {
	for _, record := range r.records {
		if record.Claimed != nil {
			if j, _ := s.Job(record.Claimed.Job); j.Plugin == plugin {
				n++
			}
		}
	}
	return n
}

func raw(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

// ok is a sound answer.
func ok(state any, events ...agenticloopv2.Event) ([]byte, int) {
	r := agenticloopv2.Response{Status: agenticloopv2.ResponseStatusOk, Result: "done", Events: events}
	if state != nil {
		r.StateUpdates = raw(state)
	}
	return raw(r), 0
}

func asked(request []byte) (r agenticloopv2.Request) {
	if err := json.Unmarshal(request, &r); err != nil {
		panic(err)
	}
	return r
}

// scripted is an agent that follows RFC-103's text to the letter and calls these tools one after the other.
func scripted(tools ...string) Handler {
	return func(_ context.Context, request []byte) ([]byte, int) {
		req := asked(request)
		var state agenticloopv2.RunState
		var result agenticloopv2.ToolResultPayload
		if json.Unmarshal(req.State, &state) != nil {
			return []byte("{}"), 1
		}
		if state.Runs == nil {
			state.Runs = map[string]agenticloopv2.Run{}
		}
		ignored, _ := ok(nil)
		ask := func(id string, run agenticloopv2.Run) ([]byte, int) {
			tool := tools[run.Step-1]
			run.Status, run.PendingStep, run.PendingTool = agenticloopv2.RunStatusRunning, run.Step, tool
			state.Runs[id], state.LastRunID = run, id
			payload := map[string]any{"run_id": id, "step": run.Step, "tool": tool, "tool_command": "handle"}
			if run.Step == 1 {
				payload["url"] = "http://example.org"
			}
			return ok(state, agenticloopv2.Event{
				Type: "agentic.tool_request." + tool, Payload: raw(payload),
				DedupeKey: fmt.Sprintf("agentic:run:%s:step:%d:request", id, run.Step),
			})
		}
		end := func(id string, run agenticloopv2.Run, status agenticloopv2.RunStatus, eventType string) ([]byte, int) {
			run.Status, run.PendingStep, run.PendingTool = status, 0, ""
			state.Runs[id] = run
			return ok(state, agenticloopv2.Event{Type: eventType, Payload: raw(map[string]any{
				"run_id": id, "goal": run.Goal, "outcome": "it is written", "reason": "tool_error", "steps_taken": run.Step,
			})})
		}
		if req.Event.Type == TypeStart {
			var p agenticloopv2.StartPayload
			_ = json.Unmarshal(req.Event.Payload, &p)
			id := "R-" + p.Goal
			if _, known := state.Runs[id]; known {
				return ignored, 0
			}
			return ask(id, agenticloopv2.Run{Goal: p.Goal, Step: 1, Attempt: 1})
		}
		_ = json.Unmarshal(req.Context, &result)
		_ = json.Unmarshal(req.Event.Payload, &result)
		run, known := state.Runs[result.RunID]
		if !known || run.Status != agenticloopv2.RunStatusRunning || result.Step != run.PendingStep || result.Tool != run.PendingTool {
			return ignored, 0
		}
		switch {
		case result.Status == agenticloopv2.ToolStatusError && run.Attempt > 1:
			return end(result.RunID, run, agenticloopv2.RunStatusEscalated, TypeEscalated)
		case result.Status == agenticloopv2.ToolStatusError:
			run.Attempt++
			return ask(result.RunID, run)
		case int(run.Step) == len(tools):
			return end(result.RunID, run, agenticloopv2.RunStatusDone, TypeCompleted)
		}
		run.Step, run.Attempt = run.Step+1, 1
		return ask(result.RunID, run)
	}
}

// reader and fabric are tools that know nothing of runs.
func reader(context.Context, []byte) ([]byte, int) {
	return ok(nil, agenticloopv2.Event{Type: "content_ready", Payload: raw(map[string]any{"content": "a page"})})
}

func fabric(context.Context, []byte) ([]byte, int) {
	return ok(nil, agenticloopv2.Event{Type: "fabric.completed", Payload: raw(map[string]any{"text": "two paragraphs"})})
}

// told is a tool that tells what it was asked.
func told(into *[]agenticloopv2.Request, then Handler) Handler {
	return func(ctx context.Context, request []byte) ([]byte, int) {
		*into = append(*into, asked(request))
		return then(ctx, request)
	}
}

// inTurn behaves each time as the next one does; the last one goes on.
func inTurn(handlers ...Handler) Handler {
	n := 0
	return func(ctx context.Context, request []byte) ([]byte, int) {
		h := handlers[min(n, len(handlers)-1)]
		n++
		return h(ctx, request)
	}
}

// failing is a plugin that answers with status error.
func failing(retry bool) Handler {
	return func(context.Context, []byte) ([]byte, int) {
		return raw(agenticloopv2.Response{Status: agenticloopv2.ResponseStatusError, Error: "no network", Retry: &retry}), 0
	}
}

func runOf(t fails, s State, id string) agenticloopv2.Run {
	t.Helper()
	var state agenticloopv2.RunState
	if err := json.Unmarshal(s.Row("agentic-loop"), &state); err != nil {
		t.Fatalf("%v", err)
	}
	run, known := state.Runs[id]
	if !known {
		t.Fatalf("there is no run %s in %s", id, s.Row("agentic-loop"))
	}
	return run
}

// shape is a queue as one line a job, in the order in which they arrived.
func shape(s State) (out []string) {
	for i, j := range s.Jobs {
		parent := slices.IndexFunc(s.Jobs, func(o Job) bool { return o.ID == j.Parent })
		out = append(out, fmt.Sprintf("%d<%d %s %s %s %s", i+1, parent+1, j.Plugin, j.Event.Type, j.Status,
			cmp.Or(map[int]string{1: "once"}[j.Attempt], fmt.Sprintf("attempt %d", j.Attempt))))
	}
	return out
}
