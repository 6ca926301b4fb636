// Package html writes reports for browsers. A page is one self-contained file that needs no network, and a target's
// words in it are inert text.
package html

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"strings"
)

//go:embed style.css
var style string

// Style returns the style sheet that all pages share: colours for light, dark and paper, type, tables, folds, code, and
// status words (class="word violated"). Put it into a style element unchanged, and pass it to [Policy].
func Style() template.CSS { return template.CSS(style) } //nolint:gosec // our own file

// Policy returns a Content-Security-Policy that allows a page these style sheets and scripts, and embedded pictures.
// Each text is the whole content of its element.
func Policy(styles []template.CSS, scripts []template.JS) string {
	words := []string{"default-src 'none'", "img-src data:", "base-uri 'none'", "form-action 'none'"}
	add := func(directive string, texts []string) {
		if len(texts) == 0 {
			return
		}
		for i, text := range texts {
			sum := sha256.Sum256([]byte(text))
			texts[i] = "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		}
		words = append(words, directive+" "+strings.Join(texts, " "))
	}
	add("style-src", texts(styles))
	add("script-src", texts(scripts))
	return strings.Join(words, "; ")
}

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, t := range list {
		out[i] = string(t)
	}
	return out
}
