// Package histories holds what several clients saw of an object, whatever they did to it, against the model.
package histories

import (
	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/model"
)

// Models returns what the histories are held against.
func Models() []history.Object {
	return []history.Object{
		model.QuestionModel.Object("questions", "An intent that waits for an answer while several clients read, answer and change it at once"),
		model.GroupModel.Object("worlds", "A few linked intents with portfolios, tasks and a plan, changed by one client at a time"),
		model.ChasedModel.Object("chases", "An intent that waits for an answer and sends reminders until its window ends"),
		model.PhasesModel.Object("phases", "Two intents: one takes its input from the other, and agents hold leases on both"),
		model.WatchedModel.Object("coordinated", "An intent under a coordinator; one of its phases is suspended several times"),
		model.PaperModel.Object("plans", "A plan that several clients change at once, each naming the version it last saw"),
	}
}

// Suite makes histories that nobody thought of.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: explore.SuiteID, Title: "drawn histories of several clients, against all that the texts let an object show",
		Scenarios: []scenarios.Scenario{
			questionsExplained, worldsExplained, chasesExplained, phasesExplained, coordinatedExplained, plansExplained,
		},
	}
}

var questionsExplained = scenarios.Scenario{
	ID:     "openintent/histories/questions",
	Title:  "an intent with a question shows what clients did to it, in some order, whatever they do at once",
	Proves: scenarios.IDs{openintent.OIP00014}, Watches: questions.Watched(), Reaches: scenarios.Survived,
	Claim: claims.Core, Ask: scenarios.Ask(askedAtOnce, questions.Judge), Depth: scenarios.Standard,
}

var worldsExplained = scenarios.Scenario{
	ID:     "openintent/histories/worlds",
	Title:  "linked intents, and everything that shows them, reflect the requests that were made, in any order",
	Proves: scenarios.IDs{openintent.OIP00014}, Watches: worlds.Watched(), Reaches: scenarios.Survived,
	Claim: claims.With(claims.Core, claims.Graph), Ask: scenarios.Ask(drawnWorlds, worlds.Judge), Depth: scenarios.Standard,
}

var chasesExplained = scenarios.Scenario{
	ID:     "openintent/histories/chases",
	Title:  "each reminder of a retry policy is sent once, and when the window ends the fallback is applied",
	Proves: scenarios.IDs{openintent.OIP0026N1}, Watches: chases.Watched(),
	Claim: claimed(claims.With(claims.Notifier, claims.Core)),
	Ask:   scenarios.Ask(drawnChases, chases.Judge), Depth: scenarios.Standard,
}

var phasesExplained = scenarios.Scenario{
	ID:     "openintent/histories/phases",
	Title:  "a lease is kept while its intent waits, and the next phase can be claimed once its input is complete",
	Proves: scenarios.IDs{openintent.OIP00014}, Watches: handovers.Watched(), Reaches: scenarios.Survived,
	Claim: claimed(claims.With(claims.Claimed, claims.Lifecycle, claims.Graph)),
	Ask:   scenarios.Ask(drawnHandovers, handovers.Judge), Depth: scenarios.Standard,
}

var coordinatedExplained = scenarios.Scenario{
	ID:     "openintent/histories/coordinated",
	Title:  "a coordinator does what its policy says each time that a phase is suspended, and nothing else",
	Proves: scenarios.IDs{openintent.OIP00014}, Watches: coordinated.Watched(), Reaches: scenarios.Survived,
	Claim: claimed(claims.With(claims.Coordinator, claims.Graph)),
	Ask:   scenarios.Ask(drawnCoordinated, coordinated.Judge), Depth: scenarios.Standard,
}

var plansExplained = scenarios.Scenario{
	ID:     "openintent/histories/plans",
	Title:  "when several changes name the same version of a plan, one is made, even if they arrive at once",
	Proves: scenarios.IDs{openintent.OIP0001200}, Watches: papers.Watched(), Reaches: scenarios.Survived,
	Claim: claimed(claims.Plan), Ask: scenarios.Ask(writtenAtOnce, papers.Judge), Depth: scenarios.Standard,
}

// claimed returns the claim for servers that make it: of what they do not claim nothing is held against them.
func claimed(c scenarios.Claim) scenarios.Claim {
	c.Open = func(scenarios.Discovery) bool { return false }
	return c
}
