package host

import (
	"context"
	"time"

	"github.com/openassay/assay/scenarios"
)

// Paces finds out how long a turn takes, by a start in an empty state. A turn that does not end says nothing about that: it may hang.
func Paces(ctx context.Context, c *scenarios.Conn) {
	p := Open(c, &Turns{})
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

const (
	atOnce = 100 * time.Millisecond // a time that a turn may take without anybody having to be patient
	hang   = 10                     // times the patience after which a turn is taken to hang
)
