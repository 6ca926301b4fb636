package openwop

import (
	"context"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

const fixtureSteps = "assay-steps"

// PausedObservation is a run that was paused while it waited for a time, left
// alone until that time had come, and resumed.
type PausedObservation struct {
	Way     string    `json:"way"`  // the fixture
	Said    string    `json:"said"` // what a run of assay-steps is to put out
	Reason  string    `json:"reason"`
	Created Answered  `json:"created"`
	Paused  Answered  `json:"paused"`
	Still   wire.Wait `json:"still"`  // until its status is paused
	Before  RunLog    `json:"before"` // as it was then
	Again   Answered  `json:"again"`  // a second pause
	// Control is the same workflow with the same inputs, made when the pause was
	// taken: when it has ended, the run's own time has come as well.
	Control RunLog   `json:"control"`
	After   RunLog   `json:"after"` // as it was then
	Resumed Answered `json:"resumed"`
	Log     RunLog   `json:"log"`  // to the end
	Late    Answered `json:"late"` // a pause of the run that has ended
	Later   RunLog   `json:"later"`
	TooLate bool     `json:"tooLate"` // however long the run waited, it had ended before the pause
}

// waits are the times that a run is made to wait, in ms: the shortest in which
// a pause arrives is long enough.
var waits = []int{250, 1000, 4000}

// pausedAtOnce pauses a run at once and has it go on.
var pausedAtOnce = &scenarios.Drive[PausedObservation]{
	ID:    "openwop/paused",
	Title: "pauses a run at once while it waits for a time, has another one wait for as long, looks whether the first took a step, and resumes it",
	Sends: []string{"POST /v1/runs (assay-steps, conformance-delay or conformance-cancellable)", "POST /v1/runs/{runId}:pause {drainPolicy: immediate}, twice", "GET /v1/runs/{runId} and its events",
		"POST /v1/runs (the same)", "POST /v1/runs/{runId}:resume", "POST /v1/runs/{runId}:pause, when it has ended"},
	Waits: 300 * time.Millisecond,
	Run: func(ctx context.Context, c *scenarios.Conn) (PausedObservation, error) {
		return host{c}.pausedFor(ctx, string(openwopv1.PauseRunRequestDrainPolicyImmediate))
	},
}

// pausedByDrain lets the node under way end, and has the run go on then.
var pausedByDrain = &scenarios.Drive[PausedObservation]{
	ID:    "openwop/paused-by-drain",
	Title: "pauses a run that waits for a time, without saying how, has another one wait for as long, looks how far the first has got, and resumes it",
	Sends: []string{"POST /v1/runs (assay-steps)", "POST /v1/runs/{runId}:pause", "GET /v1/runs/{runId} and its events", "POST /v1/runs (the same)", "POST /v1/runs/{runId}:resume"},
	Waits: 300 * time.Millisecond,
	Run: func(ctx context.Context, c *scenarios.Conn) (PausedObservation, error) {
		h := host{c}
		if !h.offers(fixtureSteps) { // no other has a node behind one that takes a while
			return PausedObservation{}, h.unlessPauses(ctx, scenarios.Block("no workflow is on offer that takes steps after a wait", loadFixtures))
		}
		return h.pausedFor(ctx, "")
	},
}

// unlessPauses is why a drive is blocked, unless the host does not pause runs at
// all: then that is why.
func (h host) unlessPauses(ctx context.Context, blocked error) error {
	return h.unlessLacking(ctx, blocked, func(r *run) error {
		_, err := r.pause(ctx, "", "", "a pause, to see whether there is one")
		return err
	})
}

// stepping asks for a run that waits for so long, in ms.
func (h host) stepping(wait int, said string) (openwopv1.CreateRunRequest, error) {
	for _, id := range []string{fixtureSteps, fixtureDelay, fixtureCancellable} {
		if h.offers(id) {
			inputs := map[string]any{"delayMs": wait}
			if id == fixtureSteps {
				inputs["said"] = said
			}
			return openwopv1.CreateRunRequest{WorkflowID: id, Inputs: inputs}, nil
		}
	}
	return openwopv1.CreateRunRequest{}, scenarios.Block("no workflow is on offer that waits", loadFixtures)
}

// pausedFor pauses a run while it waits. Where the pause comes too late the
// next run waits longer.
func (h host) pausedFor(ctx context.Context, policy string) (o PausedObservation, err error) {
	for _, wait := range waits {
		wait = h.between(wait, wait+wait/10)
		said := h.marker()
		request, err := h.stepping(wait, said)
		if err != nil {
			return o, h.unlessPauses(ctx, err)
		}
		o = PausedObservation{Way: request.WorkflowID, Said: said, Reason: h.marker()}
		r, err := h.create(ctx, "create a run that waits", request)
		if err != nil {
			return o, err
		}
		if o.Created = answered("a run that waits", r.Created); r.ID == "" {
			return o, nil
		}
		if o.Paused, err = r.pause(ctx, policy, o.Reason, "to pause the run"); err != nil {
			return o, err
		}
		seen, err := r.snapshot(ctx, "the run after the pause")
		if err != nil {
			return o, err
		}
		if !isTerminal(seen.Text("/status")) {
			return o, r.standsStill(ctx, request, &o)
		}
		r.gone()
	}
	o.TooLate = true
	return o, nil
}

// standsStill looks at a run from the pause to its end.
func (r *run) standsStill(ctx context.Context, request openwopv1.CreateRunRequest, o *PausedObservation) (err error) {
	if !succeeded(o.Paused.Status) {
		return nil
	}
	other, err := r.create(ctx, "create another that waits for as long", request)
	if err != nil {
		return err
	}
	if o.Still, err = r.isPaused(ctx); err != nil || !o.Still.Reached {
		return err
	}
	if o.Before, err = r.stands(ctx, "the run as it was paused"); err != nil {
		return err
	}
	if o.Again, err = r.pause(ctx, "", "", "to pause it again"); err != nil {
		return err
	}
	if o.Control, err = other.finish(ctx, "log of the other run"); err != nil {
		return err
	}
	if o.After, err = r.stands(ctx, "the paused run, when its time has come"); err != nil {
		return err
	}
	if o.Resumed, err = r.goOn(ctx, "to resume the run"); err != nil || !succeeded(o.Resumed.Status) {
		return err
	}
	if o.Log, err = r.finish(ctx, "log of the resumed run"); err != nil || !o.Log.Ended.Reached {
		return err
	}
	if o.Late, err = r.pause(ctx, "", "", "to pause it when it has ended"); err != nil {
		return err
	}
	o.Later, err = r.stands(ctx, "the run that had ended, after the pause")
	return err
}
