package surface

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/openassay/assay/simhost/openwop/engine/live"
)

// BenchmarkCreate compares a run of one node with a handler that decodes the same body and answers with the same reply,
// both over 8 connections. Their ratio is what counts; it moves little from machine to machine.
func BenchmarkCreate(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var body struct{ WorkflowID string }
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusCreated)
			_ = json.NewEncoder(w).Encode(map[string]string{"runId": "run-1", "status": "pending", "eventsUrl": "/v1/runs/run-1/events",
				"statusUrl": "/v1/runs/run-1"})
		}))
		defer server.Close()
		benchmarkPost(b, server)
	})
	for name, dir := range map[string]string{"memory": "", "files": b.TempDir()} {
		b.Run(name, func(b *testing.B) {
			h, err := New(b.Context(), Options{DataDir: dir, LogMax: 4 << 30})
			if err != nil {
				b.Fatal(err)
			}
			defer h.Close(b.Context())
			server := httptest.NewServer(h.Handler())
			defer server.Close()
			benchmarkPost(b, server)
		})
	}
}

func benchmarkPost(b *testing.B, server *httptest.Server) {
	b.Helper()
	b.ReportAllocs()
	const connections = 8
	server.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = connections
	b.SetParallelism(max(1, connections/runtime.GOMAXPROCS(0)))
	body := []byte(`{"workflowId":"conformance-noop","inputs":{}}`)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := post(server, body); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func post(server *httptest.Server, body []byte) error {
	request, err := http.NewRequest(http.MethodPost, server.URL+"/v1/runs", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+DefaultKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := server.Client().Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusCreated {
		return fmt.Errorf("answered %s", response.Status)
	}
	return nil
}

// BenchmarkFirstEvent is the time from a run that exists to the first event of its stream.
func BenchmarkFirstEvent(b *testing.B) {
	h, err := New(b.Context(), Options{LogMax: 4 << 30})
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close(b.Context())
	server := httptest.NewServer(h.Handler())
	defer server.Close()
	for b.Loop() {
		b.StopTimer()
		created, err := h.engine.Create(b.Context(), live.Create{WorkflowID: "assay-loop"})
		if err != nil {
			b.Fatal(err)
		}
		request, err := http.NewRequest(http.MethodGet, server.URL+"/v1/runs/"+created.RunID+"/events", nil)
		if err != nil {
			b.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+DefaultKey)
		b.StartTimer()
		response, err := server.Client().Do(request)
		if err != nil {
			b.Fatal(err)
		}
		for lines := bufio.NewScanner(response.Body); lines.Scan() && !strings.HasPrefix(lines.Text(), "data: "); {
		}
		b.StopTimer()
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		b.StartTimer()
	}
}
