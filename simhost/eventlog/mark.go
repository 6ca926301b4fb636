package eventlog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Mark returns the revision of the last append to any log, and the logs that are pending there. All appends up to it are what a
// crash right behind it would have left.
func (s *Store) Mark(ctx context.Context) (last uint64, pending []string, err error) {
	end, err := s.begin()
	if err != nil {
		return 0, nil, fmt.Errorf("mark a point in the logs: %w", err)
	}
	defer end()
	// Nobody clears a mark meanwhile, and every log was marked before its first append.
	s.pending.mu.Lock()
	defer s.pending.mu.Unlock()
	info, err := s.logs.Info(ctx)
	if err != nil {
		return 0, nil, fmt.Errorf("mark a point in the logs: %w", s.failed(err))
	}
	return info.State.LastSeq, slices.Sorted(maps.Keys(s.pending.live)), nil
}

// At returns the append of a revision, the log that it is in, and the revision before it in that log. The log is "" where no append
// has the revision.
func (s *Store) At(ctx context.Context, revision uint64) (log string, after uint64, entry Entry, err error) {
	log, after, entry, err = s.at(ctx, revision)
	if err != nil {
		return "", 0, Entry{}, fmt.Errorf("read revision %d: %w", revision, err)
	}
	return log, after, entry, nil
}

func (s *Store) at(ctx context.Context, revision uint64) (log string, after uint64, entry Entry, err error) {
	end, err := s.begin()
	if err != nil {
		return "", 0, entry, err
	}
	defer end()
	if revision == 0 {
		return "", 0, entry, ErrNoEntry
	}
	msg, err := s.message(ctx, revision)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return "", 0, entry, nil
	}
	if err != nil {
		return "", 0, entry, s.failed(err)
	}
	if after, err = strconv.ParseUint(msg.Header.Get(nats.ExpectedLastSubjSeqHdr), 10, 64); err != nil {
		return "", 0, entry, fmt.Errorf("it was not written by Append: %w", err)
	}
	return strings.TrimPrefix(msg.Subject, s.prefix), after, Entry{Revision: msg.Sequence, Data: msg.Data}, nil
}
