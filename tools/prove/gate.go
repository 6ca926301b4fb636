package prove

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// gate keeps a lab from beginning more certifications than the machine can run in time. Hosts and suites go by the clock, so on
// a machine that is busy, with this or with anything else, an honest host looks late. Many hosts wait most of the time and
// others compute, so no fixed number of them is right; how late this process gets its turns says it for all.
type gate struct {
	turns   chan struct{} // a turn is taken by receiving
	running atomic.Int64
	end     context.CancelFunc
	ended   chan struct{}
}

const (
	tick     = 10 * time.Millisecond
	mostLate = 25 * time.Millisecond  // a process that is later than this has enough to do
	pace     = 300 * time.Millisecond // between two changes of the limit: what has begun needs a moment to show
)

// fewest are begun however late the process is: another process may be the cause, and will not wait for us.
var fewest = 2 * int64(runtime.NumCPU())

func newGate() *gate {
	ctx, cancel := context.WithCancel(context.Background())
	g := &gate{turns: make(chan struct{}), end: cancel, ended: make(chan struct{})}
	go g.watch(ctx)
	return g
}

// enter waits for a turn. leave must be called when the certification is over.
func (g *gate) enter(ctx context.Context) (leave func(), err error) {
	select {
	case <-g.turns:
		return func() { g.running.Add(-1) }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (g *gate) close() {
	g.end()
	<-g.ended
}

// watch measures how late each tick comes, and gives a turn to one who waits while fewer run than the limit. The limit grows by
// one while the process is in time and somebody waits, and shrinks by a quarter while it is late.
func (g *gate) watch(ctx context.Context) {
	defer close(g.ended)
	ticks := time.NewTimer(tick)
	defer ticks.Stop()
	var lag time.Duration
	limit, changed := fewest, time.Now()
	for {
		asked := time.Now()
		ticks.Reset(tick)
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
		now := time.Now()
		lag = max(now.Sub(asked)-tick, lag*7/8)
		full := g.running.Load() >= limit
		if now.Sub(changed) >= pace {
			switch {
			case lag > mostLate:
				limit, changed = max(fewest, limit*3/4), now
			case full:
				limit, changed = limit+1, now
			}
		}
		if full {
			continue
		}
		g.running.Add(1) // before it is taken: whoever takes it may be done at once
		select {
		case g.turns <- struct{}{}:
		default: // nobody waits
			g.running.Add(-1)
		}
	}
}
