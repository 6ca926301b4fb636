package challenge

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/openassay/assay/scenarios/wire"
)

func eventPart(n int) string { return "event:" + strconv.Itoa(n) }

// isJSON reports whether the text of a part is JSON.
func isJSON(part string) bool {
	return part == "" || part == "output" || strings.HasPrefix(part, "event:")
}

// look is what a check looked at.
type look struct {
	values []wire.Value
	list   bool
	in     *wire.Ref     // where a list was searched
	sought []wire.Sought // what it was searched for in vain
	wait   *wire.Wait
	// question is what the check expects, without numbers: a judge asks the same of many values.
	question string
}

func lookOf(seen wire.Seen) look {
	switch v := seen.(type) {
	case wire.Value:
		return look{values: []wire.Value{v}}
	case wire.Values:
		return look{values: v, list: true}
	case wire.Found:
		return look{values: v.Values, list: true, in: &v.In, sought: v.Sought}
	case wire.Wait:
		return look{values: []wire.Value{v.Last}, wait: &v}
	}
	return look{}
}

// place is a value in a transcript, or where one could be.
type place struct {
	ref  wire.Ref
	path []string // of its pointer
	text string   // of the value; "" if there is none
}

// scene is a transcript whose places are changed.
type scene struct {
	transcript *wire.Transcript
	all, own   *pool // of the whole certification, of this drive
	asked      *pool // what the drive sent
	random     *rand.Rand
}

func (s *scene) place(ref wire.Ref) place {
	p := place{ref: ref, path: segments(ref.Pointer)}
	text, ok := s.transcript.Text(ref.Exchange, ref.Part)
	if ok && isJSON(ref.Part) {
		text, _ = at(text, p.path)
	}
	p.text = text
	return p
}

// above returns the place so many steps above another.
func (s *scene) above(p place, up int) place {
	ref := p.ref
	ref.Pointer = pointerOf(p.path[:len(p.path)-up])
	return s.place(ref)
}

func (p place) below(segment string, text string) place {
	path := append(slices.Clone(p.path), segment)
	ref := p.ref
	ref.Pointer = pointerOf(path)
	return place{ref, path, text}
}

func (p place) container() bool {
	return isJSON(p.ref.Part) && (strings.HasPrefix(p.text, "{") || strings.HasPrefix(p.text, "["))
}

const (
	mostValues = 4  // of a list that are changed
	mostMoved  = 10 // elements of a list that are left out, repeated or moved
	mostLeaves = 24 // of a container
	mostNested = 6  // arrays within a container
)

// shuffled returns up to most elements in a drawn order.
func shuffled[T any](random *rand.Rand, list []T, most int) []T {
	out := slices.Clone(list)
	random.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:min(len(out), most)]
}

// places returns some of the places that a look is at.
func (s *scene) places(l look) []place { return s.some(l, mostValues) }

func (s *scene) some(l look, most int) []place {
	var out []place
	for _, v := range shuffled(s.random, l.values, most) {
		if v.Ref().Exchange > 0 {
			out = append(out, s.place(v.Ref()))
		}
	}
	return out
}

// leaves returns some of the scalars that a look is at or that lie below, those that lie higher first.
func (s *scene) leaves(l look) []place {
	var out []place
	for _, p := range s.places(l) {
		level := []place{p}
		for len(level) > 0 && len(out) < mostLeaves {
			var next []place
			for _, p := range shuffled(s.random, level, len(level)) {
				switch {
				case p.text == "":
				case !p.container():
					out = append(out, p)
				default:
					list, isObject, _ := items(p.text)
					for i, it := range list {
						next = append(next, p.below(segment(it, i, isObject), it.value))
					}
				}
			}
			level = next
		}
	}
	return out
}

func segment(it item, i int, object bool) string {
	if object {
		return it.name
	}
	return strconv.Itoa(i)
}

// arrays returns the arrays that a look is about, each with the index of an element: those that its values are elements
// of or in, an array that it looked at, those within an object that it looked at, and the one that it searched in vain.
func (s *scene) arrays(l look) []element {
	var out []element
	add := func(e element) {
		if !slices.ContainsFunc(out, func(o element) bool { return o.array.ref == e.array.ref && o.index == e.index }) {
			out = append(out, e)
		}
	}
	for _, p := range s.some(l, mostMoved) {
		if !isJSON(p.ref.Part) {
			continue
		}
		if p.container() {
			for _, a := range s.within(p) {
				add(a)
			}
		}
		for up := 1; up <= len(p.path); up++ {
			i, err := strconv.Atoi(p.path[len(p.path)-up])
			if a := s.above(p, up); err == nil && strings.HasPrefix(a.text, "[") {
				add(element{array: a, index: i})
				break
			}
		}
	}
	if l.in != nil && l.in.Exchange > 0 && isJSON(l.in.Part) {
		switch a := s.place(*l.in); {
		case a.container():
			for _, a := range s.within(a) {
				a.sought = l.sought
				if a.vain = len(l.values) == 0; a.vain { // the check was about none of its elements
					a.index = -1
				}
				add(a)
			}
		case a.text == "" && len(a.path) > 0 && len(l.values) == 0:
			add(element{array: a, index: -1, vain: true, sought: l.sought})
		}
	}
	return out
}

// within returns the arrays at a place or below it, each with a drawn index.
func (s *scene) within(p place) []element {
	level, out := []place{p}, []element(nil)
	for len(level) > 0 && len(out) < mostNested {
		var next []place
		for _, p := range level {
			list, isObject, ok := items(p.text)
			if !ok {
				continue
			}
			if !isObject {
				i := -1
				if len(list) > 0 {
					i = s.random.IntN(len(list))
				}
				out = append(out, element{array: p, index: i})
			}
			for i, it := range list {
				if strings.HasPrefix(it.value, "{") || strings.HasPrefix(it.value, "[") {
					next = append(next, p.below(segment(it, i, isObject), it.value))
				}
			}
		}
		level = next
	}
	return out[:min(len(out), mostNested)]
}

// element is an element of an array; index is -1 if it has none.
type element struct {
	array  place
	index  int
	vain   bool // the array was searched in vain; it may be absent
	sought []wire.Sought
}
