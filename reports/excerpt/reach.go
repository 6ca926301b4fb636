package excerpt

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
)

// Reach says how far a requirement was asked, "" if no check of it was made.
func Reach(r *results.Reach) string {
	if r == nil {
		return ""
	}
	words := textsafe.Count(int(r.Asked), "check")
	if r.Made > 0 {
		words += fmt.Sprintf(" of what %d runs or turns showed", r.Made)
	}
	var drawn []string
	for _, d := range r.Drawn {
		text := fmt.Sprintf("%s %d to %d", d.Name, d.Least, d.Most)
		if d.Narrowed != "" {
			text += " (no more, since " + d.Narrowed + ")"
		}
		drawn = append(drawn, text)
	}
	if len(drawn) > 0 {
		words += "; drawn: " + strings.Join(drawn, ", ")
	}
	return words
}

// Shallow says how many requirements of a profile were not asked as far as it demands, "" for none.
func Shallow(p results.ProfileResult) string {
	if p.Shallow == nil {
		return ""
	}
	words := fmt.Sprintf("%d passed and not asked as far as it demands", *p.Shallow)
	if p.Depth != "" {
		words += fmt.Sprintf(" (--depth %s)", p.Depth)
	}
	return words
}

// mostDimensions bounds the dimensions that a summary names.
const mostDimensions = 3

// Reached sums up how far a certification asked: two with the same verdicts may differ in it. "" where the document does
// not say.
func Reached(doc results.Results) string {
	checks, drawn, narrowed := int64(0), map[string]results.Drawn{}, 0
	for _, r := range doc.Requirements {
		if r.Reach == nil {
			continue
		}
		checks += r.Reach.Asked
		for _, d := range r.Reach.Drawn {
			if was, known := drawn[d.Name]; !known || d.Most > was.Most {
				drawn[d.Name] = d
			}
		}
	}
	if checks == 0 {
		return ""
	}
	words := textsafe.Count(int(checks), "check")
	if doc.Depth != "" {
		words = fmt.Sprintf("depth %s, %s", doc.Depth, words)
	}
	names := slices.SortedFunc(maps.Keys(drawn), func(a, b string) int {
		return cmp.Or(cmp.Compare(drawn[b].Most, drawn[a].Most), cmp.Compare(a, b))
	})
	var most []string
	for i, name := range names {
		if i < mostDimensions {
			most = append(most, fmt.Sprintf("%s up to %d", name, drawn[name].Most))
		}
		if drawn[name].Narrowed != "" {
			narrowed++
		}
	}
	if len(most) > 0 {
		words += fmt.Sprintf(", %s drawn (%s)", textsafe.Count(len(names), "dimension"), strings.Join(most, ", "))
	}
	if narrowed > 0 {
		words += fmt.Sprintf(", %d of them narrowed by limits of the target", narrowed)
	}
	return words
}
