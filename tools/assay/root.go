package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
	root.AddCommand(newCertify(), newVerify(), newKeygen(), newSimhost(), newAgent(), newGateway(), newGenerate(), newDiff(), newFixtures(), newMatrix(), newProve(), newResolvePolicy(), newList(), newExplain(), newWhy(), newDoctor(), newVersion(), newCompletion(), newMan())
	root.SetHelpCommand(newHelp())
	keepOrder(root)
	completeIDs(root)
	return root
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

// group is the RunE of a command that only has commands below it: alone it shows its help.
func group(kind string) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknown(kind, args[0], commandNames(cmd))
	}
}

// keepOrder keeps flags and commands in the order in which they were written: the ones most used come first.
func keepOrder(cmd *cobra.Command) {
	cobra.EnableCommandSorting = false
	cmd.Flags().SortFlags = false
	cmd.PersistentFlags().SortFlags = false
	for _, c := range cmd.Commands() {
		keepOrder(c)
	}
}

func commandNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return names
}

func flagNames(cmd *cobra.Command) []string { return namesOf(cmd.Flags()) }

func namesOf(flags *pflag.FlagSet) []string {
	var names []string
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}
