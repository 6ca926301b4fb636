package html

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports/excerpt"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/timeline"
	"github.com/openassay/assay/scenarios/wire"
)

// Certification is the input of a report: the results as in results.json, and the recorded evidence.
type Certification struct {
	Results results.Results
	// Protocol is the certified protocol. Its ledger gives the sections of requirements, its claims and profiles give
	// titles.
	Protocol *scenarios.Protocol
	// Transcripts holds transcripts by drive id. The report leaves out a missing one.
	Transcripts map[string]*wire.Transcript
	// TranscriptPath returns the slash-separated path of a drive's transcript, relative to the report.
	TranscriptPath func(drive string) string
	// Meaning explains the exit code in a sentence.
	Meaning string
}

// Limits on displayed texts, in characters. results.json and the transcripts hold them in full.
const (
	mostName  = 80
	mostWords = 400
	mostValue = 120
)

// Limits on the displayed parts of a certification. The page names every omission and where to find the rest.
const (
	mostFailures  = 40
	mostPictured  = 60 // drives with a picture of their loops
	mostChecks    = 60 // per scenario
	mostFindings  = 200
	mostSightings = 60
	mostLeftovers = 100
)

var (
	//go:embed report.css
	reportStyle string
	//go:embed report.js
	reportScript string
	//go:embed report.html
	reportTemplate string
)

// reportPage parses the template when the first report is written, not at start.
var reportPage = sync.OnceValue(func() *template.Template { return template.Must(template.New("report").Parse(reportTemplate)) })

// Write writes the report of a certification as one page.
func Write(w io.Writer, c Certification) error {
	if err := reportPage().Execute(w, newReport(c)); err != nil {
		return fmt.Errorf("write the HTML report: %w", err)
	}
	return nil
}

// report is the data of the page's template. The target's texts in it are clipped; the template escapes them.
type report struct {
	Policy       string
	Style, Own   template.CSS
	Script       template.JS
	Name         string
	Version      string
	Doc          results.Results
	Protocol     string
	When         string
	Took         string
	Class, Word  string
	Meaning      string
	Profiles     []profile
	Counts       []count
	Bar          []segment
	Failures     []failure
	MoreFailures int
	Elsewhere    []elsewhere
	Repeated     string
	Repetitions  []repetition
	Observed     string
	Unprompted   []other
	Part         string
	ExtraHeaders string
	Speed        []string // of the target, a sentence each
	Sensitivity  string
	Insensitive  []string
	Open         []open
	Claims       []claimGroup
	Findings     []findingGroup
	MoreFindings int
	Sightings    []sighting

	MoreSightings int
	Leftovers     []string
	Suites        []*suite
	Loops         []drawn
	MoreLoops     int
	Narrowed      []string
}

// maker builds the parts of a report.
type maker struct {
	Certification
	doc     results.Results
	ledger  *scenarios.Ledger
	drawn   map[string][]timeline.Loop // by drive
	anchors map[string]string          // scenario -> element id of its failure
}

func newReport(c Certification) report {
	m := &maker{Certification: c, doc: c.Results, ledger: c.Protocol.Ledger, drawn: map[string][]timeline.Loop{}, anchors: map[string]string{}}
	styles := []template.CSS{Style(), template.CSS(reportStyle)}       //nolint:gosec // our own files
	policy := Policy(styles, []template.JS{template.JS(reportScript)}) //nolint:gosec // our own file
	d := c.Results
	r := report{
		Policy: policy, Style: styles[0], Own: styles[1], Script: template.JS(reportScript), //nolint:gosec // our own file
		Doc: d, Protocol: c.Protocol.Title, Name: clip(d.Target.Address, mostName), Meaning: sentence(c.Meaning),
		When: d.StartedAt.UTC().Format("2 January 2006, 15:04 UTC"), Took: took(d.Seconds), Narrowed: narrowed(d.Filter),
	}
	if n := d.Target.Name; n != nil && strings.TrimSpace(*n) != "" {
		r.Name = clip(*n, mostName)
	}
	if v := d.Target.Version; v != nil {
		r.Version = clip(*v, mostName)
	}
	r.Class, r.Word = standing(int(d.ExitCode))
	r.Profiles, r.Counts = m.profiles(), counts(d.Totals)
	r.Bar = bars(r.Counts)
	r.Failures, r.MoreFailures = m.failures()
	r.Elsewhere = m.elsewhere()
	r.Repeated, r.Repetitions = sentence(excerpt.Repetitions(d)), m.repetitions()
	r.Observed, r.Unprompted = sentence(excerpt.Unprompted(d)), m.unprompted()
	if p := d.Partial; p != nil {
		r.Part = excerpt.Part(*p)
	}
	r.ExtraHeaders = sentence(excerpt.ExtraHeaders(d.Target.ExtraHeaders))
	for _, words := range []string{excerpt.Pace(d.Pace), excerpt.Load(d.Load), excerpt.Recognisable(d)} {
		if words != "" {
			r.Speed = append(r.Speed, sentence(words)+".")
		}
	}
	r.Sensitivity, r.Insensitive = excerpt.Sensitivity(d.Sensitivity), clipped(excerpt.Insensitive(d))
	if r.Sensitivity == "" {
		r.Sensitivity = sentence(excerpt.Unchallenged(d))
	}
	r.Open = m.open()
	r.Claims = m.claims()
	r.Findings, r.MoreFindings = m.findings()
	r.Sightings, r.Leftovers = m.sightings(), m.leftovers()
	r.MoreSightings = max(len(d.NotClaimed)-mostSightings, 0)
	r.Loops, r.MoreLoops = m.loops()
	r.Suites = m.suites(r.Loops)
	return r
}

// sentence capitalises the first letter.
func sentence(words string) string {
	if words == "" {
		return ""
	}
	return strings.ToUpper(words[:1]) + words[1:]
}

// standing returns the class and the word for an exit code.
func standing(exit int) (class, word string) {
	switch exit {
	case scenarios.ExitProved:
		return "proved", "proved"
	case scenarios.ExitViolated:
		return "violated", "violated"
	case scenarios.ExitBroken:
		return "broken", "broken"
	case scenarios.ExitInterrupted:
		return "unproved", "interrupted"
	}
	return "unproved", "unproved"
}

func took(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}

// narrowed returns the flags that narrowed the certification.
func narrowed(f *results.Filter) []string {
	if f == nil {
		return nil
	}
	var out []string
	for _, part := range []struct {
		flag string
		of   []string
	}{{"--suite", f.Suites}, {"--scenario", f.Scenarios}, {"--requirement", f.Requirements}, {"--expect-claim", f.ExpectClaims}} {
		for _, v := range part.of {
			out = append(out, part.flag+" "+clip(v, mostWords))
		}
	}
	if f.Filter != "" {
		out = append(out, "--filter "+clip(f.Filter, mostWords))
	}
	return out
}

// shortDigest is the number of characters that distinguish a digest.
const shortDigest = 13

// profile is a profile as the page shows it.
type profile struct {
	ID, Title, Status string
	Proved, Required  int64
	ThroughSeam       int64
	LeftOut           string // parts that the target does not claim
	Provisional       string // scenarios that did not count
	Digest            string // the first characters of its digest
}

// order lists statuses, the worst first.
var order = []string{
	"violated", "failed", "broken", "unproved", "insensitive", "blocked", "inconclusive", "attested",
	"certified", "proved", "passed", "inapplicable",
}

func (m *maker) profiles() []profile {
	var out []profile
	for _, p := range m.doc.Profiles {
		if p.Status == results.ProfileStatusInapplicable {
			continue
		}
		one := profile{ID: clip(p.ID, mostName), Status: string(p.Status), Proved: p.Proved, Required: p.Required, ThroughSeam: p.ThroughSeam,
			LeftOut: excerpt.LeftOut(p)}
		if p.Digest != nil {
			one.Digest = clip(*p.Digest, shortDigest)
		}
		if n := len(p.Provisional); n > 0 {
			one.Provisional = textsafe.Count(n, "provisional scenario") + " not counted"
		}
		for _, known := range m.Protocol.Profiles {
			if known.ID == p.ID {
				one.Title = known.Title
			}
		}
		if p.Superseded != "" {
			one.Title = strings.TrimSpace(one.Title + " (superseded by " + clip(p.Superseded, mostName) + ")")
		}
		out = append(out, one)
	}
	slices.SortStableFunc(out, func(a, b profile) int { return slices.Index(order, a.Status) - slices.Index(order, b.Status) })
	return out
}

// count is the number of scenarios with a verdict.
type count struct {
	Verdict string
	N       int64
}

func counts(t results.Totals) []count {
	all := []count{
		{"failed", t.Failed}, {"broken", t.Broken}, {"blocked", t.Blocked}, {"inconclusive", t.Inconclusive}, {"passed", t.Passed},
		{"inapplicable", t.Inapplicable},
	}
	return slices.DeleteFunc(all, func(c count) bool { return c.N == 0 })
}

// segment is a part of the bar that shows the counts.
type segment struct {
	X, Width string
	Class    string
}

// bars divides a bar of width 1000. Every verdict gets a visible minimum.
func bars(counts []count) []segment {
	const width, least, gap = 1000.0, 6.0, 3.0
	var sum float64
	for _, c := range counts {
		sum += float64(c.N)
	}
	free := width - float64(len(counts))*(least+gap) + gap
	var out []segment
	x := 0.0
	for _, c := range counts {
		w := least + free*float64(c.N)/sum
		out = append(out, segment{fmt.Sprintf("%.1f", x), fmt.Sprintf("%.1f", w), c.Verdict})
		x += w + gap
	}
	return out
}

// requirement is a row of the ledger as the page shows it.
type requirement struct {
	ID, Level, Section, Text string
	Seam                     bool
}

func (m *maker) requirement(id string) requirement {
	row, known := m.ledger.Find(scenarios.RequirementID(id))
	if !known {
		return requirement{ID: clip(id, mostName)}
	}
	return requirement{row.ID, row.Level, strings.TrimSpace(row.Source + " " + row.Section), row.Text, row.ThroughSeam()}
}

// transcript returns the link to a drive's transcript, or "" if the report has none.
func (m *maker) transcript(drive string) string {
	if m.Transcripts[drive] == nil || m.TranscriptPath == nil {
		return ""
	}
	return m.TranscriptPath(drive)
}

// anchor returns the element id of a scenario.
func anchor(scenario string) string {
	return "s-" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '.'
	}, strings.ToLower(scenario))
}
