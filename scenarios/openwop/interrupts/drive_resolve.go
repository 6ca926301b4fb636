package interrupts

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// ResolvedAgainObservation is a loop whose interrupt was resolved again after
// the loop had ended.
type ResolvedAgainObservation struct {
	host.SuspendedLoop
	Marker string     `json:"marker"` // the second answer
	Again  wire.Value `json:"again"`  // its HTTP status
	Lull   host.Lull  `json:"lull"`   // after the second answer
}

// LoopResolvedAgain answers an interrupt, and answers it differently once the loop has ended.
var LoopResolvedAgain = &scenarios.Drive[ResolvedAgainObservation]{
	ID: "openwop/loop-resolved-again",
	Title: "holds a loop by a question, answers, answers the same node otherwise when the loop has ended, runs a sentinel, " +
		"waits a window and looks again",
	Sends: []string{
		host.SendsLoop, "{answer node}, twice", "{read run}",
		"{poll log}", "{create run} (sentinel)",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *ResolvedAgainObservation) {
		h := host.Host{Conn: c}
		r, way, loop := h.SuspendAsking(ctx)
		*o = ResolvedAgainObservation{SuspendedLoop: loop, Marker: h.Marker()}
		r.Resumes(ctx, &o.SuspendedLoop)
		if !o.Log.Ended.Reached {
			return
		}
		again := r.Resolve(ctx, host.Pending(o.Held.Suspended.Last, o.Held.Log), o.Marker)
		o.Again = again.StatusValue()
		o.Lull = r.Lull(ctx, way.Scripted, o.Log.Pace())
	},
}

// RivalsObservation is a loop whose interrupt got several answers at once.
type RivalsObservation struct {
	host.SuspendedLoop
	Markers []string    `json:"markers"` // one per answer
	Replies wire.Values `json:"replies"` // HTTP statuses, in the same order
	Lull    host.Lull   `json:"lull"`    // after the end
}

// Winners returns the markers of the answers that the host took.
func (o RivalsObservation) Winners() []string {
	var out []string
	for i, status := range o.Replies {
		if code, _ := status.Int(); code/100 == 2 {
			out = append(out, o.Markers[i])
		}
	}
	return out
}

// LoopWithRivals sends four answers at once.
var LoopWithRivals = &scenarios.Drive[RivalsObservation]{
	ID: "openwop/loop-with-rivals",
	Title: "holds a loop by a question, sends four different answers at once, runs a sentinel when the loop has ended, " +
		"waits a window and looks again",
	Sends: []string{
		host.SendsLoop, "{answer node}, four at once", "{read run}",
		"{poll log}", "{create run} (sentinel)",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *RivalsObservation) {
		h := host.Host{Conn: c}
		r, way, loop := h.SuspendAsking(ctx)
		*o = RivalsObservation{SuspendedLoop: loop}
		if !o.Held.Suspended.Reached {
			return
		}
		const rivals = 4
		o.Replies = make(wire.Values, rivals)
		asked := host.Pending(o.Held.Suspended.Last, o.Held.Log)
		answers := make([]func(context.Context), rivals)
		for i := range answers {
			marker := h.Marker()
			o.Markers = append(o.Markers, marker)
			answers[i] = func(ctx context.Context) {
				o.Replies[i] = r.Resolve(ctx, asked, marker).StatusValue()
			}
		}
		h.AtOnce(ctx, answers...)
		if len(o.Winners()) == 0 {
			return
		}
		if o.Log = r.Finish(ctx, "log of the resumed loop"); !o.Log.Ended.Reached {
			return
		}
		o.Lull = r.Lull(ctx, way.Scripted, o.Log.Pace())
	},
}

// TwoSuspendedObservation is two loops with the same plan, suspended at the same
// time. The second was answered first.
type TwoSuspendedObservation struct {
	First  host.SuspendedLoop `json:"first"`
	Second host.SuspendedLoop `json:"second"`
	Astray wire.Value         `json:"astray"` // HTTP status of an answer to a node unknown to the first, before the lull
	Lull   host.Lull          `json:"lull"`   // of the first; the second's end is the sentinel
}

// TwoLoopsSuspended suspends two loops with the same question and answers the second first.
var TwoLoopsSuspended = &scenarios.Drive[TwoSuspendedObservation]{
	ID: "openwop/two-loops-suspended",
	Title: "holds two loops of one plan by a question, answers a node that the first does not have, answers the second, " +
		"waits for its end and a window, looks at the first and answers it otherwise",
	Sends: []string{
		host.SendsLoop + ", twice", "{answer node} (a node that it does not have)", "{answer node}, of each", "{read run}",
		"{poll log}",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *TwoSuspendedObservation) {
		h := host.Host{Conn: c}
		way := h.AskingLoop(1)
		a, first := h.Suspend(ctx, "one loop that asks", way)
		if o.First = first; !first.Held.Suspended.Reached {
			return
		}
		b, second := h.Suspend(ctx, "another loop that asks", way)
		o.Second = second
		o.Astray = astray(ctx, a, first.Held)
		b.Resumes(ctx, &o.Second)
		if !o.Second.Log.Ended.Reached {
			return
		}
		o.Lull.Sentinel = o.Second.Log.Ended
		o.Lull.Window = h.Quiet(ctx, o.Second.Log.Pace())
		o.Lull.Later = a.Stands(ctx, "the one loop after the other's end and a quiet window")
		a.Resumes(ctx, &o.First)
	},
}

// astray answers a node that the run does not have and returns the HTTP status.
func astray(ctx context.Context, r *host.Run, s host.Suspension) wire.Value {
	asked := host.Pending(s.Suspended.Last, s.Log)
	asked.Node = r.Name("no-node")
	reply := r.Resolve(ctx, asked, r.Marker())
	return reply.StatusValue()
}
