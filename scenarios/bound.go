package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios/check"
)

const (
	// mostText is the number of bytes kept of a text, which may quote the target.
	mostText = 2000
	// mostAlike is the number of findings kept, and of checks of one requirement with the same result. There may be one
	// for each element of a list, and the target chooses how long its lists are.
	mostAlike = 256
)

// bound limits the size of an outcome, whatever the target sent, and removes secrets from its texts: a target may have
// named a run by a key. The verdict stays.
func (o *Outcome) bound(clean func(string) string) {
	tidy := func(text string) string { return cleaned(text, clean) }
	o.Reason, o.Unblock = tidy(o.Reason), tidy(o.Unblock)
	type kind struct {
		requirement string
		ok          bool
	}
	alike := map[kind]int{}
	o.Checks = slices.DeleteFunc(slices.Clone(o.Checks), func(c check.Result) bool {
		k := kind{c.Requirement, c.OK}
		alike[k]++
		return alike[k] > mostAlike
	})
	for i, c := range o.Checks {
		o.Checks[i].Expected, o.Checks[i].Actual = tidy(c.Expected), tidy(c.Actual)
		o.Checks[i].Where.Pointer = tidy(c.Where.Pointer)
	}
	o.Findings = boundFindings(o.Findings, clean)
	if f := o.Failure; f != nil {
		o.Failure = &Failure{f.Requirement, tidy(f.Expected), tidy(f.Actual)}
	}
}

func boundFindings(findings []Finding, clean func(string) string) []Finding {
	out := slices.Clone(findings[:min(len(findings), mostAlike)])
	for i, f := range out {
		out[i].Text = cleaned(f.Text, clean)
	}
	if more := len(findings) - len(out); more > 0 {
		out = append(out, Finding{Text: fmt.Sprintf("and %d more", more)})
	}
	return out
}

// cleaned returns a text without secrets, clipped. A text that is much too long is cut before it is cleaned. Since half
// a secret at that cut would not be found, the end of the rest goes too.
func cleaned(text string, clean func(string) string) string {
	const margin = 8 * mostText
	if len(text) <= 2*margin {
		return clipped(clean(text))
	}
	cut := clean(text[:2*margin])
	return clipped(cut[:max(0, len(cut)-margin)] + "…")
}

// clipped returns at most mostText bytes of a text.
func clipped(text string) string {
	if len(text) <= mostText {
		return text
	}
	return strings.ToValidUTF8(text[:mostText], "") + "…"
}
