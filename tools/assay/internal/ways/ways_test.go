package ways_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/tools/assay/internal/ways"
)

var commands = ways.Commands{Program: "./assay", Certify: func(variables, flags string) string {
	return strings.TrimSpace(variables + " ./assay certify http://h --suite a,b,c,d " + flags)
}, Keyed: func(variables string) string {
	return variables + " ./assay certify http://h"
}, Ask: func(selection string) string { return "./assay certify http://h " + selection }}

func blocked(id, reason, unblock string) results.ScenarioResult {
	suite, _, _ := strings.Cut(id, "/")
	return results.ScenarioResult{ID: id, Suite: suite, Verdict: results.VerdictBlocked, Reason: reason, Unblock: unblock}
}

func TestOf(t *testing.T) {
	const load = "load the fixtures into the host (assay fixtures export DIR writes them) and list them under /fixtures"
	got := ways.Of(results.Results{
		Scenarios: []results.ScenarioResult{
			blocked("a/1", "no seam x", "name the prefix of the seams with --seam-prefix, or wire the seam"),
			blocked("a/2", "no loop", load),
			blocked("a/3", "no tenant", "give its key with --tenant-b-key or ASSAY_TENANT_B_KEY"),
			blocked("a/4", "no second worker", "give --second-host the fixtures, too: assay fixtures export DIR writes them"),
			blocked("b/1", "no approval", load),
			blocked("b/2", "no goals", "name the prefix of goals with --seam-prefix"),
			blocked("b/3", "no quorum", load),
			blocked("b/4", "HTTP 401", "give a key that may make runs with --key, ASSAY_KEY or --key-file"),
			blocked("b/5", "a header", "give the credentials with --key and --tenant-b-key in place of --header"),
			blocked("c/1", "too much", "advertise less"), blocked("c/2", "too much", "advertise less"), blocked("d/1", "too much", "advertise less"),
			blocked("d/2", "too much", "advertise less"), blocked("d/3", "violated", "keep R-1"), {ID: "e/1", Verdict: results.VerdictPassed},
		},
		Violations: []results.Violation{{Requirement: "R-1", By: results.ViolationBySetUp, Scenario: "d/3"}},
	}, commands)
	want := []ways.Way{
		{Do: "advertise less", Command: "./assay certify http://h --suite c,d", Reasons: []string{"too much"},
			Scenarios: []string{"c/1", "c/2", "d/1", "d/2"}},
		{Do: "load the fixtures that this writes into the host, and list them", Command: "./assay fixtures export assay-fixtures",
			Reasons: []string{"no loop", "no approval", "no quorum"}, Scenarios: []string{"a/2", "b/1", "b/3"}},
		{Do: "name the path below which the seams of the host live, or wire them (docs/seams.md)",
			Command: `./assay certify http://h --suite a,b,c,d --seam-prefix "${ASSAY_SEAM_PREFIX:?path of the seams, like /v1/host/acme}"`,
			Reasons: []string{"no seam x", "no goals"}, Scenarios: []string{"a/1", "b/2"}},
		{Do: "give the key of another tenant",
			Command: `ASSAY_TENANT_B_KEY="${ASSAY_TENANT_B_KEY:?the key of another tenant}" ./assay certify http://h --suite a,b,c,d`,
			Reasons: []string{"no tenant"}, Scenarios: []string{"a/3"}},
		{Do: "give a key that may do what is asked",
			Command: `ASSAY_KEY="${ASSAY_KEY:?a key of the target that may do what is asked}" ./assay certify http://h`,
			Reasons: []string{"HTTP 401"}, Scenarios: []string{"b/4"}},
		{Do: "give --second-host the fixtures, too: assay fixtures export DIR writes them",
			Command: "./assay certify http://h --scenario a/4", Reasons: []string{"no second worker"}, Scenarios: []string{"a/4"}},
		{Do: "give the credentials with --key and --tenant-b-key in place of --header",
			Command: "./assay certify http://h --scenario b/5", Reasons: []string{"a header"}, Scenarios: []string{"b/5"}},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(ways.Way{})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestOfNothing(t *testing.T) {
	passed := results.Results{Scenarios: []results.ScenarioResult{{ID: "a/1", Verdict: results.VerdictPassed}}}
	if got := ways.Of(passed, commands); len(got) > 0 {
		t.Errorf("%+v", got)
	}
}
