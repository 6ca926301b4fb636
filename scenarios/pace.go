package scenarios

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// Pace is how slow a target is, as far as that was seen by any drive. Its methods may be called concurrently.
type Pace struct {
	behind, run, turn most
	busy              most // of the turns of a program
}

// Behind is the longest time that a read was seen to be behind another: what one route shows, another may show a while later.
func (p *Pace) Behind() time.Duration { return p.behind.is() }

// SawBehind notes that a read was behind another by that much.
func (p *Pace) SawBehind(by time.Duration) { p.behind.saw(by) }

// Turn is the longest time that a step of a run was seen to take, as with a model that thinks.
func (p *Pace) Turn() time.Duration { return p.turn.is() }

// SawTurn notes that a step took that long.
func (p *Pace) SawTurn(took time.Duration) { p.turn.saw(took) }

// SawProgram notes that a turn of a program took that long, and for how much of that it had a processor.
func (p *Pace) SawProgram(took, busy time.Duration) {
	p.turn.saw(took)
	p.busy.saw(busy)
}

// Beside is how many turns of a program may run at once so that none waits for a processor; 0 where no turn was seen to take time.
func (p *Pace) Beside() int {
	turn, busy := p.turn.is(), p.busy.is()
	if turn == 0 || busy == 0 {
		return 0
	}
	return max(1, int(float64(runtime.NumCPU())*max(1, float64(turn)/float64(busy))))
}

// Run is the longest time that a run of a single step was seen to take.
func (p *Pace) Run() time.Duration { return p.run.is() }

// SawRun notes that a run of a single step took that long.
func (p *Pace) SawRun(took time.Duration) { p.run.saw(took) }

// Paced is how slow a target was found to be, and how patient a certification was with it.
type Paced struct {
	Reply       time.Duration // how long it usually took to reply before anything was driven
	Run         time.Duration // see [Pace.Run]; 0: none was made to find that out
	Turn        time.Duration // see [Pace.Turn]
	Behind      time.Duration // see [Pace.Behind]
	Asked       time.Duration // the patience that was given
	Patience    time.Duration // the patience that followed
	MaxPatience time.Duration // to which it could grow
	Workers     int           // drives that could run at once
}

// findPace has the protocol find out how far behind reads are, as part of the discovery drive. What goes wrong there is no
// answer to any question, and tells nothing.
func (c *Certification) findPace(ctx context.Context, client *wire.Client) {
	ctx, cancel := context.WithTimeout(ctx, min(mostForPace, c.Options.DriveTimeout))
	defer cancel()
	draws := NewDraws(c.Options.Seed, c.RunID.ID, discoveryDrive)
	conn := c.conn(ctx, client, draws, DriveMeta{})
	conn.Patience = min(conn.Patience, paceWithin)
	if c.Options.Resume == nil { // it was measured when its drives were launched
		_ = Try(func() { c.Protocol.Paces(ctx, conn) })
	}
	c.discovery.drawn = draws.noted
	c.Options.Patience = min(c.Options.Patience+3*c.pace.Turn(), c.Options.MaxPatience)
}

// slow is how much longer a drive may take, and so the whole certification, than with a target whose turns take no time: as
// long as the longest loop of any drive, and no longer than the greatest patience.
func (c *Certification) slow() time.Duration {
	const longestLoop = 120 // turns
	return min(longestLoop*c.pace.Turn(), c.Options.MaxPatience)
}

const (
	paceWithin  = 2 * time.Second  // patience while the pace is measured
	mostForPace = 30 * time.Second // bounds the whole measurement
)

func (c *Certification) paced() *Paced {
	_, usual := c.discovery.transcript.ReplyTimes()
	return &Paced{
		Reply: usual, Run: c.pace.Run(), Turn: c.pace.Turn(), Behind: c.pace.Behind(),
		Asked: c.patience, Patience: c.Options.Patience, MaxPatience: c.Options.MaxPatience, Workers: c.Options.Workers,
	}
}

// most is the longest of several times.
type most struct{ ns atomic.Int64 }

func (m *most) is() time.Duration { return time.Duration(m.ns.Load()) }

func (m *most) saw(d time.Duration) {
	for {
		now := m.ns.Load()
		if int64(d) <= now || m.ns.CompareAndSwap(now, int64(d)) {
			return
		}
	}
}

// CatchUp waits until reads can be expected to show all that happened until now. It does not wait for a target whose reads
// were never seen to differ.
func (c *Conn) CatchUp(ctx context.Context) {
	if behind := c.Pace.Behind(); behind > 0 {
		pause := behind + behind/2 // what was seen once may take a little longer the next time
		if c.idle != nil {
			c.idle.Add(int64(pause))
		}
		End(wire.Pause(ctx, pause))
	}
}

// Late is how long a target may take to show everywhere what happened: patience, unless it was never seen to be late.
func (c *Conn) Late() time.Duration {
	const unseen = 2 * time.Second
	return min(c.Patience, max(unseen, 20*c.Pace.Behind()))
}

// UntilShown calls look until it reports that what happened is shown, or [Conn.Late] is over. It looks at least once.
func (c *Conn) UntilShown(ctx context.Context, look func(context.Context) (shown bool)) {
	late := c.Late()
	for began, waited := c.Now(), c.Waited(); !look(ctx) && c.Now().Sub(began)-(c.Waited()-waited) < late; {
		End(wire.Pause(ctx, late/40))
	}
}

// Within returns a context that ends when timeout is over, not counting the time in which requests of the drive were held back.
func (c *Conn) Within(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	return within(ctx, timeout, c.Waited)
}

// within returns a context that ends when timeout is over, not counting what held has grown meanwhile: the time in which
// requests were held back. Its cause is context.DeadlineExceeded then.
func within(ctx context.Context, timeout time.Duration, held func() time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	var timer *time.Timer
	counted := held()
	ready := make(chan struct{})
	timer = time.AfterFunc(timeout, func() {
		<-ready
		if more := held() - counted; more > 0 {
			counted += more
			timer.Reset(more)
			return
		}
		cancel(context.DeadlineExceeded)
	})
	close(ready)
	return ctx, func() { timer.Stop(); cancel(context.Canceled) }
}

// Spare returns by how much something that lasts d may miss it: 5 % of d, and least in any case. A timer and the clock that
// measures it may differ.
func Spare(d, least time.Duration) time.Duration { return max(least, d/20) }
