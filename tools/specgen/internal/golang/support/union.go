package support

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"time"
)

// tell is what distinguishes the values of one branch of a union.
type tell struct {
	kinds    int                 // the kinds of JSON values that it takes
	values   []string            // the only values that it takes, as compact JSON; nil for any
	required []string            // members that must be there
	members  map[string]int      // the kinds that its members may have
	consts   map[string][]string // the only values of some members, as compact JSON
	closed   bool                // it takes no other members
	decode   func(data []byte) (any, error)
}

// choose decodes a value as the only branch that it belongs to. If there is none, or more than one, its bytes are kept. A
// union that is not complete has further branches, which take any form.
func choose[Unknown ~[]byte](data []byte, tells []tell, complete bool) (any, error) {
	branch, sure := pick(data, tells)
	if branch < 0 {
		return Unknown(bytes.Clone(data)), nil
	}
	v, err := tells[branch].decode(data)
	if sure && complete {
		return v, err
	}
	if err == nil {
		if again, err := marshal(v); err == nil && sameMeaning(data, again) {
			return v, nil
		}
	}
	return Unknown(bytes.Clone(data)), nil // a wrong guess
}

// pick returns the branch that a value belongs to, or -1 if there is none. It is sure where all the others are ruled out.
func pick(data []byte, tells []tell) (branch int, sure bool) {
	kind := kindOf(data)
	members := map[string][]byte{}
	if kind == kindObject {
		if eachMember(data, func(name string, value []byte) error { members[name] = value; return nil }) != nil {
			return -1, false
		}
	}
	var fit []int
	for i, t := range tells {
		if t.kinds&kind != 0 && t.holds(data, kind, members) {
			fit = append(fit, i)
		}
	}
	if len(fit) == 1 {
		return fit[0], true
	}
	// Of several branches only one may know all the members.
	fit = slices.DeleteFunc(fit, func(i int) bool { return !tells[i].knowsAll(members) })
	if kind == kindObject && len(fit) == 1 {
		return fit[0], false
	}
	return -1, false
}

func (t tell) holds(data []byte, kind int, members map[string][]byte) bool {
	if t.values != nil && !slices.Contains(t.values, compact(data)) {
		return false
	}
	if kind != kindObject {
		return true
	}
	for _, name := range t.required {
		if members[name] == nil {
			return false
		}
	}
	for name, value := range members {
		if kinds, known := t.members[name]; known && kinds&kindOf(value) == 0 {
			return false
		}
		if values := t.consts[name]; values != nil && !slices.Contains(values, compact(value)) {
			return false
		}
	}
	return !t.closed || t.knowsAll(members)
}

func (t tell) knowsAll(members map[string][]byte) bool {
	for name := range members {
		if _, known := t.members[name]; !known {
			return false
		}
	}
	return true
}

// named decodes an object as the branch that its discriminator names. A value without one is told apart as others are.
func named[Unknown ~[]byte](data []byte, property string, branches map[string]int, tells []tell, complete bool) (any, error) {
	if kindOf(data) != kindObject {
		return choose[Unknown](data, tells, complete)
	}
	branch, told := -1, false
	err := eachMember(data, func(name string, value []byte) error {
		if name != property {
			return nil
		}
		told = true
		if to, known := branches[plain(value)]; known {
			branch = to
		}
		return nil
	})
	switch {
	case err != nil || !told:
		return choose[Unknown](data, tells, complete)
	case branch < 0:
		return Unknown(bytes.Clone(data)), nil
	}
	return tells[branch].decode(data)
}

// compact returns a JSON value without spaces, its strings and integers in one spelling.
func compact(data []byte) string {
	switch kindOf(data) {
	case kindString:
		if s, err := unquote(data); err == nil {
			data, _ = json.Marshal(s) // a string always encodes
			return string(data)
		}
	case kindNumber:
		if n, err := integer(data); err == nil {
			return n.String()
		}
	}
	var b bytes.Buffer
	if json.Compact(&b, data) != nil {
		return string(data)
	}
	return b.String()
}

// decodeCase reads a value as one case of a union.
func decodeCase[T any](data []byte) (any, error) {
	var v T
	err := decodeValue(data, reflect.ValueOf(&v).Elem())
	return v, err
}

// sameMeaning compares two JSON texts: the order of members, and how a number, a string or a time is spelled, mean nothing.
func sameMeaning(a, b []byte) bool {
	x, err := decodeAny(a)
	y, wrong := decodeAny(b)
	return err == nil && wrong == nil && same(x, y)
}

func same(x, y any) bool {
	switch x := x.(type) {
	case map[string]any:
		y, ok := y.(map[string]any)
		return ok && maps.EqualFunc(x, y, same)
	case []any:
		y, ok := y.([]any)
		return ok && slices.EqualFunc(x, y, same)
	case string:
		y, ok := y.(string)
		if !ok || x == y {
			return ok
		}
		at, err := time.Parse(time.RFC3339Nano, x)
		then, wrong := time.Parse(time.RFC3339Nano, y)
		return err == nil && wrong == nil && at.Equal(then)
	}
	return x == y
}
