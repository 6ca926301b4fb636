// Package live keeps runs going: it appends what steps add to the log, waits for children, answers, stores and timers,
// wakes runs, and lets clients create, watch, answer, pause, cancel and fork them: see [Engine].
package live
