package html_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports/html"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// A target that fails everything and sends as much as it may makes a page that can still be opened, which says what it leaves out.
func TestReportIsBounded(t *testing.T) {
	long := strings.Repeat("<script>\u202e", 20000) // of what a target may send
	short := long[:8000]                            // of what is kept of it in the results
	transcript := &wire.Transcript{Drive: "d"}
	for range 3 {
		transcript.Entries = append(transcript.Entries, wire.Entry{Kind: "http", Label: long, Request: &wire.Request{Method: "POST",
			URL: "http://h/" + long, Body: long},
			Response: &wire.Response{Status: 200, Body: `{"a":"` + long + `"}`}, Error: long})
	}
	doc := results.Results{Target: results.Target{Protocol: "p", Address: "http://h", Name: &long, Version: &long}, ExitCode: 1,
		StartedAt: time.Now()}
	for i := range 300 {
		s := results.ScenarioResult{ID: fmt.Sprintf("a/b/%d", i), Suite: "b", Title: "a question", Verdict: results.VerdictFailed, Reason: short,
			Drives: []string{"d"}, Requirements: []string{"R-1"}, Failure: &results.Failure{Again: "assay certify"}}
		checks := 200
		if i >= 100 {
			checks = 0
		}
		for k := range checks {
			s.Checks = append(s.Checks, results.Check{Requirement: "R-1", Expected: short, Actual: short, Exchange: int64(1 + k%3),
				Pointer: "/a/" + short})
			s.Findings = append(s.Findings, results.Finding{Text: fmt.Sprint(i, k, long[:2000])})
		}
		doc.Scenarios = append(doc.Scenarios, s)
		doc.Leftovers = append(doc.Leftovers, short)
		doc.NotClaimed = append(doc.NotClaimed, results.Sighting{What: short, ClaimPointer: short, Drive: "d", Pointer: short})
	}
	doc.Totals.Failed = 300
	var out bytes.Buffer
	err := html.Write(&out, html.Certification{Results: doc, Meaning: "a requirement is violated",
		Transcripts:    map[string]*wire.Transcript{"d": transcript},
		Protocol:       &scenarios.Protocol{Title: "P", Ledger: scenarios.NewLedger(nil)},
		TranscriptPath: func(d string) string { return "transcripts/" + d + ".json" }})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", out.Len())
	if most := 16 << 20; out.Len() > most {
		t.Errorf("the page has %d bytes, more than %d", out.Len(), most)
	}
	for _, want := range []string{"260 more violated scenarios are not told here in full", "194 more expectations did not hold",
		"140 more checks are in results.json",
		"more findings are in results.json", "and 200 more, in results.json", "240 more sightings are in results.json"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q", want)
		}
	}
}
