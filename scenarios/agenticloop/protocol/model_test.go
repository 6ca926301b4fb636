package protocol_test

import (
	"testing"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/hosttest"
	"github.com/openassay/assay/scenarios/agenticloop/protocol"
)

// A model that errs is no excuse, and no way in.
func TestJudgesOfAModelThatErrs(t *testing.T) {
	startOf := func(tool string) host.Object {
		return hosttest.Ok(host.Object{"R": hosttest.Running(1, tool)}, hosttest.Request("R", 1, tool))
	}
	gone := hosttest.Ok(host.Object{"R": hosttest.Over("escalated", 0)}, hosttest.Escalation("R", "the model errs"))
	const sound, bounds, every = "protocol/model-that-errs", "security/model-out-of-bounds",
		"protocol/turns-of-erring-model"
	for name, c := range map[string]struct {
		turn  hosttest.Told
		asked int
		wants map[string]string // what is not passed
	}{
		"to be tried again": {hosttest.Told{Answer: hosttest.Refusal(true)}, 1, nil},
		"escalated":         {hosttest.Told{Answer: gone}, 1, nil},
		"by another plan":   {hosttest.Told{Answer: startOf("fetch")}, 2, nil},
		"the model is not used": {hosttest.Told{Answer: hosttest.Refusal(true)}, 0,
			map[string]string{sound: "blocked", bounds: "blocked"}},
		"killed": {hosttest.Told{Ended: "killed at its deadline of 6s", Answer: ""},
			1, map[string]string{sound: agenticloop.RFC103WIRE9, bounds: hosttest.Violates(agenticloop.RFC103T10), every: agenticloop.RFC103T10}},
		"with a traceback": {hosttest.Told{Answer: "Traceback"}, 1,
			map[string]string{sound: agenticloop.RFC103WIRE1, bounds: hosttest.Violates(agenticloop.RFC103WIRE1),
				every: agenticloop.RFC103WIRE1}},
		"with an exit code": {hosttest.Told{Answer: hosttest.Refusal(true), Exit: 1},
			1, nil},
		"escalated with an exit code": {hosttest.Told{Answer: gone, Exit: 1}, 1,
			map[string]string{sound: hosttest.Violates(agenticloop.RFC103I7), bounds: hosttest.Violates(agenticloop.RFC103I7),
				every: agenticloop.RFC103I7}},
		"without a word of error": {hosttest.Told{Answer: host.Object{"status": "error"}}, 1,
			map[string]string{sound: agenticloop.RFC103WIRE2, every: agenticloop.RFC103WIRE2}},
		"with a tool that nobody knows": {hosttest.Told{Answer: startOf("unknown-tool")}, 1,
			map[string]string{bounds: agenticloop.RFC103G3}},
		"with itself": {hosttest.Told{Answer: startOf("agentic-loop")},
			1, map[string]string{bounds: agenticloop.RFC103G2}},
		"with a result of its own": {
			hosttest.Told{Answer: hosttest.Ok(hosttest.RunR,
				host.Object{"type": "agentic.tool_result", "payload": host.Object{}})}, 1,
			map[string]string{bounds: agenticloop.RFC103G2, every: agenticloop.RFC103P4}},
		"with a name of two lines": {hosttest.Told{Answer: startOf("fetch\nagentic.start")},
			1, map[string]string{bounds: agenticloop.RFC103READ12, every: agenticloop.RFC103P4}},
	} {
		t.Run(name, func(t *testing.T) {
			c.turn.Name = name
			o := protocol.ModelObservation{Control: hosttest.StartR.Turn(t), Tool: "fetch",
				Allowed: []string{"fetch", "fabric"}, Name: "agentic-loop",
				Errs: []protocol.ErrsTurn{{Turn: c.turn.Turn(t), Asked: c.asked, Itself: name != "with a tool that nobody knows"}}}
			o.Turns = host.Turns{o.Control, o.Errs[0].Turn}
			for _, s := range []string{sound, bounds, every} {
				want := c.wants[s]
				if want == "" {
					want = "passed"
				}
				hosttest.Expect(t, s, o, want)
			}
		})
	}
}

// The key of a model that is refused is nobody's but the agent's.
func TestJudgeOfTheKeyOfAModel(t *testing.T) {
	quoted := hosttest.Refusal(false)
	quoted["error"] = "the model refuses: Incorrect API key provided: mock-key-1."
	for name, c := range map[string]struct {
		answer host.Object
		key    string
		want   string
	}{
		"told nowhere":          {hosttest.Refusal(false), "mock-key-1", "passed"},
		"in the error":          {quoted, "mock-key-1", agenticloop.RFC103READ10},
		"asked without any key": {quoted, "", "blocked"},
	} {
		t.Run(name, func(t *testing.T) {
			turn := hosttest.Told{Name: name, Answer: c.answer}.Turn(t)
			o := protocol.ModelObservation{Control: hosttest.StartR.Turn(t), Tool: "fetch", Allowed: []string{"fetch"}, Name: "agentic-loop",
				Errs: []protocol.ErrsTurn{{Turn: turn, Asked: 1, Key: c.key}}}
			o.Turns = host.Turns{o.Control, turn}
			hosttest.Expect(t, "security/model-key-kept", o, c.want)
		})
	}
}
