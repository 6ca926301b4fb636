package challenge

import (
	"encoding/json"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// Types of JSON values.
const (
	aString = "string"
	aNumber = "number"
	aBool   = "boolean"
	aNull   = "null"
	anArray = "array"
	anObj   = "object"
)

func typeOf(text string) string {
	switch {
	case text == "":
		return ""
	case text[0] == '"':
		return aString
	case text[0] == '{':
		return anObj
	case text[0] == '[':
		return anArray
	case text == "true" || text == "false":
		return aBool
	case text == "null":
		return aNull
	}
	return aNumber
}

// edit is a change, and what it does in words.
type edit struct {
	change wire.Change
	place  wire.Ref
	does   string
}

// edits returns the changes of a kind at the places of a look, the likeliest first. They are made as they are asked for.
func (s *scene) edits(kind Kind, l look) iter.Seq[edit] {
	return func(yield func(edit) bool) {
		switch kind {
		case LeftOut:
			if s.frames(kind, l, yield) {
				s.leaveOut(l, yield)
			}
		case Repeated, Reordered, AfterTheEnd, Inserted:
			if s.frames(kind, l, yield) {
				s.lists(kind, l, yield)
			}
		case Swapped:
			s.swap(l, yield)
		case Leaked:
			s.leak(l, yield)
		case AnotherType:
			s.scalars(slices.Concat(s.places(l), s.leaves(l)), s.otherType, yield)
		case BeyondBound:
			if l.wait != nil && l.wait.Reached &&
				!yield(edit{wire.Change{Late: l.wait}, l.wait.Last.Ref(), l.wait.What + ": it did not come within the patience"}) {
				return
			}
			going := true
			s.scalars(slices.Concat(s.places(l), s.leaves(l)), beyond, func(e edit) bool { going = yield(e); return going })
			if going {
				s.overlong(l, yield)
			}
		case AnotherID:
			if s.everywhere(l, yield) {
				s.scalars(s.leaves(l), s.otherID, yield)
			}
		case AnotherStatus:
			going := true
			s.scalars(s.leaves(l), otherStatus, func(e edit) bool { going = yield(e); return going })
			if going {
				s.done(l, yield)
			}
		default:
			s.scalars(s.leaves(l), map[Kind]func(place) []string{OffByOne: offByOne, AnotherValue: s.otherValue}[kind], yield)
		}
	}
}

// scalars changes the values at places into each of what of says.
func (s *scene) scalars(places []place, of func(place) []string, yield func(edit) bool) {
	for _, p := range places {
		if p.text == "" {
			continue
		}
		for _, text := range of(p) {
			if e, ok := s.set(p, text); ok && !yield(e) {
				return
			}
		}
	}
}

// set puts another text in a place.
func (s *scene) set(p place, text string) (edit, bool) {
	if text == p.text {
		return edit{}, false
	}
	whole := text
	if isJSON(p.ref.Part) {
		document, _ := s.transcript.Text(p.ref.Exchange, p.ref.Part)
		var ok bool
		if whole, ok = replace(document, p.path, text); !ok {
			return edit{}, false
		}
	}
	return s.write(p, whole, p.text+" → "+text)
}

// write sets the whole part that a place is in.
func (s *scene) write(p place, whole, does string) (edit, bool) {
	entry, ok := s.transcript.Entry(p.ref.Exchange).With(p.ref.Part, whole)
	return edit{wire.Change{Entries: map[int]wire.Entry{p.ref.Exchange: entry}, Touched: []wire.Ref{p.ref}}, p.ref, clip(does)}, ok
}

func clip(text string) string {
	const most = 160
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// plain reports whether a place holds a text that is not JSON, such as a header.
func (p place) plain() bool { return !isJSON(p.ref.Part) }

func (p place) status() bool { return p.ref.Part == "status" || p.ref.Part == "exit" }

// files reports whether a place is a list of files or processes that a program left behind.
func (p place) files() bool { return p.ref.Part == "survivors" || p.ref.Part == "litter" }

// number returns the number at a place.
func (p place) number() (json.Number, bool) {
	if p.status() || p.plain() && p.ref.Part != "bytes" || typeOf(p.text) != aNumber {
		return "", false
	}
	return json.Number(p.text), true
}

// word returns the text at a place, and how to write another one there.
func (p place) word() (word string, write func(string) string, ok bool) {
	switch {
	case p.status() || p.files() || p.ref.Part == "bytes":
		return "", nil, false
	case p.plain():
		return p.text, func(s string) string { return s }, true
	case typeOf(p.text) == aString:
		return word, quoted, json.Unmarshal([]byte(p.text), &word) == nil
	}
	return "", nil, false
}

func offByOne(p place) []string {
	if p.status() {
		return nil
	}
	if word, write, ok := p.word(); ok {
		n, err := strconv.ParseInt(strings.Trim(word, `"`), 10, 64)
		if err != nil || word == "" {
			return nil
		}
		digits := strings.Trim(word, `"`)
		return []string{write(strings.Replace(word, digits, strconv.FormatInt(n+1, 10), 1)),
			write(strings.Replace(word, digits, strconv.FormatInt(n-1, 10), 1))}
	}
	number, ok := p.number()
	n, whole := wire.Integer(number)
	if !ok || !whole {
		return nil
	}
	return []string{strconv.FormatInt(n+1, 10), strconv.FormatInt(n-1, 10)}
}

// sizes that are beyond any bound of a text, and of a document.
const (
	largeText     = 70_000
	largeDocument = 1<<20 + 1<<12
)

// beyond returns numbers, times and sizes far above, and numbers and times far below.
func beyond(p place) []string {
	if p.status() || p.files() {
		return nil
	}
	if word, write, ok := p.word(); ok {
		for _, layout := range []string{time.RFC3339Nano, time.DateOnly, time.RFC1123} {
			if at, err := time.Parse(layout, word); err == nil {
				return []string{write(at.AddDate(3, 0, 1).Format(layout)), write(at.AddDate(-3, 0, -1).Format(layout))}
			}
		}
		return []string{write(word + strings.Repeat("x", largeText))}
	}
	if p.container() {
		list, isObject, _ := items(p.text)
		large := item{name: "assayExtra", value: quoted(strings.Repeat("x", largeDocument))}
		if isObject {
			return []string{object(append(list, large))}
		}
		return []string{array(append(list, large))}
	}
	number, ok := p.number()
	n, err := number.Float64()
	if !ok || err != nil {
		return nil
	}
	if whole, ok := wire.Integer(number); ok && whole < 1<<50 && whole > -(1<<50) {
		return []string{strconv.FormatInt(whole+1_000_003, 10), strconv.FormatInt(whole-1_000_003, 10), strconv.FormatInt(whole*3600, 10),
			strconv.FormatInt(1<<40, 10)}
	}
	return []string{strconv.FormatFloat(n+1e6, 'f', -1, 64), strconv.FormatFloat(n-1e6, 'f', -1, 64)}
}

// otherType returns values of other types, those that a careless host writes first.
func (s *scene) otherType(p place) []string {
	if p.plain() {
		return nil
	}
	switch typeOf(p.text) {
	case aString:
		return []string{"7", "null", "[" + p.text + "]"}
	case aNumber, aBool:
		return []string{`"` + p.text + `"`, "null"}
	case aNull:
		return []string{`"null"`, "0", "{}"}
	case anArray:
		return []string{"{}", `"[]"`, "null"}
	}
	return []string{"[]", `"{}"`, "null"}
}

// otherID returns texts of the same form: those that stood below the same name, and a drawn one.
func (s *scene) otherID(p place) []string {
	word, write, ok := p.word()
	if !ok || word == "" {
		return nil
	}
	out := append(s.neighbours(p), write(alike(s.random, word)))
	if !p.plain() {
		for _, o := range shuffled(s.random, s.own.others(nameOf(p.path), p.text), 2) {
			out = append(out, o)
		}
	}
	return out
}

// neighbours returns what stands at the same place of the elements before and behind the one that a place is in.
func (s *scene) neighbours(p place) (out []string) {
	for i, segment := range slices.Backward(p.path) {
		n, err := strconv.Atoi(segment)
		if err != nil || p.plain() {
			continue
		}
		for _, k := range []int{n - 1, n + 1} {
			ref := p.ref
			ref.Pointer = pointerOf(slices.Concat(p.path[:i], []string{strconv.Itoa(k)}, p.path[i+1:]))
			if other := s.place(ref).text; typeOf(other) == aString {
				out = append(out, other)
			}
		}
		break
	}
	return out
}

// otherValue returns other values of the same type.
func (s *scene) otherValue(p place) []string {
	if p.status() {
		return nil
	}
	if word, write, ok := p.word(); ok {
		var out []string
		if !p.plain() {
			out = shuffled(s.random, s.own.others(nameOf(p.path), p.text), 4)
			elsewhere := shuffled(s.random, s.all.others(nameOf(p.path), p.text), 4)
			sent := shuffled(s.random, s.requests().others(nameOf(p.path), p.text), 3)
			for _, o := range append(elsewhere, sent...) {
				if !slices.Contains(out, o) {
					out = append(out, o)
				}
			}
		}
		return append(out, write(alike(s.random, word)+"x"), write(""))
	}
	if number, ok := p.number(); ok {
		n, err := number.Float64()
		if err != nil {
			return nil
		}
		return []string{strconv.FormatFloat(n*3+7, 'f', -1, 64), strconv.FormatFloat(-n-5, 'f', -1, 64)}
	}
	switch typeOf(p.text) {
	case aBool:
		return []string{map[string]string{"true": "false", "false": "true"}[p.text]}
	case aNull:
		return slices.Concat([]string{`"something"`, "1", "{}"}, s.own.objects[nameOf(p.path)], s.all.objects[nameOf(p.path)])
	}
	return nil
}

// otherStatus returns statuses of other classes, and one of its own.
func otherStatus(p place) []string {
	n, err := strconv.Atoi(p.text)
	switch {
	case p.ref.Part == "exit" && err != nil:
		return []string{"0", "1"}
	case !p.status() || err != nil:
		return nil
	case p.ref.Part == "exit":
		return []string{strconv.Itoa(1 - min(n, 1)), "3", "-1", "killed"}
	case n/100 == 2:
		return []string{"500", "404", strconv.Itoa(n + 3)}
	}
	return []string{"200", "500", "418"}
}

// done makes of each refusal a success that gives back what was sent.
func (s *scene) done(l look, yield func(edit) bool) {
	for _, p := range s.places(l) {
		n, err := strconv.Atoi(p.text)
		sent := s.transcript.Entry(p.ref.Exchange).Request
		if p.ref.Part != "status" || err != nil || n/100 == 2 || sent == nil || sent.Body == "" {
			continue
		}
		entry, ok := s.transcript.Entry(p.ref.Exchange).With("", sent.Body)
		if !ok {
			continue
		}
		entry, ok = entry.With(p.ref.Part, "200")
		c := wire.Change{Entries: map[int]wire.Entry{p.ref.Exchange: entry}, Touched: []wire.Ref{p.ref, {Exchange: p.ref.Exchange}}}
		if ok && !yield(edit{c, p.ref, clip(p.text + " → 200 " + sent.Body)}) {
			return
		}
	}
}

// alike returns a text of the same form with other letters and digits, behind a prefix such as run-.
func alike(random *rand.Rand, word string) string {
	from := 0
	if i := strings.IndexAny(word, "-_:/."); i >= 0 && i < len(word)-1 && strings.Trim(word[:i], "abcdefghijklmnopqrstuvwxyz") == "" {
		from = i + 1
	}
	out := []byte(word)
	for i := from; i < len(out); i++ {
		switch c := out[i]; {
		case c >= '0' && c <= '9':
			out[i] = '0' + (c-'0'+1+byte(random.IntN(9)))%10
		case c >= 'a' && c <= 'f':
			out[i] = 'a' + (c-'a'+1+byte(random.IntN(5)))%6
		case c >= 'g' && c <= 'z':
			out[i] = 'g' + (c-'g'+1+byte(random.IntN(19)))%20
		case c >= 'A' && c <= 'Z':
			out[i] = 'A' + (c-'A'+1+byte(random.IntN(25)))%26
		}
	}
	if string(out) == word {
		return word + "x"
	}
	return string(out)
}

// leaveOut removes members, elements and headers.
func (s *scene) leaveOut(l look, yield func(edit) bool) {
	going, elements := true, 0
	if l.list { // some elements first: whoever looks at them seldom looks at all of their members
		s.lists(LeftOut, l, func(e edit) bool {
			elements, going = elements+1, yield(e)
			return going && elements < mostValues
		})
	}
	if !going {
		return
	}
	for _, p := range s.places(l) {
		header, isHeader := strings.CutPrefix(p.ref.Part, "header:")
		switch {
		case p.text == "":
		case isHeader:
			entry, ok := s.transcript.Entry(p.ref.Exchange).Without(header)
			change := wire.Change{Entries: map[int]wire.Entry{p.ref.Exchange: entry}, Touched: []wire.Ref{p.ref}}
			if ok && !yield(edit{change, p.ref, "without the header " + header}) {
				return
			}
		case isJSON(p.ref.Part) && len(p.path) > 0:
			document, _ := s.transcript.Text(p.ref.Exchange, p.ref.Part)
			if whole, ok := remove(document, p.path); ok {
				if e, ok := s.write(p, whole, "without "+p.ref.String()); ok && !yield(e) {
					return
				}
			}
		}
	}
	for _, p := range s.places(l) { // members that are no scalars: those come with the leaves
		list, isObject, _ := items(p.text)
		if len(list) > 0 && isObject {
			if e, ok := s.set(p, "{}"); ok && !yield(e) {
				return
			}
		}
		for _, it := range shuffled(s.random, list, len(list)) {
			if !isObject || !isJSON(p.ref.Part) || !strings.ContainsAny(it.value[:1], "{[") {
				continue
			}
			document, _ := s.transcript.Text(p.ref.Exchange, p.ref.Part)
			below := p.below(it.name, it.value)
			if whole, ok := remove(document, below.path); ok {
				if e, ok := s.write(below, whole, "without "+below.ref.String()); ok && !yield(e) {
					return
				}
			}
		}
	}
	for _, p := range s.leaves(l) {
		if document, _ := s.transcript.Text(p.ref.Exchange, p.ref.Part); isJSON(p.ref.Part) {
			if whole, ok := remove(document, p.path); ok {
				if e, ok := s.write(p, whole, "without "+p.ref.String()); ok && !yield(e) {
					return
				}
			}
		}
	}
	s.lists(LeftOut, l, yield)
}

// swap has two values change places: two of a list, or a member and a sibling of the same type.
func (s *scene) swap(l look, yield func(edit) bool) {
	places := s.leaves(l)
	for i, p := range places {
		if p.plain() {
			continue
		}
		for _, q := range append(slices.Clone(places[i+1:]), s.siblings(p)...) {
			if q.ref.Exchange != p.ref.Exchange || q.ref.Part != p.ref.Part || q.text == p.text || typeOf(q.text) != typeOf(p.text) {
				continue
			}
			document, _ := s.transcript.Text(p.ref.Exchange, p.ref.Part)
			half, ok := replace(document, p.path, q.text)
			if !ok {
				continue
			}
			whole, ok := replace(half, q.path, p.text)
			if !ok {
				continue
			}
			e, ok := s.write(p, whole, p.text+" ⇄ "+q.text)
			if e.change.Touched = append(e.change.Touched, q.ref); ok && !yield(e) {
				return
			}
			break
		}
	}
}

// siblings returns the other members of the object that a place is in.
func (s *scene) siblings(p place) []place {
	if len(p.path) == 0 {
		return nil
	}
	parent := s.above(p, 1)
	list, isObject, _ := items(parent.text)
	var out []place
	for i, it := range list {
		if name := segment(it, i, isObject); name != p.path[len(p.path)-1] {
			out = append(out, parent.below(name, it.value))
		}
	}
	return shuffled(s.random, out, len(out))
}
