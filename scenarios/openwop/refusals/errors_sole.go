package refusals

import (
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// A host that makes a second run does not look at scopes, which no member of discovery promises.
var onePerScope = scenarios.Scenario{
	ID:     "openwop/errors/one-per-scope",
	Title:  "of runs that ask to be the only ones of their scope one is made, also of several at once, and others are not in its way",
	Proves: scenarios.IDs{openwop.OWPERR29},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(soleRuns, func(o SoleObservation, j *scenarios.Judge) {
		if status := o.Live.Key("status").String(); !host.Succeeded(o.First.Status) || status == "" || host.IsTerminal(status) {
			j.Block("setup failed: no run of "+o.Way+" is under way: HTTP "+o.First.Status.JSON()+", status "+o.Live.Key("status").JSON(),
				fixture.Load)
		}
		if host.Succeeded(o.Second.Status) {
			j.NotOffered("a second run of a scope is made while the first is under way: the host does not look at scopes")
		}
		j.Check(openwop.OWPERR29, o.Second.Status).To(check.Status(4), "%s", o.Second.Asked)
		j.Check(openwop.OWPERR29, o.Apart.Status).To(check.Status(2), "%s", o.Apart.Asked)
		if host.Succeeded(o.Control.Status) {
			j.Check(openwop.OWPERR29, o.Theirs.Status).To(check.Status(2), "%s", o.Theirs.Asked)
		}
		for _, heat := range o.AtOnce {
			made := wire.Found{In: o.Apart.Status.Ref()}
			// Which of them is the one is a matter of chance, so they are looked at by what became of them.
			for _, a := range slices.SortedStableFunc(slices.Values(heat), byStatus) {
				j.Check(openwop.OWPERR29, a.Status).To(check.Status(2, 4), "a run that comes at once with others of its scope")
				if host.Succeeded(a.Status) {
					made.Values = append(made.Values, a.Body.Key("runId"))
				}
			}
			j.Check(openwop.OWPERR29, made).To(check.Len(1), "runs that were made of those that came at once")
		}
		if status := o.Held.Waiting.Last.Key("status").String(); o.Held.Waiting.Reached && host.IsWaiting(status) {
			j.Check(openwop.OWPERR29, o.Held.Second.Status).To(check.Status(4), "%s", o.Held.Second.Asked)
		}
		if o.Ended.Reached {
			j.Check(openwop.OWPERR29, o.Again.Status).To(check.Status(2), "%s", o.Again.Asked)
		}
		for _, over := range o.Over {
			if over.Ended.Reached {
				j.Check(openwop.OWPERR29, over.Again.Status).To(check.Status(2), "%s", over.Again.Asked)
			}
		}
	}),
}

func byStatus(a, b host.Answered) int { return strings.Compare(a.Status.JSON(), b.Status.JSON()) }
