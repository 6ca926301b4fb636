package interrupts

import (
	"net/http"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// Answers to a run's questions, and external events.

// reaches checks that the run completed with the answer. Upstream's fixtures do
// nothing with it, so a host that does not show it there is not judged.
func (g Gate) reaches(j *scenarios.Judge, id scenarios.RequirementID, a Response, end host.RunLog, given ...string) {
	g.given(j)
	if !j.Check(id, a.Status).To(check.Status(2), "%s", a.Asked) || !j.Check(id, end.Ended).To(check.Reached(), "after %s", a.Asked) {
		return
	}
	end.Readable(j)
	j.Check(id, end.Status()).To(check.Equal("completed"), "status of the run")
	for _, text := range given {
		if !g.Ours && len(showing(shows(end), text).Values) == 0 {
			j.Block("upstream's fixture does nothing after its gate, so it does not show whether the answer reached the run",
				"offer "+fixture.Questions+" and "+fixture.Event)
		}
		j.Check(id, shows(end)).To(someHolding(text), "what the run shows that it was given, %s", a.Asked)
		if g.Ours {
			j.Check(id, carried(end)).To(someHolding(text), "what stands behind the gate, %s", a.Asked)
		}
	}
}

var questionsReach = scenarios.Scenario{
	ID:     "openwop/interrupts/answers-reach",
	Title:  "the answers to the questions of a run reach the run",
	Proves: scenarios.IDs{openwop.OWPINT21},
	Claim:  claims.Clarifications,
	Ask: scenarios.Ask(questionsAnswered, func(o QuestionsObservation, j *scenarios.Judge) {
		form := o.Mapped
		if host.RefusesAnswer(form.Status) && host.Succeeded(o.Listed.Status) { // a host that takes only the list (OWP-R34)
			o.Second.reaches(j, openwop.OWPINT21, o.Listed, o.SecondEnd, o.Listed.Marker)
			return
		}
		o.unspoilt(j, openwop.OWPINT22, o.Misfits...)
		o.unspoiltBehind(j, o.Later)
		o.reaches(j, openwop.OWPINT21, form, o.End, o.Given...)
	}),
}

var questionsFit = scenarios.Scenario{
	ID:     "openwop/interrupts/answers-fit",
	Title:  "an answer that does not fit the schema of its question is refused and moves nothing",
	Proves: scenarios.IDs{openwop.OWPINT13, openwop.OWPINT22},
	Claim:  claims.Clarifications,
	Ask: scenarios.Ask(questionsAnswered, func(o QuestionsObservation, j *scenarios.Judge) {
		o.given(j)
		if len(o.Misfits) == 0 {
			j.Block("upstream's question has no schema", "offer assay-questions or assay-scripted-questions")
		}
		for _, a := range o.Misfits {
			o.checkRefused(j, openwop.OWPINT22, a, http.StatusBadRequest, http.StatusUnprocessableEntity)
		}
		o.checkBehind(j, o.Barrier, o.Later)
		o.Mapped.accepted(j, openwop.OWPINT21, o.End)
		checkNoTrace(j, openwop.OWPINT13, o.End, o.Misfits[0])
	}),
}

var questionsLeftOpen = scenarios.Scenario{
	ID:     "openwop/interrupts/answers-missing",
	Title:  "an answer that leaves the questions open does not resolve them",
	Proves: scenarios.IDs{openwop.OWPINT23},
	Claim:  claims.Clarifications,
	Ask: scenarios.Ask(questionsAnswered, func(o QuestionsObservation, j *scenarios.Judge) {
		o.given(j)
		o.Third.given(j)
		j.Check(openwop.OWPINT23, o.Empty.Status).To(check.Status(http.StatusBadRequest, http.StatusUnprocessableEntity), "%s", o.Empty.Asked)
		o.Third.checkUnmoved(j, openwop.OWPINT23, o.Empty.After, o.Empty.Asked)
	}),
}

var questionsForms = scenarios.Scenario{
	ID:     "openwop/interrupts/answers-as-list",
	Title:  "the answers are taken as a map and as a list",
	Proves: scenarios.IDs{openwop.OWPINT24},
	Claim:  claims.Clarifications,
	Ask: scenarios.Ask(questionsAnswered, func(o QuestionsObservation, j *scenarios.Judge) {
		o.given(j)
		o.Second.given(j)
		j.Check(openwop.OWPINT24, o.Mapped.Status).To(check.Status(2), "%s", o.Mapped.Asked)
		if j.Check(openwop.OWPINT24, o.Listed.Status).To(check.Status(2), "%s", o.Listed.Asked) && o.Ours {
			j.Check(openwop.OWPINT24, carried(o.SecondEnd)).To(someHolding(o.Listed.Marker), "what the run was given, %s", o.Listed.Asked)
		}
		if o.Nothing.Asked != "" {
			j.Check(openwop.OWPINT24, o.Nothing.Status).To(check.Status(2), "%s", o.Nothing.Asked)
		}
	}),
}

var eventReaches = scenarios.Scenario{
	ID:     "openwop/interrupts/event-reaches",
	Title:  "an event that matches the correlation resumes the run, and reaches it",
	Proves: scenarios.IDs{openwop.OWPINT25},
	Claim:  claims.ExternalEvents,
	Ask: scenarios.Ask(eventAwaited, func(o EventObservation, j *scenarios.Judge) {
		o.unspoilt(j, openwop.OWPINT26, o.Wrong...)
		o.unspoiltBehind(j, o.Later)
		o.reaches(j, openwop.OWPINT25, o.Right, o.End, o.Right.Marker)
	}),
}

// The control is a matching event, sent the same way.
var eventMismatch = scenarios.Scenario{
	ID:     "openwop/interrupts/event-mismatch",
	Title:  "an event that does not match the correlation is refused with 422 and moves nothing",
	Proves: scenarios.IDs{openwop.OWPINT13, openwop.OWPINT26},
	Claim:  claims.ExternalEvents,
	Ask: scenarios.Ask(eventAwaited, func(o EventObservation, j *scenarios.Judge) {
		o.given(j)
		for _, a := range o.Wrong {
			o.checkRefused(j, openwop.OWPINT26, a, http.StatusUnprocessableEntity)
		}
		o.checkBehind(j, o.Barrier, o.Later)
		o.Right.accepted(j, openwop.OWPINT25, o.End)
		checkNoTrace(j, openwop.OWPINT13, o.End, o.Wrong...)
	}),
}
