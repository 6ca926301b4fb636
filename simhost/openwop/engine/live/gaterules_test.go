package live

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// Every rule about gates is asked: another one in its place shows in what somebody is told of the run.
func TestGatesGoByTheRules(t *testing.T) {
	const (
		accept = `{"action":"accept"}`
		reject = `{"action":"reject"}`
		asking = `[{"id":"q","question":"How many?","schema":{"type":"integer"}}]`
	)
	never := json.RawMessage(`{"never":true}`)
	draft := map[string]any{"draft": map[string]any{"text": "x"}}
	votes := func(policy string) map[string]any {
		return map[string]any{"requiredApprovals": 2.0, "rejectionPolicy": policy}
	}
	ordered := map[string]any{"correlation": map[string]any{"orderId": "1"}}
	type set = rules.Set
	passing := func(flaw rules.AnswerFlaw) func(*set) {
		return func(s *set) { s.Answers.Minds = func(f rules.AnswerFlaw) bool { return f != flaw } }
	}
	for _, c := range []struct {
		rule, workflow  string
		inputs          map[string]any
		answers         []string // PRINCIPAL ANSWER, or -ANSWER by the token of the interrupt
		replace         func(*set)
		honest, changed string // in what is told without the change, and with it
	}{
		{"Gates.Key", "assay-approval", draft, nil,
			func(s *set) { s.Gates.Key = func(p rules.Suspension) string { return "key of " + p.NodeID } }, `key "gate:2"`, `key "key of gate"`},
		{"Gates.Passes", "assay-approval", draft, []string{"p " + reject},
			func(s *set) { s.Gates.Passes = func(openwopv1.ApprovalAction, int, bool) bool { return true } }, "node.failed", "node.completed @gate"},
		{"Gates.HandsOn", "assay-approval", draft, []string{"p " + accept}, func(s *set) {
			s.Gates.HandsOn = func(rules.Resolution) (json.RawMessage, json.RawMessage) { return never, nil }
		}, `answer={"action":"accept"}`, `answer={"never":true}`},
		{"Gates.HandsOn, an artifact", "assay-approval", draft, []string{"p " + accept}, func(s *set) {
			s.Gates.HandsOn = func(r rules.Resolution) (json.RawMessage, json.RawMessage) { return r.Answer, never }
		}, `artifact={"text":"x"}`, `artifact={"never":true}`},
		{"Answers.Minds", "assay-approval", draft, []string{`p {"action":"refine"}`}, func(s *set) {
			s.Answers.Minds = func(rules.AnswerFlaw) bool { return false }
		}, "validation_error", "taken"},
		{"Answers.Minds, a misfit", "assay-questions", map[string]any{"questions": array(t, asking)}, []string{`p {"answers":{"q":"x"}}`},
			passing(rules.Misfit), "validation_error", "taken"},
		{"Answers.Minds, no answer", "assay-questions", map[string]any{"questions": array(t, asking)}, []string{`p {"answers":{}}`},
			passing(rules.Unanswered), "validation_error", "taken"},
		{"Answers.Minds, another event", "assay-event", ordered, []string{`p {"orderId":"2"}`},
			passing(rules.Uncorrelated), "validation_error", "taken"},
		{"Answers.Minds, no event", "assay-event", ordered, []string{`p {}`}, passing(rules.Missing), "validation_error", "taken"},
		{"Answers.Admits without a key", "conformance-interrupt-auth-required", nil, []string{"-" + accept},
			func(s *set) { s.Answers.Admits = func(rules.Respondent) bool { return true } }, "forbidden", "taken"},
		{"Answers.Admits again", "assay-quorum", votes("majority"), []string{"p " + accept, "p " + accept},
			func(s *set) { s.Answers.Admits = func(rules.Respondent) bool { return true } }, "taken, taken, waiting-approval",
			"completed at nowhere"},
		{"Answers.Decided", "assay-quorum", votes("majority"), []string{"p " + accept},
			func(s *set) { s.Answers.Decided = func(rules.Tally) bool { return true } }, "waiting-approval", "completed at nowhere"},
		{"Answers.Takes", "assay-approval", draft, []string{"p " + reject}, func(s *set) {
			s.Answers.Takes = func(rules.Answer) (json.RawMessage, bool) { return json.RawMessage(accept), true }
		}, "failed at nowhere", "completed at nowhere"},
		{"Answers.Takes what is refused", "assay-approval", draft, []string{`p {"action":"shrug"}`},
			func(s *set) { s.Answers.Takes = func(a rules.Answer) (json.RawMessage, bool) { return a.Value, true } }, "waiting-approval",
			"validation_error, completed at nowhere"},
		{"Answers.Late", "assay-approval", draft, []string{"p " + accept, "p " + reject},
			func(s *set) { s.Answers.Late = func(rules.Late) string { return "" } }, "taken, interrupt_already_resolved", "taken, taken"},
		{"Answers.Late by another code", "assay-approval", draft, []string{"p " + accept, "-" + accept},
			func(s *set) { s.Answers.Late = func(rules.Late) string { return rules.InterruptGone } }, "taken, interrupt_already_resolved",
			"taken, interrupt_gone"},
	} {
		for _, faulty := range []bool{false, true} {
			rs, want := rules.Honest(), c.honest
			if faulty {
				c.replace(&rs)
				want = c.changed
			}
			h := newHost(t, func(o *Options) { o.Rules = rs })
			if told := h.goesBy(c.workflow, c.inputs, c.answers); !strings.Contains(told, want) {
				t.Errorf("%s, faulty %v: no %q in\n%s", c.rule, faulty, want, told)
			}
		}
	}
}

// Nobody answers: when that is over and what comes of it are rules as well.
func TestGatesEndByTheRules(t *testing.T) {
	rs := rules.Honest()
	rs.Gates.Due = func(now time.Time, timeout time.Duration, _ int) time.Time { return now.Add(3 * timeout) }
	rs.Gates.Lapses = func() json.RawMessage { return json.RawMessage(`{"action":"accept"}`) }
	h := newHost(t, func(o *Options) { o.Rules = rs })
	s := h.create(Create{WorkflowID: "assay-approval", Inputs: map[string]any{"timeoutMs": 1000.0}})
	i, err := h.Interrupt(soon(t), s.RunID, *s.Interrupt.InterruptID)
	if want := h.clock.Now().Add(3 * time.Second); err != nil || !i.Due.Equal(want) {
		t.Errorf("it is over at %v (%v), want %v", i.Due, err, want)
	}
	h.clock.Advance(3 * time.Second)
	if end := h.until(s.RunID, func(e event.Event) bool { return isTerminal(e.Type) }); end.Type != event.RunCompleted {
		t.Errorf("it ends with %s", end.Type)
	}
}

// Children are stopped by the rules.
func TestCancellationsGoByTheRules(t *testing.T) {
	rs := rules.Honest()
	rs.Handoff.Stops = func(d rules.Descendant) bool { return !d.Waits }
	h := newHost(t, func(o *Options) { o.Rules = rs })
	parent := h.begin(Create{WorkflowID: "assay-loop", Inputs: plan(t, `[{"kind":"next-worker","nextWorkerIds":["assay-approval"]}]`)})
	child := dispatched(t, h, parent)
	if _, err := h.Cancel(soon(t), parent, ""); err != nil {
		t.Fatal(err)
	}
	h.until(parent, func(e event.Event) bool { return e.Type == event.RunCancelled })
	if got := h.snapshot(child).Status; got != openwopv1.RunStatusWaitingApproval {
		t.Errorf("the child that waits is %s", got)
	}
}

// dispatched is the child of a run, once it is known.
func dispatched(t *testing.T, h *host, id string) (child string) {
	t.Helper()
	h.until(id, func(e event.Event) bool {
		if e.Type == event.Handoff {
			child = parse[event.HandoffPayload](t, string(e.Payload)).ChildRunID
		}
		return child != ""
	})
	return child
}

// goesBy has a run answered and tells what became of the answers, where the run stands, and its log.
func (h *host) goesBy(workflow string, inputs map[string]any, answers []string) string {
	h.t.Helper()
	s := h.create(Create{WorkflowID: workflow, Inputs: inputs})
	var told []string
	for _, a := range answers {
		principal, value, _ := strings.Cut(a, " ")
		byToken := strings.HasPrefix(a, "-")
		resolve := func() error {
			_, err := h.Resolve(As(soon(h.t), principal), s.RunID, gateOf[workflow], json.RawMessage(value))
			return err
		}
		if byToken {
			value = a[1:]
			resolve = func() error {
				_, err := h.ResolveInterrupt(soon(h.t), s.RunID, *s.Interrupt.InterruptID, json.RawMessage(value))
				return err
			}
		}
		says := "taken"
		if err := resolve(); err != nil {
			says = code(err)
		}
		told = append(told, says)
	}
	now, at, key := h.settled(s.RunID), "nowhere", ""
	if now.CurrentNodeID != nil {
		at = *now.CurrentNodeID
	}
	if now.Interrupt != nil {
		key = *now.Interrupt.Key
	}
	told = append(told, fmt.Sprintf("%s at %s, key %q", now.Status, at, key))
	return strings.Join(told, ", ") + "\n" + strings.Join(story(h.events(s.RunID)), "\n") + "\n."
}

func array(t *testing.T, text string) []any { return parse[[]any](t, text) }
