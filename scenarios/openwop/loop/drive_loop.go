package loop

import (
	"context"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// LoopObservation is one loop with known turns, from its creation to after its
// end.
type LoopObservation struct {
	Way       string             `json:"way"`    // the fixture, or the seam
	Chosen    bool               `json:"chosen"` // its turns were drawn at random
	Evidence  scenarios.Evidence `json:"evidence"`
	Decisions []any              `json:"decisions"` // as requested, in the form the log should show; nil for a seam
	Turns     int                `json:"turns"`
	Log       host.RunLog        `json:"log"`
	// Later is the log read again after another run ended and after a window in
	// which the host could have continued.
	Later    host.RunLog   `json:"later"`
	Sentinel wire.Wait     `json:"sentinel"`
	Window   time.Duration `json:"windowNs"`
	Children []host.Child  `json:"children"`
	Stranger wire.Value    `json:"stranger"` // HTTP status for a run id that was never issued
	// SeamIterations holds the counters of the seam's reply if only a seam is on
	// offer.
	SeamIterations wire.Values `json:"seamIterations,omitempty"`
	SeamStatus     wire.Value  `json:"seamStatus"`
	// Missing is a worker that the loop of a seam decided for, of which the host makes no run, neither for the loop nor for us.
	Missing string `json:"missing,omitempty"`
	// Lost is a loop one of whose workers is no workflow of the host's, zero at quick or where no loop with chosen turns is on offer.
	Lost host.RunLog `json:"lost,omitzero"`
}

// SeenAs implements [scenarios.Seer].
func (o LoopObservation) SeenAs() scenarios.Evidence { return o.Evidence }

// iterations returns the counters: those of the log, if there is one.
func (o LoopObservation) iterations() wire.Found {
	if o.Evidence == scenarios.Attested {
		return wire.Found{Values: o.SeamIterations, In: o.SeamStatus.Ref()}
	}
	return o.Log.Iterations()
}

// snapshots returns the children's snapshots. If the log names no child, the
// result refers to the log.
func (o LoopObservation) snapshots() wire.Found {
	f := wire.Found{In: o.Log.All().In}
	for _, c := range o.Children {
		f.Values = append(f.Values, c.Snapshot)
	}
	return f
}

// loopOfTurns runs a loop of random length to its end.
var loopOfTurns = &scenarios.Drive[LoopObservation]{
	ID: "openwop/loop-of-turns",
	Title: "runs a loop of random length, then a sentinel run, waits a window, and reads the log before and after; beyond quick, runs " +
		"one with a worker that is no workflow, too",
	Sends: []string{
		"{create run} (assay-loop with a random plan; else conformance-multi-agent-handoff; else the seam agentloop/run)",
		"{read run}", "{poll log}", "{read run:childRunId}", "{read run:an id never given out}", "{create run} (sentinel)",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *LoopObservation) {
		h := host.Host{Conn: c}
		way, err := scenarios.Attempt(func() host.Scripted { return h.LoopOf(3, 7, 0) })
		if err != nil {
			seamErr := scenarios.Try(func() { seamLoop(ctx, h, o) })
			if host.IsBlocked(seamErr) {
				scenarios.End(err) // fixtures are the better way to unblock it
			}
			scenarios.End(seamErr)
			return
		}
		r := h.Create(ctx, "create the loop", way.Request(nil))
		*o = LoopObservation{Way: way.Fixture, Chosen: way.Chosen, Evidence: scenarios.Observed, Decisions: way.Decisions(), Turns: way.Turns()}
		watchLoop(ctx, h, r, o, func() *host.Run { return h.Create(ctx, "sentinel", h.Sentinel(way)) })
		const turns = 4
		if ceiling, _ := h.Ceiling(); h.Depth > scenarios.Quick && way.Fixture == fixture.Loop && ceiling >= turns {
			way.Plan = h.LoopPlan(turns)
			way.Plan[h.Between(0, turns-2)] = host.NextWorker(h.Name("no-such-workflow"))
			o.Lost = h.Create(ctx, "create the loop that loses a worker", way.Request(nil)).Finish(ctx, "log of the loop that lost a worker")
		}
	},
}

// watchLoop follows a loop to its end and beyond.
func watchLoop(ctx context.Context, h host.Host, r *host.Run, o *LoopObservation, sentinel func() *host.Run) {
	if o.Log = r.Finish(ctx, "log"); !o.Log.Ended.Reached {
		return
	}
	o.Children = h.Children(ctx, o.Log)
	// Not h.do: for a run that is not ours, a host may answer 403 as well as 404.
	stranger := h.Do(ctx, wire.Call{Operation: dialect.ReadRun.Of(host.StrangerOf(r.ID)), Label: "a run that never was"})
	o.Stranger = stranger.StatusValue()
	other := sentinel()
	if other.ID == "" {
		return
	}
	o.Sentinel = other.AwaitEnd(ctx)
	o.Window = h.Quiet(ctx, o.Log.Pace())
	o.Later = r.ReadLog(ctx, "log after the sentinel and a quiet window")
}

// seamLoop has the seam run the loop. If the reply names the run, the run's own
// log counts as observed; otherwise only the seam attests to it.
func seamLoop(ctx context.Context, h host.Host, o *LoopObservation) {
	seam := h.AgentLoopSeam(ctx)
	ceiling, _ := h.Ceiling()
	turns := h.Between(min(3, ceiling), min(7, ceiling))
	answer := seam.Ask(ctx, dialect.AgentloopRequest{Turns: int64(turns)})
	*o = LoopObservation{Way: seam.Path(), Chosen: true, Evidence: scenarios.Attested, Turns: turns, SeamStatus: answer.StatusValue(),
		SeamIterations: answer.Value("/decisions").Items().Each("/iteration")}
	r := h.Adopt(answer)
	if r.ID == "" {
		return
	}
	o.Evidence = scenarios.Observed
	watchLoop(ctx, h, r, o, func() *host.Run { return h.Adopt(seam.Ask(ctx, dialect.AgentloopRequest{Turns: 1})) })
	if len(host.ChildIDs(o.Log)) > 0 {
		return
	}
	for _, d := range o.Log.Decided().Each("/payload/decision/nextWorkerIds").Values {
		for _, worker := range d.Items() {
			if host.Try(h, worker.String()).Conduct == "" {
				o.Missing = worker.String()
				return
			}
		}
	}
}
