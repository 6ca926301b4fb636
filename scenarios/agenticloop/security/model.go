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

// RFC-103 Security and Scope (AL-R118). Services quote the key that they refuse.
var modelKeyKept = scenarios.Scenario{
	ID:     "agenticloop/security/model-key-kept",
	Title:  "where the model refuses the agent's key and quotes it, the key is not told",
	Proves: scenarios.IDs{agenticloop.RFC103READ10},
	Claim:  claims.Model,
	Ask: scenarios.Ask(protocol.Errings, func(o protocol.ModelObservation, j *scenarios.Judge) {
		o.Given(j)
		asked := false
		for _, e := range o.Errs {
			if e.Key == "" {
				continue
			}
			asked = true
			for _, v := range append(told(e.Turn), e.Turn.Answer.Key("state_updates")) {
				j.Check(agenticloop.RFC103READ10, v).To(host.Without(e.Key), "%s: the key of its model", e.Turn.Name)
			}
		}
		if !asked {
			j.Block("the model was not asked with a key", "have mock_llm in "+host.ProfileName+" hand the plugin ${key}")
		}
	}),
}
