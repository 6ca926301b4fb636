package matrix

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports/excerpt"
)

// Markdown writes one table per protocol, and one for bundles of other suites.
func (m *Matrix) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Interoperability matrix\n\nAs of %s.\n", m.AsOf.Format(time.DateOnly))
	for _, t := range m.Tables {
		t.markdown(&b)
	}
	if len(m.Tables) > 0 {
		b.WriteByte('\n')
		for _, l := range legend {
			fmt.Fprintf(&b, "- *%s*: %s\n", l.Word, l.Text)
		}
		b.WriteString("- " + strings.Join(notes, "\n- ") + "\n")
	}
	m.toldMarkdown(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (t Table) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n\n", optional(t.Protocol))
	if words := t.comparable(optional); words != "" {
		fmt.Fprintf(b, "%s\n\n", words)
	}
	cells(b, "requirements", t.Columns, func(c Column) string {
		if len(t.Sets) < 2 {
			return c.Head()
		}
		head := c.Head() + ", questions " + c.Set
		if c.Other {
			head += ", " + c.Mark()
		}
		return head
	})
	b.WriteString("|---|" + strings.Repeat("---|", len(t.Columns)) + "\n")
	for _, r := range t.Rows {
		before, name := r.words()
		if name != "" {
			before += optional(name)
		}
		cells(b, before, t.Columns, func(c Column) string { return r.Cells[c.Number-1].markdown(c) })
	}
	b.WriteString("\n| target | name | version | address | asked at | by |\n|---|---|---|---|---|---|\n")
	for _, c := range t.Columns {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s, %s | Assay %s%s |\n", link(c.Head(), c.Link), optional(c.Name), optional(c.Version),
			textsafe.Markdown(textsafe.Clip(c.Address, mostReason)), c.At.Format(time.RFC3339), c.Age, optional(c.Assay), c.Remark())
	}
	t.headersMarkdown(b)
	t.seenMarkdown(b)
}

// headersMarkdown names the headers that targets could recognise their examiner by.
func (t Table) headersMarkdown(b *strings.Builder) {
	separator := "\n"
	for _, c := range t.Columns {
		if words := excerpt.ExtraHeaders(c.ExtraHeaders); words != "" {
			fmt.Fprintf(b, "%s- %s: %s\n", separator, c.Head(), textsafe.Markdown(textsafe.Clip(words, mostReason)))
			separator = ""
		}
	}
}

func cells[C any](b *strings.Builder, head string, columns []C, cell func(C) string) {
	b.WriteString("| " + head + " |")
	for _, c := range columns {
		b.WriteString(" " + cell(c) + " |")
	}
	b.WriteByte('\n')
}

// markdown renders a cell. Its link covers the word and the count; evidence and age follow.
func (c Cell) markdown(of Column) string {
	if len(c.Totals) > 0 {
		return c.totals()
	}
	if c.Word == "" {
		return ""
	}
	said := c.Word
	if c.Word == violated || c.Word == unproved {
		said = "**" + said + "**"
	}
	if c.Count != "" {
		said += " " + c.Count
	}
	if c.Seams > 0 {
		said += fmt.Sprintf(" (%d†)", c.Seams)
	}
	said = link(said, of.Link)
	if c.Evidence != "" {
		said += ", " + c.Evidence
	}
	return said + ", " + of.Age.String()
}

func (c Cell) totals() string {
	words := make([]string, len(c.Totals))
	for i, t := range c.Totals {
		words[i] = fmt.Sprintf("%d %s", t.N, t.Verdict)
	}
	return strings.Join(words, ", ")
}

// link makes a Markdown link of our own words. URLs from [Beside] hold no blanks, brackets or pipes.
func link(words, url string) string {
	if url == "" {
		return words
	}
	return "[" + words + "](" + url + ")"
}

func optional(s string) string {
	if s == "" {
		return ""
	}
	return textsafe.Markdown(textsafe.Clip(s, mostName))
}

// seenMarkdown lists below the table the unclaimed features of the targets.
func (t Table) seenMarkdown(b *strings.Builder) {
	first := true
	for _, c := range t.Columns {
		for _, s := range c.Seen {
			if first {
				b.WriteString("\nNot claimed, but seen; no verdict rests on it:\n\n")
				first = false
			}
			fmt.Fprintf(b, "- %s: %s (would be claimed by %s)\n", c.Head(), textsafe.Markdown(textsafe.Clip(s.What, mostReason)),
				textsafe.Markdown(textsafe.Clip(s.ClaimPointer, mostReason)))
		}
	}
}

// toldMarkdown writes the bundles of other suites in a table of their own.
func (m *Matrix) toldMarkdown(b *strings.Builder) {
	if len(m.Told) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n", toldTitle, toldIntro(m.Told))
	numbered := make([]int, len(m.Told))
	for i := range numbered {
		numbered[i] = i
	}
	b.WriteString("| bundle | host | version | discovery document | written at | by | claims to be |\n|---|---|---|---|---|---|---|\n")
	for i, t := range m.Told {
		fmt.Fprintf(b, "| bundle %d | %s | %s | %s | %s, %s | %s, bundle version %s%s | %s |\n", i+1, optional(t.Host),
			optional(t.HostVersion), optional(t.URL),
			t.GeneratedAt.UTC().Format(time.RFC3339), age(t.GeneratedAt, m.AsOf), optional(t.Suite), t.Version, contradicts(t),
			toldClaims(t, optional))
	}
	b.WriteByte('\n')
	cells(b, "their scenarios", numbered, func(i int) string { return fmt.Sprintf("bundle %d, not comparable", i+1) })
	b.WriteString("|---|" + strings.Repeat("---|", len(m.Told)) + "\n")
	cells(b, "all", numbered, func(i int) string { return toldTotals(m.Told[i]) })
	for _, name := range toldScenarios(m.Told) {
		cells(b, optional(name), numbered, func(i int) string {
			word, count := toldCell(m.Told[i], name)
			if count != "" {
				word += ", " + count
			}
			return word
		})
	}
	b.WriteByte('\n')
	for _, l := range toldLegend {
		fmt.Fprintf(b, "- *%s*: %s\n", l.Word, l.Text)
	}
}
