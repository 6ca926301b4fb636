// Package support is the code that a generated package brings along, so that it needs nothing but the standard library. The
// generator copies these files into the package, each one only where something generated calls for it.
//
// Nothing here is exported except what a user of the generated package needs.
package support

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"time"
)

// A DecodeError says which part of a JSON document does not have the form that its type needs.
type DecodeError struct {
	Pointer string // JSON pointer of the part; empty for the whole document
	Want    string // the form that is needed, such as "an integer"
	Got     string // the start of the part as it was sent
}

func (e *DecodeError) Error() string {
	where := e.Pointer
	if where == "" {
		where = "the whole value"
	}
	return fmt.Sprintf("%s: want %s, got %s", where, e.Want, e.Got)
}

// Nullable holds a value that may be left out, be null, or be there. Its zero value is left out.
type Nullable[T any] struct {
	value T
	state uint8 // 0: absent, 1: null, 2: value
}

// Of returns a Nullable that holds v.
func Of[T any](v T) Nullable[T] { return Nullable[T]{v, 2} }

// Null returns a Nullable that holds null.
func Null[T any]() Nullable[T] { return Nullable[T]{state: 1} }

// Get returns the value. It reports false for null and for nothing.
func (n Nullable[T]) Get() (v T, ok bool) { return n.value, n.state == 2 }

// IsNull reports whether it holds null.
func (n Nullable[T]) IsNull() bool { return n.state == 1 }

// IsZero reports whether it holds nothing, so that omitzero leaves it out.
func (n Nullable[T]) IsZero() bool { return n.state == 0 }

// MarshalJSON writes the value, or null.
func (n Nullable[T]) MarshalJSON() ([]byte, error) {
	if n.state != 2 {
		return []byte("null"), nil
	}
	return marshal(n.value)
}

// UnmarshalJSON reads a value or null.
func (n *Nullable[T]) UnmarshalJSON(data []byte) error {
	*n = Nullable[T]{}
	if string(bytes.TrimSpace(data)) == "null" {
		n.state = 1
		return nil
	}
	n.state = 2
	return decodeValue(data, reflect.ValueOf(&n.value).Elem())
}

// unions decodes the sealed interfaces of the package, by their types.
var unions = map[reflect.Type]func([]byte) (any, error){}

// Decode reads a JSON document into v, a pointer to a type of this package or to anything made of such. It differs from
// json.Unmarshal in these points: it decodes unions; an integer may be written 60000.0 or 6e4; names of members must
// match exactly; and a mistake is a *DecodeError with a JSON pointer.
func Decode(data []byte, v any) error {
	if !json.Valid(data) {
		var any json.RawMessage
		err := json.Unmarshal(data, &any)
		if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
			return &DecodeError{Want: "JSON", Got: fmt.Sprintf("%s (byte %d: %s)", excerpt(data), syntax.Offset, syntax)}
		}
		return &DecodeError{Want: "JSON", Got: excerpt(data)}
	}
	if tooDeep(data) {
		return &DecodeError{Want: fmt.Sprintf("JSON of at most %d levels", maxDepth), Got: excerpt(data)}
	}
	to := reflect.ValueOf(v)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		return fmt.Errorf("decode into %T: pass a pointer", v)
	}
	return decodeValue(data, to.Elem())
}

// maxDepth bounds the nesting of JSON. Each level of a recursive type reads what is below it once more.
const maxDepth = 128

// tooDeep reports whether JSON is nested deeper than is decoded.
func tooDeep(data []byte) bool {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = endOfString(data, i) - 1
		case '{', '[':
			if depth++; depth > maxDepth {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// endOfString returns the end of the string that starts at i.
func endOfString(data []byte, i int) int {
	for i++; i < len(data); i++ {
		next := bytes.IndexAny(data[i:], "\"\\")
		if next < 0 {
			return len(data)
		}
		if i += next; data[i] == '"' {
			return i + 1
		}
		i++ // what is escaped
	}
	return len(data)
}

var (
	rawType     = reflect.TypeFor[json.RawMessage]()
	numberType  = reflect.TypeFor[json.Number]()
	timeType    = reflect.TypeFor[time.Time]()
	anyType     = reflect.TypeFor[any]()
	unmarshaler = reflect.TypeFor[json.Unmarshaler]()
)

// decodeValue reads data, which is valid JSON, into an addressable value.
func decodeValue(data []byte, to reflect.Value) error {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return &DecodeError{Want: "JSON", Got: "nothing"}
	}
	t := to.Type()
	switch t {
	case rawType:
		to.SetBytes(bytes.Clone(data))
		return nil
	case timeType:
		if kindOf(data) == kindNull {
			to.SetZero() // as other kinds have it
			return nil
		}
		return decodeTime(data, to)
	case numberType:
		if kindOf(data) != kindNumber {
			return wrong(data, "a number")
		}
		to.SetString(string(data))
		return nil
	case anyType:
		v, err := decodeAny(data)
		if err == nil && v != nil {
			to.Set(reflect.ValueOf(v))
		}
		return err
	}
	if decode := unions[t]; decode != nil {
		if kindOf(data) == kindNull {
			to.SetZero()
			return nil
		}
		v, err := decode(data)
		if err == nil && v != nil {
			to.Set(reflect.ValueOf(v))
		}
		return err
	}
	if t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(unmarshaler) {
		return to.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(data)
	}
	return decodeKind(data, to, t)
}

func decodeKind(data []byte, to reflect.Value, t reflect.Type) error {
	kind := kindOf(data)
	if kind == kindNull {
		to.SetZero() // as lenient as encoding/json
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		v := reflect.New(t.Elem())
		if err := decodeValue(data, v.Elem()); err != nil {
			return err
		}
		to.Set(v)
		return nil
	case reflect.String:
		if kind != kindString {
			return wrong(data, "a string")
		}
		s, err := unquote(data)
		to.SetString(s)
		return err
	case reflect.Bool:
		if kind != kindBool {
			return wrong(data, "true or false")
		}
		to.SetBool(data[0] == 't')
		return nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := integer(data)
		if err != nil {
			return err
		}
		if !n.IsInt64() || to.OverflowInt(n.Int64()) {
			return wrong(data, fmt.Sprintf("an integer of %d bits", t.Bits()))
		}
		to.SetInt(n.Int64())
		return nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, err := integer(data)
		if err != nil {
			return err
		}
		if !n.IsUint64() || to.OverflowUint(n.Uint64()) {
			return wrong(data, fmt.Sprintf("an integer from 0 of %d bits", t.Bits()))
		}
		to.SetUint(n.Uint64())
		return nil
	case reflect.Float32, reflect.Float64:
		if kind != kindNumber {
			return wrong(data, "a number")
		}
		f, err := strconv.ParseFloat(string(data), t.Bits())
		if err != nil {
			return wrong(data, fmt.Sprintf("a number of %d bits", t.Bits()))
		}
		if n, whole := new(big.Int).SetString(string(data), 10); whole && n.BitLen() > 24 {
			if held, _ := big.NewFloat(f).Int(nil); held.Cmp(n) != 0 {
				return wrong(data, fmt.Sprintf("a number that a float of %d bits holds to its last digit", t.Bits())) // it may be an id
			}
		}
		to.SetFloat(f)
		return nil
	case reflect.Slice:
		return decodeList(data, to, t)
	case reflect.Map:
		return decodeMap(data, to, t)
	}
	if err := json.Unmarshal(data, to.Addr().Interface()); err != nil {
		return wrong(data, "a "+t.String())
	}
	return nil
}

func decodeList(data []byte, to reflect.Value, t reflect.Type) error {
	if t.Elem().Kind() == reflect.Uint8 {
		var b []byte
		if kindOf(data) != kindString || json.Unmarshal(data, &b) != nil {
			return wrong(data, "a string of base64")
		}
		if b == nil {
			b = []byte{}
		}
		to.SetBytes(b)
		return nil
	}
	if kindOf(data) != kindArray {
		return wrong(data, "an array")
	}
	items := reflect.MakeSlice(t, 0, 0)
	i := 0
	err := eachItem(data, func(item []byte) error {
		v := reflect.New(t.Elem()).Elem()
		if err := decodeValue(item, v); err != nil {
			return below(strconv.Itoa(i), err)
		}
		items = reflect.Append(items, v)
		i++
		return nil
	})
	to.Set(items)
	return err
}

func decodeMap(data []byte, to reflect.Value, t reflect.Type) error {
	if kindOf(data) != kindObject {
		return wrong(data, "an object")
	}
	m := reflect.MakeMap(t)
	err := eachMember(data, func(name string, value []byte) error {
		v := reflect.New(t.Elem()).Elem()
		if err := decodeValue(value, v); err != nil {
			return below(name, err)
		}
		m.SetMapIndex(reflect.ValueOf(name).Convert(t.Key()), v)
		return nil
	})
	to.Set(m)
	return err
}

// decodeObject reads the members of an object. field returns a pointer for each member that has a field, and nil for
// others, of which rest may take care.
func decodeObject(data []byte, field func(name string) any, rest func(name string, value []byte) error) error {
	if kindOf(data) != kindObject {
		return wrong(data, "an object") // null is none either: it would come back as {}
	}
	return eachMember(data, func(name string, value []byte) error {
		to := field(name)
		if to == nil {
			if rest == nil {
				return nil
			}
			return below(name, rest(name, value))
		}
		return below(name, decodeValue(value, reflect.ValueOf(to).Elem()))
	})
}

// keep adds a member to a map, which it makes if need be.
func keep[T any](m *map[string]T, name string, value []byte) error {
	var v T
	if err := decodeValue(value, reflect.ValueOf(&v).Elem()); err != nil {
		return err
	}
	if *m == nil {
		*m = map[string]T{}
	}
	(*m)[name] = v
	return nil
}

// marshal is json.Marshal, but leaves <, > and & as they are: an encoder that is to escape them does so with what a
// MarshalJSON returns, and one that is not to could not take the escapes out again.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), err
}

// member is one member of an object to be written.
type member struct {
	name  string
	value any
	skip  bool
}

// absent reports whether an optional member, of which it gets a pointer, is left out. A union that holds 0, false or "" is
// not.
func absent(member any) bool {
	r := reflect.ValueOf(member).Elem()
	if z, ok := r.Interface().(interface{ IsZero() bool }); ok && r.Kind() != reflect.Pointer && r.Kind() != reflect.Interface {
		return z.IsZero()
	}
	return r.IsZero()
}

// encodeObject writes the members in their order, and then the rest in alphabetical order. A name of the rest that a
// member has is left out.
func encodeObject[T any](members []member, rest map[string]T) ([]byte, error) {
	b := []byte{'{'}
	taken := make(map[string]bool, len(members))
	add := func(name string, value any) error {
		v, err := marshal(value)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		key, err := marshal(name)
		b = append(append(append(b, key...), ':'), v...)
		return err
	}
	for _, m := range members {
		taken[m.name] = true
		if m.skip {
			continue
		}
		if err := add(m.name, m.value); err != nil {
			return nil, err
		}
	}
	names := make([]string, 0, len(rest))
	for name := range rest {
		if !taken[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if err := add(name, rest[name]); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}
