package replay_test

import (
	"fmt"
	"testing"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/openwop/replay"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// forkedLog returns a fork of run r as an honest host serves it.
func forkedLog(t *testing.T, mode string, from int64, s hosttest.Story) host.Forked {
	t.Helper()
	reply := wiretest.Value(t, map[string]any{"runId": "f", "sourceRunId": "r", "mode": mode, "fromSeq": from, "status": "pending",
		"eventsUrl": "/v1/runs/f/events"})
	return host.Forked{FromSeq: from, Reply: reply, Log: hosttest.Fork(s).Log(t)}
}

func TestJudgeOfPrefixes(t *testing.T) {
	honest := func() replay.PrefixObservation {
		return replay.PrefixObservation{Way: "w", Source: hosttest.LoopOf(4).Log(t), Later: hosttest.LoopOf(4).Log(t),
			Forks: []host.Forked{forkedLog(t, "replay", 2, hosttest.LoopOf(4)), forkedLog(t, "replay", 7, hosttest.LoopOf(4))}}
	}
	spoilt := func(s hosttest.Story) func(*replay.PrefixObservation) {
		return func(o *replay.PrefixObservation) { o.Forks[1] = forkedLog(t, "replay", 7, s) }
	}
	unsupported := host.Forked{FromSeq: 3, Log: host.RunLog{Created: wiretest.Status(t, 501)}}
	for _, c := range []struct {
		name  string
		spoil func(*replay.PrefixObservation)
		want  string
	}{
		{"honest", func(*replay.PrefixObservation) {}, "passed"},
		{"another run in the payload: its own", spoilt(hosttest.LoopOf(4).Change("core.workflowChain.event", 0,
			func(p map[string]any) { p["parentRunId"] = "f" })), "passed"},
		{"another parent in the payload", spoilt(hosttest.LoopOf(4).Change("core.workflowChain.event", 0,
			func(p map[string]any) { p["parentRunId"] = "x" })), openwop.OWPRPL3},
		{"a brand-new run with other decisions", spoilt(hosttest.LoopOf(4).Change("runOrchestrator.decided", 0,
			func(p map[string]any) { p["agentId"] = "another" })), openwop.OWPRPL3},
		{"a brand-new run with children of its own", spoilt(hosttest.LoopOf(4).Change("core.workflowChain.event", 1,
			func(p map[string]any) { p["childRunId"] = "n1" })), openwop.OWPRPL3},
		{"an event left out", spoilt(hosttest.LoopOf(4).Drop("run.started")), openwop.OWPRPL3},
		{"a log that begins at fromSeq", spoilt(hosttest.Story{Id: "r", Status: "completed",
			Events: []hosttest.Event{{Kind: "run.completed", Payload: map[string]any{}}}}), openwop.OWPRPL3},
		{"the source itself as the fork", func(o *replay.PrefixObservation) { o.Forks[0].Log = o.Source }, openwop.OWPRPL1},
		{"another source in the reply", func(o *replay.PrefixObservation) {
			o.Forks[0].Reply = wiretest.Value(t, map[string]any{"runId": "f", "sourceRunId": "x", "mode": "replay"})
		}, openwop.OWPRPL1},
		{"another place in the reply", func(o *replay.PrefixObservation) {
			o.Forks[0].Reply = wiretest.Value(t, map[string]any{"runId": "f", "sourceRunId": "r", "mode": "replay", "fromSeq": 0})
		}, openwop.OWPRPL1},
		{"the events of the source", func(o *replay.PrefixObservation) {
			o.Forks[0].Reply = wiretest.Value(t, map[string]any{"runId": "f", "sourceRunId": "r", "mode": "replay",
				"eventsUrl": "/v1/runs/r/events"})
		}, openwop.OWPRPL1},
		{"an address of its own", func(o *replay.PrefixObservation) {
			o.Forks[0].Reply = wiretest.Value(t, map[string]any{"runId": "f", "sourceRunId": "r", "mode": "replay", "eventsUrl": "/logs/rrr"})
		}, "passed"},
		{"a fork that never ends", spoilt(hosttest.LoopOf(4).WithStatus("running")), openwop.OWPRPL1},
		{"no fork", func(o *replay.PrefixObservation) { o.Forks[0].Log = host.RunLog{Created: wiretest.Status(t, 404)} }, openwop.OWPRPL1},
		{"the fork goes into the source", func(o *replay.PrefixObservation) {
			o.Later = hosttest.LoopOf(4).Then(hosttest.Event{Kind: "run.started", Payload: map[string]any{}}).Log(t)
		}, openwop.OWPRPL2},
		{"the source is under way again",
			func(o *replay.PrefixObservation) { o.Later = hosttest.LoopOf(4).WithStatus("running").Log(t) }, openwop.OWPRPL2},
		{"refuses the place behind the last event", func(o *replay.PrefixObservation) {
			o.Forks[1].FromSeq, o.Forks[1].Log = host.Sequence(o.Source.Last())+1, host.RunLog{Created: wiretest.Status(t, 400)}
		}, "passed"},
		{"no longer has the state", func(o *replay.PrefixObservation) {
			o.Forks[0].Log = host.RunLog{Created: wiretest.Status(t, 422)}
		}, "passed"},
		{"calls a place inside malformed", func(o *replay.PrefixObservation) {
			o.Forks[0].Log = host.RunLog{Created: wiretest.Status(t, 400)}
		}, openwop.OWPRPL1},
		{"refuses every place", func(o *replay.PrefixObservation) {
			for i := range o.Forks {
				o.Forks[i].Log = host.RunLog{Created: wiretest.Status(t, 422)}
			}
		}, "blocked"},
		{"from the first event only", func(o *replay.PrefixObservation) { o.Forks = []host.Forked{unsupported, unsupported} }, "blocked"},
		{"from behind the last event only", func(o *replay.PrefixObservation) { o.Forks[0] = unsupported }, "passed"},
		{"a source that never ended", func(o *replay.PrefixObservation) { o.Source = hosttest.LoopOf(4).WithStatus("running").Log(t) },
			hosttest.BlockedOn("")},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			hosttest.Expect(t, "prefix-kept", o, c.want)
		})
	}
}

// drawing returns a run of nodes that drew these values.
func drawing(values ...any) hosttest.Story {
	s := hosttest.Story{Id: "r", Status: "completed", Events: []hosttest.Event{{Kind: "run.started",
		Payload: map[string]any{"workflowId": "w"}}}}
	outputs := map[string]any{}
	for i, v := range values {
		node := fmt.Sprint("random-", i+1)
		s.Events = append(s.Events, hosttest.Event{Kind: "node.started", Payload: map[string]any{"nodeId": node}},
			hosttest.Event{Kind: "node.completed", Payload: map[string]any{"nodeId": node, "outputs": map[string]any{"value": v}}})
		outputs[node] = v
	}
	s.Events = append(s.Events, hosttest.Event{Kind: "run.completed", Payload: map[string]any{"outputs": outputs}})
	return s
}

func TestJudgesOfDrawnValues(t *testing.T) {
	source := drawing("a", "b", "c")
	const afterFirst = 3 // run.started, then one node
	unsupported := func(o *replay.DrawnObservation) {
		o.Forks[1].Log = host.RunLog{Created: wiretest.Status(t, 501)}
		o.Forks[1].FromSeq = 3
	}
	replayed := func(s hosttest.Story) func(*replay.DrawnObservation) {
		return func(o *replay.DrawnObservation) { o.Forks[1] = forkedLog(t, "replay", 4, s) }
	}
	branched := func(s hosttest.Story) func(*replay.DrawnObservation) {
		return func(o *replay.DrawnObservation) {
			o.Forks = []host.Forked{forkedLog(t, "branch", afterFirst, s)}
		}
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*replay.DrawnObservation)
		want           string
	}{
		{"honest", "drawn-once", func(*replay.DrawnObservation) {}, "passed"},
		{"draws anew", "drawn-once", replayed(drawing("x", "y", "z")), openwop.OWPRPL4},
		{"draws the last anew", "drawn-once", replayed(drawing("a", "b", "z")), openwop.OWPRPL4},
		{"tells one and gives out another", "drawn-once", replayed(source.Change("run.completed", 0, func(p map[string]any) {
			p["outputs"] = map[string]any{"random-1": "x"}
		})), openwop.OWPRPL4},
		{"leaves the values out", "drawn-once", replayed(source.Drop("node.completed")), openwop.OWPRPL4},
		{"from the first event only", "drawn-once", unsupported, "passed"},
		{"the log of the source is gone", "drawn-once", func(o *replay.DrawnObservation) {
			o.Forks = []host.Forked{{Log: host.RunLog{Created: wiretest.Status(t, 410)}}, {FromSeq: 4,
				Log: host.RunLog{Created: wiretest.Status(t, 422)}}}
		}, "blocked"},
		{"nodes that draw the same in every run", "drawn-once",
			func(o *replay.DrawnObservation) { o.Control = drawing("a", "b", "c").Log(t) }, "blocked"},
		{"nodes that draw nothing", "drawn-once", func(o *replay.DrawnObservation) { o.Source = drawing("", "", "").Log(t) }, "blocked"},

		{"honest", "branch-draws", branched(drawing("a", "y", "z")), "passed"},
		{"another run", "branch-draws", branched(drawing("x", "y", "z")), openwop.OWPRPL10},
		{"a replay", "branch-draws", branched(source), openwop.OWPRPL11},
		{"draws one anew", "branch-draws", branched(drawing("a", "b", "z")), openwop.OWPRPL11},
		{"stops where it begins", "branch-draws", branched(drawing("a")), openwop.OWPRPL11},
		{"no fork", "branch-draws", func(o *replay.DrawnObservation) {
			o.Forks = []host.Forked{{FromSeq: 3, Log: host.RunLog{Created: wiretest.Status(t, 404)}}}
		}, openwop.OWPRPL11},
		{"no such mode", "branch-draws", func(o *replay.DrawnObservation) {
			o.Forks = []host.Forked{{FromSeq: 3, Log: host.RunLog{Created: wiretest.Status(t, 501)}}}
		}, "blocked"},
	} {
		t.Run(c.scenario+" "+c.name, func(t *testing.T) {
			control := drawing("d", "e", "f")
			control.Id = "c"
			o := replay.DrawnObservation{Source: source.Log(t), Control: control.Log(t),
				Forks: []host.Forked{forkedLog(t, "replay", 0, source), forkedLog(t, "replay", 4, source)}}
			c.spoil(&o)
			hosttest.Expect(t, c.scenario, o, c.want)
		})
	}
}

func TestJudgeOfOverlays(t *testing.T) {
	for _, c := range []struct {
		name         string
		free, capped hosttest.Story
		want         string
	}{
		{"honest", hosttest.LoopOf(4), hosttest.Bounded(3), "passed"},
		{"a child of its own", hosttest.LoopOf(4), hosttest.Bounded(3).Change("core.workflowChain.event", 1,
			func(p map[string]any) { p["childRunId"] = "n1" }), "passed"},
		{"the overlay has no effect", hosttest.LoopOf(4), hosttest.LoopOf(4), openwop.OWPRPL12},
		{"another bound", hosttest.LoopOf(4), hosttest.Bounded(2), openwop.OWPRPL12},
		{"a bound for every branch", hosttest.Bounded(3), hosttest.Bounded(3), openwop.OWPRPL12},
		{"a breach that is not told", hosttest.LoopOf(4), hosttest.Bounded(3).Drop("cap.breached"), openwop.OWPRPL12},
		{"a breach, and the run goes on", hosttest.LoopOf(4), hosttest.Bounded(3).WithStatus("completed"), openwop.OWPRPL12},
		{"another beginning", hosttest.LoopOf(4), hosttest.Bounded(3).Change("run.started", 0,
			func(p map[string]any) { p["workflowId"] = "x" }), openwop.OWPRPL10},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := replay.OverlayObservation{Turns: 4, Bound: 3, Source: hosttest.LoopOf(4).Log(t), Free: forkedLog(t, "branch", 1, c.free),
				Capped: forkedLog(t, "branch", 1, c.capped)}
			hosttest.Expect(t, "branch-bounded", o, c.want)
		})
	}
	for name, c := range map[string]struct{ first, want string }{
		"tags of its own, behind the same beginning": {"assay-loop", "passed"},
		"tags of its own, in another beginning":      {"x", openwop.OWPRPL10},
	} {
		t.Run(name, func(t *testing.T) {
			started := func(s hosttest.Story, workflow string) hosttest.Story {
				return s.Change("run.started", 0, func(p map[string]any) { p["workflowId"] = workflow })
			}
			o := replay.OverlayObservation{Turns: 4, Bound: 3, Source: started(hosttest.LoopOf(4), "assay-loop").Log(t),
				Free:   forkedLog(t, "branch", 1, started(hosttest.LoopOf(4), "assay-loop")),
				Capped: forkedLog(t, "branch", 1, started(hosttest.Bounded(3), "assay-loop")),
				Marked: forkedLog(t, "branch", 1, started(hosttest.LoopOf(4), c.first))}
			hosttest.Expect(t, "branch-bounded", o, c.want)
		})
	}
	o := replay.OverlayObservation{Turns: 4, Bound: 3, Source: hosttest.LoopOf(3).Log(t), Free: forkedLog(t, "branch", 1,
		hosttest.LoopOf(4)), Capped: forkedLog(t, "branch", 1, hosttest.Bounded(3))}
	hosttest.Expect(t, "branch-bounded", o, "blocked")
}

func TestJudgesOfForksThatCannotBe(t *testing.T) {
	said := func(status int) host.Answered {
		return host.Answered{Asked: "it", Status: wiretest.Status(t, status), Body: wiretest.Value(t,
			map[string]any{"error": "invalid_from_seq", "message": "m"})}
	}
	for _, c := range []struct {
		name  string
		spoil func(*replay.ForkRefusals)
		want  string
	}{
		{"honest", func(*replay.ForkRefusals) {}, "passed"},
		{"from the first event only", func(o *replay.ForkRefusals) { o.Edge = said(501) }, "passed"},
		{"422 for all that is malformed", func(o *replay.ForkRefusals) {
			o.Before, o.Overlay, o.NoMode = said(422), said(422),
				said(422)
		}, "passed"},
		{"refuses the place behind the last event", func(o *replay.ForkRefusals) { o.Edge = said(422) }, "passed"},
		{"falls over behind the last event", func(o *replay.ForkRefusals) { o.Edge = said(500) }, openwop.OWPRPL5},
		{"takes any place", func(o *replay.ForkRefusals) { o.Beyond = said(201) }, openwop.OWPRPL5},
		{"calls it malformed", func(o *replay.ForkRefusals) { o.Beyond = said(400) }, openwop.OWPRPL5},
		{"takes a place before the first", func(o *replay.ForkRefusals) { o.Before = said(201) }, openwop.OWPRPL6},
		{"falls over", func(o *replay.ForkRefusals) { o.Before = said(500) }, openwop.OWPRPL6},
		{"forks what never was", func(o *replay.ForkRefusals) { o.Unknown = said(201) }, openwop.OWPRPL7},
		{"looks at the bounds first", func(o *replay.ForkRefusals) { o.Nowhere = said(422) }, openwop.OWPRPL7},
		{"takes other options for a replay", func(o *replay.ForkRefusals) { o.Overlay = said(201) }, openwop.OWPRPL8},
		{"takes any mode", func(o *replay.ForkRefusals) { o.Strange = said(201) }, openwop.OWPRPL9},
		{"takes no mode", func(o *replay.ForkRefusals) { o.NoMode = said(201) }, openwop.OWPRPL9},
		{"refuses every fork", func(o *replay.ForkRefusals) { o.Control = said(422) }, hosttest.BlockedOn("")},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := replay.ForkRefusals{Source: hosttest.LoopOf(2).Log(t), Control: said(201), Edge: said(201), Beyond: said(422), Before: said(400),
				Unknown: said(404), Nowhere: said(404), Overlay: said(400), Strange: said(400), NoMode: said(400)}
			c.spoil(&o)
			hosttest.Expect(t, "forks-refused", o, c.want)
		})
	}
	for _, c := range []struct {
		name                  string
		control, open, beyond int
		want                  string
	}{
		{"honest", 201, 400, 422, "passed"},
		{"begins somewhere", 201, 201, 422, openwop.OWPRPL13},
		{"takes any place", 201, 400, 201, openwop.OWPRPL13},
		{"branches nowhere", 501, 501, 501, hosttest.BlockedOn("")},
	} {
		t.Run("branches: "+c.name, func(t *testing.T) {
			hosttest.Expect(t, "branches-refused", replay.BranchRefusals{Source: hosttest.LoopOf(2).Log(t), Control: said(c.control),
				Open: said(c.open), Beyond: said(c.beyond)}, c.want)
		})
	}
}
