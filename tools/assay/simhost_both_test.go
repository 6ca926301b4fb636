package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/openassay/assay/simhost/eventlog"
)

// Two protocols in one process: each answers at its own paths, and both keep what they know in one store.
func TestTwoProtocolsInOneProcess(t *testing.T) {
	store, err := eventlog.Open(t.Context(), eventlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := newSimhostFlags()
	o.register(pflag.NewFlagSet("simhost", pflag.ContinueOnError))
	o.protocols = []string{"openwop", "openintent"}
	o.settings.Store, o.settings.Key = store, "dev"
	if err := o.checkProtocols(); err != nil {
		t.Fatal(err)
	}
	hosts, err := o.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		for _, h := range hosts {
			err = errors.Join(err, h.Close(t.Context()))
		}
		if err = errors.Join(err, store.Close()); err != nil {
			t.Error(err)
		}
	}()
	handler := o.handler(hosts)
	for path, want := range map[string]int{
		"/.well-known/openwop": 200, "/v1/openapi.json": 200, "/.well-known/openintent.json": 200, "/api/v1/server/config": 200,
		"/v1/server/config": 401, "/api/v1/runs": 404, "/v1/runs/x": 401, "/api/v1/intents/x": 401,
	} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
	}
	for _, key := range []string{"Authorization", "X-API-Key"} {
		path, value := "/v1/runs", "Bearer dev"
		body := `{"workflowId":"conformance-noop"}`
		if key == "X-API-Key" {
			path, value, body = "/api/v1/intents", "dev", `{"title":"both"}`
		}
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
		r.Header.Set(key, value)
		r.Header.Set("Content-Type", "application/json")
		handler.ServeHTTP(w, r)
		if w.Code/100 != 2 {
			t.Errorf("POST %s: %d %s", path, w.Code, w.Body)
		}
	}
	logs := 0
	for _, err := range store.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		logs++
	}
	if logs < 2 {
		t.Errorf("the store has %d logs", logs)
	}
}
