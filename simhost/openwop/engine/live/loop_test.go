package live

import (
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
)

func TestOneNodeIsOneAppend(t *testing.T) {
	h := newHost(t)
	h.create(Create{WorkflowID: "conformance-noop"}) // the definition is stored with the first run of it
	before := h.log.count()
	s, err := h.Create(soon(t), Create{WorkflowID: "conformance-noop"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Status != openwopv1.RunStatusCompleted {
		t.Errorf("status is %s when Create returns", s.Status)
	}
	if n := h.log.count() - before; n != 1 {
		t.Errorf("%d appends", n)
	}
	expectStory(t, h.events(s.RunID), "0 run.started", "1 node.started @noop", "2 node.completed @noop", "3 run.completed")
	expectLawful(t, s, h.events(s.RunID), 5)
	if ids, _ := h.log.Pending(soon(t)); len(ids) != 0 {
		t.Errorf("pending: %v", ids)
	}
}

func TestLoop(t *testing.T) {
	h := newHost(t)
	s := h.create(Create{WorkflowID: "conformance-multi-agent-handoff"})
	events := h.events(s.RunID)
	expectLawful(t, s, events, 5)
	expectStory(t, events,
		"0 run.started",
		"1 node.started @supervisor",
		"2 runOrchestrator.decided @supervisor #1 next-worker conformance-multi-agent-handoff-child",
		"3 node.completed @supervisor",
		"4 node.started @dispatch <-2",
		"5 core.workflowChain.event @dispatch dispatch.began conformance-multi-agent-handoff-child <-2",
		"6 core.workflowChain.event @dispatch dispatch.succeeded conformance-multi-agent-handoff-child child1 <-5",
		"7 node.dispatched @dispatch child1 completed <-2",
		"8 core.workflowChain.event @dispatch child.completed conformance-multi-agent-handoff-child child1 <-6",
		`9 variable.changed @dispatch parentResult="handoff-complete" <-8`,
		"10 core.workflowChain.event @dispatch output.harvested conformance-multi-agent-handoff-child child1 parentResult <-8",
		"11 node.completed @dispatch <-2",
		"12 node.started @supervisor",
		"13 runOrchestrator.decided @supervisor #2 terminate",
		"14 node.completed @supervisor",
		"15 run.completed <-13",
	)
	if got := s.Variables["parentResult"]; got != "handoff-complete" {
		t.Errorf("parentResult is %v", got)
	}
}

func TestVersionLadder(t *testing.T) {
	const criteria = `[{"kind":"next-worker","nextWorkerIds":["conformance-noop"],"confidence":0.3},{"kind":"terminate","successCriteria":[{"key":"done","met":true}]}]`
	for v := range 7 {
		h := newHost(t, version(v))
		s := h.create(Create{WorkflowID: "assay-loop", Inputs: plan(t, criteria)})
		if v >= 2 {
			if s.Status != openwopv1.RunStatusWaitingInput {
				t.Fatalf("version %d: a decision below the floor leaves the run %s", v, s.Status)
			}
			s = h.resolve(s.RunID, `{"answers":{"q1":"go on"}}`)
		}
		events := h.events(s.RunID)
		expectLawful(t, s, events, v)
		if s.Status != openwopv1.RunStatusCompleted || len(s.ChildRuns) != 1 {
			t.Errorf("version %d: %s with %d children", v, s.Status, len(s.ChildRuns))
		}
		log := strings.Join(story(events), "\n")
		for want, from := range map[string]int{"dispatch.began": 1, "confidence-escalated": 2, "#2 terminate": 5} {
			if got := strings.Contains(log, want); got != (v >= from) {
				t.Errorf("version %d: %q on the log: %v", v, want, got)
			}
		}
		for _, e := range events {
			decided := e.Type == event.Decided
			if decided && strings.Contains(string(e.Payload), "successCriteria") && v < 6 {
				t.Errorf("version %d: success criteria on the log", v)
			}
		}
	}
}

func TestScripts(t *testing.T) {
	for _, c := range []struct {
		name, workflow, plan string
		want                 []string // decisions
	}{
		{"the port's variable", "assay-loop", "", []string{"next-worker", "next-worker", "next-worker", "terminate"}},
		{"the caller's plan", "assay-loop", `[{"kind":"terminate","reason":"bored"}]`, []string{"terminate"}},
		{"a plan that runs out", "assay-loop", `[{"kind":"next-worker","nextWorkerIds":["conformance-noop"]}]`, []string{"next-worker",
			"terminate"}},
		{"an empty plan", "assay-loop", `[]`, []string{"terminate"}},
		{"mockDecisions", "conformance-orchestrator-dispatch", "", []string{"next-worker", "terminate"}},
		{"terminate at once", "conformance-orchestrator-terminate", "", []string{"terminate"}},
		{"no script", "conformance-dispatch-loop", "", []string{"next-worker", "terminate"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t)
			create := Create{WorkflowID: c.workflow}
			if c.plan != "" {
				create.Inputs = plan(t, c.plan)
			}
			s := h.create(create)
			events := h.events(s.RunID)
			expectLawful(t, s, events, 5)
			var got []string
			reason := ""
			for _, e := range events {
				if e.Type == event.Decided {
					p := parse[event.DecidedPayload](t, string(e.Payload))
					got = append(got, parse[map[string]any](t, string(e.Payload))["decision"].(map[string]any)["kind"].(string))
					reason = parse[openwopv1.TerminateDecision](t, string(p.Decision)).Reason
					if s.RunOrchestrator == nil || p.AgentID != s.RunOrchestrator.AgentID {
						t.Errorf("decided by %s, the snapshot says %v", p.AgentID, s.RunOrchestrator)
					}
				}
			}
			if strings.Join(got, " ") != strings.Join(c.want, " ") {
				t.Errorf("decisions are %v, want %v", got, c.want)
			}
			if wantReason := strings.HasSuffix(c.name, "runs out") || c.plan == "[]"; wantReason != (reason == "script-exhausted") {
				t.Errorf("it ended with reason %q", reason)
			}
			if s.Status != openwopv1.RunStatusCompleted {
				t.Errorf("status is %s", s.Status)
			}
		})
	}
}

func TestPlanIsReadAgainEveryTurn(t *testing.T) {
	// The child of turn 1 writes the plan that turn 2 goes by.
	d := fixtures(t)["assay-loop"]
	d.ID = "rewriting"
	d.Nodes[1].Config = map[string]any{"outputMapping": map[string]any{"plan": "script"}}
	child := parse[openwopv1.WorkflowDefinition](t, `{"id":"writer","name":"w","version":"1","edges":[],"triggers":[],"metadata":{},"settings":{},
		"nodes":[{"id":"n","typeId":"core.noop","name":"n","position":{"x":0,"y":0},"config":{},"inputs":{}}],
		"variables":[{"name":"script","type":"array","defaultValue":[{"kind":"terminate"},{"kind":"terminate","reason":"rewritten"}]}]}`)
	h := newHost(t, func(o *Options) { o.Workflows["writer"] = child })
	s := h.create(Create{Definition: &d, Inputs: plan(t,
		`[{"kind":"next-worker","nextWorkerIds":["writer"]},{"kind":"next-worker","nextWorkerIds":["writer"]}]`)})
	if log := story(h.events(s.RunID)); !strings.HasPrefix(log[len(log)-3], "13 runOrchestrator.decided @supervisor #2 terminate") {
		t.Errorf("turn 2 did not go by the new plan:\n%s", strings.Join(log, "\n"))
	}
	// A plan that becomes none ends the run, and says why.
	writer := child
	writer.Variables[0].DefaultValue = []byte(`[1,2]`)
	h = newHost(t, func(o *Options) { o.Workflows["writer"] = writer })
	s = h.create(Create{Definition: &d, Inputs: plan(t, `[{"kind":"next-worker","nextWorkerIds":["writer"]}]`)})
	if s.Error == nil || s.Error.Code != codes.Decision {
		t.Errorf("error is %v", s.Error)
	}
	expectLawful(t, s, h.events(s.RunID), 5)
}

func TestAskUser(t *testing.T) {
	h := newHost(t)
	s := h.create(Create{WorkflowID: "assay-loop-ask-user"})
	if s.Status != openwopv1.RunStatusWaitingInput || s.CurrentNodeID == nil || *s.CurrentNodeID != "supervisor" || s.Interrupt == nil {
		t.Fatalf("the run is %s at %v, interrupt %v", s.Status, s.CurrentNodeID, s.Interrupt)
	}
	asked := parse[openwopv1.ClarificationData](t, string(s.Interrupt.Data))
	if len(asked.Questions) != 1 || asked.Questions[0].ID != "q1" || asked.Questions[0].Question != "Shall the loop go on?" {
		t.Errorf("it asks %+v", asked)
	}
	s = h.resolve(s.RunID, `{"answers":{"q1":"yes"}}`)
	events := h.events(s.RunID)
	expectLawful(t, s, events, 5)
	expectStory(t, events[10:20],
		"10 node.started @supervisor",
		"11 runOrchestrator.decided @supervisor #2 ask-user",
		"12 node.suspended @supervisor clarification <-11",
		"13 interrupt.requested @supervisor <-12",
		`14 interrupt.resolved @supervisor {"answers":{"q1":"yes"}} <-13`,
		`15 variable.changed @supervisor answer="yes" <-14`,
		"16 node.resumed @supervisor <-14",
		"17 node.completed @supervisor",
		"18 node.started @supervisor",
		"19 runOrchestrator.decided @supervisor #3 next-worker conformance-noop",
	)
	if s.Variables["answer"] != "yes" || s.CurrentNodeID != nil || s.Interrupt != nil {
		t.Errorf("after the answer: %v at %v, %v", s.Variables["answer"], s.CurrentNodeID, s.Interrupt)
	}
}

func TestInterleavedLoopsCountAlone(t *testing.T) {
	h := newHost(t)
	plans := []string{"assay-loop", "assay-loop-ask-user", "assay-loop", "assay-loop-ask-user"}
	var ids []string
	for _, workflow := range plans {
		ids = append(ids, h.begin(Create{WorkflowID: workflow}))
	}
	for _, id := range ids {
		s := h.settled(id)
		if s.CurrentNodeID != nil {
			s = h.resolve(id, `{"answers":[{"id":"q1","answer":"yes"}]}`)
		}
		expectLawful(t, s, h.events(id), 5)
		if s.Status != openwopv1.RunStatusCompleted {
			t.Errorf("%s is %s", id, s.Status)
		}
	}
}
