package scenarios

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/openassay/assay/scenarios/mortal"
	"github.com/openassay/assay/scenarios/wire"
)

// Conn is the target as one drive has it: with its own transport, transcript, randomness and name space, and with the
// target's discovery document.
type Conn struct {
	*wire.Client
	Discovery Discovery
	// Rand is the drive's own randomness. Only one goroutine may use it, or Name.
	Rand *Draws
	// Depth selects the ranges of dimensions.
	Depth Depth
	// Most is what the target may be asked for in the whole certification. Drives draw no more than a part of it.
	Most wire.Spent
	// Patience is the time in which something must happen.
	Patience time.Duration
	// MaxPatience bounds the time in which something must happen that seems to be under way.
	MaxPatience time.Duration
	// Pace is that of the target, shared by all drives.
	Pace *Pace
	// Learned is what drives found out about the target, shared by all of them.
	Learned *Learned
	// SeamPrefixes are the prefixes of the target's seams that the operator gave.
	SeamPrefixes []string
	// Roles are workflows of the target's own that the operator named, by role.
	Roles map[string]string
	// Known are sentences that the target is known to violate, and those that are no MUST: what explores goes on where they are.
	Known IDs
	// Mortal is the target as far as it may be killed; nil if it may not.
	Mortal *mortal.Host
	// RealTime tells drives to wait for time to pass, even if the target has a clock seam.
	RealTime bool
	// Round counts the earlier rounds of the drive.
	Round int

	ctx          context.Context // of the drive
	rounds       Rounds          // of drives of the protocol
	declared     []*Dimension
	interactions [][2]*Dimension
	ahead        time.Duration // of the target's clock
	began, ends  time.Time     // when the drive's time began, and when it is over
	idle         *atomic.Int64 // ns of the pauses in CatchUp; nil if nobody counts them
	cleanup      *cleanup
	who          func(*wire.Client) *wire.Client // selects the credential; nil for the first one
}

// Name returns a name that no other drive uses, and no other certification, even with the same seed: the stem, if any,
// and words that the run id chooses.
func (c *Conn) Name(stem string) string {
	name := c.Rand.name()
	if stem == "" {
		return name
	}
	return stem + "-" + name
}

// Label returns the drive's own name, the same on every call. Drives attach it to whatever they create, where the protocol
// has room for it: it shows to which certification their exchanges belong.
func (c *Conn) Label() string { return nameOf(c.Rand.names.run, c.Rand.names.drive, 0) }

// Other returns the drive's connection as another tenant, whose clean-up also uses that credential. ok is false if the
// operator gave no such credential.
func (c *Conn) Other() (other *Conn, ok bool) { return c.as((*wire.Client).Other) }

// Voter returns the drive's connection as a further principal of the tenant, counted from 0. ok is false if the
// operator gave too few credentials.
func (c *Conn) Voter(i int) (voter *Conn, ok bool) {
	return c.as(func(c *wire.Client) *wire.Client { return c.Voter(i) })
}

// LowScope returns the drive's connection with a credential that may not answer interrupts. ok is false if the operator
// gave none.
func (c *Conn) LowScope() (low *Conn, ok bool) { return c.as((*wire.Client).LowScope) }

// Second returns the drive's connection to the second host, which the target works with. What is made there is cleaned
// up there. ok is false if the operator named none.
func (c *Conn) Second() (second *Conn, ok bool) {
	if second, ok = c.as((*wire.Client).Second); ok {
		second.Learned = &Learned{} // it is another target
	}
	return second, ok
}

// as returns the connection with another credential, if there is one.
func (c *Conn) as(who func(*wire.Client) *wire.Client) (*Conn, bool) {
	client := who(c.Client)
	if client == nil {
		return nil, false
	}
	copied := *c
	copied.Client, copied.who = client, who
	return &copied, true
}

// Learn returns the answer to a question about the target, which [Learned] keeps for all drives. find asks, within the time of
// the drive that asks first.
func (c *Conn) Learn(question string, find func(context.Context) string) string {
	return c.Learned.Once(question, func() string { return find(c.ctx) })
}

// Leave notes that something was made on the target, and how to undo it. Call the returned function if it needs no
// clean-up any more.
func (c *Conn) Leave(what string, undo func(context.Context, *wire.Client) error) (gone func()) {
	if who := c.who; who != nil {
		ours := undo
		undo = func(ctx context.Context, c *wire.Client) error { return ours(ctx, who(c)) }
	}
	return c.cleanup.add(c.Transcript().Drive, what, undo)
}

// fewestLooks is the number of looks needed to say that something did not happen in time.
const fewestLooks = 5

// Await calls look until it is done or patience is over, and returns which. look returns what it saw, and whether it is
// done, with a pause between looks (see longer). It looks at least
// [fewestLooks] times: where each look is slow (a busy machine, a far network, a rate limit), the time says little about the target.
func (c *Conn) Await(ctx context.Context, what string, look func(context.Context) (seen wire.Value, done bool)) wire.Wait {
	return c.AwaitWhile(ctx, what, look, nil)
}

// AwaitWhile is like Await, but patience starts again when progress was made: a target that still gets on is not late.
// progress returns a number that grows as the target gets on. It is called when half of the patience is over, and at its
// end. [Options.MaxPatience] bounds the wait.
func (c *Conn) AwaitWhile(ctx context.Context, what string, look func(context.Context) (seen wire.Value, done bool),
	progress func(context.Context) int,
) wire.Wait {
	w := wire.Wait{What: what, Patience: c.Patience}
	start, waited := c.Now(), c.Waited()
	patience, reached := c.Patience, -1 // no progress was measured
	// Measuring progress may take long (a long log over a slow line), and nobody looks meanwhile. So it does not count against the target.
	measured := time.Duration(0)
	measure := func(ctx context.Context) (now int) {
		began := c.Now().Sub(start) - c.Waited()
		now = progress(ctx)
		measured += c.Now().Sub(start) - c.Waited() - began
		return now
	}
	pause := firstPause
	before := func() {}
	for {
		once, passed := c.Look(ctx)
		seen, done := look(once)
		before()
		before = passed
		w.Answers++
		w.Last, w.Took = seen, c.Now().Sub(start)
		left := patience + measured - w.Took + c.Waited() - waited
		w.Reached = done && (left >= 0 || w.Answers <= fewestLooks)
		switch {
		case progress == nil || w.Reached || patience >= c.MaxPatience:
		case reached < 0 && left <= c.Patience/2:
			if reached = measure(once); left <= 0 { // a busy machine slept until after the end
				patience, left = patience+c.Patience/2-left, c.Patience/2
			}
		case left <= 0:
			if now := measure(once); now > reached {
				reached, patience = now, min(w.Took+c.Patience, c.MaxPatience)
				w.Patience, w.Reached, left = patience, done, c.Patience
			}
		}
		switch {
		case done, left <= 0 && w.Answers >= fewestLooks:
			return w
		case left <= 0:
			left = pause
		}
		End(c.Pause(ctx, min(pause, left)))
		pause = longer(pause, w.Took, c.Patience)
	}
}

const firstPause = 2 * time.Millisecond

// longer returns the next pause between looks. Pauses grow to 100 ms, and then to a tenth of the time waited, so that fast hosts are
// not kept waiting and slow ones not hammered; where the target is limited, other drives get their share. They are no more than an
// eighth of the patience: what came in time is seen in time.
func longer(pause, waited, patience time.Duration) time.Duration {
	most := max(firstPause, min(max(100*time.Millisecond, waited/10), patience/8))
	return min(pause*3/2, most)
}

// Quiet waits for a window in which something must not happen, and returns its length: at least 250 ms, and five times
// slowest, the slowest gap of the control.
func (c *Conn) Quiet(ctx context.Context, slowest time.Duration) time.Duration {
	const least = 250 * time.Millisecond
	window := max(least, 5*slowest)
	End(wire.Pause(ctx, window))
	return window
}

// AtOnce makes calls concurrently and waits for all of them. Draw from Rand and Name before. A call that ends the drive
// cancels the others; a panic in a call is raised here.
func (c *Conn) AtOnce(ctx context.Context, calls ...func(context.Context)) {
	ends := make([]any, len(calls))
	start := make(chan struct{})
	inside, cancel := context.WithCancel(ctx)
	context.AfterFunc(ctx, cancel) // not when AtOnce returns: streams that calls opened stay open
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

// gravest returns the panic that matters most: a fault, else the end of a drive, else one that follows from cancelling.
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

// Do is [wire.Client.Do]. Without a reply, the drive ends.
func (c *Conn) Do(ctx context.Context, call wire.Call) *wire.Reply {
	return Get(c.Client.Do(ctx, call))
}

// mostCuts is how often a line may be cut before the answer to one request is there.
const mostCuts = 5

// Open is [wire.Client.Open]. Without a reply, the drive ends. A stream is asked for again where the line is cut before it is there:
// that changes nothing on the target.
func (c *Conn) Open(ctx context.Context, call wire.Call) (*wire.Stream, *wire.Reply) {
	for cut := 0; ; cut++ {
		stream, reply, err := c.Client.Open(ctx, call)
		if cuts := wire.HungUp(err) || errors.Is(err, io.ErrUnexpectedEOF); !cuts || ctx.Err() != nil || cut == mostCuts {
			return Get2(stream, reply, err)
		}
	}
}

// Listen is [wire.Client.Listen]. If it fails, the drive ends.
func (c *Conn) Listen(ctx context.Context) *wire.Inbox { return Get(c.Client.Listen(ctx)) }

// Spawn is [wire.Client.Spawn]. If the turn cannot be started, the drive ends.
func (c *Conn) Spawn(ctx context.Context, turn wire.Turn) *wire.Ended {
	return Get(c.Client.Spawn(ctx, turn))
}

// ReadFolder is [wire.Client.ReadFolder]. If it fails, the drive ends.
func (c *Conn) ReadFolder(label, dir string) *wire.Read { return Get(c.Client.ReadFolder(label, dir)) }
