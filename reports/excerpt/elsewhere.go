package excerpt

import (
	"fmt"
	"slices"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
)

// AllThatWasRead is the suite that reports have for what was seen outside of the scenarios.
const AllThatWasRead = "all-that-was-read"

// Violated is a requirement that was seen violated where no scenario that names it looked: in a step of the setup of
// another, or by a rule for all that was read.
type Violated struct {
	Requirement string
	Places      []results.Violation
	Passed      string // a scenario that passed on it all the same; "" for none
	Known       bool   // all places are known, so it does not count for the exit code
}

// Elsewhere returns the requirements that were seen violated outside the scenarios that name them.
func Elsewhere(doc results.Results) []Violated {
	var out []Violated
	for _, v := range doc.Violations {
		if v.By == results.ViolationByScenario {
			continue
		}
		i := slices.IndexFunc(out, func(o Violated) bool { return o.Requirement == v.Requirement })
		if i < 0 {
			i = len(out)
			out = append(out, Violated{Requirement: v.Requirement, Passed: passed(doc, v.Requirement), Known: true})
		}
		out[i].Places, out[i].Known = append(out[i].Places, v), out[i].Known && v.Known != nil
	}
	return out
}

func passed(doc results.Results, requirement string) string {
	i := slices.IndexFunc(doc.Scenarios, func(s results.ScenarioResult) bool {
		return s.Verdict == results.VerdictPassed && slices.Contains(s.Requirements, requirement)
	})
	if i < 0 {
		return ""
	}
	return doc.Scenarios[i].ID
}

// Known counts known failures: failed scenarios, plus distinct signatures of violations seen elsewhere.
func Known(doc results.Results) (n int) {
	for _, s := range doc.Scenarios {
		if s.Known != nil {
			n++
		}
	}
	return n + len(KnownElsewhere(doc))
}

// KnownElsewhere returns the violations outside the scenarios that name them that are known, the first of each signature.
func KnownElsewhere(doc results.Results) []results.Violation {
	var out []results.Violation
	for _, v := range doc.Violations {
		if v.Known == nil || v.Signature == nil {
			continue
		}
		if !slices.ContainsFunc(out, func(o results.Violation) bool { return *o.Signature == *v.Signature }) {
			out = append(out, v)
		}
	}
	return out
}

// Part says how much of the questions a partial run asked. Results of format 1 do not say how many there are.
func Part(p results.Partial) string {
	if p.Of == 0 {
		return textsafe.Count(int(p.Asked), "scenario") + " of a selection"
	}
	return fmt.Sprintf("%d of %s were asked", p.Asked, textsafe.Count(int(p.Of), "scenario"))
}

// SeenBy says who saw a violation.
func SeenBy(v results.Violation) string {
	switch {
	case v.By == results.ViolationByRecording:
		return "a recording: a rule for all that the target does for others"
	case v.By == results.ViolationByRepetition && v.Scenario == "":
		return "a rule for all that is read, when a part was asked again"
	case v.By == results.ViolationByRepetition:
		return v.Scenario + ", when it was asked again"
	case v.Scenario == "":
		return "a rule for all that is read"
	case v.By == results.ViolationByScenario:
		return v.Scenario
	}
	return "a step of the setup of " + v.Scenario
}

// PlaceOf returns where a violation stands, as [Place] does for a check.
func PlaceOf(v results.Violation) string {
	return Place(results.Check{Exchange: v.Exchange, Pointer: v.Pointer, Part: v.Part})
}
