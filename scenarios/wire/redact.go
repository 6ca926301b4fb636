package wire

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Redactor replaces secrets by stable placeholders, the same secret always by
// the same one, so that a transcript can be compared but not abused.
type Redactor struct {
	mu      sync.RWMutex
	secrets []secret
	raw     []secret // as they were registered
	heads   heads    // of the secrets
	next    int
}

type secret struct{ text, placeholder string }

// Hide registers a secret, in the spellings it can take in a body or a URL. One
// shorter than four characters is not looked for: it would blank out ordinary
// text everywhere. Where it stands as a credential it is blanked all the same.
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
	for _, spelling := range []string{text, strings.Trim(string(quoted), `"`), url.QueryEscape(text), url.PathEscape(text)} {
		if !slices.ContainsFunc(r.secrets, func(s secret) bool { return s.text == spelling }) {
			r.secrets = append(r.secrets, secret{spelling, placeholder})
			r.heads.add(spelling)
		}
	}
	// The longest first: a secret that contains another must not be cut in two.
	slices.SortStableFunc(r.secrets, func(a, b secret) int { return len(b.text) - len(a.text) })
}

// searchedFast is a length of text that the machine searches for by itself.
const searchedFast = 32

// Clean returns text without any registered secret, however its characters are escaped.
func (r *Redactor) Clean(text string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.heads.in(text) {
		text = r.cleanPlain(text)
	}
	return r.cleanEscaped(text)
}

// cleanPlain takes out one secret after the other.
func (r *Redactor) cleanPlain(text string) string {
	for _, s := range r.secrets {
		// Short texts are searched for much faster than long ones, and hardly any is there.
		if head := s.text[:min(len(s.text), searchedFast)]; strings.Contains(text, head) {
			text = strings.ReplaceAll(text, s.text, s.placeholder)
		}
	}
	return text
}
