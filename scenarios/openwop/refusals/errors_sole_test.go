package refusals_test

import (
	"testing"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/openwop/refusals"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestJudgeOfSoleRuns(t *testing.T) {
	made := func(id string) host.Answered {
		return host.Answered{Asked: "it", Status: wiretest.Status(t, 201), Body: wiretest.Value(t, map[string]any{"runId": id})}
	}
	refused := func() host.Answered { return hosttest.No(t, 409, "run_already_active") }
	honest := func() refusals.SoleObservation {
		return refusals.SoleObservation{Way: "w", First: made("r1"), Live: wiretest.Value(t, map[string]any{"status": "running"}),
			Second: refused(), Apart: made("r2"),
			AtOnce: []refusals.Rivals{{refused(), made("r3"), refused()}, {made("r5"), refused()}}, Theirs: made("r4"),
			Control: made("r5"), Ended: hosttest.LoopOf(2).Log(t).Ended, Again: made("r6")}
	}
	for _, c := range []struct {
		name  string
		spoil func(*refusals.SoleObservation)
		want  string
	}{
		{"honest", func(*refusals.SoleObservation) {}, "passed"},
		{"nobody of another tenant", func(o *refusals.SoleObservation) { o.Theirs, o.Control = host.Answered{}, host.Answered{} }, "passed"},
		{"another tenant that makes no runs", func(o *refusals.SoleObservation) { o.Theirs, o.Control = refused(), refused() }, "passed"},
		{"does not look at scopes", func(o *refusals.SoleObservation) { o.Second = made("r9") }, "inapplicable"},
		{"falls over", func(o *refusals.SoleObservation) { o.Second = hosttest.No(t, 500, "internal_error") }, openwop.OWPERR29},
		{"one scope for all", func(o *refusals.SoleObservation) { o.Apart = refused() }, openwop.OWPERR29},
		{"the scope of another tenant", func(o *refusals.SoleObservation) { o.Theirs = refused() }, openwop.OWPERR29},
		{"two at once", func(o *refusals.SoleObservation) { o.AtOnce[1][1] = made("r9") }, openwop.OWPERR29},
		{"none of those at once", func(o *refusals.SoleObservation) { o.AtOnce[0][1] = refused() }, openwop.OWPERR29},
		{"a scope that stays taken", func(o *refusals.SoleObservation) { o.Again = refused() }, openwop.OWPERR29},
		{"a run that ended by itself frees its scope", func(o *refusals.SoleObservation) {
			o.Over = []refusals.OverScope{{How: "fails", First: made("r7"), Ended: wire.Wait{Reached: true}, Again: made("r8")}}
		}, "passed"},
		{"a run that ended by itself keeps its scope", func(o *refusals.SoleObservation) {
			o.Over = []refusals.OverScope{{How: "fails", First: made("r7"), Ended: wire.Wait{Reached: true}, Again: refused()}}
		}, openwop.OWPERR29},
		{"no run under way", func(o *refusals.SoleObservation) { o.Live = wiretest.Value(t, map[string]any{"status": "completed"}) },
			"blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honest()
			c.spoil(&o)
			hosttest.Expect(t, "one-per-scope", o, c.want)
		})
	}
}
