package rules

import "testing"

func TestHonestRequests(t *testing.T) {
	s := Honest()
	a, r, i, c := s.Access, s.Requests, s.Keys, s.Claims
	poll, inRun := Knock{Path: "/v1/runs/r/events/poll"}.Run()
	_, inRuns := Knock{Path: "/v1/runs"}.Run()
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"everybody may read what is public", a.Admits(Knock{Public: true}).In},
		{"nobody enters without a key", a.Admits(Knock{}) == Admission{Code: Unauthenticated}},
		{"a knock at a run", inRun && poll == "/events/poll" && !inRuns},
		{"every misfit is minded", r.Minds("createRun", "/inputs")},
		{"a body as large as advertised", r.Largest(7) == 7},
		{"a new key", i.Does(Keyed{}) == Begin},
		{"a key that broke off", i.Does(Keyed{Known: true, Same: true}) == Resume},
		{"a repetition", i.Does(Keyed{Known: true, Same: true, Answered: true}) == Repeat},
		{"another body", i.Does(Keyed{Known: true, Answered: true}) == Refuse && i.Does(Keyed{Known: true}) == Refuse},
		{"another body after a bad request", i.Does(Keyed{Known: true, Free: true}) == Begin},
		{"what is claimed is served", c.Serves("agents.dispatch", true) && !c.Serves("agents.dispatch", false)},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.rule)
		}
	}
}
