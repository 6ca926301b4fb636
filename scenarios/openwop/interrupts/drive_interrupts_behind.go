package interrupts

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// GateReplayedObservation is an approval that was accepted, and its replay.
type GateReplayedObservation struct {
	Gate
	Accepted Response    `json:"accepted"`
	End      host.RunLog `json:"end"`
	Replayed host.RunLog `json:"replayed"`
}

// gateReplayed replays a run that waited for an approval.
var gateReplayed = &scenarios.Drive[GateReplayedObservation]{
	ID:    "openwop/gate-replayed",
	Title: "has a run wait for an approval, accepts, and replays the finished run from the first event",
	Sends: []string{sendsGate, "{answer node}", "{fork run} {mode: replay}", "{read run}", "{poll log}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *GateReplayedObservation) {
		h := host.Host{Conn: c}
		w := waitForApproval(ctx, h)
		if o.Gate = w.Gate; !w.isWaiting() {
			return
		}
		o.Accepted = w.decide(ctx, dialect.ApprovalActionAccept)
		if o.End = w.finishAfter(ctx, o.Accepted); !o.End.Ended.Reached {
			return
		}
		fork := h.Fork(ctx, w.Run)
		if fork.ID == "" {
			o.Replayed = fork.ReadLog(ctx, "no log")
			return
		}
		o.Replayed = fork.Settle(ctx, "log of the replay")
	},
}

// CascadeObservation is a run that was cancelled while its child waited.
type CascadeObservation struct {
	Created host.Answered `json:"created"` // the parent
	Child   Gate          `json:"child"`
	Cancel  host.Answered `json:"cancel"` // of the parent
	End     host.RunLog   `json:"end"`    // of the child
	Late    Response      `json:"late"`   // an answer to the child
	Barrier wire.Wait     `json:"barrier"`
	Later   host.RunLog   `json:"later"`
}

// cascaded cancels a run whose child waits for an approval.
var cascaded = &scenarios.Drive[CascadeObservation]{
	ID: "openwop/gate-cascaded",
	Title: "has a run wait for a child that waits for an approval, cancels the run, accepts at the child, runs a sentinel " +
		"and looks at the child again",
	Sends: []string{"{create run} (assay-loop with assay-approval as its worker, else conformance-interrupt-parent-child-cancel)",
		"{read run} and its events", "{cancel run}", "{read run:childRunId} and its events", "{answer node:childRunId}",
		"{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *CascadeObservation) {
		h := host.Host{Conn: c}
		request, gate := parentOfGate(h)
		parent := h.Create(ctx, "create a run whose child will wait", request)
		if o.Created = host.AnsweredBy("a run of "+request.WorkflowID, parent.Created); parent.ID == "" {
			return
		}
		child := childOf(ctx, parent, gate)
		if o.Child = child.Gate; !child.isWaiting() {
			return
		}
		o.Cancel = parent.Stop(ctx, "to cancel the parent")
		parent.AwaitEnd(ctx)
		if o.End = child.Finish(ctx, "log of the child, when its parent was cancelled"); !o.End.Ended.Reached {
			return
		}
		o.Late = child.decide(ctx, dialect.ApprovalActionAccept)
		child.settle(ctx, &o.Barrier, &o.Later)
	},
}

// parentOfGate returns a request for a run whose child waits for an approval: our loop if offered, else upstream's pair.
func parentOfGate(h host.Host) (dialect.CreateRunRequest, Gate) {
	if h.Offers(fixture.Loop, fixture.Approval) {
		way := host.Scripted{Fixture: fixture.Loop, Plan: host.Plan{host.NextWorker(fixture.Approval), host.Terminate(h.Name("done"))},
			Chosen: true}
		return way.Request(nil), Gate{Way: fixture.Approval, Ours: true, Node: "gate"}
	}
	return dialect.CreateRunRequest{WorkflowID: fixture.UpstreamCascade}, Gate{Way: fixture.UpstreamCascadeChild, Node: "child-gate"}
}

// childOf waits until the run names a child, and then until that child waits.
func childOf(ctx context.Context, r *host.Run, gate Gate) *Waiting {
	w := &Waiting{Run: &host.Run{Host: r.Host, Created: r.Created, Gone: func() {}}, ask: r.Permitted, Gate: gate}
	w.Suspended = r.Await(ctx, "the run names its child", func(ctx context.Context) (wire.Value, bool) {
		reply := r.Snapshot(ctx, "the run whose child will wait")
		v := reply.Value("")
		if w.ID = v.At("/childRuns/0/runId").String(); w.ID == "" {
			l := r.ReadLog(ctx, "log of the run whose child will wait")
			w.ID = host.FirstText(l.OfType(dialect.NodeDispatched).Last().At("/payload/childRunId"),
				l.Phase(dialect.ChainPhaseDispatchSucceeded).Last().At("/payload/childRunId"))
		}
		return v, w.ID != "" || host.IsTerminal(v.Key("status").String())
	})
	if w.ID == "" {
		w.Suspended.Reached = false
		return w
	}
	w.Gone = r.LeaveRun(w.ID) // cancelling its parent may not cancel it
	w.Suspended = w.AwaitSuspended(ctx, 0)
	w.Log = w.ReadLog(ctx, "log of the child that waits")
	return w
}
