package live

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/memory"
	"github.com/openassay/assay/simhost/refusal"
)

// shared is the memory that the fixtures name.
var shared = memory.Scope{Tenant: "t1", Ref: "assay-memory"}

// entryOf is a write of an entry with the tag that all here read.
func entryOf(content string) string {
	return `{"memory":{"content":"` + content + `","tags":["m"]}}`
}

// remembering is a run of the fixture whose turns and workers remember; scripts are JSON, by variable.
func remembering(t testing.TB, plan string, scripts map[string]string) Create {
	t.Helper()
	c := Create{WorkflowID: "assay-loop-memory", Owner: somebody, Inputs: map[string]any{"reads": map[string]any{"memory": []any{"m"}}}}
	c.Inputs["plan"] = parse[any](t, plan)
	for name, script := range scripts {
		c.Inputs[name] = parse[any](t, script)
	}
	return c
}

// planOf dispatches workers, one array of them a turn, and ends.
func planOf(turns ...[]string) string {
	var plan strings.Builder
	for _, workers := range turns {
		fmt.Fprintf(&plan, `{"kind":"next-worker","nextWorkerIds":["%s"]},`, strings.Join(workers, `","`))
	}
	return "[" + plan.String() + `{"kind":"terminate"}]`
}

// held starts a run and waits until its n-th child asks.
func (h *host) held(c Create, child int) openwopv1.RunSnapshot {
	h.t.Helper()
	id, n := h.begin(c), child
	h.until(id, func(e event.Event) bool {
		if e.Type == event.NodeDispatched {
			n--
		}
		return n < 0
	})
	s := h.snapshot(id)
	h.settled(h.child(s, child).RunID)
	return s
}

// add writes into the memory of the fixtures from outside.
func (h *host) add(content string) {
	h.t.Helper()
	if _, err := h.memory.Write(soon(h.t), shared, memory.Write{Content: content, Tags: []string{"m"}}); err != nil {
		h.t.Fatal(err)
	}
}

const (
	worker = "assay-memory-worker"
	again  = "assay-memory-worker-again"
	fails  = "assay-memory-worker-fails"
	noop   = "conformance-noop"
)

// A child begins with what its parent remembers, the next one has what the first brought, and the turn that dispatched them
// sees none of it.
func TestChildrenHaveTheirParentsMemory(t *testing.T) {
	h := newStoreHost(t)
	s := h.create(remembering(t, planOf([]string{noop}, []string{worker, again}), map[string]string{
		"writes": `[[` + entryOf("p") + `]]`, "workerWrites": `[[` + entryOf("a") + `]]`, "againWrites": `[[` + entryOf("b") + `]]`,
		"workerPlan": planOf([]string{noop}),
	}))
	expectLawful(t, s, h.events(s.RunID), 5)
	expectNotes(t, s,
		"1 begin", "1 end", "2 begin [m]=p", "2 end [m]=p", "3 begin [m]=p [m]=a [m]=b", "3 end [m]=p [m]=a [m]=b")
	expectNotes(t, h.child(s, 1), "1 begin [m]=p", "1 end [m]=p", "2 begin [m]=p [m]=a", "2 end [m]=p [m]=a")
	expectNotes(t, h.child(s, 2), "1 begin [m]=p [m]=a", "1 end [m]=p [m]=a")
}

// Until a child has completed nobody else reads what it wrote, wherever the host dies meanwhile.
func TestAChildsWritesWaitForItsEnd(t *testing.T) {
	for _, restarted := range []bool{false, true} {
		h := newStoreHost(t)
		s := h.held(remembering(t, planOf([]string{worker}), map[string]string{"workerWrites": `[[` + entryOf("a") + `]]`,
			"workerPlan": askedOnce}), 0)
		other := h.create(remembering(t, `[{"kind":"terminate"}]`, nil))
		expectNotes(t, other, "1 begin", "1 end")
		if restarted {
			h.restart()
		}
		h.resolve(h.child(s, 0).RunID, yes)
		h.settled(s.RunID)
		expectNotes(t, h.snapshot(s.RunID), "1 begin", "1 end", "2 begin [m]=a", "2 end [m]=a")
		expectNotes(t, h.create(remembering(t, `[{"kind":"terminate"}]`, nil)), "1 begin [m]=a", "1 end [m]=a")
	}
}

// Wherever the host dies while a child ends, what it wrote is brought to its parent once.
func TestADeathWhileAChildBringsBack(t *testing.T) {
	for appends := range 10 {
		h := newStoreHost(t)
		s := h.held(remembering(t, planOf([]string{worker}), map[string]string{
			"workerWrites": `[[` + entryOf("a") + `],[` + entryOf("b") + `]]`, "workerPlan": askedOnce,
		}), 0)
		child := h.child(s, 0).RunID
		h.log.kill(appends)
		if _, err := h.Resolve(soon(t), child, "supervisor", []byte(yes)); err != nil && !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		h.Close()
		h.log = h.log.survivor()
		h.o.Log = h.log
		h.start()
		if h.settled(child).Interrupt != nil {
			h.resolve(child, yes)
		}
		expectNotes(t, h.settled(s.RunID), "1 begin", "1 end", "2 begin [m]=a [m]=b", "2 end [m]=a [m]=b")
	}
}

func TestALostChildLeavesNothing(t *testing.T) {
	h := newStoreHost(t)
	s := h.held(remembering(t, planOf([]string{fails}, []string{worker}), map[string]string{
		"failsWrites": `[[` + entryOf("f") + `]]`, "workerWrites": `[[` + entryOf("c") + `]]`, "workerPlan": askedOnce,
	}), 1)
	if child := h.child(s, 0); child.Status != openwopv1.RunStatusFailed {
		t.Fatalf("the first worker is %s", child.Status)
	}
	if _, err := h.Cancel(soon(t), h.child(s, 1).RunID, "enough"); err != nil {
		t.Fatal(err)
	}
	expectNotes(t, h.settled(s.RunID), "1 begin", "1 end", "2 begin", "2 end", "3 begin", "3 end")
}

// The time to live counts from the write of the child.
func TestAChildsEntriesExpireAsTheyWould(t *testing.T) {
	h := newStoreHost(t)
	s := h.held(remembering(t, planOf([]string{worker}), map[string]string{
		"workerPlan":   askedOnce,
		"workerWrites": `[[{"memory":{"content":"brief","tags":["m"],"ttlMs":60000}},{"memory":{"content":"long","tags":["m"],"ttlMs":60001}}]]`,
	}), 0)
	h.clock.Advance(time.Minute)
	h.resolve(h.child(s, 0).RunID, yes)
	h.settled(s.RunID)
	expectNotes(t, h.snapshot(s.RunID), "1 begin", "1 end", "2 begin [m]=long", "2 end [m]=long")
}

// Grandchildren bring what they remember to their parent, and with that to the one above.
func TestAGrandchildsMemory(t *testing.T) {
	h := newStoreHost(t)
	s := h.create(remembering(t, planOf([]string{worker}), map[string]string{
		"workerPlan": planOf([]string{"assay-loop-memory"}), "workerWrites": `[[` + entryOf("c") + `]]`,
	}))
	if grandchild := h.child(h.child(s, 0), 0); grandchild.Status != openwopv1.RunStatusCompleted || len(grandchild.ChildRuns) != 2 {
		t.Fatalf("the grandchild is %s, with the children %s", grandchild.Status, grandchild.ChildRuns)
	}
	entries, err := h.memory.Entries(soon(t), shared, 100, "", h.clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	contents := []string{}
	for _, e := range entries {
		contents = append(contents, e.Content)
	}
	if want := []string{"c", "written by the first worker", "written by the second worker"}; !slices.Equal(contents, want) {
		t.Errorf("the memory has %q, want %q", contents, want)
	}
}

// Below version 2 a run has its agent's memory and shares it at once, and below 5 no turn sees what was written since the run
// began, but what its children brought.
func TestMemoryByVersion(t *testing.T) {
	scripts := func(plan string) map[string]string {
		return map[string]string{"writes": `[[` + entryOf("p") + `]]`, "workerWrites": `[[` + entryOf("a") + `]]`, "workerPlan": plan}
	}
	for version, want := range map[int][]string{
		1: {"1 begin", "1 end", "2 begin", "2 end"},
		2: {"1 begin", "1 end", "2 begin [m]=p [m]=a", "2 end [m]=p [m]=a"},
		4: {"1 begin", "1 end", "2 begin [m]=p [m]=a", "2 end [m]=p [m]=a"},
		5: {"1 begin", "1 end", "2 begin [m]=p [m]=a", "2 end [m]=p [m]=a"},
	} {
		h := newStoreHost(t, func(o *Options) { o.Version = version })
		s := h.held(remembering(t, planOf([]string{worker}), scripts(askedOnce)), 0)
		other := h.create(remembering(t, `[{"kind":"terminate"}]`, nil))
		if saw := notes(t, other)[0]; (saw == "1 begin [m]=p [m]=a") != (version == 1) {
			t.Errorf("version %d: another run saw %s", version, saw)
		}
		h.resolve(h.child(s, 0).RunID, yes)
		h.settled(s.RunID)
		expectNotes(t, h.snapshot(s.RunID), want...)
	}
}

// A branch goes on with what its source remembered at that event, and what it writes is its own.
func TestABranchRemembersAsItsSourceDid(t *testing.T) {
	h := newStoreHost(t)
	s := h.create(remembering(t, planOf([]string{noop}, []string{worker}), map[string]string{
		"writes": `[[` + entryOf("p") + `],[],[` + entryOf("q") + `]]`, "workerWrites": `[[` + entryOf("a") + `]]`,
	}))
	h.add("later")
	for _, e := range h.events(s.RunID) {
		if e.Type != event.NodeStarted || e.NodeID != "supervisor" {
			continue
		}
		f, err := h.Fork(soon(t), s.RunID, Fork{Mode: "branch", FromSeq: new(e.Sequence)})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := notes(t, h.settled(f.RunID)), notes(t, s); !slices.Equal(got, want) {
			t.Errorf("branched at %d the notes are %q, want %q", e.Sequence, got, want)
		}
	}
	expectNotes(t, h.create(remembering(t, `[{"kind":"terminate"}]`, nil)), "1 begin [m]=p [m]=a [m]=q [m]=later",
		"1 end [m]=p [m]=a [m]=q [m]=later")
}

// Whatever the host still keeps is served as it was, and the rest is refused before anything is made of it.
func TestAForkOfWhatIsNoLongerKept(t *testing.T) {
	h := newStoreHost(t)
	h.history = 2
	h.restart()
	s := h.create(remembering(t, planOf([]string{noop}), map[string]string{"writes": `[[` + entryOf("p") + `]]`}))
	h.add("one")
	for _, mode := range []string{"replay", "branch"} {
		if _, err := h.Fork(soon(t), s.RunID, Fork{Mode: mode, FromSeq: new(int64(0))}); err != nil {
			t.Errorf("%s: %v", mode, err)
		}
	}
	h.add("two")
	written := int64(slices.IndexFunc(h.events(s.RunID),
		func(e event.Event) bool { return e.Type == event.MemoryWritten }))
	for _, mode := range []string{"replay", "branch"} {
		_, err := h.Fork(soon(t), s.RunID, Fork{Mode: mode, FromSeq: new(int64(0))})
		refused := (*refusal.Error)(nil)
		if !errors.As(err, &refused) || refused.Code != codes.MemorySnapshot {
			t.Fatalf("%s: got error %v", mode, err)
		}
		want := map[string]any{"fromSeq": int64(0), "sourceRunId": s.RunID, "reason": "retention_expired", "oldestAvailableIdx": written + 1}
		if fmt.Sprint(refused.Details) != fmt.Sprint(want) {
			t.Errorf("%s: the details are %v, want %v", mode, refused.Details, want)
		}
		if _, err := h.Fork(soon(t), s.RunID, Fork{Mode: mode, FromSeq: new(written)}); code(err) != codes.MemorySnapshot {
			t.Errorf("%s from %d: got error %v", mode, written, err)
		}
		if _, err := h.Fork(soon(t), s.RunID, Fork{Mode: mode, FromSeq: new(written + 1)}); err != nil {
			t.Errorf("%s from %d: %v", mode, written+1, err)
		}
	}
	h.add("three")
	_, err := h.Fork(soon(t), s.RunID, Fork{Mode: "replay"})
	if refused := (*refusal.Error)(nil); !errors.As(err, &refused) || refused.Details["oldestAvailableIdx"] != nil {
		t.Errorf("nothing of it is kept, and the refusal says %v", err)
	}
	// Who remembers nothing loses nothing.
	simple := h.create(Create{WorkflowID: noop, Owner: somebody})
	if _, err := h.Fork(soon(t), simple.RunID, Fork{Mode: "replay"}); err != nil {
		t.Error(err)
	}
}
