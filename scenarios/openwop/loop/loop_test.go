package loop_test

import (
	"fmt"
	"slices"
	"testing"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/bounds"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/openwop/loop"
	"github.com/openassay/assay/scenarios/openwop/replay"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func loopObservation(t *testing.T, turns int, s, later hosttest.Story) loop.LoopObservation {
	o := loop.LoopObservation{Way: "w", Chosen: true, Evidence: scenarios.Observed, Turns: turns, Log: s.Log(t), Later: later.Log(t),
		Stranger: wiretest.Status(t, 404),
		Sentinel: wire.Wait{Reached: true, Last: wiretest.Value(t, map[string]any{"status": "completed"})}}
	for i := 1; i < turns; i++ {
		o.Decisions = append(o.Decisions, map[string]any{"kind": "next-worker"})
		id := fmt.Sprint("c", i)
		o.Children = append(o.Children, host.Child{ID: id, Snapshot: wiretest.Value(t, map[string]any{"runId": id, "status": "completed"})})
	}
	o.Decisions = append(o.Decisions, map[string]any{"kind": "terminate"})
	return o
}

func TestJudgesOfOneLoop(t *testing.T) {
	set := func(k int, iteration any) hosttest.Story {
		return hosttest.LoopOf(4).Change("runOrchestrator.decided", k, func(p map[string]any) {
			if iteration == nil {
				delete(p, "iteration")
			} else {
				p["iteration"] = iteration
			}
		})
	}
	stuck := hosttest.LoopOf(4).WithStatus("running")
	afterEnd := hosttest.LoopOf(4).Then(hosttest.Decided(5, "next-worker"))
	twoEnds := hosttest.LoopOf(4).Then(hosttest.Event{Kind: "run.completed", Payload: map[string]any{}})
	other := func(kind string) hosttest.Story {
		return hosttest.LoopOf(4).Change("runOrchestrator.decided", 1, func(p map[string]any) { p["decision"] = map[string]any{"kind": kind} })
	}
	for _, c := range []struct {
		name, scenario string
		told, later    hosttest.Story
		want           string
	}{
		{"honest", "one-per-turn", hosttest.LoopOf(4), hosttest.LoopOf(4), "passed"},
		{"a turn without a counter", "one-per-turn", set(2, nil), hosttest.LoopOf(4), requirement.OWP0061B1},
		{"counts from 0", "one-per-turn", set(0, 0), hosttest.LoopOf(4), requirement.OWP0061B1},
		{"a word for a counter", "one-per-turn", set(0, "1"), hosttest.LoopOf(4), requirement.OWP0061B1},
		{"half a turn", "one-per-turn", set(1, 1.5), hosttest.LoopOf(4), requirement.OWP0061B1},
		{"skips one", "one-per-turn", set(3, 5), hosttest.LoopOf(4), requirement.OWP0061B2},
		{"repeats one", "one-per-turn", set(2, 2), hosttest.LoopOf(4), requirement.OWP0061B2},
		{"resets", "one-per-turn", set(3, 1), hosttest.LoopOf(4), requirement.OWP0061B2},
		{"one turn fewer", "one-per-turn", hosttest.LoopOf(3), hosttest.LoopOf(3), requirement.OWP0061B2},
		{"no turn at all", "one-per-turn", hosttest.LoopOf(4).Drop("runOrchestrator.decided"), hosttest.LoopOf(4), requirement.OWP0061B1},
		{"never ends", "one-per-turn", stuck, stuck, hosttest.BlockedOn(requirement.OWP0037A1)},

		{"honest", "iteration-on-decided", hosttest.LoopOf(4), hosttest.LoopOf(4), "passed"},
		{"a turn without a counter", "iteration-on-decided", set(2, nil), hosttest.LoopOf(4), requirement.OWP0061B1},
		{"a negative counter", "iteration-on-decided", set(0, -1), hosttest.LoopOf(4), requirement.OWP0061B1},

		{"honest", "as-planned", hosttest.LoopOf(4), hosttest.LoopOf(4), "passed"},
		{"never ends", "as-planned", stuck, stuck, requirement.OWP0037A1},
		{"a turn fewer than planned", "as-planned", hosttest.LoopOf(3), hosttest.LoopOf(3), requirement.OWP0037A6},
		{"another decision than planned", "as-planned", other("terminate"), hosttest.LoopOf(4), requirement.OWP0037A2},
		{"nobody decides", "as-planned", hosttest.LoopOf(4).Change("runOrchestrator.decided", 0,
			func(p map[string]any) { p["agentId"] = "" }), hosttest.LoopOf(4), requirement.OWP0061B5},
		{"no child is made", "as-planned", hosttest.LoopOf(4).Drop("core.workflowChain.event"), hosttest.LoopOf(4), requirement.OWP0037A3},
		{"ends as failed", "as-planned", hosttest.LoopOf(4).WithStatus("failed"), hosttest.LoopOf(4), requirement.OWP0061E1},
		{"a turn after the end", "as-planned", afterEnd, afterEnd, requirement.OWP0037A6},
		{"a handoff after the end", "as-planned", hosttest.LoopOf(4).Then(hosttest.Chain("output.harvested", "c1")),
			hosttest.LoopOf(4).Then(hosttest.Chain("output.harvested", "c1")), requirement.OWP0061E1},
		{"a note after the end is a finding", "as-planned", hosttest.LoopOf(4).Then(hosttest.Event{Kind: "lease.lost",
			Payload: map[string]any{}}), hosttest.LoopOf(4), "passed"},
		{"one child for all turns", "as-planned", hosttest.LoopOf(4).Change("core.workflowChain.event", 4,
			func(p map[string]any) { p["childRunId"] = "c1" }), hosttest.LoopOf(4), requirement.OWP0037A3},
		{"the parent as its own child", "as-planned", hosttest.LoopOf(4).Change("core.workflowChain.event", 4,
			func(p map[string]any) { p["childRunId"] = "r" }), hosttest.LoopOf(4), requirement.OWP0037A3},
		{"ends twice", "as-planned", twoEnds, twoEnds, requirement.OWP0061E1},
		{"goes on behind the barrier", "as-planned", hosttest.LoopOf(4), hosttest.LoopOf(4).Then(hosttest.Decided(99, "next-worker")),
			requirement.OWP0061E1},

		{"honest below 5", "iteration-absent-below-5", strip(hosttest.LoopOf(4)), hosttest.LoopOf(4), "passed"},
		{"a counter below 5 is a finding", "iteration-absent-below-5", hosttest.LoopOf(4), hosttest.LoopOf(4), "passed"},
		{"no turn at all", "iteration-absent-below-5", hosttest.LoopOf(4).Drop("runOrchestrator.decided"), hosttest.LoopOf(4),
			hosttest.BlockedOn(requirement.OWP0037A2)},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) { hosttest.Expect(t, c.scenario, loopObservation(t, 4, c.told, c.later), c.want) })
	}
	t.Run("a child that is not there", func(t *testing.T) {
		o := loopObservation(t, 4, hosttest.LoopOf(4), hosttest.LoopOf(4))
		o.Children[1].Snapshot = wiretest.Value(t, map[string]any{"error": "not_found"})
		hosttest.Expect(t, "as-planned", o, requirement.OWP0037A3)
	})
	t.Run("another run is served as the child", func(t *testing.T) {
		o := loopObservation(t, 4, hosttest.LoopOf(4), hosttest.LoopOf(4))
		o.Children[1].Snapshot = wiretest.Value(t, map[string]any{"runId": "c1", "status": "completed"})
		hosttest.Expect(t, "as-planned", o, requirement.OWP0037A3)
	})
	t.Run("the seam names a worker that is not there", func(t *testing.T) {
		o := loopObservation(t, 4, hosttest.LoopOf(4).Drop("core.workflowChain.event"), hosttest.LoopOf(4))
		o.Missing = "nobody"
		hosttest.Expect(t, "as-planned", o, "blocked")
	})
	t.Run("any id is served as a child", func(t *testing.T) {
		o := loopObservation(t, 4, hosttest.LoopOf(4), hosttest.LoopOf(4))
		o.Stranger = wiretest.Status(t, 200)
		hosttest.Expect(t, "as-planned", o, requirement.OWP0037A3)
	})
	t.Run("a run without an id", func(t *testing.T) {
		o := loopObservation(t, 4, hosttest.LoopOf(4), hosttest.LoopOf(4))
		o.Log.ID, o.Log.RunID = wire.Value{}, ""
		hosttest.Expect(t, "as-planned", o, requirement.OWP0037A6)
		hosttest.Expect(t, "one-per-turn", o, "blocked")
	})
	t.Run("a log that cannot be read", func(t *testing.T) {
		o := loopObservation(t, 4, hosttest.LoopOf(4).Drop("runOrchestrator.decided"), hosttest.LoopOf(4))
		o.Log.Read = wiretest.Status(t, 404)
		hosttest.Expect(t, "as-planned", o, "blocked")
		hosttest.Expect(t, "one-per-turn", o, "blocked")
	})
	t.Run("a log with a gap", func(t *testing.T) {
		o := loopObservation(t, 4, hosttest.LoopOf(4), hosttest.LoopOf(4))
		o.Log.Events = slices.Delete(slices.Clone(o.Log.Events), 3, 4)
		hosttest.Expect(t, "one-per-turn", o, "blocked")
	})
	t.Run("turns that were not chosen are told", func(t *testing.T) {
		o := loopObservation(t, 4, hosttest.LoopOf(4), hosttest.LoopOf(4))
		o.Chosen = false
		out := scenarios.Conclude(hosttest.Scenario(t, "one-per-turn"), openwop.Protocol.Ledger, o)
		if out.Verdict != scenarios.Passed || len(out.Findings) != 1 {
			t.Errorf("%s, findings %v", out.Verdict, out.Findings)
		}
	})
	t.Run("the next turn does not wait for the worker", func(t *testing.T) {
		s := hosttest.LoopOf(3)
		s.Events[4], s.Events[5] = s.Events[5], s.Events[4] // the second decision before the first child's end
		hosttest.Expect(t, "as-planned", loopObservation(t, 3, s, s), requirement.OWP0037A5)
	})
	t.Run("the fixture is refused", func(t *testing.T) {
		o := loopObservation(t, 4, hosttest.LoopOf(4), hosttest.LoopOf(4))
		o.Log.Created, o.Log.RunID = wiretest.Status(t, 404), ""
		hosttest.Expect(t, "as-planned", o, requirement.OWP0037A6)
		hosttest.Expect(t, "one-per-turn", o, "blocked")
	})
	t.Run("only the seam's word", func(t *testing.T) {
		seam := wiretest.Value(t, []any{map[string]any{"iteration": 1}, map[string]any{"iteration": 2}}).Items().Each("/iteration")
		o := loop.LoopObservation{Evidence: scenarios.Attested, Chosen: true, Turns: 2, SeamStatus: wiretest.Status(t, 200), SeamIterations: seam}
		hosttest.Expect(t, "one-per-turn", o, "passed")
		hosttest.Expect(t, "as-planned", o, "blocked")
		if out := scenarios.Conclude(hosttest.Scenario(t, "one-per-turn"), openwop.Protocol.Ledger, o); out.Evidence != scenarios.Attested {
			t.Errorf("evidence %s", out.Evidence)
		}
	})
	t.Run("the presence below 5 is told", func(t *testing.T) {
		out := scenarios.Conclude(hosttest.Scenario(t, "iteration-absent-below-5"), openwop.Protocol.Ledger,
			loopObservation(t, 4, hosttest.LoopOf(4), hosttest.LoopOf(4)))
		if len(out.Findings) != 1 || out.Findings[0].Requirement != requirement.OWP0061B3 {
			t.Errorf("findings: %v", out.Findings)
		}
	})
}

// strip removes the counters.
func strip(s hosttest.Story) hosttest.Story {
	for k := range 4 {
		s = s.Change("runOrchestrator.decided", k, func(p map[string]any) { delete(p, "iteration") })
	}
	return s
}

func TestJudgesOfTheBound(t *testing.T) {
	honest := func() bounds.BoundsObservation {
		return bounds.BoundsObservation{Way: "w", Chosen: true, Turns: 4, Below: hosttest.Bounded(3).Log(t),
			At: hosttest.LoopOf(4).Log(t), Above: hosttest.LoopOf(4).Log(t), BelowLater: hosttest.Bounded(3).Log(t)}
	}
	edit := func(k string, v any) hosttest.Story {
		return hosttest.Bounded(3).Change("cap.breached", 0, func(p map[string]any) { p[k] = v })
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*bounds.BoundsObservation)
		want           string
	}{
		{"honest", "bound-below", func(*bounds.BoundsObservation) {}, "passed"},
		{"ignores the bound", "bound-below", func(o *bounds.BoundsObservation) { o.Below = hosttest.LoopOf(4).Log(t) }, requirement.OWP0061E4},
		{"another kind", "bound-below", func(o *bounds.BoundsObservation) { o.Below = edit("kind", "node-executions").Log(t) },
			requirement.OWP0061E2},
		{"observed N", "bound-below", func(o *bounds.BoundsObservation) { o.Below = edit("observed", 3).Log(t) }, requirement.OWP0061E2},
		{"limit N+1", "bound-below", func(o *bounds.BoundsObservation) { o.Below = edit("limit", 4).Log(t) }, requirement.OWP0061E2},
		{"breaches a turn early", "bound-below", func(o *bounds.BoundsObservation) {
			s := hosttest.Bounded(2).Change("cap.breached", 0, func(p map[string]any) { p["limit"], p["observed"] = 3, 4 })
			o.Below = s.Log(t)
		}, requirement.OWP0061E3},
		{"decides the refused turn", "bound-below", func(o *bounds.BoundsObservation) {
			s := hosttest.Bounded(4).Change("cap.breached", 0, func(p map[string]any) { p["limit"], p["observed"] = 3, 4 })
			o.Below = s.Log(t)
		}, requirement.OWP0061E3},
		{"fails before it says why", "bound-below", func(o *bounds.BoundsObservation) {
			s := hosttest.Bounded(3)
			n := len(s.Events)
			s.Events[n-1], s.Events[n-2] = s.Events[n-2], s.Events[n-1]
			o.Below = s.Log(t)
		}, requirement.OWP0061E3},
		{"another code", "bound-below", func(o *bounds.BoundsObservation) {
			s := hosttest.Bounded(3)
			s.Events[len(s.Events)-1] = hosttest.Failed("internal_error")
			o.Below = s.Log(t)
		}, requirement.OWP0061E3},
		{"completes after the breach", "bound-below",
			func(o *bounds.BoundsObservation) { o.Below = hosttest.Bounded(3).WithStatus("completed").Log(t) }, requirement.OWP0061E3},
		{"works on after it failed", "bound-below", func(o *bounds.BoundsObservation) {
			o.BelowLater = hosttest.Bounded(3).Then(hosttest.Decided(4, "next-worker")).Log(t)
		}, requirement.OWP0061E3},
		{"has failed before its last node begins", "bound-below", func(o *bounds.BoundsObservation) {
			s := hosttest.Bounded(3).Then(hosttest.Event{Kind: "node.started", Payload: map[string]any{"nodeId": "late"}})
			o.Below, o.BelowLater = s.Log(t), s.Log(t)
		}, requirement.OWP0061E3},
		{"never ends", "bound-below", func(o *bounds.BoundsObservation) { o.Below = hosttest.Bounded(3).WithStatus("running").Log(t) },
			requirement.OWP0061E3},
		{"a note after the failure", "bound-below", func(o *bounds.BoundsObservation) {
			o.BelowLater = hosttest.Bounded(3).Then(hosttest.Event{Kind: "lease.lost", Payload: map[string]any{}}).Log(t)
		}, "passed"},
		{"refuses the run", "bound-below", func(o *bounds.BoundsObservation) { o.Below.Created = wiretest.Status(t, 500) },
			hosttest.BlockedOn("")},

		{"honest", "bound-leaves-alone", func(*bounds.BoundsObservation) {}, "passed"},
		{"breaches at N", "bound-leaves-alone", func(o *bounds.BoundsObservation) { o.At = hosttest.Bounded(3).Log(t) }, requirement.OWP0061E6},
		{"breaches always", "bound-leaves-alone", func(o *bounds.BoundsObservation) { o.Above = hosttest.Bounded(2).Log(t) },
			requirement.OWP0061E6},
		{"never ends", "bound-leaves-alone",
			func(o *bounds.BoundsObservation) { o.At = hosttest.LoopOf(4).WithStatus("running").Log(t) }, hosttest.BlockedOn(requirement.OWP0037A1)},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			hosttest.Expect(t, c.scenario, o, c.want)
		})
	}
}

func TestJudgeOfTheLimit(t *testing.T) {
	bounded, free := hosttest.Bounded(5), hosttest.LoopOf(7)
	for _, c := range []struct {
		name                             string
		unasked, beside, overdone, inner hosttest.Story
		want                             string
	}{
		{"honest", bounded, bounded, bounded, bounded, "passed"},
		{"no limit unless asked", free, bounded, bounded, bounded, requirement.OWP0061E5},
		{"no limit beside another option", bounded, free, bounded, bounded, requirement.OWP0061E5},
		{"grants more when asked", bounded, bounded, hosttest.Bounded(6), bounded, requirement.OWP0061E5},
		{"stops early", hosttest.Bounded(4), hosttest.Bounded(4), hosttest.Bounded(4), bounded, requirement.OWP0061E5},
		{"no limit for what a loop dispatches", bounded, bounded, bounded, free, requirement.OWP0061E5},
	} {
		t.Run(c.name, func(t *testing.T) {
			hosttest.Expect(t, "limit-honoured", bounds.LimitObservation{Limit: 5, Unasked: c.unasked.Log(t), Beside: c.beside.Log(t),
				Overdone: c.overdone.Log(t), Inner: c.inner.Log(t)}, c.want)
		})
	}
	hosttest.Expect(t, "limit-honoured", bounds.LimitObservation{Limit: 5, Unasked: bounded.Log(t), Beside: bounded.Log(t),
		Overdone: bounded.Log(t), Inner: hosttest.LoopOf(4).Log(t), Outer: hosttest.LoopOf(1).Log(t)}, "passed") // it ends by itself
	for phase, want := range map[string]string{"child.failed": "passed", "child.cancelled": requirement.OWP0037B3} {
		t.Run("the loop says "+phase+" of one that its bound failed", func(t *testing.T) {
			outer := hosttest.LoopOf(1).Then(hosttest.Event{Kind: "core.workflowChain.event", Payload: map[string]any{"phase": phase}})
			hosttest.Expect(t, "limit-honoured", bounds.LimitObservation{Limit: 5, Unasked: bounded.Log(t), Beside: bounded.Log(t),
				Overdone: bounded.Log(t), Inner: bounded.Log(t), Outer: outer.Log(t)}, want)
		})
	}
}

func TestJudgeOfInterleavedLoops(t *testing.T) {
	second := func(s hosttest.Story) hosttest.Story { s.Id = "r2"; return s }
	honest := func() loop.InterleavedObservation {
		return loop.InterleavedObservation{Suspends: true, AskedAt: 3, Stateful: true, FirstN: 5, SecondN: 3,
			Suspended: wire.Wait{Reached: true}, Answered: wiretest.Status(t, 200),
			First: hosttest.LoopOf(5).Log(t), Second: second(hosttest.LoopOf(3)).Log(t)}
	}
	shift := func(s hosttest.Story, by int) hosttest.Story {
		for k := range 3 {
			s = s.Change("runOrchestrator.decided", k, func(p map[string]any) { p["iteration"] = k + 1 + by })
		}
		return s
	}
	for _, c := range []struct {
		name  string
		spoil func(*loop.InterleavedObservation)
		want  string
	}{
		{"honest", func(*loop.InterleavedObservation) {}, "passed"},
		{"the second goes on from the first",
			func(o *loop.InterleavedObservation) { o.Second = second(shift(hosttest.LoopOf(3), 2)).Log(t) }, requirement.OWP0061B4},
		{"the first loses its count", func(o *loop.InterleavedObservation) {
			o.First = hosttest.LoopOf(5).Change("runOrchestrator.decided", 3, func(p map[string]any) { p["iteration"] = 1 }).Log(t)
		}, requirement.OWP0061B2},
		{"events of the other run",
			func(o *loop.InterleavedObservation) { o.Second = hosttest.LoopOf(3).Log(t); o.Second.RunID = "r2" }, requirement.OWP0061B4},
		{"loses its count, but claims no stateful resume", func(o *loop.InterleavedObservation) {
			o.Stateful = false
			o.First = hosttest.LoopOf(5).Change("runOrchestrator.decided", 3, func(p map[string]any) { p["iteration"] = 1 }).Log(t)
		}, "passed"},
		{"loses its count before it was suspended", func(o *loop.InterleavedObservation) {
			o.Stateful = false
			o.First = hosttest.LoopOf(5).Change("runOrchestrator.decided", 1, func(p map[string]any) { p["iteration"] = 1 }).Log(t)
		}, requirement.OWP0061B2},
		{"one after the other", func(o *loop.InterleavedObservation) { o.Suspends = false }, "blocked"},
		{"never suspends", func(o *loop.InterleavedObservation) { o.Suspended.Reached = false }, hosttest.BlockedOn("")},
		{"refuses the answer", func(o *loop.InterleavedObservation) { o.Answered = wiretest.Status(t, 404) }, hosttest.BlockedOn("")},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			hosttest.Expect(t, "nothing-shared", o, c.want)
		})
	}
}

func TestJudgeOfReplays(t *testing.T) {
	honest := func() replay.ForkObservation {
		return replay.ForkObservation{Turns: 4, Bound: 3, Source: hosttest.LoopOf(4).Log(t),
			Replayed: hosttest.Fork(hosttest.LoopOf(4)).Log(t), BoundedSource: hosttest.Bounded(3).Log(t),
			BoundedReplayed: hosttest.Fork(hosttest.Bounded(3)).Log(t)}
	}
	for _, c := range []struct {
		name  string
		spoil func(*replay.ForkObservation)
		want  string
	}{
		{"honest", func(*replay.ForkObservation) {}, "passed"},
		{"a brand-new run of another length", func(o *replay.ForkObservation) { o.Replayed = hosttest.Fork(hosttest.LoopOf(3)).Log(t) },
			requirement.OWP0061M1},
		{"no breach in the replay", func(o *replay.ForkObservation) {
			o.BoundedReplayed = hosttest.Fork(hosttest.Bounded(3).Drop("cap.breached")).Log(t)
		}, requirement.OWP0061M1},
		{"another breach in the replay", func(o *replay.ForkObservation) {
			o.BoundedReplayed = hosttest.Fork(hosttest.Bounded(3).Change("cap.breached", 0, func(p map[string]any) { p["observed"] = 9 })).Log(t)
		}, requirement.OWP0061M1},
		{"the source itself as the fork", func(o *replay.ForkObservation) { o.Replayed = o.Source }, requirement.OWP0061M1},
		{"a fork that is no run", func(o *replay.ForkObservation) {
			o.Replayed = host.RunLog{Created: wiretest.Status(t, 201)}
		}, requirement.OWP0061M1},
		{"another reason to end", func(o *replay.ForkObservation) {
			o.Replayed = hosttest.Fork(hosttest.LoopOf(4).Change("runOrchestrator.decided", 3, func(p map[string]any) {
				p["decision"] = map[string]any{"kind": "terminate", "reason": "another"}
			})).Log(t)
		}, requirement.OWP0061M1},
		{"no fork", func(o *replay.ForkObservation) { o.Replayed = host.RunLog{Created: wiretest.Status(t, 404)} }, requirement.OWP0061M1},
		{"an empty source", func(o *replay.ForkObservation) {
			o.Source, o.Replayed = hosttest.LoopOf(4).Drop("runOrchestrator.decided").Log(t),
				hosttest.Fork(hosttest.LoopOf(4).Drop("runOrchestrator.decided")).Log(t)
		}, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			hosttest.Expect(t, "fork-keeps", o, c.want)
		})
	}
}
