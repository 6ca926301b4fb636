package bounds

import (
	"context"
	"fmt"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// OvertimeObservation is a run that exceeds its bound on time, and one that does
// not. The bound is long enough for a busy machine, and short enough to unmask a
// host that counts in another unit: less than a hundred times the duration of the
// short run.
type OvertimeObservation struct {
	Way   string `json:"way"` // the workflow of Over
	Bound int    `json:"boundMs" drawn:"true"`
	// Over waits for half a minute. Its Ended.Took is measured by our clock from
	// before the request, so it is never shorter than the time the host measured.
	Over   host.RunLog `json:"over"`
	InTime host.RunLog `json:"inTime"`
	Lull   host.Lull   `json:"lull"` // of Over, after its end
	// Replayed is a replay of Over if the host claims replay.
	Replayed host.RunLog `json:"replayed"`
	// Asking waits for a person whom nobody asks, zero if the host offers no such workflow. Its Ended.Took is as that of Over.
	Asking host.Suspension `json:"asking"`
	Paused PausedOvertime  `json:"paused"`
	// Parent is a loop whose worker waits like Over, zero at quick or if no such loop is on offer.
	Parent   host.RunLog      `json:"parent,omitzero"`
	Answered AnsweredOvertime `json:"answered,omitzero"` // zero likewise
}

// PausedOvertime is a run like Over that was paused at once, and that somebody had go on if its time had passed and it had not ended.
type PausedOvertime struct {
	Pause host.Answered `json:"pause"`
	Still wire.Wait     `json:"still"` // until its status is paused
	GoOn  host.Answered `json:"goOn"`  // zero if it had ended before
	Log   host.RunLog   `json:"log"`   // at its end
}

// AnsweredOvertime is a loop that asks twice with the bound of Over. It is answered when more than half of its time has passed, and
// again when all of it has.
type AnsweredOvertime struct {
	First  host.Suspension `json:"first"`
	Second host.Suspension `json:"second"`
	Log    host.RunLog     `json:"log"` // at its end
}

// runOverItsTime makes a run wait longer than its bound on time.
var runOverItsTime = &scenarios.Drive[OvertimeObservation]{
	ID: "openwop/run-over-its-time",
	Title: "runs a wait of half a minute with a random runTimeoutMs between 1.1 and 1.2 seconds, and a short one with up to " +
		"15 seconds; when the first has ended runs a sentinel, " +
		"waits a window, looks at it again and replays it where replay is claimed; with the same bound runs one that waits for " +
		"an answer, and one that is paused and, if it has not ended then, goes on behind all that; beyond quick also a loop whose worker " +
		"waits, and one that is answered in time and asks again",
	Waits: 1500 * time.Millisecond,
	Sends: []string{
		"{create run} (conformance-run-duration-breach, or another that lasts) with configurable.runTimeoutMs",
		"{create run} (conformance-delay, or a run that ends) with a longer one", "{create run} (sentinel)",
		"{create run} (conformance-approval) with configurable.runTimeoutMs", "{pause run}", "{resume run}",
		"{create run} (assay-loop) with configurable.runTimeoutMs, that asks twice", "{answer node}",
		"{fork run} {mode: replay}", "{read run}", "{poll log}",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *OvertimeObservation) {
		h := host.Host{Conn: c}
		short, delay := shortRun(h)
		long := longRun(h)
		*o = OvertimeObservation{Way: long.WorkflowID, Bound: h.Between(1100, overtimeBound)}
		bound := &dialect.Configurable{RunTimeoutMs: new(int64(o.Bound))}
		short.Configurable = &dialect.Configurable{RunTimeoutMs: new(int64(atMost(h, "maxRunDurationMs", 10_000, 15_000)))}
		long.Configurable = bound
		asked := c.Now()
		over := waiting(h, time.Duration(o.Bound)*time.Millisecond).Create(ctx, "create the long run", long)
		paused := h.Create(ctx, "create the long run to be paused", long)
		if paused.ID != "" {
			o.Paused.Pause, o.Paused.Still = paused.PauseIfOffered(ctx, "to pause the long run")
		}
		var asking *host.Run
		if h.Offers(fixture.Approval) {
			asking = waiting(h, time.Duration(o.Bound)*time.Millisecond).Create(ctx, "create the run that nobody answers",
				dialect.CreateRunRequest{WorkflowID: fixture.Approval, Configurable: bound})
			o.Asking = asking.Held(ctx, 1, 0)
		}
		parent := boundedLoop(ctx, h, bound, "create the loop whose worker waits", host.NextWorker(fixture.Wait))
		begun := c.Now()
		answered := boundedLoop(ctx, h, bound, "create the loop that asks twice", host.AskUser(h.Name("topic")), host.AskUser(h.Name("topic")))
		inTime := h.Create(ctx, "create the short run", short)
		o.Answered.first(ctx, answered, begun.Add(o.bound()*6/10))
		o.InTime = inTime.Finish(ctx, "log of the short run")
		o.Over = over.Finish(ctx, "log of the long run")
		if o.Over.Ended.Took = c.Now().Sub(asked); !o.Over.Ended.Reached {
			return
		}
		if asking != nil && o.Asking.Suspended.Reached {
			o.Asking.Log = asking.Finish(ctx, "log of the run that nobody answers")
		}
		if parent != nil {
			o.Parent = parent.Finish(ctx, "log of the loop whose worker waits")
		}
		o.Answered.second(ctx, answered, begun.Add(o.bound()*15/10))
		o.Lull = over.Lull(ctx, host.Scripted{Fixture: short.WorkflowID}, o.InTime.Pace()-delay)
		if _, claimed := claims.BreachReplayInTime.Look(c.Discovery); claimed {
			o.Replayed = replayed(ctx, h, over)
		}
		o.Paused.end(ctx, paused)
	},
}

// boundedLoop starts a loop with this bound that takes the decisions and then terminates. It returns nil at quick, and where the host
// offers no such loop.
func boundedLoop(ctx context.Context, h host.Host, bound *dialect.Configurable, what string, decisions ...any) *host.Run {
	_, loops := claims.ExecutionModel.Look(h.Discovery)
	if ceiling, _ := h.Ceiling(); h.Depth == scenarios.Quick || !loops || ceiling <= len(decisions) || !h.Offers(fixture.Loop, fixture.Wait) {
		return nil
	}
	way := host.Scripted{Fixture: fixture.Loop, Plan: append(decisions, host.Terminate(h.Name("done"))), Chosen: true}
	request := way.Request(nil)
	request.Configurable = bound
	return waiting(h, time.Duration(*bound.RunTimeoutMs)*time.Millisecond).Create(ctx, what, request)
}

// first answers the first question at the given time.
func (a *AnsweredOvertime) first(ctx context.Context, r *host.Run, at time.Time) {
	if r != nil {
		a.First = r.Held(ctx, 1, 1)
		scenarios.End(wire.Pause(ctx, at.Sub(r.Now())))
		r.Resolves(ctx, &a.First)
	}
}

// second answers the second question at the given time, when the run should be over, and follows the run to its end.
func (a *AnsweredOvertime) second(ctx context.Context, r *host.Run, at time.Time) {
	if !host.Succeeded(a.First.Answered) {
		return
	}
	a.Second = r.Held(ctx, 2, 2)
	scenarios.End(wire.Pause(ctx, at.Sub(r.Now())))
	r.Resolves(ctx, &a.Second)
	a.Log = r.Finish(ctx, "log of the loop that asked twice")
}

// end has the paused run go on, unless it has ended, and follows it to its end.
func (p *PausedOvertime) end(ctx context.Context, r *host.Run) {
	if !p.Still.Reached {
		return
	}
	if p.Log = r.Stands(ctx, "the paused run, when its time had passed"); !host.IsTerminal(p.Log.Status().String()) {
		p.GoOn = r.GoOn(ctx, "to have the paused run go on")
	}
	p.Log = r.Finish(ctx, "log of the run that was paused")
}

// waiting returns the host with enough patience for a long run.
func waiting(h host.Host, long time.Duration) host.Host {
	patient := *h.Conn
	patient.Patience += long
	return host.Host{Conn: &patient}
}

// overtimeBound is the longest runTimeoutMs that runOverItsTime asks for.
const overtimeBound = 1200

// longRun requests a run that lasts longer than the bound, and leaves nothing to nobody: upstream's, else one that a control run or the
// operator says lasts.
func longRun(h host.Host) dialect.CreateRunRequest {
	if h.Offers(fixture.Overtime) {
		return dialect.CreateRunRequest{WorkflowID: fixture.Overtime}
	}
	if own, ok := host.Played(h, host.RoleLong); ok {
		return own
	}
	own, ok := host.Find(h, host.Any, host.Lasts)
	if !ok {
		scenarios.End(scenarios.Block("the host offers no workflow that waits, or none that ends soon", host.NameOwn(host.RoleLong)))
	}
	return own.Request()
}

// shortRun requests a run that ends well within a second, and that takes some time
// if the host offers a delay. The requested delay is not held against the host's
// pace.
func shortRun(h host.Host) (request dialect.CreateRunRequest, delay time.Duration) {
	limit, ok := claims.Family(h.Discovery, "limits").Key("maxRunDurationMs").Int()
	switch {
	case ok && limit < overtimeBound:
		scenarios.End(scenarios.Block("the host's own limits.maxRunDurationMs is shorter than the bound that would be asked for",
			fmt.Sprintf("advertise a limits.maxRunDurationMs of at least %d while the host is certified", overtimeBound)))
		return request, 0
	case h.Offers(fixture.Delay):
		ms := h.Between(180, 260)
		return dialect.CreateRunRequest{WorkflowID: fixture.Delay, Inputs: map[string]any{"delayMs": ms}}, time.Duration(ms) * time.Millisecond
	}
	return h.Simple(), 0
}
