package eventlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// The ledger is a file beside the server's own: for each append that was acknowledged it has a line, at a place that follows from
// the append's sequence. The server repairs its files by itself when it opens them, and drops what it cannot read; the
// ledger is how one knows afterwards, and before it does so, what was there. A line is written after the append is stored and
// before the caller hears of it, so a crash leaves at most appends without a line, and those nobody was promised.
const (
	ledgerFile = "eventlog.ledger"
	ledgerHead = "assay ledger 1\n\x00"

	// lineSize is that of the head, too, so the line of sequence n begins at n*lineSize, and none lies across two sectors.
	lineSize = 16
)

// line is what the ledger has of one append: name(8) of the log, sum(4) of the entry, check(4) of the line itself, little-endian.
// A line of zeros is none.
type line struct {
	name uint64
	sum  uint32
	kind lineKind
}

type lineKind byte

const (
	noLine  lineKind = iota
	stored           // the append was acknowledged
	lost             // it was acknowledged and then lost to damage, which somebody has taken notice of
	badLine          // what stands there is no line
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// nameOf is the number of a log's name: that of FNV-1a, never 0. Written out, because hash/fnv takes memory for every hash.
func nameOf(log string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(log) {
		h = nameOn(h, log[i])
	}
	return h
}

// nameOn is the number of a name that is one byte longer.
func nameOn(name uint64, next byte) uint64 { return max((name^uint64(next))*1099511628211, 1) }

// sumOf is the checksum of an entry and the revision it was appended after.
func sumOf(after uint64, data []byte) uint32 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], after)
	return crc32.Update(crc32.Checksum(b[:], castagnoli), castagnoli, data)
}

func (l line) encode(sequence uint64) (b [lineSize]byte) {
	binary.LittleEndian.PutUint64(b[:], l.name)
	binary.LittleEndian.PutUint32(b[8:], l.sum)
	binary.LittleEndian.PutUint32(b[12:], checkOf(sequence, b[:12], l.kind))
	return b
}

// checkOf differs by kind, so that a line of one kind is not taken for one of the other.
func checkOf(sequence uint64, b []byte, kind lineKind) uint32 {
	var s [9]byte
	binary.LittleEndian.PutUint64(s[:], sequence)
	s[8] = byte(kind)
	return crc32.Update(crc32.Checksum(s[:], castagnoli), castagnoli, b)
}

func decodeLine(sequence uint64, b []byte) line {
	if [lineSize]byte(b) == ([lineSize]byte{}) {
		return line{}
	}
	l := line{name: binary.LittleEndian.Uint64(b), sum: binary.LittleEndian.Uint32(b[8:])}
	switch binary.LittleEndian.Uint32(b[12:]) {
	case checkOf(sequence, b[:12], stored):
		l.kind = stored
	case checkOf(sequence, b[:12], lost):
		l.kind = lost
	default:
		return line{kind: badLine}
	}
	return l
}

// ledger is the open file. Its methods may be called concurrently, for lines that differ.
type ledger struct{ file *os.File }

// errNoLedger means that the head of the file is not that of a ledger, or that there is no file.
var errNoLedger = errors.New("it is no ledger")

// openLedger opens the file for writing, and makes it where it is missing; synced has it wait for the disk then. Lines need no such
// wait: where a loss of power took some, those appends that are whole get them again.
func openLedger(dir string, synced bool) (*ledger, error) {
	f, err := openHeaded(filepath.Join(dir, ledgerFile), ledgerHead)
	if err != nil {
		return nil, fmt.Errorf("open the ledger: %w", err)
	}
	if synced {
		if err := errors.Join(f.Sync(), syncDir(dir)); err != nil {
			return nil, fmt.Errorf("open the ledger: %w", errors.Join(err, f.Close()))
		}
	}
	return &ledger{f}, nil
}

// openHeaded opens a file that begins with a head, for writing, and makes it where it is missing or empty.
func openHeaded(name, head string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	b := make([]byte, len(head))
	switch n, err := f.ReadAt(b, 0); {
	case string(b) == head:
	case n == 0 && errors.Is(err, io.EOF):
		if _, err := f.WriteAt([]byte(head), 0); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	default:
		return nil, errors.Join(fmt.Errorf("%s: %w", name, errNoLedger), f.Close())
	}
	return f, nil
}

func (l *ledger) write(sequence uint64, of line) error {
	b := of.encode(sequence)
	_, err := l.file.WriteAt(b[:], int64(sequence)*lineSize) //nolint:gosec // a file of so many lines cannot be
	return err
}

func (l *ledger) close() error { return l.file.Close() }

// ledgerLines are the lines of a ledger that nobody writes. bytes may end within a line.
type ledgerLines struct{ bytes []byte }

// readLedger reads the whole file. The error is errNoLedger where it has another head, fs.ErrNotExist where it is missing.
func readLedger(dir string) (ledgerLines, error) {
	b, err := os.ReadFile(filepath.Join(dir, ledgerFile))
	switch {
	case err != nil:
		return ledgerLines{}, err
	case len(b) == 0:
		return ledgerLines{}, fs.ErrNotExist
	case len(b) < lineSize || string(b[:lineSize]) != ledgerHead:
		return ledgerLines{b}, errNoLedger
	}
	return ledgerLines{b}, nil
}

// last is the highest sequence that may have a line.
func (l ledgerLines) last() uint64 {
	if n := uint64(len(l.bytes)) / lineSize; n > 0 {
		return n - 1
	}
	return 0
}

func (l ledgerLines) line(sequence uint64) line {
	if sequence == 0 || sequence > l.last() {
		return line{}
	}
	return decodeLine(sequence, l.bytes[sequence*lineSize:][:lineSize])
}

// goneIn returns the logs that lost appends, by number, as an earlier repair noted them.
func goneIn(dir string) (map[uint64]bool, error) {
	lines, err := readLedger(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the ledger: %w: see %s", err, Doctor(dir))
	}
	gone := map[uint64]bool{}
	for sequence := uint64(1); sequence <= lines.last(); sequence++ {
		if l := lines.line(sequence); l.kind == lost {
			gone[l.name] = true
		}
	}
	return gone, nil
}
