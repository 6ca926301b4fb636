package operations

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/access"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
)

// MisfitsSuite returns the scenarios about every operation, asked for in ways that its contract does not allow.
func MisfitsSuite() scenarios.Suite {
	return scenarios.Suite{
		ID: "misfits", Title: "every operation of the contract, sent with requests that do not fit it or its path, or name another version",
		Scenarios: []scenarios.Scenario{everyMisfitAnswered, everyMisfitWithoutEffect, everyChildApart, everyVersionNamed, everyVersionOfWork},
	}
}

// The text speaks of an answer alone, so a server that does otherwise gets a finding.
var everyMisfitAnswered = scenarios.Scenario{
	ID: "openintent/misfits/every-misfit-answered",
	Title: "no operation falls over a body that is no JSON, a member of another type or one too few, or a parameter out of its range, at " +
		"any depth; what it cannot do it refuses",
	Proves: scenarios.IDs{openintent.OIPREAD13},
	Claim:  claims.Core,
	Ask: scenarios.Ask(misfitting, func(o MisfitsObservation, j *scenarios.Judge) {
		o.Made.given(j)
		for _, r := range o.Rounds {
			for _, a := range r.Tried {
				accepted := []int{4, http.StatusNotImplemented}
				if !a.Sure {
					accepted = append(accepted, 2)
				}
				if !a.Answer.Lacking() {
					j.Check(openintent.OIPREAD13, a.Answer.Status).To(check.Status(accepted...), "%s", a.Answer.Asked)
				}
			}
		}
	}),
}

var everyMisfitWithoutEffect = scenarios.Scenario{
	ID:     "openintent/misfits/every-misfit-without-effect",
	Title:  "requests that are refused because they do not fit change nothing, and leave nothing behind",
	Proves: scenarios.IDs{openintent.OIPREAD14},
	Claim:  claims.Core,
	Ask: scenarios.Ask(misfitting, func(o MisfitsObservation, j *scenarios.Judge) {
		o.Made.given(j)
		was, compared := o.Before, false
		for _, r := range o.Rounds {
			if !slices.ContainsFunc(r.Tried, access.Tried.Moves) {
				compared = true
				who := fmt.Sprintf("after %s and %d more that do not fit", r.Tried[0].Answer.Asked, len(r.Tried)-1)
				for _, read := range was {
					checkSame(j, openintent.OIPREAD14, read, r.After.of(read.Operation), who, o.Made.Strange)
				}
			}
			was = r.After
		}
		if !compared {
			j.Block("the server does what is asked by requests that do not fit, so none is refused", "refuse what does not fit the contract")
		}
	}),
}

var everyChildApart = scenarios.Scenario{
	ID:     "openintent/misfits/every-child-apart",
	Title:  "a lease, an assignment, a dependency or a member that is named below another parent than its own stays as it is",
	Proves: scenarios.IDs{openintent.OIPREAD15},
	Claim:  claims.Core,
	Ask: scenarios.Ask(crossed, func(o CrossedObservation, j *scenarios.Judge) {
		o.Made.given(j)
		if o.Control == 0 {
			if !slices.ContainsFunc(o.Asked, func(a access.Answer) bool { return !a.Lacking() }) {
				j.NotOffered("an operation that names a child below its parent")
			}
			j.Block("no operation that names a child below its parent is done", "serve leases, assignments, dependencies or portfolios")
		}
		for _, a := range o.Asked {
			j.Check(openintent.OIPREAD15, a.Status).To(check.Status(2, 4, http.StatusNotImplemented), "%s", a.Asked)
			j.Check(openintent.OIPREAD15, a.Body).To(unmarked(o.Made.Marks), "%s", a.Asked)
		}
		for _, read := range o.Before {
			const when = "after every path of another parent"
			checkSame(j, openintent.OIPREAD15, read, o.After.of(read.Operation), when, o.Made.Strange)
			if read.Reply.Ok() && slices.Contains([]string{"listLeases", "listAgents", "listPortfolioMembers"}, read.Operation) {
				j.Check(openintent.OIPREAD15, o.After.of(read.Operation)).To(check.SameAs(read.Reply.Body), "%s, %s", read.Operation, when)
			}
		}
	}),
}

var everyVersionNamed = scenarios.Scenario{
	ID:     "openintent/misfits/every-version-named",
	Title:  "every operation that changes an intent is refused without a version, and with one that is not the intent's, and changes nothing",
	Proves: scenarios.IDs{openintent.OIP00011, openintent.OIP00012},
	Claim:  claims.Core,
	Ask: scenarios.Ask(versioned, func(o VersionsObservation, j *scenarios.Judge) {
		o.Made.given(j)
		if !o.Right.Success() {
			j.Block("setup failed: "+o.Right.Asked+" was answered with HTTP "+o.Right.Status.JSON(), "take a write that names the version")
		}
		for _, v := range o.Named {
			id, accepted := scenarios.RequirementID(openintent.OIP00012), []int{http.StatusConflict, http.StatusPreconditionFailed}
			switch {
			case v.Version == "":
				id, accepted = openintent.OIP00011, []int{http.StatusBadRequest, http.StatusPreconditionFailed, http.StatusPreconditionRequired}
			case !v.Number:
				accepted = []int{4}
			}
			if !v.Needed && v.Answer.Lacking() {
				continue
			}
			if j.Check(id, v.Answer.Status).To(check.Status(accepted...), "%s", v.Answer.Asked) {
				for _, member := range []string{"version", "status", "state"} {
					j.Check(id, v.After.Body.Key(member)).To(check.SameAs(v.Before.Body.Key(member)), "%s of the intent after %s", member, v.Answer.Asked)
				}
			}
		}
	}),
}

// everyVersionOfWork leaves alone what shows no version, and writes without one: servers differ in whether they need it (OIP-R201).
var everyVersionOfWork = scenarios.Scenario{
	ID:     "openintent/misfits/every-version-of-work",
	Title:  "a change of a task or a plan that names a version that it does not have is refused and changes nothing, however small it is",
	Proves: scenarios.IDs{openintent.OIP0001200},
	Claim:  claims.With(claims.Plan, claims.Core),
	Ask: scenarios.Ask(versioned, func(o VersionsObservation, j *scenarios.Judge) {
		o.Made.given(j)
		if len(o.Done) == 0 {
			j.NotOffered("neither a task nor a plan could be made")
		}
		if !slices.ContainsFunc(o.Done, func(v Named) bool { return v.Answer.Success() }) {
			j.Block("setup failed: no write of a task or a plan that names its version is taken",
				"take PATCH of tasks and plans with their version as If-Match")
		}
		for _, v := range o.Work {
			if _, versioned := v.Before.Body.Key("version").Int(); !versioned || v.Version == "" || v.Answer.Lacking() || !o.taken(v) {
				continue
			}
			accepted := []int{http.StatusConflict, http.StatusPreconditionFailed}
			if !v.Number {
				accepted = []int{4}
			}
			if j.Check(openintent.OIP0001200, v.Answer.Status).To(check.Status(accepted...), "%s", v.Answer.Asked) {
				j.Check(openintent.OIP0001200, v.After.Body).To(check.SameAs(v.Before.Body), "%s, after %s", v.After.Asked, v.Answer.Asked)
			}
		}
	}),
}

// taken reports whether a write like this one was taken that names the version.
func (o VersionsObservation) taken(like Named) bool {
	return slices.ContainsFunc(o.Done, func(v Named) bool {
		return v.Answer.Success() && v.Before.Body.Key("id").String() == like.Before.Body.Key("id").String()
	})
}
