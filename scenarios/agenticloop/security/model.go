package security

import (
	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/claims"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/protocol"
)

// A plugin trusts its model no more than a tool (AL-R1, AL-R15, AL-R119).
var misledByModel = scenarios.Scenario{
	ID:     "agenticloop/security/model-out-of-bounds",
	Title:  "whatever its model wants, and how often, the agent asks for no tool that is not allowed, and never for itself",
	Proves: scenarios.IDs{agenticloop.RFC103G2, agenticloop.RFC103G3, agenticloop.RFC103READ12},
	Claim:  claims.Model,
	Ask: scenarios.Ask(protocol.Errings, func(o protocol.ModelObservation, j *scenarios.Judge) {
		o.Given(j)
		host.Given(j, o.Reached()...)
		for _, e := range o.Errs {
			t := e.Turn
			if !e.Reached() {
				continue
			}
			j.Check(agenticloop.RFC103READ12, t.Events().Each("/type")).To(soundRequests(),
				"%s: types of its events", t.Name)
			j.Check(agenticloop.RFC103G3, t.Events()).To(t.AsksOnlyFor(o.MayAskFor(e)...), "%s", t.Name)
			checkNotItself(j, t, o.Name, agenticloop.RFC103G2)
		}
		if !o.WantedItself() {
			j.Block("the model was not asked where it would have wanted the agent itself", "see that the plugin asks its model in every start")
		}
	}),
}
