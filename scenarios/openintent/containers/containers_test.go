package containers_test

import (
	"testing"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios/openintent/config"
	"github.com/openassay/assay/scenarios/openintent/containers"
	"github.com/openassay/assay/scenarios/openintent/deadline"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/inputs"
	"github.com/openassay/assay/scenarios/openintent/streams"
	"github.com/openassay/assay/scenarios/openintent/suitetest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

type doc = suitetest.Doc

var happened = suitetest.Happened

func TestJudgesOfTasks(t *testing.T) {
	x := suitetest.Minter{T: t}
	type O = containers.TasksObservation
	task := func(status string, more doc) host.Reply {
		return x.Ok(suitetest.With(doc{"id": "t", "status": status}, more))
	}
	entry := doc{"task_id": "t", "intent_id": "i", "suspended_since": suitetest.Began, "expires_at": "2026-11-22T11:00:00"}
	plan := func(entries ...any) host.Reply {
		return x.Ok(doc{"id": "p", "state": "active", "progress": doc{"suspended_tasks": append([]any{}, entries...)}})
	}
	byUs := doc{"blocked_reason": "intent_suspended", "suspended_intent_id": "i"}
	honest := func(x suitetest.Minter) O {
		other := task("blocked", doc{"blocked_reason": "escalation"})
		return O{TaskID: "t", IntentID: "i", Suspension: x.Suspension(doc{"expires_at": "2026-11-22T11:00:00Z"}),
			Usual: x.Reached(true, "blocked"),
			Before: containers.Planned{Plan: plan(), Progress: x.Reply(404, doc{}), Task: task("running", nil),
				Pending: task("pending", nil), Other: other},
			Blocked: x.Reached(true, "blocked"), During: containers.Planned{Plan: plan(entry), Progress: x.Reply(404, doc{}),
				Task: task("blocked", byUs), Pending: task("pending", nil), Other: other},
			Barrier: x.Barrier(), Answer: x.Ok(doc{}), Resumed: x.Reached(true, "active"), Running: x.Reached(true, "running"),
			After: containers.Planned{Plan: plan(), Progress: x.Reply(404, doc{}),
				Task: task("running", doc{"blocked_reason": nil}), Pending: task("pending", nil), Other: other}}
	}
	nothing := func(o *O) { o.Blocked, o.During.Task = x.Reached(false, "running"), task("running", nil) }
	half := func(o *O) { o.Blocked, o.During.Task = x.Reached(false, "running"), task("running", byUs) }
	lists := func(e ...any) func(*O) { return func(o *O) { o.During.Plan = plan(e...) } }
	none := func(o *O) { o.During.Plan = x.Ok(doc{"id": "p", "state": "active"}) }
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "tasks-and-plans/blocked", What: "honest", Want: "passed"},
		{Scenario: "tasks-and-plans/blocked", What: "names the intent in its metadata", Change: func(o *O) {
			o.During.Task = task("blocked", doc{"blocked_reason": "intent_suspended", "task_metadata": doc{"suspended_intent_id": "i"}})
		}, Want: "noted"},
		{Scenario: "tasks-and-plans/blocked", What: "nothing happens", Change: nothing, Want: "not there"},
		{Scenario: "tasks-and-plans/blocked", What: "says so and runs on", Change: half, Want: openintent.OIP0026R3},
		{Scenario: "tasks-and-plans/blocked", What: "no reason", Want: openintent.OIP0026R3B,
			Change: func(o *O) { o.During.Task = task("blocked", doc{"suspended_intent_id": "i"}) }},
		{Scenario: "tasks-and-plans/blocked", What: "no intent", Want: openintent.OIP0026R3C,
			Change: func(o *O) { o.During.Task = task("blocked", doc{"blocked_reason": "intent_suspended"}) }},
		{Scenario: "tasks-and-plans/blocked", What: "another intent", Change: func(o *O) {
			o.During.Task = task("blocked", suitetest.With(byUs, doc{"suspended_intent_id": "x"}))
		}, Want: openintent.OIP0026R3C},

		{Scenario: "tasks-and-plans/runs-again", What: "honest", Want: "passed"},
		{Scenario: "tasks-and-plans/runs-again", What: "stays blocked", Want: openintent.OIP0026R3D,
			Change: func(o *O) { o.Running = x.Reached(false, "blocked") }},
		{Scenario: "tasks-and-plans/runs-again", What: "keeps the reason", Want: openintent.OIP0026R3D,
			Change: func(o *O) { o.After.Task = task("running", byUs) }},
		{Scenario: "tasks-and-plans/runs-again", What: "was never blocked", Change: nothing, Want: "lacking"},

		{Scenario: "tasks-and-plans/listed", What: "honest", Want: "passed"},
		{Scenario: "tasks-and-plans/listed", What: "at the plan itself", Change: func(o *O) {
			o.During.Plan, o.After.Plan = x.Ok(doc{"suspended_tasks": []any{entry}}), x.Ok(doc{"suspended_tasks": []any{}})
		}, Want: "noted"},
		{Scenario: "tasks-and-plans/listed", What: "no list", Change: none, Want: "not there"},
		{Scenario: "tasks-and-plans/listed", What: "lists nothing", Change: lists(), Want: openintent.OIP0026R4G},
		{Scenario: "tasks-and-plans/listed", What: "lists it for ever", Want: openintent.OIP0026R4G,
			Change: func(o *O) { o.After.Plan = plan(entry) }},
		{Scenario: "tasks-and-plans/listed", What: "another intent", Want: openintent.OIP0026R4H,
			Change: lists(suitetest.With(entry, doc{"intent_id": "x"}))},
		{Scenario: "tasks-and-plans/listed", What: "another end", Want: openintent.OIP0026R4H,
			Change: lists(suitetest.With(entry, doc{"expires_at": suitetest.Began}))},
		{Scenario: "tasks-and-plans/listed", What: "another beginning", Want: openintent.OIP0026R4H,
			Change: lists(suitetest.With(entry, doc{"suspended_since": "2026-11-22T09:00:00"}))},

		{Scenario: "tasks-and-plans/intent-local", What: "honest", Want: "passed"},
		{Scenario: "tasks-and-plans/intent-local", What: "turns paused", Want: "passed",
			Change: func(o *O) { o.During.Plan = x.Ok(doc{"state": "paused"}) }},
		{Scenario: "tasks-and-plans/intent-local", What: "turns suspended", Want: openintent.OIP0026R1B,
			Change: func(o *O) { o.During.Plan = x.Ok(doc{"state": suitetest.Waits}) }},
		{Scenario: "tasks-and-plans/intent-local", What: "has no state", Want: openintent.OIP0026R1B,
			Change: func(o *O) { o.During.Plan = x.Reply(404, doc{}) }},
		{Scenario: "tasks-and-plans/intent-local", What: "watches nothing", Change: nothing, Want: "lacking"},

		{Scenario: "tasks-and-plans/added", What: "honest", Want: "passed"},
		{Scenario: "tasks-and-plans/added", What: "drops the id", Change: func(o *O) {
			o.During.Plan = x.Ok(doc{"state": "active", "progress": doc{"suspended_tasks": []any{entry}}})
		}, Want: openintent.OIP0026L6},
		{Scenario: "tasks-and-plans/added", What: "no list", Change: none, Want: "not there"},

		{Scenario: "tasks-and-plans/other-reason", What: "honest", Want: "passed"},
		{Scenario: "tasks-and-plans/other-reason", What: "sets it running", Want: "noted",
			Change: func(o *O) { o.After.Other = task("running", nil) }},
		{Scenario: "tasks-and-plans/other-reason", What: "changes the reason", Want: "noted",
			Change: func(o *O) { o.After.Other = task("blocked", doc{"blocked_reason": ""}) }},
		{Scenario: "tasks-and-plans/other-reason", What: "the intent stays suspended", Want: suitetest.Violates(openintent.OIP0025A15),
			Change: func(o *O) { o.Resumed.Reached, o.Running.Reached = false, false }},
		{Scenario: "tasks-and-plans/other-reason", What: "the task stays blocked", Want: suitetest.Violates(openintent.OIP0026R3D),
			Change: func(o *O) { o.Running.Reached = false }},
		{Scenario: "tasks-and-plans/listed", What: "cannot be read after it", Want: "blocked",
			Change: func(o *O) { o.After.Plan = x.Reply(503, doc{}) }},

		{Scenario: "tasks-and-plans/not-running", What: "honest", Want: "passed"},
		{Scenario: "tasks-and-plans/not-running", What: "blocks it", Want: "noted",
			Change: func(o *O) { o.During.Pending = task("blocked", nil) }},
		{Scenario: "tasks-and-plans/not-running", What: "was never blocked", Change: nothing, Want: "lacking"},

		{Scenario: "tasks-and-plans/orders", What: "honest", Want: "passed"},
		{Scenario: "tasks-and-plans/orders", What: "does not block", Want: openintent.OIPREAD2,
			Change: func(o *O) { o.Blocked.Reached = false }},
		{Scenario: "tasks-and-plans/orders", What: "does not run again", Want: openintent.OIPREAD2,
			Change: func(o *O) { o.Running.Reached = false }},
		{Scenario: "tasks-and-plans/orders", What: "does not block in the usual order", Want: suitetest.Violates(openintent.OIP0026R3),
			Change: func(o *O) { o.Blocked.Reached, o.Usual.Reached = false, false }},
	})
}

func TestJudgesOfPortfolios(t *testing.T) {
	x := suitetest.Minter{T: t}
	type O = containers.PortfolioObservation
	at := func(count int, more doc) host.Watched {
		status := map[bool]string{true: suitetest.Waits, false: "active"}[count > 0]
		return host.Watched{Portfolio: x.Ok(suitetest.With(doc{"id": "f", "name": "n", "status": "active",
			"has_suspended_members": count > 0, "suspended_member_count": count,
			"aggregate_status": doc{"status": "in_progress"}}, more)),
			Members: x.Ok([]any{doc{"id": "m1", "status": status}})}
	}
	told := func(kind string, n int) (out []doc) {
		for i := range n {
			out = append(out, happened(i, kind, doc{"intent_id": "m1"}))
		}
		return out
	}
	honest := func(x suitetest.Minter) O {
		return O{FirstID: "m1", Before: at(0, nil), First: x.Suspension(nil), One: at(1, nil), Barrier: x.Barrier(),
			Second: x.Suspension(nil), Two: at(2, nil), After: at(0, nil),
			MemberLog: x.Log(), FolderLog: x.Log(append(told("portfolio.member_suspended", 1), told("portfolio.member_resumed", 1)...)...)}
	}
	bare := func(more doc) host.Watched {
		return host.Watched{Portfolio: x.Ok(suitetest.With(doc{"id": "f", "name": "n", "status": "active"}, more)), Members: x.Ok([]any{})}
	}
	unflagged := func(o *O) { o.Before, o.One, o.Two, o.After = bare(nil), bare(nil), bare(nil), bare(nil) }
	below := func(n int) host.Watched {
		return bare(doc{"aggregate_status": doc{"has_suspended_members": n > 0, "suspended_member_count": n}})
	}
	streamed := func(kind string, n int) host.Stream {
		out := host.Stream{Opened: true, Status: wiretest.Status(t, 200)}
		for range n {
			out.Types = append(out.Types, wiretest.Value(t, `"`+kind+`"`))
			out.Data = append(out.Data, wiretest.Value(t, doc{"intent_id": "m1"}))
		}
		return out
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "portfolios/flag", What: "honest", Want: "passed"},
		{Scenario: "portfolios/flag", What: "below the aggregate", Want: "noted",
			Change: func(o *O) { o.Before, o.One, o.Two, o.After = below(0), below(1), below(2), below(0) }},
		{Scenario: "portfolios/flag", What: "says false", Want: openintent.OIP0026R4B,
			Change: func(o *O) { o.One = at(1, doc{"has_suspended_members": false}) }},
		{Scenario: "portfolios/flag", What: "says true for ever", Want: openintent.OIP0026R4B,
			Change: func(o *O) { o.After = at(0, doc{"has_suspended_members": true}) }},
		{Scenario: "portfolios/flag", What: "none", Change: unflagged, Want: "not there"},

		{Scenario: "portfolios/count", What: "honest", Want: "passed"},
		{Scenario: "portfolios/count", What: "counts one of two", Want: openintent.OIP0026R4C,
			Change: func(o *O) { o.Two = at(1, nil) }},
		{Scenario: "portfolios/count", What: "counts for ever", Want: openintent.OIP0026R4C,
			Change: func(o *O) { o.After = at(2, nil) }},
		{Scenario: "portfolios/count", What: "none", Change: unflagged, Want: "not there"},

		{Scenario: "portfolios/member-twice", What: "honest", Want: "passed"},
		{Scenario: "portfolios/member-twice", What: "counts two", Want: openintent.OIPREAD6,
			Change: func(o *O) { o.One = at(2, nil) }},
		{Scenario: "portfolios/member-twice", What: "none", Change: unflagged, Want: "not there"},

		{Scenario: "portfolios/intent-local", What: "honest", Want: "passed"},
		{Scenario: "portfolios/intent-local", What: "turns suspended", Want: openintent.OIP0026R1C,
			Change: func(o *O) { o.Two = at(2, doc{"status": suitetest.Waits}) }},
		{Scenario: "portfolios/intent-local", What: "its aggregate turns suspended", Want: openintent.OIP0026R1C,
			Change: func(o *O) { o.One = at(1, doc{"aggregate_status": "suspended"}) }},
		{Scenario: "portfolios/intent-local", What: "shows no status of its own", Want: "blocked", Change: func(o *O) {
			o.Before.Portfolio = x.Ok(doc{"id": "p"})
		}},
		{Scenario: "portfolios/intent-local", What: "shows nothing of its member", Change: unflagged, Want: "not there"},

		{Scenario: "portfolios/added", What: "honest", Want: "passed"},
		{Scenario: "portfolios/added", What: "drops a member", Want: openintent.OIP0026L5,
			Change: func(o *O) { o.Before = at(0, doc{"description": "d"}) }},
		{Scenario: "portfolios/added", What: "another name", Want: openintent.OIP0026L5,
			Change: func(o *O) { o.One = at(1, doc{"name": "x"}) }},

		{Scenario: "portfolios/event-suspended", What: "honest", Want: "passed"},
		{Scenario: "portfolios/event-suspended", What: "on the stream alone", Want: "passed",
			Change: func(o *O) { o.FolderLog, o.Stream = x.Log(), streamed("portfolio.member_suspended", 1) }},
		{Scenario: "portfolios/event-suspended", What: "twice", Want: openintent.OIP0026X1,
			Change: func(o *O) { o.FolderLog = x.Log(told("portfolio.member_suspended", 2)...) }},
		{Scenario: "portfolios/event-suspended", What: "twice on the stream", Want: openintent.OIP0026X1,
			Change: func(o *O) { o.Stream = streamed("portfolio.member_suspended", 2) }},
		{Scenario: "portfolios/event-suspended", What: "nowhere", Want: "not there",
			Change: func(o *O) { o.FolderLog = x.Log() }},

		{Scenario: "portfolios/event-resumed", What: "honest", Want: "passed"},
		{Scenario: "portfolios/event-resumed", What: "twice", Want: openintent.OIP0026X2,
			Change: func(o *O) { o.MemberLog = x.Log(told("portfolio.member_resumed", 2)...) }},
		{Scenario: "portfolios/event-resumed", What: "of another member", Want: "not there",
			Change: func(o *O) { o.FirstID = "m9" }},
	})
}

func TestJudgesOfAggregates(t *testing.T) {
	x := suitetest.Minter{T: t}
	type O = containers.AggregatesObservation
	says := func(word string) host.Reply {
		return x.Ok(doc{"status": "active", "aggregate_status": doc{"status": word}})
	}
	honest := func(suitetest.Minter) O {
		return O{Completed: says("completed"), Failed: says("failed"), Progress: says("in_progress"), Abandoned: says("failed")}
	}
	without := func(o *O) {
		r := x.Ok(doc{"status": "active"})
		*o = O{Completed: r, Failed: r, Progress: r, Abandoned: r}
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "portfolios/all-completed", What: "honest", Want: "passed"},
		{Scenario: "portfolios/all-completed", What: "the word itself", Want: "noted",
			Change: func(o *O) { o.Completed = x.Ok(doc{"aggregate_status": "completed"}) }},
		{Scenario: "portfolios/all-completed", What: "in progress for ever", Want: openintent.OIP0026R4D,
			Change: func(o *O) { o.Completed = says("in_progress") }},
		{Scenario: "portfolios/all-completed", What: "no aggregate", Change: without, Want: "not there"},
		{Scenario: "portfolios/one-abandoned", What: "honest", Want: "passed"},
		{Scenario: "portfolios/one-abandoned", What: "the one that waits wins", Want: openintent.OIP0026R4E,
			Change: func(o *O) { o.Failed = says("in_progress") }},
		{Scenario: "portfolios/one-abandoned", What: "counts it as completed", Want: openintent.OIP0026R4E,
			Change: func(o *O) { o.Abandoned = says("completed") }},
		{Scenario: "portfolios/in-progress", What: "honest", Want: "passed"},
		{Scenario: "portfolios/in-progress", What: "suspended", Want: openintent.OIP0026R4F,
			Change: func(o *O) { o.Progress = says("suspended") }},
		{Scenario: "portfolios/in-progress", What: "completed", Want: openintent.OIP0026R4F,
			Change: func(o *O) { o.Progress = says("completed") }},
	})
}

func TestJudgesOfPhases(t *testing.T) {
	x := suitetest.Minter{T: t}
	type O = containers.PhasesObservation
	entry := doc{"phase_name": "review", "intent_id": "i", "suspended_since": suitetest.Began, "expires_at": "2026-11-22T11:00:00Z"}
	at := func(entries ...any) host.Watched {
		return host.Watched{Portfolio: x.Ok(doc{"progress": doc{"suspended_phases": append([]any{}, entries...)}})}
	}
	honest := func(x suitetest.Minter) O {
		return O{Names: []string{"review", "title"}, IntentID: "i",
			Suspension: x.Suspension(doc{"expires_at": "2026-11-22T11:00:00Z"}), During: at(entry),
			Workflow: x.Reply(404, doc{}), Answer: x.Ok(doc{}), After: at(), Ended: x.Reply(404, doc{})}
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "portfolios/suspended-phases", What: "honest", Want: "passed"},
		{Scenario: "portfolios/suspended-phases", What: "no list", Want: "not there",
			Change: func(o *O) { o.During = host.Watched{Portfolio: x.Ok(doc{})} }},
		{Scenario: "portfolios/suspended-phases", What: "lists nothing", Want: openintent.OIP0026R4I,
			Change: func(o *O) { o.During = at() }},
		{Scenario: "portfolios/suspended-phases", What: "lists it for ever", Want: openintent.OIP0026R4I,
			Change: func(o *O) { o.After = at(entry) }},
		{Scenario: "portfolios/suspended-phases", What: "another name", Want: openintent.OIP0026R4J,
			Change: func(o *O) { o.During = at(suitetest.With(entry, doc{"phase_name": "x"})) }},
	})
}

func TestJudgesOfDeadlines(t *testing.T) {
	x := suitetest.Minter{T: t}
	type O = deadline.DeadlineObservation
	ended := func(state doc, reason any) host.Reply {
		return x.Ok(doc{"id": "i", "status": "abandoned", "state": doc{"_suspension": state}, "abandonment_reason": reason})
	}
	expired := happened(2, "intent.suspension_expired", doc{"reason": "portfolio_deadline"})
	const why = "portfolio_deadline_exceeded"
	honest := func(x suitetest.Minter) O {
		return O{Suspension: x.Suspension(nil), Fallback: "FB", Before: x.Is(suitetest.Waits),
			Ended: x.Reached(true, "abandoned"), Then: ended(doc{"resolution": "expired"}, why),
			Log: x.Log(expired, happened(2, "status_changed", doc{"status": "abandoned"})), Late: x.Reply(409, doc{}),
			After: ended(doc{}, why), Control: x.Reached(true, suitetest.Waits)}
	}
	nothing := func(o *O) { o.Ended, o.Then, o.Log = x.Reached(false, suitetest.Waits), x.Is(suitetest.Waits), x.Log() }
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "deadline/abandons", What: "honest", Want: "passed"},
		{Scenario: "deadline/abandons", What: "nothing happens", Change: nothing, Want: "not there"},
		{Scenario: "deadline/abandons", What: "goes on with the fallback", Want: openintent.OIP0026R5,
			Change: func(o *O) { o.Ended, o.Then = x.Reached(false, "active"), x.Is("active") }},
		{Scenario: "deadline/abandons", What: "tells, and does not end it", Want: openintent.OIP0026R5,
			Change: func(o *O) { o.Ended, o.Then = x.Reached(false, suitetest.Waits), x.Is(suitetest.Waits) }},
		{Scenario: "deadline/abandons", What: "ends the other one too", Want: "blocked",
			Change: func(o *O) { o.Control.Reached = false }},
		{Scenario: "deadline/abandons", What: "had ended it before", Want: "blocked",
			Change: func(o *O) { o.Before = x.Is("abandoned") }},

		{Scenario: "deadline/bypasses-fallback", What: "honest", Want: "passed"},
		{Scenario: "deadline/bypasses-fallback", What: "applies it", Want: openintent.OIP0026R5B,
			Change: func(o *O) { o.Then = ended(doc{"response": "FB"}, why) }},
		{Scenario: "deadline/bypasses-fallback", What: "takes an answer", Want: openintent.OIP0026R5B,
			Change: func(o *O) { o.Late = x.Ok(doc{}) }},
		{Scenario: "deadline/bypasses-fallback", What: "lets it go on", Want: openintent.OIP0026R5B,
			Change: func(o *O) { o.After = x.Is("active") }},
		{Scenario: "deadline/bypasses-fallback", What: "nothing happens", Change: nothing, Want: "lacking"},

		{Scenario: "deadline/reason", What: "honest", Want: "passed"},
		{Scenario: "deadline/reason", What: "in the event", Change: func(o *O) {
			o.Then, o.Log = x.Is("abandoned"), x.Log(expired, happened(2, "status_changed", doc{"status": "abandoned", "abandonment_reason": why}))
		}, Want: "noted"},
		{Scenario: "deadline/reason", What: "none", Want: openintent.OIP0026R5C,
			Change: func(o *O) { o.Then = x.Is("abandoned") }},
		{Scenario: "deadline/reason", What: "another", Want: openintent.OIP0026R5C,
			Change: func(o *O) { o.Then = ended(doc{}, "timeout") }},

		{Scenario: "deadline/audited", What: "honest", Want: "passed"},
		{Scenario: "deadline/audited", What: "silent", Change: func(o *O) { o.Log = x.Log() }, Want: openintent.OIP0026R5D},
		{Scenario: "deadline/audited", What: "twice", Want: openintent.OIP0026R5D,
			Change: func(o *O) { o.Log = x.Log(expired, expired) }},
		{Scenario: "deadline/audited", What: "another reason", Change: func(o *O) {
			o.Log = x.Log(happened(2, "intent.suspension_expired", doc{"reason": "timeout"}))
		}, Want: openintent.OIP0026R5D},
	})
}

func TestJudgesOfClaims(t *testing.T) {
	x := suitetest.Minter{T: t}
	type O = inputs.ClaimObservation
	refusal := doc{"detail": doc{"error": "upstream_intent_suspended", "suspended_intent_id": "u77", "expected_resume_at": suitetest.Began}}
	honest := func(x suitetest.Minter) O {
		return O{UpstreamID: "u77", Suspension: x.Suspension(doc{"expires_at": suitetest.Began}), Before: x.Is("blocked"),
			Refused: x.Reply(409, refusal), After: x.Is("blocked"), Answer: x.Ok(doc{}), Finished: x.Reached(true, "completed"),
			Granted: x.Ok(doc{}), Plain: x.Ok(doc{})}
	}
	grants := func(o *O) { o.Refused = x.Ok(doc{"id": "l"}) }
	other := func(o *O) {
		o.Refused = x.Reply(422, doc{"detail": doc{"error": "UnresolvableInputError"}})
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "claims/refused", What: "honest", Want: "passed"},
		{Scenario: "claims/refused", What: "grants it", Change: grants, Want: openintent.OIP0026V1},
		{Scenario: "claims/refused", What: "crashes", Want: openintent.OIP0026V1,
			Change: func(o *O) { o.Refused = x.Reply(500, doc{}) }},
		{Scenario: "claims/refused", What: "grants nothing ever", Want: suitetest.Violates(openintent.OIP00241),
			Change: func(o *O) { o.Granted = x.Reply(422, doc{}) }},
		{Scenario: "claims/refused", What: "is too busy then", Want: "blocked",
			Change: func(o *O) { o.Granted = x.Reply(429, doc{}) }},
		{Scenario: "claims/refused", What: "grants nothing, the upstream is not completed", Want: "blocked",
			Change: func(o *O) { o.Granted, o.Finished.Reached = x.Reply(409, doc{}), false }},
		{Scenario: "claims/says-why", What: "honest", Want: "passed"},
		{Scenario: "claims/says-why", What: "names the exception", Change: func(o *O) {
			o.Refused = x.Reply(422, doc{"error": doc{"type": "UpstreamIntentSuspendedError", "intent": "u77"}})
		}, Want: "passed"},
		{Scenario: "claims/says-why", What: "another reason", Change: other, Want: openintent.OIP0026V2},
		{Scenario: "claims/says-why", What: "names no intent", Want: openintent.OIP0026V3,
			Change: func(o *O) { o.Refused = x.Reply(409, doc{"error": "upstream_intent_suspended"}) }},
		{Scenario: "claims/says-why", What: "grants it", Change: grants, Want: suitetest.Violates(openintent.OIP0026V1)},
		{Scenario: "claims/resume-at", What: "honest", Want: "passed"},
		{Scenario: "claims/resume-at", What: "null", Change: func(o *O) {
			o.Refused = x.Reply(409, doc{"error": "upstream_intent_suspended", "expected_resume_at": nil})
		}, Want: "noted"},
		{Scenario: "claims/resume-at", What: "null, for a record without an end", Change: func(o *O) {
			o.Suspension, o.Refused = x.Suspension(nil), x.Reply(409, doc{"error": "upstream_intent_suspended"})
		}, Want: "passed"},
		{Scenario: "claims/resume-at", What: "no time", Change: func(o *O) {
			o.Refused = x.Reply(409, suitetest.With(refusal, doc{"expected_resume_at": "soon"}))
		}, Want: "noted"},
		{Scenario: "claims/resume-at", What: "too busy", Want: "blocked", Change: func(o *O) { o.Refused = x.Reply(429, doc{}) }},
		{Scenario: "claims/resume-at", What: "another reason", Change: other, Want: suitetest.Violates(openintent.OIP0026V2)},
		{Scenario: "claims/granted", What: "honest", Want: "passed"},
		{Scenario: "claims/granted", What: "moves it", Want: openintent.OIP0026V5,
			Change: func(o *O) { o.After = x.Is("failed") }},
		{Scenario: "claims/granted", What: "refuses it later", Want: openintent.OIP0026V5,
			Change: func(o *O) { o.Granted = x.Reply(422, doc{}) }},
		{Scenario: "claims/granted", What: "the upstream is not completed", Want: "blocked",
			Change: func(o *O) { o.Finished.Reached = false }},
	})
}

func TestJudgesOfConfigurations(t *testing.T) {
	x := suitetest.Minter{T: t}
	type O = config.ConfigObservation
	none, some := doc{"suspension": doc{"default_retry_policy": nil}},
		doc{"suspension": doc{"default_retry_policy": doc{"max_attempts": 3, "interval_seconds": 60}}}
	no := func(int) []host.Reply {
		return []host.Reply{x.Reply(405, doc{}), x.Reply(405, doc{}), x.Reply(403, doc{})}
	}
	honest := func(x suitetest.Minter) O {
		return O{Keyless: x.Ok(none), Keyed: x.Ok(none), Writes: no(0), After: x.Ok(none)}
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "config/readable", What: "honest", Want: "passed"},
		{Scenario: "config/readable", What: "a policy", Want: "passed",
			Change: func(o *O) { o.Keyed, o.Keyless = x.Ok(some), x.Ok(some) }},
		{Scenario: "config/readable", What: "asks for a key (OIP-R125)", Want: "noted",
			Change: func(o *O) { o.Keyless = x.Reply(401, doc{}) }},
		{Scenario: "config/readable", What: "is refused with a key, too", Want: openintent.OIP0026D4,
			Change: func(o *O) { o.Keyed, o.Keyless = x.Reply(403, doc{}), x.Reply(403, doc{}) }},
		{Scenario: "config/readable", What: "shows another one without a key", Want: openintent.OIP0026D4,
			Change: func(o *O) { o.Keyless = x.Ok(doc{}) }},
		{Scenario: "config/readable", What: "a strategy that only release notes know (OIP-R11)", Want: "noted", Change: func(o *O) {
			o.Keyed = x.Ok(doc{"suspension": doc{"default_retry_policy": doc{"max_attempts": 3, "strategy": "linear"}}})
		}},
		{Scenario: "config/readable", What: "a strategy that is no text", Want: openintent.OIP0026D4, Change: func(o *O) {
			o.Keyed = x.Ok(doc{"suspension": doc{"default_retry_policy": doc{"max_attempts": 3, "strategy": 7}}})
		}},
		{Scenario: "config/readable", What: "says nothing", Want: openintent.OIP0026D4,
			Change: func(o *O) { o.Keyed = x.Ok(doc{}) }},
		{Scenario: "config/readable", What: "no policy", Change: func(o *O) {
			o.Keyed = x.Ok(doc{"suspension": doc{"default_retry_policy": doc{"max_attempts": "many"}}})
		}, Want: openintent.OIP0026D4},
		{Scenario: "config/read-only", What: "honest", Want: "passed"},
		{Scenario: "config/read-only", What: "takes a write", Want: openintent.OIP0026D5,
			Change: func(o *O) { o.Writes[0] = x.Ok(none) }},
		{Scenario: "config/read-only", What: "refuses and changes", Want: openintent.OIP0026D5,
			Change: func(o *O) { o.After = x.Ok(some) }},
		{Scenario: "config/read-only", What: "cannot be read", Change: func(o *O) { o.Keyed = x.Reply(503, doc{}) }, Want: "blocked"},
		{Scenario: "config/read-only", What: "has no policy",
			Change: func(o *O) { o.Keyed = x.Ok(doc{}) }, Want: suitetest.Violates(openintent.OIP0026D4)},
	})
}

func TestJudgesOfStreams(t *testing.T) {
	x := suitetest.Minter{T: t}
	type O = streams.StreamedObservation
	stream := func(kinds ...string) host.Stream {
		out := host.Stream{Opened: true, Status: wiretest.Status(t, 200)}
		for _, k := range kinds {
			out.Types, out.Data = append(out.Types, wiretest.Value(t, `"`+k+`"`)), append(out.Data, wiretest.Value(t, doc{"x": 1}))
		}
		return out
	}
	const reminder, step = "intent.suspension_renotified", "intent.suspension_escalated"
	made := happened(0, "intent_created", doc{})
	honest := func(x suitetest.Minter) O {
		return O{Suspension: x.Suspension(nil), Before: x.Log(made), Log: x.Log(made, happened(1, "intent.resumed", doc{}),
			happened(2, reminder, doc{}), happened(3, reminder, doc{}), happened(4, step, doc{})),
			Stream: stream("intent.resumed", reminder, step, reminder, "more.than.the.log")}
	}
	untyped := func(o *O) {
		o.Stream.Types[0], o.Stream.Data[0] = wire.Value{}, wiretest.Value(t, doc{"event_type": "intent.resumed"})
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "streams/as-the-log", What: "honest", Want: "passed"},
		{Scenario: "streams/as-the-log", What: "the type is in the event", Change: untyped, Want: "passed"},
		{Scenario: "streams/as-the-log", What: "loses one", Want: "noted",
			Change: func(o *O) { o.Stream = stream(reminder, step, reminder) }},
		{Scenario: "streams/as-the-log", What: "sends one twice", Want: "noted",
			Change: func(o *O) { o.Stream = stream("intent.resumed", "intent.resumed", reminder, step, reminder) }},
		{Scenario: "streams/as-the-log", What: "loses one while it is broken off", Want: "blocked",
			Change: func(o *O) { o.Stream = stream(reminder, step, reminder); o.Stream.Broke = 1 }},
		{Scenario: "streams/as-the-log", What: "broke off and lost nothing", Want: "passed",
			Change: func(o *O) { o.Stream.Broke = 3 }},
		{Scenario: "streams/as-the-log", What: "the log has none", Want: "blocked",
			Change: func(o *O) { o.Log = x.Log(made) }},
		{Scenario: "streams/as-the-log", What: "neither log nor stream has one", Want: suitetest.Violates(openintent.OIP0025A14),
			Change: func(o *O) { o.Log, o.Stream = x.Log(made), stream() }},
		{Scenario: "streams/as-the-log", What: "no event has an id", Want: "blocked", Change: func(o *O) {
			none := doc{"event_type": "intent.resumed", "created_at": suitetest.Began}
			o.Before, o.Log = x.Log(none), x.Log(none, none)
		}},
		{Scenario: "streams/reminders", What: "the stream alone has them", Want: "blocked", Change: func(o *O) { o.Log = x.Log(made) }},
		{Scenario: "streams/reminders", What: "honest", Want: "passed"},
		{Scenario: "streams/reminders", What: "loses one", Want: "noted",
			Change: func(o *O) { o.Stream = stream("intent.resumed", reminder, step) }},
		{Scenario: "streams/reminders", What: "loses the step", Want: "noted",
			Change: func(o *O) { o.Stream = stream("intent.resumed", reminder, reminder) }},
		{Scenario: "streams/reminders", What: "nobody is reminded", Want: "not there",
			Change: func(o *O) { o.Log, o.Stream = x.Log(made), stream() }},
	})
}
