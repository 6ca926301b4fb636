package correlation_test

import (
	"testing"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/correlation"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/hosttest"
)

// Ways in which a turn keeps the RFC, or departs from it without breaking a sentence for certain.
const (
	kept = ""
	may  = "a plugin may"
)

// A turn of a history that departs from the RFC breaks a sentence, by itself or among other runs.
func TestTheModel(t *testing.T) {
	two := host.Object{"R": hosttest.Running(2, "fetch"), "Q": hosttest.Running(1, "fabric"),
		"D": hosttest.Over("done", 1)}
	with := func(id string, run host.Object) host.Object {
		return host.Object{"R": two["R"], "Q": two["Q"], "D": two["D"], id: run}
	}
	type object = host.Object
	ok, running, over := hosttest.Ok, hosttest.Running, hosttest.Over
	request, completion, escalation := hosttest.Request, hosttest.Completion, hosttest.Escalation
	asError := func(answer object) object {
		answer["status"], answer["error"] = "error", "it is out of order"
		return answer
	}
	next := with("R", running(3, "fabric"))
	start := host.Delivery{}
	match := host.Delivery{Run: "R", Step: 2, Tool: "fetch", Status: "ok"}
	failure := host.Delivery{Run: "R", Step: 2, Tool: "fetch", Status: "error"}
	stale := host.Delivery{Run: "R", Step: 1, Tool: "fetch", Status: "ok"}
	later := host.Delivery{Run: "R", Step: 3, Tool: "fetch", Status: "ok"}
	wrong := host.Delivery{Run: "R", Step: 2, Tool: "fabric", Status: "ok"}
	unknown := host.Delivery{Run: "X", Step: 1, Tool: "fetch", Status: "ok"}
	done := host.Delivery{Run: "D", Step: 1, Tool: "fetch", Status: "ok"}
	for _, c := range []struct {
		name   string
		what   host.Delivery
		answer any
		of     scenarios.RequirementID
	}{
		{"a start", start, ok(with("N", running(1, "fetch")), request("N", 1, "fetch")), kept},
		{"a start that takes another run", start, ok(with("R", running(1, "fetch")), request("R", 1, "fetch")), agenticloop.RFC103READ5},
		{"a start, ignored", start, ok(nil), agenticloop.RFC103M1},
		{"a start, completed at once", start, ok(with("N", over("done", 0)), completion("N", 0)), may},
		{"a start, refused", start, hosttest.Refusal(false), may},
		{"a start, given up", start, ok(with("N", over("escalated", 0)), escalation("N", "no model")), may},
		{"a start that asks twice", start,
			ok(with("N", running(1, "fetch")), request("N", 1, "fetch"), request("N", 2, "fetch")), agenticloop.RFC103T1},
		{"a start that asks for step 2", start, ok(with("N", running(2, "fetch")), request("N", 2, "fetch")), agenticloop.RFC103I2},
		{"a start that keeps no run", start, ok(nil, request("N", 1, "fetch")), agenticloop.RFC103I3},
		{"a start that keeps another tool", start, ok(with("N", running(1, "fabric")), request("N", 1, "fetch")), agenticloop.RFC103I3},
		{"a start that names another run", start, ok(with("N", running(1, "fetch")), request("M", 1, "fetch")), agenticloop.RFC103E7},
		{"a start that names no tool", start, ok(with("N", running(1, "")), request("N", 1, "")), agenticloop.RFC103E7},
		{"a start that makes two runs", start,
			ok(object{"R": two["R"], "Q": two["Q"], "N": running(1, "fetch"), "M": running(1, "fetch")}, request("N", 1, "fetch")),
			agenticloop.RFC103T3},
		{"a start whose run is done", start, ok(with("N", object{"status": "done", "pending_step": 1, "pending_tool": "fetch"}),
			request("N", 1, "fetch")), agenticloop.RFC103T3},
		{"a crash", start, "Traceback", agenticloop.RFC103WIRE1},

		{"the next step", match, ok(next, request("R", 3, "fabric")), kept},
		{"the end", match, ok(with("R", over("done", 2)), completion("R", 2)), kept},
		{"an end that is not kept", match, ok(two, completion("R", 2)), agenticloop.RFC103S8},
		{"the end of another run", match, ok(with("R", over("done", 2)), completion("Z", 2)), agenticloop.RFC103E12},
		{"an escalation of another run", match, ok(with("R", over("escalated", 2)), escalation("Z", "x")), agenticloop.RFC103F3},
		{"an escalation that is not kept", match, ok(two, escalation("R", "x")), agenticloop.RFC103S8},
		{"nothing", match, ok(nil), agenticloop.RFC103V9},
		{"a move without an event", match, ok(next), agenticloop.RFC103T9},
		{"an error", match, asError(ok(nil)), may},
		{"the step again", match, ok(two, request("R", 2, "fetch")), agenticloop.RFC103V9},
		{"a step left out", match, ok(with("R", running(4, "fetch")), request("R", 4, "fetch")), agenticloop.RFC103I2},
		{"a step, and an event of its own", match, ok(next, request("R", 3, "fabric"), object{"type": "agent.progress"}), agenticloop.RFC103P4},
		{"a step that is not kept", match, ok(two, request("R", 3, "fabric")), agenticloop.RFC103I3},
		{"a step of a run that is over", match, ok(with("R", object{"status": "done", "pending_step": 3, "pending_tool": "fabric"}),
			request("R", 3, "fabric")), agenticloop.RFC103I3},
		{"two steps", match, ok(next, request("R", 3, "fabric"), request("R", 4, "fabric")), agenticloop.RFC103T1},
		{"an event of its own", match, ok(next, object{"type": "agent.thought", "payload": object{"run_id": "R"}}), agenticloop.RFC103V9},
		{"another run moved", match, ok(object{"R": running(3, "fabric"), "Q": over("done", 1), "D": two["D"]}, request("R", 3, "fabric")),
			agenticloop.RFC103READ5},
		{"another run lost", match, ok(object{"R": running(3, "fabric")}, request("R", 3, "fabric")), agenticloop.RFC103READ5},
		{"an ended run let go of", match, ok(object{"R": running(3, "fabric"), "Q": two["Q"]}, request("R", 3, "fabric")), kept},

		{"a failed step again", failure, ok(two, request("R", 2, "fetch")), kept},
		{"a failed step again, the state as it was", failure, ok(nil, request("R", 2, "fetch")), kept},
		{"a failed step of another tool", failure, ok(with("R", running(2, "fabric")), request("R", 2, "fabric")), agenticloop.RFC103V10},
		{"a failed step and another", failure, ok(two, request("R", 2, "fetch"), request("R", 2, "fabric")), agenticloop.RFC103T1},
		{"a failed step taken", failure, ok(next, request("R", 3, "fabric")), agenticloop.RFC103V10},
		{"a failure that ends it well", failure, ok(with("R", over("done", 2)), completion("R", 2)), agenticloop.RFC103V10},
		{"a failure ends it", failure, ok(with("R", over("escalated", 2)), escalation("R", "tool_error")), kept},
		{"a failure that is ignored", failure, ok(nil), agenticloop.RFC103V10},
		{"an error after a failure", failure, asError(ok(nil)), may},

		{"stale, ignored", stale, ok(nil), kept},
		{"stale, asked again", stale, ok(nil, request("R", 2, "fetch")), kept},
		{"stale, taken", stale, ok(next, request("R", 3, "fabric")), agenticloop.RFC103V6},
		{"stale, noted", stale, ok(with("R", object{"status": "running", "pending_step": 2, "pending_tool": "fetch", "late": 1})),
			agenticloop.RFC103V6},
		{"stale, refused", stale, asError(ok(nil)), agenticloop.RFC103V6},
		{"later, escalated", later, ok(with("R", over("escalated", 2)), escalation("R", "x")), kept},
		{"later, ignored", later, ok(nil), agenticloop.RFC103K2},
		{"later, refused", later, asError(ok(nil)), agenticloop.RFC103K2},
		{"later, escalated as an error", later, asError(ok(with("R", over("escalated", 2)), escalation("R", "x"))), agenticloop.RFC103P3},
		{"wrong tool, ignored", wrong, ok(nil), agenticloop.RFC103V7},
		{"wrong tool, taken", wrong, ok(next, request("R", 3, "fabric")), agenticloop.RFC103V7},
		{"unknown, ignored", unknown, ok(nil), kept},
		{"unknown, refused", unknown, asError(ok(nil)), agenticloop.RFC103V2},
		{"unknown, made", unknown, ok(with("X", running(2, "fetch"))), agenticloop.RFC103V2},
		{"done, ignored", done, ok(nil), kept},
		{"done, moved", done, ok(with("D", running(2, "fetch")), request("D", 2, "fetch")), agenticloop.RFC103V4},
		{"done, completed again", done, ok(nil, completion("D", 1)), agenticloop.RFC103V4},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := hosttest.Turn(t, c.name, two, c.answer)
			if why := c.what.Departs(turn); (why == "") != (c.of == kept) {
				t.Errorf("departs: %q", why)
			}
			b := c.what.Breach(turn)
			if c.of != kept && c.of != agenticloop.RFC103READ5 {
				if b.Of != c.of && (c.of != may || b.Of != "") {
					t.Errorf("it breaks %q, want %q", b.Of, c.of)
				}
				if b.Of != "" && b.Shown.Refs()[0].Exchange != 1 {
					t.Errorf("shown by %v, which is nowhere in the turn", b.Shown.Refs())
				}
			}
			alone := hosttest.Violates(c.of)
			switch c.of {
			case kept:
				alone = "passed"
			case may:
				alone = "blocked"
			case agenticloop.RFC103READ5:
				alone = agenticloop.RFC103READ5
			}
			among := alone
			if turn.Answered() && c.what.Run != "" && c.of != kept {
				among = agenticloop.RFC103READ5
			}
			starts := correlation.Delivered{Turn: hosttest.StartR.Turn(t)}
			late := correlation.Delivered{What: host.Delivery{Run: "R", Step: 1, Tool: "fetch", Status: "ok"},
				Turn: hosttest.Turn(t, "late", two, ok(nil))}
			hosttest.Expect(t, "correlation/histories",
				correlation.HistoriesObservation{
					Histories: [][]correlation.Delivered{{starts, late, {What: c.what, Turn: turn}}}}, alone)
			hosttest.Expect(t, "correlation/histories",
				correlation.HistoriesObservation{
					Histories: [][]correlation.Delivered{{starts, late, starts, {What: c.what, Turn: turn}}}}, among)
		})
	}
	hosttest.Expect(t, "correlation/histories", correlation.HistoriesObservation{}, "blocked")
	alone := correlation.HistoriesObservation{Histories: [][]correlation.Delivered{{{Turn: hosttest.StartR.Turn(t)}, {
		What: host.Delivery{Run: "R", Step: 1, Tool: "fetch", Status: "ok"},
		Turn: hosttest.Handed(t, "a match", hosttest.Ok(hosttest.RunR2, hosttest.Request("R", 2, "fabric")))}}}}
	hosttest.Expect(t, "correlation/histories", alone, "blocked")
}
