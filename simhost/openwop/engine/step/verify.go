package step

import (
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// HostVerifier is the agent that verifies. It is never the one whose result it looks at.
const HostVerifier = "assay.verifier"

// verifies tells whether a result is to be verified now, before it counts: what a worker brings back, or the run's end. A
// result is verified once, and not where the script has run out.
func (m turn) verifies(end bool) bool {
	switch {
	case m.loop.Verdict != "":
		return false
	case m.replaying():
		return m.recorded(event.Verified)
	case !m.S.Created.Verifies:
		return false
	}
	verdicts, _ := workflow.ParseVerdicts(m.loop.Verdicts) // they were checked when the turn began
	return m.Rules.Verifier.Asked(end, len(verdicts)-m.loop.Verified)
}

// verify puts the verdict on the log, and what the host makes of it. What follows is the fold's business.
func (m turn) verify(nodeID, target, cause string) Wait {
	var payload event.VerifiedPayload
	if !m.read(event.Verified, &payload) {
		verdicts, _ := workflow.ParseVerdicts(m.loop.Verdicts)
		v := verdicts[m.loop.Verified]
		payload = event.VerifiedPayload{AgentID: HostVerifier, Verdict: v.Verdict, Criteria: v.Criteria, Confidence: v.Confidence}
	}
	payload.Target = target
	heeded := m.Rules.Verifier.Heeded(!m.loop.HandsOver(), payload, m.loop.Verified+1, m.S.Created.Gates)
	m.learn(state.Fact{Heeded: &state.Heeded{Verdict: heeded}})
	return m.emit(event.Verified, nodeID, cause, &payload)
}

// giveUp ends a run whose supervisor terminated it and says that a criterion of success is not met: that is no success.
func (m turn) giveUp() Wait {
	return m.emit(event.RunFailed, "", m.loop.DecidedID, &event.RunFailedPayload{Error: event.Error{
		Code:    codes.GaveUp,
		Message: "the supervisor gave up: not all criteria of success are met",
		Details: map[string]any{"unmet": m.loop.Decision.Unmet},
	}})
}
