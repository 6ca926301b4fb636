package containers_test

import (
	"testing"

	"github.com/openassay/assay/gen/openintentv1"
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

func TestJudgesOfTasks(t *testing.T) {
	x := suitetest.Teller{T: t}
	type O = containers.TasksObservation
	task := func(status string, more suitetest.Doc) host.Reply {
		return x.Ok(suitetest.With(suitetest.Doc{"id": "t", "status": status}, more))
	}
	entry := suitetest.Doc{"task_id": "t", "intent_id": "i", "suspended_since": suitetest.Began, "expires_at": "2026-11-22T11:00:00"}
	plan := func(entries ...any) host.Reply {
		return x.Ok(suitetest.Doc{"id": "p", "state": "active", "progress": suitetest.Doc{"suspended_tasks": append([]any{}, entries...)}})
	}
	byUs := suitetest.Doc{"blocked_reason": "intent_suspended", "suspended_intent_id": "i"}
	honest := func(x suitetest.Teller) O {
		other := task("blocked", suitetest.Doc{"blocked_reason": "escalation"})
		return O{TaskID: "t", IntentID: "i", Suspension: x.Suspension(suitetest.Doc{"expires_at": "2026-11-22T11:00:00Z"}), Usual: x.Reached(true, "blocked"),
			Before:  containers.Planned{Plan: plan(), Progress: x.Said(404, suitetest.Doc{}), Task: task("running", nil), Pending: task("pending", nil), Other: other},
			Blocked: x.Reached(true, "blocked"), During: containers.Planned{Plan: plan(entry), Progress: x.Said(404, suitetest.Doc{}), Task: task("blocked", byUs), Pending: task("pending", nil), Other: other},
			Barrier: x.Barrier(), Answer: x.Ok(suitetest.Doc{}), Resumed: x.Reached(true, "active"), Running: x.Reached(true, "running"),
			After: containers.Planned{Plan: plan(), Progress: x.Said(404, suitetest.Doc{}), Task: task("running", suitetest.Doc{"blocked_reason": nil}), Pending: task("pending", nil), Other: other}}
	}
	nothing := func(o *O) { o.Blocked, o.During.Task = x.Reached(false, "running"), task("running", nil) }
	half := func(o *O) { o.Blocked, o.During.Task = x.Reached(false, "running"), task("running", byUs) }
	lists := func(e ...any) func(*O) { return func(o *O) { o.During.Plan = plan(e...) } }
	none := func(o *O) { o.During.Plan = x.Ok(suitetest.Doc{"id": "p", "state": "active"}) }
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "tasks-and-plans/blocked", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "tasks-and-plans/blocked", What: "names the intent in its metadata", Change: func(o *O) {
			o.During.Task = task("blocked", suitetest.Doc{"blocked_reason": "intent_suspended", "task_metadata": suitetest.Doc{"suspended_intent_id": "i"}})
		}, Want: "noted"},
		{Scenario: "tasks-and-plans/blocked", What: "nothing happens", Change: nothing, Want: "not there"},
		{Scenario: "tasks-and-plans/blocked", What: "says so and runs on", Change: half, Want: openintentv1.OIP0026R3},
		{Scenario: "tasks-and-plans/blocked", What: "no reason", Change: func(o *O) { o.During.Task = task("blocked", suitetest.Doc{"suspended_intent_id": "i"}) }, Want: openintentv1.OIP0026R3B},
		{Scenario: "tasks-and-plans/blocked", What: "no intent", Change: func(o *O) { o.During.Task = task("blocked", suitetest.Doc{"blocked_reason": "intent_suspended"}) }, Want: openintentv1.OIP0026R3C},
		{Scenario: "tasks-and-plans/blocked", What: "another intent", Change: func(o *O) {
			o.During.Task = task("blocked", suitetest.With(byUs, suitetest.Doc{"suspended_intent_id": "x"}))
		}, Want: openintentv1.OIP0026R3C},

		{Scenario: "tasks-and-plans/runs-again", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "tasks-and-plans/runs-again", What: "stays blocked", Change: func(o *O) { o.Running = x.Reached(false, "blocked") }, Want: openintentv1.OIP0026R3D},
		{Scenario: "tasks-and-plans/runs-again", What: "keeps the reason", Change: func(o *O) { o.After.Task = task("running", byUs) }, Want: openintentv1.OIP0026R3D},
		{Scenario: "tasks-and-plans/runs-again", What: "was never blocked", Change: nothing, Want: "lacking"},

		{Scenario: "tasks-and-plans/listed", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "tasks-and-plans/listed", What: "at the plan itself", Change: func(o *O) {
			o.During.Plan, o.After.Plan = x.Ok(suitetest.Doc{"suspended_tasks": []any{entry}}), x.Ok(suitetest.Doc{"suspended_tasks": []any{}})
		}, Want: "noted"},
		{Scenario: "tasks-and-plans/listed", What: "no list", Change: none, Want: "not there"},
		{Scenario: "tasks-and-plans/listed", What: "lists nothing", Change: lists(), Want: openintentv1.OIP0026R4G},
		{Scenario: "tasks-and-plans/listed", What: "lists it for ever", Change: func(o *O) { o.After.Plan = plan(entry) }, Want: openintentv1.OIP0026R4G},
		{Scenario: "tasks-and-plans/listed", What: "another intent", Change: lists(suitetest.With(entry, suitetest.Doc{"intent_id": "x"})), Want: openintentv1.OIP0026R4H},
		{Scenario: "tasks-and-plans/listed", What: "another end", Change: lists(suitetest.With(entry, suitetest.Doc{"expires_at": suitetest.Began})), Want: openintentv1.OIP0026R4H},
		{Scenario: "tasks-and-plans/listed", What: "another beginning", Change: lists(suitetest.With(entry, suitetest.Doc{"suspended_since": "2026-11-22T09:00:00"})), Want: openintentv1.OIP0026R4H},

		{Scenario: "tasks-and-plans/intent-local", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "tasks-and-plans/intent-local", What: "turns paused", Change: func(o *O) { o.During.Plan = x.Ok(suitetest.Doc{"state": "paused"}) }, Want: "passed"},
		{Scenario: "tasks-and-plans/intent-local", What: "turns suspended", Change: func(o *O) { o.During.Plan = x.Ok(suitetest.Doc{"state": suitetest.Waits}) }, Want: openintentv1.OIP0026R1B},
		{Scenario: "tasks-and-plans/intent-local", What: "has no state", Change: func(o *O) { o.During.Plan = x.Said(404, suitetest.Doc{}) }, Want: openintentv1.OIP0026R1B},
		{Scenario: "tasks-and-plans/intent-local", What: "watches nothing", Change: nothing, Want: "lacking"},

		{Scenario: "tasks-and-plans/added", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "tasks-and-plans/added", What: "drops the id", Change: func(o *O) {
			o.During.Plan = x.Ok(suitetest.Doc{"state": "active", "progress": suitetest.Doc{"suspended_tasks": []any{entry}}})
		}, Want: openintentv1.OIP0026L6},
		{Scenario: "tasks-and-plans/added", What: "no list", Change: none, Want: "not there"},

		{Scenario: "tasks-and-plans/other-reason", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "tasks-and-plans/other-reason", What: "sets it running", Change: func(o *O) { o.After.Other = task("running", nil) }, Want: "noted"},
		{Scenario: "tasks-and-plans/other-reason", What: "changes the reason", Change: func(o *O) { o.After.Other = task("blocked", suitetest.Doc{"blocked_reason": ""}) }, Want: "noted"},

		{Scenario: "tasks-and-plans/not-running", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "tasks-and-plans/not-running", What: "blocks it", Change: func(o *O) { o.During.Pending = task("blocked", nil) }, Want: "noted"},
		{Scenario: "tasks-and-plans/not-running", What: "was never blocked", Change: nothing, Want: "lacking"},

		{Scenario: "tasks-and-plans/orders", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "tasks-and-plans/orders", What: "does not block", Change: func(o *O) { o.Blocked.Reached = false }, Want: openintentv1.OIPREAD2},
		{Scenario: "tasks-and-plans/orders", What: "does not run again", Change: func(o *O) { o.Running.Reached = false }, Want: openintentv1.OIPREAD2},
		{Scenario: "tasks-and-plans/orders", What: "does not block in the usual order", Change: func(o *O) { o.Blocked.Reached, o.Usual.Reached = false, false }, Want: "blocked"},
	})
}

func TestJudgesOfPortfolios(t *testing.T) {
	x := suitetest.Teller{T: t}
	type O = containers.PortfolioObservation
	at := func(count int, more suitetest.Doc) host.Watched {
		status := map[bool]string{true: suitetest.Waits, false: "active"}[count > 0]
		return host.Watched{Portfolio: x.Ok(suitetest.With(suitetest.Doc{"id": "f", "name": "n", "status": "active", "has_suspended_members": count > 0, "suspended_member_count": count, "aggregate_status": suitetest.Doc{"status": "in_progress"}}, more)),
			Members: x.Ok([]any{suitetest.Doc{"id": "m1", "status": status}})}
	}
	told := func(kind string, n int) (out []suitetest.Doc) {
		for i := range n {
			out = append(out, suitetest.Happened(i, kind, suitetest.Doc{"intent_id": "m1"}))
		}
		return out
	}
	honest := func(x suitetest.Teller) O {
		return O{FirstID: "m1", Before: at(0, nil), First: x.Suspension(nil), One: at(1, nil), Barrier: x.Barrier(), Second: x.Suspension(nil), Two: at(2, nil), After: at(0, nil),
			MemberLog: x.Log(), FolderLog: x.Log(append(told("portfolio.member_suspended", 1), told("portfolio.member_resumed", 1)...)...)}
	}
	bare := func(more suitetest.Doc) host.Watched {
		return host.Watched{Portfolio: x.Ok(suitetest.With(suitetest.Doc{"id": "f", "name": "n", "status": "active"}, more)), Members: x.Ok([]any{})}
	}
	unflagged := func(o *O) { o.Before, o.One, o.Two, o.After = bare(nil), bare(nil), bare(nil), bare(nil) }
	below := func(n int) host.Watched {
		return bare(suitetest.Doc{"aggregate_status": suitetest.Doc{"has_suspended_members": n > 0, "suspended_member_count": n}})
	}
	streamed := func(kind string, n int) host.Stream {
		out := host.Stream{Opened: true, Status: wiretest.Status(t, 200)}
		for range n {
			out.Types = append(out.Types, wiretest.Value(t, `"`+kind+`"`))
			out.Data = append(out.Data, wiretest.Value(t, suitetest.Doc{"intent_id": "m1"}))
		}
		return out
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "portfolios/flag", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "portfolios/flag", What: "below the aggregate", Change: func(o *O) { o.Before, o.One, o.Two, o.After = below(0), below(1), below(2), below(0) }, Want: "noted"},
		{Scenario: "portfolios/flag", What: "says false", Change: func(o *O) { o.One = at(1, suitetest.Doc{"has_suspended_members": false}) }, Want: openintentv1.OIP0026R4B},
		{Scenario: "portfolios/flag", What: "says true for ever", Change: func(o *O) { o.After = at(0, suitetest.Doc{"has_suspended_members": true}) }, Want: openintentv1.OIP0026R4B},
		{Scenario: "portfolios/flag", What: "none", Change: unflagged, Want: "not there"},

		{Scenario: "portfolios/count", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "portfolios/count", What: "counts one of two", Change: func(o *O) { o.Two = at(1, nil) }, Want: openintentv1.OIP0026R4C},
		{Scenario: "portfolios/count", What: "counts for ever", Change: func(o *O) { o.After = at(2, nil) }, Want: openintentv1.OIP0026R4C},
		{Scenario: "portfolios/count", What: "none", Change: unflagged, Want: "not there"},

		{Scenario: "portfolios/member-twice", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "portfolios/member-twice", What: "counts two", Change: func(o *O) { o.One = at(2, nil) }, Want: openintentv1.OIPREAD6},
		{Scenario: "portfolios/member-twice", What: "none", Change: unflagged, Want: "not there"},

		{Scenario: "portfolios/intent-local", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "portfolios/intent-local", What: "turns suspended", Change: func(o *O) { o.Two = at(2, suitetest.Doc{"status": suitetest.Waits}) }, Want: openintentv1.OIP0026R1C},
		{Scenario: "portfolios/intent-local", What: "its aggregate turns suspended", Change: func(o *O) { o.One = at(1, suitetest.Doc{"aggregate_status": "suspended"}) }, Want: openintentv1.OIP0026R1C},
		{Scenario: "portfolios/intent-local", What: "shows nothing of its member", Change: unflagged, Want: "not there"},

		{Scenario: "portfolios/added", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "portfolios/added", What: "drops a member", Change: func(o *O) { o.Before = at(0, suitetest.Doc{"description": "d"}) }, Want: openintentv1.OIP0026L5},
		{Scenario: "portfolios/added", What: "another name", Change: func(o *O) { o.One = at(1, suitetest.Doc{"name": "x"}) }, Want: openintentv1.OIP0026L5},

		{Scenario: "portfolios/event-suspended", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "portfolios/event-suspended", What: "on the stream alone", Change: func(o *O) { o.FolderLog, o.Stream = x.Log(), streamed("portfolio.member_suspended", 1) }, Want: "passed"},
		{Scenario: "portfolios/event-suspended", What: "twice", Change: func(o *O) { o.FolderLog = x.Log(told("portfolio.member_suspended", 2)...) }, Want: openintentv1.OIP0026X1},
		{Scenario: "portfolios/event-suspended", What: "twice on the stream", Change: func(o *O) { o.Stream = streamed("portfolio.member_suspended", 2) }, Want: openintentv1.OIP0026X1},
		{Scenario: "portfolios/event-suspended", What: "nowhere", Change: func(o *O) { o.FolderLog = x.Log() }, Want: "not there"},

		{Scenario: "portfolios/event-resumed", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "portfolios/event-resumed", What: "twice", Change: func(o *O) { o.MemberLog = x.Log(told("portfolio.member_resumed", 2)...) }, Want: openintentv1.OIP0026X2},
		{Scenario: "portfolios/event-resumed", What: "of another member", Change: func(o *O) { o.FirstID = "m9" }, Want: "not there"},
	})
}

func TestJudgesOfAggregates(t *testing.T) {
	x := suitetest.Teller{T: t}
	type O = containers.AggregatesObservation
	says := func(word string) host.Reply {
		return x.Ok(suitetest.Doc{"status": "active", "aggregate_status": suitetest.Doc{"status": word}})
	}
	honest := func(suitetest.Teller) O {
		return O{Completed: says("completed"), Failed: says("failed"), Progress: says("in_progress"), Abandoned: says("failed")}
	}
	without := func(o *O) {
		r := x.Ok(suitetest.Doc{"status": "active"})
		*o = O{Completed: r, Failed: r, Progress: r, Abandoned: r}
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "portfolios/all-completed", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "portfolios/all-completed", What: "the word itself", Change: func(o *O) { o.Completed = x.Ok(suitetest.Doc{"aggregate_status": "completed"}) }, Want: "noted"},
		{Scenario: "portfolios/all-completed", What: "in progress for ever", Change: func(o *O) { o.Completed = says("in_progress") }, Want: openintentv1.OIP0026R4D},
		{Scenario: "portfolios/all-completed", What: "no aggregate", Change: without, Want: "not there"},
		{Scenario: "portfolios/one-abandoned", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "portfolios/one-abandoned", What: "the one that waits wins", Change: func(o *O) { o.Failed = says("in_progress") }, Want: openintentv1.OIP0026R4E},
		{Scenario: "portfolios/one-abandoned", What: "counts it as completed", Change: func(o *O) { o.Abandoned = says("completed") }, Want: openintentv1.OIP0026R4E},
		{Scenario: "portfolios/in-progress", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "portfolios/in-progress", What: "suspended", Change: func(o *O) { o.Progress = says("suspended") }, Want: openintentv1.OIP0026R4F},
		{Scenario: "portfolios/in-progress", What: "completed", Change: func(o *O) { o.Progress = says("completed") }, Want: openintentv1.OIP0026R4F},
	})
}

func TestJudgesOfPhases(t *testing.T) {
	x := suitetest.Teller{T: t}
	type O = containers.PhasesObservation
	entry := suitetest.Doc{"phase_name": "review", "intent_id": "i", "suspended_since": suitetest.Began, "expires_at": "2026-11-22T11:00:00Z"}
	at := func(entries ...any) host.Watched {
		return host.Watched{Portfolio: x.Ok(suitetest.Doc{"progress": suitetest.Doc{"suspended_phases": append([]any{}, entries...)}})}
	}
	honest := func(x suitetest.Teller) O {
		return O{Names: []string{"review", "title"}, IntentID: "i", Suspension: x.Suspension(suitetest.Doc{"expires_at": "2026-11-22T11:00:00Z"}), During: at(entry), Workflow: x.Said(404, suitetest.Doc{}), Answer: x.Ok(suitetest.Doc{}), After: at(), Ended: x.Said(404, suitetest.Doc{})}
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "portfolios/suspended-phases", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "portfolios/suspended-phases", What: "no list", Change: func(o *O) { o.During = host.Watched{Portfolio: x.Ok(suitetest.Doc{})} }, Want: "not there"},
		{Scenario: "portfolios/suspended-phases", What: "lists nothing", Change: func(o *O) { o.During = at() }, Want: openintentv1.OIP0026R4I},
		{Scenario: "portfolios/suspended-phases", What: "lists it for ever", Change: func(o *O) { o.After = at(entry) }, Want: openintentv1.OIP0026R4I},
		{Scenario: "portfolios/suspended-phases", What: "another name", Change: func(o *O) { o.During = at(suitetest.With(entry, suitetest.Doc{"phase_name": "x"})) }, Want: openintentv1.OIP0026R4J},
	})
}

func TestJudgesOfDeadlines(t *testing.T) {
	x := suitetest.Teller{T: t}
	type O = deadline.DeadlineObservation
	ended := func(state suitetest.Doc, reason any) host.Reply {
		return x.Ok(suitetest.Doc{"id": "i", "status": "abandoned", "state": suitetest.Doc{"_suspension": state}, "abandonment_reason": reason})
	}
	expired := suitetest.Happened(2, "intent.suspension_expired", suitetest.Doc{"reason": "portfolio_deadline"})
	const why = "portfolio_deadline_exceeded"
	honest := func(x suitetest.Teller) O {
		return O{Suspension: x.Suspension(nil), Fallback: "FB", Before: x.Is(suitetest.Waits), Ended: x.Reached(true, "abandoned"), Then: ended(suitetest.Doc{"resolution": "expired"}, why),
			Log: x.Log(expired, suitetest.Happened(2, "status_changed", suitetest.Doc{"status": "abandoned"})), Late: x.Said(409, suitetest.Doc{}), After: ended(suitetest.Doc{}, why), Control: x.Reached(true, suitetest.Waits)}
	}
	nothing := func(o *O) { o.Ended, o.Then, o.Log = x.Reached(false, suitetest.Waits), x.Is(suitetest.Waits), x.Log() }
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "deadline/abandons", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "deadline/abandons", What: "nothing happens", Change: nothing, Want: "not there"},
		{Scenario: "deadline/abandons", What: "goes on with the fallback", Change: func(o *O) { o.Ended, o.Then = x.Reached(false, "active"), x.Is("active") }, Want: openintentv1.OIP0026R5},
		{Scenario: "deadline/abandons", What: "tells, and does not end it", Change: func(o *O) { o.Ended, o.Then = x.Reached(false, suitetest.Waits), x.Is(suitetest.Waits) }, Want: openintentv1.OIP0026R5},
		{Scenario: "deadline/abandons", What: "ends the other one too", Change: func(o *O) { o.Control.Reached = false }, Want: "blocked"},
		{Scenario: "deadline/abandons", What: "had ended it before", Change: func(o *O) { o.Before = x.Is("abandoned") }, Want: "blocked"},

		{Scenario: "deadline/bypasses-fallback", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "deadline/bypasses-fallback", What: "applies it", Change: func(o *O) { o.Then = ended(suitetest.Doc{"response": "FB"}, why) }, Want: openintentv1.OIP0026R5B},
		{Scenario: "deadline/bypasses-fallback", What: "takes an answer", Change: func(o *O) { o.Late = x.Ok(suitetest.Doc{}) }, Want: openintentv1.OIP0026R5B},
		{Scenario: "deadline/bypasses-fallback", What: "lets it go on", Change: func(o *O) { o.After = x.Is("active") }, Want: openintentv1.OIP0026R5B},
		{Scenario: "deadline/bypasses-fallback", What: "nothing happens", Change: nothing, Want: "lacking"},

		{Scenario: "deadline/reason", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "deadline/reason", What: "in the event", Change: func(o *O) {
			o.Then, o.Log = x.Is("abandoned"), x.Log(expired, suitetest.Happened(2, "status_changed", suitetest.Doc{"status": "abandoned", "abandonment_reason": why}))
		}, Want: "noted"},
		{Scenario: "deadline/reason", What: "none", Change: func(o *O) { o.Then = x.Is("abandoned") }, Want: openintentv1.OIP0026R5C},
		{Scenario: "deadline/reason", What: "another", Change: func(o *O) { o.Then = ended(suitetest.Doc{}, "timeout") }, Want: openintentv1.OIP0026R5C},

		{Scenario: "deadline/audited", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "deadline/audited", What: "silent", Change: func(o *O) { o.Log = x.Log() }, Want: openintentv1.OIP0026R5D},
		{Scenario: "deadline/audited", What: "twice", Change: func(o *O) { o.Log = x.Log(expired, expired) }, Want: openintentv1.OIP0026R5D},
		{Scenario: "deadline/audited", What: "another reason", Change: func(o *O) {
			o.Log = x.Log(suitetest.Happened(2, "intent.suspension_expired", suitetest.Doc{"reason": "timeout"}))
		}, Want: openintentv1.OIP0026R5D},
	})
}

func TestJudgesOfClaims(t *testing.T) {
	x := suitetest.Teller{T: t}
	type O = inputs.ClaimObservation
	refusal := suitetest.Doc{"detail": suitetest.Doc{"error": "upstream_intent_suspended", "suspended_intent_id": "u77", "expected_resume_at": suitetest.Began}}
	honest := func(x suitetest.Teller) O {
		return O{UpstreamID: "u77", Suspension: x.Suspension(suitetest.Doc{"expires_at": suitetest.Began}), Before: x.Is("blocked"), Refused: x.Said(409, refusal), After: x.Is("blocked"), Answer: x.Ok(suitetest.Doc{}), Finished: x.Reached(true, "completed"), Granted: x.Ok(suitetest.Doc{}), Plain: x.Ok(suitetest.Doc{})}
	}
	grants := func(o *O) { o.Refused = x.Ok(suitetest.Doc{"id": "l"}) }
	other := func(o *O) {
		o.Refused = x.Said(422, suitetest.Doc{"detail": suitetest.Doc{"error": "UnresolvableInputError"}})
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "claims/refused", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "claims/refused", What: "grants it", Change: grants, Want: openintentv1.OIP0026V1},
		{Scenario: "claims/refused", What: "crashes", Change: func(o *O) { o.Refused = x.Said(500, suitetest.Doc{}) }, Want: openintentv1.OIP0026V1},
		{Scenario: "claims/refused", What: "grants nothing ever", Change: func(o *O) { o.Granted = x.Said(422, suitetest.Doc{}) }, Want: "blocked"},
		{Scenario: "claims/says-why", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "claims/says-why", What: "names the exception", Change: func(o *O) {
			o.Refused = x.Said(422, suitetest.Doc{"error": suitetest.Doc{"type": "UpstreamIntentSuspendedError", "intent": "u77"}})
		}, Want: "passed"},
		{Scenario: "claims/says-why", What: "another reason", Change: other, Want: openintentv1.OIP0026V2},
		{Scenario: "claims/says-why", What: "names no intent", Change: func(o *O) { o.Refused = x.Said(409, suitetest.Doc{"error": "upstream_intent_suspended"}) }, Want: openintentv1.OIP0026V3},
		{Scenario: "claims/says-why", What: "grants it", Change: grants, Want: "blocked"},
		{Scenario: "claims/resume-at", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "claims/resume-at", What: "null", Change: func(o *O) {
			o.Refused = x.Said(409, suitetest.Doc{"error": "upstream_intent_suspended", "expected_resume_at": nil})
		}, Want: "noted"},
		{Scenario: "claims/resume-at", What: "null, for a record without an end", Change: func(o *O) {
			o.Suspension, o.Refused = x.Suspension(nil), x.Said(409, suitetest.Doc{"error": "upstream_intent_suspended"})
		}, Want: "passed"},
		{Scenario: "claims/resume-at", What: "no time", Change: func(o *O) {
			o.Refused = x.Said(409, suitetest.With(refusal, suitetest.Doc{"expected_resume_at": "soon"}))
		}, Want: "noted"},
		{Scenario: "claims/resume-at", What: "another reason", Change: other, Want: "blocked"},
		{Scenario: "claims/granted", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "claims/granted", What: "moves it", Change: func(o *O) { o.After = x.Is("failed") }, Want: openintentv1.OIP0026V5},
		{Scenario: "claims/granted", What: "refuses it later", Change: func(o *O) { o.Granted = x.Said(422, suitetest.Doc{}) }, Want: openintentv1.OIP0026V5},
		{Scenario: "claims/granted", What: "the upstream is not completed", Change: func(o *O) { o.Finished.Reached = false }, Want: "blocked"},
	})
}

func TestJudgesOfConfigurations(t *testing.T) {
	x := suitetest.Teller{T: t}
	type O = config.ConfigObservation
	none, some := suitetest.Doc{"suspension": suitetest.Doc{"default_retry_policy": nil}}, suitetest.Doc{"suspension": suitetest.Doc{"default_retry_policy": suitetest.Doc{"max_attempts": 3, "interval_seconds": 60}}}
	no := func(int) []host.Reply {
		return []host.Reply{x.Said(405, suitetest.Doc{}), x.Said(405, suitetest.Doc{}), x.Said(403, suitetest.Doc{})}
	}
	honest := func(x suitetest.Teller) O {
		return O{Keyless: x.Ok(none), Keyed: x.Ok(none), Writes: no(0), After: x.Ok(none)}
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "config/readable", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "config/readable", What: "a policy", Change: func(o *O) { o.Keyed, o.Keyless = x.Ok(some), x.Ok(some) }, Want: "passed"},
		{Scenario: "config/readable", What: "asks for a key", Change: func(o *O) { o.Keyless = x.Said(401, suitetest.Doc{}) }, Want: openintentv1.OIP0026D4},
		{Scenario: "config/readable", What: "says nothing", Change: func(o *O) { o.Keyed = x.Ok(suitetest.Doc{}) }, Want: openintentv1.OIP0026D4},
		{Scenario: "config/readable", What: "no policy", Change: func(o *O) {
			o.Keyed = x.Ok(suitetest.Doc{"suspension": suitetest.Doc{"default_retry_policy": suitetest.Doc{"max_attempts": "many"}}})
		}, Want: openintentv1.OIP0026D4},
		{Scenario: "config/read-only", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "config/read-only", What: "takes a write", Change: func(o *O) { o.Writes[0] = x.Ok(none) }, Want: openintentv1.OIP0026D5},
		{Scenario: "config/read-only", What: "refuses and changes", Change: func(o *O) { o.After = x.Ok(some) }, Want: openintentv1.OIP0026D5},
		{Scenario: "config/read-only", What: "cannot be read", Change: func(o *O) { o.Keyed = x.Ok(suitetest.Doc{}) }, Want: "blocked"},
	})
}

func TestJudgesOfStreams(t *testing.T) {
	x := suitetest.Teller{T: t}
	type O = streams.StreamedObservation
	stream := func(kinds ...string) host.Stream {
		out := host.Stream{Opened: true, Status: wiretest.Status(t, 200)}
		for _, k := range kinds {
			out.Types, out.Data = append(out.Types, wiretest.Value(t, `"`+k+`"`)), append(out.Data, wiretest.Value(t, suitetest.Doc{"x": 1}))
		}
		return out
	}
	const reminder, step = "intent.suspension_renotified", "intent.suspension_escalated"
	made := suitetest.Happened(0, "intent_created", suitetest.Doc{})
	honest := func(x suitetest.Teller) O {
		return O{Suspension: x.Suspension(nil), Before: x.Log(made), Log: x.Log(made, suitetest.Happened(1, "intent.resumed", suitetest.Doc{}), suitetest.Happened(2, reminder, suitetest.Doc{}), suitetest.Happened(3, reminder, suitetest.Doc{}), suitetest.Happened(4, step, suitetest.Doc{})),
			Stream: stream("intent.resumed", reminder, step, reminder, "more.than.the.log")}
	}
	untyped := func(o *O) {
		o.Stream.Types[0], o.Stream.Data[0] = wire.Value{}, wiretest.Value(t, suitetest.Doc{"event_type": "intent.resumed"})
	}
	suitetest.JudgeAll(t, honest, []suitetest.Story[O]{
		{Scenario: "streams/as-the-log", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "streams/as-the-log", What: "the type is in the event", Change: untyped, Want: "passed"},
		{Scenario: "streams/as-the-log", What: "loses one", Change: func(o *O) { o.Stream = stream(reminder, step, reminder) }, Want: "noted"},
		{Scenario: "streams/as-the-log", What: "sends one twice", Change: func(o *O) { o.Stream = stream("intent.resumed", "intent.resumed", reminder, step, reminder) }, Want: "noted"},
		{Scenario: "streams/as-the-log", What: "the log has none", Change: func(o *O) { o.Log = x.Log(made) }, Want: "blocked"},
		{Scenario: "streams/reminders", What: "honest", Change: nil, Want: "passed"},
		{Scenario: "streams/reminders", What: "loses one", Change: func(o *O) { o.Stream = stream("intent.resumed", reminder, step) }, Want: "noted"},
		{Scenario: "streams/reminders", What: "loses the step", Change: func(o *O) { o.Stream = stream("intent.resumed", reminder, reminder) }, Want: "noted"},
		{Scenario: "streams/reminders", What: "nobody is reminded", Change: func(o *O) { o.Log, o.Stream = x.Log(made), stream() }, Want: "not there"},
	})
}
