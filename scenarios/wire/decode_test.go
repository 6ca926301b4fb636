package wire

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var decodedTexts = []string{
	``, ` `, `null`, `true`, `tru`, `nul`, `falsehood`, `0`, `-0`, `01`, `-`, `1.`, `.5`, `1e`, `1E+3`, `1e-`,
	`-1.50e10`, `+1`, `"a`, `"\`, `"\"`, `"\q"`, `"a\u00e9\ud83d\ude00"`, `"\ud83d"`, "\"\xff\"",
	"\"a\nb\"", `"é"`, `[]`, `[ ]`, `[1,]`, `[,1]`, `[1 2]`, `{}`, `{ }`, `{"a":1,}`, `{"a" : [ {} , null ] }`,
	`{"a":1,"a":2}`, `{a:1}`, `{"a"}`, `{"a":}`, `{} {}`, `{}]`, `{} x`, ` {"a":"b"} ` + "\n\t\r",
	"\ufeff{}", `[1}`, `{"a":1]`, "{}\x00", strings.Repeat("[", mostPlain+5) + strings.Repeat("]", mostPlain+5),
	strings.Repeat(`{"a":`, 3) + `1` + strings.Repeat(`}`, 3), `{"a\"b":"c\\"}`,
}

func sameAsEncodingJSON(t interface{ Fatalf(string, ...any) }, text string) {
	got, err := decode(text)
	want, wantErr := decodeAny(text)
	if !reflect.DeepEqual(got, want) || (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
		t.Fatalf("%q is decoded as %#v, %v, want %#v, %v", text, got, err, want, wantErr)
	}
}

func TestDecodesAsEncodingJSONDoes(t *testing.T) {
	for _, text := range decodedTexts {
		sameAsEncodingJSON(t, text)
	}
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{`{`, `}`, `[`, `]`, `,`, `:`, `"a"`, `"\n"`, `"é"`, `1`,
			`-2.5e3`, `true`, `null`, ` `}), 0, 12)
		sameAsEncodingJSON(t, strings.Join(pieces.Draw(t, "pieces"), ""))
	})
	rapid.Check(t, func(t *rapid.T) {
		item := rapid.OneOf(rapid.Map(rapid.String(), asAny), rapid.Map(rapid.Float64(), asAny))
		raw, err := json.Marshal(rapid.MapOf(rapid.String(), rapid.SliceOfN(item, 0, 3)).Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		sameAsEncodingJSON(t, string(raw))
	})
}

func asAny[T any](v T) any { return v }

func TestWhatIsOrdinaryIsDecodedInOnePass(t *testing.T) {
	const usual = `{"events":[{"sequence":1,"type":"run.started","payload":{"a":"b\n","n":-1.5e3,"t":true,"f":false,"z":null}}]}`
	if _, ok := decodePlain(usual); !ok {
		t.Error("encoding/json had to decode it")
	}
}

func FuzzDecode(f *testing.F) {
	for _, text := range decodedTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { sameAsEncodingJSON(t, text) })
}
