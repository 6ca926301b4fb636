package openwop_test

import (
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestJudgesOfHandoffs(t *testing.T) {
	cause := func(c *cast, of string, k int, by string, n int) {
		c.parent.events[c.parent.at(of, k)]["causationId"] = c.parent.events[c.parent.at(by, n)]["eventId"]
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*cast)
		want           string
	}{
		{"honest", "chain-of-causes", func(*cast) {}, "passed"},
		{"caused by the decision of the turn before", "chain-of-causes", func(c *cast) { cause(c, "dispatch.began", 1, "runOrchestrator.decided", 0) }, openwopv1.OWP0037B3},
		{"caused by the decision to terminate", "chain-of-causes", func(c *cast) { cause(c, "dispatch.began", 1, "runOrchestrator.decided", 2) }, openwopv1.OWP0037B3},
		{"everything caused by the decision", "chain-of-causes", func(c *cast) { cause(c, "child.completed", 0, "runOrchestrator.decided", 0) }, openwopv1.OWP0037B3},
		{"caused by the other worker's step", "chain-of-causes", func(c *cast) { cause(c, "child.completed", 1, "dispatch.succeeded", 0) }, openwopv1.OWP0037B3},
		{"no cause", "chain-of-causes", func(c *cast) { delete(c.parent.events[c.parent.at("dispatch.succeeded", 0)], "causationId") }, openwopv1.OWP0037B3},
		{"one id for all events", "chain-of-causes", func(c *cast) {
			for _, e := range c.parent.events {
				e["eventId"], e["causationId"] = "e", "e"
			}
		}, openwopv1.OWP0037B3},
		{"a phase is left out", "chain-of-causes", func(c *cast) { c.parent.cut("dispatch.succeeded", 0) }, openwopv1.OWP0037B3},
		{"a phase twice", "chain-of-causes", func(c *cast) {
			c.parent.move(len(c.parent.events)-1, len(c.parent.events)-1)
			id := c.parent.step("child.completed", "", "w2", "c2")
			c.parent.events[len(c.parent.events)-1]["causationId"] = id
			c.parent.move(len(c.parent.events)-1, c.parent.at("run.completed", 0)-1)
		}, openwopv1.OWP0037B3},
		{"the child ends before it is made", "chain-of-causes", func(c *cast) { c.parent.move(c.parent.at("child.completed", 0), c.parent.at("dispatch.succeeded", 0)) }, openwopv1.OWP0037B3},
		{"another run as the parent", "chain-of-causes", func(c *cast) { c.parent.payload("dispatch.began", 0)["parentRunId"] = "another" }, openwopv1.OWP0037B3},
		{"a handoff that nobody decided on", "chain-of-causes", func(c *cast) { c.parent.step("dispatch.began", "", "w3", "") }, openwopv1.OWP0037B3},
		{"no child is named", "chain-of-causes", func(c *cast) { delete(c.parent.payload("dispatch.succeeded", 0), "childRunId") }, openwopv1.OWPDSP10},
		{"another child at the end", "chain-of-causes", func(c *cast) { c.parent.payload("child.completed", 0)["childRunId"] = "c2" }, openwopv1.OWPDSP10},

		{"honest", "child-is-a-run", func(*cast) {}, "passed"},
		{"no parent link is a finding", "child-is-a-run", func(c *cast) { delete(c.children[0].shown, "parentRunId") }, "passed"},
		{"another run as the parent", "child-is-a-run", func(c *cast) { c.children[0].shown["parentRunId"] = "another" }, openwopv1.OWPDSP12},
		{"the child runs on", "child-is-a-run", func(c *cast) { c.children[1].shown["status"] = "running" }, openwopv1.OWPDSP12},
		{"the child failed", "child-is-a-run", func(c *cast) { c.children[1].shown["status"] = "failed" }, openwopv1.OWPDSP12},
		{"the child's log says that it failed", "child-is-a-run", func(c *cast) { c.children[1].events[1]["type"] = "run.failed" }, openwopv1.OWPDSP12},
		{"the child's log is empty", "child-is-a-run", func(c *cast) { c.children[0].events = nil }, openwopv1.OWPDSP12},
		{"the parent's log as the child's", "child-is-a-run", func(c *cast) { c.children[0].events = c.parent.events }, openwopv1.OWPDSP12},
		{"a run of another workflow", "child-is-a-run", func(c *cast) { c.children[0].shown["workflowId"] = "w2" }, openwopv1.OWPDSP12},
		{"the same run for both", "child-is-a-run", func(c *cast) {
			for _, phase := range []string{"dispatch.succeeded", "child.completed"} {
				c.parent.payload(phase, 1)["childRunId"] = "c1"
			}
		}, openwopv1.OWPDSP12},
		{"no child is named", "child-is-a-run", func(c *cast) { delete(c.parent.payload("dispatch.succeeded", 0), "childRunId") }, openwopv1.OWPDSP12},

		{"honest", "unmapped-not-harvested", func(*cast) {}, "passed"},
		{"harvests where nothing is mapped", "unmapped-not-harvested", func(c *cast) { c.parent.step("output.harvested", "", "w1", "c1") }, openwopv1.OWP0037B1},
		{"nobody completes", "unmapped-not-harvested", func(c *cast) { c.parent.cut("child.completed", 0) }, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			told := castOf("w1", "w2")
			c.spoil(told)
			expect(t, c.scenario, workersObservation(t, told, "w1", "w2"), c.want)
		})
	}
	t.Run("events without a child run", func(t *testing.T) {
		o := workersObservation(t, castOf("w1"), "w1")
		o.Children[0].Log = openwop.RunLog{RunID: "c1", Created: wiretest.Status(t, 404)}
		expect(t, "child-is-a-run", o, openwopv1.OWPDSP12)
	})
	t.Run("a fixture that maps", func(t *testing.T) {
		o := workersObservation(t, castOf("w1"), "w1")
		o.Mapped = true
		expect(t, "unmapped-not-harvested", o, "blocked")
	})
}

func TestJudgesOfAWorkerThatWaits(t *testing.T) {
	waiting := func() *tale {
		s := newTale("p", "assay-loop", "running")
		began := s.step("dispatch.began", s.decide("w1", "w2"), "w1", "")
		s.step("dispatch.succeeded", began, "w1", "c1")
		s.shown["childRuns"] = []any{map[string]any{"runId": "c1"}}
		return s
	}
	whole := func() *tale {
		s := newTale("p", "assay-loop", "completed")
		d := s.decide("w1", "w2")
		s.hand(d, "w1", "c1")
		s.hand(d, "w2", "c2")
		return s.complete()
	}
	for _, c := range []struct {
		name, scenario string
		later, after   func(*tale)
		want           string
	}{
		{"honest", "second-waits-for-first", func(*tale) {}, func(*tale) {}, "passed"},
		{"begins both", "second-waits-for-first", func(s *tale) { s.step("dispatch.began", "p-e1", "w2", "") }, func(*tale) {}, openwopv1.OWPDSP14},
		{"begins both and tells of one", "second-waits-for-first", func(s *tale) { s.shown["childRuns"] = []any{"c1", "c2"} }, func(*tale) {}, openwopv1.OWPDSP14},
		{"the second ends first", "second-waits-for-first", func(*tale) {}, func(s *tale) {
			s.move(s.at("child.completed", 0), s.at("run.completed", 0)-1)
		}, openwopv1.OWPDSP14},
		{"in another order", "second-waits-for-first", func(*tale) {}, func(s *tale) {
			for _, phase := range []string{"dispatch.began", "dispatch.succeeded", "child.completed"} {
				s.payload(phase, 0)["workerId"], s.payload(phase, 1)["workerId"] = "w2", "w1"
			}
		}, openwopv1.OWPDSP14},
		{"the second never comes", "second-waits-for-first", func(*tale) {}, func(s *tale) {
			for _, phase := range []string{"dispatch.began", "dispatch.succeeded", "child.completed"} {
				s.cut(phase, 1)
			}
		}, openwopv1.OWPDSP14},

		{"honest", "turn-waits-for-worker", func(*tale) {}, func(*tale) {}, "passed"},
		{"decides again meanwhile", "turn-waits-for-worker", func(s *tale) { s.decide() }, func(*tale) {}, openwopv1.OWP0037A5},
		{"ends meanwhile", "turn-waits-for-worker", func(s *tale) { s.add("run.completed", "", nil) }, func(*tale) {}, openwopv1.OWP0037A5},
		{"writes its decision down afterwards", "turn-waits-for-worker", func(s *tale) { s.cut("runOrchestrator.decided", 0) }, func(*tale) {}, openwopv1.OWPDSP1},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			later, after := waiting(), whole()
			c.later(later)
			c.after(after)
			expect(t, c.scenario, waitingObservation(t, later, after), c.want)
		})
	}
	for name, spoil := range map[string]func(*openwop.WaitingWorkerObservation){
		"shows no child":        func(o *openwop.WaitingWorkerObservation) { o.Found.Reached = false },
		"the child never waits": func(o *openwop.WaitingWorkerObservation) { o.Child.Suspended.Reached = false },
		"refuses the answer":    func(o *openwop.WaitingWorkerObservation) { o.Child.Answered = wiretest.Status(t, 403) },
		"makes no run": func(o *openwop.WaitingWorkerObservation) {
			*o = openwop.WaitingWorkerObservation{Log: openwop.RunLog{Created: wiretest.Status(t, 404)}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := waitingObservation(t, waiting(), whole())
			spoil(&o)
			expect(t, "second-waits-for-first", o, "blocked")
			expect(t, "turn-waits-for-worker", o, "blocked")
		})
	}
}

func waitingObservation(t *testing.T, later, after *tale) openwop.WaitingWorkerObservation {
	waits := newTale("c1", "w1", "waiting-input").log(t)
	return openwop.WaitingWorkerObservation{Way: "assay-loop", Workers: []string{"w1", "w2"}, Found: wire.Wait{What: "found", Reached: true},
		Child: openwop.Suspension{Turn: 2, Suspended: wire.Wait{What: "suspended", Reached: true}, Log: waits, Answered: wiretest.Status(t, 200)},
		Lull:  openwop.Lull{Sentinel: wire.Wait{Reached: true}, Later: later.log(t)}, Log: after.log(t)}
}
