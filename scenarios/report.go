package scenarios

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Report is a finished certification as data. All other reports are made from it.
type Report struct {
	Protocol          *Protocol
	Address           string
	Second            string   // address of the host that the target hands work to; "" without one
	ExtraHeaders      []string // names of those that the operator had added to every request, sorted; none that carries a credential
	Name, Version     string   // of the target, by its discovery document
	DiscoveryDigest   string
	Certificate       string // SHA-256 of the target's certificate, in hex; "" without TLS
	Nonce             *Nonce // that its operator published, nil for none
	SuiteDigest       string // of the metadata of the selected scenarios
	Started           time.Time
	Seconds           float64
	Seed              uint64
	Depth             Depth
	RunID             RunID
	Select            Selection
	Claims            []ClaimStatus
	Requirements      []RequirementStatus
	Scenarios         int // of the protocol, selected or not
	Outcomes          []Outcome
	Breaches          []Breach // all that was seen violated, and where
	Contradictions    []Contradiction
	Profiles          []ProfileStatus
	DiscoveryFindings []Finding
	Leftovers         []string
	Fault             string     // of Assay outside all scenarios, "" for none
	Paced             *Paced     // nil where transcripts were judged again, which do not show it
	Load              *wire.Load // nil likewise
	Spent             wire.Spent
	Seen              []Sighting // features that the target has without claiming them
	Drives            []DriveRecord
	Sensitivity       *Sensitivity // nil if its passes were not challenged
	Pending           []Pending    // drives that were left running
	Repetitions       []Repetition // of a part of its scenarios, in order
	Unprompted        []Unprompted // what a recording says of it

	secrets int                     // the highest number of a placeholder for a secret
	reached map[RequirementID]Reach // no challenge changes it
}

// ClaimStatus says how much of a claim was proved.
type ClaimStatus struct {
	ID, Pointer string
	Value       wire.Value
	Status      string // proved, attested, violated, unproved
	Found       bool   // by asking: the claim is open (see [Claim.Open])
}

// RequirementStatus sums up all scenarios that prove a requirement.
type RequirementStatus struct {
	ID       RequirementID
	Verdict  Verdict
	Evidence Evidence
	// Contradicted: it was seen violated in one place and passed in another. Verdict is Failed.
	Contradicted bool
	Reach        Reach
}

// DriveRecord is a drive as it is written to disk.
type DriveRecord struct {
	ID          string
	Transcript  *wire.Transcript
	Observation any
	Stop        *Stop
	Seconds     float64
	Drawn       []Draw // in order
}

// Found reports whether a claim was found by asking.
func (r *Report) Found(claim string) bool {
	return slices.ContainsFunc(r.Claims, func(c ClaimStatus) bool { return c.ID == claim && c.Found })
}

// Totals counts outcomes by verdict.
func (r *Report) Totals() map[Verdict]int { return totals(r.Outcomes) }

func totals(outcomes []Outcome) map[Verdict]int {
	out := map[Verdict]int{}
	for _, o := range outcomes {
		out[o.Verdict]++
	}
	return out
}

// Head returns a report of what is known before anything is judged: the target, the selection, the seed.
func (c *Certification) Head() *Report {
	r := &Report{
		Protocol: c.Protocol, Address: c.network.Address(), Second: c.network.Second(), SuiteDigest: c.digest,
		Started: c.Started, Seed: c.Options.Seed, Depth: c.Options.Depth, RunID: c.RunID, Select: c.Options.Select,
		DiscoveryFindings: c.DiscoveryFindings,
		Scenarios:         c.scenarios,
	}
	r.introduce(c.Discovery)
	return r
}

func (c *Certification) report(drives []DriveRecord, seen []Sighting, leftovers []string, fault string) *Report {
	r := c.Head()
	r.Seconds, r.Leftovers, r.Fault, r.Seen, r.Drives = time.Since(c.Started).Seconds(), leftovers, fault, seen, drives
	r.Paced, r.Load, r.Spent = c.paced(), new(c.network.Load()), c.network.Spent()
	r.Pending, r.secrets = c.begun(), c.network.Redactor().Count()
	for _, o := range c.outcomes {
		r.Outcomes = append(r.Outcomes, c.settle(o))
	}
	r.sumUp(c.Discovery, c.clean)
	return r
}

// sumUp derives the other parts of the report from its outcomes, its drives and the discovery document.
func (r *Report) sumUp(d Discovery, clean func(string) string) {
	r.introduce(d)
	r.ExtraHeaders = r.extraHeaders()
	r.Contradictions = r.contradictions(d, clean)
	r.Breaches = r.breaches(d, clean)
	r.reached = reaches(r.Protocol, r.Outcomes, r.Drives)
	r.repeated()
	r.observed()
	r.derive(d)
}

// derive derives requirements, claims and profiles from the outcomes and the breaches.
func (r *Report) derive(d Discovery) {
	r.Requirements = requirementStatuses(r.Protocol.Ledger, r.Outcomes, r.Breaches)
	for i := range r.Requirements {
		r.Requirements[i].Reach = r.reached[r.Requirements[i].ID]
	}
	r.Claims = claimStatuses(r.Protocol, d, r.Requirements, r.Outcomes)
	if !r.Select.Narrows() { // a part certifies nothing
		r.Profiles = profileStatuses(r.Protocol, d, r.Outcomes, violated(r.Breaches), r.farEnough)
	}
}

// introduce fills in what the target says about itself.
func (r *Report) introduce(d Discovery) {
	r.DiscoveryDigest, r.Certificate, r.Nonce = digest(d.Document.Actual()), d.Certificate, d.nonce()
	if r.Protocol.Describe != nil {
		r.Name, r.Version = r.Protocol.Describe(d)
	}
}

// records returns the records of all drives, which must be over.
func (c *Certification) records() []DriveRecord {
	out := []DriveRecord{c.discovery.record()}
	for _, id := range c.order {
		out = append(out, c.drives[id].record())
	}
	return out
}

func (d *drive) record() DriveRecord {
	return DriveRecord{ID: d.meta.ID, Transcript: d.transcript, Observation: d.observation, Stop: d.stop, Seconds: d.seconds,
		Drawn: d.drawn}
}

// requirementStatuses sums up outcomes by requirement, in the ledger's order. One violation outweighs any pass, whoever saw
// it, and the strongest pass counts; a blocked scenario does not weaken one that passed.
func requirementStatuses(ledger *Ledger, outcomes []Outcome, breaches []Breach) []RequirementStatus {
	best := map[RequirementID]*RequirementStatus{}
	for _, o := range outcomes {
		for _, id := range o.Scenario.Proves {
			s := best[id]
			if s == nil {
				s = &RequirementStatus{ID: id, Verdict: Inapplicable}
				best[id] = s
			}
			s.take(ledger, o)
		}
	}
	for _, o := range outcomes {
		for _, id := range o.saw() {
			if s := best[id]; s != nil && s.Verdict == Passed {
				s.Evidence = max(s.Evidence, o.Evidence)
			}
		}
	}
	for _, id := range violated(breaches) {
		s := best[id]
		if s == nil {
			s = &RequirementStatus{ID: id}
			best[id] = s
		}
		if row, _ := ledger.Find(id); row.Level == Should {
			s.Verdict = NotMet
			continue
		}
		s.Contradicted = s.passed(outcomes)
		s.Verdict = Failed
	}
	var out []RequirementStatus
	for _, row := range ledger.Rows {
		if s := best[RequirementID(row.ID)]; s != nil {
			out = append(out, *s)
		}
	}
	return out
}

// saw returns the requirements that a scenario which passed saw kept and does not prove. What is proved by others was seen so, too.
func (o Outcome) saw() (all []RequirementID) {
	if o.Verdict != Passed || o.unrepeated {
		return nil
	}
	for _, c := range o.Checks {
		if id := RequirementID(c.Requirement); slices.Contains(o.Scenario.Watches, id) {
			all = append(all, id)
		}
	}
	return all
}

// passed reports whether a scenario passed on the requirement.
func (s *RequirementStatus) passed(outcomes []Outcome) bool {
	return slices.ContainsFunc(outcomes, func(o Outcome) bool {
		v, _ := o.verdictOn(s.ID)
		return (v == Passed || v == Insensitive) && slices.Contains(o.Scenario.Proves, s.ID)
	})
}

// take adds an outcome. A SHOULD is not met where one check of it failed, however the scenario ended.
func (s *RequirementStatus) take(ledger *Ledger, o Outcome) {
	v, e := o.verdictOn(s.ID)
	if row, _ := ledger.Find(s.ID); row.Level == Should && slices.ContainsFunc(o.Violations(), func(c check.Result) bool {
		return RequirementID(c.Requirement) == s.ID
	}) {
		v, e = NotMet, o.Evidence
	}
	switch {
	case weight(v) > weight(s.Verdict):
		s.Verdict, s.Evidence = v, e
	case v == s.Verdict && e > s.Evidence:
		s.Evidence = e
	}
}

// undecided reports whether the scenario was asked and came to no verdict, so that it might have failed. One that is blocked
// because only a seam can answer it is not among them: no host has to have seams.
func (o Outcome) undecided() bool {
	return o.Verdict == Inconclusive || o.unrepeated || o.Verdict == Broken || o.Verdict == Blocked && o.Scenario.Reach() > Attested
}

// verdictBeside returns the verdict of a failed outcome on one of its requirements.
func (o Outcome) verdictBeside(id RequirementID) (Verdict, Evidence) {
	seen, ok := false, true
	for _, c := range o.Checks {
		if c.Requirement == string(id) {
			seen, ok = true, ok && c.OK
		}
	}
	switch {
	case !seen:
		return Blocked, Unseen
	case ok:
		return Passed, o.Evidence
	}
	return Failed, o.Evidence
}

func weight(v Verdict) int {
	return slices.Index([]Verdict{Inapplicable, Blocked, Inconclusive, Broken, Insensitive, Passed, NotMet, Failed}, v)
}

// proved reports whether a status satisfies its requirement.
func proved(ledger *Ledger, s RequirementStatus) bool {
	row, _ := ledger.Find(s.ID)
	return s.Verdict == Passed && s.Evidence >= row.Demands()
}

// claimStatuses judges each claim by those of its MUSTs that were asked.
func claimStatuses(p *Protocol, d Discovery, requirements []RequirementStatus, outcomes []Outcome) []ClaimStatus {
	var out []ClaimStatus
	for _, claim := range p.Claims {
		value, asked := claim.asked(d)
		if !asked {
			continue
		}
		status, lacking := "", false
		for _, r := range requirements {
			row, _ := p.Ledger.Find(r.ID)
			if row.Claim != claim.ID || row.Level != Must {
				continue
			}
			if r.Verdict == Inapplicable {
				lacking = true
				continue
			}
			status = worse(status, standing(r, row.Demands()))
		}
		_, made := claim.Look(d)
		if !made && lacking && status != "" { // it has only a part of an open claim
			status = worse(status, "unproved")
		}
		if status == "" { // none of its MUSTs was asked
			continue
		}
		// A scenario of this claim that fails disproves it, even if the sentence belongs to a claim that it rests on.
		for _, o := range outcomes {
			switch {
			case o.Scenario.Claim.ID != claim.ID:
			case o.Verdict == Failed:
				status = "violated"
			case o.Level == Must && o.undecided():
				status = worse(status, "unproved")
			}
		}
		out = append(out, ClaimStatus{claim.ID, claim.Pointer, value, status, !made})
	}
	return out
}

// standing names a status: violated, proved, attested (weaker evidence than demanded) or unproved.
func standing(r RequirementStatus, demands Evidence) string {
	switch {
	case r.Verdict == Failed:
		return "violated"
	case r.Verdict == Passed && r.Evidence >= demands:
		return "proved"
	case r.Verdict == Passed:
		return "attested"
	}
	return "unproved"
}

// worse returns the weaker of two standings.
func worse(a, b string) string {
	order := []string{"violated", "unproved", "attested", "proved"}
	if a == "" || slices.Index(order, b) < slices.Index(order, a) {
		return b
	}
	return a
}

// ExitCode returns the exit code of a certification that ran, the first that applies of: 6 Assay itself broke, 1 a
// requirement is violated, 5 a claim is unproved, 4 nothing was proved, 0 all tested claims are proved.
func (r *Report) ExitCode() int {
	if r.Fault != "" || r.brokeAgain() {
		return ExitBroken
	}
	return exitCode(r.Protocol.Ledger, r.Requirements, r.Outcomes)
}

// ExitCodeKnowing returns the exit code without known failures, which are those of scenarios, and breaches that something
// else saw. A known scenario does not count, nor one that is blocked by a known breach in its setup; a breach of the same
// requirement that is not known does. Claims and profiles stay as they are.
func (r *Report) ExitCodeKnowing(scenario func(ScenarioID) bool, elsewhere func(Breach) bool) int {
	failed, blocked := map[ScenarioID]bool{}, map[ScenarioID]bool{}
	for _, o := range r.Outcomes {
		failed[o.Scenario.ID] = o.Verdict == Failed && scenario(o.Scenario.ID)
	}
	seen := slices.DeleteFunc(slices.Clone(r.Breaches), func(b Breach) bool {
		if b.By == ByJudge {
			return failed[b.Scenario]
		}
		known := elsewhere(b)
		blocked[b.Scenario] = blocked[b.Scenario] || known && b.By == BySetup
		return known
	})
	rest := slices.DeleteFunc(slices.Clone(r.Outcomes), func(o Outcome) bool {
		return failed[o.Scenario.ID] || o.Verdict == Blocked && blocked[o.Scenario.ID]
	})
	if r.Fault != "" || len(rest) == len(r.Outcomes) && len(seen) == len(r.Breaches) {
		return r.ExitCode()
	}
	code := exitCode(r.Protocol.Ledger, requirementStatuses(r.Protocol.Ledger, rest, seen), rest)
	switch {
	case r.brokeAgain():
		return ExitBroken
	case code == ExitNothing:
		return ExitProved
	}
	return code
}

func exitCode(ledger *Ledger, requirements []RequirementStatus, outcomes []Outcome) int {
	totals := totals(outcomes)
	switch {
	case totals[Broken] > 0:
		return ExitBroken
	case totals[Failed] > 0, slices.ContainsFunc(requirements, func(s RequirementStatus) bool { return s.Verdict == Failed }):
		return ExitViolated
	}
	asked, unproved := 0, 0
	for _, o := range outcomes {
		if o.Level == Must && o.undecided() {
			unproved++
		}
	}
	for _, s := range requirements {
		row, _ := ledger.Find(s.ID)
		if s.Verdict == Inapplicable || row.Level != Must {
			continue
		}
		asked++
		if !proved(ledger, s) {
			unproved++
		}
	}
	switch {
	case unproved > 0, totals[Inconclusive] > 0:
		return ExitUnproved
	case asked == 0 && totals[Passed] == 0 && totals[Blocked] > 0:
		return ExitUnproved
	case totals[Passed] == 0:
		return ExitNothing
	}
	return ExitProved
}

// Exit codes of a certification.
const (
	ExitProved      = 0
	ExitViolated    = 1
	ExitUsage       = 2
	ExitUnreachable = 3
	ExitNothing     = 4
	ExitUnproved    = 5
	ExitBroken      = 6
	ExitInterrupted = 130
)

// Digest returns the [Report.SuiteDigest] of a certification with this selection of suites.
func (s Selection) Digest(suites ...Suite) (string, error) {
	picked, err := s.Pick(suites...)
	if err != nil {
		return "", err
	}
	return suiteDigest(picked), nil
}

// SuiteDigest returns the [Report.SuiteDigest] of a certification with all scenarios of these suites.
func SuiteDigest(suites ...Suite) (string, error) { return Selection{}.Digest(suites...) }

// suiteDigest returns a digest of the scenarios' metadata. Results with the same digest are comparable.
func suiteDigest(selected []Selected) string {
	type row struct {
		ID, Title, Claim string
		Proves           []RequirementID
	}
	rows := make([]row, 0, len(selected))
	for _, s := range selected {
		rows = append(rows, row{string(s.Scenario.ID), s.Scenario.Title, s.Scenario.Claim.ID, s.Scenario.Proves})
	}
	return digest(rows)
}

// digest returns the SHA-256 of v as JSON.
func digest(v any) string {
	b, _ := json.Marshal(v) // maps are sorted, structs in field order; a value without JSON counts as nothing
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Violations returns the failed checks of an outcome.
func (o Outcome) Violations() []check.Result {
	var out []check.Result
	for _, c := range o.Checks {
		if !c.OK {
			out = append(out, c)
		}
	}
	return out
}
