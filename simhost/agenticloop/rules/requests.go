package rules

import (
	"encoding/json"
	"fmt"
)

// Requests is how a tool is asked for.
type Requests struct {
	// Sends tells whether the request of this step is sent.
	Sends func(step int64) bool

	// Type is the type of the event.
	Type func(tool string) string

	// Key is the dedupe key of the event. attempt is 0 where the key does not tell it.
	Key func(runID string, step, attempt int64) string

	// Payload is the payload of the event as it is sent, given it as it should be, and the arguments.
	Payload func(payload, arguments map[string]json.RawMessage) map[string]json.RawMessage

	// Excerpt is how much of a result is passed on to the next tool.
	Excerpt func(text string) string
}

// ExcerptBytes is how many bytes of a result are passed on to the next tool at most; all of it is in a file where there is a
// workspace.
const ExcerptBytes = 16 << 10

func honestRequests() Requests {
	return Requests{
		Sends:   func(int64) bool { return true },
		Type:    func(tool string) string { return "agentic.tool_request." + tool },
		Key:     RequestKey,
		Payload: func(payload, _ map[string]json.RawMessage) map[string]json.RawMessage { return payload },
		Excerpt: func(text string) string { return Cut(text, ExcerptBytes) },
	}
}

// RequestKey is the key of the text, with the attempt behind it unless that is 0.
func RequestKey(runID string, step, attempt int64) string {
	key := fmt.Sprintf("agentic:run:%s:step:%d:request", runID, step)
	if attempt > 0 {
		key += fmt.Sprintf(":attempt:%d", attempt)
	}
	return key
}

// Cut is the first bytes of a text, without half a character at its end.
func Cut(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	for bytes > 0 && text[bytes]&0xC0 == 0x80 {
		bytes--
	}
	return text[:bytes]
}
