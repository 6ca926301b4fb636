package scenarios

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios/check"
)

// Signature names one failure of a scenario so that another run of it can be told from a different failure: 12 hex digits
// over the scenario, the requirement, what was expected and what came. Both are taken without what differs from run to run:
// ids, secrets, addresses, times, and numbers but for digits and what may be an HTTP status.
func Signature(id ScenarioID, violated check.Result) string {
	encoded, err := json.Marshal([]string{string(id), violated.Requirement, lasting(violated.Expected), lasting(violated.Actual)})
	if err != nil { // strings always encode
		return ""
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:6])
}

// Failures are the first check of each requirement that o violates. What is not met of a SHOULD is a finding, and not among
// them. None where o did not fail.
func (o Outcome) Failures(l *Ledger) []check.Result {
	var out []check.Result
	if o.Verdict != Failed {
		return nil
	}
	seen := map[string]bool{}
	for _, c := range o.Checks {
		r, known := l.Find(RequirementID(c.Requirement))
		if c.OK || seen[c.Requirement] || known && r.Level != Must {
			continue
		}
		seen[c.Requirement] = true
		out = append(out, c)
	}
	return out
}

// mostLasting is how many bytes of a text go into a signature. Long texts are cut somewhere behind that, and where they are
// cut depends on how long their ids are.
const mostLasting = 160

// What differs from run to run. The order matters: a time is no id, and an address holds a number.
var passing = []struct {
	found *lazyregexp.Regexp
	as    string
}{
	{lazyregexp.New(`[A-Za-z0-9_-]*…$`), ""},
	{lazyregexp.New(`<secret:\d+>`), "<secret>"},
	{lazyregexp.New(`\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)?)?`), "<time>"},
	{lazyregexp.New(`[a-z]+://[^\s/"'<>]+`), "<origin>"},
	{lazyregexp.New(`\b(\d+(\.\d+)?\s?(ns|µs|us|ms|s|m|h))+\b`), "<duration>"},
	{lazyregexp.New(`\b\d+\.\d{3,}\b`), "<n>"},
}

var (
	counted = lazyregexp.New(`[A-Za-z]+ \d+\b`) // turn 2
	word    = lazyregexp.New(`[A-Za-z0-9_-]+`)
	// A list of such is as long as it is by chance.
	ids     = lazyregexp.New(`<id>([\s",;]+<id>)+`)
	numbers = lazyregexp.New(`<n>([\s",;]+<n>)+`)
)

// lasting is the part of a text that another run would have as well.
func lasting(text string) string {
	for _, p := range passing {
		text = p.found.ReplaceAllString(text, p.as)
	}
	text = counted.ReplaceAllStringFunc(text, func(w string) string {
		what, _, _ := strings.Cut(w, " ")
		if what == "HTTP" || what == "status" {
			return w
		}
		return what + " <n>"
	})
	text = word.ReplaceAllStringFunc(text, lastingWord)
	text = numbers.ReplaceAllString(ids.ReplaceAllString(text, "<id>"), "<n>")
	if len(text) > mostLasting {
		text = strings.ToValidUTF8(text[:mostLasting], "")
	}
	return text
}

// lastingWord keeps words, digits and what may be an HTTP status. A longer number may be drawn by chance, as may a long word
// that has digits.
func lastingWord(w string) string {
	switch digits := strings.Trim(w, "0123456789") == ""; {
	case digits && len(w) == 1, digits && len(w) == 3 && w[0] >= '1' && w[0] <= '5':
		return w
	case digits:
		return "<n>"
	case len(w) >= 8 && strings.ContainsAny(w, "0123456789"):
		return "<id>"
	}
	return w
}
