package model_test

import (
	"testing"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// What a step shows of a run, and by which sentence it may not.
func TestRunsTakeSteps(t *testing.T) {
	event := map[string]any{"eventId": "e1", "runId": "run", "sequence": 1, "type": "node.started"}
	v := wiretest.Value(t, map[string]any{"ok": 200, "gone": 404, "forbidden": 403, "events": []any{event},
		"over": map[string]any{"runId": "run", "status": "completed"}})
	timed := model.Run{Loop: model.Loop{Form: model.Steps}, Still: -1, Pause: model.Pausing}
	early := timed
	early.Early = true
	lasts := begun(loopOf(0, model.LoopTurn{Workers: [3]int{4}}), 0)
	for name, c := range map[string]struct {
		run   model.Run
		in    model.RunAsk
		out   model.RunSaw
		wrong scenarios.RequirementID
	}{
		"a pause that may have come too late": {timed, model.RunAsk{Do: model.LookAt}, model.RunSaw{Status: v.Key("ok"), Body: v.Key("over"),
			RunID: "run"}, ""},
		"a pause in time that is forgotten": {early, model.RunAsk{Do: model.LookAt}, model.RunSaw{Status: v.Key("ok"), Body: v.Key("over"),
			RunID: "run"}, openwop.OWPCTL19},
		"a worker that lasts is cancelled": {lasts, model.RunAsk{Do: model.CancelChild}, model.RunSaw{Status: v.Key("ok")}, ""},
		"a worker that lasts is no run":    {lasts, model.RunAsk{Do: model.CancelChild}, model.RunSaw{Status: v.Key("gone")}, openwop.OWPDSP12},
		"another tenant finds nothing": {lasts, model.RunAsk{Do: model.ForeignRun, Mode: "cancel it"},
			model.RunSaw{Status: v.Key("gone"), Never: v.Key("gone")}, ""},
		"another tenant is told that there is something": {lasts, model.RunAsk{Do: model.ForeignRun, Mode: "cancel it"},
			model.RunSaw{Status: v.Key("forbidden"), Never: v.Key("gone")}, openwop.OWPISO2},
		"another tenant cancels": {lasts, model.RunAsk{Do: model.ForeignRun, Mode: "cancel it"},
			model.RunSaw{Status: v.Key("ok"), Never: v.Key("gone")}, openwop.OWPISO3},
		"another tenant reads": {lasts, model.RunAsk{Do: model.ForeignRun, Mode: model.ForeignRead},
			model.RunSaw{Status: v.Key("ok"), Never: v.Key("gone")}, openwop.OWPISO1},
		"a stream tells what happens": {lasts, model.RunAsk{Do: model.CancelChild, Watch: true},
			model.RunSaw{Status: v.Key("ok"), Watched: true, Events: v.Key("events").Items(), Heard: v.Key("events").Items()}, ""},
		"a stream loses what happens": {lasts, model.RunAsk{Do: model.CancelChild, Watch: true},
			model.RunSaw{Status: v.Key("ok"), Watched: true, Events: v.Key("events").Items()}, openwop.OWPEVT26},
		"a stream stays open": {lasts, model.RunAsk{Do: model.CancelChild, Watch: true},
			model.RunSaw{Status: v.Key("ok"), Watched: true, Over: true}, openwop.OWPEVT23},
	} {
		v := model.RunModel.Explain([]model.Run{c.run}, []history.Step[model.RunAsk, model.RunSaw]{{In: c.in, Out: c.out}}, 0)
		switch {
		case c.wrong == "" && !v.Ok():
			t.Errorf("%s: %v", name, v.Closest[0].Misses)
		case c.wrong != "" && (v.Ok() || v.Closest[0].Misses[0].Of != c.wrong):
			t.Errorf("%s: it is explained, or by another sentence than %s: %v", name, c.wrong, v.Closest)
		}
	}
}
