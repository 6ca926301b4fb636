package rules

import (
	"encoding/json"

	"github.com/openassay/assay/gen/agenticloopv2"
)

// Delivery is how a tool's own event becomes a result, where a pipeline carries the correlation in the context.
type Delivery struct {
	// Status is how the tool fared, by the payload of its event.
	Status func(payload map[string]json.RawMessage) agenticloopv2.ToolStatus
}

func honestDelivery() Delivery {
	return Delivery{
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
	}
}
