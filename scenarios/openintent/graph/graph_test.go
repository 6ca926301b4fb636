package graph_test

import (
	"testing"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios/openintent/graph"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/lifecycle"
	"github.com/openassay/assay/scenarios/openintent/suitetest"
)

type doc = suitetest.Doc

func TestJudgesOfSteps(t *testing.T) {
	x := suitetest.Minter{T: t}
	type O = lifecycle.LifecycleObservation
	honest := func(x suitetest.Minter) O {
		return O{Draft: x.Reply(409, doc{}), DraftEnd: x.Is("draft"), Done: x.Reply(422, doc{}), DoneEnd: x.Is("completed"),
			Active:     x.Is(suitetest.Waits),
			Completing: x.Reply(409, doc{}), Waiting: x.Is(suitetest.Waits), Answer: x.Ok(doc{}), Completed: x.Reached(true, "completed")}
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "lifecycle/only-active", What: "honest", Want: "passed"},
		{Scenario: "lifecycle/only-active", What: "suspends a draft", Want: openintent.OIP0025L1,
			Change: func(o *O) { o.Draft, o.DraftEnd = x.Is(suitetest.Waits), x.Is(suitetest.Waits) }},
		{Scenario: "lifecycle/only-active", What: "refuses and suspends", Want: openintent.OIP0025L1,
			Change: func(o *O) { o.DoneEnd = x.Is(suitetest.Waits) }},
		{Scenario: "lifecycle/only-active", What: "suspends what is completed", Want: openintent.OIP0025L1,
			Change: func(o *O) { o.Done, o.DoneEnd = x.Is(suitetest.Waits), x.Is(suitetest.Waits) }},
		{Scenario: "lifecycle/only-active", What: "suspends nothing", Want: openintent.OIP0025L1,
			Change: func(o *O) { o.Active = x.Reply(409, doc{}) }},

		{Scenario: "lifecycle/not-completed", What: "honest", Want: "passed"},
		{Scenario: "lifecycle/not-completed", What: "completes it", Want: openintent.OIP0025L2,
			Change: func(o *O) { o.Completing, o.Waiting = x.Is("completed"), x.Is("completed") }},
		{Scenario: "lifecycle/not-completed", What: "refuses and completes", Want: openintent.OIP0025L2,
			Change: func(o *O) { o.Waiting = x.Is("completed") }},
		{Scenario: "lifecycle/not-completed", What: "completes nothing", Want: "blocked",
			Change: func(o *O) { o.Completed = x.Reached(false, "active") }},
	})
}

func TestJudgesOfLeases(t *testing.T) {
	x := suitetest.Minter{T: t}
	type O = lifecycle.LeasesObservation
	also := func(reply host.Reply, status string) []lifecycle.Overrun {
		kept := lifecycle.Overrun{Of: "it was suspended without a record", Reply: x.Reply(409, doc{})}
		kept.Still = x.Is(suitetest.Waits).Body.Key("status")
		return []lifecycle.Overrun{kept, {Of: "somebody is reminded of it", Reply: reply, Still: x.Is(status).Body.Key("status")}}
	}
	lease := func(id, until string) doc { return doc{"id": id, "expires_at": until} }
	honest := func(x suitetest.Minter) O {
		return O{Held: x.Ok(lease("l", "2026-11-22T10:01:00")), Renewed: x.Ok(lease("l", "2026-11-22T10:10:00Z")),
			Taken:     x.Ok(lease("s", suitetest.Began)),
			Strangers: []host.Reply{x.Reply(409, doc{}), x.Reply(409, doc{})}, Status: x.Is(suitetest.Waits).Body.Key("status"), Free: x.Ok(doc{})}
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "lifecycle/lease-renewed", What: "honest", Want: "passed"},
		{Scenario: "lifecycle/lease-renewed", What: "refuses", Want: openintent.OIP0025L3,
			Change: func(o *O) { o.Renewed = x.Reply(404, doc{}) }},
		{Scenario: "lifecycle/lease-renewed", What: "gives another", Want: openintent.OIP0025L3,
			Change: func(o *O) { o.Renewed = x.Ok(lease("m", "2026-11-22T10:10:00Z")) }},
		{Scenario: "lifecycle/lease-renewed", What: "renews nothing", Want: openintent.OIP0025L3,
			Change: func(o *O) { o.Renewed = o.Held }},

		{Scenario: "lifecycle/lease-kept", What: "honest", Want: "passed"},
		{Scenario: "lifecycle/lease-kept", What: "gives it away", Want: openintent.OIP0025L4,
			Change: func(o *O) { o.Strangers[1] = x.Ok(doc{}) }},
		{Scenario: "lifecycle/lease-kept", What: "crashes", Want: openintent.OIP0025L4,
			Change: func(o *O) { o.Strangers[0] = x.Reply(500, doc{}) }},
		{Scenario: "lifecycle/lease-kept", What: "gives one away that was renewed", Want: openintent.OIP0025L4,
			Change: func(o *O) { o.Also = also(x.Ok(doc{}), suitetest.Waits) }},
		{Scenario: "lifecycle/lease-kept", What: "gives one away that was renewed, and waits no more", Want: "passed",
			Change: func(o *O) { o.Also = also(x.Ok(doc{}), "active") }},
		{Scenario: "lifecycle/lease-kept", What: "keeps the others as well", Want: "passed",
			Change: func(o *O) { o.Also = also(x.Reply(409, doc{}), suitetest.Waits) }},
		{Scenario: "lifecycle/lease-kept", What: "gives nothing away ever", Want: "blocked",
			Change: func(o *O) { o.Free = x.Reply(409, doc{}) }},
		{Scenario: "lifecycle/lease-kept", What: "waits no more", Want: "blocked",
			Change: func(o *O) { o.Status = x.Is("active").Body.Key("status") }},
	})
}

// familyAt is a family with a child in a status, and an aggregate.
func familyAt(x suitetest.Minter, child string, counts doc) graph.Family {
	return graph.Family{
		Parent: x.Is("active"), Graph: x.Ok(doc{"aggregate_status": doc{"total": 4, "by_status": counts}}),
		Children: x.Ok(doc{"children": []any{doc{"id": "a", "status": child}, doc{"id": "b", "status": "active"}}}),
		A:        x.Is(child), B: x.Is("active"), Stranger: x.Is("active"),
	}
}

func TestJudgesOfFamilies(t *testing.T) {
	x := suitetest.Minter{T: t}
	type O = graph.FamilyObservation
	honest := func(x suitetest.Minter) O {
		during := familyAt(x, suitetest.Waits, doc{"active": 2, "completed": 1, suitetest.Waits: 1})
		return O{AID: "a", Before: familyAt(x, "active", doc{"active": 3, "completed": 1}), Suspension: x.Suspension(nil),
			During: during, Barrier: x.Barrier(), Behind: during,
			Completing: x.Reply(409, doc{}), Still: x.Is("active"), Answer: x.Ok(doc{}),
			After: familyAt(x, "active", doc{"active": 3, "completed": 1}), Closing: x.Ok(doc{})}
	}
	counts := func(c doc) func(*O) {
		return func(o *O) { o.Behind.Graph = x.Ok(doc{"aggregate_status": doc{"by_status": c}}) }
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "graph/intent-local", What: "honest", Want: "passed"},
		{Scenario: "graph/intent-local", What: "the parent takes it over", Want: openintent.OIP0026R1,
			Change: func(o *O) { o.During.Parent = x.Is(suitetest.Waits) }},
		{Scenario: "graph/intent-local", What: "the parent takes it over later", Want: openintent.OIP0026R1,
			Change: func(o *O) { o.Behind.Parent = x.Is("blocked") }},
		{Scenario: "graph/intent-local", What: "the sibling takes it over", Want: openintent.OIP0026R1,
			Change: func(o *O) { o.Behind.B = x.Is(suitetest.Waits) }},
		{Scenario: "graph/intent-local", What: "the parent knows nothing of it", Want: "not there",
			Change: func(o *O) { o.Behind.Children = x.Ok(doc{"children": []any{}}) }},
		{Scenario: "graph/intent-local", What: "nobody has had a turn", Want: suitetest.Violates(openintent.OIP0025A15),
			Change: func(o *O) { o.Barrier.Sentinel.Reached = false }},
		{Scenario: "graph/intent-local", What: "shows no status", Want: "blocked",
			Change: func(o *O) { o.Before.Parent, o.During.Parent, o.Behind.Parent = x.Ok(doc{}), x.Ok(doc{}), x.Ok(doc{}) }},

		{Scenario: "graph/unrelated", What: "honest", Want: "passed"},
		{Scenario: "graph/unrelated", What: "blocks a stranger", Want: openintent.OIP00024,
			Change: func(o *O) { o.Behind.Stranger = x.Is("blocked") }},
		{Scenario: "graph/unrelated", What: "blocks a sibling", Want: openintent.OIP00024,
			Change: func(o *O) { o.During.B = x.Is("blocked") }},

		{Scenario: "graph/counted", What: "honest", Want: "passed"},
		{Scenario: "graph/counted", What: "at the intent", Change: func(o *O) {
			o.Behind.Parent, o.Behind.Graph = x.Ok(doc{"aggregate_status": doc{"by_status": doc{suitetest.Waits: 1}}}), x.Reply(404, doc{})
		}, Want: "noted"},
		{Scenario: "graph/counted", What: "an explicit zero", Want: "passed",
			Change: func(o *O) { o.After = familyAt(x, "active", doc{suitetest.Waits: 0}) }},
		{Scenario: "graph/counted", What: "hides it", Change: counts(doc{"active": 3}), Want: openintent.OIP0026R4},
		{Scenario: "graph/counted", What: "counts it for ever", Want: openintent.OIP0026R4,
			Change: func(o *O) { o.After = o.During }},
		{Scenario: "graph/counted", What: "has no aggregate after it", Want: "blocked",
			Change: func(o *O) { o.After.Graph, o.After.Parent = x.Reply(500, doc{}), x.Is("active") }},
		{Scenario: "graph/counted", What: "has no aggregate", Want: "not there",
			Change: func(o *O) { o.Behind.Graph = x.Ok(doc{"nodes": []any{}}) }},

		{Scenario: "graph/not-done", What: "honest", Want: "passed"},
		{Scenario: "graph/not-done", What: "counts it as completed", Want: openintent.OIP00023,
			Change: counts(doc{"completed": 2, suitetest.Waits: 1})},
		{Scenario: "graph/not-done", What: "counts nothing", Change: counts(doc{}), Want: openintent.OIP00023},

		{Scenario: "graph/parent-gate", What: "honest", Want: "passed"},
		{Scenario: "graph/parent-gate", What: "completes it", Want: openintent.OIP00021,
			Change: func(o *O) { o.Completing, o.Still = x.Is("completed"), x.Is("completed") }},
		{Scenario: "graph/parent-gate", What: "refuses and completes", Want: openintent.OIP00021,
			Change: func(o *O) { o.Still = x.Is("completed") }},
		{Scenario: "graph/parent-gate", What: "completes no parent", Want: "blocked",
			Change: func(o *O) { o.Closing = x.Reply(409, doc{}) }},
	})
}

func TestJudgesOfDependents(t *testing.T) {
	x := suitetest.Minter{T: t}
	type O = graph.DependentObservation
	honest := func(x suitetest.Minter) O {
		return O{Way: "a child with depends_on was activated", Before: x.Is("active"), UpstreamID: "u",
			Suspension: x.Suspension(nil), Usual: x.Reached(true, "blocked"), Blocked: x.Reached(true, "blocked"),
			Completing: x.Reply(409, doc{}), Still: x.Is("blocked"), Answer: x.Ok(doc{}), Resumed: x.Reached(true, "active"),
			Barrier: x.Barrier(), Behind: x.Is("blocked"),
			Finished: x.Ok(doc{}), Unblocked: x.Reached(true, "active"), Closing: x.Ok(doc{})}
	}
	never := func(o *O) { o.Blocked = x.Reached(false, "active") }
	cannot := func(o *O) { o.Way = "it could be neither active nor blocked" }
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "graph/blocked", What: "honest", Want: "passed"},
		{Scenario: "graph/blocked", What: "runs on", Change: never, Want: openintent.OIP0026R2},
		{Scenario: "graph/blocked", What: "was blocked from the start", Want: "inapplicable",
			Change: func(o *O) { o.Way = "it was blocked from the start" }},
		{Scenario: "graph/blocked", What: "cannot be", Change: cannot, Want: "blocked"},

		{Scenario: "graph/not-on-resume", What: "honest", Want: "passed"},
		{Scenario: "graph/not-on-resume", What: "unblocks on the answer", Want: openintent.OIP0026R2C,
			Change: func(o *O) { o.Behind = x.Is("active") }},
		{Scenario: "graph/not-on-resume", What: "never blocks", Change: never, Want: suitetest.Violates(openintent.OIP0026R2)},
		{Scenario: "graph/not-on-resume", What: "never unblocks", Want: suitetest.Violates(openintent.OIP0026R2D),
			Change: func(o *O) { o.Unblocked = x.Reached(false, "blocked") }},
		{Scenario: "graph/not-on-resume", What: "nobody has had a turn", Want: suitetest.Violates(openintent.OIP0025A15),
			Change: func(o *O) { o.Barrier.Sentinel.Reached = false }},
		{Scenario: "graph/not-on-resume", What: "was blocked from the start, and is no more", Want: "blocked", Change: func(o *O) {
			never(o)
			o.Way = "it was blocked from the start"
		}},
		{Scenario: "graph/not-on-resume", What: "may not complete the upstream", Want: "blocked", Change: func(o *O) {
			o.Unblocked, o.Finished = x.Reached(false, "blocked"), x.Reply(403, doc{})
		}},
		{Scenario: "graph/not-on-resume", What: "leaves the upstream active", Want: "blocked", Change: func(o *O) {
			o.Unblocked, o.Finished = x.Reached(false, "blocked"), x.Is("active")
		}},
		{Scenario: "graph/orders", What: "may not complete the upstream", Want: "blocked", Change: func(o *O) {
			o.Unblocked, o.Finished = x.Reached(false, "blocked"), x.Reply(403, doc{})
		}},

		{Scenario: "graph/unblocked", What: "honest", Want: "passed"},
		{Scenario: "graph/unblocked", What: "never unblocks", Want: openintent.OIP0026R2D,
			Change: func(o *O) { o.Unblocked = x.Reached(false, "blocked") }},
		{Scenario: "graph/unblocked", What: "never blocks", Change: never, Want: suitetest.Violates(openintent.OIP0026R2)},
		{Scenario: "graph/unblocked", What: "the upstream is not completed", Want: "blocked",
			Change: func(o *O) { o.Finished = x.Reply(409, doc{}) }},

		{Scenario: "graph/completion-gate", What: "honest", Want: "passed"},
		{Scenario: "graph/completion-gate", What: "completes it", Want: openintent.OIP0026R2B,
			Change: func(o *O) { o.Completing, o.Still = x.Is("completed"), x.Is("completed") }},
		{Scenario: "graph/completion-gate", What: "refuses and completes", Want: openintent.OIP0026R2B,
			Change: func(o *O) { o.Still = x.Is("completed") }},
		{Scenario: "graph/completion-gate", What: "completes none", Want: "blocked",
			Change: func(o *O) { o.Closing = x.Reply(409, doc{}) }},

		{Scenario: "graph/orders", What: "honest", Want: "passed"},
		{Scenario: "graph/orders", What: "does not block", Change: never, Want: openintent.OIPREAD2},
		{Scenario: "graph/orders", What: "does not unblock", Want: openintent.OIPREAD2,
			Change: func(o *O) { o.Unblocked = x.Reached(false, "blocked") }},
		{Scenario: "graph/orders", What: "does not block in the usual order", Want: suitetest.Violates(openintent.OIP0026R2),
			Change: func(o *O) { never(o); o.Usual.Reached = false }},
	})
	type D = graph.DiamondObservation
	suitetest.JudgeAll(t, func(x suitetest.Minter) D {
		return D{Way: "a child with depends_on was activated", Blocked: x.Reached(true, "blocked"), First: x.Ok(doc{}),
			Barrier: x.Barrier(), Between: x.Is("blocked"), Second: x.Is(suitetest.Waits), Finished: x.Ok(doc{}),
			Unblocked: x.Reached(true, "active")}
	}, []suitetest.Story[D]{
		{Scenario: "graph/diamond", What: "honest", Want: "passed"},
		{Scenario: "graph/diamond", What: "unblocks on the first", Want: openintent.OIP00022,
			Change: func(o *D) { o.Between = x.Is("active") }},
		{Scenario: "graph/diamond", What: "never unblocks", Want: suitetest.Violates(openintent.OIP0026R2D),
			Change: func(o *D) { o.Unblocked.Reached = false }},
		{Scenario: "graph/diamond", What: "never blocks",
			Change: func(o *D) { o.Blocked.Reached = false }, Want: suitetest.Violates(openintent.OIP0026R2)},
	})
}
