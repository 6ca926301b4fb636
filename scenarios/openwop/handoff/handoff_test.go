package handoff_test

import (
	"testing"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/handoff"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// The log of a worker that is a loop names that worker as the parent, not the loop above it.
func TestJudgesOfHandoffsOfAWorkerThatIsALoop(t *testing.T) {
	uncaused := func(c *hosttest.Cast) { delete(c.Parent.Events[c.Parent.At("dispatch.began", 0)], "causationId") }
	for name, c := range map[string]struct {
		spoil func(*hosttest.Cast)
		want  string
	}{
		"honest":            {func(*hosttest.Cast) {}, "passed"},
		"tells of none":     {func(c *hosttest.Cast) { c.Parent.Events = nil }, "passed"},
		"the run above it":  {func(c *hosttest.Cast) { c.Parent.Payload("dispatch.began", 0)["parentRunId"] = "top" }, openwop.OWP0037B3},
		"one without cause": {uncaused, openwop.OWP0037B3},
	} {
		t.Run(name, func(t *testing.T) {
			o, inner := hosttest.WorkersObservation(t, hosttest.CastOf("w1", "w2"), "w1", "w2"), hosttest.CastOf("w1")
			c.spoil(inner)
			log, _ := inner.Minted(t)
			o.Inner = []host.RunLog{log}
			hosttest.Expect(t, "chain-of-causes", o, c.want)
		})
	}
}

func TestJudgesOfHandoffs(t *testing.T) {
	cause := func(c *hosttest.Cast, of string, k int, by string, n int) {
		c.Parent.Events[c.Parent.At(of, k)]["causationId"] = c.Parent.Events[c.Parent.At(by, n)]["eventId"]
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*hosttest.Cast)
		want           string
	}{
		{"honest", "chain-of-causes", func(*hosttest.Cast) {}, "passed"},
		{"caused by the decision of the turn before", "chain-of-causes",
			func(c *hosttest.Cast) { cause(c, "dispatch.began", 1, "runOrchestrator.decided", 0) }, openwop.OWP0037B3},
		{"caused by the decision to terminate", "chain-of-causes",
			func(c *hosttest.Cast) { cause(c, "dispatch.began", 1, "runOrchestrator.decided", 2) }, openwop.OWP0037B3},
		{"everything caused by the decision", "chain-of-causes",
			func(c *hosttest.Cast) { cause(c, "child.completed", 0, "runOrchestrator.decided", 0) }, openwop.OWP0037B3},
		{"caused by the other worker's step", "chain-of-causes",
			func(c *hosttest.Cast) { cause(c, "child.completed", 1, "dispatch.succeeded", 0) }, openwop.OWP0037B3},
		{"no cause", "chain-of-causes", func(c *hosttest.Cast) {
			delete(c.Parent.Events[c.Parent.At("dispatch.succeeded", 0)],
				"causationId")
		}, openwop.OWP0037B3},
		{"one id for all events", "chain-of-causes", func(c *hosttest.Cast) {
			for _, e := range c.Parent.Events {
				e["eventId"], e["causationId"] = "e", "e"
			}
		}, openwop.OWP0037B3},
		{"a phase is left out", "chain-of-causes", func(c *hosttest.Cast) { c.Parent.Cut("dispatch.succeeded", 0) }, openwop.OWP0037B3},
		{"a phase twice", "chain-of-causes", func(c *hosttest.Cast) {
			c.Parent.Move(len(c.Parent.Events)-1, len(c.Parent.Events)-1)
			id := c.Parent.Step("child.completed", "", "w2", "c2")
			c.Parent.Events[len(c.Parent.Events)-1]["causationId"] = id
			c.Parent.Move(len(c.Parent.Events)-1, c.Parent.At("run.completed", 0)-1)
		}, openwop.OWP0037B3},
		{"the child ends before it is made", "chain-of-causes", func(c *hosttest.Cast) {
			c.Parent.Move(c.Parent.At("child.completed", 0), c.Parent.At("dispatch.succeeded", 0))
		}, openwop.OWP0037B3},
		{"another run as the parent", "chain-of-causes",
			func(c *hosttest.Cast) { c.Parent.Payload("dispatch.began", 0)["parentRunId"] = "another" }, openwop.OWP0037B3},
		{"a handoff that nobody decided on", "chain-of-causes",
			func(c *hosttest.Cast) { c.Parent.Step("dispatch.began", "", "w3", "") }, openwop.OWP0037B3},
		{"no child is named", "chain-of-causes",
			func(c *hosttest.Cast) { delete(c.Parent.Payload("dispatch.succeeded", 0), "childRunId") }, openwop.OWPDSP10},
		{"another child at the end", "chain-of-causes",
			func(c *hosttest.Cast) { c.Parent.Payload("child.completed", 0)["childRunId"] = "c2" }, openwop.OWPDSP10},

		{"honest", "child-is-a-run", func(*hosttest.Cast) {}, "passed"},
		{"no parent link is a finding", "child-is-a-run", func(c *hosttest.Cast) { delete(c.Children[0].Shown, "parentRunId") }, "passed"},
		{"another run as the parent", "child-is-a-run", func(c *hosttest.Cast) { c.Children[0].Shown["parentRunId"] = "another" },
			openwop.OWPDSP12},
		{"the child runs on", "child-is-a-run", func(c *hosttest.Cast) { c.Children[1].Shown["status"] = "running" }, openwop.OWPDSP12},
		{"the child failed", "child-is-a-run", func(c *hosttest.Cast) { c.Children[1].Shown["status"] = "failed" }, openwop.OWPDSP12},
		{"the child's log says that it failed", "child-is-a-run",
			func(c *hosttest.Cast) { c.Children[1].Events[1]["type"] = "run.failed" }, openwop.OWPDSP12},
		{"the child's log is empty", "child-is-a-run", func(c *hosttest.Cast) { c.Children[0].Events = nil }, openwop.OWPDSP12},
		{"the parent's log as the child's", "child-is-a-run", func(c *hosttest.Cast) { c.Children[0].Events = c.Parent.Events },
			openwop.OWPDSP12},
		{"a run of another workflow", "child-is-a-run", func(c *hosttest.Cast) { c.Children[0].Shown["workflowId"] = "w2" }, openwop.OWPDSP12},
		{"the same run for both", "child-is-a-run", func(c *hosttest.Cast) {
			for _, phase := range []string{"dispatch.succeeded", "child.completed"} {
				c.Parent.Payload(phase, 1)["childRunId"] = "c1"
			}
		}, openwop.OWPDSP12},
		{"no child is named", "child-is-a-run",
			func(c *hosttest.Cast) { delete(c.Parent.Payload("dispatch.succeeded", 0), "childRunId") }, openwop.OWPDSP12},

		{"honest", "unmapped-not-harvested", func(*hosttest.Cast) {}, "passed"},
		{"harvests where nothing is mapped", "unmapped-not-harvested",
			func(c *hosttest.Cast) { c.Parent.Step("output.harvested", "", "w1", "c1") }, openwop.OWP0037B1},
		{"nobody completes", "unmapped-not-harvested", func(c *hosttest.Cast) { c.Parent.Cut("child.completed", 0) },
			hosttest.BlockedOn(openwop.OWP0037B3)},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			told := hosttest.CastOf("w1", "w2")
			c.spoil(told)
			hosttest.Expect(t, c.scenario, hosttest.WorkersObservation(t, told, "w1", "w2"), c.want)
		})
	}
	t.Run("events without a child run", func(t *testing.T) {
		o := hosttest.WorkersObservation(t, hosttest.CastOf("w1"), "w1")
		o.Children[0].Log = host.RunLog{RunID: "c1", Created: wiretest.Status(t, 404)}
		hosttest.Expect(t, "child-is-a-run", o, openwop.OWPDSP12)
	})
	t.Run("a fixture that maps", func(t *testing.T) {
		o := hosttest.WorkersObservation(t, hosttest.CastOf("w1"), "w1")
		o.Mapped = true
		hosttest.Expect(t, "unmapped-not-harvested", o, "blocked")
	})
}

func TestJudgesOfAWorkerThatWaits(t *testing.T) {
	waiting := func() *hosttest.Tale {
		s := hosttest.NewTale("p", "assay-loop", "running")
		began := s.Step("dispatch.began", s.Decide("w1", "w2"), "w1", "")
		s.Step("dispatch.succeeded", began, "w1", "c1")
		s.Shown["childRuns"] = []any{map[string]any{"runId": "c1"}}
		return s
	}
	whole := func() *hosttest.Tale {
		s := hosttest.NewTale("p", "assay-loop", "completed")
		d := s.Decide("w1", "w2")
		s.Hand(d, "w1", "c1")
		s.Hand(d, "w2", "c2")
		return s.Complete()
	}
	for _, c := range []struct {
		name, scenario string
		later, after   func(*hosttest.Tale)
		want           string
	}{
		{"honest", "second-waits-for-first", func(*hosttest.Tale) {}, func(*hosttest.Tale) {}, "passed"},
		{"begins both", "second-waits-for-first", func(s *hosttest.Tale) { s.Step("dispatch.began", "p-e1", "w2", "") },
			func(*hosttest.Tale) {}, openwop.OWPDSP14},
		{"begins both and tells of one", "second-waits-for-first", func(s *hosttest.Tale) { s.Shown["childRuns"] = []any{"c1", "c2"} },
			func(*hosttest.Tale) {}, openwop.OWPDSP14},
		{"the second ends first", "second-waits-for-first", func(*hosttest.Tale) {}, func(s *hosttest.Tale) {
			s.Move(s.At("child.completed", 0), s.At("run.completed", 0)-1)
		}, openwop.OWPDSP14},
		{"in another order", "second-waits-for-first", func(*hosttest.Tale) {}, func(s *hosttest.Tale) {
			for _, phase := range []string{"dispatch.began", "dispatch.succeeded", "child.completed"} {
				s.Payload(phase, 0)["workerId"], s.Payload(phase, 1)["workerId"] = "w2", "w1"
			}
		}, openwop.OWPDSP14},
		{"the second never comes", "second-waits-for-first", func(*hosttest.Tale) {}, func(s *hosttest.Tale) {
			for _, phase := range []string{"dispatch.began", "dispatch.succeeded", "child.completed"} {
				s.Cut(phase, 1)
			}
		}, openwop.OWPDSP14},

		{"honest", "turn-waits-for-worker", func(*hosttest.Tale) {}, func(*hosttest.Tale) {}, "passed"},
		{"decides again meanwhile", "turn-waits-for-worker", func(s *hosttest.Tale) { s.Decide() }, func(*hosttest.Tale) {}, openwop.OWP0037A5},
		{"ends meanwhile", "turn-waits-for-worker", func(s *hosttest.Tale) { s.Add("run.completed", "", nil) }, func(*hosttest.Tale) {},
			openwop.OWP0037A5},
		{"writes its decision down afterwards", "turn-waits-for-worker", func(s *hosttest.Tale) { s.Cut("runOrchestrator.decided", 0) },
			func(*hosttest.Tale) {}, openwop.OWPDSP1},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			later, after := waiting(), whole()
			c.later(later)
			c.after(after)
			hosttest.Expect(t, c.scenario, waitingObservation(t, later, after), c.want)
		})
	}
	for name, spoil := range map[string]func(*handoff.WaitingWorkerObservation){
		"shows no child":        func(o *handoff.WaitingWorkerObservation) { o.Found.Reached = false },
		"the child never waits": func(o *handoff.WaitingWorkerObservation) { o.Child.Suspended.Reached = false },
		"refuses the answer":    func(o *handoff.WaitingWorkerObservation) { o.Child.Answered = wiretest.Status(t, 403) },
		"makes no run": func(o *handoff.WaitingWorkerObservation) {
			*o = handoff.WaitingWorkerObservation{Log: host.RunLog{Created: wiretest.Status(t, 404)}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := waitingObservation(t, waiting(), whole())
			spoil(&o)
			hosttest.Expect(t, "second-waits-for-first", o, "blocked")
			hosttest.Expect(t, "turn-waits-for-worker", o, "blocked")
		})
	}
}

func waitingObservation(t *testing.T, later, after *hosttest.Tale) handoff.WaitingWorkerObservation {
	waits := hosttest.NewTale("c1", "w1", "waiting-input").Log(t)
	return handoff.WaitingWorkerObservation{Way: "assay-loop", Workers: []string{"w1", "w2"}, Found: wire.Wait{What: "found", Reached: true},
		Child: host.Suspension{Turn: 2, Suspended: wire.Wait{What: "suspended", Reached: true}, Log: waits, Answered: wiretest.Status(t, 200)},
		Lull:  host.Lull{Sentinel: wire.Wait{Reached: true}, Later: later.Log(t)}, Log: after.Log(t)}
}
