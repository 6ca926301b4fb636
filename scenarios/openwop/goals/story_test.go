package goals_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios/openwop/goals"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

const objective = "Assay m0123456789abcdef mfedcba9876543210"

// standing returns a goal as a host may show it after this number of runs.
func standing(state string, runs int) hosttest.Fields {
	ids := []string{}
	var verdict any
	for i := range runs {
		ids = append(ids, fmt.Sprint("run-", i+1))
		verdict = hosttest.Fields{"satisfied": state == "satisfied", "confidence": 0.9, "runId": ids[i]}
	}
	return hosttest.Fields{
		"id": "g-1", "objective": objective, "state": state, "createdAt": "2026-11-01T00:00:00Z",
		"completion": hosttest.Fields{"check": "verifier", "lastVerdict": verdict}, "continuation": hosttest.Fields{"mode": "manual"},
		"bounds": hosttest.Fields{"maxLoopIterations": 3, "maxCostUsd": 4.25}, "owner": hosttest.Fields{"tenant": "t"},
		"progress": hosttest.Fields{"iterations": runs, "contributingRunIds": ids},
	}
}

func replied(t *testing.T, status int, body any) host.GoalReply {
	t.Helper()
	return host.GoalReply{Status: wiretest.Status(t, status), Body: wiretest.Value(t, body)}
}

func made(t *testing.T) host.GoalMade {
	t.Helper()
	fresh := replied(t, 200, standing("active", 0))
	return host.GoalMade{Path: "/goals", ID: "g-1", Objective: objective, Created: fresh, Fresh: fresh}
}

func refusedGoal(t *testing.T, status int, other string) host.GoalMade {
	t.Helper()
	return host.GoalMade{Path: "/goals", Objective: other, Created: replied(t, status, hosttest.Fields{"error": "validation_error",
		"message": "no"})}
}

// ticked returns a tick after which the goal showed this state and number of runs.
func ticked(t *testing.T, state string, runs int) goals.GoalTick {
	t.Helper()
	return goals.GoalTick{Status: wiretest.Status(t, 200), Shown: wire.Wait{What: "the goal moves", Reached: true,
		Last: wiretest.Value(t, standing(state, runs))}}
}

// stuck returns a tick that was answered and had no effect.
func stuck(t *testing.T, runs int) goals.GoalTick {
	k := ticked(t, "active", runs)
	k.Shown.Reached = false
	return k
}

func refusedTick(t *testing.T, status int) goals.GoalTick {
	return goals.GoalTick{Status: wiretest.Status(t, status)}
}

func still(t *testing.T, state string, runs int) goals.GoalStill {
	t.Helper()
	return goals.GoalStill{Ticks: []goals.GoalTick{refusedTick(t, 409), {Status: wiretest.Status(t, 200)}}, Window: time.Second,
		Later: replied(t, 200, standing(state, runs))}
}

func goalEvent(n int, kind string, payload hosttest.Fields) hosttest.Fields {
	payload["goalId"] = "g-1"
	return hosttest.Fields{"eventId": fmt.Sprint("e-", n), "type": kind, "payload": payload}
}

// goalLog returns the events of a goal that ended in this state after this number of runs.
func goalLog(state string, runs int) []hosttest.Fields {
	var out []hosttest.Fields
	for i := range runs {
		out = append(out, goalEvent(i, "goal.evaluated", hosttest.Fields{"runId": fmt.Sprint("run-", i+1), "iterations": i + 1,
			"satisfied": state == "satisfied" && i == runs-1}))
	}
	return append(out, goalEvent(runs, "goal.closed", hosttest.Fields{"finalState": state}))
}

func eventList(t *testing.T, events []hosttest.Fields) wire.Value {
	t.Helper()
	return wiretest.Value(t, hosttest.Fields{"events": events}).Key("events")
}

// through returns an observation of an honest goal whose last run ended it in this state.
func through(t *testing.T, state string, runs int) goals.GoalObservation {
	t.Helper()
	o := goals.GoalObservation{Goal: made(t), Runs: runs, Still: still(t, state, runs),
		Revival: goals.GoalRevival{Objective: "another", Edited: replied(t, 409, hosttest.Fields{"error": "conflict", "message": "no"}),
			Resumed: replied(t, 200, standing(state, runs)), Still: still(t, state, runs)},
		Trail: goals.GoalTrail{Read: wiretest.Status(t, 200), Events: eventList(t, goalLog(state, runs)), Stranger: wiretest.Status(t, 404)}}
	for i := 1; i < runs; i++ {
		o.Ticks = append(o.Ticks, ticked(t, "active", i))
	}
	o.Ticks = append(o.Ticks, ticked(t, state, runs))
	for i := range runs {
		id := fmt.Sprint("run-", i+1)
		o.Trail.Runs = append(o.Trail.Runs, goals.Contribution{Child: host.Child{ID: id, Snapshot: wiretest.Value(t,
			hosttest.Fields{"runId": id, "status": "completed"})}, Log: contributingLog(t, id)})
	}
	return o
}

// contributingLog returns the log of a contributing run, with more events after its start.
func contributingLog(t *testing.T, id string, more ...hosttest.Fields) host.RunLog {
	t.Helper()
	events := append([]hosttest.Fields{{"eventId": id + "-0", "type": "run.started", "payload": hosttest.Fields{}}}, more...)
	for _, e := range events {
		e["runId"] = id
	}
	return host.RunLog{RunID: id, Read: wiretest.Status(t, 200), Events: eventList(t, events).Items()}
}

// with returns a copy of a goal with one member replaced.
func with(goal hosttest.Fields, name string, value any) hosttest.Fields {
	goal = maps.Clone(goal)
	if goal[name] = value; value == nil {
		delete(goal, name)
	}
	return goal
}
