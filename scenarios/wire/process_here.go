package wire

import (
	"bytes"
	"context"
	"io"
)

// Program is an executable as a function: it reads in to its end, writes its answer to out and anything else to errs,
// and returns its exit code. It must return when ctx ends.
type Program func(ctx context.Context, in io.Reader, out, errs io.Writer) (exit int)

// runHere is like run, for a [Program], which is much faster than a process. A turn that is to be killed before it
// answers does not run at all; one that is to be killed as it answers runs to its end.
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

// capped keeps the start of what is written, and counts all of it.
type capped struct {
	kept  bytes.Buffer
	most  int
	total int64
}

func (c *capped) Write(b []byte) (int, error) {
	c.total += int64(len(b))
	c.kept.Write(b[:min(len(b), c.most-c.kept.Len())]) // never fails
	return len(b), nil
}
