package openwop

import (
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// No field of the advertisement says which interrupts a host has. It lists the
// workflows that raise them, and a listed fixture is taken as a claim. What needs
// more of the target than others, a key or a token, is a claim of its own, so that
// a host which is certified without leaves that unproved and nothing else.
var (
	approvals      = offering("approvals", "approvals", fixtureApproval, upstreamApproval)
	clarifications = offering("clarifications", "questions to people", fixtureQuestions, upstreamClarification)
	externalEvents = offering("external-events", "runs that wait for an event from outside", fixtureEvent, upstreamEvent)
	quorums        = offering("quorums", "approvals by several people", fixtureQuorum, upstreamQuorum)
	authRequired   = offering("auth-required", "approvals that ask for a credential", upstreamAuth)

	approvalScopes  = as("approval-scopes", "approvals that not every credential may answer", approvals)
	answeredByToken = as("interrupt-tokens", "approvals that a token answers", approvals)
	interruptExpiry = as("interrupt-expiry", "approvals that have their time", approvals)
	approvalsReplay = with(approvals, as("approvals-replay", "replay of a run that waited for an approval", finishedReplay))
	cascade         = scenarios.Claim{
		ID: "interrupt-cascade", Title: "child runs that wait for an approval",
		Pointer: "/fixtures has " + fixtureLoop + " and " + fixtureApproval + ", or " + upstreamCascade + " and its child",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			listed := family(d, "fixtures")
			has := func(id string) bool {
				return slices.ContainsFunc(listed.Items(), func(v wire.Value) bool { return v.String() == id })
			}
			return listed, has(fixtureLoop) && has(fixtureApproval) || has(upstreamCascade) && has(upstreamCascadeChild)
		},
	}
)

// Fixture workflows that raise an interrupt, ours and upstream's.
const (
	fixtureApproval       = "assay-approval"
	fixtureQuestions      = "assay-questions"
	fixtureEvent          = "assay-event"
	fixtureQuorum         = "assay-quorum"
	upstreamApproval      = "conformance-approval"
	upstreamClarification = "conformance-clarification"
	upstreamEvent         = "conformance-interrupt-external-event"
	upstreamQuorum        = "conformance-interrupt-quorum"
	upstreamAuth          = "conformance-interrupt-auth-required"
	upstreamCascade       = "conformance-interrupt-parent-child-cancel"
	upstreamCascadeChild  = "conformance-interrupt-parent-child-cancel-child"
)

// offering is the claim that one of these fixtures is listed.
func offering(id, title string, fixtures ...string) scenarios.Claim {
	return scenarios.Claim{
		ID: id, Title: title, Pointer: "/fixtures has " + strings.Join(fixtures, " or "),
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			listed := family(d, "fixtures")
			for _, v := range listed.Items() {
				if slices.Contains(fixtures, v.String()) {
					return v, true
				}
			}
			return listed, false
		},
	}
}
