package agenticloop

import (
	"testing"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestJudgesOfRedelivery(t *testing.T) {
	matching := ok(runR2, request("R", 2, "fabric"))
	honest := func() RedeliveryObservation {
		o := RedeliveryObservation{
			Start: startR.turn(t), Run: "R", Other: handed(t, "another start", ok(object{"R": running(1, "fetch"), "O": running(1, "fetch")}, request("O", 1, "fetch"))), Again: handed(t, "the same job", ok(nil)), Matching: handed(t, "the result", matching), Taken: told{name: "taken", before: runR2, answer: ok(nil)}.turn(t),
			Foreign: []Turn{handed(t, "a foreign start", refusal(false)), handed(t, "another", ok(object{"R": running(1, "fetch"), "Q": running(1, "fetch")}, request("Q", 1, "fetch")))},
		}
		files := wiretest.Value(t, object{"trace.jsonl": object{"kind": "file", "text": "{\"a\":1}\n[]\n", "whole": true, "bytes": 11}})
		o.Killed = []Killed{{Point: "before its input", Died: true, Again: startR.turn(t), Files: files}}
		o.Resumed = []Killed{{Point: "before its input", Died: true, Again: handed(t, "the result again", matching), Files: files}}
		return o
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*RedeliveryObservation)
		want           string
	}{
		{"start-delivered-again", "a second run", func(o *RedeliveryObservation) {
			o.Again = handed(t, "the same job", ok(object{"R": running(1, "fetch"), "Q": running(1, "fetch")}, request("Q", 1, "fetch")))
		}, agenticloopv2.RFC103READ2},
		{"start-delivered-again", "the pending request once more", func(o *RedeliveryObservation) { o.Again = handed(t, "the same job", ok(nil, request("R", 1, "fetch"))) }, "passed"},
		{"start-delivered-again", "the run begins anew", func(o *RedeliveryObservation) {
			run := running(1, "fetch")
			run["attempt"] = 2
			o.Again = handed(t, "the same job", ok(object{"R": run}))
		}, agenticloopv2.RFC103READ2},
		{"start-with-a-known-id", "any start changes it", func(o *RedeliveryObservation) {
			o.Other = handed(t, "another start", ok(object{"R": over("escalated", 1), "O": running(1, "fetch")}, request("O", 1, "fetch")))
		}, "blocked"},
		{"start-with-a-known-id", "the run begins anew", func(o *RedeliveryObservation) {
			run := running(1, "fetch")
			run["goal"] = "another"
			o.Foreign[0] = handed(t, "a foreign start", ok(object{"R": run}, request("R", 1, "fetch")))
		}, agenticloopv2.RFC103READ3},
		{"start-with-a-known-id", "it asks in its name", func(o *RedeliveryObservation) {
			o.Foreign[0] = handed(t, "a foreign start", ok(nil, request("R", 1, "fetch")))
		}, agenticloopv2.RFC103READ3},
		{"events-lost", "it goes on", func(o *RedeliveryObservation) {
			o.Taken = told{name: "taken", before: runR2, answer: ok(object{"R": running(3, "fetch")}, request("R", 3, "fetch"))}.turn(t)
		}, agenticloopv2.RFC103READ4},
		{"events-lost", "the result had not moved it", func(o *RedeliveryObservation) { o.Matching = handed(t, "the result", ok(nil)) }, "blocked"},
		{"killed-and-run-again", "it is refused", func(o *RedeliveryObservation) { o.Killed[0].Again = told{name: "again", answer: refusal(true)}.turn(t) }, agenticloopv2.RFC103T2},
		{"killed-and-run-again", "nothing is asked for", func(o *RedeliveryObservation) { o.Killed[0].Again = told{name: "again", answer: ok(nil)}.turn(t) }, agenticloopv2.RFC103WIRE14},
		{"killed-and-run-again", "the result is thought to be taken", func(o *RedeliveryObservation) { o.Resumed[0].Again = handed(t, "the result again", ok(nil)) }, agenticloopv2.RFC103WIRE14},
		{"killed-and-run-again", "half a line is left", func(o *RedeliveryObservation) {
			o.Resumed[0].Files = wiretest.Value(t, object{"trace.jsonl": object{"kind": "file", "text": "{\"a\":1}\n{\"b", "whole": true}})
		}, agenticloopv2.RFC103WIRE14},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			expect(t, "redelivery/"+c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			expect(t, "redelivery/"+c.scenario, o, c.want)
		})
	}
	if out := expect(t, "redelivery/events-lost", honest(), "passed"); len(out.Findings) != 1 {
		t.Errorf("a run that stands still is told: %v", out.Findings)
	}
}

func TestJudgesOfWorkspaces(t *testing.T) {
	file := func(text string) object {
		return object{"kind": "file", "text": text, "bytes": len(text), "whole": true}
	}
	listing := func(trace string, change func(object)) wire.Value {
		files := object{"context.md": file("c"), "memory.md": file("m"), "plan.md": file("p"), "trace.jsonl": file(trace), "artifacts": object{"kind": "folder"}, "artifacts/a.txt": file("a")}
		if change != nil {
			change(files)
		}
		return wiretest.Value(t, files)
	}
	honest := func() WorkspaceObservation {
		o := WorkspaceObservation{EndObservation: ended(t)}
		for _, trace := range []string{"1\n", "1\n2\n", "1\n2\n3\n"} {
			o.Left, o.Later = append(o.Left, listing(trace, nil)), append(o.Later, listing(trace, nil))
		}
		o.Odd = []Turn{startR.turn(t), told{name: "a file", answer: refusal(false)}.turn(t)}
		return o
	}
	named := func(artifacts any) func(*WorkspaceObservation) {
		return func(o *WorkspaceObservation) {
			e := completion("R", 2)
			e["payload"].(object)["artifacts"] = artifacts
			o.Steps[1] = told{name: "the result of step 2", before: runR2, answer: ok(object{"R": over("done", 2)}, e)}.turn(t)
		}
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*WorkspaceObservation)
		want           string
	}{
		{"paper-trail", "no plan", func(o *WorkspaceObservation) { o.Left[0] = listing("1\n", func(f object) { delete(f, "plan.md") }) }, agenticloopv2.RFC103W1},
		{"paper-trail", "artifacts is a file", func(o *WorkspaceObservation) {
			o.Left[0] = listing("1\n", func(f object) { f["artifacts"] = file("") })
		}, agenticloopv2.RFC103W1},
		{"paper-trail", "nothing was looked at", func(o *WorkspaceObservation) { o.Left = nil }, "blocked"},
		{"trace-grows", "it begins anew", func(o *WorkspaceObservation) { o.Left[1] = listing("2\n", nil) }, agenticloopv2.RFC103W2},
		{"trace-grows", "it stands still", func(o *WorkspaceObservation) { o.Left[1] = listing("1\n", nil) }, agenticloopv2.RFC103W2},
		{"trace-grows", "a line is no JSON", func(o *WorkspaceObservation) { o.Left[2] = listing("1\n2\nthree\n", nil) }, agenticloopv2.RFC103W2},
		{"trace-grows", "there is no room for a later one", func(o *WorkspaceObservation) {
			o.Left[2] = listing("", func(f object) { f["trace.jsonl"] = object{"kind": "file", "bytes": 6} })
		}, "passed"},
		{"trace-grows", "the second one is no text", func(o *WorkspaceObservation) {
			o.Left[1] = listing("", func(f object) { f["trace.jsonl"] = object{"kind": "file", "bytes": 6} })
		}, agenticloopv2.RFC103W2},
		{"trace-grows", "it is not there", func(o *WorkspaceObservation) { o.Left[0] = listing("", func(f object) { delete(f, "trace.jsonl") }) }, agenticloopv2.RFC103W2},
		{"nothing-outside", "a file where it was started", func(o *WorkspaceObservation) {
			o.Odd = append(o.Odd, told{name: "relative", answer: startR.answer, litter: []string{"workspace", "workspace/plan.md"}}.turn(t))
		}, agenticloopv2.RFC103READ13},
		{"nothing-outside", "a workspace that is named from there", func(o *WorkspaceObservation) {
			o.Odd = append(o.Odd, told{name: "relative", answer: startR.answer, litter: []string{"workspace", "workspace/job-1", "workspace/job-1/plan.md"}}.turn(t))
		}, "passed"},
		{"nothing-outside", "a file beside the workspaces", func(o *WorkspaceObservation) {
			o.Beside = wiretest.Value(t, object{"job-1": object{"kind": "folder"}, "notes.md": object{"kind": "file"}})
		}, agenticloopv2.RFC103READ13},
		{"nothing-outside", "a link", func(o *WorkspaceObservation) {
			o.Left[1] = listing("1\n", func(f object) { f["etc"] = object{"kind": "link"} })
		}, agenticloopv2.RFC103READ13},
		{"artifacts-are-there", "a file that is there", named([]any{"artifacts/a.txt"}), "passed"},
		{"artifacts-are-there", "an absolute path", named([]any{"/tmp/a.txt"}), agenticloopv2.RFC103E15},
		{"artifacts-are-there", "a path that leads out", named([]any{"../a.txt"}), agenticloopv2.RFC103E15},
		{"artifacts-are-there", "a file that is not there", named([]any{"artifacts/b.txt"}), agenticloopv2.RFC103O6},
		{"artifacts-are-there", "no list", named("artifacts/a.txt"), agenticloopv2.RFC103E15},
		{"unusable-workspace", "it crashes", func(o *WorkspaceObservation) { o.Odd[1] = told{name: "a file", answer: "", exit: 1}.turn(t) }, agenticloopv2.RFC103WIRE11},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			expect(t, "workspace/"+c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			expect(t, "workspace/"+c.scenario, o, c.want)
		})
	}
	o := honest()
	if out := expect(t, "workspace/earlier-jobs-kept", o, "passed"); len(out.Findings) != 0 {
		t.Errorf("findings %v", out.Findings)
	}
	o.Later[0] = listing("1\n2\n", nil)
	if out := expect(t, "workspace/earlier-jobs-kept", o, "passed"); len(out.Findings) != 1 {
		t.Errorf("findings %v", out.Findings)
	}
}

func TestJudgesOfPipelines(t *testing.T) {
	direct := ok(runR2, request("R", 2, "fabric"))
	honest := func() ContextObservation {
		return ContextObservation{Start: startR.turn(t), Pending: pending{"R", 1, "fetch"}, Direct: handed(t, "direct", direct), Own: handed(t, "own", direct), Failed: handed(t, "failed", ok(runR, request("R", 1, "fetch"))),
			Content: []Found{{Key: "content", Marker: "u", Turn: handed(t, "content", direct)}, {Key: "text", Marker: "marker-1", Turn: handed(t, "text", direct), Files: wiretest.Value(t, object{"memory.md": object{"text": "so marker-1"}})}}}
	}
	expect(t, "pipeline/own-event-resumes", honest(), "passed")
	o := honest()
	o.Own = handed(t, "own", ok(nil))
	expect(t, "pipeline/own-event-resumes", o, agenticloopv2.RFC103B2)
	o = honest()
	o.Own = handed(t, "own", ok(object{"R": running(3, "fabric")}, request("R", 3, "fabric")))
	expect(t, "pipeline/own-event-resumes", o, agenticloopv2.RFC103B2)
	o = honest()
	o.Direct = handed(t, "direct", ok(nil))
	expect(t, "pipeline/own-event-resumes", o, "blocked")
	o = honest()
	o.Failed = handed(t, "failed", direct)
	if out := expect(t, "pipeline/own-event-fails", o, "passed"); len(out.Findings) != 1 {
		t.Errorf("a failure taken for ok: findings %v", out.Findings)
	}
	if out := expect(t, "pipeline/content-arrives", honest(), "passed"); len(out.Findings) != 0 {
		t.Errorf("findings %v", out.Findings)
	}
	o = honest()
	o.Content[1].Files = wiretest.Value(t, object{})
	if out := expect(t, "pipeline/content-arrives", o, "passed"); len(out.Findings) != 1 {
		t.Errorf("content that is lost: findings %v", out.Findings)
	}
}

func TestJudgesOfTheQueue(t *testing.T) {
	honest := func() QueueObservation {
		return QueueObservation{EndObservation: ended(t), Jobs: 5, Drained: true}
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*QueueObservation)
		want           string
	}{
		{"queue-drains", "it does not drain", func(o *QueueObservation) { o.Drained = false }, agenticloopv2.RFC103O1},
		{"queue-drains", "no end", func(o *QueueObservation) { o.Steps = o.Steps[:1] }, agenticloopv2.RFC103O1},
		{"queue-drains", "an exit code", func(o *QueueObservation) {
			o.Steps[0] = told{name: "x", before: runR, answer: ok(runR2, request("R", 2, "fabric")), exit: 2}.turn(t)
		}, agenticloopv2.RFC103O3},
		{"queue-drains", "no route", func(o *QueueObservation) { o.Unrouted = []string{"scp"} }, "blocked"},
		{"worked-example", "another step", func(o *QueueObservation) {
			o.Steps[0] = handed(t, "x", ok(object{"R": running(3, "fabric")}, request("R", 3, "fabric")))
		}, agenticloopv2.RFC103X1},
		{"worked-example", "the tool is not kept", func(o *QueueObservation) {
			o.Steps[0] = handed(t, "x", ok(object{"R": running(2, "")}, request("R", 2, "fabric")))
		}, "blocked"},
		{"worked-example", "it gives up", func(o *QueueObservation) {
			o.Steps[1] = told{name: "x", before: runR2, answer: ok(object{"R": over("escalated", 2)}, escalation("R", "x"))}.turn(t)
		}, agenticloopv2.RFC103X2},
		{"worked-example", "left to itself it gives up", func(o *QueueObservation) {
			o.Way = ""
			o.Steps[1] = told{name: "x", before: runR2, answer: ok(object{"R": over("escalated", 2)}, escalation("R", "x"))}.turn(t)
		}, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			expect(t, "pipeline/"+c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			expect(t, "pipeline/"+c.scenario, o, c.want)
		})
	}
}

func TestTheModel(t *testing.T) {
	two := object{"R": running(2, "fetch"), "Q": running(1, "fabric"), "D": over("done", 1)}
	with := func(id string, run object) object {
		return object{"R": two["R"], "Q": two["Q"], "D": two["D"], id: run}
	}
	for _, c := range []struct {
		name   string
		what   Delivery
		answer any
		keeps  bool
	}{
		{"the next step", Delivery{"R", 2, "fetch", "ok"}, ok(with("R", running(3, "fabric")), request("R", 3, "fabric")), true},
		{"the end", Delivery{"R", 2, "fetch", "ok"}, ok(with("R", over("done", 2)), completion("R", 2)), true},
		{"an end that is not kept", Delivery{"R", 2, "fetch", "ok"}, ok(two, completion("R", 2)), false},
		{"nothing", Delivery{"R", 2, "fetch", "ok"}, ok(nil), false},
		{"the step again", Delivery{"R", 2, "fetch", "ok"}, ok(two, request("R", 2, "fetch")), false},
		{"another run moved", Delivery{"R", 2, "fetch", "ok"}, ok(object{"R": running(3, "fabric"), "Q": over("done", 1), "D": two["D"]}, request("R", 3, "fabric")), false},
		{"another run lost", Delivery{"R", 2, "fetch", "ok"}, ok(object{"R": running(3, "fabric")}, request("R", 3, "fabric")), false},
		{"an ended run let go of", Delivery{"R", 2, "fetch", "ok"}, ok(object{"R": running(3, "fabric"), "Q": two["Q"]}, request("R", 3, "fabric")), true},
		{"a failed step again", Delivery{"R", 2, "fetch", "error"}, ok(two, request("R", 2, "fetch")), true},
		{"a failed step taken", Delivery{"R", 2, "fetch", "error"}, ok(with("R", running(3, "fabric")), request("R", 3, "fabric")), false},
		{"a failure ends it", Delivery{"R", 2, "fetch", "error"}, ok(with("R", over("escalated", 2)), escalation("R", "tool_error")), true},
		{"stale, ignored", Delivery{"R", 1, "fetch", "ok"}, ok(nil), true},
		{"stale, taken", Delivery{"R", 1, "fetch", "ok"}, ok(with("R", running(3, "fabric")), request("R", 3, "fabric")), false},
		{"later, escalated", Delivery{"R", 3, "fetch", "ok"}, ok(with("R", over("escalated", 2)), escalation("R", "x")), true},
		{"later, ignored", Delivery{"R", 3, "fetch", "ok"}, ok(nil), false},
		{"wrong tool, ignored", Delivery{"R", 2, "fabric", "ok"}, ok(nil), false},
		{"unknown, ignored", Delivery{"X", 1, "fetch", "ok"}, ok(nil), true},
		{"unknown, made", Delivery{"X", 1, "fetch", "ok"}, ok(with("X", running(2, "fetch"))), false},
		{"done, ignored", Delivery{"D", 1, "fetch", "ok"}, ok(nil), true},
		{"done, moved", Delivery{"D", 1, "fetch", "ok"}, ok(with("D", running(2, "fetch")), request("D", 2, "fetch")), false},
		{"a start", Delivery{}, ok(with("N", running(1, "fetch")), request("N", 1, "fetch")), true},
		{"a start that takes another run", Delivery{}, ok(with("R", running(1, "fetch")), request("R", 1, "fetch")), false},
		{"a crash", Delivery{}, "Traceback", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := told{name: c.name, before: two, answer: c.answer}.turn(t)
			if why := c.what.departs(turn); (why == "") != c.keeps {
				t.Errorf("departs: %q", why)
			}
			alone, among := agenticloopv2.RFC103READ5, agenticloopv2.RFC103READ5
			switch {
			case c.keeps:
				alone, among = "passed", "passed"
			case turn.answered() && c.what.touches(turn) != "":
			case c.what.Run == "", !turn.answered():
				alone, among = "blocked", "blocked"
			default:
				alone = "blocked"
			}
			start := Delivered{Turn: startR.turn(t)}
			late := Delivered{What: Delivery{"R", 1, "fetch", "ok"}, Turn: told{name: "late", before: two, answer: ok(nil)}.turn(t)}
			expect(t, "correlation/histories", HistoriesObservation{Histories: [][]Delivered{{start, late, {What: c.what, Turn: turn}}}}, alone)
			expect(t, "correlation/histories", HistoriesObservation{Histories: [][]Delivered{{start, late, start, {What: c.what, Turn: turn}}}}, among)
		})
	}
	expect(t, "correlation/histories", HistoriesObservation{}, "blocked")
}
