package spec_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// operations are the operations of the document, with the statuses that each declares.
var operations = map[string]string{
	"getCapabilities":       "200 503",
	"getOpenApiSpec":        "200 503",
	"getWorkflow":           "200 401 403 404 429 500 503",
	"createRun":             "201 400 401 403 404 409 413 422 429 500 501 503",
	"getRun":                "200 401 403 404 429 500 503",
	"cancelRun":             "200 400 401 403 404 409 413 429 500 503",
	"pauseRun":              "202 400 401 403 404 409 413 429 500 501 503",
	"resumeRun":             "202 400 401 403 404 409 413 429 500 501 503",
	"bulkCancelRuns":        "200 400 401 403 409 413 429 500 501 503",
	"diffRun":               "200 400 401 403 404 429 500 501 503",
	"forkRun":               "201 400 401 403 404 409 410 413 422 429 500 501 503",
	"streamRunEvents":       "200 400 401 403 404 429 500 503",
	"pollRunEvents":         "200 400 401 403 404 429 500 503",
	"getRunAncestry":        "200 401 403 404 429 500 503",
	"resolveInterruptByRun": "200 400 401 403 404 409 410 413 422 429 500 503",
	"runAgentLoop":          "200 400 401 403 404 413 429 500 501 503",

	"inspectInterruptByToken": "200 404 410 429 500 503",
	"resolveInterruptByToken": "200 400 403 404 409 410 413 422 429 500 503",

	"listWorkspaceFiles":  "200 400 401 403 429 500 501 503",
	"getWorkspaceFile":    "200 400 401 403 404 429 500 501 503",
	"putWorkspaceFile":    "200 400 401 403 409 413 429 500 501 503",
	"deleteWorkspaceFile": "204 400 401 403 404 409 429 500 501 503",
	"workspaceOp":         "200 204 400 401 403 404 409 413 429 500 501 503",

	"listGoals":      "200 400 401 403 404 429 500 503",
	"createGoal":     "200 400 401 403 404 409 413 422 429 500 501 503",
	"getGoal":        "200 401 403 404 429 500 503",
	"editGoal":       "200 400 401 403 404 409 413 422 429 500 501 503",
	"fireCommitment": "200 400 401 403 404 413 429 500 501 503",
	"pauseGoal":      "200 400 401 403 404 409 429 500 503",
	"resumeGoal":     "200 400 401 403 404 409 429 500 503",
	"abandonGoal":    "200 400 401 403 404 409 429 500 503",
	"listGoalEvents": "200 401 403 404 429 500 503",
	"tickGoal":       "200 400 401 403 404 409 413 429 500 501 503",

	"tickHeartbeat": "200 400 401 403 404 413 429 500 501 503",

	"verifyRun":     "200 400 401 403 404 413 429 500 501 503",
	"programMockAI": "200 400 401 403 404 413 429 500 501 503",
	"llmCacheKey":   "200 400 401 403 404 413 429 500 501 503",
}

func TestOperationsAndTheirStatuses(t *testing.T) {
	got := map[string]string{}
	eachOperation(readAPI(t), func(id string, op map[string]any) {
		got[id] = strings.Join(sorted(object(op["responses"])), " ")
	})
	if diff := cmp.Diff(operations, got); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
}

func TestErrorsAreErrorEnvelopes(t *testing.T) {
	c := ours(t)
	eachOperation(c.docs[apiID], func(id string, op map[string]any) {
		responses := object(op["responses"])
		for _, status := range sorted(responses) {
			if status < "400" {
				continue
			}
			ref, _ := object(responses[status])["$ref"].(string)
			response := object(c.at(apiID, strings.TrimPrefix(ref, "#")))
			schema := object(object(object(response["content"])["application/json"])["schema"])
			if schema["$ref"] != base+"error-envelope.schema.json" {
				t.Errorf("%s %s: the body is not an error envelope", id, status)
			}
		}
	})
}

// Discovery is for everybody, and a token is a credential itself.
func TestOnlyDiscoveryAndTokensNeedNoCredential(t *testing.T) {
	api := readAPI(t)
	if api["security"] == nil {
		t.Fatal("the document asks for no credential")
	}
	open := []string{"getCapabilities", "getOpenApiSpec", "inspectInterruptByToken", "resolveInterruptByToken"}
	eachOperation(api, func(id string, op map[string]any) {
		security, own := op["security"].([]any)
		if anonymous := own && len(security) == 0; anonymous != slices.Contains(open, id) {
			t.Errorf("%s: anonymous is %v", id, anonymous)
		}
	})
}

func eachOperation(api map[string]any, f func(id string, op map[string]any)) {
	for _, item := range object(api["paths"]) {
		for _, op := range object(item) {
			if id, ok := object(op)["operationId"].(string); ok {
				f(id, object(op))
			}
		}
	}
}
