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
// Describe may stand. Only what o selects is added; a selection that cannot be
// is reported when the tree runs. The target is first talked to when the first
// scenario runs; what was made on it is undone after the last.
func Describe(target wire.Target, o scenarios.Options, suites ...scenarios.Suite) bool {
	picked, wrong := o.Select.Pick(suites...)
	start := sync.OnceValues(func() (*scenarios.Certification, error) {
		if wrong != nil {
			return nil, wrong
		}
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
		describe(picked, func() *scenarios.Certification { c, _ := start(); return c })
		if wrong != nil {
			ginkgo.It("selects scenarios", func() {}) // so that BeforeAll runs and says what is wrong
		}
	})
}

// describe makes one container a suite and one It a scenario.
func describe(picked []scenarios.Selected, certification func() *scenarios.Certification) {
	for rest := picked; len(rest) > 0; {
		suite, n := rest[0].Suite, 0
		for n < len(rest) && rest[n].Suite.ID == suite.ID {
			n++
		}
		chosen := rest[:n]
		rest = rest[n:]
		ginkgo.Describe(suite.ID, func() {
			for _, s := range chosen {
				ginkgo.It(s.Scenario.Title, ginkgo.Label(s.Labels...), func(ctx ginkgo.SpecContext) {
					c := certification()
					defer context.AfterFunc(ctx, c.Interrupt)()
					report(c.Outcome(s.Scenario.ID), c.Transcript(s.Scenario.ID))
				})
			}
		})
	}
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
