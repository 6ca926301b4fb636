package playback_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios/wire"
)

// How long a reply takes beside a recording of 5,000 exchanges: over the wire, and without it where no reply is like another.
func BenchmarkReply(b *testing.B) {
	body := `{"events":[` + strings.Repeat(`{"type":"node.started","payload":{"n":1}},`, 50) + `{}]}`
	var entries []wire.Entry
	for n := range 2500 {
		entries = append(entries, said("GET", fmt.Sprintf("/v1/runs/%d/events/poll", n), "", body, "Authorization: Bearer <secret:1>"),
			said("POST", "/v1/runs", fmt.Sprintf(`{"workflowId":"w","inputs":{"n":"%d"}}`, n), body, fmt.Sprint("Idempotency-Key: key-", n)))
	}
	h := playing(entries...)
	server := httptest.NewServer(h)
	defer server.Close()
	ask := func(b *testing.B, url string) {
		r, err := http.NewRequest("GET", url, nil)
		if err != nil {
			b.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer key-of-the-client")
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, reply.Body)
		_ = reply.Body.Close()
	}
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}))
	defer plain.Close()
	b.Run("a plain handler", func(b *testing.B) {
		for b.Loop() {
			ask(b, plain.URL)
		}
	})
	b.Run("a read", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			ask(b, fmt.Sprintf("%s/v1/runs/%d/events/poll", server.URL, n%2500))
		}
	})
	b.Run("a write that differs", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			if n%2500 == 0 {
				b.StopTimer()
				h = playing(entries...)
				b.StartTimer()
			}
			h.ServeHTTP(httptest.NewRecorder(), request("POST", "/v1/runs", fmt.Sprintf(`{"workflowId":"w","inputs":{"n":"other %d"}}`, n)))
		}
	})
	b.Run("a request that is not recorded", func(b *testing.B) {
		for b.Loop() {
			h.ServeHTTP(httptest.NewRecorder(), request("GET", "/v1/runs/none/events/poll", ""))
		}
	})
}

// How long it takes to prepare a recording of 5,000 exchanges.
func BenchmarkNew(b *testing.B) {
	var entries []wire.Entry
	for n := range 5000 {
		entries = append(entries, said("POST", "/v1/runs", fmt.Sprintf(`{"workflowId":"w","inputs":{"n":"%d"}}`, n), "{}"))
	}
	for b.Loop() {
		playing(entries...)
	}
}
