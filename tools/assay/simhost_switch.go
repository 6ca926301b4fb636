package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/simhost/console"
)

// newSwitches makes the command that switches faults, or variations, of a running host.
func newSwitches(kind string) *cobra.Command {
	long := map[string]string{
		"fault": "Lists and switches the faults of a simulated host that runs: each breaks one promise.",
		"variation": "Lists and switches the variations of a simulated host that runs: each differs as honest hosts do,\n" +
			"and keeps every promise.",
	}[kind] + `

Switching starts the host anew on the same logs, as a restart would: work goes on
where it stood, requests wait a moment, and streams end, so that their clients come
back for the rest.`
	cmd := &cobra.Command{
		Use: kind, Short: "List or switch " + kind + "s of a simulated host that runs", Long: long,
		Args: cobra.ArbitraryArgs, RunE: group("command of simhost " + kind),
	}
	cmd.AddCommand(newSwitchList(kind), newSwitch(kind, true), newSwitch(kind, false))
	return cmd
}

func newSwitchList(kind string) *cobra.Command {
	var host running
	var on, asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List " + kind + "s, those that are on with a mark", Example: "  assay simhost " + kind + " list --on", Args: args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var state console.SwitchState
			if err := host.answer(cmd.Context(), "simhost "+kind+" list", console.PathSwitches, nil, &state); err != nil {
				return err
			}
			return printSwitches(cmd.OutOrStdout(), rowsOf(state, kind), on, asJSON)
		},
	}
	cmd.Flags().BoolVar(&on, "on", false, "only those that are on")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	host.register(cmd.Flags())
	return cmd
}

func newSwitch(kind string, on bool) *cobra.Command {
	var host running
	var all bool
	word, short, example := "off", "Switch "+kind+"s off", "  assay simhost "+kind+" off --all"
	if on {
		word, short, example = "on", "Switch "+kind+"s on, beside those that are on already", "  assay simhost "+kind+" on ID"
		if kind == "fault" {
			example += "\n  assay simhost fault on ID:from=3"
		}
	}
	cmd := &cobra.Command{
		Use: word + " ID...", Short: short, Example: example, Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, ids []string) error {
			if len(ids) == 0 && !all {
				return usage("simhost %s %s: ID is missing: assay simhost %s list has them", kind, word, kind)
			}
			change := console.Change{Off: ids, All: all}
			if on {
				change = console.Change{On: ids}
			}
			return host.switchOver(cmd.Context(), cmd.OutOrStdout(), kind, word, change)
		},
	}
	if !on {
		cmd.Flags().BoolVar(&all, "all", false, "all of them")
	}
	host.register(cmd.Flags())
	return cmd
}

// switchOver switches, and prints what is on then.
func (h *running) switchOver(ctx context.Context, out io.Writer, kind, word string, change console.Change) error {
	asked := console.SwitchChange{Faults: change}
	if kind == "variation" {
		asked = console.SwitchChange{Variations: change}
	}
	var state console.SwitchState
	if err := h.answer(ctx, "simhost "+kind+" "+word, console.PathSwitches, asked, &state); err != nil {
		return err
	}
	return printSwitches(out, rowsOf(state, kind), true, false)
}

func rowsOf(state console.SwitchState, kind string) []console.SwitchRow {
	if kind == "variation" {
		return state.Variations
	}
	return state.Faults
}

func printSwitches(out io.Writer, rows []console.SwitchRow, onlyOn, asJSON bool) error {
	shown := []console.SwitchRow{}
	for _, row := range rows {
		if row.On != "" || !onlyOn {
			shown = append(shown, row)
		}
	}
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(shown)
	}
	if len(shown) == 0 {
		_, err := fmt.Fprintln(out, "none is on")
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range shown {
		mark, name := " ", row.ID
		if row.On != "" {
			mark, name = "*", row.On
		}
		if _, err := fmt.Fprintf(table, "%s %s\t%s\n", mark, safe(name), safe(row.Title)); err != nil {
			return err
		}
	}
	return table.Flush()
}
