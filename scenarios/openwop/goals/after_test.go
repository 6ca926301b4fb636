package goals_test

import (
	"testing"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/goals"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// shownAs returns a wait that ended with a goal in this state after this number of runs.
func shownAs(t *testing.T, state string, runs int) wire.Wait {
	t.Helper()
	return wire.Wait{What: "the goal moves", Reached: true, Last: wiretest.Value(t, standing(state, runs))}
}

func TestJudgesOfGoalsThatEndWhileTheyAreArmed(t *testing.T) {
	type observation = goals.GoalScheduleObservation
	for _, c := range []struct {
		name, scenario string
		spoil          func(*observation)
		want           string
	}{
		{"honest", "abandoned-disarms", func(*observation) {}, "passed"},
		{"had a run under way", "abandoned-disarms", func(o *observation) {
			o.GivenUp.Settled, o.GivenUp.Later = replied(t, 200, standing("abandoned", 1)), replied(t, 200, standing("abandoned", 1))
		}, "passed"},
		{"goes on", "abandoned-disarms", func(o *observation) { o.GivenUp.Later = replied(t, 200, standing("abandoned", 1)) },
			requirement.OWP0097C8},
		{"comes back", "abandoned-disarms", func(o *observation) { o.GivenUp.Later = replied(t, 200, standing("bound-exceeded", 0)) },
			requirement.OWP0097C8},
		{"does not end", "abandoned-disarms", func(o *observation) { o.GivenUp.Ended.Reached = false }, requirement.OWP0097C8},
		{"may not be given up by us", "abandoned-disarms", func(o *observation) { o.GivenUp.Asked = wiretest.Status(t, 403) }, "blocked"},
		{"cannot be given up", "abandoned-disarms", func(o *observation) { o.GivenUp.Asked = wiretest.Status(t, 500) }, "blocked"},
		{"no schedule goes on", "abandoned-disarms", func(o *observation) { o.After.Reached = false }, "blocked"},
		{"was not looked at to the end", "satisfied-disarms-schedule",
			func(o *observation) { o.After, o.Satisfied.Later = wire.Wait{}, host.GoalReply{} }, "blocked"},
		{"no schedule begins", "abandoned-disarms", func(o *observation) { o.Going.Reached = false }, "blocked"},
		{"others were too quick for us", "abandoned-disarms", func(o *observation) {
			o.Settled = replied(t, 200, standing("bound-exceeded", 4))
		}, "blocked"},
		{"is not made", "abandoned-disarms", func(o *observation) { o.GivenUp.Goal = refusedGoal(t, 500, objective) }, "blocked"},
		{"honest", "satisfied-disarms-schedule", func(*observation) {}, "passed"},
		{"goes on", "satisfied-disarms-schedule",
			func(o *observation) { o.Satisfied.Later = replied(t, 200, standing("satisfied", 2)) }, requirement.OWP0097G1},
		{"is active again", "satisfied-disarms-schedule",
			func(o *observation) { o.Satisfied.Later = replied(t, 200, standing("active", 1)) }, requirement.OWP0097G1},
		{"there is no seam", "satisfied-disarms-schedule", func(o *observation) { o.Satisfied.Asked = wiretest.Status(t, 404) }, "blocked"},
	} {
		t.Run(c.scenario+" "+c.name, func(t *testing.T) {
			ended := func(state string, runs int) goals.GoalDisarmed {
				shown := replied(t, 200, standing(state, runs))
				return goals.GoalDisarmed{Goal: made(t), Asked: wiretest.Status(t, 200), Ended: shownAs(t, state, runs), Settled: shown, Later: shown}
			}
			o := observation{GoalAloneObservation: alone(t), GivenUp: ended("abandoned", 0), Satisfied: ended("satisfied", 1)}
			c.spoil(&o)
			hosttest.Expect(t, c.scenario, o, c.want)
		})
	}
}

func TestJudgeOfAGoalWhoseStuckRunWasAnswered(t *testing.T) {
	type observation = goals.GoalEscalatedObservation
	for _, c := range []struct {
		name  string
		spoil func(*observation)
		want  string
	}{
		{"goes on", func(*observation) {}, "passed"},
		{"is at its end with it", func(o *observation) {
			o.Freed, o.Again = shownAs(t, "satisfied", 2), goals.GoalTick{}
		}, "passed"},
		{"stays escalated", func(o *observation) { o.Freed.Reached = false }, "passed"}, // a finding
		{"loses a run", func(o *observation) { o.Again = ticked(t, "active", 1) }, requirement.OWP0097E9},
		{"is judged by a run of somebody else", func(o *observation) {
			g := standing("active", 3)
			g["completion"] = hosttest.Fields{"check": "verifier", "lastVerdict": hosttest.Fields{"satisfied": false, "runId": "run-9"}}
			o.Again.Shown.Last = wiretest.Value(t, g)
		}, requirement.OWP0097E9},
		{"has more runs judged than its bound", func(o *observation) { o.Bound = 2 }, requirement.OWP0097E4},
		{"takes no answer", func(o *observation) { o.Answered = wiretest.Status(t, 404) }, "blocked"},
		{"names no run", func(o *observation) { o.Stuck.ID = "" }, "blocked"},
		{"was not escalated", func(o *observation) { o.Still = still(t, "active", 2) }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := observation{GoalObservation: through(t, "escalated", 2), Bound: 3, Answered: wiretest.Status(t, 200), Resumed: replied(t, 200,
				standing("active", 2)),
				Freed: shownAs(t, "active", 2), Again: ticked(t, "active", 3)}
			o.Stuck = host.Child{ID: "run-2", Snapshot: wiretest.Value(t, hosttest.Fields{"runId": "run-2", "status": "waiting-approval"})}
			c.spoil(&o)
			hosttest.Expect(t, "goes-on-after-answer", o, c.want)
		})
	}
}

func TestJudgeOfAReplayedContribution(t *testing.T) {
	type observation = goals.GoalReplayObservation
	for _, c := range []struct {
		name  string
		spoil func(*observation)
		want  string
	}{
		{"honest", func(*observation) {}, "passed"},
		{"counts the replay", func(o *observation) { o.Still = still(t, "active", 4) }, requirement.OWPGOAL1},
		{"takes the replay for a run", func(o *observation) { o.Fork.Log.RunID = "run-2" }, requirement.OWPGOAL1},
		{"judges the replay", func(o *observation) {
			log := goalLog("active", 3)
			o.Trail.Events = eventList(t, append(log[:3], goalEvent(9, "goal.evaluated", hosttest.Fields{"runId": "fork-1",
				"iterations": 3, "satisfied": false})))
		}, requirement.OWPGOAL1},
		{"judges a run twice", func(o *observation) {
			log := goalLog("active", 3)
			o.Trail.Events = eventList(t, append(log[:3], goalEvent(9, "goal.evaluated", hosttest.Fields{"runId": "run-1", "iterations": 1,
				"satisfied": true})))
		}, requirement.OWPGOAL1},
		{"names nothing of the goal", func(o *observation) {
			log := goalLog("active", 3)[:3]
			for _, e := range log {
				e["payload"].(hosttest.Fields)["runId"] = "goal-1"
			}
			o.Trail.Events = eventList(t, log)
		}, "blocked"},
		{"replays nothing of it", func(o *observation) { o.Fork.Log.Created = wiretest.Status(t, 403) }, "blocked"},
		{"the replay does not end", func(o *observation) { o.Fork.Log.Ended.Reached = false }, "blocked"},
		{"never moves", func(o *observation) { o.Ticks[0].Shown.Reached = false }, "blocked"},
		{"tells no events", func(o *observation) { o.Trail.Events = wire.Value{} }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := observation{GoalObservation: through(t, "active", 3)}
			o.Trail.Events = eventList(t, goalLog("active", 3)[:3])
			o.Fork = host.Forked{Log: host.RunLog{RunID: "fork-1", Created: wiretest.Status(t, 201), Ended: wire.Wait{Reached: true}}}
			c.spoil(&o)
			hosttest.Expect(t, "replay-not-judged", o, c.want)
		})
	}
}

func TestJudgeOfGoalsThatDoNotFit(t *testing.T) {
	type observation = goals.GoalMisfitsObservation
	kept := func(name string, value any) host.GoalMade {
		m := made(t)
		m.Fresh = replied(t, 200, with(standing("active", 0), name, value))
		return m
	}
	for _, c := range []struct {
		name     string
		spoil    func(*observation)
		want     string
		findings int
	}{
		{"refuses them", func(*observation) {}, "passed", 0},
		{"drops what does not fit", func(o *observation) {
			o.Judges[0].Made, o.Modes[0].Made, o.Bounds[0].Made = made(t), made(t), made(t)
		}, "passed", 3},
		{"keeps the other judge", func(o *observation) { o.Judges[1].Made = kept("completion", hosttest.Fields{"check": "host"}) }, "passed", 1},
		{"keeps a judge that nobody knows",
			func(o *observation) { o.Judges[0].Made = kept("completion", hosttest.Fields{"check": "me"}) }, requirement.OWP0097B2, 0},
		{"keeps no judge", func(o *observation) { o.Judges[0].Made = kept("completion", hosttest.Fields{}) }, requirement.OWP0097B2, 0},
		{"keeps a mode that nobody knows",
			func(o *observation) { o.Modes[0].Made = kept("continuation", hosttest.Fields{"mode": "whim"}) }, requirement.OWP0097B3, 0},
		{"keeps no continuation", func(o *observation) { o.Modes[0].Made = kept("continuation", nil) }, "passed", 1},
		{"keeps a bound below the least", func(o *observation) {
			o.Bounds[0].Made = kept("bounds", hosttest.Fields{"maxLoopIterations": 0})
		}, requirement.OWP0097B5, 0},
		{"keeps part of a run", func(o *observation) { o.Bounds[0].Made = kept("bounds", hosttest.Fields{"maxLoopIterations": 1.5}) },
			requirement.OWP0097B5, 0},
		{"keeps a word of runs",
			func(o *observation) { o.Bounds[0].Made = kept("bounds", hosttest.Fields{"maxLoopIterations": "many"}) }, requirement.OWP0097B5, 0},
		{"keeps a cost below nothing", func(o *observation) { o.Bounds[0].Made = kept("bounds", hosttest.Fields{"maxCostUsd": -0.5}) },
			requirement.OWP0097B5, 0},
		{"keeps a part of a dollar", func(o *observation) { o.Bounds[0].Made = kept("bounds", hosttest.Fields{"maxCostUsd": 0.5}) }, "passed", 1},
		{"makes none at all", func(o *observation) { o.Control = refusedGoal(t, 500, objective) }, "blocked", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			refused := func(what string) goals.GoalMisfit {
				return goals.GoalMisfit{What: what, Made: refusedGoal(t, 400, objective)}
			}
			o := observation{Control: made(t), Judges: []goals.GoalMisfit{refused("judged by x"), refused("judged by the other")},
				Modes: []goals.GoalMisfit{refused("continued by x")}, Bounds: []goals.GoalMisfit{refused("bounded to 0")}}
			c.spoil(&o)
			hosttest.Expect(t, "misfits-not-kept", o, c.want)
			if out := scenarios.Conclude(hosttest.Scenario(t, "misfits-not-kept"), openwop.Protocol.Ledger, o); c.want == "passed" &&
				len(out.Findings) != c.findings {
				t.Errorf("findings: %v", out.Findings)
			}
		})
	}
}
