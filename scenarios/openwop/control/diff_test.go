package control_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/control"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
)

func TestJudgesOfDiffs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: large observations")
	}
	drew := func(id, value string) hosttest.Story {
		s := hosttest.Story{Id: id, Status: "completed", Events: []hosttest.Event{runStarted, began("random-1"),
			{Kind: "node.completed", Payload: map[string]any{"nodeId": "random-1", "outputs": map[string]any{"value": value}}},
			{Kind: "run.completed", Payload: map[string]any{"outputs": map[string]any{}}}}}
		return s
	}
	fails := hosttest.Story{Id: "f", Status: "failed", Events: []hosttest.Event{{Kind: "run.started",
		Payload: map[string]any{"workflowId": "other"}}, began("random-1"),
		{Kind: "node.failed", Payload: map[string]any{"nodeId": "random-1"}}, {Kind: "run.failed", Payload: map[string]any{}},
		{Kind: "log.appended", Payload: map[string]any{}}}}
	one, two := drew("a", "x"), drew("b", "y")
	place := func(seq int, op string, a, b *hosttest.Story) map[string]any {
		p := map[string]any{"seq": seq, "op": op}
		if a != nil {
			p["aEvent"] = map[string]any{"type": a.Events[seq].Kind, "payload": a.Events[seq].Payload}
		}
		if b != nil {
			p["bEvent"] = map[string]any{"type": b.Events[seq].Kind, "payload": b.Events[seq].Payload}
		}
		return p
	}
	reply := func(t *testing.T, a, b string, first any, state map[string]any, places ...any) host.Answered {
		if places == nil {
			places = []any{}
		}
		return hosttest.Told(t, a+" and "+b, 200, map[string]any{"a": a, "b": b, "divergedAtSeq": first, "eventDiffs": places,
			"stateDiff": state})
	}
	none := map[string]any{}
	state := map[string]any{"status": map[string]any{"a": "completed", "b": "failed"}}
	all := []any{place(0, "changed", &one, &fails), place(2, "changed", &one, &fails), place(3, "changed", &one, &fails),
		place(4, "added", nil, &fails)}
	honest := func(t *testing.T) control.DiffObservation {
		return control.DiffObservation{
			Self:   control.Diffed{A: one.Log(t), B: one.Log(t), Reply: reply(t, "a", "a", nil, none)},
			Alike:  control.Diffed{A: one.Log(t), B: two.Log(t), Reply: reply(t, "a", "b", 2, none, place(2, "changed", &one, &two))},
			Other:  control.Diffed{A: one.Log(t), B: fails.Log(t), Reply: reply(t, "a", "f", 0, state, all...)},
			Replay: &control.Diffed{A: one.Log(t), B: drew("c", "x").Log(t), Reply: reply(t, "a", "c", nil, none)},
			Never:  []host.Answered{hosttest.No(t, 404, "not_found"), hosttest.No(t, 404, "not_found")},
		}
	}
	for _, c := range []struct {
		name  string
		spoil func(*testing.T, *control.DiffObservation)
		want  string // of diff-of-itself, diff-tells-all, diff-of-states, diff-of-unknown
	}{
		{"honest", func(*testing.T, *control.DiffObservation) {}, "passed passed passed passed"},
		{"shows no events", func(t *testing.T, o *control.DiffObservation) {
			o.Alike.Reply = reply(t, "a", "b", 2, none, map[string]any{"seq": 2, "op": "changed"})
		}, "passed passed passed passed"},
		{"stops early and says so", func(t *testing.T, o *control.DiffObservation) {
			o.Other.Reply = hosttest.Told(t, "it", 200, map[string]any{"a": "a", "b": "f", "divergedAtSeq": 0, "eventDiffs": all[:1],
				"stateDiff": state, "truncated": true})
		}, "passed passed passed passed"},
		{"stops early", func(t *testing.T, o *control.DiffObservation) {
			o.Other.Reply = reply(t, "a", "f", 0, state, all[:1]...)
		}, "passed " + openwop.OWPCTL32 + " passed passed"},
		{"tells of more places than there are", func(t *testing.T, o *control.DiffObservation) {
			o.Alike.Reply = reply(t, "a", "b", 2, none, slices.Repeat([]any{place(2, "changed", &one, &two)}, 100_000)...)
		}, "passed " + openwop.OWPCTL32 + " passed passed"},
		{"nothing ever differs", func(t *testing.T, o *control.DiffObservation) {
			o.Alike.Reply, o.Other.Reply = reply(t, "a", "b", nil, none), reply(t, "a", "f", nil, none)
		}, "passed " + openwop.OWPCTL32 + " " + openwop.OWPCTL36 + " passed"},
		{"everything differs", func(t *testing.T, o *control.DiffObservation) {
			o.Self.Reply = reply(t, "a", "a", 0, none, place(0, "changed", &one, &one))
		}, openwop.OWPCTL31 + " passed passed passed"},
		{"a state differs from itself", func(t *testing.T,
			o *control.DiffObservation) {
			o.Self.Reply = reply(t, "a", "a", nil, state)
		}, openwop.OWPCTL31 + " passed passed passed"},
		{"the wrong way round", func(t *testing.T, o *control.DiffObservation) {
			o.Alike.Reply = reply(t, "b", "a", 2, none, place(2, "changed", &two, &one))
		}, "passed " + openwop.OWPCTL30 + " passed passed"},
		{"added is removed", func(t *testing.T, o *control.DiffObservation) {
			o.Other.Reply = reply(t, "a", "f", 0, state, all[0], all[1], all[2], place(4, "removed", nil, &fails))
		}, "passed " + openwop.OWPCTL32 + " passed passed"},
		{"shows what was not there", func(t *testing.T, o *control.DiffObservation) {
			o.Alike.Reply = reply(t, "a", "b", 2, none, place(2, "changed", &two, &one))
		}, "passed " + openwop.OWPCTL33 + " passed passed"},
		{"says that they part later", func(t *testing.T, o *control.DiffObservation) {
			o.Alike.Reply = reply(t, "a", "b", 3, none, place(2, "changed", &one, &two))
		}, "passed " + openwop.OWPCTL34 + " passed passed"},
		{"says that they part nowhere", func(t *testing.T, o *control.DiffObservation) {
			o.Alike.Reply = reply(t, "a", "b", nil, none, place(2, "changed", &one, &two))
		}, "passed " + openwop.OWPCTL34 + " passed passed"},
		{"anything is there", func(t *testing.T, o *control.DiffObservation) { o.Never[1] = reply(t, "n", "a", nil, none) },
			"passed passed passed " + openwop.OWPCTL37},
		{"falls over", func(t *testing.T, o *control.DiffObservation) { o.Never[0] = hosttest.No(t, 500, "internal_error") },
			"passed passed passed " + openwop.OWPCTL37},
		{"no workflow that fails", func(t *testing.T, o *control.DiffObservation) { o.Other = control.Diffed{} }, "passed passed blocked passed"},
		{"no two that differ", func(t *testing.T, o *control.DiffObservation) {
			o.Other, o.Alike = control.Diffed{}, control.Diffed{A: one.Log(t), B: drew("b", "x").Log(t), Reply: reply(t, "a", "b", nil, none)}
		}, "passed blocked blocked passed"},
		{"truncates all of it", func(t *testing.T, o *control.DiffObservation) {
			for _, d := range []*control.Diffed{&o.Alike, &o.Other} {
				d.Reply = hosttest.Told(t, "it", 200, map[string]any{"a": d.A.RunID, "b": d.B.RunID, "divergedAtSeq": nil,
					"eventDiffs": []any{}, "stateDiff": state, "truncated": true})
			}
		}, "passed blocked passed passed"},
		{"no log", func(t *testing.T, o *control.DiffObservation) {
			o.Self.A.Events, o.Alike.A.Events, o.Other.A.Events = nil, nil, nil
		}, "blocked blocked blocked blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest(t)
			c.spoil(t, &o)
			for i, want := range strings.Fields(c.want) {
				hosttest.Expect(t, []string{"diff-of-itself", "diff-tells-all", "diff-of-states", "diff-of-unknown"}[i], o, want)
			}
		})
	}
	t.Run("that ids and times count is told", func(t *testing.T) {
		o := honest(t)
		o.Replay.Reply = reply(t, "a", "c", 0, none)
		if got := hosttest.Findings(t, "diff-tells-all", o); !slices.Contains(got, openwop.OWPCTL35) {
			t.Errorf("findings of a replay that differs: %v", got)
		}
		o = honest(t)
		o.Alike.Reply = reply(t, "a", "b", 0, none, place(0, "changed", &one, &two), place(2, "changed", &one, &two))
		if got := hosttest.Findings(t, "diff-tells-all", o); !slices.Contains(got, openwop.OWPCTL35) {
			t.Errorf("findings of a place that is the same: %v", got)
		}
	})
}
