package openwop_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// entries are the events of a log as documents, in order.
type entries []map[string]any

// entriesOf is the honest log of a run that takes one step.
func entriesOf(run string) entries {
	log := entries{}
	for i, e := range []event{
		{"run.started", map[string]any{"workflowId": "conformance-noop"}},
		{"node.started", map[string]any{"nodeId": "noop", "typeId": "core.noop"}},
		{"node.completed", map[string]any{"nodeId": "noop"}},
		{"run.completed", map[string]any{}},
	} {
		log = append(log, map[string]any{"eventId": fmt.Sprint(run, "-", i), "runId": run, "type": e.kind, "payload": e.payload,
			"timestamp": fmt.Sprintf("2026-11-01T00:00:0%d.5Z", i), "sequence": i})
		if i > 0 {
			log[i]["causationId"] = fmt.Sprint(run, "-", i-1)
		}
	}
	return log
}

// with changes one member of the k-th event; of value nil it is left out.
func (e entries) with(k int, member string, value any) entries {
	e = slices.Clone(e)
	e[k] = maps.Clone(e[k])
	if e[k][member] = value; value == nil {
		delete(e[k], member)
	}
	return e
}

// then adds an event of this type at the end.
func (e entries) then(kind string) entries {
	last := e[len(e)-1]
	n := last["sequence"].(int) + 1
	return append(slices.Clone(e), map[string]any{"eventId": fmt.Sprint(last["runId"], "-", n), "runId": last["runId"], "type": kind, "payload": map[string]any{"nodeId": "noop"},
		"timestamp": "2026-11-01T00:00:09Z", "sequence": n})
}

// from counts the events from n on.
func (e entries) from(n int) entries {
	e = slices.Clone(e)
	for i := range e {
		e[i] = maps.Clone(e[i])
		e[i]["sequence"] = n + i
	}
	return e
}

// log mints the log of a run that has ended, as polls served it.
func (e entries) log(t *testing.T, run string) openwop.RunLog {
	t.Helper()
	doc := wiretest.Value(t, map[string]any{"events": e, "snapshot": map[string]any{"runId": run, "status": "completed"}})
	return openwop.RunLog{RunID: run, Created: wiretest.Status(t, 201), ID: wiretest.Value(t, json.RawMessage(`"`+run+`"`)), Read: wiretest.Status(t, 200),
		Events: doc.Key("events").Items(), Ended: wire.Wait{What: "the run has ended", Reached: true, Patience: time.Second, Last: doc.Key("snapshot")}}
}

// page mints the reply to a poll.
func (e entries) page(t *testing.T, after int64, more map[string]any) openwop.PollPage {
	t.Helper()
	body := map[string]any{"events": e}
	maps.Copy(body, more)
	return openwop.PollPage{After: after, Status: wiretest.Status(t, 200), Body: wiretest.Value(t, body)}
}

var isComplete = map[string]any{"isComplete": true}

// logsObservation is of two honest runs but for the log of the first.
func logsObservation(t *testing.T, first entries) openwop.LogsObservation {
	o := openwop.LogsObservation{Way: "conformance-noop", First: first.log(t, "a"), Second: entriesOf("b").log(t, "b"), Again: first.log(t, "a"), Whole: first.page(t, -1, isComplete)}
	for i := range first {
		if n, ok := first[i]["sequence"].(int); ok {
			o.Pages = append(o.Pages, first[i+1:].page(t, int64(n), isComplete))
		}
	}
	o.Pages = append(o.Pages, entries{}.page(t, 99, isComplete))
	return o
}

func TestJudgesOfEventLogs(t *testing.T) {
	honest := entriesOf("a")
	gap := slices.Delete(slices.Clone(honest), 1, 2)
	twice := slices.Insert(slices.Clone(honest), 2, honest[1])
	swapped := slices.Clone(honest)
	swapped[1], swapped[2] = swapped[2], swapped[1]
	handsOn := honest.with(1, "type", "node.dispatched")
	for _, c := range []struct {
		name, scenario string
		first          entries
		want           string
	}{
		{"honest", "numbered-without-gap", honest, "passed"},
		{"counted from 1", "numbered-without-gap", honest.from(1), "passed"},
		{"a number is left out", "numbered-without-gap", gap, openwopv1.OWPEVT1},
		{"a number comes twice", "numbered-without-gap", twice, openwopv1.OWPEVT1},
		{"out of order", "numbered-without-gap", swapped, openwopv1.OWPEVT1},
		{"a word for a number", "numbered-without-gap", honest.with(2, "sequence", "2"), openwopv1.OWPEVT1},
		{"nothing at all", "numbered-without-gap", entries{}, openwopv1.OWPEVT1},
		{"one event", "numbered-without-gap", honest[3:].from(0), openwopv1.OWPEVT1},

		{"honest", "envelope-complete", honest, "passed"},
		{"nothing at all", "envelope-complete", entries{}, "blocked"},
		{"no eventId", "envelope-complete", honest.with(1, "eventId", nil), openwopv1.OWPEVT2},
		{"no runId", "envelope-complete", honest.with(1, "runId", nil), openwopv1.OWPEVT2},
		{"no type", "envelope-complete", honest.with(1, "type", ""), openwopv1.OWPEVT2},
		{"no payload", "envelope-complete", honest.with(1, "payload", nil), openwopv1.OWPEVT2},
		{"a payload of null", "envelope-complete", honest.with(1, "payload", json.RawMessage("null")), "passed"},
		{"a time of day", "envelope-complete", honest.with(1, "timestamp", "00:00:01"), openwopv1.OWPEVT2},
		{"a time in milliseconds", "envelope-complete", honest.with(1, "timestamp", 1793491200000), openwopv1.OWPEVT2},
		{"a time with an offset", "envelope-complete", honest.with(1, "timestamp", "2026-11-01T02:00:01.123456+02:00"), "passed"},
		{"a time in small letters", "envelope-complete", honest.with(1, "timestamp", "2026-11-01t00:00:01z"), "passed"},
		{"a negative number", "envelope-complete", honest.from(-1), openwopv1.OWPEVT2},
		{"one id for two events", "envelope-complete", honest.with(2, "eventId", "a-1"), openwopv1.OWPEVT3},
		{"a type in capitals", "envelope-complete", honest.with(2, "type", "NODE_COMPLETED"), openwopv1.OWPEVT7},
		{"a type of one word", "envelope-complete", honest.with(2, "type", "done"), openwopv1.OWPEVT7},
		{"a vendor's type", "envelope-complete", honest.with(2, "type", "acme.node-done"), "passed"},
		{"a type with a reserved word", "envelope-complete", honest.with(2, "type", "core.dispatch.failed"), "passed"},

		{"honest", "causes-come-first", honest, "passed"},
		{"no causes", "causes-come-first", honest.with(1, "causationId", nil).with(2, "causationId", nil).with(3, "causationId", json.RawMessage("null")), "passed"},
		{"its own cause", "causes-come-first", honest.with(2, "causationId", "a-2"), openwopv1.OWPEVT6},
		{"a later cause", "causes-come-first", honest.with(1, "causationId", "a-3"), openwopv1.OWPEVT6},
		{"no event's cause", "causes-come-first", honest.with(1, "causationId", "request-7"), openwopv1.OWPEVT6},
		{"a cause in the worker's log", "causes-come-first", handsOn.with(2, "causationId", "child-9"), "passed"},
		{"a later cause of a run that hands on", "causes-come-first", handsOn.with(2, "causationId", "a-3"), openwopv1.OWPEVT6},

		{"honest", "payloads-fit", honest, "passed"},
		{"a payload of null", "payloads-fit", honest.with(1, "payload", json.RawMessage("null")), "passed"},
		{"nothing at all", "payloads-fit", entries{}, "blocked"},

		{"honest", "ends-once", honest, "passed"},
		{"two ends", "ends-once", honest.then("run.completed"), openwopv1.OWPEVT9},
		{"no end", "ends-once", honest[:3], openwopv1.OWPEVT9},
		{"nothing at all", "ends-once", entries{}, openwopv1.OWPEVT9},
		{"a step after the end", "ends-once", honest.then("node.completed"), openwopv1.OWPEVT10},
		{"a note after the end", "ends-once", honest.then("lease.lost"), "passed"},
		{"another end than the status", "ends-once", honest.with(3, "type", "run.failed"), openwopv1.OWPEVT11},

		{"honest", "logs-apart", honest, "passed"},
		{"an event of the other run", "logs-apart", honest.with(1, "runId", "b"), openwopv1.OWPEVT4},

		{"honest", "never-changes", honest, "passed"},
		{"honest", "poll-cursor", honest, "passed"},
		{"counted from 1", "poll-cursor", honest.from(1), "passed"},
		{"the first event is lost", "poll-cursor", honest[1:], openwopv1.OWPEVT13},
		{"honest", "poll-complete", honest, "passed"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) { expect(t, c.scenario, logsObservation(t, c.first), c.want) })
	}
}

func TestJudgesOfWhatWasReadAgain(t *testing.T) {
	honest := entriesOf("a")
	for _, c := range []struct {
		name, scenario string
		spoil          func(*openwop.LogsObservation)
		want           string
	}{
		{"the log is rewritten", "never-changes", func(o *openwop.LogsObservation) {
			o.Again = honest.with(2, "payload", map[string]any{"nodeId": "another"}).log(t, "a")
		}, openwopv1.OWPEVT12},
		{"new ids every time", "never-changes", func(o *openwop.LogsObservation) { o.Again = honest.with(1, "eventId", "new").log(t, "a") }, openwopv1.OWPEVT12},
		{"the log gets shorter", "never-changes", func(o *openwop.LogsObservation) { o.Again = honest[:2].log(t, "a") }, openwopv1.OWPEVT12},
		{"the log gets a note", "never-changes", func(o *openwop.LogsObservation) { o.Again = honest.then("lease.lost").log(t, "a") }, "passed"},
		{"cannot be read again", "never-changes", func(o *openwop.LogsObservation) { o.Again.Read = wiretest.Status(t, 404) }, "blocked"},
		{"a step long after the end", "ends-once", func(o *openwop.LogsObservation) { o.Again = honest.then("node.started").log(t, "a") }, openwopv1.OWPEVT10},
		{"a second end long after", "ends-once", func(o *openwop.LogsObservation) { o.Again = honest.then("run.completed").log(t, "a") }, openwopv1.OWPEVT9},
		{"one run for both", "logs-apart", func(o *openwop.LogsObservation) { o.Second = honest.log(t, "a") }, openwopv1.OWPEVT4},
		{"listed backwards", "numbered-without-gap", func(o *openwop.LogsObservation) {
			back := slices.Clone(honest)
			slices.Reverse(back)
			o.Whole = back.page(t, -1, isComplete)
		}, openwopv1.OWPEVT1},
		{"an event listed twice in one reply", "numbered-without-gap", func(o *openwop.LogsObservation) {
			o.Whole = slices.Insert(slices.Clone(honest), 1, honest[0]).page(t, -1, isComplete)
		}, openwopv1.OWPEVT1},
		{"the run was not made", "numbered-without-gap", func(o *openwop.LogsObservation) { o.First.Created = wiretest.Status(t, 404) }, "blocked"},
		{"the run does not end", "numbered-without-gap", func(o *openwop.LogsObservation) { o.First.Ended.Reached = false }, "blocked"},
		{"no polls", "numbered-without-gap", func(o *openwop.LogsObservation) { o.First.Read = wiretest.Status(t, 404) }, "blocked"},

		{"an event behind the cursor is lost", "poll-cursor", func(o *openwop.LogsObservation) { o.Pages[1] = honest[3:].page(t, 1, isComplete) }, openwopv1.OWPEVT14},
		{"an event in the middle is lost", "poll-cursor", func(o *openwop.LogsObservation) {
			o.Pages[0] = entries{honest[1], honest[3]}.page(t, 0, isComplete)
		}, openwopv1.OWPEVT14},
		{"nothing behind a cursor", "poll-cursor", func(o *openwop.LogsObservation) { o.Pages[2] = entries{}.page(t, 2, isComplete) }, openwopv1.OWPEVT14},
		{"an event that nobody else shows", "poll-cursor", func(o *openwop.LogsObservation) {
			o.Pages[3] = honest.then("run.resumed")[4:].page(t, 3, isComplete)
		}, openwopv1.OWPEVT14},
		{"a cursor is refused", "poll-cursor", func(o *openwop.LogsObservation) { o.Pages[1].Status = wiretest.Status(t, 400) }, openwopv1.OWPEVT14},
		{"a cursor beyond the end is refused", "poll-cursor", func(o *openwop.LogsObservation) { o.Pages[4].Status = wiretest.Status(t, 400) }, "passed"},
		{"in pages", "poll-cursor", func(o *openwop.LogsObservation) { o.Pages[0] = honest[1:2].page(t, 0, nil) }, "passed"},
		{"the cursor's own event again", "poll-cursor", func(o *openwop.LogsObservation) {
			o.Pages[1] = honest[1:].page(t, 1, isComplete)
			o.Pages[1].Since = new(honest[1:].page(t, 1, isComplete))
		}, openwopv1.OWPEVT15},
		{"the cursor by its former name", "poll-cursor", func(o *openwop.LogsObservation) {
			o.Pages[1] = honest.page(t, 1, isComplete)
			o.Pages[1].Since = new(honest[2:].page(t, 1, isComplete))
		}, "passed"},
		{"no events member", "poll-cursor", func(o *openwop.LogsObservation) {
			o.Whole.Body = wiretest.Value(t, map[string]any{"items": []any{}})
		}, openwopv1.OWPEVT13},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := logsObservation(t, honest)
			c.spoil(&o)
			expect(t, c.scenario, o, c.want)
		})
	}
}

// What real hosts differ in is told, and changes no verdict.
func TestJudgesOfEventLogsTell(t *testing.T) {
	honest := entriesOf("a")
	terminal := func(o *openwop.LogsObservation) {
		for i := range o.Pages {
			o.Pages[i] = entries{}.page(t, o.Pages[i].After, map[string]any{"isTerminal": true, "lastEventSeq": 3, "runStatus": "completed"})
		}
	}
	for _, c := range []struct {
		name, scenario string
		first          entries
		spoil          func(*openwop.LogsObservation)
		want           string // of a finding
	}{
		{"counted from 1", "numbered-without-gap", honest.from(1), nil, "OWP-EVT-1: the first event has sequence 1, not 0"},
		{"a reserved word", "envelope-complete", honest.with(2, "type", "core.dispatch.failed"), nil, `OWP-EVT-7: types that are not in the catalogue begin with a reserved word: ["core.dispatch.failed"]`},
		{"clocks that go back", "envelope-complete", honest.with(2, "timestamp", "2025-01-01T00:00:00Z"), nil, "OWP-EVT-5: expected timestamp: times, none before"},
		{"no causes", "causes-come-first", honest.with(1, "causationId", nil).with(2, "causationId", nil).with(3, "causationId", nil), nil, ""},
		{"a foreign cause", "causes-come-first", honest.with(1, "type", "node.dispatched").with(2, "causationId", "child-9"), nil, "OWP-EVT-6: 1 events of a run that hands on work"},
		{"a payload without nodeId", "payloads-fit", honest.with(1, "payload", map[string]any{}), nil,
			"OWP-EVT-8: expected payload of node.started: as NodeStartedPayload has it, got missing property nodeId; missing property typeId (1 of 2)"},
		{"a payload of null", "payloads-fit", honest.with(0, "payload", json.RawMessage("null")), nil, "OWP-EVT-8: expected payload of run.started"},
		{"a note after the end", "ends-once", honest.then("lease.lost"), nil, `OWP-EVT-10: the end of the run is followed by events of type ["lease.lost"]`},
		{"isTerminal in place of isComplete", "poll-complete", honest, terminal, "OWP-EVT-17: the reply to a poll has no isComplete"},
		{"complete by no name", "poll-complete", honest, func(o *openwop.LogsObservation) {
			for i := range o.Pages {
				o.Pages[i] = entries{}.page(t, o.Pages[i].After, nil)
			}
		}, "OWP-EVT-17: expected at the end of the log"},
		{"the former name", "poll-cursor", honest, func(o *openwop.LogsObservation) {
			o.Pages[0] = honest.page(t, 0, isComplete)
			o.Pages[0].Since = new(honest[1:].page(t, 0, isComplete))
		}, "OWP-EVT-15: the host does not mind the cursor lastSequence"},
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

// tells expects a pass, with a finding that begins like this.
func tells(t *testing.T, name string, observation any, want string) {
	t.Helper()
	out := scenarios.Conclude(scenario(t, name), openwop.Protocol.Ledger, observation)
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
