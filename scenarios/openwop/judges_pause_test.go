package openwop_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

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
