package wire

import (
	"bytes"
	"context"
	"io"
)

// Program is what an executable does, as a function of this process: it reads in to its end, writes its answer to out and
// what else it has to say to errs, and returns its exit code. It heeds the end of ctx.
type Program func(ctx context.Context, in io.Reader, out, errs io.Writer) (exit int)

// runHere is run for a target that is a [Program]: many agents can be tried in the time that a few processes take. What
// only a process can do wrong is not seen. A turn that is killed before it answers has not begun, one that is killed as
// it answers has done all else.
func runHere(ctx context.Context, p *Process, turn Turn, limits Limits) (*result, error) {
	r := newResult(p, turn, limits)
	if early := turn.Kill != KillNever && turn.Kill != KillAtOutput; early || turn.KillAfter > 0 {
		r.killed, r.Ended = true, onPurpose(turn)
		return r, nil
	}
	bounded, cancel := context.WithTimeout(ctx, turn.Timeout)
	defer cancel()
	out, errs := capped{most: limits.OutputKept}, capped{most: limits.ErrorsKept}
	exit := p.Here(bounded, bytes.NewReader(turn.Input), &out, &errs)
	if err := ctx.Err(); err != nil {
		return r, context.Canceled
	}
	r.output, r.OutputBytes = out.kept.Bytes(), out.total
	r.Output = string(r.output)
	if r.OutputBytes > int64(len(r.output)) {
		r.Output = r.Output[:min(len(r.Output), limits.InputKept)]
	}
	r.Errors, r.ErrorBytes = errs.kept.String(), errs.total
	switch {
	case turn.Kill == KillAtOutput && r.OutputBytes > 0:
		r.killed, r.Ended = true, onPurpose(turn)
	case bounded.Err() != nil:
		r.timedOut, r.Ended = true, atDeadline(turn)
	default:
		r.Exit = &exit
	}
	return r, nil
}

// capped keeps the begin of what is written, and counts all of it.
type capped struct {
	kept  bytes.Buffer
	most  int
	total int64
}

func (c *capped) Write(b []byte) (int, error) {
	c.total += int64(len(b))
	c.kept.Write(b[:min(len(b), c.most-c.kept.Len())]) // a buffer takes everything
	return len(b), nil
}
