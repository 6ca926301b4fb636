// Package programs asks whether intents do what a drawn program says, whatever their graph, their suspensions, their values and
// their order: what an interpreter says that must show is compared with all that shows.
package programs

import (
	"slices"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Suite compares whole graphs with what their programs say.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID:    "programs",
		Title: "drawn graphs of intents that are suspended, answered and completed: all that shows against what the texts say of it",
		Scenarios: slices.Concat(graphScenarios, routeScenarios, []scenarios.Scenario{versionNamed}, roundScenarios, taskScenarios,
			courseScenarios, []scenarios.Scenario{unpacedScenario}, aroundScenarios, deadlineScenarios),
	}
}

// ofSuspension reports whether an event is of a suspension.
func ofSuspension(id string) func(wire.Value) bool {
	return func(e wire.Value) bool { return e.At("/payload/suspension_id").String() == id }
}

func mentioning(id string) func(wire.Value) bool {
	return func(e wire.Value) bool { return host.Contains(e, id) }
}

var graphScenarios = []scenarios.Scenario{
	{
		ID:     "openintent/programs/turned-blocked",
		Title:  "an intent is blocked whichever of its dependencies is suspended, and stays blocked when another one is",
		Proves: scenarios.IDs{openintent.OIP0026R2}, Claim: claims.Graph, Ask: ofEach(Ran.judgeBlocked),
	},
	{
		ID:     "openintent/programs/waits-for-all",
		Title:  "an intent stays blocked until its last dependency is completed, in whatever order they are answered and completed",
		Proves: scenarios.IDs{openintent.OIP0026R2C, openintent.OIP00022}, Claim: claims.Graph, Ask: ofEach(Ran.judgeWaits),
	},
	{
		ID:     "openintent/programs/goes-on",
		Title:  "an intent goes on when its last dependency is completed, whichever that is and however often it was suspended",
		Proves: scenarios.IDs{openintent.OIP0026R2D}, Claim: claims.Graph, Ask: ofEach(Ran.judgeGoesOn),
	},
	{
		ID:     "openintent/programs/gated",
		Title:  "no intent is completed while one of its dependencies waits or one of its children is open",
		Proves: scenarios.IDs{openintent.OIP0026R2B, openintent.OIP00021}, Claim: claims.Graph, Ask: ofEach(Ran.judgeGates),
	},
	{
		ID:     "openintent/programs/apart",
		Title:  "an intent keeps its status when others that it does not depend on are suspended, however often",
		Proves: scenarios.IDs{openintent.OIP0026R1, openintent.OIP00024}, Claim: claims.Graph, Ask: ofEach(Ran.judgeApart),
	},
	{
		ID:     "openintent/programs/counted-each-time",
		Title:  "after each step the aggregate of each parent counts the intents that wait and those that are completed",
		Proves: scenarios.IDs{openintent.OIP0026R4, openintent.OIP00023}, Claim: claims.Graph, Ask: ofEach(Ran.judgeCounted),
	},
	{
		ID:     "openintent/programs/members-counted",
		Title:  "after each step each portfolio counts its members that wait, whatever other portfolios they are in",
		Proves: scenarios.IDs{openintent.OIP0026R4B, openintent.OIP0026R4C, openintent.OIPREAD6}, Claim: inPortfolios,
		Ask: ofEach(Ran.judgeFlags),
	},
	{
		ID:     "openintent/programs/members-summed-up",
		Title:  "after each step each portfolio is completed, failed or in progress as its members are",
		Proves: scenarios.IDs{openintent.OIP0026R4D, openintent.OIP0026R4E, openintent.OIP0026R4F}, Claim: inPortfolios,
		Ask: ofEach(Ran.judgeWords),
	},
	{
		ID:     "openintent/programs/members-told",
		Title:  "the log of a portfolio has each suspension and each answer of each member once",
		Proves: scenarios.IDs{openintent.OIP0026X1, openintent.OIP0026X2}, Claim: inPortfolios, Ask: ofEach(Ran.judgeMembers),
	},
	{
		ID:     "openintent/programs/answers-kept",
		Title:  "each answer makes its intent active and is kept as it is, with the rest of the record",
		Proves: scenarios.IDs{openintent.OIP0025A11, openintent.OIP0025A13, openintent.OIP0025A15},
		Claim:  inGraphs, Ask: ofEach(Ran.judgeAnswers),
	},
	{
		ID: "openintent/programs/told-each-time", Title: "each answer leaves one intent.resumed",
		Proves: scenarios.IDs{openintent.OIP0025A14}, Claim: inGraphs, Ask: ofEach(Ran.judgeLogs),
	},
}

// What the drive needs beside what a scenario is about.
var (
	inGraphs     = claims.With(claims.Core, claims.Graph)
	inPortfolios = claims.With(claims.Portfolio, claims.Graph)
)
