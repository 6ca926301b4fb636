package live

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/internal/definitiontest"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// gateOf is the node of each fixture that is a gate.
var gateOf = map[string]string{
	"assay-approval": "gate", "assay-quorum": "gate", "assay-questions": "ask", "assay-event": "wait",
	"conformance-approval": "gate", "conformance-interrupt-quorum": "gate", "conformance-interrupt-auth-required": "gate",
	"conformance-clarification": "ask", "conformance-interrupt-external-event": "wait-for-external",
}

// say resolves the interrupt at the node where a run waits, as a principal; "" is whoever has the token.
func (h *host) say(id, principal, value string) error {
	h.t.Helper()
	if node := h.snapshot(id).CurrentNodeID; node != nil {
		_, err := h.Resolve(As(soon(h.t), principal), id, *node, json.RawMessage(value))
		return err
	}
	h.t.Fatalf("run %s waits for nobody", id)
	return nil
}

func object(t testing.TB, text string) map[string]any { return parse[map[string]any](t, text) }

func TestGatesWaitAsTheyAreConfigured(t *testing.T) {
	for id, want := range map[string]struct {
		status openwopv1.RunStatus
		data   string
	}{
		"conformance-approval": {openwopv1.RunStatusWaitingApproval,
			`{"actions":["accept","reject"],"artifactId":"gate","artifactType":"artifact","description":"Accept, and the run completes.","title":"May the run go on?"}`},
		"conformance-interrupt-quorum": {openwopv1.RunStatusWaitingApproval,
			`{"actions":["accept","reject"],"approversList":[],"artifactId":"gate","artifactType":"artifact","description":"Three of you must accept.","rejectionPolicy":"majority","requiredApprovals":3,"title":"May the run go on?"}`},
		"conformance-clarification": {openwopv1.RunStatusWaitingInput,
			`{"questions":[{"id":"q1","question":"Which colour do you like best?","schema":{"maxLength":8192,"minLength":1,"type":"string"}}]}`},
		"conformance-interrupt-external-event": {openwopv1.RunStatusWaitingExternal,
			`{"correlation":{"orderId":"fixture-order-1","status":"completed"},"eventType":"conformance.external.completed"}`},
	} {
		h := newHost(t)
		s := h.create(Create{WorkflowID: id})
		expectLawful(t, s, h.events(s.RunID), 5)
		if s.Status != want.status || s.CurrentNodeID == nil || *s.CurrentNodeID != gateOf[id] || s.Interrupt == nil {
			t.Errorf("%s is %s at %v with %+v", id, s.Status, s.CurrentNodeID, s.Interrupt)
			continue
		}
		if diff := cmp.Diff(object(t, want.data), object(t, string(s.Interrupt.Data))); diff != "" {
			t.Errorf("%s asks (-want +got)\n%s", id, diff)
		}
	}
}

func TestStoriesOfGates(t *testing.T) {
	begins := func(gate, kind string) []string {
		return []string{"0 run.started", "1 node.started @" + gate, "2 node.suspended @" + gate + " " + kind + " <-1",
			"3 interrupt.requested @" + gate + " <-2"}
	}
	draft := map[string]any{"draft": map[string]any{"text": "x"}}
	for _, c := range []struct {
		name, workflow string
		inputs         map[string]any
		answers        []string
		begins, then   []string
		outputs        string // of the run; empty: it fails
	}{
		{"accepted", "assay-approval", draft, []string{`{"action":"accept"}`}, begins("gate", "approval"), []string{
			`4 interrupt.resolved @gate {"action":"accept"} <-3`, `5 variable.changed @gate answer={"action":"accept"} <-4`,
			`6 variable.changed @gate artifact={"text":"x"} <-4`, `7 node.resumed @gate <-4`, `8 node.completed @gate`,
			`9 node.started @after`, `10 node.completed @after`, `11 run.completed`,
		}, `{"answer":{"action":"accept"},"artifact":{"text":"x"}}`},
		{"edited", "assay-approval", draft, []string{`{"action":"edit-accept","editedArtifactData":{"text":"y"}}`},
			begins("gate", "approval"), []string{
				`4 interrupt.resolved @gate {"action":"edit-accept","editedArtifactData":{"text":"y"}} <-3`,
				`5 variable.changed @gate answer={"action":"edit-accept","editedArtifactData":{"text":"y"}} <-4`,
				`6 variable.changed @gate artifact={"text":"y"} <-4`, `7 node.resumed @gate <-4`, `8 node.completed @gate`,
				`9 node.started @after`, `10 node.completed @after`, `11 run.completed`,
			}, `{"answer":{"action":"edit-accept","editedArtifactData":{"text":"y"}},"artifact":{"text":"y"}}`},
		{"rejected", "assay-approval", draft, []string{`{"action":"reject"}`}, begins("gate", "approval"), []string{
			`4 interrupt.resolved @gate {"action":"reject"} <-3`, `5 variable.changed @gate answer={"action":"reject"} <-4`,
			`6 node.resumed @gate <-4`, `7 node.failed @gate interrupt_rejected`, `8 run.failed interrupt_rejected <-7`,
		}, ""},
		{"asked", "assay-approval", draft, []string{`{"action":"ask","comment":"why?"}`, `{"action":"accept"}`},
			begins("gate", "approval"), []string{
				`4 interrupt.resolved @gate {"action":"ask","comment":"why?"} <-3`, `5 node.resumed @gate <-4`,
				`6 node.suspended @gate approval <-5`, `7 interrupt.requested @gate <-6`,
				`8 interrupt.resolved @gate {"action":"accept"} <-7`, `9 variable.changed @gate answer={"action":"accept"} <-8`,
				`10 variable.changed @gate artifact={"text":"x"} <-8`, `11 node.resumed @gate <-8`, `12 node.completed @gate`,
				`13 node.started @after`, `14 node.completed @after`, `15 run.completed`,
			}, `{"answer":{"action":"accept"},"artifact":{"text":"x"}}`},
		{"questions", "assay-questions", nil, []string{`{"answers":{"q1":"blue"}}`}, begins("ask", "clarification"), []string{
			`4 interrupt.resolved @ask {"answers":{"q1":"blue"}} <-3`, `5 variable.changed @ask answer={"answers":{"q1":"blue"}} <-4`,
			`6 node.resumed @ask <-4`, `7 node.completed @ask`, `8 node.started @after`, `9 node.completed @after`, `10 run.completed`,
		}, `{"answer":{"answers":{"q1":"blue"}}}`},
		{"an event", "assay-event", nil, []string{`{"orderId":"1","more":true}`}, begins("wait", "external-event"), []string{
			`4 interrupt.resolved @wait {"orderId":"1","more":true} <-3`, `5 variable.changed @wait answer={"more":true,"orderId":"1"} <-4`,
			`6 node.resumed @wait <-4`, `7 node.completed @wait`, `8 node.started @after`, `9 node.completed @after`, `10 run.completed`,
		}, `{"answer":{"orderId":"1","more":true}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t)
			s := h.create(Create{WorkflowID: c.workflow, Inputs: c.inputs})
			expectStory(t, h.events(s.RunID), c.begins...)
			for _, a := range c.answers {
				s = h.resolve(s.RunID, a)
			}
			events := h.events(s.RunID)
			expectLawful(t, s, events, 5)
			expectStory(t, events, append(c.begins, c.then...)...)
			if c.outputs == "" {
				return
			}
			var p event.RunCompletedPayload
			if err := json.Unmarshal(events[len(events)-1].Payload, &p); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(object(t, c.outputs), p.Outputs); diff != "" {
				t.Errorf("outputs (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(p.Outputs["answer"], s.Variables["answer"]); diff != "" {
				t.Errorf("the variable (-output +variable)\n%s", diff)
			}
		})
	}
}

// Somebody who asks gets another interrupt, which says what was asked; the one before it is done with.
func TestAQuestionRaisesAnotherInterrupt(t *testing.T) {
	for _, action := range []string{
		`{"action":"ask","comment":"why so long?"}`, `{"action":"refine","feedback":"why so long?"}`,
		`{"action":"refine","refineFeedback":"why so long?"}`,
	} {
		h := newHost(t)
		s := h.create(Create{WorkflowID: "assay-approval", Inputs: object(t, `{"actions":["accept","ask","refine"]}`)})
		first := *s.Interrupt
		s = h.resolve(s.RunID, action)
		second := *s.Interrupt
		if s.Status != openwopv1.RunStatusWaitingApproval || *first.InterruptID == *second.InterruptID || *first.Key == *second.Key {
			t.Errorf("%s: %s with %s and %s", action, s.Status, *second.InterruptID, *second.Key)
		}
		data := parse[openwopv1.ApprovalData](t, string(second.Data))
		if data.Description == nil || *data.Description != "why so long?" || s.Variables["answer"] != nil {
			t.Errorf("%s: the next interrupt says %s, the answer is %v", action, second.Data, s.Variables["answer"])
		}
		_, err := h.ResolveInterrupt(soon(t), s.RunID, *first.InterruptID, json.RawMessage(`{"action":"accept"}`))
		if code(err) != codes.InterruptResolved {
			t.Errorf("%s: the first interrupt is answered again with %v", action, err)
		}
		if s = h.resolve(s.RunID, `{"action":"accept"}`); s.Status != openwopv1.RunStatusCompleted {
			t.Errorf("%s: the run is %s", action, s.Status)
		}
		expectLawful(t, s, h.events(s.RunID), 5)
	}
}

func TestAnswersThatGatesRefuseChangeNothing(t *testing.T) {
	unprocessable := func(err error) bool { return refusalOf(err).Unprocessable }
	questions := `{"questions":[{"id":"n","question":"How many?","schema":{"type":"integer"}},{"id":"t","question":"What?"}]}`
	for _, c := range []struct {
		workflow, inputs, principal string
		code                        string
		unfit                       bool
		values                      []string
	}{
		{"assay-approval", `{"actions":["accept","edit-accept"]}`, "", codes.Validation, true, []string{
			`{"action":"reject"}`, `{"action":"ask"}`, `{"action":"maybe"}`, `{"action":"Accept"}`}},
		{"assay-approval", `{"actions":["accept","edit-accept"]}`, "", codes.Validation, false, []string{
			``, `{`, `null`, `"accept"`, `{}`, `{"action":null}`, `{"action":7}`, `{"Action":"accept"}`, `{"action":"edit-accept"}`,
			`{"action":"edit-accept","EditedArtifactData":1}`}},
		{"assay-questions", questions, "", codes.Validation, false, []string{
			`{}`, `{"answers":{}}`, `{"answers":{"n":1}}`, `{"answers":{"t":"x"}}`, `{"answers":{"n":"1","t":"x"}}`, `{"answers":{"n":1.5,"t":"x"}}`,
			`{"answers":{"n":1,"t":7}}`, `{"answers":{"n":1,"t":"x","u":1}}`, `{"answers":{"n":1,"t":null}}`, `{"answers":[{"id":"n","answer":1}]}`,
			`{"answers":[{"id":"n","answer":1},{"id":"t"}]}`, `{"answers":{"n":1,"t":"x"},"more":"` + strings.Repeat("x", state.MaxAnswers) + `"}`}},
		{"assay-event", `{"correlation":{"a":"1","b":{"c":[2]}}}`, "", codes.Validation, true, []string{
			`null`, `"x"`, `[]`, `{}`, `{"a":"1"}`, `{"a":1,"b":{"c":[2]}}`, `{"a":"1","b":{"c":[2,3]}}`, `{"A":"1","b":{"c":[2]}}`,
			`{"a":"1","b":null}`}},
		{"assay-quorum", `{}`, "", codes.Forbidden, false, []string{`{"action":"accept"}`, `{"action":"nonsense"}`}},
		{"assay-quorum", `{}`, "p", codes.Validation, true, []string{`{"action":"ask"}`}},
		{"conformance-interrupt-auth-required", `{}`, "", codes.Forbidden, false, []string{`{"action":"accept"}`, `{"action":"reject"}`}},
	} {
		h := newHost(t)
		s := h.create(Create{WorkflowID: c.workflow, Inputs: object(t, c.inputs)})
		before := story(h.events(s.RunID))
		for _, value := range c.values {
			err := h.say(s.RunID, c.principal, value)
			if code(err) != c.code || c.code == codes.Validation && unprocessable(err) != c.unfit {
				t.Errorf("%s: %s is refused with %#v", c.workflow, value, err)
			}
		}
		if after := story(h.events(s.RunID)); !slices.Equal(before, after) {
			t.Errorf("%s: the log went on:\n%s", c.workflow, strings.Join(after, "\n"))
		}
	}
}

func TestAnswersToSeveralQuestions(t *testing.T) {
	inputs := `{"questions":[{"id":"n","question":"How many?","schema":{"type":"integer"}},{"id":"t","question":"What?"}]}`
	for _, value := range []string{`{"answers":{"n":1,"t":"x"}}`, `{"answers":[{"id":"t","answer":"x"},{"id":"n","answer":1}]}`} {
		h := newHost(t)
		s := h.create(Create{WorkflowID: "assay-questions", Inputs: object(t, inputs)})
		s = h.resolve(s.RunID, value)
		if diff := cmp.Diff(object(t, value), s.Variables["answer"]); diff != "" || s.Status != openwopv1.RunStatusCompleted {
			t.Errorf("%s: %s with (-want +got)\n%s", value, s.Status, diff)
		}
	}
}

// Who is not among the approvers is told so, whatever they send; a token says nothing about who holds it.
func TestApproversAreAskedFor(t *testing.T) {
	d := definitiontest.Define(t, `{"id":"g","typeId":"core.approvalGate","config":{"approversList":["ann","bob"]},"inputs":{}}`, ``, ``)
	for principal, want := range map[string]string{"": codes.Forbidden, "eve": codes.Forbidden, "Ann": codes.Forbidden, "ann": "<nil>",
		"bob": "<nil>"} {
		h := newHost(t)
		s := h.create(Create{Definition: &d})
		if err := h.say(s.RunID, principal, `{"action":"accept"}`); code(err) != want {
			t.Errorf("%q: %v, want %s", principal, err, want)
		}
	}
}

func TestSettingsOfGatesThatAreRefused(t *testing.T) {
	h := newHost(t)
	gate := func(typeID, config string) string {
		return `{"id":"g","typeId":"` + typeID + `","config":{` + config + `},"inputs":{}}`
	}
	for _, c := range []struct{ node, says string }{
		{gate(workflow.TypeApproval, `"title":""`), "title: must be text"},
		{gate(workflow.TypeApproval, `"title":7`), "title: must be text"},
		{gate(workflow.TypeApproval, `"actions":[]`), "actions: must have"},
		{gate(workflow.TypeApproval, `"actions":"accept"`), "actions: must be an array"},
		{gate(workflow.TypeApproval, `"actions":["edit"]`), "actions:"},
		{gate(workflow.TypeApproval, `"actions":["accept","accept"]`), "stands there twice"},
		{gate(workflow.TypeApproval, `"requiredApprovals":0`), "requiredApprovals: must be"},
		{gate(workflow.TypeApproval, `"requiredApprovals":1.5`), "requiredApprovals: must be an integer"},
		{gate(workflow.TypeApproval, `"rejectionPolicy":"none"`), "rejectionPolicy: must be"},
		{gate(workflow.TypeApproval, `"approversList":[""]`), "approversList: must be"},
		{gate(workflow.TypeApproval, `"requiredApprovals":2,"actions":["accept","edit-accept"]`), "edit-accept does not go"},
		{gate(workflow.TypeApproval, `"approverRoleRefs":["r"]`), "approverRoleRefs is not known"},
		{gate(workflow.TypeApproval, `"profile":"x"`), "profile must be"},
		{gate(workflow.TypeApproval, `"timeoutMs":-1`), "timeoutMs: must be"},
		{gate(workflow.TypeQuestions, ``), "questions: must be an array"},
		{gate(workflow.TypeQuestions, `"questions":[]`), "questions: must be an array"},
		{gate(workflow.TypeQuestions, `"questions":[{"id":"q"}]`), "question 1 must have"},
		{gate(workflow.TypeQuestions, `"questions":[{"id":"q","question":"?"},{"id":"q","question":"?"}]`), "question 2 has the id"},
		{gate(workflow.TypeQuestions, `"questions":[{"id":"q","question":"?","schema":{"type":"text"}}]`), "question 1 has a schema that is none"},
		{gate(workflow.TypeQuestions, `"questions":[{"id":"q","question":"?","schema":7}]`), "question 1 must have an object"},
		{gate(workflow.TypeQuestions, `"questions":[{"id":"q","question":"?","schema":{"items":[{"$ref":"#"}]}}]`), "question 1 has a schema with $ref"},
		{gate(workflow.TypeQuestions, `"questions":[{"id":"q","question":"?","schema":{"anyOf":[{"pattern":"(a?){1000}"}]}}]`),
			"question 1 has a schema with pattern"},
		{gate(workflow.TypeQuestions, `"questions":[{"id":"q","question":"?","schema":{"patternProperties":{"a":{}}}}]`),
			"question 1 has a schema with patternProperties"},
		{gate(workflow.TypeQuestions, `"questions":[{"id":"q","question":"?","schema":{"not":{"uniqueItems":true}}}]`),
			"question 1 has a schema with uniqueItems"},
		{gate(workflow.TypeQuestions, `"questions":[{"id":"q","question":"?","schema":{"title":"`+strings.Repeat("x", workflow.MaxSchema)+`"}}]`),
			"question 1 has a schema that is too large"},
		{gate(workflow.TypeQuestions, `"questions":[{"id":"q","question":"?","hint":"x"}]`), "question 1 must have id, question and schema only"},
		{gate(workflow.TypeInterrupt, `"data":{"eventType":"e","correlation":{}}`), "config.kind must be"},
		{gate(workflow.TypeInterrupt, `"kind":"approval"`), "config.kind must be"},
		{gate(workflow.TypeInterrupt, `"kind":"external-event"`), "eventType: must be"},
		{gate(workflow.TypeInterrupt, `"kind":"external-event","data":7`), "config.data must be"},
		{gate(workflow.TypeInterrupt, `"kind":"external-event","data":{"eventType":"e","correlation":{},"more":1}`), "config.data must be"},
		{gate(workflow.TypeInterrupt, `"kind":"external-event","data":{"eventType":"e","correlation":"x"}`), "correlation: must be"},
	} {
		d := definitiontest.Define(t, c.node, ``, ``)
		_, err := h.Create(soon(t), Create{Definition: &d})
		if code(err) != codes.Validation || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.node, err)
		}
	}
	_, err := h.Create(soon(t), Create{WorkflowID: "assay-approval", Inputs: object(t, `{"actions":["frob"]}`)})
	if code(err) != codes.Validation || refusalOf(err).Details["field"] != "inputs.actions" {
		t.Errorf("an input that no gate takes is refused with %v", err)
	}
}

// A property may be called as a keyword is that this host does not check.
func TestAQuestionAboutAPattern(t *testing.T) {
	h := newHost(t)
	s := h.create(Create{WorkflowID: "assay-questions", Inputs: object(t, `{"questions":[{"id":"q1","question":"?","schema":`+
		`{"type":"object","properties":{"pattern":{"type":"string"},"uniqueItems":{"type":"integer"}},"uniqueItems":false}}]}`)})
	if err := h.say(s.RunID, "", `{"answers":{"q1":{"pattern":7}}}`); code(err) != codes.Validation {
		t.Errorf("what does not fit: %v", err)
	}
	if s = h.resolve(s.RunID, `{"answers":{"q1":{"pattern":"x","uniqueItems":1}}}`); s.Status != openwopv1.RunStatusCompleted {
		t.Errorf("the run is %s", s.Status)
	}
}

// Every question shows the artifact again, so there is an end of them, also for a host that was started again; somebody has
// to decide then.
func TestQuestionsAtAGateAreBounded(t *testing.T) {
	h := newHost(t)
	s := h.create(Create{WorkflowID: "assay-approval"})
	for round := range state.MaxRounds {
		if round == state.MaxRounds/2 {
			h.restart()
		}
		s = h.resolve(s.RunID, `{"action":"ask","comment":"why?"}`)
	}
	for _, action := range []string{`{"action":"ask"}`, `{"action":"refine"}`} {
		if err := h.say(s.RunID, "", action); code(err) != codes.Validation || !refusalOf(err).Unprocessable {
			t.Errorf("%s is answered with %v", action, err)
		}
	}
	if s = h.resolve(s.RunID, `{"action":"accept"}`); s.Status != openwopv1.RunStatusCompleted {
		t.Errorf("the run is %s", s.Status)
	}
}

// What comes from another node is not known when a run begins; then the node fails.
func TestAGateThatCannotAskFails(t *testing.T) {
	d := definitiontest.Define(t, `{"id":"r","typeId":"vendor.openassay.random","config":{},"inputs":{}},{"id":"g","typeId":"core.clarificationGate","config":{},
		"inputs":{"questions":{"type":"connection","nodeId":"r","outputKey":"value"}}}`, `{"id":"e","sourceNodeId":"r","targetNodeId":"g"}`, ``)
	h := newHost(t)
	s := h.create(Create{Definition: &d})
	if s.Status != openwopv1.RunStatusFailed || s.Error.Code != codes.Gate {
		t.Errorf("the run is %s, %+v", s.Status, s.Error)
	}
}

// Two gates in a row, and then a loop that asks: each answer goes to the one that is open.
func TestGatesBeforeALoop(t *testing.T) {
	gate := func(id string) string {
		return `{"id":"` + id + `","typeId":"core.approvalGate","config":{"artifactData":"` + id + `"},"inputs":{}},`
	}
	d := definitiontest.Define(t, gate("g1")+gate("g2")+definitiontest.Supervised(`"mockDecisions":[{"kind":"ask-user","prompt":"?"},{"kind":"terminate"}]`),
		`{"id":"e0","sourceNodeId":"g1","targetNodeId":"g2"},{"id":"e3","sourceNodeId":"g2","targetNodeId":"s"},`+definitiontest.LoopEdges, ``)
	h := newHost(t)
	s := h.create(Create{Definition: &d})
	for _, step := range []struct{ node, answer string }{{"g1", `{"action":"accept"}`}, {"g2", `{"action":"accept"}`}, {"s", yes}} {
		if s.CurrentNodeID == nil || *s.CurrentNodeID != step.node {
			t.Fatalf("the run waits at %v, want %s", s.CurrentNodeID, step.node)
		}
		if _, err := h.Resolve(soon(t), s.RunID, "g1", json.RawMessage(`{"action":"accept"}`)); step.node != "g1" &&
			code(err) != codes.InterruptResolved {
			t.Errorf("the first gate is answered again with %v", err)
		} else if step.node == "g1" {
			s = h.settled(s.RunID)
			continue
		}
		h.restart()
		s = h.resolve(s.RunID, step.answer)
	}
	expectLawful(t, s, h.events(s.RunID), 5)
	if s.Status != openwopv1.RunStatusCompleted || s.Variables["artifact"] != "g2" || s.Variables["answer"] != "yes" {
		t.Errorf("the run is %s with %v", s.Status, s.Variables)
	}
}

// Every prefix of a log is a state that goes on: with appends of one event each, and a restart between any two of them.
func TestGatesGoOnAfterEveryAppend(t *testing.T) {
	for _, c := range []struct {
		workflow string
		answers  []string // each by another principal
	}{
		{"assay-approval", []string{`{"action":"ask","comment":"why?"}`, `{"action":"edit-accept","editedArtifactData":1}`}},
		{"assay-quorum", []string{`{"action":"accept"}`, `{"action":"accept"}`}},
		{"assay-questions", []string{`{"answers":{"q1":"x"}}`}},
		{"assay-event", []string{`{"orderId":"1"}`}},
	} {
		want := ""
		for left := range 12 {
			h := newHost(t, func(o *Options) { o.cut = 1 })
			s := h.create(Create{WorkflowID: c.workflow})
			for i := 0; i < len(c.answers); {
				h.log.kill(left)
				err := h.say(s.RunID, fmt.Sprint("p", i), c.answers[i])
				h.idle()
				h.Close()
				h.log = h.log.survivor()
				h.o.Log = h.log
				h.start()
				s = h.settled(s.RunID)
				if err == nil || s.CurrentNodeID == nil {
					i++ // what was said to be taken is not lost
				}
				if err != nil && s.CurrentNodeID != nil {
					h.log.kill(-1)
					if err := h.say(s.RunID, fmt.Sprint("p", i), c.answers[i]); err != nil && code(err) != codes.InterruptResolved {
						t.Fatalf("%s, %d appends left: answer %d again: %v", c.workflow, left, i, err)
					}
					s = h.settled(s.RunID)
					i++
				}
			}
			got := strings.Join(story(h.events(s.RunID)), "\n")
			if want == "" {
				want = got
			}
			if got != want || s.Status != openwopv1.RunStatusCompleted {
				t.Errorf("%s, %d appends left: %s with\n%s\nwant\n%s", c.workflow, left, s.Status, got, want)
			}
		}
	}
}

// idle waits until no goroutine advances a run.
func (h *host) idle() {
	h.t.Helper()
	deadline := time.Now().Add(testenv.Patience(20 * time.Second))
	for slices.ContainsFunc(h.lives(), func(r *liveRun) bool { return r.wakes.Load() > 0 }) {
		if time.Now().After(deadline) {
			h.t.Fatal("the host does not come to rest")
		}
		runtime.Gosched()
	}
}

func TestAGateIsToldOfBeingClosed(t *testing.T) {
	h := newHost(t)
	s := h.create(Create{WorkflowID: "assay-approval"})
	if _, err := h.Cancel(soon(t), s.RunID, "no"); err != nil {
		t.Fatal(err)
	}
	s = h.settled(s.RunID)
	expectLawful(t, s, h.events(s.RunID), 5)
	_, err := h.Resolve(context.Background(), s.RunID, "gate", json.RawMessage(`{"action":"accept"}`))
	if code(err) != codes.InterruptGone || s.Status != openwopv1.RunStatusCancelled {
		t.Errorf("the run is %s, the answer is refused with %v", s.Status, err)
	}
}
