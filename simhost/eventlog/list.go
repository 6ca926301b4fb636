package eventlog

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// List yields the name of every log, sorted by bytes. A log that is made meanwhile may be missing. An error is yielded last.
func (s *Store) List(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for log, err := range s.subjects(ctx, s.stream, s.prefix) {
			if err != nil {
				yield("", fmt.Errorf("list logs: %w", err))
				return
			}
			if !yield(log, nil) {
				return
			}
		}
	}
}

// subjects yields what follows prefix in the subjects of a stream, sorted. It asks page by page (a page is 100,000 names),
// which the client library does too, but only to hand out all of them at once.
func (s *Store) subjects(ctx context.Context, stream, prefix string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		last := ""
		for offset := 0; ; {
			page, err := s.subjectPage(ctx, stream, prefix, offset)
			if err != nil {
				yield("", err)
				return
			}
			for _, subject := range slices.Sorted(maps.Keys(page.State.Subjects)) {
				// A subject that came in before the page's first pushes one over from the page before.
				if subject <= last {
					continue
				}
				last = subject
				if !yield(strings.TrimPrefix(subject, prefix), nil) {
					return
				}
			}
			offset += len(page.State.Subjects)
			if len(page.State.Subjects) == 0 || offset >= page.Total {
				return
			}
		}
	}
}

type subjectPage struct {
	Total int `json:"total"`
	State struct {
		Subjects map[string]uint64 `json:"subjects"`
	} `json:"state"`
	Error *jetstream.APIError `json:"error"`
}

func (s *Store) subjectPage(ctx context.Context, stream, prefix string, offset int) (subjectPage, error) {
	var page subjectPage
	end, err := s.begin()
	if err != nil {
		return page, err
	}
	defer end()
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	ask := fmt.Appendf(nil, `{"subjects_filter":%q,"offset":%d}`, prefix+"*", offset)
	reply, err := s.reader.RequestWithContext(ctx, "$JS.API.STREAM.INFO."+stream, ask)
	if err != nil {
		return page, s.failed(err)
	}
	if err := json.Unmarshal(reply.Data, &page); err != nil {
		return page, fmt.Errorf("decode the names: %w", err)
	}
	if page.Error != nil {
		return page, page.Error
	}
	return page, nil
}
