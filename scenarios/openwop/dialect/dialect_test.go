package dialect_test

import (
	"encoding/json"
	"testing"

	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/dialect/dialecttest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestSay(t *testing.T) {
	asked := wire.Call{Operation: dialect.PollLog.Of("a/b").With("timeout", "1").With("x", "y&z"),
		Header: map[string]string{dialect.IdempotencyKey: "k"}}
	for d, want := range map[*dialect.Dialect]string{
		dialect.V1:        "GET /v1/runs/a%2Fb/events/poll?timeout=1&x=y%26z Idempotency-Key",
		dialecttest.Other: "GET /api/execution/id=a%2Fb/log?timeout=1&x=y%26z Once-Key",
	} {
		call, err := d.Say(asked)
		if err != nil {
			t.Fatal(err)
		}
		got := call.Method + " " + call.Path
		for name := range call.Header {
			got += " " + name
		}
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for name, op := range map[string]wire.Operation{
		"too few ids": dialect.AnswerNode.Of("run"), "too many ids": dialect.ReadRun.Of("run", "node"), "no operation": {Name: "fly"},
	} {
		if call, err := dialect.V1.Say(wire.Call{Operation: op}); err == nil {
			t.Errorf("%s: %s %s", name, call.Method, call.Path)
		}
	}
}

func TestOptionsMove(t *testing.T) {
	turns := int64(3)
	body := dialect.CreateRunRequest{WorkflowID: "w", Configurable: &dialect.Configurable{MaxLoopIterations: &turns, RunTimeoutMs: &turns}}
	for d, want := range map[*dialect.Dialect]string{
		dialect.V1:        `{"configurable":{"maxLoopIterations":3,"runTimeoutMs":3},"workflowId":"w"}`,
		dialecttest.Other: `{"run":{"limits":{"time":{"ms":3},"turns":3}},"workflowId":"w"}`,
	} {
		call, err := d.Say(wire.Call{Operation: dialect.CreateRun.Of(), Body: body})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(call.Body)
		if err != nil {
			t.Fatal(err)
		}
		var got any
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		if sorted, _ := json.Marshal(got); string(sorted) != want {
			t.Errorf("got %s, want %s", sorted, want)
		}
		if odd, err := d.Say(wire.Call{Operation: dialect.CreateRun.Of(), Body: []byte("no JSON")}); err != nil ||
			string(odd.Body.([]byte)) != "no JSON" {
			t.Errorf("what is no JSON goes out as %v, %v", odd.Body, err)
		}
	}
}

func TestSpell(t *testing.T) {
	const text = "serve {cancel run}, {read run:childRunId} and {use seam:heartbeat/tick} {observedState: random} of {no operation}"
	want := "serve POST /v1/runs/{runId}/cancel, GET /v1/runs/{childRunId} and POST {prefix}/heartbeat/tick {observedState: " +
		"random} of {no operation}"
	if got := dialect.V1.Spell(text); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A check expects the words of the version under test, and rejects those of another.
func TestWordsAreThoseOfTheTarget(t *testing.T) {
	said := func(d wire.Speech, word string) wire.Value {
		transcript := wiretest.Transcript(t, "d", wiretest.Reply{Status: 200, Body: map[string]any{"type": word, "error": word}})
		transcript.Speech = d
		return wiretest.At(t, transcript, wire.Ref{Exchange: 1})
	}
	for _, c := range []struct {
		of     *dialect.Dialect
		word   string
		breach bool
	}{
		{dialect.V1, "cap.breached", true}, {dialect.V1, "CAP/BREACHED", false},
		{dialecttest.Other, "CAP/BREACHED", true}, {dialecttest.Other, "cap.breached", false},
	} {
		v := said(c.of, c.word)
		var tally check.Tally
		if got := tally.Check("X", v.Key("type")).To(dialect.Type(dialect.Breached)); got != c.breach {
			t.Errorf("%s is cap.breached: %v, want %v", c.word, got, c.breach)
		}
		if got := tally.Check("X", wire.Values{v.Key("type")}).To(dialect.Types(dialect.Breached)); got != c.breach {
			t.Errorf("[%s] are the types of [cap.breached]: %v, want %v", c.word, got, c.breach)
		}
		if got := dialect.EventOf(v) == dialect.Breached; got != c.breach {
			t.Errorf("%s names cap.breached: %v, want %v", c.word, got, c.breach)
		}
	}
	refused := said(dialecttest.Other, "RUN_TIMEOUT")
	if dialect.CodeOf(refused.Key("error")) != dialect.RunTimeout ||
		dialect.CodeOf(said(dialecttest.Other, "run_timeout").Key("error")) != "" {
		t.Error("a code is read in the words of another version")
	}
	if ok, err := dialect.Type(dialect.Breached).Match(said(dialecttest.Other, "CAP/BREACHED").Key("type")); err != nil || !ok {
		t.Errorf("Expect: %v, %v", ok, err)
	}
}
