package event

import "encoding/json"

// NodeStartedPayload is a node that begins.
type NodeStartedPayload struct {
	Attempt *int64 `json:"attempt,omitempty"`
	NodeID  string `json:"nodeId"`
	TypeID  string `json:"typeId"`
}

// NodeCompletedPayload is a node that is done.
type NodeCompletedPayload struct {
	DurationMs *int64         `json:"durationMs,omitempty"`
	NodeID     string         `json:"nodeId"`
	Outputs    map[string]any `json:"outputs,omitempty"`
}

// NodeFailedPayload is a node that could not be done.
type NodeFailedPayload struct {
	Attempts *int64 `json:"attempts,omitempty"`
	Error    Error  `json:"error"`
	NodeID   string `json:"nodeId"`
}

// NodeSkippedPayload is a node that is not done at all.
type NodeSkippedPayload struct {
	NodeID string  `json:"nodeId"`
	Reason *string `json:"reason,omitempty"`
}

// NodeCancelledPayload is a node that was given up.
type NodeCancelledPayload struct {
	NodeID string  `json:"nodeId"`
	Reason *string `json:"reason,omitempty"`
}

// NodeSuspendedPayload is a node that waits for an answer.
type NodeSuspendedPayload struct {
	InterruptID string    `json:"interruptId"`
	Key         string    `json:"key,omitzero"`
	Kind        Interrupt `json:"kind,omitzero"`
	NodeID      string    `json:"nodeId"`
}

// NodeResumedPayload is a node that goes on with an answer.
type NodeResumedPayload struct {
	InterruptID *string         `json:"interruptId,omitempty"`
	NodeID      string          `json:"nodeId"`
	ResumeValue json.RawMessage `json:"resumeValue,omitempty"`
}

// Interrupt is what is waited for.
type Interrupt string

// The interrupts.
const (
	Approval      Interrupt = "approval"
	Clarification Interrupt = "clarification"
	ExternalEvent Interrupt = "external-event"
	LowConfidence Interrupt = "low-confidence"
)

// InterruptRequestedPayload is what is asked.
type InterruptRequestedPayload struct {
	Data         json.RawMessage `json:"data"` // as the kind says
	Key          string          `json:"key"`
	Kind         Interrupt       `json:"kind"`
	ResumeSchema map[string]any  `json:"resumeSchema,omitempty"`
	TimeoutMs    *int64          `json:"timeoutMs,omitempty"`
}

// InterruptResolvedPayload is the answer that a node waited for.
type InterruptResolvedPayload struct {
	InterruptID string          `json:"interruptId"`
	Kind        Interrupt       `json:"kind,omitzero"`
	NodeID      string          `json:"nodeId"`
	ResumeValue json.RawMessage `json:"resumeValue,omitempty"`
}

// ApprovalGrantedPayload is a vote for.
type ApprovalGrantedPayload struct {
	GateID         string  `json:"gateId"`
	Principal      string  `json:"principal"`
	QuorumProgress *Quorum `json:"quorumProgress,omitempty"`
}

// Quorum is how far a vote has come.
type Quorum struct {
	Granted  *int64 `json:"granted,omitempty"`
	Required *int64 `json:"required,omitempty"`
}

// ApprovalRejectedPayload is a vote against.
type ApprovalRejectedPayload struct {
	GateID    string  `json:"gateId"`
	Principal string  `json:"principal"`
	Reason    *string `json:"reason,omitempty"`
}
