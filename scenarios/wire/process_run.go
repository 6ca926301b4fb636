package wire

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openassay/assay/internal/process"
)

// result is a process that is over.
type result struct {
	Spawned
	output           []byte // the part that is kept
	timedOut, killed bool
	took, busy       time.Duration // see [Ended]
}

// newResult returns the result of a turn that has not begun.
func newResult(p *Process, turn Turn, limits Limits) *result {
	kept := turn.Input[:min(len(turn.Input), limits.InputKept)]
	return &result{Spawned: Spawned{Command: p.Command, Input: string(kept), InputBytes: int64(len(turn.Input)),
		Misfit: turn.misfit}}
}

// run starts a process, writes its input and waits until no process of the turn is left. The error says why it could
// not be started, or is the context's.
func run(ctx context.Context, p *Process, turn Turn, limits Limits) (*result, error) {
	if p.Here != nil {
		return runHere(ctx, p, turn, limits)
	}
	r := newResult(p, turn, limits)
	home, err := newFolder()
	if err != nil {
		return r, err
	}
	defer home.remove()
	command := process.Command{
		Path: p.Command[0], Args: p.Command[1:], Dir: home.work, Env: home.environment(p.Env, turn.Env), Home: home.path,
		AsNobody: true,
		Stdin:    turn.Input, Timeout: turn.Timeout, Kill: turn.Kill, KillAfter: turn.KillAfter, Writes: turn.Writes,
		MaxStdout: limits.OutputBytes, KeepStdout: limits.OutputKept, MaxStderr: limits.ErrorsKept,
	}
	if p.Dir != "" {
		command.Dir = p.Dir
	}
	ended, err := process.Run(ctx, command)
	r.take(ended, turn, limits)
	switch cause := ctx.Err(); {
	case cause == nil && err != nil:
		return r, process.Explain(err, p.Command[0], p.Dir, home.path)
	case cause != nil && !errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		err = context.Canceled
	}
	if p.Dir == "" {
		r.Litter = home.litter()
	}
	return r, err
}

// take notes how the process ended.
func (r *result) take(e process.Result, turn Turn, limits Limits) {
	r.output, r.OutputBytes, r.took, r.busy = e.Stdout, e.StdoutBytes, e.Took, e.Busy
	shown := r.output
	if r.OutputBytes > int64(len(shown)) {
		shown = shown[:min(len(shown), limits.InputKept)]
	}
	r.Output, r.Errors, r.ErrorBytes, r.Survivors = string(shown), string(e.Stderr), e.StderrBytes, e.Survivors
	switch e.Stopped {
	case process.TimeUp:
		r.timedOut, r.Ended = true, atDeadline(turn)
	case process.OnPurpose:
		r.killed, r.Ended = true, onPurpose(turn)
	case process.TooLong:
		r.Ended = fmt.Sprintf("killed after more than %d bytes of output", limits.OutputBytes)
	case process.Cancelled:
		r.Ended = "killed: interrupted"
	default:
		if e.Signal != "" {
			r.Ended = "signal: " + e.Signal
		} else {
			r.Exit = &e.ExitCode
		}
	}
	if e.Stuck {
		r.Ended += ", and did not end"
	}
}

func atDeadline(turn Turn) string {
	return fmt.Sprintf("killed at its deadline of %s", turn.Timeout.Round(time.Millisecond))
}

func onPurpose(turn Turn) string {
	if turn.Kill != KillNever {
		return "killed on purpose " + string(turn.Kill)
	}
	if turn.Writes != "" {
		return fmt.Sprintf("killed on purpose %s after it began to write", turn.KillAfter)
	}
	return fmt.Sprintf("killed on purpose %s after its input", turn.KillAfter)
}
