package challenge

import (
	"errors"
	"sync"

	"github.com/openassay/assay/scenarios"
)

// ErrInterrupted means that a challenge was ended before all passes were challenged.
var ErrInterrupted = errors.New("interrupted before all passes were challenged")

// Watch follows a challenge while it runs, and ends it. The zero value does neither.
type Watch struct {
	Interrupted <-chan struct{}    // ends the challenge when it is closed
	Progress    func(done, of int) // is called when a pass is challenged, by one goroutine at a time
}

// watched is a challenge that is followed.
type watched struct {
	Watch
	mu       sync.Mutex
	done, of int
}

// over reports whether the challenge was interrupted.
func (w *watched) over() bool {
	select {
	case <-w.Interrupted:
		return true
	default:
		return false
	}
}

// begin counts the passes, and shows the first count.
func (w *watched) begin(passed map[string][]scenarios.Outcome) {
	for _, outcomes := range passed {
		for _, o := range outcomes {
			w.of += len(o.Scenario.Proves)
		}
	}
	w.tell(0)
}

// tell counts n more passes.
func (w *watched) tell(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done += n; w.Progress != nil {
		w.Progress(w.done, w.of)
	}
}
