package live

import (
	"sync"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/step"
)

// unseen are the runs that have ended and whose parents are yet to see it.
type unseen struct {
	mu   sync.Mutex
	runs map[string]bool
}

func (u *unseen) set(runID string, is bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.runs == nil {
		u.runs = map[string]bool{}
	}
	if is {
		u.runs[runID] = true
	} else {
		delete(u.runs, runID)
	}
}

func (u *unseen) has(runID string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.runs[runID]
}

// tellParent has a parent look at its child, which has ended.
func (e *Engine) tellParent(child, parent string) {
	if e.o.ChildLag <= 0 {
		e.wakeID(parent)
		return
	}
	e.unseen.set(child, true)
	e.o.Clock.AfterFunc(e.o.ChildLag, func() {
		e.unseen.set(child, false)
		e.wakeID(parent)
	})
}

// tellLate is tellParent for a child that ended as it was created: its parent is about to look at it anyway.
func tellLate(e *Engine, r *liveRun) {
	if parent := r.state.Created.Parent; parent != nil && e.o.ChildLag > 0 {
		e.tellParent(r.id, parent.RunID)
	}
}

// reportOf is what a parent sees of its child now. The caller has the child's lock.
func (e *Engine) reportOf(child *liveRun) *step.ChildReport {
	report := child.report()
	if e.unseen.has(child.id) {
		report.Status, report.Variables, report.Outputs, report.Err = openwopv1.RunStatusRunning, nil, nil, nil
	}
	return report
}

// goOn has a run go on that was answered.
func (e *Engine) goOn(r *liveRun) {
	if e.o.AnswerLag <= 0 {
		e.wake(r)
		return
	}
	id := r.id
	e.o.Clock.AfterFunc(e.o.AnswerLag, func() { e.wakeID(id) })
}

// thought is what a supervisor is at: the decision, by its place, and when it has made it.
type thought struct {
	decision int
	until    time.Time
}

// thinks returns whether a supervisor is still to make up its mind, which it begins to do when it is first asked; nil where
// that takes no time. The caller has the run's lock.
func thinks(e *Engine, r *liveRun) func(decision int) bool {
	if e.o.TurnTime <= 0 {
		return nil
	}
	return func(decision int) bool {
		now := r.now(e)
		if r.thought.until.IsZero() || r.thought.decision != decision {
			r.thought = thought{decision: decision, until: now.Add(e.o.TurnTime)}
		}
		return now.Before(r.thought.until)
	}
}
