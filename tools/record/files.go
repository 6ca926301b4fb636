package record

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// files are the transcripts of a recording. Each is complete at any time, so that nothing is lost when the recorder is killed.
type files struct {
	dir     string
	most    int64 // bytes of all
	each    int64 // bytes from which on a file is followed by the next
	rolling bool

	n        int // of the file that is written
	current  *os.File
	part     bytes.Buffer // what is written next
	to       scenarios.TranscriptWriter
	head     int   // bytes in front of the entries
	size     int64 // bytes without the end
	began    time.Time
	ended    time.Time
	finished []int64 // sizes of the finished files, from number gone+1 on
	gone     int     // how many files were removed

	written, left int // exchanges
}

const (
	largestFile = 16 << 20
	leastFiles  = 4 // so that dropping the oldest costs a quarter at most
	leastInAll  = 1 << 20
	allFiles    = "recording-*.json"
)

// newFiles returns files in a folder that has none. It makes the folder.
func newFiles(dir string, most int64, rolling bool) (*files, error) {
	if most < leastInAll {
		return nil, fmt.Errorf("a recording of %d bytes holds next to nothing: allow %d at least", most, leastInAll)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if there, err := filepath.Glob(filepath.Join(dir, allFiles)); err != nil || len(there) > 0 {
		return nil, errors.Join(err, fmt.Errorf("%s holds a recording already: give another folder, or take it away", dir))
	}
	return &files{dir: dir, most: most, each: min(largestFile, most/leastFiles), rolling: rolling}, nil
}

func (f *files) name(n int) string {
	return filepath.Join(f.dir, fmt.Sprintf("recording-%06d.json", n))
}

// record is the transcript of the file that is written, without entries.
func (f *files) record() scenarios.DriveRecord {
	return scenarios.DriveRecord{ID: fmt.Sprintf("recording/%06d", f.n), Seconds: f.ended.Sub(f.began).Seconds()}
}

// ErrFull is the error of a recording that ran out of room.
var ErrFull = errors.New("the recording is as large as it may be: allow more, or let the oldest go")

// add writes an entry.
func (f *files) add(e wire.Entry) error {
	if f.current != nil && f.size >= f.each {
		if err := f.finish(); err != nil {
			return err
		}
	}
	if f.current == nil {
		if err := f.begin(e.At); err != nil {
			return err
		}
	}
	f.part.Reset()
	if err := f.to.Add(&e); err != nil {
		return err
	}
	if int64(f.part.Len()) > f.most/leastFiles { // it would push out too much of the rest
		f.left++
		return nil
	}
	if err := f.room(int64(f.part.Len())); err != nil {
		return err
	}
	if e.At.Before(f.began) { // they come in the order in which they ended
		f.began = e.At
	}
	if end := e.Ended(); end.After(f.ended) {
		f.ended = end
	}
	f.written++
	return f.put()
}

// begin begins the next file.
func (f *files) begin(at time.Time) (err error) {
	f.n++
	if f.current, err = os.OpenFile(f.name(f.n), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return err
	}
	f.began, f.ended, f.size = at, at, 0
	f.to = scenarios.TranscriptWriter{To: &f.part}
	f.part.Reset()
	if err := f.to.Begin(f.record()); err != nil {
		return err
	}
	f.head = f.part.Len()
	return f.put()
}

// put writes a part, and the end behind it.
func (f *files) put() error {
	size := f.size + int64(f.part.Len())
	f.part.WriteString(scenarios.TranscriptEnd)
	_, err := f.current.WriteAt(f.part.Bytes(), f.size)
	f.size = size
	return err
}

// room makes room for a part, or returns that there is none.
func (f *files) room(more int64) error {
	all := f.size + more + int64(len(scenarios.TranscriptEnd))
	for _, size := range f.finished {
		all += size
	}
	for ; all > f.most && f.rolling && len(f.finished) > 0; f.gone++ {
		if err := os.Remove(f.name(f.gone + 1)); err != nil {
			return err
		}
		all -= f.finished[0]
		f.finished = f.finished[1:]
	}
	if all > f.most {
		return ErrFull
	}
	return nil
}

// finish finishes the file that is written: its head says how long it took.
func (f *files) finish() error {
	head := bytes.Buffer{}
	to := scenarios.TranscriptWriter{To: &head}
	if err := to.Begin(f.record()); err != nil {
		return err
	}
	if err := f.current.Close(); err != nil {
		return err
	}
	f.current = nil
	content, err := os.ReadFile(f.name(f.n))
	if err != nil {
		return err
	}
	staged := f.name(f.n) + ".new"
	if err := os.WriteFile(staged, append(head.Bytes(), content[f.head:]...), 0o600); err != nil {
		return err
	}
	f.finished = append(f.finished, int64(head.Len()+len(content)-f.head))
	return os.Rename(staged, f.name(f.n))
}

func (f *files) close() error {
	if f.current == nil {
		return nil
	}
	return f.finish()
}

func (f *files) tally() Tally {
	return Tally{Exchanges: f.written, Left: f.left, Files: len(f.finished) + f.gone, Removed: f.gone}
}
