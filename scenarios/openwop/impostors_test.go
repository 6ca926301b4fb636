package openwop_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/openassay/assay/scenarios/openwop/hosttest"
)

// agentLoop answers the seam that drives a loop.
func agentLoop(a hosttest.Answer) hosttest.Routes {
	return hosttest.Routes{"POST /v1/host/sample/agentloop/run": a}
}

// decisions returns the decisions of a loop of n turns.
func decisions(n int) []any {
	out := []any{}
	for i := range n {
		out = append(out, map[string]any{"agentId": "liar.supervisor", "iteration": i + 1, "decision": map[string]any{"kind": "terminate"}})
	}
	return out
}

// constantLoop returns what upstream's seam scenarios expect, whatever is asked.
var constantLoop = map[string]any{"decisions": decisions(3), "resumedIteration": 2,
	"workspaceVisible": map[string]bool{"atWriteTurn": false, "atNextTurn": true}}

// formulaLoop computes what a loop that keeps every promise would do.
func formulaLoop(_ *http.Request, body map[string]any) (int, any) {
	number := func(name string) int { n, _ := body[name].(float64); return int(n) }
	turns, suspend, write := number("turns"), number("suspendAtTurn"), number("workspaceWriteAtTurn")
	if turns < 1 || suspend > turns || write > turns {
		return hosttest.Refused(http.StatusBadRequest, "validation_error")
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

// inventingLoop is formulaLoop with the id of a run that never existed.
func inventingLoop(r *http.Request, body map[string]any) (int, any) {
	status, reply := formulaLoop(r, body)
	if loop, ok := reply.(map[string]any); ok {
		loop["runId"] = fmt.Sprintf("r-%v", body["turns"])
	}
	return status, reply
}

// constantHost has one body for each endpoint. Its one run keeps the given status.
func constantHost(status string) hosttest.Routes {
	file := map[string]any{"path": "assay/notes.md", "content": "constant", "version": 1, "etag": `"1-constant"`,
		"updatedAt": "2026-11-01T00:00:00Z"}
	event := func(sequence int, kind string, payload any) map[string]any {
		return map[string]any{"eventId": fmt.Sprint("e", sequence), "runId": "r-1", "sequence": sequence, "type": kind,
			"timestamp": "2026-11-01T00:00:00Z", "payload": payload}
	}
	log := map[string]any{"isComplete": true, "events": []any{
		event(0, "run.started", map[string]any{"workflowId": "assay-loop"}),
		event(1, "runOrchestrator.decided", decisions(2)[0]),
		event(2, "runOrchestrator.decided", decisions(2)[1]),
		event(3, "run.completed", map[string]any{}),
	}}
	goal := map[string]any{
		"id": "g-1", "objective": "constant", "state": "active", "completion": map[string]any{"check": "host", "lastVerdict": nil},
		"continuation": map[string]any{"mode": "manual"}, "bounds": map[string]any{"maxLoopIterations": 3},
		"owner":    map[string]any{"tenant": "t-1"},
		"progress": map[string]any{"iterations": 1, "contributingRunIds": []string{"r-1"}}, "createdAt": "2026-11-01T00:00:00Z",
	}
	evaluated := map[string]any{"eventId": "ge-1", "goalId": "g-1", "sequence": 0, "type": "goal.evaluated",
		"timestamp": "2026-11-01T00:00:00Z",
		"payload":   map[string]any{"goalId": "g-1", "satisfied": false, "runId": "r-1", "iterations": 1}}
	return hosttest.Routes{
		"POST /v1/runs": hosttest.Always(map[string]any{"runId": "r-1", "status": "running",
			"eventsUrl": "/v1/runs/r-1/events"}),
		"POST /v1/runs/{fork}": hosttest.Always(map[string]any{"runId": "r-2", "sourceRunId": "r-1", "mode": "replay",
			"status": "running", "eventsUrl": "/v1/runs/r-2/events"}),
		"GET /v1/runs/{id}": hosttest.Always(map[string]any{"runId": "r-1", "workflowId": "assay-loop",
			"status": status, "currentNodeId": "dispatch"}),
		"GET /v1/runs/{id}/events":               hosttest.Always(log),
		"GET /v1/runs/{id}/events/poll":          hosttest.Always(log),
		"POST /v1/runs/{id}/interrupts/{node}":   hosttest.Always(map[string]any{"runId": "r-1", "nodeId": "dispatch", "status": status}),
		"POST /v1/runs/{id}/cancel":              hosttest.Always(map[string]any{"runId": "r-1", "status": "cancelled"}),
		"GET /v1/runs/{id}/ancestry":             hosttest.Always(map[string]any{"runId": "r-1", "hostId": "liar", "parent": nil}),
		"GET /v1/host/workspace/files":           hosttest.Always(map[string]any{"files": []any{}}),
		"GET /v1/host/workspace/files/{path}":    hosttest.Always(file),
		"PUT /v1/host/workspace/files/{path}":    hosttest.Always(file),
		"DELETE /v1/host/workspace/files/{path}": func(*http.Request, map[string]any) (int, any) { return http.StatusNoContent, nil },
		"POST /v1/host/sample/workspace/op":      hosttest.Always(file),
		"GET /v1/host/sample/goals":              hosttest.Always(map[string]any{"goals": []any{goal}}),
		"POST /v1/host/sample/goals":             hosttest.Always(goal),
		"GET /v1/host/sample/goals/{id}":         hosttest.Always(goal),
		"PATCH /v1/host/sample/goals/{id}":       hosttest.Always(goal),
		"POST /v1/host/sample/goals/{id}/{act}":  hosttest.Always(goal),
		"POST /v1/host/sample/goals/{id}/tick":   hosttest.Always(map[string]any{"goal": goal, "runId": "r-1", "events": []any{evaluated}}),
		"GET /v1/host/sample/goals/{id}/events":  hosttest.Always(map[string]any{"events": []any{evaluated}}),
		"POST /v1/host/sample/heartbeat/tick": hosttest.Always(map[string]any{"heartbeatId": "h-1", "status": "ok", "changed": true,
			"runId": "r-1"}),
		"POST /v1/host/sample/agentloop/run": hosttest.Always(constantLoop),
	}
}

// keptFiles stores files correctly, which takes no run.
func keptFiles() hosttest.Routes {
	var mu sync.Mutex
	versions, contents := map[string]int{}, map[string]any{}
	return hosttest.Routes{
		"GET /v1/host/workspace/files/{path}": func(r *http.Request, _ map[string]any) (int, any) {
			mu.Lock()
			defer mu.Unlock()
			path := r.PathValue("path")
			if contents[path] == nil {
				return hosttest.Refused(http.StatusNotFound, "not_found")
			}
			return http.StatusOK, map[string]any{"path": path, "content": contents[path], "version": versions[path],
				"updatedAt": "2026-11-01T00:00:00Z"}
		},
		"PUT /v1/host/workspace/files/{path}": func(r *http.Request, body map[string]any) (int, any) {
			mu.Lock()
			defer mu.Unlock()
			path := r.PathValue("path")
			contents[path] = body["content"]
			versions[path]++
			return http.StatusOK, map[string]any{"path": path, "content": contents[path], "version": versions[path],
				"updatedAt": "2026-11-01T00:00:00Z"}
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

// changingHeartbeat reports every state as changed.
var changingHeartbeat = hosttest.Routes{"POST /v1/host/sample/heartbeat/tick": func(_ *http.Request, body map[string]any) (int, any) {
	return http.StatusOK, map[string]any{"heartbeatId": body["heartbeatId"], "status": "ok", "changed": true}
}}

// inventedRuns serves a completed run under every id that looks like a run's.
func inventedRuns(ours func(id string) bool) hosttest.Routes {
	get := func(body func(id string) any) hosttest.Answer {
		return func(r *http.Request, _ map[string]any) (int, any) {
			if id := r.PathValue("id"); ours(id) {
				return http.StatusOK, body(id)
			}
			return hosttest.Refused(http.StatusNotFound, "not_found")
		}
	}
	return hosttest.Routes{
		"GET /v1/runs/{id}": get(func(id string) any {
			return map[string]any{"runId": id, "workflowId": "assay-goal-work", "status": "completed"}
		}),
		"GET /v1/runs/{id}/events/poll": get(func(string) any { return map[string]any{"events": []any{}, "isComplete": true} }),
	}
}

// isOfAGoal reports whether inventedGoals gave this id to a run.
func isOfAGoal(id string) bool { return strings.HasPrefix(id, "g-") && strings.Contains(id, "-run-") }
