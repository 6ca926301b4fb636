package agenticloop

import (
	"encoding/json"
	"sync"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/scenarios"
)

type ids = []scenarios.RequirementID

// Protocol is the resumable agentic loop over plugin protocol 2.
var Protocol = &scenarios.Protocol{
	ID:             "agentic-loop/v2",
	Title:          "the resumable agentic loop (RFC-103) over plugin protocol 2",
	Spec:           agenticloopv2.Bundled,
	Ledger:         ledger(),
	Claims:         claims,
	Profiles:       profiles,
	CheckDiscovery: checkDeclared,
	Describe:       describe,
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

// contract is read when something is first compared with it, not at start.
var contract = sync.OnceValues(func() (*validate.Set, error) { return validate.New(agenticloopv2.Bundled()) })

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

var profiles = []scenarios.Profile{{
	ID:    "agentic-core",
	Title: "the core of the loop: correlation, budget, state and the allowlist",
	Claim: plugin.ID,
	Requires: ids{
		agenticloopv2.RFC103E1, agenticloopv2.RFC103E2, agenticloopv2.RFC103I1, agenticloopv2.RFC103I2, agenticloopv2.RFC103I3, agenticloopv2.RFC103I5,
		agenticloopv2.RFC103I6, agenticloopv2.RFC103I7, agenticloopv2.RFC103V1, agenticloopv2.RFC103V2, agenticloopv2.RFC103V4, agenticloopv2.RFC103V6,
		agenticloopv2.RFC103V7, agenticloopv2.RFC103V8, agenticloopv2.RFC103V9, agenticloopv2.RFC103V10, agenticloopv2.RFC103K2, agenticloopv2.RFC103K3,
		agenticloopv2.RFC103F6, agenticloopv2.RFC103F7, agenticloopv2.RFC103M6, agenticloopv2.RFC103M7, agenticloopv2.RFC103S6, agenticloopv2.RFC103S8,
		agenticloopv2.RFC103WIRE1, agenticloopv2.RFC103WIRE2, agenticloopv2.RFC103WIRE6, agenticloopv2.RFC103WIRE8, agenticloopv2.RFC103WIRE12,
		agenticloopv2.RFC103READ1, agenticloopv2.RFC103READ5, agenticloopv2.RFC103READ7, agenticloopv2.RFC103READ8, agenticloopv2.RFC103D1, agenticloopv2.RFC103G3,
	},
}}
