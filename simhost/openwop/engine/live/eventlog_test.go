package live

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
)

func openStore(t testing.TB, o eventlog.Options) *eventlog.Store {
	t.Helper()
	store, err := eventlog.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// The real log in place of the one in memory that the other tests have.
func TestOverTheEventLog(t *testing.T) {
	store := openStore(t, eventlog.Options{})
	h := newHost(t, func(o *Options) { o.Log = store })
	s := h.create(Create{WorkflowID: "conformance-multi-agent-handoff"})
	expectLawful(t, s, h.events(s.RunID), 5)
	asking := h.create(Create{WorkflowID: "assay-loop-ask-user"}).RunID
	slow := h.begin(Create{WorkflowID: "conformance-delay"})
	h.restart()
	s = h.resolve(asking, `{"answers":{"q1":"yes"}}`)
	expectLawful(t, s, h.events(asking), 5)
	h.clock.Advance(time.Second)
	if s := h.settled(slow); s.Status != openwopv1.RunStatusCompleted {
		t.Errorf("the delay is %s", s.Status)
	}
	if ids, err := store.Pending(soon(t)); err != nil || len(ids) > 0 {
		t.Errorf("pending: %v, %v", ids, err)
	}
	if _, err := h.Create(soon(t), Create{WorkflowID: "conformance-noop", Metadata: map[string]any{"m": strings.Repeat("x",
		9<<20)}}); code(err) != codes.TooLarge {
		t.Errorf("too large: %.200v", err)
	}
}

func TestOverFiles(t *testing.T) {
	dir := t.TempDir()
	store := openStore(t, eventlog.Options{Dir: dir})
	o := Options{Log: store, Clock: clock.Real(), Workflows: fixtures(t), Version: 5}
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.Create(soon(t), Create{WorkflowID: "assay-loop",
		Inputs: plan(t, `[{"kind":"next-worker","nextWorkerIds":["assay-loop-ask-user"]}]`)})
	if err != nil {
		t.Fatal(err)
	}
	var child string
	for events, err := range e.Watch(soon(t), s.RunID, -1) {
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Type == event.NodeDispatched {
				child = parse[event.NodeDispatchedPayload](t, string(e.Payload)).ChildRunID
			}
		}
		if child != "" {
			break
		}
	}
	if err := e.Await(soon(t), child); err != nil {
		t.Fatal(err)
	}
	// The log goes first, as in a crash: nothing that the engine might still do gets there.
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Snapshot(soon(t), "run-aaaaaaaaaaaaaaaaaaaaaaaaaa"); !errors.Is(err, eventlog.ErrClosed) {
		t.Errorf("without a log: %v", err)
	}
	e.Close()

	o.Log = openStore(t, eventlog.Options{Dir: dir})
	if e, err = New(o); err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.Resume(soon(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Resolve(soon(t), child, "supervisor", []byte(`{"answers":{"q1":"yes"}}`)); err != nil {
		t.Fatal(err)
	}
	if err := e.Await(soon(t), s.RunID); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{s.RunID, child} {
		s, err := e.Snapshot(soon(t), id)
		if err != nil {
			t.Fatal(err)
		}
		events, _, err := e.Events(soon(t), id, -1)
		if err != nil || s.Status != openwopv1.RunStatusCompleted {
			t.Errorf("%s is %s, %v", id, s.Status, err)
		}
		expectLawful(t, s, events, 5)
	}
}
