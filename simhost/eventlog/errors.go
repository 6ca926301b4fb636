package eventlog

import (
	"errors"
	"fmt"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
)

// The errors callers tell apart, by errors.Is. What a method returns wraps one of them and names the log it was about.
var (
	// ErrConflict: the log's last entry is another one than the append said. Nothing was written.
	ErrConflict = errors.New("somebody appended meanwhile: read the log and append after its last revision")
	// ErrFull: the store is at its bound. Nothing was written and nothing older was dropped.
	ErrFull = errors.New("the event log is full")
	// ErrUnwritable: a write to the disk failed, and nothing will be written until the store is opened again. What was
	// appended before can still be read. Whether the entry at hand was written shows when the store is opened again.
	ErrUnwritable = errors.New("the event log cannot be written any more: free or mend the disk of the --data folder, then start again")
	// ErrTooLarge: the data of one append exceeds Options.MaxPayload. Nothing was written.
	ErrTooLarge = errors.New("larger than one append may be")
	// ErrNoEntry: the log has no entry of that revision. Where it had one, the files are damaged.
	ErrNoEntry = errors.New("the log has no such entry: if it had, put a copy of the --data folder back")
	// ErrClosed: the store was closed, or is being closed.
	ErrClosed = errors.New("the event log is closed")
	// ErrName: the name of the log is not 1 to 128 characters of A-Z a-z 0-9 _ -.
	ErrName = errors.New("not a log name: use 1 to 128 characters of A-Z a-z 0-9 _ -")
	// ErrLocked: another store, of this process or of another one, has the directory open.
	ErrLocked = errors.New("another process has this folder open: stop it, or choose another --data folder")
)

// failed words an error of the server for callers, and keeps those apart that they must tell apart.
func (s *Store) failed(err error) error {
	var answer *jetstream.APIError
	switch {
	case !errors.As(err, &answer):
		return err
	case answer.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence:
		return ErrConflict
	case isFull(answer):
		return s.full()
	default:
		return err
	}
}

// isFull reports whether a store refused a message because of the bound of its stream. The server has one code for all
// that may keep a message from being stored, so the text must tell.
func isFull(answer *jetstream.APIError) bool {
	return answer.ErrorCode == jetstream.ErrorCode(server.JSStreamStoreFailedF) && answer.Description == server.ErrMaxBytes.Error()
}

func (s *Store) full() error {
	if s.options.Dir == "" {
		return fmt.Errorf("%w (%d bytes in memory): raise --log-max, or keep the log in files with --data", ErrFull, s.options.MaxBytes)
	}
	return fmt.Errorf("%w (%d bytes in %s): raise --log-max", ErrFull, s.options.MaxBytes, s.options.Dir)
}
