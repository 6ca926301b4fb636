package live

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/statetest"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

const askedTwice = `[{"kind":"ask-user","prompt":"a?"},{"kind":"ask-user","prompt":"b?"},{"kind":"terminate"}]`

func TestResolveByInterrupt(t *testing.T) {
	h := newHost(t)
	s := h.create(Create{WorkflowID: "assay-loop", Inputs: plan(t, askedTwice)})
	first := *s.Interrupt.InterruptID
	other := h.create(Create{WorkflowID: "assay-loop", Inputs: plan(t, askedTwice)})
	expect := func(id, value, want string) {
		t.Helper()
		before := len(h.events(s.RunID))
		_, err := h.ResolveInterrupt(soon(t), s.RunID, id, json.RawMessage(value))
		refused := refusalOf(err)
		if refused == nil || refused.Code != want || len(h.events(s.RunID)) != before {
			t.Errorf("resolve %s: %v, want %s", id, err, want)
		} else if want != codes.Validation && (refused.Details["interruptId"] != id || refused.Details["runId"] != s.RunID) {
			t.Errorf("details are %v", refused.Details)
		}
	}
	expect("int-nothing", yes, codes.InterruptNotFound)
	expect("", yes, codes.InterruptNotFound)
	expect(*other.Interrupt.InterruptID, yes, codes.InterruptNotFound)
	expect(first, `{}`, codes.Validation)
	after, err := h.ResolveInterrupt(soon(t), s.RunID, first, json.RawMessage(yes))
	if err != nil || after.RunID != s.RunID {
		t.Fatal(after.RunID, err)
	}
	s = h.settled(s.RunID)
	second := *s.Interrupt.InterruptID
	// Its node waits again, but not for this.
	expect(first, yes, codes.InterruptResolved)
	if _, err := h.Cancel(soon(t), s.RunID, ""); err != nil {
		t.Fatal(err)
	}
	expect(first, yes, codes.InterruptResolved)
	expect(second, yes, codes.InterruptGone)
	h.restart()
	expect(first, yes, codes.InterruptResolved)
	expect(second, yes, codes.InterruptGone)
	if _, err := h.ResolveInterrupt(soon(t), "run-aaaaaaaaaaaaaaaaaaaaaaaaaa", first, json.RawMessage(yes)); code(err) != codes.NotFound {
		t.Errorf("no such run: %v", err)
	}
	if s := h.snapshot(other.RunID); s.Status != openwopv1.RunStatusWaitingInput {
		t.Errorf("the other run is %s", s.Status)
	}
}

func TestInterrupts(t *testing.T) {
	h := newHost(t)
	s := h.create(Create{WorkflowID: "assay-loop", Inputs: plan(t, askedTwice)})
	expect := func(asked *openwopv1.PendingInterrupt, at time.Duration, resolved, gone bool) {
		t.Helper()
		i, err := h.Interrupt(soon(t), s.RunID, *asked.InterruptID)
		if err != nil {
			t.Fatal(err)
		}
		want := state.Interrupt{
			ID: *asked.InterruptID, NodeID: "supervisor", Kind: event.Clarification, Key: *asked.Key,
			RequestedAt: epoch.Add(at), Resolved: resolved, Gone: gone,
		}
		if string(i.Data) != string(asked.Data) || len(i.Data) == 0 {
			t.Errorf("it asks %s, the snapshot %s", i.Data, asked.Data)
		}
		if i.Data = nil; !equalInterrupts(i, want) {
			t.Errorf("the interrupt is %+v, want %+v", i, want)
		}
	}
	first := s.Interrupt
	expect(first, 0, false, false)
	h.clock.Advance(time.Minute)
	s = h.resolve(s.RunID, yes)
	second := s.Interrupt
	expect(first, 0, true, false)
	expect(second, time.Minute, false, false)
	h.restart()
	expect(first, 0, true, false)
	expect(second, time.Minute, false, false)
	if _, err := h.Cancel(soon(t), s.RunID, ""); err != nil {
		t.Fatal(err)
	}
	expect(first, 0, true, false)
	expect(second, time.Minute, false, true)
	for id, want := range map[string]string{"int-nothing": codes.InterruptNotFound, *second.InterruptID: codes.NotFound} {
		run := s.RunID
		if want == codes.NotFound {
			run = "run-aaaaaaaaaaaaaaaaaaaaaaaaaa"
		}
		if _, err := h.Interrupt(soon(t), run, id); code(err) != want {
			t.Errorf("%s of %s: %v, want %s", id, run, err, want)
		}
	}
}

func equalInterrupts(a, b state.Interrupt) bool {
	return a.ID == b.ID && a.NodeID == b.NodeID && a.Kind == b.Kind && a.Key == b.Key && a.RequestedAt.Equal(b.RequestedAt) &&
		a.Resolved == b.Resolved && a.Gone == b.Gone
}

// A fork raises its source's interrupts under their ids, and each is resolved for itself.
func TestInterruptsOfAFork(t *testing.T) {
	h := newHost(t)
	s := h.create(Create{WorkflowID: "assay-loop", Inputs: plan(t, askedTwice)})
	id := *s.Interrupt.InterruptID
	f, err := h.Fork(soon(t), s.RunID, Fork{Mode: "replay"})
	if err != nil {
		t.Fatal(err)
	}
	if *f.Snapshot.Interrupt.InterruptID != id {
		t.Errorf("the fork asks %s, its source %s", *f.Snapshot.Interrupt.InterruptID, id)
	}
	if _, err := h.ResolveInterrupt(soon(t), f.RunID, id, json.RawMessage(yes)); err != nil {
		t.Fatal(err)
	}
	for run, want := range map[string]bool{s.RunID: false, f.RunID: true} {
		if i, err := h.Interrupt(soon(t), run, id); err != nil || i.Resolved != want {
			t.Errorf("run %s: %+v, %v", run, i, err)
		}
	}
}

// answering is a run that asks once, with this schema for the answer.
func answering(t *testing.T, schema string) (*host, openwopv1.RunSnapshot) {
	t.Helper()
	d := fixtures(t)["assay-loop-ask-user"]
	d.Nodes[0].Config = map[string]any{workflow.KeyAnswer: parse[any](t, schema)}
	h := newHost(t)
	return h, h.create(Create{Definition: &d, Inputs: plan(t, askedOnce)})
}

func TestAnswerSchema(t *testing.T) {
	for _, c := range []struct{ schema, answer, refused string }{
		{`{"type":"boolean"}`, `true`, `"true"`},
		{`{"enum":["red","blue"]}`, `"blue"`, `"green"`},
		{`{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer"}}}`, `{"a":1}`, `{"a":"1"}`},
		{`{"type":["string","null"]}`, `null`, `1`},
		{`{}`, `[{"any":1}]`, ``},
	} {
		h, s := answering(t, c.schema)
		asked := parse[openwopv1.ClarificationData](t, string(s.Interrupt.Data))
		shown, err := json.Marshal(asked.Questions[0].Schema)
		if err != nil || c.schema != `{}` && string(shown) == `null` {
			t.Errorf("%s is shown as %s, %v", c.schema, shown, err)
		}
		before := story(h.events(s.RunID))
		if c.refused != "" {
			for _, form := range []string{`{"answers":{"q1":` + c.refused + `}}`, `{"answers":[{"id":"q1","answer":` + c.refused + `}]}`} {
				_, err := h.Resolve(soon(t), s.RunID, "supervisor", json.RawMessage(form))
				refused := refusalOf(err)
				if refused == nil || refused.Code != codes.Validation || refused.Details["field"] != "resumeValue.answers.q1" {
					t.Errorf("%s takes %s: %v", c.schema, form, err)
				}
			}
		}
		if after := story(h.events(s.RunID)); !slices.Equal(before, after) {
			t.Errorf("%s: a refused answer changed the log: %v", c.schema, after)
		}
		s = h.resolve(s.RunID, `{"answers":{"q1":`+c.answer+`}}`)
		expectLawful(t, s, h.events(s.RunID), 5)
		got, err := json.Marshal(s.Variables["answer"])
		if err != nil || string(got) != c.answer || s.Status != openwopv1.RunStatusCompleted {
			t.Errorf("%s: the answer is %s, the run %s, %v", c.schema, got, s.Status, err)
		}
	}
}

func TestThePlainAnswerSchema(t *testing.T) {
	h := newHost(t)
	for _, workflow := range []string{"assay-loop-ask-user", "conformance-multi-agent-confidence-escalation"} {
		s := h.create(Create{WorkflowID: workflow})
		if want := `"schema":{"maxLength":8192,"minLength":1,"type":"string"}`; !strings.Contains(string(s.Interrupt.Data), want) {
			t.Errorf("%s asks %s", workflow, s.Interrupt.Data)
		}
		for _, answer := range []string{`1`, `""`, `{"a":1}`, `"` + strings.Repeat("x", 8193) + `"`} {
			_, err := h.Resolve(soon(t), s.RunID, "supervisor", json.RawMessage(`{"answers":{"q1":`+answer+`}}`))
			if code(err) != codes.Validation {
				t.Errorf("%.20s: %v", answer, err)
			}
		}
		h.resolve(s.RunID, `{"answers":{"q1":"`+strings.Repeat("x", 8192)+`"}}`)
	}
}

func TestSuspensionsThatAreNotRequestedYet(t *testing.T) {
	h := newHost(t)
	s := h.create(Create{WorkflowID: "assay-loop-ask-user"})
	records, _, err := h.read(soon(t), s.RunID)
	if err != nil {
		t.Fatal(err)
	}
	d := fixtures(t)["assay-loop-ask-user"]
	folded, err := statetest.New(s.RunID, d)
	if err != nil {
		t.Fatal(err)
	}
	var rest state.Record
	for _, r := range records {
		for i, e := range r.Events {
			if e.Type == event.InterruptRequested {
				rest.Events, r.Events = r.Events[i:], r.Events[:i]
				break
			}
		}
		if folded, err = statetest.Fold(folded, r); err != nil {
			t.Fatal(err)
		}
	}
	id := *s.Interrupt.InterruptID
	requested, err := statetest.Fold(folded, rest)
	if err != nil {
		t.Fatal(err)
	}
	if err := refuseUnlessOpen(&folded, id); code(err) != codes.InterruptNotFound || len(findInterrupt(&folded, id).Data) > 0 {
		t.Errorf("right after its suspension: %v", err)
	}
	if err := refuseUnlessOpen(&requested, id); err != nil || len(findInterrupt(&requested, id).Data) == 0 {
		t.Errorf("once it is requested: %v", err)
	}
}
