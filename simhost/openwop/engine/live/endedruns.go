package live

import (
	"sync"

	"github.com/openassay/assay/simhost/eventlog"
)

// A client reads a run several times once it has ended, and each time it would be folded anew.
const (
	keptRuns  = 256
	keptBytes = 4 << 20 // of the logs of all of them
	keptOne   = 1 << 20 // of the log of one
)

// endedRuns are runs that ended, or were read from the log after that, lately; the oldest make room for the next. What ended
// does not change, so they may be shared.
type endedRuns struct {
	mu    sync.Mutex
	runs  map[string]*liveRun
	order []*liveRun // the oldest first
	bytes int        // of their logs
}

func (s *endedRuns) find(id string) *liveRun {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs[id]
}

// put keeps a run, unless its log is too long.
func (s *endedRuns) put(r *liveRun) {
	if r.length > keptOne {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs == nil {
		s.runs = map[string]*liveRun{}
	}
	if s.runs[r.id] != nil {
		return
	}
	s.runs[r.id], s.order, s.bytes = r, append(s.order, r), s.bytes+r.length
	for len(s.order) > keptRuns || s.bytes > keptBytes {
		oldest := s.order[0]
		delete(s.runs, oldest.id)
		s.order[0] = nil // the array is still there
		s.order, s.bytes = s.order[1:], s.bytes-oldest.length
	}
}

// keepEnded keeps a run that ended here. Its log would give the same again. The caller has its lock.
func (e *Engine) keepEnded(r *liveRun) {
	r.tape = nil // it holds the whole log of the source, and covers nothing any more
	e.ended.put(r)
}

func lengthOf(entries []eventlog.Entry) (bytes int) {
	for _, e := range entries {
		bytes += len(e.Data)
	}
	return bytes
}
