package answers_test

import (
	"testing"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios/openintent/answers"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/suitetest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

var theChoices = []any{suitetest.Doc{"value": "a", "label": "A", "description": "the first"}, suitetest.Doc{"value": "b", "label": "B"}}

func answeredHonestly(x suitetest.Teller) answers.AnsweredObservation {
	record := suitetest.Doc{"response_type": "choice", "choices": theChoices, "context": suitetest.Doc{"note": "n"}, "confidence_at_suspension": 0.25}
	sus := x.Suspension(record)
	kept := suitetest.With(suitetest.With(suitetest.Doc{"id": "sid", "question": "q", "suspended_at": suitetest.Began}, record), suitetest.Doc{"response": "a", "resolution": "responded", "responded_at": "2026-11-22T10:00:05"})
	after := x.Ok(suitetest.Doc{"id": "i", "status": "active", "version": 5, "state": suitetest.Doc{"_suspension": kept}})
	log := x.Log(suitetest.Happened(0, "intent_created", suitetest.Doc{}), suitetest.Happened(5, "intent.resumed", suitetest.Doc{"suspension_id": "sid"}))
	return answers.AnsweredObservation{
		Suspension: sus, Chosen: answers.Choice{Value: "a", Label: "A", Description: "the first"}, Other: answers.Choice{Value: "b"},
		Answer: x.Ok(suitetest.Doc{"intent_id": "i", "suspension_id": "sid", "resolution": "responded", "value": "a", "choice_label": "A", "choice_description": "the first", "responded_by": "o", "responded_at": "2026-11-22T10:00:05Z"}),
		After:  after, Log: log, Again: []host.Reply{x.Said(409, suitetest.Doc{}), x.Said(409, suitetest.Doc{})}, AfterAgain: after, LogAgain: log, Usual: x.Ok(suitetest.Doc{}),
	}
}

func TestJudgesOfAnswers(t *testing.T) {
	x := suitetest.Teller{T: t}
	type O = answers.AnsweredObservation
	reply := func(more suitetest.Doc) func(*O) {
		return func(o *O) {
			o.Answer = x.Ok(suitetest.With(o.Answer.Body.Actual().(suitetest.Doc), more))
		}
	}
	recorded := func(more suitetest.Doc) func(*O) {
		return func(o *O) {
			kept := o.After.Body.At("/state/_suspension").Actual().(suitetest.Doc)
			o.After = x.Ok(suitetest.Doc{"status": "active", "version": 5, "state": suitetest.Doc{"_suspension": suitetest.With(kept, more)}})
		}
	}
	suitetest.JudgeAll(t, answeredHonestly, []suitetest.Story[O]{
		{Scenario: "respond/reply", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "respond/reply", What: "refused", Change: func(o *O) { o.Answer = x.Said(422, suitetest.Doc{}) }, Want: openintentv1.OIP0025A15},
		{Scenario: "respond/reply", What: "goes on waiting", Change: func(o *O) { o.After = x.Is("suspended_awaiting_input") }, Want: openintentv1.OIP0025A15},
		{Scenario: "respond/reply", What: "tells nothing", Change: func(o *O) { o.Answer = x.Ok(suitetest.Doc{}) }, Want: openintentv1.OIP0025A11},
		{Scenario: "respond/reply", What: "another value", Change: reply(suitetest.Doc{"value": "b"}), Want: openintentv1.OIP0025A11},
		{Scenario: "respond/reply", What: "no time", Change: reply(suitetest.Doc{"responded_at": "today"}), Want: openintentv1.OIP0025A11},
		{Scenario: "respond/reply", What: "the label of another", Change: reply(suitetest.Doc{"choice_label": "B"}), Want: openintentv1.OIP0025A12},
		{Scenario: "respond/reply", What: "no description", Change: reply(suitetest.Doc{"choice_description": ""}), Want: openintentv1.OIP0025A12},

		{Scenario: "respond/persisted", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "respond/persisted", What: "a time in another form", Change: recorded(suitetest.Doc{"suspended_at": "2026-11-22T10:00:00"}), Want: "passed"},
		{Scenario: "respond/persisted", What: "loses the answer", Change: func(o *O) { o.After = o.Suspension.After }, Want: openintentv1.OIP0025A13},
		{Scenario: "respond/persisted", What: "keeps another", Change: recorded(suitetest.Doc{"response": "b"}), Want: openintentv1.OIP0025A13},
		{Scenario: "respond/persisted", What: "loses the question", Change: recorded(suitetest.Doc{"question": ""}), Want: openintentv1.OIP0025A13},
		{Scenario: "respond/persisted", What: "empties the context", Change: recorded(suitetest.Doc{"context": suitetest.Doc{}}), Want: openintentv1.OIP0025A13},
		{Scenario: "respond/persisted", What: "refused", Change: func(o *O) { o.Answer = x.Said(422, suitetest.Doc{}) }, Want: "blocked"},

		{Scenario: "respond/resumed-once", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "respond/resumed-once", What: "no event", Change: func(o *O) { o.Log = x.Log() }, Want: openintentv1.OIP0025A14},
		{Scenario: "respond/resumed-once", What: "two", Change: func(o *O) {
			o.Log = x.Log(suitetest.Happened(1, "intent.resumed", suitetest.Doc{"suspension_id": "sid"}), suitetest.Happened(2, "intent.resumed", suitetest.Doc{"suspension_id": "sid"}))
		}, Want: openintentv1.OIP0025A14},
		{Scenario: "respond/resumed-once", What: "of another", Change: func(o *O) {
			o.Log = x.Log(suitetest.Happened(1, "intent.resumed", suitetest.Doc{"suspension_id": "other"}))
		}, Want: openintentv1.OIP0025A14},
		{Scenario: "respond/resumed-once", What: "no log", Change: func(o *O) { o.Log.Read = wiretest.Status(t, 404) }, Want: "blocked"},

		{Scenario: "respond/once", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "respond/once", What: "refused otherwise", Change: func(o *O) { o.Again[1] = x.Said(422, suitetest.Doc{}) }, Want: "noted"},
		{Scenario: "respond/once", What: "echoes the first", Change: func(o *O) { o.Again[0] = o.Answer }, Want: openintentv1.OIP0026K4},
		{Scenario: "respond/once", What: "takes another", Change: func(o *O) { o.Again[1] = x.Ok(suitetest.Doc{}) }, Want: openintentv1.OIP0026K4},
		{Scenario: "respond/once", What: "refuses and overwrites", Change: func(o *O) {
			o.AfterAgain = x.Ok(suitetest.Doc{"status": "active", "version": 5, "state": suitetest.Doc{"_suspension": suitetest.Doc{"response": "b"}}})
		}, Want: openintentv1.OIP0026K4},
		{Scenario: "respond/once", What: "another version", Change: func(o *O) {
			o.AfterAgain = x.Ok(suitetest.With(o.After.Body.Actual().(suitetest.Doc), suitetest.Doc{"version": 6}))
		}, Want: openintentv1.OIP0026K4},
		{Scenario: "respond/once", What: "tells twice", Change: func(o *O) {
			o.LogAgain = x.Log(suitetest.Happened(1, "intent.resumed", suitetest.Doc{}), suitetest.Happened(2, "intent.resumed", suitetest.Doc{}))
		}, Want: openintentv1.OIP0026K4},
		{Scenario: "respond/once", What: "took none", Change: func(o *O) { o.Answer = x.Said(409, suitetest.Doc{}) }, Want: "blocked"},

		{Scenario: "respond/orders", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "respond/orders", What: "loses the record", Change: func(o *O) { o.Suspension.After = x.Is("suspended_awaiting_input") }, Want: openintentv1.OIPREAD2},
		{Scenario: "respond/orders", What: "refuses", Change: func(o *O) { o.Answer = x.Said(409, suitetest.Doc{}) }, Want: openintentv1.OIPREAD2},
		{Scenario: "respond/orders", What: "refuses in the usual order too", Change: func(o *O) { o.Answer, o.Usual = x.Said(409, suitetest.Doc{}), x.Said(409, suitetest.Doc{}) }, Want: "blocked"},
	})
}

func TestJudgesOfRaces(t *testing.T) {
	x := suitetest.Teller{T: t}
	type O = answers.RacedObservation
	honest := func(x suitetest.Teller) O {
		return O{Suspension: x.Suspension(nil), Values: []string{"one", "two", "one"}, Replies: []host.Reply{x.Said(409, suitetest.Doc{}), x.Ok(suitetest.Doc{}), x.Said(409, suitetest.Doc{})},
			After: x.Ok(suitetest.Doc{"status": "active", "state": suitetest.Doc{"_suspension": suitetest.Doc{"response": "two"}}}), Log: x.Log(suitetest.Happened(1, "intent.resumed", suitetest.Doc{}))}
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "respond/race", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "respond/race", What: "loses the answer, which is another question", Change: func(o *O) { o.After = x.Is("active") }, Want: "passed"},
		{Scenario: "respond/race", What: "two win", Change: func(o *O) { o.Replies[0] = x.Ok(suitetest.Doc{}) }, Want: openintentv1.OIPREAD1},
		{Scenario: "respond/race", What: "nobody wins", Change: func(o *O) { o.Replies[1] = x.Said(409, suitetest.Doc{}) }, Want: openintentv1.OIPREAD1},
		{Scenario: "respond/race", What: "keeps the loser's", Change: func(o *O) {
			o.After = x.Ok(suitetest.Doc{"state": suitetest.Doc{"_suspension": suitetest.Doc{"response": "one"}}})
		}, Want: openintentv1.OIPREAD1},
		{Scenario: "respond/race", What: "crashes", Change: func(o *O) { o.Replies[2] = x.Said(500, suitetest.Doc{}) }, Want: openintentv1.OIPREAD1},
		{Scenario: "respond/race", What: "tells twice", Change: func(o *O) {
			o.Log = x.Log(suitetest.Happened(1, "intent.resumed", suitetest.Doc{}), suitetest.Happened(1, "intent.resumed", suitetest.Doc{}))
		}, Want: openintentv1.OIPREAD1},
	})
}

func TestJudgesOfRecords(t *testing.T) {
	x := suitetest.Teller{T: t}
	type O = answers.KeptObservation
	policy := suitetest.Doc{"max_attempts": 3, "interval_seconds": 60, "escalation_ladder": []any{suitetest.Doc{"attempt": 2, "channel_hint": "email"}}}
	honest := func(x suitetest.Teller) O {
		return O{With: x.Suspension(suitetest.Doc{"retry_policy": policy}), Without: x.Suspension(suitetest.Doc{"id": "other", "fallback_policy": "fail"}), Taken: []host.Reply{x.Ok(suitetest.Doc{}), x.Ok(suitetest.Doc{})},
			Log: x.Log(suitetest.Happened(0, "intent_created", suitetest.Doc{}), suitetest.Happened(1, "intent.suspended", suitetest.Doc{"suspension_id": "sid"}))}
	}
	stands := func(record suitetest.Doc) host.Reply {
		return x.Ok(suitetest.Doc{"status": "suspended_awaiting_input", "state": suitetest.Doc{"_suspension": record}})
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "respond/record-kept", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "respond/record-kept", What: "adds defaults", Change: func(o *O) {
			o.With.After = stands(suitetest.Doc{"id": "sid", "retry_policy": suitetest.With(policy, suitetest.Doc{"strategy": "fixed"})})
		}, Want: "passed"},
		{Scenario: "respond/record-kept", What: "drops the policy", Change: func(o *O) { o.With.After = stands(suitetest.Doc{"id": "sid"}) }, Want: openintentv1.OIP0026X3},
		{Scenario: "respond/record-kept", What: "changes the policy", Change: func(o *O) {
			o.With.After = stands(suitetest.Doc{"id": "sid", "retry_policy": suitetest.With(policy, suitetest.Doc{"max_attempts": 1})})
		}, Want: openintentv1.OIP0026X3},
		{Scenario: "respond/record-kept", What: "drops the record without one", Change: func(o *O) { o.Without.After = stands(suitetest.Doc{}) }, Want: openintentv1.OIP0026L1},
		{Scenario: "respond/record-kept", What: "takes no answer", Change: func(o *O) { o.Taken[1] = x.Said(409, suitetest.Doc{}) }, Want: "blocked"},

		{Scenario: "respond/suspended-once", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "respond/suspended-once", What: "none is taken as well", Change: func(o *O) { o.Log = x.Log(suitetest.Happened(0, "intent_created", suitetest.Doc{})) }, Want: "passed"},
		{Scenario: "respond/suspended-once", What: "two", Change: func(o *O) {
			o.Log = x.Log(suitetest.Happened(0, "intent.suspended", suitetest.Doc{}), suitetest.Happened(1, "intent.suspended", suitetest.Doc{}))
		}, Want: openintentv1.OIPREAD7},
		{Scenario: "respond/suspended-once", What: "an empty log", Change: func(o *O) { o.Log = x.Log() }, Want: "blocked"},
	})
}

// refusedHonestly is a suspended intent at which n wrong answers came to nothing and a right one did.
func refusedHonestly(x suitetest.Teller, status, n int, body any) host.Refused {
	r := host.Refused{Suspension: x.Suspension(nil), Right: x.Ok(suitetest.Doc{}), End: x.Is("active")}
	for range n {
		r.Wrong = append(r.Wrong, x.Said(status, body))
		r.Stood = append(r.Stood, x.Is("suspended_awaiting_input"))
	}
	return r
}

// let has the first wrong answer be taken.
func let(x suitetest.Teller, r *host.Refused) {
	r.Wrong[0], r.Stood[0], r.Right = x.Ok(suitetest.Doc{}), x.Is("active"), x.Said(409, suitetest.Doc{})
}

func TestJudgesOfRefusals(t *testing.T) {
	x := suitetest.Teller{T: t}
	type O = answers.RefusalsObservation
	valid := suitetest.Doc{"detail": suitetest.Doc{"error": "invalid_choice", "valid_choices": []any{suitetest.Doc{"value": "a"}, suitetest.Doc{"value": "b"}}}}
	honest := func(x suitetest.Teller) O {
		return O{
			Keyless: refusedHonestly(x, 401, 2, suitetest.Doc{}), Nameless: refusedHonestly(x, 422, 2, suitetest.Doc{}), Nowhere: []host.Reply{x.Said(404, suitetest.Doc{})},
			Idle: x.Said(409, suitetest.Doc{}), IdleEnd: x.Is("active"), Another: refusedHonestly(x, 409, 1, suitetest.Doc{"detail": "another"}), Choice: refusedHonestly(x, 422, 2, valid), Choices: []string{"a", "b"},
			Confirm: refusedHonestly(x, 422, 1, suitetest.Doc{}), Declined: refusedHonestly(x, 422, 0, nil), Empty: refusedHonestly(x, 422, 1, suitetest.Doc{}), Broken: refusedHonestly(x, 400, 3, suitetest.Doc{}),
		}
	}
	var stories []suitetest.Story[O]
	for _, k := range []struct {
		name  string
		pick  func(*O) *host.Refused
		other int
		want  string
	}{
		{"respond/needs-a-key", func(o *O) *host.Refused { return &o.Keyless }, 404, openintentv1.OIP0025A1},
		{"respond/needs-an-id", func(o *O) *host.Refused { return &o.Nameless }, 409, openintentv1.OIP0025A2},
		{"respond/another-id", func(o *O) *host.Refused { return &o.Another }, 422, openintentv1.OIP0025A5},
		{"respond/no-object", func(o *O) *host.Refused { return &o.Broken }, 500, "noted"},
		{"respond/empty-text", func(o *O) *host.Refused { return &o.Empty }, 500, "noted"},
		{"respond/no-choice", func(o *O) *host.Refused { return &o.Choice }, 409, openintentv1.OIP0025A7},
	} {
		stories = append(stories,
			suitetest.Story[O]{Scenario: k.name, What: "honest", Change: nil, Want: "passed"},
			suitetest.Story[O]{Scenario: k.name, What: "takes it", Change: func(o *O) { let(x, k.pick(o)) }, Want: k.want},
			suitetest.Story[O]{Scenario: k.name, What: "refuses it and lets go", Change: func(o *O) { k.pick(o).Stood[0] = x.Is("active") }, Want: k.want},
			suitetest.Story[O]{Scenario: k.name, What: "refuses it otherwise", Change: func(o *O) { k.pick(o).Wrong[0] = x.Said(k.other, valid) }, Want: k.want},
			suitetest.Story[O]{Scenario: k.name, What: "takes no right answer either", Change: func(o *O) { k.pick(o).Right = x.Said(422, suitetest.Doc{}) }, Want: "blocked"},
		)
	}
	suitetest.JudgeAll(t, honest, append(stories, []suitetest.Story[O]{
		{Scenario: "respond/no-choice", What: "lists nothing", Change: func(o *O) { o.Choice.Wrong[1] = x.Said(422, suitetest.Doc{"detail": "no"}) }, Want: openintentv1.OIP0025A8},
		{Scenario: "respond/no-choice", What: "lists one of two", Change: func(o *O) { o.Choice.Wrong[0] = x.Said(422, suitetest.Doc{"valid_choices": []any{"a"}}) }, Want: openintentv1.OIP0025A8},
		{Scenario: "respond/no-choice", What: "lists values at the root", Change: func(o *O) { o.Choice.Wrong[0] = x.Said(422, suitetest.Doc{"valid_choices": []any{"b", "a"}}) }, Want: "passed"},

		{Scenario: "respond/unknown-intent", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "respond/unknown-intent", What: "takes it", Change: func(o *O) { o.Nowhere[0] = x.Ok(suitetest.Doc{}) }, Want: openintentv1.OIP0025A3},
		{Scenario: "respond/unknown-intent", What: "says conflict", Change: func(o *O) { o.Nowhere[0] = x.Said(409, suitetest.Doc{}) }, Want: openintentv1.OIP0025A3},
		{Scenario: "respond/unknown-intent", What: "has no route at all", Change: func(o *O) { o.Nameless.Right = x.Said(404, suitetest.Doc{}) }, Want: "blocked"},

		{Scenario: "respond/not-suspended", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "respond/not-suspended", What: "takes it", Change: func(o *O) { o.Idle = x.Ok(suitetest.Doc{}) }, Want: openintentv1.OIP0025A4},
		{Scenario: "respond/not-suspended", What: "moves it", Change: func(o *O) { o.IdleEnd = x.Is("completed") }, Want: openintentv1.OIP0025A4},

		{Scenario: "respond/id-not-told", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "respond/id-not-told", What: "tells it", Change: func(o *O) { o.Another.Wrong[0] = x.Said(409, suitetest.Doc{"detail": "expected sid, got x"}) }, Want: "noted"},
		{Scenario: "respond/id-not-told", What: "tells it in a key", Change: func(o *O) { o.Another.Wrong[0] = x.Said(409, suitetest.Doc{"detail": suitetest.Doc{"sid": true}}) }, Want: "noted"},
		{Scenario: "respond/id-not-told", What: "takes it", Change: func(o *O) { let(x, &o.Another) }, Want: "blocked"},

		{Scenario: "respond/confirm", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "respond/confirm", What: "takes maybe", Change: func(o *O) { let(x, &o.Confirm) }, Want: openintentv1.OIP0025A9},
		{Scenario: "respond/confirm", What: "refuses yes", Change: func(o *O) { o.Confirm.Right = x.Said(422, suitetest.Doc{}) }, Want: openintentv1.OIP0025A9},
		{Scenario: "respond/confirm", What: "refuses no", Change: func(o *O) { o.Declined.Right = x.Said(422, suitetest.Doc{}) }, Want: openintentv1.OIP0025A9},
		{Scenario: "respond/confirm", What: "waits on after no", Change: func(o *O) { o.Declined.End = x.Is("suspended_awaiting_input") }, Want: openintentv1.OIP0025A9},
	}...))
}

func TestJudgesOfOldIDs(t *testing.T) {
	x := suitetest.Teller{T: t}
	type O = answers.StaleObservation
	honest := func(x suitetest.Teller) O {
		return O{Behind: refusedHonestly(x, 409, 1, suitetest.Doc{}), Window: refusedHonestly(x, 409, 1, suitetest.Doc{}), First: []host.Reply{x.Ok(suitetest.Doc{}), x.Ok(suitetest.Doc{})}}
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "respond/old-id", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "respond/old-id", What: "takes it behind the new record", Change: func(o *O) { let(x, &o.Behind) }, Want: openintentv1.OIP0025A5},
		{Scenario: "respond/old-id", What: "takes it in the window", Change: func(o *O) { let(x, &o.Window) }, Want: openintentv1.OIP0025A5},
		{Scenario: "respond/old-id", What: "takes no new one", Change: func(o *O) { o.Behind.Right = x.Said(409, suitetest.Doc{}) }, Want: "blocked"},
	})
}

func TestJudgesOfGovernance(t *testing.T) {
	x := suitetest.Teller{T: t}
	type O = answers.AllowedObservation
	suitetest.JudgeAll(t, func(x suitetest.Teller) O {
		return O{Made: x.Is("active"), Refused: refusedHonestly(x, 403, 1, suitetest.Doc{})}
	}, []suitetest.Story[O]{
		{Scenario: "respond/allowed-agents", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "respond/allowed-agents", What: "takes it", Change: func(o *O) { let(x, &o.Refused) }, Want: "noted"},
		{Scenario: "respond/allowed-agents", What: "says conflict", Change: func(o *O) { o.Refused.Wrong[0] = x.Said(409, suitetest.Doc{}) }, Want: "noted"},
		{Scenario: "respond/allowed-agents", What: "takes none of its own", Change: func(o *O) { o.Refused.Right = x.Said(403, suitetest.Doc{}) }, Want: "blocked"},
	})
}

func TestJudgesOfVersions(t *testing.T) {
	x := suitetest.Teller{T: t}
	type O = host.VersionsObservation
	intent := func(version int, state suitetest.Doc) host.Reply {
		return x.Ok(suitetest.Doc{"id": "i", "title": "T", "status": "draft", "version": version, "state": state})
	}
	header := func(value string) wire.Value { return wiretest.Value(t, `"`+value+`"`) }
	honest := func(x suitetest.Teller) O {
		return O{Title: "T", Made: intent(1, suitetest.Doc{}), Read: intent(1, suitetest.Doc{}), Without: x.Said(428, suitetest.Doc{}), After: intent(1, suitetest.Doc{}), Right: intent(2, suitetest.Doc{"assay": "right"}), ETag: header("2"), Stale: x.Said(409, suitetest.Doc{}), End: intent(2, suitetest.Doc{"assay": "right"})}
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "lifecycle/read-back", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "lifecycle/read-back", What: "another title", Change: func(o *O) { o.Title = "U" }, Want: openintentv1.OIP00014},
		{Scenario: "lifecycle/read-back", What: "not there", Change: func(o *O) { o.Read = x.Said(404, suitetest.Doc{}) }, Want: openintentv1.OIP00014},
		{Scenario: "lifecycle/read-back", What: "made with 202", Change: func(o *O) { o.Made = x.Said(202, suitetest.Doc{"id": "i"}) }, Want: openintentv1.OIP00014},

		{Scenario: "lifecycle/needs-a-version", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "lifecycle/needs-a-version", What: "takes it", Change: func(o *O) { o.Without = x.Ok(suitetest.Doc{}) }, Want: openintentv1.OIP00011},
		{Scenario: "lifecycle/needs-a-version", What: "refuses and writes", Change: func(o *O) { o.After = intent(1, suitetest.Doc{"assay": "unversioned"}) }, Want: openintentv1.OIP00011},
		{Scenario: "lifecycle/needs-a-version", What: "takes nothing", Change: func(o *O) { o.Right = x.Said(428, suitetest.Doc{}) }, Want: "blocked"},

		{Scenario: "lifecycle/old-version", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "lifecycle/old-version", What: "takes it", Change: func(o *O) { o.Stale = x.Ok(suitetest.Doc{}) }, Want: openintentv1.OIP00012},
		{Scenario: "lifecycle/old-version", What: "refuses and writes", Change: func(o *O) { o.End = intent(3, suitetest.Doc{"assay": "stale"}) }, Want: openintentv1.OIP00012},
		{Scenario: "lifecycle/old-version", What: "has one version for ever", Change: func(o *O) { o.Right = intent(1, suitetest.Doc{"assay": "right"}) }, Want: "blocked"},

		{Scenario: "lifecycle/etag", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "lifecycle/etag", What: "none", Change: func(o *O) { o.ETag = wire.Value{} }, Want: "noted"},
		{Scenario: "lifecycle/etag", What: "the old one", Change: func(o *O) { o.ETag = header("1") }, Want: "noted"},
	})
}
