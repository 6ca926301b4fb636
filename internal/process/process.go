// Package process runs programs that are not trusted: each in a process group of its own, with a limit on its time and on
// what it may write. When Run returns, no process of the group is left.
package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Command is one program to run.
type Command struct {
	Path string
	Args []string // without the program's own name
	Dir  string   // "": the caller's own
	Env  []string // KEY=VALUE; nothing is added to it

	Stdin []byte // all the program gets to read, then the end of the input

	Timeout time.Duration // then SIGTERM to the group. 0: none
	Grace   time.Duration // between SIGTERM and SIGKILL

	MaxStdout int // bytes; a program that writes more is killed
	MaxStderr int // bytes that are kept; what comes after them is read and dropped

	// Started is called once, when the program runs and has been handed its input, or will take no more of it. It may come
	// after the program has ended, but not after Run has returned.
	Started func()
}

// Result is how a program ended.
type Result struct {
	Stdout, Stderr []byte
	ExitCode       int    // -1 where a signal ended it
	Signal         string // the signal that ended it, or ""
	TimedOut       bool   // it was sent SIGTERM, since its time was up
	TooLong        bool   // it wrote more than MaxStdout; Stdout holds that much
	Took           time.Duration
}

// lingering is how long output is waited for after the group is gone. Only who left the group can still hold the pipes.
const lingering = time.Second

// Run runs a program to its end. The error says that it could not be started, or that ctx ended: the group is then killed
// without grace.
func Run(ctx context.Context, c Command) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, context.Cause(ctx)
	}
	p, err := start(c)
	if err != nil {
		return Result{}, fmt.Errorf("start %s: %w", c.Path, err)
	}
	result := p.wait(ctx)
	if ctx.Err() != nil {
		return result, context.Cause(ctx)
	}
	return result, nil
}

// running is a program under way.
type running struct {
	command        Command
	cmd            *exec.Cmd
	begun          time.Time
	stdin          *os.File
	stdout, stderr *os.File
	out, err       capped
	feeding        sync.WaitGroup
	reading        sync.WaitGroup
	over           chan struct{} // closed when stdout is over its limit
}

func start(c Command) (_ *running, err error) {
	var pipes [3][2]*os.File // stdin, stdout, stderr: the end that is read, the one that is written
	defer func() {
		if err != nil {
			closeAll(pipes[0][:], pipes[1][:], pipes[2][:])
		}
	}()
	for i := range pipes {
		if pipes[i][0], pipes[i][1], err = os.Pipe(); err != nil {
			return nil, err
		}
	}
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	if cmd.Env == nil {
		cmd.Env = []string{} // nil would be the environment of this process
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pipes[0][0], pipes[1][1], pipes[2][1]
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	closeAll([]*os.File{pipes[0][0], pipes[1][1], pipes[2][1]})
	p := &running{
		command: c, cmd: cmd, begun: time.Now(),
		stdin: pipes[0][1], stdout: pipes[1][0], stderr: pipes[2][0],
		out: capped{most: c.MaxStdout}, err: capped{most: c.MaxStderr},
		over: make(chan struct{}),
	}
	p.feeding.Go(p.feed)
	p.reading.Go(func() {
		p.out.whenOver = func() { close(p.over) }
		_, _ = io.Copy(&p.out, p.stdout) // it ends with the pipe, whatever that ends with
	})
	p.reading.Go(func() { _, _ = io.Copy(&p.err, p.stderr) })
	return p, nil
}

// feed hands the input over. A program need not read it.
func (p *running) feed() {
	_, _ = p.stdin.Write(p.command.Stdin)
	_ = p.stdin.Close()
	if p.command.Started != nil {
		p.command.Started()
	}
}

func (p *running) wait(ctx context.Context) Result {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = p.cmd.Wait() // how it ended stands in ProcessState
	}()
	timedOut := p.watch(ctx, ended)
	<-ended
	p.signal(syscall.SIGKILL) // what it started and left behind
	took := time.Since(p.begun)

	late := time.Now().Add(lingering)
	_ = p.stdin.SetWriteDeadline(time.Now())
	_ = p.stdout.SetReadDeadline(late)
	_ = p.stderr.SetReadDeadline(late)
	p.feeding.Wait()
	p.reading.Wait()
	closeAll([]*os.File{p.stdout, p.stderr})

	r := Result{
		Stdout: p.out.kept, Stderr: p.err.kept, TooLong: p.out.over,
		ExitCode: p.cmd.ProcessState.ExitCode(), TimedOut: timedOut, Took: took,
	}
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		r.Signal = status.Signal().String()
	}
	return r
}

// watch stops the program when it must not go on, and returns when it has ended or was killed.
func (p *running) watch(ctx context.Context, ended <-chan struct{}) (timedOut bool) {
	var up <-chan time.Time
	if p.command.Timeout > 0 {
		timer := time.NewTimer(p.command.Timeout)
		defer timer.Stop()
		up = timer.C
	}
	select {
	case <-ended:
		return false
	case <-ctx.Done():
	case <-p.over:
	case <-up:
		timedOut = true
		p.signal(syscall.SIGTERM)
		grace := time.NewTimer(p.command.Grace)
		defer grace.Stop()
		select {
		case <-ended:
			return true
		case <-ctx.Done():
		case <-p.over:
		case <-grace.C:
		}
	}
	p.signal(syscall.SIGKILL)
	return timedOut
}

// signal reaches the whole group. There may be nobody left in it.
func (p *running) signal(s syscall.Signal) { _ = syscall.Kill(-p.cmd.Process.Pid, s) }

// capped keeps the beginning of what is written to it.
type capped struct {
	kept     []byte
	most     int
	over     bool
	whenOver func()
}

func (c *capped) Write(b []byte) (int, error) {
	room := c.most - len(c.kept)
	c.kept = append(c.kept, b[:min(room, len(b))]...)
	if len(b) > room && !c.over {
		c.over = true
		if c.whenOver != nil {
			c.whenOver()
		}
	}
	return len(b), nil
}

func closeAll(lists ...[]*os.File) {
	for _, files := range lists {
		for _, f := range files {
			if f != nil {
				_ = f.Close()
			}
		}
	}
}

// NotStarted reports whether a program was never run: it is not there, may not be executed, or is no program.
func NotStarted(err error) bool {
	var path *os.PathError
	var missing *exec.Error
	return errors.As(err, &missing) || errors.As(err, &path)
}
