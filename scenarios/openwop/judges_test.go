package openwop_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func loopObservation(t *testing.T, turns int, s, later story) openwop.LoopObservation {
	o := openwop.LoopObservation{Way: "w", Chosen: true, Evidence: scenarios.Observed, Turns: turns, Log: s.log(t), Later: later.log(t), Stranger: wiretest.Status(t, 404),
		Sentinel: wire.Wait{Reached: true, Last: wiretest.Value(t, map[string]any{"status": "completed"})}}
	for i := 1; i < turns; i++ {
		o.Decisions = append(o.Decisions, map[string]any{"kind": "next-worker"})
		id := fmt.Sprint("c", i)
		o.Children = append(o.Children, openwop.Child{ID: id, Snapshot: wiretest.Value(t, map[string]any{"runId": id, "status": "completed"})})
	}
	o.Decisions = append(o.Decisions, map[string]any{"kind": "terminate"})
	return o
}

func TestJudgesOfOneLoop(t *testing.T) {
	set := func(k int, iteration any) story {
		return loop(4).change("runOrchestrator.decided", k, func(p map[string]any) {
			if iteration == nil {
				delete(p, "iteration")
			} else {
				p["iteration"] = iteration
			}
		})
	}
	stuck := loop(4).withStatus("running")
	afterEnd := loop(4).then(decided(5, "next-worker"))
	twoEnds := loop(4).then(event{"run.completed", map[string]any{}})
	other := func(kind string) story {
		return loop(4).change("runOrchestrator.decided", 1, func(p map[string]any) { p["decision"] = map[string]any{"kind": kind} })
	}
	for _, c := range []struct {
		name, scenario string
		told, later    story
		want           string
	}{
		{"honest", "one-per-turn", loop(4), loop(4), "passed"},
		{"a turn without a counter", "one-per-turn", set(2, nil), loop(4), openwopv1.OWP0061B1},
		{"counts from 0", "one-per-turn", set(0, 0), loop(4), openwopv1.OWP0061B1},
		{"a word for a counter", "one-per-turn", set(0, "1"), loop(4), openwopv1.OWP0061B1},
		{"half a turn", "one-per-turn", set(1, 1.5), loop(4), openwopv1.OWP0061B1},
		{"skips one", "one-per-turn", set(3, 5), loop(4), openwopv1.OWP0061B2},
		{"repeats one", "one-per-turn", set(2, 2), loop(4), openwopv1.OWP0061B2},
		{"resets", "one-per-turn", set(3, 1), loop(4), openwopv1.OWP0061B2},
		{"one turn fewer", "one-per-turn", loop(3), loop(3), openwopv1.OWP0061B2},
		{"no turn at all", "one-per-turn", loop(4).drop("runOrchestrator.decided"), loop(4), openwopv1.OWP0061B1},
		{"never ends", "one-per-turn", stuck, stuck, "blocked"},

		{"honest", "iteration-on-decided", loop(4), loop(4), "passed"},
		{"a turn without a counter", "iteration-on-decided", set(2, nil), loop(4), openwopv1.OWP0061B1},
		{"a negative counter", "iteration-on-decided", set(0, -1), loop(4), openwopv1.OWP0061B1},

		{"honest", "as-planned", loop(4), loop(4), "passed"},
		{"never ends", "as-planned", stuck, stuck, openwopv1.OWP0037A1},
		{"a turn fewer than planned", "as-planned", loop(3), loop(3), openwopv1.OWP0037A6},
		{"another decision than planned", "as-planned", other("terminate"), loop(4), openwopv1.OWP0037A2},
		{"nobody decides", "as-planned", loop(4).change("runOrchestrator.decided", 0, func(p map[string]any) { p["agentId"] = "" }), loop(4), openwopv1.OWP0061B5},
		{"no child is made", "as-planned", loop(4).drop("core.workflowChain.event"), loop(4), openwopv1.OWP0037A3},
		{"ends as failed", "as-planned", loop(4).withStatus("failed"), loop(4), openwopv1.OWP0061E1},
		{"a turn after the end", "as-planned", afterEnd, afterEnd, openwopv1.OWP0037A6},
		{"a handoff after the end", "as-planned", loop(4).then(chain("output.harvested", "c1")), loop(4).then(chain("output.harvested", "c1")), openwopv1.OWP0061E1},
		{"a note after the end is a finding", "as-planned", loop(4).then(event{"lease.lost", map[string]any{}}), loop(4), "passed"},
		{"one child for all turns", "as-planned", loop(4).change("core.workflowChain.event", 4, func(p map[string]any) { p["childRunId"] = "c1" }), loop(4), openwopv1.OWP0037A3},
		{"the parent as its own child", "as-planned", loop(4).change("core.workflowChain.event", 4, func(p map[string]any) { p["childRunId"] = "r" }), loop(4), openwopv1.OWP0037A3},
		{"ends twice", "as-planned", twoEnds, twoEnds, openwopv1.OWP0061E1},
		{"goes on behind the barrier", "as-planned", loop(4), loop(4).then(decided(99, "next-worker")), openwopv1.OWP0061E1},

		{"honest below 5", "iteration-absent-below-5", strip(loop(4)), loop(4), "passed"},
		{"a counter below 5 is a finding", "iteration-absent-below-5", loop(4), loop(4), "passed"},
		{"no turn at all", "iteration-absent-below-5", loop(4).drop("runOrchestrator.decided"), loop(4), "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) { expect(t, c.scenario, loopObservation(t, 4, c.told, c.later), c.want) })
	}
	t.Run("a child that is not there", func(t *testing.T) {
		o := loopObservation(t, 4, loop(4), loop(4))
		o.Children[1].Snapshot = wiretest.Value(t, map[string]any{"error": "not_found"})
		expect(t, "as-planned", o, openwopv1.OWP0037A3)
	})
	t.Run("another run is served as the child", func(t *testing.T) {
		o := loopObservation(t, 4, loop(4), loop(4))
		o.Children[1].Snapshot = wiretest.Value(t, map[string]any{"runId": "c1", "status": "completed"})
		expect(t, "as-planned", o, openwopv1.OWP0037A3)
	})
	t.Run("any id is served as a child", func(t *testing.T) {
		o := loopObservation(t, 4, loop(4), loop(4))
		o.Stranger = wiretest.Status(t, 200)
		expect(t, "as-planned", o, openwopv1.OWP0037A3)
	})
	t.Run("a run without an id", func(t *testing.T) {
		o := loopObservation(t, 4, loop(4), loop(4))
		o.Log.ID, o.Log.RunID = wire.Value{}, ""
		expect(t, "as-planned", o, openwopv1.OWP0037A6)
		expect(t, "one-per-turn", o, "blocked")
	})
	t.Run("a log that cannot be read", func(t *testing.T) {
		o := loopObservation(t, 4, loop(4).drop("runOrchestrator.decided"), loop(4))
		o.Log.Read = wiretest.Status(t, 404)
		expect(t, "as-planned", o, "blocked")
		expect(t, "one-per-turn", o, "blocked")
	})
	t.Run("a log with a gap", func(t *testing.T) {
		o := loopObservation(t, 4, loop(4), loop(4))
		o.Log.Events = slices.Delete(slices.Clone(o.Log.Events), 3, 4)
		expect(t, "one-per-turn", o, "blocked")
	})
	t.Run("turns that were not chosen are told", func(t *testing.T) {
		o := loopObservation(t, 4, loop(4), loop(4))
		o.Chosen = false
		out := scenarios.Conclude(scenario(t, "one-per-turn"), openwop.Protocol.Ledger, o)
		if out.Verdict != scenarios.Passed || len(out.Findings) != 1 {
			t.Errorf("%s, findings %v", out.Verdict, out.Findings)
		}
	})
	t.Run("the next turn does not wait for the worker", func(t *testing.T) {
		s := loop(3)
		s.events[4], s.events[5] = s.events[5], s.events[4] // the second decision before the first child's end
		expect(t, "as-planned", loopObservation(t, 3, s, s), openwopv1.OWP0037A5)
	})
	t.Run("the fixture is refused", func(t *testing.T) {
		o := loopObservation(t, 4, loop(4), loop(4))
		o.Log.Created, o.Log.RunID = wiretest.Status(t, 404), ""
		expect(t, "as-planned", o, openwopv1.OWP0037A6)
		expect(t, "one-per-turn", o, "blocked")
	})
	t.Run("only the seam's word", func(t *testing.T) {
		seam := wiretest.Value(t, []any{map[string]any{"iteration": 1}, map[string]any{"iteration": 2}}).Items().Each("/iteration")
		o := openwop.LoopObservation{Evidence: scenarios.Attested, Chosen: true, Turns: 2, SeamStatus: wiretest.Status(t, 200), SeamIterations: seam}
		expect(t, "one-per-turn", o, "passed")
		expect(t, "as-planned", o, "blocked")
		if out := scenarios.Conclude(scenario(t, "one-per-turn"), openwop.Protocol.Ledger, o); out.Evidence != scenarios.Attested {
			t.Errorf("evidence %s", out.Evidence)
		}
	})
	t.Run("the presence below 5 is told", func(t *testing.T) {
		out := scenarios.Conclude(scenario(t, "iteration-absent-below-5"), openwop.Protocol.Ledger, loopObservation(t, 4, loop(4), loop(4)))
		if len(out.Findings) != 1 || out.Findings[0].Requirement != openwopv1.OWP0061B3 {
			t.Errorf("findings: %v", out.Findings)
		}
	})
}

// strip takes the counters out.
func strip(s story) story {
	for k := range 4 {
		s = s.change("runOrchestrator.decided", k, func(p map[string]any) { delete(p, "iteration") })
	}
	return s
}

func TestJudgesOfTheBound(t *testing.T) {
	honest := func() openwop.BoundsObservation {
		return openwop.BoundsObservation{Way: "w", Chosen: true, Turns: 4, Below: bounded(3).log(t), At: loop(4).log(t), Above: loop(4).log(t), BelowLater: bounded(3).log(t)}
	}
	edit := func(k string, v any) story {
		return bounded(3).change("cap.breached", 0, func(p map[string]any) { p[k] = v })
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*openwop.BoundsObservation)
		want           string
	}{
		{"honest", "bound-below", func(*openwop.BoundsObservation) {}, "passed"},
		{"ignores the bound", "bound-below", func(o *openwop.BoundsObservation) { o.Below = loop(4).log(t) }, openwopv1.OWP0061E4},
		{"another kind", "bound-below", func(o *openwop.BoundsObservation) { o.Below = edit("kind", "node-executions").log(t) }, openwopv1.OWP0061E2},
		{"observed N", "bound-below", func(o *openwop.BoundsObservation) { o.Below = edit("observed", 3).log(t) }, openwopv1.OWP0061E2},
		{"limit N+1", "bound-below", func(o *openwop.BoundsObservation) { o.Below = edit("limit", 4).log(t) }, openwopv1.OWP0061E2},
		{"breaches a turn early", "bound-below", func(o *openwop.BoundsObservation) {
			s := bounded(2).change("cap.breached", 0, func(p map[string]any) { p["limit"], p["observed"] = 3, 4 })
			o.Below = s.log(t)
		}, openwopv1.OWP0061E3},
		{"decides the refused turn", "bound-below", func(o *openwop.BoundsObservation) {
			s := bounded(4).change("cap.breached", 0, func(p map[string]any) { p["limit"], p["observed"] = 3, 4 })
			o.Below = s.log(t)
		}, openwopv1.OWP0061E3},
		{"fails before it says why", "bound-below", func(o *openwop.BoundsObservation) {
			s := bounded(3)
			n := len(s.events)
			s.events[n-1], s.events[n-2] = s.events[n-2], s.events[n-1]
			o.Below = s.log(t)
		}, openwopv1.OWP0061E3},
		{"another code", "bound-below", func(o *openwop.BoundsObservation) {
			s := bounded(3)
			s.events[len(s.events)-1] = failed("internal_error")
			o.Below = s.log(t)
		}, openwopv1.OWP0061E3},
		{"completes after the breach", "bound-below", func(o *openwop.BoundsObservation) { o.Below = bounded(3).withStatus("completed").log(t) }, openwopv1.OWP0061E3},
		{"works on after it failed", "bound-below", func(o *openwop.BoundsObservation) { o.BelowLater = bounded(3).then(decided(4, "next-worker")).log(t) }, openwopv1.OWP0061E3},
		{"has failed before its last node begins", "bound-below", func(o *openwop.BoundsObservation) {
			s := bounded(3).then(event{"node.started", map[string]any{"nodeId": "late"}})
			o.Below, o.BelowLater = s.log(t), s.log(t)
		}, openwopv1.OWP0061E3},
		{"never ends", "bound-below", func(o *openwop.BoundsObservation) { o.Below = bounded(3).withStatus("running").log(t) }, openwopv1.OWP0061E3},
		{"a note after the failure", "bound-below", func(o *openwop.BoundsObservation) {
			o.BelowLater = bounded(3).then(event{"lease.lost", map[string]any{}}).log(t)
		}, "passed"},
		{"refuses the run", "bound-below", func(o *openwop.BoundsObservation) { o.Below.Created = wiretest.Status(t, 500) }, "blocked"},

		{"honest", "bound-leaves-alone", func(*openwop.BoundsObservation) {}, "passed"},
		{"breaches at N", "bound-leaves-alone", func(o *openwop.BoundsObservation) { o.At = bounded(3).log(t) }, openwopv1.OWP0061E6},
		{"breaches always", "bound-leaves-alone", func(o *openwop.BoundsObservation) { o.Above = bounded(2).log(t) }, openwopv1.OWP0061E6},
		{"never ends", "bound-leaves-alone", func(o *openwop.BoundsObservation) { o.At = loop(4).withStatus("running").log(t) }, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			expect(t, c.scenario, o, c.want)
		})
	}
}

func TestJudgeOfTheLimit(t *testing.T) {
	for _, c := range []struct {
		name              string
		unasked, overdone story
		want              string
	}{
		{"honest", bounded(5), bounded(5), "passed"},
		{"no limit unless asked", loop(7), bounded(5), openwopv1.OWP0061E5},
		{"grants more when asked", bounded(5), bounded(6), openwopv1.OWP0061E5},
		{"stops early", bounded(4), bounded(4), openwopv1.OWP0061E5},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect(t, "limit-honoured", openwop.LimitObservation{Limit: 5, Unasked: c.unasked.log(t), Overdone: c.overdone.log(t)}, c.want)
		})
	}
}

func TestJudgeOfInterleavedLoops(t *testing.T) {
	second := func(s story) story { s.id = "r2"; return s }
	honest := func() openwop.InterleavedObservation {
		return openwop.InterleavedObservation{Suspends: true, AskedAt: 3, Stateful: true, FirstN: 5, SecondN: 3, Suspended: wire.Wait{Reached: true}, Answered: wiretest.Status(t, 200),
			First: loop(5).log(t), Second: second(loop(3)).log(t)}
	}
	shift := func(s story, by int) story {
		for k := range 3 {
			s = s.change("runOrchestrator.decided", k, func(p map[string]any) { p["iteration"] = k + 1 + by })
		}
		return s
	}
	for _, c := range []struct {
		name  string
		spoil func(*openwop.InterleavedObservation)
		want  string
	}{
		{"honest", func(*openwop.InterleavedObservation) {}, "passed"},
		{"the second goes on from the first", func(o *openwop.InterleavedObservation) { o.Second = second(shift(loop(3), 2)).log(t) }, openwopv1.OWP0061B4},
		{"the first loses its count", func(o *openwop.InterleavedObservation) {
			o.First = loop(5).change("runOrchestrator.decided", 3, func(p map[string]any) { p["iteration"] = 1 }).log(t)
		}, openwopv1.OWP0061B2},
		{"events of the other run", func(o *openwop.InterleavedObservation) { o.Second = loop(3).log(t); o.Second.RunID = "r2" }, openwopv1.OWP0061B4},
		{"loses its count, but claims no stateful resume", func(o *openwop.InterleavedObservation) {
			o.Stateful = false
			o.First = loop(5).change("runOrchestrator.decided", 3, func(p map[string]any) { p["iteration"] = 1 }).log(t)
		}, "passed"},
		{"loses its count before it was suspended", func(o *openwop.InterleavedObservation) {
			o.Stateful = false
			o.First = loop(5).change("runOrchestrator.decided", 1, func(p map[string]any) { p["iteration"] = 1 }).log(t)
		}, openwopv1.OWP0061B2},
		{"one after the other", func(o *openwop.InterleavedObservation) { o.Suspends = false }, "blocked"},
		{"never suspends", func(o *openwop.InterleavedObservation) { o.Suspended.Reached = false }, "blocked"},
		{"refuses the answer", func(o *openwop.InterleavedObservation) { o.Answered = wiretest.Status(t, 404) }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			expect(t, "nothing-shared", o, c.want)
		})
	}
}

func fork(s story) story { s.id = "f"; return s }

func TestJudgeOfReplays(t *testing.T) {
	honest := func() openwop.ForkObservation {
		return openwop.ForkObservation{Turns: 4, Bound: 3, Source: loop(4).log(t), Replayed: fork(loop(4)).log(t), BoundedSource: bounded(3).log(t), BoundedReplayed: fork(bounded(3)).log(t)}
	}
	for _, c := range []struct {
		name  string
		spoil func(*openwop.ForkObservation)
		want  string
	}{
		{"honest", func(*openwop.ForkObservation) {}, "passed"},
		{"a brand-new run of another length", func(o *openwop.ForkObservation) { o.Replayed = fork(loop(3)).log(t) }, openwopv1.OWP0061M1},
		{"no breach in the replay", func(o *openwop.ForkObservation) { o.BoundedReplayed = fork(bounded(3).drop("cap.breached")).log(t) }, openwopv1.OWP0061M1},
		{"another breach in the replay", func(o *openwop.ForkObservation) {
			o.BoundedReplayed = fork(bounded(3).change("cap.breached", 0, func(p map[string]any) { p["observed"] = 9 })).log(t)
		}, openwopv1.OWP0061M1},
		{"the source itself as the fork", func(o *openwop.ForkObservation) { o.Replayed = o.Source }, openwopv1.OWP0061M1},
		{"a fork that is no run", func(o *openwop.ForkObservation) {
			o.Replayed = openwop.RunLog{Created: wiretest.Status(t, 201)}
		}, openwopv1.OWP0061M1},
		{"another reason to end", func(o *openwop.ForkObservation) {
			o.Replayed = fork(loop(4).change("runOrchestrator.decided", 3, func(p map[string]any) {
				p["decision"] = map[string]any{"kind": "terminate", "reason": "another"}
			})).log(t)
		}, openwopv1.OWP0061M1},
		{"no fork", func(o *openwop.ForkObservation) { o.Replayed = openwop.RunLog{Created: wiretest.Status(t, 404)} }, openwopv1.OWP0061M1},
		{"an empty source", func(o *openwop.ForkObservation) {
			o.Source, o.Replayed = loop(4).drop("runOrchestrator.decided").log(t), fork(loop(4).drop("runOrchestrator.decided")).log(t)
		}, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			expect(t, "fork-keeps", o, c.want)
		})
	}
}
