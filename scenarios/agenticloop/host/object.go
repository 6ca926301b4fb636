package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Object is a JSON object; its numbers stay json.Number.
type Object = map[string]any

// Decode reads JSON and keeps numbers as json.Number. It leaves v alone when raw is empty.
func Decode(raw []byte, v any) error {
	if len(raw) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(v)
}

// Clone returns a deep copy of JSON data.
func Clone[T any](v T) T {
	var out T
	raw, err := json.Marshal(v)
	if err == nil {
		err = Decode(raw, &out)
	}
	if err != nil {
		panic(fmt.Sprintf("copying JSON: %v", err)) // it came from a decoder, or from us
	}
	return out
}

// OrEmpty returns o, or an empty object for nil.
func OrEmpty(o Object) Object {
	if o == nil {
		return Object{}
	}
	return o
}

// SizeOf returns the number of bytes that decoded JSON takes when it is written again.
func SizeOf(v any) int {
	switch v := v.(type) {
	case nil:
		return len("null")
	case bool:
		return len(strconv.FormatBool(v))
	case string:
		return sizeOfText(v)
	case json.Number:
		return len(v)
	case []any:
		n := len("[]") + max(0, len(v)-1)
		for _, e := range v {
			n += SizeOf(e)
		}
		return n
	case Object:
		n := len("{}") + max(0, len(v)-1)
		for name, e := range v {
			n += sizeOfText(name) + len(":") + SizeOf(e)
		}
		return n
	}
	raw, _ := json.Marshal(v) // what a drive put into a state itself
	return len(raw)
}

// sizeOfText returns the number of bytes of a text as [json.Marshal] writes it.
func sizeOfText(s string) int {
	n := len(`""`) + len(s)
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf || c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			raw, _ := json.Marshal(s[i:]) // a text always encodes
			return n - len(s[i:]) + len(raw) - len(`""`)
		}
	}
	return n
}
