// Package trace holds what certifications of the simulated hosts and of the reference agent showed of each scenario: what it
// asks of, which places of the replies its checks read, and one exchange as an example. traces.json is committed; the tests
// of the command make it again and compare.
package trace

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

//go:embed traces.json
var recorded []byte

// Trace is what was seen of one scenario.
type Trace struct {
	Scenario string `json:"scenario"`
	// Asks are the operations that its drive called, as "GET /v1/runs/{runId}", or "schema Request" for a turn of a plugin. It
	// is empty where the discovery document alone is looked at.
	Asks []string `json:"asks"`
	// Reads are the places that its checks looked at, each once, sorted.
	Reads   []Read   `json:"reads"`
	Example *Example `json:"example,omitempty"`
}

// Read is a place that a check looked at.
type Read struct {
	Requirement string `json:"requirement"`
	// In is the operation that replied, as in [Trace.Asks], or "event TYPE" for the payload of an event.
	In string `json:"in"`
	// At is the place in the body or payload, list entries as items: /decisions/items/iteration. It is "" for the whole of it,
	// and [Beside] for what is none of it: a status, a header, what stands around a payload.
	At string `json:"at"`
}

// Beside is the place of what stands beside a body or a payload.
const Beside = "-"

// Example is an exchange that a check of the scenario looked at. Times, addresses and ids in it are made up.
type Example struct {
	Request string `json:"request"`        // POST /v1/runs, or what was started
	Sent    string `json:"sent,omitempty"` // the body, clipped
	Status  int    `json:"status,omitempty"`
	At      string `json:"at,omitempty"` // JSON pointer of what Reply is a part of
	Reply   string `json:"reply"`        // the part of the reply around what was looked at, clipped
	Checked string `json:"checked"`      // JSON pointer, or another name, of what was looked at
	For     string `json:"for"`          // the requirement that was checked
	Wants   string `json:"wants"`        // what the check expects
}

// all is decoded when a trace is first asked for, not at start.
var all = sync.OnceValues(func() ([]Trace, error) {
	var traces []Trace
	if err := json.Unmarshal(recorded, &traces); err != nil {
		return nil, fmt.Errorf("read the recorded traces: %w", err)
	}
	return traces, nil
})

// All are the recorded traces, sorted by scenario.
func All() ([]Trace, error) { return all() }

// Of is the trace of a scenario; ok is false where none was recorded.
func Of(scenario string) (t Trace, ok bool) {
	traces, err := all()
	if err != nil {
		return Trace{}, false
	}
	for _, t := range traces {
		if t.Scenario == scenario {
			return t, true
		}
	}
	return Trace{}, false
}

// Encode writes traces as the file has them: a line each, so that a change of one shows as that.
func Encode(traces []Trace) ([]byte, error) {
	lines := make([]string, len(traces))
	for i, t := range traces {
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(t); err != nil {
			return nil, fmt.Errorf("encode the trace of %s: %w", t.Scenario, err)
		}
		lines[i] = strings.TrimSpace(b.String())
	}
	return []byte("[\n" + strings.Join(lines, ",\n") + "\n]\n"), nil
}
