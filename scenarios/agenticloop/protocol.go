package agenticloop

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/scenarios"
)

// Protocol is the resumable agentic loop over plugin protocol 2.
var Protocol = &scenarios.Protocol{
	ID:             "agentic-loop/v2",
	Title:          "the resumable agentic loop (RFC-103) over plugin protocol 2",
	Spec:           agenticloopv2.Bundled,
	Ledger:         ledger(),
	Readings:       readings(),
	Claims:         claims,
	Profiles:       scenarios.FrozenProfiles("agentic-loop/v2"),
	CheckDiscovery: checkDeclared,
	Describe:       describe,
	Event:          eventName,
	Program:        &scenarios.Program{Request: "Request", Answer: "Response", Declares: true, Harmless: health},
	Timeline:       drawTimeline,
}

// eventName returns the type of an event, or the pattern of its family.
func eventName(kind string) (string, bool) {
	if _, known := agenticloopv2.Events[agenticloopv2.EventType(kind)]; known {
		return kind, true
	}
	for _, f := range agenticloopv2.EventFamilies {
		if f.Pattern.MatchString(kind) {
			return string(f.Type), true
		}
	}
	return "", false
}

// health asks a plugin for its health, which acts on nothing.
func health(deadline time.Time) (request map[string]any, name string) {
	return map[string]any{
		"protocol": 2, "job_id": "assay-doctor", "command": "health", "config": map[string]any{}, "state": map[string]any{},
		"deadline_at": deadline.UTC().Format(time.RFC3339),
	}, "the command health"
}

// Suites are all suites of the agentic loop, in the order they are shown.
func Suites() []scenarios.Suite {
	return []scenarios.Suite{protocolSuite(), correlationSuite(), budgetSuite(), stateSuite(), redeliverySuite(), securitySuite(), workspaceSuite(), pipelineSuite()}
}

func ledger() *scenarios.Ledger {
	rows := make([]scenarios.Requirement, len(agenticloopv2.Requirements))
	for i, r := range agenticloopv2.Requirements {
		rows[i] = scenarios.Requirement(r)
	}
	return scenarios.NewLedger(rows)
}

func readings() []scenarios.Reading {
	all := make([]scenarios.Reading, len(agenticloopv2.Readings))
	for i, r := range agenticloopv2.Readings {
		all[i] = scenarios.Reading(r)
	}
	return all
}

// contract is read when something is first compared with it, not at start.
var contract = sync.OnceValues(func() (*validate.Set, error) { return validate.Embedded(agenticloopv2.Bundled()) })

func contractSchema(component string) (*validate.Schema, error) {
	set, err := contract()
	if err != nil {
		return nil, err
	}
	return set.Component(component)
}

// checkDeclared lists where the manifest departs from its schema: a finding. The profile was read before, and a slip in it
// is the operator's.
func checkDeclared(document []byte) []scenarios.Finding {
	var d struct {
		Manifest json.RawMessage `json:"manifest"`
	}
	if err := json.Unmarshal(document, &d); err != nil || len(d.Manifest) == 0 {
		return nil
	}
	schema, err := contractSchema("Manifest")
	if err != nil {
		return []scenarios.Finding{{Text: "the manifest could not be compared with its schema: " + err.Error()}}
	}
	var out []scenarios.Finding
	for _, p := range schema.Validate(d.Manifest) {
		out = append(out, scenarios.Finding{Requirement: agenticloopv2.RFC103WIRE16, Text: "manifest: " + p.String()})
	}
	return out
}

// describe is the plugin's name and version.
func describe(d scenarios.Discovery) (name, version string) {
	name = d.Document.At("/profile/name").String()
	if name == "" {
		name = d.Document.At("/manifest/name").String()
	}
	return name, d.Document.At("/manifest/version").String()
}
