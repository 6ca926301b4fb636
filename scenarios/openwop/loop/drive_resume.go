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

// loopSuspendedTwice asks in two turns.
var loopSuspendedTwice = &scenarios.Drive[TwiceObservation]{
	ID:    "openwop/loop-suspended-twice",
	Title: "holds a loop by a question in two random turns and answers each time",
	Sends: []string{
		host.SendsLoop, "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll",
		"POST /v1/runs/{runId}/interrupts/{nodeId}, twice",
	},
	Run: func(ctx context.Context, c *scenarios.Conn) (TwiceObservation, error) {
		h := host.Host{Conn: c}
		way, err := h.AskingLoop(2)
		if err != nil {
			return TwiceObservation{}, err
		}
		r, loop, err := h.Suspend(ctx, "the loop that asks twice", way)
		o := TwiceObservation{SuspendedLoop: loop}
		if err != nil {
			return o, err
		}
		if taken, err := r.Resolves(ctx, &o.Held); err != nil || !taken {
			return o, err
		}
		if o.Again, err = r.Held(ctx, way.At[1], way.At[1]); err != nil {
			return o, err
		}
		if taken, err := r.Resolves(ctx, &o.Again); err != nil || !taken {
			return o, err
		}
		o.Log, err = r.Finish(ctx, "log of the loop that was resumed twice")
		return o, err
	},
}

// FloorObservation is a loop with one decision below the confidence floor.
type FloorObservation struct {
	host.SuspendedLoop
	Confidence float64   `json:"confidence"`
	Floor      float64   `json:"floor"`
	Lull       host.Lull `json:"lull"` // before the answer
}

// loopBelowTheFloor has a supervisor dispatch with too little confidence.
var loopBelowTheFloor = &scenarios.Drive[FloorObservation]{
	ID:    "openwop/loop-below-the-floor",
	Title: "runs a loop with a random confidence below the floor in a random turn, runs a sentinel, waits a window, and answers",
	Sends: []string{
		host.SendsLoop, "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll", "POST /v1/runs (sentinel)",
		"POST /v1/runs/{runId}/interrupts/{nodeId}",
	},
	Run: func(ctx context.Context, c *scenarios.Conn) (FloorObservation, error) {
		h := host.Host{Conn: c}
		floor, err := h.Floor()
		if err != nil {
			return FloorObservation{}, err
		}
		decision, confidence := doubtful(h, floor)
		way, err := h.SuspendingLoop(1, func() any { return decision })
		if err != nil {
			return FloorObservation{}, err
		}
		r, loop, err := h.Suspend(ctx, "the loop with a doubtful decision", way)
		o := FloorObservation{SuspendedLoop: loop, Confidence: confidence, Floor: floor}
		if err != nil || !o.Held.Suspended.Reached {
			return o, err
		}
		if o.Lull, err = r.Lull(ctx, way.Scripted, o.Held.Log.Pace()); err != nil {
			return o, err
		}
		return o, r.Resumes(ctx, &o.SuspendedLoop)
	},
}

// ResumedForkObservation is a loop that was suspended and resumed, and its replay.
type ResumedForkObservation struct {
	host.SuspendedLoop
	Replayed host.RunLog `json:"replayed"`
}

// replayOfResumed forks a loop that was suspended and resumed.
var replayOfResumed = &scenarios.Drive[ResumedForkObservation]{
	ID:    "openwop/replay-of-resumed",
	Title: "holds a loop by a question, answers, and replays the finished loop from the first event",
	Sends: []string{
		host.SendsLoop, "POST /v1/runs/{runId}/interrupts/{nodeId}", "POST /v1/runs/{runId}:fork {mode: replay}",
		"GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll",
	},
	Run: func(ctx context.Context, c *scenarios.Conn) (ResumedForkObservation, error) {
		h := host.Host{Conn: c}
		r, _, loop, err := h.SuspendAsking(ctx)
		o := ResumedForkObservation{SuspendedLoop: loop}
		if err != nil {
			return o, err
		}
		if err := r.Resumes(ctx, &o.SuspendedLoop); err != nil || !o.Log.Ended.Reached {
			return o, err
		}
		fork, err := h.Fork(ctx, r)
		if err != nil {
			return o, err
		}
		o.Replayed, err = fork.Finish(ctx, "log of the replay")
		return o, err
	},
}
