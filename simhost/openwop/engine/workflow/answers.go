package workflow

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
)

func readQuestions(s *settings) (data openwopv1.ClarificationData) {
	list, _ := s.values[keyQuestions].([]any)
	if len(list) < 1 || len(list) > maxQuestions {
		s.misfit(keyQuestions, "must be an array of 1 to %d questions", maxQuestions)
		return data
	}
	if context := s.text(keyContext, ""); context != "" {
		data.ContextType = &context
	}
	for i, value := range list {
		q, says := readQuestion(value)
		if says == "" && slices.ContainsFunc(data.Questions, func(other openwopv1.ClarificationQuestion) bool { return other.ID == q.ID }) {
			says = "has the id of another question"
		}
		if says != "" {
			s.misfit(keyQuestions, "question %d %s", i+1, says)
			return data
		}
		data.Questions = append(data.Questions, q)
	}
	return data
}

// readQuestion reads {id, question, schema}; says is what is wrong with it.
func readQuestion(value any) (q openwopv1.ClarificationQuestion, says string) {
	object, _ := value.(map[string]any)
	q.ID, _ = object["id"].(string)
	q.Question, _ = object["question"].(string)
	if q.ID == "" || q.Question == "" {
		return q, "must have id and question, neither of them empty"
	}
	plain, err := plainAnswer()
	if err != nil {
		return q, err.Error()
	}
	q.Schema = plain.Document
	known := 2
	if schema, set := object["schema"]; set {
		known++
		if q.Schema, _ = schema.(map[string]any); q.Schema == nil {
			return q, "must have an object for its schema"
		}
		if says := tooMuchWork(q.Schema); says != "" {
			return q, says
		}
		if _, err := CompileAnswer(q.Schema); err != nil {
			return q, "has a schema that is none: " + err.Error()
		}
	}
	if len(object) != known {
		return q, "must have id, question and schema only"
	}
	return q, ""
}

// tooMuchWork says what is wrong with a schema that could keep the host busy: it comes from a caller. References may lead
// back to where they stand, or double the work at every level; a short pattern may stand for one that takes minutes; and
// whether items are unique takes the square of their number.
func tooMuchWork(schema map[string]any) (says string) {
	raw, err := json.Marshal(schema)
	if err != nil || len(raw) > MaxSchema {
		return "has a schema that is too large for this host"
	}
	if keyword := busyKeyword(schema); keyword != "" {
		return "has a schema with " + keyword + ", which this host does not check: leave it out"
	}
	return ""
}

// busyKeyword is a keyword in a schema that makes too much work, "" where there is none.
func busyKeyword(value any) (found string) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if isBusy(name, v[name]) {
				return name
			}
			if found = busyKeyword(v[name]); found != "" {
				return found
			}
		}
	case []any:
		for _, member := range v {
			if found = busyKeyword(member); found != "" {
				return found
			}
		}
	}
	return ""
}

// isBusy tells whether that is such a keyword. A property may have the name of one; what it has is a schema, then.
func isBusy(name string, value any) bool {
	switch name {
	case "$ref", "$dynamicRef", "$recursiveRef", "pattern":
		_, text := value.(string)
		return text
	case "uniqueItems":
		return value == true
	default:
		return name == "patternProperties"
	}
}

// AnswerSchema is what the answer to a clarification must be.
type AnswerSchema struct {
	Document map[string]any // as it is shown to whoever is to answer
	Compiled *validate.Schema
}

// plainAnswer is the schema where a supervisor has none: some text.
var plainAnswer = sync.OnceValues(func() (*AnswerSchema, error) {
	return CompileAnswer(map[string]any{"type": "string", "minLength": 1.0, "maxLength": 8192.0})
})

func CompileAnswer(document map[string]any) (*AnswerSchema, error) {
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
	return &AnswerSchema{document, compiled}, nil
}

// readAnswerSchema reads what the answer to a clarification must be.
func (p *Program) readAnswerSchema(supervisor *Node) (err error) {
	value, set := supervisor.Config[KeyAnswer]
	if !set {
		p.Answer, err = plainAnswer()
		return err
	}
	document, ok := value.(map[string]any)
	if !ok {
		return refusedNode(supervisor.ID, "config.%s must be a JSON Schema, an object", KeyAnswer)
	}
	if p.Answer, err = CompileAnswer(document); err != nil {
		return refusedNode(supervisor.ID, "config.%s is no JSON Schema: %v", KeyAnswer, err)
	}
	return nil
}

// Check refuses an answer that does not fit.
func (a *AnswerSchema) Check(id string, answer any) error {
	if problems := a.Compiled.ValidateValue(answer); len(problems) > 0 {
		return codes.Invalid("resumeValue.answers."+id, "does not fit the schema of the question: %s", problems[0])
	}
	return nil
}

// CheckAnswer refuses a value that does not resolve an interrupt of this kind.
func (p *Program) CheckAnswer(kind event.Interrupt, value json.RawMessage) error {
	if !json.Valid(value) {
		return codes.Invalid("resumeValue", "must be JSON")
	}
	if kind == event.Clarification {
		answers, err := ReadAnswers(value)
		if err != nil {
			return err
		}
		for _, id := range slices.Sorted(maps.Keys(answers)) {
			if id != Question {
				return codes.Invalid("resumeValue.answers."+id, "nobody asked that")
			}
		}
		answer, ok := answers[Question]
		if !ok {
			return codes.Invalid("resumeValue.answers."+Question, "must be answered")
		}
		return p.Answer.Check(Question, answer)
	}
	action, err := ReadAction(value)
	if err != nil {
		return err
	}
	if action != openwopv1.ApprovalActionAccept && action != openwopv1.ApprovalActionReject {
		return codes.Invalid("resumeValue.action", "must be accept or reject, not %q", action)
	}
	return nil
}

// ReadAnswers reads the answers of a clarification, question id to answer: {"answers":{"q1":...}}, or
// {"answers":[{"id":"q1","answer":...}]}; the protocol has both forms, and a host may take the second.
func ReadAnswers(value json.RawMessage) (map[string]any, error) {
	given := Member(value, "answers")
	if len(given) == 0 {
		return nil, codes.Invalid("resumeValue.answers", "must be there, as a map from question id to answer")
	}
	answers := map[string]any{}
	if json.Unmarshal(given, &answers) == nil && answers != nil {
		return answers, nil
	}
	var list []map[string]any
	if err := json.Unmarshal(given, &list); err != nil {
		return nil, codes.Invalid("resumeValue.answers", "must be a map from question id to answer, or a list of {id, answer}")
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

// Member is a member of a JSON object, by exactly that name; nil where there is none. Decoding into a struct would take
// "Action" for "action".
func Member(object json.RawMessage, name string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return nil
	}
	return members[name]
}

func ReadAction(value json.RawMessage) (openwopv1.ApprovalAction, error) {
	var action openwopv1.ApprovalAction
	if err := json.Unmarshal(Member(value, "action"), &action); err != nil || action == "" {
		return "", codes.Invalid("resumeValue.action", "must be there: accept or reject")
	}
	return action, nil
}
