package scenarios_test

import (
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
)

// A scenario that takes others as its parts fails where one of them does, or sees on its way what the whole watches. What else blocks
// a part blocks nothing.
func TestAScenarioWithParts(t *testing.T) {
	counting := countDrive("d")
	part := func(judge func(counted, *scenarios.Judge)) scenarios.Scenario {
		return one("part", counts, scenarios.Ask(counting, judge), "TOY-1")
	}
	for name, c := range map[string]struct {
		part    func(counted, *scenarios.Judge)
		watches scenarios.IDs
		verdict scenarios.Verdict
		of      scenarios.RequirementID
	}{
		"passes":  {is(3, "TOY-1"), nil, scenarios.Passed, ""},
		"fails":   {is(4, "TOY-2"), scenarios.IDs{"TOY-2"}, scenarios.Failed, "TOY-2"},
		"strange": {is(3, "TOY-2"), nil, scenarios.Broken, ""},
		"blocked": {func(_ counted, j *scenarios.Judge) { j.Block("no way to look", "y") }, nil, scenarios.Passed, ""},
		"violated on the way, which the whole watches": {
			func(o counted, j *scenarios.Judge) { j.Violates("TOY-2", o.N, "it would not start") }, scenarios.IDs{"TOY-2"}, scenarios.Failed,
			"TOY-2",
		},
		"violated on the way, which it does not watch": {
			func(o counted, j *scenarios.Judge) { j.Violates("TOY-2", o.N, "it would not start") }, nil, scenarios.Passed, "",
		},
		"panics": {func(counted, *scenarios.Judge) { panic("oh") }, nil, scenarios.Broken, ""},
	} {
		t.Run(name, func(t *testing.T) {
			came := false
			whole := one("whole", counts, scenarios.Ask(counting, func(o counted, j *scenarios.Judge) {
				j.Tell(func(r check.Result) string { return "it was asked about " + r.Requirement })
				j.Check("TOY-1", o.N).To(check.Equal(3))
				came = j.Take(part(c.part), o)
			}), "TOY-1")
			whole.Watches = c.watches
			o := certify(t, scenarios.Options{}, whole).Outcomes[0]
			if o.Verdict != c.verdict {
				t.Fatalf("%s (%s), want %s", o.Verdict, o.Reason, c.verdict)
			}
			if checked := strings.HasPrefix(name, "passes") || c.verdict == scenarios.Failed || name == "strange"; came != checked {
				t.Errorf("the part came to a check: %v, want %v", came, checked)
			}
			if c.of == "" {
				return
			}
			if o.Failure.Requirement != c.of || !strings.HasSuffix(o.Failure.Expected, ", where\nit was asked about "+string(c.of)) {
				t.Errorf("%+v", o.Failure)
			}
		})
	}
}
