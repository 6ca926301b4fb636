package control

import (
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

var bulkCancelsEach = scenarios.Scenario{
	ID:     "openwop/run-control/bulk-cancels-each",
	Title:  "a bulk cancel cancels every run under way that it names, whatever else it names, and tells of each in the order of the request",
	Proves: scenarios.IDs{openwop.OWPCTL13, openwop.OWPCTL14, openwop.OWPCTL15},
	Claim:  claims.RunBulkCancel,
	Ask: scenarios.Ask(bulkCancelled, func(o BulkObservation, j *scenarios.Judge) {
		o.given(j)
		if !j.Check(openwop.OWPCTL13, o.Bulk.Status).To(check.Status(200), "%s", o.Bulk.Asked) {
			return
		}
		want := make([]any, len(o.IDs))
		for i, id := range o.IDs {
			want[i] = id
		}
		if !j.Check(openwop.OWPCTL14, o.results().Each("/runId")).To(check.Equal(want), "runId of the results") {
			return
		}
		for _, id := range o.Live {
			r := o.result(id)
			j.Check(openwop.OWPCTL13, r.Key("ok")).To(check.Equal(true), "ok of a run under way")
			j.Check(openwop.OWPCTL13, r.Key("status")).To(check.OneOf("cancelled", "cancelling"), "its status")
		}
		for _, l := range o.Logs {
			if j.Check(openwop.OWPCTL13, l.Ended).To(check.Reached(), "after the bulk cancel") {
				j.Check(openwop.OWPCTL13, l.Status()).To(check.Equal("cancelled"), "status of a run that was named")
			}
		}
		for i, never := range o.results().Values { // in the order of the request, as was checked
			if id := o.IDs[i]; id == o.Ended || slices.Contains(o.Live, id) {
				continue
			}
			j.Check(openwop.OWPCTL15, never.Key("ok")).To(check.Equal(false), "ok of a run that never was")
			j.Check(openwop.OWPCTL15, never.Key("error")).NotTo(check.OneOf(nil, ""), "its error")
		}
	}),
}

// Version 1 of the protocol answers a cancel of an ended run with its status;
// version 2 refuses it (OWP-R42).
var bulkLeavesEnded = scenarios.Scenario{
	ID:     "openwop/run-control/bulk-leaves-ended",
	Title:  "a run that has ended stays as it ended when a bulk cancel names it, and its result says so or is not ok",
	Proves: scenarios.IDs{openwop.OWPCTL16},
	Claim:  claims.RunBulkCancel,
	Ask: scenarios.Ask(bulkCancelled, func(o BulkObservation, j *scenarios.Judge) {
		o.given(j)
		if !host.Succeeded(o.Bulk.Status) {
			j.Block("setup failed: "+o.Bulk.Asked+" is refused with HTTP "+o.Bulk.Status.JSON(),
				"let a bulk cancel name runs that never were")
		}
		r := o.result(o.Ended)
		if j.Check(openwop.OWPCTL16, r.Key("ok")).To(check.Boolean(), "ok of a run that has ended") && r.Key("ok").Actual() == true {
			j.Check(openwop.OWPCTL16, r.Key("status")).To(check.SameAs(o.Done.Key("status")), "its status in the result")
		}
		j.Check(openwop.OWPCTL16, o.After.Key("status")).To(check.SameAs(o.Done.Key("status")), "its status afterwards")
	}),
}

var bulkRefuses = scenarios.Scenario{
	ID:     "openwop/run-control/bulk-refuses",
	Title:  "a bulk cancel of 101 runs, or of none, is refused, and cancels nothing",
	Proves: scenarios.IDs{openwop.OWPCTL17, openwop.OWPCTL18, openwop.OWPERR4},
	Claim:  claims.RunBulkCancel,
	Ask: scenarios.Ask(bulkCancelled, func(o BulkObservation, j *scenarios.Judge) {
		o.given(j)
		if o.Large.Refused(j, openwop.OWPCTL17, http.StatusBadRequest) {
			j.Check(openwop.OWPCTL17, o.Large.Body.At("/details/maxRunIds")).To(check.Integer(1, bulkMost), "details.maxRunIds")
		}
		j.Check(openwop.OWPCTL17, o.Spared.Key("status")).NotTo(check.OneOf("cancelled", "cancelling"), "status of a run among the 101")
		o.Empty.Refused(j, openwop.OWPCTL18, http.StatusBadRequest)
	}),
}

// given blocks the judge if there were no runs to cancel.
func (o BulkObservation) given(j *scenarios.Judge) {
	if len(o.Live) < 2 || o.Ended == "" {
		j.Block("setup failed: the runs to cancel were not made, or the short run did not end: HTTP "+o.Created.Status.JSON(), fixture.Load)
	}
}

func (o BulkObservation) results() wire.Found {
	list := o.Bulk.Body.Key("results")
	return wire.Found{Values: list.Items(), In: list.Ref()}
}

// result returns the entry for one run, absent if there is none.
func (o BulkObservation) result(id string) wire.Value {
	list := o.results().Values
	if i := slices.IndexFunc(list, func(r wire.Value) bool { return r.Key("runId").String() == id }); i >= 0 {
		return list[i]
	}
	return o.Bulk.Body.Key("results").Key(id)
}

// Only operations that the run's own tenant can use are judged.
var foreignUncontrolled = scenarios.Scenario{
	ID: "openwop/run-control/foreign-uncontrolled",
	Title: "a tenant does not pause, cancel with others or compare the run of another, and is answered as if it never was; " +
		"its own tenant does",
	Proves: scenarios.IDs{openwop.OWPCTL38, openwop.OWPISO2},
	Claim:  claims.TenantsControl,
	Ask: scenarios.Ask(tenantsControlRuns, func(o TenantControl, j *scenarios.Judge) {
		o.given(j)
		j.Check(openwop.OWPCTL38, o.After.Key("status")).NotTo(check.OneOf("paused", "cancelled", "cancelling"),
			"status of the run after the other tenant had come")
		for _, op := range []struct {
			own    host.Answered
			theirs host.TenantCall
		}{{o.Paused, o.Pause}, {o.Diffed, o.Diff}} {
			if !host.Succeeded(op.own.Status) {
				continue
			}
			op.theirs.CheckRefused(j, openwop.OWPCTL38)
			op.theirs.CheckUnguessed(j)
		}
		switch {
		case !host.Succeeded(o.Cancel.Status):
		case !host.Succeeded(o.Bulk.Status): // refused as a whole, which says nothing of either run
			for _, id := range []scenarios.RequirementID{openwop.OWPCTL38, openwop.OWPISO2} {
				j.Check(id, o.Bulk.Status).To(check.Status(4), "%s", o.Bulk.Asked)
			}
		default:
			theirs, never := o.Bulk.Body.At("/results/0"), o.Bulk.Body.At("/results/1")
			j.Check(openwop.OWPCTL38, theirs.Key("ok")).To(check.Equal(false), "ok of the run of another tenant in a bulk cancel")
			j.Check(openwop.OWPISO2, theirs).To(host.MembersOf(never), "its members, as of a run that never was")
			for _, member := range []string{"/error/error", "/error/code"} { // the schema and the prose
				if theirs.At(member).String() == "forbidden" && never.At(member).String() == "not_found" {
					j.Find("", "a bulk cancel tells the run of another tenant from one that never was, by the code forbidden (OWP-R111)")
				} else {
					j.Check(openwop.OWPISO2, theirs.At(member)).To(check.SameAs(never.At(member)), "the code of its error")
				}
			}
		}
	}),
}

// given blocks the judge unless a tenant has a live run that another could try to
// control.
func (o TenantControl) given(j *scenarios.Judge) {
	o.Tenants.Given(j)
	if status := o.Live.Key("status").String(); !host.Succeeded(o.Created.Status) || status == "" || host.IsTerminal(status) {
		j.Block("setup failed: no run of "+o.Way+" is under way: HTTP "+o.Created.Status.JSON()+", status "+o.Live.Key("status").JSON(),
			fixture.Load)
	}
	if !host.Succeeded(o.Paused.Status) && !host.Succeeded(o.Diffed.Status) && !host.Succeeded(o.Cancel.Status) {
		j.Block("setup failed: the run's own tenant is refused as well: HTTP "+o.Paused.Status.JSON()+", "+o.Diffed.Status.JSON()+" and "+
			o.Cancel.Status.JSON(), "let the key that is given pause, compare and cancel runs")
	}
}
