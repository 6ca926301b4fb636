package specgen

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestYAMLBecomesJSON(t *testing.T) {
	const text = `
text: hello
quoted: "5"
date: 2026-01-02
int: 42
hex: 0x10
large: 18446744073709551615
float: 1e3
yes: true
none: ~
200: code
list: [1, {a: b}]
block: |
  two
  lines
empty: {}
`
	got, err := parse("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := object{
		"text": "hello", "quoted": "5", "date": "2026-01-02", "int": json.Number("42"), "hex": json.Number("16"),
		"large": json.Number("18446744073709551615"), "float": json.Number("1000"), "yes": true, "none": nil, "200": "code",
		"list": []any{json.Number("1"), object{"a": "b"}}, "block": "two\nlines\n", "empty": object{},
	}
	if diff := cmp.Diff(any(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNestingIsBounded(t *testing.T) {
	deep := strings.Repeat(`{"a":`, maxDepth+2) + "1" + strings.Repeat("}", maxDepth+2)
	for _, file := range []string{"x.json", "x.yaml"} {
		if _, err := parse(file, []byte(deep)); err == nil || !strings.Contains(err.Error(), "nested deeper") {
			t.Errorf("%s: got %v", file, err)
		}
	}
}

// drawTree makes any tree that JSON can hold.
func drawTree(t *rapid.T, depth int) any {
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	if depth == 0 {
		kind %= 5
	}
	switch kind {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2:
		return json.Number(fmt.Sprint(rapid.Int64().Draw(t, "int")))
	case 3, 4:
		return rapid.String().Draw(t, "string")
	case 5:
		l := make([]any, rapid.IntRange(0, 3).Draw(t, "length"))
		for i := range l {
			l[i] = drawTree(t, depth-1)
		}
		return l
	}
	o := object{}
	for range rapid.IntRange(0, 3).Draw(t, "size") {
		o[rapid.String().Draw(t, "key")] = drawTree(t, depth-1)
	}
	return o
}

func TestEncodeAndParseAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := drawTree(t, 3)
		data, err := encode(tree)
		if err != nil {
			t.Fatal(err)
		}
		back, err := parse("x.json", data)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tree, back); diff != "" {
			t.Fatalf("(-before +after):\n%s", diff)
		}
		if diff := cmp.Diff(tree, clone(tree)); diff != "" {
			t.Fatalf("clone differs:\n%s", diff)
		}
	})
}

func TestPointersFindWhatTheyName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tokens := rapid.SliceOfN(rapid.String(), 1, 4).Draw(t, "tokens")
		var tree any = "here"
		pointer := ""
		for _, token := range slices.Backward(tokens) {
			tree = object{token: tree}
		}
		for _, token := range tokens {
			pointer = join(pointer, token)
		}
		if v, missing := at(tree, pointer); v != "here" || missing != "" {
			t.Fatalf("%q: got %v, missing %q", pointer, v, missing)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":null}]}`, "a: &x {b: c}\nd: *x\n", "\t", "? |\n", `{"a":1e400}`,
		"a: 1_000\nb: 0o17\nc: 2026-13-40\n", "- - - -\n", "%YAML 1.1\n---\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, file := range []string{"x.json", "x.yaml"} {
			v, err := parse(file, data)
			if err != nil {
				continue
			}
			if _, err := encode(v); err != nil {
				t.Errorf("%s: a tree that is no JSON: %v", file, err)
			}
		}
	})
}
