package main

import (
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/scenarios/agenticloop"
	"github.com/openassay/assay/scenarios/openintent"
)

// targetOf is the target that the command line names: a host, the folder of a plugin, or the command of one or of a resolver.
func (o *certifyFlags) targetOf(cmd *cobra.Command, targets []string) (target, error) {
	if o.resolver != "" || cmd.Flags().Changed("resolver") {
		switch {
		case len(targets) > 0:
			return target{}, usage("certify --resolver: %q is a target beside it: give one of them", targets[0])
		case cmd.Flags().Changed("exec"):
			return target{}, usage("certify --resolver: --exec is a target beside it: give one of them")
		}
		return o.resolverCommand(cmd)
	}
	if o.exec != "" || cmd.Flags().Changed("exec") {
		if len(targets) > 0 {
			return target{}, usage("certify --exec: %q is a target beside it: give one of them", targets[0])
		}
		return o.command(cmd)
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
		return target{}, usage("certify %s: it is no folder (%s) and no base URL: name the folder of a plugin, a host like http://127.0.0.1:7411, or %s", name, why(err), simulated)
	case err != nil:
		return o.target(name)
	}
	if !info.IsDir() {
		return target{}, usage("certify %s: it is a file: give the folder of a plugin, or the command with --exec", name)
	}
	if !agenticloop.IsPlugin(name) {
		return target{}, usage("certify %s: the folder has neither %s nor %s: is it the folder of a plugin?", name, agenticloop.ProfileName, agenticloop.ManifestName)
	}
	if err := onlyForHosts(cmd); err != nil {
		return target{}, err
	}
	t := target{name: name, log: os.Stderr}
	if t.wire, err = agenticloop.Folder(name); err != nil {
		return target{}, usage("certify: %w", err)
	}
	return t, nil
}

// why is what an error of a file says, without the file.
func why(err error) string {
	if path, is := errors.AsType[*os.PathError](err); is {
		return path.Err.Error()
	}
	return err.Error()
}

// command is the plugin that --exec starts.
func (o *certifyFlags) command(cmd *cobra.Command) (target, error) {
	words, err := commandWords(cmd, "--exec", o.exec, "python3 run.py")
	if err != nil {
		return target{}, err
	}
	process, err := agenticloop.Exec(words)
	if err != nil {
		return target{}, usage("certify --exec: %w", err)
	}
	return target{name: o.exec, wire: process, log: os.Stderr}, nil
}

// resolverCommand is the resolver that --resolver starts.
func (o *certifyFlags) resolverCommand(cmd *cobra.Command) (target, error) {
	words, err := commandWords(cmd, "--resolver", o.resolver, "python3 resolve.py")
	if err != nil {
		return target{}, err
	}
	process, err := openintent.Resolver(words)
	if err != nil {
		return target{}, usage("certify --resolver: %w", err)
	}
	return target{name: o.resolver, wire: process, resolver: true, log: os.Stderr}, nil
}

// commandWords are the words of a command that a flag gives.
func commandWords(cmd *cobra.Command, flag, command, example string) ([]string, error) {
	words, ok := shellWords(command)
	if !ok {
		return nil, usage("certify %s %q: a quote is not closed", flag, command)
	}
	if len(words) == 0 {
		return nil, usage("certify %s: name a program and its arguments, like '%s'", flag, example)
	}
	return words, onlyForHosts(cmd)
}

// forHosts are flags that mean nothing for an executable.
var forHosts = []string{"--key", "--key-file", otherKeyFlag, voterKeyFlag, lowScopeKeyFlag, secondHostFlag, secondHostKeyFlag, "--header", "--cacert", "--seam-prefix"}

func onlyForHosts(cmd *cobra.Command) error {
	for _, name := range forHosts {
		if cmd.Flags().Changed(strings.TrimPrefix(name, "--")) {
			return usage("certify %s: it is for hosts, and a program is none: leave it out", name)
		}
	}
	return nil
}

// shellWords cuts a command the way a shell does, quotes and backslashes considered and nothing else. ok is false where a
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
