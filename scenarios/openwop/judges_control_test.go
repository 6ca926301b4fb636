package openwop_test

import (
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// nodes tell of nodes that began, or ended with what they put out.
func began(node string) event {
	return event{"node.started", map[string]any{"nodeId": node, "typeId": "core.noop"}}
}

func over(node string) event {
	return event{"node.completed", map[string]any{"nodeId": node, "outputs": map[string]any{"said": node}}}
}

var (
	runStarted   = event{"run.started", map[string]any{"workflowId": "assay-steps"}}
	runPaused    = event{"run.paused", map[string]any{"reason": "m1"}}
	runResumed   = event{"run.resumed", map[string]any{}}
	runCompleted = event{"run.completed", map[string]any{"outputs": map[string]any{"said": "m"}}}
)

// steps is the story of a run of assay-steps, as far as it has got.
func steps(status string, events ...event) story {
	return story{id: "r", status: status, events: append([]event{runStarted}, events...)}
}

// stands mints a story of a run that need not have ended.
func (s story) stands(t *testing.T) openwop.RunLog {
	t.Helper()
	l := s.log(t)
	l.Ended.Reached = true
	return l
}

func cameTo(t *testing.T, status string) wire.Wait {
	t.Helper()
	return wire.Wait{What: "the run is " + status, Reached: true, Last: wiretest.Value(t, map[string]any{"runId": "r", "status": status})}
}

func taken(t *testing.T, status string) openwop.Answered {
	t.Helper()
	return told(t, "it", 202, map[string]any{"runId": "r", "status": status})
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
	bulk := func(t *testing.T, results ...any) openwop.Answered {
		return told(t, "bulk", 200, map[string]any{"results": results})
	}
	snapshot := func(t *testing.T, status string) wire.Value {
		return wiretest.Value(t, map[string]any{"status": status})
	}
	honest := func(t *testing.T) openwop.BulkObservation {
		o := openwop.BulkObservation{
			Way: "w", Created: madeRun(t, "b"), IDs: []string{"a", "never", "done", "b"}, Live: []string{"a", "b"}, Never: "never", Ended: "done", Done: snapshot(t, "completed"), After: snapshot(t, "completed"),
			Large: told(t, "large", 400, map[string]any{"error": "validation_error", "message": "no", "details": map[string]any{"maxRunIds": 100}}), Spared: snapshot(t, "running"), Empty: no(t, 400, "validation_error"),
			Bulk: bulk(t, result("a", true, "cancelled"), result("never", false, ""), result("done", true, "completed"), result("b", true, "cancelling")),
		}
		for range 2 {
			o.Logs = append(o.Logs, steps("cancelled").stands(t))
		}
		return o
	}
	for _, c := range []struct {
		name  string
		spoil func(*testing.T, *openwop.BulkObservation)
		want  string // of bulk-cancels-each, bulk-leaves-ended, bulk-refuses
	}{
		{"honest", func(*testing.T, *openwop.BulkObservation) {}, "passed passed passed"},
		{"version 2 refuses what has ended", func(t *testing.T, o *openwop.BulkObservation) {
			o.Bulk = bulk(t, result("a", true, "cancelled"), result("never", false, ""), result("done", false, ""), result("b", true, "cancelled"))
		}, "passed passed passed"},
		{"takes fewer", func(t *testing.T, o *openwop.BulkObservation) {
			o.Large = told(t, "large", 400, map[string]any{"error": "validation_error", "message": "no", "details": map[string]any{"maxRunIds": 50}})
		}, "passed passed passed"},
		{"says so and does nothing", func(t *testing.T, o *openwop.BulkObservation) { o.Logs[1].Ended.Reached = false }, openwopv1.OWPCTL13 + " passed passed"},
		{"one fails and all do", func(t *testing.T, o *openwop.BulkObservation) { o.Bulk = no(t, 404, "not_found") }, openwopv1.OWPCTL13 + " blocked passed"},
		{"stops at the one that never was", func(t *testing.T, o *openwop.BulkObservation) {
			o.Bulk = bulk(t, result("a", true, "cancelled"), result("never", false, ""))
		}, openwopv1.OWPCTL14 + " " + openwopv1.OWPCTL16 + " passed"},
		{"in an order of its own", func(t *testing.T, o *openwop.BulkObservation) {
			o.Bulk = bulk(t, result("a", true, "cancelled"), result("b", true, "cancelled"), result("done", true, "completed"), result("never", false, ""))
		}, openwopv1.OWPCTL14 + " passed passed"},
		{"leaves one under way", func(t *testing.T, o *openwop.BulkObservation) {
			o.Bulk = bulk(t, result("a", true, "running"), result("never", false, ""), result("done", true, "completed"), result("b", true, "cancelled"))
		}, openwopv1.OWPCTL13 + " passed passed"},
		{"everything is ok", func(t *testing.T, o *openwop.BulkObservation) {
			o.Bulk = bulk(t, result("a", true, "cancelled"), result("never", true, "cancelled"), result("done", true, "completed"), result("b", true, "cancelled"))
		}, openwopv1.OWPCTL15 + " passed passed"},
		{"does not say why", func(t *testing.T, o *openwop.BulkObservation) {
			o.Bulk = bulk(t, result("a", true, "cancelled"), map[string]any{"runId": "never", "ok": false}, result("done", true, "completed"), result("b", true, "cancelled"))
		}, openwopv1.OWPCTL15 + " passed passed"},
		{"cancels what has ended", func(t *testing.T, o *openwop.BulkObservation) { o.After = snapshot(t, "cancelled") }, "passed " + openwopv1.OWPCTL16 + " passed"},
		{"says that it cancels what has ended", func(t *testing.T, o *openwop.BulkObservation) {
			o.Bulk = bulk(t, result("a", true, "cancelled"), result("never", false, ""), result("done", true, "cancelled"), result("b", true, "cancelled"))
		}, "passed " + openwopv1.OWPCTL16 + " passed"},
		{"takes any number", func(t *testing.T, o *openwop.BulkObservation) { o.Large = bulk(t) }, "passed passed " + openwopv1.OWPCTL17},
		{"does not say how many", func(t *testing.T, o *openwop.BulkObservation) { o.Large = no(t, 400, "validation_error") }, "passed passed " + openwopv1.OWPCTL17},
		{"refuses and cancels", func(t *testing.T, o *openwop.BulkObservation) { o.Spared = snapshot(t, "cancelled") }, "passed passed " + openwopv1.OWPCTL17},
		{"cancels nobody, gladly", func(t *testing.T, o *openwop.BulkObservation) { o.Empty = bulk(t) }, "passed passed " + openwopv1.OWPCTL18},
		{"no runs", func(t *testing.T, o *openwop.BulkObservation) { o.Live = nil }, "blocked blocked blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest(t)
			c.spoil(t, &o)
			for i, want := range strings.Fields(c.want) {
				expect(t, []string{"bulk-cancels-each", "bulk-leaves-ended", "bulk-refuses"}[i], o, want)
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
	honest := func(t *testing.T) openwop.TenantControl {
		tenant := func(name string) openwop.Tenant {
			return openwop.Tenant{Name: name, Created: madeRun(t, name), Read: told(t, "its run", 200, map[string]any{"runId": name, "owner": map[string]any{"tenant": name}})}
		}
		call := openwop.TenantCall{By: "b", Theirs: "r", Never: "n", Existing: no(t, 404, "not_found"), Missing: no(t, 404, "not_found")}
		return openwop.TenantControl{Tenants: openwop.Tenants{First: tenant("a"), Other: tenant("b")}, Way: "w", Created: madeRun(t, "r"), Never: "n", Pause: call, Diff: call,
			Live: wiretest.Value(t, map[string]any{"status": "running"}), After: wiretest.Value(t, map[string]any{"status": "running"}),
			Bulk:   told(t, "bulk", 200, map[string]any{"results": []any{item("r", false), item("n", false)}}),
			Paused: taken(t, "paused"), Diffed: told(t, "diff", 200, map[string]any{}), Cancel: told(t, "bulk", 200, map[string]any{"results": []any{item("r", true)}})}
	}
	for _, c := range []struct {
		name  string
		spoil func(*testing.T, *openwop.TenantControl)
		want  string
	}{
		{"honest", func(*testing.T, *openwop.TenantControl) {}, "passed"},
		{"has no diff", func(t *testing.T, o *openwop.TenantControl) {
			o.Diffed = no(t, 404, "not_found")
			o.Diff.Existing, o.Diff.Missing = o.Diffed, o.Diffed
		}, "passed"},
		{"anybody pauses", func(t *testing.T, o *openwop.TenantControl) { o.Pause.Existing = taken(t, "paused") }, openwopv1.OWPCTL38},
		{"anybody compares", func(t *testing.T, o *openwop.TenantControl) { o.Diff.Existing = told(t, "it", 200, map[string]any{}) }, openwopv1.OWPCTL38},
		{"anybody cancels in bulk", func(t *testing.T, o *openwop.TenantControl) {
			o.Bulk = told(t, "bulk", 200, map[string]any{"results": []any{item("r", true), item("n", false)}})
		}, openwopv1.OWPCTL38},
		{"has the bulk cancel alone, and refuses it as a whole", func(t *testing.T, o *openwop.TenantControl) {
			o.Paused, o.Diffed, o.Bulk = no(t, 404, "not_found"), no(t, 404, "not_found"), no(t, 404, "not_found")
		}, "passed"},
		{"has the bulk cancel alone, and falls over it", func(t *testing.T, o *openwop.TenantControl) {
			o.Paused, o.Diffed, o.Bulk = no(t, 404, "not_found"), no(t, 404, "not_found"), no(t, 500, "internal_error")
		}, openwopv1.OWPCTL38},
		{"refuses and does it", func(t *testing.T, o *openwop.TenantControl) {
			o.After = wiretest.Value(t, map[string]any{"status": "cancelled"})
		}, openwopv1.OWPCTL38},
		{"tells that it is there", func(t *testing.T, o *openwop.TenantControl) { o.Pause.Existing = no(t, 403, "run_forbidden") }, openwopv1.OWPISO2},
		{"tells by the status in the result", func(t *testing.T, o *openwop.TenantControl) {
			theirs := item("r", false)
			theirs["status"] = "running"
			o.Bulk = told(t, "bulk", 200, map[string]any{"results": []any{theirs, item("n", false)}})
		}, openwopv1.OWPISO2},
		{"refuses its owner too", func(t *testing.T, o *openwop.TenantControl) {
			o.Paused, o.Diffed, o.Cancel = no(t, 409, "conflict"), no(t, 409, "conflict"), no(t, 409, "conflict")
		}, "blocked"},
		{"no run", func(t *testing.T, o *openwop.TenantControl) { o.Created = no(t, 404, "not_found") }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest(t)
			c.spoil(t, &o)
			expect(t, "foreign-uncontrolled", o, c.want)
		})
	}
}
