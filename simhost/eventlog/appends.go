package eventlog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/nats-io/nats.go/jetstream"
)

// heardMost is how many names of logs wait for one who follows; of more, that there were more is all that is kept.
const heardMost = 4096

// Appends are the names of the logs that are appended to. Stop ends them.
type Appends struct {
	store *Store
	woken chan struct{}

	mu   sync.Mutex
	logs map[string]struct{}
	many bool
}

// Appends hears of every append from now on.
func (s *Store) Appends() *Appends {
	a := &Appends{store: s, woken: make(chan struct{}, 1)}
	s.tails.follow(a)
	return a
}

// Next waits for an append, and returns the names of the logs that were appended to since the last call, each once, in no
// order; none where there were too many to name. ok is false when ctx has ended, or the store is closed.
func (a *Appends) Next(ctx context.Context) (logs []string, ok bool) {
	select {
	case <-a.woken:
		return a.take(), true
	case <-ctx.Done():
	case <-a.store.closing:
	}
	return nil, false
}

// Stop lets go of what was heard; nothing is heard any more.
func (a *Appends) Stop() { a.store.tails.unfollow(a) }

func (a *Appends) hear(log string) {
	a.mu.Lock()
	switch {
	case a.logs == nil:
		a.logs = map[string]struct{}{log: {}}
	case len(a.logs) < heardMost:
		a.logs[log] = struct{}{}
	default:
		a.many = true
	}
	a.mu.Unlock()
	select {
	case a.woken <- struct{}{}:
	default: // it has yet to take what came before, and will take both
	}
}

func (a *Appends) take() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var logs []string
	if !a.many {
		logs = make([]string, 0, len(a.logs))
		for log := range a.logs {
			logs = append(logs, log)
		}
	}
	a.logs, a.many = nil, false
	return logs
}

// follow has a hear of every append.
func (t *tails) follow(a *Appends) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.followers == nil {
		t.followers = map[*Appends]struct{}{}
	}
	t.followers[a] = struct{}{}
}

func (t *tails) unfollow(a *Appends) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.followers, a)
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
		if !see(strings.TrimPrefix(msg.Subject, s.prefix), revision) {
			return nil
		}
	}
	return nil
}
