package scenarios

import (
	"context"
	"errors"

	"github.com/openassay/assay/scenarios/wire"
)

// Stop is why something could not be looked at to the end.
type Stop struct {
	Verdict     Verdict       `json:"verdict"`
	Reason      string        `json:"reason"`
	Unblock     string        `json:"unblock,omitempty"`     // the one thing that would unblock it
	Requirement RequirementID `json:"requirement,omitempty"` // a set-up step the target got wrong
	Missing     string        `json:"missing,omitempty"`     // what is not there: see [NotThere]
	Where       wire.Ref      `json:"where,omitzero"`        // with Missing: what the target sent in its place
}

func (s *Stop) Error() string {
	if s.Unblock == "" {
		return string(s.Verdict) + ": " + s.Reason
	}
	return string(s.Verdict) + ": " + s.Reason + ": " + s.Unblock
}

// Block says that a claim cannot be looked at, and the one thing that would unblock it.
func Block(reason, unblock string) error {
	return &Stop{Verdict: Blocked, Reason: reason, Unblock: unblock}
}

// BlockOn says that the target got a set-up step wrong that is not the
// question here; requirement is the sentence that step rests on.
func BlockOn(requirement RequirementID, reason string) error {
	return &Stop{Verdict: Blocked, Reason: reason, Requirement: requirement,
		Unblock: "see the scenario that tests " + string(requirement)}
}

// NotOffered says that the target does not have the operation that the
// question is about, and that nothing says that it must: no sentence, and no
// member of its advertisement. shown is the exchange that shows it. A drive
// looks first whether what it asked about is there, so that a reply about that
// is not taken for one about the operation.
func NotOffered(shown string) error {
	return &Stop{Verdict: Inapplicable, Reason: "not offered: " + shown}
}

// NotThere says that the target has nothing of what the question is about; shown is what it sent in its place. A scenario
// whose claim the target makes by name, or that the operator expects, fails: every sentence that it names is violated. Where
// the claim is open (see [Claim.Open]) it is inapplicable.
func NotThere(shown wire.Seen, what string) error {
	s := &Stop{Verdict: Inapplicable, Reason: "not there: " + what, Missing: what}
	if refs := shown.Refs(); len(refs) > 0 {
		s.Where = refs[0]
	}
	return s
}

// ends is how a scenario ends whose drive stopped. What the operator expects of
// the target is claimed: that it is not offered leaves it unproved.
func (s *Stop) ends(scenario Scenario, expected bool) Outcome {
	o := Outcome{Scenario: scenario, Verdict: s.Verdict, Reason: s.Reason, Unblock: s.Unblock, BlockedOn: s.Requirement}
	if expected && s.Verdict == Inapplicable {
		o.Verdict, o.Unblock = Blocked, "have the target offer it, or do not expect the claim "+scenario.Claim.ID
	}
	return o
}

// stopOf turns what a drive returned into the way its scenarios end.
func stopOf(ctx context.Context, err error) *Stop {
	var stop *Stop
	switch {
	case err == nil:
		return nil
	case errors.As(err, &stop):
		return stop
	case errors.Is(err, context.Canceled):
		return &Stop{Verdict: Inconclusive, Reason: "interrupted"}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &Stop{Verdict: Inconclusive, Reason: "the deadline struck while it was driven: " + err.Error(), Unblock: "give it longer with --timeout"}
	case errors.Is(err, wire.ErrNoAnswer), errors.Is(err, wire.ErrOverLimit), errors.Is(err, wire.ErrUnreadable):
		return &Stop{Verdict: Inconclusive, Reason: err.Error()}
	case errors.Is(err, wire.ErrBusy):
		return &Stop{Verdict: Inconclusive, Reason: err.Error(), Unblock: "send fewer requests with --rate or --workers"}
	case errors.Is(err, context.DeadlineExceeded):
		return &Stop{Verdict: Inconclusive, Reason: err.Error()}
	}
	return &Stop{Verdict: Broken, Reason: err.Error(), Unblock: "this is a fault of Assay's own: please report it with its transcript"}
}
