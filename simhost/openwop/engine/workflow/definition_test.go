package workflow

import (
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/internal/definitiontest"
	"github.com/openassay/assay/simhost/refusal"
)

func code(err error) string {
	if said := refusal.In(err); said != nil {
		return said.Code
	}
	return ""
}

func TestDefinitionsThatAreRefused(t *testing.T) {
	loop := definitiontest.SupervisorNode + "," + definitiontest.DispatchNode
	for _, c := range []struct {
		name, nodes, edges, variables string
		says                          string
	}{
		{"no node", ``, ``, ``, "has no node"},
		{"a type nobody knows", `{"id":"a","typeId":"vendor.x.y","config":{},"inputs":{}}`, ``, ``, "vendor.x.y"},
		{"the same node twice", definitiontest.NoopNode + "," + definitiontest.NoopNode, ``, ``, "twice"},
		{"an edge from nowhere", definitiontest.NoopNode, `{"id":"e","sourceNodeId":"x","targetNodeId":"a"}`, ``, "does not exist"},
		{"an edge to nowhere", definitiontest.NoopNode, `{"id":"e","sourceNodeId":"a","targetNodeId":"x"}`, ``, "does not exist"},
		{"a circle", definitiontest.NoopNode + "," + definitiontest.SecondNode,
			`{"id":"e","sourceNodeId":"a","targetNodeId":"b"},{"id":"f","sourceNodeId":"b","targetNodeId":"a"}`, ``, "waits for itself"},
		{"a condition", definitiontest.NoopNode + "," + definitiontest.SecondNode, `{"id":"e","sourceNodeId":"a","targetNodeId":"b","condition":{"type":"equals"}}`,
			``, "condition"},
		{"a trigger rule", definitiontest.NoopNode + "," + definitiontest.SecondNode, `{"id":"e","sourceNodeId":"a","targetNodeId":"b","triggerRule":"any_failed"}`,
			``, "trigger rule"},
		{"a variable twice", definitiontest.NoopNode, ``, `{"name":"v","type":"string"},{"name":"v","type":"string"}`, "declared twice"},
		{"a sensitive variable", definitiontest.NoopNode, ``, `{"name":"v","type":"string","sensitive":true}`, "sensitive"},
		{"an expression", `{"id":"a","typeId":"core.identity","config":{},"inputs":{"x":{"type":"expression","expression":"1+1"}}}`, ``,
			``, "expressions"},
		{"a connection from nowhere",
			`{"id":"a","typeId":"core.identity","config":{},"inputs":{"x":{"type":"connection","nodeId":"q","outputKey":"o"}}}`, ``, ``,
			"does not exist"},
		{"two supervisors", loop + `,{"id":"s2","typeId":"core.orchestrator.supervisor","config":{},"inputs":{}}`, definitiontest.LoopEdges, ``,
			"second supervisor"},
		{"a supervisor without dispatch", definitiontest.SupervisorNode, ``, ``, "needs an edge"},
		{"a dispatch that does not come back", loop, `{"id":"e1","sourceNodeId":"s","targetNodeId":"d"}`, ``, "needs an edge"},
		{"something behind the loop", loop + "," + definitiontest.NoopNode, definitiontest.LoopEdges + `,{"id":"e","sourceNodeId":"s","targetNodeId":"a"}`, ``,
			"one core.dispatch node only"},
		{"something behind the dispatch", loop + "," + definitiontest.NoopNode, definitiontest.LoopEdges + `,{"id":"e","sourceNodeId":"d","targetNodeId":"a"}`, ``,
			"its supervisor only"},
		{"something that dispatches too", loop + "," + definitiontest.NoopNode, definitiontest.LoopEdges + `,{"id":"e","sourceNodeId":"a","targetNodeId":"d"}`, ``,
			"its supervisor only"},
		{"a disabled supervisor", `{"id":"s","typeId":"core.orchestrator.supervisor","config":{},"inputs":{},"disabled":true},` +
			definitiontest.DispatchNode, definitiontest.LoopEdges, ``, "disabled"},
		{"a disabled dispatch", definitiontest.SupervisorNode + `,{"id":"d","typeId":"core.dispatch","config":{},"inputs":{},"disabled":true}`,
			definitiontest.LoopEdges, ``, "disabled"},
		{"a config nobody knows", `{"id":"s","typeId":"core.orchestrator.supervisor","config":{"model":"x"},"inputs":{}},` +
			definitiontest.DispatchNode, definitiontest.LoopEdges, ``, "config.model"},
		{"a confidence that is none", `{"id":"s","typeId":"core.orchestrator.supervisor","config":{"mockConfidence":2},"inputs":{}},` +
			definitiontest.DispatchNode, definitiontest.LoopEdges, ``, "mockConfidence"},
		{"notes in no variable", definitiontest.Supervised(`"mockNotes":"v"`), definitiontest.LoopEdges, ``, "config.mockNotes must name"},
		{"notes in a string", definitiontest.Supervised(`"mockNotes":"v"`), definitiontest.LoopEdges, `{"name":"v","type":"string"}`, "config.mockNotes must name"},
		{"notes that have no name", definitiontest.Supervised(`"mockNotes":7`), definitiontest.LoopEdges, ``, "config.mockNotes must name"},
		{"notes among the answers", definitiontest.Supervised(`"mockNotes":"answer"`), definitiontest.LoopEdges, `{"name":"answer","type":"array"}`, "answers of people"},
		{"an answer schema that is none", definitiontest.Supervised(`"mockAnswerSchema":"string"`), definitiontest.LoopEdges, ``, "config.mockAnswerSchema must be"},
		{"an answer schema that is wrong", definitiontest.Supervised(`"mockAnswerSchema":{"type":"text"}`), definitiontest.LoopEdges, ``,
			"config.mockAnswerSchema is no JSON Schema"},
		{"an answer schema from elsewhere", definitiontest.Supervised(`"mockAnswerSchema":{"$ref":"https://example.com/s.json"}`), definitiontest.LoopEdges, ``,
			"config.mockAnswerSchema is no JSON Schema"},
		{"an answer schema with a pattern that is none", definitiontest.Supervised(`"mockAnswerSchema":{"pattern":"("}`), definitiontest.LoopEdges, ``,
			"config.mockAnswerSchema is no JSON Schema"},
		{"an agent id that is none",
			`{"id":"s","typeId":"core.orchestrator.supervisor","config":{},"inputs":{},"agent":{"agentId":"x"}},` + definitiontest.DispatchNode,
			definitiontest.LoopEdges, ``, "agentId"},
		{"an unknown dispatch setting", definitiontest.SupervisorNode + `,{"id":"d","typeId":"core.dispatch","config":{"x":1},"inputs":{}}`, definitiontest.LoopEdges,
			``, "config"},
		{"conversations", definitiontest.SupervisorNode +
			`,{"id":"d","typeId":"core.dispatch","config":{"askUserRouting":"conversation"},"inputs":{}}`, definitiontest.LoopEdges, ``, "askUserRouting"},
		{"an unknown routing", definitiontest.SupervisorNode + `,{"id":"d","typeId":"core.dispatch","config":{"askUserRouting":"x"},"inputs":{}}`,
			definitiontest.LoopEdges, ``, "askUserRouting"},
		{"an unknown fan-out", definitiontest.SupervisorNode + `,{"id":"d","typeId":"core.dispatch","config":{"fanOutPolicy":"parallel"},"inputs":{}}`,
			definitiontest.LoopEdges, ``, "fanOutPolicy"},
		{"an unknown model", definitiontest.SupervisorNode + `,{"id":"d","typeId":"core.dispatch","config":{"workerDispatchModel":"x"},"inputs":{}}`,
			definitiontest.LoopEdges, ``, "workerDispatchModel"},
		{"an iteration cap", definitiontest.SupervisorNode + `,{"id":"d","typeId":"core.dispatch","config":{"iterationCap":2},"inputs":{}}`, definitiontest.LoopEdges,
			``, "iterationCap"},
		{"a dispatch with inputs", definitiontest.SupervisorNode +
			`,{"id":"d","typeId":"core.dispatch","config":{},"inputs":{"x":{"type":"static","value":1}}}`, definitiontest.LoopEdges, ``, "mappings"},
	} {
		d := definitiontest.Define(t, c.nodes, c.edges, c.variables)
		_, err := Compile(d)
		if code(err) != codes.Validation || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	inactive := definitiontest.Define(t, definitiontest.NoopNode, "", "")
	inactive.Status = openwopv1.WorkflowDefinitionStatusDraft
	channels := definitiontest.Define(t, definitiontest.NoopNode, "", "")
	channels.Channels = map[string]openwopv1.ChannelDeclaration{"c": {Reducer: "replace"}}
	for _, d := range []openwopv1.WorkflowDefinition{inactive, channels} {
		if _, err := Compile(d); code(err) != codes.Validation {
			t.Errorf("%+v: %v", d, err)
		}
	}
	d := definitiontest.Define(t, `{"id":"a","typeId":"vendor.x.y","config":{},"inputs":{}}`, "", "")
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
		d := definitiontest.Define(t, strings.Join(nodes, ","), strings.Join(c.edges, ","), "")
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
