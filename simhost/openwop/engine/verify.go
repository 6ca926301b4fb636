package engine

import (
	"encoding/json"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
)

// keyVerdicts is the port or config that says what a supervisor's verifier finds, result by result.
const keyVerdicts = "mockVerdicts"

// hostVerifier is the agent that verifies. It is never the one whose result it looks at.
const hostVerifier = "assay.verifier"

// maxVerdicts bounds the script of a verifier, and maxCriteria the keys in one of its verdicts.
const (
	maxVerdicts = 256
	maxCriteria = 64
)

// verdict is what a verifier finds in one result.
type verdict struct {
	Verdict    openwopv1.AgentVerifiedPayloadVerdict `json:"verdict"`
	Criteria   []string                              `json:"criteria"`
	Confidence *float64                              `json:"confidence"`
}

// parseVerdicts reads the script of a verifier: an array of {"verdict": ..., "criteria": [...], "confidence": ...}.
func parseVerdicts(script any) ([]verdict, *misfit) {
	if script == nil {
		return nil, nil
	}
	list, ok := script.([]any)
	if !ok || len(list) > maxVerdicts {
		return nil, misfits("", "must be an array of at most %d verdicts", maxVerdicts)
	}
	verdicts := make([]verdict, len(list))
	for i, value := range list {
		raw, err := json.Marshal(value)
		if err == nil {
			err = strictly(raw, &verdicts[i])
		}
		v := verdicts[i]
		switch {
		case err != nil:
			return nil, misfits(index(i), "must be {verdict, criteria, confidence}: %v", err)
		case !v.Verdict.Valid():
			return nil, misfits(index(i)+".verdict", "must be pass, fail or revise")
		case checkConfidence(v.Confidence) != nil:
			return nil, misfits(index(i)+".confidence", "must be 0 to 1")
		case len(v.Criteria) > maxCriteria || slices.ContainsFunc(v.Criteria, func(key string) bool { return key == "" || len(key) > maxName }):
			return nil, misfits(index(i)+".criteria", "must be at most %d keys of 1 to %d bytes", maxCriteria, maxName)
		case len(slices.Compact(slices.Sorted(slices.Values(v.Criteria)))) < len(v.Criteria):
			return nil, misfits(index(i)+".criteria", "names a key twice")
		}
	}
	return verdicts, nil
}

// checkVerdicts reads the verifier's script as it stands when the run begins.
func (p *program) checkVerdicts(inputs map[string]any) error {
	script, field := p.scripted(keyVerdicts, inputs)
	if _, wrong := parseVerdicts(script); wrong != nil {
		return p.refuseScript(keyVerdicts, field, wrong)
	}
	return nil
}

// verifies tells whether a result is to be verified now, before it counts: what a worker brings back, or the run's end. A
// result is verified once, and not where the script has run out.
func (m *move) verifies(end bool) bool {
	l := &m.s.loop
	switch {
	case l.verdict != "":
		return false
	case m.replaying():
		return m.recorded(openwopv1.RunEventTypeAgentVerified)
	case !m.s.created.Verifies:
		return false
	}
	verdicts, _ := parseVerdicts(l.verdicts) // they were checked when the turn began
	return m.rules.Verifier.Asked(end, len(verdicts)-l.verified)
}

// verify puts the verdict on the log, and what the host makes of it. What follows is the fold's business.
func (m *move) verify(nodeID, target, cause string) wait {
	l := &m.s.loop
	var payload openwopv1.AgentVerifiedPayload
	if !m.read(openwopv1.RunEventTypeAgentVerified, &payload) {
		verdicts, _ := parseVerdicts(l.verdicts)
		v := verdicts[l.verified]
		payload = openwopv1.AgentVerifiedPayload{AgentID: hostVerifier, Verdict: v.Verdict, Criteria: v.Criteria, Confidence: v.Confidence}
	}
	payload.Target = target
	m.learn(Fact{Heeded: &Heeded{m.rules.Verifier.Heeded(!l.handsOver(), payload, m.s.created.Gates)}})
	told := m.rules.Verifier.Told(payload, l.agentID, l.judged())
	return m.emitAs(openwopv1.RunEventTypeAgentVerified, nodeID, cause, told, &told.AgentVerifiedPayload)
}

// handsOver tells whether a worker is being dealt with.
func (l *loop) handsOver() bool { return l.phase == phaseDispatching && l.child != nil }

// judged is what a verdict is about: what the worker brings back; nil at the run's end.
func (l *loop) judged() map[string]any {
	if !l.handsOver() {
		return nil
	}
	return l.child.Harvest
}

// revises tells whether the loop goes on because its end is to be revised.
func (l *loop) revises() bool {
	return l.phase == phaseIdle && l.heeded == openwopv1.AgentVerifiedPayloadVerdictRevise
}

// judged folds a verdict. One that the host goes by and that is not a pass withholds what a worker brings back; at the
// run's end it sends the loop into another turn, or fails the run.
func (s *State) judged(event openwopv1.RunEvent, p *openwopv1.AgentVerifiedPayload) {
	l := &s.loop
	l.verified++
	l.verdict = p.Verdict
	switch {
	case l.heeded == openwopv1.AgentVerifiedPayloadVerdictPass:
	case l.handsOver():
		withheld := *l.child
		withheld.Harvest = nil
		l.child = &withheld
	case l.heeded == openwopv1.AgentVerifiedPayloadVerdictRevise:
		l.phase = phaseIdle
	default:
		s.failing = &failing{
			err: openwopv1.RunError{
				Code:    codeUnverified,
				Message: "the verifier did not let the run end well",
				Details: map[string]any{"target": p.Target},
			},
			cause: event.EventID,
		}
	}
}

// giveUp ends a run whose supervisor terminated it and says that a criterion of success is not met: that is no success.
func (m *move) giveUp() wait {
	l := &m.s.loop
	return m.emit(openwopv1.RunEventTypeRunFailed, "", l.decidedID, &openwopv1.RunFailedPayload{Error: openwopv1.EventError{
		Code:    codeGaveUp,
		Message: "the supervisor gave up: not all criteria of success are met",
		Details: map[string]any{"unmet": l.decision.unmet},
	}})
}

// unmet are the keys of the criteria that are not met.
func unmet(criteria []openwopv1.SuccessCriterion) (keys []string) {
	for _, c := range criteria {
		if !c.Met {
			keys = append(keys, c.Key)
		}
	}
	return keys
}
