package manners

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"time"
)

// Program puts the manners in front of an honest program that is started once a turn: what was read is thought about as long as
// a turn and a reply take, and what is printed comes in pieces.
func (m Manners) Program(
	next func(ctx context.Context, in io.Reader, out, errs io.Writer) (exit int),
) func(ctx context.Context, in io.Reader, out, errs io.Writer) (exit int) {
	return func(ctx context.Context, in io.Reader, out, errs io.Writer) int {
		request, err := io.ReadAll(in)
		if err != nil {
			return 1
		}
		random := rand.New(rand.NewPCG(m.Seed, rand.Uint64())) // a process knows nothing of the others, so it draws for itself
		timer := time.NewTimer(m.Turn + m.Soonest + time.Duration(random.Int64N(int64(m.Latest-m.Soonest)+1)))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return 1
		}
		if m.Cut > 0 {
			out = &pieces{out, random, m.Cut}
		}
		return next(ctx, bytes.NewReader(request), out, errs)
	}
}

// pieces writes a text piece by piece.
type pieces struct {
	io.Writer
	random *rand.Rand
	most   int // bytes of a piece
}

func (p *pieces) Write(text []byte) (written int, err error) {
	for written < len(text) && err == nil {
		n, most := 0, min(p.most, len(text)-written)
		n, err = p.Writer.Write(text[written : written+1+p.random.IntN(most)])
		written += n
	}
	return written, err
}
