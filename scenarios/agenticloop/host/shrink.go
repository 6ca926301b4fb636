package host

import (
	"slices"
	"time"
)

// Shrink removes steps that a history does not need in order to depart, and returns the shortest that was found. play plays steps and
// returns what it played up to the departure, nothing if there is none. shortest is what all steps led to.
func Shrink[S, T any](steps []S, shortest []T, more func() bool, play func([]S) []T) []T {
	for size := len(steps) / 2; size >= 1; {
		less := false
		for from := 0; from+size <= len(steps) && more(); {
			fewer := slices.Delete(slices.Clone(steps), from, from+size)
			if history := play(fewer); len(history) > 0 {
				steps, shortest, less = fewer, history, true
			} else {
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
