package interrupts

import (
	"context"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
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
	ID:    "openwop/approval-raced",
	Title: "has a run wait for an approval and sends six different acceptances at once, every second with the token where there is one, runs a sentinel when the run has ended and looks again",
	Sends: []string{sendsGate, "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll", "POST /v1/runs/{runId}/interrupts/{nodeId} and POST /v1/interrupts/{token}, six at once", "POST /v1/runs (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn) (o ApprovalRaceObservation, err error) {
		h := host.Host{Conn: c}
		w, err := waitForApproval(ctx, h)
		if err != nil {
			return o, err
		}
		if o.Gate = w.Gate; !w.waits() {
			return o, nil
		}
		const rivals = 6
		o.Rivals = make([]Response, rivals)
		calls := make([]func(context.Context) error, rivals)
		for i := range calls {
			marker := h.Marker()
			answer := w.answers
			if i%2 == 1 {
				answer = w.answersEither
			}
			calls[i] = func(ctx context.Context) (err error) {
				o.Rivals[i], err = answer(ctx, "one of six acceptances", marker, decision(openwopv1.ApprovalActionAccept, marker))
				return err
			}
		}
		if err := h.AtOnce(ctx, calls...); err != nil || len(o.winners()) == 0 {
			return o, err
		}
		if o.End, err = w.Finish(ctx, "log of the run that was answered"); err != nil || !o.End.Ended.Reached {
			return o, err
		}
		return o, w.settled(ctx, &o.Barrier, &o.Later)
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
	ID:    "openwop/approval-or-cancel",
	Title: "has a run wait for an approval, accepts it and cancels the run at once, runs a sentinel when the run has ended and looks again; three times",
	Sends: []string{sendsGate, "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll", "POST /v1/runs/{runId}/interrupts/{nodeId} and POST /v1/runs/{runId}/cancel, at once", "POST /v1/runs (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn) (o CancelRaces, err error) {
		h := host.Host{Conn: c}
		for range 3 {
			race, err := cancelRace(ctx, h)
			if err != nil {
				return o, err
			}
			o.Races = append(o.Races, race)
		}
		return o, nil
	},
}

func cancelRace(ctx context.Context, h host.Host) (o CancelRaceObservation, err error) {
	w, err := waitForApproval(ctx, h)
	if err != nil {
		return o, err
	}
	if o.Gate = w.Gate; !w.waits() {
		return o, nil
	}
	marker := h.Marker()
	err = h.AtOnce(ctx, func(ctx context.Context) (err error) {
		o.Accepted, err = w.answers(ctx, "to accept", marker, decision(openwopv1.ApprovalActionAccept, marker))
		return err
	}, func(ctx context.Context) (err error) {
		o.Cancel, err = w.Stop(ctx, "to cancel the run")
		return err
	})
	if err != nil {
		return o, err
	}
	if o.End, err = w.Finish(ctx, "log of the run that was answered and cancelled"); err != nil || !o.End.Ended.Reached {
		return o, err
	}
	return o, w.settled(ctx, &o.Barrier, &o.Later)
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
	Sends: []string{sendsGate, "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll", "POST /v1/runs/{runId}/cancel", "POST /v1/runs/{runId}/interrupts/{nodeId}", "POST /v1/runs (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn) (o GateCancelledObservation, err error) {
		h := host.Host{Conn: c}
		w, err := waitForApproval(ctx, h)
		if err != nil {
			return o, err
		}
		if o.Gate = w.Gate; !w.waits() {
			return o, nil
		}
		if o.Cancel, err = w.Stop(ctx, "to cancel the run that waits"); err != nil {
			return o, err
		}
		if o.End, err = w.Finish(ctx, "log of the cancelled run"); err != nil || !o.End.Ended.Reached {
			return o, err
		}
		a, err := w.decides(ctx, openwopv1.ApprovalActionAccept)
		if o.AtNode, err = w.looked(ctx, a, err); err != nil {
			return o, err
		}
		return o, w.settled(ctx, &o.Barrier, &o.Later)
	},
}
