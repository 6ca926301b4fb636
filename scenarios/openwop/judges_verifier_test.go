package openwop_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func verdict(found, target string, n int) event {
	return event{"agent.verified", map[string]any{"agentId": "a.critic", "target": target, "verdict": found, "criteria": []any{"k"}, "confidence": float64(n) / 10}}
}

// unfold is a story of these steps: turn, work (a worker that completed), merge, an end of a run, or a verdict. The n-th
// verdict of the script has the confidence n/10.
func unfold(status string, all ...string) story {
	s := story{id: "r", status: status, events: []event{{"run.started", map[string]any{"workflowId": "w"}}}}
	turns, verdicts := 0, 0
	for _, step := range all {
		switch step {
		case "turn":
			turns++
			s.events = append(s.events, decided(turns, "next-worker"))
		case "work":
			s.events = append(s.events, chain("dispatch.began", ""), chain("dispatch.succeeded", "c1"), chain("child.completed", "c1"))
		case "merge":
			s.events = append(s.events, chain("output.harvested", "c1"))
		case "completed":
			s.events = append(s.events, event{"run.completed", map[string]any{}})
		case "failed":
			s.events = append(s.events, failed("verification_failed"))
		case "breach":
			s.events = append(s.events, breach(2, 3))
		default:
			verdicts++
			s.events = append(s.events, verdict(step, "c1", verdicts))
		}
	}
	return s
}

func verifiedRun(t *testing.T, s story, heard string, turns int, verdicts ...string) openwop.VerifiedRun {
	t.Helper()
	v := openwop.VerifiedRun{Said: "SAID", Kept: "KEPT", Bound: 2, Log: s.log(t)}
	v.Plan = make([]any, turns)
	for i, found := range verdicts {
		v.Verdicts = append(v.Verdicts, openwop.Verdict{Verdict: found, Criteria: []string{"k"}, Confidence: float64(i+1) / 10})
	}
	v.Log.Ended.Last = wiretest.Value(t, map[string]any{"runId": "r", "status": s.status, "variables": map[string]any{"heard": heard}})
	return v
}

func gated(t *testing.T) openwop.VerifiedObservation {
	return openwop.VerifiedObservation{
		Passed:    verifiedRun(t, unfold("completed", "turn", "work", "pass", "merge", "turn", "pass", "completed"), "SAID", 2, "pass", "pass"),
		Failed:    verifiedRun(t, unfold("completed", "turn", "work", "fail", "turn", "pass", "completed"), "KEPT", 2, "fail", "pass"),
		Revised:   verifiedRun(t, unfold("completed", "turn", "work", "revise", "turn", "work", "pass", "merge", "turn", "pass", "completed"), "SAID", 3, "revise", "pass", "pass"),
		FailedEnd: verifiedRun(t, unfold("failed", "turn", "fail", "failed"), "KEPT", 3, "fail", "fail", "fail"),
		Again:     verifiedRun(t, unfold("completed", "turn", "revise", "turn", "pass", "completed"), "KEPT", 2, "revise", "pass"),
		Forever:   verifiedRun(t, unfold("failed", "turn", "revise", "turn", "revise", "breach", "failed"), "KEPT", 3, "revise", "revise", "revise"),
	}
}

func TestJudgesOfVerdicts(t *testing.T) {
	passed := unfold("completed", "turn", "work", "pass", "merge", "turn", "pass", "completed")
	spoilt := func(s story) func(*openwop.VerifiedObservation) {
		return func(o *openwop.VerifiedObservation) { o.Passed = verifiedRun(t, s, "SAID", 2, "pass", "pass") }
	}
	with := func(key string, value any) func(*openwop.VerifiedObservation) {
		return spoilt(passed.change("agent.verified", 1, func(p map[string]any) { p[key] = value }))
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*openwop.VerifiedObservation)
		want           string
	}{
		{"honest", "verdict-told", func(*openwop.VerifiedObservation) {}, "passed"},
		{"after the merge", "verdict-told", spoilt(unfold("completed", "turn", "work", "merge", "pass", "turn", "pass", "completed")), openwopv1.OWPVER1},
		{"after the end", "verdict-told", spoilt(unfold("completed", "turn", "work", "pass", "merge", "turn", "completed", "pass")), openwopv1.OWPVER1},
		{"no verdict on the end", "verdict-told", spoilt(unfold("completed", "turn", "work", "pass", "merge", "turn", "completed")), openwopv1.OWPVER1},
		{"no verdict at all", "verdict-told", spoilt(passed.drop("agent.verified")), openwopv1.OWPVER1},
		{"always the same verdict", "verdict-told", with("verdict", "fail"), openwopv1.OWPVER2},
		{"another confidence", "verdict-told", with("confidence", 0.5), openwopv1.OWPVER2},
		{"other criteria", "verdict-told", with("criteria", []any{"l"}), openwopv1.OWPVER2},
		{"nobody judged", "verdict-told", with("agentId", ""), openwopv1.OWPVER2},
		{"of nothing", "verdict-told", with("target", "elsewhere"), openwopv1.OWPVER2},
		{"of what comes after it", "verdict-told", with("target", "r-8"), openwopv1.OWPVER2},
		{"with what was judged", "verdict-told", with("reason", "it says SAID"), openwopv1.OWPVER3},
		{"with what was judged, far behind", "verdict-told", with("reason", strings.Repeat("x", 1000)+"SAID"), openwopv1.OWPVER3},
		{"a field more is a finding", "verdict-told", with("reason", "good"), "passed"},
		{"judges itself is a finding", "verdict-told", with("agentId", "a.supervisor"), "passed"},
		{"nobody decided", "verdict-told", spoilt(passed.drop("runOrchestrator.decided")), "blocked"},
		{"never ended", "verdict-told", spoilt(passed.withStatus("running")), "blocked"},

		{"honest", "passed-counts", func(*openwop.VerifiedObservation) {}, "passed"},
		{"holds back what passed", "passed-counts", spoilt(passed.drop("output.harvested").change("core.workflowChain.event", 3, func(p map[string]any) { p["phase"] = "x" })), openwopv1.OWPVER9},
		{"says that it merged, and did not", "passed-counts", func(o *openwop.VerifiedObservation) {
			o.Passed = verifiedRun(t, passed, "KEPT", 2, "pass", "pass")
		}, openwopv1.OWPVER9},
		{"fails all the same", "passed-counts", spoilt(passed.withStatus("failed")), openwopv1.OWPVER9},

		{"honest", "failed-not-merged", func(*openwop.VerifiedObservation) {}, "passed"},
		{"fails for it", "failed-not-merged", func(o *openwop.VerifiedObservation) {
			o.Failed = verifiedRun(t, unfold("failed", "turn", "work", "fail", "failed"), "KEPT", 2, "fail")
		}, "passed"},
		{"merges what failed", "failed-not-merged", func(o *openwop.VerifiedObservation) {
			o.Failed = verifiedRun(t, unfold("completed", "turn", "work", "fail", "merge", "turn", "pass", "completed"), "SAID", 2, "fail", "pass")
		}, openwopv1.OWPVER5},
		{"merges it and does not say so", "failed-not-merged", func(o *openwop.VerifiedObservation) {
			o.Failed = verifiedRun(t, unfold("completed", "turn", "work", "fail", "turn", "pass", "completed"), "SAID", 2, "fail", "pass")
		}, openwopv1.OWPVER5},
		{"merges nothing ever", "failed-not-merged", func(o *openwop.VerifiedObservation) {
			o.Passed = verifiedRun(t, unfold("completed", "turn", "work", "pass", "turn", "pass", "completed"), "KEPT", 2, "pass")
		}, "blocked"},
		{"judges nothing", "failed-not-merged", func(o *openwop.VerifiedObservation) { o.Failed.Log = passed.log(t) }, "blocked"},

		{"honest", "failed-end-held", func(*openwop.VerifiedObservation) {}, "passed"},
		{"waits for somebody", "failed-end-held", func(o *openwop.VerifiedObservation) {
			o.FailedEnd = verifiedRun(t, unfold("waiting-approval", "turn", "fail"), "KEPT", 3, "fail")
			o.FailedEnd.Log.Ended.Reached = true
		}, "passed"},
		{"completes", "failed-end-held", func(o *openwop.VerifiedObservation) {
			o.FailedEnd = verifiedRun(t, unfold("completed", "turn", "fail", "completed"), "KEPT", 3, "fail")
		}, openwopv1.OWPVER6},
		{"completes without a word of it", "failed-end-held", func(o *openwop.VerifiedObservation) {
			o.FailedEnd = verifiedRun(t, unfold("completed", "turn", "fail"), "KEPT", 3, "fail")
		}, openwopv1.OWPVER6},

		{"honest", "revised-goes-on", func(*openwop.VerifiedObservation) {}, "passed"},
		{"counts before it is revised", "revised-goes-on", func(o *openwop.VerifiedObservation) {
			o.Revised = verifiedRun(t, unfold("completed", "turn", "work", "revise", "merge", "turn", "work", "pass", "merge", "turn", "pass", "completed"), "SAID", 3, "revise", "pass", "pass")
		}, "passed"}, // a SHOULD: told as a finding
		{"honest", "revised-in-bound", func(*openwop.VerifiedObservation) {}, "passed"},
		{"without end", "revised-in-bound", func(o *openwop.VerifiedObservation) {
			o.Forever = verifiedRun(t, unfold("failed", "turn", "revise", "turn", "revise", "turn", "revise", "failed"), "KEPT", 3, "revise")
		}, openwopv1.OWPVER8},
		{"a turn more than the bound", "revised-in-bound", func(o *openwop.VerifiedObservation) {
			o.Forever = verifiedRun(t, unfold("failed", "turn", "revise", "turn", "revise", "turn", "revise", "breach", "failed"), "KEPT", 3, "revise")
		}, openwopv1.OWPVER8},
		{"completes at its bound", "revised-in-bound", func(o *openwop.VerifiedObservation) {
			o.Forever = verifiedRun(t, unfold("completed", "turn", "revise", "turn", "revise", "breach", "completed"), "KEPT", 3, "revise")
		}, openwopv1.OWPVER8},
		{"takes no other turn", "revised-in-bound", func(o *openwop.VerifiedObservation) {
			o.Forever = verifiedRun(t, unfold("failed", "turn", "revise", "failed"), "KEPT", 3, "revise")
		}, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := gated(t)
			c.spoil(&o)
			expect(t, c.scenario, o, c.want)
		})
	}
}

func TestJudgeOfVerdictsThatAreOnlyTold(t *testing.T) {
	honest := func() openwop.VerifiedObservation {
		o := gated(t)
		o.Failed = verifiedRun(t, unfold("completed", "turn", "work", "fail", "merge", "turn", "pass", "completed"), "SAID", 2, "fail", "pass")
		o.FailedEnd = verifiedRun(t, unfold("completed", "turn", "fail", "completed"), "KEPT", 3, "fail")
		o.Forever = verifiedRun(t, unfold("completed", "turn", "revise", "completed"), "KEPT", 3, "revise")
		return o
	}
	expect(t, "told-holds-nothing", honest(), "passed")
	expect(t, "told-holds-nothing", gated(t), openwopv1.OWPVER10)
	for name, spoil := range map[string]func(*openwop.VerifiedObservation){
		"holds the end":            func(o *openwop.VerifiedObservation) { o.FailedEnd = gated(t).FailedEnd },
		"takes another turn":       func(o *openwop.VerifiedObservation) { o.Forever = gated(t).Forever },
		"leaves out what it heard": func(o *openwop.VerifiedObservation) { o.Failed = gated(t).Failed },
	} {
		t.Run(name, func(t *testing.T) {
			o := honest()
			spoil(&o)
			expect(t, "told-holds-nothing", o, openwopv1.OWPVER10)
		})
	}
}

func TestJudgesOfCriteria(t *testing.T) {
	criteria := []any{map[string]any{"key": "a", "met": true}, map[string]any{"key": "b", "met": false}}
	judged := func(status string, said []any) openwop.Judged {
		s := loop(2).withStatus(status).change("runOrchestrator.decided", 1, func(p map[string]any) {
			decision := maps.Clone(p["decision"].(map[string]any))
			if said != nil {
				decision["successCriteria"] = said
			}
			p["decision"] = decision
		})
		return openwop.Judged{Turns: 2, Criteria: criteria, Log: s.log(t)}
	}
	lied := []any{map[string]any{"key": "a", "met": true}, map[string]any{"key": "b", "met": true}}
	for _, c := range []struct {
		name        string
		gaveUp, met openwop.Judged
		want, below string
	}{
		{"failed for it", judged("failed", criteria), judged("completed", criteria), "passed", "passed"},
		{"completed, and says so", judged("completed", criteria), judged("completed", criteria), "passed", "passed"},
		{"leaves them out", judged("completed", nil), judged("completed", nil), openwopv1.OWPVER11, "passed"},
		{"says that all are met", judged("completed", lied), judged("completed", criteria), openwopv1.OWPVER11, "passed"},
		{"leaves out what is not met", judged("failed", criteria[:1]), judged("completed", criteria), openwopv1.OWPVER11, "passed"},
		{"fails whatever is met", judged("failed", criteria), judged("failed", criteria), openwopv1.OWPVER11, "passed"},
		{"never ends", judged("running", criteria), judged("completed", criteria), "blocked", "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := openwop.CriteriaObservation{GaveUp: c.gaveUp, Met: c.met}
			expect(t, "criteria-kept", o, c.want)
			expect(t, "no-criteria-below-6", o, c.below) // what is there is a finding
		})
	}
	refused := openwop.Judged{Log: openwop.RunLog{Created: wiretest.Status(t, 400)}}
	expect(t, "no-criteria-below-6", openwop.CriteriaObservation{GaveUp: refused, Met: refused}, "passed")
	expect(t, "unclaimed-unverified", openwop.UnverifiedObservation{Log: loop(2).log(t)}, "passed")
	expect(t, "unclaimed-unverified", openwop.UnverifiedObservation{Log: loop(2).drop("runOrchestrator.decided").log(t)}, "blocked")
}

func TestJudgeOfSeamVerdicts(t *testing.T) {
	answer := func(asked, found string, committed any) openwop.SeamVerdict {
		return openwop.SeamVerdict{Asked: asked, Status: wiretest.Status(t, 200), Body: wiretest.Value(t, map[string]any{
			"committed": committed, "events": []any{map[string]any{"type": "agent.verified", "verdict": found}},
		})}
	}
	refused := openwop.SeamVerdict{Asked: "x", Status: wiretest.Status(t, 400)}
	for _, c := range []struct {
		name    string
		answers []openwop.SeamVerdict
		strange openwop.SeamVerdict
		want    string
	}{
		{"honest", []openwop.SeamVerdict{answer("revise", "revise", false), answer("pass", "pass", true), answer("fail", "fail", false)}, refused, "passed"},
		{"says nothing of what there is not", []openwop.SeamVerdict{answer("pass", "pass", true), answer("fail", "fail", false)}, answer("x", "fail", false), "passed"},
		{"always passes", []openwop.SeamVerdict{answer("pass", "pass", true), answer("fail", "pass", true)}, refused, openwopv1.OWPVER5},
		{"counts what failed", []openwop.SeamVerdict{answer("fail", "fail", true)}, refused, openwopv1.OWPVER5},
		{"counts nothing", []openwop.SeamVerdict{answer("pass", "pass", false)}, refused, openwopv1.OWPVER9},
		{"never fails", []openwop.SeamVerdict{answer("fail", "pass", false)}, refused, openwopv1.OWPVER5},
		{"counts what there is not", []openwop.SeamVerdict{answer("pass", "pass", true)}, answer("x", "pass", true), openwopv1.OWPVER9},
		{"does not answer", []openwop.SeamVerdict{{Asked: "pass", Status: wiretest.Status(t, 500)}}, refused, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect(t, "seam-verdicts", openwop.SeamVerdicts{Path: "p", Answers: c.answers, Strange: c.strange}, c.want)
		})
	}
}
