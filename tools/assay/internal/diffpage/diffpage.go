// Package diffpage writes what assay diff found, for people and as data.
package diffpage

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/tools/assay/internal/catalogue"
	"github.com/openassay/assay/tools/specdiff"
)

// Format names the JSON that a Diff encodes to: spec/assay/spec-difference.schema.json.
const Format = "assay.spec-difference/1"

// Diff is the output of --json.
type Diff struct {
	Schema string                    `json:"schema"`
	Old    string                    `json:"old"`
	New    string                    `json:"new"`
	Totals map[specdiff.Severity]int `json:"totals"`
	Breaks map[specdiff.Party]int    `json:"breaks"`
	// NotSeen counts the changes, texts aside, that no scenario judges.
	NotSeen int `json:"notSeen"`
	// NotJudged says why oasdiff was not asked, "" where it was.
	NotJudged string              `json:"notJudged"`
	Changes   []specdiff.Change   `json:"changes"`
	Go        *specdiff.GoChanges `json:"go,omitempty"`
}

// New counts the changes between two specs of these names.
func New(before, after string, r specdiff.Result) *Diff {
	d := &Diff{Schema: Format, Old: before, New: after, Totals: map[specdiff.Severity]int{},
		Breaks: map[specdiff.Party]int{specdiff.Clients: 0, specdiff.Servers: 0}, Changes: append([]specdiff.Change{}, r.Changes...)}
	for _, s := range specdiff.Severities {
		d.Totals[s] = 0
	}
	for _, c := range r.Changes {
		d.Totals[c.Severity]++
		for _, p := range c.Breaks {
			d.Breaks[p]++
		}
		if c.Severity != specdiff.Text && c.Subject.Kind != specdiff.File && !c.Judged() {
			d.NotSeen++
		}
	}
	if r.Unjudged != nil {
		d.NotJudged = r.Unjudged.Error()
	}
	return d
}

// Titles are what ids stand for, and whether changes of texts are listed.
type Titles struct {
	Requirements, Scenarios map[string]string
	Texts                   bool
}

// Text formats the changes as a table, followed by the requirements and scenarios that they touch.
func (d *Diff) Text(t Titles) string {
	if len(d.Changes) == 0 {
		return "no change: the specs say the same\n"
	}
	var b strings.Builder
	if d.NotJudged != "" {
		fmt.Fprintf(&b, "no rule was asked what the changes break: %s\n\n", textsafe.Line(d.NotJudged))
	}
	d.table(&b, t.Texts)
	d.touched(&b, t)
	d.golang(&b)
	d.summary(&b, t.Texts)
	return b.String()
}

func (d *Diff) table(b *strings.Builder, texts bool) {
	rows := [][]string{{"SEVERITY", "BREAKS", "WHERE", "AT", "TOUCHES", "WHAT CHANGES"}}
	under := []string{""}
	for _, c := range d.Changes {
		if c.Severity == specdiff.Text && !texts {
			continue
		}
		rows = append(rows, []string{string(c.Severity), parties(c.Breaks), textsafe.Line(c.Subject.String()), textsafe.Line(c.Property),
			touchesInShort(&c), textsafe.Line(c.Text)})
		under = append(under, textsafe.Line(pointers(c)+elsewhere(c)))
	}
	if len(rows) == 1 {
		return
	}
	i := 0
	for line := range strings.Lines(catalogue.Aligned(rows)) {
		b.WriteString(line)
		if under[i] != "" {
			b.WriteString("          " + under[i] + "\n")
		}
		i++
	}
}

func parties(breaks []specdiff.Party) string {
	names := make([]string, len(breaks))
	for i, p := range breaks {
		names[i] = string(p)
	}
	return cmp.Or(strings.Join(names, ", "), "-")
}

// pointers says where the change stands in the old and in the new document.
func pointers(c specdiff.Change) string {
	before, after := shown(c.Before), shown(c.After)
	switch {
	case before == after:
		return before
	case before == "":
		return "new " + after
	case after == "":
		return "old " + before
	}
	return before + " -> " + after
}

func shown(pointer string) string {
	if pointer == "" || strings.Contains(pointer, "#") {
		return pointer
	}
	return "#" + pointer
}

// mostPlaces bounds the other places that a line names.
const mostPlaces = 3

func elsewhere(c specdiff.Change) string {
	var names []string
	for _, p := range c.Places {
		if name := p.Subject.String(); p.Subject != c.Subject && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) > mostPlaces:
		return fmt.Sprintf(", also in %s and %d more", strings.Join(names[:mostPlaces], ", "), len(names)-mostPlaces)
	}
	return ", also in " + strings.Join(names, ", ")
}

func touchesInShort(c *specdiff.Change) string {
	t := c.Touches
	switch {
	case c.Severity == specdiff.Text:
		return "-"
	case c.Subject.Kind == specdiff.File:
		return "not recorded" // no trace says which scenarios use a file
	case len(t.Scenarios) > 0:
		return catalogue.Counted(len(t.Requirements), "requirement") + ", " + catalogue.Counted(len(t.Scenarios), "scenario")
	case len(t.Asking) > 0:
		return "asked by " + catalogue.Counted(len(t.Asking), "scenario")
	case len(t.Named) > 0:
		return catalogue.Counted(len(t.Named), "requirement") + " by name, no scenario"
	}
	return "no scenario judges this"
}

// touched lists the requirements and scenarios that the changes touch, without additive changes.
func (d *Diff) touched(b *strings.Builder, t Titles) {
	requirements, scenarios, named := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, c := range d.Changes {
		if c.Severity == specdiff.Additive {
			continue
		}
		add(requirements, c.Touches.Requirements)
		add(scenarios, c.Touches.Scenarios)
		add(named, c.Touches.Named)
	}
	for id := range requirements {
		delete(named, id)
	}
	list := func(title string, ids map[string]bool, titles map[string]string) {
		if len(ids) == 0 {
			return
		}
		fmt.Fprintf(b, "\n%s\n", title)
		rows := [][]string{}
		for _, id := range slices.Sorted(maps.Keys(ids)) {
			rows = append(rows, []string{"  " + id, titles[id]})
		}
		b.WriteString(catalogue.Aligned(rows))
	}
	list("REQUIREMENTS  that a check looked there for", requirements, t.Requirements)
	list("NAMED  requirements whose words name what is changed", named, t.Requirements)
	list("SCENARIOS  whose checks looked there", scenarios, t.Scenarios)
	if len(scenarios) > 0 {
		fmt.Fprintf(b, "  run: assay certify TARGET --scenario %s\n", strings.Join(slices.Sorted(maps.Keys(scenarios)), ","))
	}
}

func add(set map[string]bool, ids []string) {
	for _, id := range ids {
		set[id] = true
	}
}

// golang says what Go programs must do. New names, of which nobody has to know, are counted.
func (d *Diff) golang(b *strings.Builder) {
	if d.Go == nil {
		return
	}
	if d.Go.Unknown != "" {
		fmt.Fprintf(b, "\nGO  unknown: %s\n", textsafe.Line(d.Go.Unknown))
		return
	}
	if len(d.Go.Consequences) == 0 {
		return
	}
	fmt.Fprintf(b, "\nGO  what it means for programs that use the generated package\n")
	more := 0
	for _, c := range d.Go.Consequences {
		if c.Do == "" {
			more++
			continue
		}
		fmt.Fprintf(b, "  %s: %s\n", textsafe.Line(c.Text), c.Do)
		causes := make([]string, len(c.Causes))
		for i, at := range c.Causes {
			causes[i] = shown(at)
		}
		if len(causes) > 0 {
			fmt.Fprintf(b, "      from %s\n", textsafe.Line(strings.Join(causes, ", ")))
		}
	}
	if more > 0 {
		fmt.Fprintf(b, "  %s, about which nothing has to be done: --json lists them\n", catalogue.Counted(more, "new exported name"))
	}
}

func (d *Diff) summary(b *strings.Builder, texts bool) {
	if n := d.Totals[specdiff.Text]; n > 0 && !texts {
		them := "them"
		if n == 1 {
			them = "it"
		}
		fmt.Fprintf(b, "\n%s of descriptions, examples or order: --texts lists %s\n", catalogue.Counted(n, "change"), them)
	}
	var totals []string
	for _, s := range specdiff.Severities {
		if n := d.Totals[s]; n > 0 {
			totals = append(totals, fmt.Sprintf("%d %s", n, s))
		}
	}
	line := fmt.Sprintf("\n%s: %s", catalogue.Counted(len(d.Changes), "change"), strings.Join(totals, ", "))
	for _, p := range []specdiff.Party{specdiff.Clients, specdiff.Servers} {
		if n := d.Breaks[p]; n > 0 {
			line += fmt.Sprintf("; %s %s", breakers(n), p)
		}
	}
	if d.NotSeen > 0 {
		line += fmt.Sprintf("; no scenario judges %d", d.NotSeen)
	}
	b.WriteString(line + "\n")
}

func breakers(n int) string {
	if n == 1 {
		return "1 breaks"
	}
	return fmt.Sprintf("%d break", n)
}
