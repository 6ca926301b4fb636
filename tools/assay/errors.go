package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openassay/assay/internal/nearest"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/assay/internal/catalogue"
	"github.com/openassay/assay/tools/specgen"
)

// exit is an error with an exit code of its own.
type exit struct {
	code  int
	cause error // nil when everything was said already
}

func (e *exit) Error() string {
	if e.cause == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.cause.Error()
}

func (e *exit) Unwrap() error { return e.cause }

// usage is a mistake in the command line.
func usage(format string, args ...any) error {
	return &exit{scenarios.ExitUsage, fmt.Errorf(format, args...)}
}

// unknown is a name that does not exist; it names the nearest one that does.
func unknown(kind, name string, known []string) error {
	message := fmt.Sprintf("unknown %s %q", kind, name)
	if near := nearest.Name(name, known); near != "" {
		message += fmt.Sprintf(": did you mean %q?", near)
	}
	return usage("%s (there is %s)", message, strings.Join(known, ", "))
}

// exitFailed is the code of a command that was understood and could not do its work.
const exitFailed = 1

// exitUnread is what a shell says of a command that SIGPIPE ended.
const exitUnread = 128 + int(syscall.SIGPIPE)

// unread says that nobody reads our output any more, as after "| head": that is no mistake of anybody's.
func unread(err error) bool {
	var path *fs.PathError
	return errors.As(err, &path) && path.Path == os.Stdout.Name() && errors.Is(path.Err, syscall.EPIPE)
}

// exitCode maps an error to the exit code of the process.
func exitCode(err error) int {
	var own *exit
	var wrong *scenarios.UsageError
	var spec *specgen.SpecError
	var unlisted *catalogue.UnknownError
	switch {
	case err == nil:
		return 0
	case unread(err):
		return exitUnread
	case errors.As(err, &own):
		return own.code
	case errors.As(err, &wrong), errors.As(err, &spec), errors.As(err, &unlisted):
		return scenarios.ExitUsage
	case errors.Is(err, scenarios.ErrUnreachable), errors.Is(err, scenarios.ErrNoDiscovery):
		return scenarios.ExitUnreachable
	case errors.Is(err, scenarios.ErrNothingSelected):
		return scenarios.ExitNothing
	}
	return exitFailed
}

// report prints an error, a line for each problem in it. Parts of it may be a target's own words.
func report(w io.Writer, err error) {
	var own *exit
	if err == nil || errors.As(err, &own) && own.cause == nil || unread(err) {
		return
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			fmt.Fprintln(w, "assay: "+textsafe.Line(line))
		}
	}
}

// flagError words what is wrong with a flag.
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

// meaning is a flag's line of help, without the marks around the name of its value.
func meaning(f *pflag.Flag) string { return strings.ReplaceAll(f.Usage, "`", "") }

// args wants exactly these arguments, by the names that the usage line gives them.
func args(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, got []string) error {
		switch {
		case len(got) < len(names):
			return usage("%s: %s is missing: write %s", cmd.CommandPath(), names[len(got)], cmd.UseLine())
		case len(got) > len(names):
			return usage("%s: %q is one argument too many: write %s", cmd.CommandPath(), got[len(names)], cmd.UseLine())
		}
		return nil
	}
}
