package prove

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// gate keeps a lab from starting more certifications than the machine can run on time. Hosts and suites depend on the
// clock, so on a busy machine an honest host looks late. Some hosts mostly wait and others compute, so no fixed number
// suits all; the delay of this process's own timer covers both.
type gate struct {
	turns   chan struct{} // receive to take a turn
	running atomic.Int64
	end     context.CancelFunc
	ended   chan struct{}
}

const (
	tick     = 10 * time.Millisecond
	mostLate = 25 * time.Millisecond  // the timer delay of an overloaded process
	pace     = 300 * time.Millisecond // between changes of the limit: the last start must take effect first
)

// fewest is the minimum limit at any delay: another process may be the cause, and will not wait for us.
var fewest = 2 * int64(runtime.NumCPU())

func newGate() *gate {
	ctx, cancel := context.WithCancel(context.Background())
	g := &gate{turns: make(chan struct{}), end: cancel, ended: make(chan struct{})}
	go g.watch(ctx)
	return g
}

// enter waits for a turn. The caller must call leave when the certification is over.
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

// watch measures the delay of each tick, and gives a turn to a waiter while fewer run than the limit. The limit grows
// by one while the process is on time and somebody waits, and shrinks by a quarter while it is late.
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
		g.running.Add(1) // count first: the taker may finish at once
		select {
		case g.turns <- struct{}{}:
		default: // nobody waits
			g.running.Add(-1)
		}
	}
}
