package surface

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
)

// Every operation is asked once, and its reply holds the members that the contract lists and no other; checkReply looks at that here
// as it does in every test of this package.
func TestEveryOperationAnswersWhatTheContractLists(t *testing.T) {
	c := serve(t, Options{Version: HighestVersion})
	for _, k := range keyedCalls(c) {
		if got := k.send(c, k.body); got.status >= 300 {
			t.Fatalf("%s is answered %d %s", k.name, got.status, got.body)
		}
	}
	loop := c.create("conformance-multi-agent-handoff", map[string]any{"configurable": map[string]any{"maxLoopIterations": 4},
		"tags": []string{"a"}, "metadata": map[string]any{"b": 1}})
	c.until(loop, openwopv1.RunStatusCompleted)
	waits, goal := c.ask(), c.goal(`{"maxLoopIterations":2}`)
	run := "/v1/runs/" + loop
	for _, ask := range []struct{ method, path, body string }{
		{"GET", "/.well-known/openwop", ""},
		{"GET", "/v1/openapi.json", ""},
		{"GET", "/v1/workflows/conformance-multi-agent-handoff", ""},
		{"GET", run, ""},
		{"GET", "/v1/runs/" + waits.RunID, ""},
		{"GET", run + ":diff?against=" + loop, ""},
		{"GET", run + "/events/poll", ""},
		{"GET", run + "/ancestry", ""},
		{"GET", *waits.Interrupt.CallbackURL, ""},
		{"GET", "/v1/host/workspace/files", ""},
		{"GET", "/v1/host/workspace/files/new.md", ""},
		{"GET", goalsPath, ""},
		{"GET", goal, ""},
		{"POST", goal + "/tick", `{"verdict":{"satisfied":false,"confidence":0.5}}`},
		{"GET", goal + "/events", ""},
		{"POST", loopSeam, `{"turns":3,"suspendAtTurn":2,"resume":true,"workspaceWriteAtTurn":1,"maxLoopIterations":2}`},
		{"POST", "/v1/host/sample/workspace/op", `{"op":"put","tenant":"t","path":"a.md","content":"a"}`},
		{"POST", "/v1/host/sample/workspace/op", `{"op":"list","tenant":"t"}`},
		{"POST", "/v1/host/sample/workspace/op", `{"op":"delete","tenant":"t","path":"a.md"}`},
		{"POST", heartbeatSeam, `{"heartbeatId":"h","observedState":{"n":1}}`},
		{"POST", commitmentSeam, `{"commitmentId":"c"}`},
		{"POST", verifySeam, `{"simulateVerdict":"pass"}`},
		{"POST", keySeam, `{"provider":"p","model":"m","messages":[{"role":"user","content":"hi"}]}`},
		{"POST", mockSeam, `{"nodeId":"structured-call","program":[{"content":"{}","stopReason":"end_turn","mode":"envelope"}]}`},
	} {
		var body any
		if ask.body != "" {
			body = ask.body
		}
		if got := c.do(ask.method, ask.path, body); got.status >= 300 {
			t.Errorf("%s %s is answered %d %s", ask.method, ask.path, got.status, got.body)
		}
	}
	if events := c.list(loop).Events; len(events) == 0 {
		t.Error("the log as JSON is empty")
	}
	for _, f := range c.stream(loop, "streamMode=debug").rest() {
		f.events(t)
	}
	for _, op := range templates {
		heard := false
		judged.Range(func(at, _ any) bool {
			heard = heard || strings.HasPrefix(fmt.Sprint(at), op.method+" "+op.pointer+"/responses/2")
			return !heard
		})
		if !heard {
			t.Errorf("no reply of %s %s was looked at", op.method, op.path)
		}
	}
}

// What checkReply looks at is a contract that lets no other member through.
func TestTheContractOfTheTestsIsClosed(t *testing.T) {
	for component, reply := range map[string]string{
		"InterruptInspection":      `{"kind":"custom","key":"k","data":{},"expiresAt":"2026-11-03T12:00:00Z","resolved":false`,
		"ResolveInterruptResponse": `{"runId":"r","nodeId":"n","status":"running"`,
		"RunSnapshot":              `{"runId":"r","workflowId":"w","status":"running"`,
		"NodeCompletedPayload":     `{"nodeId":"n"`,
	} {
		schema := must(schemas.At("/components/schemas/" + component))
		if problems := schema.Validate([]byte(reply + `}`)); len(problems) > 0 {
			t.Errorf("%s: %v", component, problems)
		}
		problems := schema.Validate([]byte(reply + `,"more":1}`))
		if len(problems) != 1 || !strings.Contains(problems[0].Keyword, "additionalProperties") {
			t.Errorf("%s with another member: %v", component, problems)
		}
	}
}
