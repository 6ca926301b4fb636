// Package folded holds states that are folds of logs, one log a state. A state is read from its log when it is first asked
// for; from then on it grows with what is appended. Nothing is in it that the log does not hold, so it can be let go at
// any time.
package folded

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"sync"

	"github.com/openassay/assay/simhost/eventlog"
)

// maxHeld is how many states are held, so that a client that asks for one owner after the other does not fill the memory.
const maxHeld = 256

// Log is what the states need of the event log.
type Log interface {
	Append(ctx context.Context, log string, after uint64, data []byte) (uint64, error)
	Each(ctx context.Context, log string, after uint64, see func(eventlog.Entry) error) error
}

// Name names the log of an owner: a kind, which is of letters and told apart by its caller, and 128 bits of the parts.
// The parts may be any text, and lengths keep ("ab","c") and ("a","bc") apart.
func Name(kind string, parts ...string) string {
	said := make([]byte, 0, 128) // what fits takes no memory of its own: every run that starts asks for two names
	for _, p := range parts {
		said = append(strconv.AppendInt(said, int64(len(p)), 10), ':')
		said = append(said, p...)
	}
	sum := sha256.Sum256(said)
	return string(hex.AppendEncode(append(append(said[:0], kind...), '-'), sum[:16]))
}

// States are the folds of logs, by the name of the log. The methods may be called concurrently; what is done with one
// state is done one after the other.
type States[S any] struct {
	log  Log
	fold func(*S, eventlog.Entry) error

	mu   sync.Mutex
	held map[string]*state[S]
}

type state[S any] struct {
	users int // guarded by States.mu

	mu       sync.Mutex // guards what follows
	read     bool
	revision uint64
	folded   S
}

// New returns the states over a log. A state begins as the zero value of S; fold takes in one entry, or fails and leaves
// the state as it is.
func New[S any](log Log, fold func(*S, eventlog.Entry) error) *States[S] {
	return &States[S]{log: log, fold: fold, held: map[string]*state[S]{}}
}

// View shows the state of a log. look must not keep what may change.
func (s *States[S]) View(ctx context.Context, name string, look func(*S) error) error {
	return s.with(ctx, name, func(st *state[S]) error { return look(&st.folded) })
}

// Append adds what decide makes of the state, and folds it. decide returns nothing where there is nothing to add; where
// somebody else appended meanwhile it is called again, with the state that has that in it.
func (s *States[S]) Append(ctx context.Context, name string, decide func(*S) ([]byte, error)) error {
	return s.with(ctx, name, func(st *state[S]) error {
		for {
			data, err := decide(&st.folded)
			if err != nil || data == nil {
				return err
			}
			revision, err := s.log.Append(ctx, name, st.revision, data)
			if err == nil {
				return s.take(name, st, eventlog.Entry{Revision: revision, Data: data})
			}
			if !errors.Is(err, eventlog.ErrConflict) {
				st.read = false // it may be stored all the same: whoever is next looks
				return err
			}
			known := st.revision
			if err := s.catchUp(ctx, name, st); err != nil {
				return err
			}
			if st.revision == known {
				return err // there is nothing to catch up with: asking again would go on for ever
			}
		}
	})
}

// with has a state to itself.
func (s *States[S]) with(ctx context.Context, name string, do func(*state[S]) error) error {
	st := s.acquire(name)
	defer s.release(st)
	st.mu.Lock()
	defer st.mu.Unlock()
	if !st.read {
		if err := s.catchUp(ctx, name, st); err != nil {
			return err
		}
		st.read = true
	}
	return do(st)
}

func (s *States[S]) acquire(name string) *state[S] {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.held[name]
	if st == nil {
		if len(s.held) >= maxHeld {
			maps.DeleteFunc(s.held, func(_ string, st *state[S]) bool { return st.users == 0 })
		}
		st = &state[S]{}
		s.held[name] = st
	}
	st.users++
	return st
}

func (s *States[S]) release(st *state[S]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st.users--
}

func (s *States[S]) catchUp(ctx context.Context, name string, st *state[S]) error {
	return s.log.Each(ctx, name, st.revision, func(e eventlog.Entry) error { return s.take(name, st, e) })
}

func (s *States[S]) take(name string, st *state[S], e eventlog.Entry) error {
	if err := s.fold(&st.folded, e); err != nil {
		return fmt.Errorf("entry %d of log %q: %w", e.Revision, name, err)
	}
	st.revision = e.Revision
	return nil
}
