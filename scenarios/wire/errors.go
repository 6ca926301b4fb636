package wire

import (
	"errors"
	"fmt"
)

// ErrNoAnswer marks a failure to get an answer at all: the connection was
// refused, reset or timed out. It says nothing about what the target promises.
var ErrNoAnswer = errors.New("the target did not answer")

// ErrOverLimit marks an answer that was larger or deeper than [Limits] allow.
var ErrOverLimit = errors.New("the answer is over a limit")

// ErrUnreadable marks an answer whose JSON does not read alike everywhere: it
// is not UTF-8, or an object of it names a member twice. Whatever was concluded
// from one reading would be false for another.
var ErrUnreadable = errors.New("the answer cannot be read")

// ErrBusy marks a target that says it cannot serve us now: HTTP 429 or 503,
// after it was given time. It says nothing about what the target promises.
var ErrBusy = errors.New("the target is busy")

// notStarted is the [ErrNoAnswer] of an executable that never ran.
type notStarted struct{}

func (notStarted) Error() string        { return "it cannot be started" }
func (notStarted) Is(target error) bool { return target == ErrNoAnswer }

// failure is one failed exchange; errors.Is finds the kind and the cause.
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
