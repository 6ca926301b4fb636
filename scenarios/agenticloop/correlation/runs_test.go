package correlation_test

import (
	"maps"
	"testing"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios/agenticloop/correlation"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/hosttest"
)

func TestJudgesOfStarts(t *testing.T) {
	honest := func(t *testing.T) correlation.StartsObservation {
		second := hosttest.Told{Name: "another start", Before: hosttest.RunR,
			Answer: hosttest.Ok(host.Object{"R": hosttest.Running(1, "fetch"), "Q": hosttest.Running(1, "fetch")},
				hosttest.Request("Q", 1, "fetch"))}
		second.Answer.(host.Object)["state_updates"].(host.Object)["last_run_id"] = "Q"
		o := correlation.StartsObservation{
			Goal: "g", First: hosttest.StartR.Turn(t), Second: second.Turn(t),
			Trigger: hosttest.Turn(t, "a trigger",
				nil, hosttest.Ok(host.Object{"T": hosttest.Running(1, "fetch")}, hosttest.Request("T", 1, "fetch"))),
			NoGoal: []host.Turn{hosttest.Turn(t, "no goal", nil, hosttest.Refusal(false)),
				hosttest.Turn(t, "blank", nil,
					hosttest.Ok(host.Object{"N": hosttest.Over("escalated", 0)}, hosttest.Escalation("N", "no goal")))},
		}
		return o
	}
	changed := func(key string, value any) host.Object {
		e := hosttest.Request("R", 1, "fetch")
		if payload := e["payload"].(host.Object); value == nil {
			delete(payload, key)
		} else {
			payload[key] = value
		}
		return e
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*testing.T, *correlation.StartsObservation)
		want           string
	}{
		{"correlation/start-makes-a-run", "no run", func(t *testing.T, o *correlation.StartsObservation) {
			o.First = hosttest.Turn(t, "a", nil, hosttest.Ok(nil))
		}, agenticloop.RFC103T3},
		{"correlation/start-makes-a-run", "two runs", func(t *testing.T, o *correlation.StartsObservation) {
			o.First = hosttest.Turn(t, "a", nil,
				hosttest.Ok(host.Object{"R": hosttest.Running(1, "fetch"), "S": hosttest.Running(1, "fetch")},
					hosttest.Request("R", 1, "fetch")))
		}, agenticloop.RFC103T3},
		{"correlation/start-makes-a-run", "counts from 0", func(t *testing.T, o *correlation.StartsObservation) {
			o.First = hosttest.Turn(t, "a", nil,
				hosttest.Ok(host.Object{"R": hosttest.Running(0, "fetch")}, hosttest.Request("R", 0, "fetch")))
		}, agenticloop.RFC103T6},
		{"correlation/start-makes-a-run", "another goal", func(_ *testing.T, o *correlation.StartsObservation) {
			o.Goal = "h"
		}, agenticloop.RFC103E1},
		{"correlation/start-makes-a-run", "prints a dump", func(t *testing.T, o *correlation.StartsObservation) {
			o.First = hosttest.Told{Name: "a", Answer: "Traceback", Exit: 1}.Turn(t)
		}, hosttest.Violates(agenticloop.RFC103I7)},
		{"protocol/request-names-its-step", "no arguments at all", func(t *testing.T, o *correlation.StartsObservation) {
			o.First = hosttest.Turn(t, "a", nil, hosttest.Ok(hosttest.RunR, changed("tool_payload", nil)))
			q := hosttest.Request("Q", 1, "fetch")
			q["payload"].(host.Object)["tool_payload"] = host.Object{}
			o.Second = hosttest.Turn(t, "another", hosttest.RunR,
				hosttest.Ok(host.Object{"R": hosttest.Running(1, "fetch"), "Q": hosttest.Running(1, "fetch")}, q))
		}, "blocked"},
		{"protocol/request-names-its-step", "a start is refused", func(t *testing.T, o *correlation.StartsObservation) {
			o.First = hosttest.Turn(t, "a", nil, hosttest.Refusal(true))
		}, "blocked"},
		{"protocol/request-names-its-step", "a start is given up", func(t *testing.T, o *correlation.StartsObservation) {
			o.First = hosttest.Turn(t, "a", nil,
				hosttest.Ok(host.Object{"R": hosttest.Over("escalated", 0)}, hosttest.Escalation("R", "no model")))
		}, "blocked"},
		{"protocol/request-names-its-step", "a start is passed over", func(t *testing.T, o *correlation.StartsObservation) {
			o.First = hosttest.Turn(t, "a", nil, hosttest.Ok(nil))
		}, hosttest.Violates(agenticloop.RFC103M1)},
		{"correlation/api-trigger-starts", "two requests", func(t *testing.T, o *correlation.StartsObservation) {
			o.First = hosttest.Turn(t, "a", nil,
				hosttest.Ok(hosttest.RunR, hosttest.Request("R", 1, "fetch"), hosttest.Request("R", 2, "fetch")))
		}, hosttest.Violates(agenticloop.RFC103T1)},
		{"correlation/api-trigger-starts", "the run is not kept", func(t *testing.T, o *correlation.StartsObservation) {
			o.First = hosttest.Turn(t, "a", nil, hosttest.Ok(nil, hosttest.Request("R", 1, "fetch")))
		}, hosttest.Violates(agenticloop.RFC103I3)},
		{"correlation/api-trigger-starts", "another run waits", func(t *testing.T, o *correlation.StartsObservation) {
			o.First = hosttest.Turn(t, "a", nil, hosttest.Ok(hosttest.RunR, hosttest.Request("S", 1, "fetch")))
		}, hosttest.Violates(agenticloop.RFC103E7)},
		{"correlation/starts-are-distinct", "the same id", func(t *testing.T, o *correlation.StartsObservation) {
			o.Second = hosttest.Turn(t, "another", hosttest.RunR,
				hosttest.Ok(hosttest.RunR, hosttest.Request("R", 1, "fetch")))
		}, agenticloop.RFC103I1},
		{"correlation/starts-are-distinct", "the first is gone", func(t *testing.T, o *correlation.StartsObservation) {
			o.Second = hosttest.Turn(t, "another", hosttest.RunR,
				hosttest.Ok(host.Object{"Q": hosttest.Running(1, "fetch")}, hosttest.Request("Q", 1, "fetch")))
		}, agenticloop.RFC103READ5},
		{"correlation/starts-are-distinct", "an empty id", func(t *testing.T, o *correlation.StartsObservation) {
			o.Second = hosttest.Turn(t, "another", hosttest.RunR, hosttest.Ok(
				host.Object{"R": hosttest.RunR["R"], "": hosttest.Running(1, "fetch")}, hosttest.Request("", 1, "fetch")))
		}, agenticloop.RFC103I1},
		{"correlation/starts-are-distinct", "an id with a slash", func(t *testing.T, o *correlation.StartsObservation) {
			o.First = hosttest.Turn(t, "a", nil,
				hosttest.Ok(host.Object{"R/1": hosttest.Running(1, "fetch")}, hosttest.Request("R/1", 1, "fetch")))
			o.Second = hosttest.Turn(t, "another", host.Object{"R/1": hosttest.Running(1, "fetch")},
				hosttest.Ok(host.Object{"R/1": hosttest.Running(1, "fetch"), "Q": hosttest.Running(1, "fetch")},
					hosttest.Request("Q", 1, "fetch")))
		}, "passed"},
		{"protocol/request-names-its-step", "the type names nothing",
			func(t *testing.T, o *correlation.StartsObservation) {
				e := hosttest.Request("R", 1, "fetch")
				e["type"] = "agentic.tool_request"
				o.First = hosttest.Turn(t, "a", nil, hosttest.Ok(hosttest.RunR, e))
			}, agenticloop.RFC103E6},
		{"protocol/request-names-its-step", "no tool", func(t *testing.T, o *correlation.StartsObservation) {
			o.First = hosttest.Turn(t, "a", nil, hosttest.Ok(hosttest.RunR, changed("tool", nil)))
		}, agenticloop.RFC103E7},
		{"protocol/request-names-its-step", "a step as a text", func(t *testing.T, o *correlation.StartsObservation) {
			o.First = hosttest.Turn(t, "a", nil, hosttest.Ok(hosttest.RunR, changed("step", "1")))
		}, agenticloop.RFC103E7},
		{"protocol/request-names-its-step", "two versions of the arguments",
			func(t *testing.T, o *correlation.StartsObservation) {
				o.First = hosttest.Turn(t, "a", nil, hosttest.Ok(hosttest.RunR, changed("url", "another")))
			}, agenticloop.RFC103E9},
		{"protocol/request-names-its-step", "the same arguments in both places",
			func(t *testing.T, o *correlation.StartsObservation) {
				o.First = hosttest.Turn(t, "a", nil, hosttest.Ok(hosttest.RunR, changed("url", "u")))
			}, "passed"},
		{"protocol/start-without-goal", "starts a run", func(t *testing.T, o *correlation.StartsObservation) {
			o.NoGoal[0] = hosttest.Turn(t, "no goal", nil,
				hosttest.Ok(host.Object{"N": hosttest.Running(1, "fetch")}, hosttest.Request("N", 1, "fetch")))
		}, agenticloop.RFC103E2},
		{"protocol/start-without-goal", "to be tried again", func(t *testing.T, o *correlation.StartsObservation) {
			o.NoGoal[0] = hosttest.Turn(t, "no goal", nil, hosttest.Refusal(true))
		}, agenticloop.RFC103E2},
		{"protocol/start-without-goal", "passed over with a log", func(t *testing.T, o *correlation.StartsObservation) {
			o.NoGoal[0] = hosttest.Turn(t, "no goal", nil, hosttest.Logged(hosttest.Ok(nil), "warn"))
		}, "passed"},
		{"protocol/start-without-goal", "a run that nobody asked for", func(t *testing.T, o *correlation.StartsObservation) {
			o.NoGoal[0] = hosttest.Turn(t, "no goal", nil, hosttest.Logged(hosttest.Ok(hosttest.RunR), "warn"))
		}, agenticloop.RFC103E2},
		{"protocol/start-without-goal", "nothing at all", func(t *testing.T, o *correlation.StartsObservation) {
			o.NoGoal[0] = hosttest.Turn(t, "no goal", nil, hosttest.Ok(nil))
		}, agenticloop.RFC103E2},
		{"state/run-has-its-fields", "no budget", func(t *testing.T, o *correlation.StartsObservation) {
			run := hosttest.Running(1, "fetch")
			delete(run, "max_steps")
			o.First = hosttest.Turn(t, "a", nil, hosttest.Ok(host.Object{"R": run}, hosttest.Request("R", 1, "fetch")))
		}, agenticloop.RFC103S2},
		{"state/run-has-its-fields", "the run is not kept", func(t *testing.T, o *correlation.StartsObservation) {
			o.First = hosttest.Turn(t, "a", nil, hosttest.Ok(host.Object{}, hosttest.Request("R", 1, "fetch")))
		}, agenticloop.RFC103P5},
		{"state/run-has-its-fields", "the run waits for nothing", func(t *testing.T, o *correlation.StartsObservation) {
			run := hosttest.Running(1, "fetch")
			run["pending_step"] = 0
			o.First = hosttest.Turn(t, "a", nil, hosttest.Ok(host.Object{"R": run}, hosttest.Request("R", 1, "fetch")))
		}, hosttest.Violates(agenticloop.RFC103I3)},
		{"state/run-has-its-fields", "the last run is another", func(t *testing.T, o *correlation.StartsObservation) {
			a := hosttest.Ok(hosttest.RunR, hosttest.Request("R", 1, "fetch"))
			a["state_updates"].(host.Object)["last_run_id"] = "Q"
			o.First = hosttest.Turn(t, "a", nil, a)
		}, agenticloop.RFC103S3},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, c.scenario, honest(t), "passed")
			o := honest(t)
			c.change(t, &o)
			hosttest.Expect(t, c.scenario, o, c.want)
		})
	}
}

func TestJudgesOfTheEnd(t *testing.T) {
	last := func(answer any) func(*host.EndObservation) {
		return func(o *host.EndObservation) {
			o.Steps[1] = hosttest.Turn(t, "the result of step 2", hosttest.RunR2, answer)
		}
	}
	finish := func(change func(payload host.Object)) host.Object {
		e := hosttest.Completion("R", 2)
		change(e["payload"].(host.Object))
		return hosttest.Ok(host.Object{"R": hosttest.Over("done", 2)}, e)
	}
	gives := hosttest.Ok(host.Object{"R": hosttest.Over("escalated", 2)}, hosttest.Escalation("R", "no_next_action"))
	for _, c := range []struct {
		scenario, name string
		change         func(*host.EndObservation)
		want           string
	}{
		{"correlation/steps-count-up", "a step twice", func(o *host.EndObservation) {
			o.Steps[0] = hosttest.Handed(t, "the result of step 1",
				hosttest.Ok(hosttest.RunR2, hosttest.Request("R", 1, "fabric")))
		}, agenticloop.RFC103I2},
		{"correlation/steps-count-up", "a step left out", func(o *host.EndObservation) {
			o.Steps[0] = hosttest.Handed(t, "the result of step 1",
				hosttest.Ok(host.Object{"R": hosttest.Running(3, "fabric")}, hosttest.Request("R", 3, "fabric")))
		}, agenticloop.RFC103I2},
		{"correlation/steps-count-up", "one step alone", func(o *host.EndObservation) {
			o.Steps = []host.Turn{hosttest.Handed(t, "the result of step 1",
				hosttest.Ok(host.Object{"R": hosttest.Over("done", 1)}, hosttest.Completion("R", 1)))}
		}, "blocked"},
		{"correlation/completion-tells", "another goal", last(finish(func(p host.Object) {
			p["goal"] = "h"
		})), agenticloop.RFC103E12},
		{"correlation/completion-tells", "no run", last(finish(func(p host.Object) {
			delete(p, "run_id")
		})), agenticloop.RFC103E12},
		{"correlation/completion-tells", "no outcome", last(finish(func(p host.Object) {
			p["outcome"] = ""
		})), agenticloop.RFC103E13},
		{"correlation/completion-tells", "one step too many", last(finish(func(p host.Object) {
			p["steps_taken"] = 3
		})), agenticloop.RFC103E14},
		{"correlation/completion-tells", "it gives up", last(gives), "blocked"},
		{"correlation/completion-tells", "it gives up, left to itself", func(o *host.EndObservation) {
			last(gives)(o)
			o.Way = ""
		}, "blocked"},
		{"correlation/completion-tells", "it never ends", func(o *host.EndObservation) {
			o.Stuck = "on and on"
		}, "blocked"},
		{"correlation/completes-once", "it completes again", func(o *host.EndObservation) {
			o.Again[2] = hosttest.Turn(t, "again", host.Object{"R": hosttest.Over("done", 2)},
				hosttest.Ok(nil, hosttest.Completion("R", 2)))
		}, agenticloop.RFC103M7},
		{"correlation/completes-once", "it goes on", func(o *host.EndObservation) {
			o.Again[0] = hosttest.Turn(t, "again", host.Object{"R": hosttest.Over("done", 2)},
				hosttest.Ok(host.Object{"R": hosttest.Running(3, "fetch")}, hosttest.Request("R", 3, "fetch")))
		}, agenticloop.RFC103M7},
		{"correlation/completes-once", "no event tells it",
			last(hosttest.Ok(host.Object{"R": hosttest.Over("done", 2)})), agenticloop.RFC103M7},
		{"state/done-is-kept", "it is still running", last(hosttest.Ok(hosttest.RunR2, hosttest.Completion("R", 2))),
			agenticloop.RFC103S8},
		{"state/done-is-kept", "it is not kept", last(hosttest.Ok(nil, hosttest.Completion("R", 2))),
			agenticloop.RFC103S8},
		{"state/done-is-kept", "something is pending", last(hosttest.Ok(host.Object{"R": func() host.Object {
			r := hosttest.Over("done", 2)
			r["pending_step"] = 2
			return r
		}()}, hosttest.Completion("R", 2))), agenticloop.RFC103S7},
		{"state/done-is-kept", "0 and an empty text are nothing", last(hosttest.Ok(host.Object{"R": func() host.Object {
			r := hosttest.Over("done", 2)
			maps.Copy(r, host.Object{"pending_step": 0, "pending_tool": ""})
			return r
		}()}, hosttest.Completion("R", 2))), "passed"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, c.scenario, hosttest.Ended(t), "passed")
			o := hosttest.Ended(t)
			c.change(&o)
			hosttest.Expect(t, c.scenario, o, c.want)
		})
	}
}

func TestJudgesOfSeveralRuns(t *testing.T) {
	three := host.Object{"A": hosttest.Running(1, "fetch"), "B": hosttest.Running(1, "fetch"),
		"C": hosttest.Running(1, "fetch"), "E": hosttest.Over("done", 1)}
	with := func(changes host.Object) host.Object {
		out := maps.Clone(three)
		for id, run := range changes {
			if out[id] = run; run == nil {
				delete(out, id)
			}
		}
		return out
	}
	honest := func() correlation.RunsObservation {
		o := correlation.RunsObservation{Ended: "E",
			Pending: []host.Pending{{Run: "A", Step: 1, Tool: "fetch"}, {Run: "B", Step: 1, Tool: "fetch"},
				{Run: "C", Step: 1, Tool: "fetch"}}}
		before := host.Object{}
		for _, id := range []string{"A", "B", "C"} {
			after := maps.Clone(before)
			after[id] = hosttest.Running(1, "fetch")
			o.Starts = append(o.Starts,
				hosttest.Turn(t, "the start of "+id, before, hosttest.Ok(after, hosttest.Request(id, 1, "fetch"))))
			before = after
		}
		o.One = hosttest.Turn(t, "the result of B", three,
			hosttest.Ok(with(host.Object{"B": hosttest.Running(2, "fabric")}), hosttest.Request("B", 2, "fabric")))
		o.Half = hosttest.Turn(t, "half", three,
			hosttest.Ok(with(host.Object{"A": hosttest.Running(2, "fabric")}), hosttest.Request("A", 2, "fabric")))
		o.Large = hosttest.Turn(t, "large", three,
			hosttest.Ok(with(host.Object{"A": hosttest.Running(2, "fabric")}), hosttest.Request("A", 2, "fabric")))
		escalated := hosttest.Ok(with(host.Object{"A": hosttest.Over("escalated", 1)}),
			hosttest.Escalation("A", "step_mismatch"))
		further := with(host.Object{"B": hosttest.Running(3, "fetch")})
		o.Crossed = []correlation.Crossing{
			{Turn: hosttest.Turn(t, "crossed", three, escalated), Of: "A", Not: "B"},
			{Turn: hosttest.Turn(t, "crossed back", further, hosttest.Ok(nil)), Of: "B", Not: "A"},
		}
		return o
	}
	one := func(runs host.Object) func(*correlation.RunsObservation) {
		return func(o *correlation.RunsObservation) {
			o.One = hosttest.Turn(t, "the result of B", three, hosttest.Ok(runs, hosttest.Request("B", 2, "fabric")))
		}
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*correlation.RunsObservation)
		want           string
	}{
		{"state/other-runs-kept", "one is lost",
			one(host.Object{"A": hosttest.Running(1, "fetch"), "B": hosttest.Running(2, "fabric"),
				"E": hosttest.Over("done", 1)}), agenticloop.RFC103WIRE12},
		{"state/other-runs-kept", "one is changed",
			one(with(host.Object{"A": hosttest.Running(9, "fetch"), "B": hosttest.Running(2, "fabric")})),
			agenticloop.RFC103READ5},
		{"state/other-runs-kept", "an ended one is changed",
			one(with(host.Object{"B": hosttest.Running(2, "fabric"), "E": hosttest.Over("escalated", 1)})),
			agenticloop.RFC103READ8},
		{"state/other-runs-kept", "an ended one is let go of",
			one(with(host.Object{"B": hosttest.Running(2, "fabric"), "E": nil})), "passed"},
		{"state/other-runs-kept", "the result moves none", func(o *correlation.RunsObservation) {
			o.One = hosttest.Turn(t, "the result of B", three, hosttest.Ok(nil))
		}, hosttest.Violates(agenticloop.RFC103V9)},
		{"correlation/crossed-runs", "the other run moves", func(o *correlation.RunsObservation) {
			o.Crossed[0].Turn = hosttest.Turn(t, "crossed", three,
				hosttest.Ok(with(host.Object{"B": hosttest.Running(2, "fabric")}), hosttest.Request("B", 2, "fabric")))
		}, agenticloop.RFC103I5},
		{"correlation/crossed-runs", "the other run is changed", func(o *correlation.RunsObservation) {
			o.Crossed[0].Turn = hosttest.Turn(t, "crossed", three,
				hosttest.Ok(with(host.Object{"B": hosttest.Over("escalated", 1)}), hosttest.Escalation("A", "x")))
		}, agenticloop.RFC103READ5},
		{"correlation/crossed-runs", "a stale step is taken", func(o *correlation.RunsObservation) {
			further := with(host.Object{"B": hosttest.Running(3, "fetch")})
			escalates := maps.Clone(further)
			escalates["B"] = hosttest.Over("escalated", 3)
			o.Crossed = []correlation.Crossing{
				{Turn: hosttest.Turn(t, "crossed", further, hosttest.Ok(escalates, hosttest.Escalation("B", "x"))),
					Of: "B", Not: "A"}}
		}, agenticloop.RFC103I6},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			hosttest.Expect(t, c.scenario, o, c.want)
		})
	}
}
