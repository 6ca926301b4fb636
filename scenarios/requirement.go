package scenarios

import "sync"

// RequirementID names one normative sentence of a source text: OWP-0061-B1.
type RequirementID string

// IDs are the requirements that a scenario proves, the most important first.
type IDs = []RequirementID

// Levels of a requirement.
const (
	Must   = "MUST"
	Should = "SHOULD"
	May    = "MAY"
)

// Requirement is a row of a ledger. It has the same fields as generated rows, so that those convert to it.
type Requirement struct {
	ID       string   // OWP-0061-B1
	Level    string   // MUST, SHOULD or MAY
	Source   string   // RFC-0061
	File     string   // source file
	Section  string   // B
	Line     int      // line of the source file, from 1
	Hash     string   // first 12 hex digits of the sentence's SHA-256
	Claim    string   // id of the claim it belongs to, "" for every target
	Evidence string   // weakest evidence that proves it
	Text     string   // what it requires, in our words
	Reason   string   // why no scenario tests it: unobservable, needs-host-control, not-addressed-to-hosts, spec-gap, restated, planned
	Why      string   // the reason in a sentence
	Issue    int      // with planned: the milestone that will test it
	Accepts  string   // what Assay accepts if texts contradict each other
	Stimulus string   // SeamStimulus, or ""
	Breaks   []string // kinds of changes to what a target sent that break the sentence: see scenarios/challenge
	Aliases  []string // former ids
}

// Demands returns the weakest evidence that proves r: Observed unless the row says otherwise.
func (r Requirement) Demands() Evidence {
	e, err := ParseEvidence(r.Evidence)
	if err != nil || e == Unseen {
		return Observed
	}
	return e
}

// SeamStimulus marks requirements that only a test seam of Assay's own can trigger or show (docs/seams.md). A target
// without that seam cannot prove them.
const SeamStimulus = "assay-seam"

// ThroughSeam reports whether only a seam of Assay's own can show r.
func (r Requirement) ThroughSeam() bool { return r.Stimulus == SeamStimulus }

// Ledger finds requirements by id, former ids included.
type Ledger struct {
	Rows []Requirement
	byID func() map[RequirementID]int // index into Rows
}

// NewLedger returns a ledger of rows. It indexes them at the first lookup.
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

// Present returns the present id of a requirement, which may be given by a former one.
func (l *Ledger) Present(id RequirementID) RequirementID {
	if row, known := l.Find(id); known {
		return RequirementID(row.ID)
	}
	return id
}

// Find returns the row with an id, or with a former id.
func (l *Ledger) Find(id RequirementID) (Requirement, bool) {
	i, ok := l.byID()[id]
	if !ok {
		return Requirement{}, false
	}
	return l.Rows[i], true
}

// BelowMust returns the ids of all rows that are no MUST; none without a ledger.
func (l *Ledger) BelowMust() (ids IDs) {
	if l == nil {
		return nil
	}
	for _, r := range l.Rows {
		if r.Level != Must {
			ids = append(ids, RequirementID(r.ID))
		}
	}
	return ids
}
