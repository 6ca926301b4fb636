package openwop

import (
	"io/fs"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/bounds"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/confidence"
	"github.com/openassay/assay/scenarios/openwop/control"
	"github.com/openassay/assay/scenarios/openwop/discovery"
	"github.com/openassay/assay/scenarios/openwop/eventlog"
	"github.com/openassay/assay/scenarios/openwop/goals"
	"github.com/openassay/assay/scenarios/openwop/handoff"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/interrupts"
	"github.com/openassay/assay/scenarios/openwop/isolation"
	"github.com/openassay/assay/scenarios/openwop/loop"
	"github.com/openassay/assay/scenarios/openwop/memory"
	"github.com/openassay/assay/scenarios/openwop/refusals"
	"github.com/openassay/assay/scenarios/openwop/replay"
	"github.com/openassay/assay/scenarios/openwop/verifier"
	"github.com/openassay/assay/scenarios/openwop/workspace"
)

// Protocol is OpenWOP v1.
var Protocol = &scenarios.Protocol{
	ID:             "openwop/v1",
	Title:          "OpenWOP v1 (RFC 0037, RFC 0061, RFC 0097)",
	DiscoveryPath:  host.DiscoveryPath,
	Spec:           openwopv1.Bundled,
	Ledger:         ledger(),
	Readings:       readings(),
	Claims:         claims.All,
	Profiles:       scenarios.FrozenProfiles("openwop/v1"),
	CheckDiscovery: checkDiscovery,
	Describe:       describe,
	Signs:          signs,
	SeamPrefix:     "/v1/host/sample",
	RunOf:          runOf,
	Resources:      "/v1/runs/",
	Tenants:        true,
	Fixtures:       fixtures(),
	Event:          eventName,
	Timeline:       drawTimeline,
	OwnSuite:       &scenarios.OwnSuite{Title: "OpenWOP's own conformance suite", Prefix: "openwop.scenario."},
}

func fixtures() fs.FS {
	files, err := fs.Sub(openwopv1.Fixtures, "fixtures")
	if err != nil {
		panic(err) // the name of the folder is a valid path
	}
	return files
}

func eventName(kind string) (string, bool) {
	_, known := openwopv1.Events[openwopv1.RunEventType(kind)]
	return kind, known
}

// Suites are all OpenWOP suites, in the order they are shown.
func Suites() []scenarios.Suite {
	suites := []scenarios.Suite{
		discovery.Suite(),
		refusals.Suite(),
		bounds.Suite(),
		loop.Version5Suite(),
		loop.IterationSuite(),
		loop.ResumeSuite(),
		confidence.Suite(),
		interrupts.Suite(),
		workspace.SnapshotSuite(),
		loop.ExecutionSuite(),
		handoff.Suite(),
		workspace.FilesSuite(),
		goals.BoundsSuite(),
		goals.CompletionSuite(),
		eventlog.Suite(),
		replay.Suite(),
		isolation.Suite(),
		handoff.AncestrySuite(),
		memory.Suite(),
		control.Suite(),
		goals.HeartbeatSuite(),
		verifier.Suite(),
	}
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

func readings() []scenarios.Reading {
	all := make([]scenarios.Reading, len(openwopv1.Readings))
	for i, r := range openwopv1.Readings {
		all[i] = scenarios.Reading(r)
	}
	return all
}

// checkDiscovery lists where the document departs from its schema. That is a
// finding: what a host really does is judged by what it does.
func checkDiscovery(document []byte) []scenarios.Finding {
	schema, err := host.ContractSchema("Capabilities")
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
	i := claims.Family(d, "implementation")
	return i.Key("name").String(), i.Key("version").String()
}
