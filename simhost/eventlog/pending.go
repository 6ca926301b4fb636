package eventlog

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/nats-io/nats.go/jetstream"
)

// enoughDead is the least number of dead marks that a sweep is worth.
const enoughDead = 1024

// pending is the set of logs that are not finished. It is answered from memory; with files a stream holds one mark a log
// too, so that a restart finds it. Clearing a log only makes its mark dead. When the dead outnumber the living, a sweep
// writes the living anew and drops all that stood before, which is far cheaper than removing each mark on its own.
type pending struct {
	store *Store
	marks jetstream.Stream // nil in memory

	mu   sync.Mutex
	kept *marks            // nil in memory
	live map[string]uint64 // log -> sequence of its mark, or above it; 0 while that is being written
	dead int               // marks in the stream whose log is not live, about
	last uint64            // no acknowledged mark is above it

	sweepDue chan struct{}
}

func (s *Store) openPending(ctx context.Context) (*pending, error) {
	p := &pending{store: s, live: map[string]uint64{}, sweepDue: make(chan struct{}, 1)}
	if s.options.Dir == "" {
		return p, nil
	}
	var err error
	if p.marks, err = openStream(ctx, s.js, s.options.pendingStream()); err != nil {
		return nil, err
	}
	p.last = p.marks.CachedInfo().State.LastSeq
	for log, err := range s.subjects(ctx, pendingStream, pendingPrefix) {
		if err != nil {
			return nil, fmt.Errorf("read the pending marks: %w", err)
		}
		p.live[log] = p.last
	}
	if p.kept, err = newMarks(s.options.Dir, slices.Collect(maps.Keys(p.live)), s.options.SyncAlways); err != nil {
		return nil, err
	}
	return p, nil
}

// release closes the file.
func (p *pending) release() error {
	if p.kept == nil {
		return nil
	}
	return p.kept.close()
}

// MarkPending records that a log is not finished; it returns once that is stored, so call it before the first append. A
// log is marked or not: marking it again changes nothing.
func (s *Store) MarkPending(ctx context.Context, log string) error {
	if err := s.markPending(ctx, log); err != nil {
		return fmt.Errorf("mark log %q as pending: %w", log, err)
	}
	return nil
}

func (s *Store) markPending(ctx context.Context, log string) error {
	end, err := s.begin()
	if err != nil {
		return err
	}
	defer end()
	if err := checkName(log); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.pending.mark(log); err != nil {
		return s.failed(s.whyNot(err))
	}
	return nil
}

// ClearPending takes the mark of a log back, at once for [Store.Pending] and later in the files: after a crash, a log that
// was cleared may be pending again, so who resumes a log must learn from the log itself whether it is finished.
func (s *Store) ClearPending(log string) {
	s.pending.clear(log)
}

// Pending returns the marked logs, sorted. It costs nothing for logs that are not marked.
func (s *Store) Pending(ctx context.Context) ([]string, error) {
	end, err := s.begin()
	if err == nil {
		defer end()
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("list pending logs: %w", err)
	}
	s.pending.mu.Lock()
	defer s.pending.mu.Unlock()
	return slices.Sorted(maps.Keys(s.pending.live)), nil
}

func (p *pending) mark(log string) error {
	if p.marks == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.live[log] = 1
		return nil
	}
	p.mu.Lock()
	seq, marked := p.live[log]
	if !marked {
		p.live[log] = 0
	}
	p.mu.Unlock()
	if seq > 0 {
		return nil
	}
	return p.write(log)
}

// write puts a mark into the stream, in place of the one the log has there, and notes where it stands.
func (p *pending) write(log string) error {
	ack, err := p.store.js.Publish(p.store.writable, pendingPrefix+log, nil)
	p.mu.Lock()
	defer p.mu.Unlock()
	seq, marked := p.live[log]
	switch {
	case err != nil:
		if marked && seq == 0 {
			delete(p.live, log)
		}
		return err
	case marked:
		p.live[log] = max(seq, ack.Sequence)
		if err := p.kept.add(log); err != nil {
			p.store.unwritable(fmt.Errorf("%w (marks: %w)", ErrUnwritable, err))
			return context.Cause(p.store.writable)
		}
	default: // cleared in between
		p.dead++
	}
	p.last = max(p.last, ack.Sequence)
	return nil
}

func (p *pending) clear(log string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	seq, marked := p.live[log]
	if !marked {
		return
	}
	delete(p.live, log)
	if p.kept != nil {
		p.kept.remove(log)
	}
	if seq == 0 || p.marks == nil {
		return // write counts it, or there is nothing to count
	}
	p.dead++
	if p.dead >= enoughDead && p.dead >= len(p.live) {
		select {
		case p.sweepDue <- struct{}{}:
		default:
		}
	}
}

func (p *pending) sweepWhenDue(closing <-chan struct{}) {
	for {
		select {
		case <-p.sweepDue:
			p.sweep()
		case <-closing:
			return
		}
	}
}

// sweep drops the dead marks. It may fail, when the disk is full for one: marks too many are harmless, and the next sweep
// tries again.
func (p *pending) sweep() {
	p.mu.Lock()
	last, dead := p.last, p.dead
	living := slices.Collect(maps.Keys(p.live))
	p.mu.Unlock()
	// Whoever is marked from here on gets a sequence above last.
	for _, log := range living {
		p.mu.Lock()
		seq, marked := p.live[log]
		p.mu.Unlock()
		if !marked || seq > last {
			continue
		}
		if err := p.write(log); err != nil {
			return
		}
	}
	if p.store.options.SyncAlways {
		// A loss of power must not leave a slot whose mark is dropped.
		p.mu.Lock()
		err := p.kept.sync()
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
	if err := p.marks.Purge(p.store.writable, jetstream.WithPurgeSequence(last+1)); err != nil {
		return
	}
	p.mu.Lock()
	p.dead -= dead
	p.mu.Unlock()
}

// settle leaves exactly the living marks in the files.
func (p *pending) settle() {
	if p.dead > 0 {
		p.sweep()
	}
}
