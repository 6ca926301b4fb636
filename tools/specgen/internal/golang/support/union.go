package support

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
)

// tell is what distinguishes the values of one branch of a union.
type tell struct {
	kinds    int                 // the kinds of JSON values that it takes
	values   []string            // the only values that it takes, as compact JSON; nil for any
	required []string            // members that must be there
	members  map[string]int      // the kinds that its members may have
	consts   map[string][]string // the only values of some members, as compact JSON
	closed   bool                // it takes no other members
}

// pick returns the only branch that a value belongs to, or -1 if there is none, or more than one.
func pick(data []byte, tells []tell) int {
	kind := kindOf(data)
	members := map[string][]byte{}
	if kind == kindObject {
		if eachMember(data, func(name string, value []byte) error { members[name] = value; return nil }) != nil {
			return -1
		}
	}
	var fit []int
	for i, t := range tells {
		if t.kinds&kind != 0 && t.holds(data, kind, members) {
			fit = append(fit, i)
		}
	}
	if len(fit) == 1 {
		return fit[0]
	}
	// Of several branches only one may know all the members.
	fit = slices.DeleteFunc(fit, func(i int) bool { return !tells[i].knowsAll(members) })
	if kind == kindObject && len(fit) == 1 {
		return fit[0]
	}
	return -1
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

// named returns the branch that the discriminator of an object names. told reports whether it has one.
func named(data []byte, property string, branches map[string]int) (branch int, told bool) {
	branch = -1
	if kindOf(data) != kindObject {
		return -1, false
	}
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
	return branch, told && err == nil
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
