package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/tools/assay/internal/catalogue"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/specdiff"
)

const diffLong = `Tells what the change of a spec breaks and what it adds, and which requirements
and scenarios go by what is changed.

OLD and NEW are spec folders, or git revisions of the folder that --spec names.
Operations are compared by oasdiff, and so are the payloads of events, which
readers receive as they do replies. A schema that neither an operation nor an
event refers to counts as sent and as received. A further value of an enum in a
reply or payload breaks nobody, as readers let through what they do not know,
unless --strict-readers is given; docs/spec-change.md says more.

Exit codes:
  0  the specs were compared, whatever came out
  1  there is a change of the kind that --fail-on names
  2  the command was not understood, or a spec cannot be read`

const diffExample = `  assay diff HEAD~1 HEAD --spec spec/%[1]s
  assay diff HEAD spec/%[1]s --spec spec/%[1]s --fail-on breaking
  assay diff ./before ./after --json`

type diffFlags struct {
	spec   string
	failOn string
	strict bool
	json   bool
}

func newDiff() *cobra.Command {
	o := &diffFlags{}
	cmd := &cobra.Command{
		Use: "diff OLD NEW", Short: "Tell what a change of a spec breaks, and what it touches",
		Long: diffLong, Example: fmt.Sprintf(diffExample, protocols.Table[0].ID), Args: args("OLD", "NEW"),
		RunE: func(cmd *cobra.Command, names []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), names[0], names[1])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.spec, "spec", "", "`DIR` of the spec at git revisions, like spec/"+protocols.Table[0].ID)
	f.StringVar(&o.failOn, "fail-on", "", "`SEVERITY` that makes the exit code 1, or a worse one: breaking, warning, additive or unjudged")
	f.BoolVar(&o.strict, "strict-readers", false, "count a further value of an enum in a reply or payload as breaking")
	f.BoolVar(&o.json, "json", false, "print the changes as JSON")
	return cmd
}

// specDiff is the output of --json.
type specDiff struct {
	Old     string            `json:"old"`
	New     string            `json:"new"`
	Totals  map[string]int    `json:"totals"` // by severity
	Changes []specdiff.Change `json:"changes"`
}

func (o *diffFlags) run(ctx context.Context, out io.Writer, before, after string) error {
	if o.failOn != "" && !slices.Contains(specdiff.Severities, specdiff.Severity(o.failOn)) {
		names := make([]string, len(specdiff.Severities))
		for i, s := range specdiff.Severities {
			names[i] = string(s)
		}
		return unknown("severity", o.failOn, names)
	}
	oldSpec, err := specdiff.Read(ctx, before, o.spec)
	if err != nil {
		return usage("diff: %w", err)
	}
	newSpec, err := specdiff.Read(ctx, after, o.spec)
	if err != nil {
		return usage("diff: %w", err)
	}
	changes, err := specdiff.Compare(oldSpec, newSpec, specdiff.Options{StrictReaders: o.strict, Suites: known().Suites})
	if err != nil {
		return usage("diff: %w", err)
	}
	d := specDiff{Old: before, New: after, Totals: map[string]int{}, Changes: append([]specdiff.Change{}, changes...)}
	for _, s := range specdiff.Severities {
		d.Totals[string(s)] = 0
	}
	for _, c := range changes {
		d.Totals[string(c.Severity)]++
	}
	if err := o.print(out, d); err != nil {
		return err
	}
	for _, s := range specdiff.Severities {
		if o.failOn != "" && d.Totals[string(s)] > 0 {
			return &exit{Code: exitFailed}
		}
		if string(s) == o.failOn {
			break
		}
	}
	return nil
}

func (o *diffFlags) print(out io.Writer, d specDiff) error {
	if o.json {
		raw, err := json.MarshalIndent(d, "", "  ")
		if err != nil {
			return fmt.Errorf("diff: encode the changes: %w", err)
		}
		_, err = out.Write(append(textsafe.JSON(raw), '\n'))
		return err
	}
	_, err := io.WriteString(out, d.text())
	return err
}

// text formats the changes as a table, followed by the requirements and scenarios that they touch.
func (d specDiff) text() string {
	if len(d.Changes) == 0 {
		return "no change: the specs say the same\n"
	}
	rows := [][]string{{"SEVERITY", "WHERE", "AT", "TOUCHES", "WHAT CHANGES"}}
	for _, c := range d.Changes {
		rows = append(rows, []string{string(c.Severity), textsafe.Line(c.Subject.String()), textsafe.Line(c.Property),
			touchesInShort(c.Touches), textsafe.Line(c.Text)})
	}
	var b strings.Builder
	b.WriteString(catalogue.Aligned(rows))
	d.touched(&b)
	var totals []string
	for _, s := range specdiff.Severities {
		if n := d.Totals[string(s)]; n > 0 {
			totals = append(totals, fmt.Sprintf("%d %s", n, s))
		}
	}
	fmt.Fprintf(&b, "\n%s: %s\n", counted(len(d.Changes), "change"), strings.Join(totals, ", "))
	return b.String()
}

func touchesInShort(t specdiff.Touches) string {
	switch {
	case len(t.Scenarios) > 0:
		return counted(len(t.Requirements), "requirement") + ", " + counted(len(t.Scenarios), "scenario")
	case len(t.Named) > 0:
		return counted(len(t.Named), "requirement") + " by name"
	case len(t.Asking) > 0:
		return "asked by " + counted(len(t.Asking), "scenario")
	}
	return "-"
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// touched lists the requirements and scenarios that the changes touch, without additive changes.
func (d specDiff) touched(b *strings.Builder) {
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
	asks, titles := known().Titles()
	list("REQUIREMENTS  that a check looked there for", requirements, asks)
	list("NAMED  requirements whose words name what is changed", named, asks)
	list("SCENARIOS  whose checks looked there", scenarios, titles)
	if len(scenarios) > 0 {
		fmt.Fprintf(b, "  run: assay certify TARGET --scenario %s\n", strings.Join(slices.Sorted(maps.Keys(scenarios)), ","))
	}
}

func add(set map[string]bool, ids []string) {
	for _, id := range ids {
		set[id] = true
	}
}
