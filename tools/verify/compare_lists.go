package verify

import (
	"fmt"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports/excerpt"
)

// target compares the descriptions of the target.
func (v *run) target(got, want results.Target) {
	if got.DiscoveryDigest != want.DiscoveryDigest {
		v.tell("report", "results.json gives the discovery document the digest %s, and the one in the transcript of discovery has %s",
			short(got.DiscoveryDigest), short(want.DiscoveryDigest))
		return
	}
	if member := differingMember(got, want); member != "" {
		v.tell("report", "results.json gives another %s of the target than the transcripts", member)
	}
}

// lists compares the results of requirements, claims and profiles, and the other lists outside the scenarios.
func (v *run) lists(got, want results.Results) {
	compareLists(v, "requirement", got.Requirements, want.Requirements,
		func(r results.RequirementResult) string { return r.ID },
		func(r results.RequirementResult) string {
			if r.Evidence == "" {
				return string(r.Verdict)
			}
			return fmt.Sprintf("%s, %s", r.Verdict, r.Evidence)
		})
	compareLists(v, "claim", got.Claims, want.Claims,
		func(c results.Claim) string { return c.ID },
		func(c results.Claim) string { return string(c.Status) })
	compareLists(v, "profile", got.Profiles, want.Profiles,
		func(p results.ProfileResult) string { return p.ID },
		func(p results.ProfileResult) string {
			return strings.TrimSuffix(fmt.Sprintf("%s, %d of %d requirements proved, %s", p.Status, p.Proved, p.Required, excerpt.LeftOut(p)), ", ")
		})
	compareLists(v, "violation", got.Violations, want.Violations,
		func(x results.Violation) string {
			return fmt.Sprintf("of %s by %s at exchange %d of %s %s", x.Requirement, excerpt.SeenBy(x), x.Exchange, x.Drive, x.Pointer)
		},
		func(x results.Violation) string { return x.Actual })
	if !equalJSON(got.Partial, want.Partial) {
		v.tell("report", "results.json says %s, and of the questions %s", partOf(got.Partial), partOf(want.Partial))
	}
	compareLists(v, "finding about the discovery document", got.Findings, want.Findings,
		func(f results.Finding) string { return f.Text },
		func(results.Finding) string { return "that" })
	compareLists(v, "sighting of what is not claimed", got.NotClaimed, want.NotClaimed,
		func(s results.Sighting) string { return s.What },
		func(s results.Sighting) string { return fmt.Sprintf("%d replies that show it", s.Replies) })
}

// sensitivity compares which passes were shown able to fail.
func (v *run) sensitivity(got, want results.Results) {
	if got.Sensitivity == nil {
		return
	}
	if want.Sensitivity == nil {
		v.tell("challenge", "results.json says %s, and the passes of a part are never challenged", excerpt.Sensitivity(got.Sensitivity))
		return
	}
	if said, is := excerpt.Sensitivity(got.Sensitivity), excerpt.Sensitivity(want.Sensitivity); said != is {
		v.tell("challenge", "results.json says %s, and changes drawn from its seed give %s", said, is)
	}
	id := func(p results.InsensitivePass) string { return p.Requirement + " of " + p.Scenario }
	said := map[string]results.InsensitivePass{}
	for _, p := range got.Sensitivity.Insensitive {
		said[id(p)] = p
	}
	for _, p := range want.Sensitivity.Insensitive {
		g, there := said[id(p)]
		delete(said, id(p))
		switch {
		case !there:
			v.tell("challenge", "results.json says that the pass %s was shown able to fail, and it was not: %s", clip(id(p)), p.Why)
		case !equalJSON(g, p):
			v.tell("challenge", "results.json gives the pass %s another %s than the changes", clip(id(p)), differingMember(g, p))
		}
	}
	for _, p := range got.Sensitivity.Insensitive {
		if _, more := said[id(p)]; more {
			v.tell("challenge", "results.json says that the pass %s was not shown able to fail, and it was", clip(id(p)))
		}
	}
}

func partOf(p *results.Partial) string {
	if p == nil {
		return "all were asked"
	}
	return excerpt.Part(*p)
}

// compareLists reports the differences between a list and the derived one.
func compareLists[T any](v *run, what string, got, want []T, id, status func(T) string) {
	said := map[string]T{}
	for _, g := range got {
		said[id(g)] = g
	}
	for _, w := range want {
		g, there := said[id(w)]
		delete(said, id(w))
		switch {
		case !there:
			v.tell("report", "results.json leaves out the %s %s, and the transcripts give %s", what, clip(id(w)), clip(status(w)))
		case status(g) != status(w):
			v.tell("report", "results.json says of the %s %s: %s; the transcripts give: %s", what, clip(id(w)), clip(status(g)), clip(status(w)))
		case !equalJSON(g, w):
			v.tell("report", "results.json gives the %s %s another %s than the transcripts", what, clip(id(w)), differingMember(g, w))
		}
	}
	for _, g := range got {
		if _, more := said[id(g)]; more {
			v.tell("report", "results.json has the %s %s, which does not follow from the transcripts", what, clip(id(g)))
		}
	}
}

// totals compares the number of scenarios per verdict.
func (v *run) totals(got, want results.Totals) {
	for _, n := range []struct {
		verdict   string
		got, want int64
	}{
		{"passed", got.Passed, want.Passed}, {"failed", got.Failed, want.Failed}, {"inapplicable", got.Inapplicable, want.Inapplicable},
		{"blocked", got.Blocked, want.Blocked}, {"inconclusive", got.Inconclusive, want.Inconclusive}, {"broken", got.Broken, want.Broken},
	} {
		if n.got != n.want {
			v.tell("verdict", "results.json counts %d scenarios that ended %s, and the transcripts give %d", n.got, n.verdict, n.want)
		}
	}
}
