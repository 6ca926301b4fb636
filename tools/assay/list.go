package main

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/tools/assay/internal/catalogue"
	"github.com/openassay/assay/tools/internal/protocols"
)

// known returns the catalogue of everything that this Assay has an id for.
func known() *catalogue.Catalogue {
	return &catalogue.Catalogue{Suites: protocols.Suites(), Faults: protocols.Faults(), Variations: protocols.Variations(),
		Models: models()}
}

func models() (all []catalogue.Model) {
	for _, row := range protocols.Table {
		m := catalogue.Model{Protocol: row.Protocol}
		for _, kind := range row.Targets {
			if kind.Models != nil {
				m.Objects = append(m.Objects, kind.Models()...)
			}
		}
		if len(m.Objects) > 0 {
			all = append(all, m)
		}
	}
	return all
}

func newList() *cobra.Command {
	var asJSON, asMarkdown bool
	var out string
	cmd := &cobra.Command{
		Use:       "list " + strings.Join(catalogue.Kinds, "|"),
		Short:     "List what can be asked of a target, and how the simulated hosts and the agent can misbehave or differ",
		Example:   "  assay list scenarios\n  assay list requirements --json\n  assay list requirements --markdown",
		ValidArgs: catalogue.Kinds,
		RunE: func(cmd *cobra.Command, kinds []string) error {
			if len(kinds) == 0 {
				return usage("assay list: say which list: %s", strings.Join(catalogue.Kinds, ", "))
			}
			if err := args("the list")(cmd, kinds); err != nil {
				return err
			}
			if asMarkdown {
				return listMarkdown(cmd.OutOrStdout(), kinds[0], out, asJSON)
			}
			if out != "" {
				return usage("assay list --out: only the pages of suites and models go into a folder: assay list suites --markdown --out DIR")
			}
			if !asJSON {
				return known().Table(cmd.OutOrStdout(), kinds[0])
			}
			list, err := known().List(kinds[0])
			if err != nil {
				return err
			}
			e := json.NewEncoder(cmd.OutOrStdout())
			e.SetEscapeHTML(false)
			e.SetIndent("", "  ")
			return e.Encode(list)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	cmd.Flags().BoolVar(&asMarkdown, "markdown", false,
		"of requirements, print the coverage by source (docs/coverage.md); of readings, the page of them (docs/readings.md); "+
			"of suites and models, write a page for each into --out (docs/suites, docs/models)")
	cmd.Flags().StringVar(&out, "out", "", "`DIR` for pages; those of what is gone are removed")
	return cmd
}

func listMarkdown(w io.Writer, kind, out string, asJSON bool) error {
	switch {
	case asJSON:
		return usage("assay list: --markdown and --json are two forms: leave one out")
	case kind == "requirements" && out == "":
		return known().Coverage(w)
	case kind == "readings" && out == "":
		return known().ReadingsPage(w)
	case kind == "suites" && out != "":
		return writePages(out, known().SuitePages())
	case kind == "models" && out != "":
		return writePages(out, known().ModelPages())
	case kind == "suites", kind == "models":
		return usage("assay list %[1]s --markdown: there is a page for each of the %[1]s: name a folder with --out", kind)
	case kind == "requirements", kind == "readings":
		return usage("assay list %s --markdown: it is one page, which is printed: leave out --out", kind)
	}
	return usage("assay list: --markdown has the requirements, the readings, the suites and the models: assay list requirements --markdown")
}

func newExplain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain ID",
		Short: "Explain a requirement, reading, scenario, suite, claim, profile, fault, variation, exit code, or a word of a report",
		Example: "  assay explain OWP-0061-B1\n  assay explain " + protocols.Table[0].Name() + "/iteration-monotonic/one-per-turn\n" +
			"  assay explain inconclusive\n  assay explain exit-5",
		Args:              args("ID"),
		ValidArgsFunction: anyID,
		RunE: func(cmd *cobra.Command, ids []string) error {
			return known().Explain(cmd.OutOrStdout(), ids[0])
		},
	}
}
