package live

import (
	"slices"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/event"
)

// An account is the log: every event, the begin of every turn, and what was seen then. A host that was started again gives the same.
func TestAccountIsTheLog(t *testing.T) {
	h := newStoreHost(t)
	s := h.create(Create{WorkflowID: "assay-loop-workspace", Owner: &event.Owner{Tenant: "t"}})
	for range 2 {
		a, err := h.Account(soon(t), s.RunID)
		if err != nil {
			t.Fatal(err)
		}
		if events := h.events(s.RunID); len(a.Events) != len(events) || a.Events[len(events)-1].ID != events[len(events)-1].ID {
			t.Errorf("%d events, the log has %d", len(a.Events), len(events))
		}
		if a.Lineage.Owner != "t" || a.Snapshot.Status != openwopv1.RunStatusCompleted || a.Iteration != 3 || a.Paused {
			t.Errorf("the run: %+v", a)
		}
		var counts []int
		for _, turn := range a.Turns {
			counts = append(counts, turn.Iteration)
			if e := a.Events[turn.At]; e.Type != event.NodeStarted {
				t.Errorf("turn %d begins with %s", turn.Iteration, e.Type)
			}
		}
		if !slices.Equal(counts, []int{1, 2, 3}) || len(a.Files) != 0 {
			t.Fatalf("turns %v, %d files when the run began", counts, len(a.Files))
		}
		want := []openwopv1.WorkspaceFileRef{{Path: "assay/notes.md", Version: 1}}
		if len(a.Turns[0].Files) != 0 || !slices.Equal(a.Turns[1].Files, want) || !slices.Equal(a.Turns[2].Files, want) {
			t.Errorf("the turns see %v", a.Turns)
		}
		o, err := h.Overview(soon(t), s.RunID)
		if err != nil || o.Iteration != 3 || o.Events != nil || o.Snapshot.RunID != s.RunID {
			t.Errorf("the overview: %v %+v", err, o)
		}
		h.restart()
	}
	for _, id := range []string{"run-none", "definition-x", ""} {
		if _, err := h.Account(soon(t), id); err == nil {
			t.Errorf("%q has an account", id)
		}
	}
}

// Who waits is told to its tenant, in the order in which they began, until they wait no more.
func TestWaitingRuns(t *testing.T) {
	h := newHost(t)
	var want []string
	for _, tenant := range []string{"t", "u", "t"} {
		s := h.create(Create{WorkflowID: "assay-questions", Owner: &event.Owner{Tenant: tenant}})
		if tenant == "t" {
			want = append(want, s.RunID)
		}
		h.clock.Advance(1000)
	}
	h.restart()
	if got := h.Waiting("t"); !slices.Equal(got, want) {
		t.Errorf("waiting are %q, want %q", got, want)
	}
	if got := h.Waiting("u"); len(got) != 1 {
		t.Errorf("of the other tenant %q", got)
	}
	if _, err := h.Cancel(soon(t), want[0], ""); err != nil {
		t.Fatal(err)
	}
	if got := h.Waiting("t"); !slices.Equal(got, want[1:]) {
		t.Errorf("then %q, want %q", got, want[1:])
	}
}
