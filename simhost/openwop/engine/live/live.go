package live

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/step"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// liveRun is a run in memory: the fold of its log, and what else is quicker to keep than to make again. Runs that have not
// ended are shared through Engine.live, so that a log has one.
type liveRun struct {
	id   string
	feed feed

	// wakes counts how often the run was woken since a goroutine last began to advance it.
	wakes atomic.Int64

	mu       sync.Mutex
	state    state.State
	tape     *step.Tape
	revision uint64 // of the last record in the log
	length   int    // of the log, in bytes
	pending  bool   // marked so in the log
	lost     bool   // an append failed: what is here is not what the log has
	alarm    *alarm
	courier  *courier // for a child on another host
	thought  thought
}

// waiting tells whether the run is suspended and takes an answer, and does not just pass through a suspension of its source.
func (r *liveRun) waiting() bool {
	return r.state.Waiting() && r.state.Paused == nil && !r.tape.Covers(&r.state)
}

// publish tells of events that are in the log now, and are in the state.
func (r *liveRun) publish(events []event.Event) {
	r.feed.add(events, r.state.Ended(), r.waiting())
}

// get finds a run, in memory or in the log. A run that ended is not among the live ones: its log does not change any more. One that has
// not and was not in memory has been lost there, and is about to be revived.
func (e *Engine) get(ctx context.Context, id string) (*liveRun, error) {
	if !workflow.IsRunID(id) {
		return nil, codes.RunNotFound(id)
	}
	e.mu.Lock()
	r := e.live[id]
	e.mu.Unlock()
	if r == nil {
		r = e.ended.find(id)
	}
	if r != nil {
		return r, nil
	}
	for {
		r, err := e.load(ctx, id)
		switch {
		case err != nil:
			return nil, err
		case r == nil:
			return nil, codes.RunNotFound(id)
		case r.state.Ended():
			e.ended.put(r)
			return r, nil
		}
		if r, err = e.adopt(ctx, r); r != nil || err != nil {
			return r, err
		}
	}
}

// adopt shares a run that was loaded, unless its log went on while it was read: then somebody else had the run, which may
// have ended since and left memory, and what was read must not come back to life. Both results are nil then.
func (e *Engine) adopt(ctx context.Context, r *liveRun) (*liveRun, error) {
	r.mu.Lock() // whoever finds it shared waits until it is known to be good
	defer r.mu.Unlock()
	if other := e.share(r); other != r {
		return other, nil
	}
	newer, err := e.o.Log.Read(ctx, r.id, r.revision)
	if err == nil && len(newer) == 0 {
		return r, nil
	}
	r.lost = true
	r.feed.lose()
	e.drop(r)
	return nil, err
}

// share makes r the run of its id, unless there is one already; it returns the one that is.
func (e *Engine) share(r *liveRun) *liveRun {
	e.mu.Lock()
	defer e.mu.Unlock()
	if other := e.live[r.id]; other != nil {
		return other
	}
	e.live[r.id] = r
	return r
}

// drop forgets a run; the caller has its lock.
func (e *Engine) drop(r *liveRun) {
	r.disarm()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.live[r.id] == r {
		delete(e.live, r.id)
	}
}

// load folds the log of a run; nil where there is none.
func (e *Engine) load(ctx context.Context, id string) (*liveRun, error) {
	entries, err := e.o.Log.Read(ctx, id, 0)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	records, revision, err := decode(id, entries)
	if err != nil {
		return nil, err
	}
	created := createdIn(records[0])
	if created == nil {
		return nil, fmt.Errorf("load run %s: its log does not begin with what it was created from", id)
	}
	p, err := e.programs.program(ctx, created.Definition)
	if err != nil {
		return nil, fmt.Errorf("load run %s: %w", id, err)
	}
	r := &liveRun{id: id, state: state.New(id, p, &e.o.Rules), revision: revision, length: lengthOf(entries), pending: true}
	for _, record := range records {
		if err := r.state.Fold(record); err != nil {
			return nil, fmt.Errorf("load: %w", err)
		}
		r.publish(record.Events)
	}
	if link := created.Fork; link != nil && !r.state.Ended() {
		source, _, err := e.read(ctx, link.RunID)
		if err != nil {
			return nil, fmt.Errorf("load run %s: its source: %w", id, err)
		}
		r.tape = step.NewTape(id, *link, source)
		r.publish(nil)
	}
	return r, nil
}

// read decodes the log of a run. revision is that of its last record.
func (e *Engine) read(ctx context.Context, id string) (records []state.Record, revision uint64, err error) {
	entries, err := e.o.Log.Read(ctx, id, 0)
	if err != nil {
		return nil, 0, err
	}
	return decode(id, entries)
}

func decode(id string, entries []eventlog.Entry) (records []state.Record, revision uint64, err error) {
	records = make([]state.Record, len(entries))
	for i, entry := range entries {
		if records[i], err = state.DecodeRecord(entry.Data); err != nil {
			return nil, 0, fmt.Errorf("read run %s: %w", id, err)
		}
		revision = entry.Revision
	}
	return records, revision, nil
}

func createdIn(r state.Record) *state.Created {
	for _, f := range r.Facts {
		if f.Created != nil {
			return f.Created
		}
	}
	return nil
}

// with runs f on a run, alone.
func (e *Engine) with(ctx context.Context, id string, f func(*liveRun) error) error {
	for {
		r, err := e.get(ctx, id)
		if err != nil {
			return err
		}
		r.mu.Lock()
		if r.lost { // it failed since; the log knows better
			r.mu.Unlock()
			continue
		}
		err = f(r)
		r.mu.Unlock()
		return err
	}
}
