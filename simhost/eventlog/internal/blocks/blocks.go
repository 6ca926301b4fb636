// Package blocks reads and writes the block files of a JetStream file store without its server: the server, when it opens
// files that are damaged, cuts them off or drops what it cannot read, so whoever wants to know has to look before it does.
package blocks

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/minio/highwayhash"
)

// A record is size(4) sequence(8) time(8) subject size(2) subject [header size(4) header] data checksum(8), little-endian. The
// checksum covers sequence, time, subject, header and data, and none of the sizes.
const (
	fixedSize   = 22
	sumSize     = highwayhash.Size64
	leastRecord = fixedSize + sumSize
	mostRecord  = 32 << 20

	hasHeader = 1 << 31 // in the size
	erasedBit = 1 << 63 // in the sequence
	tombBit   = 1 << 62

	// mostSequence bounds the sequences that are believed while a record is looked for behind damage.
	mostSequence = 1 << 40
)

// Record is one whole record. Its bytes are those of the block.
type Record struct {
	Offset, Size int
	Sequence     uint64
	Removed      bool // it says that the message of this sequence was removed, or holds none
	Subject      []byte
	Header, Data []byte
}

// Gap are bytes of a block that are no whole record.
type Gap struct {
	From, To int    // offsets
	After    uint64 // sequence of the last whole record before them, 0 where there is none
}

// Format is that of one block of a stream. It serves one goroutine at a time.
type Format struct {
	hash *highwayhash.Digest64
	sum  [sumSize]byte
}

// NewFormat returns the format of a block. Its checksums are made with the name of the stream and the index of the block, so
// that no record counts in another one.
func NewFormat(stream string, index int) *Format {
	return newFormat(fmt.Sprintf("%s-%d", stream, index))
}

func newFormat(key string) *Format {
	sum := sha256.Sum256([]byte(key))
	hash, err := highwayhash.NewDigest64(sum[:])
	if err != nil {
		panic(err) // only a key of another size is refused
	}
	return &Format{hash: hash}
}

// DescriptionSum returns the checksum that stands beside the description of a stream.
func DescriptionSum(stream string, description []byte) string {
	f := newFormat(stream)
	f.hash.Write(description)
	return hex.EncodeToString(f.hash.Sum(f.sum[:0]))
}

// Parse returns the record at an offset of a block; whole is false where none stands there, or one that was changed.
func (f *Format) Parse(block []byte, offset int) (r Record, whole bool) {
	b := block[offset:]
	if len(b) < leastRecord {
		return r, false
	}
	size := binary.LittleEndian.Uint32(b)
	headed := size&hasHeader != 0
	size &^= hasHeader
	if size < leastRecord || size > mostRecord || int(size) > len(b) {
		return r, false
	}
	b = b[:size]
	subject := int(binary.LittleEndian.Uint16(b[20:]))
	rest := fixedSize + subject // where the header begins, or the data
	if headed {
		rest += 4
	}
	end := len(b) - sumSize
	if rest > end {
		return r, false
	}
	r = Record{Offset: offset, Size: len(b), Subject: b[fixedSize : fixedSize+subject], Data: b[rest:end]}
	f.hash.Reset()
	f.hash.Write(b[4:20])
	f.hash.Write(r.Subject)
	f.hash.Write(r.Data) // with the header, which stands before it
	if string(f.hash.Sum(f.sum[:0])) != string(b[end:]) {
		return r, false
	}
	if headed {
		n := binary.LittleEndian.Uint32(b[rest-4:])
		if uint64(n) > uint64(len(r.Data)) {
			return r, false
		}
		r.Header, r.Data = r.Data[:n], r.Data[n:]
	}
	sequence := binary.LittleEndian.Uint64(b[4:])
	r.Sequence, r.Removed = sequence&^(erasedBit|tombBit), sequence&(erasedBit|tombBit) != 0
	return r, true
}

// Walk calls see with every whole record of a block, in the order of the file, and returns what lies between them. accept refuses
// records that are whole in themselves and cannot be true; they are part of a gap then.
func (f *Format) Walk(block []byte, accept func(Record) bool, see func(Record)) (gaps []Gap) {
	var last uint64
	for offset := 0; offset < len(block); {
		r, whole := f.Parse(block, offset)
		if whole && accept(r) {
			see(r)
			if !r.Removed {
				last = r.Sequence
			}
			offset += r.Size
			continue
		}
		gap := Gap{From: offset, After: last}
		gap.To = f.next(block, offset, accept)
		if n := len(gaps); n > 0 && gaps[n-1].To == gap.From {
			gaps[n-1].To = gap.To
		} else {
			gaps = append(gaps, gap)
		}
		offset = gap.To
	}
	return gaps
}

// next finds the first whole record behind an offset where none stands; the end of the block where there is none.
func (f *Format) next(block []byte, offset int, accept func(Record) bool) int {
	// Mostly the size is right and something else is wrong.
	if len(block)-offset >= leastRecord {
		behind := offset + int(binary.LittleEndian.Uint32(block[offset:])&^hasHeader)
		if behind > offset && behind < len(block) {
			if r, whole := f.Parse(block, behind); whole && accept(r) {
				return behind
			}
		}
	}
	for at := offset + 1; at+leastRecord <= len(block); at++ {
		// Nearly every place is ruled out by this, which is much cheaper than the checksum.
		size := binary.LittleEndian.Uint32(block[at:]) &^ hasHeader
		sequence := binary.LittleEndian.Uint64(block[at+4:]) &^ (erasedBit | tombBit)
		if size < leastRecord || size > mostRecord || at+int(size) > len(block) || sequence == 0 || sequence > mostSequence {
			continue
		}
		if r, whole := f.Parse(block, at); whole && accept(r) {
			return at
		}
	}
	return len(block)
}

// AppendMessage adds the record of a message without a header.
func (f *Format) AppendMessage(block []byte, sequence uint64, nanoseconds int64, subject string, data []byte) []byte {
	begin := len(block)
	block = binary.LittleEndian.AppendUint32(block, uint32(leastRecord+len(subject)+len(data)))
	block = binary.LittleEndian.AppendUint64(block, sequence)
	block = binary.LittleEndian.AppendUint64(block, uint64(nanoseconds))
	block = binary.LittleEndian.AppendUint16(block, uint16(len(subject)))
	block = append(append(block, subject...), data...)
	f.hash.Reset()
	f.hash.Write(block[begin+4 : begin+20])
	f.hash.Write(block[begin+fixedSize:])
	return append(block, f.hash.Sum(f.sum[:0])...)
}

// AppendTombstone adds a record that keeps the sequence of a message that is gone from being used again.
func (f *Format) AppendTombstone(block []byte, sequence uint64, nanoseconds int64) []byte {
	return f.AppendMessage(block, sequence|tombBit, nanoseconds, "", nil)
}

// File names the block of an index.
func File(index int) string { return fmt.Sprintf("%d.blk", index) }
