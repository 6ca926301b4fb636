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
	Way    string    `json:"way"`           // the fixture
	Own    *host.Own `json:"own,omitempty"` // what is known of it, if no fixture is
	Said   string    `json:"said"`          // the expected output of a run of assay-steps
	Reason string    `json:"reason"`
	// Drains is set where the host lists no policy but that which lets the node under way end.
	Drains  bool          `json:"drains,omitempty"`
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
	Sends: []string{"{create run} (assay-steps, conformance-delay, conformance-cancellable, or another whose first node takes its time)",
		"{pause run} {drainPolicy: immediate}, twice", "{read run} and its events",
		"{create run} (the same)", "{resume run}", "{pause run}, when it has ended"},
	Waits: 300 * time.Millisecond,
	Run: func(ctx context.Context, c *scenarios.Conn, o *PausedObservation) {
		h := host.Host{Conn: c}
		policy, way := host.MustDrain(h, atOnce, afterNode), wait
		if policy == afterNode {
			way = stepAfterwards
		}
		pausedFor(ctx, h, policy, way, o)
		o.Drains = policy == afterNode
	},
}

// pausedByDrain pauses a run after its current node, and resumes it.
var pausedByDrain = &scenarios.Drive[PausedObservation]{
	ID: "openwop/paused-by-drain",
	Title: "pauses a run that waits for a time, without saying how (beyond quick, also without a body), has another one wait for as " +
		"long, looks how far the first has got, and resumes it",
	Sends: []string{"{create run} (assay-steps, assay-scripted-steps, or another whose first node takes its time)", "{pause run}",
		"{read run} and its events", "{create run} (the same)", "{resume run}"},
	Waits: 300 * time.Millisecond,
	Run: func(ctx context.Context, c *scenarios.Conn, o *PausedObservation) {
		h := host.Host{Conn: c}
		host.MustDrain(h, afterNode)
		pausedFor(ctx, h, "", stepAfterwards, o)
	},
}

const (
	atOnce    = dialect.PauseRunRequestDrainPolicyImmediate
	afterNode = dialect.PauseRunRequestDrainPolicyDrainCurrentNode // the default, when none is named
)

// unlessPauses ends the drive as blocked, or as not offered if the host does not
// pause runs at all.
func unlessPauses(ctx context.Context, h host.Host, blocked error) {
	h.UnlessLacking(ctx, blocked, func(r *host.Run) {
		r.Pause(ctx, "", "", "a pause, to see whether there is one")
	})
}

// waiting is a kind of workflow whose runs wait for a time.
type waiting struct {
	what     string
	fixtures []string // the first that is on offer
	nodes    int      // that another workflow has at least
}

var (
	wait = waiting{"that waits", []string{fixture.Steps, fixture.Delay, fixture.Cancellable}, 1}
	// Where the node under way ends before the pause, a run without another node ends with it.
	stepAfterwards = waiting{"that takes steps after a wait", []string{fixture.Steps, fixture.ScriptedSteps}, 2}
)

// request requests a run that waits this many ms. own is nil, or a workflow whose wait is not ours to choose: a control run showed that
// its first node is under way for long enough.
func (w waiting) request(h host.Host, ms int, said string) (request dialect.CreateRunRequest, own *host.Own) {
	for _, id := range w.fixtures {
		if h.Offers(id) {
			inputs := map[string]any{"delayMs": ms}
			if id == fixture.Steps {
				inputs["said"] = said
			}
			return dialect.CreateRunRequest{WorkflowID: id, Inputs: inputs}, nil
		}
	}
	slow, ok := host.Find(h, func(o host.Own) bool { return o.Nodes >= w.nodes && o.InTime(requestsInTime) }, host.Completes)
	if !ok {
		scenarios.End(scenarios.Block("no workflow is on offer "+w.what, host.NameOwn(host.RoleShort)+
			", whose first node takes a second or two"))
	}
	return slow.Request(), &slow
}

// requestsInTime is how many requests come before a run is paused or cancelled.
const requestsInTime = 4

// pausedFor pauses a run while it waits. If the pause comes too late, the next run
// waits longer.
func pausedFor(ctx context.Context, h host.Host, policy dialect.DrainPolicy, way waiting, o *PausedObservation) {
	h.GoFirst()
	early := false // the run before was paused before its first node
	for _, ms := range waits {
		ms = h.Between(ms, ms+ms/10)
		said := h.Marker()
		var request dialect.CreateRunRequest
		var own *host.Own
		if err := scenarios.Try(func() { request, own = way.request(h, ms, said) }); err != nil {
			unlessPauses(ctx, h, err)
			return
		}
		*o = PausedObservation{Way: request.WorkflowID, Own: own, Said: said, Reason: h.Marker()}
		if policy == "" && h.Depth > scenarios.Quick && h.Rand.IntN(2) == 0 {
			o.Reason = "" // then the pause has no body
		}
		r := h.Create(ctx, "create a run that waits", request)
		if o.Created = host.AnsweredBy("a run that waits", r.Created); r.ID == "" {
			return
		}
		if early {
			r.ReadLog(ctx, "the run before it is paused")
		}
		o.Paused = r.Pause(ctx, policy, o.Reason, "to pause the run")
		seen := r.Snapshot(ctx, "the run after the pause")
		if !host.IsTerminal(seen.Text("/status")) {
			if standsStill(ctx, r, request, policy, o); own != nil && policy == atOnce && len(o.Before.OfType(dialect.NodeCompleted).Values) > 0 {
				continue // its first node had ended, perhaps before the pause
			}
			early = policy != atOnce && o.Before.RunID != "" && len(o.Before.OfType(dialect.NodeStarted).Values) == 0
			if early && ms < waits[len(waits)-1] {
				continue
			}
			return
		}
		r.Gone()
	}
	o.TooLate = true
}

// standsStill follows a run from its pause to its end.
func standsStill(ctx context.Context, r *host.Run, request dialect.CreateRunRequest, policy dialect.DrainPolicy, o *PausedObservation) {
	if !host.Succeeded(o.Paused.Status) {
		return
	}
	other := r.Create(ctx, "create another that waits for as long", request)
	if o.Still = r.IsPaused(ctx); !o.Still.Reached {
		return
	}
	o.Before = r.Stands(ctx, "the run as it was paused")
	o.Again = r.Pause(ctx, policy, "", "to pause it again")
	o.Control = other.Finish(ctx, "log of the other run")
	o.After = r.Stands(ctx, "the paused run, when its time has come")
	if o.Resumed = r.GoOn(ctx, "to resume the run"); !host.Succeeded(o.Resumed.Status) {
		return
	}
	if o.Log = r.Finish(ctx, "log of the resumed run"); !o.Log.Ended.Reached {
		return
	}
	o.Late = r.Pause(ctx, policy, "", "to pause it when it has ended")
	o.Later = r.Stands(ctx, "the run that had ended, after the pause")
}
