package control_test

import (
	"testing"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/control"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// A set-up names a sentence only where no host that keeps it could have answered so: one may refuse a way of pausing,
// have ended before, or be slow.
func TestSetupsThatAccuse(t *testing.T) {
	unmoved := func(status string) wire.Wait {
		w := cameTo(t, status)
		w.Reached = false
		return w
	}
	paused := func(spoil func(*control.PausedObservation)) any {
		o := pausedRun(t, began("wait"))
		spoil(&o)
		return o
	}
	cancelled := func(reply host.Answered, status string, ended bool) any {
		o := control.ControlCancelObservation{Way: "assay-steps", Created: hosttest.MadeRun(t, "r"),
			Live: wiretest.Value(t, map[string]any{"status": "running"}), Cancel: reply, Log: stands(steps(status, began("wait")), t)}
		o.Log.Ended.Reached = ended
		return o
	}
	told := func(status string) host.Answered {
		return hosttest.Told(t, "it", 200, map[string]any{"status": status})
	}
	for _, c := range []struct {
		name, scenario string
		o              any
		want           scenarios.RequirementID
	}{
		{"takes the pause and goes on", "resumed-goes-on", paused(func(o *control.PausedObservation) { o.Still = unmoved("running") }),
			requirement.OWPCTL19},
		{"ends in place of the pause", "resumed-goes-on", paused(func(o *control.PausedObservation) { o.Still = unmoved("completed") }), ""},
		{"refuses this way of pausing", "resumed-goes-on", paused(func(o *control.PausedObservation) {
			o.Paused, o.Still = hosttest.No(t, 400, "validation_error"), wire.Wait{}
		}), ""},
		{"shows its events later", "resumed-goes-on", paused(func(o *control.PausedObservation) { o.Before.Events = nil }), ""},
		{"does not resume what is paused", "paused-is-refused", paused(func(o *control.PausedObservation) {
			o.Resumed, o.Log = hosttest.No(t, 409, "conflict"), host.RunLog{}
		}), requirement.OWPCTL24},
		{"does not resume what has ended", "paused-is-refused", paused(func(o *control.PausedObservation) {
			o.After, o.Resumed, o.Log = stands(steps("completed", began("wait")), t), hosttest.No(t, 409, "run_terminal"), host.RunLog{}
		}), ""},
		{"does not go on", "paused-is-refused", paused(func(o *control.PausedObservation) { o.Log.Ended.Reached = false }),
			requirement.OWPCTL24},
		{"says cancelled and fails", "cancelled-never-completes", cancelled(told("cancelled"), "failed", true), requirement.OWPERR23},
		{"says cancelling and never ends", "cancelled-never-completes", cancelled(told("cancelling"), "running", false), requirement.OWPERR23},
		{"had failed before", "cancelled-never-completes", cancelled(told("failed"), "failed", true), ""},
		{"refuses the cancel", "cancelled-never-completes", cancelled(hosttest.No(t, 409, "conflict"), "running", false), ""},
		{"refuses the bulk", "bulk-leaves-ended", control.BulkObservation{Live: []string{"a", "b"}, Ended: "c",
			Bulk: hosttest.No(t, 404, "not_found")}, ""},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, c.scenario, c.o, hosttest.BlockedOn(c.want))
		})
	}
}
