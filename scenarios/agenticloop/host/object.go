package host

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// SizeOf returns the number of bytes that v takes as JSON.
func SizeOf(v any) int {
	raw, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return len(raw)
}
