// Package wiretest mints wire values from documents that a test writes by
// hand, so that judges can be tested without a host.
package wiretest

import (
	"encoding/json"
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
