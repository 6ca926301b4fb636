package engine

import (
	"context"
	"encoding/json"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/mockai"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// The one provider of models that there is, and the version of the execution model from which on a replay asks it again (RFC 0041).
const (
	providerMock       = "mock"
	determinismVersion = 4
)

// Models are what answers the nodes that call a model; *mockai.Models is one.
type Models interface {
	Answer(context.Context, mockai.Call) (answer mockai.Answer, programmed bool, err error)
}

// answered is what a model answered to the node under way.
type answered struct {
	mockai.Answer
	programmed bool
}

// readModel reads how a node calls a model.
func (n *node) readModel() error {
	if n.TypeID != typeModel {
		return nil
	}
	if provider := n.Config["provider"]; provider != providerMock {
		return refusedNode(n.ID, "config.provider must be %s, not %v: this host has no other model", providerMock, provider)
	}
	schema, set := n.Config["outputSchema"]
	if !set {
		return nil
	}
	document, ok := schema.(map[string]any)
	if !ok {
		return refusedNode(n.ID, "config.outputSchema must be a JSON Schema, an object")
	}
	var err error
	if n.output, err = compileAnswer(document); err != nil {
		return refusedNode(n.ID, "config.outputSchema is no JSON Schema: %v", err)
	}
	return nil
}

// call completes a node with what the model answers. A replay asks the model again, from version 4 on, and takes what is
// recorded all the same: an answer that differs is told, and where one of the two is a refusal the replay fails.
func (m *move) call(n *node) wait {
	s := m.s
	switch {
	case s.refusal != nil:
		return m.failNode(n.ID, s.refusal)
	case m.recorded(openwopv1.RunEventTypeReplayDiverged), m.recorded(openwopv1.RunEventTypeReplayDivergedAtRefusal):
		return m.replay() // the source is a replay itself
	case m.replaying() && (s.differs || s.created.Version < determinismVersion):
		return m.outcome(n, nil)
	case m.answered == nil:
		return waitsToAsk
	}
	a := m.answered
	m.answered = nil
	if !m.replaying() {
		return m.outcome(n, a)
	}
	if !a.programmed {
		return m.outcome(n, nil)
	}
	was := m.recordedOutcome()
	differs := m.rules.Replay.Differs(rules.Reanswer{Refused: a.Refused(), WasRefused: was.refused(), Same: was.is(judge(n, *a))})
	switch {
	case differs == rules.AtRefusal:
		return m.tellRefusal(n, *a)
	case !m.rules.Replay.Recorded(differs):
		return m.outcome(n, a)
	case differs == rules.OtherAnswer:
		return m.tellDifference()
	}
	return m.outcome(n, nil)
}

// outcome ends a node that called a model, as the model's answer has it, or as is recorded where there is none.
func (m *move) outcome(n *node, a *answered) wait {
	o := m.recordedOutcome()
	if a != nil {
		o = judge(n, *a)
	}
	switch {
	case o.err != nil:
		return m.failNode(n.ID, o.err)
	case o.outputs != nil:
		return m.completeNode(n.ID, "", o.outputs)
	default:
		return m.diverge() // the source has neither at this place
	}
}

// outcome is what a call of a model came to: outputs or an error.
type outcome struct {
	outputs map[string]any
	err     *openwopv1.EventError
}

func (o outcome) refused() bool { return o.err != nil && o.err.Code == codeModelRefused }

func (o outcome) is(other outcome) bool {
	a, errA := json.Marshal([]any{o.outputs, o.err})
	b, errB := json.Marshal([]any{other.outputs, other.err})
	return errA == nil && errB == nil && string(a) == string(b)
}

// judge is what an answer comes to. What a model says when it refuses is not repeated: it may quote what it was asked.
func judge(n *node, a answered) outcome {
	if a.Refused() {
		return outcome{err: failure(codeModelRefused, "the model refused to answer node %q", n.ID)}
	}
	var output any
	if err := json.Unmarshal([]byte(a.Content), &output); err != nil {
		return outcome{err: failure(codeOutput, "the model answered node %q with something that is not JSON", n.ID)}
	}
	if n.output != nil {
		if problems := n.output.compiled.ValidateValue(output); len(problems) > 0 {
			return outcome{err: failure(codeOutput, "the answer to node %q does not fit its schema: %s", n.ID, problems[0])}
		}
	}
	return outcome{outputs: map[string]any{"output": output}}
}

// recordedOutcome is what the source's call came to.
func (m *move) recordedOutcome() (o outcome) {
	var (
		completed openwopv1.NodeCompletedPayload
		failed    openwopv1.NodeFailedPayload
	)
	switch {
	case m.read(openwopv1.RunEventTypeNodeCompleted, &completed):
		o.outputs = completed.Outputs
		if o.outputs == nil {
			o.outputs = map[string]any{}
		}
	case m.read(openwopv1.RunEventTypeNodeFailed, &failed):
		o.err = &failed.Error
	}
	return o
}

// tellRefusal says that one of two answers is a refusal. The replay fails for that.
func (m *move) tellRefusal(n *node, a answered) wait {
	kinds := map[bool]openwopv1.ReplayDivergedAtRefusalPayloadReplayEnvelopeKind{
		false: openwopv1.ReplayDivergedAtRefusalPayloadReplayEnvelopeKindValid,
		true:  openwopv1.ReplayDivergedAtRefusalPayloadReplayEnvelopeKindRefusal,
	}
	at := place(m.s)
	payload := &openwopv1.ReplayDivergedAtRefusalPayload{
		SourceRunID:          m.s.created.Fork.RunID,
		AtSequence:           at,
		OriginalEventID:      &m.tape.events[at].EventID,
		NodeID:               n.ID,
		OriginalEnvelopeKind: openwopv1.ReplayDivergedAtRefusalPayloadOriginalEnvelopeKind(kinds[!a.Refused()]),
		ReplayEnvelopeKind:   kinds[a.Refused()],
	}
	if a.Refused() && a.StopReason != "" {
		payload.RefusalReason = &a.StopReason
	}
	return m.aside(openwopv1.RunEventTypeReplayDivergedAtRefusal, n.ID, payload)
}

// tellDifference says that the answer of the source's model and that of now are not the same.
func (m *move) tellDifference() wait {
	at := place(m.s)
	return m.aside(openwopv1.RunEventTypeReplayDiverged, "", &openwopv1.ReplayDivergedPayload{
		SourceRunID:     m.s.created.Fork.RunID,
		AtSequence:      at,
		OriginalEventID: &m.tape.events[at].EventID,
		DivergenceKind:  openwopv1.ReplayDivergedPayloadDivergenceKindOutput,
	})
}

// divergedAtRefusal is why a replay fails at the call of a model.
func divergedAtRefusal(p *openwopv1.ReplayDivergedAtRefusalPayload) *openwopv1.EventError {
	err := failure(codeRefused, "the model's answer is a %s one, and in run %s it was a %s one", p.ReplayEnvelopeKind, p.SourceRunID,
		p.OriginalEnvelopeKind)
	err.Details = map[string]any{"sourceRunId": p.SourceRunID, "atSequence": float64(p.AtSequence)}
	return err
}

// ask asks the model that the node under way calls.
func (e *Engine) ask(ctx context.Context, s *State) (*answered, error) {
	if e.o.Models == nil { // the workflow was begun when there was one
		return &answered{Answer: mockai.Answer{StopReason: "no model"}}, nil
	}
	nodeID := s.program.nodes[s.done].ID
	call := mockai.Call{NodeID: nodeID, Origin: s.runID + "/" + nodeID}
	if s.owner != nil {
		call.Tenant = s.owner.Tenant
	}
	answer, programmed, err := e.o.Models.Answer(ctx, call)
	return &answered{answer, programmed}, err
}
