package wire

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// result is a process that is over.
type result struct {
	Spawned
	output           []byte // as much of it as is kept
	timedOut, killed bool
}

// How long something may take that the kernel does.
const (
	dying  = 5 * time.Second        // a killed process
	fading = 100 * time.Millisecond // the children of one that has ended, by themselves
)

// run starts a process, feeds it and waits until nothing of it is left. The error says why it could not be started, or
// that ctx was over.
func run(ctx context.Context, p *Process, turn Turn, limits Limits) (*result, error) {
	if p.Here != nil {
		return runHere(ctx, p, turn, limits)
	}
	r := &result{Spawned: Spawned{Command: p.Command, Input: string(turn.Input[:min(len(turn.Input), limits.InputKept)]), InputBytes: int64(len(turn.Input))}}
	home, err := newFolder()
	if err != nil {
		return r, err
	}
	defer home.remove()
	pipes, err := newPipes()
	if err != nil {
		return r, err
	}
	defer pipes.close()
	cmd := exec.Command(p.Command[0], p.Command[1:]...)
	if cmd.Err != nil {
		return r, cmd.Err
	}
	cmd.Dir, cmd.Env, cmd.SysProcAttr = home.work, home.environment(p.Env, turn.Env), apart()
	if p.Dir != "" {
		cmd.Dir = p.Dir
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pipes.in.read, pipes.out.write, pipes.err.write
	if err := cmd.Start(); err != nil {
		return r, err
	}
	pipes.started()
	w := &watched{cmd: cmd, pipes: pipes, turn: turn, limits: limits, home: home, r: r, exited: make(chan struct{}), kill: make(chan death, 1)}
	err = w.wait(ctx)
	if p.Dir == "" {
		r.Litter = home.litter()
	}
	return r, err
}

// apart puts a process into a session of its own, so that all of it can be killed, and takes root's rights from it.
func apart() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setsid: true}
	if os.Geteuid() == 0 {
		a.Credential = &syscall.Credential{Uid: unprivileged, Gid: unprivileged}
	}
	return a
}

// watched is a process that runs.
type watched struct {
	cmd    *exec.Cmd
	pipes  *pipes
	turn   Turn
	limits Limits
	home   *folder
	r      *result
	held   bool // its output did not end with it
	exited chan struct{}
	kill   chan death
}

// death is why a process is to be killed.
type death struct {
	why       string
	onPurpose bool
}

// wait feeds and reads the process until it has ended, and takes away what it left behind.
func (w *watched) wait(ctx context.Context) error {
	var talking sync.WaitGroup
	talking.Go(w.feed)
	talking.Go(w.readOutput)
	talking.Go(w.readErrors)
	go func() {
		_ = w.cmd.Wait() // how it ended stands in its state
		close(w.exited)
	}()
	deadline := time.NewTimer(w.turn.Timeout)
	defer deadline.Stop()
	var cause error
	select {
	case <-w.exited:
		w.ended()
	case d := <-w.kill:
		w.r.killed = d.onPurpose
		w.killed(d.why)
	case <-deadline.C:
		w.r.timedOut = true
		w.killed(fmt.Sprintf("killed at its deadline of %s", w.turn.Timeout))
	case <-ctx.Done():
		cause = context.Cause(ctx)
		w.killed("killed: " + cause.Error())
	}
	w.sweep()
	// What escaped our sight may hold a pipe open. Else they end by themselves, however long that takes on a busy machine.
	w.pipes.expire(dying)
	talking.Wait()
	if w.held && w.r.Exit != nil {
		w.r.Survivors = append(w.r.Survivors, "a process, unseen, that held its output open")
	}
	if cause != nil && !errors.Is(cause, context.DeadlineExceeded) {
		cause = context.Canceled
	}
	return cause
}

func (w *watched) ended() {
	state := w.cmd.ProcessState
	if code := state.ExitCode(); code >= 0 {
		w.r.Exit = &code
		return
	}
	w.r.Ended = state.String() // signal: segmentation fault
}

func (w *watched) killed(why string) {
	w.r.Ended = why
	killSession(w.cmd.Process.Pid)
	select {
	case <-w.exited:
	case <-time.After(dying):
		w.r.Ended += ", and did not end"
	}
}

// sweep kills what is left of the process's session, and notes it where the process itself ended before.
func (w *watched) sweep() {
	pid := w.cmd.Process.Pid
	left := survivors(pid, w.home.path)
	for end := time.Now().Add(fading); len(left) > 0 && w.r.Exit != nil && time.Now().Before(end); left = survivors(pid, w.home.path) {
		time.Sleep(5 * time.Millisecond)
	}
	if w.r.Exit != nil {
		for _, s := range left {
			w.r.Survivors = append(w.r.Survivors, s.name)
		}
	}
	for end := time.Now().Add(dying); len(left) > 0 && time.Now().Before(end); left = survivors(pid, w.home.path) {
		for _, s := range left {
			s.kill()
		}
		time.Sleep(time.Millisecond)
	}
}

// feed writes the process's input. One that does not read it is no error of ours.
func (w *watched) feed() {
	in, input, kill := w.pipes.in.write, w.turn.Input, w.turn.Kill
	defer in.Close()
	switch kill {
	case KillBeforeInput:
		w.die(death{"killed on purpose " + string(kill), true})
		return
	case KillHalfInput:
		_, _ = in.Write(input[:len(input)/2])
		w.die(death{"killed on purpose " + string(kill), true})
		return
	}
	_, _ = in.Write(input)
	_ = in.Close()
	if kill == KillAfterInput {
		w.die(death{"killed on purpose " + string(kill), true})
	}
	if after := w.turn.KillAfter; after > 0 {
		select {
		case <-time.After(after):
			w.die(death{fmt.Sprintf("killed on purpose %s after its input", after), true})
		case <-w.exited:
		}
	}
}

// die has the process killed; the first reason counts.
func (w *watched) die(d death) {
	select {
	case w.kill <- d:
	default:
	}
}

func (w *watched) readOutput() {
	most, atOutput := w.limits.OutputBytes, w.turn.Kill == KillAtOutput
	w.r.output, w.r.OutputBytes, w.held = drain(w.pipes.out.read, w.limits.OutputKept, func(total int64) {
		if atOutput {
			w.die(death{"killed on purpose " + string(KillAtOutput), true})
		}
		if total > most {
			w.die(death{fmt.Sprintf("killed after more than %d bytes of output", most), false})
		}
	})
	shown := w.r.output
	if w.r.OutputBytes > int64(len(shown)) {
		shown = shown[:min(len(shown), w.limits.InputKept)]
	}
	w.r.Output = string(shown)
}

func (w *watched) readErrors() {
	kept, total, _ := drain(w.pipes.err.read, w.limits.ErrorsKept, func(int64) {})
	w.r.Errors, w.r.ErrorBytes = string(kept), total
}

// drain reads to the end and keeps the begin. told hears after each piece how much it was so far. cut says that the end
// did not come in time.
func drain(from *os.File, most int, told func(total int64)) (kept []byte, total int64, cut bool) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		total += int64(n)
		kept = append(kept, buffer[:min(n, most-len(kept))]...)
		if n > 0 {
			told(total)
		}
		if err != nil {
			return kept, total, errors.Is(err, os.ErrDeadlineExceeded)
		}
	}
}
