package mockai

import (
	"context"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/openassay/assay/simhost/eventlog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shop is the models over a log on files, so that they can be opened again.
type shop struct {
	*Models
	t     *testing.T
	dir   string
	store *eventlog.Store
}

func open(t *testing.T) *shop {
	s := &shop{t: t, dir: t.TempDir()}
	s.start()
	t.Cleanup(func() {
		if err := s.store.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *shop) start() {
	s.t.Helper()
	var err error
	if s.store, err = eventlog.Open(context.Background(), eventlog.Options{Dir: s.dir}); err != nil {
		s.t.Fatal(err)
	}
	if s.Models, err = Open(s.store); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shop) restart() {
	s.t.Helper()
	if err := s.store.Close(); err != nil {
		s.t.Fatal(err)
	}
	s.start()
}

func (s *shop) program(tenant, node string, contents ...string) {
	s.t.Helper()
	answers := make([]Answer, len(contents))
	for i, c := range contents {
		answers[i].Content = c
	}
	if err := s.Program(s.t.Context(), tenant, node, answers); err != nil {
		s.t.Fatal(err)
	}
}

// expect makes a call; want is the content, "" for an answer that nobody programmed.
func (s *shop) expect(tenant, node, origin, want string) {
	s.t.Helper()
	a, programmed, err := s.Answer(s.t.Context(), Call{tenant, node, origin})
	if err != nil {
		s.t.Fatal(err)
	}
	if programmed != (want != "") || programmed && a.Content != want || !programmed && a != Unprogrammed {
		s.t.Errorf("%s %s %s: %+v, programmed %v, want %q", tenant, node, origin, a, programmed, want)
	}
}

func TestAnswersAreTakenInOrderAndOnce(t *testing.T) {
	s := open(t)
	s.expect("t", "n", "early", "")
	s.program("t", "n", "one", "two")
	s.expect("t", "n", "a", "one")
	s.expect("t", "n", "a", "one")
	s.expect("other", "n", "a", "")
	s.expect("t", "m", "a", "")
	s.restart()
	s.expect("t", "n", "a", "one")
	s.expect("t", "n", "b", "two")
	s.expect("t", "n", "c", "")
	s.restart()
	s.expect("t", "n", "b", "two")
	s.program("t", "n", "three")
	s.expect("t", "n", "d", "three")
	s.program("t", "n")
	s.expect("t", "n", "e", "")
}

func TestEveryAnswerGoesToOneOfManyCalls(t *testing.T) {
	s := open(t)
	s.program("t", "n", "a", "b", "c", "d", "e", "f", "g", "h")
	var (
		mu   sync.Mutex
		seen = map[string]int{}
		all  sync.WaitGroup
	)
	for _, origin := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
		all.Go(func() {
			a, programmed, err := s.Answer(t.Context(), Call{"t", "n", origin})
			mu.Lock()
			defer mu.Unlock()
			if err != nil || !programmed {
				t.Errorf("%v, programmed %v", err, programmed)
			}
			seen[a.Content]++
		})
	}
	all.Wait()
	if len(seen) != 8 {
		t.Errorf("answers and how often each was given: %v", seen)
	}
}

func TestWhatIsARefusal(t *testing.T) {
	for a, want := range map[Answer]bool{
		{Content: "{}"}:             false,
		{StopReason: "end_turn"}:    false,
		{StopReason: "safety"}:      true,
		{RefusalText: "I will not"}: true,
	} {
		if a.Refused() != want {
			t.Errorf("%+v: refused %v", a, a.Refused())
		}
	}
}

func TestModelsNeedALog(t *testing.T) {
	if _, err := Open(nil); err == nil {
		t.Error("models without a log were opened")
	}
}
