package openwop_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
)

func TestRecordedFiles(t *testing.T) {
	const files = "/v1/host/workspace/files"
	const put, get = "PUT " + files + "/a ", "GET " + files + "/a"
	const wrote = ` -> 200 {"path":"a","version":1,"etag":"\"e1\"","contentType":"text/markdown","updatedAt":"2026-11-01T00:00:00Z"}` + "\n"
	const versioned = `{"workspace":{"supported":true,"versioned":true,"maxFileBytes":4}}`
	const got = ` -> 200 {"path":"a","version":1,"etag":"\"e1\"","content":"text","contentType":"text/markdown",` +
		`"updatedAt":"2026-11-01T00:00:00Z"}`
	for name, c := range map[string]telling{
		"a climb is refused":         {"", "PUT " + files + `/%2e%2e%2Fx {"content":"t"} -> 400 ` + no, "OWP-WSP-21", ""},
		"a climb is taken":           {"", "PUT " + files + `/%2e%2e%2Fx {"content":"t"}` + wrote, "", "OWP-WSP-21"},
		"a climb to elsewhere":       {"", "GET " + files + `/%2e%2e -> 200 {"title":"a page"}`, "", ""},
		"an odd path is refused":     {"", "PUT " + files + `/-a {"content":"t"} -> 400 ` + no, "OWP-WSP-22", ""},
		"an odd path is taken":       {"", "PUT " + files + `/-a {"content":"t"}` + wrote, "", "OWP-WSP-22"},
		"no content is refused":      {"", put + `{"contentType":"text/plain"} -> 400 ` + no, "OWP-WSP-3", ""},
		"no content is taken":        {"", put + `{"content":7}` + wrote, "", "OWP-WSP-3"},
		"too much is refused":        {versioned, put + `{"content":"hello"} -> 413 ` + no, "OWP-WSP-23", ""},
		"too much is taken":          {versioned, put + `{"content":"hello"}` + wrote, "", "OWP-WSP-23"},
		"as much as may be":          {versioned, put + `{"content":"hell"}` + wrote, "OWP-WSP-2", ""},
		"of no type":                 {"", put + `{"content":"t"}` + strings.Replace(wrote, "markdown", "html", 1), "", "OWP-WSP-2"},
		"a file without a type":      {"", put + `{"content":"t"} -> 200 {"path":"a","version":1}`, "", ""},
		"of a type":                  {"", put + `{"content":"t","contentType":"text/html"}` + strings.Replace(wrote, "markdown", "html", 1), "", ""},
		"as it was put":              {"", put + `{"content":"text"}` + wrote + get + got, "OWP-WSP-1", ""},
		"not as it was put":          {"", put + `{"content":"more"}` + wrote + get + got, "", "OWP-WSP-1"},
		"as another put it":          {"", put + `{"content":"more"}` + strings.Replace(wrote, "e1", "e2", 1) + get + got, "", ""},
		"as it was put anew":         {"", put + `{"content":"more"}` + wrote + get + strings.Replace(got, "00Z", "09Z", 1), "", ""},
		"a secret that is hidden":    {"", put + `{"content":"more"}` + wrote + get + strings.Replace(got, "text", "[REDACTED]", 1), "", ""},
		"a version":                  {versioned, get + "?version=1" + got, "OWP-WSP-18", ""},
		"another version":            {versioned, get + "?version=2" + got, "", "OWP-WSP-18"},
		"versions of another host":   {"{}", get + "?version=2" + got, "", ""},
		"no version":                 {versioned, get + "?version=x -> 400 " + no, "OWP-WSP-19", ""},
		"no version is served":       {versioned, get + "?version=0" + got, "", "OWP-WSP-19"},
		"a list":                     {"", "GET " + files + `?prefix=a -> 200 {"files":[{"path":"a","version":1}]}`, "OWP-WSP-4 OWP-WSP-5", ""},
		"a list of others":           {"", "GET " + files + `?prefix=a -> 200 {"files":[{"path":"b","version":1}]}`, "", "OWP-WSP-4"},
		"a list with contents":       {"", "GET " + files + ` -> 200 {"files":[{"path":"b","content":"t"}]}`, "", "OWP-WSP-5"},
		"a list of nothing":          {"", "GET " + files + `?prefix=a -> 200 {"files":[]}`, "", ""},
		"a conflict":                 {"", `PUT ` + files + `/a [If-Match: "e"] {"content":"t"} -> 409 {"error":"workspace_conflict","message":"m","details":{"currentVersion":2}}`, "OWP-WSP-14", ""},
		"a conflict about room":      {"", `PUT ` + files + `/a [If-Match: "e"] {"content":"t"} -> 409 ` + no, "", ""},
		"a conflict of no version":   {"", `PUT ` + files + `/a [If-Match: "e"] {"content":"t"} -> 409 {"error":"workspace_conflict","message":"m"}`, "", "OWP-WSP-14"},
		"a precondition":             {"", `PUT ` + files + `/a [If-Match: "e"] {"content":"t"} -> 412 ` + no, "", "OWP-WSP-14"},
		"a conflict of another kind": {"", put + `{"content":"t"} -> 409 ` + no, "", ""},
	} {
		c.check(t, name)
	}
}

func TestRecordedGoals(t *testing.T) {
	const goals, bounded = "/v1/host/sample/goals", `{"agents":{"goals":{"judge":"host","continuation":["manual"]}}}`
	const post = "POST " + goals + " "
	goal := func(state string, most int, runs ...string) string {
		list, err := json.Marshal(append([]string{}, runs...))
		if err != nil {
			t.Fatal(err)
		}
		return "GET " + goals + `/g -> 200 {"id":"g","objective":"make the lamps brighter","state":"` + state +
			`","createdAt":"2026-11-01T00:00:00Z","completion":{"check":"host"},"owner":{"tenant":"t"},"bounds":{"maxLoopIterations":` +
			fmt.Sprint(most) + `},"progress":{"contributingRunIds":` + string(list) + `}}` + "\n"
	}
	trail := func(kind, payload string) string {
		return "GET " + goals + `/g/events -> 200 {"events":[{"type":"` + kind + `","payload":` + payload + `}]}` + "\n"
	}
	const asked = `{"objective":"o","completion":{"check":"host"},"continuation":{"mode":"manual"}}`
	for name, c := range map[string]telling{
		"no bounds are refused":     {bounded, post + asked + " -> 422 " + no, "OWP-0097-A2 OWP-0097-C1", ""},
		"no bounds are taken":       {bounded, post + asked + ` -> 201 {"id":"g","state":"active"}`, "", "OWP-0097-A2 OWP-0097-C1"},
		"no bounds are needed":      {strings.Replace(bounded, `"judge"`, `"requiresBounds":false,"judge"`, 1), post + asked + ` -> 201 {"id":"g","state":"active"}`, "", ""},
		"a goal of a shop":          {bounded, `POST /shop/goals {"name":"sell"} -> 201 {"id":"g","state":"active"}`, "", ""},
		"asked for as satisfied":    {"", post + strings.Replace(asked, "{", `{"state":"satisfied",`, 1) + ` -> 201 {"id":"g","state":"active"}`, "OWP-0097-E2", ""},
		"made as satisfied":         {"", post + strings.Replace(asked, "{", `{"state":"satisfied",`, 1) + ` -> 201 {"id":"g","state":"satisfied"}`, "", "OWP-0097-E2"},
		"a list":                    {"", "GET " + goals + `?state=active -> 200 {"goals":[{"id":"g","objective":"o","state":"active"}]}`, "OWP-0097-C2", ""},
		"a list of others":          {"", "GET " + goals + `?state=active -> 200 {"goals":[{"id":"g","objective":"o","state":"satisfied"}]}`, "", "OWP-0097-C2"},
		"a list of other goals":     {"", "GET " + goals + `?state=active -> 200 {"goals":[{"name":"sell"}]}`, "", ""},
		"bounds":                    {bounded, goal("active", 3, "r1"), "OWP-0097-E3 OWP-0097-E4", ""},
		"no bounds":                 {bounded, strings.Replace(goal("active", 3), `{"maxLoopIterations":3}`, `{}`, 1), "", "OWP-0097-E3"},
		"bounds that are not shown": {bounded, strings.Replace(goal("active", 3), `"bounds":{"maxLoopIterations":3},`, ``, 1), "", ""},
		"too many runs":             {bounded, goal("bound-exceeded", 1, "r1", "r2"), "", "OWP-0097-E4"},
		"an end is told":            {"", trail("goal.closed", `{"goalId":"g","finalState":"bound-exceeded"}`) + goal("bound-exceeded", 1, "r1"), "OWP-0097-D2 OWP-0097-E7", ""},
		"another end is told":       {"", trail("goal.closed", `{"goalId":"g","finalState":"abandoned"}`) + goal("bound-exceeded", 1, "r1"), "", "OWP-0097-E7"},
		"an objective is told":      {"", trail("goal.evaluated", `{"goalId":"g","why":"make the lamps brighter"}`) + goal("active", 1), "", "OWP-0097-D2"},
		"a run of the goal":         {"", trail("goal.evaluated", `{"goalId":"g","runId":"r1"}`) + goal("active", 1, "r1"), "OWP-0097-E9", ""},
		"a run of no goal":          {"", trail("goal.evaluated", `{"goalId":"g","runId":"r2"}`) + goal("active", 1, "r1"), "", "OWP-0097-E9"},
		"a run that is not listed yet": {"", strings.Replace(trail("goal.evaluated", `{"goalId":"g","runId":"r2"}`), "[", `[{"type":"goal.evaluated",`+
			`"payload":{"goalId":"g","runId":"r1"}},`, 1) + goal("active", 3, "r1"), "", ""},
		"a goal that is refused for something else": {bounded, post + asked + " -> 400 " + no, "", ""},
		"a run that is judged later":                {"", goal("active", 1, "r1") + trail("goal.evaluated", `{"goalId":"g","runId":"r2"}`), "", ""},
	} {
		c.check(t, name)
	}
}

func TestRecordedPolls(t *testing.T) {
	log := logOf(begins, turn(1, map[string]any{"kind": "ask-user"}), completes)
	poll := func(cursor string, from, to int) string {
		return strings.Replace(read(t, "r1", log[from:to]), "/poll", "/poll"+cursor, 1) + "\n"
	}
	for name, c := range map[string]telling{
		"from the first":     {"", poll("", 0, 3), "OWP-EVT-13", ""},
		"not from the first": {"", poll("", 0, 3) + poll("", 1, 3), "", "OWP-EVT-12 OWP-EVT-13"},
		"behind a cursor":    {"", poll("", 0, 3) + poll("?lastSequence=0", 1, 3), "OWP-EVT-15", ""},
		"at a cursor": {"", poll("", 0, 3) + poll("?lastSequence=0", 1, 3) + poll("?lastSequence=1", 1, 3),
			"", "OWP-EVT-15"},
		"at a cursor that the host may not know": {"", poll("", 0, 3) + poll("?lastSequence=1", 0, 3), "", ""},
	} {
		c.check(t, name)
	}
	empty := strings.Replace(poll("?lastSequence=0", 0, 0), "true", "false", 1)
	kept, violated := told(t, "", empty+poll("?lastSequence=0", 1, 3)+poll("", 0, 3))
	if !strings.Contains(fmt.Sprint(kept), "OWP-EVT-19") || len(violated) > 0 {
		t.Errorf("what comes behind an empty page: kept %v, violated %v", kept, violated)
	}
	_, violated = told(t, "", empty+poll("?lastSequence=0", 2, 3)+poll("?lastSequence=0", 1, 3)+poll("", 0, 3))
	if !strings.Contains(fmt.Sprint(violated), "OWP-EVT-19") {
		t.Errorf("what is left out behind an empty page: violated %v", violated)
	}
}

func TestRecordedStreams(t *testing.T) {
	const stream = "GET /v1/runs/r1/events"
	const refused = ` -> 400 {"error":"unsupported_stream_mode","message":"m"`
	for name, c := range map[string]telling{
		"a mode that nobody knows":            {"", stream + "?streamMode=x" + refused + `,"details":{"supported":["values"]}}`, "OWP-ERR-16", ""},
		"a mode that nobody knows, and which": {"", stream + "?streamMode=x" + refused + `}`, "", "OWP-ERR-16"},
		"refused for something else":          {"", stream + "?streamMode=x -> 400 " + no, "", ""},
		"a document for a stream":             {"", stream + ` [Accept: text/event-stream] -> 200 {"events":[]}`, "", "OWP-EVT-20"},
		"a document for either":               {"", stream + ` [Accept: */*] -> 200 {"events":[]}`, "", ""},
		"what everybody may read":             {"", `GET /.well-known/openwop -> 200 {}` + "\n" + `GET /v1/openapi.json -> 200 {}`, "OWP-CAP-2 OWP-CAP-3", ""},
		"no object":                           {"", `GET /.well-known/openwop -> 200 []` + "\n" + `GET /v1/openapi.json -> 200 7`, "", "OWP-CAP-2 OWP-CAP-3"},
		"what a caller may read":              {"", `GET /.well-known/openwop [Authorization: <secret:1>] -> 200 []`, "", ""},
	} {
		c.check(t, name)
	}
	transcript := trafficOf(t, stream+" [Accept: text/event-stream] -> 200")
	transcript.Entries[0].Kind = "stream"
	held := false
	openwop.Protocol.Recorded(scenarios.Discovery{}, []scenarios.DriveRecord{{ID: "d", Transcript: transcript}}, func(s scenarios.Sight) {
		held = held || s.Held && s.Requirement == "OWP-EVT-20"
	})
	if !held {
		t.Error("a stream that was asked for shows nothing")
	}
}
