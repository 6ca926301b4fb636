package openwop_test

import (
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func workersObservation(t *testing.T, c *cast, workers ...string) openwop.WorkersObservation {
	o := openwop.WorkersObservation{Way: "assay-loop", Chosen: true, Workers: workers}
	o.Log, o.Children = c.minted(t)
	return o
}

func TestJudgesOfDecisionsAndTheirEffects(t *testing.T) {
	const decided = "runOrchestrator.decided"
	for _, c := range []struct {
		name, scenario string
		spoil          func(*cast)
		want           string
	}{
		{"honest", "decided-before-worker", func(*cast) {}, "passed"},
		{"the worker comes first", "decided-before-worker", func(c *cast) { c.parent.move(c.parent.at("dispatch.began", 1), c.parent.at(decided, 1)) }, openwopv1.OWPDSP1},
		{"the dispatch node is first", "decided-before-worker", func(c *cast) { c.parent.move(c.parent.at("node.dispatched", 0), c.parent.at(decided, 0)) }, openwopv1.OWPDSP1},
		{"the end comes before the decision to end", "decided-before-worker", func(c *cast) { c.parent.move(c.parent.at("run.completed", 0), c.parent.at(decided, 2)) }, openwopv1.OWPDSP1},
		{"no worker at all", "decided-before-worker", func(c *cast) {
			for range 2 {
				for _, kind := range []string{"dispatch.began", "dispatch.succeeded", "child.completed", "node.dispatched"} {
					c.parent.cut(kind, 0)
				}
			}
		}, "blocked"},
		{"other workers than planned", "decided-before-worker", func(c *cast) {
			c.parent.payload(decided, 0)["decision"] = map[string]any{"kind": "next-worker", "nextWorkerIds": []any{}}
		}, "blocked"},

		{"honest", "effect-of-its-decision", func(*cast) {}, "passed"},
		{"honest without handoffs on the log", "effect-of-its-decision", func(c *cast) { withoutSteps(c.parent, 2) }, "passed"},
		{"another worker without handoffs on the log", "effect-of-its-decision", func(c *cast) {
			withoutSteps(c.parent, 2)
			c.parent.payload("node.dispatched", 1)["childWorkflowId"] = "w1"
		}, openwopv1.OWPDSP3},
		{"the worker of the turn before", "effect-of-its-decision", func(c *cast) { c.parent.payload("dispatch.began", 1)["workerId"] = "w1" }, openwopv1.OWPDSP3},
		{"a worker too many", "effect-of-its-decision", func(c *cast) {
			c.parent.move(c.parent.at("run.completed", 0), len(c.parent.events)-1)
			c.parent.step("dispatch.began", "", "w2", "")
		}, openwopv1.OWPDSP3},
		{"the first worker ends in the second turn", "effect-of-its-decision", func(c *cast) { c.parent.move(c.parent.at("child.completed", 0), c.parent.at("dispatch.began", 1)) }, openwopv1.OWPDSP3},

		{"honest", "dispatch-names-its-cause", func(*cast) {}, "passed"},
		{"names none", "dispatch-names-its-cause", func(c *cast) { delete(c.parent.events[c.parent.at("node.dispatched", 0)], "causationId") }, "passed"},
		{"names the decision before", "dispatch-names-its-cause", func(c *cast) {
			c.parent.events[c.parent.at("node.dispatched", 1)]["causationId"] = c.parent.events[c.parent.at(decided, 0)]["eventId"]
		}, openwopv1.OWPDSP4},
		{"names the step before: a finding", "dispatch-names-its-cause", func(c *cast) {
			c.parent.events[c.parent.at("node.dispatched", 0)]["causationId"] = c.parent.events[c.parent.at("dispatch.began", 0)]["eventId"]
		}, "passed"},
		{"names a step of the turn before", "dispatch-names-its-cause", func(c *cast) {
			c.parent.events[c.parent.at("node.dispatched", 1)]["causationId"] = c.parent.events[c.parent.at("dispatch.began", 0)]["eventId"]
		}, openwopv1.OWPDSP4},
		{"names an event that is not there", "dispatch-names-its-cause", func(c *cast) { c.parent.events[c.parent.at("node.dispatched", 0)]["causationId"] = "e-none" }, openwopv1.OWPDSP4},
		{"tells of no dispatch", "dispatch-names-its-cause", func(c *cast) { c.parent.cut("node.dispatched", 0); c.parent.cut("node.dispatched", 0) }, "blocked"},

		{"honest", "one-agent", func(*cast) {}, "passed"},
		{"names none in its snapshot", "one-agent", func(c *cast) { delete(c.parent.shown, "runOrchestrator") }, "passed"},
		{"another one in turn 2", "one-agent", func(c *cast) { c.parent.payload(decided, 1)["agentId"] = "another.agent" }, openwopv1.OWPDSP2},
		{"another one in its snapshot", "one-agent", func(c *cast) { c.parent.shown["runOrchestrator"] = map[string]any{"agentId": "another.agent"} }, openwopv1.OWPDSP2},
		{"nobody", "one-agent", func(c *cast) {
			for k := range 3 {
				c.parent.payload(decided, k)["agentId"] = ""
			}
		}, openwopv1.OWPDSP2},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			told := castOf("w1", "w2")
			c.spoil(told)
			expect(t, c.scenario, workersObservation(t, told, "w1", "w2"), c.want)
		})
	}
	t.Run("a worker that ran before its decision is told", func(t *testing.T) {
		told := castOf("w1")
		told.parent.events[told.parent.at("runOrchestrator.decided", 0)]["timestamp"] = "2026-11-01T00:00:01.5Z"
		told.children[0].events[0]["timestamp"] = "2026-11-01T00:00:01.4Z"
		out := scenarios.Conclude(scenario(t, "decided-before-worker"), openwop.Protocol.Ledger, workersObservation(t, told, "w1"))
		if out.Verdict != scenarios.Passed || len(out.Findings) != 1 {
			t.Errorf("%s, findings %v", out.Verdict, out.Findings)
		}
	})
}

// withoutSteps is what a host without an execution model tells of so many workers.
func withoutSteps(s *tale, workers int) {
	for range workers {
		for _, phase := range []string{"dispatch.began", "dispatch.succeeded", "child.completed"} {
			s.cut(phase, 0)
		}
	}
}

func TestJudgesOfTheQuestion(t *testing.T) {
	told := func(events ...event) story {
		s := story{id: "r", status: "waiting-input", events: []event{{"run.started", map[string]any{}}}}
		return s.then(events...)
	}
	asks := decided(2, "ask-user")
	for _, c := range []struct {
		name string
		held story
		want string
	}{
		{"honest", told(decided(1, "next-worker"), asks, event{"node.suspended", map[string]any{}}), "passed"},
		{"no event tells of the question", told(decided(1, "next-worker"), asks), "passed"},
		{"asks before it decides", told(decided(1, "next-worker"), event{"interrupt.requested", map[string]any{}}, asks), openwopv1.OWPDSP1},
		{"asks and never decides", told(decided(1, "next-worker"), event{"node.suspended", map[string]any{}}), openwopv1.OWPDSP1},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := openwop.AskedObservation{Evidence: scenarios.Observed, SuspendedLoop: openwop.SuspendedLoop{Way: "w", Turns: 3, Kinds: []string{"next-worker", "ask-user", "terminate"},
				Held: openwop.Suspension{Turn: 2, Suspended: wire.Wait{Reached: true}, Log: c.held.log(t)}}}
			expect(t, "decided-before-question", o, c.want)
		})
	}
	t.Run("another agent after the answer", func(t *testing.T) {
		whole := told(decided(1, "next-worker"), asks, decided(3, "terminate"), event{"run.completed", map[string]any{}}).withStatus("completed")
		o := openwop.AskedObservation{Evidence: scenarios.Observed, SuspendedLoop: openwop.SuspendedLoop{Turns: 3, Kinds: []string{"next-worker", "ask-user", "terminate"},
			Held: openwop.Suspension{Turn: 2, Suspended: wire.Wait{Reached: true}, Log: told(asks).log(t), Answered: wiretest.Status(t, 200)}, Log: whole.log(t)}}
		expect(t, "same-agent-after-answer", o, "passed")
		o.Log = whole.change("runOrchestrator.decided", 2, func(p map[string]any) { p["agentId"] = "whoever answered" }).log(t)
		expect(t, "same-agent-after-answer", o, openwopv1.OWPDSP2)
	})
}

func TestJudgeOfWhatFollowsTerminate(t *testing.T) {
	beyond := func(spoil func(*tale)) *tale {
		s := castOf("w1").parent
		s.shown["childRuns"] = []any{map[string]any{"runId": "c1"}}
		spoil(s)
		return s
	}
	for _, c := range []struct {
		name  string
		spoil func(*tale)
		late  func(*tale)
		want  string
	}{
		{"honest", func(*tale) {}, func(*tale) {}, "passed"},
		{"goes on as its script does", func(s *tale) { s.hand(s.decide("w2"), "w2", "c2") }, func(*tale) {}, openwopv1.OWPDSP5},
		{"dispatches once more", func(s *tale) { s.step("dispatch.began", "", "w2", "") }, func(*tale) {}, openwopv1.OWPDSP5},
		{"dispatches between terminate and the end", func(s *tale) {
			s.add("node.dispatched", "", map[string]any{"childRunId": "c2"})
			s.move(len(s.events)-1, s.at("run.completed", 0))
		}, func(*tale) {}, openwopv1.OWPDSP5},
		{"has a child that its log does not tell of", func(s *tale) { s.shown["childRuns"] = []any{"c1", "c2"} }, func(*tale) {}, openwopv1.OWPDSP5},
		{"goes on behind the barrier", func(*tale) {}, func(s *tale) { s.decide("w2") }, openwopv1.OWPDSP5},
		{"another plan than ours", func(s *tale) {
			s.payload("runOrchestrator.decided", 0)["decision"] = map[string]any{"kind": "ask-user"}
		}, func(*tale) {}, "blocked"},
		{"never terminates", func(s *tale) { s.cut("runOrchestrator.decided", 1) }, func(*tale) {}, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, later := beyond(c.spoil), beyond(c.spoil)
			c.late(later)
			expect(t, "nothing-after-terminate", openwop.BeyondObservation{Way: "assay-loop", Decisions: []any{map[string]any{"kind": "next-worker"}, map[string]any{"kind": "terminate"}}, Chosen: true, Beyond: 2, Log: at.log(t),
				Lull: openwop.Lull{Sentinel: wire.Wait{Reached: true}, Later: later.log(t)}}, c.want)
		})
	}
}

func TestJudgesOfDispatchNodesThatRefuse(t *testing.T) {
	fails := func(s *tale, code string) *tale {
		s.shown["status"] = "failed"
		s.add("run.failed", "", map[string]any{"error": map[string]any{"code": code, "message": "m"}})
		return s
	}
	one := func() *tale {
		s := newTale("p", "assay-loop-reject", "completed")
		s.hand(s.decide("w"), "w", "c1")
		return s
	}
	several := func(code string) *tale { s := one(); s.decide("w", "w"); return fails(s, code) }
	goesOn := func() *tale {
		s := one()
		d := s.decide("w", "w")
		s.hand(d, "w", "c2")
		s.hand(d, "w", "c3")
		return s.complete()
	}
	half := func() *tale {
		s := one()
		s.hand(s.decide("w", "w"), "w", "c2")
		return fails(s, "fan_out_unsupported")
	}
	for _, c := range []struct {
		name string
		told *tale
		want string
	}{
		{"honest", several("fan_out_unsupported"), "passed"},
		{"another code is a finding", several("internal_error"), "passed"},
		{"carries it out", goesOn(), openwopv1.OWPDSP6},
		{"carries out half of it", half(), openwopv1.OWPDSP6},
		{"refuses one worker as well", fails(newTale("p", "assay-loop-reject", "failed"), "fan_out_unsupported"), "blocked"},
	} {
		t.Run("fan-out/"+c.name, func(t *testing.T) {
			expect(t, "fan-out-rejected", openwop.RefusedObservation{Way: "assay-loop-reject", Control: 1, Log: c.told.log(t)}, c.want)
		})
	}
	alone := func() *tale { return newTale("p", "assay-dispatch-alone", "completed") }
	dispatches := func() *tale { s := alone(); s.hand("", "w", "c1"); return fails(s, "no_pending_decision") }
	for _, c := range []struct {
		name string
		log  func(t *testing.T) openwop.RunLog
		want string
	}{
		{"honest", fails(alone(), "no_pending_decision").log, "passed"},
		{"refuses the workflow", func(t *testing.T) openwop.RunLog { return openwop.RunLog{Created: wiretest.Status(t, 400)} }, "passed"},
		{"breaks down over it", func(t *testing.T) openwop.RunLog { return openwop.RunLog{Created: wiretest.Status(t, 500)} }, openwopv1.OWPDSP7},
		{"completes", alone().complete().log, openwopv1.OWPDSP7},
		{"makes a worker up", dispatches().log, openwopv1.OWPDSP7},
		{"waits for ever", newTale("p", "assay-dispatch-alone", "running").log, openwopv1.OWPDSP7},
	} {
		t.Run("undecided/"+c.name, func(t *testing.T) {
			expect(t, "dispatch-undecided", openwop.RefusedObservation{Way: "assay-dispatch-alone", Log: c.log(t)}, c.want)
		})
	}
}
