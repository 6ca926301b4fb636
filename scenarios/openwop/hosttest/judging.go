package hosttest

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// Told mints a handwritten answer.
func Told(t *testing.T, asked string, status int, body any) host.Answered {
	t.Helper()
	transcript := wiretest.Transcript(t, "hand-written", wiretest.Reply{Status: status, Body: body})
	return host.Answered{Asked: asked, Status: wiretest.At(t, transcript, wire.Ref{Exchange: 1, Part: "status"}),
		Body: wiretest.At(t, transcript, wire.Ref{Exchange: 1})}
}

// No mints a refusal in an error envelope.
func No(t *testing.T, status int, code string) host.Answered {
	t.Helper()
	return Told(t, "it", status, map[string]any{"error": code, "message": "no"})
}

// Findings returns the requirements that a scenario's findings name, in order.
func Findings(t *testing.T, name string, observation any) []string {
	t.Helper()
	var out []string
	for _, f := range scenarios.Conclude(Scenario(t, name), openwop.Protocol.Ledger, observation).Findings {
		out = append(out, string(f.Requirement))
	}
	return out
}

// Notes returns the texts of a scenario's findings that name no requirement, in order.
func Notes(t *testing.T, name string, observation any) []string {
	t.Helper()
	var out []string
	for _, f := range scenarios.Conclude(Scenario(t, name), openwop.Protocol.Ledger, observation).Findings {
		if f.Requirement == "" {
			out = append(out, f.Text)
		}
	}
	return out
}

// HasNote reports whether such a finding holds a text.
func HasNote(t *testing.T, name string, observation any, text string) bool {
	t.Helper()
	return slices.ContainsFunc(Notes(t, name, observation), func(note string) bool { return strings.Contains(note, text) })
}

// BlockedOn is what [Expect] wants of a setup that shows that a requirement is violated. Accused of nothing is
// BlockedOn("").
func BlockedOn(violated scenarios.RequirementID) string {
	return "blocked on " + cmp.Or(string(violated), "nothing")
}

// Verdicts returns the verdict of each scenario by name, with the evidence if it passed.
func Verdicts(r *scenarios.Report) map[string]string {
	out := map[string]string{}
	for _, o := range r.Outcomes {
		v := string(o.Verdict)
		if o.Verdict == scenarios.Passed {
			v += " " + o.Evidence.String()
		}
		out[o.Scenario.Name()] = v
	}
	return out
}

func Compare(t *testing.T, r *scenarios.Report, want map[string]string) {
	t.Helper()
	got := Verdicts(r)
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if !slices.Contains(strings.Split(want[name], " or "), got[name]) {
			i := slices.IndexFunc(r.Outcomes, func(o scenarios.Outcome) bool { return o.Scenario.Name() == name })
			t.Errorf("%s: %s, want %s (%s)", name, got[name], want[name], r.Outcomes[i].Reason)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d scenarios ran, %d are expected", len(got), len(want))
	}
}

func Scenario(t *testing.T, name string) scenarios.Scenario {
	t.Helper()
	for _, suite := range openwop.Suites() {
		for _, s := range suite.Scenarios {
			if s.Name() == name {
				return s
			}
		}
	}
	t.Fatalf("no scenario %s", name)
	return scenarios.Scenario{}
}

// Expect judges an observation. want is a verdict such as "passed" or "blocked", or the id of the violated
// requirement that is reported first, or what [BlockedOn] returns.
func Expect(t *testing.T, name string, observation any, want string) {
	t.Helper()
	out := scenarios.Conclude(Scenario(t, name), openwop.Protocol.Ledger, observation)
	got := string(out.Verdict)
	if out.Failure != nil {
		got = string(out.Failure.Requirement)
	}
	if got == string(scenarios.Blocked) && want != got {
		got = BlockedOn(out.BlockedOn)
	}
	if got != want {
		t.Errorf("%s: %s (%s), want %s", name, got, out.Reason, want)
	}
}
