package excerpt_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports/excerpt"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

const run = "/v1/runs/run-12345678"

func sent(method, path, reply string) wire.Entry {
	return wire.Entry{Kind: "http", Request: &wire.Request{Method: method, URL: "http://h" + path},
		Response: &wire.Response{Status: 200, Body: reply}}
}

func TestExchanges(t *testing.T) {
	transcript := &wire.Transcript{Entries: []wire.Entry{
		sent("POST", "/v1/runs", `{"runId":"run-12345678"}`), // 1
		sent("GET", run, `{}`),                               // 2
		sent("POST", run+"/interrupts/x", `{}`),              // 3
		sent("POST", "/v1/runs", `{"runId":"run-99999999"}`), // 4: about another run
		{Kind: "files", Files: &wire.Listing{Of: "files"}},   // 5
		sent("GET", run+"/events", `{}`),                     // 6
		sent("GET", "/v1/goals", `[]`),                       // 7
		{Kind: "process", Process: &wire.Spawned{}},          // 8
	}}
	for _, c := range []struct {
		name  string
		named []int64
		want  []int
	}{
		{"a look, and what was last done to the same thing", []int64{6}, []int{3, 6}},
		{"a look before that", []int64{2}, []int{1, 2}},
		{"a look at nothing that was made", []int64{7}, []int{7}},
		{"what acts stands for itself", []int64{3}, []int{3}},
		{"as does a process", []int64{8}, []int{8}},
		{"and files", []int64{5}, []int{5}},
		{"several, in the order of time, each once, at most three", []int64{6, 2, 6, 1, 7}, []int{1, 2, 6}},
		{"none", []int64{0}, nil},
		{"one that is not there", []int64{99}, []int{99}},
	} {
		var checks []results.Check
		for _, n := range c.named {
			checks = append(checks, results.Check{Exchange: n})
		}
		if got := excerpt.Exchanges(checks, transcript); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestTell(t *testing.T) {
	zero := 0
	for _, c := range []struct {
		entry wire.Entry
		want  excerpt.Told
	}{
		{wire.Entry{Label: "l", Request: &wire.Request{Method: "POST", URL: "http://h/x", Body: "b"},
			Response: &wire.Response{Status: 201, Body: "r"}},
			excerpt.Told{Number: 1, Label: "l", Sent: "POST /x", Body: "b", Came: "201", Reply: "r"}},
		{wire.Entry{Request: &wire.Request{Method: "GET", URL: "http://other/x"}, Error: "gone"},
			excerpt.Told{Number: 1, Sent: "GET http://other/x", Notes: []excerpt.Note{{About: "failed", Text: "gone"}}}},
		{wire.Entry{Kind: "stream", Request: &wire.Request{Method: "GET", URL: "http://h/s"}, Response: &wire.Response{Status: 200},
			Chunks: []wire.Chunk{{Text: "one"}, {Text: "two"}}},
			excerpt.Told{Number: 1, Sent: "GET /s", Came: "200 2 chunks beginning", Reply: "one"}},
		{wire.Entry{Kind: "inbound", Request: &wire.Request{Method: "POST", URL: "http://127.0.0.1:9/in", Body: "b"}},
			excerpt.Told{Number: 1, Sent: "received POST http://127.0.0.1:9/in", Body: "b"}},
		{wire.Entry{Label: "turn", Process: &wire.Spawned{Input: "i", Output: "o", Exit: &zero, Errors: "e", Survivors: []string{"sleep", "sh"}}},
			excerpt.Told{Number: 1, Label: "turn", Sent: "turn", Body: "i", Came: "exit 0", Reply: "o",
				Notes: []excerpt.Note{{About: "stderr", Text: "e"}, {About: "left behind", Text: "sleep, sh"}}}},
		{wire.Entry{Label: "turn", Process: &wire.Spawned{Ended: "killed"}}, excerpt.Told{Number: 1, Label: "turn", Sent: "turn",
			Came: "killed"}},
		{wire.Entry{Files: &wire.Listing{Of: "the folder", Content: "c"}}, excerpt.Told{Number: 1, Sent: "the folder", Reply: "c"}},
	} {
		if diff := cmp.Diff(c.want, excerpt.Tell(1, c.entry, "http://h")); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

func TestViolations(t *testing.T) {
	ledger := scenarios.NewLedger([]scenarios.Requirement{{ID: "M", Level: scenarios.Must}, {ID: "S", Level: scenarios.Should}})
	s := results.ScenarioResult{Checks: []results.Check{{Requirement: "M", Ok: true}, {Requirement: "M"}, {Requirement: "S"},
		{Requirement: "unknown"}}}
	if diff := cmp.Diff([]results.Check{{Requirement: "M"}, {Requirement: "unknown"}}, excerpt.Violations(s, ledger)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestGroups(t *testing.T) {
	finding := results.Finding{Requirement: "S", Text: "odd"}
	doc := results.Results{Findings: []results.Finding{finding, {Text: "else"}}, Scenarios: []results.ScenarioResult{
		{ID: "a", Verdict: results.VerdictBlocked, Reason: "no key", Unblock: "give one", Findings: []results.Finding{finding, finding}},
		{ID: "b", Verdict: results.VerdictPassed, Findings: []results.Finding{finding}},
		{ID: "c", Verdict: results.VerdictBlocked, Reason: "no fixture"},
		{ID: "d", Verdict: results.VerdictBlocked, Reason: "no other key", Unblock: "give one"},
	}}
	causes := excerpt.Causes(doc.Scenarios, results.VerdictBlocked, excerpt.Remedy)
	want := []*excerpt.Cause{
		{Reasons: []string{"no key", "no other key"}, Remedies: []string{"give one"},
			Scenarios: []results.ScenarioResult{doc.Scenarios[0], doc.Scenarios[3]}},
		{Reasons: []string{"no fixture"}, Scenarios: []results.ScenarioResult{doc.Scenarios[2]}},
	}
	if diff := cmp.Diff(want, causes, cmpopts.IgnoreUnexported(excerpt.Cause{})); diff != "" {
		t.Errorf("causes -want +got:\n%s", diff)
	}
	if n := len(excerpt.Causes(doc.Scenarios, results.VerdictBlocked, excerpt.Reason)); n != 3 {
		t.Errorf("%d reasons", n)
	}
	found := []*excerpt.Finding{{Finding: finding, Times: 4, Scenarios: []string{"a", "b"}}, {Finding: results.Finding{Text: "else"},
		Times: 1}}
	if diff := cmp.Diff(found, excerpt.Findings(doc)); diff != "" {
		t.Errorf("findings -want +got:\n%s", diff)
	}
}
