package wire

import (
	"errors"
	"fmt"
	"io"
	"syscall"
)

// ErrNoAnswer means that no reply came: the connection was refused, reset or timed out. It says nothing about the
// target's promises.
var ErrNoAnswer = errors.New("the target did not answer")

// ErrOverLimit means that a reply was larger or deeper than [Limits] allow.
var ErrOverLimit = errors.New("the answer is over a limit")

// ErrUnreadable means that parsers may read the JSON of a reply differently: it is not UTF-8, or an object names a
// member twice.
var ErrUnreadable = errors.New("the answer cannot be read")

// ErrBusy means that the target cannot serve us now: HTTP 503, or 429 even after waiting. It says nothing about the
// target's promises.
var ErrBusy = errors.New("the target is busy")

// ErrMisfit means that a request of ours does not fit the [Contract], and does not say that this is meant. It was not sent.
var ErrMisfit = errors.New("our request does not fit the contract, and was not sent")

// HungUp reports whether the connection ended before an answer. One that is too slow is another matter.
func HungUp(err error) bool {
	return errors.Is(err, ErrNoAnswer) && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET))
}

// notStarted is the ErrNoAnswer of an executable that could not be started.
type notStarted struct{}

func (notStarted) Error() string        { return "it cannot be started" }
func (notStarted) Is(target error) bool { return target == ErrNoAnswer }

// failure is a failed exchange. errors.Is finds its kind and its cause.
type failure struct {
	kind   error
	doing  string
	detail string
	cause  error
}

func (f *failure) Error() string {
	s := f.kind.Error()
	if f.doing != "" {
		s = f.doing + ": " + s
	}
	if f.detail != "" {
		s += ": " + f.detail
	}
	if f.cause != nil {
		s += ": " + f.cause.Error()
	}
	return s
}

func (f *failure) Unwrap() []error {
	if f.cause == nil {
		return []error{f.kind}
	}
	return []error{f.kind, f.cause}
}

func overLimit(doing, format string, args ...any) error {
	return &failure{kind: ErrOverLimit, doing: doing, detail: fmt.Sprintf(format, args...)}
}
