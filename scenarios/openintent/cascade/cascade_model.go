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

// resolved is what RFC-0026 sections 4.1 and 5 make of a question: each member as the last level that says it has it.
type resolved struct {
	levels  map[string]int // how many levels say a member
	member  map[string]any // what holds; nil for an interval that nobody says
	timeout any            // of the record
	record  bool           // whether it says a fallback
}

// members are those of a policy, in the order in which they are checked.
var members = []string{"max_attempts", "interval_seconds", "strategy", "escalation_ladder", "final_fallback_policy"}

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

// matcher expects what holds of a member. What nobody says, and a ladder of no steps, may be left out.
func (h resolved) matcher(member string) check.Matcher {
	want, unsaid := h.member[member], h.levels[member] == 0
	switch member {
	case "interval_seconds":
		return h.intervalIs()
	case "escalation_ladder":
		return h.ladderIs()
	case "final_fallback_policy":
		return is(want, unsaid && !h.record)
	}
	return is(want, unsaid)
}

// silent expects null, where no level says anything and so it may be: it is one attempt.
func (h resolved) silent(policy wire.Value) bool { return len(h.levels) == 0 && policy.Actual() == nil }

var noPolicy = check.That("null, which is one attempt", func(v any) bool { return v == nil })

// check compares the policy of an answer, member by member.
func (h resolved) check(j *scenarios.Judge, rule scenarios.RequirementID, policy wire.Value) {
	if h.silent(policy) {
		j.Check(rule, policy).To(noPolicy)
		return
	}
	for _, m := range members {
		j.Check(rule, policy.Key(m)).To(h.matcher(m), m)
	}
}

// right expects the members that fit to be what holds.
func (h resolved) right(what string, fit func(levels int) bool) check.Matcher {
	words := what + " as the levels say"
	return check.Seeing(words, func(s wire.Seen) (bool, string) {
		policy, _ := s.(wire.Value)
		if h.silent(policy) {
			return true, "null"
		}
		for _, m := range members {
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

// is expects a value, or nothing where that is as good.
func is(want any, orNone bool) check.Matcher {
	words := wire.Compact(want)
	if orNone {
		words += ", or nothing"
	}
	return check.That(words, func(v any) bool {
		return orNone && v == nil || reflect.DeepEqual(check.Plain(v), want)
	})
}

// intervalIs expects the interval. Where no level says one there is none; the window of the record's one attempt is as good.
func (h resolved) intervalIs() check.Matcher {
	if h.member["interval_seconds"] != nil {
		return is(h.member["interval_seconds"], false)
	}
	return check.That("nothing, since no level says one", func(v any) bool {
		return v == nil || h.timeout != nil && reflect.DeepEqual(check.Plain(v), h.timeout)
	})
}

// ladderIs expects the steps. null, the empty string and absence are the same in one (OIP-R15).
func (h resolved) ladderIs() check.Matcher {
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

// stepText is a text of a step; "" where it has none, and something that no text is where it is of another kind.
func stepText(v any) string {
	switch t := v.(type) {
	case nil:
		return ""
	case string:
		return t
	}
	return "\x00" + wire.Compact(v)
}
