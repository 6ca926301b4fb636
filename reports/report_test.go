package reports_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// evil is what a target may put into any string: an ANSI sequence, Markdown, HTML, XML, a line break, a C1 control, a
// bidirectional override, a byte that is not UTF-8.
const evil = "\x1b[31m| `x` [l](javascript:0)</failure>]]><script>\n\u009b1m\u202e\xff"

// loopReport is a finished certification with every kind of outcome, written by hand.
func loopReport(t testing.TB) *scenarios.Report {
	t.Helper()
	discovery := &wire.Transcript{Drive: "discovery", Entries: []wire.Entry{{
		Kind: "http", At: startedAt, Micros: 900, Label: "discovery",
		Request:  &wire.Request{Method: "GET", URL: address + "/.well-known/openwop"},
		Response: &wire.Response{Status: 200, Body: `{"model":{"version":5,"hint":"a\u001bb"}}`},
	}}}
	loop := &wire.Transcript{Drive: "demo/loop", Entries: []wire.Entry{
		{Kind: "http", At: startedAt, Micros: 1500, Label: "create",
			Request:  &wire.Request{Method: "POST", URL: address + "/v1/runs", Body: `{"workflowId":"assay-loop"}`},
			Response: &wire.Response{Status: 201, Body: `{"runId":"r1"}`}},
		{Kind: "http", At: startedAt, Micros: 700, Label: "log",
			Request:  &wire.Request{Method: "GET", URL: address + "/v1/runs/r1/events/poll"},
			Response: &wire.Response{Status: 200, Body: `{"events":[{"payload":{"iteration":1,"note":"` + evil + `"}}]}`}},
		{Kind: "stream", At: startedAt, Micros: 90, Label: "stream",
			Request:  &wire.Request{Method: "GET", URL: address + "/v1/runs/r1/events"},
			Response: &wire.Response{Status: 200}, Chunks: []wire.Chunk{{Micros: 10, Text: ": open\n\n"}, {Micros: 20, Text: "id: 1\n"}}},
	}}
	suite := demoSuite
	outcome := func(name string, v scenarios.Verdict, rest scenarios.Outcome) scenarios.Outcome {
		for _, s := range suite.Scenarios {
			if s.Name() == name {
				rest.Scenario, rest.Labels, rest.Level = s, s.Labels(suite), s.Level(suite.Protocol.Ledger)
			}
		}
		rest.Suite, rest.Verdict = suite.ID, v
		return rest
	}
	return &scenarios.Report{
		Protocol: suite.Protocol, Address: address, Name: "Acme " + evil, Version: "1.2.0",
		DiscoveryDigest: digest, SuiteDigest: digest, Started: startedAt, Seconds: 1.2345678, Seed: 7,
		Select: scenarios.Selection{ExpectClaims: []string{"model>=5"}},
		Claims: []scenarios.ClaimStatus{
			{ID: "model>=5", Pointer: "/model/version >= 5", Value: bound(t, discovery, 1, "/model/version"), Status: "violated"},
			{ID: "hint", Pointer: "/model/hint present", Value: bound(t, discovery, 1, "/model/hint"), Status: "unproved"},
		},
		Requirements: []scenarios.RequirementStatus{
			{ID: "DEMO-A1", Verdict: scenarios.Failed, Evidence: scenarios.Observed, Contradicted: true},
			{ID: "DEMO-A2", Verdict: scenarios.Failed, Evidence: scenarios.Observed},
			{ID: "DEMO-A4", Verdict: scenarios.Passed, Evidence: scenarios.Attested},
			{ID: "DEMO-A3", Verdict: scenarios.Insensitive, Evidence: scenarios.Attested},
			{ID: "DEMO-B1", Verdict: scenarios.Blocked},
			{ID: "DEMO-C1", Verdict: scenarios.Inapplicable},
		},
		Outcomes: []scenarios.Outcome{
			outcome("passes", scenarios.Passed, scenarios.Outcome{Evidence: scenarios.Observed, Drive: "demo/loop", Seconds: 0.25,
				Checks: []check.Result{{Requirement: "DEMO-A1", Expected: "1", Actual: "1", OK: true, Where: wire.Ref{Exchange: 2,
					Pointer: "/events/0/payload/iteration"}}},
				Findings: []scenarios.Finding{{Requirement: "DEMO-A3", Text: "expected a date, got " + evil}}}),
			outcome("fails", scenarios.Failed, scenarios.Outcome{Evidence: scenarios.Observed, Drive: "demo/loop", Seconds: 0.25,
				Reason:  "DEMO-A2: expected [1,2], got " + evil,
				Failure: &scenarios.Failure{Requirement: "DEMO-A2", Expected: "[1,2]", Actual: evil},
				Checks: []check.Result{
					{Requirement: "DEMO-A1", Expected: "an integer", Actual: "1", OK: true, Where: wire.Ref{Exchange: 1}},
					{Requirement: "DEMO-A2", Expected: "[1,2]", Actual: evil, Where: wire.Ref{Exchange: 2, Pointer: "/events/0/payload/" + evil}},
					{Requirement: "DEMO-A2", Expected: "HTTP 404", Actual: "200", Where: wire.Ref{Exchange: 1, Part: "status"}},
					{Requirement: "DEMO-A2", Expected: "in time", Actual: "not within 10s: the run has ended", Where: wire.Ref{Exchange: 3,
						Part: "event:1", Pointer: "/x"}},
					{Requirement: "DEMO-A3", Expected: "a date", Actual: "1", Where: wire.Ref{Exchange: 2}},
				}}),
			outcome("attested", scenarios.Passed, scenarios.Outcome{Evidence: scenarios.Attested,
				Checks: []check.Result{{Requirement: "DEMO-A3", Expected: "true", Actual: "true", OK: true}, {Requirement: "DEMO-A4",
					Expected: "true", Actual: "true", OK: true}}}),
			outcome("blocked", scenarios.Blocked, scenarios.Outcome{Reason: "no fixture is on offer", Unblock: "load the fixtures"}),
			outcome("blocked-too", scenarios.Blocked, scenarios.Outcome{Reason: "no long fixture is on offer", Unblock: "load the fixtures"}),
			outcome("blocked-otherwise", scenarios.Blocked, scenarios.Outcome{Reason: "no seam below /v1/host/" + evil,
				Unblock: "name the prefix with --seam-prefix"}),
			outcome("unclaimed", scenarios.Inapplicable, scenarios.Outcome{Reason: "not claimed: /resume == true is absent"}),
			outcome("silent", scenarios.Inconclusive, scenarios.Outcome{Drive: "demo/loop", Seconds: 0.25,
				Reason: "GET /v1/runs: the target did not answer", Unblock: "give it longer with --timeout"}),
			outcome("broken", scenarios.Broken, scenarios.Outcome{Drive: "demo/loop", Seconds: 0.25, Reason: "the judge panicked: " + evil}),
		},
		Breaches: []scenarios.Breach{
			{Requirement: "DEMO-A2", By: scenarios.ByJudge, Scenario: "demo/loop/fails", Drive: "demo/loop",
				Where: wire.Ref{Exchange: 2, Pointer: "/events/0/payload/" + evil}, Expected: "[1,2]", Actual: evil},
			{Requirement: "DEMO-A1", By: scenarios.BySetup, Scenario: "demo/loop/blocked", Drive: "demo/loop", Where: wire.Ref{Exchange: 3},
				Actual: "the loop does not count: " + evil},
			{Requirement: "DEMO-A1", By: scenarios.ByInvariant, Drive: "discovery", Where: wire.Ref{Exchange: 1, Part: "status"},
				Expected: "1", Actual: evil},
		},
		Sensitivity: &scenarios.Sensitivity{Passes: 3, Sensitive: 1, Insensitive: []scenarios.InsensitivePass{
			{Scenario: "demo/loop/attested", Requirement: "DEMO-A4", Cause: "no-place", Why: "no change can be made: " + evil},
			{Scenario: "demo/loop/attested", Requirement: "DEMO-A3", ByRow: true, Cause: "blind", Why: "no check noticed swapped (3 changes)"},
		}},
		Profiles: []scenarios.ProfileStatus{
			{ID: "loop-v5", Digest: strings.Repeat("5a", 32), Status: "violated", Proved: 1, Required: 4, ThroughSeam: 2,
				Provisional: []scenarios.ScenarioID{"demo/loop/fails", "demo/loop/blocked"}},
			{ID: "goals-v1", Status: "inapplicable", Required: 3},
		},
		DiscoveryFindings: []scenarios.Finding{{Text: "discovery /model/hint: " + evil}},
		Seen: []scenarios.Sighting{
			{What: "events hint.given in the log of a run", Claim: suite.Protocol.Claims[1], Drive: "demo/loop",
				Where: wire.Ref{Exchange: 2, Pointer: "/events/0/type"}, Replies: 3},
			{What: "a thing that is called " + evil, Claim: suite.Protocol.Claims[0], Drive: "not-claimed", Where: wire.Ref{Exchange: 1,
				Pointer: "/" + evil}, Replies: 1},
		},
		Leftovers: []string{"run r1: cancel answered HTTP 500 " + evil},
		Drives: []scenarios.DriveRecord{
			{ID: "discovery", Transcript: discovery, Seconds: 0.001},
			{ID: "demo/loop", Transcript: loop, Seconds: 0.25},
		},
	}
}

const (
	address = "http://127.0.0.1:7411"
	digest  = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
)

var startedAt = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// demoSuite has metadata only: reports never ask a question.
var demoSuite = func() scenarios.Suite {
	five := scenarios.Claim{ID: "model>=5", Title: "the loop", Pointer: "/model/version >= 5"}
	hint := scenarios.Claim{ID: "hint", Title: "a hint", Pointer: "/model/hint present"}
	protocol := &scenarios.Protocol{
		ID: "openwop/v1", Title: "Demo", Claims: []scenarios.Claim{five, hint},
		Ledger: scenarios.NewLedger([]scenarios.Requirement{
			{ID: "DEMO-A1", Level: scenarios.Must, Source: "RFC-0061", Section: "A", Claim: five.ID, Text: "Turns are counted."},
			{ID: "DEMO-A2", Level: scenarios.Must, Source: "RFC-0061", Section: "A", Claim: five.ID, Stimulus: scenarios.SeamStimulus,
				Text: "Each turn's number is one more than that of the turn before it, from the first turn to the last, whether or " +
					"not the run was suspended in between."},
			{ID: "DEMO-A4", Level: scenarios.Must, Source: "RFC-0061", Section: "A", Claim: five.ID, Stimulus: scenarios.SeamStimulus,
				Text: "A turn is whole."},
			{ID: "DEMO-A3", Level: scenarios.Should, Source: "RFC-0061", Section: "A", Claim: five.ID, Text: "A turn says when it began."},
			{ID: "DEMO-B1", Level: scenarios.Must, Source: "RFC-0061", Section: "B", Claim: hint.ID, Stimulus: scenarios.SeamStimulus,
				Text: "A hint is kept."},
			{ID: "DEMO-C1", Level: scenarios.Must, Source: "RFC-0037", Section: "C", Stimulus: scenarios.SeamStimulus, Text: "A resume resumes."},
		}),
	}
	protocol.Readings = []scenarios.Reading{{
		ID: "DEMO-R1", Title: "where the count begins", Sentences: []string{"DEMO-A2"}, Open: "The text does not say where.", Accept: "0 and 1.",
		Refuse: "Any other number.", Why: "Both are in use.", Scenarios: []string{"demo/loop/fails", "demo/loop/passes"},
	}}
	suite := scenarios.Suite{ID: "loop", Title: "loops", Protocol: protocol}
	for _, s := range []struct {
		name   string
		claim  scenarios.Claim
		proves []scenarios.RequirementID
	}{
		{"passes", five, []scenarios.RequirementID{"DEMO-A1"}},
		{"fails", five, []scenarios.RequirementID{"DEMO-A1", "DEMO-A2"}},
		{"attested", five, []scenarios.RequirementID{"DEMO-A3", "DEMO-A4"}},
		{"blocked", hint, []scenarios.RequirementID{"DEMO-B1"}},
		{"blocked-too", hint, []scenarios.RequirementID{"DEMO-B1"}},
		{"blocked-otherwise", hint, []scenarios.RequirementID{"DEMO-B1"}},
		{"unclaimed", hint, []scenarios.RequirementID{"DEMO-C1"}},
		{"silent", hint, []scenarios.RequirementID{"DEMO-B1"}},
		{"broken", hint, []scenarios.RequirementID{"DEMO-B1"}},
	} {
		suite.Scenarios = append(suite.Scenarios, scenarios.Scenario{
			ID: scenarios.ScenarioID("demo/loop/" + s.name), Title: "a loop that " + s.name, Claim: s.claim, Proves: s.proves,
		})
	}
	return suite
}()

// bound mints the value at a place of a transcript, as a report that was read from files has it.
func bound(t testing.TB, transcript *wire.Transcript, exchange int, pointer string) wire.Value {
	t.Helper()
	ref, err := json.Marshal(wire.Ref{Exchange: exchange, Pointer: pointer})
	if err != nil {
		t.Fatal(err)
	}
	var v wire.Value
	if err := json.Unmarshal(ref, &v); err != nil {
		t.Fatal(err)
	}
	if err := wire.Bind(&v, transcript); err != nil {
		t.Fatal(err)
	}
	if !v.Present() {
		t.Fatalf("nothing stands at %s", pointer)
	}
	return v
}
