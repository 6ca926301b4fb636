package live

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
)

func TestAnswersThatAreRefusedChangeNothing(t *testing.T) {
	h := newHost(t)
	s := h.create(Create{WorkflowID: "assay-loop-ask-user"})
	before := story(h.events(s.RunID))
	for _, value := range []string{
		``, `{`, `null`, `"yes"`, `{}`, `[]`, `{"answers":null}`, `{"answers":"yes"}`, `{"answers":{}}`, `{"answers":[]}`,
		`{"answers":{"q2":"yes"}}`,
		`{"answers":{"q1":"yes","q2":"yes"}}`, `{"answers":{"q1":null}}`, `{"answers":{"q1":""}}`, `{"answers":[{"id":"q1"}]}`,
		`{"action":"accept"}`,
		`{"ANSWERS":{"q1":"yes"}}`, `{"answers":[{"ID":"q1","answer":"yes"}]}`,
	} {
		_, err := h.Resolve(soon(t), s.RunID, "supervisor", json.RawMessage(value))
		if code(err) != codes.Validation {
			t.Errorf("%s: %v", value, err)
		}
	}
	if after := story(h.events(s.RunID)); !slices.Equal(before, after) {
		t.Errorf("the log went on:\n%s", strings.Join(after, "\n"))
	}
}

func TestAnswerForms(t *testing.T) {
	for value, want := range map[string]any{
		`{"answers":{"q1":"blue"}}`:                 "blue",
		`{"answers":[{"id":"q1","answer":"blue"}]}`: "blue",
		`{"answers":{"q1":"no"},"comment":"no"}`:    "no",
	} {
		h := newHost(t)
		s := h.create(Create{WorkflowID: "assay-loop-ask-user"})
		s = h.resolve(s.RunID, value)
		got, _ := json.Marshal(s.Variables["answer"])
		wanted, _ := json.Marshal(want)
		if string(got) != string(wanted) || s.Status != openwopv1.RunStatusCompleted {
			t.Errorf("%s: the variable is %s, the run %s", value, got, s.Status)
		}
	}
}

func TestResolveWhereNothingIsOpen(t *testing.T) {
	h := newHost(t)
	asking := h.create(Create{WorkflowID: "assay-loop-ask-user"}).RunID
	answered := h.resolve(h.create(Create{WorkflowID: "assay-loop-ask-user"}).RunID, yes).RunID
	cancelled := h.create(Create{WorkflowID: "assay-loop-ask-user"}).RunID
	if _, err := h.Cancel(soon(t), cancelled, ""); err != nil {
		t.Fatal(err)
	}
	never := h.create(Create{WorkflowID: "conformance-noop"}).RunID
	for _, c := range []struct{ name, run, node, code string }{
		{"no such run", "run-aaaaaaaaaaaaaaaaaaaaaaaaaa", "supervisor", codes.NotFound},
		{"not even an id", "../x", "supervisor", codes.NotFound},
		{"no such node", asking, "nobody", codes.InterruptNotFound},
		{"a node that never asks", asking, "dispatch", codes.InterruptNotFound},
		{"a run that never asked", never, "noop", codes.InterruptNotFound},
		{"answered before", answered, "supervisor", codes.InterruptResolved},
		{"cancelled meanwhile", cancelled, "supervisor", codes.InterruptGone},
	} {
		if _, err := h.Resolve(soon(t), c.run, c.node, json.RawMessage(yes)); code(err) != c.code {
			t.Errorf("%s: %v, want %s", c.name, err, c.code)
		}
	}
}

func TestOneOfManyResolvers(t *testing.T) {
	h := newHost(t)
	s := h.create(Create{WorkflowID: "assay-loop-ask-user"})
	won := make([]error, 8)
	var all sync.WaitGroup
	for i := range won {
		all.Go(func() {
			_, won[i] = h.Resolve(soon(t), s.RunID, "supervisor", json.RawMessage(`{"answers":{"q1":"yes"}}`))
		})
	}
	all.Wait()
	wins := 0
	for _, err := range won {
		switch {
		case err == nil:
			wins++
		case code(err) != codes.InterruptResolved:
			t.Errorf("a loser hears %v", err)
		}
	}
	s = h.settled(s.RunID)
	expectLawful(t, s, h.events(s.RunID), 5)
	resolved := 0
	for _, e := range h.events(s.RunID) {
		if e.Type == event.InterruptResolved {
			resolved++
		}
	}
	if wins != 1 || resolved != 1 {
		t.Errorf("%d won, %d answers on the log", wins, resolved)
	}
}

func TestCancelAgainstResolve(t *testing.T) {
	h := newHost(t)
	for range 20 {
		s := h.create(Create{WorkflowID: "assay-loop-ask-user"})
		var resolve, cancel error
		var both sync.WaitGroup
		both.Go(func() {
			_, resolve = h.Resolve(soon(t), s.RunID, "supervisor", json.RawMessage(`{"answers":{"q1":"yes"}}`))
		})
		both.Go(func() { _, cancel = h.Cancel(soon(t), s.RunID, "no") })
		both.Wait()
		if cancel != nil || resolve != nil && code(resolve) != codes.InterruptGone {
			t.Errorf("cancel %v, resolve %v", cancel, resolve)
		}
		s = h.settled(s.RunID)
		expectLawful(t, s, h.events(s.RunID), 5)
		if resolve != nil && s.Status != openwopv1.RunStatusCancelled {
			t.Errorf("resolve lost and the run is %s", s.Status)
		}
	}
}

func TestTwoSuspensionsInOneRun(t *testing.T) {
	h := newHost(t)
	s := h.create(Create{WorkflowID: "assay-loop", Inputs: plan(t,
		`[{"kind":"ask-user","prompt":"a?"},{"kind":"ask-user","prompt":"b?"},{"kind":"terminate"}]`)})
	first := *s.Interrupt
	s = h.resolve(s.RunID, `{"answers":{"q1":"a"}}`)
	second := *s.Interrupt
	if *first.Key == *second.Key || *first.InterruptID == *second.InterruptID {
		t.Errorf("two suspensions share %s, %s", *first.Key, *first.InterruptID)
	}
	s = h.resolve(s.RunID, `{"answers":{"q1":"b"}}`)
	expectLawful(t, s, h.events(s.RunID), 5)
	if s.Variables["answer"] != "b" || s.Status != openwopv1.RunStatusCompleted {
		t.Errorf("answer %v, status %s", s.Variables["answer"], s.Status)
	}
}

func TestHeldDecisions(t *testing.T) {
	clarification, approval := event.Clarification, event.Approval
	for _, c := range []struct {
		name       string
		kind       event.Interrupt
		decision   string // of turn 1; turn 2 terminates
		answer     string // empty: not held
		status     openwopv1.RunStatus
		children   int
		turns      int
		escalation string
	}{
		{"clarified", clarification, `{"kind":"next-worker","nextWorkerIds":["conformance-noop"],"confidence":0.59}`,
			`{"answers":{"q1":"go"}}`, openwopv1.RunStatusWaitingInput, 1, 2, "0.59<0.6 clarify conformance-noop"},
		{"accepted", approval, `{"kind":"next-worker","nextWorkerIds":["conformance-noop"],"confidence":0}`, `{"action":"accept"}`,
			openwopv1.RunStatusWaitingApproval, 1, 2, "0<0.6 escalate conformance-noop"},
		{"rejected", approval, `{"kind":"next-worker","nextWorkerIds":["conformance-noop"],"confidence":0.1}`, `{"action":"reject"}`,
			openwopv1.RunStatusWaitingApproval, 0, 2, "0.1<0.6 escalate"},
		{"terminate accepted", approval, `{"kind":"terminate","confidence":0.1}`, `{"action":"accept"}`,
			openwopv1.RunStatusWaitingApproval, 0, 1, "0.1<0.6 escalate"},
		{"terminate rejected", approval, `{"kind":"terminate","confidence":0.1}`, `{"action":"reject"}`,
			openwopv1.RunStatusWaitingApproval, 0, 2, "0.1<0.6 escalate"},
		{"at the floor", clarification, `{"kind":"next-worker","nextWorkerIds":["conformance-noop"],"confidence":0.6}`, "", "", 1, 2, ""},
		{"no opinion", clarification, `{"kind":"next-worker","nextWorkerIds":["conformance-noop"]}`, "", "", 1, 2, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t, func(o *Options) { o.ConfidenceFloor, o.EscalationKind = 0.6, c.kind })
			s := h.create(Create{WorkflowID: "assay-loop", Inputs: plan(t, "["+c.decision+`,{"kind":"terminate"}]`)})
			if c.answer != "" {
				if s.Status != c.status || len(s.ChildRuns) != 0 {
					t.Fatalf("the run is %s with %d children", s.Status, len(s.ChildRuns))
				}
				if _, err := h.Resolve(soon(t), s.RunID, "supervisor", json.RawMessage(`{"nothing":1}`)); code(err) != codes.Validation {
					t.Errorf("an answer that is none: %v", err)
				}
				s = h.resolve(s.RunID, c.answer)
			}
			events := h.events(s.RunID)
			expectLawful(t, s, events, 5)
			turns := 0
			for _, e := range events {
				if e.Type == event.Decided {
					turns++
				}
			}
			log := strings.Join(story(events), "\n")
			if s.Status != openwopv1.RunStatusCompleted || len(s.ChildRuns) != c.children || turns != c.turns {
				t.Errorf("%s, %d children, %d turns in\n%s", s.Status, len(s.ChildRuns), turns, log)
			}
			if held := strings.Contains(log, "confidence-escalated @supervisor "+c.escalation); held != (c.answer != "") {
				t.Errorf("held: %v in\n%s", held, log)
			}
		})
	}
}

func TestHeldDecisionOnTheLog(t *testing.T) {
	h := newHost(t)
	s := h.create(Create{WorkflowID: "conformance-multi-agent-confidence-escalation"})
	expectStory(t, h.events(s.RunID),
		"0 run.started",
		"1 node.started @supervisor",
		"2 runOrchestrator.decided @supervisor #1 next-worker conformance-multi-agent-handoff-child",
		"3 core.workflowChain.confidence-escalated @supervisor 0.3<0.5 clarify conformance-multi-agent-handoff-child <-2",
		"4 node.suspended @supervisor clarification <-3",
		"5 interrupt.requested @supervisor <-4",
	)
	s = h.resolve(s.RunID, `{"answers":{"q1":"go"}}`)
	expectStory(t, h.events(s.RunID)[6:12],
		`6 interrupt.resolved @supervisor {"answers":{"q1":"go"}} <-UNKNOWN`,
		`7 variable.changed @supervisor answer="go" <-6`,
		"8 node.resumed @supervisor <-6",
		"9 node.completed @supervisor",
		"10 node.started @dispatch <-UNKNOWN",
		"11 core.workflowChain.event @dispatch dispatch.began conformance-multi-agent-handoff-child <-UNKNOWN",
	)
	expectLawful(t, s, h.events(s.RunID), 5)
}

// RFC 0006 C: an agent that is not sure enough has no decision on the log before somebody accepts it.
func TestUnsureAgent(t *testing.T) {
	for _, c := range []struct {
		name      string
		threshold any
		action    string // empty: not held
		children  int
		last      string
	}{
		{"accepted", nil, "accept", 1, "#2 terminate"},
		{"rejected", nil, "reject", 0, "#1 terminate"},
		{"at the threshold", 0.5, "", 1, "#2 terminate"},
		{"below a threshold of its own", 0.51, "accept", 1, "#2 terminate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t)
			create := Create{WorkflowID: "conformance-orchestrator-low-confidence"}
			if c.threshold != nil {
				create.Configurable = map[string]any{"escalationThreshold": c.threshold}
			}
			s := h.create(create)
			if c.action != "" {
				expectStory(t, h.events(s.RunID),
					"0 run.started", "1 node.started @supervisor", "2 node.suspended @supervisor low-confidence <-1",
					"3 interrupt.requested @supervisor <-2")
				if s.Status != openwopv1.RunStatusWaitingApproval {
					t.Errorf("status is %s", s.Status)
				}
				said := parse[map[string]any](t, string(h.events(s.RunID)[2].Payload))
				if said["reason"] != "low-confidence" || said["observed"] != 0.5 || said["agentId"] != s.RunOrchestrator.AgentID ||
					said["threshold"] == nil {
					t.Errorf("node.suspended says %v", said)
				}
				s = h.resolve(s.RunID, `{"action":"`+c.action+`"}`)
			}
			events := h.events(s.RunID)
			expectLawful(t, s, events, 5)
			log := strings.Join(story(events), "\n")
			if s.Status != openwopv1.RunStatusCompleted || len(s.ChildRuns) != c.children || !strings.Contains(log, c.last) {
				t.Errorf("%s, %d children in\n%s", s.Status, len(s.ChildRuns), log)
			}
		})
	}
}
