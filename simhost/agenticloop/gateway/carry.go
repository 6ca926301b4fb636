package gateway

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
)

// correlationKeys say which step of which run a result belongs to (RFC-103, core invariant 4).
var correlationKeys = []string{"run_id", "step", "tool"}

// carried is the context of a job that handles an event: what of the event's payload goes along, over what went along so
// far. entry says that the event sets a pipeline off.
func (o *Options) carried(parent, payload json.RawMessage, entry bool) (json.RawMessage, error) {
	var next map[string]json.RawMessage
	switch o.Context {
	case NoContext:
		return nil, nil
	case Baggage:
		if entry {
			parent = nil
		}
	}
	next, err := object(parent)
	if err != nil {
		return nil, fmt.Errorf("context: %w", err)
	}
	said, err := object(payload)
	if err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	for key, value := range said {
		_, there := next[key]
		switch {
		case o.Context == Baggage && (there || !slices.Contains(o.Baggage, key)):
		case there && strings.HasPrefix(key, "origin_"):
		default:
			next[key] = value
		}
	}
	if len(next) == 0 {
		return nil, nil
	}
	raw, err := json.Marshal(next)
	if err == nil && len(raw) > MaxContext {
		err = fmt.Errorf("the context of what follows has %d bytes, more than %d: put what is large into a file of the workspace",
			len(raw), MaxContext)
	}
	return raw, err
}

// filled is a payload with what the context has beside it.
func (o *Options) filled(payload, context json.RawMessage) (json.RawMessage, error) {
	if o.Context != Accumulate || len(context) == 0 {
		return payload, nil
	}
	return overlaid(context, payload)
}

// correlation is what a job of a tool knows of the step it is for: from the request that it handles, or else from its
// context. It is nil where a part is missing.
func correlation(j Job) map[string]json.RawMessage {
	known, err := overlaid(j.Context, j.Event.Payload)
	if err != nil {
		return nil
	}
	all, err := object(known)
	if err != nil {
		return nil
	}
	maps.DeleteFunc(all, func(key string, value json.RawMessage) bool {
		return !slices.Contains(correlationKeys, key) || string(value) == "null"
	})
	if len(all) != len(correlationKeys) {
		return nil
	}
	return all
}

// Event types of RFC-103.
const (
	TypeStart      = "agentic.start"
	TypeToolResult = "agentic.tool_result"
	TypeCompleted  = "agent.completed"
	TypeEscalated  = "agent.escalated"
)

// Correlation is the step of a run that an event is about, as far as its payload says so.
type Correlation struct {
	RunID agenticloopv2.RunID `json:"run_id"`
	Step  agenticloopv2.Step  `json:"step"`
	Tool  string              `json:"tool"`
}

// CorrelationOf reads the payload of an event; what is not there, or is not what it should be, is empty.
func CorrelationOf(e agenticloopv2.Event) Correlation {
	keys, err := object(e.Payload)
	if err != nil {
		return Correlation{}
	}
	return readCorrelation(keys)
}

func readCorrelation(keys map[string]json.RawMessage) (c Correlation) {
	// A member that does not fit stays empty.
	_ = json.Unmarshal(orNull(keys["run_id"]), &c.RunID)
	_ = json.Unmarshal(orNull(keys["step"]), &c.Step)
	_ = json.Unmarshal(orNull(keys["tool"]), &c.Tool)
	return c
}

func orNull(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("null")
	}
	return raw
}

// IsRequest reports whether an event type asks for a tool.
func IsRequest(eventType string) bool {
	spec, known := agenticloopv2.EventOf(agenticloopv2.EventType(eventType))
	return known && spec.Component == "ToolRequestPayload"
}

// toolResult is the result that says what became of a tool's job: its own payload, or why it failed.
func toolResult(of map[string]json.RawMessage, payload json.RawMessage, failure string, at time.Time) (agenticloopv2.Event, error) {
	result := maps.Clone(of)
	status, why := agenticloopv2.ToolStatusOk, failure
	if failure != "" {
		status = agenticloopv2.ToolStatusError
	}
	var own struct { // a tool's event may say that it went wrong
		Status agenticloopv2.ToolStatus `json:"status"`
		Error  string                   `json:"error"`
	}
	if failure == "" && json.Unmarshal(payload, &own) == nil && own.Status == agenticloopv2.ToolStatusError {
		status, why = own.Status, own.Error
	}
	put := func(key string, value any) error {
		raw, err := json.Marshal(value)
		result[key] = raw
		return err
	}
	result["result"] = json.RawMessage("null")
	if len(payload) > 0 {
		result["result"] = payload
	}
	result["error"] = json.RawMessage("null")
	if why != "" {
		if err := put("error", why); err != nil {
			return agenticloopv2.Event{}, err
		}
	}
	if err := put("status", status); err != nil {
		return agenticloopv2.Event{}, err
	}
	if err := put("completed_at", at.UTC()); err != nil {
		return agenticloopv2.Event{}, err
	}
	raw, err := json.Marshal(result)
	return agenticloopv2.Event{Type: TypeToolResult, Payload: raw, DedupeKey: resultKey(of)}, err
}

// resultKey names the result of a step of a run; "" where these are not what they should be.
func resultKey(of map[string]json.RawMessage) string {
	c := readCorrelation(of)
	if c.RunID == "" || c.Step == 0 {
		return ""
	}
	return fmt.Sprintf("agentic:run:%s:step:%d:result", c.RunID, c.Step)
}
