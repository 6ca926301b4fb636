package openwop

import (
	"context"
	"encoding/json"

	"github.com/openassay/assay/scenarios"
)

// TwiceObservation is a loop that was suspended twice and answered twice.
type TwiceObservation struct {
	SuspendedLoop
	Again Suspension `json:"again"`
}

// loopSuspendedTwice asks in two turns.
var loopSuspendedTwice = &scenarios.Drive[TwiceObservation]{
	ID:    "openwop/loop-suspended-twice",
	Title: "holds a loop by a question in two random turns and answers each time",
	Sends: []string{
		sendsLoop, "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll",
		"POST /v1/runs/{runId}/interrupts/{nodeId}, twice",
	},
	Run: func(ctx context.Context, c *scenarios.Conn) (TwiceObservation, error) {
		h := host{c}
		way, err := h.askingLoop(2)
		if err != nil {
			return TwiceObservation{}, err
		}
		r, loop, err := h.suspend(ctx, "the loop that asks twice", way)
		o := TwiceObservation{SuspendedLoop: loop}
		if err != nil {
			return o, err
		}
		if taken, err := r.resolves(ctx, &o.Held); err != nil || !taken {
			return o, err
		}
		if o.Again, err = r.held(ctx, way.at[1], way.at[1]); err != nil {
			return o, err
		}
		if taken, err := r.resolves(ctx, &o.Again); err != nil || !taken {
			return o, err
		}
		o.Log, err = r.finish(ctx, "log of the loop that was resumed twice")
		return o, err
	},
}

// FloorObservation is a loop with one decision below the confidence floor.
type FloorObservation struct {
	SuspendedLoop
	Confidence float64 `json:"confidence"`
	Floor      float64 `json:"floor"`
	Lull       Lull    `json:"lull"` // before the answer
}

// loopBelowTheFloor has a supervisor dispatch with too little confidence.
var loopBelowTheFloor = &scenarios.Drive[FloorObservation]{
	ID:    "openwop/loop-below-the-floor",
	Title: "runs a loop with a random confidence below the floor in a random turn, runs a sentinel, waits a window, and answers",
	Sends: []string{
		sendsLoop, "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll", "POST /v1/runs (sentinel)",
		"POST /v1/runs/{runId}/interrupts/{nodeId}",
	},
	Run: func(ctx context.Context, c *scenarios.Conn) (FloorObservation, error) {
		h := host{c}
		floor, err := h.floor()
		if err != nil {
			return FloorObservation{}, err
		}
		decision, confidence := h.doubtful(floor)
		way, err := h.suspendingLoop(1, func() any { return decision })
		if err != nil {
			return FloorObservation{}, err
		}
		r, loop, err := h.suspend(ctx, "the loop with a doubtful decision", way)
		o := FloorObservation{SuspendedLoop: loop, Confidence: confidence, Floor: floor}
		if err != nil || !o.Held.Suspended.Reached {
			return o, err
		}
		if o.Lull, err = r.lull(ctx, way.scripted, o.Held.Log.Pace()); err != nil {
			return o, err
		}
		return o, r.resumes(ctx, &o.SuspendedLoop)
	},
}

// floor is the confidence below which the host must not carry a decision out.
func (h host) floor() (float64, error) {
	if _, claimed := executionModel2.Look(h.Discovery); !claimed {
		return 0, scenarios.Block("the confidence floor comes with version 2 of the execution model", "advertise the version of the execution model that statefulResume belongs to")
	}
	advertised := model(h.Discovery).Key("confidenceEscalationFloor")
	if !advertised.Present() {
		return 0.5, nil
	}
	n, _ := advertised.Actual().(json.Number)
	if floor, err := n.Float64(); err == nil && floor > 0 && floor <= 1 {
		return floor, nil
	}
	return 0, scenarios.Block("nothing is below the advertised confidenceEscalationFloor: "+advertised.JSON(), "advertise a number from 0.5 to 1")
}

// ResumedForkObservation is a loop that was suspended and resumed, and its replay.
type ResumedForkObservation struct {
	SuspendedLoop
	Replayed RunLog `json:"replayed"`
}

// replayOfResumed forks a loop that was suspended and resumed.
var replayOfResumed = &scenarios.Drive[ResumedForkObservation]{
	ID:    "openwop/replay-of-resumed",
	Title: "holds a loop by a question, answers, and replays the finished loop from the first event",
	Sends: []string{
		sendsLoop, "POST /v1/runs/{runId}/interrupts/{nodeId}", "POST /v1/runs/{runId}:fork {mode: replay}",
		"GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll",
	},
	Run: func(ctx context.Context, c *scenarios.Conn) (ResumedForkObservation, error) {
		h := host{c}
		r, _, loop, err := h.suspendAsking(ctx)
		o := ResumedForkObservation{SuspendedLoop: loop}
		if err != nil {
			return o, err
		}
		if err := r.resumes(ctx, &o.SuspendedLoop); err != nil || !o.Log.Ended.Reached {
			return o, err
		}
		fork, err := h.fork(ctx, r)
		if err != nil {
			return o, err
		}
		o.Replayed, err = fork.finish(ctx, "log of the replay")
		return o, err
	},
}
