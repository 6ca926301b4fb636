package bounds_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/bounds"
	"github.com/openassay/assay/scenarios/openwop/host"
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

// What bounds the time of a run that works bounds that of one which waits for an answer, and of one that is paused.
func TestJudgesOfTimeThatPassesWithoutWork(t *testing.T) {
	const from, to = "2026-11-03T12:00:00.100Z", "2026-11-03T12:00:01.301Z"
	asking := func(l host.RunLog) host.Suspension { return host.Suspension{Suspended: hosttest.Reached(), Log: l} }
	goesOn := func(observed int) host.RunLog {
		s := late(1200, observed)
		s.Events = slices.Insert(s.Events, 2, hosttest.Event{Kind: "run.paused"}, hosttest.Event{Kind: "run.resumed"})
		l := breached(s, t, "run_timeout", map[string]string{"run.started": from, "run.resumed": "2026-11-03T12:00:01.800Z",
			"cap.breached": "2026-11-03T12:00:01.801Z"})
		return l
	}
	paused := func(l host.RunLog) bounds.PausedOvertime {
		return bounds.PausedOvertime{Still: hosttest.Reached(), Log: l}
	}
	for _, c := range []struct {
		name  string
		spoil func(*bounds.OvertimeObservation)
		want  string
	}{
		{"honest", func(*bounds.OvertimeObservation) {}, "passed"},
		{"outlives its time while it asks", func(o *bounds.OvertimeObservation) {
			o.Asking = asking(late(1200, 1201).WithStatus("waiting-approval").Log(t))
		}, requirement.OWPBND6},
		{"was cancelled in time", func(o *bounds.OvertimeObservation) {
			o.Asking = asking(breached(hosttest.Nodes(1), t, "", map[string]string{"run.started": from, "run.completed": from}))
		}, "passed"},
		{"asks too briefly", func(o *bounds.OvertimeObservation) { o.Asking = asking(timedOut(late(1200, 1201), t, from, from)) },
			requirement.OWPBND6},
		{"breaks off without a breach", func(o *bounds.OvertimeObservation) {
			o.Asking = asking(timedOut(late(1200, 1201).Drop("cap.breached"), t, from, to))
		}, requirement.OWPBND7},
		{"fails while it is paused", func(o *bounds.OvertimeObservation) {
			o.Paused = paused(timedOut(late(1200, 1201), t, from, to))
		}, "passed"},
		{"observes less than has passed", func(o *bounds.OvertimeObservation) { o.Paused = paused(goesOn(1201)) }, requirement.OWPBND7},
		{"completes when it goes on", func(o *bounds.OvertimeObservation) {
			o.Paused = paused(breached(hosttest.Nodes(1), t, "", map[string]string{"run.started": from, "run.completed": to}))
		}, requirement.OWPBND6},
		{"never goes on", func(o *bounds.OvertimeObservation) {
			o.Paused = paused(late(1200, 1201).WithStatus("paused").Log(t))
		}, requirement.OWPBND6},
		{"goes on once it is answered", func(o *bounds.OvertimeObservation) {
			o.Answered.Log = breached(hosttest.Nodes(1), t, "", map[string]string{"run.started": from, "run.completed": to})
		}, requirement.OWPBND6},
		{"answers itself in time", func(o *bounds.OvertimeObservation) {
			o.Answered.Log = breached(hosttest.Nodes(1), t, "", map[string]string{"run.started": from, "run.completed": from})
		}, "passed"},
		{"fails for another reason in time", func(o *bounds.OvertimeObservation) {
			o.Answered.Log = timedOut(late(1200, 1201).Drop("cap.breached"), t, from, from)
		}, "passed"},
		{"breaks off too early once it is answered", func(o *bounds.OvertimeObservation) {
			o.Answered.Log = timedOut(late(1200, 1201), t, from, from)
		}, requirement.OWPBND6},
		{"cannot be paused", func(o *bounds.OvertimeObservation) { o.Paused = bounds.PausedOvertime{} }, "passed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := bounds.OvertimeObservation{Bound: 1200, Over: timedOut(late(1200, 1201), t, from, to), InTime: hosttest.Nodes(1).Log(t),
				Lull: hosttest.Lull(t, late(1200, 1201)), Asking: asking(timedOut(late(1200, 1201), t, from, to)), Paused: paused(goesOn(1701)),
				Answered: bounds.AnsweredOvertime{Log: timedOut(late(1200, 1201), t, from, to)}}
			c.spoil(&o)
			hosttest.Expect(t, "time-bounded", o, c.want)
		})
	}
}
