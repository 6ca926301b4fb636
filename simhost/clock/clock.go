// Package clock is the time that a host goes by: the real one, one that only moves when told to, one that jumps ahead when
// everything waits, or a base clock that is some way ahead for one run.
package clock

import "time"

// Clock tells the time and calls back when some of it has passed.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f once, d from now; at once where d is not positive. f must not wait for the goroutine that moves the
	// clock.
	AfterFunc(d time.Duration, f func()) Timer
	// At is AfterFunc for a time instead of a duration: a caller who took the difference himself would be late by what the
	// clock moves in between.
	At(t time.Time, f func()) Timer
}

// Timer is a callback that has yet to come.
type Timer interface {
	// Stop prevents the callback. It reports false if that was called already, or is about to be, or was stopped before. It
	// does not wait for a callback under way.
	Stop() bool
}

// Real is the clock of the machine. Callbacks run in goroutines of their own.
func Real() Clock { return realClock{} }

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }

func (realClock) At(t time.Time, f func()) Timer { return time.AfterFunc(time.Until(t), f) }
