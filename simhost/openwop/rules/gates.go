package rules

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
)

// Gates is how runs wait for people and for events, and with what they go on.
type Gates struct {
	// Key is what a suspension is called: the same in a replay, another one each time (interrupt.md).
	Key func(s Suspension) string

	// Due is when nobody can answer any more what is asked now.
	Due func(now time.Time, timeout time.Duration) time.Time

	// Lapses is what an approval is resolved with that nobody answered in time.
	Lapses func() json.RawMessage

	// Passes tells whether the run goes on behind an approval, given what was said, how many questions came before, and
	// whether it was one of several votes.
	Passes func(action openwopv1.ApprovalAction, questions int, vote bool) bool

	// HandsOn is what of an answer stands behind the gate.
	HandsOn func(kind openwopv1.InterruptKind, answer json.RawMessage) json.RawMessage

	// Artifact is the one that stands behind an approval, of the one that was shown and the one that was sent; nil is none.
	Artifact func(action openwopv1.ApprovalAction, shown, edited json.RawMessage) json.RawMessage

	// Resumptions is how often an answer has the node of a gate go on.
	Resumptions func(kind openwopv1.InterruptKind) int

	// Cascades tells whether a child is stopped with its parent, given whether it waits for an answer.
	Cascades func(waits bool) bool
}

// Suspension is a node that suspends its run, at a place on the log.
type Suspension struct {
	RunID, NodeID string
	Kind          openwopv1.InterruptKind
	Place         int64
}

func honestGates() Gates {
	return Gates{
		Key:    suspensionKey,
		Due:    time.Time.Add,
		Lapses: func() json.RawMessage { return tooLate },
		Passes: func(action openwopv1.ApprovalAction, _ int, _ bool) bool {
			return action != openwopv1.ApprovalActionReject
		},
		HandsOn:     func(_ openwopv1.InterruptKind, answer json.RawMessage) json.RawMessage { return answer },
		Artifact:    artifact,
		Resumptions: func(openwopv1.InterruptKind) int { return 1 },
		Cascades:    func(bool) bool { return true },
	}
}

// tooLate is what nobody's answer counts as.
var tooLate = json.RawMessage(`{"action":"reject","comment":"nobody answered in time"}`)

func suspensionKey(s Suspension) string { return fmt.Sprintf("%.128s:%d", s.NodeID, s.Place) }

func artifact(action openwopv1.ApprovalAction, shown, edited json.RawMessage) json.RawMessage {
	switch action {
	case openwopv1.ApprovalActionAccept:
		return shown
	case openwopv1.ApprovalActionEditAccept:
		return edited
	default:
		return nil
	}
}
