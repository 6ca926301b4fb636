// Loophost is a small host that really loops: a stand-in for hosts that others
// wrote. It knows two of upstream's fixtures, no seam and none of Assay's own
// fixtures, and it is deliberately written from the protocol alone. Its key is
// dev-key.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

type object = map[string]any

const (
	limit  = 40
	parent = "conformance-multi-agent-handoff"
	worker = "conformance-multi-agent-handoff-child"
)

type run struct {
	mu     sync.Mutex
	id     string
	flow   string
	status string
	failed any // the error of a run that has failed
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
	r.status, r.failed = status, payload["error"]
	r.mu.Unlock()
}

// work is what the worker does.
func (r *run) work() {
	r.add("run.started", "", "", object{"workflowId": r.flow})
	r.end("completed", "run.completed", object{"outputs": object{"childOutcome": "handoff-complete"}})
}

type hostState struct {
	mu   sync.Mutex
	runs map[string]*run

	posting sync.Mutex
	keys    map[string]kept // by idempotency key
}

// kept is the reply to the first request under an idempotency key.
type kept struct {
	body  string
	reply object
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
		child.work()
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

func refuse(w http.ResponseWriter, status int, code string) {
	send(w, status, object{"error": code, "message": "no"})
}

// guarded asks for the key before anything is looked for.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		public := !strings.HasPrefix(q.URL.Path, "/v1/") || q.URL.Path == "/v1/openapi.json"
		if !public && q.Header.Get("Authorization") != "Bearer dev-key" {
			refuse(w, 401, "unauthenticated")
			return
		}
		next.ServeHTTP(w, q)
	})
}

// post makes a run, once for each idempotency key.
func (h *hostState) post(w http.ResponseWriter, q *http.Request) {
	raw, err := io.ReadAll(io.LimitReader(q.Body, 1<<20))
	var body struct {
		WorkflowID   *string `json:"workflowId"`
		Configurable struct {
			MaxLoopIterations *int `json:"maxLoopIterations"`
			RecursionLimit    *int `json:"recursionLimit"`
			RunTimeoutMs      *int `json:"runTimeoutMs"`
		} `json:"configurable"`
		Inputs, Metadata object
		Tags             []string
	}
	below1 := func(n *int) bool { return n != nil && *n < 1 }
	switch c := &body.Configurable; {
	case err != nil || json.Unmarshal(raw, &body) != nil || body.WorkflowID == nil,
		below1(c.MaxLoopIterations), below1(c.RecursionLimit), below1(c.RunTimeoutMs):
		refuse(w, 400, "validation_error")
		return
	case *body.WorkflowID != parent && *body.WorkflowID != worker:
		refuse(w, 404, "workflow_not_found")
		return
	}
	h.posting.Lock()
	defer h.posting.Unlock()
	key := q.Header.Get("Idempotency-Key")
	if first, known := h.keys[key]; known && first.body != string(raw) {
		refuse(w, 409, "idempotency_key_mismatch")
		return
	} else if known {
		w.Header().Set("openwop-Idempotent-Replay", "true")
		send(w, 201, first.reply)
		return
	}
	r := h.create(*body.WorkflowID)
	bound := limit
	if n := body.Configurable.MaxLoopIterations; n != nil && *n < limit {
		bound = *n
	}
	if r.flow == parent {
		go h.handoff(r, bound)
	} else {
		r.work()
	}
	reply := object{"runId": r.id, "status": "running", "eventsUrl": "/v1/runs/" + r.id + "/events"}
	if key != "" {
		h.keys[key] = kept{string(raw), reply}
	}
	send(w, 201, reply)
}

// stream sends what there is: a run is over in no time.
func stream(w http.ResponseWriter, q *http.Request, r *run) {
	if mode := q.URL.Query().Get("streamMode"); mode != "" && mode != "debug" && mode != "updates" {
		send(w, 400, object{"error": "unsupported_stream_mode", "message": "no", "details": object{"supported": []string{"updates", "debug"}}})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	from := 0
	if n, err := strconv.Atoi(q.Header.Get("Last-Event-ID")); err == nil {
		from = min(n+1, len(r.events))
	}
	for _, e := range r.events[from:] {
		data, _ := json.Marshal(e)
		fmt.Fprintf(w, "id: %v\nevent: %v\ndata: %s\n\n", e["sequence"], e["type"], data)
	}
}

func main() {
	h := &hostState{runs: map[string]*run{}, keys: map[string]kept{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openwop", func(w http.ResponseWriter, _ *http.Request) {
		send(w, 200, object{
			"protocolVersion": "1.0", "supportedEnvelopes": []string{}, "schemaVersions": object{}, "implementation": object{"name": "loophost", "version": "1", "vendor": "loophost"},
			"limits":   object{"clarificationRounds": 1, "schemaRounds": 1, "envelopesPerTurn": 1, "maxLoopIterations": limit},
			"fixtures": []string{parent, worker},
			"multiAgent": object{"executionModel": object{"supported": true, "version": 5, "crossHostCausation": object{"supported": true, "hostId": "loophost"},
				"replayDeterminism": object{"supported": true, "refusalDivergenceEmission": true}}},
		})
	})
	mux.HandleFunc("GET /v1/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		send(w, 200, object{"openapi": "3.1.0", "info": object{"title": "loophost", "version": "1"}, "paths": object{}})
	})
	mux.HandleFunc("POST /v1/runs", h.post)
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
		snapshot := object{"runId": r.id, "workflowId": r.flow, "status": r.status}
		if r.failed != nil {
			snapshot["error"] = r.failed
		}
		send(w, 200, snapshot)
	}))
	mux.HandleFunc("GET /v1/runs/{id}/events/poll", one(func(w http.ResponseWriter, q *http.Request, r *run) {
		from := 0
		if n, err := strconv.Atoi(q.URL.Query().Get("lastSequence")); err == nil {
			from = min(n+1, len(r.events))
		}
		send(w, 200, object{"events": r.events[from:], "isComplete": r.status != "running"})
	}))
	mux.HandleFunc("GET /v1/runs/{id}/events", one(stream))
	mux.HandleFunc("POST /v1/runs/{id}/cancel", one(func(w http.ResponseWriter, _ *http.Request, r *run) {
		send(w, 200, object{"runId": r.id, "status": r.status}) // its runs are over before anybody can cancel them
	}))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { refuse(w, 404, "not_found") })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("http://" + listener.Addr().String())
	http.Serve(listener, guarded(mux))
}
