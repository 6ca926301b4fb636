package live

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/step"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// pause pauses a run, which must be possible.
func (h *host) pause(id string, p state.Pause) openwopv1.RunSnapshot {
	h.t.Helper()
	s, err := h.Pause(soon(h.t), id, p)
	if err != nil {
		h.t.Fatalf("pause: %v", err)
	}
	return s
}

func (h *host) goOn(id string) openwopv1.RunSnapshot {
	h.t.Helper()
	s, err := h.Continue(soon(h.t), id)
	if err != nil {
		h.t.Fatalf("continue: %v", err)
	}
	return s
}

// expectStatus waits for a status, which must come without anybody's doing.
func (h *host) expectStatus(id string, want openwopv1.RunStatus) openwopv1.RunSnapshot {
	h.t.Helper()
	deadline := time.Now().Add(testenv.Patience(20 * time.Second))
	for {
		s := h.snapshot(id)
		if s.Status == want {
			return s
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("run is %s, want %s", s.Status, want)
		}
		time.Sleep(time.Millisecond)
	}
}

// steps adds the workflow steps: a wait of a second, then two more nodes.
func steps(o *Options) {
	d := o.Workflows["conformance-delay"]
	d.ID = "steps"
	d.Nodes = append(slices.Clone(d.Nodes),
		openwopv1.WorkflowNode{ID: "second", TypeID: workflow.TypeRandom, Name: "second"},
		openwopv1.WorkflowNode{ID: "third", TypeID: workflow.TypeIdentity, Name: "third"})
	d.Edges = []openwopv1.WorkflowEdge{{ID: "a", SourceNodeID: "wait", TargetNodeID: "second"}, {ID: "b", SourceNodeID: "second",
		TargetNodeID: "third"}}
	o.Workflows["steps"] = d
}

func TestAPausedRunStandsStill(t *testing.T) {
	h := newHost(t, steps)
	id := h.begin(Create{WorkflowID: "steps"})
	if s := h.pause(id, state.Pause{Reason: "a look"}); s.Status != openwopv1.RunStatusPaused {
		t.Fatalf("paused, it is %s", s.Status)
	}
	h.clock.Advance(time.Hour / 2)
	h.restart()
	h.clock.Advance(time.Minute)
	s := h.snapshot(id)
	events := h.events(id)
	expectLawful(t, s, events, 5)
	expectStory(t, events, "0 run.started", "1 node.started @wait", "2 run.paused")
	if p := parse[event.RunPausedPayload](t, string(events[2].Payload)); p.Reason == nil || *p.Reason != "a look" {
		t.Errorf("the reason is %v", p.Reason)
	}
	if s.Status != openwopv1.RunStatusPaused {
		t.Fatalf("it is %s", s.Status)
	}
	h.goOn(id)
	s = h.settled(id)
	events = h.events(id)
	expectLawful(t, s, events, 5)
	expectStory(t, events, "0 run.started", "1 node.started @wait", "2 run.paused", "3 run.resumed <-2", "4 node.completed @wait",
		"5 node.started @second", "6 node.completed @second", "7 node.started @third", "8 node.completed @third", "9 run.completed")
	if events[3].CausationID != events[2].ID {
		t.Errorf("it goes on because of %s", events[3].CausationID)
	}
}

// A delay that is not over when the run goes on is waited for to its end.
func TestADelayIsNotCutShort(t *testing.T) {
	h := newHost(t, steps)
	id := h.begin(Create{WorkflowID: "steps", Inputs: map[string]any{"delayMs": 10_000.0}})
	h.pause(id, state.Pause{})
	h.clock.Advance(9 * time.Second)
	if s := h.goOn(id); s.Status != openwopv1.RunStatusRunning {
		t.Fatalf("it is %s", s.Status)
	}
	h.clock.Advance(999 * time.Millisecond)
	if n := len(h.events(id)); n != 4 {
		t.Fatalf("%d events before the delay is over", n)
	}
	h.clock.Advance(time.Millisecond)
	if s := h.settled(id); s.Status != openwopv1.RunStatusCompleted {
		t.Errorf("it is %s", s.Status)
	}
}

func TestDrainLetsTheNodeEnd(t *testing.T) {
	h := newHost(t, steps)
	id := h.begin(Create{WorkflowID: "steps"})
	for range 2 { // the second one changes nothing
		if s := h.pause(id, state.Pause{Drain: true}); s.Status != openwopv1.RunStatusRunning {
			t.Fatalf("while it drains it is %s", s.Status)
		}
	}
	h.restart()
	h.clock.Advance(time.Second)
	s := h.expectStatus(id, openwopv1.RunStatusPaused)
	expectStory(t, h.events(id), "0 run.started", "1 node.started @wait", "2 node.completed @wait", "3 run.paused")
	expectLawful(t, s, h.events(id), 5)
	h.goOn(id)
	if s := h.settled(id); s.Status != openwopv1.RunStatusCompleted {
		t.Errorf("it is %s", s.Status)
	}
}

func TestDrainThenAtOnceThenNotAtAll(t *testing.T) {
	h := newHost(t, steps)
	id := h.begin(Create{WorkflowID: "steps"})
	h.pause(id, state.Pause{Drain: true})
	if s := h.pause(id, state.Pause{}); s.Status != openwopv1.RunStatusPaused {
		t.Errorf("an immediate pause after one that drains leaves it %s", s.Status)
	}
	h.goOn(id)
	h.pause(id, state.Pause{Drain: true})
	if s := h.goOn(id); s.Status != openwopv1.RunStatusRunning {
		t.Errorf("a pause that is taken back leaves it %s", s.Status)
	}
	h.clock.Advance(time.Second)
	if s := h.settled(id); s.Status != openwopv1.RunStatusCompleted {
		t.Errorf("it is %s", s.Status)
	}
	if n := count(h.events(id), event.RunPaused); n != 1 {
		t.Errorf("it was paused %d times", n)
	}
}

func count(events []event.Event, types ...event.Type) (n int) {
	for _, e := range events {
		if slices.Contains(types, e.Type) {
			n++
		}
	}
	return n
}

func TestWhatCannotBePausedOrGoOn(t *testing.T) {
	h := newHost(t, steps)
	done := h.create(Create{WorkflowID: "conformance-noop"}).RunID
	running := h.begin(Create{WorkflowID: "steps"})
	still := h.begin(Create{WorkflowID: "steps"})
	h.pause(still, state.Pause{})
	pause := func(id string) error { _, err := h.Pause(soon(t), id, state.Pause{}); return err }
	goOn := func(id string) error { _, err := h.Continue(soon(t), id); return err }
	for _, c := range []struct {
		what   string
		err    error
		code   string
		status any
	}{
		{"pause of a run that has ended", pause(done), codes.RunTerminal, openwopv1.RunStatusCompleted},
		{"pause of a paused run", pause(still), codes.RunPaused, openwopv1.RunStatusPaused},
		{"going on of a run that has ended", goOn(done), codes.RunTerminal, openwopv1.RunStatusCompleted},
		{"going on of a run that runs", goOn(running), codes.RunNotPaused, openwopv1.RunStatusRunning},
		{"pause of no run", pause("run-aaaaaaaaaaaaaaaaaaaaaaaaaa"), codes.NotFound, nil},
		{"going on of no run", goOn("run-aaaaaaaaaaaaaaaaaaaaaaaaaa"), codes.NotFound, nil},
	} {
		if code(c.err) != c.code {
			t.Errorf("%s: %v", c.what, c.err)
		} else if got := refusalOf(c.err).Details["runStatus"]; got != c.status {
			t.Errorf("%s: runStatus is %v", c.what, got)
		}
	}
}

func TestAPausedRunCanBeCancelled(t *testing.T) {
	h := newHost(t, steps, tree("conformance-cancellable"))
	id := h.begin(Create{WorkflowID: "steps"})
	h.pause(id, state.Pause{})
	if s, err := h.Cancel(soon(t), id, "enough"); err != nil || s.Status != openwopv1.RunStatusCancelled {
		t.Fatalf("%s, %v", s.Status, err)
	}
	expectStory(t, h.events(id), "0 run.started", "1 node.started @wait", "2 run.paused", "3 node.cancelled @wait", "4 run.cancelled enough")
	expectLawful(t, h.snapshot(id), h.events(id), 5)
	trunk, branch, leaf := grown(h)
	h.pause(trunk, state.Pause{})
	if s, err := h.Cancel(soon(t), trunk, "enough"); err != nil || s.Status != openwopv1.RunStatusCancelled {
		t.Fatalf("a paused tree: %s, %v", s.Status, err)
	}
	for _, id := range []string{trunk, branch, leaf} {
		s := h.snapshot(id)
		expectLawful(t, s, h.events(id), 5)
		if s.Status != openwopv1.RunStatusCancelled {
			t.Errorf("a run of the tree is %s", s.Status)
		}
	}
}

func TestTimeGoesOnWhileARunIsPaused(t *testing.T) {
	h := newHost(t, steps)
	id := h.begin(Create{WorkflowID: "steps", Configurable: map[string]any{step.KeyDuration: 5000.0}})
	h.pause(id, state.Pause{})
	h.clock.Advance(5001 * time.Millisecond)
	s := h.settled(id)
	expectLawful(t, s, h.events(id), 5)
	if s.Status != openwopv1.RunStatusFailed || s.Error.Code != codes.Timeout {
		t.Errorf("it is %s, %+v", s.Status, s.Error)
	}
	if _, err := h.Continue(soon(t), id); code(err) != codes.RunTerminal {
		t.Errorf("going on: %v", err)
	}
}

func TestASuspendedRunIsPausedAndStaysSuspended(t *testing.T) {
	for _, drain := range []bool{false, true} {
		h := newHost(t)
		before := h.create(Create{WorkflowID: "assay-loop-ask-user"})
		id := before.RunID
		during := h.pause(id, state.Pause{Drain: drain})
		if during.Status != openwopv1.RunStatusPaused || cmp.Diff(before.CurrentNodeID, during.CurrentNodeID) != "" || during.Interrupt == nil {
			t.Fatalf("drain %v: paused, it is %+v", drain, during)
		}
		answer := json.RawMessage(`{"answers":{"q1":"yes"}}`)
		n := len(h.events(id))
		for what, err := range map[string]error{
			"by node": func() error { _, err := h.Resolve(soon(t), id, "supervisor", answer); return err }(),
			"by id": func() error {
				_, err := h.ResolveInterrupt(soon(t), id, *before.Interrupt.InterruptID, answer)
				return err
			}(),
		} {
			if code(err) != codes.RunPaused {
				t.Errorf("drain %v: an answer %s: %v", drain, what, err)
			}
		}
		if got := len(h.events(id)); got != n {
			t.Errorf("drain %v: an answer that was refused put %d events on the log", drain, got-n)
		}
		h.restart()
		if s := h.goOn(id); s.Status != before.Status {
			t.Errorf("drain %v: when it goes on it is %s", drain, s.Status)
		}
		if s := h.resolve(id, string(answer)); s.Status != openwopv1.RunStatusCompleted {
			t.Errorf("drain %v: answered, it is %s", drain, s.Status)
		}
		expectLawful(t, h.snapshot(id), h.events(id), 5)
	}
}

// A parent that is paused does not stop its children, and takes up how they ended when it goes on.
func TestChildrenOfAPausedRunGoOn(t *testing.T) {
	h := newHost(t, tree("conformance-delay"))
	trunk, branch, leaf := grown(h)
	h.pause(branch, state.Pause{})
	n := len(h.events(branch))
	h.clock.Advance(time.Second)
	if s := h.settled(leaf); s.Status != openwopv1.RunStatusCompleted {
		t.Fatalf("the leaf is %s", s.Status)
	}
	h.restart()
	if got := len(h.events(branch)); got != n {
		t.Errorf("its child put %d events on the log of a paused run", got-n)
	}
	h.goOn(branch)
	if s := h.settled(trunk); s.Status != openwopv1.RunStatusCompleted {
		t.Errorf("the trunk is %s", s.Status)
	}
	expectLawful(t, h.snapshot(branch), h.events(branch), 5)
}

// What drains is a node of the loop: the dispatch ends with its child, then the run stands still.
func TestDrainWaitsForTheChild(t *testing.T) {
	h := newHost(t, tree("conformance-delay"))
	trunk, branch, _ := grown(h)
	h.pause(branch, state.Pause{Drain: true})
	h.clock.Advance(time.Second)
	s := h.expectStatus(branch, openwopv1.RunStatusPaused)
	events := h.events(branch)
	at := slices.IndexFunc(events, func(e event.Event) bool { return e.Type == event.RunPaused })
	if events[at-1].Type != event.NodeCompleted || at != len(events)-1 {
		t.Errorf("it was paused in\n%s", strings.Join(story(events), "\n"))
	}
	expectLawful(t, s, events, 5)
	h.goOn(branch)
	if s := h.settled(trunk); s.Status != openwopv1.RunStatusCompleted {
		t.Errorf("the trunk is %s", s.Status)
	}
}

// Forks of a run that was paused, from every place: a replay goes through, a branch that begins in the pause is paused.
func TestForksOfARunThatWasPaused(t *testing.T) {
	h := newHost(t, steps)
	id := h.begin(Create{WorkflowID: "steps"})
	h.pause(id, state.Pause{Drain: true, Reason: "after the wait"})
	h.clock.Advance(time.Second)
	h.expectStatus(id, openwopv1.RunStatusPaused)
	if _, err := h.Fork(soon(t), id, Fork{Mode: "replay"}); code(err) != codes.RunActive {
		t.Errorf("a fork of a paused run: %v", err)
	}
	h.goOn(id)
	h.settled(id)
	source := h.events(id)
	for from := range int64(len(source) + 1) {
		replay, err := h.Fork(soon(t), id, Fork{Mode: "replay", FromSeq: &from})
		if err != nil {
			t.Fatal(err)
		}
		s := h.settled(replay.RunID)
		expectLawful(t, s, h.events(replay.RunID), 5)
		if diff := cmp.Diff(types(source), types(h.events(replay.RunID))); diff != "" {
			t.Errorf("replay from %d (-source +fork)\n%s", from, diff)
		}
		branch, err := h.Fork(soon(t), id, Fork{Mode: "branch", FromSeq: &from})
		if err != nil {
			t.Fatal(err)
		}
		if at := source[max(from-1, 0)]; from > 0 && at.Type == event.RunPaused {
			h.expectStatus(branch.RunID, openwopv1.RunStatusPaused)
			h.goOn(branch.RunID)
		}
		h.clock.Advance(time.Second)
		if h.snapshot(branch.RunID).Status == openwopv1.RunStatusPaused { // the wish to pause was the source's and is the branch's
			h.goOn(branch.RunID)
		}
		if s := h.settled(branch.RunID); s.Status != openwopv1.RunStatusCompleted {
			t.Errorf("the branch from %d is %s", from, s.Status)
		}
	}
}

func types(events []event.Event) (list []string) {
	for _, e := range events {
		list = append(list, string(e.Type)+" "+e.NodeID)
	}
	return list
}

// A run that says which child it is about to create, and is paused before it does, creates it when it goes on.
func TestAPausedRunCreatesNoChild(t *testing.T) {
	h := newHost(t)
	h.log.left = 2 // the definition, and the first append of the run
	id := h.begin(Create{WorkflowID: "assay-loop"})
	h.Close()
	h.log = h.log.survivor()
	h.o.Log = h.log
	e, err := New(h.o) // no Resume: nothing goes on by itself
	if err != nil {
		t.Fatal(err)
	}
	h.Engine = e
	r, err := e.load(soon(t), id)
	if err != nil {
		t.Fatal(err)
	}
	e.share(r)
	announced := r.state.Loop.Child
	if announced == nil || announced.Phase != state.ChildAnnounced {
		t.Fatal("no child is announced")
	}
	h.pause(id, state.Pause{})
	h.restart()
	for deadline := time.Now().Add(testenv.Patience(20 * time.Second)); slices.ContainsFunc(h.lives(),
		func(r *liveRun) bool { return r.wakes.Load() > 0 }); {
		if time.Now().After(deadline) {
			t.Fatal("the host does not come to rest")
		}
		time.Sleep(time.Millisecond)
	}
	if _, err := h.Snapshot(soon(t), announced.RunID); code(err) != codes.NotFound {
		t.Errorf("a paused run created its child: %v", err)
	}
	h.goOn(id)
	if s := h.settled(id); s.Status != openwopv1.RunStatusCompleted || h.child(s, 0).RunID != announced.RunID {
		t.Errorf("it is %s with %d children", s.Status, len(s.ChildRuns))
	}
	expectLawful(t, h.snapshot(id), h.events(id), 5)
}
