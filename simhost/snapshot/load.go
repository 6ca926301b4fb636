package snapshot

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/openassay/assay/simhost/eventlog"
)

// The errors of reading, by errors.Is.
var (
	// ErrForeign means that the file is no snapshot, or one of a version that this program does not know.
	ErrForeign = errors.New("this is no snapshot of a simulated host")
	// ErrDamaged means that the file is a snapshot of which something was changed or is missing.
	ErrDamaged = errors.New("the snapshot is damaged: save it again, or fetch the file again")
)

// maxLine bounds a line: the largest append, escaped.
const maxLine = 64 << 20

// Check reads a snapshot to its end without keeping anything of it, and returns its header.
func Check(r io.Reader) (Header, error) { return read(r, func(line) error { return nil }) }

// Load appends the entries of a snapshot to an empty store, as they were. r should have been checked: an error leaves behind
// whatever came before it.
func Load(ctx context.Context, r io.Reader, store *eventlog.Store) (Header, error) {
	last := map[string]uint64{} // revision, by log
	h, err := read(r, func(l line) error {
		data := l.Bytes
		if l.Text != nil {
			data = []byte(*l.Text)
		}
		revision, err := store.Append(ctx, l.Log, last[l.Log], data)
		if err == nil && revision != l.Revision {
			err = fmt.Errorf("the store gives revision %d to entry %d: load into a folder that is empty", revision, l.Revision)
		}
		last[l.Log] = revision
		return err
	})
	if err != nil {
		return h, err
	}
	for _, log := range h.Pending {
		if err := store.MarkPending(ctx, log); err != nil {
			return h, err
		}
	}
	return h, nil
}

// read calls see with every entry. The digest is known to be right only when it returns.
func read(r io.Reader, see func(line) error) (h Header, err error) {
	zip, err := gzip.NewReader(bufio.NewReader(r))
	if err != nil {
		return h, fmt.Errorf("%w: it is not compressed as one", ErrForeign)
	}
	lines := &reader{in: bufio.NewReaderSize(zip, 64<<10), sum: sha256.New()}
	first, err := lines.next()
	if err != nil {
		if errors.Is(err, io.EOF) {
			return h, fmt.Errorf("%w: it is empty", ErrForeign)
		}
		return h, err
	}
	if json.Unmarshal(first, &h) != nil || h.Format == "" {
		return h, fmt.Errorf("%w: its first line is not what one begins with", ErrForeign)
	}
	if h.Format != Format {
		return h, fmt.Errorf("%w that this program reads: it says %.60q, and this program knows %s: use the release that wrote it",
			ErrForeign, h.Format, Format)
	}
	lines.take(first)
	for at := uint64(1); at <= h.Last; at++ {
		raw, err := lines.next()
		if err != nil {
			return h, damaged(err)
		}
		var l line
		if err := strictly(raw, &l); err != nil || l.Revision != at || (l.Text == nil) == (l.Bytes == nil) {
			return h, fmt.Errorf("%w (entry %d of %d)", ErrDamaged, at, h.Last)
		}
		lines.take(raw)
		if err := see(l); err != nil {
			return h, fmt.Errorf("entry %d of %d: %w", at, h.Last, err)
		}
	}
	return h, lines.end(h.Last)
}

// strictly decodes one JSON value that has no members which nobody knows.
func strictly(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

type reader struct {
	in  *bufio.Reader
	sum hash.Hash
}

// next returns a line with its end.
func (r *reader) next() ([]byte, error) {
	var whole []byte
	for {
		piece, err := r.in.ReadSlice('\n')
		whole = append(whole, piece...)
		switch {
		case len(whole) > maxLine:
			return nil, fmt.Errorf("%w: a line has more than %d bytes", ErrDamaged, maxLine)
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(whole) > 0:
			return nil, fmt.Errorf("%w: it ends within a line", ErrDamaged)
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		case err != nil:
			return nil, damaged(err)
		default:
			return whole, nil
		}
	}
}

func (r *reader) take(line []byte) { r.sum.Write(line) }

// end checks the last line, and that nothing follows it.
func (r *reader) end(entries uint64) error {
	raw, err := r.next()
	if err != nil {
		return damaged(err)
	}
	var last end
	if err := strictly(raw, &last); err != nil || last.Entries != entries || last.SHA256 != hex.EncodeToString(r.sum.Sum(nil)) {
		return fmt.Errorf("%w (its digest is not that of its lines)", ErrDamaged)
	}
	if _, err := r.next(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w (something follows its end)", ErrDamaged)
	}
	return nil
}

// damaged words what keeps a file from being read to its end.
func damaged(err error) error {
	switch {
	case errors.Is(err, ErrDamaged):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w (it ends too early)", ErrDamaged)
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("%w (%w)", ErrDamaged, err)
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}
