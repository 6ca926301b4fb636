package fault

import (
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/rules"
)

var claimFaults = slices.Concat(servingFaults, documentFaults, familyFaults)

// servingFaults are about how the documents are served, and about what stands behind them.
var servingFaults = []Fault{
	{
		ID:     "claim.served-as-bytes",
		Title:  "the capabilities are served as a file of no known type",
		Looks:  "the Content-Type of /.well-known/openwop is application/octet-stream",
		Breaks: []string{openwop.OWPCAP2},
		Reply:  served("Content-Type", "application/octet-stream"),
	},
	{
		ID:     "claim.never-kept",
		Title:  "the capabilities must not be kept by anybody",
		Looks:  "Cache-Control of /.well-known/openwop is no-store",
		Breaks: []string{openwop.OWPCAP4},
		Reply:  served("Cache-Control", "no-store"),
	},
	{
		ID:     "claim.contract-guarded",
		Title:  "the API document is for who has a key",
		Looks:  "GET /v1/openapi.json is HTTP 401 without a credential",
		Breaks: []string{openwop.OWPCAP3},
		Replace: func(s *rules.Set) {
			admits := s.Access.Admits
			s.Access.Admits = func(k rules.Knock) rules.Admission {
				k.Public = k.Public && k.Path != "/v1/openapi.json"
				return admits(k)
			}
		},
	},
	{
		ID:     "claim.fixtures-not-loaded",
		Title:  "the fixtures are listed, and none of them is there",
		Looks:  "a run of a listed fixture is HTTP 404",
		Breaks: []string{openwop.OWPCAP19},
		Under:  Under{Without: []string{"executionModel"}}, // a host with one owes the runs of its loops as well
		Request: mutate.Asked("POST /v1/runs", mutate.Body(func(run map[string]any) {
			if workflow, named := run["workflowId"].(string); named {
				run["workflowId"] = workflow + "@draft"
			}
		})),
	},
	{
		ID:      "claim.supervisors-run-unclaimed",
		Title:   "workflows with a supervisor run where there are said to be none",
		Looks:   "a run with a supervisor is HTTP 201 on a host without supervisors",
		Breaks:  []string{openwop.OWPCAP20},
		Under:   Under{Without: []string{"orchestrator"}},
		Replace: unclaimed("agents.orchestrator"),
	},
	{
		ID:      "claim.dispatch-runs-unclaimed",
		Title:   "workflows with a dispatch run where there is said to be none, and map what it maps",
		Looks:   "a run with a dispatch is HTTP 201 on a host without dispatch",
		Breaks:  []string{openwop.OWPCAP21, openwop.OWPCAP22},
		Under:   Under{Without: []string{"dispatch"}},
		Replace: unclaimed("agents.dispatch", "agents.dispatchMapping"),
	},
	{
		ID:      "claim.mappings-run-unclaimed",
		Title:   "a dispatch with mappings runs where nothing is said to be mapped",
		Looks:   "a run with a mapping is HTTP 201 on a host that maps nothing",
		Breaks:  []string{openwop.OWPCAP22},
		Under:   Under{Without: []string{"dispatchMapping"}},
		Replace: unclaimed("agents.dispatchMapping"),
	},
}

// served changes a header of the discovery document.
func served(name, value string) mutate.ReplyFunc { return discovered(mutate.Header(name, value)) }

// unclaimed serves these whether they are claimed or not.
func unclaimed(capabilities ...string) func(*rules.Set) {
	return func(s *rules.Set) {
		serves := s.Claims.Serves
		s.Claims.Serves = func(what string, claimed bool) bool {
			return slices.Contains(capabilities, what) || serves(what, claimed)
		}
	}
}

// saying puts a value at a place in the discovery document, given as the names of its members with slashes between them.
// Objects on the way that are not there are made.
func saying(place string, value any) mutate.ReplyFunc {
	return rewriting(func(doc map[string]any) { mutate.Put(doc, strings.Split(place, "/"), value) })
}

// listing puts one more name in the list of fixtures.
func listing(fixture string) mutate.ReplyFunc {
	return rewriting(func(doc map[string]any) {
		listed, _ := doc["fixtures"].([]any) // none: then it is the first
		doc["fixtures"] = append(listed, fixture)
	})
}

// rewriting changes the discovery document.
func rewriting(change func(doc map[string]any)) mutate.ReplyFunc {
	return discovered(mutate.JSON(change))
}

// discovered changes the reply that is the discovery document.
func discovered(change mutate.ReplyFunc) mutate.ReplyFunc {
	return mutate.On("GET /.well-known/openwop", mutate.Succeeded(change))
}

// documentFaults are lies at the root of the discovery document, in the limits and in the list of fixtures.
var documentFaults = []Fault{
	{
		ID:     "claim.wrapper-is-stale",
		Title:  "the deprecated wrapper says something else than the root",
		Looks:  "capabilities.limits has a ceiling of 10 turns, and limits another one",
		Breaks: []string{openwop.OWPCAP6},
		Lies:   true,
		Reply: saying("capabilities/limits", map[string]any{"clarificationRounds": 1, "schemaRounds": 1, "envelopesPerTurn": 1,
			"maxLoopIterations": 10}),
	},
	{
		ID:     "claim.version-is-a-number",
		Title:  "the version of the protocol is written as a number",
		Looks:  "protocolVersion is 1.1 without quotes",
		Breaks: []string{openwop.OWPCAP7},
		Lies:   true,
		Reply:  saying("protocolVersion", 1.1),
	},
	{
		ID:     "claim.schema-versions-in-text",
		Title:  "the versions of the schemas of envelopes are texts",
		Looks:  `schemaVersions has "1" where an integer belongs`,
		Breaks: []string{openwop.OWPCAP8},
		Lies:   true,
		Reply:  saying("schemaVersions/clarification.request", "1"),
	},
	{
		ID:     "claim.endless-is-minus-one",
		Title:  "a limit that is not set is written as -1",
		Looks:  "limits.schemaRounds is -1",
		Breaks: []string{openwop.OWPCAP9},
		Lies:   true,
		Reply:  saying("limits/schemaRounds", -1),
	},
	{
		ID:     "claim.no-limit-is-zero",
		Title:  "an optional limit that is not set is written as 0",
		Looks:  "limits.maxBudgetTokens is 0",
		Breaks: []string{openwop.OWPCAP10},
		Lies:   true,
		Reply:  saying("limits/maxBudgetTokens", 0),
	},
	{
		ID:     "claim.own-version-unlisted",
		Title:  "the list of the versions of the protocol is older than the host",
		Looks:  "protocolVersions does not have protocolVersion",
		Breaks: []string{openwop.OWPCAP11},
		Lies:   true,
		Reply:  saying("protocolVersions", []string{"0.9"}),
	},
	{
		ID:     "claim.fixture-twice",
		Title:  "a fixture stands twice in the list",
		Looks:  "fixtures has conformance-noop twice",
		Breaks: []string{openwop.OWPCAP18},
		Lies:   true,
		Reply:  listing("conformance-noop"),
	},
}

// familyFaults are lies in what the discovery document says of one family. They are in members that nobody goes by, so that
// the rest of what a host says can be looked at.
var familyFaults = []Fault{
	{
		ID:     "claim.tier-of-its-own",
		Title:  "the execution model is of a tier that there is not",
		Looks:  "tier is beta",
		Breaks: []string{openwop.OWPCAP12},
		Lies:   true,
		Reply:  saying(theModel+"tier", "beta"),
	},
	{
		ID:     "claim.memory-is-eventual",
		Title:  "the concurrency of memory across children is of a kind that there is not",
		Looks:  "crossChildMemoryConcurrency is eventual",
		Breaks: []string{openwop.OWPCAP13},
		Lies:   true,
		Reply:  saying(theModel+"crossChildMemoryConcurrency", "eventual"),
	},
	{
		ID:     "claim.causation-says-nothing",
		Title:  "a host that knows no other hosts has a block about them that does not say so",
		Looks:  "crossHostCausation has no supported",
		Breaks: []string{openwop.OWPCAP14},
		Under:  Under{Version: 2},
		Lies:   true,
		Reply:  saying(theModel+"crossHostCausation", map[string]any{"ancestryEndpointSupported": false}),
	},
	{
		ID:     "claim.recipe-unnamed",
		Title:  "the recipe of the cache key is neither the specified one nor marked as the host's own",
		Looks:  "llmCacheKeyRecipe is none",
		Breaks: []string{openwop.OWPCAP15},
		Under:  Under{Version: 3},
		Lies:   true,
		Reply:  saying(theModel+"replayDeterminism", map[string]any{"supported": false, "llmCacheKeyRecipe": "none"}),
	},
	{
		ID:     "claim.window-of-zero",
		Title:  "a transcript window that is not bounded is written as 0",
		Looks:  "transcriptWindow is 0",
		Breaks: []string{openwop.OWPCAP16},
		Lies:   true,
		Reply:  saying(theModel+"transcriptWindow", 0),
	},
	{
		ID:     "claim.gating-in-words",
		Title:  "whether verdicts gate is said in words",
		Looks:  "verifier.gating is the text off",
		Breaks: []string{openwop.OWPCAP17},
		Under:  Under{Version: 5},
		Lies:   true,
		Reply:  saying(theModel+"verifier", map[string]any{"supported": false, "gating": "off"}),
	},
	{
		ID:     "claim.backends-of-its-own",
		Title:  "the memory of agents is of a backend that there is not",
		Looks:  "agents.memoryBackends has a vector",
		Breaks: []string{openwop.OWPCAP24},
		Lies:   true,
		Reply:  saying("agents/memoryBackends", []string{"vector"}),
	},
	{
		ID:     "claim.files-unbounded-is-zero",
		Title:  "a bound on the number of versions that is not set is written as 0",
		Looks:  "workspace.maxVersions is 0",
		Breaks: []string{openwop.OWPCAP25},
		Lies:   true,
		Reply:  saying("workspace/maxVersions", 0),
	},
	{
		ID:     "claim.entries-unbounded-is-zero",
		Title:  "a bound on the size of entries that is not set is written as 0",
		Looks:  "memory.maxEntrySizeBytes is 0",
		Breaks: []string{openwop.OWPCAP26},
		Lies:   true,
		Reply:  saying("memory/maxEntrySizeBytes", 0),
	},
	{
		ID:     "claim.heartbeat-in-milliseconds",
		Title:  "the shortest time between heartbeats is given in parts of a second",
		Looks:  "heartbeat.minIntervalSec is 0.5",
		Breaks: []string{openwop.OWPCAP27},
		Lies:   true,
		Reply:  saying("heartbeat/minIntervalSec", 0.5),
	},
}

const theModel = "multiAgent/executionModel/"
