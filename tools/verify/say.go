package verify

import (
	"fmt"
	"io"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports/excerpt"
	"github.com/openassay/assay/scenarios"
)

// notProved lists what even an honest bundle of this kind cannot prove.
func (v *run) notProved() {
	say := func(format string, args ...any) { v.NotProved = append(v.NotProved, fmt.Sprintf(format, args...)) }
	switch v.Signature.Status {
	case Good:
		say("who holds the key, and that its holder is honest: a signature says that the holder vouches for this bundle")
	case Unchecked:
		say("who signed it: its signature was not checked, for --key was not given")
	default:
		say("who made it, and that it is as it was made: without a signature anybody can change transcripts and results " +
			"together, and make the digests again")
	}
	say("that the target sent this: whoever ran Assay could have written the exchanges")
	v.which(say)
	say("%s", v.when())
	switch {
	case v.by.Register != nil && v.Registered != "":
		say("that %s is the only register: whoever ran Assay may have kept another, or have begun it anew", v.by.RegisterFile)
	case v.bundle.Manifest.Registered != nil:
		say("that it is the only certification: its plan was registered before, and --register FILE says what else was")
	default:
		say("that it is the only certification: one that ended otherwise may have been left out")
	}
	say("that the target does the same a second time, or asked with other values: it was asked as often, and with those, as the " +
		"exchanges show")
	say("that it treats others alike: a host can tell its examiner by the key, the address, the client or what is asked, and " +
		"behave while it is looked at")
	say("what drives noted beside their exchanges, such as how long they waited, what they made of the values that they drew, and " +
		"why one stopped: it is judged as it stands")
	say("leftovers, and how long all of it took: no transcript shows them")
	if v.Judged && v.Challenge == nil && excerpt.NotChallenged(v.given) {
		say("that its passes could have failed: the certification did not challenge them, and --challenge does")
	}
	if len(v.given.Repetitions) > 0 {
		say("what came of asking again: the bundle has not what was sent then, but the folder again of the certification has")
	}
	if len(v.given.Unprompted) > 0 {
		say("what the target did for others: the bundle has not the recording, but whoever ran Assay has, and observe judges it")
	}
	v.unnamed(say)
	if n := len(v.known()); n > 0 {
		say("which failures are known, though they are violations: its exit code does not count %s, as whoever ran Assay says",
			counted(n, "failure"))
	}
	if v.ExitCode == scenarios.ExitInterrupted {
		say("that it was interrupted, as its exit code says")
	}
	if v.Made.Version != v.by.Version {
		say("that assay %s, which made it, judges as this assay %s does", v.Made.Version, v.by.Version)
	}
}

// mostShown bounds the problems shown to people.
const mostShown = 20

// Text writes a report for people. name is the name of the bundle.
func (r *Report) Text(w io.Writer, name string) error {
	var b strings.Builder
	line := func(format string, args ...any) { b.WriteString(textsafe.Line(fmt.Sprintf(format, args...)) + "\n") }
	line("%s", name)
	if words := excerpt.ExtraHeaders(r.ExtraHeaders); words != "" {
		line("  HEADERS     %s", words)
	}
	if r.Partial != nil {
		line("  A PART      %s: it certifies nothing", excerpt.Part(*r.Partial))
		if len(r.LeftOut) > 0 {
			line("              left out: %s", strings.Join(r.LeftOut, ", "))
		}
	}
	line("  made by     assay %s, %s, seed %s%s", r.Made.Version, r.StartedAt, r.Seed, r.runWords())
	line("  target      %s · %s", r.Target.Address, r.Target.Protocol)
	r.showed(line)
	line("  evidence    %s in %s, root %s", counted(r.Exchanges, "exchange"), counted(r.Transcripts, "transcript"), r.Root)
	line("  signature   %s", r.signed())
	if r.Registered != "" {
		line("  registered  %s", r.Registered)
		r.plans(line)
	}
	if r.Timestamp != nil {
		line("  timestamp   %s", r.Timestamp.words())
	}
	for _, s := range r.Attested {
		line("  statement   %s", s.words())
	}
	line("  judged      %s", r.judged())
	b.WriteByte('\n')
	if r.Honest {
		line("honest: all that results.json says follows from the transcripts (exit 0)")
		line("  it says: exit %d; %s", r.ExitCode, totalsOf(r.Totals))
		if r.Known > 0 {
			line("  NOT COUNTED %s that whoever ran Assay calls known; counted, it is exit %d", counted(r.Known, "failure"), r.Whole)
		}
		if r.Sensitivity != nil {
			line("  changed and judged again: %s", excerpt.Sensitivity(r.Sensitivity))
		}
		for _, p := range r.Profiles {
			line("  profile %s: %s, %d of %d requirements proved", p.ID, p.Status, p.Proved, p.Required)
		}
	} else {
		line("NOT WHAT IT SAYS: %s (exit 1)", counted(len(r.Problems), "problem"))
		for _, p := range r.Problems[:min(len(r.Problems), mostShown)] {
			line("  %s", p.Text)
		}
		if more := len(r.Problems) - mostShown; more > 0 {
			line("  and %d more, which --json lists", more)
		}
	}
	if r.Challenge != nil {
		b.WriteByte('\n')
		r.challenged(line)
	}
	if r.Live != nil {
		b.WriteByte('\n')
		r.Live.text(line)
	}
	b.WriteByte('\n')
	line("NOT PROVED by this:")
	for _, s := range r.NotProved {
		line("  %s", s)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// challenged says which passes were shown able to fail.
func (r *Report) challenged(line func(string, ...any)) {
	c := r.Challenge
	line("challenged, seed %d: %s", c.Seed, c.Sentence())
	insensitive := c.Insensitive()
	for _, p := range insensitive[:min(len(insensitive), mostShown)] {
		line("  insensitive: %s of %s: %s", p.Requirement, p.Scenario, p.Why())
	}
	if more := len(insensitive) - mostShown; more > 0 {
		line("  and %d more, which --json lists", more)
	}
	for _, broken := range c.Broken[:min(len(c.Broken), mostShown)] {
		line("  a judge that could not decide: %s", broken)
	}
	if len(c.Unproved) > 0 {
		line("  NOT SHOWN: %s on insensitive passes alone (exit 1): %s", rests(len(c.Unproved)), strings.Join(words(c.Unproved), ", "))
	}
}

func rests(n int) string {
	if n == 1 {
		return "1 requirement rests"
	}
	return fmt.Sprintf("%d requirements rest", n)
}

func words(ids []scenarios.RequirementID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = string(id)
	}
	return out
}

func (r *Report) signed() string {
	keys := strings.Join(r.Signature.Keys, ", ")
	switch r.Signature.Status {
	case Good:
		return "good, by " + keys
	case Unchecked:
		return "by " + keys + ", as it says; not checked: give the public key with --key"
	case Bad:
		if keys == "" {
			return "none, see below"
		}
		return "bad, see below"
	}
	return "none: the bundle is not signed"
}

func (r *Report) judged() string {
	if !r.Judged {
		return "nothing, see below"
	}
	return counted(r.Scenarios, "scenario") + " again, from the transcripts alone"
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// totalsOf counts scenarios by verdict, without zeros.
func totalsOf(t results.Totals) string {
	var words []string
	for _, n := range []struct {
		n       int64
		verdict string
	}{{t.Passed, "passed"}, {t.Failed, "failed"}, {t.Inapplicable, "inapplicable"}, {t.Blocked, "blocked"},
		{t.Inconclusive, "inconclusive"}, {t.Broken, "broken"}} {
		if n.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n.n, n.verdict))
		}
	}
	return strings.Join(words, ", ")
}
