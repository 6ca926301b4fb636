// Package hosttest makes observations of servers for tests of judges. It imports no suite, so a theme can use it from
// inside.
package hosttest

import (
	"slices"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// ReplyOf returns a reply.
func ReplyOf(t *testing.T, status int, body any) host.Reply {
	t.Helper()
	transcript := wiretest.Transcript(t, "hand-written", wiretest.Reply{Status: status, Body: body})
	return host.Reply{Asked: "a story", Status: wiretest.Status(t, status), Body: wiretest.At(t, transcript, wire.Ref{Exchange: 1})}
}

// Concludes judges an observation by a scenario of a suite.
func Concludes(t *testing.T, suite scenarios.Suite, name string, observation any) scenarios.Outcome {
	t.Helper()
	i := slices.IndexFunc(suite.Scenarios, func(s scenarios.Scenario) bool { return s.Name() == name })
	if i < 0 {
		t.Fatalf("no scenario %s", name)
	}
	return scenarios.Conclude(suite.Scenarios[i], host.Ledger, observation)
}

// Violates is what [Ends] wants of a scenario that a step of the setup blocks, which violates a requirement.
func Violates(requirement scenarios.RequirementID) string {
	return "blocked, violating " + string(requirement)
}

// Ends checks how a scenario ended: "passed", "blocked", [Violates], or the id of the requirement that is violated.
func Ends(t *testing.T, o scenarios.Outcome, want string) {
	t.Helper()
	got := string(o.Verdict)
	switch {
	case o.Failure != nil:
		got = string(o.Failure.Requirement)
	case o.BlockedOn != "":
		got = Violates(o.BlockedOn)
	}
	if got != want {
		t.Errorf("%s ends as %s (%s), want %s", o.Scenario.ID, got, o.Reason, want)
	}
}

var beganAt = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// After returns the time so many seconds after the suspension.
func After(seconds float64) string {
	return host.Stamp(beganAt.Add(time.Duration(seconds * float64(time.Second))))
}

// Happened is an event of a story.
type Happened struct {
	Kind    openintentv1.EventType
	At      float64 // seconds after the suspension
	Payload map[string]any
}

// LogOf returns a log of these events.
func LogOf(t *testing.T, events []Happened) host.Log {
	t.Helper()
	list := []any{}
	for _, e := range events {
		list = append(list, map[string]any{"event_type": e.Kind, "created_at": After(e.At), "payload": e.Payload})
	}
	return host.Log{Read: wiretest.Status(t, 200), Events: wiretest.Value(t, list).Items()}
}

// IntentOf returns a reply with an intent. An abandoned one changed 6 seconds after the suspension.
func IntentOf(t *testing.T, status string, record map[string]any) host.Reply {
	t.Helper()
	changed := 0.0
	if status == host.Abandoned {
		changed = 6
	}
	return host.Reply{Status: wiretest.Status(t, 200), Body: wiretest.Value(t, map[string]any{
		"status": status, "state": map[string]any{"_suspension": record}, "updated_at": After(changed),
	})}
}

// WaitOf returns a wait whose last value is given.
func WaitOf(t *testing.T, what string, reached bool, seen any) wire.Wait {
	t.Helper()
	return wire.Wait{What: what, Reached: reached, Patience: time.Second, Answers: 5,
		Last: wiretest.Value(t, map[string]any{"is": seen}).Key("is")}
}
