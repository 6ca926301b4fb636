package wire

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Redactor replaces secrets with placeholders, each secret always with the same one, so that transcripts can be
// compared.
type Redactor struct {
	mu      sync.RWMutex
	secrets []secret
	raw     []secret // as they were registered
	heads   heads    // of the secrets
	next    int
}

type secret struct{ text, placeholder string }

// Hide registers a secret, with its spellings in bodies and URLs. A secret of less than four bytes is not registered,
// since it would replace ordinary text everywhere; as a credential in a header it is replaced anyway.
func (r *Redactor) Hide(text string) {
	if len(text) < 4 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.secrets {
		if s.text == text {
			return
		}
	}
	r.next++
	placeholder := fmt.Sprintf("<secret:%d>", r.next)
	r.raw = append(r.raw, secret{text, placeholder})
	quoted, _ := json.Marshal(text) // a string always encodes
	spellings := []string{text, strings.Trim(string(quoted), `"`), url.QueryEscape(text), url.PathEscape(text)}
	for _, spelling := range append(spellings, encodings(text)...) {
		if !slices.ContainsFunc(r.secrets, func(s secret) bool { return s.text == spelling }) {
			r.secrets = append(r.secrets, secret{spelling, placeholder})
			r.heads.add(spelling)
		}
	}
	// The longest first, so that a secret in another one does not cut that in two.
	slices.SortStableFunc(r.secrets, func(a, b secret) int { return len(b.text) - len(a.text) })
}

// leastEncoded is the length in bytes from which a secret is looked for in encodings: that of a shorter one may be an ordinary word.
const leastEncoded = 12

// encodings returns a text in hex and in base64, wherever it stands in what is encoded: three bytes become four letters, of which
// those are left out that hold bits of its neighbours, too.
func encodings(text string) []string {
	if len(text) < leastEncoded {
		return nil
	}
	digits := fmt.Sprintf("%x", text)
	out := []string{digits, strings.ToUpper(digits)}
	for before := range 3 {
		padded := append(make([]byte, before), text...)
		whole := len(padded) / 3 * 4   // letters of whole groups
		skip := []int{0, 2, 3}[before] // letters that hold bits of what stands before
		for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			out = append(out, e.EncodeToString(padded)[skip:whole])
		}
	}
	return out
}

// Count returns the highest number of a placeholder.
func (r *Redactor) Count() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.next
}

// After has further placeholders have numbers above n, which others have that were written before.
func (r *Redactor) After(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next = max(r.next, n)
}

// searchedFast is a length of text that strings.Contains finds quickly.
const searchedFast = 32

// HoldsSecret reports whether text, as a reply is shown to drives and judges, holds a placeholder for a secret.
func HoldsSecret(text string) bool { return strings.Contains(text, "<secret:") }

// Hidden counts the placeholders of secrets in a JSON value. Encoding escapes the bracket before them.
func Hidden(v Value) int { return strings.Count(v.JSON(), "secret:") }

// Clean returns text without registered secrets, however they are escaped.
func (r *Redactor) Clean(text string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.heads.in(text) {
		text = r.cleanPlain(text)
	}
	return r.cleanEscaped(text)
}

// cleanPlain replaces secrets that are not escaped.
func (r *Redactor) cleanPlain(text string) string {
	for _, s := range r.secrets {
		// The search for a short text is much faster, and it usually finds nothing.
		if head := s.text[:min(len(s.text), searchedFast)]; strings.Contains(text, head) {
			text = strings.ReplaceAll(text, s.text, s.placeholder)
		}
	}
	return text
}
