// Package redact takes secrets out of text before it is kept (SR-1).
package redact

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// shortest is the length, in characters, from which on a secret is looked for: shorter ones would be found by chance.
const shortest = 8

// Redactor knows the secrets of a host. Its method may be called concurrently.
type Redactor struct{ replacer *strings.Replacer }

// New returns a redactor. A secret is stored as [REDACTED:n], n being its place in the list, from 1: a digest would let
// others try out what the secret is.
func New(secrets []string) *Redactor {
	type known struct {
		secret string
		place  int
	}
	var list []known
	for i, secret := range secrets {
		if utf8.RuneCountInString(secret) >= shortest {
			list = append(list, known{secret, i + 1})
		}
	}
	// Of secrets that begin alike the longest must go first, or its end would be left.
	slices.SortStableFunc(list, func(a, b known) int { return cmp.Compare(len(b.secret), len(a.secret)) })
	var pairs []string
	for _, k := range list {
		pairs = append(pairs, k.secret, fmt.Sprintf("[REDACTED:%d]", k.place))
	}
	return &Redactor{strings.NewReplacer(pairs...)}
}

// Text is s without the secrets.
func (r *Redactor) Text(s string) string { return r.replacer.Replace(s) }
