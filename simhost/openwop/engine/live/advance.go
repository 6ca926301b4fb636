package live

import (
	"context"
	"errors"
	"fmt"

	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/step"
)

// wake has a goroutine advance a run, if there is none at it already. Holding the run's lock, or a child's, is fine.
func (e *Engine) wake(r *liveRun) {
	if r.wakes.Add(1) > 1 {
		return // the goroutine at work looks again before it ends
	}
	leave, err := e.enter()
	if err != nil {
		return // closed: the log knows that the run is pending
	}
	done := clock.Working(e.o.Clock)
	go func() {
		defer leave()
		defer done()
		for {
			seen := r.wakes.Load()
			if err := e.advance(e.ctx, r); err != nil {
				e.trouble(r, err)
			}
			if r.wakes.CompareAndSwap(seen, 0) {
				return
			}
		}
	}()
}

// wakeID wakes a run that is in memory. One that is not has ended, or will look by itself when it is loaded.
func (e *Engine) wakeID(id string) {
	e.mu.Lock()
	r := e.live[id]
	e.mu.Unlock()
	if r != nil {
		e.wake(r)
	}
}

// advance takes a run as far as it goes. It lets go of the run between two appends, so that others get at it.
func (e *Engine) advance(ctx context.Context, r *liveRun) error {
	for again := true; again; {
		if e.ctx.Err() != nil {
			return nil
		}
		r.mu.Lock()
		var err error
		again, err = e.advanceOnce(ctx, r)
		r.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// advanceOnce looks after the run's child, or its write, and takes the steps that follow, as one append. again tells whether
// there are more. The caller has the run's lock.
func (e *Engine) advanceOnce(ctx context.Context, r *liveRun) (again bool, err error) {
	if r.lost || r.state.Ended() && r.state.Timed() == nil {
		return false, nil
	}
	if r.state.Paused != nil { // its child goes on by itself, and so does time
		return e.move(r, &step.Move{})
	}
	child, err := children{e}.lookAfterChild(ctx, r)
	wrote := (*state.Wrote)(nil)
	if err == nil {
		wrote, err = e.carryOut(ctx, r)
	}
	if err != nil {
		e.reviveLater(r.id)
		return false, err
	}
	return e.move(r, &step.Move{Seen: step.Seen{Child: child, Wrote: wrote}})
}

// move takes the steps of m and appends them. again tells whether there is more to do now. The caller has the run's lock.
func (e *Engine) move(r *liveRun, m *step.Move) (again bool, err error) {
	e.equip(r, m)
	stopped := r.state.Stop
	w := e.steps(m)
	if err := e.commit(r, m); err != nil {
		return false, err
	}
	if w == step.WaitsForNothing {
		e.finish(r)
		return false, nil
	}
	if parent := r.state.Created.Parent; parent != nil && w == step.WaitsForAnswer {
		e.wakeID(parent.RunID) // which sees that its child waits
	}
	if r.state.Ended() {
		tellOfEnd(e, r)
	}
	e.arm(r, w)
	// A run that is to stop from now on has its child to stop first.
	return w.Short() || r.state.Stop != stopped, nil
}

// steps takes the steps of m. What they want to see of the stores is looked up between two of them.
func (e *Engine) steps(m *step.Move) (w step.Wait) {
	for {
		switch w = m.Run(); w {
		case step.WaitsToLook:
			view, err := e.stores.view(e.ctx, m.S.Viewer(), m.Now)
			m.View, m.Err = &view, err
		case step.WaitsToRead:
			m.Reading, m.Err = e.stores.readFor(e.ctx, m.S)
		case step.WaitsToAsk:
			m.Answered, m.Err = e.stores.ask(e.ctx, m.S)
		default:
			return w
		}
	}
}

func (e *Engine) equip(r *liveRun, m *step.Move) {
	m.S, m.Tape, m.Defers = &r.state, r.tape, m.Answer != nil && e.o.AnswerLag > 0
	m.Host = step.Host{Rules: &e.o.Rules, Now: r.now(e), Draw: e.o.Draw, Loops: e.programs.isLoop, Peers: e.isPeer,
		Attests: e.o.Attests, Thinks: thinks(e, r), Cut: e.o.cut, Change: e.o.Change}
}

// isPeer reports whether a host of this name runs workers for this one.
func (e *Engine) isPeer(name string) bool {
	_, known := e.o.Peers[name]
	return known
}

// commit appends what m added. If that fails, the state in memory is ahead of the log: the run is forgotten, to be loaded
// again.
func (e *Engine) commit(r *liveRun, m *step.Move) (err error) {
	defer func() {
		if err != nil {
			r.lost = true
			r.feed.lose()
			e.drop(r)
			if r.revision > 0 {
				e.reviveLater(r.id)
			}
		}
	}()
	if m.Err != nil {
		return fmt.Errorf("advance run %s: %w", r.id, m.Err)
	}
	if len(m.Record.Events)+len(m.Record.Facts) == 0 {
		return nil
	}
	data, err := m.Record.Encode()
	if err != nil {
		return fmt.Errorf("advance run %s: %w", r.id, err)
	}
	// Whoever asked may have gone; what was begun for them is not left open for that.
	revision, err := e.o.Log.Append(e.ctx, r.id, r.revision, data)
	if err != nil {
		return err
	}
	r.revision, r.length = revision, r.length+len(data)
	r.publish(m.Record.Events)
	e.revived(r.id)
	return nil
}

// finish lets go of a run that ended, and tells its parent. It is kept for those who read it next.
func (e *Engine) finish(r *liveRun) {
	e.keepEnded(r)
	e.drop(r)
	if r.pending {
		e.o.Log.ClearPending(r.id)
	}
	tellOfEnd(e, r)
}

// tellOfEnd has the parent of a run that ended look at it.
func tellOfEnd(e *Engine, r *liveRun) {
	if parent := r.state.Created.Parent; parent != nil {
		e.tellParent(r.id, parent.RunID)
	}
}

// trouble tells of an error in work that nobody waits for. A run that cannot be written any further fails.
func (e *Engine) trouble(r *liveRun, err error) {
	if e.ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, eventlog.ErrClosed)) {
		return
	}
	e.o.OnError(err)
	if !errors.Is(err, eventlog.ErrTooLarge) {
		return
	}
	broken := &state.Stop{Why: state.StopBroken, Error: &event.Error{Code: codes.Internal,
		Message: "the log takes no event of that size"}}
	err = e.with(e.ctx, r.id, func(r *liveRun) error {
		if r.state.Ended() {
			return nil
		}
		_, err := e.move(r, &step.Move{Seen: step.Seen{Stop: broken}})
		return err
	})
	if err != nil {
		e.o.OnError(err)
	}
}
