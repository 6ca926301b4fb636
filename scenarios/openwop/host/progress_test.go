package host_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
)

// A run whose log grows gets on, also where the logs of its children are served once and never again.
func TestChildrenThatAreNotServedHideNoProgress(t *testing.T) {
	const long, steps = 20, 6 // events of the child, and of the run until it ends
	var told, childReads atomic.Int64
	event := func(of string, i int, kind string) map[string]any {
		return map[string]any{"eventId": fmt.Sprint(of, "-", i), "runId": of, "type": kind, "sequence": i, "payload": map[string]any{},
			"timestamp": time.Date(2026, 11, 1, 0, 0, i, 0, time.UTC).Format(time.RFC3339Nano)}
	}
	url := hosttest.Serve(t, hosttest.DiscoveryWith("conformance-noop"), hosttest.Routes{
		"POST /v1/runs": func(*http.Request, map[string]any) (int, any) {
			told.Store(2)
			childReads.Store(0)
			return 201, map[string]any{"runId": "run", "status": "running"}
		},
		"GET /v1/runs/{id}": func(*http.Request, map[string]any) (int, any) {
			status := "running"
			if told.Load() > steps {
				status = "completed"
			}
			return 200, map[string]any{"runId": "run", "status": status, "childRuns": []any{map[string]any{"runId": "child"}}}
		},
		"GET /v1/runs/{id}/events/poll": func(r *http.Request, _ map[string]any) (int, any) {
			id, n := r.PathValue("id"), long
			if id == "child" {
				if childReads.Add(1) > 2 { // a page, and the one behind it
					return 404, map[string]any{"error": "not_found", "message": "no such run"}
				}
			} else {
				n = int(told.Load())
			}
			after, err := strconv.Atoi(r.URL.Query().Get("lastSequence"))
			if err != nil {
				after = -1
			}
			events := []any{}
			for i := after + 1; i < n; i++ {
				events = append(events, event(id, i, "node.started"))
			}
			if id == "run" && len(events) < 2 { // who has read all finds one more event the next time
				told.Add(1)
			}
			return 200, map[string]any{"events": events}
		},
	})
	var waited wire.Wait
	drive := &scenarios.Drive[struct{}]{ID: "openwop/run", Title: "runs a run", Sends: []string{"{create run}", "{read run}", "{poll log}"},
		Run: func(ctx context.Context, c *scenarios.Conn, _ *struct{}) {
			h := host.Host{Conn: c}
			waited = h.Create(ctx, "create", dialect.CreateRunRequest{WorkflowID: "conformance-noop"}).AwaitEnd(ctx)
		}}
	suite := scenarios.Suite{ID: "one", Title: "one", Protocol: openwop.Protocol, Scenarios: []scenarios.Scenario{{
		ID: "openwop/one/ends", Title: "ends", Claim: claims.AnyHost, Ask: scenarios.Ask(drive, func(struct{}, *scenarios.Judge) {})}}}
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: url, Key: hosttest.OurKey},
		scenarios.Options{Seed: 1, Patience: 100 * time.Millisecond}, suite)
	if err != nil {
		t.Fatal(err)
	}
	r := c.Finish(context.Background())
	if !waited.Reached {
		t.Errorf("%+v; %d events, %d reads of the child's: %s", waited, told.Load(), childReads.Load(), r.Outcomes[0].Reason)
	}
}
