package wire

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Bound is an observation that follows changes of its transcript: each [Value] in it is read again from what the target
// is now said to have sent. What a drive decided from a reply is plain data, and stays as it was.
type Bound struct {
	Transcript *Transcript

	slots []slot
	lists []valueList
	waits []*Wait
}

// slot is a single value of an observation.
type slot struct {
	value Value
	set   func(Value)
}

// valueList is a list of values in an observation.
type valueList struct {
	values Values
	set    func(Values)
}

// Change is a change of what the target sent. Entries that it does not name are as they were.
type Change struct {
	Entries map[int]Entry // exchange -> the entry as changed
	Touched []Ref         // the places that changed: every place below them did
	Moves   *Moves        // nil if no element of an array has another index
	// Late is a wait in the observation, as it was, that was not reached in time.
	Late *Wait
}

// Moves says which elements an array has after a change, or which events a stream has: its Array is the part event.
type Moves struct {
	Array Ref
	Had   int   // the number of elements that it had
	From  []int // for each element, the index that it had, -1 for a new one
}

// Follow reads the values of an observation, a pointer to plain data, from the transcript, as [Bind] does.
func Follow(observation any, t *Transcript) (*Bound, error) {
	if err := Bind(observation, t); err != nil {
		return nil, err
	}
	b := &Bound{Transcript: t}
	b.walk(reflect.ValueOf(observation))
	return b, nil
}

var waitType = reflect.TypeFor[Wait]()

// walk notes the values within v, which is addressable or holds none.
func (b *Bound) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			b.walk(v.Elem())
		}
	case reflect.Struct:
		switch {
		case !v.CanAddr():
			return
		case v.Type() == valueType:
			p := v.Addr().Interface().(*Value)
			b.slots = append(b.slots, slot{*p, func(w Value) { *p = w }})
			return
		case v.Type() == waitType:
			b.waits = append(b.waits, v.Addr().Interface().(*Wait))
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				b.walk(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type().Elem() == valueType && v.CanSet() {
			values := make(Values, v.Len())
			for i := range values {
				values[i] = v.Index(i).Interface().(Value)
			}
			b.lists = append(b.lists, valueList{values, func(w Values) { v.Set(reflect.ValueOf([]Value(w)).Convert(v.Type())) }})
			return
		}
		for i := range v.Len() {
			b.walk(v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			b.walk(v.Index(i))
		}
	case reflect.Map:
		b.walkMap(v)
	}
}

// walkMap notes the values of a map. Its elements cannot be set in place, so each gets a place of its own, which is
// written back with every value.
func (b *Bound) walkMap(v reflect.Value) {
	for _, k := range v.MapKeys() {
		e := reflect.New(v.Type().Elem()).Elem()
		e.Set(v.MapIndex(k))
		inner := &Bound{}
		inner.walk(e)
		back := func() { v.SetMapIndex(k, e) }
		for _, s := range inner.slots {
			b.slots = append(b.slots, slot{s.value, func(w Value) { s.set(w); back() }})
		}
		for _, l := range inner.lists {
			b.lists = append(b.lists, valueList{l.values, func(w Values) { l.set(w); back() }})
		}
	}
}

// Apply has the observation follow a change. followed is false if no value of it stands where something changed: then
// nothing is different for a judge. undo makes the observation what it was.
func (b *Bound) Apply(c Change) (followed bool, undo func(), err error) {
	t := &Transcript{Drive: b.Transcript.Drive, Speech: b.Transcript.Speech, Entries: b.Transcript.Entries}
	if len(c.Entries) > 0 {
		t.Entries = slices.Clone(t.Entries)
		for n, e := range c.Entries {
			if n < 1 || n > len(t.Entries) {
				return false, func() {}, fmt.Errorf("transcript of %s has no exchange %d", t.Drive, n)
			}
			t.Entries[n-1] = e
		}
	}
	var undoing []func()
	undo = func() {
		for _, f := range undoing {
			f()
		}
	}
	for _, s := range b.slots {
		if _, changed := c.Entries[s.value.ref.Exchange]; !changed {
			continue
		}
		w, err := t.value(c.Moves.follow(s.value.ref))
		if err != nil {
			return false, undo, err
		}
		followed = followed || c.touches(s.value.ref, s.value, w)
		s.set(w)
		undoing = append(undoing, func() { s.set(s.value) })
	}
	for _, l := range b.lists {
		refs, touched := c.list(l.values)
		if !touched {
			continue
		}
		values, err := c.read(t, refs, l.values)
		if err != nil {
			return false, undo, err
		}
		followed = followed || c.touchesAny(l.values, values)
		l.set(values)
		undoing = append(undoing, func() { l.set(slices.Clone(l.values)) })
	}
	for _, w := range b.waits {
		if c.Late != nil && w.sameAs(*c.Late) && w.Reached {
			was := *w
			w.Reached, w.Took = false, w.Patience
			followed = true
			undoing = append(undoing, func() { w.Reached, w.Took = was.Reached, was.Took })
		}
	}
	return followed, undo, nil
}

// read returns the values at places after the change; those of entries that did not change are among the old ones.
func (c Change) read(t *Transcript, refs []Ref, old Values) (Values, error) {
	kept := map[Ref]Value{}
	for _, v := range old {
		kept[v.ref] = v
	}
	out := make(Values, len(refs))
	for i, ref := range refs {
		if _, changed := c.Entries[ref.Exchange]; !changed {
			out[i] = kept[ref]
			continue
		}
		var err error
		if out[i], err = t.value(ref); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (w *Wait) sameAs(o Wait) bool {
	return w.What == o.What && w.Took == o.Took && w.Patience == o.Patience && w.Answers == o.Answers && w.Last.ref == o.Last.ref
}

// touches reports whether something else stands at a place: it is where a change was made, above it or below. Within
// an array whose elements moved, and in a stream whose events did, the values tell.
func (c Change) touches(ref Ref, before, after Value) bool {
	if c.Moves != nil && c.Moves.Array.Part == "event" {
		_, _, moved := c.Moves.index(ref)
		return moved && differ(before, after)
	}
	for _, t := range c.Touched {
		if t.Exchange != ref.Exchange || t.Part != ref.Part {
			continue
		}
		if below(t.Pointer, ref.Pointer) || below(ref.Pointer, t.Pointer) && (c.Moves == nil || differ(before, after)) {
			return true
		}
	}
	return false
}

func (c Change) touchesAny(before, after Values) bool {
	if len(before) != len(after) {
		return true
	}
	for i, v := range before {
		if c.touches(v.ref, v, after[i]) {
			return true
		}
	}
	return false
}

func differ(a, b Value) bool { return a.here != b.here || !reflect.DeepEqual(a.v, b.v) }

// below reports whether a pointer is another one, or leads on from it.
func below(pointer, top string) bool {
	rest, ok := strings.CutPrefix(pointer, top)
	return ok && (rest == "" || rest[0] == '/')
}

// index returns the index of the element of the array that a place is in, and the rest of its pointer.
func (m *Moves) index(ref Ref) (i int, rest string, ok bool) {
	if m.Array.Part == "event" {
		what, number, _ := strings.Cut(ref.Part, ":")
		n, err := strconv.Atoi(number)
		return n - 1, what + ref.Pointer, err == nil && ref.Exchange == m.Array.Exchange
	}
	if ref.Exchange != m.Array.Exchange || ref.Part != m.Array.Part {
		return 0, "", false
	}
	tail, ok := strings.CutPrefix(ref.Pointer, m.Array.Pointer+"/")
	if !ok {
		return 0, "", false
	}
	segment, rest, more := strings.Cut(tail, "/")
	if more {
		rest = "/" + rest
	}
	i, err := strconv.Atoi(segment)
	return i, rest, err == nil
}

// at returns a place in an element of the array, one where nothing is for an element that is gone.
func (m *Moves) at(i int, rest string) Ref {
	ref := m.Array
	if ref.Part == "event" {
		what, pointer, _ := strings.Cut(rest, "/")
		if ref.Part = what + ":" + strconv.Itoa(i+1); pointer != "" {
			ref.Pointer = "/" + pointer
		}
		return ref
	}
	if i < 0 {
		ref.Pointer += "/-" + rest
	} else {
		ref.Pointer += "/" + strconv.Itoa(i) + rest
	}
	return ref
}

// follow returns where a value stands now.
func (m *Moves) follow(ref Ref) Ref {
	if m == nil {
		return ref
	}
	if i, rest, in := m.index(ref); in {
		return m.at(slices.Index(m.From, i), rest)
	}
	return ref
}

// list returns the places of a list after the change. touched is false if none of them is in a changed entry.
//
// A list that held each element of the array holds each element of the changed one, in its order. One that held some of
// them, or in another order, loses those that are gone, and gets none that is new: what a drive would have picked is not
// known.
func (c Change) list(values Values) (refs []Ref, touched bool) {
	for _, v := range values {
		_, changed := c.Entries[v.ref.Exchange]
		touched = touched || changed
	}
	refs = values.Refs()
	if !touched || c.Moves == nil {
		return refs, touched
	}
	m := c.Moves
	var indexes, at []int
	tail, same := "", true
	for i, ref := range refs {
		if k, rest, in := m.index(ref); in {
			same = same && (len(at) == 0 || rest == tail)
			indexes, at, tail = append(indexes, k), append(at, i), rest
		}
	}
	if len(at) == 0 {
		return refs, true
	}
	out := make([]Ref, 0, len(refs)+1)
	out = append(out, refs[:at[0]]...)
	switch ordered := slices.IsSorted(indexes); {
	case same && ordered && len(indexes) == m.Had && indexes[len(indexes)-1] == len(indexes)-1:
		for i := range m.From {
			out = append(out, m.at(i, tail))
		}
	case ordered:
		for i, from := range m.From {
			for k, index := range indexes {
				if index == from {
					_, rest, _ := m.index(refs[at[k]])
					out = append(out, m.at(i, rest))
				}
			}
		}
	default:
		for k, index := range indexes {
			if i := slices.Index(m.From, index); i >= 0 {
				_, rest, _ := m.index(refs[at[k]])
				out = append(out, m.at(i, rest))
			}
		}
	}
	for i := at[0] + 1; i < len(refs); i++ {
		if !slices.Contains(at, i) {
			out = append(out, refs[i])
		}
	}
	return out, true
}
