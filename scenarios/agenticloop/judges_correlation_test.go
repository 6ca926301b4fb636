package agenticloop

import (
	"testing"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
)

// honestResults is the story of a run to which every kind of result came.
func honestResults(t *testing.T) ResultsObservation {
	matching := ok(runR2, request("R", 2, "fabric"))
	o := ResultsObservation{
		Start: startR.turn(t), Pending: pending{"R", 1, "fetch"}, Stranger: "S",
		Matching: handed(t, "the result", matching), Twin: handed(t, "the same request", matching),
		Again:      told{name: "again", before: runR2, answer: ok(nil)}.turn(t),
		Stale:      told{name: "stale", before: object{"R": running(3, "fetch")}, answer: ok(nil)}.turn(t),
		Old:        told{name: "old", before: object{"R": running(3, "fetch")}, answer: ok(nil)}.turn(t),
		StaleWrong: told{name: "stale and wrong", before: object{"R": running(3, "fetch")}, answer: ok(nil)}.turn(t),
		Wrong:      handed(t, "wrong tool", gaveUp), Unknown: handed(t, "unknown run", logged(ok(nil), "warn")), Zero: handed(t, "zero time", matching),
	}
	o.Late = []Turn{o.Again}
	o.Later = []Turn{handed(t, "later", gaveUp), handed(t, "far above", gaveUp)}
	o.Finished = []Turn{
		told{name: "done", before: object{"R": over("done", 1)}, answer: logged(ok(nil), "info")}.turn(t),
		told{name: "escalated", before: object{"R": over("escalated", 1)}, answer: logged(ok(nil), "info")}.turn(t),
	}
	o.Misshapen = []Turn{handed(t, "no step", refusal(false)), handed(t, "step 0", ok(nil))}
	o.Rounded = []Turn{handed(t, "step 1.9", ok(nil))}
	o.Statuses = []Turn{handed(t, "no status", refusal(false)), handed(t, "status pending", ok(object{"R": running(1, "fetch")}, request("R", 1, "fetch")))}
	o.Turns = Turns{o.Start, o.Matching, o.Wrong, o.Unknown}
	return o
}

func TestJudgesOfResults(t *testing.T) {
	advance := ok(runR2, request("R", 2, "fabric"))
	for _, c := range []struct {
		scenario, name string
		change         func(*testing.T, *ResultsObservation)
		want           string
	}{
		{"matching-result-resumes", "it is done", func(t *testing.T, o *ResultsObservation) {
			o.Matching = handed(t, "the result", ok(object{"R": over("done", 1)}, completion("R", 1)))
		}, "passed"},
		{"matching-result-resumes", "it is ignored", func(t *testing.T, o *ResultsObservation) { o.Matching = handed(t, "the result", ok(nil)) }, agenticloopv2.RFC103T9},
		{"matching-result-resumes", "it jumps a step", func(t *testing.T, o *ResultsObservation) {
			o.Matching = handed(t, "the result", ok(object{"R": running(3, "fabric")}, request("R", 3, "fabric")))
		}, agenticloopv2.RFC103E11},
		{"matching-result-resumes", "it does not keep what is pending", func(t *testing.T, o *ResultsObservation) {
			run := running(2, "fabric")
			run["pending_step"] = 1
			o.Matching = handed(t, "the result", ok(object{"R": run}, request("R", 2, "fabric")))
		}, agenticloopv2.RFC103S7},
		{"matching-result-resumes", "it is an error", func(t *testing.T, o *ResultsObservation) { o.Matching = handed(t, "the result", refusal(true)) }, agenticloopv2.RFC103P3},
		{"matching-result-resumes", "it crashes", func(t *testing.T, o *ResultsObservation) {
			o.Matching = told{name: "the result", answer: "Traceback", exit: 1}.turn(t)
		}, "blocked"},
		{"matching-result-resumes", "there was no start", func(t *testing.T, o *ResultsObservation) { o.Start = told{name: "the start", answer: ok(nil)}.turn(t) }, "blocked"},

		{"same-result-twice", "the pending request once more is told", func(t *testing.T, o *ResultsObservation) {
			o.Again = told{name: "again", before: runR2, answer: ok(nil, request("R", 2, "fabric"))}.turn(t)
		}, "passed"},
		{"same-result-twice", "it advances again", func(t *testing.T, o *ResultsObservation) {
			o.Again = told{name: "again", before: runR2, answer: ok(object{"R": running(3, "fetch")}, request("R", 3, "fetch"))}.turn(t)
		}, agenticloopv2.RFC103I6},
		{"same-result-twice", "it advances the fourth time", func(t *testing.T, o *ResultsObservation) {
			o.Late = append(o.Late, told{name: "again (4)", before: runR2, answer: ok(object{"R": running(3, "fetch")}, request("R", 3, "fetch"))}.turn(t))
		}, agenticloopv2.RFC103O5},
		{"same-result-twice", "it is an error", func(t *testing.T, o *ResultsObservation) {
			o.Again = told{name: "again", before: runR2, answer: refusal(false)}.turn(t)
		}, agenticloopv2.RFC103I6},
		{"same-result-twice", "it never moved", func(t *testing.T, o *ResultsObservation) { o.Matching = handed(t, "the result", ok(nil)) }, "blocked"},

		{"stale-step-ignored", "it is taken", func(t *testing.T, o *ResultsObservation) {
			o.Stale = told{name: "stale", before: object{"R": running(3, "fetch")}, answer: ok(object{"R": running(4, "fetch")}, request("R", 4, "fetch"))}.turn(t)
		}, agenticloopv2.RFC103V6},
		{"stale-step-ignored", "an older one is taken", func(t *testing.T, o *ResultsObservation) {
			o.Old = told{name: "old", before: object{"R": running(3, "fetch")}, answer: ok(object{"R": running(4, "fetch")}, request("R", 4, "fetch"))}.turn(t)
		}, agenticloopv2.RFC103V6},
		{"stale-step-ignored", "what is pending is asked for once more", func(t *testing.T, o *ResultsObservation) {
			o.Stale = told{name: "stale", before: object{"R": running(3, "fetch")}, answer: ok(nil, request("R", 3, "fetch"))}.turn(t)
		}, "passed"},
		{"stale-step-ignored", "it is asked for once more, and the run changes", func(t *testing.T, o *ResultsObservation) {
			changed := running(3, "fetch")
			changed["attempt"] = 2
			o.Stale = told{name: "stale", before: object{"R": running(3, "fetch")}, answer: ok(object{"R": changed}, request("R", 3, "fetch"))}.turn(t)
		}, agenticloopv2.RFC103V6},
		{"stale-step-ignored", "another tool is asked for", func(t *testing.T, o *ResultsObservation) {
			o.Stale = told{name: "stale", before: object{"R": running(3, "fetch")}, answer: ok(nil, request("R", 3, "fabric"))}.turn(t)
		}, agenticloopv2.RFC103V6},
		{"stale-step-ignored", "the run changes in silence", func(t *testing.T, o *ResultsObservation) {
			o.Stale = told{name: "stale", before: object{"R": running(3, "fetch")}, answer: ok(object{"R": running(2, "fetch")})}.turn(t)
		}, agenticloopv2.RFC103V6},

		{"later-step-escalates", "it is taken", func(t *testing.T, o *ResultsObservation) { o.Later[0] = handed(t, "later", advance) }, agenticloopv2.RFC103K2},
		{"later-step-escalates", "it is an error", func(t *testing.T, o *ResultsObservation) { o.Later[1] = handed(t, "later", refusal(false)) }, agenticloopv2.RFC103K2},
		{"later-step-escalates", "the state does not say so", func(t *testing.T, o *ResultsObservation) {
			o.Later[0] = handed(t, "later", ok(nil, escalation("R", "step_mismatch")))
		}, agenticloopv2.RFC103K2},
		{"later-step-escalates", "it ends twice", func(t *testing.T, o *ResultsObservation) {
			o.Later[0] = handed(t, "later", ok(object{"R": over("escalated", 1)}, escalation("R", "a"), escalation("R", "b")))
		}, agenticloopv2.RFC103K2},

		{"wrong-tool-escalates", "it is taken", func(t *testing.T, o *ResultsObservation) { o.Wrong = handed(t, "wrong tool", advance) }, agenticloopv2.RFC103V7},
		{"wrong-tool-escalates", "it is an error", func(t *testing.T, o *ResultsObservation) {
			answer := refusal(true)
			answer["events"] = []any{escalation("R", "x")}
			o.Wrong = handed(t, "wrong tool", answer)
		}, agenticloopv2.RFC103P3},
		{"wrong-tool-escalates", "it is ignored", func(t *testing.T, o *ResultsObservation) { o.Wrong = handed(t, "wrong tool", ok(nil)) }, agenticloopv2.RFC103V7},
		{"wrong-tool-escalates", "no reason is given", func(t *testing.T, o *ResultsObservation) {
			o.Wrong = handed(t, "wrong tool", ok(object{"R": over("escalated", 1)}, object{"type": escalated, "payload": object{"run_id": "R"}}))
		}, agenticloopv2.RFC103F3},

		{"order-of-checks", "the tool is looked at first", func(t *testing.T, o *ResultsObservation) {
			o.StaleWrong = told{name: "stale and wrong", before: object{"R": running(3, "fetch")}, answer: gaveUp}.turn(t)
		}, agenticloopv2.RFC103V1},
		{"order-of-checks", "a finished run is escalated again", func(t *testing.T, o *ResultsObservation) {
			o.Finished[1] = told{name: "escalated", before: object{"R": over("escalated", 1)}, answer: gaveUp}.turn(t)
		}, agenticloopv2.RFC103V1},
		{"order-of-checks", "another run is resumed", func(t *testing.T, o *ResultsObservation) { o.Unknown = handed(t, "unknown run", advance) }, agenticloopv2.RFC103I5},

		{"finished-run-ignored", "it goes on", func(t *testing.T, o *ResultsObservation) {
			o.Finished[0] = told{name: "done", before: object{"R": over("done", 1)}, answer: advance}.turn(t)
		}, agenticloopv2.RFC103V4},
		{"finished-run-ignored", "the run is let go of", func(t *testing.T, o *ResultsObservation) {
			o.Finished[0] = told{name: "done", before: object{"R": over("done", 1)}, answer: ok(object{})}.turn(t)
		}, "passed"},
		{"finished-run-ignored", "it is written anew, without what is null", func(t *testing.T, o *ResultsObservation) {
			without := over("done", 1)
			delete(without, "pending_step")
			without["pending_tool"] = ""
			o.Finished[0] = told{name: "done", before: object{"R": over("done", 1)}, answer: ok(object{"R": without})}.turn(t)
		}, "passed"},
		{"finished-run-ignored", "there is none", func(t *testing.T, o *ResultsObservation) { o.Finished = nil }, "blocked"},

		{"unknown-run-ignored", "it makes a run", func(t *testing.T, o *ResultsObservation) {
			o.Unknown = handed(t, "unknown run", ok(object{"R": running(1, "fetch"), "S": running(2, "fetch")}))
		}, agenticloopv2.RFC103V2},
		{"unknown-run-ignored", "it is an error", func(t *testing.T, o *ResultsObservation) { o.Unknown = handed(t, "unknown run", refusal(false)) }, agenticloopv2.RFC103V2},

		{"misshapen-result-moves-nothing", "step 0 is taken", func(t *testing.T, o *ResultsObservation) { o.Misshapen[1] = handed(t, "step 0", advance) }, agenticloopv2.RFC103READ1},
		{"misshapen-result-moves-nothing", "it is to be tried again for ever", func(t *testing.T, o *ResultsObservation) {
			o.Misshapen[0] = handed(t, "no step", refusal(nil))
		}, agenticloopv2.RFC103READ1},
		{"misshapen-result-moves-nothing", "a fraction is cut off", func(t *testing.T, o *ResultsObservation) { o.Rounded[0] = handed(t, "step 1.9", advance) }, "passed"},

		{"unknown-status-is-not-ok", "it is taken for ok", func(t *testing.T, o *ResultsObservation) { o.Statuses[0] = handed(t, "no status", advance) }, agenticloopv2.RFC103V8},
		{"unknown-status-is-not-ok", "it completes the run", func(t *testing.T, o *ResultsObservation) {
			o.Statuses[0] = handed(t, "no status", ok(object{"R": over("done", 1)}, completion("R", 1)))
		}, agenticloopv2.RFC103V8},

		{"same-request-same-answer", "another tool the second time", func(t *testing.T, o *ResultsObservation) {
			o.Twin = handed(t, "the same request", ok(object{"R": running(2, "fetch")}, request("R", 2, "fetch")))
		}, agenticloopv2.RFC103O4},
		{"same-request-same-answer", "another tool, which the profile says may be", func(t *testing.T, o *ResultsObservation) {
			o.Live, o.Twin = true, handed(t, "the same request", ok(object{"R": running(2, "fetch")}, request("R", 2, "fetch")))
		}, "passed"},
		{"same-request-same-answer", "another run, which no profile can allow", func(t *testing.T, o *ResultsObservation) {
			o.Live, o.Twin = true, handed(t, "the same request", ok(object{"R": running(1, "fetch"), "S": running(2, "fabric")}, request("S", 2, "fabric")))
		}, agenticloopv2.RFC103O4},
		{"same-request-same-answer", "the id of a trace", func(t *testing.T, o *ResultsObservation) {
			e := request("R", 2, "fabric")
			e["payload"].(object)["trace_id"] = "b"
			o.Twin = handed(t, "the same request", ok(runR2, e))
		}, "passed"},
		{"same-request-same-answer", "another time", func(t *testing.T, o *ResultsObservation) {
			e := request("R", 2, "fabric")
			e["payload"].(object)["requested_at"] = "2027-01-01T00:00:00Z"
			o.Twin = handed(t, "the same request", ok(runR2, e))
		}, "passed"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			expect(t, "correlation/"+c.scenario, honestResults(t), "passed")
			o := honestResults(t)
			c.change(t, &o)
			expect(t, "correlation/"+c.scenario, o, c.want)
		})
	}
	t.Run("what is accepted is told", func(t *testing.T) {
		o := honestResults(t)
		o.Rounded[0] = handed(t, "step 1.9", advance)
		o.Unknown, o.Finished[0] = handed(t, "unknown run", ok(nil)), told{name: "done", before: object{"R": over("done", 1)}, answer: ok(nil)}.turn(t)
		o.Again = told{name: "again", before: runR2, answer: ok(nil, request("R", 2, "fabric"))}.turn(t)
		for name, want := range map[string]string{"misshapen-result-moves-nothing": agenticloopv2.RFC103READ1, "unknown-run-logged": agenticloopv2.RFC103V3,
			"finished-run-logged": agenticloopv2.RFC103V5, "same-result-twice": agenticloopv2.RFC103I6} {
			out := expect(t, "correlation/"+name, o, "passed")
			if len(out.Findings) != 1 || out.Findings[0].Requirement != scenarios.RequirementID(want) {
				t.Errorf("%s: findings %v", name, out.Findings)
			}
		}
	})
}

func TestJudgesOfStarts(t *testing.T) {
	honest := func(t *testing.T) StartsObservation {
		second := told{name: "another start", before: runR, answer: ok(object{"R": running(1, "fetch"), "Q": running(1, "fetch")}, request("Q", 1, "fetch"))}
		second.answer.(object)["state_updates"].(object)["last_run_id"] = "Q"
		o := StartsObservation{
			Goal: "g", First: startR.turn(t), Second: second.turn(t), Trigger: told{name: "a trigger", answer: ok(object{"T": running(1, "fetch")}, request("T", 1, "fetch"))}.turn(t),
			NoGoal: []Turn{told{name: "no goal", answer: refusal(false)}.turn(t), told{name: "blank", answer: ok(object{"N": over("escalated", 0)}, escalation("N", "no goal"))}.turn(t)},
		}
		return o
	}
	changed := func(key string, value any) object {
		e := request("R", 1, "fetch")
		if payload := e["payload"].(object); value == nil {
			delete(payload, key)
		} else {
			payload[key] = value
		}
		return e
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*testing.T, *StartsObservation)
		want           string
	}{
		{"correlation/start-makes-a-run", "no run", func(t *testing.T, o *StartsObservation) { o.First = told{name: "a", answer: ok(nil)}.turn(t) }, agenticloopv2.RFC103T3},
		{"correlation/start-makes-a-run", "two runs", func(t *testing.T, o *StartsObservation) {
			o.First = told{name: "a", answer: ok(object{"R": running(1, "fetch"), "S": running(1, "fetch")}, request("R", 1, "fetch"))}.turn(t)
		}, agenticloopv2.RFC103T3},
		{"correlation/start-makes-a-run", "counts from 0", func(t *testing.T, o *StartsObservation) {
			o.First = told{name: "a", answer: ok(object{"R": running(0, "fetch")}, request("R", 0, "fetch"))}.turn(t)
		}, agenticloopv2.RFC103T6},
		{"correlation/start-makes-a-run", "another goal", func(_ *testing.T, o *StartsObservation) { o.Goal = "h" }, agenticloopv2.RFC103E1},
		{"correlation/start-makes-a-run", "prints a dump", func(t *testing.T, o *StartsObservation) {
			o.First = told{name: "a", answer: "Traceback", exit: 1}.turn(t)
		}, "blocked"},
		{"correlation/starts-are-distinct", "the same id", func(t *testing.T, o *StartsObservation) {
			o.Second = told{name: "another", before: runR, answer: ok(runR, request("R", 1, "fetch"))}.turn(t)
		}, agenticloopv2.RFC103I1},
		{"correlation/starts-are-distinct", "the first is gone", func(t *testing.T, o *StartsObservation) {
			o.Second = told{name: "another", before: runR, answer: ok(object{"Q": running(1, "fetch")}, request("Q", 1, "fetch"))}.turn(t)
		}, agenticloopv2.RFC103READ5},
		{"correlation/starts-are-distinct", "an id with a slash", func(t *testing.T, o *StartsObservation) {
			o.First = told{name: "a", answer: ok(object{"R/1": running(1, "fetch")}, request("R/1", 1, "fetch"))}.turn(t)
			o.Second = told{name: "another", before: object{"R/1": running(1, "fetch")}, answer: ok(object{"R/1": running(1, "fetch"), "Q": running(1, "fetch")}, request("Q", 1, "fetch"))}.turn(t)
		}, agenticloopv2.RFC103I1},
		{"protocol/request-names-its-step", "the type names nothing", func(t *testing.T, o *StartsObservation) {
			e := request("R", 1, "fetch")
			e["type"] = "agentic.tool_request"
			o.First = told{name: "a", answer: ok(runR, e)}.turn(t)
		}, agenticloopv2.RFC103E6},
		{"protocol/request-names-its-step", "no tool", func(t *testing.T, o *StartsObservation) {
			o.First = told{name: "a", answer: ok(runR, changed("tool", nil))}.turn(t)
		}, agenticloopv2.RFC103E7},
		{"protocol/request-names-its-step", "a step as a text", func(t *testing.T, o *StartsObservation) {
			o.First = told{name: "a", answer: ok(runR, changed("step", "1"))}.turn(t)
		}, agenticloopv2.RFC103E7},
		{"protocol/request-names-its-step", "two versions of the arguments", func(t *testing.T, o *StartsObservation) {
			o.First = told{name: "a", answer: ok(runR, changed("url", "another"))}.turn(t)
		}, agenticloopv2.RFC103E9},
		{"protocol/request-names-its-step", "the same arguments in both places", func(t *testing.T, o *StartsObservation) {
			o.First = told{name: "a", answer: ok(runR, changed("url", "u"))}.turn(t)
		}, "passed"},
		{"protocol/start-without-goal", "starts a run", func(t *testing.T, o *StartsObservation) {
			o.NoGoal[0] = told{name: "no goal", answer: ok(object{"N": running(1, "fetch")}, request("N", 1, "fetch"))}.turn(t)
		}, agenticloopv2.RFC103E2},
		{"protocol/start-without-goal", "to be tried again", func(t *testing.T, o *StartsObservation) {
			o.NoGoal[0] = told{name: "no goal", answer: refusal(true)}.turn(t)
		}, agenticloopv2.RFC103E2},
		{"protocol/start-without-goal", "nothing at all", func(t *testing.T, o *StartsObservation) { o.NoGoal[0] = told{name: "no goal", answer: ok(nil)}.turn(t) }, agenticloopv2.RFC103E2},
		{"state/run-has-its-fields", "no budget", func(t *testing.T, o *StartsObservation) {
			run := running(1, "fetch")
			delete(run, "max_steps")
			o.First = told{name: "a", answer: ok(object{"R": run}, request("R", 1, "fetch"))}.turn(t)
		}, agenticloopv2.RFC103S2},
		{"state/run-has-its-fields", "the run is not kept", func(t *testing.T, o *StartsObservation) {
			o.First = told{name: "a", answer: ok(object{}, request("R", 1, "fetch"))}.turn(t)
		}, agenticloopv2.RFC103P5},
		{"state/run-has-its-fields", "the last run is another", func(t *testing.T, o *StartsObservation) {
			a := ok(runR, request("R", 1, "fetch"))
			a["state_updates"].(object)["last_run_id"] = "Q"
			o.First = told{name: "a", answer: a}.turn(t)
		}, agenticloopv2.RFC103S3},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			expect(t, c.scenario, honest(t), "passed")
			o := honest(t)
			c.change(t, &o)
			expect(t, c.scenario, o, c.want)
		})
	}
}
