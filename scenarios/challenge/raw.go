package challenge

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/go-openapi/jsonpointer"
)

// JSON is changed as text, so that all else stays as the target wrote it, byte for byte.

// item is an element of an array or a member of an object, as text.
type item struct {
	name  string // of a member
	value string
	start int // of the value in the text
}

// skip returns the index behind the JSON value, or behind the white space, that begins at i.
func skip(text string, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = closing(text, i+1)
		case '{', '[':
			depth++
			continue
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ',', ':', ' ', '\n', '\r', '\t':
			if depth == 0 {
				return i
			}
			continue
		default:
			if depth > 0 || i+1 < len(text) && strings.IndexByte(",:]} \n\r\t", text[i+1]) < 0 {
				continue
			}
		}
		if depth == 0 {
			return min(i+1, len(text))
		}
	}
	return len(text)
}

// closing returns the index of the quote that ends the string whose characters begin at i, len(text) if none does.
func closing(text string, i int) int {
	for i < len(text) {
		end := strings.IndexByte(text[i:], '"')
		if end < 0 {
			break
		}
		escape := strings.IndexByte(text[i:i+end], '\\')
		if escape < 0 {
			return i + end
		}
		i += escape + 2
	}
	return len(text)
}

func space(text string, i int) int {
	for i < len(text) && strings.IndexByte(" \n\r\t", text[i]) >= 0 {
		i++
	}
	return i
}

// items returns what an array or an object holds. ok is false for anything else.
func items(text string) (list []item, object, ok bool) {
	i := space(text, 0)
	if i == len(text) || text[i] != '{' && text[i] != '[' {
		return nil, false, false
	}
	object = text[i] == '{'
	for i = space(text, i+1); i < len(text) && text[i] != '}' && text[i] != ']'; {
		var it item
		if object {
			end := skip(text, i)
			if it.name, ok = unquoted(text[i:end]); !ok {
				return nil, object, false
			}
			i = space(text, end)
			if i == len(text) || text[i] != ':' {
				return nil, object, false
			}
			i = space(text, i+1)
		}
		end := skip(text, i)
		if end == i {
			return nil, object, false
		}
		it.value, it.start = text[i:end], i
		list = append(list, it)
		if i = space(text, end); i < len(text) && text[i] == ',' {
			i = space(text, i+1)
		}
	}
	return list, object, true
}

// array and object return containers of these items.
func array(list []item) string {
	var b strings.Builder
	for i, it := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(it.value)
	}
	return "[" + b.String() + "]"
}

func object(list []item) string {
	var b strings.Builder
	for i, it := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoted(it.name) + ":" + it.value)
	}
	return "{" + b.String() + "}"
}

func unquoted(text string) (s string, ok bool) {
	if len(text) < 2 || text[0] != '"' {
		return "", false
	}
	if strings.IndexByte(text, '\\') < 0 {
		return text[1 : len(text)-1], true
	}
	return s, json.Unmarshal([]byte(text), &s) == nil
}

func quoted(s string) string {
	b, _ := json.Marshal(s) // a string always encodes
	return string(b)
}

// segments returns the decoded segments of a pointer.
func segments(pointer string) []string {
	if pointer == "" {
		return nil
	}
	list := strings.Split(pointer[1:], "/")
	for i, s := range list {
		list[i] = jsonpointer.Unescape(s)
	}
	return list
}

func pointerOf(list []string) string {
	var b strings.Builder
	for _, s := range list {
		b.WriteString("/" + jsonpointer.Escape(s))
	}
	return b.String()
}

// index returns where a segment stands among the items of a container, -1 if it does not.
func index(list []item, object bool, segment string) int {
	if object {
		return slices.IndexFunc(list, func(it item) bool { return it.name == segment })
	}
	if i, err := strconv.Atoi(segment); err == nil && i >= 0 && i < len(list) {
		return i
	}
	return -1
}

// locate returns the start and the end of the value at a place.
func locate(text string, path []string) (start, end int, ok bool) {
	start = space(text, 0)
	end = len(text)
	for _, segment := range path {
		if start, end, ok = child(text, start, segment); !ok {
			return 0, 0, false
		}
	}
	if len(path) == 0 {
		end = skip(text, start)
	}
	return start, end, true
}

// child returns where the value of a member or an element begins and ends, in the container that begins at i.
func child(text string, i int, segment string) (start, end int, ok bool) {
	if i >= len(text) || text[i] != '{' && text[i] != '[' {
		return 0, 0, false
	}
	isObject := text[i] == '{'
	wanted := -1
	if !isObject {
		var err error
		if wanted, err = strconv.Atoi(segment); err != nil || wanted < 0 {
			return 0, 0, false
		}
	}
	i = space(text, i+1)
	for n := 0; i < len(text) && text[i] != '}' && text[i] != ']'; n++ {
		this := n == wanted
		if isObject {
			end := skip(text, i)
			name, ok := unquoted(text[i:end])
			if !ok {
				return 0, 0, false
			}
			this = name == segment
			if i = space(text, end); i == len(text) || text[i] != ':' {
				return 0, 0, false
			}
			i = space(text, i+1)
		}
		end := skip(text, i)
		if this || end == i {
			return i, end, this && end > i
		}
		if i = space(text, end); i < len(text) && text[i] == ',' {
			i = space(text, i+1)
		}
	}
	return 0, 0, false
}

// at returns the text of the value at a place.
func at(text string, path []string) (string, bool) {
	start, end, ok := locate(text, path)
	if !ok {
		return "", false
	}
	return text[start:end], true
}

// replace returns the text with another value at a place.
func replace(text string, path []string, value string) (string, bool) {
	start, end, ok := locate(text, path)
	if !ok {
		return text, false
	}
	return text[:start] + value + text[end:], true
}

// remove returns the text without a member of an object.
func remove(text string, path []string) (string, bool) {
	if len(path) == 0 {
		return text, false
	}
	above, name := path[:len(path)-1], path[len(path)-1]
	inner, ok := at(text, above)
	if !ok {
		return text, false
	}
	list, isObject, ok := items(inner)
	if i := index(list, isObject, name); ok && isObject && i >= 0 {
		return replace(text, above, object(slices.Delete(list, i, i+1)))
	}
	return text, false
}

// put returns the text with one more member, and the objects that lead to it.
func put(text string, path []string, value string) (string, bool) {
	for deep := len(path) - 1; deep >= 0; deep-- {
		inner, ok := at(text, path[:deep])
		if !ok {
			continue
		}
		list, isObject, ok := items(inner)
		if !ok || !isObject || index(list, true, path[deep]) >= 0 {
			return text, false
		}
		for _, segment := range slices.Backward(path[deep+1:]) {
			value = object([]item{{name: segment, value: value}})
		}
		return replace(text, path[:deep], object(append(list, item{name: path[deep], value: value})))
	}
	return text, false
}
