package run

import (
	"encoding/json"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
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
	q.Schema = plain.document
	known := 2
	if schema, set := object["schema"]; set {
		known++
		if q.Schema, _ = schema.(map[string]any); q.Schema == nil {
			return q, "must have an object for its schema"
		}
		if says := tooMuchWork(q.Schema); says != "" {
			return q, says
		}
		if _, err := compileAnswer(q.Schema); err != nil {
			return q, "has a schema that is none: " + err.Error()
		}
	}
	if len(object) != known {
		return q, "must have id, question and schema only"
	}
	return q, ""
}

// tooMuchWork says what is wrong with a schema that could keep the host busy: it comes from a caller. References may lead
// back to where they stand, or double the work at every level.
func tooMuchWork(schema map[string]any) (says string) {
	raw, err := json.Marshal(schema)
	switch {
	case err != nil || len(raw) > maxSchema:
		return "has a schema that is too large for this host"
	case refers(schema):
		return "has a schema with references, which this host does not follow"
	}
	return ""
}

func refers(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			if key == "$ref" || key == "$dynamicRef" || key == "$recursiveRef" || refers(member) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, refers)
	}
	return false
}
