package playback_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/tools/playback"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		os.Exit(code)
	}))
}

const origin = "http://host.example"

// said is an exchange of a recording. headers are NAME: VALUE.
func said(method, path, body, reply string, headers ...string) wire.Entry {
	e := wire.Entry{
		Kind: "http", Request: &wire.Request{Method: method, URL: origin + path, Body: body, Header: map[string]string{}},
		Response: &wire.Response{Status: http.StatusOK, Body: reply, Header: map[string]string{"Content-Type": "application/json"}},
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		e.Request.Header[name] = value
	}
	return e
}

func with(e wire.Entry, change func(*wire.Entry)) wire.Entry {
	change(&e)
	return e
}

func playing(entries ...wire.Entry) *playback.Host {
	return playback.New(playback.Options{Origin: origin, Entries: entries})
}

func request(method, path, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	return r
}

// answer is the status of a reply and its body.
func answer(h http.Handler, method, path, body string, headers ...string) string {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, request(method, path, body, headers...))
	return fmt.Sprint(w.Code, " ", w.Body)
}

// expect asks for one thing after another, and compares the replies. 501 stands for any refusal.
func expect(t *testing.T, h *playback.Host, steps ...[]string) {
	t.Helper()
	for _, s := range steps {
		got := answer(h, s[1], s[2], s[3], s[4:]...)
		if s[0] == "501" {
			got = got[:3]
		}
		if got != s[0] {
			t.Errorf("%s answers %s, want %s", s[1:], got, s[0])
		}
	}
}

// counts are those of a report: as recorded, with notes, left, unkept.
func counts(r playback.Report) [4]int { return [4]int{r.AsRecorded, r.WithNotes, r.Left, r.Unkept} }

// sayings are the notes of a report.
func sayings(r playback.Report) (all []string) {
	for _, n := range r.Notes {
		all = append(all, n.Says...)
	}
	return all
}

func TestEqualRequestsAreAnsweredInTheirOrder(t *testing.T) {
	h := playing(said("GET", "/runs/1", "", "running"), said("POST", "/runs", `{"a":1}`, "first"), said("GET", "/runs/1", "", "done"),
		said("POST", "/runs", `{"a":1}`, "second"))
	expect(t, h,
		[]string{"200 running", "GET", "/runs/1", ""}, []string{"200 done", "GET", "/runs/1", ""}, []string{"200 done", "GET", "/runs/1", ""},
		[]string{"200 first", "POST", "/runs", `{"a":1}`}, []string{"200 second", "POST", "/runs", `{"a":1}`},
		[]string{"501", "POST", "/runs", `{"a":1}`}, []string{"501", "HEAD", "/runs/1", ""})
	r := h.Report()
	if counts(r) != [4]int{5, 0, 2, 0} || len(r.NeverAsked) != 0 || r.Asked != 7 {
		t.Errorf("%+v", r)
	}
	want := []playback.Near{{Method: "POST", Path: "/runs", Why: "recorded 2 times, and asked as often"}}
	if diff := cmp.Diff(want, r.LeftRequests[0].Nearest); diff != "" {
		t.Error(diff)
	}
}

func TestRequestsAreComparedByWhatTheyMean(t *testing.T) {
	h := playing(said("GET", "/a%20b?x=1&y=2%3D&x=0", "", "query"), said("POST", "/json", `{"a":1,"b":["é"],"c":1e2}`, "json"),
		said("POST", "/form", "b=2&a=1", "form", "Content-Type: application/x-www-form-urlencoded"),
		said("POST", "/text", "b=2&a=1", "text"), said("GET", "", "", "root"), said("POST", "/large", `{"n":12345678901234567890}`, "large"))
	expect(t, h,
		[]string{"200 query", "GET", "/a%20%62?y=2%3d&x=0&x=1", ""},
		[]string{"200 json", "POST", "/json", ` {"c":100.0, "b":["\u00e9"], "a":1.0} `},
		[]string{"200 form", "POST", "/form", "a=1&b=2", "Content-Type: application/x-www-form-urlencoded; charset=utf-8"},
		[]string{"501", "POST", "/text", "a=1&b=2"}, []string{"200 root", "GET", "/", ""},
		[]string{"501", "POST", "/large", `{"n":12345678901234567891}`}, []string{"501", "GET", "/a%2520b?x=1&y=2%3D&x=0", ""},
		[]string{"501", "GET", "/a%20b?x=1&y=2%3D", ""})
}

func TestStringsMayDiffer(t *testing.T) {
	h := playing(said("POST", "/runs", `{"in":{"a/b":"snow","n":1},"id":"x"}`, "snow"),
		said("POST", "/runs", `{"in":{"a/b":"rain","n":1},"id":"y"}`, "rain"), said("PUT", "/n", `{"n":1}`, "number"),
		said("PUT", "/text", "some words", "text"))
	expect(t, h,
		[]string{"200 rain", "POST", "/runs", `{"in":{"a/b":"rain","n":1},"id":"mine"}`}, // the one that differs least
		[]string{"200 snow", "POST", "/runs", `{"in":{"a/b":"sun","n":1},"id":"other"}`},
		[]string{"501", "POST", "/runs", `{"in":{"a/b":"sun","n":1},"id":"other"}`}, // both were asked
		[]string{"501", "PUT", "/n", `{"n":2}`}, []string{"501", "PUT", "/n", `{"n":1,"m":"x"}`}, []string{"501", "PUT", "/text", "other words"})
	r := h.Report()
	want := []string{`differs at /id: recorded "y", sent "mine"`, `differs at /id: recorded "x", sent "other"`,
		`differs at /in/a~1b: recorded "snow", sent "sun"`}
	if diff := cmp.Diff(want, sayings(r)); diff != "" || counts(r) != [4]int{0, 2, 4, 0} {
		t.Errorf("%v: %s", counts(r), diff)
	}
}

// A body that was recorded, and was asked as often, is not taken for another one.
func TestAnEqualRequestThatIsUsedUpIsLeft(t *testing.T) {
	h := playing(said("POST", "/runs", `{"id":"a"}`, "a"), said("POST", "/runs", `{"id":"b"}`, "b"))
	expect(t, h, []string{"200 a", "POST", "/runs", `{"id":"a"}`}, []string{"501", "POST", "/runs", `{"id":"a"}`},
		[]string{"200 b", "POST", "/runs", `{"id":"b"}`})
}

func TestCredentialsStandForThoseRecorded(t *testing.T) {
	entries := []wire.Entry{
		said("GET", "/me", "", "ann", "Authorization: Bearer <secret:1>"), said("GET", "/me", "", "ben", "Authorization: Bearer <secret:2>"),
		said("GET", "/me", "", "nobody"), said("POST", "/login", `{"key":"<secret:1>","again":"<secret:1>"}`, `{"token":"<secret:3>"}`),
		said("GET", "/me", "", "by token", "Authorization: Bearer <secret:3>"), said("GET", "/open/<secret:3>", "", "open"),
		said("GET", "/page?token=<secret:1>&n=1", "", "page"),
		said("GET", "/short", "", "short", "X-Api-Key: <secret>"),
		said("GET", "/odd", "", "odd", "X-Tenant: <secret:9>"),
	}
	h := playing(entries...)
	expect(t, h,
		[]string{"200 ann", "GET", "/me", "", "Authorization: Bearer key-of-ann"}, []string{"200 nobody", "GET", "/me", ""},
		[]string{"200 ben", "GET", "/me", "", "Authorization: Bearer key-of-ben"},
		[]string{"200 ann", "GET", "/me", "", "Authorization: Bearer key-of-ann"},
		[]string{"501", "GET", "/me", "", "Authorization: Basic key-of-ann"}, []string{"501", "GET", "/me", "", "X-Api-Key: key-of-ann"},
		[]string{"200 {\"token\":\"<secret:3>\"}", "POST", "/login", `{"key":"key-of-ann","again":"key-of-ann"}`},
		[]string{"200 by token", "GET", "/me", "", "Authorization: Bearer <secret:3>"},
		[]string{"200 open", "GET", "/open/%3Csecret%3A3%3E", ""}, []string{"200 page", "GET", "/page?n=1&token=key-of-ann", ""},
		[]string{"501", "GET", "/page?n=1&token=key-of-ben", ""}, []string{"200 short", "GET", "/short", "", "X-Api-Key: k"},
		[]string{"501", "GET", "/short", ""}, []string{"200 odd", "GET", "/odd", "", "X-Tenant: seven"}, []string{"501", "GET", "/odd", ""})
	if r := h.Report(); r.WithNotes != 0 || r.AsRecorded != 10 {
		t.Errorf("%+v", r)
	}
	h = playing(entries...)
	expect(t, h, []string{"200 {\"token\":\"<secret:3>\"}", "POST", "/login", `{"key":"one","again":"another"}`})
	if diff := cmp.Diff([]string{`differs at /key: recorded "<secret:1>", sent "one"`}, sayings(h.Report())); diff != "" {
		t.Error(diff)
	}
}

// What a browser exports does not say who asked.
func TestAnArchiveSaysNotWhoAsks(t *testing.T) {
	e := said("GET", "/me", "", "somebody", "Caller: unknown a.har 1")
	h := playing(e, said("GET", "/me", "", "later", "Caller: unknown a.har 2"))
	expect(t, h, []string{"200 somebody", "GET", "/me", "", "Authorization: Bearer any"}, []string{"200 later", "GET", "/me", ""},
		[]string{"200 later", "GET", "/me", ""})
}

func TestIdempotencyKeysAreTheClients(t *testing.T) {
	const body = `{"a":1}`
	entries := []wire.Entry{said("POST", "/runs", body, "one", "Idempotency-Key: k1"),
		said("POST", "/runs", body, "one again", "Idempotency-Key: k1"),
		said("POST", "/runs", body, "two", "Idempotency-Key: k2"), said("POST", "/runs", body, "three")}
	h := playing(entries...)
	expect(t, h,
		[]string{"200 one", "POST", "/runs", body, "Idempotency-Key: mine"}, []string{"200 two", "POST", "/runs", body, "Idempotency-Key: k2"},
		[]string{"200 one again", "POST", "/runs", body, "Idempotency-Key: mine"},
		[]string{"200 one again", "POST", "/runs", body, "Idempotency-Key: mine"}, // as a host does
		[]string{"501", "POST", "/runs", `{"a":2}`, "Idempotency-Key: mine"},
		[]string{"200 three", "POST", "/runs", body}, []string{"501", "POST", "/runs", body},
		[]string{"501", "POST", "/runs", body, "Idempotency-Key: more"})
	if r := h.Report(); counts(r) != [4]int{4, 1, 3, 0} ||
		sayings(r)[0] != "sent again under its Idempotency-Key: the reply is given again" {
		t.Errorf("%+v", r)
	}
	h = playing(entries[:1]...)
	expect(t, h, []string{"200 one", "POST", "/runs", body})
	if got := sayings(h.Report()); len(got) != 1 || got[0] != "sent without Idempotency-Key, and recorded with one" {
		t.Error(got)
	}
}

func stream(path, head string, micros int64, chunks ...string) wire.Entry {
	e := said("GET", path, "", "", "Accept: text/event-stream")
	if head != "" {
		name, value, _ := strings.Cut(head, ": ")
		e.Request.Header[name] = value
	}
	e.Kind, e.Micros, e.Response.Header = "stream", micros, map[string]string{"Content-Type": "text/event-stream"}
	for i, text := range chunks {
		e.Chunks = append(e.Chunks, wire.Chunk{Micros: int64(i+1) * 1_000_000, Text: text})
	}
	return e
}

func TestStreamsAreAskedForAsRecorded(t *testing.T) {
	h := playing(said("GET", "/events", "", "[]"), stream("/events", "", 5, "id: 1\n\n", "id: 2\n\n"),
		stream("/events", "Last-Event-ID: 2", 5, "id: 3\n\n"))
	const sse = "Accept: text/event-stream"
	expect(t, h, []string{"200 []", "GET", "/events", ""}, []string{"200 id: 1\n\nid: 2\n\n", "GET", "/events", "", sse},
		[]string{"200 id: 3\n\n", "GET", "/events", "", "Last-Event-ID: 2", sse}, []string{"501", "GET", "/events", "", "Last-Event-ID: 1", sse})
	left := h.Report().LeftRequests[0]
	want := []playback.Near{{Method: "GET", Path: "/events", Why: "recorded without such headers"},
		{Method: "GET", Path: "/events", Why: "recorded with Accept: text/event-stream"},
		{Method: "GET", Path: "/events", Why: "recorded with Accept: text/event-stream, Last-Event-Id: 2"}}
	if diff := cmp.Diff(want, left.Nearest); diff != "" || left.With != "Accept: text/event-stream, Last-Event-Id: 1" {
		t.Error(left.With, diff)
	}
}

// timed notes when each part of a reply came.
type timed struct {
	*httptest.ResponseRecorder
	began time.Time
	parts []string
}

func (w *timed) Write(b []byte) (int, error) { return w.WriteString(string(b)) }

func (w *timed) WriteString(s string) (int, error) {
	w.parts = append(w.parts, fmt.Sprint(time.Since(w.began), " ", s))
	return w.ResponseRecorder.WriteString(s)
}

func TestPace(t *testing.T) {
	for pace, want := range map[float64]string{0: "[0s one 0s two] 0s", 1: "[1s one 2s two] 5s", 0.5: "[500ms one 1s two] 2.5s"} {
		synctest.Test(t, func(t *testing.T) {
			slow := with(said("GET", "/slow", "", "slow"), func(e *wire.Entry) { e.Micros = 3_000_000 })
			h := playback.New(playback.Options{Pace: pace, Origin: origin, Entries: []wire.Entry{
				stream("/events", "", 5_000_000, "one", "two"), slow}})
			w := &timed{httptest.NewRecorder(), time.Now(), nil}
			h.ServeHTTP(w, request("GET", "/events", "", "Accept: text/event-stream"))
			if got := fmt.Sprint(w.parts, time.Since(w.began)); got != want {
				t.Errorf("pace %v: %s, want %s", pace, got, want)
			}
			w = &timed{httptest.NewRecorder(), time.Now(), nil}
			h.ServeHTTP(w, request("GET", "/slow", ""))
			if got, want := w.parts[0], fmt.Sprint(time.Duration(3*pace*float64(time.Second)), " slow"); got != want {
				t.Errorf("pace %v: %s, want %s", pace, got, want)
			}
		})
	}
}

// A client that leaves, or a host that is stopped, ends a wait.
func TestAWaitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := playback.New(playback.Options{Pace: 1, Origin: origin, Entries: []wire.Entry{
			stream("/events", "", 5_000_000, "one", "two")}})
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		w := &timed{httptest.NewRecorder(), time.Now(), nil}
		h.ServeHTTP(w, request("GET", "/events", "", "Accept: text/event-stream").WithContext(ctx))
		if got := fmt.Sprint(w.parts, time.Since(w.began)); got != "[1s one] 1.5s" {
			t.Error(got)
		}
	})
}

func TestRepliesThatWereNotKept(t *testing.T) {
	unread := said("POST", "/large", "", "taken")
	unread.Error = "a body is larger than 1048576 bytes, and was not kept"
	broken := func(change func(*wire.Entry)) wire.Entry { return with(said("GET", "/x", "", ""), change) }
	status := func(n int) wire.Entry { return broken(func(e *wire.Entry) { e.Response.Status = n }) }
	for name, c := range map[string]struct {
		entry wire.Entry
		sent  string
		why   string
	}{
		"a reply that is too large":       {broken(func(e *wire.Entry) { e.Error = "a body is larger" }), "", "a body is larger"},
		"a request that is too large":     {unread, strings.Repeat("x", 1<<20+1), unread.Error},
		"a request that was not kept":     {unread, `{"some":"body"}`, unread.Error},
		"no answer":                       {broken(func(e *wire.Entry) { e.Response, e.Error = nil, "no answer: gone" }), "", "no answer: gone"},
		"nothing":                         {broken(func(e *wire.Entry) { e.Response = nil }), "", "the recording has no reply"},
		"bytes":                           {said("GET", "/x", "", "a\uFFFDb"), "", "the reply is not UTF-8"},
		"a status that ends no reply":     {status(103), "", "with status 103"},
		"a status that does not exist":    {status(-1), "", "with status -1"},
		"a status that nobody can answer": {status(1000), "", "with status 1000"},
	} {
		h := playing(c.entry)
		got := answer(h, c.entry.Request.Method, strings.TrimPrefix(c.entry.Request.URL, origin), c.sent)
		if !strings.HasPrefix(got, `501 {"error":"left_out_of_recording"`) || !strings.Contains(got, c.why) {
			t.Errorf("%s: %s", name, got)
		}
		if r := h.Report(); counts(r) != [4]int{0, 0, 0, 1} || !strings.Contains(r.UnkeptRequests[0].Says[0], c.why) || len(r.NeverAsked) != 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// A stream is played as far as it was kept, and then breaks off.
func TestAStreamThatWasNotKeptWhole(t *testing.T) {
	e := stream("/events", "", 5, "id: 1\n\n")
	e.Error = "more of the stream was not kept: it is too long"
	server := httptest.NewServer(playing(e))
	defer server.Close()
	r := request("GET", server.URL+"/events", "", "Accept: text/event-stream")
	r.RequestURI = ""
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if got, err := io.ReadAll(reply.Body); string(got) != "id: 1\n\n" || err == nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestReplyHeaders(t *testing.T) {
	e := said("POST", "/api/runs", "", "made")
	e.Response = &wire.Response{Status: 201, Body: "made", Header: map[string]string{
		"Location": origin + "/api/runs/1", "content-length": "999", "Content-Encoding": "gzip", "Transfer-Encoding": "chunked",
		"Date": "Sun, 29 Nov 2026 12:00:00 GMT", "Etag": `"7"`, "Connection": "close", "X-Lines": "a\r\nSet-Cookie: b", "Bad Name": "x"}}
	h := playback.New(playback.Options{Prefix: "/api/", Origin: origin, Entries: []wire.Entry{
		e, said("GET", "/apis", "", "outside"), said("GET", "/api?x=1", "", "root")}})
	server := httptest.NewServer(h)
	defer server.Close()
	reply, err := http.Post(server.URL+"/runs", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(reply.Body)
	_ = reply.Body.Close()
	want := http.Header{"Location": {"/runs/1"}, "Content-Length": {"4"}, "Date": {"Sun, 29 Nov 2026 12:00:00 GMT"}, "Etag": {`"7"`},
		"X-Lines": {"a  Set-Cookie: b"}}
	if diff := cmp.Diff(want, reply.Header); diff != "" || string(got) != "made" || err != nil || reply.StatusCode != 201 {
		t.Errorf("%d %s, %v: %s", reply.StatusCode, got, err, diff)
	}
	expect(t, h, []string{"200 root", "GET", "/?x=1", ""}, []string{"501", "GET", "/apis", ""})
	if r := h.Report(); r.Exchanges != 2 {
		t.Errorf("%d exchanges are below the prefix", r.Exchanges)
	}
}

func TestWhatIsSaidOfRequestsThatLeave(t *testing.T) {
	var log strings.Builder
	const key = "Authorization: Bearer <secret:1>"
	entries := []wire.Entry{said("GET", "/v1/runs/1/events", "", ""), said("GET", "/v1/runs/1", "", "", key),
		said("PUT", "/v1/runs/2", "", ""), said("GET", "/v1/runs/1?full=1", "", "", key), said("GET", "/v1/goals/1", "", "")}
	h := playback.New(playback.Options{Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Origin: origin, Entries: entries})
	for range 3 {
		answer(h, "GET", "/v1/runs/2", "")
	}
	answer(h, "GET", "/v1/runs/1", "")
	answer(h, "GET", "/elsewhere", "")
	got := answer(h, "GET", "/v1/runs/1?api_key=very-secret-key", "", "Authorization: Bearer another-secret")
	if want := `501 {"error":"not_in_recording","message":"the recording has no such request, or not so often: this reply is of assay simhost ` +
		`--recorded","method":"GET","path":"/v1/runs/1?api_key=\u003csecret:`; !strings.HasPrefix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	var paths []string
	for _, q := range h.Report().LeftRequests {
		line := fmt.Sprint(q.Times, " ", q.Method, " ", q.Path)
		for _, n := range q.Nearest {
			line += fmt.Sprintf("; %s %s: %s", n.Method, n.Path, n.Why)
		}
		paths = append(paths, line)
	}
	want := []string{
		"3 GET /v1/runs/2; GET /v1/runs/1: another path; GET /v1/runs/1?full=1: another path; GET /v1/goals/1: another path",
		"1 GET /v1/runs/1; GET /v1/runs/1: another credential; GET /v1/runs/1?full=1: another query; GET /v1/goals/1: another path",
		"1 GET /elsewhere",
		"1 GET /v1/runs/1?api_key=<secret:2>; GET /v1/runs/1: another query; GET /v1/runs/1?full=1: another query; GET /v1/goals/1: another path",
	}
	for i := range paths {
		paths[i] = strings.ReplaceAll(paths[i], "<secret:1>", "<secret:2>") // a request has its credentials in any order
	}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Error(diff)
	}
	if strings.Count(log.String(), "not in the recording") != 4 || strings.Contains(log.String()+h.Report().String(), "very-secret") {
		t.Errorf("the log says %s", &log)
	}
}

// What a recording and a client say reaches no terminal as it is.
func TestReportsAreHarmless(t *testing.T) {
	const escape = "\x1b[2J"
	h := playing(said("GET"+escape, "/%1B[2J/a", "", ""), said("POST", "/%1B[2J/b", `{"a":"`+`\u001b[2J`+`"}`, ""),
		with(said("GET", "/broken", "", ""), func(e *wire.Entry) { e.Error = escape }))
	answer(h, "POST", "/%1B[2J/c", "", "Last-Event-ID: "+escape)
	answer(h, "POST", "/%1B[2J/b", `{"a":"\u001b[3J"}`)
	answer(h, "GET", "/broken", "")
	if r := h.Report(); counts(r) != [4]int{0, 1, 1, 1} || strings.Contains(r.String(), "\x1b") || strings.Count(r.String(), `\x1b`) < 6 {
		t.Errorf("%v: %q", counts(r), r)
	}
}

func TestReportsAreBounded(t *testing.T) {
	h := playing(said("GET", "/", "", ""))
	for n := range 1200 {
		answer(h, "GET", fmt.Sprint("/", n), "")
	}
	r := h.Report()
	if r.Left != 1200 || len(r.LeftRequests) != 1000 || r.Unlisted != 200 {
		t.Errorf("%d left, %d listed, %d not", r.Left, len(r.LeftRequests), r.Unlisted)
	}
	if lines := strings.Count(r.String(), "\n"); lines > 40 || !strings.Contains(r.String(), "  and 980 more\n") {
		t.Errorf("%d lines:\n%s", lines, r)
	}
}

func TestManyClients(t *testing.T) {
	var entries []wire.Entry
	for n := range 400 {
		entries = append(entries, said("POST", "/runs", `{"a":"b"}`, fmt.Sprint("run ", n)), said("GET", fmt.Sprint("/runs/", n), "", "run"))
	}
	h := playing(entries...)
	var clients sync.WaitGroup
	var mu sync.Mutex
	got := map[string]bool{}
	for c := range 8 {
		clients.Go(func() {
			for n := range 50 {
				reply := answer(h, "POST", "/runs", `{"a":"b"}`)
				mu.Lock()
				got[reply] = true
				mu.Unlock()
				answer(h, "GET", fmt.Sprint("/runs/", c*50+n), "")
				answer(h, "GET", "/none", "")
				h.Report()
			}
		})
	}
	clients.Wait()
	if r := h.Report(); len(got) != 400 || counts(r) != [4]int{800, 0, 400, 0} || len(r.NeverAsked) != 0 {
		t.Errorf("%d different replies, %v", len(got), counts(r))
	}
}
