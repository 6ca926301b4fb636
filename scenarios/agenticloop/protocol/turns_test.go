package protocol_test

import (
	"strings"
	"testing"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/correlation"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/hosttest"
	"github.com/openassay/assay/scenarios/agenticloop/protocol"
)

// withEvent is the honest start with another event.
func withEvent(change func(event, payload host.Object)) host.Object {
	e := hosttest.Request("R", 1, "fetch")
	change(e, e["payload"].(host.Object))
	return hosttest.Ok(hosttest.RunR, e)
}

func TestEveryTurnIsSound(t *testing.T) {
	two := host.Object{"R": hosttest.Running(1, "fetch"), "Q": hosttest.Running(1, "fetch"),
		"D": hosttest.Over("done", 2)}
	beside := hosttest.Turn(t, "beside another run", two,
		hosttest.Ok(host.Object{"R": hosttest.Running(2, "fetch"), "Q": two["Q"]}, hosttest.Request("R", 2, "fetch")))
	for _, c := range []struct {
		name string
		turn hosttest.Told
		want string
	}{
		{"honest", hosttest.StartR, "passed"},
		{"with :attempt:2 in its key", hosttest.Told{Name: "a", Answer: withEvent(func(e, _ host.Object) {
			e["dedupe_key"] = "agentic:run:R:step:1:request:attempt:2"
		})}, "passed"},
		{"an exit code", hosttest.Told{Name: "a", Answer: hosttest.StartR.Answer, Exit: 3}, agenticloop.RFC103I7},
		{"a signal", hosttest.Told{Name: "a", Answer: "", Ended: "signal: segmentation fault"},
			agenticloop.RFC103T10},
		{"its deadline", hosttest.Told{Name: "a", Answer: "", Ended: "killed at its deadline of 2s"},
			agenticloop.RFC103T10},
		{"a process left behind", hosttest.Told{Name: "a", Answer: hosttest.StartR.Answer, Left: []string{"sleep"}},
			agenticloop.RFC103T10},
		{"a text before the answer", hosttest.Told{Name: "a", Answer: "starting\n{}"}, agenticloop.RFC103WIRE1},
		{"nothing printed", hosttest.Told{Name: "a", Answer: ""}, agenticloop.RFC103WIRE1},
		{"a list", hosttest.Told{Name: "a", Answer: []any{}}, agenticloop.RFC103WIRE1},
		{"a status of its own", hosttest.Told{Name: "a", Answer: host.Object{"status": "running"}},
			agenticloop.RFC103WIRE2},
		{"an error without words", hosttest.Told{Name: "a", Answer: host.Object{"status": "error"}},
			agenticloop.RFC103WIRE2},
		{"events that are no list", hosttest.Told{Name: "a",
			Answer: host.Object{"status": "ok", "events": host.Object{}}}, agenticloop.RFC103WIRE3},
		{"a payload that is no object", hosttest.Told{Name: "a", Answer: withEvent(func(e, _ host.Object) {
			e["payload"] = "x"
		})}, agenticloop.RFC103WIRE3},
		{"a timestamp that is none", hosttest.Told{Name: "a", Answer: withEvent(func(e, _ host.Object) {
			e["timestamp"] = "yesterday"
		})}, agenticloop.RFC103WIRE3},
		{"an event of another type", hosttest.Told{Name: "a", Answer: withEvent(func(e, _ host.Object) {
			e["type"] = "agentic.start"
		})}, agenticloop.RFC103P4},
		{"two requests",
			hosttest.Told{Name: "a", Answer: hosttest.Ok(hosttest.RunR, hosttest.Request("R", 1, "fetch"),
				hosttest.Request("R", 2, "fetch"))}, agenticloop.RFC103T1},
		{"a key without the step", hosttest.Told{Name: "a", Answer: withEvent(func(e, _ host.Object) {
			e["dedupe_key"] = "agentic:run:R:request"
		})}, agenticloop.RFC103D1},
		{"no key", hosttest.Told{Name: "a", Answer: withEvent(func(e, _ host.Object) {
			delete(e, "dedupe_key")
		})}, agenticloop.RFC103D1},
		{"a request without a state", hosttest.Told{Name: "a",
			Answer: hosttest.Ok(nil, hosttest.Request("R", 1, "fetch"))}, agenticloop.RFC103I3},
		{"another tool pending",
			hosttest.Told{Name: "a", Answer: hosttest.Ok(host.Object{"R": hosttest.Running(1, "fabric")},
				hosttest.Request("R", 1, "fetch"))}, agenticloop.RFC103I3},
		{"another step pending",
			hosttest.Told{Name: "a", Answer: hosttest.Ok(host.Object{"R": hosttest.Running(2, "fetch")},
				hosttest.Request("R", 1, "fetch"))}, agenticloop.RFC103I3},
		{"the run is over",
			hosttest.Told{Name: "a", Answer: hosttest.Ok(host.Object{"R": hosttest.Over("done", 1)},
				hosttest.Request("R", 1, "fetch"))}, agenticloop.RFC103I3},
		{"a running run is lost",
			hosttest.Told{Name: "a", Before: two,
				Answer: hosttest.Ok(host.Object{"R": hosttest.Running(2, "fetch")}, hosttest.Request("R", 2, "fetch"))},
			agenticloop.RFC103WIRE12},
		{"another run is changed",
			hosttest.Told{Name: "a", Before: two,
				Answer: hosttest.Ok(host.Object{"R": hosttest.Running(2, "fetch"), "Q": hosttest.Running(2, "fetch"),
					"E": two["E"]}, hosttest.Request("R", 2, "fetch"))}, agenticloop.RFC103READ5},
		{"a finished run is let go of",
			hosttest.Told{Name: "a", Before: two,
				Answer: hosttest.Ok(host.Object{"R": hosttest.Running(2, "fetch"), "Q": hosttest.Running(1, "fetch")},
					hosttest.Request("R", 2, "fetch"))}, "passed"},
		{"too much state",
			hosttest.Told{Name: "a",
				Answer: hosttest.Ok(host.Object{"R": hosttest.Over("done", 1), "S": strings.Repeat("x", 1<<20)})},
			agenticloop.RFC103WIRE13},
		{"garbage is refused with a code", hosttest.Told{Name: "a", Answer: "", Exit: 78}, agenticloop.RFC103I7},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := correlation.StartsObservation{Turns: host.Turns{hosttest.StartR.Turn(t), beside, c.turn.Turn(t)}}
			hosttest.Expect(t, "correlation/turns-of-starts", o, c.want)
		})
	}
	for name, c := range map[string]struct {
		runs host.Object
		want scenarios.RequirementID
	}{
		"a running run is lost": {host.Object{"R": hosttest.Running(2, "fetch")}, agenticloop.RFC103WIRE12},
		"another run is changed": {host.Object{"R": hosttest.Running(2, "fetch"), "Q": hosttest.Running(2, "fetch")},
			agenticloop.RFC103READ5},
	} {
		t.Run(name+" in a drive of single runs", func(t *testing.T) {
			moved := hosttest.Turn(t, "a", two, hosttest.Ok(c.runs, hosttest.Request("R", 2, "fetch")))
			hosttest.Expect(t, "protocol/turns-of-inputs",
				protocol.InputsObservation{Turns: host.Turns{hosttest.StartR.Turn(t), moved}}, hosttest.Violates(c.want))
		})
	}
	t.Run("no other run was there", func(t *testing.T) {
		alone := hosttest.Handed(t, "a", hosttest.Ok(host.Object{"R": hosttest.Running(2, "fetch")}, hosttest.Request("R", 2, "fetch")))
		hosttest.Expect(t, "correlation/turns-of-starts",
			correlation.StartsObservation{Turns: host.Turns{hosttest.StartR.Turn(t), alone}}, "blocked")
	})
	t.Run("the one request is taken back by an error", func(t *testing.T) {
		answer := hosttest.Ok(hosttest.RunR, hosttest.Request("R", 1, "fetch"))
		answer["status"], answer["error"] = "error", "no"
		hosttest.Expect(t, "protocol/turns-of-inputs",
			protocol.InputsObservation{Turns: host.Turns{hosttest.Turn(t, "a", nil, answer)}}, "blocked")
	})
	t.Run("what was no request may end with a code", func(t *testing.T) {
		refused := hosttest.Told{Name: "garbage", Answer: "", Exit: 78}.Turn(t)
		refused.Refused = true
		hosttest.Expect(t, "protocol/turns-of-inputs",
			protocol.InputsObservation{Turns: host.Turns{hosttest.StartR.Turn(t), refused}}, "passed")
	})
	t.Run("no tool was asked for", func(t *testing.T) {
		hosttest.Expect(t, "correlation/turns-of-starts",
			correlation.StartsObservation{Turns: host.Turns{hosttest.Turn(t, "a", nil, hosttest.Ok(nil))}}, "blocked")
	})
}

func TestJudgesOfInputs(t *testing.T) {
	refused := func(name string, answer any, exit int) host.Turn {
		turn := hosttest.Told{Name: name, Before: hosttest.RunR, Answer: answer, Exit: exit}.Turn(t)
		turn.Refused = true
		return turn
	}
	honest := func() protocol.InputsObservation {
		return protocol.InputsObservation{
			Start: hosttest.StartR.Turn(t),
			Garbage: []host.Turn{refused("no JSON", hosttest.Refusal(false), 0), refused("a list", "", 78),
				refused("empty", hosttest.Refusal(false), 1)},
			Version: refused("protocol 3", "", 78),
			Nobody:  []host.Turn{hosttest.Handed(t, "an unknown event", hosttest.Refusal(false))},
		}
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*protocol.InputsObservation)
		want           string
	}{
		{"input-that-is-no-request", "a dump", func(o *protocol.InputsObservation) {
			o.Garbage[1] = refused("a list", "Traceback", 1)
		}, agenticloop.RFC103WIRE6},
		{"input-that-is-no-request", "it is ok", func(o *protocol.InputsObservation) {
			o.Garbage[1] = refused("a list", hosttest.Ok(nil), 0)
		}, agenticloop.RFC103WIRE6},
		{"input-that-is-no-request", "nothing at all", func(o *protocol.InputsObservation) {
			o.Garbage[1] = refused("a list", "", 0)
		}, agenticloop.RFC103WIRE6},
		{"unknown-event-or-command", "it is ok", func(o *protocol.InputsObservation) {
			o.Nobody[0] = hosttest.Handed(t, "an unknown event", hosttest.Ok(nil))
		}, agenticloop.RFC103WIRE8},
		{"unknown-event-or-command", "passed over with a log", func(o *protocol.InputsObservation) {
			o.Nobody[0] = hosttest.Handed(t, "an unknown event", hosttest.Logged(hosttest.Ok(nil), "warn"))
		}, "passed"},
		{"unknown-event-or-command", "with a log, and a run", func(o *protocol.InputsObservation) {
			o.Nobody[0] = hosttest.Handed(t, "an unknown event", hosttest.Logged(hosttest.Ok(hosttest.RunR2), "warn"))
		}, agenticloop.RFC103WIRE8},
		{"unknown-event-or-command", "to be tried again", func(o *protocol.InputsObservation) {
			o.Nobody[0] = hosttest.Handed(t, "an unknown event", hosttest.Refusal(nil))
		}, agenticloop.RFC103WIRE8},
		{"unknown-event-or-command", "with an event", func(o *protocol.InputsObservation) {
			answer := hosttest.Refusal(false)
			answer["events"] = []any{hosttest.Request("R", 2, "fetch")}
			o.Nobody[0] = hosttest.Handed(t, "an unknown event", answer)
		}, agenticloop.RFC103WIRE8},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, "protocol/"+c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			hosttest.Expect(t, "protocol/"+c.scenario, o, c.want)
		})
	}
	t.Run("another version is a finding", func(t *testing.T) {
		o := honest()
		o.Version = refused("protocol 3", hosttest.Ok(hosttest.RunR), 0)
		if out := hosttest.Expect(t, "protocol/other-version", o, "passed"); len(out.Findings) == 0 {
			t.Error("no finding")
		}
		o.Version = refused("protocol 3", hosttest.Refusal(false), 0)
		if out := hosttest.Expect(t, "protocol/other-version", o, "passed"); len(out.Findings) != 0 {
			t.Errorf("findings %v", out.Findings)
		}
	})
}

func TestJudgesOfAHungModel(t *testing.T) {
	for name, c := range map[string]struct {
		turn  hosttest.Told
		asked int
		want  string
	}{
		"to be tried again": {hosttest.Told{Name: "hung", Answer: hosttest.Refusal(true)}, 1, "passed"},
		"escalated": {
			hosttest.Told{Name: "hung", Answer: hosttest.Ok(host.Object{"R": hosttest.Over("escalated", 0)},
				hosttest.Escalation("R", "timeout"))}, 1, "passed"},
		"refused for good":    {hosttest.Told{Name: "hung", Answer: hosttest.Refusal(false)}, 1, "passed"},
		"without the model":   {hosttest.Told{Name: "hung", Answer: hosttest.StartR.Answer}, 1, "passed"},
		"with exit code 1":    {hosttest.Told{Name: "hung", Answer: hosttest.Refusal(true), Exit: 1}, 1, "passed"},
		"done with exit code": {hosttest.Told{Name: "hung", Answer: hosttest.StartR.Answer, Exit: 1}, 1, hosttest.Violates(agenticloop.RFC103I7)},
		"killed": {hosttest.Told{Name: "hung", Answer: "", Ended: "killed at its deadline of 6s"},
			1, agenticloop.RFC103WIRE9},
		"with a child": {hosttest.Told{Name: "hung", Answer: hosttest.Refusal(true), Left: []string{"curl"}},
			1, agenticloop.RFC103WIRE9},
		"the model is not used": {hosttest.Told{Name: "hung", Answer: hosttest.StartR.Answer}, 0, "blocked"},
	} {
		t.Run(name, func(t *testing.T) {
			hosttest.Expect(t, "protocol/ends-before-its-deadline",
				protocol.HungObservation{Control: hosttest.StartR.Turn(t), Hung: c.turn.Turn(t), Asked: c.asked}, c.want)
		})
	}
	t.Run("killed at a result", func(t *testing.T) {
		answered := hosttest.Told{Name: "hung", Answer: hosttest.Refusal(true)}.Turn(t)
		killed := hosttest.Told{Name: "hung", Answer: "", Ended: "killed at its deadline of 6s"}.Turn(t)
		hosttest.Expect(t, "protocol/ends-before-its-deadline",
			protocol.HungObservation{Control: hosttest.StartR.Turn(t), Hung: answered, Asked: 1, Later: &killed}, agenticloop.RFC103WIRE9)
	})
	t.Run("it fails with any model", func(t *testing.T) {
		failing := hosttest.Turn(t, "failing", nil, hosttest.Refusal(true))
		hosttest.Expect(t, "protocol/ends-before-its-deadline", protocol.HungObservation{Control: failing, Hung: failing, Asked: 1}, "blocked")
	})
	t.Run("nobody says how long it may take", func(t *testing.T) {
		hung := hosttest.Told{Name: "hung", Answer: "", Ended: "killed at its deadline of 6s"}.Turn(t)
		hung.Patience = "6s"
		hosttest.Expect(t, "protocol/ends-before-its-deadline",
			protocol.HungObservation{Control: hosttest.StartR.Turn(t), Hung: hung, Asked: 1}, "blocked")
	})
	for name, c := range map[string]struct {
		turn hosttest.Told
		want string
	}{
		"to be tried again": {hosttest.Told{Name: "hung", Answer: hosttest.Refusal(true)}, "passed"},
		"with a code of 1":  {hosttest.Told{Name: "hung", Answer: hosttest.Refusal(true), Exit: 1}, "passed"},
		"with a code of 1 beside ok": {hosttest.Told{Name: "hung", Answer: hosttest.GaveUp, Exit: 1},
			agenticloop.RFC103I7},
		"with two ends": {hosttest.Told{Name: "hung",
			Answer: hosttest.Ok(host.Object{"R": hosttest.Over("escalated", 0)}, hosttest.Escalation("R", "a"),
				hosttest.Escalation("R", "b"))}, agenticloop.RFC103T1},
	} {
		t.Run("every turn/"+name, func(t *testing.T) {
			hung := c.turn.Turn(t)
			hosttest.Expect(t, "protocol/turns-of-hung",
				protocol.HungObservation{Turns: host.Turns{hosttest.StartR.Turn(t), hung}, Hung: hung, Asked: 1},
				c.want)
		})
	}
}

func TestJudgesOfExitCodes(t *testing.T) {
	o := hosttest.HonestResults(t)
	hosttest.Expect(t, "protocol/exit-code-0", o, "passed")
	o.Turns = append(o.Turns, hosttest.Told{Name: "escalated with 99", Before: hosttest.RunR, Answer: hosttest.GaveUp,
		Exit: 99}.Turn(t))
	hosttest.Expect(t, "protocol/exit-code-0", o, agenticloop.RFC103P1)
	o = hosttest.HonestResults(t)
	o.Turns = append(o.Turns, hosttest.Told{Name: "refused with 1", Before: hosttest.RunR, Answer: hosttest.Refusal(false), Exit: 1}.Turn(t))
	if out := hosttest.Expect(t, "protocol/exit-code-0", o, "passed"); len(out.Findings) != 1 ||
		out.Findings[0].Requirement != scenarios.RequirementID(agenticloop.RFC103WIRE17) {
		t.Errorf("findings %v", out.Findings)
	}
	o = hosttest.HonestResults(t)
	o.Zero = hosttest.Handed(t, "zero time", hosttest.Refusal(false))
	hosttest.Expect(t, "protocol/what-the-gateway-adds", o, agenticloop.RFC103WIRE10)
	o = hosttest.HonestResults(t)
	blank := hosttest.Ok(nil)
	blank["result"] = " "
	hosttest.Expect(t, "protocol/result-told", o, "passed")
	o.Turns = append(o.Turns, hosttest.Handed(t, "says nothing", blank))
	hosttest.Expect(t, "protocol/result-told", o, agenticloop.RFC103WIRE4)
	o = hosttest.HonestResults(t)
	o.Turns = append(o.Turns, hosttest.Handed(t, "a level of its own", hosttest.Logged(hosttest.Ok(nil), "fatal")))
	if out := hosttest.Expect(t, "protocol/logs-have-levels", o, "passed"); len(out.Findings) != 1 ||
		out.Findings[0].Requirement != scenarios.RequirementID(agenticloop.RFC103WIRE5) {
		t.Errorf("findings %v", out.Findings)
	}
}
