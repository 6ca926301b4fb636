package bounds

import (
	"context"
	"fmt"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// OvertimeObservation is a run that takes longer than it may, and one that does
// not: its bound is so long that no busy machine makes it late, and less than
// a hundred times what it takes, for a host that counts in another unit.
type OvertimeObservation struct {
	Bound int `json:"boundMs"`
	// Over waits for half a minute. Its Ended.Took is by our clock, from before
	// it was asked for: never shorter than what the host has to let pass.
	Over   host.RunLog `json:"over"`
	InTime host.RunLog `json:"inTime"`
	Lull   host.Lull   `json:"lull"` // of Over, after its end
	// Replayed is a replay of Over, where the host claims to replay.
	Replayed host.RunLog `json:"replayed"`
}

// runOverItsTime has a run wait for longer than its bound on time.
var runOverItsTime = &scenarios.Drive[OvertimeObservation]{
	ID: "openwop/run-over-its-time",
	Title: "runs a wait of half a minute with a random runTimeoutMs between 1.1 and 1.2 seconds, and a short one with up to " +
		"15 seconds; when the first has ended runs a sentinel, " +
		"waits a window, looks at it again and replays it where replay is claimed",
	Waits: 1500 * time.Millisecond,
	Sends: []string{
		"{create run} (conformance-run-duration-breach) with configurable.runTimeoutMs",
		"{create run} (conformance-delay or conformance-noop) with a longer one", "{create run} (sentinel)",
		"{fork run} {mode: replay}", "{read run}", "{poll log}",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *OvertimeObservation) {
		h := host.Host{Conn: c}
		short, delay := shortRun(h)
		*o = OvertimeObservation{Bound: h.Between(1100, overtimeBound)}
		bound := &dialect.Configurable{RunTimeoutMs: new(int64(o.Bound))}
		short.Configurable = &dialect.Configurable{RunTimeoutMs: new(int64(atMost(h, "maxRunDurationMs", 10_000, 15_000)))}
		asked := c.Now()
		over := waiting(h, time.Duration(o.Bound)*time.Millisecond).Create(ctx, "create the long run",
			dialect.CreateRunRequest{WorkflowID: fixture.Overtime, Configurable: bound})
		inTime := h.Create(ctx, "create the short run", short)
		o.InTime = inTime.Finish(ctx, "log of the short run")
		o.Over = over.Finish(ctx, "log of the long run")
		if o.Over.Ended.Took = c.Now().Sub(asked); !o.Over.Ended.Reached {
			return
		}
		o.Lull = over.Lull(ctx, host.Scripted{Fixture: short.WorkflowID}, o.InTime.Pace()-delay)
		if _, claimed := claims.BreachReplayInTime.Look(c.Discovery); claimed {
			o.Replayed = replayed(ctx, h, over)
		}
	},
}

// waiting is the host with more patience, for what must take so long.
func waiting(h host.Host, long time.Duration) host.Host {
	patient := *h.Conn
	patient.Patience += long
	return host.Host{Conn: &patient}
}

// overtimeBound is the longest runTimeoutMs that runOverItsTime asks for.
const overtimeBound = 1200

// shortRun is a run that ends well before any bound of a second, and takes some
// time where the host can be told to. delay is how long it is told to wait: that
// long a gap in its log does not make the host a slow one.
func shortRun(h host.Host) (request dialect.CreateRunRequest, delay time.Duration) {
	limit, ok := claims.Family(h.Discovery, "limits").Key("maxRunDurationMs").Int()
	switch {
	case ok && limit < overtimeBound:
		scenarios.End(scenarios.Block("the host's own limits.maxRunDurationMs is shorter than the bound that would be asked for",
			fmt.Sprintf("advertise a limits.maxRunDurationMs of at least %d while the host is certified", overtimeBound)))
		return request, 0
	case h.Offers(fixture.Overtime, fixture.Delay):
		ms := h.Between(180, 260)
		return dialect.CreateRunRequest{WorkflowID: fixture.Delay, Inputs: map[string]any{"delayMs": ms}}, time.Duration(ms) * time.Millisecond
	case h.Offers(fixture.Overtime, fixture.Noop):
		return dialect.CreateRunRequest{WorkflowID: fixture.Noop}, 0
	}
	scenarios.End(scenarios.Block("no workflow that waits is on offer, or none that does not", fixture.Load))
	return request, 0
}
