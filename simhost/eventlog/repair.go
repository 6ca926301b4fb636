package eventlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/simhost/eventlog/internal/blocks"
)

// Repair is what was done about a damaged store.
type Repair struct {
	Found *Examination
	Aside string   // folder beside that of the store: the files that were changed, as they were; "" where none was
	Files []string // in it, as they lie below the folder of the store, too
	Left  *Examination
}

// RepairStore makes a damaged store one that can be opened. What is whole stays as it is, under the same revisions; each file that
// is changed is first copied into a folder beside. Logs that lost an acknowledged append stay refused with ErrDamaged, for
// what is left of one is not the log. The errors are those of Examine. Where it fails midway, what it copied is whole.
func RepairStore(dir string) (r *Repair, err error) {
	r = &Repair{}
	err = locked(dir, func(dir string) error {
		if r.Found, err = examine(dir); err != nil || r.Found.Whole() {
			r.Left = r.Found
			return err
		}
		m := &mender{x: r.Found, dir: dir, done: map[string]bool{}}
		if m.aside, err = makeAside(dir); err != nil {
			return err
		}
		err = m.mend()
		if r.Aside, r.Files = m.aside, slices.Sorted(maps.Keys(m.done)); len(r.Files) == 0 {
			r.Aside, err = "", errors.Join(err, os.Remove(m.aside))
		}
		if err != nil {
			return fmt.Errorf("%w: the files that were changed lie in %s as they were", err, m.aside)
		}
		if r.Left, err = examine(dir); err == nil && !r.Left.Whole() {
			err = fmt.Errorf("it did not help (%s): put a copy of the folder back; the files that were changed lie in %s as they were",
				r.Left.Damages[0], m.aside)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("repair the logs in %s: %w", dir, err)
	}
	return r, nil
}

// makeAside makes a new folder beside another one.
func makeAside(dir string) (string, error) {
	name := dir + ".damaged-" + time.Now().UTC().Format("20060102T150405Z")
	for n := 1; ; n++ {
		try := name
		if n > 1 {
			try = fmt.Sprintf("%s-%d", name, n)
		}
		if err := os.Mkdir(try, 0o700); !errors.Is(err, fs.ErrExist) {
			return try, err
		}
	}
}

// mender changes files, each after it was copied.
type mender struct {
	x          *Examination
	dir, aside string
	done       map[string]bool // what was copied
}

func (m *mender) mend() error {
	for _, step := range []func() error{m.mendLogs, m.mendPending, m.mendStreams, m.noteNames, m.mendLedger} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// keep copies a file aside, once. A file that is not there is fine.
func (m *mender) keep(file string) error {
	if m.done[file] {
		return nil
	}
	err := copyFile(filepath.Join(m.dir, file), filepath.Join(m.aside, file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("copy %s aside: %w", file, err)
	}
	m.done[file] = true
	return nil
}

func copyFile(from, to string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, source)
	return errors.Join(err, f.Sync(), f.Close())
}

func (m *mender) replace(file string, data []byte) error {
	err := m.keep(file)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(filepath.Join(m.dir, file)), 0o700)
	}
	if err == nil {
		err = replaceFile(filepath.Join(m.dir, file), data, true)
	}
	return err
}

func (m *mender) remove(file string) error {
	if err := m.keep(file); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(m.dir, file)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// original reads a file as it was before the repair.
func (m *mender) original(file string) ([]byte, error) {
	if m.done[file] {
		return os.ReadFile(filepath.Join(m.aside, file))
	}
	return os.ReadFile(filepath.Join(m.dir, file))
}

// forgetIndex removes what the server wrote down about the blocks of a stream: it makes it of them again.
func (m *mender) forgetIndex(stream string) error {
	return m.remove(filepath.Join(streamFiles(stream), "msgs", "index.db"))
}

// mendLogs leaves exactly the whole appends in the blocks, in their order.
func (m *mender) mendLogs() error {
	var last uint64
	changed := false
	leave := map[int]bool{}
	for _, b := range m.x.files.logs {
		if b.index == b.home && len(b.gaps) == 0 && b.grows(last) {
			leave[b.index] = true
			if n := len(b.spans); n > 0 {
				last = b.spans[n-1].to
			}
			continue
		}
		changed = true
		is, err := m.whole(b, &last)
		if err != nil {
			return err
		}
		if leave[b.home] = len(is) > 0; !leave[b.home] {
			continue
		}
		if err := m.replace(blockFile(logStream, b.home), is); err != nil {
			return err
		}
	}
	for _, b := range slices.Concat(m.x.files.logs, m.x.extra) {
		if leave[b.index] {
			continue
		}
		changed = true
		if err := m.remove(blockFile(logStream, b.index)); err != nil {
			return err
		}
	}
	// The sequence of a lost append is not used again.
	final := last
	for sequence := m.x.files.ledger.last(); sequence > final; sequence-- {
		if k := m.x.files.ledger.line(sequence).kind; k == stored || k == lost {
			final = sequence
			break
		}
	}
	if final > last {
		changed = true
		index := 1
		for _, b := range m.x.files.logs {
			index = max(index, b.index+1, b.home+1)
		}
		tombstone := blocks.NewFormat(logStream, index).AppendTombstone(nil, final, time.Now().UnixNano())
		if err := m.replace(blockFile(logStream, index), tombstone); err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	return m.forgetIndex(logStream)
}

// whole returns the whole records of a block, but appends that do not ascend, and keeps its file and the one that it is to be.
func (m *mender) whole(b *block, last *uint64) (is []byte, err error) {
	for _, index := range []int{b.index, b.home} {
		if err := m.keep(blockFile(logStream, index)); err != nil {
			return nil, err
		}
	}
	was, err := m.original(blockFile(logStream, b.index))
	if err != nil {
		return nil, err
	}
	accept := func(r blocks.Record) bool { return m.x.files.acceptAppend(&block{}, r) }
	blocks.NewFormat(logStream, b.home).Walk(was, accept, func(r blocks.Record) {
		if !r.Removed && r.Sequence <= *last {
			return
		}
		is = append(is, was[r.Offset:][:r.Size]...)
		if !r.Removed {
			*last = r.Sequence
		}
	})
	return is, nil
}

// grows reports whether the sequences of a block are above one, and ascend.
func (b *block) grows(last uint64) bool {
	for _, s := range b.spans {
		if s.from <= last {
			return false
		}
		last = s.to
	}
	return true
}

// mendPending leaves the whole marks in their blocks and adds those that are missing.
func (m *mender) mendPending() error {
	x := m.x
	marked := map[uint64]bool{}
	var highest uint64
	var final []byte
	index, changed := 1, false
	for _, b := range x.files.pending {
		file := blockFile(pendingStream, b.index)
		was, err := m.original(file)
		if err != nil {
			return err
		}
		var is []byte
		blocks.NewFormat(pendingStream, b.index).Walk(was, func(r blocks.Record) bool { return acceptMark(b, r) }, func(r blocks.Record) {
			is, highest = append(is, was[r.Offset:][:r.Size]...), max(highest, r.Sequence)
			if !r.Removed {
				marked[nameOf(strings.TrimPrefix(string(r.Subject), pendingPrefix))] = true
			}
		})
		index, final = b.index, is
		if len(b.gaps) == 0 {
			continue
		}
		changed = true
		if err := m.replace(file, is); err != nil {
			return err
		}
	}
	if len(x.marks) > 0 {
		format := blocks.NewFormat(pendingStream, index)
		names, err := x.namesOf(x.marks)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Values(names)) {
			if name == "" {
				continue // nothing was appended to it, or it is among the damaged
			}
			highest++
			final = format.AppendMessage(final, highest, time.Now().UnixNano(), pendingPrefix+name, nil)
			marked[nameOf(name)] = true
		}
		changed = true
		if err := m.replace(blockFile(pendingStream, index), final); err != nil {
			return err
		}
	}
	if changed {
		if err := m.forgetIndex(pendingStream); err != nil {
			return err
		}
	}
	if !changed && x.files.noMarks == nil && len(x.files.badSlots) == 0 {
		return nil
	}
	b := []byte(marksHead)
	for _, name := range slices.Sorted(maps.Keys(marked)) {
		slot := encodeSlot(name)
		b = append(b, slot[:]...)
	}
	return m.replace(marksFile, b)
}

// mendStreams puts the descriptions of an empty store in place of those that are damaged; Open completes them.
func (m *mender) mendStreams() error {
	if len(m.x.files.badStreams) == 0 {
		return nil
	}
	fresh, err := os.MkdirTemp("", "eventlog-")
	if err != nil {
		return fmt.Errorf("make a scratch folder: %w: set TMPDIR to a folder that can be written", err)
	}
	defer os.RemoveAll(fresh)
	s, err := Open(context.Background(), Options{Dir: fresh})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		return err
	}
	for stream := range m.x.files.badStreams {
		for _, name := range []string{"meta.inf", "meta.sum"} {
			file := filepath.Join(streamFiles(stream), name)
			b, err := os.ReadFile(filepath.Join(fresh, file))
			if err == nil {
				err = m.replace(file, b)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// namesFile has a line for every log that was ever found to have lost something, for people: the ledger knows it by its number
// alone, and nothing else may be left of it.
const namesFile = "eventlog.damaged"

func (m *mender) noteNames() error {
	b, err := os.ReadFile(filepath.Join(m.dir, namesFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, l := range m.x.Logs {
		if l.Name != "" {
			b = fmt.Appendf(b, "%s%s lost %d appends; the files as they were: %s\n", logPrefix, l.Name, l.Appends, m.aside)
		}
	}
	if len(m.x.Logs) == 0 {
		return nil
	}
	return m.replace(namesFile, b)
}

// mendLedger notes what is lost, and has a line for all that is whole.
func (m *mender) mendLedger() error {
	x := m.x
	b := slices.Clone(x.files.ledger.bytes)
	if x.files.noLedger != nil {
		b = []byte(ledgerHead)
	}
	b = b[:len(b)/lineSize*lineSize]
	put := func(sequence uint64, to [lineSize]byte) {
		at := int(sequence) * lineSize //nolint:gosec // of a file that fits into memory
		if need := at + lineSize - len(b); need > 0 {
			b = append(b, make([]byte, need)...)
		}
		copy(b[at:], to[:])
	}
	for sequence := range x.heal {
		put(sequence, [lineSize]byte{})
	}
	for _, l := range x.fill {
		put(l.sequence, l.line.encode(l.sequence))
	}
	for sequence := range x.lost {
		l := x.files.ledger.line(sequence)
		l.kind = lost
		put(sequence, l.encode(sequence))
	}
	if x.files.noLedger == nil && string(b) == string(x.files.ledger.bytes) {
		return nil
	}
	return m.replace(ledgerFile, b)
}
