package observed_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/observed"
)

// archive is an archive of HTTP with these entries.
func archive(entries ...string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(`{"log":{"version":"1.2","entries":[` + strings.Join(entries, ",") + `]}}`)}
}

// harExchange is an exchange with a lamp's host as a browser writes it down.
func harExchange(after int, method, path, sent, got, headers string) string {
	return fmt.Sprintf(`{"startedDateTime":"2026-11-29T12:00:%02d.000+00:00","time":1.5,
		"request":{"method":%q,"url":"http://lamps.example%s","headers":[{"name":":path","value":"/"}%s],"postData":{"text":%q}},
		"response":{"status":200,"headers":[{"name":"content-type","value":"application/json"},{"name":"content-encoding","value":"gzip"}],
			"content":{"size":%d,"text":%q}}}`, after, method, path, headers, sent, len(got), got)
}

func TestAnArchiveIsJudged(t *testing.T) {
	const key = `,{"name":"Authorization","value":"Bearer a-key-of-the-lamps"}`
	all, err := observed.Read(fstest.MapFS{"traffic.har": archive(
		harExchange(1, "PUT", "/lamps/a", "7", "", key), harExchange(2, "GET", "/lamps/a", "", `{"bright":8}`, key))}, lamps)
	if err != nil || len(all) != 1 || len(all[0].Left) > 0 {
		t.Fatalf("%v, %+v", err, all)
	}
	first := first(all[0])
	if !first.At.Equal(noon.Add(time.Second)) || first.Micros != 1500 || first.Request.Header["Authorization"] != "Bearer <secret:1>" ||
		first.Request.Body != "7" || first.Response.Status != 200 {
		t.Errorf("the first entry is %+v, %+v", first, first.Request)
	}
	report := observed.Judge{Protocol: lamps, Alone: true}.Judge(all[0])
	if got := verdicts(report); fmt.Sprint(got) != "map[LAMP-1:0/1 of 1 LAMP-2:1/1 of 1]" {
		t.Errorf("it says %v", got)
	}
}

// Two archives without credentials are of nobody knows whom; a key for another host says nothing of who asks this one.
func TestCallersOfTwoArchives(t *testing.T) {
	elsewhere := strings.Replace(harExchange(2, "GET", "/t", "", `{}`, `,{"name":"Authorization","value":"Bearer a-key-of-others"}`),
		"lamps.example", "others.example", 1)
	all, err := observed.Read(fstest.MapFS{"a.har": archive(harExchange(1, "PUT", "/lamps/a", "7", "", ""), elsewhere),
		"b.har": archive(harExchange(3, "PUT", "/lamps/a", "8", "", ""))})
	if err != nil || len(all) != 2 || all[0].Len() != 2 {
		t.Fatalf("%v, %+v", err, all)
	}
	if a, b := all[0].All()[0].Request.Header["Caller"], all[0].All()[1].Request.Header["Caller"]; a == "" || a == b {
		t.Errorf("the two requests look like those of one caller: %q, %q", a, b)
	}
}

// A browser leaves credentials out.
func TestAnArchiveWithoutCredentials(t *testing.T) {
	all, err := observed.Read(fstest.MapFS{"traffic.har": archive(
		harExchange(1, "PUT", "/lamps/a", "7", "", ""), harExchange(2, "GET", "/lamps/a", "", `{"bright":8}`, `,{"name":"If-Match","value":"3"}`))})
	if err != nil || len(all) != 1 || len(all[0].Left) != 1 || !strings.Contains(all[0].Left[0], "who asked is not judged") {
		t.Fatalf("%v, %+v", err, all)
	}
	if !observed.CallerUnknown(all[0].All()[0].Request) {
		t.Error("the archive seems to say who asked")
	}
	if a, b := all[0].All()[0].Request.Header, all[0].All()[1].Request.Header; a["Caller"] == b["Caller"] || b["If-Match"] != "3" {
		t.Errorf("the two requests look like those of one caller: %v, %v", a, b)
	}
}

func TestWhatAnArchiveLacks(t *testing.T) {
	for name, c := range map[string]struct{ entry, left string }{
		"no archive":      {`{`, "it is no archive of HTTP"},
		"a malformed URL": {strings.Replace(harExchange(1, "GET", "/", "", "{}", ""), "http://lamps", "http://[lamps", 1), "exchange 1: parse"},
		"a body that was not kept": {strings.Replace(harExchange(1, "GET", "/", "", "", ""), `"size":0`, `"size":7`, 1),
			"exchange 1: the archive does not have all of its reply"},
		"a body that was cut": {strings.Replace(harExchange(1, "GET", "/", "", "{}", ""), `"size":2`, `"size":7`, 1),
			"exchange 1: the archive does not have all of its reply"},
		"a stream": {strings.Replace(harExchange(1, "GET", "/", "", "data: {}", ""), "application/json", "text/event-stream", 1),
			"exchange 1: it is a stream, and an archive does not say whether it has all of it"},
		"what is no base64": {strings.Replace(harExchange(1, "GET", "/", "", "{}", ""), `"size"`, `"encoding":"base64","size"`, 1),
			"exchange 1: its body: illegal base64"},
	} {
		all, err := observed.Read(fstest.MapFS{"a.har": archive(c.entry), "1.json": {Data: transcript(t, exchange(1, "GET", "/lamps/a", "", `{}`))}})
		if err != nil || len(all) != 1 || !strings.HasPrefix(strings.TrimPrefix(all[0].Left[0], "a.har: "), c.left) {
			t.Errorf("%s: %v, %+v", name, err, all)
		}
	}
}

// The requests and answers of a plugin, in files with one stem or in folders of their own.
func TestJobsAreRead(t *testing.T) {
	at := func(after int, content string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(content), ModTime: noon.Add(time.Duration(after) * time.Second)}
	}
	all, err := observed.Read(fstest.MapFS{
		"2.request.json": at(2, "two"), "2.response.json": at(3, "second"), "2.exit": at(3, "7\n"),
		"one/request.json": at(1, "one"), "one/response.json": at(1, "first"),
		"3.request.json": at(4, "three"), "5.request.json": at(6, "five"), "5.response.json": at(6, ""), "5.exit": at(6, "137"),
		"4.request.json": at(5, "four"), "4.response.json": at(5, "fourth"), "4.exit": at(5, "well"),
	})
	if err != nil || len(all) != 1 || !all[0].Program || all[0].Origin != "a plugin" {
		t.Fatalf("%v, %+v", err, all)
	}
	var got []string
	for _, e := range all[0].Entries() {
		exit := "none, "
		if e.Process.Exit != nil {
			exit = strconv.Itoa(*e.Process.Exit)
		}
		got = append(got, fmt.Sprintf("%s > %s %s%s", e.Process.Input, e.Process.Output, exit, e.Process.Ended))
	}
	const unknown = "its exit code was not recorded"
	turns := []string{"one > first 0" + unknown, "two > second 7", "four > fourth 0" + unknown, "five >  none, signal: 9"}
	if want := turns; !slices.Equal(got, want) {
		t.Errorf("the turns are %q, want %q", got, want)
	}
	want := []string{"3.request.json: its answer, 3.response.json, is not there", "4.exit: it holds no exit code"}
	if !slices.Equal(all[0].Left, want) {
		t.Errorf("left out is %q, want %q", all[0].Left, want)
	}
}

// Events are put together by the protocol that they are read with.
func TestLogsAreRead(t *testing.T) {
	logged := *lamps
	logged.Logged = &scenarios.EventLog{Before: `{"bright":11,"of":[`, After: "]}", Path: func(event []byte) string {
		var e struct{ Lamp string }
		if json.Unmarshal(event, &e) != nil {
			return ""
		}
		return "/lamps/" + e.Lamp
	}}
	all, err := observed.Read(fstest.MapFS{
		"a.ndjson": {Data: []byte(`{"lamp":"a","bright":3}` + "\n\n{\"lamp\":\n" + `{"lamp":"a","bright":11}` + "\n" +
			`{"lamp":"a","bright":11}` + "\n")},
		"b.events.json": {Data: []byte(`[{"lamp":"b","bright":4}, {"lamp":"c"}]`)},
	}, &logged, lamps)
	if err != nil || len(all) != 2 || all[0].Events != 2 || all[1].Events != 2 || len(all[1].Left) > 0 {
		t.Fatalf("%v, %+v", err, all)
	}
	if want := []string{"a.ndjson: line 3 is no JSON"}; !slices.Equal(all[0].Left, want) {
		t.Errorf("left out is %q, want %q", all[0].Left, want)
	}
	report := observed.Judge{Protocol: &logged}.Judge(all[0])
	if got := verdicts(report); report.Events != 2 || got["LAMP-1"] != "1/1 of 1" {
		t.Errorf("%d events: %v", report.Events, got)
	}
	if got := verdicts(observed.Judge{Protocol: &logged}.Judge(all[1])); got["LAMP-1"] != "2/2 of 2" {
		t.Errorf("two logs: %v", got)
	}
	if got := verdicts(observed.Judge{Protocol: lamps}.Judge(all[0])); len(got) > 0 {
		t.Errorf("a protocol whose events say nothing alone says %v", got)
	}
}

// Anybody may have written an archive.
func FuzzArchive(f *testing.F) {
	f.Add(archive(harExchange(1, "PUT", "/lamps/a", "7", "", ""), harExchange(2, "GET", "/lamps/a", "", `{"bright":8}`, "")).Data)
	f.Fuzz(func(_ *testing.T, content []byte) {
		all, err := observed.Read(fstest.MapFS{"a.har": {Data: content}})
		if err != nil {
			return
		}
		for _, r := range all {
			observed.Judge{Protocol: lamps}.Judge(r)
		}
	})
}
