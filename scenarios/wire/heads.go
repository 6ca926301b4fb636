package wire

import "strings"

// headLength is the length of the start of a secret. No secret is shorter.
const headLength = 4

// heads finds out in one pass whether a text holds any of many secrets. Every text is asked, and hardly any does.
type heads struct {
	marks  [1 << 10]uint64     // a bit for the mark of each head
	starts map[uint32][]string // head -> the secrets that start with it
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

// mostTried bounds the comparisons with whole secrets, so that a target that sends only starts of secrets does not keep
// us busy.
const mostTried = 1024

// in reports whether text holds one of the secrets. After mostTried comparisons it returns true.
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

// mark returns the bit of a head.
func mark(head uint32) uint32 { return head * 2654435769 >> 16 }
