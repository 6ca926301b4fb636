package worlds

import (
	"fmt"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/model"
)

// turnScenarios ask for what must be refused while a world goes on.
var turnScenarios = []scenarios.Scenario{
	{
		ID: "openintent/worlds/world-forced",
		Title: "no caller can suspend an intent that is a draft, blocked, completed or abandoned, complete one that waits for an answer, " +
			"with or without a record, or make a blocked one go on",
		Proves: scenarios.IDs{openintent.OIP0025L1, openintent.OIP0025L2, openintent.OIP00022},
		Claim:  claims.With(claims.Lifecycle, claims.Core, claims.Graph), Ask: of(forced, nil),
	},
	{
		ID: "openintent/worlds/world-stale",
		Title: "an answer to an earlier suspension is refused while the next one has no record yet, whether the earlier one was answered or " +
			"had expired",
		Proves: scenarios.IDs{openintent.OIP0025A5}, Claim: claims.With(claims.Core, claims.Graph), Ask: of(stale, nil),
	},
	{
		ID:     "openintent/worlds/world-phases",
		Title:  "what a portfolio lists as suspended phases are members that wait, each with the times of its present suspension",
		Proves: scenarios.IDs{openintent.OIP0026R4I, openintent.OIP0026R4J},
		Claim:  claims.With(claims.Workflow, claims.Portfolio, claims.Core, claims.Graph),
		Ask: of(phased, func(o WorldObservation, j *scenarios.Judge) {
			o.hasFolders(j)
			for _, m := range o.moments() {
				for _, e := range m.phases() {
					if e.id == openintent.OIP0026R4J {
						return
					}
				}
			}
			j.NotThere(o.Start.Folders[0].Status, "suspended_phases of a portfolio, at GET /portfolios/{id}")
		}),
	},
}

// forbids is the rule by which the status is refused that is asked for by force.
func (m moment) forbids() scenarios.RequirementID {
	switch m.turn.To {
	case model.Suspended:
		return openintent.OIP0025L1
	case model.Completed:
		return openintent.OIP0025L2
	}
	return openintent.OIP00022
}

// refusals are of turns that no server takes. What is blocked may be asked to go on, if it does not.
func (m moment) refusals() (all []expectation) {
	reply, n := m.taken.Reply, m.turn.Intent
	what := fmt.Sprintf("%s: %s intent %d", reply.Asked, m.turn.Do, n)
	switch m.turn.Do {
	case model.Force:
		if m.turn.To != model.Active {
			all = append(all, expectation{forced, m.forbids(), reply.Status, check.Status(4), what + ", which is " + m.before.status(n).String()})
		}
	case model.Stale:
		all = append(all, expectation{stale, openintent.OIP0025A5, reply.Status, check.Status(409), what})
	}
	return all
}
