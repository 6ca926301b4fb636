package engine

import (
	"fmt"

	"github.com/openassay/assay/simhost/refusal"
)

// The codes that this engine refuses with, beside those of package refusal.
const (
	CodeVersion          = "version_conflict"
	CodeNeedsMatch       = "if_match_required"
	CodeNotSuspended     = "not_suspended"
	CodeOtherSuspension  = "suspension_mismatch"
	CodeResponse         = "invalid_response"
	CodeChoice           = "invalid_choice"
	CodeNotify           = "notify_to_not_allowed"
	CodeLeaseHeld        = "lease_held"
	CodeInputs           = "UnresolvableInputError"
	CodeUpstream         = "upstream_intent_suspended"
	CodeNotClaimable     = "not_claimable"
	CodeGovernance       = "governance_violation"
	CodeTransition       = "illegal_transition"
	CodeIncomplete       = "not_complete"
	CodeDependenciesOpen = "dependencies_open"
	CodeTaskOver         = "task_over"
	CodeIntentSuspended  = "intent_suspended"
	CodeDependency       = "bad_dependency"
)

func refuse(code, message string, args ...any) *refusal.Error {
	return refusal.New(code, fmt.Sprintf(message, args...))
}

func notFound(what, id string) error {
	return refuse(refusal.NotFound, "there is no %s %.80q", what, id)
}

func unfit(message string, args ...any) error { return refuse(refusal.Validation, message, args...) }

// Caller is who asks.
type Caller struct{ Name, Key string }

// Meant is the version that a request is about; nil where it names none.
type Meant *int64

// fresh refuses a write that means another version than there is.
func (t *tx) fresh(operation string, meant Meant, version int64) error {
	if meant == nil {
		if t.rules.Requests.NeedsMatch(operation) {
			return refuse(CodeNeedsMatch, "send the version that you mean as If-Match: it is %d now", version)
		}
		return nil
	}
	if t.rules.Requests.Stale(operation, *meant, version) {
		return refuse(CodeVersion, "version %d was meant, and it is %d now: read it again", *meant, version)
	}
	return nil
}
