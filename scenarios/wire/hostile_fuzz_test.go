package wire

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// A pointer finds exactly the values of a document.
func FuzzLookup(f *testing.F) {
	f.Add(`{"events":[{"sequence":0,"payload":{"a/b":1,"c~d":[true,null]}}]}`, "/events/0/payload/a~1b")
	f.Add(`[[],{"":{"":0}}]`, "/1//")
	f.Add(`{"n":1e400,"m":-0,"k":99999999999999999999,"f":3.0}`, "/n")
	f.Add(`{"01":[1,2]}`, "/01/-1")
	f.Fuzz(func(t *testing.T, text, pointer string) {
		if _, err := Vet([]byte(text), 64, 64); err != nil {
			return
		}
		doc, err := decode(text)
		if err != nil {
			return
		}
		whole := Value{v: doc, here: true}
		if got := whole.At(pointer); got.Present() {
			use(got)
		}
		left := 500
		walk(t, whole, whole, &left)
	})
}

func walk(t *testing.T, whole, v Value, left *int) {
	if *left--; *left < 0 {
		return
	}
	use(v)
	if again := whole.At(v.Ref().Pointer); !again.Present() || again.JSON() != v.JSON() {
		t.Fatalf("%q leads to %s, not to %s", v.Ref().Pointer, again.JSON(), v.JSON())
	}
	for _, item := range v.Items() {
		walk(t, whole, item, left)
	}
	if object, ok := v.Actual().(map[string]any); ok {
		for name := range object {
			walk(t, whole, v.Key(name), left)
		}
	}
}

// use reads a value in every way.
func use(v Value) {
	_, _ = v.Int()
	_, _ = v.Bool()
	_ = v.String() + v.JSON() + v.Ref().String()
}

func FuzzRetryAfter(f *testing.F) {
	for _, text := range []string{"0", "1", " 2 ", "-1", "99999999999999999999", "1e9", "Wed, 21 Oct 2015 07:28:00 GMT", "", "９"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, _ := retryAfter(http.Header{"Retry-After": {text}, "Date": {text}}, len(text)); got < 0 || got > mostAsked {
			t.Fatalf("%q has us wait for %s", text, got)
		}
	})
}

// A secret is removed, whatever surrounds it and however its characters are escaped.
func FuzzRedactor(f *testing.F) {
	const secret = `s3cr3t/K"y+=z`
	f.Add("Bearer ", "", uint64(0))
	f.Add(`{"error":"no `, `"}`, uint64(0x1111111111111111))
	f.Add("http://h/?key=", "&x=1", uint64(0x2222222222222222))
	f.Add(`{"a":"{\"b\":\"`, `\"}"}`, uint64(0x3434343434343434))
	f.Add(strings.Repeat(`\`, 5), `\`, uint64(0x0123012301230123))
	f.Add("%25", "%2", uint64(0x2424242424242424))
	f.Add("s3cr3t/", "s3cr", uint64(0x0505050505050505))
	f.Fuzz(func(t *testing.T, before, after string, how uint64) {
		var r Redactor
		r.Hide(secret)
		r.Hide("another-secret")
		var b strings.Builder
		for i := range len(secret) {
			b.WriteString(spelled(secret[i], how>>(4*(i%16))&0xf))
		}
		if strings.Contains(bare(before)+bare(after), secret) {
			return // it occurs elsewhere, in another spelling
		}
		text := before + b.String() + after
		if got := r.Clean(text); strings.Contains(got, secret) || strings.Contains(bare(got), secret) {
			t.Fatalf("%q is cleaned to %q", text, got)
		}
	})
}

// spelled returns a character in one of its spellings.
func spelled(c byte, how uint64) string {
	switch how {
	case 1:
		return fmt.Sprintf(`\u%04x`, c)
	case 2:
		return fmt.Sprintf("%%%02X", c)
	case 3:
		return fmt.Sprintf(`\\\u%04X`, c)
	case 4:
		return fmt.Sprintf("%%2525%02x", c)
	case 5:
		if c == '/' || c == '"' {
			return `\` + string(c)
		}
	}
	if c == '"' { // never unescaped in a string
		return `\"`
	}
	return string(c)
}

// bare decodes escapes from the left, as a reader would.
func bare(text string) string {
	for _, escape := range []struct{ prefix, with string }{{`\u00`, ""}, {"%", ""}} {
		parts := strings.Split(text, escape.prefix)
		for i, part := range parts[1:] {
			if len(part) >= 2 {
				if c, err := strconv.ParseUint(part[:2], 16, 8); err == nil {
					parts[i+1] = string(rune(c)) + part[2:]
					continue
				}
			}
			parts[i+1] = escape.prefix + part
		}
		text = strings.Join(parts, "")
	}
	return text
}

// Values that a transcript, which anybody may have written, does not hold are absent, or an error.
func FuzzTranscript(f *testing.F) {
	f.Add(`{"drive":"d","entries":[{"kind":"http","response":{"status":200,"header":{"Etag":"x"},"body":"{\"a\":[1]}"}}]}`, 1, "/a/0", "")
	f.Add(`{"drive":"d","entries":[{"kind":"stream","response":{"status":200},"chunks":[{"micros":1,"text":"id: 7\ndata: {\"a\":1}\n\n"}]}]}`,
		1, "/a", "event:1")
	f.Add(`{"entries":[{}]}`, 1, "", "status")
	f.Add(`{"entries":[{"kind":"stream"}]}`, 0, "/", "header:X")
	f.Fuzz(func(t *testing.T, raw string, exchange int, pointer, part string) {
		var transcript Transcript
		if json.Unmarshal([]byte(raw), &transcript) != nil {
			return
		}
		v := Value{ref: Ref{Exchange: exchange, Pointer: pointer, Part: part}}
		if err := Bind(&v, &transcript); err != nil {
			return
		}
		use(v)
	})
}
