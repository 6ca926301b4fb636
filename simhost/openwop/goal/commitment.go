package goal

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
)

// A commitment that falls due by time is an armRef "in:<duration>". Any other armRef is the id of one that somebody sees
// fulfilled. Both forms are ours.
const inPrefix = "in:"

// longestCommitment bounds the id of a commitment, in bytes.
const longestCommitment = 128

// checkCommitment refuses what names no commitment.
func checkCommitment(armRef *string) error {
	const arm = "continuation.armRef"
	switch {
	case armRef == nil || *armRef == "":
		return invalid(arm, "name the commitment by which the goal goes on, or give its delay as %s1h30m", inPrefix)
	case len(*armRef) > longestCommitment:
		return invalid(arm, "the id of a commitment has at most %d bytes", longestCommitment)
	case !byTime(*armRef):
		return nil
	}
	if _, err := durationOf(armRef, inPrefix); err != nil {
		return invalid(arm, "give the delay of a commitment as %s1h30m: %v", inPrefix, err)
	}
	return nil
}

// byTime tells whether a commitment falls due by time.
func byTime(armRef string) bool { return strings.HasPrefix(armRef, inPrefix) }

// recurs is after which time a goal that goes on in this way fires a run; false where time alone fires none.
func recurs(next openwopv1.GoalContinuation) (time.Duration, bool) {
	var prefix string
	switch next.Mode {
	case openwopv1.GoalContinuationModeSchedule:
		prefix = everyPrefix
	case openwopv1.GoalContinuationModeCommitment:
		prefix = inPrefix
	default:
		return 0, false
	}
	after, err := durationOf(next.ArmRef, prefix)
	return after, err == nil
}

// commits tells whether the goal goes on by commitments. Each is fired once: whoever works at the goal makes it anew when
// its run has been judged.
func (s *state) commits() bool {
	return s.Continuation.Mode == openwopv1.GoalContinuationModeCommitment
}

// Fulfilled is a goal that went on because a commitment was fired.
type Fulfilled struct {
	GoalID string
	RunID  string
}

// Fulfil has every goal that goes on by this commitment, and is not paused, fire a run, and returns when the runs have been
// judged.
func (g *Goals) Fulfil(ctx context.Context, commitment string) ([]Fulfilled, error) {
	leave, err := g.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	held := func(s *state) bool {
		return !byTime(commitment) && s.goesOnBy(openwopv1.GoalContinuationModeCommitment, commitment)
	}
	armed, err := g.armedBy(ctx, func(s *state) bool { return held(s) && !s.held(s.Continuation.Mode) })
	if err != nil {
		return nil, err
	}
	fired := []Fulfilled{}
	for _, id := range armed {
		done, err := g.fire(ctx, id, func(s *state, _ *record) bool { return held(s) })
		if err != nil {
			return fired, fmt.Errorf("go on with goal %s: %w", id, err)
		}
		if done.RunID != "" {
			fired = append(fired, Fulfilled{id, done.RunID})
		}
	}
	return fired, nil
}
