package control

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/loop"
	"github.com/openassay/assay/scenarios/wire"
)

var runStatuses = []string{"pending", "running", "paused", "waiting-approval", "waiting-input", "waiting-external", "completed",
	"failed", "cancelling", "cancelled"}

var snapshotWellFormed = scenarios.Scenario{
	ID:     "openwop/run-control/snapshot-well-formed",
	Title:  "the snapshot of a run names the run, its workflow and a status that there is, when it was made and when it has ended",
	Proves: scenarios.IDs{openwop.OWPCTL1, openwop.OWPCTL2, openwop.OWPCTL8},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(snapshots, func(o SnapshotsObservation, j *scenarios.Judge) {
		for _, r := range o.Runs {
			r.given(j)
			j.Check(openwop.OWPCTL1, r.Early.Status).To(check.Status(200), "%s", r.Early.Asked)
			for _, s := range r.seen() {
				j.Check(openwop.OWPCTL1, s.Key("runId")).To(check.SameAs(r.Created.Body.Key("runId")), "runId of a run of %s", r.Workflow)
				j.Check(openwop.OWPCTL1, s.Key("workflowId")).To(check.Equal(r.Workflow), "its workflowId")
				checkStatus(j, s.Key("status"))
				host.Optional(j, openwop.OWPCTL8, s.At("/metrics/openwopCost"), host.JsonObject(), "metrics.openwopCost")
			}
			tellShape(j, r.Ended.Last)
		}
	}),
}

// IsStatus reports whether a run may have this status.
func IsStatus(status string) bool { return status == host.Slip || slices.Contains(runStatuses, status) }

// checkStatus checks that the protocol has this status.
func checkStatus(j *scenarios.Judge, status wire.Value) {
	known := []any{host.Slip}
	for _, s := range runStatuses {
		known = append(known, s)
	}
	if j.Check(openwop.OWPCTL2, status).To(check.OneOf(known...), "status") && status.Actual() == host.Slip {
		j.Find("", "the status of a run is %s, which no schema knows (OWP-R8)", host.Slip)
	}
}

// tellShape notes where a snapshot departs from its schema, once per place.
func tellShape(j *scenarios.Judge, snapshot wire.Value) {
	schema, err := dialect.Of(snapshot).Schema("RunSnapshot")
	if err != nil {
		panic("our own contract has no RunSnapshot: " + err.Error())
	}
	var told []string
	for _, p := range schema.ValidateValue(snapshot.Actual()) {
		if place := p.String(); !slices.Contains(told, place) {
			told = append(told, place)
			j.Find("", "the snapshot of a %s run departs from its schema (OWP-R41): %s", snapshot.Key("status").String(), place)
		}
	}
}

var endsAsItShould = scenarios.Scenario{
	ID:     "openwop/run-control/ends-as-it-should",
	Title:  "a run that completes, one that fails and one that is cancelled end with the status for it, and keep it",
	Proves: scenarios.IDs{openwop.OWPCTL3},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(snapshots, func(o SnapshotsObservation, j *scenarios.Judge) {
		for _, r := range o.Runs {
			r.given(j)
			j.Check(openwop.OWPCTL3, r.Ended.Last.Key("status")).To(check.Equal(r.Want), "status of a run of %s", r.Workflow)
			j.Check(openwop.OWPCTL3, r.Later.Key("status")).To(check.SameAs(r.Ended.Last.Key("status")), "its status, later")
		}
	}),
}

var failedHasError = scenarios.Scenario{
	ID:     "openwop/run-control/failed-has-error",
	Title:  "the snapshot of a run that failed says with which error, and no other does",
	Proves: scenarios.IDs{openwop.OWPCTL4, openwop.OWPCTL5},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(snapshots, func(o SnapshotsObservation, j *scenarios.Judge) {
		failed := false
		for _, r := range o.Runs {
			r.given(j)
			e := r.Ended.Last.Key("error")
			if r.Ended.Last.Key("status").String() != "failed" {
				j.Check(openwop.OWPCTL5, e).To(check.Equal(nil), "error of a run of %s, which is %s", r.Workflow, r.Ended.Last.Key("status").String())
				continue
			}
			failed = true
			j.Check(openwop.OWPCTL4, e.Key("code")).To(check.Text(), "error.code of a run of %s, which failed", r.Workflow)
			j.Check(openwop.OWPCTL4, e.Key("message")).To(check.Text(), "its error.message")
		}
		if !failed {
			j.Block("no run failed", "load "+fixture.Fail+" into the host, and list it under /fixtures")
		}
	}),
}

var timesOfARun = scenarios.Scenario{
	ID:     "openwop/run-control/times-of-a-run",
	Title:  "the snapshot of a run that has ended says when it began and when it ended, in that order",
	Proves: scenarios.IDs{openwop.OWPCTL6},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(snapshots, func(o SnapshotsObservation, j *scenarios.Judge) {
		for _, r := range o.Runs {
			r.given(j)
			began, ended := r.Ended.Last.Key("startedAt"), r.Ended.Last.Key("completedAt")
			if own := r.Ended.Last.Key("endedAt"); !ended.Present() && own.Present() { // OWP-R41
				j.Find(openwop.OWPCTL6, "the snapshot of a run that is %s has endedAt in place of completedAt", r.Want)
				ended = own
			}
			from, err := time.Parse(time.RFC3339, began.String())
			j.Check(openwop.OWPCTL6, began).To(check.That("an RFC 3339 time", func(any) bool { return err == nil }),
				"startedAt of a run of %s", r.Workflow)
			j.Check(openwop.OWPCTL6, ended).To(check.That("an RFC 3339 time that is not before startedAt", func(v any) bool {
				text, _ := v.(string)
				at, err := time.Parse(time.RFC3339, text)
				return err == nil && !at.Before(from)
			}), "when a run of %s ended", r.Workflow)
		}
	}),
}

var labelsKept = scenarios.Scenario{
	ID:     "openwop/run-control/labels-kept",
	Title:  "the snapshot shows the tags and the metadata that the run was created with",
	Proves: scenarios.IDs{openwop.OWPCTL7},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(snapshots, func(o SnapshotsObservation, j *scenarios.Judge) {
		for _, r := range o.Runs {
			r.given(j)
			tags := make([]any, len(r.Tags))
			for i, t := range r.Tags {
				tags[i] = t
			}
			j.Check(openwop.OWPCTL7, r.Ended.Last.Key("tags")).To(check.Equal(tags), "tags of a run of %s", r.Workflow)
			j.Check(openwop.OWPCTL7, r.Ended.Last.At("/metadata/note")).To(check.Equal(r.Marker), "its metadata")
			for _, k := range r.Kept {
				j.Check(openwop.OWPCTL7, r.Ended.Last.Key("metadata").Key(k.Name)).To(k.same(), "member %s of its metadata", k.Name)
			}
		}
	}),
}

// same expects the member as it was given.
func (k Kept) same() check.Matcher {
	decoder, want := json.NewDecoder(bytes.NewReader(k.Value)), any(nil)
	decoder.UseNumber()
	if err := decoder.Decode(&want); err != nil {
		panic("a member of ours is no JSON: " + err.Error())
	}
	return check.Equal(check.Plain(want))
}

// given blocks the judge unless there was a run and it ended.
func (r Snapped) given(j *scenarios.Judge) {
	if !host.Succeeded(r.Created.Status) || r.Created.Body.Key("runId").String() == "" {
		j.Block("setup failed: no run of "+r.Workflow+" is made: HTTP "+r.Created.Status.JSON(), fixture.Load)
	}
	j.Reach(r.Ended, "have the runs of the fixtures that are listed under /fixtures end by themselves, or when they are cancelled")
}

// seen returns the run's snapshots.
func (r Snapped) seen() wire.Values { return wire.Values{r.Early.Body, r.Ended.Last, r.Later} }

// The answer goes to the node that the snapshot names, if it names one.
var suspendedNamesNode = scenarios.Scenario{
	ID:     "openwop/run-control/suspended-names-node",
	Title:  "the snapshot of a suspended run names the node that waits, and an answer at that node is taken",
	Proves: scenarios.IDs{openwop.OWPCTL9},
	Claim:  claims.ExecutionModel,
	Ask: scenarios.Ask(loop.LoopThatAsks, func(o loop.AskedObservation, j *scenarios.Judge) {
		if o.Seam != nil {
			j.Block("no loop that can be suspended is on offer, and a seam shows no snapshot", fixture.Load)
		}
		o.Held.Given(j)
		named := o.Held.Suspended.Last.Key("currentNodeId")
		if !named.Present() {
			named = o.Held.Suspended.Last.At("/interrupt/nodeId")
		}
		if j.Check(openwop.OWPCTL9, named).To(check.Text(), "currentNodeId of a suspended run") {
			j.Check(openwop.OWPCTL9, o.Held.Answered).To(check.Status(2), "an answer at the node that is named")
		}
	}),
}
