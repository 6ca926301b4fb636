package live

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/ids"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/internal/definitiontest"
)

func TestWatchSeesEverythingOnce(t *testing.T) {
	h := newHost(t)
	id := h.begin(Create{WorkflowID: "assay-loop-ask-user"})
	type seen struct {
		events  []event.Event
		batches int
		err     error
	}
	watchers := make([]seen, 8)
	var all sync.WaitGroup
	for i := range watchers {
		all.Go(func() {
			w := &watchers[i]
			for events, err := range h.Watch(soon(t), id, int64(i)-1) {
				if err != nil {
					w.err = err
				}
				w.events = append(w.events, events...)
				w.batches++
			}
		})
	}
	h.settled(id)
	h.resolve(id, `{"answers":{"q1":"yes"}}`)
	all.Wait()
	want := h.events(id)
	for i, w := range watchers {
		if w.err != nil || !slices.EqualFunc(w.events, want[i:], func(a, b event.Event) bool { return a.ID == b.ID }) {
			t.Errorf("from %d: %d events of %d, %v", i-1, len(w.events), len(want)-i, w.err)
		}
	}
	// What is over can be watched too, from anywhere.
	for after, wanted := range map[int64]int{-1: len(want), 5: len(want) - 6, int64(len(want)) - 1: 0, 1000: 0, -99: len(want)} {
		n := 0
		for events, err := range h.Watch(soon(t), id, after) {
			if err != nil {
				t.Fatal(err)
			}
			n += len(events)
		}
		if n != wanted {
			t.Errorf("after %d there are %d events, want %d", after, n, wanted)
		}
	}
}

func TestWatchEnds(t *testing.T) {
	h := newHost(t)
	id := h.create(Create{WorkflowID: "assay-loop-ask-user"}).RunID
	watch := func(ctx context.Context, id string) (err error) {
		for _, e := range h.Watch(ctx, id, -1) {
			err = e
		}
		return err
	}
	if err := watch(soon(t), "run-aaaaaaaaaaaaaaaaaaaaaaaaaa"); code(err) != codes.NotFound {
		t.Errorf("no such run: %v", err)
	}
	gone, cancel := context.WithCancel(context.Background())
	time.AfterFunc(time.Millisecond, cancel)
	if err := watch(gone, id); !errors.Is(err, context.Canceled) {
		t.Errorf("the watcher went: %v", err)
	}
	for events := range h.Watch(soon(t), id, -1) {
		if len(events) == 0 {
			t.Error("an empty batch")
		}
		break // may be left at any time
	}
	closed := make(chan error)
	go func() { closed <- watch(soon(t), id) }()
	go func() { closed <- h.Await(soon(t), h.begin(Create{WorkflowID: "conformance-cancellable"})) }()
	h.until(id, func(event.Event) bool { return true })
	time.AfterFunc(5*time.Millisecond, func() { h.Close() })
	for range 2 {
		if err := <-closed; !errors.Is(err, ErrClosed) {
			t.Errorf("the engine was closed: %v", err)
		}
	}
	if _, err := h.Create(soon(t), Create{WorkflowID: "conformance-noop"}); !errors.Is(err, ErrClosed) {
		t.Errorf("create after close: %v", err)
	}
	if err := watch(soon(t), id); !errors.Is(err, ErrClosed) {
		t.Errorf("watch after close: %v", err)
	}
	if err := h.Close(); err != nil {
		t.Errorf("a second close: %v", err)
	}
}

func TestEventsFromACursor(t *testing.T) {
	h := newHost(t)
	id := h.create(Create{WorkflowID: "conformance-noop"}).RunID
	for after, want := range map[int64]int{-1: 4, 0: 3, 3: 0, 99: 0} {
		events, terminal, err := h.Events(soon(t), id, after)
		if err != nil || !terminal || len(events) != want || want > 0 && events[0].Sequence != after+1 {
			t.Errorf("after %d: %d events, terminal %v, %v", after, len(events), terminal, err)
		}
	}
	asking := h.create(Create{WorkflowID: "assay-loop-ask-user"}).RunID
	if _, terminal, err := h.Events(soon(t), asking, -1); terminal || err != nil {
		t.Errorf("a suspended run is over: %v, %v", terminal, err)
	}
	if _, _, err := h.Events(soon(t), "strange", -1); code(err) != codes.NotFound {
		t.Errorf("no such run: %v", err)
	}
}

// The log cannot take more for a while: what is asked for fails, and goes on once it can.
func TestFullLog(t *testing.T) {
	h := newHost(t, func(o *Options) { o.OnError = func(error) {} })
	id := h.create(Create{WorkflowID: "assay-loop-ask-user"}).RunID
	h.log.mu.Lock()
	h.log.full = true
	h.log.mu.Unlock()
	if _, err := h.Create(soon(t), Create{WorkflowID: "conformance-noop"}); !errors.Is(err, eventlog.ErrFull) {
		t.Errorf("create: %v", err)
	}
	if _, err := h.Resolve(soon(t), id, "supervisor", []byte(`{"answers":{"q1":"yes"}}`)); !errors.Is(err, eventlog.ErrFull) {
		t.Errorf("resolve: %v", err)
	}
	if s := h.snapshot(id); s.Status != openwopv1.RunStatusWaitingInput {
		t.Errorf("after a failed resolve the run is %s", s.Status)
	}
	h.log.mu.Lock()
	h.log.full = false
	h.log.mu.Unlock()
	s := h.resolve(id, `{"answers":{"q1":"yes"}}`)
	expectLawful(t, s, h.events(id), 5)
}

// In the background nobody asks again: the run does so itself.
func TestRunsGoOnOnceTheLogTakesMore(t *testing.T) {
	var told atomic.Int32
	h := newHost(t, func(o *Options) { o.OnError = func(error) { told.Add(1) } })
	full := func(full bool) {
		h.log.mu.Lock()
		defer h.log.mu.Unlock()
		h.log.full = full
	}
	for _, c := range []Create{
		{WorkflowID: "conformance-delay"}, // its own append fails
		{WorkflowID: "assay-loop", Inputs: plan(t, `[{"kind":"next-worker","nextWorkerIds":["conformance-delay"]}]`)}, // its child's does
	} {
		id := h.begin(c)
		h.until(id, func(e event.Event) bool {
			return e.NodeID == "wait" || e.Type == event.NodeDispatched
		})
		full(true)
		before := told.Load()
		h.clock.Advance(time.Second)
		for told.Load() == before {
			runtime.Gosched()
		}
		full(false)
		s := h.settled(id)
		expectLawful(t, s, h.events(id), 5)
		if s.Status != openwopv1.RunStatusCompleted {
			t.Errorf("the run is %s", s.Status)
		}
	}
}

func TestSeededIDsOverRunsOfAFormerProcess(t *testing.T) {
	h := newHost(t)
	first := h.create(Create{WorkflowID: "conformance-noop"}).RunID
	second := h.create(Create{WorkflowID: "assay-loop-ask-user"}).RunID
	h.o.IDs = ids.Seeded(1)
	h.restart()
	third := h.create(Create{WorkflowID: "assay-loop-ask-user"}).RunID
	if third == first || third == second || h.snapshot(first).Status != openwopv1.RunStatusCompleted {
		t.Errorf("runs %s, %s, %s", first, second, third)
	}
	if ids, _ := h.log.Pending(soon(t)); len(ids) != 2 {
		t.Errorf("pending: %v", ids)
	}
	if a, b := ids.Seeded(7), ids.Seeded(8); a.Next() != ids.Seeded(7).Next() || a.Next() == b.Next() {
		t.Error("a seed is not a seed")
	}
}

func TestChosenIDs(t *testing.T) {
	h := newHost(t)
	id := [16]byte{1}
	for _, workflow := range []string{"conformance-noop", "assay-loop-ask-user"} {
		id[1]++
		s := h.create(Create{ID: id, WorkflowID: workflow})
		again, err := h.Create(soon(t), Create{ID: id, WorkflowID: workflow})
		if err != nil || again.RunID != s.RunID || again.Status != s.Status {
			t.Errorf("created again: %s is %s, %v", again.RunID, again.Status, err)
		}
		h.restart()
		if again, err = h.Create(soon(t), Create{ID: id, WorkflowID: workflow}); err != nil || again.RunID != s.RunID {
			t.Errorf("created again after a restart: %s is %s, %v", again.RunID, again.Status, err)
		}
		f, err := h.Fork(soon(t), s.RunID, Fork{ID: [16]byte{2, id[1]}, Mode: "replay"})
		if err != nil {
			t.Fatal(err)
		}
		g, err := h.Fork(soon(t), s.RunID, Fork{ID: [16]byte{2, id[1]}, Mode: "replay"})
		if err != nil || f.RunID != g.RunID || f.RunID == s.RunID {
			t.Errorf("forked again: %s, %s, %v", f.RunID, g.RunID, err)
		}
	}
	if ids, _ := h.log.Pending(soon(t)); len(ids) != 2 { // the one that asks, and its fork
		t.Errorf("pending: %v", ids)
	}
}

func TestTooLarge(t *testing.T) {
	h := newHost(t, func(o *Options) { o.OnError = func(error) {} })
	h.log.max = 64 << 10
	huge := strings.Repeat("x", 65<<10)
	if _, err := h.Create(soon(t), Create{WorkflowID: "conformance-noop", Metadata: map[string]any{"m": huge}}); code(err) != codes.TooLarge {
		t.Errorf("create: %v", err)
	}
	id := h.create(Create{WorkflowID: "assay-loop-ask-user"}).RunID
	if _, err := h.Resolve(soon(t), id, "supervisor", []byte(`{"answers":{"q1":"yes"},"comment":"`+huge+`"}`)); code(err) != codes.TooLarge {
		t.Errorf("resolve: %v", err)
	}
	if s := h.resolve(id, `{"answers":{"q1":"yes"}}`); s.Status != openwopv1.RunStatusCompleted {
		t.Errorf("the run is %s", s.Status)
	}
	// Nobody waits for an append in the background: the run fails.
	d := definitiontest.Define(t, `{"id":"z","typeId":"core.delay","config":{"delayMs":5},"inputs":{}},
		{"id":"a","typeId":"core.identity","config":{},"inputs":{"1":{"type":"variable","variableName":"x"},"2":{"type":"variable","variableName":"x"},"3":{"type":"variable","variableName":"x"}}}`,
		`{"id":"1","sourceNodeId":"z","targetNodeId":"a"}`, `{"name":"x","type":"string"}`)
	id = h.begin(Create{Definition: &d, Inputs: map[string]any{"x": huge[:30<<10]}})
	h.clock.Advance(5 * time.Millisecond)
	s := h.settled(id)
	expectLawful(t, s, h.events(id), 5)
	if s.Error == nil || s.Error.Code != codes.Internal {
		t.Errorf("error is %v", s.Error)
	}
}
