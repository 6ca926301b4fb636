package textsafe_test

import (
	"encoding/json"
	"encoding/xml"
	"maps"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/openassay/assay/internal/textsafe"
)

func TestLine(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain ASCII stays", `{"iteration":1} ~`, `{"iteration":1} ~`},
		{"letters of all languages stay", "Grüße, 世界 — ça va… 😀", "Grüße, 世界 — ça va… 😀"},
		{"ANSI colour", "\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"ANSI title by C1", "\u009d0;owned\u009c", `\u009d0;owned\u009c`},
		{"line breaks", "a\nb\r\nc\td", `a\nb\r\nc\td`},
		{"unicode line breaks", "a\u2028b\u2029c\u0085d", `a\u2028b\u2029c\u0085d`},
		{"NUL, BEL, DEL", "\x00\a\x7f", `\x00\x07\x7f`},
		{"bidirectional override", "user\u202etxt.exe\u2066", `user\u202etxt.exe\u2066`},
		{"zero width and soft hyphen", "ad\u200bmin\u00ad\ufeff", `ad\u200bmin\u00ad\ufeff`},
		{"odd spaces", "a\u00a0b\u3000c", `a\u00a0b\u3000c`},
		{"variation selectors and tags", "x\ufe0f\U000e0041", `x\ufe0f\U000e0041`},
		{"letters that draw nothing", "\u3164\u115f", `\u3164\u115f`},
		{"not UTF-8", "a\xffb\xc3", `a\xffb\xc3`},
		{"a real replacement character", "\ufffd", "\ufffd"},
		{"a command of GitHub's", "a ##[error]b ###[x", `a \x23#[error]b #\x23#[x`},
		{"noncharacters and private use", "\uffff\ue000", `\uffff\ue000`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := textsafe.Line(c.in); got != c.want {
				t.Errorf("Line(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		name, in string
		n        int
		want     string
	}{
		{"short", "abc", 3, "abc"},
		{"long", "abcd", 3, "ab…"},
		{"counts what is spelled out", "\x1b[0m", 5, `\x1b…`},
		{"counts characters, not bytes", "äöü", 3, "äöü"},
		{"nothing", "", 3, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := textsafe.Clip(c.in, c.n); got != c.want {
				t.Errorf("Clip(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
			}
		})
	}
}

func TestMarkdown(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"words", "Acme Host", "`Acme Host`"},
		{"nothing", " ", "`(empty)`"},
		{"a tag and a link stay inside", "<img src=x> [a](http://b)", "`<img src=x> [a](http://b)`"},
		{"a pipe would end the cell", "a|b", "`a\\x7cb`"},
		{"backticks need a longer fence", "a``b", "```a``b```"},
		{"a backtick at the edge", "`", "`` ` ``"},
		{"a line break would end the row", "a\n| b", "`a\\n\\x7c b`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := textsafe.Markdown(c.in); got != c.want {
				t.Errorf("Markdown(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestLog(t *testing.T) {
	for in, want := range map[string]string{
		"a :: b\n":                 "a :: b\n",
		"::error::x\nnext\n":       "\\x3a:error::x\nnext\n",
		"a\r\n \t::add-mask::b":    "a\r\n \t\\x3a:add-mask::b",
		"said ##[error] and\n\n::": "said \\x23#[error] and\n\n\\x3a:",
		"":                         "",
	} {
		if got := textsafe.Log(in); got != want {
			t.Errorf("Log(%q) = %q, want %q", in, got, want)
		}
	}
}

// Any text becomes one printable line that is valid in XML, and a code span that does not end early.
func TestAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		line := textsafe.Line(in)
		if !utf8.ValidString(line) {
			t.Fatalf("Line(%q) is not UTF-8", in)
		}
		for _, r := range line {
			if r != ' ' && (!unicode.IsGraphic(r) || unicode.IsSpace(r)) {
				t.Fatalf("Line(%q) holds %U", in, r)
			}
		}
		for logged := range strings.Lines(textsafe.Log("  " + in + "\n" + line + "\n::x\n\t::y ##[z]\n")) {
			if strings.HasPrefix(strings.TrimSpace(logged), "::") || strings.Contains(logged, "##[") {
				t.Fatalf("Log(%q) holds the command %q", in, logged)
			}
		}
		if strings.Contains(line, "##[") {
			t.Fatalf("Line(%q) holds a command", in)
		}
		var back string
		encoded, err := xml.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		if err := xml.Unmarshal(encoded, &back); err != nil || back != line {
			t.Fatalf("Line(%q) comes back from XML as %q (%v)", in, back, err)
		}
		md := textsafe.Markdown(in)
		fence := md[:len(md)-len(strings.TrimLeft(md, "`"))]
		if inside := md[len(fence) : len(md)-len(fence)]; strings.Contains(inside, fence) || strings.ContainsAny(inside, "|\n") {
			t.Fatalf("Markdown(%q) = %q can be left", in, md)
		}
		if got := utf8.RuneCountInString(textsafe.Clip(in, 10)); got > 10 {
			t.Fatalf("Clip(%q, 10) has %d characters", in, got)
		}
	})
}

// The escapes decode to the same value.
func TestJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := map[string]string{"##[k]": "##[error]###[",
			"k\u202e": rapid.String().Draw(t, "text") + "\u009b31m\x7f\U000e0041\x1b", "plain": "a\nb"}
		encoded, err := json.MarshalIndent(in, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		safe := textsafe.JSON(encoded)
		if strings.Contains(string(safe), "##[") {
			t.Fatalf("%s holds a command", safe)
		}
		for _, r := range string(safe) {
			if r > '~' && r != ' ' && !unicode.IsGraphic(r) || r == '\x1b' {
				t.Fatalf("%s holds %U", safe, r)
			}
		}
		var back map[string]string
		if err := json.Unmarshal(safe, &back); err != nil || !maps.Equal(in, back) {
			t.Fatalf("%q comes back as %q (%v)", in, back, err)
		}
	})
}

func TestShell(t *testing.T) {
	for in, want := range map[string]string{
		"http://127.0.0.1:7411/a_b": "http://127.0.0.1:7411/a_b",
		"execution-model>=5":        "'execution-model>=5'",
		"it's":                      `'it'\''s'`,
		"$(rm)":                     "'$(rm)'",
		"~/key":                     "'~/key'",
		"":                          "''",
	} {
		if got := textsafe.Shell(in); got != want {
			t.Errorf("Shell(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 faults", 1: "1 fault", 2: "2 faults"} {
		if got := textsafe.Count(n, "fault"); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}

func FuzzShell(f *testing.F) {
	f.Add("it's $(id)")
	plain := regexp.MustCompile(`^[A-Za-z0-9_./:@%+,=-]+$`)
	f.Fuzz(func(t *testing.T, s string) {
		back, quoted := "", false
		for word := textsafe.Shell(s); word != ""; word = word[1:] {
			switch c := word[0]; {
			case c == '\'':
				quoted = !quoted
			case !quoted && c == '\\':
				back += word[1:2]
				word = word[1:]
			case !quoted && !plain.MatchString(word[:1]):
				t.Fatalf("%q stands outside of quotes in %q", c, textsafe.Shell(s))
			default:
				back += word[:1]
			}
		}
		if quoted || back != s {
			t.Errorf("%q is read as %q", s, back)
		}
	})
}
