package eventlog_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios/openwop/hosttest"
)

// teller is a host with two workflows, one that ends by itself and one that waits
// to be cancelled. It serves their logs by poll and by stream, and is written from
// the protocol alone. Each way of serving them can be replaced.
type teller struct {
	fixtures []string
	first    int                                               // sequence of the first event
	extra    []string                                          // types of further events, after the first of every run
	note     string                                            // type of an event after the end of every run
	page     func(t *telling, after int64, since string) any   // reply to a poll
	frame    func(e map[string]any) string                     // an event of a stream
	stream   func(w http.ResponseWriter, r *http.Request) bool // reports whether it answered
	resumes  func(lastEventID string) (after int64, status int)
	leaves   bool // leaves streams open
	batches  bool // understands batches
	lists    bool // serves the JSON document

	causeless bool // no event names its cause

	mu   sync.Mutex
	runs []*telling
}

// telling is one run.
type telling struct {
	mu      sync.Mutex
	id      string
	flow    string
	status  string
	first   int
	alone   bool // its events name no causes
	events  []map[string]any
	changed chan struct{} // closed and replaced with every event
}

func (t *telling) add(kind string, payload any) {
	n := len(t.events)
	t.events = append(t.events, map[string]any{"eventId": fmt.Sprintf("evt-%s-%d", t.id, n), "runId": t.id, "type": kind,
		"sequence":  t.first + n,
		"timestamp": time.Date(2026, 11, 1, 0, 0, 0, n*int(time.Millisecond), time.UTC).Format(time.RFC3339Nano), "payload": payload})
	if n > 0 && !t.alone {
		t.events[n]["causationId"] = t.events[n-1]["eventId"]
	}
	close(t.changed)
	t.changed = make(chan struct{})
}

// behind returns the current events after a sequence, and whether the run has
// ended.
func (t *telling) behind(after int64) (events []map[string]any, over bool, changed chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	events = []map[string]any{}
	for _, e := range t.events {
		if int64(e["sequence"].(int)) > after {
			events = append(events, e)
		}
	}
	return events, t.status != "running", t.changed
}

func (h *teller) serve(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openwop", func(w http.ResponseWriter, _ *http.Request) {
		fixtures := h.fixtures
		if fixtures == nil {
			fixtures = []string{"conformance-noop", "conformance-cancellable"}
		}
		hosttest.TellJSON(w, 200, map[string]any{"protocolVersion": "1.0", "supportedEnvelopes": []string{},
			"schemaVersions": map[string]int{}, "fixtures": fixtures,
			"limits": map[string]int{"clarificationRounds": 0, "schemaRounds": 0, "envelopesPerTurn": 0}})
	})
	mux.HandleFunc("POST /v1/runs", h.create)
	mux.HandleFunc("GET /v1/runs/{id}", h.of(func(w http.ResponseWriter, _ *http.Request, t *telling) {
		t.mu.Lock()
		defer t.mu.Unlock()
		hosttest.TellJSON(w, 200, map[string]any{"runId": t.id, "workflowId": t.flow, "status": t.status})
	}))
	mux.HandleFunc("POST /v1/runs/{id}/cancel", h.of(func(w http.ResponseWriter, _ *http.Request, t *telling) {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.status == "running" {
			t.status = "cancelled"
			t.add("run.cancelled", map[string]any{"reason": "asked"})
		}
		hosttest.TellJSON(w, 200, map[string]any{"runId": t.id, "status": t.status})
	}))
	mux.HandleFunc("GET /v1/runs/{id}/events/poll", h.of(h.poll))
	mux.HandleFunc("GET /v1/runs/{id}/events", h.of(h.tell))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func (h *teller) of(f func(http.ResponseWriter, *http.Request, *telling)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		i := slices.IndexFunc(h.runs, func(t *telling) bool { return t.id == r.PathValue("id") })
		var t *telling
		if i >= 0 {
			t = h.runs[i]
		}
		h.mu.Unlock()
		if t == nil {
			hosttest.TellJSON(w, 404, map[string]any{"error": "run_not_found", "message": "no such run"})
			return
		}
		f(w, r, t)
	}
}

func (h *teller) create(w http.ResponseWriter, r *http.Request) {
	var body struct {
		WorkflowID string `json:"workflowId"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		hosttest.TellJSON(w, 400, map[string]any{"error": "validation_error", "message": err.Error()})
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	t := &telling{id: fmt.Sprint("run-", len(h.runs)+1), flow: body.WorkflowID, status: "running", first: h.first, alone: h.causeless,
		changed: make(chan struct{})}
	h.runs = append(h.runs, t)
	t.add("run.started", map[string]any{"workflowId": t.flow})
	for _, kind := range h.extra {
		t.add(kind, map[string]any{})
	}
	t.add("node.started", map[string]any{"nodeId": "n", "typeId": "core.noop"})
	if t.flow == "conformance-noop" {
		t.add("node.completed", map[string]any{"nodeId": "n"})
		t.add("run.completed", map[string]any{})
		if h.note != "" {
			t.add(h.note, map[string]any{})
		}
		t.status = "completed"
	}
	hosttest.TellJSON(w, 201, map[string]any{"runId": t.id, "status": t.status, "eventsUrl": "/v1/runs/" + t.id + "/events"})
}

func (h *teller) poll(w http.ResponseWriter, r *http.Request, t *telling) {
	after := int64(-1)
	if n, err := strconv.ParseInt(r.URL.Query().Get("lastSequence"), 10, 64); err == nil {
		after = n
	}
	if h.page != nil {
		hosttest.TellJSON(w, 200, h.page(t, after, r.URL.Query().Get("since")))
		return
	}
	events, over, _ := t.behind(after)
	hosttest.TellJSON(w, 200, map[string]any{"events": events, "isComplete": over})
}

// tell streams a run until it ends.
func (h *teller) tell(w http.ResponseWriter, r *http.Request, t *telling) {
	if r.Header.Get("Accept") == "application/json" {
		if !h.lists {
			hosttest.TellJSON(w, 406, map[string]any{"error": "not_acceptable", "message": "streams only"})
			return
		}
		events, over, _ := t.behind(-1)
		hosttest.TellJSON(w, 200, map[string]any{"events": events, "isComplete": over})
		return
	}
	if h.stream != nil && h.stream(w, r) {
		return
	}
	after, status := h.cursor(r.Header.Get("Last-Event-ID"))
	if status != 0 {
		hosttest.TellJSON(w, status, map[string]any{"error": "invalid_request", "message": "no such id"})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for {
		events, over, changed := t.behind(after)
		h.write(w, events, r.URL.Query().Get("bufferMs") != "")
		w.(http.Flusher).Flush()
		if len(events) > 0 {
			after = int64(events[len(events)-1]["sequence"].(int))
		}
		if over && !h.leaves {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

func (h *teller) write(w http.ResponseWriter, events []map[string]any, gather bool) {
	if gather && h.batches {
		raw, err := json.Marshal(events)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(w, "event: batch\ndata: %s\n\n", raw)
		return
	}
	for _, e := range events {
		if h.frame != nil {
			fmt.Fprint(w, h.frame(e))
		} else {
			fmt.Fprint(w, sseFrame(fmt.Sprint(e["sequence"]), e["type"].(string), e))
		}
	}
}

func (h *teller) cursor(lastEventID string) (after int64, status int) {
	if h.resumes != nil {
		return h.resumes(lastEventID)
	}
	n, err := strconv.ParseInt(lastEventID, 10, 64)
	switch {
	case lastEventID == "":
		return -1, 0
	case err != nil:
		return 0, 400
	}
	return n, 0
}

// lacking copies an event without these members.
func lacking(e map[string]any, members ...string) map[string]any {
	out := map[string]any{}
	for k, v := range e {
		if !slices.Contains(members, k) {
			out[k] = v
		}
	}
	return out
}

// streamOf answers every stream with this text, repeatedly if endless.
func streamOf(text string, endless bool) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			if _, err := fmt.Fprint(w, text); err != nil || !endless {
				return true
			}
			w.(http.Flusher).Flush()
			if r.Context().Err() != nil {
				return true
			}
		}
	}
}

// longLine returns a line of this many bytes.
func longLine(bytes int) string { return "data: \"" + strings.Repeat("x", bytes) + "\"" }
