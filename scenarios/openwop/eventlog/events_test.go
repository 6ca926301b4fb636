package eventlog_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/eventlog"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// entriesOf is an honest log of a run that takes one step.
func entriesOf(run string) hosttest.Entries {
	log := hosttest.Entries{}
	for i, e := range []hosttest.Event{
		{Kind: "run.started", Payload: map[string]any{"workflowId": "conformance-noop"}},
		{Kind: "node.started", Payload: map[string]any{"nodeId": "noop", "typeId": "core.noop"}},
		{Kind: "node.completed", Payload: map[string]any{"nodeId": "noop"}},
		{Kind: "run.completed", Payload: map[string]any{}},
	} {
		log = append(log, map[string]any{"eventId": fmt.Sprint(run, "-", i), "runId": run, "type": e.Kind, "payload": e.Payload,
			"timestamp": fmt.Sprintf("2026-11-01T00:00:0%d.5Z", i), "sequence": i})
		if i > 0 {
			log[i]["causationId"] = fmt.Sprint(run, "-", i-1)
		}
	}
	return log
}

// then appends an event of this type.
func then(e hosttest.Entries, kind string) hosttest.Entries {
	last := e[len(e)-1]
	n := last["sequence"].(int) + 1
	return append(slices.Clone(e), map[string]any{"eventId": fmt.Sprint(last["runId"], "-", n), "runId": last["runId"], "type": kind,
		"payload":   map[string]any{"nodeId": "noop"},
		"timestamp": "2026-11-01T00:00:09Z", "sequence": n})
}

// page mints the reply to a poll.
func page(e hosttest.Entries, t *testing.T, after int64, more map[string]any) eventlog.PollPage {
	t.Helper()
	body := map[string]any{"events": e}
	maps.Copy(body, more)
	return eventlog.PollPage{After: after, Status: wiretest.Status(t, 200), Body: wiretest.Value(t, body)}
}

var isComplete = map[string]any{"isComplete": true}

// logsObservation is of two honest runs, with the given log for the first.
func logsObservation(t *testing.T, first hosttest.Entries) eventlog.LogsObservation {
	o := eventlog.LogsObservation{Way: "conformance-noop", First: first.Log(t, "a"), Second: entriesOf("b").Log(t, "b"),
		Again: first.Log(t, "a"), Whole: page(first, t, -1, isComplete)}
	for i := range first {
		if n, ok := first[i]["sequence"].(int); ok {
			o.Pages = append(o.Pages, page(first[i+1:], t, int64(n), isComplete))
		}
	}
	o.Pages = append(o.Pages, page(hosttest.Entries{}, t, 99, isComplete))
	return o
}

func TestJudgesOfEventLogs(t *testing.T) {
	honest := entriesOf("a")
	gap := slices.Delete(slices.Clone(honest), 1, 2)
	twice := slices.Insert(slices.Clone(honest), 2, honest[1])
	swapped := slices.Clone(honest)
	swapped[1], swapped[2] = swapped[2], swapped[1]
	handsOn := honest.With(1, "type", "node.dispatched")
	for _, c := range []struct {
		name, scenario string
		first          hosttest.Entries
		want           string
	}{
		{"honest", "numbered-without-gap", honest, "passed"},
		{"counted from 1", "numbered-without-gap", honest.From(1), "passed"},
		{"a number is left out", "numbered-without-gap", gap, requirement.OWPEVT1},
		{"a number comes twice", "numbered-without-gap", twice, requirement.OWPEVT1},
		{"out of order", "numbered-without-gap", swapped, requirement.OWPEVT1},
		{"a word for a number", "numbered-without-gap", honest.With(2, "sequence", "2"), requirement.OWPEVT1},
		{"nothing at all", "numbered-without-gap", hosttest.Entries{}, requirement.OWPEVT1},
		{"one event", "numbered-without-gap", honest[3:].From(0), requirement.OWPEVT1},

		{"honest", "envelope-complete", honest, "passed"},
		{"nothing at all", "envelope-complete", hosttest.Entries{}, "blocked"},
		{"no eventId", "envelope-complete", honest.With(1, "eventId", nil), requirement.OWPEVT2},
		{"no runId", "envelope-complete", honest.With(1, "runId", nil), requirement.OWPEVT2},
		{"no type", "envelope-complete", honest.With(1, "type", ""), requirement.OWPEVT2},
		{"no payload", "envelope-complete", honest.With(1, "payload", nil), requirement.OWPEVT2},
		{"a payload of null", "envelope-complete", honest.With(1, "payload", json.RawMessage("null")), "passed"},
		{"a time of day", "envelope-complete", honest.With(1, "timestamp", "00:00:01"), requirement.OWPEVT2},
		{"a time in milliseconds", "envelope-complete", honest.With(1, "timestamp", 1793491200000), requirement.OWPEVT2},
		{"a time with an offset", "envelope-complete", honest.With(1, "timestamp", "2026-11-01T02:00:01.123456+02:00"), "passed"},
		{"a time in small letters", "envelope-complete", honest.With(1, "timestamp", "2026-11-01t00:00:01z"), "passed"},
		{"a negative number", "envelope-complete", honest.From(-1), requirement.OWPEVT2},
		{"one id for two events", "envelope-complete", honest.With(2, "eventId", "a-1"), requirement.OWPEVT3},
		{"a type in capitals", "envelope-complete", honest.With(2, "type", "NODE_COMPLETED"), requirement.OWPEVT7},
		{"a type of one word", "envelope-complete", honest.With(2, "type", "done"), requirement.OWPEVT7},
		{"a vendor's type", "envelope-complete", honest.With(2, "type", "acme.node-done"), "passed"},
		{"a type with a reserved word", "envelope-complete", honest.With(2, "type", "core.dispatch.failed"), "passed"},

		{"honest", "causes-come-first", honest, "passed"},
		{"no causes in one of two logs", "causes-come-first", honest.With(1, "causationId", nil).With(2, "causationId", nil).With(3,
			"causationId", json.RawMessage("null")), "passed"},
		{"its own cause", "causes-come-first", honest.With(2, "causationId", "a-2"), requirement.OWPEVT6},
		{"a later cause", "causes-come-first", honest.With(1, "causationId", "a-3"), requirement.OWPEVT6},
		{"no event's cause", "causes-come-first", honest.With(1, "causationId", "request-7"), requirement.OWPEVT6},
		{"a cause in the worker's log", "causes-come-first", handsOn.With(2, "causationId", "child-9"), "passed"},
		{"a later cause of a run that hands on", "causes-come-first", handsOn.With(2, "causationId", "a-3"), requirement.OWPEVT6},

		{"honest", "payloads-fit", honest, "passed"},
		{"a payload of null", "payloads-fit", honest.With(1, "payload", json.RawMessage("null")), "passed"},
		{"nothing at all", "payloads-fit", hosttest.Entries{}, "blocked"},

		{"honest", "ends-once", honest, "passed"},
		{"two ends", "ends-once", then(honest, "run.completed"), requirement.OWPEVT9},
		{"no end", "ends-once", honest[:3], requirement.OWPEVT9},
		{"nothing at all", "ends-once", hosttest.Entries{}, requirement.OWPEVT9},
		{"a step after the end", "ends-once", then(honest, "node.completed"), requirement.OWPEVT10},
		{"a note after the end", "ends-once", then(honest, "lease.lost"), "passed"},
		{"another end than the status", "ends-once", honest.With(3, "type", "run.failed"), requirement.OWPEVT11},

		{"honest", "logs-apart", honest, "passed"},
		{"an event of the other run", "logs-apart", honest.With(1, "runId", "b"), requirement.OWPEVT4},

		{"honest", "never-changes", honest, "passed"},
		{"honest", "poll-cursor", honest, "passed"},
		{"counted from 1", "poll-cursor", honest.From(1), "passed"},
		{"the first event is lost", "poll-cursor", honest[1:], requirement.OWPEVT13},
		{"honest", "poll-complete", honest, "passed"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) { hosttest.Expect(t, c.scenario, logsObservation(t, c.first), c.want) })
	}
}

func TestJudgesOfWhatWasReadAgain(t *testing.T) {
	honest := entriesOf("a")
	for _, c := range []struct {
		name, scenario string
		spoil          func(*eventlog.LogsObservation)
		want           string
	}{
		{"the log is rewritten", "never-changes", func(o *eventlog.LogsObservation) {
			o.Again = honest.With(2, "payload", map[string]any{"nodeId": "another"}).Log(t, "a")
		}, requirement.OWPEVT12},
		{"new ids every time", "never-changes",
			func(o *eventlog.LogsObservation) { o.Again = honest.With(1, "eventId", "new").Log(t, "a") }, requirement.OWPEVT12},
		{"the log gets shorter", "never-changes", func(o *eventlog.LogsObservation) { o.Again = honest[:2].Log(t, "a") }, requirement.OWPEVT12},
		{"the log gets a note", "never-changes", func(o *eventlog.LogsObservation) { o.Again = then(honest, "lease.lost").Log(t, "a") },
			"passed"},
		{"cannot be read again", "never-changes", func(o *eventlog.LogsObservation) { o.Again.Read = wiretest.Status(t, 404) }, "blocked"},
		{"a step long after the end", "ends-once",
			func(o *eventlog.LogsObservation) { o.Again = then(honest, "node.started").Log(t, "a") }, requirement.OWPEVT10},
		{"a second end long after", "ends-once",
			func(o *eventlog.LogsObservation) { o.Again = then(honest, "run.completed").Log(t, "a") }, requirement.OWPEVT9},
		{"one run for both", "logs-apart", func(o *eventlog.LogsObservation) { o.Second = honest.Log(t, "a") }, requirement.OWPEVT4},
		{"listed backwards", "numbered-without-gap", func(o *eventlog.LogsObservation) {
			back := slices.Clone(honest)
			slices.Reverse(back)
			o.Whole = page(back, t, -1, isComplete)
		}, requirement.OWPEVT1},
		{"an event listed twice in one reply", "numbered-without-gap", func(o *eventlog.LogsObservation) {
			o.Whole = page(slices.Insert(slices.Clone(honest), 1, honest[0]), t, -1, isComplete)
		}, requirement.OWPEVT1},
		{"the run was not made", "numbered-without-gap",
			func(o *eventlog.LogsObservation) { o.First.Created = wiretest.Status(t, 404) }, "blocked"},
		{"the run does not end", "numbered-without-gap", func(o *eventlog.LogsObservation) { o.First.Ended.Reached = false }, "blocked"},
		{"no polls", "numbered-without-gap", func(o *eventlog.LogsObservation) { o.First.Read = wiretest.Status(t, 404) }, "blocked"},

		{"an event behind the cursor is lost", "poll-cursor",
			func(o *eventlog.LogsObservation) { o.Pages[1] = page(honest[3:], t, 1, isComplete) }, requirement.OWPEVT14},
		{"an event in the middle is lost", "poll-cursor", func(o *eventlog.LogsObservation) {
			o.Pages[0] = page(hosttest.Entries{honest[1], honest[3]}, t, 0, isComplete)
		}, requirement.OWPEVT14},
		{"nothing behind a cursor", "poll-cursor",
			func(o *eventlog.LogsObservation) { o.Pages[2] = page(hosttest.Entries{}, t, 2, isComplete) }, requirement.OWPEVT14},
		{"an event that nobody else shows", "poll-cursor", func(o *eventlog.LogsObservation) {
			o.Pages[3] = page(then(honest, "run.resumed")[4:], t, 3, isComplete)
		}, requirement.OWPEVT14},
		{"a cursor is refused", "poll-cursor", func(o *eventlog.LogsObservation) { o.Pages[1].Status = wiretest.Status(t, 400) },
			requirement.OWPEVT14},
		{"a cursor beyond the end is refused", "poll-cursor",
			func(o *eventlog.LogsObservation) { o.Pages[4].Status = wiretest.Status(t, 400) }, "passed"},
		{"in pages", "poll-cursor", func(o *eventlog.LogsObservation) { o.Pages[0] = page(honest[1:2], t, 0, nil) }, "passed"},
		{"the cursor's own event again", "poll-cursor", func(o *eventlog.LogsObservation) {
			o.Pages[1] = page(honest[1:], t, 1, isComplete)
			o.Pages[1].Since = new(page(honest[1:], t, 1, isComplete))
		}, requirement.OWPEVT15},
		{"the cursor by its former name", "poll-cursor", func(o *eventlog.LogsObservation) {
			o.Pages[1] = page(honest, t, 1, isComplete)
			o.Pages[1].Since = new(page(honest[2:], t, 1, isComplete))
		}, "passed"},
		{"no events member", "poll-cursor", func(o *eventlog.LogsObservation) {
			o.Whole.Body = wiretest.Value(t, map[string]any{"items": []any{}})
		}, requirement.OWPEVT13},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := logsObservation(t, honest)
			c.spoil(&o)
			hosttest.Expect(t, c.scenario, o, c.want)
		})
	}
}

// Differences between real hosts are noted and change no verdict.
func TestJudgesOfEventLogsTell(t *testing.T) {
	honest := entriesOf("a")
	terminal := func(o *eventlog.LogsObservation) {
		for i := range o.Pages {
			o.Pages[i] = page(hosttest.Entries{}, t, o.Pages[i].After, map[string]any{"isTerminal": true, "lastEventSeq": 3,
				"runStatus": "completed"})
		}
	}
	for _, c := range []struct {
		name, scenario string
		first          hosttest.Entries
		spoil          func(*eventlog.LogsObservation)
		want           string // of a finding
	}{
		{"counted from 1", "numbered-without-gap", honest.From(1), nil, ": the first event has sequence 1, not 0 (OWP-R20)"},
		{"a reserved word", "envelope-complete", honest.With(2, "type", "core.dispatch.failed"), nil,
			`: types that are not in the catalogue begin with a reserved word (OWP-R2): ["core.dispatch.failed"]`},
		{"clocks that go back", "envelope-complete", honest.With(2, "timestamp", "2025-01-01T00:00:00Z"), nil,
			"OWP-EVT-5: expected timestamp: times, none before"},
		{"a foreign cause", "causes-come-first", honest.With(1, "type", "node.dispatched").With(2, "causationId", "child-9"), nil,
			": 1 events of a run that hands on work"},
		{"a payload without nodeId", "payloads-fit", honest.With(1, "payload", map[string]any{}), nil,
			"OWP-EVT-8: expected payload of node.started: as NodeStartedPayload has it, got missing property nodeId; missing " +
				"property typeId (1 of 2)"},
		{"a payload of null", "payloads-fit", honest.With(0, "payload", json.RawMessage("null")), nil,
			"OWP-EVT-8: expected payload of run.started"},
		{"a note after the end", "ends-once", then(honest, "lease.lost"), nil,
			`: the end of the run is followed by events of type ["lease.lost"]`},
		{"isTerminal in place of isComplete", "poll-complete", honest, terminal, "OWP-EVT-17: the reply to a poll has no isComplete"},
		{"complete by no name", "poll-complete", honest, func(o *eventlog.LogsObservation) {
			for i := range o.Pages {
				o.Pages[i] = page(hosttest.Entries{}, t, o.Pages[i].After, nil)
			}
		}, "OWP-EVT-17: expected at the end of the log"},
		{"the former name", "poll-cursor", honest, func(o *eventlog.LogsObservation) {
			o.Pages[0] = page(honest, t, 0, isComplete)
			o.Pages[0].Since = new(page(honest[1:], t, 0, isComplete))
		}, ": the host does not mind the cursor lastSequence"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := logsObservation(t, c.first)
			if c.spoil != nil {
				c.spoil(&o)
			}
			tells(t, c.scenario, o, c.want)
		})
	}
}

// tells expects a pass with a finding that begins with want.
func tells(t *testing.T, name string, observation any, want string) {
	t.Helper()
	out := scenarios.Conclude(hosttest.Scenario(t, name), openwop.Protocol.Ledger, observation)
	if out.Verdict != scenarios.Passed {
		t.Errorf("%s: %s (%s)", name, out.Verdict, out.Reason)
	}
	for _, f := range out.Findings {
		if want != "" && strings.HasPrefix(string(f.Requirement)+": "+f.Text, want) {
			return
		}
	}
	if want != "" || len(out.Findings) > 0 {
		t.Errorf("%s: findings %v, want %q", name, out.Findings, want)
	}
}
