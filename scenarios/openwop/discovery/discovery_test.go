package discovery_test

import (
	"encoding/json"
	"slices"
	"testing"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/discovery"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func advertised(t *testing.T, document string) scenarios.Discovery {
	t.Helper()
	return scenarios.Discovery{Document: wiretest.Value(t, json.RawMessage(document)), Status: wiretest.Status(t, 200)}
}

func TestJudgesOfTheDocument(t *testing.T) {
	const limits = `"clarificationRounds":0,"schemaRounds":1,"envelopesPerTurn":2`
	model := func(members string) string { return `{"multiAgent":{"executionModel":{` + members + `}}}` }
	for _, c := range []struct{ scenario, document, want string }{
		{"root-well-formed", `{"protocolVersion":"1.1","supportedEnvelopes":[],"schemaVersions":{}}`, "passed"},
		{"root-well-formed",
			`{"protocolVersion":"2.0","supportedEnvelopes":["a"],"schemaVersions":{"a":1},"protocolVersions":["1.0","2.0"]}`, "passed"},
		{"root-well-formed", `{"supportedEnvelopes":[],"schemaVersions":{}}`, requirement.OWPCAP7},
		{"root-well-formed", `{"protocolVersion":1.1,"supportedEnvelopes":[],"schemaVersions":{}}`, requirement.OWPCAP7},
		{"root-well-formed", `{"protocolVersion":"","supportedEnvelopes":[],"schemaVersions":{}}`, requirement.OWPCAP7},
		{"root-well-formed", `{"protocolVersion":"1.1","schemaVersions":{}}`, requirement.OWPCAP8},
		{"root-well-formed", `{"protocolVersion":"1.1","supportedEnvelopes":"a","schemaVersions":{}}`, requirement.OWPCAP8},
		{"root-well-formed", `{"protocolVersion":"1.1","supportedEnvelopes":[1],"schemaVersions":{}}`, requirement.OWPCAP8},
		{"root-well-formed", `{"protocolVersion":"1.1","supportedEnvelopes":[],"schemaVersions":{"a":"1"}}`, requirement.OWPCAP8},
		{"root-well-formed", `{"protocolVersion":"1.1","supportedEnvelopes":[],"schemaVersions":{"a":-1}}`, requirement.OWPCAP8},
		{"root-well-formed", `{"protocolVersion":"1.1","supportedEnvelopes":[],"schemaVersions":[]}`, requirement.OWPCAP8},
		{"root-well-formed", `{"protocolVersion":"1.1","supportedEnvelopes":[],"schemaVersions":{},"protocolVersions":["1.0"]}`,
			requirement.OWPCAP11},

		{"limits-well-formed", `{"limits":{` + limits + `}}`, "passed"},
		{"limits-well-formed", `{"capabilities":{"limits":{` + limits + `}}}`, "passed"},
		{"limits-well-formed", `{"limits":{` + limits +
			`,"maxNodeExecutions":1,"maxRunDurationMs":1000,"maxBudgetCostUsd":0.5,"maxRequestBodyBytes":9}}`, "passed"},
		{"limits-well-formed", `{}`, requirement.OWPCAP9},
		{"limits-well-formed", `{"limits":{"clarificationRounds":0,"schemaRounds":1}}`, requirement.OWPCAP9},
		{"limits-well-formed", `{"limits":{"clarificationRounds":"3","schemaRounds":1,"envelopesPerTurn":2}}`, requirement.OWPCAP9},
		{"limits-well-formed", `{"limits":{"clarificationRounds":0,"schemaRounds":-1,"envelopesPerTurn":2}}`, requirement.OWPCAP9},
		{"limits-well-formed", `{"limits":{` + limits + `,"maxNodeExecutions":0}}`, requirement.OWPCAP10},
		{"limits-well-formed", `{"limits":{` + limits + `,"maxRunDurationMs":999}}`, requirement.OWPCAP10},
		{"limits-well-formed", `{"limits":{` + limits + `,"maxLoopIterations":null}}`, requirement.OWPCAP10},
		{"limits-well-formed", `{"limits":{` + limits + `,"maxBudgetCostUsd":-0.5}}`, requirement.OWPCAP10},
		{"limits-well-formed", `{"limits":{` + limits + `,"maxBudgetCostUsd":"1"}}`, requirement.OWPCAP10},

		{"rungs-well-formed", model(`"supported":true`), "passed"},
		{"rungs-well-formed",
			model(`"tier":"stable","crossChildMemoryConcurrency":"strict","transcriptWindow":1,"verifier":{"supported":true,"gating":false},` +
				`"crossHostCausation":{"supported":false},"replayDeterminism":{"supported":true,"llmCacheKeyRecipe":"x-host-acme-own"}`), "passed"},
		{"rungs-well-formed", model(`"verifier":{"supported":true,"another":1}`), "passed"}, // a finding of the schema's
		{"rungs-well-formed", model(`"tier":"beta"`), requirement.OWPCAP12},
		{"rungs-well-formed", model(`"crossChildMemoryConcurrency":true`), requirement.OWPCAP13},
		{"rungs-well-formed", model(`"crossHostCausation":true`), requirement.OWPCAP14},
		{"rungs-well-formed", model(`"crossHostCausation":{"hostId":"h"}`), requirement.OWPCAP14},
		{"rungs-well-formed", model(`"crossHostCausation":{"supported":true,"hostId":""}`), requirement.OWPCAP14},
		{"rungs-well-formed", model(`"replayDeterminism":{"supported":"yes"}`), requirement.OWPCAP15},
		{"rungs-well-formed", model(`"replayDeterminism":{"supported":true,"llmCacheKeyRecipe":"mine"}`), requirement.OWPCAP15},
		{"rungs-well-formed", model(`"transcriptWindow":0`), requirement.OWPCAP16},
		{"rungs-well-formed", model(`"transcriptWindow":1.5`), requirement.OWPCAP16},
		{"rungs-well-formed", model(`"verifier":{"gating":true}`), requirement.OWPCAP17},
		{"rungs-well-formed", model(`"verifier":{"supported":true,"gating":"yes"}`), requirement.OWPCAP17},

		{"fixtures-unique", `{"fixtures":[]}`, "blocked"},
		{"fixtures-unique", `{"fixtures":["a","b"]}`, "passed"},
		{"fixtures-unique", `{"fixtures":["a","b","a"]}`, requirement.OWPCAP18},
		{"fixtures-unique", `{"fixtures":["a",""]}`, requirement.OWPCAP18},
		{"fixtures-unique", `{"fixtures":[{"id":"a"}]}`, requirement.OWPCAP18},
		{"fixtures-unique", `{"fixtures":{"a":true}}`, requirement.OWPCAP18},

		{"agents-well-formed", `{"agents":{}}`, "passed"},
		{"agents-well-formed", `{"agents":{"orchestrator":true,"modelClasses":["chat"],"roster":{"supported":true}}}`, "passed"},
		{"agents-well-formed", `{"agents":{"goals":{"judge":["host"]}}}`, "passed"}, // a row of its own
		{"agents-well-formed", `{"agents":[]}`, requirement.OWPCAP24},
		{"agents-well-formed", `{"agents":{"orchestrator":"yes"}}`, requirement.OWPCAP24},
		{"agents-well-formed", `{"agents":{"memoryConsolidation":{}}}`, requirement.OWPCAP24},
		{"workspace-well-formed", `{"workspace":{"supported":false}}`, "passed"},
		{"workspace-well-formed", `{"workspace":{"versioned":true}}`, requirement.OWPCAP25},
		{"workspace-well-formed", `{"workspace":{"supported":true,"maxFiles":0}}`, requirement.OWPCAP25},
		{"memory-well-formed", `{"memory":{"distillation":{"supported":true}}}`, "passed"},
		{"memory-well-formed", `{"memory":{"compaction":{"supported":true}}}`, requirement.OWPCAP26},
		{"memory-well-formed", `{"memory":{"attribution":{"supported":false}}}`, requirement.OWPCAP26},
		{"heartbeat-well-formed", `{"heartbeat":{"supported":true,"minIntervalSec":1}}`, "passed"},
		{"heartbeat-well-formed", `{"heartbeat":{"minIntervalSec":1}}`, requirement.OWPCAP27},
		{"heartbeat-well-formed", `{"heartbeat":{"supported":true,"maxRuntimeMs":"long"}}`, requirement.OWPCAP27},

		{"families-at-the-root", `{"agents":{"supported":true},"capabilities":{"agents":{"supported":true}}}`, "passed"},
	} {
		t.Run(c.scenario+c.document, func(t *testing.T) { hosttest.Expect(t, c.scenario, advertised(t, c.document), c.want) })
	}
	for name, document := range map[string]string{
		"in the wrapper alone":       `{"capabilities":{"agents":{"supported":true}}}`,
		"the wrapper says otherwise": `{"agents":{"supported":true},"capabilities":{"agents":{"supported":false}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			d := advertised(t, document)
			hosttest.Expect(t, "families-at-the-root", d, "passed")
			if got := hosttest.Findings(t, "families-at-the-root", d); !slices.Equal(got, []string{requirement.OWPCAP6}) {
				t.Errorf("findings: %v", got)
			}
		})
	}
	t.Run("another version of the protocol is told", func(t *testing.T) {
		d := advertised(t, `{"protocolVersion":"2.0","supportedEnvelopes":[],"schemaVersions":{}}`)
		if got := hosttest.Findings(t, "root-well-formed", d); !slices.Equal(got, []string{""}) {
			t.Errorf("findings: %v", got)
		}
	})
}

// The refusal applies only to hosts that do not claim supervisors. A loop counts
// as a supervisor.
func TestWhatAHostLacks(t *testing.T) {
	for _, c := range []struct {
		document string
		lacks    []string
	}{
		{`{}`, []string{"no-supervisors", "no-dispatch"}},
		{`{"agents":{"orchestrator":false,"dispatch":true,"dispatchMapping":false}}`, []string{"no-supervisors", "no-dispatch-mapping"}},
		{`{"orchestrator":{"supported":true},"dispatch":{"supported":false},"agents":{"dispatchMapping":true}}`, []string{"no-dispatch"}},
		{`{"multiAgent":{"executionModel":{"supported":true}}}`, nil},
		{`{"capabilities":{"agents":{"orchestrator":true,"dispatch":true}}}`, nil},
	} {
		var got []string
		for _, id := range []string{"no-supervisors", "no-dispatch", "no-dispatch-mapping"} {
			claim, _ := openwop.Protocol.Claim(id)
			if _, on := claim.Look(advertised(t, c.document)); on {
				got = append(got, id)
			}
		}
		if !slices.Equal(got, c.lacks) {
			t.Errorf("%s: %v, want %v", c.document, got, c.lacks)
		}
	}
}

func TestJudgeOfWhatIsServedToAnybody(t *testing.T) {
	served := func(status int, kind string, body any) discovery.ServedDocument {
		d := discovery.ServedDocument{Answered: hosttest.Told(t, "it", status, body)}
		if kind != "" {
			d.Type, d.Cache = wiretest.Value(t, json.RawMessage(`"`+kind+`"`)), wiretest.Value(t, `"public, max-age=300"`)
		}
		return d
	}
	contract := served(200, "application/json", map[string]any{"openapi": "3.1.0", "paths": map[string]any{}})
	capabilities := served(200, "application/json; charset=utf-8", map[string]any{"protocolVersion": "1.1"})
	for _, c := range []struct {
		name                   string
		capabilities, contract discovery.ServedDocument
		want                   string
	}{
		{"honest", capabilities, contract, "passed"},
		{"capabilities for owners", served(401, "application/json", map[string]any{"error": "unauthenticated"}), contract, requirement.OWPCAP2},
		{"capabilities as a text", served(200, "text/plain", map[string]any{}), contract, requirement.OWPCAP2},
		{"capabilities of no type", served(200, "", map[string]any{}), contract, requirement.OWPCAP2},
		{"a list of capabilities", served(200, "application/json", []any{}), contract, requirement.OWPCAP2},
		{"a contract for owners", capabilities, served(401, "application/json", map[string]any{"error": "unauthenticated"}), requirement.OWPCAP3},
		{"no contract", capabilities, served(404, "application/json", map[string]any{"error": "not_found"}), requirement.OWPCAP3},
		{"a page in place of the contract", capabilities, served(200, "text/html", "<html>"), requirement.OWPCAP3},
		{"another document in place of the contract", capabilities, capabilities, requirement.OWPCAP3},
	} {
		t.Run(c.name, func(t *testing.T) {
			hosttest.Expect(t, "served-to-anybody", discovery.DocumentsObservation{Capabilities: c.capabilities, Contract: c.contract}, c.want)
		})
	}
	t.Run("that it may not be kept is told", func(t *testing.T) {
		o := discovery.DocumentsObservation{Capabilities: capabilities, Contract: contract}
		o.Capabilities.Cache = wire.Value{}
		if got := hosttest.Findings(t, "served-to-anybody", o); !slices.Equal(got, []string{requirement.OWPCAP4}) {
			t.Errorf("findings: %v", got)
		}
	})
}

func TestJudgeOfAListedFixture(t *testing.T) {
	snapshot := func(members map[string]any) host.Answered { return hosttest.Told(t, "that run", 200, members) }
	honest := func() discovery.FixtureObservation {
		return discovery.FixtureObservation{Fixture: "f", Created: hosttest.MadeRun(t, "r"),
			Run: snapshot(map[string]any{"workflowId": "f"}), Unlisted: hosttest.No(t, 404, "not_found")}
	}
	for _, c := range []struct {
		name  string
		spoil func(*discovery.FixtureObservation)
		want  string
	}{
		{"honest", func(*discovery.FixtureObservation) {}, "passed"},
		{"lists what it does not have", func(o *discovery.FixtureObservation) {
			o.Created, o.Run = hosttest.No(t, 404, "workflow_not_found"), host.Answered{}
		}, requirement.OWPCAP19},
		{"makes a run without an id", func(o *discovery.FixtureObservation) {
			o.Created, o.Run = hosttest.Told(t, "a run", 201, map[string]any{}), host.Answered{}
		}, requirement.OWPCAP19},
		{"forgets the run", func(o *discovery.FixtureObservation) { o.Run = hosttest.No(t, 404, "not_found") }, requirement.OWPCAP19},
		{"runs something else", func(o *discovery.FixtureObservation) { o.Run = snapshot(map[string]any{"workflowId": "g"}) },
			requirement.OWPCAP19},
		{"lists another that it does not have", func(o *discovery.FixtureObservation) {
			o.Others = []host.Answered{hosttest.MadeRun(t, "r3"), hosttest.No(t, 404, "not_found")}
		}, requirement.OWPCAP19},
		{"misses something that another needs", func(o *discovery.FixtureObservation) {
			o.Others = []host.Answered{hosttest.No(t, 404, "secret_not_found")}
		}, "passed"},
		{"refuses another for want of inputs", func(o *discovery.FixtureObservation) {
			o.Others = []host.Answered{hosttest.No(t, 400, "validation_error")}
		}, "passed"},
		{"runs anything", func(o *discovery.FixtureObservation) { o.Unlisted = hosttest.MadeRun(t, "r2") }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			hosttest.Expect(t, "fixture-can-run", o, c.want)
		})
	}
	t.Run("a host that runs anything violates what refuses it", func(t *testing.T) {
		o := honest()
		o.Unlisted = hosttest.MadeRun(t, "r2")
		out := scenarios.Conclude(hosttest.Scenario(t, "fixture-can-run"), openwop.Protocol.Ledger, o)
		if out.BlockedOn != requirement.OWPERR9 {
			t.Errorf("blocked on %q (%s)", out.BlockedOn, out.Reason)
		}
	})
	t.Run("a run that fails is told", func(t *testing.T) {
		o := honest()
		o.Run = snapshot(map[string]any{"workflowId": "f", "status": "failed", "error": map[string]any{"code": "unsupported_node_type"}})
		if got := hosttest.Findings(t, "fixture-can-run", o); !slices.Equal(got, []string{""}) {
			t.Errorf("findings: %v", got)
		}
	})
}

func TestJudgesOfGatedNodes(t *testing.T) {
	refusal := hosttest.Told(t, "w", 400, map[string]any{"error": "capability_required", "message": "no",
		"details": map[string]any{"requiredCapability": "agents.orchestrator"}})
	named := hosttest.Told(t, "w", 404, map[string]any{"error": "not_found", "message": "no",
		"details": map[string]any{"requiredCapability": "agents.orchestrator"}})
	for name, id := range map[string]string{"supervisor-refused": requirement.OWPCAP20, "dispatch-refused": requirement.OWPCAP21,
		"mapping-refused": requirement.OWPCAP22} {
		for _, c := range []struct {
			name string
			o    discovery.GatedObservation
			want string
		}{
			{"honest", discovery.GatedObservation{Control: hosttest.MadeRun(t, "r"), Reply: refusal}, "passed"},
			{"not found for want of it", discovery.GatedObservation{Control: hosttest.MadeRun(t, "r"), Reply: named}, "passed"},
			{"not found, but listed", discovery.GatedObservation{Control: hosttest.MadeRun(t, "r"), Reply: hosttest.No(t, 404,
				"not_found"), Listed: true}, "passed"},
			{"runs it all the same", discovery.GatedObservation{Control: hosttest.MadeRun(t, "r"), Reply: hosttest.MadeRun(t, "r2")}, id},
			{"falls over", discovery.GatedObservation{Control: hosttest.MadeRun(t, "r"), Reply: hosttest.No(t, 500, "internal_error")}, id},
			{"knows none", discovery.GatedObservation{Control: hosttest.MadeRun(t, "r"), Reply: hosttest.No(t, 404, "not_found")}, "blocked"},
			{"runs nothing", discovery.GatedObservation{Control: hosttest.No(t, 400, "validation_error"), Reply: refusal}, "blocked"},
		} {
			t.Run(name+"/"+c.name, func(t *testing.T) { hosttest.Expect(t, name, c.o, c.want) })
		}
		t.Run(name+"/a refusal that does not say why is told", func(t *testing.T) {
			o := discovery.GatedObservation{Control: hosttest.MadeRun(t, "r"), Reply: hosttest.No(t, 400, "validation_error")}
			if got := hosttest.Findings(t, name, o); !slices.Equal(got, []string{""}) {
				t.Errorf("findings: %v", got)
			}
		})
	}
}
