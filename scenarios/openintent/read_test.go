package openintent_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent"
	"github.com/openassay/assay/scenarios/wire"
)

// A read may be a little behind a write. What no later read shows is lost.
func TestReadsThatAreBehind(t *testing.T) {
	noon := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	intent := func(version int, resolution any) map[string]any {
		record, status := map[string]any{"id": "s", "resolution": resolution}, "suspended_awaiting_input"
		if resolution != nil {
			record["response"], status = "yes", "active"
		}
		return map[string]any{"id": "i", "title": "t", "version": version, "status": status, "state": map[string]any{"_suspension": record}}
	}
	type step struct {
		method, path string
		sent, body   any
	}
	get := func(version int, resolution any) step {
		return step{"GET", "/intents/i", nil, intent(version, resolution)}
	}
	write := func(version int) step {
		return step{"POST", "/intents/i/status", map[string]any{"status": "active"}, intent(version, nil)}
	}
	answer := step{"POST", "/intents/i/suspend/respond", map[string]any{"suspension_id": "s", "value": "yes"},
		map[string]any{"intent_id": "i", "suspension_id": "s", "resolution": "responded", "value": "yes"}}
	small := func(told string) step { // an answer of a small number, which the reply tells
		return step{"POST", "/intents/i/suspend/respond", json.RawMessage(`{"suspension_id":"s","value":-1.25e-9}`),
			json.RawMessage(`{"intent_id":"i","suspension_id":"s","resolution":"responded","value":` + told + `}`)}
	}
	lost := step{"POST", "/intents/i/status", map[string]any{"status": "suspended_awaiting_input"}, nil}
	for name, c := range map[string]struct {
		steps []step
		want  []scenarios.RequirementID
	}{
		"a number that is spelled otherwise": {[]step{small("-1.25e-09")}, nil},
		"another number":                     {[]step{small("-1.26e-9")}, scenarios.IDs{"OIP-0025-A11"}},
		"an answer behind a lost write":      {[]step{get(1, nil), lost, answer}, nil}, // which suspended it
		"an answer when it is active":        {[]step{get(2, "responded"), answer}, scenarios.IDs{"OIP-0025-A4"}},
		"a version that catches up":          {[]step{write(2), get(1, nil), get(2, nil)}, nil},
		"a version that stays behind":        {[]step{write(2), get(1, nil), get(1, nil)}, scenarios.IDs{"OIP-0001-4"}},
		"a write that answers with less":     {[]step{write(2), write(1), get(2, nil)}, scenarios.IDs{"OIP-0001-4"}},
		"an answer that shows a bit late":    {[]step{get(1, nil), answer, get(1, nil), get(2, "responded")}, nil},
		"an answer that never shows":         {[]step{get(1, nil), answer, get(1, nil), get(1, nil)}, scenarios.IDs{"OIP-0025-A13"}},
		"an answer that shows and is lost":   {[]step{get(1, nil), answer, get(2, "responded"), get(2, nil)}, scenarios.IDs{"OIP-0025-A13"}},
	} {
		transcript := &wire.Transcript{Drive: "d", Speech: openintent.Protocol.Speech}
		for n, s := range c.steps {
			sent, _ := json.Marshal(s.sent)
			body, _ := json.Marshal(s.body)
			e := wire.Entry{Kind: "http", At: noon.Add(time.Duration(n) * time.Second),
				Request: &wire.Request{Method: s.method, URL: "http://server/api/v1" + s.path, Body: string(sent),
					Header: map[string]string{"If-Match": "9", "X-API-Key": "k"}}}
			if s.body != nil {
				e.Response = &wire.Response{Status: 200, Body: string(body)}
			}
			transcript.Entries = append(transcript.Entries, e)
		}
		if got := breachedIn(transcript); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// breachedIn returns the requirements that a transcript shows to be violated.
func breachedIn(transcript *wire.Transcript) (ids []scenarios.RequirementID) {
	for _, b := range openintent.Protocol.Breached(scenarios.Discovery{}, []scenarios.DriveRecord{{ID: "d", Transcript: transcript}}) {
		ids = append(ids, b.Requirement)
	}
	return ids
}

// What callers send changes nothing of the configuration. Somebody without a key may be shown less of it.
func TestConfigurationsThatCallersChange(t *testing.T) {
	type read struct {
		key    string
		policy any
	}
	three, five := map[string]any{"max_attempts": 3}, map[string]any{"max_attempts": 5}
	for name, c := range map[string]struct {
		reads []read
		want  []scenarios.RequirementID
	}{
		"the same to the end":     {[]read{{"k", three}, {"", nil}, {"k", three}}, nil},
		"another after a record":  {[]read{{"k", three}, {"k", five}, {"k", three}}, []scenarios.RequirementID{"OIP-0026-D5"}},
		"one where there is none": {[]read{{"k", nil}, {"k", five}}, []scenarios.RequirementID{"OIP-0026-D5"}},
	} {
		transcript := &wire.Transcript{Drive: "d", Speech: openintent.Protocol.Speech}
		for _, r := range c.reads {
			body, _ := json.Marshal(map[string]any{"suspension": map[string]any{"default_retry_policy": r.policy}})
			header := map[string]string{}
			if r.key != "" {
				header["X-API-Key"] = r.key
			}
			transcript.Entries = append(transcript.Entries, wire.Entry{Kind: "http",
				Request:  &wire.Request{Method: "GET", URL: "http://server/api/v1/server/config", Header: header},
				Response: &wire.Response{Status: 200, Body: string(body)}})
		}
		if got := breachedIn(transcript); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
