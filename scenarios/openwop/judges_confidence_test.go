package openwop_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

const noop, other = "conformance-noop", "conformance-multi-agent-handoff-child"

func handoff(phase, worker, child string) event {
	return event{"core.workflowChain.event", map[string]any{"phase": phase, "childRunId": child, "workerId": worker, "parentRunId": "r"}}
}

func escalated(worker string) event {
	p := map[string]any{"confidence": 0.45, "floor": 0.5, "escalationKind": "clarify", "parentRunId": "r"}
	if worker != "" {
		p["workerId"] = worker
	}
	return event{"core.workflowChain.confidence-escalated", p}
}

// inDoubt is the honest story of n turns of which turn k is held, told and
// answered. It is carried out unless it was rejected.
func inDoubt(n, k int, answer map[string]any) story {
	s := story{id: "r", status: "completed", events: []event{{"run.started", nil}}}
	for i := 1; i <= n; i++ {
		kind, worker := "next-worker", noop
		switch i {
		case n:
			kind, worker = "terminate", ""
		case k:
			worker = other
		}
		s.events = append(s.events, decided(i, kind))
		if i == k {
			s.events = append(s.events, escalated(worker), event{"node.suspended", map[string]any{"kind": "clarification"}}, event{"interrupt.requested", map[string]any{"kind": "clarification"}},
				event{"interrupt.resolved", map[string]any{"resumeValue": answer}}, event{"node.resumed", map[string]any{"resumeValue": answer}})
		}
		if i < n && (i != k || answer["action"] != "reject") {
			child := fmt.Sprint("c", i)
			s.events = append(s.events, handoff("dispatch.began", worker, child), handoff("dispatch.succeeded", worker, child), handoff("child.completed", worker, child))
		}
	}
	return s.then(event{"run.completed", nil})
}

var agreed = map[string]any{"answers": map[string]any{"q1": "m1"}}

// before is the story with an event put before the first of a kind.
func (s story) before(kind string, e ...event) story {
	i := slices.IndexFunc(s.events, func(e event) bool { return e.kind == kind })
	s.events = slices.Insert(slices.Clone(s.events), i, e...)
	return s
}

// weighed is the loop as it was seen: four turns, of which turn k is weighed.
func weighed(t *testing.T, s story, k int) openwop.WeighedLoop {
	t.Helper()
	o := openwop.WeighedLoop{
		SuspendedLoop: suspendedLoop(t, s, k, "next-worker", "next-worker", "next-worker", "terminate"),
		Confidence:    new(0.45), Worker: other, Workers: []string{noop, other, noop}, Lull: lull(t, s.waiting()), Ended: lull(t, s),
	}
	if k == 4 {
		o.Worker, o.Workers = "", []string{noop, noop, noop}
	}
	for _, e := range s.events {
		if e.kind == "core.workflowChain.event" && e.payload["phase"] == "dispatch.succeeded" {
			o.Children = append(o.Children, openwop.Child{ID: fmt.Sprint(e.payload["childRunId"]), Snapshot: wiretest.Value(t, map[string]any{"workflowId": e.payload["workerId"]})})
		}
	}
	return o
}

func (s story) clear() story {
	for _, kind := range []string{"core.workflowChain.confidence-escalated", "node.suspended", "interrupt.requested", "interrupt.resolved", "node.resumed"} {
		s = s.drop(kind)
	}
	return s
}

func free(t *testing.T, s story) openwop.WeighedLoop {
	t.Helper()
	o := weighed(t, inDoubt(4, 2, agreed), 2)
	o.Log, o.Held, o.Lull, o.Ended = s.log(t), openwop.Suspension{Turn: 2}, openwop.Lull{}, openwop.Lull{}
	o.Log.Ended.Reached = true // it has ended or is held
	return o
}

func TestJudgesOfDecisionsAroundTheFloor(t *testing.T) {
	honest := inDoubt(4, 2, agreed)
	// told is the loop below the floor with another event of that.
	told := func(edit func(map[string]any)) func(*openwop.AroundFloorObservation) {
		return func(o *openwop.AroundFloorObservation) {
			o.Below = weighed(t, honest.change("core.workflowChain.confidence-escalated", 0, edit), 2)
		}
	}
	set := func(name string, v any) func(*openwop.AroundFloorObservation) {
		return told(func(p map[string]any) { p[name] = v })
	}
	below := func(s story) func(*openwop.AroundFloorObservation) {
		return func(o *openwop.AroundFloorObservation) { o.Below = weighed(t, s, 2) }
	}
	late := honest.drop("core.workflowChain.confidence-escalated").before("interrupt.requested", escalated(other))
	stays := honest.waiting()
	dispatched := stays.then(handoff("dispatch.began", other, ""))
	quiet := stays.drop("core.workflowChain.confidence-escalated")
	twice := honest.before("node.resumed", handoff("dispatch.began", other, "x"))
	replaced := honest.change("core.workflowChain.event", 3, func(p map[string]any) { p["workerId"] = noop })
	dropped := inDoubt(4, 2, agreed)
	dropped.events = slices.DeleteFunc(slices.Clone(dropped.events), func(e event) bool { return e.payload["workerId"] == other && e.kind == "core.workflowChain.event" })
	kind := func(shown string) func(*openwop.AroundFloorObservation) {
		return func(o *openwop.AroundFloorObservation) {
			s := honest
			for _, e := range []string{"node.suspended", "interrupt.requested"} {
				s = s.change(e, 0, func(p map[string]any) {
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
		spoil          func(*openwop.AroundFloorObservation)
		want           string
	}{
		{"honest", "held-and-told", func(*openwop.AroundFloorObservation) {}, "passed"},
		{"decides when it is answered", "held-and-told", func(o *openwop.AroundFloorObservation) {
			s := stays
			s.events = slices.Delete(slices.Clone(s.events), 5, 6)
			o.Below.Held.Log, o.Below.Lull = s.log(t), lull(t, s)
		}, "passed"},
		{"leaves out what may be left out", "held-and-told", told(func(p map[string]any) { delete(p, "workerId") }), "passed"},
		{"carries it out at once", "held-and-told", func(o *openwop.AroundFloorObservation) {
			o.Below.Held.Suspended.Reached, o.Below.Held.Log = false, honest.clear().log(t)
		}, openwopv1.OWPINT5},
		{"carries it out while it waits", "held-and-told", func(o *openwop.AroundFloorObservation) { o.Below.Lull = lull(t, dispatched) }, openwopv1.OWPINT5},
		{"dispatches a node in silence", "held-and-told", func(o *openwop.AroundFloorObservation) {
			o.Below.Lull = lull(t, stays.then(event{"node.dispatched", nil}, event{"node.dispatched", nil}))
		}, openwopv1.OWPINT5},
		{"does not tell", "held-and-told", func(o *openwop.AroundFloorObservation) { o.Below.Lull = lull(t, quiet) }, openwopv1.OWPCNF3},
		{"tells twice", "held-and-told", func(o *openwop.AroundFloorObservation) { o.Below.Lull = lull(t, stays.then(escalated(other))) }, openwopv1.OWPCNF3},
		{"another confidence", "held-and-told", set("confidence", 0.3), openwopv1.OWPCNF3},
		{"another floor", "held-and-told", set("floor", 0.7), openwopv1.OWPCNF3},
		{"another way of escalation", "held-and-told", set("escalationKind", "approval"), openwopv1.OWPCNF3},
		{"another run", "held-and-told", set("parentRunId", "r2"), openwopv1.OWPCNF3},
		{"another worker", "held-and-told", set("workerId", noop), openwopv1.OWPCNF3},
		{"another decision", "held-and-told", set("originalDecision", map[string]any{"kind": "terminate", "confidence": 0.45}), openwopv1.OWPCNF3},
		{"a confidence in words", "held-and-told", set("confidence", "0.45"), openwopv1.OWPCNF3},
		{"tells after it asked", "held-and-told", func(o *openwop.AroundFloorObservation) { o.Below = weighed(t, late, 2) }, openwopv1.OWPCNF4},
		{"tells after it dispatched", "held-and-told", below(honest.drop("node.suspended").drop("interrupt.requested").drop("core.workflowChain.confidence-escalated").
			before("interrupt.resolved", handoff("dispatch.began", other, ""), escalated(other), event{"node.suspended", nil}, event{"interrupt.requested", nil})), openwopv1.OWPINT5},
		{"neither asks nor acts", "held-and-told", func(o *openwop.AroundFloorObservation) { o.Below.Held.Suspended.Reached = false }, "blocked"},
		{"refuses the run", "held-and-told", func(o *openwop.AroundFloorObservation) { o.Below.Held.Log.Created = wiretest.Status(t, 404) }, "blocked"},

		{"honest", "kind-as-advertised", func(*openwop.AroundFloorObservation) {}, "passed"},
		{"either, where none is advertised", "kind-as-advertised", func(o *openwop.AroundFloorObservation) { o.Kind = ""; kind("approval")(o) }, "passed"},
		{"a kind of the host's", "kind-as-advertised", func(o *openwop.AroundFloorObservation) { o.Kind = "x-host-a-b"; kind("x-host-a-b")(o) }, "passed"},
		{"by the status alone", "kind-as-advertised", kind(""), "passed"},
		{"another kind", "kind-as-advertised", kind("approval"), openwopv1.OWPCNF8},
		{"the kind of the agent's threshold", "kind-as-advertised", func(o *openwop.AroundFloorObservation) { o.Kind = ""; kind("low-confidence")(o) }, openwopv1.OWPCNF8},
		{"the status of another kind", "kind-as-advertised", func(o *openwop.AroundFloorObservation) { o.Kind = "approval"; kind("")(o) }, "blocked"},
		{"no way to tell", "kind-as-advertised", func(o *openwop.AroundFloorObservation) { o.Kind = "x-host-a-b"; kind("")(o) }, "blocked"},

		{"honest", "floor-passes", func(*openwop.AroundFloorObservation) {}, "passed"},
		{"nothing is above", "floor-passes", func(o *openwop.AroundFloorObservation) { o.Above = nil }, "passed"},
		{"holds at the floor", "floor-passes", func(o *openwop.AroundFloorObservation) { o.At = free(t, stays) }, openwopv1.OWPCNF5},
		{"holds above the floor", "floor-passes", func(o *openwop.AroundFloorObservation) { o.Above = new(free(t, stays)) }, openwopv1.OWPCNF5},
		{"asks in silence", "floor-passes", func(o *openwop.AroundFloorObservation) { o.At = free(t, quiet) }, openwopv1.OWPCNF5},
		{"leaves it out", "floor-passes", func(o *openwop.AroundFloorObservation) { o.At = free(t, dropped.clear()) }, openwopv1.OWPCNF5},
		{"never ends", "floor-passes", func(o *openwop.AroundFloorObservation) { o.At.Log.Ended.Reached = false }, "blocked"},

		{"honest", "no-confidence-passes", func(*openwop.AroundFloorObservation) {}, "passed"},
		{"takes none for a low one", "no-confidence-passes", func(o *openwop.AroundFloorObservation) { o.Absent = free(t, stays) }, openwopv1.OWPCNF6},
		{"tells and goes on", "no-confidence-passes", func(o *openwop.AroundFloorObservation) { o.Absent = free(t, honest) }, openwopv1.OWPCNF6},

		{"honest", "carried-out-once", func(*openwop.AroundFloorObservation) {}, "passed"},
		{"drops it", "carried-out-once", below(dropped), "passed"},
		{"ends when it is answered", "carried-out-once", func(o *openwop.AroundFloorObservation) {
			o.Below = weighed(t, stays.withStatus("completed").then(event{"interrupt.resolved", nil}, event{"run.completed", nil}), 2)
		}, "passed"},
		{"carries it out twice", "carried-out-once", below(twice), openwopv1.OWPCNF9},
		{"carries out another", "carried-out-once", below(replaced), openwopv1.OWPCNF9},
		{"says the one and does another", "carried-out-once", func(o *openwop.AroundFloorObservation) {
			o.Below.Children[1].Snapshot = wiretest.Value(t, map[string]any{"workflowId": noop})
			o.Below.Children[2].Snapshot = wiretest.Value(t, map[string]any{"workflowId": other})
		}, openwopv1.OWPCNF9},
		{"once more after the end", "carried-out-once", func(o *openwop.AroundFloorObservation) {
			o.Below.Ended = lull(t, honest.then(handoff("dispatch.began", other, "x")))
		}, openwopv1.OWPCNF9},
		{"does not go on", "carried-out-once", func(o *openwop.AroundFloorObservation) { o.Below.Log = stays.log(t) }, openwopv1.OWPCNF9},
		{"refuses the answer", "carried-out-once", func(o *openwop.AroundFloorObservation) { o.Below.Held.Answered = wiretest.Status(t, 422) }, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := openwop.AroundFloorObservation{Floor: 0.5, Kind: "clarification", Below: weighed(t, honest, 2),
				At: free(t, honest.clear()), Above: new(free(t, honest.clear())), Absent: free(t, honest.clear())}
			c.spoil(&o)
			expect(t, c.scenario, o, c.want)
		})
	}
	t.Run("what was dropped is a finding", func(t *testing.T) {
		o := openwop.AroundFloorObservation{Floor: 0.5, Kind: "clarification", Below: weighed(t, dropped, 2)}
		out := scenarios.Conclude(scenario(t, "carried-out-once"), openwop.Protocol.Ledger, o)
		if out.Verdict != scenarios.Passed || len(out.Findings) != 1 || out.Findings[0].Requirement != openwopv1.OWPCNF10 {
			t.Errorf("%s, findings %v", out.Verdict, out.Findings)
		}
	})
}

func TestJudgeOfAnEndInDoubt(t *testing.T) {
	honest := inDoubt(4, 4, agreed)
	for _, c := range []struct {
		name  string
		spoil func(*openwop.HeldEndObservation)
		want  string
	}{
		{"honest", func(*openwop.HeldEndObservation) {}, "passed"},
		{"ends at once", func(o *openwop.HeldEndObservation) {
			o.Held.Held.Suspended.Reached, o.Held.Held.Log = false, honest.clear().log(t)
		}, openwopv1.OWPCNF7},
		{"asks and ends", func(o *openwop.HeldEndObservation) {
			o.Held.Held.Log = honest.waiting().then(event{"run.completed", nil}).log(t)
		}, openwopv1.OWPCNF7},
		{"ends while it waits", func(o *openwop.HeldEndObservation) { o.Held.Lull = lull(t, honest) }, openwopv1.OWPCNF7},
		{"names a worker", func(o *openwop.HeldEndObservation) {
			o.Held = weighed(t, honest.change("core.workflowChain.confidence-escalated", 0, func(p map[string]any) { p["workerId"] = noop }), 4)
		}, openwopv1.OWPCNF3},
		{"does not tell", func(o *openwop.HeldEndObservation) {
			o.Held = weighed(t, honest.drop("core.workflowChain.confidence-escalated"), 4)
		}, openwopv1.OWPCNF3},
		{"tells after it asked", func(o *openwop.HeldEndObservation) {
			o.Held = weighed(t, honest.drop("core.workflowChain.confidence-escalated").before("interrupt.requested", escalated("")), 4)
		}, openwopv1.OWPCNF4},
		{"never ends", func(o *openwop.HeldEndObservation) { o.Held.Log = honest.waiting().log(t) }, openwopv1.OWPCNF7},
		{"ends twice", func(o *openwop.HeldEndObservation) { o.Held.Log = honest.then(event{"run.completed", nil}).log(t) }, openwopv1.OWPCNF7},
		{"holds an end at the floor", func(o *openwop.HeldEndObservation) { o.At.Log = free(t, honest.waiting()).Log }, openwopv1.OWPCNF5},
		{"never asks", func(o *openwop.HeldEndObservation) { o.Held.Held.Suspended.Reached = false }, "blocked"},
		{"refuses the answer", func(o *openwop.HeldEndObservation) { o.Held.Held.Answered = wiretest.Status(t, 404) }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := weighed(t, honest.clear(), 4)
			o := openwop.HeldEndObservation{Floor: 0.5, Held: weighed(t, honest, 4), At: at}
			c.spoil(&o)
			expect(t, "doubtful-end-held", o, c.want)
		})
	}
}

func TestJudgeOfARejection(t *testing.T) {
	no, yes := inDoubt(4, 2, map[string]any{"action": "reject"}), inDoubt(4, 2, map[string]any{"action": "accept"})
	failing := func() story {
		s := no.waiting().then(event{"interrupt.resolved", map[string]any{"resumeValue": map[string]any{"action": "reject"}}}, failed("interrupt_rejected"))
		return s.withStatus("failed")
	}()
	for _, c := range []struct {
		name  string
		spoil func(*openwop.RejectedObservation)
		want  string
	}{
		{"honest", func(*openwop.RejectedObservation) {}, "passed"},
		{"fails", func(o *openwop.RejectedObservation) { o.Rejected = weighed(t, failing, 2) }, "passed"},
		{"carries it out all the same", func(o *openwop.RejectedObservation) {
			o.Rejected = weighed(t, no.before("node.resumed", handoff("dispatch.began", other, "x")), 2)
		}, openwopv1.OWPCNF11},
		{"carries out another in its place", func(o *openwop.RejectedObservation) {
			o.Rejected = weighed(t, no.before("node.resumed", handoff("dispatch.began", noop, "x")), 2)
		}, openwopv1.OWPCNF11},
		{"carries it out later", func(o *openwop.RejectedObservation) {
			o.Rejected.Ended = lull(t, no.then(handoff("dispatch.began", other, "x")))
		}, openwopv1.OWPCNF11},
		{"says no word of it", func(o *openwop.RejectedObservation) {
			o.Rejected = weighed(t, no.drop("interrupt.resolved").drop("node.resumed"), 2)
		}, openwopv1.OWPCNF12},
		{"never ends", func(o *openwop.RejectedObservation) { o.Rejected.Log = no.waiting().log(t) }, openwopv1.OWPCNF12},
		{"refuses to hear no", func(o *openwop.RejectedObservation) { o.Rejected.Held.Answered = wiretest.Status(t, 400) }, "blocked"},
		{"refuses to hear yes", func(o *openwop.RejectedObservation) { o.Agreed.Held.Answered = wiretest.Status(t, 400) }, "blocked"},
		{"never asks", func(o *openwop.RejectedObservation) { o.Rejected.Held.Suspended.Reached = false }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := openwop.RejectedObservation{Floor: 0.5, Rejected: weighed(t, no, 2), Agreed: weighed(t, yes, 2)}
			c.spoil(&o)
			expect(t, "rejected-never", o, c.want)
		})
	}
}

func TestJudgeBelowVersion2(t *testing.T) {
	honest := inDoubt(4, 2, agreed)
	for name, c := range map[string]struct {
		told story
		want string
	}{
		"honest":                        {honest.clear(), "passed"},
		"holds it by its own rules":     {honest.waiting().drop("core.workflowChain.confidence-escalated"), "passed"},
		"tells of a floor":              {honest, openwopv1.OWPCNF13},
		"does not come to the decision": {nodes(1), "blocked"},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, "untold-below-2", free(t, c.told), c.want)
		})
	}
}

// holdsBack is the honest story of an agent that is 0.5 sure under a threshold,
// and is told to go on.
func holdsBack(threshold float64) story {
	return story{id: "r", status: "completed", events: []event{{"run.started", nil},
		{"node.suspended", map[string]any{"reason": "low-confidence", "agentId": "a", "threshold": threshold, "observed": 0.5}},
		{"interrupt.requested", map[string]any{"kind": "low-confidence"}},
		{"interrupt.resolved", nil}, decidedFor(noop), {"node.dispatched", nil}, decided(2, "terminate"), {"run.completed", nil}}}
}

func decidedFor(worker string) event {
	return event{"runOrchestrator.decided", map[string]any{"agentId": "a", "decision": map[string]any{"kind": "next-worker", "nextWorkerIds": []any{worker}}}}
}

func unsureRun(t *testing.T, s story, threshold float64) openwop.UnsureRun {
	held := openwop.Suspension{Turn: 1, Suspended: wire.Wait{What: "the run is suspended", Reached: true, Last: wiretest.Value(t, map[string]any{"status": "waiting-approval"})},
		Log: s.waiting().log(t), Marker: "m1", Answered: wiretest.Status(t, 200)}
	waiting := s.waiting().withStatus("waiting-approval")
	return openwop.UnsureRun{Threshold: threshold, Held: held, Lull: lull(t, waiting), Decided: reached(), After: lull(t, s)}
}

func sureRun(t *testing.T, s story, threshold float64) openwop.UnsureRun {
	return openwop.UnsureRun{Threshold: threshold, Held: openwop.Suspension{Turn: 1, Log: s.log(t),
		Suspended: wire.Wait{What: "the run is suspended", Last: wiretest.Value(t, map[string]any{"status": s.status})}}}
}

func TestJudgesOfAnAgentThatIsNotSure(t *testing.T) {
	held := holdsBack(0.6)
	sure := held.drop("node.suspended").drop("interrupt.requested").drop("interrupt.resolved")
	no := held.drop("node.dispatched")
	no.events = slices.DeleteFunc(no.events, func(e event) bool { return e.kind == "runOrchestrator.decided" && e.payload["agentId"] == "a" })
	suspendedAs := func(edit func(map[string]any)) func(*openwop.UnsureObservation) {
		return func(o *openwop.UnsureObservation) {
			o.Accepted = unsureRun(t, held.change("node.suspended", 0, edit), 0.6)
		}
	}
	after := func(s story) func(*openwop.UnsureObservation) {
		return func(o *openwop.UnsureObservation) { o.Accepted.After = lull(t, s) }
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*openwop.UnsureObservation)
		want           string
	}{
		{"honest", "unsure-held", func(*openwop.UnsureObservation) {}, "passed"},
		{"gives the kind alone", "unsure-held", suspendedAs(func(p map[string]any) { clear(p); p["kind"] = "low-confidence" }), "passed"},
		{"decides at once", "unsure-held", func(o *openwop.UnsureObservation) { o.Accepted = sureRun(t, sure, 0.6) }, openwopv1.OWPCNF14},
		{"decides and asks", "unsure-held", func(o *openwop.UnsureObservation) {
			o.Accepted.Held.Log = held.before("node.suspended", decidedFor(noop)).waiting().log(t)
		}, openwopv1.OWPCNF14},
		{"waits in another status is a finding", "unsure-held", func(o *openwop.UnsureObservation) {
			o.Accepted.Held.Suspended.Last = wiretest.Value(t, map[string]any{"status": "waiting-input"})
		}, "passed"},
		{"waits in no status", "unsure-held", func(o *openwop.UnsureObservation) {
			o.Accepted.Held.Suspended.Last = wiretest.Value(t, map[string]any{"status": "running"})
		}, openwopv1.OWPCNF14},
		{"goes on by itself", "unsure-held", func(o *openwop.UnsureObservation) { o.Accepted.Lull = lull(t, held) }, openwopv1.OWPCNF14},
		{"another threshold where none is given", "unsure-held", func(o *openwop.UnsureObservation) { o.Defaulted = sureRun(t, sure, 0.7) }, openwopv1.OWPCNF18},
		{"gives no reason", "unsure-held", func(o *openwop.UnsureObservation) {
			o.Accepted = unsureRun(t, held.change("node.suspended", 0, func(p map[string]any) { delete(p, "reason") }).change("interrupt.requested", 0, func(p map[string]any) { p["kind"] = "approval" }), 0.6)
		}, openwopv1.OWPCNF15},
		{"tells another threshold", "unsure-held", suspendedAs(func(p map[string]any) { p["threshold"] = 0.7 }), openwopv1.OWPCNF15},
		{"tells another confidence", "unsure-held", suspendedAs(func(p map[string]any) { p["observed"] = 0.4 }), openwopv1.OWPCNF15},
		{"never asks", "unsure-held", func(o *openwop.UnsureObservation) { o.Accepted.Held.Suspended.Reached = false }, "blocked"},
		{"refuses the run", "unsure-held", func(o *openwop.UnsureObservation) { o.Accepted.Held.Log.Created = wiretest.Status(t, 400) }, "blocked"},

		{"honest", "unsure-decides-once", func(*openwop.UnsureObservation) {}, "passed"},
		{"is not sure of the next turn either", "unsure-decides-once", after(held.drop("run.completed").then(event{"node.suspended", nil}).withStatus("waiting-approval")), "passed"},
		{"decides twice", "unsure-decides-once", after(held.before("node.dispatched", decidedFor(noop))), openwopv1.OWPCNF16},
		{"decides otherwise", "unsure-decides-once", after(held.change("runOrchestrator.decided", 0, func(p map[string]any) { p["decision"] = decidedFor("w2").payload["decision"] })), openwopv1.OWPCNF16},
		{"dispatches twice", "unsure-decides-once", after(held.before("run.completed", event{"node.dispatched", nil})), openwopv1.OWPCNF16},
		{"never decides", "unsure-decides-once", func(o *openwop.UnsureObservation) { o.Accepted.Decided.Reached = false }, openwopv1.OWPCNF16},
		{"refuses the answer", "unsure-decides-once", func(o *openwop.UnsureObservation) { o.Accepted.Held.Answered = wiretest.Status(t, 422) }, "blocked"},

		{"honest", "unsure-rejected", func(*openwop.UnsureObservation) {}, "passed"},
		{"carries it out", "unsure-rejected", func(o *openwop.UnsureObservation) { o.Rejected.After = lull(t, held) }, openwopv1.OWPCNF19},
		{"hands it over in silence", "unsure-rejected", func(o *openwop.UnsureObservation) {
			o.Rejected.After = lull(t, no.before("run.completed", handoff("dispatch.began", noop, "")))
		}, openwopv1.OWPCNF19},
		{"carries nothing out ever", "unsure-rejected", after(held.drop("node.dispatched")), "blocked"},
		{"refuses to hear no", "unsure-rejected", func(o *openwop.UnsureObservation) { o.Rejected.Held.Answered = wiretest.Status(t, 400) }, "blocked"},

		{"honest", "sure-enough-decides", func(*openwop.UnsureObservation) {}, "passed"},
		{"holds at the threshold", "sure-enough-decides", func(o *openwop.UnsureObservation) { o.At = unsureRun(t, held, 0.5) }, openwopv1.OWPCNF17},
		{"holds above the threshold", "sure-enough-decides", func(o *openwop.UnsureObservation) { o.Under = unsureRun(t, held, 0.3) }, openwopv1.OWPCNF17},
		{"decides nothing", "sure-enough-decides", func(o *openwop.UnsureObservation) { o.At = sureRun(t, nodes(1), 0.5) }, openwopv1.OWPCNF17},
		{"never ends", "sure-enough-decides", func(o *openwop.UnsureObservation) { o.At = sureRun(t, nodes(1).withStatus("running"), 0.5) }, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := openwop.UnsureObservation{Accepted: unsureRun(t, held, 0.6), Rejected: unsureRun(t, no, 0.6), Defaulted: unsureRun(t, holdsBack(0.7), 0.7), At: sureRun(t, sure, 0.5), Under: sureRun(t, sure, 0.3)}
			o.Rejected.Held.Log = held.waiting().log(t)
			c.spoil(&o)
			expect(t, c.scenario, o, c.want)
		})
	}
}

func TestJudgeOfTheAdvertisedFloor(t *testing.T) {
	for model, want := range map[string]string{
		`{}`: "passed", `{"confidenceEscalationFloor":0.5,"confidenceEscalationInterruptKind":"approval"}`: "passed", `{"confidenceEscalationFloor":1,"confidenceEscalationInterruptKind":"x-host-a-low-confidence"}`: "passed",
		`{"confidenceEscalationFloor":0.49}`: openwopv1.OWPCNF1, `{"confidenceEscalationFloor":1.01}`: openwopv1.OWPCNF1, `{"confidenceEscalationFloor":"0.5"}`: openwopv1.OWPCNF1, `{"confidenceEscalationFloor":null}`: openwopv1.OWPCNF1,
		`{"confidenceEscalationInterruptKind":"clarify"}`: openwopv1.OWPCNF2, `{"confidenceEscalationInterruptKind":"low-confidence"}`: openwopv1.OWPCNF2, `{"confidenceEscalationInterruptKind":"x-host-a"}`: openwopv1.OWPCNF2,
	} {
		t.Run(model, func(t *testing.T) {
			d := scenarios.Discovery{Document: wiretest.Value(t, json.RawMessage(`{"multiAgent":{"executionModel":`+model+`}}`))}
			expect(t, "floor-well-formed", d, want)
		})
	}
}
