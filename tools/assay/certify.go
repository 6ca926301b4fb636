package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/challenge"
	"github.com/openassay/assay/scenarios/ginkgosuite"
	"github.com/openassay/assay/tools/assay/internal/progress"
	"github.com/openassay/assay/tools/assay/internal/ways"
	"github.com/openassay/assay/tools/internal/protocols"
)

const certifyLong = `Drives a host over its own wire, judges what it does against what it claims, and
writes into --out: report.html, a page to read; results.json, matrix.md, junit.xml,
a badge for each profile, and the transcripts. --github and --events tell programs
more: docs/ci.md.

TARGET is the host's base URL, or simhost: a simulated host that is started for
the occasion and stopped afterwards; or the folder of a plugin, with manifest.yaml
or assay-plugin.yaml, whose executable is started once a turn. --exec takes a
command in place of a folder: nothing is declared of it then. %s

What a target needs can stand in assay.yaml in the working folder, or in --config
FILE: a line NAME: VALUE for each flag, lists as YAML has them. Flags win. A key
does not stand there but where it is kept: key: {env: NAME} or {file: PATH}. Its
list expectations holds the failures that are known (docs/expectations.md): they
stay violations, and do not count for the exit code.

A target may have limits of hours, which no certification waits for. With --launch FILE
what begins with such a limit is left running, and noted in FILE; certify --check FILE
goes on with the same certification when they are over, and says when that is if it is
too early. FILE holds no key, so give it again (docs/certify.md).

--again N asks a third of the scenarios that passed or failed again, N times, at times
that are drawn from --over after the end, in another order, under other names and with
other values: a host may behave only while it is looked at. What comes out otherwise is
reported as such. What is violated then is violated, a pass that then comes to no
verdict is unproved, and exit codes follow from that.

Exit codes, the highest that applies:
  2    the command was not understood
  3    the target cannot be reached, has no discovery document, or not the nonce
  6    Assay itself broke
  1    a requirement is violated, or an expectation does not hold any more
  5    a claim is left unproved: blocked, inconclusive, seen too weakly, or passed by
       checks that could not have failed; or it is too early for --check
  4    nothing was proved: nothing selected, or nothing claimed
  0    every claim that was asked about is proved, but for known failures
  130  interrupted; what is known is written, the rest is inconclusive`

const certifyExample = `  assay certify simhost
  assay certify http://localhost:3000 --key-file ./key --suite iteration-monotonic
  assay certify http://localhost:3000 --filter 'level:MUST && !suite:version5-shape' --json
  assay certify http://localhost:3000 --plan
  assay certify https://host.example --key-file key --launch ticket.json
  assay certify --check ticket.json --key-file key
  assay certify ./%[1]s
  assay certify https://host.example --key-file key --github --events events.ndjson
  assay certify --protocol %[1]s --exec 'python3 run.py'`

func newCertify() *cobra.Command {
	o := &certifyFlags{}
	cmd := &cobra.Command{
		Use:     "certify TARGET|--exec COMMAND|--resolver COMMAND",
		Short:   "Find out whether a host keeps its promises",
		Long:    fmt.Sprintf(certifyLong, programHelp()),
		Example: fmt.Sprintf(certifyExample, protocols.Hostless()[0].Name()) + protocols.Examples("certify"),
		Args:    cobra.ArbitraryArgs, // targetOf checks them: --exec replaces TARGET
		RunE: func(cmd *cobra.Command, targets []string) error {
			c, err := o.read(cmd, targets)
			if err != nil {
				return err
			}
			return c.run(cmd.Context())
		},
	}
	o.register(cmd.Flags())
	return cmd
}

// programHelp returns the help that protocols add about flags for programs.
func programHelp() string {
	var words []string
	for _, kind := range protocols.Programs() {
		if kind.Flag.Long != "" {
			words = append(words, kind.Flag.Long)
		}
	}
	return strings.Join(words, " ")
}

// certify is one run of the command.
type certify struct {
	target  target
	options scenarios.Options
	suites  []scenarios.Suite   // suites of the protocol, or of the first candidate
	others  [][]scenarios.Suite // suites of further candidates for the protocol
	plan    bool
	// challenge has the passes of a whole certification shown able to fail.
	challenge bool
	repeat    againFlags
	with      recordingFlag
	json      bool
	out       string
	bundle    evidence
	ticket    ticketFlags
	host      hostFlag
	again     func(scenarios.ScenarioID) string
	waysOut   ways.Commands // out of what blocks scenarios

	expected  expected // known failures
	listeners listeners

	stdout, stderr io.Writer
	text           io.Writer // for people: standard output, unless a program reads that
}

func (c *certify) run(ctx context.Context) error {
	if c.plan {
		return c.printPlan()
	}
	if err := c.checkOut(); err != nil {
		return err
	}
	if err := c.listeners.open(c.stdout); err != nil {
		return err
	}
	defer c.listeners.close()
	if err := errors.Join(reports.SetAside(c.out), reports.SetRepetitionsAside(c.out)); err != nil {
		return usage("certify --out %s: what an earlier run wrote cannot be set aside: %w: give another folder", c.out, err)
	}
	if err := c.bundle.setAside(); err != nil {
		return errors.Join(err, reports.TakeBack(c.out))
	}
	if err := c.bundle.announce(ctx, c.target.name, &c.options); err != nil {
		c.earlier()
		return errors.Join(err, c.bundle.ended(exitCode(err)))
	}
	doc, err := c.drive(ctx)
	code := exitCode(err)
	if doc != nil {
		code = int(doc.ExitCode) // of the certification; the command may end otherwise for want of a file or a timestamp
	}
	if failed := c.bundle.ended(code); failed != nil {
		err = errors.Join(err, failed)
	}
	return c.listeners.over(doc, err)
}

// drive certifies the target. The document is nil if nothing was driven; the error carries the exit code.
func (c *certify) drive(ctx context.Context) (*results.Results, error) {
	defer bounded()()
	report, err := c.ask(ctx, "certifying")
	if err != nil {
		c.earlier()
		return nil, err
	}
	return c.deliver(ctx, report)
}

// ask drives and judges the target. doing is the word for it.
func (c *certify) ask(ctx context.Context, doing string) (*scenarios.Report, error) {
	end, err := c.startHost(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	wire, stop, err := c.target.open(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()

	p := progress.New(c.stderr, isTerminal(c.stderr), time.Now, "scenarios", verdictWords()...)
	defer p.End()
	p.Say("%s %s, seed %d", doing, c.target.name, c.options.Seed)
	c.options.Progress = func(o scenarios.Outcome) {
		alarm := ""
		if o.Verdict == scenarios.Failed || o.Verdict == scenarios.Broken {
			alarm = o.Reason
		}
		p.Ended(string(o.Scenario.ID), string(o.Verdict), alarm)
		c.listeners.ended(o)
	}
	if err := c.detect(ctx, wire); err != nil {
		return nil, c.notStarted(ctx, err)
	}
	if err := c.ticket.speaks(c.suites[0].Protocol.ID); err != nil {
		return nil, err
	}
	if err := knownRoles(c.suites[0].Protocol, c.options.Roles); err != nil {
		return nil, err
	}
	certification, err := scenarios.Certify(ctx, wire, c.options, c.suites...)
	if err != nil {
		return nil, c.notStarted(ctx, err)
	}
	if err := c.ticket.begin(); err != nil {
		certification.Interrupt()
		return nil, err
	}
	c.listeners.started(certification)
	p.Begin(len(certification.Selected()))
	// Ginkgo runs the scenarios as its own specs; the report is written from their outcomes.
	ginkgosuite.Show(certification, nil)
	// The clean-up must reach the target even after an interrupt.
	report := certification.Finish(context.WithoutCancel(ctx))
	if err := c.askAgain(ctx, wire, report); err != nil {
		return report, err
	}
	c.with.observe(report, certification.Discovery, c.suites, c.stderr)
	return report, nil
}

// verdictWords returns the verdicts in the order in which progress shows them.
func verdictWords() (words []string) {
	for _, v := range scenarios.Verdicts {
		words = append(words, string(v))
	}
	return words
}

// A certification holds little memory and allocates much: limits on a target's replies bound the live heap. Letting the
// heap grow to a few times its live size saves a quarter of the processor time; the memory limit makes the collector
// work harder only if the process would become large.
const (
	heapGrowth = 300       // percent
	mostMemory = 192 << 20 // bytes
)

// bounded limits the memory of the process and silences the log package while a target is driven. undo restores both.
// GOMEMLIMIT and GOGC win over its limits.
func bounded() (undo func()) {
	// The HTTP client logs unsolicited responses verbatim, and they may contain a key.
	before := log.Writer()
	log.SetOutput(io.Discard)
	limit := debug.SetMemoryLimit(-1)
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(mostMemory)
	}
	restoreGC := relaxGC()
	return func() {
		log.SetOutput(before)
		debug.SetMemoryLimit(limit)
		restoreGC()
	}
}

// relaxGC lets the heap grow by heapGrowth unless GOGC is set. undo restores the previous setting.
func relaxGC() (undo func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	growth := debug.SetGCPercent(heapGrowth)
	return func() { debug.SetGCPercent(growth) }
}

// earlier puts reports and a bundle back that a run which drove nothing has set aside, and says that they are not its own.
func (c *certify) earlier() {
	if err := errors.Join(reports.TakeBack(c.out), c.bundle.takeBack()); err != nil {
		fmt.Fprintf(c.stderr, "assay: certify: the reports of an earlier run keep names that end in %s: %v\n", reports.EarlierSuffix, err)
	}
	if info, failed := os.Stat(filepath.Join(c.out, reports.ResultsName)); failed == nil {
		fmt.Fprintf(c.stderr, "assay: certify: the reports in %s are of an earlier run, of %s\n", c.out,
			info.ModTime().UTC().Format(time.RFC3339))
	}
}

// setAside says, where reports could not be written, that those of an earlier run have other names.
func (c *certify) setAside() {
	if reports.Earlier(filepath.Join(c.out, reports.ResultsName)) != "" {
		fmt.Fprintf(c.stderr, "assay: certify: what an earlier run wrote into %s ends in %s now\n", c.out, reports.EarlierSuffix)
	}
}

// notStarted returns the error of a run that drove nothing.
func (c *certify) notStarted(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return &exit{Code: scenarios.ExitInterrupted, Cause: errors.New("certify: interrupted before anything was asked: nothing was written")}
	case isNotDue(err):
		return c.ticket.notDue(err)
	case errors.Is(err, scenarios.ErrOtherRecords):
		return usage("certify --check %s: %w: launch again", c.ticket.check, err)
	case errors.Is(err, scenarios.ErrUnreachable) && c.target.wire.Process != nil:
		return fmt.Errorf("certify: %w", err)
	case errors.Is(err, scenarios.ErrNoNonce):
		return fmt.Errorf("certify: %w: publish it there, or leave out --nonce", err)
	case errors.Is(err, scenarios.ErrUnreachable):
		return fmt.Errorf("certify: %w: start it, or check the URL", err)
	}
	return notSelected(err)
}

// notSelected returns the error of a selection that cannot run.
func notSelected(err error) error {
	if errors.Is(err, scenarios.ErrNothingSelected) {
		return fmt.Errorf("certify: %w: nothing would be proved: assay list scenarios --json shows what there is, with its labels", err)
	}
	return fmt.Errorf("certify: %w", err)
}

// deliver writes and shows the report. The error carries the exit code and the mistakes in the expectations.
func (c *certify) deliver(ctx context.Context, report *scenarios.Report) (*results.Results, error) {
	interrupted := ctx.Err() != nil
	var unchallenged error
	if c.challenge && !interrupted && !report.Select.Narrows() {
		interrupted, unchallenged = c.challengePasses(ctx, report)
	}
	ctx = context.WithoutCancel(ctx) // what is known is written
	stamp := reports.Stamp{Version: version(), ExitCode: report.ExitCode(), Again: c.again}
	if interrupted {
		stamp.ExitCode = scenarios.ExitInterrupted
	}
	wrong, unwritten := c.expect(report, &stamp)
	doc := reports.Results(report, stamp)
	doc.WaysOut = c.bestWays(doc)
	written := errors.Join(c.writeRepetitions(report), reports.Write(c.out, report, doc))
	if written != nil {
		c.setAside()
	}
	shown := c.show(report, stamp, doc, written == nil)
	line, packed := c.bundle.pack(ctx, report, doc)
	left, unticketed := c.ticket.leave(report, c.bundle.binary)
	if !c.json {
		_, err := io.WriteString(c.text, c.kills()+line+left)
		shown = errors.Join(shown, err, c.showWays(doc))
	}
	if err := errors.Join(unchallenged, written, packed, unticketed, shown, c.listeners.finished(doc, c.out, c.text)); err != nil {
		return &doc, &exit{Code: scenarios.ExitBroken, Cause: err}
	}
	if err := errors.Join(unwritten, c.bundle.unstamped); err != nil {
		return &doc, err
	}
	if stamp.ExitCode != scenarios.ExitProved {
		return &doc, &exit{Code: stamp.ExitCode, Cause: wrong}
	}
	return &doc, nil
}

// challengePasses shows which passes could have failed. cut reports that it was interrupted: then none is shown to.
func (c *certify) challengePasses(ctx context.Context, report *scenarios.Report) (cut bool, err error) {
	fmt.Fprintln(c.stderr, "challenging its passes")
	watch, end := challenging(ctx, c.stderr)
	defer end()
	_, err = watch.Settle(report)
	switch {
	case errors.Is(err, challenge.ErrInterrupted):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("certify: the passes cannot be challenged: %w: --no-challenge leaves it out", err)
	}
	return false, nil
}

// challenging returns what follows a challenge on w, and ends it with ctx. Call end when it is over.
func challenging(ctx context.Context, w io.Writer) (watch challenge.Watch, end func()) {
	p := progress.New(w, isTerminal(w), time.Now, "passes")
	return challenge.Watch{Interrupted: ctx.Done(), Progress: func(done, of int) { p.At("challenging passes", done, of) }}, p.End
}

func (c *certify) show(report *scenarios.Report, stamp reports.Stamp, doc results.Results, written bool) error {
	if c.json {
		encoded, err := reports.MarshalResults(doc)
		if err != nil {
			return err
		}
		_, err = c.stdout.Write(encoded)
		return err
	}
	o := reports.TextOptions{Stamp: stamp, Color: wantsColor(c.text)}
	if written {
		o.Dir = c.out
	}
	return reports.Text(c.text, report, o)
}

// checkOut returns an error if the folder for the reports cannot be made, before anything is driven.
func (c *certify) checkOut() error {
	for dir := filepath.Clean(c.out); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if errors.Is(err, os.ErrNotExist) && filepath.Dir(dir) != dir {
			continue // reports.Write makes it
		}
		if err != nil {
			return usage("certify --out %s: %w: give another folder", c.out, err)
		}
		if !info.IsDir() {
			return usage("certify --out %s: %s is a file: give a folder", c.out, dir)
		}
		return nil
	}
}

// isTerminal reports whether w may be a terminal that understands control codes. It also reports true for /dev/null,
// where that does no harm.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// wantsColor reports whether to write colors to w. It follows https://no-color.org.
func wantsColor(w io.Writer) bool { return os.Getenv("NO_COLOR") == "" && isTerminal(w) }
