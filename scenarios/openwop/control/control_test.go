package control_test

import (
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/control"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// began and over are the events of a node's start and end.
func began(node string) hosttest.Event {
	return hosttest.Event{Kind: "node.started", Payload: map[string]any{"nodeId": node, "typeId": "core.noop"}}
}

func over(node string) hosttest.Event {
	return hosttest.Event{Kind: "node.completed", Payload: map[string]any{"nodeId": node, "outputs": map[string]any{"said": node}}}
}

var (
	runStarted   = hosttest.Event{Kind: "run.started", Payload: map[string]any{"workflowId": "assay-steps"}}
	runPaused    = hosttest.Event{Kind: "run.paused", Payload: map[string]any{"reason": "m1"}}
	runResumed   = hosttest.Event{Kind: "run.resumed", Payload: map[string]any{}}
	runCompleted = hosttest.Event{Kind: "run.completed", Payload: map[string]any{"outputs": map[string]any{"said": "m"}}}
)

// steps is the story of a run of assay-steps up to its latest event.
func steps(status string, events ...hosttest.Event) hosttest.Story {
	return hosttest.Story{Id: "r", Status: status, Events: append([]hosttest.Event{runStarted}, events...)}
}

// stands mints the log of a run that need not have ended.
func stands(s hosttest.Story, t *testing.T) host.RunLog {
	t.Helper()
	l := s.Log(t)
	l.Ended.Reached = true
	return l
}

func cameTo(t *testing.T, status string) wire.Wait {
	t.Helper()
	return wire.Wait{What: "the run is " + status, Reached: true, Last: wiretest.Value(t, map[string]any{"runId": "r", "status": status})}
}

func taken(t *testing.T, status string) host.Answered {
	t.Helper()
	return hosttest.Told(t, "it", 202, map[string]any{"runId": "r", "status": status})
}

func TestJudgesOfBulkCancels(t *testing.T) {
	result := func(id string, ok bool, status string) map[string]any {
		r := map[string]any{"runId": id, "ok": ok}
		if status != "" {
			r["status"] = status
		}
		if !ok {
			r["error"] = map[string]any{"error": "not_found", "message": "no"}
		}
		return r
	}
	bulk := func(t *testing.T, results ...any) host.Answered {
		return hosttest.Told(t, "bulk", 200, map[string]any{"results": results})
	}
	snapshot := func(t *testing.T, status string) wire.Value {
		return wiretest.Value(t, map[string]any{"status": status})
	}
	honest := func(t *testing.T) control.BulkObservation {
		o := control.BulkObservation{
			Way: "w", Created: hosttest.MadeRun(t, "b"), IDs: []string{"a", "never", "done", "b"}, Live: []string{"a", "b"},
			Never: "never", Ended: "done", Done: snapshot(t, "completed"), After: snapshot(t, "completed"),
			Large: hosttest.Told(t, "large", 400, map[string]any{"error": "validation_error", "message": "no",
				"details": map[string]any{"maxRunIds": 100}}), Spared: snapshot(t, "running"), Empty: hosttest.No(t, 400, "validation_error"),
			Bulk: bulk(t, result("a", true, "cancelled"), result("never", false, ""), result("done", true, "completed"),
				result("b", true, "cancelling")),
		}
		for range 2 {
			o.Logs = append(o.Logs, stands(steps("cancelled"), t))
		}
		return o
	}
	for _, c := range []struct {
		name  string
		spoil func(*testing.T, *control.BulkObservation)
		want  string // of bulk-cancels-each, bulk-leaves-ended, bulk-refuses
	}{
		{"honest", func(*testing.T, *control.BulkObservation) {}, "passed passed passed"},
		{"version 2 refuses what has ended", func(t *testing.T, o *control.BulkObservation) {
			o.Bulk = bulk(t, result("a", true, "cancelled"), result("never", false, ""), result("done", false, ""), result("b", true, "cancelled"))
		}, "passed passed passed"},
		{"takes fewer", func(t *testing.T, o *control.BulkObservation) {
			o.Large = hosttest.Told(t, "large", 400, map[string]any{"error": "validation_error", "message": "no",
				"details": map[string]any{"maxRunIds": 50}})
		}, "passed passed passed"},
		{"says so and does nothing", func(t *testing.T, o *control.BulkObservation) { o.Logs[1].Ended.Reached = false },
			openwop.OWPCTL13 + " passed passed"},
		{"one fails and all do", func(t *testing.T, o *control.BulkObservation) { o.Bulk = hosttest.No(t, 404, "not_found") },
			openwop.OWPCTL13 + " blocked passed"},
		{"stops at the one that never was", func(t *testing.T, o *control.BulkObservation) {
			o.Bulk = bulk(t, result("a", true, "cancelled"), result("never", false, ""))
		}, openwop.OWPCTL14 + " " + openwop.OWPCTL16 + " passed"},
		{"in an order of its own", func(t *testing.T, o *control.BulkObservation) {
			o.Bulk = bulk(t, result("a", true, "cancelled"), result("b", true, "cancelled"), result("done", true, "completed"),
				result("never", false, ""))
		}, openwop.OWPCTL14 + " passed passed"},
		{"leaves one under way", func(t *testing.T, o *control.BulkObservation) {
			o.Bulk = bulk(t, result("a", true, "running"), result("never", false, ""), result("done", true, "completed"),
				result("b", true, "cancelled"))
		}, openwop.OWPCTL13 + " passed passed"},
		{"everything is ok", func(t *testing.T, o *control.BulkObservation) {
			o.Bulk = bulk(t, result("a", true, "cancelled"), result("never", true, "cancelled"), result("done", true, "completed"),
				result("b", true, "cancelled"))
		}, openwop.OWPCTL15 + " passed passed"},
		{"does not say why", func(t *testing.T, o *control.BulkObservation) {
			o.Bulk = bulk(t, result("a", true, "cancelled"), map[string]any{"runId": "never", "ok": false},
				result("done", true, "completed"), result("b", true, "cancelled"))
		}, openwop.OWPCTL15 + " passed passed"},
		{"cancels what has ended", func(t *testing.T, o *control.BulkObservation) { o.After = snapshot(t, "cancelled") },
			"passed " + openwop.OWPCTL16 + " passed"},
		{"says that it cancels what has ended", func(t *testing.T, o *control.BulkObservation) {
			o.Bulk = bulk(t, result("a", true, "cancelled"), result("never", false, ""), result("done", true, "cancelled"),
				result("b", true, "cancelled"))
		}, "passed " + openwop.OWPCTL16 + " passed"},
		{"takes any number", func(t *testing.T, o *control.BulkObservation) { o.Large = bulk(t) }, "passed passed " + openwop.OWPCTL17},
		{"does not say how many", func(t *testing.T, o *control.BulkObservation) { o.Large = hosttest.No(t, 400, "validation_error") },
			"passed passed " + openwop.OWPCTL17},
		{"refuses and cancels", func(t *testing.T, o *control.BulkObservation) { o.Spared = snapshot(t, "cancelled") },
			"passed passed " + openwop.OWPCTL17},
		{"cancels nobody, gladly", func(t *testing.T, o *control.BulkObservation) { o.Empty = bulk(t) }, "passed passed " + openwop.OWPCTL18},
		{"no runs", func(t *testing.T, o *control.BulkObservation) { o.Live = nil }, "blocked blocked blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest(t)
			c.spoil(t, &o)
			for i, want := range strings.Fields(c.want) {
				hosttest.Expect(t, []string{"bulk-cancels-each", "bulk-leaves-ended", "bulk-refuses"}[i], o, want)
			}
		})
	}
}

func TestJudgeOfForeignControl(t *testing.T) {
	refusal := map[string]any{"error": "not_found", "message": "there is no such run"}
	item := func(id string, ok bool) map[string]any {
		if ok {
			return map[string]any{"runId": id, "ok": true, "status": "cancelled"}
		}
		return map[string]any{"runId": id, "ok": false, "error": refusal}
	}
	honest := func(t *testing.T) control.TenantControl {
		tenant := func(name string) host.Tenant {
			return host.Tenant{Name: name, Created: hosttest.MadeRun(t, name), Read: hosttest.Told(t, "its run", 200,
				map[string]any{"runId": name, "owner": map[string]any{"tenant": name}})}
		}
		call := host.TenantCall{By: "b", Theirs: "r", Never: "n", Existing: hosttest.No(t, 404, "not_found"), Missing: hosttest.No(t,
			404, "not_found")}
		return control.TenantControl{Tenants: host.Tenants{First: tenant("a"), Other: tenant("b")}, Way: "w",
			Created: hosttest.MadeRun(t, "r"), Never: "n", Pause: call, Diff: call,
			Live: wiretest.Value(t, map[string]any{"status": "running"}), After: wiretest.Value(t, map[string]any{"status": "running"}),
			Bulk:   hosttest.Told(t, "bulk", 200, map[string]any{"results": []any{item("r", false), item("n", false)}}),
			Paused: taken(t, "paused"), Diffed: hosttest.Told(t, "diff", 200, map[string]any{}), Cancel: hosttest.Told(t, "bulk", 200,
				map[string]any{"results": []any{item("r", true)}})}
	}
	for _, c := range []struct {
		name  string
		spoil func(*testing.T, *control.TenantControl)
		want  string
	}{
		{"honest", func(*testing.T, *control.TenantControl) {}, "passed"},
		{"has no diff", func(t *testing.T, o *control.TenantControl) {
			o.Diffed = hosttest.No(t, 404, "not_found")
			o.Diff.Existing, o.Diff.Missing = o.Diffed, o.Diffed
		}, "passed"},
		{"anybody pauses", func(t *testing.T, o *control.TenantControl) { o.Pause.Existing = taken(t, "paused") }, openwop.OWPCTL38},
		{"anybody compares", func(t *testing.T, o *control.TenantControl) {
			o.Diff.Existing = hosttest.Told(t, "it", 200, map[string]any{})
		}, openwop.OWPCTL38},
		{"anybody cancels in bulk", func(t *testing.T, o *control.TenantControl) {
			o.Bulk = hosttest.Told(t, "bulk", 200, map[string]any{"results": []any{item("r", true), item("n", false)}})
		}, openwop.OWPCTL38},
		{"has the bulk cancel alone, and refuses it as a whole", func(t *testing.T, o *control.TenantControl) {
			o.Paused, o.Diffed, o.Bulk = hosttest.No(t, 404, "not_found"), hosttest.No(t, 404, "not_found"), hosttest.No(t, 404, "not_found")
		}, "passed"},
		{"has the bulk cancel alone, and falls over it", func(t *testing.T, o *control.TenantControl) {
			o.Paused, o.Diffed, o.Bulk = hosttest.No(t, 404, "not_found"), hosttest.No(t, 404, "not_found"), hosttest.No(t, 500, "internal_error")
		}, openwop.OWPCTL38},
		{"refuses and does it", func(t *testing.T, o *control.TenantControl) {
			o.After = wiretest.Value(t, map[string]any{"status": "cancelled"})
		}, openwop.OWPCTL38},
		{"tells that it is there", func(t *testing.T,
			o *control.TenantControl) {
			o.Pause.Existing = hosttest.No(t, 403, "run_forbidden")
		}, openwop.OWPISO2},
		{"tells by the status in the result", func(t *testing.T, o *control.TenantControl) {
			theirs := item("r", false)
			theirs["status"] = "running"
			o.Bulk = hosttest.Told(t, "bulk", 200, map[string]any{"results": []any{theirs, item("n", false)}})
		}, openwop.OWPISO2},
		{"forbids what is somebody else's in the result", func(t *testing.T, o *control.TenantControl) {
			theirs := item("r", false)
			theirs["error"] = map[string]any{"error": "forbidden", "message": "no"}
			o.Bulk = hosttest.Told(t, "bulk", 200, map[string]any{"results": []any{theirs, item("n", false)}})
		}, "passed"},
		{"tells by another code in the result", func(t *testing.T, o *control.TenantControl) {
			theirs := item("r", false)
			theirs["error"] = map[string]any{"error": "run_terminal", "message": "no"}
			o.Bulk = hosttest.Told(t, "bulk", 200, map[string]any{"results": []any{theirs, item("n", false)}})
		}, openwop.OWPISO2},
		{"refuses its owner too", func(t *testing.T, o *control.TenantControl) {
			o.Paused, o.Diffed, o.Cancel = hosttest.No(t, 409, "conflict"), hosttest.No(t, 409, "conflict"), hosttest.No(t, 409, "conflict")
		}, "blocked"},
		{"no run", func(t *testing.T, o *control.TenantControl) { o.Created = hosttest.No(t, 404, "not_found") }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest(t)
			c.spoil(t, &o)
			hosttest.Expect(t, "foreign-uncontrolled", o, c.want)
		})
	}
}
