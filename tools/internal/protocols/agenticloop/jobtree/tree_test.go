package jobtree_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/agenticloop/gateway"
	"github.com/openassay/assay/tools/internal/protocols/agenticloop/jobtree"
)

var at = time.Date(2026, 2, 16, 12, 0, 0, 0, time.UTC)

var config = gateway.Config{Pipelines: []gateway.Pipeline{{
	Name: "p", On: "agentic.tool_request.reader",
	Steps: []gateway.Step{{ID: "read", Uses: "reader"}, {ID: "resume", Uses: "agent"}},
}}}

func event(eventType, payload string) agenticloopv2.Event {
	return agenticloopv2.Event{Type: eventType, Payload: json.RawMessage(payload)}
}

const request = `{"run_id":"R","step":1,"tool":"reader"}`

var (
	begun = []gateway.Record{
		{Enqueued: []gateway.Job{{ID: "a", Plugin: "agent", Attempt: 1, MaxAttempts: 4, Event: event(gateway.TypeStart, `{}`)}}},
		{Claimed: &gateway.Claimed{Job: "a"}},
	}
	asks = gateway.Record{Enqueued: []gateway.Job{{ID: "b", Parent: "a", Pipeline: "p", Plugin: "reader", Attempt: 1,
		Event: event("agentic.tool_request.reader", request)}}}
	done = func(job string) gateway.Record {
		return gateway.Record{Ended: &gateway.Ended{Job: job, Status: gateway.Succeeded, Result: "well"}}
	}
	claims = func(job string) gateway.Record { return gateway.Record{Claimed: &gateway.Claimed{Job: job}} }
)

func commits(runs string) gateway.Record {
	return gateway.Record{Committed: &gateway.Committed{Plugin: "agent", Updates: json.RawMessage(`{"runs":` + runs + `}`)}}
}

func ends(job string, e agenticloopv2.Event) gateway.Record {
	return gateway.Record{Unrouted: []gateway.Unrouted{{From: job, Event: e}}}
}

// tell is what is told of records, and of their outcome.
func tell(records ...gateway.Record) (text string, completed bool) {
	var out strings.Builder
	tree := jobtree.New(&out, config, gateway.State{})
	for _, r := range records {
		r.At = at
		tree.Take(r)
	}
	completed = tree.Outcome("agent", nil, func(job string) string { return filepath.Join("w", job) })
	return out.String(), completed
}

const opening = "+ #1 agent <- agentic.start  (handed over)\n#1 agent <- agentic.start\n"

func TestTree(t *testing.T) {
	asked := append(append([]gateway.Record{}, begun...),
		commits(`{"R":{"status":"running","goal":"g","step":1,"pending_step":1,"pending_tool":"reader"}}`), asks, done("a"), claims("b"))
	const told = opening + "  + #2 reader <- agentic.tool_request.reader  (pipeline p, step read)\n  ok: well\n  #2 reader " +
		"<- agentic.tool_request.reader\n"
	const waits = "not completed: run R waits for step 1 of reader, and no job is left that could bring it\n"
	for _, test := range []struct {
		name      string
		records   []gateway.Record
		want      string
		completed bool
	}{
		{
			name: "completed",
			records: append(begun, commits(`{"R":{"status":"done"}}`),
				ends("a", event(gateway.TypeCompleted,
					`{"run_id":"R","outcome":"written","steps_taken":2,"artifacts":["artifacts/a","/etc/passwd","../b"]}`)), done("a")),
			want: opening + "  agent.completed: run R\n  ok: well\ncompleted: run R after 2 steps: written\n" +
				"  artifact w/a/artifacts/a\n  artifact /etc/passwd\n  artifact ../b\n",
			completed: true,
		},
		{
			name: "without a state that can be read",
			records: append(begun, gateway.Record{Committed: &gateway.Committed{Plugin: "agent", Updates: json.RawMessage(`{"runs":[1]}`)}},
				ends("a", event(gateway.TypeCompleted, `{"run_id":7}`)), done("a")),
			want: opening + "  agent.completed: run \n  ok: well\ncompleted: run  after 0 steps: \n", completed: true,
		},
		{
			name: "given up",
			records: append(begun, commits(`{"R":{"status":"escalated"}}`),
				ends("a", event(gateway.TypeEscalated, `{"run_id":"R","reason":"tool_error"}`)), done("a")),
			want: opening + "  agent.escalated: run R\n  ok: well\nnot completed: run R was given up: tool_error\n",
		},
		{
			name:    "lost ends",
			records: append(begun, commits(`{"R":{"status":"done"},"S":{"status":"escalated"},"T":{"status":"running"}}`), done("a")),
			want: opening + "  ok: well\nnot completed: run R is done, and its agent.completed was lost\n" +
				"not completed: run S was given up, and its agent.escalated was lost\nnot completed: run T is running, waits for " +
				"nothing, and no job is left\n",
		},
		{
			name: "nobody takes a request",
			records: append(begun, ends("a", event("agentic.tool_request.fetch", `{"run_id":"R","step":1,"tool":"fetch"}`)),
				ends("a", event("page", `[]`)), done("a")),
			want: opening + "  ! nobody takes agentic.tool_request.fetch: no pipeline is on it, so run R waits for step 1 of " +
				"fetch for ever. Add a pipeline with on: agentic.tool_request.fetch\n" +
				"  ! nobody takes page: no step follows, and no pipeline is on it\n  ok: well\nnot completed: no agent.completed was emitted\n",
		},
		{
			name:    "a tool that emits nothing",
			records: append(asked, done("b")),
			want: told + "    ok: well\n    ! it emitted nothing, so step resume is never reached, and run R waits for step 1 " +
				"of reader for ever\n" + waits,
		},
		{
			name:    "a tool that fails",
			records: append(asked, gateway.Record{Ended: &gateway.Ended{Job: "b", Status: gateway.TimedOut, Error: "too late"}}),
			want: told + "    ! timed out: too late. A failed job routes nothing, so step resume is never reached, and run R " +
				"waits for step 1 of reader for ever." +
				" With --on-failure synthesise it is told\n" + waits,
		},
		{
			name: "a tool that fails, and is told of",
			records: append(asked, gateway.Record{
				Enqueued: []gateway.Job{{ID: "c", Parent: "b", Pipeline: "p", Step: 1, Plugin: "agent", Attempt: 1,
					Event: event(gateway.TypeToolResult, request)}},
				Ended: &gateway.Ended{Job: "b", Status: gateway.Failed, Error: "broken"},
			}),
			want: told + "    + #3 agent <- agentic.tool_result  (pipeline p, step resume)\n    ! failed: broken\n" + waits,
		},
		{
			name: "again",
			records: append(asked, gateway.Record{Ended: &gateway.Ended{Job: "b", Status: gateway.Queued, Error: "broken",
				RetryAt: at.Add(time.Minute)}},
				claims("b"), gateway.Record{Recovered: []gateway.Recovered{{Job: "b", Status: gateway.Queued}}},
				claims("b"), gateway.Record{Recovered: []gateway.Recovered{{Job: "b", Status: gateway.Dead}}}),
			want: told + "    failed: broken. It is tried again at 12:01:00\n  #2 reader <- agentic.tool_request.reader  (attempt 2)\n" +
				"  #2 reader was running when the gateway stopped: it is queued again\n  #2 reader <- agentic.tool_request.reader  (attempt 3)\n" +
				"  #2 reader was running when the gateway stopped, and has no attempt left: it is dead\n" + waits,
		},
		{
			name: "dropped",
			records: append(begun, gateway.Record{Dropped: []gateway.Dropped{{From: "a", Type: "t", Plugin: "reader", Key: "k",
				Done: "a"}}}, done("a")),
			want: opening + "  reader is not queued for t: job #1 has done that under the key k\n  ok: well\nnot completed: no " +
				"agent.completed was emitted\n",
		},
		{
			name: "no turn came to anything",
			records: append(begun, gateway.Record{Ended: &gateway.Ended{Job: "a", Status: gateway.Failed, Error: "no goal",
				Logs: []agenticloopv2.LogEntry{{Level: "warn", Message: "hm"}, {Level: "info", Message: "x"}}}}),
			want: opening + "  warn: hm\n  ! failed: no goal\nnot completed: a turn of agent came to nothing: no goal\n",
		},
		{
			name: "two at a time",
			records: append(begun, gateway.Record{Enqueued: []gateway.Job{{ID: "z", Plugin: "other", Attempt: 1,
				Event: event("t", `{}`)}}}, claims("z"), done("a"),
				gateway.Record{Ended: &gateway.Ended{Job: "z", Status: gateway.Failed, Error: "broken"}}),
			want: opening + "+ #2 other <- t  (handed over)\n#2 other <- t\n  #1 agent: ok: well\n  ! failed: broken\nnot " +
				"completed: no agent.completed was emitted\n",
		},
		{
			name:    "a record of another log",
			records: []gateway.Record{done("x")},
			want:    "a record does not fit: end: there is no job x\nnot completed: no agent.completed was emitted\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, completed := tell(test.records...)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if completed != test.completed {
				t.Errorf("completed: %v", completed)
			}
		})
	}
}

// Words of a plugin are words: they move no cursor, begin no line and are not without end.
func TestWordsOfPlugins(t *testing.T) {
	hostile := "\x1b[2J\ncompleted: " + strings.Repeat("x", 100000)
	said, err := json.Marshal(map[string]any{"run_id": hostile, "outcome": hostile, "reason": hostile, "tool": hostile,
		"artifacts": []string{hostile}})
	if err != nil {
		t.Fatal(err)
	}
	for _, eventType := range []string{gateway.TypeCompleted, gateway.TypeEscalated, "agentic.tool_request.x", hostile} {
		got, _ := tell(append(begun, ends("a", event(eventType, string(said))),
			gateway.Record{Dropped: []gateway.Dropped{{From: "a", Type: hostile, Plugin: hostile, Key: hostile}}},
			gateway.Record{Ended: &gateway.Ended{
				Job: "a", Status: gateway.Failed, Error: hostile, Result: hostile, Logs: []agenticloopv2.LogEntry{{Level: "error", Message: hostile}},
			}})...)
		if strings.Contains(got, "\x1b") || strings.Contains(got, "\ncompleted: xxx") || len(got) > 10000 {
			t.Errorf("%s is told as %.3000q", eventType, got)
		}
	}
}

// What had ended before is not told again.
func TestEndedBefore(t *testing.T) {
	var out strings.Builder
	var s gateway.State
	for _, r := range append(append([]gateway.Record{}, begun...), commits(`{"R":{"status":"escalated"}}`), done("a")) {
		if err := s.Fold(r); err != nil {
			t.Fatal(err)
		}
	}
	tree := jobtree.New(&out, config, s)
	tree.Take(gateway.Record{Enqueued: []gateway.Job{{ID: "z", Plugin: "agent", Attempt: 1, Event: event(gateway.TypeStart, `{}`)}}})
	tree.Take(claims("z"))
	tree.Take(ends("z", event(gateway.TypeCompleted, `{"run_id":"S","outcome":"written"}`)))
	if completed := tree.Outcome("agent", s.Row("agent"), func(string) string { return "" }); !completed ||
		strings.Contains(out.String(), "run R") || !strings.Contains(out.String(), "#2 agent") {
		t.Errorf("completed: %v\n%s", completed, out.String())
	}
}
