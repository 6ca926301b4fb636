package openintent_test

import (
	"testing"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios/openintent"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

var theChoices = []any{doc{"value": "a", "label": "A", "description": "the first"}, doc{"value": "b", "label": "B"}}

func answeredHonestly(x teller) openintent.AnsweredObservation {
	record := doc{"response_type": "choice", "choices": theChoices, "context": doc{"note": "n"}, "confidence_at_suspension": 0.25}
	sus := x.suspension(record)
	kept := with(with(doc{"id": "sid", "question": "q", "suspended_at": began}, record), doc{"response": "a", "resolution": "responded", "responded_at": "2026-11-22T10:00:05"})
	after := x.ok(doc{"id": "i", "status": "active", "version": 5, "state": doc{"_suspension": kept}})
	log := x.log(happened(0, "intent_created", doc{}), happened(5, "intent.resumed", doc{"suspension_id": "sid"}))
	return openintent.AnsweredObservation{
		Suspension: sus, Chosen: openintent.Choice{Value: "a", Label: "A", Description: "the first"}, Other: openintent.Choice{Value: "b"},
		Answer: x.ok(doc{"intent_id": "i", "suspension_id": "sid", "resolution": "responded", "value": "a", "choice_label": "A", "choice_description": "the first", "responded_by": "o", "responded_at": "2026-11-22T10:00:05Z"}),
		After:  after, Log: log, Again: []openintent.Reply{x.said(409, doc{}), x.said(409, doc{})}, AfterAgain: after, LogAgain: log, Usual: x.ok(doc{}),
	}
}

func TestJudgesOfAnswers(t *testing.T) {
	x := teller{t}
	type O = openintent.AnsweredObservation
	reply := func(more doc) func(*O) {
		return func(o *O) {
			o.Answer = x.ok(with(o.Answer.Body.Actual().(doc), more))
		}
	}
	recorded := func(more doc) func(*O) {
		return func(o *O) {
			kept := o.After.Body.At("/state/_suspension").Actual().(doc)
			o.After = x.ok(doc{"status": "active", "version": 5, "state": doc{"_suspension": with(kept, more)}})
		}
	}
	judgeAll(t, answeredHonestly, []story[O]{
		{"respond/reply", "honest", nil, "passed"},
		{"respond/reply", "refused", func(o *O) { o.Answer = x.said(422, doc{}) }, openintentv1.OIP0025A15},
		{"respond/reply", "goes on waiting", func(o *O) { o.After = x.is("suspended_awaiting_input") }, openintentv1.OIP0025A15},
		{"respond/reply", "tells nothing", func(o *O) { o.Answer = x.ok(doc{}) }, openintentv1.OIP0025A11},
		{"respond/reply", "another value", reply(doc{"value": "b"}), openintentv1.OIP0025A11},
		{"respond/reply", "no time", reply(doc{"responded_at": "today"}), openintentv1.OIP0025A11},
		{"respond/reply", "the label of another", reply(doc{"choice_label": "B"}), openintentv1.OIP0025A12},
		{"respond/reply", "no description", reply(doc{"choice_description": ""}), openintentv1.OIP0025A12},

		{"respond/persisted", "honest", nil, "passed"},
		{"respond/persisted", "a time in another form", recorded(doc{"suspended_at": "2026-11-22T10:00:00"}), "passed"},
		{"respond/persisted", "loses the answer", func(o *O) { o.After = o.Suspension.After }, openintentv1.OIP0025A13},
		{"respond/persisted", "keeps another", recorded(doc{"response": "b"}), openintentv1.OIP0025A13},
		{"respond/persisted", "loses the question", recorded(doc{"question": ""}), openintentv1.OIP0025A13},
		{"respond/persisted", "empties the context", recorded(doc{"context": doc{}}), openintentv1.OIP0025A13},
		{"respond/persisted", "refused", func(o *O) { o.Answer = x.said(422, doc{}) }, "blocked"},

		{"respond/resumed-once", "honest", nil, "passed"},
		{"respond/resumed-once", "no event", func(o *O) { o.Log = x.log() }, openintentv1.OIP0025A14},
		{"respond/resumed-once", "two", func(o *O) {
			o.Log = x.log(happened(1, "intent.resumed", doc{"suspension_id": "sid"}), happened(2, "intent.resumed", doc{"suspension_id": "sid"}))
		}, openintentv1.OIP0025A14},
		{"respond/resumed-once", "of another", func(o *O) { o.Log = x.log(happened(1, "intent.resumed", doc{"suspension_id": "other"})) }, openintentv1.OIP0025A14},
		{"respond/resumed-once", "no log", func(o *O) { o.Log.Read = wiretest.Status(t, 404) }, "blocked"},

		{"respond/once", "honest", nil, "passed"},
		{"respond/once", "refused otherwise", func(o *O) { o.Again[1] = x.said(422, doc{}) }, "noted"},
		{"respond/once", "echoes the first", func(o *O) { o.Again[0] = o.Answer }, openintentv1.OIP0026K4},
		{"respond/once", "takes another", func(o *O) { o.Again[1] = x.ok(doc{}) }, openintentv1.OIP0026K4},
		{"respond/once", "refuses and overwrites", func(o *O) {
			o.AfterAgain = x.ok(doc{"status": "active", "version": 5, "state": doc{"_suspension": doc{"response": "b"}}})
		}, openintentv1.OIP0026K4},
		{"respond/once", "another version", func(o *O) { o.AfterAgain = x.ok(with(o.After.Body.Actual().(doc), doc{"version": 6})) }, openintentv1.OIP0026K4},
		{"respond/once", "tells twice", func(o *O) {
			o.LogAgain = x.log(happened(1, "intent.resumed", doc{}), happened(2, "intent.resumed", doc{}))
		}, openintentv1.OIP0026K4},
		{"respond/once", "took none", func(o *O) { o.Answer = x.said(409, doc{}) }, "blocked"},

		{"respond/orders", "honest", nil, "passed"},
		{"respond/orders", "loses the record", func(o *O) { o.Suspension.After = x.is("suspended_awaiting_input") }, openintentv1.OIPREAD2},
		{"respond/orders", "refuses", func(o *O) { o.Answer = x.said(409, doc{}) }, openintentv1.OIPREAD2},
		{"respond/orders", "refuses in the usual order too", func(o *O) { o.Answer, o.Usual = x.said(409, doc{}), x.said(409, doc{}) }, "blocked"},
	})
}

func TestJudgesOfRaces(t *testing.T) {
	x := teller{t}
	type O = openintent.RacedObservation
	honest := func(x teller) O {
		return O{Suspension: x.suspension(nil), Values: []string{"one", "two", "one"}, Replies: []openintent.Reply{x.said(409, doc{}), x.ok(doc{}), x.said(409, doc{})},
			After: x.ok(doc{"status": "active", "state": doc{"_suspension": doc{"response": "two"}}}), Log: x.log(happened(1, "intent.resumed", doc{}))}
	}
	judgeAll(t, honest, []story[O]{
		{"respond/race", "honest", nil, "passed"},
		{"respond/race", "loses the answer, which is another question", func(o *O) { o.After = x.is("active") }, "passed"},
		{"respond/race", "two win", func(o *O) { o.Replies[0] = x.ok(doc{}) }, openintentv1.OIPREAD1},
		{"respond/race", "nobody wins", func(o *O) { o.Replies[1] = x.said(409, doc{}) }, openintentv1.OIPREAD1},
		{"respond/race", "keeps the loser's", func(o *O) { o.After = x.ok(doc{"state": doc{"_suspension": doc{"response": "one"}}}) }, openintentv1.OIPREAD1},
		{"respond/race", "crashes", func(o *O) { o.Replies[2] = x.said(500, doc{}) }, openintentv1.OIPREAD1},
		{"respond/race", "tells twice", func(o *O) { o.Log = x.log(happened(1, "intent.resumed", doc{}), happened(1, "intent.resumed", doc{})) }, openintentv1.OIPREAD1},
	})
}

func TestJudgesOfRecords(t *testing.T) {
	x := teller{t}
	type O = openintent.KeptObservation
	policy := doc{"max_attempts": 3, "interval_seconds": 60, "escalation_ladder": []any{doc{"attempt": 2, "channel_hint": "email"}}}
	honest := func(x teller) O {
		return O{With: x.suspension(doc{"retry_policy": policy}), Without: x.suspension(doc{"id": "other", "fallback_policy": "fail"}), Taken: []openintent.Reply{x.ok(doc{}), x.ok(doc{})},
			Log: x.log(happened(0, "intent_created", doc{}), happened(1, "intent.suspended", doc{"suspension_id": "sid"}))}
	}
	stands := func(record doc) openintent.Reply {
		return x.ok(doc{"status": "suspended_awaiting_input", "state": doc{"_suspension": record}})
	}
	judgeAll(t, honest, []story[O]{
		{"respond/record-kept", "honest", nil, "passed"},
		{"respond/record-kept", "adds defaults", func(o *O) {
			o.With.After = stands(doc{"id": "sid", "retry_policy": with(policy, doc{"strategy": "fixed"})})
		}, "passed"},
		{"respond/record-kept", "drops the policy", func(o *O) { o.With.After = stands(doc{"id": "sid"}) }, openintentv1.OIP0026X3},
		{"respond/record-kept", "changes the policy", func(o *O) {
			o.With.After = stands(doc{"id": "sid", "retry_policy": with(policy, doc{"max_attempts": 1})})
		}, openintentv1.OIP0026X3},
		{"respond/record-kept", "drops the record without one", func(o *O) { o.Without.After = stands(doc{}) }, openintentv1.OIP0026L1},
		{"respond/record-kept", "takes no answer", func(o *O) { o.Taken[1] = x.said(409, doc{}) }, "blocked"},

		{"respond/suspended-once", "honest", nil, "passed"},
		{"respond/suspended-once", "none is taken as well", func(o *O) { o.Log = x.log(happened(0, "intent_created", doc{})) }, "passed"},
		{"respond/suspended-once", "two", func(o *O) {
			o.Log = x.log(happened(0, "intent.suspended", doc{}), happened(1, "intent.suspended", doc{}))
		}, openintentv1.OIPREAD7},
		{"respond/suspended-once", "an empty log", func(o *O) { o.Log = x.log() }, "blocked"},
	})
}

// refusedHonestly is a suspended intent at which n wrong answers came to nothing and a right one did.
func refusedHonestly(x teller, status, n int, body any) openintent.Refused {
	r := openintent.Refused{Suspension: x.suspension(nil), Right: x.ok(doc{}), End: x.is("active")}
	for range n {
		r.Wrong = append(r.Wrong, x.said(status, body))
		r.Stood = append(r.Stood, x.is("suspended_awaiting_input"))
	}
	return r
}

// let has the first wrong answer be taken.
func let(x teller, r *openintent.Refused) {
	r.Wrong[0], r.Stood[0], r.Right = x.ok(doc{}), x.is("active"), x.said(409, doc{})
}

func TestJudgesOfRefusals(t *testing.T) {
	x := teller{t}
	type O = openintent.RefusalsObservation
	valid := doc{"detail": doc{"error": "invalid_choice", "valid_choices": []any{doc{"value": "a"}, doc{"value": "b"}}}}
	honest := func(x teller) O {
		return O{
			Keyless: refusedHonestly(x, 401, 2, doc{}), Nameless: refusedHonestly(x, 422, 2, doc{}), Nowhere: []openintent.Reply{x.said(404, doc{})},
			Idle: x.said(409, doc{}), IdleEnd: x.is("active"), Another: refusedHonestly(x, 409, 1, doc{"detail": "another"}), Choice: refusedHonestly(x, 422, 2, valid), Choices: []string{"a", "b"},
			Confirm: refusedHonestly(x, 422, 1, doc{}), Declined: refusedHonestly(x, 422, 0, nil), Empty: refusedHonestly(x, 422, 1, doc{}), Broken: refusedHonestly(x, 400, 3, doc{}),
		}
	}
	var stories []story[O]
	for _, k := range []struct {
		name  string
		pick  func(*O) *openintent.Refused
		other int
		want  string
	}{
		{"respond/needs-a-key", func(o *O) *openintent.Refused { return &o.Keyless }, 404, openintentv1.OIP0025A1},
		{"respond/needs-an-id", func(o *O) *openintent.Refused { return &o.Nameless }, 409, openintentv1.OIP0025A2},
		{"respond/another-id", func(o *O) *openintent.Refused { return &o.Another }, 422, openintentv1.OIP0025A5},
		{"respond/no-object", func(o *O) *openintent.Refused { return &o.Broken }, 500, "noted"},
		{"respond/empty-text", func(o *O) *openintent.Refused { return &o.Empty }, 500, "noted"},
		{"respond/no-choice", func(o *O) *openintent.Refused { return &o.Choice }, 409, openintentv1.OIP0025A7},
	} {
		stories = append(stories,
			story[O]{k.name, "honest", nil, "passed"},
			story[O]{k.name, "takes it", func(o *O) { let(x, k.pick(o)) }, k.want},
			story[O]{k.name, "refuses it and lets go", func(o *O) { k.pick(o).Stood[0] = x.is("active") }, k.want},
			story[O]{k.name, "refuses it otherwise", func(o *O) { k.pick(o).Wrong[0] = x.said(k.other, valid) }, k.want},
			story[O]{k.name, "takes no right answer either", func(o *O) { k.pick(o).Right = x.said(422, doc{}) }, "blocked"},
		)
	}
	judgeAll(t, honest, append(stories, []story[O]{
		{"respond/no-choice", "lists nothing", func(o *O) { o.Choice.Wrong[1] = x.said(422, doc{"detail": "no"}) }, openintentv1.OIP0025A8},
		{"respond/no-choice", "lists one of two", func(o *O) { o.Choice.Wrong[0] = x.said(422, doc{"valid_choices": []any{"a"}}) }, openintentv1.OIP0025A8},
		{"respond/no-choice", "lists values at the root", func(o *O) { o.Choice.Wrong[0] = x.said(422, doc{"valid_choices": []any{"b", "a"}}) }, "passed"},

		{"respond/unknown-intent", "honest", nil, "passed"},
		{"respond/unknown-intent", "takes it", func(o *O) { o.Nowhere[0] = x.ok(doc{}) }, openintentv1.OIP0025A3},
		{"respond/unknown-intent", "says conflict", func(o *O) { o.Nowhere[0] = x.said(409, doc{}) }, openintentv1.OIP0025A3},
		{"respond/unknown-intent", "has no route at all", func(o *O) { o.Nameless.Right = x.said(404, doc{}) }, "blocked"},

		{"respond/not-suspended", "honest", nil, "passed"},
		{"respond/not-suspended", "takes it", func(o *O) { o.Idle = x.ok(doc{}) }, openintentv1.OIP0025A4},
		{"respond/not-suspended", "moves it", func(o *O) { o.IdleEnd = x.is("completed") }, openintentv1.OIP0025A4},

		{"respond/id-not-told", "honest", nil, "passed"},
		{"respond/id-not-told", "tells it", func(o *O) { o.Another.Wrong[0] = x.said(409, doc{"detail": "expected sid, got x"}) }, "noted"},
		{"respond/id-not-told", "tells it in a key", func(o *O) { o.Another.Wrong[0] = x.said(409, doc{"detail": doc{"sid": true}}) }, "noted"},
		{"respond/id-not-told", "takes it", func(o *O) { let(x, &o.Another) }, "blocked"},

		{"respond/confirm", "honest", nil, "passed"},
		{"respond/confirm", "takes maybe", func(o *O) { let(x, &o.Confirm) }, openintentv1.OIP0025A9},
		{"respond/confirm", "refuses yes", func(o *O) { o.Confirm.Right = x.said(422, doc{}) }, openintentv1.OIP0025A9},
		{"respond/confirm", "refuses no", func(o *O) { o.Declined.Right = x.said(422, doc{}) }, openintentv1.OIP0025A9},
		{"respond/confirm", "waits on after no", func(o *O) { o.Declined.End = x.is("suspended_awaiting_input") }, openintentv1.OIP0025A9},
	}...))
}

func TestJudgesOfOldIDs(t *testing.T) {
	x := teller{t}
	type O = openintent.StaleObservation
	honest := func(x teller) O {
		return O{Behind: refusedHonestly(x, 409, 1, doc{}), Window: refusedHonestly(x, 409, 1, doc{}), First: []openintent.Reply{x.ok(doc{}), x.ok(doc{})}}
	}
	judgeAll(t, honest, []story[O]{
		{"respond/old-id", "honest", nil, "passed"},
		{"respond/old-id", "takes it behind the new record", func(o *O) { let(x, &o.Behind) }, openintentv1.OIP0025A5},
		{"respond/old-id", "takes it in the window", func(o *O) { let(x, &o.Window) }, openintentv1.OIP0025A5},
		{"respond/old-id", "takes no new one", func(o *O) { o.Behind.Right = x.said(409, doc{}) }, "blocked"},
	})
}

func TestJudgesOfGovernance(t *testing.T) {
	x := teller{t}
	type O = openintent.AllowedObservation
	judgeAll(t, func(x teller) O { return O{Made: x.is("active"), Refused: refusedHonestly(x, 403, 1, doc{})} }, []story[O]{
		{"respond/allowed-agents", "honest", nil, "passed"},
		{"respond/allowed-agents", "takes it", func(o *O) { let(x, &o.Refused) }, "noted"},
		{"respond/allowed-agents", "says conflict", func(o *O) { o.Refused.Wrong[0] = x.said(409, doc{}) }, "noted"},
		{"respond/allowed-agents", "takes none of its own", func(o *O) { o.Refused.Right = x.said(403, doc{}) }, "blocked"},
	})
}

func TestJudgesOfVersions(t *testing.T) {
	x := teller{t}
	type O = openintent.VersionsObservation
	intent := func(version int, state doc) openintent.Reply {
		return x.ok(doc{"id": "i", "title": "T", "status": "draft", "version": version, "state": state})
	}
	header := func(value string) wire.Value { return wiretest.Value(t, `"`+value+`"`) }
	honest := func(x teller) O {
		return O{Title: "T", Made: intent(1, doc{}), Read: intent(1, doc{}), Without: x.said(428, doc{}), After: intent(1, doc{}), Right: intent(2, doc{"assay": "right"}), ETag: header("2"), Stale: x.said(409, doc{}), End: intent(2, doc{"assay": "right"})}
	}
	judgeAll(t, honest, []story[O]{
		{"lifecycle/read-back", "honest", nil, "passed"},
		{"lifecycle/read-back", "another title", func(o *O) { o.Title = "U" }, openintentv1.OIP00014},
		{"lifecycle/read-back", "not there", func(o *O) { o.Read = x.said(404, doc{}) }, openintentv1.OIP00014},
		{"lifecycle/read-back", "made with 202", func(o *O) { o.Made = x.said(202, doc{"id": "i"}) }, openintentv1.OIP00014},

		{"lifecycle/needs-a-version", "honest", nil, "passed"},
		{"lifecycle/needs-a-version", "takes it", func(o *O) { o.Without = x.ok(doc{}) }, openintentv1.OIP00011},
		{"lifecycle/needs-a-version", "refuses and writes", func(o *O) { o.After = intent(1, doc{"assay": "unversioned"}) }, openintentv1.OIP00011},
		{"lifecycle/needs-a-version", "takes nothing", func(o *O) { o.Right = x.said(428, doc{}) }, "blocked"},

		{"lifecycle/old-version", "honest", nil, "passed"},
		{"lifecycle/old-version", "takes it", func(o *O) { o.Stale = x.ok(doc{}) }, openintentv1.OIP00012},
		{"lifecycle/old-version", "refuses and writes", func(o *O) { o.End = intent(3, doc{"assay": "stale"}) }, openintentv1.OIP00012},
		{"lifecycle/old-version", "has one version for ever", func(o *O) { o.Right = intent(1, doc{"assay": "right"}) }, "blocked"},

		{"lifecycle/etag", "honest", nil, "passed"},
		{"lifecycle/etag", "none", func(o *O) { o.ETag = wire.Value{} }, "noted"},
		{"lifecycle/etag", "the old one", func(o *O) { o.ETag = header("1") }, "noted"},
	})
}
