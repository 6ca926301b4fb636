package live

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/step"
)

// sources are runs worth forking, by name.
func sources(h *host) map[string]string {
	h.t.Helper()
	next := func(workers string) map[string]any {
		return plan(h.t, `[{"kind":"next-worker","nextWorkerIds":[`+workers+`]},{"kind":"terminate"}]`)
	}
	all := map[string]string{}
	for name, c := range map[string]Create{
		"one node": {WorkflowID: "conformance-noop", Owner: &event.Owner{Tenant: "t1"}, Tags: []string{"a"},
			Metadata: map[string]any{"m": 1.0}},
		"loop":      {WorkflowID: "assay-loop"},
		"harvest":   {WorkflowID: "conformance-dispatch-cross-worker-handoff"},
		"refused":   {WorkflowID: "assay-loop", Inputs: next(`"no-such-workflow"`)},
		"failing":   {WorkflowID: "assay-loop", Inputs: next(`"conformance-dispatch-deterministic-fail-child","conformance-noop"`)},
		"breach":    {WorkflowID: "assay-loop", Configurable: map[string]any{"maxLoopIterations": 2}},
		"nodes":     {WorkflowID: "conformance-cap-breach", Configurable: map[string]any{"recursionLimit": 3}},
		"suspended": {WorkflowID: "assay-loop-ask-user"},
		"no plan":   {WorkflowID: "conformance-dispatch-deterministic-fail-child"},
	} {
		all[name] = h.create(c).RunID
	}
	for name, workflow := range map[string]string{"resumed": "assay-loop-ask-user", "held": "conformance-multi-agent-confidence-escalation"} {
		s := h.create(Create{WorkflowID: workflow})
		if s.CurrentNodeID != nil { // below version 2 no decision is held
			s = h.resolve(s.RunID, `{"answers":{"q1":"yes"}}`)
		}
		all[name] = s.RunID
	}
	all["unsure"] = h.resolve(h.create(Create{WorkflowID: "conformance-orchestrator-low-confidence"}).RunID, `{"action":"reject"}`).RunID

	slow := Create{WorkflowID: "assay-loop", Inputs: next(`"conformance-cancellable"`), Configurable: map[string]any{"runTimeoutMs": 60000}}
	overtime := h.begin(Create{WorkflowID: "conformance-run-duration-breach", Configurable: map[string]any{"runTimeoutMs": 10}})
	delayed := h.begin(Create{WorkflowID: "conformance-delay", Inputs: map[string]any{"delayMs": 5.0}})
	late := h.begin(slow)
	stopped := h.begin(slow)
	for _, id := range []string{late, stopped} {
		h.until(id, func(e event.Event) bool { return e.Type == event.NodeDispatched })
	}
	if _, err := h.Cancel(soon(h.t), stopped, "enough"); err != nil {
		h.t.Fatal(err)
	}
	h.clock.Advance(time.Hour)
	for name, id := range map[string]string{"delayed": delayed, "overtime": overtime, "late parent": late, "cancelled parent": stopped} {
		h.settled(id)
		all[name] = id
	}
	return all
}

// What a turn read and wrote comes from the source's log, also when the stores have changed since.
func TestReplayReadsNothingAnew(t *testing.T) {
	for _, v := range []int{0, 4, 5, 6} {
		for _, cut := range []int{0, 1} {
			h := newStoreHost(t, version(v), func(o *Options) { o.cut = cut })
			s := h.create(noting(t,
				`[{"kind":"next-worker","nextWorkerIds":["conformance-noop"]},{"kind":"ask-user","prompt":"a"},{"kind":"terminate"}]`,
				bothRead, bothWritten))
			h.put("a.md", "from outside")
			h.remember("from outside", 0, "m")
			id := h.resolve(s.RunID, yes).RunID
			h.put("a.md", "later")
			h.remember("later", 0, "m")
			if err := h.files.Delete(soon(t), shelf, "b.md", ""); err != nil {
				t.Fatal(err)
			}
			if cut == 0 {
				h.expectReplays(id)
				continue
			}
			f, err := h.Fork(soon(t), id, Fork{Mode: "replay"})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := notes(t, h.settled(f.RunID)), notes(t, h.snapshot(id)); !slices.Equal(got, want) || len(want) != 6 {
				t.Errorf("version %d: the fork's notes are %v, want %v", v, got, want)
			}
		}
	}
}

// A fork whose source is suspended ends the turn of its source with what that turn saw, and goes on with what there is.
func TestForkOfASuspendedTurnKeepsWhatItSaw(t *testing.T) {
	for _, v := range []int{4, 5} {
		h := newStoreHost(t, version(v))
		h.put("a.md", "before")
		h.remember("brief", time.Minute, "m")
		source := h.create(noting(t, askedOnce, bothRead, `[[],[{"path":"b.md","content":"own"}]]`))
		h.put("a.md", "meanwhile")
		h.clock.Advance(time.Hour)
		for from := range int64(len(h.events(source.RunID)) + 1) {
			f, err := h.Fork(soon(t), source.RunID, Fork{Mode: "replay", FromSeq: &from})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(f.Snapshot.Workspace, source.Workspace) {
				t.Errorf("from %d the fork reads %v, its source %v", from, f.Snapshot.Workspace, source.Workspace)
			}
			s := h.resolve(f.RunID, yes)
			expectLawful(t, s, h.events(f.RunID), v)
			first, second := "a.md@1=before b.md@0 [m]=brief", "a.md@2=meanwhile b.md@0"
			if from > 0 { // the fork before has written by now, and its write is another one than this fork's
				second = fmt.Sprintf("a.md@2=meanwhile b.md@%d=own", from)
			}
			if v < 5 {
				second = first
			}
			expectNotes(t, s, "1 begin "+first, "1 end "+first, "2 begin "+second, "2 end "+second)
		}
	}
}

// essence is what a replay keeps of an event.
func essence(events []event.Event) []string {
	lines := story(events)
	for i, e := range events {
		lines[i] += " " + string(e.Payload)
	}
	return lines
}

func TestReplayFromEverywhere(t *testing.T) {
	for _, v := range []int{0, 1, 6} {
		h := newHost(t, version(v))
		for name, id := range sources(h) {
			source, sourceEvents := h.snapshot(id), h.events(id)
			want := essence(sourceEvents)
			appends := h.log.count()
			for from := range int64(len(want) + 1) {
				f, err := h.Fork(soon(t), id, Fork{Mode: "replay", FromSeq: &from})
				if err != nil {
					t.Fatalf("version %d, %s from %d: %v", v, name, from, err)
				}
				s := h.settled(f.RunID)
				events := h.events(f.RunID)
				expectLawful(t, s, events, v)
				// A held or rejected decision names its run; everything else is the same, word for word.
				got := essence(events)
				for i := range got {
					got[i] = strings.ReplaceAll(got[i], f.RunID, id)
				}
				if !slices.Equal(got, want) {
					t.Fatalf("version %d, %s from %d:\n  %s\nwant\n  %s", v, name, from, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
				}
				for i, e := range events {
					if e.RunID != f.RunID || e.ID == sourceEvents[i].ID {
						t.Errorf("version %d, %s from %d: event %d has the source's ids", v, name, from, i)
					}
				}
				if s.Status != source.Status || s.ParentRunID != nil || fmt.Sprint(s.Variables) != fmt.Sprint(source.Variables) ||
					fmt.Sprint(s.Inputs) != fmt.Sprint(source.Inputs) {
					t.Errorf("version %d, %s from %d: the fork is %+v", v, name, from, s)
				}
			}
			if n := h.log.count() - appends; n != len(want)+1 {
				t.Errorf("version %d, %s: %d appends for %d forks: a replay must create no child", v, name, n, len(want)+1)
			}
		}
	}
}

func TestForkOfASuspendedRunGoesItsOwnWay(t *testing.T) {
	h := newHost(t)
	source := h.create(Create{WorkflowID: "assay-loop-ask-user"})
	for from := range int64(len(h.events(source.RunID)) + 1) {
		f, err := h.Fork(soon(t), source.RunID, Fork{Mode: "replay", FromSeq: &from})
		if err != nil {
			t.Fatal(err)
		}
		s := h.resolve(f.RunID, `{"answers":{"q1":"fork"}}`)
		expectLawful(t, s, h.events(f.RunID), 5)
		if s.Status != openwopv1.RunStatusCompleted || s.Variables["answer"] != "fork" || len(s.ChildRuns) != 2 {
			t.Errorf("from %d: %s, %v, %d children", from, s.Status, s.Variables["answer"], len(s.ChildRuns))
		}
		if child := h.child(s, 1); *child.ParentRunID != f.RunID {
			t.Errorf("from %d: the fork's own child belongs to %s", from, *child.ParentRunID)
		}
	}
	if s := h.snapshot(source.RunID); s.Status != openwopv1.RunStatusWaitingInput {
		t.Errorf("the source is %s", s.Status)
	}
}

func TestForkOfAFork(t *testing.T) {
	h := newHost(t)
	id := h.create(Create{WorkflowID: "conformance-multi-agent-handoff"}).RunID
	want := essence(h.events(id))
	for from := range int64(3) {
		f, err := h.Fork(soon(t), id, Fork{Mode: "replay", FromSeq: &from})
		if err != nil {
			t.Fatal(err)
		}
		got := essence(h.events(h.settled(f.RunID).RunID))
		for i := range got {
			got[i] = strings.ReplaceAll(got[i], f.RunID, id)
			want[i] = strings.ReplaceAll(want[i], f.RunID, id)
		}
		if !slices.Equal(got, want) {
			t.Errorf("generation %d:\n%s", from, strings.Join(got, "\n"))
		}
		id = f.RunID
		want = essence(h.events(id))
	}
}

func TestForksThatAreRefused(t *testing.T) {
	h := newHost(t)
	done := h.create(Create{WorkflowID: "conformance-noop"}).RunID
	live := h.begin(Create{WorkflowID: "conformance-cancellable"})
	at := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		name, run string
		fork      Fork
		code      string
	}{
		{"no such run", "run-aaaaaaaaaaaaaaaaaaaaaaaaaa", Fork{Mode: "replay"}, codes.NotFound},
		{"no such run, and no such mode", "run-aaaaaaaaaaaaaaaaaaaaaaaaaa", Fork{Mode: "strange"}, codes.NotFound},
		{"beyond the end", done, Fork{Mode: "replay", FromSeq: at(5)}, codes.InvalidFromSeq},
		{"negative", done, Fork{Mode: "replay", FromSeq: at(-1)}, codes.InvalidFromSeq},
		{"branch from nowhere", done, Fork{Mode: "branch"}, codes.Validation},
		{"branch from beyond the end", done, Fork{Mode: "branch", FromSeq: at(5)}, codes.InvalidFromSeq},
		{"branch with options that no run may have", done, Fork{Mode: "branch", FromSeq: at(0),
			Overlay: &Overlay{Configurable: map[string]any{step.KeyNodes: 0.5}}}, codes.Validation},
		{"branch under way", live, Fork{Mode: "branch", FromSeq: at(0)}, codes.RunActive},
		{"an overlay on a replay", done, Fork{Mode: "replay", Overlay: &Overlay{}}, codes.Validation},
		{"beyond the end, in no mode", done, Fork{Mode: "strange", FromSeq: at(5)}, codes.Validation},
		{"no such mode", done, Fork{Mode: "strange"}, codes.Validation},
		{"no mode", done, Fork{}, codes.Validation},
		{"under way", live, Fork{Mode: "replay"}, codes.RunActive},
	} {
		if _, err := h.Fork(soon(t), c.run, c.fork); code(err) != c.code {
			t.Errorf("%s: %v, want %s", c.name, err, c.code)
		}
	}
	if f, err := h.Fork(soon(t), done, Fork{Mode: "replay", FromSeq: at(4)}); err != nil ||
		f.Snapshot.Status != openwopv1.RunStatusCompleted || f.FromSeq != 4 || f.SourceRunID != done {
		t.Errorf("from right behind the end: %+v, %v", f, err)
	}
}

// The host was replaced by one that runs things in another order: the fork must not pretend.
func TestReplayThatDiverges(t *testing.T) {
	h := newHost(t)
	id := h.create(Create{WorkflowID: "assay-loop"}).RunID
	entries := h.log.logs[id]
	record, err := state.DecodeRecord(entries[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	for i := range record.Events {
		if record.Events[i].Type == event.NodeCompleted {
			record.Events[i].Type, record.Events[i].Payload = "log.appended", []byte(`{"level":"info","message":"hello"}`)
		}
	}
	if entries[0].Data, err = record.Encode(); err != nil {
		t.Fatal(err)
	}
	f, err := h.Fork(soon(t), id, Fork{Mode: "replay"})
	if err != nil {
		t.Fatal(err)
	}
	s := h.settled(f.RunID)
	expectLawful(t, s, h.events(f.RunID), 5)
	log := story(h.events(f.RunID))
	if s.Error == nil || s.Error.Code != codes.Diverged || log[len(log)-2] != "4 replay.diverged" {
		t.Errorf("error %v after\n%s", s.Error, strings.Join(log, "\n"))
	}
	diverged := parse[event.ReplayDivergedPayload](t, string(h.events(f.RunID)[4].Payload))
	if diverged.SourceRunID != id || diverged.AtSequence != 4 {
		t.Errorf("it says %+v", diverged)
	}
}

// What is more than one append takes is appended in pieces, and a process that dies between two of them leaves a fork that
// can go on.
func TestLongReplaysAreCut(t *testing.T) {
	h := newHost(t, func(o *Options) { o.cut = 2000 })
	source := h.create(Create{WorkflowID: "assay-loop"})
	want := int64(len(h.events(source.RunID)))
	for from := range want + 1 {
		before := h.log.count()
		f, err := h.Fork(soon(t), source.RunID, Fork{Mode: "replay", FromSeq: &from})
		if err != nil {
			t.Fatal(err)
		}
		h.expectReplayed(f.RunID, want)
		if pieces := h.log.count() - before; pieces < 3 {
			t.Errorf("from %d: %d appends", from, pieces)
		}

		h.log.kill(1)
		f, err = h.Fork(soon(t), source.RunID, Fork{Mode: "replay", FromSeq: &from})
		if err != nil {
			t.Fatal(err)
		}
		h.Close()
		h.log = h.log.survivor()
		h.o.Log = h.log
		h.start()
		h.expectReplayed(f.RunID, want)
	}
}

func (h *host) expectReplayed(id string, events int64) {
	h.t.Helper()
	s := h.settled(id)
	if got := int64(len(h.events(id))); s.Status != openwopv1.RunStatusCompleted || got != events {
		h.t.Errorf("the fork is %s after %d events, want %d: %v", s.Status, got, events, s.Error)
	}
	expectLawful(h.t, s, h.events(id), 5)
}

// A fork that passes through a suspension of its source is not suspended: nobody is to answer it, or to find it waiting.
func TestAForkPassesThroughSuspensions(t *testing.T) {
	h := newHost(t, func(o *Options) { o.cut = 1 })
	source := h.resolve(h.create(Create{WorkflowID: "assay-loop-ask-user", Inputs: plan(t, askedOnce)}).RunID, yes)
	asked := slices.IndexFunc(h.events(source.RunID), func(e event.Event) bool {
		return e.Type == event.InterruptRequested
	})
	id := h.standing(source.RunID, Fork{Mode: "replay"}, asked+1)
	s := h.snapshot(id)
	if len(h.events(id)) != asked+1 || s.Interrupt == nil {
		t.Fatalf("the fork stands at\n%s", strings.Join(story(h.events(id)), "\n"))
	}
	if _, err := h.ResolveInterrupt(soon(t), id, *s.Interrupt.InterruptID,
		[]byte(`{"answers":{"q1":"mine"}}`)); code(err) != codes.InterruptResolved {
		t.Errorf("an answer on the way: %v", err)
	}
	if _, err := h.Resolve(soon(t), id, "supervisor", []byte(`{"answers":{"q1":"mine"}}`)); code(err) != codes.InterruptResolved {
		t.Errorf("an answer on the way: %v", err)
	}
	awaited := make(chan error, 1)
	go func() { awaited <- h.Await(soon(t), id) }()
	if err := h.Resume(soon(t)); err != nil {
		t.Fatal(err)
	}
	if err := <-awaited; err != nil {
		t.Fatal(err)
	}
	if s := h.snapshot(id); s.Status != openwopv1.RunStatusCompleted || s.Variables["answer"] != "yes" {
		t.Errorf("the fork is %s with answer %v", s.Status, s.Variables["answer"])
	}
}

// standing forks a run and stops the host after that many appends; nothing goes on by itself in the host that it starts then.
func (h *host) standing(source string, f Fork, appends int) (id string) {
	h.t.Helper()
	h.log.kill(appends)
	made, err := h.Fork(soon(h.t), source, f)
	if err != nil {
		h.t.Fatal(err)
	}
	<-h.dead()
	h.Close()
	h.log = h.log.survivor()
	h.o.Log = h.log
	e, err := New(h.o)
	if err != nil {
		h.t.Fatal(err)
	}
	h.Engine = e
	return made.RunID
}

// Whoever stops a fork, or has it stand still, may come before the fork has taken over what its source did, whether that is
// copied or done again, and also where the source stood still and went on.
func TestWishesToAForkOnTheWay(t *testing.T) {
	for _, copied := range []bool{true, false} {
		for _, paused := range []bool{true, false} {
			h := newHost(t, func(o *Options) { o.cut = 1 })
			source := h.create(Create{WorkflowID: "assay-loop-ask-user", Inputs: plan(t, askedOnce)}).RunID
			h.pause(source, state.Pause{})
			h.expectStatus(source, openwopv1.RunStatusPaused)
			h.goOn(source)
			h.settled(source)
			f := Fork{Mode: "replay"}
			if copied {
				f.FromSeq = new(int64(len(h.events(source))))
			}
			id := h.standing(source, f, 2)
			want := openwopv1.RunStatusCancelled
			if paused {
				want = openwopv1.RunStatusPaused
				h.pause(id, state.Pause{})
			} else if _, err := h.Cancel(soon(t), id, "enough"); err != nil {
				t.Fatal(err)
			}
			s := h.expectStatus(id, want)
			expectLawful(t, s, h.events(id), 5)
		}
	}
}

func TestCancelOfAForkThatStillReplays(t *testing.T) {
	h := newHost(t, func(o *Options) { o.cut = 1 })
	source := h.create(Create{WorkflowID: "assay-loop"})
	for range 10 {
		f, err := h.Fork(soon(t), source.RunID, Fork{Mode: "replay"})
		if err != nil {
			t.Fatal(err)
		}
		told, err := h.Cancel(soon(t), f.RunID, "enough")
		if err != nil {
			t.Fatal(err)
		}
		s := h.settled(f.RunID)
		expectLawful(t, s, h.events(f.RunID), 5)
		// A fork that is quicker than the cancel has completed, and the cancel said so.
		if s.Status != told.Status && told.Status != openwopv1.RunStatusCancelling {
			t.Errorf("the fork is %s, and the cancel said %s: %v", s.Status, told.Status, s.Error)
		}
	}
}
