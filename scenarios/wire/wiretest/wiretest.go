// Package wiretest mints wire values from documents that a test writes by
// hand, so that judges can be tested without a host.
package wiretest

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// Reply is a reply that could have come from a host.
type Reply struct {
	Status int
	Body   any // marshalled; a string is taken as the raw body
}

// Transcript records replies as exchanges 1, 2, ….
func Transcript(t testing.TB, drive string, replies ...Reply) *wire.Transcript {
	t.Helper()
	out := &wire.Transcript{Drive: drive}
	for _, r := range replies {
		body, raw := r.Body.(string)
		if !raw {
			b, err := json.Marshal(r.Body)
			if err != nil {
				t.Fatalf("encoding a hand-written reply: %v", err)
			}
			body = string(b)
		}
		out.Entries = append(out.Entries, wire.Entry{
			Kind: "http", At: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
			Request:  &wire.Request{Method: "GET", URL: "http://host/"},
			Response: &wire.Response{Status: r.Status, Body: body},
		})
	}
	return out
}

// Value mints the whole body of a single reply.
func Value(t testing.TB, body any) wire.Value {
	t.Helper()
	return At(t, Transcript(t, "hand-written", Reply{200, body}), wire.Ref{Exchange: 1})
}

// Status mints the status of a reply.
func Status(t testing.TB, status int) wire.Value {
	t.Helper()
	return At(t, Transcript(t, "hand-written", Reply{status, "{}"}), wire.Ref{Exchange: 1, Part: "status"})
}

// At mints the value at a place of a transcript.
func At(t testing.TB, transcript *wire.Transcript, ref wire.Ref) wire.Value {
	t.Helper()
	raw, err := json.Marshal(ref)
	if err != nil {
		t.Fatal(err)
	}
	var o struct{ V wire.Value }
	if err := json.Unmarshal([]byte(`{"V":`+string(raw)+`}`), &o); err != nil {
		t.Fatal(err)
	}
	if err := wire.Bind(&o, transcript); err != nil {
		t.Fatal(err)
	}
	return o.V
}

// Sent is a request that could have been sent to a host, and its reply.
type Sent struct {
	At, Took int    // milliseconds, since the first request and until the reply; a request takes one at least
	Request  string // method and path
	Header   map[string]string
	Body     string
	Status   int // 0: there was no reply
	Reply    string
}

// Record records requests with their replies as exchanges 1, 2, ….
func Record(drive string, all ...Sent) *wire.Transcript {
	out := &wire.Transcript{Drive: drive}
	for _, s := range all {
		method, path, _ := strings.Cut(s.Request, " ")
		header := map[string]string{"Authorization": wire.Secret}
		if s.Body != "" {
			header["Content-Type"] = "application/json"
		}
		maps.Copy(header, s.Header)
		e := wire.Entry{
			Kind: "http", At: time.Date(2026, 11, 1, 0, 0, 0, s.At*int(time.Millisecond), time.UTC), Micros: int64(max(s.Took*1000, 900)),
			Request:  &wire.Request{Method: method, URL: "http://host" + path, Header: header, Body: s.Body},
			Response: &wire.Response{Status: s.Status, Body: s.Reply},
		}
		if s.Status == 0 {
			e.Response, e.Error = nil, "no answer"
		}
		out.Entries = append(out.Entries, e)
	}
	return out
}
