package agenticloop

import (
	"maps"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/agenticloopv2"
)

// ended is the honest story of a run that is done after two results.
func ended(t *testing.T) EndObservation {
	o := EndObservation{Way: "scripted_config", Goal: "g", Run: "R", Taken: 2, Start: startR.turn(t), Steps: []Turn{
		handed(t, "the result of step 1", ok(runR2, request("R", 2, "fabric"))),
		told{name: "the result of step 2", before: runR2, answer: ok(object{"R": over("done", 2)}, completion("R", 2))}.turn(t),
	}}
	for range 3 {
		o.Again = append(o.Again, told{name: "again", before: object{"R": over("done", 2)}, answer: ok(nil)}.turn(t))
	}
	o.Turns = append(Turns{o.Start}, o.Steps...)
	return o
}

func TestJudgesOfTheEnd(t *testing.T) {
	last := func(answer any) func(*EndObservation) {
		return func(o *EndObservation) {
			o.Steps[1] = told{name: "the result of step 2", before: runR2, answer: answer}.turn(t)
		}
	}
	finish := func(change func(payload object)) object {
		e := completion("R", 2)
		change(e["payload"].(object))
		return ok(object{"R": over("done", 2)}, e)
	}
	gives := ok(object{"R": over("escalated", 2)}, escalation("R", "no_next_action"))
	for _, c := range []struct {
		scenario, name string
		change         func(*EndObservation)
		want           string
	}{
		{"correlation/steps-count-up", "a step twice", func(o *EndObservation) {
			o.Steps[0] = handed(t, "the result of step 1", ok(runR2, request("R", 1, "fabric")))
		}, agenticloopv2.RFC103I2},
		{"correlation/steps-count-up", "a step left out", func(o *EndObservation) {
			o.Steps[0] = handed(t, "the result of step 1", ok(object{"R": running(3, "fabric")}, request("R", 3, "fabric")))
		}, agenticloopv2.RFC103I2},
		{"correlation/completion-tells", "another goal", last(finish(func(p object) { p["goal"] = "h" })), agenticloopv2.RFC103E12},
		{"correlation/completion-tells", "no run", last(finish(func(p object) { delete(p, "run_id") })), agenticloopv2.RFC103E12},
		{"correlation/completion-tells", "no outcome", last(finish(func(p object) { p["outcome"] = "" })), agenticloopv2.RFC103E13},
		{"correlation/completion-tells", "one step too many", last(finish(func(p object) { p["steps_taken"] = 3 })), agenticloopv2.RFC103E14},
		{"correlation/completion-tells", "it gives up", last(gives), "blocked"},
		{"correlation/completion-tells", "it gives up, left to itself", func(o *EndObservation) { last(gives)(o); o.Way = "" }, "blocked"},
		{"correlation/completion-tells", "it never ends", func(o *EndObservation) { o.Stuck = "on and on" }, "blocked"},
		{"correlation/completes-once", "it completes again", func(o *EndObservation) {
			o.Again[2] = told{name: "again", before: object{"R": over("done", 2)}, answer: ok(nil, completion("R", 2))}.turn(t)
		}, agenticloopv2.RFC103M7},
		{"correlation/completes-once", "it goes on", func(o *EndObservation) {
			o.Again[0] = told{name: "again", before: object{"R": over("done", 2)}, answer: ok(object{"R": running(3, "fetch")}, request("R", 3, "fetch"))}.turn(t)
		}, agenticloopv2.RFC103M7},
		{"correlation/completes-once", "no event tells it", last(ok(object{"R": over("done", 2)})), agenticloopv2.RFC103M7},
		{"state/done-is-kept", "it is still running", last(ok(runR2, completion("R", 2))), agenticloopv2.RFC103S8},
		{"state/done-is-kept", "it is not kept", last(ok(nil, completion("R", 2))), agenticloopv2.RFC103S8},
		{"state/done-is-kept", "something is pending", last(ok(object{"R": func() object { r := over("done", 2); r["pending_step"] = 2; return r }()}, completion("R", 2))), agenticloopv2.RFC103S7},
		{"state/done-is-kept", "0 and an empty text are nothing", last(ok(object{"R": func() object {
			r := over("done", 2)
			maps.Copy(r, object{"pending_step": 0, "pending_tool": ""})
			return r
		}()}, completion("R", 2))), "passed"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			expect(t, c.scenario, ended(t), "passed")
			o := ended(t)
			c.change(&o)
			expect(t, c.scenario, o, c.want)
		})
	}
}

func TestJudgesOfSeveralRuns(t *testing.T) {
	three := object{"A": running(1, "fetch"), "B": running(1, "fetch"), "C": running(1, "fetch"), "E": over("done", 1)}
	with := func(changes object) object {
		out := maps.Clone(three)
		for id, run := range changes {
			if out[id] = run; run == nil {
				delete(out, id)
			}
		}
		return out
	}
	honest := func() RunsObservation {
		o := RunsObservation{Marker: "m-4711", Ended: "E", Pending: []pending{{"A", 1, "fetch"}, {"B", 1, "fetch"}, {"C", 1, "fetch"}}, Grown: 100, Of: []string{"A", "B"}, Not: []string{"B", "A"}}
		before := object{}
		for _, id := range []string{"A", "B", "C"} {
			after := maps.Clone(before)
			after[id] = running(1, "fetch")
			o.Starts = append(o.Starts, told{name: "the start of " + id, before: before, answer: ok(after, request(id, 1, "fetch"))}.turn(t))
			before = after
		}
		o.One = told{name: "the result of B", before: three, answer: ok(with(object{"B": running(2, "fabric")}), request("B", 2, "fabric"))}.turn(t)
		o.Large = told{name: "large", before: three, answer: ok(with(object{"A": running(2, "fabric")}), request("A", 2, "fabric"))}.turn(t)
		o.Crossed = []Turn{told{name: "crossed", before: three, answer: ok(with(object{"A": over("escalated", 1)}), escalation("A", "step_mismatch"))}.turn(t),
			told{name: "crossed back", before: with(object{"B": running(3, "fetch")}), answer: ok(nil)}.turn(t)}
		return o
	}
	one := func(runs object) func(*RunsObservation) {
		return func(o *RunsObservation) {
			o.One = told{name: "the result of B", before: three, answer: ok(runs, request("B", 2, "fabric"))}.turn(t)
		}
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*RunsObservation)
		want           string
	}{
		{"state/other-runs-kept", "one is lost", one(object{"A": running(1, "fetch"), "B": running(2, "fabric"), "E": over("done", 1)}), agenticloopv2.RFC103WIRE12},
		{"state/other-runs-kept", "one is changed", one(with(object{"A": running(9, "fetch"), "B": running(2, "fabric")})), agenticloopv2.RFC103READ5},
		{"state/other-runs-kept", "an ended one is changed", one(with(object{"B": running(2, "fabric"), "E": over("escalated", 1)})), agenticloopv2.RFC103READ8},
		{"state/other-runs-kept", "an ended one is let go of", one(with(object{"B": running(2, "fabric"), "E": nil})), "passed"},
		{"state/other-runs-kept", "the result moves none", func(o *RunsObservation) {
			o.One = told{name: "the result of B", before: three, answer: ok(nil)}.turn(t)
		}, "blocked"},
		{"state/results-stay-out", "the result is kept", func(o *RunsObservation) {
			run := running(2, "fabric")
			run["last_result"] = "so m-4711 so"
			o.Large = told{name: "large", before: three, answer: ok(with(object{"A": run}), request("A", 2, "fabric"))}.turn(t)
		}, agenticloopv2.RFC103READ7},
		{"state/results-stay-out", "the state grows", func(o *RunsObservation) { o.Grown = 5000 }, agenticloopv2.RFC103READ7},
		{"correlation/crossed-runs", "the other run moves", func(o *RunsObservation) {
			o.Crossed[0] = told{name: "crossed", before: three, answer: ok(with(object{"B": running(2, "fabric")}), request("B", 2, "fabric"))}.turn(t)
		}, agenticloopv2.RFC103I5},
		{"correlation/crossed-runs", "the other run is changed", func(o *RunsObservation) {
			o.Crossed[0] = told{name: "crossed", before: three, answer: ok(with(object{"B": over("escalated", 1)}), escalation("A", "x"))}.turn(t)
		}, agenticloopv2.RFC103READ5},
		{"correlation/crossed-runs", "a stale step is taken", func(o *RunsObservation) {
			further := with(object{"B": running(3, "fetch")})
			escalates := maps.Clone(further)
			escalates["B"] = over("escalated", 3)
			o.Crossed, o.Of, o.Not = []Turn{told{name: "crossed", before: further, answer: ok(escalates, escalation("B", "x"))}.turn(t)}, []string{"B"}, []string{"A"}
		}, agenticloopv2.RFC103I6},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			expect(t, c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			expect(t, c.scenario, o, c.want)
		})
	}
}

func TestJudgesOfLargeThings(t *testing.T) {
	big := over("done", 1)
	big["goal"] = strings.Repeat("x", 1<<20)
	honest := func() LargeObservation {
		return LargeObservation{Start: startR.turn(t), Goal: told{name: "a large goal", answer: refusal(false)}.turn(t), Crowded: told{name: "a crowd", answer: startR.answer}.turn(t),
			After: 1000, Result: handed(t, "a large result", ok(runR2, request("R", 2, "fabric")))}
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*LargeObservation)
		want           string
	}{
		{"state/stays-below-1-mib", "the goal is kept", func(o *LargeObservation) { o.Goal = told{name: "a large goal", answer: ok(object{"R": big})}.turn(t) }, agenticloopv2.RFC103WIRE13},
		{"state/stays-below-1-mib", "to be tried again", func(o *LargeObservation) { o.Goal = told{name: "a large goal", answer: refusal(true)}.turn(t) }, agenticloopv2.RFC103WIRE13},
		{"state/stays-below-1-mib", "the crowd grows", func(o *LargeObservation) { o.After = 1<<20 + 1 }, agenticloopv2.RFC103WIRE13},
		{"workspace/large-result", "it crashes", func(o *LargeObservation) { o.Result = told{name: "a large result", answer: "", exit: 1}.turn(t) }, agenticloopv2.RFC103READ6},
		{"workspace/large-result", "it says nothing", func(o *LargeObservation) { o.Result = told{name: "a large result", answer: ""}.turn(t) }, agenticloopv2.RFC103READ6},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			expect(t, c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			expect(t, c.scenario, o, c.want)
		})
	}
}

// What is kept of runs, as findings.
func TestFindingsOfTheState(t *testing.T) {
	o := honestResults(t)
	if out := expect(t, "state/escalated-is-idle", o, "passed"); len(out.Findings) != 0 {
		t.Errorf("findings %v", out.Findings)
	}
	left := running(1, "fetch")
	left["status"] = "escalated"
	o.Wrong = handed(t, "wrong tool", ok(object{"R": left}, escalation("R", "x")))
	if out := expect(t, "state/escalated-is-idle", o, "passed"); len(out.Findings) != 2 {
		t.Errorf("findings %v", out.Findings)
	}
	o = honestResults(t)
	if out := expect(t, "state/completed-steps", o, "passed"); len(out.Findings) != 1 {
		t.Errorf("findings %v", out.Findings)
	}
	listed := running(2, "fabric")
	listed["completed_steps"] = []any{1}
	o.Matching = handed(t, "the result", ok(object{"R": listed}, request("R", 2, "fabric")))
	if out := expect(t, "state/completed-steps", o, "passed"); len(out.Findings) != 0 {
		t.Errorf("findings %v", out.Findings)
	}
	expect(t, "state/resumes-from-the-state-alone", o, "passed")
	o.Matching = handed(t, "the result", ok(nil))
	expect(t, "state/resumes-from-the-state-alone", o, agenticloopv2.RFC103S1)
	o.Matching = handed(t, "the result", ok(object{"R": running(2, "fabric")})) // it asks for nothing, which is held against it elsewhere
	expect(t, "state/resumes-from-the-state-alone", o, "passed")
	o.Matching = handed(t, "the result", ok(object{"R": running(1, "fetch"), "X": running(1, "fetch")}, request("X", 1, "fetch")))
	expect(t, "state/resumes-from-the-state-alone", o, agenticloopv2.RFC103S1)
	run := running(1, "fetch")
	run["created_at"] = "today"
	s := StartsObservation{First: told{name: "a", answer: ok(object{"R": run}, request("R", 1, "fetch"))}.turn(t)}
	if out := expect(t, "state/run-has-its-times", s, "passed"); len(out.Findings) != 1 {
		t.Errorf("findings %v", out.Findings)
	}
}
