package bounds_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/bounds"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
)

// The window after the breach is five times the host's own latency, without the
// delay it was told to wait.
func TestADelayThatWasAskedForStretchesNoWindow(t *testing.T) {
	for _, c := range []struct{ slower, window time.Duration }{{0, 250 * time.Millisecond}, {100 * time.Millisecond, 500 * time.Millisecond}} {
		var delay atomic.Int64
		runs := hosttest.Routes{
			"POST /v1/runs": func(_ *http.Request, body map[string]any) (int, any) {
				id := fmt.Sprint(body["workflowId"])
				if inputs, ok := body["inputs"].(map[string]any); ok {
					ms, _ := inputs["delayMs"].(float64)
					delay.Store(int64(ms))
				}
				return http.StatusCreated, hosttest.Fields{"runId": id, "status": "pending"}
			},
			"GET /v1/runs/{id}": func(r *http.Request, _ map[string]any) (int, any) {
				status := "completed"
				if strings.Contains(r.PathValue("id"), "breach") {
					status = "failed"
				}
				return http.StatusOK, hosttest.Fields{"runId": r.PathValue("id"), "status": status}
			},
			"GET /v1/runs/{id}/events/poll": func(r *http.Request, _ map[string]any) (int, any) {
				begin := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
				end := begin.Add(time.Duration(delay.Load())*time.Millisecond + c.slower)
				event := func(n int, kind string, at time.Time) hosttest.Fields {
					return hosttest.Fields{"eventId": fmt.Sprint("e-", n), "runId": r.PathValue("id"), "sequence": n, "type": kind,
						"timestamp": at.Format(time.RFC3339Nano), "payload": hosttest.Fields{}}
				}
				return http.StatusOK, hosttest.Fields{"events": []hosttest.Fields{event(0, "run.started", begin), event(1, "run.completed",
					end)}, "isComplete": true}
			},
		}
		url := hosttest.Serve(t, hosttest.DiscoveryWith("conformance-run-duration-breach", "conformance-delay", "conformance-noop"), runs)
		o := scenarios.Options{Seed: 7, Patience: time.Second, Select: scenarios.Selection{Scenarios: []string{"execution-bounds/time-bounded"}}}
		certification, err := scenarios.Certify(t.Context(), wire.Target{URL: url, Key: "dev-key"}, o, openwop.Suites()...)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range certification.Finish(context.Background()).Drives {
			if d.ID != "openwop/run-over-its-time" {
				continue
			}
			raw, err := json.Marshal(d.Observation)
			if err != nil {
				t.Fatal(err)
			}
			var seen bounds.OvertimeObservation
			if err := json.Unmarshal(raw, &seen); err != nil || d.Stop != nil {
				t.Fatalf("%v, %+v", err, d.Stop)
			}
			if seen.Lull.Window != c.window {
				t.Errorf("slower by %s than asked: the window is %s, want %s", c.slower, seen.Lull.Window, c.window)
			}
		}
		if delay.Load() == 0 {
			t.Error("no delay was asked for")
		}
	}
}
