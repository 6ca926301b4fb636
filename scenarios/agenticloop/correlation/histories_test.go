package correlation_test

import (
	"testing"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios/agenticloop/correlation"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/hosttest"
)

func TestTheModel(t *testing.T) {
	two := host.Object{"R": hosttest.Running(2, "fetch"), "Q": hosttest.Running(1, "fabric"),
		"D": hosttest.Over("done", 1)}
	with := func(id string, run host.Object) host.Object {
		return host.Object{"R": two["R"], "Q": two["Q"], "D": two["D"], id: run}
	}
	for _, c := range []struct {
		name   string
		what   host.Delivery
		answer any
		keeps  bool
	}{
		{"the next step", host.Delivery{Run: "R", Step: 2, Tool: "fetch", Status: "ok"},
			hosttest.Ok(with("R", hosttest.Running(3, "fabric")), hosttest.Request("R", 3, "fabric")), true},
		{"the end", host.Delivery{Run: "R", Step: 2, Tool: "fetch", Status: "ok"},
			hosttest.Ok(with("R", hosttest.Over("done", 2)), hosttest.Completion("R", 2)), true},
		{"an end that is not kept", host.Delivery{Run: "R", Step: 2, Tool: "fetch", Status: "ok"},
			hosttest.Ok(two, hosttest.Completion("R", 2)), false},
		{"nothing", host.Delivery{Run: "R", Step: 2, Tool: "fetch", Status: "ok"}, hosttest.Ok(nil), false},
		{"the step again", host.Delivery{Run: "R", Step: 2, Tool: "fetch", Status: "ok"},
			hosttest.Ok(two, hosttest.Request("R", 2, "fetch")), false},
		{"another run moved", host.Delivery{Run: "R", Step: 2, Tool: "fetch", Status: "ok"},
			hosttest.Ok(host.Object{"R": hosttest.Running(3, "fabric"), "Q": hosttest.Over("done", 1), "D": two["D"]},
				hosttest.Request("R", 3, "fabric")), false},
		{"another run lost", host.Delivery{Run: "R", Step: 2, Tool: "fetch", Status: "ok"},
			hosttest.Ok(host.Object{"R": hosttest.Running(3, "fabric")}, hosttest.Request("R", 3, "fabric")), false},
		{"an ended run let go of", host.Delivery{Run: "R", Step: 2, Tool: "fetch", Status: "ok"},
			hosttest.Ok(host.Object{"R": hosttest.Running(3, "fabric"), "Q": two["Q"]},
				hosttest.Request("R", 3, "fabric")), true},
		{"a failed step again", host.Delivery{Run: "R", Step: 2, Tool: "fetch", Status: "error"},
			hosttest.Ok(two, hosttest.Request("R", 2, "fetch")), true},
		{"a failed step taken", host.Delivery{Run: "R", Step: 2, Tool: "fetch", Status: "error"},
			hosttest.Ok(with("R", hosttest.Running(3, "fabric")), hosttest.Request("R", 3, "fabric")), false},
		{"a failure ends it", host.Delivery{Run: "R", Step: 2, Tool: "fetch", Status: "error"},
			hosttest.Ok(with("R", hosttest.Over("escalated", 2)), hosttest.Escalation("R", "tool_error")), true},
		{"stale, ignored", host.Delivery{Run: "R", Step: 1, Tool: "fetch", Status: "ok"}, hosttest.Ok(nil), true},
		{"stale, taken", host.Delivery{Run: "R", Step: 1, Tool: "fetch", Status: "ok"},
			hosttest.Ok(with("R", hosttest.Running(3, "fabric")), hosttest.Request("R", 3, "fabric")), false},
		{"later, escalated", host.Delivery{Run: "R", Step: 3, Tool: "fetch", Status: "ok"},
			hosttest.Ok(with("R", hosttest.Over("escalated", 2)), hosttest.Escalation("R", "x")), true},
		{"later, ignored", host.Delivery{Run: "R", Step: 3, Tool: "fetch", Status: "ok"}, hosttest.Ok(nil), false},
		{"wrong tool, ignored", host.Delivery{Run: "R", Step: 2, Tool: "fabric", Status: "ok"}, hosttest.Ok(nil),
			false},
		{"unknown, ignored", host.Delivery{Run: "X", Step: 1, Tool: "fetch", Status: "ok"}, hosttest.Ok(nil), true},
		{"unknown, made", host.Delivery{Run: "X", Step: 1, Tool: "fetch", Status: "ok"},
			hosttest.Ok(with("X", hosttest.Running(2, "fetch"))), false},
		{"done, ignored", host.Delivery{Run: "D", Step: 1, Tool: "fetch", Status: "ok"}, hosttest.Ok(nil), true},
		{"done, moved", host.Delivery{Run: "D", Step: 1, Tool: "fetch", Status: "ok"},
			hosttest.Ok(with("D", hosttest.Running(2, "fetch")), hosttest.Request("D", 2, "fetch")), false},
		{"a start", host.Delivery{},
			hosttest.Ok(with("N", hosttest.Running(1, "fetch")), hosttest.Request("N", 1, "fetch")), true},
		{"a start that takes another run", host.Delivery{},
			hosttest.Ok(with("R", hosttest.Running(1, "fetch")), hosttest.Request("R", 1, "fetch")), false},
		{"a crash", host.Delivery{}, "Traceback", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := hosttest.Turn(t, c.name, two, c.answer)
			if why := c.what.Departs(turn); (why == "") != c.keeps {
				t.Errorf("departs: %q", why)
			}
			alone, among := agenticloop.RFC103READ5, agenticloop.RFC103READ5
			switch {
			case c.keeps:
				alone, among = "passed", "passed"
			case turn.Answered() && c.what.Touches(turn) != "":
			case c.what.Run == "", !turn.Answered():
				alone, among = "blocked", "blocked"
			default:
				alone = "blocked"
			}
			start := correlation.Delivered{Turn: hosttest.StartR.Turn(t)}
			late := correlation.Delivered{What: host.Delivery{Run: "R", Step: 1, Tool: "fetch", Status: "ok"},
				Turn: hosttest.Turn(t, "late", two, hosttest.Ok(nil))}
			hosttest.Expect(t, "correlation/histories",
				correlation.HistoriesObservation{
					Histories: [][]correlation.Delivered{{start, late, {What: c.what, Turn: turn}}}}, alone)
			hosttest.Expect(t, "correlation/histories",
				correlation.HistoriesObservation{
					Histories: [][]correlation.Delivered{{start, late, start, {What: c.what, Turn: turn}}}}, among)
		})
	}
	hosttest.Expect(t, "correlation/histories", correlation.HistoriesObservation{}, "blocked")
}
