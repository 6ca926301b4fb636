package scenarios

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Breach is a requirement that was seen violated, and where.
type Breach struct {
	Requirement RequirementID
	By          BreachBy
	Scenario    ScenarioID // "" for an invariant
	Drive       string
	Where       wire.Ref
	Expected    string // "" for a step of the setup
	Actual      string
}

// Signature returns the [Signature] of a breach: that of an invariant is the same in every drive.
func (b Breach) Signature() string { return Signature(b.Scenario, b.Check()) }

// Check returns the breach as a failed check.
func (b Breach) Check() check.Result {
	return check.Result{Requirement: string(b.Requirement), Expected: b.Expected, Actual: b.Actual, Where: b.Where}
}

// BreachBy says who saw a violation.
type BreachBy string

const (
	// ByJudge: a check of a scenario that names the requirement.
	ByJudge BreachBy = "scenario"
	// BySetup: a step of the setup of a scenario, which names others. See [Violates].
	BySetup BreachBy = "set-up"
	// ByInvariant: a rule for everything of its kind that a drive read. See [Protocol.Invariants].
	ByInvariant BreachBy = "invariant"
	// ByRepetition: when scenarios were asked again, and not before. See [Again].
	ByRepetition BreachBy = "repetition"
	// ByRecording: what the target did for others, as a recording tells. See [Unprompted].
	ByRecording BreachBy = "recording"
)

// breaches lists all violations, in the order of outcomes, those of invariants last. A step of the setup that turns out
// to violate nothing loses its requirement: BlockedOn of its outcome becomes "".
func (r *Report) breaches(d Discovery, clean func(string) string) []Breach {
	var out []Breach
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		for _, c := range o.Failures(r.Protocol.Ledger) {
			out = append(out, Breach{RequirementID(c.Requirement), ByJudge, o.Scenario.ID, o.Drive, c.Where, c.Expected, c.Actual})
		}
		if o.BlockedOn == "" {
			continue
		}
		if !r.violates(o.BlockedOn, o.Drive, o.BlockedAt, d) {
			o.BlockedOn, o.Unblock = "", setupUnblock
			continue
		}
		out = append(out, Breach{o.BlockedOn, BySetup, o.Scenario.ID, o.Drive, o.BlockedAt, "", o.Reason})
	}
	for _, b := range r.Protocol.Breached(d, r.Drives) {
		if r.violates(b.Requirement, b.Drive, b.Where, d) {
			b.By, b.Expected, b.Actual = ByInvariant, cleaned(b.Expected, clean), cleaned(b.Actual, clean)
			b.Where.Pointer = cleaned(b.Where.Pointer, clean)
			out = append(out, b)
		}
	}
	return append(out, r.contradicted(d)...)
}

// contradicted returns the breaches of requirements by what two drives were told. What violates none is a finding.
func (r *Report) contradicted(d Discovery) (out []Breach) {
	for _, c := range r.Contradictions {
		if c.Requirement == "" || !r.violates(c.Requirement, c.Other.Drive, c.Other.Where, d) {
			r.DiscoveryFindings = append(r.DiscoveryFindings, Finding{Text: c.String()})
			continue
		}
		out = append(out, Breach{Requirement: c.Requirement, By: ByInvariant, Drive: c.Other.Drive, Where: c.Other.Where, Actual: c.Other.Is,
			Expected: fmt.Sprintf("%s, as at exchange %d of %s, for %s", c.One.Is, c.One.Where.Exchange, c.One.Drive, c.About)})
	}
	return out
}

const setupUnblock = "have the target carry out that step"

// violates reports whether what a drive saw at a place violates a requirement. It does not if the level is not MUST, if the
// target does not claim it, or if the reply is a refusal for a credential or for load.
func (r *Report) violates(id RequirementID, drive string, at wire.Ref, d Discovery) bool {
	row, known := r.Protocol.Ledger.Find(id)
	if !known || row.Level != Must || at.Exchange == 0 {
		return false
	}
	if !r.makes(id, d) {
		return false
	}
	i := slices.IndexFunc(r.Drives, func(d DriveRecord) bool { return d.ID == drive })
	if i < 0 {
		return true
	}
	e := r.Drives[i].Transcript.Entry(at.Exchange)
	return e == nil || e.Response == nil || !Refuses(e.Response.Status)
}

// makes reports whether a target makes the claim that a requirement rests on, or is expected to.
func (r *Report) makes(id RequirementID, d Discovery) bool {
	row, known := r.Protocol.Ledger.Find(id)
	if claim, is := r.Protocol.Claim(row.Claim); is && !r.Select.expects(claim) {
		_, made := claim.Look(d)
		return made
	}
	return known
}

// Refuses reports whether a status refuses for a credential or for load, or is one that a proxy gives in place of the target.
func Refuses(status int) bool { return refusals[status] }

var refusals = map[int]bool{
	http.StatusUnauthorized: true, http.StatusForbidden: true, http.StatusProxyAuthRequired: true, http.StatusRequestTimeout: true,
	http.StatusTooManyRequests: true, http.StatusBadGateway: true, http.StatusServiceUnavailable: true, http.StatusGatewayTimeout: true,
}

// violated returns the requirements of breaches, each once.
func violated(breaches []Breach) []RequirementID {
	var out []RequirementID
	for _, b := range breaches {
		if !slices.Contains(out, b.Requirement) {
			out = append(out, b.Requirement)
		}
	}
	return out
}

// Sight is the outcome of one check of a rule that holds for everything of its kind.
type Sight struct {
	Breach        // which rule, and where; Expected and Actual are those of a violation
	Held   bool   // the rule is kept
	Of     string // the id of the run or intent, or the path of the file, that was checked
	// Alone: the rule holds only if the transcript has everything that was asked of the target.
	Alone bool
}

// Unprompted is what a recording says of a requirement: what the target did for others, without being asked by Assay.
type Unprompted struct {
	Requirement RequirementID
	Times, Of   int // how often it was checked, and of how many runs, files and the like
	Violations  int // how many of the checks failed
	Breach      Breach
}

// RecordingDrive is the drive of breaches that a recording shows. It is none of the certification.
const RecordingDrive = "recording"

// Observed takes up what a recording of the target says. What it shows violated is violated.
func (r *Report) Observed(all []Unprompted) {
	r.Unprompted = all
	r.observed()
	r.derive(r.discovery())
}

// observed adds the breaches of Unprompted. It changes nothing the second time.
func (r *Report) observed() {
	for _, u := range r.Unprompted {
		if u.Violations > 0 && !slices.Contains(r.Breaches, u.Breach) {
			r.Breaches = append(r.Breaches, u.Breach)
		}
	}
}

// Violation is a requirement that is violated, for who watches a target of their own.
type Violation struct {
	Requirement RequirementID
	Text        string // of the requirement
	Source      string // where the spec says so
	Of          string // the id of what violates it
	Where       wire.Ref
	Expected    string
	Actual      string
}

// String returns the violation on one line.
func (v Violation) String() string {
	return fmt.Sprintf("%s violated by %s at %s: expected %s, got %s. %s: %s", v.Requirement, v.Of, v.Where, v.Expected, v.Actual,
		v.Source, v.Text)
}

// Violations returns the requirements that are violated, each once, in the order of the ledger.
func Violations(l *Ledger, sights []Sight) (all []Violation) {
	for _, row := range l.Rows {
		id := RequirementID(row.ID)
		if i := slices.IndexFunc(sights, func(s Sight) bool { return !s.Held && s.Requirement == id }); i >= 0 {
			s := sights[i]
			all = append(all, Violation{id, row.Text, row.Source + " " + row.Section, s.Of, s.Where, s.Expected, s.Actual})
		}
	}
	return all
}

// Hold judges a thing by a rule that needs no drive. The outcome has no checks if the rule does not apply to the thing.
func Hold[O any](rule string, proves IDs, judge func(O, *Judge), ledger *Ledger, thing O) Outcome {
	return Conclude(Scenario{ID: ScenarioID(rule), Proves: proves, Ask: Ask(&Drive[O]{ID: rule}, judge)}, ledger, thing)
}

// Sights passes on what the checks of a rule say of a thing: each that fails and names a MUST, once, and all that hold.
func (o Outcome) Sights(l *Ledger, drive, of string, alone bool, see func(Sight)) {
	for _, c := range o.Failures(l) {
		see(Sight{Of: of, Alone: alone, Breach: Breach{
			Requirement: RequirementID(c.Requirement), Drive: drive, Where: c.Where, Expected: c.Expected, Actual: c.Actual}})
	}
	for _, c := range o.Checks {
		if c.OK {
			see(Sight{Held: true, Of: of, Alone: alone, Breach: Breach{Requirement: RequirementID(c.Requirement), Drive: drive, Where: c.Where}})
		}
	}
}

// HoldAdvertised holds a discovery document, which a drive read, to the scenarios of the suite that ask about nothing else, as far as
// their claims are made.
func (s Suite) HoldAdvertised(d Discovery, drive string, see func(Sight)) {
	for _, sc := range s.Advertised() {
		if sc.Claim.Look != nil {
			if _, made := sc.Claim.Look(d); !made {
				continue
			}
		}
		Conclude(sc, s.Protocol.Ledger, d).Sights(s.Protocol.Ledger, drive, s.Protocol.DiscoveryPath, false, see)
	}
}

// Breached returns what of the drives violates a rule for everything of its kind.
func (p *Protocol) Breached(d Discovery, drives []DriveRecord) (all []Breach) {
	if p.Invariants == nil {
		return nil
	}
	p.Invariants(d, drives, func(s Sight) {
		if !s.Held {
			all = append(all, s.Breach)
		}
	})
	return all
}

// Counting returns a function that passes on the sights that count for a host with that discovery document: those of rules whose claim
// it makes, and of violations those that a certification would report. A claim that its document cannot make, or that is expected of it,
// counts as made.
func (p *Protocol) Counting(d Discovery, expected []string, records []DriveRecord, see func(Sight)) func(Sight) {
	r := Report{Protocol: p, Drives: records, Select: Selection{ExpectClaims: slices.Clone(expected)}}
	for _, c := range p.Claims {
		if d.Document.Present() && c.open(d) {
			r.Select.ExpectClaims = append(r.Select.ExpectClaims, c.ID)
		}
	}
	return func(s Sight) {
		if s.Held && r.makes(s.Requirement, d) || !s.Held && r.violates(s.Requirement, s.Drive, s.Where, d) {
			see(s)
		}
	}
}
