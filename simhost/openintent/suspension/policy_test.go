package suspension

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The first column is the vector of RFC-0026 section 5: what three levels say, and what that comes to.
func TestCascade(t *testing.T) {
	for _, c := range []struct{ name, platform, agent, call, want string }{
		{"V1 nothing", "", "", "", `null`},
		{"V2 platform alone", `{"max_attempts":3,"interval_seconds":3600}`, "", "", `{"max_attempts":3,"interval_seconds":3600}`},
		{"V3 the call wins", `{"max_attempts":3,"interval_seconds":3600}`, `{"max_attempts":2,"interval_seconds":1800}`,
			`{"max_attempts":1,"interval_seconds":300}`, `{"max_attempts":1,"interval_seconds":300}`},
		{"V4 member by member", `{"max_attempts":5}`, "", `{"interval_seconds":60}`, `{"max_attempts":5,"interval_seconds":60}`},
		{"V5 what looks like a default", "", `{"max_attempts":2}`, `{"max_attempts":3}`, `{"max_attempts":3}`},
		{"V6 fail said at the call", `{"final_fallback_policy":"complete_with_fallback"}`, "", `{"final_fallback_policy":"fail"}`,
			`{"final_fallback_policy":"fail"}`},
		{"V7 an empty ladder", `{"escalation_ladder":[{"attempt":2}]}`, "", `{"escalation_ladder":[]}`, `{"escalation_ladder":[]}`},
		{"V8 no interval", "", "", `{"max_attempts":1}`, `{"max_attempts":1}`},
		{"V9 an hour said at the call", `{"interval_seconds":60}`, "", `{"interval_seconds":3600}`, `{"interval_seconds":3600}`},
		{"V10 fixed said at the call", `{"strategy":"exponential"}`, "", `{"strategy":"fixed"}`, `{"strategy":"fixed"}`},
		{"null is not said", `{"max_attempts":4}`, "", `{"max_attempts":null}`, `{"max_attempts":4}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := json.Marshal(Cascade(policy(t, c.platform), policy(t, c.agent), policy(t, c.call)))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func policy(t *testing.T, text string) *Policy {
	t.Helper()
	if text == "" {
		return nil
	}
	var p *Policy
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// Whatever the levels say, each member comes from the last level that said it.
func TestCascadeTakesEachMemberFromTheLastLevelThatSaidIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		levels := []*Policy{drawPolicy(t), drawPolicy(t), drawPolicy(t)}
		var attempts, interval *int
		for _, l := range levels {
			if l != nil && l.MaxAttempts != nil {
				attempts = l.MaxAttempts
			}
			if l != nil && l.IntervalSeconds != nil {
				interval = l.IntervalSeconds
			}
		}
		got := Cascade(levels[0], levels[1], levels[2])
		if got == nil {
			got = &Policy{}
		}
		if got.MaxAttempts != attempts || got.IntervalSeconds != interval {
			t.Errorf("got %v", got)
		}
	})
}

func drawPolicy(t *rapid.T) *Policy {
	if rapid.Bool().Draw(t, "silent") {
		return nil
	}
	number := rapid.Ptr(rapid.IntRange(1, 5), true)
	return &Policy{MaxAttempts: number.Draw(t, "attempts"), IntervalSeconds: number.Draw(t, "interval")}
}

func TestResolve(t *testing.T) {
	for _, c := range []struct{ name, policy, record, want string }{
		{"no policy", "", "",
			`{"max_attempts":1,"interval_seconds":null,"strategy":"fixed","escalation_ladder":[],"final_fallback_policy":"fail"}`},
		{"V11 the record's fallback", `{"max_attempts":2,"interval_seconds":60}`, FallbackComplete,
			`{"max_attempts":2,"interval_seconds":60,"strategy":"fixed","escalation_ladder":[],"final_fallback_policy":"complete_with_fallback"}`},
		{"the policy's own goes first", `{"final_fallback_policy":"fail"}`, FallbackComplete,
			`{"max_attempts":1,"interval_seconds":null,"strategy":"fixed","escalation_ladder":[],"final_fallback_policy":"fail"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := json.Marshal(Resolve(policy(t, c.policy), c.record))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPoliciesThatCannotBeCarriedOutAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"max_attempts":0}`:                    "max_attempts is 0",
		`{"interval_seconds":-1}`:               "interval_seconds is -1",
		`{"strategy":"linear"}`:                 `strategy is "linear"`,
		`{"final_fallback_policy":"shrug"}`:     `final_fallback_policy is "shrug"`,
		`{"escalation_ladder":[{"attempt":0}]}`: "escalation_ladder[0].attempt is 0",
		`{"max_attempts":"3"}`:                  "max_attempts is a JSON string",
		`{`:                                     "no JSON",
	} {
		if _, err := ReadPolicy([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, not about %s", text, err, want)
		}
	}
	for _, text := range []string{`null`, `{}`, `{"escalation_ladder":[{"attempt":9}],"more":1}`} {
		if _, err := ReadPolicy([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
