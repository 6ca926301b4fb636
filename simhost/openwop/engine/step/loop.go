package step

import (
	"slices"

	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// next does the next thing in the supervisor's loop.
func (m turn) next() Wait {
	switch m.loop.Phase {
	case state.PhaseIdle:
		return m.betweenTurns()
	case state.PhaseDeciding:
		return m.decide()
	case state.PhaseDecided:
		return m.weigh()
	case state.PhaseEscalated:
		return m.suspend(m.Rules.Confidence.Raises(m.S.Created.Escalation))
	case state.PhaseSuspended:
		return m.request()
	case state.PhaseAsked:
		return m.await()
	case state.PhaseAnswered, state.PhaseNoted:
		return m.takeUp()
	case state.PhaseResumed:
		return m.completeNode(m.S.Program.Supervisor().ID, "", nil)
	case state.PhaseActing:
		return m.act()
	default:
		return m.handoff().next()
	}
}

// betweenTurns ends a turn with its last note, and begins the next one.
func (m turn) betweenTurns() Wait {
	if a := m.loop.Asked; a != nil && a.Rejected && m.loop.Child == nil {
		switch m.Rules.Confidence.After(true, false) {
		case rules.CarriedOut:
			return m.act()
		case rules.LeftOpen:
			return WaitsForAnswer
		}
	}
	if m.stores().concludes() {
		return m.stores().conclude()
	}
	return m.beginTurn()
}

// beginTurn starts the supervisor's node for the next turn, unless it is one too many. From here on the turn reads state
// as of this place in the log, and the stores as they are at this moment, where turns do that.
func (m turn) beginTurn() Wait {
	past := rules.Past{Suspended: m.loop.Resumed, Held: m.loop.Told, Again: m.loop.Resumes > 1}
	if fork := m.S.Created.Fork; fork != nil {
		past.Branched = fork.Branch && !m.replaying()
	}
	if turn, ok := m.recordedTurn(); ok {
		past.Recorded = turn.Iteration
	}
	iteration := m.Rules.Loop.Next(m.loop.Iteration, past)
	n := m.S.Program.Supervisor()
	if m.turnRefused(iteration) || m.nodeRefused(n.ID) {
		return goesOn
	}
	news, seen := m.stores().refresh()
	if !seen {
		return WaitsToLook
	}
	m.learn(state.Fact{Turn: &state.Turn{Iteration: iteration, View: news}})
	return m.emitStarted(n, "")
}

// decide puts the supervisor's decision on the log, or a suspension where its agent is not sure enough to have one. What
// the turn notes and writes before it decides comes first.
func (m turn) decide() Wait {
	n := m.S.Program.Supervisor()
	values, missing := m.S.PortValues(n)
	if missing != nil {
		return m.failNode(n.ID, missing)
	}
	if _, wrong := workflow.ParseVerdicts(m.loop.Verdicts); wrong != nil {
		return m.failNode(n.ID, codes.Failure(codes.Script, "%s%s: %s", workflow.KeyVerdicts, wrong.At, wrong.Says))
	}
	if w, ready := m.stores().prepare(); !ready {
		return w
	}
	if m.unsure() {
		return m.suspend(event.LowConfidence)
	}
	wire, agent, ok := m.recordedDecision()
	if !ok {
		if m.Thinks != nil && m.Thinks(m.loop.Consulted) {
			return WaitsForThought
		}
		var err error
		if wire, err = m.S.Program.Consult(values, m.due(), m.Rules.Verifier.KeepsCriteria(m.S.Created.Version)); err != nil {
			return m.failNode(n.ID, codes.Failure(codes.Decision, "%v", err))
		}
		agent = m.S.Program.Agent.AgentID
	}
	if d, err := state.ReadDecision(wire); err == nil && !m.Rules.Dispatch.DecidesFirst(m.doubt(d)) {
		if w, early := m.actEarly(d); early {
			return w
		}
	}
	payload := event.DecidedPayload{AgentID: agent, Decision: wire}
	if m.Rules.Loop.Shows(m.S.Created.Version) {
		payload.Iteration = new(int64(m.loop.Iteration))
	}
	return m.emit(event.Decided, n.ID, "", &payload)
}

// unsure tells whether the supervisor's agent holds back its decision (RFC 0006 C): only its scripted first one can be.
func (m turn) unsure() bool {
	config := m.S.Program.Supervisor().Config
	confidence, scripted := config[workflow.KeyConfidence].(float64)
	_, pending := config[workflow.KeyPending]
	_, given := m.S.Created.Configurable[KeyThreshold]
	return scripted && pending && m.loop.Consulted == 0 && !m.loop.Ratified &&
		m.Rules.Confidence.Holds(rules.Doubt{Agent: true, Confidence: &confidence, Floor: m.S.Created.AgentThreshold, Set: given})
}

// due is the place in the script of the decision that is to be made. One that somebody rejected is behind.
func (m turn) due() int {
	if overruled := m.loop.Resumed && !m.loop.Ratified; overruled && m.Rules.Confidence.After(true, true) == rules.CarriedOut {
		return m.loop.Consulted - 1
	}
	return m.loop.Consulted
}

// actEarly begins what a decision brings about that is not on the log; early is false where that has begun.
func (m turn) actEarly(d state.Decision) (w Wait, early bool) {
	switch {
	case d.Kind == workflow.AskUser && !m.loop.Resumed:
		return m.suspend(event.Clarification), true
	case d.Kind == workflow.NextWorker && m.loop.Child == nil:
		return m.handoff().announce(d.Workers[0], 0), true
	default:
		return goesOn, false
	}
}

// weigh goes on with a decision that is on the log: a question suspends, a decision below the floor is held, any other is
// carried out.
func (m turn) weigh() Wait {
	d := m.loop.Decision
	switch {
	case d.Kind == workflow.AskUser && m.Rules.Dispatch.DecidesFirst(m.doubt(d)):
		return m.suspend(event.Clarification)
	case m.escalates(d):
		return m.escalate(d)
	default:
		return m.completeNode(m.S.Program.Supervisor().ID, "", nil)
	}
}

func (m turn) escalates(d state.Decision) bool {
	if m.replaying() {
		return m.recorded(event.Escalated)
	}
	return m.Rules.Confidence.Holds(m.doubt(d))
}

// doubt is a decision as rules look at it.
func (m turn) doubt(d state.Decision) rules.Doubt {
	return rules.Doubt{
		Version: m.S.Created.Version, Kind: d.Kind, Confidence: d.Confidence, Floor: m.S.Created.Floor,
		Again: m.loop.Resumes > 0,
		Newcomer: len(m.S.Children) > 0 && slices.ContainsFunc(d.Workers, func(worker string) bool {
			return !slices.ContainsFunc(m.S.Children, func(c state.ChildRun) bool { return c.WorkflowID == worker })
		}),
	}
}

func (m turn) escalate(d state.Decision) Wait {
	payload := event.EscalatedPayload{
		Floor:            m.S.Created.Floor,
		EscalationKind:   event.Clarifies,
		ParentRunID:      m.S.RunID,
		OriginalDecision: d.Wire,
	}
	if d.Confidence != nil {
		payload.Confidence = *d.Confidence
	}
	if m.S.Created.Escalation == event.Approval {
		payload.EscalationKind = event.Escalates
	}
	if len(d.Workers) > 0 {
		payload.WorkerID = d.Workers[0]
	}
	supervisor := m.S.Program.Supervisor().ID
	return m.emit(event.Escalated, supervisor, m.loop.DecidedID, &payload)
}

// terminate ends the run, once that is verified and the last note is taken.
func (m turn) terminate() Wait {
	switch {
	case m.verifies(true):
		return m.verify(m.S.Program.Supervisor().ID, m.loop.DecidedID, m.loop.DecidedID)
	case m.stores().concludes():
		return m.stores().conclude()
	case len(m.loop.Decision.Unmet) > 0:
		return m.giveUp()
	case !m.Rules.Dispatch.Ends(m.left()):
		return m.beginTurn()
	default:
		return m.complete(m.loop.DecidedID)
	}
}

// left is how many decisions the script holds behind the last one.
func (m turn) left() int {
	values, _ := m.S.PortValues(m.S.Program.Supervisor())
	plan, _, _ := m.S.Program.Script(values) // it was read for the last decision
	return max(0, len(plan)-m.loop.Consulted)
}

// act begins the effect of the turn's decision.
func (m turn) act() Wait {
	if a := m.loop.Asked; a != nil && !a.Rejected && m.Rules.Confidence.After(false, a.Unsure) == rules.Dropped {
		return m.beginTurn()
	}
	if m.loop.Decision.Kind == workflow.Terminate {
		return m.terminate()
	}
	n := m.S.Program.Dispatcher()
	if m.nodeRefused(n.ID) {
		return goesOn
	}
	return m.emitStarted(n, m.loop.DecidedID)
}
