package openwop_test

import (
	"fmt"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// forkedLog is a fork of run r as an honest host answers it.
func forkedLog(t *testing.T, mode string, from int64, s story) openwop.Forked {
	t.Helper()
	reply := wiretest.Value(t, map[string]any{"runId": "f", "sourceRunId": "r", "mode": mode, "fromSeq": from, "status": "pending", "eventsUrl": "/v1/runs/f/events"})
	return openwop.Forked{FromSeq: from, Reply: reply, Log: fork(s).log(t)}
}

func TestJudgeOfPrefixes(t *testing.T) {
	honest := func() openwop.PrefixObservation {
		return openwop.PrefixObservation{Way: "w", Source: loop(4).log(t), Later: loop(4).log(t),
			Forks: []openwop.Forked{forkedLog(t, "replay", 2, loop(4)), forkedLog(t, "replay", 7, loop(4))}}
	}
	spoilt := func(s story) func(*openwop.PrefixObservation) {
		return func(o *openwop.PrefixObservation) { o.Forks[1] = forkedLog(t, "replay", 7, s) }
	}
	unsupported := openwop.Forked{FromSeq: 3, Log: openwop.RunLog{Created: wiretest.Status(t, 501)}}
	for _, c := range []struct {
		name  string
		spoil func(*openwop.PrefixObservation)
		want  string
	}{
		{"honest", func(*openwop.PrefixObservation) {}, "passed"},
		{"another run in the payload: its own", spoilt(loop(4).change("core.workflowChain.event", 0, func(p map[string]any) { p["parentRunId"] = "f" })), "passed"},
		{"another parent in the payload", spoilt(loop(4).change("core.workflowChain.event", 0, func(p map[string]any) { p["parentRunId"] = "x" })), openwopv1.OWPRPL3},
		{"a brand-new run with other decisions", spoilt(loop(4).change("runOrchestrator.decided", 0, func(p map[string]any) { p["agentId"] = "another" })), openwopv1.OWPRPL3},
		{"a brand-new run with children of its own", spoilt(loop(4).change("core.workflowChain.event", 1, func(p map[string]any) { p["childRunId"] = "n1" })), openwopv1.OWPRPL3},
		{"an event left out", spoilt(loop(4).drop("run.started")), openwopv1.OWPRPL3},
		{"a log that begins at fromSeq", spoilt(story{id: "r", status: "completed", events: []event{{"run.completed", map[string]any{}}}}), openwopv1.OWPRPL3},
		{"the source itself as the fork", func(o *openwop.PrefixObservation) { o.Forks[0].Log = o.Source }, openwopv1.OWPRPL1},
		{"another source in the reply", func(o *openwop.PrefixObservation) {
			o.Forks[0].Reply = wiretest.Value(t, map[string]any{"runId": "f", "sourceRunId": "x", "mode": "replay"})
		}, openwopv1.OWPRPL1},
		{"another place in the reply", func(o *openwop.PrefixObservation) {
			o.Forks[0].Reply = wiretest.Value(t, map[string]any{"runId": "f", "sourceRunId": "r", "mode": "replay", "fromSeq": 0})
		}, openwopv1.OWPRPL1},
		{"a fork that never ends", spoilt(loop(4).withStatus("running")), openwopv1.OWPRPL1},
		{"no fork", func(o *openwop.PrefixObservation) { o.Forks[0].Log = openwop.RunLog{Created: wiretest.Status(t, 404)} }, openwopv1.OWPRPL1},
		{"the fork goes into the source", func(o *openwop.PrefixObservation) {
			o.Later = loop(4).then(event{"run.started", map[string]any{}}).log(t)
		}, openwopv1.OWPRPL2},
		{"the source is under way again", func(o *openwop.PrefixObservation) { o.Later = loop(4).withStatus("running").log(t) }, openwopv1.OWPRPL2},
		{"from the first event only", func(o *openwop.PrefixObservation) { o.Forks = []openwop.Forked{unsupported, unsupported} }, "blocked"},
		{"from behind the last event only", func(o *openwop.PrefixObservation) { o.Forks[0] = unsupported }, "passed"},
		{"a source that never ended", func(o *openwop.PrefixObservation) { o.Source = loop(4).withStatus("running").log(t) }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			expect(t, "prefix-kept", o, c.want)
		})
	}
}

// drawing is a run of nodes that drew these values.
func drawing(values ...any) story {
	s := story{id: "r", status: "completed", events: []event{{"run.started", map[string]any{"workflowId": "w"}}}}
	outputs := map[string]any{}
	for i, v := range values {
		node := fmt.Sprint("random-", i+1)
		s.events = append(s.events, event{"node.started", map[string]any{"nodeId": node}},
			event{"node.completed", map[string]any{"nodeId": node, "outputs": map[string]any{"value": v}}})
		outputs[node] = v
	}
	s.events = append(s.events, event{"run.completed", map[string]any{"outputs": outputs}})
	return s
}

func TestJudgesOfDrawnValues(t *testing.T) {
	source := drawing("a", "b", "c")
	const afterFirst = 3 // run.started, then one node
	unsupported := func(o *openwop.DrawnObservation) {
		o.Forks[1].Log = openwop.RunLog{Created: wiretest.Status(t, 501)}
		o.Forks[1].FromSeq = 3
	}
	replayed := func(s story) func(*openwop.DrawnObservation) {
		return func(o *openwop.DrawnObservation) { o.Forks[1] = forkedLog(t, "replay", 4, s) }
	}
	branched := func(s story) func(*openwop.DrawnObservation) {
		return func(o *openwop.DrawnObservation) {
			o.Forks = []openwop.Forked{forkedLog(t, "branch", afterFirst, s)}
		}
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*openwop.DrawnObservation)
		want           string
	}{
		{"honest", "drawn-once", func(*openwop.DrawnObservation) {}, "passed"},
		{"draws anew", "drawn-once", replayed(drawing("x", "y", "z")), openwopv1.OWPRPL4},
		{"draws the last anew", "drawn-once", replayed(drawing("a", "b", "z")), openwopv1.OWPRPL4},
		{"tells one and gives out another", "drawn-once", replayed(source.change("run.completed", 0, func(p map[string]any) {
			p["outputs"] = map[string]any{"random-1": "x"}
		})), openwopv1.OWPRPL4},
		{"leaves the values out", "drawn-once", replayed(source.drop("node.completed")), openwopv1.OWPRPL4},
		{"from the first event only", "drawn-once", unsupported, "passed"},
		{"nodes that draw the same in every run", "drawn-once", func(o *openwop.DrawnObservation) { o.Control = drawing("a", "b", "c").log(t) }, "blocked"},
		{"nodes that draw nothing", "drawn-once", func(o *openwop.DrawnObservation) { o.Source = drawing("", "", "").log(t) }, "blocked"},

		{"honest", "branch-draws", branched(drawing("a", "y", "z")), "passed"},
		{"another run", "branch-draws", branched(drawing("x", "y", "z")), openwopv1.OWPRPL10},
		{"a replay", "branch-draws", branched(source), openwopv1.OWPRPL11},
		{"draws one anew", "branch-draws", branched(drawing("a", "b", "z")), openwopv1.OWPRPL11},
		{"stops where it begins", "branch-draws", branched(drawing("a")), openwopv1.OWPRPL11},
		{"no fork", "branch-draws", func(o *openwop.DrawnObservation) {
			o.Forks = []openwop.Forked{{FromSeq: 3, Log: openwop.RunLog{Created: wiretest.Status(t, 501)}}}
		}, openwopv1.OWPRPL11},
	} {
		t.Run(c.scenario+" "+c.name, func(t *testing.T) {
			control := drawing("d", "e", "f")
			control.id = "c"
			o := openwop.DrawnObservation{Source: source.log(t), Control: control.log(t),
				Forks: []openwop.Forked{forkedLog(t, "replay", 0, source), forkedLog(t, "replay", 4, source)}}
			c.spoil(&o)
			expect(t, c.scenario, o, c.want)
		})
	}
}

func TestJudgeOfOverlays(t *testing.T) {
	for _, c := range []struct {
		name         string
		free, capped story
		want         string
	}{
		{"honest", loop(4), bounded(3), "passed"},
		{"a child of its own", loop(4), bounded(3).change("core.workflowChain.event", 1, func(p map[string]any) { p["childRunId"] = "n1" }), "passed"},
		{"the overlay has no effect", loop(4), loop(4), openwopv1.OWPRPL12},
		{"another bound", loop(4), bounded(2), openwopv1.OWPRPL12},
		{"a bound for every branch", bounded(3), bounded(3), openwopv1.OWPRPL12},
		{"a breach that is not told", loop(4), bounded(3).drop("cap.breached"), openwopv1.OWPRPL12},
		{"a breach, and the run goes on", loop(4), bounded(3).withStatus("completed"), openwopv1.OWPRPL12},
		{"another beginning", loop(4), bounded(3).change("run.started", 0, func(p map[string]any) { p["workflowId"] = "x" }), openwopv1.OWPRPL10},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := openwop.OverlayObservation{Turns: 4, Bound: 3, Source: loop(4).log(t), Free: forkedLog(t, "branch", 1, c.free), Capped: forkedLog(t, "branch", 1, c.capped)}
			expect(t, "branch-bounded", o, c.want)
		})
	}
	o := openwop.OverlayObservation{Turns: 4, Bound: 3, Source: loop(3).log(t), Free: forkedLog(t, "branch", 1, loop(4)), Capped: forkedLog(t, "branch", 1, bounded(3))}
	expect(t, "branch-bounded", o, "blocked")
}

func TestJudgesOfForksThatCannotBe(t *testing.T) {
	said := func(status int) openwop.Answered {
		return openwop.Answered{Asked: "it", Status: wiretest.Status(t, status), Body: wiretest.Value(t, map[string]any{"error": "invalid_from_seq", "message": "m"})}
	}
	for _, c := range []struct {
		name  string
		spoil func(*openwop.ForkRefusals)
		want  string
	}{
		{"honest", func(*openwop.ForkRefusals) {}, "passed"},
		{"from the first event only", func(o *openwop.ForkRefusals) { o.Edge = said(501) }, "passed"},
		{"422 for all that is malformed", func(o *openwop.ForkRefusals) { o.Before, o.Overlay, o.NoMode = said(422), said(422), said(422) }, "passed"},
		{"refuses the place behind the last event", func(o *openwop.ForkRefusals) { o.Edge = said(422) }, openwopv1.OWPRPL5},
		{"takes any place", func(o *openwop.ForkRefusals) { o.Beyond = said(201) }, openwopv1.OWPRPL5},
		{"calls it malformed", func(o *openwop.ForkRefusals) { o.Beyond = said(400) }, openwopv1.OWPRPL5},
		{"takes a place before the first", func(o *openwop.ForkRefusals) { o.Before = said(201) }, openwopv1.OWPRPL6},
		{"falls over", func(o *openwop.ForkRefusals) { o.Before = said(500) }, openwopv1.OWPRPL6},
		{"forks what never was", func(o *openwop.ForkRefusals) { o.Unknown = said(201) }, openwopv1.OWPRPL7},
		{"looks at the bounds first", func(o *openwop.ForkRefusals) { o.Nowhere = said(422) }, openwopv1.OWPRPL7},
		{"takes other options for a replay", func(o *openwop.ForkRefusals) { o.Overlay = said(201) }, openwopv1.OWPRPL8},
		{"takes any mode", func(o *openwop.ForkRefusals) { o.Strange = said(201) }, openwopv1.OWPRPL9},
		{"takes no mode", func(o *openwop.ForkRefusals) { o.NoMode = said(201) }, openwopv1.OWPRPL9},
		{"refuses every fork", func(o *openwop.ForkRefusals) { o.Control = said(422) }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := openwop.ForkRefusals{Source: loop(2).log(t), Control: said(201), Edge: said(201), Beyond: said(422), Before: said(400),
				Unknown: said(404), Nowhere: said(404), Overlay: said(400), Strange: said(400), NoMode: said(400)}
			c.spoil(&o)
			expect(t, "forks-refused", o, c.want)
		})
	}
	for _, c := range []struct {
		name                  string
		control, open, beyond int
		want                  string
	}{
		{"honest", 201, 400, 422, "passed"},
		{"begins somewhere", 201, 201, 422, openwopv1.OWPRPL13},
		{"takes any place", 201, 400, 201, openwopv1.OWPRPL13},
		{"branches nowhere", 501, 501, 501, "blocked"},
	} {
		t.Run("branches: "+c.name, func(t *testing.T) {
			expect(t, "branches-refused", openwop.BranchRefusals{Source: loop(2).log(t), Control: said(c.control), Open: said(c.open), Beyond: said(c.beyond)}, c.want)
		})
	}
}
