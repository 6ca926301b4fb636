package apidoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/validate"
)

// Kind is what is wrong with a request, in words.
type Kind string

// The kinds.
const (
	NoBody     Kind = "no body"
	NotJSON    Kind = "a body that is no JSON"
	NotObject  Kind = "a body that is no object"
	Missing    Kind = "a member left out"
	WrongType  Kind = "a member of another type"
	OutOfRange Kind = "a member out of its range"
	Unknown    Kind = "a member that there is not"
	Media      Kind = "another content type"
	BadValue   Kind = "a parameter out of its range"
)

// Kinds are all of them, in the order of how much is wrong.
var Kinds = []Kind{NoBody, NotJSON, NotObject, Missing, WrongType, OutOfRange, Unknown, Media, BadValue}

// Miss is a body that a schema refuses for one thing.
type Miss struct {
	Kind Kind
	At   string // JSON pointer of what is wrong; "" for all of it
	Is   string // what stands there, in words
	Raw  []byte
	Bare bool // the schema demands the member that is left out, whatever else stands in the body
}

// Misses returns bodies that the schema at a pointer refuses, each for one thing that differs from a right one: whatever it says of
// types, ranges and members, at any depth. word is a text that stands where any text would do. The order is fixed.
func (s *Samples) Misses(pointer string, schema *validate.Schema, right any, word string) []Miss {
	m := &missing{samples: s, schema: schema, word: word}
	whole := s.whole(s.find(pointer), deepest)
	raw, err := json.Marshal(right)
	var plain any // as JSON has it, whatever Go type the right one is of
	if err != nil || json.Unmarshal(raw, &plain) != nil {
		return nil
	}
	for _, no := range []Miss{{Is: "one cut in the middle", Raw: raw[:len(raw)/2+1]}, {Is: "a word", Raw: []byte(word)}} {
		if !json.Valid(no.Raw) {
			no.Kind = NotJSON
			m.out = append(m.out, no)
		}
	}
	m.walk(whole, "", plain, func(v any) any { return v }, deepestMiss)
	return m.out
}

// deepestMiss is how many levels of members are tried.
const deepestMiss = 4

type missing struct {
	samples *Samples
	schema  *validate.Schema
	word    string
	out     []Miss
}

// add keeps a body if the schema refuses it.
func (m *missing) add(kind Kind, at string, is any, body any) {
	raw, err := json.Marshal(body)
	if err != nil || len(m.schema.Validate(raw)) == 0 {
		return
	}
	text, named := is.(said)
	if !named {
		value, _ := json.Marshal(is)
		text = said(clip(string(value)))
	}
	if !slices.ContainsFunc(m.out, func(known Miss) bool { return bytes.Equal(known.Raw, raw) }) {
		m.out = append(m.out, Miss{Kind: kind, At: at, Is: string(text), Raw: raw})
	}
}

// said is what stands somewhere, in words.
type said string

func clip(text string) string {
	if len(text) > 24 {
		return fmt.Sprintf("%s... (%d bytes)", strings.ToValidUTF8(text[:16], ""), len(text))
	}
	return text
}

// walk tries everything else in place of a value; put returns the whole body with another one.
func (m *missing) walk(schema map[string]any, at string, value any, put func(any) any, left int) {
	kind := WrongType
	if at == "" {
		kind = NotObject
	}
	for _, other := range []any{nil, false, 7, m.word, []any{}, map[string]any{}} {
		if _, isObject := other.(map[string]any); !isObject || kindOf(schema) != "object" { // an empty one lacks members
			m.add(kind, at, other, put(other))
		}
	}
	for _, other := range m.beyond(schema) {
		if at != "" {
			m.add(OutOfRange, at, other, put(other))
		}
	}
	if left == 0 {
		return
	}
	switch kindOf(schema) {
	case "object":
		m.members(schema, at, value, put, left)
	case "array":
		items := m.samples.whole(schema["items"], deepest)
		m.walk(items, at+"/0", m.samples.of(items, deepest), func(v any) any { return put([]any{v}) }, left-1)
	}
}

func (m *missing) members(schema map[string]any, at string, value any, put func(any) any, left int) {
	object, _ := value.(map[string]any)
	with := func(name string, v any) any {
		changed := maps.Clone(object)
		if changed == nil {
			changed = map[string]any{}
		}
		changed[name] = v
		return put(changed)
	}
	members, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		below := at + "/" + EscapePointer(name)
		if _, there := object[name]; there {
			less := maps.Clone(object)
			delete(less, name)
			before := len(m.out)
			if m.add(Missing, below, said("left out"), put(less)); len(m.out) > before {
				m.out[before].Bare = at == "" && slices.Contains(required, any(name)) && schema["anyOf"] == nil && schema["oneOf"] == nil
			}
		}
		member := m.samples.whole(members[name], deepest)
		v, there := object[name]
		if !there {
			v = m.samples.of(member, deepest)
		}
		m.walk(member, below, v, func(v any) any { return with(name, v) }, left-1)
	}
	m.add(Unknown, at+"/"+EscapePointer(m.word), true, with(m.word, true))
}

// beyond returns values of the type of a schema, beyond what it allows.
func (m *missing) beyond(schema map[string]any) (out []any) {
	number := func(name string) (float64, bool) { n, ok := schema[name].(float64); return n, ok }
	switch kindOf(schema) {
	case "integer", "number":
		out = append(out, -1, 1.5)
		if n, ok := number("minimum"); ok {
			out = append(out, n-1)
		}
		if n, ok := number("maximum"); ok {
			out = append(out, n+1)
		}
	case "array":
		if n, ok := number("maxItems"); ok {
			out = append(out, slices.Repeat([]any{m.samples.of(schema["items"], deepest)}, int(n)+1))
		}
	case "string":
		out = append(out, "", " ")
		if n, ok := number("maxLength"); ok {
			out = append(out, strings.Repeat("x", int(n)+1))
		}
	}
	return out
}
