package histories_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/histories"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
)

// lacking is a host without loops and most optional features. Its only node completes at once, and its approvals fail. The frames of its
// streams leave out members of the events (OWP-R41).
func lacking(fixtures ...string) http.Handler {
	var runs atomic.Int32
	refused := func(status int, code string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			hosttest.TellJSON(w, status, hosttest.Fields{"error": code, "message": "no"})
		}
	}
	fails := func(id string) bool { return strings.HasPrefix(id, "lost") }
	// behind returns the events after a cursor, all of them without one.
	behind := func(r *http.Request, cursor string) (all []hosttest.Fields) {
		id, after := r.PathValue("id"), -1
		if n, err := strconv.Atoi(cursor); err == nil {
			after = n
		}
		kinds := []string{"run.started", "node.started", "node.completed", "run.completed"}
		if fails(id) {
			kinds = []string{"run.started", "run.failed"}
		}
		for n, kind := range kinds {
			all = append(all, hosttest.Fields{"eventId": fmt.Sprint(id, "-", n), "runId": id, "sequence": n, "type": kind,
				"timestamp": "2026-11-29T12:00:00Z", "payload": hosttest.Fields{}})
		}
		return all[after+1:]
	}
	short := func(all []hosttest.Fields) (out []hosttest.Fields) {
		for _, e := range all {
			out = append(out, hosttest.Fields{"seq": e["sequence"], "runId": e["runId"], "type": e["type"]})
		}
		return out
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/", refused(http.StatusNotFound, "not_found"))
	mux.HandleFunc("GET /.well-known/openwop", func(w http.ResponseWriter, _ *http.Request) {
		hosttest.TellJSON(w, http.StatusOK, hosttest.Fields{"protocolVersion": "1.0", "fixtures": fixtures})
	})
	mux.HandleFunc("POST /v1/runs", func(w http.ResponseWriter, r *http.Request) {
		var asked hosttest.Fields
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			panic(err)
		}
		id := fmt.Sprint("run", runs.Add(1))
		if asked["workflowId"] == "conformance-approval" {
			id = "lost" + id
		}
		hosttest.TellJSON(w, http.StatusCreated, hosttest.Fields{"runId": id, "status": "pending"})
	})
	mux.HandleFunc("GET /v1/runs/{id}", func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		s := hosttest.Fields{"runId": id, "workflowId": "conformance-noop", "status": "completed"}
		if fails(id) {
			s["workflowId"], s["status"] = "conformance-approval", "failed"
			s["error"] = hosttest.Fields{"code": "unsupported_node_type", "message": "no core.approvalGate here"}
		}
		hosttest.TellJSON(w, http.StatusOK, s)
	})
	mux.HandleFunc("GET /v1/runs/{id}/events/poll", func(w http.ResponseWriter, r *http.Request) {
		hosttest.TellJSON(w, http.StatusOK, hosttest.Fields{"events": behind(r, r.URL.Query().Get("lastSequence")), "isComplete": true})
	})
	mux.HandleFunc("GET /v1/runs/{id}/events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "event: ping\ndata: {}\n\n")
		if r.URL.Query().Has("bufferMs") {
			batch, err := json.Marshal(short(behind(r, r.Header.Get("Last-Event-ID"))))
			if err != nil {
				panic(err)
			}
			fmt.Fprintf(w, "event: batch\ndata: %s\n\n", batch)
			return
		}
		for _, e := range behind(r, r.Header.Get("Last-Event-ID")) {
			fmt.Fprintf(w, "id: %v\nevent: %v\ndata: {\"seq\":%[1]v,\"runId\":%q,\"type\":%[2]q}\n\n", e["sequence"], e["type"], e["runId"])
		}
	})
	mux.HandleFunc("POST /v1/runs/{id}/cancel", refused(http.StatusConflict, "conflict"))
	return mux
}

// A host is not accused of what it does not implement, nor of frames that leave something out. What it does is still tested.
func TestRunsOfAHostThatLacksMuch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fixtures []string
		want     scenarios.Verdict
		reason   string
	}{
		"a node":                  {[]string{"conformance-noop"}, scenarios.Passed, ""},
		"a node, and an approval": {[]string{"conformance-noop", "conformance-approval"}, scenarios.Passed, ""},
		"an approval that fails": {[]string{"conformance-approval"}, scenarios.Blocked,
			`conformance-approval is listed, and its runs fail: "unsupported_node_type", "no core.approvalGate here"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(lacking(c.fixtures...))
			t.Cleanup(server.Close)
			suite := histories.Suite()
			suite.Protocol = openwop.Protocol
			suite.Scenarios = suite.Scenarios[len(suite.Scenarios)-1:]
			certification, err := scenarios.Certify(t.Context(), wire.Target{URL: server.URL, Key: hosttest.OurKey},
				scenarios.Options{Seed: 3, Depth: scenarios.Standard}, suite)
			if err != nil {
				t.Fatal(err)
			}
			o := certification.Finish(context.WithoutCancel(t.Context())).Outcomes[0]
			if o.Verdict != c.want || o.Reason != c.reason {
				t.Errorf("%s: %s", o.Verdict, o.Reason)
			}
		})
	}
}
