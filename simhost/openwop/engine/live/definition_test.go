package live

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// workflow makes a definition out of nodes, edges and variables, each as JSON without the parts that never matter here.
func define(t testing.TB, nodes, edges, variables string) openwopv1.WorkflowDefinition {
	t.Helper()
	return parse[openwopv1.WorkflowDefinition](t, `{"id":"w","name":"w","version":"1","triggers":[],"metadata":{},"settings":{},
		"nodes":[`+nodes+`],"edges":[`+edges+`],"variables":[`+variables+`]}`)
}

const (
	supervisorNode = `{"id":"s","typeId":"core.orchestrator.supervisor","config":{},"inputs":{}}`
	dispatchNode   = `{"id":"d","typeId":"core.dispatch","config":{},"inputs":{}}`
	loopEdges      = `{"id":"e1","sourceNodeId":"s","targetNodeId":"d"},{"id":"e2","sourceNodeId":"d","targetNodeId":"s"}`
	noopNode       = `{"id":"a","typeId":"core.noop","config":{},"inputs":{}}`
	secondNode     = `{"id":"b","typeId":"core.noop","config":{},"inputs":{}}`
)

// supervised is a loop whose supervisor has these members in its config.
func supervised(config string) string {
	return `{"id":"s","typeId":"core.orchestrator.supervisor","config":{` + config + `},"inputs":{}},` + dispatchNode
}

func TestDefinitionsThatAreRefused(t *testing.T) {
	h := newHost(t)
	loop := supervisorNode + "," + dispatchNode
	for _, c := range []struct {
		name, nodes, edges, variables string
		says                          string
	}{
		{"no node", ``, ``, ``, "has no node"},
		{"a type nobody knows", `{"id":"a","typeId":"vendor.x.y","config":{},"inputs":{}}`, ``, ``, "vendor.x.y"},
		{"the same node twice", noopNode + "," + noopNode, ``, ``, "twice"},
		{"an edge from nowhere", noopNode, `{"id":"e","sourceNodeId":"x","targetNodeId":"a"}`, ``, "does not exist"},
		{"an edge to nowhere", noopNode, `{"id":"e","sourceNodeId":"a","targetNodeId":"x"}`, ``, "does not exist"},
		{"a circle", noopNode + "," + secondNode,
			`{"id":"e","sourceNodeId":"a","targetNodeId":"b"},{"id":"f","sourceNodeId":"b","targetNodeId":"a"}`, ``, "waits for itself"},
		{"a condition", noopNode + "," + secondNode, `{"id":"e","sourceNodeId":"a","targetNodeId":"b","condition":{"type":"equals"}}`,
			``, "condition"},
		{"a trigger rule", noopNode + "," + secondNode, `{"id":"e","sourceNodeId":"a","targetNodeId":"b","triggerRule":"any_failed"}`,
			``, "trigger rule"},
		{"a variable twice", noopNode, ``, `{"name":"v","type":"string"},{"name":"v","type":"string"}`, "declared twice"},
		{"a sensitive variable", noopNode, ``, `{"name":"v","type":"string","sensitive":true}`, "sensitive"},
		{"an expression", `{"id":"a","typeId":"core.identity","config":{},"inputs":{"x":{"type":"expression","expression":"1+1"}}}`, ``,
			``, "expressions"},
		{"a connection from nowhere",
			`{"id":"a","typeId":"core.identity","config":{},"inputs":{"x":{"type":"connection","nodeId":"q","outputKey":"o"}}}`, ``, ``,
			"does not exist"},
		{"two supervisors", loop + `,{"id":"s2","typeId":"core.orchestrator.supervisor","config":{},"inputs":{}}`, loopEdges, ``,
			"second supervisor"},
		{"a supervisor without dispatch", supervisorNode, ``, ``, "needs an edge"},
		{"a dispatch that does not come back", loop, `{"id":"e1","sourceNodeId":"s","targetNodeId":"d"}`, ``, "needs an edge"},
		{"something behind the loop", loop + "," + noopNode, loopEdges + `,{"id":"e","sourceNodeId":"s","targetNodeId":"a"}`, ``,
			"one core.dispatch node only"},
		{"something behind the dispatch", loop + "," + noopNode, loopEdges + `,{"id":"e","sourceNodeId":"d","targetNodeId":"a"}`, ``,
			"its supervisor only"},
		{"something that dispatches too", loop + "," + noopNode, loopEdges + `,{"id":"e","sourceNodeId":"a","targetNodeId":"d"}`, ``,
			"its supervisor only"},
		{"a disabled supervisor", `{"id":"s","typeId":"core.orchestrator.supervisor","config":{},"inputs":{},"disabled":true},` +
			dispatchNode, loopEdges, ``, "disabled"},
		{"a disabled dispatch", supervisorNode + `,{"id":"d","typeId":"core.dispatch","config":{},"inputs":{},"disabled":true}`,
			loopEdges, ``, "disabled"},
		{"a config nobody knows", `{"id":"s","typeId":"core.orchestrator.supervisor","config":{"model":"x"},"inputs":{}},` +
			dispatchNode, loopEdges, ``, "config.model"},
		{"a confidence that is none", `{"id":"s","typeId":"core.orchestrator.supervisor","config":{"mockConfidence":2},"inputs":{}},` +
			dispatchNode, loopEdges, ``, "mockConfidence"},
		{"notes in no variable", supervised(`"mockNotes":"v"`), loopEdges, ``, "config.mockNotes must name"},
		{"notes in a string", supervised(`"mockNotes":"v"`), loopEdges, `{"name":"v","type":"string"}`, "config.mockNotes must name"},
		{"notes that have no name", supervised(`"mockNotes":7`), loopEdges, ``, "config.mockNotes must name"},
		{"notes among the answers", supervised(`"mockNotes":"answer"`), loopEdges, `{"name":"answer","type":"array"}`, "answers of people"},
		{"reads that are none", supervised(`"mockReads":[]`), loopEdges, ``, "mockReads: must be an object"},
		{"writes that are none", supervised(`"mockWrites":[[],[{"path":"a"}]]`), loopEdges, ``, "mockWrites[1][0]: must"},
		{"an answer schema that is none", supervised(`"mockAnswerSchema":"string"`), loopEdges, ``, "config.mockAnswerSchema must be"},
		{"an answer schema that is wrong", supervised(`"mockAnswerSchema":{"type":"text"}`), loopEdges, ``,
			"config.mockAnswerSchema is no JSON Schema"},
		{"an answer schema from elsewhere", supervised(`"mockAnswerSchema":{"$ref":"https://example.com/s.json"}`), loopEdges, ``,
			"config.mockAnswerSchema is no JSON Schema"},
		{"an answer schema with a pattern that is none", supervised(`"mockAnswerSchema":{"pattern":"("}`), loopEdges, ``,
			"config.mockAnswerSchema is no JSON Schema"},
		{"an agent id that is none",
			`{"id":"s","typeId":"core.orchestrator.supervisor","config":{},"inputs":{},"agent":{"agentId":"x"}},` + dispatchNode,
			loopEdges, ``, "agentId"},
		{"a script that is none", `{"id":"s","typeId":"core.orchestrator.supervisor","config":{"mockDecisions":"x"},"inputs":{}},` +
			dispatchNode, loopEdges, ``, "config.mockDecisions"},
		{"a wrong decision in a config",
			`{"id":"s","typeId":"core.orchestrator.supervisor","config":{"mockDecisions":[{"kind":"terminate"},{"kind":"clarify"}]},"inputs":{}},` + dispatchNode, loopEdges, ``, "config.mockDecisions[1]"},
		{"an unknown dispatch setting", supervisorNode + `,{"id":"d","typeId":"core.dispatch","config":{"x":1},"inputs":{}}`, loopEdges,
			``, "config"},
		{"conversations", supervisorNode +
			`,{"id":"d","typeId":"core.dispatch","config":{"askUserRouting":"conversation"},"inputs":{}}`, loopEdges, ``, "askUserRouting"},
		{"an unknown routing", supervisorNode + `,{"id":"d","typeId":"core.dispatch","config":{"askUserRouting":"x"},"inputs":{}}`,
			loopEdges, ``, "askUserRouting"},
		{"an unknown fan-out", supervisorNode + `,{"id":"d","typeId":"core.dispatch","config":{"fanOutPolicy":"parallel"},"inputs":{}}`,
			loopEdges, ``, "fanOutPolicy"},
		{"an unknown model", supervisorNode + `,{"id":"d","typeId":"core.dispatch","config":{"workerDispatchModel":"x"},"inputs":{}}`,
			loopEdges, ``, "workerDispatchModel"},
		{"an iteration cap", supervisorNode + `,{"id":"d","typeId":"core.dispatch","config":{"iterationCap":2},"inputs":{}}`, loopEdges,
			``, "iterationCap"},
		{"a dispatch with inputs", supervisorNode +
			`,{"id":"d","typeId":"core.dispatch","config":{},"inputs":{"x":{"type":"static","value":1}}}`, loopEdges, ``, "mappings"},
	} {
		d := define(t, c.nodes, c.edges, c.variables)
		_, err := h.Create(soon(t), Create{Definition: &d})
		if code(err) != codes.Validation || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	inactive := define(t, noopNode, "", "")
	inactive.Status = openwopv1.WorkflowDefinitionStatusDraft
	channels := define(t, noopNode, "", "")
	channels.Channels = map[string]openwopv1.ChannelDeclaration{"c": {Reducer: "replace"}}
	for _, d := range []openwopv1.WorkflowDefinition{inactive, channels} {
		if _, err := h.Create(soon(t), Create{Definition: &d}); code(err) != codes.Validation {
			t.Errorf("%+v: %v", d, err)
		}
	}
	d := define(t, `{"id":"a","typeId":"vendor.x.y","config":{},"inputs":{}}`, "", "")
	_, err := h.Create(soon(t), Create{Definition: &d})
	refusal := refusalOf(err)
	if refusal == nil {
		t.Fatalf("got %v, want a refusal", err)
	}
	if details := refusal.Details; details["nodeId"] != "a" || details["offendingTypeId"] != "vendor.x.y" {
		t.Errorf("details are %v", details)
	}
	if _, err := h.Create(soon(t), Create{WorkflowID: "no-such"}); code(err) != codes.NotFound {
		t.Errorf("no such workflow: %v", err)
	}
}

func TestWhatTheHostLacks(t *testing.T) {
	for _, c := range []struct{ lacks, workflow, code string }{
		{workflow.CapabilityOrchestrator, "assay-loop", codes.Capability},
		{workflow.CapabilityDispatch, "assay-loop", codes.Capability},
		{workflow.CapabilityDispatchMapping, "assay-loop", ""},
		{workflow.CapabilityDispatchMapping, "conformance-dispatch-input-mapping", codes.Validation},
		{workflow.CapabilityDispatchMapping, "conformance-dispatch-per-worker-override", codes.Validation},
		{workflow.CapabilityOrchestrator, "conformance-noop", ""},
	} {
		h := newHost(t, func(o *Options) { o.Lacks = []string{c.lacks} })
		_, err := h.Create(soon(t), Create{WorkflowID: c.workflow})
		if c.code == "" {
			if err != nil {
				t.Errorf("without %s, %s: %v", c.lacks, c.workflow, err)
			}
			continue
		}
		refusal := refusalOf(err)
		if refusal == nil || refusal.Code != c.code || refusal.Details["requiredCapability"] != c.lacks ||
			refusal.Details["nodeId"] == nil || refusal.Details["offendingTypeId"] == nil {
			t.Errorf("without %s, %s: %v", c.lacks, c.workflow, err)
		}
	}
}

func TestNodeOrder(t *testing.T) {
	node := func(id string) string { return `{"id":"` + id + `","typeId":"core.noop","config":{},"inputs":{}}` }
	edge := func(from, to string) string {
		return `{"id":"` + from + to + `","sourceNodeId":"` + from + `","targetNodeId":"` + to + `"}`
	}
	for _, c := range []struct{ nodes, edges, want []string }{
		{[]string{"c", "b", "a"}, nil, []string{"c", "b", "a"}},
		{[]string{"c", "b", "a"}, []string{edge("a", "b"), edge("b", "c")}, []string{"a", "b", "c"}},
		{[]string{"d", "a", "b", "c"}, []string{edge("a", "b"), edge("a", "c"), edge("b", "d"), edge("c", "d")}, []string{"a", "b", "c", "d"}},
		{[]string{"x", "b", "a"}, []string{edge("a", "b")}, []string{"x", "a", "b"}},
	} {
		var nodes []string
		for _, id := range c.nodes {
			nodes = append(nodes, node(id))
		}
		d := define(t, strings.Join(nodes, ","), strings.Join(c.edges, ","), "")
		h := newHost(t)
		s := h.create(Create{Definition: &d})
		var got []string
		for _, e := range h.events(s.RunID) {
			if e.Type == openwopv1.RunEventTypeNodeStarted {
				got = append(got, e.NodeID)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v with %d edges ran as %v, want %v", c.nodes, len(c.edges), got, c.want)
		}
	}
}

func TestTheLoopRunsLast(t *testing.T) {
	d := define(t, supervisorNode+","+dispatchNode+","+noopNode+","+secondNode,
		loopEdges+`,{"id":"e","sourceNodeId":"b","targetNodeId":"s"}`, "")
	h := newHost(t)
	s := h.create(Create{Definition: &d, Configurable: map[string]any{"maxLoopIterations": 1}})
	log := story(h.events(s.RunID))
	if want := []string{"1 node.started @a", "2 node.completed @a", "3 node.started @b", "4 node.completed @b",
		"5 node.started @s"}; !slices.Equal(log[1:6], want) {
		t.Errorf("the log is %v", log)
	}
	expectLawful(t, s, h.events(s.RunID), 5)
}

func TestInputsThatAreRefused(t *testing.T) {
	h := newHost(t)
	d := define(t, noopNode, "",
		`{"name":"must","type":"object","required":true},{"name":"may","type":"number"},{"name":"has","type":"string","required":true,"defaultValue":"x"}`)
	obj := map[string]any{}
	for _, c := range []struct {
		inputs map[string]any
		field  string
	}{
		{nil, "inputs.must"},
		{map[string]any{"must": "x"}, "inputs.must"},
		{map[string]any{"must": nil}, "inputs.must"},
		{map[string]any{"must": obj, "may": "1"}, "inputs.may"},
		{map[string]any{"must": obj, "has": 1.0}, "inputs.has"},
		{map[string]any{"must": obj, "may": 1.0, "other": nil}, ""},
	} {
		_, err := h.Create(soon(t), Create{Definition: &d, Inputs: c.inputs})
		refusal := refusalOf(err)
		if c.field == "" && err != nil || c.field != "" && (refusal == nil || refusal.Details["field"] != c.field) {
			t.Errorf("%v: %v", c.inputs, err)
		}
	}
	for text, field := range map[string]string{
		`[{"kind":"terminate"},{"kind":"escalate"}]`:                      "inputs.plan[1]",
		`[{"KIND":"terminate"}]`:                                          "inputs.plan[0]",
		`[{"kind":"terminate","Reason":"x"}]`:                             "inputs.plan[0]",
		`["terminate"]`:                                                   "inputs.plan[0]",
		`[{"kind":"next-worker"}]`:                                        "inputs.plan[0]",
		`[{"kind":"next-worker","nextWorkerIds":[]}]`:                     "inputs.plan[0]",
		`[{"kind":"next-worker","nextWorkerIds":[""]}]`:                   "inputs.plan[0]",
		`[{"kind":"next-worker","nextWorkerIds":["a"],"confidence":1.1}]`: "inputs.plan[0]",
		`[{"kind":"next-worker","nextWorkerIds":["a"],"x":1}]`:            "inputs.plan[0]",
		`[{"kind":"ask-user"}]`:                                           "inputs.plan[0]",
		`[{"kind":"ask-user","prompt":"?","confidence":0.1}]`:             "inputs.plan[0]",
		`[{"kind":"terminate","confidence":-1}]`:                          "inputs.plan[0]",
		`[{"kind":"terminate","reason":5}]`:                               "inputs.plan[0]",
		`[null]`:                                                          "inputs.plan[0]",
		`[{}]`:                                                            "inputs.plan[0]",
		`[{"kind":"next-worker","nextWorkerIds":["` + strings.Repeat("x", 257) + `"]}]`: "inputs.plan[0]",
	} {
		_, err := h.Create(soon(t), Create{WorkflowID: "assay-loop", Inputs: plan(t, text)})
		if refusal := refusalOf(err); refusal == nil || refusal.Code != codes.Validation || refusal.Details["field"] != field {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestUnsuitableOptions(t *testing.T) {
	h := newHost(t)
	for name, change := range map[string]func(*Options){
		"no log":          func(o *Options) { o.Log = nil },
		"no clock":        func(o *Options) { o.Clock = nil },
		"version 7":       func(o *Options) { o.Version = 7 },
		"version -1":      func(o *Options) { o.Version = -1 },
		"floor 0.4":       func(o *Options) { o.ConfidenceFloor = 0.4 },
		"an unknown kind": func(o *Options) { o.EscalationKind = "external-event" },
	} {
		o := h.o
		change(&o)
		if _, err := New(o); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestDefinitionOutlivesItsFile(t *testing.T) {
	h := newHost(t)
	s := h.create(Create{WorkflowID: "assay-loop-ask-user"})
	changed := h.o.Workflows["assay-loop-ask-user"]
	changed.Variables = slices.Clone(changed.Variables)
	changed.Variables[0].DefaultValue = json.RawMessage(`[]`)
	h.o.Workflows["assay-loop-ask-user"] = changed
	h.restart()
	s = h.resolve(s.RunID, `{"answers":{"q1":"yes"}}`)
	if n := decidedOn(h.events(s.RunID)); n != 4 {
		t.Errorf("%d turns: the run goes by the new definition", n)
	}
	delete(h.o.Workflows, "assay-loop-ask-user")
	h.restart()
	if s := h.snapshot(s.RunID); s.Status != openwopv1.RunStatusCompleted {
		t.Errorf("without the file the run is %s", s.Status)
	}
}
