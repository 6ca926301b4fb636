package openwop

import (
	"sync"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Protocol is OpenWOP v1.
var Protocol = &scenarios.Protocol{
	ID:             "openwop/v1",
	Title:          "OpenWOP v1 (RFC 0037, RFC 0061, RFC 0097)",
	DiscoveryPath:  discoveryPath,
	Spec:           openwopv1.Bundled,
	Ledger:         ledger(),
	Claims:         claims,
	Profiles:       scenarios.FrozenProfiles("openwop/v1"),
	CheckDiscovery: checkDiscovery,
	Describe:       describe,
	Signs:          signs,
	SeamPrefix:     "/v1/host/sample",
	RunOf:          runOf,
}

// Suites are all OpenWOP suites, in the order they are shown.
func Suites() []scenarios.Suite {
	suites := []scenarios.Suite{discovery(), errorsSuite(), executionBounds(), version5Shape(), iterationMonotonic(), statefulResumeSuite(), confidenceSuite(), interruptsSuite(), workspaceSnapshot(), executionLoop(), handoffSuite(), workspaceFilesSuite(), goalBounds(), goalCompletion(), eventLog(), replaySuite(), isolation(), ancestrySuite(), memorySuite(), runControl(), heartbeatSuite(), verifierSuite()}
	for i := range suites {
		suites[i].Protocol = Protocol
	}
	return suites
}

func ledger() *scenarios.Ledger {
	rows := make([]scenarios.Requirement, len(openwopv1.Requirements))
	for i, r := range openwopv1.Requirements {
		rows[i] = scenarios.Requirement(r)
	}
	return scenarios.NewLedger(rows)
}

// contract is read when a document is first compared with it, not at start.
var contract = sync.OnceValues(func() (*validate.Set, error) { return validate.Embedded(openwopv1.Bundled()) })

// contractSchema is the schema of a component of the contract.
func contractSchema(component string) (*validate.Schema, error) {
	set, err := contract()
	if err != nil {
		return nil, err
	}
	return set.Component(component)
}

// checkDiscovery lists where the document departs from its schema. That is a
// finding: what a host really does is judged by what it does.
func checkDiscovery(document []byte) []scenarios.Finding {
	schema, err := contractSchema("Capabilities")
	if err != nil {
		return []scenarios.Finding{{Text: "the discovery document could not be compared with its schema: " + err.Error()}}
	}
	var out []scenarios.Finding
	for _, p := range schema.Validate(document) {
		out = append(out, scenarios.Finding{Text: "discovery: " + p.String()})
	}
	return out
}

func describe(d scenarios.Discovery) (name, version string) {
	i := family(d, "implementation")
	return i.Key("name").String(), i.Key("version").String()
}

// family is a capability family of the document: at the root, where RFC 0073
// puts it, else in the deprecated wrapper that every host seen still sends.
func family(d scenarios.Discovery, name string) wire.Value {
	if v := d.Document.Key(name); v.Present() {
		return v
	}
	if v := d.Document.Key("capabilities").Key(name); v.Present() {
		return v
	}
	return d.Document.Key(name)
}
