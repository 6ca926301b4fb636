package host

import (
	"context"
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/wire"
)

// Child is a run that its parent's log names as a child.
type Child struct {
	ID       string     `json:"id"`
	Snapshot wire.Value `json:"snapshot"` // as the host serves it under that id
}

// Children reads every run that the log names as a child.
func (h Host) Children(ctx context.Context, l RunLog) []Child {
	var out []Child
	for _, e := range l.Phase(dialect.ChainPhaseDispatchSucceeded).Values {
		c := Child{ID: e.At("/payload/childRunId").String()}
		if c.ID != "" {
			reply := h.Send(ctx, wire.Call{Operation: dialect.ReadRun.Of(c.ID), Label: "child run"})
			c.Snapshot = reply.Value("")
		}
		out = append(out, c)
	}
	return out
}

// ChildRun is a run that its parent's log or snapshot names as a child. Its log's Created is the HTTP status of
// reading the child by its id.
type ChildRun struct {
	ID  string `json:"id"`
	Log RunLog `json:"log"`
}

// quickWorkers end at once, without help.
var quickWorkers = []string{
	fixture.Noop, fixture.HandoffChild, fixture.Echo, fixture.EchoAgain,
	"conformance-dispatch-input-mapping-child", "conformance-dispatch-output-mapping-child",
	"conformance-dispatch-cross-worker-handoff-child-a", "conformance-dispatch-cross-worker-handoff-child-b",
}

// WorkersLoop returns the strongest loop with known workers that the host offers.
func (h Host) WorkersLoop() Scripted {
	pool := slices.DeleteFunc(slices.Clone(quickWorkers), func(w string) bool { return !h.Offers(w) })
	ceiling, _ := h.Ceiling()
	if !h.Offers(fixture.Loop) || len(pool) < 2 || ceiling < 3 {
		return h.LoopOf(3, 6, 0)
	}
	var p Plan
	last := -1
	for range h.Between(3, min(6, ceiling)) - 1 {
		next := h.Rand.IntN(len(pool))
		if next == last {
			next = (next + 1) % len(pool)
		}
		p, last = append(p, NextWorker(pool[next])), next
	}
	return Scripted{fixture.Loop, append(p, Terminate(h.Name("done"))), true}
}

// Workers returns the plan's workers, turn by turn.
func (s Scripted) Workers() []string {
	var out []string
	for _, d := range s.Decisions() {
		workers, _ := d.(map[string]any)["nextWorkerIds"].([]any)
		for _, w := range workers {
			out = append(out, w.(string))
		}
	}
	return out
}

// ChildIDs returns the ids of a run's children. It reads them from the run's handoff steps, its dispatch events
// and its snapshot.
func ChildIDs(l RunLog) []string {
	var out []string
	take := func(id string) {
		if id != "" && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	for _, e := range slices.Concat(l.Phase(dialect.ChainPhaseDispatchSucceeded).Values, l.OfType(dialect.NodeDispatched).Values) {
		take(e.At("/payload/childRunId").String())
	}
	for _, c := range l.Ended.Last.Key("childRuns").Items() {
		take(FirstText(c, c.Key("runId")))
	}
	return out
}

// ChildRuns reads the children of a finished run. It stops soon after the planned number.
func (h Host) ChildRuns(ctx context.Context, l RunLog, planned int) []ChildRun {
	var out []ChildRun
	for i, id := range ChildIDs(l) {
		if i > planned {
			break
		}
		r := h.ChildRun(ctx, id)
		c := ChildRun{ID: id}
		c.Log = r.FinishAsChild(ctx)
		out = append(out, c)
	}
	return out
}

// ChildRun returns the child run with this id. Created shows whether the host serves it.
func (h Host) ChildRun(ctx context.Context, id string) *Run {
	r := &Run{Host: h, ID: id, Gone: func() {}}
	r.Created = r.Snapshot(ctx, "child run")
	return r
}

// FinishAsChild waits for the run's end and reads its log if the host serves the run.
func (r *Run) FinishAsChild(ctx context.Context) RunLog {
	if r.Created.Success() {
		return r.Finish(ctx, "log of the child run")
	}
	return RunLog{RunID: r.ID, Created: r.Created.StatusValue(), ID: r.Created.Value("/runId")}
}

// ChildServed blocks the judge unless the host serves a child run under the id by which its parent's log names it. status
// is that of the reply.
func ChildServed(j *scenarios.Judge, status wire.Value, id string) {
	if Succeeded(status) {
		return
	}
	reason := "setup failed: the child run " + id + ", which its parent names, is answered HTTP " + status.JSON()
	if code, _ := status.Int(); NotThere(int(code)) || code == http.StatusGone {
		j.Violates(openwop.OWPDSP12, status, reason)
	}
	j.Block(reason, "serve child runs to whoever made their parent")
}

// Cancel asks the host to end the run.
func (r *Run) Cancel(ctx context.Context, reason string) wire.Value {
	reply := r.Send(ctx, wire.Call{Operation: dialect.CancelRun.Of(r.ID), Label: "cancel", Body: dialect.CancelRunRequest{Reason: &reason}})
	return reply.StatusValue()
}

// CancelMany cancels several runs by one request. Not every host offers that.
func CancelMany(ctx context.Context, h Host, label string, ids []string) *wire.Reply {
	return h.Send(ctx, wire.Call{Operation: dialect.CancelRuns.Of(), Body: map[string]any{"runIds": ids}, Label: label})
}

// AwaitChildren waits until the run names count children or has ended. It returns the log that names them.
func (r *Run) AwaitChildren(ctx context.Context, count int) (wire.Wait, RunLog) {
	var l RunLog
	w := r.AwaitWhile(ctx, "the run names the child that it has made", func(ctx context.Context) (wire.Value, bool) {
		l = r.Stands(ctx, "the run, until it names its child")
		return l.Ended.Last, len(ChildIDs(l)) >= count || IsTerminal(l.Status().String())
	}, r.length)
	w.Reached = w.Reached && len(ChildIDs(l)) >= count
	return w, l
}
