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

// execute runs one command line and returns the exit code. What went wrong is on errs, a line each, by then.
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
	root.AddCommand(newCertify(), newVerify(), newKeygen(), newSimhost(), newGenerate(), newDiff(), newFixtures(), newMatrix(), newProve(),
		newList(), newExplain(), newWhy(), newDoctor(), newVersion(), newCompletion(), newMan())
	addOwn(root)
	root.SetHelpCommand(newHelp())
	keepOrder(root)
	completeIDs(root)
	return root
}

// addOwn puts the commands that only one protocol has behind those that they stand after.
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

// newHelp is cobra's help command, but for a command that does not exist it says so and fails.
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

// keepOrder keeps flags and commands in the order in which they were written: the ones most used come first.
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
