package scenarios

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// Conn is what one drive has in hand: its own transport and transcript, its
// own randomness and name space, and the target's advertisement.
type Conn struct {
	*wire.Client
	Discovery Discovery
	// Rand is the drive's own randomness. Like Name, it is for one goroutine.
	Rand *rand.Rand
	// Patience is how long something may take that must happen.
	Patience time.Duration
	// SeamPrefixes are where the operator says the target's seams live.
	SeamPrefixes []string
	// RealTime has time go by itself, also where the target has a clock that can be advanced.
	RealTime bool

	cleanup *cleanup
	space   string
	who     func(*wire.Client) *wire.Client // whose credential it sends; nil is the target's own
}

// Name makes a name that no other drive and no other certification uses, the
// one that is run again with the same seed included.
func (c *Conn) Name(stem string) string {
	return fmt.Sprintf("%s-%s-%08x", stem, c.space, c.Rand.Uint32())
}

// Other is the same drive as another tenant: what it makes, it undoes itself.
// ok is false where the operator gave no credential of one.
func (c *Conn) Other() (other *Conn, ok bool) { return c.as((*wire.Client).Other) }

// Voter is the same drive as a further principal of the tenant, counted from 0.
// ok is false where the operator gave no credential of so many.
func (c *Conn) Voter(i int) (voter *Conn, ok bool) {
	return c.as(func(c *wire.Client) *wire.Client { return c.Voter(i) })
}

// LowScope is the same drive with a credential that may not answer interrupts.
// ok is false where the operator gave none.
func (c *Conn) LowScope() (low *Conn, ok bool) { return c.as((*wire.Client).LowScope) }

// Second is the same drive with the second host, which the target works with:
// what it makes there, it undoes there. ok is false where the operator named
// none.
func (c *Conn) Second() (second *Conn, ok bool) { return c.as((*wire.Client).Second) }

// as is the drive with the credential of somebody else, if there is one.
func (c *Conn) as(who func(*wire.Client) *wire.Client) (*Conn, bool) {
	client := who(c.Client)
	if client == nil {
		return nil, false
	}
	copied := *c
	copied.Client, copied.who = client, who
	return &copied, true
}

// Leave notes that something was made on the target, and how to undo it. Call
// the returned function when it is gone by itself.
func (c *Conn) Leave(what string, undo func(context.Context, *wire.Client) error) (gone func()) {
	if who := c.who; who != nil {
		ours := undo
		undo = func(ctx context.Context, c *wire.Client) error { return ours(ctx, who(c)) }
	}
	return c.cleanup.add(what, undo)
}

// fewestLooks are what it takes to say that something did not happen in time.
const fewestLooks = 5

// Await looks until it is satisfied or the patience is over, and tells which.
// look returns what it saw, and whether that is it. The pause between looks
// grows from 2 ms to 100 ms, and then to a tenth of what was waited: a fast host
// is not kept waiting, a slow one not hammered. However long it takes, it looks
// a few times: where each look is slow, on a busy machine, over a far network
// or under a rate limit, the time that went by says little about the target.
func (c *Conn) Await(ctx context.Context, what string, look func(context.Context) (seen wire.Value, done bool)) wire.Wait {
	w := wire.Wait{What: what, Patience: c.Patience}
	start := c.Now()
	pause := 2 * time.Millisecond
	before := func() {}
	for {
		once, passed := c.Look(ctx)
		seen, done := look(once)
		before()
		before = passed
		w.Answers++
		w.Last, w.Took = seen, c.Now().Sub(start)
		left := c.Patience - w.Took
		w.Reached = done && (left >= 0 || w.Answers <= fewestLooks)
		switch {
		case done, left <= 0 && w.Answers >= fewestLooks:
			return w
		case left <= 0:
			left = pause
		}
		End(wire.Pause(ctx, min(pause, left)))
		pause = min(pause*3/2, max(100*time.Millisecond, w.Took/10))
	}
}

// Quiet lets a window go by in which something must not happen, and returns how
// long it was: at least 250 ms, and five times the slowest gap of the control
// in which the same kind of thing did happen.
func (c *Conn) Quiet(ctx context.Context, slowest time.Duration) time.Duration {
	const least = 250 * time.Millisecond
	window := max(least, 5*slowest)
	End(wire.Pause(ctx, window))
	return window
}

// AtOnce makes calls concurrently and waits for all of them. What they need of
// Rand and Name is drawn beforehand. Where one ends the drive, the others are
// cancelled; a panic in a call is raised here.
func (c *Conn) AtOnce(ctx context.Context, calls ...func(context.Context)) {
	ends := make([]any, len(calls))
	start := make(chan struct{})
	inside, cancel := context.WithCancel(ctx)
	context.AfterFunc(ctx, cancel) // not when it returns: what a call opened may outlive it
	var all sync.WaitGroup
	for i, call := range calls {
		all.Go(func() {
			defer func() {
				if ends[i] = recover(); ends[i] != nil {
					cancel()
				}
			}()
			<-start // all together, not in the order in which goroutines begin
			call(inside)
		})
	}
	close(start)
	all.Wait()
	if p := gravest(ctx, ends); p != nil {
		panic(p)
	}
}

// gravest is why calls that were made at once ended: a panic before what ends a drive, and that before what came of cancelling.
func gravest(ctx context.Context, ends []any) (worst any) {
	rank := 0
	for _, p := range ends {
		of := 0
		switch p := p.(type) {
		case nil:
		case ended:
			if of = 2; ctx.Err() == nil && errors.Is(p.err, context.Canceled) {
				of = 1
			}
		default:
			of = 3
		}
		if of > rank {
			worst, rank = p, of
		}
	}
	return worst
}

// Do is [wire.Client.Do]; where there is no reply, the drive ends.
func (c *Conn) Do(ctx context.Context, call wire.Call) *wire.Reply {
	return Get(c.Client.Do(ctx, call))
}

// Open is [wire.Client.Open]; where there is no reply, the drive ends.
func (c *Conn) Open(ctx context.Context, call wire.Call) (*wire.Stream, *wire.Reply) {
	return Get2(c.Client.Open(ctx, call))
}

// Listen is [wire.Client.Listen]; where nothing can listen, the drive ends.
func (c *Conn) Listen(ctx context.Context) *wire.Inbox { return Get(c.Client.Listen(ctx)) }

// Spawn is [wire.Client.Spawn]; where the turn cannot be started, the drive ends.
func (c *Conn) Spawn(ctx context.Context, turn wire.Turn) *wire.Ended {
	return Get(c.Client.Spawn(ctx, turn))
}

// ReadFolder is [wire.Client.ReadFolder]; where the folder cannot be read, the drive ends.
func (c *Conn) ReadFolder(label, dir string) *wire.Read { return Get(c.Client.ReadFolder(label, dir)) }

// seedOf derives a drive's randomness from the certification's seed, so that
// one scenario run alone sends what it sent among all others.
func seedOf(seed uint64, drive string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(drive))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// cleanup undoes what drives left on the target, last made first.
type cleanup struct {
	mu   sync.Mutex
	left []*leftover
}

type leftover struct {
	what string
	undo func(context.Context, *wire.Client) error
	gone bool
}

func (c *cleanup) add(what string, undo func(context.Context, *wire.Client) error) func() {
	l := &leftover{what: what, undo: undo}
	c.mu.Lock()
	c.left = append(c.left, l)
	c.mu.Unlock()
	return func() {
		c.mu.Lock()
		l.gone = true
		c.mu.Unlock()
	}
}

// A clean-up takes as long as what it undoes, at the pace of the target. A target that means harm gets no more than that:
// what all of it may take together grows with what there is to undo, and is never more than the certification itself may take.
const (
	cleanupEach    = 250 * time.Millisecond
	cleanupShare   = 40          // of the patience, where that is longer: who has more of it has it here, too
	leastUndo      = time.Second // for one, however little patience is asked for
	mostUnanswered = 2           // in a row; then the target is not asked for more
)

// run undoes everything that is still there and lists what would not go.
func (c *cleanup) run(ctx context.Context, client *wire.Client, o Options) (leftovers []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := slices.DeleteFunc(c.left, func(l *leftover) bool { return l.gone })
	c.left = nil
	one := max(o.Patience/2, leastUndo)
	least := mostUnanswered * one
	ctx, cancel := context.WithTimeout(ctx, max(least, min(least+time.Duration(len(left))*max(cleanupEach, o.Patience/cleanupShare), o.Timeout)))
	defer cancel()
	unanswered := 0
	for _, l := range slices.Backward(left) {
		inTime, err := l.undone(ctx, client, one)
		if err != nil {
			leftovers = append(leftovers, told(l.what+": "+err.Error(), client.Redactor().Clean))
		}
		if unanswered++; inTime {
			unanswered = 0
		}
		if unanswered == mostUnanswered {
			cancel()
		}
	}
	return leftovers
}

// undone undoes, and reports whether that ended within the patience.
func (l *leftover) undone(ctx context.Context, client *wire.Client, patience time.Duration) (inTime bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if ended := Try(func() { err = l.undo(ctx, client) }); ended != nil {
		err = ended
	}
	return ctx.Err() == nil, err
}
