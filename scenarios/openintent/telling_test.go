package openintent_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// doc is a document as a test writes it.
type doc = map[string]any

// teller mints what servers said, for observations that a test writes by hand.
type teller struct{ t *testing.T }

// with is a document with more members, or other ones.
func with(d doc, more doc) doc {
	out := maps.Clone(d)
	maps.Copy(out, more)
	return out
}

func (x teller) said(status int, body any) openintent.Reply {
	x.t.Helper()
	tr := wiretest.Transcript(x.t, "hand-written", wiretest.Reply{Status: status, Body: body})
	return openintent.Reply{Asked: "what was asked", Status: wiretest.At(x.t, tr, wire.Ref{Exchange: 1, Part: "status"}), Body: wiretest.At(x.t, tr, wire.Ref{Exchange: 1})}
}

// ok is a reply of 200 with a document.
func (x teller) ok(body any) openintent.Reply { return x.said(200, body) }

// is an intent with a status.
func (x teller) is(status string) openintent.Reply {
	return x.ok(doc{"id": "i", "status": status, "version": 3})
}

func (x teller) reached(reached bool, last any) wire.Wait {
	return wire.Wait{What: "it happened", Reached: reached, Patience: time.Second, Answers: 6, Last: wiretest.Value(x.t, last)}
}

func (x teller) barrier() openintent.Barrier {
	return openintent.Barrier{Sentinel: x.reached(true, "active"), Quiet: 250 * time.Millisecond}
}

// happened is an event, n seconds after the first.
func happened(n int, kind string, payload doc) doc {
	return doc{"id": fmt.Sprint("e", n, kind), "event_type": kind, "actor": "a", "payload": payload, "created_at": fmt.Sprintf("2026-11-22T10:00:%02d.000001", n)}
}

func (x teller) log(events ...doc) openintent.Log {
	list := []any{}
	for _, e := range events {
		list = append(list, e)
	}
	r := x.ok(list)
	return openintent.Log{Read: r.Status, Events: r.Body.Items()}
}

// began is when the suspensions of these stories began.
const began = "2026-11-22T10:00:00Z"

// suspension is one that a server took and keeps. record is what was written and stands.
func (x teller) suspension(record doc) openintent.Suspension {
	x.t.Helper()
	record = with(doc{"id": "sid", "question": "q", "suspended_at": began}, record)
	sent, err := json.Marshal(record)
	if err != nil {
		x.t.Fatal(err)
	}
	id, _ := record["id"].(string)
	written := x.ok(doc{"id": "i", "updated_at": began})
	return openintent.Suspension{ID: id, Order: openintent.RecordFirst, Sent: sent, Record: written, Status: written,
		After: x.ok(doc{"id": "i", "status": "suspended_awaiting_input", "state": doc{"_suspension": record}})}
}

func scenario(t *testing.T, id string) scenarios.Scenario {
	t.Helper()
	for _, suite := range openintent.Suites() {
		for _, s := range suite.Scenarios {
			if string(s.ID) == "openintent/"+id {
				return s
			}
		}
	}
	t.Fatalf("no scenario %s", id)
	return scenarios.Scenario{}
}

// story is one observation with one thing changed, and how the scenario ends with it: passed, blocked, inapplicable, noted
// (it passes, and tells of a requirement in a finding), not there (inapplicable where nobody claims it, else failed), lacking
// (inapplicable where nobody claims it, else blocked), or the id of the requirement that it fails by.
type story[O any] struct {
	scenario string
	what     string
	change   func(*O)
	want     string
}

// expect judges and compares.
func expect(t *testing.T, id string, observation any, want string) {
	t.Helper()
	for _, open := range []bool{false, true} {
		conclude := scenarios.Conclude
		if open {
			conclude = scenarios.ConcludeOpen
		}
		out := conclude(scenario(t, id), openintent.Protocol.Ledger, observation)
		got := string(out.Verdict)
		switch {
		case out.Failure != nil && out.Failure.Actual == "not there":
			got = "not there"
		case out.Failure != nil:
			got = string(out.Failure.Requirement)
		case out.Verdict == scenarios.Passed && len(out.Findings) > 0:
			got = "noted"
		case got == "inapplicable" && want != got && (open || len(out.Findings) > 0): // what only should be there is told
			got = "not there"
		}
		if want == "lacking" { // not there, where nobody claims it; blocked where somebody does
			if got != map[bool]string{true: "not there", false: "blocked"}[open] {
				t.Errorf("%s: %s (%s), open %v", id, got, out.Reason, open)
			}
		} else if got != want {
			t.Errorf("%s: %s (%s), want %s, open %v", id, got, out.Reason, want, open)
		}
	}
}

func judgeAll[O any](t *testing.T, honest func(teller) O, stories []story[O]) {
	t.Helper()
	judged := map[string]int{}
	for _, s := range stories {
		t.Run(s.scenario+"/"+s.what, func(t *testing.T) {
			o := honest(teller{t})
			if s.change != nil {
				s.change(&o)
			}
			expect(t, s.scenario, o, s.want)
		})
		judged[s.scenario+" "+map[bool]string{true: "honest", false: "dishonest"}[s.change == nil]]++
	}
	for _, s := range stories {
		if judged[s.scenario+" honest"] == 0 || judged[s.scenario+" dishonest"] < 2 {
			t.Errorf("%s has %d honest and %d dishonest stories", s.scenario, judged[s.scenario+" honest"], judged[s.scenario+" dishonest"])
		}
	}
}
