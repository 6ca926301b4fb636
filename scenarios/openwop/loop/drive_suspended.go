package loop

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// AskedObservation is a loop that a question held in one turn, and that was left
// alone for a while before the answer.
type AskedObservation struct {
	host.SuspendedLoop
	Evidence scenarios.Evidence `json:"evidence"`
	Lull     host.Lull          `json:"lull"` // before the answer
	// Seam is the seam's account of such a loop if only a seam is on offer. Way is
	// then its path.
	Seam *host.SeamAnswer `json:"seam,omitempty"`
}

// SeenAs implements [scenarios.Seer].
func (o AskedObservation) SeenAs() scenarios.Evidence { return o.Evidence }

// LoopThatAsks holds a loop by a question.
var LoopThatAsks = &scenarios.Drive[AskedObservation]{
	ID:    "openwop/loop-that-asks",
	Title: "holds a loop by a question in a random turn, looks at it, listens to it, runs a sentinel and waits a window, and answers",
	Sends: []string{
		"{create run} (assay-loop-ask-user or assay-loop with a random plan; else the seam agentloop/run)", "{read run}", "{poll log}",
		"{stream log}", "{create run} (sentinel)", "{answer node}",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *AskedObservation) {
		h := host.Host{Conn: c}
		way, err := scenarios.Attempt(func() host.Suspending { return h.AskingLoop(1) })
		if err != nil {
			seamErr := scenarios.Try(func() { seamAsks(ctx, h, o) })
			if host.IsBlocked(seamErr) {
				scenarios.End(err) // fixtures are the better way to unblock it
			}
			scenarios.End(seamErr)
			return
		}
		r, loop := h.Suspend(ctx, "the loop that asks", way)
		*o = AskedObservation{SuspendedLoop: loop, Evidence: scenarios.Observed}
		if !o.Held.Suspended.Reached {
			return
		}
		func() {
			defer listen(ctx, r)()
			o.Lull = r.Lull(ctx, way.Scripted, o.Held.Log.Pace())
		}()
		r.Resumes(ctx, &o.SuspendedLoop)
	},
}

// seamAsks has the seam suspend and resume a loop.
func seamAsks(ctx context.Context, h host.Host, o *AskedObservation) {
	s := h.AgentLoopSeam(ctx)
	ask := suspendAt(h)
	ask.Resume = new(true)
	a := s.Answer(ctx, ask)
	*o = AskedObservation{SuspendedLoop: host.SuspendedLoop{Way: s.Path()}, Evidence: scenarios.Attested, Seam: &a}
	if a.NamesARun {
		o.Evidence = scenarios.Observed
	}
}

// suspendAt asks the seam for a loop of random length, suspended in a random turn
// before its last.
func suspendAt(h host.Host) dialect.AgentloopRequest {
	n := h.TurnsFrom(4)
	return dialect.AgentloopRequest{Turns: int64(n), SuspendAtTurn: new(int64(h.Between(1, n-1)))}
}

// seamSuspends asks the seam for the same loop with and without a resume.
var seamSuspends = &scenarios.Drive[host.SeamObservation]{
	ID:       "openwop/seam-suspends",
	Nameless: host.ClosedSeam,
	Title:    "asks the seam agentloop/run to suspend a loop of random length in a random turn, once with and once without resuming it",
	Sends: []string{
		"{use seam:agentloop/run} {turns: n, suspendAtTurn: less than n, resume: true}",
		"{use seam:agentloop/run} {turns: n, suspendAtTurn: less than n}",
		"{read run} and its events of the runs it names",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *host.SeamObservation) {
		h := host.Host{Conn: c}
		s := h.AgentLoopSeam(ctx)
		left := suspendAt(h)
		resumed := left
		resumed.Resume = new(true)
		*o = s.Answers(ctx, resumed, left)
	},
}

// HeartbeatObservation is a loop that was suspended while heartbeats ticked.
type HeartbeatObservation struct {
	host.SuspendedLoop
	Seam  string      `json:"seam"`
	Ticks wire.Values `json:"ticks"` // HTTP statuses
	Lull  host.Lull   `json:"lull"`  // after the ticks, before the answer
}

// loopBesideHeartbeats ticks a heartbeat with two states while a loop is
// suspended.
var loopBesideHeartbeats = &scenarios.Drive[HeartbeatObservation]{
	ID:    "openwop/loop-beside-heartbeats",
	Title: "holds a loop by a question, has a heartbeat see two different states, runs a sentinel and waits a window, and answers",
	Sends: []string{
		host.SendsLoop, "{use seam:heartbeat/tick} {observedState: random}, twice", "{read run}",
		"{poll log}", "{create run} (sentinel)", "{answer node}",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *HeartbeatObservation) {
		h := host.Host{Conn: c}
		r, way, loop := h.SuspendAsking(ctx)
		*o = HeartbeatObservation{SuspendedLoop: loop}
		if !o.Held.Suspended.Reached {
			return
		}
		heartbeat := h.Name("heartbeat")
		s, reply := h.FindSeam(ctx, "heartbeat/tick", host.TickOf(heartbeat, h.Marker()))
		o.Seam, o.Ticks = s.Path(), wire.Values{reply.StatusValue()}
		reply = s.Ask(ctx, host.TickOf(heartbeat, h.Marker()))
		h.Adopt(reply)
		o.Ticks = append(o.Ticks, reply.StatusValue())
		o.Lull = r.Lull(ctx, way.Scripted, o.Held.Log.Pace())
		r.Resumes(ctx, &o.SuspendedLoop)
	},
}
