package scenarios

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios/check"
)

// Signature returns 12 hex digits that are the same for the same failure in different runs. They are made from the
// scenario, the requirement, and the expected and the actual text without what differs from run to run: ids, secrets,
// addresses, times, and numbers except single digits and possible HTTP statuses.
func Signature(id ScenarioID, violated check.Result) string {
	parts := []string{string(id), violated.Requirement, lasting(violated.Expected), lasting(violated.Actual)}
	encoded, err := json.Marshal(parts)
	if err != nil { // strings always encode
		return ""
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:6])
}

// Failures returns the first failed check of each MUST that o violates, none if o did not fail.
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

// mostLasting is the number of bytes of a text that go into a signature. Long texts are clipped later than that, at a
// place that depends on the length of their ids.
const mostLasting = 160

// passing lists what differs from run to run. The order matters: a time is not an id, and an address holds a number.
var passing = []struct {
	found *lazyregexp.Regexp
	as    string
}{
	{lazyregexp.New(`[A-Za-z0-9_-]*…$`), ""},
	{lazyregexp.New(`<secret:\d+>`), "<secret>"},
	{lazyregexp.New(`\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)?)?`), "<time>"},
	{lazyregexp.New(`#\d+( /[^\s,;:]*)?`), "<place>"}, // an exchange, and a place in it
	{lazyregexp.New(`[a-z]+://[^\s/"'<>]+`), "<origin>"},
	{lazyregexp.New(`\b(\d+(\.\d+)?\s?(ns|µs|us|ms|s|m|h))+\b`), "<duration>"},
	{lazyregexp.New(`\b\d+\.\d{3,}\b`), "<n>"},
}

var (
	counted = lazyregexp.New(`[A-Za-z]+ \d+\b`) // turn 2
	word    = lazyregexp.New(`[A-Za-z0-9_-]+`)

	camelCase = lazyregexp.New(`^[A-Za-z][a-z]*([A-Z][a-z]+)+$`)

	// The length of a list of ids or numbers is random.
	ids     = lazyregexp.New(`<id>([\s",;]+<id>)+`)
	numbers = lazyregexp.New(`<n>([\s",;]+<n>)+`)
)

// lasting returns a text with everything replaced that another run would have differently.
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

// lastingWord keeps words, single digits and possible HTTP statuses. Longer numbers may be random. So may words
// of 8 letters or more with a digit, and parts of 20 or more that are not camelCase: 1 in 200 of our run ids has no digit.
func lastingWord(w string) string {
	switch digits := strings.Trim(w, "0123456789") == ""; {
	case digits && len(w) == 1, digits && len(w) == 3 && w[0] >= '1' && w[0] <= '5':
		return w
	case digits:
		return "<n>"
	case len(w) >= 8 && strings.ContainsAny(w, "0123456789"):
		return "<id>"
	}
	for part := range strings.FieldsFuncSeq(w, func(r rune) bool { return r == '-' || r == '_' }) {
		if len(part) >= 20 && !camelCase.MatchString(part) {
			return "<id>"
		}
	}
	return w
}
