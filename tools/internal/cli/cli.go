// Package cli holds what the commands of all packages share: errors with an exit code, and argument checks.
package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openassay/assay/internal/nearest"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios"
)

// Exit is an error with an exit code of its own.
type Exit struct {
	Code  int
	Cause error // nil if the error was already reported
}

func (e *Exit) Error() string {
	if e.Cause == nil {
		return fmt.Sprintf("exit %d", e.Code)
	}
	return e.Cause.Error()
}

func (e *Exit) Unwrap() error { return e.Cause }

// Failed is the exit code of a command that was understood and could not do its work.
const Failed = 1

// Usage returns an error for a mistake in the command line.
func Usage(format string, args ...any) error {
	return &Exit{scenarios.ExitUsage, fmt.Errorf(format, args...)}
}

// Unknown returns an error for a name that does not exist, with the nearest known name.
func Unknown(kind, name string, known []string) error {
	message := fmt.Sprintf("unknown %s %q", kind, name)
	if near := nearest.Name(name, known); near != "" {
		message += fmt.Sprintf(": did you mean %q?", near)
	}
	return Usage("%s (there is %s)", message, strings.Join(known, ", "))
}

// Unread reports whether err means that nobody reads our output any more, as after "| head". This is nobody's mistake.
func Unread(err error) bool {
	var path *fs.PathError
	return errors.As(err, &path) && path.Path == os.Stdout.Name() && errors.Is(path.Err, syscall.EPIPE)
}

// Report prints an error, one line for each problem in it. Parts of it may be a target's own words.
func Report(w io.Writer, err error) {
	var own *Exit
	if err == nil || errors.As(err, &own) && own.Cause == nil || Unread(err) {
		return
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			fmt.Fprintln(w, "assay: "+textsafe.Line(line))
		}
	}
}

// Args requires exactly these arguments, named as in the usage line.
func Args(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, got []string) error {
		switch {
		case len(got) < len(names):
			return Usage("%s: %s is missing: write %s", cmd.CommandPath(), names[len(got)], cmd.UseLine())
		case len(got) > len(names):
			return Usage("%s: %q is one argument too many: write %s", cmd.CommandPath(), got[len(names)], cmd.UseLine())
		}
		return nil
	}
}

// Group returns the RunE of a command that only has subcommands: alone it shows its help.
func Group(kind string) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return Unknown(kind, args[0], CommandNames(cmd))
	}
}

// CommandNames returns the names of a command's subcommands.
func CommandNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return names
}

// Pairs parses flag values of the form NAME=what. Errors never repeat a value: it may be a key.
func Pairs(flag, what string, values []string) (map[string]string, error) {
	var out map[string]string
	for _, v := range values {
		name, value, ok := strings.Cut(v, "=")
		if _, twice := out[name]; !ok || twice {
			return nil, Usage("%s %s: write NAME=%s, each name once", flag, name, what)
		}
		if out == nil {
			out = map[string]string{}
		}
		out[name] = value
	}
	return out, nil
}

// secret annotates flags whose values are keys, or NAME=KEY.
const secret = "assay_secret"

// Secret marks a flag whose value is a key, or NAME=KEY.
func Secret(f *pflag.FlagSet, name string) {
	if err := f.SetAnnotation(name, secret, nil); err != nil {
		panic(err) // there is no such flag
	}
}

// Given returns the flags of a command line as they were given, but for some, and the keys among their values.
func Given(f *pflag.FlagSet, but ...string) (flags, keys []string) {
	f.Visit(func(flag *pflag.Flag) {
		_, hidden := flag.Annotations[secret]
		values := []string{flag.Value.String()}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			if hidden {
				keys = append(keys, value)
				if _, key, named := strings.Cut(value, "="); named && flag.Value.Type() == "stringArray" {
					keys[len(keys)-1] = key
				}
			}
			if !slices.Contains(but, flag.Name) {
				flags = append(flags, "--"+flag.Name+"="+value)
			}
		}
	})
	return flags, keys
}
