package engine

import (
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// turn does the next thing in the supervisor's loop.
func (m *move) turn() wait {
	switch m.s.loop.phase {
	case phaseIdle:
		return m.betweenTurns()
	case phaseDeciding:
		return m.decide()
	case phaseDecided:
		return m.weigh()
	case phaseEscalated:
		return m.suspend(m.rules.Confidence.Raises(m.s.created.Escalation))
	case phaseSuspended:
		if m.holdsUntold() {
			return m.escalate(m.s.loop.decision)
		}
		return m.request()
	case phaseAsked:
		return m.await()
	case phaseAnswered, phaseNoted:
		return m.takeUp()
	case phaseResumed:
		return m.completeNode(m.s.program.supervisor().ID, "", nil)
	case phaseActing:
		return m.act()
	default:
		return m.handOver()
	}
}

// betweenTurns ends a turn with its last note, and begins the next one.
func (m *move) betweenTurns() wait {
	if a := m.s.loop.asked; a != nil && a.rejected && m.s.loop.child == nil {
		switch m.rules.Confidence.After(true, false) {
		case rules.CarriedOut:
			return m.act()
		case rules.LeftOpen:
			return waitsForAnswer
		}
	}
	if m.concludes() {
		return m.conclude()
	}
	return m.beginTurn()
}

// beginTurn starts the supervisor's node for the next turn, unless it is one too many. From here on the turn reads state
// as of this place in the log, and the stores as they are at this moment, where turns do that.
func (m *move) beginTurn() wait {
	l := m.s.loop
	past := rules.Past{Suspended: l.resumed, Held: l.told, Again: l.resumes > 1}
	iteration := m.rules.Loop.Next(l.iteration, past)
	if turn, ok := m.recordedTurn(); ok {
		iteration = m.rules.Loop.Replays(turn.Iteration, past)
	}
	n := m.s.program.supervisor()
	if m.turnRefused(iteration) || m.nodeRefused(n.ID) {
		return goesOn
	}
	news, seen := m.refresh()
	if !seen {
		return waitsToLook
	}
	m.learn(Fact{Turn: &Turn{Iteration: iteration, View: news}})
	return m.emitStarted(n, "")
}

// decide puts the supervisor's decision on the log, or a suspension where its agent is not sure enough to have one. What
// the turn notes and writes before it decides comes first.
func (m *move) decide() wait {
	n := m.s.program.supervisor()
	values, missing := m.s.portValues(n)
	if missing != nil {
		return m.failNode(n.ID, missing)
	}
	if _, wrong := parseVerdicts(m.s.loop.verdicts); wrong != nil {
		return m.failNode(n.ID, failure(codeScript, "%s%s: %s", keyVerdicts, wrong.at, wrong.says))
	}
	if w, ready := m.prepare(); !ready {
		return w
	}
	if m.unsure() {
		return m.suspend(openwopv1.InterruptKindLowConfidence)
	}
	wire, agent, ok := m.recordedDecision()
	if !ok {
		var err error
		if wire, err = m.s.program.consult(values, m.due(), m.rules.Verifier.KeepsCriteria(m.s.created.Version), m.goesBy); err != nil {
			return m.failNode(n.ID, failure(codeDecision, "%v", err))
		}
		agent = m.rules.Dispatch.Agent(m.s.program.agent.AgentID, m.s.answered())
	}
	if d, err := readDecision(wire); err == nil && !m.rules.Dispatch.DecidesFirst(m.doubt(d)) {
		if w, early := m.actEarly(d); early {
			return w
		}
	}
	payload := m.rules.Loop.Writes(openwopv1.RunOrchestratorDecidedPayload{AgentID: agent, Decision: wire})
	if m.rules.Loop.Shows(m.s.created.Version) && m.rules.Loop.Carries(wire) {
		iteration := int64(m.rules.Loop.Numbers(m.s.loop.iteration, len(m.s.children)))
		payload.Iteration = &iteration
	}
	return m.emit(openwopv1.RunEventTypeRunOrchestratorDecided, n.ID, "", &payload)
}

// goesBy is the script that the supervisor goes by.
func (m *move) goesBy(plan []any) []any {
	return m.rules.Loop.Script(plan, boundOf(m.s, openwopv1.CapKindLoopIterations, m.s.created.Bounds.Turns).Own)
}

// unsure tells whether the supervisor's agent holds back its decision (RFC 0006 C): only its scripted first one can be.
func (m *move) unsure() bool {
	config := m.s.program.supervisor().Config
	confidence, scripted := config[keyConfidence].(float64)
	_, pending := config[keyPending]
	_, given := m.s.created.Configurable[keyThreshold]
	return scripted && pending && m.s.loop.consulted == 0 && !m.s.loop.ratified &&
		m.rules.Confidence.Unsure(confidence, m.s.created.AgentThreshold, given)
}

// due is the place in the script of the decision that is to be made. One that somebody rejected is behind.
func (m *move) due() int {
	l := m.s.loop
	if overruled := l.resumed && !l.ratified; overruled && m.rules.Confidence.After(true, true) == rules.CarriedOut {
		return l.consulted - 1
	}
	return l.consulted
}

// actEarly begins what a decision brings about that is not on the log; early is false where that has begun.
func (m *move) actEarly(d decision) (w wait, early bool) {
	switch l := m.s.loop; {
	case d.kind == askUser && !l.resumed:
		return m.suspend(openwopv1.InterruptKindClarification), true
	case d.kind == nextWorker && l.child == nil:
		return m.announce(d.workers[0], 0), true
	default:
		return goesOn, false
	}
}

// weigh goes on with a decision that is on the log: a question suspends, a decision below the floor is held, any other is
// carried out.
func (m *move) weigh() wait {
	d := m.s.loop.decision
	switch {
	case d.kind == askUser && m.rules.Dispatch.DecidesFirst(m.doubt(d)):
		return m.suspend(openwopv1.InterruptKindClarification)
	case m.escalates(d) && m.rules.Confidence.TellsFirst(d.kind):
		return m.escalate(d)
	case m.escalates(d):
		return m.suspend(m.rules.Confidence.Raises(m.s.created.Escalation))
	default:
		return m.completeNode(m.s.program.supervisor().ID, "", nil)
	}
}

func (m *move) escalates(d decision) bool {
	if m.replaying() {
		return m.recorded(openwopv1.RunEventTypeCoreWorkflowChainConfidenceEscalated) || m.recorded(openwopv1.RunEventTypeNodeSuspended)
	}
	return m.rules.Confidence.Escalates(m.doubt(d))
}

// doubt is a decision as rules look at it.
func (m *move) doubt(d decision) rules.Doubt {
	return rules.Doubt{
		Version: m.s.created.Version, Kind: d.kind, Confidence: d.confidence, Floor: m.s.created.Floor,
		Newcomer: len(m.s.children) > 0 && slices.ContainsFunc(d.workers, func(worker string) bool {
			return !slices.ContainsFunc(m.s.children, func(c childRun) bool { return c.workflowID == worker })
		}),
	}
}

// holdsUntold tells whether a decision is held of which the log does not say so yet.
func (m *move) holdsUntold() bool {
	l := m.s.loop
	return !l.told && !l.asked.unsure && l.decision.kind != askUser
}

func (m *move) escalate(d decision) wait {
	payload := openwopv1.CoreWorkflowChainConfidenceEscalatedPayload{
		Floor:            m.s.created.Floor,
		EscalationKind:   openwopv1.CoreWorkflowChainConfidenceEscalatedPayloadEscalationKindClarify,
		ParentRunID:      m.s.runID,
		OriginalDecision: &d.wire,
	}
	if d.confidence != nil {
		payload.Confidence = *d.confidence
	}
	if m.s.created.Escalation == openwopv1.InterruptKindApproval {
		payload.EscalationKind = openwopv1.CoreWorkflowChainConfidenceEscalatedPayloadEscalationKindEscalate
	}
	if len(d.workers) > 0 {
		payload.WorkerID = d.workers[0]
	}
	payload = m.rules.Confidence.Told(payload)
	supervisor := m.s.program.supervisor().ID
	return m.emit(openwopv1.RunEventTypeCoreWorkflowChainConfidenceEscalated, supervisor, m.s.loop.decidedID, &payload)
}

// terminate ends the run, once that is verified and the last note is taken.
func (m *move) terminate() wait {
	switch l := &m.s.loop; {
	case m.verifies(true):
		return m.verify(m.s.program.supervisor().ID, l.decidedID, l.decidedID)
	case m.concludes():
		return m.conclude()
	case len(l.decision.unmet) > 0:
		return m.giveUp()
	case !m.rules.Dispatch.Ends(m.left()):
		return m.beginTurn()
	default:
		return m.complete(l.decidedID)
	}
}

// left is how many decisions the script holds behind the last one.
func (m *move) left() int {
	values, _ := m.s.portValues(m.s.program.supervisor())
	plan, _, _ := m.s.program.script(values) // it was read for the last decision
	return max(0, len(plan)-m.s.loop.consulted)
}

// act begins the effect of the turn's decision.
func (m *move) act() wait {
	if a := m.s.loop.asked; a != nil && !a.rejected && m.rules.Confidence.After(false, a.unsure) == rules.Dropped {
		return m.beginTurn()
	}
	if m.s.loop.decision.kind == terminate {
		return m.terminate()
	}
	n := m.s.program.dispatcher()
	if m.nodeRefused(n.ID) {
		return goesOn
	}
	return m.emitStarted(n, m.s.loop.decidedID)
}
