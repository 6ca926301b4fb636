package eventlog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestModel compares a store with maps and slices, over random sequences of what callers can do.
func TestModel(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) { runModel(rt, Options{MaxPayload: 50}) })
	})
	t.Run("files", func(t *testing.T) {
		dirs := 0
		rapid.Check(t, func(rt *rapid.T) {
			dirs++
			runModel(rt, Options{MaxPayload: 50, Dir: fmt.Sprintf("%s/%d", t.TempDir(), dirs)})
		})
	})
}

type model struct {
	store   *Store
	options Options
	logs    map[string][]Entry
	pending map[string]bool
}

func runModel(t *rapid.T, o Options) {
	m := &model{options: o, logs: map[string][]Entry{}, pending: map[string]bool{}}
	m.open(t)
	defer func() { _ = m.store.Close() }() // a failed check would leave it open
	actions := map[string]func(*rapid.T){"append": m.append, "stale": m.stale, "read": m.read, "mark": m.mark, "clear": m.clear}
	if o.Dir != "" {
		actions["reopen"] = m.reopen
	}
	actions[""] = m.agree
	t.Repeat(actions)
}

func (m *model) open(t *rapid.T) {
	var err error
	if m.store, err = Open(context.Background(), m.options); err != nil {
		t.Fatal(err)
	}
}

func (m *model) reopen(t *rapid.T) {
	if err := m.store.Close(); err != nil {
		t.Fatal(err)
	}
	m.open(t)
}

var names = rapid.SampledFrom([]string{"a", "b", "c-1", "c_1"})

func last(entries []Entry) uint64 {
	if len(entries) == 0 {
		return 0
	}
	return entries[len(entries)-1].Revision
}

func (m *model) append(t *rapid.T) {
	log := names.Draw(t, "log")
	data := rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "data")
	revision, err := m.store.Append(context.Background(), log, last(m.logs[log]), data)
	switch {
	case len(data) > 50:
		if !errors.Is(err, ErrTooLarge) {
			t.Fatalf("%d bytes: got %v", len(data), err)
		}
	case err != nil:
		t.Fatal(err)
	case revision <= last(m.logs[log]):
		t.Fatalf("revision %d is not above %d", revision, last(m.logs[log]))
	default:
		m.logs[log] = append(m.logs[log], Entry{Revision: revision, Data: data})
	}
}

func (m *model) stale(t *rapid.T) {
	log := names.Draw(t, "log")
	after := rapid.Uint64Range(0, 100).Draw(t, "after")
	if after == last(m.logs[log]) {
		t.Skip("not stale")
	}
	if _, err := m.store.Append(context.Background(), log, after, nil); !errors.Is(err, ErrConflict) {
		t.Fatalf("after %d in place of %d: got %v", after, last(m.logs[log]), err)
	}
}

func (m *model) read(t *rapid.T) {
	log := names.Draw(t, "log")
	after := rapid.Uint64Range(0, last(m.logs[log])+1).Draw(t, "after")
	got, err := m.store.Read(context.Background(), log, after)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.DeleteFunc(slices.Clone(m.logs[log]), func(e Entry) bool { return e.Revision <= after })
	same := func(a, b Entry) bool { return a.Revision == b.Revision && slices.Equal(a.Data, b.Data) }
	if !slices.EqualFunc(got, want, same) {
		t.Fatalf("log %q after %d: got %v, want %v", log, after, got, want)
	}
}

func (m *model) mark(t *rapid.T) {
	log := names.Draw(t, "log")
	if err := m.store.MarkPending(context.Background(), log); err != nil {
		t.Fatal(err)
	}
	m.pending[log] = true
}

func (m *model) clear(t *rapid.T) {
	log := names.Draw(t, "log")
	m.store.ClearPending(log)
	delete(m.pending, log)
}

// agree holds after every step.
func (m *model) agree(t *rapid.T) {
	pending, err := m.store.Pending(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if want := slices.Sorted(maps.Keys(m.pending)); !slices.Equal(pending, want) {
		t.Fatalf("pending: got %q, want %q", pending, want)
	}
	var logs []string
	for log, err := range m.store.List(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		logs = append(logs, log)
	}
	if want := slices.Sorted(maps.Keys(m.logs)); !slices.Equal(logs, want) {
		t.Fatalf("list: got %q, want %q", logs, want)
	}
}
