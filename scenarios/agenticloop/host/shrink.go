package host

import (
	"context"
	"slices"
	"time"
)

// Shrink removes steps that a history does not need in order to depart, and returns the shortest that was found. play plays steps and
// returns what it played up to the departure, nothing if there is none. shortest is what all steps led to. What the target sent in a
// history that is not the shortest any more is let go of.
func Shrink[S, T any](
	ctx context.Context, p *Plugin, steps []S, shortest []T, more func() bool, play func(context.Context, []S) []T,
) []T {
	release := func() {}
	for size := len(steps) / 2; size >= 1; {
		less := false
		for from := 0; from+size <= len(steps) && more(); {
			fewer := slices.Delete(slices.Clone(steps), from, from+size)
			look, passed := p.Look(ctx)
			if history := play(look, fewer); len(history) > 0 {
				release()
				steps, shortest, less, release = fewer, history, true, passed
			} else {
				passed()
				from += size
			}
		}
		if !less || size > len(steps)/2 {
			size /= 2
		}
	}
	return shortest
}

// shrinkingTime bounds [Shrink].
const shrinkingTime = 30 * time.Second

// Soon returns a function that is true until there is no time left to shrink a history.
func (p *Plugin) Soon() func() bool {
	end := p.Now().Add(shrinkingTime)
	return func() bool { return p.Now().Before(end) }
}
