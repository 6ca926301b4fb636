// Package process runs programs that are not trusted: each in a session of its own, with a limit on its time and on what it
// may write, and as root under a user without rights. When Run returns, nothing that the program started is left. On Linux
// that includes what left its process group and its session; elsewhere it is the group.
package process

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"time"
)

// KillPoint is when a program is killed on purpose.
type KillPoint string

// Kill points, in the order in which a program passes them.
const (
	KillNever       KillPoint = ""
	KillBeforeInput KillPoint = "before its input"
	KillHalfInput   KillPoint = "in the middle of its input"
	KillAfterInput  KillPoint = "after its input"
	KillAtOutput    KillPoint = "at the first byte of its output"
)

// Command is one program to run.
type Command struct {
	Path string   // or a name, to be found on PATH
	Args []string // without the program's own name
	Dir  string   // "": the caller's own
	Env  []string // KEY=VALUE; nothing is added to it
	Home string   // a folder that no other program is given: who stands in it, or has it in its environment, belongs to this one

	// AsNobody has it started as user [Nobody] where we are root.
	AsNobody bool

	Stdin []byte // all the program gets to read, then the end of the input

	Timeout time.Duration // then SIGTERM to the group. 0: none
	Grace   time.Duration // between SIGTERM and SIGKILL. 0: SIGKILL at once

	MaxStdout  int64 // bytes; a program that writes more is killed
	KeepStdout int   // bytes that are kept. 0: MaxStdout
	MaxStderr  int   // bytes that are kept; what comes after them is read and dropped

	Kill      KillPoint
	KillAfter time.Duration // kills it so long after its input, unless it has ended by then. 0: not

	// Started is called once, when the program runs and has been handed its input, or will take no more of it. It may come
	// after the program has ended, but not after Run has returned.
	Started func()
}

// Stop is why a program was stopped.
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
	Stdout, Stderr           []byte // as much as is kept
	StdoutBytes, StderrBytes int64  // all of it

	ExitCode int    // -1 where a signal ended it
	Signal   string // the signal that ended it, or ""
	Stopped  Stop   // why it was sent a signal, if it was
	Stuck    bool   // it did not even end when it was killed

	// Survivors are the names of the processes that it left behind when it ended by itself. They were killed.
	Survivors []string
	Took      time.Duration
}

// ErrAbandoned is what Run fails with after Abandon.
var ErrAbandoned = errors.New("no program is started any more")

// How long something may take that the kernel does.
const (
	dying  = 5 * time.Second        // a killed process
	fading = 100 * time.Millisecond // the children of one that has ended, by themselves
)

// Run runs a program to its end. The error says that it could not be started, or that ctx ended: all of it is then killed
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

// NotStarted reports whether a program was never run: it is not there, may not be executed, or is no program.
func NotStarted(err error) bool {
	var path *os.PathError
	var missing *exec.Error
	return errors.As(err, &missing) || errors.As(err, &path)
}
