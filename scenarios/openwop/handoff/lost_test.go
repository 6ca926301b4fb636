package handoff_test

import (
	"slices"
	"testing"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/handoff"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// lostCast returns a loop whose first worker ended in this phase and status, and its runs.
func lostCast(phase, status string) *hosttest.Cast {
	c := &hosttest.Cast{Parent: hosttest.NewTale("p", "assay-loop-mapped", "completed")}
	c.Parent.Shown["variables"] = map[string]any{"outcome": "as it was"}
	began := c.Parent.Step("dispatch.began", c.Parent.Decide("lost"), "lost", "")
	problem := map[string]any{"code": "no", "message": "m"}
	if phase == "dispatch.failed" {
		c.Parent.Step(phase, began, "lost", "", "error", problem)
	} else {
		succeeded := c.Parent.Step("dispatch.succeeded", began, "lost", "c1")
		var more []any
		if phase == "child.failed" {
			more = []any{"error", problem}
		}
		c.Parent.Step(phase, succeeded, "lost", "c1", more...)
		c.Children = append(c.Children, hosttest.Child("c1", "lost", "p", status))
	}
	c.Parent.Hand(c.Parent.Decide("next"), "next", "c2", "heard")
	c.Children = append(c.Children, hosttest.Child("c2", "next", "p", "completed"))
	c.Parent.Complete()
	return c
}

// failsWithIt ends the parent after its lost worker.
func failsWithIt(c *hosttest.Cast) {
	c.Parent.Events = c.Parent.Events[:c.Parent.At("runOrchestrator.decided", 1)]
	c.Parent.Add("run.failed", "", map[string]any{"error": map[string]any{"code": "child_failed", "message": "m"}})
	c.Parent.Shown["status"] = "failed"
}

// A host may look up the workers of a plan before it makes the run.
func TestAPlanWithAnUnknownWorkerMayBeRefused(t *testing.T) {
	o := handoff.LostObservation{Lost: "lost", Next: "next"}
	o.Log.Created = wiretest.Status(t, 404)
	hosttest.Expect(t, "uncreatable-worker", o, hosttest.BlockedOn(""))
	hosttest.Expect(t, "failed-worker", o, hosttest.BlockedOn(requirement.OWPCAP19))
}

// What is refused for its inputs is told as what cannot be made for want of a workflow.
func TestJudgeOfAWorkerWithInputsThatDoNotFit(t *testing.T) {
	for phase, want := range map[string]string{"dispatch.failed": "passed", "dispatch.succeeded": "passed", "": requirement.OWP0037B4} {
		t.Run("it comes to "+phase, func(t *testing.T) {
			o := lostObservation(t, lostCast("dispatch.failed", ""))
			s := hosttest.LoopOf(1).Then(hosttest.Event{Kind: "core.workflowChain.event", Payload: map[string]any{"phase": "dispatch.began"}})
			if phase != "" {
				s = s.Then(hosttest.Event{Kind: "core.workflowChain.event", Payload: map[string]any{"phase": phase}})
			}
			o.Misfit = s.Log(t)
			hosttest.Expect(t, "uncreatable-worker", o, want)
		})
	}
}

// A loop that stops before its plan does may have met a limit; one that decides otherwise does not follow its script.
func TestALoopThatLosesAWorkerKeepsToItsPlan(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*hosttest.Cast)
		want  string
	}{
		"as planned": {func(*hosttest.Cast) {}, "passed"},
		"stops early": {func(c *hosttest.Cast) {
			c.Parent.Events = c.Parent.Events[:c.Parent.At("runOrchestrator.decided", 1)]
			c.Parent.Complete()
		}, hosttest.BlockedOn("")},
		"decides on another": {func(c *hosttest.Cast) {
			c.Parent.Payload("runOrchestrator.decided", 1)["decision"] = map[string]any{"kind": "next-worker", "nextWorkerIds": []any{"other"}}
		}, hosttest.BlockedOn(requirement.OWP0037A2)},
		"decides on nobody": {func(c *hosttest.Cast) {
			c.Parent.Payload("runOrchestrator.decided", 1)["decision"] = map[string]any{"kind": "next-worker", "nextWorkerIds": []any{}}
		}, hosttest.BlockedOn(requirement.OWP0037A2)},
		"fails behind its second worker": {func(c *hosttest.Cast) {
			c.Parent.Cut("run.completed", 0)
			c.Parent.Add("run.failed", "", map[string]any{"error": map[string]any{"code": "no", "message": "m"}})
			c.Parent.Shown["status"] = "failed"
		}, hosttest.BlockedOn("")},
	} {
		t.Run(name, func(t *testing.T) {
			cast := lostCast("child.failed", "failed")
			c.spoil(cast)
			o := handoff.LostObservation{Way: "assay-loop-mapped", Lost: "lost", Next: "next"}
			o.Log, o.Children = cast.Minted(t)
			hosttest.Expect(t, "failed-worker", o, c.want)
		})
	}
}

func TestJudgesOfLostWorkers(t *testing.T) {
	harvest := func(c *hosttest.Cast) { c.Parent.Payload("child.failed", 0)["phase"] = "output.harvested" }
	addHarvest := func(after string) func(*hosttest.Cast) {
		return func(c *hosttest.Cast) {
			i := c.Parent.At(after, 0)
			c.Parent.Step("output.harvested", c.Parent.Events[i]["eventId"].(string), "lost", "c1")
			c.Parent.Move(len(c.Parent.Events)-1, i+1)
		}
	}
	overwritten := func(c *hosttest.Cast) {
		c.Parent.Shown["variables"] = map[string]any{"outcome": "this-should-not-be-harvested"}
	}
	succeeds := func(c *hosttest.Cast) {
		i := c.Parent.At("dispatch.began", 0)
		c.Parent.Step("dispatch.succeeded", c.Parent.Events[i]["eventId"].(string), "lost", "c9")
		c.Parent.Move(len(c.Parent.Events)-1, i+1)
	}
	for _, c := range []struct {
		name, scenario, phase, status string
		spoil                         func(*hosttest.Cast)
		want                          string
	}{
		{"honest", "failed-worker", "child.failed", "failed", func(*hosttest.Cast) {}, "passed"},
		{"fails with its worker: a finding", "failed-worker", "child.failed", "failed", failsWithIt, "passed"},
		{"no error: a finding", "failed-worker", "child.failed", "failed",
			func(c *hosttest.Cast) { delete(c.Parent.Payload("child.failed", 0), "error") }, "passed"},
		{"says that it completed", "failed-worker", "child.completed", "failed", func(*hosttest.Cast) {}, requirement.OWP0037B3},
		{"the child did complete", "failed-worker", "child.failed", "completed", func(*hosttest.Cast) {}, requirement.OWPDSP12},
		{"harvests instead", "failed-worker", "child.failed", "failed", harvest, requirement.OWP0037B3},
		{"says so twice", "failed-worker", "child.failed", "failed", func(c *hosttest.Cast) {
			i := c.Parent.At("child.failed", 0)
			c.Parent.Step("child.cancelled", c.Parent.Events[i]["eventId"].(string), "lost", "c1")
			c.Parent.Move(len(c.Parent.Events)-1, i+1)
		}, requirement.OWP0037B3},

		{"honest", "failed-not-harvested", "child.failed", "failed", func(*hosttest.Cast) {}, "passed"},
		{"fails with its worker", "failed-not-harvested", "child.failed", "failed", failsWithIt, "passed"},
		{"harvests all the same", "failed-not-harvested", "child.failed", "failed", addHarvest("child.failed"), requirement.OWP0037B2},
		{"writes the variable without a word", "failed-not-harvested", "child.failed", "failed", overwritten, requirement.OWP0037B2},
		{"shows no variables", "failed-not-harvested", "child.failed", "failed",
			func(c *hosttest.Cast) { delete(c.Parent.Shown, "variables") }, "blocked"},
		{"harvests nobody", "failed-not-harvested", "child.failed", "failed",
			func(c *hosttest.Cast) { c.Parent.Cut("output.harvested", 0) }, hosttest.BlockedOn(requirement.OWP0037B1)},

		{"honest", "cancelled-worker", "child.cancelled", "cancelled", func(*hosttest.Cast) {}, "passed"},
		{"says that it failed", "cancelled-worker", "child.failed", "cancelled", func(*hosttest.Cast) {}, requirement.OWP0037B3},
		{"says that it completed", "cancelled-worker", "child.completed", "cancelled", func(*hosttest.Cast) {}, requirement.OWP0037B3},
		{"the child went on and completed", "cancelled-worker", "child.cancelled", "completed", func(*hosttest.Cast) {}, requirement.OWPDSP12},

		{"honest", "cancelled-not-harvested", "child.cancelled", "cancelled", func(*hosttest.Cast) {}, "passed"},
		{"harvests all the same", "cancelled-not-harvested", "child.cancelled", "cancelled", addHarvest("child.cancelled"),
			requirement.OWP0037B2},
		{"writes the variable without a word", "cancelled-not-harvested", "child.cancelled", "cancelled", overwritten, requirement.OWP0037B2},

		{"honest", "uncreatable-worker", "dispatch.failed", "", func(*hosttest.Cast) {}, "passed"},
		{"fails with its worker: a finding", "uncreatable-worker", "dispatch.failed", "", failsWithIt, "passed"},
		{"the type of the text beside the phase: a finding", "uncreatable-worker", "dispatch.failed", "", func(c *hosttest.Cast) {
			c.Parent.Add("core.dispatch.failed", "", map[string]any{})
		}, "passed"},
		{"the type of the text instead of the phase", "uncreatable-worker", "dispatch.failed", "", func(c *hosttest.Cast) {
			c.Parent.Events[c.Parent.At("dispatch.failed", 0)]["type"] = "core.dispatch.failed"
		}, requirement.OWP0037B4},
		{"makes a run of nothing", "uncreatable-worker", "dispatch.failed", "", succeeds, requirement.OWP0037B4},
		{"has it fail as a child", "uncreatable-worker", "child.failed", "failed", func(*hosttest.Cast) {}, requirement.OWP0037B4},
		{"has it complete", "uncreatable-worker", "child.completed", "completed", func(*hosttest.Cast) {}, requirement.OWP0037B4},
		{"names a child", "uncreatable-worker", "dispatch.failed", "",
			func(c *hosttest.Cast) { c.Parent.Payload("dispatch.failed", 0)["childRunId"] = "c9" }, requirement.OWPDSP10},
		{"passes over it", "uncreatable-worker", "dispatch.failed", "",
			func(c *hosttest.Cast) { c.Parent.Cut("dispatch.began", 0); c.Parent.Cut("dispatch.failed", 0) }, requirement.OWP0037B4},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			told := lostCast(c.phase, c.status)
			c.spoil(told)
			hosttest.Expect(t, c.scenario, lostObservation(t, told), c.want)
		})
	}
}

// What holds of a worker that is cancelled at work holds of one that is cancelled while it asks.
func TestJudgesOfAWorkerThatIsCancelledWhileItAsks(t *testing.T) {
	for name, c := range map[string]struct {
		phase, status string
		cancel        int
		want          string
	}{
		"it is cancelled":        {"child.cancelled", "cancelled", 200, "passed"},
		"it fails":               {"child.failed", "cancelled", 200, requirement.OWP0037B3},
		"its cancel was refused": {"child.completed", "completed", 409, "passed"},
	} {
		t.Run(name, func(t *testing.T) {
			o, asking := lostObservation(t, lostCast("child.cancelled", "cancelled")), lostObservation(t, lostCast(c.phase, c.status))
			asking.Cancelled = wiretest.Status(t, c.cancel)
			o.Asking = &asking
			hosttest.Expect(t, "cancelled-worker", o, c.want)
		})
	}
}

func lostObservation(t *testing.T, c *hosttest.Cast) handoff.LostObservation {
	o := handoff.LostObservation{Way: "assay-loop-mapped", Mapped: true, Outcome: "as it was", Lost: "lost", Next: "next",
		Running: wire.Wait{What: "at work", Reached: true}, Cancelled: wiretest.Status(t, 200)}
	o.Log, o.Children = c.Minted(t)
	return o
}

func TestJudgesOfLostWorkersThatCannotBeLookedAt(t *testing.T) {
	honest := func() handoff.LostObservation { return lostObservation(t, lostCast("child.cancelled", "cancelled")) }
	for name, spoil := range map[string]func(*handoff.LostObservation){
		"not seen at work": func(o *handoff.LostObservation) { o.Running.Reached = false },
		"cancel refused":   func(o *handoff.LostObservation) { o.Cancelled = wiretest.Status(t, 403) },
		"run refused":      func(o *handoff.LostObservation) { o.Log.Created = wiretest.Status(t, 400) },
	} {
		o := honest()
		spoil(&o)
		t.Run(name, func(t *testing.T) {
			hosttest.Expect(t, "cancelled-worker", o, hosttest.BlockedOn(""))
			hosttest.Expect(t, "cancelled-not-harvested", o, hosttest.BlockedOn(""))
		})
	}
	t.Run("nothing is mapped", func(t *testing.T) {
		o := honest()
		o.Mapped = false
		hosttest.Expect(t, "cancelled-not-harvested", o, "blocked")
	})
	t.Run("a lost loop is a finding", func(t *testing.T) {
		c := lostCast("child.failed", "failed")
		failsWithIt(c)
		out := scenarios.Conclude(hosttest.Scenario(t, "failed-worker"), openwop.Protocol.Ledger, lostObservation(t, c))
		if out.Verdict != scenarios.Passed || len(out.Findings) != 2 || out.Findings[0].Requirement != requirement.OWPDSP15 {
			t.Errorf("%s (%s), findings %v", out.Verdict, out.Reason, out.Findings)
		}
	})
}

// The workers of one decision are dispatched one after the other, whatever became of those before.
func TestAWorkerThatIsCancelledEndsNoDecision(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*hosttest.Cast)
		want  string
	}{
		"the next one follows":       {func(*hosttest.Cast) {}, "passed"},
		"the next one does not":      {func(c *hosttest.Cast) { cutHandoff(c, "next") }, requirement.OWP0037B3},
		"the loop fails with it":     {func(c *hosttest.Cast) { cutHandoff(c, "next"); failsLater(c) }, "passed"},
		"the loop fails behind both": {failsLater, "passed"},
	} {
		t.Run(name, func(t *testing.T) {
			cast := &hosttest.Cast{Parent: hosttest.NewTale("p", "assay-loop", "completed")}
			decided := cast.Parent.Decide("lost", "next")
			succeeded := cast.Parent.Step("dispatch.succeeded", cast.Parent.Step("dispatch.began", decided, "lost", ""), "lost", "c1")
			cast.Parent.Step("child.cancelled", succeeded, "lost", "c1")
			cast.Parent.Hand(decided, "next", "c2")
			cast.Parent.Complete()
			cast.Children = append(cast.Children, hosttest.Child("c1", "lost", "p", "cancelled"), hosttest.Child("c2", "next", "p", "completed"))
			c.spoil(cast)
			o := handoff.LostObservation{Way: "assay-loop", Lost: "lost", Next: "next", Beside: true,
				Running: wire.Wait{What: "at work", Reached: true}, Cancelled: wiretest.Status(t, 200)}
			o.Log, o.Children = cast.Minted(t)
			hosttest.Expect(t, "cancelled-worker", o, c.want)
		})
	}
}

// cutHandoff removes what the parent tells of a worker.
func cutHandoff(c *hosttest.Cast, worker string) {
	c.Parent.Events = slices.DeleteFunc(c.Parent.Events, func(e map[string]any) bool {
		payload, _ := e["payload"].(map[string]any)
		return payload["workerId"] == worker
	})
}

// failsLater has the parent fail in place of its second turn.
func failsLater(c *hosttest.Cast) {
	c.Parent.Events = c.Parent.Events[:c.Parent.At("runOrchestrator.decided", 1)]
	c.Parent.Add("run.failed", "", map[string]any{"error": map[string]any{"code": "child_cancelled", "message": "m"}})
	c.Parent.Shown["status"] = "failed"
}
