package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/memory"
	"github.com/openassay/assay/simhost/refusal"
	"github.com/openassay/assay/simhost/workspace"
)

func TestMain(m *testing.M) {
	testenv.Draws(10)
	goleak.VerifyTestMain(m)
}

var epoch = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// host is an engine under test with all that is around it.
type host struct {
	*Engine
	t     testing.TB
	log   *memoryLog
	clock *clock.Manual
	o     Options

	stores bool // whether it has the two below, over the same log
	files  *workspace.Files
	memory *memory.Store

	history int // how much of the memory is kept; 0: all
}

type option func(*Options)

func version(v int) option { return func(o *Options) { o.Version = v } }

// newHost starts an engine over a log in memory and closes it with the test.
func newHost(t testing.TB, options ...option) *host {
	t.Helper()
	h := &host{t: t, log: newMemoryLog(), clock: clock.NewManual(epoch)}
	h.o = Options{Log: h.log, Clock: h.clock, IDs: SeededIDs(1), Workflows: fixtures(t), Version: 5}
	h.o.OnError = func(err error) {
		if !errors.Is(err, errKilled) {
			t.Errorf("background error: %v", err)
		}
	}
	for _, set := range options {
		set(&h.o)
	}
	h.start()
	t.Cleanup(func() { h.Close() })
	return h
}

// newStoreHost starts an engine that has a workspace and a memory.
func newStoreHost(t testing.TB, options ...option) *host {
	t.Helper()
	h := newHost(t, options...)
	h.stores = true
	h.restart()
	return h
}

// openStores opens the stores anew, as a process does that begins.
func (h *host) openStores() {
	h.t.Helper()
	var err error
	if h.files, err = workspace.Open(workspace.Options{Log: h.log, Clock: h.clock}); err != nil {
		h.t.Fatal(err)
	}
	if h.memory, err = memory.Open(memory.Options{Log: h.log, Clock: h.clock, History: h.history}); err != nil {
		h.t.Fatal(err)
	}
	h.o.Files, h.o.Memory = h.files, h.memory
}

func (h *host) start() {
	h.t.Helper()
	if h.stores {
		h.openStores()
	}
	e, err := New(h.o)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := e.Resume(context.Background()); err != nil {
		h.t.Fatal(err)
	}
	h.Engine = e
}

// restart closes the engine and starts another over the same log.
func (h *host) restart() {
	h.t.Helper()
	h.Close()
	h.start()
}

// fixtures are the workflows of the contract. The map and the nodes are the caller's to change.
func fixtures(t testing.TB) map[string]openwopv1.WorkflowDefinition {
	t.Helper()
	all, err := readFixtures()
	if err != nil {
		t.Fatal(err)
	}
	all = maps.Clone(all)
	for id, d := range all {
		d.Nodes, d.Variables = slices.Clone(d.Nodes), slices.Clone(d.Variables)
		all[id] = d
	}
	return all
}

var readFixtures = sync.OnceValues(func() (map[string]openwopv1.WorkflowDefinition, error) {
	all := map[string]openwopv1.WorkflowDefinition{}
	entries, err := openwopv1.Fixtures.ReadDir("fixtures")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if entry.Name() == "assay-nodes.json" {
			continue // it takes longer to make ready than all the rest, and nothing here runs it
		}
		data, err := openwopv1.Fixtures.ReadFile("fixtures/" + entry.Name())
		if err != nil {
			return nil, err
		}
		var d openwopv1.WorkflowDefinition
		if err := json.Unmarshal(data, &d); err != nil {
			return nil, err
		}
		all[d.ID] = d
	}
	return all, nil
})

func parse[T any](t testing.TB, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// plan is the input of the loop fixtures.
func plan(t testing.TB, decisions string) map[string]any {
	return map[string]any{"plan": parse[[]any](t, decisions)}
}

func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), testenv.Patience(20*time.Second))
	t.Cleanup(cancel)
	return ctx
}

// create starts a run and waits until it has ended or is suspended.
func (h *host) create(c Create) openwopv1.RunSnapshot {
	h.t.Helper()
	return h.settled(h.begin(c))
}

// begin starts a run.
func (h *host) begin(c Create) string {
	h.t.Helper()
	s, err := h.Create(soon(h.t), c)
	if err != nil {
		h.t.Fatal(err)
	}
	return s.RunID
}

func (h *host) settled(id string) openwopv1.RunSnapshot {
	h.t.Helper()
	if err := h.Await(soon(h.t), id); err != nil {
		h.t.Fatalf("await: %v", err)
	}
	return h.snapshot(id)
}

func (h *host) snapshot(id string) openwopv1.RunSnapshot {
	h.t.Helper()
	s, err := h.Snapshot(soon(h.t), id)
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

func (h *host) events(id string) []openwopv1.RunEvent {
	h.t.Helper()
	events, _, err := h.Events(soon(h.t), id, -1)
	if err != nil {
		h.t.Fatal(err)
	}
	return events
}

func (h *host) resolve(id, value string) openwopv1.RunSnapshot {
	h.t.Helper()
	node := h.snapshot(id).CurrentNodeID
	if node == nil {
		h.t.Fatalf("run %s is not suspended", id)
		return openwopv1.RunSnapshot{}
	}
	if _, err := h.Resolve(soon(h.t), id, *node, json.RawMessage(value)); err != nil {
		h.t.Fatal(err)
	}
	return h.settled(id)
}

// until waits for an event of a type.
func (h *host) until(id string, match func(openwopv1.RunEvent) bool) openwopv1.RunEvent {
	h.t.Helper()
	for events, err := range h.Watch(soon(h.t), id, -1) {
		if err != nil {
			h.t.Fatalf("watch: %v", err)
		}
		if i := slices.IndexFunc(events, match); i >= 0 {
			return events[i]
		}
	}
	h.t.Fatalf("run %s ended without the event", id)
	return openwopv1.RunEvent{}
}

// code is the code of a refusal.
func code(err error) string {
	if refused := (*refusal.Error)(nil); errors.As(err, &refused) {
		return refused.Code
	}
	return fmt.Sprint(err)
}

// story tells a log in one line an event: what happened, where, and what caused it (by sequence). Runs other than the log's own are child1, child2
// and so on.
func story(events []openwopv1.RunEvent) []string {
	places := map[string]int64{}
	children := map[string]string{}
	var lines []string
	for _, e := range events {
		places[e.EventID] = e.Sequence
		line := fmt.Sprintf("%d %s", e.Sequence, e.Type)
		if e.NodeID != "" {
			line += " @" + e.NodeID
		}
		if said := tell(e); said != "" {
			line += " " + said
		}
		if e.CausationID != "" {
			place, ok := places[e.CausationID]
			if !ok {
				line += " <-UNKNOWN"
			} else {
				line += fmt.Sprintf(" <-%d", place)
			}
		}
		for word := range strings.FieldsSeq(line) {
			if isRunID(word) && word != e.RunID {
				if children[word] == "" {
					children[word] = fmt.Sprintf("child%d", len(children)+1)
				}
				line = strings.ReplaceAll(line, word, children[word])
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// tell is what matters of a payload.
func tell(e openwopv1.RunEvent) string {
	payload, known, err := openwopv1.DecodePayload(e.Type, e.Payload)
	if err != nil || !known {
		return fmt.Sprintf("UNREADABLE %v", err)
	}
	switch p := payload.(type) {
	case *openwopv1.RunOrchestratorDecidedPayload:
		d, err := readDecision(p.Decision)
		said := d.kind + " " + strings.Join(d.workers, ",")
		if err != nil {
			said = err.Error()
		}
		if p.Iteration != nil {
			said = fmt.Sprintf("#%d %s", *p.Iteration, said)
		}
		return strings.TrimSpace(said)
	case *openwopv1.CoreWorkflowChainEventPayload:
		said := string(p.Phase) + " " + p.WorkerID
		if p.ChildRunID != "" {
			said += " " + p.ChildRunID
		}
		if p.Error != nil {
			said += " " + p.Error.Code
		}
		if len(p.HarvestedKeys) > 0 {
			said += " " + strings.Join(p.HarvestedKeys, ",")
		}
		return said
	case *openwopv1.CoreWorkflowChainConfidenceEscalatedPayload:
		return fmt.Sprintf("%v<%v %s %s", p.Confidence, p.Floor, p.EscalationKind, p.WorkerID)
	case *openwopv1.NodeDispatchedPayload:
		return p.ChildRunID + " " + *p.ChildStatus
	case *openwopv1.CapBreachedPayload:
		return fmt.Sprintf("%s %v<%v", p.Kind, p.Limit, p.Observed)
	case *openwopv1.RunFailedPayload:
		return p.Error.Code
	case *openwopv1.NodeFailedPayload:
		return p.Error.Code
	case *openwopv1.RunCancelledPayload:
		if p.Reason != nil {
			return *p.Reason
		}
	case *openwopv1.VariableChangedPayload:
		return p.Name + "=" + string(p.Next)
	case *openwopv1.NodeSuspendedPayload:
		return string(p.Kind)
	case *openwopv1.ApprovalGrantedPayload:
		return fmt.Sprintf("%s %d/%d", p.Principal, *p.QuorumProgress.Granted, *p.QuorumProgress.Required)
	case *openwopv1.ApprovalRejectedPayload:
		if p.Reason != nil {
			return p.Principal + " " + *p.Reason
		}
		return p.Principal
	case *openwopv1.InterruptResolvedPayload:
		return string(p.ResumeValue)
	case *openwopv1.WorkspaceUpdatedPayload, *openwopv1.MemoryWrittenPayload:
		return string(e.Payload)
	}
	return ""
}

func expectStory(t testing.TB, events []openwopv1.RunEvent, want ...string) {
	t.Helper()
	got := story(events)
	if !slices.Equal(got, want) {
		t.Errorf("the log is\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// memoryLog is a log for tests that wants no server. It can be killed: from then on nothing is written any more.
type memoryLog struct {
	mu      sync.Mutex
	logs    map[string][]eventlog.Entry
	pending map[string]bool
	last    uint64
	appends int
	left    int // appends until it is killed, -1: never
	killed  chan struct{}
	full    bool
	max     int // bytes of one append
}

var errKilled = errors.New("the process was killed")

func newMemoryLog() *memoryLog {
	return &memoryLog{logs: map[string][]eventlog.Entry{}, pending: map[string]bool{}, left: -1, max: 8 << 20, killed: make(chan struct{})}
}

// kill lets the log take n more appends.
func (l *memoryLog) kill(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = n
}

func (l *memoryLog) alive() error {
	if l.left != 0 {
		return nil
	}
	select {
	case <-l.killed:
	default:
		close(l.killed)
	}
	return errKilled
}

// survivor is what a new process finds of a killed one.
func (l *memoryLog) survivor() *memoryLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := newMemoryLog()
	s.last = l.last
	for id, entries := range l.logs {
		s.logs[id] = slices.Clone(entries)
	}
	for id := range l.pending {
		s.pending[id] = true
	}
	return s
}

func (l *memoryLog) Append(ctx context.Context, log string, after uint64, data []byte) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := l.alive(); err != nil {
		return 0, err
	}
	if l.full {
		return 0, eventlog.ErrFull
	}
	var last uint64
	if entries := l.logs[log]; len(entries) > 0 {
		last = entries[len(entries)-1].Revision
	}
	if last != after {
		return 0, eventlog.ErrConflict
	}
	if len(data) > l.max {
		return 0, eventlog.ErrTooLarge
	}
	if l.left > 0 {
		l.left--
	}
	l.appends++
	l.last++
	l.logs[log] = append(l.logs[log], eventlog.Entry{Revision: l.last, Data: data})
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
	for i := 0; err == nil && i < len(entries); i++ {
		err = see(entries[i])
	}
	return err
}

func (l *memoryLog) Get(ctx context.Context, log string, revision uint64) (eventlog.Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, entry := range l.logs[log] {
		if entry.Revision == revision {
			return entry, ctx.Err()
		}
	}
	return eventlog.Entry{}, eventlog.ErrNoEntry
}

func (l *memoryLog) MarkPending(ctx context.Context, log string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.alive(); err != nil {
		return err
	}
	l.pending[log] = true
	return ctx.Err()
}

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

// count is how many appends there were to runs.
func (l *memoryLog) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.appends
}

// refusalOf is the engine's own error, nil when it is none.
func refusalOf(err error) *refusal.Error {
	var refused *refusal.Error
	errors.As(err, &refused)
	return refused
}
