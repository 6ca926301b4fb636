package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openassay/assay/tools/internal/protocols"
)

const rootLong = `Assay finds out whether an agent host keeps the promises it makes.

A host says what it can do. Assay drives it over its own wire, watches what
really happens, and writes a report that others can check. A simulated host
that keeps every promise, or breaks the one you name, comes with it.

  assay certify simhost                 see a certification at work
  assay certify http://localhost:3000   certify your own host
  assay simhost                         a host to build a client against`

// execute runs one command line and returns the exit code. It writes errors to errs, one a line.
func execute(ctx context.Context, args []string, out, errs io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	report(errs, err)
	return exitCode(err)
}

func newRoot() *cobra.Command {
	cobra.EnableCommandSorting = false
	root := &cobra.Command{
		Use:   "assay",
		Short: "Certify agent hosts",
		Long:  rootLong,
		// Errors are worded and printed in one place, see errors.go.
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Args:              cobra.ArbitraryArgs, // so that an unknown command reaches RunE
		RunE:              group("command"),
	}
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newCertify(), newVerify(), newAttest(), newTimestamp(), newKeygen(), newSimhost(), newGenerate(), newDiff(), newFixtures(),
		newMatrix(), newProve(), newFaultProxy(), newExplore(), newRecord(), newObserve(), newCoverage(),
		newList(), newExplain(), newWhy(), newDoctor(), newVersion(), newCompletion(), newMan())
	addOwn(root)
	root.SetHelpCommand(newHelp())
	keepOrder(root)
	completeIDs(root)
	return root
}

// addOwn inserts the commands of single protocols after the commands that they name.
func addOwn(root *cobra.Command) {
	commands := root.Commands()
	for _, row := range protocols.Table {
		for _, own := range row.Commands {
			at := slices.IndexFunc(commands, func(c *cobra.Command) bool { return c.Name() == own.After })
			commands = slices.Insert(commands, at+1, own.New())
		}
	}
	root.ResetCommands()
	root.AddCommand(commands...)
}

// newHelp returns a help command like cobra's, but one that fails for a command that does not exist.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show what a command does and takes",
		RunE: func(cmd *cobra.Command, path []string) error {
			found, rest, err := cmd.Root().Find(path)
			if err != nil || len(rest) > 0 {
				return unknown("command", strings.Join(path, " "), commandNames(cmd.Root()))
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}

// keepOrder keeps the flags of cmd and of all commands below it in the order of their registration, which puts those
// used most first.
func keepOrder(cmd *cobra.Command) {
	cmd.Flags().SortFlags = false
	cmd.PersistentFlags().SortFlags = false
	for _, c := range cmd.Commands() {
		keepOrder(c)
	}
}

func flagNames(cmd *cobra.Command) []string { return namesOf(cmd.Flags()) }

func namesOf(flags *pflag.FlagSet) []string {
	var names []string
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}
