package dialect

import (
	"net/http"

	"github.com/openassay/assay/gen/openwopv1"
)

// V1 is OpenWOP v1. Its words are the names that all versions share.
var V1 = &Dialect{
	Operations: map[Operation]string{
		Discover:     "GET /.well-known/openwop",
		ReadContract: "GET /v1/openapi.json",

		ReadWorkflow: "GET /v1/workflows/{workflowId}",

		CreateRun:   "POST /v1/runs",
		ListRuns:    "GET /v1/runs",
		ReadRun:     "GET /v1/runs/{runId}",
		CancelRun:   "POST /v1/runs/{runId}/cancel",
		CancelRuns:  "POST /v1/runs:bulk-cancel",
		PauseRun:    "POST /v1/runs/{runId}:pause",
		ResumeRun:   "POST /v1/runs/{runId}:resume",
		ForkRun:     "POST /v1/runs/{runId}:fork",
		CompareRuns: "GET /v1/runs/{runId}:diff",
		ReadLineage: "GET /v1/runs/{runId}/ancestry",
		PollLog:     "GET /v1/runs/{runId}/events/poll",
		WriteLog:    "PUT /v1/runs/{runId}/events/poll",
		StreamLog:   "GET /v1/runs/{runId}/events",

		AnswerNode: "POST /v1/runs/{runId}/interrupts/{nodeId}",
		ReadToken:  "GET /v1/interrupts/{token}",
		UseToken:   "POST /v1/interrupts/{token}",

		ListFiles:  "GET /v1/host/workspace/files",
		ReadFile:   "GET /v1/host/workspace/files/{path}",
		WriteFile:  "PUT /v1/host/workspace/files/{path}",
		DeleteFile: "DELETE /v1/host/workspace/files/{path}",

		ListGoals:    "GET {prefix}/goals",
		CreateGoal:   "POST {prefix}/goals",
		ReadGoal:     "GET {prefix}/goals/{id}",
		EditGoal:     "PATCH {prefix}/goals/{id}",
		RewriteGoal:  "POST {prefix}/goals/{id}",
		TickGoal:     "POST {prefix}/goals/{id}/tick",
		PauseGoal:    "POST {prefix}/goals/{id}/pause",
		ResumeGoal:   "POST {prefix}/goals/{id}/resume",
		AbandonGoal:  "POST {prefix}/goals/{id}/abandon",
		CompleteGoal: "POST {prefix}/goals/{id}/complete",
		ReadTrail:    "GET {prefix}/goals/{id}/events",

		UseSeam: "POST {prefix}/{seam}",
	},
	Root:    "/v1",
	Seams:   []string{"/v1/host/sample", "/v1/host/{vendor}", "/conformance/seams/sample"},
	Cursors: []string{"lastSequence", "since"}, // hosts read one or the other
	Refusals: map[Refusal]Accepted{
		NoCredential:      {[]int{http.StatusUnauthorized}, []Code{Unauthenticated}},
		UnknownCredential: {[]int{http.StatusUnauthorized}, []Code{Unauthenticated, KeyExpired, KeyRevoked}},
		NoSuchRun:         {[]int{http.StatusNotFound, http.StatusForbidden}, []Code{NotFound, Forbidden, RunForbidden, InterruptNotFound}},
		NoSuchWorkflow:    {[]int{http.StatusBadRequest, http.StatusNotFound}, []Code{Invalid, NotFound}},
		NoWorkflow:        {[]int{4}, []Code{Invalid, NotFound}}, // OWP-R23
		InvalidBody:       {[]int{4}, []Code{Invalid}},
		NoSuchStreamMode:  {[]int{http.StatusBadRequest}, []Code{UnsupportedStreamMode}},
		KeyReused:         {[]int{http.StatusConflict}, []Code{KeyMismatch}},
	},
	Contract: openwopv1.Bundled,
	Requests: openwopv1.Bundled,
	Fixtures: openwopv1.Fixtures,
	Payload:  func(e Event) string { return openwopv1.Events[e].Component },
}
