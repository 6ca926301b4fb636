// Package refusal is how the parts of a simulated host say no: a code, what the caller can do about it, and the facts. A
// surface spells the code in its protocol's words and gives it a status. Any other error is a fault of the host.
package refusal

import (
	"errors"
	"fmt"
)

// The codes that more than one part uses.
const (
	NotFound        = "not_found"
	Unauthenticated = "unauthenticated"
	Malformed       = "malformed_request" // it cannot be read at all
	Validation      = "validation_error"  // it can be read, and is not what the contract declares
	TooLarge        = "payload_too_large"
	Method          = "method_not_allowed"
	NotProvided     = "capability_not_provided"
	Unavailable     = "unavailable"
	Internal        = "internal_error"
	Upstream        = "upstream_unreachable" // another host that requests are passed on to
	Loop            = "loop_detected"
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

// In returns the refusal in an error, nil where there is none.
func In(err error) *Error {
	e := (*Error)(nil)
	errors.As(err, &e)
	return e
}

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

// Quoted prepares what a client sent for a message: escaped, and not longer than a line.
func Quoted(sent string) string {
	const longest = 80
	if len(sent) > longest {
		sent = sent[:longest] + "..."
	}
	return fmt.Sprintf("%q", sent)
}
