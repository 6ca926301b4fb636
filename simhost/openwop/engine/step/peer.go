package step

import (
	"context"
	"strings"

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

// abroad is where the worker of that id runs, if that is a peer: NAME/WORKFLOW.
func (m *Move) abroad(workerID string) *state.Remote {
	name, _, ok := strings.Cut(workerID, "/")
	if _, known := m.Peers[name]; !ok || !known {
		return nil
	}
	return &state.Remote{Peer: name}
}

// abroad tells whether the child exists on another host, whatever has become of it since.
func (r *ChildReport) abroad() bool { return r.Remote != nil && r.Remote.RunID != "" }
