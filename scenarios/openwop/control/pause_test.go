package control_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/control"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// pausedRun is an honest observation. far is the run's progress when it stands
// still.
func pausedRun(t *testing.T, far ...hosttest.Event) control.PausedObservation {
	t.Helper()
	whole := []hosttest.Event{began("wait"), over("wait"), began("between"), over("between"), began("say"), over("say")}
	still := steps("paused", append(slices.Clone(far), runPaused)...)
	rest := append(slices.Clone(whole[len(far):]), runCompleted)
	other := steps("completed", append(slices.Clone(whole), runCompleted)...)
	other.Id = "c"
	log := still.WithStatus("completed").Then(runResumed).Then(rest...)
	return control.PausedObservation{
		Way: "assay-steps", Said: "say", Reason: "m1", Created: hosttest.MadeRun(t, "r"), Paused: taken(t, "paused"), Still: cameTo(t, "paused"),
		Before: stands(still, t), After: stands(still, t), Control: other.Log(t), Resumed: taken(t, "running"), Log: log.Log(t),
		Later: log.Log(t),
		Again: hosttest.Told(t, "again", 409, map[string]any{"error": "run_paused", "message": "no",
			"details": map[string]any{"runStatus": "paused"}}),
		Late: hosttest.Told(t, "late", 409, map[string]any{"error": "run_terminal", "message": "no",
			"details": map[string]any{"runStatus": "completed"}}),
	}
}

func TestJudgesOfPausedRuns(t *testing.T) {
	goesOn := func(t *testing.T, o *control.PausedObservation) {
		o.After = stands(steps("completed", began("wait"), runPaused, over("wait"), began("between"), over("between"), runCompleted), t)
	}
	for _, c := range []struct {
		name  string
		spoil func(*testing.T, *control.PausedObservation)
		want  string // of paused-stands-still, paused-is-refused, resumed-goes-on
	}{
		{"honest", func(*testing.T, *control.PausedObservation) {}, "passed passed passed"},
		{"other words for taken", func(t *testing.T, o *control.PausedObservation) {
			o.Paused, o.Resumed = hosttest.Told(t, "it", 200, map[string]any{}), hosttest.Told(t, "it", 200, map[string]any{})
		}, "passed passed passed"},
		{"does not take it", func(t *testing.T, o *control.PausedObservation) {
			o.Paused, o.Still.Reached = hosttest.No(t, 409, "conflict"), false
		}, openwop.OWPCTL19 + " blocked blocked"},
		{"takes it and does nothing", func(t *testing.T, o *control.PausedObservation) {
			o.Still.Reached, o.Still.Last = false, wiretest.Value(t, map[string]any{"status": "completed"})
		}, openwop.OWPCTL19 + " blocked blocked"},
		{"goes on when its time has come", goesOn, openwop.OWPCTL20 + " passed passed"},
		{"goes on and says that it does not", func(t *testing.T, o *control.PausedObservation) {
			o.After = stands(steps("paused", began("wait"), runPaused, over("wait")), t)
		}, openwop.OWPCTL20 + " passed passed"},
		{"went on before anybody looked", func(t *testing.T, o *control.PausedObservation) {
			o.Before = stands(steps("paused", began("wait"), runPaused, began("between")), t)
			o.After = o.Before
		}, openwop.OWPCTL20 + " passed passed"},
		{"stands still and does not say so", func(t *testing.T, o *control.PausedObservation) {
			o.After = stands(steps("running", began("wait"), runPaused), t)
		}, openwop.OWPCTL20 + " passed passed"},
		{"notes that a lease was renewed", func(t *testing.T, o *control.PausedObservation) {
			o.After = stands(steps("paused", began("wait"), runPaused, hosttest.Event{Kind: "lease.renewed", Payload: nil}), t)
		}, "passed passed passed"},
		{"lets itself be paused twice", func(t *testing.T, o *control.PausedObservation) { o.Again = taken(t, "paused") },
			"passed " + openwop.OWPCTL23 + " passed"},
		{"pauses what has ended", func(t *testing.T, o *control.PausedObservation) { o.Late = taken(t, "paused") },
			"passed " + openwop.OWPCTL23 + " passed"},
		{"does not say how the run stands", func(t *testing.T,
			o *control.PausedObservation) {
			o.Late = hosttest.No(t, 409, "run_terminal")
		}, "passed " + openwop.OWPCTL23 + " passed"},
		{"says that what has ended is paused", func(t *testing.T, o *control.PausedObservation) { o.Late = o.Again },
			"passed " + openwop.OWPCTL23 + " passed"},
		{"refuses in words of its own", func(t *testing.T, o *control.PausedObservation) {
			o.Again = hosttest.Told(t, "again", 409, map[string]any{"status": "paused"})
		}, "passed " + openwop.OWPERR4 + " passed"},
		{"refuses and does it", func(t *testing.T, o *control.PausedObservation) {
			o.Later = steps("paused").Log(t)
		}, "passed " + openwop.OWPCTL23 + " passed"},
		{"cannot be resumed", func(t *testing.T, o *control.PausedObservation) {
			o.Resumed, o.Log = hosttest.No(t, 409, "conflict"), host.RunLog{}
		}, "passed blocked " + openwop.OWPCTL24},
		{"is resumed and stands still", func(t *testing.T, o *control.PausedObservation) { o.Log.Ended.Reached = false },
			"passed blocked " + openwop.OWPCTL24},
		{"does a node again", func(t *testing.T, o *control.PausedObservation) {
			o.Log = steps("completed", began("wait"), over("wait"), runPaused, runResumed, began("wait"), over("wait"), began("between"),
				over("between"), began("say"), over("say"), runCompleted).Log(t)
			o.Later = o.Log
		}, "passed passed " + openwop.OWPCTL24},
		{"leaves a node out", func(t *testing.T, o *control.PausedObservation) {
			o.Log = steps("completed", began("wait"), runPaused, runResumed, over("wait"), began("say"), over("say"), runCompleted).Log(t)
			o.Later = o.Log
		}, "passed passed " + openwop.OWPCTL24},
		{"comes to another result", func(t *testing.T, o *control.PausedObservation) {
			o.Log = steps("completed", began("wait"), runPaused, runResumed, over("wait"), began("between"), over("between"), began("say"),
				over("say"),
				hosttest.Event{Kind: "run.completed", Payload: map[string]any{"outputs": map[string]any{"said": "nothing"}}}).Log(t)
			o.Later = o.Log
		}, "passed passed " + openwop.OWPCTL24},
		{"says the same whatever it is given", func(t *testing.T, o *control.PausedObservation) { o.Said = "m2" },
			"passed passed " + openwop.OWPCTL24},
		{"fails when it is resumed", func(t *testing.T, o *control.PausedObservation) {
			o.Log = steps("failed", began("wait"), runPaused, runResumed, hosttest.Failed("internal_error")).Log(t)
			o.Later = o.Log
			o.Late = hosttest.Told(t, "late", 409, map[string]any{"error": "run_terminal", "message": "no",
				"details": map[string]any{"runStatus": "failed"}})
		}, "passed passed " + openwop.OWPCTL24},
		{"says nothing of the pause on its log", func(t *testing.T, o *control.PausedObservation) {
			o.Log = steps("completed", began("wait"), over("wait"), began("between"), over("between"), began("say"), over("say"),
				runCompleted).Log(t)
			o.Later = o.Log
		}, "passed passed " + openwop.OWPCTL25},
		{"resumes twice", func(t *testing.T, o *control.PausedObservation) {
			o.Log = steps("completed", began("wait"), runPaused, runResumed, runResumed, over("wait"), began("between"), over("between"),
				began("say"), over("say"), runCompleted).Log(t)
			o.Later = o.Log
		}, "passed passed " + openwop.OWPCTL25},
		{"an empty log", func(t *testing.T, o *control.PausedObservation) { o.Before.Events = nil }, "blocked blocked blocked"},
		{"the other run does not end", func(t *testing.T, o *control.PausedObservation) { o.Control.Ended.Reached = false },
			"blocked blocked blocked"},
		{"too late", func(t *testing.T, o *control.PausedObservation) { o.TooLate = true }, "blocked blocked blocked"},
		{"no run", func(t *testing.T, o *control.PausedObservation) { o.Created = hosttest.No(t, 404, "not_found") }, "blocked blocked blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := pausedRun(t, began("wait"))
			c.spoil(t, &o)
			for i, want := range strings.Fields(c.want) {
				hosttest.Expect(t, []string{"paused-stands-still", "paused-is-refused", "resumed-goes-on"}[i], o, want)
			}
		})
	}
	t.Run("a host that drains alone is not asked for an immediate pause, and for all else", func(t *testing.T) {
		o := pausedRun(t, began("wait"), over("wait"))
		o.Drains = true
		hosttest.Expect(t, "paused-stands-still", o, "inapplicable")
		hosttest.Expect(t, "paused-is-refused", o, "passed")
		hosttest.Expect(t, "resumed-goes-on", o, "passed")
		for scenario, want := range map[string]string{"paused-stands-still": "inapplicable", "resumed-goes-on": "blocked"} {
			hosttest.Expect(t, scenario, control.PausedObservation{Drains: true}, want)
		}
	})
	t.Run("a node that ends before an immediate pause, and no reason on the log, are told", func(t *testing.T) {
		o := pausedRun(t, began("wait"), over("wait"))
		if got := hosttest.Findings(t, "paused-stands-still", o); !slices.Contains(got, openwop.OWPCTL22) {
			t.Errorf("findings: %v", got)
		}
		o.Reason = "another"
		if got := hosttest.Findings(t, "resumed-goes-on", o); !slices.Contains(got, openwop.OWPCTL26) {
			t.Errorf("findings: %v", got)
		}
	})
}

func TestJudgeOfDrainedRuns(t *testing.T) {
	for _, c := range []struct {
		name string
		far  []hosttest.Event
		want string
	}{
		{"honest", []hosttest.Event{began("wait"), over("wait")}, "passed"},
		{"paused a node later", []hosttest.Event{began("wait"), over("wait"), began("between"), over("between")}, "passed"},
		{"does not let the node end", []hosttest.Event{began("wait")}, openwop.OWPCTL21},
		{"begins the next", []hosttest.Event{began("wait"), over("wait"), began("between")}, openwop.OWPCTL21},
	} {
		t.Run(c.name, func(t *testing.T) { hosttest.Expect(t, "drained-stands-still", pausedRun(t, c.far...), c.want) })
	}
	o := pausedRun(t, began("wait"), over("wait"))
	o.After = stands(steps("paused", began("wait"), over("wait"), runPaused, began("between")), t)
	hosttest.Expect(t, "drained-stands-still", o, openwop.OWPCTL20)
}

func TestJudgeOfSuspendedRunsThatArePaused(t *testing.T) {
	asking := hosttest.Story{Id: "r", Status: "waiting-input", Events: []hosttest.Event{runStarted, hosttest.Decided(1, "ask-user"),
		{Kind: "node.suspended", Payload: map[string]any{"nodeId": "supervisor"}}, {Kind: "interrupt.requested", Payload: map[string]any{}}}}
	resolved := hosttest.Event{Kind: "interrupt.resolved", Payload: map[string]any{"resumeValue": "m"}}
	end := []hosttest.Event{hosttest.Decided(2, "terminate"), runCompleted}
	honest := func(t *testing.T) control.PausedAskingObservation {
		held := host.Suspension{Turn: 1, Suspended: cameTo(t, "waiting-input"), Log: stands(asking, t), Marker: "m",
			Answered: wiretest.Status(t, 200)}
		return control.PausedAskingObservation{
			SuspendedLoop: host.SuspendedLoop{Way: "w", Turns: 2, Kinds: []string{"ask-user", "terminate"}, Held: held,
				Log: asking.Then(runPaused, runResumed, resolved).Then(end...).WithStatus("completed").Log(t)},
			Paused: taken(t, "paused"), Still: cameTo(t, "paused"), Answered: hosttest.No(t, 409, "run_paused"), Sentinel: cameTo(t, "completed"),
			During: stands(asking.Then(runPaused).WithStatus("paused"), t), Resumed: taken(t, "running"),
		}
	}
	for _, c := range []struct {
		name  string
		spoil func(*testing.T, *control.PausedAskingObservation)
		want  string
	}{
		{"honest", func(*testing.T, *control.PausedAskingObservation) {}, "passed"},
		{"keeps the answer", func(t *testing.T, o *control.PausedAskingObservation) {
			o.Answered, o.During = taken(t, "paused"), stands(asking.Then(runPaused, resolved).WithStatus("paused"), t)
		}, "passed"},
		{"goes on by the answer", func(t *testing.T, o *control.PausedAskingObservation) {
			o.Answered, o.During = taken(t, "running"), stands(asking.Then(runPaused, resolved).Then(end...).WithStatus("completed"), t)
		}, openwop.OWPCTL28},
		{"goes on and hides it", func(t *testing.T, o *control.PausedAskingObservation) {
			o.During = stands(asking.Then(runPaused, resolved, hosttest.Decided(2, "terminate")).WithStatus("paused"), t)
		}, openwop.OWPCTL28},
		{"does not pause what waits", func(t *testing.T, o *control.PausedAskingObservation) {
			o.Paused = hosttest.Told(t, "it", 409, map[string]any{"error": "conflict", "message": "no",
				"details": map[string]any{"runStatus": "waiting-input"}})
		}, "inapplicable"},
		{"cannot be paused", func(t *testing.T, o *control.PausedAskingObservation) {
			o.Paused = hosttest.No(t, 500, "internal_error")
		},
			openwop.OWPCTL28},
		{"shows what it waits for while it is paused", func(t *testing.T, o *control.PausedAskingObservation) {
			o.Still = cameTo(t, "waiting-input")
			o.Still.Reached = false
			o.During = stands(asking.Then(runPaused), t)
		}, "passed"},
		{"is said to be paused, and goes on by the answer", func(t *testing.T, o *control.PausedAskingObservation) {
			o.Still = cameTo(t, "waiting-input")
			o.Still.Reached = false
			o.Answered, o.During = taken(t, "running"), stands(asking.Then(resolved).Then(end...).WithStatus("completed"), t)
		}, openwop.OWPCTL28},
		{"is never paused", func(t *testing.T, o *control.PausedAskingObservation) {
			o.Still = cameTo(t, "running")
			o.Still.Reached = false
		}, openwop.OWPCTL28},
		{"forgets the question", func(t *testing.T, o *control.PausedAskingObservation) {
			o.Log = asking.Then(runPaused, runResumed).Then(end...).WithStatus("failed").Log(t)
		}, openwop.OWPCTL28},
		{"falls over at the answer", func(t *testing.T, o *control.PausedAskingObservation) {
			o.Answered = hosttest.No(t, 500, "internal_error")
		}, openwop.OWPCTL28},
		{"never goes on", func(t *testing.T, o *control.PausedAskingObservation) { o.Log.Ended.Reached = false }, openwop.OWPCTL28},
		{"is not suspended", func(t *testing.T, o *control.PausedAskingObservation) { o.Held.Suspended.Reached = false }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest(t)
			c.spoil(t, &o)
			hosttest.Expect(t, "suspended-paused", o, c.want)
		})
	}
}

func TestJudgesOfRunsThatAreCancelledWhileTheyWait(t *testing.T) {
	cancelled := func(reason string, more ...hosttest.Event) hosttest.Story {
		return steps("cancelled", began("wait"), hosttest.Event{Kind: "run.cancelled", Payload: map[string]any{"reason": reason}}).Then(more...)
	}
	ends := func(t *testing.T, s hosttest.Story) host.RunLog { return stands(s, t) }
	honest := func(t *testing.T, pause bool) control.ControlCancelObservation {
		o := control.ControlCancelObservation{Way: "assay-steps", Reason: "m", Created: hosttest.MadeRun(t, "r"),
			Live:   wiretest.Value(t, map[string]any{"status": "running"}),
			Cancel: hosttest.Told(t, "it", 200, map[string]any{"status": "cancelled"}), Log: ends(t, cancelled("m")), Later: ends(t, cancelled("m")),
			Control: steps("completed", began("wait"), over("wait"), runCompleted).Log(t)}
		if pause {
			o.Paused, o.Still = new(taken(t, "paused")), cameTo(t, "paused")
		}
		return o
	}
	for _, c := range []struct {
		name  string
		spoil func(*testing.T, *control.ControlCancelObservation)
		want  string // of cancelled-never-completes, paused-cancelled
	}{
		{"honest", func(*testing.T, *control.ControlCancelObservation) {}, "passed passed"},
		{"completes all the same", func(t *testing.T, o *control.ControlCancelObservation) {
			o.Later = ends(t, cancelled("m", over("wait")))
		}, openwop.OWPCTL11 + " " + openwop.OWPCTL27},
		{"becomes completed", func(t *testing.T, o *control.ControlCancelObservation) {
			o.Later = ends(t, cancelled("m").WithStatus("completed"))
		}, openwop.OWPCTL11 + " passed"},
		{"refuses it", func(t *testing.T, o *control.ControlCancelObservation) {
			o.Cancel, o.Log = hosttest.No(t, 409, "run_paused"), stands(steps("paused", began("wait")), t)
		}, "blocked " + openwop.OWPCTL27},
		{"never ends", func(t *testing.T, o *control.ControlCancelObservation) {
			o.Log = steps("cancelling", began("wait")).Log(t)
		}, "blocked " + openwop.OWPCTL27},
		{"takes it with another 2xx", func(t *testing.T, o *control.ControlCancelObservation) {
			o.Cancel = hosttest.Told(t, "it", 202, map[string]any{"status": "cancelling"})
		}, "passed passed"},
		{"was over", func(t *testing.T, o *control.ControlCancelObservation) {
			o.Live = wiretest.Value(t, map[string]any{"status": "completed"})
		}, "blocked blocked"},
		{"the other run does not end", func(t *testing.T, o *control.ControlCancelObservation) { o.Control.Ended.Reached = false },
			"blocked blocked"},
		{"no log tells of nodes", func(t *testing.T, o *control.ControlCancelObservation) {
			o.Control = steps("completed", runCompleted).Log(t)
		}, "blocked blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i, want := range strings.Fields(c.want) {
				o := honest(t, i == 1)
				c.spoil(t, &o)
				hosttest.Expect(t, []string{"cancelled-never-completes", "paused-cancelled"}[i], o, want)
			}
		})
	}
	o := honest(t, false)
	o.Reason = "another"
	if got := hosttest.Findings(t, "cancelled-never-completes", o); !slices.Contains(got, openwop.OWPCTL12) {
		t.Errorf("findings: %v", got)
	}
	o = honest(t, true)
	o.Still.Reached = false
	hosttest.Expect(t, "paused-cancelled", o, "blocked")
	for want, more := range map[string][]hosttest.Event{"passed": nil, openwop.OWPCTL27: {over("between")}} {
		o = honest(t, true) // the host lets the node under way end, and no other
		o.Drains = true
		drained := steps("cancelled", began("wait"), over("wait"), runPaused, hosttest.Event{Kind: "run.cancelled", Payload: nil})
		o.Log, o.Later = stands(drained, t), stands(drained.Then(more...), t)
		hosttest.Expect(t, "paused-cancelled", o, want)
	}
	o = honest(t, true) // its wait was over before it was paused
	o.Log = stands(steps("cancelled", began("wait"), over("wait"), runPaused, hosttest.Event{Kind: "run.cancelled", Payload: nil}), t)
	o.Later = o.Log
	hosttest.Expect(t, "paused-cancelled", o, "blocked")
}
