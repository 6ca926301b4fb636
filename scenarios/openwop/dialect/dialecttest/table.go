// Package dialecttest defines a dialect of OpenWOP that no host speaks but the simulated one when it is told to. A judge that
// uses dialects reaches the same verdicts on both.
package dialecttest

import (
	"net/http"
	"strings"

	"github.com/openassay/assay/scenarios/openwop/dialect"
)

// Other is that dialect. It differs from v1 in methods and paths, in the words for all events, codes and headers,
// in the members for all run options, in ids in paths, in a cursor and in a status.
var Other = other()

func other() *dialect.Dialect {
	d := &dialect.Dialect{
		Operations: map[dialect.Operation]string{
			dialect.Discover:     dialect.V1.Operations[dialect.Discover], // so that the host is found
			dialect.ReadContract: "GET /api/contract",

			dialect.ReadWorkflow: "GET /api/plans/{workflowId}",

			dialect.CreateRun:   "PUT /api/executions",
			dialect.ListRuns:    "GET /api/executions",
			dialect.ReadRun:     "GET /api/execution/{runId}",
			dialect.CancelRun:   "DELETE /api/execution/{runId}",
			dialect.CancelRuns:  "POST /api/executions/stop",
			dialect.PauseRun:    "POST /api/execution/{runId}/hold",
			dialect.ResumeRun:   "POST /api/execution/{runId}/unhold",
			dialect.ForkRun:     "PUT /api/execution/{runId}/copies",
			dialect.CompareRuns: "GET /api/execution/{runId}/difference",
			dialect.ReadLineage: "GET /api/lineage/{runId}",
			dialect.PollLog:     "GET /api/execution/{runId}/log",
			dialect.WriteLog:    "PUT /api/execution/{runId}/log",
			dialect.StreamLog:   "GET /api/execution/{runId}/live",

			dialect.AnswerNode: "PATCH /api/questions/{runId}/{nodeId}",
			dialect.ReadToken:  "GET /api/tickets/{token}",
			dialect.UseToken:   "PATCH /api/tickets/{token}",

			dialect.ListFiles:  "GET /api/files",
			dialect.ReadFile:   "GET /api/files/{path}",
			dialect.WriteFile:  "POST /api/files/{path}",
			dialect.DeleteFile: "DELETE /api/files/{path}",

			dialect.ListGoals:    "GET {prefix}/aims",
			dialect.CreateGoal:   "PUT {prefix}/aims",
			dialect.ReadGoal:     "GET {prefix}/aims/{id}",
			dialect.EditGoal:     "PUT {prefix}/aims/{id}",
			dialect.RewriteGoal:  "POST {prefix}/aims/{id}",
			dialect.TickGoal:     "POST {prefix}/aims/{id}/advance",
			dialect.PauseGoal:    "POST {prefix}/aims/{id}/hold",
			dialect.ResumeGoal:   "POST {prefix}/aims/{id}/unhold",
			dialect.AbandonGoal:  "DELETE {prefix}/aims/{id}",
			dialect.CompleteGoal: "POST {prefix}/aims/{id}/done",
			dialect.ReadTrail:    "GET {prefix}/aims/{id}/log",

			dialect.UseSeam: "PUT {prefix}/seams/{seam}",
		},
		Root:    "/api",
		Seams:   []string{"/api/tests", "/api/{vendor}", "/api/more"},
		Cursors: []string{"behind"},
		Headers: map[string]string{dialect.IdempotencyKey: "Once-Key", dialect.IdempotentReplay: "Once-Repeated"},
		Events:  map[dialect.Event]string{},
		Codes:   map[dialect.Code]string{},
		Options: map[dialect.Option]string{
			dialect.MaxLoopIterations: "/run/limits/turns", dialect.RecursionLimit: "/run/limits/nodes",
			dialect.RunTimeoutMs: "/run/limits/time/ms", dialect.EscalationThreshold: "/run/askBelow",
			dialect.Temperature: "/run/warmth",
		},
		Refusals: map[dialect.Refusal]dialect.Accepted{},
		ID:       func(id string) string { return "id=" + id },
		Contract: dialect.V1.Contract, Fixtures: dialect.V1.Fixtures, Payload: dialect.V1.Payload,
	}
	for _, e := range dialect.Events {
		d.Events[e] = strings.ToUpper(strings.ReplaceAll(string(e), ".", "/"))
	}
	for _, c := range dialect.Codes {
		d.Codes[c] = strings.ToUpper(string(c))
	}
	for r, accepted := range dialect.V1.Refusals {
		d.Refusals[r] = accepted
	}
	d.Refusals[dialect.KeyReused] = dialect.Accepted{Statuses: []int{http.StatusPreconditionFailed},
		Codes: []dialect.Code{dialect.KeyMismatch}}
	return d
}
