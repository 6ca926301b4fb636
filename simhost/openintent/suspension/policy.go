// Package suspension is what OpenIntent says about waiting for a person (RFC-0025, RFC-0026), as plain values: the record of
// a suspension, the policy that chases the person, how policies of three levels become one, and when what is due. Nothing
// in it has a clock or keeps a state.
package suspension

import (
	"encoding/json"
	"fmt"
)

// The fallback policies of a record and of a retry policy.
const (
	FallbackFail     = "fail"                     // the intent is abandoned
	FallbackComplete = "complete_with_fallback"   // the intent goes on with the fallback value
	FallbackContinue = "use_default_and_continue" // the same
)

// StrategyFixed is the one cadence that RFC-0026 knows.
const StrategyFixed = "fixed"

// Policy is a HumanRetryPolicy (RFC-0026 section 4.1). A member that is nil was not specified, at that level.
type Policy struct {
	MaxAttempts         *int    `json:"max_attempts,omitempty"` // counts the first notification
	IntervalSeconds     *int    `json:"interval_seconds,omitempty"`
	Strategy            *string `json:"strategy,omitempty"`
	EscalationLadder    *[]Step `json:"escalation_ladder,omitempty"` // of no steps: specified, and empty
	FinalFallbackPolicy *string `json:"final_fallback_policy,omitempty"`
}

// Step is an entry of an escalation ladder: how and whom to notify at an attempt.
type Step struct {
	Attempt     int     `json:"attempt"`
	ChannelHint *string `json:"channel_hint"`
	NotifyTo    *string `json:"notify_to"`
}

// Cascade makes one policy of up to three: what the call says goes before what its agent says, and that before the platform,
// member by member (RFC-0026 section 5). A level that says nothing at all is nil; so is the result where none says anything.
func Cascade(platform, agent, call *Policy) *Policy {
	var out *Policy
	for _, level := range []*Policy{platform, agent, call} {
		if level == nil {
			continue
		}
		if out == nil {
			out = &Policy{}
		}
		inherit(&out.MaxAttempts, level.MaxAttempts)
		inherit(&out.IntervalSeconds, level.IntervalSeconds)
		inherit(&out.Strategy, level.Strategy)
		inherit(&out.EscalationLadder, level.EscalationLadder)
		inherit(&out.FinalFallbackPolicy, level.FinalFallbackPolicy)
	}
	return out
}

func inherit[T any](into **T, said *T) {
	if said != nil {
		*into = said
	}
}

// Resolved is a policy with nothing left open.
type Resolved struct {
	MaxAttempts         int    `json:"max_attempts"`
	IntervalSeconds     *int   `json:"interval_seconds"` // nil: nobody said one, so there is a single window
	Strategy            string `json:"strategy"`
	EscalationLadder    []Step `json:"escalation_ladder"`
	FinalFallbackPolicy string `json:"final_fallback_policy"`
}

// Resolve fills in what no level of a cascade specified, with the defaults of RFC-0026 section 4.1. The final fallback is
// that of the record where the policy has none (section 4.3), and "fail" where neither has one.
func Resolve(p *Policy, recordFallback string) Resolved {
	out := Resolved{MaxAttempts: 1, Strategy: StrategyFixed, EscalationLadder: []Step{}, FinalFallbackPolicy: FallbackFail}
	if recordFallback != "" {
		out.FinalFallbackPolicy = recordFallback
	}
	if p == nil {
		return out
	}
	out.IntervalSeconds = p.IntervalSeconds
	take(&out.MaxAttempts, p.MaxAttempts)
	take(&out.Strategy, p.Strategy)
	take(&out.FinalFallbackPolicy, p.FinalFallbackPolicy)
	if p.EscalationLadder != nil && *p.EscalationLadder != nil {
		out.EscalationLadder = *p.EscalationLadder
	}
	return out
}

func take[T any](into *T, said *T) {
	if said != nil {
		*into = *said
	}
}

// ReadPolicy reads a policy from JSON, null being none. Members that it does not know are passed over. The error names the
// member to mend.
func ReadPolicy(raw []byte) (*Policy, error) {
	var p *Policy
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, wrongType("retry_policy", err)
	}
	if p == nil {
		return nil, nil
	}
	return p, p.check()
}

// check refuses what cannot be carried out. RFC-0026 leaves it open whether a server stores such a policy.
func (p *Policy) check() error {
	switch {
	case p.MaxAttempts != nil && *p.MaxAttempts < 1:
		return fmt.Errorf("retry_policy.max_attempts is %d: it counts the first notification, so give 1 or more", *p.MaxAttempts)
	case p.IntervalSeconds != nil && *p.IntervalSeconds < 0:
		return fmt.Errorf("retry_policy.interval_seconds is %d: give 0, where none is meant, or more", *p.IntervalSeconds)
	case p.Strategy != nil && *p.Strategy != StrategyFixed:
		return fmt.Errorf("retry_policy.strategy is %q: the one there is is %q", *p.Strategy, StrategyFixed)
	case p.FinalFallbackPolicy != nil && !IsFallback(*p.FinalFallbackPolicy):
		return fmt.Errorf("retry_policy.final_fallback_policy is %q: %s", *p.FinalFallbackPolicy, fallbacks)
	case p.EscalationLadder == nil:
		return nil
	}
	for i, s := range *p.EscalationLadder {
		if s.Attempt < 1 {
			return fmt.Errorf("retry_policy.escalation_ladder[%d].attempt is %d: attempts count from 1", i, s.Attempt)
		}
	}
	return nil
}

const fallbacks = "give " + FallbackFail + ", " + FallbackComplete + " or " + FallbackContinue

// IsFallback tells the names of fallback policies.
func IsFallback(name string) bool {
	return name == FallbackFail || name == FallbackComplete || name == FallbackContinue
}

// Continues tells whether an intent goes on with its fallback value under a fallback policy.
func Continues(fallback string) bool {
	return fallback == FallbackComplete || fallback == FallbackContinue
}
