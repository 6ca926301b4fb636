package live

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/step"
)

// branch forks a run in mode branch.
func (h *host) branch(id string, from int64, overlay *Overlay) string {
	h.t.Helper()
	f, err := h.Fork(soon(h.t), id, Fork{Mode: "branch", FromSeq: &from, Overlay: overlay})
	if err != nil {
		h.t.Fatalf("branch from %d: %v", from, err)
	}
	return f.RunID
}

// lead answers what a run and those below it ask, and lets time pass, until it has ended.
func (h *host) lead(id, answer string) openwopv1.RunSnapshot {
	h.t.Helper()
	for deadline := time.Now().Add(testenv.Patience(20 * time.Second)); ; runtime.Gosched() {
		s := h.snapshot(id)
		if state.Ended(s.Status) {
			return s
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("run %s is left %s after\n%s", id, s.Status, strings.Join(story(h.events(id)), "\n"))
		}
		if !h.answer(s, answer) {
			h.clock.Advance(time.Second)
		}
	}
}

// answer answers what a run asks, or one below it. answered is false where nobody asks.
func (h *host) answer(s openwopv1.RunSnapshot, answer string) (answered bool) {
	h.t.Helper()
	if s.CurrentNodeID != nil {
		_, err := h.Resolve(soon(h.t), s.RunID, *s.CurrentNodeID, json.RawMessage(answer))
		// A branch whose log is appended in pieces passes through what its source waited for.
		if err != nil && code(err) != codes.InterruptResolved {
			h.t.Fatal(err)
		}
		return true
	}
	for i := range s.ChildRuns {
		child, err := h.Snapshot(soon(h.t), parse[state.ChildView](h.t, string(s.ChildRuns[i])).RunID)
		if code(err) == codes.NotFound { // a branch whose log is appended in pieces names its child before it is there
			continue
		}
		if err != nil {
			h.t.Fatal(err)
		}
		if !state.Ended(child.Status) && h.answer(child, answer) {
			return true
		}
	}
	return false
}

const anyAnswer = `{"answers":{"q1":"mine"},"action":"accept"}`

// alike are events without what may differ in a branch: ids of its own that stand for those of its source.
func alike(events []event.Event, own map[string]string) []string {
	lines := essence(events)
	for i := range lines {
		for id, stands := range own {
			lines[i] = strings.ReplaceAll(lines[i], id, stands)
		}
	}
	return lines
}

// A branch from any place of any run has its source's events below that place, and ends.
func TestBranchFromEverywhere(t *testing.T) {
	for _, v := range []int{0, 1, 6} {
		h := newHost(t, version(v), func(o *Options) { o.cut = v % 3 })
		for name, id := range sources(h) {
			source := h.events(id)
			for from := range int64(len(source) + 1) {
				branch := h.branch(id, from, nil)
				s := h.lead(branch, anyAnswer)
				events := h.events(branch)
				expectLawful(t, s, events, v)
				own := map[string]string{}
				for place, stands := range step.NewTape(branch, state.ForkLink{RunID: id, FromSeq: from, Through: from - 1, Branch: true},
					h.recordsOf(id)).Own {
					own[stands] = place
				}
				if got, want := alike(events[:from], own), essence(source[:from]); !slices.Equal(got, want) {
					t.Errorf("version %d, %s from %d:\n  %s\nwant\n  %s", v, name, from, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
				}
				if len(own) > 1 {
					t.Errorf("version %d, %s from %d: %d things were unfinished at once", v, name, from, len(own))
				}
			}
			if len(source) != len(h.events(id)) {
				t.Errorf("version %d: %s has moved", v, name)
			}
		}
	}
}

func (h *host) recordsOf(id string) []state.Record {
	h.t.Helper()
	records, _, err := h.read(soon(h.t), id)
	if err != nil {
		h.t.Fatal(err)
	}
	return records
}

// Random plans, random places, and branches of branches: what was taken over is the source's, and the rest is lawful.
func TestBranchesOfRandomLoops(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := rapid.IntRange(0, 6).Draw(rt, "version")
		h := newHost(t, version(v), tree("assay-loop-ask-user"), func(o *Options) {
			delete(o.Workflows, "assay-loop-endless")
			o.Limits = Limits{MaxLoopIterations: 8, MaxNodeExecutions: 40}
			o.cut = rapid.SampledFrom([]int{0, 1, 900}).Draw(rt, "cut")
		})
		defer h.Close()
		var decisions []any
		for _, d := range rapid.SliceOfN(anyDecision(), 1, 5).Draw(rt, "plan") {
			decisions = append(decisions, d)
		}
		definition := harvesting(t)
		source, err := h.Create(soon(t), Create{Definition: definition, Inputs: map[string]any{"plan": decisions}})
		if err != nil {
			rt.Fatal(err)
		}
		id := source.RunID
		h.lead2(rt, id)
		for range 3 {
			before := h.events(id)
			from := rapid.Int64Range(0, int64(len(before))).Draw(rt, "from")
			bound := rapid.Int64Range(1, 8).Draw(rt, "bound")
			branch := h.branch(id, from, &Overlay{Configurable: map[string]any{step.KeyTurns: float64(bound)}})
			s := h.lead2(rt, branch)
			after := h.events(branch)
			if problems := unlawful(s, after, v); len(problems) > 0 {
				rt.Fatalf("from %d: %v in\n%s", from, problems, strings.Join(story(after), "\n"))
			}
			for i := range before[:from] {
				if after[i].Type != before[i].Type || after[i].NodeID != before[i].NodeID || after[i].Sequence != before[i].Sequence {
					rt.Fatalf("from %d: event %d is %s, in the source %s", from, i, after[i].Type, before[i].Type)
				}
			}
			turns := 0
			for _, e := range after[from:] {
				if e.Type == event.Decided {
					turns++
				}
			}
			taken := int64(len(slices.DeleteFunc(slices.Clone(before[:from]), func(e event.Event) bool {
				return e.Type != event.NodeStarted || e.NodeID != "supervisor"
			})))
			if v > 0 && int64(turns) > max(bound-taken, 0)+1 {
				rt.Fatalf("from %d: %d decisions beyond a bound of %d, %d turns taken over", from, turns, bound, taken)
			}
			id = branch
		}
	})
}

// lead2 is lead where a rejection may answer, or an agent may be unsure.
func (h *host) lead2(rt *rapid.T, id string) openwopv1.RunSnapshot {
	return h.lead(id, rapid.SampledFrom([]string{anyAnswer, `{"answers":{"q1":"no"},"action":"reject"}`}).Draw(rt, "answer"))
}

// The parts of a handoff: a child that had ended is the source's, one that was under way is the branch's own.
func TestBranchInAHandoff(t *testing.T) {
	h := newHost(t)
	source := h.create(Create{WorkflowID: "assay-loop", Inputs: plan(t,
		`[{"kind":"next-worker","nextWorkerIds":["conformance-noop","conformance-noop"]},{"kind":"terminate"}]`)})
	theirs := []string{h.child(source, 0).RunID, h.child(source, 1).RunID}
	over := 0
	for _, e := range h.events(source.RunID) {
		if strings.Contains(tell(e), string(event.ChildCompleted)) {
			over++
		}
		s := h.lead(h.branch(source.RunID, e.Sequence+1, nil), anyAnswer)
		if s.Status != openwopv1.RunStatusCompleted || len(s.ChildRuns) != 2 {
			t.Fatalf("from %d: %s with %d children", e.Sequence+1, s.Status, len(s.ChildRuns))
		}
		for i, id := range theirs {
			child := h.child(s, i)
			if (child.RunID == id) != (i < over) {
				t.Errorf("from %d, where %d had ended: child %d is %s, the source's %s", e.Sequence+1, over, i, child.RunID, id)
			}
			if i >= over && *child.ParentRunID != s.RunID {
				t.Errorf("from %d: child %d belongs to %s", e.Sequence+1, i, *child.ParentRunID)
			}
		}
	}
	if over != 2 {
		t.Errorf("%d children ended", over)
	}
}

// A branch that was cut in the middle of a handoff, and whose host dies before its child is there, creates it afterwards.
func TestBranchInAHandoffSurvives(t *testing.T) {
	for left := range 4 {
		h := newHost(t)
		source := h.create(Create{WorkflowID: "assay-loop"})
		at := slices.IndexFunc(h.events(source.RunID), func(e event.Event) bool { return e.Type == event.NodeDispatched })
		h.log.kill(left + 1)
		id := h.branch(source.RunID, int64(at+1), nil)
		h.Close()
		h.log = h.log.survivor()
		h.o.Log = h.log
		h.start()
		s := h.settled(id)
		expectLawful(t, s, h.events(id), 5)
		if s.Status != openwopv1.RunStatusCompleted {
			t.Errorf("%d appends later: %s, %v", left, s.Status, s.Error)
		}
	}
}

// A branch that is cancelled while the child it inherits is under way stops that child, and not its source's.
func TestCancelOfABranchStopsItsChild(t *testing.T) {
	h := newHost(t)
	source := h.begin(Create{WorkflowID: "assay-loop", Inputs: plan(t,
		`[{"kind":"next-worker","nextWorkerIds":["conformance-cancellable"]},{"kind":"terminate"}]`)})
	dispatched := h.until(source, func(e event.Event) bool { return e.Type == event.NodeDispatched })
	s := h.lead(source, anyAnswer)
	id := h.branch(source, dispatched.Sequence+1, nil)
	if _, err := h.Cancel(soon(t), id, "enough"); err != nil {
		t.Fatal(err)
	}
	b := h.settled(id)
	expectLawful(t, b, h.events(id), 5)
	if own := h.child(b, 0); b.Status != openwopv1.RunStatusCancelled || own.Status != openwopv1.RunStatusCancelled ||
		own.RunID == h.child(s, 0).RunID {
		t.Errorf("the branch is %s, its child %s of %s", b.Status, own.RunID, *own.ParentRunID)
	}
	if got := h.child(h.snapshot(source), 0).Status; got != openwopv1.RunStatusCompleted {
		t.Errorf("the source's child is %s", got)
	}
}

// Where its source was suspended, a branch is: with a question of its own, and an answer of its own.
func TestBranchInASuspension(t *testing.T) {
	h := newHost(t)
	source := h.resolve(h.create(Create{WorkflowID: "assay-loop-ask-user"}).RunID, yes)
	at := slices.IndexFunc(h.events(source.RunID),
		func(e event.Event) bool { return e.Type == event.InterruptRequested })
	asked := parse[event.NodeSuspendedPayload](t, string(h.events(source.RunID)[at-1].Payload))
	for _, from := range []int64{int64(at), int64(at + 1)} {
		s := h.settled(h.branch(source.RunID, from, nil))
		if s.Interrupt == nil || *s.Interrupt.InterruptID == asked.InterruptID || s.Variables["answer"] != nil {
			t.Fatalf("from %d: the branch asks %+v, its source asked %s", from, s.Interrupt, asked.InterruptID)
		}
		if _, err := h.ResolveInterrupt(soon(t), s.RunID, asked.InterruptID, json.RawMessage(yes)); code(err) != codes.InterruptNotFound {
			t.Errorf("from %d: the source's interrupt in the branch: %v", from, err)
		}
		if _, err := h.ResolveInterrupt(soon(t), s.RunID, *s.Interrupt.InterruptID, json.RawMessage(`{"answers":{"q1":"mine"}}`)); err != nil {
			t.Fatal(err)
		}
		if got := h.settled(s.RunID).Variables["answer"]; got != "mine" {
			t.Errorf("from %d: the answer is %v", from, got)
		}
	}
	if got := h.snapshot(source.RunID).Variables["answer"]; got != "yes" {
		t.Errorf("the source's answer is %v", got)
	}
}

func TestOverlayOfABranch(t *testing.T) {
	h := newHost(t)
	source := h.create(Create{WorkflowID: "assay-loop", Configurable: map[string]any{"kept": "k", step.KeyTurns: 9.0},
		Tags: []string{"a"}, Metadata: map[string]any{"m": 1.0, "n": 1.0}})
	overlay := &Overlay{Configurable: map[string]any{step.KeyTurns: 2.0}, Tags: []string{"b"}, Metadata: map[string]any{"n": 2.0}}
	for from := range int64(3) {
		s := h.lead(h.branch(source.RunID, from, overlay), anyAnswer)
		if s.Error == nil || s.Error.Code != codes.LoopLimit {
			t.Errorf("from %d: %s, %v", from, s.Status, s.Error)
		}
		if got := fmt.Sprint(s.Configurable, s.Tags, s.Metadata, s.Inputs); got != fmt.Sprint(map[string]any{"kept": "k",
			step.KeyTurns: 2.0}, []string{"b"}, map[string]any{"m": 1.0, "n": 2.0}, source.Inputs) {
			t.Errorf("from %d: the branch has %s", from, got)
		}
		// What a fork of the branch has is the branch's, whatever the first source had.
		f, err := h.Fork(soon(t), s.RunID, Fork{Mode: "replay"})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := f.Snapshot, s; fmt.Sprint(got.Configurable, got.Tags, got.Metadata) != fmt.Sprint(want.Configurable, want.Tags,
			want.Metadata) {
			t.Errorf("from %d: a replay of the branch has %v, %v", from, got.Tags, got.Metadata)
		}
	}
	if s := h.snapshot(source.RunID); s.Status != openwopv1.RunStatusCompleted || fmt.Sprint(s.Tags) != "[a]" ||
		s.Configurable[step.KeyTurns] != 9.0 {
		t.Errorf("the source is %+v", s)
	}
	if s := h.lead(h.branch(source.RunID, 2, nil), anyAnswer); s.Status != openwopv1.RunStatusCompleted {
		t.Errorf("without an overlay: %s", s.Status)
	}
}

// A delay that was under way begins anew: it waits as long as it did, by the branch's own time.
func TestBranchInADelay(t *testing.T) {
	h := newHost(t)
	id := h.begin(Create{WorkflowID: "conformance-delay", Inputs: map[string]any{"delayMs": 5000.0}})
	h.clock.Advance(time.Hour)
	h.settled(id)
	at := slices.IndexFunc(h.events(id), func(e event.Event) bool { return e.Type == event.NodeStarted })
	branch := h.branch(id, int64(at+1), nil)
	if s := h.snapshot(branch); state.Ended(s.Status) {
		t.Fatalf("the branch is %s at once", s.Status)
	}
	h.clock.Advance(5 * time.Second)
	s := h.settled(branch)
	if waited := s.CompletedAt.Sub(s.StartedAt); s.Status != openwopv1.RunStatusCompleted || waited != 5*time.Second {
		t.Errorf("%s after %v", s.Status, waited)
	}
}

// values are what a run of assay-random drew.
func (h *host) values(id string) (drawn [3]any) {
	h.t.Helper()
	s := h.settled(id)
	if s.Status != openwopv1.RunStatusCompleted {
		h.t.Fatalf("the run is %s: %v", s.Status, s.Error)
	}
	events := h.events(id)
	outputs := parse[event.RunCompletedPayload](h.t, string(events[len(events)-1].Payload)).Outputs
	for i, name := range []string{"first", "second", "third"} {
		drawn[i] = outputs[name]
	}
	return drawn
}

// A replay takes the values that were drawn, a branch those that were drawn before it.
func TestRandomValues(t *testing.T) {
	h := newHost(t)
	id := h.begin(Create{WorkflowID: "assay-random"})
	source := h.values(id)
	if other := h.values(h.begin(Create{WorkflowID: "assay-random"})); source[0] == source[1] || other[0] == source[0] {
		t.Fatalf("drawn: %v, then %v", source, other)
	}
	drawn := 0
	for from := range int64(len(h.events(id)) + 1) {
		f, err := h.Fork(soon(t), id, Fork{Mode: "replay", FromSeq: &from})
		if err != nil {
			t.Fatal(err)
		}
		if got := h.values(f.RunID); got != source {
			t.Errorf("a replay from %d has %v, want %v", from, got, source)
		}
		if from > 0 && drawn < 3 && h.events(id)[from-1].Type == event.NodeCompleted {
			drawn++
		}
		branch := h.values(h.branch(id, from, nil))
		for i := range source {
			if (branch[i] == source[i]) != (i < drawn) {
				t.Errorf("a branch from %d, where %d were drawn, has %v, its source %v", from, drawn, branch, source)
			}
		}
	}
}
