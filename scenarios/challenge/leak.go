package challenge

import (
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios/wire"
)

const (
	mostLeaks = 24  // texts that are tried one by one
	longLeak  = 400 // characters of a text
)

// sent returns texts that the drive sent, the longest words of a member each, as JSON strings: those of members called
// name first.
func (s *scene) sent(name string) []string {
	var first, rest []string
	for member, words := range s.requests().words {
		for _, w := range words {
			switch {
			case typeOf(w) != aString || len(w) < 7 || len(w) > longLeak || !strings.ContainsAny(w, "0123456789"):
			case member == name:
				first = append(first, w)
			default:
				rest = append(rest, w)
			}
		}
	}
	slices.Sort(first)
	slices.Sort(rest)
	first, rest = slices.Compact(first), slices.Compact(rest)
	return append(shuffled(s.random, first, len(first)), shuffled(s.random, rest, len(rest))...)
}

// requests returns what the drive sent.
func (s *scene) requests() *pool {
	if s.asked == nil {
		s.asked = newPool()
		for n := 1; n <= s.transcript.Len(); n++ {
			e := s.transcript.Entry(n)
			switch {
			case e.Process != nil:
				s.asked.add("", e.Process.Input)
			case e.Request != nil && e.Kind != "inbound":
				s.asked.add("content", quotedUnlessJSON(e.Request.Body))
			}
		}
	}
	return s.asked
}

// quotedUnlessJSON returns a body as JSON: that of a file may be a text.
func quotedUnlessJSON(body string) string {
	if _, err := wire.Decode(body); err != nil && body != "" {
		return quoted(body)
	}
	return body
}

// leak puts texts that the drive sent where they do not belong: those that it sent below the same name, all of them in one,
// then one by one.
func (s *scene) leak(l look, yield func(edit) bool) {
	if !s.misplace(l, yield) {
		return
	}
	words := s.sent("")
	var all []string
	for _, w := range words {
		if word, ok := unquoted(w); ok {
			all = append(all, word)
		}
	}
	if len(all) == 0 {
		return
	}
	together := quoted(strings.Join(all, " "))
	if s.spill(l, []string{together}, yield) {
		s.spill(l, words[:min(len(words), mostLeaks)], yield)
	}
}

// spill puts texts in the strings that a look is at, as members into its objects, and into elements of its lists. It
// reports whether to go on.
func (s *scene) spill(l look, texts []string, yield func(edit) bool) bool {
	for _, p := range s.leaves(l) {
		word, write, ok := p.word()
		if !ok && p.text != "null" {
			continue
		} else if !ok {
			write = quoted
		}
		if len(texts) > 1 { // one by one: those that belong there elsewhere come first
			texts = s.sent(nameOf(p.path))
			texts = texts[:min(len(texts), mostLeaks)]
		}
		for _, text := range texts {
			if leaked, ok := unquoted(text); ok && leaked != word {
				if e, ok := s.set(p, write(leaked)); ok && !yield(e) {
					return false
				}
			}
		}
	}
	for _, p := range s.places(l) {
		if p.ref.Part == "stderr" {
			if leaked, ok := unquoted(texts[0]); ok {
				if e, ok := s.write(p, leaked, "with "+texts[0]); ok && !yield(e) {
					return false
				}
			}
		}
		if !isJSON(p.ref.Part) || p.text != "" && typeOf(p.text) != anObj {
			continue
		}
		path := p.path
		if p.text != "" {
			path = append(slices.Clone(path), "assayExtra")
		}
		document, _ := s.transcript.Text(p.ref.Exchange, p.ref.Part)
		for _, text := range texts {
			if whole, ok := put(document, path, text); ok {
				if e, ok := s.write(p, whole, "with "+pointerOf(path)+": "+text); ok && !yield(e) {
					return false
				}
			}
		}
	}
	for _, a := range s.arrays(l) {
		list, _, _ := items(a.array.text)
		t := traitsOf(list)
		for more := range s.more(a, list, t) {
			for _, text := range texts {
				for _, leaking := range leaking(more.text, text) {
					after := append(same(list), one{leaking, -1})
					if e, ok := s.rewrite(a.array, list, t.numbered(after, list, len(list)), Leaked); ok && !yield(e) {
						return false
					}
				}
			}
			break // one sort of element carries a leak as well as another
		}
	}
	return true
}

// misplace appends to the lists of a look an element with each text that the drive sent below the name of one of its members,
// there. It reports whether to go on.
func (s *scene) misplace(l look, yield func(edit) bool) bool {
	for _, a := range s.arrays(l) {
		list, _, _ := items(a.array.text)
		t := traitsOf(list)
		for more := range s.more(a, list, t) {
			members, isObject, _ := items(more.text)
			if !isObject {
				continue
			}
			for _, m := range members {
				for _, text := range s.requests().others(m.name, m.value) {
					leaking, ok := replace(more.text, []string{m.name}, text)
					if !ok || typeOf(text) != aString {
						continue
					}
					after := append(same(list), one{leaking, -1})
					if e, ok := s.rewrite(a.array, list, t.numbered(after, list, len(list)), Leaked); ok && !yield(e) {
						return false
					}
				}
			}
			break
		}
	}
	return true
}

// leaking returns an element with a text in place of each of its own, and of what is null.
func leaking(element, text string) []string {
	if typeOf(element) == aString || element == "null" {
		return []string{text}
	}
	list, isObject, _ := items(element)
	var out []string
	for i, it := range list {
		for _, inner := range leaking(it.value, text) {
			if changed, ok := replace(element, []string{segment(it, i, isObject)}, inner); ok {
				out = append(out, changed)
			}
		}
	}
	return out
}
