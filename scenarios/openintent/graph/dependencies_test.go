package graph_test

import (
	"testing"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios/openintent/graph"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/suitetest"
)

func TestJudgesOfDependencies(t *testing.T) {
	x := suitetest.Minter{T: t}
	type O = graph.DependenciesObservation
	waiting := func(on ...any) host.Reply { return x.Ok(doc{"id": "a", "depends_on": on}) }
	honest := func(x suitetest.Minter) O {
		return O{
			IDs: []string{"a", "b", "c"},
			Circles: []graph.Closing{
				{On: 0, Reply: x.Reply(400, doc{}), After: waiting()}, {On: 1, Reply: x.Reply(400, doc{}), After: waiting()},
				{On: 2, Reply: x.Reply(409, doc{}), After: waiting()},
			},
			Freed: []graph.Releases{{
				Waits: suitetest.Waits, Before: x.Is("blocked"), Open: x.Is("blocked"), Taken: []host.Reply{x.Ok(doc{}), x.Ok(doc{})},
				After: x.Is("active"),
			}},
		}
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "graph/no-circles", What: "honest", Want: "passed"},
		{Scenario: "graph/no-circles", What: "takes a circle of three", Want: openintent.OIP0002200,
			Change: func(o *O) { o.Circles[2].Reply, o.Circles[2].After = x.Ok(doc{}), waiting("c") }},
		{Scenario: "graph/no-circles", What: "refuses it and keeps it", Want: openintent.OIP0002200,
			Change: func(o *O) { o.Circles[1].After = waiting("b") }},

		{Scenario: "graph/freed", What: "honest", Want: "passed"},
		{Scenario: "graph/freed", What: "leaves it blocked", Want: openintent.OIP0002201,
			Change: func(o *O) { o.Freed[0].After = x.Is("blocked") }},
		{Scenario: "graph/freed", What: "lets it go on while one is open", Want: openintent.OIP00022,
			Change: func(o *O) { o.Freed[0].Open = x.Is("active") }},
		{Scenario: "graph/freed", What: "takes nothing away", Want: "inapplicable",
			Change: func(o *O) { o.Freed[0].Taken[0] = x.Reply(405, doc{}) }},
		{Scenario: "graph/freed", What: "refuses to", Want: "blocked",
			Change: func(o *O) { o.Freed[0].Taken[1] = x.Reply(409, doc{}) }},
	})
}
