package verifier_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/openwop/verifier"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func verdict(found, target string, n int) hosttest.Event {
	return hosttest.Event{Kind: "agent.verified", Payload: map[string]any{"agentId": "a.critic", "target": target, "verdict": found,
		"criteria": []any{"k"}, "confidence": float64(n) / 10}}
}

// unfold returns a story of these steps: turn, work (a completed worker), merge, a run end, or a verdict. The n-th
// verdict of the script has confidence n/10.
func unfold(status string, all ...string) hosttest.Story {
	s := hosttest.Story{Id: "r", Status: status, Events: []hosttest.Event{{Kind: "run.started", Payload: map[string]any{"workflowId": "w"}}}}
	turns, verdicts := 0, 0
	for _, step := range all {
		switch step {
		case "turn":
			turns++
			s.Events = append(s.Events, hosttest.Decided(turns, "next-worker"))
		case "work":
			s.Events = append(s.Events, hosttest.Chain("dispatch.began", ""), hosttest.Chain("dispatch.succeeded", "c1"),
				hosttest.Chain("child.completed", "c1"))
		case "merge":
			s.Events = append(s.Events, hosttest.Chain("output.harvested", "c1"))
		case "completed":
			s.Events = append(s.Events, hosttest.Event{Kind: "run.completed", Payload: map[string]any{}})
		case "failed":
			s.Events = append(s.Events, hosttest.Failed("verification_failed"))
		case "breach":
			s.Events = append(s.Events, hosttest.Breach(2, 3))
		default:
			verdicts++
			s.Events = append(s.Events, verdict(step, "c1", verdicts))
		}
	}
	return s
}

func verifiedRun(t *testing.T, s hosttest.Story, heard string, turns int, verdicts ...string) verifier.VerifiedRun {
	t.Helper()
	v := verifier.VerifiedRun{Said: "SAID", Kept: "KEPT", Bound: 2, Log: s.Log(t)}
	v.Plan = make([]any, turns)
	for i, found := range verdicts {
		v.Verdicts = append(v.Verdicts, verifier.Verdict{Verdict: found, Criteria: []string{"k"}, Confidence: float64(i+1) / 10})
	}
	v.Log.Ended.Last = wiretest.Value(t, map[string]any{"runId": "r", "status": s.Status, "variables": map[string]any{"heard": heard}})
	return v
}

func gated(t *testing.T) verifier.VerifiedObservation {
	return verifier.VerifiedObservation{
		Passed: verifiedRun(t, unfold("completed", "turn", "work", "pass", "merge", "turn", "pass", "completed"), "SAID", 2, "pass", "pass"),
		Failed: verifiedRun(t, unfold("completed", "turn", "work", "fail", "turn", "pass", "completed"), "KEPT", 2, "fail", "pass"),
		Revised: verifiedRun(t, unfold("completed", "turn", "work", "revise", "turn", "work", "pass", "merge", "turn", "pass",
			"completed"), "SAID", 3, "revise", "pass", "pass"),
		FailedEnd: verifiedRun(t, unfold("failed", "turn", "fail", "failed"), "KEPT", 3, "fail", "fail", "fail"),
		Again:     verifiedRun(t, unfold("completed", "turn", "revise", "turn", "pass", "completed"), "KEPT", 2, "revise", "pass"),
		Forever: verifiedRun(t, unfold("failed", "turn", "revise", "turn", "revise", "breach", "failed"), "KEPT", 3, "revise",
			"revise", "revise"),
	}
}

func TestJudgesOfVerdicts(t *testing.T) {
	passed := unfold("completed", "turn", "work", "pass", "merge", "turn", "pass", "completed")
	spoilt := func(s hosttest.Story) func(*verifier.VerifiedObservation) {
		return func(o *verifier.VerifiedObservation) { o.Passed = verifiedRun(t, s, "SAID", 2, "pass", "pass") }
	}
	with := func(key string, value any) func(*verifier.VerifiedObservation) {
		return spoilt(passed.Change("agent.verified", 1, func(p map[string]any) { p[key] = value }))
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*verifier.VerifiedObservation)
		want           string
	}{
		{"honest", "verdict-told", func(*verifier.VerifiedObservation) {}, "passed"},
		{"after the merge", "verdict-told", spoilt(unfold("completed", "turn", "work", "merge", "pass", "turn", "pass", "completed")),
			openwop.OWPVER1},
		{"after the end", "verdict-told", spoilt(unfold("completed", "turn", "work", "pass", "merge", "turn", "completed", "pass")),
			openwop.OWPVER1},
		{"no verdict on the end", "verdict-told", spoilt(unfold("completed", "turn", "work", "pass", "merge", "turn", "completed")),
			openwop.OWPVER1},
		{"no verdict at all", "verdict-told", spoilt(passed.Drop("agent.verified")), openwop.OWPVER1},
		{"always the same verdict", "verdict-told", with("verdict", "fail"), openwop.OWPVER2},
		{"another confidence", "verdict-told", with("confidence", 0.5), openwop.OWPVER2},
		{"other criteria", "verdict-told", with("criteria", []any{"l"}), openwop.OWPVER2},
		{"nobody judged", "verdict-told", with("agentId", ""), openwop.OWPVER2},
		{"of nothing", "verdict-told", with("target", "elsewhere"), openwop.OWPVER2},
		{"of what comes after it", "verdict-told", with("target", "r-8"), openwop.OWPVER2},
		{"with what was judged", "verdict-told", with("reason", "it says SAID"), openwop.OWPVER3},
		{"with what was judged, far behind", "verdict-told", with("reason", strings.Repeat("x", 1000)+"SAID"), openwop.OWPVER3},
		{"a field more is a finding", "verdict-told", with("reason", "good"), "passed"},
		{"judges itself is a finding", "verdict-told", with("agentId", "a.supervisor"), "passed"},
		{"nobody decided", "verdict-told", spoilt(passed.Drop("runOrchestrator.decided")), hosttest.BlockedOn(openwop.OWP0037A2)},
		{"never ended", "verdict-told", spoilt(passed.WithStatus("running")), hosttest.BlockedOn(openwop.OWP0037A1)},

		{"honest", "passed-counts", func(*verifier.VerifiedObservation) {}, "passed"},
		{"holds back what passed", "passed-counts", spoilt(passed.Drop("output.harvested").Change("core.workflowChain.event", 3,
			func(p map[string]any) { p["phase"] = "x" })), openwop.OWPVER9},
		{"says that it merged, and did not", "passed-counts", func(o *verifier.VerifiedObservation) {
			o.Passed = verifiedRun(t, passed, "KEPT", 2, "pass", "pass")
		}, openwop.OWPVER9},
		{"fails all the same", "passed-counts", spoilt(passed.WithStatus("failed")), openwop.OWPVER9},

		{"honest", "failed-not-merged", func(*verifier.VerifiedObservation) {}, "passed"},
		{"fails for it", "failed-not-merged", func(o *verifier.VerifiedObservation) {
			o.Failed = verifiedRun(t, unfold("failed", "turn", "work", "fail", "failed"), "KEPT", 2, "fail")
		}, "passed"},
		{"merges what failed", "failed-not-merged", func(o *verifier.VerifiedObservation) {
			o.Failed = verifiedRun(t, unfold("completed", "turn", "work", "fail", "merge", "turn", "pass", "completed"), "SAID", 2, "fail", "pass")
		}, openwop.OWPVER5},
		{"merges it and does not say so", "failed-not-merged", func(o *verifier.VerifiedObservation) {
			o.Failed = verifiedRun(t, unfold("completed", "turn", "work", "fail", "turn", "pass", "completed"), "SAID", 2, "fail", "pass")
		}, openwop.OWPVER5},
		{"merges nothing ever", "failed-not-merged", func(o *verifier.VerifiedObservation) {
			o.Passed = verifiedRun(t, unfold("completed", "turn", "work", "pass", "turn", "pass", "completed"), "KEPT", 2, "pass")
		}, hosttest.BlockedOn(openwop.OWPVER9)},
		{"fails with nothing merged", "failed-not-merged", func(o *verifier.VerifiedObservation) {
			o.Passed = verifiedRun(t, unfold("failed", "turn", "work", "pass", "turn", "pass", "failed"), "KEPT", 2, "pass")
		}, hosttest.BlockedOn("")},
		{"counts without a verdict", "failed-not-merged", spoilt(passed.Drop("agent.verified")), hosttest.BlockedOn(openwop.OWPVER1)},
		{"judges nothing", "failed-not-merged", func(o *verifier.VerifiedObservation) { o.Failed.Log = passed.Log(t) }, "blocked"},

		{"honest", "failed-end-held", func(*verifier.VerifiedObservation) {}, "passed"},
		{"waits for somebody", "failed-end-held", func(o *verifier.VerifiedObservation) {
			o.FailedEnd = verifiedRun(t, unfold("waiting-approval", "turn", "fail"), "KEPT", 3, "fail")
			o.FailedEnd.Log.Ended.Reached = true
		}, "passed"},
		{"completes", "failed-end-held", func(o *verifier.VerifiedObservation) {
			o.FailedEnd = verifiedRun(t, unfold("completed", "turn", "fail", "completed"), "KEPT", 3, "fail")
		}, openwop.OWPVER6},
		{"completes without a word of it", "failed-end-held", func(o *verifier.VerifiedObservation) {
			o.FailedEnd = verifiedRun(t, unfold("completed", "turn", "fail"), "KEPT", 3, "fail")
		}, openwop.OWPVER6},

		{"honest", "revised-goes-on", func(*verifier.VerifiedObservation) {}, "passed"},
		{"counts before it is revised", "revised-goes-on", func(o *verifier.VerifiedObservation) {
			o.Revised = verifiedRun(t, unfold("completed", "turn", "work", "revise", "merge", "turn", "work", "pass", "merge", "turn",
				"pass", "completed"), "SAID", 3, "revise", "pass", "pass")
		}, "passed"}, // a SHOULD: told as a finding
		{"honest", "revised-in-bound", func(*verifier.VerifiedObservation) {}, "passed"},
		{"without end", "revised-in-bound", func(o *verifier.VerifiedObservation) {
			o.Forever = verifiedRun(t, unfold("failed", "turn", "revise", "turn", "revise", "turn", "revise", "failed"), "KEPT", 3, "revise")
		}, openwop.OWPVER8},
		{"a turn more than the bound", "revised-in-bound", func(o *verifier.VerifiedObservation) {
			o.Forever = verifiedRun(t, unfold("failed", "turn", "revise", "turn", "revise", "turn", "revise", "breach", "failed"), "KEPT",
				3, "revise")
		}, openwop.OWPVER8},
		{"completes at its bound", "revised-in-bound", func(o *verifier.VerifiedObservation) {
			o.Forever = verifiedRun(t, unfold("completed", "turn", "revise", "turn", "revise", "breach", "completed"), "KEPT", 3, "revise")
		}, openwop.OWPVER8},
		{"takes no other turn", "revised-in-bound", func(o *verifier.VerifiedObservation) {
			o.Forever = verifiedRun(t, unfold("failed", "turn", "revise", "failed"), "KEPT", 3, "revise")
		}, hosttest.BlockedOn("")},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := gated(t)
			c.spoil(&o)
			hosttest.Expect(t, c.scenario, o, c.want)
		})
	}
}

func TestJudgeOfVerdictsThatAreOnlyTold(t *testing.T) {
	honest := func() verifier.VerifiedObservation {
		o := gated(t)
		o.Failed = verifiedRun(t, unfold("completed", "turn", "work", "fail", "merge", "turn", "pass", "completed"), "SAID", 2, "fail", "pass")
		o.FailedEnd = verifiedRun(t, unfold("completed", "turn", "fail", "completed"), "KEPT", 3, "fail")
		o.Forever = verifiedRun(t, unfold("completed", "turn", "revise", "completed"), "KEPT", 3, "revise")
		return o
	}
	hosttest.Expect(t, "told-holds-nothing", honest(), "passed")
	hosttest.Expect(t, "told-holds-nothing", gated(t), openwop.OWPVER10)
	for name, spoil := range map[string]func(*verifier.VerifiedObservation){
		"holds the end":            func(o *verifier.VerifiedObservation) { o.FailedEnd = gated(t).FailedEnd },
		"takes another turn":       func(o *verifier.VerifiedObservation) { o.Forever = gated(t).Forever },
		"leaves out what it heard": func(o *verifier.VerifiedObservation) { o.Failed = gated(t).Failed },
	} {
		t.Run(name, func(t *testing.T) {
			o := honest()
			spoil(&o)
			hosttest.Expect(t, "told-holds-nothing", o, openwop.OWPVER10)
		})
	}
}

func TestJudgesOfCriteria(t *testing.T) {
	criteria := []any{map[string]any{"key": "a", "met": true}, map[string]any{"key": "b", "met": false}}
	judged := func(status string, said []any) verifier.Judged {
		s := hosttest.LoopOf(2).WithStatus(status).Change("runOrchestrator.decided", 1, func(p map[string]any) {
			decision := maps.Clone(p["decision"].(map[string]any))
			if said != nil {
				decision["successCriteria"] = said
			}
			p["decision"] = decision
		})
		return verifier.Judged{Turns: 2, Criteria: criteria, Log: s.Log(t)}
	}
	lied := []any{map[string]any{"key": "a", "met": true}, map[string]any{"key": "b", "met": true}}
	for _, c := range []struct {
		name        string
		gaveUp, met verifier.Judged
		want, below string
	}{
		{"failed for it", judged("failed", criteria), judged("completed", criteria), "passed", "passed"},
		{"completed, and says so", judged("completed", criteria), judged("completed", criteria), "passed", "passed"},
		{"leaves them out", judged("completed", nil), judged("completed", nil), openwop.OWPVER11, "passed"},
		{"says that all are met", judged("completed", lied), judged("completed", criteria), openwop.OWPVER11, "passed"},
		{"leaves out what is not met", judged("failed", criteria[:1]), judged("completed", criteria), openwop.OWPVER11, "passed"},
		{"fails whatever is met", judged("failed", criteria), judged("failed", criteria), openwop.OWPVER11, "passed"},
		{"never ends", judged("running", criteria), judged("completed", criteria), "blocked", "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := verifier.CriteriaObservation{GaveUp: c.gaveUp, Met: c.met}
			hosttest.Expect(t, "criteria-kept", o, c.want)
			hosttest.Expect(t, "no-criteria-below-6", o, c.below) // a present one is a finding
		})
	}
	refused := verifier.Judged{Log: host.RunLog{Created: wiretest.Status(t, 400)}}
	hosttest.Expect(t, "no-criteria-below-6", verifier.CriteriaObservation{GaveUp: refused, Met: refused}, "passed")
	hosttest.Expect(t, "unclaimed-unverified", verifier.UnverifiedObservation{Log: hosttest.LoopOf(2).Log(t)}, "passed")
	hosttest.Expect(t, "unclaimed-unverified",
		verifier.UnverifiedObservation{Log: hosttest.LoopOf(2).Drop("runOrchestrator.decided").Log(t)}, hosttest.BlockedOn(openwop.OWP0037A2))
}

func TestJudgeOfSeamVerdicts(t *testing.T) {
	answered := func(asked string, committed any, found ...string) verifier.SeamVerdict {
		events := []any{}
		for _, verdict := range found {
			events = append(events, map[string]any{"type": "agent.verified", "verdict": verdict})
		}
		return verifier.SeamVerdict{Asked: asked, Status: wiretest.Status(t, 200),
			Body: wiretest.Value(t, map[string]any{"committed": committed, "events": events})}
	}
	answer := func(asked, found string, committed any) verifier.SeamVerdict {
		return answered(asked, committed, found)
	}
	refused := verifier.SeamVerdict{Asked: "x", Status: wiretest.Status(t, 400)}
	for _, c := range []struct {
		name    string
		answers []verifier.SeamVerdict
		strange verifier.SeamVerdict
		want    string
	}{
		{"honest", []verifier.SeamVerdict{answer("revise", "revise", false), answer("pass", "pass", true), answer("fail", "fail",
			false)}, refused, "passed"},
		{"says nothing of what there is not", []verifier.SeamVerdict{answer("pass", "pass", true), answer("fail", "fail", false)},
			answer("x", "fail", false), "passed"},
		{"revises up to its bound", []verifier.SeamVerdict{answered("revise", false, "revise", "revise", "revise"),
			answer("pass", "pass", true)}, refused, "passed"},
		{"revises and gives up", []verifier.SeamVerdict{answered("revise", false, "revise", "fail"), answer("pass", "pass", true)},
			refused, "passed"},
		{"tries again what failed", []verifier.SeamVerdict{answered("fail", false, "fail", "fail"), answer("pass", "pass", true)},
			refused, "passed"},
		{"fails and passes", []verifier.SeamVerdict{answered("fail", false, "fail", "pass")}, refused, openwop.OWPVER5},
		{"passes what is to be revised", []verifier.SeamVerdict{answered("revise", true, "pass", "revise")}, refused, openwop.OWPVER5},
		{"records none", []verifier.SeamVerdict{answered("fail", false)}, refused, openwop.OWPVER5},
		{"always passes", []verifier.SeamVerdict{answer("pass", "pass", true), answer("fail", "pass", true)}, refused, openwop.OWPVER5},
		{"counts what failed", []verifier.SeamVerdict{answer("fail", "fail", true)}, refused, openwop.OWPVER5},
		{"counts nothing", []verifier.SeamVerdict{answer("pass", "pass", false)}, refused, openwop.OWPVER9},
		{"never fails", []verifier.SeamVerdict{answer("fail", "pass", false)}, refused, openwop.OWPVER5},
		{"counts what there is not", []verifier.SeamVerdict{answer("pass", "pass", true)}, answer("x", "pass", true), openwop.OWPVER9},
		{"does not answer", []verifier.SeamVerdict{{Asked: "pass", Status: wiretest.Status(t, 500)}}, refused, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			hosttest.Expect(t, "seam-verdicts", verifier.SeamVerdicts{Path: "p", Answers: c.answers, Strange: c.strange}, c.want)
		})
	}
}
