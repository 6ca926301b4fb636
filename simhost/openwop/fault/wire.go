package fault

import (
	"encoding/json"

	"github.com/openassay/assay/simhost/mutate"
)

// OnWire returns the fault as changes that can stand in front of any host. ok is false if the fault is a decision that only
// the host itself can take.
func (f Fault) OnWire() (changes mutate.Changes, ok bool) {
	if f.Replace != nil {
		return changes, false
	}
	return f.outside().OnWire(runLog), true
}

// runLog is how OpenWOP shows the log of a run.
var runLog = mutate.Log{
	Lists:   map[string]string{"GET /v1/runs/{runId}/events/poll": "events", "GET /v1/runs/{runId}/events": "events"},
	Streams: []string{"GET /v1/runs/{runId}/events"},
	Payload: "payload",
	Read: func(o map[string]any) mutate.Event {
		sequence, _ := o["sequence"].(json.Number)
		at, _ := sequence.Int64()
		return mutate.Event{RunID: wireText(o["runId"]), Sequence: at, Type: wireText(o["type"]), NodeID: wireText(o["nodeId"]),
			CausationID: wireText(o["causationId"])}
	},
	Write: func(e mutate.Event, o map[string]any) {
		for member, value := range map[string]string{"nodeId": e.NodeID, "causationId": e.CausationID} {
			if value == "" {
				delete(o, member)
			} else {
				o[member] = value
			}
		}
	},
}

func wireText(value any) string {
	s, _ := value.(string)
	return s
}
