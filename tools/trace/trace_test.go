package trace_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/sent"
	"github.com/openassay/assay/tools/trace"
)

// What may be wrong where a scenario fails is what the kill matrix found. ASSAY_UPDATE=1 writes the index anew.
func TestKillsAreThoseOfTheMatrix(t *testing.T) {
	raw, err := os.ReadFile("../../docs/kill-matrix.json")
	if err != nil {
		t.Fatal(err)
	}
	var m results.KillMatrix
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	want, err := trace.EncodeKills(m)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("ASSAY_UPDATE") != "" {
		if err := os.WriteFile("kills.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile("kills.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("kills.json is not what docs/kill-matrix.json says: write it anew with make traces")
	}
	const scenario = "openwop/iteration-monotonic/one-per-turn"
	for _, f := range trace.Failing(scenario) {
		if !slices.Contains(trace.FoundBy(f), scenario) {
			t.Errorf("%s fails for %s, which it is not said to find", scenario, f)
		}
	}
	if len(trace.Failing(scenario)) == 0 || trace.FoundBy("no-such-fault") != nil {
		t.Errorf("%s fails for %v", scenario, trace.Failing(scenario))
	}
}

var here = regexp.MustCompile(`127\.0\.0\.1:\d`)

// Every recorded trace says something, and nothing in it is of one run alone.
func TestRecordedTraces(t *testing.T) {
	all, err := trace.All()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 300 {
		t.Fatalf("%d traces", len(all))
	}
	for _, r := range all {
		if r.Example == nil && len(r.Reads) == 0 { // what it looks at is in no exchange
			continue
		}
		if r.Example == nil || r.Example.Request == "" || r.Example.Wants == "" || r.Example.For == "" {
			t.Errorf("%s has no example: %+v", r.Scenario, r.Example)
			continue
		}
		for _, text := range []string{r.Example.Request, r.Example.Sent, r.Example.Reply} {
			if here.MatchString(text) || strings.Contains(text, "2026-11-") {
				t.Errorf("%s shows what differs from run to run: %s", r.Scenario, text)
			}
		}
		if again, ok := trace.Of(r.Scenario); !ok || again.Scenario != r.Scenario {
			t.Errorf("%s is not found", r.Scenario)
		}
	}
	if _, ok := trace.Of("openwop/nowhere/nothing"); ok {
		t.Error("there is a trace of no scenario")
	}
}

// A report's folder as assay certify writes it, by hand.
func folder(t *testing.T, checks, entries string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, reports.TranscriptsDir), 0o755); err != nil {
		t.Fatal(err)
	}
	digest := strings.Repeat("0", 64)
	doc := `{"schema":"assay.results/1","assay":{"version":"1","suiteDigest":"` + digest + `"},"target":{"protocol":"openwop/v1","address":"http://a","discoveryDigest":"` + digest + `"},
"startedAt":"2026-01-01T00:00:00Z","seconds":1,"seed":1,"exitCode":0,"claims":[],"requirements":[],
"scenarios":[{"id":"openwop/a/b","suite":"a","title":"t","requirements":["OWP-0061-B1"],"level":"MUST","claim":"","verdict":"passed","evidence":"observed","seconds":1,"drives":["openwop/d"],"labels":[],"findings":[],"checks":` + checks + `}],
"totals":{"passed":1,"failed":0,"inapplicable":0,"blocked":0,"inconclusive":0,"broken":0},"profiles":[],"leftovers":[]}`
	for name, text := range map[string]string{
		"results.json": doc, "transcripts/openwop.d.json": `{"schema":"assay.transcript/1","drive":"openwop/d","seconds":1,"entries":` +
			entries + `}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRecord(t *testing.T) {
	const log = `{"kind":"http","at":"2026-01-01T00:00:00Z","micros":1,"request":{"method":"GET","url":"http://127.0.0.1:1/v1/runs/run-1/events/poll?timeout=1"},"response":{"status":200,"body":"{\"events\":[{\"type\":\"runOrchestrator.decided\",\"payload\":{\"iteration\":1}},{\"type\":\"acme.own\",\"payload\":{\"a\":1}}]}"}}`
	const fork = `{"kind":"http","at":"2026-01-01T00:00:00Z","micros":1,"request":{"method":"POST","url":"http://127.0.0.1:1/v1/runs/run-1:fork","body":"{}"},"response":{"status":201,"body":"{}"}}`
	const elsewhere = `{"kind":"http","at":"2026-01-01T00:00:00Z","micros":1,"request":{"method":"GET","url":"http://127.0.0.1:1/elsewhere"},"response":{"status":404,"body":"no"}}`
	const bodiless = `{"kind":"http","at":"2026-01-01T00:00:00Z","micros":1,"request":{"method":"GET","url":"http://127.0.0.1:1/v1/runs/run-1"},"error":"reset"}`
	const stream = `{"kind":"stream","at":"2026-01-01T00:00:00Z","micros":1,"request":{"method":"GET","url":"http://127.0.0.1:1/v1/runs/run-1/events"},"response":{"status":200},"chunks":[{"micros":1,"text":"data: {\"type\":\"run.started\",\"payload\":{}}\n\n"}]}`
	check := func(exchange, pointer, part string) string {
		if part != "" {
			part = `,"part":"` + part + `"`
		}
		return `[{"requirement":"OWP-0061-B1","expected":"1","actual":"1","ok":true,"exchange":` + exchange + `,"pointer":"` + pointer +
			`"` + part + `}]`
	}
	for _, c := range []struct{ name, entry, pointer, part, in, at string }{
		{"a property of a payload", log, "/events/0/payload/iteration", "", "event runOrchestrator.decided", "/iteration"},
		{"what stands beside it", log, "/events/0/type", "", "event runOrchestrator.decided", trace.Beside},
		{"a whole event", log, "/events/0", "", "event runOrchestrator.decided", ""},
		{"an event that the spec does not know", log, "/events/1/payload/a", "", "GET /v1/runs/{runId}/events/poll", "/events/items/payload/a"},
		{"an event that is not there", log, "/events/7/payload/a", "", "GET /v1/runs/{runId}/events/poll", "/events/items/payload/a"},
		{"a list", log, "/events", "", "GET /v1/runs/{runId}/events/poll", "/events"},
		{"a status", fork, "", "status", "POST /v1/runs/{runId}:fork", trace.Beside},
		{"no reply", bodiless, "/status", "", "GET /v1/runs/{runId}", trace.Beside},
		{"an event of a stream", stream, "", "event:1", "event run.started", ""},
		{"an event that did not come", stream, "", "event:2", "", ""},
		{"a page that the spec does not know", elsewhere, "", "status", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			traces, err := trace.Record(folder(t, check("1", c.pointer, c.part), "["+c.entry+"]"))
			if err != nil {
				t.Fatal(err)
			}
			got := traces[0].Reads
			switch {
			case c.in == "" && len(got) > 0:
				t.Errorf("reads %v", got)
			case c.in != "" && (len(got) != 1 || got[0] != trace.Read{Requirement: "OWP-0061-B1", In: c.in, At: c.at}):
				t.Errorf("reads %v, want %s at %q", got, c.in, c.at)
			}
		})
	}

	for _, exchange := range []string{"0", "9"} { // a check that looks at nothing
		if traces, err := trace.Record(folder(t, check(exchange, "/a", ""), "["+fork+"]")); err != nil || len(traces[0].Reads) > 0 {
			t.Errorf("exchange %s: %v, %v", exchange, traces, err)
		}
	}
	if _, err := trace.Record(t.TempDir()); err == nil {
		t.Error("a folder without a report has traces")
	}
}

// What drives are recorded to send is of each protocol, and nothing in it was drawn.
func TestRecordedSent(t *testing.T) {
	names := regexp.MustCompile(`^[A-Za-z_*./:{}\[\]-]+$`)
	for _, row := range protocols.Table {
		items, err := trace.Sent(row.ID)
		if err != nil {
			t.Fatal(err)
		}
		kinds := map[sent.Kind]int{}
		for i := range items {
			kinds[i.Kind]++
			place, _, _ := strings.Cut(i.What, " ")
			if i.Kind == sent.Body && !names.MatchString(place) {
				t.Errorf("%s: %s of a body is drawn", i.Operation, place)
			}
		}
		wanted := []sent.Kind{sent.Called, sent.Body, sent.Value, sent.Then}
		if row.Hosted() {
			wanted = append(wanted, sent.Query, sent.Header)
		}
		for _, kind := range wanted {
			if kinds[kind] == 0 {
				t.Errorf("%s: nothing of kind %s is recorded", row.ID, kind)
			}
		}
		if kinds[sent.Unknown] > 0 {
			t.Errorf("%s: requests for no operation are recorded", row.ID)
		}
	}
}

func TestSums(t *testing.T) {
	const create = `{"kind":"http","at":"2026-01-01T00:00:00Z","micros":1,"request":{"method":"POST","url":"http://127.0.0.1:1/v1/runs","body":"{\"tags\":[]}"},"response":{"status":201,"body":"{\"runId\":\"r\"}"}}`
	const read = `{"kind":"http","at":"2026-01-01T00:00:01Z","micros":1,"request":{"method":"GET","url":"http://127.0.0.1:1/v1/runs/r"},"response":{"status":200}}`
	const elsewhere = `{"kind":"http","at":"2026-01-01T00:00:02Z","micros":1,"request":{"method":"GET","url":"http://127.0.0.1:1/else"},"response":{"status":404}}`
	sums := trace.Sums{}
	if err := sums.Add(folder(t, "[]", "["+read+","+elsewhere+","+create+"]")); err != nil { // by their times, create comes first
		t.Fatal(err)
	}
	got, err := sums.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, got); err != nil {
		t.Fatal(err)
	}
	const want = `{"openwop/v1":{"GET /v1/runs/{runId}":{},"POST /v1/runs":{"body":["/ object","/tags array"],"then":["2xx, then GET /v1/runs/{runId}"]}}}`
	if compact.String() != want {
		t.Errorf("%s, want %s", compact.String(), want)
	}
	if err := sums.Add(t.TempDir()); err == nil {
		t.Error("a folder without a report is added")
	}
}
