// Package step decides what a run does next. A step looks at the run's state and at what was seen outside, and adds at
// most one event to the log: see [Move]. Each kind of node, the loop and the handoff have a type of their own.
package step
