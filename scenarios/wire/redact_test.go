package wire

import (
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// One pass finds the same secrets as a search for each, and all are removed.
func TestTextsAreCleanedOfAnySecrets(t *testing.T) {
	word := rapid.StringMatching(`[ab"/ é]{1,8}|secret|prove-[a-z]{0,3}`)
	rapid.Check(t, func(t *rapid.T) {
		var r Redactor
		for _, s := range rapid.SliceOfN(word, 0, 6).Draw(t, "secrets") {
			r.Hide(s)
		}
		text := strings.Join(rapid.SliceOfN(word, 0, 12).Draw(t, "words"), "")
		want := text
		for _, s := range r.secrets {
			want = strings.ReplaceAll(want, s.text, s.placeholder)
		}
		if got := r.Clean(text); got != want {
			t.Fatalf("%q is cleaned to %q, want %q", text, got, want)
		}
	})
}

func TestEachSpellingOfASecretIsHidden(t *testing.T) {
	for _, text := range []string{"tick", `a"b\c`, "a b/c", "<&>é", strings.Repeat("long", 100), "\xff\xfe\xfd\xfc", `""""`} {
		var r Redactor
		r.Hide("other")
		r.Hide(text)
		r.Hide(text)
		for _, s := range r.secrets {
			if len(s.text) < headLength {
				t.Errorf("%q has the spelling %q, which is not looked for", text, s.text)
			}
			for _, around := range []string{s.text, "x" + s.text, s.text + "x", s.text[:headLength-1] + s.text + s.text} {
				if got := r.Clean(around); strings.Contains(got, s.text) || !strings.Contains(got, s.placeholder) {
					t.Errorf("%q is cleaned to %q", around, got)
				}
			}
		}
	}
}

// A secret is found even if the target sends many starts of it.
func TestBeginsOfSecretsHideNone(t *testing.T) {
	var r Redactor
	for i := range 50 {
		r.Hide(fmt.Sprintf("aaaa%03d", i))
	}
	text := strings.Repeat("a", 2*mostTried)
	if got := r.Clean(text); got != text {
		t.Errorf("cleaned to %.50q", got)
	}
	if got := r.Clean(text + "aaaa007"); got != text+"<secret:8>" {
		t.Errorf("cleaned to %q", got[len(text)-10:])
	}
}

func TestSecretsAreLearntWhileTextsAreCleaned(t *testing.T) {
	var r Redactor
	var both sync.WaitGroup
	for i := range 4 {
		both.Go(func() {
			for n := range 50 {
				secret := fmt.Sprintf("secret-%d-%d.", i, n)
				r.Hide(secret)
				if got := r.Clean("a " + secret); strings.Contains(got, secret) {
					t.Errorf("cleaned to %q", got)
				}
			}
		})
	}
	both.Wait()
}

// A secret is found in what is encoded with others around it, wherever it stands there, and short ones are not looked for so.
func TestSecretsAreFoundInEncodings(t *testing.T) {
	const secret = "s3cr3t/of+the?host~01"
	rapid.Check(t, func(t *rapid.T) {
		var r Redactor
		r.Hide(secret)
		before := rapid.StringN(0, 9, 9).Draw(t, "before")
		after := rapid.StringN(0, 9, 9).Draw(t, "after")
		encode := rapid.SampledFrom([]func([]byte) string{
			base64.StdEncoding.EncodeToString, base64.URLEncoding.EncodeToString, base64.RawStdEncoding.EncodeToString,
			base64.RawURLEncoding.EncodeToString, func(b []byte) string { return fmt.Sprintf("%x", b) }, func(b []byte) string { return fmt.Sprintf("%X", b) },
		}).Draw(t, "encoding")
		text := encode([]byte(before + secret + after))
		if got := r.Clean("said: " + text + "."); !strings.Contains(got, "<secret:1>") {
			t.Fatalf("%q is left as %q", before+secret+after, got)
		}
	})
	var r Redactor
	r.Hide("short")
	r.Hide("a longer one than that")
	for _, ordinary := range []string{fmt.Sprintf("%x", "short"), base64.StdEncoding.EncodeToString([]byte("a longer text of others")), "c2hvcnQ="} {
		if got := r.Clean(ordinary); got != ordinary {
			t.Errorf("%q became %q", ordinary, got)
		}
	}
}
