package loop_test

import (
	"encoding/json"
	"slices"
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

// asking is an honest story of n turns. Turn k asks and is answered.
func asking(n, k int, marker string) hosttest.Story {
	return held(hosttest.LoopOf(n), k, "ask-user", marker)
}

// doubtful is an honest story of n turns. Turn k has too little confidence; its
// worker runs after an answer.
func doubtful(n, k int, marker string) hosttest.Story {
	return held(hosttest.LoopOf(n), k, "next-worker", marker)
}

func held(s hosttest.Story, k int, kind, marker string) hosttest.Story {
	value := map[string]any{"answers": map[string]any{"q1": marker}}
	turn := 0
	var events []hosttest.Event
	for _, e := range s.Events {
		if e.Kind == "runOrchestrator.decided" {
			turn++
			if turn == k {
				events = append(events, hosttest.Decided(k, kind),
					hosttest.Event{Kind: "node.suspended", Payload: map[string]any{"nodeId": "supervisor"}},
					hosttest.Event{Kind: "interrupt.requested", Payload: map[string]any{"kind": "clarification"}},
					hosttest.Event{Kind: "interrupt.resolved", Payload: map[string]any{"resumeValue": value}},
					hosttest.Event{Kind: "variable.changed", Payload: map[string]any{"name": "answer", "next": marker}},
					hosttest.Event{Kind: "node.resumed", Payload: map[string]any{"resumeValue": value}})
				continue
			}
		}
		if turn == k && kind == "ask-user" && e.Kind == "core.workflowChain.event" {
			continue
		}
		events = append(events, e)
	}
	s.Events = events
	return s
}

// count renumbers the turns.
func count(s hosttest.Story, iterations ...any) hosttest.Story {
	for k, n := range iterations {
		s = s.Change("runOrchestrator.decided", k, func(p map[string]any) { p["iteration"] = n })
	}
	return s
}

// kinds returns the kinds of n turns, with turn k of this kind.
func kinds(n, k int, kind string) []string {
	out := slices.Repeat([]string{"next-worker"}, n)
	out[k-1], out[n-1] = kind, "terminate"
	return out
}

func TestJudgesOfALoopThatAsks(t *testing.T) {
	honest := asking(5, 2, "m1")
	observe := func(s hosttest.Story) loop.AskedObservation {
		return loop.AskedObservation{SuspendedLoop: hosttest.SuspendedLoop(t, s, 2, kinds(5, 2, "ask-user")...),
			Evidence: scenarios.Observed, Lull: hosttest.Lull(t, s.Waiting())}
	}
	decidedAs := func(kind string) hosttest.Story {
		return honest.Change("runOrchestrator.decided", 1, func(p map[string]any) { p["decision"] = map[string]any{"kind": kind} })
	}
	moved := honest.Waiting().Then(hosttest.Event{Kind: "node.resumed", Payload: map[string]any{}}, hosttest.Decided(3, "next-worker"))
	for _, c := range []struct {
		name, scenario string
		spoil          func(*loop.AskedObservation)
		want           string
	}{
		{"honest", "ask-user", func(*loop.AskedObservation) {}, "passed"},
		{"calls the question by the prose's word", "ask-user", func(o *loop.AskedObservation) { o.Log = decidedAs("clarify").Log(t) }, "passed"},
		{"counts from 1 again", "ask-user", func(o *loop.AskedObservation) { o.Log = count(honest, 1, 2, 1, 2, 3).Log(t) },
			requirement.OWP0061D1},
		{"skips a number", "ask-user", func(o *loop.AskedObservation) { o.Log = count(honest, 1, 2, 4, 5, 6).Log(t) }, requirement.OWP0061D1},
		{"counts the question twice", "ask-user", func(o *loop.AskedObservation) { o.Log = count(honest, 1, 2, 2, 3, 4).Log(t) },
			requirement.OWP0061D1},
		{"ends when it is answered", "ask-user", func(o *loop.AskedObservation) {
			o.Log = asking(2, 2, "m1").Then(hosttest.Event{Kind: "run.completed", Payload: nil}).Log(t)
		}, requirement.OWP0061D1},
		{"leaves a turn of the plan out", "ask-user", func(o *loop.AskedObservation) {
			o.Log = honest.Change("runOrchestrator.decided", 2, func(p map[string]any) { p["decision"] = map[string]any{"kind": "ask-user"} }).Log(t)
		}, requirement.OWP0061D1},
		{"is not taken up again", "ask-user", func(o *loop.AskedObservation) { o.Log = honest.Waiting().Log(t) }, requirement.OWP0061D1},
		{"fails after the answer", "ask-user", func(o *loop.AskedObservation) { o.Log = honest.WithStatus("failed").Log(t) },
			requirement.OWP0061D1},
		{"never asks", "ask-user", func(o *loop.AskedObservation) { o.Held.Suspended.Reached = false }, hosttest.BlockedOn("")},
		{"refuses the answer", "ask-user", func(o *loop.AskedObservation) { o.Held.Answered = wiretest.Status(t, 403) }, hosttest.BlockedOn("")},
		{"refuses the run", "ask-user", func(o *loop.AskedObservation) { o.Held.Log.Created = wiretest.Status(t, 404) },
			hosttest.BlockedOn(requirement.OWPCAP19)},

		{"honest", "stands-still", func(*loop.AskedObservation) {}, "passed"},
		{"without a counter, as below version 5", "stands-still", func(o *loop.AskedObservation) {
			o.Log = count(honest, nil, nil, nil, nil, nil).Log(t)
		}, "passed"},
		{"reminds somebody", "stands-still", func(o *loop.AskedObservation) {
			o.Lull.Later = honest.Waiting().Then(hosttest.Event{Kind: "interrupt.requested", Payload: map[string]any{}},
				hosttest.Event{Kind: "lease.renewed", Payload: map[string]any{}}).Log(t)
		}, "passed"},
		{"goes on by itself", "stands-still", func(o *loop.AskedObservation) { o.Lull.Later = moved.Log(t) }, requirement.OWPINT1},
		{"goes on under the waiting status", "stands-still", func(o *loop.AskedObservation) {
			o.Lull.Later = honest.Waiting().Then(hosttest.Chain("dispatch.began", "")).Log(t)
		}, requirement.OWPINT1},
		{"runs again with nothing on the log", "stands-still",
			func(o *loop.AskedObservation) { o.Lull.Later = honest.Waiting().WithStatus("running").Log(t) }, requirement.OWPINT1},
		{"stands still for ever", "stands-still", func(o *loop.AskedObservation) { o.Log = honest.Waiting().Log(t) }, hosttest.BlockedOn("")},
		{"runs no other run either", "stands-still", func(o *loop.AskedObservation) { o.Lull.Sentinel.Reached = false }, hosttest.BlockedOn("")},
		{"never asks", "stands-still", func(o *loop.AskedObservation) { o.Held.Suspended.Reached = false }, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := observe(honest)
			c.spoil(&o)
			hosttest.Expect(t, c.scenario, o, c.want)
		})
	}
	t.Run("the prose's word is a finding", func(t *testing.T) {
		o := observe(honest)
		o.Log = decidedAs("clarify").Log(t)
		if !hosttest.HasNote(t, "ask-user", o, "clarify") || len(hosttest.Findings(t, "ask-user", o)) != 1 {
			t.Errorf("notes: %v", hosttest.Notes(t, "ask-user", o))
		}
	})
	t.Run("only the seam's word", func(t *testing.T) {
		a := seamAnswer(t, 3, 2, `{"decisions":[{"iteration":1},{"iteration":2},{"iteration":3}],"resumedIteration":2}`)
		o := loop.AskedObservation{Evidence: scenarios.Attested, Seam: &a}
		hosttest.Expect(t, "ask-user", o, "passed")
		hosttest.Expect(t, "stands-still", o, "blocked")
		if out := scenarios.Conclude(hosttest.Scenario(t, "ask-user"), openwop.Protocol.Ledger, o); out.Evidence != scenarios.Attested {
			t.Errorf("evidence %s", out.Evidence)
		}
		a.Resumed = wire.Value{}
		hosttest.Expect(t, "ask-user", o, requirement.OWP0061D1)
	})
}

// The step of a suspended run counts, whatever a host calls it.
func TestJudgeOfEveryStep(t *testing.T) {
	honest := asking(5, 2, "m1")
	for kind, want := range map[string]string{
		"runOrchestrator.decided": requirement.OWPINT1, "core.workflowChain.event": requirement.OWPINT1,
		"node.started": requirement.OWPINT1, "node.dispatched": requirement.OWPINT1,
		"node.resumed": requirement.OWPINT1, "node.completed": requirement.OWPINT1, "node.failed": requirement.OWPINT1,
		"interrupt.resolved": requirement.OWPINT1,
		"run.resumed":        requirement.OWPINT1, "variable.changed": requirement.OWPINT1, "cap.breached": requirement.OWPINT1,
		"run.completed": requirement.OWPINT1, "run.failed": requirement.OWPINT1, "run.cancelled": requirement.OWPINT1,
		"log.appended": "passed", "lease.renewed": "passed", "node.suspended": "passed", "x-host-note": "passed",
	} {
		o := loop.AskedObservation{SuspendedLoop: hosttest.SuspendedLoop(t, honest, 2, kinds(5, 2, "ask-user")...),
			Lull: hosttest.Lull(t, honest.Waiting().Then(hosttest.Event{Kind: kind, Payload: map[string]any{}}))}
		hosttest.Expect(t, "stands-still", o, want)
	}
}

func TestJudgeOfTheFloor(t *testing.T) {
	honest := doubtful(5, 3, "m1")
	early := honest.Waiting().Then(hosttest.Chain("dispatch.began", ""))
	twice := honest.Events
	i := slices.IndexFunc(twice, func(e hosttest.Event) bool { return e.Kind == "node.resumed" })
	twice = slices.Insert(slices.Clone(twice), i+1, hosttest.Chain("dispatch.began", ""))
	for _, c := range []struct {
		name  string
		spoil func(*loop.FloorObservation)
		want  string
	}{
		{"honest", func(*loop.FloorObservation) {}, "passed"},
		{"decides when it is answered", func(o *loop.FloorObservation) {
			waiting := honest.Waiting()
			waiting.Events = slices.Delete(waiting.Events, len(waiting.Events)-3, len(waiting.Events)-2)
			o.Held.Log, o.Lull.Later = waiting.Log(t), waiting.Log(t)
		}, "passed"},
		{"drops the decision and goes on", func(o *loop.FloorObservation) {
			o.Log = held(hosttest.LoopOf(5), 3, "ask-user", "m1").Log(t)
			o.Kinds[2] = "ask-user"
		}, "passed"},
		{"carries it out before it asks", func(o *loop.FloorObservation) { o.Held.Log, o.Lull.Later = early.Log(t), early.Log(t) },
			requirement.OWPINT5},
		{"carries it out while it waits", func(o *loop.FloorObservation) { o.Lull.Later = early.Log(t) }, requirement.OWPINT5},
		{"never asks", func(o *loop.FloorObservation) {
			o.Held.Suspended.Reached, o.Held.Log = false, hosttest.LoopOf(5).Log(t)
		}, requirement.OWPINT5},
		{"neither asks nor acts", func(o *loop.FloorObservation) { o.Held.Suspended.Reached = false }, hosttest.BlockedOn("")},
		{"carries it out twice", func(o *loop.FloorObservation) {
			s := honest
			s.Events = twice
			o.Log = s.Log(t)
		}, requirement.OWP0061D1},
		{"ends when it is answered", func(o *loop.FloorObservation) {
			o.Log = honest.Waiting().Then(hosttest.Event{Kind: "run.completed", Payload: nil}).WithStatus("completed").Log(t)
		}, requirement.OWP0061D1},
		{"counts from 1 again", func(o *loop.FloorObservation) { o.Log = count(honest, 1, 2, 3, 1, 2).Log(t) }, requirement.OWP0061D1},
		{"refuses the answer", func(o *loop.FloorObservation) { o.Held.Answered = wiretest.Status(t, 422) }, hosttest.BlockedOn("")},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := loop.FloorObservation{SuspendedLoop: hosttest.SuspendedLoop(t, honest, 3, kinds(5, 3, "next-worker")...), Confidence: 0.2,
				Floor: 0.5, Lull: hosttest.Lull(t, honest.Waiting())}
			c.spoil(&o)
			hosttest.Expect(t, "below-floor", o, c.want)
		})
	}
}

func TestJudgeOfTwoSuspensions(t *testing.T) {
	honest := held(asking(6, 2, "m1"), 4, "ask-user", "m2")
	plan := kinds(6, 2, "ask-user")
	plan[3] = "ask-user"
	for _, c := range []struct {
		name  string
		spoil func(*loop.TwiceObservation)
		want  string
	}{
		{"honest", func(*loop.TwiceObservation) {}, "passed"},
		{"counts from 1 after the second", func(o *loop.TwiceObservation) { o.Log = count(honest, 1, 2, 3, 4, 1, 2).Log(t) },
			requirement.OWP0061D1},
		{"skips one after the first", func(o *loop.TwiceObservation) { o.Log = count(honest, 1, 2, 4, 5, 6, 7).Log(t) }, requirement.OWP0061D1},
		{"asks once only", func(o *loop.TwiceObservation) { o.Again.Suspended.Reached = false }, requirement.OWP0061D1},
		{"never asks", func(o *loop.TwiceObservation) { o.Held.Suspended.Reached = false }, "blocked"},
		{"refuses the second answer", func(o *loop.TwiceObservation) { o.Again.Answered = wiretest.Status(t, 409) }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := loop.TwiceObservation{SuspendedLoop: hosttest.SuspendedLoop(t, honest, 2, plan...), Again: host.Suspension{Turn: 4,
				Suspended: hosttest.Reached(), Marker: "m2", Answered: wiretest.Status(t, 200)}}
			c.spoil(&o)
			hosttest.Expect(t, "two-suspends", o, c.want)
		})
	}
}

func seamAnswer(t *testing.T, turns, suspendsAt int, body string) host.SeamAnswer {
	v := wiretest.Value(t, json.RawMessage(body))
	return host.SeamAnswer{Turns: turns, SuspendsAt: suspendsAt, Status: wiretest.Status(t, 200), Body: v,
		Decisions: v.Key("decisions").Items(), Resumed: v.Key("resumedIteration")}
}

func TestJudgeOfASeamThatSuspends(t *testing.T) {
	const whole, part = `{"decisions":[{"iteration":1},{"iteration":2},{"iteration":3},{"iteration":4}],"resumedIteration":2}`,
		`{"decisions":[{"iteration":1},{"iteration":2}]}`
	answer := func(body string) host.SeamAnswer { return seamAnswer(t, 4, 2, body) }
	naming := func(body string, s hosttest.Story) host.SeamAnswer {
		a := answer(body)
		a.NamesARun, a.Log = true, s.Log(t)
		return a
	}
	status := func(code int) host.SeamAnswer {
		return host.SeamAnswer{Turns: 4, SuspendsAt: 2, Status: wiretest.Status(t, code)}
	}
	unreadable := naming(part, asking(4, 2, "m1").Waiting())
	unreadable.Log.Read = wiretest.Status(t, 500)
	for _, c := range []struct {
		name          string
		resumed, left host.SeamAnswer
		want          string
	}{
		{"honest", answer(whole), answer(part), "passed"},
		{"names its runs", naming(whole, asking(4, 2, "m1")), naming(part, asking(4, 2, "m1").Waiting()), "passed"},
		{"decides when it is answered", answer(whole), answer(`{"decisions":[{"iteration":1}]}`), "passed"},
		{"leaves nothing suspended", answer(whole), status(400), "passed"},
		{"leaves nothing suspended, and names its run", naming(whole, asking(4, 2, "m1")), status(422), "passed"},
		{"ignores the suspension", answer(whole),
			answer(`{"decisions":[{"iteration":1},{"iteration":2},{"iteration":3},{"iteration":4}]}`), requirement.OWP0061D1},
		{"resumes in another turn",
			answer(`{"decisions":[{"iteration":1},{"iteration":2},{"iteration":3},{"iteration":4}],"resumedIteration":1}`), answer(part),
			requirement.OWP0061D1},
		{"counts from 1 again",
			answer(`{"decisions":[{"iteration":1},{"iteration":2},{"iteration":1},{"iteration":2}],"resumedIteration":2}`), answer(part),
			requirement.OWP0061D1},
		{"says nothing of a resume", answer(`{"decisions":[{"iteration":1},{"iteration":2},{"iteration":3},{"iteration":4}]}`),
			answer(part), requirement.OWP0061D1},
		{"resumes unasked", answer(whole), answer(`{"decisions":[{"iteration":1},{"iteration":2}],"resumedIteration":2}`), requirement.OWP0061D1},
		{"a constant", answer(whole), answer(whole), requirement.OWP0061D1},
		{"the log says otherwise", naming(whole, count(asking(4, 2, "m1"), 1, 2, 1, 2)), answer(part), requirement.OWP0061D1},
		{"the suspended run went on", naming(whole, asking(4, 2, "m1")), naming(part, asking(4, 2, "m1")), requirement.OWP0061D1},
		{"does not serve the log of the suspended run", naming(whole, asking(4, 2, "m1")), unreadable, "blocked"},
		{"falls over without a resume", answer(whole), status(500), requirement.OWP0061D1},
		{"does not answer", status(500), answer(part), "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := host.SeamObservation{Path: "/s", Answers: []host.SeamAnswer{c.resumed, c.left}}
			hosttest.Expect(t, "seam-suspends", o, c.want)
			evidence := scenarios.Conclude(hosttest.Scenario(t, "seam-suspends"), openwop.Protocol.Ledger, o).Evidence
			if c.want == "passed" && (evidence == scenarios.Observed) != c.resumed.NamesARun {
				t.Errorf("evidence %s", evidence)
			}
		})
	}
	t.Run("the log says otherwise, the other one is not served", func(t *testing.T) {
		o := host.SeamObservation{Path: "/s", Answers: []host.SeamAnswer{naming(whole, count(asking(4, 2, "m1"), 1, 2, 1, 2)), unreadable}}
		hosttest.Expect(t, "seam-suspends", o, requirement.OWP0061D1)
		out := scenarios.Conclude(hosttest.Scenario(t, "seam-suspends"), openwop.Protocol.Ledger, o)
		if out.Evidence != scenarios.Observed {
			t.Errorf("evidence %s", out.Evidence)
		}
	})
}

func TestJudgeOfTheReplayOfAResumedLoop(t *testing.T) {
	honest := asking(4, 2, "m1")
	for _, c := range []struct {
		name  string
		spoil func(*loop.ResumedForkObservation)
		want  string
	}{
		{"honest", func(*loop.ResumedForkObservation) {}, "passed"},
		{"asks again", func(o *loop.ResumedForkObservation) { o.Replayed = honest.Waiting().Named("f").Log(t) }, requirement.OWP0061M1},
		{"leaves the question out", func(o *loop.ResumedForkObservation) { o.Replayed = hosttest.LoopOf(3).Named("f").Log(t) },
			requirement.OWP0061M1},
		{"counts otherwise", func(o *loop.ResumedForkObservation) { o.Replayed = count(honest.Named("f"), 1, 2, 1, 2).Log(t) },
			requirement.OWP0061M1},
		{"decides otherwise", func(o *loop.ResumedForkObservation) {
			o.Replayed = honest.Named("f").Change("runOrchestrator.decided", 0, func(p map[string]any) {
				p["decision"] = map[string]any{"kind": "next-worker", "nextWorkerIds": []string{"another"}}
			}).Log(t)
		}, requirement.OWP0061M1},
		{"another status", func(o *loop.ResumedForkObservation) { o.Replayed = honest.Named("f").WithStatus("failed").Log(t) },
			requirement.OWP0061M1},
		{"the source itself as the fork", func(o *loop.ResumedForkObservation) { o.Replayed = o.Log }, requirement.OWP0061M1},
		{"no fork", func(o *loop.ResumedForkObservation) { o.Replayed = host.RunLog{Created: wiretest.Status(t, 404)} }, requirement.OWP0061M1},
		{"no forks as yet", func(o *loop.ResumedForkObservation) { o.Replayed = host.RunLog{Created: wiretest.Status(t, 501)} }, "blocked"},
		{"a source cut short", func(o *loop.ResumedForkObservation) {
			o.Log, o.Replayed = hosttest.LoopOf(2).Log(t), hosttest.LoopOf(2).Named("f").Log(t)
		}, "blocked"},
		{"a source that was never resumed", func(o *loop.ResumedForkObservation) { o.Log = honest.Waiting().Log(t) }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := loop.ResumedForkObservation{SuspendedLoop: hosttest.SuspendedLoop(t, honest, 2, kinds(4, 2, "ask-user")...),
				Replayed: honest.Named("f").Log(t)}
			c.spoil(&o)
			hosttest.Expect(t, "fork-of-resumed", o, c.want)
		})
	}
}

func TestJudgeOfHeartbeats(t *testing.T) {
	honest := asking(4, 2, "m1")
	for _, c := range []struct {
		name  string
		spoil func(*loop.HeartbeatObservation)
		want  string
	}{
		{"honest", func(*loop.HeartbeatObservation) {}, "passed"},
		{"resumes the loop", func(o *loop.HeartbeatObservation) { o.Lull.Later = honest.Log(t) }, requirement.OWP0061H1},
		{"takes a turn and asks again", func(o *loop.HeartbeatObservation) {
			o.Lull.Later = honest.Waiting().Then(hosttest.Decided(3, "ask-user")).Log(t)
		}, requirement.OWP0061H1},
		{"gives the loop up", func(o *loop.HeartbeatObservation) { o.Lull.Later = honest.Waiting().WithStatus("cancelled").Log(t) },
			requirement.OWP0061H1},
		{"a seam that falls over", func(o *loop.HeartbeatObservation) { o.Ticks[1] = wiretest.Status(t, 500) }, "blocked"},
		{"a loop that never moves", func(o *loop.HeartbeatObservation) { o.Log = honest.Waiting().Log(t) }, "blocked"},
		{"a loop that never asks", func(o *loop.HeartbeatObservation) { o.Held.Suspended.Reached = false }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := loop.HeartbeatObservation{SuspendedLoop: hosttest.SuspendedLoop(t, honest, 2, kinds(4, 2, "ask-user")...), Seam: "/s",
				Ticks: wire.Values{wiretest.Status(t, 200), wiretest.Status(t, 200)}, Lull: hosttest.Lull(t, honest.Waiting())}
			c.spoil(&o)
			hosttest.Expect(t, "heartbeat-moves-nothing", o, c.want)
		})
	}
}
