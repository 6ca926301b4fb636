package coordinator

import (
	"testing"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/hosttest"
)

func coordinatedBy(t *testing.T, policy string) Coordinated {
	lease := map[string]any{"id": "c-1", "status": host.Active, "suspension_policy": policy}
	quiet := func(status string) host.Look {
		return host.Look{Intent: hosttest.IntentOf(t, status, nil), Log: hosttest.LogOf(t, nil)}
	}
	return Coordinated{
		Policy: policy, Lease: hosttest.ReplyOf(t, 200, lease), Shown: hosttest.ReplyOf(t, 200, lease),
		Acted:  hosttest.WaitOf(t, "it acts", policy != "isolate", map[string]any{"event_type": host.EventEscalation}),
		Parent: quiet(host.Active), Waits: quiet(host.Suspended),
		Wired: hosttest.IntentOf(t, map[bool]string{true: host.Blocked, false: host.Active}[policy == "block_dependents"], nil),
		Other: hosttest.IntentOf(t, host.Active, nil),
	}
}

func honestCoordinators(t *testing.T) CoordinatorObservation {
	return CoordinatorObservation{
		Defaults: []host.Reply{hosttest.ReplyOf(t, 200, map[string]any{"suspension_policy": "isolate"})},
		Bogus:    hosttest.ReplyOf(t, 422, map[string]any{}),
		Escalate: coordinatedBy(t, "escalate"), Pause: coordinatedBy(t, "block_dependents"), Isolate: coordinatedBy(t, "isolate"),
		Unnamed: coordinatedBy(t, "isolate"),
	}
}

func TestJudgesOfCoordinators(t *testing.T) {
	escalation := func(t *testing.T) host.Log {
		return hosttest.LogOf(t, []hosttest.Happened{{Kind: host.EventEscalation, At: 0, Payload: map[string]any{}}})
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*testing.T, *CoordinatorObservation)
		want           string
	}{
		{"policy-kept", "honest", func(*testing.T, *CoordinatorObservation) {}, "passed"},
		{"unknown-policy", "honest", func(*testing.T, *CoordinatorObservation) {}, "passed"},
		{"escalates", "honest", func(*testing.T, *CoordinatorObservation) {}, "passed"},
		{"escalates", "it is inert", func(_ *testing.T, o *CoordinatorObservation) { o.Escalate.Acted.Reached = false }, openintent.OIP0026P5},
		{"escalates", "twice", func(t *testing.T, o *CoordinatorObservation) {
			o.Again = hosttest.WaitOf(t, "again", true, map[string]any{})
		}, "passed"},
		{"escalates", "only once", func(t *testing.T, o *CoordinatorObservation) {
			o.Again = hosttest.WaitOf(t, "again", false, map[string]any{})
		}, openintent.OIP0026P5},
		{"blocks-dependents", "honest", func(*testing.T, *CoordinatorObservation) {}, "passed"},
		{"blocks-dependents", "it is inert",
			func(_ *testing.T, o *CoordinatorObservation) { o.Pause.Acted.Reached = false }, openintent.OIP0026P4},
		{"blocks-dependents", "the phase runs on",
			func(t *testing.T, o *CoordinatorObservation) { o.Pause.Wired = hosttest.IntentOf(t, host.Active, nil) },
			openintent.OIP0026P4},
		{"isolates", "every sibling is blocked", func(t *testing.T, o *CoordinatorObservation) {
			o.Isolate.Other = hosttest.IntentOf(t, host.Blocked, nil)
		}, hosttest.Violates(openintent.OIP00024)},
		{"isolates", "every sibling is suspended", func(t *testing.T, o *CoordinatorObservation) {
			o.Isolate.Other = hosttest.IntentOf(t, host.Suspended, nil)
		}, hosttest.Violates(openintent.OIP0026R1)},
		{"isolates", "a sibling cannot be read", func(t *testing.T, o *CoordinatorObservation) {
			o.Isolate.Other = hosttest.ReplyOf(t, 429, map[string]any{})
		}, "blocked"},
		{"isolates", "a log cannot be read", func(t *testing.T, o *CoordinatorObservation) {
			o.Isolate.Waits.Log = host.Log{Read: hosttest.ReplyOf(t, 503, nil).Status}
		}, "blocked"},
		{"isolates", "honest", func(*testing.T, *CoordinatorObservation) {}, "passed"},
		{"isolates", "it escalates", func(t *testing.T, o *CoordinatorObservation) { o.Isolate.Parent.Log = escalation(t) },
			openintent.OIP0026P3},
		{"isolates", "it escalates on the log of the phase",
			func(t *testing.T, o *CoordinatorObservation) { o.Isolate.Waits.Log = escalation(t) }, openintent.OIP0026P3},
		{"isolates", "it pauses", func(t *testing.T, o *CoordinatorObservation) {
			o.Isolate.Wired = hosttest.IntentOf(t, host.Blocked, nil)
		}, openintent.OIP0026P3},
		{"isolates-by-default", "honest", func(*testing.T, *CoordinatorObservation) {}, "passed"},
		{"isolates-by-default", "it escalates", func(t *testing.T, o *CoordinatorObservation) { o.Unnamed.Parent.Log = escalation(t) },
			openintent.OIP0026P3},
		{"isolates-by-default", "it pauses", func(t *testing.T, o *CoordinatorObservation) {
			o.Unnamed.Wired = hosttest.IntentOf(t, host.Blocked, nil)
		}, openintent.OIP0026P3},
		{"isolates-by-default", "it says that it escalates", func(t *testing.T, o *CoordinatorObservation) {
			o.Unnamed = coordinatedBy(t, "escalate")
			o.Unnamed.Parent.Log = escalation(t)
		}, "blocked"},
		{"isolates-by-default", "no policy has an effect", func(_ *testing.T, o *CoordinatorObservation) {
			o.Escalate.Acted.Reached, o.Pause.Acted.Reached = false, false
		}, hosttest.Violates(openintent.OIP0026P5)},
		{"isolates", "no policy has an effect", func(_ *testing.T, o *CoordinatorObservation) {
			o.Escalate.Acted.Reached, o.Pause.Acted.Reached = false, false
		}, hosttest.Violates(openintent.OIP0026P5)},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := honestCoordinators(t)
			c.change(t, &o)
			hosttest.Ends(t, hosttest.Concludes(t, Suite(), c.scenario, o), c.want)
		})
	}

	// A violated SHOULD is a finding.
	o := honestCoordinators(t)
	o.Bogus = hosttest.ReplyOf(t, 200, map[string]any{})
	o.Defaults[0] = hosttest.ReplyOf(t, 200, map[string]any{"suspension_policy": "escalate"})
	for _, name := range []string{"unknown-policy", "policy-kept"} {
		got := hosttest.Concludes(t, Suite(), name, o)
		if hosttest.Ends(t, got, "passed"); len(got.Findings) == 0 {
			t.Errorf("%s: nothing is found", name)
		}
	}

	// Without any policy, only a server that claims them violates anything.
	for _, c := range []*Coordinated{&o.Escalate, &o.Pause, &o.Isolate, &o.Unnamed} {
		c.Lease, c.Shown, c.Acted.Reached = hosttest.ReplyOf(t, 200, map[string]any{"id": "c-1"}),
			hosttest.ReplyOf(t, 200, map[string]any{"id": "c-1"}), false
	}
	for _, s := range Suite().Scenarios {
		if got := scenarios.ConcludeOpen(s, host.Ledger, o); got.Verdict != scenarios.Inapplicable {
			t.Errorf("%s, not claimed: %s (%s)", s.ID, got.Verdict, got.Reason)
		}
	}
	hosttest.Ends(t, hosttest.Concludes(t, Suite(), "escalates", o), openintent.OIP0026P5)
}
