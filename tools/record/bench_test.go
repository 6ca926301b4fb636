package record_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openassay/assay/tools/record"
)

// What a recorder adds to an exchange is the difference of the two.
func BenchmarkExchange(b *testing.B) {
	body := `{"events":[` + strings.Repeat(`{"type":"node.started","payload":{"n":1}},`, 50) + `{}]}`
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}))
	defer host.Close()
	r, err := record.New(record.Options{Target: host.URL, Dir: filepath.Join(b.TempDir(), "tape"), Most: 1 << 30, Rolling: true})
	if err != nil {
		b.Fatal(err)
	}
	front := httptest.NewServer(r)
	defer front.Close()
	for name, url := range map[string]string{"direct": host.URL, "recorded": front.URL} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				reply, err := http.Get(url + "/v1/runs/r/events/poll")
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, reply.Body)
				_ = reply.Body.Close()
			}
		})
	}
	front.Close()
	if _, err := r.Close(); err != nil {
		b.Fatal(err)
	}
}
