package catalogue

import (
	"fmt"
	"slices"

	"github.com/openassay/assay/tools/trace"
)

// scenarioExample adds an exchange of a scenario, recorded on a host that keeps the promise.
func (p *page) scenarioExample(scenario string) {
	if t, ok := trace.Of(scenario); ok && t.Example != nil {
		p.list("example", exampleLines(*t.Example))
	}
}

// requirementExample adds the first recorded exchange that a check of the requirement examined.
func (p *page) requirementExample(requirement string) {
	for _, scenario := range p.catalogue.proving(requirement) {
		if t, ok := trace.Of(scenario); ok && t.Example != nil && t.Example.For == requirement {
			p.list("example", exampleLines(*t.Example))
			return
		}
	}
}

func exampleLines(x trace.Example) []string {
	lines := []string{x.Request}
	if x.Sent != "" {
		lines = append(lines, "  sends    "+x.Sent)
	}
	replies := x.Reply
	if x.At != "" {
		replies = x.At + ": " + replies
	}
	if x.Status != 0 {
		replies = fmt.Sprintf("%d %s", x.Status, replies)
	}
	lines = append(lines, "  replies  "+replies)
	if x.Checked != "" {
		lines = append(lines, "  looks at "+x.Checked)
	}
	return append(lines, "  expects  "+x.Wants)
}

// mostCauses bounds the violations shown for a scenario.
const mostCauses = 8

// causes returns the violations that are known to make a scenario fail: those of the faults that it finds.
func (p *page) causes(scenario string) []string {
	failing := trace.Failing(scenario)
	var out []string
	for _, f := range p.catalogue.faults() {
		if slices.Contains(failing, f.ID) {
			out = append(out, f.Title+" (the fault "+f.ID+")")
		}
	}
	if more := len(out) - mostCauses; more > 0 {
		out = append(out[:mostCauses], fmt.Sprintf("and %d more: docs/kill-matrix.md", more))
	}
	return out
}
