package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/internal/nearest"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/assay/internal/catalogue"
	"github.com/openassay/assay/tools/assay/internal/reason"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/trace"
)

const whyLong = `Says why a scenario, a requirement, a claim or a profile ended as it did in a
report, and which changes would have it end otherwise: the one first that lets the
most scenarios run. RESULTS is a results.json, or a folder that holds one. Nothing
is asked of the target.

Exit codes:
  0  it is in the report, or could have been
  2  the command was not understood, or the report cannot be read`

func newWhy() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "why RESULTS ID", Short: "Say why something of a report was blocked, inapplicable or failed, and what would change that",
		Long: whyLong,
		Example: "  assay why out " + protocols.Table[0].Name() + "/goal-completion/absent-without-claim\n" +
			"  assay why out OWP-0061-B1\n  assay why out loop-v5 --json",
		Args: args("RESULTS", "ID"),
		RunE: func(cmd *cobra.Command, words []string) error {
			return explainResults(cmd.OutOrStdout(), words[0], words[1], asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

func explainResults(out io.Writer, path, id string, asJSON bool) error {
	doc, err := reports.Load(path)
	if err != nil {
		return usage("why: %w", err)
	}
	r := reason.Report{Results: doc, Suites: known().Suites}
	for _, s := range r.Suites {
		if s.Protocol.ID == doc.Target.Protocol {
			r.Protocol = s.Protocol
		}
	}
	if r.Protocol == nil {
		return usage("why: the report is of %q, which this Assay has no suites for: use the Assay that wrote it", doc.Target.Protocol)
	}
	answers := r.Answers(id)
	if len(answers) == 0 {
		message := fmt.Sprintf("why: nothing of %s is called %q", r.Protocol.ID, id)
		if near := nearest.Name(id, r.IDs()); near != "" {
			message += fmt.Sprintf(": did you mean %q?", near)
		}
		return usage("%s (it takes a scenario, requirement, claim or profile)", message)
	}
	if asJSON {
		return writeJSON(out, "why", answers)
	}
	for i, a := range answers {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if _, err := io.WriteString(out, answerText(a, doc.Target.Address)); err != nil {
			return err
		}
	}
	return nil
}

// mostLines bounds the lines of a field in the text form; --json has all.
const mostLines = 10

// answerText formats an answer for people. Anything from the report may be a target's own words, so it is sanitized.
func answerText(a reason.Answer, address string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s, %s\n", textsafe.Line(a.ID), a.Kind, textsafe.Line(a.Verdict))
	field := func(name string, lines ...string) {
		for i, line := range lines {
			if i == mostLines && len(lines) > mostLines+1 {
				fmt.Fprintf(&b, "  %-10s and %d more: --json has them\n", "", len(lines)-mostLines)
				return
			}
			fmt.Fprintf(&b, "  %-10s %s\n", name, textsafe.Clip(textsafe.Line(line), mostWords))
			name = ""
		}
	}
	field("about", a.Asks)
	field("because", a.Because...)
	var changes []string
	for _, c := range a.Changes {
		change := c.Do
		if len(a.Scenarios) > 1 {
			change = catalogue.Counted(len(c.Helps), "scenario") + ": " + change
		}
		changes = append(changes, change)
		if c.Flag != "" {
			changes = append(changes, "  or, with the target as it is: "+c.Flag)
		}
	}
	field("change", changes...)
	if a.Kind != "scenario" {
		field("rests on", scenarioLines(a.Scenarios)...)
	} else if a.Verdict == string(scenarios.Failed) {
		field("may be", likelyFaults(a.ID)...)
	}
	if len(a.Changes) > 0 {
		// Ids of scenarios are this Assay's own; the address comes from the report, and is quoted.
		field("then run", "assay certify "+textsafe.Shell(address)+" --scenario "+strings.Join(firstOf(a.Changes[0].Helps), ","))
	}
	return b.String()
}

// mostWords bounds the characters of a line.
const mostWords = 400

func firstOf(ids []string) []string { return ids[:min(len(ids), 4)] }

// scenarioLines lists scenarios with their verdicts. Those that did not pass come first.
func scenarioLines(ended []reason.Ended) []string {
	lines := make([]string, 0, len(ended))
	for _, passed := range []bool{false, true} {
		for _, e := range ended {
			if passed == (e.Verdict == string(scenarios.Passed)) {
				lines = append(lines, e.ID+": "+e.Verdict)
			}
		}
	}
	return lines
}

// likelyFaults returns the titles of the faults that make a scenario fail.
func likelyFaults(scenario string) (lines []string) {
	failing := trace.Failing(scenario)
	titles := known().FaultTitles()
	for _, id := range failing {
		if title, ok := titles[id]; ok && !slices.Contains(lines, title) {
			lines = append(lines, title)
		}
	}
	return lines
}
