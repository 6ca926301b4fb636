package catalogue

import (
	"fmt"
	"slices"

	"github.com/openassay/assay/tools/trace"
)

// scenarioExample shows an exchange of a scenario, as it was recorded on a host that keeps the promise.
func (p *page) scenarioExample(scenario string) {
	if t, ok := trace.Of(scenario); ok && t.Example != nil {
		p.list("example", exampleLines(*t.Example))
	}
}

// requirementExample shows the first exchange that a check of the requirement looked at.
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

// mostCauses is how many violations of which a scenario fails are told.
const mostCauses = 8

// causes are the violations for which a scenario is known to fail: those of the faults that it finds.
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
