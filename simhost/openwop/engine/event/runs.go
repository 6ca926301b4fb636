package event

import "encoding/json"

// Owner is whose a run is.
type Owner struct {
	Principal string `json:"principal,omitzero"`
	Tenant    string `json:"tenant"`
	Workspace string `json:"workspace,omitzero"`
}

// RunStartedPayload is what a run began with.
type RunStartedPayload struct {
	Inputs     map[string]any `json:"inputs,omitzero"`
	Metadata   map[string]any `json:"metadata,omitempty"`
	Owner      *Owner         `json:"owner,omitempty"`
	Tags       []string       `json:"tags,omitempty"`
	WorkflowID string         `json:"workflowId"`
}

// RunPausedPayload is why a run stands still.
type RunPausedPayload struct {
	Reason *string `json:"reason,omitempty"`
}

// RunResumedPayload says nothing: a run that stood still goes on.
type RunResumedPayload map[string]any

// RunCompletedPayload is with what a run ended.
type RunCompletedPayload struct {
	DurationMs *int64         `json:"durationMs,omitempty"`
	Outputs    map[string]any `json:"outputs,omitempty"`
}

// RunFailedPayload is why a run ended.
type RunFailedPayload struct {
	DurationMs   *int64  `json:"durationMs,omitempty"`
	Error        Error   `json:"error"`
	FailedNodeID *string `json:"failedNodeId,omitempty"`
}

// RunCancelledPayload is by whom and why a run was ended.
type RunCancelledPayload struct {
	CancelledBy *string `json:"cancelledBy,omitempty"`
	DurationMs  *int64  `json:"durationMs,omitempty"`
	ParentRunID string  `json:"parentRunId,omitzero"` // of a child that ended with its parent
	Reason      *string `json:"reason,omitempty"`
}

// BreachedPayload is a bound that a run came to.
type BreachedPayload struct {
	Kind     Bound   `json:"kind"`
	Limit    float64 `json:"limit"`
	NodeID   *string `json:"nodeId,omitempty"`
	Observed float64 `json:"observed"`
}

// Bound is what is bounded (RFC 0058).
type Bound string

// The bounds of a run.
const (
	LoopIterations Bound = "loop-iterations"
	NodeExecutions Bound = "node-executions"
	RunDuration    Bound = "run-duration"
)

// VariableChangedPayload is another value of a variable.
type VariableChangedPayload struct {
	Name     string          `json:"name"`
	Next     json.RawMessage `json:"next,omitempty"`
	NodeID   *string         `json:"nodeId,omitempty"`
	Previous json.RawMessage `json:"previous,omitempty"`
}

// MemoryWrittenPayload is an entry that was put into a memory.
type MemoryWrittenPayload struct {
	AgentID   string   `json:"agentId,omitzero"`
	MemoryID  string   `json:"memoryId"`
	MemoryRef string   `json:"memoryRef"`
	NodeID    string   `json:"nodeId,omitzero"`
	Tags      []string `json:"tags,omitempty"`
}

// WorkspaceUpdatedPayload is another version of a file.
type WorkspaceUpdatedPayload struct {
	Path    string `json:"path"`
	Version int64  `json:"version"`
}

// ReplayDivergedPayload is where a replay is no longer as its source was.
type ReplayDivergedPayload struct {
	AtSequence      int64      `json:"atSequence"`
	DivergenceKind  Divergence `json:"divergenceKind,omitzero"`
	DivergencePoint *string    `json:"divergencePoint,omitempty"`
	OriginalEventID *string    `json:"originalEventId,omitempty"`
	SourceRunID     string     `json:"sourceRunId"`
}

// Divergence is how it differs.
type Divergence string

// The divergences of a replay.
const (
	DivergesInOutput Divergence = "output"
	DivergesInType   Divergence = "type-mismatch"
)

// ReplayMeetsRefusalPayload is where one of a replay and its source has the refusal of a model, and the other has not.
type ReplayMeetsRefusalPayload struct {
	AtSequence           int64    `json:"atSequence"`
	NodeID               string   `json:"nodeId,omitzero"`
	OriginalEnvelopeKind Envelope `json:"originalEnvelopeKind"`
	OriginalEventID      *string  `json:"originalEventId,omitempty"`
	RefusalReason        *string  `json:"refusalReason,omitempty"`
	ReplayEnvelopeKind   Envelope `json:"replayEnvelopeKind"`
	SourceRunID          string   `json:"sourceRunId"`
}

// Envelope is what a model's reply was.
type Envelope string

// The replies of a model.
const (
	EnvelopeValid   Envelope = "valid"
	EnvelopeRefusal Envelope = "refusal"
)
