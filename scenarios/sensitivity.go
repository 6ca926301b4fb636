package scenarios

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Insensitive: it was passed, and no change to what the target sent that breaks the sentence turned a check. It is a
// verdict on requirements alone: the scenario passed.
const Insensitive Verdict = "insensitive"

// NotMet: the target does otherwise than a SHOULD says. It is a verdict on requirements alone: a scenario has a finding.
const NotMet Verdict = "not met (SHOULD)"

// Sensitivity says which passes of a certification were shown able to fail. A pass is a passed scenario and one of its
// requirements.
type Sensitivity struct {
	Passes, Sensitive int
	Insensitive       []InsensitivePass // in the order of the scenarios
}

// InsensitivePass is a pass that was not shown able to fail.
type InsensitivePass struct {
	Scenario    ScenarioID
	Requirement RequirementID
	Drive       string
	// ByRow: the requirement's row names the changes that break its sentence, so the pass proves nothing. Otherwise they
	// follow from the values, and the pass stands.
	ByRow bool
	Cause string // blind, unreachable or no-place
	Why   string // the cause in a sentence
}

// Challenged adds what changes to the target's replies have shown, and derives requirements, claims and profiles again.
// The report must hold its drives.
func (r *Report) Challenged(s *Sensitivity) {
	r.Sensitivity = s
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		o.insensitive = nil
		for _, p := range s.Insensitive {
			if p.ByRow && p.Scenario == o.Scenario.ID {
				o.insensitive = append(o.insensitive, p.Requirement)
			}
		}
	}
	r.derive(r.discovery())
}

// discovery returns what the target said about itself.
func (r *Report) discovery() Discovery {
	for _, d := range r.Drives {
		if found, is := d.Observation.(Discovery); is {
			return found
		}
	}
	return Discovery{}
}

// verdictOn returns the verdict and the evidence of an outcome on one of its requirements: a failed scenario may have shown
// that others are kept, and a pass that could not have failed proves nothing.
func (o Outcome) verdictOn(id RequirementID) (Verdict, Evidence) {
	switch {
	case o.Verdict == Failed:
		return o.verdictBeside(id)
	case o.Verdict == Passed && o.unrepeated:
		return Inconclusive, Unseen
	case o.Verdict == Passed && slices.Contains(o.insensitive, id):
		return Insensitive, o.Evidence
	}
	return o.Verdict, o.Evidence
}

// Retrial is a finished drive whose scenarios can be judged again after changes to what the target sent. It is for one
// goroutine.
type Retrial struct {
	// Bound follows changes of the transcript.
	Bound *wire.Bound

	observation any // a pointer
}

// NewRetrial reads the observation of a drive again; any of its scenarios will do for of.
func NewRetrial(of Scenario, d DriveRecord, speech wire.Speech) (*Retrial, error) {
	raw, err := json.Marshal(d.Observation)
	if err != nil {
		return nil, fmt.Errorf("observation of %s: %w", d.ID, err)
	}
	o, err := of.Ask.read(raw)
	if err != nil {
		return nil, err
	}
	if all, several := o.(rounds); several { // the others would be judged as it is
		o = all[0]
	}
	t := &wire.Transcript{Drive: d.ID, Entries: d.Transcript.Entries, Speech: speech}
	bound, err := wire.Follow(o, t)
	if err != nil {
		return nil, err
	}
	return &Retrial{bound, o}, nil
}

// Judge judges a scenario of the drive. seen is what each check of the outcome was about.
func (r *Retrial) Judge(s Scenario, ledger *Ledger, firm bool) (o Outcome, seen []wire.Seen) {
	tally := check.Tally{}
	tally.Keep()
	j := &Judge{ledger: ledger, evidence: Observed, firm: firm, tally: tally}
	o = j.conclude(s, r.observation)
	return o, j.tally.Seen()
}

// Firm reports whether the target makes the claim of a scenario, or the operator expects it.
func (r *Report) Firm(s Scenario, d Discovery) bool {
	_, claimed := s.Claim.Look(d)
	return claimed || r.Select.expects(s.Claim)
}
