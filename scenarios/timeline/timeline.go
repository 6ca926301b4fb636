// Package timeline holds what a report draws of runs that go round: the turns of each loop, and what came of them. A protocol
// reads them out of a transcript.
package timeline

import (
	"encoding/json"
	"fmt"

	"github.com/openassay/assay/internal/textsafe"
)

// Loop is what a target's own log tells of one run that goes round: a turn for each decision.
type Loop struct {
	Run   string
	Turns []Turn
	Left  int    // turns that are not shown
	End   string // how the run ended, as far as the drive saw
}

// Turn is one turn of a loop, and what came of it.
type Turn struct {
	Number string // the iteration or step that the target gave it
	Kind   string // what was decided
	Odd    string // the number that Number does not follow, "" where it does
	Below  []Happening
	Left   int // happenings that are not shown
}

// Happening is something that came of a turn. Class is child, pause or trouble.
type Happening struct{ Class, Text, Words string }

// Bounds of what is drawn of one drive.
const (
	MostLoops = 3
	MostTurns = 16 // of a loop
	MostBelow = 5  // happenings of a turn
	MostWord  = 40 // characters of one value
)

// Loops are those of one drive, by the run, in the order of their first turn. The zero Loops is ready for use.
type Loops struct{ runs []*Loop }

// Of returns the loop of a run.
func (l *Loops) Of(run string) *Loop {
	for _, r := range l.runs {
		if r.Run == run {
			return r
		}
	}
	r := &Loop{Run: run}
	l.runs = append(l.runs, r)
	return r
}

// Drawn returns the loops that have turns, within the bounds.
func (l *Loops) Drawn() []Loop {
	var out []Loop
	for _, r := range l.runs {
		if len(r.Turns) == 0 || len(out) == MostLoops {
			continue
		}
		if r.Left = len(r.Turns) - MostTurns; r.Left > 0 {
			r.Turns = r.Turns[:MostTurns]
		}
		r.Left = max(r.Left, 0)
		out = append(out, *r)
	}
	return out
}

// Turn adds a turn and compares its number with the one before it, which a retry may keep.
func (r *Loop) Turn(number json.RawMessage, kind string, retries bool) {
	t := Turn{Number: Word(number), Kind: kind}
	if len(r.Turns) > 0 {
		var before, now int
		last := r.Turns[len(r.Turns)-1].Number
		_, err := fmt.Sscanf(last+" "+t.Number, "%d %d", &before, &now)
		if err == nil && now != before+1 && (!retries || now != before) {
			t.Odd = last
		}
	}
	r.Turns = append(r.Turns, t)
}

// Child adds a run that the last turn began.
func (r *Loop) Child(class, workflow, status string) {
	sign := map[string]string{"completed": "✓ ", "failed": "✗ ", "cancelled": "✗ "}[status]
	r.happened(Happening{class, sign + workflow, workflow + " " + status})
}

// Below adds something that came of the last turn.
func (r *Loop) Below(class, text string) { r.happened(Happening{class, text, text}) }

func (r *Loop) happened(h Happening) {
	if len(r.Turns) == 0 {
		return
	}
	t := &r.Turns[len(r.Turns)-1]
	if len(t.Below) == MostBelow {
		t.Left++
		return
	}
	t.Below = append(t.Below, h)
}

// Word returns a JSON value as a word: a string without its quotes.
func Word(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		s = string(raw)
	}
	return textsafe.Clip(s, MostWord)
}
