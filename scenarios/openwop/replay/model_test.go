package replay_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/openwop/replay"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func answeredWith(marker string) hosttest.Story {
	return hosttest.Story{Id: "r", Status: "completed", Events: []hosttest.Event{
		{Kind: "run.started", Payload: map[string]any{"workflowId": "w"}},
		{Kind: "node.started", Payload: map[string]any{"nodeId": "n"}},
		{Kind: "node.completed", Payload: map[string]any{"nodeId": "n", "outputs": map[string]any{"output": map[string]any{"marker": marker}}}},
		{Kind: "run.completed", Payload: map[string]any{}},
	}}
}

func refusedOnce() hosttest.Story {
	return hosttest.Story{Id: "r", Status: "failed", Events: []hosttest.Event{
		{Kind: "run.started", Payload: map[string]any{"workflowId": "w"}}, {Kind: "node.started", Payload: map[string]any{"nodeId": "n"}},
		{Kind: "node.failed", Payload: map[string]any{"nodeId": "n", "error": map[string]any{"code": "refused", "message": "m"}}},
		hosttest.Failed("refused"),
	}}
}

// brokenAt returns a replay that fails at a refusal. was and is name the model's behavior in the source and the replay.
func brokenAt(was, is string) hosttest.Story {
	return hosttest.Story{Id: "r", Status: "failed", Events: []hosttest.Event{
		{Kind: "run.started", Payload: map[string]any{"workflowId": "w"}}, {Kind: "node.started", Payload: map[string]any{"nodeId": "n"}},
		{Kind: "replay.divergedAtRefusal", Payload: map[string]any{"sourceRunId": "r", "atSequence": 2, "originalEnvelopeKind": was,
			"replayEnvelopeKind": is}},
		hosttest.Failed("replay_diverged_at_refusal"),
	}}
}

// differing reports a difference before it continues with the recorded events.
func differing(s hosttest.Story, payload map[string]any) hosttest.Story {
	events := append([]hosttest.Event{}, s.Events[:2]...)
	s.Events = append(append(events, hosttest.Event{Kind: "replay.diverged", Payload: payload}), s.Events[2:]...)
	return s
}

func modelReplay(t *testing.T, said string, source, replayed hosttest.Story) replay.ModelReplay {
	return replay.ModelReplay{Said: said, Source: source.Log(t), Replay: hosttest.Fork(replayed).Log(t)}
}

func TestJudgesOfModels(t *testing.T) {
	told := map[string]any{"sourceRunId": "r", "atSequence": 2, "divergenceKind": "output"}
	honest := func() replay.ModelObservation {
		return replay.ModelObservation{
			Same:      modelReplay(t, "A", answeredWith("A"), answeredWith("A")),
			Other:     modelReplay(t, "A", answeredWith("A"), differing(answeredWith("A"), told)),
			Refusing:  modelReplay(t, "A", answeredWith("A"), brokenAt("valid", "refusal")),
			Answering: modelReplay(t, "", refusedOnce(), brokenAt("refusal", "valid")),
		}
	}
	refusing := func(s hosttest.Story) func(*replay.ModelObservation) {
		return func(o *replay.ModelObservation) { o.Refusing = modelReplay(t, "A", answeredWith("A"), s) }
	}
	other := func(s hosttest.Story) func(*replay.ModelObservation) {
		return func(o *replay.ModelObservation) { o.Other = modelReplay(t, "A", answeredWith("A"), s) }
	}
	change := func(key string, value any) hosttest.Story {
		return brokenAt("valid", "refusal").Change("replay.divergedAtRefusal", 0, func(p map[string]any) { p[key] = value })
	}
	place := func(at int, event string) hosttest.Story {
		return brokenAt("valid", "refusal").Change("replay.divergedAtRefusal", 0, func(p map[string]any) {
			p["atSequence"], p["originalEventId"] = at, event
		})
	}
	refused := func(status int, code string) func(*replay.ModelObservation) {
		return func(o *replay.ModelObservation) {
			o.Refusing.Replay = host.RunLog{Created: wiretest.Status(t, status)}
			o.Refusing.Code = wiretest.Value(t, json.RawMessage(fmt.Sprintf("%q", code)))
		}
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*replay.ModelObservation)
		want           string
	}{
		{"honest", "refusal-diverges", func(*replay.ModelObservation) {}, "passed"},
		{"refuses the fork", "refusal-diverges", refused(422, "replay_diverged_at_refusal"), "passed"},
		{"refuses the fork for something else", "refusal-diverges", refused(422, "validation_error"), requirement.OWPRPL15},
		{"no fork", "refusal-diverges", refused(500, "internal_error"), requirement.OWPRPL15},
		{"takes the refusal for the answer", "refusal-diverges", refusing(refusedOnce()), requirement.OWPRPL15},
		{"takes the record and says nothing", "refusal-diverges", refusing(answeredWith("A")), requirement.OWPRPL15},
		{"takes an answer where there was a refusal", "refusal-diverges", func(o *replay.ModelObservation) {
			o.Answering = modelReplay(t, "", refusedOnce(), answeredWith("B"))
		}, requirement.OWPRPL15},
		{"tells of it and goes on", "refusal-diverges", refusing(brokenAt("valid", "refusal").WithStatus("completed")), requirement.OWPRPL15},
		{"tells of it as any difference", "refusal-diverges", refusing(differing(refusedOnce(), told)), requirement.OWPRPL15},
		{"the wrong way round", "refusal-diverges", refusing(brokenAt("refusal", "valid")), requirement.OWPRPL15},
		{"another source", "refusal-diverges", refusing(change("sourceRunId", "x")), requirement.OWPRPL15},
		{"beyond the source", "refusal-diverges", refusing(change("atSequence", 99)), requirement.OWPRPL15},
		{"at an event that it names", "refusal-diverges", refusing(change("originalEventId", "r-2")), "passed"},
		{"behind the event that it names", "refusal-diverges", refusing(place(3, "r-2")), requirement.OWPRPL15},
		{"ahead of the event that it names, at the same node", "refusal-diverges", refusing(place(1, "r-2")), "passed"},
		{"names an event of no run", "refusal-diverges", refusing(change("originalEventId", "x-2")), requirement.OWPRPL15},
		{"at the call", "refusal-diverges", refusing(change("atSequence", 1)), "passed"},
		{"at an event of no node", "refusal-diverges", refusing(change("atSequence", 3)), requirement.OWPRPL15},
		{"twice", "refusal-diverges", refusing(brokenAt("valid", "refusal").Then(brokenAt("valid", "refusal").Events[2])), requirement.OWPRPL15},
		{"another code", "refusal-diverges", func(o *replay.ModelObservation) {
			s := brokenAt("valid", "refusal")
			s.Events[3] = hosttest.Failed("internal_error")
			refusing(s)(o)
		}, requirement.OWPRPL15},
		{"a field more is a finding", "refusal-diverges", refusing(change("more", 1)), "passed"},
		{"a source that never ended", "refusal-diverges", func(o *replay.ModelObservation) {
			o.Refusing.Source = answeredWith("A").WithStatus("running").Log(t)
		}, "blocked"},

		{"honest", "other-answer-told", func(*replay.ModelObservation) {}, "passed"},
		{"asks nobody", "other-answer-told", other(answeredWith("A")), "passed"},
		{"shows the answer far behind", "other-answer-told", func(o *replay.ModelObservation) {
			s := answeredWith(strings.Repeat("x", 1000) + "A")
			o.Same, o.Other = modelReplay(t, "A", s, s), modelReplay(t, "A", s, s)
		}, "passed"},
		{"takes the other answer", "other-answer-told", other(answeredWith("B")), requirement.OWPRPL4},
		{"takes the other answer and says so", "other-answer-told", other(differing(answeredWith("B"), told)), requirement.OWPRPL4},
		{"fails for it", "other-answer-told", other(differing(answeredWith("A"), told).WithStatus("failed")), requirement.OWPRPL16},
		{"in the form of the prose", "other-answer-told", other(differing(answeredWith("A"), map[string]any{"originalEventId": "e",
			"replayEventId": "f", "divergencePoint": 2})), "passed"},
		{"of another source", "other-answer-told", other(differing(answeredWith("A"), map[string]any{"sourceRunId": "x",
			"atSequence": 2})), requirement.OWPRPL16},
		{"at an event that it names", "other-answer-told", other(differing(answeredWith("A"), map[string]any{"sourceRunId": "r",
			"atSequence": 2, "originalEventId": "r-2"})), "passed"},
		{"behind the event that it names", "other-answer-told", other(differing(answeredWith("A"), map[string]any{"sourceRunId": "r",
			"atSequence": 3, "originalEventId": "r-2"})), requirement.OWPRPL16},
		{"at an event of no node", "other-answer-told", other(differing(answeredWith("A"), map[string]any{"sourceRunId": "r",
			"atSequence": 0})), requirement.OWPRPL16},
		{"as a refusal", "other-answer-told", other(brokenAt("valid", "refusal").WithStatus("completed")), requirement.OWPRPL4},
		{"differs where nothing does", "other-answer-told", func(o *replay.ModelObservation) {
			o.Same = modelReplay(t, "A", answeredWith("A"), differing(answeredWith("A"), told))
		}, requirement.OWPRPL16},
		{"always the same answer", "other-answer-told", func(o *replay.ModelObservation) {
			o.Same = modelReplay(t, "A", answeredWith("C"), answeredWith("C"))
		}, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			hosttest.Expect(t, c.scenario, o, c.want)
		})
	}
	t.Run("the form of the prose is told", func(t *testing.T) {
		o := honest()
		other(differing(answeredWith("A"), map[string]any{"divergencePoint": 2}))(&o)
		if out := scenarios.Conclude(hosttest.Scenario(t, "other-answer-told"), openwop.Protocol.Ledger, o); len(out.Findings) == 0 {
			t.Error("no finding")
		}
	})
}

func TestJudgeOfTools(t *testing.T) {
	tool := func(output string) hosttest.Story {
		s := answeredWith("A")
		done := hosttest.Event{Kind: "node.completed", Payload: map[string]any{"nodeId": "nondet-tool",
			"outputs": map[string]any{"value": output}}}
		s.Events = append([]hosttest.Event{s.Events[0], {Kind: "node.started", Payload: map[string]any{"nodeId": "nondet-tool"}}, done},
			s.Events[1:]...)
		return s
	}
	for _, c := range []struct {
		name           string
		source, replay hosttest.Story
		want           string
	}{
		{"honest", tool("x"), tool("x"), "passed"},
		{"run again", tool("x"), tool("y"), requirement.OWPRPL4},
		{"left out", tool("x"), answeredWith("A"), requirement.OWPRPL4},
		{"something else behind it", tool("x"), tool("x").Then(hosttest.Event{Kind: "log.appended", Payload: map[string]any{}}), "passed"},
		{"not shown in the source", answeredWith("A"), answeredWith("A"), "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			hosttest.Expect(t, "tool-kept", replay.ToolObservation{Source: c.source.Log(t), Fork: forkedLog(t, "replay", 0, c.replay)}, c.want)
		})
	}
}

func TestJudgeOfKeys(t *testing.T) {
	key := func(c string) replay.KeyAnswer {
		return replay.KeyAnswer{What: c, Status: wiretest.Status(t, 200), Key: wiretest.Value(t,
			json.RawMessage(fmt.Sprintf("%q", strings.Repeat(c, 64))))}
	}
	for _, c := range []struct {
		name        string
		base        replay.KeyAnswer
		same, other []replay.KeyAnswer
		want        string
	}{
		{"honest", key("a"), []replay.KeyAnswer{key("a"), key("a")}, []replay.KeyAnswer{key("b"), key("c")}, "passed"},
		{"a constant", key("a"), []replay.KeyAnswer{key("a")}, []replay.KeyAnswer{key("a")}, requirement.OWPRPL14},
		{"minds the order", key("a"), []replay.KeyAnswer{key("a"), key("b")}, []replay.KeyAnswer{key("c")}, requirement.OWPRPL14},
		{"two others alike", key("a"), []replay.KeyAnswer{key("a")}, []replay.KeyAnswer{key("b"), key("b")}, requirement.OWPRPL14},
		{"upper case", key("A"), nil, nil, requirement.OWPRPL14},
		{"too short", replay.KeyAnswer{Status: wiretest.Status(t, 200), Key: wiretest.Value(t, json.RawMessage(`"abc"`))}, nil, nil,
			requirement.OWPRPL14},
		{"a refusal among the others", key("a"), []replay.KeyAnswer{key("a")},
			[]replay.KeyAnswer{{What: "b", Status: wiretest.Status(t, 500)}}, requirement.OWPRPL14},
		{"does not answer", replay.KeyAnswer{Status: wiretest.Status(t, 500)}, nil, nil, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			hosttest.Expect(t, "cache-keys", replay.KeyObservation{Path: "p", Base: c.base, Same: c.same, Other: c.other}, c.want)
		})
	}
	refused := replay.KeyAnswer{What: "a message in parts", Status: wiretest.Status(t, 400)}
	for _, c := range []struct {
		name        string
		bare, parts []replay.KeyAnswer
		want        string
	}{
		{"honest", []replay.KeyAnswer{key("c"), key("c")}, []replay.KeyAnswer{key("d"), key("e")}, "passed"},
		{"takes no parts", []replay.KeyAnswer{key("c"), key("c")}, []replay.KeyAnswer{refused, refused}, "passed"},
		{"minds an empty list of tools", []replay.KeyAnswer{key("c"), key("d")}, nil, requirement.OWPRPL14},
		{"never minds tools", []replay.KeyAnswer{key("a"), key("a")}, nil, requirement.OWPRPL14},
		{"never minds parts", []replay.KeyAnswer{key("c"), key("c")}, []replay.KeyAnswer{key("d"), key("d")}, requirement.OWPRPL14},
	} {
		t.Run("forms: "+c.name, func(t *testing.T) {
			hosttest.Expect(t, "cache-keys", replay.KeyObservation{Path: "p", Base: key("a"), Same: []replay.KeyAnswer{key("a")},
				Other: []replay.KeyAnswer{key("b")}, Bare: c.bare, Parts: c.parts}, c.want)
		})
	}
}
