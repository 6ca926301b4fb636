package ginkgosuite_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2/types"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/ginkgosuite"
	"github.com/openassay/assay/scenarios/openwop"
	simhost "github.com/openassay/assay/simhost/openwop/faulty"
)

// The tree of a host's maker, built and run as they would, against a host on a socket, selected by label: its JSON report says
// of each scenario that ran which requirements it is about, with what evidence, and which exchange shows it.
func TestVendorsTree(t *testing.T) {
	program := filepath.Join(t.TempDir(), "host.test")
	build := exec.Command("go", "test", "-c", "-buildvcs=false", "-o", program, "./testdata/vendor")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the tree: %v\n%s", err, out)
	}
	const ownSpec = "claims version 5 of the execution model"
	const filter = "protocol:openwop.v1 && suite:iteration-monotonic && requirement:OWP-0061-B2 || own"

	t.Run("honest", func(t *testing.T) {
		report, passed := runVendor(t, program, filter, simhost.Options{})
		if !passed {
			t.Error("it failed")
		}
		names := namesOf(ran(report))
		if want := append(selected(t, filter), ownSpec); !slices.Equal(names, slices.Sorted(slices.Values(want))) {
			t.Errorf("ran %q\nwant %q", names, want)
		}
		evidence := map[string]scenarios.Evidence{
			"one-per-turn": scenarios.Observed, "nothing-shared": scenarios.Observed, "seam-agrees-with-log": scenarios.Observed,
			"seam-random-turns": scenarios.Attested,
		}
		for _, s := range ran(report) {
			if s.State != types.SpecStatePassed {
				t.Errorf("%s: %s %s", s.LeafNodeText, s.State, s.FailureMessage())
			}
			if s.LeafNodeText != ownSpec {
				name, _, _ := strings.Cut(strings.TrimPrefix(s.LeafNodeText, "openwop/iteration-monotonic/"), ":")
				checkEntries(t, s, scenarios.Passed, evidence[name])
			}
		}
	})
	t.Run("one requirement is broken", func(t *testing.T) {
		report, passed := runVendor(t, program, "scenario:openwop.iteration-monotonic.one-per-turn", simhost.Options{
			Faults: []string{"loop.last-turn-uncounted"},
		})
		specs := ran(report)
		if passed || len(specs) != 1 || specs[0].State != types.SpecStateFailed {
			t.Fatalf("passed: %v, ran %q", passed, namesOf(specs))
		}
		checkEntries(t, specs[0], scenarios.Failed, scenarios.Observed)
		if !strings.HasPrefix(specs[0].FailureMessage(), "failed: OWP-0061-B1: expected ") {
			t.Errorf("it says %q", specs[0].FailureMessage())
		}
	})
}

// runVendor runs a vendor's tree against a host, and returns Ginkgo's JSON report and whether the program ended well.
func runVendor(t *testing.T, program, filter string, o simhost.Options) (report types.Report, passed bool) {
	t.Helper()
	o.Key = "the-vendors-key"
	host, err := simhost.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(host.Handler())
	t.Cleanup(func() {
		server.Close()
		_ = host.Close(context.Background())
	})
	written := filepath.Join(t.TempDir(), "report.json")
	run := exec.CommandContext(t.Context(), program, "--ginkgo.label-filter="+filter, "--ginkgo.json-report="+written)
	run.Dir = filepath.Dir(program)
	run.Env = append(os.Environ(), "HOST_URL="+server.URL, "HOST_KEY="+o.Key)
	out, err := run.CombinedOutput()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatalf("running the tree: %v", err)
	}
	content, readErr := os.ReadFile(written)
	if readErr != nil {
		t.Fatalf("%v: the tree said\n%s", readErr, out)
	}
	if strings.Contains(string(content), o.Key) {
		t.Error("the key stands in the report")
	}
	var reports []types.Report
	if err := json.Unmarshal(content, &reports); err != nil || len(reports) != 1 {
		t.Fatalf("%d reports: %v", len(reports), err)
	}
	return reports[0], err == nil
}

// ran are the specs that no filter left out, by name: Ginkgo shuffles what stands at the top of a tree.
func ran(report types.Report) (specs types.SpecReports) {
	for _, s := range report.SpecReports.WithLeafNodeType(types.NodeTypeIt) {
		if s.State != types.SpecStateSkipped || s.FailureMessage() != "" {
			specs = append(specs, s)
		}
	}
	slices.SortFunc(specs, func(a, b types.SpecReport) int { return strings.Compare(a.LeafNodeText, b.LeafNodeText) })
	return specs
}

func namesOf(specs types.SpecReports) (names []string) {
	for _, s := range specs {
		names = append(names, s.LeafNodeText)
	}
	return names
}

// selected are the names of the scenarios that a label filter selects.
func selected(t *testing.T, filter string) (names []string) {
	t.Helper()
	match, err := ginkgosuite.ParseFilter(filter)
	if err != nil {
		t.Fatal(err)
	}
	picked, err := scenarios.Selection{Match: match}.Pick(openwop.Suites()...)
	if err != nil {
		t.Fatalf("%s: %v", filter, err)
	}
	for _, s := range picked {
		names = append(names, string(s.Scenario.ID)+": "+s.Scenario.Title)
	}
	return names
}

// checkEntries holds the entries of a spec of a scenario against each other and against its name and labels.
func checkEntries(t *testing.T, s types.SpecReport, want scenarios.Verdict, evidence scenarios.Evidence) {
	t.Helper()
	var verdict ginkgosuite.Verdict
	var checks ginkgosuite.Checks
	var exchanges ginkgosuite.Exchanges
	entries := map[string]any{
		ginkgosuite.EntryVerdict: &verdict, ginkgosuite.EntryChecks: &checks, ginkgosuite.EntryExchanges: &exchanges,
	}
	for _, e := range s.ReportEntries {
		if into := entries[e.Name]; into != nil {
			if err := json.Unmarshal([]byte(e.Value.AsJSON), into); err != nil {
				t.Errorf("%s: entry %s: %v", s.LeafNodeText, e.Name, err)
			}
		}
	}
	id, _, _ := strings.Cut(s.LeafNodeText, ": ")
	if string(verdict.Scenario) != id || verdict.Verdict != want || verdict.Evidence != evidence {
		t.Errorf("%s: verdict %+v", s.LeafNodeText, verdict)
	}
	labels := []string{"protocol:openwop.v1", "suite:" + verdict.Suite, "scenario:" + strings.ReplaceAll(string(verdict.Scenario), "/", ".")}
	for _, id := range verdict.Requirements {
		labels = append(labels, "requirement:"+string(id))
	}
	for _, l := range labels {
		if !slices.Contains(s.Labels(), l) {
			t.Errorf("%s: the label %s is not among %v", s.LeafNodeText, l, s.Labels())
		}
	}
	if len(checks) == 0 || !slices.Contains(verdict.Requirements, requirement.OWP0061B2) {
		t.Errorf("%s: %d checks, requirements %v", s.LeafNodeText, len(checks), verdict.Requirements)
	}
	for _, c := range checks {
		shown := slices.ContainsFunc(exchanges, func(x ginkgosuite.Exchange) bool {
			return x.Number == c.Where.Exchange && x.Request != nil && (x.Response != nil || len(x.Chunks) > 0)
		})
		if !slices.Contains(verdict.Requirements, scenarios.RequirementID(c.Requirement)) || !shown {
			t.Errorf("%s: check %+v: its exchange is shown: %v", s.LeafNodeText, c, shown)
		}
	}
	if failed := slices.ContainsFunc(checks, func(c ginkgosuite.Check) bool { return !c.OK }); failed != (want == scenarios.Failed) {
		t.Errorf("%s is %s, and a check failed: %v", s.LeafNodeText, want, failed)
	}
}
