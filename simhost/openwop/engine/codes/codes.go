package codes

import (
	"fmt"

	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/refusal"
)

// The codes of the refusals. They are the protocol's own where it has one for the case.
const (
	NotFound          = refusal.NotFound
	Validation        = refusal.Validation
	Capability        = "capability_required"
	NotProvided       = refusal.NotProvided
	InterruptNotFound = "interrupt_not_found"
	InterruptResolved = "interrupt_already_resolved"
	InterruptGone     = "interrupt_gone"
	InterruptExpired  = "interrupt_expired"
	Forbidden         = "forbidden"
	InvalidFromSeq    = "invalid_from_seq"
	RunActive         = "run_already_active"
	MemorySnapshot    = "replay_memory_snapshot_unavailable"
	RunTerminal       = "run_terminal"
	RunPaused         = "run_paused"
	RunNotPaused      = "run_not_paused"
	TooLarge          = refusal.TooLarge
)

// The codes of runs and nodes that fail.
const (
	LoopLimit    = "loop_limit_exceeded"
	NodeLimit    = "recursion_limit_exceeded"
	Timeout      = "run_timeout"
	NoDecision   = "no_pending_decision"
	FanOut       = "fan_out_unsupported"
	Decision     = "invalid_decision"
	Script       = "invalid_script"
	Notes        = "notes_too_large"
	Input        = "missing_input"
	Delay        = "invalid_delay"
	ModelRefused = "envelope_refused_by_provider"
	Output       = "invalid_output"
	NodeFailed   = "node_failed"
	Gate         = "invalid_interrupt"
	Rejected     = "interrupt_rejected"
	Expired      = InterruptExpired
	Diverged     = "replay_diverged"
	Refused      = "replay_diverged_at_refusal"
	Unverified   = "verification_failed"
	GaveUp       = "gave_up"
	Internal     = "internal_error"
	NotCreated   = "parent_stopped"
	TooDeep      = "nesting_too_deep"
	UnknownWork  = "workflow_not_found"

	PeerUnknown     = "peer_unknown"
	PeerUnreachable = "peer_unreachable"
	PeerLost        = "peer_lost"
)

// Refuse and Invalid make refusals.
var (
	Refuse  = refusal.New
	Invalid = refusal.Invalid
)

func RunNotFound(id string) *refusal.Error {
	return Refuse(NotFound, fmt.Sprintf("there is no run %q", id), "runId", id)
}

func WorkflowNotFound(id string) *refusal.Error {
	return Refuse(NotFound, fmt.Sprintf("there is no workflow %q", id), "workflowId", id)
}

// Failure words an error for the log of a run.
func Failure(code, format string, args ...any) *event.Error {
	return &event.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}
