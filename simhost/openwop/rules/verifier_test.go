package rules

import (
	"testing"

	"github.com/openassay/assay/simhost/openwop/engine/event"
)

func TestHonestVerifier(t *testing.T) {
	v := Honest().Verifier
	fails := event.VerifiedPayload{AgentID: "a", Verdict: event.Fails}
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"as long as there are verdicts", v.Asked(true, 1) && v.Asked(false, 1) && !v.Asked(true, 0)},
		{"heeded where it gates", v.Heeded(true, fails, 1, true) == fails.Verdict},
		{"only told where it does not", v.Heeded(false, fails, 1, false) == event.Passes},
		{"criteria from 6", v.KeepsCriteria(6) && !v.KeepsCriteria(5)},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.rule)
		}
	}
}
