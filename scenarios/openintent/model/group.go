package model

import (
	"math/bits"
	"slices"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
)

// What a group holds at most, and how often an intent is suspended in it at most.
const (
	MostIntents = 5
	MostFolders = 2
	MostWorks   = 2
	MostRounds  = 12
)

// Some is a set of small numbers.
type Some uint16

// Has reports whether n is in the set.
func (s Some) Has(n int) bool { return s&(1<<n) != 0 }

// Len returns how many are in the set.
func (s Some) Len() int { return bits.OnesCount16(uint16(s)) }

func (s Some) with(n int) Some    { return s | 1<<n }
func (s Some) without(n int) Some { return s &^ (1 << n) }

// Group is a small world of intents that hang together, in one of the states in which it may be.
type Group struct {
	Size    int                 `json:"size"`
	All     [MostIntents]Single `json:"all"`
	Folders [MostFolders]Shelf  `json:"folders"`
	Works   [MostWorks]Errand   `json:"works"`
	Offers  Offers              `json:"offers"`
	Seen    bool                `json:"seen,omitempty"` // an intent was read
	// Astray: something happened of which the texts do not say what comes of it.
	Astray bool `json:"astray,omitempty"`
}

// Offers are claims of the server beside that to graphs.
type Offers struct {
	Lifecycle bool `json:"lifecycle"`
	Portfolio bool `json:"portfolio"`
	Plan      bool `json:"plan"`
	Windows   bool `json:"windows"`  // it expires and reminds by itself, by a clock that can be moved
	Deadline  bool `json:"deadline"` // likewise
}

// Single is an intent of a group.
type Single struct {
	Parent int    `json:"parent"` // None for none
	Needs  Some   `json:"needs"`  // what it depends on
	Status string `json:"status"` // as a caller has it: one that is blocked by what it depends on is active here
	Held   bool   `json:"held"`   // see [standing]
	// Why is the sentence by which it has its status.
	Why    scenarios.RequirementID `json:"why"`
	Note   int                     `json:"note"` // a key of its state; 0 is none
	Leased bool                    `json:"leased"`

	Round  int    `json:"round"`  // how many records were written
	Record string `json:"record"` // of the last one: Open, Answered, Expired, or "" where there is none
	Asks   int    `json:"asks"`   // of [Kinds]
	Window int    `json:"window"` // of [Windows]
	Passed int    `json:"passed"` // intervals of the window
	Answer int    `json:"answer"` // of [Values]
	// Again: it was suspended once more, and there is no record of that yet.
	Again   bool `json:"again"`
	Twice   Some `json:"twice"`   // the rounds after which it was suspended again before there was another record
	Resumed Some `json:"resumed"` // the rounds that were answered
	Others  Some `json:"others"`  // the rounds that ended otherwise, of which a log may tell that the intent resumed
}

// What becomes of a record.
const (
	Waiting  = "waiting"
	Answered = "responded"
	Expired  = "expired"
	Ended    = "ended" // by a deadline
	Left     = "left"  // its intent ended otherwise
)

// Shelf is a portfolio of a group.
type Shelf struct {
	Members Some `json:"members"`
	Twice   Some `json:"twice"`
	Joined  Some `json:"joined"` // those that were suspended when they joined, and have not been suspended since
	Dated   bool `json:"dated"`  // it has a deadline
	Passed  bool `json:"passed"` // that is over
	// Told is how often its log tells at least and at most of each intent that it was suspended and that it resumed.
	Told [MostIntents]Told `json:"told"`
}

// Told are bounds of events.
type Told struct {
	Suspended [2]int8 `json:"suspended"`
	Resumed   [2]int8 `json:"resumed"`
}

// Errand is a task of a group. All are in one plan.
type Errand struct {
	Intent int    `json:"intent"`
	Is     string `json:"is"` // Runs, Mirrors, or "" where the texts do not say
}

// What a task does.
const (
	Runs    = "running"
	Mirrors = "blocked"
)

// Untimed reports whether nothing of a group waits for time to pass. The clock of a server that is killed need not go on where it was.
func (g Group) Untimed() bool {
	for _, s := range g.All[:g.Size] {
		if s.Record == Waiting && s.Window > 0 {
			return false
		}
	}
	return !slices.ContainsFunc(g.Folders[:], func(f Shelf) bool { return f.Dated && !f.Passed })
}

// Start has the intents of a group be active that are no drafts.
func (g *Group) Start() {
	for n := range g.All {
		if s := &g.All[n]; n < g.Size {
			s.Why = openintent.OIP00014
			if s.Status == "" {
				s.Status = Active
			}
			if s.Status == Draft || g.open(n) != 0 {
				*g = g.idle(n)
			}
		}
	}
}

// open returns what n depends on and is not completed.
func (g *Group) open(n int) (open Some) {
	for d := range g.Size {
		if g.All[n].Needs.Has(d) && g.All[d].Status != Completed {
			open = open.with(d)
		}
	}
	return open
}

// waits reports whether something that n depends on is suspended.
func (g *Group) waits(n int) bool {
	for d := range g.Size {
		if g.All[n].Needs.Has(d) && g.All[d].Status == Suspended {
			return true
		}
	}
	return false
}

// May returns the statuses that n may show, see [standing.May].
func (g *Group) May(n int) []string {
	s := g.All[n]
	switch {
	case s.Status != Active:
		return []string{s.Status}
	case s.Held:
		return []string{Blocked}
	case g.open(n) != 0:
		return []string{Active, Blocked}
	}
	return []string{Active}
}

// is reports whether n has this status beyond doubt.
func (g *Group) is(n int, status string) bool {
	may := g.May(n)
	return len(may) == 1 && may[0] == status
}

// reaches reports whether from waits for to, directly or not.
func (g *Group) reaches(from, to int) bool {
	seen, next := Some(0).with(from), g.All[from].Needs
	for more := true; more; {
		if next.Has(to) {
			return true
		}
		more = false
		for n := range g.Size {
			if next.Has(n) && !seen.Has(n) {
				seen, next, more = seen.with(n), next|g.All[n].Needs, true
			}
		}
	}
	return from == to
}

// children returns the intents whose parent is n.
func (g *Group) children(n int) (all Some) {
	for c := range g.Size {
		if g.All[c].Parent == n {
			all = all.with(c)
		}
	}
	return all
}

// around returns what the graph of n may hold.
func (g *Group) around(n int) Some {
	around := Some(0).with(n)
	for before := Some(0); before != around; {
		before = around
		for i := range g.Size {
			if around.Has(i) {
				around |= g.children(i) | g.All[i].Needs
			}
		}
	}
	return around
}

// halt suspends n: what is active and depends on it is blocked (RFC-0026 2, rule 2), and nobody else changes.
func (g Group) halt(n int) Group {
	was := g.All[n].Status
	for m := range g.Size {
		switch s := &g.All[m]; {
		case m == n || was == Suspended || s.Status != Active:
		case s.Needs.Has(n):
			s.Held, s.Why = true, openintent.OIP0026R2
			g = g.idle(m)
		case s.Parent == n || g.All[n].Parent == m || s.Parent != None && s.Parent == g.All[n].Parent:
			s.Why = openintent.OIP0026R1
		case !s.Held && s.Why != openintent.OIP0026R1:
			s.Why = openintent.OIP00024
		}
	}
	for f := range g.Folders {
		if g.Folders[f].Members.Has(n) && was != Suspended {
			g.Folders[f].Told[n].Suspended[1]++
			g.Folders[f].Joined = g.Folders[f].Joined.without(n)
			g.Astray = g.Astray || g.Folders[f].Passed
		}
	}
	for w := range g.Works {
		if g.Works[w].Intent == n && was != Suspended {
			if g.Works[w].Is == Runs && was == Active && g.open(n) == 0 {
				g.Works[w].Is = Mirrors
			} else {
				g.Works[w].Is = ""
			}
		}
	}
	s := &g.All[n]
	s.Status, s.Held, s.Why = Suspended, false, openintent.OIPREAD2
	if s.Again = s.Record == Answered || s.Record == Expired; s.Again {
		s.Twice = s.Twice.with(s.Round)
	}
	g.Astray = g.Astray || s.Record == Ended || s.Record == Left // such a record may wait again
	return g.begin(n)
}

// begin counts what a portfolio tells when both are there: the status and a record that waits.
func (g Group) begin(n int) Group {
	if g.All[n].Status != Suspended || g.All[n].Record != Waiting {
		return g
	}
	for f := range g.Folders {
		if t := &g.Folders[f].Told[n]; g.Folders[f].Members.Has(n) && !g.Folders[f].Joined.Has(n) && t.Suspended[0] < t.Suspended[1] {
			t.Suspended[0]++
		}
	}
	return g
}

// resume has n go on after a suspension; answered says that an answer did it. That alone unblocks nothing.
func (g Group) resume(n int, why scenarios.RequirementID, answered bool) Group {
	s := &g.All[n]
	s.Status, s.Why = Active, why
	for m := range g.Size {
		if g.All[m].Held && g.All[m].Needs.Has(n) {
			g.All[m].Why = openintent.OIP0026R2C
		}
	}
	return g.over(n, answered)
}

// over is what follows for tasks and portfolios when n waits no more.
func (g Group) over(n int, answered bool) Group {
	for f := range g.Folders {
		if t := &g.Folders[f].Told[n]; g.Folders[f].Members.Has(n) {
			if t.Resumed[1]++; answered {
				t.Resumed[0]++
			}
		}
	}
	for w := range g.Works {
		if g.Works[w].Intent == n {
			if !answered || g.Works[w].Is != Mirrors || g.open(n) != 0 {
				g.Works[w].Is = ""
			} else {
				g.Works[w].Is = Runs
			}
		}
	}
	return g
}

// end completes or abandons n. What depends on it goes on when all that it depends on is completed (RFC-0002).
func (g Group) end(n int, status string, why scenarios.RequirementID) Group {
	if g.All[n].Status == Suspended {
		g = g.over(n, false)
	}
	g = g.idle(n)
	if s := &g.All[n]; s.Record == Waiting {
		s.Record, s.Others = Left, s.Others.with(s.Round)
	}
	g.All[n].Status, g.All[n].Held, g.All[n].Why = status, false, why
	if status != Completed {
		return g
	}
	for m := range g.Size {
		switch s := &g.All[m]; {
		case s.Status != Active || !s.Needs.Has(n):
		case g.open(m) == 0:
			s.Held, s.Why = false, openintent.OIP0026R2D
		case s.Held:
			s.Why = openintent.OIP00022
		}
	}
	return g
}

// idle forgets the tasks of n: the texts say nothing of them where their intent is blocked or has ended.
func (g Group) idle(n int) Group {
	for w := range g.Works {
		if g.Works[w].Intent == n {
			g.Works[w].Is = ""
		}
	}
	return g
}

// free takes a dependency of n away. One that depends on something open still is active or blocked, unless that is suspended.
func (g Group) free(n, on int) Group {
	s := &g.All[n]
	if !s.Needs.Has(on) {
		return g
	}
	s.Needs = s.Needs.without(on)
	switch was := s.Held || g.All[on].Status != Completed; {
	case g.open(n) == 0 && was:
		s.Held, s.Why = false, openintent.OIP0002201
	case s.Held:
		s.Held, s.Why = g.waits(n), openintent.OIP00022
	}
	return g
}

// lapse ends the window of n.
func (g Group) lapse(n int) Group {
	s := &g.All[n]
	s.Passed, s.Record, s.Others = s.Passed+1, Expired, s.Others.with(s.Round)
	w := Windows[s.Window]
	if w.Fallback == Fails {
		return g.end(n, Abandoned, w.because())
	}
	return g.resume(n, w.because(), false)
}

// lapseOtherwise ends it as a server may, too: it stays suspended (OIP-R12), or is completed (OIP-R13).
func (g Group) lapseOtherwise(n int) Group {
	s := &g.All[n]
	s.Passed, s.Record, s.Others = s.Passed+1, Expired, s.Others.with(s.Round)
	w := Windows[s.Window]
	if s.Why = w.because(); w.Fallback == Fails {
		return g
	}
	return g.end(n, Completed, w.because())
}

// because is the sentence by which the fallback is the one that is done.
func (w Window) because() scenarios.RequirementID {
	switch {
	case w.Outer != "":
		return openintent.OIP0026B2
	case w.Inherits:
		return openintent.OIP0026H8
	case w.Fallback == Fails:
		return openintent.OIP0025F1
	case w.Silent:
		return openintent.OIP0026N6
	}
	return openintent.OIP0025F2
}

// deadline ends the members of a portfolio that wait, whatever their windows are (RFC-0026 2, rule 5).
func (g Group) deadline(s deedStep) Group {
	f := &g.Folders[s.In.On]
	if !f.Dated || f.Passed {
		return g
	}
	f.Passed = true
	for n := range g.Size {
		if !f.Members.Has(n) {
			continue
		}
		g.All[n].Leased = false
		if s := g.All[n]; s.Status == Suspended && (s.Record != Expired || s.Again) {
			if g = g.end(n, Abandoned, openintent.OIP0026R5); g.All[n].Record == Left {
				g.All[n].Record = Ended
			}
		} else if s.Status == Suspended || s.Record == Waiting { // it stayed so behind its window, or its record is old now
			g.Astray = true
		}
	}
	return g
}
