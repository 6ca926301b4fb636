package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/tools/assay/internal/progress"
)

const exploreLong = `Makes histories that nobody thought of, until --for is over or one shows a violation:
several clients at once do legal and illegal things to objects of the target, drawn
from the seed by weights that turn towards what was not done yet. A model of the
protocol says after each step what may be seen; what happens at once is held to
linearizability. A history that the model does not explain is asked again, smaller
and smaller, and the smallest is shown: its steps, the one that no rule allows, and
what would have been allowed in its place.

With --all it goes on when something is found. With --host-cmd it starts the host
itself, kills it at drawn moments and starts it again: what was acknowledged must be
there (docs/explore.md).

It certifies nothing: a certificate is for assay certify. What it finds is written
into --out as a certification would be, with the transcript of all requests.

Exit codes, the highest that applies:
  2    the command was not understood
  3    the target cannot be reached, or has no discovery document
  6    Assay itself broke
  1    a requirement is violated
  5    some histories came to no verdict
  4    nothing could be explored
  0    nothing was found
  130  interrupted`

// exploreFlags lists the flags of assay certify that explore takes, too.
var exploreFlags = append([]string{"seed", "fault", "out", "host-cmd"},
	slices.DeleteFunc(slices.Clone(targetFlags), func(name string) bool {
		return slices.Contains([]string{"salt", "expect-claim", "json", "real-time"}, name)
	})...)

func newExplore() *cobra.Command {
	o, lasts, all := &certifyFlags{}, time.Duration(0), false
	cmd := &cobra.Command{
		Use:   "explore TARGET|--exec COMMAND",
		Short: "Look for violations in drawn histories",
		Long:  exploreLong,
		Example: "  assay explore simhost --for 10s\n" +
			"  assay explore http://localhost:3000 --key-file ./key --for 10m",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, targets []string) error {
			if lasts <= 0 {
				return usage("explore --for %s: give a duration like 60s", lasts)
			}
			c, err := exploreTarget(cmd, o, targets)
			if err != nil {
				return err
			}
			c.all = all
			return c.run(cmd.Context(), lasts)
		},
	}
	o.register(cmd.Flags())
	cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Hidden = !slices.Contains(exploreFlags, f.Name) && o.commands[f.Name] == nil })
	out := cmd.Flags().Lookup("out")
	out.DefValue, out.Usage = exploredDir, "`DIR` for what is found"
	cmd.Flags().DurationVar(&lasts, "for", time.Minute, "`TIME` for which it goes on")
	cmd.Flags().BoolVar(&all, "all", false, "go on when something is found, and hold each sentence against the target once")
	return cmd
}

// exploredDir is beside the reports of certifications.
var exploredDir = filepath.Join(reportsDir, "explore")

// exploring is one run of the command.
type exploring struct {
	*certify
	seed     uint64 // of the first session
	most     wire.Spent
	all      bool // go on
	sessions int
	spent    wire.Spent
	open     []string // why histories came to no verdict
	asked    bool     // some came to one
}

func exploreTarget(cmd *cobra.Command, o *certifyFlags, targets []string) (*exploring, error) {
	if err := refuseHidden(cmd); err != nil {
		return nil, err
	}
	if !cmd.Flags().Changed("out") {
		o.out = exploredDir
	}
	c, err := o.read(cmd, targets)
	if err != nil {
		return nil, inCommand("explore", err)
	}
	c.options.Depth = scenarios.Deep
	return &exploring{certify: c, seed: c.options.Seed, most: c.options.Most}, c.checkOut()
}

// histories leaves of the suites those that explore.
func (e *exploring) histories() error {
	id := e.suites[0].Protocol.ID
	if e.suites = explore.Of(e.suites); len(e.suites) == 0 {
		return usage("explore: there is no model of %s", id)
	}
	for _, s := range e.suites {
		e.options.Select.Suites = append(e.options.Select.Suites, s.ID)
	}
	return nil
}

// run makes one session after another, each with a seed of its own, until the time is over or something is found.
func (e *exploring) run(ctx context.Context, lasts time.Duration) error {
	defer bounded()()
	p := progress.New(e.stderr, isTerminal(e.stderr), time.Now, "sessions")
	defer p.End()
	p.Say("exploring %s for %s, seed %d", e.target.name, lasts, e.seed)
	stop, err := e.startHost(ctx)
	if err != nil {
		return inCommand("explore", err)
	}
	defer stop()
	if h := e.options.Mortal; h != nil {
		h.Spell = min(lasts/10, killSpell/2) // a session has each drive do so, and is one of many
		h.Most = h.Spell
	}
	began := time.Now()
	for ; e.sessions == 0 || time.Since(began) < lasts; e.sessions++ {
		var some bool
		if e.options.Most, some = e.spent.Left(e.most); !some {
			break // the operator allows no more
		}
		e.options.Seed = e.seed + uint64(e.sessions) //nolint:gosec // a count
		report, err := e.session(ctx, lasts-time.Since(began))
		if err != nil {
			return inCommand("explore", e.notStarted(ctx, err))
		}
		e.spent = e.spent.Plus(report.Spent)
		if ctx.Err() != nil {
			return &exit{Code: scenarios.ExitInterrupted, Cause: errors.New("explore: interrupted")}
		}
		if done, err := e.concluded(report); done || err != nil {
			return err
		}
	}
	return e.over(time.Since(began))
}

// session explores once. A simulated host is a new one each time. The end of left ends it without a verdict.
func (e *exploring) session(ctx context.Context, left time.Duration) (*scenarios.Report, error) {
	target, stop, err := e.target.open(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	if e.sessions == 0 {
		if err := e.detect(ctx, target); err != nil {
			return nil, err
		}
		if err := e.histories(); err != nil {
			return nil, err
		}
	}
	c, err := scenarios.Certify(ctx, target, e.options, e.suites...)
	if err != nil {
		return nil, err
	}
	if e.sessions > 0 { // the first one is whole
		defer time.AfterFunc(left, c.Interrupt).Stop()
	}
	return c.Finish(context.WithoutCancel(ctx)), nil
}

// concluded shows what a session found, and writes it. done is set if something was.
func (e *exploring) concluded(report *scenarios.Report) (done bool, err error) {
	var found scenarios.IDs
	_, some := e.spent.Left(e.most)
	for _, o := range report.Outcomes {
		switch o.Verdict {
		case scenarios.Failed:
			found = append(found, o.Failure.Requirement)
		case scenarios.Broken:
			return true, &exit{Code: scenarios.ExitBroken, Cause: fmt.Errorf("explore: %s: %s", o.Scenario.ID, o.Reason)}
		case scenarios.Blocked:
			if some || e.sessions == 0 { // else the operator allows no more
				e.note(o)
			}
		case scenarios.Inconclusive: // the time was over, or the target did not answer
			if e.sessions == 0 {
				e.note(o)
			}
		case scenarios.Passed:
			e.asked = true
		}
	}
	told := e.told(report, found)
	for _, b := range told {
		found = append(found, b.Requirement)
	}
	if len(found) == 0 {
		return false, nil
	}
	again := func(scenarios.ScenarioID) string { return e.repeat() }
	stamp := reports.Stamp{Version: version(), ExitCode: scenarios.ExitViolated, Again: again}
	dir := e.out
	if e.all {
		dir = filepath.Join(dir, strconv.FormatUint(e.options.Seed, 10))
	}
	if err := reports.Write(dir, report, reports.Results(report, stamp)); err != nil {
		return true, &exit{Code: scenarios.ExitBroken, Cause: err}
	}
	if _, err := io.WriteString(e.stdout, e.found(report, told, dir)); err != nil {
		return true, err
	}
	if e.options.Known = append(slices.Clone(e.options.Known), found...); e.all {
		return false, nil
	}
	return true, &exit{Code: scenarios.ExitViolated}
}

func (e *exploring) note(o scenarios.Outcome) {
	if line := fmt.Sprintf("%s: %s: %s", o.Scenario.ID, o.Verdict, o.Reason); !slices.Contains(e.open, line) {
		e.open = append(e.open, line)
	}
}

// repeat is the command that makes the session again, and no other.
func (e *exploring) repeat() string {
	flags, _, _ := strings.Cut(strings.TrimPrefix(e.again(""), "assay certify "), " --scenario ")
	if e.all { // what is known by then is found first
		return fmt.Sprintf("assay explore %s --seed %d --all", flags, e.seed)
	}
	return fmt.Sprintf("assay explore %s --seed %d --for 1s", flags, e.options.Seed)
}

// told are the violations of rules for everything that is read, whatever for: of each sentence that was not found otherwise, the first.
func (e *exploring) told(report *scenarios.Report, found scenarios.IDs) (out []scenarios.Breach) {
	known := slices.Concat(e.options.Known, found)
	for _, b := range report.Breaches {
		if b.By == scenarios.ByInvariant && !slices.Contains(known, b.Requirement) {
			known, out = append(known, b.Requirement), append(out, b)
		}
	}
	return out
}

// found tells the violations of a session.
func (e *exploring) found(report *scenarios.Report, told []scenarios.Breach, dir string) string {
	var b strings.Builder
	for _, o := range report.Outcomes {
		if o.Verdict != scenarios.Failed {
			continue
		}
		fmt.Fprintf(&b, "%s: violated\n", o.Failure.Requirement)
		for line := range strings.SplitSeq(o.Failure.Expected, "\n") {
			fmt.Fprintf(&b, "  %s\n", textsafe.Line(line))
		}
		fmt.Fprintf(&b, "  got %s\n", textsafe.Clip(textsafe.Line(o.Failure.Actual), mostWords))
	}
	for _, t := range told {
		fmt.Fprintf(&b, "%s: violated\n  %s (%s, exchange %d)\n  got %s\n", t.Requirement, textsafe.Line(t.Expected), t.Drive, t.Where.Exchange,
			textsafe.Clip(textsafe.Line(t.Actual), mostWords))
	}
	fmt.Fprintf(&b, "%s; found in session %d, explore/%d\nagain: %s\nreports in %s\n", textsafe.Count(e.spent.Requests, "request"),
		e.sessions+1, e.options.Seed, e.repeat(), dir)
	return b.String()
}

// over tells what there is to tell when the time is over.
func (e *exploring) over(took time.Duration) error {
	for _, line := range e.open {
		if _, err := fmt.Fprintln(e.stdout, textsafe.Line(line)); err != nil {
			return err
		}
	}
	switch {
	case len(e.options.Known) > 0:
		return &exit{Code: scenarios.ExitViolated}
	case !e.asked:
		return &exit{Code: scenarios.ExitNothing, Cause: errors.New("explore: no history came to a verdict")}
	}
	killed := ""
	if h := e.options.Mortal; h != nil {
		killed = "; it was killed " + textsafe.Count(h.Deaths(), "time") + ", and lost nothing"
	}
	if _, err := fmt.Fprintf(e.stdout, "nothing found in %s: %s, %.0f a second; seeds %d to %d%s\n", took.Round(time.Second),
		textsafe.Count(e.spent.Requests, "request"), float64(e.spent.Requests)/took.Seconds(), e.seed, e.options.Seed, killed); err != nil {
		return err
	}
	if len(e.open) > 0 {
		return &exit{Code: scenarios.ExitUnproved}
	}
	return nil
}
