package openwop

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// GoalAloneObservation is a goal that fires its runs by itself.
type GoalAloneObservation struct {
	Goal   GoalMade  `json:"goal"`
	Bound  int       `json:"bound"`
	Going  wire.Wait `json:"going"` // it shows its first runs
	Paused GoalReply `json:"paused"`
	// Settled is the goal when a run that was under way at the pause had time to
	// end; Held is it a quiet window later.
	Settled GoalReply     `json:"settled"`
	Held    GoalReply     `json:"held"`
	Window  time.Duration `json:"windowNs"`
	Resumed GoalEdit      `json:"resumed"`
	Ended   wire.Wait     `json:"ended"`
	Later   GoalReply     `json:"later"` // read a quiet window after its end
}

// outran says whether the goal was at its end before it could be paused.
func (o GoalAloneObservation) outran() bool { return hasEnded(o.Settled.Body) }

// goalOnSchedule makes a goal that goes on by a schedule. What it takes for the
// goal to go on is time, and nothing else.
var goalOnSchedule = &scenarios.Drive[GoalAloneObservation]{
	ID:    "openwop/goal-on-schedule",
	Title: "makes a goal on a schedule of a random short interval, waits for two runs, pauses it, waits, resumes it and waits for its end and a while longer",
	Waits: 1500 * time.Millisecond,
	Sends: []string{"POST {prefix}/goals {continuation: {mode: schedule, armRef: every:<random>}, bounds: {maxLoopIterations: random}}", "GET {prefix}/goals/{id}",
		"POST {prefix}/goals/{id}/pause", "POST {prefix}/goals/{id}/resume"},
	Run: func(ctx context.Context, c *scenarios.Conn) (GoalAloneObservation, error) {
		h := host{c}
		home, err := h.standingGoals(ctx)
		if err != nil {
			return GoalAloneObservation{}, err
		}
		interval := time.Duration(h.between(200, 300)) * time.Millisecond
		for try := 1; ; try++ {
			o, err := home.onSchedule(ctx, interval, h.between(5, 6))
			if err != nil || try == 3 || !o.outran() {
				return o, err
			}
			interval *= 3 // we were too slow just now
		}
	},
}

func (g goalHome) onSchedule(ctx context.Context, interval time.Duration, bound int) (GoalAloneObservation, error) {
	o := GoalAloneObservation{Bound: bound}
	made, err := g.beginBy(ctx, &o, openwopv1.GoalContinuationModeSchedule, fmt.Sprintf("every:%dms", interval.Milliseconds()))
	if err != nil || !o.Goal.goesOn() {
		return o, err
	}
	if o.Going, err = made.reaches(ctx, 2); err != nil || !o.Going.Reached {
		return o, err
	}
	pace := min(max(interval, o.Going.Took/2), time.Second)
	if err := made.holds(ctx, &o, pace, nil); err != nil || !goesOn(o.Resumed.After.Body) {
		return o, err
	}
	if o.Ended, err = made.awaitEnd(ctx); err != nil || !o.Ended.Reached {
		return o, err
	}
	if _, err = g.Quiet(ctx, pace); err != nil {
		return o, err
	}
	o.Later, err = made.read(ctx, "the goal, a while after its end")
	return o, err
}

// beginBy makes a goal that goes on by itself, and stops the drive where the
// host does not know the armRef, which is ours.
func (g goalHome) beginBy(ctx context.Context, o *GoalAloneObservation, mode openwopv1.GoalContinuationMode, arm string) (*goal, error) {
	ask := g.goalRequest(boundedTo(o.Bound))
	ask.Continuation = openwopv1.GoalContinuation{Mode: mode, ArmRef: &arm}
	made, err := g.create(ctx, "create a goal of mode "+string(mode), ask)
	if err != nil {
		return nil, err
	}
	if status, _ := made.Created.Status.Int(); status/100 == 4 {
		return nil, scenarios.Block(fmt.Sprintf("a goal of mode %s with the armRef %q is refused with HTTP %d", mode, arm, status), "take this form of armRef (docs/seams.md)")
	}
	o.Goal, err = made.seen(ctx)
	return made, err
}

// reaches waits until the goal shows so many runs, or its end.
func (g *goal) reaches(ctx context.Context, runs int) (wire.Wait, error) {
	what := fmt.Sprintf("the goal shows %d runs", runs)
	return g.Await(ctx, what, func(ctx context.Context) (wire.Value, bool, error) {
		reply, err := g.read(ctx, what)
		return reply.Body, err == nil && contributed(reply.Body) >= runs, err
	})
}

func (g *goal) awaitEnd(ctx context.Context) (wire.Wait, error) {
	return g.Await(ctx, "the goal has ended", func(ctx context.Context) (wire.Value, bool, error) {
		reply, err := g.read(ctx, "the goal has ended")
		return reply.Body, err == nil && hasEnded(reply.Body), err
	})
}

// holds pauses the goal, lets a window go by in which push is done, and resumes it.
func (g *goal) holds(ctx context.Context, o *GoalAloneObservation, pace time.Duration, push func(context.Context) error) (err error) {
	if o.Paused, err = g.act(ctx, "pause"); err != nil {
		return err
	}
	if _, err = g.Quiet(ctx, pace); err != nil {
		return err
	}
	if o.Settled, err = g.read(ctx, "the goal, paused"); err != nil || o.outran() {
		return err
	}
	if push != nil {
		if err = push(ctx); err != nil {
			return err
		}
	}
	if o.Window, err = g.Quiet(ctx, pace); err != nil {
		return err
	}
	if o.Held, err = g.read(ctx, "the goal, paused for a while"); err != nil {
		return err
	}
	o.Resumed, err = g.change(ctx, "resume", goesOn)
	return err
}

// goalByHeartbeat makes a goal that goes on by a heartbeat.
var goalByHeartbeat = &scenarios.Drive[GoalAloneObservation]{
	ID:    "openwop/goal-by-heartbeat",
	Title: "makes a goal that goes on by a heartbeat, has the heartbeat see changes up to its bound of random length, one of them while the goal is paused and one after its end",
	Waits: 500 * time.Millisecond,
	Sends: []string{"POST {prefix}/goals {continuation: {mode: heartbeat, armRef: random}, bounds: {maxLoopIterations: random}}", "POST {prefix}/heartbeat/tick {observedState: random}",
		"GET {prefix}/goals/{id}", "POST {prefix}/goals/{id}/pause", "POST {prefix}/goals/{id}/resume"},
	Run: func(ctx context.Context, c *scenarios.Conn) (GoalAloneObservation, error) {
		h := host{c}
		o := GoalAloneObservation{Bound: h.between(3, 4)}
		home, err := h.standingGoals(ctx)
		if err != nil {
			return o, err
		}
		heartbeat := h.Name("assay")
		state := func() openwopv1.HeartbeatTickRequest {
			return openwopv1.HeartbeatTickRequest{HeartbeatID: heartbeat, ObservedState: json.RawMessage(strconv.Quote(h.marker()))}
		}
		seam, _, err := h.findSeam(ctx, "heartbeat/tick", state()) // the goal is not armed with it yet
		if err != nil {
			return o, err
		}
		change := func(ctx context.Context) error {
			reply, err := seam.ask(ctx, state())
			if err == nil {
				h.adopt(reply)
			}
			return err
		}
		g, err := home.beginBy(ctx, &o, openwopv1.GoalContinuationModeHeartbeat, heartbeat)
		if err != nil || !o.Goal.goesOn() {
			return o, err
		}
		for n := 1; n <= 2; n++ {
			if err := change(ctx); err != nil {
				return o, err
			}
			if o.Going, err = g.reaches(ctx, n); err != nil || !o.Going.Reached {
				return o, err
			}
		}
		pace := min(o.Going.Took, time.Second)
		if err := g.holds(ctx, &o, pace, change); err != nil || !goesOn(o.Resumed.After.Body) {
			return o, err
		}
		for n := contributed(o.Resumed.After.Body) + 1; n <= o.Bound; n++ {
			if err := change(ctx); err != nil {
				return o, err
			}
			if _, err := g.reaches(ctx, n); err != nil {
				return o, err
			}
		}
		if o.Ended, err = g.awaitEnd(ctx); err != nil || !o.Ended.Reached {
			return o, err
		}
		if err := change(ctx); err != nil {
			return o, err
		}
		if _, err = h.Quiet(ctx, pace); err != nil {
			return o, err
		}
		o.Later, err = g.read(ctx, "the goal, a while after its end")
		return o, err
	},
}
