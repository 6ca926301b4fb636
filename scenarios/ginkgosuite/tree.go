package ginkgosuite

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/onsi/ginkgo/v2"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Names of the report entries that every It carries.
const (
	EntryChecks     = "checks"
	EntryTranscript = "transcript"
	EntryFindings   = "findings"
)

// Describe adds suites to the Ginkgo tree that is being built: call it where a
// Describe may stand. The target is first talked to when the first scenario
// runs; what was made on it is undone after the last.
func Describe(target wire.Target, o scenarios.Options, suites ...scenarios.Suite) bool {
	start := sync.OnceValues(func() (*scenarios.Certification, error) {
		return scenarios.Certify(context.Background(), target, o, suites...)
	})
	// Ordered keeps the suites in one process of a parallel run: the target is
	// certified once.
	return ginkgo.Describe("OpenAssay", ginkgo.Ordered, ginkgo.ContinueOnFailure, func() {
		ginkgo.BeforeAll(func() {
			if _, err := start(); err != nil {
				ginkgo.Fail(fmt.Sprintf("certifying %s: %v", target.URL, err))
			}
		})
		ginkgo.AfterAll(func() {
			if c, err := start(); err == nil {
				if left := c.Finish(context.Background()).Leftovers; len(left) > 0 {
					ginkgo.AddReportEntry("leftovers", strings.Join(left, "\n"))
				}
			}
		})
		for _, suite := range suites {
			describe(suite, suite.Scenarios, func(id scenarios.ScenarioID) (scenarios.Outcome, *wire.Transcript) {
				c, err := start()
				if err != nil {
					return scenarios.Outcome{Verdict: scenarios.Inconclusive, Reason: err.Error()}, nil
				}
				return c.Outcome(id), c.Transcript(id)
			})
		}
	})
}

// ask yields a scenario's outcome, once it is known, and what its drive saw.
type ask func(scenarios.ScenarioID) (scenarios.Outcome, *wire.Transcript)

func describe(suite scenarios.Suite, chosen []scenarios.Scenario, outcome ask) {
	ginkgo.Describe(suite.ID, func() {
		for _, s := range chosen {
			ginkgo.It(s.Title, ginkgo.Label(s.Labels(suite)...), func() {
				out, transcript := outcome(s.ID)
				report(out, transcript)
			})
		}
	})
}

// report attaches what was seen and ends the It as the outcome says.
func report(out scenarios.Outcome, transcript *wire.Transcript) {
	ginkgo.AddReportEntry(EntryChecks, checks(out.Checks), ginkgo.ReportEntryVisibilityFailureOrVerbose)
	if transcript != nil {
		ginkgo.AddReportEntry(EntryTranscript, transcript, ginkgo.ReportEntryVisibilityNever)
	}
	if len(out.Findings) > 0 {
		ginkgo.AddReportEntry(EntryFindings, out.Findings, ginkgo.ReportEntryVisibilityFailureOrVerbose)
	}
	switch out.Verdict {
	case scenarios.Passed:
	case scenarios.Failed, scenarios.Broken:
		ginkgo.Fail(string(out.Verdict) + ": " + out.Reason)
	default:
		ginkgo.Skip(string(out.Verdict) + ": " + out.Reason)
	}
}

// checks are a scenario's expectations, with the text Ginkgo prints of them.
type checks []check.Result

func (c checks) String() string {
	var b strings.Builder
	for _, r := range c {
		mark := "ok  "
		if !r.OK {
			mark = "FAIL"
		}
		fmt.Fprintf(&b, "%s %s expected %s, got %s at %s\n", mark, r.Requirement, r.Expected, r.Actual, r.Where)
	}
	return b.String()
}
