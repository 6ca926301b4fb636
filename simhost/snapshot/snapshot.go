// Package snapshot writes the logs of a simulated host into one file, and reads it into the folder of another one: for a bug
// report, or for a test that begins where somebody else's host stood.
//
// The file is gzip around lines of JSON: a [Header], an entry for each append to the logs, in the order in which they were made, and
// a line with a digest of all that stands before it. Revisions are kept: logs refer to them. Secrets are left out.
package snapshot

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/openassay/assay/simhost/eventlog"
)

// Format is the version of the file.
const Format = "assay-simhost-snapshot/1"

// Header is the first line of a snapshot.
type Header struct {
	Format  string    `json:"format"`
	Release string    `json:"release,omitempty"` // of the program that wrote it
	Taken   time.Time `json:"taken"`
	Clock   string    `json:"clock,omitempty"` // what moved the clock of the host, where it was running
	Now     time.Time `json:"now,omitzero"`    // by that clock
	Start   []string  `json:"start,omitempty"` // flags that the host was started with; placeholders stand for keys
	On      Switches  `json:"on,omitzero"`     // where the host was running
	Last    uint64    `json:"last"`            // revision of the last append; entries have all from 1 to it
	Pending []string  `json:"pending,omitempty"`
}

// Switches are the faults and variations that were on.
type Switches struct {
	Faults     []string `json:"faults,omitempty"`
	Variations []string `json:"variations,omitempty"`
}

// IsZero reports whether nothing was on.
func (s Switches) IsZero() bool { return len(s.Faults)+len(s.Variations) == 0 }

// line is an append. Exactly one of Text and Bytes holds its data, as it is UTF-8 or not.
type line struct {
	Revision uint64  `json:"revision"`
	Log      string  `json:"log"`
	Text     *string `json:"text,omitempty"`
	Bytes    []byte  `json:"bytes,omitempty"`
}

// end is the last line.
type end struct {
	Entries uint64 `json:"entries"`
	SHA256  string `json:"sha256"` // of all lines before
}

// gap is the log of appends that are left out. They are there so that the others keep their revisions.
const gap = "snapshot-left-out"

// Secrets are what a snapshot leaves out.
type Secrets struct {
	Logs   []string         // whole logs
	Texts  []*regexp.Regexp // whatever matches, in other logs
	Values []string         // keys; a placeholder stands for each
}

// Options say how a snapshot is written.
type Options struct {
	Release string
	Start   []string
	Secrets Secrets
}

// Taken is a point in the logs of a store, from which a snapshot can be written.
type Taken struct {
	Header Header
	store  *eventlog.Store
	hide   *hider
	logs   []string
}

// Take marks a point in the logs. What is appended later is not in the snapshot.
func Take(ctx context.Context, store *eventlog.Store, o Options) (*Taken, error) {
	last, pending, err := store.Mark(ctx)
	if err != nil {
		return nil, err
	}
	hide := newHider(o.Secrets)
	h := Header{Format: Format, Release: o.Release, Taken: time.Now().UTC().Truncate(time.Second), Last: last}
	for _, flag := range o.Start {
		h.Start = append(h.Start, string(hide.clean([]byte(flag))))
	}
	h.Pending = slices.DeleteFunc(pending, func(log string) bool { return slices.Contains(o.Secrets.Logs, log) })
	return &Taken{Header: h, store: store, hide: hide, logs: o.Secrets.Logs}, nil
}

// Write writes the snapshot. It may be called again.
func (t *Taken) Write(ctx context.Context, w io.Writer) error {
	if err := t.write(ctx, w); err != nil {
		return fmt.Errorf("write a snapshot: %w", err)
	}
	return nil
}

func (t *Taken) write(ctx context.Context, w io.Writer) error {
	zip := gzip.NewWriter(w)
	buffer := bufio.NewWriter(zip)
	sum := sha256.New()
	lines := json.NewEncoder(io.MultiWriter(buffer, sum))
	lines.SetEscapeHTML(false)
	if err := lines.Encode(t.Header); err != nil {
		return err
	}
	for revision := uint64(1); revision <= t.Header.Last; revision++ {
		entry, err := t.entry(ctx, revision)
		if err == nil {
			err = lines.Encode(entry)
		}
		if err != nil {
			return err
		}
	}
	if err := json.NewEncoder(buffer).Encode(end{t.Header.Last, hex.EncodeToString(sum.Sum(nil))}); err != nil {
		return err
	}
	if err := buffer.Flush(); err != nil {
		return err
	}
	return zip.Close()
}

func (t *Taken) entry(ctx context.Context, revision uint64) (line, error) {
	log, _, e, err := t.store.At(ctx, revision)
	if err != nil {
		return line{}, err
	}
	if log == "" || slices.Contains(t.logs, log) {
		log, e.Data = gap, []byte("{}")
	}
	data := t.hide.clean(e.Data)
	if utf8.Valid(data) {
		return line{Revision: revision, Log: log, Text: new(string(data))}, nil
	}
	return line{Revision: revision, Log: log, Bytes: data}, nil
}
