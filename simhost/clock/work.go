package clock

import (
	"sync"
	"time"
)

// works counts the work under way on what goes by a clock. The zero value counts from 0.
type works struct {
	mu   sync.Mutex
	n    int
	none chan struct{} // closed when n falls to 0; nil where nobody waits for that
}

func (w *works) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n++
}

func (w *works) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.n--; w.n == 0 && w.none != nil {
		close(w.none)
		w.none = nil
	}
}

// wait returns when no work is under way, or after a while all the same: some waits for other machines.
func (w *works) wait(patience time.Duration) {
	w.mu.Lock()
	if w.n == 0 {
		w.mu.Unlock()
		return
	}
	if w.none == nil {
		w.none = make(chan struct{})
	}
	none := w.none
	w.mu.Unlock()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-none:
	case <-timer.C:
	}
}

// Working marks work under way on whatever goes by a clock: a [Skipping] does not jump meanwhile, and [Pass] waits for it. done must
// be called once, when the work has ended or only waits for a timer that is set. Other clocks do not mind.
func Working(c Clock) (done func()) {
	switch c := c.(type) {
	case *Skipping:
		return c.Work()
	case *Manual:
		c.works.begin()
		return c.works.end
	}
	return idle
}

func idle() {}

// patience is how long Pass waits for work that one timer has set going.
const patience = time.Second

// Pass moves a clock ahead timer by timer, and waits in between for what each has set going: so what follows from it is due at a
// time of its own as well. Advance alone would be past that before the work begins.
func Pass(c Moved, d time.Duration) {
	var next func() (time.Time, bool)
	var w *works
	switch c := c.(type) {
	case *Manual:
		next, w = c.Next, &c.works
	case *Skipping:
		defer c.Read()() // it does not jump by itself meanwhile
		next, w = c.Next, &c.works
	default:
		c.Advance(d)
		return
	}
	target := c.Now().Add(d)
	for {
		w.wait(patience)
		due, ok := next()
		if !ok || due.After(target) {
			break
		}
		c.Advance(max(due.Sub(c.Now()), 0))
	}
	c.Advance(max(target.Sub(c.Now()), 0))
	w.wait(patience)
}
