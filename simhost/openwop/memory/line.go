package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/openassay/assay/simhost/openwop/rules"
)

// Line is what a run remembers through: the memory of its agent, and over it a draft for each step by which the run comes
// from the one whose agent that is. It writes into the last scope. A mark counts the entries of all of them, so that one
// of a run means the same to every run that comes from it.
type Line []Layer

// Layer is one scope of a line.
type Layer struct {
	Scope Scope `json:"scope"`
	From  int64 `json:"from,omitzero"` // the mark at which it stands over those below; 0 for the first
}

// Of is the line of a run that comes from no other.
func Of(s Scope) Line { return Line{{Scope: s}} }

// Draft is the line of a run that comes from one with the line l, and remembers what that did at a mark.
func (l Line) Draft(run string, mark int64) Line {
	own := l.Own()
	own.Run = run
	l = slices.Clone(l)
	// Whatever was written from that mark on is nothing to it.
	for len(l) > 1 && l[len(l)-1].From >= mark {
		l = l[:len(l)-1]
	}
	return append(l, Layer{own, mark})
}

// Own is the scope that the run writes into; the line must not be empty.
func (l Line) Own() Scope { return l[len(l)-1].Scope }

// Reach is the mark of all that a line can read now.
func (s *Store) Reach(ctx context.Context, l Line) (int64, error) {
	last := l[len(l)-1]
	mark, err := s.Mark(ctx, last.Scope)
	return last.From + mark, err
}

// Oldest is the lowest mark of a line that is still kept, as History bounds it: what could be read at a lower one can no
// longer be told. Where none is, that is more than any mark.
func (s *Store) Oldest(ctx context.Context, l Line) (oldest int64, err error) {
	if s.o.History == 0 {
		return 0, nil
	}
	for i, layer := range l {
		written, err := s.Mark(ctx, layer.Scope)
		if err != nil {
			return 0, err
		}
		kept := layer.From + written - int64(s.o.History)
		if i+1 < len(l) && kept > l[i+1].From {
			return math.MaxInt64, nil
		}
		oldest = max(oldest, kept)
	}
	return oldest, nil
}

// Read returns the entries of a line below a mark, oldest first, as Entries does of one scope.
func (s *Store) Read(ctx context.Context, l Line, mark int64, tag string, now time.Time) (read []Entry, err error) {
	for i, layer := range l {
		end := mark
		if i+1 < len(l) {
			end = min(end, l[i+1].From)
		}
		entries, err := s.Entries(ctx, layer.Scope, end-layer.From, tag, now)
		if err != nil {
			return nil, err
		}
		read = append(read, entries...)
	}
	return read, nil
}

// Merge brings the entries of a draft into another scope, in order and as they are: id, time and, by the rules, expiry stay. Merging a
// draft again does nothing, so it must have been written to the end.
func (s *Store) Merge(ctx context.Context, into, draft Scope) error {
	var all []Entry
	err := s.scopes.View(ctx, s.log(draft), func(e *entries) error {
		all = e.all
		return nil
	})
	for at := 0; at < len(all) && err == nil; {
		part := record{Origin: fmt.Sprintf("%s from %d", draft.log(), at)}
		for size := 0; at < len(all) && size < mergePart; at++ {
			entry := all[at]
			part.Merged = append(part.Merged, record{
				ID: entry.ID, Content: entry.Content, Tags: entry.Tags, CreatedAt: entry.CreatedAt,
				ExpiresAt: s.o.Rules.Ends(rules.Lifetime{Created: entry.CreatedAt, Expires: entry.ExpiresAt, Merges: s.o.Clock.Now()}),
			})
			size += len(entry.Content)
		}
		err = s.scopes.Append(ctx, s.log(into), func(e *entries) ([]byte, error) {
			if _, done := e.origins[part.Origin]; done {
				return nil, nil
			}
			return json.Marshal(part)
		})
	}
	return err
}

// mergePart is the content that one append of a merge has, or little more: a log takes no end of it at once.
const mergePart = 512 << 10
