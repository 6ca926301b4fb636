package reports

import (
	"math"
	"strings"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports/excerpt"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

func repetition(a scenarios.Repetition) results.Repetition {
	out := results.Repetition{
		At: seconds(a.At.Seconds()), StartedAt: a.Started, Seconds: seconds(a.Seconds), Seed: a.Seed, Run: a.RunID.ID,
		Salt: label(a.Salt), Stopped: a.Stopped, Fault: a.Fault,
		Asked: each(a.Asked, func(id scenarios.ScenarioID) string { return string(id) }),
	}
	out.Differences = each(a.Differences, func(d scenarios.Difference) results.OtherVerdict {
		return results.OtherVerdict{Scenario: string(d.Scenario), Before: results.Verdict(d.Before), Now: results.Verdict(d.Now),
			Reason: d.Reason}
	})
	return out
}

// Repetitions returns what a document says of the times at which a part was asked again. It has not what was sent then.
func Repetitions(doc results.Results) (out []scenarios.Repetition) {
	for n, a := range doc.Repetitions {
		again := scenarios.Repetition{
			At: time.Duration(math.Round(a.At * float64(time.Second))), Started: a.StartedAt, Seconds: a.Seconds, Seed: a.Seed,
			RunID: scenarios.RunID{ID: a.Run, Given: true}, Stopped: a.Stopped, Fault: a.Fault,
			Asked: each(a.Asked, func(id string) scenarios.ScenarioID { return scenarios.ScenarioID(id) }),
		}
		if a.Salt != nil {
			again.Salt = *a.Salt
		}
		for _, d := range a.Differences {
			again.Differences = append(again.Differences, scenarios.Difference{Scenario: scenarios.ScenarioID(d.Scenario),
				Before: scenarios.Verdict(d.Before), Now: scenarios.Verdict(d.Now), Reason: d.Reason})
		}
		for _, v := range doc.Violations {
			if v.By == results.ViolationByRepetition && strings.HasPrefix(v.Drive, scenarios.RepetitionDir(n+1)+"/") {
				again.Breaches = append(again.Breaches, breachOf(v))
			}
		}
		out = append(out, again)
	}
	return out
}

// breachOf returns a violation of a document as a breach.
func breachOf(v results.Violation) scenarios.Breach {
	return scenarios.Breach{Requirement: scenarios.RequirementID(v.Requirement), By: scenarios.BreachBy(v.By),
		Scenario: scenarios.ScenarioID(v.Scenario), Drive: v.Drive,
		Where: wire.Ref{Exchange: int(v.Exchange), Pointer: v.Pointer, Part: v.Part}, Expected: v.Expected, Actual: v.Actual}
}

// mostDifferences bounds the differences of a repetition that are shown.
const mostDifferences = 10

// repetitions shows what came out otherwise when it was asked again.
func (t *text) repetitions() {
	if len(t.doc.Repetitions) == 0 {
		return
	}
	color, summary := green, excerpt.Repetitions(t.doc)
	if excerpt.Different(t.doc) > 0 {
		color = red
	}
	t.heading(color, "ASKED AGAIN", summary)
	for n, a := range t.doc.Repetitions {
		t.line("  %s", excerpt.Repetition(n+1, a))
		for _, d := range a.Differences[:min(len(a.Differences), mostDifferences)] {
			t.line("    %s: %s, and then %s", d.Scenario, d.Before, d.Now)
			if d.Reason != "" {
				t.line("      %s", textsafe.Clip(d.Reason, mostReason))
			}
		}
		if more := len(a.Differences) - mostDifferences; more > 0 {
			t.line("    and %d more, see %s", more, ResultsName)
		}
	}
}
