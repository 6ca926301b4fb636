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
	if err := s.checkLog(log); err != nil {
		return 0, err
	}
	if len(data) > s.options.MaxPayload {
		return 0, fmt.Errorf("%d bytes: %w (%d bytes): append less at once", len(data), ErrTooLarge, s.options.MaxPayload)
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	ack, err := s.js.PublishMsg(s.writable, &nats.Msg{Subject: s.prefix + log, Data: data},
		jetstream.WithExpectLastSequencePerSubject(after))
	if err != nil {
		return 0, s.failed(s.whyNot(err))
	}
	if s.ledger != nil {
		if err := s.ledger.write(ack.Sequence, line{nameOf(log), sumOf(after, data), stored}); err != nil {
			s.unwritable(fmt.Errorf("%w (ledger: %w)", ErrUnwritable, err))
			return 0, context.Cause(s.writable)
		}
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
	if err := s.checkLog(log); err != nil {
		return Entry{}, err
	}
	msg, err := s.lastMessage(ctx, log)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return Entry{}, nil
	}
	if err != nil {
		return Entry{}, err
	}
	return Entry{Revision: msg.Sequence, Data: msg.Data}, nil
}

func (s *Store) read(ctx context.Context, log string, after uint64) ([]Entry, error) {
	end, err := s.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	var entries []Entry
	if err := s.back(ctx, log, after, func(e Entry) { entries = append(entries, e) }); err != nil {
		return nil, err
	}
	slices.Reverse(entries)
	return entries, nil
}

// heldByEach is how many bytes of a log Each holds at a time.
const heldByEach = 16 << 20

// Each calls see with the entries that Read would return, in order, and ends with the first error of see. It takes a log
// of any size: it holds a few of the entries at a time, where Read holds them all. see must not use the store.
func (s *Store) Each(ctx context.Context, log string, after uint64, see func(Entry) error) error {
	var seen error
	err := s.each(ctx, log, after, heldByEach, func(e Entry) error {
		seen = see(e)
		return seen
	})
	if err != nil && seen == nil {
		return fmt.Errorf("read log %q after %d: %w", log, after, err)
	}
	return err
}

// each goes back through the log, holds what comes last, and fetches what stands before that again when its turn has come.
func (s *Store) each(ctx context.Context, log string, after uint64, hold int, see func(Entry) error) error {
	end, err := s.begin()
	if err != nil {
		return err
	}
	defer end()
	var held []Entry
	var earlier []uint64
	err = s.back(ctx, log, after, func(e Entry) {
		if hold -= len(e.Data); hold >= 0 {
			held = append(held, e)
		} else {
			earlier = append(earlier, e.Revision)
		}
	})
	if err != nil {
		return err
	}
	for _, revision := range slices.Backward(earlier) {
		msg, err := s.message(ctx, revision)
		if err != nil {
			return err
		}
		if err := see(Entry{Revision: revision, Data: msg.Data}); err != nil {
			return err
		}
	}
	for _, e := range slices.Backward(held) {
		if err := see(e); err != nil {
			return err
		}
	}
	return nil
}

// back goes from the last entry of a log back: every entry carries the revision before its own, which the append was guarded
// with. That costs one look-up an entry, where searching the stream by subject would look at all that stands between.
func (s *Store) back(ctx context.Context, log string, after uint64, see func(Entry)) error {
	if err := s.checkLog(log); err != nil {
		return err
	}
	msg, err := s.lastMessage(ctx, log)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil
	}
	for err == nil && msg.Sequence > after {
		see(Entry{Revision: msg.Sequence, Data: msg.Data})
		before, bad := strconv.ParseUint(msg.Header.Get(nats.ExpectedLastSubjSeqHdr), 10, 64)
		if bad != nil {
			return fmt.Errorf("revision %d was not written by Append: %w", msg.Sequence, bad)
		}
		if before <= after {
			break
		}
		if msg, err = s.message(ctx, before); errors.Is(err, jetstream.ErrMsgNotFound) {
			err = &LogError{log, s.options.Dir}
		}
	}
	return err
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
	if err := s.checkLog(log); err != nil {
		return Entry{}, err
	}
	if revision == 0 { // which the server takes for no question at all
		return Entry{}, ErrNoEntry
	}
	msg, err := s.message(ctx, revision)
	if errors.Is(err, jetstream.ErrMsgNotFound) || (err == nil && msg.Subject != s.prefix+log) {
		return Entry{}, ErrNoEntry
	}
	if err != nil {
		return Entry{}, err
	}
	return Entry{Revision: msg.Sequence, Data: msg.Data}, nil
}

// message asks for one message of the stream of logs.
func (s *Store) message(ctx context.Context, revision uint64) (*jetstream.RawStreamMsg, error) {
	return s.ask(ctx, func() (*jetstream.RawStreamMsg, error) { return s.logs.GetMsg(ctx, revision) })
}

// lastMessage asks for the last message of a log.
func (s *Store) lastMessage(ctx context.Context, log string) (*jetstream.RawStreamMsg, error) {
	return s.ask(ctx, func() (*jetstream.RawStreamMsg, error) { return s.logs.GetLastMsgForSubject(ctx, s.prefix+log) })
}

// ask waits until there is room for one more answer.
func (s *Store) ask(ctx context.Context, get func() (*jetstream.RawStreamMsg, error)) (*jetstream.RawStreamMsg, error) {
	select {
	case s.asking <- struct{}{}:
		defer func() { <-s.asking }()
		return get()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// answers is how many answers may be under way at once. The client drops one, without a word to whoever waits for it, while
// more bytes than its bound wait to be handed over.
func (o Options) answers() int { return nats.DefaultSubPendingBytesLimit / (o.MaxPayload + headroom) }

// checkLog refuses names that are none, and logs that lost appends.
func (s *Store) checkLog(log string) error {
	if err := checkName(log); err != nil {
		return err
	}
	if s.isGone(log) {
		return &LogError{log, s.options.Dir}
	}
	return nil
}

func (s *Store) isGone(log string) bool { return len(s.gone) > 0 && s.gone[nameOf(log)] }

// Dir is the folder of the store, "" for one in memory.
func (s *Store) Dir() string { return s.options.Dir }

// Successor returns the name under which the owner of a log goes on: the log itself, or where damage took appends of it, one
// derived from the name, whose log may not exist yet. It is for what a host cannot be without.
func (s *Store) Successor(log string) string {
	name := log
	for n := 2; s.isGone(name); n++ {
		name = fmt.Sprintf("%s-%d", log, n)
	}
	return name
}

func checkName(log string) error {
	if len(log) < 1 || len(log) > mostName {
		return fmt.Errorf("%d characters: %w", len(log), ErrName)
	}
	for i := range len(log) {
		if !isNameByte(log[i]) {
			return ErrName
		}
	}
	return nil
}

const mostName = 128 // characters

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}
