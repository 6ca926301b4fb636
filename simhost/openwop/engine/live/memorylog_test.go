package live

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/openassay/assay/simhost/eventlog"
)

// memoryLog is a log for tests that wants no server. It can be killed: from then on nothing is written any more.
type memoryLog struct {
	mu      sync.Mutex
	logs    map[string][]eventlog.Entry
	pending map[string]bool
	last    uint64
	appends int
	left    int // appends until it is killed, -1: never
	killed  chan struct{}
	full    bool
	max     int // bytes of one append
}

var errKilled = errors.New("the process was killed")

func newMemoryLog() *memoryLog {
	return &memoryLog{logs: map[string][]eventlog.Entry{}, pending: map[string]bool{}, left: -1, max: 8 << 20, killed: make(chan struct{})}
}

// kill lets the log take n more appends.
func (l *memoryLog) kill(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = n
}

func (l *memoryLog) alive() error {
	if l.left != 0 {
		return nil
	}
	select {
	case <-l.killed:
	default:
		close(l.killed)
	}
	return errKilled
}

// survivor is what a new process finds of a killed one.
func (l *memoryLog) survivor() *memoryLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := newMemoryLog()
	s.last = l.last
	for id, entries := range l.logs {
		s.logs[id] = slices.Clone(entries)
	}
	for id := range l.pending {
		s.pending[id] = true
	}
	return s
}

func (l *memoryLog) Append(ctx context.Context, log string, after uint64, data []byte) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := l.alive(); err != nil {
		return 0, err
	}
	if l.full {
		return 0, eventlog.ErrFull
	}
	var last uint64
	if entries := l.logs[log]; len(entries) > 0 {
		last = entries[len(entries)-1].Revision
	}
	if last != after {
		return 0, eventlog.ErrConflict
	}
	if len(data) > l.max {
		return 0, eventlog.ErrTooLarge
	}
	if l.left > 0 {
		l.left--
	}
	l.appends++
	l.last++
	l.logs[log] = append(l.logs[log], eventlog.Entry{Revision: l.last, Data: data})
	return l.last, nil
}

func (l *memoryLog) Read(ctx context.Context, log string, after uint64) ([]eventlog.Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	entries := l.logs[log]
	for len(entries) > 0 && entries[0].Revision <= after {
		entries = entries[1:]
	}
	return slices.Clone(entries), ctx.Err()
}

func (l *memoryLog) Successor(log string) string { return log }

func (l *memoryLog) Each(ctx context.Context, log string, after uint64, see func(eventlog.Entry) error) error {
	entries, err := l.Read(ctx, log, after)
	for i := 0; err == nil && i < len(entries); i++ {
		err = see(entries[i])
	}
	return err
}

func (l *memoryLog) Get(ctx context.Context, log string, revision uint64) (eventlog.Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, entry := range l.logs[log] {
		if entry.Revision == revision {
			return entry, ctx.Err()
		}
	}
	return eventlog.Entry{}, eventlog.ErrNoEntry
}

func (l *memoryLog) MarkPending(ctx context.Context, log string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.alive(); err != nil {
		return err
	}
	l.pending[log] = true
	return ctx.Err()
}

func (l *memoryLog) ClearPending(log string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left != 0 {
		delete(l.pending, log)
	}
}

func (l *memoryLog) Pending(ctx context.Context) (ids []string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id := range l.pending {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids, ctx.Err()
}

// count is how many appends there were to runs.
func (l *memoryLog) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.appends
}
