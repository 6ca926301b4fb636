package scenarios

import (
	"slices"

	"github.com/openassay/assay/gen/results"
)

// Profile is a frozen list of requirements that a target can be certified for (spec/assay/profiles). A scenario that
// was added later is provisional: it counts in a later revision only.
type Profile struct {
	ID       string // loop-v5; a later revision is loop-v5@2
	Title    string
	Claims   []string // all of them make it applicable
	Digest   string   // SHA-256 of its canonical form, in hex; "" if it is not frozen
	Requires []Required
}

// Required is one requirement of a profile.
type Required struct {
	ID        RequirementID
	Evidence  Evidence     // the weakest that proves it
	Scenarios []ScenarioID // those that proved it when the profile was frozen
}

// FrozenProfiles returns the profiles of a protocol, by its id.
func FrozenProfiles(protocol string) []Profile {
	var out []Profile
	for _, p := range results.Profiles {
		if p.Protocol != protocol {
			continue
		}
		frozen := Profile{ID: p.ID, Title: p.Title, Claims: p.Claims, Digest: p.Digest}
		for _, r := range p.Requirements {
			required := Required{ID: RequirementID(r.ID), Scenarios: make([]ScenarioID, len(r.Scenarios))}
			required.Evidence, _ = ParseEvidence(r.Evidence) // the generator has checked the word
			for i, id := range r.Scenarios {
				required.Scenarios[i] = ScenarioID(id)
			}
			frozen.Requires = append(frozen.Requires, required)
		}
		out = append(out, frozen)
	}
	return out
}

// Requirements returns the ids of the requirements of p, in order.
func (p Profile) Requirements() []RequirementID {
	out := make([]RequirementID, len(p.Requires))
	for i, r := range p.Requires {
		out[i] = r.ID
	}
	return out
}

// ThroughSeam returns the number of requirements of p that only a seam of Assay's own can show.
func (p Profile) ThroughSeam(l *Ledger) int {
	n := 0
	for _, required := range p.Requires {
		if r, _ := l.Find(required.ID); r.ThroughSeam() {
			n++
		}
	}
	return n
}

// Counts reports whether the scenario counts for any requirement of p.
func (p Profile) Counts(s ScenarioID) bool {
	return slices.ContainsFunc(p.Requires, func(r Required) bool { return slices.Contains(r.Scenarios, s) })
}

// Provisional reports whether s proves a requirement of p and does not count for it.
func (p Profile) Provisional(l *Ledger, s Scenario) bool {
	return slices.ContainsFunc(p.Requires, func(r Required) bool {
		return slices.Contains(s.Proves, r.row(l)) && !slices.Contains(r.Scenarios, s.ID)
	})
}

// row returns the present id of r: a frozen profile may have a former one.
func (r Required) row(l *Ledger) RequirementID {
	if row, known := l.Find(r.ID); known {
		return RequirementID(row.ID)
	}
	return r.ID
}

// ProfileStatus is how much of a profile was proved.
type ProfileStatus struct {
	ID, Digest       string
	Status           string // certified, attested, unproved, violated, inapplicable
	Proved, Required int
	ThroughSeam      int // see [Profile.ThroughSeam]
	// Provisional are the scenarios that were asked and did not count.
	Provisional []ScenarioID
}

// ProfileStatuses judges every profile of a protocol by the outcomes of the scenarios that were frozen with it, and no
// others. What was seen violated anywhere is violated.
func ProfileStatuses(p *Protocol, d Discovery, outcomes []Outcome, violated []RequirementID) []ProfileStatus {
	out := make([]ProfileStatus, len(p.Profiles))
	for i, profile := range p.Profiles {
		out[i] = profile.status(p, d, outcomes, violated)
	}
	return out
}

func (p Profile) status(of *Protocol, d Discovery, outcomes []Outcome, violated []RequirementID) ProfileStatus {
	s := ProfileStatus{
		ID: p.ID, Digest: p.Digest, Required: len(p.Requires), ThroughSeam: p.ThroughSeam(of.Ledger), Status: "inapplicable",
	}
	asked, made := p.applies(of, d)
	if !asked {
		return s
	}
	weakest, lacking := "", 0
	for _, r := range p.Requires {
		summed := r.sum(of.Ledger, outcomes)
		if slices.Contains(violated, summed.ID) {
			summed.Verdict = Failed
		}
		if summed.Verdict == Inapplicable {
			lacking++
		}
		standing := standing(summed, r.Evidence)
		if standing == "proved" {
			s.Proved++
		}
		weakest = worse(weakest, standing)
	}
	if !made && lacking == len(p.Requires) { // not claimed, and not found by asking
		return s
	}
	if s.Status = weakest; weakest == "proved" {
		s.Status = "certified"
	}
	for _, o := range outcomes {
		if o.Verdict != Inapplicable && p.Provisional(of.Ledger, o.Scenario) {
			s.Provisional = append(s.Provisional, o.Scenario.ID)
		}
	}
	return s
}

// applies reports whether all claims of p are asked, and whether the target makes all of them.
func (p Profile) applies(of *Protocol, d Discovery) (asked, made bool) {
	asked, made = true, true
	for _, id := range p.Claims {
		claim, known := of.Claim(id)
		if !known {
			return false, false
		}
		_, is := claim.asked(d)
		_, named := claim.Look(d)
		asked, made = asked && is, made && named
	}
	return asked, made
}

// sum returns the status of a requirement by its frozen scenarios alone: Blocked if none was asked.
func (r Required) sum(l *Ledger, outcomes []Outcome) RequirementStatus {
	s, seen := RequirementStatus{ID: r.row(l), Verdict: Inapplicable}, false
	for _, o := range outcomes {
		if slices.Contains(r.Scenarios, o.Scenario.ID) && slices.Contains(o.Scenario.Proves, s.ID) {
			s.take(o)
			seen = true
		}
	}
	if !seen {
		s.Verdict = Blocked
	}
	return s
}
