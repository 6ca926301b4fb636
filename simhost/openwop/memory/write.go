package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/refusal"
)

// What the tags of an entry may be at most.
const (
	maxTags     = 32
	maxTagBytes = 128
)

// Write is an entry to be.
type Write struct {
	Content string
	Tags    []string
	TTL     time.Duration // from the write on; 0: for ever
	// Origin names the cause of the write among all of the scope. A write with an origin that has written before returns
	// what was written then and writes nothing, so that what a crash interrupted can be done again. "" is none.
	Origin string
}

// Write remembers. It refuses with a refusal.Error: payload_too_large for the content, validation_error for the rest.
func (s *Store) Write(ctx context.Context, scope Scope, w Write) (Entry, error) {
	return s.Add(ctx, Of(scope), w)
}

// Add is Write into the last scope of a line.
func (s *Store) Add(ctx context.Context, l Line, w Write) (written Entry, err error) {
	taken, err := s.taken(ctx, l)
	if err != nil {
		return Entry{}, err
	}
	scope := l.Own()
	err = s.scopes.Append(ctx, s.log(scope), func(e *entries) ([]byte, error) {
		if place, ok := e.origins[w.Origin]; ok {
			written = e.all[place]
			return nil, nil
		}
		r, err := s.next(scope, len(e.all), w)
		if err != nil {
			return nil, err
		}
		written = r.entry()
		data, err := json.Marshal(r)
		if err == nil && taken+e.bytes+len(data) > s.o.MaxBytes {
			return nil, full(taken + e.bytes)
		}
		return data, err
	})
	if err != nil {
		return Entry{}, err
	}
	return written, nil
}

// next is the entry that a write makes at a place, which counts from 0.
func (s *Store) next(scope Scope, place int, w Write) (record, error) {
	if err := check(w); err != nil {
		return record{}, err
	}
	r := record{
		ID:        fmt.Sprintf("%s-%d", s.log(scope), place+1),
		Content:   s.redacted(rules.EntryContent, w.Content),
		Tags:      make([]string, len(w.Tags)),
		CreatedAt: s.o.Clock.Now().UTC().Truncate(time.Microsecond),
		Origin:    w.Origin,
	}
	// The marker of a secret can be longer than the secret.
	if bytes := max(len(w.Content), len(r.Content)); bytes > s.o.MaxEntryBytes {
		return record{}, refusal.New(refusal.TooLarge, fmt.Sprintf("the entry has %d bytes: keep it within %d", bytes, s.o.MaxEntryBytes),
			"field", "content", "maxEntrySizeBytes", s.o.MaxEntryBytes)
	}
	for i, tag := range w.Tags {
		r.Tags[i] = s.redacted(rules.EntryTags, tag)
	}
	if w.TTL > 0 {
		r.ExpiresAt = r.CreatedAt.Add(w.TTL)
	}
	return r, nil
}

func (s *Store) redacted(part rules.EntryPart, text string) string {
	if !s.o.Rules.Redacts(part) {
		return text
	}
	return s.redactor.Text(text)
}

// taken is how many bytes the scopes below the last one of a line hold. They count with that: what a run may write has
// room when it is merged.
func (s *Store) taken(ctx context.Context, l Line) (bytes int, err error) {
	for i := range len(l) - 1 {
		err = s.scopes.View(ctx, s.log(l[i].Scope), func(e *entries) error {
			bytes += e.bytes
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return bytes, nil
}

func full(bytes int) *refusal.Error {
	return refusal.New(refusal.TooLarge, fmt.Sprintf("the memory is full: it holds %d bytes, and nothing is ever removed from it: "+
		"start the host with another --data folder", bytes))
}

func check(w Write) error {
	switch {
	case !utf8.ValidString(w.Content):
		return refusal.Invalid("content", "it is not UTF-8: an entry is text")
	case w.TTL < 0:
		return refusal.Invalid("ttl", "it must not be negative: leave it off for an entry that does not expire")
	case len(w.Tags) > maxTags:
		return refusal.Invalid("tags", "give at most %d", maxTags)
	}
	for _, tag := range w.Tags {
		if tag == "" || len(tag) > maxTagBytes || !utf8.ValidString(tag) {
			return refusal.Invalid("tags", "each must be text of 1 to %d bytes", maxTagBytes)
		}
	}
	return nil
}

// record is one entry in the log of a scope, or those of a draft that was merged.
type record struct {
	Merged []record `json:"merged,omitempty"`

	ID        string    `json:"id,omitzero"`
	Content   string    `json:"content"`
	Tags      []string  `json:"tags"`
	CreatedAt time.Time `json:"createdAt,omitzero"`
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	Origin    string    `json:"origin,omitempty"`
}

func (r record) entry() Entry {
	return Entry{ID: r.ID, Content: r.Content, Tags: r.Tags, CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt}
}

// entries are the fold of a scope's log.
type entries struct {
	all     []Entry
	bytes   int            // of them in the log
	origins map[string]int // place of what an origin wrote
}

// fold takes in one entry of the log.
func (e *entries) fold(logged eventlog.Entry) error {
	var r record
	if err := json.Unmarshal(logged.Data, &r); err != nil {
		return fmt.Errorf("decode a memory entry: %w", err)
	}
	if r.Origin != "" {
		if e.origins == nil {
			e.origins = map[string]int{}
		}
		e.origins[r.Origin] = len(e.all)
	}
	e.bytes += len(logged.Data)
	if r.Merged == nil {
		e.all = append(e.all, r.entry())
	}
	for _, merged := range r.Merged {
		e.all = append(e.all, merged.entry())
	}
	return nil
}
