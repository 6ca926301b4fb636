package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/tools/assay/internal/diffpage"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/specdiff"
)

const diffLong = `Lists every difference of two specs: what it breaks and adds, for clients and for
servers, which requirements and scenarios look at it, or that none does, and what
it means for Go programs that use the generated package.

OLD and NEW are spec folders as assay generate --spec takes them, anybody's, or
git revisions of the folder that --spec names. Operations are compared by oasdiff,
and so are the payloads of events, which readers receive as they do replies. A
schema that neither an operation nor an event refers to counts as sent and as
received. A further value of an enum in a reply or payload breaks nobody, as
readers let through what they do not know, unless --strict-readers is given;
docs/spec-change.md says more.

--fail-on, each of them with what is worse:
  none      the exit code says nothing of what changed (default)
  breaking  something breaks clients
  servers   something breaks clients or servers
  warning, additive, unjudged
            also a change of that severity, or a worse one
  any       any change, if only of a text

Exit codes:
  0  the specs were compared, and nothing is as bad as --fail-on says
  1  there is a change of the kind that --fail-on names
  2  the command was not understood, or a spec cannot be read`

const diffExample = `  assay diff HEAD~1 HEAD --spec spec/%[1]s
  assay diff HEAD spec/%[1]s --spec spec/%[1]s --fail-on breaking
  assay diff ./before ./after --json`

type diffFlags struct {
	spec   string
	failOn string
	strict bool
	texts  bool
	golang bool
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
	f.StringVar(&o.failOn, "fail-on", failOnNone, "`WHAT` makes the exit code 1: "+strings.Join(failOn(), ", "))
	f.BoolVar(&o.strict, "strict-readers", false, "count a further value of an enum in a reply or payload as breaking")
	f.BoolVar(&o.texts, "texts", false, "list changes of descriptions, examples and order, too, which are else counted in one line")
	f.BoolVar(&o.golang, "go", true, "generate both Go packages and say what became of what they export")
	f.BoolVar(&o.json, "json", false, "print all of it as JSON")
	return cmd
}

const (
	failOnNone    = "none"
	failOnAny     = "any"
	failOnServers = "servers"
)

// failOn lists what --fail-on takes.
func failOn() []string {
	out := []string{failOnNone, string(specdiff.Breaking), failOnServers}
	for _, s := range specdiff.Severities[1:] {
		if s != specdiff.Text {
			out = append(out, string(s))
		}
	}
	return append(out, failOnAny)
}

func (o *diffFlags) run(ctx context.Context, out io.Writer, before, after string) error {
	if !slices.Contains(failOn(), o.failOn) {
		return unknown("severity", o.failOn, failOn())
	}
	d, err := o.compare(ctx, before, after)
	if err != nil {
		return usage("diff: %w", err)
	}
	if err := o.print(out, d); err != nil {
		return err
	}
	if o.fails(d) {
		return &exit{Code: exitFailed}
	}
	return nil
}

func (o *diffFlags) compare(ctx context.Context, before, after string) (*diffpage.Diff, error) {
	oldSpec, err := specdiff.Open(ctx, before, o.spec)
	if err != nil {
		return nil, err
	}
	defer oldSpec.Close()
	newSpec, err := specdiff.Open(ctx, after, o.spec)
	if err != nil {
		return nil, err
	}
	defer newSpec.Close()
	r, err := oldSpec.Compare(newSpec, specdiff.Options{StrictReaders: o.strict, Suites: known().Suites})
	if err != nil {
		return nil, err
	}
	d := diffpage.New(before, after, r)
	if o.golang && len(r.Changes) > 0 {
		d.Go = specdiff.Go(ctx, oldSpec, newSpec, r.Changes)
	}
	return d, nil
}

func (o *diffFlags) fails(d *diffpage.Diff) bool {
	switch o.failOn {
	case failOnNone:
		return false
	case failOnAny:
		return len(d.Changes) > 0
	case failOnServers:
		return d.Breaks[specdiff.Clients]+d.Breaks[specdiff.Servers]+d.Totals[specdiff.Breaking] > 0
	}
	for _, s := range specdiff.Severities {
		if d.Totals[s] > 0 {
			return true
		}
		if string(s) == o.failOn {
			break
		}
	}
	return false
}

func (o *diffFlags) print(out io.Writer, d *diffpage.Diff) error {
	if o.json {
		return writeJSON(out, "diff", d)
	}
	asks, titles := known().Titles()
	_, err := io.WriteString(out, d.Text(diffpage.Titles{Requirements: asks, Scenarios: titles, Texts: o.texts}))
	return err
}
