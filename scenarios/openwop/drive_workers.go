package openwop

import (
	"context"
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// ChildRun is a run that another one's log or snapshot names as its child, as
// the host serves it under that id: its log's Created is the HTTP status of reading it.
type ChildRun struct {
	ID  string `json:"id"`
	Log RunLog `json:"log"`
}

// WorkersObservation is a loop with one worker in each turn but the last.
type WorkersObservation struct {
	Way      string     `json:"way"`
	Chosen   bool       `json:"chosen"`   // the workers were chosen at random
	Workers  []string   `json:"workers"`  // one a turn, as planned
	Mapped   bool       `json:"mapped"`   // the fixture maps their output
	Log      RunLog     `json:"log"`      // of the parent
	Children []ChildRun `json:"children"` // in the order in which the parent names them
}

// quickWorkers end by themselves at once.
var quickWorkers = []string{
	fixtureNoop, fixtureHandoffKid, fixtureEcho, fixtureEchoAgain,
	"conformance-dispatch-input-mapping-child", "conformance-dispatch-output-mapping-child",
	"conformance-dispatch-cross-worker-handoff-child-a", "conformance-dispatch-cross-worker-handoff-child-b",
}

// loopOfWorkers hands over to different workers.
var loopOfWorkers = &scenarios.Drive[WorkersObservation]{
	ID:    "openwop/loop-of-workers",
	Title: "runs a loop that hands over to a random worker each turn, another one than in the turn before, and reads its log, its children and their logs",
	Sends: []string{
		"POST /v1/runs (assay-loop with random workers; else conformance-multi-agent-handoff or conformance-orchestrator-dispatch)", "GET /v1/runs/{runId}",
		"GET /v1/runs/{runId}/events/poll", "GET /v1/runs/{childRunId}", "GET /v1/runs/{childRunId}/events/poll",
	},
	Run: func(ctx context.Context, c *scenarios.Conn) (WorkersObservation, error) {
		h := host{c}
		way, err := h.workersLoop()
		if err != nil {
			return WorkersObservation{}, err
		}
		o := WorkersObservation{Way: way.Fixture, Chosen: way.Chosen, Workers: way.workers(), Mapped: way.Fixture == fixtureHandoff}
		r, err := h.create(ctx, "create the loop", way.request(nil))
		if err != nil {
			return o, err
		}
		if o.Log, err = r.finish(ctx, "log of the loop"); err != nil || !o.Log.Ended.Reached {
			return o, err
		}
		o.Children, err = h.childRuns(ctx, o.Log, len(o.Workers))
		return o, err
	},
}

// workersLoop is the strongest way to have a loop with known workers.
func (h host) workersLoop() (scripted, error) {
	pool := slices.DeleteFunc(slices.Clone(quickWorkers), func(w string) bool { return !h.offers(w) })
	ceiling, _ := h.ceiling()
	if !h.offers(fixtureLoop) || len(pool) < 2 || ceiling < 3 {
		return h.loopOf(3, 6, 0)
	}
	var p plan
	last := -1
	for range h.between(3, min(6, ceiling)) - 1 {
		next := h.Rand.IntN(len(pool))
		if next == last {
			next = (next + 1) % len(pool)
		}
		p, last = append(p, nextWorker(pool[next])), next
	}
	return scripted{fixtureLoop, append(p, terminate(h.Name("done"))), true}, nil
}

// workers are those of the plan, turn by turn.
func (s scripted) workers() []string {
	var out []string
	for _, d := range s.Plan {
		if d, ok := d.(openwopv1.NextWorkerDecision); ok {
			out = append(out, d.NextWorkerIds...)
		}
	}
	return out
}

// childIDs are the ids of the runs that a run names as its children: in the
// steps of its handoffs, else in what its dispatch node tells, else in its snapshot.
func childIDs(l RunLog) []string {
	var out []string
	take := func(id string) {
		if id != "" && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	for _, e := range slices.Concat(l.Phase(openwopv1.ChainPhaseDispatchSucceeded).Values, l.OfType(openwopv1.RunEventTypeNodeDispatched).Values) {
		take(e.At("/payload/childRunId").String())
	}
	for _, c := range l.Ended.Last.Key("childRuns").Items() {
		take(firstText(c, c.Key("runId")))
	}
	return out
}

// childRuns reads the runs that a finished run names as its children, but not
// many more than there can be.
func (h host) childRuns(ctx context.Context, l RunLog, planned int) ([]ChildRun, error) {
	var out []ChildRun
	for i, id := range childIDs(l) {
		if i > planned {
			break
		}
		r, err := h.childRun(ctx, id)
		if err != nil {
			return out, err
		}
		c := ChildRun{ID: id}
		if c.Log, err = r.finishAsChild(ctx); err != nil {
			return out, err
		}
		out = append(out, c)
	}
	return out, nil
}

// childRun is a run that another one made. Where the host does not serve it, that shows in its Created.
func (h host) childRun(ctx context.Context, id string) (*run, error) {
	r := &run{host: h, ID: id, gone: func() {}}
	var err error
	r.Created, err = r.snapshot(ctx, "child run")
	return r, err
}

// finishAsChild waits for the end of a run that is served, and reads its log.
func (r *run) finishAsChild(ctx context.Context) (RunLog, error) {
	if r.Created.Success() {
		return r.finish(ctx, "log of the child run")
	}
	return RunLog{RunID: r.ID, Created: r.Created.StatusValue(), ID: r.Created.Value("/runId")}, nil
}

// cancel asks the host to end the run.
func (r *run) cancel(ctx context.Context, reason string) (wire.Value, error) {
	reply, err := r.do(ctx, wire.Call{Method: http.MethodPost, Path: runPath(r.ID) + "/cancel", Label: "cancel", Body: openwopv1.CancelRunRequest{Reason: &reason}})
	if err != nil {
		return wire.Value{}, err
	}
	return reply.StatusValue(), nil
}

// awaitChildren looks at the run until it names so many children, or has ended.
// The log is the one in which they were found.
func (r *run) awaitChildren(ctx context.Context, count int) (wire.Wait, RunLog, error) {
	var l RunLog
	w, err := r.Await(ctx, "the run names the child that it has made", func(ctx context.Context) (wire.Value, bool, error) {
		var err error
		if l, err = r.stands(ctx, "the run, until it names its child"); err != nil {
			return wire.Value{}, false, err
		}
		return l.Ended.Last, len(childIDs(l)) >= count || isTerminal(l.Status().String()), nil
	})
	w.Reached = w.Reached && len(childIDs(l)) >= count
	return w, l, err
}
