package specgen

import (
	"strings"
	"testing"

	"github.com/openassay/assay/tools/specgen/internal/golang"
)

func TestTidyDropsUnusedImports(t *testing.T) {
	got, err := tidy(`package x
import (
	"fmt"
	"os"
	_ "embed"
	named "strings"
	unused "bytes"
	"example.test/thing/v2"
	"example.test/other/v3"
)
var   _ = fmt.Sprint(named.ToUpper("a"), thing.X)
`)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		`"fmt"`: true, `"os"`: false, `_ "embed"`: true, `named "strings"`: true, `"bytes"`: false,
		`"example.test/thing/v2"`: true, `"example.test/other/v3"`: false, "var _ = fmt": true,
	} {
		if strings.Contains(string(got), text) != want {
			t.Errorf("%s: want %v in\n%s", text, want, got)
		}
	}
}

func TestTidyRefusesBrokenCode(t *testing.T) {
	if out, err := tidy("package x\nfunc {"); err == nil {
		t.Errorf("no error, %q", out)
	}
}

func TestCommentCannotEnd(t *testing.T) {
	got := comment("one\ntwo */ func main() {}\r\nthree")
	for line := range strings.Lines(got) {
		if !strings.HasPrefix(line, "//") {
			t.Errorf("a line outside the comment: %q", line)
		}
	}
}

func TestPascal(t *testing.T) {
	for in, want := range map[string]string{
		"run-event": "RunEvent", "run_event": "RunEvent", "runEvent": "RunEvent", "run.event": "RunEvent", "a2a-task": "A2aTask",
		"": "", "--": "", ".": "", "X-Filter": "XFilter", "über-maß": "ÜberMaß",
	} {
		if got := pascal(in); got != want {
			t.Errorf("pascal(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	for in, want := range map[string]string{
		"a b c":               "a b\nc",
		"  a \n\n\n b ":       "a\n\nb",
		"abcdefgh i":          "abcdefgh\ni",
		"":                    "",
		"word":                "word",
		"one two\nthree four": "one\ntwo\nthree\nfour",
	} {
		if got := golang.Wrap(in, 4); got != want {
			t.Errorf("wrap(%q) = %q, want %q", in, got, want)
		}
	}
}
