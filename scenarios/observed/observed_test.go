package observed_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/observed"
	"github.com/openassay/assay/scenarios/wire"
)

// lamps is a protocol of lamps. No lamp is brighter than 10, and each stays as bright as it was set, unless somebody else sets it, too.
var lamps = &scenarios.Protocol{
	ID: "lamp/v1", DiscoveryPath: "/.well-known/lamp",
	Ledger: scenarios.NewLedger([]scenarios.Requirement{
		{ID: "LAMP-1", Level: scenarios.Must, Text: "A lamp is at most 10 bright."},
		{ID: "LAMP-2", Level: scenarios.Must, Text: "A lamp is as bright as it was set."},
		{ID: "LAMP-3", Level: scenarios.Must, Text: "A lamp that has colours says which.", Claim: "colours"},
	}),
	Claims: []scenarios.Claim{{ID: "colours", Pointer: "/colours", Look: func(d scenarios.Discovery) (wire.Value, bool) {
		v := d.Document.Key("colours")
		has, _ := v.Bool()
		return v, has
	}}},
	Watched: func() scenarios.IDs { return scenarios.IDs{"LAMP-1", "LAMP-2", "LAMP-3"} },
	Invariants: func(_ scenarios.Discovery, records []scenarios.DriveRecord, see func(scenarios.Sight)) {
		for _, record := range records {
			set := map[string]string{}
			for n := 1; n <= record.Transcript.Len(); n++ {
				e := record.Transcript.Entry(n)
				if e.Request == nil || !strings.Contains(e.Request.URL, "/lamps/") {
					continue
				}
				if e.Request.Method == "PUT" {
					set[e.Request.URL] = e.Request.Body
					continue
				}
				body := record.Transcript.Reply(n)
				if body.Key("panic").Present() {
					panic("no such lamp")
				}
				bright := body.Key("bright")
				level, _ := bright.Int()
				note := func(id scenarios.RequirementID, held, alone bool) {
					see(scenarios.Sight{Held: held, Alone: alone, Of: e.Request.URL, Breach: scenarios.Breach{
						Requirement: id, Drive: record.ID, Where: bright.Ref(), Expected: "what was promised", Actual: bright.JSON()}})
				}
				note("LAMP-1", level <= 10, false)
				if was, known := set[e.Request.URL]; known {
					note("LAMP-2", bright.JSON() == was, true)
				}
				note("LAMP-3", body.Key("colour").Present(), false)
			}
		}
	},
}

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// exchange is one with a lamp's host, so many seconds after noon.
func exchange(after int, method, path, sent, got string) wire.Entry {
	return wire.Entry{Kind: "http", At: noon.Add(time.Duration(after) * time.Second), Micros: 1000,
		Request:  &wire.Request{Method: method, URL: "http://lamps.example" + path, Body: sent},
		Response: &wire.Response{Status: 200, Body: got}}
}

func transcript(t testing.TB, entries ...wire.Entry) []byte {
	t.Helper()
	content, err := json.Marshal(map[string]any{"drive": "recording/000001", "entries": entries, "seconds": 1})
	if err != nil {
		t.Fatal(err)
	}
	// The schema stands first, as in every transcript.
	head := fmt.Sprintf(`{"schema":%q,`, scenarios.TranscriptSchema)
	return append([]byte(head), content[1:]...)
}

// first is the first entry of a recording.
func first(r observed.Recording) wire.Entry {
	for _, e := range r.Entries() {
		return e
	}
	return wire.Entry{}
}

// verdicts are the violations, the checks and the lamps of each requirement.
func verdicts(r *observed.Report) map[string]string {
	out := map[string]string{}
	for _, row := range r.Rows {
		out[string(row.Requirement)] = fmt.Sprintf("%d/%d of %d", row.Violations, row.Times, row.Of)
	}
	return out
}

func TestARecordingIsJudged(t *testing.T) {
	discovery := exchange(0, "GET", "/.well-known/lamp", "", `{"colours":true}`)
	set := exchange(1, "PUT", "/lamps/a", "7", "")
	right := exchange(2, "GET", "/lamps/a", "", `{"bright":7,"colour":"red"}`)
	other := exchange(3, "GET", "/lamps/a", "", `{"bright":8,"colour":"red"}`)
	glaring := exchange(4, "GET", "/lamps/b", "", `{"bright":11,"colour":"red"}`)
	for _, c := range []struct {
		name    string
		alone   bool
		entries []wire.Entry
		want    map[string]string
	}{
		{"an honest host", true, []wire.Entry{discovery, set, right, right},
			map[string]string{"LAMP-1": "0/1 of 1", "LAMP-2": "0/1 of 1", "LAMP-3": "0/1 of 1"}},
		{"without its discovery document", true, []wire.Entry{set, right}, map[string]string{"LAMP-1": "0/1 of 1", "LAMP-2": "0/1 of 1"}},
		{"others may be at work", false, []wire.Entry{discovery, set, other}, map[string]string{"LAMP-1": "0/1 of 1", "LAMP-3": "0/1 of 1"}},
		{"nobody else is at work", true, []wire.Entry{discovery, set, other},
			map[string]string{"LAMP-1": "0/1 of 1", "LAMP-2": "1/1 of 1", "LAMP-3": "0/1 of 1"}},
		{"two lamps", false, []wire.Entry{right, glaring}, map[string]string{"LAMP-1": "1/2 of 2"}},
		{"in another order", true, []wire.Entry{right, discovery, set}, map[string]string{
			"LAMP-1": "0/1 of 1", "LAMP-2": "0/1 of 1", "LAMP-3": "0/1 of 1"}},
	} {
		all, err := observed.Read(fstest.MapFS{"recording-000001.json": {Data: transcript(t, c.entries...)}}, lamps)
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: %v, %d recordings", c.name, err, len(all))
		}
		report := observed.Judge{Protocol: lamps, Alone: c.alone}.Judge(all[0])
		if got := verdicts(report); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Two requests of one caller do not look like those of two.
func TestHeadersThatPassAreLeftOut(t *testing.T) {
	e := exchange(1, "PUT", "/lamps/a", "7", "")
	e.Request.Header = map[string]string{"Content-Length": "1", "traceparent": "00-1", "Sec-Fetch-Mode": "cors", "X-Api-Key": "<secret:1>"}
	all, err := observed.Read(fstest.MapFS{"a.json": {Data: transcript(t, e)}}, lamps)
	if err != nil {
		t.Fatal(err)
	}
	if got := first(all[0]).Request.Header; len(got) != 1 || got["X-Api-Key"] != "<secret:1>" {
		t.Errorf("left are %v", got)
	}
}

// An entry is found again where it stands, whatever its file is and wherever it comes in time.
func TestEntriesSayWhereTheyStand(t *testing.T) {
	all, err := observed.Read(fstest.MapFS{
		"b.json": {Data: transcript(t, exchange(3, "GET", "/lamps/a", "", ""), exchange(1, "GET", "/lamps/b", "", ""))},
		"c.har": {Data: []byte(`{"log":{"entries":[{"startedDateTime":"2026-11-29T12:00:02Z","time":1,
			"request":{"method":"GET","url":"http://lamps.example/lamps/c","headers":[]},"response":{"status":200,"headers":[],"content":{}}}]}}`)},
		"1/request.json": {Data: []byte(`{}`)}, "1/response.json": {Data: []byte(`{}`)},
	})
	if err != nil || len(all) != 2 {
		t.Fatalf("%v, %d recordings", err, len(all))
	}
	got := fmt.Sprint(all[0].Place(1), all[0].Place(2), all[0].Place(3), all[1].Place(1))
	if want := "b.json #2c.har #1b.json #11/request.json"; got != want {
		t.Errorf("they stand at %s, want %s", got, want)
	}
}

func TestAViolationSaysWhere(t *testing.T) {
	all, err := observed.Read(fstest.MapFS{"a.json": {Data: transcript(t,
		exchange(1, "GET", "/lamps/a", "", `{"bright":1}`), exchange(2, "GET", "/lamps/b", "", `{"bright":11}`))}}, lamps)
	if err != nil {
		t.Fatal(err)
	}
	row := observed.Judge{Protocol: lamps}.Judge(all[0]).Rows[0]
	first := row.First
	if first.Held || first.Of != "http://lamps.example/lamps/b" || first.Where.String() != "#2 /bright" || first.Actual != "11" {
		t.Errorf("the first violation is %+v", first)
	}
}

func TestAJudgeThatBreaksIsTold(t *testing.T) {
	all, err := observed.Read(fstest.MapFS{"a.json": {Data: transcript(t,
		exchange(1, "GET", "/lamps/a", "", `{"bright":1}`), exchange(2, "GET", "/lamps/a", "", `{"panic":true}`))}}, lamps)
	if err != nil {
		t.Fatal(err)
	}
	if r := (observed.Judge{Protocol: lamps}).Judge(all[0]); r.Panicked != "no such lamp" || len(r.Rows) != 1 {
		t.Errorf("%q, %v", r.Panicked, verdicts(r))
	}
}

func TestWhatCannotBeReadIsLeftOut(t *testing.T) {
	one, two := exchange(1, "GET", "/lamps/a", "", `{}`), exchange(2, "GET", "/lamps/b", "", `{}`)
	elsewhere := exchange(3, "GET", "/lamps/c", "", `{}`)
	elsewhere.Request.URL = "http://other.example/lamps/c"
	whole := transcript(t, one, two)
	odd := []byte(strings.Replace(string(whole), `"kind":"http"`, `"kind":"smoke"`, 1))
	typed := []byte(strings.Replace(string(whole), `"micros":1000`, `"micros":"long"`, 1))
	for name, c := range map[string]struct {
		files map[string][]byte
		want  []int // exchanges with each host
		left  string
	}{
		"two files of one recording":  {map[string][]byte{"1.json": transcript(t, one), "2.json": transcript(t, two)}, []int{2}, ""},
		"recorded twice":              {map[string][]byte{"1.json": whole, "2.json": whole}, []int{2}, ""},
		"two hosts":                   {map[string][]byte{"1.json": transcript(t, elsewhere, one, two)}, []int{2, 1}, ""},
		"cut off":                     {map[string][]byte{"1.json": whole[:len(whole)-100]}, []int{1}, "1.json: what stands behind byte"},
		"a kind that nobody knows":    {map[string][]byte{"1.json": odd}, []int{1}, "1.json: entry 1: the kind \"smoke\" is unknown"},
		"a member of another type":    {map[string][]byte{"1.json": typed}, []int{1}, "1.json: entry 1: json: cannot unmarshal"},
		"something else stands there": {map[string][]byte{"1.json": whole, "2.json": []byte(`[1,2]`)}, []int{2}, "2.json: it is no assay.transcript/1"},
	} {
		folder := fstest.MapFS{}
		for file, content := range c.files {
			folder[file] = &fstest.MapFile{Data: content}
		}
		all, err := observed.Read(folder, lamps)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []int
		for _, r := range all {
			got = append(got, r.Len())
		}
		if !slices.Equal(got, c.want) || strings.Join(all[0].Left, "\n") == "" != (c.left == "") ||
			!strings.HasPrefix(strings.Join(all[0].Left, "\n"), c.left) {
			t.Errorf("%s: %v exchanges, left out %q", name, got, all[0].Left)
		}
	}
	if _, err := observed.Read(fstest.MapFS{"a.json": {Data: []byte(`{}`)}}, lamps); err == nil || !strings.HasPrefix(err.Error(), "it holds no transcript") {
		t.Errorf("no transcript: %v", err)
	}
}

// Anybody may have written a recording.
func FuzzRecording(f *testing.F) {
	f.Add(transcript(f, exchange(1, "PUT", "/lamps/a", "3", ""), exchange(2, "GET", "/lamps/a", "", `{"bright":3}`)))
	f.Add([]byte(`{"schema":"assay.transcript/1","entries":[{"kind":"stream","chunks":[{"text":"data: {\n\n"}]},{}]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		all, err := observed.Read(fstest.MapFS{"a.json": {Data: content}}, lamps)
		if err != nil {
			return
		}
		for _, r := range all {
			if report := (observed.Judge{Protocol: lamps, Alone: true}).Judge(r); report.Exchanges == 0 {
				t.Error("a recording without an exchange")
			}
		}
	})
}
