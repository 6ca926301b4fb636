package engine

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/validate"
)

// answerSchema is what the answer to a clarification must be.
type answerSchema struct {
	document map[string]any // as it is shown to whoever is to answer
	compiled *validate.Schema
}

// plainAnswer is the schema where a supervisor has none: some text.
var plainAnswer = sync.OnceValues(func() (*answerSchema, error) {
	return compileAnswer(map[string]any{"type": "string", "minLength": 1.0, "maxLength": 8192.0})
})

func compileAnswer(document map[string]any) (*answerSchema, error) {
	raw, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	set, err := validate.New(raw)
	if err != nil {
		return nil, err
	}
	compiled, err := set.At("")
	if err != nil {
		return nil, err
	}
	return &answerSchema{document, compiled}, nil
}

// readAnswerSchema reads what the answer to a clarification must be.
func (p *program) readAnswerSchema(supervisor *node) (err error) {
	value, set := supervisor.Config[keyAnswer]
	if !set {
		p.answer, err = plainAnswer()
		return err
	}
	document, ok := value.(map[string]any)
	if !ok {
		return refusedNode(supervisor.ID, "config.%s must be a JSON Schema, an object", keyAnswer)
	}
	if p.answer, err = compileAnswer(document); err != nil {
		return refusedNode(supervisor.ID, "config.%s is no JSON Schema: %v", keyAnswer, err)
	}
	return nil
}

// check refuses an answer that does not fit.
func (a *answerSchema) check(id string, answer any) error {
	if problems := a.compiled.ValidateValue(answer); len(problems) > 0 {
		return invalid("resumeValue.answers."+id, "does not fit the schema of the question: %s", problems[0])
	}
	return nil
}

// checkAnswer refuses a value that does not resolve an interrupt of this kind.
func (p *program) checkAnswer(kind openwopv1.InterruptKind, value json.RawMessage) error {
	if !json.Valid(value) {
		return invalid("resumeValue", "must be JSON")
	}
	if kind == openwopv1.InterruptKindClarification {
		answers, err := readAnswers(value, true)
		if err != nil {
			return err
		}
		for _, id := range slices.Sorted(maps.Keys(answers)) {
			if id != question {
				return invalid("resumeValue.answers."+id, "nobody asked that")
			}
		}
		answer, ok := answers[question]
		if !ok {
			return invalid("resumeValue.answers."+question, "must be answered")
		}
		return p.answer.check(question, answer)
	}
	action, err := readAction(value)
	if err != nil {
		return err
	}
	if action != openwopv1.ApprovalActionAccept && action != openwopv1.ApprovalActionReject {
		return invalid("resumeValue.action", "must be accept or reject, not %q", action)
	}
	return nil
}

// readAnswers reads the answers of a clarification, question id to answer: {"answers":{"q1":...}}, or
// {"answers":[{"id":"q1","answer":...}]}; the protocol has both forms, and a host may take the second.
func readAnswers(value json.RawMessage, lists bool) (map[string]any, error) {
	given := member(value, "answers")
	if len(given) == 0 {
		return nil, invalid("resumeValue.answers", "must be there, as a map from question id to answer")
	}
	answers := map[string]any{}
	if json.Unmarshal(given, &answers) == nil && answers != nil {
		return answers, nil
	}
	var list []map[string]any
	if err := json.Unmarshal(given, &list); err != nil || !lists {
		return nil, invalid("resumeValue.answers", "must be a map from question id to answer, or a list of {id, answer}")
	}
	answers = make(map[string]any, len(list))
	for _, a := range list {
		id, _ := a["id"].(string)
		if answer, ok := a["answer"]; ok {
			answers[id] = answer
		}
	}
	return answers, nil
}

// member is a member of a JSON object, by exactly that name; nil where there is none. Decoding into a struct would take
// "Action" for "action".
func member(object json.RawMessage, name string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return nil
	}
	return members[name]
}

func readAction(value json.RawMessage) (openwopv1.ApprovalAction, error) {
	var action openwopv1.ApprovalAction
	if err := json.Unmarshal(member(value, "action"), &action); err != nil || action == "" {
		return "", invalid("resumeValue.action", "must be there: accept or reject")
	}
	return action, nil
}

// isRejection tells whether this value says no to a decision that is held.
func isRejection(kind openwopv1.InterruptKind, value json.RawMessage) bool {
	if kind == openwopv1.InterruptKindClarification {
		return false
	}
	action, err := readAction(value)
	return err == nil && action == openwopv1.ApprovalActionReject
}
