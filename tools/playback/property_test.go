package playback_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/tools/playback"
)

// drawn is a request, as it is recorded and as a client sends it.
type drawn struct {
	method, path, sentPath, body, sentBody, caller, key, way string
}

var (
	drawnPaths = [][2]string{{"/runs", "/runs"}, {"/runs/1", "/runs/1"}, {"/runs?a=1&b=2", "/runs?b=2&a=1"}, {"/a%20b", "/%61%20b"},
		{"/runs/<secret:3>", "/runs/%3Csecret:3%3E"}}
	drawnBodies = [][2]string{{"", ""}, {`{"a":"x","n":1}`, ` {"n":1.0,"a":"\u0078"}`}, {`{"a":"y","n":1}`, `{"n":1e0,"a":"y"}`},
		{`{"a":"x","n":2}`, `{"a":"x","n":2}`}, {`["<secret:1>"]`, `["<secret:1>"]`}, {"plain", "plain"}}
)

func draw(t *rapid.T) drawn {
	path, body := rapid.SampledFrom(drawnPaths).Draw(t, "path"), rapid.SampledFrom(drawnBodies).Draw(t, "body")
	return drawn{
		method: rapid.SampledFrom([]string{"GET", "POST", "PUT"}).Draw(t, "method"),
		path:   path[0], sentPath: path[1], body: body[0], sentBody: body[1],
		caller: rapid.SampledFrom([]string{"", "<secret:1>", "<secret:2>"}).Draw(t, "caller"),
		key:    rapid.SampledFrom([]string{"", "", "k1", "k2"}).Draw(t, "key"),
		way:    rapid.SampledFrom([]string{"", "", "Last-Event-Id: 4", "Accept: text/event-stream"}).Draw(t, "way"),
	}
}

func (d drawn) headers(key func(string) string) (all []string) {
	if d.caller != "" {
		all = append(all, "Authorization: Bearer "+key(d.caller))
	}
	if d.key != "" {
		all = append(all, "Idempotency-Key: "+d.key)
	}
	if d.way != "" {
		all = append(all, d.way)
	}
	return all
}

// Who asks what was recorded gets what was recorded, in any interleaving that keeps the order of equal requests.
func TestPlayingBackARecording(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// The credentials are used first in the order in which they were recorded.
		entries := []wire.Entry{said("GET", "/me", "", "1", "Authorization: Bearer <secret:1>"),
			said("GET", "/me", "", "2", "Authorization: Bearer <secret:2>")}
		asks := rapid.SliceOfN(rapid.Custom(draw), 1, 60).Draw(t, "requests")
		want := map[drawn][]string{}
		for n, d := range asks {
			reply := fmt.Sprint("reply ", n)
			entries = append(entries, said(d.method, d.path, d.body, reply, d.headers(strings.Clone)...))
			want[d] = append(want[d], "200 "+reply)
		}
		h := playing(entries...)
		real := map[string]string{"<secret:1>": "key-of-ann", "<secret:2>": "key-of-ben"}
		if rapid.Bool().Draw(t, "as recorded") {
			real = map[string]string{"<secret:1>": "<secret:1>", "<secret:2>": "<secret:2>"}
		}
		for n, key := range []string{real["<secret:1>"], real["<secret:2>"]} {
			if got := answer(h, "GET", "/me", "", "Authorization: Bearer "+key); got != fmt.Sprint("200 ", n+1) {
				t.Fatalf("%s gets %s", key, got)
			}
		}
		last := map[drawn]string{}
		order := rapid.Permutation(asks).Draw(t, "order")
		for _, d := range order {
			got := answer(h, d.method, d.sentPath, d.sentBody, d.headers(func(placeholder string) string { return real[placeholder] })...)
			if got != want[d][0] {
				t.Fatalf("%+v gets %s, want %s", d, got, want[d][0])
			}
			want[d], last[d] = want[d][1:], got
		}
		r := h.Report()
		if r.AsRecorded != len(entries) || r.WithNotes+r.Left+r.Unkept > 0 || len(r.NeverAsked) > 0 {
			t.Fatalf("%+v", r)
		}
		// From then on reads get their last reply again, and writes none but those that come again under their key.
		for _, d := range slices.SortedFunc(maps.Keys(last), func(a, b drawn) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) {
			got := answer(h, d.method, d.sentPath, d.sentBody, d.headers(func(placeholder string) string { return real[placeholder] })...)
			if again := d.method == "GET" || d.key != ""; again && got != last[d] || !again && !strings.HasPrefix(got, "501 ") {
				t.Fatalf("%+v again gets %s, its last reply was %s", d, got, last[d])
			}
		}
	})
}

// Whatever a recording holds and whatever is asked, there is an answer, and the report counts it.
func TestHostileRecordings(t *testing.T) {
	piece := rapid.SampledFrom([]string{"", "/", "<secret:", "<secret:1>", "<secret:2>", ">", "%", "%2F", "?", "a", "a=b", "&", "\x00", "\n",
		"é", "\uFFFD", `{"a":`, `"x"`, "}", "[", "]", "1e999", "-0", "://", "http://", "host.example", ":", " ", "\xff"})
	text := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, "pieces"), "") })
	names := rapid.SampledFrom([]string{"Authorization", "Accept", "Idempotency-Key", "Last-Event-ID", "Location", "a b", "", "Cookie"})
	header := rapid.MapOfN(names, text, 0, 3)
	one := func(t *rapid.T, of ...string) string { return rapid.SampledFrom(of).Draw(t, "one") }
	status := rapid.SampledFrom([]int{0, 99, 101, 200, 204, 304, 500, 999, 1000})
	entry := rapid.Custom(func(t *rapid.T) wire.Entry {
		e := wire.Entry{Kind: one(t, "http", "stream"), Micros: rapid.Int64().Draw(t, "micros"), Error: one(t, "", "", "", "not kept")}
		e.Request = &wire.Request{Method: one(t, "GET", "POST", "", "HEAD"), URL: origin + text.Draw(t, "url"), Body: text.Draw(t, "body"),
			Header: header.Draw(t, "asked")}
		if rapid.Bool().Draw(t, "reply") {
			e.Response = &wire.Response{Status: status.Draw(t, "status"), Body: text.Draw(t, "reply body"), Header: header.Draw(t, "told")}
		}
		if e.Kind == "stream" {
			e.Chunks = []wire.Chunk{{Micros: rapid.Int64().Draw(t, "chunk"), Text: text.Draw(t, "chunk text")}}
		}
		return e
	})
	rapid.Check(t, func(t *rapid.T) {
		entries := rapid.SliceOfN(entry, 0, 20).Draw(t, "entries")
		h := playback.New(playback.Options{Origin: origin, Entries: entries, Prefix: one(t, "", "/a")})
		n := rapid.IntRange(1, 20).Draw(t, "requests")
		for range n {
			r := httptest.NewRequest(one(t, "GET", "POST", "HEAD"), "/", strings.NewReader(text.Draw(t, "body")))
			r.URL.Path, r.URL.RawPath, r.URL.RawQuery = "/"+text.Draw(t, "path"), text.Draw(t, "raw path"), text.Draw(t, "query")
			for name, value := range header.Draw(t, "headers") {
				r.Header[http.CanonicalHeaderKey(name)] = []string{value}
			}
			func() {
				defer func() {
					if failed := recover(); failed != nil && failed != http.ErrAbortHandler {
						panic(failed)
					}
				}()
				h.ServeHTTP(httptest.NewRecorder(), r)
			}()
		}
		r := h.Report()
		if r.Asked != n || r.AsRecorded+r.WithNotes+r.Left+r.Unkept != n || r.String() == "" {
			t.Fatalf("%d requests: %+v", n, r)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Fatal(err)
		}
	})
}
