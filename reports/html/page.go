// Package html writes reports that people open in a browser. A page is one file: it asks no network for anything, and what a
// target sent stands in it as text that does nothing.
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

// Style is the style sheet that all pages share: colours for light, dark and paper, type, tables, folds, code, and words of
// status (class="word violated"). It goes into a style element as it is, and [Policy] has to know of it.
func Style() template.CSS { return template.CSS(style) } //nolint:gosec // our own file

// Policy is the content of a Content-Security-Policy that lets a page use these style sheets and scripts, pictures that stand
// in the page itself, and nothing else. Each text is the whole content of its element.
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
