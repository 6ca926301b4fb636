package openwop_test

import (
	"encoding/json"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestJudgeOfAnAbandonedGoal(t *testing.T) {
	abandoned := func() openwop.GoalReply { return replied(t, 200, standing("abandoned", 0)) }
	for _, c := range []struct {
		name  string
		spoil func(*openwop.GoalAbandonedObservation)
		want  string
	}{
		{"honest", func(*openwop.GoalAbandonedObservation) {}, "passed"},
		{"a host without the seam", func(o *openwop.GoalAbandonedObservation) { o.Revival.Still.Ticks[1] = refusedTick(t, 404) }, "passed"},
		{"may not be abandoned by us", func(o *openwop.GoalAbandonedObservation) { o.Abandon.Reply = replied(t, 403, fields{}) }, "blocked"},
		{"cannot be abandoned", func(o *openwop.GoalAbandonedObservation) { o.Abandon.Reply = replied(t, 404, fields{}) }, openwopv1.OWP0097C6},
		{"stays active", func(o *openwop.GoalAbandonedObservation) { o.Abandon.After = replied(t, 200, standing("active", 0)) }, openwopv1.OWP0097C6},
		{"comes back", func(o *openwop.GoalAbandonedObservation) { o.Revival.Still = still(t, "active", 0) }, openwopv1.OWP0097C6},
		{"fires a run", func(o *openwop.GoalAbandonedObservation) { o.Revival.Still = still(t, "abandoned", 1) }, openwopv1.OWP0097C6},
		{"is edited", func(o *openwop.GoalAbandonedObservation) {
			o.Revival.Still.Later = replied(t, 200, with(standing("abandoned", 0), "objective", "another"))
		}, openwopv1.OWP0097C4},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := openwop.GoalAbandonedObservation{Goal: made(t), Abandon: openwop.GoalEdit{Reply: abandoned(), After: abandoned()},
				Revival: openwop.GoalRevival{Objective: "another", Edited: replied(t, 409, fields{}), Resumed: replied(t, 409, fields{}), Still: still(t, "abandoned", 0)}}
			c.spoil(&o)
			expect(t, "abandoned-stays-abandoned", o, c.want)
		})
	}
}

func TestJudgeOfAClientsWord(t *testing.T) {
	refusal := fields{"error": "validation_error", "message": "no"}
	for _, c := range []struct {
		name     string
		spoil    func(*openwop.GoalWordObservation)
		want     string
		findings int
	}{
		{"honest", func(*openwop.GoalWordObservation) {}, "passed", 0},
		{"drops the word without a word", func(o *openwop.GoalWordObservation) { o.Asserted = made(t) }, "passed", 1},
		{"refuses in words of its own", func(o *openwop.GoalWordObservation) { o.Claimed.Reply = replied(t, 422, fields{"error": "no"}) }, "passed", 1},
		{"makes a satisfied goal", func(o *openwop.GoalWordObservation) {
			o.Asserted = made(t)
			o.Asserted.Fresh = replied(t, 200, standing("satisfied", 0))
		}, openwopv1.OWP0097E2, 0},
		{"refuses and makes it all the same", func(o *openwop.GoalWordObservation) {
			o.Satisfied = replied(t, 200, fields{"goals": []fields{with(standing("satisfied", 0), "objective", o.Asserted.Objective)}})
		}, openwopv1.OWP0097E2, 0},
		{"takes the edit", func(o *openwop.GoalWordObservation) {
			o.Claimed = openwop.GoalEdit{Reply: replied(t, 200, standing("satisfied", 0)), After: replied(t, 200, standing("satisfied", 0))}
		}, openwopv1.OWP0097E2, 0},
		{"refuses the edit and does it", func(o *openwop.GoalWordObservation) { o.Claimed.After = replied(t, 200, standing("satisfied", 0)) }, openwopv1.OWP0097E2, 0},
		{"ignores the edit", func(o *openwop.GoalWordObservation) { o.Claimed.Reply = replied(t, 200, standing("active", 0)) }, openwopv1.OWP0097E2, 0},
		{"cannot be edited", func(o *openwop.GoalWordObservation) { o.Reworded.Reply = replied(t, 405, refusal) }, openwopv1.OWP0097C4, 0},
		{"forgets the edit", func(o *openwop.GoalWordObservation) { o.Reworded.After = replied(t, 200, standing("active", 0)) }, openwopv1.OWP0097C4, 0},
		{"takes no continuation", func(o *openwop.GoalWordObservation) { o.Restated.Reply = replied(t, 400, refusal) }, openwopv1.OWP0097C4, 0},
		{"is completed by a call", func(o *openwop.GoalWordObservation) { o.Completed.After = replied(t, 200, standing("satisfied", 0)) }, openwopv1.OWP0097C7, 0},
		{"pretends to be completed", func(o *openwop.GoalWordObservation) { o.Completed.Reply = replied(t, 200, fields{}) }, openwopv1.OWP0097C7, 0},
		{"forbids the edit of the state", func(o *openwop.GoalWordObservation) { o.Claimed.Reply = replied(t, 403, refusal) }, "passed", 0},
		{"forbids every edit", func(o *openwop.GoalWordObservation) { o.Reworded.Reply = replied(t, 403, refusal) }, "blocked", 0},
		{"lists goals in any state", func(o *openwop.GoalWordObservation) {
			o.Satisfied = replied(t, 200, fields{"goals": []fields{standing("active", 0)}})
		}, "blocked", 0},
		{"cannot list", func(o *openwop.GoalWordObservation) { o.Satisfied = replied(t, 500, fields{}) }, "blocked", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			active := openwop.GoalEdit{Reply: replied(t, 200, standing("active", 0)), After: replied(t, 200, standing("active", 0))}
			o := openwop.GoalWordObservation{Goal: made(t), Asserted: refusedGoal(t, 400, "Assay m1111111111111111"), Objective: "another",
				Claimed: openwop.GoalEdit{Reply: replied(t, 422, refusal), After: active.After}, Restated: active,
				Reworded:  openwop.GoalEdit{Reply: active.Reply, After: replied(t, 200, with(standing("active", 0), "objective", "another"))},
				Completed: openwop.GoalEdit{Reply: replied(t, 404, refusal), After: active.After}, Satisfied: replied(t, 200, fields{"goals": []fields{}})}
			c.spoil(&o)
			expect(t, "client-cannot-satisfy", o, c.want)
			if out := scenarios.Conclude(scenario(t, "client-cannot-satisfy"), openwop.Protocol.Ledger, o); len(out.Findings) != c.findings {
				t.Errorf("findings: %v, want %d of them", out.Findings, c.findings)
			}
		})
	}
}

func TestJudgeOfANewGoal(t *testing.T) {
	spoilt := func(name string, value any) func(*openwop.GoalCreatedObservation) {
		return func(o *openwop.GoalCreatedObservation) {
			o.Goal.Fresh = replied(t, 200, with(standing("active", 0), name, value))
			o.Goal.Created = o.Goal.Fresh
		}
	}
	for _, c := range []struct {
		name     string
		spoil    func(*openwop.GoalCreatedObservation)
		want     string
		findings int
	}{
		{"honest", func(*openwop.GoalCreatedObservation) {}, "passed", 0},
		{"made with 201", func(o *openwop.GoalCreatedObservation) { o.Goal.Created.Status = wiretest.Status(t, 201) }, "passed", 0},
		{"refused", func(o *openwop.GoalCreatedObservation) { o.Goal = refusedGoal(t, 400, objective) }, openwopv1.OWP0097B1, 0},
		{"another objective", spoilt("objective", "Assay"), openwopv1.OWP0097B1, 0},
		{"a word of its own for the state", spoilt("state", "running"), openwopv1.OWP0097B1, 0},
		{"other bounds", spoilt("bounds", fields{"maxLoopIterations": 9, "maxCostUsd": 4.25}), openwopv1.OWP0097B1, 0},
		{"no time of creation", spoilt("createdAt", "yesterday"), openwopv1.OWP0097B1, 0},
		{"another judge", spoilt("completion", fields{"check": "host"}), openwopv1.OWP0097B2, 0},
		{"no judge", spoilt("completion", nil), openwopv1.OWP0097B2, 0},
		{"a continuation without a mode", spoilt("continuation", fields{}), openwopv1.OWP0097B3, 0},
		{"no continuation is a finding", spoilt("continuation", nil), "passed", 1},
		{"nobody's", spoilt("owner", fields{}), openwopv1.OWP0097B4, 0},
		{"a verdict before the first run", spoilt("completion", fields{"check": "verifier", "lastVerdict": fields{"satisfied": false}}), openwopv1.OWP0097C3, 0},
		{"a run before the first", spoilt("progress", fields{"iterations": 1, "contributingRunIds": []string{"run-1"}}), openwopv1.OWP0097C3, 0},
		{"shows no progress", spoilt("progress", nil), openwopv1.OWP0097C3, 0},
		{"cannot be read", func(o *openwop.GoalCreatedObservation) { o.Goal.Fresh = replied(t, 404, fields{}) }, openwopv1.OWP0097C3, 0},
		{"any id is served", func(o *openwop.GoalCreatedObservation) { o.Stranger = wiretest.Status(t, 200) }, openwopv1.OWP0097C3, 0},
		{"is not listed", func(o *openwop.GoalCreatedObservation) { o.Active = o.Satisfied }, openwopv1.OWP0097C2, 0},
		{"is listed in every state", func(o *openwop.GoalCreatedObservation) { o.Satisfied = o.All }, openwopv1.OWP0097C2, 0},
		{"a list that is none", func(o *openwop.GoalCreatedObservation) { o.All = replied(t, 200, fields{"goals": fields{"id": "g-1"}}) }, openwopv1.OWP0097C2, 0},
		{"a list of anything", func(o *openwop.GoalCreatedObservation) {
			o.All = replied(t, 200, fields{"goals": []any{nil, 7, "g-1", []any{}, standing("active", 0)}})
		}, "passed", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			listed := replied(t, 200, fields{"goals": []fields{{"id": "other"}, standing("active", 0)}})
			o := openwop.GoalCreatedObservation{Goal: made(t), All: listed, Active: listed, Satisfied: replied(t, 200, fields{"goals": []fields{}}), Stranger: wiretest.Status(t, 404),
				Asked: openwopv1.CreateGoalRequest{Objective: objective, Completion: openwopv1.GoalCompletionRequest{Check: openwopv1.GoalCheckVerifier},
					Continuation: openwopv1.GoalContinuation{Mode: openwopv1.GoalContinuationModeManual},
					Bounds:       &openwopv1.GoalBounds{MaxLoopIterations: new(int64(3)), MaxCostUSD: new(4.25)}}}
			c.spoil(&o)
			expect(t, "created-as-asked", o, c.want)
			if out := scenarios.Conclude(scenario(t, "created-as-asked"), openwop.Protocol.Ledger, o); len(out.Findings) != c.findings {
				t.Errorf("findings: %v, want %d of them", out.Findings, c.findings)
			}
		})
	}
}

func TestJudgeOfGoalsWithoutBounds(t *testing.T) {
	const without, empty = "Assay m1111111111111111", "Assay m2222222222222222"
	unbounded := with(with(standing("active", 0), "objective", without), "bounds", fields{})
	for _, c := range []struct {
		name  string
		spoil func(*openwop.GoalUnboundedObservation)
		want  string
	}{
		{"honest", func(*openwop.GoalUnboundedObservation) {}, "passed"},
		{"takes a goal without bounds", func(o *openwop.GoalUnboundedObservation) { o.Unbounded.Created = replied(t, 200, unbounded) }, openwopv1.OWP0097C1},
		{"takes empty bounds", func(o *openwop.GoalUnboundedObservation) { o.Empty.Created = replied(t, 201, unbounded) }, openwopv1.OWP0097C1},
		{"refuses as malformed", func(o *openwop.GoalUnboundedObservation) { o.Unbounded = refusedGoal(t, 400, without) }, openwopv1.OWP0097C1},
		{"refuses and makes it all the same", func(o *openwop.GoalUnboundedObservation) {
			o.All = replied(t, 200, fields{"goals": []fields{standing("active", 0), unbounded}})
		}, openwopv1.OWP0097A2},
		{"makes it, active and unbounded", func(o *openwop.GoalUnboundedObservation) {
			o.Active = replied(t, 200, fields{"goals": []fields{standing("active", 0), unbounded}})
		}, openwopv1.OWP0097A2},
		{"drops the bound", func(o *openwop.GoalUnboundedObservation) {
			o.Active = replied(t, 200, fields{"goals": []fields{with(standing("active", 0), "bounds", fields{"maxLoopIterations": nil})}})
		}, openwopv1.OWP0097E3},
		{"somebody else's goal is a finding", func(o *openwop.GoalUnboundedObservation) {
			o.Active = replied(t, 200, fields{"goals": []fields{standing("active", 0), {"id": "demo"}}})
		}, "passed"},
		{"refuses every goal", func(o *openwop.GoalUnboundedObservation) { o.Bounded = refusedGoal(t, 422, objective) }, "blocked"},
		{"hides its goals", func(o *openwop.GoalUnboundedObservation) { o.All = replied(t, 200, fields{"goals": []fields{}}) }, "blocked"},
		{"cannot list", func(o *openwop.GoalUnboundedObservation) { o.Active = replied(t, 404, fields{}) }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			listed := replied(t, 200, fields{"goals": []fields{standing("active", 0)}})
			o := openwop.GoalUnboundedObservation{Bounded: made(t), Unbounded: refusedGoal(t, 422, without), Empty: refusedGoal(t, 422, empty), All: listed, Active: listed}
			c.spoil(&o)
			expect(t, "bounds-required", o, c.want)
		})
	}
}

func TestJudgeOfTheGoalsBlock(t *testing.T) {
	for block, want := range map[string]string{
		`{"judge":"verifier","continuation":["manual"]}`:                        "passed",
		`{"judge":"host","continuation":["schedule","heartbeat","commitment"]}`: "passed",
		`{"judge":"host","continuation":[]}`:                                    "passed",
		`{"judge":["verifier"],"continuation":["manual"]}`:                      openwopv1.OWP0097A1,
		`{"judge":"model","continuation":["manual"]}`:                           openwopv1.OWP0097A1,
		`{"continuation":["manual"]}`:                                           openwopv1.OWP0097A1,
		`{"judge":"host"}`:                                                      openwopv1.OWP0097A1,
		`{"judge":"host","continuation":"manual"}`:                              openwopv1.OWP0097A1,
		`{"judge":"host","continuation":["manual","manual"]}`:                   openwopv1.OWP0097A1,
		`{"judge":"host","continuation":["daily"]}`:                             openwopv1.OWP0097A1,
		`{"judge":"host","continuation":[{},{}]}`:                               openwopv1.OWP0097A1,
		`true`: openwopv1.OWP0097A1,
	} {
		t.Run(block, func(t *testing.T) {
			d := scenarios.Discovery{Document: wiretest.Value(t, json.RawMessage(`{"agents":{"goals":`+block+`}}`))}
			expect(t, "block-well-formed", d, want)
		})
	}
}
