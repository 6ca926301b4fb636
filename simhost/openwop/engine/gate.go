package engine

import (
	"encoding/json"

	"github.com/openassay/assay/gen/openwopv1"
)

// artifactVariable takes the artifact as an approval accepted it.
const artifactVariable = "artifact"

// isGate tells the nodes that do nothing but raise an interrupt and wait for what resolves it.
func (n *node) isGate() bool {
	return n.TypeID == typeApproval || n.TypeID == typeQuestions || n.TypeID == typeInterrupt
}

// gate is where the gate stands that is under way: there is one at a time. A gate whose artifact is asked about goes through
// its phases once more, with another interrupt.
type gate struct {
	phase   gatePhase
	asked   asked
	comment string // that ended the round before
	rounds  int    // that ended with a question
	quorum  quorum // of an approval by several people
	votes   []Vote // on the log
	vote    *Vote  // cast, and about to be on the log
	expired bool
	action  openwopv1.ApprovalAction // that an approval was resolved with
	written int                      // variables set so far
	resumed int                      // times that the node went on
}

// gatePhase moves on with every event of a gate's node, so that the gate can go on after any of them.
type gatePhase string

const (
	gateReady     gatePhase = ""          // the node is started, or goes on after a question
	gateSuspended gatePhase = "suspended" // the node is suspended
	gateOpen      gatePhase = "open"      // the interrupt is requested: waits for an answer, or for votes
	gateResolved  gatePhase = "resolved"  // the interrupt is resolved; now the variables
	gateResumed   gatePhase = "resumed"   // the node goes on
)

// openGate is the gate whose interrupt is open, nil where none is.
func (s *State) openGate() *gate {
	if g := &s.gate; g.phase == gateOpen && !g.expired && s.decision() == nil {
		return g
	}
	return nil
}

// gateNode is the gate that is under way; only to be asked for where there is one.
func (s *State) gateNode() *node { return &s.program.nodes[s.done] }

// maxRounds bounds how often one gate can be asked about: each time it shows its artifact again.
const maxRounds = 64

// asksAgain tells whether the answer was a question: the gate raises another interrupt then.
func (g *gate) asksAgain() bool { return isQuestion(g.action) }

func isQuestion(action openwopv1.ApprovalAction) bool {
	return action == openwopv1.ApprovalActionAsk || action == openwopv1.ApprovalActionRefine
}

// runGate does the next thing about a gate that is started.
func (m *move) runGate(n *node) wait {
	g := &m.s.gate
	switch g.phase {
	case gateReady, gateSuspended:
		r, wrong := readGate(m.s, n)
		if wrong != nil {
			return m.failNode(n.ID, wrong)
		}
		if g.phase == gateReady {
			return m.suspendGate(n, r.kind)
		}
		return m.requestGate(n, r)
	case gateOpen:
		return m.awaitGate(n)
	case gateResolved:
		return m.takeUpGate(n)
	default:
		if g.resumed < m.rules.Gates.Resumptions(g.asked.kind) {
			return m.resumeGate(n)
		}
		return m.endGate(n)
	}
}

func (m *move) suspendGate(n *node, kind openwopv1.InterruptKind) wait {
	suspended := m.suspension(n, kind)
	return m.emit(openwopv1.RunEventTypeNodeSuspended, n.ID, eventID(m.s.runID, m.s.next-1), &suspended)
}

// requestGate says what the suspension is about. From here on its time runs.
func (m *move) requestGate(n *node, r gateRequest) wait {
	request := &openwopv1.SuspendRequest{Kind: r.kind, Key: m.s.gate.asked.key, Data: m.encode(r.data)}
	if r.expires {
		m.learn(Fact{Timer: &Timer{NodeID: n.ID, Due: m.rules.Gates.Due(m.now, r.timeout)}})
		request.TimeoutMs = new(r.timeout.Milliseconds())
	}
	return m.emit(openwopv1.RunEventTypeInterruptRequested, n.ID, eventID(m.s.runID, m.s.next-1), request)
}

// awaitGate resolves the interrupt once there is an answer, or enough votes, or when it is too late for either.
func (m *move) awaitGate(n *node) wait {
	g := &m.s.gate
	switch {
	case g.expired:
		return m.expireGate(n)
	case m.s.decision() != nil:
		return m.resolveGate(n, m.s.decision().Value)
	case m.replaying():
		return m.replayGate(n)
	case m.overdue(n):
		return m.learn(Fact{Expired: &Expired{NodeID: n.ID}})
	case m.answer == nil:
		return waitsForAnswer
	}
	answer := m.answer
	m.answer = nil
	if g.counts(answer) {
		return m.castVote(n, Vote{Principal: m.principal, Value: answer})
	}
	return m.resolveGate(n, answer)
}

// replayGate does what the source has next, word for word.
func (m *move) replayGate(n *node) wait {
	for _, f := range m.recordedFacts() {
		switch {
		case f.Expired != nil:
			return m.learn(Fact{Expired: &Expired{NodeID: n.ID}})
		case f.Vote != nil:
			return m.castVote(n, *f.Vote)
		}
	}
	answer, ok := m.recordedAnswer()
	if !ok {
		return m.diverge()
	}
	return m.resolveGate(n, answer)
}

func (m *move) resolveGate(n *node, answer json.RawMessage) wait {
	a := &m.s.gate.asked
	return m.emit(openwopv1.RunEventTypeInterruptResolved, n.ID, a.requestedID, &openwopv1.InterruptResolvedPayload{
		InterruptID: a.interruptID, Kind: a.kind, NodeID: n.ID, ResumeValue: answer,
	})
}

// takeUpGate lets the node go on after the answer, which variables keep; a question is no answer.
func (m *move) takeUpGate(n *node) wait {
	g := &m.s.gate
	if !g.asksAgain() {
		if results := m.results(); g.written < len(results) {
			r := results[g.written]
			return m.setVariable(r.name, n.ID, g.asked.resolvedID, r.value)
		}
	}
	return m.resumeGate(n)
}

func (m *move) resumeGate(n *node) wait {
	g := &m.s.gate
	return m.emit(openwopv1.RunEventTypeNodeResumed, n.ID, g.asked.resolvedID, &openwopv1.NodeResumedPayload{
		NodeID: n.ID, InterruptID: &g.asked.interruptID, ResumeValue: g.asked.value,
	})
}

// endGate ends the node with what was answered.
func (m *move) endGate(n *node) wait {
	if g := &m.s.gate; !m.rules.Gates.Passes(g.action, g.rounds, g.quorum.several()) {
		return m.failNode(n.ID, failure(codeRejected, "what node %q asked was rejected", n.ID))
	}
	outputs := map[string]any{}
	for _, r := range m.results() {
		outputs[r.name] = r.value
	}
	return m.completeNode(n.ID, "", outputs)
}

// result is an output of a gate, and the variable of that name.
type result struct {
	name  string
	value any
}

// results are what comes of the answer.
func (m *move) results() []result {
	a := &m.s.gate.asked
	results := []result{{answerVariable, m.decode(m.rules.Gates.HandsOn(a.kind, a.value))}}
	artifact := m.rules.Gates.Artifact(m.s.gate.action, member(a.data, "artifactData"), member(a.value, keyEdited))
	if len(artifact) > 0 {
		results = append(results, result{artifactVariable, m.decode(artifact)})
	}
	return results
}

// decode is json.Unmarshal for a step; what it is given was checked before it was written.
func (m *move) decode(raw json.RawMessage) (v any) {
	if err := json.Unmarshal(raw, &v); err != nil {
		m.err = err
	}
	return v
}
