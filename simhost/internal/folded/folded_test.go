package folded

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/openassay/assay/simhost/eventlog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// words is a state for tests: what was appended, in order.
type words struct{ list []string }

var errBad = errors.New("bad word")

func (w *words) fold(e eventlog.Entry) error {
	if string(e.Data) == "bad" {
		return errBad
	}
	w.list = append(w.list, string(e.Data))
	return nil
}

// wire is an event log on which things go wrong.
type wire struct {
	*eventlog.Store
	reads   int
	deaf    error // what an append fails with after it was stored
	refuses error // what an append fails with
	noReads error
}

func (w *wire) Append(ctx context.Context, log string, after uint64, data []byte) (uint64, error) {
	if w.refuses != nil {
		return 0, w.refuses
	}
	revision, err := w.Store.Append(ctx, log, after, data)
	if w.deaf != nil {
		return 0, w.deaf
	}
	return revision, err
}

func (w *wire) Each(ctx context.Context, log string, after uint64, see func(eventlog.Entry) error) error {
	w.reads++
	if w.noReads != nil {
		return w.noReads
	}
	return w.Store.Each(ctx, log, after, see)
}

func newWire(t *testing.T) *wire {
	t.Helper()
	store, err := eventlog.Open(t.Context(), eventlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return &wire{Store: store}
}

func (s *States[S]) say(t *testing.T, name, word string) {
	t.Helper()
	if err := s.Append(t.Context(), name, func(*S) ([]byte, error) { return []byte(word), nil }); err != nil {
		t.Error(err)
	}
}

func wantWords(t *testing.T, s *States[words], name string, want ...string) {
	t.Helper()
	err := s.View(t.Context(), name, func(w *words) error {
		if !slices.Equal(w.list, want) {
			t.Errorf("%s is %q, want %q", name, w.list, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestALogIsReadOnce(t *testing.T) {
	log := newWire(t)
	s := New(log, (*words).fold)
	wantWords(t, s, "a")
	s.say(t, "a", "one")
	s.say(t, "b", "other")
	s.say(t, "a", "two")
	wantWords(t, s, "a", "one", "two")
	wantWords(t, s, "b", "other")
	if log.reads != 2 {
		t.Errorf("two logs were read %d times", log.reads)
	}
	wantWords(t, New(log, (*words).fold), "a", "one", "two")
}

func TestNothingToAppend(t *testing.T) {
	s := New(newWire(t), (*words).fold)
	if err := s.Append(t.Context(), "a", func(*words) ([]byte, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), "a", func(*words) ([]byte, error) { return []byte("x"), errBad }); !errors.Is(err, errBad) {
		t.Errorf("got error %v", err)
	}
	if err := s.View(t.Context(), "a", func(*words) error { return errBad }); !errors.Is(err, errBad) {
		t.Errorf("got error %v", err)
	}
	wantWords(t, s, "a")
}

func TestDecidesAgainAfterAnotherWriter(t *testing.T) {
	log := newWire(t)
	s, other := New(log, (*words).fold), New(log, (*words).fold)
	s.say(t, "a", "one")
	other.say(t, "a", "two")
	other.say(t, "a", "three")
	var saw [][]string
	err := s.Append(t.Context(), "a", func(w *words) ([]byte, error) {
		saw = append(saw, slices.Clone(w.list))
		return []byte("four"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]string{{"one"}, {"one", "two", "three"}}; !slices.EqualFunc(saw, want, slices.Equal[[]string]) {
		t.Errorf("decided on %q, want %q", saw, want)
	}
	wantWords(t, s, "a", "one", "two", "three", "four")
}

func TestAnAppendThatWasStoredUnheard(t *testing.T) {
	log := newWire(t)
	s := New(log, (*words).fold)
	s.say(t, "a", "one")
	log.deaf = eventlog.ErrUnwritable
	if err := s.Append(t.Context(), "a", func(*words) ([]byte, error) { return []byte("two"), nil }); !errors.Is(err, eventlog.ErrUnwritable) {
		t.Fatalf("got error %v", err)
	}
	log.deaf = nil
	wantWords(t, s, "a", "one", "two")
	err := s.Append(t.Context(), "a", func(w *words) ([]byte, error) {
		if slices.Contains(w.list, "two") {
			return nil, nil
		}
		return []byte("two"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantWords(t, s, "a", "one", "two")
}

func TestAConflictWithNobody(t *testing.T) {
	log := newWire(t)
	log.refuses = eventlog.ErrConflict
	s := New(log, (*words).fold)
	tries := 0
	err := s.Append(t.Context(), "a", func(*words) ([]byte, error) { tries++; return []byte("x"), nil })
	if !errors.Is(err, eventlog.ErrConflict) || tries != 1 {
		t.Errorf("after %d tries: %v", tries, err)
	}
}

func TestALogThatCannotBeRead(t *testing.T) {
	log := newWire(t)
	s := New(log, (*words).fold)
	log.noReads = errBad
	for range 2 {
		if err := s.View(t.Context(), "a", func(*words) error { return nil }); !errors.Is(err, errBad) {
			t.Errorf("got error %v", err)
		}
	}
	log.noReads = nil
	s.say(t, "a", "one")
	wantWords(t, s, "a", "one")
}

func TestABadEntryIsNamed(t *testing.T) {
	log := newWire(t)
	writer := New(log, func(*struct{}, eventlog.Entry) error { return nil })
	for _, word := range []string{"one", "bad", "three"} {
		writer.say(t, "a", word)
	}
	s := New(log, (*words).fold)
	for range 2 { // what came before the bad one is not folded twice
		err := s.View(t.Context(), "a", func(w *words) error { return fmt.Errorf("shown: %q", w.list) })
		if !errors.Is(err, errBad) || !strings.Contains(err.Error(), `log "a"`) {
			t.Errorf("got error %v", err)
		}
	}
	if list := s.held["a"].folded.list; !slices.Equal(list, []string{"one"}) {
		t.Errorf("folded %q", list)
	}
}

func TestStatesAreLetGo(t *testing.T) {
	log := newWire(t)
	s := New(log, (*words).fold)
	s.say(t, "kept", "one")
	err := s.View(t.Context(), "kept", func(*words) error { // in use all the while
		for i := range 3 * maxHeld {
			s.say(t, fmt.Sprintf("log-%d", i), "one")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.held) > maxHeld || s.held["kept"] == nil {
		t.Errorf("%d states are held, the one in use among them: %t", len(s.held), s.held["kept"] != nil)
	}
	for i := range 3 * maxHeld {
		wantWords(t, s, fmt.Sprintf("log-%d", i), "one")
	}
}

// Many writers of a few logs, through two sets of states: nothing is lost and nothing is there twice.
func TestManyWriters(t *testing.T) {
	log := newWire(t).Store
	sets := []*States[words]{New(log, (*words).fold), New(log, (*words).fold)}
	var wg sync.WaitGroup
	const writers, each = 8, 20
	for writer := range writers {
		wg.Go(func() {
			for i := range each {
				sets[writer%len(sets)].say(t, fmt.Sprintf("log-%d", i%3), fmt.Sprintf("%d-%d", writer, i))
			}
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	fresh := New(log, (*words).fold)
	for i := range 3 {
		err := fresh.View(t.Context(), fmt.Sprintf("log-%d", i), func(w *words) error {
			for _, word := range w.list {
				if seen[word] {
					t.Errorf("%s was written twice", word)
				}
				seen[word] = true
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) != writers*each {
		t.Errorf("%d were written, want %d", len(seen), writers*each)
	}
}

func TestNamesAreNotConfused(t *testing.T) {
	log := newWire(t)
	seen := map[string][]string{}
	for _, parts := range [][]string{
		{"t1", "w1"}, {"t1 w1", ""}, {"", "t1 w1"}, {"t1w1", ""}, {"t1/w1", ""}, {"t1", "w1", ""}, {"t1w1"},
		{"t1\x00w1", ""}, {"2:t1", "w1"}, {"t12:w1", ""}, {"t1", "2:w1"}, {strings.Repeat("ä", 300), ".*> \n"},
	} {
		name := Name("kind", parts...)
		if other, ok := seen[name]; ok {
			t.Errorf("%q and %q are both %s", parts, other, name)
		}
		seen[name] = parts
		if _, err := log.Append(t.Context(), name, 0, nil); err != nil {
			t.Errorf("%q: %v", parts, err)
		}
	}
	if Name("a", "x") == Name("b", "x") {
		t.Error("two kinds share a name")
	}
}
