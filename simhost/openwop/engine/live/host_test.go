package live

import (
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

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/ids"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/memory"
	"github.com/openassay/assay/simhost/openwop/workspace"
	"github.com/openassay/assay/simhost/refusal"
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
	h.o = Options{Log: h.log, Clock: h.clock, IDs: ids.Seeded(1), Workflows: fixtures(t), Version: 5}
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

func (h *host) events(id string) []event.Event {
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
func (h *host) until(id string, match func(event.Event) bool) event.Event {
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
	return event.Event{}
}

// code is the code of a refusal.
func code(err error) string {
	if refused := (*refusal.Error)(nil); errors.As(err, &refused) {
		return refused.Code
	}
	return fmt.Sprint(err)
}

// refusalOf is the engine's own error, nil when it is none.
func refusalOf(err error) *refusal.Error {
	var refused *refusal.Error
	errors.As(err, &refused)
	return refused
}
