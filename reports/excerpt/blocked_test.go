package excerpt_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports/excerpt"
)

func blocked(id, reason, unblock string) results.ScenarioResult {
	return results.ScenarioResult{ID: id, Verdict: results.VerdictBlocked, Reason: reason, Unblock: unblock}
}

// What a violation bars is counted with it; the rest is a line a cause, the largest first.
func TestBlocked(t *testing.T) {
	doc := results.Results{
		Scenarios: []results.ScenarioResult{
			blocked("a", "no seam", ""), blocked("b", "no key", "give one"), blocked("c", "no second key", "give one"),
			blocked("d", "setup failed", "keep R-1, which it violates here"), {ID: "e", Verdict: results.VerdictFailed},
		},
		Violations: []results.Violation{
			{Requirement: "R-1", By: results.ViolationBySetUp, Scenario: "d"}, {Requirement: "R-2", By: results.ViolationByScenario, Scenario: "e"},
		},
	}
	causes, barred := excerpt.Blocked(doc)
	var lines []string
	for _, c := range causes {
		lines = append(lines, c.Line())
	}
	if diff := cmp.Diff([]string{"no key (and 1 reason like it) -> give one", "no seam"}, lines); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if len(barred) != 1 || barred[0].Line() != "R-1 is violated in a step of the setup: counted with that violation" ||
		excerpt.Barring(doc, "R-1") != 1 || excerpt.Barring(doc, "R-2") != 0 {
		t.Errorf("%+v", barred)
	}
	for want, got := range map[string]string{
		"by 2 causes and 1 violation": excerpt.BlockedBy(causes, barred), "by 2 causes": excerpt.BlockedBy(causes, nil),
		"by 1 violation": excerpt.BlockedBy(nil, barred),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
