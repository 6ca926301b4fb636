package process

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// running is a running program.
type running struct {
	command Command
	cmd     *exec.Cmd
	member  *member
	begun   time.Time
	pipes   *pipes
	talking sync.WaitGroup // the goroutines that feed and read it
	exited  chan struct{}
	stop    chan Stop // why to kill it; the first reason counts
	held    bool      // its output did not end with it
	r       Result
}

func start(c Command) (*running, error) {
	pipes, err := newPipes()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(c.Path, c.Args...) //nolint:noctx // the end of a context kills the whole family
	cmd.Dir, cmd.Env, cmd.SysProcAttr = c.Dir, c.Env, apart(c.AsNobody)
	if cmd.Env == nil {
		cmd.Env = []string{} // nil would be the environment of this process
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pipes.in.read, pipes.out.write, pipes.err.write
	p := &running{command: c, cmd: cmd, pipes: pipes, exited: make(chan struct{}), stop: make(chan Stop, 1)}
	if p.member, err = family.start(cmd, c.Home); err != nil {
		pipes.close()
		return nil, err
	}
	p.begun = time.Now()
	pipes.started()
	p.talking.Go(p.feed)
	p.talking.Go(p.readStdout)
	p.talking.Go(p.readStderr)
	go func() {
		_ = cmd.Wait() // the result is in ProcessState
		close(p.exited)
	}()
	return p, nil
}

// apart returns attributes for a session of its own, so that the whole program can be killed and cannot reach our
// terminal, and for a user without rights.
func apart(asNobody bool) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setsid: true}
	if asNobody && isRoot() {
		a.Credential = &syscall.Credential{Uid: Nobody, Gid: Nobody}
	}
	return a
}

// wait waits for the end of the program, stops it if necessary, and kills what it left behind.
func (p *running) wait(ctx context.Context) Result {
	defer p.pipes.close()
	p.watch(ctx)
	p.r.Took = time.Since(p.begun)
	p.r.Survivors = p.sweep()
	// An unseen process may hold a pipe open. Otherwise the readers end by themselves, which takes long on a busy
	// machine.
	p.pipes.expire(dying)
	p.talking.Wait()
	if p.held && p.r.Stopped == NotStopped {
		p.r.Survivors = append(p.r.Survivors, "a process, unseen, that held its output open")
	}
	p.r.ExitCode = -1
	if p.r.Stuck { // Wait may be writing its state
		return p.r
	}
	p.r.ExitCode = p.cmd.ProcessState.ExitCode()
	p.r.Busy = p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		p.r.Signal = status.Signal().String()
	}
	return p.r
}

// watch returns when the program has ended, or was killed and is stuck.
func (p *running) watch(ctx context.Context) {
	var up <-chan time.Time
	if p.command.Timeout > 0 {
		timer := time.NewTimer(p.command.Timeout)
		defer timer.Stop()
		up = timer.C
	}
	select {
	case <-p.exited:
		return
	case <-ctx.Done():
		p.r.Stopped = Cancelled
	case p.r.Stopped = <-p.stop:
	case <-up:
		p.r.Stopped = TimeUp
		if p.grace(ctx) {
			return
		}
	}
	p.signal(syscall.SIGKILL)
	select {
	case <-p.exited:
	case <-time.After(dying):
		p.r.Stuck = true
	}
}

// grace sends SIGTERM, and reports whether the program ended.
func (p *running) grace(ctx context.Context) bool {
	if p.command.Grace <= 0 {
		return false
	}
	p.signal(syscall.SIGTERM)
	timer := time.NewTimer(p.command.Grace)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-ctx.Done():
	case <-p.stop:
	case <-timer.C:
	}
	return false
}

// signal sends a signal to the group, which may be empty.
func (p *running) signal(s syscall.Signal) { _ = syscall.Kill(-p.cmd.Process.Pid, s) }

// sweep kills what the program left behind, and returns the names if the program ended by itself.
func (p *running) sweep() (names []string) {
	left := family.leave(p.member)
	if p.r.Stopped == NotStopped {
		for end := time.Now().Add(fading); len(left) > 0 && time.Now().Before(end); left = family.leave(p.member) {
			time.Sleep(5 * time.Millisecond)
		}
		for _, r := range left {
			names = append(names, r.name)
		}
	}
	for end := time.Now().Add(dying); len(left) > 0 && time.Now().Before(end); left = family.leave(p.member) {
		for _, r := range left {
			r.kill()
		}
		time.Sleep(time.Millisecond)
	}
	if len(left) > 0 {
		family.forget(p.member)
	}
	return names
}

// feed writes the input, which the program need not read.
func (p *running) feed() {
	in, c := p.pipes.in.write, p.command
	switch c.Kill {
	case KillBeforeInput, KillHalfInput: // the input stays open: a program that saw it end could answer before the signal comes
		if c.Kill == KillHalfInput {
			_, _ = in.Write(c.Stdin[:len(c.Stdin)/2])
		}
		p.kill(OnPurpose)
	default:
		_, _ = in.Write(c.Stdin)
		_ = in.Close()
	}
	if c.Kill == KillAfterInput {
		p.kill(OnPurpose)
	}
	if c.Started != nil {
		c.Started()
	}
	if c.KillAfter > 0 && (c.Writes == "" || p.writes(c.Writes)) {
		timer := time.NewTimer(c.KillAfter)
		defer timer.Stop()
		select {
		case <-timer.C:
			p.kill(OnPurpose)
		case <-p.exited:
		}
	}
}

// writes waits until something appears in a folder. It returns false if the program ends first or exceeds its time.
func (p *running) writes(folder string) bool {
	look := time.NewTicker(looking)
	defer look.Stop()
	stuck := time.NewTimer(p.command.Timeout + dying)
	defer stuck.Stop()
	for {
		if entries, err := os.ReadDir(folder); err == nil && len(entries) > 0 {
			return true
		}
		select {
		case <-look.C:
		case <-stuck.C:
			return false
		case <-p.exited:
			return false
		}
	}
}

// kill makes watch kill the program.
func (p *running) kill(why Stop) {
	select {
	case p.stop <- why:
	default:
	}
}

func (p *running) readStdout() {
	keep := p.command.KeepStdout
	if keep == 0 {
		keep = int(p.command.MaxStdout)
	}
	p.r.Stdout, p.r.StdoutBytes, p.held = drain(p.pipes.out.read, keep, func(total int64) {
		if p.command.Kill == KillAtOutput {
			p.kill(OnPurpose)
		}
		if total > p.command.MaxStdout {
			p.kill(TooLong)
		}
	})
}

func (p *running) readStderr() {
	p.r.Stderr, p.r.StderrBytes, _ = drain(p.pipes.err.read, p.command.MaxStderr, func(int64) {})
}

// drain reads to the end and keeps the start. It calls progress after each piece. cut reports that the end did not come
// in time.
func drain(from *os.File, most int, progress func(total int64)) (kept []byte, total int64, cut bool) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		total += int64(n)
		kept = append(kept, buffer[:min(n, most-len(kept))]...)
		if n > 0 {
			progress(total)
		}
		if err != nil {
			return kept, total, errors.Is(err, os.ErrDeadlineExceeded)
		}
	}
}
