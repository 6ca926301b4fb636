package scenarios

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// cleanup holds what drives left on the target.
type cleanup struct {
	mu   sync.Mutex
	left []*leftover
}

type leftover struct {
	drive string // that left it
	what  string
	undo  func(context.Context, *wire.Client) error
	gone  bool
	err   error // why it could not be undone so far
}

func (c *cleanup) add(drive, what string, undo func(context.Context, *wire.Client) error) func() {
	l := &leftover{drive: drive, what: what, undo: undo}
	c.mu.Lock()
	c.left = append(c.left, l)
	c.mu.Unlock()
	return func() {
		c.mu.Lock()
		l.gone = true
		c.mu.Unlock()
	}
}

// leave forgets what of a drive is left running.
func (c *cleanup) leave(drive string, left []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left = slices.DeleteFunc(c.left, func(l *leftover) bool { return l.drive == drive && slices.Contains(left, l.what) })
}

// The time for the clean-up grows with what there is to undo, so that a slow target gets enough of it, and never
// exceeds that of the certification, so that a hostile one does not get more.
const (
	cleanupEach    = 250 * time.Millisecond
	cleanupShare   = 40          // cleanupEach is at least Patience/cleanupShare
	leastUndo      = time.Second // for one, however small Patience is
	mostUnanswered = 2           // in a row; then the clean-up ends
	firstAgain     = 100 * time.Millisecond
)

// errNotYet is in the error of an undo that may come off a while later.
var errNotYet = errors.New("not yet")

// Undone returns why a reply to an undo does not show that the thing is gone; nil if it does.
func Undone(reply *wire.Reply) error {
	switch {
	case reply.Success(), reply.Status == http.StatusNotFound, reply.Status == http.StatusGone:
		return nil
	case reply.Status == http.StatusTooManyRequests, reply.Status == http.StatusTooEarly, reply.Status == http.StatusRequestTimeout,
		reply.Status >= 500 && reply.Status != http.StatusNotImplemented:
		return fmt.Errorf("HTTP %d: %w", reply.Status, errNotYet)
	}
	return fmt.Errorf("HTTP %d", reply.Status)
}

// run undoes everything, and returns what could not be undone. What one drive made is undone last made first, and that of
// different drives at once. What does not come off yet is tried again as long as there is time.
func (c *cleanup) run(ctx context.Context, client *wire.Client, o Options) (leftovers []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.DeleteFunc(c.left, func(l *leftover) bool { return l.gone })
	c.left = nil
	one := max(o.Patience/2, leastUndo)
	least := mostUnanswered * one
	each := max(cleanupEach, o.Patience/cleanupShare)
	ctx, cancel := context.WithTimeout(ctx, max(least, min(least+time.Duration(len(all))*each, o.Timeout)))
	defer cancel()
	left := slices.Clone(all)
	for pause := firstAgain; ; pause *= 2 {
		undoAll(ctx, client, left, one, o.Workers)
		left = slices.DeleteFunc(left, func(l *leftover) bool { return !errors.Is(l.err, errNotYet) && !errors.Is(l.err, wire.ErrBusy) })
		if len(left) == 0 || wire.Pause(ctx, pause) != nil {
			break
		}
	}
	for _, l := range all {
		if l.err != nil {
			leftovers = append(leftovers, cleaned(l.what+": "+l.err.Error(), client.Redactor().Clean))
		}
	}
	return leftovers
}

// undoAll tries to undo all of it once. It stops when too much is not answered in time.
func undoAll(ctx context.Context, client *wire.Client, left []*leftover, patience time.Duration, workers int) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	byDrive := map[string][]*leftover{}
	for _, l := range left {
		byDrive[l.drive] = append(byDrive[l.drive], l)
	}
	var unanswered atomic.Int32
	turns := make(chan struct{}, max(1, workers))
	var all sync.WaitGroup
	for _, of := range byDrive {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			for _, l := range slices.Backward(of) {
				if l.clean(ctx, client, patience) {
					unanswered.Store(0)
				} else if unanswered.Add(1) >= mostUnanswered {
					cancel()
				}
			}
		})
	}
	all.Wait()
}

// clean tries to undo one thing, and reports whether that ended in time. The time in which a busy target asks to be left alone does
// not count.
func (l *leftover) clean(ctx context.Context, client *wire.Client, patience time.Duration) (inTime bool) {
	ctx, cancel := within(ctx, patience, client.Waited)
	defer cancel()
	if ended := Try(func() { l.err = l.undo(ctx, client) }); ended != nil {
		l.err = ended
	}
	return ctx.Err() == nil
}
