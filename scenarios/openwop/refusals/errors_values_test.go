package refusals_test

import (
	"slices"
	"testing"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/openwop/refusals"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestJudgesOfValuesAndRefusalsUnderAKey(t *testing.T) {
	run := func(id string) host.KeyedRun { return host.KeyedRun{Answered: hosttest.MadeRun(t, id)} }
	again := func(k host.KeyedRun) host.KeyedRun {
		k.Replay = wiretest.Value(t, `"true"`)
		return k
	}
	no := func(status int, code string) host.KeyedRun {
		return host.KeyedRun{Answered: hosttest.No(t, status, code)}
	}
	mismatch, beyond := no(409, "idempotency_key_mismatch"), no(422, "invalid_from_seq")
	for _, c := range []struct {
		name  string
		spoil func(*refusals.IdempotencyObservation)
		want  string
	}{
		{"honest", func(*refusals.IdempotencyObservation) {}, "passed"},
		{"compares what was sent", func(o *refusals.IdempotencyObservation) {
			o.Numbers.Same = []host.KeyedRun{mismatch, mismatch}
		}, "passed"},
		{"makes a run of a value that is written otherwise", func(o *refusals.IdempotencyObservation) { o.Numbers.Same[0] = run("r9") },
			openwop.OWPERR18},
		{"takes another value for the same", func(o *refusals.IdempotencyObservation) { o.Numbers.Others[1] = again(run("r5")) },
			openwop.OWPERR19},
		{"makes a run of another value", func(o *refusals.IdempotencyObservation) { o.Numbers.Others[0] = run("r9") }, openwop.OWPERR19},
		{"takes no values", func(o *refusals.IdempotencyObservation) {
			o.Numbers = refusals.KeyedValues{First: no(400, "validation_error")}
		},
			"passed"},
		{"refuses otherwise the second time", func(o *refusals.IdempotencyObservation) { o.Refusal.Repeat = run("r9") }, openwop.OWPERR18},
		{"forks under the key of a refusal", func(o *refusals.IdempotencyObservation) { o.Refusal.Valid = run("r9") }, openwop.OWPERR19},
		{"gives the refusal for another body", func(o *refusals.IdempotencyObservation) { o.Refusal.Valid = again(beyond) }, openwop.OWPERR19},
		{"does not say that a refusal is given again", func(o *refusals.IdempotencyObservation) { o.Refusal.Repeat = beyond }, "passed"},
		{"takes a fork that was mended", func(o *refusals.IdempotencyObservation) {
			o.Refusal.Misfit, o.Refusal.Mended = no(400, "validation_error"), run("r10")
		}, "passed"},
		{"refuses a fork that was mended", func(o *refusals.IdempotencyObservation) {
			o.Refusal.Misfit, o.Refusal.Mended = no(400, "validation_error"), mismatch
		}, openwop.OWPERR27},
		{"keeps a refusal for another cause", func(o *refusals.IdempotencyObservation) {
			o.Refusal.Misfit, o.Refusal.Mended = no(400, "replay_options_fixed"), mismatch
		}, "passed"},
		{"refuses a run that was mended", func(o *refusals.IdempotencyObservation) {
			o.Misfit, o.Mended = no(400, "validation_error"), mismatch
		}, openwop.OWPERR27},
		{"keeps a refusal that is final", func(o *refusals.IdempotencyObservation) {
			o.Misfit, o.Mended = no(422, "validation_error"), mismatch
		}, "passed"},
		{"keeps nothing of forks", func(o *refusals.IdempotencyObservation) {
			o.Refusal = refusals.KeyedFork{Made: run("r6"), Again: run("r7"), Other: run("r8")}
		}, "passed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := refusals.IdempotencyObservation{First: run("r1"), Again: again(run("r1")), Reordered: again(run("r1")), Other: mismatch,
				Fresh: run("r2"), Last: again(run("r1")),
				Numbers: refusals.KeyedValues{First: run("r5"), Same: []host.KeyedRun{again(run("r5")), mismatch},
					Others: slices.Repeat([]host.KeyedRun{mismatch}, 3)},
				Refusal: refusals.KeyedFork{Made: run("r6"), Again: again(run("r6")), Other: mismatch, Refused: beyond, Repeat: again(beyond),
					Valid: mismatch}}
			c.spoil(&o)
			hosttest.Expect(t, "keyed-once", o, c.want)
		})
	}
}
