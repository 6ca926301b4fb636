package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios"
)

// Matrix writes one Markdown table a protocol: a row a family of requirements (a section of a source text), a column a
// certification. ledgers has the ledger of each protocol, by its id; they say which family a requirement belongs to
// and what evidence it demands. A requirement that its ledger does not know is a family of its own.
func Matrix(w io.Writer, ledgers map[string]*scenarios.Ledger, docs ...results.Results) error {
	var b strings.Builder
	b.WriteString("# Interoperability matrix\n")
	var protocols []string
	for _, d := range docs {
		if !slices.Contains(protocols, d.Target.Protocol) {
			protocols = append(protocols, d.Target.Protocol)
		}
	}
	for _, p := range protocols {
		ledger := ledgers[p]
		if ledger == nil {
			ledger = scenarios.NewLedger(nil)
		}
		of := slices.DeleteFunc(slices.Clone(docs), func(d results.Results) bool { return d.Target.Protocol != p })
		(&matrix{ledger, of}).write(&b, p)
	}
	b.WriteString(legend)
	_, err := io.WriteString(w, b.String())
	return err
}

const legend = `
*proved*: every requirement of the row was kept, at the evidence it demands.
*attested*: kept, but some seen only through a test seam.
*violated*: at least one is broken.
*unproved*: at least one could not be looked at to the end.
*not claimed*: the target does not claim what the row rests on.
An empty cell was not asked. Numbers count requirements.
† so many of them can only be brought about or seen through a test seam that Assay itself defines (docs/seams.md), not by
the protocol's own means. A target that has not wired it cannot prove them.
`

// matrix is the table of one protocol.
type matrix struct {
	ledger *scenarios.Ledger
	docs   []results.Results
}

func (m *matrix) write(b *strings.Builder, protocol string) {
	fmt.Fprintf(b, "\n## %s\n\n", textsafe.Markdown(protocol))
	m.row(b, "requirements", func(i int, _ results.Results) string { return fmt.Sprintf("target %d", i+1) })
	b.WriteString("|---|" + strings.Repeat("---|", len(m.docs)) + "\n")
	for _, family := range m.families() {
		m.row(b, textsafe.Markdown(family), func(_ int, d results.Results) string { return m.cell(family, d) })
	}
	for _, id := range m.profiles() {
		m.row(b, "profile "+textsafe.Markdown(id), func(_ int, d results.Results) string { return profileCell(id, d) })
	}
	m.row(b, "scenarios", func(_ int, d results.Results) string { return totalsCell(d.Totals) })
	b.WriteString("\n| target | name | version | address | certified at | by |\n|---|---|---|---|---|---|\n")
	for i, d := range m.docs {
		fmt.Fprintf(b, "| target %d | %s | %s | %s | %s | Assay %s%s |\n", i+1, optional(d.Target.Name), optional(d.Target.Version),
			textsafe.Markdown(d.Target.Address), d.StartedAt.UTC().Format(time.RFC3339), textsafe.Markdown(d.Assay.Version), m.note(d))
	}
	m.seen(b)
}

// note says why a column cannot be compared with the first one.
func (m *matrix) note(d results.Results) string {
	switch {
	case d.Filter != nil:
		return ", part of the questions"
	case d.Assay.SuiteDigest != m.docs[0].Assay.SuiteDigest && m.docs[0].Filter == nil:
		return ", other questions than target 1"
	}
	return ""
}

func (m *matrix) row(b *strings.Builder, head string, cell func(int, results.Results) string) {
	b.WriteString("| " + head + " |")
	for i, d := range m.docs {
		b.WriteString(" " + cell(i, d) + " |")
	}
	b.WriteByte('\n')
}

// families in the ledger's order, then those that the ledger does not know.
func (m *matrix) families() []string {
	asked := map[string]bool{}
	var unknown []string
	for _, d := range m.docs {
		for _, r := range d.Requirements {
			if f := m.family(r.ID); !asked[f] {
				asked[f] = true
				if _, known := m.ledger.Find(scenarios.RequirementID(r.ID)); !known {
					unknown = append(unknown, f)
				}
			}
		}
	}
	var out []string
	for _, row := range m.ledger.Rows {
		if f := m.family(row.ID); asked[f] && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return append(out, unknown...)
}

func (m *matrix) family(id string) string {
	row, known := m.ledger.Find(scenarios.RequirementID(id))
	if !known {
		return id
	}
	return strings.TrimSpace(row.Source + " " + row.Section)
}

// cell sums up one family of one certification, the worst word first.
func (m *matrix) cell(family string, d results.Results) string {
	n := map[string]int{}
	all, seams := 0, 0
	for _, r := range d.Requirements {
		if m.family(r.ID) != family {
			continue
		}
		standing := m.standing(r)
		n[standing]++
		all++
		if r.Stimulus == results.StimulusAssaySeam && standing != "not claimed" {
			seams++
		}
	}
	for _, word := range []string{"violated", "unproved"} {
		if n[word] > 0 {
			return fmt.Sprintf("**%s** %d of %d", word, n[word], all) + dagger(seams)
		}
	}
	asked := all - n["not claimed"]
	switch {
	case all == 0:
		return ""
	case asked == 0:
		return "not claimed"
	case n["attested"] > 0:
		return fmt.Sprintf("attested %d of %d", n["attested"], asked) + dagger(seams)
	}
	return fmt.Sprintf("proved %d", asked) + dagger(seams)
}

// dagger marks a number of requirements of which n are shown only through seams of Assay's own.
func dagger(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d†)", n)
}

func (m *matrix) standing(r results.RequirementResult) string {
	switch r.Verdict {
	case results.VerdictInapplicable:
		return "not claimed"
	case results.VerdictFailed:
		return "violated"
	case results.VerdictPassed:
		row, _ := m.ledger.Find(scenarios.RequirementID(r.ID))
		if seen, err := scenarios.ParseEvidence(string(r.Evidence)); err == nil && seen >= row.Demands() {
			return "proved"
		}
		return "attested"
	}
	return "unproved"
}

func (m *matrix) profiles() []string {
	var out []string
	for _, d := range m.docs {
		for _, p := range d.Profiles {
			if !slices.Contains(out, p.ID) {
				out = append(out, p.ID)
			}
		}
	}
	return out
}

func profileCell(id string, d results.Results) string {
	i := slices.IndexFunc(d.Profiles, func(p results.ProfileResult) bool { return p.ID == id })
	switch {
	case i < 0:
		return ""
	case d.Profiles[i].Status == results.ProfileStatusInapplicable:
		return "not claimed"
	}
	p := d.Profiles[i]
	return fmt.Sprintf("%s %d of %d", p.Status, p.Proved, p.Required) + dagger(int(p.ThroughSeam))
}

func totalsCell(t results.Totals) string {
	var words []string
	for _, v := range counted(t) {
		if v.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", v.n, v.verdict))
		}
	}
	return strings.Join(words, ", ")
}

func optional(s *string) string {
	if s == nil {
		return ""
	}
	return textsafe.Markdown(textsafe.Clip(*s, 80))
}

// count is how many scenarios ended with a verdict.
type count struct {
	verdict results.Verdict
	n       int64
}

// counted are the totals in the order in which reports name them.
func counted(t results.Totals) []count {
	return []count{
		{results.VerdictPassed, t.Passed},
		{results.VerdictFailed, t.Failed},
		{results.VerdictInapplicable, t.Inapplicable},
		{results.VerdictBlocked, t.Blocked},
		{results.VerdictInconclusive, t.Inconclusive},
		{results.VerdictBroken, t.Broken},
	}
}
