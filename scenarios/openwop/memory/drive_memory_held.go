package memory

import (
	"context"
	"fmt"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// HeldWorker is a loop whose worker wrote entries, asked a person, and was answered after
// one entry had expired.
type HeldWorker struct {
	Tag     string          `json:"tag"`
	Lasting string          `json:"lasting"` // content of the entry without an expiry
	Long    string          `json:"long"`    // content of the entry that expires in an hour
	Brief   string          `json:"brief"`   // content of the entry that expires after TTL
	TTL     int             `json:"ttlMs" drawn:"true"`
	Found   wire.Wait       `json:"found"` // the loop named its worker
	Worker  host.Suspension `json:"worker"`
	While   host.RunLog     `json:"while"` // of a run that read while the worker was held
	Log     host.RunLog     `json:"log"`   // of the loop
	// Second is a worker that was dispatched when the entry had expired, if there is a workflow for one.
	Second host.ChildRun `json:"second"`
	After  host.RunLog   `json:"after"` // of a run that read after all had ended
	Own    host.RunLog   `json:"own"`   // of the worker
}

// heldWorker holds a worker that has written until one of its entries has expired.
var heldWorker = &scenarios.Drive[HeldWorker]{
	ID: "openwop/held-worker",
	Title: "has a worker write three memory entries and ask a person in its next turn, reads in another run, answers when one entry has " +
		"expired, has another worker read, and reads again",
	Waits: 200 * time.Millisecond,
	Sends: []string{
		"{create run} (assay-loop-memory, and the worker assay-memory-worker)", "{read run}", "{poll log}",
		"{answer node:childRunId}", "{create run} (assay-memory-worker, to read)",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *HeldWorker) {
		h := host.Host{Conn: c}
		requireMemory(h, 3, fixture.Memory)
		*o = holdWorker(ctx, h, 20*time.Millisecond)
		if !o.readsExpired() {
			return
		}
		*o = holdWorker(ctx, h, host.CoarseGrace) // perhaps a clock that ticks once a second
	},
}

// readsExpired reports whether the loop or the later run read the expired entry.
func (o HeldWorker) readsExpired() bool {
	loop, after := recollections{Notes: host.ReadSeen(o.Log, "memory")}, recollections{Notes: host.ReadSeen(o.After, "memory")}
	second, own := recollections{Notes: host.ReadSeen(o.Second.Log, "memory")}, recollections{Notes: host.ReadSeen(o.Own, "memory")}
	first, next := host.Look{Turn: 1, At: host.AtBegin}, host.Look{Turn: 2, At: host.AtBegin}
	return own.has(behind, o.Brief) || second.has(first, o.Brief) || loop.has(next, o.Brief) || after.has(first, o.Brief)
}

// behind is the turn of the worker that begins when it has been answered.
var behind = host.Look{Turn: 3, At: host.AtBegin}

// holdWorker runs the loop and its worker once. grace bounds how late the host's
// clock may be.
func holdWorker(ctx context.Context, h host.Host, grace time.Duration) HeldWorker {
	o := HeldWorker{Tag: tag(h), Lasting: h.Marker(), Long: h.Marker(), Brief: h.Marker(), TTL: h.Between(60, 120)}
	writes := writesIn(1, o.Tag, o.Lasting, o.Long, o.Brief)
	writes[0][1].Memory.TTL, writes[0][2].Memory.TTL = int(time.Hour.Milliseconds()), o.TTL
	plan := h.LoopPlan(3) // it reads once more when nothing has been written since
	plan[1] = host.AskUser("Which way? " + h.Marker())
	then := fixture.Noop
	if h.Offers(fixture.MemoryTwo) {
		then = fixture.MemoryTwo
	}
	r := h.Create(ctx, "create the loop with the worker that asks", remembering(fixture.Memory, o.Tag,
		host.Plan{host.NextWorker(fixture.MemoryOne), host.NextWorker(then), host.Terminate(h.Name("done"))},
		map[string]any{"workerPlan": plan, "workerWrites": writes, "againPlan": h.LoopPlan(1)},
	))
	if r.ID == "" {
		o.Log = r.ReadLog(ctx, "log of the loop")
		return o
	}
	waitOut(ctx, r, &o, grace)
	if !host.Succeeded(o.Worker.Answered) {
		o.Log = r.ReadLog(ctx, "log of the loop")
		return o
	}
	o.Log = r.Finish(ctx, "log of the loop")
	o.Own = h.ChildRun(ctx, o.Worker.Log.RunID).FinishAsChild(ctx)
	for _, id := range runsOfWorkers(o.Log, fixture.MemoryTwo) {
		o.Second.ID = id
		o.Second.Log = h.ChildRun(ctx, id).FinishAsChild(ctx)
	}
	o.After = reader(ctx, h, "when all have ended", o.Tag)
	return o
}

// waitOut answers the worker after its brief entry has expired, even by a clock that is
// late by grace.
func waitOut(ctx context.Context, r *host.Run, o *HeldWorker, grace time.Duration) {
	var found host.RunLog
	if o.Found, found = r.AwaitChildren(ctx, 1); !o.Found.Reached {
		return
	}
	child := r.ChildRun(ctx, host.ChildIDs(found)[0])
	if !child.Created.Success() {
		return
	}
	if o.Worker = child.Held(ctx, 2, 0); !o.Worker.Suspended.Reached {
		return
	}
	o.While = reader(ctx, r.Host, "while the worker is held", o.Tag)
	// The worker wrote the entry before its suspension was seen.
	scenarios.End(wire.Pause(ctx, time.Duration(o.TTL)*time.Millisecond+grace))
	child.Resolves(ctx, &o.Worker)
}

// HeldMemory is a loop that wrote an entry, asked a person, and was answered after
// another run had written as well.
type HeldMemory struct {
	Turns  int             `json:"turns" drawn:"true"`
	Asked  int             `json:"asked" drawn:"true"` // turn that wrote, then asked
	Early  string          `json:"early"`              // written in the first turn
	Own    string          `json:"own"`                // written in the turn that asked
	Theirs string          `json:"theirs"`
	Tag    string          `json:"tag"`
	Held   host.Suspension `json:"held"`
	Writer host.RunLog     `json:"writer"` // the other run
	Reader host.RunLog     `json:"reader"` // a run that read after the writer
	Log    host.RunLog     `json:"log"`
}

// heldMemory lets another run write while a loop waits for a person.
var heldMemory = &scenarios.Drive[HeldMemory]{
	ID:    "openwop/held-memory",
	Title: "holds a loop that writes memory entries by a question in a random turn, has another run write one meanwhile, and answers",
	Sends: []string{
		"{create run} (assay-memory-worker with a random plan; twice more, to write and to read)", "{answer node}",
		"{read run}", "{poll log}",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *HeldMemory) {
		h := host.Host{Conn: c}
		requireMemory(h, 3)
		n := h.TurnsFrom(3)
		*o = HeldMemory{Turns: n, Asked: h.Between(2, n-1), Early: h.Marker(), Own: h.Marker(), Theirs: h.Marker(), Tag: tag(h)}
		p := h.LoopPlan(n)
		p[o.Asked-1] = host.AskUser("Which way? " + h.Marker())
		writes := writesIn(o.Asked, o.Tag, o.Own)
		writes[0] = writesIn(1, o.Tag, o.Early)[0]
		r := h.Create(ctx, "create the loop that asks", remembering(fixture.MemoryOne, o.Tag, p, map[string]any{"writes": writes}))
		if o.Held = r.Held(ctx, o.Asked, 0); !o.Held.Suspended.Reached {
			o.Log = o.Held.Log
			return
		}
		o.Writer = writer(ctx, h, "meanwhile", o.Tag, o.Theirs)
		o.Reader = reader(ctx, h, "meanwhile", o.Tag)
		taken := r.Resolves(ctx, &o.Held)
		if !taken {
			o.Log = r.ReadLog(ctx, "log of the loop that was not answered")
			return
		}
		o.Log = r.Finish(ctx, "log of the loop that was held")
	},
}

// LostWorkers is a loop that wrote an entry, with two workers that wrote one each and
// did not complete.
type LostWorkers struct {
	Tag       string          `json:"tag"`
	Own       string          `json:"own"`       // content of the loop's own entry
	Failed    string          `json:"failed"`    // content of the failing worker's entry
	Cancelled string          `json:"cancelled"` // content of the cancelled worker's entry
	Found     wire.Wait       `json:"found"`     // the loop named both workers
	Running   wire.Wait       `json:"running"`   // the second one was suspended
	Cancel    wire.Value      `json:"cancel"`    // HTTP status
	Log       host.RunLog     `json:"log"`
	Children  []host.ChildRun `json:"children"`
	Reader    host.RunLog     `json:"reader"` // of a run that read after all had ended
}

// lostWorkers lets one worker write and fail, and cancels another one that wrote.
var lostWorkers = &scenarios.Drive[LostWorkers]{
	ID:    "openwop/lost-workers",
	Title: "runs a loop with two workers that write memory entries, of which one fails and one is cancelled, and reads in another run",
	Sends: []string{
		"{create run} (assay-loop-memory, and the workers assay-memory-worker-fails and assay-memory-worker)", "{read run}",
		"{poll log}", "{cancel run:childRunId}", "{create run} (assay-memory-worker, to read)",
	},
	Replies: 30,
	Run: func(ctx context.Context, c *scenarios.Conn, o *LostWorkers) {
		h := host.Host{Conn: c}
		requireMemory(h, 4, fixture.Memory, fixture.MemoryFails)
		*o = LostWorkers{Tag: tag(h), Own: h.Marker(), Failed: h.Marker(), Cancelled: h.Marker()}
		r := h.Create(ctx, "create the loop that loses its workers", remembering(fixture.Memory, o.Tag,
			host.Plan{host.NextWorker(fixture.MemoryFails), host.NextWorker(fixture.MemoryOne), host.NextWorker(fixture.Noop),
				host.Terminate(h.Name("done"))},
			map[string]any{
				"writes":       writesIn(1, o.Tag, o.Own),
				"failsPlan":    host.Plan{host.NextWorker(fixture.Noop), host.NextWorker(fixture.Noop, fixture.Noop)},
				"failsWrites":  writesIn(1, o.Tag, o.Failed),
				"workerPlan":   host.Plan{host.NextWorker(fixture.Noop), host.AskUser("Which way? " + h.Marker()), host.Terminate(h.Name("done"))},
				"workerWrites": writesIn(1, o.Tag, o.Cancelled),
			},
		))
		if r.ID == "" {
			o.Log = r.ReadLog(ctx, "log of the loop")
			return
		}
		cancelSecond(ctx, r, o)
		if o.Log = r.Finish(ctx, "log of the loop"); !o.Log.Ended.Reached {
			return
		}
		o.Children = h.ChildRuns(ctx, o.Log, 3)
		o.Reader = reader(ctx, h, "afterwards", o.Tag)
	},
}

// cancelSecond cancels the second worker.
func cancelSecond(ctx context.Context, r *host.Run, o *LostWorkers) {
	var found host.RunLog
	if o.Found, found = r.AwaitChildren(ctx, 2); !o.Found.Reached {
		return
	}
	child := r.ChildRun(ctx, host.ChildIDs(found)[1])
	if !child.Created.Success() {
		return
	}
	if o.Running = child.AwaitSuspended(ctx, 0); !o.Running.Reached {
		return
	}
	o.Cancel = child.Cancel(ctx, fmt.Sprintf("enough %s", r.Marker()))
}
