package agent

import (
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// What a request holds is read as encoding/json reads it.
func TestMembersAreThoseThatEncodingJSONReads(t *testing.T) {
	same := func(t interface{ Errorf(string, ...any) }, raw string) {
		var want object
		if err := json.Unmarshal([]byte(raw), &want); err != nil {
			want = nil
		}
		if got := membersOf(json.RawMessage(raw)); !reflect.DeepEqual(got, want) {
			t.Errorf("the members of %s are %s, want %s", raw, got, want)
		}
		var text string
		if err := json.Unmarshal([]byte(raw), &text); err != nil {
			text = ""
		}
		if got := textOf(json.RawMessage(raw)); got != text {
			t.Errorf("the text of %s is %q, want %q", raw, got, text)
		}
	}
	for _, raw := range []string{
		`{}`, `{ }`, `{"a":1}`, `{ "a" : 1 , "b" : [ {"c":"}"} , "]" ] , "c":{"d":{}} }`, `{"a":"\\","b\"":"\\\"","\u0063":""}`,
		`{"a":1,"a":2}`, `{"a":null,"b":true,"c":-1.5e3 }`, `{"a":[]}`,
		`[]`, `null`, `true`, `12`, `"a"`, `""`, `"\u00e9\n"`, "\"\xff\"", `[{"a":1}]`, "{\n\t\"a\":\r{}\n}",
	} {
		same(t, raw)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[\\"{}\[\]:, ]{0,6}`))
		value := rapid.OneOf(rapid.Map(text, asAny), rapid.Map(rapid.SliceOfN(text, 0, 3), asAny),
			rapid.Map(rapid.MapOfN(text, text, 0, 3), asAny), rapid.Map(rapid.Float64(), asAny))
		members := rapid.MapOfN(text, value, 0, 4).Draw(t, "members")
		var raw []byte
		var err error
		if rapid.Bool().Draw(t, "spaced") {
			raw, err = json.MarshalIndent(members, "", "\t")
		} else {
			raw, err = json.Marshal(members)
		}
		if err != nil {
			t.Fatal(err)
		}
		same(t, string(raw))
	})
}

func asAny[T any](v T) any { return v }
