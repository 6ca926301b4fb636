package html

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-openapi/jsonpointer"

	"github.com/openassay/assay/internal/textsafe"
)

// line is one displayed line of a body.
type line []part

// Limits of a displayed body.
const (
	mostLines   = 80
	mostLine    = 150     // characters of an unmarked value
	mostMarked  = 1200    // characters of a marked value
	mostRaw     = 2000    // characters of a body other than JSON
	mostParsed  = 1 << 20 // bytes of a body that is parsed
	mostDepth   = 64
	mostMembers = 16 // members of an object or array up to which all are shown
)

// body lays out a sent text. It expands JSON along the marked pointers and puts every other value on one clipped line.
func body(text string, marks map[string]string) []line {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if len(text) <= mostParsed {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if tree, err := parse(d, 0); err == nil && !d.More() {
			l := layout{marks: marks}
			l.node(tree, "", "", "", "")
			return l.done()
		}
	}
	var out []line
	cut := clipLines(text, mostRaw)
	for row := range strings.Lines(cut) {
		out = append(out, line{{Text: textsafe.Line(strings.TrimRight(row, "\r\n"))}})
	}
	if len(out) > mostLines {
		out = append(out[:mostLines], line{{Text: fmt.Sprintf("… %d more lines", len(out)-mostLines)}})
	}
	return out
}

// clipLines returns at most n characters of s and keeps its line breaks.
func clipLines(s string, n int) string {
	runes := 0
	for i := range s {
		if runes++; runes > n {
			return s[:i] + "…"
		}
	}
	return s
}

// tree is a JSON value with its members in their original order.
type tree struct {
	open  byte   // { or [, 0 for a scalar
	text  string // JSON of a scalar
	keys  []string
	items []*tree
}

var errDeep = errors.New("the document is nested too deeply")

func parse(d *json.Decoder, depth int) (*tree, error) {
	if depth > mostDepth {
		return nil, errDeep
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	delim, nested := token.(json.Delim)
	if !nested {
		return &tree{text: encode(token)}, nil
	}
	t := &tree{open: byte(delim)} //nolint:gosec // { or [
	for d.More() {
		if t.open == '{' {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			t.keys = append(t.keys, key.(string)) // the decoder accepts nothing else as a key
		}
		item, err := parse(d, depth+1)
		if err != nil {
			return nil, err
		}
		t.items = append(t.items, item)
	}
	_, err = d.Token()
	return t, err
}

// encode returns a scalar as JSON without HTML escapes.
func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // a token never fails
		return "?"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// compact writes a value on one line and stops soon after most bytes.
func (t *tree) compact(b *strings.Builder, most int) {
	if b.Len() > most {
		return
	}
	if t.open == 0 {
		b.WriteString(t.text)
		return
	}
	b.WriteByte(t.open)
	for i, item := range t.items {
		if i > 0 {
			b.WriteString(", ")
		}
		if t.open == '{' {
			b.WriteString(encode(t.keys[i]) + ": ")
		}
		if item.compact(b, most); b.Len() > most {
			return
		}
	}
	b.WriteByte(t.open + 2) // '}' is '{'+2, and ']' is '['+2
}

func (t *tree) brief(most int) string {
	var b strings.Builder
	t.compact(&b, 4*most) // bytes: a character has at most four
	return clip(b.String(), most)
}

// layout lays out one document.
type layout struct {
	marks map[string]string // JSON pointer -> class
	lines []line
	left  int // number of omitted lines
}

func (l *layout) add(parts ...part) {
	if len(l.lines) >= mostLines {
		l.left++
		return
	}
	l.lines = append(l.lines, slices.DeleteFunc(parts, func(p part) bool { return p.Text == "" }))
}

func (l *layout) done() []line {
	if l.left > 0 {
		l.lines = append(l.lines, line{{Text: fmt.Sprintf("… %d more lines", l.left)}})
	}
	return l.lines
}

// leads returns the class of the marks at or below a pointer: differs if any mark has it, "" without a mark.
func (l *layout) leads(pointer string) string {
	found := ""
	for p, class := range l.marks {
		if p == pointer || strings.HasPrefix(p, pointer+"/") {
			if found = class; class == differs {
				return class
			}
		}
	}
	return found
}

// node adds a value. head is its key, tail the comma after it.
func (l *layout) node(t *tree, pointer, indent, head, tail string) {
	if class := l.marks[pointer]; class != "" && pointer != "" {
		l.add(part{Text: indent + head}, part{t.brief(mostMarked), class}, part{Text: tail})
		return
	}
	class := l.leads(pointer)
	if t.open == 0 || len(t.items) == 0 && class == "" || pointer != "" && class == "" {
		l.add(part{Text: indent + head + t.brief(mostLine) + tail})
		return
	}
	if class == alike && pointer != "" && t.open == '{' {
		l.add(append(append([]part{{Text: indent + head}}, l.inline(t, pointer)...), part{Text: tail})...)
		return
	}
	l.add(part{Text: indent + head + string(t.open)})
	shown := l.shown(t, pointer)
	skipped := 0
	flush := func() {
		if skipped > 0 {
			l.add(part{Text: fmt.Sprintf("%s  … %d more", indent, skipped)})
		}
		skipped = 0
	}
	for i, item := range t.items {
		if !shown[i] {
			skipped++
			continue
		}
		flush()
		head, comma := "", ","
		if t.open == '{' {
			head = clip(encode(t.keys[i]), mostLine) + ": "
		}
		if i == len(t.items)-1 {
			comma = ""
		}
		l.node(item, t.pointer(pointer, i), indent+"  ", head, comma)
	}
	flush()
	l.absent(t, pointer, indent)
	l.add(part{Text: indent + string(t.open+2) + tail})
}

// pointer returns the pointer of the i-th member.
func (t *tree) pointer(of string, i int) string {
	if t.open == '[' {
		return of + "/" + strconv.Itoa(i)
	}
	return of + "/" + jsonpointer.Escape(t.keys[i])
}

// inline renders an object on one line and shows only the members that lead to a mark.
func (l *layout) inline(t *tree, pointer string) []part {
	if class := l.marks[pointer]; class != "" {
		return []part{{t.brief(mostMarked), class}}
	}
	out := []part{{Text: string(t.open)}}
	last := -1
	for i, item := range t.items {
		at := t.pointer(pointer, i)
		if l.leads(at) == "" {
			continue
		}
		if i > last+1 {
			out = append(out, part{Text: "… "})
		}
		if last = i; t.open == '{' {
			out = append(out, part{Text: clip(encode(t.keys[i]), mostLine) + ": "})
		}
		out = append(out, l.inline(item, at)...)
	}
	if last < len(t.items)-1 {
		out = append(out, part{Text: " …"})
	}
	return append(out, part{Text: string(t.open + 2)})
}

// mostAlike bounds the matching members shown before one that differs.
const mostAlike = 3

// shown selects the members to show. A small value shows all; a large one shows members that lead to a difference,
// their neighbours, the last few matching ones before them, and the first.
func (l *layout) shown(t *tree, pointer string) map[int]bool {
	out := map[int]bool{}
	var compared []int
	leading := false
	for i := range t.items {
		switch l.leads(t.pointer(pointer, i)) {
		case differs:
			leading = true
			out[i-1], out[i], out[i+1] = true, true, true
			for _, k := range compared[max(0, len(compared)-mostAlike):] {
				out[k] = true
			}
		case alike:
			compared = append(compared, i)
		}
		if len(t.items) <= mostMembers || !leading && i < mostMembers && len(l.marks) == 0 {
			out[i] = true
		}
	}
	if !leading {
		for _, k := range compared[:min(len(compared), mostMembers)] {
			out[k] = true
		}
	}
	out[0] = true
	return out
}

// absent lists marked values that do not exist, at their innermost existing parent.
func (l *layout) absent(t *tree, pointer, indent string) {
	var missing []string
	for p := range l.marks {
		rest, below := strings.CutPrefix(p, pointer+"/")
		if !below {
			continue
		}
		there := false
		for i := range t.items {
			at := t.pointer(pointer, i)
			there = there || p == at || strings.HasPrefix(p, at+"/") && t.items[i].open != 0
		}
		if !there {
			missing = append(missing, rest)
		}
	}
	slices.Sort(missing)
	for _, m := range missing {
		l.add(part{Text: indent + "  "}, part{clip("absent: "+m, mostLine), differs})
	}
}
