// Package discovery tests whether a host's discovery document is well-formed, public, and true of its fixtures.
package discovery

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// Suite returns the scenarios about a host's discovery document, and about
// whether the host can run the fixtures it lists.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "discovery", Title: "what a host says of itself, to whom, and whether that can be run",
		Scenarios: []scenarios.Scenario{
			servedToAnybody, familiesAtTheRoot, rootWellFormed, limitsWellFormed, rungsWellFormed,
			agentsWellFormed, workspaceWellFormed, memoryWellFormed, heartbeatWellFormed,
			fixturesUnique, fixtureCanRun, supervisorRefused, dispatchRefused, mappingRefused,
		},
	}
}

// A client needs both documents before it has a key.
var servedToAnybody = scenarios.Scenario{
	ID:     "openwop/discovery/served-to-anybody",
	Title:  "the capabilities and the API document are served as JSON without a credential",
	Proves: scenarios.IDs{openwop.OWPCAP2, openwop.OWPCAP3, openwop.OWPCAP4},
	Claim:  claims.AnyHost,
	Ask: scenarios.Ask(publicDocuments, func(o DocumentsObservation, j *scenarios.Judge) {
		j.Check(openwop.OWPCAP2, o.Capabilities.Status).To(check.Status(200), "the capabilities")
		j.Check(openwop.OWPCAP2, o.Capabilities.Type).To(jsonType(), "their Content-Type")
		j.Check(openwop.OWPCAP2, o.Capabilities.Body).To(host.JsonObject(), "the capabilities")
		j.Check(openwop.OWPCAP4, o.Capabilities.Cache).To(check.That("a Cache-Control with max-age", func(v any) bool {
			s, _ := v.(string)
			return maxAge.MatchString(s)
		}))
		j.Check(openwop.OWPCAP3, o.Contract.Status).To(check.Status(200), "the API document")
		j.Check(openwop.OWPCAP3, o.Contract.Type).To(jsonType(), "its Content-Type")
		j.Check(openwop.OWPCAP3, o.Contract.Body.Key("openapi")).To(check.Text(), "openapi")
		j.Check(openwop.OWPCAP3, o.Contract.Body.Key("paths")).To(host.JsonObject(), "paths")
	}),
}

var maxAge = lazyregexp.New(`(?i)\bmax-age=\d`)

// RFC 0073. Every known host still sends the deprecated wrapper beside the root
// (OWP-R7). If they differ, clients disagree about the host.
var familiesAtTheRoot = scenarios.Scenario{
	ID:     "openwop/discovery/families-at-the-root",
	Title:  "what stands in the deprecated wrapper stands at the root, and says the same",
	Proves: scenarios.IDs{openwop.OWPCAP6},
	Claim:  claims.AnyHost,
	Ask: scenarios.Advertised(func(d scenarios.Discovery, j *scenarios.Judge) {
		for _, name := range []string{"multiAgent", "agents", "limits", "fixtures", "replay", "workspace", "memory", "heartbeat",
			"orchestrator", "dispatch", "subWorkflow"} {
			if inside := d.Document.Key("capabilities").Key(name); inside.Present() {
				j.Check(openwop.OWPCAP6, d.Document.Key(name)).To(check.SameAs(inside),
					"%s at the root, where it counts, as in the deprecated wrapper capabilities", name)
			} else {
				j.Check(openwop.OWPCAP6, inside).To(check.Absent(), "%s in the deprecated wrapper", name)
			}
		}
	}),
}

var rootWellFormed = scenarios.Scenario{
	ID:     "openwop/discovery/root-well-formed",
	Title:  "the document names its protocol version, its envelopes and the versions of their schemas",
	Proves: scenarios.IDs{openwop.OWPCAP7, openwop.OWPCAP8, openwop.OWPCAP11},
	Claim:  claims.AnyHost,
	Ask: scenarios.Advertised(func(d scenarios.Discovery, j *scenarios.Judge) {
		version := d.Document.Key("protocolVersion")
		if j.Check(openwop.OWPCAP7, version).To(check.Text(), "protocolVersion") && !version1.MatchString(version.String()) {
			j.Find("", "the protocol version is %s, which is no 1.x (OWP-R32)", version.JSON())
		}
		j.Check(openwop.OWPCAP8, d.Document.Key("supportedEnvelopes")).To(texts(), "supportedEnvelopes")
		j.Check(openwop.OWPCAP8, d.Document.Key("schemaVersions")).To(counts(), "schemaVersions")
		host.Optional(j, openwop.OWPCAP11, d.Document.Key("protocolVersions"), hasText(version.String()), "protocolVersions")
	}),
}

var version1 = lazyregexp.New(`^1\.(0|[1-9]\d*)$`)

var limitsWellFormed = scenarios.Scenario{
	ID:     "openwop/discovery/limits-well-formed",
	Title:  "the limits have the three that every host has, and each is a number in its range",
	Proves: scenarios.IDs{openwop.OWPCAP9, openwop.OWPCAP10},
	Claim:  claims.AnyHost,
	Ask: scenarios.Advertised(func(d scenarios.Discovery, j *scenarios.Judge) {
		limits := claims.Family(d, "limits")
		for _, name := range []string{"clarificationRounds", "schemaRounds", "envelopesPerTurn"} {
			j.Check(openwop.OWPCAP9, limits.Key(name)).To(check.Integer(0, 0), "limits.%s", name)
		}
		for _, o := range []struct {
			name  string
			least int64
		}{{"maxNodeExecutions", 1}, {"maxRunDurationMs", 1000}, {"maxLoopIterations", 1}, {"maxBudgetTokens", 1}, {"maxRequestBodyBytes", 1}} {
			host.Optional(j, openwop.OWPCAP10, limits.Key(o.name), check.Integer(o.least, 0), "limits."+o.name)
		}
		host.Optional(j, openwop.OWPCAP10, limits.Key("maxBudgetCostUsd"), notNegative(), "limits.maxBudgetCostUsd")
	}),
}

// Only the rungs whose members no other suite checks.
var rungsWellFormed = scenarios.Scenario{
	ID:    "openwop/discovery/rungs-well-formed",
	Title: "what the execution model says about each of its rungs is of the right type and in its range",
	Proves: scenarios.IDs{openwop.OWPCAP12, openwop.OWPCAP13, openwop.OWPCAP14, openwop.OWPCAP15,
		openwop.OWPCAP16, openwop.OWPCAP17},
	Claim: claims.ExecutionModelBlock,
	Ask: scenarios.Advertised(func(d scenarios.Discovery, j *scenarios.Judge) {
		m := claims.Model(d)
		host.Optional(j, openwop.OWPCAP12, m.Key("tier"), check.OneOf("stable", "experimental"), "tier")
		host.Optional(j, openwop.OWPCAP13, m.Key("crossChildMemoryConcurrency"), check.OneOf("strict", "advisory"), "crossChildMemoryConcurrency")
		host.Optional(j, openwop.OWPCAP16, m.Key("transcriptWindow"), check.Integer(1, 0), "transcriptWindow")
		for _, block := range []struct {
			id        scenarios.RequirementID
			name      string
			component string
		}{
			{openwop.OWPCAP14, "crossHostCausation", "CrossHostCausation"},
			{openwop.OWPCAP15, "replayDeterminism", "ReplayDeterminism"},
			{openwop.OWPCAP17, "verifier", "VerifierCapability"},
		} {
			if v := m.Key(block.name); v.Present() {
				checkSchema(j, block.id, v, block.component)
			} else {
				j.Check(block.id, v).To(check.Absent(), "%s", block.name)
			}
		}
	}),
}

// wellFormed returns a scenario that checks one family against its schema.
func wellFormed(name, title string, claim scenarios.Claim, id scenarios.RequirementID, component string,
	elsewhere ...string) scenarios.Scenario {
	return scenarios.Scenario{
		ID:     scenarios.ScenarioID("openwop/discovery/" + name + "-well-formed"),
		Title:  title,
		Proves: scenarios.IDs{id},
		Claim:  claim,
		Ask: scenarios.Advertised(func(d scenarios.Discovery, j *scenarios.Judge) {
			checkSchema(j, id, claims.Family(d, name), component, elsewhere...)
		}),
	}
}

var (
	// RFC 0097 A has its own scenario for the members below goals.
	agentsWellFormed = wellFormed("agents", "what is said about agents is as the schema has it", claims.AgentsBlock,
		openwop.OWPCAP24, "AgentsCapability", "/goals")
	workspaceWellFormed = wellFormed("workspace", "what is said about workspace files is as the schema has it",
		claims.WorkspaceBlock, openwop.OWPCAP25, "WorkspaceCapability")
	memoryWellFormed = wellFormed("memory", "what is said about memory is as the schema has it", claims.MemoryBlock,
		openwop.OWPCAP26, "MemoryCapability")
	heartbeatWellFormed = wellFormed("heartbeat", "what is said about heartbeats is as the schema has it", claims.HeartbeatBlock,
		openwop.OWPCAP27, "HeartbeatCapability")
)
