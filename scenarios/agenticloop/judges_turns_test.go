package agenticloop

import (
	"strings"
	"testing"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
)

// withEvent is the honest start with another event.
func withEvent(change func(event, payload object)) object {
	e := request("R", 1, "fetch")
	change(e, e["payload"].(object))
	return ok(runR, e)
}

func TestEveryTurnIsSound(t *testing.T) {
	two := object{"R": running(1, "fetch"), "Q": running(1, "fetch"), "D": over("done", 2)}
	for _, c := range []struct {
		name string
		turn told
		want string
	}{
		{"honest", startR, "passed"},
		{"with :attempt:2 in its key", told{name: "a", answer: withEvent(func(e, _ object) { e["dedupe_key"] = "agentic:run:R:step:1:request:attempt:2" })}, "passed"},
		{"an exit code", told{name: "a", answer: startR.answer, exit: 3}, agenticloopv2.RFC103I7},
		{"a signal", told{name: "a", answer: "", ended: "signal: segmentation fault"}, agenticloopv2.RFC103T10},
		{"its deadline", told{name: "a", answer: "", ended: "killed at its deadline of 2s"}, agenticloopv2.RFC103T10},
		{"a process left behind", told{name: "a", answer: startR.answer, left: []string{"sleep"}}, agenticloopv2.RFC103T10},
		{"a text before the answer", told{name: "a", answer: "starting\n{}"}, agenticloopv2.RFC103WIRE1},
		{"nothing printed", told{name: "a", answer: ""}, agenticloopv2.RFC103WIRE1},
		{"a list", told{name: "a", answer: []any{}}, agenticloopv2.RFC103WIRE1},
		{"a status of its own", told{name: "a", answer: object{"status": "running"}}, agenticloopv2.RFC103WIRE2},
		{"an error without words", told{name: "a", answer: object{"status": "error"}}, agenticloopv2.RFC103WIRE2},
		{"events that are no list", told{name: "a", answer: object{"status": "ok", "events": object{}}}, agenticloopv2.RFC103WIRE3},
		{"a payload that is no object", told{name: "a", answer: withEvent(func(e, _ object) { e["payload"] = "x" })}, agenticloopv2.RFC103WIRE3},
		{"a timestamp that is none", told{name: "a", answer: withEvent(func(e, _ object) { e["timestamp"] = "yesterday" })}, agenticloopv2.RFC103WIRE3},
		{"an event of another type", told{name: "a", answer: withEvent(func(e, _ object) { e["type"] = "agentic.start" })}, agenticloopv2.RFC103P4},
		{"two requests", told{name: "a", answer: ok(runR, request("R", 1, "fetch"), request("R", 2, "fetch"))}, agenticloopv2.RFC103T1},
		{"a key without the step", told{name: "a", answer: withEvent(func(e, _ object) { e["dedupe_key"] = "agentic:run:R:request" })}, agenticloopv2.RFC103D1},
		{"no key", told{name: "a", answer: withEvent(func(e, _ object) { delete(e, "dedupe_key") })}, agenticloopv2.RFC103D1},
		{"a request without a state", told{name: "a", answer: ok(nil, request("R", 1, "fetch"))}, agenticloopv2.RFC103I3},
		{"another tool pending", told{name: "a", answer: ok(object{"R": running(1, "fabric")}, request("R", 1, "fetch"))}, agenticloopv2.RFC103I3},
		{"another step pending", told{name: "a", answer: ok(object{"R": running(2, "fetch")}, request("R", 1, "fetch"))}, agenticloopv2.RFC103I3},
		{"the run is over", told{name: "a", answer: ok(object{"R": over("done", 1)}, request("R", 1, "fetch"))}, agenticloopv2.RFC103I3},
		{"a running run is lost", told{name: "a", before: two, answer: ok(object{"R": running(2, "fetch")}, request("R", 2, "fetch"))}, agenticloopv2.RFC103WIRE12},
		{"another run is changed", told{name: "a", before: two, answer: ok(object{"R": running(2, "fetch"), "Q": running(2, "fetch"), "E": two["E"]}, request("R", 2, "fetch"))}, agenticloopv2.RFC103READ5},
		{"a finished run is let go of", told{name: "a", before: two, answer: ok(object{"R": running(2, "fetch"), "Q": running(1, "fetch")}, request("R", 2, "fetch"))}, "passed"},
		{"too much state", told{name: "a", answer: ok(object{"R": over("done", 1), "S": strings.Repeat("x", 1<<20)})}, agenticloopv2.RFC103WIRE13},
		{"garbage is refused with a code", told{name: "a", answer: "", exit: 78}, agenticloopv2.RFC103I7},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := StartsObservation{Turns: Turns{startR.turn(t), c.turn.turn(t)}}
			expect(t, "correlation/turns-of-starts", o, c.want)
		})
	}
	t.Run("what was no request may end with a code", func(t *testing.T) {
		refused := told{name: "garbage", answer: "", exit: 78}.turn(t)
		refused.Refused = true
		expect(t, "protocol/turns-of-inputs", InputsObservation{Turns: Turns{startR.turn(t), refused}}, "passed")
	})
	t.Run("no tool was asked for", func(t *testing.T) {
		expect(t, "correlation/turns-of-starts", StartsObservation{Turns: Turns{told{name: "a", answer: ok(nil)}.turn(t)}}, "blocked")
	})
}

func TestJudgesOfInputs(t *testing.T) {
	refused := func(name string, answer any, exit int) Turn {
		turn := told{name: name, before: runR, answer: answer, exit: exit}.turn(t)
		turn.Refused = true
		return turn
	}
	honest := func() InputsObservation {
		return InputsObservation{
			Start: startR.turn(t), Garbage: []Turn{refused("no JSON", refusal(false), 0), refused("a list", "", 78), refused("empty", refusal(false), 1)},
			Version: refused("protocol 3", "", 78), Nobody: []Turn{handed(t, "an unknown event", refusal(false))},
		}
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*InputsObservation)
		want           string
	}{
		{"input-that-is-no-request", "a dump", func(o *InputsObservation) { o.Garbage[1] = refused("a list", "Traceback", 1) }, agenticloopv2.RFC103WIRE6},
		{"input-that-is-no-request", "it is ok", func(o *InputsObservation) { o.Garbage[1] = refused("a list", ok(nil), 0) }, agenticloopv2.RFC103WIRE6},
		{"input-that-is-no-request", "nothing at all", func(o *InputsObservation) { o.Garbage[1] = refused("a list", "", 0) }, agenticloopv2.RFC103WIRE6},
		{"unknown-event-or-command", "it is ok", func(o *InputsObservation) { o.Nobody[0] = handed(t, "an unknown event", ok(nil)) }, agenticloopv2.RFC103WIRE8},
		{"unknown-event-or-command", "to be tried again", func(o *InputsObservation) { o.Nobody[0] = handed(t, "an unknown event", refusal(nil)) }, agenticloopv2.RFC103WIRE8},
		{"unknown-event-or-command", "with an event", func(o *InputsObservation) {
			answer := refusal(false)
			answer["events"] = []any{request("R", 2, "fetch")}
			o.Nobody[0] = handed(t, "an unknown event", answer)
		}, agenticloopv2.RFC103WIRE8},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			expect(t, "protocol/"+c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			expect(t, "protocol/"+c.scenario, o, c.want)
		})
	}
	t.Run("another version is a finding", func(t *testing.T) {
		o := honest()
		o.Version = refused("protocol 3", ok(runR), 0)
		if out := expect(t, "protocol/other-version", o, "passed"); len(out.Findings) == 0 {
			t.Error("no finding")
		}
		o.Version = refused("protocol 3", refusal(false), 0)
		if out := expect(t, "protocol/other-version", o, "passed"); len(out.Findings) != 0 {
			t.Errorf("findings %v", out.Findings)
		}
	})
}

func TestJudgesOfAHungModel(t *testing.T) {
	for name, c := range map[string]struct {
		turn  told
		asked int
		want  string
	}{
		"to be tried again":     {told{name: "hung", answer: refusal(true)}, 1, "passed"},
		"escalated":             {told{name: "hung", answer: ok(object{"R": over("escalated", 0)}, escalation("R", "timeout"))}, 1, "passed"},
		"refused for good":      {told{name: "hung", answer: refusal(false)}, 1, agenticloopv2.RFC103WIRE9},
		"killed":                {told{name: "hung", answer: "", ended: "killed at its deadline of 6s"}, 1, agenticloopv2.RFC103WIRE9},
		"with a child":          {told{name: "hung", answer: refusal(true), left: []string{"curl"}}, 1, agenticloopv2.RFC103WIRE9},
		"the model is not used": {told{name: "hung", answer: startR.answer}, 0, "blocked"},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, "protocol/ends-before-its-deadline", HungObservation{Hung: c.turn.turn(t), Asked: c.asked}, c.want)
		})
	}
	for name, c := range map[string]struct {
		turn told
		want string
	}{
		"to be tried again": {told{name: "hung", answer: refusal(true)}, "passed"},
		"with a code of 1":  {told{name: "hung", answer: refusal(true), exit: 1}, agenticloopv2.RFC103I7},
		"with two ends":     {told{name: "hung", answer: ok(object{"R": over("escalated", 0)}, escalation("R", "a"), escalation("R", "b"))}, agenticloopv2.RFC103T1},
	} {
		t.Run("every turn/"+name, func(t *testing.T) {
			hung := c.turn.turn(t)
			expect(t, "protocol/turns-of-hung", HungObservation{Turns: Turns{startR.turn(t), hung}, Hung: hung, Asked: 1}, c.want)
		})
	}
}

func TestJudgesOfExitCodes(t *testing.T) {
	o := honestResults(t)
	expect(t, "protocol/exit-code-0", o, "passed")
	o.Turns = append(o.Turns, told{name: "escalated with 99", before: runR, answer: gaveUp, exit: 99}.turn(t))
	expect(t, "protocol/exit-code-0", o, agenticloopv2.RFC103P1)
	o = honestResults(t)
	o.Zero = handed(t, "zero time", refusal(false))
	expect(t, "protocol/what-the-gateway-adds", o, agenticloopv2.RFC103WIRE10)
	o = honestResults(t)
	blank := ok(nil)
	blank["result"] = " "
	expect(t, "protocol/result-told", o, "passed")
	o.Turns = append(o.Turns, handed(t, "says nothing", blank))
	expect(t, "protocol/result-told", o, agenticloopv2.RFC103WIRE4)
	o = honestResults(t)
	o.Turns = append(o.Turns, handed(t, "a level of its own", logged(ok(nil), "fatal")))
	if out := expect(t, "protocol/logs-have-levels", o, "passed"); len(out.Findings) != 1 || out.Findings[0].Requirement != scenarios.RequirementID(agenticloopv2.RFC103WIRE5) {
		t.Errorf("findings %v", out.Findings)
	}
}
