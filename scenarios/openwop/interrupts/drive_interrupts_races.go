package interrupts

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// ApprovalRaceObservation is an approval with several simultaneous acceptances.
type ApprovalRaceObservation struct {
	Gate
	Rivals  []Response  `json:"rivals"`
	Barrier wire.Wait   `json:"barrier"` // after the end
	End     host.RunLog `json:"end"`
	Later   host.RunLog `json:"later"`
}

// approvalRaced sends six acceptances at once, by node and by token.
var approvalRaced = &scenarios.Drive[ApprovalRaceObservation]{
	ID: "openwop/approval-raced",
	Title: "has a run wait for an approval and sends six different acceptances at once, every second with the token where " +
		"there is one, runs a sentinel when the run has ended and looks again",
	Sends: []string{sendsGate, "{read run}", "{poll log}", "{answer node} and {use token}, six at once", "{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *ApprovalRaceObservation) {
		h := host.Host{Conn: c}
		w := waitForApproval(ctx, h)
		if o.Gate = w.Gate; !w.isWaiting() {
			return
		}
		const rivals = 6
		o.Rivals = make([]Response, rivals)
		calls := make([]func(context.Context), rivals)
		for i := range calls {
			marker := h.Marker()
			answer := w.answer
			if i%2 == 1 {
				answer = w.answerAsEvent
			}
			calls[i] = func(ctx context.Context) {
				o.Rivals[i] = answer(ctx, "one of six acceptances", marker, decision(dialect.ApprovalActionAccept, marker))
			}
		}
		h.AtOnce(ctx, calls...)
		if len(o.winners()) == 0 {
			return
		}
		if o.End = w.Finish(ctx, "log of the run that was answered"); !o.End.Ended.Reached {
			return
		}
		w.settle(ctx, &o.Barrier, &o.Later)
	},
}

// winners returns the answers that the host took.
func (o ApprovalRaceObservation) winners() []Response {
	var out []Response
	for _, r := range o.Rivals {
		if host.Succeeded(r.Status) {
			out = append(out, r)
		}
	}
	return out
}

// CancelRaceObservation is an approval that was accepted at the same time as its
// run was cancelled.
type CancelRaceObservation struct {
	Gate
	Accepted Response      `json:"accepted"`
	Cancel   host.Answered `json:"cancel"`
	End      host.RunLog   `json:"end"`
	Barrier  wire.Wait     `json:"barrier"`
	Later    host.RunLog   `json:"later"`
}

// CancelRaces holds several races, since either side may win one.
type CancelRaces struct {
	Races []CancelRaceObservation `json:"races"`
}

// approvalOrCancel accepts an approval and cancels its run at the same time, three times.
var approvalOrCancel = &scenarios.Drive[CancelRaces]{
	ID: "openwop/approval-or-cancel",
	Title: "has a run wait for an approval, accepts it and cancels the run at once, runs a sentinel when the run has ended " +
		"and looks again; three times",
	Sends: []string{sendsGate, "{read run}", "{poll log}", "{answer node} and {cancel run}, at once", "{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *CancelRaces) {
		h := host.Host{Conn: c}
		for range 3 {
			race := cancelRace(ctx, h)
			o.Races = append(o.Races, race)
		}
	},
}

func cancelRace(ctx context.Context, h host.Host) (o CancelRaceObservation) {
	w := waitForApproval(ctx, h)
	if o.Gate = w.Gate; !w.isWaiting() {
		return o
	}
	marker := h.Marker()
	h.AtOnce(ctx, func(ctx context.Context) {
		o.Accepted = w.answer(ctx, "to accept", marker, decision(dialect.ApprovalActionAccept, marker))
	}, func(ctx context.Context) {
		o.Cancel = w.Stop(ctx, "to cancel the run")
	})
	if o.End = w.Finish(ctx, "log of the run that was answered and cancelled"); !o.End.Ended.Reached {
		return o
	}
	w.settle(ctx, &o.Barrier, &o.Later)
	return o
}

// GateCancelledObservation is a run that was cancelled while it waited.
type GateCancelledObservation struct {
	Gate
	Cancel  host.Answered `json:"cancel"`
	End     host.RunLog   `json:"end"`
	AtNode  Response      `json:"atNode"` // an answer at the node after the cancel
	Barrier wire.Wait     `json:"barrier"`
	Later   host.RunLog   `json:"later"`
}

// gateCancelled cancels a waiting run and then answers it.
var gateCancelled = &scenarios.Drive[GateCancelledObservation]{
	ID:    "openwop/gate-cancelled",
	Title: "has a run wait for an approval, cancels it, accepts, runs a sentinel and looks again",
	Sends: []string{sendsGate, "{read run}", "{poll log}", "{cancel run}", "{answer node}", "{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *GateCancelledObservation) {
		h := host.Host{Conn: c}
		w := waitForApproval(ctx, h)
		if o.Gate = w.Gate; !w.isWaiting() {
			return
		}
		o.Cancel = w.Stop(ctx, "to cancel the run that waits")
		if o.End = w.Finish(ctx, "log of the cancelled run"); !o.End.Ended.Reached {
			return
		}
		o.AtNode = w.withLog(ctx, w.decide(ctx, dialect.ApprovalActionAccept))
		w.settle(ctx, &o.Barrier, &o.Later)
	},
}
