package live

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/step"
)

// child is the snapshot of the n-th child of a run.
func (h *host) child(parent openwopv1.RunSnapshot, n int) openwopv1.RunSnapshot {
	h.t.Helper()
	if n >= len(parent.ChildRuns) {
		h.t.Fatalf("run %s has %d children", parent.RunID, len(parent.ChildRuns))
	}
	return h.snapshot(parse[state.ChildView](h.t, string(parent.ChildRuns[n])).RunID)
}

// phases are the steps of the handoffs on a log.
func phases(t testing.TB, events []event.Event) string {
	var all []string
	for _, e := range events {
		if e.Type == event.Handoff {
			all = append(all, string(parse[event.HandoffPayload](t, string(e.Payload)).Phase))
		}
	}
	return strings.Join(all, " ")
}

func TestMappings(t *testing.T) {
	for _, c := range []struct {
		workflow string
		check    func(t *testing.T, h *host, s openwopv1.RunSnapshot)
	}{
		{"conformance-dispatch-input-mapping", func(t *testing.T, h *host, s openwopv1.RunSnapshot) {
			if got := h.child(s, 0).Inputs["childGreeting"]; got != "Alice" {
				t.Errorf("childGreeting is %v", got)
			}
		}},
		{"conformance-dispatch-input-mapping-no-default", func(t *testing.T, h *host, s openwopv1.RunSnapshot) {
			if got, set := h.child(s, 0).Inputs["childGreeting"]; set {
				t.Errorf("childGreeting is set, to %v", got)
			}
		}},
		{"conformance-dispatch-output-mapping", func(t *testing.T, h *host, s openwopv1.RunSnapshot) {
			if got := s.Variables["parentResult"]; got != "done" {
				t.Errorf("parentResult is %v", got)
			}
		}},
		{"conformance-dispatch-cross-worker-handoff", func(t *testing.T, h *host, s openwopv1.RunSnapshot) {
			if got := h.child(s, 1).Inputs["input"]; got != "hello" {
				t.Errorf("input of the second child is %v", got)
			}
		}},
		{"conformance-dispatch-per-worker-override", func(t *testing.T, h *host, s openwopv1.RunSnapshot) {
			if a, b := h.child(s, 0).Inputs["input"], h.child(s, 1).Inputs["input"]; a != "default-x-value" || b != "shared-value" {
				t.Errorf("inputs are %v and %v", a, b)
			}
		}},
	} {
		t.Run(c.workflow, func(t *testing.T) {
			h := newHost(t)
			s := h.create(Create{WorkflowID: c.workflow, Owner: &event.Owner{Tenant: "t1"}})
			if s.Status != openwopv1.RunStatusCompleted {
				t.Fatalf("status is %s: %v", s.Status, s.Error)
			}
			c.check(t, h, s)
			expectLawful(t, s, h.events(s.RunID), 5)
			for n := range s.ChildRuns {
				child := h.child(s, n)
				expectLawful(t, child, h.events(child.RunID), 5)
				if child.ParentRunID == nil || *child.ParentRunID != s.RunID || child.Owner == nil || child.Owner.Tenant != "t1" {
					t.Errorf("child has parent %v and owner %v", child.ParentRunID, child.Owner)
				}
			}
		})
	}
}

// A loop whose dispatch node harvests, so that a missing harvest shows.
func harvesting(t testing.TB) *openwopv1.WorkflowDefinition {
	d := fixtures(t)["assay-loop"]
	d.ID = "harvesting"
	d.Nodes[1].Config = map[string]any{"outputMapping": map[string]any{"result": "childOutcome"}}
	d.Variables = append(d.Variables, openwopv1.WorkflowVariable{
		Name: "result", Type: openwopv1.WorkflowVariableTypeString, DefaultValue: json.RawMessage(`"untouched"`),
	})
	return &d
}

func TestUnhappyHandoffsDoNotEndTheLoop(t *testing.T) {
	const ends = "%s,{\"kind\":\"terminate\"}]"
	for _, c := range []struct{ name, worker, phases, code string }{
		{"a child that fails", "conformance-dispatch-deterministic-fail-child", "dispatch.began dispatch.succeeded child.failed",
			"hvmap_1b_failed_fixture"},
		{"no such workflow", "no-such-workflow", "dispatch.began dispatch.failed", codes.UnknownWork},
		{"a workflow that is refused", "broken", "dispatch.began dispatch.failed", codes.Validation},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t, func(o *Options) {
				broken := o.Workflows["conformance-noop"]
				broken.Nodes = []openwopv1.WorkflowNode{{ID: "x", TypeID: "vendor.strange"}}
				o.Workflows["broken"] = broken
			})
			turn := fmt.Sprintf(`[{"kind":"next-worker","nextWorkerIds":[%q]}`, c.worker)
			s := h.create(Create{Definition: harvesting(t), Inputs: plan(t, fmt.Sprintf(ends, turn))})
			events := h.events(s.RunID)
			expectLawful(t, s, events, 5)
			if got := phases(t, events); got != c.phases {
				t.Errorf("phases are %s, want %s", got, c.phases)
			}
			if s.Status != openwopv1.RunStatusCompleted || s.Variables["result"] != "untouched" {
				t.Errorf("the run is %s, the variable %v", s.Status, s.Variables["result"])
			}
			if log := strings.Join(story(events), "\n"); !strings.Contains(log, c.code) || !strings.Contains(log, "#2 terminate") {
				t.Errorf("no %s, or no turn 2, in\n%s", c.code, log)
			}
		})
	}
}

func TestCancelledChildDoesNotEndTheLoop(t *testing.T) {
	h := newHost(t)
	id := h.begin(Create{Definition: harvesting(t), Inputs: plan(t,
		`[{"kind":"next-worker","nextWorkerIds":["conformance-dispatch-cancellable-child"]},{"kind":"terminate"}]`)})
	e := h.until(id, func(e event.Event) bool { return e.Type == event.NodeDispatched })
	dispatched := parse[event.NodeDispatchedPayload](t, string(e.Payload))
	if *dispatched.ChildStatus != string(openwopv1.RunStatusRunning) {
		t.Errorf("childStatus is %s", *dispatched.ChildStatus)
	}
	if s, err := h.Cancel(soon(t), dispatched.ChildRunID, "enough"); err != nil || s.Status != openwopv1.RunStatusCancelled {
		t.Fatalf("cancel: %s, %v", s.Status, err)
	}
	s := h.settled(id)
	expectLawful(t, s, h.events(id), 5)
	if got := phases(t, h.events(id)); got != "dispatch.began dispatch.succeeded child.cancelled" {
		t.Errorf("phases are %s", got)
	}
	if s.Status != openwopv1.RunStatusCompleted || s.Variables["result"] != "untouched" {
		t.Errorf("the run is %s, the variable %v", s.Status, s.Variables["result"])
	}
}

func TestSequentialWorkers(t *testing.T) {
	h := newHost(t)
	s := h.create(Create{WorkflowID: "conformance-dispatch-cross-worker-handoff"})
	const one = "dispatch.began dispatch.succeeded child.completed"
	if got := phases(t, h.events(s.RunID)); got != one+" output.harvested "+one {
		t.Errorf("phases are %s", got)
	}
	node := s.NodeStates["dispatch"].(state.NodeView)
	if last := h.child(s, 1); node.Outputs["childRunId"] != last.RunID || node.Outputs["childStatus"] != "completed" {
		t.Errorf("the dispatch node's outputs are %v", node.Outputs)
	}
}

func TestFanOutPolicyReject(t *testing.T) {
	d := *harvesting(t)
	d.Nodes[1].Config = map[string]any{"fanOutPolicy": "reject"}
	h := newHost(t)
	s := h.create(Create{Definition: &d, Inputs: plan(t,
		`[{"kind":"next-worker","nextWorkerIds":["conformance-noop"]},{"kind":"next-worker","nextWorkerIds":["conformance-noop","conformance-noop"]}]`)})
	expectLawful(t, s, h.events(s.RunID), 5)
	if s.Error == nil || s.Error.Code != codes.FanOut || len(s.ChildRuns) != 1 {
		t.Errorf("error is %v, children %d", s.Error, len(s.ChildRuns))
	}
}

func TestHarvestOfNothing(t *testing.T) {
	// The mapping is there, but the child has no such variable: the harvest takes place and brings nothing.
	h := newHost(t)
	s := h.create(Create{Definition: harvesting(t), Inputs: plan(t, `[{"kind":"next-worker","nextWorkerIds":["conformance-noop"]}]`)})
	if got := phases(t, h.events(s.RunID)); got != "dispatch.began dispatch.succeeded child.completed output.harvested" {
		t.Errorf("phases are %s", got)
	}
	if s.Variables["result"] != "untouched" {
		t.Errorf("the variable is %v", s.Variables["result"])
	}
}

func TestNestedLoops(t *testing.T) {
	h := newHost(t)
	s := h.create(Create{WorkflowID: "assay-loop", Inputs: plan(t,
		`[{"kind":"next-worker","nextWorkerIds":["conformance-multi-agent-handoff"]}]`)})
	expectLawful(t, s, h.events(s.RunID), 5)
	child := h.child(s, 0)
	expectLawful(t, child, h.events(child.RunID), 5)
	if s.Status != openwopv1.RunStatusCompleted || child.Variables["parentResult"] != "handoff-complete" {
		t.Errorf("%s, and the child's variables are %v", s.Status, child.Variables)
	}
}

func TestRunsThatDispatchThemselvesEnd(t *testing.T) {
	d := fixtures(t)["assay-loop"]
	d.ID = "ouroboros"
	d.Variables[0].DefaultValue = json.RawMessage(`[{"kind":"next-worker","nextWorkerIds":["ouroboros"]}]`)
	h := newHost(t, func(o *Options) { o.Workflows["ouroboros"] = d })
	s := h.create(Create{WorkflowID: "ouroboros"})
	depth := 0
	for ; len(s.ChildRuns) > 0; depth++ {
		s = h.child(s, 0)
	}
	if depth != step.MaxDepth {
		t.Errorf("%d deep, want %d", depth, step.MaxDepth)
	}
	if log := strings.Join(story(h.events(s.RunID)), "\n"); !strings.Contains(log, "dispatch.failed ouroboros "+codes.TooDeep) {
		t.Errorf("the last one's log is\n%s", log)
	}
}

func TestParentWaitsForSlowChild(t *testing.T) {
	h := newHost(t)
	id := h.begin(Create{WorkflowID: "assay-loop", Inputs: plan(t, `[{"kind":"next-worker","nextWorkerIds":["conformance-delay"]}]`)})
	h.until(id, func(e event.Event) bool { return e.Type == event.NodeDispatched })
	if s := h.snapshot(id); s.Status != openwopv1.RunStatusRunning {
		t.Errorf("the parent is %s", s.Status)
	}
	h.clock.Advance(time.Second)
	s := h.settled(id)
	expectLawful(t, s, h.events(id), 5)
	if child := h.child(s, 0); child.Status != openwopv1.RunStatusCompleted || child.CompletedAt.Sub(child.StartedAt) != time.Second {
		t.Errorf("the child is %s after %v", child.Status, child.CompletedAt.Sub(child.StartedAt))
	}
}
