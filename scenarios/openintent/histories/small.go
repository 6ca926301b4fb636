package histories

import (
	"github.com/openassay/assay/scenarios/explore/lockstep"
	"github.com/openassay/assay/scenarios/openintent/model"
)

// Small returns small worlds of all kinds, for tests that walk through the whole of them.
func Small() []lockstep.Small {
	return []lockstep.Small{smallQuestion(0), smallQuestion(1), smallQuestion(2)}
}

// smallQuestion is an intent that waits for an answer of a kind, one of the first two of its answers or another.
func smallQuestion(asks int) lockstep.Small {
	kind := model.Kinds[asks]
	fits, other := answers[kind][0], answers[kind][len(answers[kind])-1]
	return &lockstep.World[model.Question, model.Asked, model.Replied]{
		Name: "a question, " + kind, Kind: questions, Scenario: questionsExplained,
		Begin: model.Question{Status: model.Suspended, Lifecycle: true, Asks: asks},
		Claimed: func(begin, drawn model.Question) model.Question {
			begin.Lifecycle = drawn.Lifecycle
			return begin
		},
		Steps: []model.Asked{
			{Do: model.Look}, {Do: model.Tell}, {Do: model.Note, Value: "note"}, {Do: model.Note, Value: "late", Old: true},
			{Do: model.Answer, Value: fits, Noted: true}, {Do: model.Answer, Value: other}, {Do: model.Answer, Value: fits, Names: model.NamesOther},
			{Do: model.Answer, Value: fits, Names: model.NamesNear}, {Do: model.Complete}, {Do: model.Complete, Old: true}, {Do: model.Abandon},
		},
		Plain: func(q model.Question) model.Question { return q },
	}
}
