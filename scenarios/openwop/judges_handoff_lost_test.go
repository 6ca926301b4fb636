package openwop_test

import (
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// lostCast are a loop whose first worker ended so, and its runs.
func lostCast(phase, status string) *cast {
	c := &cast{parent: newTale("p", "assay-loop-mapped", "completed")}
	c.parent.shown["variables"] = map[string]any{"outcome": "as it was"}
	began := c.parent.step("dispatch.began", c.parent.decide("lost"), "lost", "")
	problem := map[string]any{"code": "no", "message": "m"}
	if phase == "dispatch.failed" {
		c.parent.step(phase, began, "lost", "", "error", problem)
	} else {
		succeeded := c.parent.step("dispatch.succeeded", began, "lost", "c1")
		var more []any
		if phase == "child.failed" {
			more = []any{"error", problem}
		}
		c.parent.step(phase, succeeded, "lost", "c1", more...)
		c.children = append(c.children, child("c1", "lost", "p", status))
	}
	c.parent.hand(c.parent.decide("next"), "next", "c2", "heard")
	c.children = append(c.children, child("c2", "next", "p", "completed"))
	c.parent.complete()
	return c
}

// failsWithIt ends the parent where its worker was lost.
func failsWithIt(c *cast) {
	c.parent.events = c.parent.events[:c.parent.at("runOrchestrator.decided", 1)]
	c.parent.add("run.failed", "", map[string]any{"error": map[string]any{"code": "child_failed", "message": "m"}})
	c.parent.shown["status"] = "failed"
}

func TestJudgesOfLostWorkers(t *testing.T) {
	harvest := func(c *cast) { c.parent.payload("child.failed", 0)["phase"] = "output.harvested" }
	addHarvest := func(after string) func(*cast) {
		return func(c *cast) {
			i := c.parent.at(after, 0)
			c.parent.step("output.harvested", c.parent.events[i]["eventId"].(string), "lost", "c1")
			c.parent.move(len(c.parent.events)-1, i+1)
		}
	}
	overwritten := func(c *cast) { c.parent.shown["variables"] = map[string]any{"outcome": "this-should-not-be-harvested"} }
	succeeds := func(c *cast) {
		i := c.parent.at("dispatch.began", 0)
		c.parent.step("dispatch.succeeded", c.parent.events[i]["eventId"].(string), "lost", "c9")
		c.parent.move(len(c.parent.events)-1, i+1)
	}
	for _, c := range []struct {
		name, scenario, phase, status string
		spoil                         func(*cast)
		want                          string
	}{
		{"honest", "failed-worker", "child.failed", "failed", func(*cast) {}, "passed"},
		{"fails with its worker: a finding", "failed-worker", "child.failed", "failed", failsWithIt, "passed"},
		{"no error: a finding", "failed-worker", "child.failed", "failed", func(c *cast) { delete(c.parent.payload("child.failed", 0), "error") }, "passed"},
		{"says that it completed", "failed-worker", "child.completed", "failed", func(*cast) {}, openwopv1.OWP0037B3},
		{"the child did complete", "failed-worker", "child.failed", "completed", func(*cast) {}, openwopv1.OWPDSP12},
		{"harvests instead", "failed-worker", "child.failed", "failed", harvest, openwopv1.OWP0037B3},
		{"says so twice", "failed-worker", "child.failed", "failed", func(c *cast) {
			i := c.parent.at("child.failed", 0)
			c.parent.step("child.cancelled", c.parent.events[i]["eventId"].(string), "lost", "c1")
			c.parent.move(len(c.parent.events)-1, i+1)
		}, openwopv1.OWP0037B3},

		{"honest", "failed-not-harvested", "child.failed", "failed", func(*cast) {}, "passed"},
		{"fails with its worker", "failed-not-harvested", "child.failed", "failed", failsWithIt, "passed"},
		{"harvests all the same", "failed-not-harvested", "child.failed", "failed", addHarvest("child.failed"), openwopv1.OWP0037B2},
		{"writes the variable without a word", "failed-not-harvested", "child.failed", "failed", overwritten, openwopv1.OWP0037B2},
		{"shows no variables", "failed-not-harvested", "child.failed", "failed", func(c *cast) { delete(c.parent.shown, "variables") }, "blocked"},
		{"harvests nobody", "failed-not-harvested", "child.failed", "failed", func(c *cast) { c.parent.cut("output.harvested", 0) }, "blocked"},

		{"honest", "cancelled-worker", "child.cancelled", "cancelled", func(*cast) {}, "passed"},
		{"says that it failed", "cancelled-worker", "child.failed", "cancelled", func(*cast) {}, openwopv1.OWP0037B3},
		{"says that it completed", "cancelled-worker", "child.completed", "cancelled", func(*cast) {}, openwopv1.OWP0037B3},
		{"the child went on and completed", "cancelled-worker", "child.cancelled", "completed", func(*cast) {}, openwopv1.OWPDSP12},

		{"honest", "cancelled-not-harvested", "child.cancelled", "cancelled", func(*cast) {}, "passed"},
		{"harvests all the same", "cancelled-not-harvested", "child.cancelled", "cancelled", addHarvest("child.cancelled"), openwopv1.OWP0037B2},
		{"writes the variable without a word", "cancelled-not-harvested", "child.cancelled", "cancelled", overwritten, openwopv1.OWP0037B2},

		{"honest", "uncreatable-worker", "dispatch.failed", "", func(*cast) {}, "passed"},
		{"fails with its worker: a finding", "uncreatable-worker", "dispatch.failed", "", failsWithIt, "passed"},
		{"the type of the text beside the phase: a finding", "uncreatable-worker", "dispatch.failed", "", func(c *cast) {
			c.parent.add("core.dispatch.failed", "", map[string]any{})
		}, "passed"},
		{"the type of the text instead of the phase", "uncreatable-worker", "dispatch.failed", "", func(c *cast) {
			c.parent.events[c.parent.at("dispatch.failed", 0)]["type"] = "core.dispatch.failed"
		}, openwopv1.OWP0037B4},
		{"makes a run of nothing", "uncreatable-worker", "dispatch.failed", "", succeeds, openwopv1.OWP0037B4},
		{"has it fail as a child", "uncreatable-worker", "child.failed", "failed", func(*cast) {}, openwopv1.OWP0037B4},
		{"has it complete", "uncreatable-worker", "child.completed", "completed", func(*cast) {}, openwopv1.OWP0037B4},
		{"names a child", "uncreatable-worker", "dispatch.failed", "", func(c *cast) { c.parent.payload("dispatch.failed", 0)["childRunId"] = "c9" }, openwopv1.OWPDSP10},
		{"passes over it", "uncreatable-worker", "dispatch.failed", "", func(c *cast) { c.parent.cut("dispatch.began", 0); c.parent.cut("dispatch.failed", 0) }, openwopv1.OWP0037B4},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			told := lostCast(c.phase, c.status)
			c.spoil(told)
			expect(t, c.scenario, lostObservation(t, told), c.want)
		})
	}
}

func lostObservation(t *testing.T, c *cast) openwop.LostObservation {
	o := openwop.LostObservation{Way: "assay-loop-mapped", Mapped: true, Outcome: "as it was", Lost: "lost", Next: "next",
		Running: wire.Wait{What: "at work", Reached: true}, Cancelled: wiretest.Status(t, 200)}
	o.Log, o.Children = c.minted(t)
	return o
}

func TestJudgesOfLostWorkersThatCannotBeLookedAt(t *testing.T) {
	honest := func() openwop.LostObservation { return lostObservation(t, lostCast("child.cancelled", "cancelled")) }
	for name, spoil := range map[string]func(*openwop.LostObservation){
		"not seen at work": func(o *openwop.LostObservation) { o.Running.Reached = false },
		"cancel refused":   func(o *openwop.LostObservation) { o.Cancelled = wiretest.Status(t, 403) },
		"run refused":      func(o *openwop.LostObservation) { o.Log.Created = wiretest.Status(t, 400) },
	} {
		o := honest()
		spoil(&o)
		t.Run(name, func(t *testing.T) {
			expect(t, "cancelled-worker", o, "blocked")
			expect(t, "cancelled-not-harvested", o, "blocked")
		})
	}
	t.Run("nothing is mapped", func(t *testing.T) {
		o := honest()
		o.Mapped = false
		expect(t, "cancelled-not-harvested", o, "blocked")
	})
	t.Run("a lost loop is a finding", func(t *testing.T) {
		c := lostCast("child.failed", "failed")
		failsWithIt(c)
		out := scenarios.Conclude(scenario(t, "failed-worker"), openwop.Protocol.Ledger, lostObservation(t, c))
		if out.Verdict != scenarios.Passed || len(out.Findings) != 2 || out.Findings[0].Requirement != openwopv1.OWPDSP15 {
			t.Errorf("%s (%s), findings %v", out.Verdict, out.Reason, out.Findings)
		}
	})
}
