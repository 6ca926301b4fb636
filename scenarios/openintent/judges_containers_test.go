package openintent_test

import (
	"testing"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios/openintent"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestJudgesOfTasks(t *testing.T) {
	x := teller{t}
	type O = openintent.TasksObservation
	task := func(status string, more doc) openintent.Reply {
		return x.ok(with(doc{"id": "t", "status": status}, more))
	}
	entry := doc{"task_id": "t", "intent_id": "i", "suspended_since": began, "expires_at": "2026-11-22T11:00:00"}
	plan := func(entries ...any) openintent.Reply {
		return x.ok(doc{"id": "p", "state": "active", "progress": doc{"suspended_tasks": append([]any{}, entries...)}})
	}
	byUs := doc{"blocked_reason": "intent_suspended", "suspended_intent_id": "i"}
	honest := func(x teller) O {
		other := task("blocked", doc{"blocked_reason": "escalation"})
		return O{TaskID: "t", IntentID: "i", Suspension: x.suspension(doc{"expires_at": "2026-11-22T11:00:00Z"}), Usual: x.reached(true, "blocked"),
			Before:  openintent.Planned{Plan: plan(), Progress: x.said(404, doc{}), Task: task("running", nil), Pending: task("pending", nil), Other: other},
			Blocked: x.reached(true, "blocked"), During: openintent.Planned{Plan: plan(entry), Progress: x.said(404, doc{}), Task: task("blocked", byUs), Pending: task("pending", nil), Other: other},
			Barrier: x.barrier(), Answer: x.ok(doc{}), Resumed: x.reached(true, "active"), Running: x.reached(true, "running"),
			After: openintent.Planned{Plan: plan(), Progress: x.said(404, doc{}), Task: task("running", doc{"blocked_reason": nil}), Pending: task("pending", nil), Other: other}}
	}
	nothing := func(o *O) { o.Blocked, o.During.Task = x.reached(false, "running"), task("running", nil) }
	half := func(o *O) { o.Blocked, o.During.Task = x.reached(false, "running"), task("running", byUs) }
	lists := func(e ...any) func(*O) { return func(o *O) { o.During.Plan = plan(e...) } }
	none := func(o *O) { o.During.Plan = x.ok(doc{"id": "p", "state": "active"}) }
	judgeAll(t, honest, []story[O]{
		{"tasks-and-plans/blocked", "honest", nil, "passed"},
		{"tasks-and-plans/blocked", "names the intent in its metadata", func(o *O) {
			o.During.Task = task("blocked", doc{"blocked_reason": "intent_suspended", "task_metadata": doc{"suspended_intent_id": "i"}})
		}, "noted"},
		{"tasks-and-plans/blocked", "nothing happens", nothing, "not there"},
		{"tasks-and-plans/blocked", "says so and runs on", half, openintentv1.OIP0026R3},
		{"tasks-and-plans/blocked", "no reason", func(o *O) { o.During.Task = task("blocked", doc{"suspended_intent_id": "i"}) }, openintentv1.OIP0026R3B},
		{"tasks-and-plans/blocked", "no intent", func(o *O) { o.During.Task = task("blocked", doc{"blocked_reason": "intent_suspended"}) }, openintentv1.OIP0026R3C},
		{"tasks-and-plans/blocked", "another intent", func(o *O) { o.During.Task = task("blocked", with(byUs, doc{"suspended_intent_id": "x"})) }, openintentv1.OIP0026R3C},

		{"tasks-and-plans/runs-again", "honest", nil, "passed"},
		{"tasks-and-plans/runs-again", "stays blocked", func(o *O) { o.Running = x.reached(false, "blocked") }, openintentv1.OIP0026R3D},
		{"tasks-and-plans/runs-again", "keeps the reason", func(o *O) { o.After.Task = task("running", byUs) }, openintentv1.OIP0026R3D},
		{"tasks-and-plans/runs-again", "was never blocked", nothing, "lacking"},

		{"tasks-and-plans/listed", "honest", nil, "passed"},
		{"tasks-and-plans/listed", "at the plan itself", func(o *O) {
			o.During.Plan, o.After.Plan = x.ok(doc{"suspended_tasks": []any{entry}}), x.ok(doc{"suspended_tasks": []any{}})
		}, "noted"},
		{"tasks-and-plans/listed", "no list", none, "not there"},
		{"tasks-and-plans/listed", "lists nothing", lists(), openintentv1.OIP0026R4G},
		{"tasks-and-plans/listed", "lists it for ever", func(o *O) { o.After.Plan = plan(entry) }, openintentv1.OIP0026R4G},
		{"tasks-and-plans/listed", "another intent", lists(with(entry, doc{"intent_id": "x"})), openintentv1.OIP0026R4H},
		{"tasks-and-plans/listed", "another end", lists(with(entry, doc{"expires_at": began})), openintentv1.OIP0026R4H},
		{"tasks-and-plans/listed", "another beginning", lists(with(entry, doc{"suspended_since": "2026-11-22T09:00:00"})), openintentv1.OIP0026R4H},

		{"tasks-and-plans/intent-local", "honest", nil, "passed"},
		{"tasks-and-plans/intent-local", "turns paused", func(o *O) { o.During.Plan = x.ok(doc{"state": "paused"}) }, "passed"},
		{"tasks-and-plans/intent-local", "turns suspended", func(o *O) { o.During.Plan = x.ok(doc{"state": waits}) }, openintentv1.OIP0026R1B},
		{"tasks-and-plans/intent-local", "has no state", func(o *O) { o.During.Plan = x.said(404, doc{}) }, openintentv1.OIP0026R1B},
		{"tasks-and-plans/intent-local", "watches nothing", nothing, "lacking"},

		{"tasks-and-plans/added", "honest", nil, "passed"},
		{"tasks-and-plans/added", "drops the id", func(o *O) {
			o.During.Plan = x.ok(doc{"state": "active", "progress": doc{"suspended_tasks": []any{entry}}})
		}, openintentv1.OIP0026L6},
		{"tasks-and-plans/added", "no list", none, "not there"},

		{"tasks-and-plans/other-reason", "honest", nil, "passed"},
		{"tasks-and-plans/other-reason", "sets it running", func(o *O) { o.After.Other = task("running", nil) }, "noted"},
		{"tasks-and-plans/other-reason", "changes the reason", func(o *O) { o.After.Other = task("blocked", doc{"blocked_reason": ""}) }, "noted"},

		{"tasks-and-plans/not-running", "honest", nil, "passed"},
		{"tasks-and-plans/not-running", "blocks it", func(o *O) { o.During.Pending = task("blocked", nil) }, "noted"},
		{"tasks-and-plans/not-running", "was never blocked", nothing, "lacking"},

		{"tasks-and-plans/orders", "honest", nil, "passed"},
		{"tasks-and-plans/orders", "does not block", func(o *O) { o.Blocked.Reached = false }, openintentv1.OIPREAD2},
		{"tasks-and-plans/orders", "does not run again", func(o *O) { o.Running.Reached = false }, openintentv1.OIPREAD2},
		{"tasks-and-plans/orders", "does not block in the usual order", func(o *O) { o.Blocked.Reached, o.Usual.Reached = false, false }, "blocked"},
	})
}

func TestJudgesOfPortfolios(t *testing.T) {
	x := teller{t}
	type O = openintent.PortfolioObservation
	at := func(count int, more doc) openintent.Watched {
		status := map[bool]string{true: waits, false: "active"}[count > 0]
		return openintent.Watched{Portfolio: x.ok(with(doc{"id": "f", "name": "n", "status": "active", "has_suspended_members": count > 0, "suspended_member_count": count, "aggregate_status": doc{"status": "in_progress"}}, more)),
			Members: x.ok([]any{doc{"id": "m1", "status": status}})}
	}
	told := func(kind string, n int) (out []doc) {
		for i := range n {
			out = append(out, happened(i, kind, doc{"intent_id": "m1"}))
		}
		return out
	}
	honest := func(x teller) O {
		return O{FirstID: "m1", Before: at(0, nil), First: x.suspension(nil), One: at(1, nil), Barrier: x.barrier(), Second: x.suspension(nil), Two: at(2, nil), After: at(0, nil),
			MemberLog: x.log(), FolderLog: x.log(append(told("portfolio.member_suspended", 1), told("portfolio.member_resumed", 1)...)...)}
	}
	bare := func(more doc) openintent.Watched {
		return openintent.Watched{Portfolio: x.ok(with(doc{"id": "f", "name": "n", "status": "active"}, more)), Members: x.ok([]any{})}
	}
	unflagged := func(o *O) { o.Before, o.One, o.Two, o.After = bare(nil), bare(nil), bare(nil), bare(nil) }
	below := func(n int) openintent.Watched {
		return bare(doc{"aggregate_status": doc{"has_suspended_members": n > 0, "suspended_member_count": n}})
	}
	streamed := func(kind string, n int) openintent.Stream {
		out := openintent.Stream{Opened: true, Status: wiretest.Status(t, 200)}
		for range n {
			out.Types = append(out.Types, wiretest.Value(t, `"`+kind+`"`))
			out.Data = append(out.Data, wiretest.Value(t, doc{"intent_id": "m1"}))
		}
		return out
	}
	judgeAll(t, honest, []story[O]{
		{"portfolios/flag", "honest", nil, "passed"},
		{"portfolios/flag", "below the aggregate", func(o *O) { o.Before, o.One, o.Two, o.After = below(0), below(1), below(2), below(0) }, "noted"},
		{"portfolios/flag", "says false", func(o *O) { o.One = at(1, doc{"has_suspended_members": false}) }, openintentv1.OIP0026R4B},
		{"portfolios/flag", "says true for ever", func(o *O) { o.After = at(0, doc{"has_suspended_members": true}) }, openintentv1.OIP0026R4B},
		{"portfolios/flag", "none", unflagged, "not there"},

		{"portfolios/count", "honest", nil, "passed"},
		{"portfolios/count", "counts one of two", func(o *O) { o.Two = at(1, nil) }, openintentv1.OIP0026R4C},
		{"portfolios/count", "counts for ever", func(o *O) { o.After = at(2, nil) }, openintentv1.OIP0026R4C},
		{"portfolios/count", "none", unflagged, "not there"},

		{"portfolios/member-twice", "honest", nil, "passed"},
		{"portfolios/member-twice", "counts two", func(o *O) { o.One = at(2, nil) }, openintentv1.OIPREAD6},
		{"portfolios/member-twice", "none", unflagged, "not there"},

		{"portfolios/intent-local", "honest", nil, "passed"},
		{"portfolios/intent-local", "turns suspended", func(o *O) { o.Two = at(2, doc{"status": waits}) }, openintentv1.OIP0026R1C},
		{"portfolios/intent-local", "its aggregate turns suspended", func(o *O) { o.One = at(1, doc{"aggregate_status": "suspended"}) }, openintentv1.OIP0026R1C},
		{"portfolios/intent-local", "shows nothing of its member", unflagged, "not there"},

		{"portfolios/added", "honest", nil, "passed"},
		{"portfolios/added", "drops a member", func(o *O) { o.Before = at(0, doc{"description": "d"}) }, openintentv1.OIP0026L5},
		{"portfolios/added", "another name", func(o *O) { o.One = at(1, doc{"name": "x"}) }, openintentv1.OIP0026L5},

		{"portfolios/event-suspended", "honest", nil, "passed"},
		{"portfolios/event-suspended", "on the stream alone", func(o *O) { o.FolderLog, o.Stream = x.log(), streamed("portfolio.member_suspended", 1) }, "passed"},
		{"portfolios/event-suspended", "twice", func(o *O) { o.FolderLog = x.log(told("portfolio.member_suspended", 2)...) }, openintentv1.OIP0026X1},
		{"portfolios/event-suspended", "twice on the stream", func(o *O) { o.Stream = streamed("portfolio.member_suspended", 2) }, openintentv1.OIP0026X1},
		{"portfolios/event-suspended", "nowhere", func(o *O) { o.FolderLog = x.log() }, "not there"},

		{"portfolios/event-resumed", "honest", nil, "passed"},
		{"portfolios/event-resumed", "twice", func(o *O) { o.MemberLog = x.log(told("portfolio.member_resumed", 2)...) }, openintentv1.OIP0026X2},
		{"portfolios/event-resumed", "of another member", func(o *O) { o.FirstID = "m9" }, "not there"},
	})
}

func TestJudgesOfAggregates(t *testing.T) {
	x := teller{t}
	type O = openintent.AggregatesObservation
	says := func(word string) openintent.Reply {
		return x.ok(doc{"status": "active", "aggregate_status": doc{"status": word}})
	}
	honest := func(teller) O {
		return O{Completed: says("completed"), Failed: says("failed"), Progress: says("in_progress"), Abandoned: says("failed")}
	}
	without := func(o *O) { r := x.ok(doc{"status": "active"}); *o = O{r, r, r, r} }
	judgeAll(t, honest, []story[O]{
		{"portfolios/all-completed", "honest", nil, "passed"},
		{"portfolios/all-completed", "the word itself", func(o *O) { o.Completed = x.ok(doc{"aggregate_status": "completed"}) }, "noted"},
		{"portfolios/all-completed", "in progress for ever", func(o *O) { o.Completed = says("in_progress") }, openintentv1.OIP0026R4D},
		{"portfolios/all-completed", "no aggregate", without, "not there"},
		{"portfolios/one-abandoned", "honest", nil, "passed"},
		{"portfolios/one-abandoned", "the one that waits wins", func(o *O) { o.Failed = says("in_progress") }, openintentv1.OIP0026R4E},
		{"portfolios/one-abandoned", "counts it as completed", func(o *O) { o.Abandoned = says("completed") }, openintentv1.OIP0026R4E},
		{"portfolios/in-progress", "honest", nil, "passed"},
		{"portfolios/in-progress", "suspended", func(o *O) { o.Progress = says("suspended") }, openintentv1.OIP0026R4F},
		{"portfolios/in-progress", "completed", func(o *O) { o.Progress = says("completed") }, openintentv1.OIP0026R4F},
	})
}

func TestJudgesOfPhases(t *testing.T) {
	x := teller{t}
	type O = openintent.PhasesObservation
	entry := doc{"phase_name": "review", "intent_id": "i", "suspended_since": began, "expires_at": "2026-11-22T11:00:00Z"}
	at := func(entries ...any) openintent.Watched {
		return openintent.Watched{Portfolio: x.ok(doc{"progress": doc{"suspended_phases": append([]any{}, entries...)}})}
	}
	honest := func(x teller) O {
		return O{Names: []string{"review", "title"}, IntentID: "i", Suspension: x.suspension(doc{"expires_at": "2026-11-22T11:00:00Z"}), During: at(entry), Workflow: x.said(404, doc{}), Answer: x.ok(doc{}), After: at(), Ended: x.said(404, doc{})}
	}
	judgeAll(t, honest, []story[O]{
		{"portfolios/suspended-phases", "honest", nil, "passed"},
		{"portfolios/suspended-phases", "no list", func(o *O) { o.During = openintent.Watched{Portfolio: x.ok(doc{})} }, "not there"},
		{"portfolios/suspended-phases", "lists nothing", func(o *O) { o.During = at() }, openintentv1.OIP0026R4I},
		{"portfolios/suspended-phases", "lists it for ever", func(o *O) { o.After = at(entry) }, openintentv1.OIP0026R4I},
		{"portfolios/suspended-phases", "another name", func(o *O) { o.During = at(with(entry, doc{"phase_name": "x"})) }, openintentv1.OIP0026R4J},
	})
}

func TestJudgesOfDeadlines(t *testing.T) {
	x := teller{t}
	type O = openintent.DeadlineObservation
	ended := func(state doc, reason any) openintent.Reply {
		return x.ok(doc{"id": "i", "status": "abandoned", "state": doc{"_suspension": state}, "abandonment_reason": reason})
	}
	expired := happened(2, "intent.suspension_expired", doc{"reason": "portfolio_deadline"})
	const why = "portfolio_deadline_exceeded"
	honest := func(x teller) O {
		return O{Suspension: x.suspension(nil), Fallback: "FB", Before: x.is(waits), Ended: x.reached(true, "abandoned"), Then: ended(doc{"resolution": "expired"}, why),
			Log: x.log(expired, happened(2, "status_changed", doc{"status": "abandoned"})), Late: x.said(409, doc{}), After: ended(doc{}, why), Control: x.reached(true, waits)}
	}
	nothing := func(o *O) { o.Ended, o.Then, o.Log = x.reached(false, waits), x.is(waits), x.log() }
	judgeAll(t, honest, []story[O]{
		{"deadline/abandons", "honest", nil, "passed"},
		{"deadline/abandons", "nothing happens", nothing, "not there"},
		{"deadline/abandons", "goes on with the fallback", func(o *O) { o.Ended, o.Then = x.reached(false, "active"), x.is("active") }, openintentv1.OIP0026R5},
		{"deadline/abandons", "tells, and does not end it", func(o *O) { o.Ended, o.Then = x.reached(false, waits), x.is(waits) }, openintentv1.OIP0026R5},
		{"deadline/abandons", "ends the other one too", func(o *O) { o.Control.Reached = false }, "blocked"},
		{"deadline/abandons", "had ended it before", func(o *O) { o.Before = x.is("abandoned") }, "blocked"},

		{"deadline/bypasses-fallback", "honest", nil, "passed"},
		{"deadline/bypasses-fallback", "applies it", func(o *O) { o.Then = ended(doc{"response": "FB"}, why) }, openintentv1.OIP0026R5B},
		{"deadline/bypasses-fallback", "takes an answer", func(o *O) { o.Late = x.ok(doc{}) }, openintentv1.OIP0026R5B},
		{"deadline/bypasses-fallback", "lets it go on", func(o *O) { o.After = x.is("active") }, openintentv1.OIP0026R5B},
		{"deadline/bypasses-fallback", "nothing happens", nothing, "lacking"},

		{"deadline/reason", "honest", nil, "passed"},
		{"deadline/reason", "in the event", func(o *O) {
			o.Then, o.Log = x.is("abandoned"), x.log(expired, happened(2, "status_changed", doc{"status": "abandoned", "abandonment_reason": why}))
		}, "noted"},
		{"deadline/reason", "none", func(o *O) { o.Then = x.is("abandoned") }, openintentv1.OIP0026R5C},
		{"deadline/reason", "another", func(o *O) { o.Then = ended(doc{}, "timeout") }, openintentv1.OIP0026R5C},

		{"deadline/audited", "honest", nil, "passed"},
		{"deadline/audited", "silent", func(o *O) { o.Log = x.log() }, openintentv1.OIP0026R5D},
		{"deadline/audited", "twice", func(o *O) { o.Log = x.log(expired, expired) }, openintentv1.OIP0026R5D},
		{"deadline/audited", "another reason", func(o *O) { o.Log = x.log(happened(2, "intent.suspension_expired", doc{"reason": "timeout"})) }, openintentv1.OIP0026R5D},
	})
}

func TestJudgesOfClaims(t *testing.T) {
	x := teller{t}
	type O = openintent.ClaimObservation
	refusal := doc{"detail": doc{"error": "upstream_intent_suspended", "suspended_intent_id": "u77", "expected_resume_at": began}}
	honest := func(x teller) O {
		return O{UpstreamID: "u77", Suspension: x.suspension(doc{"expires_at": began}), Before: x.is("blocked"), Refused: x.said(409, refusal), After: x.is("blocked"), Answer: x.ok(doc{}), Finished: x.reached(true, "completed"), Granted: x.ok(doc{}), Plain: x.ok(doc{})}
	}
	grants := func(o *O) { o.Refused = x.ok(doc{"id": "l"}) }
	other := func(o *O) { o.Refused = x.said(422, doc{"detail": doc{"error": "UnresolvableInputError"}}) }
	judgeAll(t, honest, []story[O]{
		{"claims/refused", "honest", nil, "passed"},
		{"claims/refused", "grants it", grants, openintentv1.OIP0026V1},
		{"claims/refused", "crashes", func(o *O) { o.Refused = x.said(500, doc{}) }, openintentv1.OIP0026V1},
		{"claims/refused", "grants nothing ever", func(o *O) { o.Granted = x.said(422, doc{}) }, "blocked"},
		{"claims/says-why", "honest", nil, "passed"},
		{"claims/says-why", "names the exception", func(o *O) {
			o.Refused = x.said(422, doc{"error": doc{"type": "UpstreamIntentSuspendedError", "intent": "u77"}})
		}, "passed"},
		{"claims/says-why", "another reason", other, openintentv1.OIP0026V2},
		{"claims/says-why", "names no intent", func(o *O) { o.Refused = x.said(409, doc{"error": "upstream_intent_suspended"}) }, openintentv1.OIP0026V3},
		{"claims/says-why", "grants it", grants, "blocked"},
		{"claims/resume-at", "honest", nil, "passed"},
		{"claims/resume-at", "null", func(o *O) {
			o.Refused = x.said(409, doc{"error": "upstream_intent_suspended", "expected_resume_at": nil})
		}, "noted"},
		{"claims/resume-at", "null, for a record without an end", func(o *O) {
			o.Suspension, o.Refused = x.suspension(nil), x.said(409, doc{"error": "upstream_intent_suspended"})
		}, "passed"},
		{"claims/resume-at", "no time", func(o *O) { o.Refused = x.said(409, with(refusal, doc{"expected_resume_at": "soon"})) }, "noted"},
		{"claims/resume-at", "another reason", other, "blocked"},
		{"claims/granted", "honest", nil, "passed"},
		{"claims/granted", "moves it", func(o *O) { o.After = x.is("failed") }, openintentv1.OIP0026V5},
		{"claims/granted", "refuses it later", func(o *O) { o.Granted = x.said(422, doc{}) }, openintentv1.OIP0026V5},
		{"claims/granted", "the upstream is not completed", func(o *O) { o.Finished.Reached = false }, "blocked"},
	})
}

func TestJudgesOfConfigurations(t *testing.T) {
	x := teller{t}
	type O = openintent.ConfigObservation
	none, some := doc{"suspension": doc{"default_retry_policy": nil}}, doc{"suspension": doc{"default_retry_policy": doc{"max_attempts": 3, "interval_seconds": 60}}}
	no := func(int) []openintent.Reply {
		return []openintent.Reply{x.said(405, doc{}), x.said(405, doc{}), x.said(403, doc{})}
	}
	honest := func(x teller) O { return O{Keyless: x.ok(none), Keyed: x.ok(none), Writes: no(0), After: x.ok(none)} }
	judgeAll(t, honest, []story[O]{
		{"config/readable", "honest", nil, "passed"},
		{"config/readable", "a policy", func(o *O) { o.Keyed, o.Keyless = x.ok(some), x.ok(some) }, "passed"},
		{"config/readable", "asks for a key", func(o *O) { o.Keyless = x.said(401, doc{}) }, openintentv1.OIP0026D4},
		{"config/readable", "says nothing", func(o *O) { o.Keyed = x.ok(doc{}) }, openintentv1.OIP0026D4},
		{"config/readable", "no policy", func(o *O) {
			o.Keyed = x.ok(doc{"suspension": doc{"default_retry_policy": doc{"max_attempts": "many"}}})
		}, openintentv1.OIP0026D4},
		{"config/read-only", "honest", nil, "passed"},
		{"config/read-only", "takes a write", func(o *O) { o.Writes[0] = x.ok(none) }, openintentv1.OIP0026D5},
		{"config/read-only", "refuses and changes", func(o *O) { o.After = x.ok(some) }, openintentv1.OIP0026D5},
		{"config/read-only", "cannot be read", func(o *O) { o.Keyed = x.ok(doc{}) }, "blocked"},
	})
}

func TestJudgesOfStreams(t *testing.T) {
	x := teller{t}
	type O = openintent.StreamedObservation
	stream := func(kinds ...string) openintent.Stream {
		out := openintent.Stream{Opened: true, Status: wiretest.Status(t, 200)}
		for _, k := range kinds {
			out.Types, out.Data = append(out.Types, wiretest.Value(t, `"`+k+`"`)), append(out.Data, wiretest.Value(t, doc{"x": 1}))
		}
		return out
	}
	const reminder, step = "intent.suspension_renotified", "intent.suspension_escalated"
	made := happened(0, "intent_created", doc{})
	honest := func(x teller) O {
		return O{Suspension: x.suspension(nil), Before: x.log(made), Log: x.log(made, happened(1, "intent.resumed", doc{}), happened(2, reminder, doc{}), happened(3, reminder, doc{}), happened(4, step, doc{})),
			Stream: stream("intent.resumed", reminder, step, reminder, "more.than.the.log")}
	}
	untyped := func(o *O) {
		o.Stream.Types[0], o.Stream.Data[0] = wire.Value{}, wiretest.Value(t, doc{"event_type": "intent.resumed"})
	}
	judgeAll(t, honest, []story[O]{
		{"streams/as-the-log", "honest", nil, "passed"},
		{"streams/as-the-log", "the type is in the event", untyped, "passed"},
		{"streams/as-the-log", "loses one", func(o *O) { o.Stream = stream(reminder, step, reminder) }, "noted"},
		{"streams/as-the-log", "sends one twice", func(o *O) { o.Stream = stream("intent.resumed", "intent.resumed", reminder, step, reminder) }, "noted"},
		{"streams/as-the-log", "the log has none", func(o *O) { o.Log = x.log(made) }, "blocked"},
		{"streams/reminders", "honest", nil, "passed"},
		{"streams/reminders", "loses one", func(o *O) { o.Stream = stream("intent.resumed", reminder, step) }, "noted"},
		{"streams/reminders", "loses the step", func(o *O) { o.Stream = stream("intent.resumed", reminder, reminder) }, "noted"},
		{"streams/reminders", "nobody is reminded", func(o *O) { o.Log, o.Stream = x.log(made), stream() }, "not there"},
	})
}
