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
