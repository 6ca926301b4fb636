// Package process runs untrusted programs: each in a session of its own, with limits on time and output, and, if we are
// root, as a user without rights. When Run returns, no process that the program started is left. On Linux that includes
// processes that left its process group and its session.
package process

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"time"
)

// KillPoint says when to kill a program on purpose.
type KillPoint string

// Kill points, in the order in which a program reaches them.
const (
	KillNever       KillPoint = ""
	KillBeforeInput KillPoint = "before its input"
	KillHalfInput   KillPoint = "in the middle of its input"
	KillAfterInput  KillPoint = "after its input"
	KillAtOutput    KillPoint = "at the first byte of its output"
)

// Command is a program to run.
type Command struct {
	Path string   // a path, or a name on PATH
	Args []string // without the program's name
	Dir  string   // "" is the caller's own
	Env  []string // KEY=VALUE, all of it
	// Home is a folder of this program only. A process in it, or with it in its environment, belongs to the program.
	Home string

	// AsNobody runs it as user [Nobody] if we are root.
	AsNobody bool

	Stdin []byte // all of its input

	Timeout time.Duration // before SIGTERM to the group; 0 is none
	Grace   time.Duration // between SIGTERM and SIGKILL; 0 is SIGKILL at once

	MaxStdout  int64 // bytes; a program that writes more is killed
	KeepStdout int   // bytes to keep; 0 is MaxStdout
	MaxStderr  int   // bytes to keep; the rest is read and dropped

	Kill      KillPoint
	KillAfter time.Duration // kills it that long after its input, unless it has ended; 0 does not
	// Writes names an empty folder. If it is set, KillAfter counts from the moment something appears in the folder.
	Writes string

	// Started is called once, when the program has its input or takes no more of it. That may be after the program has
	// ended, but not after Run has returned.
	Started func()
}

// Stop says why a program was stopped.
type Stop string

// Reasons to stop a program. The first one counts.
const (
	NotStopped Stop = ""
	TimeUp     Stop = "its time was up"
	TooLong    Stop = "it wrote too much"
	OnPurpose  Stop = "on purpose"
	Cancelled  Stop = "cancelled"
)

// Result is how a program ended.
type Result struct {
	Stdout, Stderr           []byte // the part that is kept
	StdoutBytes, StderrBytes int64  // of the whole

	ExitCode int    // -1 if a signal ended it
	Signal   string // the signal that ended it, or ""
	Stopped  Stop   // why it was stopped
	Stuck    bool   // SIGKILL did not end it

	// Survivors are the names of processes that it left behind when it ended by itself. They were killed.
	Survivors []string
	Took      time.Duration
	Busy      time.Duration // in which it and what it waited for had a processor
}

// ErrAbandoned is the error of Run after Abandon.
var ErrAbandoned = errors.New("no program is started any more")

// How long to wait for the end of processes.
const (
	dying  = 5 * time.Second        // killed ones
	fading = 100 * time.Millisecond // children of a program that has ended, by themselves
)

// looking is the interval at which the folder of [Command.Writes] is polled.
const looking = 50 * time.Microsecond

// Run runs a program to its end. The error is that of the start, or the context's, at whose end Run kills the program
// without grace.
func Run(ctx context.Context, c Command) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	p, err := start(c)
	if err != nil {
		return Result{}, err
	}
	r := p.wait(ctx)
	if ctx.Err() != nil {
		return r, context.Cause(ctx)
	}
	return r, nil
}

// NotStarted reports whether err means that a program could not be started: it does not exist or cannot be executed.
func NotStarted(err error) bool {
	var path *os.PathError
	var missing *exec.Error
	return errors.As(err, &missing) || errors.As(err, &path)
}
