package openwop_test

import (
	"fmt"
	"slices"
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

// pausedRun is an honest observation: how far the run has got when it stands still is the argument.
func pausedRun(t *testing.T, far ...event) openwop.PausedObservation {
	t.Helper()
	whole := []event{began("wait"), over("wait"), began("between"), over("between"), began("say"), over("say")}
	still := steps("paused", append(slices.Clone(far), runPaused)...)
	rest := append(slices.Clone(whole[len(far):]), runCompleted)
	control := steps("completed", append(slices.Clone(whole), runCompleted)...)
	control.id = "c"
	log := still.withStatus("completed").then(runResumed).then(rest...)
	return openwop.PausedObservation{
		Way: "assay-steps", Said: "say", Reason: "m1", Created: madeRun(t, "r"), Paused: taken(t, "paused"), Still: cameTo(t, "paused"),
		Before: still.stands(t), After: still.stands(t), Control: control.log(t), Resumed: taken(t, "running"), Log: log.log(t), Later: log.log(t),
		Again: told(t, "again", 409, map[string]any{"error": "run_paused", "message": "no", "details": map[string]any{"runStatus": "paused"}}),
		Late:  told(t, "late", 409, map[string]any{"error": "run_terminal", "message": "no", "details": map[string]any{"runStatus": "completed"}}),
	}
}

func TestJudgesOfPausedRuns(t *testing.T) {
	goesOn := func(t *testing.T, o *openwop.PausedObservation) {
		o.After = steps("completed", began("wait"), runPaused, over("wait"), began("between"), over("between"), runCompleted).stands(t)
	}
	for _, c := range []struct {
		name  string
		spoil func(*testing.T, *openwop.PausedObservation)
		want  string // of paused-stands-still, paused-is-refused, resumed-goes-on
	}{
		{"honest", func(*testing.T, *openwop.PausedObservation) {}, "passed passed passed"},
		{"other words for taken", func(t *testing.T, o *openwop.PausedObservation) {
			o.Paused, o.Resumed = told(t, "it", 200, map[string]any{}), told(t, "it", 200, map[string]any{})
		}, "passed passed passed"},
		{"does not take it", func(t *testing.T, o *openwop.PausedObservation) {
			o.Paused, o.Still.Reached = no(t, 409, "conflict"), false
		}, openwopv1.OWPCTL19 + " blocked blocked"},
		{"takes it and does nothing", func(t *testing.T, o *openwop.PausedObservation) {
			o.Still.Reached, o.Still.Last = false, wiretest.Value(t, map[string]any{"status": "completed"})
		}, openwopv1.OWPCTL19 + " blocked blocked"},
		{"goes on when its time has come", goesOn, openwopv1.OWPCTL20 + " passed passed"},
		{"goes on and says that it does not", func(t *testing.T, o *openwop.PausedObservation) {
			o.After = steps("paused", began("wait"), runPaused, over("wait")).stands(t)
		}, openwopv1.OWPCTL20 + " passed passed"},
		{"went on before anybody looked", func(t *testing.T, o *openwop.PausedObservation) {
			o.Before = steps("paused", began("wait"), runPaused, began("between")).stands(t)
			o.After = o.Before
		}, openwopv1.OWPCTL20 + " passed passed"},
		{"stands still and does not say so", func(t *testing.T, o *openwop.PausedObservation) {
			o.After = steps("running", began("wait"), runPaused).stands(t)
		}, openwopv1.OWPCTL20 + " passed passed"},
		{"notes that a lease was renewed", func(t *testing.T, o *openwop.PausedObservation) {
			o.After = steps("paused", began("wait"), runPaused, event{"lease.renewed", nil}).stands(t)
		}, "passed passed passed"},
		{"lets itself be paused twice", func(t *testing.T, o *openwop.PausedObservation) { o.Again = taken(t, "paused") }, "passed " + openwopv1.OWPCTL23 + " passed"},
		{"pauses what has ended", func(t *testing.T, o *openwop.PausedObservation) { o.Late = taken(t, "paused") }, "passed " + openwopv1.OWPCTL23 + " passed"},
		{"does not say how the run stands", func(t *testing.T, o *openwop.PausedObservation) { o.Late = no(t, 409, "run_terminal") }, "passed " + openwopv1.OWPCTL23 + " passed"},
		{"says that what has ended is paused", func(t *testing.T, o *openwop.PausedObservation) { o.Late = o.Again }, "passed " + openwopv1.OWPCTL23 + " passed"},
		{"refuses in words of its own", func(t *testing.T, o *openwop.PausedObservation) {
			o.Again = told(t, "again", 409, map[string]any{"status": "paused"})
		}, "passed " + openwopv1.OWPERR4 + " passed"},
		{"refuses and does it", func(t *testing.T, o *openwop.PausedObservation) {
			o.Later = steps("paused").log(t)
		}, "passed " + openwopv1.OWPCTL23 + " passed"},
		{"cannot be resumed", func(t *testing.T, o *openwop.PausedObservation) {
			o.Resumed, o.Log = no(t, 409, "conflict"), openwop.RunLog{}
		}, "passed blocked " + openwopv1.OWPCTL24},
		{"is resumed and stands still", func(t *testing.T, o *openwop.PausedObservation) { o.Log.Ended.Reached = false }, "passed blocked " + openwopv1.OWPCTL24},
		{"does a node again", func(t *testing.T, o *openwop.PausedObservation) {
			o.Log = steps("completed", began("wait"), over("wait"), runPaused, runResumed, began("wait"), over("wait"), began("between"), over("between"), began("say"), over("say"), runCompleted).log(t)
			o.Later = o.Log
		}, "passed passed " + openwopv1.OWPCTL24},
		{"leaves a node out", func(t *testing.T, o *openwop.PausedObservation) {
			o.Log = steps("completed", began("wait"), runPaused, runResumed, over("wait"), began("say"), over("say"), runCompleted).log(t)
			o.Later = o.Log
		}, "passed passed " + openwopv1.OWPCTL24},
		{"comes to another result", func(t *testing.T, o *openwop.PausedObservation) {
			o.Log = steps("completed", began("wait"), runPaused, runResumed, over("wait"), began("between"), over("between"), began("say"), over("say"),
				event{"run.completed", map[string]any{"outputs": map[string]any{"said": "nothing"}}}).log(t)
			o.Later = o.Log
		}, "passed passed " + openwopv1.OWPCTL24},
		{"says the same whatever it is given", func(t *testing.T, o *openwop.PausedObservation) { o.Said = "m2" }, "passed passed " + openwopv1.OWPCTL24},
		{"fails when it is resumed", func(t *testing.T, o *openwop.PausedObservation) {
			o.Log = steps("failed", began("wait"), runPaused, runResumed, failed("internal_error")).log(t)
			o.Later = o.Log
			o.Late = told(t, "late", 409, map[string]any{"error": "run_terminal", "message": "no", "details": map[string]any{"runStatus": "failed"}})
		}, "passed passed " + openwopv1.OWPCTL24},
		{"says nothing of the pause on its log", func(t *testing.T, o *openwop.PausedObservation) {
			o.Log = steps("completed", began("wait"), over("wait"), began("between"), over("between"), began("say"), over("say"), runCompleted).log(t)
			o.Later = o.Log
		}, "passed passed " + openwopv1.OWPCTL25},
		{"resumes twice", func(t *testing.T, o *openwop.PausedObservation) {
			o.Log = steps("completed", began("wait"), runPaused, runResumed, runResumed, over("wait"), began("between"), over("between"), began("say"), over("say"), runCompleted).log(t)
			o.Later = o.Log
		}, "passed passed " + openwopv1.OWPCTL25},
		{"an empty log", func(t *testing.T, o *openwop.PausedObservation) { o.Before.Events = nil }, "blocked blocked blocked"},
		{"the other run does not end", func(t *testing.T, o *openwop.PausedObservation) { o.Control.Ended.Reached = false }, "blocked blocked blocked"},
		{"too late", func(t *testing.T, o *openwop.PausedObservation) { o.TooLate = true }, "blocked blocked blocked"},
		{"no run", func(t *testing.T, o *openwop.PausedObservation) { o.Created = no(t, 404, "not_found") }, "blocked blocked blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := pausedRun(t, began("wait"))
			c.spoil(t, &o)
			for i, want := range strings.Fields(c.want) {
				expect(t, []string{"paused-stands-still", "paused-is-refused", "resumed-goes-on"}[i], o, want)
			}
		})
	}
	t.Run("a node that ends before an immediate pause, and no reason on the log, are told", func(t *testing.T) {
		o := pausedRun(t, began("wait"), over("wait"))
		if got := findings(t, "paused-stands-still", o); !slices.Contains(got, openwopv1.OWPCTL22) {
			t.Errorf("findings: %v", got)
		}
		o.Reason = "another"
		if got := findings(t, "resumed-goes-on", o); !slices.Contains(got, openwopv1.OWPCTL26) {
			t.Errorf("findings: %v", got)
		}
	})
}

func TestJudgeOfDrainedRuns(t *testing.T) {
	for _, c := range []struct {
		name string
		far  []event
		want string
	}{
		{"honest", []event{began("wait"), over("wait")}, "passed"},
		{"paused a node later", []event{began("wait"), over("wait"), began("between"), over("between")}, "passed"},
		{"does not let the node end", []event{began("wait")}, openwopv1.OWPCTL21},
		{"begins the next", []event{began("wait"), over("wait"), began("between")}, openwopv1.OWPCTL21},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, "drained-stands-still", pausedRun(t, c.far...), c.want) })
	}
	o := pausedRun(t, began("wait"), over("wait"))
	o.After = steps("paused", began("wait"), over("wait"), runPaused, began("between")).stands(t)
	expect(t, "drained-stands-still", o, openwopv1.OWPCTL20)
}

func TestJudgeOfSuspendedRunsThatArePaused(t *testing.T) {
	asking := story{id: "r", status: "waiting-input", events: []event{runStarted, decided(1, "ask-user"), {"node.suspended", map[string]any{"nodeId": "supervisor"}}, {"interrupt.requested", map[string]any{}}}}
	resolved := event{"interrupt.resolved", map[string]any{"resumeValue": "m"}}
	end := []event{decided(2, "terminate"), runCompleted}
	honest := func(t *testing.T) openwop.PausedAskingObservation {
		held := openwop.Suspension{Turn: 1, Suspended: cameTo(t, "waiting-input"), Log: asking.stands(t), Marker: "m", Answered: wiretest.Status(t, 200)}
		return openwop.PausedAskingObservation{
			SuspendedLoop: openwop.SuspendedLoop{Way: "w", Turns: 2, Kinds: []string{"ask-user", "terminate"}, Held: held,
				Log: asking.then(runPaused, runResumed, resolved).then(end...).withStatus("completed").log(t)},
			Paused: taken(t, "paused"), Still: cameTo(t, "paused"), Answered: no(t, 409, "run_paused"), Sentinel: cameTo(t, "completed"),
			During: asking.then(runPaused).withStatus("paused").stands(t), Resumed: taken(t, "running"),
		}
	}
	for _, c := range []struct {
		name  string
		spoil func(*testing.T, *openwop.PausedAskingObservation)
		want  string
	}{
		{"honest", func(*testing.T, *openwop.PausedAskingObservation) {}, "passed"},
		{"keeps the answer", func(t *testing.T, o *openwop.PausedAskingObservation) {
			o.Answered, o.During = taken(t, "paused"), asking.then(runPaused, resolved).withStatus("paused").stands(t)
		}, "passed"},
		{"goes on by the answer", func(t *testing.T, o *openwop.PausedAskingObservation) {
			o.Answered, o.During = taken(t, "running"), asking.then(runPaused, resolved).then(end...).withStatus("completed").stands(t)
		}, openwopv1.OWPCTL28},
		{"goes on and hides it", func(t *testing.T, o *openwop.PausedAskingObservation) {
			o.During = asking.then(runPaused, resolved, decided(2, "terminate")).withStatus("paused").stands(t)
		}, openwopv1.OWPCTL28},
		{"cannot be paused", func(t *testing.T, o *openwop.PausedAskingObservation) { o.Paused = no(t, 409, "conflict") }, openwopv1.OWPCTL28},
		{"is never paused", func(t *testing.T, o *openwop.PausedAskingObservation) { o.Still.Reached = false }, openwopv1.OWPCTL28},
		{"forgets the question", func(t *testing.T, o *openwop.PausedAskingObservation) {
			o.Log = asking.then(runPaused, runResumed).then(end...).withStatus("failed").log(t)
		}, openwopv1.OWPCTL28},
		{"falls over at the answer", func(t *testing.T, o *openwop.PausedAskingObservation) { o.Answered = no(t, 500, "internal_error") }, openwopv1.OWPCTL28},
		{"never goes on", func(t *testing.T, o *openwop.PausedAskingObservation) { o.Log.Ended.Reached = false }, openwopv1.OWPCTL28},
		{"is not suspended", func(t *testing.T, o *openwop.PausedAskingObservation) { o.Held.Suspended.Reached = false }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest(t)
			c.spoil(t, &o)
			expect(t, "suspended-paused", o, c.want)
		})
	}
}

func TestJudgesOfRunsThatAreCancelledWhileTheyWait(t *testing.T) {
	cancelled := func(reason string, more ...event) story {
		return steps("cancelled", began("wait"), event{"run.cancelled", map[string]any{"reason": reason}}).then(more...)
	}
	ends := func(t *testing.T, s story) openwop.RunLog { return s.stands(t) }
	honest := func(t *testing.T, pause bool) openwop.ControlCancelObservation {
		o := openwop.ControlCancelObservation{Way: "assay-steps", Reason: "m", Created: madeRun(t, "r"), Live: wiretest.Value(t, map[string]any{"status": "running"}),
			Cancel: told(t, "it", 200, map[string]any{"status": "cancelled"}), Log: ends(t, cancelled("m")), Later: ends(t, cancelled("m")),
			Control: steps("completed", began("wait"), over("wait"), runCompleted).log(t)}
		if pause {
			o.Paused, o.Still = new(taken(t, "paused")), cameTo(t, "paused")
		}
		return o
	}
	for _, c := range []struct {
		name  string
		spoil func(*testing.T, *openwop.ControlCancelObservation)
		want  string // of cancelled-never-completes, paused-cancelled
	}{
		{"honest", func(*testing.T, *openwop.ControlCancelObservation) {}, "passed passed"},
		{"completes all the same", func(t *testing.T, o *openwop.ControlCancelObservation) {
			o.Later = ends(t, cancelled("m", over("wait")))
		}, openwopv1.OWPCTL11 + " " + openwopv1.OWPCTL27},
		{"becomes completed", func(t *testing.T, o *openwop.ControlCancelObservation) {
			o.Later = ends(t, cancelled("m").withStatus("completed"))
		}, openwopv1.OWPCTL11 + " passed"},
		{"refuses it", func(t *testing.T, o *openwop.ControlCancelObservation) {
			o.Cancel, o.Log = no(t, 409, "run_paused"), steps("paused", began("wait")).stands(t)
		}, "blocked " + openwopv1.OWPCTL27},
		{"never ends", func(t *testing.T, o *openwop.ControlCancelObservation) {
			o.Log = steps("cancelling", began("wait")).log(t)
		}, "blocked " + openwopv1.OWPCTL27},
		{"takes it with another 2xx", func(t *testing.T, o *openwop.ControlCancelObservation) {
			o.Cancel = told(t, "it", 202, map[string]any{"status": "cancelling"})
		}, "passed passed"},
		{"was over", func(t *testing.T, o *openwop.ControlCancelObservation) {
			o.Live = wiretest.Value(t, map[string]any{"status": "completed"})
		}, "blocked blocked"},
		{"the other run does not end", func(t *testing.T, o *openwop.ControlCancelObservation) { o.Control.Ended.Reached = false }, "blocked blocked"},
		{"no log tells of nodes", func(t *testing.T, o *openwop.ControlCancelObservation) {
			o.Control = steps("completed", runCompleted).log(t)
		}, "blocked blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i, want := range strings.Fields(c.want) {
				o := honest(t, i == 1)
				c.spoil(t, &o)
				expect(t, []string{"cancelled-never-completes", "paused-cancelled"}[i], o, want)
			}
		})
	}
	o := honest(t, false)
	o.Reason = "another"
	if got := findings(t, "cancelled-never-completes", o); !slices.Contains(got, openwopv1.OWPCTL12) {
		t.Errorf("findings: %v", got)
	}
	o = honest(t, true)
	o.Still.Reached = false
	expect(t, "paused-cancelled", o, "blocked")
	o = honest(t, true) // what it waited for was there before it was paused
	o.Log = steps("cancelled", began("wait"), over("wait"), runPaused, event{"run.cancelled", nil}).stands(t)
	o.Later = o.Log
	expect(t, "paused-cancelled", o, "blocked")
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

func TestJudgesOfDiffs(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: large observations")
	}
	drew := func(id, value string) story {
		s := story{id: id, status: "completed", events: []event{runStarted, began("random-1"), {"node.completed", map[string]any{"nodeId": "random-1", "outputs": map[string]any{"value": value}}}, {"run.completed", map[string]any{"outputs": map[string]any{}}}}}
		return s
	}
	fails := story{id: "f", status: "failed", events: []event{{"run.started", map[string]any{"workflowId": "other"}}, began("random-1"), {"node.failed", map[string]any{"nodeId": "random-1"}}, {"run.failed", map[string]any{}}, {"log.appended", map[string]any{}}}}
	one, two := drew("a", "x"), drew("b", "y")
	place := func(seq int, op string, a, b *story) map[string]any {
		p := map[string]any{"seq": seq, "op": op}
		if a != nil {
			p["aEvent"] = map[string]any{"type": a.events[seq].kind, "payload": a.events[seq].payload}
		}
		if b != nil {
			p["bEvent"] = map[string]any{"type": b.events[seq].kind, "payload": b.events[seq].payload}
		}
		return p
	}
	reply := func(t *testing.T, a, b string, first any, state map[string]any, places ...any) openwop.Answered {
		if places == nil {
			places = []any{}
		}
		return told(t, a+" and "+b, 200, map[string]any{"a": a, "b": b, "divergedAtSeq": first, "eventDiffs": places, "stateDiff": state})
	}
	none := map[string]any{}
	state := map[string]any{"status": map[string]any{"a": "completed", "b": "failed"}}
	all := []any{place(0, "changed", &one, &fails), place(2, "changed", &one, &fails), place(3, "changed", &one, &fails), place(4, "added", nil, &fails)}
	honest := func(t *testing.T) openwop.DiffObservation {
		return openwop.DiffObservation{
			Self:   openwop.Diffed{A: one.log(t), B: one.log(t), Reply: reply(t, "a", "a", nil, none)},
			Alike:  openwop.Diffed{A: one.log(t), B: two.log(t), Reply: reply(t, "a", "b", 2, none, place(2, "changed", &one, &two))},
			Other:  openwop.Diffed{A: one.log(t), B: fails.log(t), Reply: reply(t, "a", "f", 0, state, all...)},
			Replay: &openwop.Diffed{A: one.log(t), B: drew("c", "x").log(t), Reply: reply(t, "a", "c", nil, none)},
			Never:  []openwop.Answered{no(t, 404, "not_found"), no(t, 404, "not_found")},
		}
	}
	for _, c := range []struct {
		name  string
		spoil func(*testing.T, *openwop.DiffObservation)
		want  string // of diff-of-itself, diff-tells-all, diff-of-states, diff-of-unknown
	}{
		{"honest", func(*testing.T, *openwop.DiffObservation) {}, "passed passed passed passed"},
		{"shows no events", func(t *testing.T, o *openwop.DiffObservation) {
			o.Alike.Reply = reply(t, "a", "b", 2, none, map[string]any{"seq": 2, "op": "changed"})
		}, "passed passed passed passed"},
		{"stops early and says so", func(t *testing.T, o *openwop.DiffObservation) {
			o.Other.Reply = told(t, "it", 200, map[string]any{"a": "a", "b": "f", "divergedAtSeq": 0, "eventDiffs": all[:1], "stateDiff": state, "truncated": true})
		}, "passed passed passed passed"},
		{"stops early", func(t *testing.T, o *openwop.DiffObservation) {
			o.Other.Reply = reply(t, "a", "f", 0, state, all[:1]...)
		}, "passed " + openwopv1.OWPCTL32 + " passed passed"},
		{"tells of more places than there are", func(t *testing.T, o *openwop.DiffObservation) {
			o.Alike.Reply = reply(t, "a", "b", 2, none, slices.Repeat([]any{place(2, "changed", &one, &two)}, 100_000)...)
		}, "passed " + openwopv1.OWPCTL32 + " passed passed"},
		{"nothing ever differs", func(t *testing.T, o *openwop.DiffObservation) {
			o.Alike.Reply, o.Other.Reply = reply(t, "a", "b", nil, none), reply(t, "a", "f", nil, none)
		}, "passed " + openwopv1.OWPCTL32 + " " + openwopv1.OWPCTL36 + " passed"},
		{"everything differs", func(t *testing.T, o *openwop.DiffObservation) {
			o.Self.Reply = reply(t, "a", "a", 0, none, place(0, "changed", &one, &one))
		}, openwopv1.OWPCTL31 + " passed passed passed"},
		{"a state differs from itself", func(t *testing.T, o *openwop.DiffObservation) { o.Self.Reply = reply(t, "a", "a", nil, state) }, openwopv1.OWPCTL31 + " passed passed passed"},
		{"the wrong way round", func(t *testing.T, o *openwop.DiffObservation) {
			o.Alike.Reply = reply(t, "b", "a", 2, none, place(2, "changed", &two, &one))
		}, "passed " + openwopv1.OWPCTL30 + " passed passed"},
		{"added is removed", func(t *testing.T, o *openwop.DiffObservation) {
			o.Other.Reply = reply(t, "a", "f", 0, state, all[0], all[1], all[2], place(4, "removed", nil, &fails))
		}, "passed " + openwopv1.OWPCTL32 + " passed passed"},
		{"shows what was not there", func(t *testing.T, o *openwop.DiffObservation) {
			o.Alike.Reply = reply(t, "a", "b", 2, none, place(2, "changed", &two, &one))
		}, "passed " + openwopv1.OWPCTL33 + " passed passed"},
		{"says that they part later", func(t *testing.T, o *openwop.DiffObservation) {
			o.Alike.Reply = reply(t, "a", "b", 3, none, place(2, "changed", &one, &two))
		}, "passed " + openwopv1.OWPCTL34 + " passed passed"},
		{"says that they part nowhere", func(t *testing.T, o *openwop.DiffObservation) {
			o.Alike.Reply = reply(t, "a", "b", nil, none, place(2, "changed", &one, &two))
		}, "passed " + openwopv1.OWPCTL34 + " passed passed"},
		{"anything is there", func(t *testing.T, o *openwop.DiffObservation) { o.Never[1] = reply(t, "n", "a", nil, none) }, "passed passed passed " + openwopv1.OWPCTL37},
		{"falls over", func(t *testing.T, o *openwop.DiffObservation) { o.Never[0] = no(t, 500, "internal_error") }, "passed passed passed " + openwopv1.OWPCTL37},
		{"no workflow that fails", func(t *testing.T, o *openwop.DiffObservation) { o.Other = openwop.Diffed{} }, "passed passed blocked passed"},
		{"no two that differ", func(t *testing.T, o *openwop.DiffObservation) {
			o.Other, o.Alike = openwop.Diffed{}, openwop.Diffed{A: one.log(t), B: drew("b", "x").log(t), Reply: reply(t, "a", "b", nil, none)}
		}, "passed blocked blocked passed"},
		{"no log", func(t *testing.T, o *openwop.DiffObservation) {
			o.Self.A.Events, o.Alike.A.Events, o.Other.A.Events = nil, nil, nil
		}, "blocked blocked blocked blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest(t)
			c.spoil(t, &o)
			for i, want := range strings.Fields(c.want) {
				expect(t, []string{"diff-of-itself", "diff-tells-all", "diff-of-states", "diff-of-unknown"}[i], o, want)
			}
		})
	}
	t.Run("that ids and times count is told", func(t *testing.T) {
		o := honest(t)
		o.Replay.Reply = reply(t, "a", "c", 0, none)
		if got := findings(t, "diff-tells-all", o); !slices.Contains(got, openwopv1.OWPCTL35) {
			t.Errorf("findings of a replay that differs: %v", got)
		}
		o = honest(t)
		o.Alike.Reply = reply(t, "a", "b", 0, none, place(0, "changed", &one, &two), place(2, "changed", &one, &two))
		if got := findings(t, "diff-tells-all", o); !slices.Contains(got, openwopv1.OWPCTL35) {
			t.Errorf("findings of a place that is the same: %v", got)
		}
	})
}

func TestJudgesOfSnapshots(t *testing.T) {
	full := func(status string, edit func(map[string]any)) map[string]any {
		s := map[string]any{"runId": "r", "workflowId": "w", "status": status, "startedAt": "2026-11-01T00:00:00Z", "tags": []any{"a", "b"}, "metadata": map[string]any{"assay": "m"}}
		if status == "completed" || status == "failed" || status == "cancelled" {
			s["completedAt"] = "2026-11-01T00:00:01Z"
		}
		if status == "failed" {
			s["error"] = map[string]any{"code": "c", "message": "m"}
		}
		if edit != nil {
			edit(s)
		}
		return s
	}
	observe := func(t *testing.T, edit func(map[string]any)) openwop.SnapshotsObservation {
		var o openwop.SnapshotsObservation
		for _, status := range []string{"completed", "failed", "cancelled"} {
			end := wiretest.Value(t, full(status, edit))
			o.Runs = append(o.Runs, openwop.Snapped{Workflow: "w", Want: status, Tags: []string{"a", "b"}, Marker: "m", Created: madeRun(t, "r"), Early: told(t, "early", 200, full("running", nil)),
				Ended: wire.Wait{What: "the run has ended", Reached: true, Last: end}, Later: end})
		}
		return o
	}
	names := []string{"snapshot-well-formed", "ends-as-it-should", "failed-has-error", "times-of-a-run", "labels-kept"}
	for _, c := range []struct {
		name  string
		edit  func(map[string]any)
		want  string
		finds string // a requirement, and the scenario that tells of it
	}{
		{"honest", nil, "passed passed passed passed passed", ""},
		{"of another run", func(s map[string]any) { s["runId"] = "q" }, openwopv1.OWPCTL1 + " passed passed passed passed", ""},
		{"of another workflow", func(s map[string]any) { s["workflowId"] = "v" }, openwopv1.OWPCTL1 + " passed passed passed passed", ""},
		{"a status that there is not", func(s map[string]any) { s["status"] = "done" }, openwopv1.OWPCTL2 + " " + openwopv1.OWPCTL3 + " blocked passed passed", ""},
		{"all complete", func(s map[string]any) { s["status"] = "completed" }, "passed " + openwopv1.OWPCTL3 + " blocked passed passed", ""},
		{"an error without a code", func(s map[string]any) {
			if s["error"] != nil {
				s["error"] = map[string]any{"message": "m"}
			}
		}, "passed passed " + openwopv1.OWPCTL4 + " passed passed", "OWP-CTL-8 snapshot-well-formed"},
		{"an error as text", func(s map[string]any) {
			if s["error"] != nil {
				s["error"] = "it failed"
			}
		}, "passed passed " + openwopv1.OWPCTL4 + " passed passed", ""},
		{"costs as text", func(s map[string]any) { s["metrics"] = map[string]any{"openwopCost": "much"} }, openwopv1.OWPCTL8 + " passed passed passed passed", ""},
		{"an error of a run that completed", func(s map[string]any) { s["error"] = map[string]any{"code": "c", "message": "m"} }, "passed passed passed passed passed", "OWP-CTL-5 failed-has-error"},
		{"ends before it began", func(s map[string]any) { s["completedAt"] = "2026-10-31T00:00:00Z" }, "passed passed passed passed passed", "OWP-CTL-6 times-of-a-run"},
		{"endedAt", func(s map[string]any) { s["endedAt"] = s["completedAt"]; delete(s, "completedAt") }, "passed passed passed passed passed", "OWP-CTL-6 times-of-a-run"},
		{"loses its tags", func(s map[string]any) { delete(s, "tags") }, "passed passed passed passed passed", "OWP-CTL-7 labels-kept"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := observe(t, c.edit)
			for i, want := range strings.Fields(c.want) {
				expect(t, names[i], o, want)
			}
			if c.finds != "" {
				id, name, _ := strings.Cut(c.finds, " ")
				if got := findings(t, name, o); !slices.Contains(got, id) {
					t.Errorf("findings: %v", got)
				}
			}
		})
	}
	t.Run("a status that is in use is told", func(t *testing.T) {
		o := observe(t, nil)
		o.Runs[0].Early = told(t, "early", 200, full("waiting-clarification", nil))
		expect(t, "snapshot-well-formed", o, "passed")
		if got := findings(t, "snapshot-well-formed", o); !slices.Contains(got, openwopv1.OWPCTL2) {
			t.Errorf("findings: %v", got)
		}
	})
	t.Run("changes later", func(t *testing.T) {
		o := observe(t, nil)
		o.Runs[2].Later = wiretest.Value(t, full("completed", nil))
		expect(t, "ends-as-it-should", o, openwopv1.OWPCTL3)
	})
	t.Run("not made, or never over", func(t *testing.T) {
		for i, spoil := range []func(*openwop.Snapped){func(s *openwop.Snapped) { s.Created = no(t, 404, "not_found") }, func(s *openwop.Snapped) { s.Ended.Reached = false }} {
			for _, name := range names {
				o := observe(t, nil)
				spoil(&o.Runs[0])
				t.Run(fmt.Sprint(i, name), func(t *testing.T) { expect(t, name, o, "blocked") })
			}
		}
	})
}

func TestJudgeOfTheNodeThatWaits(t *testing.T) {
	asked := func(t *testing.T, snapshot map[string]any, answered int) openwop.AskedObservation {
		held := openwop.Suspension{Turn: 1, Suspended: wire.Wait{What: "the run is suspended", Reached: true, Last: wiretest.Value(t, snapshot)},
			Log: story{id: "r", status: "waiting-input", events: []event{runStarted, decided(1, "ask-user")}}.stands(t), Answered: wiretest.Status(t, answered)}
		return openwop.AskedObservation{SuspendedLoop: openwop.SuspendedLoop{Way: "w", Held: held}}
	}
	for name, c := range map[string]struct {
		o     openwop.AskedObservation
		found bool
	}{
		"named":               {asked(t, map[string]any{"currentNodeId": "supervisor"}, 200), false},
		"named elsewhere":     {asked(t, map[string]any{"interrupt": map[string]any{"nodeId": "supervisor"}}, 200), false},
		"not named":           {asked(t, map[string]any{"status": "waiting-input"}, 200), true},
		"another that is not": {asked(t, map[string]any{"currentNodeId": "other"}, 404), true},
	} {
		expect(t, "suspended-names-node", c.o, "passed")
		if got := findings(t, "suspended-names-node", c.o); slices.Contains(got, openwopv1.OWPCTL9) != c.found {
			t.Errorf("%s: findings %v", name, got)
		}
	}
	o := asked(t, map[string]any{}, 200)
	o.Seam = &openwop.SeamAnswer{}
	expect(t, "suspended-names-node", o, "blocked")
}
