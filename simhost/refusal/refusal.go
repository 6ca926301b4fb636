// Package refusal is how the parts of the simulated host say no: what the caller can mend, in the protocol's own codes.
// Any other error is a fault of the host.
package refusal

import "fmt"

// The codes that more than one part uses.
const (
	NotFound    = "not_found"
	Validation  = "validation_error"
	TooLarge    = "payload_too_large"
	NotProvided = "capability_not_provided"
)

// Error is a refusal.
type Error struct {
	Code    string
	Message string // says what to do about it
	Details map[string]any

	// Unprocessable marks what is well-formed and not what is waited for: a status of its own, where HTTP is spoken.
	Unprocessable bool
}

func (e *Error) Error() string { return e.Code + ": " + e.Message }

// New makes a refusal; details come as key, value, key, value.
func New(code, message string, details ...any) *Error {
	e := &Error{Code: code, Message: message}
	for i := 0; i+1 < len(details); i += 2 {
		if e.Details == nil {
			e.Details = make(map[string]any, len(details)/2)
		}
		e.Details[details[i].(string)] = details[i+1]
	}
	return e
}

// Invalid is a validation_error about one field, named as a dotted path (configurable.maxLoopIterations).
func Invalid(field, format string, args ...any) *Error {
	return New(Validation, field+": "+fmt.Sprintf(format, args...), "field", field)
}
