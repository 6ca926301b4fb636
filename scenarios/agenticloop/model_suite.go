package agenticloop

import (
	"fmt"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
)

// given stops a judge where nothing can be said of what the agent makes of a model that errs.
func (o ModelObservation) given(j *scenarios.Judge) {
	begun(j, o.Control)
	inTime(j, o.reached()...)
	if tools := o.Control.toolsOf(); len(tools) != 1 || len(o.reached()) == 0 {
		j.Block("the agent did not ask the model", "see that mock_llm in "+ProfileName+" makes the agent use it")
	}
}

// However its model errs, a turn follows the protocol (AL-R121).
var erringModel = scenarios.Scenario{
	ID:     "agenticloop/protocol/model-that-errs",
	Title:  "a turn whose model answers with an error, breaks off, talks without end or says what is no decision ends in time, with a sound response",
	Proves: scenarios.IDs{agenticloopv2.RFC103WIRE1, agenticloopv2.RFC103WIRE2, agenticloopv2.RFC103WIRE9},
	Claim:  plugin,
	Ask: scenarios.Ask(errings, func(o ModelObservation, j *scenarios.Judge) {
		o.given(j)
		for _, t := range o.reached() {
			if code, exited := t.Exit.Int(); exited && code != 0 {
				j.BlockOn(agenticloopv2.RFC103I7, fmt.Sprintf("%s: it ended with exit code %d", t.Name, code))
			}
			if !j.Check(agenticloopv2.RFC103WIRE9, t.Exit).To(check.Equal(0), "%s: how it ended", t.Name) {
				return
			}
			j.Check(agenticloopv2.RFC103WIRE9, t.Survivors).To(check.Len(0), "%s: processes that it left behind", t.Name)
			if !j.Check(agenticloopv2.RFC103WIRE1, t.Output).To(anObject(), "%s: standard output", t.Name) {
				return
			}
			t.soundResponse(j)
		}
	}),
}

// An agent trusts its model no more than it trusts a tool (AL-R1, AL-R15, AL-R119).
var misledByModel = scenarios.Scenario{
	ID:     "agenticloop/security/model-out-of-bounds",
	Title:  "whatever its model wants, and how often, the agent asks for no tool that is not allowed, and never for itself",
	Proves: scenarios.IDs{agenticloopv2.RFC103G2, agenticloopv2.RFC103G3, agenticloopv2.RFC103READ12},
	Claim:  plugin,
	Ask: scenarios.Ask(errings, func(o ModelObservation, j *scenarios.Judge) {
		o.given(j)
		given(j, o.reached()...)
		allowed := append(o.Control.toolsOf(), o.Allowed...) // the one of the control may go to a plugin of another name
		for _, t := range o.reached() {
			j.Check(agenticloopv2.RFC103READ12, t.events().Each("/type")).To(soundRequests(), "%s: types of its events", t.Name)
			j.Check(agenticloopv2.RFC103G3, t.events()).To(t.asksFor(allowed...), "%s", t.Name)
			j.Check(agenticloopv2.RFC103G2, t.events()).To(notItself(o.Name), "%s", t.Name)
		}
	}),
}
