package catalogue

import (
	"fmt"
	"io"
	"strings"

	"github.com/openassay/assay/scenarios"
)

// Reading is a reading as assay list --json prints it.
type Reading struct {
	ID           string   `json:"id"`
	Protocol     string   `json:"protocol"`
	Title        string   `json:"title"`
	Requirements []string `json:"requirements"` // requirements whose texts leave it open
	Open         string   `json:"open"`
	Accept       string   `json:"accept"`
	Refuse       string   `json:"refuse"`
	Why          string   `json:"why"`
	Scenarios    []string `json:"scenarios"` // scenarios that follow it
}

func (c *Catalogue) readings() []Reading {
	out := []Reading{}
	for _, p := range c.protocols() {
		for _, r := range p.Readings {
			out = append(out, Reading{r.ID, p.ID, r.Title, nonNil(r.Sentences), r.Open, r.Accept, r.Refuse, r.Why, nonNil(r.Scenarios)})
		}
	}
	return out
}

// nonNil returns list, or an empty slice in place of nil, so that it encodes to an array.
func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func (p *page) readings(id string) {
	for _, protocol := range p.catalogue.protocols() {
		for _, r := range protocol.Readings {
			if r.ID != id {
				continue
			}
			p.title("%s  reading, %s", r.ID, protocol.ID)
			p.field("about", r.Title)
			p.field("open", r.Open)
			p.field("accepts", r.Accept)
			p.field("refuses", r.Refuse)
			p.field("why", r.Why)
			var ids []scenarios.RequirementID
			for _, s := range r.Sentences {
				ids = append(ids, scenarios.RequirementID(s))
			}
			p.list("sentences", requirementLines(protocol.Ledger, ids))
			p.list("gone by in", p.titled(r.Scenarios))
			p.field("unused", r.Unused)
		}
	}
}

// readingLines returns the readings about a requirement, one a line.
func readingLines(p *scenarios.Protocol, id string) (lines []string) {
	for _, r := range p.ReadingsOf(scenarios.RequirementID(id)) {
		lines = append(lines, r.ID+": "+r.Title)
	}
	return lines
}

const readingsHead = `# Readings

` + "`make generate` writes this page, of spec/*/*/readings.yaml. Edits are lost." + `

Where the texts say nothing, or two things, a suite still has to decide what it
accepts. Each decision is a reading: comments and rows of the ledger cite its id, and
` + "`assay explain ID`" + ` shows it with the sentences and the scenarios that it is about.
`

// ReadingsPage writes all readings as a Markdown page.
func (c *Catalogue) ReadingsPage(w io.Writer) error {
	var b strings.Builder
	b.WriteString(readingsHead)
	for _, p := range c.protocols() {
		if len(p.Readings) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n", p.Title)
		for _, r := range p.Readings {
			fmt.Fprintf(&b, "\n### %s: %s\n\n", r.ID, r.Title)
			fmt.Fprintf(&b, "- Open: %s\n- Accepted: %s\n- Refused: %s\n- Why: %s\n", r.Open, r.Accept, r.Refuse, r.Why)
			fmt.Fprintf(&b, "- Sentences: %s\n", strings.Join(r.Sentences, ", "))
			if len(r.Scenarios) > 0 {
				fmt.Fprintf(&b, "- Scenarios: `%s`\n", strings.Join(r.Scenarios, "`, `"))
			}
			if r.Unused != "" {
				fmt.Fprintf(&b, "- No scenario goes by it: %s\n", r.Unused)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
