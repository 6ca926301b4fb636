package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/param"
	"github.com/openassay/assay/tools/assay/internal/ways"
)

// words returns the words of the command line, behind the name of the command, that certify the same target with the settings
// of this run. They hold no secrets but the names of variables. If they are to be run as they are, the shell refuses to run
// them without these variables.
func (o *certifyFlags) words(t target, toRun bool) []string {
	var words []string
	if t.kind.Target != nil && *o.commands[t.kind.Flag.Name] != "" {
		words = append(words, "--"+t.kind.Flag.Name)
	}
	words = append(words, textsafe.Shell(t.name))
	add := func(flag, value string) { words = append(words, flag, textsafe.Shell(value)) }
	switch {
	case o.key != "":
		words = append(words, "--key", secretIn(keyVariable, toRun))
	case o.keyFile != "":
		add("--key-file", o.keyFile)
	}
	if o.config != "" {
		add("--config", o.config)
	}
	words = slices.Concat(words, o.others.again(toRun), o.second.again(toRun))
	for _, h := range o.headers {
		name, _, _ := parseHeader(h)
		value := `'` + name + `: ...'`
		if toRun {
			value = `"` + name + `: ${` + strings.ToUpper(strings.ReplaceAll(name, "-", "_")) + `:?}"`
		}
		words = append(words, "--header", value)
	}
	if o.userAgent != "" {
		add("--user-agent", o.userAgent)
	}
	if o.caCert != "" {
		add("--cacert", o.caCert)
	}
	if o.protocol != "" && (t.kind.Target == nil || *o.commands[t.kind.Flag.Name] == "") {
		add("--protocol", o.protocol)
	}
	for _, fault := range param.Joined(o.faults) {
		add("--fault", fault)
	}
	if o.depth != scenarios.Standard.String() {
		add("--depth", o.depth)
	}
	if o.salt != "" {
		add("--salt", o.salt)
	}
	if o.realTime {
		words = append(words, "--real-time")
	}
	for _, c := range o.expectClaims {
		add("--expect-claim", c)
	}
	for _, p := range o.seamPrefixes {
		add("--seam-prefix", p)
	}
	for _, r := range o.roles {
		add("--role", r)
	}
	if o.patienceWasGiven {
		add("--patience", o.patience.String())
	}
	if o.timeoutWasGiven {
		add("--timeout", o.timeout.String())
	}
	if o.maxPatience != 0 {
		add("--max-patience", o.maxPatience.String())
	}
	if o.workers != 0 {
		add("--workers", strconv.Itoa(o.workers))
	}
	if o.host.command != "" {
		add("--host-cmd", o.host.command)
	}
	words = append(words, o.most.words()...)
	if o.rate != 0 {
		add("--rate", strconv.FormatFloat(o.rate, 'g', -1, 64))
	}
	return words
}

// narrowing returns the flags that select scenarios.
func (o *certifyFlags) narrowing() (words []string) {
	for _, by := range []struct {
		flag   string
		values []string
	}{{"--suite", o.suites}, {"--scenario", o.scenarios}, {"--requirement", o.requirements}} {
		if len(by.values) > 0 {
			words = append(words, by.flag, textsafe.Shell(strings.Join(by.values, ",")))
		}
	}
	if o.filter != "" {
		words = append(words, "--filter", textsafe.Shell(o.filter))
	}
	return words
}

// secretIn returns the word for the value of a variable, which is a secret.
func secretIn(variable string, toRun bool) string {
	if toRun {
		return `"${` + variable + `:?}"`
	}
	return `"$` + variable + `"`
}

// waysOut returns the commands for ways out of what blocks scenarios of a target.
func (o *certifyFlags) waysOut(t target) ways.Commands {
	program := textsafe.Shell(os.Args[0])
	words := func(o certifyFlags) []string {
		words := append([]string{program, "certify"}, o.words(t, true)...)
		if o.out != reportsDir {
			words = append(words, "--out", textsafe.Shell(o.out))
		}
		return words
	}
	certify, keyless, unbounded := words(*o), *o, *o
	keyless.key, keyless.keyFile = "", ""
	unbounded.most = noneGiven // which may be what blocked them
	joined := func(words ...string) string {
		return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
	}
	salt := ""
	if o.salt != "" {
		salt = textsafe.Shell(o.salt)
	}
	return ways.Commands{
		Program: program, Salt: salt, Check: joined(program, "certify", "--check", textsafe.Shell(cmp.Or(o.ticket.check, o.ticket.launch))),
		Certify: func(variables, flags string) string {
			return joined(slices.Concat([]string{variables}, certify, o.narrowing(), []string{flags})...)
		},
		Keyed: func(variables string) string {
			return joined(slices.Concat([]string{variables}, words(keyless), o.narrowing())...)
		},
		Ask: func(selection string) string { return joined(append(words(unbounded), selection)...) },
	}
}

// mostWays is how many ways out a certification ends with; assay doctor lists all.
const mostWays = 3

// bestWays returns what would unblock the most.
func (c *certify) bestWays(doc results.Results) (best []results.WayOut) {
	all := ways.Of(doc, c.waysOut)
	for _, w := range all[:min(len(all), mostWays)] {
		best = append(best, results.WayOut{Do: w.Do, Command: w.Command, Reasons: w.Reasons, Scenarios: w.Scenarios})
	}
	return best
}

// showWays says what would prove the most that is not proved yet.
func (c *certify) showWays(doc results.Results) error {
	if len(doc.WaysOut) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("to unblock the most:\n")
	for _, w := range doc.WaysOut {
		writeWay(&b, w.Do, w.Command, len(w.Scenarios))
	}
	_, err := io.WriteString(c.text, textsafe.Log(b.String()))
	return err
}

func writeWay(b *strings.Builder, do, command string, scenarios int) {
	fmt.Fprintf(b, "  %4d  %s\n        %s\n", scenarios, textsafe.Clip(do, mostWords), textsafe.Line(command))
}
