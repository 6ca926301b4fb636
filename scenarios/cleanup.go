package scenarios

import (
	"context"
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

// The time for the clean-up grows with what there is to undo, so that a slow target gets enough of it, and never
// exceeds that of the certification, so that a hostile one does not get more.
const (
	cleanupEach    = 250 * time.Millisecond
	cleanupShare   = 40          // cleanupEach is at least Patience/cleanupShare
	leastUndo      = time.Second // for one, however small Patience is
	mostUnanswered = 2           // in a row; then the clean-up ends
)

// run undoes everything, and returns what could not be undone. What one drive made is undone last made first, and that of
// different drives at once.
func (c *cleanup) run(ctx context.Context, client *wire.Client, o Options) (leftovers []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := slices.DeleteFunc(c.left, func(l *leftover) bool { return l.gone })
	c.left = nil
	one := max(o.Patience/2, leastUndo)
	least := mostUnanswered * one
	each := max(cleanupEach, o.Patience/cleanupShare)
	ctx, cancel := context.WithTimeout(ctx, max(least, min(least+time.Duration(len(left))*each, o.Timeout)))
	defer cancel()
	var unanswered atomic.Int32
	failed := make([]error, len(left))
	turns := make(chan struct{}, max(1, o.Workers))
	var all sync.WaitGroup
	for _, of := range byDrive(left) {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			for _, i := range slices.Backward(of) {
				inTime, err := left[i].clean(ctx, client, one)
				failed[i] = err
				if inTime {
					unanswered.Store(0)
				} else if unanswered.Add(1) >= mostUnanswered {
					cancel()
				}
			}
		})
	}
	all.Wait()
	for i, err := range failed {
		if err != nil {
			leftovers = append(leftovers, cleaned(left[i].what+": "+err.Error(), client.Redactor().Clean))
		}
	}
	return leftovers
}

// byDrive returns the places in left of what each drive left, in order.
func byDrive(left []*leftover) (drives [][]int) {
	at := map[string]int{}
	for i, l := range left {
		n, known := at[l.drive]
		if !known {
			n, at[l.drive] = len(drives), len(drives)
			drives = append(drives, nil)
		}
		drives[n] = append(drives[n], i)
	}
	return drives
}

// clean undoes one thing, and reports whether that ended in time.
func (l *leftover) clean(ctx context.Context, client *wire.Client, patience time.Duration) (inTime bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if ended := Try(func() { err = l.undo(ctx, client) }); ended != nil {
		err = ended
	}
	return ctx.Err() == nil, err
}
