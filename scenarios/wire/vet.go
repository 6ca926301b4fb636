package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Vet returns [ErrOverLimit] for JSON that is deeper than depth or holds a number longer than chars characters, on
// which a decoder could spend any time, and [ErrUnreadable] for JSON that parsers may read differently: text that is
// not UTF-8, and objects that name a member twice. It reads the bytes once and does not validate them otherwise. weight
// estimates the size of the decoded document in bytes.
func Vet(raw []byte, depth, chars int) (weight int64, err error) {
	if !utf8.Valid(raw) {
		return 0, fmt.Errorf("%w: it is not valid UTF-8", ErrUnreadable)
	}
	v := vetter{raw: raw, depth: depth, chars: chars, weight: int64(len(raw))}
	for v.at < len(raw) {
		if err := v.next(); err != nil {
			return 0, err
		}
	}
	return v.weight, nil
}

// The approximate sizes of a decoded value without its own bytes, and with the [Ref] that a judge gets.
const (
	weightOfValue  = 128
	weightOfObject = 384 // the smallest map that is not empty
)

type vetter struct {
	raw          []byte
	at           int
	depth, chars int
	number       int // characters so far of the number or word
	open         []container
	weight       int64
}

// container is an open object or array.
type container struct {
	object bool
	key    bool // the next string names a member
	names  names
}

// next reads a character, or a whole string.
func (v *vetter) next() error {
	at := v.at
	v.at++
	switch v.raw[at] {
	case '"':
		return v.text(at)
	case '{', '[':
		return v.enter(at)
	case '}', ']':
		v.number = 0
		if n := len(v.open); n > 0 {
			v.open = v.open[:n-1]
		}
	case ',':
		v.number = 0
		if c := v.inside(); c != nil {
			c.key = c.object
		}
	case ':', ' ', '\t', '\r', '\n':
		v.number = 0
	default:
		if v.number++; v.number == 1 {
			v.weight += weightOfValue
		}
		if v.number > v.chars {
			return fmt.Errorf("%w: a number or word of it is longer than %d characters, at byte %d", ErrOverLimit, v.chars, at)
		}
	}
	return nil
}

func (v *vetter) inside() *container {
	if len(v.open) == 0 {
		return nil
	}
	return &v.open[len(v.open)-1]
}

func (v *vetter) enter(at int) error {
	v.number = 0
	if len(v.open) == v.depth {
		return fmt.Errorf("%w: it is nested deeper than %d levels, at byte %d", ErrOverLimit, v.depth, at)
	}
	object := v.raw[at] == '{'
	v.weight += weightOfValue
	if object {
		v.weight += weightOfObject
	}
	// Reuse the list of names of an earlier container at this depth.
	n := len(v.open)
	if n < cap(v.open) {
		v.open = v.open[:n+1]
	} else {
		v.open = append(v.open, container{})
	}
	c := &v.open[n]
	c.object, c.key = object, object
	c.names.clear()
	return nil
}

// text reads to the end of a string, and checks it if it names a member.
func (v *vetter) text(at int) error {
	v.number = 0
	v.weight += weightOfValue
	escaped := false
	for {
		i := bytes.IndexAny(v.raw[v.at:], `"\`)
		if i < 0 { // the decoder reports the missing end
			v.at = len(v.raw)
			return nil
		}
		v.at += i + 1
		if v.raw[v.at-1] == '"' {
			break
		}
		escaped = true
		v.at++ // skip the escaped character
		if v.at > len(v.raw) {
			v.at = len(v.raw)
			return nil
		}
	}
	c := v.inside()
	if c == nil || !c.key {
		return nil
	}
	c.key = false
	name, err := plainName(v.raw[at:v.at], escaped)
	if err != nil { // the decoder reports it
		return nil
	}
	if !c.names.add(name) {
		return fmt.Errorf("%w: an object of it names %.60q twice, at byte %d", ErrUnreadable, name, at)
	}
	return nil
}

// plainName returns a quoted name without quotes and escapes.
func plainName(quoted []byte, escaped bool) ([]byte, error) {
	if !escaped {
		return quoted[1 : len(quoted)-1], nil
	}
	var name string
	if err := json.Unmarshal(quoted, &name); err != nil {
		return nil, err
	}
	return []byte(name), nil
}

// names is the set of member names of an object: a list while there are few, as in most objects.
type names struct {
	few  [][]byte
	many map[string]struct{}
}

const fewNames = 16

func (n *names) clear() { n.few, n.many = n.few[:0], nil }

// add adds a name, and reports whether it is new.
func (n *names) add(name []byte) bool {
	if n.many != nil {
		_, twice := n.many[string(name)]
		n.many[string(name)] = struct{}{}
		return !twice
	}
	for _, known := range n.few {
		if bytes.Equal(known, name) {
			return false
		}
	}
	if n.few = append(n.few, name); len(n.few) > fewNames {
		n.many = make(map[string]struct{}, 2*fewNames)
		for _, known := range n.few {
			n.many[string(known)] = struct{}{}
		}
	}
	return true
}

// vetted is [Vet] with these limits; errors start with doing.
func (l Limits) vetted(doing string, raw []byte) (weight int64, err error) {
	weight, err = Vet(raw, l.Depth, l.NumberChars)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", doing, err)
	}
	if weight > l.DocumentBytes {
		return 0, overLimit(doing, "its JSON would take more than %d bytes once it is decoded", l.DocumentBytes)
	}
	return weight, nil
}
