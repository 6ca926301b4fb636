package host

import (
	"context"
	"time"

	"github.com/openassay/assay/scenarios/explore"
)

// Shrink removes steps that a history does not need in order to depart, and returns the shortest that was found. play plays steps and
// returns what it played up to the departure, nothing if there is none. shortest is what all steps led to. What the target sent in a
// history that is not the shortest any more is let go of.
func Shrink[S, T any](
	ctx context.Context, p *Plugin, steps []S, shortest []T, more func() bool, play func(context.Context, []S) []T,
) []T {
	release := func() {}
	explore.Smallest(steps, func(fewer []S) bool {
		if !more() {
			return false
		}
		look, passed := p.Look(ctx)
		history := play(look, fewer)
		if len(history) == 0 {
			passed()
			return false
		}
		release()
		shortest, release = history, passed
		return true
	})
	return shortest
}

// shrinkingTime bounds [Shrink].
const shrinkingTime = 30 * time.Second

// Soon returns a function that is true until there is no time left to shrink a history.
func (p *Plugin) Soon() func() bool {
	end := p.Now().Add(shrinkingTime)
	return func() bool { return p.Now().Before(end) }
}
