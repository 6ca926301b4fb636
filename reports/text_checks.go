package reports

import (
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios"
)

// mostChecks bounds the expectations shown for a single scenario.
const mostChecks = 60

// checks shows the basis of a passed scenario if it was the only one: whoever asks a single question wants to read the
// answer line by line.
func (t *text) checks() {
	if len(t.report.Outcomes) != 1 || t.report.Outcomes[0].Verdict != scenarios.Passed {
		return
	}
	o := t.report.Outcomes[0]
	t.heading(green, "PASSED", string(o.Scenario.ID))
	t.prose(o.Scenario.Title)
	t.line("")
	wide := 0
	for _, c := range o.Checks {
		wide = max(wide, len(c.Requirement))
	}
	for _, c := range o.Checks[:min(len(o.Checks), mostChecks)] {
		finding := ""
		if !c.OK {
			finding = " (a finding)"
		}
		t.line("  %-*s  %s -> %s%s", wide, c.Requirement, textsafe.Clip(c.Expected, mostBody), textsafe.Clip(c.Actual, mostBody), finding)
	}
	if more := len(o.Checks) - mostChecks; more > 0 {
		t.line("  and %d more, in results.json", more)
	}
}
