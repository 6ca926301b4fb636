package live

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
)

func TestForksOfGates(t *testing.T) {
	for _, c := range []struct {
		workflow string
		answers  []string
	}{
		{"assay-approval", []string{`{"action":"ask","comment":"why?"}`, `{"action":"accept"}`}},
		{"assay-approval", []string{`{"action":"reject"}`}},
		{"assay-quorum", []string{`{"action":"accept"}`, `{"action":"accept"}`}},
		{"assay-quorum", []string{`{"action":"reject"}`}},
		{"assay-questions", []string{`{"answers":{"q1":"x"}}`}},
		{"assay-event", []string{`{"orderId":"1"}`}},
	} {
		h := newHost(t)
		s := h.create(Create{WorkflowID: c.workflow})
		for i, a := range c.answers {
			if err := h.say(s.RunID, fmt.Sprint("p", i), a); err != nil {
				t.Fatal(err)
			}
			s = h.settled(s.RunID)
		}
		source := h.events(s.RunID)
		for from := range int64(len(source) + 1) {
			f, err := h.Fork(soon(t), s.RunID, Fork{Mode: "replay", FromSeq: &from})
			if err != nil {
				t.Fatal(err)
			}
			replay := h.settled(f.RunID)
			if diff := cmp.Diff(payloads(source), payloads(h.events(f.RunID))); diff != "" || replay.Status != s.Status {
				t.Errorf("%s: the replay from %d is %s (-source +replay)\n%s", c.workflow, from, replay.Status, diff)
			}
			f, err = h.Fork(soon(t), s.RunID, Fork{Mode: "branch", FromSeq: &from})
			if err != nil {
				t.Fatal(err)
			}
			h.finishBranch(f.RunID, s.RunID)
		}
	}
}

// payloads are the payloads of a log with their types; all of them are a fork's, too, word for word.
func payloads(events []event.Event) (lines []string) {
	for _, e := range events {
		lines = append(lines, fmt.Sprintf("%d %s %s %s", e.Sequence, e.Type, e.NodeID, e.Payload))
	}
	return lines
}

// finishBranch answers whatever a branch still waits for, under ids of its own.
func (h *host) finishBranch(id, source string) {
	h.t.Helper()
	s := h.settled(id)
	for i := 0; s.CurrentNodeID != nil; i++ {
		if i, err := h.Interrupt(soon(h.t), source, *s.Interrupt.InterruptID); err == nil {
			h.t.Errorf("the branch waits with the interrupt %s of its source", i.ID)
		}
		if i > 4 {
			h.t.Fatalf("the branch does not end: %v", story(h.events(id)))
		}
		if err := h.say(id, fmt.Sprint("b", i), `{"action":"accept","answers":{"q1":"z"},"orderId":"1"}`); err != nil {
			h.t.Fatal(err)
		}
		s = h.settled(id)
	}
	expectLawful(h.t, s, h.events(id), 5)
	if !state.Ended(s.Status) {
		h.t.Errorf("the branch is left %s", s.Status)
	}
}

// What a fork of a waiting run waits for is its own: an answer to one does not answer the other.
func TestAForkOfAWaitingGateWaitsOnItsOwn(t *testing.T) {
	for _, mode := range []string{"replay", "branch"} {
		h := newHost(t)
		source := h.create(Create{WorkflowID: "assay-quorum", Inputs: object(t, `{"requiredApprovals":3}`)})
		if err := h.say(source.RunID, "ann", `{"action":"accept"}`); err != nil {
			t.Fatal(err)
		}
		f, err := h.Fork(soon(t), source.RunID, Fork{Mode: mode, FromSeq: new(int64(len(h.events(source.RunID))))})
		if err != nil {
			t.Fatal(err)
		}
		h.settled(f.RunID)
		if err := h.say(f.RunID, "ann", `{"action":"reject"}`); code(err) != codes.InterruptResolved {
			t.Errorf("%s: the vote that the fork took over counts for nothing: %v", mode, err)
		}
		if err := h.say(f.RunID, "ann", `{"action":"accept"}`); err != nil {
			t.Errorf("%s: the vote that the fork took over is not the same: %v", mode, err)
		}
		for _, voter := range []string{"bob", "cid"} {
			if err := h.say(f.RunID, voter, `{"action":"accept"}`); err != nil {
				t.Fatal(err)
			}
		}
		if s := h.settled(f.RunID); s.Status != openwopv1.RunStatusCompleted {
			t.Errorf("%s: the fork is %s", mode, s.Status)
		}
		if s := h.snapshot(source.RunID); s.Status != openwopv1.RunStatusWaitingApproval {
			t.Errorf("%s: the source is %s", mode, s.Status)
		}
	}
}
