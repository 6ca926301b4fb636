package ginkgosuite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Names of the report entries of an It. Their values are of the types beside
// them, in a report of Ginkgo's as JSON.
const (
	EntryVerdict   = "verdict"   // Verdict
	EntryChecks    = "checks"    // Checks
	EntryExchanges = "exchanges" // Exchanges, unless no check cites one
	EntryFindings  = "findings"  // []scenarios.Finding, unless empty
)

// Verdict is how a scenario ended, and which requirements that is about.
type Verdict struct {
	Protocol     string                    `json:"protocol"`
	Suite        string                    `json:"suite"`
	Scenario     scenarios.ScenarioID      `json:"scenario"`
	Requirements []scenarios.RequirementID `json:"requirements"`
	Claim        string                    `json:"claim"`
	Level        string                    `json:"level"`
	Verdict      scenarios.Verdict         `json:"verdict"`
	Evidence     scenarios.Evidence        `json:"evidence"` // "" where nothing was seen
	Reason       string                    `json:"reason,omitempty"`
	Unblock      string                    `json:"unblock,omitempty"`
	Drive        string                    `json:"drive,omitempty"` // whose exchanges the checks cite
}

// String is the verdict as Ginkgo prints it.
func (v Verdict) String() string {
	words := []string{string(v.Verdict)}
	if v.Evidence != scenarios.Unseen {
		words = append(words, v.Evidence.String())
	}
	for _, id := range v.Requirements {
		words = append(words, string(id))
	}
	return strings.Join(words, " ")
}

// Checks are the expectations of a scenario, each with its requirement and the
// exchange and JSON pointer where the value stood.
type Checks []Check

// Check is one expectation.
type Check = check.Result

// String is the checks as Ginkgo prints them.
func (c Checks) String() string {
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

// Exchanges are what the checks of a scenario cite of its drive's transcript,
// without secrets.
type Exchanges []Exchange

// Exchange is one entry of a transcript with its number.
type Exchange struct {
	Number int `json:"exchange"`
	wire.Entry
}

// cited are the exchanges that checks look at, in order.
func cited(checks []check.Result, transcript *wire.Transcript) Exchanges {
	var numbers []int
	for _, c := range checks {
		numbers = append(numbers, c.Where.Exchange)
	}
	slices.Sort(numbers)
	var out Exchanges
	for _, n := range slices.Compact(numbers) {
		if e := transcript.Entry(n); e != nil { // a check of what is nowhere cites none
			out = append(out, Exchange{n, *e})
		}
	}
	return out
}

// report attaches what was seen and ends the It as the outcome says.
func report(s scenarios.Selected, out scenarios.Outcome, transcript *wire.Transcript, unproved func(text string)) {
	ginkgo.AddReportEntry(EntryVerdict, Verdict{
		Protocol: s.Suite.Protocol.ID, Suite: s.Suite.ID, Scenario: s.Scenario.ID, Requirements: s.Scenario.Proves,
		Claim: s.Scenario.Claim.ID, Level: out.Level, Verdict: out.Verdict, Evidence: out.Evidence,
		Reason: out.Reason, Unblock: out.Unblock, Drive: out.Drive,
	}, ginkgo.ReportEntryVisibilityFailureOrVerbose)
	ginkgo.AddReportEntry(EntryChecks, Checks(out.Checks), ginkgo.ReportEntryVisibilityFailureOrVerbose)
	if transcript != nil {
		if exchanges := cited(out.Checks, transcript); len(exchanges) > 0 {
			ginkgo.AddReportEntry(EntryExchanges, exchanges, ginkgo.ReportEntryVisibilityNever)
		}
	}
	if len(out.Findings) > 0 {
		ginkgo.AddReportEntry(EntryFindings, out.Findings, ginkgo.ReportEntryVisibilityFailureOrVerbose)
	}
	text := string(out.Verdict) + ": " + out.Reason
	switch {
	case out.Verdict == scenarios.Passed:
	case out.Verdict == scenarios.Inapplicable:
		ginkgo.Skip(text)
	case out.Unproved():
		unproved(text)
	default:
		ginkgo.Fail(text)
	}
}
