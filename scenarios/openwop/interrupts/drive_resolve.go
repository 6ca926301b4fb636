package interrupts

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// ResolvedAgainObservation is a loop whose interrupt was resolved once more
// when the loop had ended.
type ResolvedAgainObservation struct {
	host.SuspendedLoop
	Marker string     `json:"marker"` // the second answer
	Again  wire.Value `json:"again"`  // its HTTP status
	Lull   host.Lull  `json:"lull"`   // after it
}

// loopResolvedAgain answers the same interrupt a second time, otherwise.
var LoopResolvedAgain = &scenarios.Drive[ResolvedAgainObservation]{
	ID:    "openwop/loop-resolved-again",
	Title: "holds a loop by a question, answers, answers the same node otherwise when the loop has ended, runs a sentinel, waits a window and looks again",
	Sends: []string{
		host.SendsLoop, "POST /v1/runs/{runId}/interrupts/{nodeId}, twice", "GET /v1/runs/{runId}",
		"GET /v1/runs/{runId}/events/poll", "POST /v1/runs (sentinel)",
	},
	Run: func(ctx context.Context, c *scenarios.Conn) (ResolvedAgainObservation, error) {
		h := host.Host{Conn: c}
		r, way, loop, err := h.SuspendAsking(ctx)
		o := ResolvedAgainObservation{SuspendedLoop: loop, Marker: h.Marker()}
		if err != nil {
			return o, err
		}
		if err := r.Resumes(ctx, &o.SuspendedLoop); err != nil || !o.Log.Ended.Reached {
			return o, err
		}
		again, err := r.Resolve(ctx, host.Pending(o.Held.Suspended.Last, o.Held.Log), o.Marker)
		if err != nil {
			return o, err
		}
		o.Again = again.StatusValue()
		o.Lull, err = r.Lull(ctx, way.Scripted, o.Log.Pace())
		return o, err
	},
}

// RivalsObservation is a loop whose interrupt several resolved at once.
type RivalsObservation struct {
	host.SuspendedLoop
	Markers []string    `json:"markers"` // of each
	Replies wire.Values `json:"replies"` // HTTP statuses, in the same order
	Lull    host.Lull   `json:"lull"`    // after the end
}

// Winners are the markers of the answers that were taken.
func (o RivalsObservation) Winners() []string {
	var out []string
	for i, status := range o.Replies {
		if code, _ := status.Int(); code/100 == 2 {
			out = append(out, o.Markers[i])
		}
	}
	return out
}

// loopWithRivals has four answers sent at once.
var LoopWithRivals = &scenarios.Drive[RivalsObservation]{
	ID:    "openwop/loop-with-rivals",
	Title: "holds a loop by a question, sends four different answers at once, runs a sentinel when the loop has ended, waits a window and looks again",
	Sends: []string{
		host.SendsLoop, "POST /v1/runs/{runId}/interrupts/{nodeId}, four at once", "GET /v1/runs/{runId}",
		"GET /v1/runs/{runId}/events/poll", "POST /v1/runs (sentinel)",
	},
	Run: func(ctx context.Context, c *scenarios.Conn) (RivalsObservation, error) {
		h := host.Host{Conn: c}
		r, way, loop, err := h.SuspendAsking(ctx)
		o := RivalsObservation{SuspendedLoop: loop}
		if err != nil || !o.Held.Suspended.Reached {
			return o, err
		}
		const rivals = 4
		o.Replies = make(wire.Values, rivals)
		asked := host.Pending(o.Held.Suspended.Last, o.Held.Log)
		answers := make([]func(context.Context) error, rivals)
		for i := range answers {
			marker := h.Marker()
			o.Markers = append(o.Markers, marker)
			answers[i] = func(ctx context.Context) error {
				reply, err := r.Resolve(ctx, asked, marker)
				if err == nil {
					o.Replies[i] = reply.StatusValue()
				}
				return err
			}
		}
		if err := h.AtOnce(ctx, answers...); err != nil || len(o.Winners()) == 0 {
			return o, err
		}
		if o.Log, err = r.Finish(ctx, "log of the resumed loop"); err != nil || !o.Log.Ended.Reached {
			return o, err
		}
		o.Lull, err = r.Lull(ctx, way.Scripted, o.Log.Pace())
		return o, err
	},
}

// TwoSuspendedObservation is two loops of one plan that were suspended at the
// same time. The second was answered first.
type TwoSuspendedObservation struct {
	First  host.SuspendedLoop `json:"first"`
	Second host.SuspendedLoop `json:"second"`
	Astray wire.Value         `json:"astray"` // HTTP status of an answer to a node that the first does not have, ahead of the lull
	Lull   host.Lull          `json:"lull"`   // of the first; the second's end is the sentinel
}

// twoLoopsSuspended holds two loops by the same question.
var TwoLoopsSuspended = &scenarios.Drive[TwoSuspendedObservation]{
	ID:    "openwop/two-loops-suspended",
	Title: "holds two loops of one plan by a question, answers a node that the first does not have, answers the second, waits for its end and a window, looks at the first and answers it otherwise",
	Sends: []string{
		host.SendsLoop + ", twice", "POST /v1/runs/{runId}/interrupts/{a node that it does not have}", "POST /v1/runs/{runId}/interrupts/{nodeId}, of each", "GET /v1/runs/{runId}",
		"GET /v1/runs/{runId}/events/poll",
	},
	Run: func(ctx context.Context, c *scenarios.Conn) (o TwoSuspendedObservation, err error) {
		h := host.Host{Conn: c}
		way, err := h.AskingLoop(1)
		if err != nil {
			return o, err
		}
		a, first, err := h.Suspend(ctx, "one loop that asks", way)
		if o.First = first; err != nil || !first.Held.Suspended.Reached {
			return o, err
		}
		b, second, err := h.Suspend(ctx, "another loop that asks", way)
		if o.Second = second; err != nil {
			return o, err
		}
		if o.Astray, err = astray(ctx, a, first.Held); err != nil {
			return o, err
		}
		if err := b.Resumes(ctx, &o.Second); err != nil || !o.Second.Log.Ended.Reached {
			return o, err
		}
		o.Lull.Sentinel = o.Second.Log.Ended
		if o.Lull.Window, err = h.Quiet(ctx, o.Second.Log.Pace()); err != nil {
			return o, err
		}
		if o.Lull.Later, err = a.Stands(ctx, "the one loop after the other's end and a quiet window"); err != nil {
			return o, err
		}
		return o, a.Resumes(ctx, &o.First)
	},
}

// astray answers a node that the run does not have, and returns the HTTP status.
func astray(ctx context.Context, r *host.Run, s host.Suspension) (wire.Value, error) {
	asked := host.Pending(s.Suspended.Last, s.Log)
	asked.Node = r.Name("no-node")
	reply, err := r.Resolve(ctx, asked, r.Marker())
	if err != nil {
		return wire.Value{}, err
	}
	return reply.StatusValue(), nil
}
