package catalogue

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
)

// The standings of rows. A row that no scenario proves has the reason for that as its standing, if it has one.
const (
	standingObserved = "observed"
	standingAttested = "attested"
	standingSeams    = "our seams"
	standingOpen     = "open" // no scenario and no reason: a mistake if the row is a MUST
)

// standings lists the columns of the tables in order. A table with open rows has standingOpen as a further column.
var standings = []string{standingObserved, standingAttested, standingSeams, "unobservable", "needs-host-control", "not-addressed-to-hosts",
	"spec-gap", "restated", "planned"}

const coverageHead = `# Coverage

` + "`make generate` writes this page, of the ledger and the suites. Edits are lost." + `

How much of each source text the suites can prove of a target that offers all
that they look for ([seams.md](seams.md)). Each row of the ledger counts once.

| column | what it counts |
|---|---|
| observed | rows that a scenario proves by what a public resource or log shows |
| attested | rows of which no scenario sees more than the reply of a test seam, the host's own word |
| our seams | rows that only a seam of Assay's own can bring about or show (` + "`stimulus: assay-seam`" + `) |
| unobservable | rows of which nothing shows on the wire |
| needs-host-control | rows that take a hand on the host, beside its wire |
| not-addressed-to-hosts | rows that ask something of others, or permit something |
| spec-gap | rows that the texts leave too open to be judged |
| restated | rows that say again what another row asks |
| planned | rows whose scenarios are still to be written |

## All sources

`

// Coverage writes a Markdown page that counts the rows of each source by standing and gives the reasons for untested
// rows.
func (c *Catalogue) Coverage(w io.Writer) error {
	var rows []covered
	for _, p := range c.protocols() {
		for _, r := range p.Ledger.Rows {
			rows = append(rows, covered{r, c.standing(r)})
		}
	}
	var b strings.Builder
	b.WriteString(coverageHead)
	writeCounts(&b, rows)
	c.writeRecorded(&b)
	var sources []string
	for _, r := range rows {
		if !slices.Contains(sources, r.Source) {
			sources = append(sources, r.Source)
		}
	}
	for _, source := range sources {
		of := slices.DeleteFunc(slices.Clone(rows), func(r covered) bool { return r.Source != source })
		fmt.Fprintf(&b, "\n## %s\n\n", source)
		writeCounts(&b, of)
		writeIDs(&b, "Attested", of, standingAttested)
		writeIDs(&b, "Through our seams", of, standingSeams)
		writeUntested(&b, of)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeRecorded writes a table that counts the rows of each protocol that recordings alone can show.
func (c *Catalogue) writeRecorded(b *strings.Builder) {
	b.WriteString("\n## From recordings alone\n\nRows that `assay observe` can judge by what a target did for others ([record.md](record.md)).\n\n" +
		"| protocol | rows | of them MUST |\n|---|---:|---:|\n")
	for _, p := range c.protocols() {
		recorded, must := c.recorded(p), 0
		for _, id := range recorded {
			if r, _ := p.Ledger.Find(id); r.Level == scenarios.Must {
				must++
			}
		}
		fmt.Fprintf(b, "| %s | %d | %d |\n", p.ID, len(recorded), must)
	}
}

// covered is a row with its standing.
type covered struct {
	scenarios.Requirement
	standing string
}

func (c *Catalogue) standing(r scenarios.Requirement) string {
	switch reach := c.reach(r.ID); {
	case reach == scenarios.Unseen && r.Reason != "":
		return r.Reason
	case reach == scenarios.Unseen:
		return standingOpen
	case r.ThroughSeam():
		return standingSeams
	case reach == scenarios.Attested:
		return standingAttested
	}
	return standingObserved
}

// writeCounts writes a table with a line for each level that has rows, and one for all levels.
func writeCounts(b *strings.Builder, rows []covered) {
	columns := slices.Clone(standings)
	if slices.ContainsFunc(rows, func(r covered) bool { return r.standing == standingOpen }) {
		columns = append(columns, standingOpen)
	}
	fmt.Fprintf(b, "| level | rows | %s |\n|---%s|\n", strings.Join(columns, " | "), strings.Repeat("|---:", len(columns)+1))
	for _, level := range []string{scenarios.Must, scenarios.Should, scenarios.May, "all"} {
		of := slices.DeleteFunc(slices.Clone(rows), func(r covered) bool { return level != "all" && r.Level != level })
		if len(of) == 0 {
			continue
		}
		fmt.Fprintf(b, "| %s | %d |", level, len(of))
		for _, column := range columns {
			fmt.Fprintf(b, " %d |", len(idsOf(of, column)))
		}
		b.WriteByte('\n')
	}
}

func idsOf(rows []covered, standing string) []string {
	var out []string
	for _, r := range rows {
		if r.standing == standing {
			out = append(out, r.ID)
		}
	}
	return out
}

func writeIDs(b *strings.Builder, title string, rows []covered, standing string) {
	if ids := idsOf(rows, standing); len(ids) > 0 {
		fmt.Fprintf(b, "\n%s: %s\n", title, strings.Join(ids, ", "))
	}
}

// writeUntested writes a table of the rows that no scenario proves, with the reasons.
func writeUntested(b *strings.Builder, rows []covered) {
	untested := slices.DeleteFunc(slices.Clone(rows), func(r covered) bool {
		return slices.Contains([]string{standingObserved, standingAttested, standingSeams}, r.standing)
	})
	if len(untested) == 0 {
		return
	}
	b.WriteString("\n| not tested | level | reason | why |\n|---|---|---|---|\n")
	for _, r := range untested {
		cells := []string{r.ID, r.Level, r.standing}
		if r.Why != "" {
			cells = append(cells, strings.ReplaceAll(r.Why, "|", `\|`))
		}
		fmt.Fprintf(b, "| %s |%s\n", strings.Join(cells, " | "), strings.Repeat(" |", 4-len(cells)))
	}
}
