package openwop_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
)

// Impostors claim everything that the suites ask about, and do nothing: what they answer is written down, or computed from
// the question. No run stands behind any of it.

// everyFixture is what an impostor lists that does not leave the fixtures out.
var everyFixture = func() (ids []string) {
	files, err := openwopv1.Fixtures.ReadDir("fixtures")
	if err != nil {
		panic(err) // they are built in
	}
	for _, f := range files {
		ids = append(ids, strings.TrimSuffix(f.Name(), ".json"))
	}
	return ids
}()

// discoveryOf claims version 6 and everything that can be claimed beside it.
func discoveryOf(fixtures ...string) map[string]any {
	return map[string]any{
		"protocolVersion": "1.0", "supportedEnvelopes": []string{}, "schemaVersions": map[string]int{},
		"limits":   map[string]int{"clarificationRounds": 1, "schemaRounds": 1, "envelopesPerTurn": 1, "maxLoopIterations": 9, "maxNodeExecutions": 20, "maxRunDurationMs": 60_000, "maxRequestBodyBytes": 1 << 20},
		"fixtures": append([]string{}, fixtures...), "replay": map[string]any{"supported": true, "modes": []string{"replay", "branch"}},
		"workspace": map[string]any{"supported": true, "versioned": true, "maxFileBytes": 4096, "maxFiles": 8, "maxVersions": 3},
		"memory":    map[string]any{"supported": true, "ttlSupported": true, "maxEntrySizeBytes": 4096, "attribution": map[string]any{"supported": true, "emitsWriteEvents": true}},
		"heartbeat": map[string]any{"supported": true}, "dispatch": map[string]any{"supported": true}, "orchestrator": map[string]any{"supported": true},
		"agents": map[string]any{"supported": true, "orchestrator": true, "dispatch": true, "dispatchMapping": true, "subRunAttestation": true,
			"goals": map[string]any{"judge": "host", "continuation": []string{"manual", "schedule", "heartbeat", "commitment"}, "requiresBounds": true}},
		"multiAgent": map[string]any{"executionModel": map[string]any{"supported": true, "version": 6, "statefulResume": true,
			"verifier":           map[string]any{"supported": true, "gating": true},
			"crossHostCausation": map[string]any{"supported": true, "hostId": "liar", "ancestryEndpointSupported": true},
			"replayDeterminism":  map[string]any{"supported": true, "refusalDivergenceEmission": true, "llmCacheKeyRecipe": "spec-rfc-0041"}}},
	}
}

// answer makes up the reply to a request from its path and its body.
type answer func(r *http.Request, body map[string]any) (status int, reply any)

// always is the same reply to everything.
func always(reply any) answer {
	return func(*http.Request, map[string]any) (int, any) { return http.StatusOK, reply }
}

// refused is the reply to what an impostor has no answer to.
func refused(status int, code string) (int, any) {
	return status, openwopv1.ErrorEnvelope{Error: code, Message: "no"}
}

// routes are the answers of an impostor, by the patterns of http.ServeMux.
type routes map[string]answer

// serve starts an impostor; of routes that are given twice the later one counts.
func serve(t *testing.T, all ...routes) string {
	t.Helper()
	merged := routes{}
	for _, some := range all {
		maps.Copy(merged, some)
	}
	mux := http.NewServeMux()
	for pattern, a := range merged {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			var body map[string]any
			json.NewDecoder(r.Body).Decode(&body)
			status, reply := a(r, body)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			if reply != nil {
				json.NewEncoder(w).Encode(reply)
			}
		})
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func discovery(fixtures ...string) routes {
	return routes{
		"GET /.well-known/openwop": always(discoveryOf(fixtures...)),
		"GET /v1/openapi.json":     always(map[string]any{"openapi": "3.1.0", "paths": map[string]any{}}),
		"/v1/":                     strangersAndUnknown,
	}
}

// strangersAndUnknown refuses what an impostor has no answer to as it should be refused: that takes no run either.
func strangersAndUnknown(r *http.Request, _ map[string]any) (int, any) {
	if !slices.Contains([]string{"Bearer " + ourKey, "Bearer " + otherKey}, r.Header.Get("Authorization")) {
		return refused(http.StatusUnauthorized, "unauthenticated")
	}
	return refused(http.StatusNotFound, "not_found")
}

// agentLoop answers the seam that drives a loop.
func agentLoop(a answer) routes { return routes{"POST /v1/host/sample/agentloop/run": a} }

// decisions are those of a loop of n turns.
func decisions(n int) []any {
	out := []any{}
	for i := range n {
		out = append(out, map[string]any{"agentId": "liar.supervisor", "iteration": i + 1, "decision": map[string]any{"kind": "terminate"}})
	}
	return out
}

// constantLoop is what upstream's scenarios of the seam want to hear, whatever is asked.
var constantLoop = map[string]any{"decisions": decisions(3), "resumedIteration": 2, "workspaceVisible": map[string]bool{"atWriteTurn": false, "atNextTurn": true}}

// formulaLoop computes what a loop would do that keeps every promise.
func formulaLoop(_ *http.Request, body map[string]any) (int, any) {
	number := func(name string) int { n, _ := body[name].(float64); return int(n) }
	turns, suspend, write := number("turns"), number("suspendAtTurn"), number("workspaceWriteAtTurn")
	if turns < 1 || suspend > turns || write > turns {
		return refused(http.StatusBadRequest, "validation_error")
	}
	reply, taken := map[string]any{}, turns
	switch {
	case suspend > 0 && body["resume"] == true:
		reply["resumedIteration"] = suspend
	case suspend > 0:
		taken = suspend
	}
	reply["decisions"] = decisions(taken)
	switch {
	case write > 0 && write < taken:
		reply["workspaceVisible"] = map[string]bool{"atWriteTurn": false, "atNextTurn": true}
	case write > 0:
		reply["workspaceVisible"] = map[string]bool{"atWriteTurn": false}
	}
	return http.StatusOK, reply
}

// inventingLoop is formulaLoop with the id of a run that never was.
func inventingLoop(r *http.Request, body map[string]any) (int, any) {
	status, reply := formulaLoop(r, body)
	if loop, ok := reply.(map[string]any); ok {
		loop["runId"] = fmt.Sprintf("r-%v", body["turns"])
	}
	return status, reply
}

// constantHost has one body for each endpoint. Its one run stands at the status.
func constantHost(status string) routes {
	file := map[string]any{"path": "assay/notes.md", "content": "constant", "version": 1, "etag": `"1-constant"`, "updatedAt": "2026-11-01T00:00:00Z"}
	event := func(sequence int, kind string, payload any) map[string]any {
		return map[string]any{"eventId": fmt.Sprint("e", sequence), "runId": "r-1", "sequence": sequence, "type": kind, "timestamp": "2026-11-01T00:00:00Z", "payload": payload}
	}
	log := map[string]any{"isComplete": true, "events": []any{
		event(0, "run.started", map[string]any{"workflowId": "assay-loop"}),
		event(1, "runOrchestrator.decided", decisions(2)[0]),
		event(2, "runOrchestrator.decided", decisions(2)[1]),
		event(3, "run.completed", map[string]any{}),
	}}
	goal := map[string]any{
		"id": "g-1", "objective": "constant", "state": "active", "completion": map[string]any{"check": "host", "lastVerdict": nil},
		"continuation": map[string]any{"mode": "manual"}, "bounds": map[string]any{"maxLoopIterations": 3}, "owner": map[string]any{"tenant": "t-1"},
		"progress": map[string]any{"iterations": 1, "contributingRunIds": []string{"r-1"}}, "createdAt": "2026-11-01T00:00:00Z",
	}
	evaluated := map[string]any{"eventId": "ge-1", "goalId": "g-1", "sequence": 0, "type": "goal.evaluated", "timestamp": "2026-11-01T00:00:00Z",
		"payload": map[string]any{"goalId": "g-1", "satisfied": false, "runId": "r-1", "iterations": 1}}
	return routes{
		"POST /v1/runs":                          always(map[string]any{"runId": "r-1", "status": "running", "eventsUrl": "/v1/runs/r-1/events"}),
		"POST /v1/runs/{fork}":                   always(map[string]any{"runId": "r-2", "sourceRunId": "r-1", "mode": "replay", "status": "running", "eventsUrl": "/v1/runs/r-2/events"}),
		"GET /v1/runs/{id}":                      always(map[string]any{"runId": "r-1", "workflowId": "assay-loop", "status": status, "currentNodeId": "dispatch"}),
		"GET /v1/runs/{id}/events":               always(log),
		"GET /v1/runs/{id}/events/poll":          always(log),
		"POST /v1/runs/{id}/interrupts/{node}":   always(map[string]any{"runId": "r-1", "nodeId": "dispatch", "status": status}),
		"POST /v1/runs/{id}/cancel":              always(map[string]any{"runId": "r-1", "status": "cancelled"}),
		"GET /v1/runs/{id}/ancestry":             always(map[string]any{"runId": "r-1", "hostId": "liar", "parent": nil}),
		"GET /v1/host/workspace/files":           always(map[string]any{"files": []any{}}),
		"GET /v1/host/workspace/files/{path}":    always(file),
		"PUT /v1/host/workspace/files/{path}":    always(file),
		"DELETE /v1/host/workspace/files/{path}": func(*http.Request, map[string]any) (int, any) { return http.StatusNoContent, nil },
		"POST /v1/host/sample/workspace/op":      always(file),
		"GET /v1/host/sample/goals":              always(map[string]any{"goals": []any{goal}}),
		"POST /v1/host/sample/goals":             always(goal),
		"GET /v1/host/sample/goals/{id}":         always(goal),
		"PATCH /v1/host/sample/goals/{id}":       always(goal),
		"POST /v1/host/sample/goals/{id}/{act}":  always(goal),
		"POST /v1/host/sample/goals/{id}/tick":   always(map[string]any{"goal": goal, "runId": "r-1", "events": []any{evaluated}}),
		"GET /v1/host/sample/goals/{id}/events":  always(map[string]any{"events": []any{evaluated}}),
		"POST /v1/host/sample/heartbeat/tick":    always(map[string]any{"heartbeatId": "h-1", "status": "ok", "changed": true, "runId": "r-1"}),
		"POST /v1/host/sample/agentloop/run":     always(constantLoop),
	}
}

// keptFiles are files as they should be: to keep them takes no run.
func keptFiles() routes {
	var mu sync.Mutex
	versions, contents := map[string]int{}, map[string]any{}
	return routes{
		"GET /v1/host/workspace/files/{path}": func(r *http.Request, _ map[string]any) (int, any) {
			mu.Lock()
			defer mu.Unlock()
			path := r.PathValue("path")
			if contents[path] == nil {
				return refused(http.StatusNotFound, "not_found")
			}
			return http.StatusOK, map[string]any{"path": path, "content": contents[path], "version": versions[path], "updatedAt": "2026-11-01T00:00:00Z"}
		},
		"PUT /v1/host/workspace/files/{path}": func(r *http.Request, body map[string]any) (int, any) {
			mu.Lock()
			defer mu.Unlock()
			path := r.PathValue("path")
			contents[path] = body["content"]
			versions[path]++
			return http.StatusOK, map[string]any{"path": path, "content": contents[path], "version": versions[path], "updatedAt": "2026-11-01T00:00:00Z"}
		},
		"DELETE /v1/host/workspace/files/{path}": func(r *http.Request, _ map[string]any) (int, any) {
			mu.Lock()
			defer mu.Unlock()
			path := r.PathValue("path")
			delete(contents, path)
			versions[path]++
			return http.StatusNoContent, nil
		},
	}
}

// changingHeartbeat says of every state that it is another one.
var changingHeartbeat = routes{"POST /v1/host/sample/heartbeat/tick": func(_ *http.Request, body map[string]any) (int, any) {
	return http.StatusOK, map[string]any{"heartbeatId": body["heartbeatId"], "status": "ok", "changed": true}
}}

// inventedRuns serves a run under every id that is said to be one, and says that it is done.
func inventedRuns(ours func(id string) bool) routes {
	get := func(body func(id string) any) answer {
		return func(r *http.Request, _ map[string]any) (int, any) {
			if id := r.PathValue("id"); ours(id) {
				return http.StatusOK, body(id)
			}
			return refused(http.StatusNotFound, "not_found")
		}
	}
	return routes{
		"GET /v1/runs/{id}": get(func(id string) any {
			return map[string]any{"runId": id, "workflowId": "assay-goal-work", "status": "completed"}
		}),
		"GET /v1/runs/{id}/events/poll": get(func(string) any { return map[string]any{"events": []any{}, "isComplete": true} }),
	}
}

// isOfAGoal says whether an id is one that inventedGoals give to a run.
func isOfAGoal(id string) bool { return strings.HasPrefix(id, "g-") && strings.Contains(id, "-run-") }
