package openwop

import (
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Answered is a request in our words, and what came back.
type Answered struct {
	Asked  string     `json:"asked"`
	Status wire.Value `json:"status"`
	Body   wire.Value `json:"body"`
}

func answered(asked string, reply *wire.Reply) Answered {
	return Answered{asked, reply.StatusValue(), reply.Value("")}
}

// code is the code of a refusal.
func (a Answered) code() wire.Value { return a.Body.Key("error") }

func (a Answered) status() int {
	code, _ := a.Status.Int()
	return int(code)
}

// unknown says whether the host knows the workflow no better than one that nobody has.
func (a Answered) unknown() bool {
	return a.status() == http.StatusNotFound && !a.Body.At("/details/requiredCapability").Present() && !a.Body.At("/details/offendingTypeId").Present()
}

// refused checks that the request was refused with one of these, in an envelope.
func (a Answered) refused(j *scenarios.Judge, id scenarios.RequirementID, statuses ...int) bool {
	if !j.Check(id, a.Status).To(check.Status(statuses...), "%s", a.Asked) {
		return false
	}
	a.envelope(j)
	return true
}

// coded is refused with a code for which the protocol has canonical spellings.
func (a Answered) coded(j *scenarios.Judge, id scenarios.RequirementID, codes []any, statuses ...int) {
	if a.refused(j, id, statuses...) {
		j.Check(openwopv1.OWPERR5, a.code()).To(check.OneOf(codes...), "code of %s", a.Asked)
	}
}

// envelope checks the words of a refusal.
func (a Answered) envelope(j *scenarios.Judge) {
	j.Check(openwopv1.OWPERR4, a.code()).To(check.Text(), "error, of %s", a.Asked)
	j.Check(openwopv1.OWPERR4, a.Body.Key("message")).To(check.Text(), "message, of %s", a.Asked)
	optional(j, openwopv1.OWPERR4, a.Body.Key("details"), jsonObject(), "details, of "+a.Asked)
	object, _ := a.Body.Actual().(map[string]any)
	for name := range object {
		if !slices.Contains([]string{"error", "message", "details"}, name) { // facts C25
			j.Find(openwopv1.OWPERR4, "the refusal of %s has members that belong in details", a.Asked)
			return
		}
	}
}

// notAFault checks a request that a host may take or refuse, but has to answer.
func (a Answered) notAFault(j *scenarios.Judge, id scenarios.RequirementID) {
	if j.Check(id, a.Status).To(check.Status(2, 400, 422), "%s", a.Asked) && succeeded(a.Status) {
		j.Find(id, "%s: a run is made all the same", a.Asked)
	}
}
