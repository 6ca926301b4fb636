package catalogue

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
)

const suitesHead = `# The suites

` + "`make generate` writes this page and those it links to, of the suites themselves. Edits are lost." + `

A suite is the scenarios of one theme; a scenario is one question put to a
target. What a target does not claim is not asked of it.
`

// SuitePages returns a Markdown page for each suite, and README.md, which lists them. Keys are paths below one folder.
func (c *Catalogue) SuitePages() map[string]string {
	pages := map[string]string{}
	var index strings.Builder
	index.WriteString(suitesHead)
	for _, p := range c.protocols() {
		fmt.Fprintf(&index, "\n## %s\n\n%s.\n\n| suite | scenarios | about |\n|---|---:|---|\n", p.ID, prose(p.Title))
		for _, s := range c.Suites {
			if s.Protocol != p {
				continue
			}
			path := suitePath(s)
			fmt.Fprintf(&index, "| [%s](%s) | %d | %s |\n", s.ID, path, len(s.Scenarios), prose(s.Title))
			pages[path] = c.suitePage(s)
		}
	}
	pages["README.md"] = index.String()
	return pages
}

// suitePath returns the path of a suite's page, in the folder of its protocol.
func suitePath(s scenarios.Suite) string {
	return s.Protocol.Name() + "/" + s.ID + ".md"
}

func (c *Catalogue) suitePage(s scenarios.Suite) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n`make generate` writes this page, of the suite itself. Edits are lost.\n\n%s.\n\n    assay "+
		"certify TARGET --suite %s\n",
		s.ID, capital(prose(s.Title)), s.ID)
	c.writeClaims(&b, s)
	for _, sc := range s.Scenarios {
		c.writeScenario(&b, s, sc)
	}
	return b.String()
}

// writeClaims writes a table of the claims that the suite's scenarios depend on.
func (c *Catalogue) writeClaims(b *strings.Builder, s scenarios.Suite) {
	b.WriteString("\n## Claims\n\n| claim | where a target makes it | scenarios |\n|---|---|---:|\n")
	var seen []string
	for _, sc := range s.Scenarios {
		if slices.Contains(seen, sc.Claim.ID) {
			continue
		}
		seen = append(seen, sc.Claim.ID)
		n := 0
		for _, other := range s.Scenarios {
			if other.Claim.ID == sc.Claim.ID {
				n++
			}
		}
		id, where := "`"+sc.Claim.ID+"`", "`"+strings.ReplaceAll(sc.Claim.Pointer, "|", `\|`)+"`"
		if sc.Claim.ID == "" {
			id, where = "none", "every target is asked"
		}
		fmt.Fprintf(b, "| %s | %s | %d |\n", id, where, n)
	}
}

func (c *Catalogue) writeScenario(b *strings.Builder, s scenarios.Suite, sc scenarios.Scenario) {
	ledger := s.Protocol.Ledger
	name := string(sc.ID[strings.LastIndex(string(sc.ID), "/")+1:])
	fmt.Fprintf(b, "\n## %s\n\n%s (`%s`, %s", name, capital(prose(sc.Title)), sc.ID, sc.Level(ledger))
	if sc.Claim.ID != "" {
		fmt.Fprintf(b, ", asked where `%s` is claimed", sc.Claim.ID)
	}
	if sc.Depth > scenarios.Quick {
		fmt.Fprintf(b, ", from depth %s on", sc.Depth)
	}
	b.WriteString(").\n\n")
	for _, id := range sc.Proves {
		r, _ := ledger.Find(id)
		fmt.Fprintf(b, "- **%s** %s, %s %s: %s\n", r.ID, r.Level, prose(r.Source), prose(r.Section), prose(r.Text))
	}
	fmt.Fprintf(b, "\n%s\n", prose(driveSentence(sc)))
	if breaking := c.breaking(sc.Proves); len(breaking) > 0 {
		fmt.Fprintf(b, "\nBroken by %s.\n", strings.Join(breaking, ", "))
	}
}

// driveSentence describes the drive of a scenario.
func driveSentence(sc scenarios.Scenario) string {
	drive, ok := sc.Ask.Drive()
	sentence := "Looks at the discovery document alone."
	if ok {
		sentence = "The drive " + drive.ID + " " + drive.Title + "."
		if apart := drive.Apart(); apart != "" {
			sentence += " It runs " + apart + "."
		}
	}
	if sc.Reach() < scenarios.Observed {
		sentence += " No more than " + sc.Reach().String() + " can come of it, whatever the target offers."
	}
	return sentence
}

// breaking returns the ids of faults that break one of these requirements, quoted as code. After the first few it only
// counts them.
func (c *Catalogue) breaking(ids []scenarios.RequirementID) []string {
	const most = 6
	var out []string
	for _, f := range c.faults() {
		if slices.ContainsFunc(f.Breaks, func(r string) bool { return slices.Contains(ids, scenarios.RequirementID(r)) }) {
			out = append(out, "`"+f.ID+"`")
		}
	}
	if len(out) > most {
		out = append(out[:most], fmt.Sprintf("and %d more faults", len(out)-most))
	}
	return out
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// prose escapes a text of ours, so that Markdown shows it literally.
func prose(s string) string {
	return strings.NewReplacer("<", "&lt;", "*", `\*`, "|", `\|`, "[", `\[`, "`", "\\`").Replace(s)
}
