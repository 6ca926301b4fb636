package rules

import (
	"slices"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
)

func TestHonestRequests(t *testing.T) {
	s := Honest()
	a, r, i, c := s.Access, s.Requests, s.Keys, s.Claims
	poll, inRun := Knock{Path: "/v1/runs/r/events/poll"}.Run()
	_, inRuns := Knock{Path: "/v1/runs"}.Run()
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"what everybody may read is public", a.Public("/", true) && !a.Public("/", false)},
		{"nobody enters without a key", !a.Enters(Knock{}) && a.TurnedAway(Knock{}) == "unauthenticated" && !a.LooksLast(Knock{})},
		{"a knock at a run", inRun && poll == "/events/poll" && !inRuns},
		{"every misfit is minded", r.Minds("createRun", "/inputs")},
		{"a body as large as advertised", r.Largest(7) == 7},
		{"a run that never was", r.Absent("getRun", "not_found", true) == "not_found"},
		{"the workflow that was asked for", r.Made("w", true) == "w" && r.Made("w", false) == "w"},
		{"the modes that there are", r.Streams("m", true) && !r.Streams("m", false)},
		{"what stands alone does not combine", r.Combines("m", false) && !r.Combines("m", true)},
		{"a cancellation says what is", r.CancelSays(openwopv1.RunSnapshot{Status: openwopv1.RunStatusRunning},
			openwopv1.RunStatusCancelled) == openwopv1.RunStatusCancelled},
		{"keys are heeded", i.Heeds("k")},
		{"a new key", i.Does(Keyed{}) == Begin},
		{"a key that broke off", i.Does(Keyed{Known: true, Same: true}) == Resume},
		{"a repetition", i.Does(Keyed{Known: true, Same: true, Answered: true}) == Repeat},
		{"another body", i.Does(Keyed{Known: true, Answered: true}) == Refuse && i.Does(Keyed{Known: true}) == Refuse},
		{"another body after a bad request", i.Does(Keyed{Known: true, Free: true}) == Begin},
		{"what is lacked is refused", slices.Equal(c.Refused([]string{"dispatch"}), []string{"dispatch"})},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.rule)
		}
	}
}
