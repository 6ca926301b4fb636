package openwop_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// mappedCast are a loop with two mapped workers in one decision, and their runs.
func mappedCast() *cast {
	c := &cast{parent: newTale("p", "assay-loop-mapped", "completed")}
	d := c.parent.decide("echo", "again")
	c.parent.hand(d, "echo", "c1", "heard")
	c.parent.hand(d, "again", "c2", "again")
	c.parent.complete()
	c.parent.attest(0, `{"heard":"SAID"}`)
	c.parent.attest(1, `{"again":"SAID"}`)
	c.parent.shown["variables"] = map[string]any{"heard": "SAID", "again": "SAID"}
	first, second := child("c1", "echo", "p", "completed"), child("c2", "again", "p", "completed")
	first.shown["inputs"] = map[string]any{"word": "SAID", "extra": "SPARE"}
	second.shown["inputs"] = map[string]any{"word": "OTHER", "aside": "SAID"}
	c.children = []*tale{first, second}
	return c
}

// bareCast are the same loop with one worker, and without a value for spare.
func bareCast() *cast {
	c := &cast{parent: newTale("q", "assay-loop-mapped", "completed")}
	c.parent.hand(c.parent.decide("echo"), "echo", "c3", "heard")
	c.parent.complete()
	c.parent.attest(0, `{"heard":"AGAIN"}`)
	c.parent.shown["variables"] = map[string]any{"heard": "AGAIN"}
	only := child("c3", "echo", "q", "completed")
	only.shown["inputs"] = map[string]any{"word": "AGAIN"}
	c.children = []*tale{only}
	return c
}

// attest gives the i-th harvest the checksum of that.
func (s *tale) attest(i int, canonical string) {
	s.payload("output.harvested", i)["attestation"] = map[string]any{"algorithm": "sha256", "checksum": fmt.Sprintf("%x", sha256.Sum256([]byte(canonical)))}
}

// mappedObservation is what a drive would have noted of the two.
func mappedObservation(t *testing.T, both, bare *cast) openwop.MappedObservation {
	run := func(c *cast, workers []string, harvested ...[]string) openwop.MappedRun {
		m := openwop.MappedRun{Way: "assay-loop-mapped", Workers: workers, Harvested: harvested}
		m.Log, m.Children = c.minted(t)
		return m
	}
	m, b := run(both, []string{"echo", "again"}, []string{"heard"}, []string{"again"}), run(bare, []string{"echo"}, []string{"heard"})
	to := func(m openwop.MappedRun, worker int, key string, want ...any) openwop.Carried {
		return openwop.Carried{Way: m.Way, What: key, Key: key, Want: want, Snapshot: m.Children[worker].Log.Ended.Last}
	}
	back := func(m openwop.MappedRun, key string, want any) openwop.Carried {
		return openwop.Carried{Way: m.Way, What: key, Key: key, Want: []any{want}, Back: true, Snapshot: m.Log.Ended.Last}
	}
	return openwop.MappedObservation{
		Chosen: true, Runs: []openwop.MappedRun{m, b},
		Inputs:   []openwop.Carried{to(m, 0, "word", "SAID"), to(m, 0, "extra", "SPARE"), to(b, 0, "word", "AGAIN")},
		Own:      []openwop.Carried{to(m, 1, "word", "OTHER"), back(m, "heard", "SAID")},
		Replaced: []openwop.Carried{to(m, 1, "extra")},
		Across:   []openwop.Carried{to(m, 1, "aside", "SAID")},
		Harvests: []openwop.Carried{back(m, "heard", "SAID"), back(m, "again", "SAID"), back(b, "heard", "AGAIN")},
		Unset:    []openwop.Carried{to(b, 0, "extra")},
	}
}

func TestJudgesOfMappings(t *testing.T) {
	input := func(s *tale, key string, value any) {
		inputs := maps.Clone(s.shown["inputs"].(map[string]any))
		if inputs[key] = value; value == nil {
			delete(inputs, key)
		}
		s.shown["inputs"] = inputs
	}
	variable := func(s *tale, key string, value any) {
		variables := maps.Clone(s.shown["variables"].(map[string]any))
		variables[key] = value
		s.shown["variables"] = variables
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(both, bare *cast)
		want           string
	}{
		{"honest", "inputs-reach-child", func(_, _ *cast) {}, "passed"},
		{"shows variables only", "inputs-reach-child", func(both, bare *cast) {
			for _, s := range append(both.children, bare.children...) {
				s.shown["variables"] = s.shown["inputs"]
				delete(s.shown, "inputs")
			}
		}, "passed"},
		{"shows neither", "inputs-reach-child", func(both, _ *cast) { delete(both.children[0].shown, "inputs") }, "blocked"},
		{"the value of the run before", "inputs-reach-child", func(_, bare *cast) { input(bare.children[0], "word", "SAID") }, openwopv1.OWPDSP16},
		{"one is left out", "inputs-reach-child", func(both, _ *cast) { input(both.children[0], "extra", nil) }, openwopv1.OWPDSP16},

		{"honest", "unset-input-absent", func(_, _ *cast) {}, "passed"},
		{"null", "unset-input-absent", func(_, bare *cast) {
			bare.children[0].shown["inputs"] = map[string]any{"word": "AGAIN", "extra": nil}
		}, openwopv1.OWPDSP17},
		{"the value of the run before", "unset-input-absent", func(_, bare *cast) { input(bare.children[0], "extra", "SPARE") }, openwopv1.OWPDSP17},
		{"an empty text", "unset-input-absent", func(_, bare *cast) { input(bare.children[0], "extra", "") }, openwopv1.OWPDSP17},
		{"an error", "unset-input-absent", func(_, bare *cast) { bare.parent.shown["status"] = "failed" }, openwopv1.OWPDSP17},
		{"shows no input at all", "unset-input-absent", func(both, bare *cast) {
			both.children[0].shown["inputs"], bare.children[0].shown["inputs"] = map[string]any{}, map[string]any{}
		}, "blocked"},

		{"honest", "own-mapping", func(_, _ *cast) {}, "passed"},
		{"gives the default's value", "own-mapping", func(both, _ *cast) { input(both.children[1], "word", "SAID") }, openwopv1.OWPDSP18},
		{"adds the default's inputs", "own-mapping", func(both, _ *cast) { input(both.children[1], "extra", "SPARE") }, openwopv1.OWPDSP18},
		{"adds the default's outputs", "own-mapping", func(both, _ *cast) { variable(both.parent, "heard", "OTHER") }, openwopv1.OWPDSP18},

		{"honest", "worker-to-worker", func(_, _ *cast) {}, "passed"},
		{"the value from before the turn", "worker-to-worker", func(both, _ *cast) { input(both.children[1], "aside", "") }, openwopv1.OWPDSP19},
		{"nothing", "worker-to-worker", func(both, _ *cast) { input(both.children[1], "aside", nil) }, openwopv1.OWPDSP19},

		{"honest", "results-reach-parent", func(_, _ *cast) {}, "passed"},
		{"nothing comes back", "results-reach-parent", func(both, _ *cast) { variable(both.parent, "heard", "") }, openwopv1.OWP0037A4},
		{"the first one's in the second's place", "results-reach-parent", func(_, bare *cast) { variable(bare.parent, "heard", "SAID") }, openwopv1.OWP0037A4},
		{"shows no variables", "results-reach-parent", func(both, _ *cast) { delete(both.parent.shown, "variables") }, "blocked"},

		{"honest", "harvested-when-mapped", func(_, _ *cast) {}, "passed"},
		{"no keys: a finding", "harvested-when-mapped", func(both, _ *cast) { delete(both.parent.payload("output.harvested", 0), "harvestedKeys") }, "passed"},
		{"harvests the first only", "harvested-when-mapped", func(both, _ *cast) { both.parent.cut("output.harvested", 1) }, openwopv1.OWP0037B1},
		{"harvests none", "harvested-when-mapped", func(_, bare *cast) { bare.parent.cut("output.harvested", 0) }, openwopv1.OWP0037B1},
		{"harvests twice", "harvested-when-mapped", func(_, bare *cast) {
			bare.parent.step("output.harvested", "", "echo", "c3")
		}, openwopv1.OWP0037B1},
		{"honest", "harvest-attested", func(_, _ *cast) {}, "passed"},
		{"no checksum", "harvest-attested", func(_, bare *cast) { delete(bare.parent.payload("output.harvested", 0), "attestation") }, openwopv1.OWPDSP27},
		{"attests nothing", "harvest-attested", func(both, bare *cast) {
			for _, p := range []map[string]any{both.parent.payload("output.harvested", 0), both.parent.payload("output.harvested", 1), bare.parent.payload("output.harvested", 0)} {
				delete(p, "attestation")
			}
		}, "blocked"},
		{"one checksum for all", "harvest-attested", func(both, bare *cast) {
			bare.parent.payload("output.harvested", 0)["attestation"] = both.parent.payload("output.harvested", 0)["attestation"]
		}, openwopv1.OWPDSP27},
		{"of another kind", "harvest-attested", func(_, bare *cast) {
			bare.parent.payload("output.harvested", 0)["attestation"].(map[string]any)["algorithm"] = "md5"
		}, openwopv1.OWPDSP27},
		{"not harvested", "harvest-attested", func(_, bare *cast) { bare.parent.cut("output.harvested", 0) }, "blocked"},

		{"harvests before the worker completed", "harvested-when-mapped", func(_, bare *cast) {
			bare.parent.events[bare.parent.at("output.harvested", 0)]["causationId"] = bare.parent.events[bare.parent.at("dispatch.succeeded", 0)]["eventId"]
		}, openwopv1.OWP0037B1},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			both, bare := mappedCast(), bareCast()
			c.spoil(both, bare)
			expect(t, c.scenario, mappedObservation(t, both, bare), c.want)
		})
	}
	t.Run("nothing of the kind is on offer", func(t *testing.T) {
		o := mappedObservation(t, mappedCast(), bareCast())
		o.Across = nil
		expect(t, "worker-to-worker", o, "blocked")
	})
	t.Run("nothing is mapped back", func(t *testing.T) {
		o := mappedObservation(t, mappedCast(), bareCast())
		o.Harvests = nil
		expect(t, "harvested-when-mapped", o, "blocked")
	})
	t.Run("too few child runs", func(t *testing.T) {
		o := mappedObservation(t, mappedCast(), bareCast())
		o.Runs[0].Children = o.Runs[0].Children[:1]
		expect(t, "results-reach-parent", o, "blocked")
	})
	t.Run("a fixture's own value is told", func(t *testing.T) {
		o := mappedObservation(t, mappedCast(), bareCast())
		o.Inputs = o.Inputs[:1]
		o.Inputs[0].Want = []any{"DRAWN", "SAID"}
		out := scenarios.Conclude(scenario(t, "inputs-reach-child"), openwop.Protocol.Ledger, o)
		if out.Verdict != scenarios.Passed || len(out.Findings) != 1 {
			t.Errorf("%s, findings %v", out.Verdict, out.Findings)
		}
	})
}

// treeOf are three runs that ended by the cancel of the first.
func treeOf(t *testing.T, spoil func(log, later []*tale)) openwop.TreeObservation {
	tell := func() []*tale {
		top, below, last := newTale("p", "assay-loop", "cancelled"), newTale("c", "assay-loop-waits", "cancelled"), newTale("g", "waits", "cancelled")
		for i, s := range []*tale{top, below} {
			child, worker := []string{"c", "g"}[i], []string{"assay-loop-waits", "waits"}[i]
			began := s.step("dispatch.began", s.decide(worker), worker, "")
			succeeded := s.step("dispatch.succeeded", began, worker, child)
			s.step("child.cancelled", succeeded, worker, child)
		}
		last.add("node.started", "", map[string]any{"nodeId": "wait"})
		top.add("run.cancelled", "", map[string]any{"reason": "enough"})
		below.add("run.cancelled", "", map[string]any{"reason": "parent-cancelled", "parentRunId": "p"})
		last.add("run.cancelled", "", map[string]any{"reason": "parent-cancelled", "parentRunId": "c"})
		return []*tale{top, below, last}
	}
	log, later := tell(), tell()
	spoil(log, later)
	o := openwop.TreeObservation{Way: "assay-loop", Running: wire.Wait{What: "at work", Reached: true}, Cancelled: wiretest.Status(t, 200), Sentinel: wire.Wait{Reached: true}}
	for i, name := range []string{"the run", "its child", "its grandchild"} {
		o.Members = append(o.Members, openwop.TreeMember{Name: name, Log: log[i].log(t), Later: later[i].log(t)})
	}
	return o
}

func TestJudgesOfACancelledTree(t *testing.T) {
	runsOn := func(all []*tale, i int) {
		all[i].shown["status"] = "running"
		all[i].cut("run.cancelled", 0)
	}
	completes := func(all []*tale, i int) {
		all[i].shown["status"] = "completed"
		all[i].events[all[i].at("run.cancelled", 0)]["type"] = "run.completed"
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(log, later []*tale)
		want           string
	}{
		{"honest", "cancel-reaches-all", func(_, _ []*tale) {}, "passed"},
		{"another reason is a finding", "cancel-reaches-all", func(log, _ []*tale) { log[2].payload("run.cancelled", 0)["reason"] = "because" }, "passed"},
		{"does not reach the grandchild", "cancel-reaches-all", func(log, _ []*tale) { runsOn(log, 2) }, openwopv1.OWPDSP21},
		{"does not reach the child", "cancel-reaches-all", func(log, _ []*tale) { runsOn(log, 1) }, openwopv1.OWPDSP21},
		{"lets the grandchild complete", "cancel-reaches-all", func(log, _ []*tale) { completes(log, 2) }, openwopv1.OWPDSP21},
		{"shows it cancelled, and logs another end", "cancel-reaches-all", func(log, _ []*tale) {
			log[2].events[log[2].at("run.cancelled", 0)]["type"] = "run.completed"
		}, openwopv1.OWPDSP21},

		{"honest", "cancelled-tree-rests", func(_, _ []*tale) {}, "passed"},
		{"a note after the end", "cancelled-tree-rests", func(_, later []*tale) { later[0].add("lease.released", "", nil) }, "passed"},
		{"the run decides again", "cancelled-tree-rests", func(_, later []*tale) { later[0].decide("w") }, openwopv1.OWPDSP23},
		{"the grandchild works on", "cancelled-tree-rests", func(_, later []*tale) { later[2].add("node.completed", "", nil) }, openwopv1.OWPDSP23},
		{"worked on before anybody looked", "cancelled-tree-rests", func(log, later []*tale) {
			log[1].add("node.started", "", nil)
			later[1].add("node.started", "", nil)
		}, openwopv1.OWPDSP23},
		{"took a turn before it ended", "cancelled-tree-rests", func(log, later []*tale) {
			for _, s := range []*tale{log[0], later[0]} {
				s.decide()
				s.move(len(s.events)-1, s.at("run.cancelled", 0))
			}
		}, openwopv1.OWPDSP23},
		{"comes back", "cancelled-tree-rests", func(_, later []*tale) { later[2].shown["status"] = "running" }, openwopv1.OWPDSP23},
		{"never ended", "cancelled-tree-rests", func(log, _ []*tale) { runsOn(log, 2) }, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) { expect(t, c.scenario, treeOf(t, c.spoil), c.want) })
	}
	t.Run("the cancel is refused", func(t *testing.T) {
		o := treeOf(t, func(_, _ []*tale) {})
		o.Cancelled = wiretest.Status(t, 500)
		expect(t, "cancel-reaches-all", o, openwopv1.OWPDSP21)
	})
	t.Run("there is no grandchild", func(t *testing.T) {
		o := treeOf(t, func(_, _ []*tale) {})
		o.Members = o.Members[:2]
		expect(t, "cancel-reaches-all", o, "blocked")
		expect(t, "cancelled-tree-rests", o, "blocked")
	})
}
