package host

import (
	"context"
	"fmt"
	"time"

	"github.com/openassay/assay/scenarios"
)

// Paces finds out how long a turn takes, by a start in an empty state. A turn that does not end says nothing about that: it may hang.
func Paces(ctx context.Context, c *scenarios.Conn) {
	p := Open(ctx, c, &Turns{})
	limit := hang * p.Patience
	if p.limitsTurns() {
		limit = min(limit, p.Deadline())
	}
	t, _ := p.Turn(ctx, Job{
		Name: "a start, to see how long a turn takes", Event: p.Start(p.NewGoal(), nil),
		Timeout: limit, Quiet: true,
	})
	if t.ended.Took > atOnce && !t.TimedOut {
		p.Pace.SawProgram(t.ended.Took, t.ended.Busy)
	}
}

// Slow says why a plugin is asked no more than it takes to see everything once: how long a turn takes. It is "" where that is not long.
func (p *Plugin) Slow() string {
	turn := p.Pace.Turn()
	if turn < slowTurn {
		return ""
	}
	return fmt.Sprintf("a turn takes %s", turn.Round(100*time.Millisecond))
}

const (
	slowTurn = 300 * time.Millisecond
	atOnce   = 100 * time.Millisecond // a time that a turn may take without anybody having to be patient
	hang     = 10                     // times the patience after which a turn is taken to hang
)
