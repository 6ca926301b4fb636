package protocol

import (
	"fmt"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/claims"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/check"
)

// Given blocks the judge unless the plugin asked its model.
func (o ModelObservation) Given(j *scenarios.Judge) {
	host.GivenRequest(j, o.Control)
	host.GivenInTime(j, o.Reached()...)
	if tools := o.Control.Plugins(); len(tools) != 1 || len(o.Reached()) == 0 {
		j.Block("the plugin did not ask the model", "see that mock_llm in "+host.ProfileName+" makes the plugin use it")
	}
}

// A turn follows the protocol, whatever its model does (AL-R121).
var erringModel = scenarios.Scenario{
	ID: "agenticloop/protocol/model-that-errs",
	Title: "a turn whose model answers with an error, breaks off, talks without end or says what is no decision " +
		"ends in time, with a sound response",
	Proves: scenarios.IDs{agenticloop.RFC103WIRE1, agenticloop.RFC103WIRE2, agenticloop.RFC103WIRE9},
	Claim:  claims.Model,
	Ask: scenarios.Ask(Errings, func(o ModelObservation, j *scenarios.Judge) {
		o.Given(j)
		for _, t := range o.Reached() {
			if code, exited := t.Exit.Int(); exited && code != 0 && t.Status() != "error" {
				j.Violates(agenticloop.RFC103I7, t.Exit, fmt.Sprintf("%s: it ended with exit code %d", t.Name, code))
			}
			if !t.CheckExit(j, agenticloop.RFC103WIRE9) {
				return
			}
			j.Check(agenticloop.RFC103WIRE9, t.Survivors).To(check.Len(0),
				"%s: processes that it left behind", t.Name)
			if !j.Check(agenticloop.RFC103WIRE1, t.Output).To(host.AnObject(), "%s: standard output", t.Name) {
				return
			}
			t.CheckResponse(j)
		}
	}),
}
