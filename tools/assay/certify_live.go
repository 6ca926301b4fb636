package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/reports/github"
	"github.com/openassay/assay/reports/live"
	"github.com/openassay/assay/scenarios"
)

// listeners holds the programs that certify reports to besides the files in --out: GitHub Actions, and readers of the
// event stream.
type listeners struct {
	github bool
	events string // file for the event stream; - for standard output

	summary *os.File     // of the step; nil without --github
	file    *os.File     // of the event stream; nil for standard output
	stream  *live.Stream // nil without --events
}

// onStdout names standard output where a flag takes a file.
const onStdout = "-"

func (l *listeners) register(f *pflag.FlagSet) {
	f.BoolVar(&l.github, "github", false, "tell GitHub Actions: a summary of the step, and an annotation for each failure")
	f.StringVar(&l.events, "events", "", "`FILE` for what happens while it happens, a line of JSON each; - for standard "+
		"output, and the text then goes to standard error")
}

func (l *listeners) check(given func(string) bool, plan, json bool) error {
	switch {
	case given("events") && l.events == "":
		return usage("certify --events: name a file, or - for standard output")
	case plan && (l.github || l.events != ""):
		return usage("certify --plan: nothing is sent, and nothing to tell: leave out --github and --events")
	case json && l.events == onStdout:
		return usage("certify --events -: --json prints to standard output too: give --events a file")
	case l.github && os.Getenv(github.SummaryVariable) == "":
		return usage("certify --github: %s is not set: it is for steps of GitHub Actions; elsewhere leave --github out", github.SummaryVariable)
	}
	return nil
}

// open opens the files, so that one that cannot be written fails before anything is driven.
func (l *listeners) open(stdout io.Writer) error {
	if l.github {
		path := os.Getenv(github.SummaryVariable)
		// nolint:gosec // the runner names the path, and reads the file as another user
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
		if err != nil {
			return usage("certify --github: open the summary that %s names: %w: set it to a file", github.SummaryVariable, err)
		}
		l.summary = f
	}
	switch l.events {
	case "":
	case onStdout:
		l.stream = live.New(stdout, time.Now)
	default:
		f, err := os.Create(l.events)
		if err != nil {
			return usage("certify --events %s: %w: give another file", l.events, err)
		}
		l.file, l.stream = f, live.New(f, time.Now)
	}
	return nil
}

func (l *listeners) close() {
	for _, f := range []*os.File{l.summary, l.file} {
		if f != nil {
			f.Close()
		}
	}
}

// started reports that the drives have begun.
func (l *listeners) started(c *scenarios.Certification) {
	if l.stream != nil {
		l.stream.Started(reports.Results(c.Head(), reports.Stamp{Version: version()}), len(c.Selected()))
	}
}

// ended reports the outcome of one scenario.
func (l *listeners) ended(o scenarios.Outcome) {
	if l.stream != nil {
		l.stream.Scenario(o)
	}
}

// finished reports the result to GitHub. The report for people went to text.
func (l *listeners) finished(doc results.Results, dir string, text io.Writer) error {
	if !l.github {
		return nil
	}
	meaning := reports.ExitMeaning(int(doc.ExitCode))
	if conclusion := reports.Conclusion(doc); conclusion != meaning { // it names the file of the known failures
		meaning = textsafe.Markdown(conclusion)
	}
	if err := github.Summary(l.summary, doc, meaning, dir); err != nil {
		return fmt.Errorf("certify --github: write the summary of the step: %w", err)
	}
	return github.Annotations(text, doc)
}

// over ends the event stream. doc is nil if nothing was driven. It returns err, or the error of writing the stream.
func (l *listeners) over(doc *results.Results, err error) error {
	if l.stream == nil {
		return err
	}
	if doc != nil {
		doc.ExitCode = int64(exitCode(err))
		l.stream.Finished(*doc)
	} else {
		l.stream.NotStarted(exitCode(err), fmt.Sprint(err))
	}
	if failed := l.stream.Err(); failed != nil {
		return &exit{Code: scenarios.ExitBroken, Cause: fmt.Errorf("certify --events: %w: give another file", failed)}
	}
	return err
}
