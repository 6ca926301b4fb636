package eventlog

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/nats-io/nats.go/jetstream"
)

// heardMost is how many names of logs wait for one who follows; of more, that there were more is all that is kept.
const heardMost = 4096

// Appends yields the names of the logs that are appended to, from when the loop begins: all names since the last step
// together, each once, in no order. A step that yields none means that there were too many to name. The sequence ends with the
// loop, when ctx ends, and when the store is closed.
func (s *Store) Appends(ctx context.Context) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		f := &follower{woken: make(chan struct{}, 1)}
		defer s.tails.follow(f)()
		for {
			select {
			case <-f.woken:
			case <-ctx.Done():
				return
			case <-s.closing:
				return
			}
			if !yield(f.take()) {
				return
			}
		}
	}
}

// follower keeps what was appended to until somebody takes it.
type follower struct {
	woken chan struct{}

	mu   sync.Mutex
	logs map[string]struct{}
	many bool
}

func (f *follower) hear(log string) {
	f.mu.Lock()
	switch {
	case f.logs == nil:
		f.logs = map[string]struct{}{log: {}}
	case len(f.logs) < heardMost:
		f.logs[log] = struct{}{}
	default:
		f.many = true
	}
	f.mu.Unlock()
	select {
	case f.woken <- struct{}{}:
	default: // it has yet to take what came before, and will take both
	}
}

func (f *follower) take() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var logs []string
	if !f.many {
		logs = make([]string, 0, len(f.logs))
		for log := range f.logs {
			logs = append(logs, log)
		}
	}
	f.logs, f.many = nil, false
	return logs
}

// follow has f hear of every append until leave is called.
func (t *tails) follow(f *follower) (leave func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.followers == nil {
		t.followers = map[*follower]struct{}{}
	}
	t.followers[f] = struct{}{}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.followers, f)
	}
}

// Latest goes back through the appends to all logs, the last one first, and calls see with the log and the revision of each
// until see returns false. It begins below a revision, 0 for the end. Every append costs one look-up.
func (s *Store) Latest(ctx context.Context, below uint64, see func(log string, revision uint64) (more bool)) error {
	end, err := s.begin()
	if err != nil {
		return fmt.Errorf("read the latest appends: %w", err)
	}
	defer end()
	info, err := s.logs.Info(ctx)
	if err != nil {
		return fmt.Errorf("read the latest appends: %w", s.failed(err))
	}
	last := info.State.LastSeq
	if below > 0 {
		last = min(last, below-1)
	}
	for revision := last; revision >= max(info.State.FirstSeq, 1); revision-- {
		msg, err := s.message(ctx, revision)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read append %d: %w", revision, err)
		}
		if !see(strings.TrimPrefix(msg.Subject, logPrefix), revision) {
			return nil
		}
	}
	return nil
}
