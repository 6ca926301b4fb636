package cascade

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// resolved is the policy that RFC-0026 sections 4.1 and 5 make of a question: each member from the last level that sets
// it.
type resolved struct {
	levels  map[string]int // the number of levels that set a member
	member  map[string]any // the value of each member; no interval_seconds if no level sets it
	timeout any            // of the record
	record  bool           // whether it sets a fallback
}

// policyMembers are the members of a policy, in the order in which they are checked.
var policyMembers = []string{"max_attempts", "interval_seconds", "strategy", "escalation_ladder", "final_fallback_policy"}

// modelOf resolves a question.
func modelOf(question json.RawMessage) (resolved, error) {
	var raw any
	decoder := json.NewDecoder(bytes.NewReader(question))
	decoder.UseNumber()
	if err := decoder.Decode(&raw); err != nil {
		return resolved{}, fmt.Errorf("our own question: %w", err)
	}
	asked, _ := check.Plain(raw).(map[string]any)
	record, _ := asked["record"].(map[string]any)
	h := resolved{
		levels: map[string]int{}, timeout: record["timeout_seconds"],
		member: map[string]any{"max_attempts": int64(1), "strategy": "fixed", "escalation_ladder": []any{}, "final_fallback_policy": "fail"},
	}
	if fallback, said := record["fallback_policy"]; said {
		h.member["final_fallback_policy"], h.record = fallback, true
	}
	for _, name := range []string{"platform", "agent", "call"} {
		level, _ := asked[name].(map[string]any)
		for member, v := range level {
			h.member[member] = v
			h.levels[member]++
		}
	}
	return h, nil
}

// matcher expects the value of a member. A member that no level sets, and an empty ladder, may be left out.
func (h resolved) matcher(member string) check.Matcher {
	want, unsaid := h.member[member], h.levels[member] == 0
	switch member {
	case "interval_seconds":
		return h.interval()
	case "escalation_ladder":
		return h.ladder()
	case "final_fallback_policy":
		return equal(want, unsaid && !h.record)
	}
	return equal(want, unsaid)
}

// isNone reports whether the policy is null, which means one attempt, and may be since no level sets anything.
func (h resolved) isNone(policy wire.Value) bool { return len(h.levels) == 0 && policy.Actual() == nil }

var noPolicy = check.That("null, which is one attempt", func(v any) bool { return v == nil })

// check compares the policy of an answer, member by member.
func (h resolved) check(j *scenarios.Judge, rule scenarios.RequirementID, policy wire.Value) {
	if h.isNone(policy) {
		j.Check(rule, policy).To(noPolicy)
		return
	}
	for _, m := range policyMembers {
		j.Check(rule, policy.Key(m)).To(h.matcher(m), m)
	}
}

// members expects the right value of each member that fits the number of levels that set it.
func (h resolved) members(what string, fit func(levels int) bool) check.Matcher {
	return check.Seeing(what+" as the levels say", func(s wire.Seen) (bool, string) {
		policy, _ := s.(wire.Value)
		if h.isNone(policy) {
			return true, "null"
		}
		for _, m := range policyMembers {
			if !fit(h.levels[m]) {
				continue
			}
			if ok, _ := h.matcher(m).MatchSeen(policy.Key(m)); !ok {
				return false, m + " is " + policy.Key(m).JSON() + ", expected " + h.matcher(m).Expected()
			}
		}
		return true, policy.JSON()
	})
}

// equal expects a value; with orNone, or none.
func equal(want any, orNone bool) check.Matcher {
	words := wire.Compact(want)
	if orNone {
		words += ", or nothing"
	}
	return check.That(words, func(v any) bool {
		return orNone && v == nil || reflect.DeepEqual(check.Plain(v), want)
	})
}

// interval expects the interval. If no level sets one, it may be absent or the timeout of the record, the window of one
// attempt.
func (h resolved) interval() check.Matcher {
	if h.member["interval_seconds"] != nil {
		return equal(h.member["interval_seconds"], false)
	}
	return check.That("nothing, since no level says one", func(v any) bool {
		return v == nil || h.timeout != nil && reflect.DeepEqual(check.Plain(v), h.timeout)
	})
}

// ladder expects the steps. In a step, null, the empty string and an absent member are the same (OIP-R15).
func (h resolved) ladder() check.Matcher {
	want, _ := h.member["escalation_ladder"].([]any)
	return check.That("the steps "+wire.Compact(h.member["escalation_ladder"]), func(v any) bool {
		got, isList := check.Plain(v).([]any)
		if !isList && v != nil || len(got) != len(want) {
			return false
		}
		for i := range got {
			if !sameStep(got[i], want[i]) {
				return false
			}
		}
		return true
	})
}

// sameStep reports whether two steps of a ladder are the same.
func sameStep(got, want any) bool {
	g, ok := got.(map[string]any)
	w, _ := want.(map[string]any)
	if !ok || !reflect.DeepEqual(g["attempt"], w["attempt"]) {
		return false
	}
	for _, member := range []string{"channel_hint", "notify_to"} {
		if stepText(g[member]) != stepText(w[member]) {
			return false
		}
	}
	return true
}

// stepText returns a text of a step, "" if it has none. A value of another kind becomes something that no text is.
func stepText(v any) string {
	switch t := v.(type) {
	case nil:
		return ""
	case string:
		return t
	}
	return "\x00" + wire.Compact(v)
}
