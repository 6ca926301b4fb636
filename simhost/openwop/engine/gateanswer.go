package engine

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/refusal"
)

// checkAnswer refuses a value that does not resolve the interrupt that is open, or does not come from whom it must. An empty
// principal is somebody of whom nothing is known but that they were sent the token.
func checkAnswer(s *State, principal string, value json.RawMessage) error {
	g := s.openGate()
	if g == nil {
		return s.program.checkAnswer(s.loop.asked.kind, value)
	}
	if !json.Valid(value) {
		return invalid("resumeValue", "must be JSON")
	}
	switch g.asked.kind {
	case openwopv1.InterruptKindClarification:
		return g.checkAnswers(&s.rules.Answers, value)
	case openwopv1.InterruptKindExternalEvent:
		return g.checkEvent(&s.rules.Answers, value)
	default:
		return g.checkApproval(&s.rules.Answers, s.gateNode(), principal, value)
	}
}

// checkApproval refuses who may not approve, then what is no answer, then a second vote.
func (g *gate) checkApproval(takes *rules.Answers, n *node, principal string, value json.RawMessage) error {
	var data openwopv1.ApprovalData
	if err := json.Unmarshal(g.asked.data, &data); err != nil {
		return err
	}
	switch {
	case principal == "" && takes.NeedsKey(n.Config[keyProfile] == authRequired):
		return g.forbids(n, "takes no token: send a key that may answer approvals, by run and node")
	case principal == "" && (g.quorum.several() || len(data.ApproversList) > 0):
		return g.forbids(n, "wants to know who answers, which a token does not say: send a key, by run and node")
	case len(data.ApproversList) > 0 && !slices.Contains(data.ApproversList, principal):
		return g.forbids(n, "is not yours to answer: you are not among its approvers")
	}
	action, err := readAction(value)
	switch {
	case err != nil:
		return err
	case !takes.Offers(data.Actions, action):
		return unfit("resumeValue.action", "must be one of the actions that the interrupt names, not %.40q", string(action))
	case isQuestion(action) && g.rounds >= maxRounds:
		return unfit("resumeValue.action", "must decide: %d questions were asked at this gate, and it takes no more", maxRounds)
	case action == openwopv1.ApprovalActionEditAccept && len(member(value, keyEdited)) == 0:
		return invalid("resumeValue."+keyEdited, "must be there: the artifact as it is to be accepted")
	case !takes.Again(g.votesOf(principal)):
		return refuse(CodeInterruptResolved, "you have voted at this gate already: everybody has one vote", "nodeId", n.ID,
			"interruptId", g.asked.interruptID)
	}
	return nil
}

func (g *gate) forbids(n *node, says string) error {
	return refuse(CodeForbidden, "this interrupt "+says, "nodeId", n.ID, "interruptId", g.asked.interruptID)
}

// unfit refuses what is well-formed, and not what is waited for.
func unfit(field, format string, args ...any) error {
	e := refusal.Invalid(field, format, args...)
	e.Unprocessable = true
	return e
}

// checkAnswers refuses answers that do not answer every question, or one that nobody asked.
func (g *gate) checkAnswers(takes *rules.Answers, value json.RawMessage) error {
	var data openwopv1.ClarificationData
	if err := json.Unmarshal(g.asked.data, &data); err != nil {
		return err
	}
	if len(value) > maxAnswers {
		return invalid("resumeValue.answers", "must be at most %d bytes", maxAnswers)
	}
	answers, err := readAnswers(value, takes.Lists())
	if err != nil {
		return err
	}
	for _, q := range data.Questions {
		answer, ok := answers[q.ID]
		switch {
		case !ok && takes.Needs(len(data.Questions)):
			return invalid("resumeValue.answers."+q.ID, "must be answered")
		case !ok:
			continue
		}
		schema, err := compileAnswer(q.Schema)
		if err != nil {
			return err
		}
		if err := schema.check(q.ID, answer); !takes.Fits(err == nil) {
			return err
		}
		delete(answers, q.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		return invalid("resumeValue.answers."+id, "nobody asked that")
	}
	return nil
}

// checkEvent refuses an event that does not have every member of the correlation, with the same value.
func (g *gate) checkEvent(takes *rules.Answers, value json.RawMessage) error {
	var data openwopv1.ExternalEventData
	if err := json.Unmarshal(g.asked.data, &data); err != nil {
		return err
	}
	var event map[string]any
	if err := json.Unmarshal(value, &event); err != nil || event == nil {
		return unfit("resumeValue", "must be the event, an object")
	}
	for _, name := range slices.Sorted(maps.Keys(data.Correlation)) {
		if got, there := event[name]; !takes.Correlates(data.Correlation[name], got, there) {
			return unfit("resumeValue."+name, "does not match the correlation: this is another event")
		}
	}
	return nil
}
