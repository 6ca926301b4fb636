package programs

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/openassay/assay/scenarios"
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

// beyond is the least whole number that is lost on the way through a double. A server need not keep it, and does so everywhere or
// nowhere.
const beyond = 1<<53 + 1

// taken returns the types of responses to ask for: all, but for forms on a server that takes no object for an answer.
func taken(ctx context.Context, s *host.Server) []string {
	ok := false
	err := scenarios.Try(func() {
		i := s.NewIntent(ctx, "form", host.Active, nil)
		if i.Patch(ctx, host.Note, beyond, "write a number that no double has").Ok() {
			kept, exact := i.Read(ctx, "that number").Body.At("/state/" + host.Note).Int()
			s.Exact = exact && kept == beyond
		}
		sus := i.Suspend(ctx, s.Question(asForm))
		ok = i.Answer(ctx, "an answer by form", sus.ID, map[string]any{"go": "on"}).Ok()
	})
	if !host.IsBlocked(err) && !host.Lacking(err) { // what is missing is told by whoever needs it
		scenarios.End(err)
	}
	if ok {
		return responses
	}
	return slices.DeleteFunc(slices.Clone(responses), func(r string) bool { return r == asForm })
}

// question draws what a record asks beside its id and times, and the answer to it.
func question(s *host.Server, response string) (record map[string]json.RawMessage, answer json.RawMessage) {
	record = map[string]json.RawMessage{
		"response_type": encoded(response), "context": encoded(every(s)), "confidence_at_suspension": encoded(0.25),
		"decision_record": encoded(map[string]any{"mode": "request_input", "rationale": text(s), "signals": every(s)}),
	}
	switch response {
	case asChoice:
		list := make([]any, s.Draw(choices))
		for i := range list {
			list[i] = map[string]any{
				"value": s.Name("choice"), "label": s.Name("Label"), "description": s.Name("what it means"),
				"style": []string{"primary", "danger", "default"}[s.Rand.IntN(3)], "metadata": every(s),
			}
		}
		record["choices"] = encoded(list)
		one, _ := list[1+s.Rand.IntN(len(list)-1)].(map[string]any) // not the first
		return record, encoded(one["value"])
	case asConfirm:
		return record, encoded([]string{"yes", "no"}[s.Rand.IntN(2)])
	case asForm:
		return record, encoded(every(s))
	}
	if s.Depth > scenarios.Quick && s.Rand.IntN(2) == 0 {
		return record, encoded(framed(s.Name("answer"), 0))
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
