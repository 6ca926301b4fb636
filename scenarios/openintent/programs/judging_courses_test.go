package programs

import (
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
)

// A suspension for which the drive itself took too long is not judged; where there is no other, the scenarios are blocked.
func TestSlowCoursesAreNotJudged(t *testing.T) {
	o := CoursesObservation{
		Rounds: []CourseRound{{Courses: []CourseRun{{Intent: 1}, {Intent: 2, Slow: true}}}}, Ends: []CourseRun{{Slow: true}},
	}
	if all := o.all(); len(all) != 1 || all[0].Intent != 1 {
		t.Errorf("%d are judged", len(all))
	}
	o.Rounds[0].Courses[0].Slow = true
	rows := make([]scenarios.Requirement, len(openintent.RequirementsV1))
	for i, r := range openintent.RequirementsV1 {
		rows[i] = scenarios.Requirement(r)
	}
	for _, s := range courseScenarios {
		out := scenarios.Conclude(s, scenarios.NewLedger(rows), o)
		if out.Verdict != scenarios.Blocked || !strings.Contains(out.Unblock, "--workers") || slices.Contains(s.Proves, out.BlockedOn) {
			t.Errorf("%s is %s: %s", s.ID, out.Verdict, out.Reason)
		}
	}
}
