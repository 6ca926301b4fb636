package goal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openassay/assay/simhost/ids"

	"go.uber.org/goleak"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openwop/engine/live"
	"github.com/openassay/assay/simhost/refusal"
)

func TestMain(m *testing.M) {
	testenv.Draws(15)
	goleak.VerifyTestMain(m)
}

var epoch = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// patience bounds what a test waits for; reaching it is a failure.
var patience = testenv.Patience(20 * time.Second)

// host is the goals under test with all that is around them.
type host struct {
	*Goals
	t      testing.TB
	log    *memoryLog
	clock  *clock.Manual
	engine *live.Engine
	dying  sync.WaitGroup
	o      Options
	r      live.Options
}

// newHost opens goals over an engine, both over a log in memory, and closes them with the test.
func newHost(t testing.TB, options ...func(*host)) *host {
	t.Helper()
	h := &host{t: t, log: newMemoryLog(), clock: clock.NewManual(epoch)}
	complain := func(err error) {
		if !errors.Is(err, errKilled) {
			t.Errorf("background error: %v", err)
		}
	}
	h.r = live.Options{Clock: h.clock, IDs: ids.Seeded(1), Workflows: fixtures(t), Version: 5, OnError: complain}
	h.o = Options{Clock: h.clock, IDs: ids.Seeded(2), Tenant: "local", RequireBounds: true, OnError: complain}
	for _, set := range options {
		set(h)
	}
	h.start()
	t.Cleanup(h.end)
	return h
}

func (h *host) start() {
	h.t.Helper()
	h.r.Log, h.o.Log = h.log, h.log
	var err error
	if h.engine, err = live.New(h.r); err != nil {
		h.t.Fatal(err)
	}
	if err := h.engine.Resume(h.soon()); err != nil {
		h.t.Fatal(err)
	}
	o := h.o
	if o.Runs == nil {
		o.Runs = h.engine
	}
	if h.Goals, err = Open(h.soon(), o); err != nil {
		h.t.Fatal(err)
	}
	if err := h.Resume(h.soon()); err != nil {
		h.t.Fatal(err)
	}
}

func (h *host) end() {
	if err := errors.Join(h.Close(), h.engine.Close()); err != nil {
		h.t.Error(err)
	}
	h.dying.Wait()
}

// dies has everything end as soon as the log takes no more: nobody is left to wait for.
func (h *host) dies() {
	goals, log := h.Goals, h.log
	h.dying.Go(func() {
		select {
		case <-log.killed:
		case <-goals.ctx.Done():
		}
		goals.Close()
	})
}

// restart ends everything and starts it again over what a new process finds of the log.
func (h *host) restart() {
	h.t.Helper()
	h.end()
	h.log = h.log.survivor()
	h.start()
	h.quiet()
}

// quiet waits until no tick is under way, and no schedule is behind.
func (h *host) quiet() {
	h.t.Helper()
	for deadline := time.Now().Add(patience); ; runtime.Gosched() {
		busy := false
		err := h.view(h.soon(), func(b *board) error {
			busy = slices.ContainsFunc(b.order, func(s *state) bool {
				_, behind := s.slot(h.now(s.ahead))
				return s.begun != nil || behind
			})
			return nil
		})
		if err != nil || time.Now().After(deadline) {
			h.t.Fatalf("the goals do not come to rest: %v", err)
		}
		if !busy {
			return
		}
	}
}

func (h *host) soon() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	h.t.Cleanup(cancel)
	return ctx
}

// must ends the test on an error.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func within(iterations int64) openwopv1.GoalBounds {
	return openwopv1.GoalBounds{MaxLoopIterations: &iterations}
}

const objective = "the MARKER of an objective"

func offered(bounds openwopv1.GoalBounds) Create {
	return Create{
		Objective:    objective,
		Completion:   openwopv1.GoalCompletionRequest{Check: openwopv1.GoalCheckHost},
		Continuation: openwopv1.GoalContinuation{Mode: openwopv1.GoalContinuationModeManual},
		Bounds:       bounds,
	}
}

// create makes a goal and returns its id.
func (h *host) create(bounds openwopv1.GoalBounds) string {
	h.t.Helper()
	return must[openwopv1.Goal](h.t)(h.Create(h.soon(), offered(bounds))).ID
}

func (h *host) tick(id string, t Tick) Ticked {
	h.t.Helper()
	return must[Ticked](h.t)(h.Tick(h.soon(), id, t))
}

func (h *host) get(id string) openwopv1.Goal {
	h.t.Helper()
	return must[openwopv1.Goal](h.t)(h.Get(h.soon(), id))
}

func (h *host) events(id string) []openwopv1.GoalEvent {
	h.t.Helper()
	return must[[]openwopv1.GoalEvent](h.t)(h.Events(h.soon(), id))
}

func (h *host) run(id string) openwopv1.RunSnapshot {
	h.t.Helper()
	return must[openwopv1.RunSnapshot](h.t)(h.engine.Snapshot(h.soon(), id))
}

// answer answers a run that waits for a person.
func (h *host) answer(id string) {
	h.t.Helper()
	must[openwopv1.RunSnapshot](h.t)(h.engine.Resolve(h.soon(), id, "supervisor", json.RawMessage(`{"answers":{"q1":"yes"}}`)))
}

// code is the code of a refusal, "" where there is no error.
func code(err error) string {
	if refused := (*refusal.Error)(nil); errors.As(err, &refused) {
		return refused.Code
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// story tells the log of a goal in one word an event: evaluations by verdict, closings by final state.
func story(events []openwopv1.GoalEvent) string {
	var words []string
	for _, e := range events {
		word := fmt.Sprint(e.Payload["finalState"])
		if e.Type == openwopv1.GoalEventTypeGoalEvaluated {
			word = fmt.Sprint(e.Payload["satisfied"])
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func (h *host) expectStory(id, want string) {
	h.t.Helper()
	if got := story(h.events(id)); got != want {
		h.t.Errorf("the log of the goal says %q, want %q", got, want)
	}
}

// fixtures are the workflows of the contract.
func fixtures(t testing.TB) map[string]openwopv1.WorkflowDefinition {
	t.Helper()
	all := map[string]openwopv1.WorkflowDefinition{}
	for _, id := range []string{workflowWork, workflowStuck, "conformance-noop", "conformance-delay"} {
		raw := must[[]byte](t)(openwopv1.Fixtures.ReadFile("fixtures/" + id + ".json"))
		var d openwopv1.WorkflowDefinition
		if err := json.Unmarshal(raw, &d); err != nil {
			t.Fatal(err)
		}
		all[d.ID] = d
	}
	return all
}

// memoryLog is a log for tests that wants no server. It can be killed: from then on nothing is written any more. And it can
// swallow an answer: that append is written, and its caller is told that it may not have been.
type memoryLog struct {
	mu      sync.Mutex
	logs    map[string][]eventlog.Entry
	pending map[string]bool
	last    uint64
	killed  chan struct{} // closed when it has refused an append
	left    int           // appends until it is killed, -1: never
	silent  int           // appends of goals until one is not answered, negative: never
}

var (
	errKilled = errors.New("the process was killed")
	errSilent = errors.New("the disk did not answer")
)

func newMemoryLog() *memoryLog {
	return &memoryLog{logs: map[string][]eventlog.Entry{}, pending: map[string]bool{}, killed: make(chan struct{}), left: -1, silent: -1}
}

// kill lets the log take n more appends.
func (l *memoryLog) kill(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = n
}

func (l *memoryLog) refuse() error {
	select {
	case <-l.killed:
	default:
		close(l.killed)
	}
	return errKilled
}

// survivor is what a new process finds.
func (l *memoryLog) survivor() *memoryLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := newMemoryLog()
	s.last = l.last
	for name, entries := range l.logs {
		s.logs[name] = slices.Clone(entries)
	}
	for name := range l.pending {
		s.pending[name] = true
	}
	return s
}

func (l *memoryLog) Append(ctx context.Context, log string, after uint64, data []byte) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var last uint64
	if entries := l.logs[log]; len(entries) > 0 {
		last = entries[len(entries)-1].Revision
	}
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case l.left == 0:
		return 0, l.refuse()
	case last != after:
		return 0, eventlog.ErrConflict
	}
	l.left = max(l.left-1, -1)
	l.last++
	l.logs[log] = append(l.logs[log], eventlog.Entry{Revision: l.last, Data: data})
	if !strings.HasPrefix(log, "goals-") {
		return l.last, nil
	}
	l.silent--
	if l.silent == -1 {
		return 0, errSilent
	}
	return l.last, nil
}

func (l *memoryLog) Read(ctx context.Context, log string, after uint64) ([]eventlog.Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	entries := l.logs[log]
	for len(entries) > 0 && entries[0].Revision <= after {
		entries = entries[1:]
	}
	return slices.Clone(entries), ctx.Err()
}

func (l *memoryLog) Each(ctx context.Context, log string, after uint64, see func(eventlog.Entry) error) error {
	entries, err := l.Read(ctx, log, after)
	for _, e := range entries {
		if err == nil {
			err = see(e)
		}
	}
	return err
}

func (l *memoryLog) MarkPending(ctx context.Context, log string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left == 0 {
		return l.refuse()
	}
	l.pending[log] = true
	return ctx.Err()
}

func (l *memoryLog) Successor(log string) string { return log }

func (l *memoryLog) ClearPending(log string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left != 0 {
		delete(l.pending, log)
	}
}

func (l *memoryLog) Pending(ctx context.Context) (ids []string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id := range l.pending {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids, ctx.Err()
}

// runs are the ids of the runs that were fired for a goal, by what their logs begin with.
func (h *host) runs(goalID string) (ids []string) {
	h.log.mu.Lock()
	defer h.log.mu.Unlock()
	for log, entries := range h.log.logs {
		if strings.HasPrefix(log, "run-") && strings.Contains(string(entries[0].Data), goalID) {
			ids = append(ids, log)
		}
	}
	slices.Sort(ids)
	return ids
}

// yes is the verdict that ends a goal well.
var yes = &openwopv1.ScriptedVerdict{Satisfied: true}

// sure is the verdict that it is not reached, with this confidence.
func sure(confidence float64) *openwopv1.ScriptedVerdict {
	return &openwopv1.ScriptedVerdict{Confidence: &confidence}
}
