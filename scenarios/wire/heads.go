package wire

import "strings"

// headLength is how much of the begin of a secret is looked for first. No secret is shorter.
const headLength = 4

// heads finds out in one pass whether a text holds any of many secrets: hardly
// any text does, and every text is asked.
type heads struct {
	marks  [1 << 10]uint64     // a bit for the mark of each head
	starts map[uint32][]string // by head: the secrets that begin with it
}

func (h *heads) add(secret string) {
	var head uint32
	for i := range headLength {
		head = head<<8 | uint32(secret[i])
	}
	if h.starts == nil {
		h.starts = map[uint32][]string{}
	}
	h.starts[head] = append(h.starts[head], secret)
	m := mark(head)
	h.marks[m/64] |= 1 << (m % 64)
}

// mostTried is how often it is looked whether a secret goes on as it began. A
// target that sends nothing but begins of secrets does not keep us busy.
const mostTried = 1024

// in tells whether one of the secrets stands in text; where that takes long, whether one may.
func (h *heads) in(text string) bool {
	if h.starts == nil {
		return false
	}
	var head uint32 // the latest headLength characters
	tried := 0
	for i := range len(text) {
		head = head<<8 | uint32(text[i])
		if m := mark(head); h.marks[m/64]&(1<<(m%64)) == 0 || i < headLength-1 {
			continue
		}
		for _, secret := range h.starts[head] {
			if tried++; tried > mostTried || strings.HasPrefix(text[i-(headLength-1):], secret) {
				return true
			}
		}
	}
	return false
}

// mark spreads heads over the bits.
func mark(head uint32) uint32 { return head * 2654435769 >> 16 }
