// Package suitetest tests judges with tables of stories: what a server might have sent, and how the scenario then ends.
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

// Waits is the status of a suspended intent.
const Waits = "suspended_awaiting_input"

// Doc is a document as a test writes it.
type Doc = map[string]any

// Minter mints replies of servers, for observations that a test writes by hand.
type Minter struct{ T *testing.T }

// With returns a document with more members, which replace those of the same name.
func With(d Doc, more Doc) Doc {
	out := maps.Clone(d)
	maps.Copy(out, more)
	return out
}

// Reply returns a reply.
func (x Minter) Reply(status int, body any) host.Reply {
	x.T.Helper()
	tr := wiretest.Transcript(x.T, "hand-written", wiretest.Reply{Status: status, Body: body})
	return host.Reply{
		Asked:  "what was asked",
		Status: wiretest.At(x.T, tr, wire.Ref{Exchange: 1, Part: "status"}), Body: wiretest.At(x.T, tr, wire.Ref{Exchange: 1}),
	}
}

// Ok returns a reply of 200 with a document.
func (x Minter) Ok(body any) host.Reply { return x.Reply(200, body) }

// Is returns a reply with an intent of a status.
func (x Minter) Is(status string) host.Reply {
	return x.Ok(Doc{"id": "i", "status": status, "version": 3})
}

// Reached returns a wait whose last value is given.
func (x Minter) Reached(reached bool, last any) wire.Wait {
	return wire.Wait{What: "it happened", Reached: reached, Patience: time.Second, Answers: 6,
		Last: wiretest.Value(x.T, Doc{"is": last}).Key("is")}
}

// Barrier returns a barrier whose sentinel was reached.
func (x Minter) Barrier() host.Barrier {
	return host.Barrier{Sentinel: x.Reached(true, "active"), Quiet: 250 * time.Millisecond}
}

// Happened returns an event, n seconds after the suspensions began.
func Happened(n int, kind string, payload Doc) Doc {
	return Doc{
		"id": fmt.Sprint("e", n, kind), "event_type": kind, "actor": "a", "payload": payload,
		"created_at": fmt.Sprintf("2026-11-22T10:00:%02d.000001", n),
	}
}

// Log returns a log of these events.
func (x Minter) Log(events ...Doc) host.Log {
	list := []any{}
	for _, e := range events {
		list = append(list, e)
	}
	r := x.Ok(list)
	return host.Log{Read: r.Status, Events: r.Body.Items()}
}

// Began is the time at which the suspensions of the stories begin.
const Began = "2026-11-22T10:00:00Z"

// Suspension returns a suspension whose record the server took and shows as it was written.
func (x Minter) Suspension(record Doc) host.Suspension {
	x.T.Helper()
	record = With(Doc{"id": "sid", "question": "q", "suspended_at": Began}, record)
	sent, err := json.Marshal(record)
	if err != nil {
		x.T.Fatal(err)
	}
	id, _ := record["id"].(string)
	written := x.Ok(Doc{"id": "i", "updated_at": Began})
	return host.Suspension{ID: id, Order: host.RecordFirst, Sent: host.SentOf(sent), Record: written, Status: written,
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

// Violates is the end of a story that a step of the setup blocks, which violates a requirement.
func Violates(requirement scenarios.RequirementID) string {
	return "blocked, violating " + string(requirement)
}

// Story is an observation with one change, and how the scenario ends with it. Want is passed, blocked, [Violates], inapplicable,
// noted (passed with a finding), not there (failed, or inapplicable if the claim is open), lacking (blocked, or
// inapplicable if the claim is open), or the id of the requirement that is violated.
type Story[O any] struct {
	Scenario string
	What     string
	Change   func(*O) // nil for the honest story
	Want     string
}

// expect judges an observation, once with the claim made and once with the claim open.
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
		case out.BlockedOn != "" && want != "lacking":
			got = Violates(out.BlockedOn)
		case got == "inapplicable" && want != got && (open || len(out.Findings) > 0): // a SHOULD is a finding
			got = "not there"
		}
		if want == "lacking" {
			if got != map[bool]string{true: "not there", false: "blocked"}[open] {
				t.Errorf("%s: %s (%s), open %v", id, got, out.Reason, open)
			}
		} else if got != want {
			t.Errorf("%s: %s (%s), want %s, open %v", id, got, out.Reason, want, open)
		}
	}
}

// JudgeAll judges stories. Each scenario needs an honest one, and two dishonest ones.
func JudgeAll[O any](t *testing.T, honest func(Minter) O, stories []Story[O]) {
	t.Helper()
	judged := map[string]int{}
	for _, s := range stories {
		t.Run(s.Scenario+"/"+s.What, func(t *testing.T) {
			o := honest(Minter{t})
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
