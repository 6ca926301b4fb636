package reports

import (
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports/excerpt"
)

// JUnit writes the results as JUnit XML, with one test suite per suite. A violation becomes a failure, a fault of Assay
// itself an error. Verdicts that prove nothing (inapplicable, blocked, inconclusive) are skipped with their reason, so
// that no reader takes them for a pass. So are expected violations, whose point is to avoid a red build.
func JUnit(w io.Writer, doc results.Results) error {
	out := junitSuites{Name: textsafe.Line("assay certify " + doc.Target.Protocol + " " + doc.Target.Address), Time: junitTime(doc.Seconds)}
	for _, s := range doc.Scenarios {
		i := slices.IndexFunc(out.Suites, func(known *junitSuite) bool { return known.Name == s.Suite })
		if i < 0 {
			i = len(out.Suites)
			out.Suites = append(out.Suites, &junitSuite{Name: s.Suite, Timestamp: doc.StartedAt.UTC().Format("2006-01-02T15:04:05"),
				Properties: properties(doc)})
		}
		out.Suites[i].add(s, throughSeam(doc, s))
	}
	if seen := excerpt.Elsewhere(doc); len(seen) > 0 {
		out.Suites = append(out.Suites, elsewhereSuite(doc, seen))
	}
	for _, s := range out.Suites {
		s.Time = junitTime(s.seconds)
		out.Tests += s.Tests
		out.Failures += s.Failures
		out.Errors += s.Errors
		out.Skipped += s.Skipped
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(out); err != nil {
		return fmt.Errorf("encode JUnit: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

type junitSuites struct {
	XMLName  xml.Name      `xml:"testsuites"`
	Name     string        `xml:"name,attr"`
	Tests    int           `xml:"tests,attr"`
	Failures int           `xml:"failures,attr"`
	Errors   int           `xml:"errors,attr"`
	Skipped  int           `xml:"skipped,attr"`
	Time     string        `xml:"time,attr"`
	Suites   []*junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr"`
	Timestamp  string          `xml:"timestamp,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`

	seconds float64
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name       string        `xml:"name,attr"`
	Classname  string        `xml:"classname,attr"`
	Time       string        `xml:"time,attr"`
	Properties *junitMarks   `xml:"properties"`
	Failure    *junitMessage `xml:"failure"`
	Error      *junitMessage `xml:"error"`
	Skipped    *junitMessage `xml:"skipped"`
}

// junitMarks holds the properties of a case, behind a pointer because an empty list would still write its element.
type junitMarks struct {
	Properties []junitProperty `xml:"property"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",cdata"`
}

// throughSeam lists the requirements of a scenario that only a seam of Assay's own can show; nil if there are none.
func throughSeam(doc results.Results, s results.ScenarioResult) *junitMarks {
	var marked []string
	for _, r := range doc.Requirements {
		if r.Stimulus != "" && slices.Contains(s.Requirements, r.ID) {
			marked = append(marked, r.ID)
		}
	}
	if len(marked) == 0 {
		return nil
	}
	return &junitMarks{[]junitProperty{{"stimulus." + string(results.StimulusAssaySeam), textsafe.Line(strings.Join(marked, " "))}}}
}

func (s *junitSuite) add(r results.ScenarioResult, marks *junitMarks) {
	c := junitCase{
		Name:       path.Base(r.ID),
		Classname:  strings.ReplaceAll(path.Dir(r.ID), "/", "."),
		Time:       junitTime(r.Seconds),
		Properties: marks,
	}
	reason := &junitMessage{Message: textsafe.Line(string(r.Verdict) + ": " + r.Reason)}
	switch {
	case r.Verdict == results.VerdictPassed:
	case r.Known != nil:
		reason.Message, reason.Type, reason.Text = textsafe.Line(knownSkip(*r.Known)), "known", junitFailure(r)
		c.Skipped = reason
		s.Skipped++
	case r.Verdict == results.VerdictFailed:
		reason.Message, reason.Type, reason.Text = textsafe.Line(r.Reason), r.Failure.Requirement, junitFailure(r)
		c.Failure = reason
		s.Failures++
	case r.Verdict == results.VerdictBroken:
		reason.Message, reason.Type = textsafe.Line(r.Reason), "broken"
		c.Error = reason
		s.Errors++
	default:
		if r.Unblock != "" {
			reason.Message += textsafe.Line(": " + r.Unblock)
		}
		c.Skipped = reason
		s.Skipped++
	}
	s.Tests++
	s.seconds += r.Seconds
	s.Cases = append(s.Cases, c)
}

// elsewhereSuite has a failed case for each requirement that was seen violated outside the scenarios that name it.
func elsewhereSuite(doc results.Results, seen []excerpt.Violated) *junitSuite {
	s := &junitSuite{Name: excerpt.AllThatWasRead, Timestamp: doc.StartedAt.UTC().Format("2006-01-02T15:04:05"), Properties: properties(doc)}
	for _, v := range seen {
		c := junitCase{Name: v.Requirement, Classname: excerpt.AllThatWasRead, Time: junitTime(0)}
		said := &junitMessage{Message: textsafe.Line(v.Places[0].Actual), Type: v.Requirement, Text: elsewhereText(v)}
		if v.Known {
			c.Skipped = said
			s.Skipped++
		} else {
			c.Failure = said
			s.Failures++
		}
		s.Cases = append(s.Cases, c)
	}
	s.Tests = len(seen)
	return s
}

// junitFailure lists every failed expectation of the scenario, including those of a SHOULD.
func junitFailure(r results.ScenarioResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n", r.Title)
	for _, c := range r.Checks {
		if !c.Ok {
			fmt.Fprintf(&b, "\n%s\n  expected %s\n  actual   %s\n  at       %s\n", c.Requirement, textsafe.Line(c.Expected),
				textsafe.Line(c.Actual), textsafe.Line(excerpt.Place(c)))
		}
	}
	fmt.Fprintf(&b, "\nagain: %s\n", textsafe.Line(r.Failure.Again))
	return b.String()
}

func properties(doc results.Results) []junitProperty {
	out := []junitProperty{
		{"assay.version", doc.Assay.Version},
		{"protocol", doc.Target.Protocol},
		{"address", doc.Target.Address},
		{"seed", strconv.FormatUint(doc.Seed, 10)},
	}
	for _, p := range []struct {
		name  string
		value *string
	}{{"target.name", doc.Target.Name}, {"target.version", doc.Target.Version}} {
		if p.value != nil {
			out = append(out, junitProperty{p.name, *p.value})
		}
	}
	for _, p := range doc.Profiles {
		if p.Status != results.ProfileStatusInapplicable {
			out = append(out, junitProperty{"profile." + p.ID, fmt.Sprintf("%s, %d of %d", p.Status, p.Proved, p.Required)})
		}
	}
	if figure := excerpt.Sensitivity(doc.Sensitivity); figure != "" {
		out = append(out, junitProperty{"sensitivity", figure})
	}
	for _, words := range excerpt.Insensitive(doc) {
		out = append(out, junitProperty{"insensitive", words})
	}
	for _, seen := range doc.NotClaimed {
		out = append(out, junitProperty{"not-claimed-but-seen", seen.What + ", would be claimed by " + seen.ClaimPointer})
	}
	for i := range out {
		out[i].Name = textsafe.Line(out[i].Name)
		out[i].Value = textsafe.Line(out[i].Value)
	}
	return out
}

func junitTime(seconds float64) string { return strconv.FormatFloat(seconds, 'f', 3, 64) }
