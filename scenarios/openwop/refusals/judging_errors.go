package refusals

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// Coded checks that a request is refused with one of the canonical codes for as.
func Coded(a host.Answered, j *scenarios.Judge, id scenarios.RequirementID, as dialect.Refusal) {
	if j.Check(id, a.Status).To(dialect.Refused(as), "%s", a.Asked) {
		a.Envelope(j)
		j.Check(openwop.OWPERR5, a.Code()).To(dialect.CodedAs(as), "code of %s", a.Asked)
	}
}

// NotAFault checks a request that a host in use may take, though the text refuses it, but must answer.
func NotAFault(a host.Answered, j *scenarios.Judge, id scenarios.RequirementID) {
	if j.Check(id, a.Status).To(check.Status(2, 400, 422), "%s", a.Asked) && host.Succeeded(a.Status) {
		j.Find("", "%s: the host made a run instead of refusing, as hosts in use do", a.Asked)
	}
}
