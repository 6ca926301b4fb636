package openwop

import (
	"context"
	"fmt"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// HeldWorker is a loop whose worker wrote entries, asked, and was answered when
// one of them had expired.
type HeldWorker struct {
	Tag     string     `json:"tag"`
	Lasting string     `json:"lasting"` // content of the entry without an end
	Long    string     `json:"long"`    // of the one that expires in an hour
	Brief   string     `json:"brief"`   // of the one that expires after TTL
	TTL     int        `json:"ttlMs"`
	Found   wire.Wait  `json:"found"` // the loop named its worker
	Worker  Suspension `json:"worker"`
	While   RunLog     `json:"while"` // of a run that read while the worker was held
	Log     RunLog     `json:"log"`   // of the loop
	After   RunLog     `json:"after"` // of a run that read when all had ended
}

// heldWorker holds a worker that has written, until an entry of it has expired.
var heldWorker = &scenarios.Drive[HeldWorker]{
	ID:    "openwop/held-worker",
	Title: "has a worker write three memory entries and ask a person, reads in another run, answers when one entry has expired, and reads again",
	Waits: 200 * time.Millisecond,
	Sends: []string{
		"POST /v1/runs (assay-loop-memory, and the worker assay-memory-worker)", "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll",
		"POST /v1/runs/{childRunId}/interrupts/{nodeId}", "POST /v1/runs (assay-memory-worker, to read)",
	},
	Run: func(ctx context.Context, c *scenarios.Conn) (HeldWorker, error) {
		h := host{c}
		if err := h.offersMemory(3, fixtureMemory); err != nil {
			return HeldWorker{}, err
		}
		o, err := h.holdsWorker(ctx, 20*time.Millisecond)
		if err != nil || !o.outlives() {
			return o, err
		}
		return h.holdsWorker(ctx, coarseGrace) // perhaps its clock ticks once a second
	},
}

// outlives says whether the loop or the run after it read what had expired.
func (o HeldWorker) outlives() bool {
	loop, after := recollections{notes: readSeen(o.Log, "memory")}, recollections{notes: readSeen(o.After, "memory")}
	return loop.has(look{2, atBegin}, o.Brief) || after.has(look{1, atBegin}, o.Brief)
}

// holdsWorker has the loop and its worker run once. grace is what the host's
// clock may be late by.
func (h host) holdsWorker(ctx context.Context, grace time.Duration) (HeldWorker, error) {
	o := HeldWorker{Tag: h.tag(), Lasting: h.marker(), Long: h.marker(), Brief: h.marker(), TTL: h.between(60, 120)}
	writes := writesIn(1, o.Tag, o.Lasting, o.Long, o.Brief)
	writes[0][1].Memory.TTL, writes[0][2].Memory.TTL = int(time.Hour.Milliseconds()), o.TTL
	r, err := h.create(ctx, "create the loop with the worker that asks", remembering(fixtureMemory, o.Tag,
		plan{nextWorker(fixtureMemoryOne), nextWorker(fixtureNoop), terminate(h.Name("done"))},
		map[string]any{"workerPlan": plan{askUser("Which way? " + h.marker()), terminate(h.Name("done"))}, "workerWrites": writes},
	))
	if err != nil {
		return o, err
	}
	if r.ID == "" {
		o.Log, err = r.log(ctx, "log of the loop")
		return o, err
	}
	if err := r.waitOut(ctx, &o, grace); err != nil {
		return o, err
	}
	if !succeeded(o.Worker.Answered) {
		o.Log, err = r.log(ctx, "log of the loop")
		return o, err
	}
	if o.Log, err = r.finish(ctx, "log of the loop"); err != nil {
		return o, err
	}
	o.After, err = h.reader(ctx, "when all have ended", o.Tag)
	return o, err
}

// waitOut answers the worker when its brief entry has expired by a clock that is
// late by grace.
func (r *run) waitOut(ctx context.Context, o *HeldWorker, grace time.Duration) (err error) {
	var found RunLog
	if o.Found, found, err = r.awaitChildren(ctx, 1); err != nil || !o.Found.Reached {
		return err
	}
	child, err := r.childRun(ctx, childIDs(found)[0])
	if err != nil || !child.Created.Success() {
		return err
	}
	if o.Worker, err = child.held(ctx, 1, 0); err != nil || !o.Worker.Suspended.Reached {
		return err
	}
	if o.While, err = r.reader(ctx, "while the worker is held", o.Tag); err != nil {
		return err
	}
	// It was written before the worker was seen to be suspended.
	if err := wire.Pause(ctx, time.Duration(o.TTL)*time.Millisecond+grace); err != nil {
		return err
	}
	_, err = child.resolves(ctx, &o.Worker)
	return err
}

// HeldMemory is a loop that wrote an entry and asked, and was answered when
// another run had written as well.
type HeldMemory struct {
	Turns  int        `json:"turns"`
	Asked  int        `json:"asked"` // the turn that asked, and wrote before it did
	Early  string     `json:"early"` // written in the first turn
	Own    string     `json:"own"`   // written in the turn that asked
	Theirs string     `json:"theirs"`
	Tag    string     `json:"tag"`
	Held   Suspension `json:"held"`
	Writer RunLog     `json:"writer"` // the other run
	Reader RunLog     `json:"reader"` // a run that read after that
	Log    RunLog     `json:"log"`
}

// heldMemory has another run write while a loop waits for a person.
var heldMemory = &scenarios.Drive[HeldMemory]{
	ID:    "openwop/held-memory",
	Title: "holds a loop that writes memory entries by a question in a random turn, has another run write one meanwhile, and answers",
	Sends: []string{
		"POST /v1/runs (assay-memory-worker with a random plan; twice more, to write and to read)", "POST /v1/runs/{runId}/interrupts/{nodeId}",
		"GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll",
	},
	Run: func(ctx context.Context, c *scenarios.Conn) (HeldMemory, error) {
		h := host{c}
		if err := h.offersMemory(3); err != nil {
			return HeldMemory{}, err
		}
		n, err := h.turnsFrom(3)
		if err != nil {
			return HeldMemory{}, err
		}
		o := HeldMemory{Turns: n, Asked: h.between(2, n-1), Early: h.marker(), Own: h.marker(), Theirs: h.marker(), Tag: h.tag()}
		p := h.loopPlan(n)
		p[o.Asked-1] = askUser("Which way? " + h.marker())
		writes := writesIn(o.Asked, o.Tag, o.Own)
		writes[0] = writesIn(1, o.Tag, o.Early)[0]
		r, err := h.create(ctx, "create the loop that asks", remembering(fixtureMemoryOne, o.Tag, p, map[string]any{"writes": writes}))
		if err != nil {
			return o, err
		}
		if o.Held, err = r.held(ctx, o.Asked, 0); err != nil || !o.Held.Suspended.Reached {
			o.Log = o.Held.Log
			return o, err
		}
		if o.Writer, err = h.writer(ctx, "meanwhile", o.Tag, o.Theirs); err != nil {
			return o, err
		}
		if o.Reader, err = h.reader(ctx, "meanwhile", o.Tag); err != nil {
			return o, err
		}
		taken, err := r.resolves(ctx, &o.Held)
		if err != nil {
			return o, err
		}
		if !taken {
			o.Log, err = r.log(ctx, "log of the loop that was not answered")
			return o, err
		}
		o.Log, err = r.finish(ctx, "log of the loop that was held")
		return o, err
	},
}

// LostWorkers is a loop that wrote an entry, and whose workers wrote one each and
// did not complete.
type LostWorkers struct {
	Tag       string     `json:"tag"`
	Own       string     `json:"own"`       // content of the loop's own entry
	Failed    string     `json:"failed"`    // of that of the worker that fails
	Cancelled string     `json:"cancelled"` // of that of the one that is cancelled
	Found     wire.Wait  `json:"found"`     // the loop named both workers
	Running   wire.Wait  `json:"running"`   // the second one was suspended
	Cancel    wire.Value `json:"cancel"`    // HTTP status
	Log       RunLog     `json:"log"`
	Children  []ChildRun `json:"children"`
	Reader    RunLog     `json:"reader"` // of a run that read afterwards
}

// lostWorkers has one worker that wrote fail, and another be cancelled.
var lostWorkers = &scenarios.Drive[LostWorkers]{
	ID:    "openwop/lost-workers",
	Title: "runs a loop with two workers that write memory entries, of which one fails and one is cancelled, and reads in another run",
	Sends: []string{
		"POST /v1/runs (assay-loop-memory, and the workers assay-memory-worker-fails and assay-memory-worker)", "GET /v1/runs/{runId}",
		"GET /v1/runs/{runId}/events/poll", "POST /v1/runs/{childRunId}/cancel", "POST /v1/runs (assay-memory-worker, to read)",
	},
	Run: func(ctx context.Context, c *scenarios.Conn) (LostWorkers, error) {
		h := host{c}
		if err := h.offersMemory(4, fixtureMemory, fixtureMemoryFails); err != nil {
			return LostWorkers{}, err
		}
		o := LostWorkers{Tag: h.tag(), Own: h.marker(), Failed: h.marker(), Cancelled: h.marker()}
		r, err := h.create(ctx, "create the loop that loses its workers", remembering(fixtureMemory, o.Tag,
			plan{nextWorker(fixtureMemoryFails), nextWorker(fixtureMemoryOne), nextWorker(fixtureNoop), terminate(h.Name("done"))},
			map[string]any{
				"writes":       writesIn(1, o.Tag, o.Own),
				"failsPlan":    plan{nextWorker(fixtureNoop), nextWorker(fixtureNoop, fixtureNoop)},
				"failsWrites":  writesIn(1, o.Tag, o.Failed),
				"workerPlan":   plan{nextWorker(fixtureNoop), askUser("Which way? " + h.marker()), terminate(h.Name("done"))},
				"workerWrites": writesIn(1, o.Tag, o.Cancelled),
			},
		))
		if err != nil {
			return o, err
		}
		if r.ID == "" {
			o.Log, err = r.log(ctx, "log of the loop")
			return o, err
		}
		if err := r.lose(ctx, &o); err != nil {
			return o, err
		}
		if o.Log, err = r.finish(ctx, "log of the loop"); err != nil || !o.Log.Ended.Reached {
			return o, err
		}
		if o.Children, err = h.childRuns(ctx, o.Log, 3); err != nil {
			return o, err
		}
		o.Reader, err = h.reader(ctx, "afterwards", o.Tag)
		return o, err
	},
}

// lose cancels the second worker.
func (r *run) lose(ctx context.Context, o *LostWorkers) (err error) {
	var found RunLog
	if o.Found, found, err = r.awaitChildren(ctx, 2); err != nil || !o.Found.Reached {
		return err
	}
	child, err := r.childRun(ctx, childIDs(found)[1])
	if err != nil || !child.Created.Success() {
		return err
	}
	if o.Running, err = child.suspended(ctx, 0); err != nil || !o.Running.Reached {
		return err
	}
	o.Cancel, err = child.cancel(ctx, fmt.Sprintf("assay: enough %s", r.marker()))
	return err
}
