package openwop_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
)

// Every log that a drive polls is judged, whatever it was read for, as far as it was read from its start.
func TestLogsThatAreReadAreJudged(t *testing.T) {
	const run = "r1"
	honest := wholeLife(run)
	twice := honest.With(3, "eventId", honest[2]["eventId"])
	gap := slices.Delete(slices.Clone(honest), 4, 5)
	get := func(path string, body any) wire.Entry {
		encoded, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		return wire.Entry{Kind: "http", Request: &wire.Request{Method: "GET", URL: "http://host/v1/runs/" + run + path},
			Response: &wire.Response{Status: 200, Body: string(encoded)}}
	}
	page := func(query string, events hosttest.Entries) wire.Entry {
		return get("/events/poll"+query, map[string]any{"events": events})
	}
	last := func(query string, events hosttest.Entries) wire.Entry {
		return get("/events/poll"+query, map[string]any{"events": events, "isComplete": true})
	}
	ended := get("", map[string]any{"runId": run, "status": "completed"})
	failed := get("", map[string]any{"runId": run, "status": "failed"})
	start := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	during := func(from, to int, e wire.Entry) wire.Entry { // in ms
		e.At, e.Micros = start.Add(time.Duration(from)*time.Millisecond), int64(to-from)*1000
		return e
	}
	forked := wire.Entry{Kind: "http", Request: &wire.Request{Method: "POST", URL: "http://host/v1/runs/r0:fork"},
		Response: &wire.Response{Status: 201, Body: fmt.Sprintf(`{"runId":%q}`, run)}}
	for _, c := range []struct {
		name    string
		entries []wire.Entry
		want    []scenarios.RequirementID
	}{
		{"an honest log", []wire.Entry{ended, page("", honest)}, nil},
		{"an honest log in two pages", []wire.Entry{page("", honest[:6]), page("?lastSequence=5&timeout=1", honest[6:]), ended}, nil},
		{"an id twice", []wire.Entry{page("", twice)}, []scenarios.RequirementID{"OWP-EVT-3"}},
		{"an id twice, in the second page", []wire.Entry{page("", twice[:3]), page("?since=2", twice[3:])},
			[]scenarios.RequirementID{"OWP-EVT-3"}},
		{"a gap", []wire.Entry{page("", gap)}, []scenarios.RequirementID{"OWP-EVT-1"}},
		{"a page that was not read from the start", []wire.Entry{page("?lastSequence=4", gap[5:])}, nil},
		{"a page behind what was read", []wire.Entry{page("", honest[:3]), page("?lastSequence=6", honest[7:])}, nil},
		{"a choice of events", []wire.Entry{page("?types=run.started", gap)}, nil},
		{"a fork", []wire.Entry{forked, page("", gap)}, nil},
		{"a log that says another end than the snapshot", []wire.Entry{failed, page("", honest)}, []scenarios.RequirementID{"OWP-EVT-11"}},
		{"a log without an end, read before it", []wire.Entry{page("", honest[:len(honest)-1]), ended}, nil},
		{"a log without an end, read after it", []wire.Entry{ended, last("", honest[:len(honest)-1])},
			[]scenarios.RequirementID{"OWP-EVT-9", "OWP-EVT-11"}},
		{"a log without an end, read after it in two pages",
			[]wire.Entry{ended, page("", honest[:6]), page("?since=5", honest[6:len(honest)-1]), page(fmt.Sprintf("?since=%d", len(honest)-2), nil)},
			[]scenarios.RequirementID{"OWP-EVT-9", "OWP-EVT-11"}},
		{"a log without an end, read after it in two pages, with the last event again",
			[]wire.Entry{ended, page("", honest[:6]), last("?since=4", honest[5:len(honest)-1])},
			[]scenarios.RequirementID{"OWP-EVT-9", "OWP-EVT-11"}},
		{"the first page of a log, read after its end", []wire.Entry{ended, page("", honest[:6])}, nil},
		{"a log that changed", []wire.Entry{page("", honest), page("", honest.With(0, "eventId", "another"))},
			[]scenarios.RequirementID{"OWP-EVT-12"}},
		{"an older log, which was under way all the time", []wire.Entry{during(2, 3, page("", honest)), during(0, 5, page("", honest[:5]))}, nil},
		{"a log that lost events", []wire.Entry{during(2, 3, page("", honest)), during(4, 5, page("", honest[:5]))},
			[]scenarios.RequirementID{"OWP-EVT-12"}},
		{"a log without an end, under way when the run ended", []wire.Entry{during(1, 2, ended), during(0, 5, page("", honest[:5]))}, nil},
	} {
		transcript := &wire.Transcript{Drive: "d", Entries: c.entries, Speech: openwop.Protocol.Speech}
		var got []scenarios.RequirementID
		for _, b := range openwop.Protocol.Breached(scenarios.Discovery{}, []scenarios.DriveRecord{{ID: "d", Transcript: transcript}}) {
			if !slices.Contains(got, b.Requirement) {
				got = append(got, b.Requirement)
			}
			if b.Where.Exchange == 0 || b.Drive != "d" || b.Actual == "" {
				t.Errorf("%s: %+v says not where", c.name, b)
			}
		}
		for _, id := range c.want {
			if !slices.Contains(got, id) {
				t.Errorf("%s: violated %v, want %s among them", c.name, got, id)
			}
		}
		if len(c.want) == 0 && len(got) > 0 {
			t.Errorf("%s: violated %v", c.name, got)
		}
	}
}

// A drive that was cut off has perhaps not read the last page.
func TestALogWhoseReadingWasCutOff(t *testing.T) {
	honest := wholeLife("r1")
	entry := func(path string, body any) wire.Entry {
		encoded, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		return wire.Entry{Kind: "http", Request: &wire.Request{Method: "GET", URL: "http://host/v1/runs/r1" + path},
			Response: &wire.Response{Status: 200, Body: string(encoded)}}
	}
	for verdict, want := range map[scenarios.Verdict]bool{scenarios.Inconclusive: false, scenarios.Blocked: true} {
		record := scenarios.DriveRecord{ID: "d", Stop: &scenarios.Stop{Verdict: verdict}, Transcript: &wire.Transcript{
			Drive: "d", Speech: openwop.Protocol.Speech, Entries: []wire.Entry{entry("", map[string]any{"runId": "r1", "status": "completed"}),
				entry("/events/poll", map[string]any{"events": honest[:len(honest)-1], "isComplete": true})}}}
		found := openwop.Protocol.Breached(scenarios.Discovery{}, []scenarios.DriveRecord{record})
		if accused := len(found) > 0; accused != want {
			t.Errorf("%s: %v", verdict, found)
		}
	}
}
