package bounds_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/bounds"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// capped is an honest story of nodes that exceeded their bound n.
func capped(n int) hosttest.Story {
	s := hosttest.Nodes(n)
	s.Events = append(s.Events[:len(s.Events)-1], crossed("node-executions", n, n+1), hosttest.Failed("recursion_limit_exceeded"))
	return s.WithStatus("failed")
}

func crossed(kind string, limit, observed int) hosttest.Event {
	return hosttest.Event{Kind: "cap.breached", Payload: map[string]any{"kind": kind, "limit": limit, "observed": observed}}
}

// breached is the story as served by a host whose snapshot carries code and whose
// failure names the breach as its cause.
func breached(s hosttest.Story, t *testing.T, code string, stamps map[string]string) host.RunLog {
	t.Helper()
	l := s.Log(t)
	var events []any
	for _, e := range l.Events {
		doc := maps.Clone(e.Actual().(map[string]any))
		kind := e.Key("type").String()
		if at, ok := stamps[kind]; ok {
			doc["timestamp"] = at
		}
		if breach := l.Breaches().Last(); kind == "run.failed" && breach.Present() {
			doc["causationId"] = breach.Key("eventId").String()
		}
		events = append(events, doc)
	}
	v := wiretest.Value(t, map[string]any{"events": events, "snapshot": map[string]any{"runId": s.Id, "status": s.Status,
		"error": map[string]any{"code": code}}})
	l.Events, l.Ended.Last = v.Key("events").Items(), v.Key("snapshot")
	return l
}

func recursed(s hosttest.Story, t *testing.T) host.RunLog {
	t.Helper()
	return breached(s, t, "recursion_limit_exceeded", nil)
}

func TestJudgesOfTheBoundOnNodes(t *testing.T) {
	swapped := capped(3)
	n := len(swapped.Events)
	swapped.Events = slices.Clone(swapped.Events)
	swapped.Events[n-1], swapped.Events[n-2] = swapped.Events[n-2], swapped.Events[n-1]
	edit := func(k string, v any) hosttest.Story {
		return capped(3).Change("cap.breached", 0, func(p map[string]any) { p[k] = v })
	}
	below := func(s hosttest.Story) func(*bounds.NodesObservation) {
		return func(o *bounds.NodesObservation) { o.Below, o.Lull = recursed(s, t), hosttest.Lull(t, s) }
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*bounds.NodesObservation)
		want           string
	}{
		{"honest", "nodes-bounded", func(*bounds.NodesObservation) {}, "passed"},
		{"ignores the bound", "nodes-bounded", below(hosttest.Nodes(6)), requirement.OWPBND1},
		{"breaches a node early", "nodes-bounded", below(func() hosttest.Story {
			s := capped(2)
			return s.Change("cap.breached", 0, func(p map[string]any) { p["limit"], p["observed"] = 3, 4 })
		}()), requirement.OWPBND1},
		{"starts the refused node", "nodes-bounded", below(func() hosttest.Story {
			s := capped(4)
			return s.Change("cap.breached", 0, func(p map[string]any) { p["limit"], p["observed"] = 3, 4 })
		}()), requirement.OWPBND1},
		{"a loop starts its dispatch beyond the bound", "nodes-bounded", func(o *bounds.NodesObservation) {
			o.Free, o.Loops = hosttest.Nodes(6).Log(t), []bounds.NodesLoop{{Bound: 3, Log: recursed(capped(3), t)}, {Bound: 4,
				Log: recursed(capped(5).Change("cap.breached", 0, func(p map[string]any) { p["limit"], p["observed"] = 4, 5 }), t)}}
		}, requirement.OWPBND1},
		{"a loop keeps its bound", "nodes-bounded", func(o *bounds.NodesObservation) {
			o.Free, o.Loops = hosttest.Nodes(6).Log(t), []bounds.NodesLoop{{Bound: 3, Log: recursed(capped(3), t)}}
		}, "passed"},
		{"another kind", "nodes-bounded", below(edit("kind", "loop-iterations")), requirement.OWPBND2},
		{"observed n", "nodes-bounded", below(edit("observed", 3)), requirement.OWPBND2},
		{"a limit of its own", "nodes-bounded", below(edit("limit", 100)), requirement.OWPBND2},
		{"no breach", "nodes-bounded", below(capped(3).Drop("cap.breached")), requirement.OWPBND2},
		{"two breaches", "nodes-bounded", below(func() hosttest.Story {
			s := capped(3)
			s.Events = slices.Insert(slices.Clone(s.Events), n-2, s.Events[n-2])
			return s
		}()), requirement.OWPBND2},
		{"fails before it says why", "nodes-bounded", below(swapped), requirement.OWPBND3},
		{"another code", "nodes-bounded", below(func() hosttest.Story {
			s := capped(3)
			s.Events = append(slices.Clone(s.Events[:n-1]), hosttest.Failed("internal_error"))
			return s
		}()), requirement.OWPBND3},
		{"another code in the snapshot", "nodes-bounded",
			func(o *bounds.NodesObservation) { o.Below = breached(capped(3), t, "internal_error", nil) }, requirement.OWPBND3},
		{"completes after the breach", "nodes-bounded", below(capped(3).WithStatus("completed")), requirement.OWPBND3},
		{"never ends", "nodes-bounded", below(capped(3).WithStatus("running")), requirement.OWPBND3},
		{"works on after it failed", "nodes-bounded", func(o *bounds.NodesObservation) {
			o.Lull = hosttest.Lull(t, capped(3).Then(hosttest.Event{Kind: "node.started", Payload: map[string]any{"nodeId": "n4"}}))
		}, requirement.OWPBND12},
		{"has failed before its last work", "nodes-bounded", below(capped(3).Then(hosttest.Event{Kind: "node.dispatched",
			Payload: map[string]any{"childWorkflowId": "late"}})), requirement.OWPBND12},
		{"shows no nodes", "nodes-bounded", func(o *bounds.NodesObservation) {
			o.Below, o.Above = recursed(capped(3).Drop("node.started"), t), hosttest.Nodes(6).Drop("node.started").Log(t)
		}, "blocked"},
		{"refuses the run", "nodes-bounded", func(o *bounds.NodesObservation) { o.Below.Created = wiretest.Status(t, 500) }, "blocked"},
		{"runs no other run", "nodes-bounded", func(o *bounds.NodesObservation) { o.Lull.Sentinel.Reached = false }, "blocked"},

		{"honest", "nodes-leave-alone", func(*bounds.NodesObservation) {}, "passed"},
		{"breaches at n", "nodes-leave-alone", func(o *bounds.NodesObservation) { o.At = recursed(capped(5), t) }, requirement.OWPBND4},
		{"breaches always", "nodes-leave-alone", func(o *bounds.NodesObservation) { o.Above = recursed(capped(3), t) }, requirement.OWPBND4},
		{"never ends", "nodes-leave-alone", func(o *bounds.NodesObservation) { o.At = hosttest.Nodes(6).WithStatus("running").Log(t) },
			"blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := bounds.NodesObservation{Nodes: 6, Bound: 3, Below: recursed(capped(3), t), At: hosttest.Nodes(6).Log(t),
				Above: hosttest.Nodes(6).Log(t), Lull: hosttest.Lull(t, capped(3))}
			c.spoil(&o)
			hosttest.Expect(t, c.scenario, o, c.want)
		})
	}
	t.Run("a failure without a cause is a finding", func(t *testing.T) {
		o := bounds.NodesObservation{Nodes: 6, Bound: 3, Below: recursed(capped(3), t), At: hosttest.Nodes(6).Log(t),
			Above: hosttest.Nodes(6).Log(t), Lull: hosttest.Lull(t, capped(3))}
		plain := capped(3).Log(t)
		o.Below.Events = plain.Events
		out := scenarios.Conclude(hosttest.Scenario(t, "nodes-bounded"), openwop.Protocol.Ledger, o)
		if out.Verdict != scenarios.Passed || len(out.Findings) != 1 || out.Findings[0].Requirement != requirement.OWPBND13 {
			t.Errorf("%s, findings %v", out.Verdict, out.Findings)
		}
	})
}

func TestJudgeOfTheNodeLimit(t *testing.T) {
	for _, c := range []struct {
		name                      string
		unasked, beside, overdone hosttest.Story
		want                      string
	}{
		{"honest", capped(5), capped(5), capped(5), "passed"},
		{"no limit unless asked", hosttest.Nodes(7), capped(5), capped(5), requirement.OWPBND5},
		{"no limit beside another option", capped(5), hosttest.Nodes(7), capped(5), requirement.OWPBND5},
		{"grants more when asked", capped(5), capped(5), capped(6), requirement.OWPBND5},
		{"stops early", capped(4), capped(4), capped(4), requirement.OWPBND5},
		{"never stops", capped(5), capped(5), capped(5).WithStatus("running"), requirement.OWPBND5},
	} {
		t.Run(c.name, func(t *testing.T) {
			hosttest.Expect(t, "node-limit-honoured", bounds.LimitObservation{Limit: 5, Unasked: recursed(c.unasked, t),
				Beside: recursed(c.beside, t), Overdone: recursed(c.overdone, t)}, c.want)
		})
	}
}

// late is an honest story of a run that exceeded its time.
func late(limit, observed int) hosttest.Story {
	s := hosttest.Story{Id: "r", Status: "failed", Events: []hosttest.Event{{Kind: "run.started", Payload: nil},
		{Kind: "node.started", Payload: map[string]any{"nodeId": "wait"}}, crossed("run-duration", limit, observed)}}
	return s.Then(hosttest.Event{Kind: "run.failed", Payload: map[string]any{"error": map[string]any{"code": "run_timeout",
		"message": "m", "details": map[string]any{"elapsedMs": observed}}}})
}

func timedOut(s hosttest.Story, t *testing.T, from, to string) host.RunLog {
	t.Helper()
	l := breached(s, t, "run_timeout", map[string]string{"run.started": from, "cap.breached": to})
	l.Ended.Took = 1300 * time.Millisecond
	return l
}

func TestJudgesOfTheBoundOnTime(t *testing.T) {
	const from, to = "2026-11-03T12:00:00.100Z", "2026-11-03T12:00:01.301Z"
	over := func(s hosttest.Story, to string) func(*bounds.OvertimeObservation) {
		return func(o *bounds.OvertimeObservation) { o.Over, o.Lull = timedOut(s, t, from, to), hosttest.Lull(t, s) }
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*bounds.OvertimeObservation)
		want           string
		findings       []scenarios.RequirementID
	}{
		{"honest", "time-bounded", func(*bounds.OvertimeObservation) {}, "passed", nil},
		{"observed is the limit", "time-bounded", over(late(1200, 1200), to), "passed", []scenarios.RequirementID{""}},
		{"a millisecond early by its own clock", "time-bounded", over(late(1200, 1201), "2026-11-03T12:00:01.299Z"), "passed", nil},
		{"as early as there is to spare", "time-bounded", over(late(1200, 1201), "2026-11-03T12:00:01.241Z"), "passed", nil},
		{"fails early by its own clock", "time-bounded", over(late(1200, 1201), "2026-11-03T12:00:01.240Z"), requirement.OWPBND6, nil},
		{"timestamps without fractions", "time-bounded", func(o *bounds.OvertimeObservation) {
			o.Over = timedOut(late(1200, 1201), t, "2026-11-03T12:00:00Z", "2026-11-03T12:00:01Z")
		}, "passed", nil},
		{"full seconds, up to one too early", "time-bounded", func(o *bounds.OvertimeObservation) {
			o.Over = timedOut(late(1200, 2000), t, "2026-11-03T12:00:00Z", "2026-11-03T12:00:02Z")
			o.Over.Ended.Took = 1050 * time.Millisecond
		}, "passed", nil},
		{"full seconds, and at once", "time-bounded", func(o *bounds.OvertimeObservation) {
			o.Over = timedOut(late(1200, 2000), t, "2026-11-03T12:00:00Z", "2026-11-03T12:00:02Z")
			o.Over.Ended.Took = 50 * time.Millisecond
		}, requirement.OWPBND6, nil},
		{"timestamps that are none", "time-bounded", func(o *bounds.OvertimeObservation) {
			o.Over = timedOut(late(1200, 1201), t, "noon", "later")
		}, "passed", []scenarios.RequirementID{""}},
		{"names a node", "time-bounded", over(late(1200, 1201).Change("cap.breached", 0,
			func(p map[string]any) { p["nodeId"] = "wait" }), to), "passed",
			[]scenarios.RequirementID{requirement.OWPBND14}},
		{"does not say how long", "time-bounded", over(late(1200, 1201).Change("run.failed", 0, func(p map[string]any) {
			p["error"] = map[string]any{"code": "run_timeout", "message": "m"}
		}), to), "passed", []scenarios.RequirementID{requirement.OWPBND11}},
		{"as early by our clock as there is to spare", "time-bounded", func(o *bounds.OvertimeObservation) {
			o.Over.Ended.Took = 1140 * time.Millisecond
		}, "passed", nil},
		{"earlier by our clock", "time-bounded", func(o *bounds.OvertimeObservation) {
			o.Over.Ended.Took = 1139 * time.Millisecond
		}, requirement.OWPBND6, nil},
		{"fails at once", "time-bounded", func(o *bounds.OvertimeObservation) {
			o.Over.Ended.Took = 20 * time.Millisecond
		}, requirement.OWPBND6, nil},
		{"never stops", "time-bounded", over(late(1200, 1201).WithStatus("running"), to), requirement.OWPBND6, nil},
		{"observed below the limit", "time-bounded", over(late(1200, 1199), to), requirement.OWPBND7, nil},
		{"observed in words", "time-bounded", over(late(1200, 1201).Change("cap.breached", 0,
			func(p map[string]any) { p["observed"] = "1201" }), to), requirement.OWPBND7, nil},
		{"another kind", "time-bounded", over(late(1200, 1201).Change("cap.breached", 0,
			func(p map[string]any) { p["kind"] = "node-executions" }), to), requirement.OWPBND7, nil},
		{"a limit of its own", "time-bounded", over(late(60000, 60001), to), requirement.OWPBND7, nil},
		{"no breach", "time-bounded", over(late(1200, 1201).Drop("cap.breached"), to), requirement.OWPBND7, nil},
		{"another code", "time-bounded", func(o *bounds.OvertimeObservation) {
			o.Over.Ended.Last = wiretest.Value(t, map[string]any{"status": "failed", "error": map[string]any{"code": "internal_error"}})
		}, requirement.OWPBND8, nil},
		{"completes", "time-bounded", over(late(1200, 1201).WithStatus("completed"), to), requirement.OWPBND8, nil},
		{"works on", "time-bounded", func(o *bounds.OvertimeObservation) {
			o.Lull = hosttest.Lull(t, late(1200, 1201).Then(hosttest.Event{Kind: "node.completed", Payload: nil}))
		}, requirement.OWPBND12, nil},
		{"has failed before its last node begins", "time-bounded", func(o *bounds.OvertimeObservation) {
			s := late(1200, 1201).Then(hosttest.Event{Kind: "node.started", Payload: nil})
			o.Over, o.Lull = timedOut(s, t, from, to), hosttest.Lull(t, s)
		}, requirement.OWPBND12, nil},
		{"refuses the run", "time-bounded", func(o *bounds.OvertimeObservation) { o.Over.Created = wiretest.Status(t, 400) }, "blocked", nil},

		{"honest", "time-leaves-alone", func(*bounds.OvertimeObservation) {}, "passed", nil},
		{"fails all the same", "time-leaves-alone", func(o *bounds.OvertimeObservation) { o.InTime = late(1200, 1201).Log(t) },
			requirement.OWPBND9, nil},
		{"tells of a breach and completes", "time-leaves-alone", func(o *bounds.OvertimeObservation) {
			o.InTime = late(1200, 1201).WithStatus("completed").Log(t)
		}, requirement.OWPBND9, nil},

		{"honest", "time-breach-replayed", func(*bounds.OvertimeObservation) {}, "passed", nil},
		{"measures anew", "time-breach-replayed",
			func(o *bounds.OvertimeObservation) { o.Replayed = hosttest.Fork(late(1200, 1207)).Log(t) }, requirement.OWPBND15, nil},
		{"waits to the end", "time-breach-replayed",
			func(o *bounds.OvertimeObservation) { o.Replayed = hosttest.Fork(hosttest.Nodes(1)).Log(t) }, requirement.OWPBND15, nil},
		{"no fork", "time-breach-replayed",
			func(o *bounds.OvertimeObservation) { o.Replayed = host.RunLog{Created: wiretest.Status(t, 404)} }, requirement.OWPBND15, nil},
		{"a source that crossed nothing", "time-breach-replayed", func(o *bounds.OvertimeObservation) {
			o.Over, o.Replayed = hosttest.Nodes(1).Log(t), hosttest.Fork(hosttest.Nodes(1)).Log(t)
		}, "blocked", nil},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := bounds.OvertimeObservation{Bound: 1200, Over: timedOut(late(1200, 1201), t, from, to), InTime: hosttest.Nodes(1).Log(t),
				Lull: hosttest.Lull(t, late(1200, 1201)), Replayed: hosttest.Fork(late(1200, 1201)).Log(t)}
			c.spoil(&o)
			hosttest.Expect(t, c.scenario, o, c.want)
			if c.want != "passed" {
				return
			}
			var found []scenarios.RequirementID
			for _, f := range scenarios.Conclude(hosttest.Scenario(t, c.scenario), openwop.Protocol.Ledger, o).Findings {
				found = append(found, f.Requirement)
			}
			if !slices.Equal(found, c.findings) {
				t.Errorf("findings %v, want %v", found, c.findings)
			}
		})
	}
}

func TestJudgeOfReplayedNodes(t *testing.T) {
	for _, c := range []struct {
		name             string
		source, replayed hosttest.Story
		want             string
	}{
		{"honest", capped(3), hosttest.Fork(capped(3)), "passed"},
		{"no bound in the replay", capped(3), hosttest.Fork(hosttest.Nodes(6)), requirement.OWPBND15},
		{"another bound in the replay", capped(3), hosttest.Fork(capped(4)), requirement.OWPBND15},
		{"no breach in the replay", capped(3), hosttest.Fork(capped(3).Drop("cap.breached")), requirement.OWPBND15},
		{"the source itself", capped(3), capped(3), requirement.OWPBND15},
		{"a replay that never ends", capped(3), hosttest.Fork(capped(3)).WithStatus("running"), requirement.OWPBND15},
		{"a source without a breach", hosttest.Nodes(6), hosttest.Fork(hosttest.Nodes(6)), "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			hosttest.Expect(t, "node-breach-replayed", bounds.ReplayedBreachObservation{Source: c.source.Log(t),
				Replayed: c.replayed.Log(t)}, c.want)
		})
	}
}

func TestJudgeOfLoopsInALoop(t *testing.T) {
	inner := hosttest.LoopOf(4).Named("c1").Log(t)
	plain := func(turns int) host.RunLog { return hosttest.LoopOf(turns).Log(t) }
	for _, c := range []struct {
		name string
		o    bounds.NestedObservation
		want string
	}{
		{"honest", bounds.NestedObservation{Turns: 2, Plain: plain(2), Log: hosttest.LoopOf(2).Log(t), Children: []host.RunLog{inner}}, "passed"},
		{"counts the inner turns", bounds.NestedObservation{Turns: 3, Plain: plain(3), Log: hosttest.Bounded(1).Log(t),
			Children: []host.RunLog{inner}}, requirement.OWPBND16},
		{"counts them and completes", bounds.NestedObservation{Turns: 3, Plain: plain(3), Log: hosttest.LoopOf(2).Log(t),
			Children: []host.RunLog{inner}}, requirement.OWPBND16},
		{"bounds the inner loop", bounds.NestedObservation{Turns: 2, Plain: plain(2), Log: hosttest.LoopOf(2).Log(t),
			Children: []host.RunLog{hosttest.Bounded(2).Named("c1").Log(t)}}, "blocked"},
		{"an inner loop without turns", bounds.NestedObservation{Turns: 2, Plain: plain(2), Log: hosttest.LoopOf(2).Log(t),
			Children: []host.RunLog{hosttest.Nodes(1).Named("c1").Log(t)}}, "blocked"},
		{"no inner loop", bounds.NestedObservation{Turns: 2, Plain: plain(2), Log: hosttest.LoopOf(2).Log(t)}, "blocked"},
		{"bounds every loop", bounds.NestedObservation{Turns: 2, Plain: hosttest.Bounded(1).Log(t), Log: hosttest.Bounded(1).Log(t),
			Children: []host.RunLog{inner}}, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) { hosttest.Expect(t, "inner-turns-apart", c.o, c.want) })
	}
}

// A SHOULD: a host that bounds turns without claiming to gets a finding, not a
// failure.
func TestJudgeOfTurnsWithoutAModel(t *testing.T) {
	for name, c := range map[string]struct {
		below    hosttest.Story
		findings int
	}{"honest": {hosttest.LoopOf(4), 0}, "bounds them all the same": {hosttest.Bounded(3), 2}} {
		t.Run(name, func(t *testing.T) {
			out := scenarios.Conclude(hosttest.Scenario(t, "turns-without-model"), openwop.Protocol.Ledger,
				bounds.BoundsObservation{Turns: 4, Below: c.below.Log(t)})
			if out.Verdict != scenarios.Passed || len(out.Findings) != c.findings {
				t.Errorf("%s, findings %v", out.Verdict, out.Findings)
			}
		})
	}
}

// A set-up accuses the target of nothing but what its log shows: a sentence is named only where no honest host
// could have sent the same.
func TestSetupsThatAccuse(t *testing.T) {
	lasting := func(to string) host.RunLog {
		return timedOut(late(1200, 1201).Drop("cap.breached"), t, "2026-11-03T12:00:00.100Z", to)
	}
	nodes := func(s hosttest.Story) any { return bounds.ReplayedBreachObservation{Nodes: 6, Source: s.Log(t)} }
	nested := func(s hosttest.Story) any { return bounds.NestedObservation{Turns: 3, Plain: s.Log(t)} }
	stamped := func(l host.RunLog, to string) host.RunLog {
		last := len(l.Events) - 1
		event := l.Events[last].Actual().(map[string]any)
		event["timestamp"] = to
		l.Events[last] = wiretest.Value(t, event)
		return l
	}
	unended := func(l host.RunLog) host.RunLog { l.Ended.Reached = false; return l }
	const late12 = "2026-11-03T12:00:01.500Z"
	for _, c := range []struct {
		name, scenario string
		o              any
		want           scenarios.RequirementID
	}{
		{"six nodes in spite of the bound", "node-breach-replayed", nodes(hosttest.Nodes(6)), requirement.OWPBND2},
		{"a workflow of fewer nodes", "node-breach-replayed", nodes(hosttest.Nodes(2)), ""},
		{"failed for another reason", "node-breach-replayed", nodes(capped(3).Drop("cap.breached")), ""},
		{"never ends", "node-breach-replayed", nodes(capped(3).WithStatus("running")), ""},
		{"over its time without a breach", "time-breach-replayed",
			bounds.OvertimeObservation{Over: stamped(lasting(""), late12)}, requirement.OWPBND7},
		{"failed at once", "time-breach-replayed",
			bounds.OvertimeObservation{Over: stamped(lasting(""), "2026-11-03T12:00:00.200Z")}, ""},
		{"started and never stopped", "time-breach-replayed",
			bounds.OvertimeObservation{Over: unended(late(1200, 1201).Log(t))}, requirement.OWPBND6},
		{"never started", "time-breach-replayed",
			bounds.OvertimeObservation{Over: unended(late(1200, 1201).Drop("run.started").Log(t))}, ""},
		{"a short run that is late", "time-leaves-alone", bounds.OvertimeObservation{InTime: unended(hosttest.Nodes(1).Log(t))}, ""},
		{"a loop that is stopped early", "inner-turns-apart", nested(hosttest.Bounded(1)), requirement.OWP0061E6},
		{"a loop that takes more turns than planned", "inner-turns-apart", nested(hosttest.Bounded(3)), ""},
		{"a loop that is stopped by another bound", "inner-turns-apart", nested(hosttest.Bounded(1).Change("cap.breached", 0,
			func(p map[string]any) { p["kind"] = "run-duration" })), ""},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, c.scenario, c.o, hosttest.BlockedOn(c.want))
		})
	}
}

func TestJudgeOfImpossibleOptions(t *testing.T) {
	tried := func(codes ...int) []bounds.TriedOption {
		var out []bounds.TriedOption
		for _, code := range codes {
			out = append(out, bounds.TriedOption{Option: `"recursionLimit": 0`, Status: wiretest.Status(t, code)})
		}
		return out
	}
	either := func(out []bounds.TriedOption) []bounds.TriedOption {
		for i := range out {
			out[i].Either = true
		}
		return append(out, tried(400)...)
	}
	for _, c := range []struct {
		name     string
		o        bounds.OptionsObservation
		want     string
		findings int
	}{
		{"honest", bounds.OptionsObservation{Possible: tried(201, 201), Impossible: tried(400, 400)}, "passed", 0},
		{"takes one", bounds.OptionsObservation{Possible: tried(201), Impossible: tried(400, 201)}, requirement.OWPBND21, 0},
		{"refuses some otherwise", bounds.OptionsObservation{Possible: tried(201), Impossible: tried(400, 422)}, "passed", 1},
		{"falls over", bounds.OptionsObservation{Possible: tried(201), Impossible: tried(400, 500)}, requirement.OWPBND21, 0},
		{"takes a threshold", bounds.OptionsObservation{Possible: tried(201), Impossible: either(tried(201, 400))}, "passed", 1},
		{"falls over at a threshold", bounds.OptionsObservation{Possible: tried(201), Impossible: either(tried(500))},
			requirement.OWPBND21, 0},
		{"refuses all options", bounds.OptionsObservation{Possible: tried(201, 400), Impossible: tried(400)}, "blocked", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			hosttest.Expect(t, "options-refused", c.o, c.want)
			if out := scenarios.Conclude(hosttest.Scenario(t, "options-refused"), openwop.Protocol.Ledger, c.o); c.want == "passed" &&
				len(out.Findings) != c.findings {
				t.Errorf("findings %v", out.Findings)
			}
		})
	}
}

func TestJudgeOfOptionsThatAreKept(t *testing.T) {
	shown := func(limit int, threshold float64) wire.Value {
		return wiretest.Value(t, map[string]any{"status": "completed", "configurable": map[string]any{"recursionLimit": limit,
			"runTimeoutMs": 9000, "escalationThreshold": threshold, "model": "m"}})
	}
	none := wiretest.Value(t, map[string]any{"status": "completed"})
	for _, c := range []struct {
		name        string
		early, late wire.Value
		want        string
	}{
		{"honest", shown(40, 0.25), shown(40, 0.25), "passed"},
		{"shows another bound", shown(41, 0.25), shown(41, 0.25), requirement.OWPBND23},
		{"changes it on the way", shown(40, 0.25), shown(250, 0.25), requirement.OWPBND23},
		{"rounds the threshold", shown(40, 0.3), shown(40, 0.3), requirement.OWPBND23},
		{"forgets it", shown(40, 0.25), none, "blocked"},
		{"shows nothing", none, none, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := bounds.EchoObservation{RecursionLimit: 40, RunTimeoutMs: 9000, Threshold: 0.25, Early: c.early, Log: hosttest.Nodes(1).Log(t)}
			o.Log.Ended.Last = c.late
			hosttest.Expect(t, "options-kept", o, c.want)
		})
	}
}
