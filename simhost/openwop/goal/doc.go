// Package goal keeps the standing goals of the simulated host (RFC 0097): objectives that the host works at, one run after
// another, until its judge finds them reached, a bound stops them, or somebody gives them up.
//
// # A goal is the fold of a log
//
// All goals of a tenant share one log, and one append is one change of one goal. What is in memory beside the fold is the
// timers of deadlines and schedules, which are set again from it. So the process may die between any two appends: Open and Resume
// go on where it was.
//
// # A tick
//
// In mode manual nothing but Tick fires a run. A tick moves the goal's own clock on, then writes down that it
// fires a run, then creates that run, waits until it has ended, and lets the judge look at it. The run's id derives from
// the goal and the count of its runs, so whoever finishes a tick that was begun finds the run that is there. Ticks of one
// goal come one after another, and one that was begun is finished: also when nobody waits for it any more, and by the next
// process if this one dies.
//
// In mode schedule a timer begins a tick at each interval, in mode heartbeat Beat does, for each change that the heartbeat
// saw; Tick fires runs between them all the same. Nobody scripts such a run, so its outputs say that the objective is not
// reached. Intervals count from when the goal was set going: created, resumed, or given that schedule. Several that pass
// at once, while the host is down or a run is under way, fire one run.
//
// In mode commitment a run is fired once its time has come or, where the commitment has no time, once Fulfil is told that
// its condition holds. It is made anew when that run has been judged, so its time counts from there.
//
// The judge reads the run and not the request: the outputs of a run that completed are its verdict and its cost; a run
// that failed or was cancelled did not satisfy. Each judged run is one goal.evaluated. Then the goal ends as satisfied
// where the verdict says so, else as bound-exceeded where the run was the last one it may have, or the runs together cost
// too much, or the deadline has passed. The deadline also strikes by itself. A run that is under way when its goal ends,
// by the deadline or because somebody gave it up, is not judged any more: it is shown among the contributing runs, and no
// event follows the goal.closed of such a goal.
//
// # Escalation
//
// A run that waits for a person instead of ending makes its goal escalated, with a goal.closed that says so and without an
// evaluation. No run follows until somebody has answered the run. ReArm then has that run judged like any other, which
// may end the goal, and else makes it active again. Its later end is another goal.closed: one each time that it closes.
// An escalated goal can be given up, too.
//
// # Pauses
//
// A paused goal is active, and nothing that is shown of it says that it is paused; ticks fire no run. Its deadline passes
// all the same.
package goal
