package rules

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/event"
)

// Gates is how runs wait for people and for events, and with what they go on.
type Gates struct {
	// Key is what a suspension is called: the same in a replay, another one each time (interrupt.md).
	Key func(s Suspension) string

	// Due is when nobody can answer any more what is asked now, given how many questions about it came before.
	Due func(now time.Time, timeout time.Duration, asked int) time.Time

	// Lapses is what an approval is resolved with that nobody answered in time.
	Lapses func() json.RawMessage

	// Passes tells whether the run goes on behind an approval, given what was said, how many questions came before, and
	// whether it was one of several votes.
	Passes func(action openwopv1.ApprovalAction, questions int, vote bool) bool

	// HandsOn is what stands behind the gate: the answer, and the artifact of an approval, nil for none.
	HandsOn func(Resolution) (answer, artifact json.RawMessage)
}

// Suspension is a node that suspends its run, at a place on the log.
type Suspension struct {
	RunID, NodeID string
	Kind          event.Interrupt
	Place         int64
}

// Resolution is a gate that was answered.
type Resolution struct {
	Kind          event.Interrupt
	Answer        json.RawMessage
	Action        openwopv1.ApprovalAction // of an approval, as are the next two; nil is none
	Shown, Edited json.RawMessage          // the artifact as it was shown, and as it was sent with the answer
}

func honestGates() Gates {
	return Gates{
		Key:    suspensionKey,
		Due:    func(now time.Time, timeout time.Duration, _ int) time.Time { return now.Add(timeout) },
		Lapses: func() json.RawMessage { return tooLate },
		Passes: func(action openwopv1.ApprovalAction, _ int, _ bool) bool {
			return action != openwopv1.ApprovalActionReject
		},
		HandsOn: func(r Resolution) (answer, artifact json.RawMessage) { return r.Answer, artifactOf(r) },
	}
}

// tooLate is what nobody's answer counts as.
var tooLate = json.RawMessage(`{"action":"reject","comment":"nobody answered in time"}`)

func suspensionKey(s Suspension) string { return fmt.Sprintf("%.128s:%d", s.NodeID, s.Place) }

func artifactOf(r Resolution) json.RawMessage {
	switch r.Action {
	case openwopv1.ApprovalActionAccept:
		return r.Shown
	case openwopv1.ApprovalActionEditAccept:
		return r.Edited
	default:
		return nil
	}
}
