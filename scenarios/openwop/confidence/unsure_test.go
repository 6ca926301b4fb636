package confidence_test

import (
	"slices"
	"testing"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/confidence"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// unsureAgent is the agent of the fixture.
const unsureAgent = "core.conformance.low-conf-supervisor"

// holdsBack returns the honest story of an agent with confidence 0.5 below the threshold
// that is told to continue.
func holdsBack(threshold float64) hosttest.Story {
	return hosttest.Story{Id: "r", Status: "completed", Events: []hosttest.Event{{Kind: "run.started", Payload: nil},
		{Kind: "node.suspended", Payload: map[string]any{"reason": "low-confidence", "agentId": unsureAgent, "threshold": threshold,
			"observed": 0.5}},
		{Kind: "interrupt.requested", Payload: map[string]any{"kind": "low-confidence"}},
		{Kind: "interrupt.resolved", Payload: nil}, decidedFor(noop), {Kind: "node.dispatched", Payload: nil},
		hosttest.Decided(2, "terminate"), {Kind: "run.completed", Payload: nil}}}
}

func decidedFor(worker string) hosttest.Event {
	return hosttest.Event{Kind: "runOrchestrator.decided", Payload: map[string]any{"agentId": unsureAgent,
		"decision": map[string]any{"kind": "next-worker", "nextWorkerIds": []any{worker}}}}
}

func unsureRun(t *testing.T, s hosttest.Story, threshold float64) confidence.UnsureRun {
	held := host.Suspension{Turn: 1, Suspended: wire.Wait{What: "the run is suspended", Reached: true, Last: wiretest.Value(t,
		map[string]any{"status": "waiting-approval"})},
		Log: s.Waiting().Log(t), Marker: "m1", Answered: wiretest.Status(t, 200)}
	waiting := s.Waiting().WithStatus("waiting-approval")
	return confidence.UnsureRun{Threshold: threshold, Held: held, Lull: hosttest.Lull(t, waiting), Decided: hosttest.Reached(),
		After: hosttest.Lull(t, s)}
}

func sureRun(t *testing.T, s hosttest.Story, threshold float64) confidence.UnsureRun {
	return confidence.UnsureRun{Threshold: threshold, Held: host.Suspension{Turn: 1, Log: s.Log(t),
		Suspended: wire.Wait{What: "the run is suspended", Last: wiretest.Value(t, map[string]any{"status": s.Status})}}}
}

func TestJudgesOfAnAgentThatIsNotSure(t *testing.T) {
	held := holdsBack(0.6)
	sure := held.Drop("node.suspended").Drop("interrupt.requested").Drop("interrupt.resolved")
	no := held.Drop("node.dispatched")
	no.Events = slices.DeleteFunc(no.Events, func(e hosttest.Event) bool {
		return e.Kind == "runOrchestrator.decided" &&
			e.Payload["agentId"] == "a"
	})
	suspendedAs := func(edit func(map[string]any)) func(*confidence.UnsureObservation) {
		return func(o *confidence.UnsureObservation) {
			o.Accepted = unsureRun(t, held.Change("node.suspended", 0, edit), 0.6)
		}
	}
	after := func(s hosttest.Story) func(*confidence.UnsureObservation) {
		return func(o *confidence.UnsureObservation) { o.Accepted.After = hosttest.Lull(t, s) }
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*confidence.UnsureObservation)
		want           string
	}{
		{"honest", "unsure-held", func(*confidence.UnsureObservation) {}, "passed"},
		{"gives the kind alone", "unsure-held", suspendedAs(func(p map[string]any) { clear(p); p["kind"] = "low-confidence" }), "passed"},
		{"decides at once", "unsure-held", func(o *confidence.UnsureObservation) { o.Accepted = sureRun(t, sure, 0.6) }, requirement.OWPCNF14},
		{"decides and asks", "unsure-held", func(o *confidence.UnsureObservation) {
			o.Accepted.Held.Log = before(held, "node.suspended", decidedFor(noop)).Waiting().Log(t)
		}, requirement.OWPCNF14},
		{"waits in another status is a finding", "unsure-held", func(o *confidence.UnsureObservation) {
			o.Accepted.Held.Suspended.Last = wiretest.Value(t, map[string]any{"status": "waiting-input"})
		}, "passed"},
		{"waits in no status", "unsure-held", func(o *confidence.UnsureObservation) {
			o.Accepted.Held.Suspended.Last = wiretest.Value(t, map[string]any{"status": "running"})
		}, requirement.OWPCNF14},
		{"goes on by itself", "unsure-held", func(o *confidence.UnsureObservation) { o.Accepted.Lull = hosttest.Lull(t, held) },
			requirement.OWPCNF14},
		{"another threshold where none is given", "unsure-held",
			func(o *confidence.UnsureObservation) { o.Defaulted = sureRun(t, sure, 0.7) }, requirement.OWPCNF18},
		{"gives no reason", "unsure-held", func(o *confidence.UnsureObservation) {
			o.Accepted = unsureRun(t, held.Change("node.suspended", 0,
				func(p map[string]any) { delete(p, "reason") }).Change("interrupt.requested", 0,
				func(p map[string]any) { p["kind"] = "approval" }), 0.6)
		}, requirement.OWPCNF15},
		{"tells another threshold", "unsure-held", suspendedAs(func(p map[string]any) { p["threshold"] = 0.7 }), requirement.OWPCNF15},
		{"tells another confidence", "unsure-held", suspendedAs(func(p map[string]any) { p["observed"] = 0.4 }), requirement.OWPCNF15},
		{"never asks", "unsure-held", func(o *confidence.UnsureObservation) { o.Accepted.Held.Suspended.Reached = false }, "blocked"},
		{"refuses the run", "unsure-held", func(o *confidence.UnsureObservation) {
			o.Accepted.Held.Log.Created = wiretest.Status(t,
				400)
		}, "blocked"},

		{"knows nothing of the agent", "unsure-held", func(o *confidence.UnsureObservation) {
			o.Accepted.Held.Log = hosttest.LoopOf(2).Log(t)
		}, hosttest.BlockedOn("")},

		{"honest", "unsure-decides-once", func(*confidence.UnsureObservation) {}, "passed"},
		{"is not sure of the next turn either", "unsure-decides-once",
			after(held.Drop("run.completed").Then(hosttest.Event{Kind: "node.suspended", Payload: nil}).WithStatus("waiting-approval")), "passed"},
		{"decides twice", "unsure-decides-once", after(before(held, "node.dispatched", decidedFor(noop))), requirement.OWPCNF16},
		{"decides otherwise", "unsure-decides-once", after(held.Change("runOrchestrator.decided", 0,
			func(p map[string]any) { p["decision"] = decidedFor("w2").Payload["decision"] })), requirement.OWPCNF16},
		{"dispatches twice", "unsure-decides-once", after(before(held, "run.completed", hosttest.Event{Kind: "node.dispatched",
			Payload: nil})), requirement.OWPCNF16},
		{"never decides", "unsure-decides-once", func(o *confidence.UnsureObservation) { o.Accepted.Decided.Reached = false },
			requirement.OWPCNF16},
		{"refuses the answer", "unsure-decides-once",
			func(o *confidence.UnsureObservation) { o.Accepted.Held.Answered = wiretest.Status(t, 422) }, "blocked"},

		{"honest", "unsure-rejected", func(*confidence.UnsureObservation) {}, "passed"},
		{"carries it out", "unsure-rejected", func(o *confidence.UnsureObservation) { o.Rejected.After = hosttest.Lull(t, held) },
			requirement.OWPCNF19},
		{"hands it over in silence", "unsure-rejected", func(o *confidence.UnsureObservation) {
			o.Rejected.After = hosttest.Lull(t, before(no, "run.completed", handoffPhase("dispatch.began", noop, "")))
		}, requirement.OWPCNF19},
		{"carries nothing out ever", "unsure-rejected", after(held.Drop("node.dispatched")), "blocked"},
		{"refuses to hear no", "unsure-rejected",
			func(o *confidence.UnsureObservation) { o.Rejected.Held.Answered = wiretest.Status(t, 400) }, "blocked"},

		{"honest", "sure-enough-decides", func(*confidence.UnsureObservation) {}, "passed"},
		{"holds at the threshold", "sure-enough-decides", func(o *confidence.UnsureObservation) { o.At = unsureRun(t, held, 0.5) },
			requirement.OWPCNF17},
		{"holds above the threshold", "sure-enough-decides",
			func(o *confidence.UnsureObservation) { o.Under = unsureRun(t, held, 0.3) }, requirement.OWPCNF17},
		{"takes 0 for none", "sure-enough-decides",
			func(o *confidence.UnsureObservation) { o.Lowest = unsureRun(t, held, 0) }, requirement.OWPCNF17},
		{"takes 1 for a hundredth", "unsure-held", func(o *confidence.UnsureObservation) { o.Highest = sureRun(t, sure, 1) },
			requirement.OWPCNF14},
		{"decides nothing", "sure-enough-decides", func(o *confidence.UnsureObservation) { o.At = sureRun(t, hosttest.Nodes(1), 0.5) },
			requirement.OWPCNF17},
		{"never ends", "sure-enough-decides",
			func(o *confidence.UnsureObservation) { o.At = sureRun(t, hosttest.Nodes(1).WithStatus("running"), 0.5) }, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := confidence.UnsureObservation{Accepted: unsureRun(t, held, 0.6), Rejected: unsureRun(t, no, 0.6), Defaulted: unsureRun(t,
				holdsBack(0.7), 0.7), Highest: unsureRun(t, holdsBack(1), 1), At: sureRun(t, sure, 0.5), Under: sureRun(t, sure, 0.3),
				Lowest: sureRun(t, sure, 0)}
			o.Rejected.Held.Log = held.Waiting().Log(t)
			c.spoil(&o)
			hosttest.Expect(t, c.scenario, o, c.want)
		})
	}
}
