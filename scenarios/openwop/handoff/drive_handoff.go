package handoff

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// LostObservation is a loop whose first worker does not complete and whose
// second worker does.
type LostObservation struct {
	Way     string `json:"way"`
	Mapped  bool   `json:"mapped"`  // the first worker's output maps to the variable outcome
	Default bool   `json:"default"` // that variable has the workflow's default value, and was not chosen for this run
	Outcome string `json:"outcome"` // initial value of that variable of the parent
	Lost    string `json:"lost"`    // the first worker
	Next    string `json:"next"`    // the second
	Beside  bool   `json:"beside"`  // both are of one decision; else each of its own
	// Running and Cancelled are set if the worker was cancelled: the wait until it
	// was at work, with its snapshot, and the HTTP status of the cancel.
	Running   wire.Wait       `json:"running"`
	Cancelled wire.Value      `json:"cancelled"`
	Log       host.RunLog     `json:"log"` // of the parent
	Children  []host.ChildRun `json:"children"`
	// Asking is another such loop whose worker was cancelled while it asked a person, nil at quick or if no such worker is on offer.
	Asking *LostObservation `json:"asking,omitempty"`
	// Misfit is a loop whose worker is given a plan that is none: a host refuses to make it, or it fails. Zero at quick, or if none is on
	// offer.
	Misfit host.RunLog `json:"misfit,omitzero"`
}

const sendsLost = "{create run} (assay-loop-mapped or assay-loop with a chosen plan, else a scripted loop)"

// failingWorker dispatches a worker that fails.
var failingWorker = &scenarios.Drive[LostObservation]{
	ID:    "openwop/worker-that-fails",
	Title: "runs a loop whose first worker fails and whose second one does not, and reads both",
	Sends: []string{sendsLost, "{read run}", "{poll log}", "{read run:childRunId}", "{poll log:childRunId}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *LostObservation) {
		h := host.Host{Conn: c}
		r, seen := lose(ctx, h, fixture.Fail, fixture.ScriptedFails, fixture.Fail)
		*o = seen
		follow(ctx, r, o)
	},
}

// missingWorker dispatches a worker that does not exist.
var missingWorker = &scenarios.Drive[LostObservation]{
	ID: "openwop/worker-that-is-none",
	Title: "runs a loop whose first worker is a random name that the host cannot know, and whose second one exists; beyond quick also one " +
		"whose worker is given a plan that is none",
	Sends: []string{sendsLost, "{read run}", "{poll log}", "{read run:childRunId}", "{poll log:childRunId}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *LostObservation) {
		h := host.Host{Conn: c}
		r, seen := lose(ctx, h, h.Name("no-such-workflow"), fixture.ScriptedNone)
		*o = seen
		follow(ctx, r, o)
		if ceiling, _ := h.Ceiling(); c.Depth > scenarios.Quick && ceiling > 1 && h.Offers(fixture.Memory, fixture.MemoryOne) {
			misfit := dialect.CreateRunRequest{WorkflowID: fixture.Memory, Inputs: map[string]any{
				"plan":       host.Plan{host.NextWorker(fixture.MemoryOne), host.Terminate(h.Name("done"))},
				"workerPlan": []any{map[string]any{"kind": h.Name("no-such-kind")}},
			}}
			o.Misfit = h.Create(ctx, "create a loop whose worker has a plan that is none", misfit).Finish(ctx, "log of that loop")
		}
	},
}

// stoppedWorker cancels a worker while it waits.
var stoppedWorker = &scenarios.Drive[LostObservation]{
	ID: "openwop/worker-that-is-cancelled",
	Title: "runs a loop whose first worker waits half a minute and whose second one is of the same decision, cancels the first, and " +
		"reads both; beyond quick also with a first worker that asks a person",
	Sends: []string{
		sendsLost, "{read run}", "{poll log}", "{cancel run:childRunId}",
		"{read run:childRunId}", "{poll log:childRunId}",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *LostObservation) {
		h := host.Host{Conn: c}
		h.GoFirst() // the worker does not wait for ever
		r, seen := loseOne(ctx, h, true, fixture.Wait, fixture.ScriptedStops, fixture.Wait)
		*o = seen
		if r.ID == "" {
			follow(ctx, r, o)
			return
		}
		child := worker(ctx, r, &o.Running)
		if !o.Running.Reached {
			o.Log = r.ReadLog(ctx, "log of the loop")
			return
		}
		o.Cancelled = child.Cancel(ctx, h.Name("enough"))
		follow(ctx, r, o)
		o.Asking = stopWhileAsking(ctx, h)
	},
}

// stopWhileAsking runs a loop whose first worker asks a person, and cancels that worker; nil at quick or if none is on offer.
func stopWhileAsking(ctx context.Context, h host.Host) *LostObservation {
	ceiling, _ := h.Ceiling()
	if h.Depth == scenarios.Quick || ceiling < askingTurns || !h.Offers(fixture.Loop, fixture.Noop, fixture.LoopAskUser) {
		return nil
	}
	r, o := loseOne(ctx, h, true, fixture.LoopAskUser, "", fixture.LoopAskUser)
	if r.ID == "" {
		return nil
	}
	child := worker(ctx, r, &o.Running)
	if !o.Running.Reached {
		return nil
	}
	if o.Running = child.AwaitSuspended(ctx, 0); !o.Running.Reached {
		return nil
	}
	o.Cancelled = child.Cancel(ctx, h.Name("enough"))
	follow(ctx, r, &o)
	return &o
}

// outcomeOfScripts is the value of the variable outcome in the loops of the second family.
const outcomeOfScripts = "as-it-was"

// lose is loseOne with a decision for each of the two workers.
func lose(ctx context.Context, h host.Host, worker, script string, needs ...string) (*host.Run, LostObservation) {
	return loseOne(ctx, h, false, worker, script, needs...)
}

// loseOne starts a loop that dispatches the worker, and then one that completes: one with a chosen plan, where both may be of one
// decision, else that script. It ends the drive unless the host offers the fixtures in needs.
func loseOne(ctx context.Context, h host.Host, beside bool, worker, script string, needs ...string) (*host.Run, LostObservation) {
	ceiling, why := h.Ceiling()
	o := LostObservation{Lost: worker, Outcome: h.Marker()}
	_, maps := claims.DispatchMapping.Look(h.Discovery)
	switch {
	case ceiling < 3:
		host.TooFewTurns(why)
		return nil, o
	case !h.Offers(needs...):
		scenarios.End(scenarios.Block("the host does not offer the worker", fixture.Load))
		return nil, o
	case maps && h.Offers(fixture.Mapped, fixture.Echo) && len(needs) > 0:
		o.Way, o.Mapped, o.Next = fixture.Mapped, true, fixture.Echo
	case h.Offers(fixture.Loop, fixture.Noop):
		o.Way, o.Next = fixture.Loop, fixture.Noop
	case host.OffersScripted(h, script):
		way, _ := host.ScriptOf(h, script)
		o.Way, o.Lost, o.Next = script, way.Workers()[0], way.Workers()[1]
		o.Mapped, o.Default, o.Outcome = maps && len(needs) > 0, true, outcomeOfScripts
		return h.Create(ctx, "create the loop", way.Request(nil)), o
	default:
		h.Lacks("the host offers no loop with chosen workers", fixture.Loop)
		return nil, o
	}
	plan := host.Plan{host.NextWorker(worker), host.NextWorker(o.Next)}
	if o.Beside = beside; beside {
		plan = host.Plan{host.NextWorker(worker, o.Next)}
	}
	request := host.Scripted{Fixture: o.Way, Plan: append(plan, host.Terminate(h.Name("done"))), Chosen: true}.Request(nil)
	if o.Mapped {
		request.Inputs["outcome"] = o.Outcome
	}
	r := h.Create(ctx, "create the loop", request)
	return r, o
}

// worker waits until the run names its first child, and notes whether that child is at work.
func worker(ctx context.Context, r *host.Run, running *wire.Wait) *host.Run {
	found, l := r.AwaitChildren(ctx, 1)
	*running = found
	if !found.Reached {
		return nil
	}
	child := r.ChildRun(ctx, host.ChildIDs(l)[0])
	running.What, running.Last = "the child that the run names is at work", child.Created.Value("")
	running.Reached = child.Created.Success() && !host.IsTerminal(running.Last.Key("status").String())
	return child
}

// follow follows the loop to its end and reads its children.
func follow(ctx context.Context, r *host.Run, o *LostObservation) {
	if o.Log = r.Finish(ctx, "log of the loop"); !o.Log.Ended.Reached {
		return
	}
	o.Children = r.ChildRuns(ctx, o.Log, 2)
}
