package openwop_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/openassay/assay/scenarios/openwop/hosttest"
)

// cannedHost has no engine: it answers each fixture with a prerecorded log and ignores its input. It gives each
// run its own id and remembers which runs were answered.
type cannedHost struct {
	mu       sync.Mutex
	runs     []string // the workflow of each, "bounded" for a run with a bound on its turns
	answered map[string]bool
	goals    []int // the number of ticks of each
}

// cannedTurns holds the decisions of each fixture as published.
var cannedTurns = map[string][]string{
	"assay-loop":                      {"next-worker", "next-worker", "next-worker", "terminate"},
	"assay-loop-ask-user":             {"next-worker", "ask-user", "next-worker", "terminate"},
	"assay-loop-workspace":            {"next-worker", "next-worker", "terminate"},
	"conformance-multi-agent-handoff": {"next-worker", "terminate"},
	"bounded":                         {"next-worker"},
}

func cannedRoutes() hosttest.Routes {
	h := &cannedHost{answered: map[string]bool{}}
	const home = "/v1/host/sample/goals"
	return hosttest.Routes{
		"POST /v1/runs": h.create,
		"POST /v1/runs/{fork}": func(r *http.Request, _ map[string]any) (int, any) {
			source, _, _ := strings.Cut(r.PathValue("fork"), ":")
			return http.StatusCreated, map[string]any{"runId": source}
		},
		"GET /v1/runs/{id}":                    h.snapshot,
		"GET /v1/runs/{id}/events/poll":        h.log,
		"POST /v1/runs/{id}/interrupts/{node}": h.resolve,
		"POST /v1/runs/{id}/cancel":            hosttest.Always(map[string]any{"status": "cancelled"}),
		"POST " + home:                         h.createGoal,
		"GET " + home:                          hosttest.Always(map[string]any{"goals": []any{}}),
		"GET " + home + "/{id}":                h.goal,
		"PATCH " + home + "/{id}":              h.goal,
		"POST " + home + "/{id}/{act}":         h.goal,
		"POST " + home + "/{id}/tick":          h.tick,
		"GET " + home + "/{id}/events": func(r *http.Request, _ map[string]any) (int, any) {
			return http.StatusOK, map[string]any{"events": cannedEvents(r.PathValue("id"))}
		},
	}
}

func (h *cannedHost) create(_ *http.Request, body map[string]any) (int, any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	workflow, _ := body["workflowId"].(string)
	if configurable, _ := body["configurable"].(map[string]any); configurable["maxLoopIterations"] == 1.0 {
		workflow = "bounded"
	}
	h.runs = append(h.runs, workflow)
	return http.StatusCreated, map[string]any{"runId": fmt.Sprint("run-", len(h.runs)), "status": "running"}
}

// look returns a run's workflow, whether it waits for an answer, and whether it got one.
func (h *cannedHost) look(id string) (workflow string, waits, answered bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, w := range h.runs {
		if id == fmt.Sprint("run-", i+1) {
			workflow = w
		}
	}
	asks := slices.Contains(cannedTurns[workflow], "ask-user")
	return workflow, asks && !h.answered[id], asks && h.answered[id]
}

func (h *cannedHost) snapshot(r *http.Request, _ map[string]any) (int, any) {
	id := r.PathValue("id")
	workflow, waits, _ := h.look(id)
	reply := map[string]any{"runId": id, "workflowId": workflow, "status": "completed"}
	switch {
	case waits:
		reply["status"], reply["currentNodeId"] = "waiting-input", "dispatch"
	case workflow == "bounded":
		reply["status"] = "failed"
	case workflow == "assay-loop-workspace":
		reply["variables"] = map[string]any{"seen": cannedNotes()}
	}
	return http.StatusOK, reply
}

// cannedNotes returns the notes for the fixture's own inputs.
func cannedNotes() []any {
	var notes []any
	for turn := 1; turn <= 3; turn++ {
		entry := map[string]any{"path": "assay/notes.md", "version": 0}
		if turn > 1 {
			entry = map[string]any{"path": "assay/notes.md", "version": 1, "content": "written in turn 1"}
		}
		for _, at := range []string{"begin", "end"} {
			notes = append(notes, map[string]any{"iteration": turn, "at": at, "workspace": []any{entry}, "memory": []any{}})
		}
	}
	return notes
}

func (h *cannedHost) log(r *http.Request, _ map[string]any) (int, any) {
	id := r.PathValue("id")
	workflow, waits, answered := h.look(id)
	events := []any{}
	add := func(kind string, payload any) {
		events = append(events, map[string]any{"eventId": fmt.Sprint("e", len(events)), "runId": id, "sequence": len(events), "type": kind,
			"timestamp": "2026-11-01T00:00:00Z", "nodeId": "dispatch", "payload": payload})
	}
	for i, kind := range cannedTurns[workflow] {
		add("runOrchestrator.decided", map[string]any{"agentId": "canned", "iteration": i + 1, "decision": cannedDecision(kind)})
		switch kind {
		case "next-worker":
			for _, phase := range []string{"dispatch.succeeded", "child.completed"} {
				add("core.workflowChain.event", map[string]any{"phase": phase, "childRunId": "a-child"})
			}
		case "ask-user":
			add("node.suspended", map[string]any{"nodeId": "dispatch", "interruptId": "i-1", "kind": "clarification"})
			if waits {
				return http.StatusOK, map[string]any{"events": events, "isComplete": false}
			}
			if answered {
				add("interrupt.resolved", map[string]any{"nodeId": "dispatch", "interruptId": "i-1",
					"resumeValue": map[string]any{"answers": map[string]any{"q1": "yes"}}})
			}
		}
	}
	if workflow == "bounded" {
		add("cap.breached", map[string]any{"kind": "loop-iterations", "limit": 1, "observed": 2})
		add("run.failed", map[string]any{"error": map[string]any{"code": "loop_limit_exceeded"}})
	} else {
		add("run.completed", map[string]any{})
	}
	return http.StatusOK, map[string]any{"events": events, "isComplete": true}
}

func cannedDecision(kind string) map[string]any {
	decision := map[string]any{"kind": kind}
	maps.Copy(decision, map[string]map[string]any{
		"next-worker": {"nextWorkerIds": []string{"conformance-multi-agent-handoff-child"}},
		"ask-user":    {"prompt": "Shall the loop go on?"},
		"terminate":   {"reason": "goal-reached"},
	}[kind])
	return decision
}

// resolve accepts the first answer to a run, whatever it contains.
func (h *cannedHost) resolve(r *http.Request, _ map[string]any) (int, any) {
	id := r.PathValue("id")
	_, waits, _ := h.look(id)
	h.mu.Lock()
	defer h.mu.Unlock()
	if !waits || h.answered[id] {
		return hosttest.Refused(http.StatusConflict, "interrupt_already_resolved")
	}
	h.answered[id] = true
	return http.StatusOK, map[string]any{"runId": id, "nodeId": r.PathValue("node"), "status": "running"}
}

// The canned goal has three runs, is never satisfied, and was recorded with a bound of three.
func (h *cannedHost) createGoal(_ *http.Request, body map[string]any) (int, any) {
	if bounds, _ := body["bounds"].(map[string]any); len(bounds) == 0 {
		return hosttest.Refused(http.StatusUnprocessableEntity, "validation_error")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.goals = append(h.goals, 0)
	return http.StatusOK, cannedGoal(fmt.Sprint("g-", len(h.goals)), 0)
}

func (h *cannedHost) goal(r *http.Request, body map[string]any) (int, any) {
	if body["state"] != nil {
		return hosttest.Refused(http.StatusUnprocessableEntity, "validation_error")
	}
	return h.ticked(r, 0)
}

func (h *cannedHost) tick(r *http.Request, _ map[string]any) (int, any) {
	status, goal := h.ticked(r, 1)
	return status, map[string]any{"goal": goal, "runId": "a-run", "events": []any{}}
}

func (h *cannedHost) ticked(r *http.Request, more int) (int, any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.goals {
		if id := fmt.Sprint("g-", i+1); id == r.PathValue("id") {
			h.goals[i] = min(h.goals[i]+more, 3)
			return http.StatusOK, cannedGoal(id, h.goals[i])
		}
	}
	return hosttest.Refused(http.StatusNotFound, "not_found")
}

func cannedGoal(id string, runs int) map[string]any {
	state := "active"
	if runs == 3 {
		state = "bound-exceeded"
	}
	return map[string]any{
		"id": id, "objective": "keep the checklist green", "state": state, "completion": map[string]any{"check": "host"},
		"continuation": map[string]any{"mode": "manual"}, "bounds": map[string]any{"maxLoopIterations": 3},
		"owner":     map[string]any{"tenant": "t-1"},
		"progress":  map[string]any{"iterations": runs, "contributingRunIds": []string{"a-run", "another-run", "a-third-run"}[:runs]},
		"createdAt": "2026-11-01T00:00:00Z",
	}
}

func cannedEvents(goal string) []any {
	var events []any
	for i, run := range []string{"a-run", "another-run", "a-third-run"} {
		events = append(events, map[string]any{"eventId": fmt.Sprint("e-", i), "goalId": goal, "sequence": i, "type": "goal.evaluated",
			"timestamp": "2026-11-01T00:00:00Z",
			"payload":   map[string]any{"goalId": goal, "satisfied": false, "runId": run, "iterations": i + 1}})
	}
	return append(events, map[string]any{"eventId": "e-3", "goalId": goal, "sequence": 3, "type": "goal.closed",
		"timestamp": "2026-11-01T00:00:00Z",
		"payload":   map[string]any{"goalId": goal, "finalState": "bound-exceeded"}})
}
