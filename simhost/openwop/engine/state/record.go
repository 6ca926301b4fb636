package state

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/memory"
)

// Record is one append to the log of a run.
type Record struct {
	Events []event.Event `json:"events,omitempty"`
	Facts  []Fact        `json:"facts,omitempty"`
}

// Fact is something the host must remember about a run that no public payload has a home for. Exactly one of the pointers
// is set.
type Fact struct {
	// At is the place in the log: the fact took hold after At events, right before the event of that sequence.
	At int64 `json:"at"`

	Created *Created `json:"created,omitempty"`
	Turn    *Turn    `json:"turn,omitempty"`
	Child   *Child   `json:"child,omitempty"`
	Write   *Write   `json:"write,omitempty"`
	Wrote   *Wrote   `json:"wrote,omitempty"`
	Timer   *Timer   `json:"timer,omitempty"`
	Vote    *Vote    `json:"vote,omitempty"`
	Heeded  *Heeded  `json:"heeded,omitempty"`
	Expired *Expired `json:"expired,omitempty"`
	Stop    *Stop    `json:"stop,omitempty"`
	Pause   *Pause   `json:"pause,omitempty"`
	Moved   *Moved   `json:"moved,omitempty"`
}

// Created is what a run was made of. Inputs, owner, tags and metadata stand in its run.started event.
type Created struct {
	Definition     string          `json:"definition"` // digest of the workflow definition, which has a log of its own
	Version        int             `json:"version"`    // of the execution model, 0 where there is none
	Configurable   map[string]any  `json:"configurable,omitempty"`
	Bounds         Bounds          `json:"bounds,omitzero"`
	Floor          float64         `json:"floor"`      // confidence below which a decision is held
	Escalation     event.Interrupt `json:"escalation"` // interrupt that a held decision raises
	Parent         *Parent         `json:"parent,omitempty"`
	Origin         *Origin         `json:"origin,omitempty"` // instead of that where another host dispatched it
	Scope          string          `json:"scope,omitzero"`   // what the caller has the run for
	Trace          string          `json:"trace,omitzero"`   // id of the trace that who asked for the run is in
	Fork           *ForkLink       `json:"fork,omitempty"`
	Verifies       bool            `json:"verifies,omitzero"` // results are verified before they count ...
	Gates          bool            `json:"gates,omitzero"`    // ... and do not where the verdict is against them
	AgentThreshold float64         `json:"agentThreshold"`    // confidence below which the agent's own decision is held
	View           *View           `json:"view,omitempty"`    // when the run began; nil where the host has no stores
	Memory         memory.Line     `json:"memory,omitempty"`  // of a child or a fork, which have it of the run that they come from
	AheadMs        int64           `json:"aheadMs,omitzero"`  // by which its clock is ahead of the host's from its start
	Labels         *Labels         `json:"labels,omitempty"`  // instead of those in run.started, which a branch has from its source
}

// HandsDown reports whether the run hands its memory down: to its children, of which it sees what they write when they
// complete, and to its forks (RFC 0039 MAE-2 and MAE-3).
func (c *Created) HandsDown() bool { return c.Version >= 2 }

// Labels are what a caller has put on a run.
type Labels struct {
	Tags     []string       `json:"tags,omitempty"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

// Bounds are the bounds in force for a run; 0 is none.
type Bounds struct {
	Turns      int64 `json:"turns,omitzero"`
	Nodes      int64 `json:"nodes,omitzero"`
	DurationMs int64 `json:"durationMs,omitzero"`
}

// Parent leads from a child to the run that dispatched it.
type Parent struct {
	RunID    string `json:"runId"`
	WorkerID string `json:"workerId"`
	Depth    int    `json:"depth"` // 1 for a child of a run that has no parent
}

// ForkLink leads from a fork to its source.
type ForkLink struct {
	RunID   string `json:"runId"`
	FromSeq int64  `json:"fromSeq"` // events below are copied
	// Through is the last sequence of the source that concerns the fork: the source's last when a replay was made of it, the
	// last that is copied for a branch.
	Through int64 `json:"through"`
	Branch  bool  `json:"branch,omitzero"`
}

// Turn is the begin of a supervisor's turn. What the turn reads is as of the fact's place in the log.
type Turn struct {
	Iteration int   `json:"iteration"`
	View      *View `json:"view,omitempty"` // what it sees other than what was seen before it
}

// Child is a step of a handoff. Only the steps that the fields are for have them.
type Child struct {
	Phase    ChildPhase          `json:"phase"`
	Position int                 `json:"position"` // of the worker in the decision
	WorkerID string              `json:"workerId"`
	RunID    string              `json:"runId,omitzero"`
	Remote   *Remote             `json:"remote,omitempty"`  // where another host runs it; RunID then is what this one calls it
	Inputs   map[string]any      `json:"inputs,omitzero"`   // announced
	Error    *event.Error        `json:"error,omitempty"`   // refused, failed
	Harvest  map[string]any      `json:"harvest,omitzero"`  // completed, where there is a mapping: parent variable to value
	Checksum string              `json:"checksum,omitzero"` // completed and attested: of the child's outputs
	Status   openwopv1.RunStatus `json:"status,omitempty"`  // running: the child's status when it was looked at first
	Mark     int64               `json:"mark,omitzero"`     // completed, where it remembered something: of the memory, with that in it
}

type ChildPhase string

const (
	ChildAnnounced ChildPhase = "announced" // it may exist, and shall
	ChildRefused   ChildPhase = "refused"   // it could not be created
	ChildRunning   ChildPhase = "running"   // it exists
	ChildCompleted ChildPhase = "completed"
	ChildFailed    ChildPhase = "failed"
	ChildCancelled ChildPhase = "cancelled"
)

// Over tells whether nothing more is to be learned about the child.
func (p ChildPhase) Over() bool { return p != ChildAnnounced && p != ChildRunning }

// Timer is when a node that delays is to go on, or when a gate is not to be answered any more.
type Timer struct {
	NodeID string    `json:"nodeId"`
	Due    time.Time `json:"due"`
}

// Moved is that the run's own clock was moved ahead of the host's.
type Moved struct {
	Ms int64 `json:"ms"`
}

// Vote is what one of several says at a gate; the event that follows tells of it.
type Vote struct {
	Principal string          `json:"principal"`
	Value     json.RawMessage `json:"value"` // the whole answer
}

// Heeded is the verdict that the host goes by; the event that follows tells of the one that was found.
type Heeded struct {
	Verdict event.Verdict `json:"verdict"`
}

// Expired is the end of the time in which somebody could have answered at a gate.
type Expired struct {
	NodeID string `json:"nodeId"`
}

// Stop is the decision to end a run before it is through. Its child is stopped first, then the run ends.
type Stop struct {
	Why stopReason `json:"why"`

	Reason      string `json:"reason,omitzero"`      // cancelled: what the caller said
	ParentRunID string `json:"parentRunId,omitzero"` // cancelled: by the parent

	Limit    int64 `json:"limit,omitzero"`    // overtime, ms
	Observed int64 `json:"observed,omitzero"` // overtime, ms

	Error *event.Error `json:"error,omitempty"` // broken

	Replayed bool `json:"replayed,omitzero"` // the source of this fork was stopped here
}

type stopReason string

const (
	StopCancelled stopReason = "cancelled"
	StopOvertime  stopReason = "overtime"
	StopDiverged  stopReason = "diverged" // a fork whose steps are not those of its source
	StopBroken    stopReason = "broken"   // the host cannot go on with it
)

func (r Record) Encode() ([]byte, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode %d events: %w", len(r.Events), err)
	}
	return data, nil
}

func DecodeRecord(data []byte) (r Record, err error) {
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("decode a record: %w", err)
	}
	return r, nil
}
