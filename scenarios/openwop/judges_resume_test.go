package openwop_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// asking is the honest story of n turns of which turn k asks, and is answered.
func asking(n, k int, marker string) story {
	return held(loop(n), k, "ask-user", marker)
}

// doubtful is the honest story of n turns of which turn k has too little
// confidence; its worker runs when somebody has answered.
func doubtful(n, k int, marker string) story {
	return held(loop(n), k, "next-worker", marker)
}

func held(s story, k int, kind, marker string) story {
	value := map[string]any{"answers": map[string]any{"q1": marker}}
	turn := 0
	var events []event
	for _, e := range s.events {
		if e.kind == "runOrchestrator.decided" {
			turn++
			if turn == k {
				events = append(events, decided(k, kind),
					event{"node.suspended", map[string]any{"nodeId": "supervisor"}}, event{"interrupt.requested", map[string]any{"kind": "clarification"}},
					event{"interrupt.resolved", map[string]any{"resumeValue": value}}, event{"variable.changed", map[string]any{"name": "answer", "next": marker}},
					event{"node.resumed", map[string]any{"resumeValue": value}})
				continue
			}
		}
		if turn == k && kind == "ask-user" && e.kind == "core.workflowChain.event" {
			continue
		}
		events = append(events, e)
	}
	s.events = events
	return s
}

// waiting is the story up to its first question, which is still open.
func (s story) waiting() story {
	i := slices.IndexFunc(s.events, func(e event) bool { return e.kind == "interrupt.requested" })
	s.events = slices.Clone(s.events[:i+1])
	return s.withStatus("waiting-input")
}

// named is the story of a run with another id.
func (s story) named(id string) story { s.id = id; return s }

// count renumbers the turns.
func (s story) count(iterations ...any) story {
	for k, n := range iterations {
		s = s.change("runOrchestrator.decided", k, func(p map[string]any) { p["iteration"] = n })
	}
	return s
}

func suspendedLoop(t *testing.T, s story, turn int, kinds ...string) openwop.SuspendedLoop {
	return openwop.SuspendedLoop{
		Way: "w", Turns: len(kinds), Kinds: kinds, Log: s.log(t),
		Held: openwop.Suspension{Turn: turn, Suspended: reached(), Log: s.waiting().log(t), Marker: "m1", Answered: wiretest.Status(t, 200)},
	}
}

func reached() wire.Wait { return wire.Wait{What: "the run is suspended", Reached: true} }

func lull(t *testing.T, later story) openwop.Lull {
	return openwop.Lull{Sentinel: reached(), Window: 250 * time.Millisecond, Later: later.log(t)}
}

// kinds are those of n turns of which turn k is of this kind.
func kinds(n, k int, kind string) []string {
	out := slices.Repeat([]string{"next-worker"}, n)
	out[k-1], out[n-1] = kind, "terminate"
	return out
}

func TestJudgesOfALoopThatAsks(t *testing.T) {
	honest := asking(5, 2, "m1")
	observe := func(s story) openwop.AskedObservation {
		return openwop.AskedObservation{SuspendedLoop: suspendedLoop(t, s, 2, kinds(5, 2, "ask-user")...), Evidence: scenarios.Observed, Lull: lull(t, s.waiting())}
	}
	decidedAs := func(kind string) story {
		return honest.change("runOrchestrator.decided", 1, func(p map[string]any) { p["decision"] = map[string]any{"kind": kind} })
	}
	moved := honest.waiting().then(event{"node.resumed", map[string]any{}}, decided(3, "next-worker"))
	for _, c := range []struct {
		name, scenario string
		spoil          func(*openwop.AskedObservation)
		want           string
	}{
		{"honest", "ask-user", func(*openwop.AskedObservation) {}, "passed"},
		{"calls the question by the prose's word", "ask-user", func(o *openwop.AskedObservation) { o.Log = decidedAs("clarify").log(t) }, "passed"},
		{"counts from 1 again", "ask-user", func(o *openwop.AskedObservation) { o.Log = honest.count(1, 2, 1, 2, 3).log(t) }, openwopv1.OWP0061D1},
		{"skips a number", "ask-user", func(o *openwop.AskedObservation) { o.Log = honest.count(1, 2, 4, 5, 6).log(t) }, openwopv1.OWP0061D1},
		{"counts the question twice", "ask-user", func(o *openwop.AskedObservation) { o.Log = honest.count(1, 2, 2, 3, 4).log(t) }, openwopv1.OWP0061D1},
		{"ends when it is answered", "ask-user", func(o *openwop.AskedObservation) { o.Log = asking(2, 2, "m1").then(event{"run.completed", nil}).log(t) }, openwopv1.OWP0061D1},
		{"leaves a turn of the plan out", "ask-user", func(o *openwop.AskedObservation) {
			o.Log = honest.change("runOrchestrator.decided", 2, func(p map[string]any) { p["decision"] = map[string]any{"kind": "ask-user"} }).log(t)
		}, openwopv1.OWP0061D1},
		{"is not taken up again", "ask-user", func(o *openwop.AskedObservation) { o.Log = honest.waiting().log(t) }, openwopv1.OWP0061D1},
		{"fails after the answer", "ask-user", func(o *openwop.AskedObservation) { o.Log = honest.withStatus("failed").log(t) }, openwopv1.OWP0061D1},
		{"never asks", "ask-user", func(o *openwop.AskedObservation) { o.Held.Suspended.Reached = false }, "blocked"},
		{"refuses the answer", "ask-user", func(o *openwop.AskedObservation) { o.Held.Answered = wiretest.Status(t, 403) }, "blocked"},
		{"refuses the run", "ask-user", func(o *openwop.AskedObservation) { o.Held.Log.Created = wiretest.Status(t, 404) }, "blocked"},

		{"honest", "stands-still", func(*openwop.AskedObservation) {}, "passed"},
		{"without a counter, as below version 5", "stands-still", func(o *openwop.AskedObservation) {
			o.Log = honest.count(nil, nil, nil, nil, nil).log(t)
		}, "passed"},
		{"reminds somebody", "stands-still", func(o *openwop.AskedObservation) {
			o.Lull.Later = honest.waiting().then(event{"interrupt.requested", map[string]any{}}, event{"lease.renewed", map[string]any{}}).log(t)
		}, "passed"},
		{"goes on by itself", "stands-still", func(o *openwop.AskedObservation) { o.Lull.Later = moved.log(t) }, openwopv1.OWPINT1},
		{"goes on under the waiting status", "stands-still", func(o *openwop.AskedObservation) {
			o.Lull.Later = honest.waiting().then(chain("dispatch.began", "")).log(t)
		}, openwopv1.OWPINT1},
		{"runs again with nothing on the log", "stands-still", func(o *openwop.AskedObservation) { o.Lull.Later = honest.waiting().withStatus("running").log(t) }, openwopv1.OWPINT1},
		{"stands still for ever", "stands-still", func(o *openwop.AskedObservation) { o.Log = honest.waiting().log(t) }, "blocked"},
		{"runs no other run either", "stands-still", func(o *openwop.AskedObservation) { o.Lull.Sentinel.Reached = false }, "blocked"},
		{"never asks", "stands-still", func(o *openwop.AskedObservation) { o.Held.Suspended.Reached = false }, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := observe(honest)
			c.spoil(&o)
			expect(t, c.scenario, o, c.want)
		})
	}
	t.Run("the prose's word is a finding", func(t *testing.T) {
		o := observe(honest)
		o.Log = decidedAs("clarify").log(t)
		out := scenarios.Conclude(scenario(t, "ask-user"), openwop.Protocol.Ledger, o)
		if len(out.Findings) != 1 || out.Findings[0].Requirement != openwopv1.OWP0061D1 {
			t.Errorf("findings: %v", out.Findings)
		}
	})
	t.Run("only the seam's word", func(t *testing.T) {
		a := seamAnswer(t, 3, 2, `{"decisions":[{"iteration":1},{"iteration":2},{"iteration":3}],"resumedIteration":2}`)
		o := openwop.AskedObservation{Evidence: scenarios.Attested, Seam: &a}
		expect(t, "ask-user", o, "passed")
		expect(t, "stands-still", o, "blocked")
		if out := scenarios.Conclude(scenario(t, "ask-user"), openwop.Protocol.Ledger, o); out.Evidence != scenarios.Attested {
			t.Errorf("evidence %s", out.Evidence)
		}
		a.Resumed = wire.Value{}
		expect(t, "ask-user", o, openwopv1.OWP0061D1)
	})
}

// Whatever a host calls the step that a suspended run takes, it is one.
func TestJudgeOfEveryStep(t *testing.T) {
	honest := asking(5, 2, "m1")
	for kind, want := range map[string]string{
		"runOrchestrator.decided": openwopv1.OWPINT1, "core.workflowChain.event": openwopv1.OWPINT1, "node.started": openwopv1.OWPINT1, "node.dispatched": openwopv1.OWPINT1,
		"node.resumed": openwopv1.OWPINT1, "node.completed": openwopv1.OWPINT1, "node.failed": openwopv1.OWPINT1, "interrupt.resolved": openwopv1.OWPINT1,
		"run.resumed": openwopv1.OWPINT1, "variable.changed": openwopv1.OWPINT1, "cap.breached": openwopv1.OWPINT1,
		"run.completed": openwopv1.OWPINT1, "run.failed": openwopv1.OWPINT1, "run.cancelled": openwopv1.OWPINT1,
		"log.appended": "passed", "lease.renewed": "passed", "node.suspended": "passed", "x-host-note": "passed",
	} {
		o := openwop.AskedObservation{SuspendedLoop: suspendedLoop(t, honest, 2, kinds(5, 2, "ask-user")...), Lull: lull(t, honest.waiting().then(event{kind, map[string]any{}}))}
		expect(t, "stands-still", o, want)
	}
}

func TestJudgeOfTheFloor(t *testing.T) {
	honest := doubtful(5, 3, "m1")
	early := honest.waiting().then(chain("dispatch.began", ""))
	twice := honest.events
	i := slices.IndexFunc(twice, func(e event) bool { return e.kind == "node.resumed" })
	twice = slices.Insert(slices.Clone(twice), i+1, chain("dispatch.began", ""))
	for _, c := range []struct {
		name  string
		spoil func(*openwop.FloorObservation)
		want  string
	}{
		{"honest", func(*openwop.FloorObservation) {}, "passed"},
		{"decides when it is answered", func(o *openwop.FloorObservation) {
			waiting := honest.waiting()
			waiting.events = slices.Delete(waiting.events, len(waiting.events)-3, len(waiting.events)-2)
			o.Held.Log, o.Lull.Later = waiting.log(t), waiting.log(t)
		}, "passed"},
		{"drops the decision and goes on", func(o *openwop.FloorObservation) {
			o.Log = held(loop(5), 3, "ask-user", "m1").log(t)
			o.Kinds[2] = "ask-user"
		}, "passed"},
		{"carries it out before it asks", func(o *openwop.FloorObservation) { o.Held.Log, o.Lull.Later = early.log(t), early.log(t) }, openwopv1.OWPINT5},
		{"carries it out while it waits", func(o *openwop.FloorObservation) { o.Lull.Later = early.log(t) }, openwopv1.OWPINT5},
		{"never asks", func(o *openwop.FloorObservation) { o.Held.Suspended.Reached, o.Held.Log = false, loop(5).log(t) }, openwopv1.OWPINT5},
		{"neither asks nor acts", func(o *openwop.FloorObservation) { o.Held.Suspended.Reached = false }, "blocked"},
		{"carries it out twice", func(o *openwop.FloorObservation) {
			s := honest
			s.events = twice
			o.Log = s.log(t)
		}, openwopv1.OWP0061D1},
		{"ends when it is answered", func(o *openwop.FloorObservation) {
			o.Log = honest.waiting().then(event{"run.completed", nil}).withStatus("completed").log(t)
		}, openwopv1.OWP0061D1},
		{"counts from 1 again", func(o *openwop.FloorObservation) { o.Log = honest.count(1, 2, 3, 1, 2).log(t) }, openwopv1.OWP0061D1},
		{"refuses the answer", func(o *openwop.FloorObservation) { o.Held.Answered = wiretest.Status(t, 422) }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := openwop.FloorObservation{SuspendedLoop: suspendedLoop(t, honest, 3, kinds(5, 3, "next-worker")...), Confidence: 0.2, Floor: 0.5, Lull: lull(t, honest.waiting())}
			c.spoil(&o)
			expect(t, "below-floor", o, c.want)
		})
	}
}

func TestJudgeOfTwoSuspensions(t *testing.T) {
	honest := held(asking(6, 2, "m1"), 4, "ask-user", "m2")
	plan := kinds(6, 2, "ask-user")
	plan[3] = "ask-user"
	for _, c := range []struct {
		name  string
		spoil func(*openwop.TwiceObservation)
		want  string
	}{
		{"honest", func(*openwop.TwiceObservation) {}, "passed"},
		{"counts from 1 after the second", func(o *openwop.TwiceObservation) { o.Log = honest.count(1, 2, 3, 4, 1, 2).log(t) }, openwopv1.OWP0061D1},
		{"skips one after the first", func(o *openwop.TwiceObservation) { o.Log = honest.count(1, 2, 4, 5, 6, 7).log(t) }, openwopv1.OWP0061D1},
		{"asks once only", func(o *openwop.TwiceObservation) { o.Again.Suspended.Reached = false }, openwopv1.OWP0061D1},
		{"never asks", func(o *openwop.TwiceObservation) { o.Held.Suspended.Reached = false }, "blocked"},
		{"refuses the second answer", func(o *openwop.TwiceObservation) { o.Again.Answered = wiretest.Status(t, 409) }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := openwop.TwiceObservation{SuspendedLoop: suspendedLoop(t, honest, 2, plan...), Again: openwop.Suspension{Turn: 4, Suspended: reached(), Marker: "m2", Answered: wiretest.Status(t, 200)}}
			c.spoil(&o)
			expect(t, "two-suspends", o, c.want)
		})
	}
}

func seamAnswer(t *testing.T, turns, suspendsAt int, body string) openwop.SeamAnswer {
	v := wiretest.Value(t, json.RawMessage(body))
	return openwop.SeamAnswer{Turns: turns, SuspendsAt: suspendsAt, Status: wiretest.Status(t, 200), Body: v, Decisions: v.Key("decisions").Items(), Resumed: v.Key("resumedIteration")}
}

func TestJudgeOfASeamThatSuspends(t *testing.T) {
	const whole, part = `{"decisions":[{"iteration":1},{"iteration":2},{"iteration":3},{"iteration":4}],"resumedIteration":2}`, `{"decisions":[{"iteration":1},{"iteration":2}]}`
	answer := func(body string) openwop.SeamAnswer { return seamAnswer(t, 4, 2, body) }
	naming := func(body string, s story) openwop.SeamAnswer {
		a := answer(body)
		a.NamesARun, a.Log = true, s.log(t)
		return a
	}
	status := func(code int) openwop.SeamAnswer {
		return openwop.SeamAnswer{Turns: 4, SuspendsAt: 2, Status: wiretest.Status(t, code)}
	}
	for _, c := range []struct {
		name          string
		resumed, left openwop.SeamAnswer
		want          string
	}{
		{"honest", answer(whole), answer(part), "passed"},
		{"names its runs", naming(whole, asking(4, 2, "m1")), naming(part, asking(4, 2, "m1").waiting()), "passed"},
		{"decides when it is answered", answer(whole), answer(`{"decisions":[{"iteration":1}]}`), "passed"},
		{"leaves nothing suspended", answer(whole), status(400), "passed"},
		{"leaves nothing suspended, and names its run", naming(whole, asking(4, 2, "m1")), status(422), "passed"},
		{"ignores the suspension", answer(whole), answer(`{"decisions":[{"iteration":1},{"iteration":2},{"iteration":3},{"iteration":4}]}`), openwopv1.OWP0061D1},
		{"resumes in another turn", answer(`{"decisions":[{"iteration":1},{"iteration":2},{"iteration":3},{"iteration":4}],"resumedIteration":1}`), answer(part), openwopv1.OWP0061D1},
		{"counts from 1 again", answer(`{"decisions":[{"iteration":1},{"iteration":2},{"iteration":1},{"iteration":2}],"resumedIteration":2}`), answer(part), openwopv1.OWP0061D1},
		{"says nothing of a resume", answer(`{"decisions":[{"iteration":1},{"iteration":2},{"iteration":3},{"iteration":4}]}`), answer(part), openwopv1.OWP0061D1},
		{"resumes unasked", answer(whole), answer(`{"decisions":[{"iteration":1},{"iteration":2}],"resumedIteration":2}`), openwopv1.OWP0061D1},
		{"a constant", answer(whole), answer(whole), openwopv1.OWP0061D1},
		{"the log says otherwise", naming(whole, asking(4, 2, "m1").count(1, 2, 1, 2)), answer(part), openwopv1.OWP0061D1},
		{"the suspended run went on", naming(whole, asking(4, 2, "m1")), naming(part, asking(4, 2, "m1")), openwopv1.OWP0061D1},
		{"falls over without a resume", answer(whole), status(500), openwopv1.OWP0061D1},
		{"does not answer", status(500), answer(part), "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := openwop.SeamObservation{Path: "/s", Answers: []openwop.SeamAnswer{c.resumed, c.left}}
			expect(t, "seam-suspends", o, c.want)
			evidence := scenarios.Conclude(scenario(t, "seam-suspends"), openwop.Protocol.Ledger, o).Evidence
			if c.want == "passed" && (evidence == scenarios.Observed) != c.resumed.NamesARun {
				t.Errorf("evidence %s", evidence)
			}
		})
	}
}

func TestJudgeOfTheReplayOfAResumedLoop(t *testing.T) {
	honest := asking(4, 2, "m1")
	for _, c := range []struct {
		name  string
		spoil func(*openwop.ResumedForkObservation)
		want  string
	}{
		{"honest", func(*openwop.ResumedForkObservation) {}, "passed"},
		{"asks again", func(o *openwop.ResumedForkObservation) { o.Replayed = honest.waiting().named("f").log(t) }, openwopv1.OWP0061M1},
		{"leaves the question out", func(o *openwop.ResumedForkObservation) { o.Replayed = loop(3).named("f").log(t) }, openwopv1.OWP0061M1},
		{"counts otherwise", func(o *openwop.ResumedForkObservation) { o.Replayed = honest.named("f").count(1, 2, 1, 2).log(t) }, openwopv1.OWP0061M1},
		{"decides otherwise", func(o *openwop.ResumedForkObservation) {
			o.Replayed = honest.named("f").change("runOrchestrator.decided", 0, func(p map[string]any) {
				p["decision"] = map[string]any{"kind": "next-worker", "nextWorkerIds": []string{"another"}}
			}).log(t)
		}, openwopv1.OWP0061M1},
		{"another status", func(o *openwop.ResumedForkObservation) { o.Replayed = honest.named("f").withStatus("failed").log(t) }, openwopv1.OWP0061M1},
		{"the source itself as the fork", func(o *openwop.ResumedForkObservation) { o.Replayed = o.Log }, openwopv1.OWP0061M1},
		{"no fork", func(o *openwop.ResumedForkObservation) { o.Replayed = openwop.RunLog{Created: wiretest.Status(t, 501)} }, openwopv1.OWP0061M1},
		{"a source cut short", func(o *openwop.ResumedForkObservation) { o.Log, o.Replayed = loop(2).log(t), loop(2).named("f").log(t) }, "blocked"},
		{"a source that was never resumed", func(o *openwop.ResumedForkObservation) { o.Log = honest.waiting().log(t) }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := openwop.ResumedForkObservation{SuspendedLoop: suspendedLoop(t, honest, 2, kinds(4, 2, "ask-user")...), Replayed: honest.named("f").log(t)}
			c.spoil(&o)
			expect(t, "fork-of-resumed", o, c.want)
		})
	}
}

func TestJudgeOfHeartbeats(t *testing.T) {
	honest := asking(4, 2, "m1")
	for _, c := range []struct {
		name  string
		spoil func(*openwop.HeartbeatObservation)
		want  string
	}{
		{"honest", func(*openwop.HeartbeatObservation) {}, "passed"},
		{"resumes the loop", func(o *openwop.HeartbeatObservation) { o.Lull.Later = honest.log(t) }, openwopv1.OWP0061H1},
		{"takes a turn and asks again", func(o *openwop.HeartbeatObservation) {
			o.Lull.Later = honest.waiting().then(decided(3, "ask-user")).log(t)
		}, openwopv1.OWP0061H1},
		{"gives the loop up", func(o *openwop.HeartbeatObservation) { o.Lull.Later = honest.waiting().withStatus("cancelled").log(t) }, openwopv1.OWP0061H1},
		{"a seam that falls over", func(o *openwop.HeartbeatObservation) { o.Ticks[1] = wiretest.Status(t, 500) }, "blocked"},
		{"a loop that never moves", func(o *openwop.HeartbeatObservation) { o.Log = honest.waiting().log(t) }, "blocked"},
		{"a loop that never asks", func(o *openwop.HeartbeatObservation) { o.Held.Suspended.Reached = false }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := openwop.HeartbeatObservation{SuspendedLoop: suspendedLoop(t, honest, 2, kinds(4, 2, "ask-user")...), Seam: "/s",
				Ticks: wire.Values{wiretest.Status(t, 200), wiretest.Status(t, 200)}, Lull: lull(t, honest.waiting())}
			c.spoil(&o)
			expect(t, "heartbeat-moves-nothing", o, c.want)
		})
	}
}

func TestJudgeOfASecondAnswer(t *testing.T) {
	honest := asking(4, 2, "m1")
	withAnswer := func(l openwop.RunLog, answer string) openwop.RunLog {
		l.Ended.Last = wiretest.Value(t, map[string]any{"status": "completed", "variables": map[string]any{"answer": answer}})
		return l
	}
	for _, c := range []struct {
		name  string
		spoil func(*openwop.ResolvedAgainObservation)
		want  string
	}{
		{"honest", func(*openwop.ResolvedAgainObservation) {}, "passed"},
		{"shows the answer in a variable", func(o *openwop.ResolvedAgainObservation) {
			o.Log, o.Lull.Later = withAnswer(o.Log, "m1"), withAnswer(o.Lull.Later, "m1")
		}, "passed"},
		{"not found any more", func(o *openwop.ResolvedAgainObservation) { o.Again = wiretest.Status(t, 404) }, "passed"},
		{"another refusal is a finding", func(o *openwop.ResolvedAgainObservation) { o.Again = wiretest.Status(t, 422) }, "passed"},
		{"takes it", func(o *openwop.ResolvedAgainObservation) { o.Again = wiretest.Status(t, 200) }, openwopv1.OWPINT2},
		{"falls over", func(o *openwop.ResolvedAgainObservation) { o.Again = wiretest.Status(t, 500) }, openwopv1.OWPINT2},
		{"refuses it and goes on", func(o *openwop.ResolvedAgainObservation) { o.Lull.Later = honest.then(decided(5, "terminate")).log(t) }, openwopv1.OWPINT2},
		{"refuses it and ends again", func(o *openwop.ResolvedAgainObservation) {
			o.Lull.Later = honest.then(event{"run.completed", nil}).log(t)
		}, openwopv1.OWPINT2},
		{"refuses it and fails", func(o *openwop.ResolvedAgainObservation) { o.Lull.Later = honest.withStatus("failed").log(t) }, openwopv1.OWPINT2},
		{"refuses it and keeps it as well", func(o *openwop.ResolvedAgainObservation) {
			o.Lull.Later.Ended.Last = wiretest.Value(t, map[string]any{"status": "completed", "variables": map[string]any{"other": "m2"}})
		}, openwopv1.OWPINT2},
		{"refuses it and takes it over", func(o *openwop.ResolvedAgainObservation) { o.Lull.Later = withAnswer(o.Lull.Later, "m2") }, openwopv1.OWPINT2},
		{"refuses it and forgets the first", func(o *openwop.ResolvedAgainObservation) {
			o.Log, o.Lull.Later = withAnswer(o.Log, "m1"), withAnswer(o.Lull.Later, "")
		}, openwopv1.OWPINT2},
		{"refuses it and rewrites the log", func(o *openwop.ResolvedAgainObservation) { o.Lull.Later = asking(4, 2, "m2").log(t) }, openwopv1.OWPINT2},
		{"never ends", func(o *openwop.ResolvedAgainObservation) { o.Log = honest.waiting().log(t) }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := openwop.ResolvedAgainObservation{SuspendedLoop: suspendedLoop(t, honest, 2, kinds(4, 2, "ask-user")...), Marker: "m2", Again: wiretest.Status(t, 409), Lull: lull(t, honest)}
			c.spoil(&o)
			expect(t, "second-resolve", o, c.want)
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
	// again is the honest story with one event twice.
	again := func(kind string) story {
		s := honest.then()
		i := slices.IndexFunc(s.events, func(e event) bool { return e.kind == kind })
		s.events = slices.Insert(s.events, i, s.events[i])
		return s
	}
	runs := func(s story) func(*openwop.RivalsObservation) {
		return func(o *openwop.RivalsObservation) { o.Log, o.Lull = s.log(t), lull(t, s) }
	}
	for _, c := range []struct {
		name  string
		spoil func(*openwop.RivalsObservation)
		want  string
	}{
		{"honest", func(*openwop.RivalsObservation) {}, "passed"},
		{"shows no answer", runs(honest.drop("interrupt.resolved").drop("node.resumed").drop("variable.changed")), "passed"},
		{"a loser that falls over is a finding", func(o *openwop.RivalsObservation) { o.Replies = statuses(500, 200, 409, 404) }, "passed"},
		{"two winners", func(o *openwop.RivalsObservation) { o.Replies = statuses(409, 200, 200, 409) }, openwopv1.OWPINT3},
		{"all win", func(o *openwop.RivalsObservation) { o.Replies = statuses(200, 200, 200, 200) }, openwopv1.OWPINT3},
		{"nobody wins", func(o *openwop.RivalsObservation) { o.Replies = statuses(409, 409, 409, 409) }, openwopv1.OWPINT3},
		{"refuses what is answered", func(o *openwop.RivalsObservation) { o.Replies = statuses(422, 422, 422, 422) }, "blocked"},
		{"goes on with a loser's answer", runs(asking(4, 2, "m3")), openwopv1.OWPINT3},
		{"goes on with nobody's answer", runs(asking(4, 2, "yes")), openwopv1.OWPINT3},
		{"keeps a loser's answer in a variable", runs(honest.then(event{"variable.changed", map[string]any{"name": "other", "next": "m4"}})), openwopv1.OWPINT3},
		{"takes a turn twice", runs(asking(5, 2, "m2")), openwopv1.OWPINT3},
		{"leaves a turn out, which is another's to say", runs(asking(3, 2, "m2")), "passed"},
		{"resolves twice", runs(again("interrupt.resolved")), openwopv1.OWPINT3},
		{"resumes twice", runs(again("node.resumed")), openwopv1.OWPINT3},
		{"ends twice", runs(honest.then(event{"run.completed", nil})), openwopv1.OWPINT3},
		{"goes on after its end", func(o *openwop.RivalsObservation) { o.Lull.Later = honest.then(decided(3, "next-worker")).log(t) }, openwopv1.OWPINT3},
		{"does not go on", func(o *openwop.RivalsObservation) { o.Log = honest.waiting().log(t) }, openwopv1.OWPINT3},
		{"never asks", func(o *openwop.RivalsObservation) { o.Held.Suspended.Reached = false }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := openwop.RivalsObservation{SuspendedLoop: suspendedLoop(t, honest, 2, kinds(4, 2, "ask-user")...), Markers: []string{"m1", "m2", "m3", "m4"},
				Replies: statuses(409, 200, 409, 404), Lull: lull(t, honest)}
			c.spoil(&o)
			expect(t, "concurrent-resolvers", o, c.want)
		})
	}
}

func TestJudgeOfTwoSuspendedLoops(t *testing.T) {
	first, second := asking(4, 2, "m1"), asking(4, 2, "m2").named("r2")
	for _, c := range []struct {
		name  string
		spoil func(*openwop.TwoSuspendedObservation)
		want  string
	}{
		{"honest", func(*openwop.TwoSuspendedObservation) {}, "passed"},
		{"the answer moves the other run", func(o *openwop.TwoSuspendedObservation) { o.Lull.Later = asking(4, 2, "m2").log(t) }, openwopv1.OWPINT4},
		{"the answer moves the other run instead", func(o *openwop.TwoSuspendedObservation) {
			o.Second.Log, o.Lull.Later = second.waiting().log(t), asking(4, 2, "m2").log(t)
		}, openwopv1.OWPINT4},
		{"the other run no longer waits", func(o *openwop.TwoSuspendedObservation) { o.Lull.Later = first.waiting().withStatus("running").log(t) }, openwopv1.OWPINT4},
		{"the first goes on with the second's answer", func(o *openwop.TwoSuspendedObservation) { o.First.Log = asking(4, 2, "m2").log(t) }, openwopv1.OWPINT4},
		{"the second keeps the first's answer", func(o *openwop.TwoSuspendedObservation) {
			o.Second.Log = second.then(event{"variable.changed", map[string]any{"name": "answer", "next": "m1"}}).log(t)
		}, openwopv1.OWPINT4},
		{"the first has the second's answer in a variable", func(o *openwop.TwoSuspendedObservation) {
			o.First.Log.Ended.Last = wiretest.Value(t, map[string]any{"status": "completed", "variables": map[string]any{"answer": "m2"}})
		}, openwopv1.OWPINT4},
		{"the first never ends", func(o *openwop.TwoSuspendedObservation) { o.First.Log = first.waiting().log(t) }, openwopv1.OWPINT4},
		{"the second was answered by somebody else", func(o *openwop.TwoSuspendedObservation) { o.Second.Held.Answered = wiretest.Status(t, 409) }, openwopv1.OWPINT4},
		{"the second's answer is refused", func(o *openwop.TwoSuspendedObservation) { o.Second.Held.Answered = wiretest.Status(t, 422) }, "blocked"},
		{"the second is not suspended", func(o *openwop.TwoSuspendedObservation) { o.Second.Held.Suspended.Reached = false }, "blocked"},
		{"the first's answer is refused", func(o *openwop.TwoSuspendedObservation) { o.First.Held.Answered = wiretest.Status(t, 404) }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan := kinds(4, 2, "ask-user")
			o := openwop.TwoSuspendedObservation{First: suspendedLoop(t, first, 2, plan...), Second: suspendedLoop(t, second, 2, plan...), Lull: lull(t, first.waiting())}
			o.Second.Held.Marker = "m2"
			c.spoil(&o)
			expect(t, "two-at-once", o, c.want)
		})
	}
}
