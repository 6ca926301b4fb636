package surface

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/clock"
)

// Idempotency keys belong to every operation that changes something (idempotency.md); seams are no operations of the protocol.
func TestEveryOperationThatChangesSomethingTakesAKey(t *testing.T) {
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string   `json:"operationId"`
			Tags        []string `json:"tags"`
			Parameters  []struct {
				Ref string `json:"$ref"`
			} `json:"parameters"`
			Responses map[string]struct {
				Headers map[string]any `json:"headers"`
			} `json:"responses"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(openwopv1.Bundled(), &doc); err != nil {
		t.Fatal(err)
	}
	keyed := 0
	for _, item := range doc.Paths {
		for method, op := range item {
			if method == "get" || slices.Contains(op.Tags, "seams") {
				continue
			}
			keyed++
			takes := false
			for _, p := range op.Parameters {
				takes = takes || strings.HasSuffix(p.Ref, "/IdempotencyKey")
			}
			if _, conflicts := op.Responses["409"]; !takes || !conflicts {
				t.Errorf("%s takes a key: %v, can refuse one: %v", op.OperationID, takes, conflicts)
			}
			for status, response := range op.Responses {
				if _, says := response.Headers[headerReplay]; says != strings.HasPrefix(status, "2") {
					t.Errorf("%s: %s declares %s: %v", op.OperationID, status, headerReplay, says)
				}
			}
		}
	}
	if keyed < 14 {
		t.Errorf("only %d operations change something", keyed)
	}
}

// keyedCall is an operation that is asked for under a key.
type keyedCall struct {
	name, method, path string
	body, other        any // nil where it takes none
	anonymous          bool
}

func (k keyedCall) send(c *client, body any) reply {
	headers := []header{key("k")}
	if k.anonymous {
		headers = append(headers, nobody)
	}
	return c.do(k.method, k.path, body, headers...)
}

// keyedCalls prepares what the operations need, each something of its own.
func keyedCalls(c *client) []keyedCall {
	byNode, byToken, cancelled, paused, resumed, listed := c.ask(), c.ask(), c.ask(), c.ask(), c.ask(), c.ask()
	c.do("POST", "/v1/runs/"+resumed.RunID+":pause", nil).want(http.StatusAccepted)
	forked := c.settledNoop(c.do("POST", "/v1/runs", noop).want(http.StatusCreated))
	edited, halted, rearmed, dropped := c.goal(`{"maxLoopIterations":2}`), c.goal(`{"maxLoopIterations":2}`),
		c.goal(`{"maxLoopIterations":2}`), c.goal(`{"maxLoopIterations":2}`)
	c.do("POST", rearmed+"/pause", nil).want(http.StatusOK)
	c.putFile("written.md", "before")
	c.putFile("deleted.md", "before")
	const (
		files  = "/v1/host/workspace/files/"
		goal   = `{"objective":"o","completion":{"check":"host"},"continuation":{"mode":"manual"},"bounds":{"maxLoopIterations":2}}`
		answer = `{"resumeValue":{"answers":{"q1":"no"}}}`
	)
	return []keyedCall{
		{name: "createRun", method: "POST", path: "/v1/runs", body: noop, other: `{"workflowId":"assay-loop"}`},
		{name: "cancelRun", method: "POST", path: "/v1/runs/" + cancelled.RunID + "/cancel", body: `{"reason":"a"}`, other: `{"reason":"b"}`},
		{name: "pauseRun", method: "POST", path: "/v1/runs/" + paused.RunID + ":pause", body: `{"reason":"a"}`, other: `{"reason":"b"}`},
		{name: "resumeRun", method: "POST", path: "/v1/runs/" + resumed.RunID + ":resume"},
		{name: "bulkCancelRuns", method: "POST", path: "/v1/runs:bulk-cancel", body: `{"runIds":["` + listed.RunID + `"]}`,
			other: `{"runIds":["` + paused.RunID + `"]}`},
		{name: "forkRun", method: "POST", path: "/v1/runs/" + forked + ":fork", body: `{"mode":"replay"}`, other: `{"mode":"branch","fromSeq":1}`},
		{name: "resolveInterruptByRun", method: "POST", path: "/v1/runs/" + byNode.RunID + "/interrupts/" + *byNode.CurrentNodeID,
			body: askUserAnswer, other: answer},
		{name: "resolveInterruptByToken", method: "POST", path: *byToken.Interrupt.CallbackURL, body: askUserAnswer, other: answer,
			anonymous: true},
		{name: "putWorkspaceFile, new", method: "PUT", path: files + "new.md", body: `{"content":"a"}`, other: `{"content":"b"}`},
		{name: "putWorkspaceFile", method: "PUT", path: files + "written.md", body: `{"content":"a"}`, other: `{"content":"b"}`},
		{name: "deleteWorkspaceFile", method: "DELETE", path: files + "deleted.md"},
		{name: "createGoal", method: "POST", path: "/v1/host/sample/goals", body: goal, other: strings.Replace(goal, `"o"`, `"p"`, 1)},
		{name: "editGoal", method: "PATCH", path: edited, body: `{"objective":"a"}`, other: `{"objective":"b"}`},
		{name: "pauseGoal", method: "POST", path: halted + "/pause"},
		{name: "resumeGoal", method: "POST", path: rearmed + "/resume"},
		{name: "abandonGoal", method: "POST", path: dropped + "/abandon"},
	}
}

// What is asked for again under its key happens once and is answered as before, also by the next process; another body is refused.
func TestAKeyCountsOnEveryOperation(t *testing.T) {
	dir := t.TempDir()
	c := serve(t, Options{DataDir: dir, Clock: clock.NewManual(noon)})
	calls := keyedCalls(c)
	firsts := make([]reply, len(calls))
	again := func(c *client) {
		for i, k := range calls {
			sameReply(t, firsts[i], k.send(c, k.body))
			if k.other != nil {
				k.send(c, k.other).wantError(http.StatusConflict, "idempotency_key_mismatch")
			}
		}
		for path, version := range map[string]int64{"new.md": 1, "written.md": 2} {
			if f := c.file(path); f.Version != version || f.Content != "a" {
				t.Errorf("%s is at version %d with %q, want version %d", path, f.Version, f.Content, version)
			}
		}
	}
	for i, k := range calls {
		if firsts[i] = k.send(c, k.body); firsts[i].status >= 300 {
			t.Fatalf("%s is answered %d %s", k.name, firsts[i].status, firsts[i].body)
		}
	}
	again(c)
	// A file that somebody made since is not deleted by what is only said again.
	c.putFile("deleted.md", "after")
	again(c)
	c.stop()
	c = serve(t, Options{DataDir: dir, Clock: clock.NewManual(noon)})
	again(c)
	if f := c.file("deleted.md"); f.Content != "after" {
		t.Errorf("the file has %q", f.Content)
	}
}

// A crash after a file was written, or deleted, and before that was answered: the retry writes nothing more.
func TestACrashBetweenAFileAndItsAnswerWritesOnce(t *testing.T) {
	dir := t.TempDir()
	const path = "/v1/host/workspace/files/a.md"
	c := serve(t, Options{DataDir: dir})
	put := c.do("PUT", path, `{"content":"a"}`, key("k")).want(http.StatusOK)
	c.stop()
	forgetOutcome(t, dir, keyLog(DefaultTenant, "PUT "+path, "k"), false)
	c = serve(t, Options{DataDir: dir})
	if got := c.do("PUT", path, `{"content":"a"}`, key("k")).want(http.StatusOK); string(got.body) != string(put.body) {
		t.Errorf("the retry is answered %s, and the first was %s", got.body, put.body)
	}
	c.do("DELETE", path, nil, key("k")).want(http.StatusNoContent)
	c.putFile("a.md", "since")
	c.stop()
	forgetOutcome(t, dir, keyLog(DefaultTenant, "DELETE "+path, "k"), false)
	c = serve(t, Options{DataDir: dir})
	c.do("DELETE", path, nil, key("k")).want(http.StatusNoContent)
	if f := c.file("a.md"); f.Version != 3 || f.Content != "since" {
		t.Errorf("the file is at version %d with %q", f.Version, f.Content)
	}
}

// The key that comes beside a token says whose Idempotency-Key it is: nobody gets the answer to another one's vote.
func TestKeysBesideATokenAreOfWhoSendsThem(t *testing.T) {
	c := serve(t, Options{Voters: map[string]string{"ann": "key-of-ann", "bob": "key-of-bob"}})
	s := c.gate("assay-quorum", `{"requiredApprovals":2}`, openwopv1.RunStatusWaitingApproval)
	for _, who := range []string{"key-of-ann", "key-of-bob"} {
		got := c.do("POST", *s.Interrupt.CallbackURL, `{"resumeValue":{"action":"accept"}}`, key("k"), nobody,
			header{"Authorization", "Bearer " + who}).want(http.StatusOK)
		if got.header.Get(headerReplay) != "" {
			t.Errorf("%s gets the answer to another one's vote", who)
		}
	}
	c.until(s.RunID, openwopv1.RunStatusCompleted)
}

// A crash after an answer was taken, and before that was said: the retry is told so, and anybody else that they are too late.
func TestACrashBetweenAnAnswerAndItsReplyTakesItOnce(t *testing.T) {
	dir := t.TempDir()
	c := serve(t, Options{DataDir: dir})
	run, token := c.ask(), c.ask()
	node := byNode(run)
	calls := []keyedCall{{method: "POST", path: node}, {method: "POST", path: *token.Interrupt.CallbackURL, anonymous: true}}
	for _, k := range calls {
		k.send(c, askUserAnswer).want(http.StatusOK)
	}
	c.until(run.RunID, openwopv1.RunStatusCompleted)
	c.until(token.RunID, openwopv1.RunStatusCompleted)
	c.stop()
	forgetOutcome(t, dir, keyLog(DefaultTenant, "POST "+node, "k"), false)
	forgetOutcome(t, dir, keyLog("", "POST "+*token.Interrupt.CallbackURL, "k"), false)
	c = serve(t, Options{DataDir: dir})
	for _, k := range calls {
		k.send(c, `{"resumeValue":{"answers":{"q1":"another"}}}`).wantError(http.StatusConflict, "idempotency_key_mismatch")
		c.do("POST", k.path, askUserAnswer).wantError(http.StatusConflict, "interrupt_already_resolved")
		k.send(c, askUserAnswer).want(http.StatusOK)
		if again := k.send(c, askUserAnswer).want(http.StatusOK); again.header.Get(headerReplay) != "true" {
			t.Errorf("%s: the retry is not the answer from then on", k.path)
		}
	}
}
