// Package refusals tests what a host refuses, in which words, and whether a refused request changes anything.
package refusals

import (
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// Suite returns the scenarios about refusals, repeated requests and
// cancellations, and about their side effects.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "errors", Title: "what a host refuses, in which words, and that it changes nothing",
		Scenarios: []scenarios.Scenario{
			strangersRefused, existenceHidden, unknownNotFound, bodiesRefused, membersAnswered,
			streamModeRefused, methodRefused, oversizedRefused,
			keyedOnce, keyedAtOnce, onePerScope, cancelEnds, cancelOfEnded, strangersChangeNothing,
		},
	}
}

var strangersRefused = scenarios.Scenario{
	ID:     "openwop/errors/strangers-refused",
	Title:  "nobody creates, reads, cancels or answers a run without a credential, or with one that is not known",
	Proves: scenarios.IDs{openwop.OWPERR1, openwop.OWPERR2, openwop.OWPERR4, openwop.OWPERR5},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(host.WithoutAccess, func(o host.StrangersObservation, j *scenarios.Judge) {
		given(o, j)
		for _, c := range o.Calls {
			id, as := scenarios.RequirementID(openwop.OWPERR1), dialect.NoCredential
			if c.Who == host.UnknownKey {
				id, as = openwop.OWPERR2, dialect.UnknownCredential
			}
			a := c.Existing
			a.Asked += " " + string(c.Who)
			if !c.Needed && host.NotThere(a.HTTPStatus()) { // optional operation
				a.Envelope(j)
				continue
			}
			Coded(a, j, id, as)
		}
	}),
}

// A host must check the credential before it looks for the run.
var existenceHidden = scenarios.Scenario{
	ID:     "openwop/errors/existence-hidden",
	Title:  "a stranger is answered the same about a run that exists and about one that never was",
	Proves: scenarios.IDs{openwop.OWPERR3},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(host.WithoutAccess, func(o host.StrangersObservation, j *scenarios.Judge) {
		given(o, j)
		for _, c := range o.Calls {
			if c.Missing.Asked == "" {
				continue
			}
			j.Check(openwop.OWPERR3, c.Existing.Status).NotTo(check.Status(2), "%s %s", c.Existing.Asked, c.Who)
			j.Check(openwop.OWPERR3, c.Missing.Status).To(check.SameAs(c.Existing.Status), "%s %s, of a run that never was", c.Missing.Asked, c.Who)
			j.Check(openwop.OWPERR3, c.Missing.Code()).To(check.SameAs(c.Existing.Code()), "its code")
		}
	}),
}

// given blocks the judge unless strangers had a run to ask for.
func given(o host.StrangersObservation, j *scenarios.Judge) {
	if !host.Succeeded(o.Created.Status) || !host.Succeeded(o.Read.Status) {
		j.Block("setup failed: the run cannot be made or read with the credential: HTTP "+o.Created.Status.JSON()+" and "+
			o.Read.Status.JSON(), fixture.Load)
	}
}

// A host need not distinguish an unknown run from another tenant's.
var unknownNotFound = scenarios.Scenario{
	ID:     "openwop/errors/unknown-not-found",
	Title:  "a run that never was is not found by any operation, and there is no run of a workflow that nobody has",
	Proves: scenarios.IDs{openwop.OWPERR4, openwop.OWPERR5, openwop.OWPERR8, openwop.OWPERR9},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(unknownIDs, func(o UnknownObservation, j *scenarios.Judge) {
		if o.Known.Asked != "" && !host.Succeeded(o.Known.Status) {
			j.Block("setup failed: an existing run cannot be read: HTTP "+o.Known.Status.JSON(), "serve {read run} for every run")
		}
		for _, a := range o.Runs {
			Coded(a, j, openwop.OWPERR8, dialect.NoSuchRun)
		}
		o.Resolve.Refused(j, openwop.OWPERR8, http.StatusNotFound, http.StatusForbidden, http.StatusGone, http.StatusMethodNotAllowed,
			http.StatusNotImplemented)
		Coded(o.Workflow, j, openwop.OWPERR9, dialect.NoSuchWorkflow)
		j.Check(openwop.OWPERR9, o.Workflow.Body.Key("runId")).To(check.Absent(), "runId of %s", o.Workflow.Asked)
	}),
}

// Some hosts crash on a null body. Any 4xx is a refusal; a 5xx means that the body
// was not checked.
var bodiesRefused = scenarios.Scenario{
	ID:     "openwop/errors/bodies-refused",
	Title:  "a body that is no JSON, no object, or names no workflow is refused and makes no run",
	Proves: scenarios.IDs{openwop.OWPERR4, openwop.OWPERR5, openwop.OWPERR11, openwop.OWPERR12, openwop.OWPERR13},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(oddBodies, func(o BodiesObservation, j *scenarios.Judge) {
		for _, a := range o.NoJSON {
			Coded(a, j, openwop.OWPERR11, dialect.InvalidBody)
		}
		for _, a := range o.NoObject {
			Coded(a, j, openwop.OWPERR12, dialect.InvalidBody)
		}
		for _, a := range o.NoWorkflow { // OWP-R23
			Coded(a, j, openwop.OWPERR13, dialect.NoWorkflow)
		}
		o.answered(j, openwop.OWPERR11, openwop.OWPERR12, openwop.OWPERR13)
	}),
}

var membersAnswered = scenarios.Scenario{
	ID:     "openwop/errors/members-answered",
	Title:  "a member of the wrong type, or one too many, is refused; to make the run all the same is a finding, to fall over a failure",
	Proves: scenarios.IDs{openwop.OWPERR14, openwop.OWPERR15},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(oddBodies, func(o BodiesObservation, j *scenarios.Judge) {
		switch {
		case o.Control.Asked == "":
			j.Block("no workflow is on offer that ends by itself", fixture.Load)
		case !host.Succeeded(o.Control.Status):
			j.Block("setup failed: the well-formed request is refused with HTTP "+o.Control.Status.JSON(), fixture.Load)
		default:
			for _, a := range o.WrongType {
				NotAFault(a, j, openwop.OWPERR14)
			}
			if o.Unknown.Asked != "" {
				NotAFault(o.Unknown, j, openwop.OWPERR15)
			}
			o.answered(j, openwop.OWPERR14, openwop.OWPERR15)
		}
	}),
}

// answered checks that the host hangs up at no body that breaks one of these rules: a client is told what is wrong.
func (o BodiesObservation) answered(j *scenarios.Judge, rules ...scenarios.RequirementID) {
	for _, h := range o.HungUp {
		if slices.Contains(rules, h.Rule) {
			j.Check(h.Rule, h.Answer).To(check.Reached(), "%s, sent again and again", h.What)
		}
	}
}

var streamModeRefused = scenarios.Scenario{
	ID:     "openwop/errors/stream-mode-refused",
	Title:  "a stream mode that does not exist, or that stands alone and does not, is refused with those that there are",
	Proves: scenarios.IDs{openwop.OWPERR4, openwop.OWPERR5, openwop.OWPERR16},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(oddRequests, func(o OddRequestsObservation, j *scenarios.Judge) {
		o.given(j)
		for _, a := range o.Modes {
			Coded(a, j, openwop.OWPERR16, dialect.NoSuchStreamMode)
			j.Check(openwop.OWPERR16, a.Body.At("/details/supported")).To(check.Each(check.Text()), "details.supported, of %s", a.Asked)
		}
	}),
}

var methodRefused = scenarios.Scenario{
	ID:     "openwop/errors/method-refused",
	Title:  "a method that an endpoint does not have is refused as such",
	Proves: scenarios.IDs{openwop.OWPERR10},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(oddRequests, func(o OddRequestsObservation, j *scenarios.Judge) {
		o.given(j)
		j.Check(openwop.OWPERR10, o.Method.Status).To(check.Status(http.StatusMethodNotAllowed, http.StatusNotFound,
			http.StatusNotImplemented), "%s", o.Method.Asked)
	}),
}

func (o OddRequestsObservation) given(j *scenarios.Judge) {
	if !host.Succeeded(o.Created.Status) || o.Created.Body.Key("runId").String() == "" {
		j.Block("setup failed: the run cannot be made: HTTP "+o.Created.Status.JSON(), fixture.Load)
	}
	j.Reach(o.Ended, "have a run of a listed fixture end by itself, or give it longer with --patience")
}

var oversizedRefused = scenarios.Scenario{
	ID:     "openwop/errors/oversized-refused",
	Title:  "a body above the advertised limit is refused, and a small one is not",
	Proves: scenarios.IDs{openwop.OWPERR4, openwop.OWPERR17},
	Claim:  claims.BodyLimit,
	Ask: scenarios.Ask(oversized, func(o OversizedObservation, j *scenarios.Judge) {
		if !host.Succeeded(o.Control.Status) {
			j.Block("setup failed: "+o.Control.Asked+" is refused with HTTP "+o.Control.Status.JSON(), fixture.Load)
		}
		o.Large.Refused(j, openwop.OWPERR17, http.StatusRequestEntityTooLarge, http.StatusBadRequest)
	}),
}
