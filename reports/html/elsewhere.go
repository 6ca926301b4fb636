package html

import (
	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports/excerpt"
)

// elsewhere is a requirement that was seen violated outside the scenarios that name it.
type elsewhere struct {
	Requirement requirement
	Places      []seenAt
	More        int
	Passed      string
	Blocks      string // scenarios that it bars, with their number
}

// seenAt is one place of a violation.
type seenAt struct{ Expected, Actual, Place, Transcript, By string }

// mostPlaces bounds the places that are shown of one requirement.
const mostPlaces = 5

func (m *maker) elsewhere() []elsewhere {
	var out []elsewhere
	for _, v := range excerpt.Elsewhere(m.doc) {
		e := elsewhere{Requirement: m.requirement(v.Requirement), Passed: v.Passed, More: max(0, len(v.Places)-mostPlaces)}
		if n := excerpt.Barring(m.doc, v.Requirement); n > 0 {
			e.Blocks = textsafe.Count(n, "scenario")
		}
		for _, p := range v.Places[:min(len(v.Places), mostPlaces)] {
			e.Places = append(e.Places, m.seenAt(p))
		}
		out = append(out, e)
	}
	return out
}

func (m *maker) seenAt(p results.Violation) seenAt {
	return seenAt{Expected: clip(p.Expected, mostWords), Actual: clip(p.Actual, mostWords), Place: clip(excerpt.PlaceOf(p), mostWords),
		By: excerpt.SeenBy(p), Transcript: m.transcript(p.Drive)}
}

// repetition is a time at which a part of the scenarios was asked again.
type repetition struct {
	Line        string
	Differences []other
	More        int
}

// other is a scenario that came out otherwise.
type other struct {
	Scenario            link
	Before, Now, Reason string
}

func (m *maker) unprompted() (out []other) {
	for _, u := range m.doc.Unprompted {
		if words := excerpt.Otherwise(u); words != "" {
			out = append(out, other{Scenario: link{ID: clip(u.Requirement, mostWords)}, Reason: words})
		}
	}
	return out
}

// mostDifferences bounds the differences that are shown of one repetition.
const mostDifferences = 20

func (m *maker) repetitions() []repetition {
	var out []repetition
	for n, a := range m.doc.Repetitions {
		r := repetition{Line: clip(sentence(excerpt.Repetition(n+1, a)), mostWords), More: max(0, len(a.Differences)-mostDifferences)}
		for _, d := range a.Differences[:min(len(a.Differences), mostDifferences)] {
			r.Differences = append(r.Differences, other{link{clip(d.Scenario, mostWords), anchor(d.Scenario)}, string(d.Before), string(d.Now),
				clip(d.Reason, mostWords)})
		}
		out = append(out, r)
	}
	return out
}
