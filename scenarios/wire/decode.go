package wire

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// decode decodes vetted JSON. Numbers become [json.Number], so that a judge sees what the target wrote. Strings are
// substrings of text where possible, since text is kept anyway.
func decode(text string) (any, error) {
	if v, ok := decodePlain(text); ok {
		return v, nil
	}
	return decodeAny(text)
}

// Decode decodes JSON into the Go values that judges see: numbers are [json.Number].
func Decode(text string) (any, error) { return decode(text) }

// decodeAny decodes with encoding/json, which handles rare input and explains errors.
func decodeAny(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON document")
	}
	return v, nil
}

// decodePlain decodes ordinary JSON in one pass, in a third of the time of encoding/json, since a certification decodes
// thousands of replies. ok is false for anything else, including errors.
func decodePlain(text string) (v any, ok bool) {
	d := plainDecoder{text: text}
	v, ok = d.value(0)
	d.space()
	return v, ok && d.at == len(text)
}

// mostPlain is the depth that [decodePlain] can decode.
const mostPlain = 200

type plainDecoder struct {
	text string
	at   int
}

func (d *plainDecoder) space() {
	for d.at < len(d.text) {
		switch d.text[d.at] {
		case ' ', '\t', '\r', '\n':
			d.at++
		default:
			return
		}
	}
}

// next skips white space and c, and reports whether c was there.
func (d *plainDecoder) next(c byte) bool {
	d.space()
	if d.at < len(d.text) && d.text[d.at] == c {
		d.at++
		return true
	}
	return false
}

func (d *plainDecoder) value(depth int) (any, bool) {
	d.space()
	if d.at == len(d.text) || depth > mostPlain {
		return nil, false
	}
	switch d.text[d.at] {
	case '{':
		d.at++
		return d.object(depth + 1)
	case '[':
		d.at++
		return d.array(depth + 1)
	case '"':
		return d.string()
	case 't':
		return true, d.word("true")
	case 'f':
		return false, d.word("false")
	case 'n':
		return nil, d.word("null")
	}
	return d.number()
}

func (d *plainDecoder) object(depth int) (any, bool) {
	members := map[string]any{}
	if d.next('}') {
		return members, true
	}
	for {
		d.space()
		if d.at == len(d.text) || d.text[d.at] != '"' {
			return nil, false
		}
		name, ok := d.string()
		if !ok || !d.next(':') {
			return nil, false
		}
		if members[name], ok = d.value(depth); !ok {
			return nil, false
		}
		if !d.next(',') {
			return members, d.next('}')
		}
	}
}

func (d *plainDecoder) array(depth int) (any, bool) {
	items := []any{}
	if d.next(']') {
		return items, true
	}
	for {
		item, ok := d.value(depth)
		if !ok {
			return nil, false
		}
		items = append(items, item)
		if !d.next(',') {
			return items, d.next(']')
		}
	}
}

func (d *plainDecoder) word(word string) bool {
	ok := strings.HasPrefix(d.text[d.at:], word)
	d.at += len(word)
	return ok
}

// string reads a string, from its opening quote on.
func (d *plainDecoder) string() (s string, ok bool) {
	begin := d.at
	ascii, escaped := true, false
	for d.at++; d.at < len(d.text); d.at++ {
		switch c := d.text[d.at]; {
		case c == '"':
			d.at++
			s = d.text[begin+1 : d.at-1]
			if escaped {
				return unquoted(d.text[begin:d.at])
			}
			return s, ascii || utf8.ValidString(s)
		case c == '\\':
			escaped = true
			d.at++
		case c < ' ':
			return "", false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return "", false
}

func unquoted(quoted string) (s string, ok bool) {
	err := json.Unmarshal([]byte(quoted), &s)
	return s, err == nil
}

func (d *plainDecoder) number() (any, bool) {
	begin := d.at
	d.skip('-')
	if !d.skip('0') && !d.digits() {
		return nil, false
	}
	if d.skip('.') && !d.digits() {
		return nil, false
	}
	if d.skip('e') || d.skip('E') {
		if !d.skip('-') {
			d.skip('+')
		}
		if !d.digits() {
			return nil, false
		}
	}
	return json.Number(d.text[begin:d.at]), true
}

// skip skips c, and reports whether c was there.
func (d *plainDecoder) skip(c byte) bool {
	if d.at < len(d.text) && d.text[d.at] == c {
		d.at++
		return true
	}
	return false
}

// digits skips digits, and reports whether any was there.
func (d *plainDecoder) digits() bool {
	begin := d.at
	for d.at < len(d.text) && d.text[d.at] >= '0' && d.text[d.at] <= '9' {
		d.at++
	}
	return d.at > begin
}
