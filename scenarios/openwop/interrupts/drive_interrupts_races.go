package interrupts

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// ApprovalRaceObservation is an approval that several accepted at once.
type ApprovalRaceObservation struct {
	Gate
	Rivals  []Response  `json:"rivals"`
	Barrier wire.Wait   `json:"barrier"` // behind the end
	End     host.RunLog `json:"end"`
	Later   host.RunLog `json:"later"`
}

// approvalRaced has six accept at once, by the node and by the token.
var approvalRaced = &scenarios.Drive[ApprovalRaceObservation]{
	ID: "openwop/approval-raced",
	Title: "has a run wait for an approval and sends six different acceptances at once, every second with the token where " +
		"there is one, runs a sentinel when the run has ended and looks again",
	Sends: []string{sendsGate, "{read run}", "{poll log}", "{answer node} and {use token}, six at once", "{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *ApprovalRaceObservation) {
		h := host.Host{Conn: c}
		w := waitForApproval(ctx, h)
		if o.Gate = w.Gate; !w.waits() {
			return
		}
		const rivals = 6
		o.Rivals = make([]Response, rivals)
		calls := make([]func(context.Context), rivals)
		for i := range calls {
			marker := h.Marker()
			answer := w.answers
			if i%2 == 1 {
				answer = w.answersEither
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
		w.settled(ctx, &o.Barrier, &o.Later)
	},
}

// winners are the answers that were taken.
func (o ApprovalRaceObservation) winners() []Response {
	var out []Response
	for _, r := range o.Rivals {
		if host.Succeeded(r.Status) {
			out = append(out, r)
		}
	}
	return out
}

// CancelRaceObservation is an approval that was accepted and whose run was
// cancelled at once.
type CancelRaceObservation struct {
	Gate
	Accepted Response      `json:"accepted"`
	Cancel   host.Answered `json:"cancel"`
	End      host.RunLog   `json:"end"`
	Barrier  wire.Wait     `json:"barrier"`
	Later    host.RunLog   `json:"later"`
}

// CancelRaces are several, since either may win by being first.
type CancelRaces struct {
	Races []CancelRaceObservation `json:"races"`
}

// approvalOrCancel has an approval accepted and its run cancelled at once, three times.
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
	if o.Gate = w.Gate; !w.waits() {
		return o
	}
	marker := h.Marker()
	h.AtOnce(ctx, func(ctx context.Context) {
		o.Accepted = w.answers(ctx, "to accept", marker, decision(dialect.ApprovalActionAccept, marker))
	}, func(ctx context.Context) {
		o.Cancel = w.Stop(ctx, "to cancel the run")
	})
	if o.End = w.Finish(ctx, "log of the run that was answered and cancelled"); !o.End.Ended.Reached {
		return o
	}
	w.settled(ctx, &o.Barrier, &o.Later)
	return o
}

// GateCancelledObservation is a run that was cancelled while it waited.
type GateCancelledObservation struct {
	Gate
	Cancel  host.Answered `json:"cancel"`
	End     host.RunLog   `json:"end"`
	AtNode  Response      `json:"atNode"` // an answer at the node, when the run was cancelled
	Barrier wire.Wait     `json:"barrier"`
	Later   host.RunLog   `json:"later"`
}

// gateCancelled cancels a run that waits, and answers it.
var gateCancelled = &scenarios.Drive[GateCancelledObservation]{
	ID:    "openwop/gate-cancelled",
	Title: "has a run wait for an approval, cancels it, accepts, runs a sentinel and looks again",
	Sends: []string{sendsGate, "{read run}", "{poll log}", "{cancel run}", "{answer node}", "{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *GateCancelledObservation) {
		h := host.Host{Conn: c}
		w := waitForApproval(ctx, h)
		if o.Gate = w.Gate; !w.waits() {
			return
		}
		o.Cancel = w.Stop(ctx, "to cancel the run that waits")
		if o.End = w.Finish(ctx, "log of the cancelled run"); !o.End.Ended.Reached {
			return
		}
		o.AtNode = w.looked(ctx, w.decides(ctx, dialect.ApprovalActionAccept))
		w.settled(ctx, &o.Barrier, &o.Later)
	},
}
