package run

import (
	"errors"
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
)

// ErrClosed: the engine was closed, or is being closed.
var ErrClosed = errors.New("the run engine is closed")

// The codes of the refusals. They are the protocol's own where it has one for the case.
const (
	CodeNotFound          = "not_found"
	CodeValidation        = "validation_error"
	CodeCapability        = "capability_required"
	CodeNotProvided       = "capability_not_provided"
	CodeInterruptNotFound = "interrupt_not_found"
	CodeInterruptResolved = "interrupt_already_resolved"
	CodeInterruptGone     = "interrupt_gone"
	CodeInvalidFromSeq    = "invalid_from_seq"
	CodeRunActive         = "run_already_active"
	CodeTooLarge          = "payload_too_large"
)

// The codes of runs and nodes that fail.
const (
	codeLoopLimit   = "loop_limit_exceeded"
	codeNodeLimit   = "recursion_limit_exceeded"
	codeTimeout     = "run_timeout"
	codeNoDecision  = "no_pending_decision"
	codeFanOut      = "fan_out_unsupported"
	codeDecision    = "invalid_decision"
	codeInput       = "missing_input"
	codeDelay       = "invalid_delay"
	codeNodeFailed  = "node_failed"
	codeDiverged    = "replay_diverged"
	codeInternal    = "internal_error"
	codeNotCreated  = "parent_stopped"
	codeTooDeep     = "nesting_too_deep"
	codeUnknownWork = "workflow_not_found"
)

// Error is a refusal: something the caller can mend. Everything else that a method returns is a fault of the host.
type Error struct {
	Code    string
	Message string
	Details map[string]any
}

func (e *Error) Error() string { return e.Code + ": " + e.Message }

// refuse makes a refusal; details come as key, value, key, value.
func refuse(code, message string, details ...any) *Error {
	e := &Error{Code: code, Message: message}
	for i := 0; i+1 < len(details); i += 2 {
		if e.Details == nil {
			e.Details = make(map[string]any, len(details)/2)
		}
		e.Details[details[i].(string)] = details[i+1]
	}
	return e
}

// invalid is a validation_error about one field, named as a dotted path.
func invalid(field, format string, args ...any) *Error {
	return refuse(CodeValidation, field+": "+fmt.Sprintf(format, args...), "field", field)
}

func runNotFound(id string) *Error {
	return refuse(CodeNotFound, fmt.Sprintf("there is no run %q", id), "runId", id)
}

func workflowNotFound(id string) *Error {
	return refuse(CodeNotFound, fmt.Sprintf("there is no workflow %q", id), "workflowId", id)
}

// failure words an error for the log of a run.
func failure(code, format string, args ...any) *openwopv1.EventError {
	return &openwopv1.EventError{Code: code, Message: fmt.Sprintf(format, args...)}
}
