package specgen

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSplitLookahead(t *testing.T) {
	for pattern, want := range map[string][2]string{
		`^(?!-)[a-z]+$`:                  {`^[a-z]+$`, `^(?:-)`},
		`^(?!(?:core|vendor)\.)[a-z.]+$`: {`^[a-z.]+$`, `^(?:(?:core|vendor)\.)`},
		`^(?!a\))b`:                      {`^b`, `^(?:a\))`},
		`^(?!x|y)^z`:                     {`^z`, `^(?:x|y)`},
		`^(?!x)`:                         {`^`, `^(?:x)`},
	} {
		must, mustNot, ok := splitLookahead(pattern)
		if !ok || must != want[0] || mustNot != want[1] {
			t.Errorf("%s: got %q, %q, %v", pattern, must, mustNot, ok)
		}
	}
	for _, pattern := range []string{`^a`, `(?!x)a`, `^(?=x)a`, `^a(?!x)`, `^(?!x)(?!y)z`, `^(?!(?=x))y`, `^(?!((x)))y`, `^(?!x`} {
		if must, mustNot, ok := splitLookahead(pattern); ok {
			t.Errorf("%s: got %q and %q, want it left alone", pattern, must, mustNot)
		}
	}
}

// The two halves together accept the texts that the lookahead accepted.
func TestLookaheadKeepsItsMeaning(t *testing.T) {
	must, mustNot, ok := splitLookahead(`^(?!(?:core|vendor)\.)[a-z]+(\.[a-z]+)+$`)
	if !ok {
		t.Fatal("not split")
	}
	full := regexp.MustCompile(`^[a-z]+(\.[a-z]+)+$`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`(core|vendor|acme|corex|)\.?[a-z.]{0,5}`).Draw(t, "text")
		want := full.MatchString(text) && !strings.HasPrefix(text, "core.") && !strings.HasPrefix(text, "vendor.")
		got := regexp.MustCompile(must).MatchString(text) && !regexp.MustCompile(mustNot).MatchString(text)
		if got != want {
			t.Fatalf("%q: got %v, want %v", text, got, want)
		}
	})
}

func TestRewritePatternBesideNot(t *testing.T) {
	s := object{"pattern": "^(?!x)y", "not": object{"const": "yy"}, "allOf": []any{object{"minLength": 1}}}
	(&bundled{folder: &folder{house: true}}).rewritePatterns(nil, s, "")
	want := object{"pattern": "^y", "not": object{"const": "yy"}, "allOf": []any{object{"minLength": 1},
		object{"not": object{"pattern": "^(?:x)"}}}}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
