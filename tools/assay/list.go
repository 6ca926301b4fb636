package main

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/scenarios/agenticloop"
	"github.com/openassay/assay/scenarios/openintent"
	"github.com/openassay/assay/scenarios/openwop"
	agentfault "github.com/openassay/assay/simhost/agent/fault"
	agentvariation "github.com/openassay/assay/simhost/agent/variation"
	"github.com/openassay/assay/simhost/fault"
	intentfault "github.com/openassay/assay/simhost/openintent/fault"
	intentvariation "github.com/openassay/assay/simhost/openintent/variation"
	"github.com/openassay/assay/simhost/variation"
	"github.com/openassay/assay/tools/assay/internal/catalogue"
)

// known is everything this Assay has an id for.
func known() *catalogue.Catalogue {
	return &catalogue.Catalogue{Suites: slices.Concat(openwop.Suites(), agenticloop.Suites(), openintent.Suites()), Faults: fault.All(),
		Agent: agentfault.All(), Intents: intentfault.All(), Variations: variation.List(),
		AgentManners: agentvariation.List(), Manners: intentvariation.List()}
}

func newList() *cobra.Command {
	var asJSON, asMarkdown bool
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
				if kinds[0] != "requirements" || asJSON {
					return usage("assay list: --markdown is the coverage page of the requirements: assay list requirements --markdown")
				}
				return known().Coverage(cmd.OutOrStdout())
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
	cmd.Flags().BoolVar(&asMarkdown, "markdown", false, "print the coverage of the requirements by source, as docs/coverage.md has it")
	return cmd
}

func newExplain() *cobra.Command {
	return &cobra.Command{
		Use:               "explain ID",
		Short:             "Explain a requirement, scenario, suite, claim, profile, fault, variation, or a word of a report",
		Example:           "  assay explain OWP-0061-B1\n  assay explain openwop/iteration-monotonic/one-per-turn\n  assay explain inconclusive",
		Args:              args("ID"),
		ValidArgsFunction: anyID,
		RunE: func(cmd *cobra.Command, ids []string) error {
			return known().Explain(cmd.OutOrStdout(), ids[0])
		},
	}
}
