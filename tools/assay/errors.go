package main

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openassay/assay/internal/nearest"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/assay/internal/catalogue"
	"github.com/openassay/assay/tools/internal/cli"
	"github.com/openassay/assay/tools/specgen"
)

// Shorter names for parts of package cli.
type exit = cli.Exit

var (
	unknown      = cli.Unknown
	args         = cli.Args
	group        = cli.Group
	report       = cli.Report
	commandNames = cli.CommandNames
)

const exitFailed = cli.Failed

func usage(format string, args ...any) error { return cli.Usage(format, args...) }

// exitUnread is the exit code that a shell reports for a command killed by SIGPIPE.
const exitUnread = 128 + int(syscall.SIGPIPE)

// exitCode maps an error to the exit code of the process.
func exitCode(err error) int {
	var own *exit
	var wrong *scenarios.UsageError
	var spec *specgen.SpecError
	var options *specgen.OptionsError
	var unlisted *catalogue.UnknownError
	switch {
	case err == nil:
		return 0
	case cli.Unread(err):
		return exitUnread
	case errors.As(err, &own):
		return own.Code
	case errors.As(err, &wrong), errors.As(err, &spec), errors.As(err, &options), errors.As(err, &unlisted):
		return scenarios.ExitUsage
	case errors.Is(err, scenarios.ErrUnreachable), errors.Is(err, scenarios.ErrNoDiscovery), errors.Is(err, scenarios.ErrNoNonce):
		return scenarios.ExitUnreachable
	case errors.Is(err, scenarios.ErrNothingSelected):
		return scenarios.ExitNothing
	}
	return exitFailed
}

// flagError returns the error for a mistake in a flag, with the nearest flag or its meaning.
func flagError(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var bare *pflag.ValueRequiredError
	switch {
	case errors.As(err, &missing):
		name := missing.GetSpecifiedName()
		message := fmt.Sprintf("unknown flag %q", "--"+name)
		if missing.GetSpecifiedShortnames() != "" {
			message = fmt.Sprintf("unknown flag %q", "-"+name)
		}
		if near := nearest.Name(name, flagNames(cmd)); near != "" {
			message += fmt.Sprintf(": did you mean %q?", "--"+near)
		}
		return usage("%s (%s --help lists them)", message, cmd.CommandPath())
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		return usage("flag --%s: %q is not a %s: %s", f.Name, invalid.GetValue(), f.Value.Type(), meaning(f))
	case errors.As(err, &bare):
		return usage("flag --%s needs a value: %s", bare.GetFlag().Name, meaning(bare.GetFlag()))
	}
	return usage("%w (see %s --help)", err, cmd.CommandPath())
}

// meaning returns a flag's help without the marks around the name of its value.
func meaning(f *pflag.Flag) string { return strings.ReplaceAll(f.Usage, "`", "") }
