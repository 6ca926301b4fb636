package eventlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
)

// The marks file is to the pending marks what the ledger is to the appends: it has a slot for each log that is marked, so that
// a mark which the server lost is missed. A slot is name(8) of the log, check(4) of it and a word, little-endian; zeros are a free one.
const (
	marksFile = "eventlog.marks"
	marksHead = "assay marks 1\n\x00\x00"
	slotSize  = 16
	slotWord  = "mark"
)

func encodeSlot(name uint64) (b [slotSize]byte) {
	binary.LittleEndian.PutUint64(b[:], name)
	copy(b[12:], slotWord)
	binary.LittleEndian.PutUint32(b[8:], crc32.Checksum(b[:8], castagnoli))
	return b
}

// decodeSlot returns the name's number in a slot, 0 where it is free.
func decodeSlot(b []byte) (name uint64, whole bool) {
	if [slotSize]byte(b) == ([slotSize]byte{}) {
		return 0, true
	}
	name = binary.LittleEndian.Uint64(b)
	return name, binary.LittleEndian.Uint32(b[8:]) == crc32.Checksum(b[:8], castagnoli) && string(b[12:slotSize]) == slotWord
}

// marks is the open file. Its user calls one method at a time.
type marks struct {
	file  *os.File
	slots map[string]int64 // where a log's slot begins
	free  []int64
	end   int64
}

// newMarks makes the file of these logs, in place of the one that is there; synced has it wait for the disk.
func newMarks(dir string, logs []string, synced bool) (*marks, error) {
	m := &marks{slots: make(map[string]int64, len(logs))}
	b := []byte(marksHead)
	for _, log := range logs {
		m.slots[log] = int64(len(b))
		slot := encodeSlot(nameOf(log))
		b = append(b, slot[:]...)
	}
	m.end = int64(len(b))
	name := filepath.Join(dir, marksFile)
	err := replaceFile(name, b, synced)
	if err == nil {
		m.file, err = os.OpenFile(name, os.O_RDWR, 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("write the marks: %w", err)
	}
	return m, nil
}

func (m *marks) add(log string) error {
	if _, has := m.slots[log]; has {
		return nil
	}
	at := m.end
	if n := len(m.free); n > 0 {
		at = m.free[n-1]
	}
	slot := encodeSlot(nameOf(log))
	if _, err := m.file.WriteAt(slot[:], at); err != nil {
		return err
	}
	if at == m.end {
		m.end += slotSize
	} else {
		m.free = m.free[:len(m.free)-1]
	}
	m.slots[log] = at
	return nil
}

// remove frees the slot of a log. Where the disk refuses, it stays taken.
func (m *marks) remove(log string) {
	at, has := m.slots[log]
	if !has {
		return
	}
	delete(m.slots, log)
	if _, err := m.file.WriteAt(make([]byte, slotSize), at); err == nil {
		m.free = append(m.free, at)
	}
}

// sync waits until the disk has what was added and removed.
func (m *marks) sync() error { return m.file.Sync() }

func (m *marks) close() error { return m.file.Close() }

// readMarks returns the numbers of the logs in the file, and where slots begin that were changed. The errors are as with
// readLedger.
func readMarks(dir string) (names map[uint64]bool, bad []int64, err error) {
	b, err := os.ReadFile(filepath.Join(dir, marksFile))
	switch {
	case err != nil:
		return nil, nil, err
	case len(b) == 0:
		return nil, nil, fs.ErrNotExist
	case len(b) < slotSize || string(b[:slotSize]) != marksHead:
		return nil, nil, errNoLedger
	}
	names = map[uint64]bool{}
	for at := slotSize; at+slotSize <= len(b); at += slotSize {
		switch name, whole := decodeSlot(b[at:][:slotSize]); {
		case !whole:
			bad = append(bad, int64(at))
		case name != 0:
			names[name] = true
		}
	}
	return names, bad, nil
}

// replaceFile writes a file so that at any moment either the old or the new one is there, whole; synced has that hold of a loss of
// power, too.
func replaceFile(name string, data []byte, synced bool) (err error) {
	f, err := os.OpenFile(name+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && synced {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(name+".new", name); err != nil || !synced {
		return err
	}
	return syncDir(filepath.Dir(name))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
