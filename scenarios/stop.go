package scenarios

import (
	"context"
	"errors"

	"github.com/openassay/assay/scenarios/wire"
)

// Stop is why a drive or a judge stopped.
type Stop struct {
	Verdict     Verdict       `json:"verdict"`
	Reason      string        `json:"reason"`
	Unblock     string        `json:"unblock,omitempty"`     // what would unblock it
	Requirement RequirementID `json:"requirement,omitempty"` // of the step of the setup that the target got wrong
	Missing     string        `json:"missing,omitempty"`     // the feature that the target lacks: see [NotThere]
	// Where is what the target sent in place of what Missing names, or what shows that it violates Requirement.
	Where wire.Ref `json:"where,omitzero"`
}

func (s *Stop) Error() string {
	if s.Unblock == "" {
		return string(s.Verdict) + ": " + s.Reason
	}
	return string(s.Verdict) + ": " + s.Reason + ": " + s.Unblock
}

// Block returns a Stop that blocks a scenario, with the reason and what would unblock it.
func Block(reason, unblock string) error {
	return &Stop{Verdict: Blocked, Reason: reason, Unblock: unblock}
}

// Violates returns a Stop that blocks a scenario, since the target violated requirement in a step of the setup, as shown
// says: the report counts it as a violation. Use [Block] where the target may refuse the step: for want of a right, a
// limit, an option that it does not have. Reports take a refusal for a credential or for load (HTTP 401, 403, 407, 408,
// 429, 502 to 504) for no violation.
func Violates(requirement RequirementID, shown wire.Seen, reason string) error {
	s := &Stop{Verdict: Blocked, Reason: reason, Requirement: requirement,
		Unblock: "keep " + string(requirement) + ", which it violates here"}
	if refs := shown.Refs(); len(refs) > 0 {
		s.Where = refs[0]
	}
	return s
}

// NotOffered returns a Stop for a target that does not offer an operation and need not: neither a sentence nor its
// discovery document says that it must. shown says which exchange shows that. A drive looks first whether the resource
// exists, so as not to mistake a reply about the resource for one about the operation.
func NotOffered(shown string) error {
	return &Stop{Verdict: Inapplicable, Reason: "not offered: " + shown}
}

// Unmet returns a Stop for what was drawn and did not come to what the scenario is about. It is for scenarios whose sentences others
// prove.
func Unmet(reason string) error { return &Stop{Verdict: Inapplicable, Reason: reason} }

// NotThere returns a Stop for a target that lacks the feature in question; shown is what it sent in its place. If the
// target makes the claim, or the operator expects it, the scenario fails and all its requirements are violated. If the
// claim is open (see [Claim.Open]), the scenario is inapplicable.
func NotThere(shown wire.Seen, what string) error {
	s := &Stop{Verdict: Inapplicable, Reason: "not there: " + what, Missing: what}
	if refs := shown.Refs(); len(refs) > 0 {
		s.Where = refs[0]
	}
	return s
}

// violation returns the requirement that the target violated in a step of the setup, and the place that shows it; "" if
// there is none. A stop of an earlier Assay says no place.
func (s *Stop) violation() (RequirementID, wire.Ref) {
	if s.Missing != "" || s.Where.Exchange == 0 {
		return "", wire.Ref{}
	}
	return s.Requirement, s.Where
}

// ends returns the outcome of a scenario whose drive stopped. An operation that is not offered is Blocked, not
// Inapplicable, if the operator expects the claim.
func (s *Stop) ends(scenario Scenario, expected bool) Outcome {
	o := Outcome{Scenario: scenario, Verdict: s.Verdict, Reason: s.Reason, Unblock: s.Unblock}
	o.BlockedOn, o.BlockedAt = s.violation()
	if expected && s.Verdict == Inapplicable {
		o.Verdict, o.Unblock = Blocked, "have the target offer it, or do not expect the claim "+scenario.Claim.ID
	}
	return o
}

// stopOf returns the Stop for the error of a drive, nil if there is none.
func stopOf(ctx context.Context, err error) *Stop {
	var stop *Stop
	switch {
	case err == nil:
		return nil
	case errors.As(err, &stop):
		return stop
	case errors.Is(err, wire.ErrMisfit):
		return &Stop{Verdict: Broken, Reason: err.Error(), Unblock: ourBug}
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return &Stop{Verdict: Inconclusive, Reason: "the deadline struck while it was driven: " + err.Error(),
			Unblock: "give it longer with --timeout"}
	case errors.Is(err, context.Canceled):
		return &Stop{Verdict: Inconclusive, Reason: "interrupted"}
	case errors.Is(err, wire.ErrNoAnswer), errors.Is(err, wire.ErrOverLimit), errors.Is(err, wire.ErrUnreadable):
		return &Stop{Verdict: Inconclusive, Reason: err.Error()}
	case errors.Is(err, wire.ErrSpent):
		return &Stop{Verdict: Blocked, Reason: err.Error(),
			Unblock: "allow more with --max-requests, --max-runs and --max-turns, or ask about less"}
	case errors.Is(err, wire.ErrBusy):
		return &Stop{Verdict: Inconclusive, Reason: err.Error(), Unblock: "send fewer requests with --rate or --workers"}
	case errors.Is(err, context.DeadlineExceeded):
		return &Stop{Verdict: Inconclusive, Reason: err.Error()}
	}
	return &Stop{Verdict: Broken, Reason: err.Error(), Unblock: ourBug}
}

const ourBug = "this is a bug in Assay: please report it, with the transcript"
