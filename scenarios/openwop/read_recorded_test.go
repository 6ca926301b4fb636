package openwop_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
)

// recordedRun is what others read of a run, a second apart.
func recordedRun(t *testing.T, pages ...any) *wire.Transcript {
	t.Helper()
	transcript := &wire.Transcript{Drive: "d", Speech: openwop.Protocol.Speech}
	noon := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for i, page := range pages {
		e := wire.Entry{Kind: "http", At: noon.Add(time.Duration(i) * time.Second),
			Request: &wire.Request{Method: "GET", URL: "http://host/v1/runs/r1/events/poll"}, Response: &wire.Response{Status: 200}}
		if made, is := page.(string); is {
			e.Request.Method, e.Request.URL, e.Response.Status = "POST", "http://host/v1/runs", 201
			page = json.RawMessage(made)
		}
		encoded, err := json.Marshal(page)
		if err != nil {
			t.Fatal(err)
		}
		e.Response.Body = string(encoded)
		transcript.Entries = append(transcript.Entries, e)
	}
	return transcript
}

func sightsOf(transcript *wire.Transcript) (violated, held map[scenarios.RequirementID]bool) {
	violated, held = map[scenarios.RequirementID]bool{}, map[scenarios.RequirementID]bool{}
	openwop.Protocol.Invariants(scenarios.Discovery{}, []scenarios.DriveRecord{{ID: "d", Transcript: transcript}}, func(s scenarios.Sight) {
		switch {
		case s.Alone: // only who has all of it may say so
		case s.Held:
			held[s.Requirement] = true
		default:
			violated[s.Requirement] = true
		}
	})
	return violated, held
}

// A run that others made may be a fork: part of its log is another run's.
func TestARunThatWasNotSeenToBeMade(t *testing.T) {
	events := wholeLife("r1")
	whole := map[string]any{"events": events, "isComplete": true}
	gap := map[string]any{"events": append(events[:4:4], events[5:]...), "isComplete": true}
	const made = `{"runId":"r1"}`
	if violated, _ := sightsOf(recordedRun(t, gap)); violated["OWP-EVT-1"] {
		t.Error("a gap in the log of what may be a fork is held against the host")
	}
	if violated, _ := sightsOf(recordedRun(t, made, gap)); !violated["OWP-EVT-1"] {
		t.Error("a gap in the log of a run that is none is not")
	}
	if violated, held := sightsOf(recordedRun(t, made, whole)); len(violated) > 0 || !held["OWP-EVT-1"] || !held["OWP-EVT-6"] {
		t.Errorf("an honest log: violated %v, held %v", violated, held)
	}
}

// What is known to be a credential only later has not changed.
func TestALogInWhichACredentialIsHiddenLater(t *testing.T) {
	before := wholeLife("r1")
	after := before.With(3, "payload", map[string]any{"nodeId": "<secret:1>"})
	other := before.With(3, "payload", map[string]any{"nodeId": "another"})
	log := func(events any) map[string]any { return map[string]any{"events": events, "isComplete": true} }
	if violated, _ := sightsOf(recordedRun(t, log(before), log(after))); violated["OWP-EVT-12"] {
		t.Error("a placeholder is taken for another value")
	}
	if violated, _ := sightsOf(recordedRun(t, log(before), log(other))); !violated["OWP-EVT-12"] {
		t.Error("another value is not found")
	}
}

// A log without causes and without handoffs bears nothing out of them.
func TestNothingIsBorneOutByWhatIsNotThere(t *testing.T) {
	events := wholeLife("r1")
	for i := range events {
		events = events.With(i, "causationId", nil)
	}
	if _, held := sightsOf(recordedRun(t, `{"runId":"r1"}`, map[string]any{"events": events, "isComplete": true})); held["OWP-EVT-6"] {
		t.Error("OWP-EVT-6 is borne out by a log in which no event names a cause")
	}
}

// A client that polls all day is judged at once.
func TestManyEmptyPolls(t *testing.T) {
	pages := []any{`{"runId":"r1"}`}
	for n := range 20_000 {
		events := []any{map[string]any{"eventId": fmt.Sprint("e", n), "runId": "r1", "type": "node.started", "sequence": n}}
		if n%2 == 1 {
			events = []any{}
		}
		pages = append(pages, map[string]any{"events": events})
	}
	began := time.Now()
	violated, _ := sightsOf(recordedRun(t, pages...))
	t.Logf("%v in %s", violated, time.Since(began))
	if !violated["OWP-EVT-14"] {
		t.Error("an empty page behind nothing is not found")
	}
}
