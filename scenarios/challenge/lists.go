package challenge

import (
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// traits are what the elements of a list have in common.
type traits struct {
	ids      []string          // members that are a string, of each element another one
	numbers  []string          // members that count the elements
	times    []string          // members that are times
	constant map[string]string // members that are the same string everywhere
}

// traitsOf finds the traits of a list of objects. A list of one shows no ids but those that are called so.
func traitsOf(list []item) traits {
	t := traits{constant: map[string]string{}}
	if len(list) == 0 {
		return t
	}
	first, isObject, _ := items(list[0].value)
	if !isObject {
		return t
	}
	for _, m := range first {
		path, seen := []string{m.name}, map[string]bool{}
		text, count, times, same := true, true, true, true
		var last int64
		for i, it := range list {
			value, ok := at(it.value, path)
			text = text && ok && typeOf(value) == aString && !seen[value] && len(value) > 7 && strings.ContainsAny(value, "0123456789")
			seen[value] = true
			n, whole := wire.Integer(json.Number(value))
			count = count && whole && (i == 0 || n == last+1)
			last = n
			_, err := time.Parse(time.RFC3339Nano, strings.Trim(value, `"`))
			times = times && err == nil
			same = same && value == m.value && typeOf(value) == aString
		}
		switch {
		case times:
			t.times = append(t.times, m.name)
		case count && len(list) > 1:
			t.numbers = append(t.numbers, m.name)
		case text && !slices.ContainsFunc(sorting, func(p []string) bool { return p[0] == m.name }):
			t.ids = append(t.ids, m.name)
		case same && len(list) > 1:
			t.constant[m.name] = m.value
		}
	}
	return t
}

// one is an element of the changed list.
type one struct {
	text string
	from int // the index that it had, -1 for a new one
}

// numbered returns the list with the numbers and times that the elements before the change had in these positions, from
// the first that changed on.
func (t traits) numbered(list []one, before []item, from int) []one {
	if len(before) == 0 || len(t.numbers)+len(t.times) == 0 {
		return list
	}
	out := slices.Clone(list)
	for i := from; i < len(out); i++ {
		model := before[min(i, len(before)-1)].value
		for _, name := range t.numbers {
			if value, ok := at(model, []string{name}); ok {
				if n, whole := wire.Integer(json.Number(value)); whole && i >= len(before) {
					value = strconv.FormatInt(n+int64(i-len(before)+1), 10)
				}
				out[i].text, _ = replace(out[i].text, []string{name}, value)
			}
		}
		for _, name := range t.times {
			if value, ok := at(model, []string{name}); ok {
				out[i].text, _ = replace(out[i].text, []string{name}, value)
			}
		}
	}
	return out
}

// newcomer returns an element as a further one of the list: with ids of its own.
func (s *scene) newcomer(text string, t traits) string {
	for name, value := range t.constant {
		text, _ = replace(text, []string{name}, value)
	}
	for _, name := range t.ids {
		var word string
		if value, ok := at(text, []string{name}); ok && json.Unmarshal([]byte(value), &word) == nil {
			text, _ = replace(text, []string{name}, quoted(alike(s.random, word)))
		}
	}
	return text
}

// lists changes the elements of the arrays that a look is about.
func (s *scene) lists(kind Kind, l look, yield func(edit) bool) {
	if kind == Inserted && !s.members(l, yield) {
		return
	}
	for _, e := range s.arrays(l) {
		list, _, _ := items(e.array.text)
		t := traitsOf(list)
		for after := range s.variants(kind, e, list, t) {
			if edit, ok := s.rewrite(e.array, list, after, kind); ok && !yield(edit) {
				return
			}
		}
	}
}

func same(list []item) []one {
	out := make([]one, len(list))
	for i, it := range list {
		out[i] = one{it.value, i}
	}
	return out
}

// variants yields the list as changed, in several ways.
func (s *scene) variants(kind Kind, e element, list []item, t traits) iter.Seq[[]one] {
	return func(yield func([]one) bool) {
		at, now := e.index, same(list)
		inside := at >= 0 && at < len(list)
		switch {
		case kind == LeftOut && inside:
			without := slices.Delete(slices.Clone(now), at, at+1)
			_ = yield(t.numbered(without, list, at)) && yield(without) // the host never wrote it; the host lost it
		case kind == Repeated && inside:
			again := one{s.newcomer(list[at].value, t), -1}
			_ = yield(t.numbered(slices.Insert(slices.Clone(now), at+1, again), list, at)) &&
				yield(t.numbered(append(slices.Clone(now), again), list, len(list)))
		case kind == Reordered && inside:
			for _, k := range []int{at + 1, at - 1, 0, len(list) - 1} {
				if k >= 0 && k < len(list) && k != at && now[k].text != now[at].text {
					order := slices.Clone(now)
					order[k], order[at] = order[at], order[k]
					if !yield(t.numbered(order, list, min(k, at))) {
						return
					}
				}
			}
			slices.Reverse(now)
			yield(t.numbered(now, list, 0))
		case kind == AfterTheEnd || kind == Inserted:
			for more := range s.more(e, list, t) {
				if !yield(t.numbered(append(slices.Clone(now), more), list, len(list))) {
					return
				}
			}
			if middle := len(list) / 2; kind == Inserted && middle > 0 {
				for more := range s.more(e, list, t) {
					if !yield(t.numbered(slices.Insert(slices.Clone(now), middle, more), list, middle)) {
						return
					}
				}
			}
		}
	}
}

// more yields elements that could follow: one of each sort of the list, the last of its sort, and those that lists of
// this name had elsewhere, in this drive first. Where a list was searched in vain, what it lacks comes first, and then what
// it has of each sort, about something else.
func (s *scene) more(e element, list []item, t traits) iter.Seq[one] {
	sorts := map[string]bool{}
	var siblings []string
	for _, it := range slices.Backward(list) {
		sort := sortOf(it.value)
		if typeOf(it.value) != anObj {
			sort = "scalar"
		}
		if !sorts[sort] {
			sorts[sort] = true
			siblings = append(siblings, it.value)
		}
	}
	name := nameOf(e.array.path)
	met := map[string]bool{}
	lacking := func(from *pool, yield func(one) bool) bool {
		for _, x := range from.elements[name] {
			if sorts[x.sort] && x.sort != "" || met[x.text] {
				continue
			}
			met[x.text] = true
			if !yield(one{s.newcomer(x.text, t), -1}) {
				return false
			}
		}
		return true
	}
	known := func(yield func(one) bool) bool {
		for _, text := range siblings {
			if !yield(one{s.fresh(text, t), -1}) {
				return false
			}
		}
		return true
	}
	return func(each func(one) bool) {
		clear(met)
		over := false
		yield := func(x one) bool {
			over = over || !each(x)
			return !over
		}
		switch {
		case e.vain:
			_ = s.sought(e.sought, siblings, t, yield) && lacking(s.own, yield) && s.aboutOthers(siblings, list, t, yield) &&
				lacking(s.all, yield) && known(yield)
		case known(yield):
			_ = lacking(s.own, yield) && lacking(s.all, yield)
		}
		if !over && len(siblings)+len(met) == 0 && yield(one{`"something"`, -1}) {
			yield(one{`{"id":"something"}`, -1})
		}
	}
}

// sought yields elements with the words that a list was searched for: otherwise they are like one that it has.
// It reports whether to go on.
func (s *scene) sought(words []wire.Sought, siblings []string, t traits, yield func(one) bool) bool {
	for _, w := range words {
		text, path := "{}", segments(w.Pointer)
		if len(siblings) > 0 {
			text = siblings[0]
		}
		for _, sibling := range siblings {
			if _, has := at(sibling, path); has && len(path) > 1 {
				text = sibling
				break
			}
		}
		with, ok := replace(text, path, quoted(w.Word))
		if !ok {
			with, ok = put(text, path, quoted(w.Word))
		}
		if ok && !yield(one{s.newcomer(with, t), -1}) {
			return false
		}
	}
	return true
}

const mostDonors = 40 // elements of a list from which others take what they are about

// aboutOthers yields elements of a list as they would be about what other elements are about: what those hold in a member is
// put where these hold it, but for the words that say of what sort an element is. It reports whether to go on.
func (s *scene) aboutOthers(siblings []string, list []item, t traits, yield func(one) bool) bool {
	donors := shuffled(s.random, list, mostDonors)
	for _, text := range siblings {
		met := map[string]bool{text: true}
		for _, d := range donors {
			if moved := about(text, d.value); !met[moved] {
				met[moved] = true
				if !yield(one{s.newcomer(moved, t), -1}) {
					return false
				}
			}
		}
	}
	return true
}

// about returns an element whose inner members have the texts that a donor has there.
func about(element, donor string) string {
	list, isObject, _ := items(element)
	for _, it := range list {
		inner, nested, _ := items(it.value)
		for _, m := range inner {
			path := []string{it.name, m.name}
			if !isObject || !nested || typeOf(m.value) != aString || isSorting(path) {
				continue
			}
			if value, ok := at(donor, path); ok && typeOf(value) == aString {
				element, _ = replace(element, path, value)
			}
		}
	}
	return element
}

func isSorting(path []string) bool {
	return slices.ContainsFunc(sorting, func(p []string) bool { return slices.Equal(p, path) })
}

// overlong appends to each list an element with a text far longer than any bound: the text that says of what kind the element
// is. Elements without one are left out.
func (s *scene) overlong(l look, yield func(edit) bool) {
	for _, e := range s.arrays(l) {
		list, _, _ := items(e.array.text)
		t := traitsOf(list)
		var elements []string
		for more := range s.more(e, list, t) {
			elements = append(elements, more.text)
		}
		for _, text := range shuffled(s.random, elements, mostNested) {
			for _, path := range sorting {
				word, ok := at(text, path)
				if !ok || typeOf(word) != aString {
					continue
				}
				text, _ = replace(text, path, word[:len(word)-1]+strings.Repeat("x", largeText)+`"`)
				after := append(same(list), one{text, -1})
				if edit, ok := s.rewrite(e.array, list, t.numbered(after, list, len(list)), BeyondBound); ok && !yield(edit) {
					return
				}
				break
			}
		}
	}
}

// fresh is newcomer for an element that may be a scalar.
func (s *scene) fresh(text string, t traits) string {
	var word string
	if typeOf(text) == aString && json.Unmarshal([]byte(text), &word) == nil {
		return quoted(alike(s.random, word))
	}
	return s.newcomer(text, t)
}

// rewrite puts a changed list in the place of an array.
func (s *scene) rewrite(a place, before []item, after []one, kind Kind) (edit, bool) {
	list, from := make([]item, len(after)), make([]int, len(after))
	changed := len(after) != len(before)
	for i, o := range after {
		list[i].value, from[i] = o.text, o.from
		changed = changed || o.text != before[i].value
	}
	if !changed {
		return edit{}, false
	}
	document, _ := s.transcript.Text(a.ref.Exchange, a.ref.Part)
	set := replace
	if a.text == "" {
		set = put
	}
	whole, ok := set(document, a.path, array(list))
	if !ok {
		return edit{}, false
	}
	e, ok := s.write(a, whole, string(kind)+" in "+a.ref.String()+describe(before, after))
	e.change.Moves = &wire.Moves{Array: a.ref, Had: len(before), From: from}
	return e, ok
}

// describe says which element is gone or new.
func describe(before []item, after []one) string {
	for i, o := range after {
		if o.from < 0 {
			return ", element " + strconv.Itoa(i) + ": " + o.text
		}
	}
	for i := range before {
		if !slices.ContainsFunc(after, func(o one) bool { return o.from == i }) {
			return ", element " + strconv.Itoa(i)
		}
	}
	return ""
}

// namesBelow returns the names of the members of the objects that an object holds: one that stands beside them as well
// says the same thing twice.
func (s *scene) namesBelow(p place) []string {
	var out []string
	list, _, _ := items(p.text)
	for _, it := range list {
		inner, isObject, _ := items(it.value)
		for _, below := range inner {
			if isObject && !slices.Contains(out, below.name) {
				out = append(out, below.name)
			}
		}
	}
	return shuffled(s.random, out, mostValues)
}

// members adds an absent member, and another member to an object. It reports whether to go on.
func (s *scene) members(l look, yield func(edit) bool) bool {
	for _, p := range s.places(l) {
		put := func(path []string, value string) bool {
			document, _ := s.transcript.Text(p.ref.Exchange, p.ref.Part)
			whole, ok := put(document, path, value)
			if !ok {
				return true
			}
			e, ok := s.write(p, whole, "with "+pointerOf(path)+": "+value)
			return !ok || yield(e)
		}
		header, isHeader := strings.CutPrefix(p.ref.Part, "header:")
		switch {
		case isHeader && p.text == "":
			if e, ok := s.write(p, "something", "with the header "+header); ok && !yield(e) {
				return false
			}
		case p.ref.Part == "survivors" || p.ref.Part == "litter":
			if e, ok := s.write(p, `["something"]`, "with "+p.ref.Part); ok && !yield(e) {
				return false
			}
		case p.ref.Part == "stderr":
			if e, ok := s.write(p, p.text+"something", "with standard error"); ok && !yield(e) {
				return false
			}
		case !isJSON(p.ref.Part):
		case p.text == "" && len(p.path) > 0:
			name := nameOf(p.path)
			known := append(shuffled(s.random, s.own.words[name], 3), shuffled(s.random, s.all.words[name], 3)...)
			for _, value := range append(known, `"something"`, "true", "1", "{}", "[]") {
				if !put(p.path, value) {
					return false
				}
			}
		case typeOf(p.text) == anObj:
			if !put(append(slices.Clone(p.path), "assayExtra"), `"something"`) {
				return false
			}
			for _, name := range s.namesBelow(p) {
				if !put(append(slices.Clone(p.path), name), `"something"`) {
					return false
				}
			}
		}
	}
	return true
}
