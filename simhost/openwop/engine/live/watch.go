package live

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/openassay/assay/simhost/openwop/engine/event"
)

// feed holds the events of a run that are in its log, and tells those who watch of more.
type feed struct {
	mu      sync.Mutex
	events  []event.Event // by sequence
	ended   bool
	waiting bool
	lost    bool          // no more will come here; the log may have more
	changed chan struct{} // closed at the next change; nil while nobody watches
}

// add tells of events that are in the log now, and of what the run does after them.
func (f *feed) add(events []event.Event, ended, waiting bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.events == nil {
		f.events = slices.Clip(events) // a record that was written stays as it is
	} else {
		f.events = append(f.events, events...)
	}
	f.ended, f.waiting = ended, waiting
	f.tell()
}

// lose tells that no more will come.
func (f *feed) lose() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lost = true
	f.tell()
}

func (f *feed) tell() {
	if f.changed != nil {
		close(f.changed)
		f.changed = nil
	}
}

// glance is what a feed has at a moment.
type glance struct {
	events               []event.Event
	ended, waiting, lost bool
	changed              <-chan struct{}
}

// after is what the feed has above a sequence; -1 is all.
func (f *feed) after(sequence int64) glance {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.changed == nil {
		f.changed = make(chan struct{})
	}
	from := min(max(sequence+1, 0), int64(len(f.events)))
	return glance{slices.Clip(f.events[from:]), f.ended, f.waiting, f.lost, f.changed}
}

// Events returns the events with a sequence above after (-1: all), in order, and whether the run has ended, so that no more
// will come. The caller must not change them.
func (e *Engine) Events(ctx context.Context, runID string, after int64) (events []event.Event, terminal bool, err error) {
	leave, err := e.enter()
	if err != nil {
		return nil, false, err
	}
	defer leave()
	r, err := e.get(ctx, runID)
	if err != nil {
		return nil, false, err
	}
	g := r.feed.after(after)
	return g.events, g.ended, nil
}

// Watch yields the events with a sequence above after (-1: all), in order, as they are appended: first those that are there,
// then those of each append together. It ends after the event that ends the run. An error is yielded last: of ctx,
// ErrClosed, or a refusal where there is no such run. The caller must not change the events.
func (e *Engine) Watch(ctx context.Context, runID string, after int64) iter.Seq2[[]event.Event, error] {
	return func(yield func([]event.Event, error) bool) {
		err := e.follow(ctx, runID, after, func(g glance) (done bool) {
			return len(g.events) > 0 && !yield(g.events, nil)
		})
		if err != nil {
			yield(nil, err)
		}
	}
}

// Await returns once the run has ended or waits for an interrupt to be resolved.
func (e *Engine) Await(ctx context.Context, runID string) error {
	return e.follow(ctx, runID, -1, func(g glance) (done bool) { return g.waiting })
}

// lookAgain is how long to leave a log in peace that failed, before it is looked at again.
const lookAgain = 100 * time.Millisecond

// follow hands what is above after to see, and each change as it comes, until the run has ended or see is done.
func (e *Engine) follow(ctx context.Context, runID string, after int64, see func(glance) (done bool)) error {
	leave, err := e.enter()
	if err != nil {
		return err
	}
	defer leave()
	for {
		r, err := e.get(ctx, runID)
		if err != nil {
			return err
		}
		for lost := false; !lost; {
			g := r.feed.after(after)
			if n := len(g.events); n > 0 {
				after = g.events[n-1].Sequence
			}
			if see(g) || g.ended {
				return nil
			}
			changed, retry := g.changed, (<-chan time.Time)(nil)
			if lost = g.lost; lost {
				// What memory had is not what the log has: look there, but not at once, since it just failed.
				changed, retry = nil, time.After(lookAgain)
			}
			select {
			case <-changed:
			case <-retry:
			case <-ctx.Done():
				return ctx.Err()
			case <-e.ctx.Done():
				return ErrClosed
			}
		}
	}
}
