package live

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/mockai"
)

// scriptedModel answers every run with the next of its answers, in the order in which the runs ask first.
type scriptedModel struct {
	answers []mockai.Answer
	taken   map[string]int
	calls   int
}

func (m *scriptedModel) Answer(_ context.Context, c mockai.Call) (mockai.Answer, bool, error) {
	m.calls++
	place, known := m.taken[c.Origin]
	if !known {
		place = len(m.taken)
		m.taken[c.Origin] = place
	}
	if place >= len(m.answers) {
		return mockai.Unprogrammed, false, nil
	}
	return m.answers[place], true, nil
}

const modelWorkflow = "conformance-phase4-replay-divergence"

func newModelHost(t *testing.T, options []option, answers ...mockai.Answer) (*host, *scriptedModel) {
	t.Helper()
	m := &scriptedModel{answers: answers, taken: map[string]int{}}
	return newHost(t, append(options, func(o *Options) { o.Models = m })...), m
}

func says(marker string) mockai.Answer {
	return mockai.Answer{Content: fmt.Sprintf(`{"valid":true,"marker":%q}`, marker), StopReason: "end_turn"}
}

var refuses = mockai.Answer{StopReason: "safety", RefusalText: "I will not say a word"}

func (h *host) replayOf(id string, from int64) (openwopv1.RunSnapshot, []event.Event) {
	h.t.Helper()
	f, err := h.Fork(soon(h.t), id, Fork{Mode: "replay", FromSeq: &from})
	if err != nil {
		h.t.Fatal(err)
	}
	s := h.settled(f.RunID)
	return s, h.events(f.RunID)
}

func typesOf(events []event.Event) string {
	var all []string
	for _, e := range events {
		all = append(all, string(e.Type))
	}
	return strings.Join(all, " ")
}

// RFC 0041 B: what was recorded is what counts; another answer is told, and a refusal in place of an answer, or the
// reverse, fails the replay.
func TestReplayOfAModelThatAnswersOtherwise(t *testing.T) {
	const (
		well   = "run.started node.started node.completed run.completed"
		badly  = "run.started node.started node.failed run.failed"
		told   = "run.started node.started replay.diverged node.completed run.completed"
		broken = "run.started node.started replay.divergedAtRefusal node.failed run.failed"
	)
	for _, c := range []struct {
		name        string
		version     int
		then        []mockai.Answer
		source      string
		replay      string
		output      string // marker of the replay's output
		replayError string
	}{
		{"the same", 4, []mockai.Answer{says("a"), says("a")}, well, well, "a", ""},
		{"another answer", 4, []mockai.Answer{says("a"), says("b")}, well, told, "a", ""},
		{"a refusal", 4, []mockai.Answer{says("a"), refuses}, well, broken, "", codes.Refused},
		{"an answer in place of a refusal", 6, []mockai.Answer{refuses, says("a")}, badly, broken, "", codes.Refused},
		{"a refusal again", 5, []mockai.Answer{refuses, refuses}, badly, badly, "", codes.ModelRefused},
		{"nothing programmed", 4, []mockai.Answer{says("a")}, well, well, "a", ""},
		{"something that is no JSON", 4, []mockai.Answer{says("a"), {Content: "no JSON"}}, well, told, "a", ""},
		{"below version 4 it is not asked", 3, []mockai.Answer{says("a"), refuses}, well, well, "a", ""},
		{"nor without a model of execution", 0, []mockai.Answer{says("a"), says("b")}, well, well, "a", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, cut := range []int{0, 1} {
				h, _ := newModelHost(t, []option{version(c.version), func(o *Options) { o.cut = cut }}, c.then...)
				source := h.create(Create{WorkflowID: modelWorkflow})
				if got := typesOf(h.events(source.RunID)); got != c.source {
					t.Fatalf("source: %s", got)
				}
				s, events := h.replayOf(source.RunID, 0)
				if got := typesOf(events); got != c.replay {
					t.Errorf("replay: %s", got)
				}
				expectLawful(t, s, events, c.version)
				if s.Error != nil && s.Error.Code != c.replayError || s.Error == nil && c.replayError != "" {
					t.Errorf("the replay failed with %v, want %s", s.Error, c.replayError)
				}
				if got := show(s); c.output != "" && !strings.Contains(got, fmt.Sprintf(`"marker":%q`, c.output)) {
					t.Errorf("the replay is %s", got)
				}
				h.restart()
				if again := h.snapshot(s.RunID); show(again) != show(s) {
					t.Errorf("after a restart\n%s\nbefore\n%s", show(again), show(s))
				}
			}
		})
	}
}

func TestRefusalDivergenceSaysWhere(t *testing.T) {
	h, _ := newModelHost(t, []option{version(4)}, says("a"), refuses)
	source := h.create(Create{WorkflowID: modelWorkflow})
	_, events := h.replayOf(source.RunID, 0)
	payload, err := events[2].Decode()
	p, ok := payload.(*event.ReplayMeetsRefusalPayload)
	if err != nil || !ok {
		t.Fatalf("%v, %T", err, payload)
	}
	call := h.events(source.RunID)[2]
	if p.SourceRunID != source.RunID || p.AtSequence != call.Sequence || *p.OriginalEventID != call.ID || p.NodeID != call.NodeID ||
		p.OriginalEnvelopeKind != "valid" || p.ReplayEnvelopeKind != "refusal" {
		t.Errorf("%+v", p)
	}
	for _, e := range events {
		if strings.Contains(string(e.Payload), refuses.RefusalText) {
			t.Errorf("%s repeats what the model said: %s", e.Type, e.Payload)
		}
	}
}

// What is below fromSeq is not run again, so nobody is asked about it.
func TestReplayFromBehindACallAsksNobody(t *testing.T) {
	h, m := newModelHost(t, []option{version(4)}, says("a"), refuses)
	source := h.create(Create{WorkflowID: modelWorkflow})
	asked := m.calls
	s, events := h.replayOf(source.RunID, 3)
	if s.Status != openwopv1.RunStatusCompleted || typesOf(events) != typesOf(h.events(source.RunID)) || m.calls != asked {
		t.Errorf("%s: %s, %d calls", s.Status, typesOf(events), m.calls-asked)
	}
}

// Two calls, both of which differ: both are told, at their places in the source, and a replay of that replay has it all.
func TestReplaysOfReplays(t *testing.T) {
	for _, refused := range []bool{false, true} {
		second := says("y")
		if refused {
			second = refuses
		}
		h, _ := newModelHost(t, []option{version(4), func(o *Options) { o.Workflows["two"] = twoCalls(t) }}, says("a"))
		source := h.create(Create{WorkflowID: "two"})
		h.o.Models = &perNode{answers: map[string]mockai.Answer{"one": says("x"), "two": second}}
		h.restart()
		s, events := h.replayOf(source.RunID, 0)
		want := "run.started node.started replay.diverged node.completed node.started replay.diverged node.completed run.completed"
		if refused {
			want = "run.started node.started replay.diverged node.completed node.started replay.divergedAtRefusal node.failed run.failed"
		}
		if got := typesOf(events); got != want {
			t.Fatalf("%s\nwant %s", got, want)
		}
		var places []int64
		for _, e := range events {
			if strings.HasPrefix(string(e.Type), "replay.") {
				places = append(places, parse[event.ReplayDivergedPayload](t, string(e.Payload)).AtSequence)
			}
		}
		if !slices.Equal(places, []int64{2, 4}) {
			t.Errorf("told at %v", places)
		}
		expectLawful(t, s, events, 4)
		h.o.Models = &perNode{}
		h.restart()
		for from := range int64(len(events) + 1) {
			again, repeated := h.replayOf(s.RunID, from)
			if typesOf(repeated) != want || again.Status != s.Status || fmt.Sprint(again.Error) != fmt.Sprint(s.Error) {
				t.Errorf("from %d: %s, %s %s", from, typesOf(repeated), again.Status, fmt.Sprint(again.Error))
			}
			expectLawful(t, again, repeated, 4)
		}
	}
}

// perNode answers every run the same, node by node.
type perNode struct{ answers map[string]mockai.Answer }

func (m *perNode) Answer(_ context.Context, c mockai.Call) (mockai.Answer, bool, error) {
	a, ok := m.answers[c.NodeID]
	return a, ok, nil
}

// twoCalls calls the model twice.
func twoCalls(t *testing.T) openwopv1.WorkflowDefinition {
	return parse[openwopv1.WorkflowDefinition](t, `{"id":"two","name":"Two calls","version":"1.0","nodes":[
		{"id":"one","typeId":"core.ai.structuredOutput","name":"One","position":{"x":0,"y":0},"config":{"provider":"mock"},"inputs":{}},
		{"id":"two","typeId":"core.ai.structuredOutput","name":"Two","position":{"x":0,"y":0},"config":{"provider":"mock"},"inputs":{}}],
		"edges":[{"id":"e","sourceNodeId":"one","targetNodeId":"two"}],"triggers":[],"variables":[],"metadata":{},"settings":{}}`)
}

func TestModelsThatCannotBeAreRefused(t *testing.T) {
	h := newHost(t)
	if _, err := h.Create(soon(t), Create{WorkflowID: modelWorkflow}); code(err) != codes.Capability {
		t.Errorf("without a model: %v", err)
	}
	for name, change := range map[string]map[string]any{
		"another provider":    {"provider": "elsewhere"},
		"a schema that is no": {"provider": "mock", "outputSchema": "any"},
	} {
		d := twoCalls(t)
		d.Nodes[0].Config = change
		if _, err := h.Create(soon(t), Create{Definition: &d}); code(err) != codes.Validation {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnswersThatDoNotFitFailTheNode(t *testing.T) {
	for _, content := range []string{``, `no`, `{"valid":"yes"}`, `[]`} {
		h, _ := newModelHost(t, nil, mockai.Answer{Content: content})
		if s := h.create(Create{WorkflowID: modelWorkflow}); s.Error == nil || s.Error.Code != codes.Output {
			t.Errorf("%q: %s %v", content, s.Status, s.Error)
		}
	}
}
