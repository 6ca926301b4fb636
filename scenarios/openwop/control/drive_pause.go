package control

import (
	"context"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// PausedObservation is a run paused during a timed wait, left alone until that
// time had passed, and resumed.
type PausedObservation struct {
	Way     string        `json:"way"`  // the fixture
	Said    string        `json:"said"` // the expected output of a run of assay-steps
	Reason  string        `json:"reason"`
	Created host.Answered `json:"created"`
	Paused  host.Answered `json:"paused"`
	Still   wire.Wait     `json:"still"`  // until its status is paused
	Before  host.RunLog   `json:"before"` // the log at that time
	Again   host.Answered `json:"again"`  // a second pause
	// Control is the same workflow with the same inputs, made once the pause was
	// accepted: when it has ended, the paused run's wait is over as well.
	Control host.RunLog   `json:"control"`
	After   host.RunLog   `json:"after"` // the log at that time
	Resumed host.Answered `json:"resumed"`
	Log     host.RunLog   `json:"log"`  // the log to the end
	Late    host.Answered `json:"late"` // a pause of the ended run
	Later   host.RunLog   `json:"later"`
	TooLate bool          `json:"tooLate"` // every run ended before its pause, however long its wait
}

// waits are the durations that a run waits, in ms. The drive takes the shortest in
// which a pause arrives.
var waits = []int{250, 1000, 4000}

// pausedAtOnce pauses a run at once and resumes it.
var pausedAtOnce = &scenarios.Drive[PausedObservation]{
	ID: "openwop/paused",
	Title: "pauses a run at once while it waits for a time, has another one wait for as long, looks whether the first took " +
		"a step, and resumes it",
	Sends: []string{"{create run} (assay-steps, conformance-delay or conformance-cancellable)",
		"{pause run} {drainPolicy: immediate}, twice", "{read run} and its events",
		"{create run} (the same)", "{resume run}", "{pause run}, when it has ended"},
	Waits: 300 * time.Millisecond,
	Run: func(ctx context.Context, c *scenarios.Conn, o *PausedObservation) {
		h := host.Host{Conn: c}
		host.MustDrain(h, dialect.PauseRunRequestDrainPolicyImmediate)
		pausedFor(ctx, h, string(dialect.PauseRunRequestDrainPolicyImmediate), o)
	},
}

// pausedByDrain pauses a run after its current node, and resumes it.
var pausedByDrain = &scenarios.Drive[PausedObservation]{
	ID: "openwop/paused-by-drain",
	Title: "pauses a run that waits for a time, without saying how, has another one wait for as long, looks how far the " +
		"first has got, and resumes it",
	Sends: []string{"{create run} (assay-steps, else assay-scripted-steps)", "{pause run}", "{read run} and its events",
		"{create run} (the same)", "{resume run}"},
	Waits: 300 * time.Millisecond,
	Run: func(ctx context.Context, c *scenarios.Conn, o *PausedObservation) {
		h := host.Host{Conn: c}
		host.MustDrain(h, dialect.PauseRunRequestDrainPolicyDrainCurrentNode)
		if !h.Offers(fixture.Steps) && !h.Offers(fixture.ScriptedSteps) { // only these have a node after a slow one
			unlessPauses(ctx, h, scenarios.Block("no workflow is on offer that takes steps after a wait", fixture.Load))
			return
		}
		pausedFor(ctx, h, "", o)
	},
}

// unlessPauses ends the drive as blocked, or as not offered if the host does not
// pause runs at all.
func unlessPauses(ctx context.Context, h host.Host, blocked error) {
	h.UnlessLacking(ctx, blocked, func(r *host.Run) {
		r.Pause(ctx, "", "", "a pause, to see whether there is one")
	})
}

// stepping requests a run that waits this many ms.
func stepping(h host.Host, wait int, said string) dialect.CreateRunRequest {
	for _, id := range []string{fixture.Steps, fixture.Delay, fixture.Cancellable} {
		if h.Offers(id) {
			inputs := map[string]any{"delayMs": wait}
			if id == fixture.Steps {
				inputs["said"] = said
			}
			return dialect.CreateRunRequest{WorkflowID: id, Inputs: inputs}
		}
	}
	scenarios.End(scenarios.Block("no workflow is on offer that waits", fixture.Load))
	return dialect.CreateRunRequest{}
}

// pausedFor pauses a run while it waits. If the pause comes too late, the next run
// waits longer.
func pausedFor(ctx context.Context, h host.Host, policy string, o *PausedObservation) {
	h.GoFirst()
	for _, wait := range waits {
		wait = h.Between(wait, wait+wait/10)
		said := h.Marker()
		request, err := scenarios.Attempt(func() dialect.CreateRunRequest { return stepping(h, wait, said) })
		if err != nil {
			unlessPauses(ctx, h, err)
			return
		}
		if policy == "" && request.WorkflowID != fixture.Steps {
			request = dialect.CreateRunRequest{WorkflowID: fixture.ScriptedSteps, Inputs: map[string]any{"delayMs": wait}}
		}
		*o = PausedObservation{Way: request.WorkflowID, Said: said, Reason: h.Marker()}
		r := h.Create(ctx, "create a run that waits", request)
		if o.Created = host.AnsweredBy("a run that waits", r.Created); r.ID == "" {
			return
		}
		o.Paused = r.Pause(ctx, policy, o.Reason, "to pause the run")
		seen := r.Snapshot(ctx, "the run after the pause")
		if !host.IsTerminal(seen.Text("/status")) {
			standsStill(ctx, r, request, o)
			return
		}
		r.Gone()
	}
	o.TooLate = true
}

// standsStill follows a run from its pause to its end.
func standsStill(ctx context.Context, r *host.Run, request dialect.CreateRunRequest, o *PausedObservation) {
	if !host.Succeeded(o.Paused.Status) {
		return
	}
	other := r.Create(ctx, "create another that waits for as long", request)
	if o.Still = r.IsPaused(ctx); !o.Still.Reached {
		return
	}
	o.Before = r.Stands(ctx, "the run as it was paused")
	o.Again = r.Pause(ctx, "", "", "to pause it again")
	o.Control = other.Finish(ctx, "log of the other run")
	o.After = r.Stands(ctx, "the paused run, when its time has come")
	if o.Resumed = r.GoOn(ctx, "to resume the run"); !host.Succeeded(o.Resumed.Status) {
		return
	}
	if o.Log = r.Finish(ctx, "log of the resumed run"); !o.Log.Ended.Reached {
		return
	}
	o.Late = r.Pause(ctx, "", "", "to pause it when it has ended")
	o.Later = r.Stands(ctx, "the run that had ended, after the pause")
}
