// Package ticket writes a certification with pending drives to a file, and reads it back. Another process can then continue the
// drives when their limits are over.
package ticket

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/replace"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
)

// Limits of a ticket, which anybody may have written.
const (
	mostBytes    = 64 << 20
	mostUnpacked = 256 << 20
)

// Ticket is one that was read.
type Ticket struct {
	Address, Protocol string
	Version, Binary   string // of the Assay that wrote it
	Select            scenarios.Selection
	Salt              string // of the names of fixtures, "" for the published ones
	Begun             scenarios.Begun

	doc results.Ticket
}

// ErrNone means that a file holds no ticket, or not all of one.
var ErrNone = errors.New("it is no ticket of assay certify --launch")

// Write writes the pending drives of a report to a file that only its owner can read. written is false if there are none.
func Write(path string, r *scenarios.Report, version, binary string) (written bool, err error) {
	begun, pending, err := r.Begun()
	if !pending || err != nil {
		return false, err
	}
	doc := results.Ticket{
		Schema: results.TicketSchemaAssayTicket1, Assay: results.TicketAssay{Version: version, Binary: binary},
		Protocol: r.Protocol.ID, Address: r.Address, StartedAt: begun.Started, Seed: strconv.FormatUint(begun.Seed, 10),
		Depth: begun.Depth.String(), Salt: reports.Salt(r),
		Run: *reports.Run(begun.RunID), Filter: reports.Filter(r.Select), Secrets: int64(begun.Secrets),
		Turn: begun.Turn.Seconds(), Behind: begun.Behind.Seconds(),
	}
	for _, p := range begun.Pending {
		out := results.PendingDrive{Drive: p.Drive, What: p.What, Since: p.Since.UTC(), Seconds: p.Limit.Seconds(), Due: p.Due().UTC(),
			Left: append([]string{}, p.Left...)}
		for _, o := range r.Outcomes {
			if o.Drive == p.Drive {
				out.Scenarios = append(out.Scenarios, string(o.Scenario.ID))
			}
		}
		doc.Pending = append(doc.Pending, out)
	}
	for _, name := range slices.Sorted(maps.Keys(begun.Transcripts)) {
		packed, err := pack(begun.Transcripts[name])
		if err != nil {
			return true, err
		}
		doc.Transcripts = append(doc.Transcripts, packed)
	}
	if doc.Digest, err = digest(doc); err != nil {
		return true, err
	}
	return true, save(path, doc)
}

// save writes the ticket so that only its owner can read it.
func save(path string, doc results.Ticket) error {
	encoded, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	return replace.File(path, 0o600, func(w io.Writer) error {
		_, err := w.Write(append(encoded, '\n'))
		return err
	})
}

// Read reads a ticket that was not used yet.
func Read(path string) (*Ticket, error) {
	raw, err := read(path)
	if err != nil {
		return nil, err
	}
	schema, err := ticketSchema()
	if err != nil {
		return nil, err
	}
	if problems := schema.Validate(raw); len(problems) > 0 {
		return nil, fmt.Errorf("%w, or it is cut short: %s", ErrNone, problems[0])
	}
	var doc results.Ticket
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	switch want, err := digest(doc); {
	case err != nil:
		return nil, err
	case want != doc.Digest:
		return nil, errors.New("it was changed after it was written: its digest does not fit")
	case !doc.CheckedAt.IsZero():
		return nil, fmt.Errorf("it was gone on with at %s, and what was left running is cleaned up: launch again",
			doc.CheckedAt.UTC().Format(time.RFC3339))
	}
	return opened(doc)
}

// ticketSchema compiles the schema when the first ticket is read, not at start.
var ticketSchema = validate.Later(results.Bundled, "Ticket")

func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	raw, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	if err == nil && len(raw) > mostBytes {
		err = fmt.Errorf("%w: it has more than %d MiB", ErrNone, mostBytes>>20)
	}
	return raw, err
}

func opened(doc results.Ticket) (*Ticket, error) {
	seed, err := strconv.ParseUint(doc.Seed, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("its seed: %w", err)
	}
	depth, err := scenarios.ParseDepth(doc.Depth)
	if err != nil {
		return nil, fmt.Errorf("its depth: %w", err)
	}
	t := &Ticket{
		Address: doc.Address, Protocol: doc.Protocol, Version: doc.Assay.Version, Binary: doc.Assay.Binary,
		Select: reports.Selection(doc.Filter), doc: doc,
		Begun: scenarios.Begun{
			Started: doc.StartedAt, Seed: seed, Depth: depth, RunID: reports.RunID(&doc.Run), Secrets: int(doc.Secrets),
			Turn: seconds(doc.Turn), Behind: seconds(doc.Behind), Transcripts: map[string][]byte{},
		},
	}
	if doc.Salt != nil {
		t.Salt = *doc.Salt
	}
	for _, p := range doc.Pending {
		t.Begun.Pending = append(t.Begun.Pending, scenarios.Pending{Drive: p.Drive, What: p.What, Since: p.Since, Limit: seconds(p.Seconds),
			Left: p.Left})
	}
	room := int64(mostUnpacked)
	for i, packed := range doc.Transcripts {
		raw, err := unpack(packed, room)
		if err != nil {
			return nil, fmt.Errorf("its transcript %d: %w", i+1, err)
		}
		room -= int64(len(raw))
		var head struct {
			Drive string `json:"drive"`
		}
		if err := json.Unmarshal(raw, &head); err != nil {
			return nil, fmt.Errorf("its transcript %d: %w", i+1, err)
		}
		t.Begun.Transcripts[scenarios.TranscriptName(head.Drive)] = raw
	}
	slices.SortStableFunc(t.Begun.Pending, func(a, b scenarios.Pending) int { return cmp.Compare(a.Drive, b.Drive) })
	return t, nil
}

// Checked marks the ticket in the file as used. Nothing is left running after that, so [Read] refuses it.
func (t *Ticket) Checked(path string, at time.Time) error {
	doc := t.doc
	doc.CheckedAt = at.UTC().Truncate(time.Second)
	return save(path, doc)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// digest returns the digest that a ticket must have.
func digest(doc results.Ticket) (string, error) {
	doc.Digest, doc.CheckedAt = "", time.Time{}
	encoded, err := json.Marshal(doc)
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:]), err
}

func pack(raw []byte) ([]byte, error) {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(raw)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

func unpack(packed []byte, room int64) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(r, room+1))
	if err == nil && int64(len(raw)) > room {
		err = fs.ErrInvalid
	}
	return raw, err
}
