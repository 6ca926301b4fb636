package support

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

// tree holds itself, as a generated type may.
type tree struct {
	Name  string
	Below []tree
	Rest  map[string]json.RawMessage
}

func (v *tree) UnmarshalJSON(data []byte) error {
	return decodeObject(data, func(name string) any {
		switch name {
		case "name":
			return &v.Name
		case "below":
			return &v.Below
		}
		return nil
	}, func(name string, value []byte) error { return keep(&v.Rest, name, value) })
}

func (v tree) MarshalJSON() ([]byte, error) {
	return encodeObject([]member{{"name", v.Name, false}, {"below", v.Below, absent(&v.Below)}}, v.Rest)
}

func TestDecodeSaysWhatIsWrongAndWhere(t *testing.T) {
	for _, c := range []struct {
		to         any
		data, want string
	}{
		{new(int64), `1.5`, "the whole value: want an integer, got 1.5"},
		{new(int64), `"1"`, `the whole value: want an integer, got "1"`},
		{new(int64), `9223372036854775808`, "the whole value: want an integer of 64 bits, got 9223372036854775808"},
		{new(int64), `1e400000`, "the whole value: want an integer of a size that can be held, got 1e400000"},
		{new(int64), `1e-5`, "the whole value: want an integer, got 1e-5"},
		{new(uint32), `-1`, "the whole value: want an integer from 0 of 32 bits, got -1"},
		{new(float64), `1e400`, "the whole value: want a number of 64 bits, got 1e400"},
		{new(float64), `9007199254740993`,
			"the whole value: want a number that a float of 64 bits holds to its last digit, got 9007199254740993"},
		{new(tree), `null`, "the whole value: want an object, got null"},
		{new(bool), `0`, "the whole value: want true or false, got 0"},
		{new(string), `{}`, "the whole value: want a string, got {}"},
		{new([]byte), `"?"`, `the whole value: want a string of base64, got "?"`},
		{new(time.Time), `"yesterday"`, `the whole value: want a date and a time as in RFC 3339, such as 2006-01-02T15:04:05Z, got "yesterday"`},
		{new([]map[string]int32), `[{}, {"a/b~c": 1e10}]`, "/1/a~1b~0c: want an integer of 32 bits, got 1e10"},
		{new(tree), `{"below":[{"name":"a"},{"below":[{"name":5}]}]}`, "/below/1/below/0/name: want a string, got 5"},
		{new(tree), `[]`, "the whole value: want an object, got []"},
		{new(tree), ``, "the whole value: want JSON, got nothing (byte 0: unexpected end of JSON input)"},
		{new(tree), `{"name":"a"} x`, `the whole value: want JSON, got {"name":"a"} x (byte 14: invalid character 'x' after top-level value)`},
		{new(json.Number), `"1"`, `the whole value: want a number, got "1"`},
		{new(any), strings.Repeat("[", 129) + strings.Repeat("]", 129), "the whole value: want JSON of at most 128 levels, got " +
			strings.Repeat("[", 60) + "..."},
		{new(string), "[\"" + strings.Repeat("\u00fc", 100) + "\"]",
			"the whole value: want a string, got [\"" + strings.Repeat("\u00fc", 29) + "..."},
	} {
		err := Decode([]byte(c.data), c.to)
		if err == nil || err.Error() != c.want || !errors.As(err, new(*DecodeError)) {
			t.Errorf("%s into %T:\ngot  %v\nwant %s", c.data, c.to, err, c.want)
		}
	}
	if err := Decode([]byte("1"), 5); err == nil || !strings.Contains(err.Error(), "pass a pointer") {
		t.Error(err)
	}
}

func TestDecodeTakesIntegersInAllSpellings(t *testing.T) {
	for text, want := range map[string]int64{"60000.0": 60000, "6e4": 60000, "6E+4": 60000, "-0": 0, "0.0": 0, "600000e-1": 60000,
		"-9223372036854775808": -1 << 63, "9.007199254740993e15": 9007199254740993} {
		var got int64
		if err := Decode([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
}

func TestNullable(t *testing.T) {
	type pair struct {
		A Nullable[int64]    `json:"a,omitzero"`
		B Nullable[[]string] `json:"b,omitzero"`
	}
	for _, text := range []string{`{}`, `{"a":null}`, `{"a":0,"b":[]}`, `{"a":1,"b":null}`} {
		var v pair
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(v); err != nil || string(got) != text {
			t.Errorf("%s came back as %s, %v", text, got, err)
		}
	}
	if v, ok := Of(5).Get(); v != 5 || !ok || !Null[int]().IsNull() || Null[int]().IsZero() || !(Nullable[int]{}).IsZero() {
		t.Error("the three states are mixed up")
	}
}

func TestAbsent(t *testing.T) {
	var empty any
	var full any = false
	for _, c := range []struct {
		member any
		want   bool
	}{{&empty, true}, {&full, false}, {new(*int), true}, {new([]string), true}, {&[]string{}, false}, {&map[string]int{}, false},
		{new(Nullable[int]), true}, {new(json.RawMessage), true}, {&json.RawMessage{'0'}, false}, {new(time.Time), true}} {
		if got := absent(c.member); got != c.want {
			t.Errorf("%T: %v", c.member, got)
		}
	}
	null := Null[int]()
	if absent(&null) {
		t.Error("null is not absent")
	}
}

// Decoding a type that holds itself takes no time out of proportion, however deep or wide the JSON is.
func TestDeepJSONIsRefusedOrDecoded(t *testing.T) {
	deep := strings.Repeat(`{"below":[`, 63) + strings.Repeat(`]}`, 63)
	var v tree
	if err := Decode([]byte(deep), &v); err != nil {
		t.Error(err)
	}
	if err := Decode([]byte(strings.Repeat(`{"below":[`, 5000)+strings.Repeat(`]}`, 5000)), &v); err == nil {
		t.Error("10,000 levels were decoded")
	}
	if err := Decode([]byte(`"`+strings.Repeat(`[{`, 5000)+`"`), new(string)); err != nil {
		t.Error("a string is not deep:", err)
	}
}

// FuzzDecode holds Decode against encoding/json: it takes the same JSON, and what it decodes means the same when it is written again.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"name":"a","below":[{"x":[1.0,"\u2028"]}],"y":null}`, `[[],{}]`, `"\ud800"`, `1e5`, ` {"a" : "\\\"" } `, `{"":{"":""}}`, `{"a":1,"a":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var whole any
		standard := json.Unmarshal(data, &whole)
		var mine any
		if err := Decode(data, &mine); (err == nil) != (standard == nil) && !tooDeep(data) && !strings.Contains(standard.Error(),
			"out of range") {
			t.Fatalf("%q: %v, and encoding/json says %v", data, err, standard)
		}
		for _, to := range []any{new(tree), new(map[string][]int64), new([]json.Number), new(Nullable[time.Time]), new(json.RawMessage)} {
			if Decode(data, to) != nil {
				continue
			}
			again, err := json.Marshal(to)
			if err != nil {
				t.Fatalf("%q: decoded into %T, but not encoded: %v", data, to, err)
			}
			back := reflect.New(reflect.TypeOf(to).Elem())
			if err := Decode(again, back.Interface()); err != nil {
				t.Fatalf("%q became %q: %v", data, again, err)
			}
			if twice, err := json.Marshal(back.Interface()); err != nil || !bytes.Equal(again, twice) {
				t.Fatalf("%q became %q and then %q, %v", data, again, twice, err)
			}
		}
	})
}
