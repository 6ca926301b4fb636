package loop

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// TwiceObservation is a loop that was suspended twice and answered twice.
type TwiceObservation struct {
	host.SuspendedLoop
	Again host.Suspension `json:"again"`
}

// loopSuspendedTwice runs a loop that asks in two turns.
var loopSuspendedTwice = &scenarios.Drive[TwiceObservation]{
	ID:    "openwop/loop-suspended-twice",
	Title: "holds a loop by a question in two random turns and answers each time",
	Sends: []string{
		host.SendsLoop, "{read run}", "{poll log}",
		"{answer node}, twice",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *TwiceObservation) {
		h := host.Host{Conn: c}
		way := h.AskingLoop(2)
		r, loop := h.Suspend(ctx, "the loop that asks twice", way)
		*o = TwiceObservation{SuspendedLoop: loop}
		if taken := r.Resolves(ctx, &o.Held); !taken {
			return
		}
		o.Again = r.Held(ctx, way.At[1], way.At[1])
		if taken := r.Resolves(ctx, &o.Again); !taken {
			return
		}
		o.Log = r.Finish(ctx, "log of the loop that was resumed twice")
	},
}

// FloorObservation is a loop with one decision below the confidence floor.
type FloorObservation struct {
	host.SuspendedLoop
	Confidence float64   `json:"confidence"`
	Floor      float64   `json:"floor"`
	Lull       host.Lull `json:"lull"` // before the answer
}

// loopBelowTheFloor runs a loop whose supervisor dispatches with too little
// confidence.
var loopBelowTheFloor = &scenarios.Drive[FloorObservation]{
	ID:    "openwop/loop-below-the-floor",
	Title: "runs a loop with a random confidence below the floor in a random turn, runs a sentinel, waits a window, and answers",
	Sends: []string{
		host.SendsLoop, "{read run}", "{poll log}", "{create run} (sentinel)",
		"{answer node}",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *FloorObservation) {
		h := host.Host{Conn: c}
		floor := h.Floor()
		way, confidence := doubtful(h, floor)
		r, loop := h.Suspend(ctx, "the loop with a doubtful decision", way)
		*o = FloorObservation{SuspendedLoop: loop, Confidence: confidence, Floor: floor}
		if !o.Held.Suspended.Reached {
			return
		}
		o.Lull = r.Lull(ctx, way.Scripted, o.Held.Log.Pace())
		r.Resumes(ctx, &o.SuspendedLoop)
	},
}

// ResumedForkObservation is a loop that was suspended and resumed, and its replay.
type ResumedForkObservation struct {
	host.SuspendedLoop
	Replayed host.RunLog `json:"replayed"`
}

// replayOfResumed replays a loop that was suspended and resumed.
var replayOfResumed = &scenarios.Drive[ResumedForkObservation]{
	ID:    "openwop/replay-of-resumed",
	Title: "holds a loop by a question, answers, and replays the finished loop from the first event",
	Sends: []string{
		host.SendsLoop, "{answer node}", "{fork run} {mode: replay}",
		"{read run}", "{poll log}",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *ResumedForkObservation) {
		h := host.Host{Conn: c}
		r, _, loop := h.SuspendAsking(ctx)
		*o = ResumedForkObservation{SuspendedLoop: loop}
		r.Resumes(ctx, &o.SuspendedLoop)
		if !o.Log.Ended.Reached {
			return
		}
		fork := h.Fork(ctx, r)
		o.Replayed = fork.Finish(ctx, "log of the replay")
	},
}
