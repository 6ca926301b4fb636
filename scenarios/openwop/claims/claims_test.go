package claims_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func document(t *testing.T, text string) scenarios.Discovery {
	t.Helper()
	return scenarios.Discovery{Document: wiretest.Value(t, json.RawMessage(text))}
}

// What the list of a feature leaves out is not claimed, and the place that shows it is the list.
func TestWhatAListLeavesOutIsNotClaimed(t *testing.T) {
	for _, c := range []struct {
		document string
		claim    scenarios.Claim
		made     bool
		at       string
	}{
		{`{"replay":{"supported":true}}`, claims.ForkReplay, true, "/replay/supported"},
		{`{"replay":{"supported":true,"modes":["branch","replay"]}}`, claims.ForkReplay, true, "/replay/supported"},
		{`{"replay":{"supported":true,"modes":["branch"]}}`, claims.ForkReplay, false, "/replay/modes"},
		{`{"replay":{"supported":true,"modes":["branch"]}}`, claims.BreachReplay, false, "/replay/modes"},
		{`{"replay":{"supported":true,"modes":["branch"]}}`, claims.ForkBranch, true, "/replay/modes"},
		{`{"replay":{"supported":true,"modes":["replay"]}}`, claims.ForkBranch, false, "/replay/modes"},
		{`{"replay":{"supported":true}}`, claims.ForkBranch, false, "/replay/modes"},
		{`{"agents":{"goals":{"continuation":["manual","schedule"]}}}`, claims.GoalsSchedule, true, "/agents/goals/continuation"},
		{`{"agents":{"goals":{"continuation":["manual","schedule"]}}}`, claims.GoalsHeartbeat, false, "/agents/goals/continuation"},
		{`{"agents":{"goals":{"continuation":["manual","schedule"]}}}`, claims.GoalsCommitment, false, "/agents/goals/continuation"},
		{`{"fixtures":["conformance-approval"]}`, claims.Approvals, true, "/fixtures/0"},
		{`{"fixtures":["conformance-approval"]}`, claims.Clarifications, false, "/fixtures"},
		{`{"multiAgent":{"executionModel":{"supported":true,"version":2,"confidenceEscalationInterruptKind":"clarification"}}}`,
			claims.ApprovalEscalation, false, "/multiAgent/executionModel/confidenceEscalationInterruptKind"},
		{`{"agents":{"orchestrator":true,"dispatchMapping":false}}`, claims.DispatchMapping, false, "/agents/dispatchMapping"},
		{`{"agents":{"orchestrator":true,"dispatch":false}}`, claims.Supervisor, false, "/agents/dispatch"},
	} {
		v, made := c.claim.Look(document(t, c.document))
		if at := v.Ref().Pointer; made != c.made || at != c.at {
			t.Errorf("%s: %s is claimed: %t, at %s; want %t, at %s", c.document, c.claim.ID, made, at, c.made, c.at)
		}
	}
}

// A claim that a host makes by listing nothing, or by a version below another, is a choice, and so is what rests on one: no pattern
// expects it of a host that has the feature.
func TestOppositesAreChoices(t *testing.T) {
	nothing := document(t, `{}`)
	none := document(t, `{"multiAgent":{"executionModel":{"supported":true,"version":1}}}`)
	below := func(c scenarios.Claim) bool { return strings.Contains(c.ID, "<") }
	for _, c := range claims.All {
		_, bare := c.Look(nothing)
		_, first := c.Look(none)
		lacks := strings.HasPrefix(c.ID, "no-")
		if (lacks || below(c)) && !c.Choice {
			t.Errorf("%s is no choice", c.ID)
		}
		if c.Choice && !(bare || first || slices.Contains([]string{"no-dispatch-mapping", "execution-model-experimental", "approval-escalation",
			"supervisor-without-model", "verifier-told", "workspace-runs<5"}, c.ID)) {
			t.Errorf("%s is a choice, and no bare host makes it", c.ID)
		}
	}
}
