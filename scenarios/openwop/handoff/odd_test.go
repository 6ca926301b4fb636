package handoff_test

import (
	"testing"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/handoff"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
)

// oddCast returns a loop that decides on a worker and on one that fails, and then on another and on one that is not there.
func oddCast() *hosttest.Cast {
	c := &hosttest.Cast{Parent: hosttest.NewTale("p", fixture.Mapped, "completed")}
	c.Parent.Shown["variables"] = map[string]any{"outcome": "as it was"}
	problem := map[string]any{"code": "no", "message": "m"}
	decided := c.Parent.Decide(fixture.Echo, fixture.Fail)
	c.Parent.Hand(decided, fixture.Echo, "c1", "heard")
	succeeded := c.Parent.Step("dispatch.succeeded", c.Parent.Step("dispatch.began", decided, fixture.Fail, ""), fixture.Fail, "c2")
	c.Parent.Step("child.failed", succeeded, fixture.Fail, "c2", "error", problem)
	decided = c.Parent.Decide(fixture.EchoAgain, "nobody")
	c.Parent.Hand(decided, fixture.EchoAgain, "c3", "again")
	c.Parent.Step("dispatch.failed", c.Parent.Step("dispatch.began", decided, "nobody", ""), "nobody", "", "error", problem)
	c.Parent.Complete()
	c.Children = append(c.Children, hosttest.Child("c1", fixture.Echo, "p", "completed"), hosttest.Child("c2", fixture.Fail, "p", "failed"),
		hosttest.Child("c3", fixture.EchoAgain, "p", "completed"))
	return c
}

func TestJudgesOfOddWorkers(t *testing.T) {
	cause := func(c *hosttest.Cast, of, by string, n int) {
		c.Parent.Events[c.Parent.At(of, 0)]["causationId"] = c.Parent.Events[c.Parent.At(by, n)]["eventId"]
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*hosttest.Cast)
		want           string
	}{
		{"honest", "odd-among-many", func(*hosttest.Cast) {}, "passed"},
		{"no error is a finding", "odd-among-many", func(c *hosttest.Cast) { delete(c.Parent.Payload("child.failed", 0), "error") }, "passed"},
		{"a second worker fails by the decision", "odd-among-many",
			func(c *hosttest.Cast) { cause(c, "child.failed", "runOrchestrator.decided", 0) }, requirement.OWP0037B3},
		{"a second worker is refused by the decision", "odd-among-many",
			func(c *hosttest.Cast) { cause(c, "dispatch.failed", "runOrchestrator.decided", 1) }, requirement.OWP0037B3},
		{"a second worker begins by that before it", "odd-among-many",
			func(c *hosttest.Cast) {
				c.Parent.Events[c.Parent.At("dispatch.began", 1)]["causationId"] = c.Parent.Events[c.Parent.At("dispatch.began", 0)]["eventId"]
			}, requirement.OWP0037B3},
		{"a refused worker has a run", "odd-among-many",
			func(c *hosttest.Cast) { c.Parent.Payload("dispatch.failed", 0)["childRunId"] = "c3" }, requirement.OWPDSP10},
		{"fails with the first that failed", "odd-among-many", failsWithIt, "passed"},
		{"fails, and told nothing of the second worker", "odd-among-many", func(c *hosttest.Cast) {
			failsWithIt(c)
			c.Parent.Cut("child.failed", 0)
		}, requirement.OWP0037B3},

		{"honest", "odd-not-harvested", func(*hosttest.Cast) {}, "passed"},
		{"one that completed is not harvested", "odd-not-harvested",
			func(c *hosttest.Cast) { c.Parent.Cut("output.harvested", 1) }, requirement.OWP0037B1},
		{"one that failed is harvested", "odd-not-harvested", func(c *hosttest.Cast) {
			c.Parent.Payload("output.harvested", 1)["workerId"] = fixture.Fail
		}, requirement.OWP0037B2},
		{"one that is not there is harvested", "odd-not-harvested", func(c *hosttest.Cast) {
			c.Parent.Payload("output.harvested", 1)["workerId"] = "nobody"
		}, requirement.OWP0037B2},
		{"the variable of one that failed is overwritten", "odd-not-harvested",
			func(c *hosttest.Cast) { c.Parent.Shown["variables"] = map[string]any{"outcome": "another"} }, requirement.OWP0037B2},
		{"fails with the first that failed", "odd-not-harvested", failsWithIt, "passed"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			cast := oddCast()
			c.spoil(cast)
			o := handoff.OddWorkersObservation{Way: fixture.Mapped, Mapped: true, Outcome: "as it was", Workers: []handoff.Odd{
				{Worker: fixture.Echo, Ends: "completed"}, {Worker: fixture.Fail, Ends: "failed"},
				{Worker: fixture.EchoAgain, Ends: "completed", Turn: 1}, {Worker: "nobody", Ends: "missing", Turn: 1}}}
			o.Log, o.Children = cast.Minted(t)
			hosttest.Expect(t, c.scenario, o, c.want)
		})
	}
}
