package handoff_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"testing"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/handoff"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// mappedCast returns a loop with two mapped workers in one decision, and their runs.
func mappedCast() *hosttest.Cast {
	c := &hosttest.Cast{Parent: hosttest.NewTale("p", "assay-loop-mapped", "completed")}
	d := c.Parent.Decide("echo", "again")
	c.Parent.Hand(d, "echo", "c1", "heard")
	c.Parent.Hand(d, "again", "c2", "again")
	c.Parent.Complete()
	attest(c.Parent, 0, `{"heard":"SAID"}`)
	attest(c.Parent, 1, `{"again":"SAID"}`)
	c.Parent.Shown["variables"] = map[string]any{"heard": "SAID", "again": "SAID"}
	first, second := hosttest.Child("c1", "echo", "p", "completed"), hosttest.Child("c2", "again", "p", "completed")
	first.Shown["inputs"] = map[string]any{"word": "SAID", "extra": "SPARE"}
	second.Shown["inputs"] = map[string]any{"word": "OTHER", "aside": "SAID"}
	c.Children = []*hosttest.Tale{first, second}
	return c
}

// bareCast returns the same loop with one worker and no value for spare.
func bareCast() *hosttest.Cast {
	c := &hosttest.Cast{Parent: hosttest.NewTale("q", "assay-loop-mapped", "completed")}
	c.Parent.Hand(c.Parent.Decide("echo"), "echo", "c3", "heard")
	c.Parent.Complete()
	attest(c.Parent, 0, `{"heard":"AGAIN"}`)
	c.Parent.Shown["variables"] = map[string]any{"heard": "AGAIN"}
	only := hosttest.Child("c3", "echo", "q", "completed")
	only.Shown["inputs"] = map[string]any{"word": "AGAIN"}
	c.Children = []*hosttest.Tale{only}
	return c
}

// attest gives the i-th harvest the checksum of canonical.
func attest(s *hosttest.Tale, i int, canonical string) {
	s.Payload("output.harvested", i)["attestation"] = map[string]any{"algorithm": "sha256", "checksum": fmt.Sprintf("%x",
		sha256.Sum256([]byte(canonical)))}
}

// mappedObservation returns the drive's observation of both loops.
func mappedObservation(t *testing.T, both, bare *hosttest.Cast) handoff.MappedObservation {
	run := func(c *hosttest.Cast, workers []string, harvested ...[]string) handoff.MappedRun {
		m := handoff.MappedRun{Way: "assay-loop-mapped", Workers: workers, Harvested: harvested}
		m.Log, m.Children = c.Minted(t)
		return m
	}
	m, b := run(both, []string{"echo", "again"}, []string{"heard"}, []string{"again"}), run(bare, []string{"echo"}, []string{"heard"})
	to := func(m handoff.MappedRun, worker int, key string, want ...any) handoff.Carried {
		return handoff.Carried{Way: m.Way, What: key, Key: key, Want: want, Snapshot: m.Children[worker].Log.Ended.Last}
	}
	back := func(m handoff.MappedRun, key string, want any) handoff.Carried {
		return handoff.Carried{Way: m.Way, What: key, Key: key, Want: []any{want}, Back: true, Snapshot: m.Log.Ended.Last}
	}
	return handoff.MappedObservation{
		Chosen: true, Runs: []handoff.MappedRun{m, b},
		Inputs:   []handoff.Carried{to(m, 0, "word", "SAID"), to(m, 0, "extra", "SPARE"), to(b, 0, "word", "AGAIN")},
		Own:      []handoff.Carried{to(m, 1, "word", "OTHER"), back(m, "heard", "SAID")},
		Replaced: []handoff.Carried{to(m, 1, "extra")},
		Across:   []handoff.Carried{to(m, 1, "aside", "SAID")},
		Harvests: []handoff.Carried{back(m, "heard", "SAID"), back(m, "again", "SAID"), back(b, "heard", "AGAIN")},
		Unset:    []handoff.Carried{to(b, 0, "extra")},
	}
}

func TestJudgesOfMappings(t *testing.T) {
	input := func(s *hosttest.Tale, key string, value any) {
		inputs := maps.Clone(s.Shown["inputs"].(map[string]any))
		if inputs[key] = value; value == nil {
			delete(inputs, key)
		}
		s.Shown["inputs"] = inputs
	}
	variable := func(s *hosttest.Tale, key string, value any) {
		variables := maps.Clone(s.Shown["variables"].(map[string]any))
		variables[key] = value
		s.Shown["variables"] = variables
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(both, bare *hosttest.Cast)
		want           string
	}{
		{"honest", "inputs-reach-child", func(_, _ *hosttest.Cast) {}, "passed"},
		{"shows variables only", "inputs-reach-child", func(both, bare *hosttest.Cast) {
			for _, s := range append(both.Children, bare.Children...) {
				s.Shown["variables"] = s.Shown["inputs"]
				delete(s.Shown, "inputs")
			}
		}, "passed"},
		{"shows neither", "inputs-reach-child", func(both, _ *hosttest.Cast) { delete(both.Children[0].Shown, "inputs") }, "blocked"},
		{"the value of the run before", "inputs-reach-child", func(_, bare *hosttest.Cast) { input(bare.Children[0], "word", "SAID") },
			requirement.OWPDSP16},
		{"one is left out", "inputs-reach-child", func(both, _ *hosttest.Cast) { input(both.Children[0], "extra", nil) }, requirement.OWPDSP16},

		{"honest", "unset-input-absent", func(_, _ *hosttest.Cast) {}, "passed"},
		{"null", "unset-input-absent", func(_, bare *hosttest.Cast) {
			bare.Children[0].Shown["inputs"] = map[string]any{"word": "AGAIN", "extra": nil}
		}, requirement.OWPDSP17},
		{"the value of the run before", "unset-input-absent",
			func(_, bare *hosttest.Cast) { input(bare.Children[0], "extra", "SPARE") }, requirement.OWPDSP17},
		{"an empty text", "unset-input-absent", func(_, bare *hosttest.Cast) { input(bare.Children[0], "extra", "") }, requirement.OWPDSP17},
		{"an error", "unset-input-absent", func(_, bare *hosttest.Cast) { bare.Parent.Shown["status"] = "failed" }, requirement.OWPDSP17},
		{"shows no input at all", "unset-input-absent", func(both, bare *hosttest.Cast) {
			both.Children[0].Shown["inputs"], bare.Children[0].Shown["inputs"] = map[string]any{}, map[string]any{}
		}, "blocked"},

		{"honest", "own-mapping", func(_, _ *hosttest.Cast) {}, "passed"},
		{"gives the default's value", "own-mapping", func(both, _ *hosttest.Cast) { input(both.Children[1], "word", "SAID") },
			requirement.OWPDSP18},
		{"adds the default's inputs", "own-mapping", func(both, _ *hosttest.Cast) { input(both.Children[1], "extra", "SPARE") },
			requirement.OWPDSP18},
		{"adds the default's outputs", "own-mapping", func(both, _ *hosttest.Cast) { variable(both.Parent, "heard", "OTHER") },
			requirement.OWPDSP18},

		{"honest", "worker-to-worker", func(_, _ *hosttest.Cast) {}, "passed"},
		{"the value from before the turn", "worker-to-worker", func(both, _ *hosttest.Cast) { input(both.Children[1], "aside", "") },
			requirement.OWPDSP19},
		{"nothing", "worker-to-worker", func(both, _ *hosttest.Cast) { input(both.Children[1], "aside", nil) }, requirement.OWPDSP19},

		{"honest", "results-reach-parent", func(_, _ *hosttest.Cast) {}, "passed"},
		{"nothing comes back", "results-reach-parent", func(both, _ *hosttest.Cast) { variable(both.Parent, "heard", "") },
			requirement.OWP0037A4},
		{"the first one's in the second's place", "results-reach-parent",
			func(_, bare *hosttest.Cast) { variable(bare.Parent, "heard", "SAID") }, requirement.OWP0037A4},
		{"shows no variables", "results-reach-parent", func(both, _ *hosttest.Cast) { delete(both.Parent.Shown, "variables") },
			hosttest.BlockedOn("")},

		{"honest", "harvested-when-mapped", func(_, _ *hosttest.Cast) {}, "passed"},
		{"no keys: a finding", "harvested-when-mapped",
			func(both, _ *hosttest.Cast) { delete(both.Parent.Payload("output.harvested", 0), "harvestedKeys") }, "passed"},
		{"harvests the first only", "harvested-when-mapped", func(both, _ *hosttest.Cast) { both.Parent.Cut("output.harvested", 1) },
			requirement.OWP0037B1},
		{"harvests none", "harvested-when-mapped", func(_, bare *hosttest.Cast) { bare.Parent.Cut("output.harvested", 0) },
			requirement.OWP0037B1},
		{"harvests twice", "harvested-when-mapped", func(_, bare *hosttest.Cast) {
			bare.Parent.Step("output.harvested", "", "echo", "c3")
		}, requirement.OWP0037B1},
		{"honest", "harvest-attested", func(_, _ *hosttest.Cast) {}, "passed"},
		{"no checksum", "harvest-attested",
			func(_, bare *hosttest.Cast) { delete(bare.Parent.Payload("output.harvested", 0), "attestation") }, requirement.OWPDSP27},
		{"attests nothing", "harvest-attested", func(both, bare *hosttest.Cast) {
			for _, p := range []map[string]any{both.Parent.Payload("output.harvested", 0), both.Parent.Payload("output.harvested", 1),
				bare.Parent.Payload("output.harvested", 0)} {
				delete(p, "attestation")
			}
		}, "blocked"},
		{"one checksum for all", "harvest-attested", func(both, bare *hosttest.Cast) {
			bare.Parent.Payload("output.harvested", 0)["attestation"] = both.Parent.Payload("output.harvested", 0)["attestation"]
		}, requirement.OWPDSP27},
		{"of another kind", "harvest-attested", func(_, bare *hosttest.Cast) {
			bare.Parent.Payload("output.harvested", 0)["attestation"].(map[string]any)["algorithm"] = "md5"
		}, requirement.OWPDSP27},
		{"not harvested", "harvest-attested", func(_, bare *hosttest.Cast) { bare.Parent.Cut("output.harvested", 0) },
			hosttest.BlockedOn(requirement.OWP0037B1)},
		{"not harvested, and of another kind in the next loop", "harvest-attested", func(both, bare *hosttest.Cast) {
			both.Parent.Cut("output.harvested", 0)
			bare.Parent.Payload("output.harvested", 0)["attestation"].(map[string]any)["algorithm"] = "md5"
		}, requirement.OWPDSP27},

		{"harvests before the worker completed", "harvested-when-mapped", func(_, bare *hosttest.Cast) {
			bare.Parent.Events[bare.Parent.At("output.harvested",
				0)]["causationId"] = bare.Parent.Events[bare.Parent.At("dispatch.succeeded", 0)]["eventId"]
		}, requirement.OWP0037B1},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			both, bare := mappedCast(), bareCast()
			c.spoil(both, bare)
			hosttest.Expect(t, c.scenario, mappedObservation(t, both, bare), c.want)
		})
	}
	t.Run("nothing of the kind is on offer", func(t *testing.T) {
		o := mappedObservation(t, mappedCast(), bareCast())
		o.Across = nil
		hosttest.Expect(t, "worker-to-worker", o, "blocked")
	})
	t.Run("nothing is mapped back", func(t *testing.T) {
		o := mappedObservation(t, mappedCast(), bareCast())
		o.Harvests = nil
		hosttest.Expect(t, "harvested-when-mapped", o, "blocked")
	})
	t.Run("a mapping finds nothing", func(t *testing.T) {
		for _, c := range []struct {
			harvests bool
			want     string
		}{{true, "passed"}, {false, requirement.OWP0037B1}} {
			o, bare := mappedObservation(t, mappedCast(), bareCast()), bareCast()
			if bare.Parent.Payload("output.harvested", 0)["harvestedKeys"] = []any{}; !c.harvests {
				bare.Parent.Cut("output.harvested", 0)
			}
			empty := handoff.MappedRun{Way: "assay-loop-mapped", Workers: []string{"echo"}, Harvested: [][]string{{}}}
			empty.Log, empty.Children = bare.Minted(t)
			o.Runs = append(o.Runs, empty)
			hosttest.Expect(t, "harvested-when-mapped", o, c.want)
		}
	})
	t.Run("too few child runs", func(t *testing.T) {
		o := mappedObservation(t, mappedCast(), bareCast())
		o.Runs[0].Children = o.Runs[0].Children[:1]
		hosttest.Expect(t, "results-reach-parent", o, hosttest.BlockedOn(""))
	})
	t.Run("a fixture's own value is told", func(t *testing.T) {
		o := mappedObservation(t, mappedCast(), bareCast())
		o.Inputs = o.Inputs[:1]
		o.Inputs[0].Want = []any{"DRAWN", "SAID"}
		out := scenarios.Conclude(hosttest.Scenario(t, "inputs-reach-child"), openwop.Protocol.Ledger, o)
		if out.Verdict != scenarios.Passed || len(out.Findings) != 1 {
			t.Errorf("%s, findings %v", out.Verdict, out.Findings)
		}
	})
}

// treeOf returns three runs that ended when the first was cancelled.
func treeOf(t *testing.T, spoil func(log, later []*hosttest.Tale)) handoff.TreeObservation {
	tell := func() []*hosttest.Tale {
		top, below, last := hosttest.NewTale("p", "assay-loop", "cancelled"), hosttest.NewTale("c", "assay-loop-waits", "cancelled"),
			hosttest.NewTale("g", "waits", "cancelled")
		for i, s := range []*hosttest.Tale{top, below} {
			child, worker := []string{"c", "g"}[i], []string{"assay-loop-waits", "waits"}[i]
			began := s.Step("dispatch.began", s.Decide(worker), worker, "")
			succeeded := s.Step("dispatch.succeeded", began, worker, child)
			s.Step("child.cancelled", succeeded, worker, child)
		}
		last.Add("node.started", "", map[string]any{"nodeId": "wait"})
		top.Add("run.cancelled", "", map[string]any{"reason": "enough"})
		below.Add("run.cancelled", "", map[string]any{"reason": "parent-cancelled", "parentRunId": "p"})
		last.Add("run.cancelled", "", map[string]any{"reason": "parent-cancelled", "parentRunId": "c"})
		return []*hosttest.Tale{top, below, last}
	}
	log, later := tell(), tell()
	spoil(log, later)
	o := handoff.TreeObservation{Way: "assay-loop", Running: wire.Wait{What: "at work", Reached: true}, Cancelled: wiretest.Status(t,
		200), Sentinel: wire.Wait{Reached: true}}
	for i, name := range []string{"the run", "its child", "its grandchild"} {
		o.Members = append(o.Members, handoff.TreeMember{Name: name, Log: log[i].Log(t), Later: later[i].Log(t)})
	}
	return o
}

func TestJudgesOfACancelledTree(t *testing.T) {
	runsOn := func(all []*hosttest.Tale, i int) {
		all[i].Shown["status"] = "running"
		all[i].Cut("run.cancelled", 0)
	}
	completes := func(all []*hosttest.Tale, i int) {
		all[i].Shown["status"] = "completed"
		all[i].Events[all[i].At("run.cancelled", 0)]["type"] = "run.completed"
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(log, later []*hosttest.Tale)
		want           string
	}{
		{"honest", "cancel-reaches-all", func(_, _ []*hosttest.Tale) {}, "passed"},
		{"another reason is a finding", "cancel-reaches-all",
			func(log, _ []*hosttest.Tale) { log[2].Payload("run.cancelled", 0)["reason"] = "because" }, "passed"},
		{"does not reach the grandchild", "cancel-reaches-all", func(log, _ []*hosttest.Tale) { runsOn(log, 2) }, requirement.OWPDSP21},
		{"does not reach the child", "cancel-reaches-all", func(log, _ []*hosttest.Tale) { runsOn(log, 1) }, requirement.OWPDSP21},
		{"lets the grandchild complete", "cancel-reaches-all", func(log, _ []*hosttest.Tale) { completes(log, 2) }, requirement.OWPDSP21},
		{"shows it cancelled, and logs another end", "cancel-reaches-all", func(log, _ []*hosttest.Tale) {
			log[2].Events[log[2].At("run.cancelled", 0)]["type"] = "run.completed"
		}, requirement.OWPDSP21},

		{"honest", "cancelled-tree-rests", func(_, _ []*hosttest.Tale) {}, "passed"},
		{"a note after the end", "cancelled-tree-rests", func(_, later []*hosttest.Tale) { later[0].Add("lease.released", "", nil) }, "passed"},
		{"the run decides again", "cancelled-tree-rests", func(_, later []*hosttest.Tale) { later[0].Decide("w") }, requirement.OWPDSP23},
		{"the grandchild works on", "cancelled-tree-rests", func(_, later []*hosttest.Tale) { later[2].Add("node.completed", "", nil) },
			requirement.OWPDSP23},
		{"worked on before anybody looked", "cancelled-tree-rests", func(log, later []*hosttest.Tale) {
			log[1].Add("node.started", "", nil)
			later[1].Add("node.started", "", nil)
		}, requirement.OWPDSP23},
		{"took a turn before it ended", "cancelled-tree-rests", func(log, later []*hosttest.Tale) {
			for _, s := range []*hosttest.Tale{log[0], later[0]} {
				s.Decide()
				s.Move(len(s.Events)-1, s.At("run.cancelled", 0))
			}
		}, requirement.OWPDSP23},
		{"comes back", "cancelled-tree-rests", func(_, later []*hosttest.Tale) { later[2].Shown["status"] = "running" }, requirement.OWPDSP23},
		{"never ended", "cancelled-tree-rests", func(log, _ []*hosttest.Tale) { runsOn(log, 2) }, hosttest.BlockedOn(requirement.OWPDSP21)},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) { hosttest.Expect(t, c.scenario, treeOf(t, c.spoil), c.want) })
	}
	for ended, want := range map[string]string{"2026-11-01T00:00:01Z": "blocked", "2026-11-01T00:00:03Z": requirement.OWPDSP21} {
		t.Run("the workflow of another, whose grandchild completes at "+ended, func(t *testing.T) {
			o := treeOf(t, func(log, _ []*hosttest.Tale) {
				completes(log, 2)
				log[2].Events[log[2].At("run.completed", 0)]["timestamp"] = ended
				log[0].Events[log[0].At("run.cancelled", 0)]["timestamp"] = "2026-11-01T00:00:02Z"
			})
			o.Way = "assay-scripted-tree"
			hosttest.Expect(t, "cancel-reaches-all", o, want)
		})
	}
	t.Run("the workflow of another, which is over when the cancel comes", func(t *testing.T) {
		o := treeOf(t, func(log, _ []*hosttest.Tale) {
			for i := range log {
				completes(log, i)
			}
		})
		o.Way, o.Cancelled = "assay-scripted-tree", wiretest.Status(t, 409)
		hosttest.Expect(t, "cancel-reaches-all", o, "blocked")
	})
	t.Run("the cancel is refused", func(t *testing.T) {
		o := treeOf(t, func(_, _ []*hosttest.Tale) {})
		o.Cancelled = wiretest.Status(t, 500)
		hosttest.Expect(t, "cancel-reaches-all", o, requirement.OWPDSP21)
	})
	t.Run("there is no grandchild", func(t *testing.T) {
		o := treeOf(t, func(_, _ []*hosttest.Tale) {})
		o.Members = o.Members[:2]
		hosttest.Expect(t, "cancel-reaches-all", o, "blocked")
		hosttest.Expect(t, "cancelled-tree-rests", o, "blocked")
	})
}
