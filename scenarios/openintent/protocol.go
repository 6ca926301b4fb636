package openintent

import (
	"sync"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/scenarios"
)

// Protocol is OpenIntent v1 with RFC-0026.
var Protocol = &scenarios.Protocol{
	ID:             "openintent/v1",
	Title:          "OpenIntent v1: suspension and retry (RFC-0026, RFC-0025)",
	DiscoveryPath:  "/.well-known/openintent.json",
	KeyHeader:      "X-API-Key",
	Spec:           openintentv1.Bundled,
	Ledger:         ledger(),
	Claims:         claims,
	Profiles:       scenarios.FrozenProfiles("openintent/v1"),
	CheckDiscovery: checkDiscovery,
	Describe:       describe,
}

func ledger() *scenarios.Ledger {
	rows := make([]scenarios.Requirement, len(openintentv1.Requirements))
	for i, r := range openintentv1.Requirements {
		rows[i] = scenarios.Requirement(r)
	}
	return scenarios.NewLedger(rows)
}

// contract is read when something is first compared with it, not at start.
var contract = sync.OnceValues(func() (*validate.Set, error) { return validate.Embedded(openintentv1.Bundled()) })

// checkDiscovery lists where the document departs from its schema: findings.
func checkDiscovery(document []byte) []scenarios.Finding {
	set, err := contract()
	if err != nil {
		return []scenarios.Finding{{Text: "the discovery document could not be compared with its schema: " + err.Error()}}
	}
	schema, err := set.Component("Discovery")
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
	if name = d.Document.Key("implementation").String(); name == "" {
		name = d.Document.Key("protocol").String()
	}
	return name, d.Document.Key("version").String()
}

// Suites are all OpenIntent suites, in the order they are shown.
func Suites() []scenarios.Suite {
	return []scenarios.Suite{
		respondSuite(), lifecycleSuite(), graphSuite(), tasksAndPlansSuite(), portfoliosSuite(), deadlineSuite(), retrySuite(), coordinatorSuite(), claimsSuite(), configSuite(), streamsSuite(), storySuite(),
		cascadeSuite(),
	}
}
