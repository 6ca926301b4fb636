package openintent_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent"
	"github.com/openassay/assay/scenarios/wire"
)

type doc = map[string]any

// said is an exchange of a recording.
type said struct {
	method, path string
	sent         any
	status       int
	body         any
	match        string
}

func get(path string, body any) said { return said{"GET", path, nil, 200, body, ""} }

func list(path string, body ...any) said { return get(path, body) }

func post(path string, sent any, status int, body any) said {
	return said{"POST", path, sent, status, body, ""}
}

// matching names a version.
func (s said) matching(version string) said { s.match = version; return s }

// judge returns the requirements that a recording bears out, and those that it shows violated; alone are those of rules that need nobody
// else at work.
func judge(t *testing.T, all []said) (held, violated map[scenarios.RequirementID]bool, alone map[scenarios.RequirementID]bool) {
	t.Helper()
	noon := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	transcript := &wire.Transcript{Drive: "d", Speech: openintent.Protocol.Speech}
	for n, s := range all {
		sent, _ := json.Marshal(s.sent)
		body, _ := json.Marshal(s.body)
		e := wire.Entry{Kind: "http", At: noon.Add(time.Duration(n) * time.Second), Micros: 1000,
			Request:  &wire.Request{Method: s.method, URL: "http://server/api/v1" + s.path, Header: map[string]string{"X-API-Key": "k"}},
			Response: &wire.Response{Status: s.status, Body: string(body)}}
		if s.sent != nil {
			e.Request.Body = string(sent)
		}
		if s.match != "" {
			e.Request.Header["If-Match"] = s.match
		}
		transcript.Entries = append(transcript.Entries, e)
	}
	held, violated, alone = map[scenarios.RequirementID]bool{}, map[scenarios.RequirementID]bool{}, map[scenarios.RequirementID]bool{}
	openintent.Protocol.Recorded(scenarios.Discovery{}, []scenarios.DriveRecord{{ID: "d", Transcript: transcript}}, func(s scenarios.Sight) {
		if alone[s.Requirement] = s.Alone; s.Held {
			held[s.Requirement] = true
		} else {
			violated[s.Requirement] = true
		}
	})
	return held, violated, alone
}

// waiting is an intent that waits for an answer to a record.
func waiting(id string, version int, record doc, more doc) doc {
	all := doc{"id": "s-" + id, "question": "?"}
	maps.Copy(all, record)
	d := doc{"id": id, "title": "t", "version": version, "status": "suspended_awaiting_input", "updated_at": "2026-11-29T12:00:00Z",
		"state": doc{"_suspension": all}}
	maps.Copy(d, more)
	return d
}

func with(d doc, more doc) doc {
	out := maps.Clone(d)
	maps.Copy(out, more)
	return out
}

func answer(id string, value any, status int, more doc) said {
	body := doc{"error": "no"}
	if status == 200 {
		body = doc{"intent_id": id, "suspension_id": "s-" + id, "resolution": "responded", "value": value,
			"responded_by": "me", "responded_at": "2026-11-29T12:00:00Z"}
	}
	maps.Copy(body, more)
	return post("/intents/"+id+"/suspend/respond", doc{"suspension_id": "s-" + id, "value": value}, status, body)
}

// kase is what a recording shows of one rule.
type kase struct {
	name string
	id   scenarios.RequirementID
	all  []said
	want string // kept, violated, or nothing
}

func check(t *testing.T, cases []kase) {
	t.Helper()
	for _, c := range cases {
		t.Run(string(c.id)+" "+c.name, func(t *testing.T) {
			held, violated, _ := judge(t, c.all)
			got := "nothing"
			if held[c.id] {
				got = "kept"
			}
			if violated[c.id] {
				got = "violated"
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

var (
	choice = doc{"response_type": "choice", "choices": []any{
		doc{"value": "a", "label": "A", "description": "first"}, doc{"value": "b", "label": "B"}}}
	confirm = doc{"response_type": "confirm"}
	options = doc{"valid_choices": []string{"a", "b"}}
)

// An answer is judged by the question that was read before it.
func TestAnswersToKnownQuestions(t *testing.T) {
	asked, yesno := get("/intents/i", waiting("i", 3, choice, nil)), get("/intents/i", waiting("i", 3, confirm, nil))
	resolved := func(status string) said {
		return get("/intents/i", waiting("i", 5, doc{"resolution": "responded", "response": "a"}, doc{"status": status}))
	}
	set := post("/intents/i/status", doc{"status": "active"}, 200, waiting("i", 6, choice, doc{"status": "active"})).matching("5")
	ended := get("/intents/i", waiting("i", 4, with(choice, doc{"resolution": "expired"}), doc{"status": "abandoned"}))
	written := post("/intents/i/state", doc{"state": doc{"_suspension": doc{"id": "s-i", "resolution": "expired"}}}, 200,
		waiting("i", 4, doc{"resolution": "expired"}, nil)).matching("3")
	route := answer("other", "x", 409, nil)
	unknown := said{"GET", "/intents/i", nil, 404, doc{"error": "none"}, ""}
	check(t, []kase{
		{"another value is refused", "OIP-0025-A7", []said{asked, answer("i", "c", 422, options)}, "kept"},
		{"another value is taken", "OIP-0025-A7", []said{asked, answer("i", "c", 200, nil)}, "violated"},
		{"a conflict while it waits", "OIP-0025-A7", []said{asked, answer("i", "c", 409, nil), asked}, "violated"},
		{"a conflict, and it waits no more", "OIP-0025-A7", []said{asked, answer("i", "c", 409, nil), resolved("active")}, "nothing"},
		{"a question that nobody read", "OIP-0025-A7", []said{answer("i", "c", 200, nil)}, "nothing"},
		{"a refusal for a right", "OIP-0025-A7", []said{asked, answer("i", "c", 403, nil)}, "nothing"},
		{"an answer before it, to another question maybe", "OIP-0025-A7",
			[]said{asked, answer("i", "a", 200, nil), answer("i", "c", 200, nil)}, "nothing"},
		{"a value that is no text", "OIP-0025-A7", []said{asked, answer("i", 1, 200, nil)}, "nothing"},
		{"the list", "OIP-0025-A8", []said{asked, answer("i", "c", 422, doc{"detail": options})}, "kept"},
		{"a list that lacks one", "OIP-0025-A8", []said{asked, answer("i", "c", 422, doc{"valid_choices": []string{"a"}})}, "violated"},
		{"a list of one that is a choice", "OIP-0025-A8", []said{asked, answer("i", "a", 422, nil)}, "nothing"},
		{"yes", "OIP-0025-A9", []said{yesno, answer("i", "yes", 200, nil)}, "kept"},
		{"maybe is refused", "OIP-0025-A9", []said{yesno, answer("i", "maybe", 422, nil)}, "kept"},
		{"maybe is taken", "OIP-0025-A9", []said{yesno, answer("i", "maybe", 200, nil)}, "violated"},
		{"no is refused", "OIP-0025-A9", []said{yesno, answer("i", "no", 422, nil)}, "violated"},
		{"a confirmation with choices", "OIP-0025-A9",
			[]said{get("/intents/i", waiting("i", 3, with(choice, confirm), nil)), answer("i", "a", 200, nil)}, "nothing"},
		{"what was chosen", "OIP-0025-A12",
			[]said{asked, answer("i", "a", 200, doc{"choice_label": "A", "choice_description": "first"})}, "kept"},
		{"without a description", "OIP-0025-A12",
			[]said{asked, answer("i", "b", 200, doc{"choice_label": "B", "choice_description": ""})}, "kept"},
		{"another label", "OIP-0025-A12",
			[]said{asked, answer("i", "a", 200, doc{"choice_label": "B", "choice_description": "first"})}, "violated"},
		{"a question of others", "OIP-0025-A12", []said{answer("i", "a", 200, nil)}, "nothing"},
		{"it goes on", "OIP-0025-A15", []said{asked, answer("i", "a", 200, nil), resolved("active")}, "kept"},
		{"it waits on", "OIP-0025-A15", []said{asked, answer("i", "a", 200, nil), resolved("suspended_awaiting_input")}, "violated"},
		{"a read that is behind", "OIP-0025-A15", []said{asked, answer("i", "a", 200, nil), asked, resolved("active")}, "kept"},
		{"a client sets it", "OIP-0025-A15", []said{asked, answer("i", "a", 200, nil), asked, set, get("/intents/i", set.body)}, "nothing"},
		{"it is completed by then", "OIP-0025-A15", []said{asked, answer("i", "a", 200, nil), resolved("completed")}, "nothing"},
		{"what it depends on is open", "OIP-0025-A15", []said{asked, answer("i", "a", 200, nil),
			get("/intents/i", waiting("i", 5, nil, doc{"status": "blocked", "depends_on": []string{"u"}}))}, "nothing"},
		{"none after the end", "OIP-READ-3", []said{ended, answer("i", "a", 409, nil)}, "kept"},
		{"one after the end", "OIP-READ-3", []said{ended, answer("i", "a", 200, nil)}, "violated"},
		{"an end that a client wrote", "OIP-READ-3", []said{written, answer("i", "a", 200, nil)}, "nothing"},
		{"not there", "OIP-0025-A3", []said{route, answer("i", "a", 404, nil)}, "kept"},
		{"not there, and taken", "OIP-0025-A3", []said{route, unknown, answer("i", "a", 200, nil)}, "violated"},
		{"not there, and a conflict", "OIP-0025-A3", []said{route, unknown, answer("i", "a", 409, nil)}, "violated"},
		{"a read that was behind", "OIP-0025-A3", []said{route, unknown, answer("i", "a", 200, nil), asked}, "nothing"},
		{"nobody looked", "OIP-0025-A3", []said{route, answer("i", "a", 409, nil)}, "nothing"},
		{"no such route", "OIP-0025-A3", []said{answer("i", "a", 404, nil)}, "nothing"},
	})
}

// A record is shown as it was written, and that needs nobody to be alone where the version is the next one.
func TestRecordsAsTheyWereWritten(t *testing.T) {
	policy := doc{"max_attempts": 3, "interval_seconds": 60}
	write := func(sent, shown doc, version int) said {
		return post("/intents/i/state", doc{"patches": []any{doc{"op": "set", "path": "/_suspension", "value": sent}}}, 200,
			waiting("i", version, shown, nil)).matching("2")
	}
	retried := doc{"id": "s-i", "retry_policy": policy}
	plain := doc{"id": "s-i", "fallback_policy": "fail"}
	check(t, []kase{
		{"as written", "OIP-0026-X3", []said{write(retried, doc{"retry_policy": with(policy, doc{"strategy": "fixed"})}, 3)}, "kept"},
		{"dropped", "OIP-0026-X3", []said{write(retried, doc{}, 3)}, "violated"},
		{"another record by now", "OIP-0026-X3", []said{write(retried, doc{"id": "s2"}, 4)}, "nothing"},
		{"taken", "OIP-0026-L1", []said{write(plain, plain, 3)}, "kept"},
		{"cut", "OIP-0026-L1", []said{write(plain, doc{"fallback_policy": "complete_with_fallback"}, 3)}, "violated"},
		{"a reply that shows no state", "OIP-0026-L1", []said{
			post("/intents/i/state", doc{"state": doc{"_suspension": plain}}, 200, doc{"id": "i", "version": 3}).matching("2")}, "nothing"},
		{"refused", "OIP-0026-L1",
			[]said{post("/intents/i/state", doc{"state": doc{"_suspension": plain}}, 422, doc{}).matching("2")}, "nothing"},
	})
	for version, alone := range map[int]bool{3: false, 4: true} {
		if _, _, is := judge(t, []said{write(retried, doc{}, version)}); is["OIP-0026-X3"] != alone {
			t.Errorf("a reply with version %d: alone is %v", version, is["OIP-0026-X3"])
		}
	}
}

// event is an event of the log of an intent.
func event(n int, kind string, payload doc) doc {
	return doc{"id": kind + string(rune('0'+n)), "intent_id": "i", "event_type": kind, "payload": payload,
		"created_at": "2026-11-29T12:00:0" + string(rune('0'+n)) + "Z"}
}

// Events that stand in files are of the logs that they name.
func TestEventsInFiles(t *testing.T) {
	for event, want := range map[string]string{
		`{"id":"1","intent_id":"a/b","event_type":"intent.resumed"}`:                            "/api/v1/intents/a%2Fb/events",
		`{"id":"3","portfolio_id":"p","intent_id":"c","event_type":"portfolio.member_resumed"}`: "/api/v1/portfolios/p/events",
		`{"event_type":"comment"}`: "", `{"runId":"r","type":"run.started"}`: "", `[]`: "", `{"intent_id":7,"event_type":"comment"}`: "",
		`{"intent_id":"c"}`: "",
	} {
		if got := openintent.Protocol.Logged.Path([]byte(event)); got != want {
			t.Errorf("%s: %q, want %q", event, got, want)
		}
	}
}

// What a log tells has its form, and follows the ladder of the record.
func TestEventsByTheirRecords(t *testing.T) {
	log := func(events ...any) said { return list("/intents/i/events", events...) }
	reminder := func(more doc) doc {
		return event(2, "intent.suspension_renotified", with(doc{"suspension_id": "s-i", "attempt": 2, "max_attempts": 3,
			"channel_hint": "email", "notify_to": nil, "next_attempt_at": "2026-11-29T12:02:00Z"}, more))
	}
	step := func(more doc) doc {
		return event(3, "intent.suspension_escalated", with(doc{"suspension_id": "s-i", "attempt": 2, "channel_hint": "email"}, more))
	}
	expired := func(more doc) doc {
		return event(4, "intent.suspension_expired", with(doc{"suspension_id": "s-i"}, more))
	}
	ladder := func(steps ...any) said {
		return get("/intents/i", waiting("i", 3, doc{"retry_policy": doc{"max_attempts": 3, "escalation_ladder": steps}}, nil))
	}
	email := ladder(doc{"attempt": 2, "channel_hint": "email", "notify_to": "me"}, doc{"attempt": 9, "channel_hint": "pager"})
	posted := post("/intents/i/events", doc{"event_type": "intent.suspension_renotified", "actor": "me"}, 200, doc{})
	shown := func(resolution any) said {
		return get("/intents/i", waiting("i", 4, doc{"resolution": resolution}, doc{"status": "abandoned"}))
	}
	check(t, []kase{
		{"a reminder", "OIP-0026-E3", []said{log(reminder(nil))}, "kept"},
		{"the last reminder", "OIP-0026-E3", []said{log(reminder(doc{"attempt": 3, "next_attempt_at": nil}))}, "kept"},
		{"no next attempt", "OIP-0026-E3", []said{log(reminder(doc{"next_attempt_at": nil}))}, "violated"},
		{"no suspension", "OIP-0026-E3", []said{log(reminder(doc{"suspension_id": nil}))}, "violated"},
		{"a client's own", "OIP-0026-E3", []said{posted, log(reminder(doc{"next_attempt_at": nil}))}, "nothing"},
		{"a step", "OIP-0026-E4", []said{log(step(nil))}, "kept"},
		{"a step of no attempt", "OIP-0026-E4", []said{log(step(doc{"attempt": nil}))}, "violated"},
		{"a step of the ladder", "OIP-0026-N4", []said{email, log(step(nil))}, "kept"},
		{"a step of no attempt of the ladder", "OIP-0026-N4", []said{email, log(step(doc{"attempt": 3}))}, "violated"},
		{"a step beyond the last attempt", "OIP-0026-N4", []said{email, log(step(doc{"attempt": 9}))}, "violated"},
		{"a ladder that nobody read", "OIP-0026-N4", []said{log(step(doc{"attempt": 9}))}, "nothing"},
		{"two ladders", "OIP-0026-N4", []said{email, ladder(doc{"attempt": 9}), log(step(doc{"attempt": 9}))}, "nothing"},
		{"the channel of the step", "OIP-0026-N5", []said{email, log(reminder(nil))}, "kept"},
		{"another channel", "OIP-0026-N5", []said{email, log(reminder(doc{"channel_hint": "slack"}))}, "violated"},
		{"another recipient", "OIP-0026-N5", []said{email, log(reminder(doc{"notify_to": "you"}))}, "violated"},
		{"no step", "OIP-0026-N5", []said{email, log(reminder(doc{"attempt": 3}))}, "nothing"},
		{"the deadline", "OIP-0026-R5D", []said{log(expired(doc{"reason": "portfolio_deadline"}))}, "kept"},
		{"the word of the intent", "OIP-0026-R5D", []said{log(expired(doc{"reason": "portfolio_deadline_exceeded"}))}, "violated"},
		{"another reason", "OIP-0026-R5D", []said{log(expired(doc{"reason": "timeout"}))}, "nothing"},
		{"it says so", "OIP-0025-F3", []said{log(expired(nil)), shown("expired")}, "kept"},
		{"it says nothing", "OIP-0025-F3", []said{log(expired(nil)), shown(nil)}, "violated"},
		{"it says so later", "OIP-0025-F3", []said{log(expired(nil)), shown(nil), shown("expired")}, "kept"},
		{"it was read before", "OIP-0025-F3", []said{shown(nil), log(expired(nil))}, "nothing"},
		{"the deadline of a portfolio ends it", "OIP-0025-F3",
			[]said{log(expired(doc{"reason": "portfolio_deadline"})), shown(nil)}, "nothing"},
		{"it is written anew", "OIP-0025-F3", []said{log(expired(nil)), shown(nil),
			post("/intents/i/state", doc{"state": doc{"_suspension": doc{"id": "s-i"}}}, 200, waiting("i", 5, nil, nil)).matching("4"),
			get("/intents/i", waiting("i", 5, nil, nil))}, "nothing"},
	})
	if _, _, alone := judge(t, []said{log(reminder(doc{"next_attempt_at": nil}))}); !alone["OIP-0026-E3"] {
		t.Error("a reminder may be a client's")
	}
}

// Documents are held to what they say themselves.
func TestDocumentsByThemselves(t *testing.T) {
	folder := func(more doc) said {
		return get("/portfolios/p", with(doc{"id": "p", "status": "active", "has_suspended_members": true, "suspended_member_count": 2,
			"aggregate_status": doc{"status": "in_progress"},
			"progress": doc{"suspended_phases": []any{doc{"intent_id": "a", "phase_name": "x", "suspended_since": "t"},
				doc{"intent_id": "b", "phase_name": "y", "suspended_since": "t"}}}}, more))
	}
	named := said{"PATCH", "/portfolios/p/status", doc{"status": "suspended"}, 200, doc{}, ""}
	plan := func(state string) said {
		return get("/plans/p", doc{"id": "p", "state": state,
			"suspended_tasks": []any{doc{"task_id": "t", "intent_id": "i", "suspended_since": "t"}}})
	}
	task := func(reason any) said {
		return get("/tasks/t", doc{"id": "t", "status": "blocked", "suspended_intent_id": "i", "blocked_reason": reason})
	}
	unnamed := get("/tasks/t", doc{"id": "t", "status": "blocked", "blocked_reason": "intent_suspended"})
	blocked := said{"PATCH", "/tasks/t", doc{"status": "blocked", "blocked_reason": "intent_suspended"}, 200, doc{}, ""}
	abandoned := func(reason string) said {
		return get("/intents/i", doc{"id": "i", "status": "abandoned", "version": 2, "abandonment_reason": reason})
	}
	graph := func(completed int) said {
		return get("/intents/i/graph", doc{"root_id": "i", "nodes": []any{
			doc{"id": "i", "status": "active"}, doc{"id": "b", "status": "completed"},
			doc{"id": "a", "status": "suspended_awaiting_input", "parent_id": "i"}},
			"aggregate_status": doc{"total": 2, "by_status": doc{"suspended_awaiting_input": 1, "completed": completed}}})
	}
	change := func(status int, match string) said {
		return said{"PATCH", "/tasks/t", doc{"status": "running"}, status, doc{"id": "t", "version": 4}, match}
	}
	version := func(n int) said { return get("/tasks/t", doc{"id": "t", "version": n}) }
	check(t, []kase{
		{"as many as phases", "OIP-0026-R4C", []said{folder(nil)}, "kept"},
		{"fewer than phases", "OIP-0026-R4C", []said{folder(doc{"suspended_member_count": 1})}, "violated"},
		{"nobody waits", "OIP-0026-R4C", []said{folder(doc{"has_suspended_members": false, "progress": nil})}, "nothing"},
		{"it goes on", "OIP-0026-R4F", []said{folder(nil)}, "kept"},
		{"another one failed", "OIP-0026-R4F", []said{folder(doc{"aggregate_status": "failed"})}, "kept"},
		{"completed with one that waits", "OIP-0026-R4F", []said{folder(doc{"aggregate_status": doc{"status": "completed"}})}, "violated"},
		{"only the status of its owner", "OIP-0026-R4F", []said{folder(doc{"aggregate_status": nil, "status": "completed"})}, "nothing"},
		{"a portfolio of its own status", "OIP-0026-R1C", []said{folder(nil)}, "kept"},
		{"a portfolio that takes it over", "OIP-0026-R1C", []said{folder(doc{"status": "suspended"})}, "violated"},
		{"an aggregate that takes it over", "OIP-0026-R1C", []said{folder(doc{"aggregate_status": "suspended"})}, "violated"},
		{"nobody waits in it", "OIP-0026-R1C",
			[]said{folder(doc{"has_suspended_members": false, "suspended_member_count": 0, "status": "suspended"})}, "nothing"},
		{"its owner calls it so", "OIP-0026-R1C", []said{named, folder(doc{"status": "suspended", "aggregate_status": nil})}, "nothing"},
		{"a plan that pauses", "OIP-0026-R1B", []said{plan("paused")}, "kept"},
		{"a plan that takes it over", "OIP-0026-R1B", []said{plan("suspended")}, "violated"},
		{"a client calls it so", "OIP-0026-R1B",
			[]said{{"PATCH", "/plans/p", doc{"state": "suspended"}, 200, doc{}, ""}, plan("suspended")}, "nothing"},
		{"why", "OIP-0026-R3B", []said{task("intent_suspended")}, "kept"},
		{"not why", "OIP-0026-R3B", []said{task(nil)}, "violated"},
		{"a client blocked it", "OIP-0026-R3B",
			[]said{{"PATCH", "/tasks/t", doc{"status": "blocked"}, 200, doc{}, ""}, task("escalation")}, "nothing"},
		{"by whom", "OIP-0026-R3C", []said{task("intent_suspended")}, "kept"},
		{"not by whom", "OIP-0026-R3C", []said{unnamed}, "violated"},
		{"a client said why", "OIP-0026-R3C", []said{blocked, unnamed}, "nothing"},
		{"the deadline", "OIP-0026-R5C", []said{abandoned("portfolio_deadline_exceeded")}, "kept"},
		{"the word of the event", "OIP-0026-R5C", []said{abandoned("portfolio_deadline")}, "violated"},
		{"another reason", "OIP-0026-R5C", []said{abandoned("nobody needs it")}, "nothing"},
		{"a child that waits is not done", "OIP-0002-3", []said{graph(1)}, "kept"},
		{"a child that waits is done", "OIP-0002-3", []said{graph(2)}, "violated"},
		{"an old version is refused", "OIP-0001-200", []said{version(3), change(409, "2")}, "kept"},
		{"an old version is taken", "OIP-0001-200", []said{version(3), change(200, "2")}, "violated"},
		{"the version that was read", "OIP-0001-200", []said{version(3), change(200, "3")}, "nothing"},
		{"no version was read", "OIP-0001-200", []said{change(200, "2")}, "nothing"},
	})
}

// What waits keeps others from being completed and claimed. The window of a question may end by itself, so a read has to show that it
// waits on.
func TestGatesOverIntentsThatWait(t *testing.T) {
	up := get("/intents/dep-7", waiting("dep-7", 3, doc{"suspended_at": "2026-11-29T12:00:00Z"}, nil))
	over := get("/intents/dep-7", waiting("dep-7", 4, doc{"resolution": "expired"}, doc{"status": "active"}))
	me := doc{"id": "i", "title": "t", "version": 2, "status": "active", "depends_on": []string{"dep-7"},
		"state": doc{"_io_inputs": doc{"x": "phase.x"}}}
	dependent := get("/intents/i", me)
	complete := func(status int, match string) said {
		return post("/intents/i/status", doc{"status": "completed"}, status, with(me, doc{"version": 3, "status": "completed"})).matching(match)
	}
	child := get("/intents/dep-7", waiting("dep-7", 3, nil, doc{"parent_id": "i"}))
	claim := func(status int, body any) said { return post("/intents/i/leases", doc{"scope": "s"}, status, body) }
	coded := func(more doc) doc { return with(doc{"error": "upstream_intent_suspended"}, more) }
	ready := func(name string) said { return get("/intents/p/"+name, doc{name: []any{me}}) }
	children := func(status string, version int) said {
		return get("/intents/p/children", doc{"children": []any{doc{"id": "i", "status": status, "version": version}}})
	}
	looks := post("/intents/other/leases", doc{"scope": "s"}, 409, coded(nil))
	check(t, []kase{
		{"a completion is refused", "OIP-0026-R2B", []said{up, dependent, complete(409, "2")}, "kept"},
		{"a completion is granted", "OIP-0026-R2B", []said{up, dependent, complete(200, "2"), up}, "violated"},
		{"the window may have ended", "OIP-0026-R2B", []said{up, dependent, complete(200, "2")}, "nothing"},
		{"the window had ended", "OIP-0026-R2B", []said{up, dependent, complete(200, "2"), over}, "nothing"},
		{"it does not wait", "OIP-0026-R2B", []said{over, dependent, complete(200, "2"), over}, "nothing"},
		{"an old version", "OIP-0026-R2B", []said{up, dependent, complete(409, "1")}, "nothing"},
		{"a parent is not completed", "OIP-0002-1", []said{child, dependent, complete(422, "2")}, "kept"},
		{"a parent is completed", "OIP-0002-1", []said{child, dependent, complete(200, "2"), child}, "violated"},
		{"a child that is not known to be", "OIP-0002-1", []said{up, dependent, complete(200, "2"), up}, "nothing"},
		{"a claim is refused", "OIP-0026-V1", []said{up, dependent, claim(409, coded(doc{"suspended_intent_id": "dep-7"}))}, "kept"},
		{"a claim is granted", "OIP-0026-V1", []said{looks, up, dependent, claim(200, doc{}), up}, "violated"},
		{"claims that look at no inputs", "OIP-0026-V1", []said{up, dependent, claim(200, doc{}), up}, "nothing"},
		{"its word", "OIP-0026-V2", []said{up, dependent, claim(409, coded(nil))}, "kept"},
		{"another word", "OIP-0026-V2", []said{up, dependent, claim(422, doc{"error": "UnresolvableInputError"}), up}, "violated"},
		{"another reason", "OIP-0026-V2", []said{up, dependent, claim(409, doc{"error": "held"}), up}, "nothing"},
		{"whom it waits for", "OIP-0026-V3", []said{up, dependent, claim(409, coded(doc{"suspended_intent_id": "dep-7"}))}, "kept"},
		{"not whom", "OIP-0026-V3", []said{up, dependent, claim(409, coded(nil))}, "violated"},
		{"whom nobody read", "OIP-0026-V3", []said{dependent, claim(409, coded(nil))}, "nothing"},
		{"when to come again", "OIP-READ-18",
			[]said{up, claim(409, coded(doc{"suspended_intent_id": "dep-7", "expected_resume_at": "2026-11-29T13:00:00Z"}))}, "kept"},
		{"long ago", "OIP-READ-18",
			[]said{up, claim(409, coded(doc{"suspended_intent_id": "dep-7", "expected_resume_at": "2020-01-01T00:00:00Z"}))}, "violated"},
		{"long ago for another one", "OIP-READ-18",
			[]said{claim(409, coded(doc{"suspended_intent_id": "dep-7", "expected_resume_at": "2020-01-01T00:00:00Z"}))}, "nothing"},
		{"listed as blocked", "OIP-READ-17", []said{up, ready("blocked")}, "kept"},
		{"listed as ready", "OIP-READ-17", []said{up, ready("ready"), up}, "violated"},
		{"listed as ready when it was taken", "OIP-READ-17", []said{up, ready("ready"), answer("dep-7", "a", 200, nil)}, "violated"},
		{"listed as ready, and its window ended", "OIP-READ-17", []said{up, ready("ready"), over}, "nothing"},
		{"one status", "OIP-READ-16", []said{dependent, children("active", 2), dependent}, "kept"},
		{"another status of one version", "OIP-READ-16", []said{dependent, children("blocked", 2), dependent}, "violated"},
		{"another version", "OIP-READ-16", []said{dependent, children("blocked", 1), dependent}, "nothing"},
		{"a list behind the last read", "OIP-READ-16", []said{dependent, children("blocked", 2)}, "nothing"},
	})
}

// A write that was under way beside a request may have changed what it was judged by.
func TestWritesAtOnce(t *testing.T) {
	asked := get("/intents/i", waiting("i", 3, choice, nil))
	for _, beside := range []bool{false, true} {
		transcript := &wire.Transcript{Drive: "d", Speech: openintent.Protocol.Speech}
		noon := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
		add := func(at, took time.Duration, s said) {
			sent, _ := json.Marshal(s.sent)
			body, _ := json.Marshal(s.body)
			transcript.Entries = append(transcript.Entries, wire.Entry{Kind: "http", At: noon.Add(at), Micros: took.Microseconds(),
				Request: &wire.Request{Method: s.method, URL: "http://server/api/v1" + s.path, Body: string(sent),
					Header: map[string]string{"X-API-Key": "k", "If-Match": "3"}},
				Response: &wire.Response{Status: s.status, Body: string(body)}})
		}
		add(0, time.Second, asked)
		add(3*time.Second, time.Second, answer("i", "c", 200, nil))
		if beside {
			add(2*time.Second, 5*time.Second,
				post("/intents/i/state", doc{"state": doc{"_suspension": doc{"id": "s-i"}}}, 200, waiting("i", 4, nil, nil)))
		}
		var violated []scenarios.RequirementID
		openintent.Protocol.Recorded(scenarios.Discovery{}, []scenarios.DriveRecord{{ID: "d", Transcript: transcript}}, func(s scenarios.Sight) {
			if !s.Held {
				violated = append(violated, s.Requirement)
			}
		})
		if slices.Contains(violated, "OIP-0025-A7") == beside {
			t.Errorf("with a write beside it %v: %v", beside, violated)
		}
	}
}
