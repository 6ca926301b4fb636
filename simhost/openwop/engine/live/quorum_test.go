package live

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/internal/definitiontest"
)

const (
	grant = `{"action":"accept"}`
	veto  = `{"action":"reject"}`
)

func TestQuorums(t *testing.T) {
	for _, c := range []struct {
		name, inputs string
		votes        string // one letter a vote: of whom; upper case rejects
		status       openwopv1.RunStatus
	}{
		{"the default takes two", `{}`, "a", openwopv1.RunStatusWaitingApproval},
		{"and completes then", `{}`, "ab", openwopv1.RunStatusCompleted},
		{"one veto is enough", `{}`, "aB", openwopv1.RunStatusFailed},
		{"also the first", `{"requiredApprovals":3}`, "A", openwopv1.RunStatusFailed},
		{"a majority is more than half", `{"requiredApprovals":3,"rejectionPolicy":"majority"}`, "A", openwopv1.RunStatusWaitingApproval},
		{"two of three", `{"requiredApprovals":3,"rejectionPolicy":"majority"}`, "AbC", openwopv1.RunStatusFailed},
		{"two of four is half", `{"requiredApprovals":4,"rejectionPolicy":"majority"}`, "AB", openwopv1.RunStatusWaitingApproval},
		{"three of four", `{"requiredApprovals":4,"rejectionPolicy":"majority"}`, "AbCdE", openwopv1.RunStatusFailed},
		{"in spite of one who rejects", `{"requiredApprovals":3,"rejectionPolicy":"majority"}`, "aBcd", openwopv1.RunStatusCompleted},
		{"one is no quorum", `{"requiredApprovals":1}`, "a", openwopv1.RunStatusCompleted},
		{"nor is one who rejects", `{"requiredApprovals":1,"rejectionPolicy":"majority"}`, "A", openwopv1.RunStatusFailed},
	} {
		h := newHost(t)
		s := h.create(Create{WorkflowID: "assay-quorum", Inputs: object(t, c.inputs)})
		for _, v := range c.votes {
			value := grant
			if v < 'a' {
				value = veto
			}
			if err := h.say(s.RunID, string(v|0x20), value); err != nil {
				t.Errorf("%s: %c: %v", c.name, v, err)
			}
			s = h.settled(s.RunID)
		}
		expectLawful(t, s, h.events(s.RunID), 5)
		if s.Status != c.status {
			t.Errorf("%s: the run is %s, want %s", c.name, s.Status, c.status)
		}
	}
}

// A vote that decides nothing is on the log, and is no answer: the run waits on.
func TestAPartialVoteIsNoAnswer(t *testing.T) {
	h := newHost(t)
	s := h.create(Create{WorkflowID: "conformance-interrupt-quorum"})
	interrupt := *s.Interrupt.InterruptID
	for _, step := range []struct{ who, value string }{{"ann", grant}, {"bob", `{"action":"reject","comment":"too long"}`},
		{"cid", grant}, {"dan", grant}} {
		if err := h.say(s.RunID, step.who, step.value); err != nil {
			t.Fatal(err)
		}
		h.settled(s.RunID)
		if now := h.snapshot(s.RunID); now.Interrupt != nil && *now.Interrupt.InterruptID != interrupt {
			t.Error("a vote raises another interrupt")
		}
	}
	expectStory(t, h.events(s.RunID),
		`0 run.started`, `1 node.started @gate`, `2 node.suspended @gate approval <-1`, `3 interrupt.requested @gate <-2`,
		`4 approval.granted @gate ann 1/3 <-3`, `5 approval.rejected @gate bob too long <-3`,
		`6 approval.granted @gate cid 2/3 <-3`, `7 approval.granted @gate dan 3/3 <-3`,
		`8 interrupt.resolved @gate {"action":"accept"} <-3`, `9 variable.changed @gate answer={"action":"accept"} <-8`,
		`10 node.resumed @gate <-8`, `11 node.completed @gate`, `12 run.completed`)
}

// Somebody who asks ends the vote for all, and everybody votes anew.
func TestAQuestionEndsTheVote(t *testing.T) {
	h := newHost(t)
	d := definitiontest.Define(t,
		`{"id":"g","typeId":"core.approvalGate","config":{"requiredApprovals":2,"actions":["accept","reject","ask"]},"inputs":{}}`, ``, ``)
	s := h.create(Create{Definition: &d})
	for _, step := range []struct{ who, value string }{{"ann", grant}, {"bob", `{"action":"ask","comment":"why?"}`}, {"ann", grant},
		{"bob", grant}} {
		if err := h.say(s.RunID, step.who, step.value); err != nil {
			t.Fatalf("%s %s: %v", step.who, step.value, err)
		}
		s = h.settled(s.RunID)
	}
	expectLawful(t, s, h.events(s.RunID), 5)
	if s.Status != openwopv1.RunStatusCompleted {
		t.Errorf("the run is %s", s.Status)
	}
}

// ballot is what a quorum must come to, written down another way: a map of who said what, and a count.
type ballot struct {
	required int
	majority bool
	said     map[string]bool // true accepts
	done     openwopv1.RunStatus
}

func (b *ballot) count(accepts bool) (n int) {
	for _, a := range b.said {
		if a == accepts {
			n++
		}
	}
	return n
}

// vote is the code that the vote must be answered with.
func (b *ballot) vote(who string, accepts bool) string {
	if b.done != "" {
		return codes.InterruptResolved
	}
	switch before, again := b.said[who]; {
	case again && before == accepts:
		return "<nil>" // and b stays as it is
	case again:
		return codes.InterruptResolved
	}
	b.said[who] = accepts
	vetoes := 1
	if b.majority {
		vetoes = b.required/2 + 1
	}
	switch {
	case b.count(true) == b.required:
		b.done = openwopv1.RunStatusCompleted
	case b.count(false) == vetoes || b.required == 1 && !accepts:
		b.done = openwopv1.RunStatusFailed
	}
	return "<nil>"
}

func TestAnyVoteOfAnybody(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := newHost(t, func(o *Options) { o.cut = rapid.SampledFrom([]int{0, 1}).Draw(rt, "cut") })
		defer h.Close()
		b := &ballot{
			required: rapid.IntRange(1, 5).Draw(rt, "required"),
			majority: rapid.Bool().Draw(rt, "majority"),
			said:     map[string]bool{},
		}
		policy := map[bool]string{false: "single-veto", true: "majority"}[b.majority]
		s := h.create(Create{WorkflowID: "assay-quorum", Inputs: map[string]any{"requiredApprovals": float64(b.required),
			"rejectionPolicy": policy}})
		voters := []string{"ann", "bob", "cid", "dan", "eve", "fay", "gus"}
		rt.Repeat(map[string]func(*rapid.T){
			"vote": func(rt *rapid.T) {
				who, accepts := rapid.SampledFrom(voters).Draw(rt, "who"), rapid.IntRange(0, 2).Draw(rt, "says") > 0
				value := map[bool]string{true: grant, false: veto}[accepts]
				want := b.vote(who, accepts)
				if _, err := h.Resolve(As(soon(t), who), s.RunID, "gate", json.RawMessage(value)); code(err) != want {
					rt.Fatalf("the vote of %s is answered with %v, want %s", who, err, want)
				}
				h.settled(s.RunID)
			},
			"token": func(rt *rapid.T) {
				_, err := h.Resolve(soon(t), s.RunID, "gate", json.RawMessage(grant))
				switch {
				case b.done != "" && code(err) == codes.InterruptResolved:
				case b.done == "" && b.required > 1 && code(err) == codes.Forbidden:
				case b.done == "" && b.required == 1 && err == nil:
					b.said[""], b.done = true, openwopv1.RunStatusCompleted
				default:
					rt.Fatalf("a token is answered with %v", err)
				}
				h.settled(s.RunID)
			},
			"restart": func(*rapid.T) { h.restart() },
			"": func(rt *rapid.T) {
				now := h.snapshot(s.RunID)
				want := b.done
				if want == "" {
					want = openwopv1.RunStatusWaitingApproval
				}
				if now.Status != want {
					rt.Fatalf("the run is %s, want %s", now.Status, want)
				}
				b.compare(rt, h.events(s.RunID))
				if problems := unlawful(now, h.events(s.RunID), 5); len(problems) > 0 {
					rt.Fatal(problems)
				}
			},
		})
	})
}

// compare holds the votes on the log to those of the ballot: each once, and nothing resolved before the last.
func (b *ballot) compare(rt *rapid.T, events []event.Event) {
	var got []string
	for _, e := range events {
		switch payload, _ := e.Decode(); p := payload.(type) {
		case *event.ApprovalGrantedPayload:
			got = append(got, p.Principal+" true")
		case *event.ApprovalRejectedPayload:
			got = append(got, p.Principal+" false")
		case *event.InterruptResolvedPayload:
			if b.done == "" {
				rt.Fatal("it is resolved")
			}
		}
	}
	if b.required == 1 {
		if len(got) > 0 {
			rt.Fatalf("an approval by one has the votes %v", got)
		}
		return
	}
	var want []string
	for who, accepts := range b.said {
		want = append(want, fmt.Sprint(who, " ", accepts))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		rt.Fatalf("the log has the votes %v, want %v", got, want)
	}
}

// A vote that is said again is taken and counts no more; whoever changes their mind is refused. The log does not tell the difference.
func TestAVoteIsRepeated(t *testing.T) {
	h := newHost(t)
	s := h.create(Create{WorkflowID: "assay-quorum", Inputs: object(t, `{"requiredApprovals":3,"rejectionPolicy":"majority"}`)})
	for _, step := range []struct{ who, value, code string }{
		{"ann", grant, "<nil>"}, {"ann", grant, "<nil>"}, {"ann", `{"action":"accept","comment":"as I said"}`, "<nil>"},
		{"ann", veto, codes.InterruptResolved}, {"bob", veto, "<nil>"}, {"bob", veto, "<nil>"}, {"bob", grant, codes.InterruptResolved},
		{"ann", `{"action":"shrug"}`, codes.Validation}, {"cid", grant, "<nil>"}, {"dan", grant, "<nil>"},
	} {
		if err := h.say(s.RunID, step.who, step.value); code(err) != step.code {
			t.Errorf("%s %s: %v, want %s", step.who, step.value, err, step.code)
		}
		h.settled(s.RunID)
		if step.who == "cid" {
			h.restart()
		}
	}
	if _, err := h.Resolve(As(soon(t), "ann"), s.RunID, "gate", json.RawMessage(grant)); code(err) != codes.InterruptResolved {
		t.Errorf("a vote at a gate that is decided is answered with %v", err)
	}
	var votes []string
	for _, told := range story(h.events(s.RunID)) {
		if _, what, _ := strings.Cut(told, " "); strings.HasPrefix(what, "approval.") {
			votes = append(votes, strings.Fields(what)[2])
		}
	}
	if want := []string{"ann", "bob", "cid", "dan"}; !slices.Equal(votes, want) {
		t.Errorf("the log has the votes of %v, want those of %v", votes, want)
	}
}

// Who votes is said by the answer where the host trusts that, and by nothing but the key or the token where it does not.
func TestAnAnswerNamesItsVoter(t *testing.T) {
	says := func(action, voter string) string { return fmt.Sprintf(`{"action":%q,"voter":%s}`, action, voter) }
	for _, trusts := range []bool{false, true} {
		h := newHost(t, func(o *Options) { o.TrustVoters = trusts })
		s := h.create(Create{WorkflowID: "assay-quorum", Inputs: object(t, `{"requiredApprovals":3}`)})
		for _, step := range []struct {
			ctx            context.Context
			value          string
			honest, trusts string
		}{
			{As(soon(t), "key"), says("accept", `"ann"`), "<nil>", "<nil>"},
			{As(soon(t), "key"), says("accept", `"ann"`), "<nil>", "<nil>"},
			{As(soon(t), "key"), says("reject", `"ann"`), codes.InterruptResolved, codes.InterruptResolved},
			{As(soon(t), "key"), says("accept", `"bob"`), "<nil>", "<nil>"}, // of key, or of bob
			{As(soon(t), "key"), says("accept", `""`), "<nil>", codes.Validation},
			{As(soon(t), "key"), says("accept", `7`), "<nil>", codes.Validation},
			{As(soon(t), "key"), says("accept", `"`+strings.Repeat("v", maxVoter+1)+`"`), "<nil>", codes.Validation},
			{soon(t), says("accept", `"bob"`), codes.Forbidden, "<nil>"},
			{AsBound(soon(t), "bob", true), says("accept", `"cid"`), "<nil>", codes.Forbidden},
		} {
			want := step.honest
			if trusts {
				want = step.trusts
			}
			_, err := h.Resolve(step.ctx, s.RunID, "gate", json.RawMessage(step.value))
			if code(err) != want {
				t.Errorf("trusts %v: %s: %v, want %s", trusts, step.value, err, want)
			}
			h.settled(s.RunID)
		}
		granted := 0
		for _, told := range story(h.events(s.RunID)) {
			if strings.Contains(told, "approval.granted") {
				granted++
			}
		}
		if granted != 2 {
			t.Errorf("trusts %v: %d votes were cast, want 2", trusts, granted)
		}
	}
}

// A voter who is only named is not one who has shown a key, and an event may have a member of that name.
func TestAVoterIsNoKey(t *testing.T) {
	h := newHost(t, func(o *Options) { o.TrustVoters = true })
	s := h.create(Create{WorkflowID: "conformance-interrupt-auth-required"})
	for _, ctx := range []context.Context{soon(t), AsBound(soon(t), "ann", true)} {
		if _, err := h.Resolve(ctx, s.RunID, "gate", json.RawMessage(`{"action":"accept","voter":"ann"}`)); code(err) != codes.Forbidden {
			t.Errorf("a voter without a key is answered with %v", err)
		}
	}
	if _, err := h.Resolve(AsBound(soon(t), "ann", false), s.RunID, "gate", json.RawMessage(grant)); err != nil {
		t.Errorf("a voter with a key is answered with %v", err)
	}
	e := h.create(Create{WorkflowID: "assay-event", Inputs: object(t, `{"correlation":{"voter":7}}`)})
	if err := h.say(e.RunID, "ann", `{"voter":7}`); err != nil {
		t.Errorf("an event with a voter is answered with %v", err)
	}
}
