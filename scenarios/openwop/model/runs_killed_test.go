package model_test

import (
	"slices"
	"testing"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// A run keeps what it told before its host was killed. One that was under way may do anything but begin to count anew.
func TestRunsWhoseHostIsKilled(t *testing.T) {
	l := loopOf(0, model.LoopTurn{Workers: [3]int{2}})
	whole := aLog(l, true)
	part := whole[:4]
	page := func(events []map[string]any) model.RunSaw {
		v := wiretest.Value(t, map[string]any{"status": 200, "body": map[string]any{"events": events}})
		return model.RunSaw{Status: v.Key("status"), Body: v.Key("body"), Events: v.At("/body/events").Items(), Cursor: -1, Whole: true,
			Settled: wire.Wait{Last: wiretest.Value(t, map[string]any{"runId": "run", "status": "running"})}, RunID: "run", Words: "words"}
	}
	recounted := slices.Concat(part, aLog(l, true)[1:2])
	recounted[4]["sequence"], recounted[4]["eventId"] = 4, "again"
	end := len(whole) - 1
	beyond := slices.Concat(whole[:end], []map[string]any{
		{"eventId": "more", "runId": "run", "sequence": end, "type": "runOrchestrator.decided", "payload": whole[1]["payload"]}})
	asking := loopOf(0, model.LoopTurn{Asks: true})
	for name, c := range map[string]struct {
		run   model.Run
		seen  []map[string]any // before the kill
		then  []map[string]any
		wrong scenarios.RequirementID
	}{
		"it goes on":                      {begun(l, 0), part, whole, ""},
		"it stands still for ever":        {begun(l, 0), part, part, ""},
		"it has lost what it told":        {begun(l, 0), part, part[:3], openwop.OWPEVT12},
		"it counts anew":                  {begun(l, 0), part, recounted, openwop.OWP0061B2},
		"one that waits has lost nothing": {begun(asking, 0), aLog(asking, false), aLog(asking, false), ""},
		"it has no end to its turns":      {begun(l, 0), part, beyond, openwop.OWPDSP5},
		"it crosses its bound":            {begun(loopOf(2, model.LoopTurn{Workers: [3]int{2}}), 0), part, whole, openwop.OWP0061E3},
	} {
		v := model.RunModel.Explain([]model.Run{c.run}, []history.Step[model.RunAsk, model.RunSaw]{
			{In: model.RunAsk{Do: model.PollRun}, Out: page(c.seen), Ended: 1},
			{In: model.RunAsk{Do: model.KillHost}, Began: 2, Ended: 3, Killed: true},
			{In: model.RunAsk{Do: model.Settle}, Out: page(c.then), Began: 4, Ended: 5},
		}, 0)
		switch {
		case c.wrong == "" && !v.Ok():
			t.Errorf("%s: %v", name, v.Closest[0].Misses)
		case c.wrong != "" && (v.Ok() ||
			!slices.ContainsFunc(v.Closest[0].Misses, func(m history.Miss) bool { return m.Of == c.wrong })):
			t.Errorf("%s: it is explained, or by another sentence than %s: %v", name, c.wrong, v.Closest)
		}
	}
}

// An empty page at a place where there was something shows that it is lost, and bears nothing out.
func TestAPageThatIsEmptyBehindAKill(t *testing.T) {
	l := loopOf(0, model.LoopTurn{Workers: [3]int{2}})
	shaken := begun(l, 0)
	shaken.Shaken = true
	if v := poll(t, shaken, aLog(l, true)[:4]); !v.Ok() {
		t.Fatalf("a page is not explained: %v", v.Closest[0].Misses)
	} else if v = poll(t, v.States[0], nil); v.Ok() || v.Closest[0].Misses[0].Of != openwop.OWPEVT12 {
		t.Errorf("an empty page is explained, or by another sentence: %v", v.Closest)
	}
	step := history.Step[model.RunAsk, model.RunSaw]{In: model.RunAsk{Do: model.PollRun}, Out: model.RunSaw{Cursor: -1, Whole: true}}
	if of := shaken; len(model.RunModel.RuleOf(of, step.In).Bears(of, step)) > 0 {
		t.Error("an empty page bears something out")
	}
}

// What a log bears out beside what each does hangs on what is on it.
func TestLogsOfLoopsBearOut(t *testing.T) {
	for name, c := range map[string]struct {
		loop     model.Loop
		leg      int
		answered bool
		want     scenarios.IDs
	}{
		"a loop": {loopOf(0, model.LoopTurn{Workers: [3]int{2}}), 0, true,
			scenarios.IDs{openwop.OWP0061B2, openwop.OWPDSP1, openwop.OWP0037A5, openwop.OWPDSP5}},
		"one that waits": {loopOf(0, model.LoopTurn{Asks: true}), 0, false,
			scenarios.IDs{openwop.OWP0061B2, openwop.OWPDSP1, openwop.OWP0037A5}},
		"one that was answered": {loopOf(0, model.LoopTurn{Asks: true}), 1, true,
			scenarios.IDs{openwop.OWP0061B2, openwop.OWP0061D1, openwop.OWPDSP1, openwop.OWP0037A5, openwop.OWPDSP5}},
		"one with a bound that it does not cross": {loopOf(5, model.LoopTurn{Workers: [3]int{2}}), 0, true,
			scenarios.IDs{openwop.OWP0061B2, openwop.OWPDSP1, openwop.OWP0037A5, openwop.OWP0061E6, openwop.OWPDSP5}},
		"one that crosses its bound": {loopOf(1, model.LoopTurn{Workers: [3]int{2}}), 0, true,
			scenarios.IDs{openwop.OWPDSP1, openwop.OWP0061E2, openwop.OWP0061E3}},
	} {
		run, log := begun(c.loop, c.leg), aLog(c.loop, c.answered)
		v := wiretest.Value(t, map[string]any{"events": log})
		step := history.Step[model.RunAsk, model.RunSaw]{In: model.RunAsk{Do: model.PollRun},
			Out: model.RunSaw{Events: v.Key("events").Items(), Cursor: -1, Whole: true, RunID: "run", Words: "words"}}
		if got := model.RunModel.RuleOf(run, step.In).Bears(run, step); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
