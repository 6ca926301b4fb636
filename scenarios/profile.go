package scenarios

import (
	"slices"

	"github.com/openassay/assay/gen/results"
)

// Profile is a frozen list of requirements that a target can be certified for
// (spec/assay/profiles). What is proved by it does not change: a scenario that
// came later is provisional, and counts in a later revision only.
type Profile struct {
	ID       string // loop-v5; a later revision is loop-v5@2
	Title    string
	Claims   []string // that make it applicable, all of them
	Digest   string   // SHA-256 of its canonical form, in hex; "" for one that is not frozen
	Requires []Required
}

// Required is one requirement of a profile.
type Required struct {
	ID        RequirementID
	Evidence  Evidence     // the weakest that proves it
	Scenarios []ScenarioID // that counted when the profile was frozen
}

// FrozenProfiles are the profiles of a protocol, by its id, as spec/assay/profiles has them.
func FrozenProfiles(protocol string) []Profile {
	var out []Profile
	for _, p := range results.Profiles {
		if p.Protocol != protocol {
			continue
		}
		frozen := Profile{ID: p.ID, Title: p.Title, Claims: p.Claims, Digest: p.Digest}
		for _, r := range p.Requirements {
			required := Required{ID: RequirementID(r.ID), Scenarios: make([]ScenarioID, len(r.Scenarios))}
			required.Evidence, _ = ParseEvidence(r.Evidence) // the generator takes no other word
			for i, id := range r.Scenarios {
				required.Scenarios[i] = ScenarioID(id)
			}
			frozen.Requires = append(frozen.Requires, required)
		}
		out = append(out, frozen)
	}
	return out
}

// Requirements are the ids of what p requires, in its order.
func (p Profile) Requirements() []RequirementID {
	out := make([]RequirementID, len(p.Requires))
	for i, r := range p.Requires {
		out[i] = r.ID
	}
	return out
}

// ThroughSeam counts the requirements of p that are shown only through a seam
// of Assay's own: what a certificate for p rests on beside the target's wire.
func (p Profile) ThroughSeam(l *Ledger) int {
	n := 0
	for _, required := range p.Requires {
		if r, _ := l.Find(required.ID); r.ThroughSeam() {
			n++
		}
	}
	return n
}

// Counts says whether the scenario was frozen with p, for any of its requirements.
func (p Profile) Counts(s ScenarioID) bool {
	return slices.ContainsFunc(p.Requires, func(r Required) bool { return slices.Contains(r.Scenarios, s) })
}

// Provisional says whether s names a requirement of p and is not among the
// scenarios that count for it.
func (p Profile) Provisional(l *Ledger, s Scenario) bool {
	return slices.ContainsFunc(p.Requires, func(r Required) bool {
		return slices.Contains(s.Proves, r.row(l)) && !slices.Contains(r.Scenarios, s.ID)
	})
}

// row is the id of r as the ledger has it today: a frozen profile may know it by a former one.
func (r Required) row(l *Ledger) RequirementID {
	if row, known := l.Find(r.ID); known {
		return RequirementID(row.ID)
	}
	return r.ID
}

// ProfileStatus says how much of a profile was proved.
type ProfileStatus struct {
	ID, Digest       string
	Status           string // certified, attested, unproved, violated, inapplicable
	Proved, Required int
	ThroughSeam      int // of the required: shown only through seams of Assay's own
	// Provisional are the scenarios that were asked and did not count, since they came after the profile was frozen.
	Provisional []ScenarioID
}

// ProfileStatuses judges every profile of a protocol by the outcomes of the scenarios that were frozen with it, and by no
// other: what is asked beside them changes nothing.
func ProfileStatuses(p *Protocol, d Discovery, outcomes []Outcome) []ProfileStatus {
	out := make([]ProfileStatus, len(p.Profiles))
	for i, profile := range p.Profiles {
		out[i] = profile.status(p, d, outcomes)
	}
	return out
}

func (p Profile) status(of *Protocol, d Discovery, outcomes []Outcome) ProfileStatus {
	s := ProfileStatus{ID: p.ID, Digest: p.Digest, Required: len(p.Requires), ThroughSeam: p.ThroughSeam(of.Ledger), Status: "inapplicable"}
	asked, made := p.applies(of, d)
	if !asked {
		return s
	}
	weakest, lacking := "", 0
	for _, r := range p.Requires {
		summed := r.sum(of.Ledger, outcomes)
		if summed.Verdict == Inapplicable {
			lacking++
		}
		standing := standing(summed, r.Evidence)
		if standing == "proved" {
			s.Proved++
		}
		weakest = worse(weakest, standing)
	}
	if !made && lacking == len(p.Requires) { // nobody claims it, and nothing of it was found
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

// applies says whether the target is asked for all claims of p, and whether it makes all of them by name.
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

// sum is the status of a requirement by the frozen scenarios alone. One that was not asked is blocked.
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
