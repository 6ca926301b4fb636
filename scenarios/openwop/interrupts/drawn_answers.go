package interrupts

import (
	"maps"
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/wire"
)

// Answers with values of every type.

var drawnFits = scenarios.Scenario{
	ID:     "openwop/interrupts/answers-fit-exactly",
	Title:  "an answer to one of several questions that is close to what its schema takes is refused with all the others, and moves nothing",
	Proves: scenarios.IDs{openwop.OWPINT13, openwop.OWPINT22},
	Claim:  claims.Clarifications,
	Ask: ofQuestions(func(o DrawnAnswersObservation, j *scenarios.Judge) {
		o.checkRefused(j, openwop.OWPINT22, http.StatusBadRequest, http.StatusUnprocessableEntity)
	}),
}

var drawnReaches = scenarios.Scenario{
	ID:     "openwop/interrupts/answers-reach-exactly",
	Title:  "answers of every JSON type reach the run as they were given, false, 0, empty and null among them",
	Proves: scenarios.IDs{openwop.OWPINT2, openwop.OWPINT21},
	Claim:  claims.Clarifications,
	Ask: ofQuestions(func(o DrawnAnswersObservation, j *scenarios.Judge) {
		o.checkReaches(j, openwop.OWPINT22, openwop.OWPINT21, "/answer/answers")
		o.checkLate(j)
	}),
}

var drawnMismatch = scenarios.Scenario{
	ID: "openwop/interrupts/near-events-refused",
	Title: "an event that differs from its correlation in one member by a letter, a number or a type, or lacks one, is refused, by its " +
		"token and at its node, and moves nothing",
	Proves: scenarios.IDs{openwop.OWPINT13, openwop.OWPINT26},
	Claim:  claims.ExternalEvents,
	Ask: scenarios.Ask(drawnEvent, func(o DrawnAnswersObservation, j *scenarios.Judge) {
		o.checkRefused(j, openwop.OWPINT26, http.StatusUnprocessableEntity)
	}),
}

var drawnMatch = scenarios.Scenario{
	ID:     "openwop/interrupts/event-reaches-exactly",
	Title:  "an event reaches the run with values of every JSON type as they were sent",
	Proves: scenarios.IDs{openwop.OWPINT2, openwop.OWPINT25},
	Claim:  claims.ExternalEvents,
	Ask: scenarios.Ask(drawnEvent, func(o DrawnAnswersObservation, j *scenarios.Judge) {
		o.checkReaches(j, openwop.OWPINT26, openwop.OWPINT25, "/answer")
		o.checkLate(j)
	}),
}

// checkRefused checks that each wrong answer was refused with one of the statuses and that none moved the run, which the right one did.
func (o DrawnAnswersObservation) checkRefused(j *scenarios.Judge, id scenarios.RequirementID, statuses ...int) {
	o.given(j)
	o.Round.checkRefused(j, 0, func(m miss) (scenarios.RequirementID, []int) {
		if m == atNode {
			return id, []int{4}
		}
		return id, statuses
	})
	o.Right.taken(j)
}

// checkReaches checks that the run has below the pointer what was given, behind its gate, wherever it shows that. wrong is by what a host
// refuses the answers before.
func (o DrawnAnswersObservation) checkReaches(j *scenarios.Judge, wrong, id scenarios.RequirementID, pointer string) {
	o.given(j)
	spoilt(j, o.Round, map[miss]scenarios.RequirementID{wrongAnswer: wrong, atNode: wrong})
	if !j.Check(id, o.Right.Status).To(check.Status(2), "%s", o.Right.Asked) || !j.Check(id, o.End.Ended).To(check.Reached(), "after it") {
		j.End()
	}
	o.End.Readable(j)
	j.Check(id, o.End.Status()).To(check.Equal("completed"), "status of the run")
	shown := products(o.End).Each(pointer).Where(wire.Value.Present)
	if len(shown.Values) == 0 {
		j.Block("the run shows neither in its variables nor in the outputs of its nodes what it was answered",
			"show the variables of a run, or put the outputs of its nodes on the log")
	}
	for _, v := range shown.Values {
		for _, name := range slices.Sorted(maps.Keys(o.Given)) {
			j.Check(id, v.Key(name)).To(check.Equal(o.Given[name]), "%s, as the run has it behind its gate", name)
		}
	}
}

// checkLate checks that the same answer is refused once it was taken, and changes nothing.
func (o DrawnAnswersObservation) checkLate(j *scenarios.Judge) {
	j.Check(openwop.OWPINT2, o.Late.Status).To(check.Status(http.StatusNotFound, http.StatusConflict, http.StatusGone), "%s", o.Late.Asked)
	checkUntouched(j, openwop.OWPINT2, o.End, o.Later, "the same answer once more")
}

// ofQuestions judges every run of the drive.
func ofQuestions(judge func(DrawnAnswersObservation, *scenarios.Judge)) scenarios.Question {
	return scenarios.Ask(drawnQuestions, func(o DrawnAnswersObservation, j *scenarios.Judge) {
		judge(o, j)
		if o.Again != nil {
			judge(*o.Again, j)
		}
	})
}
