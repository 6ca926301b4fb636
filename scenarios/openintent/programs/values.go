package programs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
)

// What values are made of.
var (
	kind    = &scenarios.Dimension{Name: "kind of a value", Least: 0, Most: [3]int{len(kinds) - 1, len(kinds) - 1, len(kinds) - 1}}
	form    = &scenarios.Dimension{Name: "form of a text", Least: 0, Most: [3]int{len(texts) - 2, len(texts) - 1, len(texts) - 1}}
	letters = &scenarios.Dimension{Name: "letters of a text", Least: 1, Most: [3]int{20, 300, 300}, Edges: []int{255, 256, 257}}
	levels  = &scenarios.Dimension{Name: "levels of a value", Least: 1, Most: [3]int{3, 5, 5}}
	choices = &scenarios.Dimension{Name: "choices of a question", Least: 3, Most: [3]int{3, 8, 20}, Edges: []int{8}}
)

var valued = []*scenarios.Dimension{kind, form, letters, levels, choices}

// kinds are values that a careless server takes for nothing, or changes on the way.
var kinds = []func(s *host.Server) any{
	func(*host.Server) any { return false },
	func(*host.Server) any { return 0 },
	func(*host.Server) any { return "" },
	func(*host.Server) any { return nil },
	func(*host.Server) any { return []any{} },
	func(*host.Server) any { return map[string]any{} },
	func(*host.Server) any { return true },
	func(*host.Server) any { return -1 },
	func(*host.Server) any { return 0.5 },
	func(*host.Server) any { return 1<<53 - 1 },
	func(*host.Server) any { return 1<<32 + 1 },
	func(*host.Server) any { return -1 << 31 },
	func(*host.Server) any { return 0.1 },
	func(*host.Server) any { return 1.5e21 },
	func(*host.Server) any { return -1.25e-9 },
	func(*host.Server) any { return []any{nil, false, 0, "", []any{}, map[string]any{}} },
	func(s *host.Server) any { return map[string]any{"a/b": text(s), "a.b": text(s), "a~b": nil} },
	func(s *host.Server) any { return text(s) },
	func(s *host.Server) any {
		var deep any = text(s)
		for range s.Draw(levels) {
			deep = map[string]any{"in": []any{deep, 0}}
		}
		return deep
	},
}

// texts are texts that are not empty.
var texts = []func(name string, letters int) string{
	func(name string, _ int) string { return name },
	func(name string, n int) string { return name + strings.Repeat("x", n) },
	func(name string, _ int) string { return "Zoë's \"" + name + "\" – 名前 🙂 \\n" },
	func(name string, _ int) string { return "line one\nline two\t" + name },
	func(name string, _ int) string { return `{"name":"` + name + `"}` },
	func(name string, _ int) string { return "${" + name + "} {{" + name + "}} %s" },
	func(string, int) string { return "0" },
	func(string, int) string { return "false" },
	func(string, int) string { return "null" },
	framed,
}

// framed is a text with white space at its ends.
func framed(name string, _ int) string { return "  - " + name + "\t\n" }

// longest is the time that one object may be asked about on a slow server.
const longest = 20 * time.Second

// within draws from a dimension of which each more takes so many replies, one after the other: fewer where replies are slow.
func within(s *host.Server, d *scenarios.Dimension, replies int) int {
	most, why := d.Most[s.Depth], ""
	if s.Took > 0 {
		if slow := max(d.Least, int(longest/(time.Duration(replies)*s.Took))); slow < most {
			most, why = slow, fmt.Sprintf("a reply was seen to take %s", s.Took.Round(time.Millisecond))
		}
	}
	return s.DrawUpTo(d, most, why)
}

func text(s *host.Server) string { return texts[s.Draw(form)](s.Name(""), s.Draw(letters)) }

// every is an object with each of the values that are easily lost, and a drawn one.
func every(s *host.Server) map[string]any {
	out := map[string]any{
		"off": false, "none": 0, "blank": "", "empty": []any{}, "bare": map[string]any{}, "share": 0.1, "most": 1<<53 - 1, "huge": 1.5e21,
	}
	if s.Exact {
		out["beyond"] = beyond
	}
	out[s.Name("of")] = kinds[s.Draw(kind)](s)
	return out
}

func encoded(v any) json.RawMessage { return scenarios.Get(json.Marshal(v)) }

// decoded is what an encoded value says, with numbers as they stand.
func decoded(raw json.RawMessage) (v any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	scenarios.End(d.Decode(&v))
	return v
}
