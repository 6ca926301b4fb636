package reports

import (
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports/excerpt"
)

// CTRF writes the results as a Common Test Report (ctrf.io, 1.0.0), with a test for each scenario and for each requirement that
// was seen violated elsewhere. What is not claimed is skipped, what was left unproved is pending, and a fault of Assay's own is
// other, each with its reason; so no reader takes them for a pass. A known failure is skipped, as JUnit has it.
func CTRF(w io.Writer, doc results.Results) error {
	start := doc.StartedAt.UnixMilli()
	stop := doc.StartedAt.Add(time.Duration(doc.Seconds * float64(time.Second))).UnixMilli()
	out := ctrfReport{Format: "CTRF", Version: "1.0.0", GeneratedBy: "assay " + doc.Assay.Version, Results: ctrfResults{
		Tool:    ctrfTool{"assay", doc.Assay.Version},
		Summary: ctrfSummary{Start: start, Stop: stop, Duration: stop - start},
		Tests:   []ctrfTest{},
		Extra: ctrfExtra{Protocol: doc.Target.Protocol, Address: doc.Target.Address, Seed: strconv.FormatUint(doc.Seed, 10),
			ExitCode: doc.ExitCode},
	}}
	if doc.Partial != nil {
		out.Results.Extra.Partial = excerpt.Part(*doc.Partial)
	}
	out.Results.Extra.Sensitivity = excerpt.Sensitivity(doc.Sensitivity)
	for _, p := range doc.Profiles {
		out.Results.Extra.Profiles = append(out.Results.Extra.Profiles, ctrfProfile{p.ID, string(p.Status), p.Proved, p.Required})
	}
	suites := map[string]bool{}
	add := func(t ctrfTest) {
		out.Results.Tests = append(out.Results.Tests, t)
		out.Results.Summary.count(t.Status)
		suites[t.Suite[0]] = true
	}
	for _, s := range doc.Scenarios {
		add(ctrfScenario(s))
	}
	for _, v := range excerpt.Elsewhere(doc) {
		add(ctrfElsewhere(v))
	}
	out.Results.Summary.Suites = len(suites)
	return writeJSON(w, out)
}

// Statuses of a test.
const (
	ctrfPassed  = "passed"
	ctrfFailed  = "failed"
	ctrfSkipped = "skipped"
	ctrfPending = "pending"
	ctrfOther   = "other"
)

type ctrfReport struct {
	Format      string      `json:"reportFormat"`
	Version     string      `json:"specVersion"`
	GeneratedBy string      `json:"generatedBy"`
	Results     ctrfResults `json:"results"`
}

type ctrfResults struct {
	Tool    ctrfTool    `json:"tool"`
	Summary ctrfSummary `json:"summary"`
	Tests   []ctrfTest  `json:"tests"`
	Extra   ctrfExtra   `json:"extra"`
}

type ctrfTool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type ctrfSummary struct {
	Tests    int   `json:"tests"`
	Passed   int   `json:"passed"`
	Failed   int   `json:"failed"`
	Skipped  int   `json:"skipped"`
	Pending  int   `json:"pending"`
	Other    int   `json:"other"`
	Suites   int   `json:"suites"`
	Start    int64 `json:"start"` // Unix time in ms
	Stop     int64 `json:"stop"`
	Duration int64 `json:"duration"` // ms
}

func (s *ctrfSummary) count(status string) {
	s.Tests++
	switch status {
	case ctrfPassed:
		s.Passed++
	case ctrfFailed:
		s.Failed++
	case ctrfSkipped:
		s.Skipped++
	case ctrfPending:
		s.Pending++
	default:
		s.Other++
	}
}

type ctrfTest struct {
	Name      string   `json:"name"`
	Status    string   `json:"status"`
	Duration  int64    `json:"duration"` // ms
	Suite     []string `json:"suite"`
	Message   string   `json:"message,omitempty"`
	Trace     string   `json:"trace,omitempty"`
	RawStatus string   `json:"rawStatus"` // the verdict
	Tags      []string `json:"tags,omitempty"`
}

type ctrfExtra struct {
	Protocol string `json:"protocol"`
	Address  string `json:"address"`
	Seed     string `json:"seed"`
	ExitCode int64  `json:"exitCode"`
	Partial  string `json:"partial,omitempty"` // how much was asked, of a run that judges no profile
	// Sensitivity is how many passes were shown able to fail.
	Sensitivity string        `json:"sensitivity,omitempty"`
	Profiles    []ctrfProfile `json:"profiles,omitempty"`
}

type ctrfProfile struct {
	ID       string `json:"id"`
	Status   string `json:"status"`
	Proved   int64  `json:"proved"`
	Required int64  `json:"required"`
}

func ctrfScenario(s results.ScenarioResult) ctrfTest {
	t := ctrfTest{Name: s.ID, Duration: int64(s.Seconds * 1000), Suite: []string{s.Suite}, RawStatus: string(s.Verdict), Tags: s.Labels}
	switch {
	case s.Verdict == results.VerdictPassed:
		t.Status = ctrfPassed
		return t
	case s.Known != nil:
		t.Status, t.Message, t.Trace = ctrfSkipped, knownSkip(*s.Known), junitFailure(s)
		return t
	case s.Verdict == results.VerdictFailed:
		t.Status, t.Message, t.Trace = ctrfFailed, s.Reason, junitFailure(s)
		return t
	case s.Verdict == results.VerdictInapplicable:
		t.Status = ctrfSkipped
	case s.Verdict == results.VerdictBroken:
		t.Status = ctrfOther
	default: // blocked, inconclusive
		t.Status = ctrfPending
	}
	t.Message = unproved(s)
	return t
}

// unproved says why a scenario neither passed nor failed.
func unproved(s results.ScenarioResult) string {
	said := string(s.Verdict) + ": " + s.Reason
	if s.Unblock != "" {
		said += ": " + s.Unblock
	}
	return textsafe.Line(said)
}

func ctrfElsewhere(v excerpt.Violated) ctrfTest {
	t := ctrfTest{Name: excerpt.AllThatWasRead + "/" + v.Requirement, Status: ctrfFailed, Suite: []string{excerpt.AllThatWasRead},
		Message: v.Places[0].Actual, Trace: elsewhereText(v), RawStatus: string(results.VerdictFailed)}
	if v.Known {
		t.Status = ctrfSkipped
	}
	return t
}

// elsewhereText lists the places of a violation.
func elsewhereText(v excerpt.Violated) string {
	var b strings.Builder
	for _, p := range v.Places {
		b.WriteString("\n" + v.Requirement + "\n  actual   " + textsafe.Line(p.Actual) + "\n  at       " + textsafe.Line(excerpt.PlaceOf(p)) +
			" in " + textsafe.Line(transcriptPath(p.Drive)) + "\n  seen by  " + textsafe.Line(excerpt.SeenBy(p)) + "\n")
	}
	return b.String()
}
