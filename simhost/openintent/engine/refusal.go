package engine

import (
	"fmt"
	"net/http"
)

// Refusal is an answer other than success.
type Refusal struct {
	Status  int
	Code    string // a word for programs
	Message string // what to do about it
	Details map[string]any
}

func (r *Refusal) Error() string { return r.Code + ": " + r.Message }

func refuse(status int, code, message string, args ...any) *Refusal {
	return &Refusal{Status: status, Code: code, Message: fmt.Sprintf(message, args...)}
}

func (r *Refusal) with(details map[string]any) *Refusal {
	r.Details = details
	return r
}

func notFound(what, id string) *Refusal {
	return refuse(http.StatusNotFound, "not_found", "there is no %s %.80q", what, id)
}

func unfit(message string, args ...any) *Refusal {
	return refuse(http.StatusUnprocessableEntity, "validation_error", message, args...)
}

func conflict(code, message string, args ...any) *Refusal {
	return refuse(http.StatusConflict, code, message, args...)
}

// Caller is who asks.
type Caller struct{ Name, Key string }

// Meant is the version that a request is about; nil where it names none.
type Meant *int64

// fresh refuses a write that means another version than there is.
func (t *tx) fresh(operation string, meant Meant, version int64) error {
	if meant == nil {
		if t.rules.Requests.NeedsMatch(operation) {
			return refuse(http.StatusPreconditionRequired, "if_match_required", "send the version that you mean as If-Match: it is %d now", version)
		}
		return nil
	}
	if t.rules.Requests.Stale(*meant, version) {
		return conflict("version_conflict", "version %d was meant, and it is %d now: read it again", *meant, version)
	}
	return nil
}
