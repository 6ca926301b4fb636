package challenge

import (
	"slices"

	"github.com/openassay/assay/scenarios"
)

// named returns the kinds that the row of a requirement names.
func named(row scenarios.Requirement) []Kind {
	kinds := make([]Kind, len(row.Breaks))
	for i, word := range row.Breaks {
		kinds[i] = Kind(word)
	}
	return kinds
}

// ordinary returns the kinds for a requirement whose row names none, by what its checks looked at. To leave a value out
// turns every check that looks at it, so it is none of them, but for elements of lists.
func (s *scene) ordinary(looks []look) []Kind {
	var out []Kind
	add := func(kinds ...Kind) {
		for _, k := range kinds {
			if !slices.Contains(out, k) {
				out = append(out, k)
			}
		}
	}
	for _, l := range looks {
		if l.wait != nil {
			add(BeyondBound)
		}
		for _, p := range s.places(l) {
			switch kind := typeOf(p.text); {
			case p.status():
				add(AnotherStatus)
			case p.text == "" || p.files() || p.ref.Part == "stderr":
				add(Inserted)
			case p.ref.Part == "bytes" || kind == aNumber && !p.plain():
				add(OffByOne, AnotherValue, BeyondBound)
			case p.plain():
				add(AnotherValue)
			case kind == anObj || kind == anArray:
				add(AnotherValue, AnotherType, Inserted, LeftOut)
			default:
				add(AnotherValue, AnotherType)
			}
		}
	}
	for _, l := range looks {
		if l.list {
			add(Repeated, LeftOut, Inserted)
		}
	}
	if len(out) > 0 {
		add(lastResorts...)
	}
	return out
}

// lastResorts are tried where nothing else has turned a check.
var lastResorts = []Kind{Swapped, Leaked, BeyondBound}
