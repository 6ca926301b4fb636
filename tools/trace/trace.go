// Package trace records each scenario's behaviour in certifications of the simulated hosts and the reference agent: the
// operations that it calls, the places in replies that its checks read, and one exchange as an example. traces.json is
// committed; the tests of the command regenerate it and compare.
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

// Trace is the record of one scenario.
type Trace struct {
	Scenario string `json:"scenario"`
	// Asks lists the operations that its drive called, as "GET /v1/runs/{runId}", or "schema Request" for a turn of a
	// plugin. It is empty if the scenario only needs the discovery document.
	Asks []string `json:"asks"`
	// Reads lists the places that its checks read, sorted, without duplicates.
	Reads   []Read   `json:"reads"`
	Example *Example `json:"example,omitempty"`
}

// Read is a place that a check read.
type Read struct {
	Requirement string `json:"requirement"`
	// In is the operation that replied, as in [Trace.Asks], or "event TYPE" for the payload of an event.
	In string `json:"in"`
	// At is the place in the body or payload, list entries as items: /decisions/items/iteration. It is "" for the whole
	// of it, and [Beside] for anything outside it: a status, a header, the envelope of a payload.
	At string `json:"at"`
}

// Beside is the place of anything outside a body or a payload.
const Beside = "-"

// Example is an exchange that a check of the scenario read. Its times, addresses and ids are made up.
type Example struct {
	Request string `json:"request"`        // POST /v1/runs, or the started process
	Sent    string `json:"sent,omitempty"` // the body, clipped
	Status  int    `json:"status,omitempty"`
	At      string `json:"at,omitempty"` // JSON pointer of Reply's text
	Reply   string `json:"reply"`        // the part of the reply around the checked place, clipped
	Checked string `json:"checked"`      // JSON pointer, or another name, of the checked place
	For     string `json:"for"`          // the checked requirement
	Wants   string `json:"wants"`        // expectation of the check
}

// all decodes the traces on first use, not at start.
var all = sync.OnceValues(func() ([]Trace, error) {
	var traces []Trace
	if err := json.Unmarshal(recorded, &traces); err != nil {
		return nil, fmt.Errorf("read the recorded traces: %w", err)
	}
	return traces, nil
})

// All returns the recorded traces, sorted by scenario.
func All() ([]Trace, error) { return all() }

// Of returns the trace of a scenario; ok is false if none was recorded.
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

// Encode encodes traces in the format of the file: one line each, so that a diff shows which one changed.
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
