package process

import (
	"fmt"
	"os"
	"time"
)

// pipe is a pipe to or from a program.
type pipe struct{ read, write *os.File }

func (p pipe) close() {
	for _, end := range []*os.File{p.read, p.write} {
		if end != nil {
			_ = end.Close() // it may be closed already
		}
	}
}

// pipes are the standard streams of a program.
type pipes struct{ in, out, err pipe }

func newPipes() (*pipes, error) {
	p := &pipes{}
	for _, one := range []*pipe{&p.in, &p.out, &p.err} {
		var err error
		if one.read, one.write, err = os.Pipe(); err != nil {
			p.close()
			return nil, fmt.Errorf("open a pipe: %w", err)
		}
	}
	return p, nil
}

// started closes the program's ends.
func (p *pipes) started() {
	_ = p.in.read.Close()
	_ = p.out.write.Close()
	_ = p.err.write.Close()
}

// expire sets a deadline for our ends.
func (p *pipes) expire(d time.Duration) {
	end := time.Now().Add(d)
	for _, f := range []*os.File{p.in.write, p.out.read, p.err.read} {
		_ = f.SetDeadline(end) // fails if it is closed
	}
}

func (p *pipes) close() {
	p.in.close()
	p.out.close()
	p.err.close()
}
