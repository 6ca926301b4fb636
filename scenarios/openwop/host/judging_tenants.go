package host

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Refusals are the statuses that refuse access to somebody else's resource or report it missing.
var Refusals = []int{http.StatusForbidden, http.StatusNotFound}

// CheckRefused checks that access to another tenant's resource is refused.
func (c TenantCall) CheckRefused(j *scenarios.Judge, id scenarios.RequirementID) {
	accepted := Refusals
	if !c.Needed { // not every host has it
		accepted = append(slices.Clone(Refusals), http.StatusMethodNotAllowed, http.StatusNotImplemented)
	}
	j.Check(id, c.Existing.Status).To(check.Status(accepted...), "%s", c.Existing.Asked)
}

// partOfID is the least length at which a piece of an id in a message counts as a part of the id.
const partOfID = 6

// CheckUnguessed checks that the refusal does not reveal whether the resource exists.
func (c TenantCall) CheckUnguessed(j *scenarios.Judge) {
	const id = openwop.OWPISO2
	same := j.Check(id, c.Existing.Status).To(check.SameAs(c.Missing.Status), "%s", c.Existing.Asked) &&
		j.Check(id, c.Existing.Code()).To(check.SameAs(c.Missing.Code()), "its code") &&
		j.Check(id, c.Existing.Body).To(MembersOf(c.Missing.Body), "its members")
	words := func(a Answered, of string) string { return strings.ReplaceAll(a.Body.Key("message").String(), of, "") }
	theirs, never, other := words(c.Existing, c.Theirs), words(c.Missing, c.Never), StrangerOf(c.Never)
	// Words that do not change from one request to the next have no number and no time in them.
	steady := c.Again.Asked != "" && words(c.Again, c.Theirs) == theirs && words(c.Other, other) == never &&
		!hasPart(theirs, c.Theirs) && !hasPart(never, c.Never) && !hasPart(never, other)
	switch {
	case !same:
	case steady:
		j.Check(id, c.Existing.Body.Key("message")).To(check.That("the words for one that never was, but for the id: "+never,
			func(any) bool { return theirs == never }), "its words, each time")
	case theirs != never:
		j.Find("", "%s is refused in other words than one that never existed: %s and %s", c.Existing.Asked,
			c.Existing.Body.Key("message").JSON(), c.Missing.Body.Key("message").JSON())
	}
}

// hasPart reports whether words have a part of an id in them.
func hasPart(words, id string) bool {
	for i := range max(0, len(id)-partOfID+1) {
		if strings.Contains(words, id[i:i+partOfID]) {
			return true
		}
	}
	return false
}

// MembersOf expects the members of source, and the same members in details.
func MembersOf(source wire.Value) check.Matcher {
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

// NotNaming expects that a value does not contain id.
func NotNaming(id string) check.Matcher {
	return check.That("does not name "+id, func(v any) bool { return !Holds(v, id) })
}

// CheckSame checks that a run did not change after somebody else tried to access it.
func CheckSame(j *scenarios.Judge, id scenarios.RequirementID, before, after RunLog, what string) {
	j.Check(id, after.All().Each("/eventId")).To(check.SameAs(before.All().Each("/eventId")), "log of %s afterwards", what)
	j.Check(id, after.Status()).To(check.SameAs(before.Status()), "status of %s afterwards", what)
}
