package openwop_test

import (
	"slices"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestJudgesOfAGoalAtItsBound(t *testing.T) {
	progress := func(iterations int, ids ...string) fields {
		return with(standing("bound-exceeded", 3), "progress", fields{"iterations": iterations, "contributingRunIds": ids})
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*openwop.GoalObservation)
		want           string
	}{
		{"honest", "stops-at-bound", func(*openwop.GoalObservation) {}, "passed"},
		{"stops a run early", "stops-at-bound", func(o *openwop.GoalObservation) { *o = through(t, "bound-exceeded", 2); o.Runs = 3 }, openwopv1.OWP0097G2},
		{"never moves", "stops-at-bound", func(o *openwop.GoalObservation) { o.Ticks = []openwop.GoalTick{stuck(t, 0)} }, openwopv1.OWP0097G2},
		{"ignores the bound", "stops-at-bound", func(o *openwop.GoalObservation) {
			o.Ticks[2], o.Still = stuck(t, 3), openwop.GoalStill{}
		}, openwopv1.OWP0097E4},
		{"is satisfied by its bound", "stops-at-bound", func(o *openwop.GoalObservation) { o.Ticks[2] = ticked(t, "satisfied", 3) }, openwopv1.OWP0097E4},
		{"fires one run more", "stops-at-bound", func(o *openwop.GoalObservation) { o.Still = still(t, "bound-exceeded", 4) }, openwopv1.OWP0097E4},
		{"goes on again", "stops-at-bound", func(o *openwop.GoalObservation) { o.Still = still(t, "active", 3) }, openwopv1.OWP0097E4},
		{"fires a run and hides it", "stops-at-bound", func(o *openwop.GoalObservation) {
			o.Still.Strays = []openwop.Child{{ID: "run-4", Snapshot: wiretest.Value(t, fields{"runId": "run-4"})}}
		}, openwopv1.OWP0097E4},
		{"counts what was not there", "stops-at-bound", func(o *openwop.GoalObservation) {
			o.Ticks[2].Shown.Last, o.Still.Later.Body = wiretest.Value(t, progress(3, "run-1")), wiretest.Value(t, progress(3, "run-1"))
		}, openwopv1.OWP0097E4},
		{"one run for all", "stops-at-bound", func(o *openwop.GoalObservation) {
			o.Ticks[2].Shown.Last, o.Still.Later.Body = wiretest.Value(t, progress(3, "run-1", "run-1", "run-1")), wiretest.Value(t, progress(3, "run-1", "run-1", "run-1"))
		}, openwopv1.OWP0097E4},
		{"shows no progress", "stops-at-bound", func(o *openwop.GoalObservation) {
			o.Still.Later.Body = wiretest.Value(t, with(standing("bound-exceeded", 3), "progress", nil))
		}, "blocked"},
		{"the seam falls over", "stops-at-bound", func(o *openwop.GoalObservation) { o.Ticks = []openwop.GoalTick{refusedTick(t, 500)} }, "blocked"},
		{"the seam falls over at the end", "stops-at-bound", func(o *openwop.GoalObservation) { o.Still.Ticks[0] = refusedTick(t, 500) }, "blocked"},
		{"the goal is not made", "stops-at-bound", func(o *openwop.GoalObservation) {
			*o = openwop.GoalObservation{Runs: 3, Goal: refusedGoal(t, 400, objective)}
		}, "blocked"},

		{"honest", "closed-at-bound", func(*openwop.GoalObservation) {}, "passed"},
		{"is not closed", "closed-at-bound", func(o *openwop.GoalObservation) {
			o.Trail.Events = eventList(t, goalLog("bound-exceeded", 3)[:3])
		}, openwopv1.OWP0097D3},
		{"is closed twice", "closed-at-bound", func(o *openwop.GoalObservation) {
			o.Trail.Events = eventList(t, append(goalLog("bound-exceeded", 3), goalEvent(9, "goal.closed", fields{"finalState": "bound-exceeded"})))
		}, openwopv1.OWP0097D3},
		{"is closed as something else", "closed-at-bound", func(o *openwop.GoalObservation) { o.Trail.Events = eventList(t, goalLog("satisfied", 3)) }, openwopv1.OWP0097E7},
		{"closes another goal", "closed-at-bound", func(o *openwop.GoalObservation) { o.Goal.ID = "g-2" }, openwopv1.OWP0097D3},
		{"did not end", "closed-at-bound", func(o *openwop.GoalObservation) {
			o.Ticks[2], o.Still = stuck(t, 3), openwop.GoalStill{}
		}, "blocked"},
		{"has no place for events", "closed-at-bound", func(o *openwop.GoalObservation) { o.Trail.Events = wire.Value{} }, "blocked"},

		{"honest", "exceeded-stays-exceeded", func(*openwop.GoalObservation) {}, "passed"},
		{"an edit that is answered and does nothing", "exceeded-stays-exceeded", func(o *openwop.GoalObservation) { o.Revival.Edited = o.Revival.Resumed }, "passed"},
		{"is edited", "exceeded-stays-exceeded", func(o *openwop.GoalObservation) {
			o.Revival.Still.Later = replied(t, 200, with(standing("bound-exceeded", 3), "objective", "another"))
		}, openwopv1.OWP0097C4},
		{"is revived", "exceeded-stays-exceeded", func(o *openwop.GoalObservation) { o.Revival.Still = still(t, "active", 3) }, openwopv1.OWP0097E4},
		{"fires when it is resumed", "exceeded-stays-exceeded", func(o *openwop.GoalObservation) { o.Revival.Still = still(t, "bound-exceeded", 4) }, openwopv1.OWP0097E4},
		{"did not end", "exceeded-stays-exceeded", func(o *openwop.GoalObservation) { o.Still = still(t, "active", 3) }, "blocked"},

		{"honest", "cost-bound", func(*openwop.GoalObservation) {}, "passed"},
		{"stops before the cost is reached", "cost-bound", func(o *openwop.GoalObservation) {
			o.Ticks = []openwop.GoalTick{ticked(t, "bound-exceeded", 1)}
		}, openwopv1.OWP0097E5},
		{"ignores the cost", "cost-bound", func(o *openwop.GoalObservation) {
			o.Ticks[2], o.Still = stuck(t, 3), openwop.GoalStill{}
		}, openwopv1.OWP0097E5},
		{"spends more after it", "cost-bound", func(o *openwop.GoalObservation) { o.Still = still(t, "bound-exceeded", 4) }, openwopv1.OWP0097E5},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := through(t, "bound-exceeded", 3)
			c.spoil(&o)
			expect(t, c.scenario, o, c.want)
		})
	}
}

func TestJudgesOfASatisfiedGoal(t *testing.T) {
	evaluated := func(n int, edit func(fields)) func(*openwop.GoalObservation) {
		return func(o *openwop.GoalObservation) {
			log := goalLog("satisfied", 3)
			edit(log[n]["payload"].(fields))
			o.Trail.Events = eventList(t, log)
		}
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*openwop.GoalObservation)
		want           string
	}{
		{"honest", "satisfied-disarms", func(*openwop.GoalObservation) {}, "passed"},
		{"satisfied before the judge is", "satisfied-disarms", func(o *openwop.GoalObservation) {
			o.Ticks = []openwop.GoalTick{ticked(t, "satisfied", 1)}
		}, openwopv1.OWP0097E1},
		{"never satisfied", "satisfied-disarms", func(o *openwop.GoalObservation) { o.Ticks[2] = stuck(t, 3) }, openwopv1.OWP0097E1},
		{"works on", "satisfied-disarms", func(o *openwop.GoalObservation) { o.Still = still(t, "satisfied", 4) }, openwopv1.OWP0097G1},
		{"is opened again by a later verdict", "satisfied-disarms", func(o *openwop.GoalObservation) { o.Still = still(t, "active", 3) }, openwopv1.OWP0097G1},

		{"works on", "evaluations-attributed", func(o *openwop.GoalObservation) { o.Still = still(t, "satisfied", 4) }, "blocked"},
		{"works on", "runs-of-the-goal", func(o *openwop.GoalObservation) { o.Still = still(t, "satisfied", 4) }, "blocked"},
		{"satisfied before the judge is", "evaluated-and-closed", func(o *openwop.GoalObservation) {
			o.Ticks = []openwop.GoalTick{ticked(t, "satisfied", 1)}
		}, "blocked"},

		{"honest", "evaluated-and-closed", func(*openwop.GoalObservation) {}, "passed"},
		{"judges the last run only", "evaluated-and-closed", func(o *openwop.GoalObservation) { o.Trail.Events = eventList(t, goalLog("satisfied", 3)[2:]) }, openwopv1.OWP0097D1},
		{"says satisfied each time", "evaluated-and-closed", evaluated(0, func(p fields) { p["satisfied"] = true }), openwopv1.OWP0097D1},
		{"counts from 0", "evaluated-and-closed", evaluated(0, func(p fields) { p["iterations"] = 0 }), openwopv1.OWP0097D1},
		{"names no run", "evaluated-and-closed", evaluated(1, func(p fields) { delete(p, "runId") }), openwopv1.OWP0097D1},
		{"is not closed", "evaluated-and-closed", func(o *openwop.GoalObservation) { o.Trail.Events = eventList(t, goalLog("satisfied", 3)[:3]) }, openwopv1.OWP0097D3},
		{"is closed as abandoned", "evaluated-and-closed", evaluated(3, func(p fields) { p["finalState"] = "abandoned" }), openwopv1.OWP0097D3},
		{"shows no event in a log of its own", "evaluated-and-closed", func(o *openwop.GoalObservation) { o.Trail.Events = eventList(t, []fields{}) }, openwopv1.OWP0097D1},
		{"has no place for events", "evaluated-and-closed", func(o *openwop.GoalObservation) { o.Trail.Events = wire.Value{} }, "blocked"},

		{"honest", "evaluations-attributed", func(*openwop.GoalObservation) {}, "passed"},
		{"names a run that is not the goal's", "evaluations-attributed", evaluated(1, func(p fields) { p["runId"] = "run-9" }), openwopv1.OWP0097E9},
		{"names the last run each time", "evaluations-attributed", evaluated(0, func(p fields) { p["runId"] = "run-3" }), openwopv1.OWP0097E9},
		{"the last verdict is of an earlier run", "evaluations-attributed", func(o *openwop.GoalObservation) {
			o.Still.Later = replied(t, 200, with(standing("satisfied", 3), "completion", fields{"check": "verifier", "lastVerdict": fields{"satisfied": true, "runId": "run-1"}}))
		}, openwopv1.OWP0097E9},

		{"honest", "runs-of-the-goal", func(*openwop.GoalObservation) {}, "passed"},
		{"shows no progress", "runs-of-the-goal", func(o *openwop.GoalObservation) {
			o.Still.Later = replied(t, 200, with(standing("satisfied", 3), "progress", nil))
		}, openwopv1.OWP0097C3},
		{"shows no verdict", "runs-of-the-goal", func(o *openwop.GoalObservation) {
			o.Still.Later = replied(t, 200, with(standing("satisfied", 3), "completion", fields{"check": "verifier", "lastVerdict": nil}))
		}, openwopv1.OWP0097C3},
		{"a run that is not there", "runs-of-the-goal", func(o *openwop.GoalObservation) {
			o.Trail.Runs[1].Snapshot = wiretest.Value(t, fields{"error": "not_found"})
		}, openwopv1.OWP0097E10},
		{"one run under every id", "runs-of-the-goal", func(o *openwop.GoalObservation) { o.Trail.Runs[1].Snapshot = o.Trail.Runs[0].Snapshot }, openwopv1.OWP0097E10},
		{"a run that did nothing", "runs-of-the-goal", func(o *openwop.GoalObservation) { o.Trail.Runs[0].Log.Events = nil }, openwopv1.OWP0097E10},
		{"one log for every run", "runs-of-the-goal", func(o *openwop.GoalObservation) { o.Trail.Runs[1].Log = o.Trail.Runs[0].Log }, openwopv1.OWP0097E10},
		{"any id is served as a run", "runs-of-the-goal", func(o *openwop.GoalObservation) { o.Trail.Stranger = wiretest.Status(t, 200) }, openwopv1.OWP0097E10},

		{"honest", "content-free", func(*openwop.GoalObservation) {}, "passed"},
		{"the whole objective in an event", "content-free", evaluated(1, func(p fields) { p["objective"] = objective }), openwopv1.OWP0097D2},
		{"half of it", "content-free", evaluated(3, func(p fields) { p["reason"] = "done: " + objective[:25] }), openwopv1.OWP0097D2},
		{"in the reply to a tick", "content-free", func(o *openwop.GoalObservation) {
			o.Ticks[0].Events = eventList(t, []fields{goalEvent(0, "goal.evaluated", fields{"note": objective})})
		}, openwopv1.OWP0097D2},
		{"in the log of a run", "content-free", func(o *openwop.GoalObservation) {
			o.Trail.Runs[2].Log = contributingLog(t, "run-3", goalEvent(0, "goal.closed", fields{"note": objective}))
		}, openwopv1.OWP0097D2},
		{"the goal hides its objective", "content-free", func(o *openwop.GoalObservation) {
			o.Goal.Fresh = replied(t, 200, with(standing("active", 0), "objective", "***"))
		}, "blocked"},
		{"there is no event", "content-free", func(o *openwop.GoalObservation) { o.Trail.Events = eventList(t, []fields{}) }, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := through(t, "satisfied", 3)
			c.spoil(&o)
			expect(t, c.scenario, o, c.want)
		})
	}
}

// The text gives the events of a goal no home: three places count, and only
// the seam's own word counts for less.
func TestTheHomesOfGoalEvents(t *testing.T) {
	log := goalLog("satisfied", 2)
	inRuns := func(o *openwop.GoalObservation) {
		o.Trail.Events = wire.Value{}
		o.Trail.Runs[0].Log = contributingLog(t, "run-1", log[0])
		o.Trail.Runs[1].Log = contributingLog(t, "run-2", log[1], log[2], log[0]) // what was copied counts once
	}
	inReplies := func(o *openwop.GoalObservation) {
		o.Trail.Events = wire.Value{}
		o.Ticks[0].Events, o.Ticks[1].Events = eventList(t, log[:1]), eventList(t, log[1:])
	}
	empty := func(o *openwop.GoalObservation) { o.Trail.Events = eventList(t, []fields{}) }
	for _, c := range []struct {
		name  string
		put   []func(*openwop.GoalObservation)
		seen  scenarios.Evidence
		wants string
	}{
		{"its own log", nil, scenarios.Observed, "passed"},
		{"the logs of its runs", []func(*openwop.GoalObservation){inRuns}, scenarios.Observed, "passed"},
		{"the replies to its ticks", []func(*openwop.GoalObservation){inReplies}, scenarios.Attested, "passed"},
		{"the logs of its runs, and an empty one of its own", []func(*openwop.GoalObservation){inRuns, empty}, scenarios.Observed, "passed"},
		{"none of them", []func(*openwop.GoalObservation){empty}, scenarios.Observed, openwopv1.OWP0097D1},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := through(t, "satisfied", 2)
			for _, put := range c.put {
				put(&o)
			}
			expect(t, "evaluated-and-closed", o, c.wants)
			out := scenarios.Conclude(scenario(t, "evaluated-and-closed"), openwop.Protocol.Ledger, o)
			if out.Evidence != c.seen {
				t.Errorf("evidence %s, want %s", out.Evidence, c.seen)
			}
			if out = scenarios.Conclude(scenario(t, "satisfied-disarms"), openwop.Protocol.Ledger, o); out.Evidence != scenarios.Observed {
				t.Errorf("what is read of the goal itself is %s", out.Evidence)
			}
		})
	}
	t.Run("an objective in the inputs of a run is a finding", func(t *testing.T) {
		o := through(t, "satisfied", 2)
		o.Trail.Runs[0].Log = contributingLog(t, "run-1", fields{"eventId": "v", "type": "variable.changed", "payload": fields{"value": objective}})
		out := scenarios.Conclude(scenario(t, "content-free"), openwop.Protocol.Ledger, o)
		if out.Verdict != scenarios.Passed || len(out.Findings) != 1 {
			t.Errorf("%s, findings %v", out.Verdict, out.Findings)
		}
	})
}

func TestJudgeOfEscalation(t *testing.T) {
	run := func(status string) openwop.Child {
		return openwop.Child{ID: "run-2", Snapshot: wiretest.Value(t, fields{"runId": "run-2", "status": status})}
	}
	for _, c := range []struct {
		name  string
		spoil func(*openwop.GoalObservation)
		want  string
	}{
		{"honest", func(*openwop.GoalObservation) {}, "passed"},
		{"stays active", func(o *openwop.GoalObservation) { o.Ticks[1] = stuck(t, 2) }, openwopv1.OWP0097E8},
		{"is always escalated", func(o *openwop.GoalObservation) { o.Ticks = []openwop.GoalTick{ticked(t, "escalated", 1)} }, openwopv1.OWP0097E8},
		{"gives up instead", func(o *openwop.GoalObservation) { o.Ticks[1] = ticked(t, "abandoned", 2) }, openwopv1.OWP0097E8},
		{"fires the next run", func(o *openwop.GoalObservation) { o.Still = still(t, "escalated", 3) }, openwopv1.OWP0097E8},
		{"is satisfied though nobody answered", func(o *openwop.GoalObservation) { o.Still = still(t, "satisfied", 2) }, openwopv1.OWP0097E8},
		{"the run that is stuck has ended", func(o *openwop.GoalObservation) { o.Stuck = run("completed") }, openwopv1.OWP0097E8},
		{"the run that is stuck is nowhere", func(o *openwop.GoalObservation) { o.Stuck.Snapshot = wiretest.Value(t, fields{"error": "not_found"}) }, openwopv1.OWP0097E8},
		{"no run is named", func(o *openwop.GoalObservation) { o.Stuck = openwop.Child{} }, "blocked"},
		{"the seam does not know how", func(o *openwop.GoalObservation) { o.Ticks[1] = refusedTick(t, 400) }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := through(t, "escalated", 2)
			o.Stuck = run("waiting-approval")
			c.spoil(&o)
			expect(t, "escalation-halts", openwop.GoalEscalatedObservation{GoalObservation: o}, c.want)
		})
	}
}

func TestJudgeOfTicksAtOnce(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*openwop.GoalRaceObservation)
		want  string
	}{
		{"honest", func(*openwop.GoalRaceObservation) {}, "passed"},
		{"some ticks had to wait", func(o *openwop.GoalRaceObservation) { o.After = []openwop.GoalTick{ticked(t, "bound-exceeded", 3)} }, "passed"},
		{"one run too many", func(o *openwop.GoalRaceObservation) { o.Still = still(t, "bound-exceeded", 4) }, openwopv1.OWP0097E4},
		{"one run too few", func(o *openwop.GoalRaceObservation) { o.Still = still(t, "bound-exceeded", 2) }, openwopv1.OWP0097E4},
		{"is active still", func(o *openwop.GoalRaceObservation) { o.Still = still(t, "active", 3) }, openwopv1.OWP0097E4},
		{"a run that lost the race is there", func(o *openwop.GoalRaceObservation) {
			o.Still.Strays = []openwop.Child{{ID: "run-4", Snapshot: wiretest.Value(t, fields{"runId": "run-4"})}}
		}, openwopv1.OWP0097E4},
		{"its runs have other names", func(o *openwop.GoalRaceObservation) { o.AtOnce[0].RunID = wiretest.Value(t, `"run-of-the-tick"`) }, "blocked"},
		{"names a run of its own", func(o *openwop.GoalRaceObservation) { o.AtOnce[0].RunID = wiretest.Value(t, `"run-1"`) }, "passed"},
		{"the seam falls over", func(o *openwop.GoalRaceObservation) { o.After = []openwop.GoalTick{refusedTick(t, 500)} }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := openwop.GoalRaceObservation{Goal: made(t), Bound: 3, AtOnce: slices.Repeat([]openwop.GoalTick{refusedTick(t, 409)}, 6), Still: still(t, "bound-exceeded", 3)}
			c.spoil(&o)
			expect(t, "ticked-at-once", o, c.want)
		})
	}
}

func TestJudgeOfTheDeadline(t *testing.T) {
	ended := func(state string, runs int, reached bool) wire.Wait {
		return wire.Wait{What: "the goal has ended", Reached: reached, Last: wiretest.Value(t, standing(state, runs))}
	}
	for _, c := range []struct {
		name  string
		spoil func(*openwop.GoalDeadlineObservation)
		want  string
	}{
		{"honest", func(*openwop.GoalDeadlineObservation) {}, "passed"},
		{"notices when it is ticked", func(o *openwop.GoalDeadlineObservation) { o.Passed = replied(t, 200, standing("active", 1)) }, "passed"},
		{"has no time at all", func(o *openwop.GoalDeadlineObservation) {
			o.Goal.Fresh, o.Early = replied(t, 200, standing("bound-exceeded", 0)), openwop.GoalTick{}
		}, openwopv1.OWP0097E6},
		{"has no time for a second run", func(o *openwop.GoalDeadlineObservation) { o.Early = ticked(t, "bound-exceeded", 0) }, openwopv1.OWP0097E6},
		{"never ends", func(o *openwop.GoalDeadlineObservation) { o.Ended = ended("active", 2, false) }, openwopv1.OWP0097E6},
		{"fires a run too late", func(o *openwop.GoalDeadlineObservation) { o.Still = still(t, "bound-exceeded", 2) }, openwopv1.OWP0097E6},
		{"ends as something else", func(o *openwop.GoalDeadlineObservation) { o.Still = still(t, "abandoned", 1) }, openwopv1.OWP0097E6},
		{"is too slow to tell", func(o *openwop.GoalDeadlineObservation) { o.EarlyBy = 700 * time.Millisecond }, "blocked"},
		{"the seam falls over", func(o *openwop.GoalDeadlineObservation) { o.Early = refusedTick(t, 500) }, "blocked"},
		{"never moves", func(o *openwop.GoalDeadlineObservation) { o.Early = stuck(t, 0) }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := openwop.GoalDeadlineObservation{Goal: made(t), Deadline: 500 * time.Millisecond, EarlyBy: 20 * time.Millisecond, Early: ticked(t, "active", 1),
				Passed: replied(t, 200, standing("bound-exceeded", 1)), Late: refusedTick(t, 409), Ended: ended("bound-exceeded", 1, true), Still: still(t, "bound-exceeded", 1)}
			c.spoil(&o)
			expect(t, "deadline", o, c.want)
		})
	}
}

func TestJudgeOfAPause(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*openwop.GoalPauseObservation)
		want  string
	}{
		{"honest", func(*openwop.GoalPauseObservation) {}, "passed"},
		{"shows the pause", func(o *openwop.GoalPauseObservation) { o.Still = still(t, "paused", 1) }, "passed"},
		{"goes on while it is paused", func(o *openwop.GoalPauseObservation) { o.Still = still(t, "active", 3) }, openwopv1.OWP0097C5},
		{"does not go on again", func(o *openwop.GoalPauseObservation) { o.After = stuck(t, 1) }, openwopv1.OWP0097C5},
		{"may not be paused by us", func(o *openwop.GoalPauseObservation) { o.Paused = replied(t, 403, fields{}) }, "blocked"},
		{"cannot be paused", func(o *openwop.GoalPauseObservation) { o.Paused = replied(t, 404, fields{}) }, openwopv1.OWP0097C5},
		{"cannot be resumed", func(o *openwop.GoalPauseObservation) { o.Resumed.Reply = replied(t, 404, fields{}) }, openwopv1.OWP0097C5},
		{"ends when it is resumed", func(o *openwop.GoalPauseObservation) { o.Resumed.After = replied(t, 200, standing("satisfied", 1)) }, openwopv1.OWP0097C5},
		{"never moved", func(o *openwop.GoalPauseObservation) { o.Before = stuck(t, 0) }, "blocked"},
		{"the seam falls over after", func(o *openwop.GoalPauseObservation) { o.After = refusedTick(t, 500) }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			active := replied(t, 200, standing("active", 1))
			o := openwop.GoalPauseObservation{Goal: made(t), Before: ticked(t, "active", 1), Paused: active, Still: still(t, "active", 1),
				Resumed: openwop.GoalEdit{Reply: active, After: active}, After: ticked(t, "active", 2)}
			c.spoil(&o)
			expect(t, "pause-halts", o, c.want)
		})
	}
}
