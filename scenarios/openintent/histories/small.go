package histories

import (
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore/lockstep"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/model"
)

// Small returns small worlds of all kinds, for tests that walk through the whole of them.
func Small() []lockstep.Small {
	return slices.Concat(
		[]lockstep.Small{smallQuestion(0), smallQuestion(1), smallQuestion(2), dependents(), windows(), portfolios(), family(), smallPlan()},
		smallChases(), smallPhases(), smallCoordinated(),
	)
}

// smallQuestion is an intent that waits for an answer of a kind, one of the first two of its answers or another.
func smallQuestion(asks int) lockstep.Small {
	kind := model.Kinds[asks]
	fits, other := answers[kind][0], answers[kind][len(answers[kind])-1]
	begin := model.Question{Status: model.Suspended, Lifecycle: true, Asks: asks}
	if kind == "choice" {
		begin.Offers = strings.Join(model.Choices, "\n")
	}
	return &lockstep.World[model.Question, model.Asked, model.Replied]{
		Name: "a question, " + kind, Kind: questions, Scenario: questionsExplained,
		Begin: begin,
		On: func(q model.Question, d scenarios.Discovery) model.Question {
			_, q.Lifecycle = claims.Lifecycle.Look(d)
			return q
		},
		Looks: 2, Steps: []model.Asked{
			{Do: model.Look}, {Do: model.Tell}, {Do: model.Note, Value: "note"}, {Do: model.Note, Value: "late", Old: true},
			{Do: model.Answer, Value: fits, Noted: true}, {Do: model.Answer, Value: other}, {Do: model.Answer, Value: fits, Names: model.NamesOther},
			{Do: model.Answer, Value: fits, Names: model.NamesNear}, {Do: model.Complete}, {Do: model.Complete, Old: true}, {Do: model.Abandon},
		},
		Plain: func(q model.Question) model.Question { return q },
	}
}

type groupWorld = lockstep.World[model.Group, model.Deed, model.Found]

// everything is what a server may offer.
var everything = model.Offers{Lifecycle: true, Portfolio: true, Plan: true, Windows: true, Deadline: true}

// groupOf is a world of a group that is made so, whose first steps are looks. Of what the server offers it is about no more than this.
func groupOf(name string, looks int, about model.Offers, begin model.Group, steps ...model.Deed) *groupWorld {
	begin.Offers = about
	for n := range begin.All {
		if n == 0 || n >= begin.Size {
			begin.All[n].Parent = model.None
		}
	}
	begin.Start()
	return &groupWorld{
		Name: name, Kind: worlds, Scenario: worldsExplained, Begin: begin, Looks: looks, Steps: steps,
		On: func(g model.Group, d scenarios.Discovery) model.Group {
			o, is := &g.Offers, offersOf(d)
			o.Lifecycle, o.Portfolio, o.Plan = o.Lifecycle && is.Lifecycle, o.Portfolio && is.Portfolio, o.Plan && is.Plan
			o.Windows, o.Deadline = o.Windows && is.Windows, o.Deadline && is.Deadline
			g.Folders[1].Dated = g.Folders[1].Dated && o.Deadline
			return g
		},
		Plain: func(g model.Group) model.Group {
			g.Seen = false
			for n := range g.All {
				g.All[n].Why = ""
			}
			return g
		},
		Over: func(g model.Group) bool { return g.Astray },
		Asks: func(g model.Group, in model.Deed) bool { // time is let pass where the server has a clock, and watches what ends then
			return (in.Do != model.Pass || g.Offers.Windows) && (in.Do != model.Deadline || g.Folders[in.On].Dated)
		},
	}
}

// dependents are an intent that is suspended and answered, and one that depends on it.
func dependents() lockstep.Small {
	return groupOf("dependents", 2, model.Offers{Lifecycle: true}, model.Group{
		Size: 2, All: [model.MostIntents]model.Single{1: {Parent: model.None, Needs: 1}},
	},
		model.Deed{Do: model.Look}, model.Deed{Do: model.Look, Intent: 1},
		model.Deed{Do: model.Records}, model.Deed{Do: model.Halts}, model.Deed{Do: model.Answer}, model.Deed{Do: model.Answer, Value: 8},
		model.Deed{Do: model.Answer, Names: model.NamesEarlier}, model.Deed{Do: model.Answer, Names: model.NamesNear},
		model.Deed{Do: model.Answer, Names: model.NamesNone}, model.Deed{Do: model.Complete}, model.Deed{Do: model.Complete, Intent: 1},
		model.Deed{Do: model.Frees, Intent: 1}, model.Deed{Do: model.Depend, Intent: 1}, model.Deed{Do: model.Depend, On: 1},
		model.Deed{Do: model.LookGraph, Intent: 1},
		model.Deed{Do: model.LookLog}, model.Deed{Do: model.LookLog, Intent: 1},
	)
}

// windows are those of an intent, which end by a fallback.
func windows() lockstep.Small {
	return groupOf("windows", 2, model.Offers{Lifecycle: true, Windows: true}, model.Group{Size: 1},
		model.Deed{Do: model.Look}, model.Deed{Do: model.LookLog},
		model.Deed{Do: model.Records, Value: 1, Window: 1}, model.Deed{Do: model.Records, Value: 2, Window: 4, Merged: true},
		model.Deed{Do: model.Halts}, model.Deed{Do: model.Answer, Value: 3}, model.Deed{Do: model.Answer, Value: 10},
		model.Deed{Do: model.Answer, Value: 11}, model.Deed{Do: model.Pass}, model.Deed{Do: model.Claim}, model.Deed{Do: model.Renew},
	)
}

// portfolios are two whose members wait, which tasks and a plan show as well. The second has a deadline.
func portfolios() lockstep.Small {
	return groupOf("portfolios", 3, everything, model.Group{
		Size: 2, All: [model.MostIntents]model.Single{1: {Parent: model.None}},
		Folders: [model.MostFolders]model.Shelf{{Members: 3}, {Dated: true}}, Works: [model.MostWorks]model.Errand{{Is: model.Runs}},
	},
		model.Deed{Do: model.Look}, model.Deed{Do: model.LookFolder}, model.Deed{Do: model.LookTold},
		model.Deed{Do: model.Records}, model.Deed{Do: model.Halts}, model.Deed{Do: model.Halts, Intent: 1}, model.Deed{Do: model.Answer},
		model.Deed{Do: model.Join, On: 1}, model.Deed{Do: model.Leave}, model.Deed{Do: model.Deadline, On: 1}, model.Deed{Do: model.Pass},
		model.Deed{Do: model.LookLog}, model.Deed{Do: model.LookFolder, On: 1},
		model.Deed{Do: model.LookMembers}, model.Deed{Do: model.LookWithin}, model.Deed{Do: model.LookTask},
		model.Deed{Do: model.LookTasks}, model.Deed{Do: model.LookPlan},
	)
}

// family is a parent with two children, of which one depends on the other, and a draft that does, too.
func family() lockstep.Small {
	return groupOf("a family", 2, model.Offers{}, model.Group{
		Size: 4, All: [model.MostIntents]model.Single{
			1: {Parent: 0}, 2: {Parent: 0, Needs: 2}, 3: {Parent: model.None, Status: model.Draft, Needs: 2},
		},
	},
		model.Deed{Do: model.Look, Intent: 3}, model.Deed{Do: model.LookGraph},
		model.Deed{Do: model.Halts, Intent: 1}, model.Deed{Do: model.Complete}, model.Deed{Do: model.Complete, Intent: 1},
		model.Deed{Do: model.Abandon, Intent: 2}, model.Deed{Do: model.Activate}, model.Deed{Do: model.Activate, Intent: 3},
		model.Deed{Do: model.Halts, Intent: 3}, model.Deed{Do: model.Note, Value: 1},
		model.Deed{Do: model.Note, Value: 2, Match: model.MatchNone},
		model.Deed{Do: model.Note, Value: 2, Match: model.MatchOld}, model.Deed{Do: model.Complete, Match: model.MatchNone},
		model.Deed{Do: model.Complete, Match: model.MatchLater}, model.Deed{Do: model.Depend, Intent: 1, On: 3},
		model.Deed{Do: model.Look}, model.Deed{Do: model.LookHeld},
		model.Deed{Do: model.LookReady},
	)
}
