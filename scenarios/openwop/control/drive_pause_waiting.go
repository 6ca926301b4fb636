package control

import (
	"context"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// PausedAskingObservation is a loop that was held by a question and paused before
// the answer.
type PausedAskingObservation struct {
	host.SuspendedLoop
	Paused   host.Answered `json:"paused"`
	Still    wire.Wait     `json:"still"`
	Answered host.Answered `json:"answered"` // an answer during the pause
	During   host.RunLog   `json:"during"`   // after it, and after a sentinel
	Sentinel wire.Wait     `json:"sentinel"`
	Resumed  host.Answered `json:"resumed"`
}

// pausedAsking pauses a loop that waits for an answer.
var pausedAsking = &scenarios.Drive[PausedAskingObservation]{
	ID: "openwop/paused-asking",
	Title: "holds a loop by a question, pauses it, answers it, runs a sentinel and looks at it, resumes it and, where the " +
		"answer was not taken, answers again",
	Sends: []string{host.SendsLoop, "{pause run}", "{answer node}", "{create run} (sentinel)", "{read run} and its events",
		"{resume run}", "{answer node}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *PausedAskingObservation) {
		h := host.Host{Conn: c}
		policy := host.MustDrain(h, afterNode, atOnce)
		var r *host.Run
		var way host.Suspending
		if err := scenarios.Try(func() { r, way, o.SuspendedLoop = h.SuspendAsking(ctx) }); host.IsBlocked(err) {
			unlessPauses(ctx, h, err)
		} else {
			scenarios.End(err)
		}
		if !o.Held.Suspended.Reached {
			return
		}
		if o.Paused = r.Pause(ctx, policy, "", "to pause the loop"); !host.Succeeded(o.Paused.Status) {
			return
		}
		if o.Still = r.IsPaused(ctx); !o.Still.Reached && !host.IsWaiting(o.Still.Last.Key("status").String()) { // OWP-R110
			return
		}
		answerPaused(ctx, r, way, o)
		if o.Resumed = r.GoOn(ctx, "to resume the loop"); !host.Succeeded(o.Resumed.Status) {
			return
		}
		if !host.Succeeded(o.Answered.Status) { // answered like any suspended loop
			r.Resumes(ctx, &o.SuspendedLoop)
			return
		}
		o.Held.Answered = o.Answered.Status
		o.Log = r.Finish(ctx, "log of the resumed loop")
	},
}

// answerPaused answers a paused loop and observes the effect.
func answerPaused(ctx context.Context, r *host.Run, way host.Suspending, o *PausedAskingObservation) {
	asked := host.Pending(o.Held.Suspended.Last, o.Held.Log)
	reply := r.Do(ctx, wire.Call{Operation: dialect.AnswerNode.Of(r.ID, asked.Node), Label: "answer while it is paused",
		Body: map[string]any{"resumeValue": asked.Answers(o.Held.Marker)[0]}, Secrets: host.InterruptTokens})
	o.Answered = host.AnsweredBy("an answer to the paused loop", reply)
	other := r.Create(ctx, "sentinel", r.Sentinel(way.Scripted))
	if other.ID == "" {
		return
	}
	o.Sentinel = other.AwaitEnd(ctx)
	o.During = r.Stands(ctx, "the paused loop, after the answer and the sentinel")
}

// ControlCancelObservation is a run cancelled during a timed wait, possibly while
// paused, and left alone until that time had passed.
type ControlCancelObservation struct {
	Way     string         `json:"way"`
	Reason  string         `json:"reason"`
	Created host.Answered  `json:"created"`
	Live    wire.Value     `json:"live"` // snapshot before the cancel
	Paused  *host.Answered `json:"paused,omitempty"`
	Still   wire.Wait      `json:"still"`
	Drains  bool           `json:"drains,omitempty"` // as in PausedObservation
	Cancel  host.Answered  `json:"cancel"`
	Log     host.RunLog    `json:"log"`
	Control host.RunLog    `json:"control"` // the same workflow, made after the cancel, to its end
	Later   host.RunLog    `json:"later"`   // the cancelled run at that time
	TooLate bool           `json:"tooLate"` // every run had done with its wait before its cancel
}

const sendsCancelled = "{create run}, twice (assay-steps, conformance-delay, conformance-cancellable, or a slow one)"

// cancelledWaiting cancels a run during a timed wait.
var cancelledWaiting = &scenarios.Drive[ControlCancelObservation]{
	ID:    "openwop/cancelled-waiting",
	Title: "cancels a run, with a reason, while it waits for a time, has another one wait for as long, and looks at the first again",
	Sends: []string{sendsCancelled, "{cancel run} {reason}", "{read run} and its events"},
	Waits: 300 * time.Millisecond,
	Run: func(ctx context.Context, c *scenarios.Conn, o *ControlCancelObservation) {
		cancelledFor(ctx, host.Host{Conn: c}, "", o)
	},
}

// cancelledPaused cancels a paused run.
var cancelledPaused = &scenarios.Drive[ControlCancelObservation]{
	ID: "openwop/cancelled-paused",
	Title: "pauses a run while it waits for a time and cancels it under the same idempotency key, has another one wait for as long, " +
		"and looks at the first again",
	Sends: []string{sendsCancelled, "{pause run} {drainPolicy: immediate}", "{cancel run} {reason}", "{read run} and its events"},
	Waits: 300 * time.Millisecond,
	Run: func(ctx context.Context, c *scenarios.Conn, o *ControlCancelObservation) {
		h := host.Host{Conn: c}
		cancelledFor(ctx, h, host.MustDrain(h, atOnce, afterNode), o)
	},
}

// pauses pauses the run, under an idempotency key, and waits for the pause.
func pauses(ctx context.Context, r *host.Run, policy dialect.DrainPolicy, key string, o *ControlCancelObservation) {
	const what = "to pause the run"
	reply := r.Send(ctx, wire.Call{Operation: dialect.PauseRun.Of(r.ID), Body: map[string]any{"drainPolicy": policy}, Label: what,
		Header: map[string]string{dialect.IdempotencyKey: key}, Secrets: host.InterruptTokens})
	r.IsOffered(ctx, "{pause run}", reply)
	o.Paused = new(host.AnsweredBy(what, reply))
	o.Still = r.IsPaused(ctx)
}

// cancelledFor cancels a run while it waits, paused before by the policy if there is one. If the cancel comes too late, the
// next run waits longer.
func cancelledFor(ctx context.Context, h host.Host, policy dialect.DrainPolicy, o *ControlCancelObservation) {
	way := wait
	if policy == afterNode {
		way = stepAfterwards
	}
	for i, ms := range waits {
		var request dialect.CreateRunRequest
		var own *host.Own
		if err := scenarios.Try(func() { request, own = way.request(h, h.Between(ms, ms+ms/10), h.Marker()) }); err != nil {
			if policy != "" {
				unlessPauses(ctx, h, err)
			}
			scenarios.End(err)
		}
		*o = ControlCancelObservation{Way: request.WorkflowID, Reason: h.Marker(), Drains: policy == afterNode}
		r := h.Create(ctx, "create a run that waits", request)
		if o.Created = host.AnsweredBy("a run that waits", r.Created); r.ID == "" {
			return
		}
		if h.Depth > scenarios.Quick {
			o.Reason = h.Marker() + strings.Repeat(" – für Zoë 名前 🙂", h.Between(10, 60))
		}
		key := "" // of both requests: a key is bound to its endpoint
		if policy != "" {
			key = h.Name("key")
			pauses(ctx, r, policy, key, o)
		}
		o.Live = r.Seen(ctx, "before it is cancelled")
		o.Cancel = cancelBecause(ctx, r, o.Reason, key)
		o.Log = r.Finish(ctx, "log of the cancelled run")
		inTime := o.Drains || len(o.Log.OfType(dialect.NodeCompleted).Values) == 0
		o.TooLate = o.Log.Status().String() == "completed" || !inTime && own != nil
		if o.TooLate || !inTime && i < len(waits)-1 { // the run was quicker
			continue
		}
		other := h.Create(ctx, "create another that waits for as long", request)
		o.Control = other.Finish(ctx, "log of the other run")
		o.Later = r.Stands(ctx, "the cancelled run, when its time would have come")
		return
	}
}

// cancelBecause cancels the run, under the idempotency key that another operation had, if there is one.
func cancelBecause(ctx context.Context, r *host.Run, reason, key string) host.Answered {
	call := wire.Call{Operation: dialect.CancelRun.Of(r.ID), Body: dialect.CancelRunRequest{Reason: &reason}, Label: "to cancel the run",
		Secrets: host.InterruptTokens}
	if key != "" {
		call.Label += " under the idempotency key of its pause"
		call.Header = map[string]string{dialect.IdempotencyKey: key}
	}
	reply := r.Send(ctx, call)
	return host.AnsweredBy(call.Label, reply)
}
