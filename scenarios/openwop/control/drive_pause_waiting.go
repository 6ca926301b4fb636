package control

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// PausedAskingObservation is a loop that a question held, and that was paused
// before it was answered.
type PausedAskingObservation struct {
	host.SuspendedLoop
	Paused   host.Answered `json:"paused"`
	Still    wire.Wait     `json:"still"`
	Answered host.Answered `json:"answered"` // an answer, while it is paused
	During   host.RunLog   `json:"during"`   // after it, and after a sentinel
	Sentinel wire.Wait     `json:"sentinel"`
	Resumed  host.Answered `json:"resumed"`
}

// pausedAsking pauses a loop that asks.
var pausedAsking = &scenarios.Drive[PausedAskingObservation]{
	ID:    "openwop/paused-asking",
	Title: "holds a loop by a question, pauses it, answers it, runs a sentinel and looks at it, resumes it and, where the answer was not taken, answers again",
	Sends: []string{host.SendsLoop, "POST /v1/runs/{runId}:pause", "POST /v1/runs/{runId}/interrupts/{nodeId}", "POST /v1/runs (sentinel)", "GET /v1/runs/{runId} and its events",
		"POST /v1/runs/{runId}:resume", "POST /v1/runs/{runId}/interrupts/{nodeId}"},
	Run: func(ctx context.Context, c *scenarios.Conn) (PausedAskingObservation, error) {
		h := host.Host{Conn: c}
		r, way, loop, err := h.SuspendAsking(ctx)
		o := PausedAskingObservation{SuspendedLoop: loop}
		if err != nil {
			if host.IsBlocked(err) {
				err = unlessPauses(ctx, h, err)
			}
			return o, err
		}
		if !loop.Held.Suspended.Reached {
			return o, nil
		}
		if o.Paused, err = r.Pause(ctx, "", "", "to pause the loop"); err != nil || !host.Succeeded(o.Paused.Status) {
			return o, err
		}
		if o.Still, err = r.IsPaused(ctx); err != nil || !o.Still.Reached {
			return o, err
		}
		if err := answersPaused(ctx, r, way, &o); err != nil {
			return o, err
		}
		if o.Resumed, err = r.GoOn(ctx, "to resume the loop"); err != nil || !host.Succeeded(o.Resumed.Status) {
			return o, err
		}
		if !host.Succeeded(o.Answered.Status) { // it is answered as any loop that is suspended
			return o, r.Resumes(ctx, &o.SuspendedLoop)
		}
		o.Held.Answered = o.Answered.Status
		o.Log, err = r.Finish(ctx, "log of the resumed loop")
		return o, err
	},
}

// answersPaused answers a loop while it is paused, and looks what comes of it.
func answersPaused(ctx context.Context, r *host.Run, way host.Suspending, o *PausedAskingObservation) error {
	asked := host.Pending(o.Held.Suspended.Last, o.Held.Log)
	reply, err := r.Do(ctx, wire.Call{Method: http.MethodPost, Path: host.RunPath(r.ID) + "/interrupts/" + url.PathEscape(asked.Node), Label: "answer while it is paused",
		Body: map[string]any{"resumeValue": asked.Answers(o.Held.Marker)[0]}, Secrets: host.InterruptTokens})
	if err != nil {
		return err
	}
	o.Answered = host.AnsweredBy("an answer to the paused loop", reply)
	other, err := r.Create(ctx, "sentinel", r.Sentinel(way.Scripted))
	if err != nil || other.ID == "" {
		return err
	}
	if o.Sentinel, err = other.AwaitEnd(ctx); err != nil {
		return err
	}
	o.During, err = r.Stands(ctx, "the paused loop, after the answer and the sentinel")
	return err
}

// ControlCancelObservation is two runs that were cancelled while they waited
// for a time, one of them paused, and left alone until that time had come.
type ControlCancelObservation struct {
	Way     string         `json:"way"`
	Reason  string         `json:"reason"`
	Created host.Answered  `json:"created"`
	Live    wire.Value     `json:"live"` // snapshot before the cancel
	Paused  *host.Answered `json:"paused,omitempty"`
	Still   wire.Wait      `json:"still"`
	Cancel  host.Answered  `json:"cancel"`
	Log     host.RunLog    `json:"log"`
	Control host.RunLog    `json:"control"` // the same, made after the cancel, to its end
	Later   host.RunLog    `json:"later"`   // the cancelled run then
}

const sendsCancelled = "POST /v1/runs (assay-steps, conformance-delay or conformance-cancellable), twice"

// cancelledWaiting cancels a run that waits for a time.
var cancelledWaiting = &scenarios.Drive[ControlCancelObservation]{
	ID:    "openwop/cancelled-waiting",
	Title: "cancels a run, with a reason, while it waits for a time, has another one wait for as long, and looks at the first again",
	Sends: []string{sendsCancelled, "POST /v1/runs/{runId}/cancel {reason}", "GET /v1/runs/{runId} and its events"},
	Waits: 300 * time.Millisecond,
	Run: func(ctx context.Context, c *scenarios.Conn) (ControlCancelObservation, error) {
		return cancelledFor(ctx, host.Host{Conn: c}, false)
	},
}

// cancelledPaused cancels a run that is paused.
var cancelledPaused = &scenarios.Drive[ControlCancelObservation]{
	ID:    "openwop/cancelled-paused",
	Title: "pauses a run while it waits for a time and cancels it, has another one wait for as long, and looks at the first again",
	Sends: []string{sendsCancelled, "POST /v1/runs/{runId}:pause {drainPolicy: immediate}", "POST /v1/runs/{runId}/cancel {reason}", "GET /v1/runs/{runId} and its events"},
	Waits: 300 * time.Millisecond,
	Run: func(ctx context.Context, c *scenarios.Conn) (ControlCancelObservation, error) {
		return cancelledFor(ctx, host.Host{Conn: c}, true)
	},
}

// pauseAtOnce pauses the run and waits until it is.
func pauseAtOnce(ctx context.Context, r *host.Run, o *ControlCancelObservation) error {
	pause, err := r.Pause(ctx, string(openwopv1.PauseRunRequestDrainPolicyImmediate), "", "to pause the run")
	if o.Paused = &pause; err != nil {
		return err
	}
	o.Still, err = r.IsPaused(ctx)
	return err
}

// cancelledFor cancels a run while it waits. Where that comes too late the next
// run waits longer.
func cancelledFor(ctx context.Context, h host.Host, paused bool) (o ControlCancelObservation, err error) {
	for i, wait := range waits {
		request, err := stepping(h, h.Between(wait, wait+wait/10), h.Marker())
		if err != nil {
			if paused {
				err = unlessPauses(ctx, h, err)
			}
			return o, err
		}
		o = ControlCancelObservation{Way: request.WorkflowID, Reason: h.Marker()}
		r, err := h.Create(ctx, "create a run that waits", request)
		if err != nil {
			return o, err
		}
		if o.Created = host.AnsweredBy("a run that waits", r.Created); r.ID == "" {
			return o, nil
		}
		if paused {
			if err := pauseAtOnce(ctx, r, &o); err != nil {
				return o, err
			}
		}
		if o.Live, err = r.Seen(ctx, "before it is cancelled"); err != nil {
			return o, err
		}
		if o.Cancel, err = cancelBecause(ctx, r, o.Reason); err != nil {
			return o, err
		}
		if o.Log, err = r.Finish(ctx, "log of the cancelled run"); err != nil {
			return o, err
		}
		inTime := len(o.Log.OfType(openwopv1.RunEventTypeNodeCompleted).Values) == 0
		if o.Log.Status().String() == "completed" || !inTime && i < len(waits)-1 { // it was quicker
			continue
		}
		other, err := h.Create(ctx, "create another that waits for as long", request)
		if err != nil {
			return o, err
		}
		if o.Control, err = other.Finish(ctx, "log of the other run"); err != nil {
			return o, err
		}
		o.Later, err = r.Stands(ctx, "the cancelled run, when its time would have come")
		return o, err
	}
	return o, nil
}

func cancelBecause(ctx context.Context, r *host.Run, reason string) (host.Answered, error) {
	const what = "to cancel the run"
	reply, err := r.Does(ctx, http.MethodPost, "/cancel", openwopv1.CancelRunRequest{Reason: &reason}, what)
	if err != nil {
		return host.Answered{}, err
	}
	return host.AnsweredBy(what, reply), nil
}
