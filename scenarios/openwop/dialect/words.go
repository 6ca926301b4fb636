package dialect

import (
	"github.com/onsi/gomega/types"

	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Code is the code of a refusal or of a run's failure, by the name that all versions share.
type Code string

// The codes that the suites expect.
const (
	Unauthenticated        Code = "unauthenticated"
	KeyExpired             Code = "key_expired"
	KeyRevoked             Code = "key_revoked"
	Forbidden              Code = "forbidden"
	RunForbidden           Code = "run_forbidden"
	NotFound               Code = "not_found"
	InterruptNotFound      Code = "interrupt_not_found"
	Invalid                Code = "validation_error"
	KeyMismatch            Code = "idempotency_key_mismatch"
	UnsupportedStreamMode  Code = "unsupported_stream_mode"
	WorkspaceConflict      Code = "workspace_conflict"
	InvalidFromSequence    Code = "invalid_from_seq"
	DivergedAtRefusal      Code = "replay_diverged_at_refusal"
	MemoryUnavailable      Code = "replay_memory_snapshot_unavailable"
	RecursionLimitExceeded Code = "recursion_limit_exceeded"
	LoopLimitExceeded      Code = "loop_limit_exceeded"
	RunTimeout             Code = "run_timeout"
	FanOutUnsupported      Code = "fan_out_unsupported"
	NoPendingDecision      Code = "no_pending_decision"
)

// Codes lists all codes that the suites expect.
var Codes = []Code{
	Unauthenticated,
	KeyExpired,
	KeyRevoked,
	Forbidden,
	RunForbidden,
	NotFound,
	InterruptNotFound,
	Invalid,
	KeyMismatch,
	UnsupportedStreamMode,
	WorkspaceConflict,
	InvalidFromSequence,
	DivergedAtRefusal,
	MemoryUnavailable,
	RecursionLimitExceeded,
	LoopLimitExceeded,
	RunTimeout,
	FanOutUnsupported,
	NoPendingDecision,
}

// EventOf returns the type of an event.
func EventOf(e wire.Value) Event { return Of(e).Event(e.Word("type")) }

// TypeOf returns the event that a type names.
func TypeOf(t wire.Value) Event { return Of(t).Event(t.String()) }

// Event returns the event that a word names, "" if this version has no such event.
func (d *Dialect) Event(word string) Event { return named(d.Events, word) }

// CodeOf returns the code that a value names.
func CodeOf(v wire.Value) Code { return named(Of(v).Codes, v.String()) }

// Known returns a type as the contract has it, and reports whether the contract has a schema for its payload.
func (d *Dialect) Known(word string) (string, bool) { return word, d.Payload(d.Event(word)) != "" }

// Word returns this version's word for an event.
func (d *Dialect) Word(e Event) string { return spelled(d.Events, e) }

// Words returns this version's words for events.
func (d *Dialect) Words(events ...Event) []string {
	words := make([]string, len(events))
	for i, e := range events {
		words[i] = d.Word(e)
	}
	return words
}

// Spelled is a matcher that expects the words of the version it looks at.
type Spelled struct {
	in func(*Dialect) types.GomegaMatcher
}

// Spelling expects what in returns for the version it looks at.
func Spelling(in func(*Dialect) types.GomegaMatcher) Spelled { return Spelled{in} }

// For implements [check.Chooser].
func (s Spelled) For(seen wire.Seen) types.GomegaMatcher { return s.in(of(seen)) }

// Match implements Gomega's matcher. A value that is no wire value counts as V1.
func (s Spelled) Match(actual any) (bool, error) { return s.chosen(actual).Match(actual) }

// FailureMessage implements Gomega's matcher.
func (s Spelled) FailureMessage(actual any) string { return s.chosen(actual).FailureMessage(actual) }

// NegatedFailureMessage implements Gomega's matcher.
func (s Spelled) NegatedFailureMessage(actual any) string {
	return s.chosen(actual).NegatedFailureMessage(actual)
}

func (s Spelled) chosen(actual any) types.GomegaMatcher {
	if seen, ok := actual.(wire.Seen); ok {
		return s.For(seen)
	}
	return s.in(V1)
}

// of returns the dialect of what was seen.
func of(seen wire.Seen) *Dialect {
	switch s := seen.(type) {
	case Speaker:
		return Of(s)
	case wire.Values:
		if len(s) > 0 {
			return Of(s[0])
		}
	case wire.Found:
		return of(s.Values)
	}
	return V1
}

// Type expects the type of this event.
func Type(e Event) Spelled {
	return Spelling(func(d *Dialect) types.GomegaMatcher { return check.Equal(d.Word(e)) })
}

// Types expects the types of exactly these events, in this order.
func Types(events ...Event) Spelled {
	return Spelling(func(d *Dialect) types.GomegaMatcher { return check.Equal(d.Words(events...)) })
}

// Coded expects one of these codes.
func Coded(codes ...Code) Spelled {
	return Spelling(func(d *Dialect) types.GomegaMatcher { return check.OneOf(d.codes(codes)...) })
}

// EachCoded expects exactly these codes, in this order.
func EachCoded(codes ...Code) Spelled {
	return Spelling(func(d *Dialect) types.GomegaMatcher { return check.Equal(d.codes(codes)) })
}

func (d *Dialect) codes(names []Code) []any {
	words := make([]any, len(names))
	for i, c := range names {
		words[i] = spelled(d.Codes, c)
	}
	return words
}

// Refusal is the reason for refusing a request.
type Refusal string

// The refusals for which the protocol has codes.
const (
	NoCredential      Refusal = "no credential"
	UnknownCredential Refusal = "unknown credential"
	NoSuchRun         Refusal = "no such run"
	NoSuchWorkflow    Refusal = "no such workflow"
	NoWorkflow        Refusal = "no workflow"
	InvalidBody       Refusal = "invalid body"
	NoSuchStreamMode  Refusal = "no such stream mode"
	KeyReused         Refusal = "idempotency key reused"
)

// Accepted is the answer that a version accepts as a refusal.
type Accepted struct {
	Statuses []int // HTTP; 4 is any 4xx
	Codes    []Code
}

// Refused expects an HTTP status of this refusal.
func Refused(r Refusal) Spelled {
	return Spelling(func(d *Dialect) types.GomegaMatcher { return check.Status(d.Refusals[r].Statuses...) })
}

// CodedAs expects a code of this refusal.
func CodedAs(r Refusal) Spelled {
	return Spelling(func(d *Dialect) types.GomegaMatcher { return check.OneOf(d.codes(d.Refusals[r].Codes)...) })
}

// Ended returns the event that ends a run with this status.
func Ended(status string) Event { return Event("run." + status) }
