package scenarios_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// claimed is a claim that no target makes.
func claimed(id string) scenarios.Claim {
	return scenarios.Claim{ID: id, Pointer: "/" + id, Look: func(d scenarios.Discovery) (wire.Value, bool) {
		return d.Document.Key("nothing"), false
	}}
}

// choice is a claim of which a target may rightly make the opposite, and makes it.
func choice(id string) scenarios.Claim {
	c := claimed(id)
	c.Choice = true
	return c
}

// A pattern expects what a target may have, and not its opposite; that takes the id.
func TestPatternsOfClaims(t *testing.T) {
	claims := []scenarios.Claim{
		claimed("goals"), claimed("goals-replay"), choice("no-goals"), choice("goals<5"), choice("goals-kind"), claimed("memory"),
		choice("no-memory"), choice("memory-silent"),
	}
	for pattern, want := range map[string][]string{
		"all":       {"goals", "goals-replay", "memory"},
		"*":         {"goals", "goals-replay", "memory"},
		"goals*":    {"goals", "goals-replay"},
		"goals":     {"goals"},
		"no-goals":  {"no-goals"},
		"goals<5":   {"goals<5"},
		"[gm]?????": {"memory"},
	} {
		var all []scenarios.Scenario
		for _, c := range claims {
			all = append(all, one(c.ID, c, scenarios.Ask(countDrive("d"), is(3, "TOY-5")), "TOY-5"))
		}
		r := certify(t, scenarios.Options{Select: scenarios.Selection{ExpectClaims: []string{pattern}}}, all...)
		var asked []string
		for _, o := range r.Outcomes {
			if o.Verdict != scenarios.Inapplicable {
				asked = append(asked, o.Scenario.Claim.ID)
			}
		}
		if !slices.Equal(asked, want) {
			t.Errorf("%s: %q are asked, want %q", pattern, asked, want)
		}
	}
}

func TestPatternsThatFitNothing(t *testing.T) {
	ask := scenarios.Ask(countDrive("d"), is(3, "TOY-5"))
	all := suite(one("a", claimed("goals"), ask, "TOY-5"),
		one("b", claimed("goals-replay"), ask, "TOY-5"), one("c", choice("no-goals"), ask, "TOY-5"))
	for pattern, want := range map[string]string{
		"gaols*": `no claim fits "gaols*": did you mean "goals"? (assay list claims shows them all)`,
		"goal":   `unknown claim "goal": did you mean "goals" or "goals-replay"? (assay list claims shows them all)`,
		"no-*":   `no claim fits "no-*": did you mean "no-goals"? (assay list claims shows them all)`,
		"[":      `no claim fits "[" (assay list claims shows them all)`,
		"":       `unknown claim "" (assay list claims shows them all)`,
	} {
		_, err := scenarios.Selection{ExpectClaims: []string{pattern}}.Pick(all)
		wrong, is := errors.AsType[*scenarios.UsageError](err)
		if !is || wrong.Error() != want {
			t.Errorf("%q: %v, want %s", pattern, err, want)
		}
	}
}
