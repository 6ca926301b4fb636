// Loophost is a small host that really loops: a stand-in for hosts that others
// wrote. It knows two of upstream's fixtures, no seam and none of Assay's own
// fixtures, and it is deliberately written from the protocol alone.
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"
)

type object = map[string]any

const limit = 40

type run struct {
	mu     sync.Mutex
	id     string
	flow   string
	status string
	vars   object
	events []object
}

func (r *run) add(kind, cause, node string, payload object) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := fmt.Sprintf("%s-%d", r.id, len(r.events))
	e := object{"eventId": id, "runId": r.id, "type": kind, "sequence": len(r.events), "timestamp": time.Now().UTC().Format(time.RFC3339Nano), "payload": payload}
	if cause != "" {
		e["causationId"] = cause
	}
	if node != "" {
		e["nodeId"] = node
	}
	r.events = append(r.events, e)
	return id
}

func (r *run) end(status, kind string, payload object) {
	r.add(kind, "", "", payload)
	r.mu.Lock()
	r.status = status
	r.mu.Unlock()
}

type hostState struct {
	mu   sync.Mutex
	runs map[string]*run
}

func (h *hostState) create(flow string) *run {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := &run{id: fmt.Sprintf("run-%d", len(h.runs)+1), flow: flow, status: "running", vars: object{}}
	h.runs[r.id] = r
	return r
}

// handoff is the supervisor's loop: what it does next depends on what the last child brought back.
func (h *hostState) handoff(r *run, bound int) {
	r.add("run.started", "", "", object{"workflowId": r.flow})
	for turn := 1; ; turn++ {
		if turn > bound {
			r.add("cap.breached", "", "", object{"kind": "loop-iterations", "limit": bound, "observed": turn})
			r.end("failed", "run.failed", object{"error": object{"code": "loop_limit_exceeded", "message": "too many turns"}})
			return
		}
		if r.vars["parentResult"] != nil {
			r.add("runOrchestrator.decided", "", "supervisor", object{"agentId": "loophost.supervisor", "iteration": turn, "decision": object{"kind": "terminate", "reason": "goal-reached"}})
			r.end("completed", "run.completed", object{"outputs": r.vars})
			return
		}
		worker := "conformance-multi-agent-handoff-child"
		decided := r.add("runOrchestrator.decided", "", "supervisor", object{"agentId": "loophost.supervisor", "iteration": turn, "decision": object{"kind": "next-worker", "nextWorkerIds": []string{worker}}})
		chain := func(cause, phase string, more object) string {
			p := object{"phase": phase, "workerId": worker, "parentRunId": r.id}
			for k, v := range more {
				p[k] = v
			}
			return r.add("core.workflowChain.event", cause, "dispatch", p)
		}
		began := chain(decided, "dispatch.began", nil)
		child := h.create(worker)
		succeeded := chain(began, "dispatch.succeeded", object{"childRunId": child.id})
		child.add("run.started", "", "", object{"workflowId": worker})
		child.end("completed", "run.completed", object{"outputs": object{"childOutcome": "handoff-complete"}})
		completed := chain(succeeded, "child.completed", object{"childRunId": child.id})
		r.vars["parentResult"] = "handoff-complete"
		chain(completed, "output.harvested", object{"childRunId": child.id, "harvestedKeys": []string{"parentResult"}})
	}
}

func send(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

func main() {
	h := &hostState{runs: map[string]*run{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openwop", func(w http.ResponseWriter, _ *http.Request) {
		send(w, 200, object{
			"protocolVersion": "1.0", "supportedEnvelopes": []string{}, "schemaVersions": object{}, "implementation": object{"name": "loophost", "version": "1", "vendor": "loophost"},
			"limits":   object{"clarificationRounds": 1, "schemaRounds": 1, "envelopesPerTurn": 1, "maxLoopIterations": limit},
			"fixtures": []string{"conformance-multi-agent-handoff", "conformance-multi-agent-handoff-child"},
			"multiAgent": object{"executionModel": object{"supported": true, "version": 5, "crossHostCausation": object{"supported": true, "hostId": "loophost"},
				"replayDeterminism": object{"supported": true, "refusalDivergenceEmission": true}}},
		})
	})
	mux.HandleFunc("POST /v1/runs", func(w http.ResponseWriter, q *http.Request) {
		var body struct {
			WorkflowID   string `json:"workflowId"`
			Configurable struct {
				MaxLoopIterations int `json:"maxLoopIterations"`
			} `json:"configurable"`
		}
		if json.NewDecoder(q.Body).Decode(&body) != nil || body.WorkflowID != "conformance-multi-agent-handoff" {
			send(w, 404, object{"error": "workflow_not_found", "message": "no such workflow"})
			return
		}
		bound := limit
		if n := body.Configurable.MaxLoopIterations; n > 0 && n < limit {
			bound = n
		}
		r := h.create(body.WorkflowID)
		go h.handoff(r, bound)
		send(w, 201, object{"runId": r.id, "status": "running", "eventsUrl": "/v1/runs/" + r.id + "/events"})
	})
	one := func(f func(http.ResponseWriter, *http.Request, *run)) http.HandlerFunc {
		return func(w http.ResponseWriter, q *http.Request) {
			h.mu.Lock()
			r := h.runs[q.PathValue("id")]
			h.mu.Unlock()
			if r == nil {
				send(w, 404, object{"error": "run_not_found", "message": "no such run"})
				return
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			f(w, q, r)
		}
	}
	mux.HandleFunc("GET /v1/runs/{id}", one(func(w http.ResponseWriter, _ *http.Request, r *run) {
		send(w, 200, object{"runId": r.id, "workflowId": r.flow, "status": r.status})
	}))
	mux.HandleFunc("GET /v1/runs/{id}/events/poll", one(func(w http.ResponseWriter, q *http.Request, r *run) {
		from := 0
		if n, err := strconv.Atoi(q.URL.Query().Get("lastSequence")); err == nil {
			from = min(n+1, len(r.events))
		}
		send(w, 200, object{"events": r.events[from:], "isComplete": r.status != "running"})
	}))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("http://" + listener.Addr().String())
	http.Serve(listener, mux)
}
