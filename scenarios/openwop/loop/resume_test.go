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
	"github.com/openassay/assay/scenarios/openwop/interrupts"
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
		{"no fork", func(o *loop.ResumedForkObservation) { o.Replayed = host.RunLog{Created: wiretest.Status(t, 501)} }, requirement.OWP0061M1},
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

func TestJudgeOfASecondAnswer(t *testing.T) {
	honest := asking(4, 2, "m1")
	withAnswer := func(l host.RunLog, answer string) host.RunLog {
		l.Ended.Last = wiretest.Value(t, map[string]any{"status": "completed", "variables": map[string]any{"answer": answer}})
		return l
	}
	for _, c := range []struct {
		name  string
		spoil func(*interrupts.ResolvedAgainObservation)
		want  string
	}{
		{"honest", func(*interrupts.ResolvedAgainObservation) {}, "passed"},
		{"shows the answer in a variable", func(o *interrupts.ResolvedAgainObservation) {
			o.Log, o.Lull.Later = withAnswer(o.Log, "m1"), withAnswer(o.Lull.Later, "m1")
		}, "passed"},
		{"not found any more", func(o *interrupts.ResolvedAgainObservation) { o.Again = wiretest.Status(t, 404) }, "passed"},
		{"another refusal is a finding", func(o *interrupts.ResolvedAgainObservation) { o.Again = wiretest.Status(t, 422) }, "passed"},
		{"takes it", func(o *interrupts.ResolvedAgainObservation) { o.Again = wiretest.Status(t, 200) }, requirement.OWPINT2},
		{"falls over", func(o *interrupts.ResolvedAgainObservation) { o.Again = wiretest.Status(t, 500) }, requirement.OWPINT2},
		{"refuses it and goes on", func(o *interrupts.ResolvedAgainObservation) {
			o.Lull.Later = honest.Then(hosttest.Decided(5, "terminate")).Log(t)
		}, requirement.OWPINT2},
		{"refuses it and ends again", func(o *interrupts.ResolvedAgainObservation) {
			o.Lull.Later = honest.Then(hosttest.Event{Kind: "run.completed", Payload: nil}).Log(t)
		}, requirement.OWPINT2},
		{"refuses it and fails", func(o *interrupts.ResolvedAgainObservation) { o.Lull.Later = honest.WithStatus("failed").Log(t) },
			requirement.OWPINT2},
		{"refuses it and keeps it as well", func(o *interrupts.ResolvedAgainObservation) {
			o.Lull.Later.Ended.Last = wiretest.Value(t, map[string]any{"status": "completed", "variables": map[string]any{"other": "m2"}})
		}, requirement.OWPINT2},
		{"refuses it and takes it over", func(o *interrupts.ResolvedAgainObservation) { o.Lull.Later = withAnswer(o.Lull.Later, "m2") },
			requirement.OWPINT2},
		{"refuses it and forgets the first", func(o *interrupts.ResolvedAgainObservation) {
			o.Log, o.Lull.Later = withAnswer(o.Log, "m1"), withAnswer(o.Lull.Later, "")
		}, requirement.OWPINT2},
		{"refuses it and rewrites the log", func(o *interrupts.ResolvedAgainObservation) { o.Lull.Later = asking(4, 2, "m2").Log(t) },
			requirement.OWPINT2},
		{"never ends", func(o *interrupts.ResolvedAgainObservation) { o.Log = honest.Waiting().Log(t) }, hosttest.BlockedOn("")},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := interrupts.ResolvedAgainObservation{SuspendedLoop: hosttest.SuspendedLoop(t, honest, 2, kinds(4, 2, "ask-user")...),
				Marker: "m2", Again: wiretest.Status(t, 409), Lull: hosttest.Lull(t, honest)}
			c.spoil(&o)
			hosttest.Expect(t, "second-resolve", o, c.want)
		})
	}
}

func TestJudgeOfRivals(t *testing.T) {
	honest := asking(4, 2, "m2")
	statuses := func(codes ...int) wire.Values {
		var out wire.Values
		for _, code := range codes {
			out = append(out, wiretest.Status(t, code))
		}
		return out
	}
	// again is the honest story with one event duplicated.
	again := func(kind string) hosttest.Story {
		s := honest.Then()
		i := slices.IndexFunc(s.Events, func(e hosttest.Event) bool { return e.Kind == kind })
		s.Events = slices.Insert(s.Events, i, s.Events[i])
		return s
	}
	runs := func(s hosttest.Story) func(*interrupts.RivalsObservation) {
		return func(o *interrupts.RivalsObservation) { o.Log, o.Lull = s.Log(t), hosttest.Lull(t, s) }
	}
	for _, c := range []struct {
		name  string
		spoil func(*interrupts.RivalsObservation)
		want  string
	}{
		{"honest", func(*interrupts.RivalsObservation) {}, "passed"},
		{"shows no answer", runs(honest.Drop("interrupt.resolved").Drop("node.resumed").Drop("variable.changed")), "passed"},
		{"a loser that falls over is a finding", func(o *interrupts.RivalsObservation) { o.Replies = statuses(500, 200, 409, 404) }, "passed"},
		{"two winners", func(o *interrupts.RivalsObservation) { o.Replies = statuses(409, 200, 200, 409) }, requirement.OWPINT3},
		{"all win", func(o *interrupts.RivalsObservation) { o.Replies = statuses(200, 200, 200, 200) }, requirement.OWPINT3},
		{"nobody wins", func(o *interrupts.RivalsObservation) { o.Replies = statuses(409, 409, 409, 409) }, requirement.OWPINT3},
		{"refuses what is answered", func(o *interrupts.RivalsObservation) { o.Replies = statuses(422, 422, 422, 422) }, "blocked"},
		{"goes on with a loser's answer", runs(asking(4, 2, "m3")), requirement.OWPINT3},
		{"goes on with nobody's answer", runs(asking(4, 2, "yes")), requirement.OWPINT3},
		{"keeps a loser's answer in a variable", runs(honest.Then(hosttest.Event{Kind: "variable.changed",
			Payload: map[string]any{"name": "other", "next": "m4"}})), requirement.OWPINT3},
		{"takes a turn twice", runs(asking(5, 2, "m2")), requirement.OWPINT3},
		{"leaves a turn out, which is another's to say", runs(asking(3, 2, "m2")), "passed"},
		{"resolves twice", runs(again("interrupt.resolved")), requirement.OWPINT3},
		{"resumes twice", runs(again("node.resumed")), requirement.OWPINT3},
		{"ends twice", runs(honest.Then(hosttest.Event{Kind: "run.completed", Payload: nil})), requirement.OWPINT3},
		{"goes on after its end", func(o *interrupts.RivalsObservation) {
			o.Lull.Later = honest.Then(hosttest.Decided(3, "next-worker")).Log(t)
		}, requirement.OWPINT3},
		{"does not go on", func(o *interrupts.RivalsObservation) { o.Log = honest.Waiting().Log(t) }, requirement.OWPINT3},
		{"never asks", func(o *interrupts.RivalsObservation) { o.Held.Suspended.Reached = false }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := interrupts.RivalsObservation{SuspendedLoop: hosttest.SuspendedLoop(t, honest, 2, kinds(4, 2, "ask-user")...),
				Markers: []string{"m1", "m2", "m3", "m4"},
				Replies: statuses(409, 200, 409, 404), Lull: hosttest.Lull(t, honest)}
			c.spoil(&o)
			hosttest.Expect(t, "concurrent-resolvers", o, c.want)
		})
	}
}

func TestJudgeOfTwoSuspendedLoops(t *testing.T) {
	first, second := asking(4, 2, "m1"), asking(4, 2, "m2").Named("r2")
	for _, c := range []struct {
		name  string
		spoil func(*interrupts.TwoSuspendedObservation)
		want  string
	}{
		{"honest", func(*interrupts.TwoSuspendedObservation) {}, "passed"},
		{"the answer moves the other run", func(o *interrupts.TwoSuspendedObservation) { o.Lull.Later = asking(4, 2, "m2").Log(t) },
			requirement.OWPINT4},
		{"the answer moves the other run instead", func(o *interrupts.TwoSuspendedObservation) {
			o.Second.Log, o.Lull.Later = second.Waiting().Log(t), asking(4, 2, "m2").Log(t)
		}, requirement.OWPINT4},
		{"the other run no longer waits", func(o *interrupts.TwoSuspendedObservation) {
			o.Lull.Later = first.Waiting().WithStatus("running").Log(t)
		}, requirement.OWPINT4},
		{"the first goes on with the second's answer",
			func(o *interrupts.TwoSuspendedObservation) { o.First.Log = asking(4, 2, "m2").Log(t) }, requirement.OWPINT4},
		{"the second keeps the first's answer", func(o *interrupts.TwoSuspendedObservation) {
			o.Second.Log = second.Then(hosttest.Event{Kind: "variable.changed", Payload: map[string]any{"name": "answer", "next": "m1"}}).Log(t)
		}, requirement.OWPINT4},
		{"the first has the second's answer in a variable", func(o *interrupts.TwoSuspendedObservation) {
			o.First.Log.Ended.Last = wiretest.Value(t, map[string]any{"status": "completed", "variables": map[string]any{"answer": "m2"}})
		}, requirement.OWPINT4},
		{"the first never ends", func(o *interrupts.TwoSuspendedObservation) { o.First.Log = first.Waiting().Log(t) }, requirement.OWPINT4},
		{"the second was answered by somebody else",
			func(o *interrupts.TwoSuspendedObservation) { o.Second.Held.Answered = wiretest.Status(t, 409) }, requirement.OWPINT4},
		{"the second's answer is refused", func(o *interrupts.TwoSuspendedObservation) {
			o.Second.Held.Answered = wiretest.Status(t,
				422)
		}, "blocked"},
		{"the second is not suspended", func(o *interrupts.TwoSuspendedObservation) { o.Second.Held.Suspended.Reached = false }, "blocked"},
		{"the first's answer is refused", func(o *interrupts.TwoSuspendedObservation) {
			o.First.Held.Answered = wiretest.Status(t,
				404)
		}, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan := kinds(4, 2, "ask-user")
			o := interrupts.TwoSuspendedObservation{First: hosttest.SuspendedLoop(t, first, 2, plan...), Second: hosttest.SuspendedLoop(t,
				second, 2, plan...), Lull: hosttest.Lull(t, first.Waiting())}
			o.Second.Held.Marker = "m2"
			c.spoil(&o)
			hosttest.Expect(t, "two-at-once", o, c.want)
		})
	}
}
