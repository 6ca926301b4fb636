package live

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
)

// tree adds workflows trunk, branch and leaf: trunk dispatches branch, which dispatches leaf, which waits.
func tree(leaf string) option {
	return func(o *Options) {
		for id, worker := range map[string]string{"trunk": "branch", "branch": "leaf"} {
			d := o.Workflows["assay-loop"]
			d.ID = id
			d.Variables = []openwopv1.WorkflowVariable{{
				Name: "plan", Type: openwopv1.WorkflowVariableTypeArray,
				DefaultValue: json.RawMessage(`[{"kind":"next-worker","nextWorkerIds":["` + worker + `"]},{"kind":"terminate"}]`),
			}}
			o.Workflows[id] = d
		}
		d := o.Workflows[leaf]
		d.ID = "leaf"
		o.Workflows["leaf"] = d
	}
}

// grown is a tree of which every run waits for the one below.
func grown(h *host) (trunk, branch, leaf string) {
	h.t.Helper()
	trunk = h.begin(Create{WorkflowID: "trunk"})
	dispatched := func(e event.Event) bool { return e.Type == event.NodeDispatched }
	childOf := func(id string) string {
		return parse[event.NodeDispatchedPayload](h.t, string(h.until(id, dispatched).Payload)).ChildRunID
	}
	branch = childOf(trunk)
	leaf = childOf(branch)
	return trunk, branch, leaf
}

func TestCancelReachesTheLeaves(t *testing.T) {
	for _, workflow := range []string{"conformance-cancellable", "assay-loop-ask-user"} {
		for v := range 6 {
			h := newHost(t, version(v), tree(workflow))
			trunk, branch, leaf := grown(h)
			s, err := h.Cancel(soon(t), trunk, "enough")
			if err != nil || s.Status != openwopv1.RunStatusCancelled {
				t.Fatalf("version %d: cancel: %s, %v", v, s.Status, err)
			}
			for id, parent := range map[string]string{trunk: "", branch: trunk, leaf: branch} {
				s, events := h.snapshot(id), h.events(id)
				expectLawful(t, s, events, v)
				p := parse[event.RunCancelledPayload](t, string(events[len(events)-1].Payload))
				reason := "enough"
				if parent != "" {
					reason = parentCancelled
				}
				if s.Status != openwopv1.RunStatusCancelled || p.Reason == nil || *p.Reason != reason || p.ParentRunID != parent {
					t.Errorf("version %d: a run is %s, %+v", v, s.Status, p)
				}
			}
			if v >= 1 {
				if got := phases(t, h.events(trunk)); got != "dispatch.began dispatch.succeeded child.cancelled" {
					t.Errorf("version %d: phases are %s", v, got)
				}
			}
			if ids, _ := h.log.Pending(soon(t)); len(ids) > 0 {
				t.Errorf("version %d: pending %v", v, ids)
			}
		}
	}
}

func TestCancelIsIdempotent(t *testing.T) {
	h := newHost(t)
	id := h.begin(Create{WorkflowID: "conformance-cancellable"})
	for range 3 {
		if s, err := h.Cancel(soon(t), id, ""); err != nil || s.Status != openwopv1.RunStatusCancelled {
			t.Errorf("%s, %v", s.Status, err)
		}
	}
	expectStory(t, h.events(id), "0 run.started", "1 node.started @wait", "2 node.cancelled @wait", "3 run.cancelled")
	done := h.create(Create{WorkflowID: "conformance-noop"})
	if s, err := h.Cancel(soon(t), done.RunID, "late"); err != nil || s.Status != openwopv1.RunStatusCompleted {
		t.Errorf("cancel of a completed run: %s, %v", s.Status, err)
	}
	if _, err := h.Cancel(soon(t), "run-aaaaaaaaaaaaaaaaaaaaaaaaaa", ""); code(err) != codes.NotFound {
		t.Errorf("cancel of no run: %v", err)
	}
}

func TestCancelWhileTheLoopTurns(t *testing.T) {
	h := newHost(t)
	for range 10 {
		id := h.begin(Create{WorkflowID: "assay-loop-endless"})
		if _, err := h.Cancel(soon(t), id, "enough"); err != nil {
			t.Fatal(err)
		}
		s := h.settled(id)
		expectLawful(t, s, h.events(id), 5)
		for n := range s.ChildRuns {
			if child := h.child(s, n); !state.Ended(child.Status) {
				t.Errorf("a child is left %s", child.Status)
			}
		}
	}
}

// The parent says which child it is about to create, then somebody cancels it before it does.
func TestCancelBetweenAnnouncementAndChild(t *testing.T) {
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
	if s, err := h.Cancel(soon(t), id, "never mind"); err != nil || s.Status != openwopv1.RunStatusCancelled || len(s.ChildRuns) != 0 {
		t.Fatalf("%s with %d children, %v", s.Status, len(s.ChildRuns), err)
	}
	events := h.events(id)
	expectLawful(t, h.snapshot(id), events, 5)
	if log := strings.Join(story(events), "\n"); !strings.Contains(log, "dispatch.failed conformance-noop "+codes.NotCreated) {
		t.Errorf("the log is\n%s", log)
	}
}
