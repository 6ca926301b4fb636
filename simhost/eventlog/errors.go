package eventlog

import (
	"errors"
	"fmt"
	"strings"

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
	// ErrDamaged: part of what was acknowledged is not in the files any more. As an error of Open, the folder is as it was found,
	// and a [DamageError] has what is wrong; as one of an operation, it is about the log, and a [LogError] has which.
	ErrDamaged = errors.New("is damaged")
	// ErrLocked: another store, of this process or of another one, has the directory open.
	ErrLocked = errors.New("another process has this folder open: stop it, or choose another --data folder")
)

// DamageError is why Open refuses a folder. It is an ErrDamaged.
type DamageError struct{ Examination *Examination }

// mostNamed is how many logs the error names.
const mostNamed = 5

func (e *DamageError) Error() string {
	x := e.Examination
	var b strings.Builder
	fmt.Fprintf(&b, "the folder is damaged (%s", x.Damages[0])
	if n := len(x.Damages) - 1; n > 0 {
		fmt.Fprintf(&b, "; and %d more", n)
	}
	b.WriteString(")")
	for i, l := range x.Logs {
		switch {
		case i == 0:
			fmt.Fprintf(&b, ", and appends are lost of %s", l)
		case i < mostNamed:
			fmt.Fprintf(&b, ", %s", l)
		case i == mostNamed:
			fmt.Fprintf(&b, " and %d more logs", len(x.Logs)-mostNamed)
		}
	}
	fmt.Fprintf(&b, "; nothing was changed: put a copy of the folder back, or see %s", Doctor(x.Dir))
	return b.String()
}

// Is makes it an ErrDamaged.
func (e *DamageError) Is(target error) bool { return target == ErrDamaged }

// LogError says which log lost what was acknowledged. It is an ErrDamaged.
type LogError struct {
	Log string
	Dir string // of the store
}

func (e *LogError) Error() string {
	return fmt.Sprintf("%s is damaged: part of it is lost from the files; put a copy of the folder back, or see %s", e.Log, Doctor(e.Dir))
}

// Is makes it an ErrDamaged.
func (e *LogError) Is(target error) bool { return target == ErrDamaged }

// Doctor is what to type about a damaged folder.
func Doctor(dir string) string { return "assay simhost doctor --data " + quoted(dir) }

// quoted is a path as a shell takes it.
func quoted(path string) string {
	if strings.Trim(path, shellSafe) == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

const shellSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%="

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
