package operations

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/access"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// MisfitsSuite returns the scenarios about every operation, asked for in ways that its contract does not allow.
func MisfitsSuite() scenarios.Suite {
	return scenarios.Suite{
		ID: "misfits", Title: "every operation of the contract, sent with requests that do not fit it, and to what is over",
		Scenarios: []scenarios.Scenario{everyMisfitAnswered, everyMisfitWithoutEffect, everyEndFinal},
	}
}

var everyMisfitAnswered = scenarios.Scenario{
	ID: "openwop/misfits/every-misfit-answered",
	Title: "no operation falls over a body that is no JSON, a member of another type, one too many or too few, or a parameter out of " +
		"its range, at any depth; what it cannot do it refuses",
	Proves: scenarios.IDs{openwop.OWPERR26, openwop.OWPERR4},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(misfitting, func(o MisfitsObservation, j *scenarios.Judge) {
		o.given(j)
		for _, r := range o.Rounds {
			letIn := map[string][]string{}
			for _, a := range r.Tried {
				if a.Answer.Lacking() && !slices.Contains(needed, a.Operation) {
					continue
				}
				j.Check(openwop.OWPERR26, a.Answer.Status).To(check.Status(answers(a)...), "%s", a.Answer.Asked)
				switch code, _ := a.Answer.Status.Int(); {
				case code/100 == 4:
					host.Answered(a.Answer).Envelope(j)
				case a.Answer.Success():
					letIn[a.Operation] = append(letIn[a.Operation], a.Answer.Asked)
				}
			}
			for _, operation := range slices.Sorted(maps.Keys(letIn)) {
				j.Find("", "%s is done all the same for %d requests that do not fit, among them: %s", operation, len(letIn[operation]),
					letIn[operation][0])
			}
		}
	}),
}

// answers are the statuses that a request that does not fit may be answered with (OWP-R112).
func answers(a access.Tried) []int {
	if a.Sure {
		return []int{4, http.StatusNotImplemented}
	}
	return []int{2, 4, http.StatusNotImplemented}
}

var everyMisfitWithoutEffect = scenarios.Scenario{
	ID:     "openwop/misfits/every-misfit-without-effect",
	Title:  "requests that are refused because they do not fit change no run, file or goal, and leave none behind",
	Proves: scenarios.IDs{openwop.OWPERR27},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(misfitting, func(o MisfitsObservation, j *scenarios.Judge) {
		o.given(j)
		was := o.Before
		moved, compared := false, false // moved: the runs are no longer at rest
		for _, r := range o.Rounds {
			letIn := slices.ContainsFunc(r.Tried, access.Tried.Moves)
			moved = moved || letIn && r.Thing == run
			if !letIn && r.Thing != "" && !(moved && r.Thing == run) {
				compared = checkSame(j, openwop.OWPERR27, o.Made, r.Thing, was, r.After, fmt.Sprintf("after %s and %d more that do not fit",
					r.Tried[0].Answer.Asked, len(r.Tried)-1)) || compared
			}
			was = was.with(r.After, r.Thing)
		}
		if !compared {
			j.Block("of nothing that can be read a request was refused for not fitting", "refuse what does not fit the contract")
		}
	}),
}

// What is over can be read, and a fork of it is a run of its own.
var everyEndFinal = scenarios.Scenario{
	ID:     "openwop/misfits/every-end-final",
	Title:  "no operation moves a run that has ended or was cancelled, or a goal that was abandoned, or brings back a file that was deleted",
	Proves: scenarios.IDs{openwop.OWPERR28},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(afterwards, func(o EndsObservation, j *scenarios.Judge) {
		o.Made.given(j, o.Before)
		for _, a := range o.Asked {
			j.Check(openwop.OWPERR28, a.Status).To(check.Status(2, 4, http.StatusNotImplemented), "%s", a.Asked)
		}
		host.CheckSame(j, openwop.OWPERR28, o.Before.Ended, o.After.Ended, "the run that has ended, after every operation")
		if o.Before.Held.Status().String() == "cancelled" {
			host.CheckSame(j, openwop.OWPERR28, o.Before.Held, o.After.Held, "the run that was cancelled, after every operation")
		}
		if state := o.Before.Goal.Body.Key("state"); state.String() == "abandoned" {
			j.Check(openwop.OWPERR28, o.After.Goal.Body.Key("state")).To(check.SameAs(state), "state of the goal, after every operation")
		}
		if o.Dropped && host.NotThere(statusOf(o.Before.File)) {
			j.Check(openwop.OWPERR28, o.After.File.Status).To(check.Status(4), "the file, after every operation")
		}
	}),
}

func statusOf(r host.FileReply) int {
	code, _ := r.Status.Int()
	return int(code)
}
