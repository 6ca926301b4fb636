package scenarios

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// drive is the future of a drive.
type drive struct {
	meta        DriveMeta
	ask         Question
	transcript  *wire.Transcript
	observation any
	stop        *Stop
	seconds     float64
	drawn       []Draw
	done        chan struct{}

	begun   []byte   // its observation, where it was begun by an earlier certification
	over    bool     // it was ended by an earlier certification
	pending *Pending // it waits for a limit, and is left running
}

// workers returns how many drives may run at once when the soonest reply took that long. Drives spend most of their time waiting
// for replies. Where even the soonest took long, that time goes by on the line and not on the target, so that more of them load
// the target no more than few do without such a line.
func workers(soonest time.Duration) int {
	const near, most = 20 * time.Millisecond, 4
	few := max(12, 2*runtime.NumCPU())
	return few * int(min(max(soonest, near), most*near)) / int(near)
}

// drive runs the drives on a pool, those first that take longest, each when no other runs that it cannot run beside, and when there
// is room for what it reads.
func (c *Certification) drive(ctx context.Context) {
	defer close(c.over)
	var left []*drive
	for _, id := range c.order {
		if d := c.drives[id]; d.over {
			c.conclude(d)
		} else {
			left = append(left, d)
		}
	}
	soonest, reply := c.discovery.transcript.ReplyTimes()
	if workers(soonest) > workers(0) {
		for _, d := range left {
			if d.meta.Excludes == Heavy {
				d.meta.Excludes = ""
			}
		}
	}
	length := func(d *drive) time.Duration {
		if c.kills(d.meta) { // it comes last
			return -1
		}
		return d.meta.Waits + time.Duration(d.meta.Replies)*reply
	}
	slices.SortStableFunc(left, func(a, b *drive) int { return cmp.Compare(length(b), length(a)) })
	running := map[*drive]bool{}
	ended := make(chan *drive)
	for len(left)+len(running) > 0 {
		waiting, most := 0, c.waitingAtOnce()
		for r := range running {
			if r.meta.Waits > 0 {
				waiting++
			}
		}
		next := slices.IndexFunc(left, func(d *drive) bool {
			for r := range running {
				if !d.meta.beside(r.meta) || c.kills(d.meta) || c.kills(r.meta) {
					return false
				}
			}
			return d.meta.Waits == 0 || waiting < most
		})
		switch {
		case ctx.Err() != nil:
			for _, d := range left {
				d.end(ctx, nil, nil, ctx.Err())
			}
			left = nil
		case next >= 0 && len(running) < c.Options.Workers && (len(running) == 0 || !c.network.Crowded()):
			d := left[next]
			left = slices.Delete(left, next, next+1)
			running[d] = true
			go func() {
				c.run(ctx, d)
				ended <- d
			}()
			continue
		}
		if len(running) > 0 {
			delete(running, <-ended)
		}
	}
}

// kills reports whether a drive kills the target, which would end the requests of others.
func (c *Certification) kills(d DriveMeta) bool { return d.Kills && c.Options.Mortal != nil }

// waitingAtOnce returns how many drives that wait for time to pass may run at once. Where the target takes few requests, more would
// hold each other up, and miss what they wait for.
func (c *Certification) waitingAtOnce() int {
	const each = 8 // requests a second
	rate := c.network.Rate()
	if rate == 0 {
		return c.Options.Workers
	}
	return max(1, int(rate/each))
}

// run runs a drive and judges its scenarios.
func (c *Certification) run(ctx context.Context, d *drive) {
	client := c.network.Client(d.meta.ID)
	defer client.Close()
	draws := NewDraws(c.Options.Seed, c.RunID.ID, d.meta.ID)
	if d.begun != nil {
		client.Continue(d.transcript)
		draws.follow(d.drawn)
	}
	d.transcript = client.Transcript()
	if d.meta.Waits > 0 {
		client.GoFirst()
	}
	start := time.Now()
	idle := new(atomic.Int64)
	bounded, cancel := within(ctx, c.timeoutOf(d.meta), c.excused(client, idle))
	defer cancel()
	conn := c.conn(bounded, client, draws, d.meta)
	conn.idle = idle
	conn.began, conn.ends = start, start.Add(c.timeoutOf(d.meta))
	observation, err := guarded(bounded, d, conn)
	if misfit := client.Misfit(); misfit != nil { // also where the drive got along without the reply
		err = misfit
	}
	d.drawn = draws.noted
	d.seconds += time.Since(start).Seconds()
	if wait, is := errors.AsType[*longWait](err); is {
		if c.Options.Launch {
			d.pending = &wait.Pending
			c.cleanup.leave(d.meta.ID, wait.Left)
		}
		err = wait.stop(c.Options.Launch)
	}
	d.end(bounded, c.clean, observation, err)
	c.conclude(d)
}

// timeoutOf returns how long a drive may take: longer where turns take long, whatever the operator gives. That bounds the whole.
func (c *Certification) timeoutOf(d DriveMeta) time.Duration {
	own := d.Timeout
	if own <= 0 || c.hurried { // a drive with a time of its own may take as long as the operator gives, too
		own = max(own, c.Options.DriveTimeout)
	}
	return own + c.stretch
}

// excused returns the time that the deadline of a drive does not count: while its requests were held back, the usual time of its replies,
// and its pauses in CatchUp. Many requests on a slow line take long even if the target is fast.
func (c *Certification) excused(client *wire.Client, idle *atomic.Int64) func() time.Duration {
	_, reply := c.discovery.transcript.ReplyTimes()
	return func() time.Duration {
		slow := time.Duration(client.Transcript().Len())*reply + time.Duration(idle.Load())
		return client.Waited() + min(slow, c.Options.MaxPatience)
	}
}

// conn returns the target as a drive has it. ctx is that of the drive.
func (c *Certification) conn(ctx context.Context, client *wire.Client, draws *Draws, d DriveMeta) *Conn {
	conn := &Conn{
		Client: client, Discovery: c.Discovery, Rand: draws, Depth: c.Options.Depth, rounds: c.rounds,
		declared: d.Dimensions, interactions: d.Interactions,
		Most:     c.Options.Most,
		Patience: c.Options.Patience, MaxPatience: c.Options.MaxPatience,
		SeamPrefixes: c.Options.SeamPrefixes, Roles: c.Options.Roles, RealTime: c.Options.RealTime, Pace: &c.pace,
		Known:   slices.Concat(c.Options.Known, c.Protocol.Ledger.BelowMust()),
		Learned: &c.learned, ctx: ctx, cleanup: &c.cleanup, ahead: c.ahead,
	}
	if d.Kills {
		conn.Mortal = c.Options.Mortal
	}
	return conn
}

// conclude judges the scenarios of a drive. It then keeps only the form of the observation that is written to disk,
// which has the places of values instead of the values: all observations together would take many times the memory of the replies.
func (c *Certification) conclude(d *drive) {
	for _, o := range c.outcomes {
		if o.drive == d {
			c.settle(o)
		}
	}
	if d.observation != nil {
		if raw, err := json.Marshal(d.observation); err == nil { // else writing the report fails, and says why
			d.observation = json.RawMessage(c.network.Redactor().Clean(string(raw)))
		}
	}
	d.transcript.Forget()
}

// guarded runs a drive and turns a panic into an error.
func guarded(ctx context.Context, d *drive, conn *Conn) (observation any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the drive panicked: %v", p)
		}
	}()
	if d.begun != nil {
		return d.continued(ctx, conn)
	}
	return d.ask.run(ctx, conn)
}

// end makes the observation of a drive, or why it stopped, available to outcomes.
func (d *drive) end(ctx context.Context, clean func(string) string, observation any, err error) {
	if d.transcript == nil {
		d.transcript = &wire.Transcript{Drive: d.meta.ID}
	}
	d.observation, d.stop = observation, stopOf(ctx, err)
	if d.stop != nil && clean != nil {
		d.stop.Reason, d.stop.Unblock = cleaned(d.stop.Reason, clean), cleaned(d.stop.Unblock, clean)
	}
	close(d.done)
}
