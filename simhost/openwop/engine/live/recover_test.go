package live

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
)

// life is a run that is driven to its end, whatever happens to its host on the way.
type life struct {
	name    string
	create  Create
	answers []string      // one for each suspension
	advance time.Duration // of the clock, in the end
	cancel  bool          // once it waits for its child
	stores  bool          // the host has a workspace and a memory
	want    string        // what the last line of its log says
}

func lives(t testing.TB) []life {
	next := func(workers string) map[string]any {
		return plan(t, `[{"kind":"next-worker","nextWorkerIds":[`+workers+`]},{"kind":"terminate"}]`)
	}
	return []life{
		{name: "one node", create: Create{WorkflowID: "conformance-noop"}, want: "run.completed"},
		{name: "loop", create: Create{WorkflowID: "assay-loop"}, want: "run.completed"},
		{name: "harvest", create: Create{WorkflowID: "conformance-dispatch-cross-worker-handoff"}, want: "run.completed"},
		{name: "failing child", create: Create{WorkflowID: "assay-loop",
			Inputs: next(`"conformance-dispatch-deterministic-fail-child","no-such-workflow"`)}, want: "run.completed"},
		{name: "breach", create: Create{WorkflowID: "assay-loop", Configurable: map[string]any{"maxLoopIterations": 2}},
			want: "run.failed loop_limit_exceeded"},
		{name: "ask-user", create: Create{WorkflowID: "assay-loop-ask-user"}, answers: []string{yes}, want: "run.completed"},
		{name: "held", create: Create{WorkflowID: "conformance-multi-agent-confidence-escalation"}, answers: []string{yes},
			want: "run.completed"},
		{name: "asking child", create: Create{WorkflowID: "assay-loop", Inputs: next(`"assay-loop-ask-user"`)}, answers: []string{yes},
			want: "run.completed"},
		{name: "slow child", create: Create{WorkflowID: "assay-loop", Inputs: next(`"conformance-delay"`)}, advance: time.Second,
			want: "run.completed"},
		{name: "late", create: Create{WorkflowID: "assay-loop", Inputs: next(`"conformance-cancellable"`),
			Configurable: map[string]any{"runTimeoutMs": 100}}, advance: time.Second, want: "run.failed run_timeout"},
		{name: "notes", create: noting(t, "", bothRead, bothWritten), stores: true, want: "run.completed"},
		{name: "notes of an answered turn", create: noting(t, askedOnce, bothRead, bothWritten), answers: []string{yes}, stores: true,
			want: "run.completed"},
		{name: "refused write", create: noting(t, twoTurns, bothRead, `[[{"path":"a.md","content":"1"},{"path":"..","content":""}]]`),
			stores: true, want: "run.failed validation_error"},
		{name: "cancelled", create: Create{WorkflowID: "trunk"}, cancel: true, want: "run.cancelled enough"},
	}
}

// What the turns of a life with stores read and write.
const (
	bothRead    = `{"workspace":["a.md","b.md"],"memory":["m"]}`
	bothWritten = `[[{"path":"a.md","content":"1"},{"memory":{"content":"1","tags":["m"]}},{"path":"b.md","content":"1"}],[{"path":"a.md","content":"2"}]]`
)

// host starts a host for this life.
func (l life) host(t testing.TB, options ...option) *host {
	if l.stores {
		return newStoreHost(t, options...)
	}
	return newHost(t, options...)
}

// live drives a run to its end with whatever engines h has; each goes as far as its log lets it.
func (l life) live(h *host) (id string, err error) {
	s, err := h.Create(soon(h.t), l.create)
	if err != nil {
		return s.RunID, err
	}
	return s.RunID, l.goOn(h, s.RunID)
}

// goOn does what is left to do for a run.
func (l life) goOn(h *host, id string) error {
	for range 100 {
		s, err := h.Snapshot(soon(h.t), id)
		if err != nil {
			return err
		}
		if state.Ended(s.Status) {
			return nil
		}
		if err := l.push(h, s); err != nil {
			return err
		}
	}
	return fmt.Errorf("run %s does not end", id)
}

// push does the next thing that the run waits for, or waits for it to do something by itself.
func (l life) push(h *host, s openwopv1.RunSnapshot) error {
	top := s
	var seen int64
	for { // down to the one at work
		seen = int64(len(h.events(s.RunID))) - 1
		s = h.snapshot(s.RunID) // not older than what was seen
		if len(s.ChildRuns) == 0 {
			break
		}
		child := h.child(s, len(s.ChildRuns)-1)
		if state.Ended(child.Status) {
			break
		}
		s = child
	}
	switch {
	case s.CurrentNodeID != nil && len(l.answers) > 0:
		_, err := h.Resolve(soon(h.t), s.RunID, *s.CurrentNodeID, []byte(l.answers[0]))
		if code(err) == codes.InterruptResolved {
			err = nil
		}
		return err
	case l.cancel && s.RunID != top.RunID:
		cancelled, err := h.Cancel(soon(h.t), top.RunID, "enough")
		if cancelled.Status == openwopv1.RunStatusCancelling { // since before the host was killed
			return h.moved(top.RunID, int64(len(h.events(top.RunID)))-1)
		}
		return err
	case l.advance > 0 && s.RunID != top.RunID:
		h.clock.Advance(l.advance)
	}
	return h.moved(s.RunID, seen)
}

// moved waits until a run has gone beyond a place, or the host is dead.
func (h *host) moved(id string, seen int64) error {
	result := make(chan error, 1)
	go func() {
		for _, err := range h.Watch(soon(h.t), id, seen) {
			result <- err
			return
		}
		result <- nil
	}()
	select {
	case err := <-result:
		return err
	case <-h.dead():
		h.Close()
		<-result
		return errKilled
	}
}

// dead tells when the host's log takes no more.
func (h *host) dead() <-chan struct{} {
	h.log.mu.Lock()
	defer h.log.mu.Unlock()
	return h.log.killed
}

// plot is what of a log does not depend on how fast things happen.
func plot(events []event.Event) string {
	return childStatus.ReplaceAllString(strings.Join(essence(events), "\n"), "")
}

var childStatus = regexp.MustCompile(`child\d+ (pending|running|waiting-input|completed|failed)|"childStatus":"[a-z-]+",`)

// Every run is killed after each of its appends, once each; whatever host comes next, the run ends as it would have.
func TestKilledBetweenAnyTwoAppends(t *testing.T) {
	for _, v := range []int{0, 5} {
		for _, l := range lives(t) {
			t.Run(fmt.Sprintf("%s at version %d", l.name, v), func(t *testing.T) {
				killEverywhere(t, l, v, 0)
			})
			if v != 5 && !testenv.Long() {
				continue
			}
			// An append for each event: killed between any two events.
			t.Run(fmt.Sprintf("%s at version %d, in single events", l.name, v), func(t *testing.T) {
				killEverywhere(t, l, v, 1)
			})
		}
	}
}

func killEverywhere(t *testing.T, l life, v, cut int) {
	options := []option{version(v), tree("conformance-cancellable"), func(o *Options) {
		o.cut = cut
		delete(o.Workflows, "assay-loop-endless") // its plan takes longer to read than all the rest
	}}
	whole := l.host(t, options...)
	id, err := l.live(whole)
	if err != nil {
		t.Fatal(err)
	}
	want := plot(whole.events(id))
	if last := story(whole.events(id)); v == 5 && !strings.Contains(last[len(last)-1], l.want) {
		t.Fatalf("unharmed, it ends with %q", last[len(last)-1])
	}
	for k := range whole.log.count() {
		h := l.host(t, options...)
		h.log.kill(k)
		id, err := l.live(h)
		if err == nil {
			break // appends of several runs may come together, so that it took fewer
		}
		h.Close()
		h.log = h.log.survivor()
		h.o.Log = h.log
		h.start()
		if _, err := h.Snapshot(soon(t), id); code(err) == codes.NotFound {
			continue // it never began
		}
		if err := l.goOn(h, id); err != nil {
			t.Fatalf("killed after %d appends: %v", k, err)
		}
		s, events := h.snapshot(id), h.events(id)
		expectLawful(t, s, events, v)
		if got := plot(events); l.advance == 0 && !l.cancel && got != want {
			t.Fatalf("killed after %d appends:\n%s\nwant\n%s", k, got, want)
		}
		h.expectNobodyLeft(s)
		h.Close() // what was under way is done
		if ids, _ := h.log.Pending(soon(h.t)); len(ids) > 0 {
			t.Errorf("pending: %v", ids)
		}
	}
}

// expectNobodyLeft checks that all runs below one that ended have ended.
func (h *host) expectNobodyLeft(s openwopv1.RunSnapshot) {
	h.t.Helper()
	for n := range s.ChildRuns {
		child := h.child(s, n)
		if !state.Ended(child.Status) {
			h.t.Errorf("a child is left %s", child.Status)
		}
		h.expectNobodyLeft(child)
	}
}

func TestResumeClearsMarksOfRunsThatNeverBegan(t *testing.T) {
	h := newHost(t)
	if err := h.log.MarkPending(soon(t), "run-aaaaaaaaaaaaaaaaaaaaaaaaaa"); err != nil {
		t.Fatal(err)
	}
	done := h.create(Create{WorkflowID: "conformance-noop"}).RunID
	if err := h.log.MarkPending(soon(t), done); err != nil {
		t.Fatal(err)
	}
	h.restart()
	if ids, _ := h.log.Pending(soon(t)); len(ids) > 0 {
		t.Errorf("pending: %v", ids)
	}
}

func TestResumeLeavesWhatItCannotRead(t *testing.T) {
	var told []string
	h := newHost(t, func(o *Options) { o.OnError = func(err error) { told = append(told, err.Error()) } })
	good := h.create(Create{WorkflowID: "assay-loop-ask-user"}).RunID
	bad := h.create(Create{WorkflowID: "assay-loop-ask-user"}).RunID
	h.log.logs[bad][0].Data = []byte(`{"events":`)
	h.restart()
	if len(told) == 0 || !strings.Contains(told[0], bad) {
		t.Errorf("told: %v", told)
	}
	if _, err := h.Snapshot(soon(t), bad); err == nil {
		t.Error("an unreadable run has a snapshot")
	}
	if s := h.resolve(good, `{"answers":{"q1":"yes"}}`); s.Status != openwopv1.RunStatusCompleted {
		t.Errorf("the other run is %s", s.Status)
	}
}
