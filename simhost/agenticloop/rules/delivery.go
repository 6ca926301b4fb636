package rules

import (
	"encoding/json"

	"github.com/openassay/assay/gen/agenticloopv2"
)

// Delivery is how a tool's own event becomes a result, where a pipeline carries the correlation in the context.
type Delivery struct {
	// Synthesises tells whether an event of a tool is taken for a result, given that the context names run, step and tool.
	Synthesises func() bool

	// Status is how the tool fared, by the payload of its event.
	Status func(payload map[string]json.RawMessage) agenticloopv2.ToolStatus

	// Content is what the tool found, of the payload of its event.
	Content func(payload map[string]json.RawMessage) map[string]json.RawMessage
}

func honestDelivery() Delivery {
	return Delivery{
		Synthesises: func() bool { return true },
		Status: func(payload map[string]json.RawMessage) agenticloopv2.ToolStatus {
			var status, trouble string
			if json.Unmarshal(payload["status"], &status) == nil && status == string(agenticloopv2.ToolStatusError) {
				return agenticloopv2.ToolStatusError
			}
			if json.Unmarshal(payload["error"], &trouble) == nil && trouble != "" {
				return agenticloopv2.ToolStatusError
			}
			return agenticloopv2.ToolStatusOk
		},
		Content: func(payload map[string]json.RawMessage) map[string]json.RawMessage { return payload },
	}
}
