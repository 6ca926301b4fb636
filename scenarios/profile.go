package scenarios

import (
	"cmp"
	"slices"

	"github.com/openassay/assay/gen/results"
)

// Profile is a frozen list of requirements that a target can be certified for (spec/assay/profiles). A scenario that
// was added later is provisional: it proves nothing for this revision.
type Profile struct {
	ID         string // loop-v5; a later revision is loop-v5@2
	Superseded string // id of the newest revision, "" if this is the one
	Title      string
	Claims     []string // all of them make it applicable
	Digest     string   // SHA-256 of its canonical form, in hex; "" if it is not frozen
	Depth      Depth    // the least at which it can be proved
	Scope      []Section
	Requires   []Required
}

// Section names sections of a source text that a profile is about.
type Section struct {
	Source   string
	Sections []string // nil: the whole source
}

// Required is one requirement of a profile.
type Required struct {
	ID        RequirementID
	Evidence  Evidence     // the weakest that proves it
	Claims    []string     // it is demanded of targets that make one of them; nil: of all
	Checks    int          // of it that its scenarios have to make together, at least; 0: any number
	Scenarios []ScenarioID // those that proved it when the profile was frozen
}

// FrozenProfiles returns the profiles of a protocol, by its id. The newest revision of each comes first.
func FrozenProfiles(protocol string) []Profile {
	var of []*results.Profile
	for i := range results.Profiles {
		if p := &results.Profiles[i]; p.Protocol == protocol {
			of = append(of, p)
		}
	}
	out := make([]Profile, 0, len(of)) // no larger: it is made before main
	for _, p := range of {
		frozen := Profile{ID: p.ID, Superseded: p.Superseded, Title: p.Title, Claims: p.Claims, Digest: p.Digest,
			Requires: make([]Required, 0, len(p.Requirements))}
		frozen.Depth, _ = ParseDepth(cmp.Or(p.Depth, Quick.String())) // the generator has checked the word
		for _, s := range p.Scope {
			frozen.Scope = append(frozen.Scope, Section(s))
		}
		for _, r := range p.Requirements {
			required := Required{ID: RequirementID(r.ID), Claims: r.Claims, Checks: r.Checks, Scenarios: make([]ScenarioID, len(r.Scenarios))}
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
		n += required.throughSeam(l)
	}
	return n
}

func (r Required) throughSeam(l *Ledger) int {
	if row, _ := l.Find(r.ID); row.ThroughSeam() {
		return 1
	}
	return 0
}

// Covers reports whether p is about a requirement: it lists it, or the requirement stands in a section of its scope.
func (p Profile) Covers(l *Ledger, row Requirement) bool {
	return p.inScope(row) || p.lists(l, row)
}

func (p Profile) lists(l *Ledger, row Requirement) bool {
	return slices.ContainsFunc(p.Requires, func(r Required) bool { return l.Present(r.ID) == RequirementID(row.ID) })
}

func (p Profile) inScope(row Requirement) bool {
	return slices.ContainsFunc(p.Scope, func(s Section) bool {
		return s.Source == row.Source && (s.Sections == nil || slices.Contains(s.Sections, row.Section))
	})
}

// Uncovered returns the MUSTs in the scope of p that it does not list, in the ledger's order. A violation of one costs
// the profile all the same.
func (p Profile) Uncovered(l *Ledger) []Requirement {
	var out []Requirement
	for _, row := range l.Rows {
		if row.Level == Must && p.inScope(row) && !p.lists(l, row) {
			out = append(out, row)
		}
	}
	return out
}

// Counts reports whether the scenario counts for any requirement of p.
func (p Profile) Counts(s ScenarioID) bool {
	return slices.ContainsFunc(p.Requires, func(r Required) bool { return slices.Contains(r.Scenarios, s) })
}

// Provisional reports whether s proves a requirement of p and does not count for it.
func (p Profile) Provisional(l *Ledger, s Scenario) bool {
	return slices.ContainsFunc(p.Requires, func(r Required) bool {
		return slices.Contains(s.Proves, l.Present(r.ID)) && !slices.Contains(r.Scenarios, s.ID)
	})
}

// ProfileStatus is how much of a profile was proved.
type ProfileStatus struct {
	ID, Digest string
	Superseded string // see [Profile.Superseded]
	Status     string // certified, attested, unproved, violated, inapplicable
	AsFar      string // Status, were all asked as far as the profile demands
	// Proved and Required count the requirements that the profile demands of this target, NotClaimed the others.
	Proved, Required, NotClaimed int
	LeftOut                      []Part // those not claimed, by the claims on which they rest
	ThroughSeam                  int    // of those required, see [Profile.ThroughSeam]
	// Shallow counts those required that were passed, and not asked as far as the profile demands.
	Shallow int
	Depth   Depth // that the profile demands
	// Provisional are the scenarios that were asked and did not count.
	Provisional []ScenarioID
}

// Part is a part of a profile: the requirements that are demanded of targets that make one of the claims.
type Part struct {
	Claims       []string
	Requirements []RequirementID
}

// leaves notes that the profile does not demand r of the target.
func (s *ProfileStatus) leaves(r Required) {
	s.NotClaimed++
	i := slices.IndexFunc(s.LeftOut, func(p Part) bool { return slices.Equal(p.Claims, r.Claims) })
	if i < 0 {
		i = len(s.LeftOut)
		s.LeftOut = append(s.LeftOut, Part{Claims: r.Claims})
	}
	s.LeftOut[i].Requirements = append(s.LeftOut[i].Requirements, r.ID)
}

// ProfileStatuses judges every profile of a protocol. Only the scenarios that were frozen with a profile prove its
// requirements, and all of them must have been asked. violated are the requirements that were seen violated anywhere: a
// profile that is about one of them is violated.
func ProfileStatuses(p *Protocol, d Discovery, outcomes []Outcome, violated []RequirementID) []ProfileStatus {
	return profileStatuses(p, d, outcomes, violated, func(Profile, Required) bool { return true })
}

// profileStatuses is [ProfileStatuses] where far reports whether a requirement was asked as far as a profile demands.
func profileStatuses(p *Protocol, d Discovery, outcomes []Outcome, violated []RequirementID, far func(Profile, Required) bool) (
	out []ProfileStatus) {
	out = make([]ProfileStatus, len(p.Profiles))
	for i, profile := range p.Profiles {
		out[i] = profile.status(p, d, outcomes, violated, far)
	}
	// An older revision asks for less under the same name: it is not kept where the newest is violated.
	for i, older := range out {
		if slices.ContainsFunc(out, func(s ProfileStatus) bool { return s.ID == older.Superseded && s.Status == "violated" }) &&
			older.Status != "inapplicable" {
			out[i].Status = "violated"
		}
	}
	return out
}

func (p Profile) status(of *Protocol, d Discovery, outcomes []Outcome, violated []RequirementID, far func(Profile, Required) bool) (
	s ProfileStatus) {
	s = ProfileStatus{ID: p.ID, Digest: p.Digest, Superseded: p.Superseded, Status: "inapplicable", AsFar: "inapplicable", Depth: p.Depth}
	asked, made := of.asks(d, p.Claims)
	weakest, asFar, lacking := "", "", 0
	for _, r := range p.Requires {
		summed := r.sum(of.Ledger, outcomes)
		if r.waived(of, d, summed) {
			s.leaves(r)
			continue
		}
		s.Required++
		s.ThroughSeam += r.throughSeam(of.Ledger)
		if summed.Verdict == Inapplicable {
			lacking++
		}
		if slices.ContainsFunc(violated, func(id RequirementID) bool { return of.Ledger.Present(id) == summed.ID }) {
			summed.Verdict = Failed
		}
		standing := standing(summed, r.Evidence)
		asFar = worse(asFar, standing)
		if asked && (standing == "proved" || standing == "attested") && !far(p, r) {
			standing = "unproved"
			s.Shallow++
		}
		if asked && standing == "proved" {
			s.Proved++
		}
		weakest = worse(weakest, standing)
	}
	if !asked || !made && lacking == s.Required { // not claimed, or not found by asking
		s.Proved, s.Shallow = 0, 0
		return s
	}
	s.Status, s.AsFar = certified(weakest), certified(asFar)
	if slices.ContainsFunc(violated, func(id RequirementID) bool { return p.broken(of, d, id) }) {
		s.Status, s.AsFar = "violated", "violated"
	}
	for _, o := range outcomes {
		if o.Verdict != Inapplicable && p.Provisional(of.Ledger, o.Scenario) {
			s.Provisional = append(s.Provisional, o.Scenario.ID)
		}
	}
	return s
}

// certified is the status of a profile whose weakest requirement stands so.
func certified(standing string) string {
	if standing == "proved" {
		return "certified"
	}
	return standing
}

// waived reports whether a profile does not demand r of this target: the target makes none of the claims that r names,
// or the claims are open and asking did not find what r is about.
func (r Required) waived(of *Protocol, d Discovery, summed RequirementStatus) bool {
	if r.Claims == nil {
		return false
	}
	anyAsked, anyMade := false, false
	for _, id := range r.Claims {
		asked, made := of.asks(d, []string{id})
		anyAsked, anyMade = anyAsked || asked, anyMade || made
	}
	return !anyAsked || !anyMade && summed.Verdict == Inapplicable
}

// broken reports whether the violation of a requirement costs p: it is a MUST that p is about, and binds the target.
func (p Profile) broken(of *Protocol, d Discovery, id RequirementID) bool {
	row, known := of.Ledger.Find(id)
	if !known || row.Level != Must || !p.Covers(of.Ledger, row) {
		return false
	}
	asked, _ := of.asks(d, []string{row.Claim})
	return row.Claim == "" || asked
}

// asks reports whether all these claims are asked, and whether the target makes all of them.
func (of *Protocol) asks(d Discovery, claims []string) (asked, made bool) {
	asked, made = true, true
	for _, id := range claims {
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

// sum returns the status of a requirement by its frozen scenarios alone: Blocked if one of them was not asked, or came to no
// verdict, unless another shows a violation.
func (r Required) sum(l *Ledger, outcomes []Outcome) RequirementStatus {
	s, asked, undecided := RequirementStatus{ID: l.Present(r.ID), Verdict: Inapplicable}, map[ScenarioID]bool{}, false
	for _, o := range outcomes {
		if slices.Contains(r.Scenarios, o.Scenario.ID) && slices.Contains(o.Scenario.Proves, s.ID) {
			s.take(l, o)
			asked[o.Scenario.ID] = true
			undecided = undecided || o.undecided()
		}
	}
	if (len(asked) < len(r.Scenarios) || undecided) && s.Verdict != Failed {
		s.Verdict, s.Evidence = Blocked, Unseen
	}
	return s
}
