package live

import (
	"fmt"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/internal/definitiontest"
	"github.com/openassay/assay/simhost/openwop/engine/state"
)

func completed(t testing.TB, s openwopv1.RunSnapshot, node string) map[string]any {
	t.Helper()
	view, ok := s.NodeStates[node].(state.NodeView)
	if !ok || view.Status != state.NodeCompleted {
		t.Fatalf("node %s is %+v, error %v", node, view, s.Error)
	}
	return view.Outputs
}

func TestIdentityAndPorts(t *testing.T) {
	h := newHost(t)
	d := definitiontest.Define(t,
		`{"id":"a","typeId":"core.identity","config":{},"inputs":{"v":{"type":"variable","variableName":"x"},"s":{"type":"static","value":[1]},"o":{"type":"variable","variableName":"unset","optional":true}}},
		 {"id":"b","typeId":"core.identity","config":{},"inputs":{"in":{"type":"connection","nodeId":"a","outputKey":"v"},"no":{"type":"connection","nodeId":"a","outputKey":"o","optional":true}}},
		 {"id":"c","typeId":"core.identity","config":{},"inputs":{}},
		 {"id":"d","typeId":"core.identity","config":{},"inputs":{"own":{"type":"static","value":null}}}`,
		`{"id":"1","sourceNodeId":"a","targetNodeId":"b"},{"id":"2","sourceNodeId":"b","targetNodeId":"c"},{"id":"3","sourceNodeId":"b","sourceOutput":"in","targetNodeId":"d","targetInput":"wired"}`,
		`{"name":"x","type":"string","defaultValue":"default"},{"name":"unset","type":"string"}`)
	s := h.create(Create{Definition: &d, Inputs: map[string]any{"x": "given", "extra": 7.0}})
	for node, want := range map[string]string{
		"a": "map[s:[1] v:given]", "b": "map[in:given]", "c": "map[extra:7 x:given]", "d": "map[own:<nil> wired:given]",
	} {
		if got := fmt.Sprint(completed(t, s, node)); got != want {
			t.Errorf("outputs of %s are %s, want %s", node, got, want)
		}
	}
	events := h.events(s.RunID)
	done := parse[event.RunCompletedPayload](t, string(events[len(events)-1].Payload))
	if got := fmt.Sprint(done.Outputs); got != "map[extra:7 own:<nil> wired:given x:given]" {
		t.Errorf("the run's outputs are %s", got)
	}
	if got := fmt.Sprint(s.Inputs); got != "map[extra:7 x:given]" {
		t.Errorf("the inputs are %s", got)
	}
	h.restart()
	if again := h.snapshot(s.RunID); fmt.Sprint(again.NodeStates) != fmt.Sprint(s.NodeStates) ||
		fmt.Sprint(again.Variables) != fmt.Sprint(s.Variables) {
		t.Errorf("after a restart: %v, %v", again.NodeStates, again.Variables)
	}
}

func TestNodesThatFail(t *testing.T) {
	for _, c := range []struct{ name, node, code string }{
		{"as configured", `{"id":"a","typeId":"core.fail","config":{"code":"no_luck","message":"none"},"inputs":{}}`, "no_luck"},
		{"without configuration", `{"id":"a","typeId":"core.fail","config":{},"inputs":{}}`, codes.NodeFailed},
		{"an input without value",
			`{"id":"a","typeId":"core.identity","config":{},"inputs":{"x":{"type":"variable","variableName":"y"}}}`, codes.Input},
		{"a dispatch without supervisor", `{"id":"a","typeId":"core.dispatch","config":{},"inputs":{}}`, codes.NoDecision},
		{"a delay without length", `{"id":"a","typeId":"core.delay","config":{},"inputs":{}}`, codes.Delay},
		{"a negative delay", `{"id":"a","typeId":"core.delay","config":{"delayMs":-1},"inputs":{}}`, codes.Delay},
		{"an endless delay", `{"id":"a","typeId":"core.delay","config":{"delayMs":1e300},"inputs":{}}`, codes.Delay},
		{"a delay in words", `{"id":"a","typeId":"core.delay","config":{"delayMs":"1s"},"inputs":{}}`, codes.Delay},
	} {
		h := newHost(t)
		d := definitiontest.Define(t, c.node+","+definitiontest.SecondNode, `{"id":"1","sourceNodeId":"a","targetNodeId":"b"}`, "")
		s := h.create(Create{Definition: &d})
		expectStory(t, h.events(s.RunID), "0 run.started", "1 node.started @a", "2 node.failed @a "+c.code, "3 run.failed "+c.code+" <-2")
		expectLawful(t, s, h.events(s.RunID), 5)
		if s.Error == nil || s.Error.Code != c.code || s.NodeStates["b"].(state.NodeView).Status != state.NodePending {
			t.Errorf("%s: %v, %v", c.name, s.Error, s.NodeStates)
		}
	}
}

func TestDisabledNodesAreSkipped(t *testing.T) {
	h := newHost(t)
	d := definitiontest.Define(t, `{"id":"a","typeId":"core.fail","config":{},"inputs":{},"disabled":true},`+definitiontest.SecondNode,
		`{"id":"1","sourceNodeId":"a","targetNodeId":"b"}`, "")
	s := h.create(Create{Definition: &d})
	expectStory(t, h.events(s.RunID), "0 run.started", "1 node.skipped @a", "2 node.started @b", "3 node.completed @b", "4 run.completed")
}

func TestDelays(t *testing.T) {
	for _, node := range []string{
		`{"id":"a","typeId":"core.delay","config":{"delayMs":250},"inputs":{}}`,
		`{"id":"a","typeId":"core.delay","config":{"durationMs":250},"inputs":{}}`,
		`{"id":"a","typeId":"core.delay","config":{"delayMs":9999},"inputs":{"delayMs":{"type":"static","value":250}}}`,
	} {
		h := newHost(t)
		d := definitiontest.Define(t, node, "", "")
		id := h.begin(Create{Definition: &d})
		h.clock.Advance(249 * time.Millisecond)
		if s := h.snapshot(id); s.Status != openwopv1.RunStatusRunning {
			t.Errorf("1 ms early the run is %s", s.Status)
		}
		h.clock.Advance(time.Millisecond)
		if s := h.settled(id); s.Status != openwopv1.RunStatusCompleted || s.CompletedAt.Sub(s.StartedAt) != 250*time.Millisecond {
			t.Errorf("the run is %s after %v", s.Status, s.CompletedAt.Sub(s.StartedAt))
		}
	}
	h := newHost(t)
	d := definitiontest.Define(t, `{"id":"a","typeId":"core.delay","config":{"delayMs":0},"inputs":{}}`, "", "")
	if s := h.create(Create{Definition: &d}); s.Status != openwopv1.RunStatusCompleted {
		t.Errorf("a delay of nothing leaves the run %s", s.Status)
	}
}

func TestDelaySurvivesARestart(t *testing.T) {
	h := newHost(t)
	id := h.begin(Create{WorkflowID: "conformance-delay", Inputs: map[string]any{"delayMs": 1000.0}})
	h.clock.Advance(600 * time.Millisecond)
	h.restart()
	h.clock.Advance(400 * time.Millisecond)
	if s := h.settled(id); s.CompletedAt.Sub(s.StartedAt) != time.Second {
		t.Errorf("it took %v", s.CompletedAt.Sub(s.StartedAt))
	}
	id = h.begin(Create{WorkflowID: "conformance-delay", Inputs: map[string]any{"delayMs": 1000.0}})
	h.Close()
	h.clock.Advance(time.Hour)
	h.start()
	if s := h.settled(id); s.Status != openwopv1.RunStatusCompleted {
		t.Errorf("a delay that passed while the host was down leaves the run %s", s.Status)
	}
}
