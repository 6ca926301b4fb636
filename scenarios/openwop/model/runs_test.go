package model_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// loopOf is a loop whose second turn asks, or doubts.
func loopOf(bound int, second model.LoopTurn) model.Loop {
	return model.Loop{Form: model.Looping, Workflow: "loop", N: 3, Bound: bound,
		Workers: [8]model.Worker{{"one", model.Completes}, {"two", model.Completes}, {"fails", model.Fails}, {"lasts", model.Lasts}},
		Turns:   [9]model.LoopTurn{{Workers: [3]int{1, 2}}, second}}
}

// aLog is the log of a run that goes as planned up to the turn that waits, or to its end.
func aLog(l model.Loop, answered bool) (events []map[string]any) {
	add := func(kind string, payload map[string]any) {
		n := len(events)
		events = append(events, map[string]any{"eventId": fmt.Sprint("e", n), "runId": "run", "sequence": n, "type": kind, "payload": payload})
	}
	add("run.started", map[string]any{})
	for i, turn := range l.Program("words").Turns {
		if l.Bound > 0 && i >= l.Bound {
			add("cap.breached", map[string]any{"kind": "loop-iterations", "limit": l.Bound, "observed": l.Bound + 1})
			add("run.failed", map[string]any{})
			return events
		}
		add("runOrchestrator.decided", map[string]any{"decision": turn.Decision(), "iteration": i + 1})
		if hold, _, ok := l.HoldOf(0); ok && hold == i && !answered {
			return events
		}
		for _, w := range turn.Workers {
			add("core.workflowChain.event", map[string]any{"phase": "dispatch.began", "workerId": w})
			phase := map[string]string{"fails": "child.failed", "lasts": "child.cancelled"}[w]
			if phase == "" {
				phase = "child.completed"
			}
			add("core.workflowChain.event", map[string]any{"phase": phase, "workerId": w})
		}
	}
	add("run.completed", map[string]any{})
	return events
}

// poll asks for a page without a cursor.
func poll(t *testing.T, s model.Run, events []map[string]any) history.Verdict[model.Run, model.RunAsk, model.RunSaw] {
	t.Helper()
	v := wiretest.Value(t, map[string]any{"status": 200, "body": map[string]any{"events": events, "isComplete": true}})
	return model.RunModel.Explain([]model.Run{s}, []history.Step[model.RunAsk, model.RunSaw]{{
		In: model.RunAsk{Do: model.PollRun},
		Out: model.RunSaw{Status: v.Key("status"), Body: v.Key("body"), Events: v.At("/body/events").Items(), Cursor: -1, Whole: true,
			RunID: "run", Words: "words"},
	}}, 0)
}

func begun(l model.Loop, leg int) model.Run {
	return model.Run{Loop: l, Leg: leg, Still: -1, Claims: model.Claims{Counts: true}}
}

// A log that goes as planned is explained as far as somebody answered, and no further.
func TestRunsGoAsPlanned(t *testing.T) {
	for name, c := range map[string]struct {
		loop  model.Loop
		leg   int
		log   bool // beyond the turn that waits
		wrong scenarios.RequirementID
	}{
		"asks":                 {loopOf(0, model.LoopTurn{Asks: true}), 0, false, ""},
		"asks, unanswered":     {loopOf(0, model.LoopTurn{Asks: true}), 0, true, openwop.OWPINT1},
		"asks, answered":       {loopOf(0, model.LoopTurn{Asks: true}), 1, true, ""},
		"doubts":               {loopOf(0, model.LoopTurn{Workers: [3]int{2}, Doubt: true}), 0, false, ""},
		"doubts, unanswered":   {loopOf(0, model.LoopTurn{Workers: [3]int{2}, Doubt: true}), 0, true, openwop.OWPINT5},
		"doubts, answered":     {loopOf(0, model.LoopTurn{Workers: [3]int{2}, Doubt: true}), 1, true, ""},
		"fails":                {loopOf(0, model.LoopTurn{Workers: [3]int{3, 1}}), 0, true, ""},
		"lasts, cancelled":     {loopOf(0, model.LoopTurn{Workers: [3]int{1, 4, 2}}), 1, true, ""},
		"lasts, passed over":   {loopOf(0, model.LoopTurn{Workers: [3]int{1, 4, 2}}), 0, true, openwop.OWPDSP14},
		"bounded before it":    {loopOf(1, model.LoopTurn{Asks: true}), 0, true, ""},
		"bounded and answered": {loopOf(2, model.LoopTurn{Asks: true}), 1, true, ""},
	} {
		v := poll(t, begun(c.loop, c.leg), aLog(c.loop, c.log))
		switch {
		case c.wrong == "" && !v.Ok():
			t.Errorf("%s: %v", name, v.Closest[0].Misses)
		case c.wrong != "" && (v.Ok() || v.Closest[0].Misses[0].Of != c.wrong):
			t.Errorf("%s: it is explained, or by another sentence than %s: %v", name, c.wrong, v.Closest)
		}
	}
}

// Whatever single thing is changed in a log that was read before: it is not explained.
func TestRunsKeepTheirLog(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := loopOf(rapid.IntRange(0, 3).Draw(rt, "bound"), model.LoopTurn{Asks: true})
		events := aLog(l, true)
		first := poll(t, begun(l, 1), events)
		if !first.Ok() {
			rt.Fatal(first.Closest[0].Misses)
		}
		at := rapid.IntRange(0, len(events)-1).Draw(rt, "event")
		switch rapid.IntRange(0, 3).Draw(rt, "change") {
		case 0:
			events[at]["eventId"] = "another"
		case 1:
			events[at]["type"] = "node.started"
		case 2:
			events[at]["payload"] = map[string]any{"else": true}
		case 3:
			if at == len(events)-1 {
				rt.Skip("a page may end before the log does, if it does not say that it is complete")
			}
			events = slices.Delete(slices.Clone(events), at, at+1)
		}
		if v := poll(t, first.States[0], events); v.Ok() {
			rt.Fatalf("it is explained: %v", events)
		}
	})
}
