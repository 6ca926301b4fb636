package loop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/loop"
	"github.com/openassay/assay/scenarios/wire"
)

// habits are the ways in which hosts with suspendable loops differ, and in which
// they fail.
type habits struct {
	silent   bool // interrupts show in the run's snapshot only, not in events
	bare     bool // questions show in events only, the snapshot has just a status
	approves bool // a doubtful decision waits for an approval
	listed   bool // answers are read as a list
	late     bool // the waiting status outlives the answer by two reads
	drops    bool // a held decision is not carried out
	shy      bool // the seam leaves no loop suspended

	takesAll  bool // every answer resolves, and each moves the run
	takesLate bool // an answer is accepted after the run ended, and changes it
	refuses   bool // such an answer is refused, yet changes the run
	impatient bool // a suspended run continues when its events are streamed
	beats     bool // ... or when a heartbeat ticks
	mixes     bool // an answer moves every run that waits
	forgets   bool // the recorded answer is not the one given
	careless  bool // the confidence floor is ignored
	recounts  bool // the counter restarts
	asksAgain bool // a replay asks again
}

// suspender is a host of loops, with habits.
type suspender struct {
	habits
	t    *testing.T
	mu   sync.Mutex
	runs map[string]*suspended
	ids  []string
}

type suspended struct {
	id      string
	plan    []map[string]any
	next    int // index into the plan
	counted int
	status  string
	asks    string // kind of the open interrupt
	held    map[string]any
	looks   int // reads for which the waiting status is still shown
	answer  string
	events  []map[string]any
}

func (r *suspended) add(kind string, payload map[string]any) {
	r.events = append(r.events, map[string]any{"eventId": fmt.Sprintf("%s-%d", r.id, len(r.events)), "runId": r.id, "type": kind,
		"sequence": len(r.events), "nodeId": "sup", "payload": payload})
}

func (s *suspender) create(plan []map[string]any) *suspended {
	r := &suspended{id: fmt.Sprintf("run-%d", len(s.ids)+1), plan: plan, status: "completed"}
	s.runs[r.id], s.ids = r, append(s.ids, r.id)
	if plan != nil {
		r.status = "running"
		s.goOn(r)
	}
	return r
}

// goOn takes turns until the run is suspended or has ended.
func (s *suspender) goOn(r *suspended) {
	for r.status == "running" && r.next < len(r.plan) {
		d := r.plan[r.next]
		r.next++
		r.counted++
		confidence, doubts := d["confidence"].(float64)
		doubts = doubts && confidence < 0.5 && !s.careless
		r.add("runOrchestrator.decided", map[string]any{"agentId": "a", "iteration": r.counted, "decision": d})
		switch {
		case d["kind"] == "terminate":
			r.status = "completed"
			r.add("run.completed", nil)
		case doubts && s.approves:
			s.ask(r, "approval", "waiting-approval")
		case doubts, d["kind"] == "ask-user":
			s.ask(r, "clarification", "waiting-input")
		default:
			s.dispatch(r)
		}
		r.held = d
	}
}

func (s *suspender) ask(r *suspended, kind, status string) {
	r.asks, r.status = kind, status
	if !s.silent {
		r.add("interrupt.requested", map[string]any{"kind": kind, "key": "k",
			"data": map[string]any{"questions": []any{map[string]any{"id": "way"}}}})
	}
}

func (s *suspender) dispatch(r *suspended) {
	for _, phase := range []string{"dispatch.began", "dispatch.succeeded", "child.completed"} {
		r.add("core.workflowChain.event", map[string]any{"phase": phase, "workerId": "w", "childRunId": "c"})
	}
}

// resolve answers; the effect may be delayed by a few reads.
func (s *suspender) resolve(r *suspended, answer string) {
	r.asks, r.answer = "", answer
	if s.forgets {
		r.answer = "yes"
	}
	if s.late {
		r.looks = 2
		return
	}
	s.takeUp(r)
}

func (s *suspender) takeUp(r *suspended) {
	r.status = "running"
	if !s.silent {
		r.add("interrupt.resolved", map[string]any{"resumeValue": r.answer})
	}
	r.add("variable.changed", map[string]any{"name": "answer", "next": r.answer})
	if r.held["kind"] == "next-worker" && !s.drops {
		s.dispatch(r)
	}
	if s.recounts {
		r.counted = 0
	}
	s.goOn(r)
}

func (s *suspender) send(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		s.t.Error(err)
	}
}

// one wraps a handler for a resource of a run.
func (s *suspender) one(serve func(http.ResponseWriter, *http.Request, *suspended)) http.HandlerFunc {
	return func(w http.ResponseWriter, q *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		id, _, _ := strings.Cut(q.PathValue("id"), ":")
		r := s.runs[id]
		if r == nil {
			s.send(w, 404, map[string]any{"error": "not_found"})
			return
		}
		serve(w, q, r)
	}
}

const tokenOfInterrupts = "token-that-must-not-be-told"

func (s *suspender) show(w http.ResponseWriter, _ *http.Request, r *suspended) {
	if r.looks > 0 {
		if r.looks--; r.looks == 0 {
			defer s.takeUp(r)
		}
	}
	body := map[string]any{"runId": r.id, "status": r.status, "variables": map[string]any{"answer": r.answer}}
	if strings.HasPrefix(r.status, "waiting") && !s.bare {
		body["currentNodeId"] = "sup"
		body["interrupt"] = map[string]any{"nodeId": "sup", "kind": r.asks, "interruptToken": tokenOfInterrupts,
			"data": map[string]any{"questions": []any{map[string]any{"id": "way"}}}}
	}
	s.send(w, 200, body)
}

// poll serves the log in pages of nine. No poll should wait for events that never
// come.
func (s *suspender) poll(w http.ResponseWriter, q *http.Request, r *suspended) {
	from := 0
	if _, err := fmt.Sscan(q.URL.Query().Get("lastSequence"), &from); err == nil {
		from++
	}
	if from = min(from, len(r.events)); from == len(r.events) && from > 0 {
		s.t.Errorf("asked for what comes after the last event of a run that is %s: a host would wait", r.status)
	}
	s.send(w, 200, map[string]any{"events": r.events[from:min(from+9, len(r.events))]})
}

func (s *suspender) answer(w http.ResponseWriter, q *http.Request, r *suspended) {
	var body struct{ ResumeValue map[string]any }
	if err := json.NewDecoder(q.Body).Decode(&body); err != nil {
		s.t.Error(err)
	}
	var given string
	switch answers := body.ResumeValue["answers"].(type) {
	case map[string]any:
		if !s.listed {
			given, _ = answers["way"].(string)
		}
	case []any:
		given, _ = answers[0].(map[string]any)["answer"].(string)
	default:
		if body.ResumeValue["action"] == "accept" {
			given, _ = body.ResumeValue["comment"].(string)
		}
	}
	over := r.status == "completed"
	switch {
	case q.PathValue("node") != "sup":
		s.send(w, 404, nil)
		return
	case s.refuses && over:
		r.add("variable.changed", map[string]any{"name": "answer", "next": given})
		s.send(w, 409, map[string]any{"error": "interrupt_already_resolved"})
		return
	case s.takesAll && r.answer != "" && r.asks == "", s.takesLate && over:
		r.add("variable.changed", map[string]any{"name": "answer", "next": given})
	case r.asks == "":
		s.send(w, 409, map[string]any{"error": "interrupt_already_resolved"})
		return
	case given == "":
		s.send(w, 422, map[string]any{"error": "validation_error"})
		return
	default:
		s.resolve(r, given)
		for _, id := range s.ids {
			if other := s.runs[id]; s.mixes && other.asks != "" {
				s.resolve(other, given)
			}
		}
	}
	s.send(w, 200, map[string]any{"runId": r.id, "nodeId": "sup", "status": r.status})
}

// fork copies the log under a new id.
func (s *suspender) fork(w http.ResponseWriter, _ *http.Request, r *suspended) {
	f := s.create(nil)
	if s.asksAgain {
		f.plan, f.status = r.plan, "running"
		s.goOn(f)
	} else {
		f.status = r.status
		for _, e := range r.events {
			f.add(e["type"].(string), e["payload"].(map[string]any))
		}
	}
	s.send(w, 201, map[string]any{"runId": f.id})
}

// drive is the seam agentloop/run, backed by a real run.
func (s *suspender) drive(w http.ResponseWriter, q *http.Request) {
	var ask dialect.AgentloopRequest
	if err := json.NewDecoder(q.Body).Decode(&ask); err != nil {
		s.t.Error(err)
	}
	resume := ask.Resume != nil && *ask.Resume
	if s.shy && ask.SuspendAtTurn != nil && !resume {
		s.send(w, 422, map[string]any{"error": "validation_error"})
		return
	}
	plan := make([]map[string]any, ask.Turns)
	for i := range plan {
		plan[i] = map[string]any{"kind": "next-worker"}
	}
	plan[len(plan)-1] = map[string]any{"kind": "terminate"}
	if ask.SuspendAtTurn != nil {
		plan[*ask.SuspendAtTurn-1] = map[string]any{"kind": "ask-user"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.create(plan)
	reply := map[string]any{"runId": r.id}
	if r.asks != "" && resume {
		reply["resumedIteration"] = r.counted
		s.wake(r)
	}
	decisions := []any{}
	for _, e := range r.events {
		if e["type"] == "runOrchestrator.decided" {
			decisions = append(decisions, e["payload"])
		}
	}
	reply["decisions"] = decisions
	s.send(w, 200, reply)
}

// wake continues a suspended run without an answer.
func (s *suspender) wake(r *suspended) {
	if r.asks != "" {
		r.asks = ""
		s.takeUp(r)
	}
}

func (s *suspender) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openwop", func(w http.ResponseWriter, _ *http.Request) {
		s.send(w, 200, map[string]any{
			"fixtures": []string{"assay-loop", "conformance-noop"}, "replay": map[string]any{"supported": true},
			"heartbeat":  map[string]any{"supported": true},
			"multiAgent": map[string]any{"executionModel": map[string]any{"supported": true, "version": 5, "statefulResume": true}},
		})
	})
	mux.HandleFunc("POST /v1/runs", func(w http.ResponseWriter, q *http.Request) {
		var body struct {
			Inputs struct{ Plan []map[string]any }
		}
		if err := json.NewDecoder(q.Body).Decode(&body); err != nil {
			s.t.Error(err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		r := s.create(body.Inputs.Plan)
		s.send(w, 201, map[string]any{"runId": r.id, "status": r.status})
	})
	mux.HandleFunc("POST /v1/runs/{id}", s.one(s.fork))
	mux.HandleFunc("GET /v1/runs/{id}", s.one(s.show))
	mux.HandleFunc("GET /v1/runs/{id}/events/poll", s.one(s.poll))
	mux.HandleFunc("GET /v1/runs/{id}/events", s.one(func(w http.ResponseWriter, _ *http.Request, r *suspended) {
		if s.impatient {
			s.wake(r)
		}
		s.send(w, 406, nil)
	}))
	mux.HandleFunc("POST /v1/runs/{id}/interrupts/{node}", s.one(s.answer))
	mux.HandleFunc("POST /v1/runs/{id}/cancel", func(w http.ResponseWriter, _ *http.Request) { s.send(w, 200, nil) })
	mux.HandleFunc("POST /v1/host/sample/agentloop/run", s.drive)
	mux.HandleFunc("POST /v1/host/sample/heartbeat/tick", func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, r := range s.runs {
			if s.beats {
				s.wake(r)
			}
		}
		s.send(w, 200, map[string]any{"status": "ok", "changed": true})
	})
	return mux
}

// certifyResume asks the whole suite, or one scenario.
func certifyResume(t *testing.T, h habits, only ...string) *scenarios.Report {
	t.Helper()
	s := &suspender{habits: h, t: t, runs: map[string]*suspended{}}
	server := httptest.NewServer(s.handler())
	t.Cleanup(server.Close)
	o := scenarios.Options{Seed: 3, Patience: time.Second, Select: scenarios.Selection{Suites: []string{"stateful-resume"}, Scenarios: only}}
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: server.URL, Key: "k-test"}, o, openwop.Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	return c.Finish(context.Background())
}

// Honest hosts differ, and none of these differences is a violation.
func TestHonestHostsThatSuspendLoops(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]habits{
		"plain":                          {},
		"no event tells":                 {silent: true},
		"only events tell":               {bare: true},
		"events tell of approvals":       {bare: true, approves: true},
		"approvals for doubts":           {approves: true},
		"answers as a list":              {listed: true},
		"a status that lags behind":      {late: true},
		"a doubtful decision is dropped": {drops: true},
		"all of them":                    {silent: true, approves: true, listed: true, late: true, drops: true},
		"a seam that leaves nothing":     {shy: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := certifyResume(t, h)
			for _, o := range r.Outcomes {
				if o.Verdict != scenarios.Passed || o.Evidence != scenarios.Observed {
					t.Errorf("%s: %s %s (%s)", o.Scenario.Name(), o.Verdict, o.Evidence, o.Reason)
				}
			}
			for _, d := range r.Drives {
				if raw, err := scenarios.MarshalTranscript(d); err != nil || strings.Contains(string(raw), tokenOfInterrupts) {
					t.Errorf("the transcript of %s holds the token of an interrupt (%v)", d.ID, err)
				}
			}
		})
	}
}

// Each fault is found by the scenario that looks for it, under the requirement it
// breaks; all other scenarios pass.
func TestWhatSuspendedLoopsCanDoWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		does habits
		want map[string]string // scenario: requirement
		only []string          // if other scenarios cannot run to their end
	}{
		"a heartbeat moves loops": {habits{beats: true}, map[string]string{"heartbeat-moves-nothing": requirement.OWP0061H1},
			[]string{"openwop/stateful-resume/heartbeat-moves-nothing"}},
		"one answer moves all loops": {habits{mixes: true}, map[string]string{"two-at-once": requirement.OWPINT4},
			[]string{"openwop/stateful-resume/two-at-once"}},
		"takes every answer": {habits{takesAll: true}, map[string]string{"second-resolve": requirement.OWPINT2,
			"concurrent-resolvers": requirement.OWPINT3}, nil},
		"takes an answer at the end": {habits{takesLate: true}, map[string]string{"second-resolve": requirement.OWPINT2,
			"concurrent-resolvers": requirement.OWPINT3}, nil},
		"refuses and changes": {habits{refuses: true}, map[string]string{"second-resolve": requirement.OWPINT2,
			"concurrent-resolvers": requirement.OWPINT3}, nil},
		"moves when listened to": {habits{impatient: true}, map[string]string{"stands-still": requirement.OWPINT1},
			[]string{"openwop/stateful-resume/stands-still"}},
		"forgets the answer":   {habits{forgets: true}, map[string]string{"concurrent-resolvers": requirement.OWPINT3}, nil},
		"ignores the floor":    {habits{careless: true}, map[string]string{"below-floor": requirement.OWPINT5}, nil},
		"asks again on replay": {habits{asksAgain: true}, map[string]string{"fork-of-resumed": requirement.OWP0061M1}, nil},
		"counts from 1 again": {habits{recounts: true}, map[string]string{"ask-user": requirement.OWP0061D1, "below-floor": requirement.OWP0061D1,
			"two-suspends": requirement.OWP0061D1, "seam-suspends": requirement.OWP0061D1}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			violations := map[string]string{}
			for _, o := range certifyResume(t, c.does, c.only...).Outcomes {
				if o.Failure != nil {
					violations[o.Scenario.Name()] = string(o.Failure.Requirement)
				} else if o.Verdict != scenarios.Passed {
					t.Errorf("%s is %s: %s", o.Scenario.Name(), o.Verdict, o.Reason)
				}
			}
			if !maps.Equal(violations, c.want) {
				t.Errorf("violations %v, want %v", violations, c.want)
			}
		})
	}
}

// A drive that ends while it listens closes the stream first.
func TestADriveThatEndsWhileItListensHangsUp(t *testing.T) {
	t.Parallel()
	s := &suspender{t: t, runs: map[string]*suspended{}}
	host := s.handler()
	over, hungUp := make(chan struct{}), make(chan struct{})
	var asked atomic.Bool
	mux := http.NewServeMux()
	mux.Handle("/", host)
	mux.HandleFunc("POST /v1/runs", func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		if asked.Load() { // what comes then is the sentinel
			s.send(w, http.StatusUnauthorized, nil)
			return
		}
		asked.Store(bytes.Contains(body, []byte("ask-user")))
		q.Body = io.NopCloser(bytes.NewReader(body))
		host.ServeHTTP(w, q)
	})
	mux.HandleFunc("GET /v1/runs/{id}/events", func(w http.ResponseWriter, q *http.Request) {
		defer close(hungUp)
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		<-over
		fmt.Fprint(w, "data: too late\n\n")
		w.(http.Flusher).Flush()
		<-q.Context().Done()
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	o := scenarios.Options{Seed: 3, Patience: time.Second,
		Select: scenarios.Selection{Scenarios: []string{"openwop/stateful-resume/ask-user"}},
		Progress: func(scenarios.Outcome) {
			close(over)
			select {
			case <-hungUp:
			case <-testenv.Soon(t, 10*time.Second).Done():
				t.Error("the stream was never closed")
			}
		}}
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: server.URL, Key: "k-test"}, o, openwop.Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	r := c.Finish(context.Background())
	if out := r.Outcomes[0]; out.Verdict != scenarios.Blocked {
		t.Errorf("%s (%s)", out.Verdict, out.Reason)
	}
	i := slices.IndexFunc(r.Drives, func(d scenarios.DriveRecord) bool { return d.ID == loop.LoopThatAsks.ID })
	raw, err := scenarios.MarshalTranscript(r.Drives[i])
	if text := string(raw); err != nil || !strings.Contains(text, "text/event-stream") || strings.Contains(text, "too late") {
		t.Errorf("the drive never listened, or still did when it was over (%v): %s", err, raw)
	}
}
