package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openassay/assay/simhost/openwop/surface"
)

// correlatingHost KEY starts a simulated host behind what has no route for tokens of interrupts, and looks for the correlation of
// an event below its member correlation alone.
func correlatingHost(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: correlating KEY")
	}
	host, err := surface.New(context.Background(), surface.Options{Key: args[0]})
	ts.Check(err)
	atURL(ts, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/v1/interrupts/"):
			http.NotFound(w, r)
			return
		case r.Method == http.MethodPost && strings.Contains(r.URL.Path, "/interrupts/"):
			var body map[string]any
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				panic(err)
			}
			event, _ := body["resumeValue"].(map[string]any)
			below, _ := event["correlation"].(map[string]any)
			delete(event, "orderId")
			delete(event, "status")
			delete(event, "correlation")
			maps.Copy(event, below)
			encoded, _ := json.Marshal(body)
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(encoded)), int64(len(encoded))
		}
		host.Handler().ServeHTTP(w, r)
	}), host.Close)
}
