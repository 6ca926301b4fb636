package run

import (
	"sync"

	"github.com/openassay/assay/simhost/eventlog"
)

// A client reads a run several times once it has ended, and each time it would be folded anew.
const (
	keptRuns  = 64
	keptBytes = 64 << 10 // of the log of one
)

// endedRuns are runs that ended and were read from the log lately; the oldest makes room for the next. What ended does not
// change, so they may be shared.
type endedRuns struct {
	mu   sync.Mutex
	runs map[string]*liveRun
	ids  [keptRuns]string
	next int // place of the oldest
}

func (s *endedRuns) find(id string) *liveRun {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs[id]
}

// put keeps a run whose log is that long, unless it is too long.
func (s *endedRuns) put(r *liveRun, bytes int) {
	if bytes > keptBytes {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs == nil {
		s.runs = make(map[string]*liveRun, keptRuns)
	}
	if s.runs[r.id] != nil {
		return
	}
	delete(s.runs, s.ids[s.next])
	s.runs[r.id], s.ids[s.next] = r, r.id
	s.next = (s.next + 1) % keptRuns
}

func lengthOf(entries []eventlog.Entry) (bytes int) {
	for _, e := range entries {
		bytes += len(e.Data)
	}
	return bytes
}
