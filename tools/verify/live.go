package verify

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/reports/excerpt"
	"github.com/openassay/assay/scenarios"
)

// ErrInterrupted means that whoever asked a host again was interrupted.
var ErrInterrupted = errors.New("it was interrupted")

// Asking is how to ask a host again.
type Asking struct {
	Address string // of the host
	Seed    uint64 // draws the scenarios; the host is asked with it, too
	// Ask certifies the host in part.
	Ask func(selection scenarios.Selection, suites []scenarios.Suite) (*scenarios.Report, error)
}

// Live is what came of asking a host again.
type Live struct {
	Address string `json:"address"`
	Seed    string `json:"seed"`
	Run     string `json:"run,omitempty"` // what names it in what was sent
	// NotAsked is why nothing was asked, "" if something was.
	NotAsked string `json:"notAsked,omitempty"`
	// Interrupted: it was, before all was asked. The rest of the report is whole.
	Interrupted bool `json:"-"`
	// Host says what the host tells of itself that is another than then.
	Host      []Change     `json:"host"`
	Asked     int          `json:"asked"` // number of scenarios
	Of        int          `json:"of"`    // number of scenarios that passed or failed then, from which they were drawn
	Agree     int          `json:"agree"`
	Differ    []Difference `json:"differ"`
	Undecided []Difference `json:"undecided"` // scenarios that neither passed nor failed now, nor were found inapplicable
	// Violated are requirements that are violated now and were not then, by what no scenario with another verdict shows.
	Violated []Violation `json:"violated"`
}

// Change is something that a host says of itself, then and now.
type Change struct {
	What string `json:"what"`
	Then string `json:"then"`
	Now  string `json:"now"`
}

// Violation is a requirement that is violated now.
type Violation struct {
	Requirement string   `json:"requirement"`
	Actual      string   `json:"actual"`
	Drive       string   `json:"drive"`
	Exchanges   []string `json:"exchanges,omitempty"` // that show it, as a line each
}

// Difference is a scenario that has another verdict now.
type Difference struct {
	ID        string          `json:"scenario"`
	Then      results.Verdict `json:"then"`
	Now       results.Verdict `json:"now"`
	Reason    string          `json:"reason,omitempty"`
	Drive     string          `json:"drive,omitempty"`
	Exchanges []string        `json:"exchanges,omitempty"` // that show it, as a line each
}

// Agrees reports whether the host answers as it did then. It is true if it was not asked.
func (l *Live) Agrees() bool {
	return l == nil || l.NotAsked == "" && l.Agree > 0 && len(l.Differ)+len(l.Violated) == 0
}

// answersAlike reports whether a host was asked again, and answered as it did then.
func (r *Report) answersAlike() bool { return r.Live != nil && r.Live.Agrees() }

// A tenth of the scenarios is asked again, but no fewer than fewestAgain.
const (
	againOf     = 10
	fewestAgain = 5
)

// live asks the host again, if the bundle has held so far.
func (v *run) live() {
	by := v.by.Live
	if by == nil {
		return
	}
	v.Live = &Live{Address: by.Address, Seed: fmt.Sprint(by.Seed), Host: []Change{}, Differ: []Difference{}, Undecided: []Difference{},
		Violated: []Violation{}}
	if !v.Honest {
		v.Live.NotAsked = "the bundle is not what it says"
		return
	}
	drawn, of := drawAgain(v.derived, by.Seed)
	if v.Live.Of = of; of == 0 {
		v.Live.NotAsked = "no scenario of the bundle passed or failed"
		return
	}
	now, err := by.Ask(scenarios.Selection{Scenarios: drawn, ExpectClaims: v.derived.Select.ExpectClaims}, v.asked)
	if err != nil {
		v.Live.NotAsked, v.Live.Interrupted = err.Error(), errors.Is(err, ErrInterrupted)
		return
	}
	v.Live.compare(v.derived, now)
}

// drawAgain draws whole drives until a tenth of the scenarios that passed or failed is asked, and returns those of the drives.
func drawAgain(r *scenarios.Report, seed uint64) (ids []string, of int) {
	byDrive := map[string][]string{}
	var drives []string
	for _, o := range r.Outcomes {
		if o.Verdict != scenarios.Passed && o.Verdict != scenarios.Failed {
			continue
		}
		if byDrive[o.Drive] == nil {
			drives = append(drives, o.Drive)
		}
		byDrive[o.Drive] = append(byDrive[o.Drive], string(o.Scenario.ID))
		of++
	}
	want := max(fewestAgain, (of+againOf-1)/againOf)
	draw := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // the seed is printed, so that others draw the same
	draw.Shuffle(len(drives), func(i, j int) { drives[i], drives[j] = drives[j], drives[i] })
	for _, d := range drives {
		if len(ids) >= want {
			break
		}
		ids = append(ids, byDrive[d]...)
	}
	return ids, of
}

// compare compares what was found now with what was found then.
func (l *Live) compare(then, now *scenarios.Report) {
	l.Run = now.RunID.ID
	for _, c := range []Change{
		{"name", then.Name, now.Name}, {"version", then.Version, now.Version},
		{"discovery document", then.DiscoveryDigest, now.DiscoveryDigest}, {"certificate", then.Certificate, now.Certificate},
	} {
		if c.Then != c.Now && (c.What != "certificate" || c.Then != "" && c.Now != "") { // earlier versions noted none
			l.Host = append(l.Host, c)
		}
	}
	was := map[scenarios.ScenarioID]scenarios.Verdict{}
	for _, o := range then.Outcomes {
		was[o.Scenario.ID] = o.Verdict
	}
	doc := reports.Results(now, reports.Stamp{})
	for i, o := range now.Outcomes {
		l.Asked++
		if o.Verdict == was[o.Scenario.ID] {
			l.Agree++
			continue
		}
		d := Difference{ID: string(o.Scenario.ID), Then: results.Verdict(was[o.Scenario.ID]), Now: results.Verdict(o.Verdict), Reason: o.Reason,
			Drive: o.Drive}
		switch o.Verdict {
		case scenarios.Passed, scenarios.Failed, scenarios.Inapplicable:
			d.Exchanges = shownBy(now, o.Drive, doc.Scenarios[i])
			l.Differ = append(l.Differ, d)
		default:
			l.Undecided = append(l.Undecided, d)
		}
	}
	l.violated(then, now)
}

// violated takes over which requirements are violated now, and neither were then nor are by a scenario that differs.
func (l *Live) violated(then, now *scenarios.Report) {
	told := map[scenarios.RequirementID]bool{}
	for _, b := range then.Breaches {
		told[b.Requirement] = true
	}
	for _, b := range now.Breaches {
		if slices.ContainsFunc(l.Differ, func(d Difference) bool { return d.ID == string(b.Scenario) }) {
			told[b.Requirement] = true
		}
	}
	for _, b := range now.Breaches {
		if told[b.Requirement] {
			continue
		}
		told[b.Requirement] = true
		l.Violated = append(l.Violated, Violation{string(b.Requirement), cmp.Or(b.Actual, b.Expected), b.Drive,
			exchanges(now, b.Drive, []int{b.Where.Exchange})})
	}
}

// shownBy returns the exchanges that show why a scenario failed.
func shownBy(r *scenarios.Report, drive string, s results.ScenarioResult) []string {
	for _, d := range r.Drives {
		if d.ID == drive {
			return exchanges(r, drive, excerpt.Exchanges(excerpt.Violations(s, r.Protocol.Ledger), d.Transcript))
		}
	}
	return nil
}

// exchanges tells exchanges of a drive, as a line each.
func exchanges(r *scenarios.Report, drive string, numbers []int) (lines []string) {
	i := slices.IndexFunc(r.Drives, func(d scenarios.DriveRecord) bool { return d.ID == drive })
	for _, n := range numbers {
		if i < 0 || n < 1 || n > r.Drives[i].Transcript.Len() {
			continue
		}
		lines = append(lines, fmt.Sprintf("exchange %d of %s: %s", n, drive,
			reports.Exchange(excerpt.Tell(n, *r.Drives[i].Transcript.Entry(n), r.Address))))
	}
	return lines
}

// Sentence sums up in one line.
func (l *Live) Sentence() string {
	if l.NotAsked != "" {
		code := 1
		if l.Interrupted {
			code = scenarios.ExitInterrupted
		}
		return fmt.Sprintf("nothing was asked again at %s: %s (exit %d)", l.Address, l.NotAsked, code)
	}
	words := []string{fmt.Sprintf("%d agree", l.Agree)}
	if n := len(l.Differ); n > 0 {
		words = append(words, fmt.Sprintf("%d differ", n))
	}
	if n := len(l.Undecided); n > 0 {
		words = append(words, fmt.Sprintf("%d undecided", n))
	}
	if n := len(l.Violated); n > 0 {
		words = append(words, counted(n, "more violation"))
	}
	end := ""
	if !l.Agrees() {
		end = " (exit 1)"
	}
	return fmt.Sprintf("%d of %s asked again at %s: %s%s", l.Asked, counted(l.Of, "scenario"), l.Address, strings.Join(words, ", "), end)
}

// text says for people what came of it.
func (l *Live) text(line func(string, ...any)) {
	for _, c := range l.Host {
		line("the host is not as it was then: its %s is %s, and was %s", c.What, said(c.Now), said(c.Then))
	}
	line("%s", l.Sentence())
	if l.Run != "" {
		line("  seed %s, run %s: neither is that of the bundle, so recorded answers do not fit", l.Seed, l.Run)
	}
	shown := 0
	tell := func(exchanges []string, format string, args ...any) {
		if shown++; shown > mostShown {
			return
		}
		line(format, args...)
		for _, e := range exchanges {
			line("    %s", e)
		}
	}
	for _, d := range l.Differ {
		tell(d.Exchanges, "  DIFFERS   %s", d.words())
	}
	for _, v := range l.Violated {
		tell(v.Exchanges, "  VIOLATED  %s, and not then: %s", v.Requirement, clip(v.Actual))
	}
	for _, d := range l.Undecided {
		tell(nil, "  undecided %s", d.words())
	}
	if more := shown - mostShown; more > 0 {
		line("  and %d more, which --json lists", more)
	}
}

func (d Difference) words() string {
	reason := ""
	if d.Reason != "" {
		reason = ": " + d.Reason
	}
	return fmt.Sprintf("%s: %s then, %s now%s", d.ID, d.Then, d.Now, reason)
}

// said quotes what a host says of itself.
func said(text string) string {
	if text == "" {
		return "not said"
	}
	return textsafe.Clip(short(text), 80)
}
