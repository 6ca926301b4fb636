package openintent

import (
	"time"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openintent/answers"
	"github.com/openassay/assay/scenarios/openintent/cascade"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/config"
	"github.com/openassay/assay/scenarios/openintent/containers"
	"github.com/openassay/assay/scenarios/openintent/coordinator"
	"github.com/openassay/assay/scenarios/openintent/deadline"
	"github.com/openassay/assay/scenarios/openintent/graph"
	"github.com/openassay/assay/scenarios/openintent/histories"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/inputs"
	"github.com/openassay/assay/scenarios/openintent/lifecycle"
	"github.com/openassay/assay/scenarios/openintent/operations"
	"github.com/openassay/assay/scenarios/openintent/programs"
	"github.com/openassay/assay/scenarios/openintent/retry"
	"github.com/openassay/assay/scenarios/openintent/streams"
	"github.com/openassay/assay/scenarios/openintent/worlds"
	"github.com/openassay/assay/scenarios/wire"
)

// Protocol is OpenIntent v1 with RFC-0026.
var Protocol = &scenarios.Protocol{
	ID:             "openintent/v1",
	Title:          "OpenIntent v1: suspension and retry (RFC-0026, RFC-0025)",
	DiscoveryPath:  "/.well-known/openintent.json",
	Essential:      []string{"protocol", "rfcUrls", "openApiUrl", "capabilities", "assay"},
	KeyHeader:      host.KeyHeader,
	Cost:           cost,
	Rounds:         [3]scenarios.Rounds{scenarios.Standard: {Entries: 300}},
	Spec:           openintentv1.Bundled,
	Requests:       openintentv1.Bundled,
	Ledger:         host.Ledger,
	Readings:       readings(),
	Claims:         claims.All,
	Profiles:       scenarios.FrozenProfiles("openintent/v1"),
	CheckDiscovery: checkDiscovery,
	Paces:          host.Paces,
	Describe:       describe,
	Invariants:     watch,
	Recorded:       record,
	Logged:         eventLog(),
	Watched:        func() scenarios.IDs { return append(watched(), further()...) },
	Fixed:          fixed,
	Resources:      "/api/v1/intents/",
	Event:          eventName,
	Program:        &scenarios.Program{Request: "ResolvePolicyRequest", Answer: "ResolvePolicyReply", Harmless: emptyQuestion},
}

func eventName(kind string) (string, bool) {
	_, known := openintentv1.Events[openintentv1.EventType(kind)]
	return kind, known
}

// emptyQuestion asks a resolver for the policy of nothing.
func emptyQuestion(time.Time) (request map[string]any, name string) {
	return map[string]any{}, "an empty question"
}

func readings() []scenarios.Reading {
	all := make([]scenarios.Reading, len(openintent.ReadingsV1))
	for i, r := range openintent.ReadingsV1 {
		all[i] = scenarios.Reading(r)
	}
	return all
}

// checkDiscovery returns a finding for each place where the document does not match its schema.
func checkDiscovery(document []byte) []scenarios.Finding {
	set, err := host.Contract()
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

// Suites returns all OpenIntent suites, in the order in which they are listed.
func Suites() []scenarios.Suite {
	suites := []scenarios.Suite{
		answers.Suite(), lifecycle.Suite(), graph.Suite(), containers.TasksSuite(), containers.PortfoliosSuite(),
		deadline.Suite(), retry.Suite(), coordinator.Suite(), inputs.Suite(), config.Suite(), streams.Suite(),
		retry.StorySuite(), programs.Suite(), worlds.Suite(), cascade.Suite(), operations.CredentialsSuite(), operations.MisfitsSuite(),
		histories.Suite(),
	}
	for i := range suites {
		suites[i].Protocol = Protocol
	}
	return suites
}

// Models returns what the histories of a server are held against.
func Models() []history.Object { return histories.Models() }

// Tell returns what the models say of what a transcript of a server tells.
func Tell(d scenarios.Discovery, t *wire.Transcript) []explore.Told { return histories.Read(d, t) }
