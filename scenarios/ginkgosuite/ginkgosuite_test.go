package ginkgosuite_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/extensions/globals"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/ginkgosuite"
	"github.com/openassay/assay/scenarios/wire"
)

var (
	always   = scenarios.Claim{ID: "always", Look: func(d scenarios.Discovery) (wire.Value, bool) { return d.Document, true }}
	protocol = &scenarios.Protocol{ID: "toy/v1", DiscoveryPath: "/", Claims: []scenarios.Claim{always},
		Ledger: scenarios.NewLedger([]scenarios.Requirement{{ID: "TOY-1", Level: scenarios.Must, Source: "TOY", Claim: "always"}})}
)

func toySuite() scenarios.Suite {
	scenario := func(name string, judge func(scenarios.Discovery, *scenarios.Judge)) scenarios.Scenario {
		return scenarios.Scenario{ID: scenarios.ScenarioID("toy/s/" + name), Title: name, Proves: []scenarios.RequirementID{"TOY-1"}, Claim: always, Ask: scenarios.Advertised(judge)}
	}
	return scenarios.Suite{ID: "s", Protocol: protocol, Scenarios: []scenarios.Scenario{
		scenario("holds", func(d scenarios.Discovery, j *scenarios.Judge) {
			j.Check("TOY-1", d.Document.Key("n")).To(check.Equal(1))
		}),
		scenario("is violated", func(d scenarios.Discovery, j *scenarios.Judge) {
			j.Check("TOY-1", d.Document.Key("n")).To(check.Equal(2))
		}),
		scenario("is blocked", func(_ scenarios.Discovery, j *scenarios.Judge) { j.Block("no way to look", "open a window") }),
	}}
}

func toyHost(t *testing.T) wire.Target {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"n":1}`) }))
	t.Cleanup(server.Close)
	return wire.Target{URL: server.URL}
}

func TestShow(t *testing.T) {
	for round := range 2 { // Ginkgo's tree is package-wide: a second certification must not meet the first
		c, err := scenarios.Certify(t.Context(), toyHost(t), scenarios.Options{}, toySuite())
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		report := ginkgosuite.Show(c, &out)
		c.Finish(context.Background())
		specs := report.SpecReports.WithLeafNodeType(types.NodeTypeIt)
		if len(specs) != 3 {
			t.Fatalf("round %d: %d specs", round, len(specs))
		}
		for i, want := range []struct {
			state types.SpecState
			says  string
		}{{types.SpecStatePassed, ""}, {types.SpecStateFailed, "TOY-1: expected 2, got 1"}, {types.SpecStateSkipped, "blocked: no way to look"}} {
			s := specs[i]
			if s.State != want.state || !strings.Contains(s.FailureMessage(), want.says) {
				t.Errorf("%s: %s %q, want %s %q", s.LeafNodeText, s.State, s.FailureMessage(), want.state, want.says)
			}
			if !slices.Contains(s.Labels(), "suite:s") || !slices.Contains(s.Labels(), "level:MUST") || !slices.Contains(s.Labels(), "source:TOY") {
				t.Errorf("labels: %v", s.Labels())
			}
			if !slices.ContainsFunc(s.ReportEntries, func(e types.ReportEntry) bool { return e.Name == ginkgosuite.EntryChecks }) {
				t.Errorf("%s has no entry of its checks", s.LeafNodeText)
			}
		}
		if !strings.Contains(out.String(), "FAIL TOY-1 expected 2, got 1") {
			t.Errorf("Ginkgo printed no check:\n%s", out.String())
		}
	}
}

// Only what is selected is put into the caller's tree.
func TestDescribeSelects(t *testing.T) {
	globals.Reset()
	defer globals.Reset()
	ginkgosuite.Describe(toyHost(t), scenarios.Options{Select: scenarios.Selection{Scenarios: []string{"s/holds"}}}, toySuite())
	var ran []string
	ginkgo.ReportAfterEach(func(r ginkgo.SpecReport) { ran = append(ran, r.LeafNodeText+" "+r.State.String()) })
	if !run() || !slices.Equal(ran, []string{"holds passed"}) {
		t.Errorf("ran %v", ran)
	}
}

// A selection that cannot be fails the tree and says why.
func TestDescribeTellsAWrongSelection(t *testing.T) {
	globals.Reset()
	defer globals.Reset()
	ginkgosuite.Describe(toyHost(t), scenarios.Options{Select: scenarios.Selection{Suites: []string{"t"}}}, toySuite())
	var said string
	ginkgo.ReportAfterEach(func(r ginkgo.SpecReport) { said += r.FailureMessage() })
	if run() || !strings.Contains(said, `unknown suite "t"`) {
		t.Errorf("said %q", said)
	}
}

func run() bool {
	suiteConfig, reporterConfig := ginkgo.GinkgoConfiguration()
	suiteConfig.RandomSeed = 1
	reporterConfig.NoColor, reporterConfig.Succinct = true, true
	return ginkgo.RunSpecs(fail(func() {}), "a host's own suite", suiteConfig, reporterConfig)
}

// A caller's own tree, as a host's maintainer would write it.
func TestDescribe(t *testing.T) {
	globals.Reset()
	defer globals.Reset()
	ginkgosuite.Describe(toyHost(t), scenarios.Options{}, toySuite())
	var states []string
	ginkgo.ReportAfterEach(func(r ginkgo.SpecReport) { states = append(states, r.State.String()) })
	if run() {
		t.Error("a violated scenario did not fail the caller's suite")
	}
	if !slices.Equal(states, []string{"passed", "failed", "skipped"}) {
		t.Errorf("states: %v", states)
	}
}

type fail func()

func (f fail) Fail() { f() }

func TestParseFilter(t *testing.T) {
	match, err := ginkgosuite.ParseFilter("suite:version5-shape && !level:SHOULD")
	if err != nil || !match([]string{"suite:version5-shape", "level:MUST"}) || match([]string{"suite:version5-shape", "level:SHOULD"}) {
		t.Error(err)
	}
	if _, err := ginkgosuite.ParseFilter("suite:("); err == nil || !strings.Contains(err.Error(), "label expressions") {
		t.Errorf("got %v", err)
	}
}
