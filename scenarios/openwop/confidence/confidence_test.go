package confidence_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/confidence"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

const noop, other = "conformance-noop", "conformance-multi-agent-handoff-child"

func handoffPhase(phase, worker, child string) hosttest.Event {
	return hosttest.Event{Kind: "core.workflowChain.event", Payload: map[string]any{"phase": phase, "childRunId": child,
		"workerId": worker, "parentRunId": "r"}}
}

func escalated(worker string) hosttest.Event {
	p := map[string]any{"confidence": 0.45, "floor": 0.5, "escalationKind": "clarify", "parentRunId": "r"}
	if worker != "" {
		p["workerId"] = worker
	}
	return hosttest.Event{Kind: "core.workflowChain.confidence-escalated", Payload: p}
}

// inDoubt returns the honest story of n turns. Turn k is held, reported and
// answered, and carried out unless it was rejected.
func inDoubt(n, k int, answer map[string]any) hosttest.Story {
	s := hosttest.Story{Id: "r", Status: "completed", Events: []hosttest.Event{{Kind: "run.started", Payload: nil}}}
	for i := 1; i <= n; i++ {
		kind, worker := "next-worker", noop
		switch i {
		case n:
			kind, worker = "terminate", ""
		case k:
			worker = other
		}
		s.Events = append(s.Events, hosttest.Decided(i, kind))
		if i == k {
			s.Events = append(s.Events, escalated(worker), hosttest.Event{Kind: "node.suspended",
				Payload: map[string]any{"kind": "clarification"}}, hosttest.Event{Kind: "interrupt.requested",
				Payload: map[string]any{"kind": "clarification"}},
				hosttest.Event{Kind: "interrupt.resolved", Payload: map[string]any{"resumeValue": answer}},
				hosttest.Event{Kind: "node.resumed", Payload: map[string]any{"resumeValue": answer}})
		}
		if i < n && (i != k || answer["action"] != "reject") {
			child := fmt.Sprint("c", i)
			s.Events = append(s.Events, handoffPhase("dispatch.began", worker, child), handoffPhase("dispatch.succeeded", worker, child),
				handoffPhase("child.completed", worker, child))
		}
	}
	return s.Then(hosttest.Event{Kind: "run.completed", Payload: nil})
}

var agreed = map[string]any{"answers": map[string]any{"q1": "m1"}}

// before returns the story with events inserted before the first of a kind.
func before(s hosttest.Story, kind string, e ...hosttest.Event) hosttest.Story {
	i := slices.IndexFunc(s.Events, func(e hosttest.Event) bool { return e.Kind == kind })
	s.Events = slices.Insert(slices.Clone(s.Events), i, e...)
	return s
}

// weighed returns the observation of a loop of four turns. Turn k has the confidence under test.
func weighed(t *testing.T, s hosttest.Story, k int) confidence.WeighedLoop {
	t.Helper()
	o := confidence.WeighedLoop{
		SuspendedLoop: hosttest.SuspendedLoop(t, s, k, "next-worker", "next-worker", "next-worker", "terminate"),
		Confidence:    new(0.45), Worker: other, Workers: []string{noop, other, noop}, Lull: hosttest.Lull(t, s.Waiting()),
		Ended: hosttest.Lull(t, s),
	}
	if k == 4 {
		o.Worker, o.Workers = "", []string{noop, noop, noop}
	}
	for _, e := range s.Events {
		if e.Kind == "core.workflowChain.event" && e.Payload["phase"] == "dispatch.succeeded" {
			o.Children = append(o.Children, host.Child{ID: fmt.Sprint(e.Payload["childRunId"]), Snapshot: wiretest.Value(t,
				map[string]any{"workflowId": e.Payload["workerId"]})})
		}
	}
	return o
}

func withoutDoubt(s hosttest.Story) hosttest.Story {
	for _, kind := range []string{"core.workflowChain.confidence-escalated", "node.suspended", "interrupt.requested",
		"interrupt.resolved", "node.resumed"} {
		s = s.Drop(kind)
	}
	return s
}

func free(t *testing.T, s hosttest.Story) *confidence.WeighedLoop {
	t.Helper()
	o := weighed(t, inDoubt(4, 2, agreed), 2)
	o.Log, o.Held, o.Lull, o.Ended = s.Log(t), host.Suspension{Turn: 2}, host.Lull{}, host.Lull{}
	o.Log.Ended.Reached = true // ended or held
	return &o
}

func TestJudgesOfDecisionsAroundTheFloor(t *testing.T) {
	honest := inDoubt(4, 2, agreed)
	// told returns the loop below the floor with its event edited.
	told := func(edit func(map[string]any)) func(*confidence.AroundFloorObservation) {
		return func(o *confidence.AroundFloorObservation) {
			o.Below = weighed(t, honest.Change("core.workflowChain.confidence-escalated", 0, edit), 2)
		}
	}
	set := func(name string, v any) func(*confidence.AroundFloorObservation) {
		return told(func(p map[string]any) { p[name] = v })
	}
	// original returns that loop with the workers of its decision as planned, as told in its turn, and as captured in the event.
	original := func(planned, inTurn, captured any) func(*confidence.AroundFloorObservation) {
		decision := func(workers any) map[string]any {
			return map[string]any{"kind": "next-worker", "confidence": 0.45, "nextWorkerIds": workers}
		}
		return func(o *confidence.AroundFloorObservation) {
			o.Below = weighed(t, honest.
				Change("runOrchestrator.decided", 1, func(p map[string]any) { p["decision"] = decision(inTurn) }).
				Change("core.workflowChain.confidence-escalated", 0, func(p map[string]any) { p["originalDecision"] = decision(captured) }), 2)
			o.Below.Decision = decision(planned)
		}
	}
	below := func(s hosttest.Story) func(*confidence.AroundFloorObservation) {
		return func(o *confidence.AroundFloorObservation) { o.Below = weighed(t, s, 2) }
	}
	late := before(honest.Drop("core.workflowChain.confidence-escalated"), "interrupt.requested", escalated(other))
	stays := honest.Waiting()
	dispatched := stays.Then(handoffPhase("dispatch.began", other, ""))
	quiet := stays.Drop("core.workflowChain.confidence-escalated")
	twice := before(honest, "node.resumed", handoffPhase("dispatch.began", other, "x"))
	replaced := honest.Change("core.workflowChain.event", 3, func(p map[string]any) { p["workerId"] = noop })
	dropped := inDoubt(4, 2, agreed)
	dropped.Events = slices.DeleteFunc(slices.Clone(dropped.Events), func(e hosttest.Event) bool {
		return e.Payload["workerId"] == other && e.Kind == "core.workflowChain.event"
	})
	kind := func(shown string) func(*confidence.AroundFloorObservation) {
		return func(o *confidence.AroundFloorObservation) {
			s := honest
			for _, e := range []string{"node.suspended", "interrupt.requested"} {
				s = s.Change(e, 0, func(p map[string]any) {
					if p["kind"] = shown; shown == "" {
						delete(p, "kind")
					}
				})
			}
			o.Below = weighed(t, s, 2)
			o.Below.Held.Suspended.Last = wiretest.Value(t, map[string]any{"status": "waiting-input"})
		}
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*confidence.AroundFloorObservation)
		want           string
	}{
		{"honest", "held-and-told", func(*confidence.AroundFloorObservation) {}, "passed"},
		{"decides when it is answered", "held-and-told", func(o *confidence.AroundFloorObservation) {
			s := stays
			s.Events = slices.Delete(slices.Clone(s.Events), 5, 6)
			o.Below.Held.Log, o.Below.Lull = s.Log(t), hosttest.Lull(t, s)
		}, "passed"},
		{"leaves out what may be left out", "held-and-told", told(func(p map[string]any) { delete(p, "workerId") }), "passed"},
		{"carries it out at once", "held-and-told", func(o *confidence.AroundFloorObservation) {
			o.Below.Held.Suspended.Reached, o.Below.Held.Log = false, withoutDoubt(honest).Log(t)
		}, requirement.OWPINT5},
		{"carries it out while it waits", "held-and-told",
			func(o *confidence.AroundFloorObservation) { o.Below.Lull = hosttest.Lull(t, dispatched) }, requirement.OWPINT5},
		{"dispatches a node in silence", "held-and-told", func(o *confidence.AroundFloorObservation) {
			o.Below.Lull = hosttest.Lull(t, stays.Then(hosttest.Event{Kind: "node.dispatched", Payload: nil},
				hosttest.Event{Kind: "node.dispatched", Payload: nil}))
		}, requirement.OWPINT5},
		{"does not tell", "held-and-told", func(o *confidence.AroundFloorObservation) { o.Below.Lull = hosttest.Lull(t, quiet) },
			requirement.OWPCNF3},
		{"tells twice", "held-and-told", func(o *confidence.AroundFloorObservation) {
			o.Below.Lull = hosttest.Lull(t, stays.Then(escalated(other)))
		}, requirement.OWPCNF3},
		{"another confidence", "held-and-told", set("confidence", 0.3), requirement.OWPCNF3},
		{"another floor", "held-and-told", set("floor", 0.7), requirement.OWPCNF3},
		{"another way of escalation", "held-and-told", set("escalationKind", "approval"), requirement.OWPCNF3},
		{"another run", "held-and-told", set("parentRunId", "r2"), requirement.OWPCNF3},
		{"another worker", "held-and-told", set("workerId", noop), requirement.OWPCNF3},
		{"another decision", "held-and-told", set("originalDecision", map[string]any{"kind": "terminate", "confidence": 0.45}),
			requirement.OWPCNF3},
		{"the decision as planned", "held-and-told", original([]any{other}, []any{other}, []any{other}), "passed"},
		{"a decision that says less", "held-and-told", original([]any{other}, []any{other}, nil), requirement.OWPCNF3},
		{"a decision that no turn told so", "held-and-told", original([]any{other}, nil, nil), "passed"},
		{"a confidence in words", "held-and-told", set("confidence", "0.45"), requirement.OWPCNF3},
		{"tells after it asked", "held-and-told", func(o *confidence.AroundFloorObservation) { o.Below = weighed(t, late, 2) },
			requirement.OWPCNF4},
		{"tells after it dispatched", "held-and-told",
			below(before(honest.Drop("node.suspended").Drop("interrupt.requested").Drop("core.workflowChain.confidence-escalated"),
				"interrupt.resolved", handoffPhase("dispatch.began", other, ""), escalated(other), hosttest.Event{Kind: "node.suspended",
					Payload: nil}, hosttest.Event{Kind: "interrupt.requested", Payload: nil})), requirement.OWPINT5},
		{"neither asks nor acts", "held-and-told",
			func(o *confidence.AroundFloorObservation) { o.Below.Held.Suspended.Reached = false }, "blocked"},
		{"refuses the run", "held-and-told", func(o *confidence.AroundFloorObservation) {
			o.Below.Held.Log.Created = wiretest.Status(t,
				404)
		}, "blocked"},

		{"honest", "kind-as-advertised", func(*confidence.AroundFloorObservation) {}, "passed"},
		{"either, where none is advertised", "kind-as-advertised",
			func(o *confidence.AroundFloorObservation) { o.Kind = ""; kind("approval")(o) }, "passed"},
		{"a kind of the host's", "kind-as-advertised",
			func(o *confidence.AroundFloorObservation) { o.Kind = "x-host-a-b"; kind("x-host-a-b")(o) }, "passed"},
		{"by the status alone", "kind-as-advertised", kind(""), "passed"},
		{"another kind", "kind-as-advertised", kind("approval"), requirement.OWPCNF8},
		{"the kind of the agent's threshold", "kind-as-advertised",
			func(o *confidence.AroundFloorObservation) { o.Kind = ""; kind("low-confidence")(o) }, requirement.OWPCNF8},
		{"the status of another kind", "kind-as-advertised",
			func(o *confidence.AroundFloorObservation) { o.Kind = "approval"; kind("")(o) }, "blocked"},
		{"no way to tell", "kind-as-advertised", func(o *confidence.AroundFloorObservation) { o.Kind = "x-host-a-b"; kind("")(o) }, "blocked"},

		{"honest", "floor-passes", func(*confidence.AroundFloorObservation) {}, "passed"},
		{"nothing is above", "floor-passes", func(o *confidence.AroundFloorObservation) { o.Above = nil }, "passed"},
		{"nothing at the floor or above it", "floor-passes", func(o *confidence.AroundFloorObservation) { o.At, o.Above = nil, nil }, "blocked"},
		{"nothing at the floor, and held above it", "floor-passes",
			func(o *confidence.AroundFloorObservation) { o.At, o.Above = nil, free(t, stays) }, requirement.OWPCNF5},
		{"nothing without a confidence", "no-confidence-passes", func(o *confidence.AroundFloorObservation) { o.Absent = nil }, "blocked"},
		{"holds at the floor", "floor-passes", func(o *confidence.AroundFloorObservation) { o.At = free(t, stays) }, requirement.OWPCNF5},
		{"holds above the floor", "floor-passes", func(o *confidence.AroundFloorObservation) { o.Above = free(t, stays) },
			requirement.OWPCNF5},
		{"asks in silence", "floor-passes", func(o *confidence.AroundFloorObservation) { o.At = free(t, quiet) }, requirement.OWPCNF5},
		{"leaves it out", "floor-passes", func(o *confidence.AroundFloorObservation) { o.At = free(t, withoutDoubt(dropped)) },
			requirement.OWPCNF5},
		{"never ends", "floor-passes", func(o *confidence.AroundFloorObservation) { o.At.Log.Ended.Reached = false }, "blocked"},
		{"never ends at the floor and holds above it", "floor-passes", func(o *confidence.AroundFloorObservation) {
			o.At.Log.Ended.Reached = false
			o.Above = free(t, stays)
		}, requirement.OWPCNF5},

		{"honest", "no-confidence-passes", func(*confidence.AroundFloorObservation) {}, "passed"},
		{"takes none for a low one", "no-confidence-passes", func(o *confidence.AroundFloorObservation) { o.Absent = free(t, stays) },
			requirement.OWPCNF6},
		{"tells and goes on", "no-confidence-passes", func(o *confidence.AroundFloorObservation) { o.Absent = free(t, honest) },
			requirement.OWPCNF6},

		{"honest", "carried-out-once", func(*confidence.AroundFloorObservation) {}, "passed"},
		{"drops it", "carried-out-once", below(dropped), "passed"},
		{"ends when it is answered", "carried-out-once", func(o *confidence.AroundFloorObservation) {
			o.Below = weighed(t, stays.WithStatus("completed").Then(hosttest.Event{Kind: "interrupt.resolved", Payload: nil},
				hosttest.Event{Kind: "run.completed", Payload: nil}), 2)
		}, "passed"},
		{"carries it out twice", "carried-out-once", below(twice), requirement.OWPCNF9},
		{"carries out another", "carried-out-once", below(replaced), requirement.OWPCNF9},
		{"says the one and does another", "carried-out-once", func(o *confidence.AroundFloorObservation) {
			o.Below.Children[1].Snapshot = wiretest.Value(t, map[string]any{"workflowId": noop})
			o.Below.Children[2].Snapshot = wiretest.Value(t, map[string]any{"workflowId": other})
		}, requirement.OWPCNF9},
		{"once more after the end", "carried-out-once", func(o *confidence.AroundFloorObservation) {
			o.Below.Ended = hosttest.Lull(t, honest.Then(handoffPhase("dispatch.began", other, "x")))
		}, requirement.OWPCNF9},
		{"does not go on", "carried-out-once", func(o *confidence.AroundFloorObservation) { o.Below.Log = stays.Log(t) }, requirement.OWPCNF9},
		{"refuses the answer", "carried-out-once",
			func(o *confidence.AroundFloorObservation) { o.Below.Held.Answered = wiretest.Status(t, 422) }, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := confidence.AroundFloorObservation{Floor: 0.5, Kind: "clarification", Below: weighed(t, honest, 2),
				At: free(t, withoutDoubt(honest)), Above: free(t, withoutDoubt(honest)), Absent: free(t, withoutDoubt(honest))}
			c.spoil(&o)
			hosttest.Expect(t, c.scenario, o, c.want)
		})
	}
	t.Run("what was dropped is a finding", func(t *testing.T) {
		o := confidence.AroundFloorObservation{Floor: 0.5, Kind: "clarification", Below: weighed(t, dropped, 2)}
		out := scenarios.Conclude(hosttest.Scenario(t, "carried-out-once"), openwop.Protocol.Ledger, o)
		if out.Verdict != scenarios.Passed || len(out.Findings) != 1 || out.Findings[0].Requirement != requirement.OWPCNF10 {
			t.Errorf("%s, findings %v", out.Verdict, out.Findings)
		}
	})
	t.Run("what was dropped is a finding, whatever the children show", func(t *testing.T) {
		o := confidence.AroundFloorObservation{Floor: 0.5, Kind: "clarification", Below: weighed(t, dropped, 2)}
		o.Below.Children[0].Snapshot = wire.Value{}
		hosttest.Expect(t, "carried-out-once", o, "blocked")
		if got := hosttest.Findings(t, "carried-out-once", o); !slices.Equal(got, []string{requirement.OWPCNF10}) {
			t.Errorf("findings %v", got)
		}
	})
}

func TestJudgeOfAnEndInDoubt(t *testing.T) {
	honest := inDoubt(4, 4, agreed)
	for _, c := range []struct {
		name  string
		spoil func(*confidence.HeldEndObservation)
		want  string
	}{
		{"honest", func(*confidence.HeldEndObservation) {}, "passed"},
		{"ends at once", func(o *confidence.HeldEndObservation) {
			o.Held.Held.Suspended.Reached, o.Held.Held.Log = false, withoutDoubt(honest).Log(t)
		}, requirement.OWPCNF7},
		{"asks and ends", func(o *confidence.HeldEndObservation) {
			o.Held.Held.Log = honest.Waiting().Then(hosttest.Event{Kind: "run.completed", Payload: nil}).Log(t)
		}, requirement.OWPCNF7},
		{"ends while it waits", func(o *confidence.HeldEndObservation) { o.Held.Lull = hosttest.Lull(t, honest) }, requirement.OWPCNF7},
		{"names a worker", func(o *confidence.HeldEndObservation) {
			o.Held = weighed(t, honest.Change("core.workflowChain.confidence-escalated", 0, func(p map[string]any) { p["workerId"] = noop }), 4)
		}, requirement.OWPCNF3},
		{"does not tell", func(o *confidence.HeldEndObservation) {
			o.Held = weighed(t, honest.Drop("core.workflowChain.confidence-escalated"), 4)
		}, requirement.OWPCNF3},
		{"tells after it asked", func(o *confidence.HeldEndObservation) {
			o.Held = weighed(t, before(honest.Drop("core.workflowChain.confidence-escalated"), "interrupt.requested", escalated("")), 4)
		}, requirement.OWPCNF4},
		{"never ends", func(o *confidence.HeldEndObservation) { o.Held.Log = honest.Waiting().Log(t) }, requirement.OWPCNF7},
		{"ends twice", func(o *confidence.HeldEndObservation) {
			o.Held.Log = honest.Then(hosttest.Event{Kind: "run.completed", Payload: nil}).Log(t)
		}, requirement.OWPCNF7},
		{"no end at the floor", func(o *confidence.HeldEndObservation) { o.At = nil }, "blocked"},
		{"holds an end at the floor", func(o *confidence.HeldEndObservation) { o.At.Log = free(t, honest.Waiting()).Log }, requirement.OWPCNF5},
		{"never asks", func(o *confidence.HeldEndObservation) { o.Held.Held.Suspended.Reached = false }, "blocked"},
		{"refuses the answer", func(o *confidence.HeldEndObservation) { o.Held.Held.Answered = wiretest.Status(t, 404) }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := weighed(t, withoutDoubt(honest), 4)
			o := confidence.HeldEndObservation{Floor: 0.5, Held: weighed(t, honest, 4), At: &at}
			c.spoil(&o)
			hosttest.Expect(t, "doubtful-end-held", o, c.want)
		})
	}
}

// A set-up names a sentence only where the log or a snapshot shows it broken.
func TestSetupsThatAccuse(t *testing.T) {
	honest := inDoubt(4, 4, agreed)
	early := func(s hosttest.Story) any {
		o := weighed(t, s, 4)
		o.Held.Log, o.Lull = s.Log(t), hosttest.Lull(t, s)
		return confidence.HeldEndObservation{Floor: 0.5, Held: o}
	}
	heldInTurn2 := inDoubt(4, 2, agreed).Waiting()
	rejected := func(child any) any {
		no, yes := weighed(t, inDoubt(4, 2, map[string]any{"action": "reject"}), 2), weighed(t, inDoubt(4, 2, agreed), 2)
		no.Children[0].Snapshot = wiretest.Value(t, child)
		return confidence.RejectedObservation{Floor: 0.5, Rejected: no, Agreed: yes}
	}
	stillRunning := inDoubt(4, 2, agreed).Waiting().WithStatus("running")
	for _, c := range []struct {
		name, scenario string
		o              any
		want           scenarios.RequirementID
	}{
		{"holds a decision without a confidence", "doubtful-end-held", early(heldInTurn2), requirement.OWPCNF6},
		{"is suspended early for another reason", "doubtful-end-held",
			early(heldInTurn2.Drop("core.workflowChain.confidence-escalated")), ""},
		{"logs no handoffs", "doubtful-end-held", early(honest.Waiting().Drop("core.workflowChain.event")), ""},
		{"a child without a workflow", "rejected-never", rejected(map[string]any{"runId": "c1"}), requirement.OWPCTL1},
		{"a child that is not served", "rejected-never", rejected(map[string]any{"error": "not_found", "message": "m"}), ""},
		{"a loop that stands still", "floor-passes", confidence.AroundFloorObservation{Floor: 0.5,
			At: func() *confidence.WeighedLoop { o := free(t, stillRunning); o.Log.Ended.Reached = false; return o }()}, requirement.OWP0037A1},
		{"a loop that is queued", "floor-passes", confidence.AroundFloorObservation{Floor: 0.5, At: func() *confidence.WeighedLoop {
			o := free(t, stillRunning.WithStatus("pending"))
			o.Log.Ended.Reached = false
			return o
		}()}, ""},
		{"a log that is not served", "floor-passes", confidence.AroundFloorObservation{Floor: 0.5,
			At: &confidence.WeighedLoop{SuspendedLoop: host.SuspendedLoop{Log: host.RunLog{RunID: "r", Created: wiretest.Status(t, 201),
				Ended: wire.Wait{Reached: true}, Read: wiretest.Status(t, 503)}}}}, ""},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, c.scenario, c.o, hosttest.BlockedOn(c.want))
		})
	}
}

func TestJudgeOfARejection(t *testing.T) {
	no, yes := inDoubt(4, 2, map[string]any{"action": "reject"}), inDoubt(4, 2, map[string]any{"action": "accept"})
	failing := func() hosttest.Story {
		s := no.Waiting().Then(hosttest.Event{Kind: "interrupt.resolved",
			Payload: map[string]any{"resumeValue": map[string]any{"action": "reject"}}}, hosttest.Failed("interrupt_rejected"))
		return s.WithStatus("failed")
	}()
	for _, c := range []struct {
		name  string
		spoil func(*confidence.RejectedObservation)
		want  string
	}{
		{"honest", func(*confidence.RejectedObservation) {}, "passed"},
		{"fails", func(o *confidence.RejectedObservation) { o.Rejected = weighed(t, failing, 2) }, "passed"},
		{"carries it out all the same", func(o *confidence.RejectedObservation) {
			o.Rejected = weighed(t, before(no, "node.resumed", handoffPhase("dispatch.began", other, "x")), 2)
		}, requirement.OWPCNF11},
		{"carries out another in its place", func(o *confidence.RejectedObservation) {
			o.Rejected = weighed(t, before(no, "node.resumed", handoffPhase("dispatch.began", noop, "x")), 2)
		}, requirement.OWPCNF11},
		{"carries it out later", func(o *confidence.RejectedObservation) {
			o.Rejected.Ended = hosttest.Lull(t, no.Then(handoffPhase("dispatch.began", other, "x")))
		}, requirement.OWPCNF11},
		{"says no word of it", func(o *confidence.RejectedObservation) {
			o.Rejected = weighed(t, no.Drop("interrupt.resolved").Drop("node.resumed"), 2)
		}, requirement.OWPCNF12},
		{"says no word of it, and hides what its children run", func(o *confidence.RejectedObservation) {
			o.Rejected = weighed(t, no.Drop("interrupt.resolved").Drop("node.resumed"), 2)
			o.Rejected.Children[0].Snapshot = wire.Value{}
		}, requirement.OWPCNF12},
		{"never ends", func(o *confidence.RejectedObservation) { o.Rejected.Log = no.Waiting().Log(t) }, requirement.OWPCNF12},
		{"refuses to hear no", func(o *confidence.RejectedObservation) { o.Rejected.Held.Answered = wiretest.Status(t, 400) }, "blocked"},
		{"refuses to hear yes", func(o *confidence.RejectedObservation) { o.Agreed.Held.Answered = wiretest.Status(t, 400) }, "blocked"},
		{"never asks", func(o *confidence.RejectedObservation) { o.Rejected.Held.Suspended.Reached = false }, "blocked"},
		{"carries out what was accepted no more", func(o *confidence.RejectedObservation) { o.Agreed = weighed(t, no, 2) }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := confidence.RejectedObservation{Floor: 0.5, Rejected: weighed(t, no, 2), Agreed: weighed(t, yes, 2)}
			c.spoil(&o)
			hosttest.Expect(t, "rejected-never", o, c.want)
		})
	}
}

func TestJudgeBelowVersion2(t *testing.T) {
	honest := inDoubt(4, 2, agreed)
	for name, c := range map[string]struct {
		told hosttest.Story
		want string
	}{
		"honest":                        {withoutDoubt(honest), "passed"},
		"holds it by its own rules":     {honest.Waiting().Drop("core.workflowChain.confidence-escalated"), "passed"},
		"tells of a floor":              {honest, requirement.OWPCNF13},
		"does not come to the decision": {hosttest.Nodes(1), "blocked"},
	} {
		t.Run(name, func(t *testing.T) {
			hosttest.Expect(t, "untold-below-2", free(t, c.told), c.want)
		})
	}
}

func TestJudgeOfTheAdvertisedFloor(t *testing.T) {
	for model, want := range map[string]string{
		`{}`: "passed", `{"confidenceEscalationFloor":0.5,"confidenceEscalationInterruptKind":"approval"}`: "passed",
		`{"confidenceEscalationFloor":1,"confidenceEscalationInterruptKind":"x-host-a-low-confidence"}`: "passed",
		`{"confidenceEscalationFloor":0.49}`: requirement.OWPCNF1, `{"confidenceEscalationFloor":1.01}`: requirement.OWPCNF1,
		`{"confidenceEscalationFloor":"0.5"}`: requirement.OWPCNF1, `{"confidenceEscalationFloor":null}`: requirement.OWPCNF1,
		`{"confidenceEscalationInterruptKind":"clarify"}`:        requirement.OWPCNF2,
		`{"confidenceEscalationInterruptKind":"low-confidence"}`: requirement.OWPCNF2,
		`{"confidenceEscalationInterruptKind":"x-host-a"}`:       requirement.OWPCNF2,
	} {
		t.Run(model, func(t *testing.T) {
			d := scenarios.Discovery{Document: wiretest.Value(t, json.RawMessage(`{"multiAgent":{"executionModel":`+model+`}}`))}
			hosttest.Expect(t, "floor-well-formed", d, want)
		})
	}
}
