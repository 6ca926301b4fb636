package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"github.com/openassay/assay/tools/assay/internal/catalogue"
)

// shells lists the shells that cobra can write completions for.
var shells = []struct {
	name  string
	write func(*cobra.Command) error
}{
	{"bash", func(c *cobra.Command) error { return c.Root().GenBashCompletionV2(c.OutOrStdout(), true) }},
	{"zsh", func(c *cobra.Command) error { return c.Root().GenZshCompletion(c.OutOrStdout()) }},
	{"fish", func(c *cobra.Command) error { return c.Root().GenFishCompletion(c.OutOrStdout(), true) }},
	{"powershell", func(c *cobra.Command) error { return c.Root().GenPowerShellCompletionWithDesc(c.OutOrStdout()) }},
}

const completionLong = `Prints a script that completes commands, flags, and ids of scenarios, suites,
requirements and faults in your shell.

  bash        assay completion bash > ~/.local/share/bash-completion/completions/assay
  zsh         assay completion zsh > "${fpath[1]}/_assay"
  fish        assay completion fish > ~/.config/fish/completions/assay.fish
  powershell  assay completion powershell >> $PROFILE`

func newCompletion() *cobra.Command {
	var names []string
	for _, s := range shells {
		names = append(names, s.name)
	}
	return &cobra.Command{
		Use:       "completion " + strings.Join(names, "|"),
		Short:     "Print a script that completes commands in your shell",
		Long:      completionLong,
		Example:   "  assay completion bash > ~/.local/share/bash-completion/completions/assay",
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, typed []string) error {
			if err := args("the shell")(cmd, typed); err != nil {
				return err
			}
			for _, s := range shells {
				if s.name == typed[0] {
					return s.write(cmd)
				}
			}
			return unknown("shell", typed[0], names)
		},
	}
}

func newMan() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages",
		Long: "Writes a manual page for each command into DIR, which it makes if need be: assay.1,\nassay-certify.1 and so " +
			"on. man -l DIR/assay-certify.1 shows one; a folder man1 on MANPATH\nhas man find them.",
		Example: "  assay man ~/.local/share/man/man1",
		Args:    args("the folder"),
		RunE: func(cmd *cobra.Command, dirs []string) error {
			if err := os.MkdirAll(dirs[0], 0o755); err != nil {
				return usage("assay man: %w: give another folder", err)
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			header := &doc.GenManHeader{Section: "1", Source: "Assay " + version(), Manual: "Assay"}
			if b := built(); !b.Committed.IsZero() { // makes the pages reproducible
				header.Date = &b.Committed
			}
			if err := doc.GenManTree(root, header, dirs[0]); err != nil {
				return fmt.Errorf("assay man: %w", err)
			}
			return nil
		},
	}
}

// listOfFlag maps the flags whose values are ids to the list that holds the ids.
var listOfFlag = map[string]string{
	"suite": "suites", "scenario": "scenarios", "requirement": "requirements", "expect-claim": "claims", "fault": "faults",
	"vary": "variations",
}

// completeIDs registers completions for the flags in [listOfFlag], of cmd and of all commands below it. In a list, they
// complete the part after the last comma.
func completeIDs(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		kind, listed := listOfFlag[f.Name]
		if !listed {
			return
		}
		complete := func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return completionsOf(typed, typed[:strings.LastIndex(typed, ",")+1], kind), cobra.ShellCompDirectiveNoFileComp
		}
		_ = cmd.RegisterFlagCompletionFunc(f.Name, complete) // fails only for unknown flags and second completions
	})
	for _, c := range cmd.Commands() {
		completeIDs(c)
	}
}

// completionsOf returns the ids of a list, each after the prefix before, that begin with typed.
func completionsOf(typed, before, kind string) (ids []string) {
	for _, id := range known().IDs(kind) {
		if strings.HasPrefix(before+id, typed) {
			ids = append(ids, before+id)
		}
	}
	return ids
}

// anyID completes the ids of all lists.
func anyID(_ *cobra.Command, before []string, typed string) (ids []string, _ cobra.ShellCompDirective) {
	if len(before) == 0 {
		for _, kind := range catalogue.Kinds {
			ids = append(ids, completionsOf(typed, "", kind)...)
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
