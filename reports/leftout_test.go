package reports

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
)

// What a target is not asked for, since it claims less, stands in results.json, in the text and on the badge.
func TestWhatIsLeftOutIsTold(t *testing.T) {
	got := profile(scenarios.ProfileStatus{ID: "agentic-loop@3", Status: "certified", Proved: 93, Required: 93, NotClaimed: 3,
		LeftOut: []scenarios.Part{{Claims: []string{"retry"}, Requirements: []scenarios.RequirementID{"A-1"}},
			{Claims: []string{"workspace"}, Requirements: []scenarios.RequirementID{"A-2", "A-3"}}}})
	if len(got.LeftOut) != 2 || !slices.Equal(got.LeftOut[1].Requirements, []string{"A-2", "A-3"}) {
		t.Errorf("%+v", got.LeftOut)
	}
	const said = "left out, as not claimed: retry (1), workspace (2)"
	lines := text{doc: results.Results{Profiles: []results.ProfileResult{got}}}
	if lines.claims(); !strings.Contains(lines.out.String(), "93 of 93 requirements proved; "+said) {
		t.Errorf("%q", lines.out.String())
	}
	files, err := badges([]results.ProfileResult{got}, "with headers")
	if err != nil {
		t.Fatal(err)
	}
	var badge bytes.Buffer
	if err := files[0].write(&badge); err != nil || !strings.Contains(badge.String(), "certified; "+said+"; with headers") {
		t.Errorf("%v, %s", err, badge.String())
	}
}
