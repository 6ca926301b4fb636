package event

import "encoding/json"

// DecidedPayload is what a supervisor decided in a turn (RFC 0061 B).
type DecidedPayload struct {
	AgentID         string          `json:"agentId"`
	CausationHostID string          `json:"causationHostId,omitzero"`
	Decision        json.RawMessage `json:"decision"`
	Iteration       *int64          `json:"iteration,omitempty"`
}

// EscalatedPayload is a decision below the floor that was held for a person (RFC 0037 C).
type EscalatedPayload struct {
	CausationHostID  string          `json:"causationHostId,omitzero"`
	Confidence       float64         `json:"confidence"`
	EscalationKind   Escalation      `json:"escalationKind"`
	Floor            float64         `json:"floor"`
	OriginalDecision json.RawMessage `json:"originalDecision,omitempty"`
	ParentRunID      string          `json:"parentRunId"`
	WorkerID         string          `json:"workerId,omitzero"`
}

// Escalation is how it was held.
type Escalation string

// The escalations.
const (
	Clarifies Escalation = "clarify"
	Escalates Escalation = "escalate"
)

// HandoffPayload is a step of a handoff to a worker (RFC 0037 B).
type HandoffPayload struct {
	Attestation     *Attestation `json:"attestation,omitempty"`
	CausationHostID string       `json:"causationHostId,omitzero"`
	ChildRunID      string       `json:"childRunId,omitzero"`
	Error           *Error       `json:"error,omitempty"`
	HarvestedKeys   []string     `json:"harvestedKeys,omitempty"`
	ParentRunID     string       `json:"parentRunId"`
	Phase           Phase        `json:"phase"`
	WorkerID        string       `json:"workerId"`
}

// Phase is how far a handoff has come.
type Phase string

// The phases of a handoff.
const (
	DispatchBegan     Phase = "dispatch.began"
	DispatchSucceeded Phase = "dispatch.succeeded"
	DispatchFailed    Phase = "dispatch.failed"
	ChildCompleted    Phase = "child.completed"
	ChildFailed       Phase = "child.failed"
	ChildCancelled    Phase = "child.cancelled"
	OutputHarvested   Phase = "output.harvested"
)

// Attestation vouches for what was harvested.
type Attestation struct {
	Algorithm string `json:"algorithm"`
	Checksum  string `json:"checksum"`
}

// NodeDispatchedPayload is a child run that a node started.
type NodeDispatchedPayload struct {
	ChildRunID      string  `json:"childRunId"`
	ChildStatus     *string `json:"childStatus,omitempty"`
	ChildWorkflowID string  `json:"childWorkflowId"`
}

// VerifiedPayload is what a verifier says of a supervisor's end (RFC 0097 E).
type VerifiedPayload struct {
	AgentID         string   `json:"agentId"`
	CausationHostID string   `json:"causationHostId,omitzero"`
	Confidence      *float64 `json:"confidence,omitempty"`
	Criteria        []string `json:"criteria,omitempty"`
	Target          string   `json:"target"`
	Verdict         Verdict  `json:"verdict"`
}

// Verdict is whether an end stands.
type Verdict string

// The verdicts of a verifier.
const (
	Passes  Verdict = "pass"
	Fails   Verdict = "fail"
	Revises Verdict = "revise"
)

// Valid reports whether it is one of these.
func (v Verdict) Valid() bool { return v == Passes || v == Fails || v == Revises }
