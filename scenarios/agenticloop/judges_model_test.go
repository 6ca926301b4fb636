package agenticloop

import (
	"testing"

	"github.com/openassay/assay/gen/agenticloopv2"
)

// A model that errs is no excuse, and no way in.
func TestJudgesOfAModelThatErrs(t *testing.T) {
	startOf := func(tool string) object { return ok(object{"R": running(1, tool)}, request("R", 1, tool)) }
	gone := ok(object{"R": over("escalated", 0)}, escalation("R", "the model errs"))
	const sound, bounds, every = "protocol/model-that-errs", "security/model-out-of-bounds", "protocol/turns-of-erring-model"
	for name, c := range map[string]struct {
		turn  told
		asked int
		wants map[string]string // what is not passed
	}{
		"to be tried again":             {told{answer: refusal(true)}, 1, nil},
		"escalated":                     {told{answer: gone}, 1, nil},
		"by another plan":               {told{answer: startOf("fetch")}, 2, nil},
		"the model is not used":         {told{answer: refusal(true)}, 0, map[string]string{sound: "blocked", bounds: "blocked"}},
		"killed":                        {told{ended: "killed at its deadline of 6s", answer: ""}, 1, map[string]string{sound: agenticloopv2.RFC103WIRE9, bounds: "blocked", every: agenticloopv2.RFC103T10}},
		"with a traceback":              {told{answer: "Traceback"}, 1, map[string]string{sound: agenticloopv2.RFC103WIRE1, bounds: "blocked", every: agenticloopv2.RFC103WIRE1}},
		"with an exit code":             {told{answer: refusal(true), exit: 1}, 1, map[string]string{sound: "blocked", bounds: "blocked", every: agenticloopv2.RFC103I7}},
		"without a word of error":       {told{answer: object{"status": "error"}}, 1, map[string]string{sound: agenticloopv2.RFC103WIRE2, every: agenticloopv2.RFC103WIRE2}},
		"with a tool that nobody knows": {told{answer: startOf("assay-unknown-tool")}, 1, map[string]string{bounds: agenticloopv2.RFC103G3}},
		"with itself":                   {told{answer: startOf("agentic-loop")}, 1, map[string]string{bounds: agenticloopv2.RFC103G3}},
		"with a result of its own":      {told{answer: ok(runR, object{"type": "agentic.tool_result", "payload": object{}})}, 1, map[string]string{bounds: agenticloopv2.RFC103G2, every: agenticloopv2.RFC103P4}},
		"with a name of two lines":      {told{answer: startOf("fetch\nagentic.start")}, 1, map[string]string{bounds: agenticloopv2.RFC103READ12, every: agenticloopv2.RFC103P4}},
	} {
		t.Run(name, func(t *testing.T) {
			c.turn.name = name
			o := ModelObservation{Control: startR.turn(t), Tool: "fetch", Allowed: []string{"fetch", "fabric"}, Name: "agentic-loop", Errs: []ErrsTurn{{c.turn.turn(t), c.asked}}}
			o.Turns = Turns{o.Control, o.Errs[0].Turn}
			for _, s := range []string{sound, bounds, every} {
				want := c.wants[s]
				if want == "" {
					want = "passed"
				}
				expect(t, s, o, want)
			}
		})
	}
}
