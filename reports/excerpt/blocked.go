package excerpt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
)

// Barred are the scenarios that one violation in a step of their setup blocks. They are counted with that violation.
type Barred struct {
	Requirement string
	Scenarios   []results.ScenarioResult
}

// Line says what bars them.
func (b Barred) Line() string {
	return b.Requirement + " is violated in a step of the setup: counted with that violation"
}

// Blocked groups the blocked scenarios by cause, those that hold the most first, apart from those that a violation bars.
func Blocked(doc results.Results) (causes []*Cause, barred []Barred) {
	violated := map[string]string{} // scenario -> requirement
	for _, v := range doc.Violations {
		if v.By == results.ViolationBySetUp && v.Scenario != "" {
			violated[v.Scenario] = v.Requirement
		}
	}
	var rest []results.ScenarioResult
	for _, s := range doc.Scenarios {
		requirement, is := violated[s.ID]
		switch {
		case s.Verdict != results.VerdictBlocked:
		case !is:
			rest = append(rest, s)
		default:
			i := slices.IndexFunc(barred, func(b Barred) bool { return b.Requirement == requirement })
			if i < 0 {
				i, barred = len(barred), append(barred, Barred{Requirement: requirement})
			}
			barred[i].Scenarios = append(barred[i].Scenarios, s)
		}
	}
	causes = Causes(rest, results.VerdictBlocked, Remedy)
	slices.SortStableFunc(causes, func(a, b *Cause) int { return cmp.Compare(len(b.Scenarios), len(a.Scenarios)) })
	return causes, barred
}

// Barring returns how many scenarios a violation of the requirement bars.
func Barring(doc results.Results, requirement string) int {
	_, barred := Blocked(doc)
	for _, b := range barred {
		if b.Requirement == requirement {
			return len(b.Scenarios)
		}
	}
	return 0
}

// mostOfReason bounds the characters of a reason in a line that also has to say what helps.
const mostOfReason = 200

// Line says in a line why scenarios have no verdict, and what would help.
func (c *Cause) Line() string {
	line := c.Reasons[0]
	if runes := []rune(line); len(runes) > mostOfReason {
		line = string(runes[:mostOfReason-1]) + "…"
	}
	if more := len(c.Reasons) - 1; more > 0 {
		line += fmt.Sprintf(" (and %s like it)", textsafe.Count(more, "reason"))
	}
	if len(c.Remedies) > 0 {
		line += " -> " + c.Remedies[0]
	}
	return line
}

// BlockedBy sums up by what scenarios are blocked: "by 3 causes", "by 3 causes and 1 violation".
func BlockedBy(causes []*Cause, barred []Barred) string {
	var words []string
	if n := len(causes); n > 0 {
		words = append(words, textsafe.Count(n, "cause"))
	}
	if n := len(barred); n > 0 {
		words = append(words, textsafe.Count(n, "violation"))
	}
	return "by " + strings.Join(words, " and ")
}
