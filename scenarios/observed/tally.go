package observed

import (
	"fmt"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/wire"
)

// Row counts the checks of one requirement.
type Row struct {
	Requirement scenarios.RequirementID
	Times       int             // how often it was checked
	Of          int             // how many runs, files, intents and the like were checked
	Violations  int             // how many of the checks failed
	First       scenarios.Sight // the first check that failed, else the first of all
	At          *wire.Entry     // where the first check failed
	Pictures    []string        // of histories that a model does not explain
}

// Violated reports whether the requirement was seen violated.
func (r Row) Violated() bool { return r.Violations > 0 }

// tallies count the checks of some entries.
type tallies struct {
	records  []scenarios.DriveRecord
	numbers  []int32 // of the entries in the recording; nil if they are the same
	count    func(scenarios.Sight)
	rows     map[scenarios.RequirementID]*Row
	of       map[thing]bool
	picture  string // of the history that is looked at
	panicked string
}

// thing is something that a requirement was checked for.
type thing struct {
	requirement scenarios.RequirementID
	of          string
}

// recordOf returns a transcript as the only record. A log may go on behind the last page that somebody read.
func recordOf(t *wire.Transcript) []scenarios.DriveRecord {
	return []scenarios.DriveRecord{{ID: t.Drive, Transcript: t, Stop: &scenarios.Stop{Verdict: scenarios.Inconclusive}}}
}

// newTallies returns tallies of the checks of entries that are judged together.
func newTallies(j Judge, d scenarios.Discovery, entries *wire.Transcript, numbers []int32) *tallies {
	t := &tallies{records: recordOf(entries), numbers: numbers, of: map[thing]bool{}, rows: map[scenarios.RequirementID]*Row{}}
	t.count = j.Protocol.Counting(d, j.Expected, t.records, func(s scenarios.Sight) {
		if !s.Alone || j.Alone {
			t.see(s)
		}
	})
	return t
}

// run runs a judge, which may panic.
func (t *tallies) run(judge func()) {
	defer func() {
		if p := recover(); p != nil {
			t.panicked = fmt.Sprint(p)
		}
	}()
	judge()
}

func (t *tallies) see(s scenarios.Sight) {
	if n := s.Where.Exchange; t.numbers != nil && n > 0 && n <= len(t.numbers) {
		s.Where.Exchange = int(t.numbers[n-1])
	}
	row := &Row{Requirement: s.Requirement, Times: 1, First: s}
	if of := (thing{s.Requirement, s.Of}); !t.of[of] {
		t.of[of] = true
		row.Of = 1
	}
	if !s.Held {
		row.Violations = 1
		if t.picture != "" {
			row.Pictures = []string{t.picture}
		}
	}
	t.addRow(row)
}

func (t *tallies) addRow(other *Row) {
	row := t.rows[other.Requirement]
	if row == nil {
		t.rows[other.Requirement] = other
		return
	}
	sooner := other.First.Where.Exchange < row.First.Where.Exchange
	if other.Violated() && (!row.Violated() || sooner) || !row.Violated() && sooner {
		row.First = other.First
	}
	row.Times += other.Times
	row.Of += other.Of
	row.Violations += other.Violations
	row.Pictures = append(row.Pictures, other.Pictures...)
}

// add adds those of other entries, which are about other things.
func (t *tallies) add(other *tallies) {
	if t.rows == nil {
		t.rows = map[scenarios.RequirementID]*Row{}
	}
	for _, row := range other.rows {
		t.addRow(row)
	}
	if other.panicked != "" && (t.panicked == "" || other.panicked < t.panicked) {
		t.panicked = other.panicked
	}
}

// tell counts what models say of histories, and returns how many they cannot decide.
func (t *tallies) tell(all []explore.Told) (undecidable int) {
	for _, told := range all {
		if told.GaveUp {
			undecidable++
		}
		t.picture = told.Picture
		for _, h := range told.Held {
			t.count(scenarios.Sight{Held: true, Alone: true, Of: told.Of, Breach: scenarios.Breach{
				Requirement: h.Of, Drive: scenarios.RecordingDrive, Where: h.Where}})
		}
		for _, id := range told.Violates {
			t.count(scenarios.Sight{Alone: true, Of: told.Of, Breach: scenarios.Breach{Requirement: id, Drive: scenarios.RecordingDrive,
				Where: told.Where, Expected: "what the model of " + told.Kind + " allows"}})
		}
	}
	return undecidable
}
