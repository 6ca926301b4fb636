package engine

import (
	"errors"
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/refusal"
)

// ErrClosed: the engine was closed, or is being closed.
var ErrClosed = errors.New("the run engine is closed")

// The codes of the refusals. They are the protocol's own where it has one for the case.
const (
	CodeNotFound          = refusal.NotFound
	CodeValidation        = refusal.Validation
	CodeCapability        = "capability_required"
	CodeNotProvided       = refusal.NotProvided
	CodeInterruptNotFound = "interrupt_not_found"
	CodeInterruptResolved = "interrupt_already_resolved"
	CodeInterruptGone     = "interrupt_gone"
	CodeInterruptExpired  = "interrupt_expired"
	CodeForbidden         = "forbidden"
	CodeInvalidFromSeq    = "invalid_from_seq"
	CodeRunActive         = "run_already_active"
	CodeMemorySnapshot    = "replay_memory_snapshot_unavailable"
	CodeRunTerminal       = "run_terminal"
	CodeRunPaused         = "run_paused"
	CodeRunNotPaused      = "run_not_paused"
	CodeTooLarge          = refusal.TooLarge
)

// The codes of runs and nodes that fail.
const (
	codeLoopLimit    = "loop_limit_exceeded"
	codeNodeLimit    = "recursion_limit_exceeded"
	codeTimeout      = "run_timeout"
	codeNoDecision   = "no_pending_decision"
	codeFanOut       = "fan_out_unsupported"
	codeDecision     = "invalid_decision"
	codeScript       = "invalid_script"
	codeNotes        = "notes_too_large"
	codeInput        = "missing_input"
	codeDelay        = "invalid_delay"
	codeModelRefused = "envelope_refused_by_provider"
	codeOutput       = "invalid_output"
	codeNodeFailed   = "node_failed"
	codeGate         = "invalid_interrupt"
	codeRejected     = "interrupt_rejected"
	codeExpired      = CodeInterruptExpired
	codeDiverged     = "replay_diverged"
	codeRefused      = "replay_diverged_at_refusal"
	codeUnverified   = "verification_failed"
	codeGaveUp       = "gave_up"
	codeInternal     = "internal_error"
	codeNotCreated   = "parent_stopped"
	codeTooDeep      = "nesting_too_deep"
	codeUnknownWork  = "workflow_not_found"

	codePeerUnknown     = "peer_unknown"
	codePeerUnreachable = "peer_unreachable"
	codePeerLost        = "peer_lost"
)

// refuse and invalid make refusals.
var (
	refuse  = refusal.New
	invalid = refusal.Invalid
)

func runNotFound(id string) *refusal.Error {
	return refuse(CodeNotFound, fmt.Sprintf("there is no run %q", id), "runId", id)
}

func workflowNotFound(id string) *refusal.Error {
	return refuse(CodeNotFound, fmt.Sprintf("there is no workflow %q", id), "workflowId", id)
}

// failure words an error for the log of a run.
func failure(code, format string, args ...any) *openwopv1.EventError {
	return &openwopv1.EventError{Code: code, Message: fmt.Sprintf(format, args...)}
}
