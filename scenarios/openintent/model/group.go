package model

import (
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
			if s.Status == Draft || g.family().Open(n) != 0 {
				*g = g.idle(n)
			}
		}
	}
}

// family returns the intents of a group, to look at and to change.
func (g *Group) family() Family { return g.All[:g.Size] }

// May returns the statuses that n may show.
func (g *Group) May(n int) []string { return g.family().May(n) }

// halt suspends n. No text says what the tasks of those do then that it blocks.
func (g Group) halt(n int) Group {
	g.family().halt(n)
	for m := range g.Size {
		if g.All[m].Held {
			g = g.idle(m)
		}
	}
	for f := range g.Folders {
		if g.Folders[f].Members.Has(n) {
			g.Folders[f].Told[n].Suspended[1]++
			g.Folders[f].Joined = g.Folders[f].Joined.without(n)
			g.Astray = g.Astray || g.Folders[f].Passed
		}
	}
	for w := range g.Works {
		if g.Works[w].Intent == n {
			if g.Works[w].Is == Runs && g.family().Open(n) == 0 {
				g.Works[w].Is = Mirrors
			} else {
				g.Works[w].Is = ""
			}
		}
	}
	record := g.All[n].Record
	g.Astray = g.Astray || record == Ended || record == Left // such a record may wait again
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
			if !answered || g.Works[w].Is != Mirrors || g.family().Open(n) != 0 {
				g.Works[w].Is = ""
			} else {
				g.Works[w].Is = Runs
			}
		}
	}
	return g
}

// end completes or abandons n, by a sentence.
func (g Group) end(n int, status string, why scenarios.RequirementID) Group {
	if g.All[n].Status == Suspended {
		g = g.over(n, false)
	}
	g.family().end(n, status)
	g.All[n].Why = why
	return g.idle(n)
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

// lapse ends the window of n.
func (g Group) lapse(n int) Group {
	w := Windows[g.All[n].Window]
	g.family().lapse(n, w.Fallback)
	g.All[n].Why = w.because()
	return g.over(n, false)
}

// lapseOtherwise ends it as a server may, too: it stays suspended (OIP-R12), or is completed (OIP-R13).
func (g Group) lapseOtherwise(n int) Group {
	g.family().expire(n)
	w := Windows[g.All[n].Window]
	if g.All[n].Why = w.because(); w.Fallback == Fails {
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
