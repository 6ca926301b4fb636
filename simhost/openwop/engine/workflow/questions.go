package workflow

import (
	"encoding/json"
	"maps"
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
