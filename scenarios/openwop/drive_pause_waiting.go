package openwop

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// PausedAskingObservation is a loop that a question held, and that was paused
// before it was answered.
type PausedAskingObservation struct {
	SuspendedLoop
	Paused   Answered  `json:"paused"`
	Still    wire.Wait `json:"still"`
	Answered Answered  `json:"answered"` // an answer, while it is paused
	During   RunLog    `json:"during"`   // after it, and after a sentinel
	Sentinel wire.Wait `json:"sentinel"`
	Resumed  Answered  `json:"resumed"`
}

// pausedAsking pauses a loop that asks.
var pausedAsking = &scenarios.Drive[PausedAskingObservation]{
	ID:    "openwop/paused-asking",
	Title: "holds a loop by a question, pauses it, answers it, runs a sentinel and looks at it, resumes it and, where the answer was not taken, answers again",
	Sends: []string{sendsLoop, "POST /v1/runs/{runId}:pause", "POST /v1/runs/{runId}/interrupts/{nodeId}", "POST /v1/runs (sentinel)", "GET /v1/runs/{runId} and its events",
		"POST /v1/runs/{runId}:resume", "POST /v1/runs/{runId}/interrupts/{nodeId}"},
	Run: func(ctx context.Context, c *scenarios.Conn) (PausedAskingObservation, error) {
		h := host{c}
		r, way, loop, err := h.suspendAsking(ctx)
		o := PausedAskingObservation{SuspendedLoop: loop}
		if err != nil {
			if isBlocked(err) {
				err = h.unlessPauses(ctx, err)
			}
			return o, err
		}
		if !loop.Held.Suspended.Reached {
			return o, nil
		}
		if o.Paused, err = r.pause(ctx, "", "", "to pause the loop"); err != nil || !succeeded(o.Paused.Status) {
			return o, err
		}
		if o.Still, err = r.isPaused(ctx); err != nil || !o.Still.Reached {
			return o, err
		}
		if err := r.answersPaused(ctx, way, &o); err != nil {
			return o, err
		}
		if o.Resumed, err = r.goOn(ctx, "to resume the loop"); err != nil || !succeeded(o.Resumed.Status) {
			return o, err
		}
		if !succeeded(o.Answered.Status) { // it is answered as any loop that is suspended
			return o, r.resumes(ctx, &o.SuspendedLoop)
		}
		o.Held.Answered = o.Answered.Status
		o.Log, err = r.finish(ctx, "log of the resumed loop")
		return o, err
	},
}

// answersPaused answers a loop while it is paused, and looks what comes of it.
func (r *run) answersPaused(ctx context.Context, way suspending, o *PausedAskingObservation) error {
	asked := pending(o.Held.Suspended.Last, o.Held.Log)
	reply, err := r.Do(ctx, wire.Call{Method: http.MethodPost, Path: runPath(r.ID) + "/interrupts/" + url.PathEscape(asked.node), Label: "answer while it is paused",
		Body: map[string]any{"resumeValue": asked.answers(o.Held.Marker)[0]}, Secrets: interruptTokens})
	if err != nil {
		return err
	}
	o.Answered = answered("an answer to the paused loop", reply)
	other, err := r.create(ctx, "sentinel", r.sentinel(way.scripted))
	if err != nil || other.ID == "" {
		return err
	}
	if o.Sentinel, err = other.ended(ctx); err != nil {
		return err
	}
	o.During, err = r.stands(ctx, "the paused loop, after the answer and the sentinel")
	return err
}

// ControlCancelObservation is two runs that were cancelled while they waited
// for a time, one of them paused, and left alone until that time had come.
type ControlCancelObservation struct {
	Way     string     `json:"way"`
	Reason  string     `json:"reason"`
	Created Answered   `json:"created"`
	Live    wire.Value `json:"live"` // snapshot before the cancel
	Paused  *Answered  `json:"paused,omitempty"`
	Still   wire.Wait  `json:"still"`
	Cancel  Answered   `json:"cancel"`
	Log     RunLog     `json:"log"`
	Control RunLog     `json:"control"` // the same, made after the cancel, to its end
	Later   RunLog     `json:"later"`   // the cancelled run then
}

const sendsCancelled = "POST /v1/runs (assay-steps, conformance-delay or conformance-cancellable), twice"

// cancelledWaiting cancels a run that waits for a time.
var cancelledWaiting = &scenarios.Drive[ControlCancelObservation]{
	ID:    "openwop/cancelled-waiting",
	Title: "cancels a run, with a reason, while it waits for a time, has another one wait for as long, and looks at the first again",
	Sends: []string{sendsCancelled, "POST /v1/runs/{runId}/cancel {reason}", "GET /v1/runs/{runId} and its events"},
	Waits: 300 * time.Millisecond,
	Run: func(ctx context.Context, c *scenarios.Conn) (ControlCancelObservation, error) {
		return host{c}.cancelledFor(ctx, false)
	},
}

// cancelledPaused cancels a run that is paused.
var cancelledPaused = &scenarios.Drive[ControlCancelObservation]{
	ID:    "openwop/cancelled-paused",
	Title: "pauses a run while it waits for a time and cancels it, has another one wait for as long, and looks at the first again",
	Sends: []string{sendsCancelled, "POST /v1/runs/{runId}:pause {drainPolicy: immediate}", "POST /v1/runs/{runId}/cancel {reason}", "GET /v1/runs/{runId} and its events"},
	Waits: 300 * time.Millisecond,
	Run: func(ctx context.Context, c *scenarios.Conn) (ControlCancelObservation, error) {
		return host{c}.cancelledFor(ctx, true)
	},
}

// pausedAtOnce pauses the run and waits until it is.
func (r *run) pausedAtOnce(ctx context.Context, o *ControlCancelObservation) error {
	pause, err := r.pause(ctx, string(openwopv1.PauseRunRequestDrainPolicyImmediate), "", "to pause the run")
	if o.Paused = &pause; err != nil {
		return err
	}
	o.Still, err = r.isPaused(ctx)
	return err
}

// cancelledFor cancels a run while it waits. Where that comes too late the next
// run waits longer.
func (h host) cancelledFor(ctx context.Context, paused bool) (o ControlCancelObservation, err error) {
	for i, wait := range waits {
		request, err := h.stepping(h.between(wait, wait+wait/10), h.marker())
		if err != nil {
			if paused {
				err = h.unlessPauses(ctx, err)
			}
			return o, err
		}
		o = ControlCancelObservation{Way: request.WorkflowID, Reason: h.marker()}
		r, err := h.create(ctx, "create a run that waits", request)
		if err != nil {
			return o, err
		}
		if o.Created = answered("a run that waits", r.Created); r.ID == "" {
			return o, nil
		}
		if paused {
			if err := r.pausedAtOnce(ctx, &o); err != nil {
				return o, err
			}
		}
		if o.Live, err = r.seen(ctx, "before it is cancelled"); err != nil {
			return o, err
		}
		if o.Cancel, err = r.cancelBecause(ctx, o.Reason); err != nil {
			return o, err
		}
		if o.Log, err = r.finish(ctx, "log of the cancelled run"); err != nil {
			return o, err
		}
		inTime := len(o.Log.OfType(openwopv1.RunEventTypeNodeCompleted).Values) == 0
		if o.Log.Status().String() == "completed" || !inTime && i < len(waits)-1 { // it was quicker
			continue
		}
		other, err := h.create(ctx, "create another that waits for as long", request)
		if err != nil {
			return o, err
		}
		if o.Control, err = other.finish(ctx, "log of the other run"); err != nil {
			return o, err
		}
		o.Later, err = r.stands(ctx, "the cancelled run, when its time would have come")
		return o, err
	}
	return o, nil
}

func (r *run) cancelBecause(ctx context.Context, reason string) (Answered, error) {
	const what = "to cancel the run"
	reply, err := r.does(ctx, http.MethodPost, "/cancel", openwopv1.CancelRunRequest{Reason: &reason}, what)
	if err != nil {
		return Answered{}, err
	}
	return answered(what, reply), nil
}
