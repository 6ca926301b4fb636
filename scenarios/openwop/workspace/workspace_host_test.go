package workspace_test

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

	"github.com/openassay/assay/scenarios/openwop/hosttest"
)

// scribe is a host with workspace files and loops that read them. It is written
// from the protocol and the fixtures alone, and it can misread the files.
type scribe struct {
	mu    sync.Mutex
	files map[string]doc
	runs  map[string]*scribeRun

	fixtures []string
	refuse   int  // HTTP status of every PUT; 0 = PUTs are served
	forgets  bool // a PUT is answered, but nothing is written
	through  bool // reads see the current files
	rereads  bool // reads of a replay do
	drops    bool // a replay misses files deleted since
	wants    bool // a run fails in a workspace without a file
	late     int  // number of turns by which the files lag
	seen     any  // served instead of the notes
}

type doc struct {
	version int
	content string
	there   bool
}

type scribeRun struct {
	id, flow, status string
	plan             []struct{ Kind string }
	reads            []string
	writes           [][]struct{ Path, Content string }
	turn             int
	views            []map[string]doc // the files at the start of each turn; a replay's are those of its source
	notes            []any
	events           []any
	replays          bool
	answered         bool // but not continued yet
}

// view returns the files that the current turn reads.
func (s *scribe) view(r *scribeRun) map[string]doc {
	switch {
	case s.through, s.rereads && r.replays:
		return s.files
	default:
		return r.views[max(0, r.turn-1-s.late)]
	}
}

func (s *scribe) note(r *scribeRun, at string) {
	if r.flow != "assay-loop-workspace" {
		return
	}
	entries := []any{}
	for _, path := range r.reads {
		e := map[string]any{"path": path, "version": 0}
		if d := s.view(r)[path]; d.there && (s.files[path].there || !s.drops || !r.replays) {
			e["version"], e["content"] = d.version, d.content
		}
		entries = append(entries, e)
	}
	r.notes = append(r.notes, map[string]any{"iteration": r.turn, "at": at, "workspace": entries})
}

func (s *scribe) write(path, content string, there bool) doc {
	d := doc{s.files[path].version + 1, content, there}
	s.files[path] = d
	return d
}

func (r *scribeRun) event(kind string, payload any) {
	r.events = append(r.events, map[string]any{"eventId": fmt.Sprint(r.id, "-", len(r.events)), "runId": r.id, "type": kind,
		"sequence": len(r.events), "payload": payload})
}

// advance takes turns until one asks or the plan ends.
func (s *scribe) advance(r *scribeRun) {
	there := func(d doc) bool { return d.there }
	if s.wants && r.turn == 0 && !slices.ContainsFunc(slices.Collect(maps.Values(s.files)), there) {
		r.status, r.views = "failed", []map[string]doc{maps.Clone(s.files)}
		r.event("run.failed", map[string]any{"error": map[string]any{"code": "capability_required"}})
		return
	}
	for r.turn < len(r.plan) {
		r.turn++
		if len(r.views) < r.turn {
			r.views = append(r.views, maps.Clone(s.files))
		}
		s.note(r, "begin")
		if r.turn <= len(r.writes) && !r.replays {
			for _, w := range r.writes[r.turn-1] {
				s.write(w.Path, w.Content, true)
			}
		}
		kind := r.plan[r.turn-1].Kind
		r.event("runOrchestrator.decided", map[string]any{"agentId": "scribe", "iteration": r.turn, "decision": map[string]any{"kind": kind}})
		if kind == "ask-user" && !r.replays {
			r.status = "waiting-input"
			return
		}
		s.note(r, "end")
	}
	r.status = "completed"
	r.event("run.completed", map[string]any{})
}

func (s *scribe) snapshot(r *scribeRun) any {
	listed := []any{}
	for path, d := range s.view(r) {
		if d.there {
			listed = append(listed, map[string]any{"path": path, "version": d.version})
		}
	}
	out := map[string]any{"runId": r.id, "workflowId": r.flow, "status": r.status, "currentNodeId": "supervisor",
		"workspace": listed, "variables": map[string]any{"seen": r.notes}}
	if s.seen != nil {
		out["variables"] = map[string]any{"seen": s.seen}
	}
	return out
}

func (s *scribe) create(w http.ResponseWriter, r *http.Request) {
	var body struct {
		WorkflowID string
		Inputs     json.RawMessage
	}
	var inputs struct {
		Plan   []struct{ Kind string }
		Reads  struct{ Workspace []string }
		Writes [][]struct{ Path, Content string }
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil || json.Unmarshal(body.Inputs, &inputs) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	run := &scribeRun{id: fmt.Sprint("run-", len(s.runs)), flow: body.WorkflowID, plan: inputs.Plan, reads: inputs.Reads.Workspace,
		writes: inputs.Writes}
	s.begin(w, run)
}

func (s *scribe) begin(w http.ResponseWriter, r *scribeRun) {
	s.runs[r.id] = r
	s.advance(r)
	w.WriteHeader(http.StatusCreated)
	sendJSON(w, map[string]any{"runId": r.id, "status": r.status})
}

func (s *scribe) file(w http.ResponseWriter, r *http.Request) {
	path := r.PathValue("path")
	d := s.files[path]
	switch {
	case r.Method == http.MethodPut && s.refuse != 0:
		w.WriteHeader(s.refuse)
		return
	case r.Method == http.MethodPut:
		var body struct{ Content string }
		if json.NewDecoder(r.Body).Decode(&body) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if !s.forgets {
			d = s.write(path, body.Content, true)
		}
	case !d.there:
		w.WriteHeader(http.StatusNotFound)
		return
	case r.Method == http.MethodDelete:
		s.write(path, "", false)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	sendJSON(w, map[string]any{"path": path, "version": d.version, "content": d.content})
}

func sendJSON(w http.ResponseWriter, body any) { json.NewEncoder(w).Encode(body) }

// start serves the host until the test ends.
func (s *scribe) start(t *testing.T) string {
	t.Helper()
	s.files, s.runs = map[string]doc{}, map[string]*scribeRun{}
	known := func(serve func(http.ResponseWriter, *http.Request, *scribeRun)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			id, _, _ := strings.Cut(r.PathValue("id"), ":")
			if run := s.runs[id]; run != nil {
				serve(w, r, run)
				return
			}
			w.WriteHeader(http.StatusNotFound)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openwop", func(w http.ResponseWriter,
		_ *http.Request) {
		sendJSON(w, hosttest.DiscoveryOf(s.fixtures...))
	})
	mux.HandleFunc("/v1/host/workspace/files/{path}", s.file)
	mux.HandleFunc("POST /v1/runs", s.create)
	mux.HandleFunc("GET /v1/runs/{id}", known(func(w http.ResponseWriter, _ *http.Request, r *scribeRun) {
		sendJSON(w, s.snapshot(r))
		if r.answered { // it continues on its own, as honest hosts do
			r.answered = false
			s.note(r, "end")
			s.advance(r)
		}
	}))
	mux.HandleFunc("GET /v1/runs/{id}/events/poll", known(func(w http.ResponseWriter, _ *http.Request, r *scribeRun) {
		sendJSON(w, map[string]any{"events": r.events})
	}))
	mux.HandleFunc("POST /v1/runs/{id}/interrupts/{node}", known(func(w http.ResponseWriter, _ *http.Request, r *scribeRun) {
		r.answered = true
		sendJSON(w, map[string]any{"runId": r.id, "status": r.status})
	}))
	mux.HandleFunc("POST /v1/runs/{id}/cancel", known(func(w http.ResponseWriter, _ *http.Request, r *scribeRun) { r.status = "cancelled" }))
	mux.HandleFunc("POST /v1/runs/{id}", known(func(w http.ResponseWriter, _ *http.Request, r *scribeRun) { // {id} is run:fork
		s.begin(w, &scribeRun{id: "fork-of-" + r.id, flow: r.flow, plan: r.plan, reads: r.reads, writes: r.writes, views: r.views, replays: true})
	}))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
