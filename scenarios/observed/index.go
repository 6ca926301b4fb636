package observed

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// index says where the entries of a folder stand.
type index struct {
	shelf   *shelf
	files   int // that hold something
	entries []filed
	origins []origin
	at      map[string]int32 // origin -> its place in origins
	left    []string
	hidden  wire.Redactor // of the credentials in archives
	groups  []*groups     // of each protocol
	logged  []*scenarios.Protocol
	logs    []Recording
}

type origin struct {
	name    string
	program bool
}

// filed says where an entry stands.
type filed struct {
	at     int64  // when it was sent, in ns
	offset int64  // in its file, or its place among the entries that are kept
	sum    uint64 // of what is written there
	file   int32  // -1 if it is kept
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
	info, err := fs.Stat(x.shelf.folder, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > mostFile {
		x.leave(name, fmt.Errorf("it is no file of %d bytes at most", mostFile))
		return nil, nil
	}
	return fs.ReadFile(x.shelf.folder, name)
}

// open opens a regular file; nil if it is none.
func (x *index) open(name string) (fs.File, error) {
	info, err := fs.Stat(x.shelf.folder, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		x.leave(name, errors.New("it is no regular file"))
		return nil, nil
	}
	return x.shelf.folder.Open(name)
}

var seed = maphash.MakeSeed()

// keep adds an entry that is made of what stands in a file, the nth there.
func (x *index) keep(e wire.Entry, name string, nth int) error {
	written, err := json.Marshal(e)
	if err != nil {
		return err
	}
	at := filed{file: -1, offset: int64(len(x.shelf.kept)), sum: maphash.Bytes(seed, written), nth: int32(nth)} //nolint:gosec // it has fewer
	if x.add(&e, at) {
		x.shelf.kept = append(x.shelf.kept, kept{e, name})
	}
	return nil
}

// add adds an entry that stands there, and reports whether it is of a host or a plugin.
func (x *index) add(e *wire.Entry, at filed) bool {
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

// shelf is where the entries are read from.
type shelf struct {
	folder fs.FS
	names  []string
	kept   []kept
}

// kept is an entry that is made of what stands in a file.
type kept struct {
	wire.Entry
	name string
}

// place says where an entry stands.
func (s *shelf) place(at filed) string {
	name := ""
	if at.file < 0 {
		name = s.kept[at.offset].name
	} else {
		name = s.names[at.file]
	}
	if at.nth == 0 {
		return name
	}
	return fmt.Sprintf("%s #%d", name, at.nth)
}

// put returns the number of a file.
func (s *shelf) put(name string) int32 {
	s.names = append(s.names, name)
	return int32(len(s.names) - 1) //nolint:gosec // a folder holds fewer
}

// hand reads from a shelf, one thing after another. It is to be closed.
type hand struct {
	*shelf
	n    int32 // the file that is open
	file fs.File
}

func (s *shelf) hand() *hand { return &hand{shelf: s, n: -1} }

func (h *hand) close() {
	if h.file != nil {
		_ = h.file.Close()
	}
	h.n, h.file = -1, nil
}

// entry returns the entry that stands there. One that cannot be read any more says nothing.
func (h *hand) entry(at filed) *wire.Entry {
	if at.file < 0 {
		return plain(h.kept[at.offset].Entry)
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
func (h *hand) read(file int32, offset int64, into []byte) (err error) {
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
