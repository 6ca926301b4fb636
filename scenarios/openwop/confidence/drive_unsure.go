package confidence

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

const (
	unsure      = 0.5 // the confidence of the fixture's agent
	unsureAgent = "core.conformance.low-conf-supervisor"
)

// UnsureRun is a run of an agent with confidence 0.5 under a threshold.
type UnsureRun struct {
	Threshold float64         `json:"threshold"` // in force
	Asked     bool            `json:"asked"`     // whether the request sets the threshold
	Held      host.Suspension `json:"held"`
	Lull      host.Lull       `json:"lull"` // before the answer
	// Decided waits for a decision on the log after the answer.
	Decided wire.Wait `json:"decided"`
	After   host.Lull `json:"after"` // a while later
}

// UnsureObservation holds runs of one agent under thresholds above, at and below its
// confidence, at both ends of the range, and under the default.
type UnsureObservation struct {
	Accepted  UnsureRun `json:"accepted"`
	Rejected  UnsureRun `json:"rejected"`
	Defaulted UnsureRun `json:"defaulted"`
	Highest   UnsureRun `json:"highest"`
	At        UnsureRun `json:"at"`
	Under     UnsureRun `json:"under"`
	Lowest    UnsureRun `json:"lowest"`
	// Branched is a branch off the lowest with a threshold above, zero at quick or where it was not made.
	Branched UnsureRun `json:"branched,omitzero"`
}

// unsureAgents runs the agent with low confidence.
var unsureAgents = &scenarios.Drive[UnsureObservation]{
	ID: "openwop/unsure-agents",
	Title: "runs an agent that is 0.5 sure with a random escalationThreshold above that, and accepts; with another, and " +
		"rejects; with none; with 1; with 0.5 itself; with a random one below; and with 0; " +
		"with a sentinel and a window before and after the answers; beyond quick branches off the last with a threshold above, too",
	Sends: []string{"{create run} (conformance-orchestrator-low-confidence) with configurable.escalationThreshold, seven times",
		"{create run} (sentinel)",
		"{answer node}", "{read run}", "{poll log}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *UnsureObservation) {
		h := host.Host{Conn: c}
		if !h.Offers(fixture.Unsure, fixture.Noop) {
			scenarios.End(scenarios.Block("no agent with low confidence is on offer", fixture.Load))
		}
		*o = UnsureObservation{
			Accepted:  UnsureRun{Threshold: unsure + h.Share(1, 500), Asked: true},
			Rejected:  UnsureRun{Threshold: unsure + h.Share(1, 500), Asked: true},
			Defaulted: UnsureRun{Threshold: 0.7},
			Highest:   UnsureRun{Threshold: 1, Asked: true},
			At:        UnsureRun{Threshold: unsure, Asked: true},
			Under:     UnsureRun{Threshold: unsure - h.Share(1, 499), Asked: true},
			Lowest:    UnsureRun{Threshold: 0, Asked: true},
		}
		runs := []unsureRun{
			{UnsureRun: &o.Accepted, answer: accept}, {UnsureRun: &o.Rejected, answer: reject},
			{UnsureRun: &o.Defaulted}, {UnsureRun: &o.Highest}, {UnsureRun: &o.At}, {UnsureRun: &o.Under}, {UnsureRun: &o.Lowest},
		}
		for i := range runs {
			runs[i].run = runs[i].begin(ctx, h)
		}
		answered(ctx, h, runs[:2]...)
		o.branch(ctx, h, runs[len(runs)-1].run)
	},
}

// branch branches off the run with the lowest threshold, where branches are claimed, and lays one above over it.
func (o *UnsureObservation) branch(ctx context.Context, h host.Host, source *host.Run) {
	l := o.Lowest.Held.Log
	if _, claimed := claims.ForkBranch.Look(h.Discovery); h.Depth == scenarios.Quick || !claimed || len(l.Events) == 0 {
		return
	}
	b := UnsureRun{Threshold: unsure + h.Share(1, 500), Asked: true}
	r := h.Adopt(h.Send(ctx, wire.Call{Operation: dialect.ForkRun.Of(source.ID), Label: "branch", Body: dialect.ForkRunRequest{
		Mode: dialect.ForkModeBranch, FromSeq: new(host.Sequence(l.Events[0]) + 1),
		RunOptionsOverlay: &dialect.RunOptions{Configurable: &dialect.Configurable{EscalationThreshold: &b.Threshold}}}}))
	if r.ID == "" {
		return
	}
	b.Held = r.Held(ctx, 1, 0)
	o.Branched = b
}

// unsureRun is a run of the agent, and the answer to give if it is held.
type unsureRun struct {
	*UnsureRun
	answer answering
	run    *host.Run
}

// begin makes the run and follows it until it ends or waits.
func (o *UnsureRun) begin(ctx context.Context, h host.Host) *host.Run {
	request := dialect.CreateRunRequest{WorkflowID: fixture.Unsure}
	if o.Asked {
		request.Configurable = &dialect.Configurable{EscalationThreshold: &o.Threshold}
	}
	r := h.Create(ctx, "create the run of an agent that is not sure", request)
	o.Held = r.Held(ctx, 1, 0)
	return r
}

// answered waits, answers the held runs, follows each until it has
// decided or ended, and waits once more. It ignores the agent's
// later turns: the host may hold them as well.
func answered(ctx context.Context, h host.Host, runs ...unsureRun) {
	var before, after []lulled
	for _, o := range runs {
		if o.Held.Suspended.Reached {
			before = append(before, lulled{o.run, &o.Lull, o.Held.Log})
		}
	}
	lullAll(ctx, h, before...)
	for _, o := range runs {
		if !o.Held.Suspended.Reached {
			continue
		}
		reply := o.answer(ctx, o.run, host.Pending(o.Held.Suspended.Last, o.Held.Log), o.Held.Marker)
		if o.Held.Answered = reply.StatusValue(); !reply.Success() {
			continue
		}
		o.Decided = awaitDecision(ctx, o.run)
		after = append(after, lulled{o.run, &o.After, o.Held.Log})
	}
	lullAll(ctx, h, after...)
}

// awaitDecision waits until the log shows a decision or the run has ended.
func awaitDecision(ctx context.Context, r *host.Run) wire.Wait {
	const what = "the agent has decided, or the run has ended"
	return r.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
		l := r.ReadLog(ctx, "log, until "+what)
		snapshot := r.Snapshot(ctx, what)
		v := snapshot.Value("")
		return v, len(l.Decided().Values) > 0 || host.IsTerminal(v.Key("status").String())
	})
}
