package support

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// defaultMaxBody is the most bytes of a body that are read into memory.
const defaultMaxBody = 64 << 20

// mediaFits reports whether a media type is the one that is wanted, or fits its pattern.
func mediaFits(got, want string) bool {
	got = strings.ToLower(got)
	if want == "*/*" || got == want {
		return true
	}
	if kind, any := strings.CutSuffix(want, "/*"); any {
		return strings.HasPrefix(got, kind+"/")
	}
	// A reply of JSON with a more special name is still JSON.
	return want == "application/json" && strings.HasSuffix(got, "+json")
}

// parameter says how a parameter is written in a request.
type parameter struct {
	name     string
	in       string // path, query, header or cookie
	style    string // as in OpenAPI; json for one whose content is JSON
	explode  bool
	required bool
	shape    shape
}

// shape is what has to be known of a value's schema to read it from text.
type shape struct {
	kinds   int // the kinds of JSON values it takes
	items   *shape
	members map[string]*shape
	rest    *shape
}

// RequiredParamError says that a parameter is missing.
type RequiredParamError struct{ ParamName string }

func (e *RequiredParamError) Error() string {
	return "parameter " + e.ParamName + " is missing: send it"
}

// InvalidParamFormatError says that a parameter does not have the form that it needs.
type InvalidParamFormatError struct {
	ParamName string
	Err       error // a *DecodeError in most cases
}

func (e *InvalidParamFormatError) Error() string {
	return fmt.Sprintf("parameter %s: %v", e.ParamName, e.Err)
}

// Unwrap returns what is wrong with the parameter.
func (e *InvalidParamFormatError) Unwrap() error { return e.Err }

// TooManyValuesForParamError says that a parameter of one value was sent several times.
type TooManyValuesForParamError struct {
	ParamName string
	Count     int
}

func (e *TooManyValuesForParamError) Error() string {
	return fmt.Sprintf("parameter %s was sent %d times: send it once", e.ParamName, e.Count)
}

// pair is a name and a value of a query, unescaped.
type pair struct{ name, value string }

// flat lists the texts of a value: of a list its items, of an object its names and values in turn.
func flat(raw []byte) (texts []string) {
	add := func(v []byte) error { texts = append(texts, plain(v)); return nil }
	switch kindOf(raw) {
	case kindArray:
		_ = eachItem(raw, add) // what json.Marshal wrote is valid
	case kindObject:
		_ = eachMember(raw, func(name string, v []byte) error { texts = append(texts, name); return add(v) })
	default:
		texts = []string{plain(raw)}
	}
	return texts
}

// queries writes a value as the pairs of a query or of a form.
func (p parameter) queries(raw []byte) []pair {
	if p.style == "json" {
		return []pair{{p.name, string(raw)}}
	}
	kind := kindOf(raw)
	switch {
	case p.style == "deepObject":
		return deep(p.name, raw)
	case p.explode && kind == kindArray:
		var out []pair
		for _, text := range flat(raw) {
			out = append(out, pair{p.name, text})
		}
		return out
	case p.explode && kind == kindObject:
		var out []pair
		_ = eachMember(raw, func(name string, v []byte) error {
			out = append(out, parameter{name: name, explode: true}.queries(v)...)
			return nil
		})
		return out
	}
	return []pair{{p.name, strings.Join(flat(raw), p.separator())}}
}

func (p parameter) separator() string {
	switch p.style {
	case "spaceDelimited":
		return " "
	case "pipeDelimited":
		return "|"
	}
	return ","
}

func deep(name string, raw []byte) (out []pair) {
	i := 0
	switch kindOf(raw) {
	case kindObject:
		_ = eachMember(raw, func(key string, v []byte) error { out = append(out, deep(name+"["+key+"]", v)...); return nil })
	case kindArray:
		_ = eachItem(raw, func(v []byte) error { out = append(out, deep(name+"["+strconv.Itoa(i)+"]", v)...); i++; return nil })
	default:
		out = []pair{{name, plain(raw)}}
	}
	return out
}

// path writes a value as a part of a path, or, without escaping, as that of a header.
func (p parameter) path(raw []byte, escape func(string) string) string {
	texts := flat(raw)
	for i, text := range texts {
		texts[i] = escape(text)
	}
	if p.style == "json" {
		return escape(string(raw))
	}
	object := kindOf(raw) == kindObject
	prefix, between := "", ","
	switch p.style {
	case "label":
		prefix = "."
		if p.explode {
			between = "."
		}
	case "matrix":
		prefix = ";" + p.name + "="
		if p.explode && object {
			prefix, between = ";", ";"
		} else if p.explode {
			between = ";" + p.name + "="
		}
	}
	if object && p.explode {
		var joined []string
		for pair := range slices.Chunk(texts, 2) {
			joined = append(joined, strings.Join(pair, "="))
		}
		texts = joined
	}
	return prefix + strings.Join(texts, between)
}

// read decodes the values of a parameter into to, a pointer to its field. found reports whether it was sent.
func (p parameter) read(r *http.Request, query url.Values, to any) (found bool, err error) {
	raw, found, err := p.raw(r, query)
	if err == nil && !found && p.required {
		err = &RequiredParamError{p.name}
	}
	if err != nil || !found {
		return found, err
	}
	if err := decodeValue(raw, reflect.ValueOf(to).Elem()); err != nil {
		return true, &InvalidParamFormatError{p.name, err}
	}
	return true, nil
}

// raw finds a parameter in a request and returns it as JSON.
func (p parameter) raw(r *http.Request, query url.Values) (raw []byte, found bool, err error) {
	var values []string
	switch p.in {
	case "path":
		values = []string{p.bare(r.PathValue(p.name))}
	case "header":
		values = r.Header.Values(p.name)
	case "cookie":
		for _, c := range r.CookiesNamed(p.name) {
			values = append(values, c.Value)
		}
	default:
		return p.form(query)
	}
	if p.style == "json" || len(values) == 0 {
		return p.one(values)
	}
	return p.texts(values)
}

// bare takes the marks of its style off a part of a path.
func (p parameter) bare(text string) string {
	switch p.style {
	case "label":
		text = strings.TrimPrefix(text, ".")
		if p.explode {
			text = strings.ReplaceAll(text, ".", ",")
		}
	case "matrix":
		text = strings.TrimPrefix(text, ";")
		if p.explode && p.shape.kinds&kindObject == 0 {
			text = strings.ReplaceAll(text, ";"+p.name+"=", ",")
		}
		text = strings.ReplaceAll(strings.TrimPrefix(text, p.name+"="), ";", ",")
	}
	return text
}

// form finds a parameter in a query or a form.
func (p parameter) form(query url.Values) (raw []byte, found bool, err error) {
	object := p.shape.kinds&kindObject != 0
	switch {
	case p.style == "json":
		return p.one(query[p.name])
	case p.style == "deepObject":
		return undeep(p.name, query, &p.shape)
	case object && p.explode && (len(query[p.name]) == 0 || p.shape.members[p.name] != nil):
		return p.spread(query)
	case p.shape.kinds&kindArray != 0 && p.explode:
		values := query[p.name]
		return listed(values, p.shape.items), len(values) > 0, nil
	case len(query[p.name]) == 0:
		return nil, false, nil
	}
	return p.texts(query[p.name])
}

// one returns the only value of a parameter that is sent as JSON.
func (p parameter) one(values []string) (raw []byte, found bool, err error) {
	switch {
	case len(values) == 0:
		return nil, false, nil
	case len(values) > 1:
		return nil, true, &TooManyValuesForParamError{p.name, len(values)}
	case !json.Valid([]byte(values[0])) || tooDeep([]byte(values[0])):
		return nil, true, &InvalidParamFormatError{p.name, wrong([]byte(values[0]), "JSON")}
	}
	return []byte(values[0]), true, nil
}

// texts reads a parameter that is one text, or several parted by the separator.
func (p parameter) texts(values []string) (raw []byte, found bool, err error) {
	switch {
	case p.shape.kinds&kindArray != 0 && p.shape.kinds&kindString == 0:
		var all []string
		for _, v := range values {
			if v != "" {
				all = append(all, strings.Split(v, p.separator())...)
			}
		}
		if p.in == "header" {
			for i := range all {
				all[i] = strings.TrimSpace(all[i])
			}
		}
		return listed(all, p.shape.items), true, nil
	case len(values) > 1:
		return nil, true, &TooManyValuesForParamError{p.name, len(values)}
	case p.shape.kinds&kindObject != 0 && p.shape.kinds&kindString == 0:
		b, parts := []byte{'{'}, strings.Split(values[0], p.separator())
		for i := 0; i < len(parts) && values[0] != ""; i++ {
			name, value, _ := strings.Cut(parts[i], "=")
			if !p.explode && i+1 < len(parts) {
				i++
				name, value = parts[i-1], parts[i]
			}
			b = appendMember(b, name, scalar(value, p.shape.member(name)))
		}
		return append(b, '}'), true, nil
	}
	return scalar(values[0], &p.shape), true, nil
}

// spread reads an object whose members are parameters of their own.
func (p parameter) spread(query url.Values) (raw []byte, found bool, err error) {
	b := []byte{'{'}
	for _, name := range slices.Sorted(mapKeys(query)) {
		shape, known := p.shape.members[name]
		if !known {
			if shape = p.shape.rest; shape == nil {
				continue
			}
		}
		found = true
		value := scalar(query[name][0], shape)
		if shape.kinds&kindArray != 0 && shape.kinds&kindString == 0 {
			value = listed(query[name], shape.items)
		}
		b = appendMember(b, name, value)
	}
	return append(b, '}'), found, nil
}

func mapKeys(v url.Values) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range v {
			if !yield(k) {
				return
			}
		}
	}
}

func (s *shape) member(name string) *shape {
	if s == nil {
		return nil
	}
	if m := s.members[name]; m != nil {
		return m
	}
	return s.rest
}

func appendMember(b []byte, name string, value []byte) []byte {
	if len(b) > 1 {
		b = append(b, ',')
	}
	key, _ := json.Marshal(name) // a string always encodes
	return append(append(append(b, key...), ':'), value...)
}

func listed(values []string, items *shape) []byte {
	b := []byte{'['}
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, scalar(v, items)...)
	}
	return append(b, ']')
}

// scalar turns text into JSON. Text that is no JSON value of a kind that the schema takes becomes a string, which the
// decoder then refuses where it must.
func scalar(text string, s *shape) []byte {
	kinds := kindString
	if s != nil {
		kinds = s.kinds
	}
	raw := []byte(text)
	if literal := kinds &^ kindString; literal != 0 && text != "" && json.Valid(raw) && literal&kindOf(raw) != 0 && kindOf(raw) != kindString {
		return bytes.TrimSpace(raw)
	}
	raw, _ = json.Marshal(text) // a string always encodes
	return raw
}

// undeep reads name[a]=1&name[b][c]=2 and name[d][]=3.
func undeep(name string, query url.Values, s *shape) (raw []byte, found bool, err error) {
	tree := &branch{}
	for _, key := range slices.Sorted(mapKeys(query)) {
		rest, ok := strings.CutPrefix(key, name+"[")
		if !ok || !strings.HasSuffix(rest, "]") {
			continue
		}
		found = true
		tree.add(strings.Split(strings.TrimSuffix(rest, "]"), "]["), query[key])
	}
	return tree.json(s), found, nil
}

// branch is an object or a list of a query that was sent in the style deepObject.
type branch struct {
	values []string
	names  []string
	below  map[string]*branch
}

func (b *branch) add(path, values []string) {
	if len(path) == 0 || path[0] == "" {
		b.values = append(b.values, values...)
		return
	}
	if b.below == nil {
		b.below = map[string]*branch{}
	}
	next := b.below[path[0]]
	if next == nil {
		next = &branch{}
		b.below[path[0]] = next
		b.names = append(b.names, path[0])
	}
	next.add(path[1:], values)
}

func (b *branch) json(s *shape) []byte {
	array := s != nil && s.kinds&kindArray != 0
	switch {
	case array && b.below != nil:
		slices.SortFunc(b.names, func(x, y string) int {
			i, _ := strconv.Atoi(x)
			j, _ := strconv.Atoi(y)
			return i - j
		})
		out := []byte{'['}
		for i, name := range b.names {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, b.below[name].json(s.items)...)
		}
		return append(out, ']')
	case array:
		return listed(b.values, s.items)
	case b.below != nil:
		out := []byte{'{'}
		for _, name := range b.names {
			out = appendMember(out, name, b.below[name].json(s.member(name)))
		}
		return append(out, '}')
	case len(b.values) == 0:
		return []byte("{}")
	}
	return scalar(b.values[0], s)
}
