package openintent

import (
	"testing"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func replyOf(t *testing.T, status int, body any) Reply {
	t.Helper()
	transcript := wiretest.Transcript(t, "hand-written", wiretest.Reply{Status: status, Body: body})
	return Reply{Asked: "a story", Status: wiretest.Status(t, status), Body: wiretest.At(t, transcript, refOf(1))}
}

func coordinatedBy(t *testing.T, policy string) Coordinated {
	lease := map[string]any{"id": "c-1", "status": active, "suspension_policy": policy}
	quiet := func(status string) Look { return Look{intentOf(t, status, nil), logOf(t, nil)} }
	return Coordinated{
		Policy: policy, Lease: replyOf(t, 200, lease), Shown: replyOf(t, 200, lease), Acted: waitOf(t, "it acts", policy != "isolate", nil),
		Parent: quiet(active), Waits: quiet(suspended), Wired: intentOf(t, map[bool]string{true: blocked, false: active}[policy == "block_dependents"], nil), Other: intentOf(t, active, nil),
	}
}

func honestCoordinators(t *testing.T) CoordinatorObservation {
	return CoordinatorObservation{
		Default: replyOf(t, 200, map[string]any{"suspension_policy": "isolate"}), Bogus: replyOf(t, 422, map[string]any{}),
		Escalate: coordinatedBy(t, "escalate"), Pause: coordinatedBy(t, "block_dependents"), Isolate: coordinatedBy(t, "isolate"),
	}
}

func TestJudgesOfCoordinators(t *testing.T) {
	escalation := func(t *testing.T) Log { return logOf(t, []happened{{eventEscalation, 0, map[string]any{}}}) }
	for _, c := range []struct {
		scenario, name string
		change         func(*testing.T, *CoordinatorObservation)
		want           string
	}{
		{"policy-kept", "honest", func(*testing.T, *CoordinatorObservation) {}, "passed"},
		{"unknown-policy", "honest", func(*testing.T, *CoordinatorObservation) {}, "passed"},
		{"escalates", "honest", func(*testing.T, *CoordinatorObservation) {}, "passed"},
		{"escalates", "it is inert", func(_ *testing.T, o *CoordinatorObservation) { o.Escalate.Acted.Reached = false }, openintentv1.OIP0026P5},
		{"blocks-dependents", "honest", func(*testing.T, *CoordinatorObservation) {}, "passed"},
		{"blocks-dependents", "it is inert", func(_ *testing.T, o *CoordinatorObservation) { o.Pause.Acted.Reached = false }, openintentv1.OIP0026P4},
		{"blocks-dependents", "the phase runs on", func(t *testing.T, o *CoordinatorObservation) { o.Pause.Wired = intentOf(t, active, nil) }, openintentv1.OIP0026P4},
		{"isolates", "every sibling is blocked", func(t *testing.T, o *CoordinatorObservation) { o.Isolate.Other = intentOf(t, blocked, nil) }, "blocked"},
		{"isolates", "honest", func(*testing.T, *CoordinatorObservation) {}, "passed"},
		{"isolates", "it escalates", func(t *testing.T, o *CoordinatorObservation) { o.Isolate.Parent.Log = escalation(t) }, openintentv1.OIP0026P3},
		{"isolates", "it escalates on the log of the phase", func(t *testing.T, o *CoordinatorObservation) { o.Isolate.Waits.Log = escalation(t) }, openintentv1.OIP0026P3},
		{"isolates", "it pauses", func(t *testing.T, o *CoordinatorObservation) { o.Isolate.Wired = intentOf(t, blocked, nil) }, openintentv1.OIP0026P3},
		{"isolates", "no policy has an effect", func(_ *testing.T, o *CoordinatorObservation) {
			o.Escalate.Acted.Reached, o.Pause.Acted.Reached = false, false
		}, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := honestCoordinators(t)
			c.change(t, &o)
			ends(t, concludes(t, coordinatorSuite(), c.scenario, o), c.want)
		})
	}

	// What a SHOULD asks is told and changes no verdict.
	o := honestCoordinators(t)
	o.Bogus, o.Default = replyOf(t, 200, map[string]any{}), replyOf(t, 200, map[string]any{"suspension_policy": "escalate"})
	for _, name := range []string{"unknown-policy", "policy-kept"} {
		got := concludes(t, coordinatorSuite(), name, o)
		if ends(t, got, "passed"); len(got.Findings) == 0 {
			t.Errorf("%s: nothing is found", name)
		}
	}

	// Where coordinators have no policy at all nothing is violated but by who claims it.
	for _, c := range []*Coordinated{&o.Escalate, &o.Pause, &o.Isolate} {
		c.Lease, c.Shown, c.Acted.Reached = replyOf(t, 200, map[string]any{"id": "c-1"}), replyOf(t, 200, map[string]any{"id": "c-1"}), false
	}
	for _, s := range coordinatorSuite().Scenarios {
		if got := scenarios.ConcludeOpen(s, Protocol.Ledger, o); got.Verdict != scenarios.Inapplicable {
			t.Errorf("%s, not claimed: %s (%s)", s.ID, got.Verdict, got.Reason)
		}
	}
	ends(t, concludes(t, coordinatorSuite(), "escalates", o), openintentv1.OIP0026P5)
}
