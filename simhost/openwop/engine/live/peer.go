package live

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/state"
)

// Peer is another host that runs children of this one. Its methods may be called concurrently. An error that is a
// *refusal.Error is that host's last word; after any other the same is asked again.
type Peer interface {
	// Create starts a run there. The same key finds the run that was made before.
	Create(context.Context, PeerCreate) (PeerRun, error)
	// Look returns how a run there is, once its log has gone on beyond a cursor or has ended, or after a while.
	Look(ctx context.Context, runID string, cursor int64) (PeerState, error)
	// Cancel ends a run there and what is below it. One that has ended stays as it ended.
	Cancel(ctx context.Context, runID, reason string) error
}

// PeerCreate is a child as its host is asked for it.
type PeerCreate struct {
	Key         string // of the announcement of the child: no other child has it
	WorkflowID  string
	Inputs      map[string]any
	ParentRunID string
	Depth       int    // 1 for a child of a run that nobody dispatched
	TraceParent string // W3C trace context, level 1
}

// PeerRun is a child that was made.
type PeerRun struct {
	RunID  string
	HostID string // as that host advertises it
	Status openwopv1.RunStatus
}

// PeerState is how a child is. The members after Ended are those of one that has ended.
type PeerState struct {
	Cursor int64 // the last sequence that was seen; -1 before the first

	Ended     bool
	EventID   string // of the event that ended it
	Status    openwopv1.RunStatus
	Variables map[string]any
	Outputs   map[string]any
	Error     *openwopv1.RunError
}

// traceOf is the id of the trace that a run belongs to: that of who asked for it, or one of its own.
func traceOf(s *state.State) string {
	if s.Created.Trace != "" {
		return s.Created.Trace
	}
	sum := sha256.Sum256([]byte("trace\x00" + s.RunID))
	return hex.EncodeToString(sum[:16])
}

// traceParent is the W3C trace context of a call that is made for a child.
func traceParent(trace, child string) string {
	sum := sha256.Sum256([]byte("span\x00" + child))
	return "00-" + trace + "-" + hex.EncodeToString(sum[:8]) + "-01"
}

// underWayAbroad tells whether a child is under way on another host at this place of a log. It cannot be that of a branch too.
func underWayAbroad(records []state.Record, through int64) (away bool) {
	for _, r := range records {
		for _, f := range r.Facts {
			switch {
			case f.Child == nil || f.At > through:
			case f.Child.Phase == state.ChildAnnounced:
				away = f.Child.Remote != nil
			case f.Child.Phase.Over():
				away = false
			}
		}
	}
	return away
}
