package openwop

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// refusals of what belongs to somebody else, and of what is not there.
var refusals = []int{http.StatusForbidden, http.StatusNotFound}

// checkRefused checks that somebody is refused what is another's.
func (c TenantCall) checkRefused(j *scenarios.Judge, id scenarios.RequirementID) {
	accepted := refusals
	if !c.Needed { // not every host has it
		accepted = append(slices.Clone(refusals), http.StatusMethodNotAllowed, http.StatusNotImplemented)
	}
	j.Check(id, c.Existing.Status).To(check.Status(accepted...), "%s", c.Existing.Asked)
}

// checkUnguessed checks that the answer does not tell whether it is there.
func (c TenantCall) checkUnguessed(j *scenarios.Judge) {
	const id = openwopv1.OWPISO2
	same := j.Check(id, c.Existing.Status).To(check.SameAs(c.Missing.Status), "%s", c.Existing.Asked) &&
		j.Check(id, c.Existing.code()).To(check.SameAs(c.Missing.code()), "its code") &&
		j.Check(id, c.Existing.Body).To(membersOf(c.Missing.Body), "its members")
	words := func(a Answered, of string) string { return strings.ReplaceAll(a.Body.Key("message").String(), of, "") }
	if same && words(c.Existing, c.Theirs) != words(c.Missing, c.Never) {
		j.Find(id, "%s is refused in other words than what never was: %s and %s", c.Existing.Asked, c.Existing.Body.Key("message").JSON(), c.Missing.Body.Key("message").JSON())
	}
}

// membersOf expects the same members as in a source, and in its details.
func membersOf(source wire.Value) check.Matcher {
	want := members(source.Actual())
	return check.That("members as in the source, "+wire.Compact(want), func(v any) bool { return slices.Equal(members(v), want) })
}

func members(body any) []string {
	object, _ := body.(map[string]any)
	out := slices.Collect(maps.Keys(object))
	details, _ := object["details"].(map[string]any)
	for name := range details {
		out = append(out, "details."+name)
	}
	slices.Sort(out)
	return out
}

// notNaming expects that an id stands nowhere inside.
func notNaming(id string) check.Matcher {
	return check.That("does not name "+id, func(v any) bool { return !holds(v, id) })
}

// checkSame checks that a run is as it was before somebody else came.
func checkSame(j *scenarios.Judge, id scenarios.RequirementID, before, after RunLog, what string) {
	j.Check(id, after.All().Each("/eventId")).To(check.SameAs(before.All().Each("/eventId")), "log of %s afterwards", what)
	j.Check(id, after.Status()).To(check.SameAs(before.Status()), "status of %s afterwards", what)
}
