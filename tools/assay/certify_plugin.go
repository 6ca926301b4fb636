package main

import (
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/tools/internal/protocols"
)

// targetOf returns the target that the command line names: a host, the folder of a plugin, or the command of a program.
func (o *certifyFlags) targetOf(cmd *cobra.Command, targets []string) (target, error) {
	kinds := protocols.Programs()
	for i := len(kinds) - 1; i >= 0; i-- {
		name := kinds[i].Flag.Name
		if *o.commands[name] == "" && !cmd.Flags().Changed(name) {
			continue
		}
		if len(targets) > 0 {
			return target{}, usage("certify --%s: %q is a target beside it: give one of them", name, targets[0])
		}
		for _, other := range kinds[:i] {
			if cmd.Flags().Changed(other.Flag.Name) {
				return target{}, usage("certify --%s: --%s is a target beside it: give one of them", name, other.Flag.Name)
			}
		}
		return o.program(cmd, kinds[i])
	}
	if err := args("TARGET")(cmd, targets); err != nil {
		return target{}, err
	}
	name := targets[0]
	info, err := os.Stat(name)
	switch {
	case name == simulated:
		return o.target(name)
	case err != nil && !strings.Contains(name, ":"):
		return target{}, usage("certify %s: it is no folder (%s) and no base URL: name the folder of a plugin, a host like "+
			"http://127.0.0.1:7411, or %s", name, why(err), simulated)
	case err != nil:
		return o.target(name)
	}
	if !info.IsDir() {
		return target{}, usage("certify %s: it is a file: give the folder of a plugin, or the command with --exec", name)
	}
	return folder(cmd, name)
}

// folder returns the target in a folder.
func folder(cmd *cobra.Command, name string) (target, error) {
	var files []string
	for _, kind := range protocols.Kinds(protocols.Table) {
		switch {
		case kind.Folder == nil:
			continue
		case !kind.Folder.Holds(name):
			files = append(files, kind.Folder.Files[:]...)
			continue
		}
		if err := refuseHostFlags(cmd); err != nil {
			return target{}, err
		}
		ready, err := kind.Folder.Target(name)
		if err != nil {
			return target{}, usage("certify: %w", err)
		}
		return target{name: name, kind: kind, wire: ready, log: os.Stderr}, nil
	}
	return target{}, usage("certify %s: the folder has neither %s: is it the folder of a plugin?", name, strings.Join(files, " nor "))
}

// why returns the text of an error about a file, without the operation and the path.
func why(err error) string {
	if path, is := errors.AsType[*os.PathError](err); is {
		return path.Err.Error()
	}
	return err.Error()
}

// program returns the target whose command a flag gives.
func (o *certifyFlags) program(cmd *cobra.Command, kind protocols.Kind) (target, error) {
	flag, command := "--"+kind.Flag.Name, *o.commands[kind.Flag.Name]
	words, err := commandWords(cmd, flag, command, kind.Flag.Example)
	if err != nil {
		return target{}, err
	}
	process, err := kind.Flag.Target(words)
	if err != nil {
		return target{}, usage("certify %s: %w", flag, err)
	}
	return target{name: command, kind: kind, wire: process, log: os.Stderr}, nil
}

// commandWords splits the command that a flag gives into words.
func commandWords(cmd *cobra.Command, flag, command, example string) ([]string, error) {
	words, ok := shellWords(command)
	if !ok {
		return nil, usage("certify %s %q: a quote is not closed", flag, command)
	}
	if len(words) == 0 {
		return nil, usage("certify %s: name a program and its arguments, like '%s'", flag, example)
	}
	return words, refuseHostFlags(cmd)
}

// hostFlags lists flags that mean nothing for a program.
var hostFlags = []string{"--key", "--key-file", otherKeyFlag, voterKeyFlag, lowScopeKeyFlag, hostSecretFlag, secondHostFlag,
	secondHostKeyFlag, "--header", "--cacert", "--seam-prefix", "--role"}

// refuseHostFlags returns an error if the command line sets a flag that only hosts have.
func refuseHostFlags(cmd *cobra.Command) error {
	for _, name := range hostFlags {
		if cmd.Flags().Changed(strings.TrimPrefix(name, "--")) {
			return usage("certify %s: it is for hosts, and a program is none: leave it out", name)
		}
	}
	return nil
}

// shellWords splits a command as a shell does; it knows quotes and backslashes, and nothing else. ok is false if a
// quote is not closed.
func shellWords(command string) (words []string, ok bool) {
	var word strings.Builder
	inWord, quote := false, rune(0)
	escaped := false
	for _, c := range command {
		switch {
		case escaped:
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, inWord = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(c)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, quote == 0 && !escaped
}
