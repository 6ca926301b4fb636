package live

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/internal/definitiontest"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

func TestNoSuchWorkflow(t *testing.T) {
	h := newHost(t)
	if _, err := h.Create(soon(t), Create{WorkflowID: "no-such"}); code(err) != codes.NotFound {
		t.Errorf("no such workflow: %v", err)
	}
}

// What a supervisor is to do may come with the inputs, so it is looked at when a run is made.
func TestPlansThatAreRefused(t *testing.T) {
	h := newHost(t)
	for _, c := range []struct{ name, nodes, edges, variables, says string }{
		{"reads that are none", definitiontest.Supervised(`"mockReads":[]`), definitiontest.LoopEdges, ``, "mockReads: must be an object"},
		{"writes that are none", definitiontest.Supervised(`"mockWrites":[[],[{"path":"a"}]]`), definitiontest.LoopEdges, ``, "mockWrites[1][0]: must"},
		{"a script that is none", `{"id":"s","typeId":"core.orchestrator.supervisor","config":{"mockDecisions":"x"},"inputs":{}},` +
			definitiontest.DispatchNode, definitiontest.LoopEdges, ``, "config.mockDecisions"},
		{"a wrong decision in a config",
			`{"id":"s","typeId":"core.orchestrator.supervisor","config":{"mockDecisions":[{"kind":"terminate"},{"kind":"clarify"}]},"inputs":{}},` + definitiontest.DispatchNode, definitiontest.LoopEdges, ``, "config.mockDecisions[1]"},
	} {
		d := definitiontest.Define(t, c.nodes, c.edges, c.variables)
		_, err := h.Create(soon(t), Create{Definition: &d})
		if code(err) != codes.Validation || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
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

func TestTheLoopRunsLast(t *testing.T) {
	d := definitiontest.Define(t, strings.Join([]string{definitiontest.SupervisorNode, definitiontest.DispatchNode,
		definitiontest.NoopNode, definitiontest.SecondNode}, ","),
		definitiontest.LoopEdges+`,{"id":"e","sourceNodeId":"b","targetNodeId":"s"}`, "")
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
	d := definitiontest.Define(t, definitiontest.NoopNode, "",
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
