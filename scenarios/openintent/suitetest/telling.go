// Package suitetest runs tables of stories against judges: what a server might have sent, and how the scenario then ends.
package suitetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

const Waits = "suspended_awaiting_input"

// doc is a document as a test writes it.
type Doc = map[string]any

// teller mints what servers said, for observations that a test writes by hand.
type Teller struct{ T *testing.T }

// With is a document with more members, or other ones.
func With(d Doc, more Doc) Doc {
	out := maps.Clone(d)
	maps.Copy(out, more)
	return out
}

func (x Teller) Said(status int, body any) host.Reply {
	x.T.Helper()
	tr := wiretest.Transcript(x.T, "hand-written", wiretest.Reply{Status: status, Body: body})
	return host.Reply{Asked: "what was asked", Status: wiretest.At(x.T, tr, wire.Ref{Exchange: 1, Part: "status"}), Body: wiretest.At(x.T, tr, wire.Ref{Exchange: 1})}
}

// Ok is a reply of 200 with a document.
func (x Teller) Ok(body any) host.Reply { return x.Said(200, body) }

// Is an intent with a status.
func (x Teller) Is(status string) host.Reply {
	return x.Ok(Doc{"id": "i", "status": status, "version": 3})
}

func (x Teller) Reached(reached bool, last any) wire.Wait {
	return wire.Wait{What: "it happened", Reached: reached, Patience: time.Second, Answers: 6, Last: wiretest.Value(x.T, last)}
}

func (x Teller) Barrier() host.Barrier {
	return host.Barrier{Sentinel: x.Reached(true, "active"), Quiet: 250 * time.Millisecond}
}

// Happened is an event, n seconds after the first.
func Happened(n int, kind string, payload Doc) Doc {
	return Doc{"id": fmt.Sprint("e", n, kind), "event_type": kind, "actor": "a", "payload": payload, "created_at": fmt.Sprintf("2026-11-22T10:00:%02d.000001", n)}
}

func (x Teller) Log(events ...Doc) host.Log {
	list := []any{}
	for _, e := range events {
		list = append(list, e)
	}
	r := x.Ok(list)
	return host.Log{Read: r.Status, Events: r.Body.Items()}
}

// began is when the suspensions of these stories began.
const Began = "2026-11-22T10:00:00Z"

// Suspension is one that a server took and keeps. record is what was written and stands.
func (x Teller) Suspension(record Doc) host.Suspension {
	x.T.Helper()
	record = With(Doc{"id": "sid", "question": "q", "suspended_at": Began}, record)
	sent, err := json.Marshal(record)
	if err != nil {
		x.T.Fatal(err)
	}
	id, _ := record["id"].(string)
	written := x.Ok(Doc{"id": "i", "updated_at": Began})
	return host.Suspension{ID: id, Order: host.RecordFirst, Sent: sent, Record: written, Status: written,
		After: x.Ok(Doc{"id": "i", "status": "suspended_awaiting_input", "state": Doc{"_suspension": record}})}
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
type Story[O any] struct {
	Scenario string
	What     string
	Change   func(*O)
	Want     string
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

func JudgeAll[O any](t *testing.T, honest func(Teller) O, stories []Story[O]) {
	t.Helper()
	judged := map[string]int{}
	for _, s := range stories {
		t.Run(s.Scenario+"/"+s.What, func(t *testing.T) {
			o := honest(Teller{t})
			if s.Change != nil {
				s.Change(&o)
			}
			expect(t, s.Scenario, o, s.Want)
		})
		judged[s.Scenario+" "+map[bool]string{true: "honest", false: "dishonest"}[s.Change == nil]]++
	}
	for _, s := range stories {
		if judged[s.Scenario+" honest"] == 0 || judged[s.Scenario+" dishonest"] < 2 {
			t.Errorf("%s has %d honest and %d dishonest stories", s.Scenario, judged[s.Scenario+" honest"], judged[s.Scenario+" dishonest"])
		}
	}
}
