package support

import (
	"bytes"
	"encoding/json"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// decodeAny is like decoding into any, but a number that float64 cannot hold stays a json.Number.
func decodeAny(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, wrong(data, "JSON")
	}
	return floats(v), nil
}

func floats(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return v
		}
		exact, ok := new(big.Rat).SetString(v.String())
		if short, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64)); !ok || short == nil || exact.Cmp(short) != 0 {
			return v
		}
		return f
	case []any:
		for i := range v {
			v[i] = floats(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = floats(v[k])
		}
	}
	return v
}

func decodeTime(data []byte, to reflect.Value) error {
	if kindOf(data) != kindString {
		return wrong(data, "a string with a date and a time")
	}
	s, err := unquote(data)
	if err != nil {
		return err
	}
	t, err := time.Parse(time.RFC3339Nano, strings.ToUpper(s))
	if err != nil {
		return wrong(data, "a date and a time as in RFC 3339, such as 2006-01-02T15:04:05Z")
	}
	to.Set(reflect.ValueOf(t))
	return nil
}

// maxExponent bounds the integers that are worked out: one of ten characters could have a billion digits.
const maxExponent = 400

// integer reads a JSON number without a fraction, however it is written.
func integer(data []byte) (*big.Int, error) {
	n := new(big.Int)
	if kindOf(data) != kindNumber {
		return nil, wrong(data, "an integer")
	}
	s := string(data)
	if !strings.ContainsAny(s, ".eE") {
		if _, ok := n.SetString(s, 10); !ok {
			return nil, wrong(data, "an integer")
		}
		return n, nil
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		if exponent, err := strconv.Atoi(s[i+1:]); err != nil || exponent > maxExponent || exponent < -maxExponent {
			return nil, wrong(data, "an integer of a size that can be held")
		}
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok || !r.IsInt() {
		return nil, wrong(data, "an integer")
	}
	return r.Num(), nil
}

func wrong(data []byte, want string) error { return &DecodeError{Want: want, Got: excerpt(data)} }

// below puts the name of a member or the index of an item before the pointer of an error.
func below(token string, err error) error {
	e, ok := err.(*DecodeError)
	if !ok {
		return err
	}
	token = strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
	return &DecodeError{Pointer: "/" + token + e.Pointer, Want: e.Want, Got: e.Got}
}

const longestExcerpt = 60

// excerpt shows the start of a value.
func excerpt(data []byte) string {
	if len(data) == 0 {
		return "nothing"
	}
	if len(data) <= longestExcerpt {
		return strings.ToValidUTF8(string(data), "?")
	}
	return strings.ToValidUTF8(string(data[:longestExcerpt]), "?") + "..."
}
