package discovery

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
)

var fixturesUnique = scenarios.Scenario{
	ID:     "openwop/discovery/fixtures-unique",
	Title:  "the fixtures are a list of ids, none twice",
	Proves: scenarios.IDs{openwop.OWPCAP18},
	Claim:  claims.FixturesListed,
	Ask: scenarios.Advertised(func(d scenarios.Discovery, j *scenarios.Judge) {
		fixtures := claims.Family(d, "fixtures")
		j.Check(openwop.OWPCAP18, fixtures).To(distinctTexts())
		if len(fixtures.Items()) == 0 {
			j.Block("the list of fixtures is empty, so it shows nothing of its members", fixture.Load)
		}
	}),
}

// The list is a claim: some hosts list fixtures they cannot run. A random pick
// keeps a host from preparing just one.
var fixtureCanRun = scenarios.Scenario{
	ID:     "openwop/discovery/fixture-can-run",
	Title:  "a run can be created from a fixture that is picked from the list at random, and no other on the list is unknown",
	Proves: scenarios.IDs{openwop.OWPCAP19},
	Claim:  claims.FixturesListed,
	Ask: scenarios.Ask(listedFixture, func(o FixtureObservation, j *scenarios.Judge) {
		if host.Succeeded(o.Unlisted.Status) { // a host that takes any id proves nothing about this one
			j.Violates(openwop.OWPERR9, o.Unlisted.Status, "setup failed: the host also makes a run of "+o.Unlisted.Asked)
		}
		if !j.Check(openwop.OWPCAP19, o.Created.Status).To(check.Status(2), "a run of %s, which is listed", o.Fixture) ||
			!j.Check(openwop.OWPCAP19, o.Created.Body.Key("runId")).To(check.Text(), "its runId") {
			return
		}
		j.Check(openwop.OWPCAP19, o.Run.Status).To(check.Status(200), "that run, read under its id")
		j.Check(openwop.OWPCAP19, o.Run.Body.Key("workflowId")).To(check.Equal(o.Fixture), "its workflow")
		if code := o.Run.Body.At("/error/code"); code.Present() {
			j.Find("", "the run of the listed fixture %s has failed with %s", o.Fixture, code.JSON())
		}
		for _, other := range o.Others { // one that wants inputs may be refused without them
			if other.Unknown() && other.Body.Key("error").JSON() == o.Unlisted.Body.Key("error").JSON() {
				j.Check(openwop.OWPCAP19, other.Status).To(check.Status(2), "a run of %s, which is listed too", other.Asked)
			}
		}
	}),
}

// refusedWithout returns a scenario that asks a host for a feature it does not claim.
func refusedWithout(name, title string, claim scenarios.Claim, id scenarios.RequirementID,
	d *scenarios.Drive[GatedObservation]) scenarios.Scenario {
	return scenarios.Scenario{
		ID: scenarios.ScenarioID("openwop/discovery/" + name), Title: title, Proves: scenarios.IDs{id}, Claim: claim,
		Ask: scenarios.Ask(d, func(o GatedObservation, j *scenarios.Judge) {
			switch {
			case !host.Succeeded(o.Control.Status):
				j.Block("setup failed: a run of "+o.Control.Asked+" is refused with HTTP "+o.Control.Status.JSON()+", so refusals prove nothing",
					fixture.Load)
			case o.Reply.Unknown() && !o.Listed:
				j.Block("the host knows no workflow that needs this: "+o.Reply.Asked+" answers HTTP "+o.Reply.Status.JSON(),
					fixture.Load)
			default:
				j.Check(id, o.Reply.Status).To(check.Status(400, 404, 422), "a run of %s", o.Reply.Asked)
				if details := o.Reply.Body.Key("details"); !host.Succeeded(o.Reply.Status) && !details.Key("requiredCapability").Present() {
					j.Find("", "the refusal does not name the capability that is missing: details is %s", details.JSON())
				}
			}
		}),
	}
}

var (
	supervisorRefused = refusedWithout("supervisor-refused", "without supervisors a workflow with one is refused",
		claims.NoSupervisors, openwop.OWPCAP20, withoutSupervisors)
	dispatchRefused = refusedWithout("dispatch-refused", "without dispatch a workflow with one is refused", claims.NoDispatch,
		openwop.OWPCAP21, withoutDispatch)
	mappingRefused = refusedWithout("mapping-refused", "without mappings a dispatch with one is refused",
		claims.NoDispatchMapping, openwop.OWPCAP22, withoutMapping)
)
