// Package memory keeps what runs remember: entries of a scope, in the order in which they were written, each one an entry
// in the log of the scope (RFC 0004). Nothing is ever changed or removed, so how many entries there were at some point
// (Mark) says for ever what could be read then; an entry that has expired is left out by the time that is asked for.
//
// A run that was dispatched or forked has a draft: a scope of its own that stands over the memory of the run that it comes
// from, as that was at one mark. A Line leads from the first of these scopes to the last. Merge brings what a draft holds
// into another scope.
package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/internal/folded"
	"github.com/openassay/assay/simhost/internal/redact"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// The bounds that count where Options leave them open.
const (
	DefaultMaxEntryBytes = 65536
	DefaultMaxBytes      = 32 << 20
)

// Scope is whose memory it is. Two scopes that differ in anything share nothing; above all no tenant reads what another
// one wrote (CTI-1).
type Scope struct {
	Tenant string `json:"tenant,omitzero"`
	Ref    string `json:"ref,omitzero"` // of the memory among the tenant's
	Run    string `json:"run,omitzero"` // whose draft it is; "" for the memory itself
}

// log names the log of a scope.
func (s Scope) log() string {
	if s.Run == "" {
		return folded.Name("mem", s.Tenant, s.Ref)
	}
	return folded.Name("mem", s.Tenant, s.Ref, s.Run)
}

// Entry is what was remembered.
type Entry struct {
	ID        string   // unique on the host; the same for the same place in the same scope
	Content   string   // secrets redacted
	Tags      []string // never nil; must not be changed
	CreatedAt time.Time
	ExpiresAt time.Time // zero: never; from then on the entry is not read
}

// Log is what this package needs of the event log.
type Log = folded.Log

// Options of the memory.
type Options struct {
	Log   Log
	Clock clock.Clock
	// MaxEntryBytes bounds the content of an entry. 0 means DefaultMaxEntryBytes.
	MaxEntryBytes int
	// MaxBytes bounds the entries of a scope, as they are logged: all of them are held in memory. 0 means DefaultMaxBytes.
	// What stands below a draft counts with it.
	MaxBytes int
	// History is how many entries may follow a mark before nobody can go back to it any more (see Oldest). 0 is no bound.
	History int
	// Secrets are stored as [REDACTED:n], where n is the place in this list, from 1. Those of less than 8 characters are
	// not looked for.
	Secrets []string
	// Rules say when an entry expires; the zero value is the honest ones.
	Rules rules.Memory
}

// Store is the memory of all scopes. The methods may be called concurrently.
type Store struct {
	o        Options
	scopes   *folded.States[entries]
	redactor *redact.Redactor
}

// Open returns the memory that is on a log. What a scope holds is read when it is first asked for.
func Open(o Options) (*Store, error) {
	if o.Log == nil || o.Clock == nil {
		return nil, errors.New("open the memory: it needs a log and a clock")
	}
	if o.MaxEntryBytes < 0 || o.MaxBytes < 0 || o.History < 0 {
		return nil, fmt.Errorf("open the memory: MaxEntryBytes %d, MaxBytes %d, History %d: must not be negative", o.MaxEntryBytes,
			o.MaxBytes, o.History)
	}
	if o.MaxEntryBytes == 0 {
		o.MaxEntryBytes = DefaultMaxEntryBytes
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.Rules.Ends == nil {
		o.Rules = rules.Honest().Memory
	}
	return &Store{o: o, scopes: folded.New(o.Log, (*entries).fold), redactor: redact.New(o.Secrets)}, nil
}

// log names the log of a scope, as the rules have it.
func (s *Store) log(scope Scope) string {
	scope.Tenant = s.o.Rules.Owner(scope.Tenant)
	return scope.log()
}

// Mark returns how many entries were ever written to a scope, expired ones too. A reader that keeps the mark of when it
// began is not shown what was written since.
func (s *Store) Mark(ctx context.Context, scope Scope) (mark int64, err error) {
	err = s.scopes.View(ctx, s.log(scope), func(e *entries) error {
		mark = int64(len(e.all))
		return nil
	})
	return mark, err
}

// Entries returns the first mark entries of a scope, oldest first: those that have not expired at now, and have the tag,
// unless it is "".
func (s *Store) Entries(ctx context.Context, scope Scope, mark int64, tag string, now time.Time) (read []Entry, err error) {
	err = s.scopes.View(ctx, s.log(scope), func(e *entries) error {
		for _, entry := range e.all[:max(0, min(mark, int64(len(e.all))))] {
			ends := s.o.Rules.Ends(rules.Lifetime{Created: entry.CreatedAt, Expires: entry.ExpiresAt})
			if (ends.IsZero() || now.Before(ends)) && (tag == "" || slices.Contains(entry.Tags, tag)) {
				read = append(read, entry)
			}
		}
		return nil
	})
	return read, err
}
