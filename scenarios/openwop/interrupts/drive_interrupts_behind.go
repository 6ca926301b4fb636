package interrupts

import (
	"context"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
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
	Sends: []string{sendsGate, "POST /v1/runs/{runId}/interrupts/{nodeId}", "POST /v1/runs/{runId}:fork {mode: replay}", "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll"},
	Run: func(ctx context.Context, c *scenarios.Conn) (o GateReplayedObservation, err error) {
		h := host.Host{Conn: c}
		w, err := waitForApproval(ctx, h)
		if err != nil {
			return o, err
		}
		if o.Gate = w.Gate; !w.waits() {
			return o, nil
		}
		if o.Accepted, err = w.decides(ctx, openwopv1.ApprovalActionAccept); err != nil {
			return o, err
		}
		if o.End, err = w.ends(ctx, o.Accepted); err != nil || !o.End.Ended.Reached {
			return o, err
		}
		fork, err := h.Fork(ctx, w.Run)
		if err != nil {
			return o, err
		}
		if fork.ID == "" {
			o.Replayed, err = fork.ReadLog(ctx, "no log")
			return o, err
		}
		o.Replayed, err = fork.Settle(ctx, "log of the replay")
		return o, err
	},
}

// CascadeObservation is a run that was cancelled while a child of it waited.
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
	ID:    "openwop/gate-cascaded",
	Title: "has a run wait for a child that waits for an approval, cancels the run, accepts at the child, runs a sentinel and looks at the child again",
	Sends: []string{"POST /v1/runs (assay-loop with assay-approval as its worker, else conformance-interrupt-parent-child-cancel)", "GET /v1/runs/{runId} and its events", "POST /v1/runs/{runId}/cancel", "GET /v1/runs/{childRunId} and its events", "POST /v1/runs/{childRunId}/interrupts/{nodeId}", "POST /v1/runs (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn) (o CascadeObservation, err error) {
		h := host.Host{Conn: c}
		request, gate := parentOfGate(h)
		parent, err := h.Create(ctx, "create a run whose child will wait", request)
		if err != nil {
			return o, err
		}
		if o.Created = host.AnsweredBy("a run of "+request.WorkflowID, parent.Created); parent.ID == "" {
			return o, nil
		}
		child, err := childOf(ctx, parent, gate)
		if err != nil {
			return o, err
		}
		if o.Child = child.Gate; !child.waits() {
			return o, nil
		}
		if o.Cancel, err = parent.Stop(ctx, "to cancel the parent"); err != nil {
			return o, err
		}
		if _, err := parent.AwaitEnd(ctx); err != nil {
			return o, err
		}
		if o.End, err = child.Finish(ctx, "log of the child, when its parent was cancelled"); err != nil || !o.End.Ended.Reached {
			return o, err
		}
		if o.Late, err = child.decides(ctx, openwopv1.ApprovalActionAccept); err != nil {
			return o, err
		}
		return o, child.settled(ctx, &o.Barrier, &o.Later)
	},
}

// parentOfGate asks for a run whose child waits for an approval: a loop that dispatches one, else upstream's pair.
func parentOfGate(h host.Host) (openwopv1.CreateRunRequest, Gate) {
	if h.Offers(fixture.Loop, fixture.Approval) {
		way := host.Scripted{Fixture: fixture.Loop, Plan: host.Plan{host.NextWorker(fixture.Approval), host.Terminate(h.Name("done"))}, Chosen: true}
		return way.Request(nil), Gate{Way: fixture.Approval, Ours: true, Node: "gate"}
	}
	return openwopv1.CreateRunRequest{WorkflowID: fixture.UpstreamCascade}, Gate{Way: fixture.UpstreamCascadeChild, Node: "child-gate"}
}

// childOf waits until the run names a child, and until that one waits.
func childOf(ctx context.Context, r *host.Run, gate Gate) (*Waiting, error) {
	w := &Waiting{Run: &host.Run{Host: r.Host, Created: r.Created, Gone: func() {}}, ask: r.Permitted, Gate: gate}
	named, err := r.Await(ctx, "the run names its child", func(ctx context.Context) (wire.Value, bool, error) {
		reply, err := r.Snapshot(ctx, "the run whose child will wait")
		if err != nil {
			return wire.Value{}, false, err
		}
		v := reply.Value("")
		if w.ID = v.At("/childRuns/0/runId").String(); w.ID == "" {
			l, err := r.ReadLog(ctx, "log of the run whose child will wait")
			if err != nil {
				return v, false, err
			}
			w.ID = host.FirstText(l.OfType(openwopv1.RunEventTypeNodeDispatched).Last().At("/payload/childRunId"),
				l.Phase(openwopv1.ChainPhaseDispatchSucceeded).Last().At("/payload/childRunId"))
		}
		return v, w.ID != "" || host.IsTerminal(v.Key("status").String()), nil
	})
	if w.Suspended = named; err != nil || w.ID == "" {
		w.Suspended.Reached = false
		return w, err
	}
	w.Gone = r.LeaveRun(w.ID) // its parent may not take it along
	if w.Suspended, err = w.AwaitSuspended(ctx, 0); err != nil {
		return w, err
	}
	w.Log, err = w.ReadLog(ctx, "log of the child that waits")
	return w, err
}
