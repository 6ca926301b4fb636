package workflow

import (
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/internal/definitions"
	"github.com/openassay/assay/simhost/refusal"
)

func code(err error) string {
	if said := refusal.In(err); said != nil {
		return said.Code
	}
	return ""
}

func TestDefinitionsThatAreRefused(t *testing.T) {
	loop := definitions.SupervisorNode + "," + definitions.DispatchNode
	for _, c := range []struct {
		name, nodes, edges, variables string
		says                          string
	}{
		{"no node", ``, ``, ``, "has no node"},
		{"a type nobody knows", `{"id":"a","typeId":"vendor.x.y","config":{},"inputs":{}}`, ``, ``, "vendor.x.y"},
		{"the same node twice", definitions.NoopNode + "," + definitions.NoopNode, ``, ``, "twice"},
		{"an edge from nowhere", definitions.NoopNode, `{"id":"e","sourceNodeId":"x","targetNodeId":"a"}`, ``, "does not exist"},
		{"an edge to nowhere", definitions.NoopNode, `{"id":"e","sourceNodeId":"a","targetNodeId":"x"}`, ``, "does not exist"},
		{"a circle", definitions.NoopNode + "," + definitions.SecondNode,
			`{"id":"e","sourceNodeId":"a","targetNodeId":"b"},{"id":"f","sourceNodeId":"b","targetNodeId":"a"}`, ``, "waits for itself"},
		{"a condition", definitions.NoopNode + "," + definitions.SecondNode, `{"id":"e","sourceNodeId":"a","targetNodeId":"b","condition":{"type":"equals"}}`,
			``, "condition"},
		{"a trigger rule", definitions.NoopNode + "," + definitions.SecondNode, `{"id":"e","sourceNodeId":"a","targetNodeId":"b","triggerRule":"any_failed"}`,
			``, "trigger rule"},
		{"a variable twice", definitions.NoopNode, ``, `{"name":"v","type":"string"},{"name":"v","type":"string"}`, "declared twice"},
		{"a sensitive variable", definitions.NoopNode, ``, `{"name":"v","type":"string","sensitive":true}`, "sensitive"},
		{"an expression", `{"id":"a","typeId":"core.identity","config":{},"inputs":{"x":{"type":"expression","expression":"1+1"}}}`, ``,
			``, "expressions"},
		{"a connection from nowhere",
			`{"id":"a","typeId":"core.identity","config":{},"inputs":{"x":{"type":"connection","nodeId":"q","outputKey":"o"}}}`, ``, ``,
			"does not exist"},
		{"two supervisors", loop + `,{"id":"s2","typeId":"core.orchestrator.supervisor","config":{},"inputs":{}}`, definitions.LoopEdges, ``,
			"second supervisor"},
		{"a supervisor without dispatch", definitions.SupervisorNode, ``, ``, "needs an edge"},
		{"a dispatch that does not come back", loop, `{"id":"e1","sourceNodeId":"s","targetNodeId":"d"}`, ``, "needs an edge"},
		{"something behind the loop", loop + "," + definitions.NoopNode, definitions.LoopEdges + `,{"id":"e","sourceNodeId":"s","targetNodeId":"a"}`, ``,
			"one core.dispatch node only"},
		{"something behind the dispatch", loop + "," + definitions.NoopNode, definitions.LoopEdges + `,{"id":"e","sourceNodeId":"d","targetNodeId":"a"}`, ``,
			"its supervisor only"},
		{"something that dispatches too", loop + "," + definitions.NoopNode, definitions.LoopEdges + `,{"id":"e","sourceNodeId":"a","targetNodeId":"d"}`, ``,
			"its supervisor only"},
		{"a disabled supervisor", `{"id":"s","typeId":"core.orchestrator.supervisor","config":{},"inputs":{},"disabled":true},` +
			definitions.DispatchNode, definitions.LoopEdges, ``, "disabled"},
		{"a disabled dispatch", definitions.SupervisorNode + `,{"id":"d","typeId":"core.dispatch","config":{},"inputs":{},"disabled":true}`,
			definitions.LoopEdges, ``, "disabled"},
		{"a config nobody knows", `{"id":"s","typeId":"core.orchestrator.supervisor","config":{"model":"x"},"inputs":{}},` +
			definitions.DispatchNode, definitions.LoopEdges, ``, "config.model"},
		{"a confidence that is none", `{"id":"s","typeId":"core.orchestrator.supervisor","config":{"mockConfidence":2},"inputs":{}},` +
			definitions.DispatchNode, definitions.LoopEdges, ``, "mockConfidence"},
		{"notes in no variable", definitions.Supervised(`"mockNotes":"v"`), definitions.LoopEdges, ``, "config.mockNotes must name"},
		{"notes in a string", definitions.Supervised(`"mockNotes":"v"`), definitions.LoopEdges, `{"name":"v","type":"string"}`, "config.mockNotes must name"},
		{"notes that have no name", definitions.Supervised(`"mockNotes":7`), definitions.LoopEdges, ``, "config.mockNotes must name"},
		{"notes among the answers", definitions.Supervised(`"mockNotes":"answer"`), definitions.LoopEdges, `{"name":"answer","type":"array"}`, "answers of people"},
		{"an answer schema that is none", definitions.Supervised(`"mockAnswerSchema":"string"`), definitions.LoopEdges, ``, "config.mockAnswerSchema must be"},
		{"an answer schema that is wrong", definitions.Supervised(`"mockAnswerSchema":{"type":"text"}`), definitions.LoopEdges, ``,
			"config.mockAnswerSchema is no JSON Schema"},
		{"an answer schema from elsewhere", definitions.Supervised(`"mockAnswerSchema":{"$ref":"https://example.com/s.json"}`), definitions.LoopEdges, ``,
			"config.mockAnswerSchema is no JSON Schema"},
		{"an answer schema with a pattern that is none", definitions.Supervised(`"mockAnswerSchema":{"pattern":"("}`), definitions.LoopEdges, ``,
			"config.mockAnswerSchema is no JSON Schema"},
		{"an agent id that is none",
			`{"id":"s","typeId":"core.orchestrator.supervisor","config":{},"inputs":{},"agent":{"agentId":"x"}},` + definitions.DispatchNode,
			definitions.LoopEdges, ``, "agentId"},
		{"an unknown dispatch setting", definitions.SupervisorNode + `,{"id":"d","typeId":"core.dispatch","config":{"x":1},"inputs":{}}`, definitions.LoopEdges,
			``, "config"},
		{"conversations", definitions.SupervisorNode +
			`,{"id":"d","typeId":"core.dispatch","config":{"askUserRouting":"conversation"},"inputs":{}}`, definitions.LoopEdges, ``, "askUserRouting"},
		{"an unknown routing", definitions.SupervisorNode + `,{"id":"d","typeId":"core.dispatch","config":{"askUserRouting":"x"},"inputs":{}}`,
			definitions.LoopEdges, ``, "askUserRouting"},
		{"an unknown fan-out", definitions.SupervisorNode + `,{"id":"d","typeId":"core.dispatch","config":{"fanOutPolicy":"parallel"},"inputs":{}}`,
			definitions.LoopEdges, ``, "fanOutPolicy"},
		{"an unknown model", definitions.SupervisorNode + `,{"id":"d","typeId":"core.dispatch","config":{"workerDispatchModel":"x"},"inputs":{}}`,
			definitions.LoopEdges, ``, "workerDispatchModel"},
		{"an iteration cap", definitions.SupervisorNode + `,{"id":"d","typeId":"core.dispatch","config":{"iterationCap":2},"inputs":{}}`, definitions.LoopEdges,
			``, "iterationCap"},
		{"a dispatch with inputs", definitions.SupervisorNode +
			`,{"id":"d","typeId":"core.dispatch","config":{},"inputs":{"x":{"type":"static","value":1}}}`, definitions.LoopEdges, ``, "mappings"},
	} {
		d := definitions.Define(t, c.nodes, c.edges, c.variables)
		_, err := Compile(d)
		if code(err) != codes.Validation || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	inactive := definitions.Define(t, definitions.NoopNode, "", "")
	inactive.Status = openwopv1.WorkflowDefinitionStatusDraft
	channels := definitions.Define(t, definitions.NoopNode, "", "")
	channels.Channels = map[string]openwopv1.ChannelDeclaration{"c": {Reducer: "replace"}}
	for _, d := range []openwopv1.WorkflowDefinition{inactive, channels} {
		if _, err := Compile(d); code(err) != codes.Validation {
			t.Errorf("%+v: %v", d, err)
		}
	}
	d := definitions.Define(t, `{"id":"a","typeId":"vendor.x.y","config":{},"inputs":{}}`, "", "")
	_, err := Compile(d)
	said := refusal.In(err)
	if said == nil {
		t.Fatalf("got %v, want a refusal", err)
	}
	if details := said.Details; details["nodeId"] != "a" || details["offendingTypeId"] != "vendor.x.y" {
		t.Errorf("details are %v", details)
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
		d := definitions.Define(t, strings.Join(nodes, ","), strings.Join(c.edges, ","), "")
		p, err := Compile(d)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range p.Nodes {
			got = append(got, n.ID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v with %d edges stand as %v, want %v", c.nodes, len(c.edges), got, c.want)
		}
	}
}
