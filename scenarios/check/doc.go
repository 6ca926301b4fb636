// Package check counts expectations about what a target sent.
//
// It is Gomega with a conscience: every evaluation is noted with the
// requirement it speaks for, what was expected, what was there and where it
// stood, and nothing but a [wire.Seen] can be looked at. Any Gomega matcher
// works; the matchers here say in plain words what they expect, and work with
// Gomega's Expect as well.
package check
