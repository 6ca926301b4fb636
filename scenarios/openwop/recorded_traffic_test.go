package openwop_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// oneExchange is a line of a story: "POST /v1/runs [Idempotency-Key: k] {…} -> 201 {…}". The header, both bodies and the time in seconds
// that it takes ("~3" at its end) may be missing.
var oneExchange = regexp.MustCompile(`^([A-Z]+) (\S+)(?: \[([^:\]]+): ([^\]]*)\])? ?(.*?) ?-> (\d+) ?(.*?)(?: ~(\d+))?$`)

// trafficOf is what others said to a host, a second apart.
func trafficOf(t *testing.T, story string) *wire.Transcript {
	t.Helper()
	transcript := &wire.Transcript{Drive: "d", Speech: openwop.Protocol.Speech}
	noon := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for i, line := range strings.Split(strings.TrimSpace(story), "\n") {
		m := oneExchange.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			t.Fatalf("not an exchange: %s", line)
		}
		status, err := strconv.Atoi(m[6])
		if err != nil {
			t.Fatal(err)
		}
		took, _ := strconv.ParseInt("0"+m[8], 10, 64)
		e := wire.Entry{Kind: "http", At: noon.Add(time.Duration(i) * time.Second), Micros: 1000 + 1_000_000*took,
			Request:  &wire.Request{Method: m[1], URL: "http://host" + m[2], Header: map[string]string{}, Body: m[5]},
			Response: &wire.Response{Status: status, Body: m[7], Header: map[string]string{"Content-Type": "application/json"}}}
		if m[5] != "" {
			e.Request.Header["Content-Type"] = "application/json"
		}
		if m[3] != "" {
			e.Request.Header[m[3]] = m[4]
		}
		transcript.Entries = append(transcript.Entries, e)
	}
	return transcript
}

// read is a line of a story in which somebody reads the whole log of a run.
func read(t *testing.T, run string, log hosttest.Entries) string {
	t.Helper()
	page, err := json.Marshal(map[string]any{"events": log, "isComplete": true})
	if err != nil {
		t.Fatal(err)
	}
	return "GET /v1/runs/" + run + "/events/poll -> 200 " + string(page)
}

// told returns the requirements that a recording shows kept and violated, whoever else is at work.
func told(t *testing.T, advertised, story string) (kept, violated []string) {
	t.Helper()
	d := scenarios.Discovery{}
	if advertised != "" {
		d.Document = wiretest.Value(t, json.RawMessage(advertised))
	}
	records := []scenarios.DriveRecord{{ID: "d", Transcript: trafficOf(t, story)}}
	openwop.Protocol.Recorded(d, records, func(s scenarios.Sight) {
		id := string(s.Requirement)
		switch {
		case s.Alone:
		case s.Held && !slices.Contains(kept, id):
			kept = append(kept, id)
		case !s.Held && !slices.Contains(violated, id):
			violated = append(violated, id)
		}
	})
	slices.Sort(violated)
	return kept, violated
}

// telling is a case: what a recording of this story has to show kept, and all that it shows violated.
type telling struct{ advertised, story, kept, violated string }

func (c telling) check(t *testing.T, name string) {
	t.Helper()
	kept, violated := told(t, c.advertised, c.story)
	for _, id := range strings.Fields(c.kept) {
		if !slices.Contains(kept, id) {
			t.Errorf("%s: %s is not kept, but %v", name, id, kept)
		}
	}
	if got := strings.Join(violated, " "); got != c.violated {
		t.Errorf("%s: violated are %q, want %q", name, got, c.violated)
	}
}

const (
	ended   = `GET /v1/runs/r1 -> 200 {"runId":"r1","workflowId":"w","status":"completed"}` + "\n"
	stopped = `GET /v1/runs/r1 -> 200 {"runId":"r1","workflowId":"w","status":"cancelled"}` + "\n"
	goes    = `GET /v1/runs/r1 -> 200 {"runId":"r1","workflowId":"w","status":"running"}` + "\n"
	no      = `{"error":"e","message":"m"}`
)

func TestRecordedCreations(t *testing.T) {
	const run, made = "POST /v1/runs ", ` -> 201 {"runId":"r1"}`
	const keyed = "POST /v1/runs [Idempotency-Key: k] "
	large := `{"workflowId":"` + strings.Repeat("w", 100) + `"}`
	for name, c := range map[string]telling{
		"no JSON is refused":        {"", run + `{oops -> 400 ` + no, "OWP-ERR-11", ""},
		"no JSON is taken":          {"", run + `{oops` + made, "", "OWP-ERR-11"},
		"a list is refused":         {"", run + `[] -> 422 ` + no, "OWP-ERR-12", ""},
		"a list is taken":           {"", run + `[]` + made, "", "OWP-ERR-12"},
		"no workflow is refused":    {"", run + `{"inputs":{}} -> 404 ` + no, "OWP-ERR-13", ""},
		"no workflow is taken":      {"", run + `{"workflowId":7}` + made, "", "OWP-ERR-13"},
		"a workflow otherwise":      {"", run + `{"workflowid":"w"}` + made, "", ""},
		"a fault":                   {"", run + `{oops -> 500 ` + no, "", ""},
		"a proxy":                   {"", run + `[] -> 403 ` + no, "", ""},
		"a body with a secret":      {"", run + `{"workflowId":<secret:1>}` + made, "", ""},
		"a misfit under a key":      {"", keyed + `[]` + made, "", ""},
		"a bound of 0 is refused":   {"", run + `{"workflowId":"w","configurable":{"recursionLimit":0}} -> 400 ` + no, "OWP-BND-21", ""},
		"a bound of 0 is taken":     {"", run + `{"workflowId":"w","configurable":{"runTimeoutMs":0}}` + made, "", "OWP-BND-21"},
		"a bound of a text":         {"", run + `{"workflowId":"w","configurable":{"runTimeoutMs":"5"}}` + made, "", "OWP-BND-21"},
		"a bound of 5":              {"", run + `{"workflowId":"w","configurable":{"recursionLimit":5.0}}` + made, "", ""},
		"a bound of nothing":        {"", run + `{"workflowId":"w","configurable":{"recursionLimit":null}}` + made, "", ""},
		"a large body is refused":   {`{"limits":{"maxRequestBodyBytes":50}}`, run + large + ` -> 413 ` + no, "OWP-ERR-17", ""},
		"a large body is taken":     {`{"limits":{"maxRequestBodyBytes":50}}`, run + large + made, "", "OWP-ERR-17"},
		"a body that is not large":  {`{"limits":{"maxRequestBodyBytes":500}}`, run + large + made, "", ""},
		"a fixture is run":          {`{"fixtures":["w"]}`, run + `{"workflowId":"w"}` + made, "OWP-CAP-19", ""},
		"a fixture is not there":    {`{"fixtures":["w"]}`, run + `{"workflowId":"w"} -> 404 {"error":"not_found","message":"m"}`, "", "OWP-CAP-19"},
		"another is not there":      {`{"fixtures":["v"]}`, run + `{"workflowId":"w"} -> 404 {"error":"not_found","message":"m"}`, "", ""},
		"a fixture with odd inputs": {`{"fixtures":["w"]}`, run + `{"workflowId":"w"} -> 400 ` + no, "", ""},

		"the same once more": {"", keyed + `{"workflowId":"w"}` + made + "\n" + keyed + `{"workflowId":"w"}` + made, "OWP-ERR-18", ""},
		"the same makes another": {"", keyed + `{"workflowId":"w"}` + made + "\n" + keyed + `{"workflowId":"w"} -> 201 {"runId":"r2"}`,
			"", "OWP-ERR-18"},
		"the same at once": {"", keyed + `{"workflowId":"w"}` + made + " ~5\n" + keyed + `{"workflowId":"w"}` + made, "OWP-ERR-20", ""},
		"two at once": {"", keyed + `{"workflowId":"w"}` + made + " ~5\n" + keyed + `{"workflowId":"w"} -> 201 {"runId":"r2"}`, "",
			"OWP-ERR-20"},
		"another body is refused": {"", keyed + `{"workflowId":"w"}` + made + "\n" + keyed + `{"workflowId":"v"} -> 409 ` + no, "OWP-ERR-19", ""},
		"another body is taken":   {"", keyed + `{"workflowId":"w"}` + made + "\n" + keyed + `{"workflowId":"v"}` + made, "", "OWP-ERR-19"},
		"another order": {"", keyed + `{"workflowId":"w","tags":[]}` + made + "\n" +
			keyed + `{"tags":[],"workflowId":"w"}` + made, "", ""},
		"another key": {"", keyed + `{"workflowId":"w"}` + made + "\n" + run + `{"workflowId":"w"} -> 201 {"runId":"r2"}`, "", ""},
	} {
		c.check(t, name)
	}
}

func TestRecordedControls(t *testing.T) {
	const cancel, pause, bulk = "POST /v1/runs/r1/cancel -> ", "POST /v1/runs/r1:pause -> ", "POST /v1/runs:bulk-cancel "
	many := []string{}
	for i := range 101 {
		many = append(many, fmt.Sprintf(`"r%d"`, i))
	}
	large := bulk + `{"runIds":[` + strings.Join(many, ",") + `]} -> `
	for name, c := range map[string]telling{
		"cancelled":                         {"", goes + cancel + `200 {"runId":"r1","status":"cancelling"}` + "\n" + stopped, "OWP-ERR-23", ""},
		"said to be cancelled":              {"", goes + cancel + `200 {"runId":"r1","status":"cancelled"}` + "\n" + ended, "", "OWP-ERR-23"},
		"completed before":                  {"", goes + cancel + `200 {"runId":"r1","status":"completed"}` + "\n" + ended, "", ""},
		"a cancel of what has ended":        {"", ended + cancel + `200 {"status":"completed"}` + "\n" + ended, "OWP-ERR-24 OWP-ERR-28", ""},
		"a cancel of what has ended is no":  {"", ended + cancel + `409 ` + no, "OWP-ERR-24", ""},
		"a cancel of what has ended is yes": {"", ended + cancel + `200 {"status":"cancelled"}`, "", "OWP-ERR-24"},
		"what has ended changes":            {"", ended + cancel + "409 " + no + "\n" + stopped, "", "OWP-CTL-3 OWP-ERR-28"},

		"a pause of what has ended": {"", ended + pause + `409 {"error":"e","message":"m","details":{"runStatus":"completed"}}`, "OWP-CTL-23", ""},
		"a pause of what has ended tells another status": {"",
			ended + pause + `409 {"error":"e","message":"m","details":{"runStatus":"paused"}}`, "", "OWP-CTL-23"},
		"a pause of what has ended is taken": {"", ended + pause + `202 {"status":"paused"}`, "", "OWP-CTL-23"},
		"a pause of what goes on":            {"", goes + pause + `202 {"status":"paused"}`, "", ""},
		"no pauses":                          {"", ended + pause + `501 ` + no, "", ""},

		"a bulk cancel": {"", ended + bulk + `{"runIds":["r1","r2"]} -> 200 {"results":[{"runId":"r1","ok":true,"status":"completed"},` +
			`{"runId":"r2","ok":true,"status":"cancelling"}]}` + "\n" + strings.ReplaceAll(stopped, "r1", "r2"), "OWP-CTL-13 OWP-CTL-14 OWP-CTL-16", ""},
		"a bulk cancel out of order": {"", bulk + `{"runIds":["r1","r2"]} -> 200 {"results":[{"runId":"r2","ok":true},{"runId":"r1","ok":true}]}`,
			"", "OWP-CTL-14"},
		"a bulk cancel of what has ended": {"", ended + bulk + `{"runIds":["r1"]} -> 200 {"results":[{"runId":"r1","ok":true,"status":"cancelled"}]}`,
			"", "OWP-CTL-16"},
		"a bulk cancel of what completes": {"", goes + bulk + `{"runIds":["r1"]} -> 200 {"results":[{"runId":"r1","ok":true,"status":"cancelled"}]}` +
			"\n" + ended, "", "OWP-CTL-13"},
		"a bulk cancel of what is not known": {"", bulk + `{"runIds":["r1"]} -> 200 {"results":[{"runId":"r1","ok":false}]}`, "OWP-CTL-14", ""},
		"none to cancel":                     {"", bulk + `{"runIds":[]} -> 400 ` + no, "OWP-CTL-18", ""},
		"none to cancel is taken":            {"", bulk + `{"runIds":[]} -> 200 {"results":[]}`, "OWP-CTL-14", "OWP-CTL-18"},
		"many to cancel":                     {"", large + `400 {"error":"e","message":"m","details":{"maxRunIds":100}}`, "OWP-CTL-17", ""},
		"many to cancel, and no limit":       {"", large + `400 ` + no, "", "OWP-CTL-17"},
		"many to cancel in another way":      {"", strings.Replace(large, `"r100"`, `7`, 1) + `400 ` + no, "", ""},
	} {
		c.check(t, name)
	}
}

// What looks like a violation and is another's doing: a gateway's reply, the other tenant's key, a cursor below any number.
func TestRepliesOfOthers(t *testing.T) {
	run := func(tenant, id string) string {
		return "POST /" + tenant + `/v1/runs [Idempotency-Key: k] {"workflowId":"w"} -> 201 {"runId":"` + id + `","status":"running"}` + "\n"
	}
	poll := func(query string, sequence int) string {
		return fmt.Sprintf(`GET /v1/runs/r1/events/poll%s -> 200 {"events":[{"eventId":"e%d","runId":"r1","sequence":%d,"type":"run.started",`+
			`"payload":{}}]}`+"\n", query, sequence, sequence)
	}
	below := poll("?lastSequence=-5", -3) + poll("", 0) + poll("", -3)
	for name, c := range map[string]telling{
		"a gateway that knows no path": {"", `GET /v1/runs/r1 -> 404 {"message":"no route matched"}`, "", ""},
		"a host that gives no code":    {"", `GET /v1/runs/r1 -> 404 {"message":"no run","status":404}`, "", "OWP-ERR-4"},
		"two tenants":                  {"", run("a", "r1") + run("b", "r2"), "", ""},
		"one tenant":                   {"", run("a", "r1") + run("a", "r2"), "", "OWP-ERR-18"},
		"numbers below any":            {"", run("a", "r1") + below, "", "OWP-EVT-13 OWP-EVT-14"},
	} {
		c.check(t, name)
	}
}

// Without their times nobody knows what came first.
func TestRequestsWithoutTheirTimes(t *testing.T) {
	transcript := trafficOf(t, ended+"POST /v1/runs/r1/cancel -> 200 {\"status\":\"cancelled\"}")
	transcript.Entries[1].At = time.Time{}
	openwop.Protocol.Recorded(scenarios.Discovery{}, []scenarios.DriveRecord{{ID: "d", Transcript: transcript}}, func(s scenarios.Sight) {
		if !s.Held {
			t.Errorf("%s is said to be violated", s.Requirement)
		}
	})
}

// Many requests about one run are judged at once.
func TestManyRequestsAboutARun(t *testing.T) {
	line := ended + "POST /v1/runs/r1/cancel -> 200 {\"status\":\"completed\"}\nPOST /v1/runs/r1/interrupts/n {} -> 409 " + no + "\n"
	began := time.Now()
	kept, violated := told(t, "", strings.Repeat(line, 5000))
	t.Logf("%v in %s", kept, time.Since(began))
	if !slices.Contains(kept, "OWP-ERR-24") || len(violated) > 0 {
		t.Errorf("kept are %v, violated %v", kept, violated)
	}
}
