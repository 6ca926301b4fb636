package scenarios

import (
	"encoding/json"
	"fmt"

	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

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
