package goals_test

import (
	"slices"
	"testing"
	"time"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/goals"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestJudgesOfAGoalAtItsBound(t *testing.T) {
	progress := func(iterations int, ids ...string) hosttest.Fields {
		return with(standing("bound-exceeded", 3), "progress", hosttest.Fields{"iterations": iterations, "contributingRunIds": ids})
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*goals.GoalObservation)
		want           string
	}{
		{"honest", "stops-at-bound", func(*goals.GoalObservation) {}, "passed"},
		{"stops a run early", "stops-at-bound", func(o *goals.GoalObservation) { *o = through(t, "bound-exceeded", 2); o.Runs = 3 },
			requirement.OWP0097G2},
		{"never moves", "stops-at-bound", func(o *goals.GoalObservation) { o.Ticks = []goals.GoalTick{stuck(t, 0)} }, requirement.OWP0097G2},
		{"ignores the bound", "stops-at-bound", func(o *goals.GoalObservation) {
			o.Ticks[2], o.Still = stuck(t, 3), goals.GoalStill{}
		}, requirement.OWP0097E4},
		{"is satisfied by its bound", "stops-at-bound", func(o *goals.GoalObservation) { o.Ticks[2] = ticked(t, "satisfied", 3) },
			requirement.OWP0097E4},
		{"fires one run more", "stops-at-bound", func(o *goals.GoalObservation) { o.Still = still(t, "bound-exceeded", 4) },
			requirement.OWP0097E4},
		{"goes on again", "stops-at-bound", func(o *goals.GoalObservation) { o.Still = still(t, "active", 3) }, requirement.OWP0097E4},
		{"fires a run and hides it", "stops-at-bound", func(o *goals.GoalObservation) {
			o.Still.Strays = []host.Child{{ID: "run-4", Snapshot: wiretest.Value(t, hosttest.Fields{"runId": "run-4"})}}
		}, requirement.OWP0097E4},
		{"counts what was not there", "stops-at-bound", func(o *goals.GoalObservation) {
			o.Ticks[2].Shown.Last, o.Still.Later.Body = wiretest.Value(t, progress(3, "run-1")), wiretest.Value(t, progress(3, "run-1"))
		}, requirement.OWP0097E4},
		{"one run for all", "stops-at-bound", func(o *goals.GoalObservation) {
			o.Ticks[2].Shown.Last, o.Still.Later.Body = wiretest.Value(t, progress(3, "run-1", "run-1", "run-1")),
				wiretest.Value(t, progress(3, "run-1", "run-1", "run-1"))
		}, requirement.OWP0097E4},
		{"shows no progress", "stops-at-bound", func(o *goals.GoalObservation) {
			o.Still.Later.Body = wiretest.Value(t, with(standing("bound-exceeded", 3), "progress", nil))
		}, "blocked"},
		{"the seam falls over", "stops-at-bound", func(o *goals.GoalObservation) { o.Ticks = []goals.GoalTick{refusedTick(t, 500)} }, "blocked"},
		{"the seam falls over at the end", "stops-at-bound", func(o *goals.GoalObservation) { o.Still.Ticks[0] = refusedTick(t, 500) },
			"blocked"},
		{"the goal is not made", "stops-at-bound", func(o *goals.GoalObservation) {
			*o = goals.GoalObservation{Runs: 3, Goal: refusedGoal(t, 400, objective)}
		}, "blocked"},

		{"honest", "closed-at-bound", func(*goals.GoalObservation) {}, "passed"},
		{"is not closed", "closed-at-bound", func(o *goals.GoalObservation) {
			o.Trail.Events = eventList(t, goalLog("bound-exceeded", 3)[:3])
		}, requirement.OWP0097D3},
		{"is closed twice", "closed-at-bound", func(o *goals.GoalObservation) {
			o.Trail.Events = eventList(t, append(goalLog("bound-exceeded", 3), goalEvent(9, "goal.closed",
				hosttest.Fields{"finalState": "bound-exceeded"})))
		}, requirement.OWP0097D3},
		{"is closed as something else", "closed-at-bound",
			func(o *goals.GoalObservation) { o.Trail.Events = eventList(t, goalLog("satisfied", 3)) }, requirement.OWP0097E7},
		{"closes another goal", "closed-at-bound", func(o *goals.GoalObservation) { o.Goal.ID = "g-2" }, requirement.OWP0097D3},
		{"did not end", "closed-at-bound", func(o *goals.GoalObservation) {
			o.Ticks[2], o.Still = stuck(t, 3), goals.GoalStill{}
		}, "blocked"},
		{"has no place for events", "closed-at-bound", func(o *goals.GoalObservation) { o.Trail.Events = wire.Value{} }, "blocked"},

		{"honest", "exceeded-stays-exceeded", func(*goals.GoalObservation) {}, "passed"},
		{"an edit that is answered and does nothing", "exceeded-stays-exceeded",
			func(o *goals.GoalObservation) { o.Revival.Edited = o.Revival.Resumed }, "passed"},
		{"is edited", "exceeded-stays-exceeded", func(o *goals.GoalObservation) {
			o.Revival.Still.Later = replied(t, 200, with(standing("bound-exceeded", 3), "objective", "another"))
		}, requirement.OWP0097C4},
		{"is revived", "exceeded-stays-exceeded", func(o *goals.GoalObservation) { o.Revival.Still = still(t, "active", 3) },
			requirement.OWP0097E4},
		{"fires when it is resumed", "exceeded-stays-exceeded",
			func(o *goals.GoalObservation) { o.Revival.Still = still(t, "bound-exceeded", 4) }, requirement.OWP0097E4},
		{"did not end", "exceeded-stays-exceeded", func(o *goals.GoalObservation) { o.Still = still(t, "active", 3) }, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := through(t, "bound-exceeded", 3)
			c.spoil(&o)
			hosttest.Expect(t, c.scenario, o, c.want)
		})
	}
}

func TestJudgeOfCosts(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*goals.GoalObservation)
		want  string
	}{
		{"honest", func(*goals.GoalObservation) {}, "passed"},
		{"stops before the cost is reached", func(o *goals.GoalObservation) {
			o.Ticks = []goals.GoalTick{ticked(t, "bound-exceeded", 1)}
		}, requirement.OWP0097E5},
		{"ignores the cost", func(o *goals.GoalObservation) {
			o.Ticks[2], o.Still = stuck(t, 3), goals.GoalStill{}
		}, requirement.OWP0097E5},
		{"spends more after it", func(o *goals.GoalObservation) { o.Still = still(t, "bound-exceeded", 4) }, requirement.OWP0097E5},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := goals.GoalCostObservation{GoalObservation: through(t, "bound-exceeded", 3)}
			c.spoil(&o.GoalObservation)
			hosttest.Expect(t, "cost-bound", o, c.want)
		})
		t.Run(c.name+", of a small one", func(t *testing.T) {
			o := goals.GoalCostObservation{GoalObservation: through(t, "bound-exceeded", 3), Small: through(t, "bound-exceeded", 3)}
			c.spoil(&o.Small)
			hosttest.Expect(t, "cost-bound", o, c.want)
		})
	}
}

// What was spent before a person was asked is spent.
func TestJudgeOfCostsAroundAnEscalation(t *testing.T) {
	for name, c := range map[string]struct{ state, want string }{
		"it counts":            {"bound-exceeded", "passed"},
		"it counts no more":    {"active", requirement.OWP0097E5},
		"it is said otherwise": {"escalated", requirement.OWP0097E5},
	} {
		t.Run(name, func(t *testing.T) {
			o := goals.GoalCostObservation{GoalObservation: through(t, "bound-exceeded", 3)}
			o.Around = goals.GoalSpent{Resumed: replied(t, 200, standing("active", 2)), Last: ticked(t, c.state, 3)}
			hosttest.Expect(t, "cost-bound", o, c.want)
		})
	}
	o := goals.GoalCostObservation{GoalObservation: through(t, "bound-exceeded", 3)}
	o.Around = goals.GoalSpent{Resumed: replied(t, 200, standing("active", 2)), Last: ticked(t, "active", 2)}
	hosttest.Expect(t, "cost-bound", o, "passed") // no further run is shown
	o.Around.Last = stuck(t, 3)
	hosttest.Expect(t, "cost-bound", o, requirement.OWP0097E5) // it goes on, however long that is waited for
}

// A seam that falls over at the second goal shows nothing of its cost.
func TestCostsOfASeamThatFallsOver(t *testing.T) {
	o := goals.GoalCostObservation{GoalObservation: through(t, "bound-exceeded", 3), Small: through(t, "bound-exceeded", 3)}
	o.Small.Ticks, o.Small.Still = []goals.GoalTick{refusedTick(t, 500)}, goals.GoalStill{}
	hosttest.Expect(t, "cost-bound", o, "blocked")
}

// A verdict without a confidence is not shown with the one that the verdict before it had.
func TestJudgeOfBareVerdicts(t *testing.T) {
	judged := func(run string, confidence any) wire.Wait {
		verdict := hosttest.Fields{"satisfied": false, "runId": run, "confidence": confidence}
		if confidence == nil {
			delete(verdict, "confidence")
		}
		goal := with(standing("active", 1), "completion", hosttest.Fields{"check": "verifier", "lastVerdict": verdict})
		return wire.Wait{Reached: true, Last: wiretest.Value(t, goal)}
	}
	for _, c := range []struct {
		name        string
		before, now wire.Wait
		want        string
	}{
		{"shows none", judged("run-1", 0.25), judged("run-2", nil), "passed"},
		{"shows one of its own", judged("run-1", 0.25), judged("run-2", 1), "passed"},
		{"showed none before", judged("run-1", nil), judged("run-2", 0.5), "passed"},
		{"has not judged the run yet", judged("run-1", 0.25), judged("run-1", 0.25), "passed"},
		{"keeps the one before", judged("run-1", 0.25), judged("run-2", 0.25), requirement.OWP0097C3},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := through(t, "satisfied", 3)
			o.Bare, o.Ticks[0].Shown, o.Ticks[1].Shown = 2, c.before, c.now
			hosttest.Expect(t, "runs-of-the-goal", o, c.want)
		})
	}
}

func TestJudgesOfASatisfiedGoal(t *testing.T) {
	evaluated := func(n int, edit func(hosttest.Fields)) func(*goals.GoalObservation) {
		return func(o *goals.GoalObservation) {
			log := goalLog("satisfied", 3)
			edit(log[n]["payload"].(hosttest.Fields))
			o.Trail.Events = eventList(t, log)
		}
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*goals.GoalObservation)
		want           string
	}{
		{"honest", "satisfied-disarms", func(*goals.GoalObservation) {}, "passed"},
		{"satisfied before the judge is", "satisfied-disarms", func(o *goals.GoalObservation) {
			o.Ticks = []goals.GoalTick{ticked(t, "satisfied", 1)}
		}, requirement.OWP0097E1},
		{"never satisfied", "satisfied-disarms", func(o *goals.GoalObservation) { o.Ticks[2] = stuck(t, 3) }, requirement.OWP0097E1},
		{"works on", "satisfied-disarms", func(o *goals.GoalObservation) { o.Still = still(t, "satisfied", 4) }, requirement.OWP0097G1},
		{"is opened again by a later verdict", "satisfied-disarms", func(o *goals.GoalObservation) { o.Still = still(t, "active", 3) },
			requirement.OWP0097G1},

		{"works on", "evaluations-attributed", func(o *goals.GoalObservation) { o.Still = still(t, "satisfied", 4) }, "blocked"},
		{"works on", "runs-of-the-goal", func(o *goals.GoalObservation) { o.Still = still(t, "satisfied", 4) }, "blocked"},
		{"satisfied before the judge is", "evaluated-and-closed", func(o *goals.GoalObservation) {
			o.Ticks = []goals.GoalTick{ticked(t, "satisfied", 1)}
		}, "blocked"},

		{"honest", "evaluated-and-closed", func(*goals.GoalObservation) {}, "passed"},
		{"judges the last run only", "evaluated-and-closed",
			func(o *goals.GoalObservation) { o.Trail.Events = eventList(t, goalLog("satisfied", 3)[2:]) }, requirement.OWP0097D1},
		{"says satisfied each time", "evaluated-and-closed", evaluated(0, func(p hosttest.Fields) { p["satisfied"] = true }),
			requirement.OWP0097D1},
		{"counts from 0", "evaluated-and-closed", evaluated(0, func(p hosttest.Fields) { p["iterations"] = 0 }), requirement.OWP0097D1},
		{"names no run", "evaluated-and-closed", evaluated(1, func(p hosttest.Fields) { delete(p, "runId") }), requirement.OWP0097D1},
		{"is not closed", "evaluated-and-closed",
			func(o *goals.GoalObservation) { o.Trail.Events = eventList(t, goalLog("satisfied", 3)[:3]) }, requirement.OWP0097D3},
		{"is closed as abandoned", "evaluated-and-closed", evaluated(3, func(p hosttest.Fields) { p["finalState"] = "abandoned" }),
			requirement.OWP0097D3},
		{"shows no event in a log of its own", "evaluated-and-closed",
			func(o *goals.GoalObservation) { o.Trail.Events = eventList(t, []hosttest.Fields{}) }, requirement.OWP0097D1},
		{"has no place for events", "evaluated-and-closed", func(o *goals.GoalObservation) { o.Trail.Events = wire.Value{} }, "blocked"},

		{"honest", "evaluations-attributed", func(*goals.GoalObservation) {}, "passed"},
		{"names a run that is not the goal's", "evaluations-attributed", evaluated(1, func(p hosttest.Fields) { p["runId"] = "run-9" }),
			requirement.OWP0097E9},
		{"names the last run each time", "evaluations-attributed", evaluated(0, func(p hosttest.Fields) { p["runId"] = "run-3" }),
			requirement.OWP0097E9},
		{"the last verdict is of an earlier run", "evaluations-attributed", func(o *goals.GoalObservation) {
			o.Still.Later = replied(t, 200, with(standing("satisfied", 3), "completion", hosttest.Fields{"check": "verifier",
				"lastVerdict": hosttest.Fields{"satisfied": true, "runId": "run-1"}}))
		}, requirement.OWP0097E9},

		{"honest", "runs-of-the-goal", func(*goals.GoalObservation) {}, "passed"},
		{"shows no progress", "runs-of-the-goal", func(o *goals.GoalObservation) {
			o.Still.Later = replied(t, 200, with(standing("satisfied", 3), "progress", nil))
		}, requirement.OWP0097C3},
		{"shows no verdict", "runs-of-the-goal", func(o *goals.GoalObservation) {
			o.Still.Later = replied(t, 200, with(standing("satisfied", 3), "completion", hosttest.Fields{"check": "verifier", "lastVerdict": nil}))
		}, requirement.OWP0097C3},
		{"a run that is not there", "runs-of-the-goal", func(o *goals.GoalObservation) {
			o.Trail.Runs[1].Snapshot = wiretest.Value(t, hosttest.Fields{"error": "not_found"})
		}, requirement.OWP0097E10},
		{"one run under every id", "runs-of-the-goal",
			func(o *goals.GoalObservation) { o.Trail.Runs[1].Snapshot = o.Trail.Runs[0].Snapshot }, requirement.OWP0097E10},
		{"a run that did nothing", "runs-of-the-goal", func(o *goals.GoalObservation) { o.Trail.Runs[0].Log.Events = nil },
			requirement.OWP0097E10},
		{"one log for every run", "runs-of-the-goal", func(o *goals.GoalObservation) { o.Trail.Runs[1].Log = o.Trail.Runs[0].Log },
			requirement.OWP0097E10},
		{"any id is served as a run", "runs-of-the-goal", func(o *goals.GoalObservation) { o.Trail.Stranger = wiretest.Status(t, 200) },
			requirement.OWP0097E10},

		{"honest", "content-free", func(*goals.GoalObservation) {}, "passed"},
		{"the whole objective in an event", "content-free", evaluated(1, func(p hosttest.Fields) { p["objective"] = objective }),
			requirement.OWP0097D2},
		{"half of it", "content-free", evaluated(3, func(p hosttest.Fields) { p["reason"] = "done: " + objective[:25] }), requirement.OWP0097D2},
		{"in the reply to a tick", "content-free", func(o *goals.GoalObservation) {
			o.Ticks[0].Events = eventList(t, []hosttest.Fields{goalEvent(0, "goal.evaluated", hosttest.Fields{"note": objective})})
		}, requirement.OWP0097D2},
		{"in the log of a run", "content-free", func(o *goals.GoalObservation) {
			o.Trail.Runs[2].Log = contributingLog(t, "run-3", goalEvent(0, "goal.closed", hosttest.Fields{"note": objective}))
		}, requirement.OWP0097D2},
		{"the goal hides its objective", "content-free", func(o *goals.GoalObservation) {
			o.Goal.Fresh = replied(t, 200, with(standing("active", 0), "objective", "***"))
		}, "blocked"},
		{"there is no event", "content-free", func(o *goals.GoalObservation) { o.Trail.Events = eventList(t, []hosttest.Fields{}) }, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := through(t, "satisfied", 3)
			c.spoil(&o)
			hosttest.Expect(t, c.scenario, o, c.want)
		})
	}
}

// The RFC does not say where goal events stand: three places count, and
// only the seam's own word is weaker evidence.
func TestTheHomesOfGoalEvents(t *testing.T) {
	log := goalLog("satisfied", 2)
	inRuns := func(o *goals.GoalObservation) {
		o.Trail.Events = wire.Value{}
		o.Trail.Runs[0].Log = contributingLog(t, "run-1", log[0])
		o.Trail.Runs[1].Log = contributingLog(t, "run-2", log[1], log[2], log[0]) // a copy counts once
	}
	inReplies := func(o *goals.GoalObservation) {
		o.Trail.Events = wire.Value{}
		o.Ticks[0].Events, o.Ticks[1].Events = eventList(t, log[:1]), eventList(t, log[1:])
	}
	empty := func(o *goals.GoalObservation) { o.Trail.Events = eventList(t, []hosttest.Fields{}) }
	for _, c := range []struct {
		name  string
		put   []func(*goals.GoalObservation)
		seen  scenarios.Evidence
		wants string
	}{
		{"its own log", nil, scenarios.Observed, "passed"},
		{"the logs of its runs", []func(*goals.GoalObservation){inRuns}, scenarios.Observed, "passed"},
		{"the replies to its ticks", []func(*goals.GoalObservation){inReplies}, scenarios.Attested, "passed"},
		{"the logs of its runs, and an empty one of its own", []func(*goals.GoalObservation){inRuns, empty}, scenarios.Observed, "passed"},
		{"none of them", []func(*goals.GoalObservation){empty}, scenarios.Observed, requirement.OWP0097D1},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := through(t, "satisfied", 2)
			for _, put := range c.put {
				put(&o)
			}
			hosttest.Expect(t, "evaluated-and-closed", o, c.wants)
			out := scenarios.Conclude(hosttest.Scenario(t, "evaluated-and-closed"), openwop.Protocol.Ledger, o)
			if out.Evidence != c.seen {
				t.Errorf("evidence %s, want %s", out.Evidence, c.seen)
			}
			if out = scenarios.Conclude(hosttest.Scenario(t, "satisfied-disarms"), openwop.Protocol.Ledger, o); out.Evidence != scenarios.Observed {
				t.Errorf("what is read of the goal itself is %s", out.Evidence)
			}
		})
	}
	t.Run("an objective in the inputs of a run is a finding", func(t *testing.T) {
		o := through(t, "satisfied", 2)
		o.Trail.Runs[0].Log = contributingLog(t, "run-1", hosttest.Fields{"eventId": "v", "type": "variable.changed",
			"payload": hosttest.Fields{"value": objective}})
		out := scenarios.Conclude(hosttest.Scenario(t, "content-free"), openwop.Protocol.Ledger, o)
		if out.Verdict != scenarios.Passed || len(out.Findings) != 1 {
			t.Errorf("%s, findings %v", out.Verdict, out.Findings)
		}
	})
}

func TestJudgeOfEscalation(t *testing.T) {
	run := func(status string) host.Child {
		return host.Child{ID: "run-2", Snapshot: wiretest.Value(t, hosttest.Fields{"runId": "run-2", "status": status})}
	}
	for _, c := range []struct {
		name  string
		spoil func(*goals.GoalObservation)
		want  string
	}{
		{"honest", func(*goals.GoalObservation) {}, "passed"},
		{"stays active", func(o *goals.GoalObservation) { o.Ticks[1] = stuck(t, 2) }, requirement.OWP0097E8},
		{"is always escalated", func(o *goals.GoalObservation) { o.Ticks = []goals.GoalTick{ticked(t, "escalated", 1)} }, requirement.OWP0097E8},
		{"gives up instead", func(o *goals.GoalObservation) { o.Ticks[1] = ticked(t, "abandoned", 2) }, requirement.OWP0097E8},
		{"fires the next run", func(o *goals.GoalObservation) { o.Still = still(t, "escalated", 3) }, requirement.OWP0097E8},
		{"is satisfied though nobody answered", func(o *goals.GoalObservation) { o.Still = still(t, "satisfied", 2) }, requirement.OWP0097E8},
		{"the run that is stuck has ended", func(o *goals.GoalObservation) { o.Stuck = run("completed") }, requirement.OWP0097E8},
		{"the run that is stuck is nowhere", func(o *goals.GoalObservation) {
			o.Stuck.Snapshot = wiretest.Value(t, hosttest.Fields{"error": "not_found"})
		}, requirement.OWP0097E8},
		{"no run is named", func(o *goals.GoalObservation) { o.Stuck = host.Child{} }, "blocked"},
		{"the seam does not know how", func(o *goals.GoalObservation) { o.Ticks[1] = refusedTick(t, 400) }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := through(t, "escalated", 2)
			o.Stuck = run("waiting-approval")
			c.spoil(&o)
			hosttest.Expect(t, "escalation-halts", goals.GoalEscalatedObservation{GoalObservation: o}, c.want)
		})
	}
}

func TestJudgeOfTicksAtOnce(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*goals.GoalRaceObservation)
		want  string
	}{
		{"honest", func(*goals.GoalRaceObservation) {}, "passed"},
		{"some ticks had to wait", func(o *goals.GoalRaceObservation) { o.After = []goals.GoalTick{ticked(t, "bound-exceeded", 3)} }, "passed"},
		{"one run too many", func(o *goals.GoalRaceObservation) { o.Still = still(t, "bound-exceeded", 4) }, requirement.OWP0097E4},
		{"one run too few", func(o *goals.GoalRaceObservation) { o.Still = still(t, "bound-exceeded", 2) }, requirement.OWP0097E4},
		{"is active still", func(o *goals.GoalRaceObservation) { o.Still = still(t, "active", 3) }, requirement.OWP0097E4},
		{"a run that lost the race is there", func(o *goals.GoalRaceObservation) {
			o.Still.Strays = []host.Child{{ID: "run-4", Snapshot: wiretest.Value(t, hosttest.Fields{"runId": "run-4"})}}
		}, requirement.OWP0097E4},
		{"its runs have other names", func(o *goals.GoalRaceObservation) { o.AtOnce[0].RunID = wiretest.Value(t, `"run-of-the-tick"`) },
			"blocked"},
		{"names a run of its own", func(o *goals.GoalRaceObservation) { o.AtOnce[0].RunID = wiretest.Value(t, `"run-1"`) }, "passed"},
		{"the seam falls over", func(o *goals.GoalRaceObservation) { o.After = []goals.GoalTick{refusedTick(t, 500)} }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := goals.GoalRaceObservation{Goal: made(t), Bound: 3, AtOnce: slices.Repeat([]goals.GoalTick{refusedTick(t, 409)}, 6),
				Still: still(t, "bound-exceeded", 3)}
			c.spoil(&o)
			hosttest.Expect(t, "ticked-at-once", o, c.want)
		})
	}
}

func TestJudgeOfTheDeadline(t *testing.T) {
	ended := func(state string, runs int, reached bool) wire.Wait {
		return wire.Wait{What: "the goal has ended", Reached: reached, Last: wiretest.Value(t, standing(state, runs))}
	}
	paused := func(status int, end wire.Wait) func(*goals.GoalDeadlineObservation) {
		return func(o *goals.GoalDeadlineObservation) {
			o.Paused = goals.GoalLapse{Goal: made(t), Paused: replied(t, status, standing("paused", 0)), Ended: end}
		}
	}
	touched := func(runs int, end wire.Wait) func(*goals.GoalDeadlineObservation) {
		return func(o *goals.GoalDeadlineObservation) {
			o.Touched = []goals.GoalTouched{{What: "resumed", Goal: made(t), Before: wiretest.Value(t, standing("active", runs)), Ended: end}}
		}
	}
	atOnce := func(end wire.Wait) func(*goals.GoalDeadlineObservation) {
		return func(o *goals.GoalDeadlineObservation) { o.AtOnce = goals.GoalLapse{Goal: made(t), Ended: end} }
	}
	for _, c := range []struct {
		name  string
		spoil func(*goals.GoalDeadlineObservation)
		want  string
	}{
		{"honest", func(*goals.GoalDeadlineObservation) {}, "passed"},
		{"notices when it is ticked", func(o *goals.GoalDeadlineObservation) { o.Passed = replied(t, 200, standing("active", 1)) }, "passed"},
		{"has no time at all", func(o *goals.GoalDeadlineObservation) {
			o.Goal.Fresh, o.Early = replied(t, 200, standing("bound-exceeded", 0)), goals.GoalTick{}
		}, requirement.OWP0097E6},
		{"has no time for a second run", func(o *goals.GoalDeadlineObservation) { o.Early = ticked(t, "bound-exceeded", 0) },
			requirement.OWP0097E6},
		{"never ends", func(o *goals.GoalDeadlineObservation) { o.Ended = ended("active", 2, false) }, requirement.OWP0097E6},
		{"fires a run too late", func(o *goals.GoalDeadlineObservation) { o.Still = still(t, "bound-exceeded", 2) }, requirement.OWP0097E6},
		{"ends as something else", func(o *goals.GoalDeadlineObservation) { o.Still = still(t, "abandoned", 1) }, requirement.OWP0097E6},
		{"is too slow to tell", func(o *goals.GoalDeadlineObservation) { o.EarlyBy = 700 * time.Millisecond }, "blocked"},
		{"the seam falls over", func(o *goals.GoalDeadlineObservation) { o.Early = refusedTick(t, 500) }, "blocked"},
		{"never moves", func(o *goals.GoalDeadlineObservation) { o.Early = stuck(t, 0) }, "blocked"},
		{"ends one that is paused", paused(200, ended("bound-exceeded", 0, true)), "passed"},
		{"pauses none", paused(409, wire.Wait{}), "passed"},
		{"keeps one that is paused", paused(200, ended("paused", 0, false)), requirement.OWP0097E6},
		{"ends one that was resumed", touched(0, ended("bound-exceeded", 0, true)), "passed"},
		{"ends one that was resumed with fewer runs", touched(2, ended("bound-exceeded", 1, true)), "passed"},
		{"keeps one that was resumed", touched(0, ended("active", 0, false)), requirement.OWP0097E6},
		{"runs one on that was resumed", touched(1, ended("active", 2, true)), requirement.OWP0097E6},
		{"ends one that was resumed a run late", touched(1, ended("bound-exceeded", 2, true)), requirement.OWP0097E6},
		{"gives up one that was resumed", touched(1, ended("abandoned", 1, true)), requirement.OWP0097E6},
		{"ends one with a deadline of 0", atOnce(ended("bound-exceeded", 0, true)), "passed"},
		{"takes a deadline of 0 for none", atOnce(ended("active", 1, false)), "passed"},
		{"gives up one with a deadline of 0", atOnce(ended("abandoned", 0, true)), requirement.OWP0097E6},
		{"gives up one that is paused", paused(200, ended("abandoned", 0, true)), requirement.OWP0097E6},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := goals.GoalDeadlineObservation{Goal: made(t), Deadline: 500 * time.Millisecond, EarlyBy: 20 * time.Millisecond,
				Early:  ticked(t, "active", 1),
				Passed: replied(t, 200, standing("bound-exceeded", 1)), Late: refusedTick(t, 409), Ended: ended("bound-exceeded", 1, true),
				Still: still(t, "bound-exceeded", 1)}
			c.spoil(&o)
			hosttest.Expect(t, "deadline", o, c.want)
		})
	}
}

func TestJudgeOfAPause(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*goals.GoalPauseObservation)
		want  string
	}{
		{"honest", func(*goals.GoalPauseObservation) {}, "passed"},
		{"shows the pause", func(o *goals.GoalPauseObservation) { o.Still = still(t, "paused", 1) }, "passed"},
		{"goes on while it is paused", func(o *goals.GoalPauseObservation) { o.Still = still(t, "active", 3) }, requirement.OWP0097C5},
		{"does not go on again", func(o *goals.GoalPauseObservation) { o.After = stuck(t, 1) }, requirement.OWP0097C5},
		{"may not be paused by us", func(o *goals.GoalPauseObservation) { o.Paused = replied(t, 403, hosttest.Fields{}) }, "blocked"},
		{"cannot be paused", func(o *goals.GoalPauseObservation) { o.Paused = replied(t, 404, hosttest.Fields{}) }, requirement.OWP0097C5},
		{"cannot be resumed", func(o *goals.GoalPauseObservation) { o.Resumed.Reply = replied(t, 404, hosttest.Fields{}) },
			requirement.OWP0097C5},
		{"ends when it is resumed", func(o *goals.GoalPauseObservation) { o.Resumed.After = replied(t, 200, standing("satisfied", 1)) },
			requirement.OWP0097C5},
		{"never moved", func(o *goals.GoalPauseObservation) { o.Before = stuck(t, 0) }, "blocked"},
		{"the seam falls over after", func(o *goals.GoalPauseObservation) { o.After = refusedTick(t, 500) }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			active := replied(t, 200, standing("active", 1))
			o := goals.GoalPauseObservation{Goal: made(t), Before: ticked(t, "active", 1), Paused: active, Still: still(t, "active", 1),
				Resumed: goals.GoalEdit{Reply: active, After: active}, After: ticked(t, "active", 2)}
			c.spoil(&o)
			hosttest.Expect(t, "pause-halts", o, c.want)
		})
	}
}
