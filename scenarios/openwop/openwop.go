package openwop

import (
	"io/fs"
	"sync"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openwop/bounds"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/confidence"
	"github.com/openassay/assay/scenarios/openwop/control"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/discovery"
	"github.com/openassay/assay/scenarios/openwop/eventlog"
	"github.com/openassay/assay/scenarios/openwop/goals"
	"github.com/openassay/assay/scenarios/openwop/handoff"
	"github.com/openassay/assay/scenarios/openwop/histories"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/interrupts"
	"github.com/openassay/assay/scenarios/openwop/isolation"
	"github.com/openassay/assay/scenarios/openwop/loop"
	"github.com/openassay/assay/scenarios/openwop/memory"
	"github.com/openassay/assay/scenarios/openwop/operations"
	"github.com/openassay/assay/scenarios/openwop/programs"
	"github.com/openassay/assay/scenarios/openwop/refusals"
	"github.com/openassay/assay/scenarios/openwop/replay"
	"github.com/openassay/assay/scenarios/openwop/salt"
	"github.com/openassay/assay/scenarios/openwop/verifier"
	"github.com/openassay/assay/scenarios/openwop/workspace"
	"github.com/openassay/assay/scenarios/timeline"
	"github.com/openassay/assay/scenarios/wire"
)

// Protocol is OpenWOP v1.
var Protocol = Speaking(dialect.V1)

// Speaking returns the protocol as dialect d spells it.
func Speaking(d *dialect.Dialect) *scenarios.Protocol {
	p := speaking(d)
	p.Salted = func(drawnFrom string) (*scenarios.Protocol, error) {
		names, err := salt.New(p.Fixtures, drawnFrom)
		if err != nil {
			return nil, err
		}
		salted := speaking(d.Salted(names))
		salted.Salt, salted.Drawn, salted.Fixtures, salted.Salted = drawnFrom, names.Drawn, names.Files(), p.Salted
		return salted, nil
	}
	return p
}

func speaking(d *dialect.Dialect) *scenarios.Protocol {
	known := sync.OnceValue(func() paths { return pathsOf(d) })
	return &scenarios.Protocol{
		ID:             "openwop/v1",
		Title:          "OpenWOP v1 (RFC 0037, RFC 0061, RFC 0097)",
		DiscoveryPath:  d.Path(dialect.Discover),
		Essential:      []string{"protocolVersion", "supportedEnvelopes", "schemaVersions", "limits", "capabilities", "multiAgent", "agents"},
		Speech:         d,
		Cost:           cost(d),
		Rounds:         [3]scenarios.Rounds{scenarios.Standard: {Entries: 24}, scenarios.Deep: {Entries: 200}},
		Spec:           d.Contract,
		Requests:       d.Requests,
		Ledger:         rows,
		Readings:       readings(),
		Claims:         claims.All,
		Profiles:       scenarios.FrozenProfiles("openwop/v1"),
		CheckDiscovery: func(document []byte) []scenarios.Finding { return checkDiscovery(d, document) },
		Describe:       describe,
		Invariants:     watch(known, d),
		Recorded:       watchRecorded(known, d),
		Topics:         topics(known, d),
		Logged:         eventLog(d),
		Watched:        watched,
		Paces:          host.Paces,
		Fixed:          fixed(d),
		Signs:          signs(d),
		Roles:          host.Roles,
		SeamPrefix:     d.Seams[0],
		RunOf:          runOf,
		Resources:      d.Path(dialect.ReadRun, ""),
		Tenants:        true,
		Fixtures:       fixtures(d),
		Event:          d.Known,
		Timeline:       func(t *wire.Transcript) []timeline.Loop { return drawTimeline(t, d) },
		OwnSuite:       &scenarios.OwnSuite{Title: "OpenWOP's own conformance suite", Prefix: "openwop.scenario."},
	}
}

func fixtures(d *dialect.Dialect) fs.FS {
	files, err := fs.Sub(d.Fixtures, "fixtures")
	if err != nil {
		panic(err) // the folder's name is a valid path
	}
	return files
}

// Suites returns all OpenWOP suites in display order.
func Suites() []scenarios.Suite { return SuitesOf(Protocol) }

// SuitesOf returns the suites bound to protocol p.
func SuitesOf(p *scenarios.Protocol) []scenarios.Suite {
	suites := []scenarios.Suite{
		discovery.Suite(),
		refusals.Suite(),
		bounds.Suite(),
		programs.Suite(),
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
		operations.CredentialsSuite(),
		operations.MisfitsSuite(),
		handoff.AncestrySuite(),
		memory.Suite(),
		control.Suite(),
		goals.HeartbeatSuite(),
		verifier.Suite(),
		histories.Suite(),
	}
	for i := range suites {
		suites[i].Protocol = p
	}
	return suites
}

// Models returns what the histories of a host are held against.
func Models() []history.Object { return histories.Models() }

// Tell returns what the models say of what a transcript of a host tells.
func Tell(d scenarios.Discovery, t *wire.Transcript) []explore.Told {
	return histories.Read(dialect.V1, d, t)
}

// rows is the ledger of all versions.
var rows = ledger()

func ledger() *scenarios.Ledger {
	rows := make([]scenarios.Requirement, len(openwop.RequirementsV1))
	for i, r := range openwop.RequirementsV1 {
		rows[i] = scenarios.Requirement(r)
	}
	return scenarios.NewLedger(rows)
}

func readings() []scenarios.Reading {
	all := make([]scenarios.Reading, len(openwop.ReadingsV1))
	for i, r := range openwop.ReadingsV1 {
		all[i] = scenarios.Reading(r)
	}
	return all
}

// checkDiscovery lists where the document departs from its schema. Departures are findings only: a host is judged
// by what it does.
func checkDiscovery(d *dialect.Dialect, document []byte) []scenarios.Finding {
	schema, err := d.Schema("Capabilities")
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
