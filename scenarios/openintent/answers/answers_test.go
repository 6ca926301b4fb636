package answers_test

import (
	"testing"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios/openintent/answers"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/suitetest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

type doc = suitetest.Doc

var happened = suitetest.Happened

var theChoices = []any{doc{"value": "a", "label": "A", "description": "the first"}, doc{"value": "b", "label": "B"}}

func answeredHonestly(x suitetest.Minter) answers.AnsweredObservation {
	record := doc{"response_type": "choice", "choices": theChoices, "context": doc{"note": "n"}, "confidence_at_suspension": 0.25}
	sus := x.Suspension(record)
	kept := suitetest.With(suitetest.With(doc{"id": "sid", "question": "q", "suspended_at": suitetest.Began}, record),
		doc{"response": "a", "resolution": "responded", "responded_at": "2026-11-22T10:00:05"})
	after := x.Ok(doc{"id": "i", "status": "active", "version": 5, "state": doc{"_suspension": kept}})
	log := x.Log(happened(0, "intent_created", doc{}), happened(5, "intent.resumed", doc{"suspension_id": "sid"}))
	return answers.AnsweredObservation{
		Suspension: sus, Chosen: answers.Choice{Value: "a", Label: "A", Description: "the first"},
		Other: answers.Choice{Value: "b", Label: "B"}, Bare: x.Ok(doc{"value": "b", "choice_label": "B"}),
		Answer: x.Ok(doc{"intent_id": "i", "suspension_id": "sid", "resolution": "responded", "value": "a",
			"choice_label": "A", "choice_description": "the first", "responded_by": "o",
			"responded_at": "2026-11-22T10:00:05Z"}),
		After: after, Log: log, Again: []host.Reply{x.Reply(409, doc{}), x.Reply(409, doc{})}, AfterAgain: after,
		LogAgain: log, Usual: x.Ok(doc{}),
	}
}

func TestJudgesOfAnswers(t *testing.T) {
	x := suitetest.Minter{T: t}
	type O = answers.AnsweredObservation
	reply := func(more doc) func(*O) {
		return func(o *O) {
			o.Answer = x.Ok(suitetest.With(o.Answer.Body.Actual().(doc), more))
		}
	}
	recorded := func(more doc) func(*O) {
		return func(o *O) {
			kept := o.After.Body.At("/state/_suspension").Actual().(doc)
			o.After = x.Ok(doc{"status": "active", "version": 5, "state": doc{"_suspension": suitetest.With(kept, more)}})
		}
	}
	suitetest.JudgeAll(t, answeredHonestly, []suitetest.Story[O]{
		{Scenario: "respond/reply", What: "honest", Want: "passed"},
		{Scenario: "respond/reply", What: "refused", Want: openintent.OIP0025A15,
			Change: func(o *O) { o.Answer = x.Reply(422, doc{}) }},
		{Scenario: "respond/reply", What: "goes on waiting", Want: openintent.OIP0025A15,
			Change: func(o *O) { o.After = x.Is("suspended_awaiting_input") }},
		{Scenario: "respond/reply", What: "tells nothing", Want: openintent.OIP0025A11,
			Change: func(o *O) { o.Answer = x.Ok(doc{}) }},
		{Scenario: "respond/reply", What: "another value", Change: reply(doc{"value": "b"}), Want: openintent.OIP0025A11},
		{Scenario: "respond/reply", What: "no time", Want: openintent.OIP0025A11,
			Change: reply(doc{"responded_at": "today"})},
		{Scenario: "respond/reply", What: "the label of another", Want: openintent.OIP0025A12,
			Change: reply(doc{"choice_label": "B"})},
		{Scenario: "respond/reply", What: "null for no description (OIP-R118)", Want: "passed",
			Change: func(o *O) { o.Bare = x.Ok(doc{"choice_label": "B", "choice_description": nil}) }},
		{Scenario: "respond/reply", What: "a description of its own", Want: openintent.OIP0025A12,
			Change: func(o *O) { o.Bare = x.Ok(doc{"choice_label": "B", "choice_description": "the first"}) }},
		{Scenario: "respond/reply", What: "no label without a description", Want: openintent.OIP0025A12,
			Change: func(o *O) { o.Bare = x.Ok(doc{}) }},
		{Scenario: "respond/reply", What: "no description", Want: openintent.OIP0025A12,
			Change: reply(doc{"choice_description": ""})},

		{Scenario: "respond/persisted", What: "honest", Want: "passed"},
		{Scenario: "respond/persisted", What: "a time in another form", Want: "passed",
			Change: recorded(doc{"suspended_at": "2026-11-22T10:00:00"})},
		{Scenario: "respond/persisted", What: "loses the answer", Want: openintent.OIP0025A13,
			Change: func(o *O) { o.After = o.Suspension.After }},
		{Scenario: "respond/persisted", What: "keeps another", Want: openintent.OIP0025A13,
			Change: recorded(doc{"response": "b"})},
		{Scenario: "respond/persisted", What: "loses the question", Want: openintent.OIP0025A13,
			Change: recorded(doc{"question": ""})},
		{Scenario: "respond/persisted", What: "empties the context", Want: openintent.OIP0025A13,
			Change: recorded(doc{"context": doc{}})},
		{Scenario: "respond/persisted", What: "refused", Want: "blocked",
			Change: func(o *O) { o.Answer = x.Reply(422, doc{}) }},

		{Scenario: "respond/resumed-once", What: "honest", Want: "passed"},
		{Scenario: "respond/resumed-once", What: "no event", Want: openintent.OIP0025A14,
			Change: func(o *O) { o.Log = x.Log() }},
		{Scenario: "respond/resumed-once", What: "two", Change: func(o *O) {
			o.Log = x.Log(happened(1, "intent.resumed", doc{"suspension_id": "sid"}), happened(2, "intent.resumed", doc{"suspension_id": "sid"}))
		}, Want: openintent.OIP0025A14},
		{Scenario: "respond/resumed-once", What: "of another", Change: func(o *O) {
			o.Log = x.Log(happened(1, "intent.resumed", doc{"suspension_id": "other"}))
		}, Want: openintent.OIP0025A14},
		{Scenario: "respond/resumed-once", What: "no log", Want: "blocked",
			Change: func(o *O) { o.Log.Read = wiretest.Status(t, 404) }},

		{Scenario: "respond/once", What: "honest", Want: "passed"},
		{Scenario: "respond/once", What: "refused otherwise", Want: "noted",
			Change: func(o *O) { o.Again[1] = x.Reply(422, doc{}) }},
		{Scenario: "respond/once", What: "echoes the first", Want: openintent.OIP0026K4,
			Change: func(o *O) { o.Again[0] = o.Answer }},
		{Scenario: "respond/once", What: "takes another", Want: openintent.OIP0026K4,
			Change: func(o *O) { o.Again[1] = x.Ok(doc{}) }},
		{Scenario: "respond/once", What: "refuses and overwrites", Change: func(o *O) {
			o.AfterAgain = x.Ok(doc{"status": "active", "version": 5, "state": doc{"_suspension": doc{"response": "b"}}})
		}, Want: openintent.OIP0026K4},
		{Scenario: "respond/once", What: "another version", Change: func(o *O) {
			o.AfterAgain = x.Ok(suitetest.With(o.After.Body.Actual().(doc), doc{"version": 6}))
		}, Want: openintent.OIP0026K4},
		{Scenario: "respond/once", What: "tells twice", Change: func(o *O) {
			o.LogAgain = x.Log(happened(1, "intent.resumed", doc{}), happened(2, "intent.resumed", doc{}))
		}, Want: openintent.OIP0026K4},
		{Scenario: "respond/once", What: "cannot be read after it", Want: "blocked",
			Change: func(o *O) { o.After, o.AfterAgain = x.Reply(503, doc{}), x.Reply(503, doc{}) }},
		{Scenario: "respond/once", What: "took none", Change: func(o *O) { o.Answer = x.Reply(409, doc{}) }, Want: "blocked"},

		{Scenario: "respond/orders", What: "honest", Want: "passed"},
		{Scenario: "respond/orders", What: "loses the record", Want: openintent.OIPREAD2,
			Change: func(o *O) { o.Suspension.After = x.Is("suspended_awaiting_input") }},
		{Scenario: "respond/orders", What: "refuses", Want: openintent.OIPREAD2,
			Change: func(o *O) { o.Answer = x.Reply(409, doc{}) }},
		{Scenario: "respond/orders", What: "refuses in the usual order too", Want: "blocked",
			Change: func(o *O) { o.Answer, o.Usual = x.Reply(409, doc{}), x.Reply(409, doc{}) }},
	})
}

func TestJudgesOfRaces(t *testing.T) {
	x := suitetest.Minter{T: t}
	type O = answers.RacedObservation
	honest := func(x suitetest.Minter) O {
		return O{Suspension: x.Suspension(nil), Values: []string{"one", "two", "one"},
			Replies: []host.Reply{x.Reply(409, doc{}), x.Ok(doc{}), x.Reply(409, doc{})},
			After:   x.Ok(doc{"status": "active", "state": doc{"_suspension": doc{"response": "two"}}}),
			Log:     x.Log(happened(1, "intent.resumed", doc{}))}
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "respond/race", What: "honest", Want: "passed"},
		{Scenario: "respond/race", What: "loses the answer, which is another question", Want: "passed",
			Change: func(o *O) { o.After = x.Is("active") }},
		{Scenario: "respond/race", What: "two win", Want: openintent.OIPREAD1,
			Change: func(o *O) { o.Replies[0] = x.Ok(doc{}) }},
		{Scenario: "respond/race", What: "nobody wins", Want: openintent.OIPREAD1,
			Change: func(o *O) { o.Replies[1] = x.Reply(409, doc{}) }},
		{Scenario: "respond/race", What: "keeps the loser's", Change: func(o *O) {
			o.After = x.Ok(doc{"state": doc{"_suspension": doc{"response": "one"}}})
		}, Want: openintent.OIPREAD1},
		{Scenario: "respond/race", What: "only answers with one value arrived", Want: "blocked", Change: func(o *O) {
			o.Replies[0], o.Replies[2] = x.Reply(429, doc{}), x.Reply(503, doc{})
		}},
		{Scenario: "respond/race", What: "one was turned away unread", Want: "passed",
			Change: func(o *O) { o.Replies[2] = x.Reply(503, doc{}) }},
		{Scenario: "respond/race", What: "crashes", Want: openintent.OIPREAD1,
			Change: func(o *O) { o.Replies[2] = x.Reply(500, doc{}) }},
		{Scenario: "respond/race", What: "tells twice", Change: func(o *O) {
			o.Log = x.Log(happened(1, "intent.resumed", doc{}), happened(1, "intent.resumed", doc{}))
		}, Want: openintent.OIPREAD1},
	})
}

func TestJudgesOfRecords(t *testing.T) {
	x := suitetest.Minter{T: t}
	type O = answers.KeptObservation
	policy := doc{"max_attempts": 3, "interval_seconds": 60, "escalation_ladder": []any{doc{"attempt": 2, "channel_hint": "email"}}}
	honest := func(x suitetest.Minter) O {
		return O{With: x.Suspension(doc{"retry_policy": policy}),
			Without: x.Suspension(doc{"id": "other", "fallback_policy": "fail"}),
			Taken:   []host.Reply{x.Ok(doc{}), x.Ok(doc{})},
			Log:     x.Log(happened(0, "intent_created", doc{}), happened(1, "intent.suspended", doc{"suspension_id": "sid"}))}
	}
	stands := func(record doc) host.Reply {
		return x.Ok(doc{"status": "suspended_awaiting_input", "state": doc{"_suspension": record}})
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "respond/record-kept", What: "honest", Want: "passed"},
		{Scenario: "respond/record-kept", What: "adds defaults", Change: func(o *O) {
			o.With.After = stands(doc{"id": "sid", "retry_policy": suitetest.With(policy, doc{"strategy": "fixed"})})
		}, Want: "passed"},
		{Scenario: "respond/record-kept", What: "drops the policy", Want: openintent.OIP0026X3,
			Change: func(o *O) { o.With.After = stands(doc{"id": "sid"}) }},
		{Scenario: "respond/record-kept", What: "changes the policy", Change: func(o *O) {
			o.With.After = stands(doc{"id": "sid", "retry_policy": suitetest.With(policy, doc{"max_attempts": 1})})
		}, Want: openintent.OIP0026X3},
		{Scenario: "respond/record-kept", What: "drops the record without one", Want: openintent.OIP0026L1,
			Change: func(o *O) { o.Without.After = stands(doc{}) }},
		{Scenario: "respond/record-kept", What: "takes no answer", Want: "blocked",
			Change: func(o *O) { o.Taken[1] = x.Reply(409, doc{}) }},

		{Scenario: "respond/suspended-once", What: "honest", Want: "passed"},
		{Scenario: "respond/suspended-once", What: "the server emits none", Want: "inapplicable",
			Change: func(o *O) { o.Log = x.Log(happened(0, "intent_created", doc{})) }},
		{Scenario: "respond/suspended-once", What: "two", Change: func(o *O) {
			o.Log = x.Log(happened(0, "intent.suspended", doc{}), happened(1, "intent.suspended", doc{}))
		}, Want: openintent.OIPREAD7},
		{Scenario: "respond/suspended-once", What: "an empty log", Change: func(o *O) { o.Log = x.Log() }, Want: "blocked"},
	})
}

// refusedHonestly is a suspended intent that refused n wrong answers and took a right one.
func refusedHonestly(x suitetest.Minter, status, n int, body any) host.Refused {
	r := host.Refused{Suspension: x.Suspension(nil), Right: x.Ok(doc{}), End: x.Is("active")}
	for range n {
		r.Wrong = append(r.Wrong, x.Reply(status, body))
		r.Stood = append(r.Stood, x.Is("suspended_awaiting_input"))
	}
	return r
}

// takeWrong changes r as if the first wrong answer had been taken.
func takeWrong(x suitetest.Minter, r *host.Refused) {
	r.Wrong[0], r.Stood[0], r.Right = x.Ok(doc{}), x.Is("active"), x.Reply(409, doc{})
}

func TestJudgesOfRefusals(t *testing.T) {
	x := suitetest.Minter{T: t}
	type O = answers.RefusalsObservation
	valid := doc{"detail": doc{"error": "invalid_choice", "valid_choices": []any{doc{"value": "a"}, doc{"value": "b"}}}}
	honest := func(x suitetest.Minter) O {
		return O{
			Keyless: refusedHonestly(x, 401, 2, doc{}), Nameless: refusedHonestly(x, 422, 2, doc{}), Nowhere: []host.Reply{x.Reply(404, doc{})},
			Idle: x.Reply(409, doc{}), IdleEnd: x.Is("active"), Another: refusedHonestly(x, 409, 1, doc{"detail": "another"}),
			Choice: refusedHonestly(x, 422, 2, valid), Choices: []string{"a", "b"},
			Confirm: refusedHonestly(x, 422, 1, doc{}), Declined: refusedHonestly(x, 422, 0, nil),
			Empty: refusedHonestly(x, 422, 1, doc{}), Broken: refusedHonestly(x, 400, 3, doc{}),
		}
	}
	var stories []suitetest.Story[O]
	for _, k := range []struct {
		name  string
		pick  func(*O) *host.Refused
		other int
		want  string
	}{
		{"respond/needs-a-key", func(o *O) *host.Refused { return &o.Keyless }, 404, openintent.OIP0025A1},
		{"respond/needs-an-id", func(o *O) *host.Refused { return &o.Nameless }, 409, openintent.OIP0025A2},
		{"respond/another-id", func(o *O) *host.Refused { return &o.Another }, 422, openintent.OIP0025A5},
		{"respond/no-object", func(o *O) *host.Refused { return &o.Broken }, 500, "noted"},
		{"respond/empty-text", func(o *O) *host.Refused { return &o.Empty }, 500, "noted"},
		{"respond/no-choice", func(o *O) *host.Refused { return &o.Choice }, 409, openintent.OIP0025A7},
	} {
		stories = append(stories,
			suitetest.Story[O]{Scenario: k.name, What: "honest", Want: "passed"},
			suitetest.Story[O]{Scenario: k.name, What: "takes it", Change: func(o *O) { takeWrong(x, k.pick(o)) }, Want: k.want},
			suitetest.Story[O]{Scenario: k.name, What: "refuses it and lets go", Want: k.want,
				Change: func(o *O) { k.pick(o).Stood[0] = x.Is("active") }},
			suitetest.Story[O]{Scenario: k.name, What: "refuses it otherwise", Want: k.want,
				Change: func(o *O) { k.pick(o).Wrong[0] = x.Reply(k.other, valid) }},
			suitetest.Story[O]{Scenario: k.name, What: "takes no right answer either", Want: "blocked",
				Change: func(o *O) { k.pick(o).Right = x.Reply(422, doc{}) }},
		)
	}
	suitetest.JudgeAll(t, honest, append(stories, []suitetest.Story[O]{
		{Scenario: "respond/no-choice", What: "lists nothing", Want: openintent.OIP0025A8,
			Change: func(o *O) { o.Choice.Wrong[1] = x.Reply(422, doc{"detail": "no"}) }},
		{Scenario: "respond/no-choice", What: "lists one of two", Want: openintent.OIP0025A8,
			Change: func(o *O) { o.Choice.Wrong[0] = x.Reply(422, doc{"valid_choices": []any{"a"}}) }},
		{Scenario: "respond/no-choice", What: "lists values at the root", Want: "passed",
			Change: func(o *O) { o.Choice.Wrong[0] = x.Reply(422, doc{"valid_choices": []any{"b", "a"}}) }},

		{Scenario: "respond/unknown-intent", What: "honest", Want: "passed"},
		{Scenario: "respond/unknown-intent", What: "takes it", Want: openintent.OIP0025A3,
			Change: func(o *O) { o.Nowhere[0] = x.Ok(doc{}) }},
		{Scenario: "respond/unknown-intent", What: "says conflict", Want: openintent.OIP0025A3,
			Change: func(o *O) { o.Nowhere[0] = x.Reply(409, doc{}) }},
		{Scenario: "respond/unknown-intent", What: "has no route at all", Want: "blocked",
			Change: func(o *O) { o.Nameless.Right = x.Reply(404, doc{}) }},

		{Scenario: "respond/not-suspended", What: "honest", Want: "passed"},
		{Scenario: "respond/not-suspended", What: "takes it", Want: openintent.OIP0025A4,
			Change: func(o *O) { o.Idle = x.Ok(doc{}) }},
		{Scenario: "respond/not-suspended", What: "moves it", Want: openintent.OIP0025A4,
			Change: func(o *O) { o.IdleEnd = x.Is("completed") }},

		{Scenario: "respond/id-not-told", What: "honest", Want: "passed"},
		{Scenario: "respond/id-not-told", What: "tells it", Want: "noted",
			Change: func(o *O) { o.Another.Wrong[0] = x.Reply(409, doc{"detail": "expected sid, got x"}) }},
		{Scenario: "respond/id-not-told", What: "tells it in a key", Want: "noted",
			Change: func(o *O) { o.Another.Wrong[0] = x.Reply(409, doc{"detail": doc{"sid": true}}) }},
		{Scenario: "respond/id-not-told", What: "takes one without a name", Change: func(o *O) { takeWrong(x, &o.Nameless) },
			Want: suitetest.Violates(openintent.OIP0025A2)},
		{Scenario: "respond/id-not-told", What: "takes it",
			Change: func(o *O) { takeWrong(x, &o.Another) }, Want: suitetest.Violates(openintent.OIP0025A5)},

		{Scenario: "respond/confirm", What: "honest", Want: "passed"},
		{Scenario: "respond/confirm", What: "takes maybe", Want: openintent.OIP0025A9,
			Change: func(o *O) { takeWrong(x, &o.Confirm) }},
		{Scenario: "respond/confirm", What: "refuses yes", Want: openintent.OIP0025A9,
			Change: func(o *O) { o.Confirm.Right = x.Reply(422, doc{}) }},
		{Scenario: "respond/confirm", What: "refuses no", Want: openintent.OIP0025A9,
			Change: func(o *O) { o.Declined.Right = x.Reply(422, doc{}) }},
		{Scenario: "respond/confirm", What: "waits on after no", Want: openintent.OIP0025A9,
			Change: func(o *O) { o.Declined.End = x.Is("suspended_awaiting_input") }},
	}...))
}

func TestJudgesOfOldIDs(t *testing.T) {
	x := suitetest.Minter{T: t}
	type O = answers.StaleObservation
	honest := func(x suitetest.Minter) O {
		return O{Behind: refusedHonestly(x, 409, 1, doc{}), Window: refusedHonestly(x, 409, 1, doc{}),
			First: []host.Reply{x.Ok(doc{}), x.Ok(doc{})}}
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "respond/old-id", What: "honest", Want: "passed"},
		{Scenario: "respond/old-id", What: "takes it behind the new record", Want: openintent.OIP0025A5,
			Change: func(o *O) { takeWrong(x, &o.Behind) }},
		{Scenario: "respond/old-id", What: "takes it in the window", Want: openintent.OIP0025A5,
			Change: func(o *O) { takeWrong(x, &o.Window) }},
		{Scenario: "respond/old-id", What: "takes no new one", Want: "blocked",
			Change: func(o *O) { o.Behind.Right = x.Reply(409, doc{}) }},
	})
}

func TestJudgesOfGovernance(t *testing.T) {
	x := suitetest.Minter{T: t}
	type O = answers.AllowedObservation
	suitetest.JudgeAll(t, func(x suitetest.Minter) O {
		return O{Made: x.Is("active"), Refused: refusedHonestly(x, 403, 1, doc{})}
	}, []suitetest.Story[O]{
		{Scenario: "respond/allowed-agents", What: "honest", Want: "passed"},
		{Scenario: "respond/allowed-agents", What: "takes it", Change: func(o *O) { takeWrong(x, &o.Refused) }, Want: "noted"},
		{Scenario: "respond/allowed-agents", What: "says conflict", Want: "noted",
			Change: func(o *O) { o.Refused.Wrong[0] = x.Reply(409, doc{}) }},
		{Scenario: "respond/allowed-agents", What: "takes none of its own", Want: "blocked",
			Change: func(o *O) { o.Refused.Right = x.Reply(403, doc{}) }},
	})
}

func TestJudgesOfVersions(t *testing.T) {
	x := suitetest.Minter{T: t}
	type O = host.VersionsObservation
	intent := func(version int, state doc) host.Reply {
		return x.Ok(doc{"id": "i", "title": "T", "status": "draft", "version": version, "state": state})
	}
	header := func(value string) wire.Value { return wiretest.Value(t, `"`+value+`"`) }
	honest := func(x suitetest.Minter) O {
		return O{Title: "T", Made: intent(1, doc{}), Read: intent(1, doc{}), Without: x.Reply(428, doc{}),
			After: intent(1, doc{}), Right: intent(2, doc{"note": "right"}), ETag: header("2"), Stale: x.Reply(409, doc{}),
			End: intent(2, doc{"note": "right"})}
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "lifecycle/read-back", What: "honest", Want: "passed"},
		{Scenario: "lifecycle/read-back", What: "another title", Want: openintent.OIP00014,
			Change: func(o *O) { o.Title = "U" }},
		{Scenario: "lifecycle/read-back", What: "not there", Want: openintent.OIP00014,
			Change: func(o *O) { o.Read = x.Reply(404, doc{}) }},
		{Scenario: "lifecycle/read-back", What: "made with 202", Want: openintent.OIP00014,
			Change: func(o *O) { o.Made = x.Reply(202, doc{"id": "i"}) }},

		{Scenario: "lifecycle/needs-a-version", What: "honest", Want: "passed"},
		{Scenario: "lifecycle/needs-a-version", What: "takes it", Want: openintent.OIP00011,
			Change: func(o *O) { o.Without = x.Ok(doc{}) }},
		{Scenario: "lifecycle/needs-a-version", What: "refuses and writes", Want: openintent.OIP00011,
			Change: func(o *O) { o.After = intent(1, doc{"note": "unversioned"}) }},
		{Scenario: "lifecycle/needs-a-version", What: "takes nothing", Want: "blocked",
			Change: func(o *O) { o.Right = x.Reply(428, doc{}) }},

		{Scenario: "lifecycle/old-version", What: "honest", Want: "passed"},
		{Scenario: "lifecycle/old-version", What: "takes it", Want: openintent.OIP00012,
			Change: func(o *O) { o.Stale = x.Ok(doc{}) }},
		{Scenario: "lifecycle/old-version", What: "refuses and writes", Want: openintent.OIP00012,
			Change: func(o *O) { o.End = intent(3, doc{"note": "stale"}) }},
		{Scenario: "lifecycle/old-version", What: "has one version for ever", Want: "blocked",
			Change: func(o *O) { o.Right = intent(1, doc{"note": "right"}) }},

		{Scenario: "lifecycle/etag", What: "honest", Want: "passed"},
		{Scenario: "lifecycle/etag", What: "none", Change: func(o *O) { o.ETag = wire.Value{} }, Want: "noted"},
		{Scenario: "lifecycle/etag", What: "the old one", Change: func(o *O) { o.ETag = header("1") }, Want: "noted"},
	})
}
