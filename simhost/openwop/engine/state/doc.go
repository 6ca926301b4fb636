// Package state folds the log of a run to its state. A log is a list of records; a record holds events, which clients see,
// and facts, which the host must remember and no event has a place for.
package state
