package scenarios

import "sync"

// RequirementID names one normative sentence of a source text: OWP-0061-B1.
type RequirementID string

// IDs are the requirements that a scenario proves, the weightiest first.
type IDs = []RequirementID

// Levels of a requirement.
const (
	Must   = "MUST"
	Should = "SHOULD"
	May    = "MAY"
)

// Requirement is one row of a ledger. Its fields are those of the generated
// rows, so that a generated ledger converts row by row.
type Requirement struct {
	ID       string   // OWP-0061-B1
	Level    string   // MUST, SHOULD or MAY
	Source   string   // RFC-0061
	File     string   // source file
	Section  string   // B
	Line     int      // line of the source file, from 1
	Hash     string   // first 12 hex digits of the sentence's SHA-256
	Claim    string   // id of the claim it hangs on, "" for every target
	Evidence string   // weakest evidence that proves it
	Text     string   // what it asks, in our words
	Reason   string   // why no scenario tests it: unobservable, needs-host-control, not-addressed-to-hosts, spec-gap, planned
	Why      string   // the reason in a sentence
	Issue    int      // with planned: the milestone that will test it
	Accepts  string   // what is accepted where texts contradict each other
	Stimulus string   // assay-seam: only a seam of Assay's own brings it about or shows it
	Aliases  []string // former ids
}

// Demands is the weakest evidence that proves r: observed unless the row says otherwise.
func (r Requirement) Demands() Evidence {
	e, err := ParseEvidence(r.Evidence)
	if err != nil || e == Unseen {
		return Observed
	}
	return e
}

// SeamStimulus marks requirements that only a test seam of Assay's own brings
// about or shows (docs/seams.md): a target that has not wired it cannot prove them.
const SeamStimulus = "assay-seam"

// ThroughSeam says whether r is shown only through a seam of Assay's own.
func (r Requirement) ThroughSeam() bool { return r.Stimulus == SeamStimulus }

// Ledger finds requirements by id, former ids included.
type Ledger struct {
	Rows []Requirement
	byID func() map[RequirementID]int // index into Rows
}

// NewLedger is the ledger of rows. It indexes them when the first one is looked up.
func NewLedger(rows []Requirement) *Ledger {
	return &Ledger{Rows: rows, byID: sync.OnceValue(func() map[RequirementID]int {
		at := make(map[RequirementID]int, len(rows))
		for i, r := range rows {
			at[RequirementID(r.ID)] = i
			for _, a := range r.Aliases {
				at[RequirementID(a)] = i
			}
		}
		return at
	})}
}

// Find returns the row of an id or of a former id.
func (l *Ledger) Find(id RequirementID) (Requirement, bool) {
	i, ok := l.byID()[id]
	if !ok {
		return Requirement{}, false
	}
	return l.Rows[i], true
}
