package correlation_test

import (
	"testing"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/correlation"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/hosttest"
)

func TestJudgesOfResults(t *testing.T) {
	advance := hosttest.Ok(hosttest.RunR2, hosttest.Request("R", 2, "fabric"))
	for _, c := range []struct {
		scenario, name string
		change         func(*testing.T, *correlation.ResultsObservation)
		want           string
	}{
		{"matching-result-resumes", "it is done", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Matching = hosttest.Handed(t, "the result",
				hosttest.Ok(host.Object{"R": hosttest.Over("done", 1)}, hosttest.Completion("R", 1)))
		}, "passed"},
		{"matching-result-resumes", "it is ignored", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Matching = hosttest.Handed(t, "the result", hosttest.Ok(nil))
		}, agenticloop.RFC103T9},
		{"matching-result-resumes", "one of a clock that is behind is ignored", func(t *testing.T, o *correlation.ResultsObservation) {
			behind := hosttest.Handed(t, "the result", hosttest.Ok(nil))
			o.Behind = &behind
		}, agenticloop.RFC103T9},
		{"matching-result-resumes", "one of a clock that is behind is taken", func(t *testing.T, o *correlation.ResultsObservation) {
			behind := o.Matching
			o.Behind = &behind
		}, "passed"},
		{"matching-result-resumes", "one of a clock that is behind is ignored, where its step was asked for again",
			func(t *testing.T, o *correlation.ResultsObservation) {
				behind := hosttest.Handed(t, "the result", hosttest.Ok(nil))
				o.BehindAgain = &behind
			}, agenticloop.RFC103T9},
		{"matching-result-resumes", "one of a clock that is behind is taken, where its step was asked for again",
			func(t *testing.T, o *correlation.ResultsObservation) {
				behind := hosttest.Turn(t, "the result", host.Object{"R": hosttest.Running(1, "fetch")},
					hosttest.Ok(hosttest.RunR2, hosttest.Request("R", 2, "fabric")))
				o.BehindAgain = &behind
			}, "passed"},
		{"matching-result-resumes", "it jumps a step", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Matching = hosttest.Handed(t, "the result",
				hosttest.Ok(host.Object{"R": hosttest.Running(3, "fabric")}, hosttest.Request("R", 3, "fabric")))
		}, agenticloop.RFC103E11},
		{"matching-result-resumes", "it does not keep what is pending",
			func(t *testing.T, o *correlation.ResultsObservation) {
				run := hosttest.Running(2, "fabric")
				run["pending_step"] = 1
				o.Matching = hosttest.Handed(t, "the result",
					hosttest.Ok(host.Object{"R": run}, hosttest.Request("R", 2, "fabric")))
			}, agenticloop.RFC103S7},
		{"matching-result-resumes", "it is an error", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Matching = hosttest.Handed(t, "the result", hosttest.Refusal(true))
		}, agenticloop.RFC103P3},
		{"matching-result-resumes", "it crashes", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Matching = hosttest.Told{Name: "the result", Answer: "Traceback", Exit: 1}.Turn(t)
		}, hosttest.Violates(agenticloop.RFC103I7)},
		{"matching-result-resumes", "there was no start", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Start = hosttest.Turn(t, "the start", nil, hosttest.Ok(nil))
		}, hosttest.Violates(agenticloop.RFC103M1)},

		{"same-result-twice", "the pending request once more is told",
			func(t *testing.T, o *correlation.ResultsObservation) {
				o.Again = hosttest.Turn(t, "again", hosttest.RunR2,
					hosttest.Ok(nil, hosttest.Request("R", 2, "fabric")))
			}, "passed"},
		{"same-result-twice", "it advances again", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Again = hosttest.Turn(t, "again", hosttest.RunR2,
				hosttest.Ok(host.Object{"R": hosttest.Running(3, "fetch")}, hosttest.Request("R", 3, "fetch")))
		}, agenticloop.RFC103I6},
		{"same-result-twice", "it advances the fourth time", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Late = append(o.Late, hosttest.Turn(t, "again (4)", hosttest.RunR2,
				hosttest.Ok(host.Object{"R": hosttest.Running(3, "fetch")}, hosttest.Request("R", 3, "fetch"))))
		}, agenticloop.RFC103O5},
		{"same-result-twice", "it is an error", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Again = hosttest.Turn(t, "again", hosttest.RunR2, hosttest.Refusal(false))
		}, agenticloop.RFC103I6},
		{"same-result-twice", "it never moved", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Matching = hosttest.Handed(t, "the result", hosttest.Ok(nil))
		}, hosttest.Violates(agenticloop.RFC103V9)},

		{"stale-step-ignored", "it is taken", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Stale = hosttest.Turn(t, "stale", host.Object{"R": hosttest.Running(3, "fetch")},
				hosttest.Ok(host.Object{"R": hosttest.Running(4, "fetch")}, hosttest.Request("R", 4, "fetch")))
		}, agenticloop.RFC103V6},
		{"stale-step-ignored", "an older one is taken", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Old = hosttest.Turn(t, "old", host.Object{"R": hosttest.Running(3, "fetch")},
				hosttest.Ok(host.Object{"R": hosttest.Running(4, "fetch")}, hosttest.Request("R", 4, "fetch")))
		}, agenticloop.RFC103V6},
		{"stale-step-ignored", "what is pending is asked for once more",
			func(t *testing.T, o *correlation.ResultsObservation) {
				o.Stale = hosttest.Turn(t, "stale", host.Object{"R": hosttest.Running(3, "fetch")},
					hosttest.Ok(nil, hosttest.Request("R", 3, "fetch")))
			}, "passed"},
		{"stale-step-ignored", "it is asked for once more, and the run changes",
			func(t *testing.T, o *correlation.ResultsObservation) {
				changed := hosttest.Running(3, "fetch")
				changed["attempt"] = 2
				o.Stale = hosttest.Turn(t, "stale", host.Object{"R": hosttest.Running(3, "fetch")},
					hosttest.Ok(host.Object{"R": changed}, hosttest.Request("R", 3, "fetch")))
			}, agenticloop.RFC103V6},
		{"stale-step-ignored", "another tool is asked for", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Stale = hosttest.Turn(t, "stale", host.Object{"R": hosttest.Running(3, "fetch")},
				hosttest.Ok(nil, hosttest.Request("R", 3, "fabric")))
		}, agenticloop.RFC103V6},
		{"stale-step-ignored", "the run changes in silence", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Stale = hosttest.Turn(t, "stale", host.Object{"R": hosttest.Running(3, "fetch")},
				hosttest.Ok(host.Object{"R": hosttest.Running(2, "fetch")}))
		}, agenticloop.RFC103V6},

		{"later-step-escalates", "it is taken", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Later[0] = hosttest.Handed(t, "later", advance)
		}, agenticloop.RFC103K2},
		{"later-step-escalates", "it is an error", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Later[1] = hosttest.Handed(t, "later", hosttest.Refusal(false))
		}, agenticloop.RFC103K2},
		{"later-step-escalates", "the state does not say so", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Later[0] = hosttest.Handed(t, "later", hosttest.Ok(nil, hosttest.Escalation("R", "step_mismatch")))
		}, agenticloop.RFC103K2},
		{"later-step-escalates", "it ends twice", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Later[0] = hosttest.Handed(t, "later",
				hosttest.Ok(host.Object{"R": hosttest.Over("escalated", 1)}, hosttest.Escalation("R", "a"),
					hosttest.Escalation("R", "b")))
		}, agenticloop.RFC103K2},

		{"wrong-tool-escalates", "it is taken", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Wrong = hosttest.Handed(t, "wrong tool", advance)
		}, agenticloop.RFC103V7},
		{"wrong-tool-escalates", "it is an error", func(t *testing.T, o *correlation.ResultsObservation) {
			answer := hosttest.Refusal(true)
			answer["events"] = []any{hosttest.Escalation("R", "x")}
			o.Wrong = hosttest.Handed(t, "wrong tool", answer)
		}, agenticloop.RFC103P3},
		{"wrong-tool-escalates", "it is ignored", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Wrong = hosttest.Handed(t, "wrong tool", hosttest.Ok(nil))
		}, agenticloop.RFC103V7},
		{"wrong-tool-escalates", "no reason is given", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Wrong = hosttest.Handed(t, "wrong tool",
				hosttest.Ok(host.Object{"R": hosttest.Over("escalated", 1)},
					host.Object{"type": host.Escalated, "payload": host.Object{"run_id": "R"}}))
		}, agenticloop.RFC103F3},

		{"order-of-checks", "the tool is looked at first", func(t *testing.T, o *correlation.ResultsObservation) {
			o.StaleWrong = hosttest.Turn(t, "stale and wrong", host.Object{"R": hosttest.Running(3, "fetch")},
				hosttest.GaveUp)
		}, agenticloop.RFC103V1},
		{"order-of-checks", "a finished run is escalated again", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Finished[1] = hosttest.Turn(t, "escalated", host.Object{"R": hosttest.Over("escalated", 1)},
				hosttest.GaveUp)
		}, agenticloop.RFC103V1},
		{"order-of-checks", "another run is resumed", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Unknown = hosttest.Handed(t, "unknown run", advance)
		}, agenticloop.RFC103I5},

		{"finished-run-ignored", "it goes on", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Finished[0] = hosttest.Turn(t, "done", host.Object{"R": hosttest.Over("done", 1)}, advance)
		}, agenticloop.RFC103V4},
		{"finished-run-ignored", "the run is let go of", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Finished[0] = hosttest.Turn(t, "done", host.Object{"R": hosttest.Over("done", 1)},
				hosttest.Ok(host.Object{}))
		}, "passed"},
		{"finished-run-ignored", "it is written anew, without what is null",
			func(t *testing.T, o *correlation.ResultsObservation) {
				without := hosttest.Over("done", 1)
				delete(without, "pending_step")
				without["pending_tool"] = ""
				o.Finished[0] = hosttest.Turn(t, "done", host.Object{"R": hosttest.Over("done", 1)},
					hosttest.Ok(host.Object{"R": without}))
			}, "passed"},
		{"finished-run-ignored", "there is none", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Finished = nil
		}, "blocked"},

		{"unknown-run-ignored", "it makes a run", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Unknown = hosttest.Handed(t, "unknown run",
				hosttest.Ok(host.Object{"R": hosttest.Running(1, "fetch"), "S": hosttest.Running(2, "fetch")}))
		}, agenticloop.RFC103V2},
		{"unknown-run-ignored", "it is an error", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Unknown = hosttest.Handed(t, "unknown run", hosttest.Refusal(false))
		}, agenticloop.RFC103V2},

		{"misshapen-result-moves-nothing", "step 0 is taken", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Misshapen[1] = hosttest.Handed(t, "step 0", advance)
		}, agenticloop.RFC103READ1},
		{"misshapen-result-moves-nothing", "one without a run ends the run", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Misshapen[0] = hosttest.Handed(t, "no run", hosttest.GaveUp)
		}, agenticloop.RFC103READ1},
		{"misshapen-result-moves-nothing", "one without a tool is taken", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Unmatched[1] = hosttest.Handed(t, "no tool", advance)
		}, agenticloop.RFC103READ1},
		{"misshapen-result-moves-nothing", "an escalation that is not kept", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Unmatched[1] = hosttest.Handed(t, "no tool", hosttest.Ok(nil, hosttest.Escalation("R", "no")))
		}, agenticloop.RFC103READ1},
		{"misshapen-result-moves-nothing", "it is to be tried again for ever",
			func(t *testing.T, o *correlation.ResultsObservation) {
				o.Misshapen[0] = hosttest.Handed(t, "no step", hosttest.Refusal(nil))
			}, "passed"}, // no sentence says that it may not (AL-R101)
		{"misshapen-result-moves-nothing", "a fraction is cut off",
			func(t *testing.T, o *correlation.ResultsObservation) {
				o.Rounded[0] = hosttest.Handed(t, "step 1.9", advance)
			}, "passed"},

		{"unknown-status-is-not-ok", "it is taken for ok", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Statuses[0] = hosttest.Handed(t, "no status", advance)
		}, agenticloop.RFC103V8},
		{"unknown-status-is-not-ok", "it completes the run", func(t *testing.T, o *correlation.ResultsObservation) {
			o.Statuses[0] = hosttest.Handed(t, "no status",
				hosttest.Ok(host.Object{"R": hosttest.Over("done", 1)}, hosttest.Completion("R", 1)))
		}, agenticloop.RFC103V8},

		{"same-request-same-answer", "another tool the second time",
			func(t *testing.T, o *correlation.ResultsObservation) {
				o.Twin = hosttest.Handed(t, "the same request",
					hosttest.Ok(host.Object{"R": hosttest.Running(2, "fetch")}, hosttest.Request("R", 2, "fetch")))
			}, agenticloop.RFC103O4},
		{"same-request-same-answer", "another tool, which the profile says may be",
			func(t *testing.T, o *correlation.ResultsObservation) {
				o.Live, o.Twin = true, hosttest.Handed(t, "the same request",
					hosttest.Ok(host.Object{"R": hosttest.Running(2, "fetch")}, hosttest.Request("R", 2, "fetch")))
			}, "passed"},
		{"same-request-same-answer", "another run, which no profile can allow",
			func(t *testing.T, o *correlation.ResultsObservation) {
				o.Live, o.Twin = true,
					hosttest.Handed(t, "the same request",
						hosttest.Ok(host.Object{"R": hosttest.Running(1, "fetch"), "S": hosttest.Running(2, "fabric")},
							hosttest.Request("S", 2, "fabric")))
			}, agenticloop.RFC103O4},
		{"same-request-same-answer", "the id of a trace", func(t *testing.T, o *correlation.ResultsObservation) {
			e := hosttest.Request("R", 2, "fabric")
			e["payload"].(host.Object)["trace_id"] = "b"
			o.Twin = hosttest.Handed(t, "the same request", hosttest.Ok(hosttest.RunR2, e))
		}, "passed"},
		{"same-request-same-answer", "another time", func(t *testing.T, o *correlation.ResultsObservation) {
			e := hosttest.Request("R", 2, "fabric")
			e["payload"].(host.Object)["requested_at"] = "2027-01-01T00:00:00Z"
			o.Twin = hosttest.Handed(t, "the same request", hosttest.Ok(hosttest.RunR2, e))
		}, "passed"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, "correlation/"+c.scenario, hosttest.HonestResults(t), "passed")
			o := hosttest.HonestResults(t)
			c.change(t, &o)
			hosttest.Expect(t, "correlation/"+c.scenario, o, c.want)
		})
	}
	t.Run("what is accepted is told", func(t *testing.T) {
		o := hosttest.HonestResults(t)
		o.Rounded[0] = hosttest.Handed(t, "step 1.9", advance)
		o.Unknown, o.Finished[0] = hosttest.Handed(t, "unknown run", hosttest.Ok(nil)),
			hosttest.Turn(t, "done", host.Object{"R": hosttest.Over("done", 1)}, hosttest.Ok(nil))
		o.Again = hosttest.Turn(t, "again", hosttest.RunR2, hosttest.Ok(nil, hosttest.Request("R", 2, "fabric")))
		for name, want := range map[string]string{"misshapen-result-moves-nothing": agenticloop.RFC103READ14,
			"unknown-run-logged":  agenticloop.RFC103V3,
			"finished-run-logged": agenticloop.RFC103V5, "same-result-twice": ""} {
			out := hosttest.Expect(t, "correlation/"+name, o, "passed")
			if len(out.Findings) != 1 || out.Findings[0].Requirement != scenarios.RequirementID(want) {
				t.Errorf("%s: findings %v", name, out.Findings)
			}
		}
	})
}
