package observed

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"

	"github.com/openassay/assay/scenarios/wire"
)

// index says where the entries of a folder stand.
type index struct {
	store   *store
	files   int // that hold something
	entries []location
	origins []origin
	at      map[string]int32 // origin -> its place in origins
	left    []string
	hidden  wire.Redactor // of the credentials in archives
	groups  []*groups     // of each protocol
	logs    []Recording
}

type origin struct {
	name    string
	program bool
}

// location says where an entry stands.
type location struct {
	at     int64  // when it was sent, in ns
	offset int64  // in its file, or its index among the entries in memory
	sum    uint64 // hash of its bytes
	file   int32  // -1 if it is in memory
	nth    int32  // of the entries in its file, from 1; 0 if it is all of it
	size   int32
	id     int32 // the entries are counted as they are read
	origin int32
}

// The size in bytes of the largest entry, of the largest line of a log, and of the largest file that is read at once.
const (
	mostEntry = 32 << 20
	mostFile  = 256 << 20
)

func (x *index) leave(name string, why error) {
	x.left = append(x.left, fmt.Sprintf("%s: %v", name, why))
}

// content returns what a regular file holds; nil if it is none, or too large.
func (x *index) content(name string) ([]byte, error) {
	info, err := fs.Stat(x.store.folder, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > mostFile {
		x.leave(name, fmt.Errorf("it is no file of %d bytes at most", mostFile))
		return nil, nil
	}
	return fs.ReadFile(x.store.folder, name)
}

// open opens a regular file; nil if it is none.
func (x *index) open(name string) (fs.File, error) {
	info, err := fs.Stat(x.store.folder, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		x.leave(name, errors.New("it is no regular file"))
		return nil, nil
	}
	return x.store.folder.Open(name)
}

var seed = maphash.MakeSeed()

// keep adds an entry that was converted from the nth entry of a file. It stays in memory.
func (x *index) keep(e wire.Entry, name string, nth int) error {
	written, err := json.Marshal(e)
	if err != nil {
		return err
	}
	at := location{file: -1, offset: int64(len(x.store.memory)), sum: maphash.Bytes(seed, written)}
	at.nth = int32(nth) //nolint:gosec // a file has fewer
	if x.add(&e, at) {
		x.store.memory = append(x.store.memory, converted{e, name})
	}
	return nil
}

// add adds an entry that stands there, and reports whether it is of a host or a plugin.
func (x *index) add(e *wire.Entry, at location) bool {
	name := originOf(e)
	if name == "" {
		return false
	}
	i, known := x.at[name]
	if !known {
		if x.at == nil {
			x.at = map[string]int32{}
		}
		i = int32(len(x.origins)) //nolint:gosec // a folder holds fewer
		x.at[name], x.origins = i, append(x.origins, origin{name, e.Process != nil})
	}
	at.at, at.origin, at.id = e.At.UnixNano(), i, int32(len(x.entries)) //nolint:gosec // a folder holds fewer
	for _, g := range x.groups {
		g.add(at.id, e)
	}
	x.entries = append(x.entries, at)
	return true
}

// store is what the entries are read from.
type store struct {
	folder fs.FS
	names  []string // of files
	memory []converted
}

// converted is an entry that was converted from one in a file.
type converted struct {
	wire.Entry
	name string // of the file
}

// place says where an entry stands.
func (s *store) place(at location) string {
	name := ""
	if at.file < 0 {
		name = s.memory[at.offset].name
	} else {
		name = s.names[at.file]
	}
	if at.nth == 0 {
		return name
	}
	return fmt.Sprintf("%s #%d", name, at.nth)
}

// put returns the number of a file.
func (s *store) put(name string) int32 {
	s.names = append(s.names, name)
	return int32(len(s.names) - 1) //nolint:gosec // a folder holds fewer
}

// storeReader reads from a store, one entry at a time. The caller closes it.
type storeReader struct {
	*store
	n    int32 // the open file
	file fs.File
}

func (s *store) reader() *storeReader { return &storeReader{store: s, n: -1} }

func (h *storeReader) close() {
	if h.file != nil {
		_ = h.file.Close()
	}
	h.n, h.file = -1, nil
}

// entry returns the entry that stands there. One that cannot be read any more says nothing.
func (h *storeReader) entry(at location) *wire.Entry {
	if at.file < 0 {
		return plain(h.memory[at.offset].Entry)
	}
	content := make([]byte, at.size)
	var e wire.Entry
	err := h.read(at.file, at.offset, content)
	if err == nil && maphash.Bytes(seed, content) != at.sum {
		err = errors.New("it is another file now")
	}
	if err == nil {
		err = json.Unmarshal(content, &e)
	}
	if err != nil {
		return &wire.Entry{Error: fmt.Sprintf("%s: %v", h.names[at.file], err)}
	}
	return plain(e)
}

// read reads from a file at an offset.
func (h *storeReader) read(file int32, offset int64, into []byte) (err error) {
	if h.n != file {
		h.close()
		if h.file, err = h.folder.Open(h.names[file]); err != nil {
			return err
		}
		h.n = file
	}
	at, can := h.file.(io.ReaderAt)
	if !can {
		return errors.New("this kind of folder cannot be read again")
	}
	_, err = at.ReadAt(into, offset)
	return err
}
