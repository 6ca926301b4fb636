package state

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/refusal"
)

// CheckApproval refuses who may not approve, then what is no answer, then a second vote.
func (g *Gate) CheckApproval(takes *rules.Answers, n *workflow.Node, principal string, value json.RawMessage) error {
	var data openwopv1.ApprovalData
	if err := json.Unmarshal(g.Asked.Data, &data); err != nil {
		return err
	}
	switch {
	case principal == "" && takes.NeedsKey(n.Config[workflow.KeyProfile] == workflow.AuthRequired):
		return g.forbids(n, "takes no token: send a key that may answer approvals, by run and node")
	case principal == "" && (g.Quorum.Several() || len(data.ApproversList) > 0):
		return g.forbids(n, "wants to know who answers, which a token does not say: send a key, by run and node")
	case len(data.ApproversList) > 0 && !slices.Contains(data.ApproversList, principal):
		return g.forbids(n, "is not yours to answer: you are not among its approvers")
	}
	action, err := workflow.ReadAction(value)
	switch {
	case err != nil:
		return err
	case !takes.Offers(data.Actions, action):
		return unfit("resumeValue.action", "must be one of the actions that the interrupt names, not %.40q", string(action))
	case isQuestion(action) && g.Rounds >= MaxRounds:
		return unfit("resumeValue.action", "must decide: %d questions were asked at this gate, and it takes no more", MaxRounds)
	case action == openwopv1.ApprovalActionEditAccept && len(workflow.Member(value, KeyEdited)) == 0:
		return codes.Invalid("resumeValue."+KeyEdited, "must be there: the artifact as it is to be accepted")
	case !takes.Again(g.votesOf(principal)):
		return codes.Refuse(codes.InterruptResolved, "you have voted at this gate already: everybody has one vote", "nodeId", n.ID,
			"interruptId", g.Asked.InterruptID)
	}
	return nil
}

func (g *Gate) forbids(n *workflow.Node, says string) error {
	return codes.Refuse(codes.Forbidden, "this interrupt "+says, "nodeId", n.ID, "interruptId", g.Asked.InterruptID)
}

// unfit refuses what is well-formed, and not what is waited for.
func unfit(field, format string, args ...any) error {
	e := refusal.Invalid(field, format, args...)
	e.Unprocessable = true
	return e
}

// CheckAnswers refuses answers that do not answer every question, or one that nobody asked.
func (g *Gate) CheckAnswers(takes *rules.Answers, value json.RawMessage) error {
	var data openwopv1.ClarificationData
	if err := json.Unmarshal(g.Asked.Data, &data); err != nil {
		return err
	}
	if len(value) > MaxAnswers {
		return codes.Invalid("resumeValue.answers", "must be at most %d bytes", MaxAnswers)
	}
	answers, err := workflow.ReadAnswers(value, takes.Lists())
	if err != nil {
		return err
	}
	for _, q := range data.Questions {
		answer, ok := answers[q.ID]
		switch {
		case !ok && takes.Needs(len(data.Questions)):
			return codes.Invalid("resumeValue.answers."+q.ID, "must be answered")
		case !ok:
			continue
		}
		schema, err := workflow.CompileAnswer(q.Schema)
		if err != nil {
			return err
		}
		if err := schema.Check(q.ID, answer); !takes.Fits(err == nil) {
			return err
		}
		delete(answers, q.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		return codes.Invalid("resumeValue.answers."+id, "nobody asked that")
	}
	return nil
}

// CheckEvent refuses an event that does not have every member of the correlation, with the same value.
func (g *Gate) CheckEvent(takes *rules.Answers, value json.RawMessage) error {
	var data openwopv1.ExternalEventData
	if err := json.Unmarshal(g.Asked.Data, &data); err != nil {
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
