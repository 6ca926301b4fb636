package openwop_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// nodes is the honest story of n nodes in a row that end by themselves.
func nodes(n int) story {
	s := story{id: "r", status: "completed", events: []event{{"run.started", nil}}}
	for i := range n {
		id := fmt.Sprint("n", i+1)
		s.events = append(s.events, event{"node.started", map[string]any{"nodeId": id}}, event{"node.completed", map[string]any{"nodeId": id}})
	}
	return s.then(event{"run.completed", nil})
}

// capped is the honest story of nodes that crossed their bound n.
func capped(n int) story {
	s := nodes(n)
	s.events = append(s.events[:len(s.events)-1], crossed("node-executions", n, n+1), failed("recursion_limit_exceeded"))
	return s.withStatus("failed")
}

func crossed(kind string, limit, observed int) event {
	return event{"cap.breached", map[string]any{"kind": kind, "limit": limit, "observed": observed}}
}

// breached is the story as a host serves it that fails with this code in the
// snapshot too, and that names the breach as the cause of the failure.
func (s story) breached(t *testing.T, code string, stamps map[string]string) openwop.RunLog {
	t.Helper()
	l := s.log(t)
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
	v := wiretest.Value(t, map[string]any{"events": events, "snapshot": map[string]any{"runId": s.id, "status": s.status, "error": map[string]any{"code": code}}})
	l.Events, l.Ended.Last = v.Key("events").Items(), v.Key("snapshot")
	return l
}

func (s story) recursed(t *testing.T) openwop.RunLog {
	t.Helper()
	return s.breached(t, "recursion_limit_exceeded", nil)
}

func TestJudgesOfTheBoundOnNodes(t *testing.T) {
	swapped := capped(3)
	n := len(swapped.events)
	swapped.events = slices.Clone(swapped.events)
	swapped.events[n-1], swapped.events[n-2] = swapped.events[n-2], swapped.events[n-1]
	edit := func(k string, v any) story {
		return capped(3).change("cap.breached", 0, func(p map[string]any) { p[k] = v })
	}
	below := func(s story) func(*openwop.NodesObservation) {
		return func(o *openwop.NodesObservation) { o.Below, o.Lull = s.recursed(t), lull(t, s) }
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*openwop.NodesObservation)
		want           string
	}{
		{"honest", "nodes-bounded", func(*openwop.NodesObservation) {}, "passed"},
		{"ignores the bound", "nodes-bounded", below(nodes(6)), openwopv1.OWPBND1},
		{"breaches a node early", "nodes-bounded", below(func() story {
			s := capped(2)
			return s.change("cap.breached", 0, func(p map[string]any) { p["limit"], p["observed"] = 3, 4 })
		}()), openwopv1.OWPBND1},
		{"starts the refused node", "nodes-bounded", below(func() story {
			s := capped(4)
			return s.change("cap.breached", 0, func(p map[string]any) { p["limit"], p["observed"] = 3, 4 })
		}()), openwopv1.OWPBND1},
		{"another kind", "nodes-bounded", below(edit("kind", "loop-iterations")), openwopv1.OWPBND2},
		{"observed n", "nodes-bounded", below(edit("observed", 3)), openwopv1.OWPBND2},
		{"a limit of its own", "nodes-bounded", below(edit("limit", 100)), openwopv1.OWPBND2},
		{"no breach", "nodes-bounded", below(capped(3).drop("cap.breached")), openwopv1.OWPBND2},
		{"two breaches", "nodes-bounded", below(func() story {
			s := capped(3)
			s.events = slices.Insert(slices.Clone(s.events), n-2, s.events[n-2])
			return s
		}()), openwopv1.OWPBND2},
		{"fails before it says why", "nodes-bounded", below(swapped), openwopv1.OWPBND3},
		{"another code", "nodes-bounded", below(func() story {
			s := capped(3)
			s.events = append(slices.Clone(s.events[:n-1]), failed("internal_error"))
			return s
		}()), openwopv1.OWPBND3},
		{"another code in the snapshot", "nodes-bounded", func(o *openwop.NodesObservation) { o.Below = capped(3).breached(t, "internal_error", nil) }, openwopv1.OWPBND3},
		{"completes after the breach", "nodes-bounded", below(capped(3).withStatus("completed")), openwopv1.OWPBND3},
		{"never ends", "nodes-bounded", below(capped(3).withStatus("running")), openwopv1.OWPBND3},
		{"works on after it failed", "nodes-bounded", func(o *openwop.NodesObservation) {
			o.Lull = lull(t, capped(3).then(event{"node.started", map[string]any{"nodeId": "n4"}}))
		}, openwopv1.OWPBND12},
		{"has failed before its last work", "nodes-bounded", below(capped(3).then(event{"node.dispatched", map[string]any{"childWorkflowId": "late"}})), openwopv1.OWPBND12},
		{"shows no nodes", "nodes-bounded", func(o *openwop.NodesObservation) {
			o.Below, o.Above = capped(3).drop("node.started").recursed(t), nodes(6).drop("node.started").log(t)
		}, "blocked"},
		{"refuses the run", "nodes-bounded", func(o *openwop.NodesObservation) { o.Below.Created = wiretest.Status(t, 500) }, "blocked"},
		{"runs no other run", "nodes-bounded", func(o *openwop.NodesObservation) { o.Lull.Sentinel.Reached = false }, "blocked"},

		{"honest", "nodes-leave-alone", func(*openwop.NodesObservation) {}, "passed"},
		{"breaches at n", "nodes-leave-alone", func(o *openwop.NodesObservation) { o.At = capped(5).recursed(t) }, openwopv1.OWPBND4},
		{"breaches always", "nodes-leave-alone", func(o *openwop.NodesObservation) { o.Above = capped(3).recursed(t) }, openwopv1.OWPBND4},
		{"never ends", "nodes-leave-alone", func(o *openwop.NodesObservation) { o.At = nodes(6).withStatus("running").log(t) }, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := openwop.NodesObservation{Nodes: 6, Bound: 3, Below: capped(3).recursed(t), At: nodes(6).log(t), Above: nodes(6).log(t), Lull: lull(t, capped(3))}
			c.spoil(&o)
			expect(t, c.scenario, o, c.want)
		})
	}
	t.Run("a failure without a cause is a finding", func(t *testing.T) {
		o := openwop.NodesObservation{Nodes: 6, Bound: 3, Below: capped(3).recursed(t), At: nodes(6).log(t), Above: nodes(6).log(t), Lull: lull(t, capped(3))}
		plain := capped(3).log(t)
		o.Below.Events = plain.Events
		out := scenarios.Conclude(scenario(t, "nodes-bounded"), openwop.Protocol.Ledger, o)
		if out.Verdict != scenarios.Passed || len(out.Findings) != 1 || out.Findings[0].Requirement != openwopv1.OWPBND13 {
			t.Errorf("%s, findings %v", out.Verdict, out.Findings)
		}
	})
}

func TestJudgeOfTheNodeLimit(t *testing.T) {
	for _, c := range []struct {
		name              string
		unasked, overdone story
		want              string
	}{
		{"honest", capped(5), capped(5), "passed"},
		{"no limit unless asked", nodes(7), capped(5), openwopv1.OWPBND5},
		{"grants more when asked", capped(5), capped(6), openwopv1.OWPBND5},
		{"stops early", capped(4), capped(4), openwopv1.OWPBND5},
		{"never stops", capped(5), capped(5).withStatus("running"), openwopv1.OWPBND5},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect(t, "node-limit-honoured", openwop.LimitObservation{Limit: 5, Unasked: c.unasked.recursed(t), Overdone: c.overdone.recursed(t)}, c.want)
		})
	}
}

// late is the honest story of a run that was over its time.
func late(limit, observed int) story {
	s := story{id: "r", status: "failed", events: []event{{"run.started", nil}, {"node.started", map[string]any{"nodeId": "wait"}}, crossed("run-duration", limit, observed)}}
	return s.then(event{"run.failed", map[string]any{"error": map[string]any{"code": "run_timeout", "message": "m", "details": map[string]any{"elapsedMs": observed}}}})
}

func (s story) timedOut(t *testing.T, from, to string) openwop.RunLog {
	t.Helper()
	l := s.breached(t, "run_timeout", map[string]string{"run.started": from, "cap.breached": to})
	l.Ended.Took = 1300 * time.Millisecond
	return l
}

func TestJudgesOfTheBoundOnTime(t *testing.T) {
	const from, to = "2026-11-03T12:00:00.100Z", "2026-11-03T12:00:01.301Z"
	over := func(s story, to string) func(*openwop.OvertimeObservation) {
		return func(o *openwop.OvertimeObservation) { o.Over, o.Lull = s.timedOut(t, from, to), lull(t, s) }
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*openwop.OvertimeObservation)
		want           string
		findings       []scenarios.RequirementID
	}{
		{"honest", "time-bounded", func(*openwop.OvertimeObservation) {}, "passed", nil},
		{"observed is the limit", "time-bounded", over(late(1200, 1200), to), "passed", []scenarios.RequirementID{openwopv1.OWPBND7}},
		{"timestamps without fractions", "time-bounded", func(o *openwop.OvertimeObservation) {
			o.Over = late(1200, 1201).timedOut(t, "2026-11-03T12:00:00Z", "2026-11-03T12:00:01Z")
		}, "passed", nil},
		{"full seconds, up to one too early", "time-bounded", func(o *openwop.OvertimeObservation) {
			o.Over = late(1200, 2000).timedOut(t, "2026-11-03T12:00:00Z", "2026-11-03T12:00:02Z")
			o.Over.Ended.Took = 1050 * time.Millisecond
		}, "passed", nil},
		{"full seconds, and at once", "time-bounded", func(o *openwop.OvertimeObservation) {
			o.Over = late(1200, 2000).timedOut(t, "2026-11-03T12:00:00Z", "2026-11-03T12:00:02Z")
			o.Over.Ended.Took = 50 * time.Millisecond
		}, openwopv1.OWPBND6, nil},
		{"timestamps that are none", "time-bounded", func(o *openwop.OvertimeObservation) {
			o.Over = late(1200, 1201).timedOut(t, "noon", "later")
		}, "passed", []scenarios.RequirementID{openwopv1.OWPBND6}},
		{"names a node", "time-bounded", over(late(1200, 1201).change("cap.breached", 0, func(p map[string]any) { p["nodeId"] = "wait" }), to), "passed",
			[]scenarios.RequirementID{openwopv1.OWPBND14}},
		{"does not say how long", "time-bounded", over(late(1200, 1201).change("run.failed", 0, func(p map[string]any) {
			p["error"] = map[string]any{"code": "run_timeout", "message": "m"}
		}), to), "passed", []scenarios.RequirementID{openwopv1.OWPBND11}},
		{"fails at once", "time-bounded", func(o *openwop.OvertimeObservation) {
			o.Over.Ended.Took = 20 * time.Millisecond
		}, openwopv1.OWPBND6, nil},
		{"fails early by its own clock", "time-bounded", over(late(1200, 1201), "2026-11-03T12:00:01.290Z"), openwopv1.OWPBND6, nil},
		{"never stops", "time-bounded", over(late(1200, 1201).withStatus("running"), to), openwopv1.OWPBND6, nil},
		{"observed below the limit", "time-bounded", over(late(1200, 1199), to), openwopv1.OWPBND7, nil},
		{"observed in words", "time-bounded", over(late(1200, 1201).change("cap.breached", 0, func(p map[string]any) { p["observed"] = "1201" }), to), openwopv1.OWPBND7, nil},
		{"another kind", "time-bounded", over(late(1200, 1201).change("cap.breached", 0, func(p map[string]any) { p["kind"] = "node-executions" }), to), openwopv1.OWPBND7, nil},
		{"a limit of its own", "time-bounded", over(late(60000, 60001), to), openwopv1.OWPBND7, nil},
		{"no breach", "time-bounded", over(late(1200, 1201).drop("cap.breached"), to), openwopv1.OWPBND7, nil},
		{"another code", "time-bounded", func(o *openwop.OvertimeObservation) {
			o.Over.Ended.Last = wiretest.Value(t, map[string]any{"status": "failed", "error": map[string]any{"code": "internal_error"}})
		}, openwopv1.OWPBND8, nil},
		{"completes", "time-bounded", over(late(1200, 1201).withStatus("completed"), to), openwopv1.OWPBND8, nil},
		{"works on", "time-bounded", func(o *openwop.OvertimeObservation) {
			o.Lull = lull(t, late(1200, 1201).then(event{"node.completed", nil}))
		}, openwopv1.OWPBND12, nil},
		{"has failed before its last node begins", "time-bounded", func(o *openwop.OvertimeObservation) {
			s := late(1200, 1201).then(event{"node.started", nil})
			o.Over, o.Lull = s.timedOut(t, from, to), lull(t, s)
		}, openwopv1.OWPBND12, nil},
		{"refuses the run", "time-bounded", func(o *openwop.OvertimeObservation) { o.Over.Created = wiretest.Status(t, 400) }, "blocked", nil},

		{"honest", "time-leaves-alone", func(*openwop.OvertimeObservation) {}, "passed", nil},
		{"fails all the same", "time-leaves-alone", func(o *openwop.OvertimeObservation) { o.InTime = late(1200, 1201).log(t) }, openwopv1.OWPBND9, nil},
		{"tells of a breach and completes", "time-leaves-alone", func(o *openwop.OvertimeObservation) {
			o.InTime = late(1200, 1201).withStatus("completed").log(t)
		}, openwopv1.OWPBND9, nil},

		{"honest", "time-breach-replayed", func(*openwop.OvertimeObservation) {}, "passed", nil},
		{"measures anew", "time-breach-replayed", func(o *openwop.OvertimeObservation) { o.Replayed = fork(late(1200, 1207)).log(t) }, openwopv1.OWPBND15, nil},
		{"waits to the end", "time-breach-replayed", func(o *openwop.OvertimeObservation) { o.Replayed = fork(nodes(1)).log(t) }, openwopv1.OWPBND15, nil},
		{"no fork", "time-breach-replayed", func(o *openwop.OvertimeObservation) { o.Replayed = openwop.RunLog{Created: wiretest.Status(t, 404)} }, openwopv1.OWPBND15, nil},
		{"a source that crossed nothing", "time-breach-replayed", func(o *openwop.OvertimeObservation) {
			o.Over, o.Replayed = nodes(1).log(t), fork(nodes(1)).log(t)
		}, "blocked", nil},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := openwop.OvertimeObservation{Bound: 1200, Over: late(1200, 1201).timedOut(t, from, to), InTime: nodes(1).log(t), Lull: lull(t, late(1200, 1201)), Replayed: fork(late(1200, 1201)).log(t)}
			c.spoil(&o)
			expect(t, c.scenario, o, c.want)
			if c.want != "passed" {
				return
			}
			var found []scenarios.RequirementID
			for _, f := range scenarios.Conclude(scenario(t, c.scenario), openwop.Protocol.Ledger, o).Findings {
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
		source, replayed story
		want             string
	}{
		{"honest", capped(3), fork(capped(3)), "passed"},
		{"no bound in the replay", capped(3), fork(nodes(6)), openwopv1.OWPBND15},
		{"another bound in the replay", capped(3), fork(capped(4)), openwopv1.OWPBND15},
		{"no breach in the replay", capped(3), fork(capped(3).drop("cap.breached")), openwopv1.OWPBND15},
		{"the source itself", capped(3), capped(3), openwopv1.OWPBND15},
		{"a replay that never ends", capped(3), fork(capped(3)).withStatus("running"), openwopv1.OWPBND15},
		{"a source without a breach", nodes(6), fork(nodes(6)), "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect(t, "node-breach-replayed", openwop.ReplayedBreachObservation{Source: c.source.log(t), Replayed: c.replayed.log(t)}, c.want)
		})
	}
}

func TestJudgeOfLoopsInALoop(t *testing.T) {
	inner := loop(4).named("c1").log(t)
	plain := func(turns int) openwop.RunLog { return loop(turns).log(t) }
	for _, c := range []struct {
		name string
		o    openwop.NestedObservation
		want string
	}{
		{"honest", openwop.NestedObservation{Turns: 2, Plain: plain(2), Log: loop(2).log(t), Children: []openwop.RunLog{inner}}, "passed"},
		{"counts the inner turns", openwop.NestedObservation{Turns: 3, Plain: plain(3), Log: bounded(1).log(t), Children: []openwop.RunLog{inner}}, openwopv1.OWPBND16},
		{"counts them and completes", openwop.NestedObservation{Turns: 3, Plain: plain(3), Log: loop(2).log(t), Children: []openwop.RunLog{inner}}, openwopv1.OWPBND16},
		{"bounds the inner loop", openwop.NestedObservation{Turns: 2, Plain: plain(2), Log: loop(2).log(t), Children: []openwop.RunLog{bounded(2).named("c1").log(t)}}, "blocked"},
		{"an inner loop without turns", openwop.NestedObservation{Turns: 2, Plain: plain(2), Log: loop(2).log(t), Children: []openwop.RunLog{nodes(1).named("c1").log(t)}}, "blocked"},
		{"no inner loop", openwop.NestedObservation{Turns: 2, Plain: plain(2), Log: loop(2).log(t)}, "blocked"},
		{"bounds every loop", openwop.NestedObservation{Turns: 2, Plain: bounded(1).log(t), Log: bounded(1).log(t), Children: []openwop.RunLog{inner}}, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, "inner-turns-apart", c.o, c.want) })
	}
}

// It is a SHOULD: a host that bounds what nobody claimed is told, and not failed.
func TestJudgeOfTurnsWithoutAModel(t *testing.T) {
	for name, c := range map[string]struct {
		below    story
		findings int
	}{"honest": {loop(4), 0}, "bounds them all the same": {bounded(3), 2}} {
		t.Run(name, func(t *testing.T) {
			out := scenarios.Conclude(scenario(t, "turns-without-model"), openwop.Protocol.Ledger, openwop.BoundsObservation{Turns: 4, Below: c.below.log(t)})
			if out.Verdict != scenarios.Passed || len(out.Findings) != c.findings {
				t.Errorf("%s, findings %v", out.Verdict, out.Findings)
			}
		})
	}
}

func TestJudgeOfImpossibleOptions(t *testing.T) {
	tried := func(codes ...int) []openwop.TriedOption {
		var out []openwop.TriedOption
		for _, code := range codes {
			out = append(out, openwop.TriedOption{Option: `"recursionLimit": 0`, Status: wiretest.Status(t, code)})
		}
		return out
	}
	for _, c := range []struct {
		name     string
		o        openwop.OptionsObservation
		want     string
		findings int
	}{
		{"honest", openwop.OptionsObservation{Possible: tried(201, 201), Impossible: tried(400, 400)}, "passed", 0},
		{"takes one", openwop.OptionsObservation{Possible: tried(201), Impossible: tried(400, 201)}, "passed", 1},
		{"takes some and refuses others otherwise", openwop.OptionsObservation{Possible: tried(201), Impossible: tried(201, 422, 201)}, "passed", 2},
		{"falls over", openwop.OptionsObservation{Possible: tried(201), Impossible: tried(400, 500)}, openwopv1.OWPBND21, 0},
		{"refuses all options", openwop.OptionsObservation{Possible: tried(201, 400), Impossible: tried(400)}, "blocked", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect(t, "options-refused", c.o, c.want)
			if out := scenarios.Conclude(scenario(t, "options-refused"), openwop.Protocol.Ledger, c.o); c.want == "passed" && len(out.Findings) != c.findings {
				t.Errorf("findings %v", out.Findings)
			}
		})
	}
}

func TestJudgeOfOptionsThatAreKept(t *testing.T) {
	shown := func(limit int, threshold float64) wire.Value {
		return wiretest.Value(t, map[string]any{"status": "completed", "configurable": map[string]any{"recursionLimit": limit, "runTimeoutMs": 9000, "escalationThreshold": threshold, "model": "m"}})
	}
	none := wiretest.Value(t, map[string]any{"status": "completed"})
	for _, c := range []struct {
		name        string
		early, late wire.Value
		want        string
	}{
		{"honest", shown(40, 0.25), shown(40, 0.25), "passed"},
		{"shows another bound", shown(41, 0.25), shown(41, 0.25), openwopv1.OWPBND23},
		{"changes it on the way", shown(40, 0.25), shown(250, 0.25), openwopv1.OWPBND23},
		{"rounds the threshold", shown(40, 0.3), shown(40, 0.3), openwopv1.OWPBND23},
		{"forgets it", shown(40, 0.25), none, "blocked"},
		{"shows nothing", none, none, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := openwop.EchoObservation{RecursionLimit: 40, RunTimeoutMs: 9000, Threshold: 0.25, Early: c.early.Key("configurable"), Log: nodes(1).log(t)}
			o.Log.Ended.Last = c.late
			expect(t, "options-kept", o, c.want)
		})
	}
}
