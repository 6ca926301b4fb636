package step

import (
	"encoding/json"

	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/mockai"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// The one provider of models that there is, and the version of the execution model from which on a replay asks it again (RFC 0041).
const (
	determinismVersion = 4
)

// Answered is what a model answered to the node under way.
type Answered struct {
	mockai.Answer
	Programmed bool
}

// next completes a node with what the model answers. A replay asks the model again, from version 4 on, and takes what is
// recorded all the same: an answer that differs is told, and where one of the two is a refusal the replay fails.
func (m call) next() Wait {
	s := m.S
	switch {
	case s.Refusal != nil:
		return m.failNode(m.n.ID, s.Refusal)
	case m.recorded(event.ReplayDiverged), m.recorded(event.ReplayMeetsRefusal):
		return m.replay() // the source is a replay itself
	case m.replaying() && (s.Differs || s.Created.Version < determinismVersion):
		return m.outcome(nil)
	case m.Answered == nil:
		return WaitsToAsk
	}
	a := m.Answered
	m.Answered = nil
	if !m.replaying() {
		return m.outcome(a)
	}
	if !a.Programmed {
		return m.outcome(nil)
	}
	was := m.recordedOutcome()
	differs, recorded := m.Rules.Replay.Differs(rules.Reanswer{Refused: a.Refused(), WasRefused: was.refused(), Same: was.is(judge(m.n, *a))})
	switch {
	case differs == rules.AtRefusal:
		return m.tellRefusal(*a)
	case !recorded:
		return m.outcome(a)
	case differs == rules.OtherAnswer:
		return m.tellDifference()
	}
	return m.outcome(nil)
}

// outcome ends a node that called a model, as the model's answer has it, or as is recorded where there is none.
func (m call) outcome(a *Answered) Wait {
	o := m.recordedOutcome()
	if a != nil {
		o = judge(m.n, *a)
	}
	switch {
	case o.err != nil:
		return m.failNode(m.n.ID, o.err)
	case o.outputs != nil:
		return m.completeNode(m.n.ID, "", o.outputs)
	default:
		return m.diverge() // the source has neither at this place
	}
}

// outcome is what a call of a model came to: outputs or an error.
type outcome struct {
	outputs map[string]any
	err     *event.Error
}

func (o outcome) refused() bool { return o.err != nil && o.err.Code == codes.ModelRefused }

func (o outcome) is(other outcome) bool {
	a, errA := json.Marshal([]any{o.outputs, o.err})
	b, errB := json.Marshal([]any{other.outputs, other.err})
	return errA == nil && errB == nil && string(a) == string(b)
}

// judge is what an answer comes to. What a model says when it refuses is not repeated: it may quote what it was asked.
func judge(n *workflow.Node, a Answered) outcome {
	if a.Refused() {
		return outcome{err: codes.Failure(codes.ModelRefused, "the model refused to answer node %q", n.ID)}
	}
	var output any
	if err := json.Unmarshal([]byte(a.Content), &output); err != nil {
		return outcome{err: codes.Failure(codes.Output, "the model answered node %q with something that is not JSON", n.ID)}
	}
	if n.Output != nil {
		if problems := n.Output.Compiled.ValidateValue(output); len(problems) > 0 {
			return outcome{err: codes.Failure(codes.Output, "the answer to node %q does not fit its schema: %s", n.ID, problems[0])}
		}
	}
	return outcome{outputs: map[string]any{"output": output}}
}

// recordedOutcome is what the source's call came to.
func (m call) recordedOutcome() (o outcome) {
	var (
		completed event.NodeCompletedPayload
		failed    event.NodeFailedPayload
	)
	switch {
	case m.read(event.NodeCompleted, &completed):
		o.outputs = completed.Outputs
		if o.outputs == nil {
			o.outputs = map[string]any{}
		}
	case m.read(event.NodeFailed, &failed):
		o.err = &failed.Error
	}
	return o
}

// tellRefusal says that one of two answers is a refusal. The replay fails for that.
func (m call) tellRefusal(a Answered) Wait {
	kinds := map[bool]event.Envelope{
		false: event.EnvelopeValid,
		true:  event.EnvelopeRefusal,
	}
	at := place(m.S)
	payload := &event.ReplayMeetsRefusalPayload{
		SourceRunID:          m.S.Created.Fork.RunID,
		AtSequence:           at,
		OriginalEventID:      &m.Tape.events[at].ID,
		NodeID:               m.n.ID,
		OriginalEnvelopeKind: event.Envelope(kinds[!a.Refused()]),
		ReplayEnvelopeKind:   kinds[a.Refused()],
	}
	if a.Refused() && a.StopReason != "" {
		payload.RefusalReason = &a.StopReason
	}
	return m.aside(event.ReplayMeetsRefusal, m.n.ID, payload)
}

// tellDifference says that the answer of the source's model and that of now are not the same.
func (m call) tellDifference() Wait {
	at := place(m.S)
	return m.aside(event.ReplayDiverged, "", &event.ReplayDivergedPayload{
		SourceRunID:     m.S.Created.Fork.RunID,
		AtSequence:      at,
		OriginalEventID: &m.Tape.events[at].ID,
		DivergenceKind:  event.DivergesInOutput,
	})
}
