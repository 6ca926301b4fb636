package eventlog

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/openassay/assay/simhost/eventlog/internal/blocks"
)

// span are whole records that follow each other in a block, with sequences that do.
type span struct {
	from, to    uint64 // sequences
	offset, end int
}

// block is what was seen of one block file.
type block struct {
	index int  // of the file
	extra bool // another file holds the same block
	home  int  // by which its records are whole; another one than the file's where it was moved
	size  int
	spans []span          // in the order of the file
	gaps  []blocks.Gap    // likewise
	other []uint64        // sequences of records that are whole, and others than were acknowledged
	names map[string]bool // subjects, of the stream of marks
	// unlined are the lines that the ledger should have of whole records, and has not.
	unlined []sequencedLine
}

type sequencedLine struct {
	sequence uint64
	line     line
}

// files is what was read of the files of a store, before its server opens them.
type files struct {
	dir        string
	ledger     ledgerLines
	noLedger   error // why there is none
	logs       []*block
	pending    []*block
	marks      map[uint64]bool
	badSlots   []int64
	noMarks    error
	badStreams map[string]string // what is wrong with the descriptions of streams
}

// streamFiles is the folder of a stream, below that of the store.
func streamFiles(stream string) string { return filepath.Join("jetstream", "$G", "streams", stream) }

func blockFile(stream string, index int) string {
	return filepath.Join(streamFiles(stream), "msgs", blocks.File(index))
}

func readFiles(dir string) (f *files, err error) {
	f = &files{dir: dir, badStreams: map[string]string{}}
	f.ledger, f.noLedger = readLedger(dir)
	if f.noLedger != nil && !errors.Is(f.noLedger, errNoLedger) && !errors.Is(f.noLedger, fs.ErrNotExist) {
		return nil, f.noLedger
	}
	f.marks, f.badSlots, f.noMarks = readMarks(dir)
	if f.noMarks != nil && !errors.Is(f.noMarks, errNoLedger) && !errors.Is(f.noMarks, fs.ErrNotExist) {
		return nil, f.noMarks
	}
	if f.logs, err = f.readStream(logStream, f.acceptAppend); err != nil {
		return nil, err
	}
	if f.pending, err = f.readStream(pendingStream, acceptMark); err != nil {
		return nil, err
	}
	for _, stream := range []string{logStream, pendingStream} {
		if said := f.describes(stream); said != "" {
			f.badStreams[stream] = said
		}
	}
	return f, nil
}

// acceptMark refuses what is no mark. A mark has no data, so what lies behind its subject belongs to that: no checksum covers the size.
func acceptMark(_ *block, r blocks.Record) bool {
	return r.Removed || bytes.HasPrefix(r.Subject, []byte(pendingPrefix)) && len(r.Header)+len(r.Data) == 0
}

// acceptAppend refuses records that the ledger knows otherwise, or that Append does not write.
func (f *files) acceptAppend(b *block, r blocks.Record) bool {
	if r.Removed {
		return true
	}
	log, is := bytes.CutPrefix(r.Subject, []byte(logPrefix))
	after, said := appendedAfter(r.Header)
	if !is || !said || r.Sequence == 0 {
		return false
	}
	want, has := line{nameOf(string(log)), sumOf(after, r.Data), stored}, f.ledger.line(r.Sequence)
	switch {
	case has == want:
	case has.kind == stored, has.kind == lost && (has.name != want.name || has.sum != want.sum):
		b.other = append(b.other, r.Sequence)
		return false
	default:
		b.unlined = append(b.unlined, sequencedLine{r.Sequence, want})
	}
	return true
}

var (
	headBegin   = []byte("NATS/1.0\r\n")
	headEnd     = []byte("\r\n\r\n")
	headRevised = []byte(nats.ExpectedLastSubjSeqHdr + ": ")
)

// appendedAfter reads the revision that an append was guarded with out of the header that it was stored with. The size of a header
// is covered by no checksum, so its end is looked at.
func appendedAfter(header []byte) (after uint64, said bool) {
	if !bytes.HasPrefix(header, headBegin) || bytes.Index(header, headEnd) != len(header)-len(headEnd) {
		return 0, false
	}
	_, text, _ := bytes.Cut(header, headRevised)
	text, _, _ = bytes.Cut(text, []byte("\r\n"))
	after, err := strconv.ParseUint(string(text), 10, 64)
	return after, err == nil
}

// readStream reads the blocks of a stream in order, several at once. Each is held for as long as it is read.
func (f *files) readStream(stream string, accept func(*block, blocks.Record) bool) ([]*block, error) {
	indices, err := f.blockIndices(stream)
	if err != nil {
		return nil, err
	}
	read := make([]*block, len(indices))
	failed := make([]error, len(indices))
	next := make(chan int, len(indices))
	for i := range indices {
		next <- i
	}
	close(next)
	var running sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(indices)) {
		running.Go(func() {
			var buf []byte
			for i := range next {
				if buf, failed[i] = readInto(filepath.Join(f.dir, blockFile(stream, indices[i])), buf); failed[i] == nil {
					read[i] = seeBlock(stream, homeOf(stream, indices, indices[i], buf), buf, accept)
					read[i].index = indices[i]
				}
			}
		})
	}
	running.Wait()
	return read, errors.Join(failed...)
}

func (f *files) blockIndices(stream string) (indices []int, err error) {
	entries, err := os.ReadDir(filepath.Join(f.dir, streamFiles(stream), "msgs"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		number, is := strings.CutSuffix(e.Name(), ".blk")
		if index, err := strconv.Atoi(number); is && err == nil && e.Name() == blocks.File(index) {
			indices = append(indices, index)
		}
	}
	slices.Sort(indices)
	return indices, err
}

// readInto reads a file into buf, or a larger one.
func readInto(name string, buf []byte) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return buf, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return buf, err
	}
	buf = slices.Grow(buf[:0], int(info.Size()))[:info.Size()]
	n, err := file.ReadAt(buf, 0)
	if n == len(buf) {
		err = nil
	}
	return buf, err
}

// homeOf is the index of a block by its first record, where that fits a block of the stream, or one that is missing. A block of
// marks is not looked for: there is another way to what it held.
func homeOf(stream string, indices []int, index int, buf []byte) int {
	if _, whole := blocks.NewFormat(stream, index).Parse(buf, 0); whole || stream == pendingStream {
		return index
	}
	for home := 1; home <= indices[len(indices)-1]+1; home++ {
		if _, whole := blocks.NewFormat(stream, home).Parse(buf, 0); whole {
			return home
		}
	}
	return index
}

func seeBlock(stream string, home int, buf []byte, accept func(*block, blocks.Record) bool) *block {
	b := &block{home: home, size: len(buf), names: map[string]bool{}}
	format := blocks.NewFormat(stream, home)
	b.gaps = format.Walk(buf, func(r blocks.Record) bool { return accept(b, r) }, func(r blocks.Record) {
		if r.Removed {
			return
		}
		if stream == pendingStream {
			b.names[string(r.Subject)] = true
		}
		if n := len(b.spans); n > 0 && b.spans[n-1].to+1 == r.Sequence && b.spans[n-1].end == r.Offset {
			b.spans[n-1].to, b.spans[n-1].end = r.Sequence, r.Offset+r.Size
			return
		}
		b.spans = append(b.spans, span{r.Sequence, r.Sequence, r.Offset, r.Offset + r.Size})
	})
	return b
}

// describes says what is wrong with the description of a stream, "" where nothing is. A stream without it is one that the server
// does not find.
func (f *files) describes(stream string) string {
	folder := filepath.Join(f.dir, streamFiles(stream))
	description, err := os.ReadFile(filepath.Join(folder, "meta.inf"))
	if err != nil {
		return fmt.Sprintf("it cannot be read: %v", errors.Unwrap(err))
	}
	sum, err := os.ReadFile(filepath.Join(folder, "meta.sum"))
	if err != nil {
		return fmt.Sprintf("its checksum meta.sum cannot be read: %v", errors.Unwrap(err))
	}
	if string(sum) != blocks.DescriptionSum(stream, description) {
		return "it and its checksum in meta.sum are not of each other"
	}
	return ""
}
