// Package operations sends every operation of the contract with credentials that do not open it, and with requests that do not fit it.
package operations

import (
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/access"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// CredentialsSuite returns the scenarios about every operation, asked for by those who may not use it.
func CredentialsSuite() scenarios.Suite {
	return scenarios.Suite{
		ID: "credentials", Title: "every operation of the contract, sent with keys that must not work",
		Scenarios: []scenarios.Scenario{everyAnswerRefused, everyWayRefused, everyWayWithoutEffect},
	}
}

// The text says 401 of an answer without a valid key.
var everyAnswerRefused = scenarios.Scenario{
	ID:     "openintent/credentials/every-answer-refused",
	Title:  "an answer with a missing, empty or nearly right key is refused with 401, and the intent keeps waiting",
	Proves: scenarios.IDs{openintent.OIP0025A1},
	Claim:  claims.Core,
	Ask: scenarios.Ask(strangers, func(o Observation, j *scenarios.Judge) {
		o.given(j)
		for _, r := range o.Rounds {
			for _, a := range r.Asked {
				if isRespond(wayOf(a)) {
					j.Check(openintent.OIP0025A1, a.Existing.Status).To(check.Status(http.StatusUnauthorized), "%s", a.Existing.Asked)
				}
			}
			if letIn := r.letIn(false); letIn != nil {
				return // it may have moved the intent
			}
			j.Check(openintent.OIP0025A1, r.After.of("getIntent").Key("status")).To(check.Equal(host.Suspended),
				"status of the intent after a caller %s", r.Caller)
		}
	}),
}

var everyWayRefused = scenarios.Scenario{
	ID:     "openintent/credentials/every-way-refused",
	Title:  "every operation, with any parameters, refuses a missing, empty or nearly right key, and the refusal discloses nothing",
	Proves: scenarios.IDs{openintent.OIPREAD11},
	Claim:  claims.Core,
	Ask: scenarios.Ask(strangers, func(o Observation, j *scenarios.Judge) {
		o.given(j)
		for _, r := range o.Rounds {
			for _, a := range r.Asked {
				if isRespond(wayOf(a)) {
					continue
				}
				if j.Check(openintent.OIPREAD11, a.Existing.Status).To(check.Status(4, http.StatusNotImplemented), "%s", a.Existing.Asked) {
					j.Check(openintent.OIPREAD11, a.Existing.Body).To(unmarked(o.Made.Marks), "%s", a.Existing.Asked)
				}
				if code, _ := a.Existing.Status.Int(); code != http.StatusUnauthorized && code != http.StatusNotFound && code/100 == 4 {
					j.Find("", "%s is refused with HTTP %d in place of 401", a.Existing.Asked, code)
				}
			}
		}
	}),
}

// unmarked expects that none of these texts stands in a value.
func unmarked(marks []string) check.Matcher {
	return check.Seeing("nothing of what is there", func(s wire.Seen) (bool, string) {
		v, _ := s.(wire.Value)
		return !slices.ContainsFunc(marks, func(mark string) bool { return host.Contains(v, mark) }), v.JSON()
	})
}

var everyWayWithoutEffect = scenarios.Scenario{
	ID:     "openintent/credentials/every-way-without-effect",
	Title:  "refused requests change nothing: everything that can be read is as it was",
	Proves: scenarios.IDs{openintent.OIPREAD12},
	Claim:  claims.Core,
	Ask: scenarios.Ask(strangers, func(o Observation, j *scenarios.Judge) {
		o.given(j)
		before := o.Before
		for i, r := range o.Rounds {
			if letIn := r.letIn(true); letIn != nil { // what it changed is no effect of a refusal, and may come later
				if i == 0 {
					id := scenarios.RequirementID(openintent.OIPREAD11)
					if r.letIn(false) == nil {
						id = openintent.OIP0025A1
					}
					j.Violates(id, letIn.Status, "setup failed: "+letIn.Asked+" is not refused: HTTP "+letIn.Status.JSON())
				}
				return
			}
			for _, read := range before {
				checkSame(j, openintent.OIPREAD12, read, r.After.of(read.Operation), "after a caller "+string(r.Caller), o.Made.Strange)
			}
			before = r.After
		}
	}),
}

// checkSame checks that a resource is as it was, as far as only who asks for it changes it.
func checkSame(j *scenarios.Judge, id scenarios.RequirementID, before Read, after wire.Value, who, strange string) {
	if !before.Reply.Ok() {
		return
	}
	was := before.Reply.Body
	if !slices.Contains(crowded, before.Operation) {
		if _, isList := was.Actual().([]any); isList {
			j.Check(id, idsOf(after)).To(check.SameAs(idsOf(was)), "what %s lists, %s", before.Operation, who)
		}
		for _, member := range []string{"status", "title", "name"} {
			if was.Key(member).Present() {
				j.Check(id, after.Key(member)).To(check.SameAs(was.Key(member)), "%s of %s, %s", member, before.Operation, who)
			}
		}
	}
	if !host.Contains(was, strange) { // no request was let in that wrote it
		j.Check(id, after).To(unmarked([]string{strange}), "%s, %s", before.Operation, who)
	}
}

// idsOf are those of the members of a list.
func idsOf(list wire.Value) wire.Values {
	return list.Items().Each("/id")
}

// given ends the judge unless an intent waited.
func (o Observation) given(j *scenarios.Judge) { o.Made.given(j) }

func (m Made) given(j *scenarios.Judge) {
	if m.Suspension.ID == "" {
		j.Block("setup failed: no intent waits for an answer", "let an intent be suspended")
	}
}

// letIn returns what a caller asked for and was not refused, nil for none; answers are passed over unless they count.
func (r Round) letIn(answers bool) *access.Answer {
	return access.LetIn(r.Asked, func(a access.Asked) bool { return answers || !isRespond(wayOf(a)) })
}

// of returns what an operation showed, absent if it was not asked.
func (s State) of(operation string) wire.Value {
	if i := slices.IndexFunc(s, func(r Read) bool { return r.Operation == operation }); i >= 0 {
		return s[i].Reply.Body
	}
	return wire.Value{}
}

// wayOf returns the way of a call.
func wayOf(a access.Asked) access.Way { return scenarios.Get(Contract()).Way(a.Way) }
