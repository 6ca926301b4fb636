package handoff

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// AncestrySuite returns the scenarios about which run, on which host, started a run.
func AncestrySuite() scenarios.Suite {
	return scenarios.Suite{
		ID: "ancestry", Title: "which run started a run, and what is said where none did",
		Scenarios: []scenarios.Scenario{rootHasNoParent, childNamesParent, forkHasNoParent, neverHasNoAncestry, ancestryNotOffered,
			ownCausesNameNoHost,
			causesNameOtherHost, parentOnOtherHost, traceGoesAlong, cancelCrossesHosts},
	}
}

var rootHasNoParent = scenarios.Scenario{
	ID:     "openwop/ancestry/root-has-no-parent",
	Title:  "a run that was asked for over the wire says that no run started it, and which host it is on",
	Proves: scenarios.IDs{openwop.OWPCAU1, openwop.OWPCAU2},
	Claim:  claims.Ancestry,
	Ask: scenarios.Ask(ancestries, func(o AncestryObservation, j *scenarios.Judge) {
		o.given(j)
		if o.OfRoot.CheckNamed(j, o.Advertised) {
			j.Check(openwop.OWPCAU2, o.OfRoot.parent()).To(check.Equal(nil), "parent of the loop")
		}
	}),
}

// The control for a host whose parent is always null.
var childNamesParent = scenarios.Scenario{
	ID:     "openwop/ancestry/child-names-parent",
	Title:  "each run that a loop dispatches names that loop as its parent, not the one above it, on this host, by dispatch",
	Proves: scenarios.IDs{openwop.OWPCAU1, openwop.OWPCAU3, openwop.OWPCAU4, openwop.OWPCAU5},
	Claim:  claims.Ancestry,
	Ask: scenarios.Ask(ancestries, func(o AncestryObservation, j *scenarios.Judge) {
		o.given(j)
		if o.Childless {
			j.Block("no loop fixture is on offer", fixture.Load)
		}
		if len(o.Children) == 0 {
			j.Block("setup failed: the loop names no child", "tell of a child run when it is made, with dispatch.succeeded or node.dispatched")
		}
		for _, c := range o.Children {
			if !c.Of.CheckNamed(j, o.Advertised) {
				continue
			}
			parent := c.Of.parent()
			c.Of.CheckParent(j, c.Parent)
			j.Check(openwop.OWPCAU5, parent.Key("wellKnownUrl")).To(check.Absent(), "parent.wellKnownUrl in %s", c.Of.Asked)
			findUnknownMembers(j, parent, "the parent in "+c.Of.Asked, "runId", "hostId", "cause", "wellKnownUrl")
		}
	}),
}

// CheckParent checks the parent of a run that a run on the same host dispatched.
func (a Ancestry) CheckParent(j *scenarios.Judge, run string) {
	parent := a.parent()
	j.Check(openwop.OWPCAU3, parent.Key("runId")).To(check.Equal(run), "parent.runId in %s", a.Asked)
	j.Check(openwop.OWPCAU3, parent.Key("hostId")).To(check.SameAs(a.Body.Key("hostId")), "parent.hostId in %s", a.Asked)
	cause := parent.Key("cause")
	if j.Check(openwop.OWPCAU4, cause).To(check.OneOf(causeDispatch, causeSubWorkflow), "parent.cause in %s", a.Asked) &&
		cause.String() == causeSubWorkflow {
		j.Find("", "%s was dispatched, and says %s: OWP-R31", a.Asked, causeSubWorkflow)
	}
}

const (
	causeDispatch    = string(dialect.RunParentCauseCoreDispatch)
	causeSubWorkflow = string(dialect.RunParentCauseCoreSubWorkflow)
)

var forkHasNoParent = scenarios.Scenario{
	ID:     "openwop/ancestry/fork-has-no-parent",
	Title:  "a fork says where it is, and names no run as the one that started it",
	Proves: scenarios.IDs{openwop.OWPCAU1, openwop.OWPCAU6},
	Claim:  claims.AncestryForks,
	Ask: scenarios.Ask(ancestries, func(o AncestryObservation, j *scenarios.Judge) {
		o.given(j)
		if !host.Succeeded(o.Forked.Status) {
			j.Block("setup failed: the loop cannot be forked: HTTP "+o.Forked.Status.JSON(), "serve {fork run}, or claim no replay")
		}
		if o.OfFork.CheckNamed(j, o.Advertised) {
			j.Check(openwop.OWPCAU6, o.OfFork.parent()).To(check.Equal(nil), "parent of the fork")
		}
		if o.OfHeir.Asked != "" && o.OfHeir.CheckNamed(j, o.Advertised) {
			j.Check(openwop.OWPCAU6, o.OfHeir.parent()).To(check.Equal(nil), "parent of the fork of a child")
		}
	}),
}

// The control is the loop, whose ancestry is served.
var neverHasNoAncestry = scenarios.Scenario{
	ID:     "openwop/ancestry/never-has-none",
	Title:  "a run that never was has no ancestry, where one that is there has",
	Proves: scenarios.IDs{openwop.OWPCAU1, openwop.OWPCAU7},
	Claim:  claims.Ancestry,
	Ask: scenarios.Ask(ancestries, func(o AncestryObservation, j *scenarios.Judge) {
		o.given(j)
		if o.OfRoot.CheckNamed(j, o.Advertised) {
			j.Check(openwop.OWPCAU7, o.Never.Status).To(check.Status(http.StatusNotFound, http.StatusForbidden), "%s", o.Never.Asked)
		}
	}),
}

var ancestryNotOffered = scenarios.Scenario{
	ID:     "openwop/ancestry/not-offered-not-found",
	Title:  "where ancestry is not advertised it is not found, be the run there or not",
	Proves: scenarios.IDs{openwop.OWPCAU8},
	Claim:  claims.NoAncestry,
	Ask: scenarios.Ask(ancestries, func(o AncestryObservation, j *scenarios.Judge) {
		o.given(j)
		for _, a := range []Ancestry{o.OfRoot, o.Never} {
			if j.Check(openwop.OWPCAU8, a.Status).To(check.Status(http.StatusNotFound, http.StatusMethodNotAllowed,
				http.StatusNotImplemented), "%s", a.Asked) && a.HTTPStatus() != http.StatusNotFound {
				j.Find("", "%s is refused with HTTP %d, not 404", a.Asked, a.HTTPStatus())
			}
		}
	}),
}

// The loop never left the host, so none of its causes is elsewhere.
var ownCausesNameNoHost = scenarios.Scenario{
	ID:     "openwop/ancestry/own-causes-name-no-host",
	Title:  "no event of a loop and its children, which all ran on one host, says that its cause is on another",
	Proves: scenarios.IDs{openwop.OWPCAU9},
	Claim:  claims.ExecutionModel3,
	Ask: scenarios.Ask(ancestries, func(o AncestryObservation, j *scenarios.Judge) {
		o.given(j)
		logs := []host.RunLog{o.Root}
		for _, c := range o.Children {
			if c.Log.Ended.Reached {
				logs = append(logs, c.Log)
			}
		}
		if !slices.ContainsFunc(logs, func(l host.RunLog) bool {
			return slices.ContainsFunc(l.Events, func(e wire.Value) bool { return e.Key("causationId").String() != "" })
		}) {
			j.Block("no event of the loop and its children names a cause, so none can say where it is", "name the cause of every step of a handoff")
		}
		for _, l := range logs {
			names := causeHosts(l)
			named := names.Where(func(v wire.Value) bool { return v.String() != "" })
			if elsewhere := named.Where(func(v wire.Value) bool { return v.String() != o.Advertised }); len(elsewhere.Values) > 0 {
				names = elsewhere
			}
			j.Check(openwop.OWPCAU9, names).To(hereAlone(o.Advertised), "hosts of the causes in the log of %s", l.RunID)
			if len(named.Values) > 0 {
				j.Find("", "%d events of %s name this host for their cause", len(named.Values), l.RunID)
			}
		}
	}),
}

// causeHosts returns each place where an event of a log can say on which host its cause is, most of them absent.
func causeHosts(l host.RunLog) wire.Found {
	out := wire.Found{In: l.All().In}
	for _, e := range l.Events {
		out.Values = append(out.Values, e.Key("causationHostId"), e.At("/payload/causationHostId"))
	}
	return out
}

// hereAlone expects no host but this one.
func hereAlone(advertised string) check.Matcher {
	return check.Seeing(fmt.Sprintf("none but %q", advertised), func(seen wire.Seen) (bool, string) {
		for _, v := range seen.(wire.Found).Values {
			if host := v.String(); host != "" && host != advertised {
				return false, v.JSON()
			}
		}
		return true, "none"
	})
}

// given blocks the judge unless the loop ended.
func (o AncestryObservation) given(j *scenarios.Judge) {
	o.Root.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
}

func (a Ancestry) parent() wire.Value { return a.Body.Key("parent") }

// CheckNamed checks the members that every ancestry has.
func (a Ancestry) CheckNamed(j *scenarios.Judge, advertised string) bool {
	const id = openwop.OWPCAU1
	if !j.Check(id, a.Status).To(check.Status(http.StatusOK), "%s", a.Asked) {
		return false
	}
	host := check.Text()
	if advertised != "" { // another requirement demands one
		host = check.Equal(advertised)
	}
	findUnknownMembers(j, a.Body, a.Asked, "runId", "hostId", "parent")
	return j.Check(id, a.Body.Key("runId")).To(check.Equal(a.RunID), "runId in %s", a.Asked) &&
		j.Check(id, a.Body.Key("hostId")).To(host, "hostId in %s", a.Asked) &&
		j.Check(id, a.parent()).NotTo(check.Absent(), "parent in %s", a.Asked)
}

// findUnknownMembers reports members that a closed schema does not have.
func findUnknownMembers(j *scenarios.Judge, object wire.Value, what string, known ...string) {
	members, _ := object.Actual().(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(known, name) {
			j.Find("", "%s has a member that its closed schema does not have: %s", what, name)
		}
	}
}
