package blocks

import (
	"bytes"
	"testing"
)

func all(Record) bool { return true }

// sample is a block with messages and a tombstone.
func sample(f *Format) (block []byte, offsets []int) {
	for i, data := range []string{"one", "", "a third message that is longer"} {
		offsets = append(offsets, len(block))
		block = f.AppendMessage(block, uint64(i+1), int64(i), "subject", []byte(data))
	}
	offsets = append(offsets, len(block))
	return f.AppendTombstone(block, 2, 5), offsets
}

func TestWalk(t *testing.T) {
	f := NewFormat("STREAM", 1)
	block, offsets := sample(f)
	var seen []int
	if gaps := f.Walk(block, all, func(r Record) { seen = append(seen, r.Offset) }); len(gaps) > 0 || len(seen) != len(offsets) {
		t.Fatalf("records at %v, gaps %v", seen, gaps)
	}
	if gaps := NewFormat("STREAM", 2).Walk(block, all, func(Record) {}); len(gaps) != 1 || gaps[0].To != len(block) {
		t.Errorf("in another block there are records beside %v", gaps)
	}
	for at := range offsets[len(offsets)-1] + 20 {
		for bit := range 8 {
			changed := bytes.Clone(block)
			changed[at] ^= 1 << bit
			n := 0
			whose := func(r Record) bool { return r.Removed || string(r.Subject) == "subject" } // its size is under no checksum
			gaps := f.Walk(changed, whose, func(Record) { n++ })
			if len(gaps) != 1 || n != len(offsets)-1 || at < gaps[0].From || at >= gaps[0].To {
				t.Fatalf("bit %d of byte %d: %d records, gaps %v", bit, at, n, gaps)
			}
		}
	}
}

// Whatever a block holds: it is taken apart into whole records and gaps, which leave nothing out.
func FuzzWalk(f *testing.F) {
	format := NewFormat("STREAM", 1)
	block, _ := sample(format)
	f.Add(block)
	f.Add(block[:len(block)-3])
	f.Add(append(bytes.Repeat([]byte{0}, 40), block...))
	f.Fuzz(func(t *testing.T, block []byte) {
		at := map[int]int{}
		for _, g := range format.Walk(block, all, func(r Record) { at[r.Offset] = r.Offset + r.Size }) {
			if g.To <= g.From || at[g.From] != 0 {
				t.Fatalf("gap %v beside %v", g, at)
			}
			at[g.From] = g.To
		}
		end := 0
		for end < len(block) && at[end] > end {
			end = at[end]
		}
		if end != len(block) {
			t.Fatalf("nothing is said of byte %d: %v", end, at)
		}
	})
}
