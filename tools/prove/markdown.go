package prove

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/tools/internal/protocols"
)

// Markdown renders the kill matrix as a page: for each protocol its figures, every fault with the checks that kill it,
// the honest hosts, and the checks that kill no fault.
func Markdown(m results.KillMatrix) string {
	var b strings.Builder
	b.WriteString(intro)
	for _, p := range m.Protocols {
		b.WriteString("\n## " + textsafe.Markdown(p.Title) + "\n\n")
		for _, line := range Figures(p) {
			fmt.Fprintf(&b, "- %s\n", line)
		}
		writeFaults(&b, p)
		writeProfiles(&b, p)
		b.WriteString("\n### Honest hosts\n\n")
		for _, h := range p.Honest {
			fmt.Fprintf(&b, "- `%s`%s\n", h.Host, accused(h))
		}
		writeUnproven(&b, p)
	}
	return b.String()
}

func writeFaults(b *strings.Builder, p results.ProvedProtocol) {
	b.WriteString("\n### Faults\n\n| fault | breaks | killed by |\n|---|---|---|\n")
	for _, f := range p.Faults {
		fmt.Fprintf(b, "| `%s`: %s. %s | %s | %s |\n", f.ID, sentence(f.Title), detail(f), strings.Join(f.Breaks, ", "), killedBy(f))
	}
}

// writeUnproven lists the checks that kill no fault, and the protocol's requirements that no fault breaks.
func writeUnproven(b *strings.Builder, p results.ProvedProtocol) {
	b.WriteString("\n### Checks that kill no fault\n\n")
	asked := map[string]bool{}
	for _, s := range p.Scenarios {
		for _, c := range s.Checks {
			asked[c.Requirement] = true
			if len(c.Kills) == 0 {
				fmt.Fprintf(b, "- %s, %s: %s\n", s.ID, c.Requirement, textsafe.Markdown(c.For))
			}
		}
	}
	b.WriteString("\n### Requirements that no fault breaks\n\n")
	row := protocols.ByID(p.Protocol)
	if row == nil {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(row.Unbroken)) {
		if asked[id] {
			fmt.Fprintf(b, "- %s: %s\n", id, row.Unbroken[id])
		}
	}
}

const intro = `# Kill matrix

Made by ` + "`make prove`" + `; do not edit. The simulated host and the reference agent commit each fault by name, and all suites of
their protocol are run against them. A fault is caught when a check fails that cites a requirement the fault breaks, and nothing fails that cites none of them. The
same suites leave honest hosts alone. kill-matrix.json has the same as data, and what each check kills.
`

func sentence(s string) string { return textsafe.Markdown(strings.TrimSuffix(s, ".")) }

// detail returns further facts about a fault.
func detail(f results.FaultResult) string {
	text := "Seen: " + sentence(f.Looks) + "."
	if f.Under != "" {
		text += " Under `" + f.Under + "`."
	}
	if f.Twin != "" {
		text += " Beside its twin: " + sentence(f.Twin) + "."
	}
	return text
}

func killedBy(f results.FaultResult) string {
	var by []string
	for _, k := range f.Kills {
		_, inProtocol, _ := strings.Cut(k.Scenario, "/")
		by = append(by, inProtocol+" ("+k.Requirement+")")
	}
	for _, w := range f.Wrong {
		by = append(by, fmt.Sprintf("**for the wrong reason: %s (%s)**", w.Scenario, strings.Join(w.Cites, ", ")))
	}
	if len(by) == 0 {
		return "**survived**"
	}
	return strings.Join(by, ", ")
}

func accused(h results.HonestHost) string {
	var b strings.Builder
	for _, a := range h.Accused {
		fmt.Fprintf(&b, "; **%s %s: %s**", a.Scenario, a.Verdict, textsafe.Markdown(a.Reason))
	}
	return b.String()
}

// Figures returns the totals of a protocol's suites, a line each.
func Figures(p results.ProvedProtocol) []string {
	t := p.Totals
	return append([]string{
		fmt.Sprintf("%d faults, %d caught, %d survivors, %d caught for a wrong reason", t.Faults, t.Caught, t.Survivors, t.WrongReasons),
		fmt.Sprintf("%d honest hosts, %d accused", t.HonestHosts, t.HonestFailures),
		fmt.Sprintf("%d requirements are broken by a fault and found broken", t.Broken),
		fmt.Sprintf("%d of %d checks kill a fault (%d %%), %d are the only one to kill some fault (%d %%)", t.Killing, t.Checks,
			percent(t.Killing, t.Checks), t.Alone, percent(t.Alone, t.Checks)),
	}, profileFigures(p)...)
}

func percent(part, whole int64) int64 {
	if whole == 0 {
		return 0
	}
	return part * 100 / whole
}
