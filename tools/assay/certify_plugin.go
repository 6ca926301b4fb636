package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/scenarios/agenticloop"
)

// targetOf is the target that the command line names: a host, the folder of a plugin, or the command of one.
func (o *certifyFlags) targetOf(cmd *cobra.Command, targets []string) (target, error) {
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
	if err != nil || name == simulated {
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

// command is the plugin that --exec starts.
func (o *certifyFlags) command(cmd *cobra.Command) (target, error) {
	words, ok := shellWords(o.exec)
	if !ok {
		return target{}, usage("certify --exec %q: a quote is not closed", o.exec)
	}
	if len(words) == 0 {
		return target{}, usage("certify --exec: name a program and its arguments, like 'python3 run.py'")
	}
	if err := onlyForHosts(cmd); err != nil {
		return target{}, err
	}
	process, err := agenticloop.Exec(words)
	if err != nil {
		return target{}, usage("certify --exec: %w", err)
	}
	return target{name: o.exec, wire: process, log: os.Stderr}, nil
}

// forHosts are flags that mean nothing for an executable.
var forHosts = []string{"--key", "--key-file", otherKeyFlag, voterKeyFlag, lowScopeKeyFlag, secondHostFlag, secondHostKeyFlag, "--header", "--cacert", "--seam-prefix"}

func onlyForHosts(cmd *cobra.Command) error {
	for _, name := range forHosts {
		if cmd.Flags().Changed(strings.TrimPrefix(name, "--")) {
			return usage("certify %s: it is for hosts, and a plugin is none: leave it out", name)
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
