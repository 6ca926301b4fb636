package graph_test

import (
	"testing"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios/openintent/graph"
	"github.com/openassay/assay/scenarios/openintent/lifecycle"
	"github.com/openassay/assay/scenarios/openintent/suitetest"
)

func TestJudgesOfSteps(t *testing.T) {
	x := suitetest.Teller{T: t}
	type O = lifecycle.LifecycleObservation
	honest := func(x suitetest.Teller) O {
		return O{Draft: x.Said(409, suitetest.Doc{}), DraftEnd: x.Is("draft"), Done: x.Said(422, suitetest.Doc{}), DoneEnd: x.Is("completed"), Active: x.Is(suitetest.Waits),
			Completing: x.Said(409, suitetest.Doc{}), Waiting: x.Is(suitetest.Waits), Answer: x.Ok(suitetest.Doc{}), Completed: x.Reached(true, "completed")}
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "lifecycle/only-active", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "lifecycle/only-active", What: "suspends a draft", Change: func(o *O) { o.Draft, o.DraftEnd = x.Is(suitetest.Waits), x.Is(suitetest.Waits) }, Want: openintentv1.OIP0025L1},
		{Scenario: "lifecycle/only-active", What: "refuses and suspends", Change: func(o *O) { o.DoneEnd = x.Is(suitetest.Waits) }, Want: openintentv1.OIP0025L1},
		{Scenario: "lifecycle/only-active", What: "suspends what is completed", Change: func(o *O) { o.Done, o.DoneEnd = x.Is(suitetest.Waits), x.Is(suitetest.Waits) }, Want: openintentv1.OIP0025L1},
		{Scenario: "lifecycle/only-active", What: "suspends nothing", Change: func(o *O) { o.Active = x.Said(409, suitetest.Doc{}) }, Want: openintentv1.OIP0025L1},

		{Scenario: "lifecycle/not-completed", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "lifecycle/not-completed", What: "completes it", Change: func(o *O) { o.Completing, o.Waiting = x.Is("completed"), x.Is("completed") }, Want: openintentv1.OIP0025L2},
		{Scenario: "lifecycle/not-completed", What: "refuses and completes", Change: func(o *O) { o.Waiting = x.Is("completed") }, Want: openintentv1.OIP0025L2},
		{Scenario: "lifecycle/not-completed", What: "completes nothing", Change: func(o *O) { o.Completed = x.Reached(false, "active") }, Want: "blocked"},
	})
}

func TestJudgesOfLeases(t *testing.T) {
	x := suitetest.Teller{T: t}
	type O = lifecycle.LeasesObservation
	lease := func(id, until string) suitetest.Doc { return suitetest.Doc{"id": id, "expires_at": until} }
	honest := func(x suitetest.Teller) O {
		return O{Held: x.Ok(lease("l", "2026-11-22T10:01:00")), Renewed: x.Ok(lease("l", "2026-11-22T10:10:00Z")), Taken: x.Ok(lease("s", suitetest.Began)),
			Stranger: x.Said(409, suitetest.Doc{}), Status: x.Is(suitetest.Waits).Body.Key("status"), Free: x.Ok(suitetest.Doc{})}
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "lifecycle/lease-renewed", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "lifecycle/lease-renewed", What: "refuses", Change: func(o *O) { o.Renewed = x.Said(404, suitetest.Doc{}) }, Want: openintentv1.OIP0025L3},
		{Scenario: "lifecycle/lease-renewed", What: "gives another", Change: func(o *O) { o.Renewed = x.Ok(lease("m", "2026-11-22T10:10:00Z")) }, Want: openintentv1.OIP0025L3},
		{Scenario: "lifecycle/lease-renewed", What: "renews nothing", Change: func(o *O) { o.Renewed = o.Held }, Want: openintentv1.OIP0025L3},

		{Scenario: "lifecycle/lease-kept", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "lifecycle/lease-kept", What: "gives it away", Change: func(o *O) { o.Stranger = x.Ok(suitetest.Doc{}) }, Want: openintentv1.OIP0025L4},
		{Scenario: "lifecycle/lease-kept", What: "crashes", Change: func(o *O) { o.Stranger = x.Said(500, suitetest.Doc{}) }, Want: openintentv1.OIP0025L4},
		{Scenario: "lifecycle/lease-kept", What: "gives nothing away ever", Change: func(o *O) { o.Free = x.Said(409, suitetest.Doc{}) }, Want: "blocked"},
		{Scenario: "lifecycle/lease-kept", What: "waits no more", Change: func(o *O) { o.Status = x.Is("active").Body.Key("status") }, Want: "blocked"},
	})
}

// familyAt is a family while the child is in a status, of which so many are counted.
func familyAt(x suitetest.Teller, child string, counts suitetest.Doc) graph.Family {
	return graph.Family{
		Parent: x.Is("active"), Graph: x.Ok(suitetest.Doc{"aggregate_status": suitetest.Doc{"total": 4, "by_status": counts}}),
		Children: x.Ok(suitetest.Doc{"children": []any{suitetest.Doc{"id": "a", "status": child}, suitetest.Doc{"id": "b", "status": "active"}}}), A: x.Is(child), B: x.Is("active"), Stranger: x.Is("active"),
	}
}

func TestJudgesOfFamilies(t *testing.T) {
	x := suitetest.Teller{T: t}
	type O = graph.FamilyObservation
	honest := func(x suitetest.Teller) O {
		during := familyAt(x, suitetest.Waits, suitetest.Doc{"active": 2, "completed": 1, suitetest.Waits: 1})
		return O{AID: "a", Before: familyAt(x, "active", suitetest.Doc{"active": 3, "completed": 1}), Suspension: x.Suspension(nil), During: during, Barrier: x.Barrier(), Behind: during,
			Completing: x.Said(409, suitetest.Doc{}), Still: x.Is("active"), Answer: x.Ok(suitetest.Doc{}), After: familyAt(x, "active", suitetest.Doc{"active": 3, "completed": 1}), Closing: x.Ok(suitetest.Doc{})}
	}
	counts := func(c suitetest.Doc) func(*O) {
		return func(o *O) { o.Behind.Graph = x.Ok(suitetest.Doc{"aggregate_status": suitetest.Doc{"by_status": c}}) }
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "graph/intent-local", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "graph/intent-local", What: "the parent takes it over", Change: func(o *O) { o.During.Parent = x.Is(suitetest.Waits) }, Want: openintentv1.OIP0026R1},
		{Scenario: "graph/intent-local", What: "the parent takes it over later", Change: func(o *O) { o.Behind.Parent = x.Is("blocked") }, Want: openintentv1.OIP0026R1},
		{Scenario: "graph/intent-local", What: "the sibling takes it over", Change: func(o *O) { o.Behind.B = x.Is(suitetest.Waits) }, Want: openintentv1.OIP0026R1},
		{Scenario: "graph/intent-local", What: "the parent knows nothing of it", Change: func(o *O) { o.Behind.Children = x.Ok(suitetest.Doc{"children": []any{}}) }, Want: "not there"},
		{Scenario: "graph/intent-local", What: "nobody has had a turn", Change: func(o *O) { o.Barrier.Sentinel.Reached = false }, Want: "blocked"},

		{Scenario: "graph/unrelated", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "graph/unrelated", What: "blocks a stranger", Change: func(o *O) { o.Behind.Stranger = x.Is("blocked") }, Want: openintentv1.OIP00024},
		{Scenario: "graph/unrelated", What: "blocks a sibling", Change: func(o *O) { o.During.B = x.Is("blocked") }, Want: openintentv1.OIP00024},

		{Scenario: "graph/counted", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "graph/counted", What: "at the intent", Change: func(o *O) {
			o.Behind.Parent, o.Behind.Graph = x.Ok(suitetest.Doc{"aggregate_status": suitetest.Doc{"by_status": suitetest.Doc{suitetest.Waits: 1}}}), x.Said(404, suitetest.Doc{})
		}, Want: "noted"},
		{Scenario: "graph/counted", What: "an explicit zero", Change: func(o *O) { o.After = familyAt(x, "active", suitetest.Doc{suitetest.Waits: 0}) }, Want: "passed"},
		{Scenario: "graph/counted", What: "hides it", Change: counts(suitetest.Doc{"active": 3}), Want: openintentv1.OIP0026R4},
		{Scenario: "graph/counted", What: "counts it for ever", Change: func(o *O) { o.After = o.During }, Want: openintentv1.OIP0026R4},
		{Scenario: "graph/counted", What: "has no aggregate", Change: func(o *O) { o.Behind.Graph = x.Ok(suitetest.Doc{"nodes": []any{}}) }, Want: "not there"},

		{Scenario: "graph/not-done", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "graph/not-done", What: "counts it as completed", Change: counts(suitetest.Doc{"completed": 2, suitetest.Waits: 1}), Want: openintentv1.OIP00023},
		{Scenario: "graph/not-done", What: "counts nothing", Change: counts(suitetest.Doc{}), Want: openintentv1.OIP00023},

		{Scenario: "graph/parent-gate", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "graph/parent-gate", What: "completes it", Change: func(o *O) { o.Completing, o.Still = x.Is("completed"), x.Is("completed") }, Want: openintentv1.OIP00021},
		{Scenario: "graph/parent-gate", What: "refuses and completes", Change: func(o *O) { o.Still = x.Is("completed") }, Want: openintentv1.OIP00021},
		{Scenario: "graph/parent-gate", What: "completes no parent", Change: func(o *O) { o.Closing = x.Said(409, suitetest.Doc{}) }, Want: "blocked"},
	})
}

func TestJudgesOfDependents(t *testing.T) {
	x := suitetest.Teller{T: t}
	type O = graph.DependentObservation
	honest := func(x suitetest.Teller) O {
		return O{Way: "a child with depends_on was activated", Before: x.Is("active"), UpstreamID: "u", Suspension: x.Suspension(nil), Usual: x.Reached(true, "blocked"), Blocked: x.Reached(true, "blocked"),
			Completing: x.Said(409, suitetest.Doc{}), Still: x.Is("blocked"), Answer: x.Ok(suitetest.Doc{}), Resumed: x.Reached(true, "active"), Barrier: x.Barrier(), Behind: x.Is("blocked"),
			Finished: x.Ok(suitetest.Doc{}), Unblocked: x.Reached(true, "active"), Closing: x.Ok(suitetest.Doc{})}
	}
	never := func(o *O) { o.Blocked = x.Reached(false, "active") }
	cannot := func(o *O) { o.Way = "it could be neither active nor blocked" }
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "graph/blocked", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "graph/blocked", What: "runs on", Change: never, Want: openintentv1.OIP0026R2},
		{Scenario: "graph/blocked", What: "was blocked from the start", Change: func(o *O) { o.Way = "it was blocked from the start" }, Want: "inapplicable"},
		{Scenario: "graph/blocked", What: "cannot be", Change: cannot, Want: "blocked"},

		{Scenario: "graph/not-on-resume", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "graph/not-on-resume", What: "unblocks on the answer", Change: func(o *O) { o.Behind = x.Is("active") }, Want: openintentv1.OIP0026R2C},
		{Scenario: "graph/not-on-resume", What: "never blocks", Change: never, Want: "blocked"},
		{Scenario: "graph/not-on-resume", What: "never unblocks", Change: func(o *O) { o.Unblocked = x.Reached(false, "blocked") }, Want: "blocked"},
		{Scenario: "graph/not-on-resume", What: "nobody has had a turn", Change: func(o *O) { o.Barrier.Sentinel.Reached = false }, Want: "blocked"},

		{Scenario: "graph/unblocked", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "graph/unblocked", What: "never unblocks", Change: func(o *O) { o.Unblocked = x.Reached(false, "blocked") }, Want: openintentv1.OIP0026R2D},
		{Scenario: "graph/unblocked", What: "never blocks", Change: never, Want: "blocked"},
		{Scenario: "graph/unblocked", What: "the upstream is not completed", Change: func(o *O) { o.Finished = x.Said(409, suitetest.Doc{}) }, Want: "blocked"},

		{Scenario: "graph/completion-gate", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "graph/completion-gate", What: "completes it", Change: func(o *O) { o.Completing, o.Still = x.Is("completed"), x.Is("completed") }, Want: openintentv1.OIP0026R2B},
		{Scenario: "graph/completion-gate", What: "refuses and completes", Change: func(o *O) { o.Still = x.Is("completed") }, Want: openintentv1.OIP0026R2B},
		{Scenario: "graph/completion-gate", What: "completes none", Change: func(o *O) { o.Closing = x.Said(409, suitetest.Doc{}) }, Want: "blocked"},

		{Scenario: "graph/orders", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "graph/orders", What: "does not block", Change: never, Want: openintentv1.OIPREAD2},
		{Scenario: "graph/orders", What: "does not unblock", Change: func(o *O) { o.Unblocked = x.Reached(false, "blocked") }, Want: openintentv1.OIPREAD2},
		{Scenario: "graph/orders", What: "does not block in the usual order", Change: func(o *O) { never(o); o.Usual.Reached = false }, Want: "blocked"},
	})
	type D = graph.DiamondObservation
	suitetest.JudgeAll(t, func(x suitetest.Teller) D {
		return D{Way: "a child with depends_on was activated", Blocked: x.Reached(true, "blocked"), First: x.Ok(suitetest.Doc{}), Barrier: x.Barrier(), Between: x.Is("blocked"), Second: x.Is(suitetest.Waits), Finished: x.Ok(suitetest.Doc{}), Unblocked: x.Reached(true, "active")}
	}, []suitetest.Story[D]{
		{Scenario: "graph/diamond", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "graph/diamond", What: "unblocks on the first", Change: func(o *D) { o.Between = x.Is("active") }, Want: openintentv1.OIP00022},
		{Scenario: "graph/diamond", What: "never unblocks", Change: func(o *D) { o.Unblocked.Reached = false }, Want: "blocked"},
		{Scenario: "graph/diamond", What: "never blocks", Change: func(o *D) { o.Blocked.Reached = false }, Want: "blocked"},
	})
}
