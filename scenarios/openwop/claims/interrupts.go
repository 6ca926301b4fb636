package claims

import (
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/wire"
)

// No field advertises which interrupts a host has. It lists the workflows that raise them, and a listed fixture
// counts as a claim. Tests that need more from the operator, such as a key or a token, have claims of their own:
// without it, only those stay unproved.
var (
	Approvals      = offering("approvals", "approvals", fixture.Approval, fixture.UpstreamApproval)
	Clarifications = offering("clarifications", "questions to people", fixture.Questions, fixture.UpstreamClarification)
	ExternalEvents = offering("external-events", "runs that wait for an event from outside", fixture.Event, fixture.UpstreamEvent)
	Quorums        = offering("quorums", "approvals by several people", fixture.Quorum, fixture.UpstreamQuorum)
	AuthRequired   = offering("auth-required", "approvals that ask for a credential", fixture.UpstreamAuth)

	ApprovalScopes  = as("approval-scopes", "approvals that not every credential may answer", Approvals)
	AnsweredByToken = as("interrupt-tokens", "approvals that a token answers", Approvals)
	InterruptExpiry = as("interrupt-expiry", "approvals that have their time", Approvals)
	ApprovalsReplay = with(Approvals, as("approvals-replay", "replay of a run that waited for an approval", FinishedReplay))
	Cascade         = scenarios.Claim{
		ID: "interrupt-cascade", Title: "child runs that wait for an approval",
		Pointer: "/fixtures has " + fixture.Loop + " and " + fixture.Approval + ", or " + fixture.UpstreamCascade + " and its child",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			listed := Family(d, "fixtures")
			has := func(id string) bool {
				return slices.ContainsFunc(listed.Items(), func(v wire.Value) bool { return v.String() == id })
			}
			return listed, has(fixture.Loop) && has(fixture.Approval) || has(fixture.UpstreamCascade) && has(fixture.UpstreamCascadeChild)
		},
	}
)

// offering returns the claim that one of these fixtures is listed.
func offering(id, title string, fixtures ...string) scenarios.Claim {
	return scenarios.Claim{
		ID: id, Title: title, Pointer: "/fixtures has " + strings.Join(fixtures, " or "),
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			listed := Family(d, "fixtures")
			for _, v := range listed.Items() {
				if slices.Contains(fixtures, v.String()) {
					return v, true
				}
			}
			return listed, false
		},
	}
}
