package matrix

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
)

// Cell is one row of one column. An empty Word means that the certification did not ask.
type Cell struct {
	Word     string // proved, attested, violated, unproved, not met (SHOULD), not claimed; for a profile certified instead of proved
	Count    string // of requirements, like "1 of 4"; "" if nothing is claimed
	Seams    int    // how many of them need test seams of Assay's own
	Evidence string // the weakest evidence behind the word, "" if there is none
	Totals   []Total
}

// Total is the number of scenarios with a verdict.
type Total struct {
	N       int64
	Verdict results.Verdict
}

// Results of a family.
const (
	proved     = "proved"
	attested   = "attested"
	violated   = "violated"
	unproved   = "unproved"
	notClaimed = "not claimed"
	notMet     = string(scenarios.NotMet)
)

// families groups the requirements of one protocol by source text and section.
type families struct {
	ledger *scenarios.Ledger
	all    []Certification
	source map[string]string // source text of each family in the ledger
}

// list returns the families in ledger order, grouped by source text, then the requirements unknown to the ledger.
func (f families) list() []string {
	asked := map[string]bool{}
	var unknown []string
	for _, c := range f.all {
		for _, r := range c.Results.Requirements {
			if name := f.of(r.ID); !asked[name] {
				asked[name] = true
				if _, known := f.ledger.Find(scenarios.RequirementID(r.ID)); !known {
					unknown = append(unknown, name)
				}
			}
		}
	}
	var sources, out []string
	for _, row := range f.ledger.Rows {
		if name := f.of(row.ID); asked[name] && !slices.Contains(out, name) {
			out = append(out, name)
			if !slices.Contains(sources, row.Source) {
				sources = append(sources, row.Source)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return slices.Index(sources, f.source[a]) - slices.Index(sources, f.source[b]) })
	return append(out, unknown...)
}

func (f families) of(id string) string {
	row, known := f.ledger.Find(scenarios.RequirementID(id))
	if !known {
		return id
	}
	name := strings.TrimSpace(row.Source + " " + row.Section)
	f.source[name] = row.Source
	return name
}

// cell sums up one family of one certification by its worst word.
func (f families) cell(family string, d results.Results) Cell {
	n := map[string]int{}
	weakest := map[string]scenarios.Evidence{}
	all, seams := 0, 0
	for _, r := range d.Requirements {
		if f.of(r.ID) != family {
			continue
		}
		standing := f.standing(r)
		n[standing]++
		all++
		if r.Stimulus == results.StimulusAssaySeam && standing != notClaimed {
			seams++
		}
		if seen, err := scenarios.ParseEvidence(string(r.Evidence)); err == nil && seen != scenarios.Unseen &&
			(weakest[standing] == scenarios.Unseen || seen < weakest[standing]) {
			weakest[standing] = seen
		}
	}
	asked := all - n[notClaimed]
	switch {
	case all == 0:
		return Cell{}
	case n[violated] > 0:
		return Cell{Word: violated, Count: of(n[violated], all), Seams: seams, Evidence: weakest[violated].String()}
	case n[unproved] > 0:
		return Cell{Word: unproved, Count: of(n[unproved], all), Seams: seams}
	case asked == 0:
		return Cell{Word: notClaimed}
	case n[notMet] > 0:
		return Cell{Word: notMet, Count: of(n[notMet], asked), Seams: seams, Evidence: weakest[notMet].String()}
	case n[attested] > 0:
		return Cell{Word: attested, Count: of(n[attested], asked), Seams: seams, Evidence: weakest[attested].String()}
	}
	return Cell{Word: proved, Count: fmt.Sprint(asked), Seams: seams, Evidence: weakest[proved].String()}
}

func of(n, all int) string { return fmt.Sprintf("%d of %d", n, all) }

func (f families) standing(r results.RequirementResult) string {
	switch r.Verdict {
	case results.RequirementVerdictInapplicable:
		return notClaimed
	case results.RequirementVerdictFailed:
		return violated
	case results.RequirementVerdict(scenarios.NotMet):
		return notMet
	case results.RequirementVerdictPassed:
		row, _ := f.ledger.Find(scenarios.RequirementID(r.ID))
		if seen, err := scenarios.ParseEvidence(string(r.Evidence)); err == nil && seen >= row.Demands() {
			return proved
		}
		return attested
	}
	return unproved
}

func profiles(all []Certification) []string {
	var out []string
	for _, c := range all {
		for _, p := range c.Results.Profiles {
			if !slices.Contains(out, p.ID) {
				out = append(out, p.ID)
			}
		}
	}
	return out
}

func profileCell(id string, d results.Results) Cell {
	i := slices.IndexFunc(d.Profiles, func(p results.ProfileResult) bool { return p.ID == id })
	switch {
	case i < 0:
		return Cell{}
	case d.Profiles[i].Status == results.ProfileStatusInapplicable:
		return Cell{Word: notClaimed}
	}
	p := d.Profiles[i]
	if !p.Status.Valid() { // the document bypassed its schema
		return Cell{Word: unproved}
	}
	count := of(int(p.Proved), int(p.Required))
	if p.NotClaimed != nil {
		count += fmt.Sprintf(", %d left out", *p.NotClaimed)
	}
	return Cell{Word: string(p.Status), Count: count, Seams: int(p.ThroughSeam)}
}

// totals returns the non-zero totals in report order.
func totals(t results.Totals) (out []Total) {
	for _, v := range []Total{
		{t.Passed, results.VerdictPassed}, {t.Failed, results.VerdictFailed}, {t.Inapplicable, results.VerdictInapplicable},
		{t.Blocked, results.VerdictBlocked}, {t.Inconclusive, results.VerdictInconclusive}, {t.Broken, results.VerdictBroken},
	} {
		if v.N > 0 {
			out = append(out, v)
		}
	}
	return out
}

// Age is the age of a certification.
type Age struct {
	Days   int64
	Future bool // its clock or ours is wrong
	Old    bool
}

// ahead bounds how far honest clocks may differ.
const ahead = 5 * time.Minute

func age(at, now time.Time) Age {
	past := now.Sub(at)
	return Age{Days: int64(max(past, 0) / (24 * time.Hour)), Future: past < -ahead, Old: past > OldAfter}
}

func (a Age) String() string {
	switch {
	case a.Future:
		return "dated in the future"
	case a.Old:
		return fmt.Sprintf("%d d, old", a.Days)
	}
	if a.Days == 0 {
		return "today"
	}
	return fmt.Sprintf("%d d", a.Days)
}
