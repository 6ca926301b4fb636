package loop_test

import (
	"testing"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/openwop/loop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestJudgesOfDecisionsAndTheirEffects(t *testing.T) {
	const decided = "runOrchestrator.decided"
	for _, c := range []struct {
		name, scenario string
		spoil          func(*hosttest.Cast)
		want           string
	}{
		{"honest", "decided-before-worker", func(*hosttest.Cast) {}, "passed"},
		{"the worker comes first", "decided-before-worker",
			func(c *hosttest.Cast) { c.Parent.Move(c.Parent.At("dispatch.began", 1), c.Parent.At(decided, 1)) }, requirement.OWPDSP1},
		{"the dispatch node is first", "decided-before-worker",
			func(c *hosttest.Cast) { c.Parent.Move(c.Parent.At("node.dispatched", 0), c.Parent.At(decided, 0)) }, requirement.OWPDSP1},
		{"the end comes before the decision to end", "decided-before-worker",
			func(c *hosttest.Cast) { c.Parent.Move(c.Parent.At("run.completed", 0), c.Parent.At(decided, 2)) }, requirement.OWPDSP1},
		{"no worker at all", "decided-before-worker", func(c *hosttest.Cast) {
			for range 2 {
				for _, kind := range []string{"dispatch.began", "dispatch.succeeded", "child.completed", "node.dispatched"} {
					c.Parent.Cut(kind, 0)
				}
			}
		}, "blocked"},
		{"other workers than planned", "decided-before-worker", func(c *hosttest.Cast) {
			c.Parent.Payload(decided, 0)["decision"] = map[string]any{"kind": "next-worker", "nextWorkerIds": []any{}}
		}, "blocked"},

		{"honest", "effect-of-its-decision", func(*hosttest.Cast) {}, "passed"},
		{"honest without handoffs on the log", "effect-of-its-decision", func(c *hosttest.Cast) { withoutSteps(c.Parent, 2) }, "passed"},
		{"another worker without handoffs on the log", "effect-of-its-decision", func(c *hosttest.Cast) {
			withoutSteps(c.Parent, 2)
			c.Parent.Payload("node.dispatched", 1)["childWorkflowId"] = "w1"
		}, requirement.OWPDSP3},
		{"the worker of the turn before", "effect-of-its-decision",
			func(c *hosttest.Cast) { c.Parent.Payload("dispatch.began", 1)["workerId"] = "w1" }, requirement.OWPDSP3},
		{"a worker too many", "effect-of-its-decision", func(c *hosttest.Cast) {
			c.Parent.Move(c.Parent.At("run.completed", 0), len(c.Parent.Events)-1)
			c.Parent.Step("dispatch.began", "", "w2", "")
		}, requirement.OWPDSP3},
		{"the first worker ends in the second turn", "effect-of-its-decision", func(c *hosttest.Cast) {
			c.Parent.Move(c.Parent.At("child.completed", 0), c.Parent.At("dispatch.began", 1))
		}, requirement.OWPDSP3},

		{"honest", "dispatch-names-its-cause", func(*hosttest.Cast) {}, "passed"},
		{"names none", "dispatch-names-its-cause",
			func(c *hosttest.Cast) { delete(c.Parent.Events[c.Parent.At("node.dispatched", 0)], "causationId") }, "passed"},
		{"names the decision before", "dispatch-names-its-cause", func(c *hosttest.Cast) {
			c.Parent.Events[c.Parent.At("node.dispatched", 1)]["causationId"] = c.Parent.Events[c.Parent.At(decided, 0)]["eventId"]
		}, requirement.OWPDSP4},
		{"names the step before: a finding", "dispatch-names-its-cause", func(c *hosttest.Cast) {
			c.Parent.Events[c.Parent.At("node.dispatched", 0)]["causationId"] = c.Parent.Events[c.Parent.At("dispatch.began", 0)]["eventId"]
		}, "passed"},
		{"names a step of the turn before", "dispatch-names-its-cause", func(c *hosttest.Cast) {
			c.Parent.Events[c.Parent.At("node.dispatched", 1)]["causationId"] = c.Parent.Events[c.Parent.At("dispatch.began", 0)]["eventId"]
		}, requirement.OWPDSP4},
		{"names an event that is not there", "dispatch-names-its-cause",
			func(c *hosttest.Cast) { c.Parent.Events[c.Parent.At("node.dispatched", 0)]["causationId"] = "e-none" }, requirement.OWPDSP4},
		{"tells of no dispatch", "dispatch-names-its-cause",
			func(c *hosttest.Cast) { c.Parent.Cut("node.dispatched", 0); c.Parent.Cut("node.dispatched", 0) }, "blocked"},

		{"honest", "one-agent", func(*hosttest.Cast) {}, "passed"},
		{"names none in its snapshot", "one-agent", func(c *hosttest.Cast) { delete(c.Parent.Shown, "runOrchestrator") }, "passed"},
		{"another one in turn 2", "one-agent", func(c *hosttest.Cast) { c.Parent.Payload(decided, 1)["agentId"] = "another.agent" },
			requirement.OWPDSP2},
		{"another one in its snapshot", "one-agent",
			func(c *hosttest.Cast) { c.Parent.Shown["runOrchestrator"] = map[string]any{"agentId": "another.agent"} }, requirement.OWPDSP2},
		{"nobody", "one-agent", func(c *hosttest.Cast) {
			for k := range 3 {
				c.Parent.Payload(decided, k)["agentId"] = ""
			}
		}, requirement.OWPDSP2},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			told := hosttest.CastOf("w1", "w2")
			c.spoil(told)
			hosttest.Expect(t, c.scenario, hosttest.WorkersObservation(t, told, "w1", "w2"), c.want)
		})
	}
	t.Run("a worker that ran before its decision is told", func(t *testing.T) {
		told := hosttest.CastOf("w1")
		told.Parent.Events[told.Parent.At("runOrchestrator.decided", 0)]["timestamp"] = "2026-11-01T00:00:01.5Z"
		told.Children[0].Events[0]["timestamp"] = "2026-11-01T00:00:01.4Z"
		out := scenarios.Conclude(hosttest.Scenario(t, "decided-before-worker"), openwop.Protocol.Ledger, hosttest.WorkersObservation(t,
			told, "w1"))
		if out.Verdict != scenarios.Passed || len(out.Findings) != 1 {
			t.Errorf("%s, findings %v", out.Verdict, out.Findings)
		}
	})
}

// withoutSteps adds the events of a host without an execution model for this many
// workers.
func withoutSteps(s *hosttest.Tale, workers int) {
	for range workers {
		for _, phase := range []string{"dispatch.began", "dispatch.succeeded", "child.completed"} {
			s.Cut(phase, 0)
		}
	}
}

func TestJudgesOfTheQuestion(t *testing.T) {
	told := func(events ...hosttest.Event) hosttest.Story {
		s := hosttest.Story{Id: "r", Status: "waiting-input", Events: []hosttest.Event{{Kind: "run.started", Payload: map[string]any{}}}}
		return s.Then(events...)
	}
	asks := hosttest.Decided(2, "ask-user")
	for _, c := range []struct {
		name string
		held hosttest.Story
		want string
	}{
		{"honest", told(hosttest.Decided(1, "next-worker"), asks, hosttest.Event{Kind: "node.suspended", Payload: map[string]any{}}), "passed"},
		{"no event tells of the question", told(hosttest.Decided(1, "next-worker"), asks), "passed"},
		{"asks before it decides", told(hosttest.Decided(1, "next-worker"), hosttest.Event{Kind: "interrupt.requested",
			Payload: map[string]any{}}, asks), requirement.OWPDSP1},
		{"asks and never decides", told(hosttest.Decided(1, "next-worker"), hosttest.Event{Kind: "node.suspended",
			Payload: map[string]any{}}), requirement.OWPDSP1},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := loop.AskedObservation{Evidence: scenarios.Observed, SuspendedLoop: host.SuspendedLoop{Way: "w", Turns: 3,
				Kinds: []string{"next-worker", "ask-user", "terminate"},
				Held:  host.Suspension{Turn: 2, Suspended: wire.Wait{Reached: true}, Log: c.held.Log(t)}}}
			hosttest.Expect(t, "decided-before-question", o, c.want)
		})
	}
	over := hosttest.Event{Kind: "node.completed", Payload: map[string]any{"nodeId": "supervisor"}}
	requested := hosttest.Event{Kind: "interrupt.requested", Payload: map[string]any{}}
	for name, c := range map[string]struct {
		turn    int
		between []hosttest.Event
		want    string
	}{
		"nobody is asked":                              {2, nil, hosttest.BlockedOn(requirement.OWPDSP3)},
		"nobody is asked, and the node ends":           {2, []hosttest.Event{over}, hosttest.BlockedOn(requirement.OWPDSP3)},
		"somebody is asked, and too early":             {2, []hosttest.Event{requested}, hosttest.BlockedOn("")},
		"the turn that was to ask is one for a worker": {1, nil, hosttest.BlockedOn("")},
	} {
		t.Run(name, func(t *testing.T) {
			s := told(hosttest.Decided(1, "next-worker"), asks).Then(c.between...).Then(hosttest.Decided(3, "terminate"))
			o := loop.AskedObservation{Evidence: scenarios.Observed, SuspendedLoop: host.SuspendedLoop{Way: "w", Turns: 3,
				Kinds: []string{"next-worker", "ask-user", "terminate"}, Held: host.Suspension{Turn: c.turn, Log: s.Log(t)}}}
			hosttest.Expect(t, "decided-before-question", o, c.want)
		})
	}
	t.Run("another agent after the answer", func(t *testing.T) {
		whole := told(hosttest.Decided(1, "next-worker"), asks, hosttest.Decided(3, "terminate"), hosttest.Event{Kind: "run.completed",
			Payload: map[string]any{}}).WithStatus("completed")
		o := loop.AskedObservation{Evidence: scenarios.Observed, SuspendedLoop: host.SuspendedLoop{Turns: 3,
			Kinds: []string{"next-worker", "ask-user", "terminate"},
			Held:  host.Suspension{Turn: 2, Suspended: wire.Wait{Reached: true}, Log: told(asks).Log(t), Answered: wiretest.Status(t, 200)},
			Log:   whole.Log(t)}}
		hosttest.Expect(t, "same-agent-after-answer", o, "passed")
		o.Log = whole.Change("runOrchestrator.decided", 2, func(p map[string]any) { p["agentId"] = "whoever answered" }).Log(t)
		hosttest.Expect(t, "same-agent-after-answer", o, requirement.OWPDSP2)
	})
}

// Upstream's fixture has one decision, to terminate, so nothing could follow it.
func TestNothingCouldFollowUpstreamsTerminate(t *testing.T) {
	s := hosttest.LoopOf(1)
	o := loop.BeyondObservation{Way: "conformance-orchestrator-terminate", Log: s.Log(t)}
	o.Decisions = []any{map[string]any{"kind": "terminate"}}
	o.Lull.Sentinel.Reached, o.Lull.Later = true, s.Log(t)
	hosttest.Expect(t, "nothing-after-terminate", o, hosttest.BlockedOn(""))
}

func TestJudgeOfWhatFollowsTerminate(t *testing.T) {
	beyond := func(spoil func(*hosttest.Tale)) *hosttest.Tale {
		s := hosttest.CastOf("w1").Parent
		s.Shown["childRuns"] = []any{map[string]any{"runId": "c1"}}
		spoil(s)
		return s
	}
	for _, c := range []struct {
		name  string
		spoil func(*hosttest.Tale)
		late  func(*hosttest.Tale)
		want  string
	}{
		{"honest", func(*hosttest.Tale) {}, func(*hosttest.Tale) {}, "passed"},
		{"goes on as its script does", func(s *hosttest.Tale) { s.Hand(s.Decide("w2"), "w2", "c2") }, func(*hosttest.Tale) {},
			requirement.OWPDSP5},
		{"dispatches once more", func(s *hosttest.Tale) { s.Step("dispatch.began", "", "w2", "") }, func(*hosttest.Tale) {}, requirement.OWPDSP5},
		{"dispatches between terminate and the end", func(s *hosttest.Tale) {
			s.Add("node.dispatched", "", map[string]any{"childRunId": "c2"})
			s.Move(len(s.Events)-1, s.At("run.completed", 0))
		}, func(*hosttest.Tale) {}, requirement.OWPDSP5},
		{"has a child that its log does not tell of", func(s *hosttest.Tale) { s.Shown["childRuns"] = []any{"c1", "c2"} },
			func(*hosttest.Tale) {}, requirement.OWPDSP5},
		{"goes on behind the barrier", func(*hosttest.Tale) {}, func(s *hosttest.Tale) { s.Decide("w2") }, requirement.OWPDSP5},
		{"another plan than ours", func(s *hosttest.Tale) {
			s.Payload("runOrchestrator.decided", 0)["decision"] = map[string]any{"kind": "ask-user"}
		}, func(*hosttest.Tale) {}, hosttest.BlockedOn(requirement.OWP0037A2)},
		{"never terminates", func(s *hosttest.Tale) { s.Cut("runOrchestrator.decided", 1) }, func(*hosttest.Tale) {}, hosttest.BlockedOn("")},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, later := beyond(c.spoil), beyond(c.spoil)
			c.late(later)
			hosttest.Expect(t, "nothing-after-terminate", loop.BeyondObservation{Way: "assay-loop",
				Decisions: []any{map[string]any{"kind": "next-worker"}, map[string]any{"kind": "terminate"}}, Chosen: true, Beyond: 2, Log: at.Log(t),
				Lull: host.Lull{Sentinel: wire.Wait{Reached: true}, Later: later.Log(t)}}, c.want)
		})
	}
}

func TestJudgesOfDispatchNodesThatRefuse(t *testing.T) {
	fails := func(s *hosttest.Tale, code string) *hosttest.Tale {
		s.Shown["status"] = "failed"
		s.Add("run.failed", "", map[string]any{"error": map[string]any{"code": code, "message": "m"}})
		return s
	}
	one := func() *hosttest.Tale {
		s := hosttest.NewTale("p", "assay-loop-reject", "completed")
		s.Hand(s.Decide("w"), "w", "c1")
		return s
	}
	several := func(code string) *hosttest.Tale { s := one(); s.Decide("w", "w"); return fails(s, code) }
	goesOn := func() *hosttest.Tale {
		s := one()
		d := s.Decide("w", "w")
		s.Hand(d, "w", "c2")
		s.Hand(d, "w", "c3")
		return s.Complete()
	}
	half := func() *hosttest.Tale {
		s := one()
		s.Hand(s.Decide("w", "w"), "w", "c2")
		return fails(s, "fan_out_unsupported")
	}
	for _, c := range []struct {
		name string
		told *hosttest.Tale
		want string
	}{
		{"honest", several("fan_out_unsupported"), "passed"},
		{"another code is a finding", several("internal_error"), "passed"},
		{"carries it out", goesOn(), requirement.OWPDSP6},
		{"carries out half of it", half(), requirement.OWPDSP6},
		{"refuses one worker as well", fails(hosttest.NewTale("p", "assay-loop-reject", "failed"), "fan_out_unsupported"), "blocked"},
	} {
		t.Run("fan-out/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, "fan-out-rejected", loop.RefusedObservation{Way: "assay-loop-reject", Control: 1, Log: c.told.Log(t)}, c.want)
		})
	}
	alone := func() *hosttest.Tale { return hosttest.NewTale("p", "assay-dispatch-alone", "completed") }
	dispatches := func() *hosttest.Tale { s := alone(); s.Hand("", "w", "c1"); return fails(s, "no_pending_decision") }
	for _, c := range []struct {
		name string
		log  func(t *testing.T) host.RunLog
		want string
	}{
		{"honest", fails(alone(), "no_pending_decision").Log, "passed"},
		{"refuses the workflow", func(t *testing.T) host.RunLog { return host.RunLog{Created: wiretest.Status(t, 400)} }, "passed"},
		{"breaks down over it", func(t *testing.T) host.RunLog { return host.RunLog{Created: wiretest.Status(t, 500)} }, requirement.OWPDSP7},
		{"completes", alone().Complete().Log, requirement.OWPDSP7},
		{"makes a worker up", dispatches().Log, requirement.OWPDSP7},
		{"waits for ever", hosttest.NewTale("p", "assay-dispatch-alone", "running").Log, requirement.OWPDSP7},
	} {
		t.Run("undecided/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, "dispatch-undecided", loop.RefusedObservation{Way: "assay-dispatch-alone", Log: c.log(t)}, c.want)
		})
	}
}
