// Package isolation tests whether a host keeps two tenants apart.
package isolation

import (
	"net/http"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// Suite returns the scenarios about what two tenants of one host see of each other.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "isolation", Title: "two tenants of one host, and that neither sees or moves what is the other's",
		Scenarios: []scenarios.Scenario{
			runsUnread, offspringUnread, cancelRefused, answerRefused, forkRefused, keysApart, ownerByCredential, filesApart, goalsApart,
		},
	}
}

// The controls are their own runs, which both can read.
var runsUnread = scenarios.Scenario{
	ID:     "openwop/isolation/runs-unread",
	Title:  "a tenant reads nothing of a run of another, in either direction, and cannot tell it from one that never was",
	Proves: scenarios.IDs{openwop.OWPISO1, openwop.OWPISO2},
	Claim:  claims.TenantsApart,
	Ask: scenarios.Ask(tenantsReadRuns, func(o TenantRuns, j *scenarios.Judge) {
		o.Tenants.Given(j)
		o.Before.Readable(j)
		for _, c := range o.Reads {
			c.CheckRefused(j, openwop.OWPISO1)
			c.CheckUnguessed(j)
		}
		host.CheckSame(j, openwop.OWPISO1, o.Before, o.After, "the run")
		// A list without the tenant's own run proves nothing about other runs.
		if id := o.Tenants.First.RunID(); host.Succeeded(o.Own.Status) && host.Succeeded(o.Others.Status) && host.IsListed(o.Own.Body, id) {
			j.Check(openwop.OWPISO1, o.Others.Body).To(host.NotNaming(id), "%s", o.Others.Asked)
		}
	}),
}

var offspringUnread = scenarios.Scenario{
	ID:     "openwop/isolation/offspring-unread",
	Title:  "a tenant does not read the runs that a run of another has dispatched",
	Proves: scenarios.IDs{openwop.OWPISO2, openwop.OWPISO7},
	Claim:  claims.TenantsChildren,
	Ask: scenarios.Ask(tenantsOffspring, func(o TenantOffspring, j *scenarios.Judge) {
		o.Tenants.Given(j)
		o.Log.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
		if len(o.Children) == 0 {
			j.Block("setup failed: the loop names no child", "tell of a child run when it is made, with dispatch.succeeded or node.dispatched")
		}
		for i, c := range o.Children {
			host.ChildServed(j, c.Status, o.Reads[i].Theirs)
			o.Reads[i].CheckRefused(j, openwop.OWPISO7)
			o.Reads[i].CheckUnguessed(j)
		}
	}),
}

// The control is the cancel by its own tenant, which ends the run.
var cancelRefused = scenarios.Scenario{
	ID:     "openwop/isolation/cancel-refused",
	Title:  "a tenant does not cancel a run of another that is under way",
	Proves: scenarios.IDs{openwop.OWPISO2, openwop.OWPISO3},
	Claim:  claims.TenantsApart,
	Ask: scenarios.Ask(tenantsCancel, func(o TenantCancel, j *scenarios.Judge) {
		o.Tenants.Given(j)
		if status := o.Live.Key("status").String(); !host.Succeeded(o.Created.Status) || status == "" || host.IsTerminal(status) {
			j.Block("setup failed: "+o.Way+" was not under way: HTTP "+o.Created.Status.JSON()+", status "+o.Live.Key("status").JSON(), fixture.Load)
		}
		if !host.Succeeded(o.Cancel.Status) && !host.IsTerminal(o.After.Key("status").String()) {
			j.Block("setup failed: its own tenant cannot cancel the run: HTTP "+o.Cancel.Status.JSON(), "serve {cancel run}")
		}
		o.Call.CheckRefused(j, openwop.OWPISO3)
		o.Call.CheckUnguessed(j)
		j.Check(openwop.OWPISO3, o.After.Key("status")).To(underWay(o.Live.Key("status").String()), "status of the run afterwards")
	}),
}

// underWay matches the status of a run that nobody has stopped. An unknown status
// is accepted if the run had it before: run-control judges that.
func underWay(before string) check.Matcher {
	return check.OneOf("pending", "running", "paused", "waiting-input", "waiting-approval", "waiting-external", host.Slip, before)
}

// The control is its own tenant's answer, which the run takes.
var answerRefused = scenarios.Scenario{
	ID:     "openwop/isolation/answer-refused",
	Title:  "a tenant does not answer what a run of another asks",
	Proves: scenarios.IDs{openwop.OWPISO2, openwop.OWPISO3},
	Claim:  claims.TenantsAnswers,
	Ask: scenarios.Ask(tenantsAnswer, func(o TenantAnswer, j *scenarios.Judge) {
		o.Tenants.Given(j)
		o.Held.Given(j)
		o.Call.CheckRefused(j, openwop.OWPISO3)
		o.Call.CheckUnguessed(j)
		j.Check(openwop.OWPISO3, host.Steps(o.After).Each("/eventId")).To(check.SameAs(host.Steps(o.Held.Log).Each("/eventId")),
			"steps of the run afterwards")
		if j.Check(openwop.OWPISO3, o.After.Status()).To(host.Waiting(),
			"status of the run afterwards") {
			o.Held.CheckAnswered(j)
		}
	}),
}

// The control is its own tenant's fork.
var forkRefused = scenarios.Scenario{
	ID:     "openwop/isolation/fork-refused",
	Title:  "a tenant does not fork a run of another, and does not read a fork that the other has made",
	Proves: scenarios.IDs{openwop.OWPISO2, openwop.OWPISO3, openwop.OWPISO8},
	Claim:  claims.TenantsForks,
	Ask: scenarios.Ask(tenantsFork, func(o TenantFork, j *scenarios.Judge) {
		o.Tenants.Given(j)
		o.Before.Readable(j)
		if !host.Succeeded(o.Forked.Status) || !host.Succeeded(o.Own.Status) {
			j.Block("setup failed: its own tenant cannot fork the run and read the fork: HTTP "+o.Forked.Status.JSON()+" and "+
				o.Own.Status.JSON(), "serve {fork run}, or claim no replay")
		}
		o.Call.CheckRefused(j, openwop.OWPISO3)
		o.Call.CheckUnguessed(j)
		host.CheckSame(j, openwop.OWPISO3, o.Before, o.After, "the run")
		o.Read.CheckRefused(j, openwop.OWPISO8)
		o.Read.CheckUnguessed(j)
	}),
}

// The control is the first tenant, whose key returns its run again.
var keysApart = scenarios.Scenario{
	ID:     "openwop/isolation/keys-apart",
	Title:  "two tenants who use the same idempotency key for the same request get a run each",
	Proves: scenarios.IDs{openwop.OWPISO5},
	Claim:  claims.TenantsApart,
	Ask: scenarios.Ask(tenantsAsk, func(o TenantAsks, j *scenarios.Judge) {
		o.Tenants.Given(j)
		if !host.Succeeded(o.Key.Status) || o.Key.RunID().String() == "" || o.Again.RunID().String() != o.Key.RunID().String() {
			reason := "setup failed: a repeated key does not return its run: " + o.Key.RunID().JSON() + " and then " + o.Again.RunID().JSON()
			if host.Succeeded(o.Key.Status) && o.Key.RunID().String() != "" && host.Succeeded(o.Again.Status) {
				j.Violates(openwop.OWPERR18, o.Again.RunID(), reason)
			}
			j.Block(reason+": HTTP "+o.Key.Status.JSON()+" and "+o.Again.Status.JSON(),
				"give the reply again when a request comes again under its key")
		}
		j.Check(openwop.OWPISO5, o.Same.Status).To(check.Status(2), "%s", o.Same.Asked)
		j.Check(openwop.OWPISO5, o.Same.RunID()).NotTo(check.SameAs(o.Key.RunID()), "runId of %s", o.Same.Asked)
	}),
}

var ownerByCredential = scenarios.Scenario{
	ID:     "openwop/isolation/owner-by-credential",
	Title:  "a body that names another tenant is refused, or makes a run of who sent it",
	Proves: scenarios.IDs{openwop.OWPISO6},
	Claim:  claims.TenantsApart,
	Ask: scenarios.Ask(tenantsAsk, func(o TenantAsks, j *scenarios.Judge) {
		o.Tenants.Given(j)
		if !j.Check(openwop.OWPISO6, o.Named.Status).To(check.Status(2, http.StatusBadRequest, http.StatusForbidden,
			http.StatusNotFound, http.StatusUnprocessableEntity), "%s", o.Named.Asked) || !host.Succeeded(o.Named.Status) {
			return
		}
		j.Check(openwop.OWPISO6, o.Mine.Status).To(check.Status(2), "%s", o.Mine.Asked)
		j.Check(openwop.OWPISO6, o.Yours.Status).To(check.Status(host.Refusals...), "%s", o.Yours.Asked)
		j.Check(openwop.OWPISO6, o.Mine.Body.At("/owner/tenant")).NotTo(check.Equal(o.Name), "owner.tenant of that run")
	}),
}

// The controls are both owners, which read and list their own files.
var filesApart = scenarios.Scenario{
	ID:     "openwop/isolation/files-apart",
	Title:  "a tenant does not read, list, overwrite or delete the workspace file that another has at the same path",
	Proves: scenarios.IDs{openwop.OWPISO2, openwop.OWPISO10},
	Claim:  claims.TenantsFiles,
	Ask: scenarios.Ask(tenantsWrite, func(o TenantFiles, j *scenarios.Judge) {
		o.Tenants.Given(j)
		if !host.IsListed(o.Own.Body, o.Path) {
			reason := "setup failed: the list of its own tenant does not hold the file: HTTP " + o.Own.Status.JSON()
			if host.Succeeded(o.Own.Status) {
				j.Violates(openwop.OWPWSP4, o.Own.Body, reason)
			}
			j.Block(reason, "serve {list files}")
		}
		if !host.Succeeded(o.Put.Status) {
			j.Block("setup failed: the other tenant cannot write a file: HTTP "+o.Put.Status.JSON(), host.GiveOtherKey)
		}
		o.Before.CheckRefused(j, openwop.OWPISO10)
		o.Before.CheckUnguessed(j)
		j.Check(openwop.OWPISO10, o.Others.Body).To(host.NotNaming(o.Path), "the list of the other tenant")
		j.Check(openwop.OWPISO10, o.Got.Body.Key("content")).To(check.Equal(o.Theirs), "the file of the other tenant")
		j.Check(openwop.OWPISO10, o.Kept.Body.Key("content")).To(check.Equal(o.Mine), "the file, after the other tenant had written its own")
		j.Check(openwop.OWPISO10, o.After.Body.Key("content")).To(check.Equal(o.Mine), "the file, after the other tenant had deleted its own")
		for i, foreign := range []string{o.Theirs, o.Mine} {
			read := host.ReadSeen(o.Ran[i], "workspace").Entries(host.Look{Turn: 1, At: host.AtBegin})
			j.Check(openwop.OWPISO10, read).To(host.NotNaming(foreign), "what a run of %s read at that path",
				[]string{host.TheFirst, host.TheOther}[i])
		}
	}),
}

// The control is the other tenant's own goal.
var goalsApart = scenarios.Scenario{
	ID:     "openwop/isolation/goals-apart",
	Title:  "a tenant does not read, list, edit, pause or abandon a goal of another",
	Proves: scenarios.IDs{openwop.OWPISO2, openwop.OWPISO4}, Watches: scenarios.IDs{openwop.OWPISO1},
	Claim: claims.TenantsHaveGoal,
	Ask: scenarios.Ask(tenantsGoals, func(o TenantGoals, j *scenarios.Judge) {
		o.Tenants.Given(j)
		for _, made := range []host.GoalMade{o.Mine, o.Theirs} {
			if made.ID == "" || !host.Succeeded(made.Fresh.Status) {
				j.Block("setup failed: a goal cannot be made and read: HTTP "+made.Created.Status.JSON()+" and "+made.Fresh.Status.JSON(),
					host.GiveOtherKey)
			}
		}
		for _, c := range o.Calls {
			c.CheckRefused(j, openwop.OWPISO4)
			c.CheckUnguessed(j)
		}
		for _, r := range o.Runs {
			r.Read.CheckRefused(j, openwop.OWPISO1)
			if host.Succeeded(r.Own.Status) {
				r.Read.CheckUnguessed(j)
			}
		}
		if host.Succeeded(o.Others.Status) && host.IsListed(o.Own.Body, o.Mine.ID) {
			j.Check(openwop.OWPISO4, o.Others.Body).To(host.NotNaming(o.Mine.ID), "the list of the other tenant")
		}
		for _, member := range []string{"state", "objective", "progress"} {
			j.Check(openwop.OWPISO4, o.After.Body.Key(member)).To(check.SameAs(o.Mine.Fresh.Body.Key(member)), "%s of the goal afterwards", member)
		}
	}),
}
