package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios/check"
)

const (
	// mostText is how many bytes of one sentence are kept: a target may have chosen what is quoted in it.
	mostText = 2000
	// mostAlike is how many checks of one requirement that ended alike are kept, and how many findings: a target
	// chooses how long its lists are, and every element may be looked at.
	mostAlike = 256
)

// bound keeps an outcome from growing with what the target sent, and from quoting a secret: drives hold live ids, and a
// target may have named a run by a key. The verdict stands already.
func (o *Outcome) bound(clean func(string) string) {
	tell := func(text string) string { return told(text, clean) }
	o.Reason, o.Unblock = tell(o.Reason), tell(o.Unblock)
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
		o.Checks[i].Expected, o.Checks[i].Actual, o.Checks[i].Where.Pointer = tell(c.Expected), tell(c.Actual), tell(c.Where.Pointer)
	}
	o.Findings = boundFindings(o.Findings, clean)
	if f := o.Failure; f != nil {
		o.Failure = &Failure{f.Requirement, tell(f.Expected), tell(f.Actual)}
	}
}

func boundFindings(findings []Finding, clean func(string) string) []Finding {
	out := slices.Clone(findings[:min(len(findings), mostAlike)])
	for i, f := range out {
		out[i].Text = told(f.Text, clean)
	}
	if more := len(findings) - len(out); more > 0 {
		out = append(out, Finding{Text: fmt.Sprintf("and %d more", more)})
	}
	return out
}

// told is a text without secrets, and short. It is cut once before it is cleaned, where it is much too long, and what
// stands at that cut goes: half a secret is not found.
func told(text string, clean func(string) string) string {
	const margin = 8 * mostText
	if len(text) <= 2*margin {
		return clipped(clean(text))
	}
	cut := clean(text[:2*margin])
	return clipped(cut[:max(0, len(cut)-margin)] + "…")
}

// clipped is the start of a text that is too long to be told in full.
func clipped(text string) string {
	if len(text) <= mostText {
		return text
	}
	return strings.ToValidUTF8(text[:mostText], "") + "…"
}
