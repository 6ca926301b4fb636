package goals_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/goals"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestJudgeOfAnAbandonedGoal(t *testing.T) {
	abandoned := func() host.GoalReply { return replied(t, 200, standing("abandoned", 0)) }
	for _, c := range []struct {
		name  string
		spoil func(*goals.GoalAbandonedObservation)
		want  string
	}{
		{"honest", func(*goals.GoalAbandonedObservation) {}, "passed"},
		{"a host without the seam", func(o *goals.GoalAbandonedObservation) { o.Revival.Still.Ticks[1] = refusedTick(t, 404) }, "passed"},
		{"may not be abandoned by us", func(o *goals.GoalAbandonedObservation) { o.Abandon.Reply = replied(t, 403, hosttest.Fields{}) },
			"blocked"},
		{"cannot be abandoned", func(o *goals.GoalAbandonedObservation) { o.Abandon.Reply = replied(t, 404, hosttest.Fields{}) },
			requirement.OWP0097C6},
		{"stays active", func(o *goals.GoalAbandonedObservation) { o.Abandon.After = replied(t, 200, standing("active", 0)) },
			requirement.OWP0097C6},
		{"comes back", func(o *goals.GoalAbandonedObservation) { o.Revival.Still = still(t, "active", 0) }, requirement.OWP0097C6},
		{"fires a run", func(o *goals.GoalAbandonedObservation) { o.Revival.Still = still(t, "abandoned", 1) }, requirement.OWP0097C6},
		{"is edited", func(o *goals.GoalAbandonedObservation) {
			o.Revival.Still.Later = replied(t, 200, with(standing("abandoned", 0), "objective", "another"))
		}, requirement.OWP0097C4},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := goals.GoalAbandonedObservation{Goal: made(t), Abandon: goals.GoalEdit{Reply: abandoned(), After: abandoned()},
				Revival: goals.GoalRevival{Objective: "another", Edited: replied(t, 409, hosttest.Fields{}), Resumed: replied(t, 409,
					hosttest.Fields{}), Still: still(t, "abandoned", 0)}}
			c.spoil(&o)
			hosttest.Expect(t, "abandoned-stays-abandoned", o, c.want)
		})
	}
}

func TestJudgeOfAClientsWord(t *testing.T) {
	refusal := hosttest.Fields{"error": "validation_error", "message": "no"}
	for _, c := range []struct {
		name     string
		spoil    func(*goals.GoalWordObservation)
		want     string
		findings int
	}{
		{"honest", func(*goals.GoalWordObservation) {}, "passed", 0},
		{"drops the word without a word", func(o *goals.GoalWordObservation) { o.Asserted = made(t) }, "passed", 1},
		{"refuses in words of its own",
			func(o *goals.GoalWordObservation) { o.Claimed.Reply = replied(t, 422, hosttest.Fields{"error": "no"}) }, "passed", 1},
		{"makes a satisfied goal", func(o *goals.GoalWordObservation) {
			o.Asserted = made(t)
			o.Asserted.Fresh = replied(t, 200, standing("satisfied", 0))
		}, requirement.OWP0097E2, 0},
		{"refuses and makes it all the same", func(o *goals.GoalWordObservation) {
			o.Satisfied = replied(t, 200, hosttest.Fields{"goals": []hosttest.Fields{with(standing("satisfied", 0), "objective",
				o.Asserted.Objective)}})
		}, requirement.OWP0097E2, 0},
		{"takes the edit", func(o *goals.GoalWordObservation) {
			o.Claimed = goals.GoalEdit{Reply: replied(t, 200, standing("satisfied", 0)), After: replied(t, 200, standing("satisfied", 0))}
		}, requirement.OWP0097E2, 0},
		{"refuses the edit and does it",
			func(o *goals.GoalWordObservation) { o.Claimed.After = replied(t, 200, standing("satisfied", 0)) }, requirement.OWP0097E2, 0},
		{"ignores the edit", func(o *goals.GoalWordObservation) { o.Claimed.Reply = replied(t, 200, standing("active", 0)) },
			requirement.OWP0097E2, 0},
		{"cannot be edited", func(o *goals.GoalWordObservation) { o.Reworded.Reply = replied(t, 405, refusal) }, requirement.OWP0097C4, 0},
		{"forgets the edit", func(o *goals.GoalWordObservation) { o.Reworded.After = replied(t, 200, standing("active", 0)) },
			requirement.OWP0097C4, 0},
		{"takes no continuation", func(o *goals.GoalWordObservation) { o.Restated.Reply = replied(t, 400, refusal) }, requirement.OWP0097C4, 0},
		{"is completed by a call", func(o *goals.GoalWordObservation) { o.Completed.After = replied(t, 200, standing("satisfied", 0)) },
			requirement.OWP0097C7, 0},
		{"pretends to be completed", func(o *goals.GoalWordObservation) { o.Completed.Reply = replied(t, 200, hosttest.Fields{}) },
			requirement.OWP0097C7, 0},
		{"forbids the edit of the state", func(o *goals.GoalWordObservation) { o.Claimed.Reply = replied(t, 403, refusal) }, "passed", 0},
		{"forbids every edit", func(o *goals.GoalWordObservation) { o.Reworded.Reply = replied(t, 403, refusal) }, "blocked", 0},
		{"lists goals in any state", func(o *goals.GoalWordObservation) {
			o.Satisfied = replied(t, 200, hosttest.Fields{"goals": []hosttest.Fields{standing("active", 0)}})
		}, "blocked", 0},
		{"lists goals in any state, and is completed by a call", func(o *goals.GoalWordObservation) {
			o.Satisfied = replied(t, 200, hosttest.Fields{"goals": []hosttest.Fields{standing("active", 0)}})
			o.Completed.After = replied(t, 200, standing("satisfied", 0))
		}, requirement.OWP0097C7, 0},
		{"cannot list", func(o *goals.GoalWordObservation) { o.Satisfied = replied(t, 500, hosttest.Fields{}) }, "blocked", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			active := goals.GoalEdit{Reply: replied(t, 200, standing("active", 0)), After: replied(t, 200, standing("active", 0))}
			o := goals.GoalWordObservation{Goal: made(t), Asserted: refusedGoal(t, 400, "Assay m1111111111111111"), Objective: "another",
				Claimed: goals.GoalEdit{Reply: replied(t, 422, refusal), After: active.After}, Restated: active,
				Reworded:  goals.GoalEdit{Reply: active.Reply, After: replied(t, 200, with(standing("active", 0), "objective", "another"))},
				Completed: goals.GoalEdit{Reply: replied(t, 404, refusal), After: active.After}, Satisfied: replied(t, 200,
					hosttest.Fields{"goals": []hosttest.Fields{}})}
			c.spoil(&o)
			hosttest.Expect(t, "client-cannot-satisfy", o, c.want)
			if out := scenarios.Conclude(hosttest.Scenario(t, "client-cannot-satisfy"), openwop.Protocol.Ledger,
				o); len(out.Findings) != c.findings {
				t.Errorf("findings: %v, want %d of them", out.Findings, c.findings)
			}
		})
	}
}

func TestJudgeOfANewGoal(t *testing.T) {
	spoilt := func(name string, value any) func(*goals.GoalCreatedObservation) {
		return func(o *goals.GoalCreatedObservation) {
			o.Goal.Fresh = replied(t, 200, with(standing("active", 0), name, value))
			o.Goal.Created = o.Goal.Fresh
		}
	}
	for _, c := range []struct {
		name     string
		spoil    func(*goals.GoalCreatedObservation)
		want     string
		findings int
	}{
		{"honest", func(*goals.GoalCreatedObservation) {}, "passed", 0},
		{"made with 201", func(o *goals.GoalCreatedObservation) { o.Goal.Created.Status = wiretest.Status(t, 201) }, "passed", 0},
		{"refused", func(o *goals.GoalCreatedObservation) { o.Goal = refusedGoal(t, 400, objective) }, requirement.OWP0097B1, 0},
		{"another objective", spoilt("objective", "Assay"), requirement.OWP0097B1, 0},
		{"a word of its own for the state", spoilt("state", "running"), requirement.OWP0097B1, 0},
		{"other bounds", spoilt("bounds", hosttest.Fields{"maxLoopIterations": 9, "maxCostUsd": 4.25}), requirement.OWP0097B1, 0},
		{"no time of creation", spoilt("createdAt", "yesterday"), requirement.OWP0097B1, 0},
		{"another judge", spoilt("completion", hosttest.Fields{"check": "host"}), requirement.OWP0097B2, 0},
		{"no judge", spoilt("completion", nil), requirement.OWP0097B2, 0},
		{"a continuation without a mode", spoilt("continuation", hosttest.Fields{}), requirement.OWP0097B3, 0},
		{"no continuation is a finding", spoilt("continuation", nil), "passed", 1},
		{"nobody's", spoilt("owner", hosttest.Fields{}), requirement.OWP0097B4, 0},
		{"a verdict before the first run", spoilt("completion", hosttest.Fields{"check": "verifier",
			"lastVerdict": hosttest.Fields{"satisfied": false}}), requirement.OWP0097C3, 0},
		{"a run before the first", spoilt("progress", hosttest.Fields{"iterations": 1, "contributingRunIds": []string{"run-1"}}),
			requirement.OWP0097C3, 0},
		{"shows no progress", spoilt("progress", nil), requirement.OWP0097C3, 0},
		{"cannot be read", func(o *goals.GoalCreatedObservation) { o.Goal.Fresh = replied(t, 404, hosttest.Fields{}) }, requirement.OWP0097C3, 0},
		{"any id is served", func(o *goals.GoalCreatedObservation) { o.Stranger = wiretest.Status(t, 200) }, requirement.OWP0097C3, 0},
		{"is not listed", func(o *goals.GoalCreatedObservation) { o.Active = o.Satisfied }, requirement.OWP0097C2, 0},
		{"is listed in every state", func(o *goals.GoalCreatedObservation) { o.Satisfied = o.All }, requirement.OWP0097C2, 0},
		{"a list that is none", func(o *goals.GoalCreatedObservation) {
			o.All = replied(t, 200, hosttest.Fields{"goals": hosttest.Fields{"id": "g-1"}})
		}, requirement.OWP0097C2, 0},
		{"a list of anything", func(o *goals.GoalCreatedObservation) {
			o.All = replied(t, 200, hosttest.Fields{"goals": []any{nil, 7, "g-1", []any{}, standing("active", 0)}})
		}, "passed", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			listed := replied(t, 200, hosttest.Fields{"goals": []hosttest.Fields{{"id": "other"}, standing("active", 0)}})
			o := goals.GoalCreatedObservation{Goal: made(t), All: listed, Active: listed, Satisfied: replied(t, 200,
				hosttest.Fields{"goals": []hosttest.Fields{}}), Stranger: wiretest.Status(t, 404),
				Asked: dialect.CreateGoalRequest{Objective: objective, Completion: dialect.GoalCompletionRequest{Check: dialect.GoalCheckVerifier},
					Continuation: dialect.GoalContinuation{Mode: dialect.GoalContinuationModeManual},
					Bounds:       &dialect.GoalBounds{MaxLoopIterations: new(int64(3)), MaxCostUSD: new(4.25)}}}
			c.spoil(&o)
			hosttest.Expect(t, "created-as-asked", o, c.want)
			if out := scenarios.Conclude(hosttest.Scenario(t, "created-as-asked"), openwop.Protocol.Ledger, o); len(out.Findings) != c.findings {
				t.Errorf("findings: %v, want %d of them", out.Findings, c.findings)
			}
		})
	}
}

func TestJudgeOfGoalsWithoutBounds(t *testing.T) {
	const without, empty = "Assay m1111111111111111", "Assay m2222222222222222"
	unbounded := with(with(standing("active", 0), "objective", without), "bounds", hosttest.Fields{})
	for _, c := range []struct {
		name  string
		spoil func(*goals.GoalUnboundedObservation)
		want  string
	}{
		{"honest", func(*goals.GoalUnboundedObservation) {}, "passed"},
		{"takes a goal without bounds", func(o *goals.GoalUnboundedObservation) { o.Unbounded.Created = replied(t, 200, unbounded) },
			requirement.OWP0097C1},
		{"takes empty bounds", func(o *goals.GoalUnboundedObservation) { o.Empty.Created = replied(t, 201, unbounded) }, requirement.OWP0097C1},
		{"refuses as malformed", func(o *goals.GoalUnboundedObservation) { o.Unbounded = refusedGoal(t, 400, without) }, requirement.OWP0097C1},
		{"refuses and makes it all the same", func(o *goals.GoalUnboundedObservation) {
			o.All = replied(t, 200, hosttest.Fields{"goals": []hosttest.Fields{standing("active", 0), unbounded}})
		}, requirement.OWP0097A2},
		{"makes it, active and unbounded", func(o *goals.GoalUnboundedObservation) {
			o.Active = replied(t, 200, hosttest.Fields{"goals": []hosttest.Fields{standing("active", 0), unbounded}})
		}, requirement.OWP0097A2},
		{"drops the bound", func(o *goals.GoalUnboundedObservation) {
			o.Active = replied(t, 200, hosttest.Fields{"goals": []hosttest.Fields{with(standing("active", 0), "bounds",
				hosttest.Fields{"maxLoopIterations": nil})}})
		}, requirement.OWP0097E3},
		{"has another active goal without a bound", func(o *goals.GoalUnboundedObservation) {
			o.Active = replied(t, 200, hosttest.Fields{"goals": []hosttest.Fields{standing("active", 0), {"id": "demo", "state": "active"}}})
		}, requirement.OWP0097E3},
		{"lists an ended goal among them", func(o *goals.GoalUnboundedObservation) {
			o.Active = replied(t, 200, hosttest.Fields{"goals": []hosttest.Fields{standing("active", 0), {"id": "demo", "state": "abandoned"}}})
		}, "passed"},
		{"refuses every goal", func(o *goals.GoalUnboundedObservation) { o.Bounded = refusedGoal(t, 422, objective) }, "blocked"},
		{"hides its goals", func(o *goals.GoalUnboundedObservation) {
			o.All = replied(t, 200, hosttest.Fields{"goals": []hosttest.Fields{}})
		}, "blocked"},
		{"cannot list", func(o *goals.GoalUnboundedObservation) { o.Active = replied(t, 404, hosttest.Fields{}) }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			listed := replied(t, 200, hosttest.Fields{"goals": []hosttest.Fields{standing("active", 0)}})
			o := goals.GoalUnboundedObservation{Bounded: made(t), Unbounded: refusedGoal(t, 422, without), Empty: refusedGoal(t, 422,
				empty), All: listed, Active: listed}
			c.spoil(&o)
			hosttest.Expect(t, "bounds-required", o, c.want)
		})
	}
}

func TestJudgeOfTheGoalsBlock(t *testing.T) {
	for block, want := range map[string]string{
		`{"judge":"verifier","continuation":["manual"]}`:                        "passed",
		`{"judge":"host","continuation":["schedule","heartbeat","commitment"]}`: "passed",
		`{"judge":"host","continuation":[]}`:                                    "blocked",
		`{"judge":["verifier"],"continuation":["manual"]}`:                      requirement.OWP0097A1,
		`{"judge":"model","continuation":["manual"]}`:                           requirement.OWP0097A1,
		`{"continuation":["manual"]}`:                                           requirement.OWP0097A1,
		`{"judge":"host"}`:                                                      requirement.OWP0097A1,
		`{"judge":"host","continuation":"manual"}`:                              requirement.OWP0097A1,
		`{"judge":"host","continuation":["manual","manual"]}`:                   requirement.OWP0097A1,
		`{"judge":"host","continuation":["daily"]}`:                             requirement.OWP0097A1,
		`{"judge":"host","continuation":[{},{}]}`:                               requirement.OWP0097A1,
		`true`: requirement.OWP0097A1,
	} {
		t.Run(block, func(t *testing.T) {
			d := scenarios.Discovery{Document: wiretest.Value(t, json.RawMessage(`{"agents":{"goals":`+block+`}}`))}
			hosttest.Expect(t, "block-well-formed", d, want)
		})
	}
}

// Beyond quick, the deadline of a goal is passed that was judged shortly before it.
func TestADeadlineThatRunsMove(t *testing.T) {
	t.Parallel()
	for _, moves := range []bool{false, true} {
		g := &hosttest.InventedGoals{}
		tick := g.Find(func(o *hosttest.InventedGoal, body map[string]any) (int, any) {
			status, reply := g.Tick(o, body)
			if moves {
				o.CreatedAt = time.Now()
			}
			return status, reply
		})
		target := wire.Target{URL: hosttest.Serve(t, append(honestGoals(g), hosttest.Routes{"POST " + goalsAt + "/{id}/tick": tick})...),
			Key: "dev-key"}
		c, err := scenarios.Certify(t.Context(), target, scenarios.Options{Seed: 7, Patience: time.Second, Depth: scenarios.Standard,
			Most:   wire.Spent{Requests: 10_000}, // so that it is driven once
			Select: scenarios.Selection{Scenarios: []string{"goal-bounds/deadline"}}}, openwop.Suites()...)
		if err != nil {
			t.Fatal(err)
		}
		o := c.Finish(context.Background()).Outcomes[0]
		accused := o.Failure != nil && o.Failure.Requirement == requirement.OWP0097E6 && strings.Contains(o.Failure.Expected, "judged once more")
		if accused != moves || !moves && o.Verdict != scenarios.Passed {
			t.Errorf("each run moves the deadline %t: %s %v", moves, o.Verdict, o.Failure)
		}
	}
}
