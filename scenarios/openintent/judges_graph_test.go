package openintent_test

import (
	"testing"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios/openintent"
)

const waits = "suspended_awaiting_input"

func TestJudgesOfSteps(t *testing.T) {
	x := teller{t}
	type O = openintent.LifecycleObservation
	honest := func(x teller) O {
		return O{Draft: x.said(409, doc{}), DraftEnd: x.is("draft"), Done: x.said(422, doc{}), DoneEnd: x.is("completed"), Active: x.is(waits),
			Completing: x.said(409, doc{}), Waiting: x.is(waits), Answer: x.ok(doc{}), Completed: x.reached(true, "completed")}
	}
	judgeAll(t, honest, []story[O]{
		{"lifecycle/only-active", "honest", nil, "passed"},
		{"lifecycle/only-active", "suspends a draft", func(o *O) { o.Draft, o.DraftEnd = x.is(waits), x.is(waits) }, openintentv1.OIP0025L1},
		{"lifecycle/only-active", "refuses and suspends", func(o *O) { o.DoneEnd = x.is(waits) }, openintentv1.OIP0025L1},
		{"lifecycle/only-active", "suspends what is completed", func(o *O) { o.Done, o.DoneEnd = x.is(waits), x.is(waits) }, openintentv1.OIP0025L1},
		{"lifecycle/only-active", "suspends nothing", func(o *O) { o.Active = x.said(409, doc{}) }, openintentv1.OIP0025L1},

		{"lifecycle/not-completed", "honest", nil, "passed"},
		{"lifecycle/not-completed", "completes it", func(o *O) { o.Completing, o.Waiting = x.is("completed"), x.is("completed") }, openintentv1.OIP0025L2},
		{"lifecycle/not-completed", "refuses and completes", func(o *O) { o.Waiting = x.is("completed") }, openintentv1.OIP0025L2},
		{"lifecycle/not-completed", "completes nothing", func(o *O) { o.Completed = x.reached(false, "active") }, "blocked"},
	})
}

func TestJudgesOfLeases(t *testing.T) {
	x := teller{t}
	type O = openintent.LeasesObservation
	lease := func(id, until string) doc { return doc{"id": id, "expires_at": until} }
	honest := func(x teller) O {
		return O{Held: x.ok(lease("l", "2026-11-22T10:01:00")), Renewed: x.ok(lease("l", "2026-11-22T10:10:00Z")), Taken: x.ok(lease("s", began)),
			Stranger: x.said(409, doc{}), Status: x.is(waits).Body.Key("status"), Free: x.ok(doc{})}
	}
	judgeAll(t, honest, []story[O]{
		{"lifecycle/lease-renewed", "honest", nil, "passed"},
		{"lifecycle/lease-renewed", "refuses", func(o *O) { o.Renewed = x.said(404, doc{}) }, openintentv1.OIP0025L3},
		{"lifecycle/lease-renewed", "gives another", func(o *O) { o.Renewed = x.ok(lease("m", "2026-11-22T10:10:00Z")) }, openintentv1.OIP0025L3},
		{"lifecycle/lease-renewed", "renews nothing", func(o *O) { o.Renewed = o.Held }, openintentv1.OIP0025L3},

		{"lifecycle/lease-kept", "honest", nil, "passed"},
		{"lifecycle/lease-kept", "gives it away", func(o *O) { o.Stranger = x.ok(doc{}) }, openintentv1.OIP0025L4},
		{"lifecycle/lease-kept", "crashes", func(o *O) { o.Stranger = x.said(500, doc{}) }, openintentv1.OIP0025L4},
		{"lifecycle/lease-kept", "gives nothing away ever", func(o *O) { o.Free = x.said(409, doc{}) }, "blocked"},
		{"lifecycle/lease-kept", "waits no more", func(o *O) { o.Status = x.is("active").Body.Key("status") }, "blocked"},
	})
}

// familyAt is a family while the child is in a status, of which so many are counted.
func familyAt(x teller, child string, counts doc) openintent.Family {
	return openintent.Family{
		Parent: x.is("active"), Graph: x.ok(doc{"aggregate_status": doc{"total": 4, "by_status": counts}}),
		Children: x.ok(doc{"children": []any{doc{"id": "a", "status": child}, doc{"id": "b", "status": "active"}}}), A: x.is(child), B: x.is("active"), Stranger: x.is("active"),
	}
}

func TestJudgesOfFamilies(t *testing.T) {
	x := teller{t}
	type O = openintent.FamilyObservation
	honest := func(x teller) O {
		during := familyAt(x, waits, doc{"active": 2, "completed": 1, waits: 1})
		return O{AID: "a", Before: familyAt(x, "active", doc{"active": 3, "completed": 1}), Suspension: x.suspension(nil), During: during, Barrier: x.barrier(), Behind: during,
			Completing: x.said(409, doc{}), Still: x.is("active"), Answer: x.ok(doc{}), After: familyAt(x, "active", doc{"active": 3, "completed": 1}), Closing: x.ok(doc{})}
	}
	counts := func(c doc) func(*O) {
		return func(o *O) { o.Behind.Graph = x.ok(doc{"aggregate_status": doc{"by_status": c}}) }
	}
	judgeAll(t, honest, []story[O]{
		{"graph/intent-local", "honest", nil, "passed"},
		{"graph/intent-local", "the parent takes it over", func(o *O) { o.During.Parent = x.is(waits) }, openintentv1.OIP0026R1},
		{"graph/intent-local", "the parent takes it over later", func(o *O) { o.Behind.Parent = x.is("blocked") }, openintentv1.OIP0026R1},
		{"graph/intent-local", "the sibling takes it over", func(o *O) { o.Behind.B = x.is(waits) }, openintentv1.OIP0026R1},
		{"graph/intent-local", "the parent knows nothing of it", func(o *O) { o.Behind.Children = x.ok(doc{"children": []any{}}) }, "not there"},
		{"graph/intent-local", "nobody has had a turn", func(o *O) { o.Barrier.Sentinel.Reached = false }, "blocked"},

		{"graph/unrelated", "honest", nil, "passed"},
		{"graph/unrelated", "blocks a stranger", func(o *O) { o.Behind.Stranger = x.is("blocked") }, openintentv1.OIP00024},
		{"graph/unrelated", "blocks a sibling", func(o *O) { o.During.B = x.is("blocked") }, openintentv1.OIP00024},

		{"graph/counted", "honest", nil, "passed"},
		{"graph/counted", "at the intent", func(o *O) {
			o.Behind.Parent, o.Behind.Graph = x.ok(doc{"aggregate_status": doc{"by_status": doc{waits: 1}}}), x.said(404, doc{})
		}, "noted"},
		{"graph/counted", "an explicit zero", func(o *O) { o.After = familyAt(x, "active", doc{waits: 0}) }, "passed"},
		{"graph/counted", "hides it", counts(doc{"active": 3}), openintentv1.OIP0026R4},
		{"graph/counted", "counts it for ever", func(o *O) { o.After = o.During }, openintentv1.OIP0026R4},
		{"graph/counted", "has no aggregate", func(o *O) { o.Behind.Graph = x.ok(doc{"nodes": []any{}}) }, "not there"},

		{"graph/not-done", "honest", nil, "passed"},
		{"graph/not-done", "counts it as completed", counts(doc{"completed": 2, waits: 1}), openintentv1.OIP00023},
		{"graph/not-done", "counts nothing", counts(doc{}), openintentv1.OIP00023},

		{"graph/parent-gate", "honest", nil, "passed"},
		{"graph/parent-gate", "completes it", func(o *O) { o.Completing, o.Still = x.is("completed"), x.is("completed") }, openintentv1.OIP00021},
		{"graph/parent-gate", "refuses and completes", func(o *O) { o.Still = x.is("completed") }, openintentv1.OIP00021},
		{"graph/parent-gate", "completes no parent", func(o *O) { o.Closing = x.said(409, doc{}) }, "blocked"},
	})
}

func TestJudgesOfDependents(t *testing.T) {
	x := teller{t}
	type O = openintent.DependentObservation
	honest := func(x teller) O {
		return O{Way: "a child with depends_on was activated", Before: x.is("active"), UpstreamID: "u", Suspension: x.suspension(nil), Usual: x.reached(true, "blocked"), Blocked: x.reached(true, "blocked"),
			Completing: x.said(409, doc{}), Still: x.is("blocked"), Answer: x.ok(doc{}), Resumed: x.reached(true, "active"), Barrier: x.barrier(), Behind: x.is("blocked"),
			Finished: x.ok(doc{}), Unblocked: x.reached(true, "active"), Closing: x.ok(doc{})}
	}
	never := func(o *O) { o.Blocked = x.reached(false, "active") }
	cannot := func(o *O) { o.Way = "it could be neither active nor blocked" }
	judgeAll(t, honest, []story[O]{
		{"graph/blocked", "honest", nil, "passed"},
		{"graph/blocked", "runs on", never, openintentv1.OIP0026R2},
		{"graph/blocked", "was blocked from the start", func(o *O) { o.Way = "it was blocked from the start" }, "inapplicable"},
		{"graph/blocked", "cannot be", cannot, "blocked"},

		{"graph/not-on-resume", "honest", nil, "passed"},
		{"graph/not-on-resume", "unblocks on the answer", func(o *O) { o.Behind = x.is("active") }, openintentv1.OIP0026R2C},
		{"graph/not-on-resume", "never blocks", never, "blocked"},
		{"graph/not-on-resume", "never unblocks", func(o *O) { o.Unblocked = x.reached(false, "blocked") }, "blocked"},
		{"graph/not-on-resume", "nobody has had a turn", func(o *O) { o.Barrier.Sentinel.Reached = false }, "blocked"},

		{"graph/unblocked", "honest", nil, "passed"},
		{"graph/unblocked", "never unblocks", func(o *O) { o.Unblocked = x.reached(false, "blocked") }, openintentv1.OIP0026R2D},
		{"graph/unblocked", "never blocks", never, "blocked"},
		{"graph/unblocked", "the upstream is not completed", func(o *O) { o.Finished = x.said(409, doc{}) }, "blocked"},

		{"graph/completion-gate", "honest", nil, "passed"},
		{"graph/completion-gate", "completes it", func(o *O) { o.Completing, o.Still = x.is("completed"), x.is("completed") }, openintentv1.OIP0026R2B},
		{"graph/completion-gate", "refuses and completes", func(o *O) { o.Still = x.is("completed") }, openintentv1.OIP0026R2B},
		{"graph/completion-gate", "completes none", func(o *O) { o.Closing = x.said(409, doc{}) }, "blocked"},

		{"graph/orders", "honest", nil, "passed"},
		{"graph/orders", "does not block", never, openintentv1.OIPREAD2},
		{"graph/orders", "does not unblock", func(o *O) { o.Unblocked = x.reached(false, "blocked") }, openintentv1.OIPREAD2},
		{"graph/orders", "does not block in the usual order", func(o *O) { never(o); o.Usual.Reached = false }, "blocked"},
	})
	type D = openintent.DiamondObservation
	judgeAll(t, func(x teller) D {
		return D{Way: "a child with depends_on was activated", Blocked: x.reached(true, "blocked"), First: x.ok(doc{}), Barrier: x.barrier(), Between: x.is("blocked"), Second: x.is(waits), Finished: x.ok(doc{}), Unblocked: x.reached(true, "active")}
	}, []story[D]{
		{"graph/diamond", "honest", nil, "passed"},
		{"graph/diamond", "unblocks on the first", func(o *D) { o.Between = x.is("active") }, openintentv1.OIP00022},
		{"graph/diamond", "never unblocks", func(o *D) { o.Unblocked.Reached = false }, "blocked"},
		{"graph/diamond", "never blocks", func(o *D) { o.Blocked.Reached = false }, "blocked"},
	})
}
