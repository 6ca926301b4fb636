package matrix

import (
	_ "embed"
	"html/template"
	"io"
	"sync"
	"time"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports/conformance"
	"github.com/openassay/assay/reports/excerpt"
	"github.com/openassay/assay/reports/html"
)

//go:embed page.css
var ownStyle string

//go:embed page.html
var layout string

// page escapes its values by context; line and clip spell out invisible characters. The template is parsed when the
// first page is written, not at start.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("matrix").Funcs(template.FuncMap{
		"line":       textsafe.Line,
		"clip":       clip,
		"short":      func(s string) string { return textsafe.Clip(s, 36) },
		"cutLong":    func(s string) string { return textsafe.Clip(s, mostReason) },
		"date":       func(t time.Time) string { return t.UTC().Format(time.DateOnly) },
		"moment":     func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"headers":    func(c Column) string { return textsafe.Clip(excerpt.ExtraHeaders(c.ExtraHeaders), mostReason) },
		"comparable": func(t Table) string { return t.comparable(clip) },
		"before":     func(r Row) string { before, _ := r.words(); return before },
		"name": func(r Row) string {
			if r.Section != "" {
				return r.Section // its source text is in a row above
			}
			_, name := r.words()
			return name
		},
		"claims": func(b *conformance.Bundle) string { return toldClaims(b, clip) },
		"told": func(b *conformance.Bundle, scenario string) toldWord {
			word, count := toldCell(b, scenario)
			return toldWord{word, count}
		},
		"totals": toldTotals, "contradicts": contradicts,
		"age": func(m *Matrix, b *conformance.Bundle) Age { return age(b.GeneratedAt, m.AsOf) },
		"at":  func(t Table, i int) Column { return t.Columns[i] },
		"inc": func(i int) int { return i + 1 },
		"cls": func(word string) string {
			switch word {
			case notClaimed:
				return "unclaimed"
			case notMet:
				return "unmet"
			}
			return word
		},
	}).Parse(layout))
})

// toldWord is a cell of another suite's bundle.
type toldWord struct{ Word, Count string }

func clip(s string) string { return textsafe.Clip(s, mostName) }

// HTML writes the matrix as one self-contained page.
func (m *Matrix) HTML(w io.Writer) error {
	own := template.CSS(ownStyle) //nolint:gosec // our own file
	return page().Execute(w, map[string]any{
		"Matrix": m, "Style": html.Style(), "Own": own, "Policy": html.Policy([]template.CSS{html.Style(), own}, nil),
		"Legend": legend, "Notes": notes, "ToldTitle": toldTitle, "ToldIntro": toldIntro(m.Told),
		"ToldLegend": toldLegend, "ToldScenarios": toldScenarios(m.Told),
	})
}
