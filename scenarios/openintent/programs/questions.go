package programs

import (
	"encoding/json"

	"github.com/openassay/assay/scenarios/openintent/host"
)

// The types of responses.
const (
	asText    = "text"
	asChoice  = "choice"
	asConfirm = "confirm"
	asForm    = "form"
)

var responses = []string{asText, asChoice, asConfirm, asForm}

// question draws what a record asks beside its id and times, and the answer to it.
func question(s *host.Server, response string) (record map[string]json.RawMessage, answer json.RawMessage) {
	record = map[string]json.RawMessage{
		"response_type": encoded(response), "context": encoded(every(s)), "confidence_at_suspension": encoded(0.25),
	}
	switch response {
	case asChoice:
		list := make([]any, s.Draw(choices))
		for i := range list {
			list[i] = map[string]any{"value": s.Name("choice"), "label": s.Name("Label"), "description": s.Name("what it means")}
		}
		record["choices"] = encoded(list)
		one, _ := list[1+s.Rand.IntN(len(list)-1)].(map[string]any) // not the first
		return record, encoded(one["value"])
	case asConfirm:
		return record, encoded([]string{"yes", "no"}[s.Rand.IntN(2)])
	case asForm:
		return record, encoded(every(s))
	}
	return record, encoded(text(s))
}

// asked is the record of a question, with an id of its own.
func asked(s *host.Server, record map[string]json.RawMessage) host.Record {
	more := map[string]any{}
	for member, raw := range record {
		more[member] = decoded(raw)
	}
	return s.Question(asText).With(more)
}
