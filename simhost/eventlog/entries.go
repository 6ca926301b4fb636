package eventlog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Entry is one append as it was stored.
type Entry struct {
	Revision uint64 // grows within a log, with gaps
	Data     []byte // the caller may keep it, and change it
}

// Append adds one entry to a log and returns its revision. after is the revision of the log's last entry, 0 where the log
// must not exist yet; if that is not so, the error is ErrConflict, and of several that append after the same entry one
// wins. Other errors are ErrName, ErrTooLarge, ErrFull and ErrClosed.
//
// ctx is heard until the entry is on its way; from then on Append waits for the outcome, so an error of ctx always
// means that nothing was written.
func (s *Store) Append(ctx context.Context, log string, after uint64, data []byte) (uint64, error) {
	revision, err := s.append(ctx, log, after, data)
	if err != nil {
		return 0, fmt.Errorf("append to log %q after %d: %w", log, after, err)
	}
	return revision, nil
}

func (s *Store) append(ctx context.Context, log string, after uint64, data []byte) (uint64, error) {
	end, err := s.begin()
	if err != nil {
		return 0, err
	}
	defer end()
	if err := checkName(log); err != nil {
		return 0, err
	}
	if len(data) > s.options.MaxPayload {
		return 0, fmt.Errorf("%d bytes: %w (%d bytes): append less at once", len(data), ErrTooLarge, s.options.MaxPayload)
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	ack, err := s.js.PublishMsg(s.writable, &nats.Msg{Subject: logPrefix + log, Data: data},
		jetstream.WithExpectLastSequencePerSubject(after))
	if err != nil {
		return 0, s.failed(s.whyNot(err))
	}
	s.tails.wake(log)
	return ack.Sequence, nil
}

// Read returns the entries of a log with a revision above after, in order; none where there are none, also where the log
// does not exist.
func (s *Store) Read(ctx context.Context, log string, after uint64) ([]Entry, error) {
	entries, err := s.read(ctx, log, after)
	if err != nil {
		return nil, fmt.Errorf("read log %q after %d: %w", log, after, err)
	}
	return entries, nil
}

// Last returns the last entry of a log. Where the log does not exist its revision is 0, after which Append begins one.
func (s *Store) Last(ctx context.Context, log string) (Entry, error) {
	entry, err := s.last(ctx, log)
	if err != nil {
		return Entry{}, fmt.Errorf("read the last entry of log %q: %w", log, err)
	}
	return entry, nil
}

func (s *Store) last(ctx context.Context, log string) (Entry, error) {
	end, err := s.begin()
	if err != nil {
		return Entry{}, err
	}
	defer end()
	if err := checkName(log); err != nil {
		return Entry{}, err
	}
	msg, err := s.logs.GetLastMsgForSubject(ctx, logPrefix+log)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return Entry{}, nil
	}
	if err != nil {
		return Entry{}, err
	}
	return Entry{Revision: msg.Sequence, Data: msg.Data}, nil
}

// read goes from the last entry back: every entry carries the revision before its own, which the append was guarded with.
// That costs one look-up an entry, where searching the stream by subject would look at all that stands between.
func (s *Store) read(ctx context.Context, log string, after uint64) ([]Entry, error) {
	end, err := s.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	if err := checkName(log); err != nil {
		return nil, err
	}
	msg, err := s.logs.GetLastMsgForSubject(ctx, logPrefix+log)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	var entries []Entry
	for err == nil && msg.Sequence > after {
		entries = append(entries, Entry{Revision: msg.Sequence, Data: msg.Data})
		before, bad := strconv.ParseUint(msg.Header.Get(nats.ExpectedLastSubjSeqHdr), 10, 64)
		if bad != nil {
			return nil, fmt.Errorf("revision %d was not written by Append: %w", msg.Sequence, bad)
		}
		if before <= after {
			break
		}
		if msg, err = s.logs.GetMsg(ctx, before); errors.Is(err, jetstream.ErrMsgNotFound) {
			err = fmt.Errorf("revision %d is damaged: put a copy of the --data folder back", before)
		}
	}
	if err != nil {
		return nil, err
	}
	slices.Reverse(entries)
	return entries, nil
}

// Get returns the one entry of a log that has this revision. The error is ErrNoEntry where there is none.
func (s *Store) Get(ctx context.Context, log string, revision uint64) (Entry, error) {
	entry, err := s.get(ctx, log, revision)
	if err != nil {
		return Entry{}, fmt.Errorf("read entry %d of log %q: %w", revision, log, err)
	}
	return entry, nil
}

func (s *Store) get(ctx context.Context, log string, revision uint64) (Entry, error) {
	end, err := s.begin()
	if err != nil {
		return Entry{}, err
	}
	defer end()
	if err := checkName(log); err != nil {
		return Entry{}, err
	}
	if revision == 0 { // which the server takes for no question at all
		return Entry{}, ErrNoEntry
	}
	msg, err := s.logs.GetMsg(ctx, revision)
	if errors.Is(err, jetstream.ErrMsgNotFound) || (err == nil && msg.Subject != logPrefix+log) {
		return Entry{}, ErrNoEntry
	}
	if err != nil {
		return Entry{}, err
	}
	return Entry{Revision: msg.Sequence, Data: msg.Data}, nil
}

func checkName(log string) error {
	if len(log) < 1 || len(log) > 128 {
		return fmt.Errorf("%d characters: %w", len(log), ErrName)
	}
	for i := range len(log) {
		switch c := log[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
		default:
			return ErrName
		}
	}
	return nil
}
