// Package event is what happens in a run, as the engine writes it into its log. Its types are the engine's own: a surface spells
// them in the words of a version of the protocol. What they mean stands in RFC 0037, 0061 and in the run-event vocabulary.
package event

import (
	"encoding/json"
	"fmt"
	"time"
)

// Event is an entry in the log of a run. It never changes.
type Event struct {
	CausationID string          `json:"causationId,omitzero"`
	ID          string          `json:"eventId"`
	NodeID      string          `json:"nodeId,omitzero"` // "" where it is about no node
	Payload     json.RawMessage `json:"payload"`         // as the type says
	RunID       string          `json:"runId"`
	Sequence    int64           `json:"sequence"` // from 0, without gaps
	Timestamp   time.Time       `json:"timestamp"`
	Type        Type            `json:"type"`
}

// Type says what has happened.
type Type string

// The types of events. The payload of each is the type of its name.
const (
	RunStarted         Type = "run.started"
	RunPaused          Type = "run.paused"
	RunResumed         Type = "run.resumed"
	RunCompleted       Type = "run.completed"
	RunFailed          Type = "run.failed"
	RunCancelled       Type = "run.cancelled"
	NodeStarted        Type = "node.started"
	NodeCompleted      Type = "node.completed"
	NodeFailed         Type = "node.failed"
	NodeSkipped        Type = "node.skipped"
	NodeCancelled      Type = "node.cancelled"
	NodeSuspended      Type = "node.suspended"
	NodeResumed        Type = "node.resumed"
	NodeDispatched     Type = "node.dispatched"
	InterruptRequested Type = "interrupt.requested"
	InterruptResolved  Type = "interrupt.resolved"
	ApprovalGranted    Type = "approval.granted"
	ApprovalRejected   Type = "approval.rejected"
	Decided            Type = "runOrchestrator.decided"
	Escalated          Type = "core.workflowChain.confidence-escalated"
	Handoff            Type = "core.workflowChain.event"
	Verified           Type = "agent.verified"
	Breached           Type = "cap.breached"
	VariableChanged    Type = "variable.changed"
	MemoryWritten      Type = "memory.written"
	WorkspaceUpdated   Type = "workspace.updated"
	ReplayDiverged     Type = "replay.diverged"
	ReplayMeetsRefusal Type = "replay.divergedAtRefusal"
)

// payloads makes an empty payload of each type.
var payloads = map[Type]func() any{
	RunStarted:         made[RunStartedPayload],
	RunPaused:          made[RunPausedPayload],
	RunResumed:         made[RunResumedPayload],
	RunCompleted:       made[RunCompletedPayload],
	RunFailed:          made[RunFailedPayload],
	RunCancelled:       made[RunCancelledPayload],
	NodeStarted:        made[NodeStartedPayload],
	NodeCompleted:      made[NodeCompletedPayload],
	NodeFailed:         made[NodeFailedPayload],
	NodeSkipped:        made[NodeSkippedPayload],
	NodeCancelled:      made[NodeCancelledPayload],
	NodeSuspended:      made[NodeSuspendedPayload],
	NodeResumed:        made[NodeResumedPayload],
	NodeDispatched:     made[NodeDispatchedPayload],
	InterruptRequested: made[InterruptRequestedPayload],
	InterruptResolved:  made[InterruptResolvedPayload],
	ApprovalGranted:    made[ApprovalGrantedPayload],
	ApprovalRejected:   made[ApprovalRejectedPayload],
	Decided:            made[DecidedPayload],
	Escalated:          made[EscalatedPayload],
	Handoff:            made[HandoffPayload],
	Verified:           made[VerifiedPayload],
	Breached:           made[BreachedPayload],
	VariableChanged:    made[VariableChangedPayload],
	MemoryWritten:      made[MemoryWrittenPayload],
	WorkspaceUpdated:   made[WorkspaceUpdatedPayload],
	ReplayDiverged:     made[ReplayDivergedPayload],
	ReplayMeetsRefusal: made[ReplayMeetsRefusalPayload],
}

func made[T any]() any { return new(T) }

// Decode returns a pointer to the payload of an event, nil where its type is none of these: who reads a log passes over what it
// does not know.
func (e Event) Decode() (payload any, err error) {
	made := payloads[e.Type]
	if made == nil {
		return nil, nil
	}
	payload = made()
	if err := json.Unmarshal(e.Payload, payload); err != nil {
		return nil, fmt.Errorf("decode payload of %s: %w", e.Type, err)
	}
	return payload, nil
}

// Error is why something failed.
type Error struct {
	Code      string         `json:"code"`
	Details   map[string]any `json:"details,omitempty"`
	Message   string         `json:"message"`
	Retryable *bool          `json:"retryable,omitempty"`
}
